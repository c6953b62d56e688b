//! Error codes, their names and what they mean. Numbers and names are those of `hipError_t`.

use std::ffi::c_char;

use crate::answer::{last_error, set_last_error};

/// A `hipError_t`.
pub type Code = i32;

macro_rules! errors {
    ($($constant:ident = $code:literal, $name:literal, $text:literal;)*) => {
        $(#[doc = $text] pub const $constant: Code = $code;)*

        /// Code, name, meaning; both texts end with a NUL.
        const ERRORS: &[(Code, &str, &str)] =
            &[$(($code, concat!($name, "\0"), concat!($text, "\0"))),*];
    };
}

errors! {
    SUCCESS = 0, "hipSuccess", "no error";
    INVALID_VALUE = 1, "hipErrorInvalidValue", "an argument has a value that cannot be used";
    OUT_OF_MEMORY = 2, "hipErrorOutOfMemory", "there is no memory for it";
    INVALID_CONFIGURATION = 9, "hipErrorInvalidConfiguration", "the launch does not suit the kernel";
    INVALID_SYMBOL = 13, "hipErrorInvalidSymbol", "no module has that symbol";
    INVALID_DEVICE_POINTER = 17, "hipErrorInvalidDevicePointer", "the address is not of device memory";
    INVALID_MEMCPY_DIRECTION = 21, "hipErrorInvalidMemcpyDirection", "the direction of the copy is unknown";
    MISSING_CONFIGURATION = 52, "hipErrorMissingConfiguration", "a kernel is called without a configuration";
    INVALID_DEVICE_FUNCTION = 98, "hipErrorInvalidDeviceFunction", "there is no such kernel";
    NO_DEVICE = 100, "hipErrorNoDevice", "it is not known which processor to execute";
    INVALID_DEVICE = 101, "hipErrorInvalidDevice", "there is no device of that number";
    INVALID_IMAGE = 200, "hipErrorInvalidImage", "the code object cannot be read";
    NO_BINARY_FOR_GPU = 209, "hipErrorNoBinaryForGpu", "no code object is for this processor";
    FILE_NOT_FOUND = 301, "hipErrorFileNotFound", "the file cannot be read";
    INVALID_HANDLE = 400, "hipErrorInvalidHandle", "the handle is unknown, or what it named is gone";
    NOT_FOUND = 500, "hipErrorNotFound", "the name is not there";
    NOT_READY = 600, "hipErrorNotReady", "it has not been done yet";
    LAUNCH_TIME_OUT = 702, "hipErrorLaunchTimeOut", "the launch was ended at a limit";
    HOST_MEMORY_ALREADY_REGISTERED = 712, "hipErrorHostMemoryAlreadyRegistered",
        "the host memory is registered already";
    HOST_MEMORY_NOT_REGISTERED = 713, "hipErrorHostMemoryNotRegistered", "the host memory is not registered";
    LAUNCH_FAILURE = 719, "hipErrorLaunchFailure", "a launch went wrong";
    COOPERATIVE_LAUNCH_TOO_LARGE = 720, "hipErrorCooperativeLaunchTooLarge",
        "the workgroups of the cooperative launch cannot be resident at once";
    NOT_SUPPORTED = 801, "hipErrorNotSupported", "this is not modelled";
    UNKNOWN = 999, "hipErrorUnknown", "an error that has no code";
}

/// Name and meaning of a code.
fn entry(code: Code) -> (*const c_char, *const c_char) {
    let found = ERRORS.iter().find(|(known, ..)| *known == code).or(ERRORS.last());
    found.map_or((c"".as_ptr(), c"".as_ptr()), |(_, name, text)| (name.as_ptr().cast(), text.as_ptr().cast()))
}

/// What the code means.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorString(code: Code) -> *const c_char {
    entry(code).1
}

/// What the code is called.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorName(code: Code) -> *const c_char {
    entry(code).0
}

/// The thread's last error, which is forgotten.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetLastError() -> Code {
    set_last_error(SUCCESS)
}

/// The thread's last error.
#[unsafe(no_mangle)]
pub extern "C" fn hipPeekAtLastError() -> Code {
    last_error()
}

/// [`hipGetErrorString`] through a pointer.
///
/// # Safety
///
/// `text` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDrvGetErrorString(code: Code, text: *mut *const c_char) -> Code {
    // SAFETY: as the caller promises.
    unsafe { write_entry(text, entry(code).1) }
}

/// [`hipGetErrorName`] through a pointer.
///
/// # Safety
///
/// `name` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDrvGetErrorName(code: Code, name: *mut *const c_char) -> Code {
    // SAFETY: as the caller promises.
    unsafe { write_entry(name, entry(code).0) }
}

/// # Safety
///
/// `into` is null or can be written to.
unsafe fn write_entry(into: *mut *const c_char, text: *const c_char) -> Code {
    // SAFETY: as the caller promises.
    match unsafe { into.as_mut() } {
        Some(into) => {
            *into = text;
            SUCCESS
        }
        None => INVALID_VALUE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_and_have_names_of_their_own() {
        assert!(ERRORS.is_sorted_by(|one, next| one.0 < next.0 && one.1 != next.1));
    }
}
