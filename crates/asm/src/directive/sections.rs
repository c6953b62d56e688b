//! Directives that choose sections: `.text`, `.section`, `.subsection`, `.pushsection`.
//!
//! Follows LLVM's `ELFAsmParser`: attributes by name, flags in letters, numbers or Sun's `#alloc`, types, entry sizes,
//! the section that one is linked to, groups, and `unique` ids.

use std::ops::Range;

use wavemark_codeobj::elf::{shf, sht};

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::lex::Kind;
use crate::section::{Attributes, Group, SectionId};
use crate::statement::Lines;
use crate::symbol::Definition;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".text", named),
    row(".data", named),
    row(".bss", named),
    row(".rodata", named),
    row(".tdata", named),
    row(".tbss", named),
    row(".section", section),
    row(".subsection", subsection),
    row(".pushsection", push_section),
    row(".popsection", pop_section),
    row(".previous", previous),
];

/// The highest number of a subsection.
const MAX_SUBSECTION: i64 = i32::MAX as i64;

/// Section flags that only `.section` needs.
mod flag {
    pub const LINK_ORDER: u64 = 0x80;
    pub const GNU_RETAIN: u64 = 0x20_0000;
}

/// Section types by the name after `@`.
const TYPES: [(&str, u32); 15] = [
    ("progbits", sht::PROGBITS),
    ("nobits", sht::NOBITS),
    ("note", sht::NOTE),
    ("init_array", sht::INIT_ARRAY),
    ("fini_array", sht::FINI_ARRAY),
    ("preinit_array", 16),
    ("unwind", 0x7000_0001),
    ("llvm_odrtab", 0x6fff_4c00),
    ("llvm_linker_options", 0x6fff_4c01),
    ("llvm_dependent_libraries", 0x6fff_4c04),
    ("llvm_sympart", 0x6fff_4c05),
    ("llvm_call_graph_profile", 0x6fff_4c09),
    ("llvm_bb_addr_map", 0x6fff_4c0a),
    ("llvm_offloading", 0x6fff_4c0b),
    ("llvm_lto", 0x6fff_4c0c),
];

/// Type and flags that a section has by its name.
fn by_name(name: &str) -> (u32, u64) {
    let is = |stem: &str| name == stem || name.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.'));
    match name {
        ".init" | ".fini" => (sht::PROGBITS, shf::ALLOC | shf::EXECINSTR),
        _ if is(".text") => (sht::PROGBITS, shf::ALLOC | shf::EXECINSTR),
        _ if is(".rodata") || name == ".rodata1" => (sht::PROGBITS, shf::ALLOC),
        _ if is(".data") || name == ".data1" => (sht::PROGBITS, shf::ALLOC | shf::WRITE),
        _ if is(".bss") => (sht::NOBITS, shf::ALLOC | shf::WRITE),
        _ if is(".tdata") => (sht::PROGBITS, shf::ALLOC | shf::WRITE | shf::TLS),
        _ if is(".tbss") => (sht::NOBITS, shf::ALLOC | shf::WRITE | shf::TLS),
        _ if is(".init_array") => (sht::INIT_ARRAY, shf::ALLOC | shf::WRITE),
        _ if is(".fini_array") => (sht::FINI_ARRAY, shf::ALLOC | shf::WRITE),
        _ if is(".preinit_array") => (16, shf::ALLOC | shf::WRITE),
        _ if name.starts_with(".note") => (sht::NOTE, 0),
        _ => (sht::PROGBITS, 0),
    }
}

/// Flags and entry size of the sections that LLVM's own output has, whatever the text says or leaves out.
fn predefined(name: &str) -> Option<(u64, u64)> {
    let strings = shf::MERGE | shf::STRINGS;
    Some(match name {
        ".debug_str" | ".debug_line_str" => (strings, 1),
        ".debug_str.dwo" => (strings | shf::EXCLUDE, 1),
        ".rodata.cst4" => (shf::ALLOC | shf::MERGE, 4),
        ".rodata.cst8" => (shf::ALLOC | shf::MERGE, 8),
        ".rodata.cst16" => (shf::ALLOC | shf::MERGE, 16),
        ".rodata.cst32" => (shf::ALLOC | shf::MERGE, 32),
        ".eh_frame" | ".gcc_except_table" | ".llvm_stackmaps" | ".llvm_faultmaps" => (shf::ALLOC, 0),
        ".debug_info.dwo"
        | ".debug_types.dwo"
        | ".debug_abbrev.dwo"
        | ".debug_line.dwo"
        | ".debug_loc.dwo"
        | ".debug_str_offsets.dwo"
        | ".debug_rnglists.dwo"
        | ".debug_loclists.dwo"
        | ".debug_macinfo.dwo"
        | ".debug_macro.dwo" => (shf::EXCLUDE, 0),
        _ => return None,
    })
}

