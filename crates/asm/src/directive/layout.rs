//! Directives that choose sections and places: `.text`, `.section`, `.p2align`, `.org`.

use wavemark_codeobj::elf::{shf, sht};
use wavemark_diag::Diagnostic;

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::lex::Kind;
use crate::section::SectionId;
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".text", named),
    row(".data", named),
    row(".bss", named),
    row(".rodata", named),
    row(".tdata", named),
    row(".tbss", named),
    row(".section", section),
    row(".pushsection", push_section),
    row(".popsection", pop_section),
    row(".previous", previous),
    row(".p2align", p2align),
    row(".p2alignw", p2align),
    row(".p2alignl", p2align),
    row(".balign", balign),
    row(".balignw", balign),
    row(".balignl", balign),
    row(".align", balign),
    row(".org", org),
];

/// `s_nop 0`, which fills gaps in code.
const S_NOP_0: [u8; 4] = [0, 0, 0x80, 0xbf];

/// Type and flags that a section has by its name.
fn by_name(name: &str) -> (u32, u64) {
    let is = |stem: &str| name == stem || name.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.'));
    match name {
        _ if is(".text") || is(".init") || is(".fini") => (sht::PROGBITS, shf::ALLOC | shf::EXECINSTR),
        _ if is(".rodata") || name == ".rodata1" => (sht::PROGBITS, shf::ALLOC),
        _ if is(".data") || name == ".data1" => (sht::PROGBITS, shf::ALLOC | shf::WRITE),
        _ if is(".bss") => (sht::NOBITS, shf::ALLOC | shf::WRITE),
        _ if is(".tdata") => (sht::PROGBITS, shf::ALLOC | shf::WRITE | shf::TLS),
        _ if is(".tbss") => (sht::NOBITS, shf::ALLOC | shf::WRITE | shf::TLS),
        _ if is(".init_array") => (sht::INIT_ARRAY, shf::ALLOC | shf::WRITE),
        _ if is(".fini_array") => (sht::FINI_ARRAY, shf::ALLOC | shf::WRITE),
        _ if name.starts_with(".note") => (sht::NOTE, 0),
        _ => (sht::PROGBITS, 0),
    }
}

fn switch(assembler: &mut Assembler<'_>, section: SectionId) {
    assembler.previous = assembler.current;
    assembler.current = section;
}

fn named(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let name = operands.directive();
    if !operands.lexer.at_end() {
        return operands.fault("subsections are not supported");
    }
    let (kind, flags) = by_name(name);
    let section = assembler.sections.open(name, kind, flags, 0);
    switch(assembler, section);
    Ok(())
}

fn push_section(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let saved = (assembler.current, assembler.previous);
    section(assembler, operands, lines)?;
    assembler.saved.push(saved);
    Ok(())
}

fn pop_section(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    operands.end()?;
    match assembler.saved.pop() {
        Some((current, previous)) => {
            assembler.current = current;
            assembler.previous = previous;
            Ok(())
        }
        None => operands.fault_here(".popsection without .pushsection"),
    }
}

fn previous(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    operands.end()?;
    std::mem::swap(&mut assembler.current, &mut assembler.previous);
    Ok(())
}

/// `.section name [, "flags" [, @type [, entry size] [, group, comdat] [, unique, number]]]`.
///
/// A section of a group is kept as an ordinary one, with a warning: its symbols are weak, so a linker that sees
/// it twice takes the first.
fn section(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (name, name_range) = section_name(operands)?;
    let (mut kind, mut flags) = by_name(&name);
    let mut entry_size = 0;
    let mut key = name.clone();
    let mut explicit = false;
    if operands.eat_comma() {
        explicit = true;
        flags = section_flags(operands)?;
        let typed = operands.eat_comma();
        if typed {
            kind = section_kind(operands)?;
        } else if flags & (shf::MERGE | shf::GROUP) != 0 {
            return operands.fault("this section needs a type");
        }
        if flags & shf::MERGE != 0 {
            operands.comma()?;
            entry_size = operands.count(assembler)?;
        }
        if flags & shf::GROUP != 0 {
            operands.comma()?;
            let (group, range) = operands.name()?;
            if operands.eat_comma() && !operands.lexer.eat_name("comdat") {
                return operands.fault("expected comdat");
            }
            flags &= !shf::GROUP;
            let warning = format!("section {name} is kept, but not its group {group}");
            let span = assembler.span(operands.offset, range);
            assembler.diagnostics.push(Diagnostic::warning(warning).at(span));
        }
        if typed && operands.eat_comma() {
            if !operands.lexer.eat_name("unique") {
                return operands.fault("this section attribute is not supported");
            }
            operands.comma()?;
            key = format!("{name}\0{}", operands.count(assembler)?);
        }
    }
    operands.end()?;
    if let Some(known) = assembler.sections.find(&key) {
        let known = assembler.sections.get(known);
        if explicit && known.flags != flags {
            let message = format!("section {name} had the flags {:#x} before, now {flags:#x}", known.flags);
            return Err(Fault::new(name_range, message));
        }
        if explicit && known.kind != kind {
            let message = format!("section {name} had the type {} before, now {kind}", known.kind);
            return Err(Fault::new(name_range, message));
        }
    }
    let section = assembler.sections.open_as(&key, &name, kind, flags, entry_size);
    switch(assembler, section);
    Ok(())
}

