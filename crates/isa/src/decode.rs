//! Bytes → [`Inst`], generic over the table.
//!
//! Order: the format from the leading bits, the row from opcode and fixed fields, the operands and modifiers
//! from the fields, a literal constant from the dwords behind; then the family's own corrections (operands
//! whose presence or width depends on modifiers, VOPD pairs).

use smallvec::SmallVec;

use crate::code;
use crate::format::{Family, Format};
use crate::row::{Encoding, Row};
use crate::scalar::Sources;
use crate::table::Table;
use crate::{Inst, Machine, Mods, Operand};

mod export;
mod image;
mod matrix;
pub(crate) mod memory;
mod vector;

/// Why bytes are no instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Fewer bytes than the instruction needs.
    #[error("instruction is truncated: {needed} bytes needed, {got} left")]
    Truncated {
        /// How many bytes the encoding has, as far as is known.
        needed: usize,
        /// How many there are.
        got: usize,
    },
    /// The leading bits belong to no format.
    #[error("no instruction format has the leading bits of {0:#010x}")]
    UnknownFormat(u32),
    /// The format has no such opcode.
    #[error("unknown opcode {opcode:#x} of {format}")]
    UnknownOpcode {
        /// The format's name.
        format: &'static str,
        /// The opcode.
        opcode: u32,
    },
    /// A field holds a code that is reserved or not allowed there.
    #[error("{mnemonic}: invalid operand {role}, code {code:#x}")]
    InvalidOperand {
        /// The instruction.
        mnemonic: &'static str,
        /// The operand's role.
        role: &'static str,
        /// The field's value.
        code: u32,
    },
    /// Operands or modifiers that do not go together.
    #[error("{mnemonic}: {reason}")]
    Invalid {
        /// The instruction.
        mnemonic: &'static str,
        /// What is wrong.
        reason: &'static str,
    },
}

/// The bytes of the instruction at the beginning of `bytes`, and what is known of them.
pub(crate) struct Input<'a> {
    pub(crate) machine: Machine,
    /// All that is left of the section.
    pub(crate) bytes: &'a [u8],
    /// The first 16 bytes, 0 where there are fewer.
    pub(crate) bits: u128,
    /// What is expected of the operand fields that the instruction does not use.
    pub(crate) unused: Unused,
}

/// What is expected of the operand fields that an instruction does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unused {
    /// 0, as LLVM's disassembler does.
    Zero,
    /// Nothing, as the hardware does.
    Any,
}

impl Input<'_> {
    /// Dword at byte offset `at`.
    pub(crate) fn dword(&self, at: usize) -> Result<u32, DecodeError> {
        match self.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()) {
            Some(bytes) => Ok(u32::from_le_bytes(bytes)),
            None => Err(DecodeError::Truncated { needed: at + 4, got: self.bytes.len() }),
        }
    }
}

/// Decodes the instruction at the beginning of `bytes`.
///
/// # Errors
/// [`DecodeError`]; never panics, whatever the bytes.
pub fn decode(machine: Machine, bytes: &[u8]) -> Result<Inst, DecodeError> {
    decode_with(machine, bytes, Unused::Zero)
}

/// Decodes the instruction at the beginning of `bytes` as the hardware does, for which the operand fields that an
/// instruction does not use may hold anything; [`decode`] wants 0 there as LLVM does. tinygrad's tests, which were run on
/// RDNA3 (`test/amd/hw`), have such instructions.
///
/// # Errors
/// That of [`decode`].
pub fn decode_as_executed(machine: Machine, bytes: &[u8]) -> Result<Inst, DecodeError> {
    decode(machine, bytes).or_else(|error| decode_with(machine, bytes, Unused::Any).map_err(|_| error))
}

fn decode_with(machine: Machine, bytes: &[u8], unused: Unused) -> Result<Inst, DecodeError> {
    if bytes.len() < 4 {
        return Err(DecodeError::Truncated { needed: 4, got: bytes.len() });
    }
    let mut head = [0u8; 16];
    let n = bytes.len().min(16);
    head[..n].copy_from_slice(&bytes[..n]);
    let input = Input { machine, bytes, bits: u128::from_le_bytes(head), unused };
    let table = Table::of(machine);
    // Of the formats whose leading bits match, the one with the most of them names the unknown opcode; what a format
    // with the opcode says of its operands is said first.
    let mut unknown = (0, DecodeError::UnknownFormat(input.bits as u32));
    for (index, format) in table.formats_of(input.bits) {
        if let Some((row, encoding)) = table.find(index, input.bits, unused) {
            match decode_as(&input, row, encoding) {
                // The load of a matrix scale, which scaled multiplications begin with, is an instruction by itself.
                Err(error) if ["scalea", "vscalea"].iter().any(|role| row.operand_index(role).is_some()) => {
                    if unknown.0 < u32::MAX {
                        unknown = (u32::MAX, error);
                    }
                    continue;
                }
                result => return result,
            }
        }
        if let Some(result) = decode_pair(&input, format) {
            return result;
        }
        let leading = (format.pattern().0 as u32).leading_ones();
        if leading >= unknown.0 {
            let opcode = format.opcode_of(input.bits);
            unknown = (leading, DecodeError::UnknownOpcode { format: format.name, opcode });
        }
    }
    Err(unknown.1)
}

