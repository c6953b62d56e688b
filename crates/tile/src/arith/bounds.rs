//! Constant bounds of integer expressions.
//!
//! Promises: every value the expression takes, for values of its variables that meet what the [`Analyzer`] was told,
//! lies in the interval, provided that no operation of the expression overflows its type and no divisor is zero.
//! A divisor known to be at least 0 is taken to be at least 1, as TVM does. Follows what TVM's `const_int_bound`
//! finds, so that the same proofs succeed.

use super::Analyzer;
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, Expr};
use crate::fold::{self, int};

/// A closed interval; [`NEG`] and [`POS`] stand for no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) min: i64,
    pub(crate) max: i64,
}

/// No lower bound.
pub(crate) const NEG: i64 = -i64::MAX;
/// No upper bound.
pub(crate) const POS: i64 = i64::MAX;

/// A bound of an expression that a condition gives.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) expr: Expr,
    pub(crate) interval: Interval,
}

impl Interval {
    pub(crate) fn point(value: i64) -> Interval {
        Interval { min: value.clamp(NEG, POS - 1), max: value.max(NEG) }
    }

    pub(crate) fn everything(dtype: Dtype) -> Interval {
        match fold::integer_range(dtype) {
            Some((min, max)) => Interval { min: min.max(NEG), max },
            None => Interval { min: NEG, max: POS },
        }
    }

