//! Software pipelining with asynchronous stages.
//!
//! A loop annotated with a stage and an order for each statement of its body becomes a prologue, a body and an
//! epilogue, in which the statement of stage `s` runs `s` iterations behind; buffers of the iteration's own get as
//! many versions as iterations use them at once; stages named asynchronous are committed in groups to the queue of
//! their stage and awaited where their results, or the places of their operands, are used. Inner pipelines come
//! first. Follows the asynchronous-pipeline RFC and, for the form of the result, what TVM produces from the same
//! program.
//!
//! Promises: what is produced computes what the source computes under every order of completion that the queues
//! allow, or the program is refused with the statements and the dependence named. Wait counts are the largest with
//! which this holds for the structure of the result; they come from executing the produced time steps symbolically
//! ([`timeline`]), for all extents at once where the extent is not known.
//!
//! Does not: compare different threads (barriers are a later pass's), or look behind calls of unknown functions
//! beyond the regions that their blocks declare.
//!
//! Beyond TVM: a statement that reads what two asynchronous stages write waits for each of their queues.
//!
//! Phases: [`opaque`] → [`discover`] → [`annotations`] → [`dependence`] → [`versions`] → [`waits`] (by [`timeline`]
//! and [`counts`]) → [`emit`] (by [`rewrite`] and
//! [`pointers`]).

mod annotations;
mod counts;
mod dependence;
mod discover;
mod emit;
mod opaque;
mod pointers;
mod rewrite;
mod timeline;
mod uses;
mod versions;
mod waits;

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::arith::Analyzer;
use wavemark_tile::{Annotation, Block, BufferId, Expr, For, ForKind, Function, Stmt, fold};

pub use annotations::{ASYNC_STAGES, ORDER, STAGE};
pub use emit::{ASYNC, COMMIT, IN_FLIGHT, WAIT};

use annotations::{Request, at};
use dependence::Loop;
use discover::{Body, Statement};
use emit::Emitter;
use pointers::Fragments;
use rewrite::Renaming;
use uses::{Outside, Uses};

/// What the pass decided and the user may want to know.
#[derive(Clone, Debug)]
pub struct Note {
    /// The loop.
    pub span: Option<Span>,
    /// The decision.
    pub message: String,
}

/// Pipelines every annotated loop of `function`, inner ones first. When it fails, the function is left without its
/// body: a copy for that case would cost a sixth of the time of the pass.
pub fn pipeline(function: &mut Function) -> Result<Vec<Note>, Vec<Diagnostic>> {
    pipeline_with(function, Options::default())
}

/// How far the result is to be TVM's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Refuses what TVM refuses although there is a right program: a statement that reads what two asynchronous stages
    /// write.
    pub tvm_compatible: bool,
}

/// As [`pipeline`], with options.
pub fn pipeline_with(function: &mut Function, options: Options) -> Result<Vec<Note>, Vec<Diagnostic>> {
    let mut body = std::mem::replace(&mut function.body, Stmt::nop());
    let uses = Uses::of(&body);
    let mut pass = Pass {
        uses: &uses,
        options,
        loops: 0,
        function,
        notes: Vec::new(),
        diagnostics: Vec::new(),
        doubled: FxHashSet::default(),
        moved: FxHashSet::default(),
        serial_loops: 0,
        thread_loops: 0,
    };
    pass.statement(&mut body);
    let Pass { notes, diagnostics, .. } = pass;
    if diagnostics.is_empty() {
        function.body = body;
        Ok(notes)
    } else {
        Err(diagnostics)
    }
}

struct Pass<'a> {
    function: &'a mut Function,
    notes: Vec<Note>,
    diagnostics: Vec<Diagnostic>,
    /// Uses in the whole function as it was.
    uses: &'a Uses,
    options: Options,
    /// The pipelined loops that have begun.
    loops: usize,
    /// Buffers that `double_buffer_scope` asks two versions for.
    doubled: FxHashSet<BufferId>,
    /// Buffers that a pipeline took over from an outer block.
    moved: FxHashSet<BufferId>,
    /// Serial loops around the statement.
    serial_loops: usize,
    /// Loops over threads around the statement.
    thread_loops: usize,
}

