//! The debug sections of a code object: unpacked where they are compressed, and with their relocations applied where
//! the file is relocatable, sections taken to be at address 0.

use std::collections::HashMap;

use gimli::{EndianSlice, LittleEndian, SectionId};

use crate::bytes::Bytes;
use crate::elf::{Place, Section, shf};
use crate::error::{Error, ErrorKind};
use crate::read::{CodeObject, RelocationTable};
use crate::reloc::RelocationKind;
use crate::unpack::{self, Method};

/// What gimli reads from.
pub(crate) type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// The debug sections by name.
#[derive(Clone, Debug, Default)]
pub struct DebugSections {
    /// In the order of the file: name, offset in the file, contents.
    pub sections: Vec<(String, u64, Vec<u8>)>,
    by_name: HashMap<String, usize>,
}

impl DebugSections {
    /// All of an object's sections whose names begin with `.debug_`, and `.eh_frame`. Of several of one name, which
    /// a relocatable file may have in section groups, the first.
    pub fn read(object: &CodeObject) -> Result<DebugSections, Error> {
        DebugSections::read_those(object, |name| name.starts_with(".debug_") || name == ".eh_frame")
    }

    /// Those of an object's sections.
    pub fn read_those(object: &CodeObject, wanted: impl Fn(&str) -> bool) -> Result<DebugSections, Error> {
        let mut sections = DebugSections::default();
        let mut tables: HashMap<usize, Vec<&RelocationTable>> = HashMap::new();
        for table in &object.relocations {
            if let Some(target) = table.target {
                tables.entry(target).or_default().push(table);
            }
        }
        for (index, section) in object.sections.iter().enumerate() {
            if !wanted(&section.name) || sections.by_name.contains_key(&section.name) {
                continue;
            }
            sections.by_name.insert(section.name.clone(), sections.sections.len());
            let tables = tables.get(&index).map_or(&[][..], Vec::as_slice);
            let contents = contents(object, index, section, tables)?;
            sections.sections.push((section.name.clone(), section.offset, contents));
        }
        Ok(sections)
    }

    /// The contents of a section; empty if there is none.
    pub fn data(&self, name: &str) -> &[u8] {
        self.by_name.get(name).map_or(&[], |&index| &self.sections[index].2)
    }

    /// Where a section is in the file.
    pub fn offset(&self, name: &str) -> u64 {
        self.by_name.get(name).map_or(0, |&index| self.sections[index].1)
    }

    /// Everything as gimli takes it.
    pub(crate) fn dwarf(&self) -> gimli::Dwarf<Slice<'_>> {
        let load = |id: SectionId| Ok(EndianSlice::new(self.data(id.name()), LittleEndian));
        gimli::Dwarf::load(load).unwrap_or_else(|error: std::convert::Infallible| match error {})
    }
}

const ELFCOMPRESS_ZLIB: u32 = 1;
const ELFCOMPRESS_ZSTD: u32 = 2;
const COMPRESSION_HEADER_SIZE: u64 = 24;

fn contents(
    object: &CodeObject,
    index: usize,
    section: &Section,
    tables: &[&RelocationTable],
) -> Result<Vec<u8>, Error> {
    let mut bytes = if section.flags & shf::COMPRESSED == 0 {
        object.section_data(index).to_vec()
    } else {
        let what = "the header of a compressed section";
        let data = Bytes::at_offset(object.section_data(index), section.offset);
        let method = match data.u32(0, what)? {
            ELFCOMPRESS_ZLIB => Method::Zlib,
            ELFCOMPRESS_ZSTD => Method::Zstd,
            other => return Err(Error::unsupported(data.at(0), format!("the compression type {other}"))),
        };
        let size = data.u64(8, what)?;
        let packed =
            data.part(COMPRESSION_HEADER_SIZE, data.len().saturating_sub(COMPRESSION_HEADER_SIZE), what)?;
        unpack::unpack(method, packed.data(), size, packed.at(0))?
    };
    for table in tables {
        for rela in &table.entries {
            let error = |found: String| Error {
                offset: object.sections[table.section].offset,
                kind: ErrorKind::Expected {
                    expected: format!("relocations that apply to `{}`", section.name),
                    found,
                },
            };
            let Some(kind) = RelocationKind::by_number(rela.kind).filter(|kind| !kind.uses_got()) else {
                return Err(error(format!("type {}", rela.kind)));
            };
            let symbol = object.symbols.get(rela.symbol as usize);
            let Some(symbol) = symbol else { return Err(error(format!("the symbol {}", rela.symbol))) };
            let value = if symbol.place == Place::Undefined { 0 } else { symbol.value };
            kind.apply(&mut bytes, rela.offset, value, rela.addend, rela.offset)
                .map_err(|e| error(format!("one at {:#x}: {e}", rela.offset)))?;
        }
    }
    Ok(bytes)
}
