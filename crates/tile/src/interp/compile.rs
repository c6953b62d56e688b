//! From a function to its compiled form: statements.
//!
//! Refuses, by name and at its place, what the interpreter does not model; [`super::compile_expr`] does so for
//! expressions.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use wavemark_diag::{Diagnostic, Span};

use super::code::{self, *};
use crate::dtype::{Dtype, Element};
use crate::expr::{BufferId, Expr, VarId};
use crate::function::{Function, Param};
use crate::stmt::{self, AxisKind, ForKind, Stmt};

/// Something could not be compiled; the diagnostic is recorded.
pub(super) struct Failed;

pub(super) type Compiled<T> = Result<T, Failed>;

/// How deep expressions and statements may nest.
const DEPTH: usize = 600;

/// Attributes that do not change what their scope means.
const INERT: [&str; 6] = [
    "storage_alignment",
    "double_buffer_scope",
    "double_buffer_write",
    "device_scope",
    "extern_scope",
    "compute_scope",
];

/// What an asynchronous scope that is being compiled touches.
#[derive(Default)]
struct Capture {
    /// Entries of the row at or above this are its own.
    row: usize,
    slots: usize,
    places: BTreeSet<Place>,
    used: BTreeSet<u32>,
    loads: BTreeSet<u32>,
    /// Loaded where the value decides addresses, bounds or conditions.
    steering: BTreeSet<u32>,
    stores: BTreeSet<u32>,
    allocates: bool,
}

enum Shadowed {
    Var(VarId, Option<Place>),
    Buffer(BufferId, Option<Slot>),
}

pub(super) struct Compiler<'f> {
    pub function: &'f Function,
    pub diagnostics: Vec<Diagnostic>,
    vars: FxHashMap<VarId, Place>,
    buffers: FxHashMap<BufferId, Slot>,
    /// What a view stands for, else the slot itself.
    roots: FxHashMap<u32, u32>,
    sites: Vec<Site>,
    loops: Vec<(Arc<str>, Place)>,
    threads: Vec<String>,
    capture: Option<Capture>,
    row: usize,
    most_row: usize,
    slots: usize,
    most_slots: usize,
    /// What names meant before, to restore at the end of the scope that changed them.
    shadowed: Vec<Shadowed>,
    pub depth: usize,
    pub span: Option<Span>,
    pub site: SiteId,
    /// The expression being compiled steers (see [`Capture::steering`]).
    pub steers: bool,
}

/// Compiles a function.
pub(super) fn compile(function: &Function) -> Result<Code, Vec<Diagnostic>> {
    let mut compiler = Compiler {
        function,
        diagnostics: Vec::new(),
        vars: FxHashMap::default(),
        buffers: FxHashMap::default(),
        roots: FxHashMap::default(),
        sites: Vec::new(),
        loops: Vec::new(),
        threads: Vec::new(),
        capture: None,
        row: 0,
        most_row: 0,
        slots: 0,
        most_slots: 0,
        shadowed: Vec::new(),
        depth: 0,
        span: function.span,
        site: 0,
        steers: true,
    };
    compiler.open_site(function.span);
    let parameters = compiler.parameters();
    let body = compiler.statement(&function.body);
    let infos = function.buffers.iter().map(|buffer| BufferInfo {
        name: buffer.name.clone(),
        element: buffer.dtype.element().unwrap_or(Element::U8),
    });
    match (parameters, body) {
        (Ok(parameters), Ok(body)) if compiler.diagnostics.is_empty() => Ok(Code {
            parameters,
            body,
            sites: compiler.sites,
            buffers: infos.collect(),
            row: compiler.most_row,
            slots: compiler.most_slots,
        }),
        _ => Err(compiler.diagnostics),
    }
}

