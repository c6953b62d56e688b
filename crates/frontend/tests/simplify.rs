//! The tile level's analyses against real TVM: simplified functions, and access regions of blocks.

use std::path::{Path, PathBuf};

use wavemark_diag::SourceMap;
use wavemark_frontend::parse;
use wavemark_tile::arith::Analyzer;
use wavemark_tile::{Dialect, Function, Module, Stmt, first_difference, print_region, regions, simplify};

fn goldens() -> Option<PathBuf> {
    wavemark_corpus::shared_or_skip("goldens/tvm")
}

fn read(path: &Path) -> Option<Module> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut sources = SourceMap::new();
    let file = sources.add_text(path.display().to_string(), text.as_str());
    Some(parse(file, &text).unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display())))
}

/// The modules whose file name ends so, with the name before it.
fn modules(goldens: &Path, ending: &str) -> Vec<(String, Module)> {
    let mut found: Vec<(String, Module)> = std::fs::read_dir(goldens)
        .expect("goldens")
        .filter_map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name()?.to_str()?.strip_suffix(ending)?.to_owned();
            Some((name, read(&path)?))
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// What the pass leaves, simplified, is what TVM's `StmtSimplify` makes of it.
#[test]
fn functions_are_simplified_as_tvm_does() {
    let Some(goldens) = goldens() else { return };
    let mut failures = Vec::new();
    let mut count = 0;
    for (name, mut module) in modules(&goldens, ".after.py.txt") {
        let Some(expected) = read(&goldens.join(format!("{name}.after_simplified.py.txt"))) else { continue };
        count += 1;
        for (function, expected) in module.functions.iter_mut().zip(&expected.functions) {
            simplify(function);
            if let Some(difference) = first_difference(function, expected) {
                failures.push(format!("{name}: {difference:?}"));
            }
        }
    }
    assert!(count > 40, "{count} modules");
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}

/// The blocks that TVM's pass puts around statements have no name; their regions are inferred. Those of an inner
/// pipeline had loop variables replaced afterwards, hence the simplification of what is expected.
#[test]
fn regions_are_those_that_tvm_finds() {
    let Some(goldens) = goldens() else { return };
    let mut failures = Vec::new();
    let mut count = 0;
    for (name, module) in modules(&goldens, ".after.py.txt") {
        for function in &module.functions {
            function.body.visit(&mut |stmt| {
                let Stmt::Block(block) = stmt else { return };
                if !block.name.is_empty() {
                    return;
                }
                count += 1;
                let (reads, writes) = regions::detect(function, block);
                for (found, expected) in [(reads, &block.reads), (writes, &block.writes)] {
                    let show = |regions: &[wavemark_tile::Region]| shown(function, regions);
                    let found: Vec<_> = found.iter().map(simplified).collect();
                    let expected: Vec<_> = expected.iter().map(simplified).collect();
                    let expected = &expected;
                    if show(&found) != show(expected) {
                        failures.push(format!("{name}: {}\n    not {}", show(&found), show(expected)));
                    }
                }
            });
        }
    }
    assert!(count > 200, "{count} blocks");
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}

fn simplified(region: &wavemark_tile::Region) -> wavemark_tile::Region {
    let mut simplified = region.clone();
    for range in &mut simplified.ranges {
        // Only what has become constant: other forms must be the same as they stand.
        for part in [&mut range.min, &mut range.extent] {
            let constant = Analyzer::new().simplify(part);
            if constant.as_int().is_some() {
                *part = constant;
            }
        }
    }
    simplified
}

fn shown(function: &Function, regions: &[wavemark_tile::Region]) -> String {
    regions.iter().map(|region| print_region(function, region, Dialect::New)).collect::<Vec<_>>().join(", ")
}
