//! VOPD statements: `X :: Y`.
//!
//! Which pairs are allowed is in module `crate::pair`; here is in which encoding a pair is tried first and which
//! error counts.

use smallvec::SmallVec;

use super::expected::{INVALID, explain};
use super::matrix::{is_half, lds_direct, operand, separator, signed};
use super::{ParseError, Parser, candidates, empty};
use crate::pair::{is_miscounted, pair_fault};
use crate::row::Row;
use crate::{Form, Inst, Operand, Special, Table};

/// `X :: Y`: in 8 bytes if the rules of that encoding allow it, else in 12.
pub(super) fn parse(p: &mut Parser, rows: &[&Row]) -> Result<Inst, ParseError> {
    if !p.machine.wave32() {
        return Err(p.error_at(0, "instruction requires wavesize=32"));
    }
    let mark = p.mark();
    let short = (Form::VopdX, Form::VopdY);
    let long = (Form::Vopd3X, Form::Vopd3Y);
    let long_first = rows.iter().any(|row| is_miscounted(row));
    let mut furthest: Option<ParseError> = None;
    for forms in if long_first { [long, short] } else { [short, long] } {
        if forms == long && !p.machine.facts().vopd3 {
            continue;
        }
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
    let (rows, _) = candidates(Table::of(p.machine), name);
    at.clear();
    let second = half(p, &rows, y, &mut at).map_err(|mut error| {
        if !rows.iter().any(|row| row.encodings.iter().any(|encoding| is_half(encoding.form))) {
            error = p.error_at(start, "invalid VOPDY instruction");
        }
        error
    })?;
    separator(p);
    p.expect_end()?;
    let fault = pair_fault(p.machine, &first, &second).map(|fault| {
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
    let Some((row, encoding)) = found else {
        let name = rows.first().map_or("the instruction", |row| row.mnemonic);
        let which = if matches!(form, Form::VopdX | Form::Vopd3X) { "first" } else { "second" };
        return Err(p.error_at(0, format!("invalid instruction: {name} cannot be the {which} of a pair")));
    };
    let mut inst = empty(row.id, form);
    let wide = matches!(form, Form::Vopd3X | Form::Vopd3Y);
    for (n, spec) in encoding.specs(row).enumerate() {
        // LLVM takes a comma behind the name of Y, not behind that of X.
        if n > 0 || matches!(form, Form::VopdY | Form::Vopd3Y) {
            separator(p);
        }
        p.skip_space();
        at.push(p.pos);
        let source = match spec.role {
            "src0" => 0,
            "vsrc1" => 1,
            "vsrc2" => 2,
            _ => 3,
        };
        let field = ["neg0", "neg1", "neg2"].get(source);
        let signs = field.is_some_and(|field| encoding.has_modifier(field));
        let start = p.pos;
        let operand = if signs {
            signed(p, row, encoding, spec, &mut inst.mods, source, false)
        } else {
            operand(p, row, encoding, spec, &[])
        };
        let operand = operand.map_err(|error| explain(p.machine, row, encoding, spec, error))?;
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
        if operand == Operand::Special(Special::LdsDirect)
            && let Some(message) = lds_direct(p, row, n)
        {
            return Err(p.error_at(start, message));
        }
        inst.operands.push(operand);
    }
    let free = !encoding.required.0;
    if encoding.modifiers.iter().any(|(field, _)| field.name == "bitop3" && field.get(free) != 0) {
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
