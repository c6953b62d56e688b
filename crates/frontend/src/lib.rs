//! TVMScript (Python syntax) to tile programs.
//!
//! For: the doors, which give it the text of a module a TVM user wrote or printed. [`parse`] reads both dialects:
//! the old one (TVM up to 0.22: `tir`, `T.block`, `T.alloc_buffer`) and the new one (from 0.25: `tirx`, `T.sblock`,
//! `T.sblock_alloc_buffer`). It evaluates the text as TVM's own parser does: Python values stay Python values until
//! an operator or a place in the program makes an expression of them, operators convert and fold as TVM's do, blocks
//! get their implicit root and their missing regions.
//!
//! Promises: no input makes it panic or overflow the stack; every refusal has the place in the Python text, what was
//! found and what is expected; a construct that the tile level cannot express is `unsupported: …` with its name.
//! Does not: run Python (no imports, no calls of user functions, no comprehensions), check that accesses are in
//! bounds, or verify the module beyond what it needs to build it.
//!
//! The way through: [`parse`] → `limits` (is it small enough to parse) → ruff's parser → `module` (imports, classes,
//! functions) → `function` (signature, root block) → `suite` (statements; assignments in `assign`, branches in
//! `conditional`, loops in `loops`, blocks in `block`) → `expr` (Python expressions to `value`s; operators in
//! `operators`, `T.` functions in `intrinsics` and `calls`, what the program makes of a value in `convert`).

mod annotations;
mod arguments;
mod assign;
mod block;
mod buffers;
mod builtins;
mod calls;
mod conditional;
mod context;
mod convert;
mod expr;
mod function;
mod intrinsics;
mod limits;
mod loops;
mod module;
mod names;
mod operators;
mod python;
mod regions;
mod scalars;
mod scope;
mod suite;
mod unsupported;
mod value;

use wavemark_diag::{Diagnostic, FileId};
use wavemark_tile::Module;

/// Reads a TVMScript module, or a bare `@T.prim_func`, which becomes a module of one function.
///
/// # Errors
/// Everything found wrong with the text (at least one diagnostic of severity error, in the order of the text as far
/// as it was understood; at most a hundred).
pub fn parse(file: FileId, text: &str) -> Result<Module, Vec<Diagnostic>> {
    module::parse(file, text)
}
