//! Memory: allocating it, copying, filling, asking what an address is.
//!
//! An address is the device's, or else the host's: the simulated memory lies where no process has its own. What goes out
//! of an allocation of the device is refused with the allocation's name; what the host's memory holds, nobody
//! knows, as with any `memcpy`.

use std::ffi::{c_int, c_void};

use wavemark_budget::room_for;

use crate::answer::{Answer, Refusal, answer, out};
use crate::error::{
    Code, HOST_MEMORY_ALREADY_REGISTERED, HOST_MEMORY_NOT_REGISTERED, INVALID_DEVICE_POINTER,
    INVALID_MEMCPY_DIRECTION, INVALID_VALUE, OUT_OF_MEMORY,
};
use crate::handle::Handle;
use crate::pinned::{Origin, Pinned};
use crate::runtime::Runtime;

/// What rows of pitched memory begin at a multiple of.
const PITCH: usize = 256;

/// Where something is to be copied from and to: `hipMemcpyKind`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Direction {
    from_device: Option<bool>,
    to_device: Option<bool>,
}

impl Direction {
    fn of(kind: c_int) -> Answer<Direction> {
        let both = |from, to| Ok(Direction { from_device: Some(from), to_device: Some(to) });
        match kind {
            0 => both(false, false),
            1 => both(false, true),
            2 => both(true, false),
            3 | 1024 => both(true, true),
            4 => Ok(Direction { from_device: None, to_device: None }),
            _ => Err(INVALID_MEMCPY_DIRECTION.into()),
        }
    }
}

impl Runtime {
    /// New device memory, zeros.
    fn allocate(&mut self, name: &str, size: usize) -> Answer<u64> {
        self.arch()?;
        room_for(size as u64).map_err(|no_room| Refusal::because(OUT_OF_MEMORY, format!("it {no_room}")))?;
        Ok(self.session.device.allocate(name, vec![0; size]))
    }

    /// New host memory that is on the device, too.
    fn pin(&mut self, origin: Origin, name: &str, size: usize) -> Answer<u64> {
        self.arch()?;
        room_for(size as u64).map_err(|no_room| Refusal::because(OUT_OF_MEMORY, format!("it {no_room}")))?;
        let pinned = Pinned::map(&mut self.session.device, origin, name, size as u64)?;
        self.pinned.push(pinned);
        Ok(pinned.host)
    }

    /// Frees host memory that was pinned as one of `origins`.
    fn unpin(&mut self, address: u64, origins: &[Origin], otherwise: Code) -> Answer {
        let is = |one: &Pinned| one.host == address && origins.contains(&one.origin);
        let index = self.pinned.iter().position(is).ok_or(otherwise)?;
        self.pinned.swap_remove(index).unmap(&mut self.session.device)
    }

    /// Whether an address is of memory that only the device has.
    fn is_device(&self, address: u64) -> bool {
        let mapped = self.pinned.iter().any(|one| one.host == one.device && one.holds_host(address));
        !mapped && self.session.device.allocation(address).is_some()
    }

    fn refused(&self, diagnostic: wavemark_diag::Diagnostic) -> Refusal {
        Refusal::because(INVALID_VALUE, self.session.describe(&diagnostic))
    }

    /// Copies `len` bytes; both may be of the host or the device.
    ///
    /// # Safety
    ///
    /// What is of the host can be read and written as wanted.
    pub unsafe fn copy(&mut self, to: u64, from: u64, len: usize, kind: c_int) -> Answer {
        if len == 0 {
            return Ok(());
        }
        let direction = Direction::of(kind)?;
        let is = (self.is_device(from), self.is_device(to));
        // An address that is not on the device, where it is said to be, is what the device refuses.
        let from_device = direction.from_device.map_or(is.0, |said| is.0 || said && !self.is_mapped(from));
        let to_device = direction.to_device.map_or(is.1, |said| is.1 || said && !self.is_mapped(to));
        if !from_device && from == 0 || !to_device && to == 0 {
            return Err(INVALID_VALUE.into());
        }
        let device = &mut self.session.device;
        match (from_device, to_device) {
            (false, false) => {
                // SAFETY: the host's memory is as the caller promises; the two may overlap.
                unsafe { std::ptr::copy(from as *const u8, to as *mut u8, len) };
                Ok(())
            }
            (false, true) => {
                // SAFETY: as the caller promises.
                let bytes = unsafe { std::slice::from_raw_parts(from as *const u8, len) };
                device.initialise(to, bytes).map_err(|diagnostic| self.refused(diagnostic))
            }
            (true, false) => match device.read(from, len as u64) {
                Ok(found) => {
                    // SAFETY: as the caller promises; the simulated memory is elsewhere.
                    unsafe { std::ptr::copy_nonoverlapping(found.as_ptr(), to as *mut u8, len) };
                    Ok(())
                }
                Err(diagnostic) => Err(self.refused(diagnostic)),
            },
            (true, true) => {
                let copied = device.read(from, len as u64).map(<[u8]>::to_vec);
                let copied = copied.and_then(|bytes| device.initialise(to, &bytes));
                copied.map_err(|diagnostic| self.refused(diagnostic))
            }
        }
    }

