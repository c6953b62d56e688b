//! The checker on random pipelines as the pass makes them: proven clean; and with a wait made weaker: what the
//! interpreter finds in some order of completion the checker finds too, and what the checker calls clean no order breaks.
//!
//! `WAVEMARK_SEED=N` runs that seed alone, `WAVEMARK_CASES=N` so many.

#[path = "random/generate.rs"]
mod generate;

use generate::{Case, ELEMENTS, generate};
use wavemark_schedule::checker::{Report, Verdict, check, check_exhaustively};
use wavemark_schedule::pipeline::pipeline;
use wavemark_tile::interp::{self, Argument, Completion, Options};
use wavemark_tile::{BinaryOp, Element, Expr, Function, Module, Param, Stmt, VarId, print};

/// Raises the count of the wait number `which` by 1; how many waits there are.
fn weaken(stmt: &mut Stmt, which: usize, seen: &mut usize) {
    if let Stmt::Attr { key, value, .. } = stmt
        && key == "async_wait_inflight_count"
    {
        if *seen == which {
            *value = Expr::binary(BinaryOp::Add, value.clone(), Expr::int(1));
        }
        *seen += 1;
    }
    for child in stmt.children_mut() {
        weaken(child, which, seen);
    }
}

fn arguments(function: &Function, extent: i64) -> Vec<Argument> {
    let buffers = function.params.iter().map(|param| match param {
        Param::Scalar(_) => Argument::Scalar(Element::I32, extent as u64),
        Param::Buffer { .. } => {
            let data = (0..ELEMENTS).flat_map(|element| (element as u32 % 1021).to_le_bytes()).collect();
            Argument::Buffer { element: Element::I32, shape: vec![ELEMENTS as u64], data }
        }
    });
    buffers.collect()
}

/// Some of the orders tried reads or overwrites data in flight.
fn breaks(function: &Function, extent: i64, seed: u64, orders: u64) -> bool {
    let program = interp::compile(function).unwrap_or_else(|errors| panic!("not executable: {errors:?}"));
    let mut orders = std::iter::once((Completion::Late, 0))
        .chain((0..orders).map(|index| (Completion::Random, seed.wrapping_mul(31) + index)));
    orders.any(|(completion, seed)| {
        let options = Options { completion, seed, ..Options::default() };
        let outcome = program
            .run(&mut arguments(function, extent), &options)
            .unwrap_or_else(|error| panic!("the run failed: {error}"));
        !outcome.findings.is_empty()
    })
}

fn text(module: &Module, function: &Function, report: &Report) -> String {
    let after = Module { functions: vec![function.clone()], ..module.clone() };
    format!(
        "{}\n{:#?}\n{:#?}",
        print(&after, module.dialect),
        report.findings.first(),
        report.not_proven.first()
    )
}

/// Whether the pass accepts the program, and how many weakened ones were wrong.
fn try_seed(seed: u64) -> (bool, usize) {
    let Case { module, extent, dynamic } = generate(seed);
    let mut function = module.functions[0].clone();
    if pipeline(&mut function).is_err() {
        return (false, 0);
    }
    if dynamic {
        // Statements that no extent reaches are gone then.
        wavemark_tile::simplify(&mut function);
    }
    let report = check(&function);
    // A warning is allowed: a member that writes on both sides of a condition what it then reads seems to read what an
    // earlier group of its queue wrote.
    assert!(!report.has_errors(), "{}", text(&module, &function, &report));
    if dynamic {
        return (report.not_proven.is_empty(), 0);
    }
    assert!(report.not_proven.is_empty(), "{}", text(&module, &function, &report));
    let mut waits = 0;
    weaken(&mut function.body, usize::MAX, &mut waits);
    let mut wrong = 0;
    for which in 0..waits.min(4) {
        let mut weak = function.clone();
        weaken(&mut weak.body, which, &mut 0);
        let report = check(&weak);
        if breaks(&weak, extent, seed, 6) {
            wrong += 1;
            assert!(report.has_errors(), "broken, not found: {}", text(&module, &weak, &report));
        } else if report.has_errors() {
            // Rare orders; what is found must be there.
            let found = breaks(&weak, extent, seed, 3000);
            assert!(found, "found, but no order of 3,000 breaks it: {}", text(&module, &weak, &report));
        }
    }
    (true, wrong)
}

/// What two reports on one program must agree in.
fn essence(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let (producer, consumer) = (&finding.producer, finding.consumer.as_ref());
        text += &format!(
            "{:?} {} {:?} {} {:?}: {}\n",
            finding.rule,
            producer.place.describe(),
            producer.iteration,
            finding.instances,
            consumer.map(|consumer| (consumer.place.describe(), &consumer.iteration)),
            finding.blame.as_ref().map_or(-1, |blame| blame.sufficient),
        );
    }
    for wait in &report.waits {
        // The best count of a wait that is too strong may grow with the iterations that are walked.
        let best = wait.best.filter(|_| wait.verdict != Verdict::TooStrong);
        text += &format!("{:?} {best:?} {:?} {}\n", wait.verdict, wait.counts, wait.executions);
    }
    text
}

