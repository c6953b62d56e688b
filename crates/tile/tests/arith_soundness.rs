//! Simplification keeps the value: random expressions, ranges and conditions, evaluated before and after.
//!
//! An evaluation of the original that overflows its type or divides by zero says nothing; the result is evaluated
//! with wide integers, for it may take another way to the same value. `PROPTEST_CASES` sets how many expressions are tried; a failure prints the expression, shrunk, and proptest's seed.

use proptest::prelude::*;
use wavemark_tile::arith::Analyzer;
use wavemark_tile::{BinaryOp, Dtype, Expr, Range, VarId, fold};

const VARS: u32 = 4;

/// As text: `(v0 + 3) // 4`, with every parenthesis.
fn show(expr: &Expr) -> String {
    match expr {
        Expr::Int(value, _) => value.to_string(),
        Expr::Var(var, _) => format!("v{}", var.0),
        Expr::Not(inner) => format!("not {}", show(inner)),
        Expr::Binary(op, sides) => format!("({} {op:?} {})", show(&sides[0]), show(&sides[1])),
        _ => {
            let children: Vec<String> = expr.children().iter().map(show).collect();
            format!("choose({})", children.join(", "))
        }
    }
}

/// The value, checked; `None` when it is not defined. `wide`: the type is no limit.
fn evaluate(expr: &Expr, values: &[i64], wide: bool) -> Option<i128> {
    use BinaryOp::*;
    let fits = |value: i128, dtype: Dtype| match dtype {
        _ if wide => Some(value),
        Dtype::INT32 => i32::try_from(value).is_ok().then_some(value),
        _ => i64::try_from(value).is_ok().then_some(value),
    };
    let evaluate = |expr: &Expr, values: &[i64]| evaluate(expr, values, wide);
    match expr {
        Expr::Int(value, _) => Some(i128::from(*value)),
        Expr::Var(var, _) => values.get(var.0 as usize).map(|value| i128::from(*value)),
        Expr::Not(inner) => Some(i128::from(evaluate(inner, values)? == 0)),
        // The side that is not chosen is simplified for where it would be.
        Expr::Select(parts) => {
            let (then, otherwise) = (evaluate(&parts[1], values), evaluate(&parts[2], values));
            if !wide && (then.is_none() || otherwise.is_none()) {
                return None;
            }
            if evaluate(&parts[0], values)? != 0 { then } else { otherwise }
        }
        Expr::Call(call) => {
            let taken = if evaluate(&call.args[0], values)? != 0 { 1 } else { 2 };
            evaluate(&call.args[taken], values)
        }
        Expr::Cast(dtype, inner) => fits(evaluate(inner, values)?, *dtype),
        Expr::Binary(op, sides) => {
            let (a, b) = (evaluate(&sides[0], values)?, evaluate(&sides[1], values)?);
            let floor = |a: i128, b: i128| {
                let quotient = a.checked_div(b)?;
                Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
            };
            let value = match op {
                Add => a.checked_add(b)?,
                Sub => a.checked_sub(b)?,
                Mul => a.checked_mul(b)?,
                Div => a.checked_div(b)?,
                Mod => a.checked_rem(b)?,
                FloorDiv => floor(a, b)?,
                FloorMod => a.checked_sub(floor(a, b)?.checked_mul(b)?)?,
                Min => a.min(b),
                Max => a.max(b),
                Eq => i128::from(a == b),
                Ne => i128::from(a != b),
                Lt => i128::from(a < b),
                Le => i128::from(a <= b),
                Gt => i128::from(a > b),
                Ge => i128::from(a >= b),
                And => i128::from(a != 0 && b != 0),
                Or => i128::from(a != 0 || b != 0),
                BitAnd => a & b,
                _ => return None,
            };
            fits(value, expr.dtype())
        }
        _ => None,
    }
}

fn constant() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => prop::sample::select(vec![0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 32, 64]),
        2 => -20i64..20,
        1 => prop::sample::select(vec![i64::from(i32::MAX), i64::from(i32::MIN), 1 << 20, -(1 << 16)]),
    ]
}

