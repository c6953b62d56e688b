//! Every kind of violation of the metadata's tables, each with the path of its key.

use wavemark_codeobj::metadata::{pal, validate};
use wavemark_codeobj::value::Value;
use wavemark_codeobj::*;
use wavemark_target::AbiVersion;

use crate::objects;

const YAML: &str = "
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942:xnack-
amdhsa.printf: ['1:1:4:%d']
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .language: OpenCL C
    .language_version: [2, 0]
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
    .reqd_workgroup_size: [64, 2, 1]
    .uses_dynamic_stack: false
    .workgroup_processor_mode: 1
    .args:
      - {.name: p, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .is_const: true}
      - {.offset: 8, .size: 4, .value_kind: by_value}
      - {.offset: 12, .size: 4, .value_kind: hidden_block_count_x}
      - {.offset: 16, .size: 8, .value_kind: hidden_printf_buffer}
";

fn violations(from: &str, to: &str, abi: AbiVersion) -> String {
    assert!(YAML.contains(from), "{from}");
    let value = Value::from_yaml(&YAML.replacen(from, to, 1)).unwrap();
    validate(&value, abi).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn each_violation_has_its_path() {
    use AbiVersion::*;
    assert_eq!(violations("", "", V5), "");
    assert_eq!(violations("", "", V6), "");
    for (from, to, expected) in [
        ("amdhsa.version: [1, 2]", "", "error: amdhsa.version: is missing"),
        ("[1, 2]", "[1, 2, 3]", "error: amdhsa.version: expected 2 integers, found 3"),
        ("[1, 2]", "[1, x]", "error: amdhsa.version[1]: expected an integer, found a string"),
        ("[1, 2]", "[1, 0]", "warning: amdhsa.version: code object V5 has version 1.2, found 1.0"),
        ("amdhsa.target: amdgcn-amd-amdhsa--gfx942:xnack-", "", "warning: amdhsa.target: is missing"),
        (
            "gfx942:xnack-",
            "gfx942:xnack-:sramecc+",
            "error: amdhsa.target: `amdgcn-amd-amdhsa--gfx942:xnack-:sramecc+` is not canonical, which would be `amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-`",
        ),
        ("gfx942:xnack-", "gfx9999", "error: amdhsa.target: `gfx9999` is not a known AMD GPU processor"),
        (
            "['1:1:4:%d']",
            "['1:x:4:%d']",
            "error: amdhsa.printf[0]: the number of arguments is no 32-bit number: `x`",
        ),
        ("['1:1:4:%d']", "[1]", "error: amdhsa.printf[0]: expected a string, found an integer"),
        ("['1:1:4:%d']", "5", "error: amdhsa.printf: expected a sequence, found an integer"),
        (".symbol: k.kd", "", "error: amdhsa.kernels[0].symbol: is missing"),
        (
            "OpenCL C",
            "Fortran",
            "warning: amdhsa.kernels[0].language: `Fortran` is none of OpenCL C, OpenCL C++, HCC, HIP, OpenMP, Assembler",
        ),
        (
            ".vgpr_count: 4",
            ".vgpr_count: -4",
            "error: amdhsa.kernels[0].vgpr_count: expected an integer that is not negative, found -4",
        ),
        (
            ".vgpr_count: 4",
            ".vgpr_count: 4294967296",
            "error: amdhsa.kernels[0].vgpr_count: 4294967296 is beyond 32 bits",
        ),
        (
            ".wavefront_size: 64",
            ".wavefront_size: 48",
            "error: amdhsa.kernels[0].wavefront_size: 48 is no power of two",
        ),
        ("_align: 8", "_align: 0", "error: amdhsa.kernels[0].kernarg_segment_align: 0 is no power of two"),
        (
            ".max_flat_workgroup_size: 256",
            ".max_flat_workgroup_size: 64",
            "error: amdhsa.kernels[0].reqd_workgroup_size: 128 work-items are more than .max_flat_workgroup_size, 64",
        ),
        (
            "[64, 2, 1]",
            "[64, 0, 0]",
            "error: amdhsa.kernels[0].reqd_workgroup_size: must be at least 1 in each dimension, or 0 in all",
        ),
        (
            "_stack: false",
            "_stack: 0",
            "error: amdhsa.kernels[0].uses_dynamic_stack: expected a boolean, found an integer",
        ),
        (
            "_mode: 1",
            "_mode: 2",
            "error: amdhsa.kernels[0].workgroup_processor_mode: expected a boolean, 0 or 1, found an integer",
        ),
        (
            "value_kind: by_value",
            "value_kind: by_valu",
            "error: amdhsa.kernels[0].args[1].value_kind: `by_valu` is none of by_value, global_buffer, dynamic_shared_pointer, sampler, image, pipe, queue, hidden_global_offset_x, hidden_global_offset_y, hidden_global_offset_z, hidden_none, hidden_printf_buffer, hidden_hostcall_buffer, hidden_default_queue, hidden_completion_action, hidden_multigrid_sync_arg, hidden_block_count_x, hidden_block_count_y, hidden_block_count_z, hidden_group_size_x, hidden_group_size_y, hidden_group_size_z, hidden_remainder_x, hidden_remainder_y, hidden_remainder_z, hidden_grid_dims, hidden_heap_v1, hidden_dynamic_lds_size, hidden_private_base, hidden_shared_base, hidden_queue_ptr",
        ),
        (
            ".value_kind: by_value",
            ".is_pipe: true, .value_kind: by_value",
            "warning: amdhsa.kernels[0].args[1].is_pipe: is only for arguments of kind pipe",
        ),
        (
            ".value_kind: by_value",
            ".pointee_align: 3, .value_kind: dynamic_shared_pointer",
            "error: amdhsa.kernels[0].args[1].pointee_align: 3 is no power of two",
        ),
        (
            "_space: global",
            "_space: globe",
            "error: amdhsa.kernels[0].args[0].address_space: `globe` is none of private, global, constant, local, generic, region",
        ),
        (
            ".offset: 16",
            ".offset: 17",
            "error: amdhsa.kernels[0].args[3].offset: 8 bytes at 17 are beyond .kernarg_segment_size, 24",
        ),
        (".name: p", ".nam: p", "warning: amdhsa.kernels[0].args[0].nam: is no key of the specification"),
        (
            ".name: p",
            "nam: p",
            "warning: amdhsa.kernels[0].args[0].nam: is no key of the specification and has no vendor's prefix",
        ),
        (".name: p", "acme.name: p", ""),
    ] {
        assert_eq!(violations(from, to, V5), expected, "{from} → {to}");
    }
}

#[test]
fn versions_differ() {
    use AbiVersion::*;
    assert_eq!(
        violations("[1, 2]", "[1, 0]", V3),
        "warning: amdhsa.target: is a key of code object V4 and later
warning: amdhsa.kernels[0].uses_dynamic_stack: is a key of code object V5 and later
warning: amdhsa.kernels[0].workgroup_processor_mode: is a key of code object V5 and later
warning: amdhsa.kernels[0].args[2].value_kind: `hidden_block_count_x` is of code object V5 and later"
    );
    let both = violations("hidden_block_count_x", "hidden_hostcall_buffer", V4);
    assert!(both.contains("error: amdhsa.kernels[0].args[2].value_kind: hidden_printf_buffer and"), "{both}");
    assert_eq!(violations("hidden_block_count_x", "hidden_hostcall_buffer", V5), "");
}

#[test]
fn mistakes_without_end_are_cut_short() {
    let value = Value::Map([("amdhsa.printf".to_owned(), Value::Seq(vec![Value::Nil; 100_000]))].into());
    assert!(validate(&value, AbiVersion::V5).len() < 1000);
}

#[test]
fn metadata_of_amdpal_are_read_shown_and_validated() {
    let object = CodeObject::parse(&objects::data("pal.o")).unwrap();
    let found: Vec<String> = object.violations.iter().map(ToString::to_string).collect();
    // LLVM alone writes no hash: the driver's compiler adds it.
    assert_eq!(found, ["error: amdpal.pipelines[0].internal_pipeline_hash: is missing"]);
    let tree = object.metadata_tree.as_ref().unwrap();
    let text = inspect::inspect(&object);
    for line in [
        "code object of amdpal, relocatable",
        "note AMD NT_AMD_HSA_ISA_NAME, 30 bytes\n  amdgcn-unknown-amdpal--gfx1030",
        "0x2c0a (SPI_SHADER_PGM_RSRC1_PS): \"0x",
        "        .entry_point_symbol: main_ps",
        "R_AMDGPU_ABS32_HI        callee+0x0",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }

    let mut tree = tree.clone();
    let Value::Map(root) = &mut tree else { panic!("{tree:?}") };
    let Some(Value::Seq(pipelines)) = root.get_mut("amdpal.pipelines") else { panic!("{tree:?}") };
    let Value::Map(pipeline) = &mut pipelines[0] else { panic!("{pipelines:?}") };
    let text = |text: &str| Value::String(text.to_owned());
    pipeline.insert(
        ".internal_pipeline_hash".to_owned(),
        Value::Seq(vec![Value::Uint(1), Value::Uint(u64::MAX)]),
    );
    pipeline.insert(".type".to_owned(), text("Vs"));
    pipeline.insert(".api_create_info".to_owned(), Value::Binary(vec![1, 2]));
    pipeline.insert(".uses_viewport_array_index".to_owned(), Value::Uint(1));
    pipeline.insert(
        ".registers".to_owned(),
        Value::IntMap([(0x2e40, Value::Uint(0x1000_0000)), (1, text("x"))].into()),
    );
    let shader = Value::Map([(".hardware_mapping".to_owned(), Value::Seq(vec![text(".xs")]))].into());
    pipeline.insert(".shaders".to_owned(), Value::Map([(".pixel".to_owned(), shader)].into()));
    let found: Vec<String> =
        pal::validate(&tree).iter().map(|violation| violation.error.to_string()).collect();
    assert_eq!(
        found,
        [
            "amdpal.pipelines[0].type: `Vs` is none of VsPs, Gs, Cs, Ngg, Tess, GsTess, NggTess",
            "amdpal.pipelines[0].shaders.pixel.api_shader_hash: is missing",
            "amdpal.pipelines[0].shaders.pixel.hardware_mapping[0]: `.xs` is none of .ls, .hs, .es, .gs, .vs, .ps, .cs",
            "amdpal.pipelines[0].registers[0x1]: expected an integer, found a string",
            "amdpal.pipelines[0].uses_viewport_array_index: expected a boolean, found an integer",
        ]
    );
    assert!(pal::to_yaml(&tree).contains("0x2e40 (COMPUTE_USER_DATA_0): 0x10000000 (GlobalTable)"));
    assert_eq!(Value::from_message_pack(&tree.to_message_pack()), Ok(tree));
}

#[test]
fn what_cannot_be_typed_is_shown_and_not_run() {
    let mut file = objects::second();
    let at = file.windows(11).position(|window| window == b".vgpr_count").unwrap();
    file[at + 1] = b'V';
    let error = CodeObject::parse(&file).unwrap_err().to_string();
    assert!(error.ends_with("metadata: amdhsa.kernels[0].vgpr_count: is missing"), "{error}");
    let object = CodeObject::parse_leniently(&file).unwrap();
    assert_eq!(object.metadata, None);
    assert!(inspect::inspect(&object).contains("\n  error: amdhsa.kernels[0].vgpr_count: is missing\n"));
}
