//! The RFC's examples, right and wrong.

use expect_test::{Expect, expect};

use super::build::*;
use crate::expr::{BinaryOp, Expr};
use crate::function::Function;
use crate::interp::{Completion, FindingKind, MemberOrder, NegativeWait, Options};
use crate::stmt::{ForKind, Stmt};

const SEEDS: u64 = 200;

fn late() -> Options {
    Options::default()
}

fn with(completion: Completion) -> Options {
    Options { completion, ..Options::default() }
}

/// `C[i] = A[i] + 2` over 16 by way of `B`: prologue, body, epilogue, with the counts given.
fn two_stages(body_count: i64, last_count: i64) -> Function {
    let mut b = Builder::new();
    let (a, c) = (b.param("A", F32, &[16]), b.param("C", F32, &[16]));
    let s = b.buffer("B", F32, &[2], "shared");
    let i = b.var("i");
    let produce = |b: &Builder, at: Expr| {
        let value = add(b.load(a, [at.clone()]), f(1.0));
        commit(0, asynchronous(b.store(s, [floor_mod(at, 2)], value)))
    };
    let consume =
        |b: &Builder, at: Expr| b.store(c, [at.clone()], add(b.load(s, [floor_mod(at, 2)]), f(1.0)));
    let body = Stmt::Seq(vec![
        produce(&b, int(0)),
        for_(
            i,
            15,
            Stmt::Seq(vec![produce(&b, add(v(i), int(1))), wait(0, int(body_count), consume(&b, v(i)))]),
        ),
        wait(0, int(last_count), consume(&b, int(15))),
    ]);
    b.finish(alloc(&[s], body))
}

fn two_stage_result(function: &Function, options: &Options) -> (Vec<f32>, String) {
    let mut args = [floats(&[16], (0..16).map(|i| i as f32)), floats(&[16], [0.0; 16])];
    let result = run(function, &mut args, options);
    (to_floats(&args[1]), report(&result))
}

#[test]
fn a_right_pipeline_gives_one_answer_under_every_order() {
    let function = two_stages(1, 0);
    let expected: Vec<f32> = (0..16).map(|i| i as f32 + 2.0).collect();
    for completion in [Completion::Early, Completion::Late] {
        assert_eq!(two_stage_result(&function, &with(completion)), (expected.clone(), String::new()));
    }
    for seed in 0..SEEDS {
        let options = Options { seed, ..with(Completion::Random) };
        assert_eq!(two_stage_result(&function, &options), (expected.clone(), String::new()), "seed {seed}");
        let unchecked = Options { check: false, ..options };
        assert_eq!(two_stage_result(&function, &unchecked).0, expected, "seed {seed}");
    }
}

fn check_findings(function: &Function, options: &Options, expected: &Expect) {
    expected.assert_eq(&two_stage_result(function, options).1);
}

