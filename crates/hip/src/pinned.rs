//! Host memory that kernels may use: pinned, managed, registered.
//!
//! It is the device's memory, too, not a copy of it. Pinned and managed memory is in this process at the very address that it
//! has on the device, so that one pointer serves both.

use std::ffi::c_void;
use std::ptr::NonNull;

use wavemark_driver::device::Device;

use crate::answer::{Answer, Refusal};
use crate::error::{INVALID_VALUE, OUT_OF_MEMORY};

/// Where memory is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `hipHostMalloc`.
    Host,
    /// `hipMallocManaged`.
    Managed,
    /// `hipHostRegister`.
    Registered,
}

/// A piece of host memory that is on the device, too.
#[derive(Clone, Copy, Debug)]
pub struct Pinned {
    /// Where it is from.
    pub origin: Origin,
    /// Its address in this process.
    pub host: u64,
    /// Its address on the device.
    pub device: u64,
    /// Bytes.
    pub size: u64,
}

impl Pinned {
    /// Whether an address of this process is in it.
    pub fn holds_host(&self, address: u64) -> bool {
        (self.host..self.host + self.size.max(1)).contains(&address)
    }

    /// New memory of `size` bytes, at the address that it gets on the device.
    pub fn map(device: &mut Device, origin: Origin, name: &str, size: u64) -> Answer<Pinned> {
        let address = device.allocate(name, Vec::new());
        device.take_back(address);
        let mode = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE | libc::MAP_NORESERVE;
        let len = (size as usize).max(1);
        // SAFETY: new pages, nothing is replaced: the kernel refuses an address that is in use.
        let mapped = unsafe {
            libc::mmap(address as *mut c_void, len, libc::PROT_READ | libc::PROT_WRITE, mode, -1, 0)
        };
        if mapped as u64 != address {
            if mapped != libc::MAP_FAILED {
                // SAFETY: an old kernel took the address as a hint; what it gave is not used.
                unsafe { libc::munmap(mapped, len) };
            }
            let error = std::io::Error::last_os_error();
            return Err(Refusal::because(
                OUT_OF_MEMORY,
                format!("the host has no memory at {address:#x}: {error}"),
            ));
        }
        // SAFETY: the pages are there until `unmap`, which frees the device's memory first.
        let pinned = unsafe { Pinned::of(device, origin, name, address, size) };
        if !pinned.as_ref().is_ok_and(|pinned| pinned.device == address) {
            // SAFETY: these pages are those from above, and nobody has them yet.
            unsafe { libc::munmap(mapped, len) };
        }
        pinned
    }

    /// Memory of the host at `host`, as memory of the device.
    ///
    /// # Safety
    ///
    /// The bytes are there until [`Pinned::unmap`]. Nobody accesses them during a launch: a program whose other threads do
    /// races with its kernel.
    pub unsafe fn of(
        device: &mut Device,
        origin: Origin,
        name: &str,
        host: u64,
        size: u64,
    ) -> Answer<Pinned> {
        let start = NonNull::new(host as *mut u8).ok_or(INVALID_VALUE)?;
        // SAFETY: the caller promises it.
        let address = unsafe { device.map(name, start, size as usize, true) };
        let device = address.map_err(|diagnostic| Refusal::because(OUT_OF_MEMORY, diagnostic.message))?;
        Ok(Pinned { origin, host, device, size })
    }

    /// Gives the host's memory back, if it is ours, and the device's.
    pub fn unmap(self, device: &mut Device) -> Answer {
        device.free(self.device).map_err(|diagnostic| Refusal::because(INVALID_VALUE, diagnostic.message))?;
        if self.origin != Origin::Registered {
            // SAFETY: the pages are those of `map`, and whoever frees them promises that they are not used.
            unsafe { libc::munmap(self.host as *mut c_void, (self.size as usize).max(1)) };
        }
        Ok(())
    }
}
