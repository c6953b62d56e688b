//! Text → [`Inst`]: one instruction statement, without label and comment, in LLVM's syntax.
//!
//! Here: the entry, the cursor over the text, expressions. `operand` reads registers and constants; the order
//! of a family's operands and modifiers is in the family's module, which tries its candidate rows in turn and
//! keeps the error that got furthest.

use smallvec::SmallVec;

use crate::expr::{BinaryOp, Expr, SymbolResolver, UnaryOp};
use crate::format::Family;
use crate::row::{Row, RowId};
use crate::table::Table;
use crate::{Inst, Machine};
use wavemark_target::InstructionSets;

pub(crate) mod expected;
mod export;
mod image;
pub(crate) mod literal;
pub(crate) mod matrix;
mod matrix_modifiers;
pub(crate) mod memory;
pub(crate) mod operand;
mod pair;
pub(crate) mod scalar;
pub(crate) mod vector;
pub(crate) mod vector_constant;
mod vector_expected;
mod vector_limits;
mod vector_modifiers;
mod vector_place;

/// Why a statement is no instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{column}: {message}")]
pub struct ParseError {
    /// Where in the statement, 1-based, in bytes.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// What a fixup patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FixupKind {
    /// Low 16 bits of the dword: (target − address after this dword) / 4.
    Branch16,
    /// Low 16 bits of the dword: the value.
    Absolute16,
    /// A 32-bit literal: the value, or what the symbol's relocation variant says.
    Literal32,
    /// A 64-bit literal.
    Literal64,
}

/// A place in the encoding that needs a symbol's value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixup {
    /// Byte offset in the instruction.
    pub offset: u8,
    /// What is patched.
    pub kind: FixupKind,
    /// The value.
    pub expr: Expr,
}

/// A parsed instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The instruction, with 0 where fixups are.
    pub inst: Inst,
    /// What is left to patch after encoding.
    pub fixups: SmallVec<[Fixup; 1]>,
}

/// The encoding that a mnemonic's suffix asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    E32,
    E64,
    Dpp,
    E64Dpp,
    Sdwa,
}

static SUFFIXES: &[(&str, Suffix)] = &[
    ("_e64_dpp", Suffix::E64Dpp),
    ("_e32", Suffix::E32),
    ("_e64", Suffix::E64),
    ("_dpp", Suffix::Dpp),
    ("_sdwa", Suffix::Sdwa),
];

/// Parses one instruction statement.
///
/// # Errors
/// [`ParseError`] with the column of the text that is wrong.
pub fn parse(machine: Machine, text: &str, resolve: &dyn SymbolResolver) -> Result<Parsed, ParseError> {
    let mut parser = Parser { machine, text, pos: 0, resolve, fixups: SmallVec::new() };
    parser.skip_space();
    let start = parser.pos;
    let name = parser.word();
    let table = Table::of(machine);
    let (rows, suffix) = if name.bytes().any(|b| b.is_ascii_uppercase()) {
        candidates(table, &name.to_ascii_lowercase())
    } else {
        candidates(table, name)
    };
    let Some(first) = rows.first() else {
        return Err(parser.error_at(start, unknown(machine, &name.to_ascii_lowercase())));
    };
    let inst = match first.family {
        Family::Scalar => scalar::parse(&mut parser, &rows, suffix),
        Family::Memory => memory::parse(&mut parser, &rows, suffix),
        Family::Vector => vector::parse(&mut parser, &rows, suffix),
        Family::Matrix => matrix::parse(&mut parser, &rows, suffix),
        Family::Image => image::parse(&mut parser, &rows, suffix),
        Family::Export => export::parse(&mut parser, &rows, suffix),
    }?;
    Ok(Parsed { inst, fixups: parser.fixups })
}

