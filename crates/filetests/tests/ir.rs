//! LLVM IR that is executed: kernels with their launch and what must come of them in one file (`tests/ir/run`), the
//! kernels of the corpus, and comparisons of IR with code that was miscompiled (`tests/ir/compare`).
//!
//! In a file of `tests/ir/run`, lines that begin with `;! ` are the launch file. Each mark
//! ([`wavemark_filetests::marks`]) must be met, by one finding, and no error may be found without one; without marks the
//! outputs must be as expected. A line `; refused: PLACE: TEXT` says what the run must stop at. Every file is run under all
//! completion modes and several seeds, each time by as many schedules as a line `; schedules: N` says, or by one. Those that
//! come out as expected are run again as an adversary reads the rules of convergence: the outputs are the same, unless
//! `; adversarial: differs` says that they are not.
//!
//! Files of `tests/ir/check` are checked without a launch. A line that ends with `; right` stands in the right kernel alone,
//! one that ends with `; wrong` in the wrong one: each mark must be met in the wrong one, where no error may be found without
//! one, and nothing in the right one. A line `; not checked: TEXT` says, of a file without marks, what is not followed.
//!
//! In `tests/ir/compare`, `NAME.ll` (with its launch, as above) stands beside `NAME.s`, the code made of it, with the symbol
//! `WRONG`: 0 for what is right, 1 for what is not. The last store of either side to what differs is on a line with
//! `<<< differs`; what the code stores elsewhere instead, on one with `<<< elsewhere`.

use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use wavemark_corpus::shared_or_skip;
use wavemark_diag::{SourceMap, render_short};
use wavemark_driver::assembly::AssemblyOptions;
use wavemark_driver::build::Failure;
use wavemark_driver::input;
use wavemark_driver::ir::compare::{Compared, compare};
use wavemark_driver::options::{Completion, Converge, RunOptions};
use wavemark_driver::report::{ExitStatus, Finding, Report, Severity};
use wavemark_driver::run;
use wavemark_filetests::marks::mistakes;
use wavemark_filetests::paths::root;

const SETTINGS: [(Completion, u64); 5] = [
    (Completion::Late, 0),
    (Completion::Early, 0),
    (Completion::Random, 1),
    (Completion::Random, 2),
    (Completion::Late, 3),
];

/// Kernels of the corpus that must come out as expected, by target.
const CORPUS: [(&str, usize); 2] = [("gfx950", 49), ("gfx1250", 62)];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = files(&root().join("tests/ir/run"))
        .into_iter()
        .map(|path| Trial::test(format!("run/{}", stem(&path)), move || runs(&path)))
        .collect();
    trials.extend(
        files(&root().join("tests/ir/check"))
            .into_iter()
            .map(|path| Trial::test(format!("check/{}", stem(&path)), move || checks(&path))),
    );
    trials.extend(
        files(&root().join("tests/ir/compare"))
            .into_iter()
            .map(|path| Trial::test(format!("compare/{}", stem(&path)), move || compares(&path))),
    );
    for (target, count) in CORPUS {
        trials.push(Trial::test(format!("corpus/{target}"), move || corpus(target, count)));
    }
    libtest_mimic::run(&arguments, trials).exit()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ll"));
    paths.sort();
    paths
}

/// The launch file that a test's lines are, in a folder of its own.
fn launch(path: &Path, text: &str) -> Result<PathBuf, Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ir");
    std::fs::create_dir_all(&folder)?;
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(";! ")).collect();
    let launch = folder.join(format!("{}.toml", stem(path)));
    std::fs::write(&launch, lines.join("\n"))?;
    Ok(launch)
}

/// The report of a run, or why there is none.
fn report(path: &Path, launch: &Path, options: &RunOptions) -> Result<Report, Failed> {
    let mut sources = SourceMap::new();
    let input = input::read(path, None).map_err(|diagnostic| render_short(&sources, &diagnostic))?;
    run::run(&mut sources, &input, Some(launch), options).map_err(|failure| said(&sources, failure))
}

