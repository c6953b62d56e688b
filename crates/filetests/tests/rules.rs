//! Every rule that machine code can break, and every reading of an open question (`tests/rules`): a kernel that breaks
//! the rule, and its right twin, which is the same file with the symbol `RIGHT` set to 1.
//!
//! What must be found stands in the file, in marks ([`wavemark_filetests::marks`]). A line `; launch: NAME` names the
//! launch file in `tests/rules/launch` (`one-wave` if there is none), a line `; model: KEY=VALUE` a reading without which
//! it is not found, a line `; with: KEY=VALUE SEVERITY` one that makes it an error, a warning, or `nothing`, and a line
//! `; seed: N` the only seed to try, of those under whose order of waves another rule is broken first.
//!
//! The trials of a file, under all completion modes and several seeds: `found`, every mark is met, and there is no error
//! without one; `right`, nothing at all is reported of the twin; `threads`, several say the same as one; and where a
//! reading is named `otherwise`, what its line says. Without a launch, on all paths: `right twin without launch`, nothing
//! at all is reported of it; and where a line says `; without launch`, `found without launch`, every mark is met so too. What
//! depends on the path is in `tests/rules/all-paths`, and has these two trials alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use wavemark_driver::READINGS;
use wavemark_driver::assembly::AssemblyOptions;
use wavemark_driver::cases::Case;
use wavemark_driver::options::{Completion, RunOptions};
use wavemark_driver::report::{ExitStatus, Finding, Severity};
use wavemark_filetests::case::{self, Ran};
use wavemark_filetests::marks::{Mistake, mistakes};
use wavemark_filetests::paths;

const COMPLETIONS: &[Completion] = &[Completion::Late, Completion::Early, Completion::Random];
const SEEDS: &[u64] = &[0, 1, 2, 3];

/// A kernel and its twin.
#[derive(Clone, Debug)]
struct Pair {
    path: PathBuf,
    launch: String,
    model: Vec<String>,
    seeds: Vec<u64>,
    /// It is found without a launch too.
    without_launch: bool,
    /// Other readings, and what the marks are under each; `None`: not met.
    with: Vec<(String, Option<Severity>)>,
}

