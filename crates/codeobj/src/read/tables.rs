//! The tables of an ELF file: headers of sections and segments, symbols, relocations, notes.
//!
//! Everything is checked against the file's size before it is used, and nothing that is read takes more memory
//! than a small multiple of the file.

use super::RelocationTable;
use crate::bytes::Bytes;
use crate::elf::{self, Header, Rela, Section, Segment, Symbol, pt, sht};
use crate::error::Error;
use crate::note::{self, Note};
use crate::reloc::RelocationKind;

/// How many times the size of a file its parts may have together.
pub(crate) const OVERLAP: u64 = 8;

pub(crate) fn parse_segments(file: Bytes<'_>, header: &Header) -> Result<Vec<Segment>, Error> {
    let count = u64::from(header.program_header_count);
    let table = file.part(header.program_headers, count * elf::PROGRAM_HEADER_SIZE, "the program headers")?;
    let mut segments = Vec::new();
    for i in 0..count {
        let entry = table.part(i * elf::PROGRAM_HEADER_SIZE, elf::PROGRAM_HEADER_SIZE, "a program header")?;
        let segment = Segment::parse(entry)?;
        file.part(segment.offset, segment.file_size, "a segment")?;
        segments.push(segment);
    }
    Ok(segments)
}

pub(crate) fn parse_sections(file: Bytes<'_>, header: &Header) -> Result<Vec<Section>, Error> {
    let count = u64::from(header.section_count);
    let table = file.part(header.section_headers, count * elf::SECTION_HEADER_SIZE, "the section headers")?;
    let mut sections = Vec::new();
    let mut names = Vec::new();
    // Whoever prints or copies all of them needs memory for all of them.
    let mut budget = file.len().saturating_mul(OVERLAP);
    for i in 0..count {
        let entry = table.part(i * elf::SECTION_HEADER_SIZE, elf::SECTION_HEADER_SIZE, "a section header")?;
        let (section, name) = Section::parse(entry)?;
        let contents = file.part(section.offset, section.file_size(), "a section")?;
        budget = budget.checked_sub(contents.len()).ok_or_else(|| {
            Error::expected(contents.at(0), "sections that do not overlap", "more in them than in the file")
        })?;
        sections.push(section);
        names.push(name);
    }
    if header.section_names != 0 {
        let Some(strings) = sections.get(usize::from(header.section_names)) else {
            let found = header.section_names.to_string();
            return Err(Error::expected(62, format!("a section index below {count}"), found));
        };
        let strings = file.part(strings.offset, strings.file_size(), "the section names")?;
        // Names may share bytes, but a file with more of them than bytes squared is no file of ours.
        let mut budget = NameBudget::new(file);
        for (section, name) in sections.iter_mut().zip(names) {
            section.name = strings.c_str(u64::from(name), "a section name")?.to_owned();
            budget.spend(&section.name, strings)?;
        }
    }
    Ok(sections)
}

/// Keeps the total of all names within a multiple of the file: overlapping names could otherwise take memory
/// that grows with the square of the file's size.
struct NameBudget(u64);

impl NameBudget {
    fn new(file: Bytes<'_>) -> Self {
        NameBudget(file.len().saturating_mul(OVERLAP))
    }

    fn spend(&mut self, name: &str, strings: Bytes<'_>) -> Result<(), Error> {
        match self.0.checked_sub(name.len() as u64) {
            Some(rest) => {
                self.0 = rest;
                Ok(())
            }
            None => {
                Err(Error::expected(strings.at(0), "names that do not overlap", "names longer than the file"))
            }
        }
    }
}

/// The sections of a file, for reading the tables in them.
pub(super) struct Tables<'a> {
    pub file: Bytes<'a>,
    pub sections: &'a [Section],
}

