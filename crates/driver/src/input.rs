//! Inputs: what a file is, and for which target.
//!
//! Follows the input table of the project's interfaces: binary forms by their magic whatever their name, texts by
//! their extension, anything by `--lang`.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use wavemark_codeobj::uri::{self, CodeObjectUri};
use wavemark_diag::Diagnostic;
use wavemark_target::TargetId;

use crate::device::is_captured;

/// Largest input we read.
pub const MAX_INPUT_BYTES: u64 = 1 << 30;

/// What files of captured launches end with.
pub const CAPTURED: &str = "launch";

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A TVMScript module.
    TvmScript,
    /// LLVM IR.
    LlvmIr,
    /// AMDGPU assembly in LLVM syntax.
    Assembly,
    /// An ELF code object, relocatable or linked.
    CodeObject,
    /// A clang offload bundle, plain or compressed.
    Bundle,
    /// A litmus test.
    Litmus,
    /// A captured launch: a module, its arguments and memory.
    Captured,
}

/// What the user says an input is: `--lang`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// TVMScript.
    Py,
    /// LLVM IR.
    Ll,
    /// Assembly.
    Asm,
    /// A code object or a bundle, which its magic tells apart.
    Obj,
    /// A litmus test.
    Litmus,
}

/// An input in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// As the user named it; `<stdin>` for `-`.
    pub name: String,
    /// Where it is; `None` for standard input.
    pub path: Option<PathBuf>,
    /// What it is.
    pub form: Form,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl Form {
    /// What it is called in messages.
    pub fn name(self) -> &'static str {
        match self {
            Form::TvmScript => "a TVMScript module",
            Form::LlvmIr => "LLVM IR",
            Form::Assembly => "assembly",
            Form::CodeObject => "a code object",
            Form::Bundle => "an offload bundle",
            Form::Litmus => "a litmus test",
            Form::Captured => "a captured launch",
        }
    }
}

/// Reads the file at `path`, or the part of a file that the URI of a loaded code object names.
pub fn read(path: &Path, lang: Option<Lang>) -> Result<Input, Diagnostic> {
    let name = path.display().to_string();
    if uri::is_uri(&name) {
        return read_uri(name, lang);
    }
    let unreadable = |error| Diagnostic::error(format!("cannot read {name}: {error}"));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    from_bytes(name, Some(path), bytes, lang)
}

fn read_uri(name: String, lang: Option<Lang>) -> Result<Input, Diagnostic> {
    let uri: CodeObjectUri = name
        .parse()
        .map_err(|error| Diagnostic::error(format!("{name} is no URI of a code object: {error}")))?;
    let (path, range) = match uri {
        CodeObjectUri::File { path, range } => (PathBuf::from(path), range),
        CodeObjectUri::Memory { process, .. } => {
            return Err(Diagnostic::error(format!("{name}: the memory of process {process} cannot be read"))
                .help("give the file that it was loaded from"));
        }
    };
    let unreadable = |error| Diagnostic::error(format!("cannot read {name}: {error}"));
    let mut file = std::fs::File::open(&path).map_err(unreadable)?;
    let mut limit = MAX_INPUT_BYTES + 1;
    if let Some(range) = range {
        file.seek(SeekFrom::Start(range.offset)).map_err(unreadable)?;
        limit = limit.min(range.size);
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(unreadable)?;
    if let Some(range) = range.filter(|range| (bytes.len() as u64) < range.size.min(limit)) {
        let what = format!("{name}: {} bytes from {:#x} on are not in the file", range.size, range.offset);
        return Err(Diagnostic::error(what));
    }
    from_bytes(name, Some(&path), bytes, lang)
}

/// An input that was read elsewhere (`path`: from where; `None`: standard input).
pub fn from_bytes(
    name: String,
    path: Option<&Path>,
    bytes: Vec<u8>,
    lang: Option<Lang>,
) -> Result<Input, Diagnostic> {
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(Diagnostic::error(format!("{name} is longer than {} MiB", MAX_INPUT_BYTES >> 20)));
    }
    let form = recognise(&name, path, &bytes, lang)?;
    Ok(Input { name, path: path.map(Path::to_owned), form, bytes })
}

fn recognise(name: &str, path: Option<&Path>, bytes: &[u8], lang: Option<Lang>) -> Result<Form, Diagnostic> {
    let by_magic = by_magic(bytes);
    if let Some(lang) = lang {
        return match (lang, by_magic) {
            (Lang::Obj, Some(form)) => Ok(form),
            (Lang::Obj, None) => Err(no_magic(name)),
            (_, Some(form)) => {
                Err(Diagnostic::error(format!("{name} is {}, not a text as --lang says", form.name())))
            }
            (Lang::Py, None) => Ok(Form::TvmScript),
            (Lang::Ll, None) => Ok(Form::LlvmIr),
            (Lang::Asm, None) => Ok(Form::Assembly),
            (Lang::Litmus, None) => Ok(Form::Litmus),
        };
    }
    if let Some(form) = by_magic {
        return Ok(form);
    }
    let Some(path) = path else {
        return Err(Diagnostic::error("cannot tell what standard input is")
            .help("say it: --lang py|ll|asm|obj|litmus"));
    };
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "py" => Ok(Form::TvmScript),
        "ll" => Ok(Form::LlvmIr),
        "s" | "asm" | "amdgcn" => Ok(Form::Assembly),
        "litmus" => Ok(Form::Litmus),
        "o" | "co" | "hsaco" | CAPTURED => Err(no_magic(name)),
        _ => Err(Diagnostic::error(format!("cannot tell what {name} is"))
            .note("known: .py, .ll, .s, .asm, .amdgcn, .litmus, ELF code objects and offload bundles")
            .help("say it: --lang py|ll|asm|obj|litmus")),
    }
}

