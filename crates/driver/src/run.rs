//! Running a kernel: input, launch and options to a report.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use wavemark_check::Model;
use wavemark_codeobj::CodeObject;
use wavemark_codeobj::lines::LineTable;
use wavemark_codeobj::read::Kernel;
use wavemark_diag::{Diagnostic, SourceMap};
use wavemark_sim::schedule::Schedule;
use wavemark_sim::{Limit, modelled};
use wavemark_target::Machine;

use crate::build::{Failure, Loadable, loadable};
use crate::device::run_captured;
use crate::execution::{Code, Covered, Outcome, Prepared, Ran};
use crate::files::{self, Roots};
use crate::findings::parse_model;
use crate::input::{Form, Input};
use crate::ir;
use crate::kernel;
use crate::launch::{self, ArgValue, Launch, Purpose};
use crate::npy;
use crate::options::{Converge, RunOptions};
use crate::recording::Recording;
use crate::report::{Checked, NotChecked, Output, Report};
use crate::statics::{self, Loaded, Subject};
use crate::tile;
use crate::trace::trace_json;
use crate::without_finder::{IN_NO_RUN, without_finder};
use crate::{schedules, side_by_side};

/// Why tile programs and LLVM IR have no schedules to write down.
const INTERPRETED: &str = "an interpreter has none that are written down";

/// Runs the kernel of `input` that `launch` or `options` name.
pub fn run(
    sources: &mut SourceMap,
    input: &Input,
    launch: Option<&Path>,
    options: &RunOptions,
) -> Result<Report, Failure> {
    of_ir_alone(input, options)?;
    match input.form {
        Form::TvmScript => {
            schedules::refuse(options, INTERPRETED)?;
            tile::run(sources, input, launch, options)
        }
        Form::Captured => captured(sources, input, launch, options, Looked::Run),
        Form::LlvmIr => {
            schedules::refuse(options, INTERPRETED)?;
            ir::run(sources, input, launch, options)
        }
        _ => judge(sources, input, launch, options, Looked::Run),
    }
}

/// Refuses readings of LLVM IR's rules for what is none.
fn of_ir_alone(input: &Input, options: &RunOptions) -> Result<(), Failure> {
    if options.converge == Converge::Maximal || input.form == Form::LlvmIr {
        return Ok(());
    }
    let what = format!("{} is no LLVM IR: only there it is open when lanes converge", input.name);
    Err(Diagnostic::error(what).help("leave --converge out").into())
}

/// A captured launch is its own launch file.
fn captured(
    sources: &mut SourceMap,
    input: &Input,
    launch: Option<&Path>,
    options: &RunOptions,
    looked: Looked,
) -> Result<Report, Failure> {
    if launch.is_some() {
        let what = format!("{} is a captured launch, there is no --launch beside it", input.name);
        return Err(Diagnostic::error(what).into());
    }
    if options.exhaustive || options.save_schedule.is_some() {
        schedules::refuse(options, "run the captured launch for that with a launch file")?;
    }
    run_captured(sources, input, options, looked == Looked::AllPaths)
}

/// What is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looked {
    /// What a run executes.
    Run,
    /// That, if there is a launch, and the machine code on all paths.
    AllPaths,
}

