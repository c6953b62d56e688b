//! Every kernel of the corpus comes back from its text.

use wavemark_corpus::shared_or_skip;
use wavemark_diag::{SourceMap, render_short};

/// Reads `text` or says why not.
fn read(name: &str, text: &str) -> wavemark_ir::Parsed {
    let mut sources = SourceMap::new();
    let file = sources.add_text(name, text);
    wavemark_ir::parse(file, text)
        .unwrap_or_else(|diagnostic| panic!("{}", render_short(&sources, &diagnostic)))
}

#[test]
fn printing_what_was_read_changes_nothing() {
    let Some(folder) = shared_or_skip("corpus/triton") else { return };
    let mut kernels = 0;
    for target in ["gfx950", "gfx1250"] {
        for case in std::fs::read_dir(folder.join(target)).unwrap() {
            let path = case.unwrap().path().join("kernel.ll");
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.display().to_string();
            let printed = wavemark_ir::print(&read(&name, &text).module);
            let again = read(&name, &printed).module;
            let reprinted = wavemark_ir::print(&again);
            assert_eq!(reprinted, printed, "{name}");
            assert_eq!(read(&name, &reprinted).module, again, "{name}");
            // Of what the kernel does nothing is respelled but literals.
            let instructions = |text: &str| text.lines().filter(|line| line.starts_with("  ")).count();
            assert_eq!(instructions(&printed), instructions(&text), "{name}");
            kernels += 1;
        }
    }
    assert!(kernels >= 100, "{kernels} kernels");
}
