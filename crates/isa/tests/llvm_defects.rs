//! Where we differ from LLVM 22 because LLVM is wrong: the examples of `tests/llvm_defects.txt`, which says what they
//! look like. Ours is held here; LLVM's stands there to compare with, and `cargo xtask parity` holds it.
//! `WAVEMARK_BLESS=1 cargo test -p wavemark-isa --test llvm_defects` writes ours.

use std::fmt::Write;

use wavemark_isa::{Machine, NoSymbols, decode, encode, parse, print};

fn answer(head: &str, input: &str) -> Result<String, String> {
    let mut words = head.splitn(3, ' ');
    let (mode, processor) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let features = words.next().unwrap_or_default();
    let machine = Machine::parse(processor, features).map_err(|error| error.to_string())?;
    match mode {
        "asm" => Ok(match parse(machine, input, &NoSymbols) {
            Err(error) => error.to_string(),
            Ok(parsed) => match encode(machine, &parsed.inst) {
                Ok(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                Err(error) => error.to_string(),
            },
        }),
        "dis" => {
            let byte = |n: usize| u8::from_str_radix(&input[2 * n..2 * n + 2], 16);
            let bytes: Vec<u8> = (0..input.len() / 2)
                .map(byte)
                .collect::<Result<_, _>>()
                .map_err(|error| error.to_string())?;
            Ok(match decode(machine, &bytes) {
                Ok(inst) => print(machine, &inst),
                Err(error) => error.to_string(),
            })
        }
        _ => Err(format!("{mode} is neither asm nor dis")),
    }
}

#[test]
fn differences_from_llvm_are_ours_to_keep() {
    let bless = std::env::var_os("WAVEMARK_BLESS").is_some();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/llvm_defects.txt");
    let text = std::fs::read_to_string(path).expect("tests/llvm_defects.txt");
    let mut failures = Vec::new();
    let mut blessed = String::new();
    for (number, line) in text.lines().enumerate() {
        if !line.starts_with("asm ") && !line.starts_with("dis ") {
            let _ = writeln!(blessed, "{line}");
            continue;
        }
        let place = format!("llvm_defects.txt:{}", number + 1);
        let columns: Vec<&str> = line.split(" @ ").collect();
        let [head, input, llvm, held] = columns[..] else {
            failures.push(format!("{place}: {} columns instead of 4", columns.len()));
            continue;
        };
        match answer(head, input) {
            Ok(ours) => {
                if ours == llvm {
                    failures.push(format!("{place}: no difference any more"));
                }
                if ours != held {
                    failures.push(format!("{place}: {input}: {ours}"));
                }
                let _ = writeln!(blessed, "{head} @ {input} @ {llvm} @ {ours}");
            }
            Err(why) => failures.push(format!("{place}: {why}")),
        }
    }
    if bless {
        std::fs::write(path, blessed).expect("writable");
    }
    assert!(
        bless || failures.is_empty(),
        "{} lines differ (WAVEMARK_BLESS=1 writes them):\n{}",
        failures.len(),
        failures.join("\n")
    );
}
