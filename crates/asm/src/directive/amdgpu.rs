//! Directives of AMD GPUs but for kernel descriptors: target, code object version, metadata, LDS variables.
//!
//! Follows "Code Object V3 and Above Directives" of LLVM's *User Guide for AMDGPU Backend*.

use wavemark_codeobj::elf::{Binding, OsAbi, SymbolType, shf, sht};
use wavemark_codeobj::note::Note;
use wavemark_codeobj::value::Value;
use wavemark_target::{AbiVersion, Target};

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::expr::Expr;
use crate::statement::Lines;
use crate::symbol::Definition;
use crate::yaml;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".amdgcn_target", target),
    row(".amdhsa_code_object_version", code_object_version),
    row(".amdgpu_metadata", metadata),
    row(".amdgpu_lds", lds),
];

/// `.amdgcn_target "triple-target id"`: must be what the file is assembled for, settings included, in either
/// spelling of the triple.
fn target(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let bytes = operands.string()?;
    let range = start..operands.lexer.position();
    operands.end()?;
    let text = String::from_utf8_lossy(&bytes);
    let target: Target = text.parse().map_err(|error| Fault::new(range.clone(), format!("{error}")))?;
    let wanted = &assembler.subtarget.target;
    if !target.same(wanted) {
        let message = format!("the file is for {target}, but {wanted} was asked for");
        return Err(Fault::new(range, message));
    }
    assembler.file_target = Some(target);
    assembler.known.clear();
    Ok(())
}

fn code_object_version(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (version, range) = operands.absolute(assembler)?;
    operands.end()?;
    expect_hsa(assembler, operands)?;
    let abi = u32::try_from(version).ok().and_then(AbiVersion::by_code_object_version);
    match abi.filter(|abi| *abi > AbiVersion::V3) {
        Some(abi) => {
            assembler.abi = abi;
            Ok(())
        }
        None => Err(Fault::new(range, format!("code object version {version} is not one of 4, 5, 6"))),
    }
}

/// `.amdgpu_metadata`, YAML, `.end_amdgpu_metadata`: becomes the metadata note.
fn metadata(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let Some(value) = yaml_block(assembler, operands, lines, ".end_amdgpu_metadata")? else { return Ok(()) };
    expect_hsa(assembler, operands)?;
    if let Err(error) = wavemark_codeobj::Metadata::from_value(value.clone()) {
        let span = assembler.span(operands.offset, operands.name.clone());
        assembler.report(span, format!("invalid metadata: {error}"));
        return Ok(());
    }
    add_note(assembler, Note::metadata(value.to_message_pack()));
    Ok(())
}

/// The tree of the YAML up to a line that says `closing`; nothing if it is none, which is then recorded.
pub(super) fn yaml_block(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
    closing: &str,
) -> Result<Option<Value>, Fault> {
    operands.end()?;
    let start = lines.position();
    let (end, yaml) = loop {
        match lines.raw_line() {
            Some((end, line)) if line.trim() == closing => {
                break (end, lines.text_between(start, end));
            }
            Some(_) => {}
            None => return operands.fault_here(format!("{} without {closing}", operands.directive())),
        }
    };
    // `//` after a value is a comment for the assembler; YAML does not know it.
    let without_comments: Vec<&str> = yaml.lines().map(without_comment).collect();
    let value = match yaml::read(&without_comments.join("\n")) {
        Ok(value) => value,
        Err(error) => {
            let lines_before = error.line.saturating_sub(1);
            let line_start: usize = yaml.split_inclusive('\n').take(lines_before).map(str::len).sum();
            let at = (start + line_start + error.column.saturating_sub(1)).min(end);
            let span = assembler.span(at, 0..1);
            assembler.report(span, format!("invalid metadata: {}", error.message));
            return Ok(None);
        }
    };
    Ok(Some(value))
}

/// An error if the object is for another operating system than `amdhsa`.
pub(super) fn expect_hsa(assembler: &Assembler<'_>, operands: &Operands<'_>) -> Result<(), Fault> {
    if assembler.os() == OsAbi::Hsa {
        return Ok(());
    }
    let os = &assembler.subtarget.target.os;
    operands.fault_here(format!(
        "{} is for the operating system amdhsa, this object for {os}",
        operands.directive()
    ))
}

/// The flags of the section of notes: a loader of `amdhsa` has them in memory.
pub(super) fn note_flags(os: OsAbi) -> u64 {
    if os == OsAbi::Hsa { shf::ALLOC } else { 0 }
}

/// Adds a note, whose section stands where the first note is made.
pub(super) fn add_note(assembler: &mut Assembler<'_>, note: Note) {
    let flags = note_flags(assembler.os());
    assembler.open_section(".note", sht::NOTE, flags, 0);
    assembler.notes.push(note);
}

/// The line up to `//` or `;` outside quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let bytes = line.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b';') => return &line[..at],
            (None, b'/') if bytes.get(at + 1) == Some(&b'/') => return &line[..at],
            _ => {}
        }
    }
    line
}

/// `.amdgpu_lds name, size [, alignment]`: a variable in LDS that the linker places.
fn lds(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let (name, name_range) = operands.name()?;
    operands.comma()?;
    let start = operands.lexer.next_start();
    let size = operands.count(assembler)?;
    let limit = u64::from(assembler.subtarget.limits().lds_bytes);
    if size > limit {
        let message =
            format!("{size} bytes are more LDS than the {limit} of {}", assembler.subtarget.processor());
        return Err(Fault::new(start..operands.lexer.position(), message));
    }
    let mut align = 4;
    if operands.eat_comma() {
        let start = operands.lexer.next_start();
        align = operands.count(assembler)?;
        if !align.is_power_of_two() || align >= 1 << 31 {
            let message = format!("the alignment {align} is not a power of two below 2 GiB");
            return Err(Fault::new(start..operands.lexer.position(), message));
        }
    }
    operands.end()?;
    let symbol = assembler.symbols.intern(name);
    let span = assembler.span(operands.offset, name_range.clone());
    let entry = assembler.symbols.get_mut(symbol);
    if entry.definition != Definition::Undefined {
        return Err(Fault::new(name_range, format!("symbol {name} is already defined")));
    }
    entry.definition = Definition::Common { align, lds: true };
    entry.size = Some((Expr::Int(size as i64), span));
    entry.kind = SymbolType::Object;
    entry.binding.get_or_insert(Binding::Global);
    entry.span = Some(span);
    Ok(())
}
