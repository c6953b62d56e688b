//! Arithmetic: every instruction that touches only the registers of its wave.
//!
//! [`bind`] turns a decoded instruction into an [`Op`] whose body does the whole wave at once. What an
//! instruction computes is said in one line of a family's table (`vop_*`, `compare`, `salu_*`, `branch`…); the
//! tables are joined here and found by key ([`crate::meaning`]). Memory, waits, barriers, messages and matrix instructions are
//! not here.
//!
//! How it works: [`lane`] makes a whole-wave body from a function of one lane, [`host`] compiles it for the
//! host's vector levels, [`spread`] brings sources that are not rows of registers into such, [`modified`] applies
//! operand and result modifiers around an unmodified body, [`exceptions`] records what operations raise where that is read,
//! [`scalar`] does the same for scalar instructions.

use crate::binder::{BindError, Binder};
use crate::op::Op;

#[macro_use]
mod macros;

mod branch;
mod compare;
mod convert;
mod def;
mod dot;
pub(crate) mod exceptions;
mod host;
mod interp;
mod lane;
mod lanes;
mod mix;
mod modified;
mod modifiers;
mod narrow;
mod pair;
mod salu_bits;
mod salu_float;
mod salu_int;
mod scalar;
mod spread;
mod vop_b16;
mod vop_bits;
mod vop_f16;
mod vop_f32;
mod vop_f64;
mod vop_int;
mod wide;
mod word;

#[cfg(test)]
mod tests;

pub use host::{Level, level, levels, limit_level};
pub(crate) use host::{leveled, size};

use smallvec::SmallVec;

pub use def::Def;
use def::Line;

/// Modifiers of a vector operation that leaves the fast path, and other things that one operation in many
/// needs.
pub enum AluDetail {
    /// A vector operation with modifiers.
    Modified(Box<modified::Wrapped>),
    /// A vector operation with sources that are not rows of registers.
    Spread(spread::Spread),
    /// An operation whose exceptions are recorded.
    Recorded(Box<exceptions::Recorded>),
    /// An operation of which nobody says what it raises.
    Opening {
        /// It.
        inner: Op,
        /// Its name.
        mnemonic: &'static str,
        /// MODE.DX10_CLAMP suppresses exceptions.
        suppressible: bool,
    },
    /// A scalar operation that reads SCC, VCCZ or EXECZ as an operand.
    Status {
        /// The operation, its source at the place of the status bit.
        inner: Op,
        /// Which of them.
        which: wavemark_isa::Special,
    },
    /// A scalar operation with modifiers.
    ModifiedScalar(Box<scalar::ModifiedScalar>),
    /// Two instructions issued together (VOPD).
    Pair {
        /// The X half.
        x: Op,
        /// The Y half.
        y: Op,
        /// How their reads and writes are kept apart.
        order: pair::Order,
    },
}

/// The lines of all families: each key once.
pub const FAMILIES: &[&[Line]] = &[
    branch::TABLE,
    compare::F16,
    compare::F32,
    compare::F64,
    compare::I16,
    compare::U16,
    compare::I32,
    compare::U32,
    compare::I64,
    compare::U64,
    compare::CLASS,
    convert::TABLE,
    dot::TABLE,
    interp::TABLE,
    lanes::TABLE,
    narrow::TABLE,
    salu_bits::TABLE,
    salu_float::TABLE,
    salu_float::COMPARES,
    salu_int::TABLE,
    vop_b16::TABLE,
    vop_bits::TABLE,
    vop_f16::TABLE,
    vop_f32::TABLE,
    vop_f64::TABLE,
    vop_int::TABLE,
];

/// The operation of an instruction that computes `def`.
///
/// # Errors
/// [`BindError::Unsupported`] names the instruction and the operand form or modifier that has no model;
/// [`BindError::RegisterRange`] a register beyond the allocation.
pub fn bind(binder: &mut Binder<'_>, def: &Def) -> Result<Op, BindError> {
    match &binder.inst.second {
        None => bind_single(binder, def),
        Some(second) => pair::bind(binder, def, second),
    }
}

/// The most parts of one operation ([`parts`]): a pair, each half with a move for both registers of each of its sources.
pub const MOST_PARTS: usize = 2 * (3 * 2 + 1);

/// What `op`, of a wave of so many chunks, consists of in a line ([`Op::goes_on`]), one behind the other: the halves of a
/// pair, the moves of sources that are not rows. All but the last go on.
pub fn parts(op: &Op, chunks: usize) -> SmallVec<[Op; MOST_PARTS]> {
    if let Some([first, second]) = pair::halves(op) {
        let mut all = parts(first, chunks);
        if all.last().is_some_and(|op| op.goes_on) {
            all.extend(parts(second, chunks));
            return all;
        }
    }
    if let Some(all) = spread::parts(op, chunks) {
        return all.collect();
    }
    match modified::parts(op, chunks) {
        Some(all) => all.collect(),
        None => SmallVec::from_iter([op.clone()]),
    }
}

/// As [`bind`], for one half of a pair or an instruction that is none.
///
/// # Errors
/// As [`bind`].
pub fn bind_single(binder: &mut Binder<'_>, def: &Def) -> Result<Op, BindError> {
    let mnemonic = binder.inst.row(binder.machine).mnemonic;
    match def {
        Def::Vector(def) => def::bind_vector(binder, mnemonic, def),
        Def::Scalar(def) => scalar::bind_scalar(binder, mnemonic, def),
    }
}
