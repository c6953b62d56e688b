//! The checker rule by rule, on small programs as a person writes them.

use expect_test::{Expect, expect};
use std::fmt::Write as _;
use wavemark_diag::SourceMap;
use wavemark_schedule::checker::{Report, check};

const PARAMETERS: &str = "A: T.Buffer((64,), \"float32\"), C: T.Buffer((64,), \"float32\"), P: T.Buffer((64,), \"int32\"), n: T.int32, flag: T.bool";

fn report(body: &str) -> (SourceMap, Report) {
    let mut text = format!(
        "from tvm.script import tir as T\n\n@T.prim_func\ndef main({PARAMETERS}):\n    B = T.alloc_buffer((4, 16), scope=\"shared\")\n"
    );
    for line in body.lines().filter(|line| !line.is_empty()) {
        _ = writeln!(text, "    {line}");
    }
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.py", text.clone());
    let module = wavemark_frontend::parse(file, &text).unwrap_or_else(|problems| {
        panic!("{:?}\n{text}", problems.iter().map(|one| one.message.clone()).collect::<Vec<_>>())
    });
    (sources, check(&module.functions[0]))
}

/// Findings, doubts and waits, a line each; lines are those of `body`, from 1.
fn is(body: &str, expected: Expect) {
    let (sources, report) = report(body);
    let mut text = String::new();
    let line = |span: Option<wavemark_diag::Span>| {
        span.and_then(|span| sources.line_column(span)).map_or(0, |place| place.line.saturating_sub(5))
    };
    for finding in &report.findings {
        let producer = &finding.producer;
        _ = write!(text, "{} line {}", finding.rule.id(), line(producer.place.span));
        if let Some(consumer) = &finding.consumer {
            _ = write!(text, " before {}", line(consumer.place.span));
            let at = consumer.place.iteration(&consumer.iteration);
            if !at.is_empty() {
                _ = write!(text, " at {at}");
            }
        }
        match (&finding.blame, finding.sufficient_here) {
            (Some(blame), _) => _ = write!(text, ": {} instead of {}", blame.sufficient, blame.count),
            (None, Some(count)) => _ = write!(text, ": a wait for {count}"),
            (None, None) => {}
        }
        if finding.queue_order {
            text.push_str(", or the queue's order");
        }
        if finding.on_some_path {
            text.push_str(", on some path");
        }
        for (name, value) in &finding.symbols {
            _ = write!(text, ", {name} = {value}");
        }
        text.push('\n');
    }
    for one in &report.not_proven {
        let place = one.place.as_ref().map(|place| format!("line {}: ", line(place.span)));
        _ = writeln!(text, "not proven: {}{}", place.unwrap_or_default(), one.reason);
    }
    for wait in &report.waits {
        let best = wait.best.map_or("any".to_owned(), |best| best.to_string());
        _ = writeln!(text, "wait {:?}: {:?}, best {best}", wait.counts.unwrap_or((-99, -99)), wait.verdict);
    }
    if let Some(symbols) = &report.symbols {
        _ = writeln!(text, "{:?}, all: {}", symbols.names, symbols.all);
    }
    expected.assert_eq(&text);
}

