//! A function as the checker walks it: the control that asynchronous constructs sit in, and *leaves*, the statements
//! between them, reduced to their accesses of buffers that an asynchronous operation touches.
//!
//! Leaves come from the actual loads and stores. An opaque access (an intrinsic that is given a buffer's address)
//! counts as what the innermost enclosing block declares of that buffer and is inexact; `tvm_access_ptr` says its
//! range itself. Views (`match_buffers`) are resolved to what they name.
//!
//! Buffers that no asynchronous operation touches, and those that nothing writes, cannot conflict: their accesses are
//! dropped. A buffer that only asynchronous operations of one queue write and nothing reads is ordered by the queue:
//! conflicts are possible inside one group only ([`Program::private`]).

use wavemark_diag::Span;
use wavemark_tile::{Block, BufferId, Expr, ForKind, Function, Param, Region, Stmt, VarId};

use super::report::Place;

/// A statement, wait or commit that reports can name: an index into [`Program::places`].
pub(super) type SiteId = u32;

pub(super) struct Program {
    pub body: Node,
    pub leaves: Vec<Leaf>,
    pub places: Vec<Place>,
    /// The wait scopes in order: their places.
    pub waits: Vec<WaitSite>,
    /// By buffer: the queue, when only asynchronous operations of one queue write it and nothing reads it.
    pub private: Vec<Option<i64>>,
    /// By buffer: an asynchronous operation writes it and the caller sees it.
    pub output: Vec<bool>,
    pub has_async: bool,
    /// No wait count is larger, as far as the constants in it say.
    pub largest_count: i64,
    /// Some loop still asks to be pipelined.
    pub annotated: bool,
}

pub(super) struct WaitSite {
    pub place: SiteId,
    pub queue: Expr,
    pub count: Expr,
}

pub(super) struct LoopNode {
    pub var: VarId,
    pub min: Expr,
    pub extent: Expr,
    pub step: Option<Expr>,
    pub place: SiteId,
    pub body: Node,
}

pub(super) enum Node {
    Seq(Vec<Node>),
    /// Iterations one after the other.
    Loop(Box<LoopNode>),
    /// Iterations side by side (threads): the variable is all of them at once.
    Span {
        var: VarId,
        min: Expr,
        extent: Expr,
        body: Box<Node>,
    },
    Bind {
        var: VarId,
        value: Expr,
        body: Box<Node>,
    },
    Branch {
        condition: Expr,
        place: SiteId,
        then: Box<Node>,
        otherwise: Option<Box<Node>>,
    },
    Commit {
        queue: Expr,
        place: SiteId,
        body: Box<Node>,
    },
    Wait {
        site: usize,
        body: Box<Node>,
    },
    Leaf(u32),
}

/// A statement without asynchronous constructs inside.
pub(super) struct Leaf {
    pub place: SiteId,
    pub kind: LeafKind,
    pub ops: Vec<Op>,
    /// Variables of the walk that `ops` mention.
    pub free: Vec<VarId>,
    /// It writes a buffer that the caller sees.
    pub has_output: bool,
    /// The private buffers that it touches ([`Program::private`]).
    pub private: Vec<BufferId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LeafKind {
    Sync,
    /// Not asynchronous, but inside a commit scope.
    SyncInCommit,
    Async,
    /// Asynchronous and outside any commit scope.
    Uncommitted,
}

pub(super) enum Op {
    Loop { var: VarId, min: Expr, extent: Expr, step: Option<Expr>, body: Vec<Op> },
    Bind { var: VarId, value: Expr },
    If { condition: Expr, then: Vec<Op>, otherwise: Vec<Op> },
    Access(Access),
}

pub(super) struct Access {
    /// The store or call.
    pub place: SiteId,
    pub buffer: BufferId,
    pub write: bool,
    pub dims: Dims,
    /// It may touch less than it says.
    pub inexact: bool,
}

pub(super) enum Dims {
    /// Start and extent, a dimension.
    Ranges(Vec<(Expr, Option<Expr>)>),
    /// Elements from the first in row-major order.
    Flat(Expr, Expr),
    Whole,
}

/// `function` for the walk.
pub(super) fn compile(function: &Function) -> Program {
    let mut compiler = Compiler {
        function,
        program: Program {
            body: Node::Seq(Vec::new()),
            leaves: Vec::new(),
            places: Vec::new(),
            waits: Vec::new(),
            private: vec![None; function.buffers.len()],
            output: vec![false; function.buffers.len()],
            has_async: false,
            largest_count: 0,
            annotated: false,
        },
        views: vec![None; function.buffers.len()],
        blocks: Vec::new(),
        names: Vec::new(),
        loops: Vec::new(),
        queues: Vec::new(),
        in_async: false,
        uses: vec![Use::default(); function.buffers.len()],
        span: None,
        at: 0,
    };
    let body = compiler.node(&function.body).unwrap_or(Node::Seq(Vec::new()));
    compiler.program.body = body;
    compiler.finish()
}

/// How a buffer is used.
#[derive(Clone, Default)]
struct Use {
    asynchronous: bool,
    asynchronous_write: bool,
    written: bool,
    read: bool,
    synchronous: bool,
    /// The queue of all asynchronous accesses, when it is one.
    queue: Option<Option<i64>>,
}

struct Compiler<'a> {
    function: &'a Function,
    program: Program,
    views: Vec<Option<&'a Region>>,
    /// Enclosing blocks, for what they declare.
    blocks: Vec<&'a Block>,
    names: Vec<&'a str>,
    loops: Vec<VarId>,
    queues: Vec<Option<i64>>,
    in_async: bool,
    uses: Vec<Use>,
    span: Option<Span>,
    /// The statement whose accesses are being collected.
    at: SiteId,
}

