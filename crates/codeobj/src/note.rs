//! ELF notes: the records of `.note`, among them the one with the metadata.
//!
//! Follows "Note Records" of LLVM's *User Guide for AMDGPU Backend*.

use crate::bytes::Bytes;
use crate::error::Error;

/// The name of the notes of code objects V3 and later.
pub const AMDGPU: &str = "AMDGPU";
/// The type of the note with MessagePack metadata.
pub const NT_AMDGPU_METADATA: u32 = 32;

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

/// Reads the records of a note section or segment.
pub(crate) fn parse_all(section: Bytes<'_>) -> Result<Vec<Note>, Error> {
    let mut notes = Vec::new();
    let mut at = 0;
    while at < section.len() {
        let name_size = u64::from(section.u32(at, "a note header")?);
        let size = u64::from(section.u32(at + 4, "a note header")?);
        let kind = section.u32(at + 8, "a note header")?;
        let name = section.part(at + 12, name_size, "a note name")?;
        let text = name.data().split(|&b| b == 0).next().unwrap_or_default();
        let start = at + 12 + name_size.next_multiple_of(4);
        let description = section.part(start, size, "the contents of a note")?;
        notes.push(Note {
            name: String::from_utf8_lossy(text).into_owned(),
            kind,
            description: description.data().to_vec(),
            offset: description.at(0),
        });
        at = start + size.next_multiple_of(4);
    }
    Ok(notes)
}
