//! Builds a relocatable code object from sections, symbols, relocations and notes.
//!
//! The builder keeps what it is given and lays the file out at the end: sections in the order they were added,
//! then notes, relocations and tables. Local symbols are moved before the others, as ELF asks; relocations
//! follow them. Relocations have their addends beside them but in the profile of a call graph, where LLVM has none.

use wavemark_budget::{NoRoom, room_for};
use wavemark_target::{AbiVersion, EFlags, EFlagsError};

use crate::descriptor::{self, KernelDescriptor};
use crate::elf::{
    self, Binding, ET_REL, Header, OsAbi, Place, Rela, Section, Segment, StringTable, Symbol, SymbolType,
    Visibility, shf, sht,
};
use crate::metadata::Metadata;
use crate::note::Note;
use crate::reloc::RelocationKind;

/// A section of an [`ObjectBuilder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionId(pub u32);

/// A symbol of an [`ObjectBuilder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

impl SymbolId {
    /// What a relocation names that names no symbol.
    pub const NONE: SymbolId = SymbolId(u32::MAX);
}

impl SectionId {
    /// Where a symbol of this section is.
    pub fn place(self) -> Place {
        Place::Section(self.0)
    }
}

/// Why a file cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The target does not fit the code object version.
    #[error(transparent)]
    EFlags(#[from] EFlagsError),
    /// ELF counts sections in 16 bits.
    #[error("{0} sections are more than a code object can have")]
    TooManySections(usize),
    /// A symbol is in a section that was never added.
    #[error("symbol `{0}` is in a section that does not exist")]
    NoSection(String),
    /// A relocation names a symbol that was never added.
    #[error("a relocation in `{0}` names a symbol that does not exist")]
    NoSymbol(String),
    /// A name with a NUL in it.
    #[error("the name {0:?} has a NUL in it")]
    Nul(String),
    /// An alignment that is no power of two or larger than 1 MiB.
    #[error("section `{0}` cannot be aligned to {1} bytes")]
    Align(String, u64),
    /// More bytes than the budget has left.
    #[error("the code object {0}")]
    Memory(#[from] NoRoom),
}

/// The largest alignment of a section: 1 MiB.
pub(crate) const MAX_ALIGN: u64 = 1 << 20;

struct Part {
    section: Section,
    data: Vec<u8>,
    relocations: Vec<Rela>,
    /// The group section that it is a member of.
    group: Option<SectionId>,
    /// What its header or its bytes say in terms of symbols and sections, whose numbers come last.
    refers: Refers,
}

/// Numbers that are known only when the file is laid out.
enum Refers {
    Nothing,
    /// `sh_link` is a section.
    Section(SectionId),
    /// A group section: `sh_info` is the symbol that names it, the bytes are the flags and the members.
    Signature(SymbolId),
    /// The bytes are symbols, each as LEB128.
    Symbols(Vec<SymbolId>),
}

/// A relocatable code object in the making.
pub struct ObjectBuilder {
    os: OsAbi,
    abi: AbiVersion,
    flags: EFlags,
    parts: Vec<Part>,
    symbols: Vec<Symbol>,
    notes: Vec<Note>,
}

impl ObjectBuilder {
    /// Nothing yet, for a target and a code object version.
    pub fn new(abi: AbiVersion, flags: EFlags) -> ObjectBuilder {
        ObjectBuilder::for_os(OsAbi::Hsa, abi, flags)
    }

    /// Nothing yet, for an operating system, a code object version (of which only `amdhsa` has any but V3), and a
    /// target.
    pub fn for_os(os: OsAbi, abi: AbiVersion, flags: EFlags) -> ObjectBuilder {
        ObjectBuilder { os, abi, flags, parts: Vec::new(), symbols: Vec::new(), notes: Vec::new() }
    }

    /// Adds a section of a type ([`sht`]), with flags ([`shf`]) and an alignment in bytes.
    pub fn add_section(&mut self, name: &str, kind: u32, flags: u64, align: u64) -> SectionId {
        let section =
            Section { name: name.to_owned(), kind, flags, align: align.max(1), ..Section::default() };
        self.parts.push(Part {
            section,
            data: Vec::new(),
            relocations: Vec::new(),
            group: None,
            refers: Refers::Nothing,
        });
        SectionId(self.parts.len() as u32 - 1)
    }

    /// The section of this name, added if need be with the type and flags that LLVM gives sections of that name.
    pub fn section(&mut self, name: &str) -> SectionId {
        if let Some(index) = self.parts.iter().position(|part| part.section.name == name) {
            return SectionId(index as u32);
        }
        let (kind, flags, align) = default_attributes(name);
        self.add_section(name, kind, flags, align)
    }

    /// Adds a section group; the linker keeps one of several groups of a signature where `comdat`. Add it before its
    /// members, and say its signature by [`ObjectBuilder::set_signature`].
    pub fn add_group(&mut self, comdat: bool) -> SectionId {
        let id = self.add_section(".group", sht::GROUP, 0, 4);
        self.section_mut(id).entry_size = 4;
        self.data_mut(id).extend(u32::from(comdat).to_le_bytes());
        id
    }

    /// Makes a section, and its relocations, members of a group.
    pub fn set_group(&mut self, id: SectionId, group: SectionId) {
        self.parts[id.0 as usize].group = Some(group);
    }

    /// Names the symbol that tells a group from others.
    pub fn set_signature(&mut self, group: SectionId, symbol: SymbolId) {
        self.parts[group.0 as usize].refers = Refers::Signature(symbol);
    }

    /// Links a section to another (`sh_link`).
    pub fn set_link(&mut self, id: SectionId, to: SectionId) {
        self.parts[id.0 as usize].refers = Refers::Section(to);
    }

    /// Adds `.llvm_addrsig`: the symbols whose addresses are compared.
    pub fn add_address_significance(&mut self, symbols: Vec<SymbolId>) {
        let id = self.add_section(".llvm_addrsig", sht::LLVM_ADDRSIG, shf::EXCLUDE, 1);
        self.parts[id.0 as usize].refers = Refers::Symbols(symbols);
    }

    /// A section's header: name, type, flags, alignment and entry size may be changed.
    pub fn section_mut(&mut self, id: SectionId) -> &mut Section {
        &mut self.parts[id.0 as usize].section
    }

    /// A section's bytes, to be changed or extended.
    pub fn data_mut(&mut self, id: SectionId) -> &mut Vec<u8> {
        &mut self.parts[id.0 as usize].data
    }

    /// A section's bytes so far.
    pub fn data(&self, id: SectionId) -> &[u8] {
        &self.parts[id.0 as usize].data
    }

    /// Appends bytes at a multiple of `align` (a power of two), raises the section's alignment to it and returns
    /// the bytes' offset.
    pub fn append(&mut self, id: SectionId, bytes: &[u8], align: u64) -> u64 {
        let part = &mut self.parts[id.0 as usize];
        part.section.align = part.section.align.max(align);
        part.data.resize(part.data.len().next_multiple_of(align.max(1) as usize), 0);
        let offset = part.data.len() as u64;
        part.data.extend(bytes);
        offset
    }

    /// The size in memory of a section without bytes in the file ([`sht::NOBITS`]).
    pub fn set_size(&mut self, id: SectionId, size: u64) {
        self.parts[id.0 as usize].section.size = size;
    }

    /// Adds a symbol; [`SectionId::place`] says that it is in a section.
    pub fn add_symbol(&mut self, symbol: Symbol) -> SymbolId {
        self.symbols.push(symbol);
        SymbolId(self.symbols.len() as u32 - 1)
    }

    /// A symbol, to be changed.
    pub fn symbol_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.symbols[id.0 as usize]
    }

    /// Adds a relocation at an offset into a section.
    pub fn add_relocation(
        &mut self,
        id: SectionId,
        offset: u64,
        kind: RelocationKind,
        symbol: SymbolId,
        addend: i64,
    ) {
        let rela = Rela { offset, kind: kind as u32, symbol: symbol.0, addend };
        self.parts[id.0 as usize].relocations.push(rela);
    }

    /// Adds a kernel descriptor to `.rodata`, its symbol `NAME.kd` (global, protected) and the relocation for
    /// the distance to `entry`, the symbol of the kernel's first instruction.
    pub fn add_kernel_descriptor(
        &mut self,
        name: &str,
        descriptor: &KernelDescriptor,
        entry: SymbolId,
    ) -> SymbolId {
        let rodata = self.section(".rodata");
        let offset = self.append(rodata, &descriptor.encode(), descriptor::SIZE as u64);
        self.add_relocation(rodata, offset + 16, RelocationKind::Rel64, entry, 16);
        self.add_symbol(Symbol {
            name: format!("{name}.kd"),
            value: offset,
            size: descriptor::SIZE as u64,
            binding: Binding::Global,
            kind: SymbolType::Object,
            visibility: Visibility::Protected,
            place: rodata.place(),
        })
    }

    /// Adds a note.
    pub fn add_note(&mut self, note: Note) {
        self.notes.push(note);
    }

    /// Adds the note with metadata.
    pub fn add_metadata(&mut self, metadata: &Metadata) {
        self.add_note(Note::metadata(metadata.to_message_pack()));
    }

    /// The file's bytes.
    pub fn finish(mut self) -> Result<Vec<u8>, WriteError> {
        let flags = self.flags.encode(self.abi)?;
        if !self.notes.is_empty() {
            let id = self.section(".note");
            let mut bytes = Vec::new();
            self.notes.iter().for_each(|note| note.encode(&mut bytes));
            self.append(id, &bytes, 4);
        }
        let count = self.parts.len();
        let with_relocations = self.parts.iter().filter(|part| !part.relocations.is_empty()).count();
        // The null section, relocation sections, .symtab, .strtab and .shstrtab come on top.
        if count + with_relocations + 4 >= 0xff00 {
            return Err(WriteError::TooManySections(count + with_relocations + 4));
        }
        let (order, local_count) = self.symbol_order();
        let mut names = StringTable::new();
        let mut symbol_bytes = vec![0; elf::SYMBOL_SIZE as usize];
        for &old in &order {
            let mut symbol = self.symbols[old].clone();
            check_name(&symbol.name)?;
            if let Place::Section(section) = symbol.place {
                if section as usize >= count {
                    return Err(WriteError::NoSection(symbol.name));
                }
                symbol.place = Place::Section(section + 1);
            }
            symbol.encode(names.add(&symbol.name), &mut symbol_bytes);
        }
        let mut new_index = vec![0u32; self.symbols.len()];
        for (new, &old) in order.iter().enumerate() {
            new_index[old] = new as u32 + 1;
        }

        let symtab_index = (1 + count + with_relocations) as u32;
        self.fill_references(&new_index, symtab_index)?;
        let mut sections: Vec<(Section, Vec<u8>)> = Vec::new();
        let mut relocation_sections = Vec::new();
        for (index, part) in self.parts.into_iter().enumerate() {
            check_name(&part.section.name)?;
            let align = part.section.align;
            if !align.is_power_of_two() || align > MAX_ALIGN {
                return Err(WriteError::Align(part.section.name, align));
            }
            if !part.relocations.is_empty() {
                let mut bytes = Vec::new();
                let without_addends = part.section.kind == sht::LLVM_CALL_GRAPH_PROFILE;
                for mut rela in part.relocations {
                    if rela.symbol == SymbolId::NONE.0 {
                        rela.symbol = 0;
                    } else {
                        let symbol = new_index.get(rela.symbol as usize);
                        rela.symbol =
                            *symbol.ok_or_else(|| WriteError::NoSymbol(part.section.name.clone()))?;
                    }
                    rela.encode(&mut bytes);
                    if without_addends {
                        bytes.truncate(bytes.len() - 8);
                    }
                }
                let (prefix, kind, entry_size) = match without_addends {
                    true => (".rel", sht::REL, elf::RELA_SIZE - 8),
                    false => (".rela", sht::RELA, elf::RELA_SIZE),
                };
                let section = Section {
                    name: format!("{prefix}{}", part.section.name),
                    kind,
                    flags: if part.group.is_some() { shf::GROUP } else { shf::INFO_LINK },
                    link: symtab_index,
                    info: index as u32 + 1,
                    align: 8,
                    entry_size,
                    ..Section::default()
                };
                relocation_sections.push((section, bytes));
            }
            sections.push((part.section, part.data));
        }
        sections.extend(relocation_sections);
        let symtab = Section {
            name: ".symtab".to_owned(),
            kind: sht::SYMTAB,
            link: symtab_index + 1,
            info: local_count as u32 + 1,
            align: 8,
            entry_size: elf::SYMBOL_SIZE,
            ..Section::default()
        };
        sections.push((symtab, symbol_bytes));
        let strtab =
            Section { name: ".strtab".to_owned(), kind: sht::STRTAB, align: 1, ..Section::default() };
        sections.push((strtab, names.into_bytes()));
        let mut offset = elf::HEADER_SIZE;
        for (section, data) in &mut sections {
            offset = offset.next_multiple_of(section.align.max(1));
            section.offset = offset;
            if section.kind != sht::NOBITS {
                section.size = data.len() as u64;
                offset += section.size;
            }
        }
        Ok(emit(self.os, self.abi, ET_REL, flags, &[], sections)?)
    }

    /// Writes what sections say of sections and symbols by number: those of the symbols are in `new_index`, relocations
    /// come after all other sections.
    fn fill_references(&mut self, new_index: &[u32], symtab_index: u32) -> Result<(), WriteError> {
        let mut members: Vec<(SectionId, u32)> = Vec::new();
        let mut next_relocations = self.parts.len() as u32 + 1;
        for (index, part) in self.parts.iter().enumerate() {
            members.extend(part.group.map(|group| (group, index as u32 + 1)));
            if !part.relocations.is_empty() {
                members.extend(part.group.map(|group| (group, next_relocations)));
                next_relocations += 1;
            }
        }
        for (group, member) in members {
            self.data_mut(group).extend(member.to_le_bytes());
        }
        for part in &mut self.parts {
            let number = |symbol: &SymbolId| {
                let number = new_index.get(symbol.0 as usize).copied();
                number.ok_or_else(|| WriteError::NoSymbol(part.section.name.clone()))
            };
            match &part.refers {
                Refers::Nothing if part.section.kind == sht::LLVM_CALL_GRAPH_PROFILE => {
                    part.section.link = symtab_index;
                }
                Refers::Nothing => {}
                Refers::Section(to) => part.section.link = to.0 + 1,
                Refers::Signature(symbol) => {
                    (part.section.link, part.section.info) = (symtab_index, number(symbol)?);
                }
                Refers::Symbols(symbols) => {
                    for symbol in symbols {
                        write_uleb128(&mut part.data, number(symbol)?);
                    }
                    part.section.link = symtab_index;
                }
            }
        }
        Ok(())
    }

    /// The order in which symbols are written, by index, and how many of them are local.
    fn symbol_order(&self) -> (Vec<usize>, usize) {
        let is_local = |&i: &usize| self.symbols[i].binding == Binding::Local;
        let (mut order, rest): (Vec<usize>, Vec<usize>) = (0..self.symbols.len()).partition(is_local);
        let local_count = order.len();
        order.extend(rest);
        (order, local_count)
    }
}

