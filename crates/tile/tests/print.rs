//! What programs look like as text.

mod build;

use build::{function, module, sample};
use expect_test::expect;
use wavemark_tile::{BinaryOp, Dialect, Dtype, Expr, Stmt, VarId, print};

#[test]
fn new_dialect() {
    expect![[r##"
        # from tvm.script import ir as I
        # from tvm.script import tirx as T
        # from tvm.tirx.layout import Axis

        @I.ir_module
        class Module:
            @T.prim_func(s_tir=True)
            def main(A: T.Buffer((16, "n"), "float32"), C: T.Buffer((n,), "float32"), lo: T.int32):
                n = T.int32()
                T.func_attr({"tirx.noalias": True})
                # with T.sblock("root"):
                S = T.sblock_alloc_buffer((4, 8), "float16", scope="shared")
                for ko in T.serial(1, 1 + (n - 1), annotations={"software_pipeline_order": [0, 1, 2], "software_pipeline_stage": [0, 1, 1]}):
                    with T.sblock(""):
                        T.where(ko < lo)
                        T.reads(A[0:8, ko])
                        T.writes(S[(ko - 1) % 4, 0:8])
                        T.attr({"async_commit_queue_scope": 0, "async_scope": 1})
                        for i in range(8):
                            S[(ko - 1) % 4, i] = T.Cast("float16", A[i, ko] * T.float32(2.0))
                    for i, k in T.grid(4, 8):
                        with T.sblock("c"):
                            vo, vi, vk = T.axis.remap("SSR", [ko, i, k])
                            T.reads(S[(vo - 1) % 4, vk])
                            T.writes(C[vi])
                            T.sblock_attr({"double_buffer_scope": 0})
                            sub = T.match_buffer(S[(vo - 1) % 4, 0:8], (8,), "float16", scope="shared", offset_factor=1)
                            with T.init():
                                C[vi] = T.float32(0.5)
                            with T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 1}):
                                T.tvm_storage_sync("shared", T.bool(False), -1)
                            C[vi] = C[vi] + T.Cast("float32", sub[vk])
                    if not (ko == 3 or lo > ko):
                        T.evaluate(0)
                    else:
                        C[T.FloorMod(0, 2)] = T.float32(1.0)"##]].assert_eq(&print(&sample(), Dialect::New));
}

