//! The sections of one assembly: their bytes, and the values still to be filled in.

use rustc_hash::FxHashMap;
use wavemark_codeobj::elf::shf;
use wavemark_diag::Span;

use crate::expr::Expr;

/// A section of the assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SectionId(pub u32);

/// How a value goes into its bytes, and which relocation it becomes when the linker must finish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FixupKind {
    /// `bytes` little-endian bytes of data: absolute.
    Data { bytes: u8 },
    /// A 32-bit literal of an instruction: relative to its own place unless the expression is a difference or
    /// has an absolute specifier.
    Literal32,
    /// A 64-bit literal of an instruction.
    Literal64,
    /// A number in the low half of an instruction word.
    Absolute16,
    /// The signed 16-bit dword distance of a branch from the next instruction, in the low half of its word.
    Branch,
}

/// A value to be filled in when all symbols are known.
#[derive(Clone, Debug)]
pub(crate) struct Fixup {
    pub offset: u64,
    pub kind: FixupKind,
    pub expr: Expr,
    pub span: Span,
}

/// One section.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub name: String,
    pub kind: u32,
    pub flags: u64,
    pub entry_size: u64,
    pub align: u64,
    pub bytes: Vec<u8>,
    pub fixups: Vec<Fixup>,
}

/// The sections in the order of their first mention.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    all: Vec<Section>,
    by_name: FxHashMap<String, SectionId>,
}

impl Sections {
    /// The section `name`, made with these attributes if there is none.
    pub fn open(&mut self, name: &str, kind: u32, flags: u64, entry_size: u64) -> SectionId {
        self.open_as(name, name, kind, flags, entry_size)
    }

    /// The section of this key, which is its name unless several sections share one.
    pub fn open_as(&mut self, key: &str, name: &str, kind: u32, flags: u64, entry_size: u64) -> SectionId {
        if let Some(&id) = self.by_name.get(key) {
            return id;
        }
        let id = SectionId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        let align = if flags & shf::EXECINSTR != 0 { 4 } else { 1 };
        self.all.push(Section {
            name: name.to_owned(),
            kind,
            flags,
            entry_size,
            align,
            bytes: Vec::new(),
            fixups: Vec::new(),
        });
        self.by_name.insert(key.to_owned(), id);
        id
    }

    /// The section `name`, if it was opened.
    pub fn find(&self, name: &str) -> Option<SectionId> {
        self.by_name.get(name).copied()
    }

    /// The section.
    pub fn get(&self, id: SectionId) -> &Section {
        &self.all[id.0 as usize]
    }

    /// The section, to change it.
    pub fn get_mut(&mut self, id: SectionId) -> &mut Section {
        &mut self.all[id.0 as usize]
    }

    /// All sections with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (SectionId, &Section)> {
        (0..self.all.len() as u32).map(SectionId).zip(&self.all)
    }
}
