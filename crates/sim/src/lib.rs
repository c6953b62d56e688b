//! A functional model of AMD GPUs: dispatch, waves, memories, counters, barriers, clusters, asynchronous
//! operations.
//!
//! The crate runs the bytes of a code object and emits typed events to an observer; it never judges them.
//! A run is a pure function of code object, launch, seed, completion mode and model flags. What is not
//! modelled stops the run with its name.

pub mod address_row;
pub mod alu;
mod asked;
pub mod atomic;
pub mod barrier;
pub mod binder;
pub mod brake;
pub mod burst;
mod coverage;
pub mod dispatch;
pub mod element;
pub mod events;
pub mod fidelity;
pub mod foresight;
pub mod function;
mod gather;
pub mod global;
mod hostcall;
pub mod lanewise;
pub mod lds_copy;
pub mod lds_load;
pub mod machine;
pub mod matrix;
pub mod meaning;
mod modelled;
pub mod op;
pub mod pending;
pub mod program;
pub mod progress;
pub mod queue;
pub mod regs;
mod rows;
pub mod schedule;
pub mod shape;
pub mod transpose;

pub mod wave;

pub use coverage::Coverage;
pub use dispatch::{Dispatch, DispatchError, Kernel, dispatch};
pub use global::Global;
pub use machine::{Completion, Limit, RESIDENT_WAVES, RunConfig, RunEnd, RunStats};
pub use modelled::{NotModelled, modelled};
pub use program::Segment;
