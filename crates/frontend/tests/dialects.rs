//! What the dialects write differently means the same: each pair is one program.

use wavemark_diag::{SourceMap, render_short};
use wavemark_frontend::parse;
use wavemark_tile::{Comparison, Dialect, Module, verify};

fn read(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.py", text);
    let module = parse(file, text).unwrap_or_else(|diagnostics| {
        let messages: Vec<_> =
            diagnostics.iter().map(|diagnostic| render_short(&sources, diagnostic)).collect();
        panic!("{}\n{text}", messages.join("\n"))
    });
    if let Err(diagnostics) = verify(&module) {
        panic!("{}\n{text}", render_short(&sources, &diagnostics[0]));
    }
    module
}

fn same(left: &str, right: &str) {
    let difference = Comparison::default().first_module_difference(&read(left), &read(right));
    if let Some(difference) = difference {
        panic!("{difference}");
    }
}

/// A function of each dialect with the same body.
fn same_body(old: &str, new: &str) {
    let indented = |body: &str| body.lines().map(|line| format!("        {line}\n")).collect::<String>();
    let parameters = "A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((16,), \"int32\"), n: T.int32";
    let old = format!(
        "import tvm\nfrom tvm.script import tir as T\n@tvm.script.ir_module\nclass M:\n    @T.prim_func\n    def main({parameters}):\n{}",
        indented(old)
    );
    let new = format!(
        "from tvm.script import ir as I, tirx as T\n@I.ir_module\nclass M:\n    @T.prim_func(s_tir=True)\n    def main({parameters}):\n{}",
        indented(new)
    );
    assert_eq!(read(&old).dialect, Dialect::Old);
    assert_eq!(read(&new).dialect, Dialect::New);
    same(&old, &new);
}

#[test]
fn blocks() {
    same_body(
        r#"for i, k in T.grid(16, 16):
    with T.block("sum"):
        vi = T.axis.S(16, i)
        vk = T.axis.R(16, k)
        T.where(i < n)
        T.reads([A[vi, vk], C[vi]])
        T.writes([C[vi]])
        T.block_attr({"double_buffer_scope": T.int64(0), "flag": T.bool(True)})
        S = T.alloc_buffer([4], dtype="float32", scope="shared")
        with T.init():
            C[vi] = 0
        S[0] = A[vi, vk]
        C[vi] = C[vi] + T.cast(S[0], "int32")"#,
        r#"for i in range(16):
    for k in T.serial(0, 16):
        with T.sblock("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.where(i < n)
            T.reads(A[vi, vk], C[vi])
            T.writes(C[vi])
            T.sblock_attr({"double_buffer_scope": 0, "flag": True})
            S = T.sblock_alloc_buffer((4,), scope="shared")
            with T.init():
                C[vi] = 0
            S[0] = A[vi, vk]
            C[vi] += T.Cast("int32", S[0])"#,
    );
}

#[test]
fn attributes() {
    same_body(
        r#"with T.attr(0, "async_commit_queue_scope", 0):
    T.attr(0, "async_scope", 1)
    C[0] = 1
    C[1] = 2
T.attr(0, "async_wait_queue_scope", 0)
T.attr(0, "async_wait_inflight_count", n)
C[2] = 3"#,
        r#"with T.attr({"async_commit_queue_scope": 0, "async_scope": 1}):
    C[0] = 1
    C[1] = 2
T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": n})
C[2] = 3"#,
    );
}

#[test]
fn variables() {
    same_body(
        "x = n + 1\ny: T.int32 = x * 2\nwith T.LetStmt(y - 1) as z:\n    C[z] = x\nw = T.int32()\nwith T.LetStmt(3, var=w):\n    C[w] = w",
        "x: T.let = n + 1\ny: T.let[T.int32] = x * 2\nwith T.Bind(y - 1) as z:\n    C[z] = x\nw = T.int32()\nwith T.Bind(3, var=w):\n    C[w] = w",
    );
}

#[test]
fn calls() {
    same_body(
        r#"T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
T.evaluate(T.call_extern("f", T.tvm_access_ptr(T.type_annotation(dtype="float32"), A.data, 0, 256, 1, dtype="handle"), dtype="int32"))
C[0] = T.bitwise_and(n, 3) + T.shift_left(n, 2) + T.shift_right(n, 1) + T.bitwise_xor(n, T.bitwise_or(n, 1))
A[0, 0] = T.exp(A[0, 1], dtype="float32") * T.float32(2)
C[1] = T.if_then_else(n < 3, 1, 2, dtype="int32")"#,
        r#"T.tvm_storage_sync("shared", T.bool(False), -1)
T.call_extern("int32", "f", A.access_ptr("r"))
C[0] = (n & 3) + (n << 2) + (n >> 1) + (n ^ (n | 1))
A[0, 0] = T.exp(A[0, 1]) * 2.0
C[1] = 1 if n < 3 else 2"#,
    );
}

#[test]
fn comparisons_chain_as_in_python() {
    same_body(
        "if 0 < n < 3 <= C[0]:\n    C[0] = 1\nelif n == 7:\n    C[0] = 2\nelse:\n    C[0] = 3",
        "if 0 < n and n < 3 and 3 <= C[0]:\n    C[0] = 1\nelse:\n    if n == 7:\n        C[0] = 2\n    else:\n        C[0] = 3",
    );
}

#[test]
fn handles_and_symbolic_sizes() {
    same(
        r#"
from tvm.script import tir as T
@T.prim_func
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (16, n), "float16", offset_factor=1)
    C = T.match_buffer(c, [n], dtype="float16")
    for i in T.serial(n):
        C[i] = A[0, i]
"#,
        r#"
# from tvm.script import ir as I
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, "n"), "float16", offset_factor=1), C: T.Buffer((n,), "float16")):
        n = T.int32()
        # with T.sblock("root"):
        for i in range(n):
            C[i] = A[0, i]
"#,
    );
}

#[test]
fn the_oldest_buffers() {
    same(
        "import tvm.script.tir as P\n@P.prim_func\ndef main(A: P.Buffer[(16, 4), \"float16\"], B: P.Buffer[16], n: P.int32) -> None:\n    A[0, 0] = P.float16(1)\n",
        "from tvm.script import tir as T\n@T.prim_func\ndef main(A: T.Buffer((16, 4), \"float16\"), B: T.Buffer(16), n: T.int32):\n    A[0, 0] = 1.0\n",
    );
}

#[test]
fn constants_of_the_file_and_docstrings() {
    same(
        r#"
"""A file."""
from tvm.script import ir as J
from tvm.script import tirx as S

N = 4 * 4
SHAPE = (N, 2)
TYPE = "float16"

def helper():
    return open("x")

@J.ir_module
class M:
    """A module."""
    @S.prim_func(s_tir=True)
    def main(A: S.Buffer(SHAPE, TYPE), B: S.Buffer((N, SHAPE[1]), dtype=S.float16)):
        """A function."""
        # A comment.
        for i in S.grid(N):
            A[i, N // 8 - 1] = B[i, -1 + 2]

if __name__ == "__main__":
    M.show()
"#,
        r#"
from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 2), "float16"), B: T.Buffer((16, 2), "float16")):
    for i in range(16):
        A[i, 1] = B[i, 1]
"#,
    );
}
