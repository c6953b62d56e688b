//! The arguments of a kernel in IR, explicit and implicit, as [`crate::kernarg`] takes them.
//!
//! The implicit ones lie behind the explicit ones as code object V5 has them (LLVM's "User Guide for AMDGPU Backend",
//! "Code Object V5 Metadata").

use wavemark_interp::parameters;
use wavemark_ir::Module;
use wavemark_ir::module::Global;

use crate::build::Failure;
use crate::kernarg::Parameter;

/// Implicit arguments of code object V5: kind, offset, bytes.
const IMPLICIT: [(&str, u64, u64); 26] = [
    ("hidden_block_count_x", 0, 4),
    ("hidden_block_count_y", 4, 4),
    ("hidden_block_count_z", 8, 4),
    ("hidden_group_size_x", 12, 2),
    ("hidden_group_size_y", 14, 2),
    ("hidden_group_size_z", 16, 2),
    ("hidden_remainder_x", 18, 2),
    ("hidden_remainder_y", 20, 2),
    ("hidden_remainder_z", 22, 2),
    ("hidden_global_offset_x", 40, 8),
    ("hidden_global_offset_y", 48, 8),
    ("hidden_global_offset_z", 56, 8),
    ("hidden_grid_dims", 64, 2),
    ("hidden_printf_buffer", 72, 8),
    ("hidden_hostcall_buffer", 80, 8),
    ("hidden_multigrid_sync_arg", 88, 8),
    ("hidden_heap_v1", 96, 8),
    ("hidden_default_queue", 104, 8),
    ("hidden_completion_action", 112, 8),
    ("hidden_dynamic_lds_size", 120, 4),
    ("hidden_none", 124, 4),
    ("hidden_private_base", 192, 4),
    ("hidden_shared_base", 196, 4),
    ("hidden_queue_ptr", 200, 8),
    ("hidden_none", 208, 8),
    ("hidden_none", 248, 8),
];

/// All parameters of a kernel, and the bytes of its segment.
pub(super) fn all(module: &Module, kernel: Global) -> Result<(Vec<Parameter>, u64), Failure> {
    let (explicit, implicit_at) =
        parameters(module, kernel).map_err(|refused| Failure::Unsupported(refused.what))?;
    let mut all: Vec<Parameter> = explicit
        .into_iter()
        .map(|parameter| Parameter {
            name: parameter.name,
            offset: parameter.offset,
            size: parameter.bytes,
            value_kind: if parameter.pointer { "global_buffer" } else { "by_value" }.to_owned(),
        })
        .collect();
    all.extend(IMPLICIT.iter().map(|&(kind, offset, size)| Parameter {
        name: None,
        offset: implicit_at + offset,
        size,
        value_kind: kind.to_owned(),
    }));
    Ok((all, implicit_at + 256))
}
