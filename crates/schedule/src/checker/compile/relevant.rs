//! What cannot conflict is dropped: see [`super::super::program`].

use wavemark_tile::{BufferId, Expr, Param, VarId};

use super::super::program::{Dims, Leaf, LeafKind, Node, Op, Program, expr_vars};
use super::Compiler;

impl Compiler<'_> {
    /// Drops what cannot conflict.
    pub(super) fn finish(mut self) -> Program {
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
