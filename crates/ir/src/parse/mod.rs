//! Reads the text form of LLVM IR, LLVM 22 to 24.
//!
//! Promises: a module in which every reference leads somewhere and every value has the type that its uses say, or the first
//! mistake with its place and what was expected there. What no AMDGPU code contains is refused by name, with a message
//! that begins with `unsupported:`. Nesting is bounded ([`MAX_NESTING`](crate::types::MAX_NESTING)), memory by a multiple
//! of the text's length, which the budget is asked for first.
//!
//! Does not: know which operands an instruction may have. That is the verifier's, as far as the module can be built at all.
//!
//! Tokens: where a byte, a number or a plain word decides what is next, no token is made of it: those are found eight bytes
//! at a time, without a branch that depends on how long they are, for such branches are what reading mostly waits for. What is
//! met over and over (types, numbers, globals, kinds of attachment) is found again by where it was kept before it is looked up.
//!
//! Speed (`cargo xtask ir --time`): the 97 texts of the corpus that LLVM 22 reads, as it can take them (38,872 lines, intrinsics as
//! plain functions), take 9.8 ms of the processor's time, verifying them 1.1 more; LLVM takes 56.2 to read them, of which its
//! verifier is a part, 5.15 times as long. Of what clang 22 writes (82,710 lines, with intrinsics) it is 5.4 times. That is with the
//! command line's allocator: with the system's it is a seventh less. What is left is spread over everything.

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

use crate::attribute::{AttributeGroup, Attributes};
use crate::entity::Table;
use crate::metadata::{MetadataKind, Node};
use crate::module::{Global, Module};
use crate::places::Places;
use crate::types::{MAX_NESTING, Name, Struct, Type};
use lexer::{Lexer, NameToken, Token, class, end_of_name, is, may_go_on, short_number};
use numbered::{Key, Names, Numbered};

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

/// A text of so many bytes mostly has one constant more.
const BYTES_PER_CONSTANT: usize = 256;
/// A text of so many bytes seldom has more than one node.
const BYTES_PER_NODE: usize = 16;
/// Of most things that a module or function has some of, it has fewer.
const FEW: usize = 16;

type Result<T, E = Box<Diagnostic>> = std::result::Result<T, E>;
/// Where a token begins; where it ends is looked up when somebody asks.
type Place = u32;

