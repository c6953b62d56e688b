//! Directives of AMD GPUs that are known but not for this: code object V2, and other operating systems than HSA.
//!
//! LLVM 22 calls them unknown; here they say what to write instead. A block is passed over as a whole, so that there is
//! one error.

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".hsa_code_object_version", retired),
    row(".hsa_code_object_isa", retired),
    row(".hsatext", retired),
    row(".amdgpu_hsa_kernel", retired),
    row(".amdgpu_hsa_module_global", retired),
    row(".amdgpu_hsa_program_global", retired),
    row(".amd_kernel_code_t", retired),
    row(".amd_amdgpu_isa", retired),
    row(".amd_amdgpu_hsa_metadata", retired),
    row(".amd_amdgpu_pal_metadata", retired),
    row(".amdgpu_pal_metadata", retired),
    row(".amdgpu_pal_metadata_begin", retired),
];

/// What is said of a directive, and what ends the block that it begins.
fn fate(name: &str) -> (&'static str, Option<&'static str>) {
    const TARGET: &str = "it belongs to code object V2, which LLVM no longer writes; .amdgcn_target and \
                          .amdhsa_code_object_version say target and version";
    const PAL: &str = "it is for the operating system amdpal; this object is for amdhsa, whose metadata stand in \
                       .amdgpu_metadata";
    match name {
        ".amd_kernel_code_t" => (
            "it belongs to code object V2, which LLVM no longer writes; use .amdhsa_kernel",
            Some(".end_amd_kernel_code_t"),
        ),
        ".amdgpu_hsa_kernel" => (
            "it belongs to code object V2, which LLVM no longer writes; .amdhsa_kernel makes a kernel of a symbol",
            None,
        ),
        ".hsatext" => ("it belongs to code object V2, which LLVM no longer writes; use .text", None),
        ".amdgpu_hsa_module_global" => (
            "it belongs to code object V2, which LLVM no longer writes; a symbol that is not .globl is local",
            None,
        ),
        ".amdgpu_hsa_program_global" => {
            ("it belongs to code object V2, which LLVM no longer writes; use .globl", None)
        }
        ".amd_amdgpu_hsa_metadata" => (
            "it belongs to code object V2, which LLVM no longer writes; use .amdgpu_metadata",
            Some(".end_amd_amdgpu_hsa_metadata"),
        ),
        ".amd_amdgpu_pal_metadata" => (PAL, None),
        ".amdgpu_pal_metadata" => (PAL, Some(".end_amdgpu_pal_metadata")),
        ".amdgpu_pal_metadata_begin" => (PAL, Some(".amdgpu_pal_metadata_end")),
        _ => (TARGET, None),
    }
}

fn retired(_: &mut Assembler<'_>, operands: &mut Operands<'_>, lines: &mut Lines<'_>) -> Result<(), Fault> {
    operands.ignore();
    let name = operands.directive();
    let (why, end) = fate(name);
    if let Some(end) = end {
        while let Some((_, line)) = lines.raw_line() {
            if line.trim() == end {
                break;
            }
        }
    }
    operands.fault_here(format!("{name}: {why}"))
}
