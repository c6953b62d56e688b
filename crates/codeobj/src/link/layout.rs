//! Places sections and symbols, applies relocations and writes the linked file.
//!
//! Order of the segments, each with its own protection: read-only (notes, tables, `.rodata`), code, read-only
//! after relocation (`.data.rel.ro`, `.dynamic`, `.got`), data. File offset and address of every section agree
//! modulo the page size.

use std::collections::HashMap;

use wavemark_target::{AbiVersion, EFlags};

use super::resolve::{SymbolRef, Symbols};
use super::{LinkError, MAX_SIZE};
use crate::elf::{
    self, Binding, ET_DYN, OsAbi, Place, Rela, Section, Segment, StringTable, Symbol, SymbolType, Visibility,
    dt, pf, pt, shf, sht,
};
use crate::note::Note;
use crate::read::CodeObject;
use crate::reloc::RelocationKind;
use crate::write::{self, MAX_ALIGN};

const PAGE: u64 = 0x1000;

/// What a section of the result is for; also the order in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Note,
    Dynsym,
    GnuHash,
    Hash,
    Dynstr,
    RelaDyn,
    ReadOnly,
    Code,
    RelRo,
    Dynamic,
    Got,
    Data,
    Bss,
    Unloaded,
}

/// Protection of the segment that a rank belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protection {
    Read,
    Execute,
    RelRo,
    Write,
    None,
}

impl Rank {
    fn protection(self) -> Protection {
        match self {
            Rank::Code => Protection::Execute,
            Rank::RelRo | Rank::Dynamic | Rank::Got => Protection::RelRo,
            Rank::Data | Rank::Bss => Protection::Write,
            Rank::Unloaded => Protection::None,
            _ => Protection::Read,
        }
    }
}

/// A section of the result.
struct Output {
    rank: Rank,
    section: Section,
    data: Vec<u8>,
}

/// Where an input section went: which output, and at which offset.
type Placement = HashMap<(usize, usize), (usize, u64)>;

struct Linker<'a> {
    inputs: &'a [CodeObject],
    symbols: &'a Symbols,
    outputs: Vec<Output>,
    placement: Placement,
    /// Entries of the global offset table, in the order of first use.
    got: Vec<Option<SymbolRef>>,
    /// The slot of each entry.
    got_slots: HashMap<Option<SymbolRef>, usize>,
    /// Symbols of `.dynsym` after the null symbol.
    exported: Vec<SymbolRef>,
    /// The index of each in `.dynsym`.
    exported_index: HashMap<SymbolRef, u32>,
    dynamic_relocations: Vec<Rela>,
}

pub(super) fn lay_out(
    inputs: &[CodeObject],
    os: OsAbi,
    abi: AbiVersion,
    flags: EFlags,
    notes: Vec<Note>,
    symbols: &Symbols,
) -> Result<Vec<u8>, LinkError> {
    let mut linker = Linker {
        inputs,
        symbols,
        outputs: Vec::new(),
        placement: HashMap::new(),
        got: Vec::new(),
        got_slots: HashMap::new(),
        exported: Vec::new(),
        exported_index: HashMap::new(),
        dynamic_relocations: Vec::new(),
    };
    linker.join_sections()?;
    linker.add_notes(&notes);
    linker.export();
    let relative_count = linker.scan_relocations()?;
    linker.add_synthetic(relative_count);
    linker.outputs_in_order();
    let segments = linker.place_sections()?;
    linker.apply_relocations()?;
    linker.fill_got()?;
    linker.fill_dynamic_tables()?;
    linker.write(os, abi, flags, segments)
}

/// The name of the section that an input section joins.
fn output_name(name: &str) -> &str {
    const JOINED: [&str; 6] = [".data.rel.ro", ".text", ".rodata", ".data", ".bss", ".init_array"];
    let joins = |base: &&&str| name.strip_prefix(**base).is_some_and(|rest| rest.starts_with('.'));
    JOINED.iter().find(joins).copied().unwrap_or(name)
}

