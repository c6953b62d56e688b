//! Every file of `tests/data`: a source with what it assembles to.
//!
//! A file starts with `; key: value` lines (`target`, `features`), goes on with the source, and ends with the
//! expectation, each line behind `;> `: the sections, relocations and symbols of the object, or its errors.
//! `WAVEMARK_BLESS=1` writes the expectations again. Each object is also disassembled and assembled again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use wavemark_asm::{Source, assemble, disassemble, target_of};
use wavemark_codeobj::elf::{OsAbi, Place, SymbolType, sht};
use wavemark_codeobj::{CodeObject, RelocationKind};
use wavemark_diag::{SourceMap, render_short};
use wavemark_target::Subtarget;

/// The header of a file.
struct Header {
    target: String,
    features: String,
}

fn header(text: &str, path: &Path) -> Header {
    let mut header = Header { target: String::new(), features: String::new() };
    for line in text.lines() {
        let Some((key, value)) = line.strip_prefix("; ").and_then(|line| line.split_once(": ")) else {
            break;
        };
        match key {
            "target" => header.target = value.trim().to_owned(),
            "features" => header.features = value.trim().to_owned(),
            _ => panic!("{}: unknown key {key}", path.display()),
        }
    }
    header
}

/// What a source comes to.
fn outcome(text: &str, header: &Header) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add_text("file", text.to_owned());
    let subtarget =
        Subtarget::new(header.target.parse().expect("a target"), &header.features).expect("features");
    let source = Source { file, name: "file", text };
    match assemble(source, &subtarget) {
        Err(diagnostics) => {
            let mut out = String::new();
            for diagnostic in diagnostics {
                let _ = writeln!(out, "{}", render_short(&sources, &diagnostic));
                for note in &diagnostic.notes {
                    let _ = writeln!(out, "  note: {note}");
                }
            }
            out
        }
        Ok(object) => {
            let mut out = String::new();
            for remark in &object.remarks {
                let _ = writeln!(out, "{}", render_short(&sources, remark));
            }
            let elf = CodeObject::parse(&object.elf).expect("our own object");
            out += &describe(&elf, text.contains(".loc"));
            check_round_trip(&elf, &header.features);
            out
        }
    }
}

/// The object in words; its line table only where the text makes it, not where it is about the text.
fn describe(elf: &CodeObject, with_lines: bool) -> String {
    let mut out = format!("{} V{}\n", elf.target(), elf.abi.code_object_version());
    for (index, section) in elf.sections.iter().enumerate() {
        let tables = [sht::NULL, sht::SYMTAB, sht::STRTAB, sht::RELA];
        let lines_of_text = section.name == ".debug_line" && !with_lines;
        if tables.contains(&section.kind) || lines_of_text {
            continue;
        }
        let _ = writeln!(
            out,
            "{} type {} flags {:#x} align {} size {}",
            section.name, section.kind, section.flags, section.align, section.size
        );
        if section.kind != sht::NOTE {
            for row in elf.section_data(index).chunks(16) {
                let words: Vec<String> = row
                    .chunks(4)
                    .map(|word| word.iter().map(|byte| format!("{byte:02x}")).collect())
                    .collect();
                let _ = writeln!(out, "  {}", words.join(" "));
            }
        }
        for table in elf.relocations.iter().filter(|table| table.target == Some(index)) {
            for rela in &table.entries {
                let symbol = &elf.symbols[rela.symbol as usize];
                let name = match symbol.place {
                    Place::Section(index) if symbol.kind == SymbolType::Section => {
                        &elf.sections[index as usize].name
                    }
                    _ => &symbol.name,
                };
                let kind = RelocationKind::by_number(rela.kind).map_or("?", RelocationKind::name);
                let _ = writeln!(out, "  at {:#x}: {kind} {name} {:+}", rela.offset, rela.addend);
            }
        }
    }
    for symbol in elf.symbols.iter().skip(1).filter(|symbol| symbol.kind != SymbolType::Section) {
        let place = match symbol.place {
            Place::Section(index) => elf.sections[index as usize].name.clone(),
            other => format!("{other:?}").to_lowercase(),
        };
        let _ = writeln!(
            out,
            "{}: {place} {:#x} size {} {:?} {:?} {:?}",
            symbol.name, symbol.value, symbol.size, symbol.binding, symbol.kind, symbol.visibility
        );
    }
    for note in elf.notes.iter().filter(|_| elf.metadata.is_none()) {
        let _ = writeln!(out, "note {} {}: {:02x?}", note.name, note.kind, note.description);
    }
    if let Some(metadata) = &elf.metadata {
        let _ = writeln!(out, "{}", metadata.to_yaml().trim_end());
    }
    out
}

