//! Where the repository is, and the shared corpus that may stand beside it.

use std::path::PathBuf;

pub use wavemark_corpus::root;

/// The shared folder.
///
/// # Errors
/// If there is none: where it was looked for, in a sentence that a test can print when it is skipped.
pub fn shared() -> Result<PathBuf, String> {
    wavemark_corpus::shared("")
}
