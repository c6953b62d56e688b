//! Directives about source lines: `.file` and `.loc` make a line table ([`crate::line_table`]).

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::lex::Kind;
use crate::section::SectionId;
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[row(".file", file), row(".loc", loc)];

/// A `.loc` that waits for its instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub file: u64,
    pub line: u64,
    pub column: u64,
    pub is_stmt: bool,
    pub prologue_end: bool,
}

/// A row of the line table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DebugRow {
    pub section: SectionId,
    pub offset: u64,
    pub at: Location,
}

/// A source file of the line table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DebugFile {
    pub number: u64,
    pub directory: String,
    pub name: String,
}

/// What `.file` and `.loc` said.
#[derive(Clone, Debug, Default)]
pub(crate) struct DebugLines {
    pub files: Vec<DebugFile>,
    pub pending: Option<Location>,
    pub rows: Vec<DebugRow>,
    is_stmt_off: bool,
}

/// `.file number ["directory"] "name" [md5 0x…] [source "…"]`, or `.file "name"` for the symbol table's sake.
fn file(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let token = operands.lexer.peek();
    let Kind::Integer(number) = token.kind else {
        operands.string()?;
        return operands.end();
    };
    operands.lexer.next();
    let mut directory = String::new();
    let mut name = text(operands)?;
    if operands.lexer.peek().kind == Kind::String {
        directory = std::mem::replace(&mut name, text(operands)?);
    }
    if operands.lexer.eat_name("md5") {
        // 128 bits: more than an expression holds.
        operands.lexer.next();
    }
    if operands.lexer.eat_name("source") {
        operands.string()?;
    }
    if !operands.lexer.at_end() {
        return operands.fault("expected the end of the statement");
    }
    assembler.debug.files.retain(|file| file.number != number);
    assembler.debug.files.push(DebugFile { number, directory, name });
    Ok(())
}

fn text(operands: &mut Operands<'_>) -> Result<String, Fault> {
    Ok(String::from_utf8_lossy(&operands.string()?).into_owned())
}

/// `.loc file line [column] [options]`.
fn loc(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let file = operands.count(assembler)?;
    if !assembler.debug.files.iter().any(|known| known.number == file) {
        return Err(Fault::new(start..operands.lexer.position(), format!("there is no .file {file}")));
    }
    let line = operands.count(assembler)?;
    let mut column = 0;
    if matches!(operands.lexer.peek().kind, Kind::Integer(_)) {
        column = operands.count(assembler)?;
    }
    let mut at = Location { file, line, column, is_stmt: !assembler.debug.is_stmt_off, prologue_end: false };
    while !operands.lexer.at_end() {
        let (option, range) = operands.name()?;
        match option {
            "basic_block" | "epilogue_begin" => {}
            "prologue_end" => at.prologue_end = true,
            "is_stmt" => {
                let value = operands.count(assembler)?;
                at.is_stmt = value != 0;
                assembler.debug.is_stmt_off = value == 0;
            }
            "isa" | "discriminator" => {
                operands.count(assembler)?;
            }
            _ => return Err(Fault::new(range, format!("unknown .loc option {option}"))),
        }
    }
    assembler.debug.pending = Some(at);
    Ok(())
}
