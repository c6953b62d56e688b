//! Values, buffers, threads and faults.

use expect_test::{Expect, expect};

use super::build::*;
use crate::dtype::{Dtype, Element};
use crate::expr::{BinaryOp, Expr, VarId};
use crate::function::{Function, Param};
use crate::interp::{Argument, Options, compile};
use crate::stmt::{Block, MatchBuffer, Range, Region, Stmt};

fn single(dtype: Dtype, value: impl FnOnce(&mut Builder) -> Expr) -> Argument {
    let mut b = Builder::new();
    let out = b.param("O", dtype, &[1]);
    let value = value(&mut b);
    let body = b.store(out, [int(0)], value);
    let element = dtype.element().unwrap();
    let mut args = [Argument::Buffer { element, shape: vec![1], data: vec![0; element.scalar_bytes()] }];
    let result = run(&b.finish(body), &mut args, &Options::default());
    assert_eq!(report(&result), "");
    let [out] = args;
    out
}

#[test]
fn operations_round_to_their_type() {
    let half = Dtype::from_name("float16").unwrap();
    let sum = |dtype| add(Expr::Cast(dtype, f(2048.0).into()), Expr::Cast(dtype, f(1.0).into()));
    assert_eq!(bytes(&single(half, |_| sum(half))), 0x6800u16.to_le_bytes());
    assert_eq!(to_floats(&single(F32, |_| sum(F32))), [2049.0]);
    let wrapped = add(int(i64::from(i32::MAX)), int(1));
    assert_eq!(to_ints(&single(Dtype::INT32, |_| wrapped)), [i32::MIN]);
    let called = Expr::call("exp2", F32, vec![f(10.0)]);
    assert_eq!(to_floats(&single(F32, |_| called)), [1024.0]);
    let bits = Expr::call("reinterpret", Dtype::INT32, vec![f(1.0)]);
    assert_eq!(to_ints(&single(Dtype::INT32, |_| bits)), [0x3f80_0000]);
}

#[test]
fn if_then_else_evaluates_one_side_only() {
    let mut b = Builder::new();
    let (a, c) = (b.param("A", F32, &[4]), b.param("C", F32, &[6]));
    let i = b.var("i");
    let inside = compare(BinaryOp::Lt, v(i), int(4));
    let value = Expr::call("if_then_else", F32, vec![inside, b.load(a, [v(i)]), f(9.0)]);
    let body = for_(i, 6, b.store(c, [v(i)], value));
    let mut args = [floats(&[4], [1.0, 2.0, 3.0, 4.0]), floats(&[6], [0.0; 6])];
    assert_eq!(report(&run(&b.finish(body), &mut args, &Options::default())), "");
    assert_eq!(to_floats(&args[1]), [1.0, 2.0, 3.0, 4.0, 9.0, 9.0]);
}

fn faults(value: impl FnOnce(VarId) -> Expr, expected: Expect) {
    let mut b = Builder::new();
    let out = b.param("O", Dtype::INT32, &[4]);
    let i = b.var("i");
    let body = b.store(out, [v(i)], Expr::int(0));
    let Stmt::Store(mut store) = body else { unreachable!() };
    store.value = value(i);
    let function = b.finish(for_(i, 9, Stmt::Store(store)));
    expected.assert_eq(&report(&run(&function, &mut [ints(&[0; 4])], &Options::default())));
}