    fn intersect(self, other: Interval) -> Interval {
        Interval { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    fn union(self, other: Interval) -> Interval {
        Interval { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn add(self, other: Interval) -> Interval {
        Interval { min: add(self.min, other.min, NEG), max: add(self.max, other.max, POS) }
    }

    fn negate(self) -> Interval {
        Interval { min: -self.max.max(NEG), max: -self.min.max(NEG) }
    }

    /// The hull of `op` at the four corners.
    fn corners(self, other: Interval, op: impl Fn(i64, i64) -> i64) -> Interval {
        let values = [
            op(self.min, other.min),
            op(self.max, other.max),
            op(self.min, other.max),
            op(self.max, other.min),
        ];
        let min = values.into_iter().fold(POS, i64::min);
        Interval { min, max: values.into_iter().fold(NEG, i64::max) }
    }

    fn divide(self, other: Interval, dtype: Dtype, op: impl Fn(i64, i64) -> i64) -> Interval {
        if other.min > 0 || other.max < 0 {
            return self.corners(other, op);
        }
        let negative = (other.min < 0).then(|| self.corners(Interval { min: other.min, max: -1 }, &op));
        let positive = (other.max > 0).then(|| self.corners(Interval { min: 1, max: other.max }, &op));
        match (negative, positive) {
            (Some(a), Some(b)) => a.union(b),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => Interval::everything(dtype),
        }
    }
}

/// `a + b`; an infinite side decides, `default` when they disagree.
fn add(a: i64, b: i64, default: i64) -> i64 {
    if a == default || b == default {
        return default;
    }
    if a == -default || b == -default {
        return -default;
    }
    a.saturating_add(b).max(NEG)
}

fn multiply(a: i64, b: i64) -> i64 {
    a.saturating_mul(b).max(NEG)
}

fn quotient(a: i64, b: i64, floor: bool) -> i64 {
    if a == POS || a == NEG {
        return if b > 0 { a } else { -a };
    }
    let value = if floor { int::floor_div(a, b) } else { a.checked_div(b) };
    value.unwrap_or(0)
}

/// Deeper than this an expression is opaque.
const DEEPEST: u32 = 256;

impl Analyzer {
    /// The bounds of `expr`.
    pub(crate) fn interval(&self, expr: &Expr) -> Interval {
        self.interval_at(expr, 0)
    }

    fn interval_at(&self, expr: &Expr, depth: u32) -> Interval {
        let found = match expr {
            Expr::Int(value, _) => return Interval::point(*value),
            _ if depth > DEEPEST => Interval::everything(expr.dtype()),
            Expr::Var(var, dtype) => match self.vars.get(var).and_then(|known| known.interval) {
                Some(interval) => interval,
                None => Interval::everything(*dtype),
            },
            Expr::Binary(op, sides) => self.interval_of_binary(*op, sides, depth),
            Expr::Select(parts) => {
                self.interval_at(&parts[1], depth + 1).union(self.interval_at(&parts[2], depth + 1))
            }
            Expr::Cast(dtype, inner) if !inner.dtype().is_float() => {
                self.interval_at(inner, depth + 1).intersect(Interval::everything(*dtype))
            }
            _ => Interval::everything(expr.dtype()),
        };
        self.facts
            .iter()
            .filter(|fact| fold::equal(&fact.expr, expr))
            .fold(found, |found, fact| found.intersect(fact.interval))
    }

    fn interval_of_binary(&self, op: BinaryOp, sides: &[Expr; 2], depth: u32) -> Interval {
        use BinaryOp::*;
        if op.is_comparison() || matches!(op, And | Or) {
            return Interval::everything(Dtype::BOOL);
        }
        let dtype = sides[0].dtype();
        if dtype.is_float() {
            return Interval::everything(dtype);
        }
        let a = self.interval_at(&sides[0], depth + 1);
        let b = self.interval_at(&sides[1], depth + 1);
        match op {
            Add => a.add(b),
            Sub => a.add(b.negate()),
            Mul => a.corners(b, multiply),
            Min => Interval { min: a.min.min(b.min), max: a.max.min(b.max) },
            Max => Interval { min: a.min.max(b.min), max: a.max.max(b.max) },
            Div | FloorDiv => match nonzero(b) {
                Some(b) => a.divide(b, dtype, |x, y| quotient(x, y, op == FloorDiv)),
                None => Interval::everything(dtype),
            },
            FloorMod => match nonzero(b) {
                Some(b) => self.floor_mod_interval(a, b, &sides[0]).unwrap_or_else(|| {
                    let outer = Interval { min: b.min.saturating_add(1).min(0), max: (b.max - 1).max(0) };
                    outer.intersect(Interval::everything(dtype))
                }),
                None => Interval::everything(dtype),
            },
            Mod => match nonzero(b) {
                Some(b) if b.min > 0 => trunc_mod_interval(a, b),
                _ => Interval::everything(dtype),
            },
            BitAnd if a.min >= 0 && b.min >= 0 => Interval { min: 0, max: a.max.min(b.max) },
            BitAnd if b.min >= 0 => Interval { min: 0, max: b.max },
            BitAnd if a.min >= 0 => Interval { min: 0, max: a.max },
            ShiftRight if b.min >= 0 && b.max < 64 => {
                a.corners(b, |x, y| if x == POS || x == NEG { x } else { x >> y })
            }
            ShiftLeft if a.min >= 0 && b.min >= 0 && b.max < 63 => a.corners(b, |x, y| multiply(x, 1 << y)),
            _ => Interval::everything(dtype),
        }
    }

    /// Of a remainder by a positive divisor; `None` when the divisor may be negative.
    fn floor_mod_interval(&self, a: Interval, b: Interval, dividend: &Expr) -> Option<Interval> {
        if b.min <= 0 {
            return None;
        }
        let cap = if b.max == POS { POS } else { b.max - 1 };
        let whole = match a.min >= 0 {
            true if a.max < b.min => a,
            true => Interval { min: 0, max: a.max.min(cap) },
            false => Interval { min: 0, max: cap },
        };
        if b.min == b.max {
            let modulus = b.min;
            let residues = self.modular(dividend);
            let step = int::gcd(residues.step, modulus);
            if step > 1 {
                let base = residues.base.rem_euclid(step);
                return Some(whole.intersect(Interval { min: base, max: modulus - step + base }));
            }
        }
        Some(whole)
    }
}

/// The divisor: not zero.
fn nonzero(mut divisor: Interval) -> Option<Interval> {
    if divisor.min == 0 {
        divisor.min = 1;
    }
    (divisor.min <= divisor.max).then_some(divisor)
}

fn trunc_mod_interval(a: Interval, b: Interval) -> Interval {
    let cap = if b.max == POS { POS } else { b.max - 1 };
    if a.min >= 0 {
        if a.max < b.min { a } else { Interval { min: 0, max: a.max.min(cap) } }
    } else if a.max < 0 {
        if a.min > -b.min { a } else { Interval { min: a.min.max(-cap), max: 0 } }
    } else {
        Interval { min: a.min.max(-cap), max: a.max.min(cap) }
    }
}

/// The bounds that `condition` and the parts it joins by `and` give.
pub(crate) fn facts_of(condition: &Expr, into: &mut Vec<Fact>) {
    use BinaryOp::*;
    let Expr::Binary(op, sides) = condition else { return };
    if *op == And {
        facts_of(&sides[0], into);
        facts_of(&sides[1], into);
        return;
    }
    let (op, expr, value) = match (&sides[0], &sides[1]) {
        (Expr::Int(..), Expr::Int(..)) => return,
        (expr, Expr::Int(value, _)) => (*op, expr, *value),
        (Expr::Int(value, _), expr) => (
            match op {
                Lt => Gt,
                Le => Ge,
                Gt => Lt,
                Ge => Le,
                other => *other,
            },
            expr,
            *value,
        ),
        _ => return,
    };
    let interval = match op {
        Lt => Interval { min: NEG, max: value.saturating_sub(1).max(NEG) },
        Le => Interval { min: NEG, max: value.max(NEG) },
        Gt => Interval { min: value.saturating_add(1).clamp(NEG, POS - 1), max: POS },
        Ge => Interval { min: value.clamp(NEG, POS - 1), max: POS },
        Eq => Interval::point(value),
        _ => return,
    };
    into.push(Fact { expr: expr.clone(), interval });
}
