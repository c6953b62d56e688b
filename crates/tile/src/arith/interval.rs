//! Intervals with symbolic ends, and the interval an expression covers while some of its variables run.
//!
//! For: access regions. Follows TVM's `IntervalSet` and `EvalSet`: the ends are built with [`crate::fold`] and are not
//! simplified here, so that regions read as TVM's do.
//!
//! Promises: for all values of the variables that do not run, every value of the expression lies in the interval,
//! if nothing overflows. It may be wider than what is covered.

use smallvec::SmallVec;

use super::Analyzer;
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, Expr, VarId};
use crate::fold::{self, int};
use crate::stmt::Range;

/// `min ..= max`; an end that is missing is infinite.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicInterval {
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
}

/// The variables that run, and where. There are as many as loops are nested: few.
#[derive(Debug, Default)]
pub(crate) struct Domains(SmallVec<[(VarId, SymbolicInterval); 4]>);

impl Domains {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, var: VarId) -> bool {
        self.0.iter().any(|(known, _)| *known == var)
    }

    pub(crate) fn get(&self, var: VarId) -> Option<&SymbolicInterval> {
        self.0.iter().rev().find(|(known, _)| *known == var).map(|(_, domain)| domain)
    }

    /// What an `int32` sum or product of constants and of variables that run over constants covers, some variable among
    /// them; what [`Cover`] finds, without a node. `None` where that is no such expression, or a constant leaves its type.
    pub(crate) fn constants(&self, expr: &Expr) -> Option<(i64, i64)> {
        if self.is_empty() {
            return None;
        }
        let Covered { min, max, runs } = self.covered(expr, DEEPEST)?;
        runs.then_some((min, max))
    }

    /// As [`Domains::constants`], of a range that is not empty; or the constants that a constant range is.
    pub(crate) fn constants_of(&self, range: &Range) -> Option<(i64, i64)> {
        let Expr::Int(extent @ 1.., Dtype::INT32) = range.extent else { return None };
        let (min, max) = match range.min {
            Expr::Int(min, Dtype::INT32) => (min, min),
            ref min => self.constants(min)?,
        };
        let end = max.checked_add(extent)?;
        i32::try_from(end).is_ok().then_some((min, end - 1))
    }

    fn covered(&self, expr: &Expr, deeper: usize) -> Option<Covered> {
        match expr {
            &Expr::Int(value, Dtype::INT32) => Some(Covered { min: value, max: value, runs: false }),
            Expr::Var(var, _) => match self.get(*var)? {
                &SymbolicInterval {
                    min: Some(Expr::Int(min, Dtype::INT32)),
                    max: Some(Expr::Int(max, Dtype::INT32)),
                } => Some(Covered { min, max, runs: true }),
                _ => None,
            },
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), sides) => {
                let deeper = deeper.checked_sub(1)?;
                let (a, b) = (self.covered(&sides[0], deeper)?, self.covered(&sides[1], deeper)?);
                if !(a.runs || b.runs) {
                    return None;
                }
                let (min, max) = match op {
                    BinaryOp::Add => (a.min.checked_add(b.min)?, a.max.checked_add(b.max)?),
                    BinaryOp::Sub => (a.min.checked_sub(b.max)?, a.max.checked_sub(b.min)?),
                    _ => {
                        let (a, b) = if a.min == a.max { (b, a) } else { (a, b) };
                        if b.min != b.max || b.min < 0 {
                            return None;
                        }
                        (a.min.checked_mul(b.min)?, a.max.checked_mul(b.min)?)
                    }
                };
                let fits = |value: i64| i32::try_from(value).is_ok();
                (fits(min) && fits(max)).then_some(Covered { min, max, runs: true })
            }
            _ => None,
        }
    }

    /// Begins a scope where `var` runs over `domain`.
    pub(crate) fn push(&mut self, var: VarId, domain: SymbolicInterval) {
        self.0.push((var, domain));
    }

    /// Ends the innermost scope.
    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }
}

/// What an expression covers.
struct Covered {
    min: i64,
    max: i64,
    /// There is a variable in it that runs.
    runs: bool,
}

/// Deeper expressions are not looked into for constants.
const DEEPEST: usize = 100;

