//! The line table of an object: a DWARF 4 line program, from `.loc` where the text has it, else from the lines
//! of the text itself.
//!
//! Follows section 6.2 of the DWARF 4 standard. Rows are written without special opcodes, so tables are larger
//! than need be. A text that has a line table of its own as data gets none.

use crate::assembler::Assembler;
use crate::directive::{write_sleb128, write_uleb128};
use crate::section::SectionId;

/// The section of line tables.
pub(crate) const SECTION: &str = ".debug_line";

/// A line table, and where addresses go into it.
pub(crate) struct LineTable {
    pub bytes: Vec<u8>,
    /// Bytes of the table that get the address of an offset of a section.
    pub addresses: Vec<(u64, SectionId, u64)>,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    section: SectionId,
    offset: u64,
    file: u64,
    line: u64,
    column: u64,
    is_stmt: bool,
    prologue_end: bool,
}

mod opcode {
    //! `DW_LNS_*` and `DW_LNE_*`.
    pub const EXTENDED: u8 = 0;
    pub const COPY: u8 = 1;
    pub const ADVANCE_PC: u8 = 2;
    pub const ADVANCE_LINE: u8 = 3;
    pub const SET_FILE: u8 = 4;
    pub const SET_COLUMN: u8 = 5;
    pub const NEGATE_STMT: u8 = 6;
    pub const SET_PROLOGUE_END: u8 = 10;
    pub const END_SEQUENCE: u8 = 1;
    pub const SET_ADDRESS: u8 = 2;
}

/// The line table of an assembly whose text is called `name`; none when there is nothing to say.
pub(crate) fn build(assembler: &Assembler<'_>, name: &str) -> Option<LineTable> {
    let own = assembler.sections.find(SECTION);
    if own.is_some_and(|section| !assembler.sections.get(section).bytes.is_empty()) {
        return None;
    }
    let (files, rows) = if assembler.debug.rows.is_empty() {
        // A text with debugging information but without lines means that.
        if own.is_some() {
            return None;
        }
        text_rows(assembler, name)
    } else {
        debug_rows(assembler)
    };
    (!rows.is_empty()).then(|| encode(assembler, &files, rows))
}

/// Directory and name of each file from number 1 on, and the rows of `.loc`.
fn debug_rows(assembler: &Assembler<'_>) -> (Vec<(String, String)>, Vec<Row>) {
    let highest = assembler.debug.files.iter().map(|file| file.number).max().unwrap_or(0);
    // Numbers are usually 1 to n; with holes or a file 0 they are given anew.
    let dense = highest as usize == assembler.debug.files.len();
    let mut files = assembler.debug.files.clone();
    files.sort_by_key(|file| file.number);
    let number = |file: u64| {
        if dense {
            return file;
        }
        files.iter().position(|known| known.number == file).map_or(1, |index| index as u64 + 1)
    };
    let rows = assembler.debug.rows.iter().map(|row| Row {
        section: row.section,
        offset: row.offset,
        file: number(row.at.file),
        line: row.at.line,
        column: row.at.column,
        is_stmt: row.at.is_stmt,
        prologue_end: row.at.prologue_end,
    });
    let rows = rows.collect();
    (files.into_iter().map(|file| (file.directory, file.name)).collect(), rows)
}

/// The text as the only file, and a row for each instruction.
fn text_rows(assembler: &Assembler<'_>, name: &str) -> (Vec<(String, String)>, Vec<Row>) {
    let rows = assembler.lines.iter().map(|line| Row {
        section: SectionId(line.section),
        offset: line.offset,
        file: 1,
        line: line.line.into(),
        column: line.column.into(),
        is_stmt: true,
        prologue_end: false,
    });
    (vec![(String::new(), name.replace('\0', ""))], rows.collect())
}

fn encode(assembler: &Assembler<'_>, files: &[(String, String)], mut rows: Vec<Row>) -> LineTable {
    let mut table = LineTable { bytes: header(files), addresses: Vec::new() };
    rows.sort_by_key(|row| (row.section, row.offset));
    for sequence in rows.chunk_by(|a, b| a.section == b.section) {
        table.sequence(sequence);
        if let Some(last) = sequence.last() {
            let end = assembler.sections.get(last.section).bytes.len() as u64;
            table.bytes.push(opcode::ADVANCE_PC);
            write_uleb128(&mut table.bytes, end.saturating_sub(last.offset));
            table.bytes.extend([opcode::EXTENDED, 1, opcode::END_SEQUENCE]);
        }
    }
    let length = (table.bytes.len() - 4) as u32;
    table.bytes[..4].copy_from_slice(&length.to_le_bytes());
    table
}

/// The program's header; its first 4 bytes, the length, are left 0.
fn header(files: &[(String, String)]) -> Vec<u8> {
    let mut directories: Vec<&str> = Vec::new();
    for (directory, _) in files {
        if !directory.is_empty() && !directories.contains(&directory.as_str()) {
            directories.push(directory);
        }
    }
    // After the header's own length: instruction unit, operations, statement default, line base and range,
    // first special opcode and the operand counts of those before.
    let mut rest = vec![1, 1, 1, -5i8 as u8, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
    let string = |rest: &mut Vec<u8>, text: &str| {
        rest.extend(text.bytes().filter(|&byte| byte != 0));
        rest.push(0);
    };
    for directory in &directories {
        string(&mut rest, directory);
    }
    rest.push(0);
    for (directory, name) in files {
        string(&mut rest, if name.is_empty() { "?" } else { name });
        let index =
            directories.iter().position(|known| known == directory).map_or(0, |index| index as u64 + 1);
        write_uleb128(&mut rest, index);
        // Neither time nor size is known.
        rest.extend([0, 0]);
    }
    rest.push(0);
    let mut bytes = vec![0; 4];
    bytes.extend(4u16.to_le_bytes());
    bytes.extend((rest.len() as u32).to_le_bytes());
    bytes.extend(rest);
    bytes
}

impl LineTable {
    /// The sections whose addresses are in it.
    pub fn sections(&self) -> Vec<SectionId> {
        self.addresses.iter().map(|&(_, section, _)| section).collect()
    }

    /// The rows of one section, up to its end, which is left to the caller.
    fn sequence(&mut self, rows: &[Row]) {
        let Some(first) = rows.first() else { return };
        self.bytes.extend([opcode::EXTENDED, 9, opcode::SET_ADDRESS]);
        self.addresses.push((self.bytes.len() as u64, first.section, first.offset));
        self.bytes.extend([0; 8]);
        let (mut offset, mut file, mut line, mut column, mut is_stmt) = (first.offset, 1, 1u64, 0, true);
        for row in rows {
            if row.file != file {
                self.number(opcode::SET_FILE, row.file);
            }
            if row.column != column {
                self.number(opcode::SET_COLUMN, row.column);
            }
            if row.is_stmt != is_stmt {
                self.bytes.push(opcode::NEGATE_STMT);
            }
            if row.prologue_end {
                self.bytes.push(opcode::SET_PROLOGUE_END);
            }
            if row.offset != offset {
                self.number(opcode::ADVANCE_PC, row.offset - offset);
            }
            if row.line != line {
                self.bytes.push(opcode::ADVANCE_LINE);
                write_sleb128(&mut self.bytes, (row.line as i64).wrapping_sub(line as i64));
            }
            self.bytes.push(opcode::COPY);
            (offset, file, line, column, is_stmt) = (row.offset, row.file, row.line, row.column, row.is_stmt);
        }
    }

    fn number(&mut self, opcode: u8, value: u64) {
        self.bytes.push(opcode);
        write_uleb128(&mut self.bytes, value);
    }
}
