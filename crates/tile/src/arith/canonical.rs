//! The canonical form of index arithmetic: a sum of splits and a constant.
//!
//! A split is `((index % upper) // lower) * scale`; a sum keeps splits of one index side by side, coarse to fine, so
//! that `x // 8 * 8 + x % 8` folds to `x`. Written out, a sum has its positive terms first, by falling scale, then
//! the constant if it is positive, then what is subtracted: hence `i + n - 3`, `k0 * 8 + ax1 + 24` and, for the
//! single term `-i`, `0 - i`.
//!
//! Promises: the value is kept for all values of the variables, unless `i64` or the type overflows; then the
//! analyzer's `overflow` is set and the result is not to be used. Follows TVM's `canonical_simplify`.

use smallvec::SmallVec;

use super::Analyzer;
use super::compare::Relations;
use super::rewrite::Mode;
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, Expr};
use crate::fold::{self, int, is_index};

/// No remainder is taken.
const UNLIMITED: i64 = i64::MAX;

/// How quotients and remainders round. The order counts: it sorts terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rounding {
    Truncate,
    Floor,
}

/// `((index % upper) // lower) * scale`.
#[derive(Clone, Debug)]
struct Split {
    index: Expr,
    lower: i64,
    upper: i64,
    scale: i64,
    rounding: Rounding,
}

/// `terms + base`.
#[derive(Clone, Debug)]
struct Sum {
    dtype: Dtype,
    terms: SmallVec<[Split; 4]>,
    base: i64,
}

/// What a node became.
enum Form {
    Plain(Expr),
    Split(Split),
    Sum(Sum),
}

impl Split {
    fn of(index: Expr) -> Split {
        Split { index, lower: 1, upper: UNLIMITED, scale: 1, rounding: Rounding::Truncate }
    }

    fn dtype(&self) -> Dtype {
        self.index.dtype()
    }

    fn rounds(&self, rounding: Rounding) -> bool {
        self.rounding == rounding || (self.lower == 1 && self.upper == UNLIMITED)
    }

    /// A negative scale may change sides: `(-x) // c` is `x // -c`, but `(-(x // d)) // c` is not `x // (-c * d)`.
    /// Truncation is symmetric.
    fn sign_moves(&self) -> bool {
        self.scale > 0 || self.lower == 1 || self.rounding == Rounding::Truncate
    }

    fn same_index(&self, other: &Split) -> bool {
        fold::equal(&self.index, &other.index)
    }
}

fn modulo(a: Expr, b: Expr, rounding: Rounding) -> Expr {
    if rounding == Rounding::Floor { fold::floor_mod(a, b) } else { fold::trunc_mod(a, b) }
}

fn quotient(a: Expr, b: Expr, rounding: Rounding) -> Expr {
    if rounding == Rounding::Floor { fold::floor_div(a, b) } else { fold::div(a, b) }
}

impl Sum {
    fn constant(dtype: Dtype, base: i64) -> Sum {
        Sum { dtype, terms: SmallVec::new(), base }
    }

    fn is_zero(&self) -> bool {
        self.base == 0 && self.terms.is_empty()
    }
}

impl Analyzer {
    /// The expression in canonical form, written out.
    pub(super) fn canonical(&mut self, expr: &Expr) -> Expr {
        let form = self.form(expr);
        self.written(form)
    }

    /// Visits a node without writing it out.
    fn form(&mut self, expr: &Expr) -> Form {
        if self.fuel == 0 || self.depth > 200 {
            return Form::Plain(expr.clone());
        }
        self.fuel -= 1;
        self.depth += 1;
        self.overflow |= super::is_large(expr);
        let form = match expr {
            Expr::Binary(op, sides) if is_index(expr.dtype()) => match op {
                BinaryOp::Add | BinaryOp::Sub => self.form_of_sum(*op, sides),
                BinaryOp::Mul => self.form_of_product(expr, sides),
                BinaryOp::FloorDiv | BinaryOp::Div => self.form_of_quotient(*op, expr, sides),
                BinaryOp::FloorMod | BinaryOp::Mod => self.form_of_remainder(*op, expr, sides),
                _ => Form::Plain(self.visit_node(expr, Mode::Canonical)),
            },
            Expr::Binary(BinaryOp::Lt, sides) if is_index(sides[0].dtype()) => {
                Form::Plain(self.canonical_less(expr, sides))
            }
            Expr::Cast(dtype, inner) if is_index(*dtype) && is_index(inner.dtype()) => {
                self.form_of_cast(*dtype, expr, inner)
            }
            _ => Form::Plain(self.visit_node(expr, Mode::Canonical)),
        };
        self.depth -= 1;
        form
    }

