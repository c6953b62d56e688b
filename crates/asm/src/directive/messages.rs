//! Directives by which a text speaks itself: `.err`, `.error`, `.abort`, `.warning`, `.print`; and `.line`, which says
//! nothing any more.

use wavemark_diag::{Diagnostic, Severity};

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::lex::Kind;
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".err", error),
    row(".error", error),
    row(".abort", abort),
    row(".warning", warning),
    row(".print", print),
    row(".line", line),
];

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

/// `.abort text`: an error that says the text.
fn abort(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let text = operands.lexer.rest().trim().to_owned();
    operands.ignore();
    operands.fault_here(if text.is_empty() {
        ".abort was reached".to_owned()
    } else {
        format!(".abort: {text}")
    })
}

/// `.line [number]`: LLVM reads the number and does nothing with it.
fn line(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    if matches!(operands.lexer.peek().kind, Kind::Integer(_)) {
        operands.absolute(assembler)?;
    }
    operands.end()
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
    if operands.lexer.at_end() {
        return operands.fault("expected a string");
    }
    let message = message(operands)?;
    let span = assembler.span(operands.offset, operands.name.clone());
    assembler.diagnostics.push(Diagnostic::new(Severity::Advice, message).at(span));
    Ok(())
}
