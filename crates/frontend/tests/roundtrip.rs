//! Text → program → text: what TVM's printer wrote comes back byte for byte, and what we write in the other dialect
//! means the same.

use std::fs;
use std::path::{Path, PathBuf};

use wavemark_diag::{Diagnostic, FileId, SourceMap};
use wavemark_frontend::parse;
use wavemark_tile::{Comparison, Dialect, Module, print, verify};

/// The files of a directory whose names end so, by name.
fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry of the directory").path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

fn read(text: &str) -> Result<Module, String> {
    let mut sources = SourceMap::new();
    let file: FileId = sources.add_text("text.py", text);
    let messages = |diagnostics: Vec<Diagnostic>| {
        let texts: Vec<_> =
            diagnostics.iter().map(|diagnostic| wavemark_diag::render_short(&sources, diagnostic)).collect();
        texts.join("\n")
    };
    parse(file, text).map_err(messages)
}

/// What is wrong with a text of TVM's printer: it does not come back, it is refused, or the old dialect's text of it
/// means something else.
fn complaint(text: &str, in_old: bool) -> Option<String> {
    let text = text.trim_end();
    let module = match read(text) {
        Ok(module) => module,
        Err(messages) => return Some(format!("does not parse:\n{messages}")),
    };
    if let Err(diagnostics) = verify(&module) {
        return Some(format!("is refused: {}", diagnostics[0].message));
    }
    let printed = print(&module, Dialect::New);
    if printed != text {
        let pair = printed.lines().zip(text.lines()).find(|(ours, theirs)| ours != theirs);
        let (ours, theirs) = pair.unwrap_or(("(one text ends)", ""));
        return Some(format!("comes back different:\n  {ours}\n  instead of\n  {theirs}"));
    }
    if !in_old {
        return None;
    }
    let old = print(&module, Dialect::Old);
    let again = match read(&old) {
        Ok(module) => module,
        Err(messages) => return Some(format!("in the old dialect does not parse:\n{messages}\n{old}")),
    };
    if again.dialect != Dialect::Old {
        return Some(format!("in the old dialect is taken for the new one:\n{old}"));
    }
    let difference = Comparison::default().first_module_difference(&as_old(module), &again)?;
    Some(format!("in the old dialect means something else: {difference}"))
}

/// Only the namespace of function attributes changes from dialect to dialect.
fn as_old(mut module: Module) -> Module {
    for function in &mut module.functions {
        let attributes = std::mem::take(&mut function.attributes);
        let renamed = attributes.into_iter().map(|(key, value)| match key.strip_prefix("tirx.") {
            Some(rest) => (format!("tir.{rest}"), value),
            None => (key, value),
        });
        function.attributes = renamed.collect();
    }
    module
}

fn check(files: &[PathBuf], in_old: bool) {
    let complaints: Vec<_> = files
        .iter()
        .filter_map(|path| {
            let text = fs::read_to_string(path).expect("a text file");
            complaint(&text, in_old).map(|complaint| format!("{} {complaint}", path.display()))
        })
        .collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), files.len(), complaints.join("\n\n"));
}

/// Own programs, each as TVM 0.27 prints it.
#[test]
fn printed_programs_come_back() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/printed");
    let files = files(&directory, ".py");
    assert!(!files.is_empty());
    check(&files, true);
}

/// Programs that the old dialect cannot say: its operators fold what they build.
#[test]
fn printed_programs_of_the_new_dialect_come_back() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/printed/new_only");
    let files = files(&directory, ".py");
    assert!(!files.is_empty());
    check(&files, false);
}

/// Goldens that do not come back in TVM either.
const NOT_FOR_READING: [&str; 2] = [
    // Lowered to CUDA: no blocks any more.
    ".lowered_cuda.",
    // Has `T.unroll(n + 3 - n)`, which the parser simplifies.
    "edge_dynamic_async_s3.after.",
];

/// The goldens, where they are at hand.
#[test]
fn goldens_come_back() {
    let Some(goldens) = wavemark_corpus::shared_or_skip("goldens") else { return };
    let mut all = files(&goldens.join("tvm"), ".py.txt");
    all.extend(files(&goldens.join("tvm-fuzz"), ".py.txt"));
    all.retain(|path| !NOT_FOR_READING.iter().any(|part| path.to_string_lossy().contains(part)));
    assert!(!all.is_empty());
    check(&all, true);
}
