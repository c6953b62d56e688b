//! What people read: inspection, YAML, bundles and source lines.

use expect_test::expect;
use wavemark_codeobj::bundle::{self, Bundle};
use wavemark_codeobj::inspect::{inspect, inspect_bundle, inspect_bundle_json, inspect_json};
use wavemark_codeobj::lines::LineTable;
use wavemark_codeobj::link::link_files;
use wavemark_codeobj::*;
use wavemark_target::TargetId;

use crate::objects;

#[test]
fn inspect_says_everything() {
    let object = CodeObject::parse(&objects::with_lines()).unwrap();
    expect![[r#"
        code object V5, relocatable, 1752 bytes
        target: gfx1250
        e_flags: 0x00000549

        sections:
          index type      address            offset     size       flags align name
              0 NULL      0x0000000000000000 0x00000000 0x00000000           0 
              1 PROGBITS  0x0000000000000000 0x00000100 0x00000008 AX      256 .text
              2 PROGBITS  0x0000000000000000 0x00000140 0x00000040 A        64 .rodata
              3 PROGBITS  0x0000000000000000 0x00000180 0x0000003f           1 .debug_line
              4 NOTE      0x0000000000000000 0x000001c0 0x0000019c A         4 .note
              5 RELA      0x0000000000000000 0x00000360 0x00000018 I         8 .rela.rodata
              6 RELA      0x0000000000000000 0x00000378 0x00000018 I         8 .rela.debug_line
              7 SYMTAB    0x0000000000000000 0x00000390 0x00000060           8 .symtab
              8 STRTAB    0x0000000000000000 0x000003f0 0x00000008           1 .strtab
              9 STRTAB    0x0000000000000000 0x000003f8 0x00000059           1 .shstrtab

        symbols:
          value              size       type    binding visible   section          name
          0x0000000000000000 0x00000000 section local   default   .text            
          0x0000000000000000 0x00000008 func    global  protected .text            k
          0x0000000000000000 0x00000040 object  global  protected .rodata          k.kd

        relocations of .rodata:
          0x0000000000000010 R_AMDGPU_REL64           k+0x10

        relocations of .debug_line:
          0x0000000000000028 R_AMDGPU_ABS64           .text+0x0

        note AMDGPU NT_AMDGPU_METADATA, 390 bytes

        metadata:
        ---
        amdhsa.kernels:
          - .args:
              - .offset: 0
                .size: 8
                .value_kind: global_buffer
              - .offset: 8
                .size: 4
                .value_kind: hidden_block_count_x
            .cluster_dims:
              - 2
              - 2
              - 1
            .group_segment_fixed_size: 0
            .kernarg_segment_align: 8
            .kernarg_segment_size: 16
            .max_flat_workgroup_size: 1024
            .name: k
            .private_segment_fixed_size: 0
            .sgpr_count: 0
            .symbol: k.kd
            .vgpr_count: 0
            .wavefront_size: 32
        amdhsa.target: amdgcn-amd-amdhsa--gfx1250
        amdhsa.version:
          - 1
          - 2
        ...

        kernel k (descriptor at 0x0):
          GROUP_SEGMENT_FIXED_SIZE                       0
          PRIVATE_SEGMENT_FIXED_SIZE                     0
          KERNARG_SIZE                                   16
          KERNEL_CODE_ENTRY_BYTE_OFFSET                  0
          GRANULATED_WORKITEM_VGPR_COUNT                 0
          PRIORITY                                       0
          FLOAT_ROUND_MODE_32                            0
          FLOAT_ROUND_MODE_16_64                         0
          FLOAT_DENORM_MODE_32                           0
          FLOAT_DENORM_MODE_16_64                        3
          PRIV                                           0
          ENABLE_WG_RR_EN                                0
          DEBUG_MODE                                     0
          DISABLE_PERF                                   0
          BULKY                                          0
          CDBG_USER                                      0
          FP16_OVFL                                      0
          FLAT_SCRATCH_IS_NV                             0
          MEM_ORDERED                                    1
          FWD_PROGRESS                                   1
          ENABLE_PRIVATE_SEGMENT                         0
          USER_SGPR_COUNT                                0
          ENABLE_SGPR_WORKGROUP_ID_X                     1
          ENABLE_SGPR_WORKGROUP_ID_Y                     0
          ENABLE_SGPR_WORKGROUP_ID_Z                     0
          ENABLE_SGPR_WORKGROUP_INFO                     0
          ENABLE_VGPR_WORKITEM_ID                        0
          ENABLE_EXCEPTION_ADDRESS_WATCH                 0
          ENABLE_EXCEPTION_MEMORY                        0
          GRANULATED_LDS_SIZE                            0
          ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION 0
          ENABLE_EXCEPTION_FP_DENORMAL_SOURCE            0
          ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO  0
          ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW          0
          ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW         0
          ENABLE_EXCEPTION_IEEE_754_FP_INEXACT           0
          ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO            0
          INST_PREF_SIZE                                 0
          GLG_EN                                         0
          NAMED_BAR_CNT                                  0
          ENABLE_DYNAMIC_VGPR                            0
          TCP_SPLIT                                      0
          ENABLE_DIDT_THROTTLE                           0
          IMAGE_OP                                       0
          ENABLE_SGPR_DISPATCH_PTR                       0
          ENABLE_SGPR_QUEUE_PTR                          0
          ENABLE_SGPR_KERNARG_SEGMENT_PTR                1
          ENABLE_SGPR_DISPATCH_ID                        0
          ENABLE_SGPR_PRIVATE_SEGMENT_SIZE               0
          ENABLE_WAVEFRONT_SIZE32                        1
          USES_DYNAMIC_STACK                             0
          KERNARG_PRELOAD_SPEC_LENGTH                    0
          KERNARG_PRELOAD_SPEC_OFFSET                    0
          = wave32, 16 VGPRs, 128 SGPRs, 0 user SGPRs, LDS at most 327680 bytes
    "#]]
    .assert_eq(&inspect(&object));
}

#[test]
fn inspect_says_segments_and_dynamic_relocations() {
    let (a, b) = (objects::first(), objects::second());
    let object = CodeObject::parse(&link_files([a.as_slice(), b.as_slice()]).unwrap()).unwrap();
    let text = inspect(&object);
    let part = |title: &str| text.split("\n\n").find(|part| part.starts_with(title)).unwrap().to_owned();
    expect![[r#"
        segments:
          type      offset     address            file       memory     flags align
          PHDR      0x00000040 0x0000000000000040 0x000001f8 0x000001f8 R     0x8
          LOAD      0x00000000 0x0000000000000000 0x00000748 0x00000748 R     0x1000
          LOAD      0x00000800 0x0000000000001800 0x00000208 0x00000208 RX    0x1000
          LOAD      0x00000a08 0x0000000000002a08 0x000000b8 0x000005f8 RW    0x1000
          LOAD      0x00000ac0 0x0000000000003ac0 0x00000010 0x00003010 RW    0x1000
          DYNAMIC   0x00000a08 0x0000000000002a08 0x000000b0 0x000000b0 RW    0x8
          RELRO     0x00000a08 0x0000000000002a08 0x000000b8 0x000005f8 R     0x1
          STACK     0x00000000 0x0000000000000000 0x00000000 0x00000000 RW    0x0
          NOTE      0x00000238 0x0000000000000238 0x000002d8 0x000002d8 R     0x4"#]]
    .assert_eq(&part("segments"));
    expect![[r#"
        dynamic relocations (.rela.dyn):
          0x0000000000002ab8 R_AMDGPU_RELATIVE64      +0x1a00
          0x0000000000003ac0 R_AMDGPU_RELATIVE64      +0x1a08"#]]
    .assert_eq(&part("dynamic relocations"));
    expect![[r#"
        dynamic symbols:
          value              size       type    binding visible   section          name
          0x0000000000001800 0x00000014 func    global  protected .text            k1
          0x00000000000006c0 0x00000040 object  global  protected .rodata          k1.kd
          0x0000000000001900 0x00000004 func    global  protected .text            k2
          0x0000000000000700 0x00000040 object  global  protected .rodata          k2.kd
          0x0000000000001a00 0x00000008 func    global  protected .text            callee
          0x0000000000003ad0 0x00000000 object  global  default   .bss             zeros"#]]
    .assert_eq(&part("dynamic symbols"));
}

#[test]
fn lines_of_relocatable_and_linked_files() {
    let file = objects::with_lines();
    let lookup = |object: &CodeObject, at: u64| {
        let lines = LineTable::build(object).unwrap();
        lines.lookup(at).map(|l| format!("{}:{}:{}", l.file, l.line, l.column))
    };
    let linked = CodeObject::parse(&link_files([file.as_slice()]).unwrap()).unwrap();
    let entry = linked.symbol("k").unwrap().value;
    for (object, base) in [(&CodeObject::parse(&file).unwrap(), 0), (&linked, entry)] {
        assert_eq!(lookup(object, base).as_deref(), Some("a.s:3:0"));
        assert_eq!(lookup(object, base + 3).as_deref(), Some("a.s:3:0"));
        assert_eq!(lookup(object, base + 4).as_deref(), Some("a.s:4:7"));
        assert_eq!(lookup(object, base + 8), None);
    }
    assert_eq!(lookup(&linked, 0), None);
}

const YAML: &str = "
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1250
amdhsa.kernels:
  - .name:            gemm
    .symbol:          gemm.kd
    .kernarg_segment_size: 0x18
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 20
    .vgpr_count: 32
    .max_flat_workgroup_size: 256
    .cluster_dims: [2, 2, 1]
    .my_key: {a: [true, -1, 'x: y']}
    .args:
      - .address_space: global
        .name: 'true'
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .actual_access: read_only
      - .offset: 8
        .size: 4
        .value_kind: hidden_block_count_x
...
";

#[test]
fn yaml_is_read_and_written() {
    let metadata = Metadata::from_yaml(YAML).unwrap();
    let kernel = metadata.kernel("gemm").unwrap();
    assert_eq!(kernel.kernarg_segment_size, 24);
    assert_eq!(kernel.args[0].name.as_deref(), Some("true"));
    assert_eq!(kernel.args[0].actual_access, Some(metadata::Access::ReadOnly));
    assert!(kernel.args[1].value_kind.is_hidden());
    assert_eq!(kernel.other.len(), 1);
    let yaml = metadata.to_yaml();
    assert_eq!(Metadata::from_yaml(&yaml).unwrap(), metadata);
    assert_eq!(Metadata::from_message_pack(&metadata.to_message_pack()).unwrap(), metadata);
    expect![[r#"
        amdhsa.kernels:
          - .args:
              - .actual_access: read_only
                .address_space: global
                .name: "true"
                .offset: 0
                .size: 8
                .value_kind: global_buffer
              - .offset: 8
                .size: 4
                .value_kind: hidden_block_count_x
            .cluster_dims:
              - 2
              - 2
              - 1
            .group_segment_fixed_size: 1024
            .kernarg_segment_align: 8
            .kernarg_segment_size: 24
            .max_flat_workgroup_size: 256
            .my_key:
              a:
                - true
                - -1
                - "x: y"
            .name: gemm
            .private_segment_fixed_size: 0
            .sgpr_count: 20
            .symbol: gemm.kd
            .vgpr_count: 32
            .wavefront_size: 32
        amdhsa.target: amdgcn-amd-amdhsa--gfx1250
        amdhsa.version:
          - 1
          - 2
    "#]]
    .assert_eq(&yaml);
}

#[test]
fn wrong_metadata_is_named() {
    let error = |from: &str, to: &str| Metadata::from_yaml(&YAML.replace(from, to)).unwrap_err().to_string();
    expect!["1:1: amdhsa.kernels[0].vgpr_count: is missing"].assert_eq(&error("    .vgpr_count: 32\n", ""));
    expect!["1:1: amdhsa.kernels[0].args[1].size: expected an integer, found a string"]
        .assert_eq(&error(".size: 4", ".size: four"));
    expect!["1:1: amdhsa.kernels[0].args[0].address_space: `globe` is no address space"]
        .assert_eq(&error(".address_space: global", ".address_space: globe"));
    expect!["1:1: amdhsa.kernels[0].cluster_dims: expected 3 integers, found 2"]
        .assert_eq(&error("[2, 2, 1]", "[2, 2]"));
    expect!["1:1: amdhsa.kernels[0].wavefront_size: 8589934592 is beyond 32 bits"]
        .assert_eq(&error(".wavefront_size: 32", ".wavefront_size: 8589934592"));
    expect![[r#"6:3: "-" is only valid inside a block at line 6, column 3"#]]
        .assert_eq(&error("amdhsa.kernels:", "amdhsa.kernels: ["));
}

#[test]
fn bundles_list_and_give_back() {
    let object = objects::second();
    let entries: [(&str, &[u8]); 3] = [
        ("host-x86_64-unknown-linux-gnu-", b""),
        ("hipv4-amdgcn-amd-amdhsa--gfx942:xnack-", b"not this"),
        ("hipv4-amdgcn-amd-amdhsa--gfx1250", &object),
    ];
    let plain = bundle::write(&entries);
    for (bytes, first) in [(plain.clone(), "plain"), (objects::compressed(&plain), "compressed")] {
        assert!(bundle::is_bundle(&bytes));
        let bundle = Bundle::parse(&bytes).unwrap();
        assert_eq!(bundle.entries.len(), 3, "{first}");
        for (entry, (id, data)) in bundle.entries.iter().zip(entries) {
            assert_eq!((entry.id.as_str(), bundle.data(entry)), (id, data), "{first}");
        }
        let device: TargetId = "gfx1250".parse().unwrap();
        let entry = bundle.select(&device).unwrap();
        assert_eq!(CodeObject::parse(bundle.data(entry)).unwrap().target(), device);
        assert_eq!(entry.kind(), "hipv4");
        assert!(bundle.select(&"gfx942:xnack+".parse().unwrap()).is_err());
        assert!(bundle.select(&"gfx942:xnack-".parse().unwrap()).is_ok());
    }
    expect![[r#"
        offload bundle, compressed (CCOB version 2, zlib), 10184 bytes unpacked, the hash does not match
              0x1000          0  host-x86_64-unknown-linux-gnu-
              0x1000          8  hipv4-amdgcn-amd-amdhsa--gfx942:xnack-
              0x2000       1992  hipv4-amdgcn-amd-amdhsa--gfx1250
    "#]]
    .assert_eq(&inspect_bundle(&Bundle::parse(&objects::compressed(&plain)).unwrap()));
}

#[test]
fn errors_say_where_and_what() {
    let file = objects::second();
    let error = |at: usize, byte: u8| {
        let mut damaged = file.clone();
        damaged[at] = byte;
        CodeObject::parse(&damaged).unwrap_err().to_string()
    };
    expect!["at byte 0x0: expected the ELF magic 7f 45 4c 46, found [00, 45, 4c, 46]"]
        .assert_eq(&error(0, 0));
    expect!["at byte 0x4: expected 2 (ELFCLASS64), found 1"].assert_eq(&error(4, 1));
    expect!["at byte 0x7: expected the OS ABI 64 (amdhsa), 65 (amdpal), 66 (mesa3d) or 0, found 67"]
        .assert_eq(&error(7, 67));
    expect!["at byte 0x8: expected the ABI version 0, found 3"].assert_eq(&error(7, 65));
    expect!["at byte 0x30: e_flags 0x00000549 has bits set that mean nothing in code object V3: 0x00000400"]
        .assert_eq(&error(8, 0));
    expect!["at byte 0x12: expected 224 (EM_AMDGPU), found 3"].assert_eq(&error(18, 3));
    expect!["at byte 0x10: expected 1 (ET_REL) or 3 (ET_DYN), found 4"].assert_eq(&error(16, 4));
    expect!["at byte 0x30: e_flags has the unknown EF_AMDGPU_MACH value 0x27"].assert_eq(&error(48, 0x27));
    expect!["at byte 0x3e: expected a section index below 10, found 200"].assert_eq(&error(62, 200));
    expect!["at byte 0x548: the section headers: 640 bytes needed, 0 left"]
        .assert_eq(&CodeObject::parse(&file[..100]).unwrap_err().to_string());
    expect!["at byte 0x0: the ELF identification: 16 bytes needed, 0 left"]
        .assert_eq(&CodeObject::parse(b"").unwrap_err().to_string());
}

#[test]
fn json_says_what_the_text_says() {
    let object = CodeObject::parse(&objects::with_lines()).unwrap();
    let json = inspect_json(&object);
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    expect!["kind size file_type os code_object_version target e_flags generic_version segments sections symbols dynamic_symbols relocations notes metadata violations kernels v2_kernels"].assert_eq(&keys.join(" "));
    expect![[r#"{"index":1,"name":".text","type":"PROGBITS","address":"0x0","offset":"0x100","size":8,"flags":"AX","align":256}"#]]
        .assert_eq(&json["sections"][1].to_string());
    expect![[r#"{"name":"k","value":"0x0","size":8,"type":"func","binding":"global","visibility":"protected","section":".text"}"#]]
        .assert_eq(&json["symbols"][1].to_string());
    expect![[r#"{"section":".rodata","held_in":".rela.rodata","entries":[{"offset":"0x10","type":"R_AMDGPU_REL64","symbol":"k","addend":"0x10"}]}"#]]
        .assert_eq(&json["relocations"][0].to_string());
    expect![[r#"{"name":"AMDGPU","type":"NT_AMDGPU_METADATA","size":390,"text":null,"error":null}"#]]
        .assert_eq(&json["notes"][0].to_string());
    expect![[r#"[0,8]"#]]
        .assert_eq(&serde_json_list(&json["metadata"]["amdhsa.kernels"][0][".args"], ".offset"));
    let kernel = &json["kernels"][0];
    assert_eq!(
        kernel["fields"].as_object().unwrap().len(),
        4 + object.kernels[0].descriptor.fields().count()
    );
    assert_eq!((kernel["wave_size"].as_u64(), kernel["agprs_from"].is_null()), (Some(32), true));
}

fn serde_json_list(list: &serde_json::Value, key: &str) -> String {
    let values = list.as_array().unwrap().iter().map(|entry| entry[key].clone());
    serde_json::Value::from_iter(values).to_string()
}

#[test]
fn json_of_a_bundle_has_what_was_looked_into() {
    let plain =
        bundle::write(&[("host-x86_64-unknown-linux-gnu-", b""), ("hip-amdgcn-amd-amdhsa--gfx942", b"abc")]);
    let parsed = Bundle::parse(&plain).unwrap();
    let json = inspect_bundle_json(&parsed, |index| (index == 1).then(|| "seen".into()));
    assert!(json["compression"].is_null());
    assert!(json["entries"][0]["code_object"].is_null());
    assert_eq!(json["entries"][1]["code_object"], "seen");
    assert_eq!(json["entries"][1]["size"], 3);
}
