//! What an assembly text finds around it: the files it may bring in, and symbols from the command line.
//!
//! Files are looked for below the input's folder, then below each `-I` folder, and only there: links are followed first
//! and must not lead out. They are regular files of bounded size.

use std::io::Read;
use std::path::{Path, PathBuf};

use wavemark_asm::Files;
use wavemark_diag::{FileId, SourceMap};

/// Largest file that a text may bring in.
const MAX_FILE_BYTES: u64 = 256 << 20;

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
    /// As they are to be searched.
    folders: Vec<PathBuf>,
}

impl<'a> Folders<'a> {
    /// Those of the input at `input`, and of the options.
    pub fn new(sources: &'a mut SourceMap, input: Option<&Path>, options: &AssemblyOptions) -> Folders<'a> {
        let own = input.map(|path| match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        });
        let folders = own.into_iter().chain(options.include.iter().cloned());
        Folders { sources, folders: folders.collect() }
    }

    /// The contents of the first file of this name.
    fn read(&self, name: &str) -> Result<(PathBuf, Vec<u8>), String> {
        let mut outside = false;
        for folder in &self.folders {
            let candidate = folder.join(name);
            let Ok(real) = candidate.canonicalize() else { continue };
            let below = |root: &PathBuf| root.canonicalize().is_ok_and(|root| real.starts_with(root));
            if !self.folders.iter().any(below) {
                outside = true;
                continue;
            }
            return read_regular(&real)
                .map(|bytes| (candidate, bytes))
                .map_err(|why| format!("{name}: {why}"));
        }
        if outside {
            return Err(format!("{name} is outside the input's folder and the -I folders"));
        }
        let folders: Vec<String> = self.folders.iter().map(|folder| folder.display().to_string()).collect();
        Err(match folders.is_empty() {
            true => format!("there is no folder to find {name} in (give one by -I)"),
            false => format!("there is no file {name} in {} (-I adds folders)", folders.join(", ")),
        })
    }
}

fn read_regular(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("not a regular file".to_owned());
    }
    let too_large = || format!("larger than {} MiB", MAX_FILE_BYTES >> 20);
    if metadata.len() > MAX_FILE_BYTES {
        return Err(too_large());
    }
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(too_large()) } else { Ok(bytes) }
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

    #[test]
    fn files_are_read_below_their_folders_only() {
        let root = std::env::temp_dir().join(format!("wavemark-include-{}", std::process::id()));
        let inner = root.join("in/deep");
        std::fs::create_dir_all(&inner).expect("a folder");
        std::fs::write(root.join("secret.s"), "secret").expect("a file");
        std::fs::write(root.join("in/a.s"), "a").expect("a file");
        std::fs::write(inner.join("b.s"), "b").expect("a file");
        let mut sources = SourceMap::new();
        let input = root.join("in/k.s");
        let mut folders = Folders::new(&mut sources, Some(&input), &AssemblyOptions::default());
        assert_eq!(folders.bytes("a.s"), Ok(b"a".to_vec()));
        assert_eq!(folders.bytes("deep/../deep/b.s"), Ok(b"b".to_vec()));
        assert!(folders.bytes("../secret.s").is_err_and(|why| why.contains("outside")));
        assert!(folders.bytes("deep").is_err_and(|why| why.contains("regular")));
        assert!(folders.bytes("none.s").is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("secret.s"), root.join("in/link.s")).expect("a link");
            assert!(folders.bytes("link.s").is_err_and(|why| why.contains("outside")));
        }
        let options = AssemblyOptions { include: vec![root.clone()], ..AssemblyOptions::default() };
        let mut folders = Folders::new(&mut sources, Some(&input), &options);
        assert_eq!(folders.text("secret.s").map(|(_, text)| text), Ok("secret".to_owned()));
        std::fs::remove_dir_all(&root).expect("our own folder");
    }
}
