//! [`Inst`] → bytes, generic over the table.

use smallvec::SmallVec;

use crate::code;
use crate::format::Family;
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::table::Table;
use crate::{Form, Inst, Machine, Operand};

mod export;
mod image;
mod matrix;
mod memory;
mod vector;

/// The bytes of one instruction.
pub type InstBytes = SmallVec<[u8; 20]>;

/// Why an instruction has no encoding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The row has no encoding in this form.
    #[error("the instruction has no {form:?} form")]
    NoForm {
        /// The form asked for.
        form: Form,
    },
    /// The number of operands is not the row's.
    #[error("{mnemonic}: {got} operands instead of {needed}")]
    OperandCount {
        /// The instruction.
        mnemonic: &'static str,
        /// What the row has.
        needed: usize,
        /// What the instruction has.
        got: usize,
    },
    /// An operand that cannot stand in its place.
    #[error("{mnemonic}: operand {role} cannot be encoded")]
    InvalidOperand {
        /// The instruction.
        mnemonic: &'static str,
        /// The operand's role.
        role: &'static str,
    },
    /// A modifier that does not fit its field, or that the instruction does not have.
    #[error("{mnemonic}: modifier {name} does not fit")]
    InvalidModifier {
        /// The instruction.
        mnemonic: &'static str,
        /// The modifier's name.
        name: &'static str,
    },
    /// Two different literal constants.
    #[error("{mnemonic}: only one unique literal operand is allowed")]
    TwoLiterals {
        /// The instruction.
        mnemonic: &'static str,
    },
}

/// Encodes an instruction.
///
/// # Errors
/// [`EncodeError`] if an operand or modifier has no place in the encoding.
pub fn encode(machine: Machine, inst: &Inst) -> Result<InstBytes, EncodeError> {
    if let Some(second) = &inst.second {
        return matrix::encode_pair(machine, inst, second);
    }
    let row = Table::of(machine).row(inst.row);
    let encoding = row.encoding(inst.form).ok_or(EncodeError::NoForm { form: inst.form })?;
    let (bits, literal) = encode_bits(machine, row, encoding, inst)?;
    let mut bytes = InstBytes::new();
    bytes.extend_from_slice(&bits.to_le_bytes()[..usize::from(encoding.format.dwords) * 4]);
    image::append_addresses(row, inst, &mut bytes);
    match literal {
        Some(Operand::Literal64(value)) => bytes.extend_from_slice(&value.to_le_bytes()),
        Some(Operand::Literal(value)) => bytes.extend_from_slice(&(value as u32).to_le_bytes()),
        _ => {}
    }
    Ok(bytes)
}

/// The bits of the instruction without its literal, and the literal.
pub(crate) fn encode_bits(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    inst: &Inst,
) -> Result<(u128, Option<Operand>), EncodeError> {
    let mnemonic = row.mnemonic;
    if inst.operands.len() != encoding.operands.len() {
        return Err(EncodeError::OperandCount {
            mnemonic,
            needed: encoding.operands.len(),
            got: inst.operands.len(),
        });
    }
    let mut bits = encoding.constant;
    if inst.mods.idle_zero {
        bits = bits & !encoding.idle.0 | encoding.idle.1;
    }
    for (field, modifier) in &encoding.modifiers {
        let mask = (1u64 << (field.width() + u32::from(field.shift))) - 1;
        let value = (modifier.get)(&inst.mods);
        // Signed fields hold the low bits of their modifier; the family has checked the range.
        bits |= field.put((u64::from(value) & mask) as u32);
    }
    let mut literal = None;
    for (&(index, field), operand) in encoding.operands.iter().zip(&inst.operands) {
        let spec = &row.operands[index];
        let invalid = EncodeError::InvalidOperand { mnemonic, role: spec.role };
        if matches!(operand, Operand::Literal(_) | Operand::Literal64(_)) {
            if !encoding.format.literal {
                return Err(invalid);
            }
            literal = match literal {
                None => Some(*operand),
                Some(other) => {
                    Some(same_literal(other, *operand).ok_or(EncodeError::TwoLiterals { mnemonic })?)
                }
            };
        }
        let Some(field) = field else {
            if fieldless(spec, operand) {
                continue;
            }
            return Err(invalid);
        };
        let mut code = match code::code_of(machine, spec.class, operand) {
            Some(code) => code,
            None => {
                custom_code(machine, row, encoding, index, operand, inst).ok_or_else(|| invalid.clone())?
            }
        };
        if matches!(spec.class, Class::Imm(_)) {
            // Numbers may be negative: the field has their low bits.
            code = (u64::from(code) & ((1u64 << field.width()) - 1)) as u32;
        }
        if !field.fits(code) {
            return Err(invalid);
        }
        bits |= field.put(code);
    }
    let bits = match row.family {
        Family::Scalar => bits,
        Family::Memory => memory::finish(machine, row, inst, bits)?,
        Family::Vector => vector::finish(machine, row, encoding, inst, bits)?,
        Family::Matrix => matrix::finish(machine, row, encoding, inst, bits)?,
        Family::Image => image::finish(row, inst, bits)?,
        Family::Export => export::finish(encoding, inst, bits),
    };
    Ok((bits, literal))
}

/// The literal that two operands share; one of 32 bits is the low half of one of 64.
fn same_literal(one: Operand, other: Operand) -> Option<Operand> {
    match (one, other) {
        _ if one == other => Some(one),
        (Operand::Literal(low), Operand::Literal64(all))
        | (Operand::Literal64(all), Operand::Literal(low))
            if all & 0xffff_ffff == low =>
        {
            Some(Operand::Literal64(all))
        }
        _ => None,
    }
}

/// Whether an operand without field is the one that the class prescribes.
fn fieldless(spec: &OperandSpec, operand: &Operand) -> bool {
    match spec.class {
        Class::Literal32 => matches!(operand, Operand::Literal(_)),
        Class::Literal64 => matches!(operand, Operand::Literal64(_)),
        _ => true,
    }
}

/// The code of an operand that its class does not decide.
fn custom_code(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    index: usize,
    operand: &Operand,
    inst: &Inst,
) -> Option<u32> {
    match row.family {
        Family::Scalar => None,
        Family::Memory => memory::custom_code(machine, row, index, operand, inst),
        Family::Vector => vector::custom_code(machine, row, encoding, index, operand, inst),
        Family::Matrix => matrix::custom_code(machine, row, encoding, index, operand, inst),
        Family::Image => image::custom_code(machine, &row.operands[index], operand),
        Family::Export => export::custom_code(operand),
    }
}
