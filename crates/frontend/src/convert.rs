//! Values where the program wants an expression, an integer, a string or a type.

use ruff_python_ast as py;
use wavemark_diag::Span;
use wavemark_tile::{Dtype, Expr, fold};

use crate::context::Parsed;
use crate::expr::{dtype_of_path, is_vector_type, script_path};
use crate::function::Builder;
use crate::operators;
use crate::value::Value;

impl Builder<'_> {
    /// An expression node as an expression of the program.
    pub fn expression(&mut self, node: &py::Expr) -> Parsed<Expr> {
        let span = self.cx.span(node);
        let value = self.value(node)?;
        self.expression_of(value, span)
    }

    /// A value as an expression of the program: Python integers are int32 where they fit, else int64; Python floats
    /// are float32.
    pub fn expression_of(&mut self, value: Value, span: Span) -> Parsed<Expr> {
        match value {
            Value::Expr(expr) => Ok(expr),
            Value::Bool(value) => Ok(Expr::bool(value)),
            Value::Int(value) if i32::try_from(value).is_ok() => Ok(Expr::int(value)),
            Value::Int(value) => Ok(Expr::Int(value, Dtype::INT64)),
            Value::Float(value) => Ok(Expr::Float(value, Dtype::FLOAT32)),
            Value::Buffer(buffer) => {
                let name = &self.function.buffer(buffer).name;
                let message = format!("buffer `{name}` without indices where an expression is expected");
                Err(self.cx.error(span, message))
            }
            Value::Box(buffer, _) => {
                let name = &self.function.buffer(buffer).name;
                let message = format!("unsupported: a slice of `{name}` as a value (vector access)");
                Err(self.cx.error_with(span, message, "expected one element"))
            }
            other => {
                let message = format!("expected an expression, found {}", other.describe());
                Err(self.cx.error(span, message))
            }
        }
    }

    /// A value converted to a type, as a store does. An integer constant must fit.
    pub fn expression_of_type(&mut self, value: Value, dtype: Dtype, span: Span) -> Parsed<Expr> {
        let expr = self.expression_of(value, span)?;
        if let Expr::Int(value, _) = expr
            && !operators::fits(value, dtype)
        {
            return Err(self.cx.error(span, format!("{value} does not fit into {dtype}")));
        }
        let handles = [expr.dtype(), dtype].into_iter().filter(|dtype| dtype.element().is_none()).count();
        if handles == 1 || (handles == 2 && expr.dtype() != dtype) {
            let message = format!("an expression of type {} where {dtype} is expected", expr.dtype());
            return Err(self.cx.error(span, message));
        }
        Ok(self.cast_to(expr, dtype))
    }

    /// The conversion to a type, none where it is the type.
    pub fn cast_to(&mut self, expr: Expr, dtype: Dtype) -> Expr {
        fold::cast(dtype, expr)
    }

    /// An integer expression: an index, a bound, an extent.
    pub fn integer(&mut self, node: &py::Expr) -> Parsed<Expr> {
        let span = self.cx.span(node);
        let value = self.value(node)?;
        self.integer_of(value, span)
    }

    /// A value as an integer expression.
    pub fn integer_of(&mut self, value: Value, span: Span) -> Parsed<Expr> {
        let expr = self.expression_of(value, span)?;
        if !expr.dtype().is_integer() {
            let message = format!("an expression of type {} where an integer is expected", expr.dtype());
            return Err(self.cx.error(span, message));
        }
        Ok(expr)
    }

    /// A string; `what` says whose.
    pub fn string(&mut self, node: &py::Expr, what: &str) -> Parsed<String> {
        let span = self.cx.span(node);
        match self.value(node)? {
            Value::Str(text) => Ok(text),
            other => {
                let message = format!("{what} is a string, found {}", other.describe());
                Err(self.cx.error(span, message))
            }
        }
    }

    /// A type as an argument: `"float16"` or `T.float16`.
    pub fn dtype_argument(&mut self, node: &py::Expr) -> Parsed<Dtype> {
        let span = self.cx.span(node);
        // `T.handle().ty`, as the new dialect prints it.
        if let py::Expr::Attribute(attribute) = node
            && attribute.attr.as_str() == "ty"
            && let py::Expr::Call(call) = &*attribute.value
            && let Some(dtype) = script_path(self.cx, &call.func).as_deref().and_then(dtype_of_path)
        {
            return Ok(dtype);
        }
        let (found, name) = match self.value(node)? {
            Value::Str(name) => (Dtype::from_name(&name).filter(|_| !name.is_empty()), name),
            Value::Path(path) => (dtype_of_path(&path), path),
            other => (None, other.describe()),
        };
        match found {
            Some(dtype) => Ok(dtype),
            None if is_vector_type(name.strip_prefix("T.").unwrap_or(&name)) => {
                Err(self.cx.error(span, format!("unsupported: vector type `{name}`")))
            }
            None => Err(self.cx.error_with(
                span,
                format!("unknown type `{name}`"),
                "expected such as \"float16\"",
            )),
        }
    }
}
