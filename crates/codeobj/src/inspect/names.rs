//! What the numbers of headers and symbols are called: shared by text and JSON.

use crate::elf::{Binding, OsAbi, Place, Section, Segment, SymbolType, Visibility, pf, pt, shf, sht};
use crate::note::Note;
use crate::read::{CodeObject, RelocationTable};
use crate::reloc::RelocationKind;

/// The characters of the flags that are set.
fn letters(flags: u64, table: &[(u64, char)]) -> String {
    table.iter().filter(|(bit, _)| flags & bit != 0).map(|(_, letter)| letter).collect()
}

/// `p_type`.
pub fn segment_kind(kind: u32) -> String {
    let name = match kind {
        pt::LOAD => "LOAD",
        pt::DYNAMIC => "DYNAMIC",
        pt::NOTE => "NOTE",
        pt::PHDR => "PHDR",
        pt::GNU_STACK => "STACK",
        pt::GNU_RELRO => "RELRO",
        other => return format!("{other:#x}"),
    };
    name.to_owned()
}

/// `p_flags`.
pub fn segment_flags(segment: &Segment) -> String {
    letters(
        segment.flags.into(),
        &[(u64::from(pf::R), 'R'), (u64::from(pf::W), 'W'), (u64::from(pf::X), 'X')],
    )
}

/// `sh_type`.
pub fn section_kind(section: &Section) -> String {
    let name = match section.kind {
        sht::NULL => "NULL",
        sht::PROGBITS => "PROGBITS",
        sht::SYMTAB => "SYMTAB",
        sht::STRTAB => "STRTAB",
        sht::RELA => "RELA",
        sht::HASH => "HASH",
        sht::DYNAMIC => "DYNAMIC",
        sht::NOTE => "NOTE",
        sht::NOBITS => "NOBITS",
        sht::DYNSYM => "DYNSYM",
        sht::GROUP => "GROUP",
        sht::GNU_HASH => "GNU_HASH",
        other => return format!("{other:#x}"),
    };
    name.to_owned()
}

/// `sh_flags`.
pub fn section_flags(section: &Section) -> String {
    letters(
        section.flags,
        &[
            (shf::WRITE, 'W'),
            (shf::ALLOC, 'A'),
            (shf::EXECINSTR, 'X'),
            (shf::MERGE, 'M'),
            (shf::STRINGS, 'S'),
            (shf::INFO_LINK, 'I'),
            (shf::GROUP, 'G'),
            (shf::EXCLUDE, 'E'),
        ],
    )
}

/// What a symbol names.
pub fn symbol_kind(kind: SymbolType) -> String {
    match kind {
        SymbolType::NoType => "-".to_owned(),
        SymbolType::Object => "object".to_owned(),
        SymbolType::Func => "func".to_owned(),
        SymbolType::Section => "section".to_owned(),
        SymbolType::File => "file".to_owned(),
        SymbolType::HsaKernel => "kernel".to_owned(),
        SymbolType::Other(other) => other.to_string(),
    }
}

/// Who sees a symbol.
pub fn binding(binding: Binding) -> String {
    match binding {
        Binding::Local => "local".to_owned(),
        Binding::Global => "global".to_owned(),
        Binding::Weak => "weak".to_owned(),
        Binding::Other(other) => other.to_string(),
    }
}

/// How far a symbol is visible.
pub fn visibility(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Default => "default",
        Visibility::Internal => "internal",
        Visibility::Hidden => "hidden",
        Visibility::Protected => "protected",
    }
}

/// Where a symbol is.
pub fn place(object: &CodeObject, place: Place) -> &str {
    match place {
        Place::Undefined => "undefined",
        Place::Absolute => "absolute",
        Place::Common => "common",
        Place::Lds => "LDS",
        Place::Section(index) => section(object, index as usize),
    }
}

/// The name of a section.
pub fn section(object: &CodeObject, index: usize) -> &str {
    object.sections.get(index).map_or("?", |section| section.name.as_str())
}

/// The type of a relocation.
pub fn relocation_kind(kind: u32) -> String {
    RelocationKind::by_number(kind).map_or_else(|| format!("type {kind}"), |kind| kind.to_string())
}

/// What a relocation names: a symbol, or the section of a symbol without a name.
pub fn relocation_symbol<'a>(object: &'a CodeObject, table: &RelocationTable, symbol: u32) -> &'a str {
    let symbols = if table.dynamic { &object.dynamic_symbols } else { &object.symbols };
    match symbols.get(symbol as usize) {
        _ if symbol == 0 => "",
        Some(symbol) => match (symbol.kind, symbol.place) {
            (SymbolType::Section, Place::Section(index)) if symbol.name.is_empty() => {
                section(object, index as usize)
            }
            _ => &symbol.name,
        },
        None => "?",
    }
}

/// The type of a note.
pub fn note_kind(note: &Note) -> String {
    note.type_name().map_or_else(|| format!("type {}", note.kind), str::to_owned)
}

/// The operating system of a file header.
pub fn os_abi(byte: u8) -> String {
    match OsAbi::by_byte(byte) {
        Some(abi) if !abi.name().is_empty() => abi.name().to_owned(),
        _ => byte.to_string(),
    }
}
