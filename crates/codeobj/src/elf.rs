//! The nouns of ELF64 that reading, writing and linking share: header, sections, segments, symbols, relocations.
//!
//! Plain data in host types; names are resolved. Numbers are those of the ELF specification and, where the
//! processor or OS ABI defines them, of "ELF Code Object" in LLVM's *User Guide for AMDGPU Backend*.
//! Only what a code object can have is here: ELF64, little-endian.

use crate::bytes::Bytes;
use crate::error::Error;

/// `e_machine` of AMD GPUs.
pub const EM_AMDGPU: u16 = 224;
/// `e_ident[EI_OSABI]` of HSA code objects.
pub const ELFOSABI_AMDGPU_HSA: u8 = 64;
/// `e_type` of a relocatable file.
pub const ET_REL: u16 = 1;
/// `e_type` of a shared object, which is what a linked code object is.
pub const ET_DYN: u16 = 3;
/// Bytes of the file header.
pub const HEADER_SIZE: u64 = 64;
/// Bytes of a section header.
pub const SECTION_HEADER_SIZE: u64 = 64;
/// Bytes of a program header.
pub const PROGRAM_HEADER_SIZE: u64 = 56;
/// Bytes of a symbol.
pub const SYMBOL_SIZE: u64 = 24;
/// Bytes of a relocation with addend.
pub const RELA_SIZE: u64 = 24;

/// Section types (`sh_type`).
pub mod sht {
    #![allow(missing_docs)]
    pub const NULL: u32 = 0;
    pub const PROGBITS: u32 = 1;
    pub const SYMTAB: u32 = 2;
    pub const STRTAB: u32 = 3;
    pub const RELA: u32 = 4;
    pub const HASH: u32 = 5;
    pub const DYNAMIC: u32 = 6;
    pub const NOTE: u32 = 7;
    pub const NOBITS: u32 = 8;
    pub const REL: u32 = 9;
    pub const DYNSYM: u32 = 11;
    pub const INIT_ARRAY: u32 = 14;
    pub const FINI_ARRAY: u32 = 15;
    pub const GROUP: u32 = 17;
    pub const SYMTAB_SHNDX: u32 = 18;
    pub const RELR: u32 = 19;
    pub const GNU_HASH: u32 = 0x6fff_fff6;
    pub const LLVM_ADDRSIG: u32 = 0x6fff_4c03;
}

/// Section flags (`sh_flags`).
pub mod shf {
    #![allow(missing_docs)]
    pub const WRITE: u64 = 1;
    pub const ALLOC: u64 = 2;
    pub const EXECINSTR: u64 = 4;
    pub const MERGE: u64 = 0x10;
    pub const STRINGS: u64 = 0x20;
    pub const INFO_LINK: u64 = 0x40;
    pub const GROUP: u64 = 0x200;
    pub const TLS: u64 = 0x400;
    pub const COMPRESSED: u64 = 0x800;
    pub const EXCLUDE: u64 = 0x8000_0000;
}

/// Segment types (`p_type`).
pub mod pt {
    #![allow(missing_docs)]
    pub const LOAD: u32 = 1;
    pub const DYNAMIC: u32 = 2;
    pub const NOTE: u32 = 4;
    pub const PHDR: u32 = 6;
    pub const GNU_STACK: u32 = 0x6474_e551;
    pub const GNU_RELRO: u32 = 0x6474_e552;
}

/// Segment flags (`p_flags`).
pub mod pf {
    #![allow(missing_docs)]
    pub const X: u32 = 1;
    pub const W: u32 = 2;
    pub const R: u32 = 4;
}

/// Dynamic tags (`d_tag`).
pub mod dt {
    #![allow(missing_docs)]
    pub const NULL: u64 = 0;
    pub const HASH: u64 = 4;
    pub const STRTAB: u64 = 5;
    pub const SYMTAB: u64 = 6;
    pub const RELA: u64 = 7;
    pub const RELASZ: u64 = 8;
    pub const RELAENT: u64 = 9;
    pub const STRSZ: u64 = 10;
    pub const SYMENT: u64 = 11;
    pub const TEXTREL: u64 = 22;
    pub const RELACOUNT: u64 = 0x6fff_fff9;
    pub const GNU_HASH: u64 = 0x6fff_fef5;
}

/// The file header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// `e_ident[EI_ABIVERSION]`.
    pub abi_version: u8,
    /// [`ET_REL`] or [`ET_DYN`].
    pub file_type: u16,
    /// `e_flags`.
    pub flags: u32,
    /// `e_entry`; code objects leave it 0.
    pub entry: u64,
    /// File offset of the program headers.
    pub program_headers: u64,
    /// How many there are.
    pub program_header_count: u16,
    /// File offset of the section headers.
    pub section_headers: u64,
    /// How many there are.
    pub section_count: u16,
    /// Index of the section with the section names.
    pub section_names: u16,
}

