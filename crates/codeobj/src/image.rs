//! Loads a code object the way a runtime does: segments at a base address, dynamic relocations applied, kernels
//! with their addresses.
//!
//! A relocatable file is linked first. A symbol that neither the file nor the caller defines is an error with its
//! name. Sizes in memory are checked before anything is allocated.

use std::collections::HashMap;

use wavemark_budget::{NoRoom, room_for};
use wavemark_target::TargetId;

use crate::descriptor::{self, KernelDescriptor};
use crate::elf::{Binding, Place, pf, pt};
use crate::error::Error;
use crate::link::{self, LinkError};
use crate::metadata::KernelMetadata;
use crate::read::{self, CodeObject};
use crate::reloc::{ApplyError, RelocationKind};
use crate::v2;

/// Bytes that the segments of one code object may take in memory: 1 GiB.
pub const MAX_IMAGE_SIZE: u64 = 1 << 30;

/// A code object in memory.
#[derive(Clone, Debug)]
pub struct LoadedImage {
    /// The address that was asked for; added to every address of the file.
    pub base: u64,
    /// The target ID.
    pub target: TargetId,
    /// The loadable segments by address; they do not overlap.
    pub segments: Vec<Segment>,
    /// The kernels in the order of the symbol table.
    pub kernels: Vec<Kernel>,
    /// Addresses in writable segments that nothing changes behind the relocations (`GNU_RELRO`): from, up to.
    constants: Vec<(u64, u64)>,
    /// The number of the first kernel of each name.
    by_name: HashMap<String, usize>,
}

/// A piece of memory with one protection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Address of the first byte.
    pub vaddr: u64,
    /// The contents, zeros beyond the file's part.
    pub bytes: Vec<u8>,
    /// Whether the program may write there.
    pub writable: bool,
    /// Whether it may execute there.
    pub executable: bool,
}

/// A kernel in memory.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// The descriptor.
    pub descriptor: KernelDescriptor,
    /// Where the descriptor is.
    pub descriptor_vaddr: u64,
    /// The first instruction.
    pub entry_vaddr: u64,
    /// Bytes of code from there on, as the kernel's symbol says; 0 if it does not.
    pub code_size: u64,
    /// The metadata, if the file has any for this kernel.
    pub metadata: Option<KernelMetadata>,
}

