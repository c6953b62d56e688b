//! The catalogue under `tests/litmus`: every file's verdict is the one that it expects.

use std::path::Path;

use wavemark_memmodel::litmus::advice::{Advice, advice};
use wavemark_memmodel::litmus::axioms::{Axioms, enumerate};
use wavemark_memmodel::litmus::explore::{Bounds, explore};
use wavemark_memmodel::litmus::generate::{STYLES, cycles, test};
use wavemark_memmodel::litmus::parse::{missing, parse};
use wavemark_memmodel::litmus::{Proposition, Test, Verdict};

#[test]
fn the_catalogue() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    // Tests of machine code, in a folder of their own, are above this crate.
    let mut files: Vec<_> = files.filter(|path| path.is_file()).collect();
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

/// What an exploration and the axioms must agree on: the final registers and locations, and whether executions that end so
/// race.
fn explored(test: &Test) -> std::collections::BTreeMap<String, bool> {
    // The final state names the locations that are asked for.
    let mut test = test.clone();
    for location in 0..test.locations.len() as u8 {
        let named = Box::new(Proposition::Location(location, 0));
        test.asked = Proposition::And(Box::new(test.asked), named);
    }
    let found = explore(&test, Bounds::default()).unwrap();
    assert!(found.finished, "{}", test.name);
    found.outcomes.into_iter().map(|(state, outcome)| (state, outcome.racy)).collect()
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
    let both = "0:a=1; 1:b=1; X=1; Y=1;";
    assert!(!enumerate(&test, Axioms::default()).unwrap().contains_key(both));
    assert!(enumerate(&test, Axioms { load_buffering: true }).unwrap().contains_key(both));
}

/// Texts that cannot be read have a place, and none of them a panic: every prefix of the catalogue's, and some of their
/// words exchanged.
#[test]
fn texts_that_cannot_be_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.is_file()).map(|path| std::fs::read_to_string(path).unwrap());
    let words = [
        "(",
        ")",
        "9999999999",
        "-1",
        "P7",
        "L0",
        "}",
        "{",
        "|",
        ";",
        "\"",
        "(*",
        "é",
        "exists",
        ":",
        "=",
        "",
    ];
    let bounds = Bounds { states: 2_000, threads: 1 };
    let read = |text: &str| match parse(text) {
        Ok(test) => drop(explore(&test, bounds)),
        Err(error) => {
            assert!(error.at <= text.len() && text.is_char_boundary(error.at), "{error:?} in\n{text}")
        }
    };
    for (number, text) in files.enumerate() {
        for end in (0..text.len()).step_by(7) {
            read(&text[..end]);
        }
        let split: Vec<&str> = text.split_inclusive(' ').collect();
        for at in 0..split.len() {
            let mut changed = split.clone();
            let word = format!("{} ", words[(at + number) % words.len()]);
            changed[at] = &word;
            read(&changed.concat());
        }
    }
    for text in ["", "AMDGPU x\n", "AMDGPU x\n P0 ;\nscopes: (agent (agent P0))\n"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

/// Sets of events are as large as a test needs: initial writes fill more than a word here, and accesses stand behind them.
#[test]
fn more_events_than_bits_of_a_word() {
    let many: String = (0..80).map(|number| format!("X{number} = 0; ")).collect();
    let verdict = |store: &str, load: &str| {
        let text = format!(
            "AMDGPU x\n{{ {many} }}\n P0 | P1 ;\n store X, 1 | a = load atomic F {load} ;\n store atomic F, 1 {store} | bne a, 1, \
             END ;\n | b = load X ;\n | END: ;\nscopes: (agent (workgroup P0) (workgroup P1))\nexists (1:a=1 /\\ 1:b=0)\n"
        );
        explore(&parse(&text).unwrap(), Bounds::default()).unwrap().verdict()
    };
    assert_eq!(verdict("release", "acquire"), Some(Verdict::Forbidden));
    assert_eq!(verdict("monotonic", "acquire"), Some(Verdict::Racy));
}
