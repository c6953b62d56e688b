//! `wavemark check K.py` as scripts see it.

use std::io::Write;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};

fn run(arguments: &[&str], input: &str) -> (i32, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wavemark"))
        .args(["check", "-", "--lang", "py"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout) + &text(output.stderr))
}

fn check(input: &str, expect: Expect) {
    let (status, text) = run(&[], input);
    expect.assert_eq(&format!("{text}exit {status}\n"));
}

/// A copy one iteration ahead of its reader, which waits for `count`; `between` comes before the reader.
fn copy_ahead(count: &str, between: &str) -> String {
    format!(
        r#"from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), P: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
        B = T.sblock_alloc_buffer((2,), scope="shared")
        with T.attr({{"async_commit_queue_scope": 0, "async_scope": 1}}):
            B[0] = A[0]
        for i in range(15):
            with T.attr({{"async_commit_queue_scope": 0, "async_scope": 1}}):
                B[(i + 1) % 2] = A[i + 1]
            {between}
            with T.attr({{"async_wait_queue_scope": 0, "async_wait_inflight_count": {count}}}):
                C[i] = B[i % 2]
        with T.attr({{"async_wait_queue_scope": 0, "async_wait_inflight_count": 0}}):
            C[15] = B[1]
"#
    )
}

#[test]
fn right() {
    check(
        &copy_ahead("1", "T.evaluate(0)"),
        expect![[r#"
            note: main: waits: 2 exact
            note: main: loop i: iterations from 2 on repeat with period 2, which covers 10 that were not walked
            <stdin>: main: clean, no findings
            exit 0
        "#]],
    );
}

#[test]
fn too_weak() {
    check(
        &copy_ahead("2", "T.evaluate(0)"),
        expect![[r#"
            error[A1]: read of data in flight
              producer: <stdin>:10:13
                   10 | B[0] = A[0]
                      > the store to B writes B asynchronously, queue 0
              consumer: <stdin>:16:17, i = 0
                   16 | C[i] = B[i % 2]
                      > the store to C reads B
              wait: <stdin>:15:26, i = 0
                   15 | with T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 2}):
                      > leaves 2 groups in flight
              hint: async_wait_inflight_count 1 instead of 2 there

            error[A1]: read of data in flight (14 times)
              producer: <stdin>:13:17, i = 0
                   13 | B[(i + 1) % 2] = A[i + 1]
                      > the store to B writes B asynchronously, queue 0
              consumer: <stdin>:16:17, i = 1
                   16 | C[i] = B[i % 2]
                      > the store to C reads B
              wait: <stdin>:15:26, i = 1
                   15 | with T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 2}):
                      > leaves 2 groups in flight
              hint: async_wait_inflight_count 1 instead of 2 there

            note: main: waits: 1 exact, 1 too weak
            note: main: loop i: iterations from 2 on repeat with period 2, which covers 10 that were not walked
            <stdin>: main: findings, 2 errors
            exit 1
        "#]],
    );
}

#[test]
fn too_strong() {
    check(
        &copy_ahead("0", "T.evaluate(0)"),
        expect![[r#"
            advice[W2]: wait stronger than needed (15 times)
              wait: <stdin>:15:26
                   15 | with T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 0}):
                      > waits on queue 0 for 0
              hint: async_wait_inflight_count 1 is enough
              note: proven: it holds for every run

            note: main: waits: 1 exact, 1 too strong
            note: main: loop i: iterations from 2 on repeat with period 2, which covers 10 that were not walked
            <stdin>: main: clean, 1 advice
            exit 0
        "#]],
    );
}

#[test]
fn not_decided_is_not_clean() {
    // The count is data.
    check(
        &copy_ahead("T.Cast(\"int32\", P[i])", "T.evaluate(0)"),
        expect![[r#"
            not checked: main: <stdin>:15:26: the count of a wait is not known
            not checked: main: <stdin>:16:17: whether its data are in flight depends on a count that is not known
            note: main: waits: 1 exact, 1 not known
            note: main: loop i: iterations from 2 on repeat with period 2, which covers 10 that were not walked
            <stdin>: main: not-checked
            exit 3
        "#]],
    );
}

#[test]
fn a_synchronous_statement_in_a_commit_is_a_warning() {
    let between = "with T.attr({\"async_commit_queue_scope\": 1}):\n                P[i] = A[i]";
    check(
        &copy_ahead("1", between),
        expect![[r#"
            warning[A7]: synchronous statement inside a commit (15 times)
              statement: <stdin>:15:17, i = 0
                   15 | P[i] = A[i]
                      > the store to P
              hint: move it out of the async_commit_queue_scope

            note: main: waits: 2 exact
            note: main: loop i: iterations from 4 on repeat with period 2, which covers 8 that were not walked
            <stdin>: main: clean, 1 warning
            exit 0
        "#]],
    );
}

#[test]
fn nothing_asynchronous() {
    let text = "from tvm.script import tir as T

@T.prim_func
def copy(A: T.Buffer((16,), \"float32\"), C: T.Buffer((16,), \"float32\")):
    for i in range(16):
        C[i] = A[i]
";
    check(
        text,
        expect![[r#"
            note: copy: no asynchronous scopes, so nothing to check
            <stdin>: copy: nothing-to-check, no findings
            exit 0
        "#]],
    );
}

#[test]
fn annotated_loops_are_checked_as_pipelined() {
    let text = r#"from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in T.serial(16, annotations={"software_pipeline_stage": [0, 3], "software_pipeline_order": [0, 1],
                                       "software_pipeline_async_stages": [0]}):
        with T.block("step"):
            B = T.alloc_buffer((1,), scope="shared")
            with T.block("fetch"):
                T.reads(A[i])
                T.writes(B[0])
                B[0] = A[i]
            with T.block("use"):
                T.reads(B[0])
                T.writes(C[i])
                C[i] = B[0] * T.float32(2)
"#;
    check(
        text,
        expect![[r#"
            note: main: its loops ask to be pipelined; what is checked is the result
            note: main: waits: 2 exact
            note: main: loop i: iterations from 4 on repeat with period 4, which covers 4 that were not walked
            <stdin>: main: clean, no findings
            exit 0
        "#]],
    );
}

#[test]
fn unusable_input() {
    check(
        "def",
        expect![[r#"
        error: not Python: expected an identifier
         --> <stdin>:1:4
          |
        1 | def
          |    ^
        exit 2
    "#]],
    );
}

#[test]
fn reports_for_programs() {
    let (status, text) = run(&["--format", "json"], &copy_ahead("2", "T.evaluate(0)"));
    assert_eq!(status, 1);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["outcome"], "findings");
    assert_eq!(report["checked"]["waits"], true);
    let finding = &report["findings"][0];
    assert_eq!((&finding["rule"], &finding["class"]), (&"A1".into(), &"missing-wait".into()));
    assert_eq!(finding["sites"][2]["role"], "wait");
    assert_eq!(finding["sites"][2]["source"], "<stdin>:15:26");

    let (status, text) = run(&["--format", "sarif"], &copy_ahead("0", "T.evaluate(0)"));
    assert_eq!(status, 0);
    let log: serde_json::Value = serde_json::from_str(&text).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"W2".into(), &"note".into()));
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 15);

    let (status, text) = run(&["--check", "lds"], &copy_ahead("0", "T.evaluate(0)"));
    assert_eq!(status, 0);
    assert!(!text.contains("W2"), "advice was not asked for: {text}");
}
