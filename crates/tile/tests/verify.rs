//! What the verifier accepts, and what it says of the rest.

mod build;

use build::{blocked, buffer, function, ints, module, op, sample, serial, store};
use proptest::prelude::*;
use wavemark_tile::{
    Annotation, BinaryOp, BufferId, Dialect, Dtype, Expr, Function, Param, Stmt, VarId, print, verify,
};

/// The messages for the sample as `change` leaves it.
fn messages(change: impl FnOnce(&mut Function)) -> Vec<String> {
    let mut module = sample();
    change(&mut module.functions[0]);
    let diagnostics = verify(&module).err().unwrap_or_default();
    diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()
}

/// Changes the first statement that `change` knows.
fn first(stmt: &mut Stmt, change: &dyn Fn(&mut Stmt) -> bool) -> bool {
    change(stmt) || stmt.children_mut().any(|child| first(child, change))
}

/// The messages when the first statement that `change` knows is changed by it.
fn messages_stmt(change: &dyn Fn(&mut Stmt) -> bool) -> Vec<String> {
    messages(|function| assert!(first(&mut function.body, change), "nothing was changed"))
}

#[test]
fn the_sample_is_a_program() {
    assert_eq!(messages(|_| {}), Vec::<String>::new());
}

#[test]
fn a_function_is_defined_once() {
    let f = function("f");
    let errors = verify(&module(vec![f.clone(), f])).expect_err("two functions of one name");
    assert_eq!(errors[0].message, "function `f` is defined twice");
}

#[test]
fn variables_are_defined_where_they_are_used() {
    let elsewhere = messages_stmt(&|stmt| match stmt {
        Stmt::If { condition, .. } => {
            // `i` of the copy's loop, which is not around the `if`.
            *condition = op(BinaryOp::Lt, &Expr::Var(VarId(2), Dtype::INT32), &Expr::int(3));
            true
        }
        _ => false,
    });
    assert_eq!(elsewhere, ["variable `i` is used outside the statement that defines it"]);

    let nowhere = messages(|function| {
        let new = function.add_var("new", Dtype::INT32);
        let value = function.var_expr(new);
        function.body = Stmt::Seq(vec![function.body.clone(), Stmt::Evaluate(value, None)]);
    });
    assert_eq!(nowhere, ["variable `new` is not defined"]);

    let twice = messages_stmt(&|stmt| match stmt {
        Stmt::For(node) => {
            let mut inner = serial(node.var, Expr::int(2), Stmt::nop());
            std::mem::swap(&mut inner.body, &mut node.body);
            node.body = Stmt::For(Box::new(inner));
            true
        }
        _ => false,
    });
    assert_eq!(twice, ["variable `ko` is defined twice"]);

    let id = messages_stmt(&|stmt| match stmt {
        Stmt::If { condition, .. } => {
            *condition = Expr::Var(VarId(99), Dtype::BOOL);
            true
        }
        _ => false,
    });
    assert_eq!(id, ["variable number 99 does not exist"]);
}

#[test]
fn buffers_live_in_the_block_that_allocates_them() {
    let outside = messages(|function| {
        let s = BufferId(2);
        let load = Expr::load(s, build::F16, vec![Expr::int(0), Expr::int(0)]);
        function.body = Stmt::Seq(vec![function.body.clone(), Stmt::Evaluate(load, None)]);
    });
    assert_eq!(outside, ["buffer `S` is used outside the block that allocates it"]);

    let twice = messages(|function| {
        let mut again = wavemark_tile::Block::opaque("again", Stmt::nop());
        again.alloc_buffers = vec![BufferId(2)];
        function.body = Stmt::Seq(vec![function.body.clone(), blocked(again)]);
    });
    assert_eq!(twice, ["buffer `S` is defined twice"]);
}

#[test]
fn accesses_have_an_index_a_dimension_and_the_type() {
    let rank = messages(|function| {
        let value = Expr::Float(0.0, Dtype::FLOAT32);
        let extra = store(BufferId(1), vec![Expr::int(0), Expr::int(0)], value);
        function.body = Stmt::Seq(vec![function.body.clone(), extra]);
    });
    assert_eq!(rank, ["a store to `C` has 2 indices, the buffer has 1 dimensions"]);

    let dtype = messages(|function| {
        let extra = store(BufferId(1), vec![Expr::int(0)], Expr::int(0));
        function.body = Stmt::Seq(vec![function.body.clone(), extra]);
    });
    assert_eq!(dtype, ["a int32 value is stored to `C`, which is float32"]);

    let operands = messages_stmt(&|stmt| match stmt {
        Stmt::If { condition, .. } => {
            *condition = op(BinaryOp::Lt, &Expr::int(3), &Expr::Int(3, Dtype::INT64));
            true
        }
        _ => false,
    });
    assert_eq!(operands, ["the operands of `T.LT(3, T.int64(3))` are int32 and int64"]);

    let float = messages_stmt(&|stmt| match stmt {
        Stmt::Store(store) => {
            store.indices[0] = Expr::Float(1.0, Dtype::FLOAT32);
            true
        }
        _ => false,
    });
    assert_eq!(float, ["an index is an integer, not float32 (`T.float32(1.0)`)"]);
}

