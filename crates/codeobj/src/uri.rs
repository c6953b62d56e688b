//! URIs of loaded code objects: where a runtime or debugger says that a code object came from.
//!
//! Follows "Loaded Code Object Path Uniform Resource Identifier (URI)" of LLVM's *User Guide for AMDGPU Backend*:
//! `file://PATH[#offset=NUMBER&size=NUMBER]` and `memory://PID#offset=NUMBER&size=NUMBER`, with `?` as good as `#`.
//! Numbers are those of C: `0x` before hexadecimal, `0` before octal ones. Printing gives `#` and what ROCm's loader
//! prints: the offset in hexadecimal, the size in decimal numbers.

use std::fmt;
use std::str::FromStr;

/// Where a code object came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CodeObjectUri {
    /// A file, or a part of it.
    File {
        /// The path.
        path: String,
        /// The part; none: all of the file.
        range: Option<Range>,
    },
    /// The memory of a process.
    Memory {
        /// The process.
        process: u64,
        /// Which memory.
        range: Range,
    },
}

/// Bytes from an offset, or an address, on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The first.
    pub offset: u64,
    /// How many.
    pub size: u64,
}

/// Why a URI cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {at}: expected {expected}")]
pub struct UriError {
    /// Where in the text, in bytes from 0.
    pub at: usize,
    /// What should be there.
    pub expected: &'static str,
}

const FILE: &str = "file://";
const MEMORY: &str = "memory://";

/// Whether a text means to be such a URI.
pub fn is_uri(text: &str) -> bool {
    text.starts_with(FILE) || text.starts_with(MEMORY)
}

impl FromStr for CodeObjectUri {
    type Err = UriError;

    fn from_str(text: &str) -> Result<Self, UriError> {
        let (is_file, rest) = match (text.strip_prefix(FILE), text.strip_prefix(MEMORY)) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(UriError { at: 0, expected: "`file://` or `memory://`" }),
        };
        let start = text.len() - rest.len();
        let end = rest.find(['#', '?']).unwrap_or(rest.len());
        let range = match rest.get(end + 1..) {
            Some(specifier) => Some(range(specifier, start + end + 1)?),
            None => None,
        };
        let name = &rest[..end];
        if is_file {
            return Ok(CodeObjectUri::File { path: decode(name, start)?, range });
        }
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_digit()) {
            return Err(UriError { at: start, expected: "the decimal number of a process" });
        }
        let process = name
            .parse()
            .map_err(|_| UriError { at: start, expected: "the number of a process of 64 bits" })?;
        let range = range
            .ok_or(UriError { at: text.len(), expected: "`#offset=` and `&size=`, which memory needs" })?;
        Ok(CodeObjectUri::Memory { process, range })
    }
}

fn range(text: &str, at: usize) -> Result<Range, UriError> {
    let rest = text.strip_prefix("offset=").ok_or(UriError { at, expected: "`offset=`" })?;
    let at = at + "offset=".len();
    let (offset, size) =
        rest.split_once('&').ok_or(UriError { at: at + rest.len(), expected: "`&size=`" })?;
    let size_at = at + offset.len() + 1;
    let size = size.strip_prefix("size=").ok_or(UriError { at: size_at, expected: "`size=`" })?;
    Ok(Range { offset: number(offset, at)?, size: number(size, size_at + "size=".len())? })
}

/// An integer literal of C without suffix.
fn number(text: &str, at: usize) -> Result<u64, UriError> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        None => (text, 10),
    };
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    let value = if is_number { u64::from_str_radix(digits, radix).ok() } else { None };
    value.ok_or(UriError { at, expected: "a decimal, hexadecimal or octal number of 64 bits" })
}

fn decode(text: &str, at: usize) -> Result<String, UriError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = after;
            continue;
        }
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let is_hex = |digits: &&str| digits.bytes().all(|b| b.is_ascii_hexdigit());
        let value = digits.filter(is_hex).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let place = at + text.len() - rest.len();
        bytes.push(value.ok_or(UriError { at: place, expected: "two hexadecimal digits after `%`" })?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).map_err(|_| UriError { at, expected: "a path in UTF-8" })
}

impl fmt::Display for CodeObjectUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = match self {
            CodeObjectUri::File { path, range } => {
                f.write_str(FILE)?;
                for byte in path.bytes() {
                    match byte {
                        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'_' | b'.' | b'~' | b'-' => {
                            write!(f, "{}", char::from(byte))?;
                        }
                        other => write!(f, "%{other:02X}")?,
                    }
                }
                *range
            }
            CodeObjectUri::Memory { process, range } => {
                write!(f, "{MEMORY}{process}")?;
                Some(*range)
            }
        };
        match range {
            Some(Range { offset, size }) => write!(f, "#offset={offset:#x}&size={size}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_of_the_guide() {
        for (text, printed) in [
            ("file:///dir1/dir2/file1", "file:///dir1/dir2/file1"),
            (
                "file:///dir3/dir4/file2#offset=0x2000&size=3000",
                "file:///dir3/dir4/file2#offset=0x2000&size=3000",
            ),
            ("memory://1234#offset=0x20000&size=3000", "memory://1234#offset=0x20000&size=3000"),
            ("memory://1?offset=010&size=0X1f", "memory://1#offset=0x8&size=31"),
            ("file:///a%20b%C3%A4%25#offset=0&size=0", "file:///a%20b%C3%A4%25#offset=0x0&size=0"),
        ] {
            assert_eq!(text.parse::<CodeObjectUri>().map(|uri| uri.to_string()).as_deref(), Ok(printed));
            assert_eq!(printed.parse::<CodeObjectUri>(), text.parse(), "{text}");
        }
        for (text, error) in [
            ("http://x", "at character 0: expected `file://` or `memory://`"),
            ("file:///a%2", "at character 9: expected two hexadecimal digits after `%`"),
            ("file:///a%+1", "at character 9: expected two hexadecimal digits after `%`"),
            ("file:///a%ff", "at character 7: expected a path in UTF-8"),
            ("file:///a#size=3", "at character 10: expected `offset=`"),
            ("file:///a#offset=3", "at character 18: expected `&size=`"),
            ("file:///a#offset=3&length=1", "at character 19: expected `size=`"),
            (
                "file:///a#offset=08&size=1",
                "at character 17: expected a decimal, hexadecimal or octal number of 64 bits",
            ),
            ("memory://12", "at character 11: expected `#offset=` and `&size=`, which memory needs"),
            ("memory://0x1#offset=0&size=1", "at character 9: expected the decimal number of a process"),
        ] {
            assert_eq!(text.parse::<CodeObjectUri>().unwrap_err().to_string(), error, "{text}");
        }
    }
}
