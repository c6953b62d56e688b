//! `cargo xtask parity`: our assembler and disassembler against the LLVM inside the Rust toolchain.
//!
//! What is compared, for each target: every line of the variant lists (`facts/isa/TARGET.variants.tsv` of the shared
//! folder), both ways; every instruction of the corpus objects' `.text`; the corpus `.s` files against the `.text` of
//! the objects beside them; random instructions made from the instruction table, text to bytes; and random words, bytes
//! to text ([`words`]). LLVM has no disassembler of gfx6 and gfx7: the lines of their lists are those of all processors,
//! and their words are read back.
//! A disagreement that is a defect of LLVM's ([`defects`]) is counted apart. Fails if any other answer differs, or if one
//! side alone accepts 1 line in 1,000 or more.

mod corpus;
mod defects;
pub mod descriptors;
pub mod files;
mod generate;
mod image;
pub(crate) mod llvm;
pub mod speed;
mod tally;
mod words;
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
use defects::Defects;
use generate::Wanted;
use tally::{Difference, Tally};
use wavemark_filetests::random::Random;
use worker::{Direction, ask};

/// `parity`
#[derive(Args)]
pub struct ParityArgs {
    /// Only this target
    #[arg(long)]
    target: Option<String>,
    /// Seed of the generated lines and words; from the clock when left out
    #[arg(long)]
    seed: Option<u64>,
    /// Generated lines for each target and each of its settings
    #[arg(long, default_value_t = 100_000)]
    lines: usize,
    /// Random words for each target, shared out among its settings
    #[arg(long, default_value_t = 1_000_000)]
    words: usize,
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
struct Side<'a> {
    cpu: &'static str,
    features: &'static str,
    subtarget: Subtarget,
    defects: &'a Defects,
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
    let defects = Defects::read()?;
    let stale = defects.check()?;
    for line in &stale {
        println!("llvm_defects.txt: {line}");
    }
    let mut good = stale.is_empty();
    let mut rows = Vec::new();
    for &(cpu, features) in SIDES {
        if args.target.as_ref().is_some_and(|target| target != cpu) {
            continue;
        }
        let target = Target::amdhsa(cpu.parse::<TargetId>().context(cpu)?);
        let subtarget = Subtarget::new(target, features).map_err(|error| anyhow::anyhow!("{error}"))?;
        let side = Side { cpu, features, subtarget, defects: &defects };
        let title = if features.is_empty() { cpu.to_owned() } else { format!("{cpu} {features}") };
        let llvm = llvm::Llvm::new(llvm::AMDHSA, cpu, features)?;
        let (major, minor, patch) = llvm.version();
        println!("\n{title} against LLVM {major}.{minor}.{patch}");
        drop(llvm);
        let mut lines = match args.generated_only {
            true => Tally::default(),
            false => shared(args, &side, &mut good)?,
        };
        let (generated, words) = generated(args, &side, seed)?;
        good &= generated.report("generated lines", args.samples);
        good &= words.report("random words", args.samples);
        lines.absorb(generated);
        rows.push(row(&title, &lines, &words));
    }
    println!("\n{}", HEAD);
    rows.iter().for_each(|row| println!("{row}"));
    println!("seed {seed}: {}", if good { "within the limits" } else { "NOT within the limits" });
    Ok(good)
}

const HEAD: &str =
    "target                      lines   differ one-sided     words   differ one-sided  LLVM's defects";

/// A line of the table: figures of lines and words, and LLVM's defects in both.
fn row(title: &str, lines: &Tally, words: &Tally) -> String {
    let ([all, differ, one_sided], [words_all, words_differ, words_one_sided]) =
        (lines.figures(), words.figures());
    let defects = match (lines.defects_in_words(), words.defects_in_words()) {
        (lines, words) if lines.is_empty() && words.is_empty() => "none".to_owned(),
        (lines, words) if lines.is_empty() => format!("words: {words}"),
        (lines, words) if words.is_empty() => format!("lines: {lines}"),
        (lines, words) => format!("lines: {lines}; words: {words}"),
    };
    format!(
        "{title:24} {all:8} {differ:8} {one_sided:9} {words_all:9} {words_differ:8} {words_one_sided:9}  {defects}"
    )
}

