//! Tokens of one statement: what LLVM's `AsmLexer` makes of identifiers, numbers, strings and punctuation.
//!
//! For: expressions and directive operands. Statements are cut out, and comments are gone, before a [`Lexer`]
//! sees the text ([`crate::statement`]); instruction operands are read by the instruction table's own parser.
//!
//! Anatomy of a name: a letter, `_`, `.` or `$` first, then also digits, `?` and `@`
//! (`sym@rel32@lo` is one token). Numbers: decimal, `0x`, `0b`, octal with a leading 0, an optional `U`, `L`,
//! `LL` suffix; a number followed by `b` or `f` alone names a numeric label.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A name.
    Name,
    /// An integer; 64 bits, `-1` and `0xffff_ffff_ffff_ffff` alike.
    Integer(u64),
    /// A real number; [`crate::real`] reads it.
    Real,
    /// Digits followed by `b` (backward) or `f` (forward).
    NumericLabel {
        /// The label's number.
        number: u64,
        /// Whether the next definition is meant, not the last.
        forward: bool,
    },
    /// A quoted string, quotes included in the range.
    String,
    /// A character that stands for itself, or the first of an operator; see [`Lexer::operator`].
    Punctuation(u8),
    /// The end of the statement.
    End,
    /// Something that is no token; the text says what is wrong.
    Bad(&'static str),
}

/// A token and its bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub range: Range<usize>,
}

/// A cursor over the text of one statement.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

/// Whether a name may start with `byte`.
pub(crate) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'$')
}

/// Whether a name may go on with `byte`.
pub(crate) fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'?' | b'@')
}

