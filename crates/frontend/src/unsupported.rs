//! What the tile level has nothing for, with what to write instead where that is known.

use ruff_python_ast as py;
use wavemark_diag::Diagnostic;

use crate::context::Reported;
use crate::expr::is_vector_type;
use crate::function::Builder;

impl Builder<'_> {
    /// A call that the tile level has nothing for, with a hint where one is known.
    pub fn unsupported_call(&mut self, path: &str, call: &py::ExprCall) -> Reported {
        let span = self.cx.span(&*call.func);
        let name = path.strip_prefix("T.").unwrap_or(path);
        let message = match name {
            _ if is_vector_type(name) => format!("unsupported: vector type `{path}`"),
            _ => format!("unsupported: `{path}`"),
        };
        let hint = match name {
            "allocate" | "decl_buffer" | "alloc_shared" | "alloc_local" | "launch_thread" | "env_thread"
            | "allocate_const" | "device_entry" => {
                "this is a lowered form; a tile program has blocks, their buffers and `T.thread_binding` loops"
            }
            "Ramp" | "Broadcast" | "Shuffle" | "ramp" | "broadcast" | "vscale" => {
                "this is a vector; write a `T.vectorized` loop"
            }
            "While" | "Assert" | "If" | "Then" | "Else" => "statements are written in Python's syntax",
            "reads" | "writes" | "where" | "sblock_attr" | "block_attr" | "func_attr" | "attr"
            | "evaluate" => "this is a statement of its own",
            "sblock" | "block" | "init" => "expected in a `with`",
            "serial" | "parallel" | "vectorized" | "unroll" | "thread_binding" | "grid" => {
                "expected in the header of a loop"
            }
            "alloc_buffer" | "sblock_alloc_buffer" | "match_buffer" => "expected in an assignment to a name",
            "Buffer" => "expected as the type of a parameter",
            _ if name.starts_with("axis.") => "expected in an assignment to a name, in a block",
            _ if name.contains("cp_async") || name.starts_with("ptx_") || name.starts_with("ptx.") => {
                "this is a lowered form; asynchronous copies are stores under `T.attr({\"async_scope\": 1})`"
            }
            _ => "",
        };
        let mut diagnostic = Diagnostic::error(message).at(span);
        if !hint.is_empty() {
            diagnostic = diagnostic.help(hint);
        }
        self.cx.report(diagnostic)
    }
}
