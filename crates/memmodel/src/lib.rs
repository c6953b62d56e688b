//! Definitions of what asynchronous operations promise, over all paths of a program.
//!
//! Nothing here knows an instruction or executes one: operations, classes and waits are numbers that the caller gives a
//! meaning. Modules:
//!
//! * [`flow`]: control flow graphs, and the fixed point of a function over them;
//! * [`counters`]: which operations may be in flight where, by wait counters;
//! * [`asyncmark`]: marks behind asynchronous operations, and waits for them, through calls;
//! * [`barrier`]: barriers, by the axioms and by machines;
//! * [`retirement`]: what a wait for marks needs of the counters of a target.

pub mod asyncmark;
pub mod barrier;
pub mod counters;
pub mod flow;
pub mod litmus;
pub mod retirement;
pub mod scope;
