//! Corpus files as inputs of the comparison: the instructions of the objects, and the sources beside them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use object::{Object as _, ObjectSection as _};
use wavemark_diag::{SourceMap, render_short};
use wavemark_driver::assembly::AssemblyOptions;
use wavemark_driver::build::{Failure, assemble_input, link_one};
use wavemark_driver::input;
use wavemark_isa::{Machine, decode};

/// Bytes that LLVM is shown where our decoder does not know how long an instruction is.
const LONGEST: usize = 20;

/// All folders of cases of a target.
fn cases(folder: &Path, cpu: &str) -> Result<Vec<PathBuf>> {
    let mut cases = Vec::new();
    for set in std::fs::read_dir(folder.join("corpus"))? {
        let target = set?.path().join(cpu);
        if target.is_dir() {
            for case in std::fs::read_dir(target)? {
                cases.push(case?.path());
            }
        }
    }
    cases.sort();
    Ok(cases)
}

/// The different instructions of the `.text` sections of the target's objects, as hexadecimal.
pub fn instructions(folder: &Path, cpu: &str, machine: Machine) -> Result<Vec<String>> {
    let mut seen = BTreeSet::new();
    for code in codes(folder, cpu)? {
        let mut rest = code.as_slice();
        while !rest.is_empty() {
            let known = decode(machine, rest).map(|inst| usize::from(inst.size)).ok();
            let shown = known.unwrap_or(LONGEST).min(rest.len());
            seen.insert(super::hex(&rest[..shown]));
            rest = &rest[known.unwrap_or(4).min(rest.len())..];
        }
    }
    Ok(seen.into_iter().collect())
}

/// The `.text` sections of the target's objects.
pub fn codes(folder: &Path, cpu: &str) -> Result<Vec<Vec<u8>>> {
    let mut codes = Vec::new();
    for case in cases(folder, cpu)? {
        let path = case.join("kernel.hsaco");
        if let Ok(bytes) = std::fs::read(&path) {
            codes.push(text_of(&bytes).with_context(|| path.display().to_string())?);
        }
    }
    Ok(codes)
}

/// The `.text` section of an object.
pub fn text_of(elf: &[u8]) -> Result<Vec<u8>> {
    let file = object::File::parse(elf)?;
    Ok(file.section_by_name(".text").context("no .text")?.data()?.to_vec())
}

/// Assembles and links every `kernel.s` that stands beside a `kernel.hsaco`, and compares `.text`. Compilers write
/// gfx1250's 16-bit halves as registers (`v0.l`), which LLVM 22 takes with `+real-true16`.
pub fn sources(folder: &Path, cpu: &str, samples: usize) -> Result<bool> {
    let (mut same, mut problems) = (0, Vec::new());
    for case in cases(folder, cpu)? {
        let (source, object) = (case.join("kernel.s"), case.join("kernel.hsaco"));
        if !source.is_file() || !object.is_file() {
            continue;
        }
        let expected = text_of(&std::fs::read(&object)?).with_context(|| object.display().to_string())?;
        let features = if cpu == "gfx1250" { "+real-true16" } else { "" };
        match assembled(&source, features) {
            Ok(found) if found == expected => same += 1,
            Ok(found) => {
                let at = found.iter().zip(&expected).position(|(one, other)| one != other);
                let at = at.unwrap_or(found.len().min(expected.len()));
                problems.push(format!(
                    "{}: {} bytes, {} expected, differ from {at:#x} on",
                    source.display(),
                    found.len(),
                    expected.len()
                ));
            }
            Err(error) => problems.push(format!("{}: {error:#}", source.display())),
        }
    }
    println!("  corpus .s files: {same} give the bytes of their objects, {} do not", problems.len());
    for problem in problems.iter().take(samples) {
        println!("      {problem}");
    }
    Ok(problems.is_empty())
}

fn assembled(path: &Path, features: &str) -> Result<Vec<u8>> {
    let mut sources = SourceMap::new();
    let shown = |sources: &SourceMap, diagnostic: &_| anyhow!("{}", render_short(sources, diagnostic));
    let input = input::read(path, None).map_err(|diagnostic| shown(&sources, &diagnostic))?;
    let object = match assemble_input(&mut sources, &input, None, features, &AssemblyOptions::default()) {
        Ok(object) => object,
        Err(Failure::Unsupported(what)) => return Err(anyhow!("unsupported: {what}")),
        Err(Failure::Unusable(diagnostics)) => {
            return Err(diagnostics.first().map_or_else(|| anyhow!("?"), |first| shown(&sources, first)));
        }
    };
    let linked = link_one(&mut sources, &input.name, &object.elf)
        .map_err(|diagnostic| shown(&sources, &diagnostic))?;
    text_of(&linked)
}