/// How many parts an end may have; TVM has no limit, and takes time that grows with the cube.
const LONGEST_END: usize = 256;

/// The expression has more parts than that.
fn is_longer(expr: &Expr, most: usize) -> bool {
    fn count(expr: &Expr, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        *left > 0 && expr.children().iter().all(|child| count(child, left))
    }
    !count(expr, &mut { most })
}

impl SymbolicInterval {
    const EVERYTHING: SymbolicInterval = SymbolicInterval { min: None, max: None };

    pub(crate) fn point(value: Expr) -> SymbolicInterval {
        SymbolicInterval { min: Some(value.clone()), max: Some(value) }
    }

    fn new(min: Expr, max: Expr) -> SymbolicInterval {
        SymbolicInterval { min: Some(min), max: Some(max) }
    }

    pub(crate) fn of_range(range: &Range) -> SymbolicInterval {
        match (&range.min, &range.extent) {
            (_, Expr::Int(1, _)) => return SymbolicInterval::point(range.min.clone()),
            (Expr::Int(0, _), Expr::Int(extent @ 1.., dtype)) => {
                return SymbolicInterval::new(range.min.clone(), Expr::Int(extent - 1, *dtype));
            }
            (&Expr::Int(min, Dtype::INT32), &Expr::Int(extent, Dtype::INT32)) => {
                let end = min.checked_add(extent).and_then(|end| fold::constant(end, Dtype::INT32));
                if let Some(Expr::Int(end, _)) = end {
                    return SymbolicInterval::new(range.min.clone(), Expr::int(end - 1));
                }
            }
            _ => {}
        }
        let end = fold::add(range.extent.clone(), range.min.clone());
        SymbolicInterval::new(range.min.clone(), fold::sub(end, Expr::int(1)))
    }

    /// The one value, when both ends are the same object.
    fn value(&self) -> Option<&Expr> {
        match (&self.min, &self.max) {
            (Some(min), Some(max)) if fold::same(min, max) => Some(min),
            _ => None,
        }
    }

    /// Becomes the hull of both, with simplified ends.
    pub(crate) fn extend(&mut self, other: &SymbolicInterval, analyzer: &mut Analyzer) {
        let mut extend = |op: BinaryOp, end: &mut Option<Expr>, other: &Option<Expr>| {
            match (&mut *end, other) {
                (Some(Expr::Int(a, _)), Some(Expr::Int(b, _))) => {
                    *a = if op == BinaryOp::Min { *b.min(a) } else { *b.max(a) };
                    return;
                }
                (Some(a), Some(b)) if fold::equal(a, b) => {
                    if !analyzer.is_final(a) {
                        *a = analyzer.simplify(a);
                    }
                }
                (Some(a), Some(b)) => {
                    *a = analyzer
                        .end_of_constants(op, a, b)
                        .unwrap_or_else(|| analyzer.simplify(&fold::binary(op, a.clone(), b.clone())));
                }
                _ => *end = None,
            }
            // The hull of very many unrelated intervals is all there is: its ends would be as long as the program.
            if end.as_ref().is_some_and(|end| is_longer(end, LONGEST_END)) {
                *end = None;
            }
        };
        extend(BinaryOp::Min, &mut self.min, &other.min);
        extend(BinaryOp::Max, &mut self.max, &other.max);
    }

