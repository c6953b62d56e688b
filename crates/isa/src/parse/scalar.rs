//! Statements of SOP1, SOP2, SOPC, SOPK, SOPP, and the number operands of all families.

use super::expected::{INVALID, explain};
use super::operand::Constant;
use super::{FixupKind, ParseError, Parser, Suffix, empty, literal};
use crate::expr::{Resolved, SymbolResolver};
use crate::named::{self, CounterField, Message};
use crate::role::{Class, ImmKind};
use crate::row::{Encoding, OperandSpec, Row};
use crate::scalar::Sources;
use crate::{Inst, Operand, Special};

/// Parses the operands of one of `rows`, up to the end of the statement.
pub(super) fn parse(p: &mut Parser, rows: &[&Row], suffix: Option<Suffix>) -> Result<Inst, ParseError> {
    // `_e32` says that an instruction has 32 bits, which these have.
    if suffix.is_some_and(|suffix| suffix != Suffix::E32) {
        return Err(p.error_at(0, "invalid instruction: a scalar instruction has no such variant"));
    }
    p.first_of(rows, |p, row| {
        let encoding = row.encodings.first().ok_or_else(|| p.error("invalid instruction"))?;
        let mut inst = empty(row.id, encoding.form);
        let mut seen: Option<u64> = None;
        for (n, spec) in encoding.specs(row).enumerate() {
            if spec.class == Class::Imm(ImmKind::End) && p.at_end() {
                inst.operands.push(Operand::Imm(0));
                break;
            }
            p.skip_space();
            if n > 0 && p.at_end() {
                return Err(p.error("too few operands for instruction"));
            }
            let start = p.pos;
            let operand = source(p, row, encoding, spec)
                .map_err(|error| explain(p.machine, row, encoding, spec, error))?;
            // A literal of 32 bits and one of 64 are one if they are the same number.
            if let Operand::Literal(value) | Operand::Literal64(value) = operand
                && seen.replace(value).is_some_and(|other| other != value)
            {
                return Err(p.error_at(start, "only one unique literal operand is allowed"));
            }
            inst.operands.push(operand);
            // One comma may follow each operand, as LLVM has it.
            p.eat(",");
        }
        p.expect_end()?;
        Ok(inst)
    })
}

/// An operand.
fn source(p: &mut Parser, row: &Row, encoding: &Encoding, spec: &OperandSpec) -> Result<Operand, ParseError> {
    let start = p.pos;
    let operand = if row.sources.widens(spec) {
        // LLVM's assembler reads the constants of these as 32-bit ones; in comparisons they must fit 16 bits for all that.
        let hexadecimal = row.sources == Sources::WideHex;
        let mark = p.mark();
        let constant = if hexadecimal && !p.at_register() { p.constant().ok() } else { None };
        p.reset(mark);
        let spec = OperandSpec { ty: spec.ty.untyped(32), ..spec.clone() };
        let operand = p.operand(encoding, &spec)?;
        let fits = match (constant, operand) {
            (Some((Constant::Float(value), _)), _) => literal::narrow(value, 5, 10).is_some(),
            (_, Operand::Literal(bits)) if hexadecimal => !(0x1_0000..0xffff_8000).contains(&bits),
            _ => true,
        };
        if !fits {
            return Err(p.error_at(start, INVALID));
        }
        operand
    } else {
        p.operand(encoding, spec)?
    };
    if operand == Operand::Special(Special::LdsDirect) {
        return Err(p.error_at(start, INVALID));
    }
    if let Some(message) = row.sources.refuses(spec, &operand) {
        return Err(p.error_at(start, message));
    }
    Ok(operand)
}

