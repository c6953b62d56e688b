//! Operators that fold constants as they build, as TVM's operators do.
//!
//! For: the front end (the text `3 - 3` outside `T.Sub` is the constant 0), the pipelining pass (its indices are
//! built with these: `i - 0` is `i`, `i - 3 + 16` stays) and the simplifier.
//!
//! Promises: the same foldings as TVM 0.27 and no more. Folded are: two constants; `x + 0`, `0 + x`, `x - 0`,
//! `x * 1`, `x * 0`, `0 // x`, `x // 1`, `x % 1`, `0 % x`; `and`/`or`/`not` with a constant side; a conversion of
//! a constant or to its own type; `if_then_else` of a constant. Not folded: `x - x`, `0 - x`, `x + 1 + 1`; float16
//! and narrower floats; `%` on types that are no index (int32, int64). `min`/`max` of one and the same object is
//! that object; of two equal ones it is not.
//!
//! Deviations: where TVM wraps around or aborts (a result outside of its type, a division by zero), the operator is
//! left as it stands.

use std::sync::Arc;

use crate::dtype::{Dtype, Element};
use crate::expr::{BinaryOp, Expr};

pub(crate) mod int {
    //! Integer division and its relatives, checked.

    /// Quotient rounded down; `None` on division by zero or overflow.
    pub(crate) fn floor_div(a: i64, b: i64) -> Option<i64> {
        let quotient = a.checked_div(b)?;
        if a % b != 0 && (a < 0) != (b < 0) { quotient.checked_sub(1) } else { Some(quotient) }
    }

    /// Remainder of [`floor_div`]: it has the divisor's sign.
    pub(crate) fn floor_mod(a: i64, b: i64) -> Option<i64> {
        let rest = a.checked_rem(b)?;
        if rest != 0 && (rest < 0) != (b < 0) { Some(rest + b) } else { Some(rest) }
    }

    /// Greatest common divisor, never negative; of 0 and `b` it is `|b|`.
    pub(crate) fn gcd(a: i64, b: i64) -> i64 {
        let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        i64::try_from(a).unwrap_or(i64::MAX)
    }
}

/// The types index arithmetic is done in; the simplifier's rules hold for these.
pub(crate) fn is_index(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::Element(Element::I32 | Element::I64))
}

/// The values of an integer type (or `bool`), clipped to `i64`; `None` for other types.
pub(crate) fn integer_range(dtype: Dtype) -> Option<(i64, i64)> {
    let element = dtype.element()?;
    match element {
        Element::I32 => return Some((i64::from(i32::MIN), i64::from(i32::MAX))),
        Element::I64 => return Some((i64::MIN, i64::MAX)),
        Element::Bool => return Some((0, 1)),
        _ => {}
    }
    if !dtype.is_integer() {
        return None;
    }
    use wavemark_numerics::dtype::Kind;
    let bits = element.bits();
    Some(match element.kind() {
        Kind::Signed => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
        _ if bits >= 63 => (0, i64::MAX),
        _ => (0, (1i64 << bits) - 1),
    })
}

/// An integer constant of a type, when the type has that value.
pub(crate) fn constant(value: i64, dtype: Dtype) -> Option<Expr> {
    if dtype == Dtype::INT32 {
        return i32::try_from(value).is_ok().then_some(Expr::Int(value, dtype));
    }
    let (low, high) = integer_range(dtype)?;
    (low..=high).contains(&value).then_some(Expr::Int(value, dtype))
}

/// One and the same object: what TVM tells by the address.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Binary(op, left), Expr::Binary(other, right)) => op == other && Arc::ptr_eq(left, right),
        (Expr::Not(left), Expr::Not(right)) => Arc::ptr_eq(left, right),
        (Expr::Cast(to, left), Expr::Cast(other, right)) => to == other && Arc::ptr_eq(left, right),
        (Expr::Select(left), Expr::Select(right)) => Arc::ptr_eq(left, right),
        (Expr::Load(left), Expr::Load(right)) => Arc::ptr_eq(left, right),
        (Expr::Call(left), Expr::Call(right)) => Arc::ptr_eq(left, right),
        (Expr::Int(left, ty), Expr::Int(right, other)) => left == right && ty == other,
        (Expr::Float(left, ty), Expr::Float(right, other)) => {
            left.to_bits() == right.to_bits() && ty == other
        }
        (Expr::Var(left, _), Expr::Var(right, _)) => left == right,
        (Expr::Data(left), Expr::Data(right)) => left == right,
        (Expr::Str(left), Expr::Str(right)) => Arc::ptr_eq(left, right),
        _ => false,
    }
}

/// Structurally equal; shared parts are not looked into.
pub(crate) fn equal(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Binary(op, left), Expr::Binary(other, right)) => {
            op == other
                && (Arc::ptr_eq(left, right) || (equal(&left[0], &right[0]) && equal(&left[1], &right[1])))
        }
        (Expr::Not(left), Expr::Not(right)) => Arc::ptr_eq(left, right) || equal(left, right),
        (Expr::Cast(to, left), Expr::Cast(other, right)) => {
            to == other && (Arc::ptr_eq(left, right) || equal(left, right))
        }
        (Expr::Var(left, _), Expr::Var(right, _)) => left == right,
        (Expr::Int(left, ty), Expr::Int(right, other)) => left == right && ty == other,
        _ => same(a, b) || a == b,
    }
}

