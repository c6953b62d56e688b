//! ELF notes: the records of `.note`, among them those with the metadata.
//!
//! Follows "Note Records" of LLVM's *User Guide for AMDGPU Backend*: vendor `AMD` for code object V2 (and old
//! `amdpal` code), vendor `AMDGPU` since V3.

use crate::bytes::Bytes;
use crate::error::Error;

/// The name of the notes of code objects V3 and later.
pub const AMDGPU: &str = "AMDGPU";
/// The name of the notes of code object V2.
pub const AMD: &str = "AMD";

/// `AMDGPU`: metadata as MessagePack.
pub const NT_AMDGPU_METADATA: u32 = 32;
/// `AMDGPU`: the state of runtime, agents and queues in a core file.
pub const NT_AMDGPU_KFD_CORE_STATE: u32 = 33;
/// `AMD`: the code object version.
pub const NT_AMD_HSA_CODE_OBJECT_VERSION: u32 = 1;
/// `AMD`: what the HSAIL Finalizer made it from.
pub const NT_AMD_HSA_HSAIL: u32 = 2;
/// `AMD`: the target.
pub const NT_AMD_HSA_ISA_VERSION: u32 = 3;
/// `AMD`: metadata as YAML.
pub const NT_AMD_HSA_METADATA: u32 = 10;
/// `AMD`: the target's name.
pub const NT_AMD_HSA_ISA_NAME: u32 = 11;
/// `AMD`: register settings of `amdpal` code before it had MessagePack metadata.
pub const NT_AMD_PAL_METADATA: u32 = 12;

/// One note record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Who defined the type: `AMDGPU`, `AMD`, `GNU`, …
    pub name: String,
    /// `n_type`.
    pub kind: u32,
    /// The contents, without padding.
    pub description: Vec<u8>,
    /// Where in the file the contents begin.
    pub offset: u64,
}

impl Note {
    /// A note with metadata as MessagePack.
    pub fn metadata(message_pack: Vec<u8>) -> Note {
        Note { name: AMDGPU.to_owned(), kind: NT_AMDGPU_METADATA, description: message_pack, offset: 0 }
    }

    /// Whether it is a note with metadata as MessagePack.
    pub fn is_metadata(&self) -> bool {
        self.name == AMDGPU && self.kind == NT_AMDGPU_METADATA
    }

    /// Whether it is a note with metadata as YAML, which code object V2 has.
    pub fn is_metadata_v2(&self) -> bool {
        self.name == AMD && self.kind == NT_AMD_HSA_METADATA
    }

    /// The name of the type; `None` if the guide has none for it.
    pub fn type_name(&self) -> Option<&'static str> {
        Some(match (self.name.as_str(), self.kind) {
            (AMDGPU, NT_AMDGPU_METADATA) => "NT_AMDGPU_METADATA",
            (AMDGPU, NT_AMDGPU_KFD_CORE_STATE) => "NT_AMDGPU_KFD_CORE_STATE",
            (AMD, NT_AMD_HSA_CODE_OBJECT_VERSION) => "NT_AMD_HSA_CODE_OBJECT_VERSION",
            (AMD, NT_AMD_HSA_HSAIL) => "NT_AMD_HSA_HSAIL",
            (AMD, NT_AMD_HSA_ISA_VERSION) => "NT_AMD_HSA_ISA_VERSION",
            (AMD, NT_AMD_HSA_METADATA) => "NT_AMD_HSA_METADATA",
            (AMD, NT_AMD_HSA_ISA_NAME) => "NT_AMD_HSA_ISA_NAME",
            (AMD, NT_AMD_PAL_METADATA) => "NT_AMD_PAL_METADATA",
            ("GNU", 3) => "NT_GNU_BUILD_ID",
            _ => return None,
        })
    }

    /// The bytes: header, name and contents, each padded to 4 bytes.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend((self.name.len() as u32 + 1).to_le_bytes());
        out.extend((self.description.len() as u32).to_le_bytes());
        out.extend(self.kind.to_le_bytes());
        out.extend(self.name.as_bytes());
        out.push(0);
        out.resize(out.len().next_multiple_of(4), 0);
        out.extend(&self.description);
        out.resize(out.len().next_multiple_of(4), 0);
    }
}

/// Reads the records of a note section or segment, whose names and contents are padded to 4 bytes, or to 8 if its
/// alignment says so.
pub(crate) fn parse_all(section: Bytes<'_>, align: u64) -> Result<Vec<Note>, Error> {
    let align = if align == 8 { 8 } else { 4 };
    let mut notes = Vec::new();
    let mut at = 0;
    while at < section.len() {
        let name_size = u64::from(section.u32(at, "a note header")?);
        let size = u64::from(section.u32(at + 4, "a note header")?);
        let kind = section.u32(at + 8, "a note header")?;
        let name = section.part(at + 12, name_size, "a note name")?;
        let text = name.data().split(|&b| b == 0).next().unwrap_or_default();
        let start = at + (12 + name_size).next_multiple_of(align);
        let description = section.part(start, size, "the contents of a note")?;
        notes.push(Note {
            name: String::from_utf8_lossy(text).into_owned(),
            kind,
            description: description.data().to_vec(),
            offset: description.at(0),
        });
        at = start + size.next_multiple_of(align);
    }
    Ok(notes)
}