fn write_uleb128(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn check_name(name: &str) -> Result<(), WriteError> {
    if name.contains('\0') { Err(WriteError::Nul(name.to_owned())) } else { Ok(()) }
}

/// Type, flags and alignment that LLVM gives a section because of its name.
fn default_attributes(name: &str) -> (u32, u64, u64) {
    let is =
        |prefix: &str| name == prefix || name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'));
    if is(".text") {
        (sht::PROGBITS, shf::ALLOC | shf::EXECINSTR, 256)
    } else if is(".rodata") {
        (sht::PROGBITS, shf::ALLOC, 64)
    } else if is(".bss") {
        (sht::NOBITS, shf::ALLOC | shf::WRITE, 8)
    } else if is(".data") {
        (sht::PROGBITS, shf::ALLOC | shf::WRITE, 8)
    } else if is(".note") {
        (sht::NOTE, shf::ALLOC, 4)
    } else {
        (sht::PROGBITS, 0, 1)
    }
}

/// Puts headers, placed sections and the section name table together. Sections must have their offset and
/// size; the null section and `.shstrtab` are added.
pub(crate) fn emit(
    os: OsAbi,
    abi: AbiVersion,
    file_type: u16,
    flags: u32,
    segments: &[Segment],
    mut sections: Vec<(Section, Vec<u8>)>,
) -> Result<Vec<u8>, NoRoom> {
    let mut names = StringTable::new();
    let mut headers = vec![0; elf::SECTION_HEADER_SIZE as usize];
    let mut name_offsets: Vec<u32> = sections.iter().map(|(section, _)| names.add(&section.name)).collect();
    name_offsets.push(names.add(".shstrtab"));
    let end = |(section, data): &(Section, Vec<u8>)| section.offset + data.len() as u64;
    let names = names.into_bytes();
    let shstrtab = Section {
        name: ".shstrtab".to_owned(),
        kind: sht::STRTAB,
        offset: sections.iter().map(end).max().unwrap_or(elf::HEADER_SIZE),
        size: names.len() as u64,
        align: 1,
        ..Section::default()
    };
    sections.push((shstrtab, names));
    let section_headers = sections.iter().map(end).max().unwrap_or(0).next_multiple_of(8);
    // Alignment may ask for far more than all sections have.
    room_for(section_headers)?;
    let header = Header {
        os_abi: os as u8,
        abi_version: if os == OsAbi::Hsa { abi as u8 } else { 0 },
        machine: elf::EM_AMDGPU,
        file_type,
        flags,
        entry: 0,
        program_headers: if segments.is_empty() { 0 } else { elf::HEADER_SIZE },
        program_header_count: segments.len() as u16,
        section_headers,
        section_count: sections.len() as u16 + 1,
        section_names: sections.len() as u16,
    };
    let mut file = header.encode();
    segments.iter().for_each(|segment| segment.encode(&mut file));
    for ((section, data), name) in sections.iter().zip(name_offsets) {
        section.encode(name, &mut headers);
        if data.is_empty() {
            continue;
        }
        let start = section.offset as usize;
        file.resize(file.len().max(start + data.len()), 0);
        file[start..start + data.len()].copy_from_slice(data);
    }
    file.resize(section_headers as usize, 0);
    file.extend(headers);
    Ok(file)
}
