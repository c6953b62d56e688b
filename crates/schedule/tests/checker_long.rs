//! The checker on long loops, many statements and symbols: it concludes without walking everything.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use wavemark_diag::SourceMap;
use wavemark_schedule::checker::{Report, Rule, Verdict, check};

fn report(text: &str) -> Report {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.py", text);
    let module = wavemark_frontend::parse(file, text).unwrap_or_else(|problems| {
        panic!("{:?}", problems.iter().map(|one| one.message.clone()).collect::<Vec<_>>())
    });
    check(&module.functions[0])
}

fn module(signature: &str, body: &str) -> String {
    let mut text = format!(
        "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n    \
         @T.prim_func(s_tir=True)\n    def main({signature}):\n"
    );
    for line in body.lines() {
        _ = writeln!(text, "        {line}");
    }
    text
}

/// A copy three iterations ahead of its reader, over `extent` iterations; the reader waits for `count`.
fn copy_ahead(extent: &str, count: &str) -> String {
    let body = format!(
        "B = T.sblock_alloc_buffer((4,), scope=\"shared\")
for i in range(3):
    if i < {extent}:
        with T.attr({{\"async_commit_queue_scope\": 0, \"async_scope\": 1}}):
            B[i] = A[i]
for i in range({extent} - 3):
    with T.attr({{\"async_commit_queue_scope\": 0, \"async_scope\": 1}}):
        B[(i + 3) % 4] = A[i + 3]
    with T.attr({{\"async_wait_queue_scope\": 0, \"async_wait_inflight_count\": {count}}}):
        C[i] = B[i % 4]
for i in range(3):
    if i + {extent} >= 3:
        with T.attr({{\"async_wait_queue_scope\": 0, \"async_wait_inflight_count\": 2 - i}}):
            C[i + {extent} - 3] = B[(i + {extent} + 1) % 4]
"
    );
    match extent.parse::<i64>() {
        Ok(_) => module(
            &format!("A: T.Buffer(({extent},), \"float32\"), C: T.Buffer(({extent},), \"float32\")"),
            &body,
        ),
        Err(_) => module(
            &format!("A: T.Buffer((\"{extent}\",), \"float32\"), C: T.Buffer(({extent},), \"float32\")"),
            &format!("{extent} = T.int32()\n{body}"),
        ),
    }
}

#[test]
fn a_million_iterations_are_a_proof() {
    let report = report(&copy_ahead("1000000", "3"));
    assert!(report.is_clean(), "{report:#?}");
    assert!(report.steps < 200, "{} steps", report.steps);
    assert_eq!(report.steady.len(), 1);
    assert_eq!(report.steady[0].period, 4);
    assert_eq!(report.waits[0].executions, 999_997);
    assert_eq!(report.waits[0].verdict, Verdict::Exact);
    let weak = self::report(&copy_ahead("1000000", "4"));
    assert_eq!(weak.findings[0].rule, Rule::ReadInFlight);
    assert_eq!(weak.waits[0].verdict, Verdict::TooWeak);
    assert_eq!(weak.waits[0].best, Some(3));
    let instances: u64 = weak.findings.iter().map(|finding| finding.instances).sum();
    assert_eq!(instances, 999_997, "each iteration but none twice: {:#?}", weak.findings);
    let strong = self::report(&copy_ahead("1000000", "1"));
    assert!(strong.is_clean());
    assert_eq!((strong.waits[0].verdict, strong.waits[0].best), (Verdict::TooStrong, Some(3)));
}

#[test]
fn the_steady_state_ends_where_a_condition_flips() {
    // The wait falls behind after iteration 500,000 only.
    let report = report(&copy_ahead("1000000", "T.if_then_else(i < 500000, 3, 4)"));
    assert_eq!(report.findings.len(), 1, "{report:#?}");
    let finding = &report.findings[0];
    assert_eq!(finding.consumer.as_ref().unwrap().iteration, [500_000]);
    assert_eq!(finding.instances, 499_997);
    assert!(report.steps < 400, "{} steps", report.steps);
}

#[test]
fn symbols_are_small_values_and_a_proof() {
    let good = report(&copy_ahead("n", "3"));
    // `2 - i` waits for more than there is where n < 3: too strong is not wrong.
    assert!(good.is_clean(), "{good:#?}");
    assert!(good.symbols.as_ref().unwrap().all);
    let bad = report(&copy_ahead("n", "T.if_then_else(i < 500000, 3, 4)"));
    assert!(!bad.is_clean(), "what happens beyond the walked values is not known: {bad:#?}");
}

/// What is found of a body over `n` and buffers of 4,096 elements.
fn over_n(body: &str) -> Report {
    let body = format!("X = T.sblock_alloc_buffer((4096,), scope=\"shared\")\n{body}");
    report(&module("A: T.Buffer((4096,), \"float32\"), C: T.Buffer((4096,), \"float32\"), n: T.int32", &body))
}

const COPY: &str = "with T.attr({\"async_commit_queue_scope\": 0, \"async_scope\": 1}):";

#[test]
fn buffers_updated_in_place_all_along_are_proven() {
    let report = over_n(&format!(
        "for i in range(n):\n    {COPY}\n        X[i] = A[i] + X[i + 2]\n    C[i] = X[i + 3]\n"
    ));
    assert!(report.is_clean(), "{report:#?}");
    assert!(report.symbols.as_ref().unwrap().all);
}

#[test]
fn what_only_large_values_do_is_not_called_proven() {
    let late = [
        // An element far ahead, and nobody waits.
        format!("{COPY}\n    X[1000] = A[0]\nfor i in range(n):\n    C[i] = X[i]\n"),
        // From the end back to where the loop began.
        format!("for i in range(n):\n    {COPY}\n        X[i] = A[i]\nC[0] = X[n - 1000]\n"),
        // Two that run towards one another.
        format!("for i in range(n):\n    {COPY}\n        X[i] = A[i]\n    C[i] = X[1000 - i]\n"),
        // A condition inside a statement.
        format!(
            "for i in range(n):\n    {COPY}\n        X[i % 2] = A[i]\n    with T.sblock(\"late\"):\n        \
             T.reads()\n        T.writes()\n        if i >= 1000:\n            C[i] = X[0]\n"
        ),
        // One walks twice as fast as the other.
        format!("for i in range(n):\n    {COPY}\n        X[2 * i] = A[i]\n    C[i] = X[i + 1000]\n"),
    ];
    for body in late {
        let report = over_n(&body);
        assert!(!report.is_clean(), "{body}\n{report:#?}");
        assert!(!report.symbols.as_ref().unwrap().all, "{body}");
    }
}

#[test]
fn a_wait_that_only_large_values_need_is_not_called_redundant() {
    let wait = "with T.attr({\"async_wait_queue_scope\": 0, \"async_wait_inflight_count\": 0}):";
    let report = over_n(&format!(
        "{COPY}\n    X[1000] = A[0]\n{wait}\n    C[0] = A[1]\nfor i in range(n):\n    C[i] = X[i]\n"
    ));
    assert!(report.is_clean(), "{report:#?}");
    assert_eq!(report.waits[0].verdict, Verdict::Exact);
}

#[test]
fn a_thousand_statements() {
    let statements = 500;
    let mut body = String::new();
    for index in 0..statements {
        _ = writeln!(body, "B{index} = T.sblock_alloc_buffer((3, 8), scope=\"shared\")");
    }
    body.push_str("for i in range(2):\n    with T.attr({\"async_commit_queue_scope\": 0}):\n");
    for index in 0..statements {
        _ = writeln!(
            body,
            "        with T.attr({{\"async_scope\": 1}}):\n            for j in range(8):\n                B{index}[i % 3, j] = A[i]"
        );
    }
    body.push_str("for i in range(4094):\n");
    for index in 0..statements {
        _ = writeln!(
            body,
            "    with T.attr({{\"async_commit_queue_scope\": 0, \"async_scope\": 1}}):\n        for j in range(8):\n            B{index}[(i + 2) % 3, j] = A[i + 2]"
        );
    }
    for index in 0..statements {
        // The prologue's groups are two, the loop's are 500 an iteration: at i = 0 and i = 1 less may be left.
        _ = writeln!(
            body,
            "    with T.attr({{\"async_wait_queue_scope\": 0, \"async_wait_inflight_count\": 500}}):\n        for j in range(8):\n            C[i] = B{index}[i % 3, j]"
        );
    }
    let text = module("A: T.Buffer((4096,), \"float32\"), C: T.Buffer((4096,), \"float32\")", &body);
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.py", text.clone());
    let module =
        wavemark_frontend::parse(file, &text).unwrap_or_else(|problems| panic!("{:?}", problems[0].message));
    let start = Instant::now();
    let report = check(&module.functions[0]);
    let took = start.elapsed();
    println!("1,000 statements: {took:?}, {} steps", report.steps);
    assert!(report.is_clean(), "{:#?}", report.findings.first());
    // Unoptimised and on a busy machine; a second is the promise for what users run.
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn a_group_of_many_members_is_given_up_not_waited_for() {
    let body = "B = T.sblock_alloc_buffer((4194304,), scope=\"shared\")
with T.attr({\"async_commit_queue_scope\": 0}):
    for i in range(4194304):
        with T.attr({\"async_scope\": 1}):
            B[i] = A[i]
with T.attr({\"async_wait_queue_scope\": 0, \"async_wait_inflight_count\": 0}):
    C[0] = B[0]
";
    let text = module("A: T.Buffer((4194304,), \"float32\"), C: T.Buffer((1,), \"float32\")", body);
    let start = Instant::now();
    let report = report(&text);
    assert!(!report.is_clean());
    assert!(!report.has_errors());
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}
