//! The guide's pages about LLVM's documents: each point names its litmus tests, each test that is named is there, and each
//! test of the catalogue is named by some page. That the tests are as they expect is in `litmus.rs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join("docs/src").join(name)).unwrap()
}

/// The names of litmus tests in a text: words in backquotes that begin as the files do.
fn named(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .filter(|word| {
            ["async-", "bar-", "cell-", "mach-", "mem-"].iter().any(|begin| word.starts_with(begin))
        })
        .collect()
}

/// The points of a page: rows of its tables of points, what is listed, and paragraphs that begin in bold.
fn points(page: &str) -> Vec<&str> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| point"));
    let starts = page.match_indices("\n* ").chain(page.match_indices("\n\n**")).map(|(at, _)| at);
    let pieces = starts.map(|at| {
        let piece = page[at..].trim_start_matches('\n');
        let end = [piece.find("\n* "), piece.find("\n\n")].into_iter().flatten().min();
        &piece[..end.unwrap_or(piece.len())]
    });
    rows.chain(pieces).collect()
}

#[test]
fn every_point_has_its_litmus_test() {
    for (name, least) in [("asyncmarks.md", 16), ("barriers.md", 22)] {
        let page = page(name);
        let points = points(&page);
        assert!(points.len() >= least, "{name}: {} points: {points:#?}", points.len());
        let without: Vec<_> = points.into_iter().filter(|point| named(point).is_empty()).collect();
        assert!(without.is_empty(), "{name}: no litmus test shows {without:#?}");
    }
}

#[test]
fn pages_and_catalogue() {
    let files: BTreeSet<String> = std::fs::read_dir(root().join("tests/litmus"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "litmus"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let pages = ["asyncmarks.md", "barriers.md", "scopes.md", "litmus.md"].map(page);
    let linked: BTreeSet<String> = pages
        .iter()
        .flat_map(|page| named(page))
        .map(|name| name.trim_end_matches(".litmus").to_owned())
        .collect();
    let missing: Vec<_> = linked.difference(&files).collect();
    assert!(missing.is_empty(), "named, but no file of tests/litmus: {missing:?}");
    let unnamed: Vec<_> = files.difference(&linked).collect();
    assert!(unnamed.is_empty(), "no page names {unnamed:?}");
}
