//! Clang offload bundles: several code objects, each for a target, in one file.
//!
//! Follows "Clang Offload Bundler" of the Clang documentation: the plain binary form
//! (`__CLANG_OFFLOAD_BUNDLE__`) is read and written, the compressed one (`CCOB`, versions 1 to 3) is read if it
//! is compressed with zlib. zstd is refused by name. The hash of a compressed bundle is not checked.

use std::io::Read;

use wavemark_target::{Target, TargetId};

use crate::bytes::Bytes;
use crate::error::{Error, ErrorKind};

/// The first bytes of a plain bundle.
pub const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
/// The first bytes of a compressed bundle.
pub const COMPRESSED_MAGIC: &[u8] = b"CCOB";
/// Alignment of the code objects in a bundle that [`write()`] makes.
pub const ALIGN: usize = 4096;
/// Bytes that a compressed bundle may unpack to: 4 GiB.
const MAX_UNPACKED: u64 = 1 << 32;

/// A bundle, unpacked if it was compressed.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The entries in their order.
    pub entries: Vec<Entry>,
    /// How it was compressed, if it was.
    pub compression: Option<Compression>,
    bytes: Vec<u8>,
}

/// How a bundle was compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compression {
    /// Version of the format, 1 to 3.
    pub version: u16,
    /// Bytes before.
    pub unpacked_size: u64,
    /// The hash of the bytes before, as the header says.
    pub hash: u64,
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
        self.id.split_once('-')?.1.parse().ok()
    }
}

/// Whether a file begins as a bundle does, plain or compressed.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(COMPRESSED_MAGIC)
}

impl Bundle {
    /// Reads a bundle. Offsets in errors count in the unpacked bytes if it was compressed.
    pub fn parse(bytes: &[u8]) -> Result<Bundle, Error> {
        if bytes.starts_with(COMPRESSED_MAGIC) {
            let (unpacked, compression) = unpack(Bytes::new(bytes))?;
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

    /// The entry whose code runs on a device: one for exactly this target ID, or else the first that fits.
    pub fn entry_for(&self, device: &TargetId) -> Option<&Entry> {
        let id = |entry: &Entry| Some(entry.target()?.id);
        let exact = self.entries.iter().find(|entry| id(entry) == Some(*device));
        exact.or_else(|| self.entries.iter().find(|entry| id(entry).is_some_and(|id| id.runs_on(device))))
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
    for _ in 0..count {
        let what = "a bundle entry";
        let (offset, size, id_size) =
            (bundle.u64(at, what)?, bundle.u64(at + 8, what)?, bundle.u64(at + 16, what)?);
        let id = bundle.part(at + 24, id_size, "an entry ID")?;
        let text = std::str::from_utf8(id.data()).map_err(|e| {
            Error::expected(id.at(e.valid_up_to() as u64), "UTF-8 in an entry ID", "other bytes")
        })?;
        bundle.part(offset, size, "a bundled file")?;
        entries.push(Entry { id: text.to_owned(), offset, size });
        at += 24 + id_size;
    }
    Ok(entries)
}

fn unpack(bundle: Bytes<'_>) -> Result<(Vec<u8>, Compression), Error> {
    let what = "the header of a compressed bundle";
    let version = bundle.u16(4, what)?;
    let method = bundle.u16(6, what)?;
    let (file_size, unpacked_size, hash_at) = match version {
        1 => (None, u64::from(bundle.u32(8, what)?), 12),
        2 => (Some(u64::from(bundle.u32(8, what)?)), u64::from(bundle.u32(12, what)?), 16),
        3 => (Some(bundle.u64(8, what)?), bundle.u64(16, what)?, 24),
        other => return Err(Error::unsupported(4, format!("version {other} of compressed bundles"))),
    };
    let hash = bundle.u64(hash_at, what)?;
    match method {
        0 => {}
        1 => return Err(Error::unsupported(6, "zstd compression")),
        other => return Err(Error::unsupported(6, format!("compression method {other}"))),
    }
    if unpacked_size > MAX_UNPACKED {
        return Err(Error::unsupported(8, format!("a compressed bundle of {unpacked_size} bytes")));
    }
    let start = hash_at + 8;
    let end = file_size.unwrap_or(bundle.len());
    let packed_size = end.checked_sub(start).ok_or_else(|| Error {
        offset: 8,
        kind: ErrorKind::Expected {
            expected: format!("a file size of at least {start}"),
            found: end.to_string(),
        },
    })?;
    let packed = bundle.part(start, packed_size, "the compressed data")?;
    let mut unpacked = Vec::new();
    let mut decoder = flate2::read::ZlibDecoder::new(packed.data()).take(unpacked_size.saturating_add(1));
    decoder
        .read_to_end(&mut unpacked)
        .map_err(|e| Error::expected(start, "data compressed with zlib", e.to_string()))?;
    if unpacked.len() as u64 != unpacked_size {
        let expected = format!("data that unpack to {unpacked_size} bytes");
        let found = if unpacked.len() as u64 > unpacked_size { "more" } else { "fewer" };
        return Err(Error::expected(start, expected, found));
    }
    Ok((unpacked, Compression { version, unpacked_size, hash }))
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
