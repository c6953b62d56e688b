//! `xtask differential`: random functions in LLVM IR, executed by our interpreter, and as the code that the LLVM inside the
//! Rust toolchain makes of them, executed by our simulator. Both must give the same bytes.
//!
//! Kernel number N of a run is made of the seed plus N: `--seed SEED+N --count 1` makes it again. A batch of kernels is one
//! module, compiled by one of three settings in turn: the code generator alone at levels 0 and 2, and the optimiser before
//! it. What differs is reduced, and written to `--keep`.
//!
//! What LLVM 22 compiles wrongly is not made by the generator. Each such defect is a kernel in `llvm_defects`, with what is
//! wrong: `--defects` runs them, and fails for those that do not differ (any more).

mod arithmetic;
pub mod code;
mod flow;
mod generate;
mod memory;
mod reduce;
mod sides;
mod types;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use wavemark_filetests::random::Random;
use wavemark_target::Processor;

use code::{SETTINGS, Setting, generate as compile};
use sides::{Loaded, input, of_ir, read};

/// `differential`
#[derive(Args)]
pub struct DifferentialArgs {
    /// The processor
    #[arg(long, default_value = "gfx950")]
    target: String,
    /// The seed of the first kernel; from the clock when left out
    #[arg(long)]
    seed: Option<u64>,
    /// Kernels
    #[arg(long, default_value_t = 1_000)]
    count: usize,
    /// Kernels of a module
    #[arg(long, default_value_t = 50)]
    batch: usize,
    /// Use one setting alone: 0, 1 or 2
    #[arg(long)]
    setting: Option<usize>,
    /// A folder for the kernels that differ, whole and reduced
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Run the kernels of known defects of LLVM instead
    #[arg(long)]
    defects: bool,
    /// Differences to reduce at most
    #[arg(long, default_value_t = 10)]
    reduce: usize,
}

/// A kernel that does not give the same.
struct Different {
    seed: u64,
    setting: Setting,
    why: String,
    lines: Vec<String>,
}

/// What was seen.
#[derive(Default)]
struct Tally {
    same: usize,
    different: Vec<Different>,
    /// Kernels that LLVM dies of, or refuses.
    refused: Vec<(u64, String)>,
}