/// A number operand.
pub(super) fn immediate(p: &mut Parser, kind: ImmKind) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    let value = match kind {
        ImmKind::Label => return label(p),
        ImmKind::Hwreg => hwreg(p)?,
        ImmKind::SendMsg => message(p)?,
        ImmKind::WaitCnt => {
            let fields = named::waitcnt(p.machine);
            counters(p, &fields)?
        }
        ImmKind::DepCtr => counters(p, named::depctr(p.machine))?,
        ImmKind::DelayAlu => delay(p)?,
        ImmKind::Version => version(p)?,
        ImmKind::GprIdx => gpr_idx(p)?,
        ImmKind::Dec => plain_number(p)?,
        ImmKind::Hex => in_range(p, start, -0x8000, 0xffff, INVALID)?,
        ImmKind::Simm16 => in_range(p, start, -0x8000, 0xffff, INVALID)?,
        ImmKind::Uimm16 => in_range(p, start, 0, 0xffff, INVALID)?,
        ImmKind::End => match p.absolute()? {
            value @ 0..=0xffff => value,
            _ => return Err(p.error_at(start, "expected a 16-bit value")),
        },
        ImmKind::ExportTarget => super::export::target(p)?,
        ImmKind::Attribute => super::export::attribute(p)?,
        ImmKind::Parameter => super::vector::parameter(p)?,
        ImmKind::Swizzle => return Err(p.error(INVALID)),
    };
    Ok(Operand::Imm(match kind {
        ImmKind::Simm16 => i64::from(value as i16),
        _ => value & 0xffff,
    }))
}

fn in_range(p: &mut Parser, start: usize, low: i64, high: i64, message: &str) -> Result<i64, ParseError> {
    let value = plain_number(p)?;
    if (low..=high).contains(&value) { Ok(value) } else { Err(p.error_at(start, message)) }
}

/// A number that no operand type gives a meaning: `lit(…)` changes nothing, a floating number counts by the bits
/// of its double.
pub(super) fn plain_number(p: &mut Parser) -> Result<i64, ParseError> {
    p.skip_space();
    let start = p.pos;
    match p.constant()? {
        (Constant::Int(value), _) => Ok(value),
        (Constant::Float(value), _) => Ok(value.to_bits() as i64),
        (Constant::Unknown(_), _) => Err(p.error_at(start, "expected absolute expression")),
    }
}

/// A number where LLVM knows neither `lit(…)` nor floating numbers: in the place of a name.
fn absolute_in_range(p: &mut Parser, start: usize, high: i64, message: &str) -> Result<i64, ParseError> {
    let value = p.absolute().map_err(|_| p.error_at(start, INVALID))?;
    if (0..=high).contains(&value) { Ok(value) } else { Err(p.error_at(start, message)) }
}

fn in_16_bits(p: &mut Parser, start: usize) -> Result<i64, ParseError> {
    absolute_in_range(p, start, 0xffff, "invalid immediate: only 16-bit values are legal")
}

/// A branch target: dwords after the next instruction, or an expression for a fixup.
fn label(p: &mut Parser) -> Result<Operand, ParseError> {
    let start = p.pos;
    if p.register()?.is_some() {
        return Err(p.error_at(start, INVALID));
    }
    let expr = p.expression()?;
    match expr.evaluate(p.resolve) {
        Some(value @ -0x8000..=0xffff) => Ok(Operand::Imm(i64::from(value as i16))),
        Some(_) => Err(p.error_at(start, "expected a 16-bit signed jump offset")),
        None => {
            p.fixup(0, FixupKind::Branch16, expr);
            Ok(Operand::Imm(0))
        }
    }
}

/// The number behind `start`, or the value of the name there.
fn name_or_number(
    p: &mut Parser,
    name: impl Fn(&str) -> Option<u16>,
    prefix: &str,
    unknown: &str,
) -> Result<i64, ParseError> {
    let word = p.peek_word();
    if let Some(value) = name(word) {
        p.pos += word.len();
        return Ok(i64::from(value));
    }
    if word.starts_with(prefix) {
        return Err(p.error(unknown));
    }
    p.absolute()
}

fn hwreg(p: &mut Parser) -> Result<i64, ParseError> {
    let start = p.pos;
    let machine = p.machine;
    let id_of = |name: &str| named::hwreg_id(machine, name);
    let unknown = "invalid hardware register: not supported on this GPU";
    if p.eat("{") {
        // The structured form: fields by name, each at most once, with defaults.
        let (mut id, mut offset, mut size) = (None, None, None);
        let mut more = !p.eat("}");
        while more {
            p.skip_space();
            let at = p.pos;
            let field = p.word();
            p.expect(":")?;
            p.skip_space();
            let slot = match field {
                "id" => &mut id,
                "offset" => &mut offset,
                "size" => &mut size,
                _ => return Err(p.error_at(at, "unknown field: expected id, offset or size")),
            };
            let value =
                if field == "id" { name_or_number(p, id_of, "HW_REG_", unknown)? } else { p.absolute()? };
            if slot.replace(value).is_some() {
                return Err(p.error_at(at, "duplicate field"));
            }
            more = !p.eat("}");
            if more && !p.eat(",") {
                return Err(p.error("comma or closing brace expected"));
            }
        }
        let (id, offset, size) = (id.unwrap_or(0), offset.unwrap_or(0), size.unwrap_or(32));
        return pack_hwreg(p, start, id, offset, size);
    }
    if p.peek_word() != "hwreg" {
        return in_16_bits(p, start);
    }
    p.word();
    p.expect("(")?;
    p.skip_space();
    let id = name_or_number(p, id_of, "HW_REG_", unknown)?;
    let (mut offset, mut width) = (0, 32);
    if p.eat(",") {
        offset = p.absolute()?;
        p.expect(",")?;
        width = p.absolute()?;
    }
    p.expect(")")?;
    pack_hwreg(p, start, id, offset, width)
}

