//! The bytes of an allocation: its own, or the host's.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The bytes of an allocation.
#[derive(Debug)]
pub(super) enum Contents {
    /// They are nobody else's.
    Own(Vec<u8>),
    /// They are somewhere in the host's memory.
    Host(Host),
}

/// Bytes of the host's memory.
#[derive(Debug)]
pub(super) struct Host {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: whoever makes one (`Contents::host`) promises that nobody else accesses the bytes: it is as if they were owned.
unsafe impl Send for Host {}
// SAFETY: a shared reference only reads.
unsafe impl Sync for Host {}

impl Contents {
    /// The `len` bytes at `start`.
    ///
    /// # Safety
    ///
    /// They are there as long as this is, and nobody else accesses them while a reference into this is held.
    pub unsafe fn host(start: NonNull<u8>, len: usize) -> Contents {
        Contents::Host(Host { start, len })
    }
}

impl Default for Contents {
    fn default() -> Contents {
        Contents::Own(Vec::new())
    }
}

impl Deref for Contents {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Contents::Own(bytes) => bytes,
            // SAFETY: as `Contents::host` was promised.
            Contents::Host(host) => unsafe { std::slice::from_raw_parts(host.start.as_ptr(), host.len) },
        }
    }
}

impl DerefMut for Contents {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Contents::Own(bytes) => bytes,
            // SAFETY: as `Contents::host` was promised; the reference is unique as `self` is.
            Contents::Host(host) => unsafe { std::slice::from_raw_parts_mut(host.start.as_ptr(), host.len) },
        }
    }
}
