//! Automatic planning: from `num_stages` on a loop (TileLang's `T.Pipelined`, Triton's `num_stages`) to the
//! `software_pipeline_*` annotations that the pipelining pass reads.
//!
//! The schedule is the one that TileLang's planner and Triton's AMD scheduler agree on: what moves data from
//! global memory into a buffer of the loop (a *copy*) that something later reads is issued in stage 0, the work on
//! it runs `num_stages - 1` iterations later, in the last stage; within an iteration of the pipeline the copies
//! come first (statements are ordered by stage, then as written), so that the newest copy is in flight while the
//! oldest tile is used. A copied buffer then needs `num_stages` versions, no more. Copies whose addresses come
//! from other copies are spread over the stages between, by how many copies lie between them and the work (as Triton
//! has it: all copies that the work reads share a stage, and so a queue). Everything else (shared to local, compute)
//! runs as late as it can: a value that is made late needs few versions.
//!
//! Where we differ: an asynchronous stage is asynchronous as a whole (the RFC lists stages, not statements), and
//! its members are unordered. So statements that only prepare addresses of copies get a stage of their own before
//! them, one more than `num_stages` asks for; and a stage with anything but independent copies in it stays
//! synchronous, which is reported. `num_stages` 0 and 1 mean no pipelining, as in Triton.
//!
//! Promises: a plan keeps every dependence between two statements of an iteration and, for buffers that are not
//! allocated in the loop (and so have one version), between iterations. Dependences are by buffer, not by region.
//! A loop that cannot overlap anything is an error that names the statements and the dependence.

mod access;
mod body;
mod copies;
mod graph;
mod sink;
mod stages;
mod storage;

use std::collections::BTreeSet;

use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::{Annotation, For, ForKind, Function, Stmt};

use access::{Access, Views};
use body::Item;
use stages::{Schedule, Statement};

pub(crate) use body::statement_name;
pub use storage::{bytes_of, lds_bytes};

/// The annotation of loops that this module plans.
pub const NUM_STAGES: &str = "num_stages";
/// The annotation with the stage of each statement.
pub const STAGE: &str = "software_pipeline_stage";
/// The annotation with the position of each statement.
pub const ORDER: &str = "software_pipeline_order";
/// The annotation with the stages that are asynchronous.
pub const ASYNC_STAGES: &str = "software_pipeline_async_stages";

/// More stages than this are taken for a mistake: the prologue and epilogue are written out.
const MOST_STAGES: i64 = 256;

/// What was decided for one loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The name of its loop variable.
    pub name: String,
    /// Where the loop is.
    pub span: Option<Span>,
    /// What its annotation asked for.
    pub num_stages: i64,
    /// Names of its statements, as the pass will see them.
    pub statements: Vec<String>,
    /// The stage of each.
    pub stages: Vec<i64>,
    /// The position of each in an iteration of the pipeline.
    pub order: Vec<i64>,
    /// The stages that are asynchronous.
    pub async_stages: Vec<i64>,
    /// Versions of each buffer that is allocated in the loop, by name.
    pub versions: Vec<(String, i64)>,
    /// LDS bytes of the loop's buffers without pipelining; `None` when a shape is not constant.
    pub lds_bytes_before: Option<u64>,
    /// LDS bytes of the loop's buffers with these versions.
    pub lds_bytes_after: Option<u64>,
    /// Remarks: what could not be overlapped, and why.
    pub remarks: Vec<String>,
}

impl Planned {
    /// One line for people: stages, order, versions, bytes.
    pub fn summary(&self) -> String {
        let list = |numbers: &[i64]| format!("{numbers:?}");
        let versions: Vec<String> =
            self.versions.iter().map(|(name, count)| format!("{name} x{count}")).collect();
        let bytes = match (self.lds_bytes_before, self.lds_bytes_after) {
            (Some(before), Some(after)) => format!("LDS {before} -> {after} bytes"),
            _ => "LDS bytes depend on the shapes".to_owned(),
        };
        format!(
            "loop `{}`, num_stages {}: {} in stages {}, order {}, asynchronous {}; versions: {}; {bytes}",
            self.name,
            self.num_stages,
            self.statements.join(", "),
            list(&self.stages),
            list(&self.order),
            list(&self.async_stages),
            if versions.is_empty() { "none".to_owned() } else { versions.join(", ") },
        )
    }
}

/// Writes stage, order and asynchronous stages onto each loop of `function` that has only `num_stages`, inner loops
/// first. Loops with annotations of their own stay as they are.
///
/// # Errors
///
/// The loops that cannot be pipelined, each with the statements and the dependence. The function is then of no
/// further use.
pub fn plan(function: &mut Function) -> Result<Vec<Planned>, Vec<Diagnostic>> {
    sink::sink(function);
    let mut body = std::mem::replace(&mut function.body, Stmt::nop());
    let views = Views::new(function, &body);
    let mut planner = Planner { function, views, planned: Vec::new(), problems: Vec::new() };
    planner.walk(&mut body);
    let Planner { planned, problems, .. } = planner;
    function.body = body;
    if problems.is_empty() { Ok(planned) } else { Err(problems) }
}

