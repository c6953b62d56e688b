//! Results of vector instructions, worked out from the manual's pseudo-code and functional examples.

use wavemark_isa::{OutMod, SdwaSel, SdwaUnused};

use super::*;

/// Run `mnemonic` with sources of these (width in dwords, value) in VGPRs, the same in all lanes; returns the
/// destination of `rows` dwords. Lanes that are off must stay as they were.
fn eval_with(
    machine: Machine,
    mnemonic: &str,
    rows: u8,
    sources: &[(u8, u64)],
    mods: Mods,
    old: u64,
    mode_raw: u32,
) -> u64 {
    let mut wave = Wave::new(machine);
    wave.regs.set_mode(mode(machine, mode_raw));
    let mut operands = vec![vreg(40, rows)];
    for (i, &(width, value)) in sources.iter().enumerate() {
        let n = 4 * i as u16 + 2;
        wave.set_v(n, |_| value as u32);
        wave.set_v(n + 1, |_| (value >> 32) as u32);
        operands.push(vreg(n, width));
    }
    wave.set_v(40, |_| old as u32);
    wave.set_v(41, |_| (old >> 32) as u32);
    wave.set_exec(0x00ff_0ff0_a5a5_1234);
    let op = wave.bind(mnemonic, &operands, mods).unwrap_or_else(|e| panic!("{mnemonic}: {e}"));
    // SAFETY: bound for this wave and this host.
    unsafe { (op.body)(&mut wave.regs, &op) };
    let exec = wave.regs.exec();
    let result = wave.v64(40, 2);
    for lane in 0..wave.regs.lanes() {
        let want = if exec >> lane & 1 != 0 { result } else { old };
        assert_eq!(wave.v64(40, lane), want, "{mnemonic}: lane {lane}");
    }
    if rows == 1 { result & 0xffff_ffff } else { result }
}

fn plain() -> Mods {
    Mods { op_sel_hi: 7, ..Mods::default() }
}

/// 32-bit sources and result.
fn check(machine: Machine, mnemonic: &str, sources: &[u32], want: u32) {
    let sources: Vec<(u8, u64)> = sources.iter().map(|&x| (1, u64::from(x))).collect();
    let got = eval_with(machine, mnemonic, 1, &sources, plain(), 0x1111_1111, 0x3f0) as u32;
    assert_eq!(got, want, "{mnemonic} {sources:x?}: got {got:#x}, want {want:#x}");
}

fn check_both(mnemonic: &str, sources: &[u32], want: u32) {
    check(GFX950, mnemonic, sources, want);
    check(GFX1250, mnemonic, sources, want);
}

/// Any widths.
fn check_wide(mnemonic: &str, rows: u8, sources: &[(u8, u64)], want: u64) {
    for machine in [GFX950, GFX1250] {
        let got = eval_with(machine, mnemonic, rows, sources, plain(), 0x1111_1111_2222_2222, 0x3f0);
        assert_eq!(got, want, "{mnemonic} {sources:x?}: got {got:#x}, want {want:#x}");
    }
}

fn check_clamp(machine: Machine, mnemonic: &str, sources: &[u32], want: u32) {
    let list: Vec<(u8, u64)> = sources.iter().map(|&x| (1, u64::from(x))).collect();
    let got = eval_with(machine, mnemonic, 1, &list, Mods { clamp: true, ..plain() }, 0, 0x3f0) as u32;
    assert_eq!(got, want, "{mnemonic} clamp {sources:x?}: got {got:#x}, want {want:#x}");
}

const fn f(x: f32) -> u32 {
    x.to_bits()
}

