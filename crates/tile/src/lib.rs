//! The tile level: TVM's TIR with blocks, buffers and asynchronous scopes.
//!
//! For: the front end (which makes these programs from TVMScript), the scheduler (which pipelines them) and the
//! doors (which print and execute them). Follows the TVMScript that TVM 0.17 to 0.27 print and the
//! asynchronous-pipeline RFC for the meaning of the `async_*` scopes.
//!
//! Promises: nothing here panics on a program that [`verify`] accepts.

pub mod arith;
mod dtype;
mod equal;
mod expr;
pub mod fold;
mod function;
pub mod interp;
mod print;
pub mod regions;
mod simplify;
mod stmt;
mod verify;

pub use dtype::{Dtype, Element};
pub use equal::{Comparison, Difference, first_difference};
pub use expr::{BinaryOp, BufferId, Call, Expr, Indices, Load, VarId};
pub use function::{Buffer, Dialect, Function, Module, Param, Var};
pub use print::{print, print_expr, print_region};
pub use simplify::simplify;
pub use stmt::{
    Annotation, Annotations, Axis, AxisKind, Block, For, ForKind, MatchBuffer, Range, Ranges, Region, Stmt,
    Store,
};
pub use verify::verify;
