//! Devices and their memory.

use std::ffi::{CString, c_char};

use wavemark_driver::device::ModuleId;
use wavemark_driver::session::Session;

use crate::MAX_MEMORY;
use crate::status::{Problem, Status, attempt, bytes, text, there_mut, value};

/// A device: memory and modules.
pub struct Device {
    pub(crate) session: Session,
    pub(crate) modules: Vec<Module>,
}

/// A module and the names of its kernels, as C has them.
pub(crate) struct Module {
    pub id: ModuleId,
    pub kernels: Vec<CString>,
}

impl Device {
    pub(crate) fn problem(&self, diagnostic: wavemark_diag::Diagnostic) -> Problem {
        Problem::of(&self.session, &diagnostic.into())
    }
}

/// A new device without memory or modules. Delete it with wavemark_device_delete.
#[unsafe(no_mangle)]
pub extern "C" fn wavemark_device_new() -> *mut Device {
    value(std::ptr::null_mut(), || {
        if wavemark_budget::limit() == usize::MAX {
            crate::wavemark_set_max_memory(wavemark_budget::host_leaves().min(MAX_MEMORY));
        }
        Ok(Box::into_raw(Box::new(Device { session: Session::new(), modules: Vec::new() })))
    })
}

/// Deletes a device with its memory and modules.
///
/// # Safety
///
/// `device` is from wavemark_device_new and not deleted, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_device_delete(device: *mut Device) {
    if !device.is_null() {
        // SAFETY: it was made by `Box::into_raw` and is given back once, as the caller promises.
        let owned = unsafe { Box::from_raw(device) };
        attempt(|| {
            drop(owned);
            Ok(())
        });
    }
}

/// New memory of `size` bytes that holds `contents`, or zeros if that is null; `name` is what reports call it. Its
/// address goes to `address`.
///
/// # Safety
///
/// `device` is a device; `name` a string; `contents` null, or has `size` bytes; `address` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_allocate(
    device: *mut Device,
    name: *const c_char,
    contents: *const u8,
    size: usize,
    address: *mut u64,
) -> Status {
    attempt(|| {
        // SAFETY: all four as the caller promises.
        let (device, name, address) =
            unsafe { (there_mut(device, "device")?, text(name, "name")?, there_mut(address, "address")?) };
        wavemark_budget::room_for(size as u64)
            .map_err(|no_room| Problem::unusable(format!("{name}: it {no_room}")))?;
        let contents = if contents.is_null() {
            vec![0; size]
        } else {
            // SAFETY: `size` bytes are there, as the caller promises.
            unsafe { bytes(contents, size, "contents") }?.to_vec()
        };
        *address = device.session.device.allocate(name, contents);
        Ok(())
    })
}

/// Frees the memory that begins at `address`. What a kernel does with it from then on is out of bounds.
///
/// # Safety
///
/// `device` is a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_free(device: *mut Device, address: u64) -> Status {
    attempt(|| {
        // SAFETY: as the caller promises.
        let device = unsafe { there_mut(device, "device") }?;
        let freed = device.session.device.free(address);
        freed.map_err(|diagnostic| device.problem(diagnostic))
    })
}

/// Copies `size` bytes at `address`, all in one allocation, to the host.
///
/// # Safety
///
/// `device` is a device; `into` has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_read(
    device: *mut Device,
    address: u64,
    into: *mut u8,
    size: usize,
) -> Status {
    attempt(|| {
        // SAFETY: as the caller promises.
        let device = unsafe { there_mut(device, "device") }?;
        if into.is_null() && size > 0 {
            return Err(Problem::unusable("into is a null pointer"));
        }
        match device.session.device.read(address, size as u64) {
            Ok(found) => {
                // SAFETY: there is room for `size` bytes, as the caller promises, and the simulated memory is elsewhere.
                unsafe { std::ptr::copy_nonoverlapping(found.as_ptr(), into, size) };
                Ok(())
            }
            Err(diagnostic) => Err(device.problem(diagnostic)),
        }
    })
}

/// Copies `size` bytes of the host to `address`, all in one allocation.
///
/// # Safety
///
/// `device` is a device; `from` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_write(
    device: *mut Device,
    address: u64,
    from: *const u8,
    size: usize,
) -> Status {
    attempt(|| {
        // SAFETY: as the caller promises.
        let (device, from) = unsafe { (there_mut(device, "device")?, bytes(from, size, "from")?) };
        let written = device.session.device.write(address, from);
        written.map_err(|diagnostic| device.problem(diagnostic))
    })
}
