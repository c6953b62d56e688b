//! Repetitions: `.rept`, `.irp`, `.irpc`.

use wavemark_budget::room_for;

use crate::assembler::{Assembler, Fault};
use crate::directive::arguments::arguments;
use crate::directive::expand::{Bindings, MAX_EXPANDED, body};
use crate::directive::{Directive, Operands, row};
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".rept", repeat),
    row(".rep", repeat),
    row(".irp", repeat_each),
    row(".irpc", repeat_each_character),
    row(".endr", stray),
];

const REPEATERS: [&str; 4] = [".rept", ".rep", ".irp", ".irpc"];

/// Assembles `body` once with each value of `name`.
fn repetitions(
    assembler: &mut Assembler<'_>,
    operands: &Operands<'_>,
    body: &str,
    instance: Option<u64>,
    values: impl Iterator<Item = Option<(String, String)>>,
) -> Result<(), Fault> {
    let mut text = String::new();
    for (repetition, value) in values.enumerate() {
        let mut bindings = Bindings::new(assembler.alternate);
        if let Some((name, value)) = value {
            bindings.bind(&name, value);
        }
        text.push_str(&bindings.substitute(body, instance, repetition as u64));
        if text.len() + assembler.expanded > MAX_EXPANDED {
            return operands.fault_here("the repetition becomes larger than 64 MiB");
        }
    }
    assembler.expand(&text, operands.directive().to_owned(), operands)?;
    // Inside a macro, .exitm goes on leaving that.
    assembler.leave &= assembler.expansion.is_some();
    Ok(())
}

fn repeat(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let count = operands.count(assembler).and_then(|count| operands.end().map(|()| count));
    let body = body(operands, lines, &REPEATERS, &[".endr"])?;
    let count = usize::try_from(count?).unwrap_or(usize::MAX);
    if count.saturating_mul(body.len().max(1)) > MAX_EXPANDED {
        return operands.fault_here("the repetition becomes larger than 64 MiB");
    }
    // Text that grows takes twice its size.
    if let Err(no_room) = room_for(2 * count as u64 * body.len() as u64) {
        return operands.fault_here(format!("the repetition {no_room}"));
    }
    repetitions(assembler, operands, body, None, std::iter::repeat_n(None, count))
}

/// `.irp name, value, value…`
fn repeat_each(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let header = operands.name().and_then(|(name, _)| {
        operands.comma()?;
        Ok((name, arguments(assembler, operands)?))
    });
    let body = body(operands, lines, &REPEATERS, &[".endr"])?;
    let (name, values) = header?;
    let values = values.into_iter().map(|value| Some((name.to_owned(), value)));
    let instances = assembler.instances;
    repetitions(assembler, operands, body, Some(instances), values)
}

/// `.irpc name, characters`
fn repeat_each_character(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let header = operands.name().and_then(|(name, _)| {
        operands.comma()?;
        let mut values = arguments(assembler, operands)?;
        match (values.pop(), values.is_empty()) {
            (Some(value), true) => Ok((name, value)),
            _ => operands.fault_here(".irpc takes one word, whose characters it goes through"),
        }
    });
    let body = body(operands, lines, &REPEATERS, &[".endr"])?;
    let (name, characters) = header?;
    let values = characters.chars().map(|character| Some((name.to_owned(), character.to_string())));
    let instances = assembler.instances;
    repetitions(assembler, operands, body, Some(instances), values)
}

fn stray(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.fault_here(format!("{} closes nothing", operands.directive()))
}
