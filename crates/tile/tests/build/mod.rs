//! A program made by hand, for tests that need every kind of node.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;

use wavemark_tile::{
    Annotation, Axis, AxisKind, BinaryOp, Block, Buffer, BufferId, Dialect, Dtype, Element, Expr, For,
    ForKind, Function, MatchBuffer, Module, Param, Range, Region, Stmt, Store, VarId,
};

/// `float16`.
pub const F16: Dtype = Dtype::Element(Element::F16);

/// A function without parameters and body.
pub fn function(name: &str) -> Function {
    Function {
        name: name.into(),
        private: false,
        params: Vec::new(),
        vars: Vec::new(),
        buffers: Vec::new(),
        attributes: BTreeMap::new(),
        body: Stmt::nop(),
        span: None,
    }
}

/// A module of the new dialect.
pub fn module(functions: Vec<Function>) -> Module {
    Module { name: "Module".into(), dialect: Dialect::New, attributes: BTreeMap::new(), functions }
}

/// A compact buffer.
pub fn buffer(name: &str, dtype: Dtype, shape: Vec<Expr>, scope: &str) -> Buffer {
    Buffer {
        name: name.into(),
        dtype,
        shape,
        strides: Vec::new(),
        elem_offset: None,
        offset_factor: 0,
        align: None,
        scope: scope.into(),
        span: None,
    }
}

/// A serial loop from zero.
pub fn serial(var: VarId, extent: Expr, body: Stmt) -> For {
    For {
        var,
        min: Expr::int(0),
        extent,
        step: None,
        kind: ForKind::Serial,
        annotations: BTreeMap::new(),
        body,
        span: None,
    }
}

/// A loop as a statement.
pub fn looped(node: For) -> Stmt {
    Stmt::For(Box::new(node))
}

/// A block as a statement.
pub fn blocked(block: Block) -> Stmt {
    Stmt::Block(Box::new(block))
}

/// `buffer[indices] = value`.
pub fn store(buffer: BufferId, indices: Vec<Expr>, value: Expr) -> Stmt {
    Stmt::Store(Box::new(Store { buffer, indices: indices.into(), value, span: None }))
}

/// A box of ranges, by minimum and extent.
pub fn region(buffer: BufferId, ranges: Vec<(Expr, Expr)>) -> Region {
    Region { buffer, ranges: ranges.into_iter().map(|(min, extent)| Range { min, extent }).collect() }
}

/// An axis over `0..extent`.
pub fn axis(var: VarId, extent: Expr, kind: AxisKind, value: Expr) -> Axis {
    Axis { var, domain: Range { min: Expr::int(0), extent }, kind, value }
}

/// `left op right`.
pub fn op(op: BinaryOp, left: &Expr, right: &Expr) -> Expr {
    Expr::binary(op, left.clone(), right.clone())
}

/// A list of integers.
pub fn ints(values: &[i64]) -> Annotation {
    Annotation::List(values.iter().map(|value| Annotation::Int(*value)).collect())
}

