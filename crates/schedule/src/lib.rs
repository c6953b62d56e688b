//! Passes from tile program to tile program: software pipelining with asynchronous stages.

pub mod checker;
