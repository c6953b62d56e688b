//! Core files of AMD GPUs.

use expect_test::expect;
use wavemark_codeobj::core_file::{CoreFile, inspect, is_core};
use wavemark_codeobj::inspect::inspect_core_json;

use crate::objects;

#[test]
fn a_split_core_file_is_shown() {
    let file = objects::core();
    assert!(is_core(&file) && !is_core(&objects::second()));
    let core = CoreFile::parse(&file).unwrap();
    assert_eq!(core.snapshot.as_ref().unwrap().queues[0].get("queue_id"), Some(7));
    expect![[r#"
        core file, split layout, machine 224, 468 bytes
        OS ABI amdhsa, ABI version 3

        segments:
          type offset     address            file       memory     flags
          NOTE 0x000000b0 0x0000000000000000 0x00000104 0x00000104 R
          LOAD 0x000001b4 0x00007f0000000000 0x00000020 0x00000020 RW

        note AMDGPU NT_AMDGPU_KFD_CORE_STATE, 240 bytes
          driver interface 1.17, 1 agents, 1 queues
          runtime:
            r_debug                    0x1000
            runtime_state              0x1
            ttmp_setup                 0x1
          agent 0:
            exception_status           0x0
            lds_base                   0x0
            lds_limit                  0x0
            scratch_base               0x0
            scratch_limit              0x0
            gpuvm_base                 0x0
            gpuvm_limit                0x0
            gpu_id                     0x4321
            location_id                0x0
            vendor_id                  0x0
            device_id                  0x0
            revision_id                0x0
            subsystem_vendor_id        0x0
            subsystem_device_id        0x0
            fw_version                 0x0
            gfx_target_version         0x16122
            simd_count                 0x0
            max_waves_per_simd         0x0
            array_count                0x0
            simd_arrays_per_engine     0x0
            num_xcc                    0x8
            capability                 0x0
            debug_prop                 0x0
            = gfx942
          queue 0:
            exception_status           0x0
            ring_base_address          0x0
            write_pointer_address      0x0
            read_pointer_address       0x0
            ctx_save_restore_address   0x0
            queue_id                   0x7
            gpu_id                     0x4321
            ring_size                  0x0
            queue_type                 0x2
            ctx_save_restore_area_size 0x0
            reserved                   0x0
            8 bytes more
    "#]]
    .assert_eq(&inspect(&core));
    let json = inspect_core_json(&core);
    let snapshot = &json["snapshot"];
    assert_eq!(snapshot["agents"][0]["target"], "gfx942");
    assert_eq!(snapshot["queues"][0]["fields"]["gpu_id"], "0x4321");
    assert_eq!(snapshot["queues"][0]["bytes_more"], 8);
}

#[test]
fn a_damaged_snapshot_is_named() {
    let error = |at: usize, value: u8| {
        let mut file = objects::core();
        let start = file.windows(7).position(|window| window == b"AMDGPU\0").unwrap() + 8;
        file[start + at] = value;
        CoreFile::parse(&file).unwrap_err().to_string()
    };
    expect!["at byte 0xcc: expected a size that is a multiple of 8, found 15"].assert_eq(&error(8, 15));
    expect!["at byte 0xf4: the entries of the note NT_AMDGPU_KFD_CORE_STATE: 24000 bytes needed, 192 left"]
        .assert_eq(&error(16, 200));
    expect!["at byte 0x16c: expected the end of the note, found 72 bytes"].assert_eq(&error(24, 0));
    expect!["at byte 0xf4: expected 1 entries of some size, found 0 bytes each"].assert_eq(&error(20, 0));
    let mut file = objects::core();
    let at = file.windows(7).position(|window| window == b"AMDGPU\0").unwrap();
    file[at - 4] = 34;
    expect!["at byte 0x0: expected a note NT_AMDGPU_KFD_CORE_STATE in an AMDGPU core file, found none"]
        .assert_eq(&CoreFile::parse(&file).unwrap_err().to_string());
}
