//! Annotations: dictionaries of a function, a loop or a block.

use ruff_python_ast as py;
use wavemark_diag::Span;
use wavemark_tile::{Annotation, Annotations, Dialect, Dtype, Expr};

use crate::arguments::{self, Signature};
use crate::context::Parsed;
use crate::function::Builder;
use crate::value::Value;

/// Annotations that passes read as plain numbers, whatever type the text gave those.
const PLAIN: [&str; 5] = [
    "software_pipeline_stage",
    "software_pipeline_order",
    "software_pipeline_async_stages",
    "num_stages",
    "double_buffer_scope",
];

fn untyped(annotation: Annotation) -> Annotation {
    match annotation {
        Annotation::Expr(Expr::Int(value, _)) => Annotation::Int(value),
        Annotation::List(items) => Annotation::List(items.into_iter().map(untyped).collect()),
        other => other,
    }
}

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
                let items = items.into_iter().map(|(key, value)| {
                    let annotation = self.annotation(value, span)?;
                    let plain = PLAIN.contains(&key.as_str());
                    Ok((key, if plain { untyped(annotation) } else { annotation }))
                });
                items.collect()
            }
            Value::None => Ok(Annotations::new()),
            other => {
                let message = format!("`{name}` needs a dictionary, found {}", other.describe());
                Err(self.cx.error(span, message))
            }
        }
    }

    /// A value as an annotation. A constant with a type stays an expression, except where the old dialect has no
    /// other way to write the number; a target is its string or dictionary.
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
            Value::Expr(Expr::Int(value, Dtype::BOOL)) => Annotation::Bool(value != 0),
            Value::Expr(Expr::Int(value, Dtype::INT32)) => Annotation::Int(value),
            Value::Expr(Expr::Int(value, Dtype::INT64))
                if self.cx.dialect == Dialect::Old && i32::try_from(value).is_err() =>
            {
                Annotation::Int(value)
            }
            Value::Expr(Expr::Float(value, Dtype::FLOAT32)) if self.cx.dialect == Dialect::Old => {
                Annotation::Float(value)
            }
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
