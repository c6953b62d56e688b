//! Links relocatable code objects into one loadable shared object, laid out as lld does it.
//!
//! Sections of one name (up to the first dot within: `.text.foo` counts as `.text`) are joined in the order of
//! the inputs. Segments have one protection each and start on a page of their own; their file offsets and
//! addresses agree modulo the page size. The global offset table is built as needed; absolute 64-bit addresses
//! become `R_AMDGPU_RELATIVE64`. All defined symbols that are global or weak and not hidden go into `.dynsym`;
//! none of them can be replaced by another file's (as with `-Bsymbolic`).
//!
//! A 32-bit absolute address, which code of `amdpal` and `mesa3d` has, is left to the loader if its symbol is in
//! `.dynsym`; there is no dynamic relocation for others.
//!
//! Unlike lld, it joins the metadata notes of several inputs into one, so that a runtime, which reads the first,
//! sees all kernels. It merges no strings, collects no garbage, and knows no archives, scripts or versions.

mod layout;
mod relocate;
mod resolve;
mod tables;

use wavemark_budget::NoRoom;
use wavemark_target::{AbiVersion, EFlags, Setting, Target, TargetId};

use crate::error::Error;
use crate::metadata::Metadata;
use crate::note::Note;
use crate::read::CodeObject;

/// Why code objects cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// No input.
    #[error("there is nothing to link")]
    Nothing,
    /// More bytes than the budget has left.
    #[error("the result {0}")]
    Memory(#[from] NoRoom),
    /// An input that is linked already.
    #[error("input {0} is not a relocatable file")]
    NotRelocatable(usize),
    /// Inputs of different code object versions.
    #[error("input {input} is of code object V{found}, the first one of V{first}")]
    Version {
        /// Which input.
        input: usize,
        /// Its version.
        found: u32,
        /// The first input's.
        first: u32,
    },
    /// Inputs for different operating systems.
    #[error("input {input} is for the operating system `{found}`, the first one for `{first}`")]
    Os {
        /// Which input.
        input: usize,
        /// Its operating system.
        found: &'static str,
        /// The first input's.
        first: &'static str,
    },
    /// Inputs for targets that contradict each other.
    #[error("input {input} is for {found}, the ones before for {before}")]
    Target {
        /// Which input.
        input: usize,
        /// Its target ID.
        found: String,
        /// The target ID of the others.
        before: String,
    },
    /// Symbols that nobody defines, each once.
    #[error("undefined symbol{}: {}", if .0.len() == 1 { "" } else { "s" }, .0.join(", "))]
    Undefined(Vec<String>),
    /// A symbol that two inputs define.
    #[error("symbol `{symbol}` is defined in input {first} and in input {second}")]
    Duplicate {
        /// Its name.
        symbol: String,
        /// One input.
        first: usize,
        /// Another.
        second: usize,
    },
    /// A relocation that cannot be applied.
    #[error("input {input}: relocation {kind} at {section}+{offset:#x} against `{symbol}`: {why}")]
    Relocation {
        /// Which input.
        input: usize,
        /// Type, by name if known.
        kind: String,
        /// The section's name.
        section: String,
        /// Byte offset into it.
        offset: u64,
        /// The symbol's name.
        symbol: String,
        /// What is wrong.
        why: String,
    },
    /// Something in an input that makes no sense.
    #[error("input {input}: {what}")]
    Input {
        /// Which input.
        input: usize,
        /// What is wrong.
        what: String,
    },
    /// A variable in LDS (`SHN_AMDGPU_LDS`) that has no address yet. LLVM 22's linker does not place it either: it
    /// refuses relocations against one that is visible, and takes the alignment of a hidden one for its address. Later
    /// ones place those that the section `.amdgpu.info` says which kernels use, which LLVM 22 does not write.
    #[error(
        "input {input}: variable `{symbol}` in LDS has no address, and nothing says which kernels use it: LLVM 22's \
         linker does not place it either (\"relocation R_AMDGPU_ABS32_LO cannot be used against symbol '{symbol}'\"); \
         write its offset as a number and its size into .amdhsa_group_segment_fixed_size"
    )]
    Lds {
        /// Which input.
        input: usize,
        /// Its name.
        symbol: String,
    },
    /// Something that this linker does not do, by name.
    #[error("input {input}: {what} is not supported")]
    Unsupported {
        /// Which input.
        input: usize,
        /// What it is.
        what: String,
    },
}

