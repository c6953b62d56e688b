//! The index of the table files, which the build script makes (`build.rs`): where each row stands, which rows a name
//! and which an opcode means on each machine, and the formats. Rows themselves are read from their lines when they
//! are first asked for, so that starting costs nothing.

use wavemark_target::InstructionSets;
use wavemark_target::names::slot;

use super::read::Part::{self, *};
use super::read::Place;
use crate::Form::*;
use crate::format::Addressing::*;
use crate::format::Family::*;
use crate::format::{Field, Format};
use crate::meaning::Meaning;
use crate::row::RowId;

/// Where a row stands, and the instruction sets that have it.
pub(super) struct RowIndex {
    sets: u32,
    meaning: u16,
    file: u8,
    line: u16,
    offset: u32,
    member: u8,
    group: u8,
    part: Part,
}

impl RowIndex {
    /// The instruction sets that have the row.
    pub(super) fn sets(&self) -> InstructionSets {
        InstructionSets::from_bits(self.sets)
    }

    /// The key of what it computes.
    pub(super) fn meaning(&self) -> Meaning {
        Meaning::numbered(self.meaning)
    }

    /// Where it stands.
    pub(super) fn place(&self) -> Place {
        Place {
            file: self.file.into(),
            line: self.line.into(),
            offset: self.offset as usize,
            member: self.member.into(),
            group: self.group.into(),
            part: self.part,
        }
    }
}

/// What decoding on machines of some instruction sets needs.
#[derive(Debug)]
pub(super) struct MachineIndex {
    sets: u32,
    /// The formats in the order in which they are tried.
    pub(super) formats: &'static [FormatIndex],
    /// By the top 9 bits of dword 0: where in [`PREFIXES`] are the formats to try. Numbers and not slices, which the
    /// loader would have to write to memory each time the program starts.
    prefixes: &'static [u16; 512],
    /// Numbers of the rows.
    pub(super) rows: &'static [RowId],
}

impl MachineIndex {
    /// Numbers of the formats that code with these top 9 bits of dword 0 may be in.
    #[inline]
    pub(super) fn formats_with(&self, prefix: u32) -> &'static [u8] {
        PREFIXES[usize::from(self.prefixes[prefix as usize])]
    }
}

/// The opcodes of a format.
#[derive(Debug)]
pub(super) struct FormatIndex {
    pub(super) format: &'static Format,
    pub(super) mask: u128,
    pub(super) value: u128,
    /// By opcode: where in [`CANDIDATES`] the candidates begin, and how many there are in the low 8 bits.
    opcodes: &'static [u32],
}

impl FormatIndex {
    /// Row numbers and encoding numbers that have the opcode, the most specific first.
    #[inline]
    pub(super) fn candidates(&self, opcode: u32) -> &'static [(u16, u8)] {
        let Some(&entry) = self.opcodes.get(opcode as usize) else { return &[] };
        let start = (entry >> 8) as usize;
        &CANDIDATES[start..start + (entry & 0xff) as usize]
    }
}

/// The index of machines of these instruction sets.
pub(super) fn machine(sets: InstructionSets) -> Option<&'static MachineIndex> {
    MACHINES.iter().find(|machine| machine.sets == sets.bits())
}

/// Numbers of the rows that are called `name` on any machine.
pub(super) fn rows_called(name: &str) -> &'static [u16] {
    let mut at = slot(name, NAME_SLOTS.len());
    while let Some(number) = NAME_SLOTS[at].checked_sub(1) {
        let entry = NAMES[usize::from(number)];
        let (_, _, start, count) = entry;
        if name_of(entry) == name {
            return &NAME_ROWS[usize::from(start)..][..usize::from(count)];
        }
        at = (at + 1) % NAME_SLOTS.len();
    }
    &[]
}

/// All names, in order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|&entry| name_of(entry))
}

/// The name of an entry: where it stands in [`NAME_TEXT`], and how long it is.
fn name_of((at, length, ..): (u32, u8, u16, u8)) -> &'static str {
    &NAME_TEXT[at as usize..][..usize::from(length)]
}

include!(concat!(env!("OUT_DIR"), "/index.rs"));