impl<'a> Tables<'a> {
    fn data(&self, section: &Section) -> Result<Bytes<'a>, Error> {
        self.file.part(section.offset, section.file_size(), "a section")
    }

    /// Splits a section into entries of a fixed size.
    fn entries(&self, section: &Section, size: u64, what: &str) -> Result<Vec<Bytes<'a>>, Error> {
        let data = self.data(section)?;
        if section.entry_size != size && data.len() != 0 {
            let found = section.entry_size.to_string();
            return Err(Error::expected(data.at(0), format!("{what} with entries of {size} bytes"), found));
        }
        if data.len() % size != 0 {
            let found = format!("{} bytes", data.len());
            return Err(Error::expected(data.at(0), format!("{what} of a multiple of {size} bytes"), found));
        }
        (0..data.len() / size).map(|i| data.part(i * size, size, what)).collect()
    }

    pub(super) fn symbols(&self, kind: u32) -> Result<Vec<Symbol>, Error> {
        let Some(section) = self.sections.iter().find(|section| section.kind == kind) else {
            return Ok(Vec::new());
        };
        let what = "a symbol table";
        let strings = self.sections.get(section.link as usize).filter(|strings| strings.kind == sht::STRTAB);
        let Some(strings) = strings else {
            let found = format!("section {}", section.link);
            return Err(Error::expected(section.offset, "a string table linked to a symbol table", found));
        };
        let strings = self.data(strings)?;
        let mut budget = NameBudget::new(self.file);
        let mut symbols = Vec::new();
        for entry in self.entries(section, elf::SYMBOL_SIZE, what)? {
            let symbol = Symbol::parse(entry, strings)?;
            budget.spend(&symbol.name, strings)?;
            symbols.push(symbol);
        }
        Ok(symbols)
    }

    pub(super) fn relocations(&self, file_type: u16) -> Result<Vec<RelocationTable>, Error> {
        let mut tables = Vec::new();
        let loaded = self.loaded();
        // Sections that share their bytes could otherwise multiply the memory taken.
        let mut budget = self.file.len();
        for (i, section) in self.sections.iter().enumerate() {
            let size = match section.kind {
                sht::RELA => elf::RELA_SIZE,
                sht::REL => elf::REL_SIZE,
                sht::RELR => {
                    let entries = self.packed_relocations(section, &loaded)?;
                    tables.push(RelocationTable { section: i, target: None, dynamic: true, entries });
                    continue;
                }
                _ => continue,
            };
            let what = "a relocation table";
            budget = budget.checked_sub(section.file_size()).ok_or_else(|| {
                Error::expected(section.offset, "relocation tables that do not overlap", "larger ones")
            })?;
            let entries = self.entries(section, size, what)?;
            let symbols = self.sections.get(section.link as usize).map(|symbols| symbols.kind);
            let dynamic = match symbols {
                Some(sht::DYNSYM) => true,
                Some(sht::SYMTAB) => false,
                _ if file_type == elf::ET_DYN => true,
                _ => {
                    let found = format!("section {}", section.link);
                    return Err(Error::expected(
                        section.offset,
                        "a symbol table linked to a relocation table",
                        found,
                    ));
                }
            };
            let target = (file_type == elf::ET_REL).then_some(section.info as usize);
            if target.is_some_and(|target| target >= self.sections.len()) {
                let found = format!("section {}", section.info);
                return Err(Error::expected(section.offset, "a section to which relocations apply", found));
            }
            let read = |entry| match section.kind {
                sht::RELA => Rela::parse(entry),
                _ => Rela::parse_rel(entry).map(|rela| self.with_addend(rela, target, &loaded)),
            };
            let entries = entries.into_iter().map(read).collect::<Result<_, _>>()?;
            tables.push(RelocationTable { section: i, target, dynamic, entries });
        }
        Ok(tables)
    }

    /// A relocation with the addend that its field holds, zero-extended; 0 if the field is nowhere, which is told
    /// when the relocation is applied.
    fn with_addend(&self, rela: Rela, target: Option<usize>, loaded: &[&Section]) -> Rela {
        let size = RelocationKind::by_number(rela.kind).map_or(0, RelocationKind::size) as u64;
        let field = match target.and_then(|index| self.sections.get(index)) {
            Some(section) => self.field(section, rela.offset, size),
            None => self.field_at(loaded, rela.offset, size),
        };
        let addend = field.iter().rev().fold(0, |addend, &byte| addend << 8 | i64::from(byte));
        Rela { addend, ..rela }
    }

    fn field(&self, section: &Section, offset: u64, size: u64) -> &'a [u8] {
        let data = self.data(section).and_then(|data| data.part(offset, size, "a relocated field"));
        data.map(|data| data.data()).unwrap_or_default()
    }

    /// The sections that take memory, by address.
    fn loaded(&self) -> Vec<&'a Section> {
        let takes_memory = |section: &&Section| section.is_alloc() && section.size != 0;
        let mut loaded: Vec<&Section> = self.sections.iter().filter(takes_memory).collect();
        loaded.sort_by_key(|section| section.address);
        loaded
    }

    /// The field at an address of a linked file.
    fn field_at(&self, loaded: &[&Section], address: u64, size: u64) -> &'a [u8] {
        let after = loaded.partition_point(|section| section.address <= address);
        let section = after.checked_sub(1).and_then(|index| loaded.get(index));
        section.map_or(&[], |section| self.field(section, address - section.address, size))
    }

    /// The relocations of `SHT_RELR`: an even word is the address of one, an odd one a bitmap of the 63 words that
    /// follow. All of them are `R_AMDGPU_RELATIVE64` with the addend in the field.
    fn packed_relocations(&self, section: &Section, loaded: &[&Section]) -> Result<Vec<Rela>, Error> {
        let what = "a table of packed relocations";
        let mut entries = Vec::new();
        let mut next = 0u64;
        for word in self.entries(section, 8, what)? {
            let word = word.u64(0, what)?;
            let mut relocate = |offset| {
                let kind = RelocationKind::Relative64 as u32;
                entries.push(self.with_addend(Rela { offset, kind, symbol: 0, addend: 0 }, None, loaded));
            };
            if word & 1 == 0 {
                relocate(word);
                next = word.wrapping_add(8);
            } else {
                let bits = (1..64).filter(|bit| word >> bit & 1 == 1);
                bits.for_each(|bit| relocate(next.wrapping_add(8 * (bit - 1))));
                next = next.wrapping_add(8 * 63);
            }
            // Each has a field of its own, so there cannot be more of them than words in the file.
            if entries.len() as u64 > self.file.len() / 8 {
                let expected = "packed relocations of fields in the file";
                return Err(Error::expected(section.offset, expected, "more of them"));
            }
        }
        Ok(entries)
    }

    pub(super) fn notes(&self, segments: &[Segment]) -> Result<Vec<Note>, Error> {
        let mut notes = Vec::new();
        let mut budget = self.file.len();
        let in_sections = self.sections.iter().filter(|s| s.kind == sht::NOTE);
        let mut places: Vec<_> = in_sections.map(|s| (s.offset, s.file_size(), s.align)).collect();
        if self.sections.is_empty() {
            let in_segments = segments.iter().filter(|s| s.kind == pt::NOTE);
            places.extend(in_segments.map(|s| (s.offset, s.file_size, s.align)));
        }
        for (offset, size, align) in places {
            budget = budget
                .checked_sub(size)
                .ok_or_else(|| Error::expected(offset, "note sections that do not overlap", "larger ones"))?;
            notes.extend(note::parse_all(self.file.part(offset, size, "the notes")?, align)?);
        }
        Ok(notes)
    }
}
