//! Reads the text form of LLVM IR, LLVM 22 to 24.
//!
//! Promises: a module in which every reference leads somewhere and every value has the type that its uses say, or the first
//! mistake with its place and what was expected there. What no AMDGPU code contains is refused by name, with a message
//! that begins with `unsupported:`. Nesting is bounded ([`MAX_NESTING`](crate::types::MAX_NESTING)), memory by a multiple
//! of the text's length, which the budget is asked for first.
//!
//! Does not: know which operands an instruction may have. That is the verifier's, as far as the module can be built at all.
//!
//! Speed (`cargo xtask ir --time`): the 97 texts of the corpus that LLVM 22 reads as they are take 23 ms of the processor's time,
//! verifying them 3 more; LLVM takes 58 to read them, 2.2 to 2.3 times as long as both. What is left is spread: of both together
//! the lexer is 16 in 100, memory 9 (58,000 pieces for 36,000 instructions), the verifier 10; with what of the lexer is in them,
//! values and constants are 16, types 13, calls 8, attachments 8. Without verifier, memory and attachments LLVM would
//! still take only 3.2 times as long: five times is not to be had by faster parts, but by looking at fewer tokens.

mod attribute;
mod call;
mod constant;
mod function;
mod global;
mod inst;
mod lexer;
mod memory;
mod metadata;
mod names;
mod numbered;
mod types;

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use wavemark_budget::room_for;
use wavemark_diag::{Diagnostic, FileId, Span};

use crate::attribute::AttributeGroup;
use crate::metadata::Node;
use crate::module::{Global, Module};
use crate::places::Places;
use crate::types::{MAX_NESTING, Name, Struct, Type};
use lexer::{Lexer, NameToken, Token};
use numbered::Numbered;

/// What was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The module.
    pub module: Module,
    /// Where its parts stand.
    pub places: Places,
}

/// Reads a module from the text of `file`.
pub fn parse(file: FileId, text: &str) -> Result<Parsed, Box<Diagnostic>> {
    let start = Span::new(file, 0..0);
    if u32::try_from(text.len()).is_err() {
        return Err(Box::new(Diagnostic::error("the text is longer than 4 GiB").at(start)));
    }
    room_for(text.len() as u64 * MEMORY_PER_BYTE)
        .map_err(|refused| Box::new(Diagnostic::error(format!("reading it {refused}")).at(start)))?;
    Parser::new(file, text).module()
}

/// Memory that a byte of text may come to: the densest are instructions of a dozen characters.
const MEMORY_PER_BYTE: u64 = 32;

type Result<T, E = Box<Diagnostic>> = std::result::Result<T, E>;
/// A place in the text.
type Place = (u32, u32);

/// Something that was mentioned, and may be defined later.
struct Mention<T> {
    id: T,
    first: Place,
    defined: bool,
}

struct Parser<'t> {
    file: FileId,
    lexer: Lexer<'t>,
    token: Token<'t>,
    place: Place,
    /// The end of the token before.
    last_end: u32,
    depth: u32,
    module: Module,
    places: Places,
    structs: FxHashMap<Name, Mention<Struct>>,
    globals: FxHashMap<Name, Mention<Global>>,
    /// Uses of globals before their definition, whose type has to be looked at afterwards.
    address_uses: Vec<(Global, Type, Place)>,
    groups: FxHashMap<u32, Mention<AttributeGroup>>,
    nodes: Numbered<Mention<Node>>,
    next_global_number: u32,
    /// What was called before it was declared, with the type of the call and its place.
    undeclared: Vec<(Global, Type, Place)>,
}

