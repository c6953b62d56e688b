//! What single instructions compute: the lines of `tests/values/*.txt`, each run for its processors
//! on every level of the host.
//!
//! A line is `PROCESSOR… | INPUT… | INSTRUCTION ; INSTRUCTION… | OUTPUT…`. Inputs and outputs are `NAME=VALUE`, a name
//! is `vN`, `sN`, `vcc` or `scc`, the same in every lane; `v[N:N+1]` is a pair. A value is a number of 32 bits (of 64
//! for a pair), or `1.5f`, `1.5d`, or the halves of a register, low one first: `(1h,2h)` of binary16, `(1b,2b)` of
//! bfloat16. `#` starts a comment, which says where the expectation comes from. Every instruction that computes has a
//! line.

mod snippet;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use snippet::machines::{GFX950, GFX1250};
use snippet::{Setup, run};
use wavemark_isa::{Row, RowId, Table, decode};
use wavemark_numerics::{bf16, f16};
use wavemark_sim::events::Silent;
use wavemark_sim::meaning::{self, Meaning};
use wavemark_sim::{RunEnd, alu};
use wavemark_target::Machine;

/// A register of a line with its value.
struct Assignment<'a> {
    name: &'a str,
    value: u64,
}

fn half(text: &str) -> Option<u64> {
    let number = text.get(..text.len().checked_sub(1)?)?;
    match text.chars().last()? {
        'h' => Some(f16::from_f32(number.parse().ok()?).into()),
        'b' => Some(bf16::from_f32(number.parse().ok()?).into()),
        _ => None,
    }
}

fn value(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    if let Some(halves) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        let (low, high) = halves.split_once(',')?;
        return Some(half(low)? | half(high)? << 16);
    }
    if let Some(number) = text.strip_suffix('f') {
        return Some(number.parse::<f32>().ok()?.to_bits().into());
    }
    if let Some(number) = text.strip_suffix('d') {
        return Some(number.parse::<f64>().ok()?.to_bits());
    }
    Some(text.parse::<i64>().ok()? as u64)
}

fn assignments(text: &str) -> Result<Vec<Assignment<'_>>, String> {
    text.split_whitespace()
        .map(|word| {
            let (name, number) = word.split_once('=').ok_or_else(|| format!("`{word}` is no NAME=VALUE"))?;
            let value = value(number).ok_or_else(|| format!("`{number}` is no value"))?;
            Ok(Assignment { name, value })
        })
        .collect()
}

/// The two registers of `v[4:5]`.
fn pair(name: &str) -> Option<[String; 2]> {
    let (file, rest) = name.split_once('[')?;
    let (low, high) = rest.strip_suffix(']')?.split_once(':')?;
    Some([format!("{file}{low}"), format!("{file}{high}")])
}

/// Each register of `assignment` with its dword.
fn dwords(assignment: &Assignment<'_>) -> Vec<(String, u32)> {
    let low = assignment.value as u32;
    match pair(assignment.name) {
        Some([first, second]) => vec![(first, low), (second, (assignment.value >> 32) as u32)],
        None => vec![(assignment.name.to_owned(), low)],
    }
}

