//! From a function to what the checker walks ([`super::program`]): the control that asynchronous constructs sit in.
//!
//! [`leaves`] reduces the statements between them, [`places`] says how reports name them, and [`relevant`] drops in the
//! end what cannot conflict.

mod leaves;
mod places;
mod relevant;

use wavemark_diag::Span;
use wavemark_tile::{Block, BufferId, Expr, ForKind, Function, Region, Stmt, VarId};

use super::program::{LoopNode, Node, Program, SiteId, WaitSite};

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
        accesses: 0,
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
    /// How many accesses there are so far.
    accesses: u32,
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

impl<'a> Compiler<'a> {
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
            Stmt::Attr { key, value, body, .. } => self.attr(stmt, key, value, body),
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
                    Stmt::Attr { key, value, body, .. } if key == COUNT => (value.clone(), &**body),
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

/// `Expr::Int(0)`.
trait IsZero {
    fn is_zero(&self) -> bool;
}

impl IsZero for Expr {
    fn is_zero(&self) -> bool {
        self.as_int() == Some(0)
    }
}
