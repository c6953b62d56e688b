//! Every instruction variant that LLVM 22 knows, from the shared fact files: bytes print as the text, and the text
//! assembles to the bytes. Skipped, saying so, where the files are not there; in CI that is a failure.
//!
//! A file's lines are `mnemonic <TAB> hex <TAB> text` (`*.variants.tsv`) and `legacy name <TAB> name <TAB> hex
//! <TAB> text` (`*.aliases.tsv`).

use std::path::PathBuf;

use wavemark_isa::{Machine, NoSymbols, decode, encode, parse, print};
use wavemark_target::Processor;

fn facts() -> PathBuf {
    let shared = std::env::var_os("WAVEMARK_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")));
    shared.join("facts/isa")
}

/// The lists' texts by processor, of those that have one.
fn lists(kind: &str) -> Vec<(Machine, String)> {
    let read = |&processor: &Processor| {
        let path = facts().join(format!("{processor}.{kind}.tsv"));
        Some((Machine::new(processor), std::fs::read_to_string(path).ok()?))
    };
    let lists: Vec<_> = Processor::ALL.iter().filter_map(read).collect();
    if lists.is_empty() {
        assert!(std::env::var_os("CI").is_none(), "{} is not there", facts().display());
        eprintln!("SKIPPED: {} is not there", facts().display());
    }
    lists
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).filter_map(|n| u8::from_str_radix(text.get(2 * n..2 * n + 2)?, 16).ok()).collect()
}

/// Lines on which we and LLVM's sample differ, and why.
fn is_known(text: &str) -> bool {
    // LLVM prints the operand-less cache operations with a blank at the end.
    text.ends_with(' ')
        // The sample lacks the `op_sel_hi` that LLVM prints for these bits.
        || text.starts_with("v_mfma_scale_f32_") && text.ends_with("v1, v2")
        // A 64-bit literal that LLVM's disassembler takes for 0 in a pair.
        || text == "v_dual_add_nc_u32 v11, 0, v0 :: v_dual_sub_f32 v0, s0, v0"
}

fn disassembles(machine: Machine, bytes: &[u8], text: &str) -> Result<(), String> {
    let inst = decode(machine, bytes).map_err(|error| format!("decode: {error}"))?;
    let printed = print(machine, &inst);
    if printed != text {
        return Err(format!("prints as `{printed}`"));
    }
    Ok(())
}

fn assembles(machine: Machine, bytes: &[u8], text: &str) -> Result<(), String> {
    let parsed = parse(machine, text, &NoSymbols).map_err(|error| format!("parse: {error}"))?;
    let got = encode(machine, &parsed.inst).map_err(|error| format!("encode: {error}"))?;
    if got[..] != bytes[..] {
        return Err(format!("assembles to {got:02x?}"));
    }
    Ok(())
}

#[test]
fn variants_print_as_llvm_prints_them() {
    let mut failures = Vec::new();
    for (machine, file) in lists("variants") {
        for line in file.lines() {
            let mut columns = line.split('\t').skip(1);
            let (Some(bytes), Some(text)) = (columns.next(), columns.next()) else { continue };
            if is_known(text) {
                continue;
            }
            if let Err(why) = disassembles(machine, &hex(bytes), text) {
                failures.push(format!("{} {bytes} {text}: {why}", machine.processor));
            }
        }
    }
    assert!(failures.is_empty(), "{} lines:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn legacy_names_assemble() {
    let mut failures = Vec::new();
    for (machine, file) in lists("aliases") {
        for line in file.lines() {
            let mut columns = line.split('\t').skip(2);
            let (Some(bytes), Some(text)) = (columns.next(), columns.next()) else { continue };
            if let Err(why) = assembles(machine, &hex(bytes), text) {
                failures.push(format!("{} {bytes} {text}: {why}", machine.processor));
            }
        }
    }
    assert!(failures.is_empty(), "{} lines:\n{}", failures.len(), failures.join("\n"));
}
