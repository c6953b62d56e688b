//! LLVM's code generator in a process of its own, which may die of what it is asked.

use std::io::{Read as _, Write as _};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result};
use clap::Args;
use wavemark_target::Processor;

use crate::ir::llvm::Llvm;

/// `llvm-code`
#[derive(Args)]
pub struct CodeArgs {
    cpu: String,
    level: u8,
    passes: String,
}

/// How code is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The level of the code generator.
    pub level: u8,
    /// The passes before it.
    pub passes: &'static str,
}

/// How code is generated: by the code generator alone, at two levels, and behind LLVM's optimiser.
pub const SETTINGS: [Setting; 3] = [
    Setting { level: 0, passes: "" },
    Setting { level: 2, passes: "" },
    Setting { level: 3, passes: "default<O3>" },
];

/// The object of a module; what LLVM says against it, or that it died.
pub fn generate(processor: Processor, setting: Setting, text: &str) -> Result<Result<Vec<u8>, String>> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["llvm-code", processor.name(), &setting.level.to_string(), setting.passes])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start this program again")?;
    let mut stdin = child.stdin.take().context("the child has no standard input")?;
    let question = text.to_owned();
    // The child may die with the question unread.
    let writer = std::thread::spawn(move || stdin.write_all(question.as_bytes()).is_ok());
    let output = child.wait_with_output()?;
    _ = writer.join();
    if output.status.success() && !output.stdout.is_empty() {
        return Ok(Ok(output.stdout));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Ok(Err(said.lines().next().unwrap_or("LLVM died without a word").to_owned()))
}

/// The child's side.
pub fn serve(args: &CodeArgs) -> ExitCode {
    match try_serve(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn try_serve(args: &CodeArgs) -> Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let object =
        Llvm::new()?.compile(&text, &args.cpu, args.level, &args.passes).map_err(anyhow::Error::msg)?;
    Ok(std::io::stdout().write_all(&object)?)
}