const COMMIT: &str = "async_commit_queue_scope";
const WAIT: &str = "async_wait_queue_scope";
const COUNT: &str = "async_wait_inflight_count";
const ASYNC: &str = "async_scope";

fn is_async_key(key: &str) -> bool {
    matches!(key, COMMIT | WAIT | COUNT | ASYNC)
}

fn has_async(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Attr { key, .. } if is_async_key(key) => true,
        Stmt::Seq(statements) => statements.iter().any(has_async),
        Stmt::For(node) => has_async(&node.body),
        Stmt::Block(block) => block.init.as_ref().is_some_and(has_async) || has_async(&block.body),
        Stmt::If { then, otherwise, .. } => has_async(then) || otherwise.as_deref().is_some_and(has_async),
        Stmt::Attr { body, .. } | Stmt::Let { body, .. } => has_async(body),
        Stmt::Store(_) | Stmt::Evaluate(..) => false,
    }
}

/// The span of the first statement inside that has one.
fn first_span(stmt: &Stmt) -> Option<Span> {
    match stmt {
        Stmt::For(node) => node.span.or_else(|| first_span(&node.body)),
        Stmt::Block(block) => block.span.or_else(|| first_span(&block.body)),
        Stmt::Store(store) => store.span,
        Stmt::Evaluate(_, span) => *span,
        _ => stmt.children().find_map(first_span),
    }
}

/// The store or call that the statement comes to, for reports: the first inside.
fn first_action(stmt: &Stmt) -> Option<Span> {
    match stmt {
        Stmt::Store(store) => store.span,
        Stmt::Evaluate(_, span) => *span,
        _ => stmt.children().find_map(first_action),
    }
}

fn first_store(stmt: &Stmt) -> Option<BufferId> {
    match stmt {
        Stmt::Store(store) => Some(store.buffer),
        _ => stmt.children().find_map(first_store),
    }
}

fn block_name(stmt: &Stmt) -> Option<&str> {
    match stmt {
        Stmt::Block(block) if !block.name.is_empty() => Some(&block.name),
        _ => stmt.children().find_map(block_name),
    }
}

impl<'a> Compiler<'a> {
    fn place(&mut self, stmt: &'a Stmt, scope: bool) -> SiteId {
        let name =
            block_name(stmt).or_else(|| self.names.iter().rev().copied().find(|name| !name.is_empty()));
        let span = if scope { first_span(stmt) } else { first_action(stmt).or_else(|| first_span(stmt)) };
        self.program.places.push(Place {
            span: span.or(self.span),
            block: name.unwrap_or_default().to_owned(),
            stores: first_store(stmt).map(|buffer| self.function.buffer(buffer).name.to_string()),
            loops: self.loops.iter().map(|&var| self.function.var(var).name.to_string()).collect(),
        });
        self.program.places.len() as SiteId - 1
    }

