//! Reads a code object, relocatable or linked: header, sections, segments, symbols, relocations, notes,
//! metadata and kernel descriptors.
//!
//! Everything is checked against the file's size before it is used; a part that does not fit is an error with
//! its byte offset. What is read is what the file says: whether it makes sense to load is asked by
//! [`crate::image`], whether to link by [`mod@crate::link`].

use wavemark_target::{AbiVersion, EFlags, TargetId};

use crate::bytes::Bytes;
use crate::descriptor::{self, KernelDescriptor};
use crate::elf::{self, Header, Place, Rela, Section, Segment, Symbol, SymbolType, pt, sht};
use crate::error::{Error, ErrorKind};
use crate::metadata::{KernelMetadata, Metadata};
use crate::note::{self, Note};
use crate::value::Value;

/// A code object with everything that its file says.
#[derive(Clone, Debug)]
pub struct CodeObject {
    /// The file header.
    pub header: Header,
    /// The code object version.
    pub abi: AbiVersion,
    /// Processor, feature settings and generic version from `e_flags`.
    pub flags: EFlags,
    /// Sections; the first is the null section. Empty if the file has no section headers.
    pub sections: Vec<Section>,
    /// Segments; empty in a relocatable file.
    pub segments: Vec<Segment>,
    /// The symbols of `.symtab`; the first is the null symbol. Empty if there is no such section.
    pub symbols: Vec<Symbol>,
    /// The symbols of `.dynsym`, likewise.
    pub dynamic_symbols: Vec<Symbol>,
    /// The relocations, by section that holds them.
    pub relocations: Vec<RelocationTable>,
    /// The notes.
    pub notes: Vec<Note>,
    /// The metadata, if there is a note with it.
    pub metadata: Option<Metadata>,
    /// The kernels: every symbol with a kernel descriptor, in the order of the symbol table.
    pub kernels: Vec<Kernel>,
    bytes: Vec<u8>,
}

/// The relocations of one section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelocationTable {
    /// The section that holds the records.
    pub section: usize,
    /// The section that they apply to; none for dynamic relocations, which apply to addresses.
    pub target: Option<usize>,
    /// Whether the symbols are those of `.dynsym`.
    pub dynamic: bool,
    /// The records.
    pub entries: Vec<Rela>,
}

/// A kernel as a symbol names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The name: the symbol's without `.kd`.
    pub name: String,
    /// Where the descriptor is: index of the section.
    pub section: usize,
    /// Byte offset into that section.
    pub offset: u64,
    /// Virtual address of the descriptor in a linked file, 0 in a relocatable one.
    pub address: u64,
    /// The descriptor.
    pub descriptor: KernelDescriptor,
}

impl CodeObject {
    /// Reads a code object.
    pub fn parse(bytes: &[u8]) -> Result<CodeObject, Error> {
        let file = Bytes::new(bytes);
        let header = Header::parse(file)?;
        let abi = AbiVersion::by_byte(header.abi_version)
            .ok_or_else(|| Error::expected(8, "an ABI version of 0 to 4", header.abi_version.to_string()))?;
        if abi == AbiVersion::V2 {
            return Err(Error::unsupported(8, "code object V2"));
        }
        let flags = EFlags::decode(header.flags, abi)
            .map_err(|e| Error { offset: 48, kind: ErrorKind::EFlags(e) })?;
        let segments = parse_segments(file, &header)?;
        let sections = parse_sections(file, &header)?;
        let tables = Tables { file, sections: &sections };
        let symbols = tables.symbols(sht::SYMTAB)?;
        let dynamic_symbols = tables.symbols(sht::DYNSYM)?;
        let relocations = tables.relocations(header.file_type)?;
        let notes = tables.notes(&segments)?;
        let mut object = CodeObject {
            header,
            abi,
            flags,
            metadata: parse_metadata(&notes)?,
            kernels: Vec::new(),
            sections,
            segments,
            symbols,
            dynamic_symbols,
            relocations,
            notes,
            bytes: bytes.to_vec(),
        };
        object.kernels = object.find_kernels()?;
        Ok(object)
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The target ID.
    pub fn target(&self) -> TargetId {
        self.flags.id
    }

    /// Whether it is a relocatable file, to be linked before it can run.
    pub fn is_relocatable(&self) -> bool {
        self.header.file_type == elf::ET_REL
    }

    /// The bytes of a section; empty for [`sht::NOBITS`] and for an index beyond the last.
    pub fn section_data(&self, index: usize) -> &[u8] {
        let data = |section: &Section| {
            let start = usize::try_from(section.offset).ok()?;
            let len = usize::try_from(section.file_size()).ok()?;
            self.bytes.get(start..start.checked_add(len)?)
        };
        self.sections.get(index).and_then(data).unwrap_or_default()
    }

    /// The first section of a name, by index.
    pub fn section_by_name(&self, name: &str) -> Option<usize> {
        self.sections.iter().position(|section| section.name == name)
    }

    /// A symbol of `.symtab`, or else of `.dynsym`, by name.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        let mut all = self.symbols.iter().chain(&self.dynamic_symbols);
        all.find(|symbol| symbol.name == name && symbol.is_defined())
    }

