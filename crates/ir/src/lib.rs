//! LLVM IR for AMDGPU: read, printed, verified, analysed.
//!
//! For: everything that works on kernels as their compilers' authors see them. [`parse`] reads the text form of LLVM 22
//! to 24 into a [`Module`] and says where everything stands ([`Places`]); [`print()`] gives it back as text that any of these
//! LLVMs reads; [`verify`](verify()) holds it against the rules of the LLVM Language Reference and of the *User Guide for
//! AMDGPU Backend*. Intrinsics are rows of a table ([`intrinsic`]).
//!
//! Promises: no input makes it panic or overflow the stack; what is refused is refused with its place; printing what was
//! read and reading it again gives the same module.
//!
//! Does not: optimise, generate code, know any file or terminal.

pub mod analysis;
pub mod attribute;
pub mod author;
pub mod barriers;
pub mod constant;
pub mod copies;
pub mod entity;
pub mod float;
pub mod function;
pub mod inst;
pub mod integer;
pub mod intrinsic;
pub mod layout;
pub mod lds;
pub mod marks;
pub mod metadata;
pub mod module;
mod names;
pub mod opcode;
mod parse;
mod places;
mod print;
pub mod target;
pub mod types;
pub mod verify;

pub use module::Module;
pub use parse::{Parsed, parse};
pub use places::Places;
pub use print::{print, print_inst};
pub use verify::verify;

/// The format of a floating-point type that is no vector.
pub(crate) fn float_format(types: &types::Types, ty: types::Type) -> Option<float::Format> {
    match types.kind(ty) {
        types::TypeKind::Half => Some(float::Format::Half),
        types::TypeKind::BFloat => Some(float::Format::BFloat),
        types::TypeKind::Float => Some(float::Format::Float),
        types::TypeKind::Double => Some(float::Format::Double),
        types::TypeKind::Fp128 => Some(float::Format::Fp128),
        _ => None,
    }
}