fn said(sources: &SourceMap, failure: Failure) -> Failed {
    match failure {
        Failure::Unusable(diagnostics) => {
            diagnostics.iter().map(|one| render_short(sources, one)).collect::<Vec<_>>().join("\n").into()
        }
        Failure::Unsupported(what) => format!("unsupported: {what}").into(),
    }
}

fn runs(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let launch = launch(path, &text)?;
    let mistakes = mistakes(&text);
    let refused = text.lines().find_map(|line| line.strip_prefix("; refused: "));
    let schedules = text.lines().find_map(|line| line.strip_prefix("; schedules: "));
    let schedules = schedules.map_or(Ok(1), str::parse)?;
    for (completion, seed) in SETTINGS {
        let options = RunOptions { completion, seed, schedules, ..RunOptions::default() };
        let report = report(path, &launch, &options)?;
        let wrong = |what: String| -> Result<(), Failed> {
            Err(format!("{completion:?}, seed {seed}: {what}\n{report:#?}").into())
        };
        if let Some(refused) = refused {
            if report.exit_status() != ExitStatus::Unsupported
                || !report.unsupported.iter().any(|what| what.ends_with(refused))
            {
                return wrong(format!("not refused as `{refused}`"));
            }
            continue;
        }
        for (number, mistake) in &mistakes {
            if !report.findings.iter().any(|finding| mistake.is_met_by(finding)) {
                return wrong(format!("mark {number} is not met"));
            }
        }
        let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let unmarked = |finding: &&_| !mistakes.values().any(|mistake| mistake.is_met_by(finding));
        if let Some(finding) = errors.into_iter().find(unmarked) {
            return wrong(format!("found without a mark: {}", finding.title));
        }
        let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
        if errors > mistakes.len() {
            return wrong(format!("{errors} errors for {} mistakes", mistakes.len()));
        }
        let status = if mistakes.is_empty() { ExitStatus::Clean } else { ExitStatus::Findings };
        let unexpected = report.outputs.iter().any(|output| !output.matches);
        if report.exit_status() != status || unexpected {
            return wrong(format!("exit status {:?}", report.exit_status()));
        }
    }
    if refused.is_some() || !mistakes.is_empty() {
        return Ok(());
    }
    let adversarial = text.lines().find_map(|line| line.strip_prefix("; adversarial: "));
    let differs = match adversarial {
        None | Some("the same") => false,
        Some("differs") => true,
        Some(other) => return Err(format!("adversarial: `{other}`").into()),
    };
    let mut differed = false;
    for (completion, seed) in SETTINGS {
        let options =
            RunOptions { completion, seed, converge: Converge::Adversarial, ..RunOptions::default() };
        let report = report(path, &launch, &options)?;
        let same = report.exit_status() == ExitStatus::Clean;
        differed |= !same;
        if !same && !differs {
            return Err(format!("adversarial, {completion:?}, seed {seed}:\n{report:#?}").into());
        }
    }
    if differed == differs { Ok(()) } else { Err("lanes that go alone make no difference".into()) }
}

fn checks(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let of = |without: &str| -> Result<Report, Failed> {
        let lines: Vec<&str> =
            text.lines().map(|line| if line.ends_with(without) { "" } else { line }).collect();
        let mut sources = SourceMap::new();
        let input = input::from_bytes(stem(path) + ".ll", Some(path), lines.join("\n").into_bytes(), None);
        let input = input.map_err(|diagnostic| render_short(&sources, &diagnostic))?;
        let reports = run::check(&mut sources, &input, None, &RunOptions::default());
        let [report] = <[Report; 1]>::try_from(reports.map_err(|failure| said(&sources, failure))?)
            .map_err(|reports| format!("{} reports", reports.len()))?;
        Ok(report)
    };
    let is_finding = |finding: &&Finding| finding.severity > Severity::Advice;
    let mistakes = mistakes(&text.replace("; wrong", ""));
    let (wrong, right) = (of("; right")?, of("; wrong")?);
    for (number, mistake) in &mistakes {
        if !wrong.findings.iter().any(|finding| mistake.is_met_by(finding)) {
            return Err(format!("mark {number} is not met\n{wrong:#?}").into());
        }
    }
    let unmarked = |finding: &&Finding| !mistakes.values().any(|mistake| mistake.is_met_by(finding));
    if let Some(finding) = wrong.findings.iter().filter(is_finding).find(unmarked) {
        return Err(format!("found without a mark: {finding:#?}").into());
    }
    if let Some(finding) = right.findings.iter().find(is_finding) {
        return Err(format!("found in the right kernel: {finding:#?}").into());
    }
    let open: Vec<String> =
        text.lines().filter_map(|line| Some(line.strip_prefix("; not checked: ")?.to_owned())).collect();
    let of_asked = |report: &Report| {
        let asked = report.not_checked.iter().filter(|not| ["barriers", "lds"].contains(&&*not.rule));
        asked.map(ToString::to_string).collect::<Vec<String>>()
    };
    for report in [&wrong, &right] {
        if of_asked(report) != open {
            return Err(format!("not checked: {:?}, should be {open:?}", of_asked(report)).into());
        }
    }
    Ok(())
}

