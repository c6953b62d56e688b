//! `cargo xtask parity`: our assembler and disassembler against the LLVM inside the Rust toolchain.
//!
//! What is compared, for each target: every line of the variant lists (`facts/isa/TARGET.variants.tsv` of the shared
//! folder), both ways; every instruction of the corpus objects' `.text`; the corpus `.s` files against the `.text` of
//! the objects beside them; and random instructions made from the instruction table, text to bytes.
//! Fails if any answer differs, or if one side alone accepts 1 line in 1,000 or more. LLVM has no disassembler of gfx6
//! and gfx7: these are assembled only, the lines of their lists being those of all processors. Random words, most of which nobody
//! would write, are disassembled for information: LLVM prints some so that its own assembler refuses them.

mod corpus;
pub mod descriptors;
pub mod files;
mod generate;
mod image;
mod llvm;
pub mod speed;
mod tally;
mod worker;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use clap::Args;
use wavemark_asm::lines::{Answer as Ours, assemble_line, disassemble_line};
use wavemark_isa::{Table, decode, print};
use wavemark_target::{Subtarget, Target, TargetId};

pub use self::worker::{WorkerArgs, serve};
use tally::Tally;
use wavemark_filetests::random::Random;
use worker::{Direction, ask};

/// `parity`
#[derive(Args)]
pub struct ParityArgs {
    /// Only this target
    #[arg(long)]
    target: Option<String>,
    /// Seed of the generated lines; from the clock when left out
    #[arg(long)]
    seed: Option<u64>,
    /// Generated lines a target and direction
    #[arg(long, default_value_t = 20_000)]
    lines: usize,
    /// Only lines that contain this
    #[arg(long)]
    only: Option<String>,
    /// Samples to show of each kind of disagreement
    #[arg(long, default_value_t = 8)]
    samples: usize,
    /// Skip what needs the shared folder
    #[arg(long)]
    generated_only: bool,
}

/// A target as both sides are asked for it.
struct Side {
    cpu: &'static str,
    features: &'static str,
    subtarget: Subtarget,
}

/// Processor and features: one of each instruction set; those with 16-bit register names with and without, those with
/// two wave sizes in both.
const SIDES: &[(&str, &str)] = &[
    ("gfx600", ""),
    ("gfx700", ""),
    ("gfx801", ""),
    ("gfx900", ""),
    ("gfx908", ""),
    ("gfx90a", ""),
    ("gfx942", ""),
    ("gfx950", ""),
    ("gfx1010", ""),
    ("gfx1010", "+wavefrontsize64"),
    ("gfx1013", ""),
    ("gfx1030", ""),
    ("gfx1030", "+wavefrontsize64"),
    ("gfx1100", ""),
    ("gfx1100", "-real-true16"),
    ("gfx1100", "+wavefrontsize64"),
    ("gfx1150", ""),
    ("gfx1201", ""),
    ("gfx1201", "+real-true16"),
    ("gfx1201", "+wavefrontsize64"),
    ("gfx1250", ""),
    ("gfx1250", "+real-true16"),
    ("gfx1251", "+real-true16"),
];

/// Runs all comparisons.
pub fn run(args: &ParityArgs) -> ExitCode {
    match try_run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("parity: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn try_run(args: &ParityArgs) -> Result<bool> {
    let seed = seed(args.seed)?;
    println!("seed {seed}");
    let mut good = true;
    for &(cpu, features) in SIDES {
        if args.target.as_ref().is_some_and(|target| target != cpu) {
            continue;
        }
        let target = Target::amdhsa(cpu.parse::<TargetId>().context(cpu)?);
        let subtarget = Subtarget::new(target, features).map_err(|error| anyhow::anyhow!("{error}"))?;
        let side = Side { cpu, features, subtarget };
        let title = if features.is_empty() { cpu.to_owned() } else { format!("{cpu} {features}") };
        let llvm = llvm::Llvm::new(cpu, features)?;
        let (major, minor, patch) = llvm.version();
        println!("\n{title} against LLVM {major}.{minor}.{patch}");
        drop(llvm);
        if !args.generated_only {
            good &= shared(args, &side)?;
        }
        good &= generated(args, &side, seed)?;
    }
    Ok(good)
}

/// The seed that was given, or one from the clock.
fn seed(given: Option<u64>) -> Result<u64> {
    match given {
        Some(seed) => Ok(seed),
        None => Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as u64),
    }
}