/// Why a code object cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The relocatable file cannot be linked.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The linked file cannot be read.
    #[error(transparent)]
    Read(#[from] Error),
    /// Nothing to load.
    #[error("the code object has no loadable segments")]
    Empty,
    /// The file has no section headers, in which its symbols would be found.
    #[error("the code object has no section headers")]
    NoSections,
    /// A segment's sizes make no sense.
    #[error("segment {index} at {address:#x} has {memory} bytes in memory, {file} in the file: {why}")]
    Size {
        /// Index of the program header.
        index: usize,
        /// Virtual address in the file.
        address: u64,
        /// Bytes in memory.
        memory: u64,
        /// Bytes in the file.
        file: u64,
        /// What is wrong with them.
        why: &'static str,
    },
    /// The segments do not fit into memory.
    #[error("the code object {0}")]
    Memory(#[from] NoRoom),
    /// A symbol that nobody defines.
    #[error("undefined symbol `{0}`")]
    Undefined(String),
    /// A relocation that cannot be applied.
    #[error("relocation {kind} at {address:#x}: {why}")]
    Relocation {
        /// Type, by name if known.
        kind: String,
        /// Virtual address in the file.
        address: u64,
        /// What is wrong.
        why: String,
    },
    /// A kernel whose descriptor or code is not in memory.
    #[error("kernel `{name}`: {what} at {address:#x} {why}")]
    Kernel {
        /// Name.
        name: String,
        /// Descriptor or entry.
        what: &'static str,
        /// Its address in memory.
        address: u64,
        /// What is wrong.
        why: &'static str,
    },
}

impl LoadedImage {
    /// Loads a code object at an address, which should be a multiple of 4096.
    pub fn load(object: &CodeObject, base: u64) -> Result<LoadedImage, LoadError> {
        LoadedImage::load_with(object, base, &|_| None)
    }

    /// Loads a code object, with the addresses of symbols that other code objects or the runtime define.
    pub fn load_with(
        object: &CodeObject,
        base: u64,
        external: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<LoadedImage, LoadError> {
        if object.is_relocatable() {
            let linked = CodeObject::parse(&link::link(std::slice::from_ref(object))?)?;
            return LoadedImage::load_with(&linked, base, external);
        }
        if object.sections.is_empty() {
            return Err(LoadError::NoSections);
        }
        let segments = load_segments(object, base)?;
        let relro = object.segments.iter().filter(|segment| segment.kind == pt::GNU_RELRO).map(|segment| {
            let from = base.wrapping_add(segment.address);
            (from, from.saturating_add(segment.memory_size))
        });
        let constants = relro.collect();
        let mut image = LoadedImage {
            base,
            target: object.target(),
            segments,
            kernels: Vec::new(),
            constants,
            by_name: HashMap::new(),
        };
        image.relocate(object, external)?;
        let mut sizes: HashMap<&str, u64> = HashMap::new();
        for symbol in
            object.symbols.iter().chain(&object.dynamic_symbols).filter(|symbol| symbol.is_defined())
        {
            sizes.entry(&symbol.name).or_insert(symbol.size);
        }
        let size_of = |name: &str| sizes.get(name).copied().unwrap_or(0);
        for kernel in &object.kernels {
            let metadata = object.kernel_metadata(kernel).cloned();
            let kernel = image.kernel(object, kernel, size_of(&kernel.name), metadata)?;
            image.kernels.push(kernel);
        }
        for kernel in &object.v2_kernels {
            let metadata =
                object.metadata.as_ref().and_then(|metadata| metadata.kernel(&kernel.name)).cloned();
            let kernel = image.v2_kernel(object, kernel, size_of(&kernel.name), metadata)?;
            image.kernels.push(kernel);
        }
        for (number, kernel) in image.kernels.iter().enumerate() {
            image.by_name.entry(kernel.name.clone()).or_insert(number);
        }
        Ok(image)
    }

    /// The kernel of this name.
    pub fn kernel_by_name(&self, name: &str) -> Option<&Kernel> {
        self.by_name.get(name).map(|&number| &self.kernels[number])
    }

    /// The segment that an address is in.
    pub fn segment_at(&self, vaddr: u64) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.vaddr <= vaddr);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        (vaddr - segment.vaddr < segment.bytes.len() as u64).then_some(segment)
    }

    /// Bytes in memory, if all of them are in one segment.
    pub fn read(&self, vaddr: u64, len: usize) -> Option<&[u8]> {
        let segment = self.segment_at(vaddr)?;
        let start = usize::try_from(vaddr - segment.vaddr).ok()?;
        segment.bytes.get(start..start.checked_add(len)?)
    }

    /// Bytes in memory that no program changes, if all of them are in one segment.
    pub fn read_constant(&self, vaddr: u64, len: usize) -> Option<&[u8]> {
        let end = vaddr.checked_add(len as u64)?;
        let constant = !self.segment_at(vaddr)?.writable
            || self.constants.iter().any(|&(from, to)| from <= vaddr && end <= to);
        self.read(vaddr, len).filter(|_| constant)
    }

    fn relocate(
        &mut self,
        object: &CodeObject,
        external: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<(), LoadError> {
        let tables = object.relocations.iter().filter(|table| table.dynamic);
        for rela in tables.flat_map(|table| &table.entries) {
            let kind = RelocationKind::by_number(rela.kind);
            let error = |why: String| LoadError::Relocation {
                kind: kind.map_or_else(|| format!("type {}", rela.kind), |kind| kind.name().to_owned()),
                address: rela.offset,
                why,
            };
            let kind = match kind {
                Some(kind) if kind.is_dynamic() || kind == RelocationKind::None => kind,
                _ => return Err(error("is no dynamic relocation".to_owned())),
            };
            let target = match kind {
                RelocationKind::None | RelocationKind::Relative64 => self.base,
                _ if rela.symbol == 0 => 0,
                _ => {
                    let symbol = object.dynamic_symbols.get(rela.symbol as usize);
                    let symbol =
                        symbol.ok_or_else(|| error(format!("there is no symbol {}", rela.symbol)))?;
                    match symbol.place {
                        Place::Undefined => match external(&symbol.name) {
                            Some(address) => address,
                            None if symbol.binding == Binding::Weak => 0,
                            None => return Err(LoadError::Undefined(symbol.name.clone())),
                        },
                        Place::Absolute => symbol.value,
                        _ => self.base.wrapping_add(symbol.value),
                    }
                }
            };
            let place = self.base.wrapping_add(rela.offset);
            let after = self.segments.partition_point(|segment| segment.vaddr <= place);
            let segment = after.checked_sub(1).and_then(|i| self.segments.get_mut(i));
            let segment = segment.ok_or_else(|| error(ApplyError::Outside.to_string()))?;
            let offset = place - segment.vaddr;
            kind.apply(&mut segment.bytes, offset, target, rela.addend, place)
                .map_err(|e| error(e.to_string()))?;
        }
        Ok(())
    }

    fn kernel(
        &self,
        object: &CodeObject,
        kernel: &read::Kernel,
        code_size: u64,
        metadata: Option<KernelMetadata>,
    ) -> Result<Kernel, LoadError> {
        let address = self.base.wrapping_add(kernel.address);
        let bytes = self.bytes_of_kernel::<{ descriptor::SIZE }>(&kernel.name, address)?;
        let descriptor = KernelDescriptor::decode(bytes, object.target().processor);
        let offset = descriptor.kernel_code_entry_byte_offset;
        self.kernel_at(&kernel.name, descriptor, address, offset, code_size, metadata)
    }

    fn v2_kernel(
        &self,
        object: &CodeObject,
        kernel: &v2::Kernel,
        code_size: u64,
        metadata: Option<KernelMetadata>,
    ) -> Result<Kernel, LoadError> {
        let address = self.base.wrapping_add(kernel.address);
        let bytes = self.bytes_of_kernel::<{ v2::KERNEL_CODE_SIZE }>(&kernel.name, address)?;
        let code = v2::KernelCode::new(bytes);
        let descriptor = code.descriptor(object.target().processor);
        // The symbol's size counts from the structure.
        let code_size = code_size.saturating_sub(code.entry_byte_offset().unsigned_abs());
        self.kernel_at(&kernel.name, descriptor, address, code.entry_byte_offset(), code_size, metadata)
    }

    fn bytes_of_kernel<const N: usize>(&self, name: &str, address: u64) -> Result<&[u8; N], LoadError> {
        let bytes = self.read(address, N).and_then(|bytes| <&[u8; N]>::try_from(bytes).ok());
        bytes.ok_or_else(|| LoadError::Kernel {
            name: name.to_owned(),
            what: "the descriptor",
            address,
            why: "is not in a loaded segment",
        })
    }

    fn kernel_at(
        &self,
        name: &str,
        descriptor: KernelDescriptor,
        descriptor_vaddr: u64,
        entry_byte_offset: i64,
        code_size: u64,
        metadata: Option<KernelMetadata>,
    ) -> Result<Kernel, LoadError> {
        let entry_vaddr = descriptor_vaddr.wrapping_add_signed(entry_byte_offset);
        let why = if !self.segment_at(entry_vaddr).is_some_and(|segment| segment.executable) {
            Some("is not in an executable segment")
        } else if !entry_vaddr.is_multiple_of(descriptor::ENTRY_ALIGN) {
            Some("is not a multiple of 256")
        } else {
            None
        };
        if let Some(why) = why {
            let (name, what) = (name.to_owned(), "the entry");
            return Err(LoadError::Kernel { name, what, address: entry_vaddr, why });
        }
        Ok(Kernel { name: name.to_owned(), descriptor, descriptor_vaddr, entry_vaddr, code_size, metadata })
    }
}

fn load_segments(object: &CodeObject, base: u64) -> Result<Vec<Segment>, LoadError> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut total = 0u64;
    for (index, segment) in object.segments.iter().enumerate().filter(|(_, s)| s.kind == pt::LOAD) {
        let error = |why| LoadError::Size {
            index,
            address: segment.address,
            memory: segment.memory_size,
            file: segment.file_size,
            why,
        };
        if segment.memory_size < segment.file_size {
            return Err(error("fewer in memory than in the file"));
        }
        total = total.saturating_add(segment.memory_size);
        let end = base.checked_add(segment.address).and_then(|start| start.checked_add(segment.memory_size));
        if total > MAX_IMAGE_SIZE {
            return Err(error("more than 1 GiB in all"));
        }
        if end.is_none() {
            return Err(error("the end is beyond 64 bits"));
        }
        if segment.memory_size == 0 {
            continue;
        }
        let file = object.bytes();
        let contents = usize::try_from(segment.offset)
            .ok()
            .and_then(|start| file.get(start..start.checked_add(usize::try_from(segment.file_size).ok()?)?));
        let contents = contents.ok_or_else(|| error("beyond the end of the file"))?;
        room_for(segment.memory_size)?;
        let mut bytes = vec![0; segment.memory_size as usize];
        bytes[..contents.len()].copy_from_slice(contents);
        segments.push(Segment {
            vaddr: base + segment.address,
            bytes,
            writable: segment.flags & pf::W != 0,
            executable: segment.flags & pf::X != 0,
        });
    }
    segments.sort_by_key(|segment| segment.vaddr);
    for pair in segments.windows(2) {
        if pair[0].vaddr + pair[0].bytes.len() as u64 > pair[1].vaddr {
            return Err(LoadError::Size {
                index: 0,
                address: pair[1].vaddr.wrapping_sub(base),
                memory: pair[1].bytes.len() as u64,
                file: 0,
                why: "it overlaps the segment before it",
            });
        }
    }
    if segments.is_empty() { Err(LoadError::Empty) } else { Ok(segments) }
}