/// The seed that was given, or one from the clock.
fn seed(given: Option<u64>) -> Result<u64> {
    match given {
        Some(seed) => Ok(seed),
        None => Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as u64),
    }
}

/// What the shared folder has: the lines of lists and objects.
fn shared(args: &ParityArgs, side: &Side, good: &mut bool) -> Result<Tally> {
    let mut all = Tally::default();
    let mut add = |what: &str, tally: Tally| {
        let within = tally.report(what, args.samples);
        all.absorb(tally);
        within
    };
    let folder = match wavemark_filetests::paths::shared() {
        Ok(folder) => folder,
        Err(skipped) => {
            println!("  variant lists and corpus {skipped}");
            return Ok(all);
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
    if paths.len() == 1 {
        *good &= add("variant list, disassembled", disassemble(side, &hexes)?);
    }
    *good &= add("variant list, assembled", assemble(side, &Vec::from_iter(texts))?);
    // The objects do not depend on how 16-bit registers are written.
    if side.features.is_empty() {
        let words: Vec<String> = corpus::instructions(&folder, side.cpu, side.subtarget.machine)?;
        if llvm::disassembles(side.cpu) {
            *good &= add("corpus .text", disassemble(side, &words)?);
        }
        *good &= corpus::sources(&folder, side.cpu, args.samples)?;
    }
    Ok(all)
}

/// Random instructions as text, random words as bytes.
fn generated(args: &ParityArgs, side: &Side, seed: u64) -> Result<(Tally, Tally)> {
    let mut random = Random::new(seed);
    let mut texts = Vec::new();
    let mut tries = 0usize;
    let machine = side.subtarget.machine;
    let wanted = Wanted { only: args.only.as_deref() };
    while texts.len() < args.lines && tries < args.lines.saturating_mul(wanted.tries()) {
        tries += 1;
        if let Some(text) = image::statement(&mut random, Table::of(machine))
            && wanted.has(&text)
        {
            texts.push(text);
        }
        let bytes = generate::bytes(&mut random, machine);
        let text = decode(machine, &bytes).ok().map(|inst| print(machine, &inst));
        // What LLVM marks as invalid in a comment is nobody's source text.
        if let Some(text) =
            text.filter(|text| wanted.has(text) && !text.contains("/*") && !text.contains(';'))
        {
            let line = if random.one_in(4) { text } else { generate::vary(&mut random, &text) };
            texts.push(line);
        }
    }
    let lines = assemble(side, &texts)?;
    let settings = SIDES.iter().filter(|(cpu, _)| *cpu == side.cpu).count();
    let words = words::compare(side, wanted, args.words.div_ceil(settings), &mut random)?;
    Ok((lines, words))
}

/// Compares what both sides print.
fn disassemble(side: &Side, lines: &[String]) -> Result<Tally> {
    compare(side, Direction::Dis, lines, |line| disassemble_line(line, &side.subtarget))
}

/// Compares the bytes of both sides.
fn assemble(side: &Side, lines: &[String]) -> Result<Tally> {
    compare(side, Direction::Asm, lines, |line| assemble_line(line, &side.subtarget))
}

fn compare(
    side: &Side,
    direction: Direction,
    lines: &[String],
    ours: impl Fn(&str) -> Ours,
) -> Result<Tally> {
    let theirs = ask(direction, side.cpu, side.features, lines)?;
    let mut tally = Tally::default();
    let mut differences = Vec::new();
    for (line, theirs) in lines.iter().zip(&theirs) {
        differences.extend(tally.add(line, &ours(line), theirs));
    }
    classify(side, direction, differences, &mut tally)?;
    Ok(tally)
}

/// Counts the differences, each by its class.
fn classify(
    side: &Side,
    direction: Direction,
    differences: Vec<Difference>,
    tally: &mut Tally,
) -> Result<()> {
    let classes = side.defects.classify(direction, side.cpu, side.features, &differences)?;
    for (difference, class) in differences.into_iter().zip(classes) {
        tally.add_difference(difference, class);
    }
    Ok(())
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
