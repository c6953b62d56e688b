//! Code object V2: target, notes, kernels, metadata; read, shown and loaded.

use wavemark_codeobj::inspect::inspect;
use wavemark_codeobj::v2::IsaVersion;
use wavemark_codeobj::*;

use crate::objects;

#[test]
fn a_v2_object_reads_and_loads() {
    let object = CodeObject::parse(&objects::v2(objects::V2_YAML)).unwrap();
    assert_eq!(object.abi.code_object_version(), 2);
    assert_eq!(object.target().to_string(), "gfx900:xnack+");
    assert_eq!(object.violations, []);
    assert!(object.kernels.is_empty());
    let [kernel] = object.v2_kernels.as_slice() else { panic!("{:?}", object.v2_kernels) };
    assert_eq!(kernel.code.get("kernarg_segment_byte_size"), Some(24));
    assert_eq!(kernel.code.get("wavefront_size"), Some(6));

    let metadata = object.metadata.as_ref().unwrap().kernel("k").unwrap();
    assert_eq!((metadata.symbol.as_str(), metadata.sgpr_count, metadata.vgpr_count), ("k@kd", 8, 4));
    assert_eq!(metadata.reqd_workgroup_size, Some([64, 1, 1]));
    let args: Vec<_> =
        metadata.args.iter().map(|arg| (arg.offset, arg.size, arg.value_kind.clone())).collect();
    let expected = [
        (0, 8, ValueKind::GlobalBuffer),
        (8, 1, ValueKind::ByValue),
        (16, 8, ValueKind::HiddenMultigridSyncArg),
    ];
    assert_eq!(args, expected);

    let image = LoadedImage::load(&object, 0x10_0000).unwrap();
    let [kernel] = image.kernels.as_slice() else { panic!("{:?}", image.kernels) };
    assert_eq!(kernel.entry_vaddr, kernel.descriptor_vaddr + 256);
    assert_eq!(kernel.code_size, 4);
    assert_eq!(image.read(kernel.entry_vaddr, 4), Some(&0xbf81_0000u32.to_le_bytes()[..]));
    let descriptor = &kernel.descriptor;
    assert_eq!(descriptor.kernarg_size, 24);
    assert_eq!(descriptor.group_segment_fixed_size, 1024);
    assert_eq!(descriptor.private_segment_fixed_size, 16);
    assert_eq!(descriptor.get(Field::EnableSgprKernargSegmentPtr), Some(1));
    assert!(kernel.metadata.is_some());
}

#[test]
fn inspect_says_what_is_v2s_own() {
    let text = inspect(&CodeObject::parse(&objects::v2(objects::V2_YAML)).unwrap());
    for line in [
        "code object V2, shared object",
        "target: gfx900:xnack+",
        "note AMD NT_AMD_HSA_CODE_OBJECT_VERSION, 8 bytes\n  code object version 2.1",
        "note AMD NT_AMD_HSA_ISA_VERSION, 27 bytes\n  AMD:AMDGPU:9:0:1 = gfx900:xnack+",
        "note AMD NT_AMD_HSA_ISA_NAME, 31 bytes\n  amdgcn-amd-amdhsa--gfx900+xnack",
        "ValueKind: HiddenMultiGridSyncArg\n",
        "kernel  global  default   .text            k",
        "kernel k (amd_kernel_code_t at ",
        "\n    enable_sgpr_kernarg_segment_ptr              1\n",
        "\n  workgroup_group_segment_byte_size              0x400\n",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
}

#[test]
fn v2_metadata_are_validated_with_v2s_paths() {
    let violations = |from: &str, to: &str| {
        assert!(objects::V2_YAML.contains(from), "{from}");
        let yaml = objects::V2_YAML.replacen(from, to, 1);
        let object = CodeObject::parse(&objects::v2(&yaml)).unwrap();
        object.violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    for (from, to, expected) in [
        ("Version: [ 1, 0 ]", "Version: [ 1 ]", "error: Version: expected 2 integers, found 1"),
        ("Align: 1,", "", "error: Kernels[0].Args[1].Align: is missing"),
        ("Align: 1,", "Align: 3,", "error: Kernels[0].Args[1].Align: must be a power of two"),
        ("      NumVGPRs: 4\n", "", "error: Kernels[0].CodeProps.NumVGPRs: is missing"),
        (
            "WavefrontSize: 64",
            "WavefrontSize: 63",
            "error: Kernels[0].CodeProps.WavefrontSize: 63 is no power of two",
        ),
        (
            "[ 64, 1, 1 ]",
            "[ 64, 0, 1 ]",
            "error: Kernels[0].Attrs.ReqdWorkGroupSize: must be at least 1 in each dimension, or 0 in all",
        ),
        ("'1:1:4:%d\\n'", "'1:2:4:%d'", "error: Printf[0]: the size of argument 1 is missing"),
        ("    SymbolName: 'k@kd'\n", "", "error: Kernels[0].SymbolName: is missing"),
        (
            "ValueKind: ByValue",
            "IsConst: true, ValueKind: ByValue",
            "warning: Kernels[0].Args[1].IsConst: is only for arguments of kind global_buffer",
        ),
        ("Kernels:", "Kerneln:", "error: Kernels: is missing"),
    ] {
        assert_eq!(violations(from, to), expected);
    }
    assert!(
        violations("ValueKind: ByValue", "ValueKind: by_value")
            .starts_with("error: Kernels[0].Args[1].ValueKind: ")
    );
}

#[test]
fn a_target_that_v2_does_not_have_is_refused() {
    let mut file = objects::v2(objects::V2_YAML);
    let at = file.windows(7).position(|window| window == b"AMDGPU\0").unwrap() - 8;
    file[at] = 99;
    let error = CodeObject::parse(&file).unwrap_err().to_string();
    assert!(
        error.ends_with("expected an ISA version that code object V2 has, found AMD:AMDGPU:9:0:99"),
        "{error}"
    );
    let note = note::Note { name: "AMD".to_owned(), kind: 3, description: vec![4, 0, 7, 0, 9], offset: 100 };
    let error = IsaVersion::parse(&note).unwrap_err().to_string();
    assert_eq!(error, "at byte 0x68: the note NT_AMD_HSA_ISA_VERSION: 4 bytes needed, 1 left");
}
