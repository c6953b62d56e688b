//! Statements of the matrix family: operands, then modifiers in LLVM's order.
//!
//! Commas are optional everywhere, as in LLVM's assembler.

use smallvec::SmallVec;

use super::operand::{Constant, Force, RegisterText};
use super::vector::{Value, item};
use super::vector_modifiers;
use super::{ParseError, Parser, Suffix, candidates, empty, literal};
use crate::matrix::{dwords, inline_of, scalar_reads};
use crate::pair::{is_miscounted, pair_fault};
use crate::print::matrix::{DATA_FORMATS, SCALE_FORMATS, SCALE_ROWS, is_register};
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::ty::Type;
use crate::{Dpp, Form, Inst, Isa, Mods, Operand, Reg, RegFile, Special};

const INVALID: &str = "invalid operand for instruction";

/// Parses the operands and modifiers of one of `rows`, up to the end of the statement.
pub(super) fn parse(p: &mut Parser, rows: &[&Row], suffix: Option<Suffix>) -> Result<Inst, ParseError> {
    if rows.iter().any(|row| row.encodings.iter().any(|encoding| is_half(encoding.form))) {
        return pair(p, rows);
    }
    match suffix {
        None | Some(Suffix::E64) => p.first_of(rows, |p, row| single(p, row, false)),
        Some(Suffix::E64Dpp) => p.first_of(rows, |p, row| single(p, row, true)),
        Some(_) => Err(p.error_at(0, "variant of this instruction is not supported")),
    }
}

fn is_half(form: Form) -> bool {
    matches!(form, Form::VopdX | Form::VopdY | Form::Vopd3X | Form::Vopd3Y)
}

/// One instruction that is no pair.
fn single(p: &mut Parser, row: &Row, dpp_only: bool) -> Result<Inst, ParseError> {
    let encoding = row.encodings.first().ok_or_else(|| p.error_at(0, "invalid instruction"))?;
    let mut inst = empty(row.id, encoding.form);
    let mut at: SmallVec<[usize; 6]> = SmallVec::new();
    let mix = row.attribute("matrix") == Some("mix");
    for (n, spec) in encoding.specs(row).enumerate() {
        separator(p);
        at.push(p.pos);
        let operand = if mix && n > 0 {
            signed(p, row, encoding, spec, &mut inst.mods, n - 1, true)?
        } else {
            operand(p, row, encoding, spec, &inst.operands)?
        };
        inst.operands.push(operand);
    }
    modifiers(p, row, encoding, &mut inst)?;
    separator(p);
    if !p.at_end() || dpp_only {
        dpp(p, row, &mut inst, &at)?;
    }
    p.expect_end()?;
    check(p, row, encoding, &inst, &at)?;
    Ok(inst)
}

/// Space and at most one comma.
fn separator(p: &mut Parser) {
    p.eat(",");
    p.skip_space();
}

/// An operand without sign. `before` are the operands before it.
fn operand(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    before: &[Operand],
) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    let value = match p.register()? {
        Some(register) => Value::Register(register),
        None if matches!(spec.class, Class::VectorSrc | Class::Literal32) || spec.role == "srcc" => {
            let (constant, force) = p.constant()?;
            Value::Constant(constant, force)
        }
        None => return Err(p.error_at(start, INVALID)),
    };
    place(p, row, encoding, spec, before, value).map_err(|message| p.error_at(start, message))
}

/// The value as this operand.
fn place(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    before: &[Operand],
    value: Value,
) -> Result<Operand, &'static str> {
    let (constant, force) = match value {
        Value::Register(register) => {
            return match spec.class {
                Class::Custom | Class::VgprOrAgpr => matrix_register(row, spec, register, before),
                _ => p.place_register(spec, register),
            }
            .ok_or(INVALID);
        }
        Value::Constant(constant, force) => (constant, force),
    };
    if !matches!(spec.class, Class::VectorSrc | Class::Literal32) && spec.role != "srcc" {
        return Err(INVALID);
    }
    let operand = source_constant(p.isa, spec, constant, force)?;
    if matches!(operand, Operand::Literal(_) | Operand::Literal64(_)) {
        if spec.role == "srcc" || !encoding.format.literal {
            return Err(INVALID);
        }
        if p.isa == Isa::Gfx950 {
            return Err("literal operands are not supported");
        }
    }
    Ok(operand)
}

