//! Samples of an encoding: instructions with random bits wherever its row leaves them open.

use wavemark_isa::{Encoding, Form, Inst, NoSymbols, Row, decode, parse, print};
use wavemark_target::Machine;

use crate::machine::Random;

/// An instruction and its bytes.
pub struct Sample {
    pub inst: Inst,
    pub bytes: Vec<u8>,
}

impl Sample {
    /// Whether the assembler takes it. The decoder reads more: what no program may hold is shown as it is, but means
    /// nothing (a matrix product whose result lies on a part of its addend).
    pub fn is_legal(&self, machine: Machine) -> bool {
        parse(machine, &print(machine, &self.inst), &NoSymbols).is_ok()
    }
}

/// Whether the encoding is the first half of a pair; the second is sampled with it.
pub fn is_pair(encoding: &Encoding) -> bool {
    matches!(encoding.form, Form::VopdX | Form::Vopd3X)
}

/// The random numbers that samples of a row are drawn from: its own, whatever rows stand before it.
pub fn random_of(row: &Row, seed: u64) -> Random {
    Random::new(row.mnemonic.bytes().fold(seed, |all, byte| all * 31 % 0xffff_fffb + u64::from(byte)))
}

/// Sample number `attempt` of an encoding, unless its bits are those of another or of nothing.
pub fn sample(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    attempt: usize,
    random: &mut Random,
) -> Option<Sample> {
    let mut bytes = bits(encoding, attempt, random).to_le_bytes().to_vec();
    // A literal behind it is small.
    bytes.extend_from_slice(&(random.draw() as u32 & 0x7f).to_le_bytes());
    bytes.extend_from_slice(&[0; 12]);
    let inst = decode(machine, &bytes).ok()?;
    bytes.truncate(usize::from(inst.size));
    (inst.row == row.id && inst.form == encoding.form).then_some(Sample { inst, bytes })
}

/// Random bits for the open places of an encoding: few at first, because zeros mean `s0` and `v0`, and few modifiers.
fn bits(encoding: &Encoding, attempt: usize, random: &mut Random) -> u128 {
    let mut wide = || u128::from(random.draw()) | u128::from(random.draw()) << 64;
    let noise = match attempt {
        0 => 0,
        // Unused fields of a Y half must be 0.
        _ if is_pair(encoding) => wide() & wide(),
        1..100 => wide() & wide() & wide(),
        _ => wide(),
    };
    let open = !(encoding.constant | encoding.required.0);
    let mut bits = encoding.constant | noise & open;
    if attempt % 2 == 1 {
        // VGPRs wherever a 9-bit source can be one.
        for field in encoding.operands.iter().filter_map(|&(_, field)| field).filter(|f| f.width() >= 9) {
            bits |= (field.put(0x100) ^ field.put(0)) & open;
        }
    }
    bits
}
