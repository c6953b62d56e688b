//! The checks of the fuzz targets, about a second each, on damaged real inputs and on generated ones.
//!
//! The seed is printed; `WAVEMARK_SEED=N` runs the same inputs again (as many as fit into the time).
//! `WAVEMARK_SECONDS=600` runs each check for so long, where `cargo fuzz` cannot be had.

use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use flate2::read::GzDecoder;
use rayon::prelude::*;
use wavemark_asm::{Source, assemble};
use wavemark_codeobj::{CodeObject, link};
use wavemark_diag::SourceMap;
use wavemark_filetests::fuzz;
use wavemark_filetests::paths::root;
use wavemark_filetests::random::Random;
use wavemark_numerics::dtype::Dtype;
use wavemark_target::{Subtarget, Target, TargetId};

/// How long each check runs.
fn time() -> Duration {
    let seconds = std::env::var("WAVEMARK_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(1))
}

/// Calls `check` with fresh random choices until the time, a second, is over.
fn for_a_second(name: &str, mut check: impl FnMut(&mut Random)) {
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let seed = std::env::var("WAVEMARK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(clock);
    println!("{name}: WAVEMARK_SEED={seed}");
    let mut random = Random::new(seed);
    let start = Instant::now();
    let (time, mut inputs) = (time(), 0u64);
    while start.elapsed() < time {
        check(&mut random);
        inputs += 1;
    }
    println!("{name}: {inputs} inputs");
}

/// The kernels of the examples: processor and text.
fn kernels() -> Vec<(String, String)> {
    let mut kernels = Vec::new();
    for entry in std::fs::read_dir(root().join("examples")).expect("examples/") {
        let path = entry.expect("an entry").path().join("kernel.s");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let processor = if text.contains("--gfx950") { "gfx950" } else { "gfx1250" };
        kernels.push((processor.to_owned(), text));
    }
    assert!(!kernels.is_empty(), "no examples");
    kernels
}

/// Their objects, as assembled and as linked.
fn objects() -> Vec<Vec<u8>> {
    let mut objects = Vec::new();
    for (processor, text) in kernels() {
        let id: TargetId = processor.parse().expect("a target");
        let subtarget = Subtarget::new(Target::amdhsa(id), "").expect("no features");
        let mut sources = SourceMap::new();
        let file = sources.add_text("kernel.s", text.as_str());
        let object =
            assemble(Source { file, name: "kernel.s", text: &text }, &subtarget).expect("an example");
        let parsed = CodeObject::parse(&object.elf).expect("what we assemble");
        objects.push(link(&[parsed]).expect("links"));
        objects.push(object.elf);
    }
    objects
}

/// A few bytes changed, cut or doubled.
fn damaged(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(6) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => {
                let end = (at + random.below(64)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            2 => bytes[at] = *random.pick(&[&0, &1, &0x7f, &0x80, &0xff]),
            3 => {
                let wide = random.bits().to_le_bytes();
                for (byte, new) in bytes[at..].iter_mut().zip(wide) {
                    *byte = new;
                }
            }
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
    bytes
}

/// The objects, bundles and core files of the code object crate's tests.
fn object_data(extension: &str) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for entry in
        std::fs::read_dir(root().join("crates/codeobj/tests/data")).expect("crates/codeobj/tests/data")
    {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(std::fs::read(&path).expect("a file"));
        }
    }
    assert!(!files.is_empty(), "no .{extension}");
    files
}

#[test]
fn elf() {
    let mut objects = objects();
    objects.extend(object_data("o"));
    objects.iter().for_each(|object| fuzz::elf(object));
    for_a_second("elf", |random| {
        let object = &objects[random.below(objects.len())];
        fuzz::elf(&damaged(random, object));
    });
}

#[test]
fn metadata() {
    let mut packed: Vec<Vec<u8>> = Vec::new();
    for object in objects().iter().chain(&object_data("o")) {
        let Some(tree) = CodeObject::parse(object).expect("an object").metadata_tree else { continue };
        packed.push(tree.to_message_pack());
        packed.push(tree.to_yaml().into_bytes());
    }
    for_a_second("metadata", |random| {
        let bytes = &packed[random.below(packed.len())];
        fuzz::metadata(&damaged(random, bytes));
    });
}

#[test]
fn bundle() {
    let bundles = object_data("hipfb");
    bundles.iter().for_each(|bundle| fuzz::bundle(bundle));
    for_a_second("bundle", |random| {
        let bundle = &bundles[random.below(bundles.len())];
        fuzz::bundle(&damaged(random, bundle));
    });
}

#[test]
fn uri() {
    let uris = ["file:///dir/a%20b#offset=0x2000&size=3000", "memory://1234?offset=0x20000&size=03000"];
    for_a_second("uri", |random| {
        let uri = uris[random.below(uris.len())];
        fuzz::uri(&String::from_utf8_lossy(&damaged(random, uri.as_bytes())));
    });
}

#[test]
fn assembly() {
    let kernels = kernels();
    let lines: Vec<&str> = kernels.iter().flat_map(|(_, text)| text.lines()).collect();
    for_a_second("assembly", |random| {
        // Lines of all kernels, shuffled, some of them damaged.
        let mut text = String::new();
        for _ in 0..1 + random.below(40) {
            let line = lines[random.below(lines.len())];
            if random.one_in(3) {
                text += &String::from_utf8_lossy(&damaged(random, line.as_bytes()));
            } else {
                text += line;
            }
            text.push('\n');
        }
        fuzz::assembly(&text);
    });
}

#[test]
fn instruction() {
    for_a_second("instruction", |random| {
        let mut bytes = [0u8; 20];
        let sparse = random.one_in(2);
        for word in bytes.chunks_exact_mut(4) {
            let mut bits = random.bits();
            if sparse {
                bits &= random.bits();
            }
            word.copy_from_slice(&(bits as u32).to_le_bytes());
        }
        let length = if random.one_in(8) { random.below(21) } else { 20 };
        fuzz::instruction(&bytes[..length]);
    });
}

/// The tile programs of the examples and of the front end's tests.
fn tile_programs() -> Vec<String> {
    let mut programs = Vec::new();
    for directory in ["examples/software_pipeline", "crates/frontend/tests/printed"] {
        for entry in std::fs::read_dir(root().join(directory)).expect(directory) {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "py") {
                programs.push(std::fs::read_to_string(path).expect("a text"));
            }
        }
    }
    programs.sort();
    assert!(!programs.is_empty(), "no tile programs");
    programs
}

/// One of `texts` with a few lines changed: one more, or less, or another word of `words` in one.
fn with_other_lines(random: &mut Random, texts: &[String], words: &[&str], ends: &[char]) -> String {
    let text = &texts[random.below(texts.len())];
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(lines.len());
        match random.below(4) {
            0 if lines.len() > 1 => drop(lines.remove(at)),
            1 => {
                let line = lines[random.below(lines.len())].clone();
                lines.insert(at, line);
            }
            2 => lines[at] = String::from_utf8_lossy(&damaged(random, lines[at].as_bytes())).into_owned(),
            _ => {
                let mut parts: Vec<&str> = lines[at].split_inclusive(ends).collect();
                if !parts.is_empty() {
                    let part = random.below(parts.len());
                    parts[part] = words[random.below(words.len())];
                }
                lines[at] = parts.concat();
            }
        }
    }
    lines.join("\n")
}

