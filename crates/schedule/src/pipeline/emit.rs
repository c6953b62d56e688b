//! The three sections of a pipelined loop.
//!
//! Follows the form that TVM's pass gives them, predicates and index expressions included (its simplifier runs
//! later), so that both programs can be compared: a section executes the statements in order; the one of stage `s`
//! executes iteration `v - s` where the loop has it.

use rustc_hash::FxHashMap;
use wavemark_diag::Diagnostic;
use wavemark_tile::arith::Analyzer;
use wavemark_tile::{BinaryOp, Block, BufferId, Expr, For, ForKind, Function, Range, Stmt, fold};

use super::annotations::{self, Request};
use super::counts::Form;
use super::discover::make_block;
use super::rewrite::{Renaming, Rewriter, Versioned};
use super::timeline::Section;
use super::waits::{Plan, WrittenWait};

/// Attribute: the groups committed in the scope go to this queue.
pub const COMMIT: &str = "async_commit_queue_scope";
/// Attribute: the scope begins with a wait for this queue.
pub const WAIT: &str = "async_wait_queue_scope";
/// Attribute: how many groups the wait leaves in flight.
pub const IN_FLIGHT: &str = "async_wait_inflight_count";
/// Attribute: the scope runs asynchronously.
pub const ASYNC: &str = "async_scope";

/// Writes the sections of one loop.
pub struct Emitter<'a> {
    /// The function, which gets new variables and buffers.
    pub function: &'a mut Function,
    /// The loop.
    pub node: &'a For,
    /// The statements of its body, until their last copy is made of themselves.
    pub blocks: Vec<Option<Box<Block>>>,
    /// What is asked for.
    pub request: &'a Request,
    /// Private buffers of more than one version.
    pub versioned: &'a FxHashMap<BufferId, Versioned>,
    /// Commits and waits.
    pub plan: &'a Plan,
    /// The memory of the copies.
    pub renaming: Renaming,
    /// The queue of a stage.
    pub queue: &'a dyn Fn(i64) -> i64,
}

/// A section's loop: its variable, and what to add to it for the time step.
struct Frame {
    var: Expr,
    /// First value of the variable.
    min: Expr,
    /// Time less variable.
    delta: Expr,
    /// The time step.
    time: Expr,
    unit: bool,
    /// First time step and the one after the last, where they are known.
    steps: Option<(i64, i64)>,
}

/// What the statements of one stage execute in a section.
#[derive(Clone)]
struct Instance {
    /// The source iteration.
    access: Expr,
    /// The same, counted from 0.
    iteration: Expr,
    /// Where the loop has it.
    predicate: Expr,
}

