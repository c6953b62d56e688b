//! Text to tokens, one at a time.
//!
//! Follows what LLVM's lexer takes (the language reference has no grammar of tokens): names `[-a-zA-Z$._0-9]+` or quoted
//! with `\XX` escapes, labels with their colon, literals. Nothing is copied: a token is a piece of the text.

use std::borrow::Cow;

/// A name behind its sigil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameToken<'t> {
    /// As it stands.
    Plain(&'t str),
    /// What is between quotes, with its escapes.
    Quoted(&'t str),
    /// A number.
    Number(u32),
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// The end of the text.
    End,
    /// A keyword, a type, the name of an attribute.
    Word(&'t str),
    /// A name and a colon.
    Label(NameToken<'t>),
    /// `@name`.
    Global(NameToken<'t>),
    /// `%name`.
    Local(NameToken<'t>),
    /// `$name`.
    Comdat(NameToken<'t>),
    /// `#0`.
    Group(u32),
    /// `#dbg_value`: what comes after `#dbg_`.
    Record(&'t str),
    /// `!4`.
    Node(u32),
    /// `!name`, with its escapes.
    Meta(&'t str),
    /// `!` before something else.
    Bang,
    /// `"…"`, with its escapes.
    Text(&'t str),
    /// `c"…"`, with its escapes.
    Bytes(&'t str),
    /// An integer in decimal.
    Int(&'t str),
    /// `u0x…` or `s0x…`.
    HexInt(&'t str),
    /// A floating-point literal.
    Float(&'t str),
    /// `...`.
    Dots,
    /// A character that stands for itself.
    Punct(u8),
    /// What no token begins with, or does not end.
    Bad(&'static str),
}

/// A cursor in the text.
#[derive(Clone)]
pub struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

/// What a byte may be part of.
mod class {
    /// A word: letters, digits and `_`.
    pub const WORD: u8 = 1;
    /// A name or a label: a word, `-`, `$` and `.`.
    pub const LABEL: u8 = 2;
    pub const DIGIT: u8 = 4;
    /// Between tokens.
    pub const BLANK: u8 = 8;

    /// The classes of every byte.
    pub static OF: [u8; 256] = {
        let mut all = [0; 256];
        let mut byte = 0;
        while byte < 128 {
            let b = byte as u8;
            if b.is_ascii_alphanumeric() || b == b'_' {
                all[byte] |= WORD | LABEL;
            }
            if matches!(b, b'-' | b'$' | b'.') {
                all[byte] |= LABEL;
            }
            if b.is_ascii_digit() {
                all[byte] |= DIGIT;
            }
            if matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
                all[byte] |= BLANK;
            }
            byte += 1;
        }
        all
    };
}

#[inline(always)]
fn is(byte: u8, classes: u8) -> bool {
    class::OF[byte as usize] & classes != 0
}

#[inline(always)]
fn is_label(byte: u8) -> bool {
    is(byte, class::LABEL)
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0 }
    }

    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn end_of(&self, from: usize, accepts: impl Fn(u8) -> bool) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < bytes.len() && accepts(bytes[at]) {
            at += 1;
        }
        at
    }

    /// The next token with its first byte and the byte behind it.
    pub fn next(&mut self) -> (Token<'t>, u32, u32) {
        self.skip_blanks();
        let start = self.at;
        let token = self.token();
        (token, start as u32, self.at as u32)
    }

    /// The first byte of the next token, unless a comment stands before it.
    #[inline(always)]
    pub fn next_byte(&self) -> u8 {
        self.byte(self.end_of(self.at, |byte| is(byte, class::BLANK)))
    }

    #[inline(always)]
    fn skip_blanks(&mut self) {
        self.at = self.end_of(self.at, |byte| is(byte, class::BLANK));
        if matches!(self.byte(self.at), b';' | b'/') {
            self.skip_comments();
        }
    }

    fn skip_comments(&mut self) {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            match bytes[self.at] {
                byte if is(byte, class::BLANK) => self.at += 1,
                b';' => self.at = self.end_of(self.at, |byte| byte != b'\n'),
                // `/* … */`, from LLVM 21 on.
                b'/' if self.byte(self.at + 1) == b'*' => {
                    let rest = &self.text[self.at..];
                    self.at = rest.find("*/").map_or(self.text.len(), |end| self.at + end + 2);
                }
                _ => break,
            }
        }
    }

    fn token(&mut self) -> Token<'t> {
        let start = self.at;
        let Some(&byte) = self.text.as_bytes().get(start) else { return Token::End };
        match byte {
            b'@' => self.name(Token::Global),
            b'%' => self.name(Token::Local),
            b'$' if !self.is_label_ahead(start) => self.name(Token::Comdat),
            b'!' => self.bang(),
            b'#' => self.hash(),
            b'"' => match self.quoted(start + 1) {
                Some(text) if self.byte(self.at) == b':' => {
                    self.at += 1;
                    Token::Label(NameToken::Quoted(text))
                }
                Some(text) => Token::Text(text),
                None => Token::Bad("a closing quote"),
            },
            b'0'..=b'9' | b'-' | b'+' => self.number(),
            b'.' if self.text[start..].starts_with("...") && !self.is_label_ahead(start) => {
                self.at += 3;
                Token::Dots
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' | b'$' => self.word(),
            b'=' | b',' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'*' | b'|' | b':' => {
                self.at += 1;
                Token::Punct(byte)
            }
            b'^' => Token::Bad("no summary entry (`^`): unsupported"),
            _ => Token::Bad("a token of LLVM IR"),
        }
    }

    /// Whether the characters of a label lead to a colon.
    fn is_label_ahead(&self, from: usize) -> bool {
        self.byte(self.end_of(from, is_label)) == b':'
    }

    fn label(&mut self) -> Token<'t> {
        let start = self.at;
        let end = self.end_of(start, is_label);
        self.at = end + 1;
        let text = &self.text[start..end];
        Token::Label(number(text).map_or(NameToken::Plain(text), NameToken::Number))
    }

    /// What is between the quote before `from` and the next one.
    fn quoted(&mut self, from: usize) -> Option<&'t str> {
        let end = self.end_of(from, |byte| byte != b'"');
        if end == self.text.len() {
            return None;
        }
        self.at = end + 1;
        Some(&self.text[from..end])
    }

    #[inline(always)]
    fn name(&mut self, token: impl Fn(NameToken<'t>) -> Token<'t>) -> Token<'t> {
        let from = self.at + 1;
        if self.byte(from) == b'"' {
            return match self.quoted(from + 1) {
                Some(text) if !text.is_empty() => token(NameToken::Quoted(text)),
                _ => Token::Bad("a name between quotes"),
            };
        }
        if self.byte(from).is_ascii_digit() {
            let end = self.end_of(from, |byte| is(byte, class::DIGIT));
            let value = self.digits(from, end);
            self.at = end;
            return value.map_or(Token::Bad("a number below 2^32"), |value| token(NameToken::Number(value)));
        }
        let end = self.end_of(from, is_label);
        if end == from {
            return Token::Bad("a name");
        }
        self.at = end;
        token(NameToken::Plain(&self.text[from..end]))
    }

    /// The number that these digits are, if it is below 2^32.
    #[inline(always)]
    fn digits(&self, from: usize, end: usize) -> Option<u32> {
        let digits = &self.text.as_bytes()[from..end];
        if digits.len() > 9 {
            return number(&self.text[from..end]);
        }
        Some(digits.iter().fold(0, |value, &digit| value * 10 + u32::from(digit - b'0')))
    }

    fn bang(&mut self) -> Token<'t> {
        let from = self.at + 1;
        let first = self.byte(from);
        if first.is_ascii_digit() {
            let end = self.end_of(from, |byte| is(byte, class::DIGIT));
            let value = self.digits(from, end);
            self.at = end;
            return value.map_or(Token::Bad("a number below 2^32"), Token::Node);
        }
        let end = self.end_of(from, |byte| is_label(byte) || byte == b'\\');
        if end == from {
            self.at += 1;
            return Token::Bang;
        }
        self.at = end;
        Token::Meta(&self.text[from..end])
    }

    fn hash(&mut self) -> Token<'t> {
        let from = self.at + 1;
        if let Some(rest) = self.text[from..].strip_prefix("dbg_") {
            let start = self.text.len() - rest.len();
            self.at = self.end_of(start, |byte| byte.is_ascii_alphabetic());
            return Token::Record(&self.text[start..self.at]);
        }
        let end = self.end_of(from, |byte| is(byte, class::DIGIT));
        match number(&self.text[from..end]) {
            Some(value) => {
                self.at = end;
                Token::Group(value)
            }
            None => Token::Bad("the number of an attribute group"),
        }
    }

    fn word(&mut self) -> Token<'t> {
        let start = self.at;
        if self.byte(start) == b'c' && self.byte(start + 1) == b'"' {
            return self.quoted(start + 2).map_or(Token::Bad("a closing quote"), Token::Bytes);
        }
        let end = self.end_of(start, |byte| is(byte, class::WORD));
        // Most words end where a label could not go on.
        if is_label(self.byte(end)) || self.byte(end) == b':' {
            if self.is_label_ahead(start) {
                return self.label();
            }
            if end == start {
                return Token::Bad("a token of LLVM IR");
            }
        }
        self.at = end;
        let text = &self.text[start..end];
        if !matches!(text.as_bytes()[0], b'i' | b'q' | b'n' | b's' | b'f' | b'u') {
            return Token::Word(text);
        }
        match text {
            "inf" | "qnan" => Token::Float(text),
            "nan" | "snan" => self.payload(start),
            _ if text.starts_with("f0x") => Token::Float(text),
            _ if text.starts_with("u0x") || text.starts_with("s0x") => Token::HexInt(text),
            _ => Token::Word(text),
        }
    }

    /// The rest of `nan(0x1)`; what is before the parenthesis is read.
    fn payload(&mut self, start: usize) -> Token<'t> {
        if self.byte(self.at) == b'(' {
            let end = self.end_of(self.at + 1, |byte| byte.is_ascii_alphanumeric());
            if self.byte(end) == b')' {
                self.at = end + 1;
            }
        }
        Token::Float(&self.text[start..self.at])
    }

    fn number(&mut self) -> Token<'t> {
        let start = self.at;
        let signed = !self.byte(start).is_ascii_digit();
        let digits = start + usize::from(signed);
        let end = self.end_of(digits, |byte| is(byte, class::DIGIT));
        if self.byte(start) != b'+'
            && (is_label(self.byte(end)) || self.byte(end) == b':')
            && self.is_label_ahead(start)
        {
            return self.label();
        }
        if end == digits {
            // `-inf`, `+qnan`, `-nan(0x1)`.
            self.at = self.end_of(digits, |byte| byte.is_ascii_alphabetic());
            return match &self.text[digits..self.at] {
                "inf" | "qnan" => Token::Float(&self.text[start..self.at]),
                "nan" | "snan" => self.payload(start),
                _ => {
                    self.at = start;
                    Token::Bad("a number")
                }
            };
        }
        if !signed && self.byte(digits) == b'0' && self.byte(digits + 1) == b'x' {
            self.at = self.end_of(digits + 2, |byte| byte.is_ascii_alphanumeric());
            return Token::Float(&self.text[start..self.at]);
        }
        if self.byte(end) != b'.' {
            self.at = end;
            return Token::Int(&self.text[start..end]);
        }
        let mut end = self.end_of(end + 1, |byte| is(byte, class::DIGIT));
        if matches!(self.byte(end), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(end + 1), b'+' | b'-'));
            let from = end + 1 + sign;
            let exponent = self.end_of(from, |byte| is(byte, class::DIGIT));
            if exponent > from {
                end = exponent;
            }
        }
        self.at = end;
        Token::Float(&self.text[start..end])
    }
}

