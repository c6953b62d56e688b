//! The shape of an instruction: what decides whether its text comes back to its bytes.
//!
//! Most of what an instruction says has no part in that: which register it is, as long as the alignment of tuples, the
//! banks of pairs and the overlap with other operands stay; how far a branch goes; which of the offsets of so many bits. Two instructions
//! of one shape come both back or neither does: `tests/shape.rs` holds that for random instructions of every
//! processor. So a printer that has to promise it needs to look once at each shape, not at each instruction.

use crate::format::Field;
use crate::parse::literal::is_inline_value;
use crate::role::{Class, ImmKind};
use crate::row::OperandSpec;
use crate::{Inst, Machine, Operand, Reg, RegFile};

/// Operands that a shape has room for, those of both halves of a pair together.
const OPERANDS: usize = 10;
/// The source codes of inline integers.
const INLINE_INTEGERS: std::ops::RangeInclusive<u32> = 128..=208;
/// Scalar registers from here on are told apart: what follows the last differs between processors.
const LAST_SGPRS: u16 = 96;

/// What instructions have in common that come both back, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows and forms.
    rows: u64,
    /// The bytes but for what the rest says of them.
    bits: u128,
    operands: [u32; OPERANDS],
    /// How the registers of each two operands lie to each other.
    overlaps: u128,
    offset: u32,
}

impl Shape {
    /// The shape of an instruction with these bytes; `None`: it has one of its own.
    pub fn of(machine: Machine, inst: &Inst, raw: &[u8]) -> Option<Shape> {
        let mut head = [0; 16];
        head.get_mut(..raw.len())?.copy_from_slice(raw);
        let mut shape = Shape {
            rows: 0,
            bits: u128::from_le_bytes(head),
            operands: [0; OPERANDS],
            overlaps: 0,
            offset: 0,
        };
        let mut registers: [Option<Reg>; OPERANDS] = [None; OPERANDS];
        let (mut at, pair) = (0, inst.second.is_some());
        for half in std::iter::once(inst).chain(inst.second.as_deref()) {
            let row = half.row(machine);
            let encoding = row.encoding(half.form)?;
            if encoding.operands.len() != half.operands.len() {
                return None;
            }
            shape.rows = shape.rows << 32 | u64::from(half.row.0) << 8 | half.form as u64;
            for (&(index, field), operand) in encoding.operands.iter().zip(&half.operands) {
                let (code, replaces) = code_of(machine, &row.operands[index], operand, pair)?;
                let place = shape.operands.get_mut(at)?;
                *place = code;
                if let Some(field) = field
                    && replaces
                    && holds(field.get(shape.bits), operand)
                {
                    // Bits beyond the number of a register, which a field may have and decoding may ignore.
                    *place |= (field.get(shape.bits) >> 8 & 0xf) << 24;
                    shape.bits &= !field.mask();
                }
                if let Operand::Literal(_) = operand {
                    shape.bits &= (1 << (32 * u32::from(encoding.format.dwords))) - 1;
                }
                if let Operand::Reg(reg) = operand {
                    registers[at] = Some(*reg);
                }
                at += 1;
            }
            for &(field, _) in &encoding.modifiers {
                if is_offset(field) && !row.memory.swizzle {
                    let unused = 64 - field.width();
                    let value = (i64::from(field.get(shape.bits)) << unused) >> unused;
                    shape.offset = shape.offset << 8 | magnitude(value);
                    shape.bits &= !field.mask();
                }
            }
        }
        shape.overlaps = overlaps(registers.get(..at)?, pair);
        Some(shape)
    }
}

fn is_offset(field: &Field) -> bool {
    matches!(field.name, "offset" | "offset1")
}

/// How many bits a number has, and its sign; limits are powers of two.
fn magnitude(value: i64) -> u32 {
    let magnitude = if value < 0 { !value } else { value };
    u32::from(value < 0) << 7 | (64 - magnitude.leading_zeros())
}

/// What counts of an operand, and whether that stands for its field.
fn code_of(machine: Machine, spec: &OperandSpec, operand: &Operand, pair: bool) -> Option<(u32, bool)> {
    Some(match operand {
        Operand::Reg(reg) => (1 << 28 | code_of_register(spec, reg, pair), true),
        Operand::Int(_) => (2 << 28, true),
        Operand::Literal(bits) => {
            let inline = is_inline_value(machine, spec, Operand::Literal(*bits));
            let narrow = magnitude(i64::from(*bits as u32 as i32));
            (3 << 28 | u32::from(inline) << 16 | narrow << 8 | magnitude(*bits as i64), false)
        }
        Operand::Imm(_) if spec.class == Class::Imm(ImmKind::Label) => (4 << 28, true),
        Operand::Special(special) => (5 << 28 | *special as u32, false),
        Operand::Imm(value) => (6 << 28 | magnitude(*value), false),
        Operand::Float(code) => (7 << 28 | u32::from(*code), false),
        Operand::Off => (0, false),
        Operand::Literal64(_) | Operand::List(_) => return None,
    })
}

/// Whether a field with this value is where the operand is from, and not one that decoding ignores.
fn holds(value: u32, operand: &Operand) -> bool {
    match operand {
        Operand::Reg(Reg { file: RegFile::Ttmp, .. }) => false,
        Operand::Reg(reg) => value & 0x7f == u32::from(reg.index) & 0x7f,
        Operand::Int(_) => INLINE_INTEGERS.contains(&value),
        _ => true,
    }
}

/// What counts of a register; in a pair also its bank.
fn code_of_register(spec: &OperandSpec, reg: &Reg, pair: bool) -> u32 {
    let place = match reg.file {
        RegFile::Vgpr | RegFile::Agpr => {
            let beyond = reg.index + u16::from(reg.dwords) > 256;
            u32::from(beyond) << 1 | u32::from(reg.index >= 128)
        }
        RegFile::Sgpr => u32::from(reg.index.saturating_sub(LAST_SGPRS - 1)),
        RegFile::Ttmp => reg.index.into(),
    };
    let low = match reg.file {
        _ if pair => reg.index & 3,
        // The data of GWS are the first of two registers.
        _ if reg.dwords == 1 && spec.role != "gwsdata" => 0,
        RegFile::Vgpr | RegFile::Agpr => reg.index & 1,
        RegFile::Sgpr | RegFile::Ttmp => reg.index & 3,
    };
    place << 16
        | (reg.file as u32) << 12
        | (reg.half as u32) << 10
        | u32::from(reg.dwords) << 2
        | u32::from(low)
}

/// For each two registers two bits: the same, overlapping, or neither. Which single VGPRs are the same counts in pairs
/// only.
fn overlaps(registers: &[Option<Reg>], pair: bool) -> u128 {
    let mut all = 0;
    for (number, one) in registers.iter().enumerate() {
        let Some(one) = one else { continue };
        if !pair && one.file == RegFile::Vgpr && one.dwords == 1 {
            continue;
        }
        for (below, other) in registers[..number].iter().enumerate() {
            let Some(other) = other else { continue };
            let apart = one.file != other.file
                || one.index + u16::from(one.dwords) <= other.index
                || other.index + u16::from(other.dwords) <= one.index;
            let relation = if apart {
                0
            } else if one == other {
                1
            } else {
                2
            };
            all |= relation << (2 * (number * (number - 1) / 2 + below));
        }
    }
    all
}
