//! What was read comes back from its text: every kernel of the corpus, and files with every construct.

use std::path::Path;

use wavemark_corpus::{root, shared_or_skip};
use wavemark_diag::{SourceMap, render_short};

/// Reads `text` or says why not.
fn read(name: &str, text: &str) -> wavemark_ir::Parsed {
    let mut sources = SourceMap::new();
    let file = sources.add_text(name, text);
    wavemark_ir::parse(file, text)
        .unwrap_or_else(|diagnostic| panic!("{}", render_short(&sources, &diagnostic)))
}

/// The text of a file as it is printed, having been held against what that reads and prints again.
fn reprinted(path: &Path) -> (String, String) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.display().to_string();
    let printed = wavemark_ir::print(&read(&name, &text).module);
    let again = read(&name, &printed).module;
    let reprinted = wavemark_ir::print(&again);
    assert_eq!(reprinted, printed, "{name}");
    assert_eq!(read(&name, &reprinted).module, again, "{name}");
    (text, printed)
}

#[test]
fn kernels_come_back() {
    let Some(folder) = shared_or_skip("corpus/triton") else { return };
    let mut kernels = 0;
    for target in ["gfx950", "gfx1250"] {
        for case in std::fs::read_dir(folder.join(target)).unwrap() {
            let path = case.unwrap().path().join("kernel.ll");
            let (text, printed) = reprinted(&path);
            // Of what the kernel does nothing is respelled but literals.
            let instructions = |text: &str| text.lines().filter(|line| line.starts_with("  ")).count();
            assert_eq!(instructions(&printed), instructions(&text), "{}", path.display());
            kernels += 1;
        }
    }
    assert!(kernels >= 100, "{kernels} kernels");
}

/// Lines without comments, for what is printed as it was written.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with(';') && !line.is_empty()).collect()
}

#[test]
fn every_construct_comes_back_as_it_was() {
    let path = root().join("crates/ir/tests/valid/syntax.ll");
    let (text, printed) = reprinted(&path);
    let (text, printed) = (lines(&text), lines(&printed));
    for (number, (was, is)) in text.iter().zip(&printed).enumerate() {
        assert_eq!(is, was, "line {} without comments and empty lines", number + 1);
    }
    assert_eq!(text.len(), printed.len());
    let module = read("syntax.ll", &std::fs::read_to_string(path).unwrap()).module;
    assert_eq!(wavemark_ir::verify(&module, None), []);
}

#[test]
fn newer_spellings_come_back_as_older_ones() {
    let path = root().join("crates/ir/tests/valid/newer.ll");
    let (_, printed) = reprinted(&path);
    for line in [
        "@bits = addrspace(1) global [8 x float] [float 0x3FF921FB40000000, float 0x7FF0000000000000, \
         float 0xFFF0000000000000, float 0x7FF8000000000000, float 0xFFF8000020000000, float 0x7FF0000040000000, \
         float 1.000000e+00, float -0.000000e+00]",
        "@halves = addrspace(1) global <2 x half> <half 1.000000e+00, half 0xHFC00>",
        "@double = addrspace(1) global double 0x400921FB54442D18",
        "@pointers = addrspace(1) global <2 x ptr addrspace(1)> <ptr addrspace(1) null, ptr addrspace(1) null>",
    ] {
        assert!(printed.contains(line), "{line} is not in\n{printed}");
    }
    let module = read("newer.ll", &std::fs::read_to_string(path).unwrap()).module;
    assert_eq!(wavemark_ir::verify(&module, None), []);
}
