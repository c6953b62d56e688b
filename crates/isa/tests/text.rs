//! What a disassembler may rely on: an instruction that encodes as the bytes that it was decoded from, and whose text
//! has no comment of ours, is read back from its text as these bytes. Random bytes of every encoding of every
//! instruction set; `WAVEMARK_CASES` says how many of each, `WAVEMARK_SEED` where they begin.

use wavemark_isa::{Machine, NoSymbols, Row, Table, decode, encode, parse, print};
use wavemark_target::{InstructionSet, Processor};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Bytes of an encoding: its constant bits, the rest random with few modifiers, a literal behind.
fn bytes(random: &mut Random, row: &Row, which: usize) -> Vec<u8> {
    let encoding = &row.encodings[which];
    let noise = u128::from(random.bits()) << 64 | u128::from(random.bits());
    let mut bits = encoding.constant;
    for (_, field) in &encoding.operands {
        if let Some(field) = field {
            bits = bits & !field.mask() | noise & field.mask();
        }
    }
    for (field, _) in &encoding.modifiers {
        if random.bits() % 4 == 0 {
            bits = bits & !field.mask() | noise & field.mask();
        }
    }
    let (mask, value) = encoding.required;
    bits = bits & !mask | value;
    let mut bytes = bits.to_le_bytes()[..usize::from(encoding.format.dwords).min(4) * 4].to_vec();
    for _ in 0..3 {
        bytes.extend(random.bits().to_le_bytes());
    }
    bytes
}

#[test]
fn text_without_comments_comes_back() {
    let seed = number("WAVEMARK_SEED", 1);
    let cases = number("WAVEMARK_CASES", 4);
    let mut failures = Vec::new();
    let mut checked = 0u64;
    for &set in InstructionSet::ALL {
        let processor = Processor::by_name(set.name()).expect("named after its first processor");
        for features in ["", "+real-true16", "-real-true16", "+wavefrontsize64"] {
            let Ok(machine) = Machine::parse(processor.name(), features) else { continue };
            let mut random = Random(seed);
            for row in Table::of(machine).rows() {
                for which in 0..row.encodings.len() {
                    for _ in 0..cases {
                        let bytes = bytes(&mut random, row, which);
                        let Ok(inst) = decode(machine, &bytes) else { continue };
                        let raw = &bytes[..usize::from(inst.size)];
                        if !encode(machine, &inst).is_ok_and(|again| again[..] == *raw) {
                            continue;
                        }
                        let text = print(machine, &inst);
                        if text.contains("/*") || text.contains(';') {
                            continue;
                        }
                        checked += 1;
                        let again =
                            parse(machine, &text, &NoSymbols).map_err(|error| error.to_string()).and_then(
                                |parsed| encode(machine, &parsed.inst).map_err(|error| error.to_string()),
                            );
                        if again.as_ref().is_ok_and(|again| again[..] == *raw) {
                            continue;
                        }
                        failures.push(format!("{processor} {features}: {raw:02x?} {text}: {again:02x?}"));
                    }
                }
            }
        }
    }
    println!("seed {seed}: {checked} texts");
    assert!(checked > 10_000);
    assert!(
        failures.is_empty(),
        "{} of {checked} texts do not come back (seed {seed}):\n{}",
        failures.len(),
        failures.join("\n")
    );
}
