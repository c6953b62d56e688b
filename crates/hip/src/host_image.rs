//! Code objects in the memory of this process, of which only the beginning is known: HIP passes no size.
//!
//! How many bytes there are is what they say themselves: an ELF file's header of its tables, a bundle's of its entries, a
//! compressed bundle's of itself. Whether that is right is then checked on those bytes, as with a file's.

use std::ffi::c_void;

use wavemark_codeobj::bundle::{COMPRESSED_MAGIC, MAGIC};

use crate::answer::{Answer, Refusal};
use crate::error::INVALID_IMAGE;

/// Longest image that is believed.
const MAX_BYTES: u64 = 1 << 30;

/// The memory at an address that an image begins at.
struct Image(*const u8);

impl Image {
    /// # Safety
    ///
    /// So many bytes can be read there.
    unsafe fn bytes<'a>(&self, at: u64, len: u64) -> &'a [u8] {
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts(self.0.add(at as usize), len as usize) }
    }

    /// A little-endian number of up to eight bytes.
    ///
    /// # Safety
    ///
    /// As of [`Image::bytes`].
    unsafe fn number(&self, at: u64, len: u64) -> u64 {
        // SAFETY: as the caller promises.
        unsafe { self.bytes(at, len) }.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    /// Where a 64-bit ELF file ends: behind its headers' tables and what its sections have in the file.
    ///
    /// # Safety
    ///
    /// A whole file is there.
    unsafe fn end_of_elf(&self) -> u64 {
        // SAFETY: the header is 64 bytes, and the tables are where it says, as the caller promises.
        unsafe {
            let (programs, sections) = (self.number(32, 8), self.number(40, 8));
            let (program_size, program_count) = (self.number(54, 2), self.number(56, 2));
            let (section_size, section_count) = (self.number(58, 2), self.number(60, 2));
            let mut end = programs + program_size * program_count;
            for index in 0..program_count {
                let header = programs + index * program_size;
                end = end.max(self.number(header + 8, 8).saturating_add(self.number(header + 32, 8)));
            }
            if sections != 0 {
                end = end.max(sections + section_size * section_count);
                for index in 0..section_count {
                    let header = sections + index * section_size;
                    // SHT_NOBITS has none.
                    if self.number(header + 4, 4) != 8 {
                        end =
                            end.max(self.number(header + 24, 8).saturating_add(self.number(header + 32, 8)));
                    }
                }
            }
            end
        }
    }

    /// Where a bundle ends: behind its last entry.
    ///
    /// # Safety
    ///
    /// A whole bundle is there.
    unsafe fn end_of_bundle(&self) -> u64 {
        let mut at = MAGIC.len() as u64 + 8;
        // SAFETY: the table of entries follows the magic, as the caller promises.
        unsafe {
            let mut end = at;
            for _ in 0..self.number(MAGIC.len() as u64, 8).min(MAX_BYTES / 24) {
                end = end.max(self.number(at, 8).saturating_add(self.number(at + 8, 8)));
                at = at.saturating_add(24).saturating_add(self.number(at + 16, 8));
                if end > MAX_BYTES || at > MAX_BYTES {
                    return u64::MAX;
                }
            }
            end.max(at)
        }
    }

    /// Where a compressed bundle ends: version 1 does not say, 2 in four bytes, 3 in eight.
    ///
    /// # Safety
    ///
    /// A whole bundle is there.
    unsafe fn end_of_compressed(&self) -> Option<u64> {
        // SAFETY: magic, version, method and size are there, as the caller promises.
        unsafe {
            match self.number(4, 2) {
                2 => Some(self.number(8, 4)),
                3 => Some(self.number(8, 8)),
                _ => None,
            }
        }
    }
}

/// The bytes of the image at `pointer`.
///
/// # Safety
///
/// `pointer` is null, or a whole ELF file or offload bundle begins there.
pub unsafe fn read(pointer: *const c_void) -> Answer<Vec<u8>> {
    if pointer.is_null() {
        return Err(INVALID_IMAGE.into());
    }
    let image = Image(pointer.cast());
    let refused = |what: &str| Refusal::because(INVALID_IMAGE, format!("the image at {pointer:?} {what}"));
    // SAFETY: at least the magic is there, and what follows it is as the magic says, as the caller promises.
    let end = unsafe {
        match image.bytes(0, 4) {
            b"\x7fELF" if image.number(4, 1) == 2 => image.end_of_elf(),
            magic if magic == COMPRESSED_MAGIC => image
                .end_of_compressed()
                .ok_or_else(|| refused("is a compressed bundle of a version that does not say its size"))?,
            magic if magic == &MAGIC[..4] && image.bytes(0, MAGIC.len() as u64) == MAGIC => {
                image.end_of_bundle()
            }
            _ => return Err(refused("is neither a 64-bit ELF file nor an offload bundle")),
        }
    };
    if end > MAX_BYTES {
        return Err(refused("says that it is longer than 1 GiB"));
    }
    // SAFETY: the image says that it has so many bytes.
    Ok(unsafe { image.bytes(0, end) }.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_ends_behind_its_last_entry() {
        let bundle = wavemark_codeobj::bundle::write(&[("host-x86_64--", b""), ("hip-x--gfx950", b"abc")]);
        let mut memory = bundle.clone();
        memory.extend([0xff; 100]);
        // SAFETY: a whole bundle is there.
        assert_eq!(unsafe { read(memory.as_ptr().cast()) }.unwrap(), bundle);
        // SAFETY: enough bytes for every magic are there.
        assert!(unsafe { read([0u8; 64].as_ptr().cast()) }.is_err());
    }
}
