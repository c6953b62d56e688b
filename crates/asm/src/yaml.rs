//! Metadata text as LLVM's YAML reads it.
//!
//! What a scalar is follows from its text alone, quoted or not: an integer in any base (`010` is 8, `'12'` is a number),
//! `true` or `false` in just that spelling, what C reads as a real number, or else a string: `True`, `~` and `null` are
//! strings. A tag such as `!str` or `!int` decides otherwise. Nothing at all is an empty sequence. Keys are strings.

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use indexmap::IndexMap;
use indexmap::map::Entry;
use wavemark_codeobj::value::Value;

use crate::real::Precision;

/// How deep a tree may be; metadata needs five levels.
const MAX_DEPTH: u32 = 64;

/// Where a text is not what it should be: line and column, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// The tree of a text with one document.
pub(crate) fn read(text: &str) -> Result<Value, YamlError> {
    let mut events = Parser::new_from_str(text);
    let mut reader = Reader { events: &mut events };
    let mut found = None;
    while let Some((event, span)) = reader.next()? {
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentStart(..) | Event::DocumentEnd => {}
            _ if found.is_some() => return Err(error(span, "a second document")),
            event => found = Some(reader.value(event, span, 0)?),
        }
    }
    found.ok_or(YamlError { line: 1, column: 1, message: "there is no document".to_owned() })
}

fn error(span: Span, message: impl Into<String>) -> YamlError {
    YamlError { line: span.start.line(), column: span.start.col() + 1, message: message.into() }
}

struct Reader<'e, 't> {
    events: &'e mut dyn Iterator<Item = Result<(Event<'t>, Span), ScanError>>,
}