    fn written(&mut self, form: Form) -> Expr {
        match form {
            Form::Plain(expr) => expr,
            Form::Split(split) => self.write_split(&split, 1),
            Form::Sum(sum) => self.write_sum(sum),
        }
    }

    fn int(&mut self, value: i64, dtype: Dtype) -> Expr {
        fold::constant(value, dtype).unwrap_or_else(|| {
            self.overflow = true;
            Expr::Int(0, dtype)
        })
    }

    fn checked(&mut self, value: Option<i64>) -> i64 {
        value.unwrap_or_else(|| {
            self.overflow = true;
            1
        })
    }

    fn write_split(&mut self, split: &Split, scale: i64) -> Expr {
        let dtype = split.dtype();
        if split.scale == 0 {
            return Expr::Int(0, dtype);
        }
        let mut result = split.index.clone();
        if split.upper != UNLIMITED {
            result = modulo(result, self.int(split.upper, dtype), split.rounding);
        }
        if split.lower != 1 {
            result = quotient(result, self.int(split.lower, dtype), split.rounding);
        }
        let scale = self.checked(scale.checked_mul(split.scale));
        if scale != 1 {
            result = fold::mul(result, self.int(scale, dtype));
        }
        result
    }

    fn write_sum(&mut self, mut sum: Sum) -> Expr {
        let dtype = sum.dtype;
        if sum.terms.len() > 1 {
            self.merge_splits(&mut sum.terms);
            sum.terms.sort_by(|a, b| {
                let key = |split: &Split| (split.scale, split.lower, split.upper, split.rounding);
                key(b).cmp(&key(a))
            });
        }
        let mut result: Option<Expr> = None;
        for split in sum.terms.iter().filter(|split| split.scale > 0) {
            let term = self.write_split(split, 1);
            result = Some(match result {
                Some(result) => fold::add(result, term),
                None => term,
            });
        }
        let lowest = fold::integer_range(dtype).is_some_and(|(min, _)| min == sum.base);
        if sum.base > 0 || lowest {
            let base = self.int(sum.base, dtype);
            result = Some(match result {
                Some(result) => fold::add(result, base),
                None => base,
            });
        }
        let mut result = result.unwrap_or(Expr::Int(0, dtype));
        for split in sum.terms.iter().filter(|split| split.scale < 0) {
            let term = self.write_split(split, -1);
            result = fold::sub(result, term);
        }
        if sum.base < 0 && !lowest {
            let base = self.checked(sum.base.checked_neg());
            let base = self.int(base, dtype);
            result = fold::sub(result, base);
        }
        result
    }

    /// Joins splits of one index: equal ones, and `x // s * s + x % s`.
    fn merge_splits(&mut self, terms: &mut [Split]) {
        for i in 0..terms.len() {
            for j in i + 1..terms.len() {
                let (before, after) = terms.split_at_mut(j);
                let (left, right) = (&mut before[i], &mut after[0]);
                if left.scale == 0 || !left.same_index(right) || left.upper < right.lower {
                    break;
                }
                if left.upper == right.upper && left.lower == right.lower && left.rounds(right.rounding) {
                    right.scale = self.checked(right.scale.checked_add(left.scale));
                    left.scale = 0;
                } else if left.lower == right.upper
                    && left.scale.checked_rem(right.scale) == Some(0)
                    && (left.scale / right.scale).checked_mul(right.lower) == Some(left.lower)
                    && left.rounds(right.rounding)
                {
                    right.upper = left.upper;
                    left.scale = 0;
                    break;
                }
            }
        }
    }

    fn as_split(&mut self, form: Form) -> Split {
        match form {
            Form::Split(split) => split,
            Form::Sum(mut sum) if sum.base == 0 && sum.terms.len() == 1 => sum.terms.remove(0),
            other => Split::of(self.written(other)),
        }
    }

    fn as_sum(&mut self, form: Form) -> Sum {
        match form {
            Form::Sum(sum) => sum,
            Form::Plain(Expr::Int(value, dtype)) => Sum::constant(dtype, value),
            other => {
                let split = self.as_split(other);
                let mut sum = Sum::constant(split.dtype(), 0);
                sum.terms.push(split);
                sum
            }
        }
    }

    fn with_rounding(&mut self, mut split: Split, rounding: Rounding) -> Split {
        if !split.rounds(rounding) {
            split = Split::of(self.write_split(&split, 1));
        }
        split.rounding = rounding;
        split
    }

