//! Operations bit by bit.

/// How two sources are combined bit by bit (ISA manuals, SOP1 and SOP2; the names are those from gfx11 on).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Logic {
    And,
    Nand,
    Or,
    Nor,
    Xor,
    Xnor,
    /// The first one inverted.
    AndNot0,
    /// The second one inverted.
    AndNot1,
    OrNot0,
    OrNot1,
}

impl Logic {
    /// That of a row with `logic=NAME`.
    pub(super) fn parse(name: &str) -> Option<Logic> {
        Some(match name {
            "and" => Logic::And,
            "nand" => Logic::Nand,
            "or" => Logic::Or,
            "nor" => Logic::Nor,
            "xor" => Logic::Xor,
            "xnor" => Logic::Xnor,
            "and_not0" => Logic::AndNot0,
            "and_not1" => Logic::AndNot1,
            "or_not0" => Logic::OrNot0,
            "or_not1" => Logic::OrNot1,
            _ => return None,
        })
    }

    /// What becomes of both sources.
    pub const fn combine(self, a: u64, b: u64) -> u64 {
        match self {
            Logic::And => a & b,
            Logic::Nand => !(a & b),
            Logic::Or => a | b,
            Logic::Nor => !(a | b),
            Logic::Xor => a ^ b,
            Logic::Xnor => !(a ^ b),
            Logic::AndNot0 => !a & b,
            Logic::AndNot1 => a & !b,
            Logic::OrNot0 => !a | b,
            Logic::OrNot1 => a | !b,
        }
    }
}