fn pack_hwreg(p: &Parser, start: usize, id: i64, offset: i64, width: i64) -> Result<i64, ParseError> {
    if !(0..64).contains(&id) {
        return Err(p.error_at(start, "invalid hardware register: only 6-bit values are legal"));
    }
    if !(0..32).contains(&offset) {
        return Err(p.error_at(start, "invalid bit offset: only 5-bit values are legal"));
    }
    if !(1..=32).contains(&width) {
        return Err(p.error_at(start, "invalid bitfield width: only values from 1 to 32 are legal"));
    }
    Ok(id | offset << 6 | (width - 1) << 11)
}

fn message(p: &mut Parser) -> Result<i64, ParseError> {
    let start = p.pos;
    let machine = p.machine;
    let word = p.peek_word();
    if word != "sendmsg" {
        if word.starts_with("MSG_") {
            return Err(p.error("expected a sendmsg macro or an absolute expression"));
        }
        return in_16_bits(p, start);
    }
    p.word();
    p.expect("(")?;
    p.skip_space();
    let at = p.pos;
    let symbolic = named::message_id(machine, p.peek_word()).is_some();
    let id = name_or_number(
        p,
        |name| named::message_id(machine, name),
        "MSG_",
        "specified message id is not supported on this GPU",
    )?;
    let id_bits = machine.facts().messages.id_bits;
    if !(0..1 << id_bits).contains(&id) {
        return Err(p.error_at(at, "invalid message id"));
    }
    let mut message = Message { id: id as u16, op: 0, stream: 0 };
    let mut op_given = false;
    let mut stream_given = false;
    let mut op_at = p.pos;
    if p.eat(",") {
        op_given = true;
        p.skip_space();
        op_at = p.pos;
        let known = message;
        let op = name_or_number(p, |name| known.op_id(machine, name), "GS_OP_", "invalid operation id")?;
        if !(0..8).contains(&op) {
            return Err(p.error_at(op_at, "invalid operation id"));
        }
        message.op = op as u16;
        if p.eat(",") {
            stream_given = true;
            p.skip_space();
            let stream_at = p.pos;
            let stream = p.absolute()?;
            if !(0..4).contains(&stream) {
                return Err(p.error_at(stream_at, "invalid message stream id"));
            }
            message.stream = stream as u16;
        }
    }
    p.expect(")")?;
    // Names are checked against each other, numbers are not.
    if symbolic {
        if message.takes_op(machine) {
            if !op_given {
                return Err(p.error_at(at, "missing message operation"));
            }
            if message.op_name(machine).is_none() {
                return Err(p.error_at(op_at, "invalid operation id"));
            }
        } else if op_given {
            return Err(p.error_at(op_at, "message does not support operations"));
        }
        if stream_given && !message.takes_stream(machine) {
            return Err(p.error_at(op_at, "message operation does not support streams"));
        }
    }
    Ok(i64::from(message.encode()))
}

