//! What a call came to, and why.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use wavemark_driver::build::Failure;
use wavemark_driver::session::Session;

/// What a call came to. What a kernel does wrong is no failure: it is in the report.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is done.
    Ok = 0,
    /// The input, the launch or the options cannot be used.
    Unusable = 2,
    /// What is asked for is not modelled.
    Unsupported = 3,
    /// A bug of Wavemark.
    Internal = 4,
}

/// Why a call gave no result.
pub(crate) struct Problem {
    status: Status,
    what: String,
}

impl Problem {
    /// The caller's arguments cannot be used.
    pub fn unusable(what: impl Into<String>) -> Problem {
        Problem { status: Status::Unusable, what: what.into() }
    }

    /// What the session has failed at.
    pub fn of(session: &Session, failure: &Failure) -> Problem {
        let status = match failure {
            Failure::Unusable(_) => Status::Unusable,
            Failure::Unsupported(_) => Status::Unsupported,
        };
        Problem { status, what: session.explain(failure) }
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// A text for C: it ends at the first NUL that it has.
pub(crate) fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

fn remember(what: &str) {
    LAST_ERROR.with(|last| *last.borrow_mut() = c_text(what));
}

/// Does what a call is for; what goes wrong becomes its status and the thread's last error.
pub(crate) fn attempt(work: impl FnOnce() -> Result<(), Problem>) -> Status {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(problem)) => {
            remember(&problem.what);
            problem.status
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            remember(&format!("internal error, a bug of wavemark: {text}"));
            Status::Internal
        }
    }
}

/// A value for the caller: of a panic its default.
pub(crate) fn value<T>(otherwise: T, work: impl FnOnce() -> Result<T, Problem>) -> T {
    let mut found = None;
    attempt(|| {
        found = Some(work()?);
        Ok(())
    });
    found.unwrap_or(otherwise)
}

/// The text at `pointer`.
///
/// # Safety
///
/// A NUL-terminated string is at `pointer`, or `pointer` is null, and it stays for `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Problem> {
    // SAFETY: as this function's.
    match unsafe { optional_text(pointer, what) }? {
        Some(text) => Ok(text),
        None => Err(Problem::unusable(format!("{what} is a null pointer"))),
    }
}

/// The text at `pointer`, if it is not null.
///
/// # Safety
///
/// As of [`text`].
pub(crate) unsafe fn optional_text<'a>(
    pointer: *const c_char,
    what: &str,
) -> Result<Option<&'a str>, Problem> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: a NUL-terminated string is there, as this function's caller promises.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| Problem::unusable(format!("{what} is not UTF-8")))
}

/// The `size` bytes at `pointer`.
///
/// # Safety
///
/// So many bytes can be read there, or there are none and `pointer` is null, and they stay for `'a`.
pub(crate) unsafe fn bytes<'a>(pointer: *const u8, size: usize, what: &str) -> Result<&'a [u8], Problem> {
    if size == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Problem::unusable(format!("{what}: {size} bytes at a null pointer")));
    }
    // SAFETY: so many bytes are there, as this function's caller promises.
    Ok(unsafe { std::slice::from_raw_parts(pointer, size) })
}

/// What is at `pointer`.
///
/// # Safety
///
/// A `T` is there that nobody writes to, or `pointer` is null, and it stays for `'a`.
pub(crate) unsafe fn there<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Problem> {
    // SAFETY: as this function's.
    unsafe { pointer.as_ref() }.ok_or_else(|| Problem::unusable(format!("{what} is a null pointer")))
}

/// What is at `pointer`, to be changed.
///
/// # Safety
///
/// A `T` is there that nobody else uses, or `pointer` is null, and it stays for `'a`.
pub(crate) unsafe fn there_mut<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, Problem> {
    // SAFETY: as this function's.
    unsafe { pointer.as_mut() }.ok_or_else(|| Problem::unusable(format!("{what} is a null pointer")))
}

/// Why the last call of this thread that failed did so; empty if none has. It stays until the next one fails.
#[unsafe(no_mangle)]
pub extern "C" fn wavemark_last_error() -> *const c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}