    fn node(&mut self, stmt: &'a Stmt) -> Option<Node> {
        if !has_async(stmt) {
            return self.leaf(stmt);
        }
        match stmt {
            Stmt::Seq(statements) => self.sequence(statements),
            Stmt::For(node) => {
                self.note_annotations(&node.annotations);
                let place = self.place(stmt, true);
                let side_by_side = matches!(node.kind, ForKind::ThreadBinding(_) | ForKind::Parallel);
                if side_by_side {
                    let body = Box::new(self.node(&node.body)?);
                    let (min, extent) = (node.min.clone(), node.extent.clone());
                    return Some(Node::Span { var: node.var, min, extent, body });
                }
                self.loops.push(node.var);
                let body = self.node(&node.body);
                self.loops.pop();
                Some(Node::Loop(Box::new(LoopNode {
                    var: node.var,
                    min: node.min.clone(),
                    extent: node.extent.clone(),
                    step: node.step.clone(),
                    place,
                    body: body?,
                })))
            }
            Stmt::Block(block) => self.block(stmt, block),
            Stmt::If { condition, otherwise, .. } if condition.is_false() => self.node(otherwise.as_deref()?),
            Stmt::If { condition, then, otherwise } => {
                let place = self.place(stmt, true);
                let mut nodes: Vec<Node> = self.reads_of(condition, stmt).into_iter().collect();
                let then = self.node(then).unwrap_or(Node::Seq(Vec::new()));
                let otherwise = otherwise.as_ref().and_then(|otherwise| self.node(otherwise)).map(Box::new);
                nodes.push(Node::Branch {
                    condition: condition.clone(),
                    place,
                    then: Box::new(then),
                    otherwise,
                });
                Some(one_or_seq(nodes))
            }
            Stmt::Let { var, value, body } => {
                let mut nodes: Vec<Node> = self.reads_of(value, stmt).into_iter().collect();
                let body = self.node(body)?;
                nodes.push(Node::Bind { var: *var, value: value.clone(), body: Box::new(body) });
                Some(one_or_seq(nodes))
            }
            Stmt::Attr { key, value, body } => self.attr(stmt, key, value, body),
            Stmt::Store(_) | Stmt::Evaluate(..) => self.leaf(stmt),
        }
    }

    fn sequence(&mut self, statements: &'a [Stmt]) -> Option<Node> {
        Some(Node::Seq(statements.iter().filter_map(|stmt| self.node(stmt)).collect()))
    }

    fn note_annotations(&mut self, annotations: &wavemark_tile::Annotations) {
        self.program.annotated |= annotations.contains_key("software_pipeline_stage");
    }

    fn block(&mut self, stmt: &'a Stmt, block: &'a Block) -> Option<Node> {
        if block.predicate.is_false() {
            return None;
        }
        for view in &block.match_buffers {
            self.view(view.buffer, &view.source);
        }
        let place = (!block.predicate.is_true()).then(|| self.place(stmt, true));
        let outer_span = self.span;
        self.span = block.span.or(outer_span);
        self.blocks.push(block);
        self.names.push(&block.name);
        let init = block.init.as_ref().and_then(|init| self.node(init));
        let body = self.node(&block.body);
        self.names.pop();
        self.blocks.pop();
        self.span = outer_span;
        let mut nodes = Vec::new();
        if let Some(init) = init {
            nodes.push(Node::Branch {
                condition: init_condition(block),
                place: place.unwrap_or(0),
                then: Box::new(init),
                otherwise: None,
            });
        }
        nodes.extend(body);
        let mut node = one_or_seq(nodes);
        if let Some(place) = place {
            let condition = block.predicate.clone();
            node = Node::Branch { condition, place, then: Box::new(node), otherwise: None };
        }
        for axis in block.axes.iter().rev() {
            node = Node::Bind { var: axis.var, value: axis.value.clone(), body: Box::new(node) };
        }
        Some(node)
    }

    fn view(&mut self, buffer: BufferId, source: &'a Region) {
        if let Some(place) = self.views.get_mut(buffer.0 as usize) {
            *place = Some(source);
        }
    }