    /// The metadata of a kernel, by the symbol of its descriptor.
    pub fn kernel_metadata(&self, kernel: &Kernel) -> Option<&KernelMetadata> {
        let symbol = format!("{}.kd", kernel.name);
        let kernels = &self.metadata.as_ref()?.kernels;
        kernels.iter().find(|k| k.symbol == symbol).or_else(|| kernels.iter().find(|k| k.name == kernel.name))
    }

    /// A symbol's offset into its section.
    pub(crate) fn offset_in_section(&self, symbol: &Symbol, section: &Section) -> Option<u64> {
        let base = if self.is_relocatable() { 0 } else { section.address };
        symbol.value.checked_sub(base)
    }

    fn find_kernels(&self) -> Result<Vec<Kernel>, Error> {
        let symbols = if self.symbols.is_empty() { &self.dynamic_symbols } else { &self.symbols };
        let mut kernels = Vec::new();
        for symbol in symbols {
            let Some(name) = symbol.name.strip_suffix(".kd") else { continue };
            let Place::Section(section) = symbol.place else { continue };
            if !matches!(symbol.kind, SymbolType::Object | SymbolType::NoType) {
                continue;
            }
            let section = section as usize;
            let Some(header) = self.sections.get(section) else {
                return Err(Error::expected(
                    self.header.section_headers,
                    format!("a section for the symbol `{}`", symbol.name),
                    format!("the section index {section}"),
                ));
            };
            let data = self.section_data(section);
            let bytes = self.offset_in_section(symbol, header).and_then(|offset| {
                let start = usize::try_from(offset).ok()?;
                let bytes = data.get(start..start.checked_add(descriptor::SIZE)?)?;
                Some((offset, <&[u8; descriptor::SIZE]>::try_from(bytes).ok()?))
            });
            let Some((offset, bytes)) = bytes else {
                return Err(Error::expected(
                    header.offset,
                    format!("the 64 bytes of the kernel descriptor `{}` in `{}`", symbol.name, header.name),
                    format!("a section of {} bytes and the value {:#x}", data.len(), symbol.value),
                ));
            };
            kernels.push(Kernel {
                name: name.to_owned(),
                section,
                offset,
                address: if self.is_relocatable() { 0 } else { symbol.value },
                descriptor: KernelDescriptor::decode(bytes, self.flags.id.processor),
            });
        }
        Ok(kernels)
    }
}

fn parse_segments(file: Bytes<'_>, header: &Header) -> Result<Vec<Segment>, Error> {
    let count = u64::from(header.program_header_count);
    let table = file.part(header.program_headers, count * elf::PROGRAM_HEADER_SIZE, "the program headers")?;
    let mut segments = Vec::new();
    for i in 0..count {
        let entry = table.part(i * elf::PROGRAM_HEADER_SIZE, elf::PROGRAM_HEADER_SIZE, "a program header")?;
        let segment = Segment::parse(entry)?;
        file.part(segment.offset, segment.file_size, "a segment")?;
        segments.push(segment);
    }
    Ok(segments)
}

fn parse_sections(file: Bytes<'_>, header: &Header) -> Result<Vec<Section>, Error> {
    let count = u64::from(header.section_count);
    let table = file.part(header.section_headers, count * elf::SECTION_HEADER_SIZE, "the section headers")?;
    let mut sections = Vec::new();
    let mut names = Vec::new();
    for i in 0..count {
        let entry = table.part(i * elf::SECTION_HEADER_SIZE, elf::SECTION_HEADER_SIZE, "a section header")?;
        let (section, name) = Section::parse(entry)?;
        file.part(section.offset, section.file_size(), "a section")?;
        sections.push(section);
        names.push(name);
    }
    if header.section_names != 0 {
        let Some(strings) = sections.get(usize::from(header.section_names)) else {
            let found = header.section_names.to_string();
            return Err(Error::expected(62, format!("a section index below {count}"), found));
        };
        let strings = file.part(strings.offset, strings.file_size(), "the section names")?;
        // Names may share bytes, but a file with more of them than bytes squared is no file of ours.
        let mut budget = NameBudget::new(file);
        for (section, name) in sections.iter_mut().zip(names) {
            section.name = strings.c_str(u64::from(name), "a section name")?.to_owned();
            budget.spend(&section.name, strings)?;
        }
    }
    Ok(sections)
}

/// Keeps the total of all names within a multiple of the file: overlapping names could otherwise take memory
/// that grows with the square of the file's size.
struct NameBudget(u64);

impl NameBudget {
    fn new(file: Bytes<'_>) -> Self {
        NameBudget(file.len().saturating_mul(8))
    }

    fn spend(&mut self, name: &str, strings: Bytes<'_>) -> Result<(), Error> {
        match self.0.checked_sub(name.len() as u64) {
            Some(rest) => {
                self.0 = rest;
                Ok(())
            }
            None => {
                Err(Error::expected(strings.at(0), "names that do not overlap", "names longer than the file"))
            }
        }
    }
}

