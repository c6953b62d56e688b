//! Conditional assembly: `.if` and its relatives.

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands};
use crate::statement::Lines;
use crate::symbol::Definition;

/// One open `.if`.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// Whether its present branch is left out.
    pub skip: bool,
    /// Whether a branch was taken already, or none can be.
    pub done: bool,
    /// Whether `.else` was met.
    pub last: bool,
    /// The `.if`.
    pub span: wavemark_diag::Span,
}

const fn row(name: &'static str, run: super::Run) -> Directive {
    Directive { name, run, when_skipped: true }
}

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".if", if_number),
    row(".ifeq", if_number),
    row(".ifne", if_number),
    row(".ifge", if_number),
    row(".ifgt", if_number),
    row(".ifle", if_number),
    row(".iflt", if_number),
    row(".ifdef", if_defined),
    row(".ifndef", if_defined),
    row(".ifnotdef", if_defined),
    row(".ifb", if_blank),
    row(".ifnb", if_blank),
    row(".ifc", if_text),
    row(".ifnc", if_text),
    row(".ifeqs", if_strings),
    row(".ifnes", if_strings),
    row(".elseif", else_if),
    row(".else", else_branch),
    row(".endif", end_if),
];

impl Assembler<'_> {
    /// Whether a condition leaves out what comes now.
    pub fn skipping(&self) -> bool {
        self.conditions.last().is_some_and(|condition| condition.skip)
    }

    fn open(&mut self, operands: &Operands<'_>, holds: Option<bool>) {
        let span = self.span(operands.offset, operands.name.clone());
        let (skip, done) = match holds {
            // Inside text that is left out: no branch counts.
            None => (true, true),
            Some(holds) => (!holds, holds),
        };
        self.conditions.push(Condition { skip, done, last: false, span });
    }
}

fn if_number(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    if assembler.skipping() {
        assembler.open(operands, None);
        return Ok(());
    }
    // An .if that cannot be read still has an .endif.
    let number = operands.absolute(assembler).and_then(|(number, _)| operands.end().map(|()| number));
    let holds = number.as_ref().is_ok_and(|&number| match operands.directive() {
        ".ifeq" => number == 0,
        ".ifge" => number >= 0,
        ".ifgt" => number > 0,
        ".ifle" => number <= 0,
        ".iflt" => number < 0,
        _ => number != 0,
    });
    assembler.open(operands, Some(holds));
    number.map(|_| ())
}

fn if_defined(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    if assembler.skipping() {
        assembler.open(operands, None);
        return Ok(());
    }
    let name = operands.name().and_then(|(name, _)| operands.end().map(|()| name));
    let defined = name.as_ref().is_ok_and(|name| {
        let symbol = assembler.symbols.find(name);
        symbol.is_some_and(|symbol| assembler.symbols.get(symbol).definition != Definition::Undefined)
    });
    assembler.open(operands, Some(defined == (operands.directive() == ".ifdef")));
    name.map(|_| ())
}

fn if_blank(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let holds =
        (!assembler.skipping()).then(|| operands.lexer.rest().is_empty() == (operands.directive() == ".ifb"));
    assembler.open(operands, holds);
    Ok(())
}

fn if_text(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    if assembler.skipping() {
        assembler.open(operands, None);
        return Ok(());
    }
    let rest = operands.lexer.rest();
    let parts = rest.split_once(',').map(|(left, right)| left.trim() == right.trim());
    assembler.open(operands, Some(parts.is_some_and(|same| same == (operands.directive() == ".ifc"))));
    if parts.is_none() { operands.fault("expected two texts with ',' between") } else { Ok(()) }
}

fn if_strings(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    if assembler.skipping() {
        assembler.open(operands, None);
        return Ok(());
    }
    let mut both = || -> Result<bool, Fault> {
        let left = operands.string()?;
        operands.comma()?;
        let right = operands.string()?;
        operands.end()?;
        Ok(left == right)
    };
    let same = both();
    let holds = same.as_ref().is_ok_and(|&same| same == (operands.directive() == ".ifeqs"));
    assembler.open(operands, Some(holds));
    same.map(|_| ())
}

fn else_if(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let Some(condition) = assembler.conditions.last_mut() else {
        return operands.fault_here(".elseif without .if");
    };
    if condition.last {
        return operands.fault_here(".elseif after .else");
    }
    condition.skip = true;
    if condition.done {
        return Ok(());
    }
    let (number, _) = operands.absolute(assembler)?;
    operands.end()?;
    if let Some(condition) = assembler.conditions.last_mut() {
        condition.skip = number == 0;
        condition.done = number != 0;
    }
    Ok(())
}

fn else_branch(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let Some(condition) = assembler.conditions.last_mut() else {
        return operands.fault_here(".else without .if");
    };
    if condition.last {
        return operands.fault_here("a second .else");
    }
    condition.skip = condition.done;
    condition.last = true;
    operands.end()
}

fn end_if(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    if assembler.conditions.pop().is_none() {
        return operands.fault_here(".endif without .if");
    }
    operands.end()
}
