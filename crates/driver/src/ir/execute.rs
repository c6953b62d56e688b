//! A kernel in IR, run: the launch files, outputs, reports and options of machine code.
//!
//! What is looked for is what IR defines: values that there are not, undefined behavior, bounds, asynchronous data in
//! flight, barriers that nobody completes, races between waves.

use std::path::Path;
use std::time::Instant;

use wavemark_diag::{Diagnostic, SourceMap};
use wavemark_interp::{Finding as Found, Kind, LaunchError, Place, RunEnd, prepare, run as interpret};
use wavemark_ir::Parsed;
use wavemark_ir::author::{self, AuthorPlace};
use wavemark_ir::function::Inst;
use wavemark_ir::module::Global;
use wavemark_sim::modelled;
use wavemark_target::{Machine, WaveSize};

use super::recording::recording;
use super::{implicit, processor, read};
use crate::build::Failure;
use crate::execution::{Ran, allocate, as_told, config, contents, outputs, passed};
use crate::input::Input;
use crate::kernarg::lay_out;
use crate::launch::{self, Filled, Launch, Purpose};
use crate::options::RunOptions;
use crate::report::{Class, Finding, Lanes, NotChecked, Output, Report, Severity, Site, Stats};
use crate::run::{inputs, merge, merge_outputs, write_outputs, write_trace};
use crate::schedules::seed_of;

/// A kernel of a module with its launch.
pub(super) struct Prepared<'p> {
    pub parsed: &'p Parsed,
    pub kernel: Global,
    pub machine: Machine,
    pub launch: &'p Launch,
    pub filled: &'p [Filled],
}

/// What one run gave.
pub(super) struct Outcome {
    /// All but what it found.
    pub ran: Ran,
    /// What it found that was asked for.
    pub found: Vec<Found>,
    pub outputs: Vec<Output>,
    pub contents: Vec<Vec<u8>>,
    /// Who changed last what was watched.
    pub watched: Option<Place>,
    /// Races may have been missed, for want of memory.
    pub races_incomplete: bool,
}

/// What else a run is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    /// What happens is recorded.
    pub records: bool,
    /// Who changes these bytes last is told.
    pub watched: Option<Watched>,
}

/// Bytes of an argument's buffer that are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    /// The argument.
    pub argument: usize,
    /// The first byte.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
}

impl Watched {
    /// Where they are, if buffers are at these addresses.
    pub fn at(self, addresses: &[Option<u64>]) -> Option<(u64, u64)> {
        let base = (*addresses.get(self.argument)?)?;
        Some((base + self.offset, base + self.offset + self.bytes))
    }
}

/// Runs a kernel of a module under all schedules.
pub fn run(
    sources: &mut SourceMap,
    input: &Input,
    launch_file: Option<&Path>,
    options: &RunOptions,
) -> Result<Report, Failure> {
    let parsed = read(sources, input, options.target)?;
    let given = launch::given(sources, launch_file, options, Purpose::Kernel)?;
    let (named, _) = launch::named(options, given.as_ref());
    let kernel = select(&parsed, &input.name, named)?;
    let machine = machine(&parsed, kernel, &input.name)?;
    let (launch, filled) = match given {
        Some(given) => given,
        None => (default_launch(&parsed, kernel, machine)?, Vec::new()),
    };
    let mut report = Report::new(&input.name);
    report.target = machine.processor.name().to_owned();
    report.kernel = parsed.module.name(kernel);
    report.notes.push("executed as LLVM IR, before any code is made of it".to_owned());
    let prepared = Prepared { parsed: &parsed, kernel, machine, launch: &launch, filled: &filled };
    let read = inputs(input, launch_file, &launch);
    let (mut races_incomplete, mut found) = (false, Vec::new());
    for index in 0..options.schedules.max(1) {
        let records = index == 0 && (options.trace.is_some() || options.record);
        let mut outcome = execute(
            &prepared,
            sources,
            options,
            seed_of(options.seed, index),
            Asked { records, watched: None },
        )?;
        if index == 0 {
            let outputs =
                options.out.as_ref().map(|folder| write_outputs(folder, &launch, &outcome.contents, &read));
            let trace = options.trace.as_ref().zip(outcome.ran.recording.as_ref());
            let trace = trace.map(|(path, recording)| write_trace(path, recording, &read));
            let failed = [outputs, trace].into_iter().flatten().filter_map(Result::err);
            report.diagnostics.extend(failed.map(|diagnostic| diagnostic.message));
            report.recording = outcome.ran.recording.take().filter(|_| options.record).map(Box::new);
        }
        races_incomplete |= outcome.races_incomplete;
        let stopped = outcome.ran.unsupported.is_some() || outcome.ran.limit.is_some();
        merge(&mut report, outcome.ran);
        wavemark_interp::merge(&mut found, outcome.found);
        merge_outputs(&mut report, outcome.outputs);
        if stopped {
            break;
        }
    }
    report.findings = findings(sources, &parsed, &found);
    if report.unsupported.is_empty() {
        report.checked = options.check;
    }
    if options.check.waits {
        super::judge_marks(&mut report, sources, &parsed);
    }
    if races_incomplete {
        for rule in ["S2", "M1", "M2"] {
            report.not_checked.push(NotChecked::unknown(rule, "there was no memory for all accesses"));
        }
    }
    for rule in ["S1", "M5", "M6"] {
        report.not_checked.push(NotChecked::unknown(
            rule,
            "waits, write-backs and invalidates are the code generator's: see the code object",
        ));
    }
    report.conclude();
    Ok(report)
}

