//! Versioned buffers that intrinsics reach by their pointer: each begins at the version of its iteration.

mod running;

use expect_test::{Expect, expect};
use running::module;
use wavemark_schedule::pipeline::pipeline;
use wavemark_tile::{Stmt, print, simplify};

/// The calls of the pipelined program, in the order of the text.
fn calls(allocations: &str, producer: &str, consumer: &str, expected: Expect) {
    let text = format!(
        r#"from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64, 256), "float16"), C: T.Buffer((64, 256), "float32")):
        for i in T.serial(3, 19, annotations={{"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}}):
            with T.block("body"):
                {allocations}
                with T.block("produce"):
                    T.reads(A[i, 0:256])
                    T.writes(B[0:16, 0:16])
                    {producer}
                with T.block("consume"):
                    T.reads(B[0:16, 0:16])
                    T.writes(C[i, 0:256])
                    {consumer}
"#
    );
    let mut module = module(&text);
    pipeline(&mut module.functions[0]).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    simplify(&mut module.functions[0]);
    let mut calls = 0;
    module.functions[0].body.visit(&mut |stmt| calls += usize::from(matches!(stmt, Stmt::Evaluate(..))));
    let printed = print(&module, module.dialect);
    let lines = printed
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("T.evaluate(") || line.contains("B.data") || line.contains("B["));
    let lines: Vec<&str> =
        lines.filter(|line| !line.starts_with("T.reads") && !line.starts_with("T.writes")).collect();
    assert!(calls > 0, "{printed}");
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn offsets_grow() {
    calls(
        "B = T.alloc_buffer((16, 16), \"float16\", scope=\"shared\")",
        "T.evaluate(T.ptx_cp_async(\"float16\", B.data, 8, A.data, i * 256, 16))",
        "T.evaluate(T.call_extern(\"int32\", \"consume\", T.tvm_access_ptr(T.type_annotation(\"float16\"), B.data, 4, 8, 1)))",
        expect![[r#"
            T.ptx_cp_async("float16", B.data, 8, A.data, 768, 16)
            T.ptx_cp_async("float16", B.data, i % 2 * 256 + 8, A.data, i * 256 + 256, 16)
            T.call_extern("int32", "consume", T.tvm_access_ptr(T.type_annotation("float16"), B.data, (i + 1) % 2 * 256 + 4, 8, 1))
            T.call_extern("int32", "consume", T.tvm_access_ptr(T.type_annotation("float16"), B.data, 260, 8, 1))
        "#]],
    );
}

#[test]
fn matrices_of_a_warp_are_spread() {
    calls(
        "B = T.alloc_buffer((16, 16), \"float16\", scope=\"m16n8k8.matrixA\")",
        "T.evaluate(T.ptx_ldmatrix(\"float16\", T.bool(False), 4, \".b16\", B.data, 0, A.data, i * 256))",
        "T.evaluate(T.call_extern(\"int32\", \"consume\", B.data, i))",
        expect![[r#"
            T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", B.data, 0, A.data, 768)
            T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", B.data, i % 2 * 8, A.data, i * 256 + 256)
            T.call_extern("int32", "consume", T.address_of(B[(i + 1) % 2, 0, 0]), i)
            T.call_extern("int32", "consume", T.address_of(B[1, 0, 0]), 18)
        "#]],
    );
}

#[test]
fn fragments_are_counted() {
    calls(
        "B = T.alloc_buffer((16, 16), \"float16\", scope=\"wmma.matrix_a\")",
        "T.evaluate(T.tvm_load_matrix_sync(B.data, 16, 8, 16, 0, A.data, 256, \"row_major\"))",
        "T.evaluate(T.tvm_mma_sync(C.data, 0, B.data, 0, A.data, 0, C.data, 0))",
        expect![[r#"
            T.tvm_load_matrix_sync(B.data, 16, 8, 16, 0, A.data, 256, "row_major")
            T.tvm_load_matrix_sync(B.data, 16, 8, 16, i % 2, A.data, 256, "row_major")
            T.tvm_mma_sync(C.data, 0, B.data, (i + 1) % 2, A.data, 0, C.data, 0)
            T.tvm_mma_sync(C.data, 0, B.data, 1, A.data, 0, C.data, 0)
        "#]],
    );
}

#[test]
fn any_other_call_gets_an_address() {
    calls(
        "B = T.alloc_buffer((16, 16), \"float16\", scope=\"shared\")",
        "T.evaluate(T.call_extern(\"int32\", \"produce\", B.data, i))",
        "T.evaluate(T.call_extern(\"int32\", \"consume\", B.data, i))",
        expect![[r#"
            T.call_extern("int32", "produce", T.address_of(B[0, 0, 0]), 3)
            T.call_extern("int32", "produce", T.address_of(B[i % 2, 0, 0]), i + 1)
            T.call_extern("int32", "consume", T.address_of(B[(i + 1) % 2, 0, 0]), i)
            T.call_extern("int32", "consume", T.address_of(B[1, 0, 0]), 18)
        "#]],
    );
}
