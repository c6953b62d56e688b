//! Scalar instructions: results, SCC, EXEC, branches.

use super::*;

/// `(result, SCC)` of an instruction on 32-bit sources.
fn eval(machine: Machine, mnemonic: &str, sources: &[u32], scc: bool, old: u32) -> (u32, bool) {
    let mut wave = Wave::new(machine);
    wave.regs.scc = scc;
    wave.regs.s[30] = old;
    let mut operands = vec![s(30)];
    for (i, x) in sources.iter().enumerate() {
        wave.regs.s[i + 2] = *x;
        operands.push(s(i as u16 + 2));
    }
    wave.run(mnemonic, &operands);
    (wave.regs.s[30], wave.regs.scc)
}

fn check(mnemonic: &str, sources: &[u32], want: (u32, bool)) {
    for machine in [GFX950, GFX1250] {
        assert_eq!(eval(machine, mnemonic, sources, false, 0), want, "{mnemonic} {sources:x?}");
    }
}

fn check64(mnemonic: &str, a: u64, b: u64, want: (u64, bool)) {
    let mut wave = Wave::new(GFX950);
    wave.regs.set_s64(2, a);
    wave.regs.set_s64(4, b);
    let one = ["s_not", "s_brev", "s_wqm", "s_quadmask"].iter().any(|p| mnemonic.starts_with(p));
    let operands: &[Operand] = if one { &[s2(30), s2(2)] } else { &[s2(30), s2(2), s2(4)] };
    wave.run(mnemonic, operands);
    assert_eq!((wave.regs.s64(30), wave.regs.scc), want, "{mnemonic} {a:#x} {b:#x}");
}

#[test]
fn integers() {
    check("s_add_u32", &[0xffff_ffff, 1], (0, true));
    check("s_sub_u32", &[1, 2], (0xffff_ffff, true));
    check("s_add_i32", &[0x7fff_ffff, 1], (0x8000_0000, true));
    check("s_add_i32", &[0xffff_ffff, 1], (0, false));
    check("s_sub_i32", &[0x8000_0000, 1], (0x7fff_ffff, true));
    assert_eq!(eval(GFX950, "s_addc_u32", &[0xffff_ffff, 0], true, 0), (0, true));
    assert_eq!(eval(GFX950, "s_subb_u32", &[0, 0xffff_ffff], true, 0), (0, true));
    assert_eq!(eval(GFX950, "s_subb_u32", &[5, 2], true, 0), (2, false));
    check("s_lshl3_add_u32", &[0x2000_0000, 5], (5, true));
    check("s_lshl_b32", &[1, 33], (2, true));
    check("s_ashr_i32", &[0x8000_0000, 4], (0xf800_0000, true));
    check("s_and_b32", &[0xf0, 0x0f], (0, false));
    check("s_andn2_b32", &[0xff, 0x0f], (0xf0, true));
    check("s_min_i32", &[0xffff_ffff, 1], (0xffff_ffff, true));
    check("s_min_u32", &[0xffff_ffff, 1], (1, false));
    check("s_max_i32", &[1, 1], (1, true));
    check("s_absdiff_i32", &[2, 5], (3, true));
    check("s_absdiff_i32", &[0x8000_0000, 0xffff_ffff], (0x7fff_ffff, true));
    check("s_abs_i32", &[0xffff_fffe], (2, true));
    check("s_mul_hi_i32", &[0xffff_ffff, 2], (0xffff_ffff, false));
    check("s_bfe_u32", &[0xabcd_1234, 8 | 12 << 16], (0xd12, true));
    check("s_bfe_i32", &[0xabcd_1234, 16 | 8 << 16], (0xffff_ffcd, true));
    check("s_bfe_u32", &[0xabcd_1234, 32 << 16], (0xabcd_1234, true));
    check("s_bfe_i32", &[0x8000_0000, 30 | 2 << 16], (0xffff_fffe, true));
    check("s_bfm_b32", &[4, 8], (0xf00, false));
    check("s_bcnt1_i32_b32", &[0xff], (8, true));
    check("s_bcnt0_i32_b32", &[0xffff_ffff], (0, false));
    check("s_ff1_i32_b32", &[0], (0xffff_ffff, false));
    check("s_flbit_i32", &[0xffff_3333], (16, false));
    check("s_sext_i32_i8", &[0x80], (0xffff_ff80, false));
    check("s_pack_lh_b32_b16", &[0x1111_2222, 0x3333_4444], (0x3333_2222, false));
    check("s_quadmask_b32", &[0x0000_1001], (0b1001, true));
    check("s_wqm_b32", &[0x0000_1001], (0xf00f, true));
    check64("s_and_b64", 0xff << 32, 0xf0 << 32, (0xf0 << 32, true));
    check64("s_lshl_b64", 1, 36, (1 << 36, true));
    check64("s_ashr_i64", 1 << 63, 63, (u64::MAX, true));
    check64("s_bfe_u64", 0xabcd << 40, 40 | 16 << 16, (0xabcd, true));
    check64("s_bfe_i64", 0xabcd << 40, 40 | 16 << 16, (0xffff_ffff_ffff_abcd, true));
    check64("s_not_b64", u64::MAX, 0, (0, false));
}

