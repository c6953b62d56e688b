//! One run of a kernel under one schedule: memory, dispatch, observers, outputs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use wavemark_budget::room_for;
use wavemark_check::{Alike, Checker, Model, Unfollowed};
use wavemark_codeobj::lines::LineTable;
use wavemark_codeobj::read::Kernel;
use wavemark_codeobj::{CodeObject, LoadedImage, image};
use wavemark_diag::Diagnostic;
use wavemark_sim::events::Silent;
use wavemark_sim::fidelity::Approximation;
use wavemark_sim::{DispatchError, Global, Limit, RunConfig, RunEnd};
use wavemark_target::Machine;

use crate::build::Failure;
use crate::compare::compare;
use crate::findings::{checks, convert, of_end};
use crate::kernarg::{Argument, Dispatch, Passed, lay_out};
use crate::kernel;
use crate::launch::{ArgValue, Filled, Launch};
use crate::observers::{Both, Maybe};
use crate::options::RunOptions;
use crate::places::Places;
use crate::printf;
use crate::recorder::Recorder;
use crate::recording::Recording;
use crate::report::{
    Approximate, Checked, Class, Coverage, Executed, Finding, Output, Printed, Report, Severity, Stats,
    Stream, Unexecuted,
};

/// A kernel with its launch, ready to run any number of times.
pub(crate) struct Prepared<'p> {
    /// The input's name.
    pub name: &'p str,
    /// The linked code object.
    pub object: &'p CodeObject,
    /// Addresses of it to source lines.
    pub lines: &'p LineTable,
    /// Its kernel.
    pub kernel: &'p Kernel,
    /// The launch.
    pub launch: &'p Launch,
    /// The launch's arguments, one for one.
    pub filled: &'p [Filled],
    /// Its machine, and how instructions are written.
    pub machine: Machine,
    /// What executes it: the same, as the simulator models it.
    pub executed_by: Machine,
    /// Readings of open questions.
    pub model: Model,
}

/// A kernel and its arguments in memory of their own, ready to be dispatched once.
pub(crate) struct Placed {
    pub memory: Global,
    pub image: LoadedImage,
    pub kernel: wavemark_sim::Kernel,
    /// Where the arguments that are buffers are.
    pub addresses: Vec<Option<u64>>,
    pub dispatch: wavemark_sim::Dispatch,
}

impl Prepared<'_> {
    /// Puts code and arguments into memory.
    pub fn place(&self) -> Result<Placed, Failure> {
        let mut memory = Global::new();
        let base = memory.next_address();
        let image = load(self.name, self.object, &mut memory, base)?;
        let kernel = machine_kernel(self.name, self.kernel, self.executed_by, &image, &code_of(&image))?;
        let addresses = allocate(self.launch, self.filled, &mut memory);
        let dispatch = wavemark_sim::Dispatch {
            grid: self.launch.grid,
            block: self.launch.block,
            cluster: self.launch.cluster,
            dynamic_lds: self.launch.dynamic_lds,
            kernarg: kernel_arguments(self, &addresses)?,
            dynamic_stack: 0,
            hostcall: kernel::hostcall(self.object.kernel_metadata(self.kernel)),
        };
        Ok(Placed { memory, image, kernel, addresses, dispatch })
    }
}

/// What one dispatch gave.
pub(crate) struct Ran {
    pub findings: Vec<Finding>,
    pub stats: Stats,
    /// What stopped the run because it is not modelled.
    pub unsupported: Option<String>,
    /// The limit that ended it before its end.
    pub limit: Option<Limit>,
    /// It came to its end.
    pub finished: bool,
    /// Addresses of the instructions executed, ascending.
    pub executed: Vec<u64>,
    /// What happened, where it is wanted.
    pub recording: Option<Recording>,
    /// What the program has printed, in order.
    pub printed: Vec<Printed>,
    /// Stores were not held against all loads before them ([`wavemark_check::Outcome::readers_forgotten`]).
    pub readers_forgotten: bool,
    /// Findings that come of values which mean nothing are left out ([`wavemark_check::Outcome::left_out`]).
    pub left_out: bool,
}

/// Which run it is of those that are the same.
pub(crate) enum Pass {
    /// The first one; `recorded`: with a recording.
    First { recorded: bool },
    /// One more, for the checker to follow these loads.
    Follow(Unfollowed),
}

