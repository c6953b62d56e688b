//! Boxes of buffers: `T.reads`, `T.writes`, sources of `T.match_buffer`.

use ruff_python_ast as py;
use wavemark_diag::Span;
use wavemark_tile::arith::Analyzer;
use wavemark_tile::{BinaryOp, Expr, Range, Region, fold};

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

/// `from .. to`, its extent simplified: TVM's parser runs its analyzer on bounds of loops and regions.
pub fn range(from: Expr, to: Expr) -> Range {
    let (min, to) = operators::same_type(from, to);
    let extent = match fold::binary(BinaryOp::Sub, to, min.clone()) {
        constant @ Expr::Int(..) => constant,
        variable @ Expr::Var(..) => variable,
        // As it stands: what the simplifier tries for a choice it tries again for each choice in its condition.
        difference if choices(&difference) > 4 => difference,
        difference => Analyzer::new().simplify(&difference),
    };
    Range { min, extent }
}

/// How deep choices are nested in an expression.
fn choices(expr: &Expr) -> usize {
    let inside = expr.children().iter().map(choices).max().unwrap_or(0);
    let is_choice = match expr {
        Expr::Select(_) => true,
        Expr::Call(call) => &*call.op == "if_then_else",
        _ => false,
    };
    inside + usize::from(is_choice)
}
