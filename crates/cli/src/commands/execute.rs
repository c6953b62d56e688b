//! `wavemark run` and `wavemark check`: a kernel's run, reported in the form asked for.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use wavemark_diag::{Diagnostic, SourceMap, Style, render_short};
use wavemark_driver::build;
use wavemark_driver::files::Roots;
use wavemark_driver::input::Input;
use wavemark_driver::options::{Brake, Completion, Halt, RunOptions};
use wavemark_driver::report::{Checked, ExitStatus, Report};
use wavemark_driver::run::{self, source_lines};
use wavemark_driver::{render_sarif, render_text};

use crate::args::{AssemblyArgs, CheckArgs, CompletionArg, ExecutionArgs, FormatArg, InputArgs, RunArgs};
use crate::door::{Door, Failure};

/// `run`: one schedule.
pub fn run(door: &mut Door, args: &RunArgs) -> Result<ExitStatus, Failure> {
    execute(door, &args.input, &args.execution, &args.assembly, 1, run::run)
}

/// `check`: several schedules.
pub fn check(door: &mut Door, args: &CheckArgs) -> Result<ExitStatus, Failure> {
    execute(door, &args.input, &args.execution, &args.assembly, args.schedules, run::check)
}

fn options(
    input: &InputArgs,
    execution: &ExecutionArgs,
    assembly: &AssemblyArgs,
    schedules: u32,
) -> Result<RunOptions, Diagnostic> {
    Ok(RunOptions {
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
        seed: execution.seed,
        schedules,
        threads: execution.threads.or_else(processors),
        max_steps: execution.max_steps,
        max_total_steps: execution.max_total_steps,
        brake: brake(execution.timeout),
        stop_on_error: execution.stop_on_error.unwrap_or_else(|| std::io::stdout().is_terminal()),
        model: execution.model.clone(),
        out: execution.out.clone(),
        trace: execution.trace.clone(),
    })
}

/// How much longer than its time a command may take to tell what it has done.
const GRACE: Duration = Duration::from_secs(10);

/// Ends runs when the time is over or the user interrupts them; the second interruption ends the command, and so does
/// time that passes elsewhere than in a run.
fn brake(timeout: Duration) -> Arc<Brake> {
    let brake = Arc::new(Brake::new(Instant::now().checked_add(timeout)));
    let interrupted = Arc::clone(&brake);
    // Where interruptions cannot be caught they end the command at once.
    let _ = ctrlc::set_handler(move || {
        if interrupted.pulled() == Some(Halt::Interrupt) {
            std::process::exit(INTERRUPTED);
        }
        interrupted.pull(Halt::Interrupt);
    });
    let end = move || {
        std::thread::sleep(timeout.saturating_add(GRACE));
        eprintln!("error: the command has taken longer than --timeout {} permits", timeout.as_secs_f64());
        std::process::exit(ExitStatus::Findings as i32);
    };
    // Without a thread for it the brake alone ends what takes too long.
    let _ = std::thread::Builder::new().stack_size(64 << 10).spawn(end);
    brake
}

/// The exit status of a command that an interruption has ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// The threads that the machine runs side by side.
fn processors() -> Option<u32> {
    std::thread::available_parallelism().ok().and_then(|count| u32::try_from(count.get()).ok())
}

/// What `run` and `check` do of a kernel.
type Work = fn(&mut SourceMap, &Input, Option<&Path>, &RunOptions) -> Result<Report, build::Failure>;

fn execute(
    door: &mut Door,
    input: &InputArgs,
    execution: &ExecutionArgs,
    assembly: &AssemblyArgs,
    schedules: u32,
    work: Work,
) -> Result<ExitStatus, Failure> {
    let name = input.input.display().to_string();
    match report(door, input, execution, assembly, schedules, work) {
        Ok(report) => print(door, &report, execution),
        // A program that reads our report gets one even of what could not be used.
        Err(failure) if execution.format != FormatArg::Text => {
            let mut report = Report::new(name);
            match failure {
                Failure::Unusable(diagnostics) => {
                    report.diagnostics = diagnostics
                        .iter()
                        .map(|diagnostic| render_short(&door.sources, diagnostic))
                        .collect();
                }
                Failure::Unsupported(what) => report.unsupported = vec![what],
                Failure::Closed => return Err(Failure::Closed),
            }
            report.conclude();
            print(door, &report, execution)
        }
        Err(failure) => Err(failure),
    }
}

fn report(
    door: &mut Door,
    input: &InputArgs,
    execution: &ExecutionArgs,
    assembly: &AssemblyArgs,
    schedules: u32,
    work: Work,
) -> Result<Report, Failure> {
    let options = options(input, execution, assembly, schedules)?;
    let input = door.read_input(&input.input, input.lang.map(Into::into))?;
    let progress = door.progress(&format!("running {}", input.name));
    let result = work(&mut door.sources, &input, execution.launch.as_deref(), &options);
    progress.finish_and_clear();
    Ok(result?)
}

/// Prints the report and gives the status that the command ends with, whether or not somebody reads to the end.
fn print(door: &Door, report: &Report, execution: &ExecutionArgs) -> Result<ExitStatus, Failure> {
    match print_as(door, report, execution.format, &execution.source_roots()) {
        Ok(()) | Err(Failure::Closed) => Ok(report.exit_status()),
        Err(failure) => Err(failure),
    }
}

fn print_as(
    door: &Door,
    report: &Report,
    format: FormatArg,
    source_roots: &[PathBuf],
) -> Result<(), Failure> {
    match format {
        FormatArg::Text => {
            let style: Style = door.output_style();
            let roots = Roots::of_input(Some(Path::new(&report.input)), source_roots.iter().cloned());
            let lines = source_lines(&door.sources, roots);
            door.print(render_text(report, &lines, style))
        }
        FormatArg::Json => {
            let json = serde_json::to_string(report).map_err(|error| {
                Failure::from(Diagnostic::error(format!("the report cannot be written as JSON: {error}")))
            })?;
            door.print(json + "\n")
        }
        FormatArg::Sarif => door.print(format!("{:#}\n", render_sarif(std::slice::from_ref(report)))),
    }
}
