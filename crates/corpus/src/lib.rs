//! For tests only: where the repository is, and the shared folder of corpora and goldens that may stand beside it.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// A folder of the shared folder (what `WAVEMARK_SHARED` names, else `../shared` beside the repository).
///
/// # Errors
/// If there is none: where it was looked for, in a sentence that a test can print when it is skipped.
pub fn shared(folder: &str) -> Result<PathBuf, String> {
    let shared = match std::env::var_os("WAVEMARK_SHARED") {
        Some(shared) => PathBuf::from(shared),
        None => root().join("../shared"),
    };
    let path = shared.join(folder);
    if path.is_dir() {
        Ok(path)
    } else {
        Err(format!("SKIPPED: there is no {} (WAVEMARK_SHARED names another shared folder)", path.display()))
    }
}

/// The same; without it the sentence is printed, and in CI it is a failure.
///
/// # Panics
/// Where `CI` is set and the folder is not there: a test that needs it must not pass.
pub fn shared_or_skip(folder: &str) -> Option<PathBuf> {
    shared(folder)
        .inspect_err(|message| {
            assert!(std::env::var_os("CI").is_none(), "{message}");
            eprintln!("{message}");
        })
        .ok()
}

/// Why a case of the shared corpus does not score as its verdict asks yet; `None` for those that must. The cases stand
/// in `tests/corpus-known.txt`, a name and a reason a line.
pub fn known_failure(case: &str) -> Option<&'static str> {
    let lines = include_str!("../../../tests/corpus-known.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(' '))
        .find(|(name, _)| *name == case)
        .map(|(_, reason)| reason.trim())
}