fn rank_of(section: &Section) -> Rank {
    match section {
        s if !s.is_alloc() => Rank::Unloaded,
        s if s.flags & shf::EXECINSTR != 0 => Rank::Code,
        s if s.flags & shf::WRITE == 0 => Rank::ReadOnly,
        s if s.name.starts_with(".data.rel.ro") || s.name.starts_with(".init_array") => Rank::RelRo,
        s if s.name.starts_with(".fini_array") => Rank::RelRo,
        s if s.kind == sht::NOBITS => Rank::Bss,
        _ => Rank::Data,
    }
}

impl Linker<'_> {
    fn join_sections(&mut self) -> Result<(), LinkError> {
        let mut total = 0u64;
        for (input, object) in self.inputs.iter().enumerate() {
            for (index, section) in object.sections.iter().enumerate() {
                let is_table = matches!(
                    section.kind,
                    sht::NULL
                        | sht::SYMTAB
                        | sht::STRTAB
                        | sht::RELA
                        | sht::REL
                        | sht::GROUP
                        | sht::NOTE
                        | sht::LLVM_ADDRSIG
                );
                let is_marker = section.name == ".note.GNU-stack" || section.flags & shf::EXCLUDE != 0;
                if is_table || is_marker || self.symbols.discarded.contains(&(input, index)) {
                    continue;
                }
                let refuse = |what: String| Err(LinkError::Unsupported { input, what });
                match section.kind {
                    sht::PROGBITS | sht::NOBITS | sht::INIT_ARRAY | sht::FINI_ARRAY => {}
                    other => return refuse(format!("section `{}` of type {other:#x}", section.name)),
                }
                if section.kind == sht::NOBITS && !matches!(rank_of(section), Rank::Bss | Rank::Unloaded) {
                    return refuse(format!(
                        "section `{}` without contents that is not for data",
                        section.name
                    ));
                }
                if section.flags & (shf::TLS | shf::COMPRESSED) != 0 {
                    return refuse(format!("section `{}` with flags {:#x}", section.name, section.flags));
                }
                let align = section.align.max(1);
                if !align.is_power_of_two() || align > MAX_ALIGN {
                    return refuse(format!("section `{}` with the alignment {align}", section.name));
                }
                total = total.saturating_add(section.size);
                if total > MAX_SIZE {
                    return refuse(format!(
                        "section `{}`, with which the total exceeds 1 GiB,",
                        section.name
                    ));
                }
                let data = object.section_data(index);
                let at = self.join(section, data, align);
                self.placement.insert((input, index), at);
            }
        }
        Ok(())
    }

    /// Appends an input section to the output of its name and kind; gives the output's index and the offset.
    fn join(&mut self, input: &Section, data: &[u8], align: u64) -> (usize, u64) {
        let name = output_name(&input.name);
        let rank = rank_of(input);
        let found = self.outputs.iter().position(|o| o.section.name == name && o.rank == rank);
        let index = found.unwrap_or_else(|| {
            let flags = input.flags & !(shf::GROUP | shf::INFO_LINK);
            let entry_size = input.entry_size;
            let section =
                Section { name: name.to_owned(), kind: input.kind, flags, entry_size, ..Section::default() };
            self.outputs.push(Output { rank, section, data: Vec::new() });
            self.outputs.len() - 1
        });
        let output = &mut self.outputs[index];
        output.section.align = output.section.align.max(align);
        if (output.section.flags ^ input.flags) & (shf::MERGE | shf::STRINGS) != 0
            || output.section.entry_size != input.entry_size
        {
            // Parts that may be merged beside parts that may not: the whole may not.
            output.section.flags &= !(shf::MERGE | shf::STRINGS);
            output.section.entry_size = 0;
        }
        let offset = output.section.size.next_multiple_of(align);
        output.section.size = offset + input.size;
        if output.section.kind != sht::NOBITS {
            output.data.resize(offset as usize, 0);
            output.data.extend(data);
            output.data.resize(output.section.size as usize, 0);
        }
        (index, offset)
    }

    fn add_notes(&mut self, notes: &[Note]) {
        if !notes.is_empty() {
            let mut data = Vec::new();
            notes.iter().for_each(|note| note.encode(&mut data));
            self.add(Rank::Note, ".note", sht::NOTE, shf::ALLOC, 4, 0, data);
        }
    }

    fn add(&mut self, rank: Rank, name: &str, kind: u32, flags: u64, align: u64, entry: u64, data: Vec<u8>) {
        let section = Section {
            name: name.to_owned(),
            kind,
            flags,
            align,
            entry_size: entry,
            size: data.len() as u64,
            ..Section::default()
        };
        self.outputs.push(Output { rank, section, data });
    }

    /// Chooses the symbols of `.dynsym`, in the order that `.gnu.hash` asks for.
    fn export(&mut self) {
        let definition = |at: &SymbolRef| &self.inputs[at.input].symbols[at.index];
        let mut exported: Vec<SymbolRef> = self.symbols.definitions.values().copied().collect();
        exported.retain(|at| {
            !matches!(definition(at).visibility, Visibility::Hidden | Visibility::Internal)
                && !definition(at).name.is_empty()
        });
        let buckets = gnu_bucket_count(exported.len());
        exported.sort_by_key(|at| {
            let name = &definition(at).name;
            (object::elf::gnu_hash(name.as_bytes()) % buckets, at.input, at.index)
        });
        self.exported_index = exported.iter().zip(1..).map(|(&at, index)| (at, index)).collect();
        self.exported = exported;
    }

    /// Finds what needs an entry of the global offset table and counts the dynamic relocations.
    fn scan_relocations(&mut self) -> Result<usize, LinkError> {
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
    fn is_address(&self, meaning: Option<SymbolRef>) -> bool {
        meaning.is_some_and(|at| matches!(self.inputs[at.input].symbols[at.index].place, Place::Section(_)))
    }

    fn add_synthetic(&mut self, relocations: usize) {
        let alloc = shf::ALLOC;
        let zeros = |count: usize, size: u64| vec![0; count * size as usize];
        let count = self.exported.len() + 1;
        self.add(Rank::Dynsym, ".dynsym", sht::DYNSYM, alloc, 8, elf::SYMBOL_SIZE, zeros(count, 24));
        let gnu_hash = self.gnu_hash();
        self.add(Rank::GnuHash, ".gnu.hash", sht::GNU_HASH, alloc, 8, 0, gnu_hash);
        let hash = self.hash();
        self.add(Rank::Hash, ".hash", sht::HASH, alloc, 4, 4, hash);
        let mut names = StringTable::new();
        for at in &self.exported {
            names.add(&self.inputs[at.input].symbols[at.index].name);
        }
        self.add(Rank::Dynstr, ".dynstr", sht::STRTAB, alloc, 1, 0, names.into_bytes());
        if relocations != 0 {
            self.add(Rank::RelaDyn, ".rela.dyn", sht::RELA, alloc, 8, elf::RELA_SIZE, zeros(relocations, 24));
        }
        let tags = if relocations == 0 { 7 } else { 11 };
        self.add(Rank::Dynamic, ".dynamic", sht::DYNAMIC, alloc | shf::WRITE, 8, 16, zeros(tags, 16));
        if !self.got.is_empty() {
            let data = zeros(self.got.len(), 8);
            self.add(Rank::Got, ".got", sht::PROGBITS, alloc | shf::WRITE, 8, 0, data);
        }
    }

    fn hash(&self) -> Vec<u8> {
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

    fn gnu_hash(&self) -> Vec<u8> {
        const SHIFT: u32 = 26;
        let hashes: Vec<u32> = self
            .exported
            .iter()
            .map(|at| object::elf::gnu_hash(self.inputs[at.input].symbols[at.index].name.as_bytes()))
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
                *slot = i as u32 + 1;
            }
            let is_last = hashes.get(i + 1).is_none_or(|next| next % bucket_count != bucket);
            chain.push(hash & !1 | is_last as u32);
        }
        let mut out: Vec<u8> =
            [bucket_count, 1, bloom_count as u32, SHIFT].into_iter().flat_map(u32::to_le_bytes).collect();
        out.extend(bloom.into_iter().flat_map(u64::to_le_bytes));
        out.extend(buckets.into_iter().chain(chain).flat_map(u32::to_le_bytes));
        out
    }

    /// Sorts the outputs by rank; placements follow.
    fn outputs_in_order(&mut self) {
        let mut order: Vec<usize> = (0..self.outputs.len()).collect();
        order.sort_by_key(|&i| self.outputs[i].rank);
        let mut new_index = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_index[old] = new;
        }
        for (output, _) in self.placement.values_mut() {
            *output = new_index[*output];
        }
        let mut outputs: Vec<Option<Output>> =
            std::mem::take(&mut self.outputs).into_iter().map(Some).collect();
        self.outputs = order.into_iter().filter_map(|old| outputs[old].take()).collect();
    }

    fn index_of(&self, rank: Rank) -> Option<usize> {
        self.outputs.iter().position(|output| output.rank == rank)
    }

    fn place_sections(&mut self) -> Result<Vec<Segment>, LinkError> {
        let mut protections: Vec<Protection> = Vec::new();
        for output in &self.outputs {
            let protection = output.rank.protection();
            if protection != Protection::None && protections.last() != Some(&protection) {
                protections.push(protection);
            }
        }
        // PHDR, DYNAMIC, GNU_RELRO and GNU_STACK are always there.
        let count = protections.len() + 4 + usize::from(self.index_of(Rank::Note).is_some());
        let header_size = elf::HEADER_SIZE + count as u64 * elf::PROGRAM_HEADER_SIZE;

        let mut loads: Vec<(Protection, Segment)> = Vec::new();
        let (mut offset, mut address) = (header_size, header_size);
        for output in &mut self.outputs {
            let protection = output.rank.protection();
            let section = &mut output.section;
            let align = section.align.max(1);
            if protection == Protection::None {
                offset = offset.next_multiple_of(align);
                section.offset = offset;
                offset += section.file_size();
                continue;
            }
            if loads.last().is_none_or(|(last, _)| *last != protection) {
                if !loads.is_empty() {
                    address = address.next_multiple_of(PAGE.max(align)) + offset % PAGE.max(align);
                }
                let segment = Segment {
                    kind: pt::LOAD,
                    flags: match protection {
                        Protection::Execute => pf::R | pf::X,
                        Protection::Read | Protection::None => pf::R,
                        Protection::RelRo | Protection::Write => pf::R | pf::W,
                    },
                    // The first segment holds the headers, too.
                    offset: if loads.is_empty() { 0 } else { offset.next_multiple_of(align) },
                    address: if loads.is_empty() { 0 } else { address.next_multiple_of(align) },
                    file_size: 0,
                    memory_size: 0,
                    align: PAGE,
                };
                loads.push((protection, segment));
            }
            let padding = address.next_multiple_of(align) - address;
            address += padding;
            section.address = address;
            address += section.size;
            let Some((_, segment)) = loads.last_mut() else { continue };
            segment.align = segment.align.max(align);
            if section.kind == sht::NOBITS {
                section.offset = offset;
            } else {
                offset += padding;
                section.offset = offset;
                offset += section.size;
                segment.file_size = offset - segment.offset;
            }
            segment.memory_size = address - segment.address;
        }
        for (protection, segment) in &mut loads {
            if *protection == Protection::RelRo {
                let end = (segment.address + segment.memory_size).next_multiple_of(PAGE);
                segment.memory_size = end - segment.address;
            }
        }
        if offset > MAX_SIZE || address > MAX_SIZE {
            let what = "a result of more than 1 GiB".to_owned();
            return Err(LinkError::Unsupported { input: 0, what });
        }
        Ok(self.program_headers(header_size, loads))
    }

    fn program_headers(&self, header_size: u64, loads: Vec<(Protection, Segment)>) -> Vec<Segment> {
        let size = header_size - elf::HEADER_SIZE;
        let phdr = Segment {
            kind: pt::PHDR,
            flags: pf::R,
            offset: elf::HEADER_SIZE,
            address: elf::HEADER_SIZE,
            file_size: size,
            memory_size: size,
            align: 8,
        };
        let mut segments = vec![phdr];
        segments.extend(loads.iter().map(|(_, segment)| *segment));
        let of_section = |rank: Rank, kind, flags| {
            let section = &self.outputs[self.index_of(rank)?].section;
            Some(Segment {
                kind,
                flags,
                offset: section.offset,
                address: section.address,
                file_size: section.size,
                memory_size: section.size,
                align: section.align,
            })
        };
        segments.extend(of_section(Rank::Dynamic, pt::DYNAMIC, pf::R | pf::W));
        if let Some((_, relro)) = loads.iter().find(|(protection, _)| *protection == Protection::RelRo) {
            segments.push(Segment { kind: pt::GNU_RELRO, flags: pf::R, align: 1, ..*relro });
        }
        segments.push(Segment {
            kind: pt::GNU_STACK,
            flags: pf::R | pf::W,
            offset: 0,
            address: 0,
            file_size: 0,
            memory_size: 0,
            align: 0,
        });
        segments.extend(of_section(Rank::Note, pt::NOTE, pf::R));
        segments
    }

    /// The value of a symbol: its address, or its number if it is absolute; 0 if nobody defines it.
    fn value(&self, meaning: Option<SymbolRef>) -> Option<u64> {
        let Some(at) = meaning else { return Some(0) };
        let symbol = &self.inputs[at.input].symbols[at.index];
        match symbol.place {
            Place::Section(section) => {
                let &(output, offset) = self.placement.get(&(at.input, section as usize))?;
                Some(self.outputs[output].section.address.wrapping_add(offset).wrapping_add(symbol.value))
            }
            Place::Absolute => Some(symbol.value),
            Place::Undefined | Place::Common | Place::Lds => Some(0),
        }
    }

    fn apply_relocations(&mut self) -> Result<(), LinkError> {
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

    fn fill_got(&mut self) -> Result<(), LinkError> {
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

    /// A symbol of the result, from an input's.
    fn output_symbol(&self, at: SymbolRef) -> Option<Symbol> {
        let symbol = &self.inputs[at.input].symbols[at.index];
        let place = match symbol.place {
            Place::Section(section) => {
                let &(output, _) = self.placement.get(&(at.input, section as usize))?;
                Place::Section(output as u32 + 1)
            }
            other => other,
        };
        Some(Symbol { value: self.value(Some(at))?, place, ..symbol.clone() })
    }

    fn fill_dynamic_tables(&mut self) -> Result<(), LinkError> {
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

    /// The symbols of `.symtab`: every input's local ones that have a name, `_DYNAMIC`, then all definitions.
    fn symtab(&self) -> (Vec<Symbol>, u32) {
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
        let mut definitions: Vec<SymbolRef> = self.symbols.definitions.values().copied().collect();
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

    fn write(
        mut self,
        os: OsAbi,
        abi: AbiVersion,
        flags: EFlags,
        segments: Vec<Segment>,
    ) -> Result<Vec<u8>, LinkError> {
        let flags = flags.encode(abi).map_err(|e| LinkError::Input { input: 0, what: e.to_string() })?;
        let (symbols, local_count) = self.symtab();
        let mut names = StringTable::new();
        let mut data = vec![0; elf::SYMBOL_SIZE as usize];
        for symbol in &symbols {
            symbol.encode(names.add(&symbol.name), &mut data);
        }
        let strtab = self.outputs.len() as u32 + 2;
        if strtab >= 0xff00 {
            let what = format!("a result of {strtab} sections");
            return Err(LinkError::Unsupported { input: 0, what });
        }
        let end = |output: &Output| output.section.offset + output.section.file_size();
        let first_free = self.outputs.iter().map(end).max().unwrap_or(0);
        self.add(Rank::Unloaded, ".symtab", sht::SYMTAB, 0, 8, elf::SYMBOL_SIZE, data);
        self.add(Rank::Unloaded, ".strtab", sht::STRTAB, 0, 1, 0, names.into_bytes());
        let mut offset = first_free;
        let count = self.outputs.len();
        for output in &mut self.outputs[count - 2..] {
            offset = offset.next_multiple_of(output.section.align);
            output.section.offset = offset;
            offset += output.section.size;
            if output.section.kind == sht::SYMTAB {
                (output.section.link, output.section.info) = (strtab, local_count + 1);
            }
        }
        let sections = self.outputs.into_iter().map(|output| (output.section, output.data)).collect();
        Ok(write::emit(os, abi, ET_DYN, flags, &segments, sections))
    }
}

/// As lld sizes it: four symbols a bucket.
fn gnu_bucket_count(symbols: usize) -> u32 {
    (symbols / 4).max(1) as u32
}
