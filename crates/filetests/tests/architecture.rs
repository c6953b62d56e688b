//! ARCHITECTURE.md and the tree say the same: every path it names exists, every crate is in its table, and the
//! dependency arrows of the manifests respect the layers. Every rule of the checker has a page in the guide.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use wavemark_filetests::paths::root;

/// Layers from the bottom, with what each crate may see of its own layer.
const LAYERS: &[&[(&str, &[&str])]] = &[
    &[
        ("target", &[]),
        ("numerics", &[]),
        ("order", &[]),
        ("memmodel", &[]),
        ("budget", &[]),
        ("diag", &[]),
        ("corpus", &[]),
    ],
    &[
        ("tile", &[]),
        ("ir", &[]),
        ("frontend", &["tile"]),
        ("schedule", &["tile"]),
        ("isa", &[]),
        ("codeobj", &[]),
        ("asm", &["isa", "codeobj"]),
    ],
    &[("sim", &[]), ("check", &["sim"]), ("interp", &["sim"])],
    &[
        ("driver", &[]),
        ("cli", &["driver"]),
        ("capi", &["driver"]),
        ("hip", &["driver"]),
        ("filetests", &["driver"]),
        ("xtask", &["driver", "filetests"]),
    ],
];

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Words in backquotes, outside of fenced blocks.
fn quoted(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (index, block) in text.split("```").enumerate() {
        if index % 2 == 0 {
            words.extend(block.split('`').skip(1).step_by(2));
        }
    }
    words
}

fn exists(root: &Path, word: &str) -> bool {
    root.join(word).exists()
}

#[test]
fn paths_named_in_the_pages_exist() {
    let root = root();
    let mut missing = Vec::new();
    let mut count = 0;
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"] {
        let text = read(&root.join(page));
        let is_path = |word: &&str| {
            let looks = |rest: &str| rest.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            let folders = ["crates/", "docs/", "tests/", "examples/", "fuzz/", "xtask/", ".ci/"];
            looks(word)
                && (folders.iter().any(|folder| word.starts_with(folder))
                    || ["docs", "tests", "examples", "fuzz", "xtask"].contains(word))
        };
        for word in quoted(&text).into_iter().filter(is_path) {
            count += 1;
            if !exists(&root, word) {
                missing.push(format!("{page}: {word}"));
            }
        }
    }
    assert!(count > 20, "only {count} paths found: is the reader of this test still right?");
    assert!(missing.is_empty(), "named but not there:\n{}", missing.join("\n"));
}

/// Crate name (folder) to manifest path.
fn crates() -> BTreeMap<String, PathBuf> {
    let root = root();
    let mut crates = BTreeMap::from([("xtask".to_owned(), root.join("xtask/Cargo.toml"))]);
    for entry in std::fs::read_dir(root.join("crates")).expect("crates/") {
        let entry = entry.expect("an entry of crates/");
        let manifest = entry.path().join("Cargo.toml");
        if manifest.is_file() {
            crates.insert(entry.file_name().to_string_lossy().into_owned(), manifest);
        }
    }
    crates
}