/// What one run of a launch gave.
pub(crate) struct Outcome {
    pub ran: Ran,
    pub outputs: Vec<Output>,
    /// The code, where it was loaded.
    pub code: Code,
    /// The arguments' bytes at the end; empty for scalars.
    pub contents: Vec<Vec<u8>>,
}

/// A kernel's code in memory.
pub(crate) struct Code {
    kernel: wavemark_sim::Kernel,
    /// Where the code object begins.
    base: u64,
    /// Bytes of the kernel, as its symbol says; up to the segment's end if it does not.
    size: u64,
}

impl Code {
    /// The code of `kernel`, which is called `name` in `image`.
    pub fn new(kernel: wavemark_sim::Kernel, image: &LoadedImage, name: &str) -> Code {
        let size = code_size(image, name);
        let end = kernel.code.base + kernel.code.bytes.len() as u64;
        let size = if size == 0 { end - kernel.entry } else { size };
        Code { kernel, base: image.base, size }
    }
}

/// Bytes of the kernel `name`, as its symbol says; 0 if it does not.
pub(crate) fn code_size(image: &LoadedImage, name: &str) -> u64 {
    image.kernel_by_name(name).map_or(0, |kernel| kernel.code_size)
}

/// Runs it with `seed`; `recorded`: with a recording.
pub(crate) fn execute(
    prepared: &Prepared<'_>,
    options: &RunOptions,
    seed: u64,
    recorded: bool,
) -> Result<Outcome, Failure> {
    let Placed { mut memory, image, kernel, addresses, dispatch } = prepared.place()?;
    let places = Places { machine: prepared.machine, base: image.base, lines: prepared.lines };
    let size = code_size(&image, &prepared.kernel.name);
    let loaded = LoadedKernel { kernel: &kernel, places: &places, model: prepared.model, size };
    let failed = |error| undispatched(&prepared.kernel.name, error);
    let run = |memory: &mut Global, pass| {
        dispatch_once(memory, &loaded, &dispatch, options, seed, pass).map_err(failed)
    };
    let (mut ran, unfollowed) = run(&mut memory, Pass::First { recorded })?;
    let contents = contents(&memory, &addresses);
    let outputs =
        if ran.finished { outputs(prepared.launch, prepared.filled, &contents) } else { Vec::new() };
    if ran.finished && !unfollowed.is_empty() {
        // The same once more, from the same memory, in the room of what the first run has left.
        drop(memory);
        let (again, _) = run(&mut prepared.place()?.memory, Pass::Follow(unfollowed))?;
        if again.finished {
            ran.findings = again.findings;
        }
    }
    let code = Code::new(kernel, &image, &prepared.kernel.name);
    Ok(Outcome { ran, outputs, code, contents })
}

/// A kernel in memory, and what reports need to speak of it.
pub(crate) struct LoadedKernel<'s> {
    /// The kernel.
    pub kernel: &'s wavemark_sim::Kernel,
    /// Its places.
    pub places: &'s Places<'s>,
    /// Readings of open questions.
    pub model: Model,
    /// Bytes of the kernel, as its symbol says; 0 if it does not.
    pub size: u64,
}

impl LoadedKernel<'_> {
    /// The address of the kernel's first instruction, and its code from there on.
    fn instructions(&self) -> (u64, &[u8]) {
        let code = &self.kernel.code;
        let first = self.kernel.first_instruction();
        let from = (first - code.base) as usize;
        let end = (self.kernel.entry - code.base).saturating_add(self.size) as usize;
        let end = if self.size == 0 { code.bytes.len() } else { end.min(code.bytes.len()) };
        (first, code.bytes.get(from..end).unwrap_or_default())
    }
}

