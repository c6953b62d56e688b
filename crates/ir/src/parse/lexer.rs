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
pub struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

/// What a byte may be part of.
pub mod class {
    /// A word: letters, digits and `_`.
    pub const WORD: u8 = 1;
    /// A name or a label: a word, `-`, `$` and `.`.
    pub const LABEL: u8 = 2;
    pub const DIGIT: u8 = 4;
    /// Between tokens.
    pub const BLANK: u8 = 8;
    /// A token by itself.
    pub const PUNCT: u8 = 16;
    /// Between tokens, or where a comment may begin.
    pub const GAP: u8 = 32;

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
            if matches!(
                b,
                b'=' | b',' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'*' | b'|' | b':'
            ) {
                all[byte] |= PUNCT;
            }
            if matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
                all[byte] |= BLANK | GAP;
            }
            if matches!(b, b';' | b'/') {
                all[byte] |= GAP;
            }
            byte += 1;
        }
        all
    };
}

/// Whether a byte is of one of these classes.
#[inline(always)]
pub fn is(byte: u8, classes: u8) -> bool {
    class::OF[byte as usize] & classes != 0
}

/// Whether a number or a word may be more with this byte behind it: another number, a longer word, a label.
#[inline(always)]
pub fn may_go_on(byte: u8) -> bool {
    is(byte, class::LABEL) || byte == b':'
}

#[inline(always)]
fn is_label(byte: u8) -> bool {
    is(byte, class::LABEL)
}

/// How many of eight bytes are digits, from the first on.
#[inline(always)]
fn digits_of(eight: u64) -> usize {
    let distance = eight ^ 0x3030_3030_3030_3030;
    // The upper bit of what is no digit; a carry reaches only what stands behind one that is none.
    let others = (distance.wrapping_add(0x7676_7676_7676_7676) | distance) & 0x8080_8080_8080_8080;
    others.trailing_zeros() as usize / 8
}

/// The number that begins at a byte, if it has one to seven digits, and where it ends. How many they are differs from one
/// to the next: nothing here depends on it.
#[inline(always)]
pub fn short_number(text: &str, at: usize) -> Option<(u32, usize)> {
    let eight: [u8; 8] = text.as_bytes().get(at..at + 8)?.try_into().ok()?;
    let eight = u64::from_le_bytes(eight);
    let count = digits_of(eight);
    if count.wrapping_sub(1) > 6 {
        return None;
    }
    // The digits as they would stand behind zeros, two by two, four by four, eight.
    let digits = (eight & 0x0f0f_0f0f_0f0f_0f0f) << (64 - 8 * count);
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let value = fours.wrapping_mul(10_000) + (fours >> 32);
    Some((value as u32, at + count))
}

/// How many of eight bytes are letters, digits or `_`, from the first on.
#[inline(always)]
fn word_bytes_of(eight: u64) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let all = |byte: u8| ONES * u64::from(byte);
    let low = eight & all(0x7f);
    // The upper bit says that a byte of seven bits is at least so much.
    let least = |of: u64, byte: u8| of.wrapping_add(all(0x80 - byte));
    let small = low | all(0x20);
    let letters = least(small, b'a') & !least(small, b'z' + 1);
    let digits = least(low, b'0') & !least(low, b'9' + 1);
    let line = !least(low ^ all(b'_'), 1);
    let others = !(letters | digits | line) | eight;
    (others & all(0x80)).trailing_zeros() as usize / 8
}

/// Where the letters, digits and `_` from a byte on end.
#[inline(always)]
fn end_of_word(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(eight) = bytes.get(at..at + 8) {
        let eight = u64::from_le_bytes(eight.try_into().unwrap_or_default());
        let count = word_bytes_of(eight);
        at += count;
        if count < 8 {
            return at;
        }
    }
    while bytes.get(at).is_some_and(|&byte| is(byte, class::WORD)) {
        at += 1;
    }
    at
}

/// Where a plain name that begins at a byte ends.
#[inline(always)]
pub fn end_of_name(text: &str, mut at: usize) -> usize {
    loop {
        at = end_of_word(text, at);
        match text.as_bytes().get(at) {
            Some(b'-' | b'$' | b'.') => at += 1,
            _ => return at,
        }
    }
}

impl<'t> Lexer<'t> {
    /// The word that begins at a byte, if the token there is one.
    #[inline(always)]
    pub fn word_at(text: &'t str, at: usize) -> Option<&'t str> {
        let end = end_of_word(text, at);
        let next = text.as_bytes().get(end).copied().unwrap_or(0);
        // What is no plain word: labels, `c"…"`, literals.
        let plain = match text.as_bytes().get(at..end)? {
            [] | [_, b'0', ..] | b"inf" | b"nan" | b"qnan" | b"snan" => false,
            [first, ..] => first.is_ascii_lowercase() && !may_go_on(next) && next != b'"',
        };
        if plain { Some(&text[at..end]) } else { Lexer::odd_word_at(text, at) }
    }

    #[cold]
    #[inline(never)]
    fn odd_word_at(text: &'t str, at: usize) -> Option<&'t str> {
        match Lexer::token_at(text, at).0 {
            Token::Word(word) => Some(word),
            _ => None,
        }
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

    /// The token that begins at a byte, and where it ends.
    #[inline]
    pub fn token_at(text: &'t str, at: usize) -> (Token<'t>, usize) {
        let mut lexer = Lexer { text, at };
        let token = lexer.token();
        (token, lexer.at.max(at))
    }

    /// Where the first token from a byte on begins.
    #[inline(always)]
    pub fn begin_from(text: &'t str, from: usize) -> usize {
        let bytes = text.as_bytes();
        // Mostly one blank or none stands between tokens.
        let at = from + usize::from(bytes.get(from) == Some(&b' '));
        match bytes.get(at) {
            Some(&byte) if is(byte, class::GAP) => Lexer::behind_gap(text, at),
            _ => at,
        }
    }

    /// The same, where a line ends, or more than one blank or a comment stands.
    #[inline(never)]
    fn behind_gap(text: &'t str, mut at: usize) -> usize {
        let bytes = text.as_bytes();
        while bytes.get(at).is_some_and(|&byte| is(byte, class::BLANK)) {
            at += 1;
        }
        match bytes.get(at) {
            Some(b';' | b'/') => Lexer::behind_comments(text, at),
            _ => at,
        }
    }

    #[cold]
    #[inline(never)]
    fn behind_comments(text: &'t str, at: usize) -> usize {
        let mut lexer = Lexer { text, at };
        lexer.skip_comments();
        lexer.at
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
            _ if is(byte, class::PUNCT) => {
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
        let end = end_of_name(self.text, from);
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
        let end = end_of_word(self.text, start);
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
