//! The pipelines of Wavemark as library calls: read inputs and launch files, run, check, compare, report.
//!
//! Promises: nothing here prints, exits, reads the environment or starts threads of its own accord; bad input is a
//! [`wavemark_diag::Diagnostic`] or a typed error. The formats follow the project's interfaces to the letter.

pub mod assembly;
mod author;
pub mod baseline;
pub mod batch;
pub mod build;
pub mod campaign;
pub mod cases;
pub mod compare;
pub mod compile;
pub mod device;
mod document;
mod execution;
pub mod files;
mod findings;
pub mod input;
pub mod ir;
pub mod kernarg;
pub mod kernel;
pub mod launch;
pub mod lines;
pub mod litmus;
pub mod npy;
pub mod objects;
mod observers;
pub mod options;
pub mod places;
mod printf;
mod recorder;
pub mod recording;
mod render_html;
mod render_junit;
mod render_sarif;
mod render_text;
pub mod report;
pub mod rules;
pub mod run;
pub mod schedules;
pub mod session;
pub mod side_by_side;
mod statics;
pub mod tile;
pub mod trace;
pub mod verdict;
mod without_finder;

pub use wavemark_diag::{SourceMap, render_short};
pub use wavemark_tile::Dialect;

pub use findings::parse_model;
pub use render_html::{pictures, render_html};
pub use render_junit::render_junit;
pub use render_sarif::render_sarif;
pub use render_text::{Parts, SourceLine, render_text};
pub use wavemark_check::READINGS;
