//! Notes, metadata and what is wrong with them, as text.

use std::fmt::{self, Write};

use crate::bytes::Bytes;
use crate::error::Error;
use crate::inspect::names;
use crate::metadata::pal;
use crate::note::*;
use crate::read::CodeObject;
use crate::v2::IsaVersion;

pub(super) fn notes(out: &mut String, object: &CodeObject) -> fmt::Result {
    for note in &object.notes {
        let kind = names::note_kind(note);
        writeln!(out, "\nnote {} {kind}, {} bytes", note.name.escape_debug(), note.description.len())?;
        match text(note) {
            Ok(Some(text)) => writeln!(out, "  {text}")?,
            Ok(None) => {}
            Err(error) => writeln!(out, "  error: {error}")?,
        }
    }
    if let Some(tree) = &object.metadata_tree {
        let yaml = if pal::is_pal(tree) { pal::to_yaml(tree) } else { tree.to_yaml() };
        writeln!(out, "\nmetadata:\n---\n{}\n...", yaml.trim_end())?;
    }
    if !object.violations.is_empty() {
        writeln!(out, "\nmetadata against the specification:")?;
    }
    for violation in &object.violations {
        writeln!(out, "  {violation}")?;
    }
    Ok(())
}

/// What a short note says; metadata are shown by themselves.
pub(super) fn text(note: &Note) -> Result<Option<String>, Error> {
    let bytes = Bytes::at_offset(&note.description, note.offset);
    let what = "the contents of a note";
    Ok(Some(match (note.name.as_str(), note.kind) {
        (AMD, NT_AMD_HSA_CODE_OBJECT_VERSION) => {
            format!("code object version {}.{}", bytes.u32(0, what)?, bytes.u32(4, what)?)
        }
        (AMD, NT_AMD_HSA_HSAIL) => format!(
            "HSAIL {}.{}, profile {}, machine model {}, default float round {}",
            bytes.u32(0, what)?,
            bytes.u32(4, what)?,
            bytes.u8(8, what)?,
            bytes.u8(9, what)?,
            bytes.u8(10, what)?
        ),
        (AMD, NT_AMD_HSA_ISA_VERSION) => {
            let isa = IsaVersion::parse(note)?;
            match isa.target() {
                Some(target) => format!("{} = {target}", isa.name()),
                None => format!("{}, which is no target", isa.name().escape_debug()),
            }
        }
        (AMD, NT_AMD_HSA_ISA_NAME) => String::from_utf8_lossy(&note.description).escape_debug().to_string(),
        (AMD, NT_AMD_PAL_METADATA) => {
            let mut pairs = Vec::new();
            for pair in note.description.chunks_exact(8) {
                let (register, value) = pair.split_at(4);
                let word =
                    |bytes: &[u8]| bytes.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
                let register = word(register);
                let name = pal::register_name(register).map_or_else(String::new, |name| format!(" ({name})"));
                pairs.push(format!("{register:#06x}{name} = {:#x}", word(value)));
            }
            pairs.join("\n  ")
        }
        _ => return Ok(None),
    }))
}
