//! Decoding of the matrix family beyond what its rows say.

use super::{DecodeError, Input};
use crate::format::Format;
use crate::row::{Encoding, Row};
use crate::{Inst, Mods, Operand};

/// Corrects an instruction whose fields have been read.
pub(super) fn finish(
    _input: &Input,
    _row: &Row,
    _encoding: &Encoding,
    _inst: &mut Inst,
) -> Result<(), DecodeError> {
    Ok(())
}

/// An operand that its class does not decide.
pub(super) fn custom_operand(
    _input: &Input,
    _row: &Row,
    _encoding: &Encoding,
    _index: usize,
    _code: u32,
    _mods: &Mods,
) -> Option<Operand> {
    None
}

/// Decodes a format whose instructions are pairs (VOPD); `None` if it is not one.
pub(super) fn decode_pair(_input: &Input, _format: &'static Format) -> Option<Result<Inst, DecodeError>> {
    None
}
