//! Macros and repetition: `.macro`, `.rept`, `.irp`, `.irpc`, and what stops the assembly by itself.
//!
//! A body is text; an expansion is that text with `\name`, `\()`, `\@` (instances so far) and `\+` (repetition
//! count) replaced, assembled in place. Positions in an expansion are those of the statement that expands.

use std::ops::Range;
use std::rc::Rc;

use wavemark_diag::Diagnostic;

use crate::assembler::{Assembler, Expansion, Fault};
use crate::directive::{Directive, Operands, row};
use crate::lex::{continues_name, starts_name};
use crate::statement::{Lines, Statement};

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".macro", define),
    row(".endm", stray),
    row(".endmacro", stray),
    row(".exitm", leave),
    row(".purgem", purge),
    row(".rept", repeat),
    row(".rep", repeat),
    row(".irp", repeat_each),
    row(".irpc", repeat_each_character),
    row(".endr", stray),
    row(".include", include),
    row(".incbin", include),
    row(".altmacro", unsupported),
    row(".noaltmacro", nothing),
    row(".err", error),
    row(".error", error),
    row(".warning", warning),
    row(".print", print),
];

/// How deep expansions nest; LLVM's limit.
const MAX_NESTING: u32 = 20;
/// Bytes that all expansions of a file may have together.
const MAX_EXPANDED: usize = 64 << 20;

/// A parameter of a macro.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    name: String,
    default: Option<String>,
    required: bool,
    /// Takes all that is left.
    rest: bool,
}

/// A macro.
#[derive(Clone, Debug)]
pub(crate) struct Macro {
    name: String,
    parameters: Vec<Parameter>,
    body: String,
}

/// `.macro name [parameter[=default][:req|:vararg]]…` up to its `.endm`.
fn define(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let header = operands.name().and_then(|name| Ok((name, parameters(operands)?)));
    let body = body(operands, lines, &[".macro"], &[".endm", ".endmacro"])?;
    let ((name, range), parameters) = header?;
    if assembler.macros.contains_key(name) {
        return Err(Fault::new(range, format!("macro {name} is already defined")));
    }
    let definition = Macro { name: name.to_owned(), parameters, body: body.to_owned() };
    assembler.macros.insert(name.to_owned(), Rc::new(definition));
    Ok(())
}

fn parameters(operands: &mut Operands<'_>) -> Result<Vec<Parameter>, Fault> {
    let mut parameters: Vec<Parameter> = Vec::new();
    operands.eat_comma();
    while !operands.lexer.at_end() {
        let (name, range) = operands.name()?;
        if parameters.last().is_some_and(|parameter| parameter.rest) {
            return Err(Fault::new(range, "a :vararg parameter must be the last"));
        }
        if parameters.iter().any(|parameter| parameter.name == name) {
            return Err(Fault::new(range, format!("two parameters are named {name}")));
        }
        let mut parameter = Parameter { name: name.to_owned(), default: None, required: false, rest: false };
        if operands.lexer.eat(b':') {
            let (qualifier, range) = operands.name()?;
            match qualifier {
                "req" => parameter.required = true,
                "vararg" => parameter.rest = true,
                _ => return Err(Fault::new(range, "expected req or vararg")),
            }
        }
        if operands.lexer.eat(b'=') {
            let rest = operands.lexer.rest();
            let length = argument_length(rest);
            parameter.default = Some(rest[..length].trim().to_owned());
            operands.lexer.skip(length);
        }
        parameters.push(parameter);
        operands.eat_comma();
    }
    Ok(parameters)
}

/// The text from here to the directive in `closers` that closes this one; `openers` nest.
fn body<'t>(
    operands: &Operands<'_>,
    lines: &mut Lines<'t>,
    openers: &[&str],
    closers: &[&str],
) -> Result<&'t str, Fault> {
    let start = lines.position();
    let mut depth = 1;
    loop {
        let Some((offset, line)) = lines.raw_line() else {
            return operands.fault_here(format!("{} without {}", operands.directive(), closers[0]));
        };
        // A label may stand before the directive.
        let text = line.trim_start();
        let word = |text: &'t str| &text[..text.bytes().take_while(|&byte| continues_name(byte)).count()];
        let mut first = word(text);
        if let Some(after) = text[first.len()..].strip_prefix(':') {
            first = word(after.trim_start());
        }
        if openers.contains(&first) {
            depth += 1;
        } else if closers.contains(&first) {
            depth -= 1;
        }
        if depth == 0 {
            return Ok(lines.text_between(start, offset));
        }
    }
}

