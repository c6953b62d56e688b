//! Checked little-endian access to a byte slice: every read names what it reads and fails with its offset.

use crate::error::{Error, ErrorKind};

/// A byte slice that knows where in the file it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a> {
    data: &'a [u8],
    base: u64,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Bytes { data, base: 0 }
    }

    /// A slice that begins at an offset into the file.
    pub(crate) fn at_offset(data: &'a [u8], base: u64) -> Self {
        Bytes { data, base }
    }

    pub(crate) fn len(&self) -> u64 {
        self.data.len() as u64
    }

    pub(crate) fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The file offset of an offset into this slice.
    pub(crate) fn at(&self, offset: u64) -> u64 {
        self.base.saturating_add(offset)
    }

    /// A part; offsets in its errors stay those of the file.
    pub(crate) fn part(&self, offset: u64, len: u64, what: &str) -> Result<Bytes<'a>, Error> {
        let whole = || {
            let start = usize::try_from(offset).ok()?;
            let end = start.checked_add(usize::try_from(len).ok()?)?;
            self.data.get(start..end)
        };
        match whole() {
            Some(data) => Ok(Bytes { data, base: self.at(offset) }),
            None => Err(Error {
                offset: self.at(offset),
                kind: ErrorKind::Truncated {
                    what: what.to_owned(),
                    need: len,
                    have: self.len().saturating_sub(offset),
                },
            }),
        }
    }

    fn array<const N: usize>(&self, offset: u64, what: &str) -> Result<[u8; N], Error> {
        let part = self.part(offset, N as u64, what)?;
        let mut array = [0; N];
        array.copy_from_slice(part.data);
        Ok(array)
    }

    pub(crate) fn u8(&self, offset: u64, what: &str) -> Result<u8, Error> {
        Ok(u8::from_le_bytes(self.array(offset, what)?))
    }

    pub(crate) fn u16(&self, offset: u64, what: &str) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array(offset, what)?))
    }

    pub(crate) fn u32(&self, offset: u64, what: &str) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array(offset, what)?))
    }

    pub(crate) fn u64(&self, offset: u64, what: &str) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array(offset, what)?))
    }

    /// The bytes from `offset` up to a NUL, which must be there; they must be UTF-8.
    pub(crate) fn c_str(&self, offset: u64, what: &str) -> Result<&'a str, Error> {
        let rest = self.part(offset, self.len().saturating_sub(offset), what)?;
        let Some(end) = rest.data.iter().position(|&b| b == 0) else {
            return Err(Error::expected(
                rest.base,
                format!("a NUL after {what}"),
                "the end of the string table",
            ));
        };
        std::str::from_utf8(&rest.data[..end]).map_err(|e| {
            Error::expected(rest.base + e.valid_up_to() as u64, format!("UTF-8 in {what}"), "other bytes")
        })
    }
}
