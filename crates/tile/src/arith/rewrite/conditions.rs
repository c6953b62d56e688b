//! Comparisons and negations: proofs and told conditions first, then the rules, then constants brought to one side.

use std::sync::Arc;

use super::super::compare::Relations;
use super::super::pattern::For;
use super::{Analyzer, Mode};
use crate::expr::{BinaryOp, Expr};
use crate::fold::{self, int, is_index};

impl Analyzer {
    pub(super) fn eq_rules(&mut self, node: Expr, mode: Mode) -> Expr {
        let Expr::Binary(_, sides) = &node else { return node };
        if !is_index(sides[0].dtype()) {
            return self.rules(&node, BinaryOp::Eq, For::Other, mode).unwrap_or(node);
        }
        match self.compare(&sides[0], &sides[1], mode) {
            Relations::EQ => Expr::bool(true),
            Relations::NE | Relations::GT | Relations::LT => Expr::bool(false),
            _ => self.rules(&node, BinaryOp::Eq, For::Index, mode).unwrap_or(node),
        }
    }

    pub(super) fn ne_rules(&mut self, node: Expr, mode: Mode) -> Expr {
        let Expr::Binary(_, sides) = &node else { return node };
        let (a, b) = (&sides[0], &sides[1]);
        if is_index(a.dtype()) {
            match self.compare(a, b, mode) {
                Relations::NE | Relations::GT | Relations::LT => return Expr::bool(true),
                Relations::EQ => return Expr::bool(false),
                Relations::GE => {
                    return self.lt_rules(Expr::binary(BinaryOp::Lt, b.clone(), a.clone()), mode);
                }
                Relations::LE => {
                    return self.lt_rules(Expr::binary(BinaryOp::Lt, a.clone(), b.clone()), mode);
                }
                _ => {}
            }
        }
        let equal = self.eq_rules(Expr::binary(BinaryOp::Eq, a.clone(), b.clone()), mode);
        self.not_rules(Expr::Not(Arc::new(equal)), mode)
    }

    /// `a <= b`: the rules for `b < a` first, then proofs on what came of it.
    pub(super) fn le_rules(&mut self, node: Expr, mode: Mode) -> Expr {
        let Expr::Binary(_, sides) = &node else { return node };
        let above = self.lt_rules(Expr::binary(BinaryOp::Lt, sides[1].clone(), sides[0].clone()), mode);
        let result = self.not_rules(Expr::Not(Arc::new(above)), mode);
        let Expr::Binary(BinaryOp::Le, sides) = &result else { return result };
        let (a, b) = (&sides[0], &sides[1]);
        if !is_index(a.dtype()) {
            return result;
        }
        match self.compare(a, b, mode) {
            Relations::LE | Relations::LT | Relations::EQ => Expr::bool(true),
            Relations::GT => Expr::bool(false),
            Relations::NE => self.lt_rules(Expr::binary(BinaryOp::Lt, a.clone(), b.clone()), mode),
            Relations::GE => self.eq_rules(Expr::binary(BinaryOp::Eq, a.clone(), b.clone()), mode),
            _ => result,
        }
    }

    pub(super) fn lt_rules(&mut self, node: Expr, mode: Mode) -> Expr {
        let Expr::Binary(_, sides) = &node else { return node };
        let (a, b) = (&sides[0], &sides[1]);
        if !is_index(a.dtype()) {
            return node;
        }
        match self.compare(a, b, mode) {
            Relations::LT => return Expr::bool(true),
            Relations::EQ | Relations::GT | Relations::GE => return Expr::bool(false),
            _ => {}
        }
        if let Some(result) = self.rules(&node, BinaryOp::Lt, For::Index, mode) {
            return result;
        }
        if let Some(merged) = merge_constants(a, b) {
            return self.visit_again(&merged, mode);
        }
        let (left, right) = (self.modular(a), self.modular(b));
        let common = int::gcd(int::gcd(left.base, left.step), int::gcd(right.base, right.step));
        if common > 1 {
            let divide = |side: &Expr| fold::floor_div(side.clone(), Expr::Int(common, a.dtype()));
            let smaller = fold::lt(divide(a), divide(b));
            return self.visit_again(&smaller, mode);
        }
        node
    }

