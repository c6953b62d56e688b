//! Which definition a symbol of an input means.
//!
//! A global definition beats a weak one, the first weak one beats later ones, two global ones are an error.
//! A common symbol gives way to a global definition, and of several the largest counts.
//! Of the section groups (COMDAT) of one signature only the first input's is kept; symbols in the others mean
//! the kept ones of the same name.
//! A name that nobody defines is an error where a relocation uses it; others stay undefined in the result, as with lld.

use std::collections::{HashMap, HashSet};

use super::LinkError;
use crate::elf::{Binding, Place, Symbol, sht};
use crate::read::CodeObject;

/// An input's symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SymbolRef {
    pub input: usize,
    pub index: usize,
}

/// The outcome.
pub(super) struct Symbols {
    /// The definition of every global or weak name.
    pub definitions: HashMap<String, SymbolRef>,
    /// Sections that are left out because another input has the same group.
    pub discarded: HashSet<(usize, usize)>,
    /// One of the symbols of each name that nobody defines and no relocation uses.
    pub unused: Vec<SymbolRef>,
}

impl Symbols {
    /// What a reference means: a definition, or nothing for a weak reference that nobody defines.
    pub(super) fn meaning(&self, inputs: &[CodeObject], at: SymbolRef) -> Option<SymbolRef> {
        let symbol = inputs.get(at.input)?.symbols.get(at.index)?;
        let is_discarded = matches!(symbol.place, Place::Section(section)
            if self.discarded.contains(&(at.input, section as usize)));
        if symbol.binding == Binding::Local && !is_discarded {
            return Some(at);
        }
        self.definitions.get(&symbol.name).copied()
    }
}

/// Resolves all names, or says which are undefined or defined twice.
pub(super) fn resolve(inputs: &[CodeObject]) -> Result<Symbols, LinkError> {
    let mut symbols =
        Symbols { definitions: HashMap::new(), discarded: discarded_groups(inputs)?, unused: Vec::new() };
    for (input, object) in inputs.iter().enumerate() {
        for (index, symbol) in object.symbols.iter().enumerate() {
            let at = SymbolRef { input, index };
            match symbol.place {
                Place::Undefined => continue,
                Place::Lds => return Err(LinkError::Lds { input, symbol: symbol.name.clone() }),
                Place::Section(section) if section as usize >= object.sections.len() => {
                    let what =
                        format!("symbol `{}` is in section {section}, which does not exist", symbol.name);
                    return Err(LinkError::Input { input, what });
                }
                Place::Section(section) if symbols.discarded.contains(&(input, section as usize)) => continue,
                Place::Section(_) | Place::Absolute | Place::Common => {}
            }
            match symbol.binding {
                Binding::Local => {}
                Binding::Global | Binding::Weak => define(&mut symbols, inputs, at, symbol)?,
                Binding::Other(other) => {
                    return Err(unsupported(input, format!("binding {other} of symbol `{}`", symbol.name)));
                }
            }
        }
    }
    let used = names_of_relocations(inputs);
    let mut undefined = Vec::new();
    let mut told = HashSet::new();
    for (input, object) in inputs.iter().enumerate() {
        for (index, symbol) in object.symbols.iter().enumerate().skip(1) {
            let is_needed = symbol.place == Place::Undefined && symbol.binding == Binding::Global;
            if !is_needed || symbols.definitions.contains_key(&symbol.name) || !told.insert(&symbol.name) {
                continue;
            }
            if used.contains(symbol.name.as_str()) {
                undefined.push(symbol.name.clone());
            } else {
                symbols.unused.push(SymbolRef { input, index });
            }
        }
    }
    if undefined.is_empty() { Ok(symbols) } else { Err(LinkError::Undefined(undefined)) }
}

fn names_of_relocations(inputs: &[CodeObject]) -> HashSet<&str> {
    let names = |object| {
        let object: &CodeObject = object;
        let entries = object.relocations.iter().flat_map(|table| &table.entries);
        entries.filter_map(|rela| object.symbols.get(rela.symbol as usize)).map(|symbol| symbol.name.as_str())
    };
    inputs.iter().flat_map(names).collect()
}

fn unsupported(input: usize, what: String) -> LinkError {
    LinkError::Unsupported { input, what }
}

fn define(
    symbols: &mut Symbols,
    inputs: &[CodeObject],
    at: SymbolRef,
    symbol: &Symbol,
) -> Result<(), LinkError> {
    let Some(&old) = symbols.definitions.get(&symbol.name) else {
        symbols.definitions.insert(symbol.name.clone(), at);
        return Ok(());
    };
    let before = &inputs[old.input].symbols[old.index];
    // A common symbol gives way to a definition; of several the largest is taken.
    match (before.place == Place::Common, symbol.place == Place::Common) {
        (true, true) if symbol.size <= before.size => return Ok(()),
        (true, _) if symbol.binding != Binding::Weak => {
            symbols.definitions.insert(symbol.name.clone(), at);
            return Ok(());
        }
        (false, true) if before.binding != Binding::Weak => return Ok(()),
        _ => {}
    }
    match (before.binding, symbol.binding) {
        (_, Binding::Weak) => Ok(()),
        (Binding::Weak, _) => {
            symbols.definitions.insert(symbol.name.clone(), at);
            Ok(())
        }
        _ => {
            let symbol = symbol.name.clone();
            Err(LinkError::Duplicate { symbol, first: old.input, second: at.input })
        }
    }
}

const GRP_COMDAT: u32 = 1;

fn discarded_groups(inputs: &[CodeObject]) -> Result<HashSet<(usize, usize)>, LinkError> {
    let mut signatures: HashMap<&str, usize> = HashMap::new();
    let mut discarded = HashSet::new();
    for (input, object) in inputs.iter().enumerate() {
        for (index, section) in object.sections.iter().enumerate().filter(|(_, s)| s.kind == sht::GROUP) {
            let words: Vec<u32> = object
                .section_data(index)
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect();
            let Some((&flags, members)) = words.split_first() else { continue };
            let Some(symbol) = object.symbols.get(section.info as usize) else {
                let what = format!("group `{}` has no signature symbol", section.name);
                return Err(LinkError::Input { input, what });
            };
            if flags & GRP_COMDAT == 0 {
                continue;
            }
            // Two groups of one signature in one file would be the same defect as in two files.
            if *signatures.entry(&symbol.name).or_insert(input) != input {
                discarded.extend(members.iter().map(|&member| (input, member as usize)));
            }
        }
    }
    Ok(discarded)
}