/// The kernel of that name, or the only one.
pub(super) fn select(parsed: &Parsed, input: &str, named: Option<&str>) -> Result<Global, Failure> {
    let module = &parsed.module;
    let all = module.functions().filter(|(_, function)| function.is_kernel() && function.body.is_some());
    let kernels: Vec<Global> = all.map(|(global, _)| global).collect();
    let names = || kernels.iter().map(|&kernel| module.name(kernel)).collect::<Vec<_>>().join(", ");
    match named {
        Some(name) => kernels.iter().copied().find(|&kernel| module.name(kernel) == name).ok_or_else(|| {
            Diagnostic::error(format!("{input} has no kernel `{name}`: it has {}", names())).into()
        }),
        None => {
            match kernels.as_slice() {
                [only] => Ok(*only),
                [] => Err(Diagnostic::error(format!("{input} has no kernel")).into()),
                _ => Err(Diagnostic::error(format!("{input} has several kernels: say which of {}", names()))
                    .into()),
            }
        }
    }
}

/// The machine that a kernel is for.
pub(super) fn machine(parsed: &Parsed, kernel: Global, input: &str) -> Result<Machine, Failure> {
    let module = &parsed.module;
    let function = module.function(kernel);
    let own = function.and_then(|function| wavemark_ir::target::of_function(module, function));
    let Some(processor) = own.or_else(|| processor(module)) else {
        return Err(Diagnostic::error(format!("{input} does not say what processor it is for"))
            .help("say it by --target")
            .into());
    };
    let features =
        function.and_then(|function| module.text_attribute(&function.attributes, "target-features"));
    let mut machine = Machine::new(processor);
    for feature in features.unwrap_or_default().split(',') {
        match feature {
            "+wavefrontsize32" => machine.wave_size = WaveSize::Wave32,
            "+wavefrontsize64" => machine.wave_size = WaveSize::Wave64,
            _ => {}
        }
    }
    modelled(machine).map_err(|refused| Failure::Unsupported(refused.to_string()))
}

/// One workgroup of one wave, for a kernel without arguments.
fn default_launch(parsed: &Parsed, kernel: Global, machine: Machine) -> Result<Launch, Failure> {
    let takes = parsed.module.function(kernel).map_or(0, |function| function.params.len());
    if takes > 0 {
        let name = parsed.module.name(kernel);
        return Err(Diagnostic::error(format!("{name} takes {takes} arguments: give a launch file")).into());
    }
    Ok(Launch {
        kernel: None,
        kernel_span: None,
        grid: [1; 3],
        grid_span: None,
        dimensions: 3,
        block: [machine.lanes(), 1, 1],
        block_span: None,
        cluster: None,
        cluster_span: None,
        dynamic_lds: 0,
        dynamic_lds_span: None,
        args: Vec::new(),
    })
}