#[test]
fn integers() {
    check_both("v_add_u32", &[0xffff_ffff, 2], 1);
    check_both("v_sub_u32", &[1, 2], 0xffff_ffff);
    check_both("v_subrev_u32", &[1, 5], 4);
    check_clamp(GFX950, "v_add_u32", &[0xffff_ffff, 2], 0xffff_ffff);
    check_clamp(GFX1250, "v_sub_nc_u32", &[1, 2], 0);
    check_clamp(GFX1250, "v_add_nc_i32", &[0x7fff_ffff, 2], 0x7fff_ffff);
    check_clamp(GFX950, "v_sub_i32", &[0x8000_0000, 1], 0x8000_0000);
    check_both("v_lshlrev_b32", &[33, 3], 6);
    check_both("v_lshrrev_b32", &[36, 0x80], 8);
    check_both("v_ashrrev_i32", &[31, 0x8000_0000], 0xffff_ffff);
    check_both("v_mul_hi_u32", &[0xffff_ffff, 0xffff_ffff], 0xffff_fffe);
    check_both("v_mul_hi_i32", &[0xffff_ffff, 5], 0xffff_ffff);
    check_both("v_mul_u32_u24", &[0xff00_0003, 0xab00_0005], 15);
    check_both("v_mul_i32_i24", &[0x00ff_ffff, 7], (-7i32) as u32);
    check_both("v_mul_hi_i32_i24", &[0x0080_0000, 0x0080_0000], 0x4000);
    check_both("v_mad_u32_u24", &[3, 4, 5], 17);
    check_both("v_lshl_add_u32", &[3, 34, 1], 13);
    check_both("v_add_lshl_u32", &[3, 4, 1], 14);
    check_both("v_med3_i32", &[5, 0xffff_ffff, 3], 3);
    check_both("v_med3_u32", &[5, 0xffff_ffff, 3], 5);
    check_both("v_min3_i32", &[5, 0xffff_ffff, 3], 0xffff_ffff);
    check_both("v_xad_u32", &[5, 3, 10], 16);
    check_both("v_sad_u8", &[0x0102_0304, 0x0403_0201, 10], 10 + 3 + 1 + 1 + 3);
    check_both("v_sad_hi_u8", &[0x0102_0304, 0x0403_0201, 10], 10 + (8 << 16));
    check_both("v_msad_u8", &[0x0102_0304, 0x0403_0001, 10], 10 + 3 + 1 + 3);
    check_both("v_sad_u16", &[0x0001_0005, 0x0003_0001, 1], 7);
    check_both("v_lerp_u8", &[0x0100_ff03, 0x0200_ff04, 0x0100_0001], 0x0200_ff04);
    check(GFX1250, "v_minmax_i32", &[5, 9, 7], 7);
    check(GFX1250, "v_maxmin_u32", &[5, 9, 7], 7);
    check_wide("v_lshlrev_b64", 2, &[(1, 65), (2, 0x8000_0000)], 0x1_0000_0000);
    check_wide("v_ashrrev_i64", 2, &[(1, 4), (2, 0x8000_0000_0000_0000)], 0xf800_0000_0000_0000);
    check_wide("v_lshl_add_u64", 2, &[(2, 0xffff_ffff), (1, 4), (2, 1)], 0xf_ffff_fff1);
    check_wide("v_lshl_add_u64", 2, &[(2, 3), (1, 5), (2, 1)], 4);
    check_wide("v_mov_b64", 2, &[(2, 0x1234_5678_9abc_def0)], 0x1234_5678_9abc_def0);
}

#[test]
fn bits() {
    check_both("v_bfe_u32", &[0xabcd_1234, 8, 12], 0xd12);
    check_both("v_bfe_u32", &[0xabcd_1234, 28, 12], 0xa);
    check_both("v_bfe_i32", &[0xabcd_1234, 16, 8], 0xffff_ffcd);
    check_both("v_bfe_i32", &[0x8000_0000, 30, 8], 0xffff_fffe);
    check_both("v_bfi_b32", &[0xff00_ff00, 0x1234_5678, 0x9abc_def0], 0x12bc_56f0);
    check_both("v_bfm_b32", &[4, 8], 0xf00);
    check_both("v_bfrev_b32", &[1], 0x8000_0000);
    check_both("v_bcnt_u32_b32", &[0xff, 3], 11);
    check(GFX950, "v_ffbh_u32", &[0], 0xffff_ffff);
    check(GFX1250, "v_clz_i32_u32", &[0x0000_cccc], 16);
    check(GFX950, "v_ffbh_i32", &[0x7fff_ffff], 1);
    check(GFX1250, "v_cls_i32", &[0xffff_ffff], 0xffff_ffff);
    check(GFX950, "v_ffbl_b32", &[0x8000_0000], 31);
    check_both("v_alignbit_b32", &[0x1, 0x8000_0000, 31], 3);
    check_both("v_alignbyte_b32", &[0x1122_3344, 0x5566_7788, 1], 0x4455_6677);
    // Selects: byte 0 of S1, byte 7 (top of S0), sign of byte 1, constants.
    check_both("v_perm_b32", &[0x8122_3344, 0x5566_f788, 0x0008_0700], 0x88ff_8188);
    check_both("v_perm_b32", &[0x8122_3344, 0x5566_f788, 0x0c0d_0b0a], 0x00ff_ff00);
    check_both("v_and_or_b32", &[0xf0, 0x3c, 1], 0x31);
    check_both("v_prng_b32", &[0x8000_0001], 2 ^ 197);
    for machine in [GFX950, GFX1250] {
        // D[i] = table[S0[i] S1[i] S2[i]]: each of the eight combinations in one bit of the sources.
        for table in [0x40u16, 0x54, 0x14, 0xe4, 0x96, 0xca, 0xff, 0, 0x80, 1] {
            let mods = Mods { control: table, ..plain() };
            let got =
                eval_with(machine, "v_bitop3_b32", 1, &[(1, 0xf0), (1, 0xcc), (1, 0xaa)], mods, 0, 0x3f0)
                    as u32;
            assert_eq!(got & 0xff, u32::from(table));
            assert_eq!(got >> 8, if table & 1 != 0 { 0xff_ffff } else { 0 });
        }
    }
}