#[test]
fn faults_say_what_and_where() {
    faults(
        |_| int(1),
        expect![[r#"
        write of O[4] outside its shape [4] at i = 4
    "#]],
    );
    faults(
        |i| Expr::binary(BinaryOp::FloorDiv, int(1), sub(v(i), int(2))),
        expect![[r#"
            integer division by zero at i = 2
        "#]],
    );
    faults(
        |_| Expr::binary(BinaryOp::ShiftLeft, int(1), int(40)),
        expect![[r#"
        shift of a 32-bit integer by 40 at i = 0
    "#]],
    );
}

#[test]
fn the_step_limit_ends_endless_loops() {
    let mut b = Builder::new();
    let i = b.var("i");
    let function = b.finish(for_(i, i32::MAX.into(), Stmt::nop()));
    let options = Options { max_steps: 1000, ..Options::default() };
    expect![[r#"
        more than 1000 steps
    "#]]
    .assert_eq(&report(&run(&function, &mut [], &options)));
}

#[test]
fn reduction_blocks_run_their_init_once() {
    let mut b = Builder::new();
    let (a, c) = (b.param("A", F32, &[2, 3]), b.param("C", F32, &[2]));
    let (i, k, vi, vk) = (b.var("i"), b.var("k"), b.var("vi"), b.var("vk"));
    let mut spatial = reduce_axis(vi, 2, v(i));
    spatial.kind = crate::stmt::AxisKind::Spatial;
    let block = Block {
        axes: vec![spatial, reduce_axis(vk, 3, v(k))],
        init: Some(b.store(c, [v(vi)], f(0.0))),
        ..block(&[], b.store(c, [v(vi)], add(b.load(c, [v(vi)]), b.load(a, [v(vi), v(vk)]))))
    };
    let function = b.finish(for_(i, 2, for_(k, 3, Stmt::Block(Box::new(block)))));
    let mut args = [floats(&[2, 3], [1.0, 2.0, 3.0, 10.0, 20.0, 30.0]), floats(&[2], [99.0; 2])];
    assert_eq!(report(&run(&function, &mut args, &Options::default())), "");
    assert_eq!(to_floats(&args[1]), [6.0, 60.0]);
}

#[test]
fn regions_have_other_names() {
    // V is row r of A, from column 1, with A's stride; its extent gets a name.
    let mut b = Builder::new();
    let (a, c) = (b.param("A", F32, &[2, 4]), b.param("C", F32, &[2]));
    let (r, j, n, s) = (b.var("r"), b.var("j"), b.var("n"), b.var("s"));
    let view = b.buffer("V", F32, &[1, 1], "global");
    b.0.buffers[view.0 as usize].shape = vec![int(1), v(n)];
    b.0.buffers[view.0 as usize].strides = vec![v(s), int(1)];
    let range = |min, extent| Range { min, extent: int(extent) };
    let beyond = Region { buffer: a, ranges: [range(v(r), 1), range(int(2), 3)].into_iter().collect() };
    let source = Region { buffer: a, ranges: [range(v(r), 1), range(int(1), 3)].into_iter().collect() };
    let sum = b.store(
        c,
        [v(r)],
        add(
            b.load(c, [v(r)]),
            Expr::binary(BinaryOp::Mul, b.load(view, [int(0), v(j)]), Expr::Cast(F32, v(s).into())),
        ),
    );
    let Stmt::For(mut inner) = for_(j, 0, sum) else { unreachable!() };
    inner.extent = v(n);
    let block =
        Block { match_buffers: vec![MatchBuffer { buffer: view, source }], ..block(&[], Stmt::For(inner)) };
    let mut outside = block.clone();
    outside.match_buffers[0].source = beyond;
    let outside = Builder(b.0.clone()).finish(for_(r, 2, Stmt::Block(Box::new(outside))));
    let function = b.finish(for_(r, 2, Stmt::Block(Box::new(block))));
    let mut args = [floats(&[2, 4], (0..8).map(|i| i as f32)), floats(&[2], [0.0; 2])];
    expect![[r#"
        read of V[0, 2] outside its shape [1, 2] at r = 0, j = 2
    "#]]
    .assert_eq(&report(&run(&outside, &mut args.clone(), &Options::default())));
    assert_eq!(report(&run(&function, &mut args, &Options::default())), "");
    assert_eq!(to_floats(&args[1]), [24.0, 72.0]);
}

/// `C[n - 1 - t] = S[t]` by way of shared memory: a thread reads what another wrote.
fn reverse(local: bool) -> Function {
    let mut b = Builder::new();
    let (a, c) = (b.param("A", F32, &[4]), b.param("C", F32, &[4]));
    let s = b.buffer("S", F32, &[4], if local { "local" } else { "shared" });
    let (t, u) = (b.var("ty"), b.var("tx"));
    let at = add(Expr::binary(BinaryOp::Mul, v(t), int(2)), v(u));
    let body = Stmt::Seq(vec![
        b.store(s, [at.clone()], b.load(a, [at.clone()])),
        Stmt::Evaluate(
            Expr::call("tvm_storage_sync", Dtype::Void, vec![Expr::Str(String::from("shared").into())]),
            None,
        ),
        b.store(c, [at.clone()], b.load(s, [sub(int(3), at)])),
    ]);
    let inner = threads(u, 2, "threadIdx.x", alloc(&[s], body));
    b.finish(threads(t, 2, "threadIdx.y", inner))
}

#[test]
fn threads_run_in_lock_step() {
    let run = |local| {
        let mut args = [floats(&[4], [1.0, 2.0, 3.0, 4.0]), floats(&[4], [0.0; 4])];
        let text = report(&super::build::run(&reverse(local), &mut args, &Options::default()));
        (to_floats(&args[1]), text)
    };
    assert_eq!(run(false), (vec![4.0, 3.0, 2.0, 1.0], String::new()));
    let (values, text) = run(true);
    assert!(values.iter().all(|value| value.is_nan()));
    expect![[r#"
        read of a buffer element that nothing has written (4 times): read of S[3] at ty = 0, tx = 0
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_commit_that_threads_disagree_on_is_refused() {
    let mut b = Builder::new();
    let c = b.param("C", F32, &[4]);
    let t = b.var("tx");
    let put = commit(0, asynchronous(b.store(c, [v(t)], f(1.0))));
    let some = Stmt::If {
        condition: compare(BinaryOp::Lt, v(t), int(2)),
        then: Box::new(put.clone()),
        otherwise: None,
    };
    let inside =
        commit(0, only(compare(BinaryOp::Lt, v(t), int(2)), asynchronous(b.store(c, [v(t)], f(1.0)))));
    let (bad, good) = (
        Builder(b.0.clone()).finish(threads(t, 4, "threadIdx.x", some)),
        b.finish(threads(t, 4, "threadIdx.x", inside)),
    );
    let mut args = [floats(&[4], [0.0; 4])];
    expect![[r#"
        unsupported: a commit that not all threads reach at tx = 0
    "#]]
    .assert_eq(&report(&run(&bad, &mut args, &Options::default())));
    assert_eq!(report(&run(&good, &mut args, &Options::default())), "");
    assert_eq!(to_floats(&args[0]), [1.0, 1.0, 0.0, 0.0]);
}

#[test]
fn shapes_bind_variables_and_strides_leave_gaps() {
    let mut b = Builder::new();
    let a = b.param("A", F32, &[2, 3]);
    let n = b.var("n");
    b.0.buffers[a.0 as usize].shape[1] = v(n);
    b.0.buffers[a.0 as usize].strides = vec![add(v(n), int(2)), int(1)];
    let c = b.param("C", Dtype::INT32, &[1]);
    b.0.buffers[c.0 as usize].shape[0] = sub(v(n), int(2));
    let scale = b.var("scale");
    b.0.params.push(Param::Scalar(scale));
    let i = b.var("i");
    let body = Stmt::Seq(vec![
        for_(
            i,
            3,
            b.store(a, [int(1), v(i)], Expr::Cast(F32, Expr::binary(BinaryOp::Mul, v(scale), v(i)).into())),
        ),
        b.store(c, [int(0)], v(n)),
    ]);
    let function = b.finish(body);
    let mut args =
        [floats(&[2, 3], [1.0; 6]), ints(&[0]), Argument::Scalar(Element::I32, (-5i32) as u32 as u64)];
    assert_eq!(report(&run(&function, &mut args, &Options::default())), "");
    assert_eq!(to_floats(&args[0]), [1.0, 1.0, 1.0, 0.0, -5.0, -10.0]);
    assert_eq!(to_ints(&args[1]), [3]);
    let mut args = [floats(&[2, 4], [1.0; 8]), ints(&[0]), Argument::Scalar(Element::I32, 0)];
    expect![[r#"
        parameter `C` has the extent 2 in dimension 0 and is given 1
    "#]]
    .assert_eq(&report(&run(&function, &mut args, &Options::default())));
}

#[test]
fn undefined_elements_are_found_and_blocks_are_fresh() {
    let mut b = Builder::new();
    let c = b.param("C", F32, &[2]);
    let s = b.buffer("S", F32, &[2], "local");
    let i = b.var("i");
    let body = Stmt::Seq(vec![b.store(c, [v(i)], b.load(s, [int(1)])), b.store(s, [int(1)], f(1.0))]);
    let function = b.finish(for_(i, 2, alloc(&[s], body)));
    let mut args = [floats(&[2], [0.0; 2])];
    let result = run(&function, &mut args, &Options::default());
    assert!(to_floats(&args[0]).iter().all(|value| value.is_nan()));
    expect![[r#"
        read of a buffer element that nothing has written (2 times): read of S[1] at i = 0
    "#]]
    .assert_eq(&report(&result));
}

fn refuses(body: impl FnOnce(&mut Builder) -> Stmt, expected: Expect) {
    let mut b = Builder::new();
    let body = body(&mut b);
    let text = match compile(&b.finish(body)) {
        Ok(_) => "accepted".to_owned(),
        Err(diagnostics) => {
            diagnostics.iter().map(|diagnostic| format!("{}\n", diagnostic.message)).collect()
        }
    };
    expected.assert_eq(&text);
}

#[test]
fn what_is_not_modelled_is_refused_by_name() {
    let external =
        || Expr::call("call_extern", Dtype::INT32, vec![Expr::Str(String::from("consume").into()), int(1)]);
    refuses(
        |_| Stmt::Evaluate(external(), None),
        expect![[r#"
        unsupported: `call_extern("consume", …)`
    "#]],
    );
    refuses(
        |_| Stmt::Evaluate(Expr::call("ptx_mma", Dtype::Void, vec![]), None),
        expect![[r#"
        unsupported: `ptx_mma`
    "#]],
    );
    refuses(
        |_| commit(0, asynchronous(wait(0, int(0), Stmt::nop()))),
        expect![[r#"
        unsupported: `async_wait_queue_scope` inside `async_scope`
    "#]],
    );
    refuses(
        |_| Stmt::attr("async_wait_queue_scope", int(0), Stmt::nop()),
        expect![[r#"
        `async_wait_queue_scope` without an `async_wait_inflight_count` directly inside
    "#]],
    );
    refuses(
        |_| Stmt::attr("thread_extent", int(0), Stmt::nop()),
        expect![[r#"
        unsupported: attribute `thread_extent`
    "#]],
    );
    refuses(
        |b| {
            let i = b.var("i");
            Stmt::Evaluate(v(i), None)
        },
        expect![[r#"
            variable `i` has no value here
        "#]],
    );
    refuses(
        |b| {
            let s = b.buffer("S", F32, &[1], "local");
            let inside = alloc(&[s], Stmt::nop());
            Stmt::Seq(vec![inside, b.store(s, [int(0)], f(0.0))])
        },
        expect![[r#"
            buffer `S` does not exist here
        "#]],
    );
    refuses(
        |b| {
            let s = b.param("S", Dtype::INT32, &[4]);
            asynchronous(b.store(s, [b.load(s, [int(0)])], int(1)))
        },
        expect![[r#"
            unsupported: an asynchronous statement whose addresses or conditions depend on `S`, which it writes
        "#]],
    );
    let mut deep = v(VarId(0));
    for _ in 0..2000 {
        deep = add(deep, int(1));
    }
    refuses(
        |b| {
            let i = b.var("i");
            for_(i, 1, Stmt::Evaluate(deep, None))
        },
        expect![[r#"
            unsupported: nested more than 600 deep
        "#]],
    );
}

#[test]
fn deep_programs_do_not_overflow_the_stack() {
    let mut b = Builder::new();
    let c = b.param("C", Dtype::INT32, &[1]);
    let mut value = int(0);
    for _ in 0..280 {
        value = add(value, int(1));
    }
    let mut body = commit(0, asynchronous(b.store(c, [int(0)], value)));
    for _ in 0..140 {
        let i = b.var("i");
        body = alloc(&[], for_(i, 1, body));
    }
    let function = b.finish(body);
    let mut args = [ints(&[0])];
    assert_eq!(report(&run(&function, &mut args, &Options::default())), "");
    assert_eq!(to_ints(&args[0]), [280]);
}
