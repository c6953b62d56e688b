//! Instructions of one shape: the text of all of them comes back to their bytes, or of none.
//!
//! From random encodings of every processor others are made that differ in the bits of their operands and offsets, so
//! that many have one shape; all that were seen of a processor are held against each other. proptest prints the failing
//! case and its seed; `PROPTEST_CASES` makes it look longer.

use std::cell::RefCell;
use std::collections::HashMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use wavemark_isa::{Encoding, Machine, NoSymbols, Shape, Table, decode, encode, parse, print};
use wavemark_target::Processor;

/// Instructions made of one encoding.
const VARIANTS: usize = 12;

fn machines() -> Vec<Machine> {
    let features = ["", "+real-true16", "+wavefrontsize64"];
    let all = Processor::ALL.iter().flat_map(|it| features.map(|on| Machine::parse(it.name(), on)));
    all.filter_map(Result::ok).collect()
}

/// Bits that differ between instructions of one encoding without another row or other modifiers.
fn free_bits(encoding: &Encoding) -> u128 {
    let operands = encoding.operands.iter().filter_map(|&(_, field)| Some(field?.mask()));
    let offsets = encoding.modifiers.iter().map(|(field, _)| field);
    let offsets = offsets.filter(|field| field.name.starts_with("offset")).map(|field| field.mask());
    operands.chain(offsets).fold(0, |all, mask| all | mask)
}

#[test]
fn of_one_shape_all_come_back_or_none() {
    let machines = machines();
    let cases = (
        0..machines.len(),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        any::<u128>(),
        prop::collection::vec((any::<u128>(), any::<u128>()), VARIANTS),
        any::<u32>(),
    );
    let seen = RefCell::new(HashMap::new());
    let (shared, unlike) = (RefCell::new(0usize), RefCell::new(Vec::new()));
    let config = Config { cases: Config::default().cases.max(256) * 40, ..Config::default() };
    let outcome = TestRunner::new(config).run(&cases, |(machine, row, form, noise, variants, literal)| {
        let machine = machines[machine];
        let table = Table::of(machine);
        let row = table.row(*row.get(table.ids()));
        let Some(encoding) = row.encodings.get(form.index(row.encodings.len().max(1))) else { return Ok(()) };
        let (required, value) = encoding.required;
        let free = free_bits(encoding);
        // Of the other bits a few, as modifiers are mostly left alone.
        let mods = encoding.modifiers.iter().fold(0, |all, (field, _)| all | field.mask());
        let base = encoding.constant | noise & noise.rotate_left(37) & noise.rotate_left(91) & mods;
        for (bits, thin) in variants {
            // Half of the variants have registers near to each other.
            let bits = if bits & 1 == 0 { bits & thin & free } else { bits & free };
            let bits = (base & !free | bits) & !required | value;
            let mut bytes = bits.to_le_bytes()[..usize::from(encoding.format.dwords) * 4].to_vec();
            bytes.extend(literal.to_le_bytes());
            let Ok(inst) = decode(machine, &bytes) else { continue };
            let raw = &bytes[..usize::from(inst.size)];
            let Some(shape) = Shape::of(machine, &inst, raw) else { continue };
            let text = print(machine, &inst);
            let back = parse(machine, &text, &NoSymbols).is_ok_and(|parsed| {
                parsed.fixups.is_empty() && encode(machine, &parsed.inst).is_ok_and(|bytes| bytes[..] == *raw)
            });
            let mut seen = seen.borrow_mut();
            match seen.get(&(machine, shape)) {
                None => {
                    seen.insert((machine, shape), (back, format!("{text} {raw:02x?}")));
                }
                Some((known, other)) => {
                    *shared.borrow_mut() += 1;
                    if *known != back {
                        let line = format!("{}: {text} ({back}) {raw:02x?} but {other}", machine.processor);
                        unlike.borrow_mut().push(line);
                    }
                }
            }
        }
        Ok(())
    });
    assert!(outcome.is_ok(), "{outcome:?}");
    let unlike = unlike.into_inner();
    assert!(unlike.is_empty(), "{} unlike:\n{}", unlike.len(), unlike[..unlike.len().min(40)].join("\n"));
    let (shared, shapes) = (shared.into_inner(), seen.into_inner().len());
    assert!(shared > 10_000, "only {shared} of {shapes} shapes were seen twice");
}
