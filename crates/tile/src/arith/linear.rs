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
        let reader = Reader {
            analyzer: self,
            dtype,
            seen: [VarId(0); MOST],
            count: 0,
            scale: i64::MAX,
            subtracts: false,
            constant: false,
            ended: false,
        };
        reader.read(expr)
    }
}

struct Reader<'a> {
    analyzer: &'a Analyzer,
    dtype: Dtype,
    seen: [VarId; MOST],
    count: usize,
    /// Of the term before.
    scale: i64,
    /// There was a term that is subtracted.
    subtracts: bool,
    /// There was a constant.
    constant: bool,
    /// Nothing may follow: a constant was subtracted.
    ended: bool,
}

impl Reader<'_> {
    fn read(mut self, expr: &Expr) -> bool {
        self.sum(expr, MOST + 1).is_some()
    }

    /// Reads the parts in order; `None` at one that is out of place. `more`: so many may still come.
    fn sum(&mut self, expr: &Expr, more: usize) -> Option<()> {
        let Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), sides) = expr else {
            self.scale = self.term(expr)?;
            return Some(());
        };
        self.sum(&sides[0], more.checked_sub(1)?)?;
        let adds = *op == BinaryOp::Add;
        if self.ended || (adds && self.subtracts) {
            return None;
        }
        if let Expr::Int(value, _) = sides[1] {
            let fits = value > 0 && !self.constant;
            self.constant = true;
            self.ended = !adds;
            return fits.then_some(());
        }
        let scale = self.term(&sides[1])?;
        let follows = match (adds, self.subtracts) {
            (true, _) => scale <= self.scale && !self.constant,
            (false, true) => scale >= self.scale,
            (false, false) => true,
        };
        self.scale = scale;
        self.subtracts = !adds;
        follows.then_some(())
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