fn number(dtype: Dtype) -> BoxedStrategy<Expr> {
    use BinaryOp::*;
    let leaf = prop_oneof![
        3 => (0..VARS).prop_map(move |var| Expr::Var(VarId(var), dtype)),
        1 => constant().prop_map(move |value| Expr::Int(value, dtype)),
    ];
    leaf.prop_recursive(4, 24, 2, move |inner| {
        let divisor = prop_oneof![9 => 1i64..33, 1 => constant()].prop_map(move |value| Expr::Int(value, dtype));
        let scale = constant().prop_map(move |value| Expr::Int(value, dtype));
        let sum = prop::sample::select(vec![Add, Add, Sub]);
        let quotient = prop::sample::select(vec![FloorDiv, FloorMod, FloorMod, Div, Mod]);
        let extreme = prop::sample::select(vec![Min, Max]);
        prop_oneof![
            6 => (sum, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::binary(op, a, b)),
            3 => (inner.clone(), scale).prop_map(|(a, b)| Expr::binary(Mul, a, b)),
            3 => (quotient.clone(), inner.clone(), divisor).prop_map(|(op, a, b)| Expr::binary(op, a, b)),
            1 => (quotient, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::binary(op, a, b)),
            2 => (extreme, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::binary(op, a, b)),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Expr::binary(Mul, a, b)),
            1 => (inner.clone(), inner.clone(), inner.clone(), any::<bool>()).prop_map(move |(a, b, c, call)| {
                let condition = Expr::binary(Lt, a, b.clone());
                if call {
                    Expr::call("if_then_else", dtype, vec![condition, b, c])
                } else {
                    fold::select(condition, b, c)
                }
            }),
        ]
    })
    .boxed()
}

fn condition(dtype: Dtype) -> BoxedStrategy<Expr> {
    use BinaryOp::*;
    let comparison = prop::sample::select(vec![Eq, Ne, Lt, Le, Gt, Ge, Lt]);
    let right = prop_oneof![constant().prop_map(move |value| Expr::Int(value, dtype)), number(dtype),];
    let leaf = (comparison, number(dtype), right).prop_map(|(op, a, b)| Expr::binary(op, a, b));
    leaf.prop_recursive(2, 6, 2, |inner| {
        let join = prop::sample::select(vec![And, Or]);
        prop_oneof![
            4 => (join, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::binary(op, a, b)),
            1 => inner.prop_map(|a| Expr::Not(std::sync::Arc::new(a))),
        ]
    })
    .boxed()
}

/// With some constants at the ends of `i64`.
fn extreme(expr: &Expr) -> Expr {
    match expr {
        Expr::Int(value, dtype) => {
            let value = match value {
                7 => i64::MAX,
                12 => i64::MIN,
                5 => -1,
                64 => i64::MAX - 1,
                32 => i64::MIN + 1,
                16 => 1 << 62,
                value => *value,
            };
            Expr::Int(value, *dtype)
        }
        other => other.map_children(&mut extreme),
    }
}

/// Bounds of each variable, and what of them the analyzer is told.
fn ranges() -> impl Strategy<Value = Vec<(i64, i64, bool)>> {
    prop::collection::vec(
        (-4i64..8, prop_oneof![1i64..6, 1i64..70], prop::bool::weighted(0.85)),
        VARS as usize,
    )
}