/// A register in a place that is not one of the shared classes.
fn matrix_register(
    row: &Row,
    spec: &OperandSpec,
    register: RegisterText,
    before: &[Operand],
) -> Option<Operand> {
    let reg = match register {
        RegisterText::Numbered(reg) => reg,
        // Values that are not in registers may be C.
        RegisterText::Named(special) => {
            return (spec.role == "srcc" && !is_register(special)).then_some(Operand::Special(special));
        }
    };
    let file = match spec.role {
        "asrc" | "adst" => reg.file == RegFile::Agpr,
        // C has the register file of D.
        "srcc" => match before.first() {
            Some(Operand::Reg(d)) => reg.file == d.file,
            _ => false,
        },
        _ => matches!(reg.file, RegFile::Vgpr | RegFile::Agpr),
    };
    // The widths of f8f6f4's A and B are known only after the modifiers.
    let whole = spec.ty.dwords();
    let width = reg.dwords == whole
        || (row.attribute("matrix") == Some("f8f6f4")
            && matches!(spec.role, "srca" | "srcb")
            && (reg.dwords == whole / 2 || reg.dwords == whole / 4 * 3));
    let aligned = reg.dwords == 1 || reg.index % 2 == 0;
    (file && width && aligned && reg.half == crate::Half::Whole).then_some(Operand::Reg(reg))
}

/// The operand for a constant: see [`inline_of`] for what is inline.
fn source_constant(
    isa: Isa,
    spec: &OperandSpec,
    constant: Constant,
    force: Force,
) -> Result<Operand, &'static str> {
    let scalar = |name| {
        let ty = Type::parse(name).unwrap_or(spec.ty);
        OperandSpec { ty, ..spec.clone() }
    };
    let elem = match (spec.ty.elem_bits, spec.ty.name) {
        (64, _) => "f64",
        (16, name) if name.ends_with("bf16") => "bf16",
        (16, _) if spec.ty.is_float() => "f16",
        _ => "f32",
    };
    match constant {
        Constant::Unknown(_) => Err(INVALID),
        // 1/2π rounds to the bfloat above the inline constant; LLVM takes the constant for its decimal text.
        Constant::Float(0.15915494) if elem == "bf16" && force == Force::None => Ok(Operand::Float(248)),
        // Mixed-precision constants must fit half precision, whatever the narrow type.
        Constant::Float(value)
            if elem == "bf16" && spec.ty.lanes == 1 && literal::narrow(value, 5, 10).is_none() =>
        {
            Err(INVALID)
        }
        Constant::Float(value) => literal::float(isa, &scalar(elem), value, force),
        Constant::Int(value) if elem == "f64" || spec.class == Class::Literal32 => {
            literal::integer(isa, &scalar(elem), value, force)
        }
        // A pair of scale registers is a 64-bit operand.
        Constant::Int(value) if spec.role.starts_with("scale") && spec.ty.dwords() == 2 => {
            let inline = (-16..=64).contains(&value);
            if inline { Ok(Operand::Int(value as i8)) } else { Err(INVALID) }
        }
        Constant::Int(value) => {
            // Single halves take 16 bits; accumulators have an inline constant in each element.
            let narrow =
                spec.ty.is_float() && spec.ty.elem_bits == 16 && (spec.ty.lanes == 1 || spec.role == "srcc");
            let ty = if spec.role == "srcc" { scalar(elem).ty } else { spec.ty };
            let limit = if narrow { 16 } else { 32 };
            if value < -(1 << (limit - 1)) || value >= 1 << limit {
                return Err(INVALID);
            }
            let inline = if force == Force::None { inline_of(&ty, value as u32) } else { None };
            let mask = if narrow { 0xffff } else { 0xffff_ffff };
            Ok(inline.unwrap_or(Operand::Literal(value as u64 & mask)))
        }
    }
}