/// A pipelined copy through shared memory with a symbolic extent, and a reduction after it.
pub fn sample() -> Module {
    let mut f = function("main");
    let n = f.add_var("n", Dtype::INT32);
    let lo = f.add_var("lo", Dtype::INT32);
    let (n, lo_expr) = (f.var_expr(n), f.var_expr(lo));
    let a = f.add_buffer(buffer("A", Dtype::FLOAT32, vec![Expr::int(16), n.clone()], "global"));
    let c = f.add_buffer(buffer("C", Dtype::FLOAT32, vec![n.clone()], "global"));
    let s = f.add_buffer(buffer("S", F16, vec![Expr::int(4), Expr::int(8)], "shared"));
    let sub = f.add_buffer(Buffer { offset_factor: 1, ..buffer("sub", F16, vec![Expr::int(8)], "shared") });
    f.params = vec![
        Param::Buffer { buffer: a, handle: Some("a".into()) },
        Param::Buffer { buffer: c, handle: None },
        Param::Scalar(lo),
    ];
    f.attributes.insert("tirx.noalias".into(), Annotation::Bool(true));

    let [i, j, k, vi, vk, outer, vo] =
        ["i", "i", "k", "vi", "vk", "ko", "vo"].map(|name| f.add_var(name, Dtype::INT32));
    let [ie, je, ke, vie, vke, oe, voe] = [i, j, k, vi, vk, outer, vo].map(|var| f.var_expr(var));

    let version = |iteration: &Expr| {
        op(BinaryOp::FloorMod, &op(BinaryOp::Sub, iteration, &Expr::int(1)), &Expr::int(4))
    };
    let slot = version(&oe);
    let load = Expr::load(a, Dtype::FLOAT32, vec![ie.clone(), oe.clone()]);
    let copy = store(
        s,
        vec![slot.clone(), ie.clone()],
        Expr::Cast(F16, std::sync::Arc::new(op(BinaryOp::Mul, &load, &Expr::Float(2.0, Dtype::FLOAT32)))),
    );
    let mut producer = Block::opaque(
        "",
        Stmt::attr(
            "async_commit_queue_scope",
            Expr::int(0),
            Stmt::attr("async_scope", Expr::int(1), looped(serial(i, Expr::int(8), copy))),
        ),
    );
    producer.predicate = op(BinaryOp::Lt, &oe, &lo_expr);
    producer.reads = vec![region(a, vec![(Expr::int(0), Expr::int(8)), (oe.clone(), Expr::int(1))])];
    producer.writes = vec![region(s, vec![(slot, Expr::int(1)), (Expr::int(0), Expr::int(8))])];

    let slot = version(&voe);
    let sum = Expr::load(c, Dtype::FLOAT32, vec![vie.clone()]);
    let part = Expr::Cast(Dtype::FLOAT32, std::sync::Arc::new(Expr::load(sub, F16, vec![vke.clone()])));
    let update = store(c, vec![vie.clone()], op(BinaryOp::Add, &sum, &part));
    let wait = Stmt::Seq(vec![
        Stmt::attr(
            "async_wait_queue_scope",
            Expr::int(0),
            Stmt::attr(
                "async_wait_inflight_count",
                Expr::int(1),
                Stmt::Evaluate(
                    Expr::call(
                        "tvm_storage_sync",
                        Dtype::INT32,
                        vec![Expr::Str(String::from("shared").into()), Expr::bool(false), Expr::int(-1)],
                    ),
                    None,
                ),
            ),
        ),
        update,
    ]);
    let mut consumer = Block::opaque("c", wait);
    let iterations = Range { min: Expr::int(1), extent: op(BinaryOp::Sub, &n, &Expr::int(1)) };
    consumer.axes = vec![
        Axis { var: vo, domain: iterations, kind: AxisKind::Spatial, value: oe.clone() },
        axis(vi, Expr::int(4), AxisKind::Spatial, je.clone()),
        axis(vk, Expr::int(8), AxisKind::Reduce, ke.clone()),
    ];
    consumer.reads = vec![region(s, vec![(slot.clone(), Expr::int(1)), (vke.clone(), Expr::int(1))])];
    consumer.writes = vec![region(c, vec![(vie.clone(), Expr::int(1))])];
    consumer.match_buffers = vec![MatchBuffer {
        buffer: sub,
        source: region(s, vec![(slot, Expr::int(1)), (Expr::int(0), Expr::int(8))]),
    }];
    consumer.annotations.insert("double_buffer_scope".into(), Annotation::Int(0));
    consumer.init = Some(store(c, vec![vie], Expr::Float(0.5, Dtype::FLOAT32)));

    let inner = Stmt::Seq(vec![
        blocked(producer),
        looped(serial(j, Expr::int(4), looped(serial(k, Expr::int(8), blocked(consumer))))),
        Stmt::If {
            condition: Expr::Not(std::sync::Arc::new(op(
                BinaryOp::Or,
                &op(BinaryOp::Eq, &oe, &Expr::int(3)),
                &op(BinaryOp::Gt, &lo_expr, &oe),
            ))),
            then: Box::new(Stmt::nop()),
            otherwise: Some(Box::new(store(
                c,
                vec![Expr::binary(BinaryOp::FloorMod, Expr::int(0), Expr::int(2))],
                Expr::Float(1.0, Dtype::FLOAT32),
            ))),
        },
    ]);
    let mut pipeline = serial(outer, op(BinaryOp::Sub, &n, &Expr::int(1)), inner);
    pipeline.min = Expr::int(1);
    pipeline.annotations = BTreeMap::from([
        ("software_pipeline_stage".into(), ints(&[0, 1, 1])),
        ("software_pipeline_order".into(), ints(&[0, 1, 2])),
    ]);
    let mut root = Block::opaque("root", looped(pipeline));
    root.alloc_buffers = vec![s];
    f.body = blocked(root);
    module(vec![f])
}
