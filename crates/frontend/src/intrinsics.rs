//! Calls of the script modules' functions in expressions, and methods of buffers and expressions.

use ruff_python_ast as py;
use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::{BinaryOp, Dtype, Expr, fold};

use crate::arguments::{self, Signature};
use crate::context::{Parsed, Reported};
use crate::expr::{dtype_of_path, is_vector_type};
use crate::function::Builder;
use crate::operators;
use crate::python;
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

    /// The type of a call's result, which may be none.
    fn result_type(&mut self, node: &py::Expr) -> Parsed<Dtype> {
        match node {
            py::Expr::StringLiteral(text) if matches!(text.value.to_str(), "" | "void") => Ok(Dtype::Void),
            node => self.dtype_argument(node),
        }
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
    fn no_names(&mut self, call: &py::ExprCall) -> Parsed<()> {
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

    fn convertible(&mut self, value: &Expr, dtype: Dtype, span: Span) -> Parsed<()> {
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

    /// `T.call_extern("int32", "f", …)`.
    fn typed_call(&mut self, name: &str, call: &py::ExprCall) -> Parsed<Value> {
        let span = self.cx.span(call);
        let mut arguments: Vec<&py::Expr> = call.arguments.args.iter().collect();
        let mut dtype = None;
        for keyword in &call.arguments.keywords {
            match keyword.arg.as_deref() {
                Some("dtype") => dtype = Some(&keyword.value),
                _ => {
                    let span = self.cx.span(keyword);
                    return Err(self.cx.error_with(
                        span,
                        format!("`T.{name}` has no such argument"),
                        "expected dtype",
                    ));
                }
            }
        }
        let dtype = match dtype {
            Some(dtype) => dtype,
            None if arguments.is_empty() => {
                return Err(self.cx.error(span, format!("`T.{name}` needs the type of its result")));
            }
            None => arguments.remove(0),
        };
        let dtype = self.result_type(dtype)?;
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.call_argument(argument)?);
        }
        if name == "reinterpret" && values.len() != 1 {
            return Err(self
                .cx
                .error(span, format!("`T.reinterpret` takes one value, found {}", values.len())));
        }
        Ok(Value::Expr(Expr::call(name, dtype, values)))
    }

    fn opaque_call(&mut self, name: &str, dtype: Dtype, call: &py::ExprCall) -> Parsed<Value> {
        self.no_names(call)?;
        let mut values = Vec::new();
        for argument in &call.arguments.args {
            values.push(self.call_argument(argument)?);
        }
        let span = self.cx.span(call);
        match name {
            "tvm_access_ptr" => {
                if values.len() != 5 {
                    return Err(self.cx.error_with(
                        span,
                        format!("`T.tvm_access_ptr` takes 5 arguments, found {}", values.len()),
                        "a type annotation, the buffer's data, offset, extent, and 1 (read), 2 (write) or 3",
                    ));
                }
                // The type may be given as a string.
                if let Expr::Str(text) = &values[0] {
                    let Some(dtype) = Dtype::from_name(text) else {
                        return Err(self.cx.error(span, format!("unknown type `{text}`")));
                    };
                    values[0] = Expr::call("type_annotation", dtype, Vec::new());
                }
            }
            "address_of" if !matches!(&values[..], [Expr::Load(_)]) => {
                return Err(self.cx.error(span, "`T.address_of` takes one element of a buffer"));
            }
            _ => {}
        }
        Ok(Value::Expr(Expr::call(name, dtype, values)))
    }

    /// An argument of a call that takes strings, too.
    fn call_argument(&mut self, node: &py::Expr) -> Parsed<Expr> {
        let span = self.cx.span(node);
        match self.value(node)? {
            Value::Str(text) => Ok(Expr::Str(text.into())),
            value => self.expression_of(value, span),
        }
    }

    /// `T.tvm_storage_sync("shared")`; two more arguments of the new dialect have defaults.
    fn storage_sync(&mut self, call: &py::ExprCall) -> Parsed<Value> {
        let span = self.cx.span(call);
        self.no_names(call)?;
        let given = &call.arguments.args;
        if !(1..=3).contains(&given.len()) {
            let message = format!("`T.tvm_storage_sync` takes 1 to 3 arguments, found {}", given.len());
            return Err(self.cx.error(span, message));
        }
        let mut values = Vec::new();
        for argument in given {
            values.push(self.call_argument(argument)?);
        }
        let defaults = [Expr::bool(false), Expr::int(-1)];
        values.extend(defaults.into_iter().skip(values.len().saturating_sub(1)));
        Ok(Value::Expr(Expr::call("tvm_storage_sync", Dtype::INT32, values)))
    }

    /// `T.call_intrin("float32", "tir.exp", x)` is `T.exp(x)`.
    fn call_intrin(&mut self, call: &py::ExprCall) -> Parsed<Value> {
        let span = self.cx.span(call);
        let Value::Expr(Expr::Call(made)) = self.typed_call("call_intrin", call)? else {
            return Ok(Value::None);
        };
        let Some((Expr::Str(name), rest)) = made.args.split_first() else {
            return Err(self.cx.error(span, "`T.call_intrin` needs the name of the intrinsic"));
        };
        match name.strip_prefix("tirx.").or_else(|| name.strip_prefix("tir.")) {
            Some(op) => Ok(Value::Expr(Expr::call(op, made.dtype, rest.to_vec()))),
            None => Err(self.cx.error_with(
                span,
                format!("unknown intrinsic {name:?}"),
                "expected a name such as \"tir.exp\" or \"tirx.exp\"",
            )),
        }
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

    /// Functions of Python itself.
    fn builtin(&mut self, path: &str, call: &py::ExprCall) -> Parsed<Value> {
        let span = self.cx.span(call);
        let mut values = Vec::new();
        for argument in &call.arguments.args {
            values.push(self.value(argument)?);
        }
        let refuse = |this: &mut Self, hint: &str| {
            let message = format!("unsupported: `{path}` of this");
            Err(this.cx.error_with(span, message, hint.to_owned()))
        };
        match (path, &values[..]) {
            ("len", [Value::List(items)]) => Ok(Value::Int(i64::try_from(items.len()).unwrap_or(i64::MAX))),
            ("int", [Value::Int(value)]) => Ok(Value::Int(*value)),
            ("int", [Value::Bool(value)]) => Ok(Value::Int(i64::from(*value))),
            ("int", [Value::Float(value)]) if value.abs() < 2f64.powi(62) => Ok(Value::Int(*value as i64)),
            ("float", [Value::Float(value)]) => Ok(Value::Float(*value)),
            ("float", [Value::Int(value)]) => Ok(Value::Float(*value as f64)),
            ("float", [Value::Str(text)]) if matches!(text.as_str(), "inf" | "-inf" | "nan") => {
                Ok(Value::Float(text.parse().unwrap_or(f64::NAN)))
            }
            ("bool", [Value::Bool(value)]) => Ok(Value::Bool(*value)),
            ("bool", [Value::Int(value)]) => Ok(Value::Bool(*value != 0)),
            ("abs", [Value::Int(value)]) => match value.checked_abs() {
                Some(value) => Ok(Value::Int(value)),
                None => refuse(self, "the result does not fit into 64 bits"),
            },
            ("abs", [Value::Float(value)]) => Ok(Value::Float(value.abs())),
            ("min" | "max", [first, rest @ ..]) if !rest.is_empty() => {
                let op = if path == "min" { py::CmpOp::Lt } else { py::CmpOp::Gt };
                let mut best = first;
                for value in rest {
                    match python::compare(op, value, best) {
                        Some(true) => best = value,
                        Some(false) => {}
                        None => return refuse(self, "of expressions: `T.min`, `T.max`"),
                    }
                }
                Ok(best.clone())
            }
            ("range", _) => refuse(self, "expected in the header of a loop"),
            ("abs", _) => refuse(self, "of expressions: `T.abs`"),
            _ if BUILTIN_CALLS.contains(&path) => refuse(self, "expected Python values"),
            _ => Err(self.unsupported_call(path, call)),
        }
    }

    /// A method of a buffer or of an expression.
    pub fn method(&mut self, owner: Value, name: &str, call: &py::ExprCall) -> Parsed<Value> {
        let span = self.cx.span(call);
        match (owner, name) {
            (Value::Buffer(buffer), "access_ptr") => self.access_ptr(buffer, call),
            (Value::Buffer(buffer), "scope") if call.arguments.args.is_empty() => {
                Ok(Value::Str(self.function.buffer(buffer).scope.clone()))
            }
            (Value::Expr(expr), "astype") => {
                let signature =
                    Signature { name: "astype", positional: &["dtype"], keyword: &[], required: 1 };
                let bound = arguments::bind(self.cx, call, &signature)?;
                let Some(dtype) = bound[0] else { return Ok(Value::None) };
                let dtype = self.dtype_argument(dtype)?;
                self.convertible(&expr, dtype, span)?;
                Ok(Value::Expr(fold::cast(dtype, expr)))
            }
            (owner, name) => {
                let owner = match owner {
                    Value::Buffer(buffer) => self.function.buffer(buffer).name.clone(),
                    other => other.describe(),
                };
                Err(self.cx.error(span, format!("unsupported: `{owner}.{name}(…)`")))
            }
        }
    }

    /// `B.access_ptr("rw", offset=0)`: the `tvm_access_ptr` that TVM makes of it.
    fn access_ptr(&mut self, buffer: wavemark_tile::BufferId, call: &py::ExprCall) -> Parsed<Value> {
        let signature = Signature {
            name: "access_ptr",
            positional: &["access_mask", "ptr_type", "content_lanes", "offset", "extent"],
            keyword: &[],
            required: 1,
        };
        let span = self.cx.span(call);
        let bound = arguments::bind(self.cx, call, &signature)?;
        if bound[1].is_some() || bound[2].is_some() {
            return Err(self.cx.error(span, "unsupported: `ptr_type` and `content_lanes` of `access_ptr`"));
        }
        let mask = match bound[0].map(|mask| self.value(mask)).transpose()? {
            Some(Value::Int(mask @ 1..=3)) => mask,
            Some(Value::Str(text)) if text == "r" => 1,
            Some(Value::Str(text)) if text == "w" => 2,
            Some(Value::Str(text)) if text == "rw" => 3,
            _ => return Err(self.cx.error(span, "an access mask is \"r\", \"w\" or \"rw\"")),
        };
        let declared = self.function.buffer(buffer).clone();
        let offset = bound[3].map(|offset| self.integer(offset)).transpose()?.unwrap_or_else(|| Expr::int(0));
        let extent = match bound[4].filter(|extent| !extent.is_none_literal_expr()) {
            Some(extent) => self.integer(extent)?,
            None => {
                let elements = match (declared.strides.first(), declared.shape.first()) {
                    (Some(stride), Some(extent)) => {
                        Ok(operators::arithmetic(BinaryOp::Mul, stride.clone(), extent.clone()))
                    }
                    _ => Ok(declared.shape.iter().try_fold(Expr::int(1), |product, extent| {
                        operators::arithmetic(BinaryOp::Mul, product, extent.clone())
                    })),
                };
                let extent = elements
                    .and_then(|elements| elements)
                    .and_then(|elements| operators::arithmetic(BinaryOp::Sub, elements, offset.clone()));
                extent.map_err(|message: String| self.cx.error(span, message))?
            }
        };
        let base = self.elem_offset(buffer);
        let offset = operators::arithmetic(BinaryOp::Add, base, offset);
        let offset = offset.map_err(|message| self.cx.error(span, message))?;
        let annotation = Expr::call("type_annotation", declared.dtype, Vec::new());
        let arguments = vec![annotation, Expr::Data(buffer), offset, extent, Expr::int(mask)];
        Ok(Value::Expr(Expr::call("tvm_access_ptr", Dtype::Handle, arguments)))
    }

    /// A call that the tile level has nothing for, with a hint where one is known.
    pub fn unsupported_call(&mut self, path: &str, call: &py::ExprCall) -> Reported {
        let span = self.cx.span(&*call.func);
        let name = path.strip_prefix("T.").unwrap_or(path);
        let message = match name {
            _ if is_vector_type(name) => format!("unsupported: vector type `{path}`"),
            _ => format!("unsupported: `{path}`"),
        };
        let hint = match name {
            "allocate" | "decl_buffer" | "alloc_shared" | "alloc_local" | "launch_thread" | "env_thread"
            | "allocate_const" | "device_entry" => {
                "this is a lowered form; a tile program has blocks, their buffers and `T.thread_binding` loops"
            }
            "Ramp" | "Broadcast" | "Shuffle" | "ramp" | "broadcast" | "vscale" => {
                "this is a vector; write a `T.vectorized` loop"
            }
            "While" | "Assert" | "If" | "Then" | "Else" => "statements are written in Python's syntax",
            "reads" | "writes" | "where" | "sblock_attr" | "block_attr" | "func_attr" | "attr"
            | "evaluate" => "this is a statement of its own",
            "sblock" | "block" | "init" => "expected in a `with`",
            "serial" | "parallel" | "vectorized" | "unroll" | "thread_binding" | "grid" => {
                "expected in the header of a loop"
            }
            "alloc_buffer" | "sblock_alloc_buffer" | "match_buffer" => "expected in an assignment to a name",
            "Buffer" => "expected as the type of a parameter",
            _ if name.starts_with("axis.") => "expected in an assignment to a name, in a block",
            _ if name.contains("cp_async") || name.starts_with("ptx_") || name.starts_with("ptx.") => {
                "this is a lowered form; asynchronous copies are stores under `T.attr({\"async_scope\": 1})`"
            }
            _ => "",
        };
        let mut diagnostic = Diagnostic::error(message).at(span);
        if !hint.is_empty() {
            diagnostic = diagnostic.help(hint);
        }
        self.cx.report(diagnostic)
    }
}

fn is_result_type(keyword: &py::Keyword) -> bool {
    keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == "dtype")
}

const BUILTIN_CALLS: [&str; 7] = ["min", "max", "int", "float", "bool", "len", "round"];
