//! The cases of the shared corpus whose instructions are modelled and that are quick: each scores as its verdict asks,
//! under late, early and random completion.

use wavemark_diag::{SourceMap, render_short};
use wavemark_driver::build::Failure;
use wavemark_driver::cases::{self, Case, Prefer};
use wavemark_driver::input;
use wavemark_driver::options::{Completion, RunOptions};
use wavemark_driver::report::Report;
use wavemark_driver::run::run;
use wavemark_driver::verdict::{Score, score};

fn report(case: &Case, options: &RunOptions) -> Report {
    let mut sources = SourceMap::new();
    let input = input::read(&case.input, None).map_err(Failure::from);
    match input.and_then(|input| run(&mut sources, &input, Some(&case.launch), options)) {
        Ok(report) => report,
        Err(failure) => {
            let mut report = Report::new(case.input.display().to_string());
            match failure {
                Failure::Unusable(all) => {
                    report.diagnostics = all.iter().map(|one| render_short(&sources, one)).collect();
                }
                Failure::Unsupported(what) => report.unsupported = vec![what],
            }
            report.conclude();
            report
        }
    }
}

#[test]
fn cases_score_as_their_verdicts_ask() {
    let Some(corpus) = wavemark_corpus::shared_or_skip("corpus") else { return };
    let mut failures = Vec::new();
    for folder in ["racy/gfx950", "racy/gfx1250", "async/gfx950", "async/gfx1250"] {
        for case in cases::find(&corpus.join(folder), Prefer::Object).unwrap() {
            let name = format!("{folder}/{}", case.folder.file_name().unwrap().display());
            // A planted defect shows when data land late; a right kernel is right whenever they do.
            let planted = case.verdict.as_ref().is_some_and(|verdict| !verdict.findings.is_empty());
            let modes: &[Completion] = match planted {
                true => &[Completion::Late],
                false => &[Completion::Late, Completion::Early, Completion::Random],
            };
            for &completion in modes {
                let options = RunOptions { completion, ..RunOptions::default() };
                let score = score(case.verdict.as_ref(), &report(&case, &options));
                let known = wavemark_corpus::known_failure(&name);
                match (score, known) {
                    (Score::Fail(problems), None) => {
                        failures.push(format!("{name} {completion:?}: {}", problems.join("; ")));
                    }
                    (_, Some(reason)) => eprintln!("{name} {completion:?}: known, {reason}"),
                    _ => {}
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