#[test]
fn two_input_truth_tables_and_packed_moves() {
    // VOPD's bitop2 is bitop3 with a third source of 0: xor is 0x14, or 0x54, and 0x40.
    for (table, want) in [(0x14, 0x3c), (0x54, 0xfc), (0x40, 0xc0)] {
        let mods = Mods { control: table, ..plain() };
        let got = eval_with(GFX1250, "v_dual_bitop2_b32", 1, &[(1, 0xf0), (1, 0xcc)], mods, 0, 0x3f0);
        assert_eq!(got as u32, want);
    }
    let (a, b) = (0x2222_2222_1111_1111, 0x4444_4444_3333_3333);
    for (op_sel, want) in
        [(0, 0x3333_3333_1111_1111u64), (1, 0x3333_3333_2222_2222), (2, 0x4444_4444_1111_1111)]
    {
        let mods = Mods { op_sel, ..plain() };
        let got = eval_with(GFX950, "v_pk_mov_b32", 2, &[(2, a), (2, b)], mods, 0, 0x3f0);
        assert_eq!(got, want, "op_sel {op_sel}");
    }
}

#[test]
fn single_precision() {
    check_both("v_add_f32", &[f(1.5), f(2.25)], f(3.75));
    check_both("v_subrev_f32", &[f(1.5), f(2.25)], f(0.75));
    check_both("v_add_f32", &[0x7f80_0000, 0xff80_0000], 0x7fc0_0000);
    check_both("v_add_f32", &[0x7f80_0001, f(1.0)], 0x7fc0_0001);
    check_both("v_mul_f32", &[1, f(0.5)], 0);
    check_both("v_mul_f32", &[3, f(0.5)], 2);
    check_both("v_mul_f32", &[0x0080_0000, f(0.5)], 0x0040_0000);
    // One rounding: (1 + 2^-12)^2 - 1 - 2^-11 = 2^-24.
    check_both("v_fma_f32", &[0x3f80_0800, 0x3f80_0800, f(-1.0 - 1.0 / 2048.0)], 0x3380_0000);
    check(GFX950, "v_max_f32", &[0x8000_0000, 0], 0);
    check(GFX950, "v_max_f32", &[0x7fc0_0001, f(2.0)], f(2.0));
    check(GFX950, "v_max_f32", &[0x7f80_0001, f(2.0)], 0x7fc0_0001);
    check(GFX1250, "v_max_num_f32", &[0x7f80_0001, f(2.0)], f(2.0));
    check(GFX1250, "v_min_num_f32", &[0, 0x8000_0000], 0x8000_0000);
    check(GFX1250, "v_maximum_f32", &[f(2.0), 0x7fc0_0001], 0x7fc0_0001);
    check(GFX950, "v_med3_f32", &[f(3.0), f(1.0), f(2.0)], f(2.0));
    check_both("v_exp_f32", &[0xff80_0000], 0);
    check_both("v_exp_f32", &[0x8000_0000], f(1.0));
    check_both("v_exp_f32", &[f(10.0)], f(1024.0));
    check_both("v_log_f32", &[f(8.0)], f(3.0));
    check_both("v_log_f32", &[0], 0xff80_0000);
    check_both("v_rcp_f32", &[0xff80_0000], 0x8000_0000);
    check_both("v_rcp_f32", &[0xc000_0000], 0xbf00_0000);
    check_both("v_rcp_f32", &[0x8000_0000], 0xff80_0000);
    check_both("v_sqrt_f32", &[f(9.0)], f(3.0));
    check_both("v_rsq_f32", &[f(4.0)], f(0.5));
    check_both("v_sin_f32", &[f(0.25)], f(1.0));
    check_both("v_cos_f32", &[f(0.5)], f(-1.0));
    check_both("v_floor_f32", &[f(-1.5)], f(-2.0));
    check_both("v_rndne_f32", &[f(2.5)], f(2.0));
    check_both("v_fract_f32", &[f(-0.25)], f(0.75));
    check_both("v_ldexp_f32", &[f(1.5), 4], f(24.0));
    check_both("v_frexp_exp_i32_f32", &[f(8.0)], 4);
    check_both("v_frexp_mant_f32", &[f(8.0)], f(0.5));
    check_both("v_cubeid_f32", &[f(1.0), f(-3.0), f(2.0)], f(3.0));
    check_both("v_cubema_f32", &[f(1.0), f(-3.0), f(2.0)], f(-6.0));
    check_both("v_div_fixup_f32", &[f(0.5), f(0.0), f(1.0)], 0x7f80_0000);
    check_both("v_div_fixup_f32", &[f(0.5), f(0.0), f(0.0)], 0xffc0_0000);
    check(GFX950, "v_mul_legacy_f32", &[0, 0x7f80_0000], 0);
    check(GFX1250, "v_mul_dx9_zero_f32", &[0x7fc0_0000, 0x8000_0000], 0);
    check_wide(
        "v_pk_mul_f32",
        2,
        &[(2, 0x4000_0000_4040_0000), (2, 0x4080_0000_4000_0000)],
        0x4100_0000_40c0_0000,
    );
}

