//! Passes from tile program to tile program: software pipelining with asynchronous stages.

mod concrete;
pub mod diagram;
pub mod plan;
