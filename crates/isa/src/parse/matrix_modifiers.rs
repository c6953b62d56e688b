//! Modifiers of matrix statements: lists of bits, data formats and selectors by name, DPP controls.
//!
//! A modifier may be left out, but those that are written must stand in LLVM's order, each once.

use super::expected::INVALID;
use super::matrix::{selects_nothing, separator};
use super::{ParseError, Parser, vector_modifiers};
use crate::matrix::Trait;
use crate::print::matrix::{DATA_FORMATS, SCALE_FORMATS, SCALE_ROWS};
use crate::row::{Encoding, Row};
use wavemark_target::InstFeature;

use crate::{Dpp, Form, Inst, Operand, Reg, RegFile};

/// The modifiers that the encoding has, each at most once, in LLVM's order.
pub(super) fn modifiers(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    inst: &mut Inst,
) -> Result<(), ParseError> {
    let has = |name: &str| encoding.has_modifier(name);
    let scale = row.operand_index("vscalea").is_some();
    if has("op_sel") {
        let sources =
            if scale { 2 } else { encoding.specs(row).filter(|spec| spec.role.starts_with("src")).count() };
        let all = (1u8 << sources) - 1;
        let mix = row.matrix == Trait::Mix;
        inst.mods.op_sel = list(p, "op_sel")?.unwrap_or(0) & all;
        let default = if mix || scale { 0 } else { all };
        let start = p.pos;
        let op_sel_hi = list(p, "op_sel_hi")?;
        if op_sel_hi.is_some() && selects_nothing(p, row) {
            return Err(p.error_at(start, "invalid op_sel operand"));
        }
        inst.mods.op_sel_hi = op_sel_hi.unwrap_or(default) & all;
    }
    if has("cbsz") {
        inst.mods.cbsz = number(p, "cbsz", 7)?;
    }
    if has("abid") {
        inst.mods.abid = number(p, "abid", 15)?;
    }
    if has("blgp") {
        inst.mods.blgp = number(p, "blgp", 7)?;
    }
    if has("cbsz") && has("neg") {
        inst.mods.neg = list(p, "neg")?.unwrap_or(0) & 7;
        return Ok(());
    }
    if has("index_key") {
        inst.mods.matrix |= u16::from(number(p, "index_key", encoding.free("index_key").into())?) << 10;
    }
    if has("matrix_a_fmt") {
        inst.mods.cbsz = named(p, "matrix_a_fmt", &DATA_FORMATS)?;
        inst.mods.blgp = named(p, "matrix_b_fmt", &DATA_FORMATS)?;
    }
    if has("matrix_a_scale") {
        inst.mods.matrix |= u16::from(named(p, "matrix_a_scale", &SCALE_ROWS)?) << 2;
        inst.mods.matrix |= u16::from(named(p, "matrix_b_scale", &SCALE_ROWS)?) << 4;
        inst.mods.matrix |= u16::from(named(p, "matrix_a_scale_fmt", &SCALE_FORMATS)?) << 6;
        inst.mods.matrix |= u16::from(named(p, "matrix_b_scale_fmt", &SCALE_FORMATS)?) << 8;
    }
    if has("matrix_a_reuse") {
        inst.mods.matrix |= u16::from(flag(p, "matrix_a_reuse"));
        inst.mods.matrix |= u16::from(flag(p, "matrix_b_reuse")) << 1;
    }
    if row.matrix != Trait::Mix {
        // The bits of a list that the row leaves free; those of sources that the format does not have are dropped.
        let free = |name: &str| {
            let field = encoding.format.field(name).filter(|_| encoding.has_modifier(name));
            field.map_or(0, |field| encoding.free(name) as u8 | u8::MAX << field.width())
        };
        inst.mods.neg = negation(p, "neg_lo", free("neg"), has("neg_ab"), has("neg_c"), false)?;
        // LLVM 22 takes absolute values of single-precision A and B and writes none.
        let single = row.operands.get(1).is_some_and(|a| a.ty.name == "v2f32" && a.role == "srca");
        inst.mods.neg_hi = negation(p, "neg_hi", free("neg_hi"), has("neg_hi_ab"), has("neg_hi_c"), single)?;
        if encoding.specs(row).filter(|spec| spec.role.starts_with("src")).count() == 2 {
            inst.mods.neg &= 3;
            inst.mods.neg_hi &= 3;
        }
    }
    if has("clamp") {
        inst.mods.clamp = flag(p, "clamp");
    }
    Ok(())
}

