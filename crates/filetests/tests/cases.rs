//! Every case folder of the repository, and of the shared corpus where it is, through the driver.
//!
//! Cases under `tests/` and `examples/` run under all completion modes and several seeds; where a verdict file
//! expects findings, the whole report (late completion, seed 0) is held against `report.txt` beside it. Corpus
//! cases run once, late with seed 0: `cargo xtask cases` runs them thoroughly.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use wavemark_driver::cases::{self, Case, Prefer};
use wavemark_driver::options::Completion;
use wavemark_driver::verdict::Score;
use wavemark_filetests::case::{self, Ran};
use wavemark_filetests::{expected, paths};

const OWN: &[&str] = &["tests", "examples"];
/// Sets of the corpus, each with the processors that it has kernels for.
const CORPUS: &[(&str, &[&str])] = &[
    ("triton", &["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]),
    ("clang", &["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]),
    ("iree", &["gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250"]),
    ("async", &["gfx942", "gfx950", "gfx1250"]),
    ("racy", &["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]),
];
const SEEDS: &[u64] = &[0, 1, 2];
/// What a run may take; the slowest takes seconds.
const LIMIT: Duration = Duration::from_secs(120);

fn main() {
    let arguments = Arguments::from_args();
    let root = paths::root();
    let mut trials = Vec::new();
    for folder in OWN {
        trials.extend(trials_of(&root, &root.join(folder), Prefer::Assembly, own));
    }
    match paths::shared() {
        Ok(shared) => {
            for (set, targets) in CORPUS {
                for target in *targets {
                    let folder = shared.join("corpus").join(set).join(target);
                    trials.extend(trials_of(&shared, &folder, Prefer::Object, foreign));
                }
            }
        }
        Err(skipped) => {
            println!("corpus cases {skipped}");
            trials.push(Trial::test("corpus", || Ok(())).with_ignored_flag(true));
        }
    }
    libtest_mimic::run(&arguments, trials).exit()
}

/// A trial for each case in `folder`, named by its path from `base`; a folder that cannot be read is a failure.
fn trials_of(
    base: &Path,
    folder: &Path,
    prefer: Prefer,
    check: fn(&Case) -> Result<(), Failed>,
) -> Vec<Trial> {
    let name = |path: &Path| path.strip_prefix(base).unwrap_or(path).display().to_string();
    match cases::find(folder, prefer) {
        Ok(cases) => {
            cases.into_iter().map(|case| Trial::test(name(&case.folder), move || check(&case))).collect()
        }
        Err(problem) => vec![Trial::test(name(folder), move || Err(problem.into()))],
    }
}

fn own(case: &Case) -> Result<(), Failed> {
    if case.verdict.as_ref().is_some_and(|verdict| !verdict.findings.is_empty()) {
        let ran = run(case, Completion::Late, 0)?;
        expected::check(&case.folder.join("report.txt"), &ran.text)?;
    }
    for completion in [Completion::Late, Completion::Early, Completion::Random] {
        for &seed in SEEDS {
            scored(case, completion, seed)?;
        }
    }
    Ok(())
}

/// A case that is known to fail must fail: one that passes comes off the list.
fn foreign(case: &Case) -> Result<(), Failed> {
    let result = scored(case, Completion::Late, 0);
    let folder = case.folder.components().rev().take(3).collect::<Vec<_>>();
    let name: Vec<_> = folder.iter().rev().map(|part| part.as_os_str().to_string_lossy()).collect();
    match (wavemark_corpus::known_failure(&name.join("/")), result) {
        (None, result) => result,
        (Some(_), Err(_)) => Ok(()),
        (Some(_), Ok(())) => Err("passes: take it off tests/corpus-known.txt".into()),
    }
}

fn scored(case: &Case, completion: Completion, seed: u64) -> Result<(), Failed> {
    let ran = run(case, completion, seed)?;
    match ran.score {
        Score::Pass | Score::Ambiguous(_) => Ok(()),
        Score::Fail(problems) => {
            Err(format!("completion {completion:?}, seed {seed}:\n{}\n\n{}", problems.join("\n"), ran.text)
                .into())
        }
    }
}

/// Runs the case on a thread of its own: one that never ends is left behind.
fn run(case: &Case, completion: Completion, seed: u64) -> Result<Ran, Failed> {
    let (sender, receiver) = mpsc::channel();
    let case = case.clone();
    std::thread::spawn(move || sender.send(case::run(&case, completion, seed)).is_ok());
    receiver.recv_timeout(LIMIT).map_err(|error| match error {
        mpsc::RecvTimeoutError::Timeout => {
            format!("completion {completion:?}, seed {seed}: not done after {LIMIT:?}").into()
        }
        mpsc::RecvTimeoutError::Disconnected => "internal error: a panic, see above".into(),
    })
}
