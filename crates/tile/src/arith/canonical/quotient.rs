//! Quotients and remainders in canonical form.
//!
//! By a constant: what the divisor divides leaves a sum, what is known to be smaller than it vanishes, and splits of
//! splits join: `x // 2 // 4` is `x // 8`, `x % 8 % 4` is `x % 4`. By anything else: common factors cancel.

use super::super::compare::Relations;
use super::super::rewrite::Mode;
use super::{Analyzer, Form, Rounding, Split, Sum, UNLIMITED, modulo, unpack};
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, Expr};
use crate::fold::{self, int};

impl Analyzer {
    /// The terms that `divisor` divides, and the rest.
    pub(super) fn separate(&self, sum: &Sum, divisor: i64) -> (Sum, Sum) {
        let (mut divisible, mut rest) = (Sum::constant(sum.dtype, 0), Sum::constant(sum.dtype, 0));
        if sum.base % divisor == 0 {
            divisible.base = sum.base;
        } else {
            rest.base = sum.base;
        }
        for split in &sum.terms {
            let part = if split.scale % divisor == 0 { &mut divisible } else { &mut rest };
            part.terms.push(split.clone());
        }
        (divisible, rest)
    }

    fn divide_split(&mut self, split: Split, divisor: i64, rounding: Rounding) -> Split {
        let mut split = self.with_rounding(split, rounding);
        if split.scale % divisor == 0 {
            split.scale /= divisor;
            return split;
        }
        if divisor % split.scale == 0 && split.sign_moves() {
            let lower = self.checked(split.lower.checked_mul(divisor / split.scale));
            if split.upper == UNLIMITED || split.upper.checked_rem(lower) == Some(0) {
                split.scale = 1;
                split.lower = lower;
                return split;
            }
            let vanishes = match rounding {
                Rounding::Truncate => split.upper.saturating_abs() <= lower.saturating_abs(),
                Rounding::Floor => split.upper > 0 && split.upper <= lower,
            };
            if vanishes {
                return Split::of(Expr::Int(0, split.dtype()));
            }
            let upper = self.int(split.upper, split.dtype());
            let index = modulo(split.index, upper, rounding);
            return Split { index, lower, upper: UNLIMITED, scale: 1, rounding };
        }
        let index = self.write_split(&split, 1);
        Split { lower: divisor, rounding, ..Split::of(index) }
    }

    pub(super) fn form_of_quotient(&mut self, op: BinaryOp, expr: &Expr, sides: &[Expr; 2]) -> Form {
        let rounding = if op == BinaryOp::FloorDiv { Rounding::Floor } else { Rounding::Truncate };
        let (a, b) = (self.form(&sides[0]), self.form(&sides[1]));
        if let Some(folded) = folded(op, &a, &b) {
            return folded;
        }
        if let Form::Plain(Expr::Int(divisor, _)) = b
            && divisor > 0
        {
            return self.quotient_by(a, divisor, rounding);
        }
        let (mut a, mut b) = (self.written(a), self.written(b));
        if self.cancel_factors(&mut a, &mut b).is_some() {
            return Form::Plain(fold::binary(op, a, b));
        }
        if fold::same(&a, &sides[0]) && fold::same(&b, &sides[1]) {
            return Form::Plain(expr.clone());
        }
        Form::Plain(Expr::binary(op, a, b))
    }

    fn quotient_by(&mut self, a: Form, divisor: i64, rounding: Rounding) -> Form {
        if divisor == 1 {
            return a;
        }
        match a {
            Form::Sum(sum) => {
                let (whole, rest) = self.separate(&sum, divisor);
                let split_off = rest.is_zero() || rounding == Rounding::Floor || {
                    let (whole, rest) = (self.write_sum(whole.clone()), self.write_sum(rest.clone()));
                    self.proves_at_least(&whole, 0) && self.proves_at_least(&rest, 0)
                };
                if split_off {
                    return Form::Sum(self.quotient_of_sum(whole, rest, divisor, rounding));
                }
                let split = self.as_split(Form::Sum(sum));
                Form::Split(self.divide_split(split, divisor, rounding))
            }
            other => {
                let dtype = match &other {
                    Form::Split(split) => split.dtype(),
                    Form::Plain(expr) => expr.dtype(),
                    Form::Sum(sum) => sum.dtype,
                };
                let split = self.as_split(other);
                let index = self.write_split(&split, 1);
                let bounds = self.interval(&index);
                if bounds.min >= 0 && bounds.max < divisor {
                    return Form::Plain(Expr::Int(0, dtype));
                }
                if let Some(result) = self.quotient_of_remainder(&split, divisor, rounding) {
                    return Form::Plain(result);
                }
                Form::Split(self.divide_split(split, divisor, rounding))
            }
        }
    }