/// The DPP controls, and what they ask of the operands.
pub(super) fn dpp(p: &mut Parser, row: &Row, inst: &mut Inst, at: &[usize]) -> Result<(), ParseError> {
    let (mut row_mask, mut bank_mask, mut bound_ctrl, mut fi) = (15, 15, false, false);
    let (mut ctrl, mut lanes) = (None, None);
    let order = ["dpp_ctrl", "dpp8", "row_mask", "bank_mask", "bound_ctrl", "fi"];
    let mut next = 0;
    while !p.at_end() {
        let start = p.pos;
        let Some(modifier) = vector_modifiers::read(p)? else { return Err(p.error("not a valid operand.")) };
        let after = if lanes.is_some() { order.len() - 1 } else { next };
        let found = order[after..].iter().position(|name| *name == modifier.name);
        let Some(n) = found else { return Err(p.error_at(start, INVALID)) };
        next = after + n + 1;
        let value = modifier.value;
        match modifier.name {
            "dpp_ctrl" => ctrl = Some(value as u16),
            "dpp8" => lanes = Some(value),
            "row_mask" => row_mask = value as u8,
            "bank_mask" => bank_mask = value as u8,
            "bound_ctrl" => bound_ctrl = value != 0,
            _ => fi = value != 0,
        }
        p.eat(",");
    }
    let (form, control) = match (ctrl, lanes) {
        (Some(ctrl), None) => (Form::E64Dpp16, Dpp::Row { ctrl, row_mask, bank_mask, bound_ctrl, fi }),
        (None, Some(sel)) => (Form::E64Dpp8, Dpp::Lanes8 { sel, fi }),
        _ => return Err(p.error_at(0, "too few operands for instruction")),
    };
    if row.encoding(form).is_none() {
        return Err(p.error_at(0, "dpp variant of this instruction is not supported"));
    }
    inst.form = form;
    inst.mods.dpp = Some(control);
    // The second source of some dot products may be a scalar.
    let scalar = row.matrix == Trait::Dot2 && p.machine.has_inst(InstFeature::DppSrc1Sgpr);
    let vgprs = match row.matrix {
        Trait::Dot2 if scalar => 2,
        Trait::Dot2 | Trait::Mix => 3,
        _ => 4,
    };
    for (n, operand) in inst.operands.iter().enumerate().skip(1) {
        let vgpr = matches!(operand, Operand::Reg(Reg { file: RegFile::Vgpr, .. }));
        let literal = matches!(operand, Operand::Literal(_) | Operand::Literal64(_));
        if literal || (n < vgprs && !vgpr) {
            let message = format!("{INVALID}: a DPP instruction takes a VGPR here");
            return Err(p.error_at(at.get(n).copied().unwrap_or_default(), message));
        }
    }
    Ok(())
}

/// `neg_lo` or `neg_hi`, for all sources or for those that the encoding has it for.
/// `lenient`: bits that it has not for are dropped.
fn negation(p: &mut Parser, key: &str, all: u8, ab: bool, c: bool, lenient: bool) -> Result<u8, ParseError> {
    if !(all != 0 || ab || c) {
        return Ok(0);
    }
    separator(p);
    let start = p.pos;
    let mut bits = list(p, key)?.unwrap_or(0) & 7;
    if lenient {
        bits &= 4;
    }
    let allowed = if all != 0 { all } else { (u8::from(ab) * 3) | (u8::from(c) * 4) };
    if bits & !allowed != 0 {
        return Err(p.error_at(start, format!("invalid {key} operand")));
    }
    Ok(bits)
}

/// `key:[0,1…]`, up to four bits.
fn list(p: &mut Parser, key: &str) -> Result<Option<u8>, ParseError> {
    let mark = p.mark();
    separator(p);
    if !p.eat_key(key) {
        p.reset(mark);
        return Ok(None);
    }
    if !p.eat("[") {
        return Err(p.error("expected a left square bracket"));
    }
    let mut bits = 0;
    for n in 0..4 {
        p.skip_space();
        let start = p.pos;
        match p.absolute()? {
            0 => {}
            1 => bits |= 1 << n,
            _ => return Err(p.error_at(start, format!("invalid {key} value."))),
        }
        if p.eat("]") {
            return Ok(Some(bits));
        }
        if !p.eat(",") {
            return Err(p.error("expected a comma"));
        }
    }
    Err(p.error("expected a closing square bracket"))
}

/// `key:value` with a value of 0 to `max`; 0 without it.
fn number(p: &mut Parser, key: &str, max: i64) -> Result<u8, ParseError> {
    let mark = p.mark();
    separator(p);
    let start = p.pos;
    if !p.eat_key(key) {
        p.reset(mark);
        return Ok(0);
    }
    let value = p.absolute()?;
    match u8::try_from(value) {
        Ok(small) if value <= max => Ok(small),
        _ => Err(p.error_at(start, format!("invalid {key} value."))),
    }
}

/// `key:NAME` or `key:number`.
fn named(p: &mut Parser, key: &str, names: &[&str]) -> Result<u8, ParseError> {
    let mark = p.mark();
    separator(p);
    let start = p.pos;
    if !p.eat_key(key) {
        p.reset(mark);
        return Ok(0);
    }
    let word = p.peek_word();
    if let Some(value) = names.iter().position(|name| *name == word) {
        p.pos += word.len();
        return Ok(value as u8);
    }
    let value = if word.is_empty() { p.absolute()? } else { -1 };
    match usize::try_from(value) {
        Ok(value) if value < names.len() => Ok(value as u8),
        _ => Err(p.error_at(start, format!("invalid {key} value"))),
    }
}

/// `name`, or `noname` for false.
fn flag(p: &mut Parser, name: &str) -> bool {
    let mark = p.mark();
    separator(p);
    if p.eat_word(name) {
        return true;
    }
    let word = p.peek_word();
    if word.strip_prefix("no") == Some(name) {
        p.pos += word.len();
    } else {
        p.reset(mark);
    }
    false
}
