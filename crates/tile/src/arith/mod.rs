//! Index arithmetic: simplification, bounds and proofs.
//!
//! For: the pipelining pass (is this iteration in range? what is the wait count?), [`crate::simplify`] and
//! [`crate::regions`]. Follows what TVM 0.27's `arith.Analyzer` computes, so that results read as TVM's do: the same
//! normal forms in the same order, the same proofs.
//!
//! How: [`Analyzer::simplify`] runs a canonical form ([`canonical`]: sums of `(x % u // l) * s`), the rewrite rules
//! ([`rewrite`], [`pattern`], `rules.txt`) and the canonical form again. Proofs rest on constant bounds
//! ([`bounds`]), residues ([`modular`]) and comparisons that were told ([`compare`]).
//!
//! Promises:
//! * A simplified expression has the value of the original for all values of the variables that meet what was told,
//!   if no operation of the original overflows its type or divides by zero. Wrapped results are not modelled.
//! * [`Analyzer::can_prove`] says `true` only for what holds under the same proviso. A variable bound to a range that
//!   is provably empty is not used for anything: an empty range proves nothing about it. Conditions that contradict
//!   each other (nested `if i < 3` and `if 5 < i`) hold for no execution and may prove anything below them.
//! * Nothing panics. Where a constant leaves `i64` or its type, or comes near the ends of `i64` ([`LARGEST`]), the
//!   expression is returned as it was, and nothing is proven.
//!
//! Does not: chain inequalities, solve systems, reason about floating point beyond constant folding; rules for
//! truncating division are fewer than TVM's.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::expr::{BinaryOp, Expr, VarId};
use crate::fold;
use crate::stmt::Range;

mod bounds;
mod canonical;
mod compare;
pub(crate) mod interval;
mod linear;
mod modular;
mod pattern;
mod rewrite;

use bounds::{Fact, Interval, NEG, POS};
use compare::{Comparison, Relations};
use modular::Residues;
use rewrite::Mode;

/// What was told about one variable.
#[derive(Clone, Debug, Default)]
struct Known {
    interval: Option<Interval>,
    residues: Option<Residues>,
    value: Option<Expr>,
    comparisons: Vec<Comparison>,
}

/// Knows ranges and values of variables and the conditions of the place it is used at.
#[derive(Clone, Debug, Default)]
pub struct Analyzer {
    vars: FxHashMap<VarId, Known>,
    /// Some variable has a value, so that variables need to be looked up.
    has_values: bool,
    facts: Vec<Fact>,
    comparisons: Vec<Comparison>,
    /// Conditions that hold, with what they contradict.
    literals: Vec<(Expr, Expr)>,
    /// Residues to restore at the end of a scope.
    residues: Vec<(VarId, Option<Residues>)>,
    /// Rewrites of results of rewrites, by mode.
    again: [u8; 2],
    /// Nodes that may still be visited in this simplification.
    fuel: u32,
    depth: u32,
    /// A constant left its type: the result is void.
    overflow: bool,
}

/// Where a scope of conditions began.
#[derive(Debug)]
#[must_use = "a scope that was entered must be left"]
pub struct Scope {
    facts: usize,
    comparisons: usize,
    literals: usize,
    residues: usize,
}

/// Visits a simplification may make; far more than index arithmetic needs, and an end for nested quotients, whose
/// proofs are nested too.
const FUEL: u32 = 200_000;

/// Larger constants are not reckoned with.
const LARGEST: u64 = 1 << 61;

fn is_large(expr: &Expr) -> bool {
    matches!(expr, Expr::Int(value, _) if value.unsigned_abs() > LARGEST)
}

fn has_large(expr: &Expr) -> bool {
    is_large(expr) || expr.children().iter().any(has_large)
}

impl Analyzer {
    /// One that knows nothing.
    pub fn new() -> Analyzer {
        Analyzer::default()
    }

    /// `var` takes the values of `range`; an extent of 1 gives it a value. What was told of it before is forgotten.
    pub fn bind(&mut self, var: VarId, range: &Range) {
        if range.extent.as_int() == Some(1) {
            return self.bind_value(var, &range.min);
        }
        let (min, extent) = (self.interval(&range.min), self.interval(&range.extent));
        let max =
            if min.max == POS || extent.max == POS { POS } else { min.max.saturating_add(extent.max - 1) };
        let mut known = Known::default();
        let reckoned = !has_large(&range.min) && !has_large(&range.extent);
        if extent.max > 0 && min.min <= max && reckoned {
            let dtype = range.min.dtype();
            let expr = Expr::Var(var, dtype);
            known.interval = Some(Interval { min: min.min, max: max.max(NEG) });
            let end = fold::add(range.min.clone(), range.extent.clone());
            // Of a constant end the interval says as much.
            if range.min.as_int().is_none() {
                known.comparisons.extend(Comparison::of(&fold::ge(expr.clone(), range.min.clone())));
            }
            if end.as_int().is_none() {
                known.comparisons.extend(Comparison::of(&fold::lt(expr, end)));
            }
        }
        self.vars.insert(var, known);
    }

