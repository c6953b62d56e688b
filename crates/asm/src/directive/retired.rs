//! Directives that are known but not for this: code object V2, other processors and other debuggers.
//!
//! LLVM 22 calls most of them unknown; here they say what to write instead. A block is passed over as a whole, so that there is
//! one error.

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".hsa_code_object_version", retired),
    row(".hsa_code_object_isa", retired),
    row(".hsatext", retired),
    row(".amdgpu_hsa_module_global", retired),
    row(".amdgpu_hsa_program_global", retired),
    row(".amd_amdgpu_hsa_metadata", retired),
    row(".amdgpu_pal_metadata_begin", retired),
    row(".nops", retired),
    row(".code16", retired),
    row(".code16gcc", retired),
    row(".stabs", retired),
    row(".pseudoprobe", retired),
    row(".cv_def_range", retired),
    row(".cv_file", retired),
    row(".cv_filechecksumoffset", retired),
    row(".cv_filechecksums", retired),
    row(".cv_fpo_data", retired),
    row(".cv_func_id", retired),
    row(".cv_inline_linetable", retired),
    row(".cv_inline_site_id", retired),
    row(".cv_linetable", retired),
    row(".cv_loc", retired),
    row(".cv_string", retired),
    row(".cv_stringtable", retired),
];

/// What is said of a directive, and what ends the block that it begins.
fn fate(name: &str) -> (&'static str, Option<&'static str>) {
    const TARGET: &str = "it belongs to code object V2, which LLVM no longer writes; .amdgcn_target and \
                          .amdhsa_code_object_version say target and version";
    match name {
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
        ".amdgpu_pal_metadata_begin" => (
            "LLVM calls it .amdgpu_pal_metadata, which .end_amdgpu_pal_metadata ends",
            Some(".amdgpu_pal_metadata_end"),
        ),
        ".nops" => ("only assemblers of x86 have it; .fill writes an instruction several times", None),
        ".code16" | ".code16gcc" => ("only assemblers of x86 have it", None),
        ".stabs" => ("LLVM writes no stabs; .file and .loc make a line table", None),
        ".pseudoprobe" => ("it is for profiles of LLVM's own, which nothing reads on a GPU", None),
        _ if name.starts_with(".cv_") => {
            ("it is CodeView, the debugging information of Windows; .file and .loc make a line table", None)
        }
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
