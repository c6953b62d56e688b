//! Reports as JUnit's XML, which build servers show as tests: one suite an input, one case a kernel run.
//!
//! Findings that count as errors and outputs that differ are failures; an input that cannot be used and something that
//! is not modelled are errors. Other findings stand in the case's output.

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use wavemark_diag::Style;

use crate::render_text::{Parts, SourceLine, render_text};
use crate::report::{Outcome, Report};

/// The reports of a command, each with its source lines.
///
/// # Errors
/// The XML cannot be written.
pub fn render_junit(reports: &[(&Report, SourceLine<'_>)]) -> Result<String, String> {
    let mut junit = Junit::new("wavemark");
    for &(report, lines) in reports {
        let name = if report.kernel.is_empty() { "input" } else { &report.kernel };
        let text = render_text(report, lines, Style::Plain, Parts::All);
        let mut case = TestCase::new(name, status(report, &text));
        case.set_classname(report.input.as_str());
        case.set_time(std::time::Duration::try_from_secs_f64(report.stats.seconds).unwrap_or_default());
        if matches!(case.status, TestCaseStatus::Success { .. }) {
            case.set_system_out(text);
        }
        let mut suite = TestSuite::new(report.input.as_str());
        suite.add_test_case(case);
        junit.add_test_suite(suite);
    }
    junit.to_string().map_err(|error| error.to_string())
}

fn status(report: &Report, text: &str) -> TestCaseStatus {
    let kind = match report.outcome {
        Outcome::Clean | Outcome::NothingToCheck => return TestCaseStatus::success(),
        Outcome::NotChecked if !report.lacks_an_answer() => return TestCaseStatus::success(),
        Outcome::Findings | Outcome::Mismatch => NonSuccessKind::Failure,
        Outcome::NotChecked | Outcome::Unsupported | Outcome::Error => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    let first = report.findings.iter().map(|finding| format!("{}: {}", finding.id(), finding.title)).next();
    let first = first.or_else(|| report.reasons().next()).unwrap_or_else(|| report.outcome.name().to_owned());
    status.set_type(report.outcome.name()).set_message(first).set_description(text);
    status
}
