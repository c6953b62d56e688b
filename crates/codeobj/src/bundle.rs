//! Clang offload bundles: several code objects, each for a target, in one file.
//!
//! Follows "Clang Offload Bundler" of the Clang documentation. The plain binary form (`__CLANG_OFFLOAD_BUNDLE__`)
//! is here, the compressed one (`CCOB`) in [`compressed`], which entry runs on a device in [`select`]. Both forms
//! are read and written to the byte as clang-offload-bundler 22 does it (what zlib and zstd make of the same bytes
//! may differ from one compressor to the next). The text form, which bundles sources, is not here.

use std::str::FromStr;

use wavemark_target::{Setting, Target, TargetError, TargetId};

use crate::bytes::Bytes;
use crate::error::Error;
use crate::read::tables::OVERLAP;

mod compressed;
mod select;

pub use crate::unpack::Method;
pub use compressed::{COMPRESSED_MAGIC, Compression, Version, compress};
pub use select::{ConflictError, SelectError, check_ids};

/// The first bytes of a plain bundle.
pub const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
/// Alignment of the code objects in a bundle that [`write()`] makes.
pub const ALIGN: usize = 4096;

/// A bundle, unpacked if it was compressed.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The entries in their order.
    pub entries: Vec<Entry>,
    /// How it was compressed, if it was.
    pub compression: Option<Compression>,
    bytes: Vec<u8>,
}

/// One entry of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The entry ID: `hipv4-amdgcn-amd-amdhsa--gfx942:xnack-`, `host-x86_64-unknown-linux--`, ….
    pub id: String,
    /// Byte offset into the (unpacked) bundle.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

impl Entry {
    /// The offload kind: `hipv4`, `hip`, `openmp`, `host`, ….
    pub fn kind(&self) -> &str {
        self.id.split('-').next().unwrap_or_default()
    }

    /// The target, if it is an AMD GPU that we know.
    pub fn target(&self) -> Option<Target> {
        parse_target(self.id.split_once('-')?.1).ok()
    }
}

/// The target of an entry ID: a triple with a target ID in today's spelling, or in that of code objects V2 and V3
/// (`gfx906+xnack`), and with or without the empty environment that older compilers left out.
fn parse_target(text: &str) -> Result<Target, TargetError> {
    let parsed = Target::from_str(text);
    if parsed.is_ok() {
        return parsed;
    }
    let parts: Vec<&str> = text.splitn(4, '-').collect();
    let [arch, vendor, os, rest] = parts.as_slice() else { return parsed };
    let (environment, id) = match rest.split_once('-') {
        _ if rest.starts_with("gfx") => ("", *rest),
        Some(split) => split,
        None => return parsed,
    };
    // Without a `+` the old spelling looks like today's: what is off there is not said here.
    let id: TargetId = if id.contains('+') { v3_target_id(id)? } else { id.parse()? };
    Target::from_str(&format!("{arch}-{vendor}-{os}-{environment}-{id}"))
}

/// A target ID as code objects V2 and V3 spell it: the features that are on, each after a `+`; the others are off.
pub(crate) fn v3_target_id(text: &str) -> Result<TargetId, TargetError> {
    let mut parts = text.split('+');
    let name = parts.next().unwrap_or_default();
    let mut id: TargetId = name.parse()?;
    let off = |setting: &mut Setting| {
        if *setting == Setting::Any {
            *setting = Setting::Off;
        }
    };
    off(&mut id.xnack);
    off(&mut id.sramecc);
    for feature in parts {
        let slot = match feature {
            "xnack" => &mut id.xnack,
            "sramecc" | "sram-ecc" => &mut id.sramecc,
            _ => return Err(TargetError::Feature(feature.to_owned())),
        };
        if *slot == Setting::Unsupported {
            let (processor, feature) = (id.processor, format!("{feature}+"));
            return Err(TargetError::Unsupported { processor, feature });
        }
        *slot = Setting::On;
    }
    Ok(id)
}

/// Whether a file begins as a bundle does, plain or compressed.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(COMPRESSED_MAGIC)
}

impl Bundle {
    /// Reads a bundle. Offsets in errors count in the unpacked bytes if it was compressed.
    pub fn parse(bytes: &[u8]) -> Result<Bundle, Error> {
        Bundle::parse_within(bytes, compressed::MAX_UNPACKED)
    }