impl<'t> Reader<'_, 't> {
    fn next(&mut self) -> Result<Option<(Event<'t>, Span)>, YamlError> {
        loop {
            let event = self.events.next().transpose().map_err(|error| {
                let at = error.marker();
                YamlError { line: at.line(), column: at.col() + 1, message: error.info() }
            })?;
            if !matches!(event, Some((Event::Comment(..), _))) {
                return Ok(event);
            }
        }
    }

    /// The next event inside a sequence or map.
    fn inner(&mut self, span: Span) -> Result<(Event<'t>, Span), YamlError> {
        self.next()?.ok_or_else(|| error(span, "this has no end"))
    }

    fn value(&mut self, event: Event<'t>, span: Span, depth: u32) -> Result<Value, YamlError> {
        if depth > MAX_DEPTH {
            return Err(error(span, format!("more than {MAX_DEPTH} levels")));
        }
        match event {
            Event::Scalar(text, style, _, tag) => {
                let tag = tag.map(|tag| format!("{}{}", tag.handle(), tag.suffix()));
                if style == ScalarStyle::Plain && span.start.index() == span.end.index() && tag.is_none() {
                    return Ok(Value::Seq(Vec::new()));
                }
                scalar(&text, tag.as_deref()).map_err(|message| error(span, message))
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.inner(span)? {
                        (Event::SequenceEnd, _) => return Ok(Value::Seq(items)),
                        (event, span) => items.push(self.value(event, span, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => {
                let mut map = IndexMap::new();
                loop {
                    let (key, key_span) = match self.inner(span)? {
                        (Event::MappingEnd, _) => return Ok(Value::Map(map)),
                        (Event::Scalar(key, ..), span) => (key.into_owned(), span),
                        (_, span) => return Err(error(span, "expected a name")),
                    };
                    let (event, span) = self.inner(span)?;
                    let value = self.value(event, span, depth + 1)?;
                    match map.entry(key) {
                        Entry::Vacant(entry) => entry.insert(value),
                        Entry::Occupied(entry) => {
                            return Err(error(key_span, format!("the key {} twice", entry.key())));
                        }
                    };
                }
            }
            Event::Alias(_) => Err(error(span, "metadata has no aliases")),
            _ => Err(error(span, "expected a scalar, a sequence or a map")),
        }
    }
}

/// What the text of a scalar is, by its tag or by itself.
fn scalar(text: &str, tag: Option<&str>) -> Result<Value, String> {
    let wanted = |what: &str| format!("`{text}` is not {what}");
    match tag {
        Some("!int") => integer(text).ok_or_else(|| wanted("an integer")),
        Some("!nil") => Ok(Value::Nil),
        Some("!bool") => boolean(text).ok_or_else(|| wanted("true or false")),
        Some("!float") => real(text).ok_or_else(|| wanted("a real number")),
        // `!!str` is what YAML says of every string; LLVM takes it for no tag.
        None | Some("tag:yaml.org,2002:str") => {
            let value = integer(text).or_else(|| boolean(text)).or_else(|| real(text));
            Ok(value.unwrap_or_else(|| Value::String(text.to_owned())))
        }
        Some(_) => Ok(Value::String(text.to_owned())),
    }
}

fn integer(text: &str) -> Option<Value> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some(two) if two.starts_with('0') && two.as_bytes()[1].is_ascii_digit() => (8, &digits[1..]),
        _ => (10, digits),
    };
    if !digits.starts_with(|first: char| first.is_ascii_hexdigit()) {
        return None;
    }
    let number = u64::from_str_radix(digits, radix).ok()?;
    match negative && number != 0 {
        false => Some(Value::Uint(number)),
        true => 0i64.checked_sub_unsigned(number).map(Value::Int),
    }
}

fn boolean(text: &str) -> Option<Value> {
    match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// What C's `strtod` makes of the whole text; nothing is 0.
fn real(text: &str) -> Option<Value> {
    if text.is_empty() {
        return Some(Value::Float(0.0));
    }
    let body = text.trim_start();
    let (negative, unsigned) = match body.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, body.strip_prefix('+').unwrap_or(body)),
    };
    let hexadecimal = unsigned.starts_with("0x") || unsigned.starts_with("0X");
    let with_exponent = match hexadecimal && !unsigned.contains(['p', 'P']) {
        true => format!("{unsigned}p0"),
        false => unsigned.to_owned(),
    };
    let bytes = Precision::Double.encode(&with_exponent, negative)?;
    Some(Value::Float(f64::from_le_bytes(bytes.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        match read(&format!("---\nx: {text}\n...\n")) {
            Ok(Value::Map(mut map)) => map.swap_remove("x").unwrap_or(Value::Nil),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn scalars_are_what_llvm_takes_them_for() {
        let string = |text: &str| Value::String(text.to_owned());
        for (text, expected) in [
            ("True", string("True")),
            ("true", Value::Bool(true)),
            ("'true'", Value::Bool(true)),
            ("yes", string("yes")),
            ("n", string("n")),
            ("~", string("~")),
            ("null", string("null")),
            ("'12'", Value::Uint(12)),
            ("010", Value::Uint(8)),
            ("0x10", Value::Uint(16)),
            ("0b11", Value::Uint(3)),
            ("0o17", Value::Uint(15)),
            ("-5", Value::Int(-5)),
            ("-0", Value::Uint(0)),
            ("+5", Value::Float(5.0)),
            ("09", Value::Float(9.0)),
            ("1e3", Value::Float(1000.0)),
            ("0x1p3", Value::Float(8.0)),
            (".inf", string(".inf")),
            ("18446744073709551615", Value::Uint(u64::MAX)),
            ("18446744073709551616", Value::Float(18_446_744_073_709_551_616.0)),
            ("''", Value::Float(0.0)),
            ("", Value::Seq(Vec::new())),
            ("1_000", string("1_000")),
            ("0x", string("0x")),
            ("!str 12", string("12")),
            ("!!str 5", Value::Uint(5)),
            ("!nil x", Value::Nil),
            ("!foo x", string("x")),
            ("&a 5", Value::Uint(5)),
            ("a # c", string("a")),
            ("\"\\x41\\n\"", string("A\n")),
            ("|\n  a\n  b", string("a\nb\n")),
            ("{}", Value::Map(IndexMap::new())),
            ("[1, a]", Value::Seq(vec![Value::Uint(1), string("a")])),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_tree_has_a_place() {
        for (text, line, column) in
            [("x: !int y", 1, 9), ("a: 1\nb: *q", 2, 4), ("{a: 1, a: 2}", 1, 8), ("- 1\n- [2", 2, 1)]
        {
            let error = read(text).expect_err(text);
            assert_eq!(error.line, line, "{text}: {error:?}");
            if column != 1 {
                assert_eq!(error.column, column, "{text}: {error:?}");
            }
        }
    }
}
