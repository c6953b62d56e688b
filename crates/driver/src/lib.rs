//! The pipelines of Wavemark as library calls: read inputs and launch files, run, check, compare, report.
//!
//! Promises: nothing here prints, exits, reads the environment or starts threads of its own accord; bad input is a
//! [`wavemark_diag::Diagnostic`] or a typed error. The formats follow the project's interfaces to the letter.

mod document;
pub mod dtype;
pub mod launch;
pub mod npy;
