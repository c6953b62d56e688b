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

/// What to do and to print.
#[derive(Clone, Debug, Default)]
pub struct TileOptions {
    /// Print what the pipelining pass made, before index arithmetic is simplified.
    pub before_simplify: bool,
    /// Refuse what TVM refuses although there is a right program.
    pub tvm_compatible: bool,
    /// The dialect to print; `None`: the input's.
    pub dialect: Option<Dialect>,
    /// Draw the first pipeline.
    pub diagram: bool,
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
    /// The picture, when asked for.
    pub diagram: Option<String>,
    /// What was decided.
    pub notes: Vec<Note>,
}

/// A decision that the user may want to know of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The loop or function.
    pub span: Option<Span>,
    /// The decision.
    pub message: String,
}

/// A module, parsed and verified.
pub fn parse_module(sources: &mut SourceMap, input: &Input) -> Result<Module, Failure> {
    let text = input.text()?;
    let file = sources.add_text(&input.name, text);
    let module = wavemark_frontend::parse(file, text)?;
    wavemark_tile::verify(&module)?;
    Ok(module)
}

/// `compile --emit tile`.
pub fn compile_tile(
    sources: &mut SourceMap,
    input: &Input,
    options: &TileOptions,
) -> Result<Compiled, Failure> {
    let mut module = parse_module(sources, input)?;
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
    let picture = match options.diagram {
        true => Some(picture(&module)?),
        false => None,
    };
    let text = wavemark_tile::print(&module, options.dialect.unwrap_or(module.dialect));
    Ok(Compiled { module, text, diagram: picture, notes })
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

/// The picture of the first function that has a pipeline.
fn picture(module: &Module) -> Result<String, Diagnostic> {
    let mut reasons = Vec::new();
    for function in &module.functions {
        match diagram(function) {
            Ok(picture) => return Ok(picture),
            Err(reason) => reasons.push(reason),
        }
    }
    let problem = Diagnostic::error("there is no pipeline to draw");
    Err(reasons.into_iter().fold(problem, Diagnostic::note))
}
