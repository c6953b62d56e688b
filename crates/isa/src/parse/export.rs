//! Statements of exports and of loads from the parameter cache. Commas between operands may be missing.

use super::operand::RegisterText;
use super::{ParseError, Parser, Suffix, empty};
use crate::export::{self, COMPR};
use crate::role::Class;
use crate::row::{Encoding, Row};
use crate::{Half, Inst, Operand, Reg, RegFile};

/// Parses the operands and modifiers of one of `rows`, up to the end of the statement.
pub(super) fn parse(p: &mut Parser, rows: &[&Row], suffix: Option<Suffix>) -> Result<Inst, ParseError> {
    if suffix.is_some() {
        return Err(p.error_at(0, "invalid instruction"));
    }
    p.first_of(rows, statement)
}

fn statement(p: &mut Parser, row: &Row) -> Result<Inst, ParseError> {
    let encoding = row.encodings.first().ok_or_else(|| p.error("invalid instruction"))?;
    let mut inst = empty(row.id, encoding.form);
    for spec in encoding.specs(row) {
        let operand = match spec.class {
            Class::Imm(_) => p.operand(encoding, spec)?,
            _ => vgpr(p, spec.role)?,
        };
        inst.operands.push(operand);
        p.eat(",");
    }
    modifiers(p, encoding, &mut inst)?;
    if inst.mods.flags & COMPR != 0 && encoding.has_modifier("compr") {
        compress(&mut inst);
    }
    if p.at_end() { Ok(inst) } else { Err(unexpected(p, row, encoding)) }
}

/// A VGPR; a source of an export may be `off`.
fn vgpr(p: &mut Parser, role: &'static str) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    let source = role != "vdst";
    if source && p.eat_word("off") {
        return Ok(Operand::Off);
    }
    match p.register()? {
        Some(RegisterText::Numbered(
            reg @ Reg { file: RegFile::Vgpr, dwords: 1, half: Half::Whole, index: 0..256 },
        )) => Ok(Operand::Reg(reg)),
        _ if source => Err(p.error_at(start, format!("{role} must be a VGPR or off"))),
        _ => Err(p.error_at(start, format!("{role} must be a VGPR"))),
    }
}

/// The modifiers that the encoding has, in their order.
fn modifiers(p: &mut Parser, encoding: &Encoding, inst: &mut Inst) -> Result<(), ParseError> {
    for (field, modifier) in &encoding.modifiers {
        let name = field.name;
        if !export::is_number(name) {
            let word = p.peek_word();
            if let Some(value) = word.strip_suffix(name).filter(|no| matches!(*no, "" | "no")) {
                (modifier.set)(&mut inst.mods, u32::from(value.is_empty()));
                p.pos += word.len();
                p.eat(",");
            }
            continue;
        }
        p.skip_space();
        let start = p.pos;
        if p.eat_key(name) {
            let value = p.absolute()?;
            let range = field.range();
            if !range.contains(&value) {
                let most = range.end();
                return Err(p.error_at(start, format!("{name} must be 0 to {most}")));
            }
            (modifier.set)(&mut inst.mods, value as u32);
            p.eat(",");
        }
    }
    Ok(())
}

/// What does not belong there, and what could.
fn unexpected(p: &mut Parser, row: &Row, encoding: &Encoding) -> ParseError {
    let names: Vec<&str> = encoding.modifiers.iter().map(|(field, _)| field.name).collect();
    let (mnemonic, order, word) = (row.mnemonic, names.join(" "), p.peek_word());
    p.error(if names.contains(&word) {
        format!("{word} stands in the wrong place; the order of modifiers is {order}")
    } else {
        format!("expected the end of the statement or a modifier; {mnemonic} has {order}")
    })
}

/// The first and the third source are what a compressed export sends, each with two components.
fn compress(inst: &mut Inst) {
    if let Some([first, second, third, fourth]) = inst.operands.get_mut(1..5) {
        *second = *first;
        *fourth = *third;
    }
}

/// An export target by name.
pub(super) fn target(p: &mut Parser) -> Result<i64, ParseError> {
    p.skip_space();
    let start = p.pos;
    let name = p.word();
    match export::target_by_name(p.machine, name) {
        Some(number) => Ok(number.into()),
        None => {
            let targets: Vec<String> = p
                .machine
                .facts()
                .export_targets
                .iter()
                .map(|target| match target.count {
                    1 => target.name.to_owned(),
                    count => format!("{0}0…{0}{1}", target.name, count - 1),
                })
                .collect();
            Err(p.error_at(start, format!("expected an export target: {}", targets.join(", "))))
        }
    }
}

/// An attribute with its channel, `attr3.y`.
pub(super) fn attribute(p: &mut Parser) -> Result<i64, ParseError> {
    p.skip_space();
    let start = p.pos;
    let word = p.word();
    let parts = word.strip_prefix("attr").and_then(|rest| rest.split_once('.'));
    let Some((number, channel)) = parts else {
        return Err(p.error_at(start, "expected an attribute with its channel, as in attr3.y"));
    };
    let channel = export::CHANNELS.iter().position(|name| *name == channel);
    let channel = channel.ok_or_else(|| p.error_at(start, "the channel of an attribute is x, y, z or w"))?;
    match number.parse::<u8>() {
        Ok(number @ 0..=32) => Ok(i64::from(number) << 2 | channel as i64),
        _ => Err(p.error_at(start, "the number of an attribute is 0 to 32")),
    }
}