impl Pass<'_> {
    fn statement(&mut self, stmt: &mut Stmt) {
        let pipelined = match stmt {
            Stmt::For(node) => annotations::is_pipeline(node),
            _ => Ok(false),
        };
        let outside = matches!(pipelined, Ok(true)).then(|| {
            self.loops += 1;
            self.uses.outside(self.loops - 1)
        });
        let threads = matches!(stmt, Stmt::For(node) if matches!(node.kind, ForKind::ThreadBinding(_)));
        let serial = matches!(stmt, Stmt::For(_)) && !threads;
        self.serial_loops += usize::from(serial);
        self.thread_loops += usize::from(threads);
        stmt.children_mut().for_each(|child| self.statement(child));
        self.serial_loops -= usize::from(serial);
        self.thread_loops -= usize::from(threads);
        if let Stmt::Block(block) = stmt {
            self.double_buffers(block);
            block.alloc_buffers.retain(|buffer| !self.moved.contains(buffer));
        }
        if let Some(outside) = outside
            && let Stmt::For(node) = std::mem::replace(stmt, Stmt::nop())
        {
            match self.pipeline(*node, outside) {
                Ok(block) => *stmt = Stmt::Block(Box::new(block)),
                Err(diagnostic) => self.diagnostics.push(diagnostic),
            }
        }
        self.diagnostics.extend(pipelined.err());
    }

    fn double_buffers(&mut self, block: &Block) {
        let Some(annotation) = block.annotations.get("double_buffer_scope") else { return };
        let index = match annotation {
            Annotation::Int(index) => usize::try_from(*index).ok(),
            _ => None,
        };
        match index.and_then(|index| block.writes.get(index)) {
            Some(region) => {
                self.doubled.insert(region.buffer);
            }
            None => self.diagnostics.push(
                at(
                    block.span,
                    format!("`double_buffer_scope` of block `{}` names no buffer that it writes", block.name),
                )
                .help(format!("it is an index into the {} regions of `T.writes`", block.writes.len())),
            ),
        }
    }

    fn pipeline(&mut self, node: For, outside: Outside) -> Result<Block, Diagnostic> {
        if matches!(node.kind, ForKind::Parallel | ForKind::Vectorized | ForKind::ThreadBinding(_)) {
            return Err(at(
                node.span,
                format!("the loop `{}` is not serial", self.function.var(node.var).name),
            )
            .help("only a serial or unrolled loop has an order of iterations that a pipeline can change"));
        }
        let mut node = unit_step(self.function, node)?;
        opaque::make_opaque(&mut node.body);
        let mut body = discover::discover(self.function, &mut node)?;
        let request = annotations::read(&node, &body.statements)?;
        let queues = queues(&body, &request)?;
        let pipeline = Loop::new(self.function, &node, &body.statements, &request);
        let threads = self.thread_loops > 0;
        let mut analyzer = pipeline.analyzer();
        let Private { buffers: private, taken_over, mut versions } = private_buffers(
            &pipeline,
            &node,
            &mut body.allocs,
            outside,
            threads,
            &self.doubled,
            &mut analyzer,
        )?;
        self.moved.extend(taken_over);
        dependence::check(&pipeline, &private, &mut analyzer)?;
        let needs = dependence::needs(&pipeline, &private, &versions, &mut analyzer);
        if self.options.tvm_compatible {
            dependence::one_producer_stage(&pipeline, &needs)?;
        }
        let room = versions::Room::new(self.function, &body.allocs, &versions);
        let plan =
            waits::plan(&pipeline, &private, needs, versions, node.extent.as_int(), &|buffer, count| {
                room.has_room_for(self.function, buffer, count)
            });
        let plan = plan.map_err(|hopeless| never_complete(&body, &hopeless))?;
        versions = plan.versions.clone();
        self.note(&node, &body, &versions, &plan.remarks);
        let drain = self.drain(&body, &request, &plan.left_in_flight, outside);
        let statements = body.statements.iter().map(|statement| &statement.block.body);
        let fragments = Fragments::of(self.function, statements);
        let (allocs, versioned) = versions::add_dimension(self.function, &body.allocs, &versions, &fragments);
        let mut emitter = Emitter {
            function: self.function,
            node: &node,
            blocks: body
                .statements
                .into_iter()
                .map(|statement| Some(for_sections(statement, &request)))
                .collect(),
            request: &request,
            versioned: &versioned,
            plan: &plan,
            renaming: Renaming::default(),
            queue: &|stage| queues.get(&stage).copied().unwrap_or(stage),
        };
        let [prologue, main, mut epilogue] = emitter.sections()?;
        for stage in drain {
            let queue = queues.get(&stage).copied().unwrap_or(stage);
            let wait = Stmt::attr(IN_FLIGHT, Expr::int(0), Stmt::nop());
            let wait = discover::make_block(self.function, Stmt::attr(WAIT, Expr::int(queue), wait));
            let both = [epilogue, wait].map(|block| Stmt::Block(Box::new(block)));
            epilogue = discover::make_block(self.function, Stmt::Seq(both.into()));
        }
        let sections = [prologue, main, epilogue].map(|block| Stmt::Block(Box::new(block)));
        let mut result = Block::opaque("", Stmt::Seq(sections.into()));
        result.alloc_buffers = allocs;
        result.span = node.span;
        (result.reads, result.writes) = wavemark_tile::regions::detect(self.function, &result);
        Ok(result)
    }

    /// The stages whose queues must be empty when the loop is left: something that the loop leaves in flight is
    /// touched later, or the loop runs again.
    fn drain(&self, body: &Body, request: &Request, left: &[usize], outside: Outside) -> Vec<i64> {
        let touched_later = |&&statement: &&usize| {
            let block = &body.statements[statement];
            let mut regions = block.reads().iter().chain(block.writes());
            self.serial_loops > 0 || regions.any(|region| outside.contains(region.buffer))
        };
        let mut stages: Vec<i64> =
            left.iter().filter(touched_later).map(|&index| request.stages[index]).collect();
        stages.sort_unstable();
        stages.dedup();
        stages
    }

    fn note(&mut self, node: &For, body: &Body, versions: &FxHashMap<BufferId, i64>, remarks: &[String]) {
        let name = &self.function.var(node.var).name;
        let mut say = |message: String| self.notes.push(Note { span: node.span, message });
        let mut rings = String::with_capacity(80);
        for buffer in &body.allocs {
            if let Some(count @ 2..) = versions.get(buffer) {
                match rings.is_empty() {
                    true => rings.extend(["loop `", name, "`: "]),
                    false => rings.push_str(", "),
                }
                let ring = &self.function.buffer(*buffer).name;
                write!(rings, "{count} versions of `{ring}`").expect("a string takes all");
            }
        }
        if !rings.is_empty() {
            say(rings);
        }
        for remark in remarks {
            say(format!("loop `{name}`: {remark}"));
        }
    }
}

