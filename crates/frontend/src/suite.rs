//! Statements: a suite becomes one statement. `T.attr({…})` on a line of its own, `x = e` and their like hold for
//! the rest of the suite.

use ruff_python_ast as py;
use ruff_text_size::{Ranged, TextRange};
use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::{BinaryOp, Dialect, Dtype, Expr, Stmt, Store, VarId};

use crate::arguments::{self, Signature};
use crate::context::Parsed;
use crate::expr;
use crate::function::Builder;
use crate::limits::STATEMENT_DEPTH;
use crate::module::header;
use crate::scalars;
use crate::value::Value;

/// Whose suite it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A function's.
    Function,
    /// A block's.
    Block,
    /// A loop's, a branch's, a scope's.
    Other,
}

/// What holds for the rest of a suite.
pub enum Wrapper {
    /// An attribute.
    Attr(String, Expr),
    /// A variable.
    Let(VarId, Expr),
}

/// The statements of a suite so far.
pub struct Suite {
    /// Whose it is.
    pub place: Place,
    /// Where it ends in the text.
    pub end: usize,
    statements: Vec<Stmt>,
    /// What was opened before the statement of that index.
    open: Vec<(usize, Wrapper)>,
}

impl Suite {
    /// Nothing but its owner's own declarations has been opened.
    pub fn is_direct(&self, place: Place) -> bool {
        self.place == place && self.open.is_empty()
    }

    /// Appends a statement.
    pub fn push(&mut self, statement: Stmt) {
        // What only declares something (`T.init`) leaves no statement.
        if !matches!(&statement, Stmt::Seq(statements) if statements.is_empty()) {
            self.statements.push(statement);
        }
    }

    fn close(self) -> Stmt {
        let Suite { mut statements, open, .. } = self;
        for (from, wrapper) in open.into_iter().rev() {
            let body = sequence(statements.split_off(from));
            statements.push(wrap(wrapper, body));
        }
        sequence(statements)
    }
}

fn sequence(statements: Vec<Stmt>) -> Stmt {
    if statements.is_empty() { Stmt::nop() } else { Stmt::seq(statements) }
}

fn wrap(wrapper: Wrapper, body: Stmt) -> Stmt {
    match wrapper {
        Wrapper::Attr(key, value) => Stmt::attr(&key, value, body),
        Wrapper::Let(var, value) => Stmt::Let { var, value, body: Box::new(body) },
    }
}

