//! Python's own functions, and methods of buffers and expressions.

use ruff_python_ast as py;
use wavemark_tile::{BinaryOp, Dtype, Expr, fold};

use crate::arguments::{self, Signature};
use crate::context::Parsed;
use crate::function::Builder;
use crate::operators;
use crate::python;
use crate::value::Value;

impl Builder<'_> {
    /// Functions of Python itself.
    pub fn builtin(&mut self, path: &str, call: &py::ExprCall) -> Parsed<Value> {
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
                    Value::Buffer(buffer) => self.function.buffer(buffer).name.to_string(),
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
}

/// Of these what Python makes of its own values is known.
const BUILTIN_CALLS: [&str; 7] = ["min", "max", "int", "float", "bool", "len", "round"];
