//! Source lines: which file, line and column an address of the code belongs to.
//!
//! Reads `.debug_line` (DWARF 2 to 5) with gimli, once, into a table sorted by address, and with it where inlined code was
//! called. In a relocatable file the
//! relocations of the debug sections are applied and addresses are offsets into the section of the code; if there
//! are several such sections, their addresses cannot be told apart. The compilation directory is not
//! looked up, so names are as the line table has them.

mod inlined;

use std::cell::Cell;
use std::collections::HashMap;

use gimli::{DebugLineOffset, LittleEndian};

use crate::dwarf::DebugSections;
use crate::dwarf::sections::Slice;
use crate::error::{Error, ErrorKind};
use crate::read::CodeObject;
pub use inlined::Call;
use inlined::FirstFile;

/// Addresses to source lines.
#[derive(Clone, Debug, Default)]
pub struct LineTable {
    /// Names of the files.
    pub files: Vec<String>,
    /// The rows by address; they do not overlap.
    pub rows: Vec<Row>,
    /// Calls that were inlined, the deepest first.
    pub calls: Vec<Call>,
}

/// A range of addresses that belongs to one place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// First address.
    pub start: u64,
    /// The address after the last.
    pub end: u64,
    /// Index into [`LineTable::files`].
    pub file: usize,
    /// Line from 1; 0 if it belongs to no line.
    pub line: u32,
    /// Column from 1; 0 if unknown.
    pub column: u32,
}

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLine<'a> {
    /// Name of the file.
    pub file: &'a str,
    /// Line from 1; 0 if it belongs to no line.
    pub line: u32,
    /// Column from 1; 0 if unknown.
    pub column: u32,
}

impl LineTable {
    /// Builds the table of a code object; empty if it has no line table.
    pub fn build(object: &CodeObject) -> Result<LineTable, Error> {
        let wanted = [
            ".debug_line",
            ".debug_str",
            ".debug_line_str",
            ".debug_info",
            ".debug_abbrev",
            ".debug_ranges",
            ".debug_rnglists",
            ".debug_addr",
        ];
        let sections = DebugSections::read_those(object, |name| wanted.contains(&name))?;
        let offset = sections.offset(".debug_line");
        let strings = Strings {
            debug_str: gimli::DebugStr::new(sections.data(".debug_str"), LittleEndian),
            debug_line_str: gimli::DebugLineStr::new(sections.data(".debug_line_str"), LittleEndian),
            // Names may share bytes, but a file with more of them than bytes squared is no file of ours.
            budget: Cell::new(object.bytes().len().saturating_mul(8)),
        };
        let mut table = LineTable::default();
        let mut programs = HashMap::new();
        table.read(sections.data(".debug_line"), &strings, &mut programs).map_err(|(at, e)| Error {
            offset: offset + at as u64,
            kind: ErrorKind::Expected { expected: "a DWARF line table".to_owned(), found: e.to_string() },
        })?;
        table.rows.sort_by_key(|row| (row.start, row.end));
        table.calls = inlined::calls(&sections.dwarf(), &programs, object.bytes().len() / 8);
        Ok(table)
    }

    /// The place of an address.
    pub fn lookup(&self, address: u64) -> Option<SourceLine<'_>> {
        let after = self.rows.partition_point(|row| row.start <= address);
        let row = self.rows.get(after.checked_sub(1)?)?;
        let file = self.files.get(row.file)?;
        (address < row.end).then_some(SourceLine { file, line: row.line, column: row.column })
    }

    /// Where the code at an address was called, if it was inlined: the innermost call first.
    pub fn callers(&self, address: u64) -> impl Iterator<Item = SourceLine<'_>> {
        let inlined = self.calls.iter().filter(move |call| (call.start..call.end).contains(&address));
        inlined.filter_map(|call| {
            let file = self.files.get(call.file)?;
            Some(SourceLine { file, line: call.line, column: call.column })
        })
    }

    /// Reads every line program, and notes which files each one has; errors come with their offset.
    fn read(
        &mut self,
        bytes: &[u8],
        strings: &Strings<'_>,
        programs: &mut HashMap<usize, FirstFile>,
    ) -> Result<(), (usize, gimli::Error)> {
        let section = gimli::DebugLine::new(bytes, LittleEndian);
        let mut at = 0;
        while at < bytes.len() {
            let fail = |e| (at, e);
            let program = section.program(DebugLineOffset(at), 8, None, None).map_err(fail)?;
            let header = program.header();
            let length_size = header.encoding().format.initial_length_size() as usize;
            let next = at.saturating_add(length_size).saturating_add(header.unit_length());
            let first_number = u64::from(header.version() < 5);
            programs.insert(at, (self.files.len(), first_number));
            self.read_program(program, strings).map_err(fail)?;
            if next <= at {
                break;
            }
            at = next;
        }
        Ok(())
    }

    fn read_program(
        &mut self,
        program: gimli::IncompleteLineProgram<Slice<'_>>,
        strings: &Strings<'_>,
    ) -> Result<(), gimli::Error> {
        let first = self.files.len();
        let header = program.header();
        let version = header.version();
        for file in header.file_names() {
            let name = strings.text(file.path_name())?;
            // Directory 0 of DWARF 4 and before is the compilation directory, which is not said here.
            let directory = match file.directory(header) {
                Some(directory) if version >= 5 || file.directory_index() != 0 => strings.text(directory)?,
                _ => String::new(),
            };
            let is_plain = directory.is_empty() || directory == "." || name.starts_with('/');
            self.files.push(if is_plain { name } else { format!("{directory}/{name}") });
        }
        let mut rows = program.rows();
        let mut open: Option<Row> = None;
        while let Some((_, row)) = rows.next_row()? {
            if let Some(previous) = open.take()
                && previous.start < row.address()
            {
                self.rows.push(Row { end: row.address(), ..previous });
            }
            if row.end_sequence() {
                continue;
            }
            let index = row.file_index().saturating_sub(u64::from(version < 5));
            open = Some(Row {
                start: row.address(),
                end: 0,
                file: first.saturating_add(usize::try_from(index).unwrap_or(usize::MAX)),
                line: row.line().map_or(0, |line| u32::try_from(line.get()).unwrap_or(u32::MAX)),
                column: match row.column() {
                    gimli::ColumnType::LeftEdge => 0,
                    gimli::ColumnType::Column(column) => u32::try_from(column.get()).unwrap_or(u32::MAX),
                },
            });
        }
        Ok(())
    }
}

struct Strings<'a> {
    debug_str: gimli::DebugStr<Slice<'a>>,
    debug_line_str: gimli::DebugLineStr<Slice<'a>>,
    budget: Cell<usize>,
}

impl<'a> Strings<'a> {
    fn text(&self, value: gimli::AttributeValue<Slice<'a>>) -> Result<String, gimli::Error> {
        let slice = match value {
            gimli::AttributeValue::String(slice) => slice,
            gimli::AttributeValue::DebugStrRef(offset) => self.debug_str.get_str(offset)?,
            gimli::AttributeValue::DebugLineStrRef(offset) => self.debug_line_str.get_str(offset)?,
            _ => return Err(gimli::Error::ExpectedStringAttributeValue),
        };
        match self.budget.get().checked_sub(slice.len()) {
            Some(rest) => self.budget.set(rest),
            None => return Err(gimli::Error::UnsupportedOffset),
        }
        Ok(slice.to_string_lossy().into_owned())
    }
}
