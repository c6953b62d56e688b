//! LLVM's reader, verifier and printer of IR, and its code generator, bound at run time as [`crate::parity::llvm`] does it.
//!
//! The types are LLVM-C's (`llvm-c/Core.h`, `IRReader.h`, `Analysis.h`, `TargetMachine.h`, `Transforms/PassBuilder.h`).

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use anyhow::{Context as _, Result};
use libloading::{Library, Symbol};

use crate::parity::llvm::{CODE_MODEL_DEFAULT, OBJECT_FILE, RELOC_PIC, api, library_path};

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
    LLVMInitializeAMDGPUTargetInfo: fn();
    LLVMInitializeAMDGPUTarget: fn();
    LLVMInitializeAMDGPUTargetMC: fn();
    LLVMInitializeAMDGPUAsmPrinter: fn();
    LLVMGetTargetFromTriple: fn(*const c_char, *mut Ref, *mut *mut c_char) -> c_int;
    LLVMCreateTargetMachine: fn(Ref, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int) -> Ref;
    LLVMDisposeTargetMachine: fn(Ref);
    LLVMCreateTargetDataLayout: fn(Ref) -> Ref;
    LLVMSetModuleDataLayout: fn(Ref, Ref);
    LLVMDisposeTargetData: fn(Ref);
    LLVMCreatePassBuilderOptions: fn() -> Ref;
    LLVMDisposePassBuilderOptions: fn(Ref);
    LLVMRunPasses: fn(Ref, *const c_char, Ref, Ref) -> Ref;
    LLVMGetErrorMessage: fn(Ref) -> *mut c_char;
    LLVMDisposeErrorMessage: fn(*mut c_char);
    LLVMTargetMachineEmitToMemoryBuffer: fn(Ref, Ref, c_int, *mut *mut c_char, *mut Ref) -> c_int;
    LLVMGetBufferStart: fn(Ref) -> *const u8;
    LLVMGetBufferSize: fn(Ref) -> usize;
    LLVMDisposeMemoryBuffer: fn(Ref);
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

    /// The object that LLVM makes of a module for a processor: at `level` (0 to 3), behind `passes` (as LLVM's `opt` spells
    /// them) if there are any. It may end the process.
    pub fn compile(&self, text: &str, cpu: &str, level: u8, passes: &str) -> Result<Vec<u8>, String> {
        let api = &self.api;
        let terminated = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let (triple, cpu, passes) = (c"amdgcn-amd-amdhsa", terminated(cpu)?, terminated(passes)?);
        // SAFETY: registration, then look-up of the target, then objects made from it, as LLVM asks for; the reader takes
        // the buffer over; each object and message is disposed of once, after its last use, the module before its context.
        unsafe {
            (api.LLVMInitializeAMDGPUTargetInfo)();
            (api.LLVMInitializeAMDGPUTarget)();
            (api.LLVMInitializeAMDGPUTargetMC)();
            (api.LLVMInitializeAMDGPUAsmPrinter)();
            let (mut target, mut message) = (ptr::null_mut(), ptr::null_mut());
            if (api.LLVMGetTargetFromTriple)(triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(self.take(message));
            }
            let machine = (api.LLVMCreateTargetMachine)(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                c"".as_ptr(),
                level.into(),
                RELOC_PIC,
                CODE_MODEL_DEFAULT,
            );
            let context = (api.LLVMContextCreate)();
            let buffer = (api.LLVMCreateMemoryBufferWithMemoryRangeCopy)(
                text.as_ptr().cast(),
                text.len(),
                c"text".as_ptr(),
            );
            let mut module = ptr::null_mut();
            let object = if (api.LLVMParseIRInContext)(context, buffer, &mut module, &mut message) != 0 {
                Err(self.take(message))
            } else {
                let object = self.emit(module, machine, &passes);
                (api.LLVMDisposeModule)(module);
                object
            };
            (api.LLVMContextDispose)(context);
            (api.LLVMDisposeTargetMachine)(machine);
            object
        }
    }

    /// The object of a module, behind some passes.
    ///
    /// # Safety
    /// `module` and `machine` are of this library and live.
    unsafe fn emit(&self, module: Ref, machine: Ref, passes: &CStr) -> Result<Vec<u8>, String> {
        let api = &self.api;
        // SAFETY: as the caller says; layout, options, messages and buffer are disposed of once, after their last use.
        unsafe {
            let layout = (api.LLVMCreateTargetDataLayout)(machine);
            (api.LLVMSetModuleDataLayout)(module, layout);
            (api.LLVMDisposeTargetData)(layout);
            let mut message = ptr::null_mut();
            let failed = (api.LLVMVerifyModule)(module, RETURN_STATUS, &mut message) != 0;
            let said = self.take(message);
            if failed {
                return Err(said);
            }
            if !passes.is_empty() {
                let options = (api.LLVMCreatePassBuilderOptions)();
                let error = (api.LLVMRunPasses)(module, passes.as_ptr(), machine, options);
                (api.LLVMDisposePassBuilderOptions)(options);
                if !error.is_null() {
                    let message = (api.LLVMGetErrorMessage)(error);
                    let text = CStr::from_ptr(message).to_string_lossy().into_owned();
                    (api.LLVMDisposeErrorMessage)(message);
                    return Err(text);
                }
            }
            let (mut message, mut buffer) = (ptr::null_mut(), ptr::null_mut());
            let failed = (api.LLVMTargetMachineEmitToMemoryBuffer)(
                machine,
                module,
                OBJECT_FILE,
                &mut message,
                &mut buffer,
            );
            if failed != 0 {
                return Err(self.take(message));
            }
            let (start, size) = ((api.LLVMGetBufferStart)(buffer), (api.LLVMGetBufferSize)(buffer));
            let bytes = std::slice::from_raw_parts(start, size).to_vec();
            (api.LLVMDisposeMemoryBuffer)(buffer);
            Ok(bytes)
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
