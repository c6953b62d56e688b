//! Macros: `.macro`, their calls, `.exitm`, `.purgem`, `.altmacro`.
//!
//! A body is text; a call puts the arguments into it ([`super::expand`]) and assembles it in place. Positions in an
//! expansion are those of the statement that expands.

use std::ops::Range;
use std::rc::Rc;

use wavemark_diag::Diagnostic;

use crate::assembler::{Assembler, Fault};
use crate::directive::arguments::{argument, named_argument};
use crate::directive::expand::{Bindings, body};
use crate::directive::{Directive, Operands, row};
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".macro", define),
    row(".endm", stray),
    row(".endmacro", stray),
    row(".exitm", leave),
    row(".purgem", purge),
    row(".macros_on", switch),
    row(".macros_off", switch),
    row(".altmacro", alternate),
    row(".noaltmacro", alternate),
];

/// `.macros_on`, `.macros_off`: whether the names of macros are calls.
fn switch(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    operands.end()?;
    assembler.macros_off = operands.directive() == ".macros_off";
    assembler.known.clear();
    Ok(())
}

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
    /// How often it was called, for `\+`.
    calls: std::cell::Cell<u64>,
}

/// `.macro name [parameter[:req|:vararg][=default]]…` up to its `.endm`.
fn define(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let header =
        operands.name().and_then(|(name, range)| Ok((name, range, parameters(assembler, operands, name)?)));
    let body = body(operands, lines, &[".macro"], &[".endm", ".endmacro"])?;
    let (name, range, parameters) = header?;
    if assembler.macros.contains_key(name) {
        return Err(Fault::new(range, format!("macro {name} is already defined")));
    }
    let (name, body) = (name.to_owned(), body.to_owned());
    let definition = Macro { name: name.clone(), parameters, body, calls: std::cell::Cell::new(0) };
    assembler.known.clear();
    assembler.macros.insert(name, Rc::new(definition));
    Ok(())
}

fn parameters(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    of: &str,
) -> Result<Vec<Parameter>, Fault> {
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
            if parameter.required {
                let message = format!("{name} of macro {of} is required: its default is never used");
                let span = assembler.span(operands.offset, range);
                assembler.diagnostics.push(Diagnostic::warning(message).at(span));
            }
            parameter.default = Some(argument(assembler, operands)?);
        }
        parameters.push(parameter);
        operands.eat_comma();
    }
    Ok(parameters)
}

/// Runs a macro.
pub(crate) fn call(
    assembler: &mut Assembler<'_>,
    called: &Macro,
    operands: &mut Operands<'_>,
) -> Result<(), Fault> {
    let values = values(assembler, called, operands)?;
    let mut bindings = Bindings::new(assembler.alternate);
    for (parameter, value) in called.parameters.iter().zip(values) {
        let value = value.filter(|value| !value.is_empty());
        if value.is_none() && parameter.required {
            let message = format!("macro {} needs a value for {}", called.name, parameter.name);
            return operands.fault_here(message);
        }
        bindings.bind(&parameter.name, value.or_else(|| parameter.default.clone()).unwrap_or_default());
    }
    let body = assembler.bind_locals(&called.body, &mut bindings);
    let text = bindings.substitute(body, Some(assembler.instances), called.calls.get());
    called.calls.set(called.calls.get() + 1);
    assembler.instances += 1;
    assembler.expand(&text, format!("macro {}", called.name), operands)?;
    assembler.leave = false;
    Ok(())
}

/// What the call says for each parameter.
fn values(
    assembler: &mut Assembler<'_>,
    called: &Macro,
    operands: &mut Operands<'_>,
) -> Result<Vec<Option<String>>, Fault> {
    let count = called.parameters.len();
    let mut values: Vec<Option<String>> = vec![None; count];
    let mut by_name = false;
    let mut turn = 0;
    while !operands.lexer.at_end() {
        if turn >= count {
            let message =
                format!("macro {} takes {count} argument{}", called.name, if count == 1 { "" } else { "s" });
            return operands.fault(message);
        }
        let rest = called.parameters.get(turn).is_some_and(|parameter| parameter.rest);
        let argument = named_argument(assembler, operands, rest)?;
        let range: Range<usize> = argument.start..operands.lexer.position().max(argument.start + 1);
        let index = match argument.name {
            Some(name) => {
                by_name = true;
                let found = called.parameters.iter().position(|parameter| parameter.name == name);
                found.ok_or_else(|| {
                    Fault::new(range, format!("macro {} has no parameter {name}", called.name))
                })?
            }
            None if by_name => {
                return Err(Fault::new(range, "an argument in its turn cannot follow one by name"));
            }
            None => turn,
        };
        if !argument.text.is_empty()
            && let Some(value) = values.get_mut(index)
        {
            *value = Some(argument.text);
        }
        turn += 1;
        operands.eat_comma();
    }
    Ok(values)
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

/// `.altmacro` and `.noaltmacro`.
fn alternate(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    operands.end()?;
    assembler.alternate = operands.directive() == ".altmacro";
    Ok(())
}
