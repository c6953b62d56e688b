//! Statements of the vector family.
//!
//! The statement is read once into operands and modifiers; then the forms that the suffix allows are tried in
//! LLVM's order (32-bit, VOP3, SDWA, DPP, VOP3 with DPP) and the first that takes all of it wins. Limits that
//! span operands (literals, constant bus) are checked on the winner only, as LLVM does.

use smallvec::SmallVec;
use wavemark_target::InstFeature;

use super::operand::{Constant, Force, RegisterText, plain_register};
use super::vector_expected::{Miss, Why, explain, no_such_form};
use super::vector_limits::{check_limits, literal_bytes};
use super::vector_modifiers::{self, Modifier};
use super::vector_place::{Halves, finish_halves, place};
use super::{FixupKind, ParseError, Parser, Suffix, empty};
use crate::expr::Expr;
use crate::role::{Class, ImmKind};
use crate::row::{Encoding, Row};
use crate::vector::{PARAMETERS, Traits, vcc};
use crate::{Form, Inst, Machine, Operand, code};

/// An operand as written.
pub(super) struct Item {
    pub(super) value: Value,
    pub(super) neg: bool,
    pub(super) abs: bool,
    pub(super) sext: bool,
    /// It begins with two minus signs, which only sources without modifiers take.
    pub(super) twice: bool,
    /// Where it begins.
    pub(super) start: usize,
}

pub(super) enum Value {
    Register(RegisterText),
    Constant(Constant, Force),
    /// An attribute or parameter of interpolation.
    Number(ImmKind, i64),
}

type Items = SmallVec<[Item; 6]>;

/// Parses the operands and modifiers of one of `rows`, up to the end of the statement.
pub(super) fn parse(p: &mut Parser, rows: &[&Row], suffix: Option<Suffix>) -> Result<Inst, ParseError> {
    let kinds = rows.iter().flat_map(|row| &row.operands).filter_map(|spec| match spec.class {
        Class::Imm(kind) => Some(kind),
        _ => None,
    });
    let (items, modifiers) = read(p, &kinds.collect::<SmallVec<[ImmKind; 2]>>())?;
    let mut best: Option<(&Row, &Encoding, Miss)> = None;
    for row in rows {
        let traits = row.traits;
        for form in forms(suffix) {
            let Some(encoding) = row.encoding(*form).filter(|_| accepts_suffix(row, *form, suffix)) else {
                continue;
            };
            match attempt(p, row, encoding, &traits, &items, &modifiers) {
                Ok((inst, symbols)) => {
                    check_limits(p, row, encoding, &inst, &items)?;
                    let literals = inst
                        .operands
                        .iter()
                        .filter(|o| matches!(o, Operand::Literal(_) | Operand::Literal64(_)));
                    if !symbols.is_empty() && literals.count() > 1 {
                        let at = items.last().map_or(0, |item| item.start);
                        return Err(
                            p.error_at(at, "an instruction has room for one literal; the operands need two")
                        );
                    }
                    for expr in symbols {
                        p.fixup(encoding.format.dwords * 4, FixupKind::Literal32, expr);
                    }
                    return Ok(inst);
                }
                Err(miss) => {
                    // Of two forms that got as far, the VOP3 form takes more.
                    let wide = matches!(form, Form::E64 | Form::Native);
                    let further = |best: &Miss| best.at < miss.at || best.at == miss.at && wide;
                    if best.as_ref().is_none_or(|(_, _, best)| further(best)) {
                        best = Some((row, encoding, miss));
                    }
                }
            }
        }
    }
    Err(match best {
        Some((row, encoding, miss)) => explain(p, row, encoding, &items, &miss),
        None => {
            let name = match suffix {
                Some(Suffix::E32) => "_e32",
                Some(Suffix::E64) => "_e64",
                Some(Suffix::Dpp) => "_dpp",
                Some(Suffix::E64Dpp) => "_e64_dpp",
                Some(Suffix::Sdwa) => "_sdwa",
                None => "without suffix",
            };
            no_such_form(p, rows, name)
        }
    })
}

