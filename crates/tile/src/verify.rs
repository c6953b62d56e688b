//! Whether a module is a program: what every pass here may rely on.
//!
//! Checks: ids name entries; variables and buffers are defined where they are used, and once; loads, stores and
//! regions have an index a dimension; operators, stores, conditions and predicates have the types they need; sizes
//! and steps are not negative; pipeline annotations have their form. Whether a program computes anything sensible
//! (bounds, races, regions that say the truth) is not asked here.
//!
//! Promises: no panic, whatever the ids are (the depth of nesting is the front end's to limit). An error stands at
//! the innermost statement with a span, and the message names the variable, buffer or block.

mod scope;
mod types;

use wavemark_diag::{Diagnostic, Span};

use crate::dtype::Dtype;
use crate::expr::{BufferId, Expr, VarId};
use crate::function::{Dialect, Function, Module, Param};
use crate::print::print_expr;
use crate::stmt::{Annotation, Annotations, Axis, Block, For, Range, Region, Stmt};
use scope::Scope;

/// Checks every function.
///
/// # Errors
/// Everything that is wrong, in the order of the text; never an empty list.
pub fn verify(module: &Module) -> Result<(), Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut names = rustc_hash::FxHashSet::default();
    for function in &module.functions {
        if !names.insert(&function.name) {
            let message = format!("function `{}` is defined twice", function.name);
            let diagnostic = Diagnostic::error(message);
            diagnostics.push(match function.span {
                Some(span) => diagnostic.at(span),
                None => diagnostic,
            });
        }
        let mut verifier = Verifier {
            function,
            scope: Scope::default(),
            span: function.span,
            diagnostics: std::mem::take(&mut diagnostics),
        };
        verifier.function();
        diagnostics = verifier.diagnostics;
    }
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}

struct Verifier<'m> {
    function: &'m Function,
    scope: Scope,
    /// The innermost statement that has a place.
    span: Option<Span>,
    diagnostics: Vec<Diagnostic>,
}

impl<'m> Verifier<'m> {
    fn error(&mut self, message: String) {
        let diagnostic = Diagnostic::error(message);
        self.diagnostics.push(match self.span {
            Some(span) => diagnostic.at(span),
            None => diagnostic,
        });
    }

    fn var_name(&self, id: VarId) -> String {
        match self.function.vars.get(id.0 as usize) {
            Some(var) => format!("`{}`", var.name),
            None => format!("number {}", id.0),
        }
    }

    fn buffer_name(&self, id: BufferId) -> String {
        match self.function.buffers.get(id.0 as usize) {
            Some(buffer) => format!("`{}`", buffer.name),
            None => format!("number {}", id.0),
        }
    }

    fn text(&self, expr: &Expr) -> String {
        print_expr(self.function, expr, Dialect::New)
    }

    fn function(&mut self) {
        for param in &self.function.params {
            if let Param::Scalar(var) = param {
                self.define_var(*var);
            }
        }
        for param in &self.function.params {
            if let Param::Buffer { buffer, .. } = param {
                self.define_sizes(*buffer);
                self.define_buffer(*buffer);
            }
        }
        self.annotations(&self.function.attributes);
        self.stmt(&self.function.body);
    }

    fn define_var(&mut self, id: VarId) {
        if self.function.vars.get(id.0 as usize).is_none() {
            self.error(format!("variable number {} does not exist", id.0));
        } else if !self.scope.define_var(id) {
            self.error(format!("variable {} is defined twice", self.var_name(id)));
        }
    }