/// Runs it once; besides, the loads of which the checker would know more in another run of the same.
pub(crate) fn dispatch_once(
    memory: &mut Global,
    loaded: &LoadedKernel<'_>,
    dispatch: &wavemark_sim::Dispatch,
    options: &RunOptions,
    seed: u64,
    pass: Pass,
) -> Result<(Ran, Unfollowed), DispatchError> {
    let LoadedKernel { kernel, places, model, .. } = *loaded;
    let machine = places.machine;
    let config = config(options, seed);
    let started = Instant::now();
    let (recorded, followed) = match pass {
        Pass::First { recorded } => (recorded, Unfollowed::default()),
        Pass::Follow(loads) => (false, loads),
    };
    let checked = options.check != Checked::default();
    let checker = checked.then(|| {
        let checker = Checker::new(kernel.machine, checks(options.check), model);
        let mut checker = checker.with_code(kernel.code.clone()).following(followed);
        if options.stop_on_error {
            checker.stop_on_error(Arc::clone(&options.brake));
        }
        Alike::new(checker)
    });
    let recorder = recorded.then(|| Recorder::new(machine));
    let (end, stats, checker, recorder) = if checker.is_some() || recorder.is_some() {
        let mut observer = Both(Maybe(checker), Maybe(recorder));
        let (end, stats) = wavemark_sim::dispatch(memory, kernel, dispatch, config, &mut observer)?;
        (end, stats, observer.0.0, observer.1.0)
    } else {
        let (end, stats) = wavemark_sim::dispatch(memory, kernel, dispatch, config, &mut Silent)?;
        (end, stats, None, None)
    };
    let seconds = started.elapsed().as_secs_f64();
    let printed: Vec<Printed> = stats.messages.iter().map(|message| printf::printed(message)).collect();
    let (mut findings, unfollowed, readers_forgotten, left_out) = match checker {
        Some(checker) => {
            let found = checker.finish();
            let findings = found.findings.into_iter().map(|finding| convert(finding, Some(kernel), places));
            (findings.collect(), found.unfollowed, found.readers_forgotten, found.left_out)
        }
        None => (of_end(&end).into_iter().collect::<Vec<Finding>>(), Unfollowed::default(), false, false),
    };
    if end == RunEnd::Trap {
        // Which waits a run that was cut short did not need says nothing.
        findings.retain(|finding| finding.severity != Severity::Advice);
        name_assertion(&mut findings, &printed);
    }
    let unsupported = match &end {
        RunEnd::Unsupported { pc, what, .. } => {
            let source = places.source(*pc).map(|source| format!(" ({source})")).unwrap_or_default();
            let what = what.trim_start_matches("unsupported: ");
            Some(format!("{what}, at {:#x}{source}", pc.wrapping_sub(places.base)))
        }
        _ => None,
    };
    let finished = end == RunEnd::Finished;
    let limit = match end {
        RunEnd::Limit(limit) => Some(limit),
        _ => None,
    };
    let executed = stats.executed;
    let stats = Stats {
        workgroups: stats.workgroups,
        waves: stats.waves,
        wave_instructions: stats.wave_instructions,
        lane_instructions: stats.lane_instructions,
        seconds,
        ..Stats::default()
    };
    let recording = recorder.map(|recorder| {
        let (first, code) = loaded.instructions();
        recorder.finish(places, kernel.machine, first, code)
    });
    let ran = Ran {
        findings,
        stats,
        unsupported,
        limit,
        finished,
        executed,
        recording,
        printed,
        readers_forgotten,
        left_out,
    };
    Ok((ran, unfollowed))
}

/// A trap after something was printed on standard error is an assertion, and that is its message.
fn name_assertion(findings: &mut [Finding], printed: &[Printed]) {
    let Some(message) = printed.iter().rev().find(|one| one.stream == Stream::Stderr) else { return };
    for trap in findings.iter_mut().filter(|finding| finding.class == Class::Trap) {
        trap.title = format!("an assertion fails: {}", message.text.trim());
    }
}

/// Why the kernel `name` was not run.
pub(crate) fn undispatched(name: &str, error: DispatchError) -> Failure {
    match error {
        DispatchError::Unsupported(what) => Failure::Unsupported(what),
        error => Diagnostic::error(format!("{name} cannot be dispatched: {error}")).into(),
    }
}

/// What of a kernel was executed.
#[derive(Clone, Debug)]
pub(crate) struct Covered {
    coverage: Coverage,
    /// Something of it is asynchronous or shared.
    timed: bool,
}