#[test]
fn modes_of_single_precision() {
    let run = |mnemonic: &str, sources: &[u32], raw: u32| {
        let list: Vec<(u8, u64)> = sources.iter().map(|&x| (1, u64::from(x))).collect();
        eval_with(GFX950, mnemonic, 1, &list, plain(), 0, raw) as u32
    };
    // 1 + 2^-30 up, down, to zero, to nearest.
    assert_eq!(run("v_add_f32", &[f(1.0), 0x3080_0000], 0x3f1), 0x3f80_0001);
    assert_eq!(run("v_add_f32", &[f(1.0), 0x3080_0000], 0x3f2), 0x3f80_0000);
    assert_eq!(run("v_add_f32", &[f(-1.0), 0xb080_0000], 0x3f2), 0xbf80_0001);
    assert_eq!(run("v_add_f32", &[f(-1.0), 0xb080_0000], 0x3f3), 0xbf80_0000);
    assert_eq!(run("v_add_f32", &[f(1.0), 0x3080_0000], 0x3f0), 0x3f80_0000);
    // Denormals flushed: inputs (bit 4 clear), outputs (bit 5 clear).
    assert_eq!(run("v_add_f32", &[1, 1], 0x3c0), 0);
    assert_eq!(run("v_add_f32", &[0x8000_0001, 0x8000_0001], 0x3c0), 0x8000_0000);
    assert_eq!(run("v_mul_f32", &[0x0080_0000, f(0.5)], 0x3d0), 0);
    assert_eq!(run("v_mul_f32", &[0x0040_0000, f(2.0)], 0x3e0), 0);
    assert_eq!(run("v_cvt_f32_i32", &[0x7fff_ffff], 0x3f3), 0x4eff_ffff);
    // Without IEEE a signalling NaN is no different.
    assert_eq!(run("v_max_f32", &[0x7f80_0001, f(2.0)], 0x1f0), f(2.0));
}

#[test]
fn half_precision() {
    check(GFX950, "v_add_f16", &[0xaaaa_3c00, 0xbbbb_4000], 0x4200);
    // The other half of the destination stays on gfx1250.
    check(GFX1250, "v_add_f16", &[0xaaaa_3c00, 0xbbbb_4000], 0x1111_4200);
    check_both("v_pk_add_f16", &[0x3c00_4000, 0x4000_bc00], 0x4200_3c00);
    check_both("v_pk_mul_f16", &[0x0001_7bff, 0x3800_4000], 0x0000_7c00);
    // (1 + 2^-10)^2 - (1 + 2^-9): one rounding leaves 2^-20.
    check_both("v_pk_fma_f16", &[0x3c01_3c00, 0x3c01_3c00, 0xbc02_3c00], 0x0010_4000);
    check_both("v_pk_add_f16", &[0x7c00_7c01, 0xfc00_3c00], 0x7e00_7e01);
    check(GFX950, "v_max_f16", &[0x3c00, 0x4000], 0x4000);
    check(GFX950, "v_rcp_f16", &[0x4000], 0x3800);
    check(GFX950, "v_cvt_f16_f32", &[f(1.5)], 0x3e00);
    check_both("v_cvt_f32_f16", &[0x3e00], f(1.5));
    check_both("v_cvt_pk_f16_f32", &[f(1.5), f(-2.0)], 0xc000_3e00);
    check_both("v_cvt_pk_bf16_f32", &[f(1.5), 0x3f80_8001], 0x3f81_3fc0);
    check(GFX950, "v_cvt_pkrtz_f16_f32", &[f(2049.0), f(-65520.0)], 0xfbff_6800);
    check(GFX1250, "v_pk_add_bf16", &[0x3f80_4000, 0x3f80_4000], 0x4000_4080);
    check_both("v_pack_b32_f16", &[0x1_3c00, 0x2_4000], 0x4000_3c00);
    check(GFX950, "v_ldexp_f16", &[0x3c00, 3], 0x4800);
}

#[test]
fn register_halves() {
    use wavemark_isa::Half::{Hi, Lo};
    let mut wave = Wave::new(GFX1250);
    wave.set_v(1, |_| 0x4000_3c00);
    wave.set_v(0, |_| 0xaaaa_bbbb);
    wave.run("v_add_f16", &[vh(0, Hi), vh(1, Hi), vh(1, Lo)]);
    assert_eq!(wave.v(0, 7), 0x4200_bbbb);
    wave.run("v_mov_b16", &[vh(0, Lo), vh(0, Hi)]);
    assert_eq!(wave.v(0, 7), 0x4200_4200);
    wave.set_v(0, |_| 0x1111_3c00);
    wave.run("v_fmac_f16", &[vh(0, Lo), vh(1, Hi), vh(1, Hi)]);
    assert_eq!(wave.v(0, 7), 0x1111_4500);
    wave.run("v_cvt_f32_f16", &[v(3), vh(1, Hi)]);
    assert_eq!(wave.v(3, 7), f(2.0));
    wave.run("v_cvt_f16_f32", &[vh(3, Hi), v(3)]);
    assert_eq!(wave.v(3, 7), 0x4000_0000);
    wave.run("v_swap_b16", &[vh(3, Hi), vh(1, Lo)]);
    assert_eq!((wave.v(3, 7), wave.v(1, 7)), (0x3c00_0000, 0x4000_4000));
    wave.run("v_cmp_eq_f16", &[VCC, vh(1, Lo), vh(1, Hi)]);
    assert_eq!(wave.regs.vcc(), 0xffff_ffff);
}

