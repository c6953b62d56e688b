//! The nouns of ELF64 that reading, writing and linking share: header, sections, segments, symbols, relocations.
//!
//! Plain data in host types; names are resolved. Numbers are those of the ELF specification and, where the
//! processor or OS ABI defines them, of "ELF Code Object" in LLVM's *User Guide for AMDGPU Backend*.
//! Only what a code object can have is here: ELF64, little-endian. How each noun lies in the file is in `codec`.

mod codec;

pub(crate) use codec::StringTable;

/// `e_machine` of AMD GPUs.
pub const EM_AMDGPU: u16 = 224;
/// `e_type` of a relocatable file.
pub const ET_REL: u16 = 1;
/// `e_type` of a shared object, which is what a linked code object is.
pub const ET_DYN: u16 = 3;
/// `e_type` of a core file.
pub const ET_CORE: u16 = 4;
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
/// Bytes of a relocation whose addend is in the field that it changes.
pub const REL_SIZE: u64 = 16;

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
    pub const LLVM_CALL_GRAPH_PROFILE: u32 = 0x6fff_4c09;
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

/// `e_ident[EI_OSABI]` of code objects: which operating system's conventions they follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum OsAbi {
    /// `ELFOSABI_NONE`: no operating system is said.
    None = 0,
    /// `ELFOSABI_AMDGPU_HSA`: `amdhsa`.
    Hsa = 64,
    /// `ELFOSABI_AMDGPU_PAL`: `amdpal`.
    Pal = 65,
    /// `ELFOSABI_AMDGPU_MESA3D`: `mesa3d`.
    Mesa3d = 66,
}

impl OsAbi {
    /// The OS ABI of a byte.
    pub fn by_byte(byte: u8) -> Option<OsAbi> {
        [OsAbi::None, OsAbi::Hsa, OsAbi::Pal, OsAbi::Mesa3d].into_iter().find(|&abi| abi as u8 == byte)
    }

    /// The name of the operating system in target triples; empty if there is none.
    pub fn name(self) -> &'static str {
        match self {
            OsAbi::None => "",
            OsAbi::Hsa => "amdhsa",
            OsAbi::Pal => "amdpal",
            OsAbi::Mesa3d => "mesa3d",
        }
    }
}

/// The file header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// `e_ident[EI_OSABI]`, see [`OsAbi`].
    pub os_abi: u8,
    /// `e_machine`: [`EM_AMDGPU`], or in a core file perhaps the host's.
    pub machine: u16,
    /// `e_ident[EI_ABIVERSION]`.
    pub abi_version: u8,
    /// [`ET_REL`], [`ET_DYN`] or [`ET_CORE`].
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
    /// `STT_AMDGPU_HSA_KERNEL`: a kernel of code object V2.
    HsaKernel,
    /// Something else.
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

/// A relocation. Where the file has the addend in the field (`SHT_REL`), it was read from there.
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