    /// `whole / divisor + rest // divisor`.
    fn quotient_of_sum(&mut self, mut whole: Sum, rest: Sum, divisor: i64, rounding: Rounding) -> Sum {
        whole.base /= divisor;
        for split in &mut whole.terms {
            split.scale /= divisor;
        }
        if rest.is_zero() {
            return whole;
        }
        let rest = self.write_sum(rest);
        if let Some(value) = rest.as_int() {
            let value = if rounding == Rounding::Floor {
                int::floor_div(value, divisor)
            } else {
                Some(value / divisor)
            };
            self.add_constant(&mut whole, value);
            return whole;
        }
        let small = self.compare_value(&rest, divisor, Mode::Canonical) == Relations::LT
            && (rounding == Rounding::Truncate || self.proves_at_least(&rest, 0));
        if !small {
            let split = self.divide_split(Split::of(rest), divisor, rounding);
            self.add_split(&mut whole, split, 1);
        }
        whole
    }

    /// `(index % (m * divisor)) // divisor` is `(index // divisor) % m`, where that frees a part of the index.
    fn quotient_of_remainder(&mut self, split: &Split, divisor: i64, rounding: Rounding) -> Option<Expr> {
        let applies = rounding == Rounding::Floor
            && split.lower == 1
            && split.scale == 1
            && split.upper != UNLIMITED
            && split.upper % divisor == 0
            && split.rounds(Rounding::Floor);
        if !applies {
            return None;
        }
        let Form::Sum(sum) = self.form(&split.index) else { return None };
        let (whole, rest) = self.separate(&sum, divisor);
        if whole.is_zero() {
            return None;
        }
        let quotient = self.quotient_of_sum(whole, rest, divisor, rounding);
        let quotient = self.write_sum(quotient);
        let modulus = self.int(split.upper / divisor, split.dtype());
        Some(self.visit(&fold::floor_mod(quotient, modulus), Mode::Canonical))
    }

    fn remainder_of_split(&mut self, split: Split, divisor: i64, rounding: Rounding) -> Split {
        let mut split = self.with_rounding(split, rounding);
        if split.scale % divisor == 0 {
            split.scale = 0;
            return split;
        }
        if divisor % split.scale == 0 && split.sign_moves() {
            let upper = self.checked(split.lower.checked_mul(divisor / split.scale));
            if split.upper == UNLIMITED || split.upper.checked_rem(upper) == Some(0) {
                if upper >= split.upper || split.upper == UNLIMITED {
                    split.upper = upper;
                    return split;
                }
                let dtype = split.dtype();
                let smaller = modulo(split.index.clone(), self.int(upper, dtype), rounding);
                let smaller = self.visit(&smaller, Mode::Canonical);
                let mut result = Split::of(smaller);
                if split.lower != 1 {
                    result = self.divide_split(result, split.lower, rounding);
                }
                result.scale = self.checked(result.scale.checked_mul(split.scale));
                return result;
            }
            // What is left is smaller than the divisor, and not negative where that counts.
            let positive = split.scale > 0 && split.lower > 0 && split.upper > 0;
            if (positive || rounding == Rounding::Truncate) && upper.checked_rem(split.upper) == Some(0) {
                return split;
            }
        }
        let index = self.write_split(&split, 1);
        Split { upper: divisor, rounding, ..Split::of(index) }
    }

    pub(super) fn form_of_remainder(&mut self, op: BinaryOp, expr: &Expr, sides: &[Expr; 2]) -> Form {
        let rounding = if op == BinaryOp::FloorMod { Rounding::Floor } else { Rounding::Truncate };
        let (a, b) = (self.form(&sides[0]), self.form(&sides[1]));
        if let Some(folded) = folded(op, &a, &b) {
            return folded;
        }
        if let Form::Plain(Expr::Int(divisor, dtype)) = b
            && divisor > 0
            && divisor != UNLIMITED
        {
            return self.remainder_by(a, divisor, dtype, rounding);
        }
        let (mut a, mut b) = (self.written(a), self.written(b));
        if let Some(common) = self.cancel_factors(&mut a, &mut b) {
            return Form::Plain(fold::mul(fold::binary(op, a, b), common));
        }
        if fold::same(&a, &sides[0]) && fold::same(&b, &sides[1]) {
            return Form::Plain(expr.clone());
        }
        Form::Plain(Expr::binary(op, a, b))
    }

