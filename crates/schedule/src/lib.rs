//! Passes from tile program to tile program, and what judges them.
//!
//! [`plan`] turns a request for stages into annotations, [`pipeline`] executes the annotations, [`checker`] proves the
//! waits of any pipelined program (it shares nothing with the pass), [`diagram`] draws one.

pub mod checker;
mod concrete;
pub mod diagram;
pub mod pipeline;
pub mod plan;