/// The skipped iterations are like the walked ones, and values of symbols beyond those walked like those.
fn compare_with_walking(module: &Module, function: &Function) {
    let report = check(function);
    if let Some(symbols) = &report.symbols {
        let Some(&(_, most)) = symbols.walked.first() else { return };
        if !symbols.all {
            return;
        }
        for value in [most + 1, most + 2, most + 7, 2 * most + 3] {
            let mut one = function.clone();
            for index in 0..one.vars.len() {
                if symbols.names == [one.vars[index].name.to_string()] {
                    let var = VarId(index as u32);
                    one.body.substitute(var, &Expr::Int(value, one.var(var).dtype));
                }
            }
            let single = check_exhaustively(&one);
            assert!(
                !single.has_errors() || !report.findings.is_empty(),
                "at {value}: {:#?}\n{}",
                single.findings,
                text(module, function, &report)
            );
        }
        return;
    }
    let walked = check_exhaustively(function);
    let (found, expected) = (essence(&report), essence(&walked));
    assert!(found == expected, "{found}\n--- walked\n{expected}\n{}", text(module, function, &report));
}

#[test]
fn what_is_not_walked_is_like_what_is() {
    let cases = number("WAVEMARK_CASES").unwrap_or(if cfg!(debug_assertions) { 500 } else { 20_000 });
    let (mut compared, mut skipping) = (0, 0);
    for seed in 0..cases {
        let Case { module, .. } = generate(seed);
        let mut function = module.functions[0].clone();
        if pipeline(&mut function).is_err() {
            continue;
        }
        let mut waits = 0;
        weaken(&mut function.body, usize::MAX, &mut waits);
        for which in 0..=waits.min(3) {
            let mut weak = function.clone();
            // The last one is as the pass made it.
            weaken(&mut weak.body, if which == waits.min(3) { usize::MAX } else { which }, &mut 0);
            println!("seed {seed}, wait {which}");
            compare_with_walking(&module, &weak);
            compared += 1;
            skipping += u64::from(!check(&weak).steady.is_empty());
        }
    }
    println!("{compared} programs compared, {skipping} with a steady state");
    assert!(skipping > cases / 20, "too few programs have a steady state: {skipping}");
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{variable}: not a number: {text}")))
}

#[test]
fn random_pipelines_are_proven_and_weak_ones_found() {
    let cases = number("WAVEMARK_CASES").unwrap_or(if cfg!(debug_assertions) { 1_000 } else { 20_000 });
    let seeds = match number("WAVEMARK_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..cases,
    };
    let total = seeds.end - seeds.start;
    let (mut accepted, mut wrong) = (0, 0);
    for seed in seeds {
        match std::panic::catch_unwind(|| try_seed(seed)) {
            Ok((one, broken)) => {
                accepted += u64::from(one);
                wrong += broken;
            }
            Err(_) => panic!("seed {seed} failed; run it alone with WAVEMARK_SEED={seed}"),
        }
    }
    println!("{accepted} of {total} pipelines proven, {wrong} weakened ones found");
    assert!(
        total < 100 || accepted * 4 > total,
        "too few random programs are accepted: {accepted} of {total}"
    );
    assert!(
        total < 100 || wrong as u64 * 10 > total,
        "too few weakened programs are wrong: {wrong} of {total}"
    );
}

/// What the checker says of all extents, against executions with some: whether it was proven, and how many weakened
/// ones were wrong.
fn try_extents(module: &Module, function: &Function, seed: u64) -> (bool, usize) {
    let report = check(function);
    assert!(!report.has_errors(), "{}", text(module, function, &report));
    let mut waits = 0;
    weaken(&mut function.body.clone(), usize::MAX, &mut waits);
    let mut wrong = 0;
    for which in 0..=waits.min(3) {
        let mut weak = function.clone();
        // The last one is as the pass made it.
        weaken(&mut weak.body, if which == waits.min(3) { usize::MAX } else { which }, &mut 0);
        let weak_report = check(&weak);
        let broken =
            [0, 1, 2, 3, 5, 8, 13, 24, 40].into_iter().find(|&extent| breaks(&weak, extent, seed, 3));
        if let Some(extent) = broken {
            wrong += 1;
            let context = || text(module, &weak, &weak_report);
            assert!(weak_report.has_errors(), "broken at {extent}, not found: {}", context());
        }
    }
    (report.not_proven.is_empty(), wrong)
}

#[test]
fn extents_that_are_not_known_are_proven() {
    let cases = number("WAVEMARK_CASES").unwrap_or(if cfg!(debug_assertions) { 1_500 } else { 20_000 });
    let seeds = match number("WAVEMARK_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..cases,
    };
    println!("seeds {seeds:?}");
    let (mut tried, mut open, mut wrong) = (0, Vec::new(), 0);
    for seed in seeds {
        let Case { module, dynamic, .. } = generate(seed);
        let mut function = module.functions[0].clone();
        if !dynamic || pipeline(&mut function).is_err() {
            continue;
        }
        wavemark_tile::simplify(&mut function);
        if !check(&function).has_async {
            continue;
        }
        tried += 1;
        match std::panic::catch_unwind(|| try_extents(&module, &function, seed)) {
            Ok((proven, broken)) => {
                if !proven {
                    open.push(seed);
                }
                wrong += broken;
            }
            Err(_) => panic!("seed {seed} failed; run it alone with WAVEMARK_SEED={seed}"),
        }
    }
    println!("{} of {tried} not proven: {open:?}; {wrong} weakened ones found", open.len());
    assert!(open.len() * 20 < tried || tried < 20, "{} of {tried} not proven: {open:?}", open.len());
    assert!(tried < 100 || wrong * 4 > tried, "too few weakened programs are wrong: {wrong}");
}
