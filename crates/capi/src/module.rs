//! Modules, their kernels and variables.

use std::ffi::c_char;

use wavemark_driver::input::Lang;

use crate::device::{Device, Module};
use crate::status::{Problem, Status, attempt, bytes, c_text, optional_text, text, there, there_mut, value};

/// A kernel's argument that the caller gives.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameter {
    /// Bytes from the start of the argument segment.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Whether it is the address of a buffer.
    pub is_address: bool,
}

impl Device {
    pub(crate) fn module(&self, module: u32) -> Result<&Module, Problem> {
        let module = self.modules.get(module as usize);
        module.ok_or_else(|| Problem::unusable("there is no such module"))
    }
}

/// Loads a code object, an offload bundle or assembly. `lang` is "asm" or "obj"; null: what the bytes look like, or
/// `name` ends in. `target`, such as "gfx950", chooses from a bundle; it may be null. The number of the module goes to
/// `module`.
///
/// # Safety
///
/// `device` is a device; `name` a string; `contents` has `size` bytes; `lang` and `target` are null or strings; `module`
/// can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_load(
    device: *mut Device,
    name: *const c_char,
    contents: *const u8,
    size: usize,
    lang: *const c_char,
    target: *const c_char,
    module: *mut u32,
) -> Status {
    attempt(|| {
        // SAFETY: all as the caller promises.
        let (device, name, contents, lang, target, module) = unsafe {
            (
                there_mut(device, "device")?,
                text(name, "name")?,
                bytes(contents, size, "contents")?,
                optional_text(lang, "lang")?,
                optional_text(target, "target")?,
                there_mut(module, "module")?,
            )
        };
        let lang = match lang {
            None => None,
            Some("asm") => Some(Lang::Asm),
            Some("obj") => Some(Lang::Obj),
            Some(other) => {
                return Err(Problem::unusable(format!("lang is \"asm\" or \"obj\", not \"{other}\"")));
            }
        };
        let target = target
            .map(|target| target.parse().map_err(|error| Problem::unusable(format!("{target}: {error}"))))
            .transpose()?;
        let loaded = device.session.load(name, contents.to_vec(), lang, target);
        let id = loaded.map_err(|failure| Problem::of(&device.session, &failure))?;
        let kernels = device.session.device.kernels(id).map(c_text).collect();
        *module = u32::try_from(device.modules.len())
            .map_err(|_| Problem::unusable("there are too many modules"))?;
        device.modules.push(Module { id, kernels });
        Ok(())
    })
}

/// Frees the memory of a module.
///
/// # Safety
///
/// `device` is a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_unload(device: *mut Device, module: u32) -> Status {
    attempt(|| {
        // SAFETY: as the caller promises.
        let device = unsafe { there_mut(device, "device") }?;
        let id = device.module(module)?.id;
        let unloaded = device.session.device.unload(id);
        unloaded.map_err(|diagnostic| device.problem(diagnostic))
    })
}

/// How many kernels a module has.
///
/// # Safety
///
/// `device` is a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_kernel_count(device: *const Device, module: u32) -> usize {
    // SAFETY: as the caller promises.
    value(0, || Ok(unsafe { there(device, "device") }?.module(module)?.kernels.len()))
}

/// The name of a kernel, by its number in the module; null if there is none. It stays as long as the device.
///
/// # Safety
///
/// `device` is a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_kernel_name(
    device: *const Device,
    module: u32,
    index: usize,
) -> *const c_char {
    value(std::ptr::null(), || {
        // SAFETY: as the caller promises.
        let kernels = &unsafe { there(device, "device") }?.module(module)?.kernels;
        let name = kernels.get(index).ok_or_else(|| Problem::unusable("there is no such kernel"))?;
        Ok(name.as_ptr())
    })
}

/// What a kernel takes as arguments, hidden ones left out: up to `room` of them go to `parameters`, their number to
/// `count`. A null `kernel` is the module's only one.
///
/// # Safety
///
/// `device` is a device; `kernel` null or a string; `parameters` has room for `room` of them; `count` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_parameters(
    device: *const Device,
    module: u32,
    kernel: *const c_char,
    parameters: *mut Parameter,
    room: usize,
    count: *mut usize,
) -> Status {
    attempt(|| {
        // SAFETY: all as the caller promises.
        let (device, kernel, count) = unsafe {
            (there(device, "device")?, optional_text(kernel, "kernel")?, there_mut(count, "count")?)
        };
        let id = device.module(module)?.id;
        let found = device.session.device.parameters(id, kernel);
        let found = found.map_err(|diagnostic| device.problem(diagnostic))?;
        let found = found.ok_or_else(|| {
            Problem::unusable("the code object does not say what the kernel's arguments are")
        })?;
        for (index, one) in found.iter().take(room).enumerate() {
            let is_address = one.value_kind == "global_buffer";
            let parameter = Parameter { offset: one.offset, size: one.size, is_address };
            // SAFETY: there is room for `room` of them, as the caller promises.
            unsafe { parameters.add(index).write(parameter) };
        }
        *count = found.len();
        Ok(())
    })
}

/// Where a variable of a module is, and how many bytes it has.
///
/// # Safety
///
/// `device` is a device; `name` a string; `address` and `size` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_variable(
    device: *const Device,
    module: u32,
    name: *const c_char,
    address: *mut u64,
    size: *mut u64,
) -> Status {
    attempt(|| {
        // SAFETY: all as the caller promises.
        let (device, name, address, size) = unsafe {
            (
                there(device, "device")?,
                text(name, "name")?,
                there_mut(address, "address")?,
                there_mut(size, "size")?,
            )
        };
        let id = device.module(module)?.id;
        let found = device.session.device.variable(id, name);
        (*address, *size) = found.map_err(|diagnostic| device.problem(diagnostic))?;
        Ok(())
    })
}