/// `symbolic`: the extent of the first variable is the last one plus this.
fn check(
    dtype: Dtype,
    ranges: &[(i64, i64, bool)],
    symbolic: Option<i64>,
    assumed: Option<&Expr>,
    expr: &Expr,
    seed: u64,
) {
    let last = VARS - 1;
    let mut analyzer = Analyzer::new();
    for (var, (min, extent, told)) in (0..VARS).zip(ranges) {
        let mut extent = Expr::Int(*extent, dtype);
        if let (0, Some(more)) = (var, symbolic) {
            extent = fold::add(Expr::Var(VarId(last), dtype), Expr::Int(more, dtype));
        }
        if *told {
            analyzer.bind(VarId(var), &Range { min: Expr::Int(*min, dtype), extent });
        }
    }
    let simple = match assumed {
        Some(assumed) => analyzer.with_constraint(assumed, |analyzer| analyzer.simplify(expr)),
        None => analyzer.simplify(expr),
    };
    let mut state = seed | 1;
    let mut random = |below: i64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as i64
    };
    for _ in 0..60 {
        let mut values: Vec<i64> = ranges.iter().map(|(min, extent, _)| min + random(*extent)).collect();
        if let Some(more) = symbolic {
            match values[last as usize] + more {
                extent @ 1.. => values[0] = ranges[0].0 + random(extent),
                // The loop does not run.
                _ => continue,
            }
        }
        if let Some(assumed) = assumed
            && !matches!(evaluate(assumed, &values, false), Some(value) if value != 0)
        {
            continue;
        }
        if let Some(before) = evaluate(expr, &values, false) {
            let after = evaluate(&simple, &values, true);
            if after != Some(before) {
                let (expr, simple, assumed) = (show(expr), show(&simple), assumed.map(show));
                panic!(
                    "{before} became {after:?} at {values:?} of {ranges:?}, {symbolic:?}\n\
                    {expr}\nbecame\n{simple}\nwhere {assumed:?}"
                );
            }
        }
    }
}

fn dtype() -> impl Strategy<Value = Dtype> {
    prop::sample::select(vec![Dtype::INT32, Dtype::INT64])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_keep_their_value(
        (dtype, expr) in dtype().prop_flat_map(|dtype| (Just(dtype), number(dtype))),
        ranges in ranges(),
        seed: u64,
    ) {
        check(dtype, &ranges, None, None, &expr, seed);
    }

    #[test]
    fn conditions_keep_their_value(
        (dtype, expr) in dtype().prop_flat_map(|dtype| (Just(dtype), condition(dtype))),
        ranges in ranges(),
        seed: u64,
    ) {
        check(dtype, &ranges, None, None, &expr, seed);
    }

    #[test]
    fn ranges_may_depend_on_variables(
        (dtype, expr) in dtype().prop_flat_map(|dtype| {
            (Just(dtype), prop_oneof![condition(dtype), number(dtype)])
        }),
        ranges in ranges(),
        more in -4i64..4,
        seed: u64,
    ) {
        check(dtype, &ranges, Some(more), None, &expr, seed);
    }

    #[test]
    fn extreme_constants_do_no_harm(
        expr in prop_oneof![condition(Dtype::INT64), number(Dtype::INT64)],
        assumed in condition(Dtype::INT64),
        mut ranges in ranges(),
        wide in 0..VARS as usize,
        seed: u64,
    ) {
        let (expr, assumed) = (extreme(&expr), extreme(&assumed));
        check(Dtype::INT64, &ranges, None, Some(&assumed), &expr, seed);
        // Of values at the ends of `i64` nothing is promised but an answer.
        ranges[wide].0 = if seed % 2 == 0 { i64::MIN } else { i64::MAX - 80 };
        let mut analyzer = Analyzer::new();
        for (var, (min, extent, _)) in (0..VARS).zip(&ranges) {
            let range = Range { min: Expr::int(*min), extent: Expr::int(*extent) };
            analyzer.bind(VarId(var), &range);
        }
        analyzer.simplify(&expr);
        analyzer.can_prove(&expr);
        analyzer.const_bounds(&expr);
        analyzer.residues(&expr);
    }

    #[test]
    fn assumptions_are_used_where_they_hold(
        (dtype, assumed, expr) in dtype().prop_flat_map(|dtype| {
            let expr = prop_oneof![condition(dtype), number(dtype)];
            (Just(dtype), condition(dtype), expr)
        }),
        ranges in ranges(),
        seed: u64,
    ) {
        check(dtype, &ranges, None, Some(&assumed), &expr, seed);
    }
}
