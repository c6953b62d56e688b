//! Compiling a TVMScript module, as far as the tile layer: parse, verify, plan, pipeline, simplify, print.
//!
//! Promises: the text is in the dialect that the input is in, unless another is asked for, and parses in TVM.
//! Errors point into the Python source. Does not: anything below the tile layer; asking for it is
//! [`Failure::Unsupported`].

use wavemark_diag::{Diagnostic, SourceMap, Span};
use wavemark_schedule::diagram::diagram;
use wavemark_schedule::pipeline::{Options, pipeline_with};
use wavemark_schedule::plan::{Planned, lds_bytes, plan};
use wavemark_target::TargetId;
use wavemark_tile::{Dialect, Function, Module};

use crate::build::Failure;
use crate::input::Input;
use crate::tile::Origins;

/// What to do and to print.
#[derive(Clone, Debug, Default)]
pub struct TileOptions {
    /// Print what the pipelining pass made, before index arithmetic is simplified.
    pub before_simplify: bool,
    /// Refuse what TVM refuses although there is a right program.
    pub tvm_compatible: bool,
    /// The dialect to print; `None`: the input's.
    pub dialect: Option<Dialect>,
    /// Draw the pipelines.
    pub diagrams: bool,
    /// The target, whose LDS must hold the buffers. Not needed.
    pub target: Option<TargetId>,
}

/// A compiled module.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The module.
    pub module: Module,
    /// Its text.
    pub text: String,
    /// The pictures, when asked for: at least one.
    pub diagrams: Vec<Diagram>,
    /// What was decided.
    pub notes: Vec<Note>,
}

/// The picture of a function's first pipeline.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// The function.
    pub function: String,
    /// The picture.
    pub svg: String,
}

/// A module whose loops with `num_stages` alone have the annotations of a pipeline.
#[derive(Clone, Debug)]
pub struct PlannedModule {
    /// The module.
    pub module: Module,
    /// Its text.
    pub text: String,
    /// What was decided, each with the name of its function.
    pub loops: Vec<(String, Planned)>,
}

/// A decision that the user may want to know of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The loop or function.
    pub span: Option<Span>,
    /// The decision.
    pub message: String,
}

/// A module, parsed and verified. `origins` tell where a text that was printed comes from.
pub fn parse_module(sources: &mut SourceMap, input: &Input, origins: &Origins) -> Result<Module, Failure> {
    let text = input.text()?;
    let file = sources.add_text(&input.name, text);
    let mut module = wavemark_frontend::parse(file, text)?;
    origins.apply(sources, &mut module);
    wavemark_tile::verify(&module)?;
    Ok(module)
}

/// `compile --emit tile`.
pub fn compile_tile(
    sources: &mut SourceMap,
    input: &Input,
    options: &TileOptions,
) -> Result<Compiled, Failure> {
    compile_module(parse_module(sources, input, &Origins::default())?, options)
}

/// The same for a module that has been read.
pub fn compile_module(mut module: Module, options: &TileOptions) -> Result<Compiled, Failure> {
    let mut notes = Vec::new();
    let mut problems = Vec::new();
    for function in &mut module.functions {
        match transform(function, options) {
            Ok(lines) => notes.extend(lines),
            Err(diagnostics) => problems.extend(diagnostics),
        }
    }
    if !problems.is_empty() {
        return Err(Failure::Unusable(problems));
    }
    let diagrams = if options.diagrams { draw(&module)? } else { Vec::new() };
    let text = wavemark_tile::print(&module, options.dialect.unwrap_or(module.dialect));
    Ok(Compiled { module, text, diagrams, notes })
}

/// Writes onto loops with `num_stages` alone what the pipelining pass reads, and does no more.
pub fn plan_module(mut module: Module) -> Result<PlannedModule, Failure> {
    let mut loops = Vec::new();
    let mut problems = Vec::new();
    for function in &mut module.functions {
        match plan(function) {
            Ok(planned) => loops.extend(planned.into_iter().map(|plan| (function.name.clone(), plan))),
            Err(diagnostics) => problems.extend(diagnostics),
        }
    }
    if !problems.is_empty() {
        return Err(Failure::Unusable(problems));
    }
    let text = wavemark_tile::print(&module, module.dialect);
    Ok(PlannedModule { module, text, loops })
}

/// Plans, pipelines and simplifies one function; what there is to say about it.
fn transform(function: &mut Function, options: &TileOptions) -> Result<Vec<Note>, Vec<Diagnostic>> {
    let before = lds_bytes(function);
    let planned = plan(function)?;
    let mut notes: Vec<Note> = Vec::new();
    for plan in &planned {
        let remarks = plan.remarks.iter().map(|remark| format!("loop `{}`: {remark}", plan.name));
        let lines = std::iter::once(plan.summary()).chain(remarks);
        notes.extend(lines.map(|message| Note { span: plan.span, message }));
    }
    let decided = pipeline_with(function, Options { tvm_compatible: options.tvm_compatible })?;
    notes.extend(decided.into_iter().map(|note| Note { span: note.span, message: note.message }));
    let after = lds_bytes(function);
    if before != after
        && let (Some(before), Some(after)) = (before, after)
    {
        let message = format!("`{}`: LDS {before} -> {after} bytes", function.name);
        notes.push(Note { span: None, message });
    }
    if let Some(target) = options.target {
        check_lds(function, &planned, after, target).map_err(|problem| vec![*problem])?;
    }
    if !options.before_simplify {
        wavemark_tile::simplify(function);
    }
    Ok(notes)
}

/// The buffers fit the target's LDS.
fn check_lds(
    function: &Function,
    planned: &[Planned],
    bytes: Option<u64>,
    target: TargetId,
) -> Result<(), Box<Diagnostic>> {
    let processor = target.processor;
    let limit = u64::from(processor.limits(processor.default_wave_size()).lds_bytes);
    let Some(bytes) = bytes.filter(|&bytes| bytes > limit) else { return Ok(()) };
    let name = &function.name;
    let mut problem = Diagnostic::error(format!("`{name}` needs {bytes} bytes of LDS, {target} has {limit}"));
    if let Some(span) = planned.first().and_then(|plan| plan.span).or(function.span) {
        problem = problem.at(span);
    }
    // One planned loop: each stage costs its buffers once more.
    if let [plan] = planned
        && let (Some(one), Some(all)) = (plan.lds_bytes_before.filter(|&one| one > 0), plan.lds_bytes_after)
    {
        let room = limit.saturating_sub(bytes.saturating_sub(all)) / one;
        problem = match room {
            0 | 1 => problem.help("even two stages do not fit: make the tiles smaller"),
            _ => problem.help(format!("num_stages = {room} fits")),
        };
    }
    Err(Box::new(problem))
}

/// The pictures of the functions that have a pipeline.
fn draw(module: &Module) -> Result<Vec<Diagram>, Diagnostic> {
    let mut diagrams = Vec::new();
    let mut reasons = Vec::new();
    for function in &module.functions {
        match diagram(function) {
            Ok(svg) => diagrams.push(Diagram { function: function.name.clone(), svg }),
            Err(reason) => reasons.push(reason),
        }
    }
    if diagrams.is_empty() {
        let problem = Diagnostic::error("there is no pipeline to draw");
        return Err(reasons.into_iter().fold(problem, Diagnostic::note));
    }
    Ok(diagrams)
}
