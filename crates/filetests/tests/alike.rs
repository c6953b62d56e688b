//! Launches of many workgroups that are mostly alike (`tests/alike`): that the checker is not told of each of them leaves no
//! trace in the report. The trials of a file: `same`, one thread and several say what a run says of which every event is
//! checked; `found`, what marks say is reported, and no other error.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use wavemark_driver::assembly::AssemblyOptions;
use wavemark_driver::cases::Case;
use wavemark_driver::options::{Completion, RunOptions};
use wavemark_driver::report::Severity;
use wavemark_filetests::case::{self, Ran};
use wavemark_filetests::marks::mistakes;
use wavemark_filetests::paths;
use wavemark_sim::schedule::Recorder;

fn main() {
    let arguments = Arguments::from_args();
    let folder = paths::root().join("tests/alike");
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = files
        .map(|entry| entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "s"))
        .collect();
    files.sort();
    let trials = files.into_iter().flat_map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let other = path.clone();
        [
            Trial::test(format!("{name}/same"), move || same(&path)),
            Trial::test(format!("{name}/found"), move || found(&other)),
        ]
    });
    libtest_mimic::run(&arguments, trials.collect()).exit()
}

fn run(path: &Path, options: RunOptions) -> Ran {
    let folder = paths::root().join("tests/alike");
    let launch = folder.join("many-groups.toml");
    let case = Case { folder, input: path.to_owned(), launch, verdict: None };
    let assembly = AssemblyOptions {
        include: ["tests/rules", "tests/alike"].map(|folder| paths::root().join(folder)).to_vec(),
        defines: Vec::new(),
    };
    case::run_with(&case, RunOptions { assembly, max_steps: Some(10_000), ..options })
}

fn same(path: &Path) -> Result<(), Failed> {
    for completion in [Completion::Late, Completion::Early, Completion::Random] {
        for seed in [0, 1] {
            let options = || RunOptions { completion, seed, ..RunOptions::default() };
            // A run that is recorded is no trial.
            let exact =
                run(path, RunOptions { recorder: Some(Arc::new(Recorder::default())), ..options() }).text;
            for threads in [1, 2, 3] {
                let text = run(path, RunOptions { threads: Some(threads), ..options() }).text;
                if text != exact {
                    let setting = format!("completion {completion:?}, seed {seed}, {threads} threads");
                    return Err(format!("{setting}:\n{text}\nbut checked exactly:\n{exact}").into());
                }
            }
        }
    }
    Ok(())
}

fn found(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let ran = run(path, RunOptions::default());
    let marks: Vec<_> = mistakes(&text).into_values().collect();
    for mistake in &marks {
        if !ran.report.findings.iter().any(|finding| mistake.is_met_by(finding)) {
            return Err(format!("not reported: {mistake:?}\n\n{}", ran.text).into());
        }
    }
    let mut errors = ran.report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    match errors.find(|finding| !marks.iter().any(|mistake| mistake.is_met_by(finding))) {
        Some(finding) => {
            Err(format!("nobody expects {} {}\n\n{}", finding.rule, finding.title, ran.text).into())
        }
        None => Ok(()),
    }
}