#[test]
fn a1_without_any_wait() {
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        B[0, 0] = A[0]
C[0] = B[0, 0]
C[1] = B[1, 0]
"#,
        expect![[r#"
            A1 line 3 before 4: a wait for 0
        "#]],
    );
}

#[test]
fn a2_synchronous_write_over_the_source() {
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        C[0] = B[0, 0]
B[0, 0] = A[0]
with T.attr(0, "async_wait_queue_scope", 0):
    with T.attr(0, "async_wait_inflight_count", 0):
        B[0, 0] = A[1]
"#,
        expect![[r#"
            A2 line 3 before 4: a wait for 0
            wait (0, 0): Exact, best 0
        "#]],
    );
}

#[test]
fn a_queue_orders_what_it_overwrites_and_perhaps_what_it_reads() {
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        C[0] = B[0, 0]
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        B[0, 0] = A[0]
"#,
        expect![""],
    );
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        B[0, 0] = A[0]
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        C[0] = B[0, 0]
"#,
        expect![[r#"
            A1 line 3 before 6: a wait for 0, or the queue's order
        "#]],
    );
}

#[test]
fn a4_two_queues_write_one_element() {
    is(
        r#"
for q in range(2):
    with T.attr(0, "async_commit_queue_scope", q):
        with T.attr(0, "async_scope", 1):
            B[0, 0] = A[q]
"#,
        expect![[r#"
            A4 line 4 before 4 at q = 1: a wait for 0
        "#]],
    );
}

#[test]
fn a5_a_wait_inside_the_group_does_not_help() {
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        B[0, 0] = A[0]
    with T.attr(0, "async_wait_queue_scope", 0):
        with T.attr(0, "async_wait_inflight_count", 0):
            with T.attr(0, "async_scope", 1):
                C[0] = B[0, 0]
"#,
        expect![[r#"
            A5 line 3 before 7
            wait (0, 0): Redundant, best any
        "#]],
    );
}

#[test]
fn a6_only_where_it_matters() {
    // Harmless: the wait before has done it.
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        B[0, 0] = A[0]
with T.attr(0, "async_wait_queue_scope", 0):
    with T.attr(0, "async_wait_inflight_count", 0):
        C[0] = B[0, 0]
with T.attr(0, "async_wait_queue_scope", 0):
    with T.attr(0, "async_wait_inflight_count", -1):
        C[1] = B[0, 0]
"#,
        expect![[r#"
            wait (0, 0): Exact, best 0
            wait (-1, -1): Redundant, best any
        "#]],
    );
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        B[0, 0] = A[0]
with T.attr(0, "async_wait_queue_scope", 0):
    with T.attr(0, "async_wait_inflight_count", -1):
        C[1] = B[0, 0]
"#,
        expect![[r#"
            A6 line 3 before 6: 0 instead of -1
            wait (-1, -1): Exact, best 0
        "#]],
    );
}

#[test]
fn elements_decide_where_boxes_meet() {
    // Even and odd columns: the boxes overlap, the elements do not.
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        for j in range(8):
            B[0, j * 2] = A[j]
for j in range(8):
    C[j] = B[0, j * 2 + 1]
C[8] = B[0, 14]
"#,
        expect![[r#"
            A1 line 4 before 7: a wait for 0
        "#]],
    );
}

#[test]
fn views_name_what_they_are_of() {
    is(
        r#"
for i in range(4):
    with T.block("copy"):
        T.reads(A[i])
        T.writes(B[i, 0:16])
        row = T.match_buffer(B[i, 0:16], (16,), offset_factor=1, scope="shared")
        with T.attr(0, "async_commit_queue_scope", 0):
            with T.attr(0, "async_scope", 1):
                for j in range(16):
                    row[j] = A[i]
with T.attr(0, "async_wait_queue_scope", 0):
    with T.attr(0, "async_wait_inflight_count", 2):
        C[0] = B[1, 3]
C[1] = B[2, 3]
"#,
        expect![[r#"
            A1 line 9 before 13: 1 instead of 2
            wait (2, 2): TooWeak, best 1
        "#]],
    );
}

#[test]
fn pointers_say_their_range_or_their_block_does() {
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        for j in range(16):
            B[1, j] = A[j]
T.evaluate(T.call_extern("int32", "other", T.tvm_access_ptr(T.type_annotation("float32"), B.data, 0, 16, 1)))
T.evaluate(T.call_extern("int32", "same", T.tvm_access_ptr(T.type_annotation("float32"), B.data, 16, 16, 1)))
with T.block("declared"):
    T.reads(B[2, 0:16])
    T.writes(C[0:16])
    T.evaluate(T.call_extern("int32", "row", B.data))
T.evaluate(T.call_extern("int32", "anything", B.data))
"#,
        expect![[r#"
            A1 line 4 before 6: a wait for 0
            not proven: line 11: which elements are touched is not known well enough to tell whether they are in flight
        "#]],
    );
}

#[test]
fn threads_run_in_step() {
    is(
        r#"
for tx in T.thread_binding(16, thread="threadIdx.x"):
    for i in range(100):
        with T.attr(0, "async_commit_queue_scope", 0):
            with T.attr(0, "async_scope", 1):
                B[i % 4, tx // 4 * 4 + tx % 4] = A[tx]
        with T.attr(0, "async_wait_queue_scope", 0):
            with T.attr(0, "async_wait_inflight_count", 1):
                if i >= 1:
                    C[tx] = B[(i + 3) % 4, 15 - tx]
"#,
        expect![[r#"
            wait (1, 1): Exact, best 1
        "#]],
    );
}

#[test]
fn scalars_are_all_their_values() {
    is(
        r#"
for i in range(16):
    if i < n:
        with T.attr(0, "async_commit_queue_scope", 0):
            with T.attr(0, "async_scope", 1):
                B[i % 4, 0] = A[i]
    with T.attr(0, "async_wait_queue_scope", 0):
        with T.attr(0, "async_wait_inflight_count", T.if_then_else(i < n, 1, 0)):
            if i >= 1:
                C[i] = B[(i + 3) % 4, 0]
"#,
        expect![[r#"
            wait (0, 1): Exact, best 0
            ["n"], all: true
        "#]],
    );
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        B[0, 0] = A[0]
if flag:
    with T.attr(0, "async_commit_queue_scope", 0):
        with T.attr(0, "async_scope", 1):
            B[1, 0] = A[1]
with T.attr(0, "async_wait_queue_scope", 0):
    with T.attr(0, "async_wait_inflight_count", 1):
        C[0] = B[0, 0]
"#,
        expect![[r#"
            A1 line 3 before 10: 0 instead of 1, flag = 0
            wait (1, 1): TooWeak, best 0
            ["flag"], all: true
        "#]],
    );
}

#[test]
fn conditions_on_data_go_both_ways() {
    is(
        r#"
for i in range(8):
    with T.attr(0, "async_commit_queue_scope", 0):
        with T.attr(0, "async_scope", 1):
            B[i % 4, 0] = A[i]
    if P[i] > 0:
        with T.attr(0, "async_commit_queue_scope", 0):
            with T.attr(0, "async_scope", 1):
                B[i % 4, 1] = A[i]
    with T.attr(0, "async_wait_queue_scope", 0):
        with T.attr(0, "async_wait_inflight_count", 1):
            if i >= 1:
                C[i] = B[(i + 3) % 4, 0]
"#,
        expect![[r#"
            wait (1, 1): Exact, best 1
        "#]],
    );
    // The same condition twice: whether they go together is not known here.
    is(
        r#"
for i in range(8):
    if P[i] > 0:
        with T.attr(0, "async_commit_queue_scope", 0):
            with T.attr(0, "async_scope", 1):
                B[i % 4, 0] = A[i]
    if P[i] > 0:
        with T.attr(0, "async_wait_queue_scope", 0):
            with T.attr(0, "async_wait_inflight_count", 0):
                C[0] = A[0]
    C[i] = B[i % 4, 0]
"#,
        expect![[r#"
            not proven: line 10: read of data in flight, unless conditions that the checker cannot decide go together
            wait (0, 0): Redundant, best any
        "#]],
    );
}

#[test]
fn what_is_not_known_is_not_clean() {
    is(
        r#"
for i in range(P[0]):
    with T.attr(0, "async_commit_queue_scope", 0):
        with T.attr(0, "async_scope", 1):
            B[i % 4, 0] = A[i]
"#,
        expect![[r#"
            not proven: line 1: the bounds of a loop around asynchronous constructs are not known
        "#]],
    );
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", P[0]):
    with T.attr(0, "async_scope", 1):
        B[0, 0] = A[0]
C[0] = B[0, 0]
"#,
        expect![[r#"
            not proven: line 1: the queue of a commit is not known
        "#]],
    );
    is(
        r#"
with T.attr(0, "async_commit_queue_scope", 0):
    with T.attr(0, "async_scope", 1):
        B[0, P[0]] = A[0]
C[0] = B[0, 0]
C[1] = B[1, 0]
"#,
        expect![[r#"
            not proven: line 4: which elements are touched is not known well enough to tell whether they are in flight
        "#]],
    );
}

#[test]
fn absurd_extents() {
    is(
        r#"
for i in range(4611686018427387904):
    for j in range(4611686018427387904):
        with T.attr(0, "async_commit_queue_scope", 0):
            with T.attr(0, "async_scope", 1):
                for k in range(4611686018427387904):
                    B[j % 4, k % 16] = A[i]
        with T.attr(0, "async_wait_queue_scope", 0):
            with T.attr(0, "async_wait_inflight_count", 4611686018427387904):
                C[0] = A[0]
"#,
        expect![[r#"
            not proven: line 1: the bounds of a loop around asynchronous constructs are not known
            not proven: line 2: the bounds of a loop around asynchronous constructs are not known
            not proven: line 7: the count of a wait is not known
            wait (-99, -99): Unknown, best any
        "#]],
    );
}