impl<'a> Lexer<'a> {
    /// At the start of `text`.
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, position: 0 }
    }

    /// At byte `position` of `text`.
    pub fn at(text: &'a str, position: usize) -> Lexer<'a> {
        Lexer { text, position: position.min(text.len()) }
    }

    /// Where the next token, or the blank before it, starts.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Start of the next token.
    pub fn next_start(&mut self) -> usize {
        self.skip_blanks();
        self.position
    }

    /// The text of `range`; empty when it is outside.
    pub fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or("")
    }

    /// What is left, blanks trimmed.
    pub fn rest(&mut self) -> &'a str {
        self.skip_blanks();
        self.text.get(self.position..).unwrap_or("").trim_end()
    }

    /// The next byte that is no blank, without moving past it.
    pub fn peek_byte(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.byte(0)
    }

    /// The next token, without moving.
    pub fn peek(&self) -> Token {
        self.clone().next()
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.position + ahead).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.byte(0), Some(b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)) {
            self.position += 1;
        }
    }

    /// The next token.
    pub fn next(&mut self) -> Token {
        self.skip_blanks();
        let start = self.position;
        let kind = match self.byte(0) {
            None => Kind::End,
            Some(b'0'..=b'9') => self.number(),
            Some(b'.') if self.starts_real() => self.real(),
            Some(byte) if starts_name(byte) => {
                while self.byte(0).is_some_and(continues_name) {
                    self.position += 1;
                }
                Kind::Name
            }
            Some(b'"') => self.string(),
            Some(b'\'') => self.character(),
            Some(byte) if byte.is_ascii() => {
                self.position += 1;
                Kind::Punctuation(byte)
            }
            Some(_) => {
                self.position += self.text[start..].chars().next().map_or(1, char::len_utf8);
                Kind::Bad("this character has no meaning in assembly")
            }
        };
        Token { kind, range: start..self.position }
    }

    /// Whether the next token is the punctuation `byte`; moves past it if so.
    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek_byte() == Some(byte);
        if found {
            self.position += 1;
        }
        found
    }

    /// Whether the next token is the name `name`; moves past it if so.
    pub fn eat_name(&mut self, name: &str) -> bool {
        let token = self.peek();
        let found = token.kind == Kind::Name && self.slice(token.range.clone()) == name;
        if found {
            self.position = token.range.end;
        }
        found
    }

    /// Whether nothing is left.
    pub fn at_end(&mut self) -> bool {
        self.peek_byte().is_none()
    }

    /// The bytes of the next token if it is a binary or comparison operator of two characters or one.
    pub fn operator(&mut self) -> &'a str {
        self.skip_blanks();
        let two = self.text.get(self.position..self.position + 2).unwrap_or("");
        if ["||", "&&", "==", "!=", "<>", "<=", ">=", "<<", ">>"].contains(&two) {
            return two;
        }
        self.text.get(self.position..self.position + 1).unwrap_or("")
    }

    /// Moves over `count` bytes that [`Lexer::operator`] showed.
    pub fn skip(&mut self, count: usize) {
        self.position = (self.position + count).min(self.text.len());
    }

    fn number(&mut self) -> Kind {
        let bytes = self.text.as_bytes();
        let digits_from = |from: usize, ok: fn(&u8) -> bool| {
            bytes.get(from..).unwrap_or(&[]).iter().take_while(|byte| ok(byte)).count()
        };
        let start = self.position;
        let (radix, skip) = match (self.byte(0), self.byte(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => (16, 2),
            (Some(b'0'), Some(b'b' | b'B')) if matches!(self.byte(2), Some(b'0' | b'1')) => (2, 2),
            (Some(b'0'), Some(b'0'..=b'9')) => (8, 1),
            _ => (10, 0),
        };
        let ok: fn(&u8) -> bool = match radix {
            16 => u8::is_ascii_hexdigit,
            2 => |byte| matches!(byte, b'0' | b'1'),
            _ => u8::is_ascii_digit,
        };
        let count = digits_from(start + skip, ok);
        let digits = &self.text[start + skip..start + skip + count];
        self.position = start + skip + count;
        if radix != 16 && radix != 2 && self.starts_fraction() {
            self.position = start;
            return self.real();
        }
        if radix == 16 && matches!(self.byte(0), Some(b'.' | b'p' | b'P')) {
            return self.hexadecimal_real();
        }
        if count == 0 {
            return Kind::Bad("expected digits after 0x");
        }
        let Ok(value) = u64::from_str_radix(digits, radix) else {
            let octal = radix == 8 && !digits.bytes().all(|digit| digit < b'8');
            return Kind::Bad(if octal {
                "invalid octal number"
            } else {
                "the number does not fit in 64 bits"
            });
        };
        let follower = self.byte(0);
        if radix == 10 && matches!(follower, Some(b'b' | b'f')) && !self.byte(1).is_some_and(continues_name) {
            self.position += 1;
            return Kind::NumericLabel { number: value, forward: follower == Some(b'f') };
        }
        for suffix in [b'U', b'L', b'L'] {
            if self.byte(0) == Some(suffix) {
                self.position += 1;
            }
        }
        Kind::Integer(value)
    }

    /// Whether the `.` here starts a number (`.5`) and not a name (`.2byte`).
    fn starts_real(&self) -> bool {
        let rest = self.text.as_bytes().get(self.position + 1..).unwrap_or(&[]);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0
            && rest.get(digits).is_none_or(|&byte| !continues_name(byte) || matches!(byte, b'e' | b'E'))
    }

    fn starts_fraction(&self) -> bool {
        match self.byte(0) {
            Some(b'.') => true,
            Some(b'e' | b'E') => {
                let sign = usize::from(matches!(self.byte(1), Some(b'+' | b'-')));
                matches!(self.byte(1 + sign), Some(b'0'..=b'9'))
            }
            _ => false,
        }
    }

    fn real(&mut self) -> Kind {
        let start = self.position;
        let digits = |this: &mut Self| {
            while matches!(this.byte(0), Some(b'0'..=b'9')) {
                this.position += 1;
            }
        };
        digits(self);
        if self.byte(0) == Some(b'.') {
            self.position += 1;
            digits(self);
        }
        if self.starts_fraction() && self.byte(0) != Some(b'.') {
            self.position += 2;
            digits(self);
        }
        match self.text[start..self.position].parse::<f64>() {
            Ok(_) => Kind::Real,
            Err(_) => Kind::Bad("invalid real number"),
        }
    }

    /// The rest of `0x1.8p3`, from the point or the exponent on.
    fn hexadecimal_real(&mut self) -> Kind {
        if self.byte(0) == Some(b'.') {
            self.position += 1;
            while self.byte(0).is_some_and(|byte| byte.is_ascii_hexdigit()) {
                self.position += 1;
            }
        }
        if !matches!(self.byte(0), Some(b'p' | b'P')) {
            return Kind::Bad("a hexadecimal real number needs an exponent, such as p0");
        }
        self.position += 1 + usize::from(matches!(self.byte(1), Some(b'+' | b'-')));
        let start = self.position;
        while matches!(self.byte(0), Some(b'0'..=b'9')) {
            self.position += 1;
        }
        if self.position == start {
            Kind::Bad("expected digits after the p of an exponent")
        } else {
            Kind::Real
        }
    }

    /// The next token as an integer of up to 128 bits, and its bytes.
    pub fn wide_integer(&mut self) -> (Option<u128>, Range<usize>) {
        let start = self.next_start();
        let token = self.next();
        if let Kind::Integer(value) = token.kind {
            return (Some(value.into()), token.range);
        }
        self.position = start;
        let digits = |ok: fn(&u8) -> bool, from: usize| {
            let bytes = self.text.as_bytes().get(from..).unwrap_or(&[]);
            from + bytes.iter().take_while(|byte| ok(byte)).count()
        };
        let hexadecimal = matches!(self.byte(0), Some(b'0')) && matches!(self.byte(1), Some(b'x' | b'X'));
        let (value, end) = if hexadecimal {
            let end = digits(u8::is_ascii_hexdigit, start + 2);
            (u128::from_str_radix(self.slice(start + 2..end), 16), end)
        } else {
            let end = digits(u8::is_ascii_digit, start);
            (self.slice(start..end).parse(), end)
        };
        self.position = end.max(token.range.end.min(end.max(start + 1)));
        (value.ok(), start..end.max(token.range.end))
    }

    fn string(&mut self) -> Kind {
        self.position += 1;
        loop {
            match self.byte(0) {
                None => return Kind::Bad("the string has no closing quote"),
                Some(b'"') => {
                    self.position += 1;
                    return Kind::String;
                }
                Some(b'\\') if self.byte(1).is_some() => {
                    self.position += 1;
                    self.skip_character();
                }
                Some(_) => self.skip_character(),
            }
        }
    }

    fn skip_character(&mut self) {
        self.position += self.text[self.position..].chars().next().map_or(1, char::len_utf8);
    }

    fn character(&mut self) -> Kind {
        let value = match (self.byte(1), self.byte(2), self.byte(3)) {
            (Some(b'\\'), Some(escaped), Some(b'\'')) => {
                self.position += 4;
                match escaped {
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'b' => 8,
                    b'f' => 12,
                    b'r' => b'\r',
                    other if other.is_ascii() => other,
                    _ => return Kind::Bad("invalid character constant"),
                }
            }
            (Some(plain), Some(b'\''), _) if plain.is_ascii() && plain != b'\\' => {
                self.position += 3;
                plain
            }
            _ => {
                self.position += 1;
                return Kind::Bad("invalid character constant");
            }
        };
        Kind::Integer(u64::from(value))
    }
}