/// Length of the next macro argument: up to a comma or, outside parentheses, a blank that does not continue an
/// expression.
fn argument_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0u32;
    let mut at = 0;
    let operator = |byte: &u8| b"+-*/%<>&|^=~!".contains(byte);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = text[at + 1..].find('"').map_or(text.len(), |close| at + close + 2);
                continue;
            }
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            b' ' | b'\t' if depth == 0 => {
                let next = at + bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                let before = bytes[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
                let joins = before.is_some_and(operator) || bytes.get(next).is_some_and(operator);
                if !joins {
                    return at;
                }
                at = next;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The text of an argument: without the quotes that hold it together.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"')
        .and_then(|inner| inner.strip_suffix('"'))
        .filter(|inner| !inner.contains('"'))
        .unwrap_or(text)
}

/// The arguments in `text`, separated by commas or blanks.
fn arguments(mut text: &str) -> Vec<&str> {
    let mut arguments = Vec::new();
    text = text.trim();
    while !text.is_empty() {
        let length = argument_length(text);
        arguments.push(text[..length].trim());
        text = text[length..].trim_start();
        if let Some(rest) = text.strip_prefix(',') {
            text = rest.trim_start();
            if text.is_empty() {
                arguments.push("");
            }
        }
    }
    arguments
}

fn too_many(called: &Macro, range: Range<usize>) -> Fault {
    Fault::new(range, format!("macro {} takes {} arguments", called.name, called.parameters.len()))
}

/// Runs a macro.
pub(crate) fn call(
    assembler: &mut Assembler<'_>,
    called: &Macro,
    text: &str,
    statement: &Statement<'_>,
    range: Range<usize>,
) -> Result<(), Fault> {
    let mut values: Vec<Option<String>> = vec![None; called.parameters.len()];
    let mut next = 0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        if called.parameters.get(next).is_some_and(|parameter| parameter.rest) {
            values[next] = Some(rest.to_owned());
            break;
        }
        let length = argument_length(rest);
        let argument = rest[..length].trim();
        let named = argument.split_once('=').filter(|(name, value)| {
            !value.starts_with('=') && name.trim().bytes().all(continues_name) && !name.is_empty()
        });
        let index = named.and_then(|(name, _)| called.parameters.iter().position(|p| p.name == name.trim()));
        match (index, named) {
            (Some(index), Some((_, value))) => values[index] = Some(unquoted(value).to_owned()),
            (None, Some((name, _))) => {
                let message = format!("macro {} has no parameter {}", called.name, name.trim());
                return Err(Fault::new(range, message));
            }
            _ => {
                let Some(slot) = values.get_mut(next) else { return Err(too_many(called, range)) };
                *slot = Some(unquoted(argument).to_owned());
                next += 1;
            }
        }
        rest = rest[length..].trim_start();
        if let Some(after) = rest.strip_prefix(',') {
            rest = after.trim_start();
            // A comma at the end starts one more, empty argument.
            if rest.is_empty() && next >= values.len() {
                return Err(too_many(called, range));
            }
        }
    }
    let mut bindings = Vec::with_capacity(values.len());
    for (parameter, value) in called.parameters.iter().zip(values) {
        let value = value.filter(|value| !value.is_empty());
        if value.is_none() && parameter.required {
            let message = format!("macro {} needs a value for {}", called.name, parameter.name);
            return Err(Fault::new(range, message));
        }
        bindings
            .push((parameter.name.as_str(), value.or_else(|| parameter.default.clone()).unwrap_or_default()));
    }
    let expanded = substitute(&called.body, &bindings, assembler.instances, 0);
    assembler.instances += 1;
    let what = format!("macro {}", called.name);
    expand(assembler, &expanded, what, statement.offset, range)?;
    assembler.leave = false;
    Ok(())
}

/// Assembles `text` in place of the statement at `offset`.
fn expand(
    assembler: &mut Assembler<'_>,
    text: &str,
    what: String,
    offset: usize,
    range: Range<usize>,
) -> Result<(), Fault> {
    assembler.expanded += text.len();
    if assembler.depth >= MAX_NESTING || assembler.expanded > MAX_EXPANDED {
        return Err(Fault::new(range, "macros and repetitions nest too deeply or become too large"));
    }
    let call = assembler.span(offset, range);
    let what = match &assembler.expansion {
        Some(outer) => format!("{what}, in {}", outer.what),
        None => what,
    };
    let saved = assembler.expansion.replace(Expansion { call, what });
    let open = assembler.conditions.len();
    assembler.depth += 1;
    assembler.run(text);
    assembler.depth -= 1;
    if assembler.leave {
        assembler.conditions.truncate(open);
    }
    assembler.expansion = saved;
    Ok(())
}

/// `text` with its parameters replaced.
fn substitute(text: &str, bindings: &[(&str, String)], instance: u64, repetition: u64) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let length = match rest.as_bytes().first() {
            Some(&byte) if starts_name(byte) => {
                rest.bytes().take_while(|&byte| continues_name(byte) && byte != b'.').count()
            }
            _ => 0,
        };
        let name = &rest[..length];
        if let Some((_, value)) = bindings.iter().find(|(parameter, _)| *parameter == name && length > 0) {
            out.push_str(value);
            rest = &rest[length..];
        } else if let Some(after) = rest.strip_prefix("()") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix('@') {
            out.push_str(&instance.to_string());
            rest = after;
        } else if let Some(after) = rest.strip_prefix('+') {
            out.push_str(&repetition.to_string());
            rest = after;
        } else {
            out.push('\\');
        }
    }
    out.push_str(rest);
    out
}

