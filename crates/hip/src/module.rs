//! Modules that a program loads itself, and their kernels.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;

use wavemark_codeobj::bundle::is_bundle;
use wavemark_driver::device::ModuleId;
use wavemark_driver::input::{self, Lang};

use crate::answer::{Answer, Refusal, answer, out};
use crate::error::{
    Code, FILE_NOT_FOUND, INVALID_DEVICE_FUNCTION, INVALID_IMAGE, INVALID_VALUE, NO_BINARY_FOR_GPU, NOT_FOUND,
};
use crate::handle::Handle;
use crate::host_image;
use crate::runtime::Runtime;

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// In the device.
    pub id: ModuleId,
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub struct Function {
    /// The module.
    pub module: ModuleId,
    /// Its name.
    pub name: String,
}

/// Numbers of a kernel, as `hipFuncAttributes` and `hipFunction_attribute` have them.
pub struct Numbers {
    pub max_threads: c_int,
    pub lds: usize,
    pub scratch: usize,
    pub vgprs: c_int,
    pub max_dynamic_lds: c_int,
}

/// The text at `pointer`.
///
/// # Safety
///
/// `pointer` is null or a string that stays for `'a`.
pub unsafe fn text<'a>(pointer: *const c_char) -> Answer<&'a str> {
    if pointer.is_null() {
        return Err(INVALID_VALUE.into());
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|_| INVALID_VALUE.into())
}

impl Runtime {
    /// Loads a code object, or that of a bundle which is for the device.
    pub fn load(&mut self, name: &str, bytes: Vec<u8>) -> Answer<ModuleId> {
        let bundled = is_bundle(&bytes);
        let target = if bundled { Some(self.arch()?) } else { None };
        let unusable = if bundled { NO_BINARY_FOR_GPU } else { INVALID_IMAGE };
        let loaded = self.session.load(name, bytes, Some(Lang::Obj), target);
        let id = loaded.map_err(|failure| Refusal::of(self, &failure, unusable))?;
        let found = self.session.device.target(id);
        let found = found.map_err(|diagnostic| Refusal::because(INVALID_IMAGE, diagnostic.message))?;
        self.suppose(found);
        let arch = self.arch()?;
        if !found.runs_on(&arch) {
            _ = self.session.device.unload(id);
            let why = format!("{name} is for {found}, and the processor is {arch} (WAVEMARK_ARCH)");
            return Err(Refusal::because(NO_BINARY_FOR_GPU, why));
        }
        Ok(id)
    }

    /// What is to be known of a kernel.
    pub fn numbers(&self, function: &Function) -> Answer<Numbers> {
        let found = self.session.device.kernel(function.module, Some(&function.name));
        let (kernel, metadata) =
            found.map_err(|diagnostic| Refusal::because(INVALID_DEVICE_FUNCTION, diagnostic.message))?;
        let limits = kernel.descriptor.limits();
        let said = metadata.map_or(0, |metadata| metadata.max_flat_workgroup_size);
        let max_threads = if said == 0 { limits.max_workgroup_size } else { said };
        let lds = kernel.descriptor.group_segment_fixed_size;
        Ok(Numbers {
            max_threads: max_threads as c_int,
            lds: lds as usize,
            scratch: kernel.descriptor.private_segment_fixed_size as usize,
            vgprs: metadata.map_or(kernel.descriptor.vgprs(), |metadata| metadata.vgpr_count) as c_int,
            max_dynamic_lds: limits.lds_bytes.saturating_sub(lds) as c_int,
        })
    }
}

/// Loads the image at `image`, an ELF file or an offload bundle; the options of a compiler of source are not used.
///
/// # Safety
///
/// `module` is null or can be written to; a whole image is at `image`, or it is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleLoadDataEx(
    module: *mut Handle,
    image: *const c_void,
    _count: u32,
    _options: *mut c_int,
    _values: *mut *mut c_void,
) -> Code {
    // SAFETY: as the caller promises.
    unsafe { hipModuleLoadData(module, image) }
}

