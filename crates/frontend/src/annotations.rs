//! Annotations: dictionaries of a function, a loop or a block.

use ruff_python_ast as py;
use wavemark_diag::Span;
use wavemark_tile::{Annotation, Annotations, Expr};

use crate::arguments::{self, Signature};
use crate::context::Parsed;
use crate::function::Builder;
use crate::value::Value;

impl Builder<'_> {
    /// The dictionary that is the only argument of a call, such as `T.func_attr({…})`.
    pub fn annotations_argument(&mut self, call: &py::ExprCall, name: &'static str) -> Parsed<Annotations> {
        let signature = Signature { name, positional: &["attrs"], keyword: &[], required: 1 };
        let bound = arguments::bind(self.cx, call, &signature)?;
        match bound[0] {
            Some(attrs) => self.annotations(attrs, name),
            None => Ok(Annotations::new()),
        }
    }

    /// A dictionary as annotations.
    pub fn annotations(&mut self, dict: &py::Expr, name: &str) -> Parsed<Annotations> {
        let span = self.cx.span(dict);
        match self.value(dict)? {
            Value::Dict(items) => {
                items.into_iter().map(|(key, value)| Ok((key, self.annotation(value, span)?))).collect()
            }
            Value::None => Ok(Annotations::new()),
            other => {
                let message = format!("`{name}` needs a dictionary, found {}", other.describe());
                Err(self.cx.error(span, message))
            }
        }
    }

    /// A value as an annotation. `T.int64(3)` and `T.float32(1.5)` are the number; a target is its string or
    /// dictionary.
    fn annotation(&mut self, value: Value, span: Span) -> Parsed<Annotation> {
        Ok(match value {
            Value::Bool(value) => Annotation::Bool(value),
            Value::Int(value) => Annotation::Int(value),
            Value::Float(value) => Annotation::Float(value),
            Value::Str(text) => Annotation::Str(text),
            Value::List(items) => Annotation::List(
                items.into_iter().map(|(item, span)| self.annotation(item, span)).collect::<Parsed<_>>()?,
            ),
            Value::Dict(items) => Annotation::Dict(
                items
                    .into_iter()
                    .map(|(key, value)| Ok((key, self.annotation(value, span)?)))
                    .collect::<Parsed<_>>()?,
            ),
            Value::Target(target) => self.annotation(*target, span)?,
            Value::Expr(Expr::Int(value, wavemark_tile::Dtype::BOOL)) => Annotation::Bool(value != 0),
            Value::Expr(Expr::Int(value, _)) => Annotation::Int(value),
            Value::Expr(Expr::Float(value, _)) => Annotation::Float(value),
            Value::Expr(Expr::Str(text)) => Annotation::Str(text.to_string()),
            Value::Expr(expr) => Annotation::Expr(expr),
            other => {
                let message = format!("unsupported: {} as an annotation", other.describe());
                return Err(self.cx.error_with(
                    span,
                    message,
                    "expected numbers, strings, lists, dictionaries and expressions",
                ));
            }
        })
    }
}
