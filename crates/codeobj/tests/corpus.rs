//! Every linked code object of the shared corpus, where there is one: reads, and says what its source said.

use std::path::{Path, PathBuf};

use wavemark_codeobj::descriptor::SIZE;
use wavemark_codeobj::lines::LineTable;
use wavemark_codeobj::*;

/// The code objects of the corpus, or nothing (said aloud) if this machine has none.
fn corpus() -> Vec<PathBuf> {
    let shared = std::env::var_os("WAVEMARK_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let mut found = Vec::new();
    let mut folders = vec![shared.join("corpus")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "hsaco") {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        assert!(std::env::var_os("CI").is_none(), "no corpus at {}", shared.display());
        eprintln!("SKIPPED: no corpus at {} (set WAVEMARK_SHARED)", shared.display());
    }
    found.sort();
    found
}

#[test]
fn every_code_object_reads() {
    for path in corpus() {
        let bytes = std::fs::read(&path).unwrap();
        let object = CodeObject::parse(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!object.kernels.is_empty(), "{}", path.display());
        let violations: Vec<String> = object.violations.iter().map(ToString::to_string).collect();
        assert_eq!(violations, [""; 0], "{}", path.display());
        for kernel in &object.kernels {
            let name = format!("{}: {}", path.display(), kernel.name);
            let descriptor = &kernel.descriptor;
            let metadata = object.kernel_metadata(kernel).unwrap_or_else(|| panic!("{name}"));
            let raw = &object.section_data(kernel.section)[kernel.offset as usize..][..SIZE];
            assert_eq!(descriptor.encode().as_slice(), raw, "{name}");
            assert_eq!(descriptor.unknown_bits(), [], "{name}");
            assert_eq!(descriptor.reserved, [0; 28], "{name}");
            assert_eq!(descriptor.wave_size().lanes(), metadata.wavefront_size, "{name}");
            assert_eq!(descriptor.group_segment_fixed_size, metadata.group_segment_fixed_size, "{name}");
            assert_eq!(descriptor.private_segment_fixed_size, metadata.private_segment_fixed_size, "{name}");
            assert!(descriptor.vgprs() >= metadata.vgpr_count, "{name}");
        }
    }
}

#[test]
fn metadata_is_written_back_to_the_byte() {
    for path in corpus() {
        let bytes = std::fs::read(&path).unwrap();
        let object = CodeObject::parse(&bytes).unwrap();
        let note = object.notes.iter().find(|n| n.is_metadata()).unwrap();
        let metadata = object.metadata.as_ref().unwrap();
        assert!(metadata.other.is_empty(), "{}: {:?}", path.display(), metadata.other.keys());
        for kernel in &metadata.kernels {
            assert!(kernel.other.is_empty(), "{}: {:?}", path.display(), kernel.other.keys());
            for arg in &kernel.args {
                assert!(arg.other.is_empty(), "{}: {:?}", path.display(), arg.other.keys());
                assert!(
                    !matches!(arg.value_kind, ValueKind::Other(_)),
                    "{}: {}",
                    path.display(),
                    arg.value_kind
                );
            }
        }
        assert_eq!(metadata.to_message_pack(), note.description, "{}", path.display());
        let yaml = metadata.to_yaml();
        let again = Metadata::from_yaml(&yaml).unwrap_or_else(|e| panic!("{}: {e}\n{yaml}", path.display()));
        assert_eq!(&again, metadata, "{}", path.display());
    }
}

#[test]
fn every_code_object_loads_and_knows_its_source() {
    let base = 0x7f12_3456_0000;
    let mut with_lines = 0;
    for path in corpus() {
        let object = CodeObject::parse(&std::fs::read(&path).unwrap()).unwrap();
        let image = LoadedImage::load(&object, base).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(image.kernels.len(), object.kernels.len());
        let lines = LineTable::build(&object).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for kernel in &image.kernels {
            let code = image.read(kernel.entry_vaddr, kernel.code_size as usize);
            assert!(code.is_some(), "{}: {}", path.display(), kernel.name);
            if !lines.rows.is_empty() {
                with_lines += 1;
                let line = lines.lookup(kernel.entry_vaddr - base);
                assert!(line.is_some_and(|l| !l.file.is_empty()), "{}: {}", path.display(), kernel.name);
            }
        }
    }
    eprintln!("{with_lines} kernels have a line table");
}

#[test]
fn descriptors_say_what_the_directives_said() {
    let mut compared = 0;
    for path in corpus() {
        let Ok(text) = std::fs::read_to_string(path.with_file_name("kernel.s")) else { continue };
        let object = CodeObject::parse(&std::fs::read(&path).unwrap()).unwrap();
        let mut kernel = None;
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (Some(directive), Some(argument)) = (words.next(), words.next()) else { continue };
            if directive == ".amdhsa_kernel" {
                kernel = object.kernels.iter().find(|k| k.name == argument);
            }
            let (Some(name), Ok(value)) = (directive.strip_prefix(".amdhsa_"), argument.parse::<u32>())
            else {
                continue;
            };
            let Some(kernel) = kernel else { continue };
            let descriptor = &kernel.descriptor;
            let found = match name {
                "group_segment_fixed_size" => Some(descriptor.group_segment_fixed_size),
                "private_segment_fixed_size" => Some(descriptor.private_segment_fixed_size),
                "kernarg_size" => Some(descriptor.kernarg_size),
                "accum_offset" => descriptor.accum_offset(),
                _ => Field::by_directive(name, descriptor.processor).and_then(|field| descriptor.get(field)),
            };
            if let Some(found) = found {
                compared += 1;
                assert_eq!(found, value, "{}: {}: {line}", path.display(), kernel.name);
            }
        }
    }
    eprintln!("{compared} directives agree");
}