/// Runs the comparison.
pub fn run(args: &DifferentialArgs) -> ExitCode {
    match try_run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("differential: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn try_run(args: &DifferentialArgs) -> Result<bool> {
    if args.defects {
        return defects();
    }
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let seed = args.seed.unwrap_or_else(clock);
    println!("{}: seed {seed}, {} kernels", args.target, args.count);
    let processor =
        Processor::by_name(&args.target).with_context(|| format!("there is no {}", args.target))?;
    let mut tally = Tally::default();
    let (mut first, mut batch) = (0, 0);
    while first < args.count {
        let count = args.batch.clamp(1, args.count - first);
        let kernels: Vec<(u64, Vec<String>)> = (first..first + count)
            .map(|number| seed.wrapping_add(number as u64))
            .enumerate()
            .map(|(number, seed)| (seed, generate::kernel(processor, number, seed)))
            .collect();
        let setting = SETTINGS[args.setting.unwrap_or(batch) % SETTINGS.len()];
        compare(processor, setting, &kernels, &mut tally)?;
        first += count;
        batch += 1;
    }
    for (index, different) in tally.different.iter().enumerate() {
        let Different { seed, setting, why, lines } = different;
        println!("seed {seed}, level {} {}: {why}", setting.level, setting.passes);
        let reduced = (index < args.reduce).then(|| shrink(processor, different)).transpose()?;
        if let Some(folder) = &args.keep {
            std::fs::create_dir_all(folder)?;
            let name = |kind: &str| folder.join(format!("{}-{seed}.{kind}ll", args.target));
            std::fs::write(name(""), generate::module(processor, std::slice::from_ref(lines)))?;
            if let Some(reduced) = &reduced {
                std::fs::write(name("reduced."), generate::module(processor, std::slice::from_ref(reduced)))?;
            }
        }
        for line in reduced.iter().flatten() {
            println!("    {line}");
        }
    }
    for (seed, why) in &tally.refused {
        println!("seed {seed}: LLVM makes nothing of it: {why}");
    }
    let (same, different, refused) = (tally.same, tally.different.len(), tally.refused.len());
    println!("{}: {same} the same, {different} different, {refused} that LLVM makes nothing of", args.target);
    Ok(different == 0)
}

/// Known defects of LLVM: name, and a kernel whose first line says for which processor it is, and the number of the setting.
const DEFECTS: [(&str, &str); 25] = [
    ("bit_comparison", include_str!("llvm_defects/bit_comparison.ll")),
    ("chosen_nan", include_str!("llvm_defects/chosen_nan.ll")),
    ("commuted_move", include_str!("llvm_defects/commuted_move.ll")),
    ("difference_from_zero", include_str!("llvm_defects/difference_from_zero.ll")),
    ("division_of_24_bits", include_str!("llvm_defects/division_of_24_bits.ll")),
    ("folded_zero", include_str!("llvm_defects/folded_zero.ll")),
    ("hoisted_slice", include_str!("llvm_defects/hoisted_slice.ll")),
    ("inline_constants", include_str!("llvm_defects/inline_constants.ll")),
    ("late_rejoin", include_str!("llvm_defects/late_rejoin.ll")),
    ("literal_of_conversion", include_str!("llvm_defects/literal_of_conversion.ll")),
    ("lost_constant", include_str!("llvm_defects/lost_constant.ll")),
    ("lost_move", include_str!("llvm_defects/lost_move.ll")),
    ("masked_quotient", include_str!("llvm_defects/masked_quotient.ll")),
    ("narrowed_product", include_str!("llvm_defects/narrowed_product.ll")),
    ("negated_zero", include_str!("llvm_defects/negated_zero.ll")),
    ("negative_zero", include_str!("llvm_defects/negative_zero.ll")),
    ("or_with_ones", include_str!("llvm_defects/or_with_ones.ll")),
    ("rounded_twice", include_str!("llvm_defects/rounded_twice.ll")),
    ("scaled_offset", include_str!("llvm_defects/scaled_offset.ll")),
    ("scc_of_reduction", include_str!("llvm_defects/scc_of_reduction.ll")),
    ("sum_with_zero", include_str!("llvm_defects/sum_with_zero.ll")),
    ("sunk_load", include_str!("llvm_defects/sunk_load.ll")),
    ("wide_bit_field", include_str!("llvm_defects/wide_bit_field.ll")),
    ("zero_of_products", include_str!("llvm_defects/zero_of_products.ll")),
    ("zero_of_quotient", include_str!("llvm_defects/zero_of_quotient.ll")),
];

/// Runs the kernels of known defects; whether all of them still differ.
fn defects() -> Result<bool> {
    let mut all = true;
    for (name, text) in DEFECTS {
        let head = text.lines().next().and_then(|line| line.strip_prefix("; "));
        let Some((target, setting)) = head.and_then(|head| head.split_once(", setting ")) else {
            bail!("{name}: the first line says neither processor nor setting");
        };
        let processor = Processor::by_name(target).with_context(|| format!("{name}: {target}"))?;
        let setting =
            SETTINGS.get(setting.parse::<usize>()?).with_context(|| format!("{name}: {setting}"))?;
        let text = text.to_owned() + &generate::attributes(processor);
        let input = input_of(0);
        let ir = of_ir(&read(&text, processor)?, "k", processor, &input);
        ensure!(ir.is_ok(), "{name}: {ir:?}");
        let object = compile(processor, *setting, &text)?.map_err(anyhow::Error::msg)?;
        let difference = difference(&ir, &Loaded::new(object)?.run("k", &input));
        println!("{name}: {}", difference.as_deref().unwrap_or("the same: LLVM compiles it rightly"));
        all &= difference.is_some();
    }
    Ok(all)
}

/// The input that a kernel gets.
fn input_of(seed: u64) -> Vec<u8> {
    input(&mut Random::new(seed ^ 0x5eed))
}

/// Compares the kernels of one module. LLVM may die of one of them: they are halved until it is alone.
fn compare(
    processor: Processor,
    setting: Setting,
    kernels: &[(u64, Vec<String>)],
    tally: &mut Tally,
) -> Result<()> {
    let lines: Vec<Vec<String>> = kernels.iter().map(|(_, lines)| lines.clone()).collect();
    let text = generate::module(processor, &lines);
    let object = match compile(processor, setting, &text)? {
        Ok(object) => object,
        Err(why) => {
            if let [(seed, _)] = kernels {
                tally.refused.push((*seed, why));
                return Ok(());
            }
            let (left, right) = kernels.split_at(kernels.len() / 2);
            compare(processor, setting, left, tally)?;
            return compare(processor, setting, right, tally);
        }
    };
    let parsed = read(&text, processor)?;
    let mut loaded = Loaded::new(object)?;
    for (seed, lines) in kernels {
        let input = input_of(*seed);
        let name = name_of(lines)?;
        match difference(&of_ir(&parsed, name, processor, &input), &loaded.run(name, &input)) {
            None => tally.same += 1,
            Some(why) => tally.different.push(Different { seed: *seed, setting, why, lines: lines.clone() }),
        }
    }
    Ok(())
}

/// The name of the kernel among some lines.
fn name_of(lines: &[String]) -> Result<&str> {
    let head = lines.iter().find_map(|line| line.strip_prefix("define amdgpu_kernel void @"));
    match head.and_then(|head| head.split_once('(')) {
        Some((name, _)) => Ok(name),
        None => bail!("there is no kernel"),
    }
}

/// What differs, in words.
fn difference(ir: &Result<Vec<u8>>, code: &Result<Vec<u8>>) -> Option<String> {
    match (ir, code) {
        (Ok(ir), Ok(code)) => {
            let at = ir.iter().zip(code).position(|(ir, code)| ir != code)?;
            let (item, offset) = (at / generate::OWN, at % generate::OWN);
            let count = ir.iter().zip(code).filter(|(ir, code)| ir != code).count();
            Some(format!(
                "byte {offset} of work-item {item} is {:#04x} in IR, {:#04x} in code; {count} bytes differ",
                ir[at], code[at]
            ))
        }
        (Err(error), _) | (_, Err(error)) => Some(format!("{error:#}")),
    }
}

/// A kernel that differs, with nothing left that it does not need for that.
fn shrink(processor: Processor, different: &Different) -> Result<Vec<String>> {
    let Different { seed, setting, lines, .. } = different;
    let name = name_of(lines)?.to_owned();
    let input = input_of(*seed);
    let outcome = |lines: &[String]| -> Result<(Result<Vec<u8>>, Result<Vec<u8>>)> {
        let text = generate::module(processor, &[lines.to_vec()]);
        let parsed = read(&text, processor)?;
        let ir = of_ir(&parsed, &name, processor, &input);
        if ir.is_err() {
            return Ok((ir, Ok(Vec::new())));
        }
        match compile(processor, *setting, &text)? {
            Ok(object) => Ok((ir, Loaded::new(object)?.run(&name, &input))),
            Err(why) => bail!("{why}"),
        }
    };
    let kind = |(ir, code): &(Result<Vec<u8>>, Result<Vec<u8>>)| match (ir, code) {
        (Ok(ir), Ok(code)) => (ir != code).then(String::new),
        (Err(error), _) | (_, Err(error)) => Some(error.to_string()),
    };
    let Some(wanted) = outcome(lines).ok().and_then(|both| kind(&both)) else {
        // Only with other kernels around it.
        return Ok(lines.clone());
    };
    Ok(reduce::reduce(lines.clone(), |lines| {
        outcome(lines).ok().and_then(|both| kind(&both)).as_ref() == Some(&wanted)
    }))
}
