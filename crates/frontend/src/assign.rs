//! Assignments: to elements of buffers, to names with and without a type, and what `T.LetStmt` gives a name.

use ruff_python_ast as py;
use ruff_text_size::{Ranged, TextRange};
use wavemark_diag::Diagnostic;
use wavemark_tile::{Dialect, Expr, Stmt, Store, VarId};

use crate::arguments::{self, Signature};
use crate::context::Parsed;
use crate::expr;
use crate::function::Builder;
use crate::suite::{Suite, Wrapper};
use crate::value::Value;

impl Builder<'_> {
    /// Variable (where it is given) and value of `T.LetStmt(value, var=x)`.
    pub fn let_call(&mut self, call: &py::ExprCall) -> Parsed<(Option<VarId>, Expr)> {
        let signature = Signature {
            name: "T.LetStmt",
            positional: &["value", "type_annotation"],
            keyword: &["var"],
            required: 1,
        };
        let bound = arguments::bind(self.cx, call, &signature)?;
        let Some(value) = bound[0] else {
            let span = self.cx.span(call);
            return Err(self.cx.error(span, "`T.LetStmt` needs a value"));
        };
        let mut value = self.expression(value)?;
        if let Some(annotation) = bound[1] {
            let dtype = self.annotation_dtype(annotation)?;
            value = self.cast_to(value, dtype);
        }
        let var = match bound[2] {
            None => None,
            Some(var) => {
                let span = self.cx.span(var);
                match self.value(var)? {
                    Value::Expr(Expr::Var(id, dtype)) => {
                        value = self.cast_to(value, dtype);
                        Some(id)
                    }
                    other => {
                        let message = format!("`var` needs a variable, found {}", other.describe());
                        return Err(self.cx.error(span, message));
                    }
                }
            }
        };
        Ok((var, value))
    }

    pub fn assign(&mut self, assign: &py::StmtAssign, suite: &mut Suite) -> Parsed<()> {
        let [target] = &assign.targets[..] else {
            let span = self.cx.span(assign);
            return Err(self.cx.error(span, "unsupported: `a = b = c`"));
        };
        if let py::Expr::Subscript(element) = target {
            let value = self.value(&assign.value);
            let place = self.element(element);
            let (value, (buffer, indices)) = (value?, place?);
            return self.store(buffer, indices, value, &assign.value, assign.range, suite);
        }
        let result = self.assign_names(target, &assign.value, suite);
        if result.is_err() {
            self.poison(target);
        }
        result
    }

    fn assign_names(&mut self, target: &py::Expr, value: &py::Expr, suite: &mut Suite) -> Parsed<()> {
        if let py::Expr::Name(name) = target
            && let Some(buffer) = self.scalar_in_memory(&name.id)
        {
            let stored = self.value(value)?;
            let place = name.range.cover(value.range());
            return self.store(buffer, vec![Expr::int(0)], stored, value, place, suite);
        }
        if let py::Expr::Call(call) = value
            && let Some(path) = expr::script_path(self.cx, &call.func)
        {
            if matches!(path.as_str(), "T.LetStmt" | "T.Bind" | "T.bind")
                && let py::Expr::Name(name) = target
            {
                let (var, value) = self.let_call(call)?;
                return match var {
                    None => self.let_variable(&name.id, name.range, value, suite, false),
                    Some(_) => {
                        let span = self.cx.span(call);
                        Err(self.cx.error(span, "this value has two names: `var=` and the assignment's"))
                    }
                };
            }
            if let Some(value) = self.block_definition(&path, call, suite)? {
                return self.bind(target, value, suite);
            }
        }
        let value = self.value(value)?;
        self.bind(target, value, suite)
    }

    /// `buffer[indices] = value`, converted to the buffer's type.
    fn store(
        &mut self,
        buffer: wavemark_tile::BufferId,
        indices: Vec<Expr>,
        value: Value,
        place: &py::Expr,
        range: TextRange,
        suite: &mut Suite,
    ) -> Parsed<()> {
        let span = self.cx.span(place);
        let dtype = self.function.buffer(buffer).dtype;
        let value = self.expression_of_type(value, dtype, span)?;
        let span = Some(self.cx.range(range));
        suite.push(Stmt::Store(Box::new(Store { buffer, indices: indices.into(), value, span })));
        Ok(())
    }

    pub fn augmented_assign(&mut self, assign: &py::StmtAugAssign, suite: &mut Suite) -> Parsed<()> {
        let span = self.cx.span(assign);
        let scalar = match &*assign.target {
            py::Expr::Name(name) => self.scalar_in_memory(&name.id),
            _ => None,
        };
        let (buffer, indices) = match (&*assign.target, scalar) {
            (_, Some(buffer)) => (buffer, vec![Expr::int(0)]),
            (py::Expr::Subscript(element), None) => self.element(element)?,
            _ => {
                return Err(self.cx.report(
                    Diagnostic::error("unsupported: a variable that is assigned again")
                        .at_with(span, "expected an element of a buffer on the left")
                        .help("use a buffer of one element"),
                ));
            }
        };
        let left = Expr::load(buffer, self.function.buffer(buffer).dtype, indices.clone());
        let right = self.value(&assign.value)?;
        let value = self.operator(assign.op, Value::Expr(left), right, span)?;
        self.store(buffer, indices, value, &assign.value, assign.range, suite)
    }

    pub fn annotated_assign(&mut self, assign: &py::StmtAnnAssign, suite: &mut Suite) -> Parsed<()> {
        let span = self.cx.span(assign);
        let py::Expr::Name(name) = &*assign.target else {
            return Err(self.cx.error(span, "a type belongs to a name"));
        };
        let Some(value) = &assign.value else {
            let dtype = self.annotation_dtype(&assign.annotation)?;
            if self.cx.dialect == Dialect::Old || dtype.element().is_none() {
                return Err(self.cx.error_with(
                    span,
                    format!("`{}` has no value", name.id),
                    "expected `= …`",
                ));
            }
            return self.declare_scalar(&name.id, name.range, dtype, None, suite);
        };
        // `T.let`, `T.let[T.int32]` and `T.int32`.
        let (annotation, assignable) = match &*assign.annotation {
            py::Expr::Subscript(subscript)
                if expr::script_path(self.cx, &subscript.value).as_deref() == Some("T.let") =>
            {
                (Some(&*subscript.slice), false)
            }
            other if expr::script_path(self.cx, other).as_deref() == Some("T.let") => (None, false),
            other => (Some(other), true),
        };
        let dtype = annotation.map(|annotation| self.annotation_dtype(annotation)).transpose()?;
        let place = self.cx.span(&**value);
        let value = self.value(value)?;
        let value = match dtype {
            Some(dtype) => self.expression_of_type(value, dtype, place)?,
            None => self.expression_of(value, place)?,
        };
        self.let_variable(&name.id, name.range, value, suite, assignable)
    }

    pub fn let_scope(
        &mut self,
        path: &str,
        call: &py::ExprCall,
        item: &py::WithItem,
    ) -> Parsed<Vec<Wrapper>> {
        let span = self.cx.span(item);
        // The oldest form: `with T.let(x, e):`.
        if matches!(path, "T.let" | "T.Let") {
            let signature =
                Signature { name: "T.let", positional: &["var", "value"], keyword: &[], required: 2 };
            let bound = arguments::bind(self.cx, call, &signature)?;
            if let (Some(var), Some(value)) = (bound[0], bound[1])
                && let Value::Expr(Expr::Var(var, dtype)) = self.value(var)?
            {
                let value = self.expression(value)?;
                let value = self.cast_to(value, dtype);
                return Ok(vec![Wrapper::Let(var, value)]);
            }
            return Err(self.cx.error(span, "`T.let` needs a variable and a value"));
        }
        let (var, value) = self.let_call(call)?;
        let name = match item.optional_vars.as_deref() {
            Some(py::Expr::Name(name)) => Some(name),
            Some(other) => {
                let span = self.cx.span(other);
                return Err(self.cx.error(span, "expected one name"));
            }
            None => None,
        };
        let var = match (var, name) {
            (Some(var), None) => var,
            (None, Some(name)) => {
                let dtype = value.dtype();
                let var = self.function.add_var(&name.id, dtype);
                self.define(&name.id, name.range, Value::Expr(Expr::Var(var, dtype)))?;
                var
            }
            _ => return Err(self.cx.error(span, "this value needs one name: `as x` or `var=x`")),
        };
        Ok(vec![Wrapper::Let(var, value)])
    }
}
