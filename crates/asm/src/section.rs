//! The sections of one assembly: their bytes, and what is still to be filled in.
//!
//! A subsection (`.subsection 2`) is a section of its own until [`crate::layout`] appends it to its parent. Bytes whose
//! number depends on symbols that come later are a [`Gap`]: one byte holds the place until the layout is known. Offsets
//! of symbols and values are those before that; [`Sections::place`] gives the final ones.

use rustc_hash::FxHashMap;
use wavemark_diag::Span;

use crate::expr::Expr;
use crate::symbol::SymbolId;

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

/// What decides how many bytes a gap has.
#[derive(Clone, Debug)]
pub(crate) enum GapKind {
    /// Up to a multiple of `to`, unless that takes more than `most`.
    Align { to: u64, most: Option<u64>, fill: AlignFill },
    /// Up to an offset of the section.
    Org { target: Expr, value: u8 },
    /// `count` times the first `size` bytes of `pattern`.
    Fill { count: Expr, pattern: [u8; 8], size: u8 },
    /// A number in LEB128.
    Leb { value: Expr, signed: bool },
}

/// What fills the space before an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AlignFill {
    /// `s_nop 0`, after zeros up to a whole instruction.
    Code,
    /// The low `width` bytes of `value`, after zeros up to a multiple of it.
    Value { value: i64, width: u8 },
}

/// Bytes whose number is not known where they stand; the byte at `offset` holds their place.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    pub offset: u64,
    pub kind: GapKind,
    pub span: Span,
    /// Its bytes, once the layout is known.
    pub size: u64,
    /// Bytes that all gaps up to this one add to the offsets after it, which may be negative by one each.
    pub shift: i64,
}

/// A section group that the linker keeps or drops as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub signature: SymbolId,
    pub comdat: bool,
}

/// What tells a section from others of its name, as `.section` says it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes {
    /// The turn of the section's symbol.
    pub rank: u32,
    pub kind: u32,
    pub flags: u64,
    pub entry_size: u64,
    pub group: Option<Group>,
    /// The section that the flag `o` names; `Some(None)` where it names none.
    pub linked_to: Option<Option<SectionId>>,
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
    /// In the order of offsets.
    pub gaps: Vec<Gap>,
    /// Of a subsection: what it belongs to, and its number.
    pub part_of: Option<(SectionId, u32)>,
    /// Where a subsection begins in what it belongs to, once that is known.
    pub base: u64,
    pub group: Option<Group>,
    pub linked_to: Option<Option<SectionId>>,
    /// The turn of its own symbol: before the symbol of this rank.
    pub rank: u32,
}

impl Section {
    /// The final offset of `offset`.
    fn settled(&self, offset: u64) -> u64 {
        let before = self.gaps.partition_point(|gap| gap.offset < offset);
        let shift = before.checked_sub(1).and_then(|last| self.gaps.get(last)).map_or(0, |gap| gap.shift);
        self.base.wrapping_add(offset).wrapping_add_signed(shift)
    }
}

/// The sections in the order of their first mention.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    all: Vec<Section>,
    by_name: FxHashMap<String, SectionId>,
    parts: FxHashMap<(SectionId, u32), SectionId>,
    /// Whether any section is one of several parts or has a gap.
    pub unsettled: bool,
    /// Whether the sizes of gaps are known.
    pub settled: bool,
}

impl Sections {
    /// The section of this key, which is its name unless several sections share one.
    pub fn open_as(&mut self, key: &str, name: &str, attributes: Attributes) -> SectionId {
        if let Some(&id) = self.by_name.get(key) {
            return id;
        }
        // As in LLVM, only the first section starts out with the alignment of code.
        let align = if self.all.is_empty() { 4 } else { 1 };
        let id = self.push(Section {
            name: name.to_owned(),
            kind: attributes.kind,
            flags: attributes.flags,
            entry_size: attributes.entry_size,
            align,
            bytes: Vec::new(),
            fixups: Vec::new(),
            gaps: Vec::new(),
            part_of: None,
            base: 0,
            group: attributes.group,
            linked_to: attributes.linked_to,
            rank: attributes.rank,
        });
        self.by_name.insert(key.to_owned(), id);
        id
    }

    /// The subsection `number` of the section that `id` is or belongs to.
    pub fn subsection(&mut self, id: SectionId, number: u32) -> SectionId {
        let parent = self.whole(id);
        if number == 0 {
            return parent;
        }
        if let Some(&id) = self.parts.get(&(parent, number)) {
            return id;
        }
        self.unsettled = true;
        let whole = self.get(parent);
        let part = Section {
            name: whole.name.clone(),
            bytes: Vec::new(),
            fixups: Vec::new(),
            gaps: Vec::new(),
            part_of: Some((parent, number)),
            base: 0,
            group: whole.group.clone(),
            ..*whole
        };
        let id = self.push(part);
        self.parts.insert((parent, number), id);
        id
    }

    fn push(&mut self, section: Section) -> SectionId {
        let id = SectionId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(section);
        id
    }

    /// The section that `id` is or belongs to.
    pub fn whole(&self, id: SectionId) -> SectionId {
        self.get(id).part_of.map_or(id, |(parent, _)| parent)
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

    /// All sections with their ids, subsections too.
    pub fn iter(&self) -> impl Iterator<Item = (SectionId, &Section)> {
        (0..self.all.len() as u32).map(SectionId).zip(&self.all)
    }

    /// Those that are no part of another.
    pub fn wholes(&self) -> impl Iterator<Item = (SectionId, &Section)> {
        self.iter().filter(|(_, section)| section.part_of.is_none())
    }

    /// Whether a place of this section may still move.
    pub fn is_loose(&self, id: SectionId) -> bool {
        let section = self.get(id);
        section.part_of.is_some() || !section.gaps.is_empty()
    }

    /// Where a place is: final once the layout is known.
    pub fn place(&self, section: SectionId, offset: u64) -> (SectionId, u64) {
        if !self.unsettled || !self.settled {
            return (section, offset);
        }
        (self.whole(section), self.get(section).settled(offset))
    }

    /// `to - from`, if that is known now.
    pub fn distance(&self, to: (SectionId, u64), from: (SectionId, u64)) -> Option<i64> {
        let (section, offset) = self.place(to.0, to.1);
        let (other, base) = self.place(from.0, from.1);
        if section != other {
            return None;
        }
        if self.unsettled && !self.settled {
            let (low, high) = (offset.min(base), offset.max(base));
            if self.get(section).gaps.iter().any(|gap| (low..high).contains(&gap.offset)) {
                return None;
            }
        }
        Some((offset as i64).wrapping_sub(base as i64))
    }
}