    /// `var` is `value`: simplification replaces it.
    pub fn bind_value(&mut self, var: VarId, value: &Expr) {
        if has_large(value) {
            return self.unbind(var);
        }
        self.start();
        let simple = self.visit(value, Mode::Canonical);
        let simple = self.rewrite(&simple);
        let simple = if self.overflow { value.clone() } else { simple };
        let comparison = Comparison::of(&fold::eq(Expr::Var(var, value.dtype()), value.clone()));
        let known = Known {
            interval: Some(self.interval(&simple)),
            residues: Some(self.modular(&simple)),
            value: Some(simple),
            comparisons: comparison.into_iter().collect(),
        };
        self.has_values = true;
        self.vars.insert(var, known);
    }

    /// A buffer has this many elements in a dimension: where the number is a variable (plus a constant), it is not
    /// negative. TVM assumes it of the shapes of parameters.
    pub fn assume_shape(&mut self, extent: &Expr) {
        let (var, offset) = match extent {
            Expr::Var(var, dtype) if fold::is_index(*dtype) => (*var, 0),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), sides) => match (&sides[0], &sides[1]) {
                (Expr::Var(var, dtype), Expr::Int(offset, _)) if fold::is_index(*dtype) => {
                    (*var, if *op == BinaryOp::Add { *offset } else { offset.saturating_neg() })
                }
                _ => return,
            },
            Expr::Binary(BinaryOp::Mul, sides) => match (&sides[0], &sides[1]) {
                (Expr::Var(var, dtype), Expr::Int(scale, _)) if *scale > 0 && fold::is_index(*dtype) => {
                    (*var, 0)
                }
                _ => return,
            },
            _ => return,
        };
        let interval = Interval { min: offset.saturating_neg().max(NEG), max: POS };
        self.vars.entry(var).or_default().interval = Some(interval);
    }

    /// Forgets what was told of `var`.
    pub fn unbind(&mut self, var: VarId) {
        self.vars.remove(&var);
    }

    /// Begins a scope where `condition` holds. Scopes end in reverse order.
    pub fn enter(&mut self, condition: &Expr) -> Scope {
        let scope = Scope {
            facts: self.facts.len(),
            comparisons: self.comparisons.len(),
            literals: self.literals.len(),
            residues: self.residues.len(),
        };
        self.assume(condition);
        scope
    }

    /// Adds a condition to the innermost scope.
    fn assume(&mut self, condition: &Expr) {
        if condition.as_int().is_some() || has_large(condition) {
            return;
        }
        let mut facts = Vec::new();
        bounds::facts_of(condition, &mut facts);
        self.facts.extend(facts.into_iter().filter(|fact| !fact.expr.dtype().is_float()));
        if let Some((var, residues)) = modular::residue_of(condition) {
            let known = self.vars.entry(var).or_default();
            self.residues.push((var, known.residues));
            known.residues =
                Some(modular::intersect(known.residues.unwrap_or(Residues::EVERYTHING), residues));
        }
        self.start();
        let simple = self.visit(condition, Mode::Rewrite);
        let simple = if self.overflow { condition.clone() } else { simple };
        for_each_part(&simple, &mut |part| {
            if part.as_int().is_none() && has_no_effect(part) && !reads(part) {
                let contrary = rewrite::negated(part);
                self.literals.push((part.clone(), contrary));
            }
        });
        if has_no_effect(condition) && !reads(condition) {
            for_each_part(condition, &mut |part| self.comparisons.extend(Comparison::of(part)));
        }
    }

    /// Ends a scope.
    pub fn exit(&mut self, scope: Scope) {
        self.facts.truncate(scope.facts);
        self.comparisons.truncate(scope.comparisons);
        self.literals.truncate(scope.literals);
        while self.residues.len() > scope.residues {
            if let Some((var, residues)) = self.residues.pop() {
                self.vars.entry(var).or_default().residues = residues;
            }
        }
    }

    /// What `inside` returns, run where `condition` holds.
    pub fn with_constraint<T>(&mut self, condition: &Expr, inside: impl FnOnce(&mut Analyzer) -> T) -> T {
        let scope = self.enter(condition);
        let result = inside(self);
        self.exit(scope);
        result
    }

    /// The expression in TVM's normal form.
    pub fn simplify(&mut self, expr: &Expr) -> Expr {
        if self.is_final(expr) {
            return expr.clone();
        }
        if let Some(sum) = self.simplified_sum(expr) {
            return sum;
        }
        self.start();
        let result = self.simplified(expr);
        if self.overflow { expr.clone() } else { result }
    }

    /// [`Analyzer::simplify`] within a simplification.
    fn simplified(&mut self, expr: &Expr) -> Expr {
        let first = self.visit(expr, Mode::Canonical);
        if self.is_final(&first) {
            return first;
        }
        let second = self.rewrite(&first);
        if self.is_simple(&second) {
            return second;
        }
        self.visit(&second, Mode::Canonical)
    }

    /// The rewrite rules alone, twice.
    fn rewrite(&mut self, expr: &Expr) -> Expr {
        let first = self.visit(expr, Mode::Rewrite);
        if fold::same(&first, expr) { first } else { self.visit(&first, Mode::Rewrite) }
    }

    /// The condition holds for all values that meet what was told. `false` says nothing.
    pub fn can_prove(&mut self, condition: &Expr) -> bool {
        self.decided(condition).unwrap_or_else(|| {
            self.start();
            self.proves(condition)
        })
    }

    /// `a == b` holds for all values that meet what was told.
    pub fn can_prove_equal(&mut self, a: &Expr, b: &Expr) -> bool {
        if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
            return a == b;
        }
        if let Some(distance) = self.distance(a, b) {
            return distance == 0;
        }
        let difference = fold::sub(a.clone(), b.clone());
        let zero = Expr::Int(0, difference.dtype());
        self.can_prove(&fold::eq(difference, zero))
    }

    /// The least and the greatest value, where they are known.
    pub fn const_bounds(&self, expr: &Expr) -> (Option<i64>, Option<i64>) {
        let Interval { min, max } = self.interval(expr);
        ((min != NEG).then_some(min), (max != POS).then_some(max))
    }

    /// `(step, base)`: every value is `step · k + base`; a `step` of 0 says that it is `base`.
    pub fn residues(&self, expr: &Expr) -> (i64, i64) {
        let Residues { step, base } = self.modular(expr);
        (step, base)
    }

    /// The negation of a condition, simplified by the rules.
    pub(crate) fn refuted(&mut self, condition: &Expr) -> Expr {
        self.start();
        let negation = Expr::Not(Arc::new(condition.clone()));
        let simple = self.rewrite(&negation);
        if self.overflow { negation } else { simple }
    }

    fn start(&mut self) {
        self.fuel = FUEL;
        self.depth = 0;
        self.overflow = false;
        self.again = [0; 2];
    }

    fn proves(&mut self, condition: &Expr) -> bool {
        let simple = self.simplified(condition);
        !self.overflow && matches!(simple.as_int(), Some(value) if value != 0)
    }

    fn proves_at_least(&mut self, expr: &Expr, bound: i64) -> bool {
        if let Some(value) = expr.as_int() {
            return value >= bound;
        }
        let simple = self.rewrite(expr);
        !self.overflow && self.interval(&simple).min >= bound
    }

    fn proves_below(&mut self, expr: &Expr, bound: i64) -> bool {
        if let Some(value) = expr.as_int() {
            return value < bound;
        }
        let simple = self.rewrite(expr);
        !self.overflow && self.interval(&simple).max < bound
    }

    fn proves_value(&mut self, expr: &Expr, value: i64, mode: Mode) -> bool {
        self.compare_value(expr, value, mode) == Relations::EQ && !self.overflow
    }

    /// [`Analyzer::simplify`] would return it as it is; told without work.
    pub(crate) fn is_final(&self, expr: &Expr) -> bool {
        self.is_simple(expr) || self.is_normal_sum(expr)
    }

    /// Nothing to do: a constant, or a variable without a value.
    fn is_simple(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Int(..) | Expr::Float(..) | Expr::Str(_) | Expr::Data(_) => true,
            Expr::Var(var, dtype) => {
                let valued = self.has_values && self.vars.get(var).is_some_and(|known| known.value.is_some());
                !valued && *dtype != crate::Dtype::BOOL
            }
            _ => false,
        }
    }
}

/// Calls `visit` on the parts that `and` joins.
fn for_each_part(condition: &Expr, visit: &mut impl FnMut(&Expr)) {
    match condition {
        Expr::Binary(BinaryOp::And, sides) => sides.iter().for_each(|side| for_each_part(side, visit)),
        _ => visit(condition),
    }
}

/// Intrinsics without an effect, which read no memory.
const PURE: [&str; 18] = [
    "if_then_else",
    "likely",
    "exp",
    "exp2",
    "log",
    "log2",
    "sqrt",
    "rsqrt",
    "tanh",
    "sigmoid",
    "sin",
    "cos",
    "floor",
    "ceil",
    "round",
    "fabs",
    "abs",
    "pow",
];

fn has_no_effect(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) if !PURE.contains(&&*call.op) => false,
        _ => expr.children().iter().all(has_no_effect),
    }
}

fn reads(expr: &Expr) -> bool {
    matches!(expr, Expr::Load(_)) || expr.children().iter().any(reads)
}

/// It has no effect; it may read.
fn reads_at_most(expr: &Expr) -> bool {
    has_no_effect(expr)
}