#[test]
fn compares_moves_and_immediates() {
    let mut wave = Wave::new(GFX950);
    wave.regs.s[2] = 0xffff_ffff;
    wave.run("s_cmp_lt_i32", &[s(2), Operand::Int(0)]);
    assert!(wave.regs.scc);
    wave.run("s_cmp_lt_u32", &[s(2), Operand::Int(0)]);
    assert!(!wave.regs.scc);
    wave.run("s_cmpk_eq_i32", &[s(2), Operand::Imm(-1)]);
    assert!(wave.regs.scc);
    wave.run("s_cmpk_eq_u32", &[s(2), Operand::Imm(0xffff)]);
    assert!(!wave.regs.scc);
    wave.run("s_bitcmp1_b32", &[s(2), Operand::Int(33)]);
    assert!(wave.regs.scc);
    wave.run("s_movk_i32", &[s(3), Operand::Imm(0xfffe)]);
    assert_eq!(wave.regs.s[3] as i32, -2);
    wave.run("s_addk_i32", &[s(3), Operand::Imm(5)]);
    assert_eq!((wave.regs.s[3], wave.regs.scc), (3, false));
    wave.run("s_mulk_i32", &[s(3), Operand::Imm(-7)]);
    assert_eq!(wave.regs.s[3] as i32, -21);
    wave.regs.scc = true;
    wave.run("s_cselect_b32", &[s(4), Operand::Int(1), Operand::Int(2)]);
    assert_eq!(wave.regs.s[4], 1);
    wave.run("s_cmov_b32", &[s(4), Operand::Int(9)]);
    assert_eq!(wave.regs.s[4], 9);
    wave.regs.scc = false;
    wave.run("s_cmov_b32", &[s(4), Operand::Int(10)]);
    assert_eq!(wave.regs.s[4], 9);
    wave.run("s_bitset1_b64", &[s2(6), lit(40)]);
    assert_eq!(wave.regs.s64(6), 1 << 40);
    wave.run("s_mov_b64", &[s2(6), Operand::Int(-1)]);
    assert_eq!(wave.regs.s64(6), u64::MAX);
    wave.run("s_mov_b32", &[Operand::Special(Special::Null), Operand::Int(5)]);
    wave.run("s_mov_b32", &[s(6), Operand::Special(Special::Null)]);
    assert_eq!(wave.regs.s[6], 0);
    wave.regs.scc = true;
    wave.run("s_mov_b32", &[s(6), Operand::Special(Special::Scc)]);
    assert_eq!(wave.regs.s[6], 1);
}

