//! Encoding of exports beyond what their rows say: the counterpart of `decode/export.rs`.

use crate::export::COMPR;
use crate::row::Encoding;
use crate::{Inst, Operand};

/// Corrects the bits of an instruction whose operands and modifiers have been put.
pub(super) fn finish(encoding: &Encoding, inst: &Inst, bits: u128) -> u128 {
    let field = |name: &str| encoding.format.field(name);
    let (Some(enable), Some(sources)) = (field("en"), inst.operands.get(1..5)) else { return bits };
    let mask = sources.iter().enumerate().fold(0, |mask, (n, source)| match source {
        Operand::Off => mask,
        _ => mask | 1 << n,
    });
    let mut bits = bits | enable.put(mask);
    if inst.mods.flags & COMPR != 0 {
        // Two registers, each for two components.
        let number = |pair: &[Operand]| {
            pair.iter().find_map(|source| match source {
                Operand::Reg(reg) => Some(u32::from(reg.index)),
                _ => None,
            })
        };
        let numbers = [number(&sources[..2]), number(&sources[2..]), None, None];
        for (name, number) in ["data0", "data1", "data2", "data3"].into_iter().zip(numbers) {
            if let Some(field) = field(name) {
                bits = bits & !field.mask() | field.put(number.unwrap_or(0));
            }
        }
    }
    bits
}

/// The code of an operand that its class does not decide.
pub(super) fn custom_code(operand: &Operand) -> Option<u32> {
    matches!(operand, Operand::Off).then_some(0)
}
