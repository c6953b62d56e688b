//! `wavemark completions` and `man`: the command line as shells and manuals have it.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use wavemark_diag::Diagnostic;
use wavemark_driver::report::ExitStatus;

use crate::args::Args;
use crate::door::{Door, Failure};

/// `completions`
pub fn completions(door: &Door, shell: Shell) -> Result<ExitStatus, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "wavemark", &mut script);
    door.print(script)?;
    Ok(ExitStatus::Clean)
}

/// `man`: a page of the command and one of each of its commands.
pub fn pages(folder: &Path) -> Result<ExitStatus, Failure> {
    let unwritable =
        |error: std::io::Error| Diagnostic::error(format!("cannot write {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    clap_mangen::generate_to(Args::command(), folder).map_err(unwritable)?;
    Ok(ExitStatus::Clean)
}