impl Builder<'_> {
    /// A suite as one statement. What is refused in it is reported, and the rest is read nevertheless.
    pub fn suite(&mut self, body: &[py::Stmt], place: Place) -> Parsed<Stmt> {
        let mut suite = Suite { place, end: scalars::end_of(body), statements: Vec::new(), open: Vec::new() };
        let depth = self.statement_depth;
        if let Some(first) = body.first() {
            let span = self.cx.span(first);
            self.deeper(span)?;
        }
        let mut failed = None;
        for statement in body {
            if let Err(reported) = self.statement(statement, &mut suite) {
                failed = Some(reported);
            }
        }
        self.statement_depth = depth;
        match failed {
            Some(reported) => Err(reported),
            None => Ok(suite.close()),
        }
    }

    fn deeper(&mut self, span: Span) -> Parsed<()> {
        self.statement_depth += 1;
        if self.statement_depth > STATEMENT_DEPTH {
            return Err(self
                .cx
                .error(span, format!("nested too deeply: more than {STATEMENT_DEPTH} statements")));
        }
        Ok(())
    }

    /// Puts the rest of the suite under a wrapper.
    pub fn open(&mut self, suite: &mut Suite, wrapper: Wrapper, span: Span) -> Parsed<()> {
        self.deeper(span)?;
        suite.open.push((suite.statements.len(), wrapper));
        Ok(())
    }

    /// A suite with a scope of its own.
    pub fn scoped(&mut self, body: &[py::Stmt], place: Place) -> Parsed<Stmt> {
        self.scopes.push();
        let result = self.suite(body, place);
        self.scopes.pop();
        result
    }

    fn statement(&mut self, statement: &py::Stmt, suite: &mut Suite) -> Parsed<()> {
        match statement {
            py::Stmt::Expr(inner) => self.expression_statement(&inner.value, suite),
            py::Stmt::Assign(assign) => self.assign(assign, suite),
            py::Stmt::AugAssign(assign) => self.augmented_assign(assign, suite),
            py::Stmt::AnnAssign(assign) => {
                let result = self.annotated_assign(assign, suite);
                if result.is_err() {
                    self.poison(&assign.target);
                }
                result
            }
            py::Stmt::For(node) => {
                let statement = self.for_loop(node)?;
                suite.push(statement);
                Ok(())
            }
            py::Stmt::If(node) => self.conditional(node, suite),
            py::Stmt::With(with) => self.with(with, suite),
            py::Stmt::Pass(_) => Ok(()),
            other => {
                let span = match other {
                    py::Stmt::While(node) => self.cx.range(header(node, &*node.test)),
                    py::Stmt::FunctionDef(node) => self.cx.range(node.name.range),
                    py::Stmt::ClassDef(node) => self.cx.range(node.name.range),
                    other => self.cx.span(other),
                };
                let what = match other {
                    py::Stmt::While(_) => "`while` loops",
                    py::Stmt::Assert(_) => "`assert`",
                    py::Stmt::Return(_) => "`return`",
                    py::Stmt::Break(_) => "`break`",
                    py::Stmt::Continue(_) => "`continue`",
                    py::Stmt::FunctionDef(_) => "functions inside of functions",
                    py::Stmt::ClassDef(_) => "classes inside of functions",
                    py::Stmt::Import(_) | py::Stmt::ImportFrom(_) => "imports inside of functions",
                    py::Stmt::Try(_) => "`try`",
                    py::Stmt::Raise(_) => "`raise`",
                    py::Stmt::Delete(_) => "`del`",
                    py::Stmt::Match(_) => "`match`",
                    py::Stmt::Global(_) | py::Stmt::Nonlocal(_) => "`global` and `nonlocal`",
                    _ => "this statement",
                };
                Err(self.cx.error(span, format!("unsupported: {what}")))
            }
        }
    }

    fn expression_statement(&mut self, inner: &py::Expr, suite: &mut Suite) -> Parsed<()> {
        if inner.is_string_literal_expr() || inner.is_ellipsis_literal_expr() {
            return Ok(());
        }
        let span = self.cx.span(inner);
        if let py::Expr::Call(call) = inner
            && let Some(path) = expr::script_path(self.cx, &call.func)
        {
            match path.as_str() {
                "T.evaluate" => {
                    let signature =
                        Signature { name: "T.evaluate", positional: &["value"], keyword: &[], required: 1 };
                    let bound = arguments::bind(self.cx, call, &signature)?;
                    for value in bound.into_iter().flatten() {
                        let value = self.expression(value)?;
                        suite.push(Stmt::Evaluate(value, Some(span)));
                    }
                    return Ok(());
                }
                "T.func_attr" => return self.func_attr(call, suite),
                "T.attr" => {
                    for (key, value) in self.attributes(call)? {
                        self.open(suite, Wrapper::Attr(key, value), span)?;
                    }
                    return Ok(());
                }
                "T.LetStmt" | "T.Bind" | "T.bind" => {
                    let (var, value) = self.let_call(call)?;
                    let Some(var) = var else {
                        return Err(self
                            .cx
                            .error(span, "this value gets no name: expected `x = …` or `var=x`"));
                    };
                    return self.open(suite, Wrapper::Let(var, value), span);
                }
                _ => {}
            }
            if self.block_declaration(&path, call, suite)? {
                return Ok(());
            }
        }
        let value = self.value(inner)?;
        if let Value::Buffer(_) = value {
            return Ok(());
        }
        let value = self.expression_of(value, span)?;
        suite.push(Stmt::Evaluate(value, Some(span)));
        Ok(())
    }

    fn func_attr(&mut self, call: &py::ExprCall, suite: &Suite) -> Parsed<()> {
        let span = self.cx.span(call);
        if !suite.is_direct(Place::Function) {
            return Err(self.cx.error(span, "`T.func_attr` belongs to the function's own statements"));
        }
        if !self.function.attributes.is_empty() {
            return Err(self.cx.error(span, "`T.func_attr` is given twice"));
        }
        self.function.attributes = self.annotations_argument(call, "T.func_attr")?;
        Ok(())
    }

    /// The attributes of `T.attr({…})` or `T.attr(0, "key", value)`.
    fn attributes(&mut self, call: &py::ExprCall) -> Parsed<Vec<(String, Expr)>> {
        let signature = Signature {
            name: "T.attr",
            positional: &["node_or_dict", "attr_key", "value"],
            keyword: &[],
            required: 1,
        };
        let bound = arguments::bind(self.cx, call, &signature)?;
        let span = self.cx.span(call);
        let Some(node) = bound[0] else { return Ok(Vec::new()) };
        // Written out, a key may come again: TVM's printer puts nested waits for two queues into one dictionary
        // (which Python would reduce to the last).
        if let py::Expr::Dict(dict) = node {
            let mut attributes = Vec::new();
            for item in &dict.items {
                let span = self.cx.span(&item.value);
                let Some(key) = &item.key else {
                    return Err(self.cx.error(span, "unsupported: `**` in a dictionary"));
                };
                let key = self.string(key, "a key")?;
                let value = self.value(&item.value)?;
                attributes.push((key, self.attribute_value(value, span)?));
            }
            return Ok(attributes);
        }
        if let Value::Dict(items) = self.value(node)? {
            return items
                .into_iter()
                .map(|(key, value)| {
                    let value = self.attribute_value(value, span)?;
                    Ok((key, value))
                })
                .collect();
        }
        let place = self.cx.span(node);
        if !self.value(node).is_ok_and(|node| matches!(node, Value::Int(0) | Value::Expr(Expr::Int(0, _)))) {
            return Err(self.cx.error_with(
                place,
                "unsupported: an attribute of a node that is not 0",
                "expected 0, or a dictionary",
            ));
        }
        let (Some(key), Some(value)) = (bound[1], bound[2]) else {
            return Err(self.cx.error(span, "`T.attr` needs a key and a value"));
        };
        let key = self.string(key, "the key of an attribute")?;
        let place = self.cx.span(value);
        let value = self.value(value)?;
        Ok(vec![(key, self.attribute_value(value, place)?)])
    }

    fn attribute_value(&mut self, value: Value, span: Span) -> Parsed<Expr> {
        match value {
            Value::Str(text) => Ok(Expr::Str(text.into())),
            value => self.expression_of(value, span),
        }
    }

    /// Variable (where it is given) and value of `T.LetStmt(value, var=x)`.
    fn let_call(&mut self, call: &py::ExprCall) -> Parsed<(Option<VarId>, Expr)> {
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

    fn assign(&mut self, assign: &py::StmtAssign, suite: &mut Suite) -> Parsed<()> {
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
        suite.push(Stmt::Store(Box::new(Store { buffer, indices, value, span })));
        Ok(())
    }

    fn augmented_assign(&mut self, assign: &py::StmtAugAssign, suite: &mut Suite) -> Parsed<()> {
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

    fn annotated_assign(&mut self, assign: &py::StmtAnnAssign, suite: &mut Suite) -> Parsed<()> {
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

    fn conditional(&mut self, node: &py::StmtIf, suite: &mut Suite) -> Parsed<()> {
        // Read from the first test to the last, built from the last to the first.
        let mut arms: Vec<(Option<&py::Expr>, &[py::Stmt])> = vec![(Some(&node.test), &node.body)];
        arms.extend(node.elif_else_clauses.iter().map(|clause| (clause.test.as_ref(), &clause.body[..])));
        let mut built: Vec<(Expr, Stmt)> = Vec::new();
        let mut otherwise = None;
        let mut failed = None;
        let depth = self.statement_depth;
        for (test, body) in arms {
            let condition = match test {
                None => Value::Bool(true),
                Some(test) => {
                    let span = self.cx.span(test);
                    self.deeper(span)?;
                    match self.value(test) {
                        Ok(Value::Int(value)) => {
                            let message = format!("the condition is the integer {value}");
                            failed = Some(self.cx.error_with(span, message, "expected a bool"));
                            Value::Expr(Expr::bool(true))
                        }
                        Ok(value) => value,
                        Err(reported) => {
                            failed = Some(reported);
                            Value::Expr(Expr::bool(true))
                        }
                    }
                }
            };
            let condition = match (condition, test) {
                (Value::Bool(false), _) => continue,
                // A Python bool decides now; its suite has no scope of its own.
                (Value::Bool(true), _) if built.is_empty() && test.is_some() && failed.is_none() => {
                    self.statement_depth = depth;
                    for statement in body {
                        if let Err(reported) = self.statement(statement, suite) {
                            failed = Some(reported);
                        }
                    }
                    return failed.map_or(Ok(()), Err);
                }
                (Value::Bool(true), _) => None,
                (value, Some(test)) => {
                    let span = self.cx.span(test);
                    match self.condition_of(value, span) {
                        Ok(condition) => Some(condition),
                        Err(reported) => {
                            failed = Some(reported);
                            Some(Expr::bool(true))
                        }
                    }
                }
                (_, None) => None,
            };
            let body = match self.scoped(body, Place::Other) {
                Ok(body) => body,
                Err(reported) => {
                    failed = Some(reported);
                    continue;
                }
            };
            match condition {
                Some(condition) => built.push((condition, body)),
                None => {
                    otherwise = Some(body);
                    break;
                }
            }
        }
        self.statement_depth = depth;
        if let Some(reported) = failed {
            return Err(reported);
        }
        for (condition, then) in built.into_iter().rev() {
            let branch = Stmt::If { condition, then: Box::new(then), otherwise: otherwise.map(Box::new) };
            otherwise = Some(branch);
        }
        if let Some(statement) = otherwise {
            suite.push(statement);
        }
        Ok(())
    }

    /// A value as a condition. TVM takes integers, too; here they are compared with 0.
    fn condition_of(&mut self, value: Value, span: Span) -> Parsed<Expr> {
        let condition = self.expression_of(value, span)?;
        match condition.dtype() {
            Dtype::BOOL => Ok(condition),
            dtype if dtype.is_integer() => Ok(Expr::binary(BinaryOp::Ne, condition, Expr::Int(0, dtype))),
            dtype => {
                Err(self.cx.error_with(span, format!("the condition has type {dtype}"), "expected a bool"))
            }
        }
    }

    fn with(&mut self, with: &py::StmtWith, suite: &mut Suite) -> Parsed<()> {
        self.scopes.push();
        let depth = self.statement_depth;
        let result = self.with_items(&with.items, with);
        self.statement_depth = depth;
        self.scopes.pop();
        suite.push(result?);
        Ok(())
    }

    /// The first item's scope around the others'.
    fn with_items(&mut self, items: &[py::WithItem], with: &py::StmtWith) -> Parsed<Stmt> {
        let Some((item, rest)) = items.split_first() else {
            return self.suite(&with.body, Place::Other);
        };
        let span = self.cx.span(item);
        self.deeper(span)?;
        let path = match &item.context_expr {
            py::Expr::Call(call) => expr::script_path(self.cx, &call.func).map(|path| (path, call)),
            _ => None,
        };
        let Some((path, call)) = path else {
            return Err(self.cx.error_with(
                span,
                "`with` of something that is no scope",
                "expected a block, `T.attr(…)`, `T.init()` or `T.LetStmt(…)`",
            ));
        };
        let wrappers = match path.as_str() {
            "T.sblock" | "T.block" => {
                let range = TextRange::new(with.range.start(), call.range().end());
                return self.block(call, rest, with, range);
            }
            "T.init" => return self.init(call, rest, with),
            "T.attr" => {
                let attributes = self.attributes(call)?;
                attributes.into_iter().map(|(key, value)| Wrapper::Attr(key, value)).collect()
            }
            "T.LetStmt" | "T.Bind" | "T.bind" | "T.let" | "T.Let" => self.let_scope(&path, call, item)?,
            _ => return Err(self.unsupported_call(&path, call)),
        };
        for _ in &wrappers {
            self.deeper(span)?;
        }
        let body = self.with_items(rest, with)?;
        Ok(wrappers.into_iter().rev().fold(body, |body, wrapper| wrap(wrapper, body)))
    }

    fn let_scope(&mut self, path: &str, call: &py::ExprCall, item: &py::WithItem) -> Parsed<Vec<Wrapper>> {
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

    /// The rest of the items of a `with` and its body, as a block's own suite where there are none.
    pub fn rest_of_with(&mut self, rest: &[py::WithItem], with: &py::StmtWith, place: Place) -> Parsed<Stmt> {
        if rest.is_empty() { self.suite(&with.body, place) } else { self.with_items(rest, with) }
    }
}