    /// Whether an address is of host memory that is on the device, too, at the same address.
    fn is_mapped(&self, address: u64) -> bool {
        self.pinned.iter().any(|one| one.host == one.device && one.holds_host(address))
    }

    /// Copies `height` rows of `width` bytes.
    ///
    /// # Safety
    ///
    /// As of [`Runtime::copy`].
    unsafe fn copy_rows(&mut self, to: Rows, from: Rows, width: usize, height: usize, kind: c_int) -> Answer {
        if height > 0 && (to.pitch < width || from.pitch < width) {
            return Err(INVALID_VALUE.into());
        }
        for row in 0..height {
            // SAFETY: as the caller promises.
            unsafe { self.copy(to.row(row), from.row(row), width, kind) }?;
        }
        Ok(())
    }

    /// Fills `count` elements with a value of `bytes`.
    ///
    /// # Safety
    ///
    /// As of [`Runtime::copy`].
    unsafe fn fill(&mut self, at: u64, value: &[u8], count: usize) -> Answer {
        let len = value.len().checked_mul(count).ok_or(INVALID_VALUE)?;
        room_for(len as u64).map_err(|no_room| Refusal::because(OUT_OF_MEMORY, format!("it {no_room}")))?;
        let filled = value.repeat(count);
        let kind = if self.is_mapped(at) { 0 } else { 1 };
        // SAFETY: `filled` has so many bytes; the rest as the caller promises.
        unsafe { self.copy(at, filled.as_ptr() as u64, filled.len(), kind) }
    }
}

/// Rows of pitched memory.
#[derive(Clone, Copy)]
struct Rows {
    at: u64,
    pitch: usize,
}

impl Rows {
    fn row(self, number: usize) -> u64 {
        self.at.wrapping_add((number as u64).wrapping_mul(self.pitch as u64))
    }
}

/// New device memory.
///
/// # Safety
///
/// `pointer` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMalloc(pointer: *mut u64, size: usize) -> Code {
    answer("hipMalloc", |runtime| {
        // SAFETY: as the caller promises.
        let pointer = unsafe { out(pointer) }?;
        *pointer = if size == 0 { 0 } else { runtime.allocate("memory of hipMalloc", size)? };
        Ok(())
    })
}

/// New device memory, in the order of a stream.
///
/// # Safety
///
/// `pointer` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMallocAsync(pointer: *mut u64, size: usize, _stream: Handle) -> Code {
    // SAFETY: as the caller promises.
    unsafe { hipMalloc(pointer, size) }
}

/// New device memory of `height` rows of `width` bytes, each at a multiple of `pitch`.
///
/// # Safety
///
/// `pointer` and `pitch` are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMallocPitch(
    pointer: *mut u64,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> Code {
    answer("hipMallocPitch", |runtime| {
        // SAFETY: as the caller promises.
        let (pointer, pitch) = unsafe { (out(pointer)?, out(pitch)?) };
        let row = width.checked_next_multiple_of(PITCH).ok_or(INVALID_VALUE)?;
        let size = row.checked_mul(height).ok_or(INVALID_VALUE)?;
        *pointer = if size == 0 { 0 } else { runtime.allocate("memory of hipMallocPitch", size)? };
        *pitch = row;
        Ok(())
    })
}