fn parse_metadata(notes: &[Note]) -> Result<Option<Metadata>, Error> {
    let Some(note) = notes.iter().find(|note| note.is_metadata()) else { return Ok(None) };
    let error =
        |at: usize, message| Error { offset: note.offset + at as u64, kind: ErrorKind::Metadata(message) };
    let value = Value::from_message_pack(&note.description).map_err(|(at, message)| error(at, message))?;
    Metadata::from_value(value).map(Some).map_err(|e| error(0, e.to_string()))
}

/// The sections of a file, for reading the tables in them.
struct Tables<'a> {
    file: Bytes<'a>,
    sections: &'a [Section],
}

impl<'a> Tables<'a> {
    fn data(&self, section: &Section) -> Result<Bytes<'a>, Error> {
        self.file.part(section.offset, section.file_size(), "a section")
    }

    /// Splits a section into entries of a fixed size.
    fn entries(&self, section: &Section, size: u64, what: &str) -> Result<Vec<Bytes<'a>>, Error> {
        let data = self.data(section)?;
        if section.entry_size != size && data.len() != 0 {
            let found = section.entry_size.to_string();
            return Err(Error::expected(data.at(0), format!("{what} with entries of {size} bytes"), found));
        }
        if data.len() % size != 0 {
            let found = format!("{} bytes", data.len());
            return Err(Error::expected(data.at(0), format!("{what} of a multiple of {size} bytes"), found));
        }
        (0..data.len() / size).map(|i| data.part(i * size, size, what)).collect()
    }

    fn symbols(&self, kind: u32) -> Result<Vec<Symbol>, Error> {
        let Some(section) = self.sections.iter().find(|section| section.kind == kind) else {
            return Ok(Vec::new());
        };
        let what = "a symbol table";
        let strings = self.sections.get(section.link as usize).filter(|strings| strings.kind == sht::STRTAB);
        let Some(strings) = strings else {
            let found = format!("section {}", section.link);
            return Err(Error::expected(section.offset, "a string table linked to a symbol table", found));
        };
        let strings = self.data(strings)?;
        let mut budget = NameBudget::new(self.file);
        let mut symbols = Vec::new();
        for entry in self.entries(section, elf::SYMBOL_SIZE, what)? {
            let symbol = Symbol::parse(entry, strings)?;
            budget.spend(&symbol.name, strings)?;
            symbols.push(symbol);
        }
        Ok(symbols)
    }

    fn relocations(&self, file_type: u16) -> Result<Vec<RelocationTable>, Error> {
        let mut tables = Vec::new();
        // Sections that share their bytes could otherwise multiply the memory taken.
        let mut budget = self.file.len();
        for (i, section) in self.sections.iter().enumerate() {
            match section.kind {
                sht::RELA => {}
                sht::REL => {
                    return Err(Error::unsupported(section.offset, "a relocation without addend (SHT_REL)"));
                }
                sht::RELR => {
                    return Err(Error::unsupported(section.offset, "a packed relocation (SHT_RELR)"));
                }
                _ => continue,
            }
            let what = "a relocation table";
            budget = budget.checked_sub(section.file_size()).ok_or_else(|| {
                Error::expected(section.offset, "relocation tables that do not overlap", "larger ones")
            })?;
            let entries = self.entries(section, elf::RELA_SIZE, what)?;
            let symbols = self.sections.get(section.link as usize).map(|symbols| symbols.kind);
            let dynamic = match symbols {
                Some(sht::DYNSYM) => true,
                Some(sht::SYMTAB) => false,
                _ if file_type == elf::ET_DYN => true,
                _ => {
                    let found = format!("section {}", section.link);
                    return Err(Error::expected(
                        section.offset,
                        "a symbol table linked to a relocation table",
                        found,
                    ));
                }
            };
            let target = (file_type == elf::ET_REL).then_some(section.info as usize);
            if target.is_some_and(|target| target >= self.sections.len()) {
                let found = format!("section {}", section.info);
                return Err(Error::expected(section.offset, "a section to which relocations apply", found));
            }
            let entries = entries.into_iter().map(Rela::parse).collect::<Result<_, _>>()?;
            tables.push(RelocationTable { section: i, target, dynamic, entries });
        }
        Ok(tables)
    }

    fn notes(&self, segments: &[Segment]) -> Result<Vec<Note>, Error> {
        let mut notes = Vec::new();
        let mut budget = self.file.len();
        let in_sections =
            self.sections.iter().filter(|s| s.kind == sht::NOTE).map(|s| (s.offset, s.file_size()));
        let mut places: Vec<(u64, u64)> = in_sections.collect();
        if self.sections.is_empty() {
            places.extend(segments.iter().filter(|s| s.kind == pt::NOTE).map(|s| (s.offset, s.file_size)));
        }
        for (offset, size) in places {
            budget = budget
                .checked_sub(size)
                .ok_or_else(|| Error::expected(offset, "note sections that do not overlap", "larger ones"))?;
            notes.extend(note::parse_all(self.file.part(offset, size, "the notes")?)?);
        }
        Ok(notes)
    }
}
