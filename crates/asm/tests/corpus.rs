//! The shared corpus: every `kernel.s` of the processors we know assembles to the code, the descriptors and the
//! metadata of the `kernel.hsaco` beside it, which another assembler and linker made.
//!
//! The corpus is looked for in `../shared` of the workspace or in `WAVEMARK_SHARED`; without it the test says
//! that it was skipped.

use std::path::{Path, PathBuf};

use wavemark_asm::{Source, assemble, disassemble, target_of};
use wavemark_codeobj::{CodeObject, KernelDescriptor};
use wavemark_diag::{SourceMap, render_short};
use wavemark_target::Subtarget;

fn corpus() -> Option<PathBuf> {
    let root = std::env::var_os("WAVEMARK_SHARED").map(PathBuf::from);
    let root = root.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let corpus = root.join("corpus");
    corpus.is_dir().then_some(corpus)
}

/// The folders of all cases for our processors.
fn cases(corpus: &Path) -> Vec<PathBuf> {
    let list = |path: &Path| -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        paths
    };
    let sets = list(corpus);
    let processors = sets.iter().flat_map(|set| ["gfx950", "gfx1250"].map(|name| set.join(name)));
    processors.flat_map(|folder| list(&folder)).filter(|case| case.is_dir()).collect()
}

fn features(case: &Path) -> &'static str {
    if case.components().any(|part| part.as_os_str() == "gfx1250") { "+real-true16" } else { "" }
}

fn assemble_text(
    name: &str,
    text: &str,
    subtarget: Option<&Subtarget>,
    features: &str,
) -> Result<CodeObject, String> {
    let mut sources = SourceMap::new();
    let file = sources.add_text(name, text.to_owned());
    let source = Source { file, name, text };
    let made;
    let subtarget = match subtarget {
        Some(subtarget) => subtarget,
        None => {
            let target = target_of(source).map_err(|d| d.message)?.ok_or("no .amdgcn_target")?;
            made = Subtarget::new(target, features).map_err(|error| error.to_string())?;
            &made
        }
    };
    match assemble(source, subtarget) {
        Ok(object) => CodeObject::parse(&object.elf).map_err(|error| format!("{error:?}")),
        Err(diagnostics) => {
            let first: Vec<String> = diagnostics.iter().take(5).map(|d| render_short(&sources, d)).collect();
            Err(format!("{} errors:\n{}", diagnostics.len(), first.join("\n")))
        }
    }
}

fn section<'a>(object: &'a CodeObject, name: &str) -> &'a [u8] {
    object.section_by_name(name).map_or(&[], |index| object.section_data(index))
}

/// A descriptor without the distance to the code, which linking fills in.
fn descriptor(object: &CodeObject, name: &str) -> Option<KernelDescriptor> {
    let kernel = object.kernels.iter().find(|kernel| kernel.name == name)?;
    Some(KernelDescriptor { kernel_code_entry_byte_offset: 0, ..kernel.descriptor })
}

/// The first instruction that differs. Bits that instructions ignore may: the newer assembler of the corpus
/// sets the unused third source of compares, LLVM 22 and we do not.
fn first_difference(ours: &[u8], linked: &[u8], relocated: &[u64], subtarget: &Subtarget) -> Option<usize> {
    let isa = subtarget.machine;
    let print = |bytes: &[u8]| {
        let inst = wavemark_isa::decode(isa, bytes).ok()?;
        Some((usize::from(inst.size), wavemark_isa::print(isa, &inst)))
    };
    let mut at = 0;
    while at < ours.len() {
        let (left, right) = (&ours[at..], &linked[at..]);
        let decoded = print(left);
        let size = decoded.as_ref().map_or(4, |(size, _)| *size).min(left.len());
        let has_relocation = relocated.iter().any(|&start| (at..at + size).contains(&(start as usize)));
        if left[..size] != right[..size] && !has_relocation && (decoded.is_none() || decoded != print(right))
        {
            return Some(at);
        }
        at += size;
    }
    None
}