    fn attr(&mut self, stmt: &'a Stmt, key: &str, value: &'a Expr, body: &'a Stmt) -> Option<Node> {
        match key {
            COMMIT => {
                self.program.has_async = true;
                let place = self.place(stmt, true);
                self.queues.push(value.as_int());
                let body = self.node(body);
                self.queues.pop();
                let body = Box::new(body.unwrap_or(Node::Seq(Vec::new())));
                Some(Node::Commit { queue: value.clone(), place, body })
            }
            WAIT => {
                self.program.has_async = true;
                let (count, inner) = match body {
                    Stmt::Attr { key, value, body } if key == COUNT => (value.clone(), &**body),
                    // A wait scope without a count completes everything.
                    other => (Expr::int(0), other),
                };
                let place = self.place(stmt, true);
                let mut bound = 0i64;
                count.visit(&mut |inner| {
                    bound = bound.saturating_add(inner.as_int().unwrap_or(0).saturating_abs()).min(1 << 32);
                });
                self.program.largest_count = self.program.largest_count.max(bound);
                self.program.waits.push(WaitSite { place, queue: value.clone(), count });
                let site = self.program.waits.len() - 1;
                let body = Box::new(self.node(inner).unwrap_or(Node::Seq(Vec::new())));
                Some(Node::Wait { site, body })
            }
            ASYNC if !value.is_zero() => {
                self.program.has_async = true;
                // With constructs inside, each part between them is an operation.
                let outer = std::mem::replace(&mut self.in_async, true);
                let node = self.node(body);
                self.in_async = outer;
                node
            }
            _ => self.node(body),
        }
    }

    fn reads_of(&mut self, expr: &'a Expr, stmt: &'a Stmt) -> Option<Node> {
        let mut ops = Vec::new();
        let place = self.place(stmt, true);
        self.at = place;
        self.reads(expr, &mut ops);
        if ops.is_empty() {
            return None;
        }
        let leaf = Leaf {
            place,
            kind: LeafKind::Sync,
            ops,
            free: Vec::new(),
            has_output: false,
            private: Vec::new(),
        };
        self.program.leaves.push(leaf);
        Some(Node::Leaf(self.program.leaves.len() as u32 - 1))
    }

    fn leaf(&mut self, stmt: &'a Stmt) -> Option<Node> {
        let mut ops = Vec::new();
        let place = self.place(stmt, false);
        self.at = place;
        self.statement(stmt, &mut ops);
        self.add_leaf(place, ops)
    }

    fn add_leaf(&mut self, place: SiteId, ops: Vec<Op>) -> Option<Node> {
        if ops.is_empty() && !self.in_async {
            return None;
        }
        let kind = match (self.in_async, self.queues.is_empty()) {
            (true, false) => LeafKind::Async,
            (true, true) => LeafKind::Uncommitted,
            (false, false) => LeafKind::SyncInCommit,
            (false, true) => LeafKind::Sync,
        };
        self.program.leaves.push(Leaf {
            place,
            kind,
            ops,
            free: Vec::new(),
            has_output: false,
            private: Vec::new(),
        });
        Some(Node::Leaf(self.program.leaves.len() as u32 - 1))
    }

