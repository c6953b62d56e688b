//! What an assembly makes.

use wavemark_diag::Diagnostic;
use wavemark_target::{AbiVersion, Target};

/// The source line of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// Index into [`Object::sections`].
    pub section: u32,
    /// Where the instruction starts, in bytes of the section.
    pub offset: u64,
    /// Line of the assembly text, from 1. What a macro emits has the line of the macro's use.
    pub line: u32,
    /// Byte of the line where the statement starts, from 1.
    pub column: u32,
}

/// An assembled file.
#[derive(Clone, Debug)]
pub struct Object {
    /// The relocatable ELF file.
    pub elf: Vec<u8>,
    /// Triple and target ID, in the spelling of the file where it says it.
    pub target: Target,
    /// The code object version.
    pub abi: AbiVersion,
    /// The names of the sections, in the order of the ELF file (whose section 0 is none of them).
    pub sections: Vec<String>,
    /// One entry per instruction, in the order of sections and offsets.
    pub lines: Vec<SourceLine>,
    /// The kernels with a descriptor in this file.
    pub kernels: Vec<String>,
    /// What is no error: warnings and advice.
    pub remarks: Vec<Diagnostic>,
}

impl Object {
    /// The source line of the instruction that covers `offset` of the section `name`.
    pub fn line_at(&self, name: &str, offset: u64) -> Option<SourceLine> {
        let section = self.sections.iter().position(|section| section == name)? as u32;
        let end = self.lines.partition_point(|line| (line.section, line.offset) <= (section, offset));
        self.lines.get(end.checked_sub(1)?).copied().filter(|line| line.section == section)
    }
}
