//! `xtask ir`: our reader, printer and verifier of LLVM IR beside LLVM's own.
//!
//! For each file: what we print must be the same module to LLVM as the file itself. Where LLVM 22 cannot read the file
//! (the syntax of its successors), it must read what we print, and we what LLVM prints of that, without a change. Both
//! must be of one opinion on whether the module is valid.

pub(crate) mod llvm;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use wavemark_diag::{SourceMap, render_short};
use wavemark_ir::{Module, Parsed};

use llvm::Llvm;

/// Read and print LLVM IR beside the LLVM inside the Rust toolchain.
#[derive(Args)]
pub struct IrArgs {
    /// Files, or folders of which every `.ll` is taken
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Time both readers on all files together that LLVM reads
    #[arg(long)]
    time: bool,
}

/// What was seen.
#[derive(Default)]
struct Tally {
    same: usize,
    /// Files that LLVM reads only as we print them.
    newer: usize,
    failed: Vec<(PathBuf, anyhow::Error)>,
}

/// Runs the comparison.
pub fn run(args: &IrArgs) -> ExitCode {
    match compare(args) {
        Ok(tally) => {
            for (path, error) in &tally.failed {
                println!("{}: {error:#}", path.display());
            }
            let failed = tally.failed.len();
            println!("{} the same, {} as newer syntax, {failed} different", tally.same, tally.newer);
            if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}

fn compare(args: &IrArgs) -> Result<Tally> {
    let mut files = Vec::new();
    for input in &args.inputs {
        collect(input, &mut files)?;
    }
    ensure!(!files.is_empty(), "there is no .ll file");
    files.sort();
    let llvm = Llvm::new()?;
    let mut tally = Tally::default();
    let mut texts = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        match one(&llvm, &text) {
            Ok(true) => {
                tally.same += 1;
                texts.push(for_llvm(&text).into_owned());
            }
            Ok(false) => tally.newer += 1,
            Err(error) => tally.failed.push((path, error)),
        }
    }
    if args.time {
        time(&llvm, &texts);
    }
    Ok(tally)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path).with_context(|| path.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "ll") {
            collect(&path, files)?;
        }
    }
    Ok(())
}

fn read(text: &str) -> Result<Module> {
    Ok(parsed(text)?.1.module)
}

/// A text that we read, with what its places are in.
pub(crate) fn parsed(text: &str) -> Result<(SourceMap, Parsed)> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("module", text);
    match wavemark_ir::parse(file, text) {
        Ok(parsed) => Ok((sources, parsed)),
        Err(diagnostic) => bail!("we do not read it: {}", render_short(&sources, &diagnostic)),
    }
}

/// A text of LLVM 23 or 24 as LLVM 22 can take it: that ends the process where an intrinsic has other parameters than it
/// knows. Nothing is an intrinsic then, nor has parameters that are immediate.
fn without_intrinsics(text: &str) -> String {
    text.replace("@llvm.", "@not.llvm.").replace(" immarg", "")
}

/// The text as LLVM 22 can take it.
fn for_llvm(text: &str) -> Cow<'_, str> {
    let newer = text.contains("target triple = \"amdgpu");
    if newer { Cow::Owned(without_intrinsics(text)) } else { Cow::Borrowed(text) }
}

/// Compares one file; whether LLVM could read it as it stands.
fn one(llvm: &Llvm, text: &str) -> Result<bool> {
    let text = &*for_llvm(text);
    let original = llvm.read(text, true);
    let module = read(text)?;
    let printed = wavemark_ir::print(&module);
    let again = read(&printed)?;
    ensure!(wavemark_ir::print(&again) == printed, "printing what we print changes it");
    let ours = match llvm.read(&printed, true) {
        Ok(ours) => ours,
        Err(message) => bail!("LLVM does not read what we print: {message}"),
    };
    match original {
        Ok(original) => {
            same_text(&original.printed, &ours.printed)
                .context("LLVM sees another module in what we print")?;
            Ok(true)
        }
        Err(_) => {
            let once = wavemark_ir::print(&read(&ours.printed)?);
            let twice = match llvm.read(&once, true) {
                Ok(twice) => twice,
                Err(message) => bail!("LLVM does not read its own module as we print it: {message}"),
            };
            same_text(&ours.printed, &twice.printed).context("LLVM's printing is another module to us")?;
            Ok(false)
        }
    }
}

/// The first line in which two texts differ is the error. The order of functions and variables is no difference.
fn same_text(left: &str, right: &str) -> Result<()> {
    if left == right {
        return Ok(());
    }
    for (number, (left, right)) in left.lines().zip(right.lines()).enumerate() {
        ensure!(left == right, "line {}:\n  {left}\n  {right}", number + 1);
    }
    bail!("one is longer")
}

/// How often all texts are read to be timed.
const ROUNDS: usize = 15;

/// Times on all texts, in turns: ours to read, and to read and verify, LLVM's to read. Of each the median, of the time of the
/// processor, so that other processes count little.
fn time(llvm: &Llvm, texts: &[String]) {
    let verified = |text: &str| {
        if let Ok(module) = read(text) {
            _ = std::hint::black_box(wavemark_ir::verify(&module, None));
        }
    };
    let readers: [&dyn Fn(&str); 3] =
        [&|text| drop(llvm.read(text, false)), &|text| drop(read(text)), &verified];
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (reader, times) in readers.iter().zip(&mut times) {
            let start = of_processor();
            texts.iter().for_each(|text| reader(text));
            times.push(of_processor() - start);
        }
    }
    let [theirs, ours, verified] = times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2]
    });
    let lines: usize = texts.iter().map(|text| text.lines().count()).sum();
    let ratio = theirs.as_secs_f64() / verified.as_secs_f64();
    println!(
        "{lines} lines: we read them in {ours:.3?}, and verify them as well in {verified:.3?}; LLVM reads them in \
         {theirs:.3?}, {ratio:.1} times as long"
    );
}

/// The time that the processor has spent on this process.
fn of_processor() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every system that this builds on, and `time` is written before it returns; were it not,
    // it is zero.
    _ = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
