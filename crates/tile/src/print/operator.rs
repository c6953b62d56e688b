//! Operators in TVMScript: which are written with a symbol, how tightly it binds, and when it must not be used.
//!
//! Python evaluates `0 % 2` before TVM sees it, and TVM's own operators fold constants as they build (`x + 0` is
//! `x`). A node that folding would change is therefore written as a constructor, `T.FloorMod(0, 2)`; the printer
//! decides as TVM's does, by asking whether the operator would leave the node as it is.

use crate::expr::{BinaryOp, Expr};
use crate::fold;
use crate::function::Dialect;

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

/// How an operator is written.
pub(super) fn spelling(op: BinaryOp, dialect: Dialect) -> Spelling {
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
        BinaryOp::BitAnd => (Some(("&", BIT_AND)), "BitwiseAnd"),
        BinaryOp::BitOr => (Some(("|", BIT_OR)), "BitwiseOr"),
        BinaryOp::BitXor => (Some(("^", BIT_XOR)), "BitwiseXor"),
        BinaryOp::ShiftLeft => (Some(("<<", SHIFT)), "LShift"),
        BinaryOp::ShiftRight => (Some((">>", SHIFT)), "RShift"),
    };
    let call = match op {
        BinaryOp::BitAnd => "bitwise_and",
        BinaryOp::BitOr => "bitwise_or",
        BinaryOp::BitXor => "bitwise_xor",
        BinaryOp::ShiftLeft => "shift_left",
        BinaryOp::ShiftRight => "shift_right",
        _ => return Spelling { symbol, constructor },
    };
    // The old dialect has no nodes for these, but calls of intrinsics.
    match dialect {
        Dialect::New => Spelling { symbol, constructor },
        Dialect::Old => Spelling { symbol: None, constructor: call },
    }
}

/// The symbol would not give this node back: TVM's operator folds it, or refuses it.
pub(super) fn folds(op: BinaryOp, left: &Expr, right: &Expr) -> bool {
    use BinaryOp::*;
    let dtype = left.dtype();
    if dtype != right.dtype() || fold::try_binary(op, left, right).is_some() {
        return true;
    }
    let zero = match right {
        Expr::Int(value, _) => *value == 0,
        Expr::Float(value, _) => *value == 0.0,
        _ => false,
    };
    // Constants whose result does not fit stay as they are here, where TVM wraps around.
    let constants = left.as_int().is_some() && right.as_int().is_some();
    match op {
        // `/` is for floats; TVM refuses it on integers.
        Div => dtype.is_integer() || zero,
        FloorDiv => !dtype.is_integer() || zero || constants,
        FloorMod => !dtype.is_integer() || zero,
        Add | Sub | Mul => constants,
        ShiftLeft | ShiftRight => constants && fold::is_index(dtype),
        _ => false,
    }
}
