//! Variables of the device by their host shadows.

use std::ffi::{c_int, c_void};

use crate::answer::{Answer, Refusal, answer, out};
use crate::error::{Code, INVALID_VALUE};
use crate::handle::Handle;
use crate::runtime::Runtime;

/// The address of `len` bytes of a variable, from `offset` on.
fn part(runtime: &mut Runtime, symbol: *const c_void, len: usize, offset: usize) -> Answer<u64> {
    let (address, size) = runtime.variable_of(symbol)?;
    if offset.checked_add(len).is_none_or(|end| end > size) {
        let why = format!("{len} bytes from byte {offset} on are not in a variable of {size} bytes");
        return Err(Refusal::because(INVALID_VALUE, why));
    }
    Ok(address + offset as u64)
}

/// Where a variable is.
///
/// # Safety
///
/// `address` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetSymbolAddress(address: *mut u64, symbol: *const c_void) -> Code {
    answer("hipGetSymbolAddress", |runtime| {
        // SAFETY: as the caller promises.
        *unsafe { out(address) }? = runtime.variable_of(symbol)?.0;
        Ok(())
    })
}

/// How many bytes a variable has.
///
/// # Safety
///
/// `size` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetSymbolSize(size: *mut usize, symbol: *const c_void) -> Code {
    answer("hipGetSymbolSize", |runtime| {
        // SAFETY: as the caller promises.
        *unsafe { out(size) }? = runtime.variable_of(symbol)?.1;
        Ok(())
    })
}

/// Copies to a variable.
///
/// # Safety
///
/// `len` bytes can be read at `from`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyToSymbol(
    symbol: *const c_void,
    from: u64,
    len: usize,
    offset: usize,
    kind: c_int,
) -> Code {
    answer("hipMemcpyToSymbol", |runtime| {
        let to = part(runtime, symbol, len, offset)?;
        // SAFETY: as the caller promises.
        unsafe { runtime.copy(to, from, len, kind) }
    })
}

/// The same in the order of a stream.
///
/// # Safety
///
/// `len` bytes can be read at `from`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyToSymbolAsync(
    symbol: *const c_void,
    from: u64,
    len: usize,
    offset: usize,
    kind: c_int,
    _stream: Handle,
) -> Code {
    // SAFETY: as the caller promises.
    unsafe { hipMemcpyToSymbol(symbol, from, len, offset, kind) }
}

/// Copies from a variable.
///
/// # Safety
///
/// `len` bytes can be written at `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyFromSymbol(
    to: u64,
    symbol: *const c_void,
    len: usize,
    offset: usize,
    kind: c_int,
) -> Code {
    answer("hipMemcpyFromSymbol", |runtime| {
        let from = part(runtime, symbol, len, offset)?;
        // SAFETY: as the caller promises.
        unsafe { runtime.copy(to, from, len, kind) }
    })
}

/// The same in the order of a stream.
///
/// # Safety
///
/// `len` bytes can be written at `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyFromSymbolAsync(
    to: u64,
    symbol: *const c_void,
    len: usize,
    offset: usize,
    kind: c_int,
    _stream: Handle,
) -> Code {
    // SAFETY: as the caller promises.
    unsafe { hipMemcpyFromSymbol(to, symbol, len, offset, kind) }
}