impl Compiler<'_> {
    /// Records an error at the statement being compiled.
    pub fn fail<T>(&mut self, message: impl Into<String>) -> Compiled<T> {
        let diagnostic = Diagnostic::error(message);
        self.diagnostics.push(match self.span {
            Some(span) => diagnostic.at(span),
            None => diagnostic,
        });
        Err(Failed)
    }

    pub fn unsupported<T>(&mut self, what: impl std::fmt::Display) -> Compiled<T> {
        self.fail(format!("unsupported: {what}"))
    }

    /// Runs `inner` one level deeper.
    pub fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Compiled<T>) -> Compiled<T> {
        if self.depth >= DEPTH {
            return self.fail(format!("unsupported: nested more than {DEPTH} deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn open_site(&mut self, span: Option<Span>) -> SiteId {
        if span.is_some() {
            self.span = span;
        }
        self.site = u32::try_from(self.sites.len()).unwrap_or(u32::MAX);
        self.sites.push(Site { span: self.span, loops: self.loops.clone() });
        self.site
    }

    fn new_place(&mut self) -> Place {
        self.row += 1;
        self.most_row = self.most_row.max(self.row);
        self.row as Place - 1
    }

    fn new_var(&mut self, var: VarId) -> Place {
        let place = self.new_place();
        let before = self.vars.insert(var, place);
        self.shadowed.push(Shadowed::Var(var, before));
        place
    }

    fn new_slot(&mut self, buffer: BufferId) -> Slot {
        let slot = Slot { index: self.slots as u32, base: self.new_place() };
        self.slots += 1;
        self.most_slots = self.most_slots.max(self.slots);
        let before = self.buffers.insert(buffer, slot);
        self.shadowed.push(Shadowed::Buffer(buffer, before));
        self.roots.insert(slot.index, slot.index);
        slot
    }

    fn var_name(&self, var: VarId) -> Arc<str> {
        self.function.vars.get(var.0 as usize).map_or_else(|| "?".into(), |var| var.name.clone())
    }

    /// Where a variable is found.
    pub fn var(&mut self, var: VarId) -> Compiled<Place> {
        let Some(&place) = self.vars.get(&var) else {
            let name = self.var_name(var);
            return self.fail(format!("variable `{name}` has no value here"));
        };
        self.note_place(place);
        Ok(place)
    }

    fn note_place(&mut self, place: Place) {
        if let Some(capture) = &mut self.capture
            && (place as usize) < capture.row
        {
            capture.places.insert(place);
        }
    }

    fn buffer(&mut self, buffer: BufferId) -> Compiled<Slot> {
        let Some(&slot) = self.buffers.get(&buffer) else {
            let name = self.function.buffers.get(buffer.0 as usize).map_or("?", |buffer| &*buffer.name);
            let name = name.to_owned();
            return self.fail(format!("buffer `{name}` does not exist here"));
        };
        self.note_place(slot.base);
        if let Some(capture) = &mut self.capture
            && (slot.index as usize) < capture.slots
        {
            capture.used.insert(slot.index);
        }
        Ok(slot)
    }

    /// One element of a buffer; `store`: it is written.
    pub fn access(&mut self, buffer: BufferId, indices: &[Expr], store: bool) -> Compiled<Access> {
        let slot = self.buffer(buffer)?;
        let info = self.function.buffer(buffer);
        if info.dtype.element().is_none() {
            let message = format!("buffers of type `{}` (`{}`)", info.dtype, info.name);
            return self.unsupported(message);
        }
        if info.shape.len() != indices.len() {
            let message = format!(
                "buffer `{}` has {} dimensions and is accessed with {} indices",
                info.name,
                info.shape.len(),
                indices.len()
            );
            return self.fail(message);
        }
        let steers = std::mem::replace(&mut self.steers, true);
        let indices = self.all(indices);
        self.steers = steers;
        let root = self.roots.get(&slot.index).copied().unwrap_or(slot.index);
        if let Some(capture) = &mut self.capture {
            let set = if store { &mut capture.stores } else { &mut capture.loads };
            set.insert(root);
            if !store && steers {
                capture.steering.insert(root);
            }
        }
        Ok(Access { buffer: buffer.0, slot, indices: indices?, site: self.site })
    }

    fn all(&mut self, exprs: &[Expr]) -> Compiled<Box<[Int]>> {
        exprs.iter().map(|expr| self.int(expr)).collect()
    }

    fn parameters(&mut self) -> Compiled<Box<[Parameter]>> {
        let function = self.function;
        for param in &function.params {
            if let Param::Scalar(var) = param {
                self.new_var(*var);
            }
        }
        // First every plain variable that a shape gives a value, then what is computed from them.
        let mut binds: FxHashMap<VarId, (usize, usize)> = FxHashMap::default();
        for (index, param) in function.params.iter().enumerate() {
            let Param::Buffer { buffer, .. } = param else { continue };
            let info = function.buffer(*buffer);
            for (at, expr) in info.shape.iter().chain(&info.strides).chain(&info.elem_offset).enumerate() {
                if let Expr::Var(var, _) = expr
                    && !self.vars.contains_key(var)
                {
                    self.new_var(*var);
                    binds.insert(*var, (index, at));
                }
            }
        }
        let mut parameters = Vec::new();
        for (index, param) in function.params.iter().enumerate() {
            parameters.push(match param {
                Param::Scalar(var) => {
                    let info = function.var(*var);
                    let Some(element) = info.dtype.element() else {
                        return self
                            .unsupported(format!("parameter `{}` of type `{}`", info.name, info.dtype));
                    };
                    Parameter::Scalar { name: info.name.clone(), element, place: self.var(*var)? }
                }
                Param::Buffer { buffer, .. } => {
                    let info = function.buffer(*buffer);
                    self.span = info.span.or(function.span);
                    if info.dtype.element().is_none() {
                        return self
                            .unsupported(format!("parameter `{}` of type `{}`", info.name, info.dtype));
                    }
                    let slot = self.new_slot(*buffer);
                    let mut at = 0;
                    let mut matched = |this: &mut Self, expr: &Expr| -> Compiled<Match> {
                        at += 1;
                        match expr {
                            Expr::Var(var, _) if binds.get(var) == Some(&(index, at - 1)) => {
                                Ok(Match::Bind(this.var(*var)?))
                            }
                            _ => Ok(Match::Equal(this.int(expr)?)),
                        }
                    };
                    let mut list = |this: &mut Self, exprs: &[Expr]| -> Compiled<Box<[Match]>> {
                        exprs.iter().map(|expr| matched(this, expr)).collect()
                    };
                    let shape = list(self, &info.shape)?;
                    let strides = list(self, &info.strides)?;
                    let offset = list(self, info.elem_offset.as_slice())?.into_vec().pop();
                    if !strides.is_empty() && strides.len() != shape.len() {
                        return self
                            .fail(format!("buffer `{}` has not as many strides as dimensions", info.name));
                    }
                    Parameter::Buffer(BufferParameter { slot, buffer: buffer.0, shape, strides, offset })
                }
            });
        }
        self.span = function.span;
        Ok(parameters.into())
    }

    fn statement(&mut self, statement: &Stmt) -> Compiled<Node> {
        let span = self.span;
        let (row, slots, names) = (self.row, self.slots, self.shadowed.len());
        let node = self.deeper(|this| this.statement_here(statement));
        (self.row, self.slots) = (row, slots);
        for shadowed in self.shadowed.drain(names..).rev() {
            match shadowed {
                Shadowed::Var(var, Some(place)) => drop(self.vars.insert(var, place)),
                Shadowed::Var(var, None) => drop(self.vars.remove(&var)),
                Shadowed::Buffer(buffer, Some(slot)) => drop(self.buffers.insert(buffer, slot)),
                Shadowed::Buffer(buffer, None) => drop(self.buffers.remove(&buffer)),
            }
        }
        self.span = span;
        node
    }

    fn statement_here(&mut self, statement: &Stmt) -> Compiled<Node> {
        match statement {
            Stmt::Seq(statements) => {
                let nodes: Vec<_> = statements.iter().map(|statement| self.statement(statement)).collect();
                Ok(Node::Seq(nodes.into_iter().collect::<Compiled<_>>()?))
            }
            Stmt::For(node) => self.loop_(node),
            Stmt::Block(block) => self.block(block),
            Stmt::Store(store) => {
                self.open_site(store.span);
                let access = self.access(store.buffer, &store.indices, true)?;
                self.steers = false;
                let value = self.value(&store.value);
                self.steers = true;
                let value = value?;
                let target = self.function.buffer(store.buffer).dtype;
                if store.value.dtype() != target {
                    let found = store.value.dtype();
                    return self
                        .fail(format!("a value of type `{found}` is stored to a buffer of `{target}`"));
                }
                Ok(Node::Store(Box::new(Store { access, value })))
            }
            Stmt::If { condition, then, otherwise } => {
                self.open_site(first_span(statement));
                let condition = self.condition(condition)?;
                let then = self.statement(then);
                let otherwise = otherwise.as_ref().map(|otherwise| self.statement(otherwise)).transpose();
                Ok(Node::If(Box::new(If { condition, then: then?, otherwise: otherwise? })))
            }
            Stmt::Let { var, value, body } => {
                self.open_site(first_span(statement));
                let value = self.value(value)?;
                let place = self.new_var(*var);
                Ok(Node::Let(Box::new((place, value, self.statement(body)?))))
            }
            Stmt::Evaluate(value, span) => {
                self.open_site(*span);
                self.evaluate(value)
            }
            Stmt::Attr { key, value, body, .. } => {
                self.open_site(first_span(statement));
                self.attribute(key, value, body)
            }
        }
    }

    fn evaluate(&mut self, value: &Expr) -> Compiled<Node> {
        match value {
            Expr::Int(..) | Expr::Float(..) => Ok(Node::Nop),
            // Synchronization of threads that run in lock step, and hints.
            Expr::Call(call) if matches!(&*call.op, "tvm_storage_sync" | "assume") => Ok(Node::Nop),
            Expr::Call(call) if call.dtype.element().is_none() => {
                let name = super::compile_expr::call_name(call);
                self.unsupported(name)
            }
            _ => Ok(Node::Evaluate(Box::new(self.value(value)?))),
        }
    }

    fn attribute(&mut self, key: &str, value: &Expr, body: &Stmt) -> Compiled<Node> {
        let site = self.site;
        if key.starts_with("async_") && self.capture.is_some() {
            return self.unsupported(format!("`{key}` inside `async_scope`"));
        }
        match key {
            "async_commit_queue_scope" => {
                let queue = self.int(value)?;
                let body = self.statement(body)?;
                Ok(Node::Commit(Box::new(Commit { queue, body, site })))
            }
            "async_wait_queue_scope" => {
                let queue = self.int(value)?;
                let Stmt::Attr { key, value, body, .. } = body else {
                    return self.fail(
                        "`async_wait_queue_scope` without an `async_wait_inflight_count` directly inside",
                    );
                };
                if key != "async_wait_inflight_count" {
                    return self.fail(
                        "`async_wait_queue_scope` without an `async_wait_inflight_count` directly inside",
                    );
                }
                let count = self.int(value)?;
                let body = self.statement(body)?;
                Ok(Node::Wait(Box::new(Wait { queue, count, body, site })))
            }
            "async_wait_inflight_count" => {
                self.fail("`async_wait_inflight_count` outside an `async_wait_queue_scope`")
            }
            "async_scope" => self.asynchronous(body),
            _ if INERT.contains(&key)
                || key.starts_with("pragma_")
                || key.starts_with("software_pipeline_") =>
            {
                self.statement(body)
            }
            _ => self.unsupported(format!("attribute `{key}`")),
        }
    }

    fn asynchronous(&mut self, body: &Stmt) -> Compiled<Node> {
        let site = self.site;
        self.capture = Some(Capture { row: self.row, slots: self.slots, ..Capture::default() });
        let loops = self.loops.clone();
        for (_, place) in loops {
            self.note_place(place);
        }
        let body = self.statement(body);
        let capture = self.capture.take().unwrap_or_default();
        let body = body?;
        if let Some(&slot) = capture.steering.intersection(&capture.stores).next() {
            let id = self.buffers.iter().find(|(_, known)| known.index == slot).map(|(id, _)| *id);
            let name = id.map_or("?", |id| &*self.function.buffer(id).name).to_owned();
            return self.unsupported(format!(
                "an asynchronous statement whose addresses or conditions depend on `{name}`, which it writes"
            ));
        }
        Ok(Node::Async(Box::new(Async {
            body,
            independent: !capture.allocates && capture.loads.is_disjoint(&capture.stores),
            places: capture.places.into_iter().collect(),
            slots: capture.used.into_iter().collect(),
            site,
        })))
    }

    fn loop_(&mut self, node: &stmt::For) -> Compiled<Node> {
        let site = self.open_site(node.span);
        let min = self.int(&node.min)?;
        let extent = self.int(&node.extent)?;
        let step = node.step.as_ref().filter(|step| step.as_int() != Some(1)).map(|step| self.int(step));
        let step = step.transpose()?;
        let var = self.new_var(node.var);
        let name = self.var_name(node.var);
        self.loops.push((name, var));
        let node = match &node.kind {
            ForKind::ThreadBinding(tag) => {
                if step.is_some() {
                    return self.unsupported("a loop over threads with a step");
                }
                self.thread_loop(tag, var, min, extent, &node.body, site)
            }
            _ => self
                .statement(&node.body)
                .map(|body| Node::For(Box::new(code::For { var, min, extent, step, body, site }))),
        };
        self.loops.pop();
        node
    }

    fn thread_loop(
        &mut self,
        tag: &str,
        var: Place,
        min: Int,
        extent: Int,
        body: &Stmt,
        site: SiteId,
    ) -> Compiled<Node> {
        let workgroups = tag.starts_with("blockIdx.");
        if !workgroups && !tag.starts_with("threadIdx.") && !tag.starts_with("vthread") {
            return self.unsupported(format!("a loop bound to `{tag}`"));
        }
        if self.capture.is_some() {
            return self.unsupported(format!("a loop bound to `{tag}` inside `async_scope`"));
        }
        if self.threads.iter().any(|outer| outer == tag) {
            return self.unsupported(format!("a loop bound to `{tag}` inside another"));
        }
        if workgroups && self.threads.iter().any(|outer| !outer.starts_with("blockIdx.")) {
            return self.unsupported(format!("a loop bound to `{tag}` inside one over threads"));
        }
        self.threads.push(tag.to_owned());
        let body = self.statement(body);
        self.threads.pop();
        Ok(Node::Threads(Box::new(Threads { var, min, extent, workgroups, body: body?, site })))
    }

    fn block(&mut self, block: &stmt::Block) -> Compiled<Node> {
        self.open_site(block.span);
        let predicate =
            if block.predicate.is_true() { None } else { Some(self.condition(&block.predicate)?) };
        let mut axes = Vec::new();
        for axis in &block.axes {
            axes.push(self.int(&axis.value)?);
        }
        let mut bound = Vec::new();
        let mut first = Vec::new();
        for (axis, value) in block.axes.iter().zip(axes) {
            let min = self.int(&axis.domain.min)?;
            let place = self.new_var(axis.var);
            if axis.kind == AxisKind::Reduce {
                first.push((place, min));
            }
            bound.push((place, value));
        }
        let allocations: Vec<_> = block.alloc_buffers.iter().map(|&buffer| self.allocation(buffer)).collect();
        let allocations = allocations.into_iter().collect::<Compiled<_>>()?;
        let views: Vec<_> = block.match_buffers.iter().map(|matched| self.view(matched)).collect();
        let views = views.into_iter().collect::<Compiled<_>>()?;
        let init = match &block.init {
            Some(init) => Some(Init { first: first.into(), body: self.statement(init)? }),
            None => None,
        };
        let body = self.statement(&block.body)?;
        Ok(Node::Block(Box::new(code::Block {
            predicate,
            axes: bound.into(),
            allocations,
            views,
            init,
            body,
        })))
    }

    fn allocation(&mut self, buffer: BufferId) -> Compiled<Allocation> {
        let info = self.function.buffer(buffer);
        let shape = self.all(&info.shape)?;
        let strides = self.all(&info.strides)?;
        if !strides.is_empty() && strides.len() != shape.len() {
            return self.fail(format!("buffer `{}` has not as many strides as dimensions", info.name));
        }
        if info.dtype.element().is_none() {
            return self.unsupported(format!("buffer `{}` of type `{}`", info.name, info.dtype));
        }
        if let Some(capture) = &mut self.capture {
            capture.allocates = true;
        }
        let sharing = match info.scope.as_str() {
            "" | "global" | "shared" | "shared.dyn" => Sharing::Workgroup,
            "local" => Sharing::Thread,
            _ => Sharing::Unmodelled,
        };
        Ok(Allocation {
            slot: self.new_slot(buffer),
            buffer: buffer.0,
            shape,
            strides,
            sharing,
            site: self.site,
        })
    }

    fn view(&mut self, matched: &stmt::MatchBuffer) -> Compiled<View> {
        let source_slot = self.buffer(matched.source.buffer)?;
        let source = self.function.buffer(matched.source.buffer);
        let info = self.function.buffer(matched.buffer);
        if matched.source.ranges.len() != source.shape.len() || info.shape.len() > source.shape.len() {
            return self.fail(format!("`{}` does not match a region of `{}`", info.name, source.name));
        }
        if info.dtype != source.dtype {
            return self.unsupported(format!(
                "`{}` of `{}` as another name for `{}` of `{}`",
                info.name, info.dtype, source.name, source.dtype
            ));
        }
        if !info.strides.is_empty() && info.strides.len() != info.shape.len() {
            return self.fail(format!("buffer `{}` has not as many strides as dimensions", info.name));
        }
        let mut ranges = Vec::new();
        for range in &matched.source.ranges {
            ranges.push((self.int(&range.min)?, self.int(&range.extent)?));
        }
        let list = |this: &mut Self, exprs: &[Expr]| -> Compiled<Box<[Match]>> {
            exprs
                .iter()
                .map(|expr| match expr {
                    Expr::Var(var, _) if !this.vars.contains_key(var) => Ok(Match::Bind(this.new_var(*var))),
                    _ => Ok(Match::Equal(this.int(expr)?)),
                })
                .collect()
        };
        let shape = list(self, &info.shape)?;
        let strides = list(self, &info.strides)?;
        let offset = list(self, info.elem_offset.as_slice())?.into_vec().pop();
        let slot = self.new_slot(matched.buffer);
        let root = self.roots.get(&source_slot.index).copied().unwrap_or(source_slot.index);
        self.roots.insert(slot.index, root);
        Ok(View {
            slot,
            buffer: matched.buffer.0,
            source: source_slot,
            ranges: ranges.into(),
            shape,
            strides,
            offset,
            site: self.site,
        })
    }
}

/// The first place that a statement or one inside it has.
fn first_span(statement: &Stmt) -> Option<Span> {
    match statement {
        Stmt::For(node) => node.span,
        Stmt::Block(block) => block.span,
        Stmt::Store(store) => store.span,
        Stmt::Evaluate(_, span) => *span,
        Stmt::Attr { span, body, .. } => span.or_else(|| first_span(body)),
        _ => statement.children().find_map(first_span),
    }
}

/// Whether an expression of this type is compiled as an integer.
pub(super) fn is_int(dtype: Dtype) -> bool {
    dtype.is_integer() || dtype == Dtype::BOOL
}
