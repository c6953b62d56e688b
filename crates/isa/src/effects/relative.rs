//! Registers whose numbers M0 moves.

use crate::row::OperandSpec;

/// Which of its registers an instruction names relative to M0 (ISA manuals, `S_MOVREL*`, `V_MOVREL*`, `V_SWAPREL_B32`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relative {
    /// The source.
    Source,
    /// The destination.
    Destination,
    /// Both, by the same number.
    Both,
    /// The source by M0\[9:0\], the destination by M0\[25:16\].
    Halves,
}

impl Relative {
    /// That of a row with `relative=NAME`.
    pub(super) fn parse(name: &str) -> Option<Relative> {
        Some(match name {
            "source" => Relative::Source,
            "destination" => Relative::Destination,
            "both" => Relative::Both,
            "halves" => Relative::Halves,
            _ => return None,
        })
    }

    /// How far M0 moves its registers.
    pub fn offsets(self, m0: u32) -> Offsets {
        let (source, destination) = match self {
            Relative::Source => (m0, 0),
            Relative::Destination => (0, m0),
            Relative::Both => (m0, m0),
            Relative::Halves => (m0 & 0x3ff, m0 >> 16 & 0x3ff),
        };
        Offsets { sources: [source, 0, 0], destination }
    }
}

/// How far behind the registers that an instruction names those are that it means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Offsets {
    /// Sources 0 to 2.
    pub sources: [u32; 3],
    /// The destination.
    pub destination: u32,
}

impl Offsets {
    /// How far that of an operand is.
    pub fn of(&self, operand: &OperandSpec) -> u32 {
        match operand.role {
            "src0" | "vsrc0" | "ssrc0" => self.sources[0],
            "src1" | "vsrc1" => self.sources[1],
            "src2" | "vsrc2" => self.sources[2],
            "vdst" | "sdst" => self.destination,
            _ => 0,
        }
    }

    /// VGPR indexing (MODE.GPR_IDX_EN; CDNA4 manual 6.6): by M0\[7:0\], those that M0\[15:12\] names.
    pub fn of_index(m0: u32) -> Offsets {
        let by = |bit: u32| if m0 >> bit & 1 != 0 { m0 & 0xff } else { 0 };
        Offsets { sources: [by(12), by(13), by(14)], destination: by(15) }
    }
}
