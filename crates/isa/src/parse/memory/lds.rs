//! Modifiers of DS: one offset or two, `gds`.

use super::{expected, named_number, number, swizzle};
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
    } else if encoding.has_modifier("offset") {
        let offset = p.machine.facts().ds_offset;
        inst.mods.offset = number(p, offset.min(), offset.max(), &expected::offset(offset))?;
    }
    gds(p, row, encoding, inst)
}

pub(super) fn two_offsets(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    inst: &mut Inst,
) -> Result<(), ParseError> {
    inst.mods.offset = named_number(p, "offset0", 0, 255, "expected an 8-bit unsigned offset, 0 to 255")?;
    inst.mods.offset1 =
        named_number(p, "offset1", 0, 255, "expected an 8-bit unsigned offset, 0 to 255")? as u8;
    gds(p, row, encoding, inst)
}

/// `gds`: some instructions must say it, some may, on processors that have a global data share.
fn gds(p: &mut Parser, row: &Row, encoding: &Encoding, inst: &mut Inst) -> Result<(), ParseError> {
    let may = encoding.has_modifier("gds");
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
