//! Scalars in memory. In the new dialect `x = e` makes a scalar that may be assigned again. One that is not is a
//! variable here, which analyses see through; one that is becomes a `local` buffer of one element.

use ruff_python_ast as py;
use ruff_text_size::{Ranged, TextRange};
use rustc_hash::FxHashMap;
use wavemark_tile::{Buffer, BufferId, Dialect, Dtype, Expr, Stmt, Store};

use crate::context::Parsed;
use crate::function::Builder;
use crate::scope::Binding;
use crate::suite::Suite;
use crate::value::Value;

/// Where names are assigned, by name, in the order of the text.
pub type Assignments = FxHashMap<String, Vec<usize>>;

/// The assignments of single names in a function's body, without the declarations of `x: T.int32`.
pub fn assignments(body: &[py::Stmt]) -> Assignments {
    let mut found = Assignments::default();
    let mut note = |target: &py::Expr| {
        if let py::Expr::Name(name) = target {
            found.entry(name.id.to_string()).or_default().push(name.range.start().to_usize());
        }
    };
    let mut left: Vec<&py::Stmt> = body.iter().collect();
    while let Some(statement) = left.pop() {
        match statement {
            py::Stmt::Assign(assign) => assign.targets.iter().for_each(&mut note),
            py::Stmt::AugAssign(assign) => note(&assign.target),
            py::Stmt::For(node) => left.extend(&node.body),
            py::Stmt::With(node) => left.extend(&node.body),
            py::Stmt::If(node) => {
                left.extend(&node.body);
                left.extend(node.elif_else_clauses.iter().flat_map(|clause| &clause.body));
            }
            _ => {}
        }
    }
    found.values_mut().for_each(|places| places.sort_unstable());
    found
}

impl Builder<'_> {
    /// The name is assigned after `range` while the suite lasts.
    pub fn is_assigned_later(&self, name: &str, range: TextRange, suite: &Suite) -> bool {
        let later = range.end().to_usize()..suite.end;
        self.assignments.get(name).is_some_and(|places| {
            places
                .get(places.partition_point(|place| *place < later.start))
                .is_some_and(|place| *place < later.end)
        })
    }

    /// The buffer of one element that an assignment to the name stores to.
    pub fn scalar_in_memory(&self, name: &str) -> Option<BufferId> {
        if self.cx.dialect == Dialect::Old {
            return None;
        }
        let binding = self.scopes.get(name)?;
        match binding.value.as_ref()? {
            Value::Expr(Expr::Load(load)) if binding.assignable => Some(load.buffer),
            Value::Buffer(buffer) => match &self.function.buffer(*buffer).shape[..] {
                [extent] if extent.as_int() == Some(1) => Some(*buffer),
                _ => None,
            },
            _ => None,
        }
    }

    /// `x: T.int32` and what is assigned again: a buffer of one element, and the first value in it.
    pub fn declare_scalar(
        &mut self,
        name: &str,
        range: TextRange,
        dtype: Dtype,
        value: Option<Expr>,
        suite: &mut Suite,
    ) -> Parsed<()> {
        let span = self.cx.range(range);
        let buffer = self.function.add_buffer(Buffer {
            name: name.into(),
            dtype,
            shape: vec![Expr::int(1)],
            strides: Vec::new(),
            elem_offset: None,
            offset_factor: 0,
            align: None,
            scope: "local".into(),
            span: Some(span),
        });
        let element = Value::Expr(Expr::load(buffer, dtype, vec![Expr::int(0)]));
        self.define(name, range, element.clone())?;
        self.scopes.define(name, Binding { value: Some(element), span, assignable: true });
        match self.blocks.last_mut() {
            Some(open) => open.alloc_buffers.push(buffer),
            None => self.root_allocs.push(buffer),
        }
        if let Some(value) = value {
            suite.push(Stmt::Store(Box::new(Store {
                buffer,
                indices: [Expr::int(0)].into_iter().collect(),
                value,
                span: Some(span),
            })));
        }
        Ok(())
    }
}

/// Where a suite ends in the text.
pub fn end_of(body: &[py::Stmt]) -> usize {
    body.last().map_or(0, |last| last.range().end().to_usize())
}
