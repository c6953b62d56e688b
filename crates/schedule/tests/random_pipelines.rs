//! Property: a pipelined program computes what its source computes, whatever order its asynchronous groups complete
//! in, with nothing read or overwritten while it is in flight, or it is refused.
//!
//! Programs are random ([`generate`]); a failure prints the seed and the program. `WAVEMARK_SEED=N` runs that seed
//! alone, `WAVEMARK_CASES=N` so many (100,000 in release builds, 2,000 else).

#[path = "random/generate.rs"]
mod generate;

use generate::{Case, ELEMENTS, generate};
use wavemark_schedule::checker::check as check_waits;
use wavemark_schedule::pipeline::pipeline;
use wavemark_tile::interp::{self, Argument, Completion, NegativeWait, Options, Outcome};
use wavemark_tile::{Element, Function, Module, Param, print};

/// What one seed gave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Result {
    Right,
    Refused,
}

fn arguments(function: &Function, extent: i64) -> Vec<Argument> {
    let mut code = 1_u32;
    let buffers = function.params.iter().map(|param| match param {
        Param::Scalar(_) => Argument::Scalar(Element::I32, extent as u64),
        Param::Buffer { .. } => {
            let mut next = || {
                code = code.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                (code >> 16 & 0x3ff).to_le_bytes()
            };
            let data = (0..ELEMENTS).flat_map(|_| next()).collect();
            Argument::Buffer { element: Element::I32, shape: vec![ELEMENTS as u64], data }
        }
    });
    buffers.collect()
}

fn run(function: &Function, extent: i64, options: &Options) -> (Vec<Argument>, Outcome) {
    let program = interp::compile(function).unwrap_or_else(|errors| panic!("not executable: {errors:?}"));
    let mut args = arguments(function, extent);
    let outcome = program.run(&mut args, options).unwrap_or_else(|error| panic!("the run failed: {error}"));
    (args, outcome)
}

fn check(seed: u64) -> Result {
    let Case { module, extent, dynamic } = generate(seed);
    let source = &module.functions[0];
    let mut pipelined = source.clone();
    if pipeline(&mut pipelined).is_err() {
        return Result::Refused;
    }
    let report = check_waits(&pipelined);
    assert!(
        !report.has_errors(),
        "the checker disagrees: {:#?}\n{}",
        report.findings,
        print(&Module { functions: vec![pipelined.clone()], ..module.clone() }, module.dialect)
    );
    // A program that was made for any extent must be right for each.
    let extents = if dynamic { vec![extent, 0, 1, 2, 3, extent % 7] } else { vec![extent] };
    for extent in extents {
        let (expected, before) = run(source, extent, &Options::default());
        if !before.findings.is_empty() {
            // Not a program with one meaning.
            return Result::Refused;
        }
        let schedules = [
            (Completion::Late, NegativeWait::Flush, 0),
            (Completion::Late, NegativeWait::Nop, 0),
            (Completion::Early, NegativeWait::Flush, 0),
            (Completion::Random, NegativeWait::Flush, seed),
            (Completion::Random, NegativeWait::Nop, seed + 1),
        ];
        for (completion, negative_wait, seed) in schedules {
            let options = Options { completion, negative_wait, seed, ..Options::default() };
            let (found, outcome) = run(&pipelined, extent, &options);
            let texts = || {
                let after = Module { functions: vec![pipelined.clone()], ..module.clone() };
                format!("{}\n{}", print(&module, module.dialect), print(&after, module.dialect))
            };
            assert!(
                outcome.findings.is_empty(),
                "extent {extent}, {completion:?}, {negative_wait:?}: {:#?}\n{}",
                outcome.findings,
                texts()
            );
            assert!(
                found == expected,
                "extent {extent}, {completion:?}, {negative_wait:?}: other results\n{}",
                texts()
            );
        }
    }
    Result::Right
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{variable}: not a number: {text}")))
}

#[test]
fn pipelined_programs_compute_what_their_sources_do() {
    let cases = number("WAVEMARK_CASES").unwrap_or(if cfg!(debug_assertions) { 2_000 } else { 100_000 });
    let seeds = match number("WAVEMARK_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..cases,
    };
    let total = seeds.end - seeds.start;
    let mut right = 0;
    for seed in seeds {
        let result = std::panic::catch_unwind(|| check(seed));
        match result {
            Ok(result) => right += u64::from(result == Result::Right),
            Err(_) => panic!("seed {seed} failed; run it alone with WAVEMARK_SEED={seed}"),
        }
    }
    println!("{right} of {total} pipelines are right, the rest refused");
    assert!(total < 100 || right * 4 > total, "too few random programs are accepted: {right} of {total}");
}
