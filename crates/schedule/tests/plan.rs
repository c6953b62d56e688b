//! Loops with `num_stages`: the schedule that is planned for them, or why there is none.

use expect_test::{Expect, expect};
use wavemark_diag::{SourceMap, render_short};
use wavemark_schedule::plan::plan;
use wavemark_tile::Module;

fn module(body: &str) -> String {
    let head = "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n    \
                @T.prim_func(s_tir=True)\n    def main(A: T.Buffer((64, 64), \"float16\"), \
                I: T.Buffer((64,), \"int32\"), C: T.Buffer((64, 64), \"float32\")):\n";
    let indented: Vec<String> = body.lines().map(|line| format!("        {line}")).collect();
    format!("{head}{}\n", indented.join("\n"))
}

fn planned(text: &str) -> (SourceMap, Result<(Module, String), String>) {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.py", text);
    let mut module = match wavemark_frontend::parse(file, text) {
        Ok(module) => module,
        Err(problems) => panic!("{}", render_short(&sources, &problems[0])),
    };
    let result = plan(&mut module.functions[0]);
    let result = match result {
        Ok(planned) => {
            let lines = planned.iter().flat_map(|plan| {
                std::iter::once(plan.summary()).chain(plan.remarks.iter().map(|remark| format!("  {remark}")))
            });
            let lines: Vec<String> = lines.collect();
            Ok((module, lines.join("\n")))
        }
        Err(problems) => {
            let each: Vec<String> = problems
                .iter()
                .map(|problem| {
                    let mut lines = vec![render_short(&sources, problem)];
                    lines.extend(problem.notes.iter().map(|note| format!("  {note}")));
                    lines.join("\n")
                })
                .collect();
            Err(each.join("\n"))
        }
    };
    (sources, result)
}

/// Compares the plans, or the errors.
fn check(body: &str, expect: Expect) {
    let (_, result) = planned(&module(body));
    let text = match result {
        Ok((_, text)) => text,
        Err(text) => text,
    };
    expect.assert_eq(&(text + "\n"));
}

const TILES: &str = r#"
for k in T.serial(16, annotations={"num_stages": N}):
    with T.sblock("step"):
        a = T.sblock_alloc_buffer((64,), "float16", scope="shared")
        b = T.sblock_alloc_buffer((64,), "float16", scope="shared")
        for j in range(64):
            with T.sblock("copy_a"):
                a[j] = A[k, j]
        for j in range(64):
            with T.sblock("copy_b"):
                b[j] = A[k + 16, j]
        for j in range(64):
            with T.sblock("add"):
                C[k, j] = T.Cast("float32", a[j]) + T.Cast("float32", b[j])
"#;