#[test]
fn sixteen_bit_integers() {
    check(GFX950, "v_add_u16", &[0x1_ffff, 2], 1);
    check(GFX1250, "v_add_nc_u16", &[0x1_ffff, 2], 0x1111_0001);
    check_clamp(GFX950, "v_add_u16", &[0x1_ffff, 2], 0xffff);
    check_both("v_pk_add_u16", &[0x0001_ffff, 0x0002_0001], 0x0003_0000);
    check_clamp(GFX950, "v_pk_add_i16", &[0x7fff_8000, 0x0001_ffff], 0x7fff_8000);
    check_both("v_pk_mad_i16", &[0xffff_0002, 0x0003_0004, 0x0001_0001], 0xfffe_0009);
    check_both("v_pk_lshlrev_b16", &[0x0011_0004, 0x8001_0101], 0x0002_1010);
    check_both("v_pk_ashrrev_i16", &[0x0004_0004, 0x8000_7000], 0xf800_0700);
    check_both("v_mad_u32_u16", &[0x5_0003, 0x6_0004, 7], 19);
    check_both("v_mad_i32_i16", &[0xffff, 4, 7], 3);
    check(GFX950, "v_lshrrev_b16", &[4, 0xf_00f0], 0xf);
    check(GFX950, "v_sat_pk_u8_i16", &[0x0100_ff00], 0xff00);
    check(GFX1250, "v_sat_pk_u8_i16", &[0x0100_ff00], 0x1111_ff00);
}

#[test]
fn double_precision() {
    let d = |x: f64| x.to_bits();
    check_wide("v_add_f64", 2, &[(2, d(1.5)), (2, d(2.0))], d(3.5));
    check_wide("v_mul_f64", 2, &[(2, d(1.5)), (2, d(-2.0))], d(-3.0));
    check_wide("v_fma_f64", 2, &[(2, d(1.5)), (2, d(-2.0)), (2, d(10.0))], d(7.0));
    check_wide("v_add_f64", 2, &[(2, d(f64::INFINITY)), (2, d(f64::NEG_INFINITY))], 0x7ff8_0000_0000_0000);
    check_wide("v_rcp_f64", 2, &[(2, d(4.0))], d(0.25));
    check_wide("v_ldexp_f64", 2, &[(2, d(1.0)), (1, 3)], d(8.0));
    check_wide("v_floor_f64", 2, &[(2, d(-0.5))], d(-1.0));
    check_wide("v_cvt_f64_i32", 2, &[(1, 0xffff_fffe)], d(-2.0));
    check_wide("v_cvt_f64_f32", 2, &[(1, u64::from(f(1.5)))], d(1.5));
    check_wide("v_cvt_f32_f64", 1, &[(2, d(1.5))], u64::from(f(1.5)));
    check_wide("v_cvt_i32_f64", 1, &[(2, d(-7.9))], u64::from((-7i32) as u32));
    // The first 53 bits of 2/π.
    check_wide("v_trig_preop_f64", 2, &[(2, d(1.0)), (1, 0)], d(0.636_619_772_367_581_3));
}

#[test]
fn conversions() {
    check_both("v_cvt_i32_f32", &[f(-1.9)], 0xffff_ffff);
    check_both("v_cvt_i32_f32", &[f(3e9)], 0x7fff_ffff);
    check_both("v_cvt_u32_f32", &[f(-5.0)], 0);
    check_both("v_cvt_u32_f32", &[0x7fc0_0000], 0);
    check_both("v_cvt_f32_u32", &[0xffff_ffff], 0x4f80_0000);
    check_both("v_cvt_f32_ubyte2", &[0x00c8_0000], f(200.0));
    check_both("v_cvt_off_f32_i4", &[8], f(-0.5));
    check_both("v_cvt_pk_u8_f32", &[f(200.4), 1, 0x1122_3344], 0x1122_c844);
    check_both("v_cvt_pk_i16_i32", &[0x1_0000, 0xffff_0000], 0x8000_7fff);
    // FP8 (OCP): 1.0 is 0x38, 448 is 0x7e; BF8: 1.0 is 0x3c.
    check_both("v_cvt_pk_fp8_f32", &[f(1.0), f(448.0)], 0x1111_7e38);
    check_both("v_cvt_pk_bf8_f32", &[f(1.0), f(-2.0)], 0x1111_c03c);
    check_both("v_cvt_f32_fp8", &[0x38], f(1.0));
    check_both("v_cvt_f32_bf8", &[0xc0], f(-2.0));
    check_wide("v_cvt_pk_f32_fp8", 2, &[(1, 0x7e38)], u64::from(f(448.0)) << 32 | u64::from(f(1.0)));
    check_both("v_ashr_pk_u8_i32", &[0x1000, 0xffff_f000, 4], 0x1111_00ff);
    check(GFX950, "v_cvt_scalef32_f32_fp8", &[0x38, f(4.0)], f(4.0));
    check(GFX950, "v_cvt_scalef32_pk_fp8_f32", &[f(4.0), f(8.0), f(4.0)], 0x1111_4038);
    check(GFX950, "v_cvt_scalef32_pk_fp4_f32", &[f(1.0), f(6.0), f(1.0)], 0x1111_1172);
}