/// A loop that this module has to plan, and how many stages it asks for.
fn wanted(node: &For) -> Option<&Annotation> {
    let explicit = [STAGE, ORDER].iter().any(|key| node.annotations.contains_key(*key));
    node.annotations.get(NUM_STAGES).filter(|_| !explicit)
}

struct Planner<'f> {
    function: &'f Function,
    views: Views,
    planned: Vec<Planned>,
    problems: Vec<Diagnostic>,
}

impl Planner<'_> {
    fn walk(&mut self, stmt: &mut Stmt) {
        for child in stmt.children_mut() {
            self.walk(child);
        }
        if let Stmt::For(node) = stmt
            && let Some(wanted) = wanted(node)
        {
            match num_stages(wanted) {
                Some(count @ 0..=MOST_STAGES) => {
                    node.annotations.remove(NUM_STAGES);
                    if count > 1 {
                        match self.plan_loop(node, count) {
                            Ok(planned) => self.planned.push(planned),
                            Err(problem) => self.problems.push(*problem),
                        }
                    }
                }
                _ => {
                    let problem = error(self.loop_name(node), node.span)
                        .note(format!("`num_stages` must be a whole number from 0 to {MOST_STAGES}"));
                    self.problems.push(problem);
                }
            }
        }
    }

    fn loop_name(&self, node: &For) -> String {
        self.function.var(node.var).name.to_string()
    }

    fn plan_loop(&mut self, node: &mut For, num_stages: i64) -> Result<Planned, Box<Diagnostic>> {
        let name = self.loop_name(node);
        let refuse = |note: String| Box::new(error(name.clone(), node.span).note(note));
        if !matches!(node.kind, ForKind::Serial | ForKind::Unrolled) {
            return Err(refuse(format!("a {} loop has no iterations one after the other", kind(&node.kind))));
        }
        let written = Access::of(&node.body, &self.views).writes;
        body::inline_lets(&mut node.body, &written);
        let (items, allocated) = body::discover(&node.body).map_err(refuse)?;
        let own: BTreeSet<_> = allocated.iter().copied().collect();
        let statements: Vec<Statement> = items
            .iter()
            .enumerate()
            .map(|(index, item)| {
                let access = Access::of(item.stmt(), &self.views);
                let copy = match item {
                    // Its parts would run in any order.
                    Item::Statement(_) if !access.reads.is_disjoint(&access.writes) => {
                        Err("it reads what it writes".to_owned())
                    }
                    Item::Statement(stmt) => copies::copy(self.function, &self.views, stmt, &own, &written),
                    Item::Section(..) => Err("it is a pipeline of its own".to_owned()),
                };
                let name = body::name_of(self.function, item, index);
                Statement { name, span: body::span_of(item.stmt()), access, copy }
            })
            .collect();
        let Schedule { stages, order, async_stages, remarks } =
            stages::schedule(self.function, &statements, &own, num_stages)
                .map_err(|problem| Box::new(problem.diagnostic(&name, node.span)))?;

        let mut versions = Vec::new();
        let (mut before, mut after) = (Some(0u64), Some(0u64));
        for id in allocated {
            let count = storage::versions(&statements, &stages, id);
            let buffer = self.function.buffer(id);
            if storage::is_lds(buffer) {
                let bytes = bytes_of(buffer);
                before = before.zip(bytes).and_then(|(sum, bytes)| sum.checked_add(bytes));
                let times = bytes.and_then(|bytes| bytes.checked_mul(count.unsigned_abs()));
                after = after.zip(times).and_then(|(sum, bytes)| sum.checked_add(bytes));
            }
            versions.push((buffer.name.to_string(), count));
        }
        let ints = |numbers: &[i64]| Annotation::List(numbers.iter().copied().map(Annotation::Int).collect());
        node.annotations.insert(STAGE.into(), ints(&stages));
        node.annotations.insert(ORDER.into(), ints(&order));
        if !async_stages.is_empty() {
            node.annotations.insert(ASYNC_STAGES.into(), ints(&async_stages));
        }
        Ok(Planned {
            name,
            span: node.span,
            num_stages,
            statements: statements.into_iter().map(|statement| statement.name).collect(),
            stages,
            order,
            async_stages,
            versions,
            lds_bytes_before: before,
            lds_bytes_after: after,
            remarks,
        })
    }
}

fn error(name: String, span: Option<Span>) -> Diagnostic {
    let diagnostic = Diagnostic::error(format!("loop `{name}` cannot be pipelined"));
    match span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    }
}

fn num_stages(value: &Annotation) -> Option<i64> {
    match value {
        Annotation::Int(count) => Some(*count),
        Annotation::Expr(expr) => expr.as_int(),
        _ => None,
    }
}

fn kind(kind: &ForKind) -> &'static str {
    match kind {
        ForKind::Serial => "serial",
        ForKind::Parallel => "parallel",
        ForKind::Vectorized => "vectorized",
        ForKind::Unrolled => "unrolled",
        ForKind::ThreadBinding(_) => "thread-bound",
    }
}