    /// `sum += split * scale`.
    fn add_split(&mut self, sum: &mut Sum, mut split: Split, scale: i64) {
        if split.scale == 0 {
            return;
        }
        split.scale = self.checked(split.scale.checked_mul(scale));
        let start = sum.terms.iter().position(|term| term.same_index(&split)).unwrap_or(sum.terms.len());
        for at in start..sum.terms.len() {
            let term = &mut sum.terms[at];
            if !term.same_index(&split) || split.lower > term.lower {
                sum.terms.insert(at, split);
                return;
            }
            if split.lower == term.lower && split.upper == term.upper && split.rounds(term.rounding) {
                let total = term.scale.checked_add(split.scale);
                term.scale = total.unwrap_or(1);
                self.overflow |= total.is_none();
                return;
            }
        }
        sum.terms.push(split);
    }

    fn add_constant(&mut self, sum: &mut Sum, value: Option<i64>) {
        sum.base = self.checked(value.and_then(|value| sum.base.checked_add(value)));
    }

    fn form_of_sum(&mut self, op: BinaryOp, sides: &[Expr; 2]) -> Form {
        let (a, b) = (self.form(&sides[0]), self.form(&sides[1]));
        match (&a, &b) {
            (Form::Plain(x @ Expr::Int(..)), Form::Plain(y @ Expr::Int(..))) => {
                let folded = fold::try_binary(op, x, y);
                self.overflow |= folded.is_none();
                return Form::Plain(folded.unwrap_or_else(|| x.clone()));
            }
            (Form::Plain(Expr::Int(0, _)), _) if op == BinaryOp::Add => return b,
            (_, Form::Plain(Expr::Int(0, _))) => return a,
            _ => {}
        }
        let scale = if op == BinaryOp::Add { 1 } else { -1 };
        let mut sum = self.as_sum(a);
        match b {
            Form::Plain(Expr::Int(value, _)) => self.add_constant(&mut sum, value.checked_mul(scale)),
            Form::Sum(other) => {
                for split in other.terms {
                    self.add_split(&mut sum, split, scale);
                }
                self.add_constant(&mut sum, other.base.checked_mul(scale));
            }
            other => {
                let split = self.as_split(other);
                self.add_split(&mut sum, split, scale);
            }
        }
        Form::Sum(sum)
    }

    fn form_of_product(&mut self, expr: &Expr, sides: &[Expr; 2]) -> Form {
        let (a, b) = (self.form(&sides[0]), self.form(&sides[1]));
        let (a, b) = if matches!(a, Form::Plain(Expr::Int(..))) { (b, a) } else { (a, b) };
        if let Form::Plain(Expr::Int(scale, dtype)) = b {
            if scale == 1 {
                return a;
            }
            if scale == 0 {
                return Form::Plain(Expr::Int(0, dtype));
            }
            return match a {
                Form::Plain(Expr::Int(value, _)) => {
                    let value = self.checked(value.checked_mul(scale));
                    Form::Plain(self.int(value, dtype))
                }
                Form::Sum(mut sum) => {
                    sum.base = self.checked(sum.base.checked_mul(scale));
                    for split in &mut sum.terms {
                        split.scale = self.checked(split.scale.checked_mul(scale));
                    }
                    Form::Sum(sum)
                }
                other => {
                    let mut split = self.as_split(other);
                    split.scale = self.checked(split.scale.checked_mul(scale));
                    Form::Split(split)
                }
            };
        }
        let (a, b) = (self.written(a), self.written(b));
        let result = self.product(&a, &b, expr.dtype());
        if let Expr::Binary(BinaryOp::Mul, parts) = &result
            && fold::same(&parts[0], &sides[0])
            && fold::same(&parts[1], &sides[1])
        {
            return Form::Plain(expr.clone());
        }
        Form::Plain(result)
    }

    /// `a * b` as `((x * y) * z) * constant`.
    fn product(&mut self, a: &Expr, b: &Expr, dtype: Dtype) -> Expr {
        let (mut factors, mut scale) = (Vec::new(), Some(1));
        unpack(a, &mut factors, &mut scale);
        unpack(b, &mut factors, &mut scale);
        let scale = self.checked(scale);
        let mut result = Expr::Int(1, dtype);
        for factor in factors {
            result = fold::mul(result, factor);
        }
        if scale != 1 { fold::mul(result, self.int(scale, dtype)) } else { result }
    }

