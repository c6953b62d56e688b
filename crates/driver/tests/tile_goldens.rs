//! TVM's own pipelined programs on the tile interpreter: its verdicts are those that the goldens' manifest has.
//!
//! Right ones (`pass`) compute what their source does under every order of completion tried, without a finding; of
//! wrong ones some order shows a finding, a fault, or another result. Skipped, and says so, without the shared goldens.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::Value;
use wavemark_diag::SourceMap;
use wavemark_tile::interp::{
    Argument, Completion, FindingKind, MemberOrder, NegativeWait, Options, Program, compile,
};
use wavemark_tile::{Function, Param};

fn folder(name: &str) -> Option<PathBuf> {
    wavemark_corpus::shared_or_skip(&format!("goldens/{name}"))
}

fn function(path: &Path) -> Function {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut sources = SourceMap::new();
    let file = sources.add_text(path.display().to_string(), text.clone());
    let module = wavemark_frontend::parse(file, &text);
    let mut module = module.unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()));
    module.functions.remove(0)
}

/// Buffers of small different numbers; `dynamic` for extents that the program leaves open.
fn arguments(function: &Function, dynamic: i64) -> Vec<Argument> {
    let mut state = 1u32;
    let mut number = || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        f64::from((state >> 16) & 63)
    };
    let argument = |param: &Param| match param {
        Param::Scalar(var) => {
            let element = function.var(*var).dtype.element().expect("a number");
            Argument::Scalar(element, dynamic as u64)
        }
        Param::Buffer { buffer, .. } => {
            let buffer = function.buffer(*buffer);
            let extent = |extent: &wavemark_tile::Expr| extent.as_int().unwrap_or(dynamic) as u64;
            let shape: Vec<u64> = buffer.shape.iter().map(extent).collect();
            let element = buffer.dtype.element().expect("numbers");
            let elements = shape.iter().product::<u64>() as usize;
            let mut data = vec![0; element.buffer_bytes(elements as u64).expect("small") as usize];
            for index in 0..elements {
                element.store(&mut data, index, element.encode_float(number()).expect("in range"));
            }
            Argument::Buffer { element, shape, data }
        }
    };
    function.params.iter().map(argument).collect()
}

/// Every way of completing that is tried.
fn schedules(random: u64) -> Vec<Options> {
    let mut all = Vec::new();
    for negative_wait in [NegativeWait::Flush, NegativeWait::Nop] {
        let base = Options { negative_wait, ..Options::default() };
        let mut push = |completion, queues: &[(i64, Completion)], members, seed| {
            all.push(Options { completion, queues: queues.to_vec(), members, seed, ..base.clone() });
        };
        for members in [MemberOrder::Program, MemberOrder::Reversed] {
            push(Completion::Late, &[], members, 0);
            push(Completion::Early, &[], members, 0);
        }
        for queue in 0..4 {
            push(Completion::Late, &[(queue, Completion::Early)], MemberOrder::Program, 0);
            push(Completion::Early, &[(queue, Completion::Late)], MemberOrder::Program, 0);
        }
        for seed in 1..=random {
            push(Completion::Random, &[], MemberOrder::Program, seed);
        }
    }
    all
}

/// What is wrong with the program, if some order shows it.
fn wrong(program: &Program, args: &[Argument], expected: &[Argument], random: u64) -> Option<String> {
    let mut schedules = schedules(random);
    let mut number = 0;
    while number < schedules.len() {
        let options = schedules[number].clone();
        number += 1;
        let mut found = args.to_vec();
        match program.run(&mut found, &options) {
            Err(error) => return Some(format!("{error} under {options:?}")),
            Ok(outcome) => {
                // One run of the largest takes as long as hundreds of the others.
                if outcome.steps > 1_000_000 && schedules.len() > 4 {
                    schedules = schedules.into_iter().rev().step_by(7).collect();
                    schedules.truncate(4);
                    number = 0;
                }
                if let Some(finding) = outcome.findings.first() {
                    return Some(format!("{finding} under {options:?}"));
                }
            }
        }
        if found != expected {
            return Some(format!("another result under {options:?}"));
        }
    }
    None
}

/// The manifest has `pass`, but members of one group depend on one another (a defect that the facts page has as B7):
/// its oracle ran them in program order.
const UNORDERED: &str = "rfc_gemm_nested_bad_stage";

/// Opaque calls.
const REFUSED: [&str; 2] = ["edge_access_ptr", "edge_access_ptr_min3"];