impl Covered {
    /// `executed` are the addresses where a wave has been, ascending.
    pub fn of(machine: Machine, lines: &LineTable, code: &Code, executed: &[u64]) -> Covered {
        let places = Places { machine, base: code.base, lines };
        let found = wavemark_sim::Coverage::of(&code.kernel, code.size, executed);
        let unexecuted = found.unexecuted.iter().map(|&(from, to)| Unexecuted {
            from: from - code.base,
            to: to - code.base,
            source: places.source(from),
        });
        let approximate = |(one, names): &(Approximation, BTreeSet<&str>)| Approximate {
            subject: one.subject.to_owned(),
            instructions: names.iter().map(|&name| name.to_owned()).collect(),
        };
        let coverage = Coverage {
            instructions: Executed { executed: found.executed, total: found.total },
            unexecuted_unsupported: found.unsupported.len() as u64,
            unexecuted: unexecuted.collect(),
            approximate: found.approximate.iter().map(approximate).collect(),
        };
        Covered { coverage, timed: found.timed }
    }

    /// Says so in a report.
    pub fn tell(self, report: &mut Report) {
        report.coverage = Some(self.coverage);
        report.nothing_to_check = !self.timed;
    }
}

pub(crate) fn config(options: &RunOptions, seed: u64) -> RunConfig {
    let limits = RunConfig::default();
    RunConfig {
        completion: options.completion,
        seed,
        policy: options.policy.clone(),
        recorder: options.recorder.clone(),
        max_steps: options.max_steps.unwrap_or(limits.max_steps),
        max_total_steps: options.max_total_steps.unwrap_or(limits.max_total_steps),
        brake: Arc::clone(&options.brake),
        progress: Arc::clone(&options.progress),
        // Several schedules run side by side themselves.
        threads: if options.schedules > 1 { 1 } else { options.threads.unwrap_or(1) },
    }
}

/// Unused bytes between segments that are part of their allocation; where there are more, the next segment is one of
/// its own, so that a file cannot ask for memory that it does not fill.
const GAP: u64 = 64 << 10;

/// Loads the code object into `memory` at `base`, behind all that is there.
pub(crate) fn load(
    name: &str,
    object: &CodeObject,
    memory: &mut Global,
    base: u64,
) -> Result<LoadedImage, Failure> {
    let unloadable =
        |what: String| Failure::from(Diagnostic::error(format!("{name} cannot be loaded: {what}")));
    let image = LoadedImage::load(object, base).map_err(|error| unloadable(error.to_string()))?;
    let end = |segment: &image::Segment| segment.vaddr + segment.bytes.len() as u64;
    let near = |a: &image::Segment, b: &image::Segment| b.vaddr - end(a) <= GAP;
    for (index, segments) in image.segments.chunk_by(near).enumerate() {
        let (first, last) = (&segments[0], &segments[segments.len() - 1]);
        let start = if index == 0 && first.vaddr - base <= GAP { base } else { first.vaddr };
        room_for(end(last) - start).map_err(|no_room| unloadable(format!("it {no_room}")))?;
        let mut bytes = vec![0; (end(last) - start) as usize];
        for segment in segments {
            let offset = (segment.vaddr - start) as usize;
            bytes[offset..offset + segment.bytes.len()].copy_from_slice(&segment.bytes);
        }
        let writable = segments.iter().any(|segment| segment.writable);
        if !memory.allocate_at(start, "the code object", bytes, writable) {
            return Err(unloadable(format!(
                "its segment at {:#x} is outside of the address space",
                start - base
            )));
        }
    }
    Ok(image)
}

/// The code of a loaded object.
pub(crate) fn code_of(image: &LoadedImage) -> Vec<wavemark_sim::Segment> {
    let code = image.segments.iter().filter(|segment| segment.executable);
    code.map(|code| wavemark_sim::Segment { base: code.vaddr, bytes: code.bytes.as_slice().into() }).collect()
}

/// The kernel of `input`, loaded as `image` with this code, as the simulator takes it.
pub(crate) fn machine_kernel(
    input: &str,
    kernel: &Kernel,
    executed_by: Machine,
    image: &LoadedImage,
    code: &[wavemark_sim::Segment],
) -> Result<wavemark_sim::Kernel, Diagnostic> {
    let name = &kernel.name;
    let kernel = image
        .kernel_by_name(name)
        .ok_or_else(|| Diagnostic::error(format!("{input}: the descriptor of {name} is not loaded")))?;
    let holds_entry = |code: &&wavemark_sim::Segment| {
        kernel.entry_vaddr.checked_sub(code.base).is_some_and(|at| at < code.bytes.len() as u64)
    };
    let code = code.iter().find(holds_entry).ok_or_else(|| {
        Diagnostic::error(format!("{input}: the entry of {name} is not in an executable segment"))
    })?;
    let code_size = kernel.code_size;
    let kernel = wavemark_sim::Kernel {
        machine: executed_by,
        code: code.clone(),
        entry: kernel.entry_vaddr,
        descriptor_address: kernel.descriptor_vaddr,
        descriptor: kernel.descriptor,
    };
    let skipped = kernel.first_instruction() - kernel.entry;
    if (1..=skipped).contains(&code_size) {
        return Err(Diagnostic::error(format!(
            "{input}: {name} preloads kernel arguments, so that it starts {skipped} bytes behind its entry, but it has \
             {code_size} bytes"
        ))
        .help("its first 256 bytes are for firmware that does not preload: they load what is preloaded, or trap"));
    }
    Ok(kernel)
}

