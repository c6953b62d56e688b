//! The instruction table of the AMD GPU processors, and what follows from it.
//!
//! One row per instruction (module `row`) says the name, the encodings per instruction set, the operands and
//! the effects. Everything else reads the rows: decode, encode, print, parse, effects.
//! The crate knows no simulator, no compiler and no object file; it does not say what an instruction
//! computes.

pub mod buffer_format;
pub mod cache_policy;
pub mod code;
pub mod decode;
pub mod effects;
pub mod encode;
pub(crate) mod export;
pub mod expr;
pub mod form;
pub mod format;
pub(crate) mod image;
pub mod inst;
mod matrix;
mod meaning;
pub(crate) mod memory;
pub mod modifier;
pub mod named;
mod number;
pub mod operand;
pub mod pair;
pub mod parse;
pub mod print;
pub mod role;
pub mod row;
mod scalar;
pub mod shape;
pub mod swizzle;
pub mod table;
pub mod ty;
pub(crate) mod vector;

pub use decode::{DecodeError, decode, decode_as_executed};
pub use effects::{Effects, effects};
pub use encode::{EncodeError, InstBytes, encode};
pub use expr::{Expr, NoSymbols, Resolved, SymbolResolver};
pub use form::Form;
pub use inst::{Dpp, Inst, Mods, OutMod, Sdwa, SdwaSel, SdwaUnused};
pub use meaning::Meaning;
pub use operand::{Half, Operand, Reg, RegFile, RegList, Special, inline_float_bits};
pub use parse::{Fixup, FixupKind, ParseError, Parsed, parse};
pub use print::{print, print_into};
pub use row::{Access, Encoding, OperandSpec, Row, RowId};
pub use shape::Shape;
pub use table::Table;
pub use wavemark_target::Machine;
