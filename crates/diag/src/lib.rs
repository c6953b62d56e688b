//! Diagnostics as data: what is wrong, where, and what would help.
//!
//! For: every crate that reads something a user wrote. A reader adds its input to a [`SourceMap`], reports
//! [`Diagnostic`]s that point into it by [`Span`], and prints nothing; a door (the command line) calls
//! [`render`] or [`render_short`].
//!
//! Promises: no function here panics on any span, even one that lies outside its file or inside a character.
//! Does not: decide exit statuses, collect or sort.

mod diagnostic;
mod render;
mod source;
mod suggest;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use render::{Style, render, render_short};
pub use source::{FileId, LineColumn, SourceFile, SourceMap, Span};
pub use suggest::nearest;
