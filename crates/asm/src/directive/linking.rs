//! What LLVM's link-time optimisation and other linkers than those of ELF say of symbols: `.lto_discard`,
//! `.lto_set_conditional`, and the attributes of Mach-O, which ELF has no words for.

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::expr::Expr;
use crate::lex::Kind;
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".lto_discard", discard),
    row(".lto_set_conditional", set_conditional),
    row(".cold", foreign),
    row(".lazy_reference", foreign),
    row(".private_extern", foreign),
    row(".reference", foreign),
    row(".symbol_resolver", foreign),
    row(".weak_def_can_be_hidden", foreign),
    row(".weak_definition", foreign),
];

/// `.lto_discard [name, …]`: what comes is not to define these, nor say anything of them; the list replaces the one
/// before.
fn discard(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    assembler.discarded.clear();
    if operands.lexer.at_end() {
        return Ok(());
    }
    loop {
        let (name, _) = operands.name()?;
        assembler.discarded.insert(name.to_owned());
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

/// `.lto_set_conditional name, symbol`: `.set`, if the object has the symbol.
fn set_conditional(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (name, range) = operands.name()?;
    operands.comma()?;
    let (target, _) = operands.name()?;
    operands.end()?;
    let target = assembler.symbols.intern(target);
    let value = Expr::Symbol(target, None);
    if assembler.symbols.get(target).rank.is_some() {
        return assembler.assign(name, range, value, operands.offset, true);
    }
    assembler.conditional.push((target, name.to_owned(), value));
    Ok(())
}

/// An attribute of Mach-O: may be said of no symbol.
fn foreign(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    if operands.lexer.at_end() {
        return Ok(());
    }
    if !matches!(operands.lexer.peek().kind, Kind::Name | Kind::String) {
        return operands.fault("expected a name");
    }
    operands.ignore();
    operands.fault_here(format!("{} is for Mach-O files: ELF has no such attribute", operands.directive()))
}