/// Disassembles an object, assembles that, and compares the loaded sections, and the notes that no loader sees.
fn check_round_trip(elf: &CodeObject, features: &str) {
    let text = disassemble(elf, features).expect("features");
    let mut sources = SourceMap::new();
    let file = sources.add_text("again.s", text.clone());
    let target =
        target_of(Source { file, name: "again.s", text: &text }).expect("a target").expect("a target");
    let subtarget = Subtarget::new(target, features).expect("features");
    let again = match assemble(Source { file, name: "again.s", text: &text }, &subtarget) {
        Ok(object) => CodeObject::parse(&object.elf).expect("our own object"),
        Err(diagnostics) => {
            let all: Vec<String> = diagnostics.iter().map(|d| render_short(&sources, d)).collect();
            panic!("the disassembly does not assemble:\n{}\n{text}", all.join("\n"));
        }
    };
    if elf.os != OsAbi::Hsa {
        let notes = |elf: &CodeObject| -> Vec<_> {
            elf.notes.iter().map(|note| (note.name.clone(), note.kind, note.description.clone())).collect()
        };
        assert_eq!(notes(&again), notes(elf), "{text}");
        assert_eq!((again.os, again.target()), (elf.os, elf.target()), "{text}");
    }
    for (index, section) in elf.sections.iter().enumerate() {
        if !section.is_alloc() || section.size == 0 {
            continue;
        }
        // Of several sections of one name each is compared with its own.
        let nth = elf.sections[..index].iter().filter(|other| other.name == section.name).count();
        let mut named = again.sections.iter().enumerate().filter(|(_, other)| other.name == section.name);
        let (other, _) = named.nth(nth).unwrap_or_else(|| panic!("{} is gone\n{text}", section.name));
        assert_eq!(again.sections[other].size, section.size, "size of {}\n{text}", section.name);
        assert_eq!(again.section_data(other), elf.section_data(index), "{}\n{text}", section.name);
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of the test files")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "s"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_file_assembles_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let bless = std::env::var_os("WAVEMARK_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in files(&folder) {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let end = text.find(";> ").unwrap_or(text.len());
        let (source, expected) = text.split_at(end);
        let found: String =
            outcome(source, &header(source, &path)).lines().map(|line| format!(";> {line}\n")).collect();
        if found == expected {
            continue;
        }
        if bless {
            std::fs::write(&path, format!("{source}{found}")).expect("a writable file");
        } else {
            wrong.push(format!("{}:\n--- expected\n{expected}--- found\n{found}", path.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nWAVEMARK_BLESS=1 cargo test -p wavemark-asm blesses this",
        wrong.join("\n")
    );
}

/// Nobody asked for the line table: it names no symbol that the text has not, and is left out where there is none.
#[test]
fn a_text_without_symbols_has_none() {
    let object = |text: &str| {
        let mut sources = SourceMap::new();
        let file = sources.add_text("file", text.to_owned());
        let subtarget = Subtarget::new("gfx942".parse().expect("a target"), "").expect("features");
        let object = assemble(Source { file, name: "file", text }, &subtarget).expect("an object");
        let elf = CodeObject::parse(&object.elf).expect("our own object");
        let symbols: Vec<String> = elf.symbols.iter().skip(1).map(|symbol| symbol.name.clone()).collect();
        (symbols, elf.sections.iter().any(|section| section.name == ".debug_line"))
    };
    assert_eq!(object("s_nop 0\n.Lend:\ns_branch .Lend"), (vec![], false));
    assert_eq!(object("f:\ns_nop 0"), (vec!["f".to_owned()], true));
}
