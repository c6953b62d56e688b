//! Integer scalar instructions: arithmetic, shifts, logic, compares, moves; SCC as each one's manual entry says.

use super::def::Line;
use super::scalar::ScalarDef;
use crate::regs::sindex;

const ADD_U32: ScalarDef = salu_scc!(|a: u32, b: u32| -> u32 { a.overflowing_add(b) });
const SUB_U32: ScalarDef = salu_scc!(|a: u32, b: u32| -> u32 { a.overflowing_sub(b) });
const ADD_I32: ScalarDef = salu_scc!(|a: i32, b: i32| -> i32 { a.overflowing_add(b) });
const SUB_I32: ScalarDef = salu_scc!(|a: i32, b: i32| -> i32 { a.overflowing_sub(b) });
const ADDC: ScalarDef = salu_regs!(r |a: u32, b: u32| -> u32 {
    let sum = u64::from(a) + u64::from(b) + u64::from(r.scc);
    (sum as u32, Some(sum >> 32 != 0))
});
const SUBB: ScalarDef = salu_regs!(r |a: u32, b: u32| -> u32 {
    let right = u64::from(b) + u64::from(r.scc);
    ((u64::from(a).wrapping_sub(right)) as u32, Some(right > u64::from(a)))
});
const ADDK: ScalarDef =
    salu_scc!(|a: i32, k: i32| -> i32 { a.overflowing_add(i32::from(k as i16)) }).in_place();

/// `a << shift` added to `b`, with the carry out of 32 bits.
#[inline(always)]
fn shift_add(a: u32, b: u32, shift: u32) -> (u32, bool) {
    let sum = (u64::from(a) << shift) + u64::from(b);
    (sum as u32, sum >> 32 != 0)
}

/// A 32-bit result whose being non-zero is SCC.
#[inline(always)]
fn nz(d: u32) -> (u32, bool) {
    (d, d != 0)
}

/// A 64-bit result whose being non-zero is SCC.
#[inline(always)]
fn nz64(d: u64) -> (u64, bool) {
    (d, d != 0)
}

