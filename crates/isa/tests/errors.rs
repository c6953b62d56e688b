//! Wrong statements and what we say of them: `tests/errors/*.txt`.
//!
//! A line is `processor features | statement | LLVM's message | ours` (each message as `column: text`; the features in
//! LLVM's spelling, may be empty). LLVM 22's message stands there to compare with; ours is held.
//! `WAVEMARK_BLESS=1 cargo test -p wavemark-isa --test errors` writes ours.

use std::fmt::Write;

use wavemark_isa::{Machine, NoSymbols, encode, parse};

fn message(processor: &str, statement: &str) -> Result<String, String> {
    let (name, features) = processor.split_once(' ').unwrap_or((processor, ""));
    let machine = Machine::parse(name, features).map_err(|error| format!("{processor}: {error}"))?;
    match parse(machine, statement, &NoSymbols) {
        Err(error) => Ok(error.to_string()),
        Ok(parsed) => match encode(machine, &parsed.inst) {
            Err(error) => Ok(error.to_string()),
            Ok(bytes) => Err(format!("{processor}: `{statement}` assembles to {bytes:02x?}")),
        },
    }
}

#[test]
fn wrong_statements_are_refused_with_a_reason() {
    let bless = std::env::var_os("WAVEMARK_BLESS").is_some();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/errors");
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("tests/errors") {
        let path = entry.expect("entry").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        let mut blessed = String::new();
        for (number, line) in text.lines().enumerate() {
            let columns: Vec<&str> = line.split(" | ").collect();
            let [processor, statement, llvm, rest @ ..] = &columns[..] else {
                failures.push(format!(
                    "{}:{}: {} columns instead of 4",
                    path.display(),
                    number + 1,
                    columns.len()
                ));
                continue;
            };
            count += 1;
            match message(processor, statement) {
                Ok(ours) => {
                    if rest != [ours.as_str()] {
                        failures.push(format!("{}:{}: {statement}: {ours}", path.display(), number + 1));
                    }
                    let _ = writeln!(blessed, "{processor} | {statement} | {llvm} | {ours}");
                }
                Err(why) => failures.push(format!("{}:{}: {why}", path.display(), number + 1)),
            }
        }
        if bless {
            std::fs::write(&path, blessed).expect("writable");
        }
    }
    assert!(count > 0, "no lines");
    assert!(
        bless || failures.is_empty(),
        "{} of {count} lines differ (WAVEMARK_BLESS=1 writes them):\n{}",
        failures.len(),
        failures.join("\n")
    );
}
