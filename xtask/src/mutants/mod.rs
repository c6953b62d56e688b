//! `cargo xtask mutants DIR…`: what the checker finds when synchronisation is taken from clean kernels.
//!
//! Every wait is weakened and dropped, counter by counter; barriers, write-backs and invalidates are dropped, scopes
//! narrowed: one change at a time, of which [`mutate`] makes a code object. Each mutant runs unchecked under several
//! completion modes and seeds, which says whether it *misbehaves* (wrong outputs, a fault, no end), and checked as
//! `wavemark run` does by default, which says whether it is *found*. Mutants of write-backs, invalidates and scopes never
//! misbehave, for the simulator has no caches: of them the findings alone are told.
//!
//! A finding is in the right *place* if it names the changed instruction, or that stands on some path from its producer
//! to its consumer; where these are of two waves, on one behind the producer or before the consumer. What is found of
//! barriers stands behind it on some path.
//!
//! A default run cannot find all of them. It finds what it executes: of clang's `message-passing-a` (gfx1100) the loop of the
//! acquire, whose wait is taken away, is not, because in the order of a default run every flag is set when it is looked at
//! first (the report says which instructions were not executed; `check`, with four schedules and all paths, says R1). And
//! it finds what nothing orders: in `producer-consumer-2buf-3waves` the producer that arrives at no barrier any more fills
//! both buffers over and over and ends, by which it leaves the barrier; so all that it has written is ordered before
//! every read, whoever goes on first, and what is left is wrong outputs.
//!
//! `--without-launch` tells what the static checks find of the same mutants.
//!
//! `--advice` does the opposite: each wait that the report of the clean kernel calls too strong is changed as the report
//! says, and the kernel must stay right and clean. With `--without-launch` it is the advice of the static checks, which is
//! proven: applied one by one and all at once.

mod mutate;
mod outcome;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use wavemark_driver::cases::{self, Case, Prefer};
use wavemark_driver::report::{Finding, Outcome, Severity, Site};
use wavemark_driver::side_by_side;
use wavemark_filetests::random::Random;
use wavemark_isa::effects::Counter;

use mutate::{Code, Kind, Mutant};
use outcome::Subject;

/// `mutants`
#[derive(Args)]
pub struct MutantsArgs {
    /// Folders of cases
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Only cases whose path contains this
    #[arg(long)]
    only: Option<String>,
    /// So many mutants of each case at most, drawn at random; all of them if nothing is said
    #[arg(long)]
    sample: Option<usize>,
    /// Seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Unchecked runs with random completion, beside one late and one early
    #[arg(long, default_value_t = 6)]
    seeds: u64,
    /// Cases whose clean run takes more wave instructions are left out
    #[arg(long, default_value_t = 2_000_000)]
    max_steps: u64,
    /// Apply the advice of the clean runs instead
    #[arg(long)]
    advice: bool,
    /// What is found without a launch, instead of what a checked run finds
    #[arg(long)]
    without_launch: bool,
    /// Folder for the code objects of the mutants that are told of
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Cases run side by side
    #[arg(long, short, default_value_t = 1)]
    jobs: usize,
    /// Tell of every mutant, not of those that were missed or misplaced only
    #[arg(long, short)]
    verbose: bool,
}

