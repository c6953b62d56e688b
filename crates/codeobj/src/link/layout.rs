//! Places sections and symbols and writes the linked file.
//!
//! Order of the segments, each with its own protection: read-only (notes, tables, `.rodata`), code, read-only
//! after relocation (`.data.rel.ro`, `.dynamic`, `.got`), data. File offset and address of every section agree
//! modulo the page size.

use std::collections::HashMap;

use wavemark_budget::{NoRoom, room_for};
use wavemark_target::{AbiVersion, EFlags};

use super::resolve::{SymbolRef, Symbols};
use super::{LinkError, MAX_SIZE};
use crate::elf::{self, ET_DYN, OsAbi, Place, Rela, Section, Segment, StringTable, pf, pt, shf, sht};
use crate::note::Note;
use crate::read::CodeObject;
use crate::write::{self, MAX_ALIGN};

const PAGE: u64 = 0x1000;

/// What a section of the result is for; also the order in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Rank {
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
pub(super) struct Output {
    pub rank: Rank,
    pub section: Section,
    pub data: Vec<u8>,
}

/// Where an input section went: which output, and at which offset.
type Placement = HashMap<(usize, usize), (usize, u64)>;

pub(super) struct Linker<'a> {
    pub inputs: &'a [CodeObject],
    pub symbols: &'a Symbols,
    pub outputs: Vec<Output>,
    /// The output of each name and rank, while sections are joined.
    pub joined: HashMap<(String, Rank), usize>,
    pub placement: Placement,
    /// Where common symbols went: which output, and at which offset.
    pub commons: HashMap<SymbolRef, (usize, u64)>,
    /// Entries of the global offset table, in the order of first use.
    pub got: Vec<Option<SymbolRef>>,
    /// The slot of each entry.
    pub got_slots: HashMap<Option<SymbolRef>, usize>,
    /// Symbols of `.dynsym` after the null symbol.
    pub exported: Vec<SymbolRef>,
    /// The index of each in `.dynsym`.
    pub exported_index: HashMap<SymbolRef, u32>,
    pub dynamic_relocations: Vec<Rela>,
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
        joined: HashMap::new(),
        placement: HashMap::new(),
        commons: HashMap::new(),
        got: Vec::new(),
        got_slots: HashMap::new(),
        exported: Vec::new(),
        exported_index: HashMap::new(),
        dynamic_relocations: Vec::new(),
    };
    linker.join_sections()?;
    linker.place_commons()?;
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
                let at = self.join(section, data, align)?;
                self.placement.insert((input, index), at);
            }
        }
        Ok(())
    }

    /// Gives each common symbol a place in `.bss`.
    fn place_commons(&mut self) -> Result<(), LinkError> {
        let place = |at: &SymbolRef| self.inputs[at.input].symbols[at.index].place;
        let mut commons: Vec<SymbolRef> = self.symbols.definitions.values().copied().collect();
        commons.retain(|at| place(at) == Place::Common);
        commons.sort_by_key(|at| (at.input, at.index));
        let mut total = 0u64;
        for at in commons {
            let symbol = &self.inputs[at.input].symbols[at.index];
            let align = symbol.value.max(1);
            total = total.saturating_add(symbol.size).saturating_add(align);
            if !align.is_power_of_two() || align > MAX_ALIGN || total > MAX_SIZE {
                let (size, name) = (symbol.size, &symbol.name);
                let what = format!("the common symbol `{name}` of {size} bytes with the alignment {align}");
                return Err(LinkError::Unsupported { input: at.input, what });
            }
            let (kind, flags) = (sht::NOBITS, shf::ALLOC | shf::WRITE);
            let bss =
                Section { name: ".bss".to_owned(), kind, flags, size: symbol.size, ..Section::default() };
            let place = self.join(&bss, &[], align)?;
            self.commons.insert(at, place);
        }
        Ok(())
    }

    /// Appends an input section to the output of its name and kind; gives the output's index and the offset.
    fn join(&mut self, input: &Section, data: &[u8], align: u64) -> Result<(usize, u64), NoRoom> {
        let name = output_name(&input.name);
        let rank = rank_of(input);
        let index = *self.joined.entry((name.to_owned(), rank)).or_insert_with(|| {
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
            room_for(output.section.size - output.data.len() as u64)?;
            output.data.resize(offset as usize, 0);
            output.data.extend(data);
            output.data.resize(output.section.size as usize, 0);
        }
        Ok((index, offset))
    }

    fn add_notes(&mut self, notes: &[Note]) {
        if !notes.is_empty() {
            let mut data = Vec::new();
            notes.iter().for_each(|note| note.encode(&mut data));
            self.add(Rank::Note, ".note", sht::NOTE, shf::ALLOC, 4, 0, data);
        }
    }

    pub(super) fn add(
        &mut self,
        rank: Rank,
        name: &str,
        kind: u32,
        flags: u64,
        align: u64,
        entry: u64,
        data: Vec<u8>,
    ) {
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

    /// Sorts the outputs by rank; placements follow.
    fn outputs_in_order(&mut self) {
        let mut order: Vec<usize> = (0..self.outputs.len()).collect();
        order.sort_by_key(|&i| self.outputs[i].rank);
        let mut new_index = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_index[old] = new;
        }
        for (output, _) in self.placement.values_mut().chain(self.commons.values_mut()) {
            *output = new_index[*output];
        }
        let mut outputs: Vec<Option<Output>> =
            std::mem::take(&mut self.outputs).into_iter().map(Some).collect();
        self.outputs = order.into_iter().filter_map(|old| outputs[old].take()).collect();
    }

    pub(super) fn index_of(&self, rank: Rank) -> Option<usize> {
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
        Ok(write::emit(os, abi, ET_DYN, flags, &segments, sections)?)
    }
}
