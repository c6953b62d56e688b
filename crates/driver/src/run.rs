//! Running a kernel: input, launch and options to a report.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustc_hash::FxHashMap;
use wavemark_codeobj::lines::LineTable;
use wavemark_codeobj::read::Kernel;
use wavemark_codeobj::{CodeObject, LoadedImage};
use wavemark_diag::{Diagnostic, SourceMap};
use wavemark_sim::{DispatchError, Global, RunConfig, RunEnd};
use wavemark_target::WaveSize;

use crate::build::{Failure, loadable};
use crate::compare::compare;
use crate::faults::Faults;
use crate::input::Input;
use crate::kernarg::{Argument, Dispatch, Passed, lay_out};
use crate::kernel;
use crate::launch::{self, ArgValue, Filled, Launch};
use crate::lines::instruction_set;
use crate::npy;
use crate::options::{Completion, RunOptions};
use crate::places::Places;
use crate::report::{Output, Report, Stats};

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
    simulate(input, &object, kernel, &launch, filled, options)
}

/// A code object in memory, with what places of its code in the source.
struct Loaded {
    image: LoadedImage,
    lines: LineTable,
}

/// Loads the object into `memory`. Its segments and the gaps between them are one allocation.
fn load(object: &CodeObject, name: &str, memory: &mut Global) -> Result<Loaded, Failure> {
    let unloadable = |error: String| Diagnostic::error(format!("{name} cannot be loaded: {error}"));
    let base = memory.next_address();
    let image = LoadedImage::load(object, base).map_err(|error| unloadable(error.to_string()))?;
    let end =
        image.segments.iter().map(|segment| segment.vaddr + segment.bytes.len() as u64).max().unwrap_or(base);
    let mut bytes = vec![0; (end - base) as usize];
    for segment in &image.segments {
        let start = (segment.vaddr - base) as usize;
        bytes[start..start + segment.bytes.len()].copy_from_slice(&segment.bytes);
    }
    let writable = image.segments.iter().any(|segment| segment.writable);
    memory.allocate("the code object", bytes, writable);
    let lines = LineTable::build(object).map_err(|error| unloadable(format!("its line table: {error}")))?;
    Ok(Loaded { image, lines })
}