/// The address of each buffer; `None` for scalars.
pub(crate) fn allocate(launch: &Launch, filled: &[Filled], memory: &mut Global) -> Vec<Option<u64>> {
    let arguments = launch.args.iter().zip(filled);
    arguments
        .map(|(arg, filled)| match arg.value {
            ArgValue::Scalar(_) => None,
            ArgValue::Buffer(_) => {
                Some(memory.allocate(format!("argument `{}`", arg.name), filled.bytes.clone(), true))
            }
        })
        .collect()
}

/// The bytes of each buffer; nothing for scalars.
pub(crate) fn contents(memory: &Global, addresses: &[Option<u64>]) -> Vec<Vec<u8>> {
    let of = |address: &Option<u64>| match address {
        Some(base) => memory.contents(*base).unwrap_or_default().to_vec(),
        None => Vec::new(),
    };
    addresses.iter().map(of).collect()
}

/// What a launch passes: the addresses of its buffers, and scalars.
pub(crate) fn passed<'l>(
    launch: &'l Launch,
    filled: &'l [Filled],
    addresses: &[Option<u64>],
) -> Vec<Argument<'l>> {
    let all = launch.args.iter().zip(filled).zip(addresses);
    all.map(|((arg, filled), address)| Argument {
        name: &arg.name,
        span: arg.span,
        passed: match address {
            Some(base) => Passed::Address(*base),
            None => Passed::Value(&filled.bytes),
        },
    })
    .collect()
}

/// The kernel-argument segment of a launch.
pub(crate) fn kernel_arguments(
    prepared: &Prepared<'_>,
    addresses: &[Option<u64>],
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let Prepared { launch, kernel, .. } = prepared;
    argument_segment(prepared.object, kernel, launch, &passed(launch, prepared.filled, addresses))
}

/// The kernel-argument segment of a launch of `kernel` with these arguments.
pub(crate) fn argument_segment(
    object: &CodeObject,
    kernel: &Kernel,
    launch: &Launch,
    arguments: &[Argument<'_>],
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let dispatch = as_told(launch);
    let metadata = object.kernel_metadata(kernel);
    let parameters = kernel::parameters(kernel, metadata);
    let size = kernel::segment_size(kernel, metadata);
    lay_out(&kernel.name, arguments, parameters.as_deref(), size, &dispatch)
}

/// A launch, as hidden arguments tell it to the kernel.
pub(crate) fn as_told(launch: &Launch) -> Dispatch {
    // As the dispatch packet has it: up to the last dimension that is more than one work-item wide.
    let used = |dimension: &usize| launch.grid[*dimension] > 1 || launch.block[*dimension] > 1;
    Dispatch {
        grid: launch.grid,
        block: launch.block,
        dimensions: (0..3).rev().find(used).map_or(1, |last| last as u32 + 1),
        dynamic_lds: launch.dynamic_lds,
        ..Dispatch::default()
    }
}

/// The buffers that something is expected of, compared with that.
pub(crate) fn outputs(launch: &Launch, filled: &[Filled], contents: &[Vec<u8>]) -> Vec<Output> {
    let mut outputs = Vec::new();
    for ((arg, filled), found) in launch.args.iter().zip(filled).zip(contents) {
        if let (ArgValue::Buffer(buffer), Some(expected)) = (&arg.value, &filled.expected)
            && let Some(expect) = &buffer.expect
        {
            let comparison = compare(arg.dtype, &buffer.shape, found, expected, expect.rtol, expect.atol);
            outputs.push(Output::new(&arg.name, comparison));
        }
    }
    outputs
}