fn switch(assembler: &mut Assembler<'_>, section: SectionId) {
    assembler.previous = Some(assembler.current);
    assembler.current = section;
    // A line that nothing had yet is not that of another section's bytes.
    assembler.debug.pending = None;
}

/// `.text [number]` and its relatives; as LLVM does, what follows the number is not looked at.
fn named(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let name = operands.directive();
    let number = if operands.lexer.at_end() { 0 } else { subsection_number(assembler, operands)? };
    let (kind, flags) = by_name(name);
    let section = assembler.open_section(name, kind, flags, 0);
    let section = assembler.sections.subsection(section, number);
    switch(assembler, section);
    Ok(())
}

fn subsection(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let number = if operands.lexer.at_end() { 0 } else { subsection_number(assembler, operands)? };
    operands.end()?;
    let section = assembler.sections.subsection(assembler.current, number);
    switch(assembler, section);
    Ok(())
}

fn subsection_number(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>) -> Result<u32, Fault> {
    let (number, range) = operands.absolute(assembler)?;
    if !(0..=MAX_SUBSECTION).contains(&number) {
        let message = format!("the subsection {number} is not within 0 to {MAX_SUBSECTION}");
        return Err(Fault::new(range, message));
    }
    Ok(number as u32)
}

fn push_section(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let saved = (assembler.current, assembler.previous);
    switch_to(assembler, operands, true)?;
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
            assembler.debug.pending = None;
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
    let Some(previous) = assembler.previous else {
        return operands.fault_here(".previous without a section before");
    };
    switch(assembler, previous);
    Ok(())
}

fn section(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    switch_to(assembler, operands, false)
}

/// What the operands of `.section` said.
#[derive(Default)]
struct Spec {
    /// Flags that were written; not those by name.
    extra: u64,
    kind: Option<u32>,
    entry_size: u64,
    linked_to: Option<Option<SectionId>>,
    linked_name: String,
    group: Option<(String, bool)>,
    use_last_group: bool,
    unique: Option<u64>,
}

/// `.section name [, "flags" [, @type [, entry size] [, linked-to] [, group [, comdat]] [, unique, number]]]`; with
/// `.pushsection` a subsection may stand before the flags.
fn switch_to(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, push: bool) -> Result<(), Fault> {
    let (name, name_range) = section_name(operands)?;
    let (kind_by_name, flags_by_name) = by_name(&name);
    let mut spec = Spec::default();
    let mut number = 0;
    let mut attributed = operands.eat_comma();
    if attributed && push && !matches!(operands.lexer.peek_byte(), Some(b'"')) {
        number = subsection_number(assembler, operands)?;
        attributed = operands.eat_comma();
    }
    if attributed {
        attributes(assembler, operands, flags_by_name, &mut spec)?;
    }
    operands.end()?;
    let mut flags = flags_by_name | spec.extra;
    if spec.use_last_group
        && let Some(group) = assembler.sections.get(assembler.current).group.clone()
    {
        spec.group = Some((assembler.symbols.get(group.signature).name.clone(), group.comdat));
        flags |= shf::GROUP;
    }
    let group = spec.group.as_ref().map(|(name, comdat)| {
        let signature = assembler.symbols.intern(name);
        assembler.symbols.register(signature);
        Group { signature, comdat: *comdat }
    });
    let mut key = name.clone();
    if group.is_some() || spec.linked_to.is_some() || spec.unique.is_some() {
        let group = spec.group.as_ref().map_or("", |(name, _)| name.as_str());
        let unique = spec.unique.map(|unique| unique.to_string()).unwrap_or_default();
        key = format!("{name}\0{group}\0{}\0{unique}", spec.linked_name);
    }
    let kind = spec.kind.unwrap_or(kind_by_name);
    if key == name
        && let Some((flags, entry_size)) = predefined(&name)
    {
        assembler.open_section(&name, sht::PROGBITS, flags, entry_size);
    }
    let known = assembler.sections.find(&key);
    let explicit = spec.extra != 0 || spec.entry_size != 0 || spec.kind.is_some();
    let attributes = Attributes {
        rank: assembler.symbols.next_rank(),
        kind,
        flags,
        entry_size: spec.entry_size,
        group,
        linked_to: spec.linked_to,
    };
    let section = assembler.sections.open_as(&key, &name, attributes);
    if let Some(known) = known {
        let known = assembler.sections.get(known);
        let changed = if spec.kind.is_some_and(|kind| kind != known.kind) {
            Some(format!("section {name} had the type {:#x} before, now {kind:#x}", known.kind))
        } else if explicit && known.flags != flags {
            Some(format!("section {name} had the flags {:#x} before, now {flags:#x}", known.flags))
        } else if explicit && known.entry_size != spec.entry_size {
            Some(format!(
                "section {name} had entries of {} bytes before, now of {}",
                known.entry_size, spec.entry_size
            ))
        } else {
            None
        };
        if let Some(message) = changed {
            return Err(Fault::new(name_range, message));
        }
    }
    let section = assembler.sections.subsection(section, number);
    switch(assembler, section);
    Ok(())
}

