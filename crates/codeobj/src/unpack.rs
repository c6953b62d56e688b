//! Unpacks what zlib or zstd packed, never more than was declared.
//!
//! A declared size is never taken for granted: what is unpacked grows only as data arrive, and ends at the declared
//! size, which itself must be within [`MAX_RATIO`] times the packed bytes.

use std::fmt;
use std::io::Read;

use wavemark_budget::room_for;

use crate::error::Error;

/// What one packed byte may unpack to. zlib cannot do better than 1032; zstd could, by repeating one byte, which no
/// code object does.
const MAX_RATIO: u64 = 1032;
/// What any data may unpack to, whatever the ratio.
const FREE: u64 = 1 << 20;

/// A compression method, by LLVM's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Method {
    /// 0: a zlib stream.
    Zlib = 0,
    /// 1: a Zstandard frame.
    Zstd = 1,
}

impl Method {
    /// `zlib` or `zstd`.
    pub fn name(self) -> &'static str {
        match self {
            Method::Zlib => "zlib",
            Method::Zstd => "zstd",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Unpacks data that declare to unpack to `size` bytes; `at` is their offset in the file.
pub(crate) fn unpack(method: Method, packed: &[u8], size: u64, at: u64) -> Result<Vec<u8>, Error> {
    let bound = (packed.len() as u64).saturating_mul(MAX_RATIO).saturating_add(FREE);
    if size > bound {
        let expected = format!("at most {MAX_RATIO} bytes out of each of {}", packed.len());
        return Err(Error::expected(at, expected, format!("{size} bytes")));
    }
    room_for(size)
        .map_err(|no_room| Error::expected(at, "data that fit into memory", no_room.to_string()))?;
    match method {
        Method::Zlib => read_all(flate2::read::ZlibDecoder::new(packed), method, size, at),
        Method::Zstd => {
            // The window of a frame may be as large as what it unpacks to; memory is taken as data arrive.
            let decoder =
                ruzstd::decoding::StreamingDecoder::new_with_max_window_size(packed, size.max(1 << 23));
            read_all(decoder.map_err(|e| not_packed(method, at, &e))?, method, size, at)
        }
    }
}

fn read_all(decoder: impl Read, method: Method, size: u64, at: u64) -> Result<Vec<u8>, Error> {
    let mut unpacked = Vec::new();
    let mut decoder = decoder.take(size.saturating_add(1));
    decoder.read_to_end(&mut unpacked).map_err(|e| not_packed(method, at, &e))?;
    if unpacked.len() as u64 != size {
        let found = if unpacked.len() as u64 > size { "more" } else { "fewer" };
        return Err(Error::expected(at, format!("data that unpack to {size} bytes"), found));
    }
    Ok(unpacked)
}

fn not_packed(method: Method, at: u64, error: &dyn fmt::Display) -> Error {
    Error::expected(at, format!("data compressed with {method}"), error.to_string())
}
