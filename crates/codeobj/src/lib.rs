//! Code objects of AMD GPUs: reading, writing, linking and loading them.
//!
//! A code object is an ELF file, relocatable (`.o`) or linked (`.hsaco`), with machine code, one 64-byte kernel
//! descriptor per kernel and a note with metadata. The rooms:
//!
//! * [`read`]: a file → [`CodeObject`]; [`elf`] has the nouns that reading and writing share
//! * [`descriptor`]: the kernel descriptor, [`metadata`]: the metadata, as MessagePack and as YAML
//! * [`write`](mod@write): a relocatable file from sections and symbols; [`link`](mod@link): relocatable files → one loadable file
//! * [`image`]: a file → the bytes that a loader puts into memory
//! * [`bundle`]: clang offload bundles, [`lines`]: addresses → source lines, [`dwarf`]: the other debug sections
//! * [`inspect`]: everything as text, [`core_file`]: core files, [`uri`]: where a loaded code object came from
//!
//! It follows "ELF Code Object", "Code Object Metadata", "Kernel Descriptor", "DWARF Debug Information" and "Core
//! file format" of LLVM's *User Guide for AMDGPU Backend*. Code objects V2 to V6 of `amdhsa`, and those of `amdpal`,
//! `mesa3d` and no operating system, are read; all but V2 ([`v2`]) are written and linked.
//!
//! No input makes it panic, hang, or allocate more than a multiple of the input's size.

pub mod bundle;
mod bytes;
pub mod core_file;
pub mod descriptor;
pub mod dwarf;
pub mod elf;
pub mod error;
pub mod image;
pub mod inspect;
pub mod lines;
pub mod link;
pub mod metadata;
pub mod note;
pub mod read;
pub mod reloc;
mod unpack;
pub mod uri;
pub mod v2;
pub mod value;
pub mod write;

pub use descriptor::{Field, KernelDescriptor};
pub use error::{Error, ErrorKind};
pub use image::LoadedImage;
pub use link::link;
pub use metadata::{KernelArg, KernelMetadata, Metadata, ValueKind};
pub use read::CodeObject;
pub use reloc::RelocationKind;