/// What the shared folder has.
fn shared(args: &ParityArgs, side: &Side) -> Result<bool> {
    let folder = match wavemark_filetests::paths::shared() {
        Ok(folder) => folder,
        Err(skipped) => {
            println!("  variant lists and corpus {skipped}");
            return Ok(true);
        }
    };
    let wanted = |line: &&str| args.only.as_ref().is_none_or(|only| line.contains(only.as_str()));
    let lists = folder.join("facts/isa");
    let own = lists.join(format!("{}.variants.tsv", side.cpu));
    // A processor without a list of its own is asked for the lines of all: it takes those that it has.
    let paths: Vec<PathBuf> = match own.is_file() {
        true => vec![own],
        false => std::fs::read_dir(&lists)?
            .map(|entry| Ok(entry?.path()))
            .filter(|path| path.as_ref().is_ok_and(|path| path.to_string_lossy().ends_with(".variants.tsv")))
            .collect::<std::io::Result<_>>()?,
    };
    let (mut hexes, mut texts) = (Vec::new(), BTreeSet::new());
    for path in &paths {
        let list = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let columns =
            list.lines().filter(wanted).filter_map(|line| line.split_once('\t')?.1.split_once('\t'));
        for (hex, text) in columns {
            hexes.push(hex.to_owned());
            texts.insert(text.to_owned());
        }
    }
    let mut good = paths.len() > 1 || disassemble(args, side, "variant list, disassembled", &hexes)?;
    good &= assemble(args, side, "variant list, assembled", &Vec::from_iter(texts))?;
    // The objects do not depend on how 16-bit registers are written.
    if side.features.is_empty() {
        let words: Vec<String> = corpus::instructions(&folder, side.cpu, side.subtarget.machine)?;
        good &= disassemble(args, side, "corpus .text", &words)?;
        good &= corpus::sources(&folder, side.cpu, args.samples)?;
    }
    Ok(good)
}

/// Random instructions, both ways.
fn generated(args: &ParityArgs, side: &Side, seed: u64) -> Result<bool> {
    let mut random = Random::new(seed);
    let mut hexes = Vec::new();
    let mut texts = Vec::new();
    let mut tries = 0usize;
    let machine = side.subtarget.machine;
    while texts.len() < args.lines && tries < args.lines * 400 {
        tries += 1;
        if let Some(text) = image::statement(&mut random, Table::of(machine))
            && args.only.as_ref().is_none_or(|only| text.contains(only.as_str()))
        {
            texts.push(text);
        }
        let bytes = generate::bytes(&mut random, machine);
        let decoded = decode(machine, &bytes);
        let size = decoded.as_ref().map_or(bytes.len().min(8), |inst| usize::from(inst.size));
        let text = decoded.ok().map(|inst| print(machine, &inst));
        if let Some(only) = &args.only
            && !text.as_ref().is_some_and(|text| text.contains(only.as_str()))
        {
            continue;
        }
        if hexes.len() < args.lines {
            hexes.push(hex(&bytes[..size]));
        }
        // What LLVM marks as invalid in a comment is nobody's source text.
        if let Some(text) = text.filter(|text| !text.contains("/*") && !text.contains(';')) {
            let line = if random.one_in(4) { text } else { generate::vary(&mut random, &text) };
            texts.push(line);
        }
    }
    disassemble(args, side, "random words (for information)", &hexes)?;
    assemble(args, side, "generated lines", &texts)
}

/// Compares what both sides print; nothing where LLVM has no disassembler.
fn disassemble(args: &ParityArgs, side: &Side, what: &str, lines: &[String]) -> Result<bool> {
    if !llvm::disassembles(side.cpu) {
        return Ok(true);
    }
    let theirs = ask(Direction::Dis, side.cpu, side.features, lines)?;
    let mut tally = Tally::default();
    for (line, theirs) in lines.iter().zip(&theirs) {
        tally.add(line, &disassemble_line(line, &side.subtarget), theirs);
    }
    Ok(tally.report(what, args.samples))
}

/// Compares the bytes of both sides.
fn assemble(args: &ParityArgs, side: &Side, what: &str, lines: &[String]) -> Result<bool> {
    let theirs = ask(Direction::Asm, side.cpu, side.features, lines)?;
    let mut tally = Tally::default();
    for (line, theirs) in lines.iter().zip(&theirs) {
        tally.add(line, &assemble_line(line, &side.subtarget), theirs);
    }
    Ok(tally.report(what, args.samples))
}

/// Bytes in memory order as hexadecimal.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes that `text` spells; `None`: it does not.
fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks_exact(2);
    if !digits.remainder().is_empty() {
        return None;
    }
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}
