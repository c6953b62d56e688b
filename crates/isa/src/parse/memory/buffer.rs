//! Operands and modifiers of MUBUF, MTBUF and VBUFFER.

use super::{data as register_data, expected, lds_word, number, policy};
use crate::cache_policy::Hints;
use crate::parse::operand::RegisterText;
use crate::parse::{ParseError, Parser};
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::{Inst, Operand, RegFile, Special, buffer_format};

/// The data: with a status there is one register more.
pub(super) fn data(
    p: &mut Parser,
    encoding: &Encoding,
    spec: &OperandSpec,
    inst: &mut Inst,
) -> Result<Operand, ParseError> {
    let takes_tfe = encoding.has_modifier("tfe");
    let align = u16::from(p.machine.facts().vgpr_tuple_alignment);
    let mark = p.mark();
    if let (true, Some(RegisterText::Numbered(reg))) = (takes_tfe, p.register()?)
        && reg.file == RegFile::Vgpr
        && reg.dwords == spec.ty.dwords() + 1
        && reg.index % align == 0
    {
        inst.mods.tfe = true;
        return Ok(Operand::Reg(reg));
    }
    p.reset(mark);
    register_data(p, encoding, spec)
}

/// The offset that the whole wave has: an SGPR, up to gfx11 also an inline constant.
pub(super) fn offset_register(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    let class = row.memory.soffset_class.unwrap_or(Class::ScalarReg);
    let operand = p.operand(encoding, &OperandSpec { class, ..spec.clone() })?;
    match operand {
        Operand::Special(Special::Exec | Special::LdsDirect) => {
            Err(p.error_at(start, "invalid operand for instruction"))
        }
        _ => Ok(operand),
    }
}

pub(super) fn modifiers(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    inst: &mut Inst,
) -> Result<(), ParseError> {
    let has = |name: &str| encoding.has_modifier(name);
    if has("format") {
        if p.eat_key("format") {
            // A format that stood before the offset register is the only one.
            inst.mods.format = symbolic_format(p)?;
            p.eat(",");
        } else if inst.mods.format == 0 {
            inst.mods.format = buffer_format::DEFAULT;
        }
        inst.mods.format &= 0x7f;
    }
    for (name, slot) in
        [("addr64", &mut inst.mods.addr64), ("idxen", &mut inst.mods.idxen), ("offen", &mut inst.mods.offen)]
    {
        if has(name) && p.eat_word(name) {
            *slot = true;
            p.eat(",");
            // A whole address needs neither index nor offset.
            if name == "addr64" {
                break;
            }
        }
    }
    if !row.operands.is_empty() {
        let offset = p.machine.facts().buffer_offset;
        // LLVM drops the high bits of 16 where the field has 12.
        inst.mods.offset = match offset.bits {
            12 => number(p, 0, 0xffff, &expected::offset(offset))? & 0xfff,
            _ => number(p, offset.min(), offset.max(), &expected::offset(offset))?,
        };
    }
    if row.memory.from_lds {
        lds_word(p, row)?;
    }
    if row.memory.policy {
        policy::parse(p, row, inst)?;
        p.eat(",");
    }
    p.skip_space();
    let at = p.pos;
    let said = p.eat_word("tfe");
    if inst.mods.tfe != said {
        let wrong = match said {
            true => "tfe: expected data of one register more, for the status",
            false => "expected tfe, since the data have a register more than the instruction needs",
        };
        return Err(p.error_at(at, wrong));
    }
    if inst.mods.tfe && row.memory.hints == Hints::Store {
        return Err(p.error_at(at, "TFE modifier has no meaning for store instructions"));
    }
    p.eat(",");
    if row.memory.from_lds { Ok(()) } else { lds_word(p, row) }
}

/// A format in front of the offset register: `dfmt:D, nfmt:N,` up to gfx9, `format:N,` from gfx10 on.
pub(super) fn early_format(p: &mut Parser, inst: &mut Inst) -> Result<(), ParseError> {
    let formats = p.machine.facts().buffer_formats;
    let mark = p.mark();
    let at = p.pos;
    if buffer_format::of_parts(formats, 0, 1).is_none() {
        if p.eat_key("format") {
            let value = p.absolute()?;
            inst.mods.format = in_range(p, value, 128, at)? | EXPLICIT;
            p.eat(",");
        }
        return Ok(());
    }
    let (mut data, mut number) = (None, None);
    loop {
        p.skip_space();
        let at = p.pos;
        let (slot, limit) = if data.is_none() && p.eat_key("dfmt") {
            (&mut data, 16)
        } else if number.is_none() && p.eat_key("nfmt") {
            (&mut number, 8)
        } else {
            break;
        };
        let value = p.absolute()?;
        *slot = Some(in_range(p, value, limit, at)?);
        p.eat(",");
    }
    if data.is_none() && number.is_none() {
        p.reset(mark);
    } else {
        inst.mods.format = data.unwrap_or(1) | number.unwrap_or(0) << 4 | EXPLICIT;
    }
    Ok(())
}

/// Set while parsing where a format has been read, which may be 0.
const EXPLICIT: u8 = 0x80;

fn in_range(p: &Parser, value: i64, limit: i64, at: usize) -> Result<u8, ParseError> {
    u8::try_from(value)
        .ok()
        .filter(|&value| i64::from(value) < limit)
        .ok_or_else(|| p.error_at(at, "out of range format"))
}

/// `[BUF_FMT_…]`, `[DATA,NUMBER]`, either of them, or the number of both.
fn symbolic_format(p: &mut Parser) -> Result<u8, ParseError> {
    p.skip_space();
    let start = p.pos;
    if !p.eat("[") {
        let value = p.absolute()?;
        return in_range(p, value, 128, start);
    }
    let formats = p.machine.facts().buffer_formats;
    let (mut data, mut number) = (None, None);
    loop {
        p.skip_space();
        let at = p.pos;
        let word = p.word();
        if let (None, None, Some(format)) = (data, number, buffer_format::by_name(formats, word)) {
            p.expect("]")?;
            return Ok(format);
        }
        match (buffer_format::data_by_name(word), buffer_format::number_by_name(formats, word)) {
            (Some(value), _) if data.is_none() => data = Some(value),
            (_, Some(value)) if number.is_none() => number = Some(value),
            _ => return Err(p.error_at(at, "unsupported format")),
        }
        if !p.eat(",") {
            break;
        }
    }
    p.expect("]")?;
    buffer_format::of_parts(formats, data.unwrap_or(1), number.unwrap_or(0))
        .ok_or_else(|| p.error_at(start, "unsupported format"))
}