#[test]
fn old_dialect() {
    expect![[r##"
        # from tvm.script import ir as I
        # from tvm.script import tir as T

        @I.ir_module
        class Module:
            @T.prim_func
            def main(a: T.handle, C_handle: T.handle, lo: T.int32):
                T.func_attr({"tir.noalias": T.bool(True)})
                n = T.int32()
                A = T.match_buffer(a, (16, n))
                C = T.match_buffer(C_handle, (n,))
                # with T.block("root"):
                S = T.alloc_buffer((4, 8), "float16", scope="shared")
                for ko in T.serial(1, 1 + (n - 1), annotations={"software_pipeline_order": [0, 1, 2], "software_pipeline_stage": [0, 1, 1]}):
                    with T.block(""):
                        T.where(ko < lo)
                        T.reads(A[0:8, ko])
                        T.writes(S[(ko - 1) % 4, 0:8])
                        T.attr(0, "async_commit_queue_scope", 0)
                        T.attr(0, "async_scope", 1)
                        for i in range(8):
                            S[(ko - 1) % 4, i] = T.Cast("float16", A[i, ko] * T.float32(2))
                    for i, k in T.grid(4, 8):
                        with T.block("c"):
                            vo, vi, vk = T.axis.remap("SSR", [ko, i, k])
                            T.reads(S[(vo - 1) % 4, vk])
                            T.writes(C[vi])
                            T.block_attr({"double_buffer_scope": 0})
                            sub = T.match_buffer(S[(vo - 1) % 4, 0:8], (8,), "float16", scope="shared", offset_factor=1)
                            with T.init():
                                C[vi] = T.float32(0.5)
                            with T.attr(0, "async_wait_queue_scope", 0):
                                T.attr(0, "async_wait_inflight_count", 1)
                                T.tvm_storage_sync("shared")
                            C[vi] = C[vi] + T.Cast("float32", sub[vk])
                    if not (ko == 3 or lo > ko):
                        T.evaluate(0)
                    else:
                        C[T.FloorMod(0, 2)] = T.float32(1)"##]].assert_eq(&print(&sample(), Dialect::Old));
}

/// The text of an expression over the `int32` variables `i` and `j` (ids 0 and 1) and the `bool` `b`.
fn text(expr: Expr) -> String {
    let mut f = function("main");
    for (name, dtype) in [("i", Dtype::INT32), ("j", Dtype::INT32), ("b", Dtype::BOOL)] {
        let id = f.add_var(name, dtype);
        f.params.push(wavemark_tile::Param::Scalar(id));
    }
    f.body = Stmt::Evaluate(expr, None);
    let text = print(&module(vec![f]), Dialect::New);
    let line = text.lines().last().unwrap_or_default().trim();
    line.strip_prefix("T.evaluate(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(line).to_string()
}

#[test]
fn operators_bind_as_in_python() {
    use BinaryOp::*;
    let [i, j] = [0, 1].map(|id| Expr::Var(VarId(id), Dtype::INT32));
    let b = Expr::Var(VarId(2), Dtype::BOOL);
    let op = build::op;
    let int = Expr::int;
    for (expr, expected) in [
        (op(Sub, &i, &op(Sub, &j, &int(1))), "i - (j - 1)"),
        (op(Sub, &op(Sub, &i, &j), &int(1)), "i - j - 1"),
        (op(Mul, &op(Add, &i, &j), &int(-3)), "(i + j) * -3"),
        (op(FloorDiv, &i, &op(Mul, &j, &int(3))), "i // (j * 3)"),
        (op(FloorMod, &op(FloorDiv, &i, &j), &int(3)), "i // j % 3"),
        (op(ShiftLeft, &i, &op(BitAnd, &j, &int(3))), "i << (j & 3)"),
        (op(BitXor, &op(BitAnd, &i, &j), &int(3)), "i & j ^ 3"),
        (op(Mod, &i, &int(2)), "T.truncmod(i, 2)"),
        (op(Div, &i, &int(2)), "T.Div(i, 2)"),
        (op(Min, &i, &op(Max, &j, &int(0))), "T.min(i, T.max(j, 0))"),
        (op(And, &op(Lt, &i, &j), &op(And, &b, &b)), "i < j and (b and b)"),
        (op(And, &op(Or, &b, &b), &b), "(b or b) and b"),
        (Expr::Not(op(Eq, &i, &j).into()), "not i == j"),
        (op(Eq, &Expr::Not(b.clone().into()), &b), "(not b) == b"),
        (op(Eq, &op(Lt, &i, &j), &b), "(i < j) == b"),
        (Expr::Cast(Dtype::INT64, i.clone().into()), "T.Cast(\"int64\", i)"),
        (Expr::Select([op(Ge, &i, &int(0)), i.clone(), int(0)].into()), "T.Select(i >= 0, i, 0)"),
        (Expr::call("bitwise_not", Dtype::INT32, vec![op(Add, &i, &int(1))]), "~(i + 1)"),
        (Expr::call("reinterpret", Dtype::FLOAT32, vec![i.clone()]), "T.reinterpret(\"float32\", i)"),
        (Expr::Int(3, Dtype::INT64), "T.int64(3)"),
        (Expr::bool(true), "T.bool(True)"),
    ] {
        assert_eq!(text(expr), expected);
    }
}

#[test]
fn what_folding_would_lose_is_a_constructor() {
    use BinaryOp::*;
    let i = Expr::Var(VarId(0), Dtype::INT32);
    let b = Expr::Var(VarId(2), Dtype::BOOL);
    let f = |value: f64| Expr::Float(value, Dtype::FLOAT32);
    let op = build::op;
    let int = Expr::int;
    for (expr, expected) in [
        (op(FloorMod, &int(0), &int(2)), "T.FloorMod(0, 2)"),
        (op(Add, &i, &int(0)), "T.Add(i, 0)"),
        (op(Sub, &int(3), &int(3)), "T.Sub(3, 3)"),
        (op(Sub, &int(0), &i), "0 - i"),
        (op(Mul, &int(0), &i), "T.Mul(0, i)"),
        (op(FloorDiv, &i, &int(1)), "T.FloorDiv(i, 1)"),
        (op(FloorDiv, &i, &int(0)), "T.FloorDiv(i, 0)"),
        (op(FloorMod, &int(7), &i), "7 % i"),
        (op(Lt, &int(1), &int(2)), "T.LT(1, 2)"),
        (op(And, &b, &Expr::bool(true)), "T.And(b, T.bool(True))"),
        (op(Add, &f(1.5), &f(0.1)), "T.Add(T.float32(1.5), T.float32(0.10000000000000001))"),
        (op(Add, &i, &Expr::Int(3, Dtype::INT64)), "T.Add(i, T.int64(3))"),
    ] {
        assert_eq!(text(expr), expected);
    }
}

#[test]
fn ids_of_nothing_are_printed_not_panicked_at() {
    let mut f = function("main");
    let nowhere = wavemark_tile::BufferId(7);
    f.params = vec![wavemark_tile::Param::Buffer { buffer: nowhere, handle: None }];
    f.body = build::store(nowhere, vec![Expr::Var(VarId(9), Dtype::INT32)], Expr::Data(nowhere));
    expect![[r#"
        # from tvm.script import ir as I
        # from tvm.script import tirx as T
        # from tvm.tirx.layout import Axis

        @I.ir_module
        class Module:
            @T.prim_func(s_tir=True)
            def main():
                v = T.int32()
                buffer[v] = buffer.data"#]]
    .assert_eq(&print(&module(vec![f]), Dialect::New));
}

/// The lines of a function's body.
fn body(stmt: Stmt, dialect: Dialect) -> Vec<String> {
    let mut f = function("main");
    f.body = stmt;
    let text = print(&module(vec![f]), dialect);
    let lines = text.lines().skip_while(|line| !line.contains("def main"));
    lines.skip(1).map(|line| line.strip_prefix("        ").unwrap_or(line).to_string()).collect()
}

#[test]
fn a_key_that_comes_twice_begins_another_dictionary() {
    let wait = |queue, count, body| {
        let counted = Stmt::attr("async_wait_inflight_count", Expr::int(count), body);
        Stmt::attr("async_wait_queue_scope", Expr::int(queue), counted)
    };
    let stmt = wait(1, 2, wait(0, 3, Stmt::Evaluate(Expr::int(7), None)));
    assert_eq!(
        body(stmt.clone(), Dialect::New),
        [
            "T.attr({\"async_wait_queue_scope\": 1, \"async_wait_inflight_count\": 2})",
            "T.attr({\"async_wait_queue_scope\": 0, \"async_wait_inflight_count\": 3})",
            "T.evaluate(7)",
        ]
    );
    assert_eq!(
        body(Stmt::Seq(vec![stmt, Stmt::nop()]), Dialect::New),
        [
            "with T.attr({\"async_wait_queue_scope\": 1, \"async_wait_inflight_count\": 2}):",
            "    T.attr({\"async_wait_queue_scope\": 0, \"async_wait_inflight_count\": 3})",
            "    T.evaluate(7)",
            "T.evaluate(0)",
        ]
    );
}

#[test]
fn a_let_is_a_scope_in_the_old_dialect_only() {
    let stmt = Stmt::Seq(vec![
        Stmt::Let {
            var: VarId(5),
            value: Expr::int(3),
            body: Box::new(Stmt::Evaluate(Expr::Var(VarId(5), Dtype::INT32), None)),
        },
        Stmt::Let { var: VarId(6), value: Expr::int(4), body: Box::new(Stmt::nop()) },
    ]);
    assert_eq!(
        body(stmt.clone(), Dialect::New),
        ["v: T.let[T.int32] = 3", "T.evaluate(v)", "v_1: T.let[T.int32] = 4"]
    );
    assert_eq!(
        body(stmt, Dialect::Old),
        ["with T.LetStmt(3) as v:", "    T.evaluate(v)", "v: T.int32 = 4", "T.evaluate(0)"]
    );
}

#[test]
fn an_empty_module() {
    expect![[r#"
        # from tvm.script import ir as I

        @I.ir_module
        class Module:
            pass"#]]
    .assert_eq(&print(&module(Vec::new()), Dialect::New));
}
