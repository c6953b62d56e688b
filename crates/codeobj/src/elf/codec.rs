//! How the nouns of ELF64 lie in the file: reading and writing one of each.

use super::{
    Binding, HEADER_SIZE, Header, PROGRAM_HEADER_SIZE, Place, Rela, SECTION_HEADER_SIZE, Section, Segment,
    Symbol, SymbolType, Visibility, shf, sht,
};
use crate::bytes::Bytes;
use crate::error::Error;

impl Header {
    /// Reads the header at the start of a file and checks that it is one of ELF64, little-endian.
    pub(crate) fn parse(file: Bytes<'_>) -> Result<Header, Error> {
        let ident = file.part(0, 16, "the ELF identification")?;
        let magic = &ident.data()[..4];
        if magic != b"\x7fELF" {
            return Err(Error::expected(0, "the ELF magic 7f 45 4c 46", format!("{magic:02x?}")));
        }
        let byte = |offset, expected: &str, value: u8| match ident.u8(offset, "the ELF identification")? {
            found if found == value => Ok(()),
            found => Err(Error::expected(offset, expected, found.to_string())),
        };
        byte(4, "2 (ELFCLASS64)", 2)?;
        byte(5, "1 (little-endian)", 1)?;
        byte(6, "ELF version 1", 1)?;
        let what = "the ELF header";
        let header = file.part(0, HEADER_SIZE, what)?;
        let entries = |offset, count: u16, size: u64, expected: &str| match header.u16(offset, what)? {
            found if count == 0 || u64::from(found) == size => Ok(()),
            found => Err(Error::expected(offset, expected, found.to_string())),
        };
        let program_header_count = header.u16(56, what)?;
        entries(54, program_header_count, PROGRAM_HEADER_SIZE, "program headers of 56 bytes")?;
        let section_headers = header.u64(40, what)?;
        let section_count = header.u16(60, what)?;
        if section_count == 0 && section_headers != 0 {
            return Err(Error::unsupported(60, "a count of sections beyond 65279"));
        }
        entries(58, section_count, SECTION_HEADER_SIZE, "section headers of 64 bytes")?;
        Ok(Header {
            os_abi: header.u8(7, what)?,
            abi_version: header.u8(8, what)?,
            machine: header.u16(18, what)?,
            file_type: header.u16(16, what)?,
            flags: header.u32(48, what)?,
            entry: header.u64(24, what)?,
            program_headers: header.u64(32, what)?,
            program_header_count,
            section_headers,
            section_count,
            section_names: header.u16(62, what)?,
        })
    }

    /// The 64 bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, self.os_abi, self.abi_version];
        out.resize(16, 0);
        out.extend(self.file_type.to_le_bytes());
        out.extend(self.machine.to_le_bytes());
        out.extend(1u32.to_le_bytes());
        out.extend(self.entry.to_le_bytes());
        out.extend(self.program_headers.to_le_bytes());
        out.extend(self.section_headers.to_le_bytes());
        out.extend(self.flags.to_le_bytes());
        let program_header_size = if self.program_header_count == 0 { 0 } else { PROGRAM_HEADER_SIZE as u16 };
        let halves = [
            HEADER_SIZE as u16,
            program_header_size,
            self.program_header_count,
            SECTION_HEADER_SIZE as u16,
            self.section_count,
            self.section_names,
        ];
        out.extend(halves.into_iter().flat_map(u16::to_le_bytes));
        out
    }
}

impl Section {
    /// Reads one header; the name is left empty, its offset into the name table returned beside.
    pub(crate) fn parse(header: Bytes<'_>) -> Result<(Section, u32), Error> {
        let what = "a section header";
        let section = Section {
            name: String::new(),
            kind: header.u32(4, what)?,
            flags: header.u64(8, what)?,
            address: header.u64(16, what)?,
            offset: header.u64(24, what)?,
            size: header.u64(32, what)?,
            link: header.u32(40, what)?,
            info: header.u32(44, what)?,
            align: header.u64(48, what)?,
            entry_size: header.u64(56, what)?,
        };
        Ok((section, header.u32(0, what)?))
    }

    /// The 64 bytes, with the given offset into the name table.
    pub(crate) fn encode(&self, name: u32, out: &mut Vec<u8>) {
        out.extend(name.to_le_bytes());
        out.extend(self.kind.to_le_bytes());
        let words = [self.flags, self.address, self.offset, self.size];
        out.extend(words.into_iter().flat_map(u64::to_le_bytes));
        out.extend(self.link.to_le_bytes());
        out.extend(self.info.to_le_bytes());
        out.extend(self.align.to_le_bytes());
        out.extend(self.entry_size.to_le_bytes());
    }

    /// Whether the section takes memory when loaded.
    pub fn is_alloc(&self) -> bool {
        self.flags & shf::ALLOC != 0
    }

    /// Bytes in the file: none for [`sht::NOBITS`].
    pub fn file_size(&self) -> u64 {
        if self.kind == sht::NOBITS || self.kind == sht::NULL { 0 } else { self.size }
    }
}

impl Segment {
    /// Reads one program header.
    pub(crate) fn parse(header: Bytes<'_>) -> Result<Segment, Error> {
        let what = "a program header";
        Ok(Segment {
            kind: header.u32(0, what)?,
            flags: header.u32(4, what)?,
            offset: header.u64(8, what)?,
            address: header.u64(16, what)?,
            file_size: header.u64(32, what)?,
            memory_size: header.u64(40, what)?,
            align: header.u64(48, what)?,
        })
    }

