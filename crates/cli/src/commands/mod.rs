//! One file for each group of commands.

mod campaign;
mod compare;
mod compile;
mod execute;
mod lines;
mod litmus;
mod manual;
mod objects;
mod ray;
mod targets;
mod text;

use wavemark_driver::report::ExitStatus;

use crate::args::Command;
use crate::door::{Door, Failure};

/// Runs a command to its exit status.
pub fn run(command: Command) -> ExitStatus {
    let mut door = Door::new();
    match dispatch(&mut door, command) {
        Ok(status) => status,
        Err(failure) => door.fail(failure),
    }
}

fn dispatch(door: &mut Door, command: Command) -> Result<ExitStatus, Failure> {
    match command {
        Command::Run(args) => execute::run(door, &args),
        Command::Check(args) => execute::check(door, &args),
        Command::Campaign(args) => campaign::campaign(door, &args),
        Command::Compare(args) => compare::compare(door, &args),
        Command::Inspect(args) => objects::inspect(door, &args),
        Command::Bundle(args) => objects::bundle(door, &args),
        Command::Unbundle(args) => objects::unbundle(door, &args),
        Command::Link(args) => objects::link(door, &args),
        Command::Compile(args) => compile::compile(door, &args),
        Command::Asm(args) => text::asm(door, &args),
        Command::Dis(args) => text::dis(door, &args),
        Command::Litmus(args) => litmus::litmus(door, &args),
        Command::Targets(args) => targets::targets(door, &args),
        Command::Completions { shell } => manual::completions(door, shell),
        Command::Man { folder } => manual::pages(&folder),
    }
}
