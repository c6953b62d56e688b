//! Project chores: scores of case folders and of mutated cases, comparisons with LLVM, renewed expectations.

mod cases;
mod differential;
mod ir;
mod mutants;
mod parity;

use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use wavemark_budget::Counting;

/// That of the command line, so that what is timed is what a user gets. LLVM has its own.
#[global_allocator]
static ALLOCATOR: Counting<MiMalloc> = Counting(MiMalloc);

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
    /// Take synchronisation from clean cases, and tell what the checker finds of it
    Mutants(mutants::MutantsArgs),
    /// Compare assembler and disassembler with the LLVM inside the Rust toolchain
    Parity(parity::ParityArgs),
    /// Compare kernel descriptors of random directives with the LLVM inside the Rust toolchain, for every processor
    Descriptors(parity::descriptors::DescriptorArgs),
    /// Time assembler and disassembler beside the LLVM inside the Rust toolchain
    Speed(parity::speed::SpeedArgs),
    /// Compare whole assembly files with the LLVM inside the Rust toolchain
    Files(parity::files::FilesArgs),
    /// Read and print LLVM IR beside the LLVM inside the Rust toolchain
    Ir(ir::IrArgs),
    /// Run random functions in LLVM IR, and the code that LLVM makes of them, and compare what they give
    Differential(differential::DifferentialArgs),
    /// The process that LLVM generates code in (it may die of what it is asked)
    #[command(hide = true)]
    LlvmCode(differential::code::CodeArgs),
    /// Run the tests so that they rewrite their expectations; look at the difference before you commit it
    Bless {
        /// Arguments of `cargo test`, `--workspace` when there are none
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        tests: Vec<String>,
    },
    /// The process that LLVM runs in (it may die of what it is asked)
    #[command(hide = true)]
    LlvmWorker(parity::WorkerArgs),
}

fn main() -> ExitCode {
    match Args::parse().task {
        Task::Cases(args) => cases::run(&args),
        Task::Mutants(args) => mutants::run(&args),
        Task::Parity(args) => parity::run(&args),
        Task::Descriptors(args) => parity::descriptors::serve(&args),
        Task::Speed(args) => parity::speed::run(&args),
        Task::Files(args) => parity::files::serve(&args),
        Task::Ir(args) => ir::run(&args),
        Task::Differential(args) => differential::run(&args),
        Task::LlvmCode(args) => differential::code::serve(&args),
        Task::Bless { tests } => bless(&tests),
        Task::LlvmWorker(args) => parity::serve(&args),
    }
}

fn bless(tests: &[String]) -> ExitCode {
    let mut cargo = Command::new("cargo");
    // `UPDATE_EXPECT` is what the expect-test library listens to.
    cargo.arg("test").env("WAVEMARK_BLESS", "1").env("UPDATE_EXPECT", "1");
    if tests.is_empty() {
        cargo.arg("--workspace");
    }
    match cargo.args(tests).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cannot run cargo: {error}");
            ExitCode::from(2)
        }
    }
}