/// A section's name: quoted, or everything up to a comma or blank.
fn section_name(operands: &mut Operands<'_>) -> Result<(String, std::ops::Range<usize>), Fault> {
    if operands.lexer.peek_byte() == Some(b'"') {
        let start = operands.lexer.next_start();
        let bytes = operands.string()?;
        let range = start..operands.lexer.position();
        return match String::from_utf8(bytes) {
            Ok(name) => Ok((name, range)),
            Err(_) => Err(Fault::new(range, "the section name is not UTF-8")),
        };
    }
    let start = operands.lexer.next_start();
    let rest = operands.lexer.rest();
    let length = rest.find([',', ' ', '\t']).unwrap_or(rest.len());
    if length == 0 {
        return operands.fault("expected a section name");
    }
    operands.lexer.skip(length);
    Ok((rest[..length].to_owned(), start..start + length))
}

fn section_flags(operands: &mut Operands<'_>) -> Result<u64, Fault> {
    let start = operands.lexer.next_start();
    let letters = operands.string()?;
    let mut flags = 0;
    if let Ok(Ok(number)) = std::str::from_utf8(&letters).map(str::parse::<u64>) {
        return Ok(number);
    }
    for (index, letter) in letters.iter().enumerate() {
        flags |= match letter {
            b'a' => shf::ALLOC,
            b'w' => shf::WRITE,
            b'x' => shf::EXECINSTR,
            b'M' => shf::MERGE,
            b'S' => shf::STRINGS,
            b'T' => shf::TLS,
            b'G' => shf::GROUP,
            b'e' => shf::EXCLUDE,
            // Keeps the section from being collected; nothing here collects.
            b'R' => 0x20_0000,
            _ => {
                let at = start + 1 + index;
                let message = format!("unknown section flag '{}'", char::from(*letter).escape_default());
                return Err(Fault::new(at..at + 1, message));
            }
        };
    }
    Ok(flags)
}

fn section_kind(operands: &mut Operands<'_>) -> Result<u32, Fault> {
    if !operands.lexer.eat(b'@') {
        operands.lexer.eat(b'%');
    }
    let token = operands.lexer.next();
    let text = operands.lexer.slice(token.range.clone()).trim_matches('"');
    if let Kind::Integer(number) = token.kind {
        return u32::try_from(number).map_err(|_| Fault::new(token.range, "a section type has 32 bits"));
    }
    Ok(match text {
        "progbits" => sht::PROGBITS,
        "nobits" => sht::NOBITS,
        "note" => sht::NOTE,
        "init_array" => sht::INIT_ARRAY,
        "fini_array" => sht::FINI_ARRAY,
        "unwind" => 0x7000_0001,
        "llvm_addrsig" => sht::LLVM_ADDRSIG,
        _ => return Err(Fault::new(token.range, "unknown section type")),
    })
}

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
        Some(b'l') => 4,
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
    let gap = here.next_multiple_of(bytes) - here;
    let section = assembler.sections.get_mut(current);
    section.align = section.align.max(bytes);
    let code = section.flags & shf::EXECINSTR != 0;
    if most.is_some_and(|most| gap > most) {
        return Ok(());
    }
    let width = u64::from(width);
    match value {
        Some(value) => {
            // A gap that is no multiple of the value starts with zeros.
            assembler.fill(gap % width, &[0], range.clone())?;
            assembler.fill(gap / width, &value.to_le_bytes()[..width as usize], range)
        }
        None if code => {
            assembler.fill(gap % 4, &[0], range.clone())?;
            assembler.fill(gap / 4, &S_NOP_0, range)
        }
        None => assembler.fill(gap, &[0], range),
    }
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
    let target = match assembler.in_current_section(&expr) {
        Some(target) => target,
        None => assembler.absolute(&expr).map_err(|message| Fault::new(range.clone(), message))?,
    };
    assembler.advance_to(target, value as u8, range)
}