fn judge(
    sources: &mut SourceMap,
    input: &Input,
    launch: Option<&Path>,
    options: &RunOptions,
    looked: Looked,
) -> Result<Report, Failure> {
    let model = model(options)?;
    let Loadable { object, lines } = loadable(sources, input, options)?;
    let given = launch::given(sources, launch, options, Purpose::Kernel)?;
    let (named, span) = launch::named(options, given.as_ref());
    let kernel = kernel::select(&object, &input.name, named, span)?;
    let metadata = object.kernel_metadata(kernel);
    let target = object.target();
    let subject @ Subject { machine, executed_by, .. } = subject(&object, kernel, model)?;
    let given_launch = launch;
    let (launch, filled) = match given {
        Some(given) => given,
        None => match kernel::default_launch(kernel, metadata) {
            Ok(launch) => (launch, Vec::new()),
            Err(_) if looked == Looked::AllPaths => {
                schedules::refuse(options, "there is no launch")?;
                let loaded = Loaded::new(&input.name, &object, &lines)?;
                return statics::alone(&loaded, subject, options.check);
            }
            Err(diagnostic) => return Err(diagnostic.into()),
        },
    };
    let unsuitable = kernel::check_launch(&launch, kernel, metadata);
    if !unsuitable.is_empty() {
        return Err(unsuitable.into());
    }
    let prepared = Prepared {
        name: &input.name,
        object: &object,
        lines: &lines,
        kernel,
        launch: &launch,
        filled: &filled,
        machine,
        executed_by,
        model,
    };

    let mut report = Report::new(&input.name);
    report.target = target.to_string();
    report.kernel = kernel.name.clone();
    let inputs = inputs(input, given_launch, &launch);
    let (mut executed, mut code) = (Vec::new(), None);
    let (outcomes, failing) = if options.exhaustive {
        let (kept, failing) = explore_all(&prepared, options, &mut report, &mut executed)?;
        (kept.into_iter().map(Ok).collect(), failing)
    } else {
        (schedules::run_schedules(&prepared, options), None)
    };
    if let Some(path) = &options.save_schedule {
        match schedules::save(path, &prepared, options, (&outcomes, failing), &inputs) {
            Ok(words) => report.notes.push(words),
            Err(diagnostic) => report.diagnostics.push(diagnostic.message),
        }
    }
    for (index, outcome) in outcomes.into_iter().enumerate() {
        let mut outcome = outcome?;
        executed.append(&mut outcome.ran.executed);
        if index == 0 {
            // What the run found is told even where its results cannot be written.
            let outputs =
                options.out.as_ref().map(|folder| write_outputs(folder, &launch, &outcome.contents, &inputs));
            let trace = options.trace.as_ref().zip(outcome.ran.recording.as_ref());
            let trace = trace.map(|(path, recording)| write_trace(path, recording, &inputs));
            let failed = [outputs, trace].into_iter().flatten().filter_map(Result::err);
            report.diagnostics.extend(failed.map(|diagnostic| diagnostic.message));
            report.recording = outcome.ran.recording.take().filter(|_| options.record).map(Box::new);
        }
        merge(&mut report, outcome.ran);
        merge_outputs(&mut report, outcome.outputs);
        code = Some(outcome.code);
    }
    if let Some(code) = code {
        cover(&mut report, machine, &lines, &code, executed);
    }
    say_checked(&mut report, executed_by, options.check, looked);
    if looked == Looked::AllPaths {
        let loaded = Loaded::new(&input.name, &object, &lines)?;
        statics::add(&mut report, &loaded, subject, Some(launch.block), options.check)?;
    }
    report.conclude();
    Ok(report)
}

/// Writes the trace of a run to a file, which must be none of its inputs.
pub(crate) fn write_trace(path: &Path, recording: &Recording, inputs: &[PathBuf]) -> Result<(), Diagnostic> {
    let trace = trace_json(recording)
        .map_err(|error| Diagnostic::error(format!("the trace cannot be written as JSON: {error}")))?;
    files::write(path, trace.as_bytes(), inputs.iter().map(PathBuf::as_path))
}

/// Runs all schedules, as far as that goes, and merges into `report` what they come to but for one: the first one that
/// fails, with its schedule, or the plain one.
fn explore_all(
    prepared: &Prepared<'_>,
    options: &RunOptions,
    report: &mut Report,
    executed: &mut Vec<u64>,
) -> Result<(Option<Outcome>, Option<Schedule>), Failure> {
    let (mut kept, mut failing) = (None, None);
    let explored = schedules::explore::explore(prepared, options, &mut |schedule, outcome| {
        let first_to_fail = failing.is_none() && schedules::Failed::of(&outcome).is_some();
        if first_to_fail {
            failing = Some(schedule.clone());
        }
        // Of the one that is kept and this one, one is merged.
        let merged = if kept.is_none() || first_to_fail { kept.replace(outcome) } else { Some(outcome) };
        if let Some(mut outcome) = merged {
            executed.append(&mut outcome.ran.executed);
            executed.sort_unstable();
            executed.dedup();
            merge(report, outcome.ran);
            merge_outputs(report, outcome.outputs);
        }
    })?;
    report.notes.push(explored.to_string());
    if !explored.finished {
        report.not_checked.push(NotChecked::new("schedules", "there are more than were tried"));
    }
    Ok((kept, failing))
}