/// An operand with `-`, `|…|`, `neg(…)`, `abs(…)` around it; sets the source's modifiers.
fn signed(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    mods: &mut Mods,
    source: usize,
    with_abs: bool,
) -> Result<Operand, ParseError> {
    let item = item(p)?;
    if item.sext {
        return Err(p.error_at(item.start, INVALID));
    }
    if item.abs && !with_abs {
        return Err(p.error_at(item.start, "ABS not allowed in VOPD3 instructions"));
    }
    mods.neg |= u8::from(item.neg) << source;
    mods.abs |= u8::from(item.abs) << source;
    place(p, row, encoding, spec, &[], item.value).map_err(|message| p.error_at(item.start, message))
}

/// The modifiers that the encoding has, each at most once, in LLVM's order.
fn modifiers(p: &mut Parser, row: &Row, encoding: &Encoding, inst: &mut Inst) -> Result<(), ParseError> {
    let has = |name: &str| encoding.modifiers.iter().any(|(field, _)| field.name == name);
    let scale = encoding.format.name == "MAI_SCALE";
    if has("op_sel") {
        let sources =
            if scale { 2 } else { encoding.specs(row).filter(|spec| spec.role.starts_with("src")).count() };
        let all = (1u8 << sources) - 1;
        let mix = row.attribute("matrix") == Some("mix");
        inst.mods.op_sel = list(p, "op_sel")?.unwrap_or(0) & all;
        let default = if mix || scale { 0 } else { all };
        let start = p.pos;
        let op_sel_hi = list(p, "op_sel_hi")?;
        if op_sel_hi.is_some() && row.attribute("matrix") == Some("dot2") {
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
    if encoding.format.name == "MAI_F64" {
        inst.mods.neg = list(p, "neg")?.unwrap_or(0) & 7;
        return Ok(());
    }
    if has("index_key") {
        inst.mods.matrix |= u16::from(number(p, "index_key", 1)?) << 10;
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
    if row.attribute("matrix") != Some("mix") {
        inst.mods.neg = negation(p, "neg_lo", has("neg"), has("neg_ab"), has("neg_c"), false)?;
        // LLVM 22 takes absolute values of single-precision A and B and writes none.
        let single = row.operands.get(1).is_some_and(|a| a.ty.name == "v2f32" && a.role == "srca");
        inst.mods.neg_hi = negation(p, "neg_hi", has("neg_hi"), has("neg_hi_ab"), has("neg_hi_c"), single)?;
        if encoding.format.name == "VOP3P_2" {
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
fn dpp(p: &mut Parser, row: &Row, inst: &mut Inst, at: &[usize]) -> Result<(), ParseError> {
    let (mut row_mask, mut bank_mask, mut bound_ctrl, mut fi) = (15, 15, false, false);
    let (mut ctrl, mut lanes) = (None, None);
    let order = ["dpp_ctrl", "dpp8", "row_mask", "bank_mask", "bound_ctrl", "fi"];
    let mut next = 0;
    while !p.at_end() {
        let start = p.pos;
        let Some(modifier) = vector_modifiers::read(p)? else { return Err(p.error("not a valid operand.")) };
        let found = order[next..].iter().position(|name| *name == modifier.name);
        let Some(n) = found else { return Err(p.error_at(start, INVALID)) };
        next += n + 1;
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
    for (n, operand) in inst.operands.iter().enumerate().skip(1) {
        let vgpr = matches!(operand, Operand::Reg(Reg { file: RegFile::Vgpr, .. }));
        let literal = matches!(operand, Operand::Literal(_) | Operand::Literal64(_));
        if literal || (n < 3 && !vgpr) {
            return Err(p.error_at(at.get(n).copied().unwrap_or_default(), INVALID));
        }
    }
    Ok(())
}

/// `neg_lo` or `neg_hi`, for all sources or for those that the encoding has it for.
/// `lenient`: bits that it has not for are dropped.
fn negation(
    p: &mut Parser,
    key: &str,
    all: bool,
    ab: bool,
    c: bool,
    lenient: bool,
) -> Result<u8, ParseError> {
    if !(all || ab || c) {
        return Ok(0);
    }
    separator(p);
    let start = p.pos;
    let mut bits = list(p, key)?.unwrap_or(0) & 7;
    if lenient {
        bits &= 4;
    }
    let allowed = if all { 7 } else { u8::from(ab) * 3 | u8::from(c) * 4 };
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

/// What LLVM checks once all operands are read. `at` is where each operand is.
fn check(p: &Parser, row: &Row, encoding: &Encoding, inst: &Inst, at: &[usize]) -> Result<(), ParseError> {
    let place = |n: usize| at.get(n).copied().unwrap_or_default();
    let bus = if p.isa == Isa::Gfx950 { 1 } else { 2 };
    if encoding.format.name != "WMMA_LD_SCALE"
        && encoding.format.name != "WMMA_SCALE"
        && scalar_reads(inst.operands.iter()) > bus
    {
        let last = inst.operands.iter().rposition(|operand| scalar_reads(std::iter::once(operand)) != 0);
        return Err(
            p.error_at(place(last.unwrap_or(0)), "invalid operand (violates constant bus restrictions)")
        );
    }
    let mut literals = inst.operands.iter().enumerate().filter(|(_, o)| matches!(o, Operand::Literal(_)));
    if let Some((_, first)) = literals.next() {
        if let Some((n, _)) = literals.find(|(_, other)| *other != first) {
            return Err(p.error_at(place(n), "only one unique literal operand is allowed"));
        }
    }
    for (n, (spec, operand)) in encoding.specs(row).zip(&inst.operands).enumerate() {
        let Operand::Reg(reg) = operand else { continue };
        if matches!(spec.role, "srca" | "srcb")
            && dwords(p.isa, row, spec.role, &spec.ty, &inst.mods) != Some(reg.dwords)
        {
            return Err(p.error_at(place(n), "wrong register tuple size"));
        }
        if spec.role == "srcc" && row.attribute("matrix") == Some("mfma") {
            accumulator_overlap(inst, reg).map_err(|message| p.error_at(place(n), message))?;
        }
    }
    if row.attribute("matrix") == Some("dot2") && inst.mods.op_sel != 0 {
        return Err(p.error_at(0, "invalid op_sel operand"));
    }
    if p.isa == Isa::Gfx1250 && row.operands.first().is_some_and(|d| d.ty.name == "v2f32") {
        // A scalar pair feeds its low half to both results.
        for (n, operand) in inst.operands.iter().skip(1).enumerate() {
            let scalar = match operand {
                Operand::Reg(reg) => reg.file == RegFile::Sgpr,
                Operand::Special(special) => *special != Special::Null,
                _ => false,
            };
            if scalar && (inst.mods.op_sel | inst.mods.op_sel_hi) >> n & 1 != 0 {
                return Err(p.error_at(0, "invalid op_sel operand"));
            }
        }
    }
    Ok(())
}

/// C may be D or apart from it; results of at most 4 registers are safe.
fn accumulator_overlap(inst: &Inst, c: &Reg) -> Result<(), &'static str> {
    let Some(Operand::Reg(d)) = inst.operands.first() else { return Ok(()) };
    if d.dwords <= 4 || d.file != c.file || d.index == c.index {
        return Ok(());
    }
    let apart = c.index >= d.index + u16::from(d.dwords) || d.index >= c.index + u16::from(c.dwords);
    if apart { Ok(()) } else { Err("source 2 operand must not partially overlap with dst") }
}

/// `X :: Y`: in 8 bytes if the rules of that encoding allow it, else in 12.
fn pair(p: &mut Parser, rows: &[&Row]) -> Result<Inst, ParseError> {
    let mark = p.mark();
    let short = (Form::VopdX, Form::VopdY);
    let long = (Form::Vopd3X, Form::Vopd3Y);
    let long_first = rows.iter().any(|row| is_miscounted(row));
    let mut furthest: Option<ParseError> = None;
    for forms in if long_first { [long, short] } else { [short, long] } {
        p.reset(mark);
        let error = match pair_in(p, rows, forms) {
            Ok((inst, None)) => return Ok(inst),
            // Only the destinations are freer in 12 bytes.
            Ok((_, Some((fault, tied)))) if forms != short || !tied => return Err(fault),
            Ok((_, Some((fault, _)))) => fault,
            Err(error) => error,
        };
        if furthest.as_ref().is_none_or(|best| best.column <= error.column) {
            furthest = Some(error);
        }
    }
    Err(furthest.unwrap_or_else(|| p.error_at(0, "invalid instruction")))
}

/// The pair in these forms, and the rule that it breaks, if any, and whether that is one about destinations.
fn pair_in(
    p: &mut Parser,
    rows: &[&Row],
    (x, y): (Form, Form),
) -> Result<(Inst, Option<(ParseError, bool)>), ParseError> {
    let mut at = SmallVec::new();
    let mut first = half(p, rows, x, &mut at)?;
    separator(p);
    if p.at_end() {
        return Err(p.error_at(0, "too few operands for instruction"));
    }
    if !p.eat("::") {
        return Err(p.error(INVALID));
    }
    p.skip_space();
    let start = p.pos;
    let name = p.word();
    if name.is_empty() {
        return Err(p.error_at(start, "expected a VOPDY instruction after ::"));
    }
    let (rows, _) = candidates(crate::Table::of(p.isa), name);
    at.clear();
    let second = half(p, &rows, y, &mut at).map_err(|mut error| {
        if rows.is_empty() {
            error = p.error_at(start, "invalid VOPDY instruction");
        }
        error
    })?;
    separator(p);
    p.expect_end()?;
    let fault = pair_fault(p.isa, &first, &second).map(|fault| {
        (p.error_at(at.get(fault.operand).copied().unwrap_or(start), fault.reason), fault.operand == 0)
    });
    first.second = Some(Box::new(second));
    Ok((first, fault))
}

/// One half, in the row that has the form.
fn half(
    p: &mut Parser,
    rows: &[&Row],
    form: Form,
    at: &mut SmallVec<[usize; 6]>,
) -> Result<Inst, ParseError> {
    let found = rows.iter().find_map(|row| Some((*row, row.encoding(form)?)));
    let Some((row, encoding)) = found else { return Err(p.error_at(0, "invalid instruction")) };
    let mut inst = empty(row.id, form);
    let wide = matches!(form, Form::Vopd3X | Form::Vopd3Y);
    for spec in encoding.specs(row) {
        separator(p);
        at.push(p.pos);
        let source = match spec.role {
            "src0" => 0,
            "vsrc1" => 1,
            "vsrc2" => 2,
            _ => 3,
        };
        let field = ["neg0", "neg1", "neg2"].get(source);
        let signs = field.is_some_and(|field| encoding.modifiers.iter().any(|(f, _)| f.name == *field));
        let start = p.pos;
        let operand = if signs {
            signed(p, row, encoding, spec, &mut inst.mods, source, false)?
        } else {
            operand(p, row, encoding, spec, &[])?
        };
        let refused = match operand {
            Operand::Literal64(_) => true,
            Operand::Literal(_) => wide,
            // LLVM 22 takes no floating constants for pairs of halves here.
            Operand::Float(_) => wide && spec.ty.lanes == 2,
            _ => false,
        };
        if refused {
            return Err(p.error_at(start, INVALID));
        }
        inst.operands.push(operand);
    }
    if row.mnemonic == "v_dual_bitop2_b32" {
        let mark = p.mark();
        separator(p);
        if p.eat_key("bitop3") {
            // LLVM keeps the low 8 bits of whatever is written.
            inst.mods.control = (p.absolute()? & 0xff) as u16;
        } else {
            p.reset(mark);
        }
    }
    Ok(inst)
}
