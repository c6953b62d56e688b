//! Which part of the hardware executes an instruction, and for how long: the classes by which the manuals say what must
//! stand between two instructions.
//!
//! Follows CDNA3 and CDNA4 manuals 4.5 (tables 11 and 12), 7.5 and 7.6, CDNA5 manual 5.7.2 and 7.12.1. A unit follows from
//! the row's family, its memory effect and its operands; rows that are executed otherwise say so (`unit=`).

use crate::format::Family;
use crate::matrix::Trait;
use crate::row::Row;
use crate::ty::Kind;
use crate::{Inst, Mods};

use super::memory::Path;
use super::{RowEffects, scalar_memory};

/// The part of the hardware that executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Unit {
    /// Scalar instructions and program control.
    #[default]
    Scalar,
    /// Scalar memory.
    ScalarMemory,
    /// Vector memory: buffers, images, global, flat and scratch.
    VectorMemory,
    /// LDS and GDS.
    Lds,
    /// Exports and loads from the parameter cache.
    Export,
    /// Vector instructions.
    Vector,
    /// Vector instructions that take longer: `unit=trans`.
    Transcendental,
    /// Dot products, which CDNA executes apart: `unit=dot`.
    Dot,
    /// Matrix multiplications of narrow data (the manuals' XDL).
    Matrix,
    /// Those of single precision (SGEMM).
    MatrixF32,
    /// Those of double precision (DGEMM).
    MatrixF64,
}

impl Unit {
    /// Reads the row's unit; `None` for a value of `unit=` that is none.
    pub(super) fn of(row: &Row, effects: &RowEffects) -> Option<Unit> {
        match row.attribute("unit") {
            None => {}
            Some("trans") => return Some(Unit::Transcendental),
            Some("dot") => return Some(Unit::Dot),
            Some(_) => return None,
        }
        Some(match row.family {
            Family::Scalar => Unit::Scalar,
            Family::Memory if scalar_memory(row, effects.memory.as_ref()) => match effects.memory {
                Some(_) => Unit::ScalarMemory,
                None => Unit::Scalar,
            },
            Family::Memory => match effects.memory.map(|memory| memory.path) {
                Some(Path::Lds | Path::Gds) => Unit::Lds,
                _ => Unit::VectorMemory,
            },
            Family::Image => Unit::VectorMemory,
            Family::Export => Unit::Export,
            Family::Vector => Unit::Vector,
            Family::Matrix => match row.matrix {
                Trait::Mfma | Trait::Smfmac | Trait::Wmma | Trait::Swmmac | Trait::F8f6f4 => matrix(row),
                _ => Unit::Vector,
            },
        })
    }

    /// Whether it is a vector instruction (VALU), matrix multiplications among them.
    pub const fn is_vector(self) -> bool {
        self.is_matrix() || matches!(self, Unit::Vector | Unit::Transcendental | Unit::Dot)
    }

    /// Whether it is a matrix multiplication.
    pub const fn is_matrix(self) -> bool {
        matches!(self, Unit::Matrix | Unit::MatrixF32 | Unit::MatrixF64)
    }
}

fn matrix(row: &Row) -> Unit {
    let a = row.operands.iter().find(|spec| spec.role == "srca").map(|spec| spec.ty);
    match a {
        // XF32 is single precision with a short mantissa, and two elements a lane.
        Some(ty) if ty.kind == Kind::Float && ty.elem_bits == 32 && ty.lanes == 1 => Unit::MatrixF32,
        Some(ty) if ty.elem_bits == 64 => Unit::MatrixF64,
        _ => Unit::Matrix,
    }
}

/// How long a matrix multiplication takes, by the widest of the formats of A and B: 8, 6, 4 bits. MFMA: passes of four
/// cycles; gfx12.5: independent vector instructions that are executed beside it. 0: the manuals do not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Passes([u8; 3]);

impl Passes {
    /// Reads the value of `passes=`: one number, or one for each width.
    pub(super) fn parse(value: &str) -> Option<Passes> {
        let mut numbers = value.split(',').map(|number| number.parse().ok());
        let first = numbers.next()??;
        let Some(second) = numbers.next() else { return Some(Passes([first; 3])) };
        let passes = Passes([first, second?, numbers.next()??]);
        numbers.next().is_none().then_some(passes)
    }

    /// Those of an instruction.
    pub(super) fn of(self, inst: &Inst) -> u8 {
        let Mods { cbsz, blgp, .. } = inst.mods;
        // The codes of formats grow as the formats get narrower: 0 and 1 for 8 bits, 2 and 3 for 6, 4 for 4.
        match cbsz.min(blgp) {
            0 | 1 => self.0[0],
            2 | 3 => self.0[1],
            _ => self.0[2],
        }
    }
}

/// Whose lanes a vector instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Lanes {
    /// Each lane its own, but for DPP.
    #[default]
    Own,
    /// One, or one is written: `v_readlane`, `v_readfirstlane`, `v_writelane`.
    One,
    /// Rows of lanes are exchanged: `v_permlane*_swap`.
    Exchanged,
    /// Each that of another lane, which other operands name: `v_permlane*`.
    Permuted,
}

impl Lanes {
    /// What the row says.
    pub(super) fn of(row: &Row) -> Lanes {
        match &row.traits {
            traits if traits.lane || traits.lane_read => Lanes::One,
            traits if traits.swap_control => Lanes::Exchanged,
            traits if traits.lane_permute && row.attribute("relative").is_none() => Lanes::Permuted,
            _ => Lanes::Own,
        }
    }
}
