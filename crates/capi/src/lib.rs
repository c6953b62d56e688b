//! The C interface: a device, its memory and modules, launches and their reports.
//!
//! `include/wavemark.h` is written from these sources, and a test holds it to them. A function that can fail gives a
//! [`Status`], and [`wavemark_last_error`] says why in words, with the line of the input where there is one. No panic
//! gets out: it is [`Status::Internal`]. What is created here is deleted here; a null pointer may be deleted.
//!
//! The interface has a version of its own, this crate's, and follows semantic versioning: while it is 0, the minor
//! number changes with what breaks a program. [`WAVEMARK_ABI_VERSION`] counts the breaks.
//!
//! A device and what comes from it is for one thread at a time; several devices know nothing of each other.

mod device;
mod launch;
mod module;
mod options;
mod report;
mod status;

pub use device::*;
pub use launch::*;
pub use module::*;
pub use options::*;
pub use report::*;
pub use status::*;

use std::ffi::{CStr, c_char};

/// Counts the versions of this interface that break programs.
pub const WAVEMARK_ABI_VERSION: u32 = 1;

/// Bytes that one request of an input may take if nobody says: 8 GiB, or what the host leaves.
const MAX_MEMORY: u64 = 8 << 30;

/// What the library has of WAVEMARK_ABI_VERSION: a program compares it with its header's.
#[unsafe(no_mangle)]
pub extern "C" fn wavemark_abi_version() -> u32 {
    WAVEMARK_ABI_VERSION
}

/// The version of this interface, `MAJOR.MINOR.PATCH`.
#[unsafe(no_mangle)]
pub extern "C" fn wavemark_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// Bytes that one request of an input may take: what an input asks for beyond that is refused with its place.
#[unsafe(no_mangle)]
pub extern "C" fn wavemark_set_max_memory(bytes: u64) {
    wavemark_budget::set_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
}
