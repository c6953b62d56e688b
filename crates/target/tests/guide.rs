//! The table of processors and the target IDs against the tables of the guide, `amdgpu-usage.txt` of the shared
//! folder (`../shared` of the workspace, or `WAVEMARK_SHARED`). Without it the tests say so and pass, but not in CI.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wavemark_target::*;

/// The guide's lines without indentation and empty ones, or nothing if this machine has no guide.
fn guide() -> Option<Vec<String>> {
    let shared = std::env::var_os("WAVEMARK_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = shared.join("spec/amdgpu-usage.txt");
    let Ok(text) = std::fs::read_to_string(&path) else {
        assert!(std::env::var_os("CI").is_none(), "no guide at {}", path.display());
        eprintln!("SKIPPED: no guide at {}", path.display());
        return None;
    };
    Some(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect())
}

/// The lines between the first that begins with `from` and the next that begins with `to`.
fn between<'a>(lines: &'a [String], from: &str, to: &str) -> &'a [String] {
    let start = lines.iter().position(|line| line.starts_with(from)).unwrap();
    let length = lines[start..].iter().position(|line| line.starts_with(to)).unwrap();
    &lines[start..start + length]
}

/// Blocks of a table whose rows begin with a processor's name: the name and the lines under it, bullets removed.
fn blocks(lines: &[String]) -> Vec<(&str, Vec<&str>)> {
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in lines {
        let is_r600 = R600::by_name(line).is_some();
        if is_r600
            && blocks.last().is_none_or(|(name, lines)| name != line || !lines.is_empty())
            && line != "r600"
            || line.starts_with("gfx")
        {
            blocks.push((line, Vec::new()));
        } else if let Some((_, block)) = blocks.last_mut() {
            block.push(line.trim_start_matches('•').trim());
        }
    }
    blocks
}

/// Features and properties as the guide words them.
const WORDS: &[(&str, Property)] = &[
    ("xnack", Property::XNACK),
    ("sramecc", Property::SRAMECC),
    ("tgsplit", Property::TGSPLIT),
    ("cumode", Property::CUMODE),
    ("kernarg preload", Property::KERNARG_PRELOAD),
    ("Packed work-item IDs", Property::PACKED_WORK_ITEM_IDS),
    ("Architected flat scratch", Property::ARCHITECTED_FLAT_SCRATCH),
    ("Absolute flat scratch", Property::ABSOLUTE_FLAT_SCRATCH),
    ("Offset flat scratch", Property::OFFSET_FLAT_SCRATCH),
];

/// Where the table is not what the guide says, with what is right.
fn deviates(processor: Processor, word: &str) -> bool {
    match processor {
        // The guide leaves the method out, which every other of the generation has.
        Processor::Gfx904 => word == "Absolute flat scratch",
        // The guide's row says absolute; both processors, and LLVM 22 for the generic one, have architected; the
        // remaining properties are left out.
        Processor::Gfx9_4Generic => !matches!(word, "xnack" | "sramecc"),
        // Its first row, fiji's, has none; that of polaris10 has.
        _ => false,
    }
}

fn check(processor: Processor, block: &[&str]) {
    for &(word, property) in WORDS {
        let says = block.iter().any(|line| *line == word || line.starts_with(&format!("{word} (")));
        if !deviates(processor, word) {
            assert_eq!(processor.has(property), says, "{processor}: {word}");
        }
    }
    let wave64 = block.contains(&"wavefrontsize64");
    assert_eq!(
        processor.allows(WaveSize::Wave32) && processor.allows(WaveSize::Wave64),
        wave64,
        "{processor}"
    );
    let generic = !block.contains(&"Does not support generic address space");
    assert_eq!(processor.has(Property::GENERIC_ADDRESS_SPACE), generic, "{processor}");
}

#[test]
fn processors_are_the_guides() {
    let Some(guide) = guide() else { return };
    let table = between(&guide, "Example Products", "Generic processors allow");
    let mut seen = BTreeSet::new();
    for (name, block) in blocks(table) {
        if let Some(r600) = R600::by_name(name) {
            assert_eq!((r600.name, block.contains(&"amdgcn")), (name, false));
            seen.insert(name);
            continue;
        }
        let processor = Processor::by_name(name).unwrap_or_else(|| panic!("{name} is not in the table"));
        assert_eq!(processor.name(), name);
        assert!(seen.insert(name), "{name} twice");
        let words: BTreeSet<&str> = WORDS.iter().map(|(word, _)| *word).chain(["wavefrontsize64"]).collect();
        let is_alias = |line: &str| {
            line.len() > 3
                && line.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
                && line != "amdgcn"
        };
        let aliases = block.iter().copied().filter(|line| is_alias(line) && !words.contains(line));
        assert_eq!(aliases.collect::<Vec<_>>(), processor.aliases(), "{processor}");
        check(processor, &block);
    }
    // All of amdgcn but the generic ones and the gfx1250 family, which this edition of the guide lacks; all of R600.
    for &processor in Processor::ALL {
        let newer = processor.generation() == Generation::Gfx1250;
        assert!(
            seen.contains(processor.name()) != (processor.has(Property::GENERIC) || newer),
            "{processor}"
        );
    }
    for name in
        ["r630", "rs880", "rv670", "rv710", "rv730", "rv770", "cedar", "cypress", "juniper", "redwood"]
    {
        assert!(seen.contains(name), "{name}");
    }
    for name in ["sumo", "barts", "caicos", "cayman", "turks"] {
        assert!(seen.contains(name), "{name}");
    }
}

#[test]
fn generic_processors_are_the_guides() {
    let Some(guide) = guide() else { return };
    let table = between(&guide, "Target Restrictions", "Generic Processor Versioning");
    let mut seen = 0;
    let mut lines = table.iter().peekable();
    while let Some(name) = lines.next() {
        let Some(processor) = Processor::by_name(name).filter(|p| p.has(Property::GENERIC)) else { continue };
        seen += 1;
        let mut block = Vec::new();
        while let Some(line) = lines.peek().filter(|line| !line.ends_with("-generic")) {
            block.push(line.trim_start_matches('•').trim());
            lines.next();
        }
        let members = block.iter().skip(1).map_while(|line| Processor::by_name(line));
        assert_eq!(members.collect::<Vec<_>>(), processor.stands_for(), "{processor}");
        // What follows the properties are restrictions, which repeat names of features.
        let end = block.iter().position(|line| line.ends_with('.') || line.contains(" not available"));
        check(processor, &block[..end.unwrap_or(block.len())]);
    }
    assert_eq!(seen, 6);
}

#[test]
fn isa_names_are_the_guides() {
    let Some(guide) = guide() else { return };
    let table = between(&guide, "Table 42 ", "Code Object V3 and Above Note Records");
    let rows: Vec<&[String]> = table[3..].chunks(2).collect();
    assert_eq!(rows.len(), 25);
    for row in rows {
        let [name, id] = row else { panic!() };
        let isa: IsaName = name.parse().unwrap();
        assert_eq!(isa.to_string(), *name);
        assert_eq!(isa.target_id().unwrap(), id.parse::<TargetId>().unwrap(), "{name}");
        let again = IsaName::of(&id.parse().unwrap()).unwrap();
        assert_eq!(again.target_id(), isa.target_id(), "{name}");
    }
}
