//! `wavemark compile K.py --emit tile` as scripts see it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};

/// Runs `wavemark` in the folder of the software-pipelining examples.
fn run(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wavemark"))
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/software_pipeline"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn check(arguments: &[&str], input: &str, expect: Expect) {
    let (status, stdout, stderr) = run(arguments, input);
    expect.assert_eq(&format!("exit {status}\n{stdout}---\n{stderr}"));
}

/// A loop of 4 whose first statement has stage `stage`.
fn small(stage: &str, num_stages: &str) -> String {
    format!(
        "# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 4096), \"float32\"), C: T.Buffer((4, 4096), \"float32\")):
        for i in T.serial(4, annotations={{{stage}{num_stages}}}):
            with T.block(\"step\"):
                t = T.alloc_buffer((4096,), scope=\"shared\")
                for j in range(4096):
                    with T.block(\"fetch\"):
                        T.reads(A[i, j])
                        T.writes(t[j])
                        t[j] = A[i, j]
                for j in range(4096):
                    with T.block(\"use\"):
                        T.reads(t[j])
                        T.writes(C[i, j])
                        C[i, j] = t[j] * T.float32(2)
"
    )
}

const STAGES: &str = "\"software_pipeline_stage\": [0, 1], \"software_pipeline_order\": [0, 1]";
const BACKWARDS: &str = "\"software_pipeline_stage\": [1, 0], \"software_pipeline_order\": [0, 1]";

#[test]
fn the_module_is_printed_in_its_dialect() {
    check(
        &["compile", "two_stage_async.py", "--emit", "tile"],
        "",
        expect![[r#"
            exit 0
            # from tvm.script import ir as I
            # from tvm.script import tirx as T
            # from tvm.tirx.layout import Axis

            @I.ir_module
            class Module:
                @T.prim_func(s_tir=True)
                def main(X: T.Buffer((16, 32), "float32"), Y: T.Buffer((16, 32), "float32")):
                    with T.sblock("root"):
                        T.reads()
                        T.writes()
                        with T.sblock(""):
                            T.reads(X[0:16, 0:32])
                            T.writes(Y[0:16, 0:32])
                            tile = T.sblock_alloc_buffer((2, 32), scope="shared")
                            with T.sblock(""):
                                T.reads(X[0, 0:32])
                                T.writes(tile[0, 0:32])
                                T.attr({"async_commit_queue_scope": 0, "async_scope": 1})
                                for j in range(32):
                                    with T.sblock("fetch"):
                                        T.reads(X[0, j])
                                        T.writes(tile[0, j])
                                        tile[0, j] = X[0, j]
                            with T.sblock(""):
                                T.reads(X[1:16, 0:32], tile[0:2, 0:32])
                                T.writes(tile[0:2, 0:32], Y[0:15, 0:32])
                                for i in range(15):
                                    with T.sblock(""):
                                        T.reads(X[i + 1, 0:32])
                                        T.writes(tile[(i + 1) % 2, 0:32])
                                        T.attr({"async_commit_queue_scope": 0, "async_scope": 1})
                                        for j in range(32):
                                            with T.sblock("fetch"):
                                                T.reads(X[i + 1, j])
                                                T.writes(tile[(i + 1) % 2, j])
                                                tile[(i + 1) % 2, j] = X[i + 1, j]
                                    with T.sblock(""):
                                        T.reads(tile[i % 2, 0:32])
                                        T.writes(Y[i, 0:32])
                                        T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 1})
                                        for j in range(32):
                                            with T.sblock("use"):
                                                T.reads(tile[i % 2, j])
                                                T.writes(Y[i, j])
                                                Y[i, j] = tile[i % 2, j] * T.float32(2.0)
                            with T.sblock(""):
                                T.reads(tile[1, 0:32])
                                T.writes(Y[15, 0:32])
                                T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 0})
                                for j in range(32):
                                    with T.sblock("use"):
                                        T.reads(tile[1, j])
                                        T.writes(Y[15, j])
                                        Y[15, j] = tile[1, j] * T.float32(2.0)
            ---
            two_stage_async.py:10:9: note: loop `i`: 2 versions of `tile`
            note: `main`: LDS 128 -> 256 bytes
        "#]],
    );
    let old = small(STAGES, "");
    let read = ["compile", "-", "--lang", "py", "--emit", "tile"];
    check(
        &read,
        &old,
        expect![[r#"
            exit 0
            # from tvm.script import ir as I
            # from tvm.script import tir as T

            @I.ir_module
            class Module:
                @T.prim_func
                def main(A: T.Buffer((4, 4096), "float32"), C: T.Buffer((4, 4096), "float32")):
                    with T.block("root"):
                        T.reads()
                        T.writes()
                        with T.block(""):
                            T.reads(A[0:4, 0:4096])
                            T.writes(C[0:4, 0:4096])
                            t = T.alloc_buffer((2, 4096), scope="shared")
                            with T.block(""):
                                T.reads(A[0, 0:4096])
                                T.writes(t[0, 0:4096])
                                for j in range(4096):
                                    with T.block("fetch"):
                                        T.reads(A[0, j])
                                        T.writes(t[0, j])
                                        t[0, j] = A[0, j]
                            with T.block(""):
                                T.reads(A[1:4, 0:4096], t[0:2, 0:4096])
                                T.writes(t[0:2, 0:4096], C[0:3, 0:4096])
                                for i in range(3):
                                    with T.block(""):
                                        T.reads(A[i + 1, 0:4096])
                                        T.writes(t[(i + 1) % 2, 0:4096])
                                        for j in range(4096):
                                            with T.block("fetch"):
                                                T.reads(A[i + 1, j])
                                                T.writes(t[(i + 1) % 2, j])
                                                t[(i + 1) % 2, j] = A[i + 1, j]
                                    with T.block(""):
                                        T.reads(t[i % 2, 0:4096])
                                        T.writes(C[i, 0:4096])
                                        for j in range(4096):
                                            with T.block("use"):
                                                T.reads(t[i % 2, j])
                                                T.writes(C[i, j])
                                                C[i, j] = t[i % 2, j] * T.float32(2)
                            with T.block(""):
                                T.reads(t[1, 0:4096])
                                T.writes(C[3, 0:4096])
                                for j in range(4096):
                                    with T.block("use"):
                                        T.reads(t[1, j])
                                        T.writes(C[3, j])
                                        C[3, j] = t[1, j] * T.float32(2)
            ---
            <stdin>:8:9: note: loop `i`: 2 versions of `t`
            note: `main`: LDS 16384 -> 32768 bytes
        "#]],
    );
    let (status, text, _) = run(&[&read[..], &["--dialect", "new"]].concat(), &old);
    assert_eq!(status, 0);
    assert!(text.contains("T.sblock(\"fetch\")") && !text.contains("T.block("), "{text}");
    let (status, text, _) = run(&["compile", "three_stage.py", "--emit", "tile", "--dialect", "old"], "");
    assert_eq!(status, 0);
    assert!(text.contains("T.block(\"fetch\")") && !text.contains("sblock"), "{text}");
}

#[test]
fn what_is_printed_is_read_again() {
    for (name, dialect) in [("gemm_nested", "old"), ("interleaved", "new"), ("num_stages", "old")] {
        let file = format!("{name}.py");
        let (_, text, _) = run(&["compile", &file, "--emit", "tile", "--dialect", dialect], "");
        // Nothing is left to pipeline, and nothing to simplify.
        let (status, again, notes) = run(&["compile", "-", "--lang", "py", "--emit", "tile"], &text);
        assert_eq!((status, again, notes.as_str()), (0, text, ""), "{name}");
    }
}

#[test]
fn before_simplification_indices_are_as_the_pass_leaves_them() {
    let (status, text, _) = run(&["compile", "two_stage.py", "--emit", "tile", "--before-simplify"], "");
    assert_eq!(status, 0);
    assert!(text.contains("T.where(i + 1 < 16)"), "{text}");
    let (_, text, _) = run(&["compile", "two_stage.py", "--emit", "tile"], "");
    assert!(!text.contains("T.where"), "{text}");
}

#[test]
fn num_stages_are_planned() {
    let (status, text, notes) =
        run(&["compile", "num_stages.py", "--emit", "tile", "--target", "gfx1250"], "");
    assert_eq!(status, 0);
    assert!(text.contains("\"async_wait_inflight_count\": 2"), "{text}");
    expect![[r#"
        num_stages.py:25:21: note: loop `ko`, num_stages 3: store to A_shared, store to B_shared, mac in stages [0, 0, 2], order [0, 1, 2], asynchronous [0]; versions: A_shared x3, B_shared x3; LDS 2560 -> 7680 bytes
        num_stages.py:25:21: note: loop `ko`: 3 versions of `A_shared`, 3 versions of `B_shared`
        note: `main`: LDS 2560 -> 7680 bytes
    "#]].assert_eq(&notes);
}

#[test]
fn lds_must_hold_the_versions() {
    let read = ["compile", "-", "--lang", "py", "--emit", "tile", "--target"];
    let module = small("", "\"num_stages\": 5");
    check(
        &[&read[..], &["gfx942"]].concat(),
        &module,
        expect![[r#"
        exit 2
        ---
        error: `main` needs 81920 bytes of LDS, gfx942 has 65536
         --> <stdin>:8:9
          |
        8 |         for i in T.serial(4, annotations={"num_stages": 5}):
          |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: num_stages = 4 fits
    "#]],
    );
    for (target, status) in [("gfx942", 2), ("gfx1200", 2), ("gfx950", 0), ("gfx1250", 0)] {
        assert_eq!(run(&[&read[..], &[target]].concat(), &module).0, status, "{target}");
    }
    let module = small("", "\"num_stages\": 21");
    check(
        &[&read[..], &["gfx1250"]].concat(),
        &module,
        expect![[r#"
        exit 2
        ---
        error: `main` needs 344064 bytes of LDS, gfx1250 has 327680
         --> <stdin>:8:9
          |
        8 |         for i in T.serial(4, annotations={"num_stages": 21}):
          |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: num_stages = 20 fits
    "#]],
    );
}

#[test]
fn refusals() {
    let read = ["compile", "-", "--lang", "py", "--emit", "tile"];
    check(
        &read,
        &small(BACKWARDS, ""),
        expect![[r#"
            exit 2
            ---
            error: the pipeline would run `use` (statement 1) (stage 0, order 1) before `fetch` (statement 0) (stage 1, order 0): `use` (statement 1) reads what `fetch` (statement 0) writes in buffer `t`
              --> <stdin>:16:17
               |
            11 |                 for j in range(4096):
               |                 -------------------- this must come first
            ...
            16 |                 for j in range(4096):
               |                 ^^^^^^^^^^^^^^^^^^^^
               |
               = help: its stage must be at least that of what it reads
        "#]],
    );
    check(
        &read,
        &small("", "\"num_stages\": -1"),
        expect![[r#"
        exit 2
        ---
        error: loop `i` cannot be pipelined
         --> <stdin>:8:9
          |
        8 |         for i in T.serial(4, annotations={"num_stages": -1}):
          |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = note: `num_stages` must be a whole number from 0 to 256
    "#]],
    );
    check(
        &read,
        "class Module:\n  def f(:\n",
        expect![[r#"
        exit 2
        ---
        error: not Python: expected a parameter or the end of the parameter list
         --> <stdin>:2:9
          |
        2 |   def f(:
          |         ^
    "#]],
    );
}

#[test]
fn below_the_tile_layer_there_is_nothing_yet() {
    for stage in ["ll", "asm", "obj", "hsaco"] {
        let (status, text, notes) =
            run(&["compile", "two_stage.py", "--emit", stage, "--target", "gfx1250"], "");
        assert_eq!((status, text.as_str()), (3, ""));
        assert!(
            notes.starts_with(&format!("error: unsupported: --emit {stage} of a TVMScript module")),
            "{notes}"
        );
    }
    check(
        &["compile", "../named_barriers/kernel.s", "--emit", "obj", "--diagram", "x.svg"],
        "",
        expect![[r#"
            exit 2
            ---
            error: --diagram is for TVMScript modules and --emit tile
        "#]],
    );
}

#[test]
fn the_picture_is_written() {
    let path: PathBuf = [env!("CARGO_TARGET_TMPDIR"), "interleaved.svg"].iter().collect();
    let file = path.to_str().unwrap();
    let (status, text, _) = run(&["compile", "interleaved.py", "--emit", "tile", "--diagram", file], "");
    assert_eq!(status, 0);
    assert!(text.starts_with("# from tvm.script import ir as I\n"));
    let picture = std::fs::read_to_string(&path).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    for words in ["fetch_x", "asynchronous", "queue 0", "prologue", "epilogue"] {
        assert!(picture.contains(words), "{words}");
    }
}
