//! Assembly text of AMD GPUs → relocatable code object, and back.
//!
//! The syntax is LLVM's: [`assemble`] takes what `llvm-mc -triple amdgcn-amd-amdhsa` takes (LLVM 22, and the newer
//! spellings `instprefsize(…)` and `amdgpu12.50-…` targets), for the processors of the instruction table.
//! Rooms: `statement` and `lex` cut the text; `expr`, `value`, `symbol` are the expressions; `directive` has
//! one module per family of directives; `instruction` asks the instruction table; `section` holds the bytes;
//! `finish` settles what waited for symbols (`resolve`) and writes the file (`write`, `line_table`);
//! [`disassemble()`] is the way back, [`lines`] are the line-wise forms.
//!
//! Layout is fixed in one pass: no instruction's size depends on a symbol that is not known when it is read (a
//! literal is used, as in LLVM). The few things whose size does (a `.fill` by a later symbol, a LEB128 number, an
//! alignment after such, subsections) are gaps that `layout` measures at the end.
//!
//! Every input gives an object or diagnostics with places; none panics.

mod assembler;
mod directive;
mod disassemble;
mod expr;
mod files;
mod finish;
mod frames;
mod instruction;
mod known;
mod layout;
mod lex;
mod line_table;
pub mod lines;
mod object;
mod real;
mod resolve;
mod section;
mod statement;
mod symbol;
mod value;
mod write;
mod yaml;

pub use disassemble::{Remarks, disassemble, disassemble_with};
pub use expr::Specifier;
pub use files::{Environment, Files, NoFiles};
pub use object::{Object, SourceLine};

use wavemark_diag::{Diagnostic, FileId, Span};
use wavemark_target::{Subtarget, Target};

use assembler::Assembler;
use lex::{Lexer, unquote};
use statement::Lines;

/// A file to assemble.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file that diagnostics point into.
    pub file: FileId,
    /// Its name, for the line table.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// Assembles a file for a subtarget.
///
/// # Errors
/// Every error of the file, in the order of the text, each at its place.
pub fn assemble(source: Source<'_>, subtarget: &Subtarget) -> Result<Object, Vec<Diagnostic>> {
    assemble_in(source, subtarget, Environment { files: &mut NoFiles, defines: &[] })
}

/// Assembles a file that may bring in others.
///
/// # Errors
/// Every error of the file, in the order of the text, each at its place.
pub fn assemble_in(
    source: Source<'_>,
    subtarget: &Subtarget,
    environment: Environment<'_>,
) -> Result<Object, Vec<Diagnostic>> {
    let mut assembler = Assembler::new(source.file, source.text, subtarget, environment.files);
    assembler.define(environment.defines);
    assembler.run(source.text);
    assembler.finish(source.name).map_err(|mut diagnostics| {
        let foreign =
            |diagnostic: &Diagnostic| diagnostic.span().is_some_and(|span| span.file != source.file);
        if !diagnostics.iter().any(foreign) {
            diagnostics.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
        }
        diagnostics
    })
}

/// The target that a text names by `.amdgcn_target`, if it does; for choosing a [`Subtarget`].
///
/// # Errors
/// The directive is there but names no target.
pub fn target_of(source: Source<'_>) -> Result<Option<Target>, Diagnostic> {
    let mut lines = Lines::new(source.text);
    while let Some(Ok(statement)) = lines.next() {
        let mut lexer = Lexer::new(&statement.text);
        if !lexer.eat_name(".amdgcn_target") {
            continue;
        }
        let start = lexer.next_start();
        let text = lexer.rest();
        let span = Span::new(source.file, statement.offset + start..statement.offset + start + text.len());
        let name = unquote(text).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        return match name.parse() {
            Ok(target) => Ok(Some(target)),
            Err(error) => Err(Diagnostic::error(error.to_string()).at(span)),
        };
    }
    Ok(None)
}
