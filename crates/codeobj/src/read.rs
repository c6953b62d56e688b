//! Reads a code object, relocatable or linked: header, sections, segments, symbols, relocations, notes,
//! metadata and kernel descriptors.
//!
//! Everything is checked against the file's size before it is used; a part that does not fit is an error with
//! its byte offset. What is read is what the file says: whether it makes sense to load is asked by
//! [`crate::image`], whether to link by [`mod@crate::link`].

use std::collections::{HashMap, HashSet};

use wavemark_target::{AbiVersion, EFlags, Target, TargetId};

use crate::bytes::Bytes;
use crate::descriptor::{self, KernelDescriptor};
use crate::elf::{self, Header, OsAbi, Place, Rela, Section, Segment, Symbol, SymbolType, sht};
use crate::error::{Error, ErrorKind};
use crate::metadata::{self, KernelMetadata, Metadata, Severity, Violation, pal};
use crate::note::Note;
use crate::v2;
use crate::value::Value;

pub(crate) mod tables;

use tables::Tables;

/// A code object with everything that its file says.
#[derive(Clone, Debug)]
pub struct CodeObject {
    /// The file header.
    pub header: Header,
    /// Which operating system's conventions it follows.
    pub os: OsAbi,
    /// The code object version. Other systems than `amdhsa` have no versions; their headers are like those of V3.
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
    /// The metadata, if there is a note with them and they are those of `amdhsa`; of V2 translated to what V3 has.
    pub metadata: Option<Metadata>,
    /// The metadata as they are in the note.
    pub metadata_tree: Option<Value>,
    /// Where the metadata violate the specification.
    pub violations: Vec<Violation>,
    /// The kernels: every symbol with a kernel descriptor, in the order of the symbol table.
    pub kernels: Vec<Kernel>,
    /// The kernels of code object V2, which have no descriptor of their own.
    pub v2_kernels: Vec<v2::Kernel>,
    /// The metadata's kernels by the symbols of their descriptors and by their names.
    metadata_index: [HashMap<String, usize>; 2],
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
    /// Reads a code object. Metadata that cannot be typed are an error.
    pub fn parse(bytes: &[u8]) -> Result<CodeObject, Error> {
        let (object, error) = CodeObject::read(bytes)?;
        match error {
            Some(error) => Err(error),
            None => Ok(object),
        }
    }

    /// Reads a code object as far as it goes, to show it: metadata that cannot be typed are left out, and why is in
    /// the [violations](CodeObject::violations).
    pub fn parse_leniently(bytes: &[u8]) -> Result<CodeObject, Error> {
        Ok(CodeObject::read(bytes)?.0)
    }

