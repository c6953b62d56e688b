//! The instruction table of the AMD GPU processors, and what follows from it.
//!
//! One row per instruction (module `row`) says the name, the encodings per instruction set, the operands and
//! the effects. Everything else reads the rows: decode, encode, print, parse, effects.
//! The crate knows no simulator, no compiler and no object file; it does not say what an instruction
//! computes.

pub mod inst;
pub mod operand;
pub mod row;

pub use inst::{Dpp, Form, Inst, Mods, OutMod, Sdwa, SdwaSel, SdwaUnused};
pub use operand::{Half, Operand, Reg, RegFile, Special, inline_float_bits};
pub use row::{Access, Isa, OperandSpec, RowId};
