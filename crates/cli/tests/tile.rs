//! `wavemark run K.py` as scripts see it: exit status, standard output, standard error.

use std::process::Command;

use expect_test::{Expect, expect};

/// What `wavemark run` says in the folder of tile programs, without the time it took.
fn check(arguments: &[&str], expect: Expect) {
    let output = Command::new(env!("CARGO_BIN_EXE_wavemark"))
        .arg("run")
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/run/tile"))
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let status = output.status.code().unwrap();
    let mut said = format!("exit {status}\n{}---\n{}", text(output.stdout), text(output.stderr));
    for (before, after) in [("commit groups in ", " s\n"), ("\"seconds\":", ",")] {
        if let Some(start) = said.find(before).map(|at| at + before.len())
            && let Some(length) = said[start..].find(after)
            && said[start..start + length].bytes().all(|byte| byte.is_ascii_digit() || b".e-".contains(&byte))
        {
            said.replace_range(start..start + length, "T");
        }
    }
    expect.assert_eq(&said);
}

#[test]
fn a_right_program() {
    check(
        &["two_stage.py", "--launch", "two_stage.toml"],
        expect![[r#"
        exit 0
        output C: as expected (max abs error 0, max rel error 0)
        two_stage.py: main: clean, no findings
          executed on the tile interpreter: 79 steps, 16 commit groups in T s
          checked: data in flight, bounds, undefined elements
        ---
    "#]],
    );
    check(
        &["two_stage.py", "--launch", "two_stage.toml", "--completion", "early"],
        expect![[r#"
        exit 0
        output C: as expected (max abs error 0, max rel error 0)
        two_stage.py: main: clean, no findings
          executed on the tile interpreter: 79 steps, 16 commit groups in T s
          checked: data in flight, bounds, undefined elements
        ---
    "#]],
    );
    let random = ["--completion", "random", "--seed", "7"];
    check(
        &[&["two_stage.py", "--launch", "two_stage.toml"], &random[..]].concat(),
        expect![[r#"
        exit 0
        output C: as expected (max abs error 0, max rel error 0)
        two_stage.py: main: clean, no findings
          executed on the tile interpreter: 79 steps, 16 commit groups in T s
          checked: data in flight, bounds, undefined elements
        ---
    "#]],
    );
}

#[test]
fn a_wait_that_is_too_weak() {
    check(
        &["weak.py", "--launch", "two_stage.toml"],
        expect![[r#"
            exit 1
            error[A1]: read of data in flight
              producer: weak.py:15:17
                   15 | B[0] = A[0] + T.float32(1)
                      > asynchronous write on queue 0 of B[0]
              consumer: weak.py:22:21, i = 0
                   22 | C[i] = B[i % 2] + T.float32(1)
                      > read of B[0]
              hint: async_wait_inflight_count 1 or less on queue 0 before the consumer

            error[A1]: read of data in flight (14 times)
              producer: weak.py:19:21, i = 0
                   19 | B[(i + 1) % 2] = A[i + 1] + T.float32(1)
                      > asynchronous write on queue 0 of B[1]
              consumer: weak.py:22:21, i = 1
                   22 | C[i] = B[i % 2] + T.float32(1)
                      > read of B[1]
              hint: async_wait_inflight_count 1 or less on queue 0 before the consumer

            output C: 15 of 16 elements differ (max abs error inf, max rel error inf); first at [0]: NaN instead of 2.0
            weak.py: main: findings, 2 errors
              executed on the tile interpreter: 79 steps, 16 commit groups in T s
              checked: data in flight, bounds, undefined elements
            ---
        "#]],
    );
    check(
        &["weak.py", "--launch", "two_stage.toml", "--completion", "early"],
        expect![[r#"
        exit 0
        output C: as expected (max abs error 0, max rel error 0)
        weak.py: main: clean, no findings
          executed on the tile interpreter: 79 steps, 16 commit groups in T s
          checked: data in flight, bounds, undefined elements
        ---
    "#]],
    );
    check(
        &["weak.py", "--launch", "two_stage.toml", "--format", "json"],
        expect![[r#"
        exit 1
        {"wavemark":"0.1.0","input":"weak.py","target":"","kernel":"main","executed_on":"tile interpreter","outcome":"findings","checked":{"registers":false,"lds":true,"global":true,"barriers":false,"waits":false},"findings":[{"rule":"A1","title":"read of data in flight","severity":"error","class":"missing-wait","instances":1,"sites":[{"role":"producer","text":"asynchronous write on queue 0 of B[0]","source":"weak.py:15:17"},{"role":"consumer","text":"read of B[0]","source":"weak.py:22:21","iteration":"i = 0"}],"hint":"async_wait_inflight_count 1 or less on queue 0 before the consumer"},{"rule":"A1","title":"read of data in flight","severity":"error","class":"missing-wait","instances":14,"sites":[{"role":"producer","text":"asynchronous write on queue 0 of B[1]","source":"weak.py:19:21","iteration":"i = 0"},{"role":"consumer","text":"read of B[1]","source":"weak.py:22:21","iteration":"i = 1"}],"hint":"async_wait_inflight_count 1 or less on queue 0 before the consumer"}],"outputs":[{"name":"C","matches":false,"max_abs_error":null,"max_rel_error":null,"mismatches":15,"elements":16,"first":{"index":[0],"found":"NaN","expected":"2.0"}}],"stats":{"workgroups":0,"waves":0,"wave_instructions":0,"lane_instructions":0,"seconds":T,"steps":79,"commit_groups":16}}
        ---
    "#]],
    );
}

#[test]
fn what_ends_a_run() {
    check(
        &["faults.py", "--launch", "outside.toml"],
        expect![[r#"
            exit 1
            error[O3]: index outside a buffer: read of A[4] outside its shape [4]
              statement: faults.py:11:13, i = 4
                   11 | A[i] = A[i] + T.float32(1)
                      > read of A[4] outside its shape [4]

            faults.py: outside: findings, 1 error
              executed on the tile interpreter: 10 steps, 0 commit groups in T s
              checked: data in flight, bounds, undefined elements
            ---
        "#]],
    );
    check(
        &["faults.py", "--launch", "outside.toml", "--max-steps", "3"],
        expect![[r#"
            exit 1
            error[T4]: too many steps: more than 3 steps
              statement: faults.py:11:13, i = 1
                   11 | A[i] = A[i] + T.float32(1)
                      > more than 3 steps

            faults.py: outside: findings, 1 error
              executed on the tile interpreter: 4 steps, 0 commit groups in T s
              checked: data in flight, bounds, undefined elements
            ---
        "#]],
    );
    check(
        &["faults.py", "--kernel", "opaque"],
        expect![[r#"
        exit 3
        ---
        error: unsupported: faults.py:15:9: `call_extern("consume", …)`
    "#]],
    );
}

#[test]
fn launches() {
    check(
        &["faults.py", "--launch", "threads.toml"],
        expect![[r#"
            exit 0
            output A: as expected (max abs error 0, max rel error 0)
            faults.py: threads: nothing-to-check, no findings
              executed on the tile interpreter: 10 steps, 0 commit groups in T s
              checked: data in flight, bounds, undefined elements
            ---
        "#]],
    );
    check(
        &["faults.py", "--launch", "sizes.toml"],
        expect![[r#"
        exit 2
        ---
        error: 8 in x, where the module's loop over threadIdx.x has 4
         --> sizes.toml:3:9
          |
        3 | block = [8, 2]
          |         ^^^^^^
        error: 2 in y, where the module has no loop over threadIdx.y
         --> sizes.toml:3:9
          |
        3 | block = [8, 2]
          |         ^^^^^^
          |
          = help: leave it out: the loops of a tile program say how it runs
        error: a tile program has no clusters
         --> sizes.toml:4:11
          |
        4 | cluster = [2]
          |           ^^^
    "#]],
    );
    check(
        &["faults.py", "--launch", "type.toml"],
        expect![[r#"
        exit 2
        ---
        error: parameter `A` has the extent 8 in dimension 0 and is given 9
         --> type.toml:3:1
          |
        3 | [[arg]]
          | ^^^^^^^
    "#]],
    );
    check(
        &["faults.py", "--kernel", "threads"],
        expect![[r#"
        exit 2
        ---
        error: `threads` has parameters: say what they are by --launch L.toml
    "#]],
    );
    check(
        &["faults.py"],
        expect![[r#"
        exit 2
        ---
        error: faults.py has 3 functions: say which by --kernel
         |
         = note: its functions: `outside`, `opaque`, `threads`
    "#]],
    );
    check(
        &["faults.py", "--kernel", "thread"],
        expect![[r#"
        exit 2
        ---
        error: faults.py has no function `thread`
         |
         = note: its functions: `outside`, `opaque`, `threads`
    "#]],
    );
    check(
        &["two_stage.py", "--launch", "outside.toml"],
        expect![[r#"
        exit 2
        ---
        error: two_stage.py has no function `outside`
         --> outside.toml:1:10
          |
        1 | kernel = "outside"
          |          ^^^^^^^^^
          |
          = note: its functions: `main`
    "#]],
    );
    check(
        &["two_stage.py", "--launch", "two_stage.toml", "--check", "off"],
        expect![[r#"
        exit 0
        output C: as expected (max abs error 0, max rel error 0)
        two_stage.py: main: not-checked
          executed on the tile interpreter: 63 steps, 16 commit groups in T s
          checked: nothing
        ---
    "#]],
    );
    check(
        &["two_stage.py", "--launch", "two_stage.toml", "--check", "waits"],
        expect![[r#"
            exit 3
            output C: as expected (max abs error 0, max rel error 0)
            not checked: waits: a run does not judge them, `wavemark check` does
            two_stage.py: main: not-checked
              executed on the tile interpreter: 63 steps, 16 commit groups in T s
              checked: nothing
            ---
        "#]],
    );
    check(
        &["two_stage.py", "--launch", "two_stage.toml", "--trace", "t.json"],
        expect![[r#"
        exit 3
        ---
        error: unsupported: --trace of a tile program
    "#]],
    );
}