/// A decimal number below 2^32.
fn number(text: &str) -> Option<u32> {
    if text.is_empty() || !text.bytes().all(|byte| is(byte, class::DIGIT)) {
        return None;
    }
    text.parse().ok()
}

/// The bytes of a text with `\XX` escapes: two hexadecimal digits, or a second backslash.
pub fn unescape(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('\\') {
        return Cow::Borrowed(text.as_bytes());
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |offset: usize| bytes.get(at + offset).and_then(|&byte| (byte as char).to_digit(16));
        if bytes[at] == b'\\' {
            if bytes.get(at + 1) == Some(&b'\\') {
                out.push(b'\\');
                at += 2;
                continue;
            }
            if let (Some(high), Some(low)) = (digit(1), digit(2)) {
                out.push((high << 4 | low) as u8);
                at += 3;
                continue;
            }
        }
        out.push(bytes[at]);
        at += 1;
    }
    Cow::Owned(out)
}

impl<'t> NameToken<'t> {
    /// The bytes of a name that is no number.
    pub fn bytes(self) -> Option<Cow<'t, [u8]>> {
        match self {
            NameToken::Plain(text) => Some(Cow::Borrowed(text.as_bytes())),
            NameToken::Quoted(text) => Some(unescape(text)),
            NameToken::Number(_) => None,
        }
    }
}
