//! Calls that are not arithmetic: of foreign functions and intrinsics, pointers, barriers.

use ruff_python_ast as py;
use wavemark_tile::{Dtype, Expr};

use crate::context::Parsed;
use crate::function::Builder;
use crate::value::Value;

impl Builder<'_> {
    /// The type of a call's result, which may be none.
    pub fn result_type(&mut self, node: &py::Expr) -> Parsed<Dtype> {
        match node {
            py::Expr::StringLiteral(text) if matches!(text.value.to_str(), "" | "void") => Ok(Dtype::Void),
            node => self.dtype_argument(node),
        }
    }

    /// `T.call_extern("int32", "f", …)`.
    pub fn typed_call(&mut self, name: &str, call: &py::ExprCall) -> Parsed<Value> {
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

    pub fn opaque_call(&mut self, name: &str, dtype: Dtype, call: &py::ExprCall) -> Parsed<Value> {
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
    pub fn storage_sync(&mut self, call: &py::ExprCall) -> Parsed<Value> {
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
    pub fn call_intrin(&mut self, call: &py::ExprCall) -> Parsed<Value> {
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
}
