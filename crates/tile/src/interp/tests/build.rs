//! A small builder, so that tests read like the programs they run.

use crate::dtype::{Dtype, Element};
use crate::expr::{BinaryOp, BufferId, Expr, VarId};
use crate::function::{Buffer, Function, Param};
use crate::interp::{Argument, Options, Outcome, RunError, compile};
use crate::stmt::{Axis, AxisKind, Block, For, ForKind, Range, Stmt, Store};

pub(super) const F32: Dtype = Dtype::FLOAT32;

pub(super) struct Builder(pub Function);

impl Builder {
    pub fn new() -> Builder {
        Builder(Function {
            name: "main".into(),
            private: false,
            params: Vec::new(),
            vars: Vec::new(),
            buffers: Vec::new(),
            attributes: Default::default(),
            body: Stmt::nop(),
            span: None,
        })
    }

    pub fn var(&mut self, name: &str) -> VarId {
        self.0.add_var(name, Dtype::INT32)
    }

    pub fn buffer(&mut self, name: &str, dtype: Dtype, shape: &[i64], scope: &str) -> BufferId {
        let shape = shape.iter().map(|&extent| Expr::int(extent)).collect();
        self.0.add_buffer(Buffer {
            name: name.into(),
            dtype,
            shape,
            strides: Vec::new(),
            elem_offset: None,
            offset_factor: 0,
            align: None,
            scope: scope.into(),
            span: None,
        })
    }

    pub fn param(&mut self, name: &str, dtype: Dtype, shape: &[i64]) -> BufferId {
        let buffer = self.buffer(name, dtype, shape, "global");
        self.0.params.push(Param::Buffer { buffer, handle: None });
        buffer
    }

    pub fn load(&self, buffer: BufferId, indices: impl Into<Vec<Expr>>) -> Expr {
        Expr::load(buffer, self.0.buffer(buffer).dtype, indices.into())
    }

    pub fn store(&self, buffer: BufferId, indices: impl Into<Vec<Expr>>, value: Expr) -> Stmt {
        Stmt::Store(Box::new(Store { buffer, indices: indices.into().into(), value, span: None }))
    }

    pub fn finish(mut self, body: Stmt) -> Function {
        self.0.body = body;
        self.0
    }
}

pub(super) fn v(var: VarId) -> Expr {
    Expr::Var(var, Dtype::INT32)
}

pub(super) fn int(value: i64) -> Expr {
    Expr::int(value)
}

pub(super) fn f(value: f64) -> Expr {
    Expr::Float(value, F32)
}

pub(super) fn add(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::Add, left, right)
}

pub(super) fn sub(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::Sub, left, right)
}

pub(super) fn floor_mod(left: Expr, right: i64) -> Expr {
    Expr::binary(BinaryOp::FloorMod, left, int(right))
}

pub(super) fn compare(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::binary(op, left, right)
}

pub(super) fn for_kind(var: VarId, min: i64, extent: i64, kind: ForKind, body: Stmt) -> Stmt {
    Stmt::For(Box::new(For {
        var,
        min: int(min),
        extent: int(extent),
        step: None,
        kind,
        annotations: Default::default(),
        body,
        span: None,
    }))
}

pub(super) fn for_(var: VarId, extent: i64, body: Stmt) -> Stmt {
    for_kind(var, 0, extent, ForKind::Serial, body)
}

pub(super) fn threads(var: VarId, extent: i64, tag: &str, body: Stmt) -> Stmt {
    for_kind(var, 0, extent, ForKind::ThreadBinding(tag.into()), body)
}

pub(super) fn block(alloc_buffers: &[BufferId], body: Stmt) -> Block {
    Block {
        name: "".into(),
        axes: Vec::new(),
        predicate: Expr::bool(true),
        reads: Vec::new(),
        writes: Vec::new(),
        alloc_buffers: alloc_buffers.to_vec(),
        match_buffers: Vec::new(),
        annotations: Default::default(),
        init: None,
        body,
        span: None,
    }
}

pub(super) fn alloc(buffers: &[BufferId], body: Stmt) -> Stmt {
    Stmt::Block(Box::new(block(buffers, body)))
}

/// A block that runs where `predicate` holds.
pub(super) fn only(predicate: Expr, body: Stmt) -> Stmt {
    Stmt::Block(Box::new(Block { predicate, ..block(&[], body) }))
}

pub(super) fn reduce_axis(var: VarId, extent: i64, value: Expr) -> Axis {
    Axis { var, domain: Range { min: int(0), extent: int(extent) }, kind: AxisKind::Reduce, value }
}

pub(super) fn commit(queue: i64, body: Stmt) -> Stmt {
    Stmt::attr("async_commit_queue_scope", int(queue), body)
}

pub(super) fn asynchronous(body: Stmt) -> Stmt {
    Stmt::attr("async_scope", int(1), body)
}

pub(super) fn wait(queue: i64, count: Expr, body: Stmt) -> Stmt {
    let inner = Stmt::attr("async_wait_inflight_count", count, body);
    Stmt::attr("async_wait_queue_scope", int(queue), inner)
}

pub(super) fn floats(shape: &[u64], values: impl IntoIterator<Item = f32>) -> Argument {
    let data = values.into_iter().flat_map(f32::to_le_bytes).collect();
    Argument::Buffer { element: Element::F32, shape: shape.to_vec(), data }
}

pub(super) fn ints(values: &[i32]) -> Argument {
    let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Argument::Buffer { element: Element::I32, shape: vec![values.len() as u64], data }
}

pub(super) fn bytes(argument: &Argument) -> &[u8] {
    match argument {
        Argument::Buffer { data, .. } => data,
        Argument::Scalar(..) => &[],
    }
}

pub(super) fn to_floats(argument: &Argument) -> Vec<f32> {
    bytes(argument).chunks_exact(4).map(|chunk| f32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

pub(super) fn to_ints(argument: &Argument) -> Vec<i32> {
    bytes(argument).chunks_exact(4).map(|chunk| i32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

pub(super) fn run(
    function: &Function,
    args: &mut [Argument],
    options: &Options,
) -> Result<Outcome, RunError> {
    match compile(function) {
        Ok(program) => program.run(args, options),
        Err(diagnostics) => panic!("{diagnostics:?}"),
    }
}

/// What the run found, or the fault, as text.
pub(super) fn report(result: &Result<Outcome, RunError>) -> String {
    match result {
        Ok(outcome) => {
            outcome.findings.iter().map(|finding| format!("{finding}\n")).collect::<Vec<_>>().concat()
        }
        Err(error) => format!("{error}\n"),
    }
}
