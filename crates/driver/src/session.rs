//! A device with the sources of what is loaded into it: what a door to another language holds.
//!
//! The device knows addresses and bytes, the sources which line a diagnostic or a report speaks of; together they say in
//! words what a caller from elsewhere is told.

use std::path::Path;

use wavemark_diag::{Diagnostic, SourceMap, Style, render};
use wavemark_target::TargetId;

use crate::build::Failure;
use crate::device::{Device, ModuleId};
use crate::files::Roots;
use crate::input::{self, Lang};
use crate::options::RunOptions;
use crate::render_html::render_html;
use crate::render_text::{Parts, render_text};
use crate::report::Report;
use crate::run::source_lines;

/// A device with its sources.
#[derive(Debug, Default)]
pub struct Session {
    /// The device.
    pub device: Device,
    /// What has been read for it.
    pub sources: SourceMap,
}

impl Session {
    /// A device without memory or modules.
    pub fn new() -> Session {
        Session { device: Device::new(), sources: SourceMap::new() }
    }

    /// Loads a code object, an offload bundle or assembly that is called `name`; `target` chooses from a bundle and
    /// says what assembly is for.
    ///
    /// # Errors
    ///
    /// As of [`Device::load`].
    pub fn load(
        &mut self,
        name: &str,
        bytes: Vec<u8>,
        lang: Option<Lang>,
        target: Option<TargetId>,
    ) -> Result<ModuleId, Failure> {
        let input = input::from_bytes(name.to_owned(), Some(Path::new(name)), bytes, lang)?;
        let options = RunOptions { target, ..RunOptions::default() };
        self.device.load(&mut self.sources, &input, &options)
    }

    /// The diagnostic with the lines that it points to.
    pub fn describe(&self, diagnostic: &Diagnostic) -> String {
        render(&self.sources, diagnostic, Style::Plain)
    }

    /// Why there is no result, in words.
    pub fn explain(&self, failure: &Failure) -> String {
        match failure {
            Failure::Unusable(diagnostics) => {
                let described: Vec<String> = diagnostics.iter().map(|one| self.describe(one)).collect();
                described.join("\n")
            }
            Failure::Unsupported(what) => format!("unsupported: {what}"),
        }
    }

    /// The report for people, with the source lines of its findings.
    pub fn text(&self, report: &Report, parts: Parts) -> String {
        render_text(report, &self.lines(report), Style::Plain, parts)
    }

    /// The source lines that a report speaks of.
    pub fn lines(&self, report: &Report) -> impl Fn(&str, u32) -> Option<String> {
        source_lines(&self.sources, Roots::of_input(Some(Path::new(&report.input)), []))
    }

    /// The report as a page ([`render_html`]).
    pub fn page(&self, report: &Report) -> String {
        render_html(&[(report, &self.lines(report))])
    }
}