#[test]
fn dependencies_respect_the_layers() {
    let page = read(&root().join("ARCHITECTURE.md"));
    let mut problems = Vec::new();
    for (name, manifest) in crates() {
        let Some(layer) = LAYERS.iter().position(|layer| layer.iter().any(|(other, _)| *other == name))
        else {
            problems.push(format!("{name} is in no layer of this test"));
            continue;
        };
        let in_table =
            if name == "xtask" { "| `xtask` |".to_owned() } else { format!("| `crates/{name}` |") };
        if !page.contains(&in_table) {
            problems.push(format!("{name} is not in the table of ARCHITECTURE.md"));
        }
        let peers =
            LAYERS[layer].iter().find(|(other, _)| *other == name).map_or(&[][..], |(_, peers)| peers);
        let manifest: toml::Table = read(&manifest).parse().expect("a manifest is TOML");
        let dependencies = manifest.get("dependencies").and_then(|table| table.as_table());
        let ours = dependencies.into_iter().flatten().filter_map(|(name, _)| name.strip_prefix("wavemark-"));
        for dependency in ours {
            let below =
                LAYERS[..layer].iter().flat_map(|layer| layer.iter()).any(|(other, _)| *other == dependency);
            if !below && !peers.contains(&dependency) {
                problems.push(format!("{name} must not depend on {dependency}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The rule ids that the checkers' sources spell as string literals.
fn rules_of_the_checker() -> BTreeSet<String> {
    let mut rules = BTreeSet::new();
    let folders =
        ["crates/check/src", "crates/schedule/src/checker", "crates/driver/src/tile", "crates/driver/src/ir"];
    for entry in folders.iter().flat_map(|folder| std::fs::read_dir(root().join(folder)).expect(folder)) {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = read(&path);
        // Only what stands between quotes and is a letter and a number.
        for word in text.split('"') {
            let (head, digits) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            let is_rule = "ARSMBHUOTCWLPV".contains(head)
                && !head.is_empty()
                && (1..=2).contains(&digits.len())
                && digits.chars().all(|c| c.is_ascii_digit());
            if is_rule {
                rules.insert(word.to_owned());
            }
        }
    }
    rules
}

#[test]
fn every_rule_has_a_page() {
    let rules = rules_of_the_checker();
    assert!(rules.len() > 20, "only {rules:?}: is the reader of this test still right?");
    let docs = root().join("docs/src");
    let summary = read(&docs.join("SUMMARY.md"));
    let mut problems = Vec::new();
    for rule in &rules {
        let page = docs.join(format!("rules/{rule}.md"));
        if !page.is_file() {
            problems.push(format!("no page docs/src/rules/{rule}.md"));
            continue;
        }
        let text = read(&page);
        if !text.starts_with(&format!("# {rule}: ")) {
            problems.push(format!("{rule}.md does not begin with `# {rule}: TITLE`"));
        }
        for section in ["## What", "## Why", "## Example", "## Fix"] {
            if !text.contains(section) {
                problems.push(format!("{rule}.md has no section `{section}`"));
            }
        }
        if !summary.contains(&format!("(rules/{rule}.md)")) {
            problems.push(format!("SUMMARY.md does not list {rule}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// All Markdown of the repository that people read.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root().join("docs/src"), root().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of pages") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    let top = std::fs::read_dir(root()).expect("the repository").map(|entry| entry.expect("an entry").path());
    pages.extend(top.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    pages
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut broken = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = read(&page);
        let folder = page.parent().expect("a folder");
        // Not in code between fences.
        let prose: String = text.split("```").step_by(2).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            count += 1;
            if !folder.join(target).exists() {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(count > 50, "only {count} links: is the reader of this test still right?");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The execution layer's sources outside of tests: file, and the text in front of its test module.
fn execution_sources() -> Vec<(PathBuf, String)> {
    sources_of(&["sim", "check", "driver"])
}

/// The sources of crates but for their tests.
fn sources_of(crates: &[&str]) -> Vec<(PathBuf, String)> {
    let mut sources = Vec::new();
    let mut folders: Vec<PathBuf> =
        crates.iter().map(|name| root().join("crates").join(name).join("src")).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a source folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "tests") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = read(&path);
                let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
                if !path.ends_with("tests.rs") {
                    sources.push((path, code));
                }
            }
        }
    }
    sources
}

/// Lines of code, without comments.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    lines.map(|(number, line)| (number + 1, line.split("//").next().unwrap_or_default()))
}

/// What an instruction does is in its row: the execution layer spells no instruction's name. What arithmetic and
/// matrix instructions compute is defined for keys of the table (`isa::Meaning`), which are checked constants.
#[test]
fn execution_spells_no_mnemonic() {
    let prefixes = [
        "s_", "v_", "ds_", "global_", "flat_", "scratch_", "buffer_", "tbuffer_", "image_", "tensor_",
        "cluster_",
    ];
    let known: BTreeSet<String> = instruction_names();
    assert!(known.len() > 1000, "only {} names: is the reader of this test still right?", known.len());
    let mut problems = Vec::new();
    for (path, text) in execution_sources() {
        let shown = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        for (number, line) in code_lines(&text) {
            for literal in line.split('"').skip(1).step_by(2) {
                let words = literal.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                for word in words {
                    let whole = known.contains(word);
                    let prefix = word == literal && prefixes.contains(&word);
                    if whole || prefix {
                        problems.push(format!("{shown}:{number}: {literal:?}"));
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "mnemonics in the execution layer:\n{}", problems.join("\n"));
}

/// The mnemonics of the instruction table.
fn instruction_names() -> BTreeSet<String> {
    let tables = wavemark_target::Processor::ALL
        .iter()
        .map(|&processor| wavemark_isa::Table::of(wavemark_isa::Machine::new(processor)));
    tables.flat_map(|table| table.rows()).map(|row| row.mnemonic.to_owned()).collect()
}

/// Processors differ in facts: nothing but the list of what is executed names a processor, an instruction set or a
/// generation.
#[test]
fn execution_names_no_target() {
    let mut problems = Vec::new();
    for (path, text) in execution_sources() {
        let shown = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        if shown == "crates/sim/src/modelled.rs" {
            continue;
        }
        for (number, line) in code_lines(&text) {
            let enums =
                ["InstructionSet::Gfx", "Processor::Gfx", "Generation::Gfx", ".generation()", "\"gfx"];
            let named = enums.iter().any(|name| line.contains(name));
            if named {
                problems.push(format!("{shown}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(problems.is_empty(), "names of targets in the execution layer:\n{}", problems.join("\n"));
}

/// What reads and writes machine code asks a machine for facts, too, and formats for their fields: no name of a
/// processor or a generation, no comparison of a format's name.
#[test]
fn the_machine_layer_names_no_processor() {
    let mut problems = Vec::new();
    for (path, text) in sources_of(&["isa", "asm"]) {
        let shown = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        for (number, line) in code_lines(&text) {
            let names = [
                "Processor::Gfx",
                "Generation::Gfx",
                ".generation()",
                "format.name == \"",
                "match format.name",
                "format.name.starts_with",
            ];
            if names.iter().any(|name| line.contains(name)) {
                problems.push(format!("{shown}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(problems.is_empty(), "names of targets in the machine layer:\n{}", problems.join("\n"));
}
