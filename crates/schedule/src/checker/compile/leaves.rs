//! Statements without asynchronous constructs inside, reduced to their accesses.

use wavemark_tile::{BufferId, Expr, Region, Stmt};

use super::super::program::{Access, Dims, Leaf, LeafKind, Node, Op, SiteId};
use super::{Compiler, init_condition};

impl<'a> Compiler<'a> {
    pub(super) fn reads_of(&mut self, expr: &'a Expr, stmt: &'a Stmt) -> Option<Node> {
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

    pub(super) fn leaf(&mut self, stmt: &'a Stmt) -> Option<Node> {
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
        self.accesses += 1;
        let number = self.accesses - 1;
        ops.push(Op::Access(Access { number, place: self.at, buffer, write, dims, inexact }));
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
