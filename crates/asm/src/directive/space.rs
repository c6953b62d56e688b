//! Directives that repeat a value: `.fill`, `.space`, `.ds.*`, `.dcb.*`.
//!
//! Where LLVM says "has no effect" and goes on, so do we, with a warning. A count may wait for symbols that come later.

use std::ops::Range;

use wavemark_diag::Diagnostic;

use crate::assembler::{Assembler, Fault};
use crate::directive::data::{integer, real};
use crate::directive::{Directive, Operands, row};
use crate::expr::Expr;
use crate::real::Precision;
use crate::section::GapKind;
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".fill", fill),
    row(".zero", space),
    row(".space", space),
    row(".skip", space),
    row(".ds", storage),
    row(".ds.b", storage),
    row(".ds.d", storage),
    row(".ds.l", storage),
    row(".ds.p", storage),
    row(".ds.s", storage),
    row(".ds.w", storage),
    row(".ds.x", storage),
    row(".dcb", block),
    row(".dcb.b", block),
    row(".dcb.d", block),
    row(".dcb.l", block),
    row(".dcb.s", block),
    row(".dcb.w", block),
    row(".dcb.x", block),
];

impl Assembler<'_> {
    fn warn(&mut self, offset: usize, range: Range<usize>, message: impl Into<String>) {
        let span = self.span(offset, range);
        self.diagnostics.push(Diagnostic::warning(message).at(span));
    }

    /// `count` times the first `size` bytes of `pattern`, now or when `count` is known.
    fn repeat(
        &mut self,
        count: Expr,
        range: Range<usize>,
        pattern: [u8; 8],
        size: u8,
        offset: usize,
    ) -> Result<(), Fault> {
        match self.absolute(&count) {
            Ok(count) => match u64::try_from(count) {
                Ok(count) => self.fill(count, &pattern[..usize::from(size)], range),
                Err(_) => Err(Fault::new(range, format!("expected a number from 0 on, not {count}"))),
            },
            Err(_) => {
                let span = self.span(offset, range);
                self.gap(GapKind::Fill { count, pattern, size }, span);
                Ok(())
            }
        }
    }
}

/// `.fill count [, size [, value]]`: of a value of more than 4 bytes, 4 count and the rest is 0.
fn fill(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let count = operands.expr(assembler)?;
    let range = start..operands.lexer.position();
    let (mut size, mut value) = ((1, range.clone()), (0, range.clone()));
    if operands.eat_comma() {
        size = operands.absolute(assembler)?;
        if operands.eat_comma() {
            value = operands.absolute(assembler)?;
        }
    }
    operands.end()?;
    let (offset, (mut size, size_range), (value, value_range)) = (operands.offset, size, value);
    if size < 0 {
        assembler.warn(offset, size_range, format!("the size {size} is negative: nothing is filled"));
        return Ok(());
    }
    if size > 8 {
        assembler.warn(offset, size_range, format!("a .fill value has at most 8 bytes, not {size}"));
        size = 8;
    }
    if size > 4 && u32::try_from(value).is_err() {
        assembler.warn(offset, value_range, "only the low 32 bits of the value are used");
    }
    if let Ok(count) = assembler.absolute(&count)
        && count < 0
    {
        assembler.warn(offset, range, format!("the count {count} is negative: nothing is filled"));
        return Ok(());
    }
    if assembler.absolute(&count).is_ok_and(|count| count > 0) {
        assembler.place_line();
    }
    let value = if size > 4 { i64::from(value as u32) } else { value };
    assembler.repeat(count, range, value.to_le_bytes(), size as u8, offset)
}

/// `.space count [, value]`, and its other names.
fn space(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let count = operands.expr(assembler)?;
    let range = start..operands.lexer.position();
    let mut value = 0;
    if operands.eat_comma() {
        (value, _) = operands.absolute(assembler)?;
    }
    operands.end()?;
    assembler.repeat(count, range, [value as u8; 8], 1, operands.offset)
}

/// A count that may be negative, with a warning; it is then 0.
fn count(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>) -> Result<(u64, Range<usize>), Fault> {
    let (count, range) = operands.absolute(assembler)?;
    if count < 0 {
        let message = format!("the count {count} is negative: nothing is filled");
        assembler.warn(operands.offset, range.clone(), message);
    }
    Ok((count.max(0) as u64, range))
}

/// `.ds.X count`: that many zeros of the size of X.
fn storage(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let size: u64 = match operands.directive() {
        ".ds.b" => 1,
        ".ds.l" | ".ds.s" => 4,
        ".ds.d" => 8,
        ".ds.p" | ".ds.x" => 12,
        _ => 2,
    };
    let (count, range) = count(assembler, operands)?;
    operands.end()?;
    assembler.fill(count.saturating_mul(size), &[0], range)
}

/// `.dcb.X count, value`: that many values of the size of X.
fn block(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let (count, range) = count(assembler, operands)?;
    operands.comma()?;
    let precision = match operands.directive() {
        ".dcb.s" => Precision::Single,
        ".dcb.d" => Precision::Double,
        ".dcb.x" => return operands.fault_here(".dcb.x: AMD GPUs have no extended reals"),
        directive => {
            let bytes = match directive {
                ".dcb.b" => 1,
                ".dcb.l" => 4,
                _ => 2,
            };
            integer(assembler, operands, bytes, count)?;
            return operands.end();
        }
    };
    let bytes = real(operands, precision)?;
    operands.end()?;
    assembler.fill(count, &bytes, range)
}
