//! Entry points by their names. What is exported is what there is: the dynamic linker is asked.

use std::ffi::{CStr, c_char, c_int, c_void};

use crate::answer::{Refusal, answer, out};
use crate::error::{Code, NOT_FOUND};
use crate::module::text;

/// `HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND`.
const SYMBOL_NOT_FOUND: c_int = 1;

/// What headers since HIP 6 rename: the plain names stand for the structures of HIP 5.
const RENAMED: &[(&str, &CStr)] = &[("hipGetDeviceProperties", c"hipGetDevicePropertiesR0600")];
/// The version that renames them.
const RENAMED_SINCE: c_int = 600;

/// The entry point `name` of this library.
fn find(name: &CStr) -> *mut c_void {
    // SAFETY: the functions are told of memory that is ours; `dlopen` finds the library that is loaded already.
    unsafe {
        let mut here: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(hipGetProcAddress as *const c_void, &mut here) == 0 {
            return std::ptr::null_mut();
        }
        let library = libc::dlopen(here.dli_fname, libc::RTLD_NOLOAD | libc::RTLD_LAZY);
        if library.is_null() {
            return std::ptr::null_mut();
        }
        let found = libc::dlsym(library, name.as_ptr());
        libc::dlclose(library);
        // What the library itself depends on is not ours.
        let mut whose: libc::Dl_info = std::mem::zeroed();
        let ours = libc::dladdr(found, &mut whose) != 0 && whose.dli_fbase == here.dli_fbase;
        if ours { found } else { std::ptr::null_mut() }
    }
}

/// The address of an entry point, for a program of a version of HIP.
///
/// # Safety
///
/// `name` is null or a string; `function` and `status` are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetProcAddress(
    name: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    _flags: u64,
    status: *mut c_int,
) -> Code {
    answer("hipGetProcAddress", |_| {
        // SAFETY: as the caller promises.
        let (wanted, function, mut status) = unsafe { (text(name)?, out(function)?, status.as_mut()) };
        let renamed = RENAMED.iter().find(|(plain, _)| *plain == wanted && version >= RENAMED_SINCE);
        // SAFETY: `text` has found a string there.
        let symbol = renamed.map_or(unsafe { CStr::from_ptr(name) }, |(_, renamed)| renamed);
        *function = find(symbol);
        if let Some(status) = &mut status {
            **status = if function.is_null() { SYMBOL_NOT_FOUND } else { 0 };
        }
        if function.is_null() {
            return Err(Refusal::because(NOT_FOUND, format!("there is no `{wanted}` here")));
        }
        Ok(())
    })
}
