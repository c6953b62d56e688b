//! The short way for what most indices are: sums of multiples of variables, and comparisons of such sums.
//!
//! Promises: what is found here, the long way ([`super::canonical`], [`super::rewrite`]) finds too; what is not such a
//! sum, or has constants outside of its type, goes the long way.

use smallvec::SmallVec;

use super::bounds::{Interval, NEG, POS};
use super::{Analyzer, Known, is_large};
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, Expr, VarId};
use crate::fold::{self, is_index};

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

    /// The simplified expression, where it is a sum in normal form, a constant or a decided comparison.
    pub(super) fn simplified_sum(&self, expr: &Expr) -> Option<Expr> {
        let Expr::Binary(op, sides) = expr else { return None };
        let dtype = sides[0].dtype();
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if is_index(dtype) => {
                self.linear(expr)?.written(dtype)
            }
            BinaryOp::Min | BinaryOp::Max => self.end_of_constants(*op, &sides[0], &sides[1]),
            op if op.is_comparison() => {
                self.decided(expr).map(Expr::bool).or_else(|| self.compared(*op, &sides[0], &sides[1]))
            }
            _ => None,
        }
    }

    /// The minimum or maximum of two expressions of one type, where both are constants, simplified.
    pub(super) fn end_of_constants(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
        let dtype = a.dtype();
        if dtype != b.dtype() || !is_index(dtype) {
            return None;
        }
        let large = |expr: &Expr| is_large(expr) || expr.children().iter().any(is_large);
        let constant = |expr: &Expr| match fold::value(expr) {
            Some(value) if !large(expr) => Some(value),
            _ => self.linear(expr)?.constant(),
        };
        let (a, b) = (constant(a)?, constant(b)?);
        fold::try_binary(op, &Expr::Int(a, dtype), &Expr::Int(b, dtype))
    }

    /// A comparison of `v`, `v + c` or `v - c` with a constant, which the range of `v` leaves open: all constants come to
    /// one side, and where the last value of the range is all that is left, it is equality.
    fn compared(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Expr> {
        if !self.is_without_conditions() {
            return None;
        }
        let (sum, bound, constant_first) = match (left, right) {
            (&Expr::Int(bound, Dtype::INT32), sum) => (sum, bound, true),
            (sum, &Expr::Int(bound, Dtype::INT32)) => (sum, bound, false),
            _ => return None,
        };
        let sum = self.linear(sum)?;
        let [(var, 1)] = sum.terms[..] else { return None };
        if sum.cancelled {
            return None;
        }
        let Known { interval: Some(range), value: None, comparisons, .. } = self.vars.get(&var)? else {
            return None;
        };
        if !comparisons.is_empty() || range.min == NEG || range.max == POS {
            return None;
        }
        let bound = bound.checked_sub(sum.offset)?;
        let (var, constant) = (Expr::Var(var, Dtype::INT32), fold::constant(bound, Dtype::INT32)?);
        let (op, var_first) = match op {
            BinaryOp::Lt | BinaryOp::Le => (op, !constant_first),
            BinaryOp::Gt => (BinaryOp::Lt, constant_first),
            BinaryOp::Ge => (BinaryOp::Le, constant_first),
            _ => return None,
        };
        let end = if var_first { range.min } else { range.max };
        let (op, var_first) =
            if op == BinaryOp::Le && bound == end { (BinaryOp::Eq, true) } else { (op, var_first) };
        let [left, right] = if var_first { [var, constant] } else { [constant, var] };
        Some(Expr::binary(op, left, right))
    }

    /// No condition holds at the place but those that ranges of variables say.
    fn is_without_conditions(&self) -> bool {
        self.facts.is_empty() && self.literals.is_empty() && self.comparisons.is_empty()
    }

    /// `to - from`, where it is a constant.
    pub(crate) fn distance(&self, from: &Expr, to: &Expr) -> Option<i64> {
        if from.dtype() != to.dtype() || !is_index(to.dtype()) {
            return None;
        }
        if let (Expr::Int(from, _), Expr::Int(to, _)) = (from, to) {
            return to.checked_sub(*from);
        }
        let mut sum = self.linear(to)?;
        sum.add(from, -1, self)?;
        sum.constant()
    }

    /// Whether a condition holds, where the ranges of single variables tell. Conditions of the place are left to the
    /// long way.
    pub(super) fn decided(&self, condition: &Expr) -> Option<bool> {
        match condition {
            Expr::Int(value, _) => Some(*value != 0),
            Expr::Not(inner) => self.decided(inner).map(|holds| !holds),
            Expr::Binary(BinaryOp::And, sides) => match (self.decided(&sides[0]), self.decided(&sides[1])) {
                (Some(true), other) | (other, Some(true)) => other,
                (Some(false), _) | (_, Some(false)) => Some(false),
                (None, None) => None,
            },
            Expr::Binary(op, sides) if op.is_comparison() && is_index(sides[0].dtype()) => {
                if !self.is_without_conditions() {
                    return None;
                }
                let mut difference = self.linear(&sides[0])?;
                difference.add(&sides[1], -1, self)?;
                let Interval { min, max } = self.interval_of_sum(&difference)?;
                match op {
                    BinaryOp::Lt => truth(max < 0, min >= 0),
                    BinaryOp::Le => truth(max <= 0, min > 0),
                    BinaryOp::Gt => truth(min > 0, max <= 0),
                    BinaryOp::Ge => truth(min >= 0, max < 0),
                    BinaryOp::Eq => truth(min == 0 && max == 0, min > 0 || max < 0),
                    _ => truth(min > 0 || max < 0, min == 0 && max == 0),
                }
            }
            _ => None,
        }
    }

    fn linear(&self, expr: &Expr) -> Option<Linear> {
        let mut sum = Linear::default();
        sum.add(expr, 1, self)?;
        Some(sum)
    }

    /// Where the sum lies, if every variable in it has a range.
    fn interval_of_sum(&self, sum: &Linear) -> Option<Interval> {
        let (mut min, mut max) = (sum.offset, sum.offset);
        for &(var, scale) in sum.terms.iter().filter(|term| term.1 != 0) {
            let range = self.vars.get(&var)?.interval?;
            if range.min == NEG || range.max == POS {
                return None;
            }
            let (a, b) = (range.min.checked_mul(scale)?, range.max.checked_mul(scale)?);
            (min, max) = (min.checked_add(a.min(b))?, max.checked_add(a.max(b))?);
        }
        Some(Interval { min, max })
    }

    fn has_value(&self, var: VarId) -> bool {
        self.has_values && matches!(self.vars.get(&var), Some(Known { value: Some(_), .. }))
    }
}