/// Formats whose instructions are not rows of their own (VOPD).
fn decode_pair(input: &Input, format: &'static Format) -> Option<Result<Inst, DecodeError>> {
    match format.family {
        Family::Matrix => matrix::decode_pair(input, format),
        _ => None,
    }
}

/// Decodes `input` as this encoding of the row.
pub(crate) fn decode_as(input: &Input, row: &Row, encoding: &Encoding) -> Result<Inst, DecodeError> {
    let mut size = usize::from(encoding.format.dwords) * 4;
    if input.bytes.len() < size {
        return Err(DecodeError::Truncated { needed: size, got: input.bytes.len() });
    }
    let mut mods = Mods::default();
    let (fields, at_rest) = encoding.at_rest;
    if input.bits & fields != at_rest {
        for (field, modifier) in &encoding.modifiers {
            (modifier.set)(&mut mods, field.get(input.bits));
        }
    }
    let (idle, zero) = encoding.idle;
    mods.idle_zero = idle != 0 && input.bits & idle == zero;
    let mut operands: SmallVec<[Operand; 6]> = SmallVec::new();
    let mut literal: Option<Operand> = None;
    for &(index, field) in &encoding.operands {
        let spec = &row.operands[index];
        let code = field.map_or(0, |field| field.get(input.bits));
        let invalid = || DecodeError::InvalidOperand { mnemonic: row.mnemonic, role: spec.role, code };
        let mut operand = match code::operand_of(input.machine, spec.class, &spec.ty, code) {
            Some(operand) => operand,
            None => custom_operand(input, row, encoding, index, code, &mods).ok_or_else(invalid)?,
        };
        if matches!(operand, Operand::Literal(_) | Operand::Literal64(_)) {
            if !encoding.format.literal {
                return Err(invalid());
            }
            operand = match literal {
                // A source that asks for a literal of 32 bits beside one of 64 has its low half.
                Some(Operand::Literal(_)) if matches!(operand, Operand::Literal64(_)) => {
                    let (value, bytes) = read_literal(input, size - 4, &operand)?;
                    size += bytes - 4;
                    *literal.insert(value)
                }
                Some(Operand::Literal64(bits)) if matches!(operand, Operand::Literal(_)) => {
                    Operand::Literal(bits & 0xffff_ffff)
                }
                Some(literal) => literal,
                None => {
                    let (value, bytes) = read_literal(input, size, &operand)?;
                    size += bytes;
                    *literal.insert(value)
                }
            };
        }
        operands.push(operand);
    }
    let mut inst = Inst { row: row.id, form: encoding.form, operands, mods, second: None, size: size as u8 };
    match row.family {
        Family::Scalar => {
            // A barrier's number is no literal.
            if row.sources == Sources::Barrier && literal.is_some() {
                return Err(DecodeError::Invalid { mnemonic: row.mnemonic, reason: "takes no literal" });
            }
        }
        Family::Memory => memory::finish(input, row, encoding, &mut inst)?,
        Family::Vector => vector::finish(input, row, encoding, &mut inst)?,
        Family::Matrix => matrix::finish(input, row, encoding, &mut inst)?,
        Family::Image => image::finish(input, row, &mut inst)?,
        Family::Export => export::finish(input, encoding, &mut inst),
    }
    Ok(inst)
}

/// The literal behind the first `size` bytes, of the kind of `operand`, and its length in bytes.
fn read_literal(input: &Input, size: usize, operand: &Operand) -> Result<(Operand, usize), DecodeError> {
    let low = u64::from(input.dword(size)?);
    Ok(match operand {
        Operand::Literal64(_) => (Operand::Literal64(u64::from(input.dword(size + 4)?) << 32 | low), 8),
        _ => (Operand::Literal(low), 4),
    })
}

/// An operand that the class alone does not decide: the family's own reading of the code.
fn custom_operand(
    input: &Input,
    row: &Row,
    encoding: &Encoding,
    index: usize,
    code: u32,
    mods: &Mods,
) -> Option<Operand> {
    match row.family {
        Family::Scalar => None,
        Family::Memory => memory::custom_operand(input, row, encoding, index, code, mods),
        Family::Vector => vector::custom_operand(input, row, encoding, index, code, mods),
        Family::Matrix => matrix::custom_operand(input, row, encoding, index, code, mods),
        Family::Image => image::custom_operand(input, row, index, code),
        Family::Export => None,
    }
}
