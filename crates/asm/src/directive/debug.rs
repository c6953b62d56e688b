//! Directives about source lines: `.file`, `.loc` and `.loc_label` make a line table ([`crate::line_table`]).

use std::ops::Range;

use wavemark_diag::Span;

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::lex::Kind;
use crate::section::SectionId;
use crate::statement::Lines;
use crate::symbol::{Definition, SymbolId};

pub(super) const DIRECTIVES: &[Directive] =
    &[row(".file", file), row(".loc", loc), row(".loc_label", loc_label)];

/// What `.loc` says of the instruction that comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Location {
    pub file: u64,
    pub line: u64,
    pub column: u64,
    pub is_stmt: bool,
    pub basic_block: bool,
    pub prologue_end: bool,
    pub epilogue_begin: bool,
    pub isa: u64,
    pub discriminator: u64,
}

/// A row of the line table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DebugRow {
    pub section: SectionId,
    pub offset: u64,
    pub entry: Entry,
}

/// What stands in a place of the line table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A line.
    Line(Location),
    /// `.loc_label`: the sequence before ends, and the symbol is where the next begins.
    Label(SymbolId, Span),
}

/// A source file of the line table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DebugFile {
    pub number: u64,
    pub directory: String,
    pub name: String,
    pub md5: Option<u128>,
    pub source: Option<String>,
}

/// What `.file` and `.loc` said.
#[derive(Clone, Debug, Default)]
pub(crate) struct DebugLines {
    /// From number 1 on, in order.
    pub files: Vec<DebugFile>,
    /// File 0, which makes it DWARF 5; its directory is where the compiler was run.
    pub root: Option<DebugFile>,
    pub pending: Option<Location>,
    pub rows: Vec<DebugRow>,
    is_stmt_off: bool,
}

/// The most files of a line table.
const MAX_FILES: usize = 1 << 20;

impl Assembler<'_> {
    /// Gives the place where the next byte goes the line of the last `.loc`, if none has it yet.
    pub fn place_line(&mut self) {
        if let Some(at) = self.debug.pending.take() {
            let (section, offset) = self.here();
            self.debug.rows.push(DebugRow { section, offset, entry: Entry::Line(at) });
        }
    }

    /// Every number up to the last file has a file.
    pub fn check_files(&mut self) {
        self.debug.files.sort_by_key(|file| file.number);
        let missing = self.debug.files.iter().zip(1..).find(|(file, number)| file.number != *number);
        if let Some((_, number)) = missing {
            self.diagnostics.push(wavemark_diag::Diagnostic::error(format!(
                "there is no .file {number}, but one with a higher number"
            )));
        }
    }
}

/// `.file number ["directory"] "name" [md5 0x…] [source "…"]`, or `.file "name"` for the symbol table's sake.
fn file(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let token = operands.lexer.peek();
    let Kind::Integer(number) = token.kind else {
        operands.string()?;
        return operands.end();
    };
    operands.lexer.next();
    let (mut directory, mut name) = (String::new(), text(operands)?);
    if operands.lexer.peek().kind == Kind::String {
        directory = std::mem::replace(&mut name, text(operands)?);
    }
    let mut file = DebugFile { number, directory, name, md5: None, source: None };
    while !operands.lexer.at_end() {
        if operands.lexer.eat_name("md5") {
            let (value, range) = operands.lexer.wide_integer();
            let message = "expected 128 bits, as a hexadecimal number";
            file.md5 = Some(value.ok_or_else(|| Fault::new(range, message))?);
        } else if operands.lexer.eat_name("source") {
            file.source = Some(text(operands)?);
        } else {
            return operands.fault("expected md5, source or the end of the statement");
        }
    }
    add_file(assembler, file, token.range)
}

