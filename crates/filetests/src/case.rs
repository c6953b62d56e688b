//! Runs a case through the driver, as `wavemark run` and `wavemark check` would, and keeps the report.

use std::path::Path;

use wavemark_diag::{SourceMap, Style, render_short};
use wavemark_driver::build::Failure;
use wavemark_driver::cases::Case;
use wavemark_driver::files::Roots;
use wavemark_driver::input::{self, Input};
use wavemark_driver::options::{Completion, RunOptions};
use wavemark_driver::report::Report;
use wavemark_driver::run::{self, source_lines};
use wavemark_driver::verdict::{Score, Verdict, score};
use wavemark_driver::{Parts, render_text};

/// Schedules of a case whose defect only some of them show.
const SCHEDULES: u32 = 16;

/// A case's outcome under one setting.
#[derive(Debug)]
pub struct Ran {
    /// The report.
    pub report: Report,
    /// It, as `wavemark run` prints it, but for the time that it took.
    pub text: String,
    /// How it stands to the case's verdict file.
    pub score: Score,
}

/// Runs `case` with asynchronous operations landing as `completion` says and everything random drawn from `seed`; with
/// odd seeds on two threads, of which the report must show nothing.
pub fn run(case: &Case, completion: Completion, seed: u64) -> Ran {
    let threads = Some(1 + u32::from(!seed.is_multiple_of(2)));
    run_with(case, RunOptions { completion, seed, threads, ..RunOptions::default() })
}

/// Runs `case` as `options` say, but for the number of schedules.
pub fn run_with(case: &Case, options: RunOptions) -> Ran {
    let schedules =
        if case.verdict.as_ref().is_some_and(|verdict| verdict.schedule_dependent) { SCHEDULES } else { 1 };
    let options = RunOptions { schedules, ..options };
    let run = |sources: &mut SourceMap, input: &Input| run::run(sources, input, Some(&case.launch), &options);
    judged(&case.input, case.verdict.as_ref(), run)
}

/// Checks `case` as `wavemark check` does: so many schedules, and all paths.
pub fn check(case: &Case, schedules: u32) -> Ran {
    let options = RunOptions { schedules, ..RunOptions::default() };
    judged(&case.input, case.verdict.as_ref(), |sources, input| {
        Ok(run::check(sources, input, Some(&case.launch), &options)?.remove(0))
    })
}

/// Checks the code of the one kernel in `path` as `wavemark check` does where there is no launch.
pub fn without_launch(path: &Path, options: &RunOptions) -> Ran {
    judged(path, None, |sources, input| Ok(run::check(sources, input, None, options)?.remove(0)))
}

fn judged(
    path: &Path,
    verdict: Option<&Verdict>,
    judge: impl FnOnce(&mut SourceMap, &Input) -> Result<Report, Failure>,
) -> Ran {
    let mut sources = SourceMap::new();
    let mut report = report(path, &mut sources, judge);
    report.stats.seconds = 0.0;
    let score = score(verdict, &report);
    let lines = source_lines(&sources, Roots::of_input(Some(path), []));
    let text = render_text(&report, &lines, Style::Plain, Parts::All);
    drop(lines);
    Ran { report, text, score }
}

/// The report names the input by its file name alone, so that it is the same wherever the repository is.
fn report(
    path: &Path,
    sources: &mut SourceMap,
    judge: impl FnOnce(&mut SourceMap, &Input) -> Result<Report, Failure>,
) -> Report {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let mut report = Report::new(name);
            report.diagnostics = vec![format!("cannot read {}: {error}", path.display())];
            report.conclude();
            return report;
        }
    };
    let input = input::from_bytes(name.clone(), Some(path), bytes, None).map_err(Failure::from);
    match input.and_then(|input| judge(sources, &input)) {
        Ok(report) => report,
        Err(failure) => {
            let mut report = Report::new(name);
            match failure {
                Failure::Unusable(diagnostics) => {
                    report.diagnostics =
                        diagnostics.iter().map(|diagnostic| render_short(sources, diagnostic)).collect();
                }
                Failure::Unsupported(what) => report.unsupported = vec![what],
            }
            report.conclude();
            report
        }
    }
}
