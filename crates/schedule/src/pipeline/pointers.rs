//! Intrinsics that are given a buffer by its pointer (`B.data`), and how each of them comes to a version of it.
//!
//! An intrinsic that has an offset beside its pointer gets a larger one, a matrix fragment a larger index, as TVM's pass
//! does it (which forgets to subtract the first iteration from the offset). What any other call does with the pointer it
//! does with the address of the version's first element.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use wavemark_tile::{BufferId, Call, Dtype, Expr, Function, Stmt};

/// What of a call says where behind a pointer it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// This argument, in elements.
    Offset(usize),
    /// This argument, in fragments.
    Fragment(usize),
    /// Nothing: it is the pointer itself.
    Pointer,
}

/// Each pointer is followed by its offset.
const OFFSETS: [&str; 8] = [
    "ptx_ldmatrix",
    "ptx_mma",
    "ptx_mma_sp",
    "mma_fill",
    "mma_store",
    "ptx_cp_async",
    "ptx_cp_async_bulk",
    "s_tir.cp_async_raw",
];
/// The pointer of a fragment, the three sizes of the product, and which fragment it is.
const SIZED_FRAGMENTS: [&str; 3] = ["tvm_load_matrix_sync", "tvm_store_matrix_sync", "tvm_fill_fragment"];
/// Pairs of pointer and fragment.
const FRAGMENTS: [&str; 2] = ["tvm_mma_sync", "tvm_bmma_sync"];

/// How `call` begins behind the pointer that is its argument `at`.
pub fn start(call: &Call, at: usize) -> Start {
    let op = &*call.op;
    let index = match at {
        0 if SIZED_FRAGMENTS.contains(&op) => 4,
        _ if OFFSETS.contains(&op) || op == "tvm_access_ptr" || FRAGMENTS.contains(&op) => at + 1,
        _ => return Start::Pointer,
    };
    match call.args.get(index) {
        Some(index) if !index.dtype().is_integer() => Start::Pointer,
        None => Start::Pointer,
        _ if OFFSETS.contains(&op) || op == "tvm_access_ptr" => Start::Offset(index),
        _ => Start::Fragment(index),
    }
}

/// Elements that `stride` elements of a buffer are for one thread: matrices in registers are spread over 32.
pub fn per_thread(scope: &str, stride: i64) -> i64 {
    match scope {
        "m16n8k8.matrixA" | "m16n8k8.matrixB" => stride / 32,
        _ => stride,
    }
}

/// Elements of a fragment, by buffer: what loads, stores and fills of it say.
#[derive(Debug, Default)]
pub struct Fragments(FxHashMap<BufferId, i64>);

impl Fragments {
    /// Those of a function with this body.
    pub fn of<'a>(function: &Function, statements: impl Iterator<Item = &'a Stmt>) -> Fragments {
        let mut found = Fragments::default();
        if !function.buffers.iter().any(|buffer| buffer.scope.starts_with("wmma.")) {
            return found;
        }
        for statement in statements {
            statement.visit(&mut |part| {
                part.own_exprs(&mut |expr| expr.visit(&mut |expr| found.note(function, expr)))
            });
        }
        found
    }

    fn note(&mut self, function: &Function, expr: &Expr) {
        let Expr::Call(call) = expr else { return };
        let [Expr::Data(buffer), m, n, k, ..] = &call.args[..] else { return };
        if !SIZED_FRAGMENTS.contains(&&*call.op) {
            return;
        }
        let (rows, columns) = match &*function.buffer(*buffer).scope {
            "wmma.matrix_a" => (m, k),
            "wmma.matrix_b" => (k, n),
            _ => (m, n),
        };
        if let (Some(rows), Some(columns)) = (rows.as_int(), columns.as_int())
            && let Some(elements) = rows.checked_mul(columns).filter(|&elements| elements > 0)
        {
            self.0.insert(*buffer, elements);
        }
    }

    /// The elements of a fragment of `buffer`.
    pub fn elements(&self, buffer: BufferId) -> Option<i64> {
        self.0.get(&buffer).copied()
    }
}

/// The address of an element.
pub fn address_of(element: Expr) -> Expr {
    Expr::Call(Arc::new(Call { op: "address_of".into(), dtype: Dtype::Handle, args: vec![element] }))
}
