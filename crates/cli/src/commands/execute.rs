//! `wavemark run` and `wavemark check`: a kernel's run, reported in the form asked for.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wavemark_diag::{Diagnostic, SourceMap, Style, render_short};
use wavemark_driver::baseline::{self, Baseline};
use wavemark_driver::files::{self, Roots};
use wavemark_driver::input::Input;
use wavemark_driver::options::{Completion, Converge, Halt, RunOptions};
use wavemark_driver::report::{Checked, ExitStatus, Report, Severity, Stream};
use wavemark_driver::run::{self, source_lines};
use wavemark_driver::{
    Parts, SourceLine, batch, build, render_html, render_junit, render_sarif, render_text, schedules,
};

use crate::args::{
    AssemblyArgs, CheckArgs, CompletionArg, ConvergeArg, DenyArg, ExecutionArgs, FormatArg, InputsArgs,
    RunArgs,
};
use crate::door::{Door, Failure};
use crate::end::brake;

/// `run`: one schedule.
pub fn run(door: &mut Door, args: &RunArgs) -> Result<ExitStatus, Failure> {
    let run: Work = |sources, input, launch, options| Ok(vec![run::run(sources, input, launch, options)?]);
    let how = Schedules { number: 1, save: None, exhaustive: false };
    execute(door, &args.input, &args.execution, &args.assembly, how, run)
}

/// `check`: several schedules.
pub fn check(door: &mut Door, args: &CheckArgs) -> Result<ExitStatus, Failure> {
    let how =
        Schedules { number: args.schedules, save: args.save_schedule.as_ref(), exhaustive: args.exhaustive };
    execute(door, &args.input, &args.execution, &args.assembly, how, run::check)
}

/// Which schedules are run, and what for.
#[derive(Clone, Copy)]
struct Schedules<'a> {
    number: u32,
    save: Option<&'a PathBuf>,
    exhaustive: bool,
}

fn options(
    input: &InputsArgs,
    execution: &ExecutionArgs,
    assembly: &AssemblyArgs,
    how: Schedules<'_>,
) -> Result<RunOptions, Diagnostic> {
    let options = RunOptions {
        target: input.target.target,
        features: input.target.features.clone().unwrap_or_default(),
        assembly: assembly.options(),
        kernel: execution.kernel.clone(),
        check: Checked::parse(&execution.check)
            .map_err(|problem| Diagnostic::error(format!("--check: {problem}")))?,
        completion: match execution.completion {
            CompletionArg::Late => Completion::Late,
            CompletionArg::Early => Completion::Early,
            CompletionArg::Random => Completion::Random,
        },
        converge: match execution.converge {
            ConvergeArg::Maximal => Converge::Maximal,
            ConvergeArg::Adversarial => Converge::Adversarial,
        },
        seed: execution.seed,
        schedules: how.number,
        exhaustive: how.exhaustive,
        save_schedule: how.save.cloned(),
        threads: execution.threads.or_else(processors),
        max_steps: execution.max_steps,
        max_total_steps: execution.max_total_steps,
        brake: brake(execution.timeout),
        progress: Arc::default(),
        stop_on_error: execution.stop_on_error.unwrap_or_else(|| std::io::stdout().is_terminal()),
        model: execution.model.clone(),
        out: execution.out.clone(),
        trace: execution.trace.clone(),
        record: execution.report.is_some(),
        ..RunOptions::default()
    };
    let Some(path) = &execution.schedule else { return Ok(options) };
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Diagnostic::error(format!("cannot read {name}: {error}")))?;
    schedules::file::read(&text, &name, &options)
}

/// The threads that the machine runs side by side.
pub fn processors() -> Option<u32> {
    std::thread::available_parallelism().ok().and_then(|count| u32::try_from(count.get()).ok())
}

/// What `run` and `check` do of an input's kernels.
type Work = fn(&mut SourceMap, &Input, Option<&Path>, &RunOptions) -> Result<Vec<Report>, build::Failure>;

/// The reports of a command, with what they were asked for.
struct Reports<'a> {
    reports: Vec<Report>,
    /// There may be several, whether or not there are.
    batch: bool,
    /// Entries of the baseline that are not needed.
    unused: Vec<String>,
    execution: &'a ExecutionArgs,
}

fn execute(
    door: &mut Door,
    input: &InputsArgs,
    execution: &ExecutionArgs,
    assembly: &AssemblyArgs,
    schedules: Schedules<'_>,
    work: Work,
) -> Result<ExitStatus, Failure> {
    let asked = match reports(door, input, execution, assembly, schedules, work) {
        Ok(asked) => asked,
        // A program that reads our report gets one even of a command that could not be used.
        Err(failure) if execution.format != FormatArg::Text => {
            let report = unusable(door, &input.inputs[0], failure)?;
            Reports { reports: vec![report], batch: false, unused: Vec::new(), execution }
        }
        Err(failure) => return Err(failure),
    };
    let status = asked.reports.iter().map(Report::exit_status).max().unwrap_or(ExitStatus::Clean);
    // Whether or not somebody reads to the end.
    match print(door, &asked) {
        Ok(()) | Err(Failure::Closed) => Ok(status),
        Err(failure) => Err(failure),
    }
}

