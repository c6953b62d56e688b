//! Directives by which a text speaks itself: `.err`, `.error`, `.warning`, `.print`.

use wavemark_diag::{Diagnostic, Severity};

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] =
    &[row(".err", error), row(".error", error), row(".warning", warning), row(".print", print)];

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
    if operands.lexer.at_end() {
        return operands.fault("expected a string");
    }
    let message = message(operands)?;
    let span = assembler.span(operands.offset, operands.name.clone());
    assembler.diagnostics.push(Diagnostic::new(Severity::Advice, message).at(span));
    Ok(())
}
