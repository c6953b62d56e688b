//! Passes from tile program to tile program: software pipelining with asynchronous stages.

pub mod checker;
mod concrete;
pub mod diagram;
pub mod plan;