/// Every kernel of the corpus in IR comes out as expected, with no error, under each completion mode.
fn corpus(target: &str, count: usize) -> Result<(), Failed> {
    let Some(folder) = shared_or_skip("corpus/triton") else { return Ok(()) };
    let (mut right, mut wrong) = (0, Vec::new());
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder.join(target))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    cases.sort();
    for case in cases.iter().filter(|case| case.join("kernel.ll").is_file()) {
        let (kernel, launch) = (case.join("kernel.ll"), case.join("launch.toml"));
        let clean = SETTINGS[..3].iter().try_for_each(|&(completion, seed)| {
            let options = RunOptions { completion, seed, ..RunOptions::default() };
            let report = report(&kernel, &launch, &options).map_err(|failed| format!("{failed:?}"))?;
            let error = report.findings.iter().find(|finding| finding.severity == Severity::Error);
            match (report.exit_status(), error) {
                (ExitStatus::Clean, None) => Ok(()),
                (status, _) => Err(format!("{completion:?}: {status:?}: {:?}", report.findings)),
            }
        });
        match clean {
            Ok(()) => right += 1,
            Err(why) => wrong.push(format!("{}: {why}", case.display())),
        }
    }
    if right == count && wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{right} are right, {count} should be\n{}", wrong.join("\n")).into())
}

fn compares(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let launch = launch(path, &text)?;
    let code = path.with_extension("s");
    let of = |wrong: i64| -> Result<Compared, Failed> {
        let mut sources = SourceMap::new();
        let read = |path: &Path| input::read(path, None).map_err(|error| Failed::from(error.message));
        let (ir, code) = (read(path)?, read(&code)?);
        let assembly =
            AssemblyOptions { defines: vec![("WRONG".to_owned(), wrong)], ..AssemblyOptions::default() };
        let options = RunOptions { assembly, ..RunOptions::default() };
        compare(&mut sources, &ir, &code, &launch, &options).map_err(|failure| said(&sources, failure))
    };
    let right = of(0)?;
    if right.status() != ExitStatus::Clean {
        return Err(format!("the right code differs:\n{right}").into());
    }
    let wrong = of(1)?;
    let Some(difference) = &wrong.difference else {
        return Err(format!("the wrong code does not differ:\n{wrong}").into());
    };
    let marked = |path: &Path, mark: &str| -> Result<Option<u32>, Failed> {
        let text = std::fs::read_to_string(path)?;
        let line = (1..).zip(text.lines()).find(|(_, line)| line.contains(mark));
        Ok(line.map(|(number, _)| number))
    };
    let stores = [&difference.ir_store, &difference.code_store, &difference.code_store_elsewhere]
        .map(|site| site.as_ref().and_then(|site| site.line()));
    let (differs, elsewhere) = ("<<< differs", "<<< elsewhere");
    if stores != [marked(path, differs)?, marked(&code, differs)?, marked(&code, elsewhere)?] {
        return Err(format!("the stores that differ are elsewhere:\n{wrong}").into());
    }
    Ok(())
}