fn main() {
    let arguments = Arguments::from_args();
    let folder = paths::root().join("tests/rules");
    let mut pairs: Vec<Pair> = files(&folder, "s").into_iter().map(Pair::read).collect();
    pairs.sort_by(|a, b| a.path.cmp(&b.path));
    let mut trials = Vec::new();
    let on_paths: Vec<Pair> = files(&folder.join("all-paths"), "s").into_iter().map(Pair::read).collect();
    for pair in &on_paths {
        let name = stem(&pair.path);
        let (pair, other) = (pair.clone(), pair.clone());
        let right = move || right_without_launch(&other);
        trials.push(Trial::test(format!("all-paths/{name}/right twin without launch"), right));
        let found = move || found_without_launch(&pair);
        trials.push(Trial::test(format!("all-paths/{name}/found without launch"), found));
    }
    for pair in &pairs {
        let name = stem(&pair.path);
        let trial = |what: &str, run: fn(&Pair) -> Result<(), Failed>| {
            let pair = pair.clone();
            Trial::test(format!("{name}/{what}"), move || run(&pair))
        };
        trials.push(trial("found", found));
        trials.push(trial("right", right));
        trials.push(trial("threads", threads));
        trials.push(trial("right twin without launch", right_without_launch));
        if pair.without_launch {
            trials.push(trial("found without launch", found_without_launch));
        }
        if !pair.model.is_empty() || !pair.with.is_empty() {
            trials.push(trial("otherwise", otherwise));
        }
    }
    trials.push(Trial::test("every rule has a pair", {
        let pairs: Vec<Pair> = pairs.iter().chain(&on_paths).cloned().collect();
        move || every_rule(&pairs)
    }));
    trials.push(Trial::test("every reading has a pair", move || every_reading(&pairs)));
    libtest_mimic::run(&arguments, trials).exit()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Pair {
    fn read(path: PathBuf) -> Pair {
        let text = text(&path);
        let said = |key| -> Vec<String> {
            let values = text.lines().filter_map(|line| line.strip_prefix(key));
            values.map(|value: &str| value.trim().to_owned()).collect()
        };
        let launch = said("; launch:").pop().unwrap_or_else(|| "one-wave".to_owned());
        let with = said("; with:").into_iter().map(|line| {
            let (reading, severity) = line.split_once(' ').unwrap_or((&line, ""));
            let severity = match severity {
                "nothing" => None,
                name => {
                    Some(Severity::from_name(name).unwrap_or_else(|| panic!("{}: {line}", path.display())))
                }
            };
            (reading.to_owned(), severity)
        });
        let seed = |text: String| text.parse().unwrap_or_else(|_| panic!("{}: seed {text}", path.display()));
        let mut seeds: Vec<u64> = said("; seed:").into_iter().map(seed).collect();
        if seeds.is_empty() {
            seeds = SEEDS.to_vec();
        }
        let without_launch = text.lines().any(|line| line == "; without launch");
        Pair { with: with.collect(), launch, model: said("; model:"), seeds, without_launch, path }
    }

    fn mistakes(&self) -> Vec<Mistake> {
        mistakes(&text(&self.path)).into_values().collect()
    }

    /// Runs the kernel, or its twin.
    fn run_once(&self, right: bool, options: RunOptions) -> Ran {
        let folder = self.path.parent().unwrap_or(&self.path);
        let case = Case {
            folder: folder.to_owned(),
            input: self.path.clone(),
            launch: folder.join("launch").join(format!("{}.toml", self.launch)),
            verdict: None,
        };
        case::run_with(&case, RunOptions { assembly: assembly(right), max_steps: Some(10_000), ..options })
    }

    /// Checks the kernel, or its twin, without a launch.
    fn without_launch(&self, right: bool) -> Ran {
        case::without_launch(&self.path, &RunOptions { assembly: assembly(right), ..RunOptions::default() })
    }

    /// Runs the kernel, or its twin, under every setting; the first problem is reported with the setting and the report.
    fn run(
        &self,
        right: bool,
        model: &[String],
        check: impl Fn(&Ran) -> Result<(), String>,
    ) -> Result<(), Failed> {
        for &completion in COMPLETIONS {
            for &seed in if right { SEEDS } else { &self.seeds } {
                let options = RunOptions { completion, seed, model: model.to_vec(), ..RunOptions::default() };
                let ran = self.run_once(right, options);
                if let Err(problem) = check(&ran) {
                    let (text, unusable) = (&ran.text, ran.report.diagnostics.join("\n"));
                    let setting = format!("completion {completion:?}, seed {seed}");
                    return Err(format!("{setting}: {problem}\n\n{text}{unusable}").into());
                }
            }
        }
        Ok(())
    }
}

/// The kernel as it is, or its twin.
fn assembly(right: bool) -> AssemblyOptions {
    AssemblyOptions {
        include: vec![paths::root().join("tests/rules")],
        defines: vec![("RIGHT".to_owned(), right.into())],
    }
}

fn found_without_launch(pair: &Pair) -> Result<(), Failed> {
    let ran = pair.without_launch(false);
    meets(&ran, &pair.mistakes()).map_err(|problem| format!("{problem}\n\n{}", ran.text).into())
}

fn right_without_launch(pair: &Pair) -> Result<(), Failed> {
    let ran = pair.without_launch(true);
    let wrong = ran.report.exit_status() != ExitStatus::Clean || !ran.report.findings.is_empty();
    if wrong { Err(ran.text.into()) } else { Ok(()) }
}

fn threads(pair: &Pair) -> Result<(), Failed> {
    for right in [false, true] {
        let text = |threads| {
            let model = pair.model.clone();
            pair.run_once(right, RunOptions { model, threads: Some(threads), ..RunOptions::default() }).text
        };
        let one = text(1);
        for several in [2, 4] {
            if text(several) != one {
                return Err(format!("{several} threads say\n{}\nand one\n{one}", text(several)).into());
            }
        }
    }
    Ok(())
}

fn found(pair: &Pair) -> Result<(), Failed> {
    expect(pair, &pair.model, &pair.mistakes())
}

/// Under `model` every mistake is reported, and no other error.
fn expect(pair: &Pair, model: &[String], mistakes: &[Mistake]) -> Result<(), Failed> {
    if mistakes.is_empty() {
        return Err("there are no marks".into());
    }
    pair.run(false, model, |ran| meets(ran, mistakes))
}

/// Every mistake is reported, and no other error.
fn meets(ran: &Ran, mistakes: &[Mistake]) -> Result<(), String> {
    for mistake in mistakes {
        if !ran.report.findings.iter().any(|finding| mistake.is_met_by(finding)) {
            return Err(format!("not reported: {mistake:?}"));
        }
    }
    let mut errors = ran.report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    match errors.find(|finding| !mistakes.iter().any(|mistake| mistake.is_met_by(finding))) {
        Some(finding) => Err(format!("nobody expects {} {}", finding.rule, finding.title)),
        None => Ok(()),
    }
}

/// Under `model` no mistake is reported as it is marked.
fn expect_none(pair: &Pair, model: &[String]) -> Result<(), Failed> {
    let mistakes = pair.mistakes();
    pair.run(false, model, |ran| {
        let met = |finding: &&Finding| mistakes.iter().any(|mistake| mistake.is_met_by(finding));
        match ran.report.findings.iter().find(met) {
            Some(finding) => Err(format!("the reading changes nothing: {} {}", finding.rule, finding.title)),
            None => Ok(()),
        }
    })
}

fn right(pair: &Pair) -> Result<(), Failed> {
    right_under(pair, &pair.model)
}

fn right_under(pair: &Pair, model: &[String]) -> Result<(), Failed> {
    pair.run(true, model, |ran| {
        if ran.report.exit_status() != ExitStatus::Clean || !ran.report.findings.is_empty() {
            return Err("the right twin is not clean".to_owned());
        }
        Ok(())
    })
}

fn otherwise(pair: &Pair) -> Result<(), Failed> {
    if !pair.model.is_empty() {
        expect_none(pair, &[])?;
    }
    for (reading, severity) in &pair.with {
        let model = std::slice::from_ref(reading);
        expect_none(pair, model)?;
        right_under(pair, model)?;
        if severity.is_some() {
            let mut mistakes = pair.mistakes();
            mistakes.iter_mut().for_each(|mistake| mistake.severity = *severity);
            expect(pair, model, &mistakes)?;
        }
    }
    Ok(())
}

/// The rules are those that the documentation has a page of, but for those of tile programs and of LLVM IR.
fn every_rule(pairs: &[Pair]) -> Result<(), Failed> {
    let pages = files(&paths::root().join("docs/src/rules"), "md");
    let of_machine_code =
        |page: &PathBuf| !["Tile programs.", "LLVM IR."].iter().any(|other| text(page).contains(other));
    let rules: BTreeSet<String> =
        pages.iter().filter(|page| of_machine_code(page)).map(|page| stem(page)).collect();
    let tested: BTreeSet<String> =
        pairs.iter().flat_map(Pair::mistakes).map(|mistake| mistake.rule).collect();
    none(rules.difference(&tested), "rules without a pair")?;
    none(tested.difference(&rules), "rules without a page")
}

fn every_reading(pairs: &[Pair]) -> Result<(), Failed> {
    let readings: BTreeSet<String> =
        READINGS.iter().map(|reading| format!("{}={}", reading.key, reading.other)).collect();
    let tested: BTreeSet<String> = pairs
        .iter()
        .flat_map(|pair| pair.model.iter().chain(pair.with.iter().map(|(reading, _)| reading)).cloned())
        .collect();
    none(readings.difference(&tested), "readings without a pair")
}

fn none<'a>(names: impl Iterator<Item = &'a String>, what: &str) -> Result<(), Failed> {
    match names.map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => Ok(()),
        names => Err(format!("{what}: {}", names.join(", ")).into()),
    }
}
