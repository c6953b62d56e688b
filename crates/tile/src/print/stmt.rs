//! Statements, loops and blocks.

use super::Printer;
use super::buffer::lookup;
use super::names::Entity;
use super::number::quote;
use crate::dtype::Dtype;
use crate::expr::{BufferId, Expr};
use crate::fold;
use crate::function::Dialect;
use crate::stmt::{Annotation, Annotations, Axis, AxisKind, Block, For, ForKind, Range, Stmt};

impl<'m> Printer<'m> {
    /// A statement, one after the other when it is a sequence. `last`: nothing follows in the suite, so a scope
    /// may be written as a line that holds for the rest of it. The old dialect does so after other statements,
    /// the new one only where the scope is the whole suite.
    pub(super) fn body(&mut self, stmt: &'m Stmt, last: bool) {
        let mut statements = Vec::new();
        flatten(stmt, &mut statements);
        if statements.is_empty() {
            self.line(|printer| printer.out.push_str("T.evaluate(0)"));
        }
        let count = statements.len();
        for (position, statement) in statements.into_iter().enumerate() {
            let start = self.out.len();
            let alone = count == 1 || self.dialect == Dialect::Old;
            self.statement(statement, last && alone && position + 1 == count);
            self.flush_declarations(start);
        }
    }

    fn statement(&mut self, stmt: &'m Stmt, last: bool) {
        match stmt {
            Stmt::Seq(_) => self.body(stmt, last),
            Stmt::For(node) => self.for_loop(node),
            Stmt::Block(block) => self.block(block),
            Stmt::Store(store) => self.line(|printer| {
                printer.buffer(store.buffer);
                printer.indices(&store.indices);
                printer.out.push_str(" = ");
                printer.expr(&store.value);
            }),
            Stmt::If { condition, then, otherwise } => {
                self.line(|printer| {
                    printer.out.push_str("if ");
                    printer.expr(condition);
                    printer.out.push(':');
                });
                self.scoped_suite(then);
                if let Some(otherwise) = otherwise {
                    self.line(|printer| printer.out.push_str("else:"));
                    self.scoped_suite(otherwise);
                }
            }
            Stmt::Attr { key, value, body, .. } => self.attr(key, value, body, last),
            Stmt::Let { var, value, body } => {
                let annotation = self.let_annotation(value.dtype());
                if last || self.dialect == Dialect::New {
                    self.indent();
                    let text = self.capture(|printer| printer.expr(value));
                    let name = self.define_var(*var);
                    self.push_all(&[&name, ": ", &annotation, " = ", &text, "\n"]);
                    // In the new dialect it is no scope, and may end a suite.
                    let old = self.dialect == Dialect::Old;
                    if old || !is_nothing(body) {
                        self.body(body, last && old);
                    }
                } else {
                    self.names.push();
                    self.line(|printer| {
                        printer.out.push_str("with T.LetStmt(");
                        printer.expr(value);
                        let name = printer.define_var(*var);
                        printer.push_all(&[") as ", &name, ":"]);
                    });
                    self.suite(|printer| printer.body(body, true));
                    self.names.pop();
                }
            }
            Stmt::Evaluate(value @ Expr::Call(call), _) if !self.is_inversion(call) => {
                self.line(|printer| printer.expr(value));
            }
            Stmt::Evaluate(value, _) => self.line(|printer| {
                printer.out.push_str("T.evaluate(");
                printer.expr(value);
                printer.out.push(')');
            }),
        }
    }

    /// The statement one level further in; what it defines ends with it.
    fn scoped_suite(&mut self, stmt: &'m Stmt) {
        self.names.push();
        self.suite(|printer| printer.body(stmt, true));
        self.names.pop();
    }

    fn let_annotation(&self, dtype: Dtype) -> String {
        match self.dialect {
            Dialect::New => format!("T.let[T.{}]", dtype.name()),
            Dialect::Old => format!("T.{}", dtype.name()),
        }
    }

