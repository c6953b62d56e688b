//! How an entry point answers: with a code, which the thread remembers, and a line on standard error where a code says
//! too little. No panic gets out.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use wavemark_driver::build::Failure;

use crate::error::{Code, INVALID_VALUE, NOT_SUPPORTED, SUCCESS, UNKNOWN};
use crate::runtime::{Runtime, runtime};

/// Why an entry point did not do what it is for.
#[derive(Debug)]
pub struct Refusal {
    code: Code,
    /// In words, where the code is not enough.
    why: Option<String>,
}

/// What an entry point comes to.
pub type Answer<T = ()> = Result<T, Refusal>;

impl From<Code> for Refusal {
    fn from(code: Code) -> Refusal {
        Refusal { code, why: None }
    }
}

impl Refusal {
    /// With the reason, which is told on standard error.
    pub fn because(code: Code, why: impl Display) -> Refusal {
        Refusal { code, why: Some(why.to_string()) }
    }

    /// A failure of the driver: `unusable`, or that something is not modelled.
    pub fn of(runtime: &Runtime, failure: &Failure, unusable: Code) -> Refusal {
        let code = match failure {
            Failure::Unusable(_) => unusable,
            Failure::Unsupported(_) => NOT_SUPPORTED,
        };
        Refusal::because(code, runtime.session.explain(failure))
    }
}

thread_local! {
    static LAST_ERROR: Cell<Code> = const { Cell::new(SUCCESS) };
}

/// The thread's last error.
pub fn last_error() -> Code {
    LAST_ERROR.get()
}

/// Sets the thread's last error; the one before.
pub fn set_last_error(code: Code) -> Code {
    LAST_ERROR.replace(code)
}

/// Does what the entry point `name` is for.
pub fn answer(name: &str, work: impl FnOnce(&mut Runtime) -> Answer) -> Code {
    let done = catch_unwind(AssertUnwindSafe(|| work(&mut runtime())));
    let refusal = match done {
        Ok(Ok(())) => return SUCCESS,
        Ok(Err(refusal)) => refusal,
        Err(_) => Refusal::because(UNKNOWN, "internal error, a bug of wavemark"),
    };
    if let Some(why) = refusal.why {
        eprintln!("wavemark: {name}: {why}");
    }
    set_last_error(refusal.code);
    refusal.code
}

/// What is at `pointer`, to be written to.
///
/// # Safety
///
/// `pointer` is null, or a `T` can be written there and nobody else uses it.
pub unsafe fn out<'a, T>(pointer: *mut T) -> Answer<&'a mut T> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_mut() }.ok_or_else(|| INVALID_VALUE.into())
}