    fn read(bytes: &[u8]) -> Result<(CodeObject, Option<Error>), Error> {
        let file = Bytes::new(bytes);
        let header = Header::parse(file)?;
        let os = OsAbi::by_byte(header.os_abi).ok_or_else(|| {
            let expected = "the OS ABI 64 (amdhsa), 65 (amdpal), 66 (mesa3d) or 0";
            Error::expected(7, expected, header.os_abi.to_string())
        })?;
        if header.machine != elf::EM_AMDGPU {
            return Err(Error::expected(18, "224 (EM_AMDGPU)", header.machine.to_string()));
        }
        if header.file_type != elf::ET_REL && header.file_type != elf::ET_DYN {
            return Err(Error::expected(16, "1 (ET_REL) or 3 (ET_DYN)", header.file_type.to_string()));
        }
        let abi = match os {
            OsAbi::Hsa => AbiVersion::by_byte(header.abi_version).ok_or_else(|| {
                Error::expected(8, "an ABI version of 0 to 4", header.abi_version.to_string())
            })?,
            _ if header.abi_version == 0 => AbiVersion::V3,
            _ => return Err(Error::expected(8, "the ABI version 0", header.abi_version.to_string())),
        };
        let decode = |abi| {
            EFlags::decode(header.flags, abi).map_err(|e| Error { offset: 48, kind: ErrorKind::EFlags(e) })
        };
        // The target comes first where it can: whoever asks for a processor that we do not know should hear that.
        let flags = if abi == AbiVersion::V2 { None } else { Some(decode(abi)?) };
        let segments = tables::parse_segments(file, &header)?;
        let sections = tables::parse_sections(file, &header)?;
        let tables = Tables { file, sections: &sections };
        let symbols = tables.symbols(sht::SYMTAB)?;
        let dynamic_symbols = tables.symbols(sht::DYNSYM)?;
        let relocations = tables.relocations(header.file_type)?;
        let notes = tables.notes(&segments)?;
        let flags = match flags {
            Some(flags) => flags,
            None => v2::target(header.flags, &notes)?,
        };
        let mut object = CodeObject {
            header,
            os,
            abi,
            flags,
            metadata: None,
            metadata_tree: None,
            violations: Vec::new(),
            kernels: Vec::new(),
            v2_kernels: Vec::new(),
            metadata_index: Default::default(),
            sections,
            segments,
            symbols,
            dynamic_symbols,
            relocations,
            notes,
            bytes: bytes.to_vec(),
        };
        let error = object.read_metadata()?;
        object.index_metadata();
        match abi {
            AbiVersion::V2 => object.v2_kernels = object.find_v2_kernels()?,
            _ => object.kernels = object.find_kernels()?,
        }
        object.violations.extend(object.check_names());
        Ok((object, error))
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
        let [by_symbol, by_name] = &self.metadata_index;
        let index = by_symbol.get(&format!("{}.kd", kernel.name)).or_else(|| by_name.get(&kernel.name))?;
        self.metadata.as_ref()?.kernels.get(*index)
    }

    fn index_metadata(&mut self) {
        let Some(metadata) = &self.metadata else { return };
        let [by_symbol, by_name] = &mut self.metadata_index;
        for (index, kernel) in metadata.kernels.iter().enumerate() {
            by_symbol.entry(kernel.symbol.clone()).or_insert(index);
            by_name.entry(kernel.name.clone()).or_insert(index);
        }
    }

    /// A symbol's offset into its section.
    pub(crate) fn offset_in_section(&self, symbol: &Symbol, section: &Section) -> Option<u64> {
        let base = if self.is_relocatable() { 0 } else { section.address };
        symbol.value.checked_sub(base)
    }

    /// Reads the metadata and validates them. A tree that is not of the right types is what is returned; bytes that
    /// are no tree are an error.
    fn read_metadata(&mut self) -> Result<Option<Error>, Error> {
        let is_v2 = self.abi == AbiVersion::V2;
        let is_metadata = |note: &&Note| if is_v2 { note.is_metadata_v2() } else { note.is_metadata() };
        let Some(note) = self.notes.iter().find(is_metadata) else { return Ok(None) };
        let error = |at: usize, message| {
            let offset = note.offset.saturating_add(at as u64);
            Error { offset, kind: ErrorKind::Metadata(message) }
        };
        let tree = if is_v2 {
            let text = note.description.split(|&byte| byte == 0).next().unwrap_or_default();
            let text =
                std::str::from_utf8(text).map_err(|e| error(e.valid_up_to(), "not UTF-8".to_owned()))?;
            Value::from_yaml(text).map_err(|e| error(0, e.to_string()))?
        } else {
            Value::from_message_pack(&note.description).map_err(|(at, message)| error(at, message))?
        };
        let mut problem = None;
        if self.os == OsAbi::Pal || pal::is_pal(&tree) {
            self.violations = pal::validate(&tree);
        } else {
            self.violations = metadata::validate(&tree, self.abi);
            let typed = if is_v2 { metadata::v2::to_v3(tree.clone()) } else { tree.clone() };
            match Metadata::from_value(typed) {
                Ok(metadata) => self.metadata = Some(metadata),
                // V2 asks for less than we need; what it asks for is in the violations.
                Err(_) if is_v2 => {}
                Err(e) => problem = Some(error(0, e.to_string())),
            }
        }
        self.metadata_tree = Some(tree);
        Ok(problem)
    }