    /// The terms that `divisor` divides, and the rest.
    fn separate(&self, sum: &Sum, divisor: i64) -> (Sum, Sum) {
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

    fn form_of_quotient(&mut self, op: BinaryOp, expr: &Expr, sides: &[Expr; 2]) -> Form {
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

    fn form_of_remainder(&mut self, op: BinaryOp, expr: &Expr, sides: &[Expr; 2]) -> Form {
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

    /// `a < b` with a common divisor of the scales taken out, where the rest is too small to count.
    fn canonical_less(&mut self, expr: &Expr, sides: &[Expr; 2]) -> Expr {
        let difference = fold::sub(sides[0].clone(), sides[1].clone());
        let form = self.form(&difference);
        if let Form::Sum(sum) = form
            && let Some(result) = self.divided_less(&sum)
        {
            return result;
        }
        self.visit_node(expr, Mode::Canonical)
    }

    fn divided_less(&mut self, sum: &Sum) -> Option<Expr> {
        let scales = sum.terms.iter().map(|split| split.scale).filter(|scale| !(-1..=1).contains(scale));
        let common = scales.clone().fold(sum.base, int::gcd);
        if scales.count() == 0 || common <= 1 {
            return None;
        }
        let (mut whole, rest) = self.separate(sum, common);
        let dtype = sum.dtype;
        let rest_expr = self.write_sum(rest.clone());
        let zero = Expr::Int(0, dtype);
        let limit = self.int(common, dtype);
        whole.base /= common;
        for split in &mut whole.terms {
            split.scale /= common;
        }
        if self.proves(&fold::lt(rest_expr.clone(), limit)) && self.proves(&fold::ge(rest_expr, zero.clone()))
        {
            let whole = self.write_sum(whole);
            let less = fold::lt(whole, zero);
            return Some(self.form_again(&less));
        }
        let [split] = &rest.terms[..] else { return None };
        let lower = common.checked_mul(split.lower)?;
        let fits = rest.base == 0 && split.scale == 1 && split.upper != UNLIMITED && split.upper % lower == 0;
        if !fits || split.rounding != Rounding::Floor {
            return None;
        }
        let (lower_expr, upper) = (self.int(lower, dtype), self.int(split.upper / lower, dtype));
        let term = fold::floor_mod(fold::floor_div(split.index.clone(), lower_expr), upper);
        let whole = self.write_sum(whole);
        let less = fold::lt(fold::add(whole, term), zero);
        Some(self.form_again(&less))
    }

    fn form_again(&mut self, expr: &Expr) -> Expr {
        let form = self.form(expr);
        self.written(form)
    }

    /// A conversion goes to the terms, where it cannot lose anything.
    fn form_of_cast(&mut self, dtype: Dtype, expr: &Expr, inner: &Expr) -> Form {
        let form = self.form(inner);
        let sum = match form {
            Form::Sum(sum) => sum,
            Form::Split(split) => {
                let mut sum = Sum::constant(split.dtype(), 0);
                sum.terms.push(split);
                sum
            }
            Form::Plain(_) => return Form::Plain(self.visit_node(expr, Mode::Canonical)),
        };
        if !self.cast_is_safe(dtype, &sum) {
            return Form::Plain(self.visit_node(expr, Mode::Canonical));
        }
        let terms =
            sum.terms.into_iter().map(|split| Split { index: fold::cast(dtype, split.index), ..split });
        Form::Sum(Sum { dtype, terms: terms.collect(), base: sum.base })
    }

    /// The value, and every part that is computed on the way to it, fits.
    fn cast_is_safe(&mut self, dtype: Dtype, sum: &Sum) -> bool {
        let bits = |dtype: Dtype| dtype.element().map_or(0, |element| element.bits());
        if bits(dtype) >= bits(sum.dtype) {
            return true;
        }
        let Some((low, high)) = fold::integer_range(dtype) else { return false };
        let fits = |expr: &Expr, analyzer: &mut Analyzer| {
            let bounds = analyzer.interval(expr);
            bounds.min >= low && bounds.max <= high
        };
        let whole = self.write_sum(sum.clone());
        if !fits(&whole, self) || !(low..=high).contains(&sum.base) {
            return false;
        }
        let mut partial = Expr::Int(0, sum.dtype);
        for split in &sum.terms {
            let term = self.write_split(split, 1);
            partial = fold::add(partial, term.clone());
            if !fits(&split.index, self) || !fits(&term, self) || !fits(&partial, self) {
                return false;
            }
        }
        true
    }
}

/// The factors of a product that are not constant, and the product of those that are.
fn unpack(expr: &Expr, factors: &mut Vec<Expr>, scale: &mut Option<i64>) {
    match expr {
        Expr::Binary(BinaryOp::Mul, sides) => sides.iter().for_each(|side| unpack(side, factors, scale)),
        Expr::Int(value, _) => *scale = scale.and_then(|scale| scale.checked_mul(*value)),
        other => factors.push(other.clone()),
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
