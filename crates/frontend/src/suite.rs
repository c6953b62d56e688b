//! Statements: a suite becomes one statement. `T.attr({…})` on a line of its own, `x = e` and their like hold for
//! the rest of the suite.

use ruff_python_ast as py;
use ruff_text_size::{Ranged, TextRange};
use wavemark_diag::Span;
use wavemark_tile::{Expr, Stmt, VarId};

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
    Attr(String, Expr, Span),
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
        Wrapper::Attr(key, value, span) => {
            Stmt::Attr { key: key.into(), value, body: Box::new(body), span: Some(span) }
        }
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

    pub fn deeper(&mut self, span: Span) -> Parsed<()> {
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

    pub fn statement(&mut self, statement: &py::Stmt, suite: &mut Suite) -> Parsed<()> {
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
                    for wrapper in self.attributes(call)? {
                        self.open(suite, wrapper, span)?;
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
    fn attributes(&mut self, call: &py::ExprCall) -> Parsed<Vec<Wrapper>> {
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
                let place = self.cx.span(key);
                let key = self.string(key, "a key")?;
                let value = self.value(&item.value)?;
                let value = self.attribute_value(value, span)?;
                attributes.push(Wrapper::Attr(key, value, Span { end: span.end, ..place }));
            }
            return Ok(attributes);
        }
        if let Value::Dict(items) = self.value(node)? {
            return items
                .into_iter()
                .map(|(key, value)| {
                    let value = self.attribute_value(value, span)?;
                    Ok(Wrapper::Attr(key, value, span))
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
        Ok(vec![Wrapper::Attr(key, self.attribute_value(value, place)?, span)])
    }

    fn attribute_value(&mut self, value: Value, span: Span) -> Parsed<Expr> {
        match value {
            Value::Str(text) => Ok(Expr::Str(text.into())),
            value => self.expression_of(value, span),
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
            "T.attr" => self.attributes(call)?,
            "T.LetStmt" | "T.Bind" | "T.bind" | "T.let" | "T.Let" => self.let_scope(&path, call, item)?,
            _ => return Err(self.unsupported_call(&path, call)),
        };
        for _ in &wrappers {
            self.deeper(span)?;
        }
        let body = self.with_items(rest, with)?;
        Ok(wrappers.into_iter().rev().fold(body, |body, wrapper| wrap(wrapper, body)))
    }

    /// The rest of the items of a `with` and its body, as a block's own suite where there are none.
    pub fn rest_of_with(&mut self, rest: &[py::WithItem], with: &py::StmtWith, place: Place) -> Parsed<Stmt> {
        if rest.is_empty() { self.suite(&with.body, place) } else { self.with_items(rest, with) }
    }
}
