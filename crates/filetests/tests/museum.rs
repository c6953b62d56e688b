//! The museum (`examples/museum`): published asynchronous bugs, each as a kernel with the bug (`bug.s`), one with its
//! fix (`fix.s`), and one launch file for both.
//!
//! What must be found stands in `bug.s` itself, in comments behind `<<<` on the lines that the finding must name (the
//! museum's README says how). Four trials a folder, each under all completion modes and several seeds:
//!
//! * `found`: every mark is met, with its rule, class, lines and wait;
//! * `once`: there are as many errors, or advice by the rules of the marks, as there are mistakes;
//! * `checked`: so it is where several schedules and all paths are checked;
//! * `report`: what is said of it under late completion is what `report.txt` has;
//! * `fix`: nothing at all is reported of the fixed kernel, and what it computes is right; nor is anything wrong on its other
//!   paths.
//!
//! What the checker cannot do yet is listed in `gaps.txt`; a trial that is listed and passes comes off the list.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use wavemark_driver::cases::Case;
use wavemark_driver::options::{Completion, RunOptions};
use wavemark_driver::report::{ExitStatus, Finding, Severity};
use wavemark_filetests::case::{self, Ran};
use wavemark_filetests::marks::{Mistake, mistakes};
use wavemark_filetests::{expected, paths};

const COMPLETIONS: &[Completion] = &[Completion::Late, Completion::Early, Completion::Random];
const SEEDS: &[u64] = &[0, 1, 2, 3];

fn main() {
    let arguments = Arguments::from_args();
    let museum = paths::root().join("examples/museum");
    let gaps = read(&museum.join("gaps.txt"));
    let gaps: BTreeSet<String> = gaps
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&museum)
        .unwrap_or_else(|error| panic!("{}: {error}", museum.display()))
        .map(|entry| entry.expect("an entry of the museum").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let mut trials = Vec::new();
    let mut names = BTreeSet::new();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let checks: [(&str, fn(&Path) -> Result<(), Failed>); 5] =
            [("found", found), ("once", once), ("checked", checked), ("fix", fix), ("report", report)];
        for (what, check) in checks {
            let (trial, folder) = (format!("{name}/{what}"), folder.clone());
            let gap = gaps.contains(&trial);
            names.insert(trial.clone());
            trials.push(Trial::test(trial, move || match (gap, check(&folder)) {
                (false, result) => result,
                (true, Err(_)) => Ok(()),
                (true, Ok(())) => Err("passes: take it off examples/museum/gaps.txt".into()),
            }));
        }
    }
    let strangers: Vec<_> = gaps.difference(&names).cloned().collect();
    trials.push(Trial::test("gaps", move || match strangers.as_slice() {
        [] => Ok(()),
        strangers => Err(format!("no such trials: {}", strangers.join(", ")).into()),
    }));
    libtest_mimic::run(&arguments, trials).exit()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn found(folder: &Path) -> Result<(), Failed> {
    let mistakes = mistakes(&read(&folder.join("bug.s")));
    if mistakes.is_empty() {
        return Err("bug.s has no marks".into());
    }
    each_setting(folder, "bug.s", |ran| {
        let is_error = mistakes.values().any(|mistake| mistake.severity == Some(Severity::Error));
        let status = if is_error { ExitStatus::Findings } else { ExitStatus::Clean };
        if ran.report.exit_status() != status {
            return Err(format!("outcome {}", ran.report.outcome.name()));
        }
        for (number, mistake) in &mistakes {
            if !ran.report.findings.iter().any(|finding| mistake.is_met_by(finding)) {
                return Err(format!("mistake {number} is not reported: {mistake:?}"));
            }
        }
        Ok(())
    })
}

fn once(folder: &Path) -> Result<(), Failed> {
    let mistakes = mistakes(&read(&folder.join("bug.s")));
    each_setting(folder, "bug.s", |ran| as_many(ran, &mistakes))
}

fn checked(folder: &Path) -> Result<(), Failed> {
    let mistakes = mistakes(&read(&folder.join("bug.s")));
    let ran = case::check(&case_of(folder, "bug.s"), 8);
    Ok(as_many(&ran, &mistakes).map_err(|problem| format!("{problem}\n\n{}", ran.text))?)
}

/// Whether there are as many errors, or advice by the rules of the mistakes, as there are mistakes.
fn as_many(ran: &Ran, mistakes: &BTreeMap<String, Mistake>) -> Result<(), String> {
    let counts = |finding: &&Finding| {
        finding.severity == Severity::Error || mistakes.values().any(|mistake| mistake.rule == finding.rule)
    };
    match (ran.report.findings.iter().filter(counts).count(), mistakes.len()) {
        (count, wanted) if count == wanted => Ok(()),
        (count, wanted) => Err(format!("{count} findings for {wanted} mistakes")),
    }
}

fn fix(folder: &Path) -> Result<(), Failed> {
    let paths = case::without_launch(&folder.join("fix.s"), &RunOptions::default());
    if paths.report.findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(format!("the fix is wrong on some path\n\n{}", paths.text).into());
    }
    each_setting(folder, "fix.s", |ran| {
        let report = &ran.report;
        if report.exit_status() != ExitStatus::Clean || !report.findings.is_empty() {
            return Err("the fix is not clean".to_owned());
        }
        if report.outputs.is_empty() || report.outputs.iter().any(|output| !output.matches) {
            return Err("the fix does not compute what it should".to_owned());
        }
        Ok(())
    })
}

fn report(folder: &Path) -> Result<(), Failed> {
    let ran = case::run(&case_of(folder, "bug.s"), Completion::Late, 0);
    Ok(expected::check(&folder.join("report.txt"), &ran.text)?)
}

fn case_of(folder: &Path, file: &str) -> Case {
    Case {
        folder: folder.to_owned(),
        input: folder.join(file),
        launch: folder.join("launch.toml"),
        verdict: None,
    }
}

/// Runs `file` under every setting; the first problem is reported with the setting and the whole report.
fn each_setting(folder: &Path, file: &str, check: impl Fn(&Ran) -> Result<(), String>) -> Result<(), Failed> {
    let case = case_of(folder, file);
    for &completion in COMPLETIONS {
        for &seed in SEEDS {
            let ran = case::run(&case, completion, seed);
            if let Err(problem) = check(&ran) {
                return Err(
                    format!("completion {completion:?}, seed {seed}: {problem}\n\n{}", ran.text).into()
                );
            }
        }
    }
    Ok(())
}
