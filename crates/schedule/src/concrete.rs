//! Integer expressions with numbers for their variables.

use rustc_hash::FxHashMap;
use wavemark_tile::{BinaryOp, Expr, VarId};

/// Numbers for variables.
pub type Values = FxHashMap<VarId, i64>;

/// The value of an integer or `bool` expression; `None` when a variable has no number, when it reads memory or calls
/// what is not arithmetic, on division by zero and on overflow of 64 bits.
pub fn value(expr: &Expr, values: &Values) -> Option<i64> {
    match expr {
        Expr::Int(value, _) => Some(*value),
        Expr::Var(var, _) => values.get(var).copied(),
        Expr::Not(inner) => Some(i64::from(value(inner, values)? == 0)),
        Expr::Cast(dtype, inner) if dtype.is_integer() => value(inner, values),
        Expr::Select(parts) => choose(&parts[0], &parts[1], &parts[2], values),
        Expr::Call(call) => match (&*call.op, call.args.as_slice()) {
            ("if_then_else", [condition, then, otherwise]) => choose(condition, then, otherwise, values),
            ("likely", [inner]) => value(inner, values),
            _ => None,
        },
        Expr::Binary(op, sides) => binary(*op, &sides[0], &sides[1], values),
        Expr::Float(..) | Expr::Str(_) | Expr::Cast(..) | Expr::Load(_) | Expr::Data(_) => None,
    }
}

fn choose(condition: &Expr, then: &Expr, otherwise: &Expr, values: &Values) -> Option<i64> {
    match value(condition, values)? {
        0 => value(otherwise, values),
        _ => value(then, values),
    }
}

fn binary(op: BinaryOp, left: &Expr, right: &Expr, values: &Values) -> Option<i64> {
    use BinaryOp::*;
    // One side may decide alone, whatever the other one reads.
    if let And | Or = op {
        let decides = i64::from(op == Or);
        return match (value(left, values).map(|v| v != 0), value(right, values).map(|v| v != 0)) {
            (Some(l), Some(r)) => Some(i64::from(if op == And { l && r } else { l || r })),
            (Some(one), None) | (None, Some(one)) if i64::from(one) == decides => Some(decides),
            _ => None,
        };
    }
    let (l, r) = (value(left, values)?, value(right, values)?);
    match op {
        Add => l.checked_add(r),
        Sub => l.checked_sub(r),
        Mul => l.checked_mul(r),
        Div => l.checked_div(r),
        Mod => l.checked_rem(r),
        FloorDiv => l.checked_div_euclid(r).map(|q| if r < 0 && l.rem_euclid(r) != 0 { q - 1 } else { q }),
        FloorMod => l.checked_rem_euclid(r).map(|m| if r < 0 && m != 0 { m + r } else { m }),
        Min => Some(l.min(r)),
        Max => Some(l.max(r)),
        Eq => Some(i64::from(l == r)),
        Ne => Some(i64::from(l != r)),
        Lt => Some(i64::from(l < r)),
        Le => Some(i64::from(l <= r)),
        Gt => Some(i64::from(l > r)),
        Ge => Some(i64::from(l >= r)),
        BitAnd => Some(l & r),
        BitOr => Some(l | r),
        BitXor => Some(l ^ r),
        ShiftLeft => u32::try_from(r).ok().and_then(|r| l.checked_shl(r)),
        ShiftRight => u32::try_from(r).ok().and_then(|r| l.checked_shr(r)),
        And | Or => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_rounds_down() {
        for l in -7i64..=7 {
            for r in [-3i64, -2, -1, 1, 2, 3] {
                let of =
                    |op| value(&Expr::binary(op, Expr::int(l), Expr::int(r)), &Values::default()).unwrap();
                let (q, m) = (of(BinaryOp::FloorDiv), of(BinaryOp::FloorMod));
                assert_eq!(q, (l as f64 / r as f64).floor() as i64, "{l} // {r}");
                assert_eq!(q * r + m, l, "{l} % {r}");
            }
        }
        let zero = Expr::binary(BinaryOp::FloorMod, Expr::int(1), Expr::int(0));
        assert_eq!(value(&zero, &Values::default()), None);
    }
}
