//! A functional model of AMD GPUs: dispatch, waves, memories, counters, barriers, clusters, asynchronous
//! operations.
//!
//! The crate runs the bytes of a code object and emits typed events to an observer; it never judges them.
//! A run is a pure function of code object, launch, seed, completion mode and model flags.

pub mod alu;
pub mod bind;
pub mod machine;
pub mod op;
pub mod regs;