impl Emitter<'_> {
    /// The sections in order, each one block.
    pub fn sections(&mut self) -> Result<[Block; 3], Diagnostic> {
        let stages = Expr::Int(self.request.max_stage, self.node.min.dtype());
        let min = self.node.min.clone();
        let end = fold::add(min.clone(), self.node.extent.clone());
        let filled = fold::add(min, stages.clone());
        let (drain_start, only_from) = self.epilogue_start(&end, &filled);
        Ok([
            self.section(Section::Prologue, self.node.min.clone(), filled.clone(), None)?,
            self.section(Section::Body, filled, end.clone(), None)?,
            self.section(Section::Epilogue, drain_start, fold::add(end, stages), only_from)?,
        ])
    }

    /// A loop shorter than the number of stages must not execute in the epilogue what the prologue did: the epilogue
    /// starts later, or, with an extent that is not known, is predicated.
    fn epilogue_start(&self, end: &Expr, filled: &Expr) -> (Expr, Option<Expr>) {
        let enough =
            fold::le(Expr::Int(self.request.max_stage, self.node.extent.dtype()), self.node.extent.clone());
        if self.request.max_stage <= 1 || Analyzer::new().can_prove(&enough) {
            (end.clone(), None)
        } else if end.as_int().is_some() {
            (fold::max(end.clone(), filled.clone()), None)
        } else {
            (end.clone(), Some(filled.clone()))
        }
    }

    fn section(
        &mut self,
        section: Section,
        start: Expr,
        end: Expr,
        only_from: Option<Expr>,
    ) -> Result<Block, Diagnostic> {
        let extent = fold::sub(end.clone(), start.clone());
        let mut analyzer = Analyzer::new();
        let length = analyzer.simplify(&extent);
        if length.as_int().is_some_and(|length| length <= 0) {
            return Ok(make_block(self.function, Stmt::nop()));
        }
        let unit = length.as_int() == Some(1);
        let node = self.node;
        let steps = start.as_int().zip(end.as_int());
        let (frame, var) = if unit {
            (
                Frame {
                    var: start.clone(),
                    min: start.clone(),
                    delta: Expr::Int(0, start.dtype()),
                    time: start.clone(),
                    unit,
                    steps,
                },
                node.var,
            )
        } else {
            let var = self.function.copy_var(node.var);
            analyzer.bind(var, &Range { min: start.clone(), extent: extent.clone() });
            let delta = fold::sub(start, node.min.clone());
            let time = fold::add(self.function.var_expr(var), delta.clone());
            (Frame { var: self.function.var_expr(var), min: node.min.clone(), delta, time, unit, steps }, var)
        };
        let statements = self.statements(section, &frame, only_from.as_ref(), &mut analyzer)?;
        if statements.is_empty() {
            return Ok(make_block(self.function, Stmt::nop()));
        }
        let content = Stmt::seq(self.commit(section, statements));
        if unit {
            return Ok(*super::discover::blockize(self.function, content));
        }
        let asked = [annotations::STAGE, annotations::ORDER, annotations::ASYNC_STAGES];
        let others = node.annotations.iter().filter(|(key, _)| !asked.contains(&key.as_str()));
        let annotations = others.map(|(key, value)| (key.clone(), value.clone())).collect();
        let kind = if section == Section::Body { node.kind.clone() } else { ForKind::Unrolled };
        let body = Stmt::For(Box::new(For {
            var,
            min: node.min.clone(),
            extent,
            step: None,
            kind,
            annotations,
            body: content,
            span: node.span,
        }));
        Ok(make_block(self.function, body))
    }

    /// The statements that occur in the section, by position.
    fn statements(
        &mut self,
        section: Section,
        frame: &Frame,
        only_from: Option<&Expr>,
        analyzer: &mut Analyzer,
    ) -> Result<Vec<(usize, Box<Block>)>, Diagnostic> {
        // By stage.
        let mut instances: Vec<Option<Option<Instance>>> = vec![None; self.request.max_stage as usize + 1];
        let mut list = Vec::with_capacity(self.request.order.len());
        for (position, &index) in self.request.order.iter().enumerate() {
            let stage = self.request.stages[index];
            if !section.has_stage(stage, self.request.max_stage) {
                continue;
            }
            let instance = instances[stage as usize]
                .get_or_insert_with(|| self.instance(stage, frame, only_from, analyzer));
            let Some(Instance { access, iteration, predicate }) = instance.clone() else { continue };
            let last = section.is_last_with(stage);
            let source = &mut self.blocks[index];
            let Some(mut block) = (if last { source.take() } else { source.clone() }) else { continue };
            let rewriter = Rewriter::new(
                self.function,
                self.versioned,
                (self.node.var, access),
                iteration,
                self.request.max_stage != 1,
                last,
                &mut self.renaming,
            );
            rewriter.rewrite(&mut block)?;
            block.predicate = predicate;
            if self.request.is_async(index) {
                // The block as it is must survive where it declares something.
                block.body = Stmt::attr(ASYNC, Expr::int(1), statement_of(&mut block));
            }
            for wait in &self.plan.waits[section as usize][index] {
                block.body = self.wait(wait, frame, std::mem::replace(&mut block.body, Stmt::nop()));
            }
            list.push((position, block));
        }
        Ok(list)
    }

    /// What the statements of a stage execute in the section; `None` where the loop has none of their iterations.
    fn instance(
        &self,
        stage: i64,
        frame: &Frame,
        only_from: Option<&Expr>,
        analyzer: &mut Analyzer,
    ) -> Option<Instance> {
        let node = self.node;
        let end = fold::add(node.min.clone(), node.extent.clone());
        let skewed = fold::sub(frame.var.clone(), Expr::Int(stage, node.min.dtype()));
        let begun = match (frame.steps, node.min.as_int()) {
            (Some((start, _)), Some(min)) if min.checked_add(stage).is_some_and(|first| first <= start) => {
                Expr::bool(true)
            }
            _ => analyzer.simplify(&fold::le(node.min.clone(), skewed.clone())),
        };
        let mut in_range = fold::and(begun, fold::lt(skewed.clone(), end));
        if let Some(first) = only_from {
            let from = fold::le(first.clone(), frame.var.clone());
            in_range = analyzer.simplify(&fold::and(in_range, from));
        }
        if !self.surely_runs(stage, frame) && analyzer.can_prove(&fold::not(in_range.clone())) {
            return None;
        }
        let (access, predicate) = if frame.unit {
            (skewed, in_range)
        } else {
            (fold::add(skewed, frame.delta.clone()), shift(&in_range, frame))
        };
        let iteration = match node.min.as_int() {
            Some(0) => access.clone(),
            _ => Expr::binary(BinaryOp::Sub, access.clone(), node.min.clone()),
        };
        Some(Instance { access, iteration, predicate })
    }

    /// Constants say that the loop has some of the stage's iterations in the section.
    fn surely_runs(&self, stage: i64, frame: &Frame) -> bool {
        let (Some((start, end)), Some(min)) = (frame.steps, self.node.min.as_int()) else { return false };
        let Some(extent) = self.node.extent.as_int() else { return false };
        let first = min.saturating_add(stage);
        start.max(first) < end.min(first.saturating_add(extent))
    }

    fn wait(&self, wait: &WrittenWait, frame: &Frame, body: Stmt) -> Stmt {
        let count = count(&wait.count, frame);
        Stmt::attr(WAIT, Expr::int((self.queue)(wait.stage)), Stmt::attr(IN_FLIGHT, count, body))
    }

    /// Puts each group under one commit.
    fn commit(&self, section: Section, statements: Vec<(usize, Box<Block>)>) -> Vec<Stmt> {
        let groups = &self.plan.groups[section as usize];
        let mut list: Vec<Stmt> = Vec::with_capacity(statements.len());
        let mut open: Option<((usize, usize), Vec<Stmt>, Expr)> = None;
        let close = |open: &mut Option<((usize, usize), Vec<Stmt>, Expr)>, list: &mut Vec<Stmt>| {
            if let Some((group, bodies, predicate)) = open.take() {
                let stage = self.request.stages[self.request.order[group.0]];
                let body = Stmt::attr(COMMIT, Expr::int((self.queue)(stage)), Stmt::seq(bodies));
                let mut block = make_block(self.function, body);
                block.predicate = predicate;
                list.push(Stmt::Block(Box::new(block)));
            }
        };
        let mut ahead = groups.iter().copied().peekable();
        for (position, block) in statements {
            while ahead.next_if(|group| group.1 < position).is_some() {}
            let group = ahead.peek().copied().filter(|group| group.0 <= position);
            if open.as_ref().map(|open| open.0) != group {
                close(&mut open, &mut list);
            }
            match (group, &mut open) {
                (None, _) => list.push(Stmt::Block(block)),
                (Some(_), Some(open)) => open.1.push(block.body),
                (Some(group), none) => *none = Some((group, vec![block.body], block.predicate)),
            }
        }
        close(&mut open, &mut list);
        list
    }
}

