//! Everything that the debug sections say, as text: sections, units, lines and frames.
//!
//! A damaged part is told where it is and the next one read. The text ends where it would be longer than
//! [`MAX_RATIO`] times the file: sections that refer to one another can say more than that.

use std::fmt::{self, Write};

use super::entries::Units;
use super::frames;
use super::sections::DebugSections;
use crate::error::Error;
use crate::lines::LineTable;
use crate::read::CodeObject;

/// How many times the size of the file the text may have.
const MAX_RATIO: usize = 64;
/// What the text of any file may have.
const FREE: usize = 1 << 20;

/// A text that may grow so far.
pub(super) struct Out {
    text: String,
    limit: usize,
}

impl Write for Out {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.text.len().saturating_add(text.len()) > self.limit {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// The text for the debug sections of a code object. An error is a section that cannot be unpacked or relocated.
pub fn inspect_dwarf(object: &CodeObject) -> Result<String, Error> {
    let sections = DebugSections::read(object)?;
    let limit = object.bytes().len().saturating_mul(MAX_RATIO).saturating_add(FREE);
    let mut out = Out { text: String::new(), limit };
    if write_all(&mut out, object, &sections).is_err() {
        out.text.push_str("\n… the rest is left out: it is much longer than the file\n");
    }
    Ok(out.text)
}

fn write_all(out: &mut Out, object: &CodeObject, sections: &DebugSections) -> fmt::Result {
    if sections.sections.is_empty() {
        return writeln!(out, "no debug sections");
    }
    writeln!(out, "debug sections:\n  offset     size       name")?;
    for (name, offset, contents) in &sections.sections {
        writeln!(out, "  {offset:#010x} {:#010x} {name}", contents.len())?;
    }
    Units::new(&sections.dwarf()).write(out)?;
    lines(out, object)?;
    frames::write(out, sections)
}

fn lines(out: &mut Out, object: &CodeObject) -> fmt::Result {
    let table = match LineTable::build(object) {
        Ok(table) => table,
        Err(error) => return writeln!(out, "\nerror: .debug_line: {error}"),
    };
    if table.rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nlines:\n  start              end                place")?;
    for row in &table.rows {
        let file = table.files.get(row.file).map_or("?", String::as_str);
        write!(out, "  {:#018x} {:#018x} {file}:{}", row.start, row.end, row.line)?;
        match row.column {
            0 => writeln!(out)?,
            column => writeln!(out, ":{column}")?,
        }
    }
    Ok(())
}
