//! Directives that emit data: integers, reals, strings, LEB128 numbers.

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::expr::Expr;
use crate::lex::Kind;
use crate::real::Precision;
use crate::section::{FixupKind, GapKind};
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
    row(".dc.a", eight),
    row(".dc.s", float),
    row(".dc.d", double),
    row(".dc.x", no_extended),
    row(".octa", octa),
    row(".float", float),
    row(".single", float),
    row(".double", double),
    row(".ascii", ascii),
    row(".asciz", asciz),
    row(".string", asciz),
    row(".base64", base64),
    row(".uleb128", leb128),
    row(".sleb128", leb128),
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

/// How often a value that is not known yet may be repeated.
const MAX_FIXUPS: u64 = 1 << 20;

fn integers(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, bytes: u8) -> Result<(), Fault> {
    if operands.lexer.at_end() {
        return Ok(());
    }
    loop {
        integer(assembler, operands, bytes, 1)?;
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

/// One number, `count` times.
pub(super) fn integer(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    bytes: u8,
    count: u64,
) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let expr = operands.expr(assembler)?;
    let range = start..operands.lexer.position();
    match expr {
        Expr::Int(value) if fits(value, bytes) => {
            assembler.place_line();
            assembler.fill(count, &value.to_le_bytes()[..usize::from(bytes)], range)
        }
        Expr::Int(value) => {
            let message =
                format!("{value} does not fit in {bytes} byte{}", if bytes == 1 { "" } else { "s" });
            Err(Fault::new(range, message))
        }
        expr => {
            // Each costs far more than its bytes.
            if count > MAX_FIXUPS {
                return Err(Fault::new(
                    range,
                    format!("a value that waits for symbols cannot be repeated {count} times"),
                ));
            }
            let span = assembler.span(operands.offset, range);
            for _ in 0..count {
                assembler.fixup(0, FixupKind::Data { bytes }, expr.clone(), span);
                assembler.emit(&[0; 8][..usize::from(bytes)]);
            }
            Ok(())
        }
    }
}

fn octa(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    if operands.lexer.at_end() {
        return Ok(());
    }
    loop {
        let (value, range) = operands.lexer.wide_integer();
        let Some(value) = value else {
            return Err(Fault::new(range, "expected a number of up to 128 bits"));
        };
        assembler.emit(&value.to_le_bytes());
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

fn no_extended(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.fault_here(format!("{}: AMD GPUs have no extended reals", operands.directive()))
}

fn float(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    reals(assembler, operands, Precision::Single)
}

fn double(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    reals(assembler, operands, Precision::Double)
}

fn reals(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    precision: Precision,
) -> Result<(), Fault> {
    if operands.lexer.at_end() {
        return Ok(());
    }
    loop {
        let bytes = real(operands, precision)?;
        assembler.emit(&bytes);
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

/// The bytes of one real number, with its sign.
pub(super) fn real(operands: &mut Operands<'_>, precision: Precision) -> Result<Vec<u8>, Fault> {
    let negative = operands.lexer.eat(b'-');
    if !negative {
        operands.lexer.eat(b'+');
    }
    let token = operands.lexer.next();
    let text = match token.kind {
        Kind::Real | Kind::Integer(_) | Kind::Name => operands.lexer.slice(token.range.clone()),
        _ => "",
    };
    precision.encode(text, negative).ok_or_else(|| {
        Fault::new(token.range, "expected a real number, such as 1.5, 1e-3, 0x1.8p3, inf or nan")
    })
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
        // Of `.ascii`, strings side by side are one.
        loop {
            let bytes = operands.string()?;
            assembler.emit(&bytes);
            if operands.lexer.peek_byte() != Some(b'"') || !end.is_empty() {
                break;
            }
        }
        assembler.emit(end);
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

/// `.base64 "text", …`: bytes in base 64.
fn base64(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    loop {
        let start = operands.lexer.next_start();
        let text = operands.raw_string()?;
        let range = start..operands.lexer.position();
        let bytes = decode_base64(text).filter(|bytes| !bytes.is_empty());
        let bytes = bytes.ok_or_else(|| Fault::new(range, "expected text in base 64"))?;
        assembler.emit(&bytes);
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let stem = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - stem.len() > 2 {
        return None;
    }
    let (mut bits, mut count) = (0u32, 0);
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for digit in stem.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

/// `.uleb128` and `.sleb128`.
fn leb128(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let signed = operands.directive() == ".sleb128";
    loop {
        let start = operands.lexer.next_start();
        let value = operands.expr(assembler)?;
        match assembler.absolute(&value) {
            Ok(value) => {
                let mut bytes = Vec::new();
                if signed {
                    write_sleb128(&mut bytes, value)
                } else {
                    write_uleb128(&mut bytes, value as u64)
                }
                assembler.emit(&bytes);
            }
            Err(_) => {
                let span = assembler.span(operands.offset, start..operands.lexer.position());
                assembler.gap(GapKind::Leb { value, signed }, span);
            }
        }
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