#[test]
fn dots() {
    check(GFX950, "v_dot4_i32_i8", &[0xff02_0301, 0x0102_0304, 10], (10 - 1 + 4 + 9 + 4) as u32);
    check(GFX950, "v_dot4_u32_u8", &[0xff02_0301, 0x0102_0304, 10], 10 + 255 + 4 + 9 + 4);
    check(GFX950, "v_dot2_f32_f16", &[0x3c00_4000, 0x4000_4000, f(1.0)], f(7.0));
    check(GFX950, "v_dot2_i32_i16", &[0xffff_0002, 0x0003_0004, 1], 6);
    check(GFX950, "v_dot8_u32_u4", &[0x1111_1111, 0x2222_2222, 1], 17);
    let mods = Mods { neg: 1, ..plain() };
    let got = eval_with(GFX1250, "v_dot4_i32_iu8", 1, &[(1, 0xff), (1, 0xff), (1, 0)], mods, 0, 0x3f0);
    assert_eq!(got as u32, (-255i32) as u32);
    // Mixed precision: f32, low half, high half; |x| by neg_hi, -x by neg.
    let mods = Mods { op_sel_hi: 6, op_sel: 4, neg: 1, neg_hi: 2, ..Mods::default() };
    let sources = [(1, u64::from(f(3.0))), (1, 0x1234_c000), (1, 0x4000_1234)];
    assert_eq!(eval_with(GFX1250, "v_fma_mix_f32", 1, &sources, mods, 0, 0x3f0) as u32, f(-4.0));
    assert_eq!(eval_with(GFX1250, "v_fma_mixhi_f16", 1, &sources, mods, 0x55, 0x3f0) as u32, 0xc400_0055);
}

#[test]
fn modifiers() {
    let run = |machine, mnemonic: &str, sources: &[u32], mods: Mods, old: u32| {
        let list: Vec<(u8, u64)> = sources.iter().map(|&x| (1, u64::from(x))).collect();
        eval_with(machine, mnemonic, 1, &list, mods, u64::from(old), 0x3f0) as u32
    };
    let g9 = GFX950;
    let g12 = GFX1250;
    assert_eq!(run(g9, "v_add_f32", &[f(1.0), f(2.0)], Mods { neg: 1, ..plain() }, 0), f(1.0));
    assert_eq!(run(g9, "v_add_f32", &[f(1.0), f(-2.0)], Mods { abs: 2, neg: 2, ..plain() }, 0), f(-1.0));
    assert_eq!(run(g12, "v_add_f32", &[f(1.0), f(2.0)], Mods { omod: OutMod::Mul4, ..plain() }, 0), f(12.0));
    assert_eq!(run(g12, "v_add_f32", &[f(1.0), f(2.0)], Mods { clamp: true, ..plain() }, 0), f(1.0));
    assert_eq!(run(g12, "v_add_f32", &[f(-1.0), f(-2.0)], Mods { clamp: true, ..plain() }, 0), 0);
    // Halves by op_sel: sources 0 high, destination high.
    let mods = Mods { op_sel: 0b1001, ..plain() };
    assert_eq!(run(g12, "v_add_f16", &[0x4000_0000, 0x3c00], mods, 0xaaaa_5555), 0x4200_5555);
    // Packed: low from high of source 0, high from low of source 1, negated high of source 0.
    let mods = Mods { op_sel: 1, op_sel_hi: 0b101, neg_hi: 1, ..Mods::default() };
    assert_eq!(run(g9, "v_pk_add_f16", &[0x4000_3c00, 0x0000_3c00], mods, 0), 0xbc00_4200);
    // SDWA: byte 1 of source 0 sign-extended, word 1 of source 1, into byte 2, the rest kept.
    let sdwa = wavemark_isa::Sdwa {
        dst_sel: SdwaSel::Byte2,
        dst_unused: SdwaUnused::Preserve,
        src0_sel: SdwaSel::Byte1,
        src1_sel: SdwaSel::Word1,
        sext: 1,
    };
    let mods = Mods { sdwa: Some(sdwa), ..plain() };
    assert_eq!(run(g9, "v_add_u32", &[0x0000_ff00, 0x0010_0000], mods, 0x1111_1111), 0x110f_1111);
    let pad = wavemark_isa::Sdwa { dst_sel: SdwaSel::Word1, dst_unused: SdwaUnused::Pad, ..sdwa };
    let mods = Mods { sdwa: Some(pad), ..plain() };
    assert_eq!(run(g9, "v_add_u32", &[0x0000_ff00, 0x0010_0000], mods, 0x1111_1111), 0x000f_0000);
}