/// Something that was mentioned, and may be defined later.
#[derive(Clone, Copy)]
struct Mention<T> {
    id: T,
    first: Place,
    defined: bool,
}

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    /// Where the next token begins.
    at: usize,
    /// The last token that was asked for, with its beginning and its end.
    token: (Token<'t>, usize, usize),
    /// The end of the token before.
    last_end: u32,
    depth: u32,
    module: Module,
    places: Places,
    recent_types: types::Recent,
    recent: constant::Recent<'t>,
    structs: FxHashMap<Name, Mention<Struct>>,
    globals: Names<'t, Mention<Global>>,
    /// Uses of globals before their definition, whose type has to be looked at afterwards.
    address_uses: Vec<(Global, Type, Place)>,
    groups: FxHashMap<u32, Mention<AttributeGroup>>,
    /// Of each group, that it is referred to and nothing else.
    alone: Table<AttributeGroup, Attributes>,
    /// Of what type each function was called last.
    called_as: Table<Global, Option<Type>>,
    nodes: Numbered<Mention<Node>>,
    /// Kinds of attachments that were met, as they were spelled, by their lengths.
    recent_kinds: [Option<(&'t str, MetadataKind)>; 32],
    next_global_number: u32,
    /// What was called before it was declared, with the type of the call and its place.
    undeclared: Vec<(Global, Type, Place)>,
}

impl<'t> Parser<'t> {
    fn new(file: FileId, text: &'t str) -> Parser<'t> {
        let mut module = Module::default();
        module.constants.reserve(text.len() / BYTES_PER_CONSTANT);
        module.types.reserve(FEW);
        module.globals.reserve(FEW);
        module.order.reserve(FEW);
        module.attribute_groups.reserve(FEW);
        module.metadata.nodes.reserve(FEW + text.len() / BYTES_PER_CONSTANT);
        Parser {
            file,
            text,
            at: Lexer::begin_from(text, 0),
            token: (Token::End, usize::MAX, 0),
            last_end: 0,
            depth: 0,
            module,
            places: Places::new(file),
            recent_types: types::Recent::default(),
            recent: constant::Recent::default(),
            structs: FxHashMap::default(),
            globals: Names::default(),
            address_uses: Vec::with_capacity(FEW),
            groups: FxHashMap::default(),
            alone: Table::default(),
            called_as: Table::default(),
            nodes: Numbered::with_room(text.len() / BYTES_PER_NODE),
            recent_kinds: [None; 32],
            next_global_number: 0,
            undeclared: Vec::new(),
        }
    }

    /// The next token. Where a byte decides, it is not asked for.
    #[inline]
    fn token(&mut self) -> Token<'t> {
        if self.token.1 != self.at {
            let (token, end) = Lexer::token_at(self.text, self.at);
            self.token = (token, self.at, end);
        }
        self.token.0
    }

    /// The next token, if it is a word.
    #[inline(always)]
    fn word(&self) -> Option<&'t str> {
        Lexer::word_at(self.text, self.at)
    }

    /// Goes past a word that is next.
    #[inline(always)]
    fn go_past(&mut self, word: &str) {
        self.go_to(self.at + word.len());
    }

    /// The first byte of the next token; 0 at the end.
    #[inline(always)]
    fn byte(&self) -> u8 {
        self.byte_at(self.at)
    }

    #[inline(always)]
    fn byte_at(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Goes past the next token.
    fn advance(&mut self) {
        if is(self.byte(), class::PUNCT) {
            return self.go_to(self.at + 1);
        }
        self.token();
        self.go_to(self.token.2);
    }

    /// Goes past what ends at `end`.
    #[inline(always)]
    fn go_to(&mut self, end: usize) {
        self.last_end = end as u32;
        self.at = Lexer::begin_from(self.text, end);
    }

    /// Where the next token begins.
    #[inline(always)]
    fn place(&self) -> Place {
        self.at as u32
    }

    /// Where the token behind the next one begins, which is a single character.
    #[inline(always)]
    fn second_at(&self) -> usize {
        Lexer::begin_from(self.text, self.at + 1)
    }

    /// The token behind the next one, which is a single character.
    fn second(&self) -> Token<'t> {
        let at = self.second_at();
        Lexer::word_at(self.text, at).map_or_else(|| Lexer::token_at(self.text, at).0, Token::Word)
    }

    /// From where to where the token at a place is.
    fn span(&self, place: Place) -> (u32, u32) {
        (place, Lexer::token_at(self.text, place as usize).1 as u32)
    }

    #[cold]
    fn error_at<T>(&self, place: Place, message: impl Into<String>) -> Result<T> {
        let (start, end) = self.span(place);
        Err(Box::new(Diagnostic::error(message).at(Span { file: self.file, start, end })))
    }

    #[cold]
    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        self.error_at(self.place(), message)
    }

    /// Something else stands here than what is `wanted`.
    #[cold]
    fn expected<T>(&self, wanted: &str) -> Result<T> {
        match Lexer::token_at(self.text, self.at).0 {
            Token::Bad(wanted) => self.error(format!("expected {wanted}")),
            found => self.error(format!("expected {wanted}, found {}", describe(found))),
        }
    }

    fn unsupported<T>(&self, what: impl std::fmt::Display) -> Result<T> {
        self.error(format!("unsupported: {what}"))
    }

    /// Whether a character that stands for itself is next.
    #[inline(always)]
    fn at(&self, punct: u8) -> bool {
        self.byte() == punct
    }

    /// Where `word` ends, if it is next.
    #[inline(always)]
    fn end_of_word(&self, word: &str) -> Option<usize> {
        let end = self.at + word.len();
        let here = self.text.as_bytes().get(self.at..end)?;
        if here != word.as_bytes() || is(self.byte_at(end), class::WORD) {
            return None;
        }
        let may_be_label = is(self.byte_at(end), class::LABEL) || self.byte_at(end) == b':';
        if may_be_label && Lexer::token_at(self.text, self.at).0 != Token::Word(word) {
            return None;
        }
        Some(end)
    }

    #[inline(always)]
    fn at_word(&self, word: &str) -> bool {
        self.end_of_word(word).is_some()
    }

    /// The plain name behind the `%` that stands here, and where it ends; `None` for a number, or one in quotes.
    #[inline(always)]
    fn plain_local(&self) -> Option<(&'t str, usize)> {
        let start = self.at + 1;
        let end = end_of_name(self.text, start);
        let name = &self.text[start..end];
        (!name.is_empty() && !is(self.byte_at(start), class::DIGIT)).then_some((name, end))
    }

    /// Takes a character, if it stands here.
    #[inline(always)]
    fn take(&mut self, punct: u8) -> bool {
        let here = self.at(punct);
        if here {
            self.go_to(self.at + 1);
        }
        here
    }

    #[inline(always)]
    fn take_word(&mut self, word: &str) -> bool {
        match self.end_of_word(word) {
            Some(end) => {
                self.go_to(end);
                true
            }
            None => false,
        }
    }

    #[inline(always)]
    fn expect(&mut self, punct: u8) -> Result<()> {
        if self.take(punct) { Ok(()) } else { self.missing(&[punct]) }
    }

    #[inline(always)]
    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { self.missing(word.as_bytes()) }
    }

    #[cold]
    #[inline(never)]
    fn missing<T>(&self, what: &[u8]) -> Result<T> {
        self.expected(&format!("`{}`", String::from_utf8_lossy(what)))
    }

    /// A word of a spelled kind, if one stands here.
    fn take_named<T>(&mut self, named: fn(&str) -> Option<T>) -> Option<T> {
        let word = self.word()?;
        let known = named(word)?;
        self.go_past(word);
        Some(known)
    }

    /// A string, without its escapes.
    fn text(&mut self) -> Result<Cow<'t, [u8]>> {
        // Mostly there are no escapes, and no label is between quotes.
        if self.at(b'"') {
            let rest = &self.text[self.at + 1..];
            if let Some(end) = memchr::memchr2(b'"', b'\\', rest.as_bytes())
                && rest.as_bytes()[end] == b'"'
                && rest.as_bytes().get(end + 1) != Some(&b':')
            {
                self.go_to(self.at + end + 2);
                return Ok(Cow::Borrowed(&rest.as_bytes()[..end]));
            }
        }
        match self.token() {
            Token::Text(text) => {
                self.advance();
                Ok(lexer::unescape(text))
            }
            _ => self.expected("a string"),
        }
    }

    fn utf8(&mut self) -> Result<Box<str>> {
        let place = self.place();
        let text = self.text()?;
        match std::str::from_utf8(&text) {
            Ok(text) => Ok(text.into()),
            Err(_) => self.error_at(place, "expected a string of UTF-8"),
        }
    }

    fn u64(&mut self, what: &str) -> Result<u64> {
        if let Some((value, end)) = short_number(self.text, self.at)
            && !may_go_on(self.byte_at(end))
        {
            self.go_to(end);
            return Ok(value.into());
        }
        match self.token() {
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
        let place = self.place();
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
        let place = self.place();
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
        for (key, mention) in self.globals.iter().filter(|(_, mention)| !mention.defined) {
            note(mention.first, format!("@{}", key));
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

impl<'t> NameToken<'t> {
    fn to_name(self) -> Name {
        self.key().to_name()
    }

    fn key(self) -> Key<'t> {
        match self {
            NameToken::Number(number) => Key::Number(number),
            _ => Key::Name(self.bytes().unwrap_or_default()),
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