/// What is wrong with a name that is no instruction of the machine: others have it, or it is nearly one.
#[cold]
fn unknown(machine: Machine, name: &str) -> String {
    if name.is_empty() {
        return "unexpected token at start of statement".to_owned();
    }
    let stems = SUFFIXES.iter().filter_map(|(ending, _)| name.strip_suffix(ending));
    for stem in std::iter::once(name).chain(stems) {
        let sets = Table::sets_with(stem);
        if sets != InstructionSets::NONE {
            return format!("{stem} is no instruction of {}; it is one of {sets}", machine.processor);
        }
    }
    match Table::of(machine).nearest(name) {
        Some(near) => format!("invalid instruction: is {near} meant?"),
        None => "invalid instruction".to_owned(),
    }
}

/// The rows that `name` may mean, and the suffix that was split off it.
pub(crate) fn candidates<'t>(table: &'t Table, name: &str) -> (SmallVec<[&'t Row; 4]>, Option<Suffix>) {
    let rows: SmallVec<[&Row; 4]> = table.by_mnemonic(name).collect();
    if !rows.is_empty() {
        return (rows, None);
    }
    for (ending, suffix) in SUFFIXES {
        if let Some(stem) = name.strip_suffix(ending) {
            let rows: SmallVec<[&Row; 4]> = table.by_mnemonic(stem).collect();
            if !rows.is_empty() {
                return (rows, Some(*suffix));
            }
        }
    }
    (SmallVec::new(), None)
}

/// Whether a word goes on with `byte`.
#[inline]
fn continues_word(byte: u8) -> bool {
    const WORD: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            let it = byte as u8;
            table[byte] = it.is_ascii_alphanumeric() || it == b'_' || it == b'.' || it == b'$';
            byte += 1;
        }
        table
    };
    WORD[usize::from(byte)]
}

/// A cursor over a statement.
pub(crate) struct Parser<'a> {
    pub(crate) machine: Machine,
    pub(crate) text: &'a str,
    pub(crate) pos: usize,
    pub(crate) resolve: &'a dyn SymbolResolver,
    /// Literal fixups have the offset of the literal; the parsers put them with [`Parser::fixup`].
    pub(crate) fixups: SmallVec<[Fixup; 1]>,
}

