//! Host memory that kernels may use: pinned, managed, registered.
//!
//! Pinned and managed memory is mapped in this process at the very address that it has on the device, so that one pointer
//! serves both. The simulated memory is another copy: what the host has is copied in before a launch, and out
//! after it. As launches are over when they return, nobody can tell.

use std::ffi::c_void;

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

    /// Maps `size` bytes at the address of new device memory.
    pub fn map(device: &mut Device, origin: Origin, name: &str, size: u64) -> Answer<Pinned> {
        let address = device.allocate(name, vec![0; size as usize]);
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
            device.take_back(address);
            let error = std::io::Error::last_os_error();
            return Err(Refusal::because(
                OUT_OF_MEMORY,
                format!("the host has no memory at {address:#x}: {error}"),
            ));
        }
        Ok(Pinned { origin, host: address, device: address, size })
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

    /// The device gets what the host has.
    pub fn copy_in(&self, device: &mut Device) -> Answer {
        // SAFETY: the memory is mapped, as `map` did it or who registered it promised, and nobody writes to it during
        // a launch: this thread launches, and a program whose other threads write races with its kernel.
        let bytes = unsafe { std::slice::from_raw_parts(self.host as *const u8, self.size as usize) };
        device
            .initialise(self.device, bytes)
            .map_err(|diagnostic| Refusal::because(INVALID_VALUE, diagnostic.message))
    }

    /// The host gets what the device has.
    pub fn copy_out(&self, device: &mut Device) -> Answer {
        let found = device.read(self.device, self.size);
        let found = found.map_err(|diagnostic| Refusal::because(INVALID_VALUE, diagnostic.message))?;
        // SAFETY: as of `copy_in`; the simulated memory is elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(found.as_ptr(), self.host as *mut u8, found.len()) };
        Ok(())
    }
}
