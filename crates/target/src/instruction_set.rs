//! Instruction sets: which processors run the same machine code, and how rows of the instruction table name them.
//!
//! An [`InstructionSet`] stands for all processors whose instructions and encodings are the same (gfx1030 to
//! gfx1036 are one). They have one order, GCN and CDNA first, RDNA and its descendants behind; a range of the order
//! is how a row says where an encoding holds ([`InstructionSets::parse`]):
//!
//! ```text
//! gfx9            a family: gfx900 to gfx950
//! gfx8..gfx9      from the first of gfx8 to the last of gfx9
//! gfx10.3+        from the first of gfx10.3 on
//! gfx908,gfx11+   both
//! ```
//!
//! A generic processor has what all of those that it stands for have: it belongs to several sets at once.

use std::fmt;

use crate::Processor;

macro_rules! instruction_sets {
    ($($variant:ident $name:literal $doc:literal;)*) => {
        /// Processors that decode the same bytes alike, named after the first of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum InstructionSet {
            $(#[doc = $doc] $variant,)*
        }

        impl InstructionSet {
            /// All, in their order.
            pub const ALL: &'static [InstructionSet] = &[$(InstructionSet::$variant),*];
            const LAST: InstructionSet = InstructionSet::ALL[InstructionSet::ALL.len() - 1];

            /// The name: that of its first processor.
            pub const fn name(self) -> &'static str {
                match self {
                    $(InstructionSet::$variant => $name,)*
                }
            }
        }
    };
}

instruction_sets! {
    Gfx600 "gfx600" "Southern Islands.";
    Gfx700 "gfx700" "Sea Islands.";
    Gfx801 "gfx801" "Volcanic Islands: 16-bit image data take whole registers.";
    Gfx810 "gfx810" "Stoney: 16-bit image data are packed.";
    Gfx900 "gfx900" "Vega 10 and its kin.";
    Gfx904 "gfx904" "Vega 12: fused mixed-precision multiply-add.";
    Gfx906 "gfx906" "Vega 20: dot products.";
    Gfx908 "gfx908" "CDNA 1.";
    Gfx90a "gfx90a" "CDNA 2.";
    Gfx940 "gfx940" "CDNA 3 (gfx940 to gfx942).";
    Gfx950 "gfx950" "CDNA 4.";
    Gfx1010 "gfx1010" "RDNA 1.";
    Gfx1011 "gfx1011" "RDNA 1 with dot products (gfx1011, gfx1012).";
    Gfx1013 "gfx1013" "RDNA 1 with ray tracing.";
    Gfx1030 "gfx1030" "RDNA 2.";
    Gfx1100 "gfx1100" "RDNA 3.";
    Gfx1150 "gfx1150" "RDNA 3.5.";
    Gfx1200 "gfx1200" "RDNA 4.";
    Gfx1250 "gfx1250" "CDNA 5.";
    Gfx1251 "gfx1251" "The second processor of the gfx1250 family.";
}

/// A set of instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct InstructionSets(u32);

/// Names of several instruction sets together: the first and the last.
static FAMILIES: &[(&str, InstructionSet, InstructionSet)] = &[
    ("gfx6", InstructionSet::Gfx600, InstructionSet::Gfx600),
    ("gfx7", InstructionSet::Gfx700, InstructionSet::Gfx700),
    ("gfx8", InstructionSet::Gfx801, InstructionSet::Gfx810),
    ("gfx9", InstructionSet::Gfx900, InstructionSet::Gfx950),
    ("gfx10", InstructionSet::Gfx1010, InstructionSet::Gfx1030),
    ("gfx10.1", InstructionSet::Gfx1010, InstructionSet::Gfx1013),
    ("gfx10.3", InstructionSet::Gfx1030, InstructionSet::Gfx1030),
    ("gfx11", InstructionSet::Gfx1100, InstructionSet::Gfx1150),
    ("gfx11.0", InstructionSet::Gfx1100, InstructionSet::Gfx1100),
    ("gfx11.5", InstructionSet::Gfx1150, InstructionSet::Gfx1150),
    ("gfx12", InstructionSet::Gfx1200, InstructionSet::Gfx1251),
    ("gfx12.0", InstructionSet::Gfx1200, InstructionSet::Gfx1200),
    ("gfx12.5", InstructionSet::Gfx1250, InstructionSet::Gfx1251),
];

impl InstructionSets {
    /// None.
    pub const NONE: InstructionSets = InstructionSets(0);

    /// Just this one.
    pub const fn of(set: InstructionSet) -> InstructionSets {
        InstructionSets(1 << set as u8)
    }

    /// From `first` to `last`.
    pub const fn range(first: InstructionSet, last: InstructionSet) -> InstructionSets {
        InstructionSets((2 << last as u8) - (1 << first as u8))
    }

    /// Reads an expression of the module header.
    ///
    /// # Errors
    /// A message with the part that names no instruction set, or a range that runs backwards.
    pub fn parse(text: &str) -> Result<InstructionSets, String> {
        let mut sets = InstructionSets::NONE;
        for part in text.split(',') {
            let (first, last) = if let Some(from) = part.strip_suffix('+') {
                (family(from)?.0, InstructionSet::LAST)
            } else if let Some((from, to)) = part.split_once("..") {
                (family(from)?.0, family(to)?.1)
            } else {
                family(part)?
            };
            if first > last {
                return Err(format!("{part} runs backwards"));
            }
            sets.0 |= InstructionSets::range(first, last).0;
        }
        Ok(sets)
    }

    /// The bits, one for each instruction set in its order.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The sets of these bits.
    pub const fn from_bits(bits: u32) -> InstructionSets {
        InstructionSets(bits)
    }