fn add_file(assembler: &mut Assembler<'_>, mut file: DebugFile, range: Range<usize>) -> Result<(), Fault> {
    let debug = &mut assembler.debug;
    if file.number == 0 {
        debug.root = Some(file);
        return Ok(());
    }
    if debug.files.iter().any(|known| known.number == file.number) {
        return Err(Fault::new(range, format!("there is a .file {} already", file.number)));
    }
    if debug.files.len() >= MAX_FILES {
        return Err(Fault::new(range, format!("more than {MAX_FILES} files")));
    }
    let is_root =
        |root: &DebugFile| (&root.directory, &root.name, root.md5) == (&file.directory, &file.name, file.md5);
    if debug.root.as_ref().is_some_and(is_root) {
        return Ok(());
    }
    if debug.root.as_ref().is_some_and(|root| root.directory == file.directory) {
        file.directory.clear();
    }
    if file.directory.is_empty()
        && let Some((directory, name)) = file.name.rsplit_once('/')
        && !name.is_empty()
    {
        let directory = if directory.is_empty() { "/" } else { directory };
        (file.directory, file.name) = (directory.to_owned(), name.to_owned());
    }
    debug.files.push(file);
    Ok(())
}

fn text(operands: &mut Operands<'_>) -> Result<String, Fault> {
    Ok(String::from_utf8_lossy(&operands.string()?).into_owned())
}

/// `.loc file line [column] [options]`.
fn loc(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let file = operands.count(assembler)?;
    let debug = &assembler.debug;
    let known = match file {
        0 => debug.root.is_some(),
        // Usually they come in order.
        _ if debug.files.get(file as usize - 1).is_some_and(|known| known.number == file) => true,
        _ => debug.files.iter().any(|known| known.number == file),
    };
    if !known {
        return Err(Fault::new(start..operands.lexer.position(), format!("there is no .file {file}")));
    }
    let mut at = Location { file, is_stmt: !assembler.debug.is_stmt_off, ..Location::default() };
    if matches!(operands.lexer.peek().kind, Kind::Integer(_)) {
        at.line = operands.count(assembler)?;
    }
    if matches!(operands.lexer.peek().kind, Kind::Integer(_)) {
        at.column = operands.count(assembler)?;
    }
    while !operands.lexer.at_end() {
        let (option, range) = operands.name()?;
        match option {
            "basic_block" => at.basic_block = true,
            "prologue_end" => at.prologue_end = true,
            "epilogue_begin" => at.epilogue_begin = true,
            "is_stmt" => {
                let (value, range) = operands.absolute(assembler)?;
                if !matches!(value, 0 | 1) {
                    return Err(Fault::new(range, format!("is_stmt is 0 or 1, not {value}")));
                }
                at.is_stmt = value != 0;
                assembler.debug.is_stmt_off = value == 0;
            }
            "isa" => at.isa = operands.count(assembler)?,
            "discriminator" => at.discriminator = operands.count(assembler)?,
            _ => {
                let message = format!(
                    "unknown .loc option {option} (expected basic_block, prologue_end, epilogue_begin, is_stmt, isa \
                     or discriminator)"
                );
                return Err(Fault::new(range, message));
            }
        }
    }
    // Of two in a row, the first has a row too.
    assembler.place_line();
    assembler.debug.pending = Some(at);
    Ok(())
}

/// `.loc_label name`: the symbol is the place in the line table that the lines from here on have.
fn loc_label(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (name, range) = operands.name()?;
    operands.end()?;
    let symbol = assembler.symbols.intern(name);
    let again = |row: &DebugRow| matches!(row.entry, Entry::Label(known, _) if known == symbol);
    let defined = assembler.symbols.get(symbol).definition != Definition::Undefined;
    if defined || assembler.debug.rows.iter().any(again) {
        return Err(Fault::new(range, format!("symbol {name} is already defined")));
    }
    let span = assembler.span(operands.offset, range);
    let (section, offset) = assembler.here();
    assembler.debug.rows.push(DebugRow { section, offset, entry: Entry::Label(symbol, span) });
    Ok(())
}