    /// The new dialect writes attributes that hold for the same statements as one dictionary. A key that comes
    /// again (a wait for a second queue) begins another: TVM's printer puts both into one, and reading that loses
    /// the first.
    fn attr(&mut self, key: &'m str, value: &'m Expr, body: &'m Stmt, last: bool) {
        let mut keys = vec![(key, value)];
        let mut body = body;
        while self.dialect == Dialect::New
            && let Stmt::Attr { key, value, body: inner, .. } = body
            && keys.iter().all(|(earlier, _)| earlier != key)
        {
            keys.push((key, value));
            body = inner;
        }
        let dialect = self.dialect;
        let call = |printer: &mut Printer<'m>| {
            printer.out.push_str(if dialect == Dialect::New { "T.attr({" } else { "T.attr(0, " });
            for (position, (key, value)) in keys.iter().enumerate() {
                if position > 0 {
                    printer.out.push_str(", ");
                }
                printer.out.push_str(&quote(key));
                printer.out.push_str(if dialect == Dialect::New { ": " } else { ", " });
                printer.expr(value);
            }
            printer.out.push_str(if dialect == Dialect::New { "})" } else { ")" });
        };
        self.names.push();
        if last {
            self.line(call);
            self.body(body, true);
        } else {
            self.line(|printer| {
                printer.out.push_str("with ");
                call(printer);
                printer.out.push(':');
            });
            self.scoped_suite(body);
        }
        self.names.pop();
    }

    fn for_loop(&mut self, node: &'m For) {
        let grid = grid(node);
        self.names.push();
        let enclosing = self.loops.len();
        let body = match grid.last() {
            Some(innermost) if grid.len() > 1 => {
                self.line(|printer| {
                    let names: Vec<String> = grid.iter().map(|node| printer.define_var(node.var)).collect();
                    printer.push_all(&["for ", &names.join(", "), " in T.grid("]);
                    for (position, node) in grid.iter().enumerate() {
                        if position > 0 {
                            printer.out.push_str(", ");
                        }
                        printer.expr(&node.extent);
                    }
                    printer.out.push_str("):");
                });
                self.loops.extend(&grid);
                &innermost.body
            }
            _ => {
                self.line(|printer| printer.loop_header(node));
                self.loops.push(node);
                &node.body
            }
        };
        self.suite(|printer| printer.body(body, true));
        self.loops.truncate(enclosing);
        self.names.pop();
    }

    fn loop_header(&mut self, node: &For) {
        let name = self.define_var(node.var);
        let step = node.step.as_ref().filter(|step| step.as_int() != Some(1));
        let plain = node.kind == ForKind::Serial && node.annotations.is_empty();
        let function = match &node.kind {
            ForKind::Serial if plain => "range",
            ForKind::Serial => "T.serial",
            ForKind::Parallel => "T.parallel",
            ForKind::Vectorized => "T.vectorized",
            ForKind::Unrolled => "T.unroll",
            ForKind::ThreadBinding(_) => "T.thread_binding",
        };
        self.push_all(&["for ", &name, " in ", function, "("]);
        if node.min.as_int() == Some(0) && step.is_none() {
            self.expr(&node.extent);
        } else {
            self.expr(&node.min);
            self.out.push_str(", ");
            self.expr(&fold::add(node.min.clone(), node.extent.clone()));
        }
        if let ForKind::ThreadBinding(thread) = &node.kind {
            let thread = quote(thread);
            self.push_all(&[", thread=", &thread]);
        }
        if !node.annotations.is_empty() {
            self.loop_annotations(node);
        }
        if let Some(step) = step {
            self.out.push_str(if plain { ", " } else { ", step=" });
            self.expr(step);
        }
        self.out.push_str("):");
    }

    /// TVM has short forms of two annotations, which only `T.serial` reads back.
    fn loop_annotations(&mut self, node: &For) {
        let only = node.annotations.iter().next().filter(|_| node.annotations.len() == 1);
        let short = self.dialect == Dialect::New && node.kind == ForKind::Serial;
        match only {
            Some((key, _)) if short && key == "disable_unroll" => self.out.push_str(", unroll=False"),
            Some((key, value)) if short && key == "pragma_unroll" => {
                self.out.push_str(", unroll=");
                self.annotation(value);
            }
            _ => {
                self.out.push_str(", annotations=");
                self.annotations(&node.annotations);
            }
        }
    }

    /// `{"key": value, ...}`, by key.
    pub(super) fn annotations(&mut self, annotations: &Annotations) {
        self.out.push('{');
        for (position, (key, value)) in annotations.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.push_all(&[&quote(&self.key(key)), ": "]);
            self.annotation(value);
        }
        self.out.push('}');
    }

    fn annotation(&mut self, annotation: &Annotation) {
        let old = self.dialect == Dialect::Old;
        match annotation {
            Annotation::Bool(value) => match (old, value) {
                (true, true) => self.out.push_str("T.bool(True)"),
                (true, false) => self.out.push_str("T.bool(False)"),
                (false, true) => self.out.push_str("True"),
                (false, false) => self.out.push_str("False"),
            },
            // The old dialect has typed constants only.
            Annotation::Int(value) if old && i32::try_from(*value).is_err() => {
                self.expr(&Expr::Int(*value, Dtype::INT64));
            }
            Annotation::Int(value) => self.out.push_str(&value.to_string()),
            Annotation::Float(value) if old => self.expr(&Expr::Float(*value, Dtype::FLOAT32)),
            Annotation::Float(value) => self.out.push_str(&super::number::float(*value, self.dialect)),
            Annotation::Str(text) => self.out.push_str(&quote(text)),
            Annotation::List(items) => {
                self.out.push('[');
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        self.out.push_str(", ");
                    }
                    self.annotation(item);
                }
                self.out.push(']');
            }
            Annotation::Dict(entries) => self.annotations(entries),
            Annotation::Expr(expr) => self.expr(expr),
        }
    }

    fn block(&mut self, block: &'m Block) {
        self.names.push();
        let opener = self.word("block");
        self.line(|printer| {
            printer.push_all(&["with T.", opener, "(", &quote(&block.name), "):"]);
        });
        self.suite(|printer| {
            printer.axes(block);
            if block.predicate.as_int() != Some(1) {
                printer.line(|printer| {
                    printer.out.push_str("T.where(");
                    printer.expr(&block.predicate);
                    printer.out.push(')');
                });
            }
            for (call, regions) in [("T.reads(", &block.reads), ("T.writes(", &block.writes)] {
                printer.line(|printer| {
                    printer.out.push_str(call);
                    printer.regions(regions);
                    printer.out.push(')');
                });
            }
            if !block.annotations.is_empty() {
                let word = printer.word("block_attr");
                printer.line(|printer| {
                    printer.push_all(&["T.", word, "("]);
                    printer.annotations(&block.annotations);
                    printer.out.push(')');
                });
            }
            printer.allocations(&block.alloc_buffers);
            for matched in &block.match_buffers {
                let Some(buffer) = lookup(printer.function, matched.buffer) else { continue };
                printer.line(|printer| {
                    let name = printer.names.define(Entity::Buffer(matched.buffer), &buffer.name);
                    let source = printer.capture(|printer| printer.region(&matched.source));
                    printer.push_all(&[&name, " = "]);
                    printer.buffer_call("match_buffer", Some(&source), buffer, matched.buffer, false);
                });
            }
            if let Some(init) = &block.init {
                printer.line(|printer| printer.out.push_str("with T.init():"));
                printer.scoped_suite(init);
            }
            printer.body(&block.body, true);
        });
        self.names.pop();
    }

    /// A block's own buffers.
    pub(super) fn allocations(&mut self, buffers: &[BufferId]) {
        let method = self.word("alloc_buffer");
        for id in buffers {
            let Some(buffer) = lookup(self.function, *id) else { continue };
            self.line(|printer| {
                let name = printer.names.define(Entity::Buffer(*id), &buffer.name);
                printer.push_all(&[&name, " = "]);
                printer.buffer_call(method, None, buffer, *id, false);
            });
        }
    }

    /// Axes, those that are bound to a loop of the same range together as `T.axis.remap`.
    fn axes(&mut self, block: &Block) {
        let mut rest = &block.axes[..];
        while let Some(first) = rest.first() {
            let same = rest.iter().take_while(|axis| self.is_loop(axis)).count();
            let count = same.max(1);
            let (now, later) = rest.split_at(count.min(rest.len()));
            if now.len() > 1 {
                self.remap(now);
            } else {
                self.line(|printer| printer.axis(first));
            }
            rest = later;
        }
    }

    fn is_loop(&self, axis: &Axis) -> bool {
        let Expr::Var(value, _) = &axis.value else { return false };
        let same = |node: &For| node.min == axis.domain.min && node.extent == axis.domain.extent;
        matches!(axis.kind, AxisKind::Spatial | AxisKind::Reduce)
            && self.loops.iter().find(|node| node.var == *value).is_some_and(|node| same(node))
    }

    fn remap(&mut self, axes: &[Axis]) {
        self.line(|printer| {
            let mut kinds = String::new();
            for (position, axis) in axes.iter().enumerate() {
                if position > 0 {
                    printer.out.push_str(", ");
                }
                kinds.push(if axis.kind == AxisKind::Spatial { 'S' } else { 'R' });
                let name = printer.define_var(axis.var);
                printer.out.push_str(&name);
            }
            printer.push_all(&[" = T.axis.remap(\"", &kinds, "\", ["]);
            for (position, axis) in axes.iter().enumerate() {
                if position > 0 {
                    printer.out.push_str(", ");
                }
                printer.expr(&axis.value);
            }
            printer.out.push_str("])");
        });
    }

    fn axis(&mut self, axis: &Axis) {
        let kind = match axis.kind {
            AxisKind::Spatial => "spatial",
            AxisKind::Reduce => "reduce",
            AxisKind::Opaque => "opaque",
            AxisKind::Scan => "scan",
        };
        let Range { min, extent } = &axis.domain;
        let arguments = self.capture(|printer| {
            if min.as_int() == Some(0) {
                printer.expr(extent);
            } else {
                printer.tuple(&[min.clone(), fold::add(min.clone(), extent.clone())]);
            }
            printer.out.push_str(", ");
            printer.expr(&axis.value);
        });
        let name = self.define_var(axis.var);
        self.push_all(&[&name, " = T.axis.", kind, "(", &arguments, ")"]);
    }
}

/// A statement that does nothing.
fn is_nothing(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Seq(statements) => statements.is_empty(),
        Stmt::Evaluate(value, _) => value.as_int() == Some(0),
        _ => false,
    }
}

/// Sequences inside sequences as one.
fn flatten<'s>(stmt: &'s Stmt, out: &mut Vec<&'s Stmt>) {
    match stmt {
        Stmt::Seq(statements) => statements.iter().for_each(|stmt| flatten(stmt, out)),
        _ => out.push(stmt),
    }
}

/// The loops from `node` inwards that `T.grid` can write: perfectly nested, serial, from zero, independent.
fn grid(node: &For) -> Vec<&For> {
    let mut grid: Vec<&For> = Vec::new();
    let mut next = Some(node);
    while let Some(node) = next {
        let plain = node.kind == ForKind::Serial
            && node.min.as_int() == Some(0)
            && node.annotations.is_empty()
            && node.step.as_ref().is_none_or(|step| step.as_int() == Some(1));
        if !plain || grid.iter().any(|outer| node.extent.uses(outer.var)) {
            break;
        }
        grid.push(node);
        next = match &node.body {
            Stmt::For(inner) => Some(inner),
            _ => None,
        };
    }
    grid
}
