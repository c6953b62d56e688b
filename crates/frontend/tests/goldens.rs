//! Every real TVM module of the goldens is read. What is lowered is refused, each for the reason given here.

use wavemark_diag::{SourceMap, render_short};
use wavemark_frontend::parse;
use wavemark_tile::{Dialect, Stmt};

/// Lowered modules, and all that the tile level has nothing for in each.
const LOWERED: [(&str, &[&str]); 2] = [
    (
        "edge_gemm_threads.lowered_cuda.py.txt",
        &[
            "unsupported: `A.view(…)`",
            "unsupported: `B.view(…)`",
            "unsupported: `C.view(…)`",
            "unsupported: `T.launch_thread`",
        ],
    ),
    (
        "edge_if_then_else_expr.lowered_cuda.py.txt",
        &[
            "unsupported: `T.alloc_shared`",
            "unsupported: `T.decl_buffer`",
            "unsupported: `T.decl_buffer`",
            "unsupported: `T.s_tir.cp_async_raw`",
            "unsupported: `T.s_tir.cp_async_raw`",
            "unsupported: `T.s_tir.cp_async_raw`",
        ],
    ),
];

/// The modules of a directory of the goldens; none, with a message, where there are no goldens.
fn modules(directory: &str) -> Vec<(String, String)> {
    let Some(folder) = wavemark_corpus::shared_or_skip(&format!("goldens/{directory}")) else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).expect("the goldens");
    let mut modules = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        if name.ends_with(".py.txt") {
            modules.push((name, std::fs::read_to_string(&path).expect("a text")));
        }
    }
    modules.sort();
    assert!(!modules.is_empty(), "no modules in {directory}");
    modules
}

fn check(directory: &str) {
    let mut failures = Vec::new();
    for (name, text) in modules(directory) {
        let mut sources = SourceMap::new();
        let file = sources.add_text(name.as_str(), text.as_str());
        let lowered = LOWERED.iter().find(|(lowered, _)| *lowered == name);
        match (parse(file, &text), lowered) {
            (Ok(module), None) => {
                assert_eq!(module.dialect, Dialect::New, "{name}");
                assert_eq!(module.functions.len(), 1, "{name}");
                let blocks = text.matches("with T.sblock(").count();
                let mut found = 0;
                module.functions[0]
                    .body
                    .visit(&mut |inner| found += usize::from(matches!(inner, Stmt::Block(_))));
                if blocks != found {
                    failures.push(format!("{name}: {blocks} blocks in the text, {found} in the module"));
                }
            }
            (Ok(_), Some(_)) => failures.push(format!("{name}: read, though it is lowered")),
            (Err(diagnostics), lowered) => {
                let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
                if lowered.is_none_or(|(_, reasons)| **reasons != messages) {
                    failures.extend(diagnostics.iter().map(|diagnostic| render_short(&sources, diagnostic)));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn tvm() {
    check("tvm");
}

#[test]
fn tvm_fuzz() {
    check("tvm-fuzz");
}
