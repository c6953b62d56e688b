//! Encoding of the memory family beyond what its rows say.

use super::EncodeError;
use crate::row::{Encoding, Row};
use crate::{Inst, Isa, Operand};

/// Corrects the bits of an instruction whose operands and modifiers have been put.
pub(super) fn finish(
    _isa: Isa,
    _row: &Row,
    _encoding: &Encoding,
    _inst: &Inst,
    bits: u128,
) -> Result<u128, EncodeError> {
    Ok(bits)
}

/// The code of an operand that its class does not decide.
pub(super) fn custom_code(
    _isa: Isa,
    _row: &Row,
    _encoding: &Encoding,
    _index: usize,
    _operand: &Operand,
    _inst: &Inst,
) -> Option<u32> {
    None
}