    fn statement(&mut self, stmt: &'a Stmt, ops: &mut Vec<Op>) {
        match stmt {
            Stmt::Seq(statements) => statements.iter().for_each(|stmt| self.statement(stmt, ops)),
            Stmt::For(node) => {
                self.note_annotations(&node.annotations);
                let mut body = Vec::new();
                self.statement(&node.body, &mut body);
                if !body.is_empty() {
                    let (min, extent, step) = (node.min.clone(), node.extent.clone(), node.step.clone());
                    ops.push(Op::Loop { var: node.var, min, extent, step, body });
                }
            }
            Stmt::Block(block) if block.predicate.is_false() => {}
            Stmt::Block(block) => {
                for view in &block.match_buffers {
                    self.view(view.buffer, &view.source);
                }
                let mut inner = Vec::new();
                self.blocks.push(block);
                self.names.push(&block.name);
                if let Some(init) = &block.init {
                    let mut then = Vec::new();
                    self.statement(init, &mut then);
                    if !then.is_empty() {
                        inner.push(Op::If { condition: init_condition(block), then, otherwise: Vec::new() });
                    }
                }
                self.statement(&block.body, &mut inner);
                self.names.pop();
                self.blocks.pop();
                if inner.is_empty() {
                    return;
                }
                for axis in &block.axes {
                    ops.push(Op::Bind { var: axis.var, value: axis.value.clone() });
                }
                if block.predicate.is_true() {
                    ops.extend(inner);
                } else {
                    let condition = block.predicate.clone();
                    ops.push(Op::If { condition, then: inner, otherwise: Vec::new() });
                }
            }
            Stmt::Store(store) => {
                self.at = self.place(stmt, false);
                store.indices.iter().for_each(|index| self.reads(index, ops));
                self.reads(&store.value, ops);
                let dims = store.indices.iter().map(|index| (index.clone(), None)).collect();
                self.access(store.buffer, true, Dims::Ranges(dims), false, ops);
            }
            Stmt::If { condition, then, otherwise } => {
                self.at = self.place(stmt, false);
                self.reads(condition, ops);
                let (mut on, mut off) = (Vec::new(), Vec::new());
                self.statement(then, &mut on);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise, &mut off);
                }
                if !on.is_empty() || !off.is_empty() {
                    ops.push(Op::If { condition: condition.clone(), then: on, otherwise: off });
                }
            }
            Stmt::Attr { value, body, .. } => {
                self.reads(value, ops);
                self.statement(body, ops);
            }
            Stmt::Let { var, value, body } => {
                self.reads(value, ops);
                ops.push(Op::Bind { var: *var, value: value.clone() });
                self.statement(body, ops);
            }
            Stmt::Evaluate(value, _) => {
                self.at = self.place(stmt, false);
                self.reads(value, ops);
            }
        }
    }

    /// The reads (and opaque accesses) of an expression.
    fn reads(&mut self, expr: &'a Expr, ops: &mut Vec<Op>) {
        match expr {
            Expr::Load(load) => {
                load.indices.iter().for_each(|index| self.reads(index, ops));
                let dims = load.indices.iter().map(|index| (index.clone(), None)).collect();
                self.access(load.buffer, false, Dims::Ranges(dims), false, ops);
            }
            Expr::Data(buffer) => self.opaque(*buffer, ops),
            Expr::Call(call) => match (&*call.op, &call.args[..]) {
                ("if_then_else", [condition, then, otherwise]) => {
                    self.reads(condition, ops);
                    let (mut on, mut off) = (Vec::new(), Vec::new());
                    self.reads(then, &mut on);
                    self.reads(otherwise, &mut off);
                    if !on.is_empty() || !off.is_empty() {
                        ops.push(Op::If { condition: condition.clone(), then: on, otherwise: off });
                    }
                }
                ("tvm_access_ptr", [_, Expr::Data(buffer), offset, extent, mask]) => {
                    self.reads(offset, ops);
                    let mask = mask.as_int().unwrap_or(3);
                    for (bit, write) in [(1, false), (2, true)] {
                        if mask & bit != 0 {
                            let dims = Dims::Flat(offset.clone(), extent.clone());
                            self.access(*buffer, write, dims, false, ops);
                        }
                    }
                }
                ("address_of", [Expr::Load(load)]) => {
                    load.indices.iter().for_each(|index| self.reads(index, ops));
                    self.opaque(load.buffer, ops);
                }
                _ => call.args.iter().for_each(|argument| self.reads(argument, ops)),
            },
            _ => expr.children().iter().for_each(|child| self.reads(child, ops)),
        }
    }

    /// An access that only the enclosing blocks' declarations describe.
    fn opaque(&mut self, buffer: BufferId, ops: &mut Vec<Op>) {
        let declared = self.blocks.iter().rev().find_map(|block| {
            let mine = |regions: &'a [Region]| regions.iter().filter(move |region| region.buffer == buffer);
            let (reads, writes) = (mine(&block.reads), mine(&block.writes));
            let found: Vec<(bool, &Region)> =
                reads.map(|region| (false, region)).chain(writes.map(|region| (true, region))).collect();
            (!found.is_empty()).then_some(found)
        });
        match declared {
            Some(regions) => {
                for (write, region) in regions {
                    let ranges =
                        region.ranges.iter().map(|range| (range.min.clone(), Some(range.extent.clone())));
                    self.access(buffer, write, Dims::Ranges(ranges.collect()), true, ops);
                }
            }
            None => {
                self.access(buffer, false, Dims::Whole, true, ops);
                self.access(buffer, true, Dims::Whole, true, ops);
            }
        }
    }

    fn access(&mut self, buffer: BufferId, write: bool, dims: Dims, inexact: bool, ops: &mut Vec<Op>) {
        let (mut buffer, mut dims) = (buffer, dims);
        let mut inexact = inexact;
        // A view of a view of …: no longer than there are buffers.
        for _ in 0..self.views.len() {
            let Some(Some(source)) = self.views.get(buffer.0 as usize) else { break };
            (dims, inexact) = through_view(dims, inexact, source);
            buffer = source.buffer;
        }
        let Some(entry) = self.uses.get_mut(buffer.0 as usize) else { return };
        entry.written |= write;
        entry.read |= !write;
        if self.in_async && !self.queues.is_empty() {
            let queue = self.queues.last().copied().flatten();
            entry.asynchronous = true;
            entry.asynchronous_write |= write;
            entry.queue = match entry.queue {
                None => Some(queue),
                Some(known) if known == queue => Some(known),
                Some(_) => Some(None),
            };
        } else {
            entry.synchronous = true;
        }
        ops.push(Op::Access(Access { place: self.at, buffer, write, dims, inexact }));
    }

    /// Drops what cannot conflict.
    fn finish(mut self) -> Program {
        let is_parameter = |id: usize| {
            self.function
                .params
                .iter()
                .any(|param| matches!(param, Param::Buffer { buffer, .. } if buffer.0 as usize == id))
        };
        for (id, entry) in self.uses.iter().enumerate() {
            self.program.private[id] = entry.queue.flatten().filter(|_| !entry.synchronous && !entry.read);
            self.program.output[id] = entry.asynchronous_write && is_parameter(id);
        }
        let keep: Vec<bool> = self.uses.iter().map(|entry| entry.asynchronous && entry.written).collect();
        for leaf in &mut self.program.leaves {
            prune(&mut leaf.ops, &keep);
            let mut bound = Vec::new();
            free_vars(&leaf.ops, &mut bound, &mut leaf.free);
            leaf.has_output = touches(&leaf.ops, &self.program.output);
            private_buffers(&leaf.ops, &self.program.private, &mut leaf.private);
        }
        let mut body = std::mem::replace(&mut self.program.body, Node::Seq(Vec::new()));
        drop_empty(&mut body, &self.program.leaves);
        self.program.body = body;
        self.program
    }
}

