//! Tells sums that are in normal form already: most indices are, and need no work.

use super::Analyzer;
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, Expr, VarId};
use crate::fold::is_index;

/// A sum of more terms goes the long way.
const MOST: usize = 8;

impl Analyzer {
    /// The expression is `v0 * c0 + v1 * c1 + … + c - v2 - v3 * c3 - …` as [`super::canonical`] writes it: different
    /// variables without values, falling scales, one constant where it belongs. Neither the canonical form nor the
    /// rules change such a sum for good.
    pub(super) fn is_normal_sum(&self, expr: &Expr) -> bool {
        let Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, sides) = expr else { return false };
        let dtype = sides[0].dtype();
        if !is_index(dtype) {
            return false;
        }
        let mut seen = [VarId(0); MOST];
        let mut terms = Reader { analyzer: self, dtype, seen: &mut seen, count: 0 };
        terms.sum(expr, MOST + 1).is_some()
    }
}

struct Reader<'a> {
    analyzer: &'a Analyzer,
    dtype: Dtype,
    seen: &'a mut [VarId; MOST],
    count: usize,
}

/// The last part of a sum, in the order of the parts.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Last {
    Positive(i64),
    Constant,
    Negative(i64),
    NegativeConstant,
}

impl Reader<'_> {
    /// `more`: so many parts may still come.
    fn sum(&mut self, expr: &Expr, more: usize) -> Option<Last> {
        match expr {
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), sides) => {
                let before = self.sum(&sides[0], more.checked_sub(1)?)?;
                let positive = *op == BinaryOp::Add;
                match (&sides[1], before) {
                    (Expr::Int(value, _), Last::Positive(_)) if positive && *value > 0 => {
                        Some(Last::Constant)
                    }
                    (Expr::Int(value, _), Last::Positive(_) | Last::Negative(_))
                        if !positive && *value > 0 =>
                    {
                        Some(Last::NegativeConstant)
                    }
                    (Expr::Int(..), _) => None,
                    (term, Last::Positive(last)) if positive => {
                        let scale = self.term(term)?;
                        (scale <= last).then_some(Last::Positive(scale))
                    }
                    (term, Last::Positive(_) | Last::Constant) if !positive => {
                        Some(Last::Negative(self.term(term)?))
                    }
                    (term, Last::Negative(last)) if !positive => {
                        let scale = self.term(term)?;
                        (scale >= last).then_some(Last::Negative(scale))
                    }
                    _ => None,
                }
            }
            _ => Some(Last::Positive(self.term(expr)?)),
        }
    }

    /// The scale of a term, at least 1.
    fn term(&mut self, expr: &Expr) -> Option<i64> {
        let (factor, scale) = match expr {
            Expr::Binary(BinaryOp::Mul, sides) => match sides[1] {
                Expr::Int(scale, _) if scale > 1 => (&sides[0], scale),
                _ => return None,
            },
            _ => (expr, 1),
        };
        let Expr::Var(var, dtype) = factor else { return None };
        if *dtype != self.dtype || self.count == MOST || self.seen[..self.count].contains(var) {
            return None;
        }
        if self.analyzer.has_values && self.analyzer.vars.get(var).is_some_and(|known| known.value.is_some())
        {
            return None;
        }
        self.seen[self.count] = *var;
        self.count += 1;
        Some(scale)
    }
}