/// Frees device or managed memory.
#[unsafe(no_mangle)]
pub extern "C" fn hipFree(pointer: u64) -> Code {
    answer("hipFree", |runtime| {
        if pointer == 0 {
            return Ok(());
        }
        if runtime.is_mapped(pointer) {
            return runtime.unpin(pointer, &[Origin::Managed], INVALID_VALUE);
        }
        let freed = runtime.session.device.free(pointer);
        freed.map_err(|diagnostic| runtime.refused(diagnostic))
    })
}

/// Frees memory, in the order of a stream.
#[unsafe(no_mangle)]
pub extern "C" fn hipFreeAsync(pointer: u64, _stream: Handle) -> Code {
    hipFree(pointer)
}

/// New host memory that kernels can use at the same address.
///
/// # Safety
///
/// `pointer` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipHostMalloc(pointer: *mut u64, size: usize, _flags: u32) -> Code {
    answer("hipHostMalloc", |runtime| {
        // SAFETY: as the caller promises.
        let pointer = unsafe { out(pointer) }?;
        *pointer = if size == 0 { 0 } else { runtime.pin(Origin::Host, "memory of hipHostMalloc", size)? };
        Ok(())
    })
}

/// The same by its older name.
///
/// # Safety
///
/// `pointer` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemAllocHost(pointer: *mut u64, size: usize) -> Code {
    // SAFETY: as the caller promises.
    unsafe { hipHostMalloc(pointer, size, 0) }
}

/// New memory that host and device use at the same address.
///
/// # Safety
///
/// `pointer` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMallocManaged(pointer: *mut u64, size: usize, _flags: u32) -> Code {
    answer("hipMallocManaged", |runtime| {
        // SAFETY: as the caller promises.
        *unsafe { out(pointer) }? = runtime.pin(Origin::Managed, "memory of hipMallocManaged", size)?;
        Ok(())
    })
}

/// Frees pinned host memory.
#[unsafe(no_mangle)]
pub extern "C" fn hipHostFree(pointer: u64) -> Code {
    answer("hipHostFree", |runtime| match pointer {
        0 => Ok(()),
        _ => runtime.unpin(pointer, &[Origin::Host], INVALID_VALUE),
    })
}

/// Kernels can use host memory that there is, at the address that [`hipHostGetDevicePointer`] tells.
///
/// # Safety
///
/// `size` bytes can be read and written at `pointer` until they are unregistered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipHostRegister(pointer: u64, size: usize, _flags: u32) -> Code {
    answer("hipHostRegister", |runtime| {
        if pointer == 0 || size == 0 {
            return Err(INVALID_VALUE.into());
        }
        if runtime.pinned.iter().any(|one| one.holds_host(pointer)) {
            return Err(HOST_MEMORY_ALREADY_REGISTERED.into());
        }
        runtime.arch()?;
        let device = &mut runtime.session.device;
        let (name, origin) = ("memory of hipHostRegister", Origin::Registered);
        // SAFETY: the caller promises it.
        let pinned = unsafe { Pinned::of(device, origin, name, pointer, size as u64) }?;
        runtime.pinned.push(pinned);
        Ok(())
    })
}

/// Takes it back.
#[unsafe(no_mangle)]
pub extern "C" fn hipHostUnregister(pointer: u64) -> Code {
    answer("hipHostUnregister", |runtime| {
        runtime.unpin(pointer, &[Origin::Registered], HOST_MEMORY_NOT_REGISTERED)
    })
}

/// The address on the device of pinned or registered host memory.
///
/// # Safety
///
/// `device` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipHostGetDevicePointer(device: *mut u64, host: u64, _flags: u32) -> Code {
    answer("hipHostGetDevicePointer", |runtime| {
        let found = runtime.pinned.iter().find(|one| one.holds_host(host)).ok_or(INVALID_VALUE)?;
        // SAFETY: as the caller promises.
        *unsafe { out(device) }? = found.device + (host - found.host);
        Ok(())
    })
}

/// Bytes that are free, and that there are, in one request.
///
/// # Safety
///
/// `free` and `total` are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemGetInfo(free: *mut usize, total: *mut usize) -> Code {
    answer("hipMemGetInfo", |_| {
        // SAFETY: as the caller promises.
        let (free, total) = unsafe { (out(free)?, out(total)?) };
        (*free, *total) = (wavemark_budget::limit(), wavemark_budget::limit());
        Ok(())
    })
}