/// The body of an opaque block, or the block itself where it declares buffers or views.
fn statement_of(block: &mut Block) -> Stmt {
    if block.alloc_buffers.is_empty() && block.match_buffers.is_empty() {
        return std::mem::replace(&mut block.body, Stmt::nop());
    }
    let mut inner = block.clone();
    inner.predicate = Expr::bool(true);
    block.alloc_buffers.clear();
    block.match_buffers.clear();
    Stmt::Block(Box::new(inner))
}

/// The predicate with the section's variable replaced by the time step.
fn shift(predicate: &Expr, frame: &Frame) -> Expr {
    match frame.var {
        Expr::Var(var, _) => predicate.substitute(var, &frame.time),
        _ => predicate.clone(),
    }
}

/// The count of a wait as an expression of the section's variable.
fn count(form: &Form, frame: &Frame) -> Expr {
    if frame.unit {
        return Expr::int(form.at(0));
    }
    let int = |value: i64| Expr::Int(value, frame.var.dtype());
    // `first - by * step`, the constant part folded where the first value of the variable is known.
    let falling = |first: i64, by: i64| match frame.min.as_int() {
        Some(min) => {
            let start = first.saturating_add(min.saturating_mul(by));
            Expr::binary(BinaryOp::Sub, int(start), fold::mul(frame.var.clone(), int(by)))
        }
        None => {
            let step = fold::sub(frame.var.clone(), frame.min.clone());
            Expr::binary(BinaryOp::Sub, int(first), fold::mul(step, int(by)))
        }
    };
    match form {
        Form::Constant(value) => Expr::int(*value),
        Form::Falling(first) => falling(*first, 1),
        Form::FallingToZero { first, by } => fold::max(falling(*first, *by), int(0)),
        Form::Pieces(pieces) => {
            let mut pieces = pieces.iter().rev();
            let last = pieces.next().map_or(0, |piece| piece.1);
            pieces.fold(Expr::int(last), |rest, &(bound, value)| {
                let below = fold::lt(frame.var.clone(), fold::add(frame.min.clone(), int(bound)));
                fold::if_then_else(below, Expr::int(value), rest)
            })
        }
    }
}
