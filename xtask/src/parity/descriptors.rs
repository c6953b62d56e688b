//! Kernel descriptors: random blocks of `.amdhsa_` directives for every processor, the bytes of both sides compared.
//!
//! Most blocks are such as both sides should take; some have a directive that the processor lacks, or a value beyond
//! its field. Every processor is asked with each of its wave sizes and settings. `--write` writes what LLVM makes of
//! the accepted blocks as lines of `crates/asm/tests/data/descriptors.txt`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use wavemark_asm::Source;
use wavemark_codeobj::descriptor::KernelDescriptor;
use wavemark_codeobj::{CodeObject, Field};
use wavemark_diag::SourceMap;
use wavemark_filetests::random::Random;
use wavemark_target::{Processor, Property, Subtarget, Target, TargetId};

use super::llvm::Llvm;

/// `descriptors`
#[derive(Args)]
pub struct DescriptorArgs {
    /// Only this processor
    #[arg(long)]
    target: Option<Processor>,
    /// Seed; from the clock when left out
    #[arg(long)]
    seed: Option<u64>,
    /// Blocks for each processor and set of features
    #[arg(long, default_value_t = 200)]
    blocks: usize,
    /// Samples to show of each kind of disagreement
    #[arg(long, default_value_t = 8)]
    samples: usize,
    /// Write what LLVM makes of the accepted blocks
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// Keys of a block that set no field to their value as it is.
const SPECIAL: &[&str] = &[
    "group_segment_fixed_size",
    "private_segment_fixed_size",
    "kernarg_size",
    "user_sgpr_count",
    "next_free_vgpr",
    "next_free_sgpr",
    "accum_offset",
    "reserve_vcc",
    "reserve_flat_scratch",
    "reserve_xnack_mask",
];

/// A block: keys without their prefix, and values.
type Block = Vec<(&'static str, u64)>;

/// What one side says of a block.
type Answer = Result<KernelDescriptor, String>;

/// Compares all processors.
pub fn serve(args: &DescriptorArgs) -> ExitCode {
    match run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("descriptors: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything agrees.
fn run(args: &DescriptorArgs) -> Result<bool> {
    let seed = super::seed(args.seed)?;
    println!("seed {seed}");
    let mut lines = format!("# cargo xtask descriptors --seed {seed} --blocks {}\n", args.blocks);
    let (mut same, mut understood) = (0, 0);
    let (mut refused, mut wrong) = (BTreeMap::<String, usize>::new(), Vec::new());
    for processor in Processor::ALL.iter().copied().filter(|p| args.target.is_none_or(|only| only == *p)) {
        for features in feature_sets(processor) {
            let target = Target::amdhsa(TargetId::new(processor));
            let subtarget = Subtarget::new(target, &features).map_err(|error| anyhow::anyhow!("{error}"))?;
            let mut random = Random::new(seed ^ (processor as u64) << 32);
            let blocks: Vec<Block> = (0..args.blocks).map(|_| block(&mut random, &subtarget)).collect();
            let Some(theirs) = llvm(processor, &features, &blocks)? else { break };
            for (block, theirs) in blocks.iter().zip(theirs) {
                let ours = ours(block, &subtarget);
                let line = format!("{processor} {}", if features.is_empty() { "-" } else { &features });
                let line = format!("{line} | {}", join(block));
                match (ours, theirs) {
                    (Ok(ours), Ok(theirs)) if ours == theirs => {
                        same += 1;
                        _ = writeln!(lines, "{line} | {}", super::hex(&theirs.encode()));
                    }
                    (Err(_), Err(message)) => {
                        *refused.entry(message).or_insert(0) += 1;
                    }
                    (Err(_), Ok(_)) if spills(block) => understood += 1,
                    (ours, theirs) => wrong.push(format!("{line}\n{}", difference(&ours, &theirs))),
                }
            }
        }
    }
    let by_both = refused.values().sum::<usize>();
    println!(
        "{same} descriptors are the same, {by_both} are refused by both, {understood} by us with reason, {} differ",
        wrong.len()
    );
    for (message, count) in &refused {
        println!("  {count:6} refused: {message}");
    }
    for sample in wrong.iter().take(args.samples) {
        println!("  {sample}");
    }
    if let Some(path) = &args.write {
        std::fs::write(path, lines).with_context(|| path.display().to_string())?;
    }
    Ok(wrong.is_empty())
}

/// Lists of features that a descriptor depends on.
fn feature_sets(processor: Processor) -> Vec<String> {
    let mut sets = vec![String::new()];
    let mut each = |feature: &str, there: bool| {
        if there {
            sets.push(feature.to_owned());
        }
    };
    let switchable = processor.has(Property::XNACK) && !processor.has(Property::XNACK_ALWAYS);
    each("+xnack", switchable);
    each("-xnack", switchable);
    each("+wavefrontsize64", processor.has(Property::WAVE32) && processor.has(Property::WAVE64));
    each("+cumode", processor.has(Property::CUMODE));
    each("+tgsplit", processor.has(Property::TGSPLIT));
    sets
}

fn block(random: &mut Random, subtarget: &Subtarget) -> Block {
    let processor = subtarget.processor();
    let limits = subtarget.limits();
    let field_keys =
        Processor::ALL.iter().flat_map(|&p| Field::ALL.iter().filter_map(move |field| field.directive(p)));
    let mut keys: Vec<&'static str> = SPECIAL.iter().copied().chain(field_keys).collect();
    keys.sort_unstable();
    keys.dedup();
    let vgprs = edge(random, limits.addressable_vgprs);
    let mut block = Block::new();
    for key in keys {
        let field = Field::by_directive(key, processor);
        let special = SPECIAL.contains(&key);
        let required = matches!(key, "next_free_vgpr" | "next_free_sgpr")
            || key == "accum_offset" && Field::AccumOffset.exists_on(processor);
        let there = required || (field.is_some() || special && suits(key, processor)) && !random.one_in(3);
        if !there && !random.one_in(400) || random.one_in(400) {
            continue;
        }
        let value = match key {
            "group_segment_fixed_size" | "private_segment_fixed_size" => {
                random.bits() >> (32 + random.below(32))
            }
            "kernarg_size" => random.below(4) as u64 * random.below(512) as u64,
            "next_free_vgpr" => vgprs,
            "next_free_sgpr" => {
                let special = if random.one_in(4) { 0 } else { 6 };
                edge(random, limits.addressable_sgprs - special)
            }
            "accum_offset" => 4 + 4 * random.below((vgprs.clamp(1, 256) as usize).div_ceil(4)) as u64,
            "user_sgpr_count" => 14 + random.below(19) as u64,
            "user_sgpr_kernarg_preload_length" => random.below(6) as u64,
            "user_sgpr_kernarg_preload_offset" => random.below(4) as u64 * random.below(40) as u64,
            "reserve_xnack_mask" => u64::from(subtarget.xnack_on_or_any() != random.one_in(20)),
            "wavefront_size32" => u64::from(subtarget.wave32() != random.one_in(6)),
            "shared_vgpr_count" => u64::from(random.one_in(3)) * random.below(16) as u64,
            _ => random.below(field.map_or(1, Field::largest) as usize + 1) as u64,
        };
        let beyond = random.one_in(300);
        block.push((key, if beyond { value + 1 + field.map_or(1, Field::largest) as u64 } else { value }));
    }
    for at in (1..block.len()).rev() {
        block.swap(at, random.below(at + 1));
    }
    block
}

/// Whether LLVM 22 takes a value that its field cannot hold: of `named_barrier_count` alone it does not check the
/// range, and sets bits of the fields above.
fn spills(block: &Block) -> bool {
    block
        .iter()
        .any(|(key, value)| *key == "named_barrier_count" && *value > Field::NamedBarCnt.largest().into())
}

/// Whether a key that sets no field belongs to the processor.
fn suits(key: &str, processor: Processor) -> bool {
    let architected = processor.has(Property::ARCHITECTED_FLAT_SCRATCH);
    match key {
        "accum_offset" => Field::AccumOffset.exists_on(processor),
        "reserve_flat_scratch" => !architected && processor.has(Property::GENERIC_ADDRESS_SPACE),
        "reserve_xnack_mask" => processor.isa_version().0 >= 8,
        _ => true,
    }
}

/// 0, 1, the largest, or anything between.
fn edge(random: &mut Random, largest: u32) -> u64 {
    match random.below(6) {
        0 => 0,
        1 => 1,
        2 => largest.into(),
        _ => random.below(largest as usize + 1) as u64,
    }
}

fn join(block: &Block) -> String {
    let parts: Vec<String> = block.iter().map(|(key, value)| format!("{key} {value}")).collect();
    parts.join("; ")
}

/// The block of kernel `k` and its number, on `lines` lines of their own.
fn text(number: usize, block: &Block) -> String {
    let mut text = format!(".amdhsa_kernel k{number}\n");
    for (key, value) in block {
        _ = writeln!(text, ".amdhsa_{key} {value}");
    }
    text + ".end_amdhsa_kernel\n"
}

const BEFORE: &str = ".section .rodata,\"a\",@progbits\n.p2align 6\n";

fn ours(block: &Block, subtarget: &Subtarget) -> Answer {
    let text = format!(".text\nk0:\n{BEFORE}{}", text(0, block));
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.s", text.clone());
    match wavemark_asm::assemble(Source { file, name: "k.s", text: &text }, subtarget) {
        Ok(object) => {
            Ok(CodeObject::parse(&object.elf).map_err(|error| error.to_string())?.kernels[0].descriptor)
        }
        Err(diagnostics) => Err(diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; ")),
    }
}

/// LLVM's answers; nothing if it does not know the processor.
fn llvm(processor: Processor, features: &str, blocks: &[Block]) -> Result<Option<Vec<Answer>>> {
    // Its own list of processors ends before these, and it treats unknown ones as something else.
    if matches!(processor, Processor::Gfx940 | Processor::Gfx941 | Processor::Gfx12_5Generic) {
        return Ok(None);
    }
    let llvm = Llvm::new(super::llvm::AMDHSA, processor.name(), features)?;
    let mut all = String::from(".text\n");
    for number in 0..blocks.len() {
        _ = writeln!(all, "k{number}:");
    }
    all += BEFORE;
    let mut starts = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        starts.push(all.lines().count() + 1);
        all += &text(number, block);
    }
    starts.push(all.lines().count() + 1);
    let (object, problems) = llvm.object_of(&all)?;
    let object = CodeObject::parse(&object).context("what LLVM emits is no code object")?;
    let answer = |number: usize| {
        let problem = problems.iter().find(|(line, _)| (starts[number]..starts[number + 1]).contains(line));
        let named = |kernel: &&wavemark_codeobj::read::Kernel| kernel.name == format!("k{number}");
        match (problem, object.kernels.iter().find(named)) {
            (Some((_, message)), _) => Err(message.clone()),
            (None, Some(kernel)) => Ok(kernel.descriptor),
            (None, None) => Err("it makes no descriptor".to_owned()),
        }
    };
    Ok(Some((0..blocks.len()).map(answer).collect()))
}

fn difference(ours: &Answer, theirs: &Answer) -> String {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            let fields = ours.fields().zip(theirs.fields()).filter(|(a, b)| a != b);
            let mut text: Vec<String> =
                fields.map(|(a, b)| format!("      {} is {}, LLVM has {}", a.0.name(), a.1, b.1)).collect();
            if text.is_empty() {
                text.push(format!("      ours {ours:x?}\n      LLVM {theirs:x?}"));
            }
            text.join("\n")
        }
        (Ok(_), Err(message)) => format!("      only LLVM refuses it: {message}"),
        (Err(message), Ok(_)) => format!("      only we refuse it: {message}"),
        (Err(_), Err(_)) => String::new(),
    }
}
