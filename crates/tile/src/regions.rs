//! The regions that a block touches: for now whole buffers.

use crate::{Block, BufferId, Expr, Function, Range, Region, Stmt};

/// Reads and writes of `block`.
pub fn detect(function: &Function, block: &Block) -> (Vec<Region>, Vec<Region>) {
    let mut private = block.alloc_buffers.clone();
    block.body.visit(&mut |part| {
        if let Stmt::Block(inner) = part {
            private.extend(&inner.alloc_buffers);
        }
    });
    let whole = |buffer: BufferId| {
        let ranges = function.buffer(buffer).shape.iter();
        let ranges = ranges.map(|extent| Range { min: Expr::int(0), extent: extent.clone() }).collect();
        Region { buffer, ranges }
    };
    let (mut reads, mut writes): (Vec<Region>, Vec<Region>) = (Vec::new(), Vec::new());
    let add = |list: &mut Vec<Region>, buffer: BufferId| {
        if !private.contains(&buffer) && !list.iter().any(|known| known.buffer == buffer) {
            list.push(whole(buffer));
        }
    };
    block.body.visit(&mut |part| {
        let mut loads = |expr: &Expr| {
            expr.visit(&mut |part| {
                if let Expr::Load(load) = part {
                    add(&mut reads, load.buffer);
                }
            });
        };
        if !matches!(part, Stmt::Block(_)) {
            part.own_exprs(&mut loads);
        }
        if let Stmt::Store(store) = part {
            add(&mut writes, store.buffer);
        }
    });
    (reads, writes)
}
