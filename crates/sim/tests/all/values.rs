//! What single instructions compute: the lines of `tests/values/*.txt`, each run for its processors
//! on every level of the host.
//!
//! A line is `PROCESSORS | INPUT… | INSTRUCTION ; INSTRUCTION… | OUTPUT…`. Processors are expressions as of the instruction
//! table (`gfx9`, `gfx10+`), with `!` before those left out, `!wave32` and `!wave64` among them; of those meant, the line runs on all that
//! have its instructions. Inputs and outputs are `NAME=VALUE`, a name
//! is `vN`, `sN`, `vcc` or `scc`, the same in every lane; `v[N:N+1]` is a pair. A value is a number of 32 bits (of 64
//! for a pair), or `1.5f`, `1.5d`, or the halves of a register, low one first: `(1h,2h)` of binary16, `(1b,2b)` of
//! bfloat16. `#` starts a comment, which says where the expectation comes from. Every instruction that computes has a
//! line.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::snippet::{Setup, has, machines, run};
use wavemark_isa::{Row, RowId, Table, decode};
use wavemark_numerics::{bf16, f16};
use wavemark_sim::events::Silent;
use wavemark_sim::meaning::{self, Definition};
use wavemark_sim::{RunEnd, alu};
use wavemark_target::{InstructionSets, Machine, Processor};

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
    let wait = if has(machine, "s_wait_idle") { "s_wait_idle" } else { "s_waitcnt vmcnt(0) lgkmcnt(0)" };
    writeln!(text, " {wait}").unwrap();
    let stored: Vec<(String, u32)> = outputs.iter().flat_map(dwords).collect();
    let store = if has(machine, "global_store_b32") { "global_store_b32" } else { "global_store_dword" };
    let add = if has(machine, "v_add_nc_u32") { "v_add_nc_u32" } else { "v_add_u32" };
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

/// Whether a line for these processors is for `machine`; the error is an unknown word.
fn is_meant(processors: &str, machine: Machine) -> Result<bool, String> {
    let own = machine.instruction_sets();
    let (mut meant, mut excluded) = (false, false);
    for word in processors.split_whitespace() {
        match word.strip_prefix('!') {
            Some("wave32") => excluded |= machine.wave32(),
            Some("wave64") => excluded |= !machine.wave32(),
            Some(sets) => excluded |= InstructionSets::parse(sets)?.contains(own),
            None => meant |= InstructionSets::parse(word)?.contains(own),
        }
    }
    Ok(meant && !excluded)
}

fn name(machine: Machine) -> String {
    format!("{} in waves of {}", machine.processor, machine.lanes())
}

/// Processors, with the rows of the instructions that lines have run on them in waves of either size.
type Covered = HashSet<(Processor, RowId)>;

/// Notes the rows of the instructions in `body`.
fn cover(machine: Machine, body: &str, covered: &mut Covered) {
    for instruction in instructions(body).filter(|text| !text.starts_with(".long")) {
        let bytes = crate::snippet::assemble(machine, instruction);
        let Ok(inst) = decode(machine, &bytes) else { continue };
        let halves = std::iter::once(&inst).chain(inst.second.as_deref());
        covered.extend(halves.map(|half| (machine.processor, half.row)));
    }
}

fn instructions(body: &str) -> impl Iterator<Item = &str> {
    body.split(';').map(str::trim)
}

fn check_line(line: &str, covered: &mut Covered) -> Result<(), String> {
    let [processors, inputs, body, outputs] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
        return Err("four parts are separated by `|`".to_owned());
    };
    let (inputs, outputs) = (assignments(inputs)?, assignments(outputs)?);
    if outputs.is_empty() {
        return Err("no output".to_owned());
    }
    let mut wrong = Vec::new();
    let mut runs = 0;
    for machine in machines::ALL {
        let known = || instructions(body).all(|text| crate::snippet::try_assemble(machine, text).is_ok());
        if !is_meant(processors, machine)? || !known() {
            continue;
        }
        runs += 1;
        cover(machine, body, covered);
        for level in alu::levels() {
            alu::limit_level(level);
            if let Err(what) = run_line(machine, &inputs, body, &outputs) {
                wrong.push(format!("{}, {level:?} host: {what}", name(machine)));
            }
        }
    }
    match (runs, wrong.is_empty()) {
        (0, _) => Err("no machine has its instructions".to_owned()),
        (_, true) => Ok(()),
        (_, false) => Err(wrong.join("; ")),
    }
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
    let computes = |row: &&Row| matches!(meaning::definition(row.meaning), Some(Definition::Alu(_)));
    let mut without = Vec::new();
    for machine in machines::ALL {
        let processor = machine.processor;
        let rows: Vec<&Row> = Table::of(machine).rows().filter(computes).collect();
        println!("{}: {} arithmetic instructions", name(machine), rows.len());
        let missing = rows.iter().filter(|row| !covered.contains(&(processor, row.id)));
        without.extend(missing.map(|row| format!("no line runs {} on {processor}", row.mnemonic)));
    }
    assert!(without.is_empty(), "{}", without.join("\n"));
}
