//! Launch files: every mistake has its place and its advice (`tests/run/launch/*.toml`, expectation beside each in
//! `.expected`; `WAVEMARK_BLESS=1` rewrites them), and every launch file of the shared corpus is good.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use wavemark_diag::{SourceMap, render_short};
use wavemark_driver::launch::{self, Purpose};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The launch as read and filled, or its diagnostics.
fn read(path: &Path, name: &str) -> String {
    let mut sources = SourceMap::new();
    let folder = path.parent().unwrap();
    let result = launch::load(&mut sources, path, name, 1, Purpose::Kernel);
    let mut text = String::new();
    match result {
        Ok((launch, filled)) => {
            writeln!(text, "kernel {:?} grid {:?} block {:?}", launch.kernel, launch.grid, launch.block)
                .unwrap();
            writeln!(text, "cluster {:?} dynamic_lds {}", launch.cluster, launch.dynamic_lds).unwrap();
            for (arg, contents) in launch.args.iter().zip(&filled) {
                writeln!(text, "{} {} {:02x?}", arg.name, arg.dtype, contents.bytes).unwrap();
                if let Some(expected) = &contents.expected {
                    writeln!(text, "  expects {expected:02x?}").unwrap();
                }
            }
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            for diagnostic in diagnostics {
                writeln!(text, "{}", render_short(&sources, &diagnostic)).unwrap();
                for help in diagnostic.help {
                    writeln!(text, "  help: {help}").unwrap();
                }
            }
        }
    }
    text.replace(&format!("{}/", folder.display()), "")
}

#[test]
fn mistakes_have_places() {
    let bless = std::env::var_os("WAVEMARK_BLESS").is_some();
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(root().join("tests/run/launch")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        count += 1;
        let name = path.file_name().unwrap().to_str().unwrap();
        let found = read(&path, name);
        let expectation = path.with_extension("expected");
        if bless {
            std::fs::write(&expectation, &found).unwrap();
        } else if std::fs::read_to_string(&expectation).unwrap_or_default() != found {
            failures.push(format!("{name}: found\n{found}"));
        }
    }
    assert!(count > 10, "no launch files found");
    assert!(failures.is_empty(), "{}\n(WAVEMARK_BLESS=1 accepts this)", failures.join("\n"));
}

#[test]
fn corpus_launches_are_good() {
    let Some(corpus) = wavemark_corpus::shared_or_skip("corpus") else { return };
    let mut folders = vec![corpus];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name == "launch.toml") {
                count += 1;
                let mut sources = SourceMap::new();
                if let Err(diagnostics) =
                    launch::load(&mut sources, &path, &path.display().to_string(), 0, Purpose::Kernel)
                {
                    panic!("{}", render_short(&sources, &diagnostics[0]));
                }
            }
        }
    }
    assert!(count > 0);
}
