//! What scalar comparisons ask.

/// What is asked of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Whether they are equal.
    Equal,
    /// Whether the first one is less.
    Less,
    /// Whether the second one is the number of a bit that is set in the first one.
    Bit,
}

/// What an instruction asks of its two sources, of which SCC is the answer (ISA manuals, SOPC and SOPK).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// What.
    pub comparison: Comparison,
    /// The second source is the first number.
    pub swapped: bool,
    /// SCC is 0 where it is so.
    pub negated: bool,
}

impl Question {
    /// That of a row with `asks=NAME`.
    pub(super) fn parse(name: &str) -> Option<Question> {
        let (comparison, swapped, negated) = match name {
            "eq" => (Comparison::Equal, false, false),
            "lg" => (Comparison::Equal, false, true),
            "lt" => (Comparison::Less, false, false),
            "ge" => (Comparison::Less, false, true),
            "gt" => (Comparison::Less, true, false),
            "le" => (Comparison::Less, true, true),
            "bit1" => (Comparison::Bit, false, false),
            "bit0" => (Comparison::Bit, false, true),
            _ => return None,
        };
        Some(Question { comparison, swapped, negated })
    }
}