#[test]
fn a_wait_that_is_too_weak_is_found() {
    let function = two_stages(2, 0);
    check_findings(
        &function,
        &late(),
        &expect![[r#"
            read of data in flight: asynchronous write on queue 0 of B[0]; read of B[0] at i = 0
            read of data in flight (14 times): asynchronous write on queue 0 of B[1] at i = 0; read of B[1] at i = 1
        "#]],
    );
}

#[test]
fn a_negative_count_flushes_or_does_nothing() {
    let function = two_stages(1, -3);
    let flush = late();
    check_findings(&function, &flush, &expect![""]);
    let nop = Options { negative_wait: NegativeWait::Nop, ..late() };
    check_findings(
        &function,
        &nop,
        &expect![[r#"
            read of data in flight: asynchronous write on queue 0 of B[1] at i = 14; read of B[1]
        "#]],
    );
    assert!(two_stage_result(&function, &nop).0[15] != 17.0);
    assert_eq!(
        two_stage_result(&function, &Options { negative_wait: NegativeWait::Nop, ..with(Completion::Early) })
            .0[15],
        17.0
    );
}

/// The RFC's three stages with two asynchronous ones: queue 0 may overtake queue 1.
fn three_stages(versions: i64) -> Function {
    let mut b = Builder::new();
    let (a, d) = (b.param("A", F32, &[16]), b.param("D", F32, &[16]));
    let (s, t) = (b.buffer("B", F32, &[versions], "shared"), b.buffer("C", F32, &[2], "shared"));
    let (p, i, e) = (b.var("p"), b.var("i"), b.var("e"));
    let first = |b: &Builder, at: Expr| {
        let value = add(b.load(a, [at.clone()]), f(1.0));
        commit(0, asynchronous(b.store(s, [floor_mod(at, versions)], value)))
    };
    let second = |b: &Builder, at: Expr, count: i64| {
        let value = add(b.load(s, [floor_mod(at.clone(), versions)]), f(1.0));
        commit(1, wait(0, int(count), asynchronous(b.store(t, [floor_mod(at, 2)], value))))
    };
    let third = |b: &Builder, at: Expr, count: Expr| {
        wait(1, count, b.store(d, [at.clone()], add(b.load(t, [floor_mod(at, 2)]), f(1.0))))
    };
    let body = Stmt::Seq(vec![
        for_kind(
            p,
            0,
            2,
            ForKind::Unrolled,
            Stmt::Seq(vec![
                first(&b, v(p)),
                only(compare(BinaryOp::Le, int(1), v(p)), second(&b, sub(v(p), int(1)), 1)),
            ]),
        ),
        for_(
            i,
            14,
            Stmt::Seq(vec![
                first(&b, add(v(i), int(2))),
                second(&b, add(v(i), int(1)), 1),
                third(&b, v(i), int(1)),
            ]),
        ),
        for_(
            e,
            2,
            Stmt::Seq(vec![
                only(compare(BinaryOp::Lt, v(e), int(1)), second(&b, add(v(e), int(15)), 0)),
                third(&b, add(v(e), int(14)), sub(int(1), v(e))),
            ]),
        ),
    ]);
    b.finish(alloc(&[s, t], body))
}

#[test]
fn queues_are_independent_of_each_other() {
    let options = Options { queues: vec![(0, Completion::Early)], ..late() };
    let mut args = [floats(&[16], (0..16).map(|i| i as f32)), floats(&[16], [0.0; 16])];
    let result = run(&three_stages(2), &mut args, &options);
    assert_ne!(to_floats(&args[1])[1], 4.0);
    expect![[r#"
        overwritten source of an asynchronous operation: asynchronous read on queue 1 of B[0] at p = 1; asynchronous write on queue 0 of B[0] at i = 0
        overwritten source of an asynchronous operation (13 times): asynchronous read on queue 1 of B[1] at i = 0; asynchronous write on queue 0 of B[1] at i = 1
    "#]].assert_eq(&report(&result));
    let expected: Vec<f32> = (0..16).map(|i| i as f32 + 3.0).collect();
    for seed in 0..SEEDS {
        let mut args = [floats(&[16], (0..16).map(|i| i as f32)), floats(&[16], [0.0; 16])];
        let result = run(&three_stages(3), &mut args, &Options { seed, ..with(Completion::Random) });
        assert_eq!((to_floats(&args[1]), report(&result)), (expected.clone(), String::new()), "seed {seed}");
    }
}

/// The RFC's interleaved producers; its count of 5 is too large for the first iterations.
fn interleaved(count: i64) -> Function {
    let mut b = Builder::new();
    let (a, x, c) = (b.param("A", F32, &[16]), b.param("X", F32, &[16]), b.param("C", F32, &[16]));
    let (s, t) = (b.buffer("S", F32, &[4], "shared"), b.buffer("T", F32, &[4], "shared"));
    let (p, i, e) = (b.var("p"), b.var("i"), b.var("e"));
    let copy = |b: &Builder, to, from, at: Expr| {
        asynchronous(b.store(to, [floor_mod(at.clone(), 4)], b.load(from, [at])))
    };
    let compute = |b: &Builder, at: Expr, count: Expr| {
        let slot = floor_mod(at.clone(), 4);
        wait(0, count, b.store(c, [at], add(b.load(s, [slot.clone()]), b.load(t, [slot]))))
    };
    let ahead = add(v(i), int(3));
    let body = Stmt::Seq(vec![
        for_(p, 3, commit(0, Stmt::Seq(vec![copy(&b, s, a, v(p)), copy(&b, t, x, v(p))]))),
        for_(
            i,
            13,
            Stmt::Seq(vec![
                commit(0, copy(&b, s, a, ahead.clone())),
                compute(&b, v(i), int(count)),
                commit(0, copy(&b, t, x, ahead)),
            ]),
        ),
        for_(e, 3, compute(&b, add(v(e), int(13)), sub(int(2), v(e)))),
    ]);
    b.finish(alloc(&[s, t], body))
}

#[test]
fn the_rfcs_interleaved_count_is_too_large_at_first() {
    let args = || [1.0, 100.0, 0.0].map(|scale| floats(&[16], (0..16).map(|i| i as f32 * scale)));
    let mut wrong = args();
    let result = run(&interleaved(5), &mut wrong, &late());
    expect![[r#"
        read of data in flight (2 times): asynchronous write on queue 0 of S[0] at p = 0; read of S[0] at i = 0
        read of data in flight (2 times): asynchronous write on queue 0 of T[0] at p = 0; read of T[0] at i = 0
    "#]].assert_eq(&report(&result));
    let mut right = args();
    let result = run(&interleaved(3), &mut right, &late());
    expect![""].assert_eq(&report(&result));
    let expected: Vec<f32> = (0..16).map(|i| i as f32 * 101.0).collect();
    assert_eq!(to_floats(&right[2]), expected);
    assert_ne!(to_floats(&wrong[2]), expected);
}

#[test]
fn an_empty_group_counts_and_a_commit_that_is_not_reached_does_not() {
    // Two commits, the second with nothing or not reached: a wait for one in flight completes the first or not.
    for (inside, complete) in [(true, true), (false, false)] {
        let mut b = Builder::new();
        let (a, c) = (b.param("A", F32, &[1]), b.param("C", F32, &[1]));
        let s = b.buffer("S", F32, &[1], "shared");
        let copy = asynchronous(b.store(s, [int(0)], b.load(a, [int(0)])));
        let never = compare(BinaryOp::Lt, int(1), int(0));
        let second =
            if inside { commit(0, only(never, copy.clone())) } else { only(never, commit(0, copy.clone())) };
        let read = wait(0, int(1), b.store(c, [int(0)], b.load(s, [int(0)])));
        let function = b.finish(alloc(&[s], Stmt::Seq(vec![commit(0, copy), second, read])));
        let mut args = [floats(&[1], [7.0]), floats(&[1], [0.0])];
        let outcome = run(&function, &mut args, &late()).unwrap();
        assert_eq!(outcome.findings.is_empty(), complete);
        assert_eq!(to_floats(&args[1])[0] == 7.0, complete);
        assert_eq!(outcome.groups, 1 + u64::from(inside));
    }
}

/// Two members of one group, the second of which needs the first.
fn dependent_members() -> Function {
    let mut b = Builder::new();
    let (a, c) = (b.param("A", F32, &[1]), b.param("C", F32, &[1]));
    let s = b.buffer("S", F32, &[1], "shared");
    let first = asynchronous(b.store(s, [int(0)], b.load(a, [int(0)])));
    let second = asynchronous(b.store(c, [int(0)], b.load(s, [int(0)])));
    b.finish(alloc(&[s], commit(0, Stmt::Seq(vec![first, second]))))
}

#[test]
fn members_of_a_group_are_unordered() {
    let function = dependent_members();
    let result = |options: &Options| {
        let mut args = [floats(&[1], [7.0]), floats(&[1], [0.0])];
        let result = run(&function, &mut args, options);
        (to_floats(&args[1])[0], report(&result))
    };
    let (value, text) = result(&late());
    assert_eq!(value, 7.0);
    expect![[r#"
        members of a group depend on one another: asynchronous write on queue 0 of S[0]; asynchronous read on queue 0 of S[0]
    "#]]
    .assert_eq(&text);
    assert!(result(&Options { members: MemberOrder::Reversed, ..late() }).0.is_nan());
    let values: Vec<f32> =
        (0..40).map(|seed| result(&Options { seed, ..with(Completion::Random) }).0).collect();
    assert!(values.contains(&7.0) && values.iter().any(|value| value.is_nan()), "{values:?}");
}

#[test]
fn a_scope_outside_any_commit_completes_at_the_end() {
    let mut b = Builder::new();
    let (a, c) = (b.param("A", F32, &[1]), b.param("C", F32, &[1]));
    let i = b.var("i");
    let copy = asynchronous(b.store(c, [int(0)], b.load(a, [int(0)])));
    let function = b.finish(for_(i, 3, copy));
    let mut args = [floats(&[1], [7.0]), floats(&[1], [0.0])];
    let result = run(&function, &mut args, &late());
    assert_eq!(to_floats(&args[1]), [7.0]);
    expect![[r#"
        asynchronous scope outside a commit (3 times): statement at i = 0
        write over data in flight (2 times): asynchronous write outside any commit of C[0] at i = 0; asynchronous write outside any commit of C[0] at i = 1
    "#]].assert_eq(&report(&result));
}

#[test]
fn stores_of_one_statement_land_one_by_one() {
    // A racy read of two elements sees one new and one old under some seed.
    let mut b = Builder::new();
    let (a, c) = (b.param("A", F32, &[2]), b.param("C", F32, &[2]));
    let s = b.param("S", F32, &[2]);
    let (i, j, k) = (b.var("i"), b.var("j"), b.var("k"));
    let copy = commit(0, asynchronous(for_(i, 2, b.store(s, [v(i)], b.load(a, [v(i)])))));
    let spin = for_(k, 30, Stmt::Evaluate(v(k), None));
    let read = for_(j, 2, b.store(c, [v(j)], b.load(s, [v(j)])));
    let function = b.finish(Stmt::Seq(vec![copy, spin, read]));
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..SEEDS {
        let mut args = [floats(&[2], [1.0, 1.0]), floats(&[2], [0.0; 2]), floats(&[2], [0.0; 2])];
        run(&function, &mut args, &Options { seed, ..with(Completion::Random) }).unwrap();
        seen.insert(to_floats(&args[1]).iter().map(|&value| value as u32).collect::<Vec<_>>());
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn groups_of_one_queue_are_in_order() {
    // Two groups of one queue write one element: no finding, and the later one wins under every order.
    let mut b = Builder::new();
    let c = b.param("C", F32, &[1]);
    let put = |b: &Builder, queue, value| commit(queue, asynchronous(b.store(c, [int(0)], f(value))));
    let same = Stmt::Seq(vec![put(&b, 0, 1.0), put(&b, 0, 2.0)]);
    let other = Stmt::Seq(vec![put(&b, 0, 1.0), put(&b, 1, 2.0)]);
    let (same, other) = (Builder(b.0.clone()).finish(same), b.finish(other));
    for seed in 0..SEEDS {
        let mut args = [floats(&[1], [0.0])];
        let outcome = run(&same, &mut args, &Options { seed, ..with(Completion::Random) }).unwrap();
        assert!(outcome.findings.is_empty());
        assert_eq!(to_floats(&args[0]), [2.0]);
    }
    let outcome = run(&other, &mut [floats(&[1], [0.0])], &late()).unwrap();
    assert_eq!(outcome.findings[0].kind, FindingKind::WriteInFlight);
}