/// Where a parser was, to try another row from there.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    pos: usize,
    fixups: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn mark(&self) -> Mark {
        Mark { pos: self.pos, fixups: self.fixups.len() }
    }

    pub(crate) fn reset(&mut self, mark: Mark) {
        self.pos = mark.pos;
        self.fixups.truncate(mark.fixups);
    }

    /// Tries each row from the same place; the error that got furthest is the one that counts.
    pub(crate) fn first_of<'t>(
        &mut self,
        rows: &[&'t Row],
        mut attempt: impl FnMut(&mut Self, &'t Row) -> Result<Inst, ParseError>,
    ) -> Result<Inst, ParseError> {
        let mark = self.mark();
        let mut furthest: Option<ParseError> = None;
        for row in rows {
            self.reset(mark);
            match attempt(self, row) {
                Ok(inst) => return Ok(inst),
                Err(error) => {
                    if furthest.as_ref().is_none_or(|best| best.column < error.column) {
                        furthest = Some(error);
                    }
                }
            }
        }
        Err(furthest.unwrap_or_else(|| self.error("invalid instruction")))
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.pos), Some(b' ' | b'\t')) {
            self.pos += 1;
        }
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> ParseError {
        self.error_at(self.pos, message)
    }

    pub(crate) fn error_at(&self, pos: usize, message: impl Into<String>) -> ParseError {
        ParseError { column: u32::try_from(pos + 1).unwrap_or(u32::MAX), message: message.into() }
    }

    /// Takes `sign` (after space) if it is next.
    pub(crate) fn eat(&mut self, sign: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(sign);
        if found {
            self.pos += sign.len();
        }
        found
    }

    pub(crate) fn expect(&mut self, sign: &str) -> Result<(), ParseError> {
        if self.eat(sign) {
            return Ok(());
        }
        self.skip_space();
        let message = match sign {
            "," => "expected a comma".to_owned(),
            _ => format!("expected {sign}"),
        };
        Err(self.error(message))
    }

    /// The identifier that is next (letters, digits, `_`, `.`, `$`, not beginning with a digit), without taking
    /// it.
    pub(crate) fn peek_word(&mut self) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return "";
        }
        let length = rest.bytes().position(|byte| !continues_word(byte)).unwrap_or(rest.len());
        &rest[..length]
    }

    /// Takes the identifier that is next; empty if there is none.
    pub(crate) fn word(&mut self) -> &'a str {
        let word = self.peek_word();
        self.pos += word.len();
        word
    }

    /// Takes the identifier `word` if it is next.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.pos += word.len();
        }
        found
    }

    /// Takes `name:` if it is next.
    pub(crate) fn eat_key(&mut self, name: &str) -> bool {
        let mark = self.mark();
        if self.eat_word(name) && self.eat(":") {
            return true;
        }
        self.reset(mark);
        false
    }

    pub(crate) fn at_end(&mut self) -> bool {
        self.skip_space();
        self.pos >= self.text.len()
    }

    pub(crate) fn expect_end(&mut self) -> Result<(), ParseError> {
        if self.at_end() { Ok(()) } else { Err(self.error("invalid operand for instruction")) }
    }

    /// Notes a value that is not known yet.
    pub(crate) fn fixup(&mut self, offset: u8, kind: FixupKind, expr: Expr) {
        self.fixups.push(Fixup { offset, kind, expr });
    }

    /// An expression that must have a value now.
    pub(crate) fn absolute(&mut self) -> Result<i64, ParseError> {
        self.skip_space();
        let start = self.pos;
        let expr = self.expression()?;
        expr.evaluate(self.resolve).ok_or_else(|| self.error_at(start, "expected absolute expression"))
    }

    /// An expression.
    pub(crate) fn expression(&mut self) -> Result<Expr, ParseError> {
        self.binary(1, 0)
    }

    fn binary(&mut self, least: u8, depth: u8) -> Result<Expr, ParseError> {
        let mut left = self.unary(depth)?;
        loop {
            self.skip_space();
            let Some((op, length, precedence)) = BinaryOp::at(self.rest()) else { return Ok(left) };
            if precedence < least {
                return Ok(left);
            }
            self.pos += length;
            let right = self.binary(precedence + 1, depth)?;
            left = match (&left, op, &right) {
                // Constants fold at once, so that plain numbers cost no tree.
                (Expr::Int(_), _, Expr::Int(_)) => {
                    let tree = Expr::Binary(op, Box::new(left), Box::new(right));
                    tree.evaluate(self.resolve).map_or(tree, Expr::Int)
                }
                _ => Expr::Binary(op, Box::new(left), Box::new(right)),
            };
        }
    }

    fn unary(&mut self, depth: u8) -> Result<Expr, ParseError> {
        if depth > 64 {
            return Err(self.error("expression is nested too deeply"));
        }
        self.skip_space();
        let rest = self.rest();
        let op = match rest.as_bytes().first() {
            Some(b'-') => Some(UnaryOp::Neg),
            Some(b'+') => Some(UnaryOp::Plus),
            Some(b'~') => Some(UnaryOp::Not),
            Some(b'!') => Some(UnaryOp::LogicalNot),
            _ => None,
        };
        if let Some(op) = op {
            self.pos += 1;
            let operand = self.unary(depth + 1)?;
            let tree = Expr::Unary(op, Box::new(operand));
            let folded = match &tree {
                Expr::Unary(_, operand) if matches!(**operand, Expr::Int(_)) => tree.evaluate(self.resolve),
                _ => None,
            };
            return Ok(folded.map_or(tree, Expr::Int));
        }
        if rest.starts_with('(') {
            self.pos += 1;
            let inner = self.binary(1, depth + 1)?;
            self.expect(")")?;
            return Ok(inner);
        }
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            if let Some(name) = numeric_label(rest) {
                self.pos += name.len();
                return Ok(Expr::Symbol { name: name.to_owned(), variant: None });
            }
            return self.integer().map(|value| Expr::Int(value as i64));
        }
        if let [b'\'', byte, b'\'', ..] = *rest.as_bytes() {
            self.pos += 3;
            return Ok(Expr::Int(byte.into()));
        }
        self.symbol(depth)
    }

    fn symbol(&mut self, depth: u8) -> Result<Expr, ParseError> {
        self.skip_space();
        let start = self.pos;
        let name = if self.rest().starts_with('"') {
            let quoted = &self.rest()[1..];
            let end = quoted.find('"').ok_or_else(|| self.error("unterminated string"))?;
            self.pos += end + 2;
            &quoted[..end]
        } else {
            self.word()
        };
        if name.is_empty() {
            return Err(self.error_at(start, "unknown token in expression"));
        }
        if self.rest().starts_with('(')
            && matches!(
                name,
                "max" | "or" | "alignto" | "extrasgprs" | "totalnumvgprs" | "occupancy" | "instprefsize"
            )
        {
            self.pos += 1;
            let mut arguments = Vec::new();
            loop {
                arguments.push(self.binary(1, depth + 1)?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
            return Ok(Expr::Call(name.to_owned(), arguments));
        }
        let mut variant = None;
        if self.rest().starts_with('@') {
            let tail = &self.rest()[1..];
            let length = tail
                .bytes()
                .position(|b| !(b.is_ascii_alphanumeric() || b == b'@' || b == b'_'))
                .unwrap_or(tail.len());
            variant = Some(tail[..length].to_owned());
            self.pos += 1 + length;
        }
        Ok(Expr::Symbol { name: name.to_owned(), variant })
    }

    /// An unsigned integer literal: decimal, `0x`, `0b`, octal with a leading 0.
    pub(crate) fn integer(&mut self) -> Result<u64, ParseError> {
        self.skip_space();
        let rest = self.rest();
        let run = |from: usize, digit: fn(&u8) -> bool| {
            from + rest.as_bytes()[from..].iter().take_while(|b| digit(b)).count()
        };
        let prefixed = |prefix: [&str; 2]| prefix.iter().any(|p| rest.starts_with(p));
        let (start, mut end, radix) = if prefixed(["0x", "0X"]) {
            (2, run(2, u8::is_ascii_hexdigit), 16)
        } else if prefixed(["0b", "0B"]) && run(2, |b| matches!(b, b'0' | b'1')) > 2 {
            (2, run(2, |b| matches!(b, b'0' | b'1')), 2)
        } else {
            let end = run(0, u8::is_ascii_digit);
            if end > 1 && rest.starts_with('0') { (1, end, 8) } else { (0, end, 10) }
        };
        let parsed = u64::from_str_radix(&rest[start..end], radix);
        let value = parsed.map_err(|_| self.error("invalid number"))?;
        // The suffixes of C are read over: U, L, LL, UL, ULL.
        let suffix = &rest.as_bytes()[end..];
        end += suffix.iter().take(1).filter(|b| b.eq_ignore_ascii_case(&b'u')).count();
        end += rest.as_bytes()[end..].iter().take(2).take_while(|b| b.eq_ignore_ascii_case(&b'l')).count();
        self.pos += end;
        Ok(value)
    }
}

/// The numeric label (`1b`, `12f`) that `text` starts with: digits and one letter.
fn numeric_label(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let label = text.get(..digits + 1).filter(|label| label.ends_with(['b', 'f']))?;
    let next = text.as_bytes().get(digits + 1);
    (!next.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')).then_some(label)
}

/// An instruction of `row` in its first encoding's form, to be filled.
pub(crate) fn empty(row: RowId, form: crate::Form) -> Inst {
    Inst { row, form, operands: SmallVec::new(), mods: crate::Mods::default(), second: None, size: 0 }
}
