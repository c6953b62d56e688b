//! Directives about symbols: assignment, binding, visibility, type, size, common storage.

use wavemark_codeobj::elf::{Binding, SymbolType, Visibility, shf, sht};

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::lex::Kind;
use crate::statement::Lines;
use crate::symbol::Definition;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".set", set),
    row(".equ", set),
    row(".equiv", equiv),
    row(".globl", globl),
    row(".global", globl),
    row(".weak", weak),
    row(".local", local),
    row(".hidden", hidden),
    row(".protected", protected),
    row(".internal", internal),
    row(".type", symbol_type),
    row(".size", size),
    row(".comm", comm),
    row(".ident", ident),
    row(".extern", external),
    row(".addrsig", addrsig),
    row(".addrsig_sym", addrsig_sym),
];

fn set(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    assign(assembler, operands, true)
}

fn equiv(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    assign(assembler, operands, false)
}

fn assign(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, again: bool) -> Result<(), Fault> {
    let (name, range) = operands.name()?;
    operands.comma()?;
    let value = operands.expr(assembler)?;
    operands.end()?;
    assembler.assign(name, range, value, operands.offset, again)
}

fn each(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    change: fn(&mut Assembler<'_>, crate::symbol::SymbolId),
) -> Result<(), Fault> {
    loop {
        let (name, _) = operands.name()?;
        let symbol = assembler.symbols.intern(name);
        change(assembler, symbol);
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

fn globl(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    each(assembler, operands, |assembler, symbol| assembler.bind(symbol, Binding::Global))
}

fn weak(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    each(assembler, operands, |assembler, symbol| assembler.bind(symbol, Binding::Weak))
}

fn local(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    each(assembler, operands, |assembler, symbol| assembler.bind(symbol, Binding::Local))
}

fn hidden(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    each(assembler, operands, |assembler, symbol| {
        assembler.symbols.get_mut(symbol).visibility = Visibility::Hidden;
    })
}

fn protected(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    each(assembler, operands, |assembler, symbol| {
        assembler.symbols.get_mut(symbol).visibility = Visibility::Protected;
    })
}

fn internal(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    each(assembler, operands, |assembler, symbol| {
        assembler.symbols.get_mut(symbol).visibility = Visibility::Internal;
    })
}

/// `.type name, @function`; the type may also be `%function`, `"function"` or `STT_FUNC`.
fn symbol_type(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (name, _) = operands.name()?;
    let symbol = assembler.symbols.intern(name);
    operands.eat_comma();
    if !operands.lexer.eat(b'@') {
        operands.lexer.eat(b'%');
    }
    let token = operands.lexer.next();
    let kind = match operands.lexer.slice(token.range.clone()).trim_matches('"') {
        "function" | "STT_FUNC" => SymbolType::Func,
        "object" | "STT_OBJECT" => SymbolType::Object,
        "notype" | "STT_NOTYPE" => SymbolType::NoType,
        "amdgpu_hsa_kernel" | "STT_AMDGPU_HSA_KERNEL" => SymbolType::Other(10),
        _ => {
            return Err(Fault::new(
                token.range,
                "unknown symbol type (expected @function, @object or @notype)",
            ));
        }
    };
    operands.end()?;
    assembler.symbols.get_mut(symbol).kind = kind;
    Ok(())
}

fn size(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let (name, _) = operands.name()?;
    let symbol = assembler.symbols.intern(name);
    operands.comma()?;
    let start = operands.lexer.next_start();
    let expr = operands.expr(assembler)?;
    let range = start..operands.lexer.position();
    operands.end()?;
    let span = assembler.span(operands.offset, range);
    assembler.symbols.get_mut(symbol).size = Some((expr, span));
    Ok(())
}

/// `.comm name, size [, log2 of the alignment]`; with `.local` before, storage in `.bss`.
fn comm(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let (name, range) = operands.name()?;
    operands.comma()?;
    let size = operands.count(assembler)?;
    let mut power = 0;
    if operands.eat_comma() {
        let start = operands.lexer.next_start();
        power = operands.count(assembler)?;
        if power > 31 {
            return Err(Fault::new(start..operands.lexer.position(), "the alignment is larger than 2 GiB"));
        }
    }
    operands.end()?;
    let symbol = assembler.symbols.intern(name);
    let span = assembler.span(operands.offset, range.clone());
    let entry = assembler.symbols.get_mut(symbol);
    if entry.definition != Definition::Undefined {
        return Err(Fault::new(range, format!("symbol {name} is already defined")));
    }
    entry.kind = SymbolType::Object;
    entry.span = Some(span);
    entry.size = Some((crate::expr::Expr::Int(size as i64), span));
    if entry.binding != Some(Binding::Local) {
        entry.binding.get_or_insert(Binding::Global);
        entry.mentioned = true;
        entry.definition = Definition::Common { align: 1 << power, lds: false };
        return Ok(());
    }
    let current = assembler.current;
    let bss = assembler.sections.open(".bss", sht::NOBITS, shf::ALLOC | shf::WRITE, 0);
    assembler.current = bss;
    let section = assembler.sections.get_mut(bss);
    section.align = section.align.max(1 << power);
    let here = section.bytes.len() as u64;
    let placed = assembler.fill(here.next_multiple_of(1 << power) - here, &[0], range.clone());
    let offset = assembler.here().1;
    let filled = placed.and_then(|()| assembler.fill(size, &[0], range));
    assembler.symbols.get_mut(symbol).definition = Definition::Label { section: bss, offset };
    assembler.current = current;
    filled
}

/// `.ident "text"`: the text goes into `.comment`, which starts with a zero byte.
fn ident(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let text = operands.string()?;
    operands.end()?;
    let current = assembler.current;
    let comment = assembler.sections.open(".comment", sht::PROGBITS, shf::MERGE | shf::STRINGS, 1);
    assembler.current = comment;
    if assembler.ident.is_none() {
        assembler.ident = Some(comment);
        assembler.emit(&[0]);
    }
    assembler.emit(&text);
    assembler.emit(&[0]);
    assembler.current = current;
    Ok(())
}

/// `.extern name`: says nothing that an undefined name does not.
fn external(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    each(assembler, operands, |_, _| {})
}

/// `.addrsig`: a hint for linkers that fold identical code, which ours does not.
fn addrsig(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.end()
}

fn addrsig_sym(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let token = operands.lexer.peek();
    if !matches!(token.kind, Kind::Name | Kind::String) {
        return operands.fault("expected a name");
    }
    let (name, _) = operands.name()?;
    assembler.symbols.intern(name);
    operands.end()
}
