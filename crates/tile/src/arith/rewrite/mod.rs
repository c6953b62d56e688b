//! The walk that simplifies an expression from its leaves, and what is not a rule of `rules.txt`.
//!
//! Two walks share it: the one that applies the rules, and the canonical one ([`super::canonical`]), which does sums,
//! products and quotients itself and leaves every other node to this walk (its children then are canonical).

use std::sync::Arc;

use super::pattern::{For, RULES};
use super::{Analyzer, Scope};
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, Expr, VarId};
use crate::fold::{self, int, is_index};

mod conditions;

pub(super) use conditions::negated;

/// Which walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The rules.
    Rewrite,
    /// Sums of splits; see [`super::canonical`].
    Canonical,
}

/// How often a result may be simplified again, nested.
const AGAIN: u8 = 5;
/// Deeper than this an expression stays as it is.
const DEEPEST: u32 = 200;

impl Analyzer {
    /// The expression, simplified by one walk.
    pub(super) fn visit(&mut self, expr: &Expr, mode: Mode) -> Expr {
        self.overflow |= super::is_large(expr);
        if mode == Mode::Canonical && self.is_normal_sum(expr) {
            return expr.clone();
        }
        if self.is_simple(expr) || self.fuel == 0 || self.depth > DEEPEST {
            return expr.clone();
        }
        self.fuel -= 1;
        self.depth += 1;
        let result = match mode {
            Mode::Rewrite => self.visit_node(expr, mode),
            Mode::Canonical => self.canonical(expr),
        };
        self.depth -= 1;
        result
    }

    /// Simplifies a result once more, unless that went on for too long.
    fn visit_again(&mut self, expr: &Expr, mode: Mode) -> Expr {
        if self.again[mode as usize] >= AGAIN {
            return expr.clone();
        }
        self.again[mode as usize] += 1;
        let result = self.visit(expr, mode);
        self.again[mode as usize] -= 1;
        result
    }

    /// One node whose children are visited in `mode`.
    pub(super) fn visit_node(&mut self, expr: &Expr, mode: Mode) -> Expr {
        match expr {
            Expr::Int(..) | Expr::Float(..) | Expr::Str(_) | Expr::Data(_) => expr.clone(),
            Expr::Var(var, dtype) => self.visit_var(*var, *dtype, expr, mode),
            Expr::Binary(op, sides) => self.visit_binary(expr, *op, sides, mode),
            Expr::Not(inner) => {
                let inner_simple = self.visit(inner, mode);
                if let Some(value) = inner_simple.as_int() {
                    return Expr::bool(value == 0);
                }
                let node = if fold::same(&inner_simple, inner) {
                    expr.clone()
                } else {
                    Expr::Not(Arc::new(inner_simple))
                };
                self.matched(&node, mode).unwrap_or_else(|| self.not_rules(node, mode))
            }
            Expr::Select(parts) => self.visit_select(expr, parts, mode),
            Expr::Cast(dtype, inner) => {
                let simple = self.visit(inner, mode);
                if fold::same(&simple, inner) && fold::try_cast(*dtype, &simple).is_none() {
                    return expr.clone();
                }
                fold::cast(*dtype, simple)
            }
            Expr::Load(load) => match self.visit_all(&load.indices, mode) {
                Some(indices) => Expr::load(load.buffer, load.dtype, indices),
                None => expr.clone(),
            },
            Expr::Call(call) if &*call.op == "if_then_else" && call.args.len() == 3 => {
                self.visit_if_then_else(expr, &call.args, mode)
            }
            Expr::Call(call) => {
                let args = self.visit_all(&call.args, mode);
                let args = args.as_ref().unwrap_or(&call.args);
                if &*call.op == "likely" && args.len() == 1 {
                    if args[0].as_int().is_some() {
                        return args[0].clone();
                    }
                    if let Some(known) = self.matched(&args[0], mode) {
                        return known;
                    }
                }
                if std::ptr::eq(args, &call.args) {
                    return expr.clone();
                }
                let call = crate::Call { op: call.op.clone(), dtype: call.dtype, args: args.clone() };
                Expr::Call(Arc::new(call))
            }
        }
    }