    /// What metadata say against the file around them: the target, and symbols that are not there.
    fn check_names(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut violation = |severity, path: String, what: String| {
            let error = metadata::MetadataError { path, what };
            found.push(Violation { severity, error });
        };
        let Some(metadata) = self.metadata.as_ref().filter(|_| self.abi != AbiVersion::V2) else {
            return found;
        };
        let target = metadata.target.as_ref().and_then(|target| target.parse::<Target>().ok());
        if let Some(target) = target.filter(|target| target.id != self.target()) {
            let what = format!("{} is not what e_flags says, {}", target.id, self.target());
            violation(Severity::Error, "amdhsa.target".to_owned(), what);
        }
        let symbols = self.symbols.iter().chain(&self.dynamic_symbols).filter(|symbol| symbol.is_defined());
        let names: HashSet<&str> = symbols.map(|symbol| symbol.name.as_str()).collect();
        for (index, kernel) in metadata.kernels.iter().enumerate() {
            if !names.is_empty() && !names.contains(kernel.symbol.as_str()) {
                let path = format!("amdhsa.kernels[{index}].symbol");
                violation(Severity::Warning, path, format!("there is no symbol `{}`", kernel.symbol));
            }
        }
        found
    }

    /// A symbol's section and the bytes that it begins with.
    fn bytes_of_symbol(
        &self,
        symbol: &Symbol,
        size: usize,
        what: &str,
    ) -> Result<Option<(usize, u64, &[u8])>, Error> {
        let Place::Section(section) = symbol.place else { return Ok(None) };
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
            Some((section, offset, data.get(start..start.checked_add(size)?)?))
        });
        let missing = || {
            let expected = format!("the {size} bytes of {what} `{}` in `{}`", symbol.name, header.name);
            let found = format!("a section of {} bytes and the value {:#x}", data.len(), symbol.value);
            Error::expected(header.offset, expected, found)
        };
        bytes.ok_or_else(missing).map(Some)
    }

    fn all_symbols(&self) -> &[Symbol] {
        if self.symbols.is_empty() { &self.dynamic_symbols } else { &self.symbols }
    }

    fn find_kernels(&self) -> Result<Vec<Kernel>, Error> {
        let mut kernels = Vec::new();
        for symbol in self.all_symbols() {
            let Some(name) = symbol.name.strip_suffix(".kd") else { continue };
            if !matches!(symbol.kind, SymbolType::Object | SymbolType::NoType) {
                continue;
            }
            let found = self.bytes_of_symbol(symbol, descriptor::SIZE, "the kernel descriptor")?;
            let Some((section, offset, bytes)) = found else { continue };
            let Ok(bytes) = <&[u8; descriptor::SIZE]>::try_from(bytes) else { continue };
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

    fn find_v2_kernels(&self) -> Result<Vec<v2::Kernel>, Error> {
        let mut kernels = Vec::new();
        for symbol in self.all_symbols().iter().filter(|symbol| symbol.kind == SymbolType::HsaKernel) {
            let found = self.bytes_of_symbol(symbol, v2::KERNEL_CODE_SIZE, "the amd_kernel_code_t")?;
            let Some((section, offset, bytes)) = found else { continue };
            let Ok(bytes) = <&[u8; v2::KERNEL_CODE_SIZE]>::try_from(bytes) else { continue };
            kernels.push(v2::Kernel {
                name: symbol.name.clone(),
                section,
                offset,
                address: if self.is_relocatable() { 0 } else { symbol.value },
                code: v2::KernelCode::new(bytes),
            });
        }
        Ok(kernels)
    }
}
