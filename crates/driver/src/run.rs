//! Running a kernel: input, launch and options to a report.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use wavemark_codeobj::CodeObject;
use wavemark_codeobj::read::Kernel;
use wavemark_diag::{Diagnostic, SourceMap};

use crate::build::{Failure, loadable};
use crate::input::Input;
use crate::kernel;
use crate::launch::{self, ArgValue, Filled, Launch};
use crate::npy;
use crate::options::RunOptions;
use crate::report::Report;

/// Runs the kernel of `input` that `launch` or `options` name.
pub fn run(
    sources: &mut SourceMap,
    input: &Input,
    launch: Option<&Path>,
    options: &RunOptions,
) -> Result<Report, Failure> {
    let object = loadable(sources, input, options)?;
    let given = match launch {
        Some(path) => Some(launch::load(sources, path, &path.display().to_string(), options.seed)?),
        None => None,
    };
    let (named, span) = match (&options.kernel, &given) {
        (Some(name), _) => (Some(name.as_str()), None),
        (None, Some((launch, _))) => (launch.kernel.as_deref(), launch.kernel_span),
        (None, None) => (None, None),
    };
    let kernel = kernel::select(&object, &input.name, named, span)?;
    let metadata = object.kernel_metadata(kernel);
    let (launch, filled) = match given {
        Some(given) => given,
        None => (kernel::default_launch(kernel, metadata)?, Vec::new()),
    };
    let unsuitable = kernel::check_launch(&launch, kernel, metadata);
    if !unsuitable.is_empty() {
        return Err(unsuitable.into());
    }
    simulate(&object, kernel, &launch, filled, options)
}

fn simulate(
    _object: &CodeObject,
    _kernel: &Kernel,
    _launch: &Launch,
    _filled: Vec<Filled>,
    _options: &RunOptions,
) -> Result<Report, Failure> {
    Err(Failure::Unsupported("there is no simulator yet".to_owned()))
}

/// Writes the buffers of `launch` as `.npy` files into `folder`, each called after its argument.
pub fn write_outputs(folder: &Path, launch: &Launch, contents: &[Vec<u8>]) -> Result<(), Diagnostic> {
    let unwritable = |path: &Path, error: std::io::Error| {
        Diagnostic::error(format!("cannot write {}: {error}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
    for (arg, bytes) in launch.args.iter().zip(contents) {
        let ArgValue::Buffer(buffer) = &arg.value else { continue };
        if !is_file_name(&arg.name) {
            return Err(Diagnostic::error(format!(
                "the argument `{}` cannot name a file of --out",
                arg.name
            )));
        }
        let path = folder.join(format!("{}.npy", arg.name));
        let file = npy::write(arg.dtype, &buffer.shape, bytes)
            .map_err(|error| Diagnostic::error(format!("cannot write {}: {error}", path.display())))?;
        std::fs::write(&path, file).map_err(|error| unwritable(&path, error))?;
    }
    Ok(())
}

/// A name that stays in its folder on every system.
fn is_file_name(name: &str) -> bool {
    !name.contains(['/', '\\', ':', '\0'])
}

/// Looks source lines up for a report on `input`: in the inputs that were read, else in files beside the input.
pub fn source_lines<'s>(sources: &'s SourceMap, input: &str) -> impl Fn(&str, u32) -> Option<String> + 's {
    let folder = Path::new(input).parent().map_or_else(PathBuf::new, Path::to_owned);
    let files: RefCell<FxHashMap<String, Option<String>>> = RefCell::default();
    move |file, line| {
        if let Some(source) = sources.by_name(file) {
            return source.line(line).map(str::to_owned);
        }
        let mut files = files.borrow_mut();
        let text =
            files.entry(file.to_owned()).or_insert_with(|| std::fs::read_to_string(folder.join(file)).ok());
        text.as_deref()?.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
    }
}
