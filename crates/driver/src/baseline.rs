//! Findings that a project accepts, each with a reason: they are told apart and do not decide how a run is judged.
//!
//! ```toml
//! [[accept]]
//! rule   = "W2"                 # which rule
//! input  = "kernels/gemm.s"     # the end of the input's path; left out: any
//! kernel = "gemm"               # left out: any
//! source = "gemm.s:41"          # a site's file and line, or an address such as 0x1a4; left out: anywhere
//! reason = "measured: the weaker wait is no faster, and the strong one survives edits"
//! ```

use std::path::Path;

use serde::Deserialize;
use wavemark_diag::{Diagnostic, FileId, Span};

use crate::report::{Accepted, Finding, Report, Site, split_source};

/// The findings that are accepted.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// One by one.
    #[serde(default)]
    accept: Vec<Accept>,
}

/// Findings that are accepted.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Accept {
    rule: String,
    input: Option<String>,
    kernel: Option<String>,
    source: Option<String>,
    reason: String,
}

/// Reads a baseline; `file` is its text in the source map.
///
/// # Errors
/// What is wrong with it, with its place.
pub fn parse(file: FileId, text: &str) -> Result<Baseline, Diagnostic> {
    let baseline: Baseline = toml::from_str(text).map_err(|error| {
        let diagnostic = Diagnostic::error(error.message().to_owned());
        match error.span() {
            Some(range) => diagnostic.at(Span::new(file, range)),
            None => diagnostic,
        }
    })?;
    match baseline.accept.iter().position(|accept| accept.reason.trim().is_empty()) {
        Some(number) => Err(Diagnostic::error(format!("entry {} has no reason", number + 1))),
        None => Ok(baseline),
    }
}

impl Baseline {
    /// Puts the accepted findings of `report` aside, each with its reason, and judges it anew.
    pub fn apply(&self, report: &mut Report) {
        let findings = std::mem::take(&mut report.findings);
        for finding in findings {
            match self.accept.iter().find(|accept| accept.means(report, &finding)) {
                Some(accept) => report.accepted.push(Accepted { reason: accept.reason.clone(), finding }),
                None => report.findings.push(finding),
            }
        }
        report.conclude();
    }

    /// What was not needed for any of `reports`, in words.
    pub fn unused(&self, reports: &[Report]) -> Vec<String> {
        let used = |accept: &&Accept| {
            reports
                .iter()
                .any(|report| report.accepted.iter().any(|known| accept.means(report, &known.finding)))
        };
        let unused = self.accept.iter().filter(|accept| !used(accept));
        unused
            .map(|accept| format!("no finding is {} of the baseline ({})", accept.name(), accept.reason))
            .collect()
    }
}

impl Accept {
    fn means(&self, report: &Report, finding: &Finding) -> bool {
        self.rule == finding.id()
            && self.input.as_ref().is_none_or(|input| Path::new(&report.input).ends_with(input))
            && self.kernel.as_ref().is_none_or(|kernel| *kernel == report.kernel)
            && self.source.as_ref().is_none_or(|place| finding.sites.iter().any(|site| is_at(site, place)))
    }

    fn name(&self) -> String {
        let place = self.source.as_ref().map(|source| format!(" at {source}")).unwrap_or_default();
        let input = self.input.as_ref().map(|input| format!(" in {input}")).unwrap_or_default();
        format!("{}{place}{input}", self.rule)
    }
}

/// Whether a site is at `place`: an address, or the file and line of its source.
fn is_at(site: &Site, place: &str) -> bool {
    if place.starts_with("0x") {
        return site.pc.is_some_and(|pc| format!("{pc:#x}") == place);
    }
    let Some((file, line)) = place.rsplit_once(':') else { return false };
    let source = site.source.as_deref().and_then(split_source);
    source.is_some_and(|(in_file, in_line, _)| {
        in_line.to_string() == line && Path::new(in_file).ends_with(file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Class, ExitStatus, Severity};
    use wavemark_diag::SourceMap;

    fn read(text: &str) -> Result<Baseline, String> {
        let file = SourceMap::new().add_text("baseline.toml", text);
        parse(file, text).map_err(|diagnostic| diagnostic.message)
    }

    fn report() -> Report {
        let mut report = Report::new("kernels/gemm.s");
        report.kernel = "gemm".to_owned();
        report.checked.waits = true;
        let site = Site { pc: Some(0x1a4), source: Some("src/gemm.s:41:3".to_owned()), ..Site::default() };
        report.findings.push(Finding {
            rule: "R4".to_owned(),
            title: String::new(),
            severity: Severity::Error,
            class: Class::MissingWait,
            instances: 1,
            sites: vec![site],
            author_hint: None,
            hint: None,
            model: None,
            proven: None,
            unsettles: None,
        });
        report.conclude();
        report
    }

    #[test]
    fn accepted_findings_do_not_decide() {
        for (entry, accepted) in [
            ("", true),
            ("input = \"gemm.s\"\nkernel = \"gemm\"\nsource = \"gemm.s:41\"", true),
            ("source = \"src/gemm.s:41\"", true),
            ("source = \"0x1a4\"", true),
            ("source = \"m.s:41\"", false),
            ("source = \"gemm.s:4\"", false),
            ("input = \"other.s\"", false),
            ("kernel = \"other\"", false),
        ] {
            let baseline =
                read(&format!("[[accept]]\nrule = \"R4\"\nreason = \"because\"\n{entry}")).unwrap();
            let mut report = report();
            baseline.apply(&mut report);
            assert_eq!(report.exit_status() == ExitStatus::Clean, accepted, "{entry}");
            assert_eq!(report.accepted.len(), usize::from(accepted), "{entry}");
            assert_eq!(baseline.unused(&[report]).is_empty(), accepted, "{entry}");
        }
    }

    #[test]
    fn a_baseline_says_why() {
        assert!(read("").is_ok());
        assert!(read("[[accept]]\nrule = \"R4\"\n").is_err());
        assert!(read("[[accept]]\nrule = \"R4\"\nreason = \" \"\n").is_err());
        assert!(read("[[accept]]\nrule = \"R4\"\nreason = \"x\"\nline = 5\n").is_err());
    }
}
