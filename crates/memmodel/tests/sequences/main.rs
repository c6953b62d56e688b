//! The code sequences of LLVM's *AMDGPU usage*, every row of its tables for global memory and LDS, against the memory
//! model: on litmus shapes, the machine with caches shows no final registers that the model does not allow.
//!
//! The rows that fail are in `failing.txt`, with the shape and the final registers that show it. That the machine sees what
//! a sequence is for is held too: message passing fails without some of its waits, invalidates and write-backs (others are
//! for what the shape has not, such as accesses to LDS).

mod expand;
mod shapes;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use expand::{Line, expand};
use rayon::prelude::*;
use shapes::{Shape, shapes};
use wavemark_memmodel::caches::{Exploration, Hierarchy, Program, run};
use wavemark_memmodel::litmus::explore::{Bounds, explore};
use wavemark_memmodel::litmus::parse::parse;

/// The generations and modes, with the table of each: where it begins and ends.
fn lines() -> Vec<Line> {
    let line = |name: &'static str, begin, end, (shared_first, second, incoherent_device), split| Line {
        name,
        begin,
        end,
        hierarchy: Hierarchy {
            shared_first,
            ports: false,
            write_back_in_order: true,
            second,
            incoherent_device,
        },
        // "fewer (possibly one) larger agents with groups of CUs on each agent each sharing separate L2 caches"
        several_l2: name.ends_with("several L2"),
        mode: table::Mode { compute_unit: shared_first, threadgroup_split: split, gfx11: false },
    };
    vec![
        line("gfx6-gfx9", "Table 79", "Memory Model GFX90A", (true, false, false), false),
        line("gfx90a", "Table 80", "Memory Model GFX942", (true, false, true), false),
        line("gfx90a tgsplit", "Table 80", "Memory Model GFX942", (false, false, true), true),
        line("gfx942", "Table 81", "Memory Model GFX10-GFX11", (true, false, true), false),
        line("gfx942 several L2", "Table 81", "Memory Model GFX10-GFX11", (true, false, true), false),
        line("gfx942 tgsplit", "Table 81", "Memory Model GFX10-GFX11", (false, false, true), true),
        line("gfx10 CU", "Table 82", "Memory Model GFX12", (true, true, false), false),
        line("gfx10 WGP", "Table 82", "Memory Model GFX12", (false, true, false), false),
        line("gfx12 CU", "Table 84", "Trap Handler ABI", (true, false, true), false),
        line("gfx12 WGP", "Table 84", "Trap Handler ABI", (false, false, true), false),
    ]
}

/// States of the machine that a shape may have.
const MOST: usize = 3_000_000;

/// The final registers of a shape on a machine that the model does not allow; with the step left out, where one is given.
fn beyond(
    line: &Line,
    text: &str,
    shape: &Shape,
    without: Option<usize>,
    used: &mut BTreeSet<usize>,
) -> Option<Vec<String>> {
    let test = parse(&shape.text).unwrap_or_else(|error| panic!("{error:?} in\n{}", shape.text));
    let allowed = explore(&test, Bounds::default()).unwrap();
    assert!(allowed.faults.is_empty(), "a shape must not race:\n{}", shape.text);
    let allowed: BTreeSet<&str> = allowed.outcomes.keys().map(String::as_str).collect();
    let (waves, rows) = expand(line, text, &test, without)?;
    used.extend(rows);
    let initial: Vec<i64> = test.locations.iter().map(|location| location.initial).collect();
    let Some(found) = run(&Program::new(line.hierarchy, &initial, &waves), Exploration::Reduced, MOST) else {
        panic!("{} has more than {MOST} states on {}", shape.name, line.name)
    };
    let state =
        |registers: Vec<Vec<Option<i64>>>| test.registers_in_words(|thread| &registers[thread]).join(" ");
    Some(found.ends.into_keys().map(state).filter(|state| !allowed.contains(state.as_str())).collect())
}

#[test]
fn every_row() {
    let Some(spec) = wavemark_corpus::shared_or_skip("spec") else { return };
    let text = std::fs::read_to_string(spec.join("amdgpu-usage.txt")).unwrap();
    // What fails, and how many shapes were run, how many rows they used, of how many.
    let of_line = |line: Line| {
        let mut report = String::new();
        let mut used = BTreeSet::new();
        let mut count = 0;
        // There is no LDS where the waves of a workgroup may be on several compute units.
        let has_lds = |shape: &&Shape| !line.mode.threadgroup_split || !shape.name.contains(" L");
        let all = shapes();
        for shape in all.iter().filter(has_lds) {
            let Some(beyond) = beyond(&line, &text, shape, None, &mut used) else {
                writeln!(
                    report,
                    "{}: {}: the table has no row for an instruction of it",
                    line.name, shape.name
                )
                .unwrap();
                continue;
            };
            count += 1;
            if let Some(state) = beyond.first() {
                writeln!(report, "{}: {}: {state}", line.name, shape.name).unwrap();
            }
        }
        let rows = table::rows(&text, line.begin, line.end);
        let unused = rows.iter().enumerate().filter(|(at, _)| !used.contains(at));
        let has_lds = |row: &table::Row| !line.mode.threadgroup_split || row.spaces != ["local"];
        for (_, row) in unused.filter(|(_, row)| expand::is_asked(row) && has_lds(row)) {
            writeln!(
                report,
                "{}: not reached: {} {} {} {}",
                line.name,
                row.instruction,
                row.ordering,
                row.scopes.join("/"),
                row.spaces.join("/")
            )
            .unwrap();
        }
        (report, (line.name, (count, used.len(), rows.len())))
    };
    let (report, proved): (String, BTreeMap<_, _>) = lines().into_par_iter().map(of_line).collect();
    println!("{proved:#?}");
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sequences/failing.txt");
    if std::env::var_os("WAVEMARK_BLESS").is_some() {
        std::fs::write(&file, &report).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(known == report, "WAVEMARK_BLESS=1 writes what fails now:\n{report}");
}

/// A step that a sequence could do without is one that the machine does not see.
#[test]
fn steps_are_needed() {
    let Some(spec) = wavemark_corpus::shared_or_skip("spec") else { return };
    let text = std::fs::read_to_string(spec.join("amdgpu-usage.txt")).unwrap();
    let mut needed = BTreeMap::new();
    for line in lines() {
        let counts = needed.entry(line.name).or_insert((0, 0));
        let passing = |shape: &&Shape| {
            shape.name.starts_with("MP release")
                && shape.name.ends_with(" X F")
                && !shape.name.contains("together")
        };
        for shape in shapes().iter().filter(passing) {
            for without in 0..16 {
                let mut used = BTreeSet::new();
                let test = parse(&shape.text).unwrap();
                let whole: usize =
                    expand(&line, &text, &test, None).unwrap().0.iter().map(|wave| wave.ops.len()).sum();
                let less: usize = expand(&line, &text, &test, Some(without))
                    .unwrap()
                    .0
                    .iter()
                    .map(|wave| wave.ops.len())
                    .sum();
                if whole == less {
                    continue;
                }
                counts.0 += 1;
                counts.1 +=
                    usize::from(beyond(&line, &text, shape, Some(without), &mut used) != Some(Vec::new()));
            }
        }
    }
    println!("steps, and those of them that are needed: {needed:?}");
    for (name, (steps, needed)) in needed {
        assert!(needed >= 2 && steps >= needed, "{name}: {needed} of {steps}");
    }
}
