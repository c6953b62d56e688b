//! Blocks without axes: every axis variable is replaced by what it is bound to, and the initialisation of a
//! reduction becomes a conditional in front of the body.
//!
//! TVM's pipelining expects this of passes before it (`ConvertBlocksToOpaque`, `LowerInitBlock`); modules come
//! either way.

use wavemark_tile::{AxisKind, Block, Expr, Stmt, fold};

/// Makes every block in `stmt` opaque.
pub fn make_opaque(stmt: &mut Stmt) {
    if let Stmt::Block(block) = stmt
        && !(block.axes.is_empty() && block.init.is_none())
    {
        lower_init(block);
        let predicate = block.predicate.clone();
        let axes = std::mem::take(&mut block.axes);
        for axis in axes {
            stmt.substitute(axis.var, &axis.value);
        }
        if let Stmt::Block(block) = stmt {
            block.predicate = predicate;
        }
    }
    stmt.children_mut().for_each(make_opaque);
}

fn lower_init(block: &mut Block) {
    let Some(init) = block.init.take() else { return };
    let reductions = block.axes.iter().filter(|axis| axis.kind == AxisKind::Reduce);
    let first = reductions
        .map(|axis| fold::eq(Expr::Var(axis.var, axis.value.dtype()), axis.domain.min.clone()))
        .reduce(fold::and);
    let init = match first {
        Some(condition) => Stmt::If { condition, then: Box::new(init), otherwise: None },
        None => init,
    };
    let body = std::mem::replace(&mut block.body, Stmt::nop());
    let mut list = vec![init];
    match body {
        Stmt::Seq(rest) => list.extend(rest),
        body => list.push(body),
    }
    block.body = Stmt::Seq(list);
}
