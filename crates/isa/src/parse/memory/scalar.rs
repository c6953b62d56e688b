//! Operands and modifiers of SMRD and SMEM: the offset is an operand or, behind an SGPR, a modifier.

use super::{data, expected, policy};
use crate::parse::operand::RegisterText;
use crate::parse::scalar::plain_number;
use crate::parse::{ParseError, Parser};
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::{Inst, Operand, Special};

pub(super) fn parse(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    inst: &mut Inst,
) -> Result<(), ParseError> {
    let prefetch = row.memory.prefetch;
    // Up to gfx9 the offset field holds a number or a register.
    let shared_field = row.memory.fields.imm.is_some();
    let mut register_offset = false;
    for spec in encoding.specs(row) {
        p.skip_space();
        let start = p.pos;
        let operand = match spec.role {
            "soffset" if prefetch => {
                inst.mods.offset = immediate(p, row)?;
                p.eat(",");
                let register = p.register()?.ok_or_else(|| p.error("soffset: expected an SGPR or null"))?;
                offset_register(p, spec, register, start)?
            }
            // The immediate offset may be left out where it would be the last operand.
            "soffset" if p.at_end() => Operand::Off,
            "soffset" => match p.register()? {
                Some(register) => {
                    let operand = offset_register(p, spec, register, start)?;
                    register_offset = true;
                    // With fields of their own, a number without register has NULL for it.
                    if operand == Operand::Special(Special::Null) && !shared_field {
                        Operand::Off
                    } else {
                        inst.mods.control = u16::from(!row.memory.zero_offset || shared_field);
                        operand
                    }
                }
                None => offset(p, row, encoding, inst)?,
            },
            "length" => Operand::Imm(plain_number(p)? & 31),
            "sdata" if matches!(spec.class, Class::Imm(_)) => Operand::Imm(plain_number(p)? & 127),
            _ => data(p, encoding, spec).map_err(|error| expected::name(p, error, row, spec))?,
        };
        inst.operands.push(operand);
        p.eat(",");
    }
    let both = !shared_field || row.memory.fields.soe.is_some();
    if !prefetch && register_offset && both && p.eat_key("offset") {
        inst.mods.offset = immediate(p, row)?;
        let number = row.memory.zero_offset || inst.mods.offset != 0;
        inst.mods.control = u16::from(!number);
        p.eat(",");
    }
    // Where text need not say a number of 0, it is NULL that is said.
    if !shared_field
        && !row.memory.zero_offset
        && !prefetch
        && inst.mods.offset == 0
        && let Some(Operand::Off) = row.operand_index("soffset").and_then(|index| inst.operands.get(index))
    {
        let index = row.operand_index("soffset").unwrap_or_default();
        inst.operands[index] = Operand::Special(Special::Null);
        inst.mods.control = 1;
    }
    if row.memory.policy {
        policy::parse(p, row, inst)?;
    }
    Ok(())
}

fn offset_register(
    p: &Parser,
    spec: &OperandSpec,
    register: RegisterText,
    start: usize,
) -> Result<Operand, ParseError> {
    let spec = OperandSpec { class: Class::ScalarReg, ..spec.clone() };
    p.place_register(&spec, register)
        .ok_or_else(|| p.error_at(start, "soffset: expected an SGPR or a number"))
}

/// An offset that is a number: in its field, or behind the instruction where the processor allows it.
fn offset(p: &mut Parser, row: &Row, encoding: &Encoding, inst: &mut Inst) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    if !encoding.format.literal {
        inst.mods.offset = immediate(p, row)?;
        return Ok(Operand::Off);
    }
    let value = plain_number(p)?;
    let facts = p.machine.facts();
    if facts.smem_offset.allows(value) {
        inst.mods.offset = value as i32;
        return Ok(Operand::Off);
    }
    let literal = facts.smem_literal_offset.then(|| u32::try_from(value).ok()).flatten();
    match literal {
        Some(value) => Ok(Operand::Literal(u64::from(value))),
        None if facts.smem_literal_offset => Err(p.error_at(start, "expected a 32-bit unsigned offset")),
        None => Err(p.error_at(start, expected::offset(facts.smem_offset))),
    }
}

fn immediate(p: &mut Parser, row: &Row) -> Result<i32, ParseError> {
    p.skip_space();
    let start = p.pos;
    let value = plain_number(p)?;
    let facts = p.machine.facts();
    let offset = if row.memory.scalar_buffer { facts.smem_buffer_offset } else { facts.smem_offset };
    if offset.allows(value) {
        return Ok(value as i32);
    }
    Err(p.error_at(start, expected::offset(offset)))
}