/// Runs a line on `machine`; what differs is the error.
fn run_line(
    machine: Machine,
    inputs: &[Assignment<'_>],
    body: &str,
    outputs: &[Assignment<'_>],
) -> Result<(), String> {
    let mut text = String::from("v_and_b32 v1, 0x3ff, v0\n v_lshlrev_b32 v2, 2, v1\n");
    let wave64 = machine.lanes() == 64;
    for (register, dword) in inputs.iter().flat_map(dwords) {
        match register.as_str() {
            "vcc" => writeln!(text, " s_mov_b32 vcc_lo, {dword:#x}\n s_mov_b32 vcc_hi, {dword:#x}"),
            "scc" => writeln!(text, " s_cmp_eq_u32 1, {dword}"),
            name if name.starts_with('v') => writeln!(text, " v_mov_b32 {name}, {dword:#x}"),
            name => writeln!(text, " s_mov_b32 {name}, {dword:#x}"),
        }
        .unwrap();
    }
    for instruction in body.split(';') {
        writeln!(text, " {}", instruction.trim()).unwrap();
    }
    text.push_str(if wave64 { " s_waitcnt vmcnt(0) lgkmcnt(0)\n" } else { " s_wait_idle\n" });
    let stored: Vec<(String, u32)> = outputs.iter().flat_map(dwords).collect();
    let (store, add) =
        if wave64 { ("global_store_dword", "v_add_u32") } else { ("global_store_b32", "v_add_nc_u32") };
    for (register, _) in &stored {
        let from = match register.as_str() {
            "vcc" => "vcc_lo",
            "scc" => "src_scc",
            name => name,
        };
        if !register.starts_with('v') || register == "vcc" {
            writeln!(text, " v_mov_b32 v99, {from}").unwrap();
        }
        let data = if register.starts_with('v') && register != "vcc" { from } else { "v99" };
        writeln!(text, " {store} v2, {data}, s[4:5]").unwrap();
        writeln!(text, " {add} v2, 0x100, v2").unwrap();
    }
    let setup = Setup { output: vec![0xff; stored.len() * 256], ..Setup::new(machine) };
    let outcome = run(&setup, &text, &mut Silent);
    if outcome.end != RunEnd::Finished {
        return Err(format!("{:?}", outcome.end));
    }
    for (number, (register, want)) in stored.iter().enumerate() {
        for lane in 0..machine.lanes() as usize {
            let got = outcome.word(number * 64 + lane);
            if got != *want {
                return Err(format!("{register} of lane {lane} is {got:#010x} instead of {want:#010x}"));
            }
        }
    }
    Ok(())
}

/// Rows of arithmetic instructions that lines have run.
type Covered = BTreeSet<(&'static str, RowId)>;

/// Notes the rows of the instructions in `body`.
fn cover(processor: &'static str, machine: Machine, body: &str, covered: &mut Covered) {
    for instruction in body.split(';').filter(|text| !text.trim().starts_with(".long")) {
        let bytes = snippet::assemble(machine, instruction);
        let Ok(inst) = decode(machine, &bytes) else { continue };
        let halves = std::iter::once(&inst).chain(inst.second.as_deref());
        covered.extend(halves.map(|half| (processor, half.row)));
    }
}

fn check_line(line: &str, covered: &mut Covered) -> Result<(), String> {
    let [processors, inputs, body, outputs] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
        return Err("four parts are separated by `|`".to_owned());
    };
    let (inputs, outputs) = (assignments(inputs)?, assignments(outputs)?);
    if outputs.is_empty() {
        return Err("no output".to_owned());
    }
    for processor in processors.split_whitespace() {
        let (name, machine) = match processor {
            "gfx950" => ("gfx950", GFX950),
            "gfx1250" => ("gfx1250", GFX1250),
            _ => return Err(format!("unknown processor `{processor}`")),
        };
        cover(name, machine, body, covered);
        for level in alu::levels() {
            alu::limit_level(level);
            run_line(machine, &inputs, body, &outputs)
                .map_err(|what| format!("{processor}, {level:?} host: {what}"))?;
        }
    }
    Ok(())
}

#[test]
fn every_line_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/values");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut lines, mut wrong, mut covered) = (0, Vec::new(), Covered::new());
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            lines += 1;
            if let Err(what) = check_line(line, &mut covered) {
                let name = file.file_name().unwrap().to_string_lossy();
                wrong.push(format!("{name}:{}: {what}: {line}", number + 1));
            }
        }
    }
    assert!(lines > 0, "no lines");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (processor, machine) in [("gfx950", GFX950), ("gfx1250", GFX1250)] {
        let computes = |row: &&Row| matches!(meaning::of(row.effects.meaning), Some(Meaning::Alu(_)));
        let rows: Vec<&Row> = Table::of(machine).rows().filter(computes).collect();
        let missing: Vec<&str> = rows
            .iter()
            .filter(|row| !covered.contains(&(processor, row.id)))
            .map(|row| row.mnemonic)
            .collect();
        println!("{processor}: {} arithmetic instructions", rows.len());
        assert!(missing.is_empty(), "{processor}: no line runs {}", missing.join(" "));
    }
}
