//! Project chores: scores of case folders, the instruction table against a foreign assembler.

mod cases;
mod parity;

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
    /// Hold the instruction table against a foreign assembler and disassembler
    Parity(parity::ParityArgs),
}

fn main() -> ExitCode {
    match Args::parse().task {
        Task::Cases(args) => cases::run(&args),
        Task::Parity(args) => parity::run(&args),
    }
}