fn reports<'a>(
    door: &mut Door,
    input: &InputsArgs,
    execution: &'a ExecutionArgs,
    assembly: &AssemblyArgs,
    schedules: Schedules<'_>,
    work: Work,
) -> Result<Reports<'a>, Failure> {
    let options = options(input, execution, assembly, schedules)?;
    let items = batch::expand(&input.inputs, execution.launch.as_deref())?;
    let batch =
        items.len() > 1 || items.first().is_some_and(|item| Some(&item.input) != input.inputs.first());
    if batch && (execution.out.is_some() || execution.trace.is_some() || schedules.save.is_some()) {
        return Err(Diagnostic::error("--out, --trace and --save-schedule are for one input").into());
    }
    let baseline = baseline(door, execution)?;
    let progress = door.progress(&options.progress);
    let mut reports = Vec::with_capacity(items.len());
    for (number, item) in items.iter().enumerate() {
        let of = if batch { format!("{} of {}, ", number + 1, items.len()) } else { String::new() };
        progress.set_message(format!("{of}{}", item.input.display()));
        let lang = input.lang.map(Into::into);
        let result = door
            .read_input(&item.input, lang)
            .and_then(|input| Ok(work(&mut door.sources, &input, item.launch.as_deref(), &options)?));
        let of_input = match result {
            Ok(reports) => reports,
            // Of one input, what is wrong with it is the command's failure.
            Err(failure) if !batch => {
                progress.finish_and_clear();
                return Err(failure);
            }
            Err(failure) => vec![unusable(door, &item.input, failure)?],
        };
        for mut report in of_input {
            report.deny = execution.deny.map(|deny| match deny {
                DenyArg::Warnings => Severity::Warning,
                DenyArg::Advice => Severity::Advice,
            });
            baseline.apply(&mut report);
            reports.push(report);
        }
        if options.brake.pulled() == Some(Halt::Interrupt) {
            break;
        }
    }
    progress.finish_and_clear();
    let unused = baseline.unused(&reports);
    let batch = batch || reports.len() > 1;
    Ok(Reports { reports, batch, unused, execution })
}

fn baseline(door: &mut Door, execution: &ExecutionArgs) -> Result<Baseline, Failure> {
    let Some(path) = &execution.baseline else { return Ok(Baseline::default()) };
    let name = path.display().to_string();
    let unreadable = |why: String| Diagnostic::error(format!("cannot read {name}: {why}"));
    let bytes = files::read_regular(path, files::MAX_FILE_BYTES).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
    let file = door.sources.add_text(name.as_str(), text.as_str());
    Ok(baseline::parse(file, &text)?)
}

/// The report on what could not be used.
fn unusable(door: &Door, input: &Path, failure: Failure) -> Result<Report, Failure> {
    let mut report = Report::new(input.display().to_string());
    match failure {
        Failure::Unusable(diagnostics) => {
            let shown = diagnostics.iter().map(|diagnostic| render_short(&door.sources, diagnostic));
            report.diagnostics = shown.collect();
        }
        Failure::Unsupported(what) => report.unsupported = vec![what],
        Failure::Closed => return Err(Failure::Closed),
    }
    report.conclude();
    Ok(report)
}

fn print(door: &Door, asked: &Reports<'_>) -> Result<(), Failure> {
    let source_roots = asked.execution.source_roots();
    let lines = |report: &Report| {
        let roots = Roots::of_input(Some(Path::new(&report.input)), source_roots.iter().cloned());
        source_lines(&door.sources, roots)
    };
    let lines: Vec<_> = asked.reports.iter().map(lines).collect();
    let with_lines: Vec<(&Report, SourceLine<'_>)> =
        asked.reports.iter().zip(&lines).map(|(report, lines)| (report, lines as SourceLine<'_>)).collect();
    let printed = match asked.execution.format {
        FormatArg::Text => {
            let style: Style = door.output_style();
            let mut text = String::new();
            for &(report, lines) in &with_lines {
                if !text.is_empty() && !asked.execution.quiet {
                    text.push('\n');
                }
                let printed = |stream| report.printed.iter().filter(move |one| one.stream == stream);
                text.extend(printed(Stream::Stdout).map(|one| one.text.as_str()));
                printed(Stream::Stderr).for_each(|one| eprint!("{}", one.text));
                let parts = if asked.execution.quiet { Parts::Findings } else { Parts::All };
                text += &render_text(report, lines, style, parts);
            }
            if !asked.execution.quiet {
                asked.unused.iter().for_each(|unused| text += &format!("note: {unused}\n"));
                if asked.batch {
                    text += &format!("\n{}\n", in_all(&asked.reports));
                }
            }
            door.print(text)
        }
        FormatArg::Json => asked.reports.iter().try_for_each(|report| {
            let json = serde_json::to_string(report).map_err(|error| {
                Failure::from(Diagnostic::error(format!("the report cannot be written as JSON: {error}")))
            })?;
            door.print(json + "\n")
        }),
        FormatArg::Sarif => {
            let guide_url = asked.execution.guide_url.as_deref();
            door.print(format!("{:#}\n", render_sarif(&asked.reports, guide_url)))
        }
        FormatArg::Junit => {
            let xml = render_junit(&with_lines);
            door.print(xml.map_err(Diagnostic::error)?)
        }
    };
    // The page is for those who do not see what is printed.
    match &asked.execution.report {
        Some(path) => door.write(Some(path), render_html(&with_lines).as_bytes()).and(printed),
        None => printed,
    }
}

/// How many of several inputs came to what.
fn in_all(reports: &[Report]) -> String {
    let mut outcomes: Vec<(&str, usize)> = Vec::new();
    for report in reports {
        let name = report.outcome.name();
        match outcomes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => outcomes.push((name, 1)),
        }
    }
    let outcomes: Vec<String> = outcomes.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let inputs = reports.chunk_by(|one, other| one.input == other.input).count();
    let what = if inputs == reports.len() { "inputs" } else { "kernels" };
    format!("{} {what}: {}", reports.len(), outcomes.join(", "))
}
