//! Data movement between lanes: DPP controls, permutes, readlane and its kin.

use wavemark_isa::Dpp;

use super::*;

fn row(ctrl: u16, bound_ctrl: bool) -> Mods {
    let dpp = Dpp::Row { ctrl, row_mask: 15, bank_mask: 15, bound_ctrl, fi: false };
    Mods { dpp: Some(dpp), ..Mods::default() }
}

/// What `v_mov_b32_dpp` gives in each lane (the old value is 1000).
fn moved(machine: Machine, mods: Mods, exec: u64) -> Vec<u32> {
    let mut wave = Wave::new(machine);
    wave.set_v(1, |l| l);
    wave.set_v(0, |_| 1000);
    wave.set_exec(exec);
    wave.run_with("v_mov_b32", &[v(0), v(1)], mods);
    assert_eq!(wave.regs.exec(), exec & wave.regs.full_mask(), "EXEC is put back");
    (0..wave.regs.lanes()).map(|l| wave.v(0, l)).collect()
}

#[test]
fn dpp_rows() {
    let all = u64::MAX;
    for machine in [GFX950, GFX1250] {
        // quad_perm:[3,2,1,0]
        assert_eq!(moved(machine, row(0x1b, false), all)[..8], [3, 2, 1, 0, 7, 6, 5, 4]);
        // row_shl:1: the last lane of a row has no source.
        let d = moved(machine, row(0x101, false), all);
        assert_eq!((d[0], d[14], d[15], d[16]), (1, 15, 1000, 17));
        assert_eq!(moved(machine, row(0x101, true), all)[15], 0);
        // row_shr:2, row_ror:1
        assert_eq!(moved(machine, row(0x112, false), all)[..4], [1000, 1000, 0, 1]);
        assert_eq!(moved(machine, row(0x121, false), all)[..3], [15, 0, 1]);
        // row_mirror, row_half_mirror
        assert_eq!(moved(machine, row(0x140, false), all)[17], 30);
        assert_eq!(moved(machine, row(0x141, false), all)[9], 14);
        // row_newbcast:3 / row_share:3
        assert_eq!(moved(machine, row(0x153, false), all)[20], 19);
    }
    // row_bcast15 and row_bcast31, wave_shr:1, wave_rol:1
    let d = moved(GFX950, row(0x142, false), all);
    assert_eq!((d[3], d[16], d[40], d[63]), (1000, 15, 31, 47));
    let d = moved(GFX950, row(0x143, false), all);
    assert_eq!((d[31], d[32], d[63]), (1000, 31, 31));
    assert_eq!(moved(GFX950, row(0x138, false), all)[16], 15);
    assert_eq!(moved(GFX950, row(0x134, false), all)[63], 0);
    // row_xmask:5
    assert_eq!(moved(GFX1250, row(0x165, false), all)[18], 23);
}

#[test]
fn dpp_masks_and_inactive_sources() {
    // Lane 1 is off: lane 0, which would read it with row_shl:1, keeps its value or reads 0.
    let exec = !2u64;
    let d = moved(GFX950, row(0x101, false), exec);
    assert_eq!((d[0], d[1], d[2]), (1000, 1000, 3));
    assert_eq!(moved(GFX950, row(0x101, true), exec)[0], 0);
    let fi = Dpp::Row { ctrl: 0x101, row_mask: 15, bank_mask: 15, bound_ctrl: false, fi: true };
    let d = moved(GFX1250, Mods { dpp: Some(fi), ..Mods::default() }, exec);
    // CDNA5 table 41: with fetch-inactive, out of range reads 0.
    assert_eq!((d[0], d[1], d[15]), (1, 1000, 0));
    let masked = Dpp::Row { ctrl: 0x1b, row_mask: 0b10, bank_mask: 0b101, bound_ctrl: true, fi: false };
    let d = moved(GFX950, Mods { dpp: Some(masked), ..Mods::default() }, u64::MAX);
    assert_eq!((d[0], d[16], d[20], d[24], d[32]), (1000, 19, 1000, 27, 1000));
    let lanes8 = Dpp::Lanes8 { sel: 0o01234567, fi: false };
    let d = moved(GFX1250, Mods { dpp: Some(lanes8), ..Mods::default() }, exec);
    assert_eq!(d[..8], [7, 1000, 5, 4, 3, 2, 0, 0]);
    assert_eq!(d[8], 15);
}

#[test]
fn dpp_of_a_reduction_step() {
    let mut wave = Wave::new(GFX950);
    wave.set_v(0, |l| (l as f32).to_bits());
    wave.set_v(1, |l| (l as f32).to_bits());
    wave.run_with("v_add_f32", &[v(1), v(0), v(1)], row(0x111, false));
    assert_eq!(f32::from_bits(wave.v(1, 5)), 9.0);
    assert_eq!(f32::from_bits(wave.v(1, 16)), 16.0);
    // A compare: lanes without a source write 0.
    wave.run_with("v_cmp_lt_f32", &[VCC, v(0), v(0)], row(0x111, false));
    assert_eq!(wave.regs.vcc(), 0xfffe_fffe_fffe_fffe);
}