fn check(case: &str, verdict: Option<&str>, folder: &Path, random: u64) -> Result<(), String> {
    let file = |form: &str| function(&folder.join(format!("{case}.{form}.py.txt")));
    let before = file("before");
    let refused = |program: Result<Program, Vec<wavemark_diag::Diagnostic>>| match program {
        Ok(program) => Ok(program),
        Err(diagnostics) => Err(diagnostics[0].message.clone()),
    };
    if REFUSED.contains(&case) {
        return match refused(compile(&before)) {
            Err(message) if message == "unsupported: `call_extern(\"consume\", …)`" => Ok(()),
            other => Err(format!("{case}: {other:?}")),
        };
    }
    let source = refused(compile(&before)).map_err(|message| format!("{case}: {message}"))?;
    let args = arguments(&before, 13);
    let mut expected = args.clone();
    let outcome =
        source.run(&mut expected, &Options::default()).map_err(|error| format!("{case}: {error}"))?;
    if verdict.is_some_and(|verdict| verdict.starts_with("input-UB")) {
        let undefined = outcome.findings.iter().any(|found| found.kind == FindingKind::Uninitialized);
        return if undefined { Ok(()) } else { Err(format!("{case}: nothing undefined found")) };
    }
    if let Some(finding) = outcome.findings.first() {
        return Err(format!("{case}, as it was: {finding}"));
    }
    for form in ["after", "after_simplified"] {
        let path = folder.join(format!("{case}.{form}.py.txt"));
        if !path.is_file() {
            continue;
        }
        let program = refused(compile(&function(&path))).map_err(|message| format!("{case}: {message}"))?;
        match (verdict, wrong(&program, &args, &expected, random)) {
            (_, Some(what)) if case == UNORDERED && what.contains(FindingKind::UnorderedMembers.title()) => {}
            (Some("WRONG"), None) => return Err(format!("{case}.{form}: nothing wrong was found")),
            (Some("pass") | None, Some(what)) => return Err(format!("{case}.{form}: {what}")),
            _ => {}
        }
    }
    Ok(())
}

fn all(name: &str, random: u64) {
    let Some(folder) = folder(name) else { return };
    let text = std::fs::read_to_string(folder.join("manifest.json")).expect("the manifest");
    let manifest: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let entries: Vec<&Value> = manifest.iter().filter(|entry| entry["result"] != "error").collect();
    let failure = |entry: &&Value| {
        let case = entry["case"].as_str().expect("a name");
        // The random pipelines have their verdict in `result`.
        let verdict = match entry["result"].as_str() {
            Some("wrong") => Some("WRONG"),
            _ => entry["verdict"].as_str(),
        };
        check(case, verdict, &folder, random).err()
    };
    let failures: Vec<String> = entries.par_iter().filter_map(failure).collect();
    let count = entries.len();
    assert!(count > 20, "only {count} goldens");
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn verdicts_of_the_goldens() {
    all("tvm", if cfg!(debug_assertions) { 10 } else { 1000 });
}

#[test]
fn verdicts_of_random_pipelines() {
    all("tvm-fuzz", if cfg!(debug_assertions) { 20 } else { 1000 });
}

/// Texts with other numbers in them: refused, or run to an outcome or a fault, never a panic.
#[test]
fn other_numbers_never_panic() {
    let seed = 0x5eed_0003u64;
    let mut state = seed;
    let mut random = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let (mut parsed, mut ran) = (0, 0);
    for name in ["tvm", "tvm-fuzz"] {
        let Some(folder) = folder(name) else { return };
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let Some(text) = path.to_str().filter(|path| path.ends_with(".py.txt")) else { continue };
            let text = std::fs::read_to_string(text).expect("text");
            for attempt in 0..if cfg!(debug_assertions) { 4 } else { 40 } {
                let mut changed = text.clone();
                for _ in 0..1 + random(3) {
                    let numbers: Vec<usize> = changed
                        .match_indices(|c: char| c.is_ascii_digit())
                        .map(|(at, _)| at)
                        .filter(|&at| {
                            !changed[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                        })
                        .collect();
                    let at = numbers[random(numbers.len())];
                    let length = changed[at..].bytes().take_while(u8::is_ascii_digit).count();
                    let other =
                        ["0", "1", "2", "3", "-1", "7", "64", "999", "70000", "2147483647"][random(10)];
                    changed.replace_range(at..at + length, other);
                }
                let mut sources = SourceMap::new();
                let file = sources.add_text("changed", changed.clone());
                let Ok(module) = wavemark_frontend::parse(file, &changed) else { continue };
                parsed += 1;
                let Some(function) = module.functions.first() else { continue };
                let Ok(program) = compile(function) else { continue };
                let shape = |param: &Param| match param {
                    Param::Scalar(_) => 0,
                    Param::Buffer { buffer, .. } => {
                        let extents = function.buffer(*buffer).shape.iter();
                        extents.map(|extent| extent.as_int().unwrap_or(13) as f64).product::<f64>().abs()
                            as u64
                    }
                };
                if function.params.iter().map(shape).max().unwrap_or(0) > 200_000 {
                    continue;
                }
                let completion = [Completion::Early, Completion::Late, Completion::Random][random(3)];
                let options = Options { completion, seed: attempt, max_steps: 100_000, ..Options::default() };
                println!("{} attempt {attempt}, seed {seed:#x}", path.display());
                if program.run(&mut arguments(function, 13), &options).is_ok() {
                    ran += 1;
                }
            }
        }
    }
    assert!(parsed > 100 && ran > 50, "only {parsed} parsed, {ran} ran");
}