/// A section header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Name.
    pub name: String,
    /// `sh_type`, see [`sht`].
    pub kind: u32,
    /// `sh_flags`, see [`shf`].
    pub flags: u64,
    /// Virtual address in a linked file.
    pub address: u64,
    /// File offset.
    pub offset: u64,
    /// Bytes, in memory for [`sht::NOBITS`].
    pub size: u64,
    /// `sh_link`.
    pub link: u32,
    /// `sh_info`.
    pub info: u32,
    /// `sh_addralign`; 0 and 1 mean none.
    pub align: u64,
    /// `sh_entsize`.
    pub entry_size: u64,
}

/// A program header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// `p_type`, see [`pt`].
    pub kind: u32,
    /// `p_flags`, see [`pf`].
    pub flags: u32,
    /// File offset.
    pub offset: u64,
    /// Virtual address.
    pub address: u64,
    /// Bytes in the file.
    pub file_size: u64,
    /// Bytes in memory.
    pub memory_size: u64,
    /// Alignment.
    pub align: u64,
}

/// Who sees a symbol (`STB_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binding {
    /// This file.
    Local,
    /// All files.
    Global,
    /// All files, and a global definition wins.
    Weak,
    /// Something else.
    Other(u8),
}

/// What a symbol names (`STT_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolType {
    /// Nothing in particular.
    NoType,
    /// Data; kernel descriptors have this type.
    Object,
    /// Code.
    Func,
    /// A section.
    Section,
    /// A source file.
    File,
    /// Something else; 10 is `STT_AMDGPU_HSA_KERNEL` of V2.
    Other(u8),
}

/// How far a symbol is visible beyond the linked file (`STV_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// As its binding says.
    Default,
    /// Not even by a loader.
    Internal,
    /// Not beyond the linked file.
    Hidden,
    /// Visible, but not replaceable.
    Protected,
}

/// Where a symbol is defined (`st_shndx`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Elsewhere.
    Undefined,
    /// Its value is not an address.
    Absolute,
    /// To be allocated by the linker; the value is the alignment.
    Common,
    /// `SHN_AMDGPU_LDS`: to be allocated in LDS by the linker; the value is the alignment.
    Lds,
    /// In the section of this index.
    Section(u32),
}

/// A symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name, possibly empty.
    pub name: String,
    /// Offset into the section (relocatable file) or virtual address (linked file).
    pub value: u64,
    /// Bytes.
    pub size: u64,
    /// Binding.
    pub binding: Binding,
    /// Type.
    pub kind: SymbolType,
    /// Visibility.
    pub visibility: Visibility,
    /// Where it is.
    pub place: Place,
}

/// A relocation with addend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rela {
    /// Offset into the section (relocatable file) or virtual address (linked file).
    pub offset: u64,
    /// Number of the type, see [`crate::RelocationKind`].
    pub kind: u32,
    /// Index of the symbol; 0 for none.
    pub symbol: u32,
    /// Addend.
    pub addend: i64,
}

impl Header {
    /// Reads the header at the start of a file and checks that it is an AMDHSA code object's.
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
        match ident.u8(7, "the OS ABI")? {
            ELFOSABI_AMDGPU_HSA => {}
            65 => return Err(Error::unsupported(7, "the OS ABI amdpal")),
            66 => return Err(Error::unsupported(7, "the OS ABI mesa3d")),
            other => return Err(Error::expected(7, "64 (ELFOSABI_AMDGPU_HSA)", other.to_string())),
        }
        let what = "the ELF header";
        let header = file.part(0, HEADER_SIZE, what)?;
        let machine = header.u16(18, what)?;
        if machine != EM_AMDGPU {
            return Err(Error::expected(18, "224 (EM_AMDGPU)", machine.to_string()));
        }
        let file_type = header.u16(16, what)?;
        if file_type != ET_REL && file_type != ET_DYN {
            return Err(Error::expected(16, "1 (ET_REL) or 3 (ET_DYN)", file_type.to_string()));
        }
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
            abi_version: header.u8(8, what)?,
            file_type,
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
        let mut out = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, ELFOSABI_AMDGPU_HSA, self.abi_version];
        out.resize(16, 0);
        out.extend(self.file_type.to_le_bytes());
        out.extend(EM_AMDGPU.to_le_bytes());
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
