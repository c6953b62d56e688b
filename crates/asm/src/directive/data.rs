//! Directives that emit data: integers, reals, strings, LEB128 numbers, repeated values.

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::expr::Expr;
use crate::lex::Kind;
use crate::section::FixupKind;
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".byte", byte),
    row(".2byte", two),
    row(".short", two),
    row(".value", two),
    row(".4byte", four),
    row(".long", four),
    row(".int", four),
    row(".8byte", eight),
    row(".quad", eight),
    row(".dc.b", byte),
    row(".dc.w", two),
    row(".dc", two),
    row(".dc.l", four),
    row(".dc.s", float),
    row(".dc.d", double),
    row(".octa", octa),
    row(".float", float),
    row(".single", float),
    row(".double", double),
    row(".ascii", ascii),
    row(".asciz", asciz),
    row(".string", asciz),
    row(".uleb128", uleb128),
    row(".sleb128", sleb128),
    row(".fill", fill),
    row(".zero", zero),
    row(".space", space),
    row(".skip", space),
];

fn byte(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    integers(assembler, operands, 1)
}

fn two(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    integers(assembler, operands, 2)
}

fn four(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    integers(assembler, operands, 4)
}

fn eight(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    integers(assembler, operands, 8)
}

/// Whether `value` fits into `bytes` bytes, signed or not.
pub(crate) fn fits(value: i64, bytes: u8) -> bool {
    let bits = u32::from(bytes) * 8;
    bits >= 64 || value >> bits == 0 || value >> (bits - 1) == -1
}

fn integers(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, bytes: u8) -> Result<(), Fault> {
    if operands.lexer.at_end() {
        return Ok(());
    }
    loop {
        let start = operands.lexer.next_start();
        let expr = operands.expr(assembler)?;
        let range = start..operands.lexer.position();
        match expr {
            Expr::Int(value) if fits(value, bytes) => {
                assembler.emit(&value.to_le_bytes()[..usize::from(bytes)]);
            }
            Expr::Int(value) => {
                let message =
                    format!("{value} does not fit in {bytes} byte{}", if bytes == 1 { "" } else { "s" });
                return Err(Fault::new(range, message));
            }
            expr => {
                let span = assembler.span(operands.offset, range);
                assembler.fixup(0, FixupKind::Data { bytes }, expr, span);
                assembler.emit(&[0; 8][..usize::from(bytes)]);
            }
        }
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

fn octa(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    loop {
        let token = operands.lexer.next();
        let text = operands.lexer.slice(token.range.clone());
        let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => u128::from_str_radix(digits, 16),
            None => text.parse(),
        };
        match value {
            Ok(value) => assembler.emit(&value.to_le_bytes()),
            Err(_) => return Err(Fault::new(token.range, "expected a number of up to 128 bits")),
        }
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

fn float(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    reals(assembler, operands, |value| (value as f32).to_bits().to_le_bytes().to_vec())
}

fn double(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    reals(assembler, operands, |value| value.to_bits().to_le_bytes().to_vec())
}

fn reals(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    encode: fn(f64) -> Vec<u8>,
) -> Result<(), Fault> {
    loop {
        let negative = operands.lexer.eat(b'-');
        if !negative {
            operands.lexer.eat(b'+');
        }
        let token = operands.lexer.next();
        let magnitude = match token.kind {
            Kind::Real(value) => value,
            Kind::Integer(value) => value as f64,
            Kind::Name => match operands.lexer.slice(token.range.clone()).to_ascii_lowercase().as_str() {
                "inf" | "infinity" => f64::INFINITY,
                "nan" => f64::NAN,
                _ => return Err(Fault::new(token.range, "expected a real number")),
            },
            _ => return Err(Fault::new(token.range, "expected a real number")),
        };
        assembler.emit(&encode(if negative { -magnitude } else { magnitude }));
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

fn ascii(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    strings(assembler, operands, &[])
}

fn asciz(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    strings(assembler, operands, &[0])
}

fn strings(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, end: &[u8]) -> Result<(), Fault> {
    if operands.lexer.at_end() {
        return Ok(());
    }
    loop {
        // Strings side by side are one string.
        loop {
            let bytes = operands.string()?;
            assembler.emit(&bytes);
            if operands.lexer.peek_byte() != Some(b'"') {
                break;
            }
        }
        assembler.emit(end);
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

fn uleb128(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    loop {
        let (value, _) = operands.absolute(assembler)?;
        let mut bytes = Vec::new();
        write_uleb128(&mut bytes, value as u64);
        assembler.emit(&bytes);
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

fn sleb128(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    loop {
        let (value, _) = operands.absolute(assembler)?;
        let mut bytes = Vec::new();
        write_sleb128(&mut bytes, value);
        assembler.emit(&bytes);
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

/// Appends the unsigned LEB128 form of `value`.
pub(crate) fn write_uleb128(bytes: &mut Vec<u8>, mut value: u64) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            return bytes.push(low);
        }
        bytes.push(low | 0x80);
    }
}

/// Appends the signed LEB128 form of `value`.
pub(crate) fn write_sleb128(bytes: &mut Vec<u8>, mut value: i64) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if (value == 0 && low & 0x40 == 0) || (value == -1 && low & 0x40 != 0) {
            return bytes.push(low);
        }
        bytes.push(low | 0x80);
    }
}

/// `.fill count [, size [, value]]`: the value has at most 4 bytes that count, the rest of `size` is 0.
fn fill(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let count = operands.count(assembler)?;
    let mut size = 1;
    let mut value = 0;
    if operands.eat_comma() {
        let size_start = operands.lexer.next_start();
        size = operands.count(assembler)?;
        if size > 8 {
            return Err(Fault::new(
                size_start..operands.lexer.position(),
                "a .fill value has at most 8 bytes",
            ));
        }
        if operands.eat_comma() {
            (value, _) = operands.absolute(assembler)?;
        }
    }
    operands.end()?;
    if size > 4 {
        value = i64::from(value as u32);
    }
    let range = start..operands.lexer.position();
    if size == 0 {
        return Ok(());
    }
    assembler.fill(count, &value.to_le_bytes()[..size as usize], range)
}

fn zero(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    space(assembler, operands, lines)
}

fn space(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let count = operands.count(assembler)?;
    let range = start..operands.lexer.position();
    let mut value = 0;
    if operands.eat_comma() {
        (value, _) = operands.absolute(assembler)?;
    }
    operands.end()?;
    assembler.fill(count, &[value as u8], range)
}
