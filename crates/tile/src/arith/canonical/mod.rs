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
use super::rewrite::Mode;
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, Expr};
use crate::fold::{self, int, is_index};

mod quotient;

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
