//! Boxes of buffers: `T.reads`, `T.writes`, sources of `T.match_buffer`, and the regions that a block does not give.

use ruff_python_ast as py;
use wavemark_diag::Span;
use wavemark_tile::{BinaryOp, Block, BufferId, Expr, Function, Range, Region, Stmt};

use crate::context::Parsed;
use crate::function::Builder;
use crate::operators;
use crate::value::{Index, Value};

impl Builder<'_> {
    /// The regions of `T.reads(A[i, 0:16], …)`, one after the other or as a list.
    pub fn regions(&mut self, call: &py::ExprCall, name: &str) -> Parsed<Vec<Region>> {
        if let Some(keyword) = call.arguments.keywords.first() {
            let span = self.cx.span(keyword);
            return Err(self.cx.error(span, format!("`{name}` takes only regions of buffers")));
        }
        let mut regions = Vec::new();
        for argument in &call.arguments.args {
            let span = self.cx.span(argument);
            match self.value(argument)? {
                Value::List(items) => {
                    for (item, span) in items {
                        regions.push(self.region_of(item, span)?);
                    }
                }
                value => regions.push(self.region_of(value, span)?),
            }
        }
        Ok(regions)
    }

    /// A value as a region: a subscript, whose single indices are ranges of one element.
    pub fn region_of(&mut self, value: Value, span: Span) -> Parsed<Region> {
        match value {
            Value::Expr(Expr::Load(load)) => {
                let ranges = load
                    .indices
                    .iter()
                    .map(|index| Range { min: index.clone(), extent: Expr::Int(1, index.dtype()) });
                Ok(Region { buffer: load.buffer, ranges: ranges.collect() })
            }
            Value::Box(buffer, indices) => {
                let shape = self.function.buffer(buffer).shape.clone();
                let ranges = indices.into_iter().zip(shape).map(|(index, extent)| match index {
                    Index::Point(min) => {
                        let extent = Expr::Int(1, min.dtype());
                        Range { min, extent }
                    }
                    Index::Slice(None, None) => Range { min: Expr::Int(0, extent.dtype()), extent },
                    Index::Slice(from, to) => {
                        let from = from.unwrap_or_else(|| Expr::Int(0, extent.dtype()));
                        range(from, to.unwrap_or(extent))
                    }
                });
                Ok(Region { buffer, ranges: ranges.collect() })
            }
            Value::Buffer(buffer) => {
                let buffer = self.function.buffer(buffer);
                let all = vec![":"; buffer.shape.len()].join(", ");
                let message = format!("a region needs its ranges: `{}[{all}]` for all of it", buffer.name);
                Err(self.cx.error(span, message))
            }
            other => {
                let message = format!("expected a region of a buffer, found {}", other.describe());
                Err(self.cx.error(span, message))
            }
        }
    }
}

/// `from .. to`, its extent simplified.
pub fn range(from: Expr, to: Expr) -> Range {
    let (min, to) = operators::same_type(from, to);
    let extent = difference(&to, &min);
    Range { min, extent }
}

/// `to - from`, as simple as can be: TVM's parser runs its analyzer here.
fn difference(to: &Expr, from: &Expr) -> Expr {
    let mut terms: Vec<(Expr, i64)> = Vec::new();
    let mut constant = 0i64;
    let linear = collect(to, 1, &mut terms, &mut constant, 0)
        .and_then(|()| collect(from, -1, &mut terms, &mut constant, 0));
    if linear.is_some() && terms.iter().all(|(_, factor)| *factor == 0) {
        return Expr::Int(constant, to.dtype());
    }
    operators::fold(BinaryOp::Sub, to.clone(), from.clone())
}

/// Adds `factor * expr` to a sum of opaque terms and a constant; `None` on overflow.
fn collect(
    expr: &Expr,
    factor: i64,
    terms: &mut Vec<(Expr, i64)>,
    constant: &mut i64,
    depth: usize,
) -> Option<()> {
    match expr {
        Expr::Int(value, _) => {
            *constant = constant.checked_add(factor.checked_mul(*value)?)?;
            return Some(());
        }
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), sides) if depth < 100 => {
            collect(&sides[0], factor, terms, constant, depth + 1)?;
            let factor = if *op == BinaryOp::Add { factor } else { factor.checked_neg()? };
            return collect(&sides[1], factor, terms, constant, depth + 1);
        }
        Expr::Binary(BinaryOp::Mul, sides) if depth < 100 => match (sides[0].as_int(), sides[1].as_int()) {
            (_, Some(by)) => return collect(&sides[0], factor.checked_mul(by)?, terms, constant, depth + 1),
            (Some(by), _) => return collect(&sides[1], factor.checked_mul(by)?, terms, constant, depth + 1),
            _ => {}
        },
        _ => {}
    }
    match terms.iter_mut().find(|(term, _)| term == expr) {
        Some((_, sum)) => *sum = sum.checked_add(factor)?,
        None => terms.push((expr.clone(), factor)),
    }
    Some(())
}

/// What the block accesses, where it does not say so.
// The only place that asks for them: whole buffers until the analysis of accesses narrows them to boxes.
pub fn infer(function: &Function, block: &Block) -> (Vec<Region>, Vec<Region>) {
    let mut reads: Vec<BufferId> = Vec::new();
    let mut writes: Vec<BufferId> = Vec::new();
    let note = |list: &mut Vec<BufferId>, buffer: BufferId| {
        if !list.contains(&buffer) {
            list.push(buffer);
        }
    };
    for statement in block.init.iter().chain([&block.body]) {
        statement.visit(&mut |inner| {
            if let Stmt::Store(store) = inner {
                note(&mut writes, store.buffer);
            }
            inner.own_exprs(&mut |expr| {
                expr.visit(&mut |expr| {
                    if let Expr::Load(load) = expr {
                        note(&mut reads, load.buffer);
                    }
                });
            });
        });
    }
    let whole = |buffer: BufferId| Region {
        buffer,
        ranges: (function.buffer(buffer).shape.iter())
            .map(|extent| Range { min: Expr::Int(0, extent.dtype()), extent: extent.clone() })
            .collect(),
    };
    let outer = |list: Vec<BufferId>| -> Vec<Region> {
        let ours = |buffer: &BufferId| {
            !block.alloc_buffers.contains(buffer)
                && !block.match_buffers.iter().any(|matched| matched.buffer == *buffer)
        };
        list.into_iter().filter(ours).map(whole).collect()
    };
    (outer(reads), outer(writes))
}
