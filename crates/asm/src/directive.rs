//! Directives: the table of their names, and the reader of their operands.
//!
//! Each family has a module; a handler reads its operands and changes the [`Assembler`]. A name that is not in
//! the table is an error.

use std::ops::Range;

use wavemark_target::name_index;
use wavemark_target::names::{NameIndex, count, member};

use crate::assembler::{Assembler, Fault};
use crate::expr::{self, Expr};
use crate::lex::{Kind, Lexer, unquote};
use crate::statement::Lines;

mod amdgpu;
mod arguments;
mod cfi;
mod comment;
pub(crate) mod conditions;
mod data;
pub(crate) mod debug;
mod expand;
mod include;
pub(crate) mod kernel;
mod kernel_code;
mod layout;
mod linking;
pub(crate) mod macros;
mod messages;
pub(crate) mod pal;
mod profile;
mod repeat;
mod retired;
mod sections;
mod space;
mod symbols;

pub(crate) use data::{fits, write_sleb128, write_uleb128};
pub(crate) use symbols::combine;

/// What runs a directive.
pub(crate) type Run = fn(&mut Assembler<'_>, &mut Operands<'_>, &mut Lines<'_>) -> Result<(), Fault>;

/// A directive.
#[derive(Clone, Copy)]
pub(crate) struct Directive {
    pub name: &'static str,
    pub run: Run,
    /// Whether it counts in text that a condition leaves out.
    pub when_skipped: bool,
}

/// A row of a family's table.
pub(crate) const fn row(name: &'static str, run: Run) -> Directive {
    Directive { name, run, when_skipped: false }
}

const FAMILIES: &[&[Directive]] = &[
    amdgpu::DIRECTIVES,
    cfi::DIRECTIVES,
    comment::DIRECTIVES,
    conditions::DIRECTIVES,
    data::DIRECTIVES,
    debug::DIRECTIVES,
    include::DIRECTIVES,
    kernel::DIRECTIVES,
    kernel_code::DIRECTIVES,
    layout::DIRECTIVES,
    linking::DIRECTIVES,
    macros::DIRECTIVES,
    messages::DIRECTIVES,
    pal::DIRECTIVES,
    profile::DIRECTIVES,
    repeat::DIRECTIVES,
    retired::DIRECTIVES,
    sections::DIRECTIVES,
    space::DIRECTIVES,
    symbols::DIRECTIVES,
];
static NAMES: NameIndex<{ count(FAMILIES) }, { 2 * count(FAMILIES) }> = name_index!(FAMILIES, name);

/// What is wrong with a name that is no directive: it may be close to one.
pub(crate) fn unknown(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    match wavemark_diag::nearest(&lower, NAMES.names().iter().copied()) {
        Some(known) => format!("unknown directive {name} (did you mean {known}?)"),
        None => format!("unknown directive {name}"),
    }
}

/// The directive `name`, dot included.
pub(crate) fn find(name: &str) -> Option<Directive> {
    // LLVM's own directives are known in any case.
    let number = NAMES.find(name).or_else(|| NAMES.find(&name.to_ascii_lowercase()))?;
    member(FAMILIES, number).copied()
}

/// The operands of a directive.
pub(crate) struct Operands<'t> {
    pub lexer: Lexer<'t>,
    /// The directive's name in the statement.
    pub name: Range<usize>,
    /// Where the statement starts in its text.
    pub offset: usize,
}

impl<'t> Operands<'t> {
    pub fn new(lexer: Lexer<'t>, name: Range<usize>, offset: usize) -> Operands<'t> {
        Operands { lexer, name, offset }
    }

    /// The directive's name, dot included, in lower case as the table has it.
    pub fn directive(&self) -> &'t str {
        let name = self.lexer.slice(self.name.clone());
        find(name).map_or(name, |known| known.name)
    }

    /// An error at the next token.
    pub fn fault<T>(&mut self, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault::new(self.lexer.peek().range, message))
    }

    /// An error at the directive's name.
    pub fn fault_here<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault::new(self.name.clone(), message))
    }

    /// An expression.
    pub fn expr(&mut self, assembler: &mut Assembler<'_>) -> Result<Expr, Fault> {
        assembler.refresh_counts();
        Ok(expr::parse(&mut self.lexer, &mut assembler.scope())?)
    }

    /// An expression that is a number already, and its bytes.
    pub fn absolute(&mut self, assembler: &mut Assembler<'_>) -> Result<(i64, Range<usize>), Fault> {
        let start = self.lexer.next_start();
        let expr = self.expr(assembler)?;
        let range = start..self.lexer.position();
        match assembler.absolute(&expr) {
            Ok(value) => Ok((value, range)),
            Err(message) => Err(Fault::new(range, message)),
        }
    }

    /// A number that is not negative.
    pub fn count(&mut self, assembler: &mut Assembler<'_>) -> Result<u64, Fault> {
        let (value, range) = self.absolute(assembler)?;
        u64::try_from(value)
            .map_err(|_| Fault::new(range, format!("expected a number from 0 on, not {value}")))
    }

    /// A name, quoted or not, and its bytes.
    pub fn name(&mut self) -> Result<(&'t str, Range<usize>), Fault> {
        let token = self.lexer.next();
        match token.kind {
            Kind::Name => Ok((self.lexer.slice(token.range.clone()), token.range)),
            Kind::String => Ok((self.lexer.slice(token.range.start + 1..token.range.end - 1), token.range)),
            _ => Err(Fault::new(token.range, "expected a name")),
        }
    }

    /// A quoted string, as bytes.
    pub fn string(&mut self) -> Result<Vec<u8>, Fault> {
        let token = self.lexer.next();
        match token.kind {
            Kind::String => unquote(self.lexer.slice(token.range.clone())).map_err(|(at, message)| {
                Fault::new(token.range.start + at..token.range.start + at + 1, message)
            }),
            Kind::Bad(message) => Err(Fault::new(token.range, message)),
            _ => Err(Fault::new(token.range, "expected a string")),
        }
    }

    /// A quoted string as it is written, escapes and all, without its quotes.
    pub fn raw_string(&mut self) -> Result<&'t str, Fault> {
        let token = self.lexer.next();
        match token.kind {
            Kind::String => Ok(self.lexer.slice(token.range.start + 1..token.range.end - 1)),
            Kind::Bad(message) => Err(Fault::new(token.range, message)),
            _ => Err(Fault::new(token.range, "expected a string")),
        }
    }

    /// Whether a comma comes next; moves past it if so.
    pub fn eat_comma(&mut self) -> bool {
        self.lexer.eat(b',')
    }

    /// A comma.
    pub fn comma(&mut self) -> Result<(), Fault> {
        if self.eat_comma() { Ok(()) } else { self.fault("expected ','") }
    }

    /// The end of the statement.
    pub fn end(&mut self) -> Result<(), Fault> {
        if self.lexer.at_end() { Ok(()) } else { self.fault("expected the end of the statement") }
    }

    /// Leaves the rest unread.
    pub fn ignore(&mut self) {
        let length = self.lexer.rest().len();
        self.lexer.skip(length);
    }
}
