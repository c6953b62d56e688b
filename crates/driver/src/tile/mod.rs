//! Running a tile program: a TVMScript module executed by the tile interpreter.
//!
//! Several schedules are several orders of completion: the first is the one asked for, the others are random.
//! Threads (`--threads`), readings of open questions and targets do not concern the interpreter; a trace of its
//! runs there is not.

mod arguments;
mod finding;
mod origins;
mod proof;

use std::path::Path;
use std::time::Instant;

use wavemark_diag::{Diagnostic, SourceMap};
use wavemark_tile::Function;
pub use wavemark_tile::Module;
use wavemark_tile::interp::{self, Argument, Program, RunError};

pub use self::origins::{Origin, Origins};
pub use self::proof::{check, check_module};

use self::arguments::Arguments;
use crate::build::Failure;
use crate::compare::compare;
use crate::findings::parse_model;
use crate::input::Input;
use crate::launch::{self, ArgValue, Filled, Launch, Purpose};
use crate::options::{Completion, RunOptions};
use crate::report::{Checked, NotChecked, Output, Report};
use crate::run::{inputs, write_outputs};
use crate::schedules::seed_of;

/// What the report says executed the program.
pub const EXECUTED_ON: &str = "tile interpreter";

/// Reads the module of a TVMScript input.
pub fn module(sources: &mut SourceMap, input: &Input) -> Result<Module, Vec<Diagnostic>> {
    let text = input.text().map_err(|diagnostic| vec![diagnostic])?;
    let file = sources.add_text(&input.name, text);
    wavemark_frontend::parse(file, text)
}

/// The function called `name`, or the only one there is.
fn select<'m>(
    module: &'m Module,
    input: &str,
    name: Option<&str>,
    span: Option<wavemark_diag::Span>,
) -> Result<&'m Function, Diagnostic> {
    let names: Vec<String> = module.functions.iter().map(|function| format!("`{}`", function.name)).collect();
    let names = names.join(", ");
    let at = |diagnostic: Diagnostic| match span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    };
    match (name, module.functions.as_slice()) {
        (Some(name), functions) => functions.iter().find(|function| function.name == name).ok_or_else(|| {
            at(Diagnostic::error(format!("{input} has no function `{name}`")))
                .note(format!("its functions: {names}"))
        }),
        (None, [only]) => Ok(only),
        (None, []) => Err(Diagnostic::error(format!("{input} has no function"))),
        (None, functions) => functions.iter().find(|function| function.name == "main").ok_or_else(|| {
            Diagnostic::error(format!("{input} has {} functions: say which by --kernel", functions.len()))
                .note(format!("its functions: {names}"))
        }),
    }
}

/// Runs the function of `input` that `launch` or `options` name.
pub fn run(
    sources: &mut SourceMap,
    input: &Input,
    launch: Option<&Path>,
    options: &RunOptions,
) -> Result<Report, Failure> {
    parse_model(&options.model).map_err(|problem| Diagnostic::error(format!("--model: {problem}")))?;
    let module = module(sources, input).map_err(|refused| refusal(sources, refused))?;
    execute(sources, input, &module, launch, options)
}

/// Runs the function of `module`, which is what `input` became, that `launch` or `options` name.
fn execute(
    sources: &mut SourceMap,
    input: &Input,
    module: &Module,
    launch: Option<&Path>,
    options: &RunOptions,
) -> Result<Report, Failure> {
    if options.trace.is_some() {
        return Err(Failure::Unsupported("--trace of a tile program".to_owned()));
    }
    let given_launch = launch;
    let given = launch::given(sources, launch, options, Purpose::Tile)?;
    let (named, span) = launch::named(options, given.as_ref());
    let function = select(module, &input.name, named, span)?;
    let Some((launch, filled)) = given.or_else(|| nothing_needed(function)) else {
        let message = format!("`{}` has parameters: say what they are by --launch L.toml", function.name);
        return Err(Diagnostic::error(message).into());
    };
    let arguments = Arguments::new(function, &launch)?;
    arguments::check_sizes(function, &launch)?;
    let program = interp::compile(function).map_err(|refused| refusal(sources, refused))?;

    let mut report = Report::new(&input.name);
    report.kernel = function.name.clone();
    report.executed_on = Some(EXECUTED_ON);
    if proof::asks_for_pipelining(&function.body) {
        report.notes.push(format!(
            "{}: its loops ask to be pipelined; it ran as it is written, `wavemark check` with a launch runs the result",
            function.name
        ));
    }
    let check = options.check.lds || options.check.global;
    for index in 0..options.schedules.max(1) {
        let how = interp_options(options, index, check);
        let contents = run_once(sources, &program, &arguments, &launch, &filled, &how, &mut report)?;
        if let (0, Some(folder)) = (index, &options.out) {
            let written = write_outputs(folder, &launch, &contents, &inputs(input, given_launch, &launch));
            report.diagnostics.extend(written.err().map(|diagnostic| diagnostic.message));
        }
        if !report.unsupported.is_empty() {
            break;
        }
    }
    if report.unsupported.is_empty() {
        report.checked = Checked { lds: check, global: check, ..Checked::default() };
        if !check && options.check != Checked::default() {
            let asked = options.check.parts().into_iter().filter(|part| part.1).map(|part| part.0);
            let asked: Vec<&str> = asked.collect();
            let reason = "a run does not judge them, `wavemark check` does";
            report.not_checked.push(NotChecked::new(asked.join(", "), reason));
        }
    }
    let pipelined = proof::asks_for_pipelining(&function.body);
    report.nothing_to_check = report.stats.commit_groups == 0 && !pipelined;
    report.conclude();
    Ok(report)
}

