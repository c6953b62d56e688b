//! From a function to its compiled form: expressions.

use super::code::{Class, Float, Int, Value};
use super::compile::{Compiled, Compiler, is_int};
use super::number::{self, Function, Width};
use crate::dtype::{Dtype, Element};
use crate::expr::{BinaryOp, Call, Expr};

/// The name that a message gives a call: that of the function it calls, where it has one.
pub(super) fn call_name(call: &Call) -> String {
    match call.args.iter().find_map(|arg| if let Expr::Str(text) = arg { Some(text) } else { None }) {
        Some(text) => format!("`{}(\"{text}\", …)`", call.op),
        None => format!("`{}`", call.op),
    }
}

/// Which of the `Select`-like forms.
type Choice = fn(Box<[Int; 3]>) -> Int;
type FloatChoice = fn(Box<(Int, Float, Float)>) -> Float;

impl Compiler<'_> {
    /// An expression of either kind.
    pub fn value(&mut self, expr: &Expr) -> Compiled<Value> {
        if is_int(expr.dtype()) { self.int(expr).map(Value::Int) } else { self.float(expr).map(Value::Float) }
    }

    /// An expression as a truth value.
    pub fn condition(&mut self, expr: &Expr) -> Compiled<Int> {
        let steers = std::mem::replace(&mut self.steers, true);
        let condition = match expr.dtype() {
            Dtype::BOOL => self.int(expr),
            dtype if is_int(dtype) => self.int(expr).map(|value| Int::NonZero(Box::new(value))),
            _ => self.float(expr).map(|value| Int::FloatNonZero(Box::new(value))),
        };
        self.steers = steers;
        condition
    }

    fn width(&mut self, dtype: Dtype) -> Compiled<Width> {
        match dtype.element().and_then(Width::of) {
            Some(width) => Ok(width),
            None => self.fail(format!("an integer is expected, not a value of type `{dtype}`")),
        }
    }

    fn format(&mut self, dtype: Dtype) -> Compiled<Element> {
        match dtype {
            Dtype::Element(element) if dtype.is_float() => Ok(element),
            _ => self.fail(format!("a float is expected, not a value of type `{dtype}`")),
        }
    }

    fn ints<const N: usize>(&mut self, exprs: [&Expr; N]) -> Compiled<Box<[Int; N]>> {
        let mut compiled = Vec::with_capacity(N);
        for expr in exprs {
            compiled.push(self.int(expr)?);
        }
        match compiled.try_into() {
            Ok(compiled) => Ok(compiled),
            Err(_) => self.fail("a wrong number of operands"),
        }
    }

    fn boxed(&mut self, expr: &Expr) -> Compiled<Box<Int>> {
        self.int(expr).map(Box::new)
    }

    /// An expression of integer or `bool` type.
    pub fn int(&mut self, expr: &Expr) -> Compiled<Int> {
        self.deeper(|this| this.int_here(expr))
    }

    fn int_here(&mut self, expr: &Expr) -> Compiled<Int> {
        if !is_int(expr.dtype()) {
            let dtype = expr.dtype();
            return match expr {
                Expr::Call(call) => {
                    let name = call_name(call);
                    self.unsupported(name)
                }
                _ => self.fail(format!("an integer is expected, not a value of type `{dtype}`")),
            };
        }
        match expr {
            Expr::Int(value, dtype) => Ok(Int::Const(self.width(*dtype)?.wrap(*value))),
            Expr::Var(var, _) => Ok(Int::Var(self.var(*var)?)),
            Expr::Load(load) => Ok(Int::Load(Box::new(self.access(load.buffer, &load.indices, false)?))),
            Expr::Not(inner) => Ok(Int::Not(Box::new(self.condition(inner)?))),
            Expr::Select(parts) => self.int_choice(Int::Select, &parts[0], &parts[1], &parts[2]),
            Expr::Binary(op, sides) => self.int_binary(*op, &sides[0], &sides[1]),
            Expr::Cast(dtype, inner) if *dtype == Dtype::BOOL => self.condition(inner),
            Expr::Cast(dtype, inner) => {
                let width = self.width(*dtype)?;
                if is_int(inner.dtype()) {
                    Ok(Int::Wrap(width, self.boxed(inner)?))
                } else {
                    Ok(Int::Truncate(width, Box::new(self.float(inner)?)))
                }
            }
            Expr::Call(call) => self.int_call(call),
            Expr::Float(..) | Expr::Str(_) | Expr::Data(_) => self.fail("an integer is expected"),
        }
    }

    fn int_choice(&mut self, form: Choice, condition: &Expr, then: &Expr, other: &Expr) -> Compiled<Int> {
        let condition = self.condition(condition)?;
        Ok(form(Box::new([condition, self.int(then)?, self.int(other)?])))
    }

    fn int_binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Compiled<Int> {
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let sides = Box::new([self.condition(left)?, self.condition(right)?]);
            return Ok(if op == BinaryOp::And { Int::And(sides) } else { Int::Or(sides) });
        }
        if op.is_comparison() && !is_int(left.dtype()) {
            return Ok(Int::CompareFloat(op, Box::new([self.float(left)?, self.float(right)?])));
        }
        let width = self.width(left.dtype())?;
        let sides = self.ints([left, right])?;
        Ok(if op.is_comparison() {
            Int::Compare(op, width.wide_unsigned(), sides)
        } else {
            Int::Binary(op, width, self.site, sides)
        })
    }

    fn int_call(&mut self, call: &Call) -> Compiled<Int> {
        use BinaryOp::*;
        let binary = |op, this: &mut Self| this.int_binary(op, &call.args[0], &call.args[1]);
        match (&*call.op, call.args.as_slice()) {
            ("if_then_else", [condition, then, other]) => {
                self.int_choice(Int::IfThenElse, condition, then, other)
            }
            ("likely", [inner]) => self.int(inner),
            ("bitwise_and", [_, _]) => binary(BitAnd, self),
            ("bitwise_or", [_, _]) => binary(BitOr, self),
            ("bitwise_xor", [_, _]) => binary(BitXor, self),
            ("shift_left", [_, _]) => binary(ShiftLeft, self),
            ("shift_right", [_, _]) => binary(ShiftRight, self),
            ("bitwise_not", [inner]) => Ok(Int::BitNot(self.width(call.dtype)?, self.boxed(inner)?)),
            ("abs" | "fabs", [inner]) if inner.dtype() == call.dtype => {
                Ok(Int::Abs(self.width(call.dtype)?, self.boxed(inner)?))
            }
            ("popcount", [inner]) => Ok(Int::PopCount(self.width(inner.dtype())?, self.boxed(inner)?)),
            ("clz", [inner]) => Ok(Int::LeadingZeros(self.width(inner.dtype())?, self.boxed(inner)?)),
            ("isnan", [inner]) if inner.dtype().is_float() => self.classify(Class::Nan, inner),
            ("isinf", [inner]) if inner.dtype().is_float() => self.classify(Class::Infinite, inner),
            ("isfinite", [inner]) if inner.dtype().is_float() => self.classify(Class::Finite, inner),
            ("reinterpret", [inner]) => {
                let width = self.width(call.dtype)?;
                let Some(element) =
                    inner.dtype().element().filter(|from| from.bits() == u32::from(width.bits))
                else {
                    return self.unsupported(format!(
                        "`reinterpret` from `{}` to `{}`",
                        inner.dtype(),
                        call.dtype
                    ));
                };
                if is_int(inner.dtype()) {
                    Ok(Int::Wrap(width, self.boxed(inner)?))
                } else {
                    Ok(Int::Bits(element, width, Box::new(self.float(inner)?)))
                }
            }
            _ => self.unsupported(call_name(call)),
        }
    }

    fn classify(&mut self, class: Class, inner: &Expr) -> Compiled<Int> {
        Ok(Int::Classify(class, Box::new(self.float(inner)?)))
    }

    /// An expression of floating-point type.
    pub fn float(&mut self, expr: &Expr) -> Compiled<Float> {
        self.deeper(|this| this.float_here(expr))
    }

    fn float_here(&mut self, expr: &Expr) -> Compiled<Float> {
        if let Expr::Call(call) = expr
            && !call.dtype.is_float()
        {
            let name = call_name(call);
            return self.unsupported(name);
        }
        let format = self.format(expr.dtype())?;
        match expr {
            Expr::Int(value, _) => Ok(Float::Const(number::round(format, *value as f64))),
            Expr::Float(value, _) => Ok(Float::Const(number::round(format, *value))),
            Expr::Var(var, _) => Ok(Float::Var(self.var(*var)?)),
            Expr::Load(load) => Ok(Float::Load(Box::new(self.access(load.buffer, &load.indices, false)?))),
            Expr::Select(parts) => self.float_choice(Float::Select, &parts[0], &parts[1], &parts[2]),
            Expr::Binary(op, sides) => {
                if number::float(*op, 1.0, 1.0).is_none() {
                    return self.fail(format!("`{op:?}` of floats"));
                }
                Ok(Float::Binary(*op, format, Box::new([self.float(&sides[0])?, self.float(&sides[1])?])))
            }
            Expr::Cast(_, inner) if is_int(inner.dtype()) => {
                let width = self.width(inner.dtype())?;
                Ok(Float::FromInt(format, width, self.boxed(inner)?))
            }
            Expr::Cast(_, inner) => Ok(Float::Round(format, Box::new(self.float(inner)?))),
            Expr::Call(call) => self.float_call(call, format),
            Expr::Not(_) | Expr::Str(_) | Expr::Data(_) => self.fail("a float is expected"),
        }
    }

    fn float_choice(
        &mut self,
        form: FloatChoice,
        condition: &Expr,
        then: &Expr,
        other: &Expr,
    ) -> Compiled<Float> {
        let condition = self.condition(condition)?;
        Ok(form(Box::new((condition, self.float(then)?, self.float(other)?))))
    }

    fn float_call(&mut self, call: &Call, format: Element) -> Compiled<Float> {
        match (&*call.op, call.args.as_slice()) {
            ("if_then_else", [condition, then, other]) => {
                return self.float_choice(Float::IfThenElse, condition, then, other);
            }
            ("reinterpret", [inner]) => {
                let same = inner.dtype().element().is_some_and(|from| from.bits() == format.bits());
                if !same || !is_int(inner.dtype()) {
                    return self.unsupported(format!("`reinterpret` from `{}` to `{format}`", inner.dtype()));
                }
                return Ok(Float::FromBits(format, self.boxed(inner)?));
            }
            _ => {}
        }
        let Some(function) = number::function(&call.op) else { return self.unsupported(call_name(call)) };
        let arity = match function {
            Function::One(_) => 1,
            Function::Two(_) => 2,
            Function::Three(_) => 3,
        };
        if call.args.len() != arity {
            return self.fail(format!("`{}` takes {arity} arguments, not {}", call.op, call.args.len()));
        }
        let args = call.args.iter().map(|arg| self.float(arg)).collect::<Compiled<_>>()?;
        Ok(Float::Call(function, format, args))
    }
}
