//! What an assembly text finds around it: the files it may bring in, and symbols from the command line.
//!
//! Files are looked for below the input's folder, then below each `-I` folder, and only there ([`crate::files`]).

use std::path::{Path, PathBuf};

use wavemark_asm::Files;
use wavemark_diag::{FileId, SourceMap};

use crate::files::{MAX_FILE_BYTES, Refused, Roots};

/// What the user gives an assembly besides its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssemblyOptions {
    /// Folders of further files: `-I`.
    pub include: Vec<PathBuf>,
    /// Symbols that are numbers: `--defsym`.
    pub defines: Vec<(String, i64)>,
}

/// Reads `NAME=VALUE`; the value may be hexadecimal, octal or binary, and negative.
///
/// # Errors
/// What is wrong with it.
pub fn parse_define(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("expected NAME=VALUE, not `{text}`"))?;
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || "_.$".contains(first));
    if !starts || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.$@?".contains(&byte)) {
        return Err(format!("`{name}` is no name of a symbol"));
    }
    let (negative, digits) = match value.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        _ if digits.len() > 1 && digits.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    let number = u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with(['+', '-']));
    let number = number.and_then(|number| match negative {
        true => 0i64.checked_sub_unsigned(number),
        false => Some(number as i64),
    });
    Ok((name.to_owned(), number.ok_or_else(|| format!("`{value}` is not an integer of 64 bits"))?))
}

/// The folders that a text may read from.
pub(crate) struct Folders<'a> {
    sources: &'a mut SourceMap,
    roots: Roots,
}

impl<'a> Folders<'a> {
    /// Those of the input at `input`, and of the options.
    pub fn new(sources: &'a mut SourceMap, input: Option<&Path>, options: &AssemblyOptions) -> Folders<'a> {
        Folders { sources, roots: Roots::of_input(input, options.include.iter().cloned()) }
    }

    /// The contents of the first file of this name.
    fn read(&self, name: &str) -> Result<(PathBuf, Vec<u8>), String> {
        self.roots.read(name, MAX_FILE_BYTES).map_err(|refused| match refused {
            Refused::Outside => format!("{name} is outside the input's folder and the -I folders"),
            Refused::Unreadable(why) => format!("{name}: {why}"),
            Refused::Missing => {
                let folders: Vec<String> =
                    self.roots.folders().iter().map(|folder| folder.display().to_string()).collect();
                match folders.is_empty() {
                    true => format!("there is no folder to find {name} in (give one by -I)"),
                    false => format!("there is no file {name} in {} (-I adds folders)", folders.join(", ")),
                }
            }
        })
    }
}

impl Files for Folders<'_> {
    fn text(&mut self, path: &str) -> Result<(FileId, String), String> {
        let (found, bytes) = self.read(path)?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8"))?;
        Ok((self.sources.add_text(found.display().to_string(), text.clone()), text))
    }

    fn bytes(&mut self, path: &str) -> Result<Vec<u8>, String> {
        self.read(path).map(|(_, bytes)| bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions() {
        assert_eq!(parse_define("A=5"), Ok(("A".to_owned(), 5)));
        assert_eq!(parse_define("a.b=-0x10"), Ok(("a.b".to_owned(), -16)));
        assert_eq!(parse_define("x=010"), Ok(("x".to_owned(), 8)));
        assert_eq!(parse_define("x=0xffffffffffffffff"), Ok(("x".to_owned(), -1)));
        for text in ["x", "=1", "5=1", "x=", "x=1.5", "x=-99999999999999999999", "x=+1", "x=y"] {
            assert!(parse_define(text).is_err(), "{text}");
        }
    }
}