/// The value of a constant, or of an operator of two constants.
pub(crate) fn value(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Binary(op, sides) => match &**sides {
            [a @ Expr::Int(..), b @ Expr::Int(..)] => try_binary(*op, a, b)?.as_int(),
            _ => None,
        },
        _ => expr.as_int(),
    }
}

/// The folded result of `a op b`, when TVM folds it. Both sides have one type.
pub(crate) fn try_binary(op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
    use BinaryOp::*;
    if !matches!(op, Min | Max)
        && a.as_int().is_none()
        && b.as_int().is_none()
        && !(is_float(a) || is_float(b))
    {
        return None;
    }
    match op {
        Add | Sub | Mul | Div | FloorDiv => arithmetic(op, a, b),
        Mod | FloorMod => remainder(op, a, b),
        Min | Max => {
            let left = match (a, b) {
                (Expr::Int(x, _), Expr::Int(y, _)) => x <= y,
                (Expr::Float(x, _), Expr::Float(y, _)) => x <= y,
                _ => return same(a, b).then(|| a.clone()),
            };
            Some(if left == (op == Min) { a.clone() } else { b.clone() })
        }
        Eq | Ne | Lt | Le | Gt | Ge => {
            let order = match (a, b) {
                (Expr::Int(x, _), Expr::Int(y, _)) => Some(x.cmp(y)),
                (Expr::Float(x, _), Expr::Float(y, _)) => x.partial_cmp(y),
                _ => return None,
            };
            use std::cmp::Ordering::*;
            Some(Expr::bool(match op {
                Eq => order == Some(Equal),
                Ne => order != Some(Equal),
                Lt => order == Some(Less),
                Le => matches!(order, Some(Less | Equal)),
                Gt => order == Some(Greater),
                _ => matches!(order, Some(Greater | Equal)),
            }))
        }
        And => match (a.as_int(), b.as_int()) {
            (Some(0), _) => Some(a.clone()),
            (Some(_), _) => Some(b.clone()),
            (_, Some(0)) => Some(b.clone()),
            (_, Some(_)) => Some(a.clone()),
            _ => None,
        },
        Or => match (a.as_int(), b.as_int()) {
            (Some(0), _) => Some(b.clone()),
            (Some(_), _) => Some(a.clone()),
            (_, Some(0)) => Some(a.clone()),
            (_, Some(_)) => Some(b.clone()),
            _ => None,
        },
        BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight => bits(op, a, b),
    }
}

fn is_float(expr: &Expr) -> bool {
    matches!(expr, Expr::Float(..))
}

fn arithmetic(op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
    use BinaryOp::*;
    match (a, b) {
        (Expr::Int(x, dtype), Expr::Int(y, _)) => {
            let value = match op {
                Add => x.checked_add(*y),
                Sub => x.checked_sub(*y),
                Mul => x.checked_mul(*y),
                Div => x.checked_div(*y),
                _ => int::floor_div(*x, *y),
            };
            return constant(value?, *dtype);
        }
        (Expr::Float(x, dtype), Expr::Float(y, _)) => {
            if matches!(op, Div | FloorDiv) && *y == 0.0 {
                return None;
            }
            let value = match dtype {
                Dtype::Element(Element::F32) => {
                    let (x, y) = (*x as f32, *y as f32);
                    f64::from(match op {
                        Add => x + y,
                        Sub => x - y,
                        Mul => x * y,
                        Div => x / y,
                        _ => (x / y).floor(),
                    })
                }
                Dtype::Element(Element::F64) => match op {
                    Add => x + y,
                    Sub => x - y,
                    Mul => x * y,
                    Div => x / y,
                    _ => (x / y).floor(),
                },
                _ => return neutral(op, a, b),
            };
            return Some(Expr::Float(value, *dtype));
        }
        _ => {}
    }
    neutral(op, a, b)
}

/// Foldings with one constant side, zero or one.
fn neutral(op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let is = |expr: &Expr, value: i64| match expr {
        Expr::Int(x, _) => *x == value,
        Expr::Float(x, _) => *x == value as f64,
        _ => false,
    };
    let (keep_a, keep_b) = match op {
        BinaryOp::Add => (is(b, 0), is(a, 0)),
        BinaryOp::Sub => (is(b, 0), false),
        BinaryOp::Mul => (is(b, 1) || is(a, 0), is(a, 1) || is(b, 0)),
        _ => (is(b, 1) || (is(a, 0) && !is(b, 0)), false),
    };
    if keep_b {
        Some(b.clone())
    } else if keep_a {
        Some(a.clone())
    } else {
        None
    }
}