/// Says what of the kernel was executed: `executed` are the addresses, in any order.
pub(crate) fn cover(
    report: &mut Report,
    machine: Machine,
    lines: &LineTable,
    code: &Code,
    mut executed: Vec<u64>,
) {
    executed.sort_unstable();
    executed.dedup();
    Covered::of(machine, lines, code, &executed).tell(report);
}

/// Says which of the checks asked for have happened.
pub(crate) fn say_checked(report: &mut Report, executed_by: Machine, asked: Checked, looked: Looked) {
    // A run that stopped half-way has checked nothing to the end.
    if report.unsupported.is_empty() {
        report.checked = asked;
    }
    let parts = asked.parts().map(|(name, asked)| asked.then_some(name));
    let in_no_run = (looked != Looked::AllPaths).then_some(IN_NO_RUN);
    let unknown = without_finder(executed_by).chain(in_no_run);
    let unknown = unknown.filter(|rule| parts.contains(&Some(rule.group)));
    report.not_checked.extend(unknown.map(|rule| NotChecked::unknown(rule.id, rule.what)));
}

/// Adds what one dispatch gave: findings add up.
pub(crate) fn merge(report: &mut Report, outcome: Ran) {
    for finding in outcome.findings {
        match report.findings.iter_mut().find(|known| known.is_one_with(&finding)) {
            Some(known) => known.take_up(finding),
            None => report.findings.push(finding),
        }
    }
    // Under each schedule it prints much the same.
    if report.printed.is_empty() {
        report.printed = outcome.printed;
    }
    report.unsupported.extend(outcome.unsupported);
    report.unsupported.dedup();
    let rest = |limit: Limit| NotChecked::new("the rest", format!("what comes after the {}", limit.name()));
    let forgotten = "stores over what more waves have loaded, in no order with them, than are remembered";
    let forgotten = outcome.readers_forgotten.then(|| NotChecked::unknown("M1", forgotten));
    let behind = "errors found after the first that makes values meaningless: they may come of it";
    let left_out = outcome.left_out.then(|| NotChecked::new("the rest", behind));
    for not_checked in outcome.limit.map(rest).into_iter().chain(forgotten).chain(left_out) {
        if !report.not_checked.contains(&not_checked) {
            report.not_checked.push(not_checked);
        }
    }
    let (sum, stats) = (&mut report.stats, outcome.stats);
    sum.workgroups += stats.workgroups;
    sum.waves += stats.waves;
    sum.wave_instructions += stats.wave_instructions;
    sum.lane_instructions += stats.lane_instructions;
    sum.seconds += stats.seconds;
}

/// Adds the outputs of one schedule: one that differs under some schedule differs.
pub(crate) fn merge_outputs(report: &mut Report, outputs: Vec<Output>) {
    for output in outputs {
        match report.outputs.iter_mut().find(|other| other.name == output.name) {
            Some(other) if other.matches && !output.matches => *other = output,
            Some(_) => {}
            None => report.outputs.push(output),
        }
    }
}

/// The files that a run reads.
pub(crate) fn inputs(input: &Input, launch_file: Option<&Path>, launch: &Launch) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = input.path.iter().cloned().collect();
    if let Some(file) = launch_file {
        let folder = file.parent().unwrap_or(Path::new(""));
        files.push(file.to_owned());
        files.extend(launch.files().map(|named| folder.join(named)));
    }
    files
}

