//! Calls of the script modules' functions in expressions, and methods of buffers and expressions.

use ruff_python_ast as py;
use wavemark_diag::Span;
use wavemark_tile::{BinaryOp, Dtype, Expr, fold};

use crate::arguments::{self, Signature};
use crate::context::Parsed;
use crate::expr::dtype_of_path;
use crate::function::Builder;
use crate::operators;
use crate::value::Value;

/// Operators by class: what they make is not folded.
const CLASSES: [(&str, BinaryOp); 24] = [
    ("Add", BinaryOp::Add),
    ("Sub", BinaryOp::Sub),
    ("Mul", BinaryOp::Mul),
    ("Div", BinaryOp::Div),
    ("Mod", BinaryOp::Mod),
    ("FloorDiv", BinaryOp::FloorDiv),
    ("FloorMod", BinaryOp::FloorMod),
    ("Min", BinaryOp::Min),
    ("Max", BinaryOp::Max),
    ("EQ", BinaryOp::Eq),
    ("NE", BinaryOp::Ne),
    ("LT", BinaryOp::Lt),
    ("LE", BinaryOp::Le),
    ("GT", BinaryOp::Gt),
    ("GE", BinaryOp::Ge),
    ("And", BinaryOp::And),
    ("Or", BinaryOp::Or),
    ("BitwiseAnd", BinaryOp::BitAnd),
    ("BitwiseOr", BinaryOp::BitOr),
    ("BitwiseXor", BinaryOp::BitXor),
    ("LShift", BinaryOp::ShiftLeft),
    ("RShift", BinaryOp::ShiftRight),
    ("TruncDiv", BinaryOp::Div),
    ("TruncMod", BinaryOp::Mod),
];

/// Operators by function: converted and folded as the symbols are.
const FUNCTIONS: [(&str, BinaryOp); 12] = [
    ("truncdiv", BinaryOp::Div),
    ("truncmod", BinaryOp::Mod),
    ("floordiv", BinaryOp::FloorDiv),
    ("floormod", BinaryOp::FloorMod),
    ("min", BinaryOp::Min),
    ("max", BinaryOp::Max),
    ("bitwise_and", BinaryOp::BitAnd),
    ("bitwise_or", BinaryOp::BitOr),
    ("bitwise_xor", BinaryOp::BitXor),
    ("shift_left", BinaryOp::ShiftLeft),
    ("shift_right", BinaryOp::ShiftRight),
    ("div", BinaryOp::Div),
];

/// Functions of one number with a result of its type.
const UNARY: [&str; 33] = [
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "sin",
    "sinh",
    "cos",
    "cosh",
    "tan",
    "tanh",
    "asin",
    "asinh",
    "acos",
    "acosh",
    "atan",
    "atanh",
    "erf",
    "sigmoid",
    "floor",
    "ceil",
    "round",
    "trunc",
    "nearbyint",
    "fabs",
    "popcount",
    "bitwise_not",
    "likely",
    "tvm_thread_invariant",
];

/// Functions of several numbers of one type with a result of it.
const SEVERAL: [(&str, usize); 8] = [
    ("pow", 2),
    ("power", 2),
    ("atan2", 2),
    ("fmod", 2),
    ("copysign", 2),
    ("nextafter", 2),
    ("hypot", 2),
    ("fma", 3),
];

/// Functions that ask something of a number.
const PREDICATES: [&str; 3] = ["isnan", "isinf", "isfinite"];

/// Calls whose first argument is the type of the result (it is not among the call's own arguments).
const TYPED: [&str; 17] = [
    "call_extern",
    "call_pure_extern",
    "call_llvm_intrin",
    "call_llvm_pure_intrin",
    "reinterpret",
    "ptx_mma",
    "ptx_mma_sp",
    "ptx_ldmatrix",
    "ptx_cp_async",
    "ptx_cp_async_bulk",
    "mma_store",
    "mma_fill",
    "dp4a",
    "simdgroup_load",
    "vectorlow",
    "vectorhigh",
    "vectorcombine",
];