    /// Variables of a shape that nothing else defines are bound by the argument.
    fn define_sizes(&mut self, id: BufferId) {
        let Some(buffer) = self.function.buffers.get(id.0 as usize) else { return };
        for size in buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset) {
            size.visit(&mut |part| {
                if let Expr::Var(var, _) = part
                    && !self.scope.has_var(*var)
                    && self.function.vars.get(var.0 as usize).is_some()
                {
                    self.scope.define_var(*var);
                }
            });
        }
    }

    /// Defines a buffer and checks what it says of itself.
    fn define_buffer(&mut self, id: BufferId) {
        let Some(buffer) = self.function.buffers.get(id.0 as usize) else {
            self.error(format!("buffer number {} does not exist", id.0));
            return;
        };
        let outer = self.span;
        self.span = buffer.span.or(outer);
        if !self.scope.define_buffer(id) {
            self.error(format!("buffer `{}` is defined twice", buffer.name));
        }
        if buffer.dtype.element().is_none() {
            self.error(format!("buffer `{}` cannot have elements of type {}", buffer.name, buffer.dtype));
        }
        for size in buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset) {
            self.integer(size, "a size of a buffer");
        }
        for size in &buffer.shape {
            if size.as_int().is_some_and(|size| size < 0) {
                self.error(format!("buffer `{}` has the negative size {}", buffer.name, self.text(size)));
            }
        }
        if !buffer.strides.is_empty() && buffer.strides.len() != buffer.shape.len() {
            let (strides, shape) = (buffer.strides.len(), buffer.shape.len());
            self.error(format!("buffer `{}` has {strides} strides for {shape} dimensions", buffer.name));
        }
        if buffer.offset_factor < 0 || buffer.align.is_some_and(|align| align < 0) {
            self.error(format!("buffer `{}` has a negative alignment or offset factor", buffer.name));
        }
        self.span = outer;
    }

    fn stmt(&mut self, stmt: &'m Stmt) {
        let outer = self.span;
        self.span = span(stmt).or(outer);
        match stmt {
            Stmt::Seq(statements) => statements.iter().for_each(|stmt| self.stmt(stmt)),
            Stmt::For(node) => self.for_loop(node),
            Stmt::Block(block) => self.block(block),
            Stmt::Store(store) => {
                self.indices(store.buffer, &store.indices, "store to");
                self.expr(&store.value);
                if let Some(buffer) = self.function.buffers.get(store.buffer.0 as usize) {
                    let (dtype, value) = (buffer.dtype, store.value.dtype());
                    if dtype != value {
                        self.error(format!(
                            "a {value} value is stored to `{}`, which is {dtype}",
                            buffer.name
                        ));
                    }
                }
            }
            Stmt::If { condition, then, otherwise } => {
                self.boolean(condition, "the condition of `if`");
                self.stmt(then);
                otherwise.iter().for_each(|stmt| self.stmt(stmt));
            }
            Stmt::Attr { key, value, body, .. } => {
                self.attr(key, value);
                self.stmt(body);
            }
            Stmt::Let { var, value, body } => {
                self.expr(value);
                self.scope.push();
                self.define_var(*var);
                if let Some(declared) = self.function.vars.get(var.0 as usize)
                    && declared.dtype != value.dtype()
                {
                    let (name, dtype) = (&declared.name, declared.dtype);
                    self.error(format!("variable `{name}` is {dtype} and its value is {}", value.dtype()));
                }
                self.stmt(body);
                self.scope.pop();
            }
            Stmt::Evaluate(value, _) => self.expr(value),
        }
        self.span = outer;
    }

    fn for_loop(&mut self, node: &'m For) {
        self.integer(&node.min, "the start of a loop");
        self.integer(&node.extent, "the extent of a loop");
        if let Some(step) = &node.step {
            self.integer(step, "the step of a loop");
            if step.as_int().is_some_and(|step| step <= 0) {
                let name = self.var_name(node.var);
                self.error(format!(
                    "the step of the loop over {name} is {} and not positive",
                    self.text(step)
                ));
            }
        }
        let dtypes = [&node.min, &node.extent].map(Expr::dtype);
        if let Some(var) = self.function.vars.get(node.var.0 as usize)
            && dtypes.iter().any(|dtype| *dtype != var.dtype)
        {
            let [min, extent] = dtypes;
            let (name, dtype) = (&var.name, var.dtype);
            self.error(format!("loop variable `{name}` is {dtype}, its start {min} and its extent {extent}"));
        }
        self.annotations(&node.annotations);
        self.scope.push();
        self.define_var(node.var);
        self.stmt(&node.body);
        self.scope.pop();
    }

    fn block(&mut self, block: &'m Block) {
        for axis in &block.axes {
            self.axis(axis);
        }
        self.boolean(&block.predicate, "the predicate of a block");
        self.scope.push();
        block.axes.iter().for_each(|axis| self.define_var(axis.var));
        block.reads.iter().chain(&block.writes).for_each(|region| self.region(region));
        self.annotations(&block.annotations);
        block.alloc_buffers.iter().for_each(|id| self.define_buffer(*id));
        for matched in &block.match_buffers {
            self.region(&matched.source);
            self.define_sizes(matched.buffer);
            self.define_buffer(matched.buffer);
            self.matches(matched.buffer, matched.source.buffer);
        }
        block.init.iter().for_each(|stmt| self.stmt(stmt));
        self.stmt(&block.body);
        self.scope.pop();
    }

    fn axis(&mut self, axis: &Axis) {
        let Range { min, extent } = &axis.domain;
        for expr in [min, extent, &axis.value] {
            self.integer(expr, "a block axis");
        }
    }

    fn matches(&mut self, id: BufferId, source: BufferId) {
        let get = |id: BufferId| self.function.buffers.get(id.0 as usize);
        if let (Some(new), Some(source)) = (get(id), get(source))
            && (new.dtype != source.dtype || new.scope != source.scope)
        {
            self.error(format!(
                "`{}` ({} in {}) cannot be another name for `{}` ({} in {})",
                new.name, new.dtype, new.scope, source.name, source.dtype, source.scope
            ));
        }
    }

    fn attr(&mut self, key: &str, value: &Expr) {
        if !matches!(value, Expr::Str(_)) {
            self.expr(value);
        }
        if key.starts_with("async_") && !(value.dtype().is_integer() || value.dtype() == Dtype::BOOL) {
            self.error(format!("attribute `{key}` is an integer, not {}", self.text(value)));
        }
    }

    fn region(&mut self, region: &Region) {
        self.uses_buffer(region.buffer);
        self.rank(region.buffer, region.ranges.len(), "region of");
        for range in &region.ranges {
            self.integer(&range.min, "a bound of a region");
            self.integer(&range.extent, "a bound of a region");
        }
    }

    /// Those that the scheduler reads have a form of their own.
    fn annotations(&mut self, annotations: &'m Annotations) {
        for (key, value) in annotations {
            self.annotation(value);
            let integer = matches!(value, Annotation::Int(_))
                || matches!(value, Annotation::Expr(Expr::Int(_, dtype)) if dtype.is_integer());
            let list = match value {
                Annotation::List(items) => items.iter().all(|item| {
                    matches!(item, Annotation::Int(_))
                        || matches!(item, Annotation::Expr(Expr::Int(_, dtype)) if dtype.is_integer())
                }),
                _ => false,
            };
            match key.as_str() {
                "software_pipeline_stage" | "software_pipeline_order" | "software_pipeline_async_stages"
                    if !list =>
                {
                    self.error(format!("annotation `{key}` is a list of integers"));
                }
                "num_stages" | "double_buffer_scope" if !integer => {
                    self.error(format!("annotation `{key}` is an integer"));
                }
                _ => {}
            }
        }
    }

    fn annotation(&mut self, annotation: &'m Annotation) {
        match annotation {
            Annotation::Expr(Expr::Str(_)) => {}
            Annotation::Expr(expr) => self.expr(expr),
            Annotation::List(items) => items.iter().for_each(|item| self.annotation(item)),
            Annotation::Dict(entries) => entries.values().for_each(|item| self.annotation(item)),
            Annotation::Bool(_) | Annotation::Int(_) | Annotation::Float(_) | Annotation::Str(_) => {}
        }
    }
}

fn span(stmt: &Stmt) -> Option<Span> {
    match stmt {
        Stmt::For(node) => node.span,
        Stmt::Block(block) => block.span,
        Stmt::Store(store) => store.span,
        Stmt::Evaluate(_, span) => *span,
        Stmt::Seq(_) | Stmt::If { .. } | Stmt::Attr { .. } | Stmt::Let { .. } => None,
    }
}
