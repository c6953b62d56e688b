//! Names: assignment of values to them, and what to say when one is unknown.

use ruff_python_ast as py;
use ruff_text_size::TextRange;
use wavemark_diag::Diagnostic;
use wavemark_tile::{Dialect, Expr};

use crate::context::Parsed;
use crate::function::Builder;
use crate::scope::Binding;
use crate::suite::{Suite, Wrapper};
use crate::value::Value;

impl Builder<'_> {
    /// Defines a name in the innermost scope, which must not have it yet.
    pub fn define(&mut self, name: &str, range: TextRange, value: Value) -> Parsed<()> {
        let span = self.cx.range(range);
        if let Some(before) = self.scopes.innermost(name)
            && before.value.is_some()
        {
            let first = before.span;
            return Err(self.cx.report(
                Diagnostic::error(format!("`{name}` is defined twice in one scope"))
                    .at(span)
                    .label(first, "the first definition"),
            ));
        }
        self.scopes.define(name, Binding { value: Some(value), span, assignable: false });
        Ok(())
    }

    /// Defines a name whose value was refused, so that its uses are not reported, too.
    pub fn poison(&mut self, target: &py::Expr) {
        match target {
            py::Expr::Name(name) => {
                let span = self.cx.span(name);
                if self.scopes.innermost(&name.id).is_none() {
                    self.scopes.define(&name.id, Binding { value: None, span, assignable: false });
                }
            }
            py::Expr::Tuple(tuple) => tuple.elts.iter().for_each(|item| self.poison(item)),
            py::Expr::List(list) => list.elts.iter().for_each(|item| self.poison(item)),
            _ => {}
        }
    }

    /// `target = value`, where the target is a name or several.
    pub fn bind(&mut self, target: &py::Expr, value: Value, suite: &mut Suite) -> Parsed<()> {
        let items = match target {
            py::Expr::Name(name) => return self.bind_name(&name.id, name.range, value, suite),
            py::Expr::Tuple(tuple) => &tuple.elts,
            py::Expr::List(list) => &list.elts,
            _ => {
                let span = self.cx.span(target);
                return Err(self.cx.error_with(
                    span,
                    "unsupported: assignment to this",
                    "expected a name, several names, or an element of a buffer",
                ));
            }
        };
        let span = self.cx.span(target);
        let Value::List(values) = value else {
            let found = value.describe();
            return Err(self.cx.error(span, format!("{} names for {found}", items.len())));
        };
        if values.len() != items.len() {
            let message = format!("{} names for {} values", items.len(), values.len());
            return Err(self.cx.error(span, message));
        }
        for (item, (value, _)) in items.iter().zip(values) {
            self.bind(item, value, suite)?;
        }
        Ok(())
    }

    /// `name = value`: what was just made (a variable, a buffer) gets its name; an expression gets a variable.
    fn bind_name(&mut self, name: &str, range: TextRange, value: Value, suite: &mut Suite) -> Parsed<()> {
        let span = self.cx.range(range);
        match value {
            Value::NewVar(dtype) => {
                if let Some(&var) = self.signature_vars.get(name)
                    && let Some(Binding { value: Some(Value::Expr(Expr::Var(bound, _))), .. }) =
                        self.scopes.get(name)
                    && *bound == var
                {
                    let declared = self.function.var(var).dtype;
                    if declared != dtype {
                        return Err(self.cx.error(
                            span,
                            format!("`{name}` is {declared} in the signature and {dtype} here"),
                        ));
                    }
                    return Ok(());
                }
                let var = self.function.add_var(name, dtype);
                self.define(name, range, Value::Expr(Expr::Var(var, dtype)))
            }
            Value::Buffer(buffer) => {
                let known = &mut self.function.buffers[buffer.0 as usize].name;
                if known.is_empty() {
                    *known = name.into();
                }
                self.define(name, range, Value::Buffer(buffer))
            }
            Value::Expr(Expr::Var(var, dtype)) if self.function.var(var).name.is_empty() => {
                self.function.vars[var.0 as usize].name = name.into();
                self.define(name, range, Value::Expr(Expr::Var(var, dtype)))
            }
            Value::Expr(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_) => {
                let value = self.expression_of(value, span)?;
                self.let_variable(name, range, value, suite, true)
            }
            other => self.define(name, range, other),
        }
    }

    /// A variable for the value in the rest of the suite; an assignable one that is assigned again is a scalar in
    /// memory.
    pub fn let_variable(
        &mut self,
        name: &str,
        range: TextRange,
        value: Expr,
        suite: &mut Suite,
        assignable: bool,
    ) -> Parsed<()> {
        let span = self.cx.range(range);
        let dtype = value.dtype();
        if assignable
            && self.cx.dialect == Dialect::New
            && dtype.element().is_some()
            && self.is_assigned_later(name, range, suite)
        {
            return self.declare_scalar(name, range, dtype, Some(value), suite);
        }
        let var = self.function.add_var(name, dtype);
        self.define(name, range, Value::Expr(Expr::Var(var, dtype)))?;
        self.open(suite, Wrapper::Let(var, value), span)
    }

    /// A use of a name that nothing defines.
    pub fn unknown_name(&mut self, name: &str, range: TextRange) -> crate::context::Reported {
        let span = self.cx.range(range);
        let mut diagnostic = Diagnostic::error(format!("unknown name `{name}`")).at(span);
        let known = self.scopes.names().chain(self.cx.constants.keys().map(String::as_str));
        let close = known.filter(|known| !known.is_empty() && similar(known, name)).min();
        if self.in_signature {
            diagnostic = diagnostic.help(format!("a size that the argument brings is written \"{name}\""));
        }
        if let Some(close) = close {
            diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
        }
        self.cx.report(diagnostic)
    }
}

/// One letter apart: replaced, left out, put in, or of the other case.
fn similar(left: &str, right: &str) -> bool {
    if left.eq_ignore_ascii_case(right) {
        return true;
    }
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let (long, short) = if left.len() >= right.len() { (left, right) } else { (right, left) };
    if long.len() < 3 || long.len() - short.len() > 1 {
        return false;
    }
    let same = long.iter().zip(short).take_while(|(left, right)| left == right).count();
    let rest = &long[(same + 1).min(long.len())..];
    rest == &short[same..] || rest == &short[(same + 1).min(short.len())..]
}
