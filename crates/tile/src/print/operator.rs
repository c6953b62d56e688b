//! Operators in TVMScript: which are written with a symbol, how tightly it binds, and when it must not be used.
//!
//! Python evaluates `0 % 2` before TVM sees it, and TVM's own operators fold constants as they build (`x + 0` is
//! `x`). A node that folding would change is therefore written as a constructor, `T.FloorMod(0, 2)`; the printer
//! decides as TVM's does, by asking whether the operator would leave the node as it is.

use crate::dtype::{Dtype, Element};
use crate::expr::{BinaryOp, Expr};

/// Python's binding strengths, weakest first.
pub(super) mod precedence {
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const NOT: u8 = 3;
    pub const COMPARISON: u8 = 4;
    pub const BIT_OR: u8 = 5;
    pub const BIT_XOR: u8 = 6;
    pub const BIT_AND: u8 = 7;
    pub const SHIFT: u8 = 8;
    pub const ADD: u8 = 9;
    pub const MULTIPLY: u8 = 10;
    pub const UNARY: u8 = 11;
    pub const ATOM: u8 = 12;
}

/// The symbol with its precedence, and the constructor that stands for it where the symbol would fold.
pub(super) struct Spelling {
    /// The symbol; `None`: always the constructor.
    pub symbol: Option<(&'static str, u8)>,
    /// The constructor, without `T.`.
    pub constructor: &'static str,
}

pub(super) fn spelling(op: BinaryOp) -> Spelling {
    use precedence::*;
    let (symbol, constructor) = match op {
        BinaryOp::Add => (Some(("+", ADD)), "Add"),
        BinaryOp::Sub => (Some(("-", ADD)), "Sub"),
        BinaryOp::Mul => (Some(("*", MULTIPLY)), "Mul"),
        BinaryOp::Div => (Some(("/", MULTIPLY)), "Div"),
        BinaryOp::Mod => (None, "truncmod"),
        BinaryOp::FloorDiv => (Some(("//", MULTIPLY)), "FloorDiv"),
        BinaryOp::FloorMod => (Some(("%", MULTIPLY)), "FloorMod"),
        BinaryOp::Min => (None, "min"),
        BinaryOp::Max => (None, "max"),
        BinaryOp::Eq => (Some(("==", COMPARISON)), "EQ"),
        BinaryOp::Ne => (Some(("!=", COMPARISON)), "NE"),
        BinaryOp::Lt => (Some(("<", COMPARISON)), "LT"),
        BinaryOp::Le => (Some(("<=", COMPARISON)), "LE"),
        BinaryOp::Gt => (Some((">", COMPARISON)), "GT"),
        BinaryOp::Ge => (Some((">=", COMPARISON)), "GE"),
        BinaryOp::And => (Some(("and", AND)), "And"),
        BinaryOp::Or => (Some(("or", OR)), "Or"),
        BinaryOp::BitAnd => (Some(("&", BIT_AND)), "bitwise_and"),
        BinaryOp::BitOr => (Some(("|", BIT_OR)), "bitwise_or"),
        BinaryOp::BitXor => (Some(("^", BIT_XOR)), "bitwise_xor"),
        BinaryOp::ShiftLeft => (Some(("<<", SHIFT)), "shift_left"),
        BinaryOp::ShiftRight => (Some((">>", SHIFT)), "shift_right"),
    };
    Spelling { symbol, constructor }
}

/// An operator that TVM before 0.23 prints as a call only.
pub(super) fn is_bitwise(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight)
}

/// The symbol would not give this node back: TVM's operator folds it, or refuses it.
pub(super) fn folds(op: BinaryOp, left: &Expr, right: &Expr) -> bool {
    use BinaryOp::*;
    let dtype = left.dtype();
    if dtype != right.dtype() {
        return true;
    }
    let ints = (left.as_int(), right.as_int());
    let floats = (as_float(left), as_float(right));
    let both = ints.0.is_some() && ints.1.is_some();
    let both_floats = floats.0.is_some() && floats.1.is_some();
    // TVM computes with float32 and float64 only.
    let folded_floats = both_floats && matches!(dtype, Dtype::Element(Element::F32 | Element::F64));
    let left_is = |value: i64| ints.0 == Some(value) || floats.0 == Some(value as f64);
    let right_is = |value: i64| ints.1 == Some(value) || floats.1 == Some(value as f64);
    match op {
        Add => both || folded_floats || left_is(0) || right_is(0),
        Sub => both || folded_floats || right_is(0),
        Mul => both || folded_floats || [0, 1].into_iter().any(|value| left_is(value) || right_is(value)),
        // `/` is for floats; TVM refuses it on integers.
        Div => dtype.is_integer() || folded_floats || left_is(0) || right_is(0) || right_is(1),
        FloorDiv => !dtype.is_integer() || both || left_is(0) || right_is(0) || right_is(1),
        FloorMod => {
            let unsigned =
                matches!(dtype, Dtype::Element(Element::U8 | Element::U16 | Element::U32 | Element::U64));
            let index = matches!(dtype, Dtype::Element(Element::I32 | Element::I64));
            !dtype.is_integer()
                || right_is(0)
                || both && (unsigned || index)
                || index && (left_is(0) || right_is(1))
        }
        Eq | Ne | Lt | Le | Gt | Ge => both || both_floats,
        And | Or => ints.0.is_some() || ints.1.is_some(),
        BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight => both,
        Mod | Min | Max => false,
    }
}

fn as_float(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Float(value, _) => Some(*value),
        _ => None,
    }
}

/// `left + right` as TVM's operator builds it: constants are added and zeros dropped.
///
/// Regions and loops keep a minimum and an extent; their text has the end.
pub(super) fn add(left: &Expr, right: &Expr) -> Expr {
    match (left, right) {
        (Expr::Int(a, dtype), Expr::Int(b, _)) => match a.checked_add(*b) {
            Some(sum) if sum == wrap(sum, *dtype) => Expr::Int(sum, *dtype),
            _ => Expr::binary(BinaryOp::Add, left.clone(), right.clone()),
        },
        (Expr::Int(0, _), _) => right.clone(),
        (_, Expr::Int(0, _)) => left.clone(),
        _ => Expr::binary(BinaryOp::Add, left.clone(), right.clone()),
    }
}

/// The value as `int32` keeps it; other types are as wide as the constant, or their constants are not ends.
fn wrap(value: i64, dtype: Dtype) -> i64 {
    if dtype == Dtype::INT32 { i64::from(value as i32) } else { value }
}
