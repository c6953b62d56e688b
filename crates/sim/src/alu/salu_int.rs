//! Integer scalar instructions: arithmetic, shifts, logic, compares, moves; SCC as each one's manual entry says.

use wavemark_isa::Meaning;

use super::def::Line;
use super::scalar::ScalarDef;
use crate::regs::{GPR_IDX_EN, Mode, sindex};

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
    (Meaning::S_ADD_CO_U32, ADD_U32.def()),
    (Meaning::S_SUB_CO_U32, SUB_U32.def()),
    (Meaning::S_ADD_CO_I32, ADD_I32.def()),
    (Meaning::S_SUB_CO_I32, SUB_I32.def()),
    (Meaning::S_ADD_CO_CI_U32, ADDC.def()),
    (Meaning::S_SUB_CO_CI_U32, SUBB.def()),
    (Meaning::S_ADDK_CO_I32, ADDK.def()),
    (
        Meaning::S_MULK_I32,
        salu!(|a: i32, k: i32| -> i32 { a.wrapping_mul(i32::from(k as i16)) }).in_place().def(),
    ),
    (Meaning::S_ADD_NC_U64, salu!(|a: u64, b: u64| -> u64 { a.wrapping_add(b) }).def()),
    (Meaning::S_SUB_NC_U64, salu!(|a: u64, b: u64| -> u64 { a.wrapping_sub(b) }).def()),
    (Meaning::S_MUL_U64, salu!(|a: u64, b: u64| -> u64 { a.wrapping_mul(b) }).def()),
    (Meaning::S_MUL_I32, salu!(|a: i32, b: i32| -> i32 { a.wrapping_mul(b) }).def()),
    (
        Meaning::S_MUL_HI_U32,
        salu!(|a: u32, b: u32| -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }).def(),
    ),
    (
        Meaning::S_MUL_HI_I32,
        salu!(|a: i32, b: i32| -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }).def(),
    ),
    (Meaning::S_LSHL1_ADD_U32, salu_scc!(|a: u32, b: u32| -> u32 { shift_add(a, b, 1) }).def()),
    (Meaning::S_LSHL2_ADD_U32, salu_scc!(|a: u32, b: u32| -> u32 { shift_add(a, b, 2) }).def()),
    (Meaning::S_LSHL3_ADD_U32, salu_scc!(|a: u32, b: u32| -> u32 { shift_add(a, b, 3) }).def()),
    (Meaning::S_LSHL4_ADD_U32, salu_scc!(|a: u32, b: u32| -> u32 { shift_add(a, b, 4) }).def()),
    (
        Meaning::S_ABSDIFF_I32,
        salu_scc!(|a: i32, b: i32| -> u32 { nz(a.wrapping_sub(b).unsigned_abs()) }).def(),
    ),
    (Meaning::S_ABS_I32, salu_scc!(|a: i32| -> u32 { nz(a.unsigned_abs()) }).def()),
    (Meaning::S_MIN_I32, salu_scc!(|a: i32, b: i32| -> i32 { (a.min(b), a < b) }).def()),
    (Meaning::S_MIN_U32, salu_scc!(|a: u32, b: u32| -> u32 { (a.min(b), a < b) }).def()),
    (Meaning::S_MAX_I32, salu_scc!(|a: i32, b: i32| -> i32 { (a.max(b), a >= b) }).def()),
    (Meaning::S_MAX_U32, salu_scc!(|a: u32, b: u32| -> u32 { (a.max(b), a >= b) }).def()),
    (Meaning::S_LSHL_B32, salu_scc!(|a: u32, b: u32| -> u32 { nz(a << (b & 31)) }).def()),
    (Meaning::S_LSHR_B32, salu_scc!(|a: u32, b: u32| -> u32 { nz(a >> (b & 31)) }).def()),
    (Meaning::S_ASHR_I32, salu_scc!(|a: i32, b: u32| -> u32 { nz((a >> (b & 31)) as u32) }).def()),
    (Meaning::S_LSHL_B64, salu_scc!(|a: u64, b: u32| -> u64 { nz64(a << (b & 63)) }).def()),
    (Meaning::S_LSHR_B64, salu_scc!(|a: u64, b: u32| -> u64 { nz64(a >> (b & 63)) }).def()),
    (Meaning::S_ASHR_I64, salu_scc!(|a: i64, b: u32| -> u64 { nz64((a >> (b & 63)) as u64) }).def()),
    (Meaning::S_AND_B32, salu_scc!(|a: u32, b: u32| -> u32 { nz(a & b) }).def()),
    (Meaning::S_OR_B32, salu_scc!(|a: u32, b: u32| -> u32 { nz(a | b) }).def()),
    (Meaning::S_XOR_B32, salu_scc!(|a: u32, b: u32| -> u32 { nz(a ^ b) }).def()),
    (Meaning::S_AND_NOT1_B32, salu_scc!(|a: u32, b: u32| -> u32 { nz(a & !b) }).def()),
    (Meaning::S_OR_NOT1_B32, salu_scc!(|a: u32, b: u32| -> u32 { nz(a | !b) }).def()),
    (Meaning::S_NAND_B32, salu_scc!(|a: u32, b: u32| -> u32 { nz(!(a & b)) }).def()),
    (Meaning::S_NOR_B32, salu_scc!(|a: u32, b: u32| -> u32 { nz(!(a | b)) }).def()),
    (Meaning::S_XNOR_B32, salu_scc!(|a: u32, b: u32| -> u32 { nz(!(a ^ b)) }).def()),
    (Meaning::S_NOT_B32, salu_scc!(|a: u32| -> u32 { nz(!a) }).def()),
    (Meaning::S_AND_B64, salu_scc!(|a: u64, b: u64| -> u64 { nz64(a & b) }).def()),
    (Meaning::S_OR_B64, salu_scc!(|a: u64, b: u64| -> u64 { nz64(a | b) }).def()),
    (Meaning::S_XOR_B64, salu_scc!(|a: u64, b: u64| -> u64 { nz64(a ^ b) }).def()),
    (Meaning::S_AND_NOT1_B64, salu_scc!(|a: u64, b: u64| -> u64 { nz64(a & !b) }).def()),
    (Meaning::S_OR_NOT1_B64, salu_scc!(|a: u64, b: u64| -> u64 { nz64(a | !b) }).def()),
    (Meaning::S_NAND_B64, salu_scc!(|a: u64, b: u64| -> u64 { nz64(!(a & b)) }).def()),
    (Meaning::S_NOR_B64, salu_scc!(|a: u64, b: u64| -> u64 { nz64(!(a | b)) }).def()),
    (Meaning::S_XNOR_B64, salu_scc!(|a: u64, b: u64| -> u64 { nz64(!(a ^ b)) }).def()),
    (Meaning::S_NOT_B64, salu_scc!(|a: u64| -> u64 { nz64(!a) }).def()),
    (Meaning::S_MOV_B32, salu!(|a: u32| -> u32 { a }).def()),
    (Meaning::S_MOV_B64, salu!(|a: u64| -> u64 { a }).def()),
    (Meaning::S_MOVK_I32, salu!(|k: i32| -> i32 { i32::from(k as i16) }).def()),
    (
        Meaning::S_CMOV_B32,
        salu_regs!(r |a: u32, old: u32| -> u32 { (if r.scc { a } else { old }, None) }).accumulating().def(),
    ),
    (
        Meaning::S_CMOV_B64,
        salu_regs!(r |a: u64, old: u64| -> u64 { (if r.scc { a } else { old }, None) }).accumulating().def(),
    ),
    (
        Meaning::S_CMOVK_I32,
        salu_regs!(r |old: i32, k: i32| -> i32 { (if r.scc { i32::from(k as i16) } else { old }, None) })
            .in_place()
            .def(),
    ),
    (
        Meaning::S_CSELECT_B32,
        salu_regs!(r |a: u32, b: u32| -> u32 { (if r.scc { a } else { b }, None) }).def(),
    ),
    (
        Meaning::S_CSELECT_B64,
        salu_regs!(r |a: u64, b: u64| -> u64 { (if r.scc { a } else { b }, None) }).def(),
    ),
    // VGPR indexing (gfx9): MODE.GPR_IDX_EN is bit 27; M0[7:0] the index, M0[15:12] which operands.
    (
        Meaning::S_SET_GPR_IDX_ON,
        salu_regs!(r |a: u32, which: u32| -> () {
            let m0 = &mut r.s[sindex::M0 as usize];
            *m0 = *m0 & !0xf0ff | a & 0xff | (which & 15) << 12;
            r.set_mode(Mode { raw: r.mode.raw | GPR_IDX_EN, ..r.mode });
            ((), None)
        })
        .def(),
    ),
    (
        Meaning::S_SET_GPR_IDX_OFF,
        salu_regs!(r || -> () {
            r.set_mode(Mode { raw: r.mode.raw & !GPR_IDX_EN, ..r.mode });
            ((), None)
        })
        .def(),
    ),
    (
        Meaning::S_SET_GPR_IDX_MODE,
        salu_regs!(r |which: u32| -> () {
            let m0 = &mut r.s[sindex::M0 as usize];
            *m0 = *m0 & !0xf000 | (which & 15) << 12;
            ((), None)
        })
        .def(),
    ),
    (
        Meaning::S_SET_GPR_IDX_IDX,
        salu_regs!(r |a: u32| -> () {
            let m0 = &mut r.s[sindex::M0 as usize];
            *m0 = *m0 & !0xff | a & 0xff;
            ((), None)
        })
        .def(),
    ),
    (Meaning::S_CMP_EQ_I32, compare!(|a: i32, b| a == b)),
    (Meaning::S_CMP_LG_I32, compare!(|a: i32, b| a != b)),
    (Meaning::S_CMP_GT_I32, compare!(|a: i32, b| a > b)),
    (Meaning::S_CMP_GE_I32, compare!(|a: i32, b| a >= b)),
    (Meaning::S_CMP_LT_I32, compare!(|a: i32, b| a < b)),
    (Meaning::S_CMP_LE_I32, compare!(|a: i32, b| a <= b)),
    (Meaning::S_CMP_EQ_U32, compare!(|a: u32, b| a == b)),
    (Meaning::S_CMP_LG_U32, compare!(|a: u32, b| a != b)),
    (Meaning::S_CMP_GT_U32, compare!(|a: u32, b| a > b)),
    (Meaning::S_CMP_GE_U32, compare!(|a: u32, b| a >= b)),
    (Meaning::S_CMP_LT_U32, compare!(|a: u32, b| a < b)),
    (Meaning::S_CMP_LE_U32, compare!(|a: u32, b| a <= b)),
    (Meaning::S_CMP_EQ_U64, compare!(|a: u64, b| a == b)),
    (Meaning::S_CMP_LG_U64, compare!(|a: u64, b| a != b)),
    (Meaning::S_CMPK_EQ_I32, compare_k!(i32, |a, b| a == b)),
    (Meaning::S_CMPK_LG_I32, compare_k!(i32, |a, b| a != b)),
    (Meaning::S_CMPK_GT_I32, compare_k!(i32, |a, b| a > b)),
    (Meaning::S_CMPK_GE_I32, compare_k!(i32, |a, b| a >= b)),
    (Meaning::S_CMPK_LT_I32, compare_k!(i32, |a, b| a < b)),
    (Meaning::S_CMPK_LE_I32, compare_k!(i32, |a, b| a <= b)),
    (Meaning::S_CMPK_EQ_U32, compare_k!(u32, |a, b| a == b)),
    (Meaning::S_CMPK_LG_U32, compare_k!(u32, |a, b| a != b)),
    (Meaning::S_CMPK_GT_U32, compare_k!(u32, |a, b| a > b)),
    (Meaning::S_CMPK_GE_U32, compare_k!(u32, |a, b| a >= b)),
    (Meaning::S_CMPK_LT_U32, compare_k!(u32, |a, b| a < b)),
    (Meaning::S_CMPK_LE_U32, compare_k!(u32, |a, b| a <= b)),
    (
        Meaning::S_BITCMP0_B32,
        salu_regs!(_r |a: u32, b: u32| -> () { ((), Some(a >> (b & 31) & 1 == 0)) }).def(),
    ),
    (
        Meaning::S_BITCMP1_B32,
        salu_regs!(_r |a: u32, b: u32| -> () { ((), Some(a >> (b & 31) & 1 == 1)) }).def(),
    ),
    (
        Meaning::S_BITCMP0_B64,
        salu_regs!(_r |a: u64, b: u32| -> () { ((), Some(a >> (b & 63) & 1 == 0)) }).def(),
    ),
    (
        Meaning::S_BITCMP1_B64,
        salu_regs!(_r |a: u64, b: u32| -> () { ((), Some(a >> (b & 63) & 1 == 1)) }).def(),
    ),
];
