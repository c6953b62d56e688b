//! The one device: counting it, choosing it, waiting for it.

use std::ffi::c_int;

use crate::answer::{answer, out};
use crate::error::{Code, NO_DEVICE};

/// The version that we say we are: HIP 7.1, as `MAJOR * 10000000 + MINOR * 100000 + PATCH`.
const VERSION: c_int = 7 * 10_000_000 + 100_000;

macro_rules! constant {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])*
        ///
        /// # Safety
        ///
        /// `value` is null or can be written to.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(value: *mut c_int) -> Code {
            answer(stringify!($name), |_| {
                // SAFETY: as the caller promises.
                *unsafe { out(value) }? = $value;
                Ok(())
            })
        })*
    };
}

constant! {
    /// The version of the driver.
    hipDriverGetVersion = VERSION;
    /// The version of the runtime.
    hipRuntimeGetVersion = VERSION;
    /// The number of the thread's device.
    hipGetDevice = 0;
}

/// How many devices there are: one, or none if it is not known which processor it is.
///
/// # Safety
///
/// `count` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetDeviceCount(count: *mut c_int) -> Code {
    answer("hipGetDeviceCount", |runtime| {
        // SAFETY: as the caller promises.
        let count = unsafe { out(count) }?;
        *count = 0;
        runtime.arch()?;
        *count = 1;
        Ok(())
    })
}

/// Initialises the runtime.
#[unsafe(no_mangle)]
pub extern "C" fn hipInit(flags: u32) -> Code {
    answer("hipInit", |runtime| {
        if flags != 0 {
            return Err(crate::error::INVALID_VALUE.into());
        }
        runtime.arch().map(|_| ())
    })
}

/// The device of a number.
///
/// # Safety
///
/// `device` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceGet(device: *mut c_int, number: c_int) -> Code {
    answer("hipDeviceGet", |runtime| {
        runtime.must_be_device(number)?;
        // SAFETY: as the caller promises.
        *unsafe { out(device) }? = number;
        Ok(())
    })
}

/// Chooses the thread's device.
#[unsafe(no_mangle)]
pub extern "C" fn hipSetDevice(device: c_int) -> Code {
    answer("hipSetDevice", |runtime| runtime.must_be_device(device))
}

/// Flags of the device's scheduling, which there is none of.
#[unsafe(no_mangle)]
pub extern "C" fn hipSetDeviceFlags(_flags: u32) -> Code {
    answer("hipSetDeviceFlags", |_| Ok(()))
}

/// Waits until all is done that was asked for.
#[unsafe(no_mangle)]
pub extern "C" fn hipDeviceSynchronize() -> Code {
    answer("hipDeviceSynchronize", |runtime| runtime.synchronise())
}

/// Forgets a launch that failed. Memory, modules and handles stay: what a program still holds keeps its meaning.
#[unsafe(no_mangle)]
pub extern "C" fn hipDeviceReset() -> Code {
    answer("hipDeviceReset", |runtime| {
        runtime.failed = None;
        Ok(())
    })
}

/// Whether one device can use the memory of another: there is no other.
///
/// # Safety
///
/// `can` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) -> Code {
    answer("hipDeviceCanAccessPeer", |runtime| {
        runtime.must_be_device(device)?;
        runtime.must_be_device(peer)?;
        // SAFETY: as the caller promises.
        *unsafe { out(can) }? = 0;
        Ok(())
    })
}

/// The lowest and the highest priority of a stream: all have the same.
///
/// # Safety
///
/// `least` and `greatest` are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> Code {
    answer("hipDeviceGetStreamPriorityRange", |runtime| {
        runtime.arch().map_err(|_| NO_DEVICE)?;
        for value in [least, greatest] {
            // SAFETY: as the caller promises.
            if let Some(value) = unsafe { value.as_mut() } {
                *value = 0;
            }
        }
        Ok(())
    })
}