/// The bytes that a quoted string stands for; `quoted` includes the quotes. Errors are byte offsets into
/// `quoted` and what is wrong there.
pub(crate) fn unquote(quoted: &str) -> Result<Vec<u8>, (usize, &'static str)> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("").as_bytes();
    let mut bytes = Vec::with_capacity(inner.len());
    let mut at = 0;
    while let Some(&byte) = inner.get(at) {
        at += 1;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let Some(&escaped) = inner.get(at) else {
            return Err((at, "a lone backslash at the end of the string"));
        };
        at += 1;
        bytes.push(match escaped {
            b'x' | b'X' => {
                let digits = inner[at..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
                if digits == 0 {
                    return Err((at, "expected hexadecimal digits after \\x"));
                }
                let value = inner[at..at + digits].iter().fold(0u8, |value, &digit| {
                    let digit = (digit as char).to_digit(16).unwrap_or(0) as u8;
                    value.wrapping_shl(4) | digit
                });
                at += digits;
                value
            }
            b'0'..=b'7' => {
                let mut value = u32::from(escaped - b'0');
                for _ in 0..2 {
                    if let Some(&digit @ b'0'..=b'7') = inner.get(at) {
                        value = value * 8 + u32::from(digit - b'0');
                        at += 1;
                    }
                }
                u8::try_from(value).map_err(|_| (at, "octal escape does not fit in a byte"))?
            }
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'"' | b'\\' => escaped,
            _ => return Err((at, "unknown escape in the string")),
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut lexer = Lexer::new(text);
        let mut kinds = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == Kind::End {
                return kinds;
            }
            kinds.push(token.kind);
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(
            kinds("10 0x1F 0b101 017 5ULL 0xffffffffffffffff 1.5 2e3 .5 1b 2f 'a' '\\n'"),
            [
                Kind::Integer(10),
                Kind::Integer(31),
                Kind::Integer(5),
                Kind::Integer(15),
                Kind::Integer(5),
                Kind::Integer(u64::MAX),
                Kind::Real,
                Kind::Real,
                Kind::Real,
                Kind::NumericLabel { number: 1, forward: false },
                Kind::NumericLabel { number: 2, forward: true },
                Kind::Integer(97),
                Kind::Integer(10),
            ]
        );
        assert!(matches!(kinds("0x")[..], [Kind::Bad(_)]));
        assert!(matches!(kinds("18446744073709551616")[..], [Kind::Bad(_)]));
    }

    #[test]
    fn strings() {
        assert_eq!(unquote(r#""a\341\177\n\x41\"""#), Ok(b"a\xe1\x7f\nA\"".to_vec()));
        assert!(unquote(r#""\q""#).is_err());
        assert!(unquote(r#""\777""#).is_err());
        assert_eq!(kinds("\"a;b\" c"), [Kind::String, Kind::Name]);
        assert!(matches!(kinds("\"abc")[..], [Kind::Bad(_)]));
    }
}