#[test]
fn lanes_and_scalars() {
    for machine in [GFX950, GFX1250] {
        let mut wave = Wave::new(machine);
        wave.set_v(1, |l| 100 + l);
        wave.set_exec(0xf0);
        wave.run("v_readfirstlane_b32", &[s(3), v(1)]);
        assert_eq!(wave.regs.s[3], 104);
        wave.set_exec(0);
        wave.run("v_readfirstlane_b32", &[s(3), v(1)]);
        assert_eq!(wave.regs.s[3], 100);
        wave.regs.s[4] = 64 + 9;
        wave.run("v_readlane_b32", &[s(3), v(1), s(4)]);
        assert_eq!(wave.regs.s[3], 109);
        wave.run("v_writelane_b32", &[v(1), Operand::Int(-5), Operand::Int(31)]);
        assert_eq!((wave.v(1, 31) as i32, wave.v(1, 30)), (-5, 130));
        wave.set_exec(u64::MAX);
        wave.run("v_mbcnt_lo_u32_b32", &[v(2), Operand::Int(-1), Operand::Int(0)]);
        assert_eq!((wave.v(2, 0), wave.v(2, 31)), (0, 31));
        wave.run("v_mbcnt_hi_u32_b32", &[v(2), Operand::Int(-1), v(2)]);
        for l in 0..wave.regs.lanes() {
            assert_eq!(wave.v(2, l), l);
        }
    }
}

#[test]
fn permutes() {
    let mut wave = Wave::new(GFX1250);
    wave.set_v(1, |l| l);
    wave.regs.s[0] = 0x8765_4321;
    wave.regs.s[1] = 0x0fed_cba9;
    wave.run("v_permlane16_b32", &[v(0), v(1), s(0), s(1)]);
    assert_eq!((wave.v(0, 0), wave.v(0, 15), wave.v(0, 16)), (1, 0, 17));
    wave.run("v_permlanex16_b32", &[v(0), v(1), s(0), s(1)]);
    assert_eq!((wave.v(0, 0), wave.v(0, 16)), (17, 1));
    wave.run("v_permlane_xor_b32", &[v(0), v(1), Operand::Int(3), Operand::Int(8)]);
    assert_eq!((wave.v(0, 0), wave.v(0, 9)), (3, 10));
    wave.run("v_permlane_down_b32", &[v(0), v(1), Operand::Int(3), Operand::Int(8)]);
    assert_eq!((wave.v(0, 4), wave.v(0, 5)), (7, 5));
    wave.run("v_permlane_up_b32", &[v(0), v(1), Operand::Int(3), Operand::Int(8)]);
    assert_eq!((wave.v(0, 2), wave.v(0, 11)), (2, 8));
    wave.run("v_permlane_bcast_b32", &[v(0), v(1), Operand::Int(3), Operand::Int(8)]);
    assert_eq!((wave.v(0, 2), wave.v(0, 20)), (3, 19));
    // Swaps.
    wave.set_v(2, |l| 100 + l);
    wave.set_v(3, |l| 200 + l);
    wave.run("v_permlane16_swap_b32", &[v(2), v(3)]);
    assert_eq!((wave.v(2, 3), wave.v(2, 20), wave.v(3, 3), wave.v(3, 20)), (103, 204, 119, 220));
    let mut wave = Wave::new(GFX950);
    wave.set_v(2, |l| 100 + l);
    wave.set_v(3, |l| 200 + l);
    wave.run("v_permlane32_swap_b32", &[v(2), v(3)]);
    assert_eq!((wave.v(2, 3), wave.v(2, 40), wave.v(3, 3), wave.v(3, 40)), (103, 208, 135, 240));
    wave.run("v_permlane16_swap_b32", &[v(4), v(2)]);
    assert_eq!((wave.v(4, 16), wave.v(2, 0), wave.v(2, 16)), (100, 0, 116));
    wave.set_exec(1);
    wave.run("v_swap_b32", &[v(3), v(2)]);
    assert_eq!((wave.v(3, 0), wave.v(3, 1)), (0, 133));
}

#[test]
fn relative_registers() {
    let mut wave = Wave::new(GFX1250);
    wave.set_v(17, |l| l + 5);
    wave.regs.s[sindex::M0 as usize] = 10;
    wave.run("v_movrels_b32", &[v(5), v(7)]);
    assert_eq!(wave.v(5, 3), 8);
    wave.regs.s[sindex::M0 as usize] = 20 << 16 | 10;
    wave.run("v_movrelsd_2_b32", &[v(5), v(7)]);
    assert_eq!(wave.v(25, 3), 8);
    wave.regs.s[sindex::M0 as usize] = 10;
    wave.regs.s[17] = 99;
    wave.run("s_movrels_b32", &[s(5), s(7)]);
    assert_eq!(wave.regs.s[5], 99);
}

#[test]
fn vgpr_indexing() {
    let mut wave = Wave::new(GFX950);
    for n in 0..16 {
        wave.set_v(n, |l| 100 * u32::from(n) + l);
    }
    wave.regs.s[2] = 5;
    // gpr_idx(SRC0), then gpr_idx(DST).
    wave.run("s_set_gpr_idx_on", &[s(2), Operand::Imm(1)]);
    wave.run("v_mov_b32", &[v(20), v(1)]);
    assert_eq!(wave.v(20, 7), 607);
    wave.run("s_set_gpr_idx_mode", &[Operand::Imm(8)]);
    wave.run("v_mov_b32", &[v(20), v(1)]);
    assert_eq!(wave.v(25, 7), 107);
    wave.run("s_set_gpr_idx_idx", &[Operand::Int(6)]);
    wave.run("v_add_u32", &[v(20), v(1), v(2)]);
    assert_eq!(wave.v(26, 7), 314);
    // Beyond the allocation nothing is written.
    wave.regs.s[2] = 60;
    wave.run("s_set_gpr_idx_on", &[s(2), Operand::Imm(8)]);
    wave.run("v_mov_b32", &[v(20), v(1)]);
    wave.run("s_set_gpr_idx_off", &[]);
    wave.run("v_mov_b32", &[v(20), v(1)]);
    assert_eq!(wave.v(20, 7), 107);
}