    /// Rules for `not`, on a node whose child is simple.
    pub(super) fn not_rules(&mut self, node: Expr, mode: Mode) -> Expr {
        let Expr::Not(inner) = &node else { return node };
        match &**inner {
            Expr::Not(twice) => (**twice).clone(),
            Expr::Binary(op, sides) => match contrary(*op) {
                Some((op, turned)) => {
                    let (a, b) = (sides[0].clone(), sides[1].clone());
                    if turned { fold::binary(op, b, a) } else { fold::binary(op, a, b) }
                }
                None if matches!(op, BinaryOp::And | BinaryOp::Or) => {
                    let other = if *op == BinaryOp::And { BinaryOp::Or } else { BinaryOp::And };
                    let pushed =
                        fold::binary(other, fold::not(sides[0].clone()), fold::not(sides[1].clone()));
                    self.visit_again(&pushed, mode)
                }
                None => node,
            },
            _ => node,
        }
    }

    /// What a condition that holds says of `expr`, a condition too. Only the rules' walk asks.
    pub(super) fn matched(&self, expr: &Expr, mode: Mode) -> Option<Expr> {
        if mode == Mode::Canonical {
            return None;
        }
        let denies = |condition: &Expr, expr: &Expr| match condition {
            Expr::Not(inner) => fold::equal(inner, expr),
            _ => false,
        };
        for (holds, contrary) in &self.literals {
            if fold::equal(holds, expr) || denies(expr, contrary) {
                return Some(Expr::bool(true));
            }
            if fold::equal(contrary, expr) || denies(holds, expr) {
                return Some(Expr::bool(false));
            }
        }
        None
    }
}

/// The operator of the negated comparison, and whether its sides are turned.
fn contrary(op: BinaryOp) -> Option<(BinaryOp, bool)> {
    Some(match op {
        BinaryOp::Le => (BinaryOp::Lt, true),
        BinaryOp::Ge => (BinaryOp::Lt, false),
        BinaryOp::Lt => (BinaryOp::Le, true),
        BinaryOp::Gt => (BinaryOp::Le, false),
        BinaryOp::Eq => (BinaryOp::Ne, false),
        BinaryOp::Ne => (BinaryOp::Eq, false),
        _ => return None,
    })
}

/// `not condition`, with the negation pushed to the comparisons.
pub(in crate::arith) fn negated(condition: &Expr) -> Expr {
    match condition {
        Expr::Not(inner) => normal(inner),
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), sides) => {
            let other = if *op == BinaryOp::And { BinaryOp::Or } else { BinaryOp::And };
            fold::binary(other, negated(&sides[0]), negated(&sides[1]))
        }
        Expr::Binary(op, sides) => match contrary(*op) {
            Some((op, true)) => fold::binary(op, sides[1].clone(), sides[0].clone()),
            Some((op, false)) => fold::binary(op, sides[0].clone(), sides[1].clone()),
            None => fold::not(condition.clone()),
        },
        _ => fold::not(condition.clone()),
    }
}

fn normal(condition: &Expr) -> Expr {
    match condition {
        Expr::Not(inner) => negated(inner),
        Expr::Binary(BinaryOp::Ge, sides) => fold::le(sides[1].clone(), sides[0].clone()),
        Expr::Binary(BinaryOp::Gt, sides) => fold::lt(sides[1].clone(), sides[0].clone()),
        _ => condition.clone(),
    }
}

/// `a < b` with its constants on one side: `i + 2 < n + 3` is `i <= n`.
fn merge_constants(a: &Expr, b: &Expr) -> Option<Expr> {
    let split = |expr: &Expr| -> Option<(Expr, i64)> {
        let Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), sides) = expr else { return None };
        let value = sides[1].as_int()?;
        Some((sides[0].clone(), if *op == BinaryOp::Add { value } else { value.checked_neg()? }))
    };
    let (left, x) = split(a).unwrap_or_else(|| (a.clone(), 0));
    let (right, y) = split(b).unwrap_or_else(|| (b.clone(), 0));
    if x == 0 && y == 0 {
        return None;
    }
    let difference = y.checked_sub(x)?;
    let dtype = a.dtype();
    match difference {
        0 => Some(fold::lt(left, right)),
        1 => Some(fold::le(left, right)),
        _ if difference < 0 && y != 0 => {
            let offset = fold::constant(difference.checked_neg()?, dtype)?;
            Some(fold::lt(fold::add(left, offset), right))
        }
        _ if difference > 0 && x != 0 => {
            let offset = fold::constant(difference, dtype)?;
            Some(fold::lt(left, fold::add(right, offset)))
        }
        _ => None,
    }
}
