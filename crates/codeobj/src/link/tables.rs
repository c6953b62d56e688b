//! The tables of the result: symbols, their hash tables, dynamic relocations and `.dynamic`.

use super::LinkError;
use super::layout::{Linker, Rank};
use super::resolve::SymbolRef;
use crate::elf::{self, Binding, Place, Rela, StringTable, Symbol, SymbolType, Visibility, dt};
use crate::reloc::RelocationKind;

impl Linker<'_> {
    /// Chooses the symbols of `.dynsym`, in the order that `.gnu.hash` asks for: first those that it leaves out, which
    /// are undefined.
    pub(super) fn export(&mut self) {
        let definition = |at: &SymbolRef| &self.inputs[at.input].symbols[at.index];
        let mut exported: Vec<SymbolRef> = self.symbols.definitions.values().copied().collect();
        let is_visible = |at: &SymbolRef| {
            !matches!(definition(at).visibility, Visibility::Hidden | Visibility::Internal)
                && !definition(at).name.is_empty()
        };
        exported.retain(is_visible);
        let buckets = gnu_bucket_count(exported.len());
        exported.sort_by_key(|at| {
            let name = &definition(at).name;
            (object::elf::gnu_hash(name.as_bytes()) % buckets, at.input, at.index)
        });
        exported.splice(0..0, self.symbols.unused.iter().copied().filter(is_visible));
        self.exported_index = exported.iter().zip(1..).map(|(&at, index)| (at, index)).collect();
        self.exported = exported;
    }

    pub(super) fn hash(&self) -> Vec<u8> {
        let count = self.exported.len() as u32 + 1;
        let mut buckets = vec![0u32; count as usize];
        let mut chains = vec![0u32; count as usize];
        for (i, at) in self.exported.iter().enumerate() {
            let name = &self.inputs[at.input].symbols[at.index].name;
            let bucket = &mut buckets[(object::elf::hash(name.as_bytes()) % count) as usize];
            chains[i + 1] = *bucket;
            *bucket = i as u32 + 1;
        }
        let words = [count, count].into_iter().chain(buckets).chain(chains);
        words.flat_map(u32::to_le_bytes).collect()
    }

    pub(super) fn gnu_hash(&self) -> Vec<u8> {
        const SHIFT: u32 = 26;
        let symbol = |at: &SymbolRef| &self.inputs[at.input].symbols[at.index];
        let is_undefined = |at: &&SymbolRef| symbol(at).place == Place::Undefined;
        let first = 1 + self.exported.iter().take_while(is_undefined).count() as u32;
        let hashes: Vec<u32> = self.exported[first as usize - 1..]
            .iter()
            .map(|at| object::elf::gnu_hash(symbol(at).name.as_bytes()))
            .collect();
        let bucket_count = gnu_bucket_count(hashes.len());
        // As lld sizes it: about 12 bits for each symbol.
        let bloom_count = (hashes.len() * 12 / 64 + 1).next_power_of_two();
        let mut bloom = vec![0u64; bloom_count];
        let mut buckets = vec![0u32; bucket_count as usize];
        let mut chain = Vec::new();
        for (i, &hash) in hashes.iter().enumerate() {
            let word = &mut bloom[hash as usize / 64 % bloom_count];
            *word |= 1 << (hash % 64) | 1 << ((hash >> SHIFT) % 64);
            let bucket = hash % bucket_count;
            let slot = &mut buckets[bucket as usize];
            if *slot == 0 {
                *slot = first + i as u32;
            }
            let is_last = hashes.get(i + 1).is_none_or(|next| next % bucket_count != bucket);
            chain.push(hash & !1 | is_last as u32);
        }
        let mut out: Vec<u8> =
            [bucket_count, first, bloom_count as u32, SHIFT].into_iter().flat_map(u32::to_le_bytes).collect();
        out.extend(bloom.into_iter().flat_map(u64::to_le_bytes));
        out.extend(buckets.into_iter().chain(chain).flat_map(u32::to_le_bytes));
        out
    }

    /// A symbol of the result, from an input's.
    fn output_symbol(&self, at: SymbolRef) -> Option<Symbol> {
        let symbol = &self.inputs[at.input].symbols[at.index];
        let place = match symbol.place {
            Place::Section(section) => {
                let &(output, _) = self.placement.get(&(at.input, section as usize))?;
                Place::Section(output as u32 + 1)
            }
            Place::Common => Place::Section(self.commons.get(&at)?.0 as u32 + 1),
            other => other,
        };
        Some(Symbol { value: self.value(Some(at))?, place, ..symbol.clone() })
    }

    pub(super) fn fill_dynamic_tables(&mut self) -> Result<(), LinkError> {
        let mut names = StringTable::new();
        let mut symbols = vec![0; elf::SYMBOL_SIZE as usize];
        for at in self.exported.clone() {
            let symbol = self.output_symbol(at).ok_or_else(|| LinkError::Input {
                input: at.input,
                what: format!(
                    "symbol `{}` is in a section that is left out",
                    self.inputs[at.input].symbols[at.index].name
                ),
            })?;
            symbol.encode(names.add(&symbol.name), &mut symbols);
        }
        let mut relocations = Vec::new();
        // Relative ones first, as DT_RELACOUNT has it.
        let is_relative = |rela: &Rela| rela.kind == RelocationKind::Relative64 as u32;
        self.dynamic_relocations.sort_by_key(|rela| (!is_relative(rela), rela.offset));
        let relative_count = self.dynamic_relocations.iter().filter(|rela| is_relative(rela)).count() as u64;
        self.dynamic_relocations.iter().for_each(|rela| rela.encode(&mut relocations));
        let relocation_count = self.dynamic_relocations.len() as u64;

        let address = |linker: &Self, rank| {
            linker.index_of(rank).map_or(0, |index| linker.outputs[index].section.address)
        };
        let mut tags = Vec::new();
        if relocation_count != 0 {
            tags.push((dt::RELA, address(self, Rank::RelaDyn)));
            tags.push((dt::RELASZ, relocation_count * elf::RELA_SIZE));
            tags.push((dt::RELAENT, elf::RELA_SIZE));
            tags.push((dt::RELACOUNT, relative_count));
        }
        let dynstr_size = self.index_of(Rank::Dynstr).map_or(0, |index| self.outputs[index].section.size);
        tags.push((dt::SYMTAB, address(self, Rank::Dynsym)));
        tags.push((dt::SYMENT, elf::SYMBOL_SIZE));
        tags.push((dt::STRTAB, address(self, Rank::Dynstr)));
        tags.push((dt::STRSZ, dynstr_size));
        tags.push((dt::GNU_HASH, address(self, Rank::GnuHash)));
        tags.push((dt::HASH, address(self, Rank::Hash)));
        tags.push((dt::NULL, 0));
        let tags: Vec<u8> =
            tags.into_iter().flat_map(|(tag, value)| [tag, value]).flat_map(u64::to_le_bytes).collect();

        for (rank, data) in [(Rank::Dynsym, symbols), (Rank::RelaDyn, relocations), (Rank::Dynamic, tags)] {
            if let Some(index) = self.index_of(rank) {
                self.outputs[index].data = data;
            }
        }
        self.link_sections();
        Ok(())
    }

    fn link_sections(&mut self) {
        let number = |linker: &Self, rank| linker.index_of(rank).map_or(0, |index| index as u32 + 1);
        let (dynsym, dynstr) = (number(self, Rank::Dynsym), number(self, Rank::Dynstr));
        for output in &mut self.outputs {
            match output.rank {
                Rank::Dynsym => (output.section.link, output.section.info) = (dynstr, 1),
                Rank::Dynamic => output.section.link = dynstr,
                Rank::Hash | Rank::GnuHash | Rank::RelaDyn => output.section.link = dynsym,
                _ => {}
            }
        }
    }

    /// The symbols of `.symtab`: every input's local ones that have a name, `_DYNAMIC`, then all definitions and what
    /// stays undefined.
    pub(super) fn symtab(&self) -> (Vec<Symbol>, u32) {
        let mut symbols = Vec::new();
        for (input, object) in self.inputs.iter().enumerate() {
            for (index, symbol) in object.symbols.iter().enumerate().skip(1) {
                let is_local = symbol.binding == Binding::Local && symbol.place != Place::Undefined;
                if is_local && symbol.kind != SymbolType::Section && !symbol.name.is_empty() {
                    symbols.extend(self.output_symbol(SymbolRef { input, index }));
                }
            }
        }
        if let Some(index) = self.index_of(Rank::Dynamic) {
            symbols.push(Symbol {
                name: "_DYNAMIC".to_owned(),
                value: self.outputs[index].section.address,
                size: 0,
                binding: Binding::Local,
                kind: SymbolType::NoType,
                visibility: Visibility::Hidden,
                place: Place::Section(index as u32 + 1),
            });
        }
        let unused = self.symbols.unused.iter();
        let mut definitions: Vec<SymbolRef> =
            self.symbols.definitions.values().chain(unused).copied().collect();
        definitions.sort_by_key(|at| (at.input, at.index));
        // A hidden symbol is nobody else's from now on.
        let (hidden, visible): (Vec<Symbol>, Vec<Symbol>) = definitions
            .into_iter()
            .filter_map(|at| self.output_symbol(at))
            .partition(|symbol| matches!(symbol.visibility, Visibility::Hidden | Visibility::Internal));
        symbols.extend(hidden.into_iter().map(|symbol| Symbol { binding: Binding::Local, ..symbol }));
        let local_count = symbols.len() as u32;
        symbols.extend(visible);
        (symbols, local_count)
    }
}

/// As lld sizes it: four symbols a bucket.
fn gnu_bucket_count(symbols: usize) -> u32 {
    (symbols / 4).max(1) as u32
}
