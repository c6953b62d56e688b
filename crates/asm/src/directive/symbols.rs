//! Directives about symbols: assignment, binding, visibility, type, size, common storage, versions.

use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{Binding, SymbolType, Visibility, shf, sht};
use wavemark_diag::Diagnostic;

use crate::assembler::{Assembler, ExplicitRelocation, Fault, Symver};
use crate::directive::{Directive, Operands, row};
use crate::expr::Expr;
use crate::lex::Kind;
use crate::statement::Lines;
use crate::symbol::{Definition, SymbolId};

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".set", set),
    row(".equ", set),
    row(".equiv", equiv),
    row(".globl", globl),
    row(".global", globl),
    row(".weak", weak),
    row(".weak_reference", weak),
    row(".local", local),
    row(".hidden", hidden),
    row(".protected", protected),
    row(".internal", internal),
    row(".type", symbol_type),
    row(".size", size),
    row(".comm", comm),
    row(".common", comm),
    row(".lcomm", lcomm),
    row(".extern", external),
    row(".no_dead_strip", keep),
    row(".memtag", keep),
    row(".symver", symver),
    row(".weakref", weakref),
    row(".reloc", reloc),
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

/// Changes each symbol of a list, which may be empty.
fn each(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    change: impl Fn(&mut Assembler<'_>, SymbolId) -> Result<Option<String>, String>,
) -> Result<(), Fault> {
    if operands.lexer.at_end() {
        return Ok(());
    }
    loop {
        let (name, range) = operands.name()?;
        if assembler.discarded.contains(name) {
            if operands.eat_comma() {
                continue;
            }
            return operands.end();
        }
        let symbol = assembler.symbols.intern(name);
        assembler.symbols.register(symbol);
        let warning = change(assembler, symbol).map_err(|message| Fault::new(range.clone(), message))?;
        if let Some(warning) = warning {
            let span = assembler.span(operands.offset, range);
            assembler.diagnostics.push(Diagnostic::warning(warning).at(span));
        }
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

/// Sets the binding of each symbol. As in LLVM, a symbol does not become global or local once it is something else;
/// it does become weak, with a warning.
fn bind(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, binding: Binding) -> Result<(), Fault> {
    each(assembler, operands, |assembler, symbol| {
        let entry = assembler.symbols.get_mut(symbol);
        let before = entry.binding.filter(|before| *before != binding);
        let change = before.map(|before| {
            let (before, after) =
                (format!("{before:?}").to_lowercase(), format!("{binding:?}").to_lowercase());
            format!("symbol {} was {before} before, now {after}", entry.name)
        });
        match change {
            Some(message) if binding != Binding::Weak => Err(message),
            warning => {
                entry.binding = Some(binding);
                Ok(warning)
            }
        }
    })
}

fn globl(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    if operands.lexer.at_end() {
        return operands.fault("expected a name");
    }
    bind(assembler, operands, Binding::Global)
}

fn weak(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    bind(assembler, operands, Binding::Weak)
}

fn local(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    bind(assembler, operands, Binding::Local)
}

fn see(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    visibility: Visibility,
) -> Result<(), Fault> {
    each(assembler, operands, |assembler, symbol| {
        assembler.symbols.get_mut(symbol).visibility = visibility;
        Ok(None)
    })
}

fn hidden(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    see(assembler, operands, Visibility::Hidden)
}

fn protected(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    see(assembler, operands, Visibility::Protected)
}

fn internal(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    see(assembler, operands, Visibility::Internal)
}

/// `STT_GNU_IFUNC` and, on AMD GPUs, `STT_AMDGPU_HSA_KERNEL`.
const HSA_KERNEL: SymbolType = SymbolType::Other(10);
/// `STT_TLS`.
const TLS: SymbolType = SymbolType::Other(6);
/// `STB_GNU_UNIQUE`.
const GNU_UNIQUE: Binding = Binding::Other(10);

/// `.type name, @function`; the type may also be `%function`, `#function`, `"function"` or `STT_FUNC`.
fn symbol_type(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (name, _) = operands.name()?;
    let symbol = assembler.symbols.intern(name);
    operands.eat_comma();
    let signed = [b'@', b'%', b'#'].into_iter().any(|sign| operands.lexer.eat(sign));
    let token = operands.lexer.next();
    let text = operands.lexer.slice(token.range.clone());
    let kind = match if signed { text } else { text.trim_matches('"') } {
        "function" | "STT_FUNC" => SymbolType::Func,
        "object" | "STT_OBJECT" | "common" | "STT_COMMON" | "gnu_unique_object" => SymbolType::Object,
        "notype" | "STT_NOTYPE" => SymbolType::NoType,
        "tls_object" | "STT_TLS" => TLS,
        "gnu_indirect_function" | "STT_GNU_IFUNC" => HSA_KERNEL,
        "amdgpu_hsa_kernel" | "STT_AMDGPU_HSA_KERNEL" => HSA_KERNEL,
        _ => {
            let message = "unknown symbol type (expected @function, @object, @tls_object, @common, @notype, \
                           @gnu_indirect_function or @gnu_unique_object)";
            return Err(Fault::new(token.range, message));
        }
    };
    let unique = text.trim_matches('"') == "gnu_unique_object";
    operands.end()?;
    assembler.symbols.register(symbol);
    let entry = assembler.symbols.get_mut(symbol);
    entry.kind = combine(entry.kind, kind);
    if unique {
        entry.binding = Some(GNU_UNIQUE);
    }
    Ok(())
}

/// The type of a symbol that is said to have two: the one that says more.
pub(crate) fn combine(one: SymbolType, other: SymbolType) -> SymbolType {
    let order = [SymbolType::NoType, SymbolType::Object, SymbolType::Func, HSA_KERNEL, TLS];
    for kind in order {
        if one == kind {
            return other;
        }
        if other == kind {
            return one;
        }
    }
    other
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
    common(assembler, operands, false)
}

/// `.lcomm name, size`: storage in `.bss`.
fn lcomm(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    common(assembler, operands, true)
}

fn common(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, local: bool) -> Result<(), Fault> {
    let (name, range) = operands.name()?;
    operands.comma()?;
    let size = operands.count(assembler)?;
    let mut power = 0;
    let start = operands.lexer.next_start();
    if operands.eat_comma() {
        if local {
            let message = "LLVM takes no alignment here on AMD GPUs; use .local and .comm";
            return Err(Fault::new(start..start + 1, message));
        }
        let start = operands.lexer.next_start();
        power = operands.count(assembler)?;
        if power > 31 {
            return Err(Fault::new(start..operands.lexer.position(), "the alignment is larger than 2 GiB"));
        }
    }
    operands.end()?;
    let symbol = assembler.symbols.intern(name);
    let span = assembler.span(operands.offset, range.clone());
    let align = 1 << power;
    let entry = assembler.symbols.get_mut(symbol);
    match entry.definition {
        Definition::Undefined => {}
        Definition::Common { align: before, lds: false }
            if !local
                && before == align
                && matches!(entry.size, Some((Expr::Int(n), _)) if n == size as i64) =>
        {
            return Ok(());
        }
        _ => return Err(Fault::new(range, format!("symbol {name} is already defined"))),
    }
    entry.kind = combine(entry.kind, SymbolType::Object);
    entry.span = Some(span);
    entry.size = Some((Expr::Int(size as i64), span));
    let local = local || entry.binding == Some(Binding::Local);
    if local {
        entry.binding = Some(Binding::Local);
    } else {
        entry.binding.get_or_insert(Binding::Global);
        entry.definition = Definition::Common { align, lds: false };
        assembler.symbols.register(symbol);
        return Ok(());
    }
    assembler.symbols.register(symbol);
    let current = assembler.current;
    let bss = assembler.open_section(".bss", sht::NOBITS, shf::ALLOC | shf::WRITE, 0);
    assembler.current = bss;
    let section = assembler.sections.get_mut(bss);
    section.align = section.align.max(align);
    let here = section.bytes.len() as u64;
    let placed = assembler.fill(here.next_multiple_of(align) - here, &[0], range.clone());
    let offset = assembler.here().1;
    let filled = placed.and_then(|()| assembler.fill(size, &[0], range));
    assembler.symbols.get_mut(symbol).definition = Definition::Label { section: bss, offset };
    assembler.current = current;
    filled
}

/// `.extern name`: says nothing that an undefined name does not, and LLVM does not look at it.
fn external(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.ignore();
    Ok(())
}

/// `.no_dead_strip name`: nothing here strips, but the symbol is used. So `.memtag`, as there is no memory tagging.
fn keep(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    each(assembler, operands, |_, _| Ok(None))
}

/// `.symver name, name@version [, remove]`: another name for a symbol, or a new one.
fn symver(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (name, _) = operands.name()?;
    operands.comma()?;
    let (versioned, range) = operands.name()?;
    if !versioned.contains('@') {
        return Err(Fault::new(range, "expected a name with a version: name@version"));
    }
    let mut keep = !versioned.contains("@@@");
    if operands.eat_comma() {
        if !operands.lexer.eat_name("remove") {
            return operands.fault("expected remove");
        }
        keep = false;
    }
    operands.end()?;
    let symbol = assembler.symbols.intern(name);
    assembler.symbols.register(symbol);
    let span = assembler.span(operands.offset, range);
    assembler.links.symvers.push(Symver { symbol, versioned: versioned.to_owned(), keep, span });
    Ok(())
}

/// `.weakref alias, target`: uses of the alias are uses of the target that do not need it.
fn weakref(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (alias, range) = operands.name()?;
    operands.comma()?;
    let (target, target_range) = operands.name()?;
    operands.end()?;
    let target = assembler.symbols.intern(target);
    let id = assembler.symbols.intern(alias);
    if id == target {
        return Err(Fault::new(target_range, format!("{alias} cannot stand for itself")));
    }
    let span = assembler.span(operands.offset, range.clone());
    let entry = assembler.symbols.get_mut(id);
    if entry.definition != Definition::Undefined {
        return Err(Fault::new(range, format!("symbol {alias} is already defined")));
    }
    entry.definition = Definition::Variable(Expr::Symbol(target, None));
    entry.is_weakref = true;
    entry.span = Some(span);
    Ok(())
}

/// `.reloc offset, type [, value]`.
fn reloc(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let offset = operands.expr(assembler)?;
    let offset_range = start..operands.lexer.position();
    operands.comma()?;
    let (name, range) = operands.name()?;
    let known = RelocationKind::ALL.into_iter().find(|kind| kind.name() == name);
    let Some(kind) = known.or_else(|| generic_relocation(name)) else {
        let message = format!("unknown relocation type {name} (expected one such as R_AMDGPU_ABS32)");
        return Err(Fault::new(range, message));
    };
    let mut value = None;
    if operands.eat_comma() {
        let start = operands.lexer.next_start();
        let expr = operands.expr(assembler)?;
        let range = start..operands.lexer.position();
        assembler.mention(&expr);
        value = Some((expr, assembler.span(operands.offset, range)));
    }
    operands.end()?;
    let offset = (offset, assembler.span(operands.offset, offset_range));
    let section = assembler.current;
    assembler.links.relocations.push(ExplicitRelocation { section, offset, kind, value });
    Ok(())
}

/// The names that BFD has for relocations of every machine.
fn generic_relocation(name: &str) -> Option<RelocationKind> {
    match name {
        "BFD_RELOC_NONE" => Some(RelocationKind::None),
        "BFD_RELOC_32" => Some(RelocationKind::Abs32),
        "BFD_RELOC_64" => Some(RelocationKind::Abs64),
        _ => None,
    }
}

/// `.addrsig`: the object lists the symbols whose addresses are compared, for linkers that fold identical code.
fn addrsig(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    assembler.links.address_significance = true;
    operands.end()
}

fn addrsig_sym(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    if !matches!(operands.lexer.peek().kind, Kind::Name | Kind::String) {
        return operands.fault("expected a name");
    }
    let (name, _) = operands.name()?;
    let symbol = assembler.symbols.intern(name);
    assembler.links.significant.push(symbol);
    operands.end()
}
