//! Directives that choose places: `.p2align`, `.balign`, `.org`.

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::layout::{align_bytes, default_fill};
use crate::section::{AlignFill, GapKind};
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".p2align", p2align),
    row(".p2alignw", p2align),
    row(".p2alignl", p2align),
    row(".balign", balign),
    row(".balignw", balign),
    row(".balignl", balign),
    row(".align", balign),
    row(".align32", balign),
    row(".org", org),
];

fn p2align(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let power = operands.count(assembler)?;
    let range = start..operands.lexer.position();
    if power > 31 {
        return Err(Fault::new(range, "the alignment is larger than 2 GiB"));
    }
    align(assembler, operands, 1 << power, range)
}

fn balign(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let bytes = operands.count(assembler)?;
    let range = start..operands.lexer.position();
    if bytes > 1 << 31 {
        return Err(Fault::new(range, "the alignment is larger than 2 GiB"));
    }
    if bytes != 0 && !bytes.is_power_of_two() {
        return Err(Fault::new(range, format!("the alignment {bytes} is not a power of two")));
    }
    align(assembler, operands, bytes.max(1), range)
}

/// The rest of an alignment directive: `[, [fill] [, most bytes]]`.
fn align(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    bytes: u64,
    range: std::ops::Range<usize>,
) -> Result<(), Fault> {
    let width = match operands.directive().as_bytes().last() {
        Some(b'w') => 2,
        Some(b'l' | b'2') => 4,
        _ => 1,
    };
    let mut value = None;
    let mut most = None;
    if operands.eat_comma() {
        if operands.lexer.peek_byte() != Some(b',') {
            let (number, number_range) = operands.absolute(assembler)?;
            if !super::data::fits(number, width) {
                let message = format!("the fill value does not fit in {width} bytes");
                return Err(Fault::new(number_range, message));
            }
            value = Some(number);
        }
        if operands.eat_comma() {
            most = Some(operands.count(assembler)?);
        }
    }
    operands.end()?;
    let (current, here) = assembler.here();
    let loose = assembler.sections.is_loose(current);
    let section = assembler.sections.get_mut(current);
    section.align = section.align.max(bytes);
    let fill = match value {
        Some(value) => AlignFill::Value { value, width },
        None => default_fill(section.flags),
    };
    if loose {
        let span = assembler.span(operands.offset, range);
        assembler.gap(GapKind::Align { to: bytes, most, fill }, span);
        return Ok(());
    }
    let gap = here.next_multiple_of(bytes) - here;
    if most.is_some_and(|most| gap > most) {
        return Ok(());
    }
    assembler.check_room(gap, range)?;
    align_bytes(&mut assembler.sections.get_mut(current).bytes, gap, fill);
    Ok(())
}

fn org(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let expr = operands.expr(assembler)?;
    let range = start..operands.lexer.position();
    let mut value = 0;
    if operands.eat_comma() {
        (value, _) = operands.absolute(assembler)?;
    }
    operands.end()?;
    let target = assembler.in_current_section(&expr).or_else(|| assembler.absolute(&expr).ok());
    match target {
        Some(target) if !assembler.sections.is_loose(assembler.current) => {
            assembler.advance_to(target, value as u8, range)
        }
        _ => {
            let span = assembler.span(operands.offset, range);
            assembler.gap(GapKind::Org { target: expr, value: value as u8 }, span);
            Ok(())
        }
    }
}