    /// What lies in both, with simplified ends.
    pub(crate) fn intersection(&self, other: &SymbolicInterval, analyzer: &mut Analyzer) -> SymbolicInterval {
        let mut end = |op: BinaryOp, a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
            (Some(a), Some(b)) => Some(analyzer.simplify(&fold::binary(op, a.clone(), b.clone()))),
            (Some(end), None) | (None, Some(end)) => Some(analyzer.simplify(end)),
            (None, None) => None,
        };
        SymbolicInterval {
            min: end(BinaryOp::Max, &self.min, &other.min),
            max: end(BinaryOp::Min, &self.max, &other.max),
        }
    }

    /// `min ..= max` of `int32`.
    pub(crate) fn of_constants((min, max): (i64, i64)) -> SymbolicInterval {
        SymbolicInterval::new(Expr::int(min), Expr::int(max))
    }

    /// Both ends are constants.
    pub(crate) fn is_constant(&self) -> bool {
        matches!((&self.min, &self.max), (Some(Expr::Int(..)), Some(Expr::Int(..))))
    }

    /// The ends are constants that leave no value.
    pub(crate) fn is_empty(&self) -> bool {
        matches!((&self.min, &self.max), (Some(Expr::Int(min, _)), Some(Expr::Int(max, _))) if min > max)
    }

    /// As a range, where both ends are constants of one type that has their distance.
    #[inline]
    pub(crate) fn constant_range(&self) -> Option<Range> {
        let (&Some(Expr::Int(first, dtype)), &Some(Expr::Int(last, of))) = (&self.min, &self.max) else {
            return None;
        };
        let extent = last.checked_sub(first)?.checked_add(1)?;
        let extent = if dtype == of { fold::constant(extent, dtype)? } else { return None };
        Some(Range { min: Expr::Int(first, dtype), extent })
    }

    /// As [`SymbolicInterval::range`], but where both ends are provably one value it stays as it is.
    pub(crate) fn point_or_range(&self, whole: &Expr, analyzer: &mut Analyzer) -> Range {
        let (Some(min), Some(max)) = (&self.min, &self.max) else { return self.range(whole, analyzer) };
        let point = || Range { min: min.clone(), extent: Expr::Int(1, min.dtype()) };
        if let Some(range) = self.constant_range() {
            return range;
        }
        if fold::equal(min, max) {
            return point();
        }
        match analyzer.distance(min, max) {
            Some(0) => point(),
            None if analyzer.can_prove_equal(min, max) => point(),
            distance => range_of(min, max, distance, whole, analyzer),
        }
    }

    /// As a range with simplified ends; `whole` when an end is infinite.
    pub(crate) fn range(&self, whole: &Expr, analyzer: &mut Analyzer) -> Range {
        match (&self.min, &self.max) {
            (Some(min), Some(max)) => range_of(min, max, analyzer.distance(min, max), whole, analyzer),
            _ => Range { min: Expr::int(0), extent: whole.clone() },
        }
    }
}

/// `min ..= max` with simplified ends; `distance` is `max - min`, where it is a constant. `whole` where constant ends
/// are further apart than their type can say.
fn range_of(min: &Expr, max: &Expr, distance: Option<i64>, whole: &Expr, analyzer: &mut Analyzer) -> Range {
    let distance = match (min, max) {
        (Expr::Int(first, _), Expr::Int(last, _)) => last.checked_sub(*first),
        _ => distance,
    };
    let length = distance.and_then(|distance| distance.checked_add(1));
    if let Some(extent) = length.and_then(|length| fold::constant(length, min.dtype())) {
        return Range { min: analyzer.simplify(min), extent };
    }
    if min.as_int().is_some() && max.as_int().is_some() {
        return Range { min: Expr::int(0), extent: whole.clone() };
    }
    let end = fold::add(max.clone(), Expr::int(1));
    let extent = analyzer.simplify(&fold::sub(end, min.clone()));
    Range { min: analyzer.simplify(min), extent }
}

/// Covers expressions while the variables of `domains` run.
pub(crate) struct Cover<'d> {
    pub(crate) domains: &'d Domains,
    /// Knows nothing of any variable.
    pub(crate) analyzer: &'d mut Analyzer,
    depth: usize,
}