/// Runs the mutants; fails when one that misbehaves is missed, or advice breaks a kernel.
pub fn run(args: &MutantsArgs) -> ExitCode {
    match try_run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mutants: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn try_run(args: &MutantsArgs) -> Result<bool> {
    let mut all = Vec::new();
    for folder in &args.folders {
        all.extend(cases::find(folder, Prefer::Object).map_err(|problem| anyhow!(problem))?);
    }
    let wanted = |case: &Case| match &args.only {
        Some(only) => case.folder.display().to_string().contains(only.as_str()),
        None => true,
    };
    all.retain(|case| wanted(case) && case.verdict.as_ref().is_none_or(|verdict| verdict.clean));
    if all.is_empty() {
        bail!("no clean cases");
    }
    println!("{} cases, seed {}", all.len(), args.seed);
    let tallies: Mutex<BTreeMap<Kind, Tally>> = Mutex::default();
    side_by_side::map(&all, args.jobs, |case| {
        let (lines, found) = match mutate_case(case, args) {
            Ok(told) => told,
            Err(why) => (vec![format!("left out: {why:#}")], Vec::new()),
        };
        if !lines.is_empty() {
            println!("{}\n    {}", case.folder.display(), lines.join("\n    "));
        }
        let mut tallies = tallies.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for (kind, trial) in found {
            tallies.entry(kind).or_default().add(&trial);
        }
    });
    let tallies = tallies.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    Ok(if args.advice { advice_table(&tallies) } else { table(&tallies) })
}

/// What came of one mutant.
struct Trial {
    misbehaves: bool,
    /// The checked run says that outputs are wrong.
    mismatch: bool,
    errors: usize,
    right_class: bool,
    right_place: bool,
}

/// Runs the mutants of a case: lines to print, and the trials by what was taken.
fn mutate_case(case: &Case, args: &MutantsArgs) -> Result<(Vec<String>, Vec<(Kind, Trial)>)> {
    let mut subject = Subject::read(case, args.seeds)?;
    let clean = subject.checked(subject.file())?;
    if clean.stats.wave_instructions > args.max_steps {
        bail!("{} wave instructions", clean.stats.wave_instructions);
    }
    if let Some(error) = outcome::errors(&clean).next() {
        bail!("it has an error itself: {}", error.title);
    }
    subject.limit(clean.stats.wave_instructions);
    if subject.misbehaves(subject.file())? {
        bail!("it misbehaves itself");
    }
    let code = Code::read(subject.object())?;
    let mut mutants = match (args.advice, args.without_launch) {
        (true, true) => {
            let proven = subject.checked_without_launch(subject.file())?;
            let mut mutants = advised(&code, &proven.findings)?;
            mutants.extend(Mutant::together(&mutants));
            mutants
        }
        (true, false) => advised(&code, &clean.findings)?,
        (false, _) => code.mutants(),
    };
    if let Some(most) = args.sample {
        let mut random = Random::new(args.seed);
        while mutants.len() > most {
            mutants.swap_remove(random.below(mutants.len()));
        }
    }
    let mut lines = Vec::new();
    let mut trials = Vec::new();
    for mutant in mutants {
        let file = mutant.apply(subject.file());
        let misbehaves = subject.misbehaves(&file)?;
        let report = match args.without_launch && !args.advice {
            true => subject.checked_without_launch(&file)?,
            false => subject.checked(&file)?,
        };
        let errors: Vec<&Finding> = outcome::errors(&report).collect();
        let trial = Trial {
            misbehaves,
            mismatch: report.outcome == Outcome::Mismatch,
            errors: errors.len(),
            right_class: errors.iter().any(|finding| mutant.kind.is_right(finding.class)),
            right_place: errors.iter().any(|finding| in_place(finding, &mutant, &code)),
        };
        let told = match args.advice {
            true => misbehaves || !errors.is_empty(),
            false => misbehaves && !(trial.right_class && trial.right_place) || trial.errors > 2,
        };
        if told || args.verbose {
            lines.push(line(&mutant, &trial, &errors));
            if let Some(folder) = &args.keep {
                keep(folder, case, &mutant, &file)?;
            }
        }
        trials.push((mutant.kind, trial));
    }
    Ok((lines, trials))
}

/// Writes a mutant to `folder`, under the name of the case and the address of the change.
fn keep(folder: &Path, case: &Case, mutant: &Mutant, file: &[u8]) -> Result<()> {
    let names = case.folder.iter().rev().take(2).map(|name| name.to_string_lossy()).collect::<Vec<_>>();
    let at = mutant.at.first().copied().unwrap_or_default();
    let name = format!("{}-{}-{at:x}-{}.hsaco", names[1], names[0], mutant.kind.name().replace(' ', "-"));
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(name);
    std::fs::write(&path, file).with_context(|| format!("cannot write {}", path.display()))
}

/// Whether a finding leads to what was changed.
fn in_place(finding: &Finding, mutant: &Mutant, code: &Code) -> bool {
    let named = |at: &u64| finding.sites.iter().any(|site| site.pc == Some(*at));
    let reaches = |from: &Site, to: u64| from.pc.is_some_and(|pc| code.reachable(pc).contains(&to));
    let leads_to = |at: u64, to: &Site| to.pc.is_some_and(|pc| code.reachable(at).contains(&pc));
    match finding.sites.as_slice() {
        [one, two, ..] if one.role != two.role => {
            // What two waves do is ordered by what either of them does.
            let same_wave = (one.workgroup, one.wave) == (two.workgroup, two.wave);
            mutant.at.iter().any(|&at| {
                let (after, before) = (reaches(one, at), leads_to(at, two));
                named(&at) || if same_wave { after && before } else { after || before }
            })
        }
        sites => mutant.at.iter().any(|at| named(at) || sites.iter().any(|site| leads_to(*at, site))),
    }
}

fn line(mutant: &Mutant, trial: &Trial, errors: &[&Finding]) -> String {
    let how = match (trial.misbehaves, trial.errors) {
        (true, 0) if trial.mismatch => "MISSED but for its outputs",
        (true, 0) => "MISSED",
        (false, 0) => "as before",
        (true, _) if !trial.right_class => "other class",
        (true, _) if !trial.right_place => "other place",
        (true, _) => "found",
        (false, _) => "found, behaves",
    };
    let at = mutant.at.first().copied().unwrap_or_default();
    let mut line = format!("{how}: {:#x} {}", at, mutant.text);
    for finding in errors.iter().take(4) {
        let sites = finding.sites.iter().map(|site| match site.pc {
            Some(pc) => format!("{} {pc:#x} {}", site.role, site.text),
            None => site.text.clone(),
        });
        line += &format!("\n        {} {}", finding.rule, finding.title);
        line += &format!(" [{}]", sites.collect::<Vec<_>>().join("; "));
        line += &finding.hint.as_ref().map_or(String::new(), |hint| format!(" hint: {hint}"));
    }
    line
}

/// What the report of a clean run calls too strong, changed as it says.
fn advised(code: &Code, findings: &[Finding]) -> Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Advice) {
        let (Some(wait), true) = (finding.sites.first(), matches!(finding.rule.as_str(), "W1" | "W2" | "W3"))
        else {
            continue;
        };
        let n = outcome::advised_number(&finding.title)?;
        let about =
            |counter: &Counter| finding.title.starts_with(&format!("the wait for {} ", counter.name()));
        let counter = wait.pc.and_then(|pc| code.counters_at(pc).find(about));
        let mutant = wait.pc.zip(counter).and_then(|(pc, counter)| code.changed_wait(pc, counter, n));
        let Some(mutant) = mutant else { bail!("advice that cannot be applied: {}", finding.title) };
        mutants.push(mutant);
    }
    Ok(mutants)
}

