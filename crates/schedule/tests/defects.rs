//! The defects known of TVM's pass, one program each: here the result is right under a thousand orders of completion,
//! or the program is refused with its reason.

mod running;

use expect_test::{Expect, expect};
use running::{module, refusal, waits};

/// A module with one loop around `body`.
fn program(loop_header: &str, body: &str) -> String {
    let mut text = String::from(
        "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n\n@I.ir_module\nclass Module:\n    \
         @T.prim_func(s_tir=True)\n    def main(A: T.Buffer((32,), \"float32\"), B: T.Buffer((32,), \"float32\"), \
         C: T.Buffer((32,), \"float32\"), D: T.Buffer((32,), \"float32\")):\n",
    );
    text.push_str(&format!("        for i in {loop_header}:\n"));
    for line in body.lines().filter(|line| !line.trim().is_empty()) {
        text.push_str(&format!("            {}\n", line.strip_prefix("        ").unwrap_or(line)));
    }
    text
}

fn pipelined(range: &str, stages: &str, orders: &str, asynchronous: &str) -> String {
    format!(
        "T.serial({range}, annotations={{\"software_pipeline_stage\": {stages}, \"software_pipeline_order\": {orders}, \
         \"software_pipeline_async_stages\": {asynchronous}}})"
    )
}

/// The waits of the result, a line each: queue, count, what is awaited for.
fn right(header: &str, body: &str, expected: Expect) {
    expected.assert_eq(&waits(&module(&program(header, body))));
}

fn refused(header: &str, body: &str, expected: Expect) {
    expected.assert_eq(&refusal(&program(header, body)));
}

const INTERLEAVED: &str = r#"
        with T.sblock("tile"):
            X = T.sblock_alloc_buffer((1,), scope="shared")
            Y = T.sblock_alloc_buffer((1,), scope="shared")
            with T.sblock("copy_a"):
                X[0] = A[i]
            with T.sblock("copy_b"):
                Y[0] = B[i]
            with T.sblock("add"):
                C[i] = X[0] + Y[0]
"#;