    /// The 56 bytes.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.kind.to_le_bytes());
        out.extend(self.flags.to_le_bytes());
        let words = [self.offset, self.address, self.address, self.file_size, self.memory_size, self.align];
        out.extend(words.into_iter().flat_map(u64::to_le_bytes));
    }
}

const SHN_LORESERVE: u16 = 0xff00;
const SHN_AMDGPU_LDS: u16 = 0xff00;
const SHN_ABS: u16 = 0xfff1;
const SHN_COMMON: u16 = 0xfff2;

impl Symbol {
    /// Reads one symbol; names come from `strings`.
    pub(crate) fn parse(entry: Bytes<'_>, strings: Bytes<'_>) -> Result<Symbol, Error> {
        let what = "a symbol";
        let name = strings.c_str(u64::from(entry.u32(0, what)?), "a symbol name")?.to_owned();
        let info = entry.u8(4, what)?;
        let place = match entry.u16(6, what)? {
            0 => Place::Undefined,
            SHN_AMDGPU_LDS => Place::Lds,
            SHN_ABS => Place::Absolute,
            SHN_COMMON => Place::Common,
            index if index < SHN_LORESERVE => Place::Section(u32::from(index)),
            other => {
                let offset = entry.at(6);
                return Err(Error::expected(offset, "the section of a symbol", format!("{other:#x}")));
            }
        };
        Ok(Symbol {
            name,
            value: entry.u64(8, what)?,
            size: entry.u64(16, what)?,
            binding: match info >> 4 {
                0 => Binding::Local,
                1 => Binding::Global,
                2 => Binding::Weak,
                other => Binding::Other(other),
            },
            kind: match info & 15 {
                0 => SymbolType::NoType,
                1 => SymbolType::Object,
                2 => SymbolType::Func,
                3 => SymbolType::Section,
                4 => SymbolType::File,
                10 => SymbolType::HsaKernel,
                other => SymbolType::Other(other),
            },
            visibility: match entry.u8(5, what)? & 3 {
                0 => Visibility::Default,
                1 => Visibility::Internal,
                2 => Visibility::Hidden,
                _ => Visibility::Protected,
            },
            place,
        })
    }

    /// The 24 bytes, with the given offset into the string table.
    pub(crate) fn encode(&self, name: u32, out: &mut Vec<u8>) {
        let binding = match self.binding {
            Binding::Local => 0,
            Binding::Global => 1,
            Binding::Weak => 2,
            Binding::Other(other) => other & 15,
        };
        let kind = match self.kind {
            SymbolType::NoType => 0,
            SymbolType::Object => 1,
            SymbolType::Func => 2,
            SymbolType::Section => 3,
            SymbolType::File => 4,
            SymbolType::HsaKernel => 10,
            SymbolType::Other(other) => other & 15,
        };
        let section = match self.place {
            Place::Undefined => 0,
            Place::Absolute => SHN_ABS,
            Place::Common => SHN_COMMON,
            Place::Lds => SHN_AMDGPU_LDS,
            Place::Section(index) => index as u16,
        };
        out.extend(name.to_le_bytes());
        out.extend([binding << 4 | kind, self.visibility as u8]);
        out.extend(section.to_le_bytes());
        out.extend(self.value.to_le_bytes());
        out.extend(self.size.to_le_bytes());
    }

    /// Whether it is defined in this file.
    pub fn is_defined(&self) -> bool {
        self.place != Place::Undefined
    }
}

impl Rela {
    /// Reads one relocation.
    pub(crate) fn parse(entry: Bytes<'_>) -> Result<Rela, Error> {
        let what = "a relocation";
        Ok(Rela {
            offset: entry.u64(0, what)?,
            kind: entry.u32(8, what)?,
            symbol: entry.u32(12, what)?,
            addend: entry.u64(16, what)? as i64,
        })
    }

    /// Reads one relocation without addend; the addend is left 0.
    pub(crate) fn parse_rel(entry: Bytes<'_>) -> Result<Rela, Error> {
        let what = "a relocation";
        let (kind, symbol) = (entry.u32(8, what)?, entry.u32(12, what)?);
        Ok(Rela { offset: entry.u64(0, what)?, kind, symbol, addend: 0 })
    }

    /// The 24 bytes.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.offset.to_le_bytes());
        out.extend(self.kind.to_le_bytes());
        out.extend(self.symbol.to_le_bytes());
        out.extend(self.addend.to_le_bytes());
    }
}

/// A string table in the making; equal strings are stored once.
#[derive(Clone, Debug)]
pub(crate) struct StringTable {
    bytes: Vec<u8>,
    offsets: std::collections::HashMap<String, u32>,
}

impl StringTable {
    pub(crate) fn new() -> Self {
        StringTable { bytes: vec![0], offsets: [(String::new(), 0)].into() }
    }

    /// The offset of a string, added if it is new.
    pub(crate) fn add(&mut self, text: &str) -> u32 {
        if let Some(&offset) = self.offsets.get(text) {
            return offset;
        }
        let offset = self.bytes.len() as u32;
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
        self.offsets.insert(text.to_owned(), offset);
        offset
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
