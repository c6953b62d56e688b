//! What clang writes into host code: constructors that register fat binaries, kernels and variables by the addresses of
//! their host counterparts, before `main` begins.
//!
//! A fat binary is loaded when something of it is first used: not before a program has said what it wants.

use std::ffi::{c_char, c_int, c_void};

use wavemark_codeobj::CodeObject;
use wavemark_codeobj::bundle::{Bundle, Entry, is_bundle};
use wavemark_driver::device::ModuleId;
use wavemark_target::TargetId;

use crate::answer::{Answer, Refusal, answer};
use crate::error::{Code, INVALID_DEVICE_FUNCTION, INVALID_IMAGE, INVALID_SYMBOL, INVALID_VALUE};
use crate::handle::Handle;
use crate::host_image;
use crate::module::{Function, text};
use crate::runtime::Runtime;

/// `HIPF`, which begins a wrapper.
const WRAPPER_MAGIC: u32 = 0x4849_5046;

/// The structure that host code passes for each fat binary.
#[repr(C)]
pub struct Wrapper {
    magic: u32,
    version: u32,
    binary: *const c_void,
    unused: *const c_void,
}

/// A fat binary.
#[derive(Debug)]
pub struct FatBinary {
    bytes: Vec<u8>,
    /// What became of it when it was first used.
    loaded: Option<ModuleId>,
}

/// What a host address stands for.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The fat binary's handle, as a number.
    binary: u64,
    name: String,
    size: usize,
}

impl FatBinary {
    /// The processors of its code objects, in their order.
    pub fn targets(&self) -> Vec<TargetId> {
        if is_bundle(&self.bytes) {
            let bundle = Bundle::parse(&self.bytes);
            let entries = bundle.map(|bundle| bundle.entries).unwrap_or_default();
            let code = entries.iter().filter(|entry| entry.size > 0).filter_map(Entry::target);
            return code.map(|target| target.id).collect();
        }
        CodeObject::parse(&self.bytes).map(|object| vec![object.target()]).unwrap_or_default()
    }
}

impl Runtime {
    fn loaded(&mut self, handle: Handle) -> Answer<ModuleId> {
        let binary = self.fat_binaries.get(handle)?;
        if let Some(id) = binary.loaded {
            return Ok(id);
        }
        let bytes = binary.bytes.clone();
        let id = self.load("the program's fat binary", bytes)?;
        self.fat_binaries.get_mut(handle)?.loaded = Some(id);
        Ok(id)
    }

    /// The kernel that a host function stands for.
    pub fn kernel_of(&mut self, host: *const c_void) -> Answer<Function> {
        let Some(Registered { binary, name, .. }) = self.kernels.get(&(host as u64)).cloned() else {
            let why = format!("the function at {host:?} is not registered as a kernel");
            return Err(Refusal::because(INVALID_DEVICE_FUNCTION, why));
        };
        Ok(Function { module: self.loaded(binary as Handle)?, name })
    }

    /// Where the variable is that a host shadow stands for, and how many bytes it has.
    pub fn variable_of(&mut self, host: *const c_void) -> Answer<(u64, usize)> {
        let Some(Registered { binary, name, size }) = self.variables.get(&(host as u64)).cloned() else {
            let why = format!("what is at {host:?} is not registered as a variable");
            return Err(Refusal::because(INVALID_SYMBOL, why));
        };
        let id = self.loaded(binary as Handle)?;
        let found = self.session.device.variable(id, &name);
        let (address, len) =
            found.map_err(|diagnostic| Refusal::because(INVALID_SYMBOL, diagnostic.message))?;
        Ok((address, if size == 0 { len as usize } else { size }))
    }

    /// # Safety
    ///
    /// `name` is null or a string.
    unsafe fn registered(&self, binary: Handle, name: *const c_char, size: usize) -> Answer<Registered> {
        self.fat_binaries.get(binary)?;
        // SAFETY: as the caller promises.
        let name = unsafe { text(name) }?.to_owned();
        Ok(Registered { binary: binary as u64, name, size })
    }
}

/// Host code has a fat binary; a handle for it, or null if it cannot be read.
///
/// # Safety
///
/// `wrapper` is null, or a wrapper is there with a whole image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterFatBinary(wrapper: *const Wrapper) -> Handle {
    let mut handle = std::ptr::null_mut();
    answer("__hipRegisterFatBinary", |runtime| {
        // SAFETY: as the caller promises.
        let wrapper = unsafe { wrapper.as_ref() }.ok_or(INVALID_VALUE)?;
        if wrapper.magic != WRAPPER_MAGIC || wrapper.version != 1 {
            let (magic, version) = (wrapper.magic, wrapper.version);
            let why = format!("a wrapper of magic {magic:#x} and version {version} is none of HIP's");
            return Err(Refusal::because(INVALID_IMAGE, why));
        }
        // SAFETY: as the caller promises.
        let bytes = unsafe { host_image::read(wrapper.binary) }?;
        handle = runtime.fat_binaries.add(FatBinary { bytes, loaded: None });
        Ok(())
    });
    handle
}

/// Host code takes its fat binary back.
#[unsafe(no_mangle)]
pub extern "C" fn __hipUnregisterFatBinary(binary: Handle) {
    answer("__hipUnregisterFatBinary", |runtime| {
        let FatBinary { loaded, .. } = runtime.fat_binaries.remove(binary)?;
        runtime.kernels.retain(|_, one| one.binary != binary as u64);
        runtime.variables.retain(|_, one| one.binary != binary as u64);
        if let Some(id) = loaded {
            _ = runtime.session.device.unload(id);
        }
        Ok(())
    });
}

/// A host function stands for a kernel.
///
/// # Safety
///
/// `name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterFunction(
    binary: Handle,
    host: *const c_void,
    _device_function: *const c_char,
    name: *const c_char,
    _thread_limit: u32,
    _thread: *mut c_void,
    _block: *mut c_void,
    _block_dim: *mut c_void,
    _grid_dim: *mut c_void,
    _warp_size: *mut c_int,
) -> Code {
    answer("__hipRegisterFunction", |runtime| {
        // SAFETY: as the caller promises.
        let registered = unsafe { runtime.registered(binary, name, 0) }?;
        runtime.kernels.insert(host as u64, registered);
        Ok(())
    })
}

/// A host variable stands for one of the device.
///
/// # Safety
///
/// `name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterVar(
    binary: Handle,
    host: *const c_void,
    _host_name: *const c_char,
    name: *const c_char,
    _external: c_int,
    size: usize,
    _constant: c_int,
    _global: c_int,
) {
    answer("__hipRegisterVar", |runtime| {
        // SAFETY: as the caller promises.
        let registered = unsafe { runtime.registered(binary, name, size) }?;
        runtime.variables.insert(host as u64, registered);
        Ok(())
    });
}