/// Loads the image at `image`, an ELF file or an offload bundle.
///
/// # Safety
///
/// `module` is null or can be written to; a whole image is at `image`, or it is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleLoadData(module: *mut Handle, image: *const c_void) -> Code {
    answer("hipModuleLoadData", |runtime| {
        // SAFETY: as the caller promises.
        let (module, bytes) = unsafe { (out(module)?, host_image::read(image)?) };
        let id = runtime.load("a module in memory", bytes)?;
        *module = runtime.modules.add(Module { id });
        Ok(())
    })
}

/// Loads a file.
///
/// # Safety
///
/// `module` is null or can be written to; `path` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleLoad(module: *mut Handle, path: *const c_char) -> Code {
    answer("hipModuleLoad", |runtime| {
        // SAFETY: as the caller promises.
        let (module, path) = unsafe { (out(module)?, text(path)?) };
        let read = input::read(Path::new(path), Some(Lang::Obj));
        let input = read.map_err(|diagnostic| Refusal::because(FILE_NOT_FOUND, diagnostic.message))?;
        let id = runtime.load(path, input.bytes)?;
        *module = runtime.modules.add(Module { id });
        Ok(())
    })
}

/// Frees a module.
#[unsafe(no_mangle)]
pub extern "C" fn hipModuleUnload(module: Handle) -> Code {
    answer("hipModuleUnload", |runtime| {
        let Module { id } = runtime.modules.remove(module)?;
        let unloaded = runtime.session.device.unload(id);
        unloaded.map_err(|diagnostic| Refusal::because(INVALID_VALUE, diagnostic.message))
    })
}

/// A kernel of a module.
///
/// # Safety
///
/// `function` is null or can be written to; `name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleGetFunction(
    function: *mut Handle,
    module: Handle,
    name: *const c_char,
) -> Code {
    answer("hipModuleGetFunction", |runtime| {
        // SAFETY: as the caller promises.
        let (function, name) = unsafe { (out(function)?, text(name)?) };
        let id = runtime.modules.get(module)?.id;
        let found = Function { module: id, name: name.to_owned() };
        let known = runtime.session.device.kernel(id, Some(name));
        known.map_err(|diagnostic| Refusal::because(NOT_FOUND, runtime.session.describe(&diagnostic)))?;
        *function = runtime.functions.add(found);
        Ok(())
    })
}

/// Where a variable of a module is, and how many bytes it has.
///
/// # Safety
///
/// `address` and `size` are null or can be written to; `name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleGetGlobal(
    address: *mut u64,
    size: *mut usize,
    module: Handle,
    name: *const c_char,
) -> Code {
    answer("hipModuleGetGlobal", |runtime| {
        // SAFETY: as the caller promises.
        let name = unsafe { text(name) }?;
        let id = runtime.modules.get(module)?.id;
        let found = runtime.session.device.variable(id, name);
        let (at, len) = found.map_err(|diagnostic| Refusal::because(NOT_FOUND, diagnostic.message))?;
        // SAFETY: as the caller promises.
        if let Some(address) = unsafe { address.as_mut() } {
            *address = at;
        }
        // SAFETY: as the caller promises.
        if let Some(size) = unsafe { size.as_mut() } {
            *size = len as usize;
        }
        Ok(())
    })
}

/// One number of a kernel, by the numbers of `hipFunction_attribute`.
///
/// # Safety
///
/// `value` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipFuncGetAttribute(value: *mut c_int, attribute: c_int, function: Handle) -> Code {
    answer("hipFuncGetAttribute", |runtime| {
        let function = runtime.functions.get(function)?.clone();
        let numbers = runtime.numbers(&function)?;
        let found = match attribute {
            0 => numbers.max_threads,
            1 => numbers.lds as c_int,
            2 => 0,
            3 => numbers.scratch as c_int,
            4 => numbers.vgprs,
            8 => numbers.max_dynamic_lds,
            _ => {
                let why = format!("the attribute {attribute} is not known");
                return Err(Refusal::because(INVALID_VALUE, why));
            }
        };
        // SAFETY: as the caller promises.
        *unsafe { out(value) }? = found;
        Ok(())
    })
}