fn repetitions(
    assembler: &mut Assembler<'_>,
    operands: &Operands<'_>,
    body: &str,
    bindings: impl Iterator<Item = Option<(String, String)>>,
) -> Result<(), Fault> {
    let mut text = String::new();
    for (repetition, binding) in bindings.enumerate() {
        let binding = binding.as_ref().map(|(name, value)| (name.as_str(), value.clone()));
        text.push_str(&substitute(body, binding.as_slice(), assembler.instances, repetition as u64));
        if text.len() + assembler.expanded > MAX_EXPANDED {
            return operands.fault_here("the repetition becomes too large");
        }
    }
    let what = operands.directive().to_owned();
    expand(assembler, &text, what, operands.offset, operands.name.clone())?;
    // Inside a macro, .exitm goes on leaving that.
    assembler.leave &= assembler.expansion.is_some();
    Ok(())
}

const REPEATERS: [&str; 4] = [".rept", ".rep", ".irp", ".irpc"];

fn repeat(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let count = operands.count(assembler).and_then(|count| operands.end().map(|()| count));
    let body = body(operands, lines, &REPEATERS, &[".endr"])?;
    let count = usize::try_from(count?).unwrap_or(usize::MAX);
    if count.saturating_mul(body.len().max(1)) > MAX_EXPANDED {
        return operands.fault_here("the repetition becomes too large");
    }
    repetitions(assembler, operands, body, std::iter::repeat_n(None, count))
}

/// `.irp name, value, value…`
fn repeat_each(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let header = operands.name().and_then(|(name, _)| operands.comma().map(|()| name));
    let values = operands.lexer.rest();
    let body = body(operands, lines, &REPEATERS, &[".endr"])?;
    let name = header?;
    let mut values = arguments(values);
    if values.is_empty() {
        values.push("");
    }
    let bindings = values.into_iter().map(|value| Some((name.to_owned(), unquoted(value).to_owned())));
    repetitions(assembler, operands, body, bindings)
}

/// `.irpc name, characters`
fn repeat_each_character(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let header = operands.name().and_then(|(name, _)| operands.comma().map(|()| name));
    let values = unquoted(operands.lexer.rest());
    let body = body(operands, lines, &REPEATERS, &[".endr"])?;
    let name = header?;
    let bindings = values.chars().map(|character| Some((name.to_owned(), character.to_string())));
    repetitions(assembler, operands, body, bindings)
}

fn leave(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.end()?;
    if assembler.expansion.is_none() {
        return operands.fault_here(".exitm outside a macro");
    }
    assembler.leave = true;
    Ok(())
}

fn purge(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    loop {
        let (name, range) = operands.name()?;
        if assembler.macros.remove(name).is_none() {
            return Err(Fault::new(range, format!("there is no macro {name}")));
        }
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

fn stray(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.fault_here(format!("{} closes nothing", operands.directive()))
}

fn include(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.fault_here(format!("{} is not supported: an input is one file", operands.directive()))
}

fn unsupported(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.fault_here(format!("{} is not supported", operands.directive()))
}

fn nothing(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.end()
}

fn message(operands: &mut Operands<'_>) -> Result<String, Fault> {
    if operands.lexer.at_end() {
        return Ok(format!("{} was reached", operands.directive()));
    }
    let bytes = operands.string()?;
    operands.end()?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn error(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let message = message(operands)?;
    operands.fault_here(message)
}

fn warning(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let message = message(operands)?;
    let span = assembler.span(operands.offset, operands.name.clone());
    assembler.diagnostics.push(Diagnostic::warning(message).at(span));
    Ok(())
}

/// `.print "text"` becomes a piece of advice: the assembler prints nothing.
fn print(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let message = message(operands)?;
    let span = assembler.span(operands.offset, operands.name.clone());
    let advice = Diagnostic::new(wavemark_diag::Severity::Advice, message).at(span);
    assembler.diagnostics.push(advice);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_split_as_llvm_splits_them() {
        assert_eq!(arguments("a, b c"), ["a", "b", "c"]);
        assert_eq!(arguments("1 + 2, v[0:1] x"), ["1 + 2", "v[0:1]", "x"]);
        assert_eq!(arguments("\"a, b\", c"), ["\"a, b\"", "c"]);
        assert_eq!(arguments("a,,b"), ["a", "", "b"]);
    }

    #[test]
    fn substitution() {
        let bindings = [("x", "v1".to_owned()), ("n", "7".to_owned())];
        assert_eq!(substitute("\\x\\()l, \\n, \\@ \\y", &bindings, 3, 0), "v1l, 7, 3 \\y");
    }
}
