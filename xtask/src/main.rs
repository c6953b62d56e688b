//! Project chores: scores of case folders.

mod cases;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Project chores.
#[derive(Parser)]
#[command(name = "xtask")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run the cases in folders and score them
    Cases(cases::CasesArgs),
}

fn main() -> ExitCode {
    match Args::parse().task {
        Task::Cases(args) => cases::run(&args),
    }
}
