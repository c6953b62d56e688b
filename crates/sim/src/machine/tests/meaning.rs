//! Every row of the instruction table is bound, or listed with its reason in `fidelity/refused.txt`.
//!
//! Of each encoding of a row samples are decoded, with random bits where the row leaves them open; a row has a
//! meaning if a sample of each of its encodings binds. The Y half of a pair is sampled with its X half.

use std::collections::{BTreeMap, BTreeSet};

use wavemark_isa::{Encoding, Form, Inst, Meaning, Row, RowId, Table};
use wavemark_target::{InstructionSet, InstructionSets, Machine, WaveSize};

use super::all_registers;
use super::sample::{is_pair, random_of, sample};
use crate::fidelity::{RefusedLine, refused_lines};
use crate::meaning;
use crate::modelled;
use crate::op::{Detail, OpKind};
use crate::program::{Program, Segment};

/// How many bit patterns are tried per encoding, and how many samples that decode are bound.
const TRIES: usize = 4000;
const SAMPLES: usize = 40;

/// Binds the instruction that `bytes` are.
fn bind(machine: Machine, bytes: Vec<u8>) -> Result<(), String> {
    let mut program = Program::new(machine, all_registers(machine), Segment { base: 0, bytes: bytes.into() });
    program.bind_slot(0, 0);
    let op = program.op(0, 0).unwrap();
    match (op.kind, op.detail.as_deref()) {
        (OpKind::Unsupported, Some(Detail::Unsupported(why))) => Err(why.clone()),
        (OpKind::Unsupported | OpKind::Unbound, _) => Err("not bound".to_owned()),
        _ => Ok(()),
    }
}

/// An encoding of a row that was bound or refused.
type Key = (RowId, Form);

/// Binds samples of the encoding and notes which halves were seen.
fn bind_samples(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    seen: &mut BTreeMap<Key, Result<(), String>>,
) {
    let pair = is_pair(encoding);
    let mut random = random_of(row, 1);
    let mut samples = 0;
    for attempt in 0..if pair { 10 * TRIES } else { TRIES } {
        let Some(sample) = sample(machine, row, encoding, attempt, &mut random) else { continue };
        let result = bind(machine, sample.bytes);
        let inst = &sample.inst;
        let halves: Vec<&Inst> = std::iter::once(inst).chain(inst.second.as_deref()).collect();
        for half in halves {
            let entry = seen.entry((half.row, half.form)).or_insert_with(|| result.clone());
            if result.is_ok() {
                *entry = Ok(());
            }
        }
        samples += 1;
        // All Y halves are met only by trying long.
        if !pair && (result.is_ok() || samples == SAMPLES) {
            return;
        }
    }
}

/// The machine of each instruction set that is executed.
fn executed() -> impl Iterator<Item = (InstructionSet, Machine)> {
    InstructionSet::ALL.iter().filter_map(|&set| {
        let first = Machine::parse(set.name(), "").expect("an instruction set has the name of a processor");
        Some((set, modelled(first).ok()?))
    })
}

/// `instruction set, name` of the rows that are refused, or have an encoding that is.
fn refused() -> BTreeSet<(InstructionSet, &'static str)> {
    let mut refused = BTreeSet::new();
    for (set, machine) in executed() {
        let mut seen = BTreeMap::new();
        let rows: Vec<_> = Table::of(machine).rows().collect();
        for row in rows.iter().copied() {
            for encoding in &row.encodings {
                bind_samples(machine, row, encoding, &mut seen);
            }
        }
        for row in rows.iter().copied() {
            for encoding in &row.encodings {
                match seen.get(&(row.id, encoding.form)) {
                    Some(Ok(())) => {}
                    Some(Err(_)) => {
                        refused.insert((set, row.mnemonic));
                    }
                    None => {
                        panic!(
                            "{} {} {:?}: no sample decodes",
                            machine.processor, row.mnemonic, encoding.form
                        )
                    }
                }
            }
        }
    }
    refused
}

/// The rows of the list, each with the number of its line.
fn listed() -> BTreeMap<(InstructionSet, &'static str), usize> {
    let mut rows = BTreeMap::new();
    for line in refused_lines() {
        let RefusedLine { number, sets, instructions, .. } = line.expect("a line that can be read");
        for name in instructions.split(' ') {
            let mut found = false;
            for (set, machine) in executed().filter(|(set, _)| sets.contains(InstructionSets::of(*set))) {
                if let Some(row) = Table::of(machine).by_mnemonic(name).next() {
                    let twice = rows.insert((set, row.mnemonic), number);
                    assert!(twice.is_none(), "line {number}: {} {name} is listed twice", set.name());
                    found = true;
                }
            }
            assert!(found, "line {number}: {name} is no row");
        }
    }
    rows
}

#[test]
fn every_row_has_a_meaning_or_a_reason() {
    let (refused, listed) = (refused(), listed());
    let mut missing: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for &(set, name) in refused.iter().filter(|row| !listed.contains_key(*row)) {
        missing.entry(name).or_default().push(set.name());
    }
    let obsolete: Vec<_> = listed.iter().filter(|(row, _)| !refused.contains(*row)).collect();
    assert!(
        missing.is_empty() && obsolete.is_empty(),
        "without meaning and not in fidelity/refused.txt: {missing:#?}\nlisted, but bound: {obsolete:#?}"
    );
}

/// A definition whose key no row of an executed processor has is a body that nothing runs.
#[test]
fn every_key_is_that_of_a_row() {
    let keys: BTreeSet<Meaning> = executed()
        .flat_map(|(_, machine)| [machine, Machine { wave_size: WaveSize::Wave64, ..machine }])
        .flat_map(|machine| Table::of(machine).rows())
        .map(|row| row.meaning)
        .collect();
    let idle: Vec<Meaning> = meaning::keys().filter(|key| !keys.contains(key)).collect();
    assert!(idle.is_empty(), "no row of an executed processor has these keys: {idle:?}");
}