/// The flags and what comes after them.
fn attributes(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    flags_by_name: u64,
    spec: &mut Spec,
) -> Result<(), Fault> {
    match operands.lexer.peek_byte() {
        Some(b'"') => spec.extra = letters(operands, &mut spec.use_last_group)?,
        Some(b'#') => spec.extra = sun_flags(operands)?,
        _ => return operands.fault("expected section flags: a string such as \"ax\", or #alloc,#execinstr"),
    }
    let flags = flags_by_name | spec.extra;
    if flags & shf::GROUP != 0 && spec.use_last_group {
        return operands
            .fault("the flag '?' takes the group of the section before: it cannot have one of its own");
    }
    if operands.eat_comma() {
        spec.kind = Some(section_type(operands)?);
    } else if flags & (shf::MERGE | shf::GROUP) != 0 {
        return operands.fault("a mergeable or grouped section needs a type, such as @progbits");
    } else {
        return Ok(());
    }
    if flags & shf::MERGE != 0 {
        if !operands.eat_comma() {
            return operands.fault("expected ',' and the size of the entries that may be merged");
        }
        let (size, range) = operands.absolute(assembler)?;
        spec.entry_size = u64::try_from(size)
            .ok()
            .filter(|&size| size > 0)
            .ok_or_else(|| Fault::new(range, format!("the entry size {size} is not positive")))?;
    }
    if flags & flag::LINK_ORDER != 0 {
        if !operands.eat_comma() {
            return operands.fault("expected ',' and the symbol whose section this one is linked to, or 0");
        }
        linked_to(assembler, operands, spec)?;
    }
    if flags & shf::GROUP != 0 {
        if !operands.eat_comma() {
            return operands.fault("expected ',' and the name of the group");
        }
        let token = operands.lexer.peek();
        let name = match token.kind {
            Kind::Integer(_) => {
                operands.lexer.next();
                operands.lexer.slice(token.range).to_owned()
            }
            _ => operands.name()?.0.to_owned(),
        };
        let mut comdat = false;
        // What follows a comma here is the linkage: a group without comdat has no `unique`, as in LLVM.
        if operands.eat_comma() {
            if !operands.lexer.eat_name("comdat") {
                return operands.fault("expected comdat");
            }
            comdat = true;
        }
        spec.group = Some((name, comdat));
    }
    if operands.eat_comma() {
        if !operands.lexer.eat_name("unique") {
            return operands.fault("expected unique");
        }
        operands.comma()?;
        let (unique, range) = operands.absolute(assembler)?;
        if !(0..i64::from(u32::MAX)).contains(&unique) {
            return Err(Fault::new(
                range,
                format!("the unique id {unique} is not within 0 to {}", u32::MAX - 1),
            ));
        }
        spec.unique = Some(unique as u64);
    }
    Ok(())
}

/// The symbol whose section another is linked to, or 0 for none.
fn linked_to(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    spec: &mut Spec,
) -> Result<(), Fault> {
    if matches!(operands.lexer.peek().kind, Kind::Integer(0)) {
        operands.lexer.next();
        spec.linked_to = Some(None);
        return Ok(());
    }
    let (name, range) = operands.name()?;
    let symbol = assembler.symbols.find(name).map(|id| &assembler.symbols.get(id).definition);
    let section = match symbol {
        Some(Definition::Label { section, .. }) => Some(assembler.sections.whole(*section)),
        None | Some(Definition::Undefined) => assembler.sections.find(name),
        _ => None,
    };
    let Some(section) = section else {
        return Err(Fault::new(range, format!("{name} is not in a section of this file yet")));
    };
    spec.linked_to = Some(Some(section));
    spec.linked_name = name.to_owned();
    Ok(())
}

