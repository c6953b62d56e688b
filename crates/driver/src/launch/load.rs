//! A launch file from disk: text, launch, contents of its buffers.

use std::io::Read;
use std::path::Path;

use wavemark_diag::{Diagnostic, SourceMap, Span};

use super::{Filled, Launch, Purpose, fill, parse};
use crate::options::RunOptions;

/// Longest launch file: values in it are for small cases, large arrays go into `.npy` files.
const MAX_LAUNCH_BYTES: u64 = 64 << 20;

/// Reads the launch file at `path`, called `name` in messages, and fills its buffers; `seed` draws the random ones.
pub fn load(
    sources: &mut SourceMap,
    path: &Path,
    name: &str,
    seed: u64,
    purpose: Purpose,
) -> Result<(Launch, Vec<Filled>), Vec<Diagnostic>> {
    let text = read_text(sources, path, name).map_err(|diagnostic| vec![diagnostic])?;
    let file = sources.add_text(name, text.as_str());
    let launch = parse(file, &text, purpose)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let filled = fill(&launch, folder, seed)?;
    Ok((launch, filled))
}

/// A launch with the bytes of its arguments.
pub(crate) type Given = (Launch, Vec<Filled>);

/// The launch of a launch file, if there is one.
pub(crate) fn given(
    sources: &mut SourceMap,
    path: Option<&Path>,
    options: &RunOptions,
    purpose: Purpose,
) -> Result<Option<Given>, Vec<Diagnostic>> {
    path.map(|path| load(sources, path, &path.display().to_string(), options.seed, purpose)).transpose()
}

/// The kernel or function that the options name, or else the launch file, and where it does.
pub(crate) fn named<'n>(
    options: &'n RunOptions,
    given: Option<&'n Given>,
) -> (Option<&'n str>, Option<Span>) {
    match (&options.kernel, given) {
        (Some(name), _) => (Some(name), None),
        (None, Some((launch, _))) => (launch.kernel.as_deref(), launch.kernel_span),
        (None, None) => (None, None),
    }
}

fn read_text(sources: &mut SourceMap, path: &Path, name: &str) -> Result<String, Diagnostic> {
    let unreadable = |error| Diagnostic::error(format!("cannot read {name}: {error}"));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_LAUNCH_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_LAUNCH_BYTES {
        return Err(Diagnostic::error(format!("{name} is longer than {} MiB", MAX_LAUNCH_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
        let file = sources.add_text(name, before);
        Diagnostic::error("not UTF-8").at(Span::new(file, good..good))
    })
}