macro_rules! copies {
    ($($(#[$doc:meta])* $name:ident($to:ident, $from:ident, $len:ident $(, $more:ident: $type:ty)*) = $kind:expr;)*) => {
        $($(#[$doc])*
        ///
        /// # Safety
        ///
        /// What is of the host can be read and written.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($to: u64, $from: u64, $len: usize $(, $more: $type)*) -> Code {
            // SAFETY: as the caller promises.
            answer(stringify!($name), |runtime| unsafe { runtime.copy($to, $from, $len, $kind) })
        })*
    };
}

copies! {
    /// Copies memory of host or device.
    hipMemcpy(to, from, len, kind: c_int) = kind;
    /// The same in the order of a stream.
    hipMemcpyAsync(to, from, len, kind: c_int, _stream: Handle) = kind;
    /// The same in the order of a stream, waiting for it.
    hipMemcpyWithStream(to, from, len, kind: c_int, _stream: Handle) = kind;
    /// Copies from the host to the device.
    hipMemcpyHtoD(to, from, len) = 1;
    /// The same in the order of a stream.
    hipMemcpyHtoDAsync(to, from, len, _stream: Handle) = 1;
    /// Copies from the device to the host.
    hipMemcpyDtoH(to, from, len) = 2;
    /// The same in the order of a stream.
    hipMemcpyDtoHAsync(to, from, len, _stream: Handle) = 2;
    /// Copies from device to device.
    hipMemcpyDtoD(to, from, len) = 3;
    /// The same in the order of a stream.
    hipMemcpyDtoDAsync(to, from, len, _stream: Handle) = 3;
}

/// Copies rows of memory, each at a multiple of its side's pitch.
///
/// # Safety
///
/// What is of the host can be read and written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpy2D(
    to: u64,
    to_pitch: usize,
    from: u64,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> Code {
    let (to, from) = (Rows { at: to, pitch: to_pitch }, Rows { at: from, pitch: from_pitch });
    // SAFETY: as the caller promises.
    answer("hipMemcpy2D", |runtime| unsafe { runtime.copy_rows(to, from, width, height, kind) })
}

/// The same in the order of a stream.
///
/// # Safety
///
/// What is of the host can be read and written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpy2DAsync(
    to: u64,
    to_pitch: usize,
    from: u64,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
    _stream: Handle,
) -> Code {
    // SAFETY: as the caller promises.
    unsafe { hipMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind) }
}

macro_rules! fills {
    ($($(#[$doc:meta])* $name:ident($value:ident: $type:ty => $bytes:expr $(, $more:ident: $more_type:ty)*);)*) => {
        $($(#[$doc])*
        ///
        /// # Safety
        ///
        /// What is of the host can be written.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(at: u64, $value: $type, count: usize $(, $more: $more_type)*) -> Code {
            // SAFETY: as the caller promises.
            answer(stringify!($name), |runtime| unsafe { runtime.fill(at, &$bytes, count) })
        })*
    };
}

fills! {
    /// Fills memory with a byte.
    hipMemset(value: c_int => [value as u8]);
    /// The same in the order of a stream.
    hipMemsetAsync(value: c_int => [value as u8], _stream: Handle);
    /// Fills memory with a byte.
    hipMemsetD8(value: u8 => [value]);
    /// The same in the order of a stream.
    hipMemsetD8Async(value: u8 => [value], _stream: Handle);
    /// Fills memory with 16-bit values.
    hipMemsetD16(value: u16 => value.to_ne_bytes());
    /// The same in the order of a stream.
    hipMemsetD16Async(value: u16 => value.to_ne_bytes(), _stream: Handle);
    /// Fills memory with 32-bit values.
    hipMemsetD32(value: c_int => value.to_ne_bytes());
    /// The same in the order of a stream.
    hipMemsetD32Async(value: c_int => value.to_ne_bytes(), _stream: Handle);
}

/// Fills rows of memory with a byte.
///
/// # Safety
///
/// What is of the host can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemset2D(
    at: u64,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
) -> Code {
    answer("hipMemset2D", |runtime| {
        if height > 0 && pitch < width {
            return Err(INVALID_VALUE.into());
        }
        let rows = Rows { at, pitch };
        // SAFETY: as the caller promises.
        (0..height).try_for_each(|row| unsafe { runtime.fill(rows.row(row), &[value as u8], width) })
    })
}

/// The same in the order of a stream.
///
/// # Safety
///
/// What is of the host can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemset2DAsync(
    at: u64,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
    _stream: Handle,
) -> Code {
    // SAFETY: as the caller promises.
    unsafe { hipMemset2D(at, pitch, value, width, height) }
}