/// A section's name: quoted, or everything up to a comma or blank.
fn section_name(operands: &mut Operands<'_>) -> Result<(String, Range<usize>), Fault> {
    if operands.lexer.peek_byte() == Some(b'"') {
        let start = operands.lexer.next_start();
        let token = operands.lexer.next();
        if let Kind::Bad(message) = token.kind {
            return Err(Fault::new(token.range, message));
        }
        let text = operands.lexer.slice(token.range.start + 1..token.range.end - 1);
        return Ok((text.to_owned(), start..operands.lexer.position()));
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

/// Flags as letters, or as a number.
fn letters(operands: &mut Operands<'_>, use_last_group: &mut bool) -> Result<u64, Fault> {
    let token = operands.lexer.next();
    if let Kind::Bad(message) = token.kind {
        return Err(Fault::new(token.range, message));
    }
    let letters = operands.lexer.slice(token.range.start + 1..token.range.end - 1);
    if let Some(number) = numeric_flags(letters) {
        return Ok(number);
    }
    let mut flags = 0;
    for (index, letter) in letters.bytes().enumerate() {
        flags |= match letter {
            b'a' => shf::ALLOC,
            b'w' => shf::WRITE,
            b'x' => shf::EXECINSTR,
            b'o' => flag::LINK_ORDER,
            b'M' => shf::MERGE,
            b'S' => shf::STRINGS,
            b'T' => shf::TLS,
            b'G' => shf::GROUP,
            b'e' => shf::EXCLUDE,
            b'R' => flag::GNU_RETAIN,
            b'?' => {
                *use_last_group = true;
                0
            }
            _ => {
                let at = token.range.start + 1 + index;
                let message = format!(
                    "unknown section flag '{}' (known: a w x o M S T G e R ?)",
                    char::from(letter).escape_default()
                );
                return Err(Fault::new(at..at + 1, message));
            }
        };
    }
    Ok(flags)
}

/// A number in any of the bases that LLVM reads in strings.
fn numeric_flags(text: &str) -> Option<u64> {
    let number = match text.get(..2) {
        Some("0x" | "0X") => u32::from_str_radix(&text[2..], 16),
        Some("0b" | "0B") => u32::from_str_radix(&text[2..], 2),
        Some("0o") => u32::from_str_radix(&text[2..], 8),
        _ if text.len() > 1 && text.starts_with('0') => u32::from_str_radix(&text[1..], 8),
        _ => text.parse(),
    };
    number.ok().map(u64::from)
}

/// Sun's flags: `#alloc,#write`. Nothing can follow them.
fn sun_flags(operands: &mut Operands<'_>) -> Result<u64, Fault> {
    let mut flags = 0;
    while operands.lexer.eat(b'#') {
        let token = operands.lexer.next();
        flags |= match operands.lexer.slice(token.range.clone()) {
            "alloc" => shf::ALLOC,
            "write" => shf::WRITE,
            "execinstr" => shf::EXECINSTR,
            "tls" => shf::TLS,
            _ => return Err(Fault::new(token.range, "expected #alloc, #write, #execinstr or #tls")),
        };
        if !operands.eat_comma() {
            break;
        }
    }
    Ok(flags)
}

/// `@type`, `%type`, `"type"`, or a number after the sign.
fn section_type(operands: &mut Operands<'_>) -> Result<u32, Fault> {
    let start = operands.lexer.next_start();
    let quoted = operands.lexer.peek_byte() == Some(b'"');
    if !quoted && !operands.lexer.eat(b'@') && !operands.lexer.eat(b'%') {
        return operands.fault("expected a section type such as @progbits, %nobits or \"note\"");
    }
    let token = operands.lexer.next();
    let range = start..token.range.end;
    let text = operands.lexer.slice(token.range).trim_matches('"');
    if let Some(&(_, kind)) = TYPES.iter().find(|(name, _)| *name == text) {
        return Ok(kind);
    }
    if let Some(number) = numeric_flags(text) {
        return Ok(number as u32);
    }
    let known: Vec<&str> = TYPES.iter().take(6).map(|(name, _)| *name).collect();
    Err(Fault::new(range, format!("unknown section type {text} (known: {}, …)", known.join(", "))))
}
