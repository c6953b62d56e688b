//! Which buffers a statement touches, by buffer and not by region, and whether it has effects beyond them.
//!
//! Reads and writes are what the statement does (loads, stores, access pointers with their mask) together with
//! what its blocks declare: an opaque call is known by its block's regions only. Views made by `match_buffer` count
//! as the buffer they are of. Buffers that live inside the statement are left out.

use std::collections::BTreeSet;
use std::sync::Arc;

use wavemark_tile::{BufferId, Call, Expr, Function, Stmt};

/// The buffer that each buffer is a view of; itself where it is none.
pub struct Views(Vec<BufferId>);

impl Views {
    /// The views that `body` makes.
    pub fn new(function: &Function, body: &Stmt) -> Views {
        let mut views = Views((0..function.buffers.len()).map(|index| BufferId(index as u32)).collect());
        // Outer blocks first: the source of a view is known before the view.
        body.visit(&mut |stmt| {
            if let Stmt::Block(block) = stmt {
                for matched in &block.match_buffers {
                    let root = views.root(matched.source.buffer);
                    if let Some(place) = views.0.get_mut(matched.buffer.0 as usize) {
                        *place = root;
                    }
                }
            }
        });
        views
    }

    /// The buffer behind the view.
    pub fn root(&self, buffer: BufferId) -> BufferId {
        self.0.get(buffer.0 as usize).copied().unwrap_or(buffer)
    }
}

/// What a statement touches.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Buffers it may read.
    pub reads: BTreeSet<BufferId>,
    /// Buffers it may write.
    pub writes: BTreeSet<BufferId>,
    /// An intrinsic with effects that no buffer shows, such as a barrier.
    pub effect: Option<Arc<str>>,
}

/// Bits of the last argument of `tvm_access_ptr`.
const READ: i64 = 1;
const WRITE: i64 = 2;

impl Access {
    /// Of `stmt` and all inside it.
    pub fn of(stmt: &Stmt, views: &Views) -> Access {
        let mut access = Access::default();
        let mut inner = BTreeSet::new();
        stmt.visit(&mut |stmt| access.add(stmt, views, &mut inner));
        access.reads.retain(|buffer| !inner.contains(buffer));
        access.writes.retain(|buffer| !inner.contains(buffer));
        access
    }

    fn add(&mut self, stmt: &Stmt, views: &Views, inner: &mut BTreeSet<BufferId>) {
        match stmt {
            Stmt::Block(block) => {
                inner.extend(&block.alloc_buffers);
                self.reads.extend(block.reads.iter().map(|region| views.root(region.buffer)));
                self.writes.extend(block.writes.iter().map(|region| views.root(region.buffer)));
            }
            Stmt::Store(store) => {
                self.writes.insert(views.root(store.buffer));
            }
            Stmt::Evaluate(Expr::Call(call), _) => {
                let mut buffers = false;
                for arg in &call.args {
                    arg.visit(&mut |expr| buffers |= matches!(expr, Expr::Data(_) | Expr::Load(_)));
                }
                if !buffers {
                    self.effect.get_or_insert_with(|| call.op.clone());
                }
            }
            _ => {}
        }
        stmt.own_exprs(&mut |expr| self.add_expr(expr, views));
    }

    fn add_expr(&mut self, expr: &Expr, views: &Views) {
        match expr {
            Expr::Load(load) => {
                self.reads.insert(views.root(load.buffer));
            }
            Expr::Data(buffer) => self.add_pointer(*buffer, READ | WRITE, views),
            Expr::Call(call) => {
                if let Some((buffer, mask)) = pointer(call) {
                    self.add_pointer(buffer, mask, views);
                    call.args[2..].iter().for_each(|arg| self.add_expr(arg, views));
                    return;
                }
            }
            _ => {}
        }
        expr.children().iter().for_each(|child| self.add_expr(child, views));
    }

    fn add_pointer(&mut self, buffer: BufferId, mask: i64, views: &Views) {
        let root = views.root(buffer);
        if mask & READ != 0 {
            self.reads.insert(root);
        }
        if mask & WRITE != 0 {
            self.writes.insert(root);
        }
    }
}

/// `tvm_access_ptr(type, data, offset, extent, mask)`.
fn pointer(call: &Call) -> Option<(BufferId, i64)> {
    match call.args.as_slice() {
        [_, Expr::Data(buffer), _, _, mask] if &*call.op == "tvm_access_ptr" => {
            Some((*buffer, mask.as_int().unwrap_or(READ | WRITE)))
        }
        _ => None,
    }
}

/// Why two statements cannot swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hazard {
    /// The later one needs the value.
    ReadAfterWrite,
    /// The later one destroys what the earlier one needs.
    WriteAfterRead,
    /// The later one's value must stay.
    WriteAfterWrite,
}