#[test]
fn predicates_steps_and_sizes() {
    let predicate = messages_stmt(&|stmt| match stmt {
        Stmt::Block(block) => {
            block.predicate = Expr::int(2);
            true
        }
        _ => false,
    });
    assert_eq!(predicate, ["the predicate of a block is a bool, not int32 (`2`)"]);

    let step = messages_stmt(&|stmt| match stmt {
        Stmt::For(node) => {
            node.step = Some(Expr::int(0));
            true
        }
        _ => false,
    });
    assert_eq!(step, ["the step of the loop over `ko` is 0 and not positive"]);

    let shape = messages(|function| function.buffers[2].shape[1] = Expr::int(-8));
    assert_eq!(shape, ["buffer `S` has the negative size -8"]);

    let strides = messages(|function| function.buffers[2].strides = vec![Expr::int(8)]);
    assert_eq!(strides, ["buffer `S` has 1 strides for 2 dimensions"]);

    let dtype = messages(|function| function.vars[7].dtype = Dtype::INT64);
    assert!(
        dtype.iter().any(|text| text == "loop variable `ko` is int64, its start int32 and its extent int32")
    );
}

#[test]
fn pipeline_annotations_have_their_form() {
    for (key, value, message) in [
        ("software_pipeline_stage", Annotation::Int(0), Some("is a list of integers")),
        (
            "software_pipeline_order",
            Annotation::List(vec![Annotation::Bool(true)]),
            Some("is a list of integers"),
        ),
        ("software_pipeline_async_stages", ints(&[0]), None),
        ("num_stages", ints(&[2]), Some("is an integer")),
        ("num_stages", Annotation::Int(2), None),
        ("anything", Annotation::Str("else".into()), None),
    ] {
        let messages = messages_stmt(&|stmt| match stmt {
            Stmt::For(node) => {
                node.annotations.insert(key.into(), value.clone());
                true
            }
            _ => false,
        });
        let expected: Vec<_> = message.iter().map(|text| format!("annotation `{key}` {text}")).collect();
        assert_eq!(messages, expected);
    }
}

/// Small expressions over ids that mostly do not exist.
fn any_expr() -> impl Strategy<Value = Expr> {
    let dtypes = prop::sample::select(vec![
        Dtype::INT32,
        Dtype::INT64,
        Dtype::BOOL,
        Dtype::FLOAT32,
        Dtype::Handle,
        Dtype::Void,
    ]);
    let leaf = prop_oneof![
        (any::<i64>(), dtypes.clone()).prop_map(|(value, dtype)| Expr::Int(value, dtype)),
        (any::<f64>(), dtypes.clone()).prop_map(|(value, dtype)| Expr::Float(value, dtype)),
        (0..6u32, dtypes.clone()).prop_map(|(id, dtype)| Expr::Var(VarId(id), dtype)),
        (0..4u32).prop_map(|id| Expr::Data(BufferId(id))),
        "\\PC*".prop_map(|text| Expr::Str(text.into())),
    ];
    leaf.prop_recursive(3, 24, 3, move |inner| {
        use BinaryOp::*;
        let ops = prop::sample::select(vec![
            Add, Sub, Mul, Div, Mod, FloorDiv, FloorMod, Min, Max, Eq, Lt, And, Or, BitAnd, ShiftLeft,
        ]);
        prop_oneof![
            (ops, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::binary(op, a, b)),
            inner.clone().prop_map(|expr| Expr::Not(expr.into())),
            (dtypes.clone(), inner.clone()).prop_map(|(dtype, expr)| Expr::Cast(dtype, expr.into())),
            (0..4u32, dtypes.clone(), prop::collection::vec(inner.clone(), 0..3))
                .prop_map(|(id, dtype, indices)| Expr::load(BufferId(id), dtype, indices)),
            prop::collection::vec(inner, 0..4).prop_map(|args| Expr::call(
                "if_then_else",
                Dtype::INT32,
                args
            )),
        ]
    })
}

proptest! {
    #[test]
    fn nothing_panics_on_any_module(
        exprs in prop::collection::vec(any_expr(), 8),
        ids in prop::collection::vec(0..6u32, 6),
        dialect in prop::sample::select(vec![Dialect::New, Dialect::Old]),
    ) {
        let mut f = function("any");
        f.add_var("n", Dtype::INT32);
        f.add_var("", Dtype::Handle);
        f.add_buffer(buffer("", Dtype::Void, vec![exprs[0].clone()], "shared"));
        let mut strided = buffer("B", Dtype::FLOAT32, vec![exprs[1].clone(), exprs[2].clone()], "");
        strided.strides = vec![exprs[3].clone()];
        strided.elem_offset = Some(exprs[4].clone());
        f.add_buffer(strided);
        f.params = vec![
            Param::Scalar(VarId(ids[0])),
            Param::Buffer { buffer: BufferId(ids[1]), handle: None },
        ];
        let mut inner = wavemark_tile::Block::opaque("\n", store(BufferId(ids[2]), vec![exprs[5].clone()], exprs[6].clone()));
        inner.alloc_buffers = vec![BufferId(ids[3])];
        inner.predicate = exprs[7].clone();
        inner.reads = vec![build::region(BufferId(ids[4]), vec![(exprs[5].clone(), exprs[6].clone())])];
        let mut node = serial(VarId(ids[5]), exprs[0].clone(), blocked(inner));
        node.min = exprs[1].clone();
        node.step = Some(exprs[2].clone());
        f.body = Stmt::For(Box::new(node));
        let module = module(vec![f]);
        let _ = verify(&module);
        let _ = print(&module, dialect);
        prop_assert_eq!(wavemark_tile::first_difference(&module.functions[0], &module.functions[0]), None);
    }
}