/// Bytes that a linked file may have, and take in memory: 1 GiB.
const MAX_SIZE: u64 = crate::image::MAX_IMAGE_SIZE;

/// Links relocatable code objects in the given order and returns the file.
pub fn link(inputs: &[CodeObject]) -> Result<Vec<u8>, LinkError> {
    let (abi, flags) = common_target(inputs)?;
    let symbols = resolve::resolve(inputs)?;
    layout::lay_out(inputs, inputs[0].os, abi, flags, joined_notes(inputs, flags.id), &symbols)
}

/// Reads relocatable code objects and links them in the given order.
pub fn link_files<'a>(files: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>, LinkFilesError> {
    let read = |(input, file)| CodeObject::parse(file).map_err(|error| LinkFilesError::Read { input, error });
    let inputs: Vec<CodeObject> = files.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
    Ok(link(&inputs)?)
}

/// Why files cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkFilesError {
    /// An input is no code object.
    #[error("input {input}: {error}")]
    Read {
        /// Which input.
        input: usize,
        /// What is wrong with it.
        error: Error,
    },
    /// They do not fit together.
    #[error(transparent)]
    Link(#[from] LinkError),
}

fn common_target(inputs: &[CodeObject]) -> Result<(AbiVersion, EFlags), LinkError> {
    let first = inputs.first().ok_or(LinkError::Nothing)?;
    let mut flags = first.flags;
    for (input, object) in inputs.iter().enumerate() {
        if !object.is_relocatable() {
            return Err(LinkError::NotRelocatable(input));
        }
        if object.os != first.os {
            return Err(LinkError::Os { input, found: object.os.name(), first: first.os.name() });
        }
        if object.abi != first.abi {
            return Err(LinkError::Version {
                input,
                found: object.abi.code_object_version(),
                first: first.abi.code_object_version(),
            });
        }
        let joined = join_ids(flags.id, object.flags.id);
        match joined.filter(|_| flags.generic_version == object.flags.generic_version) {
            Some(id) => flags.id = id,
            None => {
                return Err(LinkError::Target {
                    input,
                    found: object.flags.id.to_string(),
                    before: flags.id.to_string(),
                });
            }
        }
    }
    Ok((first.abi, flags))
}

/// The target ID that code of both runs on: "any" gives way to a setting, two settings must agree. Code objects of
/// V3 cannot say "any", so theirs must be equal.
fn join_ids(a: TargetId, b: TargetId) -> Option<TargetId> {
    let join = |a, b| match (a, b) {
        (Setting::Any, other) | (other, Setting::Any) => Some(other),
        (a, b) => (a == b).then_some(a),
    };
    (a.processor == b.processor).then_some(())?;
    Some(TargetId {
        processor: a.processor,
        sramecc: join(a.sramecc, b.sramecc)?,
        xnack: join(a.xnack, b.xnack)?,
    })
}

/// The notes of the result: those that are no metadata as they are, all metadata in one, which names the target of all.
fn joined_notes(inputs: &[CodeObject], id: TargetId) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    let mut joined: Option<Metadata> = None;
    let count = inputs.iter().filter(|object| object.metadata.is_some()).count();
    for object in inputs {
        for note in &object.notes {
            match &object.metadata {
                // One note is passed on to the byte.
                Some(metadata) if note.is_metadata() && count > 1 => match &mut joined {
                    None => joined = Some(metadata.clone()),
                    Some(joined) => {
                        joined.kernels.extend(metadata.kernels.iter().cloned());
                        joined.printf.extend(metadata.printf.iter().cloned());
                    }
                },
                _ if !notes.contains(note) => notes.push(note.clone()),
                _ => {}
            }
        }
    }
    if let Some(joined) = &mut joined
        && let Some(target) = joined.target.as_ref().and_then(|target| target.parse::<Target>().ok())
    {
        joined.target = Some(Target { id, ..target }.to_string());
    }
    notes.splice(0..0, joined.map(|metadata| Note::metadata(metadata.to_message_pack())));
    notes
}
