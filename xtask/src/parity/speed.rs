//! `cargo xtask speed`: how fast we assemble and disassemble, beside the LLVM inside the Rust toolchain.
//!
//! Both sides get the same instructions in the same process, in turns, on one thread, and what counts is the time that
//! the thread had a processor (`/proc/thread-self/schedstat`), so that a busy machine moves the ratio little. The
//! instructions are those of the corpus objects of a target, one kernel after the other and again from the first until
//! there are enough. LLVM's assembler is asked for an object of the text as inline assembly of an empty module, its
//! disassembler for one instruction after the other into a buffer, without anything around it; ours assemble the text
//! to an object, and print that object as a file of its own, labels and checks included.

use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use wavemark_asm::{Source, assemble, disassemble};
use wavemark_codeobj::CodeObject;
use wavemark_diag::SourceMap;
use wavemark_isa::{decode, print};
use wavemark_target::{Subtarget, Target, TargetId};

use super::{corpus, llvm};

/// `speed`
#[derive(Args)]
pub struct SpeedArgs {
    /// Only this target
    #[arg(long)]
    target: Option<String>,
    /// Instructions at least
    #[arg(long, default_value_t = 100_000)]
    instructions: usize,
    /// Turns of each side; the median counts
    #[arg(long, default_value_t = 7)]
    turns: usize,
    /// Without LLVM, for a profiler
    #[arg(long)]
    alone: bool,
}

/// Processors and features: the corpus' kernels of gfx1250 name halves of registers.
const SIDES: &[(&str, &str)] = &[("gfx1250", "+real-true16"), ("gfx950", ""), ("gfx1100", "")];

/// Runs and prints the comparison.
pub fn run(args: &SpeedArgs) -> ExitCode {
    match try_run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("speed: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn try_run(args: &SpeedArgs) -> Result<()> {
    println!("ns of processor time per instruction, median of {} turns", args.turns);
    for &(cpu, features) in SIDES {
        if args.target.as_ref().is_some_and(|target| target != cpu) {
            continue;
        }
        let target = Target::amdhsa(cpu.parse::<TargetId>().context(cpu)?);
        let subtarget = Subtarget::new(target, features).map_err(|error| anyhow::anyhow!("{error}"))?;
        let (text, count) = text(cpu, &subtarget, args.instructions)?;
        let llvm = llvm::Llvm::new(llvm::AMDHSA, cpu, features)?;
        println!("{cpu}: {count} instructions");
        let mut sources = SourceMap::new();
        let file = sources.add_text("speed.s", text.as_str());
        let ours = || {
            assemble(Source { file, name: "speed.s", text: &text }, &subtarget)
                .map(|assembled| assembled.elf)
                .map_err(|_| anyhow::anyhow!("we do not assemble what we printed"))
        };
        let theirs = || -> Result<Vec<u8>> {
            let (object, problems) = llvm.object_of(&text)?;
            ensure!(problems.is_empty(), "LLVM refuses line {}: {}", problems[0].0, problems[0].1);
            Ok(object)
        };
        let object = ours()?;
        let code = corpus::text_of(&object)?;
        // LLVM ends the section of a module with code that no wave reaches (`s_code_end`).
        ensure!(corpus::text_of(&theirs()?)?.starts_with(&code), "LLVM makes other bytes");
        let turns = (args.turns, args.alone);
        compare("assemble", turns, count, || ours().map(drop), || theirs().map(drop))?;

        let object = CodeObject::parse(&object)?;
        let ours = || disassemble(&object, features).map(drop).map_err(|error| anyhow::anyhow!("{error}"));
        let theirs = || {
            let seen = llvm.disassemble_all(&code);
            ensure!(seen == count, "LLVM sees {seen} instructions of {count}");
            Ok(())
        };
        compare("disassemble", turns, count, ours, theirs)?;
    }
    Ok(())
}

/// The text of the corpus' instructions that both sides take, and how many there are.
fn text(cpu: &str, subtarget: &Subtarget, least: usize) -> Result<(String, usize)> {
    let folder =
        wavemark_filetests::paths::shared().map_err(|skipped| anyhow::anyhow!("the corpus {skipped}"))?;
    let mut lines = Vec::new();
    for code in corpus::codes(&folder, cpu)? {
        let mut rest = code.as_slice();
        while !rest.is_empty() {
            let Ok(inst) = decode(subtarget.machine, rest) else {
                rest = rest.get(4..).unwrap_or_default();
                continue;
            };
            lines.push(print(subtarget.machine, &inst));
            rest = &rest[usize::from(inst.size)..];
        }
    }
    ensure!(!lines.is_empty(), "the corpus has no code of {cpu}");
    let once = lines.len();
    let mut text = String::from(".text\n");
    let mut count = 0;
    while count < least {
        for line in &lines {
            text.push_str(line);
            text.push('\n');
        }
        count += once;
    }
    Ok((text, count))
}

/// Prints the medians of both sides and their ratio.
fn compare(
    what: &str,
    (turns, alone): (usize, bool),
    count: usize,
    mut ours: impl FnMut() -> Result<()>,
    mut theirs: impl FnMut() -> Result<()>,
) -> Result<()> {
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for _ in 0..turns.max(1) {
        own.push(timed(&mut ours)?);
        other.push(if alone { 0 } else { timed(&mut theirs)? });
    }
    let median = |times: &mut Vec<u64>| {
        times.sort_unstable();
        times[times.len() / 2] as f64 / count as f64
    };
    let (own, other) = (median(&mut own), median(&mut other));
    println!("  {what}: {own:.0}, LLVM {other:.0}: {:.1} times as fast", other / own);
    Ok(())
}

/// Nanoseconds that this thread had a processor while `work` ran.
fn timed(work: &mut impl FnMut() -> Result<()>) -> Result<u64> {
    let now = || -> Result<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
        Ok(text.split(' ').next().context("an empty schedstat")?.parse()?)
    };
    let start = now()?;
    work()?;
    Ok(now()? - start)
}