macro_rules! compare {
    (|$a:ident: $t:ty, $b:ident| $e:expr) => {
        salu_regs!(_r |$a: $t, $b: $t| -> () { ((), Some($e)) }).def()
    };
}
/// Compares with a 16-bit immediate.
macro_rules! compare_k {
    (i32, |$a:ident, $b:ident| $e:expr) => {
        salu_regs!(_r |$a: i32, $b: i32| -> () { let $b = i32::from($b as i16); ((), Some($e)) }).def()
    };
    (u32, |$a:ident, $b:ident| $e:expr) => {
        salu_regs!(_r |$a: u32, $b: u32| -> () { let $b = u32::from($b as u16); ((), Some($e)) }).def()
    };
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    ("s_add_co_u32", ADD_U32.def()),
    ("s_sub_co_u32", SUB_U32.def()),
    ("s_add_co_i32", ADD_I32.def()),
    ("s_sub_co_i32", SUB_I32.def()),
    ("s_add_co_ci_u32", ADDC.def()),
    ("s_sub_co_ci_u32", SUBB.def()),
    ("s_addk_co_i32", ADDK.def()),
    ("s_mulk_i32", salu!(|a: i32, k: i32| -> i32 { a.wrapping_mul(i32::from(k as i16)) }).in_place().def()),
    ("s_add_nc_u64", salu!(|a: u64, b: u64| -> u64 { a.wrapping_add(b) }).def()),
    ("s_sub_nc_u64", salu!(|a: u64, b: u64| -> u64 { a.wrapping_sub(b) }).def()),
    ("s_mul_u64", salu!(|a: u64, b: u64| -> u64 { a.wrapping_mul(b) }).def()),
    ("s_mul_i32", salu!(|a: i32, b: i32| -> i32 { a.wrapping_mul(b) }).def()),
    ("s_mul_hi_u32", salu!(|a: u32, b: u32| -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }).def()),
    ("s_mul_hi_i32", salu!(|a: i32, b: i32| -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }).def()),
    ("s_lshl1_add_u32", salu_scc!(|a: u32, b: u32| -> u32 { shift_add(a, b, 1) }).def()),
    ("s_lshl2_add_u32", salu_scc!(|a: u32, b: u32| -> u32 { shift_add(a, b, 2) }).def()),
    ("s_lshl3_add_u32", salu_scc!(|a: u32, b: u32| -> u32 { shift_add(a, b, 3) }).def()),
    ("s_lshl4_add_u32", salu_scc!(|a: u32, b: u32| -> u32 { shift_add(a, b, 4) }).def()),
    ("s_absdiff_i32", salu_scc!(|a: i32, b: i32| -> u32 { nz(a.wrapping_sub(b).unsigned_abs()) }).def()),
    ("s_abs_i32", salu_scc!(|a: i32| -> u32 { nz(a.unsigned_abs()) }).def()),
    ("s_min_i32", salu_scc!(|a: i32, b: i32| -> i32 { (a.min(b), a < b) }).def()),
    ("s_min_u32", salu_scc!(|a: u32, b: u32| -> u32 { (a.min(b), a < b) }).def()),
    ("s_max_i32", salu_scc!(|a: i32, b: i32| -> i32 { (a.max(b), a >= b) }).def()),
    ("s_max_u32", salu_scc!(|a: u32, b: u32| -> u32 { (a.max(b), a >= b) }).def()),
    ("s_lshl_b32", salu_scc!(|a: u32, b: u32| -> u32 { nz(a << (b & 31)) }).def()),
    ("s_lshr_b32", salu_scc!(|a: u32, b: u32| -> u32 { nz(a >> (b & 31)) }).def()),
    ("s_ashr_i32", salu_scc!(|a: i32, b: u32| -> u32 { nz((a >> (b & 31)) as u32) }).def()),
    ("s_lshl_b64", salu_scc!(|a: u64, b: u32| -> u64 { nz64(a << (b & 63)) }).def()),
    ("s_lshr_b64", salu_scc!(|a: u64, b: u32| -> u64 { nz64(a >> (b & 63)) }).def()),
    ("s_ashr_i64", salu_scc!(|a: i64, b: u32| -> u64 { nz64((a >> (b & 63)) as u64) }).def()),
    ("s_and_b32", salu_scc!(|a: u32, b: u32| -> u32 { nz(a & b) }).def()),
    ("s_or_b32", salu_scc!(|a: u32, b: u32| -> u32 { nz(a | b) }).def()),
    ("s_xor_b32", salu_scc!(|a: u32, b: u32| -> u32 { nz(a ^ b) }).def()),
    ("s_and_not1_b32", salu_scc!(|a: u32, b: u32| -> u32 { nz(a & !b) }).def()),
    ("s_or_not1_b32", salu_scc!(|a: u32, b: u32| -> u32 { nz(a | !b) }).def()),
    ("s_nand_b32", salu_scc!(|a: u32, b: u32| -> u32 { nz(!(a & b)) }).def()),
    ("s_nor_b32", salu_scc!(|a: u32, b: u32| -> u32 { nz(!(a | b)) }).def()),
    ("s_xnor_b32", salu_scc!(|a: u32, b: u32| -> u32 { nz(!(a ^ b)) }).def()),
    ("s_not_b32", salu_scc!(|a: u32| -> u32 { nz(!a) }).def()),
    ("s_and_b64", salu_scc!(|a: u64, b: u64| -> u64 { nz64(a & b) }).def()),
    ("s_or_b64", salu_scc!(|a: u64, b: u64| -> u64 { nz64(a | b) }).def()),
    ("s_xor_b64", salu_scc!(|a: u64, b: u64| -> u64 { nz64(a ^ b) }).def()),
    ("s_and_not1_b64", salu_scc!(|a: u64, b: u64| -> u64 { nz64(a & !b) }).def()),
    ("s_or_not1_b64", salu_scc!(|a: u64, b: u64| -> u64 { nz64(a | !b) }).def()),
    ("s_nand_b64", salu_scc!(|a: u64, b: u64| -> u64 { nz64(!(a & b)) }).def()),
    ("s_nor_b64", salu_scc!(|a: u64, b: u64| -> u64 { nz64(!(a | b)) }).def()),
    ("s_xnor_b64", salu_scc!(|a: u64, b: u64| -> u64 { nz64(!(a ^ b)) }).def()),
    ("s_not_b64", salu_scc!(|a: u64| -> u64 { nz64(!a) }).def()),
    ("s_mov_b32", salu!(|a: u32| -> u32 { a }).def()),
    ("s_mov_b64", salu!(|a: u64| -> u64 { a }).def()),
    ("s_movk_i32", salu!(|k: i32| -> i32 { i32::from(k as i16) }).def()),
    (
        "s_cmov_b32",
        salu_regs!(r |a: u32, old: u32| -> u32 { (if r.scc { a } else { old }, None) }).accumulating().def(),
    ),
    (
        "s_cmov_b64",
        salu_regs!(r |a: u64, old: u64| -> u64 { (if r.scc { a } else { old }, None) }).accumulating().def(),
    ),
    (
        "s_cmovk_i32",
        salu_regs!(r |old: i32, k: i32| -> i32 { (if r.scc { i32::from(k as i16) } else { old }, None) })
            .in_place()
            .def(),
    ),
    ("s_cselect_b32", salu_regs!(r |a: u32, b: u32| -> u32 { (if r.scc { a } else { b }, None) }).def()),
    ("s_cselect_b64", salu_regs!(r |a: u64, b: u64| -> u64 { (if r.scc { a } else { b }, None) }).def()),
    // VGPR indexing (gfx9): MODE.GPR_IDX_EN is bit 27; M0[7:0] the index, M0[15:12] which operands.
    (
        "s_set_gpr_idx_on",
        salu_regs!(r |a: u32, which: u32| -> () {
            let m0 = &mut r.s[sindex::M0 as usize];
            *m0 = *m0 & !0xf0ff | a & 0xff | (which & 15) << 12;
            r.mode.raw |= 1 << 27;
            ((), None)
        })
        .def(),
    ),
    ("s_set_gpr_idx_off", salu_regs!(r || -> () { r.mode.raw &= !(1 << 27); ((), None) }).def()),
    (
        "s_set_gpr_idx_mode",
        salu_regs!(r |which: u32| -> () {
            let m0 = &mut r.s[sindex::M0 as usize];
            *m0 = *m0 & !0xf000 | (which & 15) << 12;
            ((), None)
        })
        .def(),
    ),
    (
        "s_set_gpr_idx_idx",
        salu_regs!(r |a: u32| -> () {
            let m0 = &mut r.s[sindex::M0 as usize];
            *m0 = *m0 & !0xff | a & 0xff;
            ((), None)
        })
        .def(),
    ),
    ("s_cmp_eq_i32", compare!(|a: i32, b| a == b)),
    ("s_cmp_lg_i32", compare!(|a: i32, b| a != b)),
    ("s_cmp_gt_i32", compare!(|a: i32, b| a > b)),
    ("s_cmp_ge_i32", compare!(|a: i32, b| a >= b)),
    ("s_cmp_lt_i32", compare!(|a: i32, b| a < b)),
    ("s_cmp_le_i32", compare!(|a: i32, b| a <= b)),
    ("s_cmp_eq_u32", compare!(|a: u32, b| a == b)),
    ("s_cmp_lg_u32", compare!(|a: u32, b| a != b)),
    ("s_cmp_gt_u32", compare!(|a: u32, b| a > b)),
    ("s_cmp_ge_u32", compare!(|a: u32, b| a >= b)),
    ("s_cmp_lt_u32", compare!(|a: u32, b| a < b)),
    ("s_cmp_le_u32", compare!(|a: u32, b| a <= b)),
    ("s_cmp_eq_u64", compare!(|a: u64, b| a == b)),
    ("s_cmp_lg_u64", compare!(|a: u64, b| a != b)),
    ("s_cmpk_eq_i32", compare_k!(i32, |a, b| a == b)),
    ("s_cmpk_lg_i32", compare_k!(i32, |a, b| a != b)),
    ("s_cmpk_gt_i32", compare_k!(i32, |a, b| a > b)),
    ("s_cmpk_ge_i32", compare_k!(i32, |a, b| a >= b)),
    ("s_cmpk_lt_i32", compare_k!(i32, |a, b| a < b)),
    ("s_cmpk_le_i32", compare_k!(i32, |a, b| a <= b)),
    ("s_cmpk_eq_u32", compare_k!(u32, |a, b| a == b)),
    ("s_cmpk_lg_u32", compare_k!(u32, |a, b| a != b)),
    ("s_cmpk_gt_u32", compare_k!(u32, |a, b| a > b)),
    ("s_cmpk_ge_u32", compare_k!(u32, |a, b| a >= b)),
    ("s_cmpk_lt_u32", compare_k!(u32, |a, b| a < b)),
    ("s_cmpk_le_u32", compare_k!(u32, |a, b| a <= b)),
    ("s_bitcmp0_b32", salu_regs!(_r |a: u32, b: u32| -> () { ((), Some(a >> (b & 31) & 1 == 0)) }).def()),
    ("s_bitcmp1_b32", salu_regs!(_r |a: u32, b: u32| -> () { ((), Some(a >> (b & 31) & 1 == 1)) }).def()),
    ("s_bitcmp0_b64", salu_regs!(_r |a: u64, b: u32| -> () { ((), Some(a >> (b & 63) & 1 == 0)) }).def()),
    ("s_bitcmp1_b64", salu_regs!(_r |a: u64, b: u32| -> () { ((), Some(a >> (b & 63) & 1 == 1)) }).def()),
];