impl<'t> Parser<'t> {
    fn new(file: FileId, text: &'t str) -> Parser<'t> {
        let mut parser = Parser {
            file,
            lexer: Lexer::new(text),
            token: Token::End,
            place: (0, 0),
            last_end: 0,
            depth: 0,
            module: Module::default(),
            places: Places::new(file),
            structs: FxHashMap::default(),
            globals: FxHashMap::default(),
            address_uses: Vec::new(),
            groups: FxHashMap::default(),
            nodes: Numbered::default(),
            next_global_number: 0,
            undeclared: Vec::new(),
        };
        parser.advance();
        parser
    }

    fn advance(&mut self) {
        self.last_end = self.place.1;
        let (token, start, end) = self.lexer.next();
        self.token = token;
        self.place = (start, end.max(start));
    }

    fn error_at<T>(&self, place: Place, message: impl Into<String>) -> Result<T> {
        let span = Span { file: self.file, start: place.0, end: place.1 };
        Err(Box::new(Diagnostic::error(message).at(span)))
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        self.error_at(self.place, message)
    }

    /// Something else stands here than what is `wanted`.
    fn expected<T>(&self, wanted: &str) -> Result<T> {
        if let Token::Bad(wanted) = self.token {
            return self.error(format!("expected {wanted}"));
        }
        self.error(format!("expected {wanted}, found {}", describe(self.token)))
    }

    fn unsupported<T>(&self, what: impl std::fmt::Display) -> Result<T> {
        self.error(format!("unsupported: {what}"))
    }

    fn at(&self, punct: u8) -> bool {
        matches!(self.token, Token::Punct(here) if here == punct)
    }

    fn at_word(&self, word: &str) -> bool {
        // Nearly always the first byte, or the length, decides.
        match self.token {
            Token::Word(here) => {
                here.len() == word.len() && here.as_bytes().first() == word.as_bytes().first() && here == word
            }
            _ => false,
        }
    }

    /// Takes a character, if it stands here.
    fn take(&mut self, punct: u8) -> bool {
        let here = self.at(punct);
        if here {
            self.advance();
        }
        here
    }

    fn take_word(&mut self, word: &str) -> bool {
        let here = self.at_word(word);
        if here {
            self.advance();
        }
        here
    }

    fn expect(&mut self, punct: u8) -> Result<()> {
        if self.take(punct) { Ok(()) } else { self.expected(&format!("`{}`", punct as char)) }
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// A word of a spelled kind, if one stands here.
    fn take_named<T>(&mut self, named: fn(&str) -> Option<T>) -> Option<T> {
        let Token::Word(word) = self.token else { return None };
        let known = named(word)?;
        self.advance();
        Some(known)
    }

    /// A string, without its escapes.
    fn text(&mut self) -> Result<Cow<'t, [u8]>> {
        match self.token {
            Token::Text(text) => {
                self.advance();
                Ok(lexer::unescape(text))
            }
            _ => self.expected("a string"),
        }
    }

    fn utf8(&mut self) -> Result<Box<str>> {
        let place = self.place;
        let text = self.text()?;
        match std::str::from_utf8(&text) {
            Ok(text) => Ok(text.into()),
            Err(_) => self.error_at(place, "expected a string of UTF-8"),
        }
    }

    fn u64(&mut self, what: &str) -> Result<u64> {
        match self.token {
            Token::Int(text) => match text.parse() {
                Ok(value) => {
                    self.advance();
                    Ok(value)
                }
                Err(_) => self.error(format!("expected {what}: a number from 0 to 2^64 - 1")),
            },
            _ => self.expected(what),
        }
    }

    fn u32(&mut self, what: &str) -> Result<u32> {
        let place = self.place;
        let value = self.u64(what)?;
        u32::try_from(value)
            .or_else(|_| self.error_at(place, format!("expected {what}: a number below 2^32")))
    }

    /// `(n)` after its keyword.
    fn u64_in_parentheses(&mut self, what: &str) -> Result<u64> {
        self.expect(b'(')?;
        let value = self.u64(what)?;
        self.expect(b')')?;
        Ok(value)
    }

    /// A power of two, in bytes.
    fn alignment(&mut self) -> Result<u64> {
        let place = self.place;
        let value = self.u64("an alignment")?;
        if value.is_power_of_two() && value <= 1 << 32 {
            Ok(value)
        } else {
            self.error_at(place, "expected an alignment: a power of two up to 2^32")
        }
    }

    /// Reads something that may be nested in its like.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_NESTING {
            return self.error(format!("nested deeper than {MAX_NESTING}"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// `item, item … close`, the opening character being read; `close` is read, too.
    fn list(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.take(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.take(close) {
                return Ok(());
            }
            if !self.take(b',') {
                return self.expected(&format!("`,` or `{}`", close as char));
            }
        }
    }

    /// What nobody has defined is a mistake where it was first mentioned.
    fn everything_defined(&self) -> Result<()> {
        let mut missing: Option<(Place, String)> = None;
        let mut note = |place: Place, what: String| {
            if missing.as_ref().is_none_or(|(first, _)| place < *first) {
                missing = Some((place, what));
            }
        };
        for (name, mention) in self.structs.iter().filter(|(_, mention)| !mention.defined) {
            note(mention.first, format!("the type %{}", show(name)));
        }
        for (name, mention) in self.globals.iter().filter(|(_, mention)| !mention.defined) {
            note(mention.first, format!("@{}", show(name)));
        }
        for (number, mention) in self.groups.iter().filter(|(_, mention)| !mention.defined) {
            note(mention.first, format!("the attribute group #{number}"));
        }
        for (number, mention) in self.nodes.iter().filter(|(_, mention)| !mention.defined) {
            note(mention.first, format!("the metadata !{number}"));
        }
        match missing {
            Some((place, what)) => self.error_at(place, format!("{what} is not defined")),
            None => Ok(()),
        }
    }
}

/// A name in a message.
fn show(name: &Name) -> String {
    match name {
        Name::Text(text) => String::from_utf8_lossy(text).into_owned(),
        Name::Number(number) => number.to_string(),
    }
}

impl NameToken<'_> {
    fn to_name(self) -> Name {
        match self {
            NameToken::Number(number) => Name::Number(number),
            _ => Name::Text(self.bytes().unwrap_or_default().into()),
        }
    }
}

/// What stands somewhere, in a message.
fn describe(token: Token<'_>) -> String {
    let name = |sigil: &str, name: NameToken<'_>| match name {
        NameToken::Number(number) => format!("`{sigil}{number}`"),
        NameToken::Plain(text) => format!("`{sigil}{text}`"),
        NameToken::Quoted(text) => format!("`{sigil}\"{text}\"`"),
    };
    match token {
        Token::End => "the end of the text".to_owned(),
        Token::Word(text) | Token::Int(text) | Token::HexInt(text) | Token::Float(text) => {
            format!("`{text}`")
        }
        Token::Label(label) => format!("the label {}", name("", label)),
        Token::Global(text) => name("@", text),
        Token::Local(text) => name("%", text),
        Token::Comdat(text) => name("$", text),
        Token::Group(number) => format!("`#{number}`"),
        Token::Record(kind) => format!("`#dbg_{kind}`"),
        Token::Node(number) => format!("`!{number}`"),
        Token::Meta(text) => format!("`!{text}`"),
        Token::Bang => "`!`".to_owned(),
        Token::Text(_) | Token::Bytes(_) => "a string".to_owned(),
        Token::Dots => "`...`".to_owned(),
        Token::Punct(byte) => format!("`{}`", byte as char),
        Token::Bad(what) => what.to_owned(),
    }
}