fn touches(ops: &[Op], output: &[bool]) -> bool {
    ops.iter().any(|op| match op {
        Op::Access(access) => access.write && output.get(access.buffer.0 as usize) == Some(&true),
        Op::Loop { body, .. } => touches(body, output),
        Op::If { then, otherwise, .. } => touches(then, output) || touches(otherwise, output),
        Op::Bind { .. } => false,
    })
}

fn private_buffers(ops: &[Op], private: &[Option<i64>], found: &mut Vec<BufferId>) {
    for op in ops {
        match op {
            Op::Access(access) => {
                let known = private.get(access.buffer.0 as usize);
                if known.is_some_and(Option::is_some) && !found.contains(&access.buffer) {
                    found.push(access.buffer);
                }
            }
            Op::Loop { body, .. } => private_buffers(body, private, found),
            Op::If { then, otherwise, .. } => {
                private_buffers(then, private, found);
                private_buffers(otherwise, private, found);
            }
            Op::Bind { .. } => {}
        }
    }
}

/// `T.init` runs in the first step of the reduction.
fn init_condition(block: &Block) -> Expr {
    let mut condition = Expr::bool(true);
    for axis in block.axes.iter().filter(|axis| axis.kind == wavemark_tile::AxisKind::Reduce) {
        let first = Expr::binary(wavemark_tile::BinaryOp::Eq, axis.value.clone(), axis.domain.min.clone());
        condition = match condition.is_true() {
            true => first,
            false => Expr::binary(wavemark_tile::BinaryOp::And, condition, first),
        };
    }
    condition
}

fn one_or_seq(mut nodes: Vec<Node>) -> Node {
    match nodes.len() {
        1 => nodes.remove(0),
        _ => Node::Seq(nodes),
    }
}