/// The launch of a function without parameters.
fn nothing_needed(function: &Function) -> Option<(Launch, Vec<Filled>)> {
    if !function.params.is_empty() {
        return None;
    }
    let launch = Launch {
        kernel: None,
        kernel_span: None,
        grid: [1; 3],
        grid_span: None,
        dimensions: 1,
        block: [1; 3],
        block_span: None,
        cluster: None,
        cluster_span: None,
        dynamic_lds: 0,
        dynamic_lds_span: None,
        args: Vec::new(),
    };
    Some((launch, Vec::new()))
}

/// What was refused: a fault of the input, or, where every message says so, something that we do not do yet.
fn refusal(sources: &SourceMap, diagnostics: Vec<Diagnostic>) -> Failure {
    let what = |one: &Diagnostic| {
        let message = one.message.strip_prefix("unsupported: ")?;
        Some(finding::place(sources, one.span()) + message)
    };
    match diagnostics.iter().map(what).collect::<Option<Vec<String>>>() {
        Some(what) => Failure::Unsupported(what.join("; ")),
        None => Failure::Unusable(diagnostics),
    }
}

fn interp_options(options: &RunOptions, index: u32, check: bool) -> interp::Options {
    let completion = match (index, options.completion) {
        (0, Completion::Late) => interp::Completion::Late,
        (0, Completion::Early) => interp::Completion::Early,
        _ => interp::Completion::Random,
    };
    let mut how = interp::Options {
        completion,
        seed: seed_of(options.seed, index),
        deadline: options.brake.deadline(),
        check,
        ..interp::Options::default()
    };
    if let Some(max_steps) = options.max_steps {
        how.max_steps = max_steps;
    }
    how
}

/// Runs once, adds what comes out to the report, and gives the contents of the launch's arguments back.
fn run_once(
    sources: &SourceMap,
    program: &Program,
    arguments: &Arguments,
    launch: &Launch,
    filled: &[Filled],
    how: &interp::Options,
    report: &mut Report,
) -> Result<Vec<Vec<u8>>, Failure> {
    let mut args = arguments.values(launch, filled);
    let start = Instant::now();
    let result = program.run(&mut args, how);
    report.stats.seconds += start.elapsed().as_secs_f64();
    let mut complete = false;
    match result {
        Ok(outcome) => {
            complete = true;
            report.stats.steps += outcome.steps;
            report.stats.commit_groups += outcome.groups;
            report.findings.extend(outcome.findings.iter().map(|found| finding::convert(sources, found)));
        }
        Err(RunError::Arguments(error)) => return Err(arguments.refuse(&error, launch).into()),
        Err(RunError::Fault(fault)) => {
            report.stats.steps += fault.steps;
            report.findings.extend(fault.findings.iter().map(|found| finding::convert(sources, found)));
            match finding::of_fault(sources, &fault) {
                Some(found) => report.findings.push(found),
                None => report.unsupported.push(finding::place(sources, fault.span) + &fault.to_string()),
            }
        }
    }
    let mut contents = vec![Vec::new(); launch.args.len()];
    for (argument, &index) in args.into_iter().zip(&arguments.order) {
        if let Argument::Buffer { data, .. } = argument {
            contents[index] = data;
        }
    }
    if complete {
        compare_outputs(launch, filled, &contents, report);
    }
    Ok(contents)
}

fn compare_outputs(launch: &Launch, filled: &[Filled], contents: &[Vec<u8>], report: &mut Report) {
    for ((arg, filled), found) in launch.args.iter().zip(filled).zip(contents) {
        let (ArgValue::Buffer(buffer), Some(expected)) = (&arg.value, &filled.expected) else { continue };
        let (rtol, atol) = buffer.expect.as_ref().map_or((0.0, 0.0), |expect| (expect.rtol, expect.atol));
        let comparison = compare(arg.dtype, &buffer.shape, found, expected, rtol, atol);
        let output = Output::new(&arg.name, comparison);
        match report.outputs.iter_mut().find(|other| other.name == output.name) {
            Some(other) if other.matches && !output.matches => *other = output,
            Some(_) => {}
            None => report.outputs.push(output),
        }
    }
}
