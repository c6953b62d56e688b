//! Python's arithmetic on its own numbers: `3 - 3` in the text is 0 before TVM sees it. Integers beyond 64 bits and
//! divisions by zero are refused with a message.

use ruff_python_ast::{CmpOp, Operator};

use crate::value::Value;

/// A Python number.
#[derive(Clone, Copy)]
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn of(value: &Value) -> Option<Number> {
        match value {
            Value::Bool(value) => Some(Number::Int(i64::from(*value))),
            Value::Int(value) => Some(Number::Int(*value)),
            Value::Float(value) => Some(Number::Float(*value)),
            _ => None,
        }
    }

    fn float(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        }
    }
}

/// `left op right` where both are Python numbers; `None` where they are not.
pub fn binary(op: Operator, left: &Value, right: &Value) -> Option<Result<Value, String>> {
    if let (Value::Bool(left), Value::Bool(right)) = (left, right) {
        match op {
            Operator::BitAnd => return Some(Ok(Value::Bool(left & right))),
            Operator::BitOr => return Some(Ok(Value::Bool(left | right))),
            Operator::BitXor => return Some(Ok(Value::Bool(left ^ right))),
            _ => {}
        }
    }
    let (left, right) = (Number::of(left)?, Number::of(right)?);
    Some(match (left, right) {
        (Number::Int(left), Number::Int(right)) if !(op == Operator::Pow && right < 0) => {
            integers(op, left, right)
        }
        _ => floats(op, left.float(), right.float()),
    })
}

fn integers(op: Operator, left: i64, right: i64) -> Result<Value, String> {
    let shift = || u32::try_from(right).map_err(|_| "negative or huge shift count".to_owned());
    let nonzero = || if right == 0 { Err("division by zero".to_owned()) } else { Ok(()) };
    let result = match op {
        Operator::Add => left.checked_add(right),
        Operator::Sub => left.checked_sub(right),
        Operator::Mult => left.checked_mul(right),
        Operator::Div => {
            nonzero()?;
            return Ok(Value::Float(left as f64 / right as f64));
        }
        Operator::FloorDiv => {
            nonzero()?;
            floor_div(left, right)
        }
        Operator::Mod => {
            nonzero()?;
            floor_div(left, right).and_then(|quotient| left.checked_sub(quotient.checked_mul(right)?))
        }
        Operator::Pow => u32::try_from(right).ok().and_then(|right| left.checked_pow(right)),
        Operator::LShift => {
            let wide = i128::from(left).checked_shl(shift()?).filter(|_| right < 64 || left == 0);
            wide.and_then(|wide| i64::try_from(wide).ok())
        }
        Operator::RShift => Some(left >> shift()?.min(63)),
        Operator::BitAnd => Some(left & right),
        Operator::BitOr => Some(left | right),
        Operator::BitXor => Some(left ^ right),
        Operator::MatMult => return Err("`@` has no meaning here".to_owned()),
    };
    result.map(Value::Int).ok_or_else(|| "the result does not fit into 64 bits".to_owned())
}

fn floor_div(left: i64, right: i64) -> Option<i64> {
    let quotient = left.checked_div(right)?;
    let inexact = left.checked_rem(right)? != 0;
    if inexact && (left < 0) != (right < 0) { quotient.checked_sub(1) } else { Some(quotient) }
}

fn floats(op: Operator, left: f64, right: f64) -> Result<Value, String> {
    let nonzero = || if right == 0.0 { Err("division by zero".to_owned()) } else { Ok(()) };
    let result = match op {
        Operator::Add => left + right,
        Operator::Sub => left - right,
        Operator::Mult => left * right,
        Operator::Div => {
            nonzero()?;
            left / right
        }
        Operator::FloorDiv => {
            nonzero()?;
            (left / right).floor()
        }
        Operator::Mod => {
            nonzero()?;
            left - right * (left / right).floor()
        }
        Operator::Pow => left.powf(right),
        _ => return Err(format!("`{op}` needs integers")),
    };
    Ok(Value::Float(result))
}

/// `left op right` where both are Python values that can be compared; `None` where they are not.
pub fn compare(op: CmpOp, left: &Value, right: &Value) -> Option<bool> {
    use std::cmp::Ordering;
    let order = match (left, right) {
        (Value::Str(left), Value::Str(right)) => Some(left.cmp(right)),
        (Value::None, Value::None) => Some(Ordering::Equal),
        _ => match (Number::of(left)?, Number::of(right)?) {
            (Number::Int(left), Number::Int(right)) => Some(left.cmp(&right)),
            (left, right) => left.float().partial_cmp(&right.float()),
        },
    };
    Some(match op {
        CmpOp::Eq | CmpOp::Is => order == Some(Ordering::Equal),
        CmpOp::NotEq | CmpOp::IsNot => order != Some(Ordering::Equal),
        CmpOp::Lt => order == Some(Ordering::Less),
        CmpOp::LtE => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        CmpOp::Gt => order == Some(Ordering::Greater),
        CmpOp::GtE => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        CmpOp::In | CmpOp::NotIn => return None,
    })
}