/// Where an allocation of the device begins, and how many bytes it has.
///
/// # Safety
///
/// `base` and `size` are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemGetAddressRange(base: *mut u64, size: *mut usize, address: u64) -> Code {
    answer("hipMemGetAddressRange", |runtime| {
        let found = runtime.session.device.allocation(address);
        let (start, len) = found.ok_or(INVALID_DEVICE_POINTER)?;
        // SAFETY: as the caller promises.
        if let Some(base) = unsafe { base.as_mut() } {
            *base = start;
        }
        // SAFETY: as the caller promises.
        if let Some(size) = unsafe { size.as_mut() } {
            *size = len as usize;
        }
        Ok(())
    })
}

/// `hipPointerAttribute_t`.
#[repr(C)]
pub struct PointerAttributes {
    memory_type: c_int,
    device: c_int,
    device_pointer: *mut c_void,
    host_pointer: *mut c_void,
    is_managed: c_int,
    allocation_flags: u32,
}

/// What an address is of: memory type (`hipMemoryType`), address on the device and on the host.
fn placed(runtime: &Runtime, address: u64) -> Option<(c_int, u64, u64)> {
    let on_host = |one: &&Pinned| one.holds_host(address);
    if let Some(one) = runtime.pinned.iter().find(on_host) {
        let memory_type = if one.origin == Origin::Managed { 3 } else { 1 };
        return Some((memory_type, one.device + (address - one.host), address));
    }
    runtime.session.device.allocation(address).map(|_| (2, address, 0))
}

/// What an address is.
///
/// # Safety
///
/// `attributes` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipPointerGetAttributes(attributes: *mut PointerAttributes, address: u64) -> Code {
    answer("hipPointerGetAttributes", |runtime| {
        let (memory_type, device, host) = placed(runtime, address).ok_or(INVALID_VALUE)?;
        // SAFETY: as the caller promises.
        *unsafe { out(attributes) }? = PointerAttributes {
            memory_type,
            device: 0,
            device_pointer: device as *mut c_void,
            host_pointer: host as *mut c_void,
            is_managed: (memory_type == 3).into(),
            allocation_flags: 0,
        };
        Ok(())
    })
}

/// One thing that an address is, by the numbers of `hipPointer_attribute`.
///
/// # Safety
///
/// `data` can be written to as the attribute wants it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipPointerGetAttribute(data: *mut c_void, attribute: c_int, address: u64) -> Code {
    answer("hipPointerGetAttribute", |runtime| {
        let (memory_type, device, host) = placed(runtime, address).ok_or(INVALID_VALUE)?;
        let (base, len) = runtime.session.device.allocation(device).ok_or(INVALID_VALUE)?;
        if data.is_null() {
            return Err(INVALID_VALUE.into());
        }
        // SAFETY: as the caller promises; alignment is not relied on.
        unsafe {
            match attribute {
                2 => data.cast::<c_int>().write_unaligned(memory_type),
                3 => data.cast::<u64>().write_unaligned(device),
                4 if host != 0 => data.cast::<u64>().write_unaligned(host),
                8 => data.cast::<bool>().write_unaligned(memory_type == 3),
                9 => data.cast::<c_int>().write_unaligned(0),
                11 => data.cast::<u64>().write_unaligned(base),
                12 => data.cast::<u64>().write_unaligned(len),
                13 => data.cast::<bool>().write_unaligned(true),
                _ => {
                    let why = format!("the attribute {attribute} of {address:#x} is not known");
                    return Err(Refusal::because(INVALID_VALUE, why));
                }
            }
        }
        Ok(())
    })
}