/// Writes the buffers of `launch` as `.npy` files into `folder`, each called after its argument; none in the place of
/// one of `inputs`.
pub fn write_outputs(
    folder: &Path,
    launch: &Launch,
    contents: &[Vec<u8>],
    inputs: &[PathBuf],
) -> Result<(), Diagnostic> {
    let unwritable =
        |error: std::io::Error| Diagnostic::error(format!("cannot write {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(unwritable)?;
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
        files::write(&path, &file, inputs.iter().map(PathBuf::as_path))?;
    }
    Ok(())
}

/// A name that stays in its folder on every system.
fn is_file_name(name: &str) -> bool {
    !name.contains(['/', '\\', ':', '\0'])
}

/// Checks the kernel of `input`: its code on all paths, and a run, if there is a launch or it needs none. If nobody says
/// which of several kernels, there is a report on the code of each.
pub fn check(
    sources: &mut SourceMap,
    input: &Input,
    launch: Option<&Path>,
    options: &RunOptions,
) -> Result<Vec<Report>, Failure> {
    of_ir_alone(input, options)?;
    match input.form {
        Form::TvmScript => {
            schedules::refuse(options, INTERPRETED)?;
            return Ok(vec![tile::check(sources, input, launch, options)?]);
        }
        Form::Captured => return Ok(vec![captured(sources, input, launch, options, Looked::AllPaths)?]),
        _ => {}
    }
    if input.form == Form::LlvmIr {
        schedules::refuse(options, INTERPRETED)?;
        return Ok(vec![match launch {
            Some(_) => ir::run(sources, input, launch, options)?,
            None => ir::check(sources, input, options)?,
        }]);
    }
    if launch.is_none() && options.kernel.is_none() {
        let Loadable { object, lines } = loadable(sources, input, options)?;
        if object.kernels.len() > 1 {
            schedules::refuse(options, "there is no launch")?;
            let loaded = Loaded::new(&input.name, &object, &lines)?;
            let model = model(options)?;
            let report =
                |kernel: &Kernel| statics::alone(&loaded, subject(&object, kernel, model)?, options.check);
            let threads = options.threads.map_or(1, |threads| threads as usize);
            return side_by_side::map(&object.kernels, threads, report).into_iter().collect();
        }
    }
    Ok(vec![judge(sources, input, launch, options, Looked::AllPaths)?])
}

/// The readings of open questions that are asked for.
pub(crate) fn model(options: &RunOptions) -> Result<Model, Diagnostic> {
    parse_model(&options.model).map_err(|problem| Diagnostic::error(format!("--model: {problem}")))
}

/// A kernel, and how its code is read.
pub(crate) fn subject<'o>(
    object: &'o CodeObject,
    kernel: &'o Kernel,
    model: Model,
) -> Result<Subject<'o>, Failure> {
    let processor = object.target().processor;
    let machine = Machine { wave_size: kernel.descriptor.wave_size(), ..Machine::new(processor) };
    let executed_by = modelled(model.machine(machine));
    let executed_by = executed_by.map_err(|refused| Failure::Unsupported(refused.to_string()))?;
    let metadata = object.kernel_metadata(kernel);
    Ok(Subject { kernel, machine, executed_by, metadata })
}

/// Largest source file of which a report shows lines.
const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// Looks source lines up for a report: in the inputs that were read, else in files below `roots`. A code object says
/// what its sources are called, and nobody has to believe it: what is elsewhere is not read.
pub fn source_lines(sources: &SourceMap, roots: Roots) -> impl Fn(&str, u32) -> Option<String> {
    let files: RefCell<FxHashMap<String, Option<String>>> = RefCell::default();
    move |file, line| {
        if let Some(source) = sources.by_name(file) {
            return source.line(line).map(str::to_owned);
        }
        let mut files = files.borrow_mut();
        let text = files.entry(file.to_owned()).or_insert_with(|| {
            let (_, bytes) = roots.read(file, MAX_SOURCE_BYTES).ok()?;
            String::from_utf8(bytes).ok()
        });
        text.as_deref()?.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
    }
}