#[test]
fn scalar_sources_and_constants() {
    let mut wave = Wave::new(GFX950);
    wave.regs.s[7] = 100;
    wave.set_v(1, |l| l);
    wave.run("v_add_u32", &[v(0), s(7), v(1)]);
    assert_eq!(wave.v(0, 63), 163);
    wave.run("v_add_u32", &[v(0), Operand::Int(-16), v(1)]);
    assert_eq!(wave.v(0, 1), 0xffff_fff1);
    wave.run("v_mul_f32", &[v(0), Operand::Float(248), lit(f(2.0))]);
    assert_eq!(wave.v(0, 0), f(std::f32::consts::FRAC_1_PI));
    wave.run("v_add_f16", &[v(0), Operand::Float(242), v(1)]);
    assert_eq!(wave.v(0, 0), 0x3c00);
    wave.run("v_pk_add_f16", &[v(0), Operand::Float(242), v(2)]);
    assert_eq!(wave.v(0, 0), 0x0000_3c00);
    wave.run("v_add_f64", &[vreg(4, 2), Operand::Float(244), lit(0x4008_0000)]);
    assert_eq!(wave.v64(4, 9), 5f64.to_bits());
    wave.run("v_lshlrev_b64", &[vreg(4, 2), Operand::Int(0), Operand::Int(-1)]);
    assert_eq!(wave.v64(4, 9), u64::MAX);
    wave.run("v_lshlrev_b64", &[vreg(4, 2), Operand::Int(0), lit(0x8000_0000)]);
    assert_eq!(wave.v64(4, 9), 0x8000_0000);
    wave.run("v_ashrrev_i64", &[vreg(4, 2), Operand::Int(0), lit(0x8000_0000)]);
    assert_eq!(wave.v64(4, 9), 0xffff_ffff_8000_0000);
    // A pair of SGPRs for packed f32: both on gfx950, the low one twice on gfx1250.
    for (machine, want) in [(GFX950, f(3.0)), (GFX1250, f(2.0))] {
        let mut wave = Wave::new(machine);
        wave.regs.s[8] = f(2.0);
        wave.regs.s[9] = f(3.0);
        wave.set_v(2, |_| f(1.0));
        wave.set_v(3, |_| f(1.0));
        wave.run("v_pk_mul_f32", &[vreg(0, 2), vreg(2, 2), s2(8)]);
        assert_eq!((wave.v(0, 3), wave.v(1, 3)), (f(2.0), want));
    }
    let mut wave = Wave::new(GFX950);
    wave.regs.scc = true;
    wave.run("v_mov_b32", &[v(0), Operand::Special(Special::Scc)]);
    assert_eq!(wave.v(0, 5), 1);
    wave.run("v_mov_b32", &[v(0), Operand::Special(Special::Execz)]);
    assert_eq!(wave.v(0, 5), 0);
}

#[test]
fn masks_and_carries() {
    for machine in [GFX950, GFX1250] {
        let mut wave = Wave::new(machine);
        let full = wave.regs.full_mask();
        wave.set_v(1, |l| l);
        wave.set_v(2, |_| 20);
        wave.set_exec(0x0f0f_ffff_ff00_ffff);
        wave.regs.set_s64(sindex::VCC, u64::MAX);
        wave.run("v_cmp_lt_u32", &[VCC, v(1), v(2)]);
        // Inactive lanes give 0.
        assert_eq!(wave.regs.vcc(), 0xf_ffff & 0xff00_ffff & full);
        if machine == GFX1250 {
            assert_eq!(wave.regs.s[sindex::VCC as usize + 1], u32::MAX, "wave32 leaves vcc_hi alone");
        }
        wave.regs.set_s64(10, 0x5555_5555_5555_5555);
        wave.set_v(3, |_| 1);
        wave.set_v(4, |_| 2);
        wave.set_v(0, |_| 77);
        wave.run("v_cndmask_b32", &[v(0), v(3), v(4), s2(10)]);
        assert_eq!((wave.v(0, 0), wave.v(0, 1), wave.v(0, 17)), (2, 1, 77));
        // Carry out and in.
        wave.set_exec(u64::MAX);
        wave.set_v(5, |l| if l % 2 == 0 { u32::MAX } else { 0 });
        wave.run("v_add_co_u32", &[v(6), VCC, v(5), v(3)]);
        assert_eq!(wave.regs.vcc(), 0x5555_5555_5555_5555 & full);
        wave.run("v_add_co_ci_u32", &[v(7), VCC, v(5), v(3), VCC]);
        assert_eq!((wave.v(7, 0), wave.v(7, 1)), (1, 1));
        assert_eq!(wave.regs.vcc(), 0x5555_5555_5555_5555 & full);
        wave.run("v_subb_co_u32", &[v(7), VCC, v(5), v(3), VCC]);
        assert_eq!((wave.v(7, 0), wave.v(7, 1)), (u32::MAX - 2, u32::MAX));
        assert_eq!(wave.regs.vcc(), 0xaaaa_aaaa_aaaa_aaaa & full);
        // The 32-bit form leaves VCC out of the operands.
        wave.run("v_cmp_eq_u32", &[v(1), v(2)]);
        assert_eq!(wave.regs.vcc(), 1 << 20);
        // Compares that write EXEC.
        wave.set_exec(0xff0);
        match machine == GFX950 {
            true => wave.run("v_cmpx_gt_u32", &[s2(12), v(1), Operand::Int(7)]),
            false => wave.run("v_cmpx_gt_u32", &[v(1), Operand::Int(7)]),
        }
        assert_eq!(wave.regs.exec(), 0xf00);
        assert!(!wave.regs.full);
        if machine == GFX950 {
            assert_eq!(wave.regs.s64(12), 0xf00);
        }
        wave.set_exec(u64::MAX);
        wave.set_v(8, |l| [f(1.0), 0x7fc0_0000, 0x8000_0000, 1][l as usize % 4]);
        wave.run("v_cmp_class_f32", &[VCC, v(8), lit(1 << 1 | 1 << 7)]);
        assert_eq!(wave.regs.vcc(), 0xaaaa_aaaa_aaaa_aaaa & full);
        wave.run("v_cmp_nlt_f32", &[VCC, v(8), Operand::Int(0)]);
        assert_eq!(wave.regs.vcc(), full);
        wave.run("v_cmp_u_f32", &[VCC, v(8), v(8)]);
        assert_eq!(wave.regs.vcc(), 0x2222_2222_2222_2222 & full);
    }
}

