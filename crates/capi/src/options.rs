//! Options of launches: by name, as the command line has them, so that a new one breaks no program.

use std::ffi::c_char;

use wavemark_driver::options::RunOptions;

use crate::status::{Problem, Status, attempt, text, there_mut, value};

/// How launches are run. What is not set is as on the command line.
pub struct Options {
    /// Names and values, in the order in which they were set.
    set: Vec<(String, String)>,
}

impl Options {
    /// What a launch that begins now is run with.
    pub(crate) fn now(&self) -> Result<RunOptions, Problem> {
        let mut options = RunOptions::default();
        self.set.iter().try_for_each(|(name, value)| options.set(name, value)).map_err(Problem::unusable)?;
        Ok(options)
    }
}

/// New options, nothing set. Delete them with wavemark_options_delete.
#[unsafe(no_mangle)]
pub extern "C" fn wavemark_options_new() -> *mut Options {
    value(std::ptr::null_mut(), || Ok(Box::into_raw(Box::new(Options { set: Vec::new() }))))
}

/// Deletes options.
///
/// # Safety
///
/// `options` is from wavemark_options_new and not deleted, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_options_delete(options: *mut Options) {
    if !options.is_null() {
        // SAFETY: it was made by `Box::into_raw` and is given back once, as the caller promises.
        let owned = unsafe { Box::from_raw(options) };
        attempt(|| {
            drop(owned);
            Ok(())
        });
    }
}

/// Sets what the command line calls `--NAME`: "check", "completion", "seed", "threads", "max-steps", "timeout" (seconds
/// of each launch) or "model", which adds up; or "record" to "true", for pages. A wrong value is refused here.
///
/// # Safety
///
/// `options` are options; `name` and `setting` strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_options_set(
    options: *mut Options,
    name: *const c_char,
    setting: *const c_char,
) -> Status {
    attempt(|| {
        // SAFETY: all as the caller promises.
        let (options, name, setting) =
            unsafe { (there_mut(options, "options")?, text(name, "name")?, text(setting, "setting")?) };
        RunOptions::default().set(name, setting).map_err(Problem::unusable)?;
        options.set.push((name.to_owned(), setting.to_owned()));
        Ok(())
    })
}