fn truth(holds: bool, fails: bool) -> Option<bool> {
    (holds || fails).then_some(holds)
}

/// `v0 * c0 + v1 * c1 + … + offset`, the variables in the order in which they came; the scale of one that went away
/// again is 0.
#[derive(Default)]
struct Linear {
    terms: SmallVec<[(VarId, i64); 4]>,
    offset: i64,
    /// Some variable went away, if only for a while: the canonical form then may order the others differently.
    cancelled: bool,
}

impl Linear {
    /// Adds `expr * scale`; `None` where that is no sum of this kind.
    fn add(&mut self, expr: &Expr, scale: i64, analyzer: &Analyzer) -> Option<()> {
        match expr {
            expr if is_large(expr) => return None,
            Expr::Int(value, dtype) => {
                let offset = self.offset.checked_add(value.checked_mul(scale)?)?;
                let Expr::Int(offset, _) = fold::constant(offset, *dtype)? else { return None };
                self.offset = offset;
            }
            Expr::Var(var, _) if !analyzer.has_value(*var) => {
                match self.terms.iter().position(|term| term.0 == *var) {
                    Some(place) => {
                        let term = &mut self.terms[place];
                        term.1 = term.1.checked_add(scale)?;
                        self.cancelled |= term.1 == 0;
                    }
                    None if self.terms.len() < MOST => self.terms.push((*var, scale)),
                    None => return None,
                }
            }
            Expr::Binary(op, sides) => match (op, &sides[0], &sides[1]) {
                (BinaryOp::Add, a, b) => {
                    self.add(a, scale, analyzer)?;
                    self.add(b, scale, analyzer)?;
                }
                (BinaryOp::Sub, a, b) => {
                    self.add(a, scale, analyzer)?;
                    self.add(b, scale.checked_neg()?, analyzer)?;
                }
                (_, Expr::Int(..), Expr::Int(..)) => {
                    self.add(&fold::try_binary(*op, &sides[0], &sides[1])?, scale, analyzer)?;
                }
                (BinaryOp::Mul, factor, constant @ Expr::Int(by, _))
                | (BinaryOp::Mul, constant @ Expr::Int(by, _), factor)
                    if *by != 0 && !is_large(constant) =>
                {
                    self.add(factor, scale.checked_mul(*by)?, analyzer)?;
                }
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }

    fn constant(&self) -> Option<i64> {
        self.terms.iter().all(|term| term.1 == 0).then_some(self.offset)
    }

    /// In normal form, as [`super::canonical`] writes it; `None` where that is no normal form.
    fn written(mut self, dtype: Dtype) -> Option<Expr> {
        self.terms.retain(|term| term.1 != 0);
        if self.cancelled && self.terms.len() > 1 {
            return None;
        }
        self.terms.sort_by_key(|term| std::cmp::Reverse(term.1));
        let term = |var: VarId, scale: i64| {
            let scale = fold::constant(scale, dtype)?;
            Some(fold::mul(Expr::Var(var, dtype), scale))
        };
        let offset = fold::constant(self.offset.checked_abs()?, dtype)?;
        let mut terms = self.terms.iter().copied().peekable();
        let Some((var, scale)) = terms.next() else { return fold::constant(self.offset, dtype) };
        if scale < 0 {
            return None;
        }
        let mut result = term(var, scale)?;
        while let Some((var, scale)) = terms.next_if(|term| term.1 > 0) {
            result = fold::add(result, term(var, scale)?);
        }
        if self.offset > 0 {
            result = fold::add(result, offset.clone());
        }
        for (var, scale) in terms {
            result = fold::sub(result, term(var, scale.checked_neg()?)?);
        }
        Some(if self.offset < 0 { fold::sub(result, offset) } else { result })
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
        if self.analyzer.has_value(*var) {
            return None;
        }
        self.seen[self.count] = *var;
        self.count += 1;
        Some(scale)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stmt::Range;

    fn sum() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![
            (0..3u32).prop_map(|var| Expr::Var(VarId(var), Dtype::INT32)),
            (-9..10i64).prop_map(Expr::int),
        ];
        leaf.prop_recursive(4, 12, 2, |inner| {
            use BinaryOp::*;
            let op = prop_oneof![4 => Just(Add), 4 => Just(Sub), 2 => Just(Mul), 1 => Just(FloorMod), 1 => Just(Min)];
            (op, inner.clone(), inner).prop_map(|(op, a, b)| Expr::binary(op, a, b))
        })
    }

    fn comparison() -> impl Strategy<Value = Expr> {
        use BinaryOp::*;
        let op = prop_oneof![Just(Lt), Just(Le), Just(Gt), Just(Ge), Just(Eq), Just(Ne)];
        (op, sum(), sum()).prop_map(|(op, a, b)| Expr::binary(op, a, b))
    }

    /// One variable is free, two run over ranges.
    fn analyzer() -> Analyzer {
        let mut analyzer = Analyzer::new();
        for (var, min, extent) in [(1, 0, 8), (2, 3, 120)] {
            analyzer.bind(VarId(var), &Range { min: Expr::int(min), extent: Expr::int(extent) });
        }
        analyzer
    }

    /// Of one variable and constants, near the ends of its range.
    fn comparison_of_one() -> impl Strategy<Value = Expr> {
        use BinaryOp::*;
        let op = prop_oneof![Just(Lt), Just(Le), Just(Gt), Just(Ge), Just(Eq), Just(Ne)];
        let sum = (prop_oneof![Just(None), Just(Some(Add)), Just(Some(Sub))], 0..3u32, -3..4i64);
        let bound = prop_oneof![-5..14i64, 115..130i64];
        (op, sum, bound, any::<bool>()).prop_map(|(op, (sign, var, by), bound, constant_first)| {
            let var = Expr::Var(VarId(var), Dtype::INT32);
            let sum = sign.map_or(var.clone(), |sign| Expr::binary(sign, var, Expr::int(by)));
            let (a, b) = if constant_first { (Expr::int(bound), sum) } else { (sum, Expr::int(bound)) };
            Expr::binary(op, a, b)
        })
    }

    proptest! {
        #[test]
        fn constants_come_to_one_side(expr in comparison_of_one()) {
            let mut analyzer = analyzer();
            analyzer.start();
            if let Some(short) = analyzer.simplified_sum(&expr) {
                prop_assert_eq!(short, analyzer.simplified(&expr));
            }
        }

        #[test]
        fn the_short_way_leads_where_the_long_one_does(expr in prop_oneof![sum(), comparison()]) {
            let mut analyzer = analyzer();
            analyzer.start();
            if let Some(short) = analyzer.simplified_sum(&expr) {
                prop_assert_eq!(short, analyzer.simplified(&expr));
            }
        }

        #[test]
        fn decisions_are_those_of_the_long_way(a in comparison(), b in comparison()) {
            for condition in [fold::not(a.clone()), fold::and(a.clone(), b), a] {
                let mut analyzer = analyzer();
                analyzer.start();
                if let Some(short) = analyzer.decided(&condition) {
                    prop_assert_eq!(short, analyzer.proves(&condition));
                }
            }
        }
    }
}
