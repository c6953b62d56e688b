//! Decoding of exports beyond what their rows say: sources that are off, sources that two components share.

use super::Input;
use crate::export::COMPR;
use crate::row::Encoding;
use crate::{Inst, Operand};

/// Corrects an instruction whose fields have been read.
pub(super) fn finish(input: &Input, encoding: &Encoding, inst: &mut Inst) {
    let Some(enable) = encoding.format.field("en").map(|field| field.get(input.bits)) else { return };
    let Some(sources) = inst.operands.get_mut(1..5) else { return };
    // Compressed data are two registers with two components each.
    if inst.mods.flags & COMPR != 0 {
        sources[3] = sources[1];
        sources[2] = sources[1];
        sources[1] = sources[0];
    }
    for (n, source) in sources.iter_mut().enumerate() {
        if enable >> n & 1 == 0 {
            *source = Operand::Off;
        }
    }
}