impl<'d> Cover<'d> {
    pub(crate) fn new(domains: &'d Domains, analyzer: &'d mut Analyzer) -> Cover<'d> {
        Cover { domains, analyzer, depth: 0 }
    }

    /// The interval from the least value of `min` to the greatest of `max`.
    fn interval(&mut self, interval: &SymbolicInterval) -> SymbolicInterval {
        if interval.is_constant() {
            return interval.clone();
        }
        if let Some(value) = interval.value() {
            return self.expr(value);
        }
        let min = interval.min.as_ref().and_then(|min| self.expr(min).min);
        let max = interval.max.as_ref().and_then(|max| self.expr(max).max);
        SymbolicInterval { min, max }
    }

    /// The interval that `range` covers, its ends not simplified.
    pub(crate) fn plain_range(&mut self, range: &Range) -> SymbolicInterval {
        let interval = SymbolicInterval::of_range(range);
        let stays = self.domains.is_empty() || (self.stays(&range.min) && self.stays(&range.extent));
        if stays { interval } else { self.interval(&interval) }
    }

    /// The interval that `range` covers.
    pub(crate) fn range(&mut self, range: &Range) -> SymbolicInterval {
        if let (Expr::Int(..), Expr::Int(..)) = (&range.min, &range.extent) {
            return SymbolicInterval::of_range(range);
        }
        if self.analyzer.can_prove_equal(&range.extent, &Expr::int(1)) {
            return self.expr(&range.min);
        }
        let last = fold::sub(fold::add(range.min.clone(), range.extent.clone()), Expr::int(1));
        let last = self.analyzer.simplify(&last);
        self.interval(&SymbolicInterval::new(range.min.clone(), last))
    }

    /// The interval of an expression.
    pub(crate) fn expr(&mut self, expr: &Expr) -> SymbolicInterval {
        if self.domains.is_empty() || self.depth > 200 {
            let fixed = self.depth <= 200 || !self.runs(expr);
            return if fixed { SymbolicInterval::point(expr.clone()) } else { SymbolicInterval::EVERYTHING };
        }
        if self.stays(expr) {
            return SymbolicInterval::point(expr.clone());
        }
        self.depth += 1;
        let result = self.node(expr);
        self.depth -= 1;
        result
    }

    /// Operators of constants and of variables that do not run.
    fn stays(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Int(..) => true,
            Expr::Var(var, _) => !self.domains.contains(*var),
            Expr::Binary(_, sides) => self.stays(&sides[0]) && self.stays(&sides[1]),
            _ => false,
        }
    }

    fn runs(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Var(var, _) if self.domains.contains(*var))
            || expr.children().iter().any(|child| self.runs(child))
    }

    fn node(&mut self, expr: &Expr) -> SymbolicInterval {
        match expr {
            Expr::Int(..) => SymbolicInterval::point(expr.clone()),
            Expr::Var(var, _) => match self.domains.get(*var) {
                None => SymbolicInterval::point(expr.clone()),
                Some(domain) => self.interval(domain),
            },
            Expr::Binary(op, sides) => {
                let (a, b) = (self.expr(&sides[0]), self.expr(&sides[1]));
                let unmoved = |set: &SymbolicInterval, side: &Expr| {
                    set.value().is_some_and(|value| fold::same(value, side))
                };
                if unmoved(&a, &sides[0]) && unmoved(&b, &sides[1]) {
                    return SymbolicInterval::point(expr.clone());
                }
                self.combine(*op, a, b, &sides[0])
            }
            Expr::Select(parts) => {
                let (then, otherwise) = (self.expr(&parts[1]), self.expr(&parts[2]));
                let end = |op, a: Option<Expr>, b: Option<Expr>| Some(fold::binary(op, a?, b?));
                SymbolicInterval {
                    min: end(BinaryOp::Min, otherwise.min, then.min),
                    max: end(BinaryOp::Max, otherwise.max, then.max),
                }
            }
            Expr::Cast(dtype, inner) => {
                let set = self.expr(inner);
                match set.value() {
                    Some(value) => SymbolicInterval::point(fold::cast(*dtype, value.clone())),
                    None => {
                        let cast = |end: Option<Expr>| end.map(|end| fold::cast(*dtype, end));
                        SymbolicInterval { min: cast(set.min), max: cast(set.max) }
                    }
                }
            }
            Expr::Load(load) if load.dtype.is_integer() && !self.runs(expr) => {
                SymbolicInterval::point(expr.clone())
            }
            _ => SymbolicInterval::EVERYTHING,
        }
    }

    fn combine(
        &mut self,
        op: BinaryOp,
        a: SymbolicInterval,
        b: SymbolicInterval,
        dividend: &Expr,
    ) -> SymbolicInterval {
        use BinaryOp::*;
        if let (Some(x), Some(y)) = (a.value(), b.value()) {
            return SymbolicInterval::point(fold::binary(op, x.clone(), y.clone()));
        }
        let join = |x: Option<Expr>, y: Option<Expr>| Some(fold::binary(op, x?, y?));
        match op {
            Add | Min | Max => SymbolicInterval { min: join(a.min, b.min), max: join(a.max, b.max) },
            Sub => SymbolicInterval { min: join(a.min, b.max), max: join(a.max, b.min) },
            Mul => {
                let (a, b) = if a.value().is_some() { (b, a) } else { (a, b) };
                match b.value() {
                    Some(factor) => self.scaled(Mul, a, factor),
                    None => SymbolicInterval::EVERYTHING,
                }
            }
            Div | FloorDiv => match b.value() {
                Some(divisor) if divisor.as_int() != Some(0) => self.scaled(op, a, divisor),
                _ => SymbolicInterval::EVERYTHING,
            },
            FloorMod | Mod => match b.value() {
                Some(divisor) => self.remainder(op, a, divisor, dividend),
                None => SymbolicInterval::EVERYTHING,
            },
            And | Or => SymbolicInterval::new(Expr::bool(false), Expr::bool(true)),
            _ if op.is_comparison() => SymbolicInterval::new(Expr::bool(false), Expr::bool(true)),
            _ => SymbolicInterval::EVERYTHING,
        }
    }

    /// `a * factor` or `a / factor` for one factor.
    fn scaled(&mut self, op: BinaryOp, a: SymbolicInterval, factor: &Expr) -> SymbolicInterval {
        if factor.as_int() == Some(1) {
            return a;
        }
        if factor.as_int() == Some(0) {
            return SymbolicInterval::point(factor.clone());
        }
        let apply = |end: Option<Expr>| Some(fold::binary(op, end?, factor.clone()));
        let (min, max) = (apply(a.min), apply(a.max));
        if factor.as_int() > Some(0) {
            return SymbolicInterval { min, max };
        }
        let bounds = {
            let simple = self.analyzer.simplify(factor);
            self.analyzer.const_bounds(&simple)
        };
        if bounds.0 >= Some(0) {
            return SymbolicInterval { min, max };
        }
        if bounds.1.is_some_and(|max| max < 0) {
            return SymbolicInterval { min: max, max: min };
        }
        match (min, max) {
            (Some(low), Some(high)) => {
                let sign = fold::ge(factor.clone(), Expr::Int(0, factor.dtype()));
                let min = fold::select(sign.clone(), low.clone(), high.clone());
                SymbolicInterval::new(min, fold::select(sign, high, low))
            }
            _ => SymbolicInterval::EVERYTHING,
        }
    }

    fn remainder(
        &mut self,
        op: BinaryOp,
        a: SymbolicInterval,
        divisor: &Expr,
        dividend: &Expr,
    ) -> SymbolicInterval {
        let dtype: Dtype = divisor.dtype();
        let Some(modulus) = divisor.as_int() else {
            return SymbolicInterval::EVERYTHING;
        };
        if modulus <= 0 {
            return SymbolicInterval::EVERYTHING;
        }
        let zero = Expr::Int(0, dtype);
        if op == BinaryOp::Mod {
            return match a.min.as_ref().map(|min| self.analyzer.const_bounds(min).0) {
                Some(Some(min)) if min >= 0 => SymbolicInterval::new(zero, Expr::Int(modulus - 1, dtype)),
                _ => SymbolicInterval::new(Expr::Int(1 - modulus, dtype), Expr::Int(modulus - 1, dtype)),
            };
        }
        if let (Some(min), Some(max)) = (&a.min, &a.max) {
            let low = fold::floor_div(min.clone(), divisor.clone());
            let high = fold::floor_div(max.clone(), divisor.clone());
            if self.analyzer.can_prove(&fold::eq(high, low.clone())) {
                let base = fold::mul(divisor.clone(), low);
                return SymbolicInterval::new(
                    fold::sub(min.clone(), base.clone()),
                    fold::sub(max.clone(), base),
                );
            }
        }
        let (step, base) = self.analyzer.residues(dividend);
        if step > 0 {
            let common = int::gcd(step, modulus);
            if common > 1 {
                let greatest = modulus - common + base.rem_euclid(common);
                return SymbolicInterval::new(zero, Expr::Int(greatest, dtype));
            }
        }
        SymbolicInterval::new(zero, Expr::Int(modulus - 1, dtype))
    }
}
