//! Arguments of macros and repetitions: what LLVM's `parseMacroArgument` makes of a text.
//!
//! A comma ends an argument; so does a blank outside parentheses, unless an operator is beside it, which then takes the
//! blanks away (`1 - 2` is the one argument `1-2`). Quotes hold a text together and are not part of it. In `.altmacro`
//! mode `%expr` is the number that it comes to, and `<text>` holds together as quotes do, with `!` before a character
//! that stands for itself.

use crate::assembler::{Assembler, Fault};
use crate::directive::Operands;
use crate::lex::{Lexer, continues_name, starts_name};

/// An argument: by name or in its turn, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Argument<'t> {
    pub name: Option<&'t str>,
    pub text: String,
    /// Where it starts in the statement.
    pub start: usize,
}

/// The next argument in its turn.
pub(super) fn argument(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>) -> Result<String, Fault> {
    let start = operands.lexer.next_start();
    if assembler.alternate {
        match operands.lexer.peek_byte() {
            Some(b'%') => {
                operands.lexer.skip(1);
                let (value, _) = operands.absolute(assembler)?;
                return Ok(value.to_string());
            }
            Some(b'<') => {
                let rest = operands.lexer.rest();
                if let Some((text, length)) = bracketed(rest) {
                    operands.lexer.skip(length);
                    return Ok(text);
                }
            }
            _ => {}
        }
    }
    let rest = operands.lexer.rest();
    let (text, length) =
        plain(rest).map_err(|(at, message)| Fault::new(start + at..start + at + 1, message))?;
    operands.lexer.skip(length);
    Ok(text)
}

/// The next argument, which may be named; the name is followed by `=`.
pub(super) fn named_argument<'t>(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'t>,
    rest_of_line: bool,
) -> Result<Argument<'t>, Fault> {
    let start = operands.lexer.next_start();
    let text = operands.lexer.rest();
    let name = argument_name(text);
    if let Some(name) = name {
        let after = operands.lexer.slice(start + name.len()..start + text.len());
        let blanks = after.len() - after.trim_start().len();
        operands.lexer.skip(name.len() + blanks + 1);
    }
    let text = if rest_of_line {
        let rest = operands.lexer.rest();
        operands.ignore();
        rest.to_owned()
    } else {
        argument(assembler, operands)?
    };
    Ok(Argument { name, text, start })
}

/// The name that `text` starts with, if `=` but not `==` follows.
fn argument_name(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(|&byte| starts_name(byte)) {
        return None;
    }
    let name = &text[..bytes.iter().take_while(|&&byte| continues_name(byte)).count()];
    let after = text[name.len()..].trim_start();
    (after.starts_with('=') && !after.starts_with("==")).then_some(name)
}

/// The text in `<…>` at the start of `text`, and how long it is there.
fn bracketed(text: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '>' => return Some((out, at + 1)),
            '!' => out.extend(characters.next().map(|(_, escaped)| escaped)),
            _ => out.push(character),
        }
    }
    None
}

/// Length of the operator at the start of `bytes`.
fn operator(bytes: &[u8]) -> usize {
    let two = bytes.get(..2).unwrap_or(&[]);
    let known: [&[u8]; 9] = [b"==", b"||", b"&&", b"!=", b"<=", b"<<", b"<>", b">=", b">>"];
    if known.contains(&two) {
        return 2;
    }
    match bytes.first() {
        // A point alone is one; before a name or number it is part of that.
        Some(b'.') if !bytes.get(1).is_some_and(|&byte| continues_name(byte)) => 1,
        Some(b'+' | b'-' | b'~' | b'/' | b'*' | b'|' | b'^' | b'&' | b'!' | b'<' | b'>') => 1,
        _ => 0,
    }
}

/// The argument at the start of `text`, and how long it is there, blanks after it included.
fn plain(text: &str) -> Result<(String, usize), (usize, &'static str)> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut depth = 0u32;
    let mut at = 0;
    let blanks = |from: usize| bytes[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    while at < bytes.len() {
        if depth == 0 {
            if bytes[at] == b',' {
                break;
            }
            let blank = blanks(at);
            at += blank;
            let length = operator(bytes.get(at..).unwrap_or(&[]));
            if length > 0 {
                out.push_str(&text[at..at + length]);
                at += length;
                at += blanks(at);
                continue;
            }
            if blank > 0 || at >= bytes.len() {
                break;
            }
        }
        let length = match bytes[at] {
            _ if operator(&bytes[at..]) > 0 => operator(&bytes[at..]),
            b'=' => return Err((at, "unexpected '=' in the argument")),
            b'"' => {
                let mut lexer = Lexer::at(text, at);
                let token = lexer.next();
                if lexer.position() <= at + 1 {
                    return Err((at, "the string has no closing quote"));
                }
                out.push_str(lexer.slice(token.range.start + 1..token.range.end - 1));
                at = lexer.position();
                continue;
            }
            b'\'' if bytes.get(at + 1) == Some(&b'\\') && bytes.get(at + 3) == Some(&b'\'') => 4,
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => 3,
            first if starts_name(first) || first.is_ascii_digit() => {
                bytes[at..].iter().take_while(|&&byte| continues_name(byte)).count()
            }
            b'(' => {
                depth += 1;
                1
            }
            b')' => {
                depth = depth.saturating_sub(1);
                1
            }
            _ => text[at..].chars().next().map_or(1, char::len_utf8),
        };
        out.push_str(&text[at..at + length]);
        at += length;
    }
    if depth > 0 {
        return Err((0, "the parentheses of the argument do not match"));
    }
    Ok((out, at))
}

/// All arguments that are left, none of them named.
pub(super) fn arguments(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
) -> Result<Vec<String>, Fault> {
    let mut arguments = Vec::new();
    // An empty one counts if another comes after it.
    let mut empty = 0;
    while !operands.lexer.at_end() {
        let text = argument(assembler, operands)?;
        if text.is_empty() {
            empty += 1;
        } else {
            arguments.extend(std::iter::repeat_n(String::new(), std::mem::take(&mut empty)));
            arguments.push(text);
        }
        operands.eat_comma();
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut text: &str) -> Vec<String> {
        let mut found = Vec::new();
        while !text.is_empty() {
            let (argument, length) = plain(text).unwrap_or_else(|(at, message)| panic!("{at}: {message}"));
            found.push(argument);
            text = text[length..].trim_start();
            text = text.strip_prefix(',').unwrap_or(text).trim_start();
        }
        found
    }

    #[test]
    fn arguments_split_as_llvm_splits_them() {
        assert_eq!(all("a, b c"), ["a", "b", "c"]);
        assert_eq!(all("1 + 2, v[0:1] x"), ["1+2", "v[0:1]", "x"]);
        assert_eq!(all("\"a, b\", c"), ["a, b", "c"]);
        assert_eq!(all("a,,b"), ["a", "", "b"]);
        assert_eq!(all("1 -2 (1 2) v[0: 1]"), ["1-2", "(1 2)", "v[0:", "1]"]);
        assert_eq!(all("1 % 2"), ["1", "%", "2"]);
        assert_eq!(all("',' .5 .a"), ["','", ".5", ".a"]);
        assert_eq!(all("(a == b) (c>=d)"), ["(a == b)", "(c>=d)"]);
        assert!(plain("(a").is_err());
        assert!(plain("a=b").is_err());
    }

    #[test]
    fn angle_brackets_hold_together() {
        assert_eq!(bracketed("<a, b!>c> d"), Some(("a, b>c".to_owned(), 9)));
        assert_eq!(bracketed("<a"), None);
    }
}
