//! What is refused, and by which name.

use wavemark_isa::{Inst, Operand};
use wavemark_target::Machine;

use super::{bind_all, inst};
use crate::modelled::machines::{GFX950, GFX1250};

fn check(machine: Machine, text: &str, change: impl Fn(&mut Inst), wanted: &str) {
    let mut inst = inst(machine, text);
    change(&mut inst);
    match bind_all(machine, &inst, 0) {
        Ok(_) => panic!("{text} is bound"),
        Err(error) => assert_eq!(error.to_string(), wanted, "{text}"),
    }
}

#[test]
fn undefined_and_meaningless_modifiers() {
    let mfma = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]";
    check(
        GFX950,
        &format!("{mfma} cbsz:1"),
        |_| {},
        "unsupported: v_mfma_f32_16x16x16_f16 cbsz:1, more than it has blocks",
    );
    check(
        GFX950,
        &format!("{mfma} abid:1"),
        |_| {},
        "unsupported: v_mfma_f32_16x16x16_f16 abid:1 with cbsz:0",
    );
    check(GFX950, &format!("{mfma} blgp:7"), |_| {}, "unsupported: v_mfma_f32_16x16x16_f16 blgp:7");
    check(GFX950, mfma, |inst| inst.mods.clamp = true, "unsupported: v_mfma_f32_16x16x16_f16 clamp");
    check(GFX950, mfma, |inst| inst.mods.neg = 1, "unsupported: v_mfma_f32_16x16x16_f16 neg");
    check(
        GFX950,
        "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3]",
        |inst| inst.mods.blgp = 5,
        "unsupported: v_mfma_f32_16x16x128_f8f6f4 blgp 5, a reserved data format",
    );
    let wmma = "v_wmma_f32_16x16x64_fp8_fp8 v[0:7], v[8:15], v[16:23], v[0:7]";
    check(
        GFX1250,
        wmma,
        |inst| inst.mods.neg = 1,
        "unsupported: v_wmma_f32_16x16x64_fp8_fp8 neg_lo of A or B",
    );
    check(
        GFX1250,
        wmma,
        |inst| inst.mods.neg_hi = 2,
        "unsupported: v_wmma_f32_16x16x64_fp8_fp8 neg_hi of A or B",
    );
    check(GFX1250, wmma, |inst| inst.mods.clamp = true, "unsupported: v_wmma_f32_16x16x64_fp8_fp8 clamp");
    check(
        GFX1250,
        "v_wmma_i32_16x16x64_iu8 v[0:7], v[8:15], v[16:23], v[0:7]",
        |inst| inst.mods.neg = 4,
        "unsupported: v_wmma_i32_16x16x64_iu8 neg_lo or neg_hi of C",
    );
    check(
        GFX1250,
        "v_swmmac_f32_16x16x64_f16 v[0:7], v[8:15], v[16:31], v40 index_key:1",
        |_| {},
        "unsupported: v_swmmac_f32_16x16x64_f16 index_key:1",
    );
}

#[test]
fn scales_that_are_not_legal() {
    let scale = "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[32:47], v[64:79], v[0:7], v1, v2";
    check(
        GFX1250,
        &format!("{scale} matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3"),
        |_| {},
        "unsupported: v_wmma_scale_f32_16x16x128_f8f6f4 with scales E8m0 of E4m3 and E4m3 of E4m3",
    );
    check(
        GFX1250,
        "v_wmma_scale_f32_32x16x128_f4 v[0:15], v[32:47], v[64:71], v[0:15], v1, v2 \
         matrix_a_scale:MATRIX_SCALE_ROW1",
        |_| {},
        "unsupported: v_wmma_scale_f32_32x16x128_f4 matrix_a_scale: all lanes hold scales",
    );
    check(GFX1250, "v_wmma_ld_scale_paired_b32 v0, v1", |_| {}, "unsupported: v_wmma_ld_scale_paired_b32");
}

#[test]
fn registers_that_are_not_there() {
    let mfma = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]";
    check(
        GFX950,
        mfma,
        |inst| inst.operands[1] = Operand::Off,
        "unsupported: v_mfma_f32_16x16x16_f16 with Some(Off) as operand 1",
    );
    let wmma = inst(GFX1250, "v_wmma_f32_16x16x4_f32 v[250:257], v[0:1], v[2:3], v[8:15]");
    // Numbers run on into the next bank, up to what is allocated.
    assert!(bind_all(GFX1250, &wmma, 0).is_ok());
    let error = bind_all(GFX1250, &wmma, 3 << 6).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "register v1025 is beyond the registers that the kernel allocates");
}

/// Instructions that are none of ours are left to others.
#[test]
fn other_instructions() {
    for (machine, text) in [(GFX950, "v_add_f32 v0, v1, v2"), (GFX1250, "s_nop 0")] {
        let inst = inst(machine, text);
        assert!(bind_all(machine, &inst, 0).is_err());
    }
}
