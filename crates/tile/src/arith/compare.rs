//! Comparisons: what relations two expressions can be in, and those that were told.
//!
//! Promises: a relation in the answer that is missing (`LT` not contained) is impossible for all values that meet
//! what the [`Analyzer`] was told. Told comparisons are used directly, up to a constant on each side; they are not
//! chained (TVM's `transitively_prove_inequalities` is off by default).

use super::Analyzer;
use super::rewrite::Mode;
use crate::expr::{BinaryOp, Expr};
use crate::fold;

/// A set of the three relations, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relations(u8);

impl Relations {
    pub(crate) const EQ: Relations = Relations(1);
    pub(crate) const LT: Relations = Relations(2);
    pub(crate) const LE: Relations = Relations(3);
    pub(crate) const GT: Relations = Relations(4);
    pub(crate) const GE: Relations = Relations(5);
    pub(crate) const NE: Relations = Relations(6);
    pub(crate) const ANY: Relations = Relations(7);

    pub(crate) fn and(self, other: Relations) -> Relations {
        Relations(self.0 & other.0)
    }

    /// One relation is left.
    fn decided(self) -> bool {
        matches!(self, Relations::EQ | Relations::LT | Relations::GT)
    }

    fn swapped(self) -> Relations {
        Relations((self.0 & 1) | (self.0 & 2) << 1 | (self.0 & 4) >> 1)
    }
}

/// `left ? right + offset`, where a side that is missing is 0.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    left: Option<Expr>,
    right: Option<Expr>,
    offset: i64,
    relations: Relations,
}

impl Comparison {
    /// Of a comparison of integers with a side that is not constant.
    pub(crate) fn of(condition: &Expr) -> Option<Comparison> {
        let Expr::Binary(op, sides) = condition else { return None };
        let (relations, shift) = match op {
            BinaryOp::Le => (Relations::LE, 0),
            BinaryOp::Lt => (Relations::LE, -1),
            BinaryOp::Ge => (Relations::GE, 0),
            BinaryOp::Gt => (Relations::GE, 1),
            BinaryOp::Eq => (Relations::EQ, 0),
            BinaryOp::Ne => (Relations::NE, 0),
            _ => return None,
        };
        if !fold::is_index(sides[0].dtype()) || (sides[0].as_int().is_some() && sides[1].as_int().is_some()) {
            return None;
        }
        let (left, right, offset) = offsets(&sides[0], &sides[1])?;
        let offset = offset.checked_add(shift)?;
        Some(Comparison { left: left.cloned(), right: right.cloned(), offset, relations })
    }

    /// What this says on `left ? right + offset`.
    fn says(&self, left: Option<&Expr>, right: Option<&Expr>, offset: i64) -> Relations {
        let alike = |a: &Option<Expr>, b: Option<&Expr>| match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => fold::equal(a, b),
            _ => false,
        };
        if alike(&self.left, left) && alike(&self.right, right) {
            implied(self.relations, self.offset, offset)
        } else if alike(&self.left, right) && alike(&self.right, left) {
            match self.offset.checked_neg() {
                Some(known) => implied(self.relations.swapped(), known, offset),
                None => Relations::ANY,
            }
        } else {
            Relations::ANY
        }
    }
}

/// `a ? b + known` holds: what can `a ? b + asked` be?
fn implied(relations: Relations, known: i64, asked: i64) -> Relations {
    match relations {
        Relations::EQ if known == asked => Relations::EQ,
        Relations::EQ => Relations::NE,
        Relations::LE if known < asked => Relations::LT,
        Relations::LE if known == asked => Relations::LE,
        Relations::GE if known > asked => Relations::GT,
        Relations::GE if known == asked => Relations::GE,
        Relations::NE if known == asked => Relations::NE,
        _ => Relations::ANY,
    }
}

/// `(a, b, c)` such that `left ? right` is `a ? b + c`.
fn offsets<'e>(left: &'e Expr, right: &'e Expr) -> Option<(Option<&'e Expr>, Option<&'e Expr>, i64)> {
    let split = |expr: &'e Expr| -> Option<(Option<&'e Expr>, i64)> {
        match expr {
            Expr::Int(value, _) => return Some((None, *value)),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), sides) => {
                if let Expr::Int(value, _) = sides[1] {
                    let value = if *op == BinaryOp::Add { value } else { value.checked_neg()? };
                    return Some((Some(&sides[0]), value));
                }
            }
            _ => {}
        }
        Some((Some(expr), 0))
    };
    let ((a, x), (b, y)) = (split(left)?, split(right)?);
    Some((a, b, y.checked_sub(x)?))
}

impl Analyzer {
    /// The relations `a` and `b` can be in.
    pub(crate) fn compare(&mut self, a: &Expr, b: &Expr, mode: Mode) -> Relations {
        let difference = fold::sub(a.clone(), b.clone());
        let found = self.compare_value(&difference, 0, mode);
        if found.decided() { found } else { found.and(self.told(a, b)) }
    }

    /// The relations `a` and the constant can be in.
    pub(crate) fn compare_value(&mut self, a: &Expr, value: i64, mode: Mode) -> Relations {
        let a = self.visit(a, mode);
        let bounds = self.interval(&a);
        if bounds.min > bounds.max {
            return Relations::ANY;
        }
        if bounds.min == value && bounds.max == value {
            Relations::EQ
        } else if bounds.min > value {
            Relations::GT
        } else if bounds.max < value {
            Relations::LT
        } else if bounds.min == value {
            Relations::GE
        } else if bounds.max == value {
            Relations::LE
        } else if value == 0 && self.modular(&a).base != 0 {
            Relations::NE
        } else {
            Relations::ANY
        }
    }

    /// What the comparisons that were told say on `a` and `b`.
    fn told(&self, a: &Expr, b: &Expr) -> Relations {
        let Some((left, right, offset)) = offsets(a, b) else { return Relations::ANY };
        let mut found = Relations::ANY;
        for side in [left, right] {
            if let Some(Expr::Var(var, _)) = side
                && let Some(known) = self.vars.get(var)
            {
                for comparison in &known.comparisons {
                    found = found.and(comparison.says(left, right, offset));
                }
            }
        }
        for comparison in &self.comparisons {
            found = found.and(comparison.says(left, right, offset));
        }
        found
    }
}
