//! `cargo xtask parity --foreign PROGRAM`: holds the instruction table against a foreign assembler and
//! disassembler of the same instruction sets.
//!
//! Bytes: for every encoding of every row, its constant bits with random bits elsewhere; both sides disassemble.
//! Text: the texts so found with operands and modifiers exchanged among them; both sides assemble.
//!
//! The foreign program is called as
//! `PROGRAM dis --cpu CPU [--features F] --lines FILE` (one hex string a line; answers
//! `number TAB OK…|other TAB text TAB hex` on standard output) and
//! `PROGRAM asm --lines --cpu CPU [--features F] FILE -o FILE` (one statement a line; answers
//! `number TAB OK|ERR TAB hex|message TAB statement`).
//! A failing run prints its seed; `--seed` repeats it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use wavemark_isa::{Features, Isa, NoSymbols, Table, decode, encode, parse, print};

/// What to compare.
#[derive(clap::Args)]
pub struct ParityArgs {
    /// The foreign assembler and disassembler
    #[arg(long)]
    foreign: PathBuf,
    /// Byte strings per encoding
    #[arg(long, default_value_t = 4)]
    bytes: u32,
    /// Statements per instruction set
    #[arg(long, default_value_t = 10_000)]
    lines: u32,
    /// Seed of the random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many differences of each kind to show
    #[arg(long, default_value_t = 10)]
    show: usize,
    /// Fail if more than one in so many cases differs
    #[arg(long, default_value_t = 200)]
    allow: usize,
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// One side's answer: the result, or that it refuses.
type Answer = Option<String>;

struct Target {
    isa: Isa,
    features: Features,
    flags: Vec<&'static str>,
}

fn targets() -> [Target; 2] {
    let true16 = Features { real_true16: true, ..Features::default_of(Isa::Gfx1250) };
    [
        Target { isa: Isa::Gfx950, features: Features::default_of(Isa::Gfx950), flags: vec![] },
        Target { isa: Isa::Gfx1250, features: true16, flags: vec!["--features", "+real-true16"] },
    ]
}

/// Runs the comparison.
pub fn run(args: &ParityArgs) -> ExitCode {
    match compare(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}

fn compare(args: &ParityArgs) -> Result<bool> {
    let mut good = true;
    let mut random = Random(args.seed);
    for target in targets() {
        println!("{} (seed {})", target.isa.name(), args.seed);
        let bytes = byte_strings(&target, args.bytes, &mut random);
        let foreign = disassemble(args, &target, &bytes)?;
        let ours: Vec<Answer> = bytes.iter().map(|hex| our_text(&target, hex)).collect();
        good &= report(args, "disassembly", &bytes, &foreign, &ours);
        let texts: Vec<&String> =
            foreign.iter().flatten().filter(|text| !text.contains("/*") && !text.contains(';')).collect();
        let lines: Vec<String> = (0..args.lines).map(|_| mutate(&texts, &mut random)).collect();
        let foreign = assemble(args, &target, &lines)?;
        let ours: Vec<Answer> = lines.iter().map(|line| our_bytes(&target, line)).collect();
        good &= report(args, "assembly", &lines, &foreign, &ours);
    }
    Ok(good)
}

/// Counts and shows the differences; whether they are few enough.
fn report(args: &ParityArgs, what: &str, inputs: &[String], foreign: &[Answer], ours: &[Answer]) -> bool {
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut both = 0;
    for ((input, theirs), our) in inputs.iter().zip(foreign).zip(ours) {
        let kind = match (theirs, our) {
            (Some(a), Some(b)) if a == b => {
                both += 1;
                continue;
            }
            (None, None) => continue,
            (Some(_), Some(_)) => "differ",
            (Some(_), None) => "foreign only",
            (None, Some(_)) => "ours only",
        };
        let answer = |answer: &Answer| answer.clone().unwrap_or_else(|| "refused".to_owned());
        kinds.entry(kind).or_default().push(format!("{input} => {} / {}", answer(theirs), answer(our)));
    }
    let total: usize = kinds.values().map(Vec::len).sum();
    println!("  {what}: {} cases, {both} accepted alike, {total} unlike", inputs.len());
    for (kind, cases) in &kinds {
        println!("    {kind}: {}", cases.len());
        for case in cases.iter().take(args.show) {
            println!("      {case}");
        }
    }
    total * args.allow <= inputs.len()
}

fn byte_strings(target: &Target, each: u32, random: &mut Random) -> Vec<String> {
    let mut strings = Vec::new();
    for row in Table::of(target.isa).rows() {
        for encoding in &row.encodings {
            let size = usize::from(encoding.format.dwords) * 4;
            for n in 0..each {
                // A few random bits: most encodings stay valid.
                let mut bits = encoding.constant;
                for _ in 0..(n * 3) {
                    bits ^= 1u128 << random.below(size * 8);
                }
                strings.push(
                    bits.to_le_bytes()[..size.min(16)].iter().map(|byte| format!("{byte:02x}")).collect(),
                );
            }
        }
    }
    strings
}

/// A statement with operands and modifiers of others put in.
fn mutate(texts: &[&String], random: &mut Random) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let pieces = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let mut words = pieces(texts[random.below(texts.len())]);
    for _ in 0..=random.below(3) {
        let other = pieces(texts[random.below(texts.len())]);
        if words.len() > 1 && other.len() > 1 {
            let at = 1 + random.below(words.len() - 1);
            let new = other[1 + random.below(other.len() - 1)].trim_end_matches(',').to_owned();
            let comma = if words[at].ends_with(',') { "," } else { "" };
            words[at] = new + comma;
        }
    }
    words.join(" ")
}

fn our_text(target: &Target, hex: &str) -> Answer {
    let bytes: Vec<u8> =
        (0..hex.len() / 2).filter_map(|n| u8::from_str_radix(hex.get(2 * n..2 * n + 2)?, 16).ok()).collect();
    let inst = decode(target.isa, &bytes).ok()?;
    Some(print(target.isa, &inst, target.features).trim_end().to_owned())
}

fn our_bytes(target: &Target, line: &str) -> Answer {
    let parsed = parse(target.isa, target.features, line, &NoSymbols).ok()?;
    let bytes = encode(target.isa, &parsed.inst).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn scratch(name: &str, lines: &[String]) -> Result<PathBuf> {
    let path = std::env::temp_dir().join(format!("wavemark-parity-{}-{name}", std::process::id()));
    std::fs::write(&path, lines.join("\n") + "\n").with_context(|| format!("writing {}", path.display()))?;
    Ok(path)
}

fn disassemble(args: &ParityArgs, target: &Target, hexes: &[String]) -> Result<Vec<Answer>> {
    let input = scratch("hex", hexes)?;
    let output = Command::new(&args.foreign)
        .args(["dis", "--cpu", target.isa.name()])
        .args(&target.flags)
        .arg("--lines")
        .arg(&input)
        .output()
        .with_context(|| format!("running {}", args.foreign.display()))?;
    let _ = std::fs::remove_file(input);
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<Answer> = text
        .lines()
        .map(|line| {
            let mut columns = line.split('\t').skip(1);
            let status = columns.next()?;
            let text = columns.next()?;
            // `PART…` is an instruction with bytes left over.
            (status.starts_with("OK") || status.starts_with("PART")).then(|| text.trim_end().to_owned())
        })
        .collect();
    if answers.len() != hexes.len() {
        bail!("the foreign disassembler answered {} of {} lines", answers.len(), hexes.len());
    }
    Ok(answers)
}

fn assemble(args: &ParityArgs, target: &Target, lines: &[String]) -> Result<Vec<Answer>> {
    let input = scratch("s", lines)?;
    let output = input.with_extension("out");
    Command::new(&args.foreign)
        .args(["asm", "--lines", "--cpu", target.isa.name()])
        .args(&target.flags)
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .output()
        .with_context(|| format!("running {}", args.foreign.display()))?;
    let bytes = std::fs::read(&output).unwrap_or_default();
    let _ = std::fs::remove_file(&input);
    let _ = std::fs::remove_file(&output);
    let text = String::from_utf8_lossy(&bytes);
    let answers: Vec<Answer> = text
        .lines()
        .map(|line| {
            let mut columns = line.split('\t').skip(1);
            (columns.next()? == "OK").then(|| columns.next().unwrap_or_default().to_owned())
        })
        .collect();
    if answers.len() == lines.len() {
        return Ok(answers);
    }
    // It fell over a statement: find the statement and take it as refused.
    if let [_] = lines {
        return Ok(vec![None]);
    }
    let (front, back) = lines.split_at(lines.len() / 2);
    let mut answers = assemble(args, target, front)?;
    answers.extend(assemble(args, target, back)?);
    Ok(answers)
}