fn by_magic(bytes: &[u8]) -> Option<Form> {
    if bytes.starts_with(b"\x7fELF") {
        Some(Form::CodeObject)
    } else if bytes.starts_with(b"__CLANG_OFFLOAD_BUNDLE__") || bytes.starts_with(b"CCOB") {
        Some(Form::Bundle)
    } else if is_captured(bytes) {
        Some(Form::Captured)
    } else {
        None
    }
}

fn no_magic(name: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "{name} is neither an ELF code object nor an offload bundle nor a captured launch: it has no such magic bytes"
    ))
}

impl Input {
    /// The text of a text input.
    pub fn text(&self) -> Result<&str, Diagnostic> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            Diagnostic::error(format!("{} is not UTF-8, from byte {:#x} on", self.name, error.valid_up_to()))
        })
    }
}

/// The target of an input: `given` by the user, `found` in the input; both must agree.
/// Where both are there, the given one is the device that the found one's code runs on.
pub fn agree(name: &str, given: Option<TargetId>, found: Option<TargetId>) -> Result<TargetId, Diagnostic> {
    match (given, found) {
        (Some(given), Some(found)) if !found.runs_on(&given) => {
            Err(Diagnostic::error(format!("{name} is for {found}, --target says {given}")))
        }
        (Some(target), _) | (None, Some(target)) => Ok(target),
        (None, None) => {
            Err(Diagnostic::error(format!("{name} does not say its target")).help("say it: --target gfx1250"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(name: &str, bytes: &[u8], lang: Option<Lang>) -> Result<Form, String> {
        let path = (name != "-").then(|| Path::new(name));
        let input = from_bytes(name.to_owned(), path, bytes.to_vec(), lang);
        input.map(|input| input.form).map_err(|diagnostic| diagnostic.message)
    }

    #[test]
    fn forms() {
        assert_eq!(form("k.s", b"", None), Ok(Form::Assembly));
        assert_eq!(form("k.s", b"\x7fELF", None), Ok(Form::CodeObject));
        assert_eq!(form("k", b"CCOB\x02", None), Ok(Form::Bundle));
        assert_eq!(form("k.hsaco", b"__CLANG_OFFLOAD_BUNDLE__", None), Ok(Form::Bundle));
        assert_eq!(form("dir.s/k.ll", b"", None), Ok(Form::LlvmIr));
        assert_eq!(form("k.txt", b"", Some(Lang::Litmus)), Ok(Form::Litmus));
        assert_eq!(form("-", b"s_nop 0", Some(Lang::Asm)), Ok(Form::Assembly));
        assert_eq!(form("-", b"\x7fELF", None), Ok(Form::CodeObject));
        for (name, bytes, lang) in [
            ("k.hsaco", &b"hello"[..], None),
            ("k", b"", None),
            ("-", b"s_nop 0", None),
            ("-", b"s_nop 0", Some(Lang::Obj)),
            ("k.s", b"\x7fELF", Some(Lang::Asm)),
        ] {
            assert!(form(name, bytes, lang).is_err(), "{name}");
        }
    }

    #[test]
    fn parts_of_files_by_their_uri() {
        let path = std::env::temp_dir().join(format!("wavemark input {}.bin", std::process::id()));
        std::fs::write(&path, b"..\x7fELFxyz..").unwrap();
        let uri = path.display().to_string().replace(' ', "%20");
        let open = |range: &str| {
            let input = read(Path::new(&format!("file://{uri}{range}")), None);
            input.map(|input| input.bytes).map_err(|diagnostic| diagnostic.message.replace(&uri, "PATH"))
        };
        assert_eq!(open("#offset=2&size=0x7").as_deref(), Ok(&b"\x7fELFxyz"[..]));
        for (range, error) in [
            (
                "#offset=2&size=100",
                "file://PATH#offset=2&size=100: 100 bytes from 0x2 on are not in the file",
            ),
            ("#size=1", "file://PATH#size=1 is no URI of a code object: at character"),
        ] {
            assert!(open(range).unwrap_err().starts_with(error), "{range}");
        }
        let memory = read(Path::new("memory://12#offset=0x1000&size=8"), None).unwrap_err();
        assert_eq!(
            memory.message,
            "memory://12#offset=0x1000&size=8: the memory of process 12 cannot be read"
        );
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn targets_agree() {
        let id = |text: &str| Some(text.parse::<TargetId>().unwrap());
        let agreed = |given, found| agree("k.s", given, found).map(|target| target.to_string());
        assert_eq!(agreed(None, id("gfx942:xnack+")).unwrap(), "gfx942:xnack+");
        assert_eq!(agreed(id("gfx942"), None).unwrap(), "gfx942");
        assert_eq!(agreed(id("gfx942"), id("gfx9-4-generic")).unwrap(), "gfx942");
        assert!(agreed(id("gfx942:xnack-"), id("gfx942:xnack+")).is_err());
        assert!(agreed(id("gfx950"), id("gfx942")).is_err());
        assert!(agreed(None, None).is_err());
    }
}
