//! The labels of a disassembly: where symbols, branch targets and section starts are, and their directives.

use std::collections::{BTreeMap, BTreeSet};

use wavemark_codeobj::CodeObject;
use wavemark_codeobj::elf::{Binding, OsAbi, Place, Symbol, SymbolType, Visibility};

use super::Printer;
use crate::lex::{continues_name, starts_name};

/// A label at a place.
#[derive(Clone, Debug)]
pub(super) enum Label {
    /// A symbol of the file, by index.
    Symbol(usize),
    /// A branch target.
    Branch,
    /// The start of a section, for relocations against it.
    Section,
}

/// All labels, by section and offset.
#[derive(Debug, Default)]
pub(super) struct Labels {
    pub places: Vec<BTreeMap<u64, Vec<Label>>>,
}

impl Labels {
    pub fn collect(object: &CodeObject) -> Labels {
        let mut labels = Labels { places: vec![BTreeMap::new(); object.sections.len()] };
        for (index, symbol) in object.symbols.iter().enumerate() {
            let Some((section, offset)) = place(object, symbol) else { continue };
            if symbol.kind != SymbolType::Section && !symbol.name.is_empty() {
                labels.add(section, offset, Label::Symbol(index));
            }
        }
        for section in referenced_sections(object) {
            labels.add(section, 0, Label::Section);
        }
        labels
    }

    pub fn add(&mut self, section: usize, offset: u64, label: Label) {
        if let Some(places) = self.places.get_mut(section) {
            places.entry(offset).or_default().push(label);
        }
    }

    /// Adds the label of a branch target, once.
    pub fn add_branch(&mut self, section: usize, offset: u64) {
        if !self.has_branch(section, offset) {
            self.add(section, offset, Label::Branch);
        }
    }

    /// Whether there is the label of a branch target.
    pub fn has_branch(&self, section: usize, offset: u64) -> bool {
        let here = self.places.get(section).and_then(|places| places.get(&offset));
        here.is_some_and(|labels| labels.iter().any(|label| matches!(label, Label::Branch)))
    }

    /// The first label after `offset` in a section.
    pub fn next_after(&self, section: usize, offset: u64) -> Option<u64> {
        let places = self.places.get(section)?;
        places.range(offset + 1..).next().map(|(&offset, _)| offset)
    }
}

/// The sections whose start a relocation needs.
fn referenced_sections(object: &CodeObject) -> BTreeSet<usize> {
    let relocations = object.relocations.iter().flat_map(|table| &table.entries);
    if !object.is_relocatable() {
        let any = relocations.count() != 0;
        return (0..object.sections.len()).filter(|_| any).collect();
    }
    let symbols = relocations.filter_map(|rela| object.symbols.get(rela.symbol as usize));
    let sections = symbols.filter(|symbol| symbol.kind == SymbolType::Section);
    sections.filter_map(|symbol| place(object, symbol).map(|(section, _)| section)).collect()
}

/// Section and offset of a symbol; none when it is in no section of the file, or beyond it.
pub(super) fn place(object: &CodeObject, symbol: &Symbol) -> Option<(usize, u64)> {
    let Place::Section(index) = symbol.place else { return None };
    let section = object.sections.get(index as usize)?;
    let offset =
        if object.is_relocatable() { symbol.value } else { symbol.value.checked_sub(section.address)? };
    (offset <= section.size).then_some((index as usize, offset))
}

/// The name of a branch target.
pub(super) fn branch_label(section: usize, offset: u64) -> String {
    format!(".Lbranch{section}_{offset:x}")
}

/// The name of a section's start.
pub(super) fn section_label(section: usize) -> String {
    format!(".Lsection{section}")
}

/// A name as the assembler reads it: quoted where it must be.
pub(super) fn quoted(name: &str) -> String {
    let bytes = name.as_bytes();
    let plain = bytes.first().copied().is_some_and(starts_name)
        && bytes.iter().all(|&byte| continues_name(byte) && byte != b'@' && byte != b'?');
    if plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// Whether a name can be written at all.
fn is_writable(name: &str) -> bool {
    !name.contains(['"', '\\', '\n', '\r', '\0'])
}

impl Printer<'_> {
    /// Directives of the symbols that are in no section: numbers, storage, what other files define.
    pub(super) fn symbols_without_place(&mut self) {
        let object = self.object;
        for symbol in object.symbols.iter().skip(1) {
            if symbol.name.is_empty() || !is_writable(&symbol.name) || symbol.kind == SymbolType::File {
                continue;
            }
            let name = quoted(&symbol.name);
            match symbol.place {
                Place::Absolute => self.line(format!(".set {name}, {:#x}", symbol.value)),
                Place::Common if symbol.value.is_power_of_two() => {
                    let power = symbol.value.trailing_zeros();
                    self.line(format!(".comm {name}, {}, {power}", symbol.size));
                }
                Place::Lds => {
                    self.line(format!(".amdgpu_lds {name}, {}, {}", symbol.size, symbol.value.max(1)))
                }
                Place::Undefined => {}
                _ => continue,
            }
            self.attributes(symbol, &name);
        }
    }

    /// The directives and labels at `offset`.
    pub(super) fn labels_at(&mut self, section: usize, offset: u64) {
        let found = self.labels.places.get(section).and_then(|places| places.get(&offset));
        for label in found.cloned().unwrap_or_default() {
            match label {
                Label::Branch => self.out.push_str(&format!("{}:\n", branch_label(section, offset))),
                Label::Section => self.out.push_str(&format!("{}:\n", section_label(section))),
                Label::Symbol(index) => self.symbol_here(index),
            }
        }
    }

    fn symbol_here(&mut self, index: usize) {
        let Some(symbol) = self.object.symbols.get(index) else { return };
        if !is_writable(&symbol.name) || self.is_in_block(symbol) {
            return;
        }
        let name = quoted(&symbol.name);
        self.attributes(symbol, &name);
        self.out.push_str(&format!("{name}:\n"));
    }

    fn attributes(&mut self, symbol: &Symbol, name: &str) {
        match symbol.binding {
            Binding::Global => self.line(format!(".globl {name}")),
            Binding::Weak => self.line(format!(".weak {name}")),
            _ => {}
        }
        match symbol.visibility {
            Visibility::Default => {}
            Visibility::Internal => self.line(format!(".internal {name}")),
            Visibility::Hidden => self.line(format!(".hidden {name}")),
            Visibility::Protected => self.line(format!(".protected {name}")),
        }
        match symbol.kind {
            SymbolType::Func => self.line(format!(".type {name}, @function")),
            SymbolType::Object => self.line(format!(".type {name}, @object")),
            SymbolType::HsaKernel if self.object.os != OsAbi::Hsa => {
                self.line(format!(".amdgpu_hsa_kernel {name}"));
            }
            _ => {}
        }
        if symbol.size != 0 && !matches!(symbol.place, Place::Common | Place::Lds) {
            self.line(format!(".size {name}, {}", symbol.size));
        }
    }

    /// The expression for a symbol plus a number: its name, or the start of its section.
    pub(super) fn reference(&self, symbol: &Symbol, addend: i64) -> Option<String> {
        let (name, addend) = match (symbol.kind, symbol.place) {
            (SymbolType::Section, Place::Section(index)) => {
                (section_label(index as usize), addend.wrapping_add(symbol.value as i64))
            }
            _ if symbol.name.is_empty() || !is_writable(&symbol.name) => return None,
            _ => (quoted(&symbol.name), addend),
        };
        Some(match addend {
            0 => name,
            1.. => format!("{name}+{addend}"),
            _ => format!("{name}-{}", addend.unsigned_abs()),
        })
    }
}
