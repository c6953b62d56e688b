//! Expectations in files: a text must be what the file says; `WAVEMARK_BLESS=1` makes it so.

use std::path::Path;

use similar::TextDiff;

/// Whether expectations are to be rewritten.
pub fn blessing() -> bool {
    std::env::var_os("WAVEMARK_BLESS").is_some_and(|value| value == "1")
}

/// Holds `actual` against the file at `path`.
///
/// # Errors
/// The difference, and the command that blesses it.
pub fn check(path: &Path, actual: &str) -> Result<(), String> {
    if blessing() {
        return std::fs::write(path, actual)
            .map_err(|error| format!("cannot write {}: {error}", path.display()));
    }
    let expected = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
    };
    if expected == actual {
        return Ok(());
    }
    let diff = TextDiff::from_lines(expected.as_str(), actual);
    Err(format!(
        "{}\nbless with: cargo xtask bless",
        diff.unified_diff().header(&path.display().to_string(), "this run")
    ))
}
