//! Definitions of what asynchronous operations, barriers and scopes promise, as code that runs.
//!
//! Nothing here knows an instruction of a table or executes a kernel: operations, classes and waits are numbers that the
//! caller gives a meaning. Modules:
//!
//! * [`flow`]: control flow graphs, and the fixed point of a function over them;
//! * [`counters`]: which operations may be in flight where, by wait counters;
//! * [`asyncmark`]: marks behind asynchronous operations, and waits for them, through calls;
//! * [`retirement`]: what a wait for marks needs of the counters of a target;
//! * [`barrier`]: barriers, by the axioms and by machines;
//! * [`scope`]: synchronization scopes, and where threads stand in them;
//! * [`caches`]: the machine's side of scopes: caches, write-backs, invalidates;
//! * [`litmus`]: small programs, all their executions, and the verdict.

#![forbid(unsafe_code)]

pub mod asyncmark;
pub mod barrier;
pub mod caches;
pub mod counters;
pub mod flow;
pub mod litmus;
pub mod retirement;
pub mod scope;