/// Calls with any arguments, and the type of their result.
const OPAQUE: [(&str, Dtype); 17] = [
    ("tvm_access_ptr", Dtype::Handle),
    ("address_of", Dtype::Handle),
    ("tvm_load_matrix_sync", Dtype::Handle),
    ("tvm_store_matrix_sync", Dtype::Handle),
    ("tvm_mma_sync", Dtype::Handle),
    ("tvm_bmma_sync", Dtype::Handle),
    ("tvm_fill_fragment", Dtype::Handle),
    ("tvm_tuple", Dtype::Handle),
    ("call_packed", Dtype::INT32),
    ("tvm_call_packed", Dtype::INT32),
    ("call_cpacked", Dtype::INT32),
    ("tvm_call_cpacked", Dtype::INT32),
    ("ptx_commit_group", Dtype::Void),
    ("ptx_wait_group", Dtype::Void),
    ("assume", Dtype::BOOL),
    ("undef", Dtype::INT32),
    ("clz", Dtype::INT32),
];

impl Builder<'_> {
    /// A call of `path`, which is something of the script modules or Python's own. The oldest texts give many calls
    /// the type of their result by name: it must be what it is anyway.
    pub fn script_call(&mut self, path: &str, call: &py::ExprCall) -> Parsed<Value> {
        let result = self.script_call_inside(path, call)?;
        if let Value::Expr(made) = &result
            && let Some(keyword) = call.arguments.keywords.iter().find(|keyword| is_result_type(keyword))
        {
            let span = self.cx.span(keyword);
            let (found, made) = (self.result_type(&keyword.value)?, made.dtype());
            if found != made {
                return Err(self.cx.error(span, format!("the result has type {made}, not {found}")));
            }
        }
        Ok(result)
    }

    fn script_call_inside(&mut self, path: &str, call: &py::ExprCall) -> Parsed<Value> {
        let span = self.cx.span(call);
        let Some(name) = path.strip_prefix("T.") else {
            return self.builtin(path, call);
        };
        if let Some(dtype) = dtype_of_path(path) {
            return self.type_call(dtype, name, call);
        }
        if let Some((_, op)) = CLASSES.iter().find(|(class, _)| *class == name) {
            let [left, right] = self.arguments(call)?;
            let result = operators::exactly(*op, left, right);
            return result.map(Value::Expr).map_err(|message| self.cx.error(span, message));
        }
        if let Some((_, op)) = FUNCTIONS.iter().find(|(function, _)| *function == name) {
            let [left, right] = self.arguments(call)?;
            let result = operators::arithmetic(*op, left, right);
            return result.map(Value::Expr).map_err(|message| self.cx.error(span, message));
        }
        if UNARY.contains(&name) {
            let [inner] = self.arguments(call)?;
            return self.unary_call(name, inner, span);
        }
        if let Some((_, arity)) = SEVERAL.iter().find(|(function, _)| *function == name) {
            return self.several(name, *arity, call);
        }
        if PREDICATES.contains(&name) {
            let [inner] = self.arguments(call)?;
            return Ok(Value::Expr(Expr::call(name, Dtype::BOOL, vec![inner])));
        }
        if TYPED.contains(&name) {
            return self.typed_call(name, call);
        }
        if let Some((_, dtype)) = OPAQUE.iter().find(|(function, _)| *function == name) {
            return self.opaque_call(name, *dtype, call);
        }
        self.special(path, name, call)
    }

    fn special(&mut self, path: &str, name: &str, call: &py::ExprCall) -> Parsed<Value> {
        let span = self.cx.span(call);
        match name {
            "abs" => {
                let [inner] = self.arguments(call)?;
                self.absolute(inner, span)
            }
            "Not" => {
                let [inner] = self.arguments(call)?;
                if inner.dtype() != Dtype::BOOL {
                    return Err(self
                        .cx
                        .error(span, format!("`T.Not` of an expression of type {}", inner.dtype())));
                }
                Ok(Value::Expr(Expr::Not(inner.into())))
            }
            "BitwiseNot" => {
                let [inner] = self.arguments(call)?;
                self.unary_call("bitwise_not", inner, span)
            }
            "if_then_else" => {
                let [condition, then, otherwise] = self.arguments(call)?;
                self.if_then_else(condition, then, otherwise, span)
            }
            "Select" => {
                let [condition, then, otherwise] = self.arguments(call)?;
                self.condition(&condition, span)?;
                if then.dtype() != otherwise.dtype() {
                    let message = format!(
                        "sides of types {} and {}, expected one type",
                        then.dtype(),
                        otherwise.dtype()
                    );
                    return Err(self.cx.error(span, message));
                }
                Ok(Value::Expr(Expr::Select([condition, then, otherwise].into())))
            }
            "Cast" => {
                let signature =
                    Signature { name: "T.Cast", positional: &["dtype", "value"], keyword: &[], required: 2 };
                let bound = arguments::bind(self.cx, call, &signature)?;
                let (Some(dtype), Some(value)) = (bound[0], bound[1]) else { return Ok(Value::None) };
                let (dtype, value) = (self.dtype_argument(dtype)?, self.expression(value)?);
                self.convertible(&value, dtype, span)?;
                Ok(Value::Expr(Expr::Cast(dtype, value.into())))
            }
            "cast" => {
                let signature =
                    Signature { name: "T.cast", positional: &["value", "dtype"], keyword: &[], required: 2 };
                let bound = arguments::bind(self.cx, call, &signature)?;
                let (Some(value), Some(dtype)) = (bound[0], bound[1]) else { return Ok(Value::None) };
                let (value, dtype) = (self.expression(value)?, self.dtype_argument(dtype)?);
                self.convertible(&value, dtype, span)?;
                Ok(Value::Expr(fold::cast(dtype, value)))
            }
            "ceildiv" => {
                let [left, right] = self.arguments(call)?;
                let sum = operators::arithmetic(BinaryOp::Add, left, right.clone());
                let sum = sum.and_then(|sum| operators::arithmetic(BinaryOp::Sub, sum, Expr::int(1)));
                let result = sum.and_then(|sum| operators::arithmetic(BinaryOp::FloorDiv, sum, right));
                result.map(Value::Expr).map_err(|message| self.cx.error(span, message))
            }
            "type_annotation" => {
                let signature = Signature {
                    name: "T.type_annotation",
                    positional: &["dtype"],
                    keyword: &[],
                    required: 1,
                };
                let bound = arguments::bind(self.cx, call, &signature)?;
                let Some(dtype) = bound[0] else { return Ok(Value::None) };
                let dtype = self.dtype_argument(dtype)?;
                Ok(Value::Expr(Expr::call("type_annotation", dtype, Vec::new())))
            }
            "infinity" | "min_value" | "max_value" => self.extreme(name, call),
            "tvm_storage_sync" => self.storage_sync(call),
            "call_intrin" => self.call_intrin(call),
            "var" => {
                let signature =
                    Signature { name: "T.var", positional: &["dtype", "name"], keyword: &[], required: 1 };
                let bound = arguments::bind(self.cx, call, &signature)?;
                let Some(dtype) = bound[0] else { return Ok(Value::None) };
                Ok(Value::NewVar(self.dtype_argument(dtype)?))
            }
            "Var" | "SizeVar" => {
                let signature =
                    Signature { name: "T.Var", positional: &["name", "dtype"], keyword: &[], required: 1 };
                let bound = arguments::bind(self.cx, call, &signature)?;
                let dtype = bound[1].map(|dtype| self.dtype_argument(dtype)).transpose()?;
                Ok(Value::NewVar(dtype.unwrap_or(Dtype::INT32)))
            }
            "meta_var" => {
                let signature =
                    Signature { name: "T.meta_var", positional: &["value"], keyword: &[], required: 1 };
                let bound = arguments::bind(self.cx, call, &signature)?;
                bound[0].map_or(Ok(Value::None), |value| self.value(value))
            }
            "target" => {
                let signature = Signature {
                    name: "T.target",
                    positional: &["target", "host"],
                    keyword: &[],
                    required: 1,
                };
                let bound = arguments::bind(self.cx, call, &signature)?;
                let Some(target) = bound[0] else { return Ok(Value::None) };
                if let Some(host) = bound[1] {
                    let span = self.cx.span(host);
                    return Err(self.cx.error(span, "unsupported: a host in `T.target`"));
                }
                let target = self.value(target)?;
                Ok(Value::Target(Box::new(target)))
            }
            _ => Err(self.unsupported_call(path, call)),
        }
    }

    /// The arguments of a call as that many expressions.
    fn arguments<const N: usize>(&mut self, call: &py::ExprCall) -> Parsed<[Expr; N]> {
        let span = self.cx.span(call);
        let given = &call.arguments.args;
        self.no_names(call)?;
        if given.len() != N {
            return Err(self.cx.error(span, format!("{N} arguments expected, found {}", given.len())));
        }
        let mut values = Vec::with_capacity(N);
        for argument in given {
            values.push(self.expression(argument)?);
        }
        match values.try_into() {
            Ok(values) => Ok(values),
            Err(_) => Err(self.cx.error(span, format!("{N} arguments expected"))),
        }
    }

    /// The call has no arguments by name, but for the type of its result.
    pub fn no_names(&mut self, call: &py::ExprCall) -> Parsed<()> {
        match call.arguments.keywords.iter().find(|keyword| !is_result_type(keyword)) {
            Some(keyword) => {
                let span = self.cx.span(keyword);
                Err(self.cx.error(span, "unsupported: an argument by name here"))
            }
            None => Ok(()),
        }
    }

    fn unary_call(&mut self, name: &str, inner: Expr, span: Span) -> Parsed<Value> {
        let dtype = inner.dtype();
        if dtype.element().is_none() {
            return Err(self.cx.error(span, format!("`T.{name}` of an expression of type {dtype}")));
        }
        if dtype.is_integer() && matches!(name, "floor" | "ceil" | "round" | "trunc" | "nearbyint") {
            return Ok(Value::Expr(inner));
        }
        match name {
            "likely" if inner.as_int().is_some() => return Ok(Value::Expr(inner)),
            "fabs" => return self.absolute(inner, span),
            "bitwise_not" | "popcount" if !dtype.is_integer() => {
                return Err(self.cx.error(span, format!("`T.{name}` of an expression of type {dtype}")));
            }
            _ => {}
        }
        Ok(Value::Expr(Expr::call(name, dtype, vec![inner])))
    }

    /// `T.abs`: of integers TVM makes a selection.
    fn absolute(&mut self, inner: Expr, span: Span) -> Parsed<Value> {
        let dtype = inner.dtype();
        if dtype.is_float() {
            return Ok(Value::Expr(Expr::call("fabs", dtype, vec![inner])));
        }
        if !dtype.is_integer() {
            return Err(self.cx.error(span, format!("`T.abs` of an expression of type {dtype}")));
        }
        if let Some(absolute) = inner.as_int().and_then(i64::checked_abs) {
            return Ok(Value::Expr(Expr::Int(absolute, dtype)));
        }
        let zero = Expr::Int(0, dtype);
        let holds = Expr::binary(BinaryOp::Ge, inner.clone(), zero.clone());
        let negative = Expr::binary(BinaryOp::Sub, zero, inner.clone());
        Ok(Value::Expr(Expr::Select([holds, inner, negative].into())))
    }

    fn several(&mut self, name: &str, arity: usize, call: &py::ExprCall) -> Parsed<Value> {
        let span = self.cx.span(call);
        let given = &call.arguments.args;
        self.no_names(call)?;
        if given.len() != arity {
            return Err(self
                .cx
                .error(span, format!("`T.{name}` takes {arity} arguments, found {}", given.len())));
        }
        let mut values = Vec::new();
        for argument in given {
            values.push(self.expression(argument)?);
        }
        // All in the type that all pairs agree on.
        let mut dtype = values[0].dtype();
        for value in &values {
            dtype = operators::same_type(Expr::Cast(dtype, Expr::int(0).into()), value.clone()).0.dtype();
        }
        if matches!(name, "pow" | "power") && !dtype.is_float() {
            return Err(self
                .cx
                .error(span, format!("`T.pow` of expressions of type {dtype}, expected floats")));
        }
        let values = values.into_iter().map(|value| fold::cast(dtype, value)).collect();
        let op = if name == "power" { "pow" } else { name };
        Ok(Value::Expr(Expr::call(op, dtype, values)))
    }

    fn condition(&mut self, condition: &Expr, span: Span) -> Parsed<()> {
        match condition.dtype() {
            Dtype::BOOL => Ok(()),
            dtype => {
                let message = format!("the condition has type {dtype}");
                Err(self.cx.error_with(span, message, "expected a bool"))
            }
        }
    }

    /// `T.if_then_else(condition, then, otherwise)`: only one side is evaluated.
    pub fn if_then_else(
        &mut self,
        condition: Expr,
        then: Expr,
        otherwise: Expr,
        span: Span,
    ) -> Parsed<Value> {
        self.condition(&condition, span)?;
        let (then, otherwise) = operators::same_type(then, otherwise);
        if let Some(decided) = condition.as_int() {
            return Ok(Value::Expr(if decided != 0 { then } else { otherwise }));
        }
        let dtype = then.dtype();
        Ok(Value::Expr(Expr::call("if_then_else", dtype, vec![condition, then, otherwise])))
    }

    pub fn convertible(&mut self, value: &Expr, dtype: Dtype, span: Span) -> Parsed<()> {
        if value.dtype() == dtype || (value.dtype().element().is_some() && dtype.element().is_some()) {
            return Ok(());
        }
        let message =
            format!("no conversion from {} to {dtype}; `T.reinterpret` keeps the bits", value.dtype());
        Err(self.cx.error(span, message))
    }

    /// `T.int32()` makes a variable, `T.int32(x)` converts, `T.float32("inf")` is a number.
    fn type_call(&mut self, dtype: Dtype, name: &str, call: &py::ExprCall) -> Parsed<Value> {
        let span = self.cx.span(call);
        if dtype == Dtype::Handle {
            return Ok(Value::NewVar(dtype));
        }
        let signature =
            Signature { name: "a type", positional: &["expr"], keyword: &["is_size_var"], required: 0 };
        let bound = arguments::bind(self.cx, call, &signature)?;
        let Some(argument) = bound[0].filter(|argument| !argument.is_none_literal_expr()) else {
            return Ok(Value::NewVar(dtype));
        };
        let value = match self.value(argument)? {
            // Python's integer has no sign here, but the old dialect's printer writes -0.0 so.
            Value::Int(0) if dtype.is_float() && argument.is_unary_op_expr() => Value::Float(-0.0),
            Value::Str(text) if dtype.is_float() => match text.trim_start_matches(['+', '-']) {
                "inf" | "nan" => Value::Float(text.parse().unwrap_or(f64::NAN)),
                _ => return Err(self.cx.error(span, format!("`T.{name}` of the string {text:?}"))),
            },
            value => value,
        };
        self.expression_of_type(value, dtype, span).map(Value::Expr)
    }

    /// `T.infinity("float32")`, `T.min_value("int32")`, `T.max_value("int32")`.
    fn extreme(&mut self, name: &str, call: &py::ExprCall) -> Parsed<Value> {
        let signature = Signature { name: "T.min_value", positional: &["dtype"], keyword: &[], required: 1 };
        let span = self.cx.span(call);
        let bound = arguments::bind(self.cx, call, &signature)?;
        let Some(dtype) = bound[0] else { return Ok(Value::None) };
        let dtype = self.dtype_argument(dtype)?;
        let unsupported = format!("unsupported: `T.{name}` of {dtype}");
        let Some(element) = dtype.element() else { return Err(self.cx.error(span, unsupported)) };
        if dtype.is_float() {
            let value = match name {
                "infinity" => f64::INFINITY,
                "max_value" => element.max_finite(),
                _ => -element.max_finite(),
            };
            return Ok(Value::Expr(Expr::Float(value, dtype)));
        }
        if name == "infinity" || !dtype.is_integer() {
            return Err(self.cx.error(span, unsupported));
        }
        let signed = !operators::fits(-1, dtype) as u32;
        let bits = element.bits() - 1 + signed;
        let value = match name {
            "max_value" if bits < 64 => i64::try_from((1i128 << bits) - 1).ok(),
            "min_value" if signed == 0 => i64::try_from(-(1i128 << bits)).ok(),
            "min_value" => Some(0),
            _ => None,
        };
        match value {
            Some(value) => Ok(Value::Expr(Expr::Int(value, dtype))),
            None => Err(self.cx.error(span, unsupported)),
        }
    }
}

fn is_result_type(keyword: &py::Keyword) -> bool {
    keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == "dtype")
}