    /// `None` when nothing changed.
    fn visit_all(&mut self, exprs: &[Expr], mode: Mode) -> Option<Vec<Expr>> {
        let mut changed = None;
        for (index, expr) in exprs.iter().enumerate() {
            let simple = self.visit(expr, mode);
            if changed.is_none() && !fold::same(&simple, expr) {
                changed = Some(exprs[..index].to_vec());
            }
            if let Some(changed) = &mut changed {
                changed.push(simple);
            }
        }
        changed
    }

    fn visit_var(&mut self, var: VarId, dtype: Dtype, expr: &Expr, mode: Mode) -> Expr {
        if dtype == Dtype::BOOL
            && let Some(known) = self.matched(expr, mode)
        {
            return known;
        }
        match self.vars.get(&var).and_then(|known| known.value.as_ref()) {
            Some(value) if self.has_values => value.clone(),
            _ => expr.clone(),
        }
    }

    fn visit_binary(&mut self, expr: &Expr, op: BinaryOp, sides: &Arc<[Expr; 2]>, mode: Mode) -> Expr {
        use BinaryOp::*;
        if op == Gt || op == Ge {
            let turned = if op == Gt { Lt } else { Le };
            let turned = fold::binary(turned, sides[1].clone(), sides[0].clone());
            return self.visit(&turned, mode);
        }
        let (a, b) = (self.visit(&sides[0], mode), self.visit(&sides[1], mode));
        if let Some(folded) = fold::try_binary(op, &a, &b) {
            return folded;
        }
        let unchanged = fold::same(&a, &sides[0]) && fold::same(&b, &sides[1]);
        let node = if unchanged { expr.clone() } else { Expr::binary(op, a, b) };
        match op {
            Add | Sub | Mul | Div => self.arithmetic_rules(node, op, mode),
            Mod => self.trunc_mod_rules(node, mode),
            FloorDiv => self.floor_div_rules(node, mode),
            FloorMod => self.floor_mod_rules(node, mode),
            Min | Max => self.min_max_rules(node, op, mode),
            Eq => self.matched(&node, mode).unwrap_or_else(|| self.eq_rules(node, mode)),
            Lt => self.matched(&node, mode).unwrap_or_else(|| self.lt_rules(node, mode)),
            Ne => self.matched(&node, mode).unwrap_or_else(|| self.ne_rules(node, mode)),
            Le => self.matched(&node, mode).unwrap_or_else(|| self.le_rules(node, mode)),
            And | Or => match self.matched(&node, mode) {
                Some(known) => known,
                None => self.rules(&node, op, For::Any, mode).unwrap_or(node),
            },
            Gt | Ge | BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight => node,
        }
    }

    /// The first rule of a section that applies.
    fn rules(&mut self, node: &Expr, op: BinaryOp, holds: For, mode: Mode) -> Option<Expr> {
        let (result, again) = RULES.section(op, holds).apply(node, self, mode)?;
        Some(if again { self.visit_again(&result, mode) } else { result })
    }

    fn arithmetic_rules(&mut self, node: Expr, op: BinaryOp, mode: Mode) -> Expr {
        let holds = if is_index(node.dtype()) { For::Index } else { For::Other };
        if let Some(result) = self.rules(&node, op, holds, mode) {
            return result;
        }
        self.rules(&node, op, For::Any, mode).unwrap_or(node)
    }

    fn trunc_mod_rules(&mut self, node: Expr, mode: Mode) -> Expr {
        if !is_index(node.dtype()) {
            return node;
        }
        if let Some(result) = self.rules(&node, BinaryOp::Mod, For::Index, mode) {
            return result;
        }
        let Expr::Binary(_, sides) = &node else { return node };
        let Some(divisor) = sides[1].as_int().filter(|divisor| *divisor > 0) else { return node };
        let residues = self.modular(&sides[0]);
        if residues.step % divisor == 0 && self.proves_at_least(&sides[0], 0) {
            return Expr::Int(residues.base % divisor, node.dtype());
        }
        node
    }

    fn floor_div_rules(&mut self, node: Expr, mode: Mode) -> Expr {
        if !is_index(node.dtype()) {
            return node;
        }
        if let Some(result) = self.rules(&node, BinaryOp::FloorDiv, For::First, mode) {
            return result;
        }
        if let Some(result) = self.divided_product(&node, mode) {
            return result;
        }
        self.rules(&node, BinaryOp::FloorDiv, For::Index, mode).unwrap_or(node)
    }

