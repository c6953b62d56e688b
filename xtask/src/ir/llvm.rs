//! LLVM's reader, verifier and printer of IR, bound at run time as [`crate::parity::llvm`] does it.
//!
//! The types are LLVM-C's (`llvm-c/Core.h`, `IRReader.h`, `Analysis.h`).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use anyhow::{Context as _, Result};
use libloading::{Library, Symbol};

use crate::parity::llvm::{api, library_path};

/// `LLVMReturnStatusAction`.
const RETURN_STATUS: c_int = 2;

type Ref = *mut c_void;

api! {
    LLVMContextCreate: fn() -> Ref;
    LLVMContextDispose: fn(Ref);
    LLVMCreateMemoryBufferWithMemoryRangeCopy: fn(*const c_char, usize, *const c_char) -> Ref;
    LLVMParseIRInContext: fn(Ref, Ref, *mut Ref, *mut *mut c_char) -> c_int;
    LLVMVerifyModule: fn(Ref, c_int, *mut *mut c_char) -> c_int;
    LLVMPrintModuleToString: fn(Ref) -> *mut c_char;
    LLVMDisposeMessage: fn(*mut c_char);
    LLVMDisposeModule: fn(Ref);
}

/// LLVM as a reader of IR.
pub struct Llvm {
    api: Api,
}

/// What LLVM made of a text.
pub struct Read {
    /// The module as LLVM prints it.
    pub printed: String,
    /// What its verifier says against it.
    pub invalid: Option<String>,
}

impl Llvm {
    /// Loads the library.
    pub fn new() -> Result<Llvm> {
        let path = library_path()?;
        // SAFETY: the toolchain's own LLVM; its initialisers only register static data.
        let library = unsafe { Library::new(&path) }.with_context(|| path.display().to_string())?;
        Ok(Llvm { api: Api::load(library)? })
    }

    /// A module, or what is wrong with the text. `print`: whether anybody wants to see it.
    pub fn read(&self, text: &str, print: bool) -> Result<Read, String> {
        let api = &self.api;
        // SAFETY: the buffer is a copy that the reader takes over; module, context and messages are disposed of once
        // each, after their last use, the module before its context.
        unsafe {
            let context = (api.LLVMContextCreate)();
            let buffer = (api.LLVMCreateMemoryBufferWithMemoryRangeCopy)(
                text.as_ptr().cast(),
                text.len(),
                c"text".as_ptr(),
            );
            let (mut module, mut message) = (ptr::null_mut(), ptr::null_mut());
            if (api.LLVMParseIRInContext)(context, buffer, &mut module, &mut message) != 0 {
                let error = self.take(message);
                (api.LLVMContextDispose)(context);
                return Err(error);
            }
            let mut read = Read { printed: String::new(), invalid: None };
            if print {
                let mut message = ptr::null_mut();
                let failed = (api.LLVMVerifyModule)(module, RETURN_STATUS, &mut message) != 0;
                let said = self.take(message);
                read.invalid = failed.then_some(said);
                read.printed = self.take((api.LLVMPrintModuleToString)(module));
            }
            (api.LLVMDisposeModule)(module);
            (api.LLVMContextDispose)(context);
            Ok(read)
        }
    }

    /// The text of a message, which is disposed of.
    ///
    /// # Safety
    /// `message` is null or a message of this library that nobody has disposed of.
    unsafe fn take(&self, message: *mut c_char) -> String {
        if message.is_null() {
            return String::new();
        }
        // SAFETY: as the caller says; LLVM terminates its messages.
        unsafe {
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            (self.api.LLVMDisposeMessage)(message);
            text
        }
    }
}
