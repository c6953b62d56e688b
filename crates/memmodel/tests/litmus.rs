//! The catalogue under `tests/litmus`: every file's verdict is the one that it expects.

use std::path::Path;

use wavemark_memmodel::litmus::Test;
use wavemark_memmodel::litmus::advice::{Advice, advice};
use wavemark_memmodel::litmus::axioms::{Axioms, enumerate};
use wavemark_memmodel::litmus::explore::{Bounds, explore};
use wavemark_memmodel::litmus::generate::{STYLES, cycles, test};
use wavemark_memmodel::litmus::parse::{missing, parse};

#[test]
fn the_catalogue() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 85, "{} files", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap().to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        let test = match parse(&text) {
            Ok(test) => test,
            Err(error) => {
                wrong.push(format!(
                    "{name}: {error:?} at `{}`",
                    &text[error.at..].lines().next().unwrap_or("")
                ));
                continue;
            }
        };
        assert_eq!(test.name, name, "the name is the file's");
        let found = explore(&test, Bounds::default()).unwrap();
        let advice = advice(&test, &found, Bounds::default()).unwrap();
        let mut ids = found.ids();
        let verdict = found.verdict();
        ids.extend(advice.iter().map(Advice::rule));
        if verdict != test.expected.verdict || !missing(&test.expected.found, &ids).is_empty() {
            wrong.push(format!("{name}: {verdict:?} {ids:?}, expected {:?}", test.expected));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What an exploration and the axioms must agree on: the final registers, and whether executions that end so race.
fn explored(test: &Test) -> std::collections::BTreeMap<String, bool> {
    let found = explore(test, Bounds::default()).unwrap();
    assert!(found.finished, "{}", test.name);
    let registers = |state: &str| {
        let words = state.split(' ').filter(|word| word.contains(':'));
        words.collect::<Vec<_>>().join(" ")
    };
    let mut outcomes = std::collections::BTreeMap::new();
    for (state, outcome) in &found.outcomes {
        *outcomes.entry(registers(state)).or_insert(false) |= outcome.racy;
    }
    outcomes
}

/// Every cycle of up to six edges in every style, up to a number of tests, and the catalogue's tests of memory alone.
#[test]
fn the_exploration_and_the_axioms() {
    let most: usize =
        std::env::var("WAVEMARK_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1_500);
    let mut compared = 0;
    let mut kinds = std::collections::BTreeMap::new();
    'all: for cycle in cycles(6) {
        for style in STYLES {
            let Some(text) = test(&cycle, style) else { continue };
            let test = parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
            let by_axioms = enumerate(&test, Axioms::default()).unwrap();
            assert_eq!(explored(&test), by_axioms, "{text}");
            compared += 1;
            *kinds.entry(by_axioms.values().any(|racy| *racy)).or_insert(0) += 1;
            if compared >= most {
                break 'all;
            }
        }
    }
    assert!(compared >= most.min(1_000), "{compared}");
    assert!(kinds.len() == 2, "{kinds:?}");
}

/// Load buffering is consistent where the axioms are asked to let it be.
#[test]
fn load_buffering() {
    let text = include_str!("../../../tests/litmus/mem-lb-rlx.litmus");
    let test = parse(text).unwrap();
    let both = "0:a=1; 1:b=1;";
    assert!(!enumerate(&test, Axioms::default()).unwrap().contains_key(both));
    assert!(enumerate(&test, Axioms { load_buffering: true }).unwrap().contains_key(both));
}