/// Trials of one kind.
#[derive(Default)]
struct Tally {
    mutants: usize,
    misbehave: usize,
    found: usize,
    /// Not found, but the outputs are wrong in the checked run, too.
    mismatch: usize,
    right_class: usize,
    right_place: usize,
    found_behaving: usize,
    errors: Vec<usize>,
}

impl Tally {
    fn add(&mut self, trial: &Trial) {
        self.mutants += 1;
        if trial.errors > 0 {
            self.errors.push(trial.errors);
        }
        if !trial.misbehaves {
            self.found_behaving += usize::from(trial.errors > 0);
            return;
        }
        self.misbehave += 1;
        self.found += usize::from(trial.errors > 0);
        self.mismatch += usize::from(trial.errors == 0 && trial.mismatch);
        self.right_class += usize::from(trial.right_class);
        self.right_place += usize::from(trial.right_class && trial.right_place);
    }

    fn join(&mut self, other: &Tally) {
        self.mutants += other.mutants;
        self.misbehave += other.misbehave;
        self.found += other.found;
        self.mismatch += other.mismatch;
        self.right_class += other.right_class;
        self.right_place += other.right_place;
        self.found_behaving += other.found_behaving;
        self.errors.extend(&other.errors);
    }

    /// The number of error findings that so many of a hundred mutants with any do not exceed.
    fn quantile(&self, percent: usize) -> usize {
        let mut errors = self.errors.clone();
        errors.sort_unstable();
        let at = (errors.len() * percent).div_ceil(100).saturating_sub(1);
        errors.get(at).copied().unwrap_or_default()
    }
}

/// Prints the scores; whether every mutant that misbehaves was found.
fn table(tallies: &BTreeMap<Kind, Tally>) -> bool {
    println!(
        "\n{:>16} {:>8} {:>10} {:>8} {:>8} {:>8} {:>9} {:>9}",
        "", "mutants", "misbehave", "found", "class", "place", "behaving", "findings"
    );
    println!(
        "{:>16} {:>8} {:>10} {:>8} {:>8} {:>8} {:>9} {:>9}",
        "", "", "", "", "", "", "found", "50 %/90 %"
    );
    let mut all = Tally::default();
    let print = |name: &str, tally: &Tally| {
        println!(
            "{name:>16} {:>8} {:>10} {:>8} {:>8} {:>8} {:>9} {:>9}",
            tally.mutants,
            tally.misbehave,
            tally.found,
            tally.right_class,
            tally.right_place,
            tally.found_behaving,
            format!("{}/{}", tally.quantile(50), tally.quantile(90)),
        );
    };
    for (kind, tally) in tallies {
        print(kind.name(), tally);
        all.join(tally);
    }
    print("all", &all);
    let share = |n: usize| 100.0 * n as f64 / all.misbehave.max(1) as f64;
    println!(
        "of those that misbehave {:.2} % found, {:.2} % with class and place; {:.2} % end with wrong outputs only",
        share(all.found),
        share(all.right_place),
        share(all.mismatch)
    );
    all.found + all.mismatch == all.misbehave
}

/// Prints how much of the advice holds; whether all of it.
fn advice_table(tallies: &BTreeMap<Kind, Tally>) -> bool {
    let mut all = Tally::default();
    tallies.values().for_each(|tally| all.join(tally));
    let errors = all.found + all.found_behaving;
    println!(
        "\n{} pieces of advice applied: {} break the kernel, {} make the checker find an error",
        all.mutants, all.misbehave, errors
    );
    all.misbehave == 0 && errors == 0
}