fn simulate(
    input: &Input,
    object: &CodeObject,
    kernel: &Kernel,
    launch: &Launch,
    filled: Vec<Filled>,
    options: &RunOptions,
) -> Result<Report, Failure> {
    let target = object.target();
    let isa = instruction_set(target.processor)
        .ok_or_else(|| Failure::Unsupported(format!("the simulator does not model {}", target.processor)))?;
    let mut report = Report::new(&input.name);
    report.target = target.to_string();
    report.kernel = kernel.name.clone();

    let mut memory = Global::new();
    let loaded = load(object, &input.name, &mut memory)?;
    let name = &kernel.name;
    let loaded_kernel = loaded
        .image
        .kernel_by_name(name)
        .ok_or_else(|| Diagnostic::error(format!("{}: {name} is not in a loadable segment", input.name)))?;
    let code = loaded
        .image
        .segment_at(loaded_kernel.entry_vaddr)
        .filter(|segment| segment.executable)
        .ok_or_else(|| {
            Diagnostic::error(format!("{}: the entry of {name} is not in an executable segment", input.name))
        })?;
    let machine_kernel = wavemark_sim::Kernel {
        isa,
        code: wavemark_sim::Segment { base: code.vaddr, bytes: code.bytes.clone() },
        entry: loaded_kernel.entry_vaddr,
        descriptor_address: loaded_kernel.descriptor_vaddr,
        descriptor: loaded_kernel.descriptor,
    };

    let mut addresses = Vec::new();
    let mut expectations = Vec::new();
    for (arg, contents) in launch.args.iter().zip(filled) {
        expectations.push(contents.expected);
        addresses.push(match arg.value {
            ArgValue::Scalar(_) => ArgumentAddress::Value(contents.bytes),
            ArgValue::Buffer(_) => ArgumentAddress::Buffer(memory.allocate(
                format!("argument `{}`", arg.name),
                contents.bytes,
                true,
            )),
        });
    }
    let kernarg = kernel_arguments(object, kernel, launch, &addresses)?;
    let dispatch = wavemark_sim::Dispatch {
        grid: launch.grid,
        block: launch.block,
        cluster: launch.cluster,
        dynamic_lds: launch.dynamic_lds,
        kernarg,
        dynamic_stack: 0,
    };
    let mut config = RunConfig {
        completion: match options.completion {
            Completion::Late => wavemark_sim::Completion::Late,
            Completion::Early => wavemark_sim::Completion::Early,
            Completion::Random => wavemark_sim::Completion::Random,
        },
        seed: options.seed,
        ..RunConfig::default()
    };
    if let Some(steps) = options.max_steps {
        config.max_steps = steps;
    }

    let places = Places {
        isa,
        features: wavemark_isa::Features {
            wave64: kernel.descriptor.wave_size() == WaveSize::Wave64,
            ..wavemark_isa::Features::default_of(isa)
        },
        base: loaded.image.base,
        lines: loaded.lines,
    };
    let mut faults = Faults::new(&places);
    let started = Instant::now();
    let result = wavemark_sim::dispatch(&mut memory, &machine_kernel, &dispatch, config, &mut faults);
    let seconds = started.elapsed().as_secs_f64();
    let (end, stats) = result.map_err(|error| match error {
        DispatchError::Unsupported(what) => Failure::Unsupported(what),
        error => Diagnostic::error(format!("{name} cannot be dispatched: {error}")).into(),
    })?;
    report.stats = Stats {
        workgroups: stats.workgroups,
        waves: stats.waves,
        wave_instructions: stats.wave_instructions,
        lane_instructions: stats.lane_instructions,
        seconds,
    };
    if let RunEnd::Unsupported { pc, what, .. } = &end {
        let source = places.source(*pc).map(|source| format!(" ({source})")).unwrap_or_default();
        report.unsupported.push(format!("{what}, at {:#x}{source}", pc.wrapping_sub(places.base)));
    }
    report.findings.extend(faults.into_findings());
    let finished = end == RunEnd::Finished;
    for (part, wanted) in options.check.parts() {
        if wanted {
            report.not_checked.push(format!("{part}: there is no checker yet"));
        }
    }

    let mut contents = Vec::new();
    for ((arg, address), expected) in launch.args.iter().zip(&addresses).zip(&expectations) {
        let (ArgValue::Buffer(buffer), ArgumentAddress::Buffer(base)) = (&arg.value, address) else {
            contents.push(Vec::new());
            continue;
        };
        let bytes = memory.contents(*base).unwrap_or_default();
        if let (Some(expect), Some(expected), true) = (&buffer.expect, expected, finished) {
            let comparison = compare(arg.dtype, &buffer.shape, bytes, expected, expect.rtol, expect.atol);
            report.outputs.push(Output::new(&arg.name, comparison));
        }
        contents.push(bytes.to_vec());
    }
    if let Some(folder) = &options.out {
        write_outputs(folder, launch, &contents)?;
    }
    report.conclude();
    Ok(report)
}

/// Where an argument is: in the segment itself, or in an allocation.
enum ArgumentAddress {
    Value(Vec<u8>),
    Buffer(u64),
}

fn kernel_arguments(
    object: &CodeObject,
    kernel: &Kernel,
    launch: &Launch,
    addresses: &[ArgumentAddress],
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let metadata = object.kernel_metadata(kernel);
    let arguments: Vec<Argument<'_>> = launch
        .args
        .iter()
        .zip(addresses)
        .map(|(arg, address)| Argument {
            name: &arg.name,
            span: arg.span,
            passed: match address {
                ArgumentAddress::Value(bytes) => Passed::Value(bytes),
                ArgumentAddress::Buffer(base) => Passed::Address(*base),
            },
        })
        .collect();
    // As the dispatch packet has it: the last dimension that is more than one work-item wide.
    let used = |dimension: &usize| launch.grid[*dimension] > 1 || launch.block[*dimension] > 1;
    let dimensions = (0..3).rev().find(used).map_or(1, |last| last as u32 + 1);
    let dispatch = Dispatch {
        grid: launch.grid,
        block: launch.block,
        dimensions,
        dynamic_lds: launch.dynamic_lds,
        ..Dispatch::default()
    };
    let parameters = kernel::parameters(kernel, metadata);
    let size = kernel::segment_size(kernel, metadata);
    lay_out(&kernel.name, &arguments, parameters.as_deref(), size, &dispatch)
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