fn through_view(dims: Dims, inexact: bool, source: &Region) -> (Dims, bool) {
    let whole = || {
        let ranges = source.ranges.iter().map(|range| (range.min.clone(), Some(range.extent.clone())));
        (Dims::Ranges(ranges.collect()), true)
    };
    match dims {
        Dims::Ranges(inner) if inner.len() <= source.ranges.len() => {
            let leading = source.ranges.len() - inner.len();
            let outer =
                source.ranges[..leading].iter().map(|range| (range.min.clone(), Some(range.extent.clone())));
            let rest = inner.into_iter().zip(&source.ranges[leading..]).map(|((min, extent), range)| {
                let sum = Expr::binary(wavemark_tile::BinaryOp::Add, range.min.clone(), min);
                (sum, extent)
            });
            let narrow = source.ranges[..leading].iter().all(|range| range.extent.as_int() == Some(1));
            (Dims::Ranges(outer.chain(rest).collect()), inexact || !narrow)
        }
        _ => whole(),
    }
}

fn prune(ops: &mut Vec<Op>, keep: &[bool]) {
    ops.retain_mut(|op| match op {
        Op::Access(access) => keep.get(access.buffer.0 as usize) == Some(&true),
        Op::Loop { body, .. } => {
            prune(body, keep);
            body.iter().any(|op| !matches!(op, Op::Bind { .. }))
        }
        Op::If { then, otherwise, .. } => {
            prune(then, keep);
            prune(otherwise, keep);
            then.iter().chain(&*otherwise).any(|op| !matches!(op, Op::Bind { .. }))
        }
        Op::Bind { .. } => true,
    });
    if ops.iter().all(|op| matches!(op, Op::Bind { .. })) {
        ops.clear();
    }
}

pub(super) fn expr_vars(expr: &Expr, visit: &mut impl FnMut(VarId)) {
    expr.visit(&mut |inner| {
        if let Expr::Var(var, _) = inner {
            visit(*var);
        }
    });
}

fn free_vars(ops: &[Op], bound: &mut Vec<VarId>, free: &mut Vec<VarId>) {
    let note = |expr: &Expr, bound: &[VarId], free: &mut Vec<VarId>| {
        expr_vars(expr, &mut |var| {
            if !bound.contains(&var) && !free.contains(&var) {
                free.push(var);
            }
        });
    };
    for op in ops {
        match op {
            Op::Loop { var, min, extent, step, body } => {
                note(min, bound, free);
                note(extent, bound, free);
                if let Some(step) = step {
                    note(step, bound, free);
                }
                bound.push(*var);
                free_vars(body, bound, free);
            }
            Op::Bind { var, value } => {
                note(value, bound, free);
                bound.push(*var);
            }
            Op::If { condition, then, otherwise } => {
                note(condition, bound, free);
                free_vars(then, bound, free);
                free_vars(otherwise, bound, free);
            }
            Op::Access(access) => match &access.dims {
                Dims::Ranges(ranges) => {
                    for (min, extent) in ranges {
                        note(min, bound, free);
                        if let Some(extent) = extent {
                            note(extent, bound, free);
                        }
                    }
                }
                Dims::Flat(offset, extent) => {
                    note(offset, bound, free);
                    note(extent, bound, free);
                }
                Dims::Whole => {}
            },
        }
    }
}

/// Leaves that touch nothing of interest go, unless their being there is a finding.
fn drop_empty(node: &mut Node, leaves: &[Leaf]) {
    match node {
        Node::Seq(nodes) => {
            nodes.iter_mut().for_each(|node| drop_empty(node, leaves));
            nodes.retain(|node| match node {
                Node::Leaf(leaf) => {
                    let leaf = &leaves[*leaf as usize];
                    !leaf.ops.is_empty() || leaf.kind != LeafKind::Sync
                }
                Node::Seq(nodes) => !nodes.is_empty(),
                _ => true,
            });
        }
        Node::Loop(node) => drop_empty(&mut node.body, leaves),
        Node::Span { body, .. }
        | Node::Bind { body, .. }
        | Node::Commit { body, .. }
        | Node::Wait { body, .. } => drop_empty(body, leaves),
        Node::Branch { then, otherwise, .. } => {
            drop_empty(then, leaves);
            if let Some(otherwise) = otherwise {
                drop_empty(otherwise, leaves);
            }
        }
        Node::Leaf(_) => {}
    }
}

/// `Expr::Int(0)`.
trait IsZero {
    fn is_zero(&self) -> bool;
}

impl IsZero for Expr {
    fn is_zero(&self) -> bool {
        self.as_int() == Some(0)
    }
}