#[test]
fn exec_is_saved_and_its_flag_kept() {
    let mut wave = Wave::new(GFX950);
    wave.regs.set_s64(2, 0xff);
    wave.run("s_and_saveexec_b64", &[s2(4), s2(2)]);
    assert_eq!((wave.regs.s64(4), wave.regs.exec(), wave.regs.scc), (u64::MAX, 0xff, true));
    assert!(!wave.regs.full);
    wave.run("s_or_b64", &[Operand::Special(Special::Exec), Operand::Special(Special::Exec), s2(4)]);
    assert!(wave.regs.full);
    wave.run("s_andn2_wrexec_b64", &[s2(4), s2(2)]);
    assert_eq!((wave.regs.s64(4), wave.regs.scc), (0, false));
    let mut wave = Wave::new(GFX1250);
    wave.regs.s[2] = 0xff;
    wave.run("s_and_not0_saveexec_b32", &[s(4), s(2)]);
    assert_eq!((wave.regs.s[4], wave.regs.exec()), (u32::MAX, 0xffff_ff00));
    // Destination and source may be the same.
    wave.regs.s[4] = 0xf00;
    wave.run("s_and_saveexec_b32", &[s(4), s(4)]);
    assert_eq!((wave.regs.s[4], wave.regs.exec()), (0xffff_ff00, 0xf00));
}

#[test]
fn branches() {
    let mut wave = Wave::new(GFX950);
    // Instructions of the tests are 8 bytes long, at 0x1000.
    wave.run("s_branch", &[Operand::Imm(3)]);
    assert_eq!(wave.regs.pc, 0x1014);
    wave.run("s_cbranch_scc1", &[Operand::Imm(3)]);
    assert_eq!(wave.regs.pc, 0x1008);
    wave.regs.scc = true;
    wave.run("s_cbranch_scc1", &[Operand::Imm(-4)]);
    assert_eq!(wave.regs.pc, 0xff8);
    wave.run("s_cbranch_scc1", &[Operand::Imm(0xfffc)]);
    assert_eq!(wave.regs.pc, 0xff8);
    wave.run("s_cbranch_execz", &[Operand::Imm(1)]);
    assert_eq!(wave.regs.pc, 0x1008);
    wave.run("s_cbranch_vccz", &[Operand::Imm(1)]);
    assert_eq!(wave.regs.pc, 0x100c);
    wave.run("s_getpc_b64", &[s2(2)]);
    assert_eq!(wave.regs.s64(2), 0x1008);
    wave.regs.set_s64(2, 0x1234_5678_9abc);
    wave.run("s_swappc_b64", &[s2(4), s2(2)]);
    assert_eq!((wave.regs.s64(4), wave.regs.pc), (0x1008, 0x1234_5678_9abc));
    wave.run("s_call_b64", &[s2(4), Operand::Imm(2)]);
    assert_eq!((wave.regs.s64(4), wave.regs.pc), (0x1008, 0x1010));
    let op = wave.bind("s_branch", &[Operand::Imm(3)], Mods::default()).unwrap();
    assert_eq!(op.kind, crate::op::OpKind::Branch);
}

#[test]
fn floats() {
    let f = f32::to_bits;
    let run = |mnemonic: &str, sources: &[u32]| eval(GFX1250, mnemonic, sources, false, 0).0;
    assert_eq!(run("s_add_f32", &[f(1.5), f(2.0)]), f(3.5));
    assert_eq!(run("s_add_f32", &[0x7f80_0000, 0xff80_0000]), 0x7fc0_0000);
    assert_eq!(run("s_mul_f16", &[0x4000, 0x4200]), 0x4600);
    assert_eq!(run("s_cvt_f32_i32", &[0xffff_fff6]), f(-10.0));
    assert_eq!(run("s_cvt_u32_f32", &[f(10.9)]), 10);
    assert_eq!(run("s_cvt_hi_f32_f16", &[0x4000_0000]), f(2.0));
    assert_eq!(run("v_s_rcp_f32", &[f(4.0)]), f(0.25));
    let mut wave = Wave::new(GFX1250);
    wave.regs.s[2] = 0x7fc0_0000;
    wave.run("s_cmp_nlt_f32", &[s(2), s(2)]);
    assert!(wave.regs.scc);
    wave.regs.s[3] = f(2.0);
    wave.regs.s[4] = f(1.0);
    wave.run("s_fmac_f32", &[s(4), s(3), s(3)]);
    assert_eq!(wave.regs.s[4], f(5.0));
}
