//! Banks of VGPRs (gfx1250): which of the four fields that `s_set_vgpr_msb` sets extends the number of an operand.
//!
//! Follows CDNA5 manual 3.3.7 and LLVM 22, where the manual is silent: the data of a buffer instruction are in
//! the destination's bank whether they are loaded or stored, and the factor that stands behind the literal of
//! `v_fmamk` is in source 2's.

use crate::role::Class;
use crate::row::{OperandSpec, Row};

use super::memory::{Memory, Path};

/// The upper VGPR number bits of gfx1250, as the low byte of the operand of `s_set_vgpr_msb`: src0 in bits
/// 1:0, src1 in 3:2, src2 in 5:4, destination in 7:6. 0 on other processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct VgprMsb(pub u8);

/// Which of the four fields of [`VgprMsb`] an operand takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bank {
    /// src0; the address of memory instructions.
    Src0,
    /// src1; the data of memory instructions.
    Src1,
    /// src2; second data of LDS instructions.
    Src2,
    /// The destination.
    Dst,
    /// None: the number is as encoded (scales of matrix instructions).
    Fixed,
}

impl VgprMsb {
    /// What to add to the encoded number of a VGPR in `bank`.
    pub fn offset(self, bank: Bank) -> u32 {
        let shift = match bank {
            Bank::Src0 => 0,
            Bank::Src1 => 2,
            Bank::Src2 => 4,
            Bank::Dst => 6,
            Bank::Fixed => return 0,
        };
        u32::from(self.0 >> shift & 3) * 256
    }
}

/// The bank of an operand of `row`.
pub(super) fn bank_of(row: &Row, memory: Option<&Memory>, spec: &OperandSpec) -> Bank {
    let buffer = memory.is_some_and(|memory| memory.path == Path::Buffer);
    match spec.role {
        "vdst" | "mdst" | "adst" => Bank::Dst,
        "vdata" if buffer => Bank::Dst,
        // The literal stands in the place of source 1.
        "src1" | "vsrc1" if literal_before(row, spec) => Bank::Src2,
        "src1" | "vsrc1" | "srcb" | "vdata" | "data0" => Bank::Src1,
        "src2" | "vsrc2" | "srcc" | "index" | "data1" => Bank::Src2,
        "scalea" | "scaleb" | "vscalea" | "vscaleb" => Bank::Fixed,
        _ => Bank::Src0,
    }
}

/// Whether a literal stands before the operand (`fmamk`).
fn literal_before(row: &Row, spec: &OperandSpec) -> bool {
    let mut before = row.operands.iter().take_while(|operand| operand.role != spec.role);
    before.any(|operand| matches!(operand.class, Class::Literal32 | Class::Literal64))
}