/// Runs a kernel once.
pub(super) fn execute(
    prepared: &Prepared<'_>,
    sources: &SourceMap,
    options: &RunOptions,
    seed: u64,
    asked: Asked,
) -> Result<Outcome, Failure> {
    let Prepared { parsed, kernel, machine, launch, filled } = *prepared;
    let module = &parsed.module;
    let mut memory = wavemark_sim::Global::new();
    let program = prepare(module, kernel, machine, options.converge, &mut memory)
        .map_err(|refused| Failure::Unsupported(refused.what))?;
    let addresses = allocate(launch, filled, &mut memory);
    let (parameters, size) = implicit::all(module, kernel)?;
    let told = crate::kernarg::Dispatch {
        private_base: (wavemark_sim::machine::address::PRIVATE_BASE >> 32) as u32,
        shared_base: (wavemark_sim::machine::address::SHARED_BASE >> 32) as u32,
        ..as_told(launch)
    };
    let arguments = passed(launch, filled, &addresses);
    let kernarg = lay_out(&module.name(kernel), &arguments, Some(&parameters), size, &told)?;
    let launched = wavemark_interp::Launch {
        grid: launch.grid,
        block: launch.block,
        cluster: launch.cluster,
        dynamic_lds: launch.dynamic_lds,
        kernarg,
        watch: asked.watched.and_then(|watched| watched.at(&addresses)),
        record: asked.records,
        races: options.check.lds || options.check.global,
    };
    let started = Instant::now();
    let outcome = interpret(&program, &launched, &config(options, seed), &mut memory);
    let outcome = outcome.map_err(|error| match error {
        LaunchError::Unusable(what) => {
            Diagnostic::error(format!("{} cannot be launched: {what}", module.name(kernel))).into()
        }
        LaunchError::Refused(refused) => Failure::Unsupported(refused.what),
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let contents = contents(&memory, &addresses);
    let finished = outcome.end == RunEnd::Finished;
    let found = outcome.findings.into_iter().filter(|found| wanted(found, options)).collect();
    let limit = match outcome.end {
        RunEnd::Limit(limit) => Some(limit),
        _ => None,
    };
    let unsupported = match &outcome.end {
        RunEnd::Refused(refused, place) => {
            let place = place.map(|place| sources.location(parsed.places.inst(place.function, place.inst)));
            Some(place.map_or_else(|| refused.what.clone(), |place| format!("{place}: {}", refused.what)))
        }
        _ => None,
    };
    let stats = Stats {
        workgroups: outcome.stats.workgroups,
        waves: outcome.stats.waves,
        wave_instructions: outcome.stats.operations,
        lane_instructions: outcome.stats.lane_operations,
        seconds,
        ..Stats::default()
    };
    let outputs = if finished { outputs(launch, filled, &contents) } else { Vec::new() };
    let ran = Ran {
        findings: Vec::new(),
        stats,
        unsupported,
        limit,
        finished,
        executed: Vec::new(),
        recording: outcome.record.map(|record| recording(sources, parsed, kernel, *record)),
        printed: Vec::new(),
        readers_forgotten: false,
        left_out: false,
    };
    let races_incomplete = outcome.races_incomplete;
    Ok(Outcome { ran, found, outputs, contents, watched: outcome.watched, races_incomplete })
}

/// Whether a finding is of a check that was asked for. What ends a run always is.
fn wanted(found: &Found, options: &RunOptions) -> bool {
    let check = options.check;
    match found.kind {
        Kind::UndefinedBranch
        | Kind::UndefinedAddress
        | Kind::PoisonStored
        | Kind::UndefStored
        | Kind::UndefinedOperand
        | Kind::NotUniform
        | Kind::Division
        | Kind::Assume
        | Kind::Promise => check.registers,
        Kind::OutOfBounds | Kind::Misaligned => check.lds || check.global,
        Kind::ReadInFlight | Kind::WriteInFlight | Kind::EndsInFlight => check.lds,
        Kind::Barrier => check.barriers,
        Kind::RaceOnLds => check.lds,
        Kind::RaceOnGlobal => check.global,
        Kind::ScopeTooNarrow => check.lds || check.global,
        Kind::Unreachable | Kind::Trap | Kind::Deadlock | Kind::Limit => true,
    }
}

/// What was found, as a report has it.
pub(super) fn findings(sources: &SourceMap, parsed: &Parsed, found: &[Found]) -> Vec<Finding> {
    found.iter().map(|found| convert(sources, parsed, found)).collect()
}

/// A finding as a report has it.
fn convert(sources: &SourceMap, parsed: &Parsed, found: &Found) -> Finding {
    let (rule, class, severity, roles) = match found.kind {
        Kind::UndefinedBranch | Kind::UndefinedAddress | Kind::UndefinedOperand => {
            ("V1", Class::Uninitialized, Severity::Error, ["user"; 2])
        }
        Kind::PoisonStored => ("V2", Class::Uninitialized, Severity::Error, ["store"; 2]),
        Kind::UndefStored => ("V2", Class::Uninitialized, Severity::Warning, ["store"; 2]),
        Kind::Division | Kind::Assume | Kind::Promise | Kind::Unreachable | Kind::NotUniform => {
            ("V3", Class::Trap, Severity::Error, ["at"; 2])
        }
        Kind::OutOfBounds => ("O1", Class::OutOfBounds, Severity::Error, ["access"; 2]),
        Kind::Misaligned => ("O2", Class::Hazard, Severity::Error, ["access"; 2]),
        Kind::ReadInFlight | Kind::WriteInFlight => {
            ("R4", Class::MissingWait, Severity::Error, ["producer", "consumer"])
        }
        Kind::EndsInFlight => ("R7", Class::MissingWait, Severity::Error, ["producer"; 2]),
        Kind::Trap => ("T1", Class::Trap, Severity::Error, ["at"; 2]),
        Kind::Deadlock => ("B13", Class::Deadlock, Severity::Error, ["waiter"; 2]),
        Kind::Limit => ("T2", Class::StepLimit, Severity::Error, ["at"; 2]),
        Kind::RaceOnLds => ("S2", Class::MissingSync, Severity::Error, ["earlier", "later"]),
        Kind::RaceOnGlobal => ("M1", Class::MissingSync, Severity::Error, ["earlier", "later"]),
        Kind::ScopeTooNarrow => ("M2", Class::WrongScope, Severity::Error, ["earlier", "later"]),
        Kind::Barrier => ("B10", Class::Barrier, Severity::Error, ["waiter"; 2]),
    };
    let roles = roles.iter().cycle();
    let sites = found.places.iter().zip(roles).map(|(place, role)| site(sources, parsed, place, role));
    Finding {
        rule: rule.to_owned(),
        title: found.note.clone(),
        severity,
        class,
        instances: found.instances,
        sites: sites.collect(),
        hint: super::hint::of(sources, parsed, &found.missing),
        author_hint: None,
        model: None,
        proven: None,
        unsettles: None,
    }
}

/// A place as a report has it: the line of the IR, and that of its author if debug information says it.
pub(super) fn site(sources: &SourceMap, parsed: &Parsed, place: &Place, role: &str) -> Site {
    let span = parsed.places.inst(place.function, place.inst);
    Site {
        role: role.to_owned(),
        text: sources.snippet(span).unwrap_or_default().to_owned(),
        source: Some(sources.location(span)),
        callers: author_places(parsed, place.function, place.inst),
        workgroup: Some(place.workgroup),
        wave: Some(place.wave),
        lanes: (place.lanes != 0).then_some(Lanes(place.lanes)),
        ..Site::default()
    }
}

/// Where the author wrote an instruction, as reports have it.
pub(super) fn author_places(parsed: &Parsed, function: Global, inst: Inst) -> Vec<String> {
    written_at(parsed, function, inst).iter().map(ToString::to_string).collect()
}

/// Where the author wrote an instruction, and the calls that were inlined on the way.
pub(super) fn written_at(parsed: &Parsed, function: Global, inst: Inst) -> Vec<AuthorPlace> {
    let body = parsed.module.function(function).and_then(|function| function.body.as_ref());
    body.map(|body| author::places(&parsed.module, body, inst)).unwrap_or_default()
}
