//! TVM's operators on expressions: operands are brought to one type, constants are folded (by
//! [`wavemark_tile::fold`]).
//!
//! The types (found by experiment with TVM 0.27): with a float and an integer the float's; of two floats the wider,
//! of two as wide the left one's; of two integers the wider, of two as wide the unsigned one; a constant that is not
//! negative takes an unsigned type. A bool becomes the other's type.

use ruff_python_ast::Operator;
use wavemark_tile::{BinaryOp, Dtype, Element, Expr, fold};

/// `left op right` for an operator of Python.
pub fn python_operator(op: Operator, left: Expr, right: Expr) -> Result<Expr, String> {
    let op = match op {
        Operator::Add => BinaryOp::Add,
        Operator::Sub => BinaryOp::Sub,
        Operator::Mult => BinaryOp::Mul,
        Operator::Div => BinaryOp::Div,
        Operator::FloorDiv => BinaryOp::FloorDiv,
        Operator::Mod => BinaryOp::FloorMod,
        Operator::LShift => BinaryOp::ShiftLeft,
        Operator::RShift => BinaryOp::ShiftRight,
        Operator::BitAnd => BinaryOp::BitAnd,
        Operator::BitOr => BinaryOp::BitOr,
        Operator::BitXor => BinaryOp::BitXor,
        Operator::Pow => return Err("unsupported: `**` of an expression; write `T.pow`".into()),
        Operator::MatMult => return Err("unsupported: `@`".into()),
    };
    if op == BinaryOp::Div && !left.dtype().is_float() && !right.dtype().is_float() {
        return Err("`/` of two integers is ambiguous; write `//` or `T.truncdiv`".into());
    }
    arithmetic(op, left, right)
}

/// `left op right` with TVM's conversions and folding.
pub fn arithmetic(op: BinaryOp, left: Expr, right: Expr) -> Result<Expr, String> {
    for side in [&left, &right] {
        if side.dtype().element().is_none() {
            return Err(format!("an operand of type {}, expected a number", side.dtype()));
        }
    }
    let (left, right) = same_type(left, right);
    check(op, &left, &right)?;
    Ok(fold::binary(op, left, right))
}

/// As the operator's class makes it: `T.Add(a, b)`. No conversions, no folding.
pub fn exactly(op: BinaryOp, left: Expr, right: Expr) -> Result<Expr, String> {
    if left.dtype() != right.dtype() {
        return Err(format!("operands of types {} and {}, expected one type", left.dtype(), right.dtype()));
    }
    check(op, &left, &right)?;
    Ok(Expr::binary(op, left, right))
}

/// The operator exists for the type of its operands.
fn check(op: BinaryOp, left: &Expr, right: &Expr) -> Result<(), String> {
    use BinaryOp::*;
    let dtype = left.dtype();
    let fine = match op {
        Add | Sub | Mul | Div | Min | Max => dtype.is_integer() || dtype.is_float(),
        Mod | FloorDiv | FloorMod | ShiftLeft | ShiftRight => dtype.is_integer(),
        BitAnd | BitOr | BitXor => dtype.is_integer() || dtype == Dtype::BOOL,
        And | Or => dtype == Dtype::BOOL,
        Eq | Ne | Lt | Le | Gt | Ge => dtype.element().is_some(),
    };
    if !fine {
        return Err(format!("{op:?} of expressions of type {dtype}"));
    }
    if matches!(op, Div | Mod | FloorDiv | FloorMod) && dtype.is_integer() && right.as_int() == Some(0) {
        return Err("division by zero".into());
    }
    Ok(())
}

/// `-inner`: TVM multiplies by -1.
pub fn negate(inner: Expr) -> Result<Expr, String> {
    let dtype = inner.dtype();
    let minus_one = match dtype {
        _ if dtype.is_float() => Expr::Float(-1.0, dtype),
        _ if dtype.is_integer() && fits(-1, dtype) => Expr::Int(-1, dtype),
        _ => return Err(format!("`-` of an expression of type {dtype}")),
    };
    arithmetic(BinaryOp::Mul, inner, minus_one)
}

/// Both in one type.
pub fn same_type(left: Expr, right: Expr) -> (Expr, Expr) {
    let dtype = common_type(&left, &right);
    (fold::cast(dtype, left), fold::cast(dtype, right))
}

fn common_type(left: &Expr, right: &Expr) -> Dtype {
    let (a, b) = (left.dtype(), right.dtype());
    let unsigned = |dtype: Dtype| dtype.is_integer() && !fits(-1, dtype);
    let constant = |expr: &Expr| expr.as_int().is_some_and(|value| value >= 0);
    match (a, b) {
        _ if a == b => a,
        (Dtype::BOOL, other) | (other, Dtype::BOOL) => other,
        _ if a.is_float() && !b.is_float() => a,
        _ if b.is_float() && !a.is_float() => b,
        _ if unsigned(a) && !unsigned(b) && constant(right) && fits(right.as_int().unwrap_or(0), a) => a,
        _ if unsigned(b) && !unsigned(a) && constant(left) && fits(left.as_int().unwrap_or(0), b) => b,
        _ if bits(a) == bits(b) && a.is_integer() => {
            if unsigned(a) {
                a
            } else {
                b
            }
        }
        _ => wider(a, b),
    }
}

/// The one of more bits; of two as wide the first.
pub fn wider(a: Dtype, b: Dtype) -> Dtype {
    if bits(b) > bits(a) { b } else { a }
}

fn bits(dtype: Dtype) -> u32 {
    dtype.element().map_or(0, Element::bits)
}

/// The integer is one of the type (any is one of a float's).
pub fn fits(value: i64, dtype: Dtype) -> bool {
    let Some(element) = dtype.element() else { return false };
    dtype.is_float() || element.encode_integer(i128::from(value)).is_ok()
}