    /// Whether all of `other` are among these.
    pub const fn contains(self, other: InstructionSets) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any is in both.
    pub const fn intersects(self, other: InstructionSets) -> bool {
        self.0 & other.0 != 0
    }

    /// Those that are in either.
    pub const fn union(self, other: InstructionSets) -> InstructionSets {
        InstructionSets(self.0 | other.0)
    }

    /// The members, in order.
    pub fn iter(self) -> impl Iterator<Item = InstructionSet> {
        InstructionSet::ALL.iter().copied().filter(move |&set| self.contains(InstructionSets::of(set)))
    }
}

/// Runs of the order by the names of their first and last: `gfx801 to gfx950, gfx1100`.
impl fmt::Display for InstructionSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(InstructionSet, InstructionSet)> = Vec::new();
        for set in self.iter() {
            match runs.last_mut() {
                Some(run) if run.1 as u8 + 1 == set as u8 => run.1 = set,
                _ => runs.push((set, set)),
            }
        }
        for (number, (first, last)) in runs.into_iter().enumerate() {
            f.write_str(if number == 0 { "" } else { ", " })?;
            f.write_str(first.name())?;
            if last != first {
                write!(f, " to {}", last.name())?;
            }
        }
        Ok(())
    }
}

/// The first and last instruction set that a name stands for: a family's or a single one's.
fn family(name: &str) -> Result<(InstructionSet, InstructionSet), String> {
    if let Some(&(_, first, last)) = FAMILIES.iter().find(|family| family.0 == name) {
        return Ok((first, last));
    }
    let set = InstructionSet::ALL.iter().copied().find(|set| set.name() == name);
    set.map(|set| (set, set)).ok_or_else(|| format!("unknown instruction set {name}"))
}

impl Processor {
    /// The instruction set of the processor; a generic one's are those of all that it stands for, and it has the
    /// instructions that all of them have.
    pub const fn instruction_sets(self) -> InstructionSets {
        use InstructionSet as S;
        use Processor::*;
        InstructionSets::of(match self {
            Gfx600 | Gfx601 | Gfx602 => S::Gfx600,
            Gfx700 | Gfx701 | Gfx702 | Gfx703 | Gfx704 | Gfx705 => S::Gfx700,
            Gfx801 | Gfx802 | Gfx803 | Gfx805 => S::Gfx801,
            Gfx810 => S::Gfx810,
            Gfx900 | Gfx902 | Gfx909 | Gfx90c => S::Gfx900,
            Gfx904 => S::Gfx904,
            Gfx906 => S::Gfx906,
            Gfx908 => S::Gfx908,
            Gfx90a => S::Gfx90a,
            Gfx940 | Gfx941 | Gfx942 => S::Gfx940,
            Gfx950 => S::Gfx950,
            Gfx1010 => S::Gfx1010,
            Gfx1011 | Gfx1012 => S::Gfx1011,
            Gfx1013 => S::Gfx1013,
            Gfx1030 | Gfx1031 | Gfx1032 | Gfx1033 | Gfx1034 | Gfx1035 | Gfx1036 => S::Gfx1030,
            Gfx1100 | Gfx1101 | Gfx1102 | Gfx1103 => S::Gfx1100,
            Gfx1150 | Gfx1151 | Gfx1152 | Gfx1153 => S::Gfx1150,
            Gfx1200 | Gfx1201 | Gfx12Generic => S::Gfx1200,
            Gfx1250 => S::Gfx1250,
            Gfx1251 => S::Gfx1251,
            Gfx9Generic => return InstructionSets::range(S::Gfx900, S::Gfx906),
            Gfx9_4Generic => return InstructionSets::range(S::Gfx940, S::Gfx950),
            Gfx10_1Generic => return InstructionSets::range(S::Gfx1010, S::Gfx1013),
            Gfx10_3Generic => S::Gfx1030,
            Gfx11Generic => return InstructionSets::range(S::Gfx1100, S::Gfx1150),
            Gfx12_5Generic => return InstructionSets::range(S::Gfx1250, S::Gfx1251),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        match InstructionSets::parse(text) {
            Ok(sets) => sets.iter().map(InstructionSet::name).collect::<Vec<_>>().join(" "),
            Err(message) => message,
        }
    }

    #[test]
    fn expressions() {
        assert_eq!(names("gfx10.3+"), "gfx1030 gfx1100 gfx1150 gfx1200 gfx1250 gfx1251");
        assert_eq!(names("gfx7..gfx8"), "gfx700 gfx801 gfx810");
        assert_eq!(names("gfx90a..gfx9,gfx12.5"), "gfx90a gfx940 gfx950 gfx1250 gfx1251");
        assert_eq!(names("gfx9..gfx8"), "gfx9..gfx8 runs backwards");
        assert_eq!(names("gfx5"), "unknown instruction set gfx5");
    }

    #[test]
    fn runs_are_shown_by_their_ends() {
        let shown = |text| InstructionSets::parse(text).map(|sets| sets.to_string());
        assert_eq!(
            shown("gfx7..gfx8,gfx906,gfx12.5").as_deref(),
            Ok("gfx700 to gfx810, gfx906, gfx1250 to gfx1251")
        );
    }

    #[test]
    fn generic_processors_stand_for_what_their_members_have() {
        for &processor in Processor::ALL {
            let members = processor.stands_for();
            let all = members.iter().fold(InstructionSets::NONE, |sets, p| sets.union(p.instruction_sets()));
            assert!(members.is_empty() || all == processor.instruction_sets(), "{processor}");
        }
    }
}