    /// Reads a bundle that may unpack to so many bytes at most.
    pub fn parse_within(bytes: &[u8], limit: u64) -> Result<Bundle, Error> {
        if bytes.starts_with(COMPRESSED_MAGIC) {
            let (unpacked, compression) = compressed::unpack(Bytes::new(bytes), limit)?;
            let entries = parse_entries(Bytes::new(&unpacked))?;
            return Ok(Bundle { entries, compression: Some(compression), bytes: unpacked });
        }
        let entries = parse_entries(Bytes::new(bytes))?;
        Ok(Bundle { entries, compression: None, bytes: bytes.to_vec() })
    }

    /// The bytes of an entry.
    pub fn data(&self, entry: &Entry) -> &[u8] {
        let start = usize::try_from(entry.offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(usize::try_from(entry.size).unwrap_or(usize::MAX));
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The entry whose code runs on a device, see [`select`].
    pub fn select(&self, device: &TargetId) -> Result<&Entry, SelectError> {
        select::select(&self.entries, device)
    }
}

fn parse_entries(bundle: Bytes<'_>) -> Result<Vec<Entry>, Error> {
    let magic = bundle.part(0, bundle.len().min(MAGIC.len() as u64), "the bundle's magic")?.data();
    if magic != MAGIC {
        let found = String::from_utf8_lossy(magic).into_owned();
        return Err(Error::expected(0, "`__CLANG_OFFLOAD_BUNDLE__`", format!("{found:?}")));
    }
    let mut at = MAGIC.len() as u64;
    let count = bundle.u64(at, "the number of entries")?;
    at += 8;
    let mut entries = Vec::new();
    let mut budget = bundle.len().saturating_mul(OVERLAP);
    for _ in 0..count {
        let what = "a bundle entry";
        let (offset, size, id_size) =
            (bundle.u64(at, what)?, bundle.u64(at + 8, what)?, bundle.u64(at + 16, what)?);
        let id = bundle.part(at + 24, id_size, "an entry ID")?;
        let text = std::str::from_utf8(id.data()).map_err(|e| {
            Error::expected(id.at(e.valid_up_to() as u64), "UTF-8 in an entry ID", "other bytes")
        })?;
        bundle.part(offset, size, "a bundled file")?;
        budget = budget.checked_sub(size).ok_or_else(|| {
            Error::expected(offset, "bundled files that do not overlap", "more in them than in the bundle")
        })?;
        entries.push(Entry { id: text.to_owned(), offset, size });
        at += 24 + id_size;
    }
    Ok(entries)
}

/// Writes a plain bundle of (entry ID, bytes), each at a multiple of 4096 bytes.
pub fn write(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let header: usize = entries.iter().map(|(id, _)| 24 + id.len()).sum::<usize>() + MAGIC.len() + 8;
    let mut out = MAGIC.to_vec();
    out.extend((entries.len() as u64).to_le_bytes());
    let mut offset = header;
    for (id, data) in entries {
        offset = offset.next_multiple_of(ALIGN);
        for word in [offset, data.len(), id.len()] {
            out.extend((word as u64).to_le_bytes());
        }
        out.extend(id.as_bytes());
        offset += data.len();
    }
    for (_, data) in entries {
        out.resize(out.len().next_multiple_of(ALIGN), 0);
        out.extend(*data);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_ids_of_all_times() {
        for (id, expected) in [
            ("hipv4-amdgcn-amd-amdhsa--gfx942:xnack-", "amdgcn-amd-amdhsa--gfx942:xnack-"),
            ("hip-amdgcn-amd-amdhsa-gfx900", "amdgcn-amd-amdhsa--gfx900"),
            ("hip-amdgcn-amd-amdhsa--gfx900+xnack", "amdgcn-amd-amdhsa--gfx900:xnack+"),
            ("hip-amdgcn-amd-amdhsa-gfx906+xnack+sram-ecc", "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack+"),
            ("hip-amdgcn-amd-amdhsa-gfx908+sram-ecc", "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-"),
            ("openmp-amdgcn-amd-amdhsa-unknown-gfx90a:sramecc+", "amdgcn-amd-amdhsa-unknown-gfx90a:sramecc+"),
            ("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", "amdgcn-amd-amdhsa--gfx9-4-generic"),
        ] {
            let entry = Entry { id: id.to_owned(), offset: 0, size: 0 };
            assert_eq!(entry.target().map(|t| t.to_string()).as_deref(), Some(expected), "{id}");
        }
        for id in
            ["host-x86_64-unknown-linux-gnu-", "hip-amdgcn-amd-amdhsa-gfx900+tgsplit", "hip", "", "hip-"]
        {
            assert_eq!(Entry { id: id.to_owned(), offset: 0, size: 0 }.target(), None, "{id}");
        }
    }
}