fn remainder(op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let dtype = a.dtype();
    if !is_index(dtype) {
        return match (a, b) {
            (Expr::Int(x, ty), Expr::Int(y, _)) if *x >= 0 && *y > 0 && op == BinaryOp::FloorMod => {
                let unsigned = integer_range(*ty)?.0 == 0;
                unsigned.then_some(Expr::Int(x % y, *ty))
            }
            _ => None,
        };
    }
    match (a.as_int(), b.as_int()) {
        (Some(x), Some(y)) => {
            let value = if op == BinaryOp::Mod { x.checked_rem(y) } else { int::floor_mod(x, y) };
            constant(value?, dtype)
        }
        (Some(0), None) => Some(a.clone()),
        (None, Some(1)) => Some(Expr::Int(0, dtype)),
        _ => None,
    }
}

/// TVM folds bit operations on index types only, where it also drops a shift by zero.
fn bits(op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
    if !is_index(a.dtype()) {
        return None;
    }
    if matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) && b.as_int() == Some(0) {
        return Some(a.clone());
    }
    let (x, y) = (a.as_int()?, b.as_int()?);
    let value = match op {
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
        BinaryOp::ShiftRight if (0..64).contains(&y) => x >> y,
        BinaryOp::ShiftLeft if (0..63).contains(&y) => x.checked_mul(1 << y)?,
        _ => return None,
    };
    constant(value, a.dtype())
}

/// `a op b` with TVM's foldings. Sides of different types are brought to one first, as TVM's operators do: the
/// wider integer, the float rather than the integer.
pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let (a, b) = match_types(a, b);
    try_binary(op, &a, &b).unwrap_or_else(|| Expr::binary(op, a, b))
}

fn match_types(a: Expr, b: Expr) -> (Expr, Expr) {
    let (left, right) = (a.dtype(), b.dtype());
    if left == right {
        return (a, b);
    }
    let (Some(x), Some(y)) = (left.element(), right.element()) else { return (a, b) };
    let rank = |dtype: Dtype, element: Element| (dtype.is_float(), element.bits());
    if rank(left, x) >= rank(right, y) { (a, cast(left, b)) } else { (cast(right, a), b) }
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {
        $($(#[$doc])* pub fn $name(a: Expr, b: Expr) -> Expr {
            binary(BinaryOp::$op, a, b)
        })*
    };
}

operators! {
    /// `a + b`.
    add Add;
    /// `a - b`.
    sub Sub;
    /// `a * b`.
    mul Mul;
    /// `a / b`: truncating on integers.
    div Div;
    /// The remainder of [`div`].
    trunc_mod Mod;
    /// `a // b`.
    floor_div FloorDiv;
    /// `a % b`.
    floor_mod FloorMod;
    /// `T.min(a, b)`.
    min Min;
    /// `T.max(a, b)`.
    max Max;
    /// `a == b`.
    eq Eq;
    /// `a != b`.
    ne Ne;
    /// `a < b`.
    lt Lt;
    /// `a <= b`.
    le Le;
    /// `a > b`.
    gt Gt;
    /// `a >= b`.
    ge Ge;
    /// `a and b`.
    and And;
    /// `a or b`.
    or Or;
    /// `a & b`.
    bit_and BitAnd;
    /// `a | b`.
    bit_or BitOr;
    /// `a ^ b`.
    bit_xor BitXor;
    /// `a << b`.
    shift_left ShiftLeft;
    /// `a >> b`.
    shift_right ShiftRight;
}

/// `not a`.
pub fn not(a: Expr) -> Expr {
    match a.as_int() {
        Some(value) => Expr::bool(value == 0),
        None => Expr::Not(Arc::new(a)),
    }
}

/// `T.if_then_else(condition, then, otherwise)`; a constant condition chooses.
pub fn if_then_else(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    match condition.as_int() {
        Some(0) => otherwise,
        Some(_) => then,
        None => {
            let dtype = then.dtype();
            Expr::call("if_then_else", dtype, vec![condition, then, otherwise])
        }
    }
}

/// `T.Select(condition, then, otherwise)`. As in TVM nothing is folded here: the simplifier does.
pub fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Select(Arc::new([condition, then, otherwise]))
}

/// `T.Cast(dtype, value)`: nothing when the type is that already; a constant is converted where the type has its
/// value.
pub fn cast(dtype: Dtype, value: Expr) -> Expr {
    if value.dtype() == dtype {
        return value;
    }
    try_cast(dtype, &value).unwrap_or_else(|| Expr::Cast(dtype, Arc::new(value)))
}

/// The converted constant.
pub(crate) fn try_cast(dtype: Dtype, value: &Expr) -> Option<Expr> {
    match value {
        Expr::Int(x, _) if dtype.is_float() => Some(Expr::Float(*x as f64, dtype)),
        Expr::Int(x, _) if dtype == Dtype::BOOL => Some(Expr::bool(*x != 0)),
        Expr::Int(x, _) => constant(*x, dtype),
        Expr::Float(x, _) if dtype.is_float() => Some(Expr::Float(*x, dtype)),
        Expr::Float(x, _) if x.abs() < 9e15 && dtype.is_integer() => constant(x.trunc() as i64, dtype),
        _ => None,
    }
}
