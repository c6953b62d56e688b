//! The RFC's examples and the interpreter's semantics, on programs built by hand.

mod build;
mod pipelines;
mod values;