    fn remainder_by(&mut self, a: Form, divisor: i64, dtype: Dtype, rounding: Rounding) -> Form {
        let mut sum = match a {
            Form::Sum(sum) => sum,
            other => {
                let split = self.as_split(other);
                let index = self.write_split(&split, 1);
                let bounds = self.interval(&index);
                if bounds.min >= 0 && bounds.max < divisor {
                    return if split.lower == 1 && split.upper == UNLIMITED && split.scale == 1 {
                        Form::Plain(split.index)
                    } else {
                        Form::Split(split)
                    };
                }
                return Form::Split(self.remainder_of_split(split, divisor, rounding));
            }
        };
        let (whole, rest) = self.separate(&sum, divisor);
        if rest.is_zero() {
            return Form::Plain(Expr::Int(0, dtype));
        }
        let rest_expr = self.write_sum(rest.clone());
        let drops = rounding == Rounding::Floor || {
            let whole = self.write_sum(whole);
            self.proves_at_least(&whole, 0) && self.proves_at_least(&rest_expr, 0)
        };
        if drops {
            if let Some(value) = rest_expr.as_int() {
                let value = if rounding == Rounding::Floor {
                    int::floor_mod(value, divisor)
                } else {
                    Some(value % divisor)
                };
                let value = self.checked(value);
                return Form::Plain(self.int(value, dtype));
            }
            if self.compare_value(&rest_expr, divisor, Mode::Canonical) == Relations::LT
                && (rounding == Rounding::Truncate || self.proves_at_least(&rest_expr, 0))
            {
                return Form::Plain(rest_expr);
            }
            sum = rest;
        }
        if rounding == Rounding::Floor {
            sum.base = int::floor_mod(sum.base, divisor).unwrap_or(0);
        } else {
            let expr = self.write_sum(sum.clone());
            let bounds = self.interval(&expr);
            let base = sum.base % divisor;
            if bounds.min >= 0
                && bounds.min.checked_sub(sum.base).and_then(|min| min.checked_add(base)) >= Some(0)
            {
                sum.base = base;
            }
        }
        let split = self.as_split(Form::Sum(sum));
        Form::Split(self.remainder_of_split(split, divisor, rounding))
    }

    /// Removes common factors of a dividend and a divisor that is not constant; returns their product.
    fn cancel_factors(&mut self, a: &mut Expr, b: &mut Expr) -> Option<Expr> {
        if b.as_int().is_some() {
            return None;
        }
        let dtype = b.dtype();
        let (mut left, mut left_scale) = (Vec::new(), Some(1));
        let (mut right, mut right_scale) = (Vec::new(), Some(1));
        unpack(a, &mut left, &mut left_scale);
        unpack(b, &mut right, &mut right_scale);
        let (left_scale, right_scale) = (left_scale?, right_scale?);
        let mut left: Vec<Option<Expr>> = left.into_iter().map(Some).collect();
        let (mut common, mut rest) = (Expr::Int(1, dtype), Expr::Int(1, dtype));
        let mut found = false;
        for factor in right {
            let twin =
                left.iter_mut().find(|other| matches!(other, Some(other) if fold::equal(other, &factor)));
            match twin {
                Some(twin) => {
                    *twin = None;
                    found = true;
                    common = fold::mul(common, factor);
                }
                None => rest = fold::mul(rest, factor),
            }
        }
        let scale = int::gcd(left_scale, right_scale);
        if scale == 0 || (!found && scale == 1) {
            return None;
        }
        let mut dividend = Expr::Int(1, dtype);
        for factor in left.into_iter().flatten() {
            dividend = fold::mul(dividend, factor);
        }
        *a = fold::mul(dividend, self.int(left_scale / scale, dtype));
        *b = fold::mul(rest, self.int(right_scale / scale, dtype));
        Some(fold::mul(common, self.int(scale, dtype)))
    }
}

/// Constant folding of a quotient or a remainder.
fn folded(op: BinaryOp, a: &Form, b: &Form) -> Option<Form> {
    match (a, b) {
        (Form::Plain(x @ Expr::Int(..)), Form::Plain(y @ Expr::Int(..))) => {
            let folded = fold::try_binary(op, x, y);
            Some(Form::Plain(folded.unwrap_or_else(|| Expr::binary(op, x.clone(), y.clone()))))
        }
        (Form::Plain(zero @ Expr::Int(0, _)), _) => Some(Form::Plain(zero.clone())),
        _ => None,
    }
}
