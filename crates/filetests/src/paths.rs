//! Where the repository is, and the shared corpus that may stand beside it.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The shared folder: what `WAVEMARK_SHARED` names, else `../shared` beside the repository. `Err`: where it was
/// looked for in vain, in a sentence that a test can print when it is skipped.
pub fn shared() -> Result<PathBuf, String> {
    let folder = match std::env::var_os("WAVEMARK_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => root().join("../shared"),
    };
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err(format!("skipped: no shared folder at {} (WAVEMARK_SHARED names another)", folder.display()))
    }
}
