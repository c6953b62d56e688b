//! Relocations: which need an entry of the global offset table or a loader's help, and applying them.

use super::LinkError;
use super::layout::{Linker, Rank};
use super::resolve::SymbolRef;
use crate::elf::{Place, Rela};
use crate::reloc::RelocationKind;

impl Linker<'_> {
    /// Finds what needs an entry of the global offset table and counts the dynamic relocations.
    pub(super) fn scan_relocations(&mut self) -> Result<usize, LinkError> {
        let mut count = 0;
        for (input, object) in self.inputs.iter().enumerate() {
            for table in &object.relocations {
                let Some(target) = table.target else { continue };
                let Some(&(output, _)) = self.placement.get(&(input, target)) else { continue };
                let is_loaded = self.outputs[output].section.is_alloc();
                for rela in &table.entries {
                    let meaning = self.meaning(input, rela);
                    match RelocationKind::by_number(rela.kind) {
                        Some(kind) if kind.uses_got() => {
                            self.got_slots.entry(meaning).or_insert_with(|| {
                                self.got.push(meaning);
                                self.got.len() - 1
                            });
                        }
                        Some(kind) if kind.is_dynamic() && is_loaded && self.is_address(meaning) => {
                            count += 1
                        }
                        _ => {}
                    }
                }
            }
        }
        count += self.got.iter().filter(|&&entry| self.is_address(entry)).count();
        Ok(count)
    }

    fn meaning(&self, input: usize, rela: &Rela) -> Option<SymbolRef> {
        self.symbols.meaning(self.inputs, SymbolRef { input, index: rela.symbol as usize })
    }

    /// Whether the symbol moves with the load address.
    pub(super) fn is_address(&self, meaning: Option<SymbolRef>) -> bool {
        let place = |at: SymbolRef| self.inputs[at.input].symbols[at.index].place;
        meaning.is_some_and(|at| matches!(place(at), Place::Section(_) | Place::Common))
    }

    /// The value of a symbol: its address, or its number if it is absolute; 0 if nobody defines it.
    pub(super) fn value(&self, meaning: Option<SymbolRef>) -> Option<u64> {
        let Some(at) = meaning else { return Some(0) };
        let symbol = &self.inputs[at.input].symbols[at.index];
        match symbol.place {
            Place::Section(section) => {
                let &(output, offset) = self.placement.get(&(at.input, section as usize))?;
                Some(self.outputs[output].section.address.wrapping_add(offset).wrapping_add(symbol.value))
            }
            Place::Absolute => Some(symbol.value),
            Place::Common => {
                let &(output, offset) = self.commons.get(&at)?;
                Some(self.outputs[output].section.address.wrapping_add(offset))
            }
            Place::Undefined | Place::Lds => Some(0),
        }
    }

    pub(super) fn apply_relocations(&mut self) -> Result<(), LinkError> {
        let got = self.index_of(Rank::Got).map(|index| self.outputs[index].section.address);
        for (input, object) in self.inputs.iter().enumerate() {
            for table in &object.relocations {
                let Some(target) = table.target else { continue };
                let Some(&(output, base)) = self.placement.get(&(input, target)) else { continue };
                for rela in &table.entries {
                    self.apply(input, target, output, base, rela, got)?;
                }
            }
        }
        Ok(())
    }

    fn apply(
        &mut self,
        input: usize,
        target: usize,
        output: usize,
        base: u64,
        rela: &Rela,
        got: Option<u64>,
    ) -> Result<(), LinkError> {
        let kind = RelocationKind::by_number(rela.kind);
        let meaning = self.meaning(input, rela);
        let error = |why: &str| LinkError::Relocation {
            input,
            kind: kind.map_or_else(|| format!("type {}", rela.kind), |kind| kind.name().to_owned()),
            section: self.inputs[input].sections[target].name.clone(),
            offset: rela.offset,
            symbol: self.inputs[input]
                .symbols
                .get(rela.symbol as usize)
                .map_or_else(|| format!("number {}", rela.symbol), |symbol| symbol.name.clone()),
            why: why.to_owned(),
        };
        let kind = match kind {
            Some(RelocationKind::Relative64) => return Err(error("is only for linked files")),
            Some(kind) => kind,
            None => return Err(error("is unknown")),
        };
        if rela.symbol as usize >= self.inputs[input].symbols.len().max(1) {
            return Err(error("there is no such symbol"));
        }
        let end = rela.offset.checked_add(kind.size() as u64);
        if end.is_none_or(|end| end > self.inputs[input].sections[target].size) {
            return Err(error("its place is outside the section"));
        }
        let is_loaded = self.outputs[output].section.is_alloc();
        let is_address = self.is_address(meaning);
        let value = match (kind.uses_got(), got) {
            (true, Some(got)) => {
                let slot = self.got_slots.get(&meaning).copied().unwrap_or(0);
                got + 8 * slot as u64
            }
            _ => self.value(meaning).ok_or_else(|| error("the symbol's section is not in the result"))?,
        };
        let is_fixed = kind.is_pc_relative() || !is_loaded || !is_address;
        let offset = base + rela.offset;
        let place = self.outputs[output].section.address + offset;
        if !is_fixed && kind != RelocationKind::None {
            let dynamic = match (kind, meaning.and_then(|at| self.exported_index.get(&at))) {
                (RelocationKind::Abs64, _) => Rela {
                    offset: place,
                    kind: RelocationKind::Relative64 as u32,
                    symbol: 0,
                    addend: (value as i64).wrapping_add(rela.addend),
                },
                // Only a symbol that the loader sees can be told to it; there is no relative type of 32 bits.
                (_, Some(&symbol)) => Rela { offset: place, kind: kind as u32, symbol, addend: rela.addend },
                (_, None) => {
                    return Err(error(
                        "a 32-bit absolute address of a local symbol cannot be relocated by a loader",
                    ));
                }
            };
            self.dynamic_relocations.push(dynamic);
            if kind != RelocationKind::Abs64 {
                return Ok(());
            }
        }
        let applied = kind.apply(&mut self.outputs[output].data, offset, value, rela.addend, place);
        applied.map_err(|e| error(&e.to_string()))
    }

    pub(super) fn fill_got(&mut self) -> Result<(), LinkError> {
        let Some(index) = self.index_of(Rank::Got) else { return Ok(()) };
        let address = self.outputs[index].section.address;
        for slot in 0..self.got.len() {
            let entry = self.got[slot];
            let value = self.value(entry).ok_or_else(|| LinkError::Input {
                input: entry.map_or(0, |at| at.input),
                what: "a symbol of the global offset table is in a section that is left out".to_owned(),
            })?;
            self.outputs[index].data[8 * slot..8 * slot + 8].copy_from_slice(&value.to_le_bytes());
            if self.is_address(entry) {
                self.dynamic_relocations.push(Rela {
                    offset: address + 8 * slot as u64,
                    kind: RelocationKind::Relative64 as u32,
                    symbol: 0,
                    addend: value as i64,
                });
            }
        }
        Ok(())
    }
}
