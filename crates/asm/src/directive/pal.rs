//! Metadata of the operating system `amdpal`: `.amdgpu_pal_metadata` and the older `.amd_amdgpu_pal_metadata`.
//!
//! Follows LLVM's `AMDGPUPALMetadata`: a tree is written as it is, but for its registers, whose names after the numbers
//! (`0x2e12 (COMPUTE_PGM_RSRC1)`) are dropped, and which are there even if the text has none. Like LLVM, it takes the
//! tree for `amdhsa`, too.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use wavemark_codeobj::elf::{OsAbi, sht};
use wavemark_codeobj::note::{AMD, NT_AMD_PAL_METADATA, Note};
use wavemark_codeobj::value::Value;

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, amdgpu, row};
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] =
    &[row(".amdgpu_pal_metadata", tree), row(".amd_amdgpu_pal_metadata", registers)];

/// What a text says to `amdpal`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Metadata {
    /// The tree of the last `.amdgpu_pal_metadata`.
    Tree(Value),
    /// The registers of all `.amd_amdgpu_pal_metadata`.
    Registers(BTreeMap<u32, u32>),
}

/// `.amdgpu_pal_metadata`, YAML, `.end_amdgpu_pal_metadata`.
fn tree(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let Some(value) = amdgpu::yaml_block(assembler, operands, lines, ".end_amdgpu_pal_metadata")? else {
        return Ok(());
    };
    if matches!(assembler.pal, Some(Metadata::Registers(_))) {
        return operands.fault_here("there are registers of .amd_amdgpu_pal_metadata already");
    }
    match with_registers(value) {
        Ok(value) => {
            assembler.pal = Some(Metadata::Tree(value));
            Ok(())
        }
        Err(message) => operands.fault_here(format!("invalid metadata: {message}")),
    }
}

/// The tree with numbers for keys where they are numbers; the first pipeline has registers.
fn with_registers(value: Value) -> Result<Value, String> {
    let Value::Map(mut root) = value else {
        return Err(format!("expected a map, found {}", value.kind()));
    };
    let none = || Value::Map(IndexMap::new());
    let pipelines = root.entry("amdpal.pipelines".to_owned()).or_insert(Value::Seq(Vec::new()));
    let Value::Seq(pipelines) = pipelines else {
        return Err(format!("amdpal.pipelines: expected a sequence, found {}", pipelines.kind()));
    };
    if pipelines.is_empty() {
        pipelines.push(none());
    }
    let Value::Map(pipeline) = &mut pipelines[0] else {
        return Err(format!("amdpal.pipelines[0]: expected a map, found {}", pipelines[0].kind()));
    };
    let registers = pipeline.entry(".registers".to_owned()).or_insert_with(none);
    // Nothing after the colon is an empty sequence to LLVM, and then a map.
    let Value::Map(named) = std::mem::replace(registers, none()) else { return Ok(Value::Map(root)) };
    let mut numbered = IndexMap::new();
    for (key, value) in named {
        let number = leading_number(&key)
            .ok_or_else(|| format!("amdpal.pipelines[0].registers: `{key}` is no register's number"))?;
        numbered.insert(number, value);
    }
    if !numbered.is_empty() {
        *registers = Value::IntMap(numbered);
    }
    Ok(Value::Map(root))
}

/// The number that a text begins with, in the base that its prefix says.
fn leading_number(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        _ if lower.len() > 1 && lower.starts_with('0') && lower.as_bytes()[1].is_ascii_digit() => {
            (8, &lower[1..])
        }
        _ => (10, lower.as_str()),
    };
    let end = digits.find(|digit: char| !digit.is_digit(radix)).unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], radix).ok()
}

/// `.amd_amdgpu_pal_metadata register, value, …`: values of one register are joined.
fn registers(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    if assembler.os() != OsAbi::Pal {
        operands.ignore();
        let os = &assembler.subtarget.target.os;
        return operands.fault_here(format!(
            "{} is for the operating system amdpal, this object for {os} (.amdgcn_target says which)",
            operands.directive()
        ));
    }
    let mut all = match assembler.pal.take() {
        None => BTreeMap::new(),
        Some(Metadata::Registers(all)) => all,
        Some(tree) => {
            assembler.pal = Some(tree);
            operands.ignore();
            return operands.fault_here("there is a tree of .amdgpu_pal_metadata already");
        }
    };
    loop {
        let (register, _) = operands.absolute(assembler)?;
        if !operands.eat_comma() {
            return operands.fault("expected ',' and the register's value");
        }
        let (value, _) = operands.absolute(assembler)?;
        *all.entry(register as u32).or_insert(0) |= value as u32;
        if !operands.eat_comma() {
            break;
        }
    }
    operands.end()?;
    assembler.pal = Some(Metadata::Registers(all));
    Ok(())
}

impl Assembler<'_> {
    /// The operating system that the object is for.
    pub fn os(&self) -> OsAbi {
        match self.subtarget.target.os.as_str() {
            "amdpal" => OsAbi::Pal,
            "mesa3d" => OsAbi::Mesa3d,
            "" | "unknown" | "none" => OsAbi::None,
            _ => OsAbi::Hsa,
        }
    }

    /// Adds the note with the metadata of `amdpal`, behind the others.
    pub fn write_pal(&mut self) {
        let note = match self.pal.take() {
            None => return,
            Some(Metadata::Tree(tree)) => Note::metadata(tree.to_message_pack()),
            Some(Metadata::Registers(all)) => Note {
                name: AMD.to_owned(),
                kind: NT_AMD_PAL_METADATA,
                description: all
                    .iter()
                    .flat_map(|(key, value)| [*key, *value])
                    .flat_map(u32::to_le_bytes)
                    .collect(),
                offset: 0,
            },
        };
        let flags = amdgpu::note_flags(self.os());
        self.open_section(".note", sht::NOTE, flags, 0);
        self.notes.push(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_numbers_with_or_without_names() {
        assert_eq!(leading_number("0x2e12 (COMPUTE_PGM_RSRC1)"), Some(0x2e12));
        assert_eq!(leading_number("11800"), Some(11800));
        assert_eq!(leading_number("017"), Some(15));
        assert_eq!(leading_number("0"), Some(0));
        assert_eq!(leading_number("abc"), None);
        assert_eq!(leading_number(""), None);
        assert_eq!(leading_number("99999999999999999999"), None);
    }
}
