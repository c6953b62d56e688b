//! `cargo xtask cases DIR…`: runs every case below the folders under every setting asked for, and scores it against
//! its verdict file. A case passes if it does so under all of them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::{Args, ValueEnum};
use wavemark_driver::build::Failure;
use wavemark_driver::cases::{self, Case, Prefer, Tally};
use wavemark_driver::input;
use wavemark_driver::options::{Completion, RunOptions};
use wavemark_driver::report::{Checked, Report};
use wavemark_driver::run::run as run_kernel;
use wavemark_driver::verdict::{Score, score};
use wavemark_driver::{SourceMap, render_short, side_by_side};

/// `cases`
#[derive(Args)]
pub struct CasesArgs {
    /// Folders of cases
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Run kernel.s and not kernel.hsaco where both are there
    #[arg(long)]
    assembly: bool,
    /// Features for kernel.s, in LLVM's spelling
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    features: String,
    /// Which checks: full, off, or a list
    #[arg(long, default_value = "full")]
    check: String,
    /// When asynchronous operations land; several, separated by commas
    #[arg(long, value_enum, default_value = "late", value_delimiter = ',')]
    completion: Vec<CompletionArg>,
    /// First seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seeds, counted up from the first
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// All completion modes, ten seeds
    #[arg(long)]
    all: bool,
    /// Schedules of each run; cases that only some schedules show run with 16 at least
    #[arg(long, default_value_t = 1)]
    schedules: u32,
    /// Instructions that a wave may execute
    #[arg(long)]
    max_steps: Option<u64>,
    /// Readings of open questions, NAME=READING
    #[arg(long)]
    model: Vec<String>,
    /// Cases run side by side
    #[arg(long, short, default_value_t = 1)]
    jobs: usize,
    /// Only cases whose path contains this
    #[arg(long)]
    only: Option<String>,
    /// Name the cases that pass, too
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CompletionArg {
    Late,
    Early,
    Random,
}

/// Schedules of a case whose defect only some of them show.
const MANY_SCHEDULES: u32 = 16;

/// Runs the cases; fails when one does.
pub fn run(args: &CasesArgs) -> ExitCode {
    match try_run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn try_run(args: &CasesArgs) -> Result<bool, String> {
    let check = Checked::parse(&args.check).map_err(|problem| format!("--check: {problem}"))?;
    let settings = settings(args, check);
    let prefer = if args.assembly { Prefer::Assembly } else { Prefer::Object };
    let mut cases = Vec::new();
    for folder in &args.folders {
        cases.extend(cases::find(folder, prefer)?);
    }
    if let Some(only) = &args.only {
        cases.retain(|case| case.folder.display().to_string().contains(only.as_str()));
    }
    if cases.is_empty() {
        return Err("no cases: a case is a folder with launch.toml and kernel.s or kernel.hsaco".to_owned());
    }
    // Of cases by the folder that they are in, so that sets and targets can be told apart.
    let tallies: Mutex<BTreeMap<PathBuf, Tally>> = Mutex::default();
    side_by_side::map(&cases, args.jobs, |case| {
        let score = run_case(case, &settings);
        let set = case.folder.parent().unwrap_or(&case.folder).to_owned();
        let mut tallies = tallies.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        tallies.entry(set).or_default().add(&score);
        print(case, &score, args.verbose);
    });
    let tallies = tallies.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    Ok(table(&tallies, settings.len()))
}

/// Every combination of completion mode and seed.
fn settings(args: &CasesArgs, check: Checked) -> Vec<RunOptions> {
    let completions = match args.all {
        true => &[CompletionArg::Late, CompletionArg::Early, CompletionArg::Random][..],
        false => &args.completion,
    };
    let seeds = if args.all { args.seeds.max(10) } else { args.seeds.max(1) };
    let mut settings = Vec::new();
    for completion in completions {
        for seed in args.seed..args.seed.saturating_add(seeds) {
            settings.push(RunOptions {
                check,
                completion: match completion {
                    CompletionArg::Late => Completion::Late,
                    CompletionArg::Early => Completion::Early,
                    CompletionArg::Random => Completion::Random,
                },
                seed,
                schedules: args.schedules,
                max_steps: args.max_steps,
                model: args.model.clone(),
                features: args.features.clone(),
                ..RunOptions::default()
            });
        }
    }
    settings
}

fn print(case: &Case, score: &Score, verbose: bool) {
    let (word, problems): (&str, &[String]) = match score {
        Score::Pass if !verbose => return,
        Score::Pass => ("pass", &[]),
        Score::Fail(problems) => ("FAIL", problems),
        Score::Ambiguous(problems) => ("ambiguous", problems),
    };
    let mut lines = format!("{word} {}", case.folder.display());
    for problem in problems {
        lines += &format!("\n    {problem}");
    }
    println!("{lines}");
}

/// Prints the scores of each folder and of all; whether none failed.
fn table(tallies: &BTreeMap<PathBuf, Tally>, settings: usize) -> bool {
    let mut all = Tally::default();
    println!("\n{:>7} {:>7} {:>10}", "passed", "failed", "ambiguous");
    for (folder, tally) in tallies {
        println!("{:>7} {:>7} {:>10}  {}", tally.passed, tally.failed, tally.ambiguous, folder.display());
        all.passed += tally.passed;
        all.failed += tally.failed;
        all.ambiguous += tally.ambiguous;
    }
    println!("{:>7} {:>7} {:>10}  all, {settings} runs a case", all.passed, all.failed, all.ambiguous);
    all.failed == 0
}

/// The score under all settings: the first failure, with the setting that shows it.
fn run_case(case: &Case, settings: &[RunOptions]) -> Score {
    let mut last = Score::Pass;
    for options in settings {
        let mut options = options.clone();
        if case.verdict.as_ref().is_some_and(|verdict| verdict.schedule_dependent) {
            options.schedules = options.schedules.max(MANY_SCHEDULES);
        }
        let work = || report(case, &options);
        let scored = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
            Ok(report) => score(case.verdict.as_ref(), &report),
            Err(_) => Score::Fail(vec!["internal error: a panic, see above".to_owned()]),
        };
        match scored {
            Score::Fail(mut problems) => {
                if settings.len() > 1 {
                    problems.insert(0, format!("completion {:?}, seed {}", options.completion, options.seed));
                }
                return Score::Fail(problems);
            }
            Score::Ambiguous(problems) if !problems.is_empty() => last = Score::Ambiguous(problems),
            Score::Ambiguous(problems) if last == Score::Pass => last = Score::Ambiguous(problems),
            Score::Ambiguous(_) | Score::Pass => {}
        }
    }
    last
}

fn report(case: &Case, options: &RunOptions) -> Report {
    let mut sources = SourceMap::new();
    let input = input::read(&case.input, None).map_err(Failure::from);
    let result = input.and_then(|input| run_kernel(&mut sources, &input, Some(&case.launch), options));
    match result {
        Ok(report) => report,
        Err(failure) => {
            let mut report = Report::new(case.input.display().to_string());
            match failure {
                Failure::Unusable(diagnostics) => {
                    report.diagnostics =
                        diagnostics.iter().map(|diagnostic| render_short(&sources, diagnostic)).collect();
                }
                Failure::Unsupported(what) => report.unsupported = vec![what],
            }
            report.conclude();
            report
        }
    }
}