#[test]
fn division_steps_give_the_quotient() {
    for (a, b) in [(1.0f32, 3.0f32), (7.5, -0.3), (1e-38, 3.0), (3e38, 1e-3), (5.0, 1e38)] {
        let mut wave = Wave::new(GFX950);
        wave.set_v(0, |_| f(a));
        wave.set_v(1, |_| f(b));
        // The sequence that compilers emit for a / b.
        wave.run("v_div_scale_f32", &[v(2), s2(20), v(1), v(1), v(0)]);
        wave.run("v_div_scale_f32", &[v(3), VCC, v(0), v(1), v(0)]);
        wave.run("v_rcp_f32", &[v(4), v(2)]);
        let neg = Mods { neg: 1, ..plain() };
        wave.run_with("v_fma_f32", &[v(5), v(2), v(4), Operand::Float(242)], neg);
        wave.run("v_fma_f32", &[v(4), v(5), v(4), v(4)]);
        wave.run("v_mul_f32", &[v(6), v(3), v(4)]);
        wave.run_with("v_fma_f32", &[v(7), v(2), v(6), v(3)], neg);
        wave.run("v_fma_f32", &[v(6), v(7), v(4), v(6)]);
        wave.run_with("v_fma_f32", &[v(7), v(2), v(6), v(3)], neg);
        wave.run("v_div_fmas_f32", &[v(8), v(7), v(4), v(6)]);
        wave.run("v_div_fixup_f32", &[v(8), v(8), v(1), v(0)]);
        assert_eq!(f32::from_bits(wave.v(8, 11)), a / b, "{a} / {b}");
    }
}

#[test]
fn pairs_read_before_they_write() {
    use wavemark_isa::Inst;
    let row = Table::of(GFX1250).by_mnemonic("v_dual_mov_b32").next().unwrap().id;
    let half = |operands: &[Operand]| Inst {
        row,
        form: Form::VopdX,
        operands: SmallVec::from_slice(operands),
        mods: plain(),
        second: None,
        size: 8,
    };
    // Each pair: X, Y, and what v0 to v3 (at first 10, 11, 12, 13) hold afterwards.
    let cases = [
        ([v(0), v(1)], [v(1), v(0)], [11, 10, 12, 13]),
        ([v(0), v(1)], [v(2), v(0)], [11, 11, 10, 13]),
        ([v(0), v(1)], [v(1), v(3)], [11, 13, 12, 13]),
        // X's neighbour is Y's destination, and each reads the other's.
        ([v(2), v(3)], [v(3), v(2)], [10, 11, 13, 12]),
    ];
    for (x, y, want) in cases {
        let mut wave = Wave::new(GFX1250);
        for n in 0..4 {
            wave.set_v(n, |_| 10 + u32::from(n));
        }
        let (first, second) = (half(&x), half(&y));
        let Some(Definition::Alu(def)) = meaning::definition(wavemark_isa::Meaning::V_MOV_B32) else {
            panic!()
        };
        let mut binder = Binder::new(GFX1250, wave.layout, VgprMsb(0), &first, 0x1000, &mut wave.constants);
        let op = super::super::pair::bind(&mut binder, def, &second).unwrap();
        // SAFETY: bound for this wave and this host.
        unsafe { (op.body)(&mut wave.regs, &op) };
        assert_eq!([0, 1, 2, 3].map(|n| wave.v(n, 9)), want);
    }
}