/// `name(value)` pieces with optional `&` or `,` between them, or a number.
fn counters(p: &mut Parser, fields: &[CounterField]) -> Result<i64, ParseError> {
    let start = p.pos;
    let depctr = fields.iter().any(|field| field.name.starts_with("depctr"));
    let word = p.peek_word();
    let called = p.rest()[word.len()..].trim_start_matches([' ', '\t']).starts_with('(');
    if word.is_empty() || !called {
        return in_range(p, start, -0x8000, 0xffff, INVALID);
    }
    let mut bits = named::counter_mask(fields);
    let mut seen = 0u16;
    // Bits that belong to no counter are 1 in `s_wait_alu`'s upper half of LLVM's default: none are set.
    loop {
        let at = p.pos;
        let word = p.word();
        let (name, saturate) = match word.strip_suffix("_sat") {
            // Only `s_waitcnt` saturates.
            Some(name) if !depctr => (name, true),
            _ => (word, false),
        };
        let Some((number, field)) = fields.iter().enumerate().find(|(_, field)| field.name == name) else {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            let known = names.join(", ");
            return Err(p.error_at(at, format!("invalid counter name {word}: expected one of {known}")));
        };
        // `s_waitcnt` lets a counter be named again.
        if seen & 1 << number != 0 && depctr {
            return Err(p.error_at(at, format!("duplicate counter name {word}")));
        }
        seen |= 1 << number;
        p.expect("(")?;
        p.skip_space();
        let at = p.pos;
        let value = p.absolute()?;
        p.expect(")")?;
        let max = i64::from(field.max());
        if !(0..=max).contains(&value) && !saturate {
            let what = if depctr { "invalid value for" } else { "too large value for" };
            return Err(p.error_at(at, format!("{what} {word}: the largest is {max}")));
        }
        let value = if (0..=max).contains(&value) { value } else { max };
        bits = bits & !field.put(field.max()) | field.put(value as u16);
        let separated = p.eat("&") || p.eat(",");
        if p.at_end() {
            if separated {
                return Err(p.error("expected a counter name"));
            }
            return Ok(i64::from(bits));
        }
    }
}

fn delay(p: &mut Parser) -> Result<i64, ParseError> {
    if !p.peek_word().starts_with("inst") {
        return p.absolute();
    }
    let mut bits = 0i64;
    loop {
        p.skip_space();
        let at = p.pos;
        let (shift, names) = match p.word() {
            "instid0" => (0, named::DELAY_IDS),
            "instskip" => (4, named::DELAY_SKIPS),
            "instid1" => (7, named::DELAY_IDS),
            name => return Err(p.error_at(at, format!("invalid field name {name}"))),
        };
        p.expect("(")?;
        p.skip_space();
        let at = p.pos;
        let value = p.word();
        let Some(number) = names.iter().position(|name| *name == value) else {
            return Err(p.error_at(at, format!("invalid value name {value}")));
        };
        p.expect(")")?;
        bits |= (number as i64) << shift;
        if !p.eat("|") {
            return Ok(bits);
        }
    }
}

/// The names of `s_version` as symbols of an expression.
struct Versions<'a>(&'a dyn SymbolResolver);

impl SymbolResolver for Versions<'_> {
    fn resolve(&self, name: &str) -> Resolved {
        match named::VERSIONS.iter().chain(named::VERSION_FLAGS).find(|(_, other)| *other == name) {
            Some((value, _)) => Resolved::Value(i64::from(*value)),
            None => self.0.resolve(name),
        }
    }
}

/// A number in which generations and flags have names.
fn version(p: &mut Parser) -> Result<i64, ParseError> {
    p.skip_space();
    let start = p.pos;
    let value = match p.constant()? {
        (Constant::Int(value), _) => value,
        (Constant::Float(value), _) => value.to_bits() as i64,
        (Constant::Unknown(expr), _) => expr
            .evaluate(&Versions(p.resolve))
            .ok_or_else(|| p.error_at(start, "expected a version or an absolute expression"))?,
    };
    match value {
        -0x8000..=0xffff => Ok(value),
        _ => Err(p.error_at(start, INVALID)),
    }
}

fn gpr_idx(p: &mut Parser) -> Result<i64, ParseError> {
    let start = p.pos;
    if p.peek_word() != "gpr_idx" {
        return absolute_in_range(p, start, 15, "invalid immediate: only 4-bit values are legal");
    }
    p.word();
    p.expect("(")?;
    let mut bits = 0i64;
    if p.eat(")") {
        return Ok(bits);
    }
    loop {
        p.skip_space();
        let at = p.pos;
        let word = p.word();
        let Some(bit) = named::GPR_IDX.iter().position(|name| *name == word) else {
            return Err(p.error_at(at, "expected a VGPR index mode or a closing parenthesis"));
        };
        if bits & 1 << bit != 0 {
            return Err(p.error_at(at, "duplicate VGPR index mode"));
        }
        bits |= 1 << bit;
        if p.eat(")") {
            return Ok(bits);
        }
        p.expect(",")?;
    }
}