/// What differs between the object and the linked file.
fn compare(ours: &CodeObject, linked: &CodeObject, subtarget: &Subtarget) -> Result<(), String> {
    let (ours_text, linked_text) = (section(ours, ".text"), section(linked, ".text"));
    let relocated: Vec<u64> = ours
        .relocations
        .iter()
        .filter(|table| table.target == ours.section_by_name(".text"))
        .flat_map(|table| table.entries.iter().map(|rela| rela.offset))
        .collect();
    if ours_text.len() > linked_text.len() {
        return Err(format!(".text has {} bytes, not {}", ours_text.len(), linked_text.len()));
    }
    if let Some(at) = first_difference(ours_text, linked_text, &relocated, subtarget) {
        return Err(format!(".text differs at {at:#x}"));
    }
    for kernel in &linked.kernels {
        if descriptor(ours, &kernel.name) != descriptor(linked, &kernel.name) {
            return Err(format!("the descriptor of {} differs", kernel.name));
        }
    }
    // The newer assembler of the corpus spells the target in the metadata as the text does; so do we.
    if ours.metadata != linked.metadata {
        return Err("the metadata differs".to_owned());
    }
    Ok(())
}

#[test]
fn corpus_sources_assemble_to_their_code_objects() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: there is no ../shared/corpus");
        return;
    };
    let mut failures = Vec::new();
    let mut count = 0;
    for case in cases(&corpus) {
        let (source, binary) = (case.join("kernel.s"), case.join("kernel.hsaco"));
        let (Ok(text), Ok(bytes)) = (std::fs::read_to_string(&source), std::fs::read(&binary)) else {
            continue;
        };
        let linked = CodeObject::parse(&bytes).expect("a code object of the corpus");
        // A few sources leave the target to the command line.
        let subtarget =
            Subtarget::new(linked.target().to_string().parse().expect("a target"), features(&case));
        let subtarget = subtarget.expect("features");
        let named = text.contains(".amdgcn_target");
        let ours = assemble_text("kernel.s", &text, (!named).then_some(&subtarget), features(&case));
        count += 1;
        if let Err(message) = ours.and_then(|ours| compare(&ours, &linked, &subtarget)) {
            failures.push(format!("{}: {message}", case.display()));
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    eprintln!("{count} sources");
}

#[test]
fn corpus_code_objects_come_back_from_their_disassembly() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: there is no ../shared/corpus");
        return;
    };
    let mut failures = Vec::new();
    let mut count = 0;
    for case in cases(&corpus) {
        let Ok(bytes) = std::fs::read(case.join("kernel.hsaco")) else { continue };
        let object = CodeObject::parse(&bytes).expect("a code object of the corpus");
        let text = disassemble(&object, features(&case)).expect("features");
        count += 1;
        if text.contains(".long 0x") && text.contains("\t.long") {
            // Words that are no code are allowed in data only.
            let code = text.split(".section .text").nth(1).unwrap_or("");
            let code = code.split(".section").next().unwrap_or("");
            if code.contains(".long") && !code.contains("// ") {
                eprintln!("{}: undecoded words", case.display());
            }
        }
        match assemble_text("again.s", &text, None, features(&case)) {
            Err(message) => failures.push(format!("{}: {message}", case.display())),
            Ok(again) => {
                for name in [".text", ".data"] {
                    if section(&again, name) != section(&object, name) {
                        failures.push(format!("{}: {name} differs", case.display()));
                    }
                }
                for kernel in &object.kernels {
                    if descriptor(&again, &kernel.name) != descriptor(&object, &kernel.name) {
                        failures.push(format!("{}: descriptor of {}", case.display(), kernel.name));
                    }
                }
                if again.metadata != object.metadata {
                    failures.push(format!("{}: metadata", case.display()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    eprintln!("{count} code objects");
}
