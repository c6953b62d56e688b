//! Modifiers of DS: one offset or two, `gds`.

use super::{named_number, number, swizzle};
use crate::Inst;
use crate::parse::{ParseError, Parser};
use crate::row::{Encoding, Row};

pub(super) fn modifiers(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    inst: &mut Inst,
) -> Result<(), ParseError> {
    if row.memory.swizzle {
        if p.eat_key("offset") {
            inst.mods.offset = swizzle::parse(p)?;
            p.eat(",");
        }
    } else if encoding.modifiers.iter().any(|(field, _)| field.name == "offset") {
        let offset = p.machine.facts().ds_offset;
        let message = format!("expected a {}-bit unsigned offset", offset.bits);
        inst.mods.offset = number(p, offset.min(), offset.max(), &message)?;
    }
    gds(p, row, encoding, inst)
}

pub(super) fn two_offsets(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    inst: &mut Inst,
) -> Result<(), ParseError> {
    inst.mods.offset = named_number(p, "offset0", 0, 255, "invalid offset0 value.")?;
    inst.mods.offset1 = named_number(p, "offset1", 0, 255, "invalid offset1 value.")? as u8;
    gds(p, row, encoding, inst)
}

/// `gds`: some instructions must say it, some may, on processors that have a global data share.
fn gds(p: &mut Parser, row: &Row, encoding: &Encoding, inst: &mut Inst) -> Result<(), ParseError> {
    let may = encoding.modifiers.iter().any(|(field, _)| field.name == "gds");
    if row.memory.gds || may {
        let said = p.eat_word("gds");
        if row.memory.gds && !said {
            return Err(p.error("gds modifier is required"));
        }
        inst.mods.gds = said && may;
        p.eat(",");
    }
    Ok(())
}
