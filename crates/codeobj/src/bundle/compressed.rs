//! The compressed form of a bundle: a header `CCOB`, then a plain bundle packed with zlib or zstd.
//!
//! Three versions of the header, little-endian throughout: magic, version (u16), method (u16), from version 2 on
//! the size of the file, the size of what it unpacks to, and the first 8 bytes of that one's MD5. Sizes are u32 in
//! versions 1 and 2 and u64 in version 3. Versions 1 to 3 are read; 2 and 3 are written, as LLVM 22 does.
//!
//! A size that a header declares is never taken for granted, see [`crate::unpack`].

use std::io::Write;

use md5::{Digest, Md5};

use crate::bytes::Bytes;
use crate::error::{Error, ErrorKind};
use crate::unpack::{self, Method};

/// The first bytes of a compressed bundle.
pub const COMPRESSED_MAGIC: &[u8] = b"CCOB";
/// Bytes that a compressed bundle may unpack to: 4 GiB.
pub(super) const MAX_UNPACKED: u64 = 1 << 32;
/// How a bundle was compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compression {
    /// Version of the header.
    pub version: Version,
    /// What packed it.
    pub method: Method,
    /// Bytes before.
    pub unpacked_size: u64,
    /// The hash of the bytes before, as the header says.
    pub hash: u64,
    /// Whether that is their hash. Loaders do not look, so a wrong one is no error.
    pub hash_matches: bool,
}

/// A version of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Version {
    /// 1: does not say the size of the file.
    V1 = 1,
    /// 2: sizes of 32 bits.
    V2 = 2,
    /// 3: sizes of 64 bits.
    V3 = 3,
}

struct Header {
    version: Version,
    method: Method,
    file_size: Option<u64>,
    unpacked_size: u64,
    hash: u64,
    size: u64,
}

fn header(bundle: Bytes<'_>) -> Result<Header, Error> {
    let what = "the header of a compressed bundle";
    let version = match bundle.u16(4, what)? {
        1 => Version::V1,
        2 => Version::V2,
        3 => Version::V3,
        other => return Err(Error::unsupported(4, format!("version {other} of compressed bundles"))),
    };
    let method = match bundle.u16(6, what)? {
        0 => Method::Zlib,
        1 => Method::Zstd,
        other => return Err(Error::unsupported(6, format!("compression method {other}"))),
    };
    let (file_size, unpacked_size, hash_at) = match version {
        Version::V1 => (None, u64::from(bundle.u32(8, what)?), 12),
        Version::V2 => (Some(u64::from(bundle.u32(8, what)?)), u64::from(bundle.u32(12, what)?), 16),
        Version::V3 => (Some(bundle.u64(8, what)?), bundle.u64(16, what)?, 24),
    };
    let hash = bundle.u64(hash_at, what)?;
    Ok(Header { version, method, file_size, unpacked_size, hash, size: hash_at + 8 })
}

pub(super) fn unpack(bundle: Bytes<'_>, limit: u64) -> Result<(Vec<u8>, Compression), Error> {
    let header = header(bundle)?;
    let end = header.file_size.unwrap_or(bundle.len());
    let packed_size = end.checked_sub(header.size).ok_or_else(|| Error {
        offset: 8,
        kind: ErrorKind::Expected {
            expected: format!("a file size of at least {}", header.size),
            found: end.to_string(),
        },
    })?;
    let packed = bundle.part(header.size, packed_size, "the compressed data")?;
    if header.unpacked_size > limit {
        let what = format!("a compressed bundle of {} bytes, more than {limit},", header.unpacked_size);
        return Err(Error::unsupported(8, what));
    }
    let unpacked = unpack::unpack(header.method, packed.data(), header.unpacked_size, header.size)?;
    let compression = Compression {
        version: header.version,
        method: header.method,
        unpacked_size: header.unpacked_size,
        hash: header.hash,
        hash_matches: hash(&unpacked) == header.hash,
    };
    Ok((unpacked, compression))
}

/// The first 8 bytes of the MD5.
fn hash(bytes: &[u8]) -> u64 {
    let digest = Md5::digest(bytes);
    digest.iter().take(8).rev().fold(0, |hash, &byte| hash << 8 | u64::from(byte))
}

/// Packs a plain bundle. Version 1, which nobody writes any more, and sizes beyond 32 bits become version 3.
pub fn compress(plain: &[u8], method: Method, version: Version) -> Vec<u8> {
    let packed = match method {
        Method::Zlib => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(plain).and_then(|()| encoder.finish()).expect("a Vec takes every byte")
        }
        Method::Zstd => ruzstd::encoding::compress_to_vec(plain, ruzstd::encoding::CompressionLevel::Fastest),
    };
    let narrow = |size: usize| u32::try_from(size).ok();
    let mut out = COMPRESSED_MAGIC.to_vec();
    match (version, narrow(24 + packed.len()), narrow(plain.len())) {
        (Version::V2, Some(file_size), Some(unpacked_size)) => {
            out.extend((Version::V2 as u16).to_le_bytes());
            out.extend((method as u16).to_le_bytes());
            out.extend(file_size.to_le_bytes());
            out.extend(unpacked_size.to_le_bytes());
        }
        _ => {
            out.extend((Version::V3 as u16).to_le_bytes());
            out.extend((method as u16).to_le_bytes());
            out.extend((32 + packed.len() as u64).to_le_bytes());
            out.extend((plain.len() as u64).to_le_bytes());
        }
    }
    out.extend(hash(plain).to_le_bytes());
    out.extend(packed);
    out
}