fn forms(suffix: Option<Suffix>) -> &'static [Form] {
    match suffix {
        None => &[
            Form::E32,
            Form::E64,
            Form::Native,
            Form::Sdwa,
            Form::Dpp16,
            Form::Dpp8,
            Form::E64Dpp16,
            Form::E64Dpp8,
        ],
        Some(Suffix::E32) => &[Form::E32, Form::Native],
        Some(Suffix::E64) => &[Form::E64, Form::Native],
        Some(Suffix::Sdwa) => &[Form::Sdwa],
        Some(Suffix::Dpp) => &[Form::Dpp16, Form::Dpp8],
        Some(Suffix::E64Dpp) => &[Form::E64Dpp16, Form::E64Dpp8],
    }
}

/// VOP3-only instructions may be called `_e64`, but for the lane accesses, which LLVM calls `_e32`.
fn accepts_suffix(row: &Row, form: Form, suffix: Option<Suffix>) -> bool {
    match (form, suffix) {
        (Form::Native, Some(Suffix::E64)) => !row.traits.lane,
        (Form::Native, Some(Suffix::E32)) => row.traits.lane,
        _ => true,
    }
}

/// Reads the statement: operands and modifiers in any order, commas as one likes. `kinds` are those of number operands.
fn read(p: &mut Parser, kinds: &[ImmKind]) -> Result<(Items, SmallVec<[Modifier; 6]>), ParseError> {
    let mut items = Items::new();
    let mut modifiers = SmallVec::new();
    while !p.at_end() {
        let modifier = match plain_register(p.rest()) {
            Some(_) => None,
            None => vector_modifiers::read(p)?,
        };
        match modifier {
            Some(modifier) => modifiers.push(modifier),
            None if modifiers.is_empty() => match number(p, kinds)? {
                Some(number) => items.push(number),
                None => items.push(item(p)?),
            },
            None => return Err(p.error("not a valid operand.")),
        }
        p.eat(",");
    }
    Ok((items, modifiers))
}

/// `attr3.x` or `p10`, where an operand can be one.
fn number(p: &mut Parser, kinds: &[ImmKind]) -> Result<Option<Item>, ParseError> {
    let word = p.peek_word();
    let start = p.pos;
    let kind = match word {
        _ if word.starts_with("attr") => ImmKind::Attribute,
        _ if PARAMETERS.contains(&word) => ImmKind::Parameter,
        _ => return Ok(None),
    };
    if !kinds.contains(&kind) {
        return Ok(None);
    }
    let value = if kind == ImmKind::Attribute { super::export::attribute(p)? } else { parameter(p)? };
    let value = Value::Number(kind, value);
    Ok(Some(Item { value, neg: false, abs: false, sext: false, twice: false, start }))
}

/// What `v_interp_mov_f32` moves.
pub(super) fn parameter(p: &mut Parser) -> Result<i64, ParseError> {
    let word = p.peek_word();
    match PARAMETERS.iter().position(|name| *name == word) {
        Some(number) => {
            p.pos += word.len();
            Ok(number as i64)
        }
        None => Err(p.error("expected p10, p20 or p0")),
    }
}

/// An operand with its source modifiers: `-v1`, `|v1|`, `-|v1|`, `neg(…)`, `abs(…)`, `sext(…)`.
pub(super) fn item(p: &mut Parser) -> Result<Item, ParseError> {
    p.skip_space();
    let start = p.pos;
    if plain_register(p.rest()).is_some()
        && let Some(register) = p.register()?
    {
        let value = Value::Register(register);
        return Ok(Item { value, neg: false, abs: false, sext: false, twice: false, start });
    }
    let call = |p: &mut Parser, name: &str| {
        let mark = p.mark();
        let found = p.eat_word(name) && p.eat("(");
        if !found {
            p.reset(mark);
        }
        found
    };
    let sext = call(p, "sext");
    let neg_call = !sext && call(p, "neg");
    // A minus before a register or an absolute value negates the operand; before a number it belongs to it.
    let neg_sign = !sext && !neg_call && {
        let mark = p.mark();
        let minus = p.eat("-");
        p.skip_space();
        let negates = minus && (p.rest().starts_with('|') || begins_call(p, "abs") || p.at_register());
        if !negates {
            p.reset(mark);
        }
        negates
    };
    let rest = p.rest();
    let twice =
        rest.strip_prefix('-').is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('-'));
    let bar = !sext && p.eat("|");
    let abs_call = !sext && !bar && call(p, "abs");
    p.skip_space();
    let value = match p.register()? {
        Some(register) => Value::Register(register),
        None => {
            let (constant, force) = p.constant_within(bar)?;
            Value::Constant(constant, force)
        }
    };
    if bar && !p.eat("|") {
        return Err(p.error("expected vertical bar"));
    }
    for open in [abs_call, neg_call, sext] {
        if open {
            p.expect(")")?;
        }
    }
    Ok(Item { value, neg: neg_call || neg_sign, abs: bar || abs_call, sext, twice, start })
}