/// The buffers that every iteration has for itself.
struct Private {
    buffers: FxHashSet<BufferId>,
    /// Those of them that an outer block allocates.
    taken_over: Vec<BufferId>,
    versions: FxHashMap<BufferId, i64>,
}

/// The private buffers and their versions: besides those that the body allocates the ones that an outer block allocates,
/// only this loop uses, and of which one version is not enough.
fn private_buffers(
    pipeline: &Loop,
    node: &For,
    allocs: &mut Vec<BufferId>,
    outside: Outside,
    in_threads: bool,
    doubled: &FxHashSet<BufferId>,
    analyzer: &mut Analyzer,
) -> Result<Private, Diagnostic> {
    let mut buffers: FxHashSet<BufferId> = allocs.iter().copied().collect();
    let mut taken_over = versions::written_first(pipeline, &buffers, outside, in_threads, analyzer);
    buffers.extend(&taken_over);
    let least = dependence::least_versions(pipeline, &buffers, analyzer);
    taken_over.retain(|buffer| {
        let wanting = least.get(buffer).is_some_and(|&least| least > 1);
        wanting || !buffers.remove(buffer)
    });
    allocs.extend(&taken_over);
    let versions = versions::versions(pipeline, node, allocs, &least, doubled)?;
    Ok(Private { buffers, taken_over, versions })
}