#[test]
fn tvmscript() {
    let programs = tile_programs();
    programs.iter().for_each(|program| fuzz::tvmscript(program));
    let ends = [' ', '(', ',', '['];
    let words: Vec<&str> = programs.iter().flat_map(|text| text.split_inclusive(ends)).collect();
    for_a_second("tvmscript", |random| {
        fuzz::tvmscript(&with_other_lines(random, &programs, &words, &ends));
    });
}

/// The modules of some folders.
fn modules(directories: &[&str]) -> Vec<String> {
    let mut modules = Vec::new();
    for directory in directories {
        for entry in std::fs::read_dir(root().join(directory)).expect(directory) {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "ll") {
                modules.push(std::fs::read_to_string(path).expect("a text"));
            }
        }
    }
    modules.sort();
    assert!(!modules.is_empty(), "no modules");
    modules
}

/// The modules of folders as they are, then with other lines.
fn with_modules(name: &str, directories: &[&str], check: fn(&str)) {
    let modules = modules(directories);
    modules.iter().for_each(|module| check(module));
    let ends = [' ', '(', ',', '['];
    let words: Vec<&str> = modules.iter().flat_map(|text| text.split_inclusive(ends)).collect();
    for_a_second(name, |random| check(&with_other_lines(random, &modules, &words, &ends)));
}

#[test]
fn llvm_ir() {
    with_modules("llvm_ir", &["crates/ir/tests/valid", "crates/ir/tests/invalid"], fuzz::llvm_ir);
}

#[test]
fn llvm_ir_verify() {
    let directories = ["crates/ir/tests/valid", "crates/ir/tests/invalid", "tests/ir/check"];
    with_modules("llvm_ir_verify", &directories, fuzz::llvm_ir_verify);
}