fn begins_call(p: &mut Parser, name: &str) -> bool {
    p.peek_word() == name && p.rest()[name.len()..].trim_start_matches([' ', '\t']).starts_with('(')
}

/// The instruction in this form, and the symbols that its literal needs.
fn attempt(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    traits: &Traits,
    items: &[Item],
    modifiers: &[Modifier],
) -> Result<(Inst, SmallVec<[Expr; 1]>), Miss> {
    let mut inst = empty(row.id, encoding.form);
    let mut symbols = SmallVec::new();
    let mut next = items.iter();
    let implied = |index: usize, field: Option<&crate::format::Field>| {
        field.is_some_and(|field| field.pieces.is_empty())
            && matches!(row.operands[index].role, "sdst" | "smask")
    };
    let implied_count = encoding.operands.iter().filter(|&&(index, field)| implied(index, field)).count();
    let left_out = encoding.operands.len().saturating_sub(items.len());
    let may_lack =
        left_out == implied_count && may_leave_out_vcc(p.machine, encoding.form, traits, implied_count);
    let mut halves = Halves::default();
    for &(index, field) in &encoding.operands {
        let spec = &row.operands[index];
        if implied(index, field) && may_lack {
            inst.operands.push(Operand::Special(vcc(&spec.ty)));
            continue;
        }
        let Some(item) = next.next() else {
            return Err(Miss { at: 0, why: Why::TooFew });
        };
        let narrow = field.is_some_and(|field| field.width() == 8 && field.flip == code::VGPR);
        let operand =
            place(p, row, encoding, spec, narrow, traits, item, &mut inst, &mut halves, &mut symbols)
                .filter(|operand| !implied(index, field) || *operand == Operand::Special(vcc(&spec.ty)))
                .ok_or(Miss { at: item.start, why: Why::Operand(index) })?;
        inst.operands.push(operand);
    }
    if let Some(item) = next.next() {
        return Err(Miss { at: item.start, why: Why::TooMany });
    }
    if traits.halves_only && !p.machine.real_true16() {
        return Err(Miss::stated(0, "the instruction needs halves of registers (feature real-true16)"));
    }
    if traits.halves_only && halves.plain {
        return Err(Miss::stated(0, "the operands must be halves of registers, as in v0.l"));
    }
    // LLVM takes halves in the 32-bit compares of either mode.
    let compare = !traits.vdst && encoding.form == Form::E32;
    if halves.written && (halves.plain || !p.machine.real_true16() && !compare) {
        let text = if halves.plain {
            "halves (v0.l) and whole registers (v0) do not go together"
        } else {
            "halves of registers need the feature real-true16"
        };
        return Err(Miss::stated(0, text));
    }
    let with_halves = p.machine.real_true16() && !halves.plain;
    vector_modifiers::apply(p, row, encoding, traits, modifiers, with_halves, &mut inst)?;
    finish_halves(row, encoding, traits, &halves, modifiers, &mut inst)?;
    inst.size = encoding.format.dwords * 4 + literal_bytes(&inst);
    Ok((inst, symbols))
}

/// Whether VCC, where it is the only register that can stand there, may be left out: by compares, by
/// `v_cndmask_b32`, by additions with carry-out (one such operand) or with carry-in as well (two).
fn may_leave_out_vcc(machine: Machine, form: Form, traits: &Traits, operands: usize) -> bool {
    let extended = form != Form::E32;
    let gfx10 = machine.has_inst(InstFeature::Gfx10Insts);
    match operands {
        0 => false,
        1 if !traits.vdst => form != Form::Sdwa,
        // A condition or a carry-in.
        1 if traits.mods != 0 => !extended || gfx10,
        1 => !extended && machine.has_inst(InstFeature::AddNoCarryInsts),
        _ => gfx10,
    }
}