#[test]
fn copies_run_ahead() {
    check(
        &TILES.replace('N', "3"),
        expect![[r#"
        loop `k`, num_stages 3: copy_a, copy_b, add in stages [0, 0, 2], order [0, 1, 2], asynchronous [0]; versions: a x3, b x3; LDS 256 -> 768 bytes
    "#]],
    );
    check(
        &TILES.replace('N', "2"),
        expect![[r#"
        loop `k`, num_stages 2: copy_a, copy_b, add in stages [0, 0, 1], order [0, 1, 2], asynchronous [0]; versions: a x2, b x2; LDS 256 -> 512 bytes
    "#]],
    );
}

#[test]
fn one_stage_is_no_pipeline() {
    for count in ["0", "1"] {
        let (_, result) = planned(&module(&TILES.replace('N', count)));
        let (module, text) = result.unwrap();
        assert_eq!(text, "");
        let mut annotated = false;
        module.functions[0].body.visit(&mut |stmt| {
            annotated |= matches!(stmt, wavemark_tile::Stmt::For(node) if !node.annotations.is_empty());
        });
        assert!(!annotated);
    }
}

#[test]
fn counts_that_are_none() {
    check(
        &TILES.replace('N', "-1"),
        expect![[r#"
        k.py:9:9: error: loop `k` cannot be pipelined
          `num_stages` must be a whole number from 0 to 256
    "#]],
    );
    check(
        &TILES.replace('N', "100000"),
        expect![[r#"
        k.py:9:9: error: loop `k` cannot be pipelined
          `num_stages` must be a whole number from 0 to 256
    "#]],
    );
    check(
        &TILES.replace('N', "[1, 2]"),
        expect![[r#"
        k.py:9:9: error: loop `k` cannot be pipelined
          `num_stages` must be a whole number from 0 to 256
    "#]],
    );
}

#[test]
fn what_is_between_runs_late() {
    check(
        r#"
for k in T.serial(16, annotations={"num_stages": 4}):
    with T.sblock("step"):
        a = T.sblock_alloc_buffer((64,), "float16", scope="shared")
        r = T.sblock_alloc_buffer((64,), "float16", scope="local")
        for j in range(64):
            with T.sblock("copy"):
                a[j] = T.if_then_else(k < 15, A[k + 1, j], T.float16(0))
        for j in range(64):
            with T.sblock("fragment"):
                r[j] = a[j]
        for j in range(64):
            with T.sblock("use"):
                C[k, j] = T.Cast("float32", r[j])
"#,
        expect![[r#"
            loop `k`, num_stages 4: copy, fragment, use in stages [0, 3, 3], order [0, 1, 2], asynchronous [0]; versions: a x4, r x1; LDS 128 -> 512 bytes
        "#]],
    );
}

#[test]
fn addresses_get_a_stage_of_their_own() {
    check(
        r#"
for k in T.serial(16, annotations={"num_stages": 3}):
    with T.sblock("step"):
        page = T.sblock_alloc_buffer((1,), "int32", scope="local")
        a = T.sblock_alloc_buffer((64,), "float16", scope="shared")
        with T.sblock("page"):
            page[0] = I[k]
        for j in range(64):
            with T.sblock("copy"):
                a[j] = A[page[0], j]
        for j in range(64):
            with T.sblock("use"):
                C[k, j] = T.Cast("float32", a[j])
"#,
        expect![[r#"
            loop `k`, num_stages 3: page, copy, use in stages [0, 1, 3], order [0, 1, 2], asynchronous [1]; versions: page x2, a x3; LDS 128 -> 384 bytes
        "#]],
    );
}

const INDIRECT: &str = r#"
for k in T.serial(16, annotations={"num_stages": N}):
    with T.sblock("step"):
        page = T.sblock_alloc_buffer((64,), "int32", scope="shared")
        a = T.sblock_alloc_buffer((64,), "float16", scope="shared")
        for j in range(64):
            with T.sblock("pages"):
                page[j] = I[k + j]
        for j in range(64):
            with T.sblock("copy"):
                a[j] = A[page[j], j]
        for j in range(64):
            with T.sblock("use"):
                C[k, j] = T.Cast("float32", a[j])
"#;

#[test]
fn copies_of_copies_are_spread() {
    check(
        &INDIRECT.replace('N', "2"),
        expect![[r#"
        loop `k`, num_stages 2: pages, copy, use in stages [0, 0, 1], order [0, 1, 2], asynchronous []; versions: page x1, a x2; LDS 384 -> 512 bytes
          stage 0 stays synchronous: `copy` reads `page`, which `pages` writes (a larger num_stages gives each a stage of its own)
    "#]],
    );
    check(
        &INDIRECT.replace('N', "3"),
        expect![[r#"
        loop `k`, num_stages 3: pages, copy, use in stages [0, 1, 2], order [0, 1, 2], asynchronous [0, 1]; versions: page x2, a x2; LDS 384 -> 768 bytes
    "#]],
    );
    check(
        &INDIRECT.replace('N', "5"),
        expect![[r#"
        loop `k`, num_stages 5: pages, copy, use in stages [0, 2, 4], order [0, 1, 2], asynchronous [0, 2]; versions: page x3, a x3; LDS 384 -> 1152 bytes
    "#]],
    );
}

#[test]
fn lets_are_written_in_place() {
    check(
        r#"
for k in T.serial(16, annotations={"num_stages": 2}):
    with T.sblock("step"):
        a = T.sblock_alloc_buffer((64,), "float16", scope="shared")
        row: T.int32 = k * 2 + 1
        for j in range(64):
            with T.sblock("copy"):
                a[j] = A[row, j]
        for j in range(64):
            with T.sblock("use"):
                C[k, j] = T.Cast("float32", a[j])
"#,
        expect![[r#"
            loop `k`, num_stages 2: copy, use in stages [0, 1], order [0, 1], asynchronous [0]; versions: a x2; LDS 128 -> 256 bytes
        "#]],
    );
}

#[test]
fn tiles_allocated_around_the_loop_move_in() {
    check(
        r#"
for tx in T.thread_binding(16, thread="threadIdx.x"):
    with T.sblock("kernel"):
        a = T.sblock_alloc_buffer((64,), "float16", scope="shared.dyn")
        for k in T.serial(16, annotations={"num_stages": 3}):
            for v in T.vectorized(4):
                a[tx * 4 + v] = A[k, tx * 4 + v]
            for j in range(4):
                with T.sblock("use"):
                    C[k, tx * 4 + j] = T.Cast("float32", a[63 - tx * 4 - j])
"#,
        expect![[r#"
            loop `k`, num_stages 3: store to a, use in stages [0, 2], order [0, 1], asynchronous [0]; versions: a x3; LDS 128 -> 384 bytes
        "#]],
    );
    // The last quarter is not written: it may hold something from an earlier iteration.
    check(
        r#"
for tx in T.thread_binding(12, thread="threadIdx.x"):
    with T.sblock("kernel"):
        a = T.sblock_alloc_buffer((64,), "float16", scope="shared.dyn")
        for k in T.serial(16, annotations={"num_stages": 3}):
            for v in T.vectorized(4):
                a[tx * 4 + v] = A[k, tx * 4 + v]
            for j in range(4):
                with T.sblock("use"):
                    C[k, tx * 4 + j] = T.Cast("float32", a[63 - tx * 4 - j])
"#,
        expect![[r#"
            k.py:12:17: error: loop `k` cannot be pipelined
              `store to a` is not a copy to run ahead: `a` is not allocated in the loop
              `use` is not a copy to run ahead: it writes global memory (`C`)
        "#]],
    );
}

#[test]
fn a_pipelined_loop_inside_counts_thrice() {
    check(
        r#"
for k in T.serial(16, annotations={"num_stages": 3}):
    with T.sblock("step"):
        a = T.sblock_alloc_buffer((64,), "float16", scope="shared")
        for j in range(64):
            with T.sblock("copy"):
                a[j] = A[k, j]
        for i in T.serial(4, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
            with T.sblock("inner"):
                r = T.sblock_alloc_buffer((16,), "float16", scope="local")
                for j in range(16):
                    with T.sblock("fragment"):
                        r[j] = a[i * 16 + j]
                for j in range(16):
                    with T.sblock("use"):
                        C[k, i * 16 + j] = T.Cast("float32", r[j])
"#,
        expect![[r#"
            loop `k`, num_stages 3: copy, inner (prologue), inner (body), inner (epilogue) in stages [0, 2, 2, 2], order [0, 1, 2, 3], asynchronous [0]; versions: a x3, r x1; LDS 128 -> 384 bytes
        "#]],
    );
}

#[test]
fn errors_name_the_dependence() {
    // In place: the copy of a later row may read what an earlier iteration writes.
    check(
        r#"
for k in T.serial(16, annotations={"num_stages": 2}):
    with T.sblock("step"):
        a = T.sblock_alloc_buffer((64,), "float32", scope="shared")
        for j in range(64):
            with T.sblock("copy"):
                a[j] = C[k, j]
        for j in range(64):
            with T.sblock("use"):
                C[k + 1, j] = a[j]
"#,
        expect![[r#"
            k.py:9:9: error: loop `k` cannot be pipelined
              `copy` is not a copy to run ahead: it reads `C`, which the loop writes
              `use` is not a copy to run ahead: it writes global memory (`C`)
        "#]],
    );
    // The address comes from what the iteration before computed.
    check(
        r#"
with T.sblock("kernel"):
    p = T.sblock_alloc_buffer((1,), "int32", scope="local")
    p[0] = 0
    for k in T.serial(16, annotations={"num_stages": 2}):
        with T.sblock("step"):
            a = T.sblock_alloc_buffer((64,), "float16", scope="shared")
            for j in range(64):
                with T.sblock("copy"):
                    a[j] = A[p[0], j]
            with T.sblock("use"):
                C[k, 0] = T.Cast("float32", a[0])
                p[0] = T.Cast("int32", a[1])
"#,
        expect![[r#"
            k.py:12:13: error: loop `k` cannot be pipelined
              copy `copy` cannot run ahead of `store to p`: `store to p` writes `p`, which `copy` reads, and `p` has one version: it is not allocated in the loop
              `store to C` is not a copy to run ahead: it writes global memory (`C`)
              `store to p` is not a copy to run ahead: `p` is not allocated in the loop
        "#]],
    );
    check(
        r#"
for k in T.serial(16, annotations={"num_stages": 2}):
    with T.sblock("step"):
        a = T.sblock_alloc_buffer((64,), "float16", scope="shared")
        for j in range(64):
            with T.sblock("copy"):
                a[j] = A[k, j]
        T.tvm_storage_sync("shared")
        for j in range(64):
            with T.sblock("use"):
                C[k, j] = T.Cast("float32", a[j])
"#,
        expect![[r#"
            k.py:9:9: error: loop `k` cannot be pipelined
              copy `copy` cannot run ahead of `tvm_storage_sync`: nothing may move across `tvm_storage_sync`
              `tvm_storage_sync` is not a copy to run ahead: it calls `tvm_storage_sync`
              `use` is not a copy to run ahead: it writes global memory (`C`)
        "#]],
    );
    check(
        r#"
for k in T.serial(16, annotations={"num_stages": 2}):
    with T.sblock("use"):
        C[k, 0] = T.Cast("float32", A[k, 0])
"#,
        expect![[r#"
            k.py:9:9: error: loop `k` cannot be pipelined
              its body is a single statement: there is nothing to overlap it with
        "#]],
    );
    check(
        r#"
for k in T.serial(16, annotations={"num_stages": 2}):
    with T.sblock("step"):
        a = T.sblock_alloc_buffer((64,), "float16", scope="shared")
        for j in range(64):
            with T.sblock("double"):
                a[j] = A[k, j] + A[k, j]
        for j in range(64):
            with T.sblock("use"):
                C[k, j] = T.Cast("float32", a[j])
"#,
        expect![[r#"
            k.py:9:9: error: loop `k` cannot be pipelined
              `double` is not a copy to run ahead: it computes a value
              `use` is not a copy to run ahead: it writes global memory (`C`)
        "#]],
    );
    check(
        r#"
for k in T.thread_binding(16, thread="threadIdx.x", annotations={"num_stages": 2}):
    with T.sblock("step"):
        C[k, 0] = T.float32(0)
        C[k, 1] = T.float32(0)
"#,
        expect![[r#"
            k.py:9:9: error: loop `k` cannot be pipelined
              a thread-bound loop has no iterations one after the other
        "#]],
    );
}