#[test]
fn llvm_ir_run() {
    with_modules("llvm_ir_run", &["crates/ir/tests/valid", "tests/ir/run"], fuzz::llvm_ir_run);
}

/// Random words of which many decode: the upper byte chooses the encoding.
#[test]
fn program() {
    for_a_second("program", |random| {
        let mut bytes = vec![random.bits() as u8];
        for _ in 0..4 + random.below(60) {
            let word = random.bits() as u32;
            let sparse = if random.one_in(2) { word & random.bits() as u32 } else { word };
            bytes.extend_from_slice(&sparse.to_le_bytes());
        }
        fuzz::program(&bytes);
    });
}

#[test]
fn launch() {
    let mut files: Vec<String> = Vec::new();
    for folder in ["pipelined_copy", "named_barriers", "cluster_multicast", "pipelined_copy_gfx950"] {
        let path = root().join("examples").join(folder).join("launch.toml");
        files.push(
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        );
    }
    for_a_second("launch", |random| {
        let file = &files[random.below(files.len())];
        fuzz::launch(&String::from_utf8_lossy(&damaged(random, file.as_bytes())));
    });
}

#[test]
fn npy() {
    let files = [
        wavemark_driver::npy::write(Dtype::F32, &[4], &[7; 16]).expect("a file"),
        wavemark_driver::npy::write(Dtype::U8, &[2, 3], &[1, 2, 3, 4, 5, 6]).expect("a file"),
        wavemark_driver::npy::write(Dtype::F4E2M1, &[8], &[1, 2, 3, 4]).expect("a file"),
    ];
    for_a_second("npy", |random| {
        let file = &files[random.below(files.len())];
        fuzz::npy(&damaged(random, file));
    });
}

/// Runs the check that is called `target` on one input.
fn check(target: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match target {
        "elf" => fuzz::elf(bytes),
        "metadata" => fuzz::metadata(bytes),
        "bundle" => fuzz::bundle(bytes),
        "assembly" => fuzz::assembly(&text),
        "instruction" => fuzz::instruction(bytes),
        "program" => fuzz::program(bytes),
        "launch" => fuzz::launch(&text),
        "npy" => fuzz::npy(bytes),
        "tvmscript" => fuzz::tvmscript(&text),
        "llvm_ir" => fuzz::llvm_ir(&text),
        "llvm_ir_verify" => fuzz::llvm_ir_verify(&text),
        "llvm_ir_run" => fuzz::llvm_ir_run(&text),
        _ => panic!("there is no target {target}"),
    }
}

/// The entries of `fuzz/kept`, in the order of their names.
fn kept() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("fuzz/kept")).expect("fuzz/kept");
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    entries
}

/// What once went wrong, or nearly did: the files of `fuzz/kept`, a folder for each target.
#[test]
fn what_went_wrong() {
    let folders: Vec<PathBuf> = kept().into_iter().filter(|path| path.is_dir()).collect();
    assert!(!folders.is_empty(), "fuzz/kept has no folders");
    for folder in folders {
        let target = folder.file_name().expect("a name").to_string_lossy();
        for file in std::fs::read_dir(&folder).expect("a folder") {
            let path = file.expect("an entry").path();
            println!("{}", path.display());
            check(&target, &std::fs::read(path).expect("a file"));
        }
    }
}

/// The minimised corpora, inputs that together reach whatever fuzzing has reached: `fuzz/kept/TARGET.tar.gz`.
#[test]
fn corpora() {
    let archives: Vec<PathBuf> = kept().into_iter().filter(|path| path.is_file()).collect();
    assert!(!archives.is_empty(), "fuzz/kept has no archives");
    for path in archives {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let target = name.strip_suffix(".tar.gz").expect("TARGET.tar.gz");
        let start = Instant::now();
        let mut inputs = Vec::new();
        let archive = GzDecoder::new(std::fs::File::open(&path).expect("an archive"));
        for entry in tar::Archive::new(archive).entries().expect("an archive") {
            let mut entry = entry.expect("an entry");
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("an entry's bytes");
            inputs.push((entry.path().expect("a path").display().to_string(), bytes));
        }
        assert!(!inputs.is_empty(), "{name} is empty");
        inputs.par_iter().for_each(|(input, bytes)| {
            println!("{target}: {input} on {:?}", std::thread::current().id());
            check(target, bytes);
        });
        println!("{target}: {} inputs in {:.1} s", inputs.len(), start.elapsed().as_secs_f64());
    }
}