/// The queue of each asynchronous stage: its number, unless a statement of the body (an inner pipeline) uses that
/// queue already.
fn queues(body: &Body, request: &Request) -> Result<FxHashMap<i64, i64>, Diagnostic> {
    // By queue: the statements that commit to it or wait for it.
    let mut taken: FxHashMap<i64, Vec<usize>> = FxHashMap::default();
    for (index, statement) in body.statements.iter().enumerate().filter(|(_, node)| node.inside.queues) {
        let mut found = false;
        statement.block.body.visit(&mut |part| {
            if let Stmt::Attr { key, value, .. } = part
                && (key == COMMIT || key == WAIT)
            {
                found = true;
                let users = taken.entry(value.as_int().unwrap_or(i64::MIN)).or_default();
                if users.last() != Some(&index) {
                    users.push(index);
                }
            }
        });
        if found && request.is_async(index) {
            return Err(at(
                statement.span(),
                format!(
                    "unsupported: {} is asynchronous and has asynchronous scopes inside",
                    statement.describe()
                ),
            )
            .help("make the inner pipeline synchronous, or the outer stage"));
        }
    }
    for users in taken.values() {
        let first = users[0];
        let together = users.iter().enumerate().all(|(offset, &user)| {
            request.stages[user] == request.stages[first]
                && request.positions[user] == request.positions[first] + (user - first)
                && user == first + offset
        });
        if !together {
            return Err(at(
                body.statements[first].span(),
                "unsupported: the sections of an inner asynchronous pipeline are in different stages, or not in order, \
                 of the outer one"
                    .to_owned(),
            )
            .note("its waits count the groups of one run of the inner loop at a time")
            .help("give the inner pipeline's sections one stage and orders that follow one another"));
        }
    }
    let mut next = request.max_stage + 1;
    Ok(request
        .async_stages
        .iter()
        .map(|&stage| {
            if !taken.contains_key(&stage) {
                return (stage, stage);
            }
            while taken.contains_key(&next) {
                next += 1;
            }
            next += 1;
            (stage, next - 1)
        })
        .collect())
}

/// The block of a statement as the sections have it. What an asynchronous one declares is said again by the block of the
/// group that it is committed in; its own goes, unless it has buffers.
fn for_sections(statement: Statement, request: &Request) -> Box<Block> {
    let mut block = statement.block;
    if request.is_async(statement.number) && block.alloc_buffers.is_empty() && block.match_buffers.is_empty()
    {
        block.reads.clear();
        block.writes.clear();
    }
    block
}

fn never_complete(body: &Body, hopeless: &waits::Hopeless) -> Diagnostic {
    let (consumer, producer) = (&body.statements[hopeless.consumer], &body.statements[hopeless.producer]);
    at(
        consumer.span(),
        format!(
            "{} needs what {} does asynchronously, but that is not committed before it",
            consumer.describe(),
            producer.describe()
        ),
    )
}

/// The loop with a step of 1: the variable is replaced by `min + step * var`.
fn unit_step(function: &mut Function, mut node: For) -> Result<For, Diagnostic> {
    let Some(step) = node.step.take().filter(|step| step.as_int() != Some(1)) else { return Ok(node) };
    if step.as_int().is_none_or(|step| step <= 0) {
        let message = "unsupported: the step of a pipelined loop must be a positive constant";
        return Err(at(node.span, message.to_owned()));
    }
    let var = function.copy_var(node.var);
    let value = fold::add(node.min.clone(), fold::mul(function.var_expr(var), step.clone()));
    node.body.substitute(node.var, &value);
    let one = Expr::Int(1, step.dtype());
    node.extent = fold::floor_div(fold::add(node.extent, fold::sub(step.clone(), one)), step);
    node.min = Expr::Int(0, function.var(var).dtype);
    node.var = var;
    Ok(node)
}