    /// `(x * c1 + y) // c2`: the part that divides goes out, where the rest is known to add a constant; and
    /// `x // (c2 / c1)`, where `y` is too small to matter.
    fn divided_product(&mut self, node: &Expr, mode: Mode) -> Option<Expr> {
        let Expr::Binary(BinaryOp::FloorDiv, sides) = node else { return None };
        let c2 = sides[1].as_int().filter(|c2| *c2 != 0)?;
        let dtype = node.dtype();
        let scaled = |expr: &Expr| match expr {
            Expr::Binary(BinaryOp::Mul, parts) => Some((parts[0].clone(), parts[1].as_int()?)),
            _ => None,
        };
        let zero = Expr::Int(0, dtype);
        let ((x, c1), y) = match &sides[0] {
            Expr::Binary(BinaryOp::Add, parts) => match scaled(&parts[0]) {
                Some(scaled) => (scaled, parts[1].clone()),
                None => (scaled(&parts[1])?, parts[0].clone()),
            },
            product => (scaled(product)?, zero.clone()),
        };
        let c2_expr = sides[1].clone();
        let constant = |value: Option<i64>| fold::constant(value?, dtype);
        let rest = fold::floor_div(
            fold::add(
                fold::mul(x.clone(), constant(int::floor_mod(c1, c2))?),
                fold::floor_mod(y.clone(), c2_expr.clone()),
            ),
            c2_expr.clone(),
        );
        let quotient = fold::floor_div(y.clone(), c2_expr.clone());
        let quotient = if self.proves_value(&quotient, 0, mode) { zero } else { quotient };
        let bounds = self.interval(&rest);
        if bounds.min == bounds.max && bounds.min != super::NEG && bounds.max != super::POS {
            let out = fold::mul(x, constant(int::floor_div(c1, c2))?);
            let offset = constant(Some(bounds.max))?;
            return Some(fold::add(out, fold::add(quotient, offset)));
        }
        let remainder = fold::floor_mod(y, c2_expr);
        if c1 > 0 && c2 > 0 && c2 % c1 == 0 && self.proves_below(&remainder, c1) {
            return Some(fold::add(fold::floor_div(x, constant(Some(c2 / c1))?), quotient));
        }
        None
    }

    fn floor_mod_rules(&mut self, node: Expr, mode: Mode) -> Expr {
        if !is_index(node.dtype()) {
            return node;
        }
        if let Some(result) = self.rules(&node, BinaryOp::FloorMod, For::Index, mode) {
            return result;
        }
        let Expr::Binary(_, sides) = &node else { return node };
        let Some(divisor) = sides[1].as_int().filter(|divisor| *divisor > 0) else { return node };
        let residues = self.modular(&sides[0]);
        if residues.step % divisor == 0 {
            return Expr::Int(residues.base.rem_euclid(divisor), node.dtype());
        }
        let bounds = self.interval(&sides[0]);
        if bounds.min >= 0 && bounds.max < divisor {
            return sides[0].clone();
        }
        node
    }

    fn min_max_rules(&mut self, node: Expr, op: BinaryOp, mode: Mode) -> Expr {
        let Expr::Binary(_, sides) = &node else { return node };
        if is_index(node.dtype()) {
            if fold::equal(&sides[0], &sides[1]) {
                return sides[0].clone();
            }
            let (a, b) = (self.interval(&sides[0]), self.interval(&sides[1]));
            if a.min <= a.max && b.min <= b.max {
                let (a_first, b_first) = (a.max <= b.min, b.max <= a.min);
                let (a_wins, b_wins) =
                    if op == BinaryOp::Min { (a_first, b_first) } else { (b_first, a_first) };
                if a_wins {
                    return sides[0].clone();
                }
                if b_wins {
                    return sides[1].clone();
                }
            }
            if let Some(result) = self.rules(&node, op, For::Index, mode) {
                return result;
            }
        }
        self.rules(&node, op, For::Any, mode).unwrap_or(node)
    }

