//! `cargo xtask cases DIR…`: runs every case below the folders and scores it against its verdict file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use wavemark_driver::build::Failure;
use wavemark_driver::cases::{self, Case, Prefer, Tally};
use wavemark_driver::input;
use wavemark_driver::options::{Completion, RunOptions};
use wavemark_driver::report::{Checked, Report};
use wavemark_driver::run::run as run_kernel;
use wavemark_driver::verdict::{Score, score};
use wavemark_driver::{SourceMap, render_short};

/// `cases`
#[derive(Args)]
pub struct CasesArgs {
    /// Folders of cases
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Run kernel.s and not kernel.hsaco where both are there
    #[arg(long)]
    assembly: bool,
    /// Which checks: full, off, or a list
    #[arg(long, default_value = "full")]
    check: String,
    /// When an asynchronous operation lands
    #[arg(long, value_enum, default_value = "late")]
    completion: CompletionArg,
    /// Seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Schedules
    #[arg(long, default_value_t = 1)]
    schedules: u32,
    /// Only cases whose path contains this
    #[arg(long)]
    only: Option<String>,
    /// Name the cases that pass, too
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum CompletionArg {
    Late,
    Early,
    Random,
}

/// Runs the cases; fails when one does.
pub fn run(args: &CasesArgs) -> ExitCode {
    let check = match Checked::parse(&args.check) {
        Ok(check) => check,
        Err(problem) => {
            eprintln!("--check: {problem}");
            return ExitCode::from(2);
        }
    };
    let options = RunOptions {
        check,
        completion: match args.completion {
            CompletionArg::Late => Completion::Late,
            CompletionArg::Early => Completion::Early,
            CompletionArg::Random => Completion::Random,
        },
        seed: args.seed,
        schedules: args.schedules,
        ..RunOptions::default()
    };
    let prefer = if args.assembly { Prefer::Assembly } else { Prefer::Object };
    let mut tally = Tally::default();
    for folder in &args.folders {
        let cases = match cases::find(folder, prefer) {
            Ok(cases) => cases,
            Err(problem) => {
                eprintln!("{problem}");
                return ExitCode::from(2);
            }
        };
        for case in cases {
            let name = case.folder.display().to_string();
            if args.only.as_ref().is_some_and(|only| !name.contains(only)) {
                continue;
            }
            let score = run_case(&case, &options);
            tally.add(&score);
            print(&case.folder, &score, args.verbose);
        }
    }
    println!("{} passed, {} failed, {} ambiguous", tally.passed, tally.failed, tally.ambiguous);
    if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print(folder: &Path, score: &Score, verbose: bool) {
    let (word, problems): (&str, &[String]) = match score {
        Score::Pass if !verbose => return,
        Score::Pass => ("pass", &[]),
        Score::Fail(problems) => ("FAIL", problems),
        Score::Ambiguous(problems) => ("ambiguous", problems),
    };
    println!("{word} {}", folder.display());
    for problem in problems {
        println!("    {problem}");
    }
}

fn run_case(case: &Case, options: &RunOptions) -> Score {
    let work = || report(case, options);
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(report) => score(case.verdict.as_ref(), &report),
        Err(_) => Score::Fail(vec!["internal error: a panic, see above".to_owned()]),
    }
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