#[test]
fn b1_producers_on_both_sides_of_the_consumer() {
    let header = pipelined("16", "[0, 0, 3]", "[0, 2, 1]", "[0]");
    right(
        &header,
        INTERLEAVED,
        expect![[r#"
        X[4, 1]
        Y[4, 1]
        loop from 0, 3 iterations
          async_commit_queue_scope 0
          X
          async_commit_queue_scope 0
          Y
        loop from 0, 13 iterations
          async_commit_queue_scope 0
          X
          async_wait_queue_scope 0
          async_wait_inflight_count 5
          C
          async_commit_queue_scope 0
          Y
        loop from 0, 3 iterations
          async_wait_queue_scope 0
          async_wait_inflight_count 4 - i * 2
          C
    "#]],
    );
}

#[test]
fn b2_two_producers_after_the_consumer() {
    let body = r#"
        with T.sblock("tile"):
            X = T.sblock_alloc_buffer((1,), scope="shared")
            Y = T.sblock_alloc_buffer((1,), scope="shared")
            Z = T.sblock_alloc_buffer((1,), scope="shared")
            with T.sblock("x"):
                X[0] = A[i]
            with T.sblock("y"):
                Y[0] = B[i]
            with T.sblock("z"):
                Z[0] = B[i] + T.float32(1.0)
            with T.sblock("sum"):
                C[i] = X[0] + Y[0] + Z[0]
"#;
    right(
        &pipelined("16", "[0, 0, 0, 2]", "[0, 2, 3, 1]", "[0]"),
        body,
        expect![[r#"
        X[3, 1]
        Y[3, 1]
        Z[3, 1]
        loop from 0, 2 iterations
          async_commit_queue_scope 0
          X
          async_commit_queue_scope 0
          Y
          Z
        loop from 0, 14 iterations
          async_commit_queue_scope 0
          X
          async_wait_queue_scope 0
          async_wait_inflight_count 3
          C
          async_commit_queue_scope 0
          Y
          Z
        loop from 0, 2 iterations
          async_wait_queue_scope 0
          async_wait_inflight_count 2 - i * 2
          C
    "#]],
    );
}

#[test]
fn b3_two_consumers_around_the_commit() {
    let body = r#"
        with T.sblock("tile"):
            X = T.sblock_alloc_buffer((1,), scope="shared")
            with T.sblock("copy"):
                X[0] = A[i]
            with T.sblock("late"):
                C[i] = X[0] + T.float32(1.0)
            with T.sblock("soon"):
                D[i] = X[0] + T.float32(2.0)
"#;
    right(
        &pipelined("16", "[0, 2, 1]", "[1, 0, 2]", "[0]"),
        body,
        expect![[r#"
        X[3, 1]
        loop from 0, 2 iterations
          async_commit_queue_scope 0
          X
          async_wait_queue_scope 0
          async_wait_inflight_count 1
          D
        loop from 0, 14 iterations
          C
          async_commit_queue_scope 0
          X
          async_wait_queue_scope 0
          async_wait_inflight_count 1
          D
        loop from 0, 2 iterations
          C
          async_wait_queue_scope 0
          async_wait_inflight_count 0
          D
    "#]],
    );
}

const CHAIN: &str = r#"
        with T.sblock("tile"):
            X = T.sblock_alloc_buffer((1,), scope="shared")
            Y = T.sblock_alloc_buffer((1,), scope="shared")
            with T.sblock("x"):
                X[0] = A[i]
            with T.sblock("y"):
                Y[0] = X[0] + T.float32(1.0)
            with T.sblock("out"):
                C[i] = Y[0] + T.float32(1.0)
"#;

#[test]
fn b4_an_asynchronous_reader_gets_one_more_version() {
    right(
        &pipelined("16", "[0, 1, 2]", "[0, 1, 2]", "[0, 1]"),
        CHAIN,
        expect![[r#"
        X[3, 1]
        Y[2, 1]
        loop from 0, 2 iterations
          async_commit_queue_scope 0
          X
          async_commit_queue_scope 1
          async_wait_queue_scope 0
          async_wait_inflight_count 1
          Y
        loop from 0, 14 iterations
          async_commit_queue_scope 0
          X
          async_commit_queue_scope 1
          async_wait_queue_scope 0
          async_wait_inflight_count 1
          Y
          async_wait_queue_scope 1
          async_wait_inflight_count 1
          C
        loop from 0, 2 iterations
          async_commit_queue_scope 1
          async_wait_queue_scope 0
          async_wait_inflight_count 0
          Y
          async_wait_queue_scope 1
          async_wait_inflight_count 1 - i
          C
    "#]],
    );
}

#[test]
fn b4_the_last_stage_is_asynchronous() {
    right(
        &pipelined("16", "[0, 1, 2]", "[0, 1, 2]", "[0, 1, 2]"),
        CHAIN,
        expect![[r#"
        X[3, 1]
        Y[3, 1]
        loop from 0, 2 iterations
          async_commit_queue_scope 0
          X
          async_commit_queue_scope 1
          async_wait_queue_scope 0
          async_wait_inflight_count 1
          Y
        loop from 0, 14 iterations
          async_commit_queue_scope 0
          X
          async_commit_queue_scope 1
          async_wait_queue_scope 2
          async_wait_inflight_count 1
          async_wait_queue_scope 0
          async_wait_inflight_count 1
          Y
          async_commit_queue_scope 2
          async_wait_queue_scope 1
          async_wait_inflight_count 1
          C
        loop from 0, 2 iterations
          async_commit_queue_scope 1
          async_wait_queue_scope 2
          async_wait_inflight_count 1
          async_wait_queue_scope 0
          async_wait_inflight_count 0
          Y
          async_commit_queue_scope 2
          async_wait_queue_scope 1
          async_wait_inflight_count 1 - i
          C
    "#]],
    );
}

#[test]
fn b5_loops_that_do_not_begin_at_zero() {
    let header = pipelined("3, 19", "[0, 0, 3]", "[0, 1, 2]", "[0]");
    right(
        &header,
        INTERLEAVED,
        expect![[r#"
        X[4, 1]
        Y[4, 1]
        loop from 3, 3 iterations
          async_commit_queue_scope 0
          X
          Y
        loop from 3, 13 iterations
          async_commit_queue_scope 0
          X
          Y
          async_wait_queue_scope 0
          async_wait_inflight_count 3
          C
        loop from 3, 3 iterations
          async_wait_queue_scope 0
          async_wait_inflight_count 5 - i
          C
    "#]],
    );
}

#[test]
fn b6_an_unrelated_statement_between_two_of_one_group() {
    let body = r#"
        with T.sblock("tile"):
            X = T.sblock_alloc_buffer((1,), scope="shared")
            Y = T.sblock_alloc_buffer((1,), scope="shared")
            with T.sblock("x"):
                X[0] = A[i]
            with T.sblock("unrelated"):
                D[i] = B[i]
            with T.sblock("y"):
                Y[0] = B[i]
            with T.sblock("sum"):
                C[i] = X[0] + Y[0]
"#;
    right(
        &pipelined("16", "[0, 0, 0, 2]", "[0, 1, 2, 3]", "[0]"),
        body,
        expect![[r#"
        X[3, 1]
        Y[3, 1]
        loop from 0, 2 iterations
          async_commit_queue_scope 0
          X
          D
          Y
        loop from 0, 14 iterations
          async_commit_queue_scope 0
          X
          D
          Y
          async_wait_queue_scope 0
          async_wait_inflight_count 2
          C
        loop from 0, 2 iterations
          async_wait_queue_scope 0
          async_wait_inflight_count 1 - i
          C
    "#]],
    );
    right(
        &pipelined("16", "[0, 1, 0, 2]", "[0, 1, 2, 3]", "[0]"),
        body,
        expect![[r#"
        X[3, 1]
        Y[3, 1]
        loop from 0, 2 iterations
          async_commit_queue_scope 0
          X
          D
          async_commit_queue_scope 0
          Y
        loop from 0, 14 iterations
          async_commit_queue_scope 0
          X
          D
          async_commit_queue_scope 0
          Y
          async_wait_queue_scope 0
          async_wait_inflight_count 4
          C
        loop from 0, 2 iterations
          D
          async_wait_queue_scope 0
          async_wait_inflight_count 2 - i * 2
          C
    "#]],
    );
}

#[test]
fn b7_producer_and_consumer_in_one_asynchronous_stage() {
    right(
        &pipelined("16", "[0, 0, 1]", "[0, 1, 2]", "[0]"),
        CHAIN,
        expect![[r#"
        X[1]
        Y[2, 1]
          async_commit_queue_scope 0
          X
          async_commit_queue_scope 0
          async_wait_queue_scope 0
          async_wait_inflight_count 0
          Y
        loop from 0, 15 iterations
          async_commit_queue_scope 0
          X
          async_commit_queue_scope 0
          async_wait_queue_scope 0
          async_wait_inflight_count 0
          Y
          C
          async_wait_queue_scope 0
          async_wait_inflight_count 0
          C
    "#]],
    );
}

#[test]
fn b8_negative_stages_are_refused() {
    refused(
        &pipelined("16", "[-1, 0, 1]", "[0, 1, 2]", "[0]"),
        CHAIN,
        expect![[r#"
        error: stage -1 of `x` (statement 0) is not in 0..=1024
         --> test.py:9:9
          |
        9 | ...   for i in T.serial(16, annotations={"software_pipeline_stage": [-1, 0, 1], "software_pipeline_order": [0, 1, 2], "software_pipeline_async_stages": [0]}):
          |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn b8_a_step_counts() {
    right(
        &pipelined("0, 16, step=2", "[0, 1, 2]", "[0, 1, 2]", "[0]"),
        CHAIN,
        expect![[r#"
        X[2, 1]
        Y[2, 1]
        loop from 0, 2 iterations
          async_commit_queue_scope 0
          X
          async_wait_queue_scope 0
          async_wait_inflight_count 1
          Y
        loop from 0, 6 iterations
          async_commit_queue_scope 0
          X
          async_wait_queue_scope 0
          async_wait_inflight_count 1
          Y
          C
        loop from 0, 2 iterations
          async_wait_queue_scope 0
          async_wait_inflight_count 0 - i
          Y
          C
    "#]],
    );
}

#[test]
fn b8_the_predicate_of_the_body_counts() {
    let body = CHAIN.replace("(\"tile\"):\n", "(\"tile\"):\n            T.where(i < 11)\n");
    right(
        &pipelined("16", "[0, 1, 2]", "[0, 1, 2]", "[0]"),
        &body,
        expect![[r#"
        X[2, 1]
        Y[2, 1]
        loop from 0, 2 iterations
          async_commit_queue_scope 0
          X
          async_wait_queue_scope 0
          async_wait_inflight_count 1
          Y
        loop from 0, 14 iterations
          async_commit_queue_scope 0
          X
          async_wait_queue_scope 0
          async_wait_inflight_count 1
          Y
          C
        loop from 0, 2 iterations
          async_wait_queue_scope 0
          async_wait_inflight_count 0 - i
    "#]],
    );
}

#[test]
fn b8_scratch_that_is_allocated_around_the_loop() {
    let text = program(&pipelined("16", "[0, 0, 2]", "[0, 1, 2]", "[0]"), INTERLEAVED);
    // The same buffers, one block further out.
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("alloc_buffer")).collect();
    let at = lines.iter().position(|line| line.contains("for i in")).expect("the loop");
    let mut moved: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    for name in ["X", "Y"] {
        moved.insert(at, format!("        {name} = T.sblock_alloc_buffer((1,), scope=\"shared\")"));
    }
    expect![[r#"
        X[3, 1]
        Y[3, 1]
        loop from 0, 2 iterations
          async_commit_queue_scope 0
          X
          Y
        loop from 0, 14 iterations
          async_commit_queue_scope 0
          X
          Y
          async_wait_queue_scope 0
          async_wait_inflight_count 2
          C
        loop from 0, 2 iterations
          async_wait_queue_scope 0
          async_wait_inflight_count 1 - i
          C
    "#]]
    .assert_eq(&waits(&module(&moved.join("\n"))));
}

#[test]
fn b8_a_second_use_of_a_buffer_in_the_iteration_keeps_its_place() {
    let body = r#"
        with T.sblock("tile"):
            X = T.sblock_alloc_buffer((1,), scope="shared")
            with T.sblock("first"):
                X[0] = A[i]
            with T.sblock("use_first"):
                C[i] = X[0]
            with T.sblock("second"):
                X[0] = B[i]
            with T.sblock("use_second"):
                D[i] = X[0]
"#;
    refused(
        &pipelined("16", "[0, 1, 0, 1]", "[0, 1, 2, 3]", "[0]"),
        body,
        expect![[r#"
        error: the pipeline would run `second` (statement 2) (stage 0, order 2) before `use_first` (statement 1) (stage 1, order 1): the first reads what the second overwrites in buffer `X`
          --> test.py:16:17
           |
        14 |                 with T.sblock("use_first"):
           |                 -------------------------- this must come first
        15 |                     C[i] = X[0]
        16 |                 with T.sblock("second"):
           |                 ^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: give the second use a buffer of its own, or raise its stage"#]],
    );
}

#[test]
fn b9_orders_with_a_gap_and_buffers_without_use_are_named() {
    refused(
        &pipelined("16", "[0, 0, 1]", "[0, 1, 3]", "[0]"),
        CHAIN,
        expect![[r#"
        error: order 3 of `out` (statement 2) is not in 0..3
         --> test.py:9:9
          |
        9 | ...   for i in T.serial(16, annotations={"software_pipeline_stage": [0, 0, 1], "software_pipeline_order": [0, 1, 3], "software_pipeline_async_stages": [0]}):
          |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: the orders are the places of the statements in the new body: each of 0, 1, … once"#]],
    );
    let body = CHAIN
        .replace("with T.sblock(\"x\")", "U = T.sblock_alloc_buffer((1,))\n            with T.sblock(\"x\")");
    refused(
        &pipelined("16", "[0, 0, 1]", "[0, 1, 2]", "[0]"),
        &body,
        expect![[r#"
        error: `U` is allocated in the pipelined loop, but no statement of it uses it
          --> test.py:13:21
           |
        13 |                 U = T.sblock_alloc_buffer((1,))
           |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: remove the allocation"#]],
    );
}

#[test]
fn a_dependence_from_one_iteration_to_the_next_is_kept() {
    let body = r#"
        with T.sblock("tile"):
            X = T.sblock_alloc_buffer((1,), scope="shared")
            with T.sblock("read"):
                X[0] = C[i]
            with T.sblock("write"):
                C[i + 1] = X[0] + A[i]
"#;
    refused(
        &pipelined("16", "[0, 2]", "[0, 1]", "[0]"),
        body,
        expect![[r#"
        error: the pipeline would run `read` (statement 0) (stage 0, order 0) before `write` (statement 1) (stage 2, order 1): a later iteration reads what the other writes in buffer `C`
          --> test.py:12:17
           |
        12 |                 with T.sblock("read"):
           |                 ^^^^^^^^^^^^^^^^^^^^^
        13 |                     X[0] = C[i]
        14 |                 with T.sblock("write"):
           |                 ---------------------- this must come first
           |
           = note: the dependence is from one iteration to the one 1 later
           = help: put both into one stage, or keep the value in a buffer that the loop body allocates"#]],
    );
}

#[test]
fn what_is_used_after_the_loop_is_awaited() {
    let text = program(&pipelined("16", "[0, 1, 2]", "[0, 1, 2]", "[2]"), CHAIN);
    let text = format!("{text}        for j in range(16):\n            D[j] = C[j]\n");
    expect![[r#"
        X[2, 1]
        Y[3, 1]
        loop from 0, 2 iterations
          X
          Y
        loop from 0, 14 iterations
          X
          async_wait_queue_scope 2
          async_wait_inflight_count 1
          Y
          async_commit_queue_scope 2
          C
        loop from 0, 2 iterations
          async_wait_queue_scope 2
          async_wait_inflight_count 1
          Y
          async_commit_queue_scope 2
          C
          async_wait_queue_scope 2
          async_wait_inflight_count 0
        loop from 0, 16 iterations
          D
    "#]]
    .assert_eq(&waits(&module(&text)));
}

#[test]
fn a_reader_of_two_asynchronous_stages_waits_for_both() {
    let body = r#"
        with T.sblock("tile"):
            X = T.sblock_alloc_buffer((1,), scope="shared")
            Y = T.sblock_alloc_buffer((1,), scope="shared")
            with T.sblock("copy_a"):
                X[0] = A[i]
            with T.sblock("copy_b"):
                Y[0] = B[i]
            with T.sblock("add"):
                C[i] = X[0] + Y[0]
"#;
    right(
        &pipelined("16", "[0, 1, 3]", "[0, 1, 2]", "[0, 1]"),
        body,
        expect![[r#"
        X[4, 1]
        Y[3, 1]
        loop from 0, 3 iterations
          async_commit_queue_scope 0
          X
          async_commit_queue_scope 1
          Y
        loop from 0, 13 iterations
          async_commit_queue_scope 0
          X
          async_commit_queue_scope 1
          Y
          async_wait_queue_scope 1
          async_wait_inflight_count 2
          async_wait_queue_scope 0
          async_wait_inflight_count 3
          C
        loop from 0, 3 iterations
          async_commit_queue_scope 1
          Y
          async_wait_queue_scope 1
          async_wait_inflight_count 2 - i
          async_wait_queue_scope 0
          async_wait_inflight_count 2 - i
          C
    "#]],
    );
}