    fn visit_select(&mut self, expr: &Expr, parts: &Arc<[Expr; 3]>, mode: Mode) -> Expr {
        let condition = self.visit(&parts[0], mode);
        let then = self.visit_where(&condition, &parts[1], mode);
        let refuted = self.rewrite(&Expr::Not(Arc::new(condition.clone())));
        let otherwise = self.visit_where(&refuted, &parts[2], mode);
        match condition.as_int() {
            Some(0) => return otherwise,
            Some(_) => return then,
            None => {}
        }
        if fold::equal(&then, &otherwise) {
            return then;
        }
        let simple = [condition, then, otherwise];
        if simple.iter().zip(parts.iter()).all(|(new, old)| fold::same(new, old)) {
            return expr.clone();
        }
        Expr::Select(Arc::new(simple))
    }

    fn visit_if_then_else(&mut self, expr: &Expr, args: &[Expr], mode: Mode) -> Expr {
        let condition = self.visit(&args[0], mode);
        let then = self.visit_where(&condition, &args[1], mode);
        let otherwise = self.visit_where(&Expr::Not(Arc::new(condition.clone())), &args[2], mode);
        match condition.as_int() {
            Some(0) => return otherwise,
            Some(_) => return then,
            None => {}
        }
        if let Expr::Call(inner) = &then
            && &*inner.op == "if_then_else"
            && inner.args.len() == 3
            && matches!(otherwise, Expr::Int(..) | Expr::Float(..))
            && fold::equal(&inner.args[2], &otherwise)
        {
            let both = fold::and(condition, inner.args[0].clone());
            return Expr::call("if_then_else", expr.dtype(), vec![both, inner.args[1].clone(), otherwise]);
        }
        let simple = [condition, then, otherwise];
        if simple.iter().zip(args).all(|(new, old)| fold::same(new, old)) {
            return expr.clone();
        }
        Expr::call("if_then_else", expr.dtype(), simple.into())
    }

    /// Visits `expr` where `condition` holds.
    fn visit_where(&mut self, condition: &Expr, expr: &Expr, mode: Mode) -> Expr {
        if self.is_simple(expr) {
            return expr.clone();
        }
        let (fuel, depth, overflow, again) = (self.fuel, self.depth, self.overflow, self.again);
        let scope: Scope = self.enter_with_derived(condition);
        (self.fuel, self.depth, self.overflow, self.again) = (fuel, depth, overflow, again);
        let result = self.visit(expr, mode);
        self.exit(scope);
        result
    }

    /// [`Analyzer::enter`], also with the bounds of `x` that a bound of `x // c` gives.
    pub(crate) fn enter_with_derived(&mut self, condition: &Expr) -> Scope {
        let scope = self.enter(condition);
        let mut derived = Vec::new();
        super::for_each_part(condition, &mut |part| quotient_bounds(part, &mut derived));
        for fact in &derived {
            self.assume(fact);
        }
        scope
    }
}

/// `x // c` compared with a constant bounds `x`.
fn quotient_bounds(condition: &Expr, into: &mut Vec<Expr>) {
    use BinaryOp::*;
    let Expr::Binary(op, sides) = condition else { return };
    for (quotient, value, op) in [(&sides[0], &sides[1], *op), (&sides[1], &sides[0], turned(*op))] {
        let (Expr::Binary(FloorDiv, parts), Some(value)) = (quotient, value.as_int()) else { continue };
        let Some(divisor) = parts[1].as_int().filter(|divisor| *divisor > 0) else { continue };
        let dtype = parts[0].dtype();
        let constant = |value: Option<i64>| value.and_then(|value| fold::constant(value, dtype));
        let low = constant(value.checked_mul(divisor));
        let high = constant(value.checked_add(1).and_then(|next| next.checked_mul(divisor)));
        let (Some(low), Some(high)) = (low, high) else { continue };
        let x = || parts[0].clone();
        match op {
            Eq => into.extend([fold::ge(x(), low), fold::lt(x(), high)]),
            Lt => into.push(fold::lt(x(), low)),
            Le => into.push(fold::lt(x(), high)),
            Gt => into.push(fold::ge(x(), high)),
            Ge => into.push(fold::ge(x(), low)),
            _ => {}
        }
    }
}

fn turned(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}
