//! 32-bit and 64-bit integer vector instructions.

use wavemark_isa::Meaning;

use super::def::Line;
use super::word::Bit;

/// Low 24 bits, zero-extended.
#[inline(always)]
fn u24(x: u32) -> u32 {
    x & 0xff_ffff
}

/// Low 24 bits, sign-extended.
#[inline(always)]
fn i24(x: u32) -> i32 {
    (x << 8) as i32 >> 8
}

#[inline(always)]
fn addc(a: u32, b: u32, c: Bit) -> (u32, Bit) {
    let sum = u64::from(a) + u64::from(b) + u64::from(c.0 & 1);
    (sum as u32, Bit::new(sum >> 32 != 0))
}

#[inline(always)]
fn subb(a: u32, b: u32, c: Bit) -> (u32, Bit) {
    let borrow = c.0 & 1;
    let d = a.wrapping_sub(b).wrapping_sub(borrow);
    (d, Bit::new((a < b) | ((a == b) & (borrow != 0))))
}

#[inline(always)]
fn med3<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

/// Sum of absolute differences of bytes; those where `a` is 0 are left out if `masked`.
#[inline(always)]
pub fn sad_u8(a: u32, b: u32, c: u32, masked: bool) -> u32 {
    let mut sum = c;
    for i in 0..4 {
        let (x, y) = (a >> (8 * i) & 0xff, b >> (8 * i) & 0xff);
        if !masked || y != 0 {
            sum = sum.wrapping_add(x.abs_diff(y));
        }
    }
    sum
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::V_MOV_B32, MOV.def()),
    (Meaning::V_MOV_B64, raw!(|a: u64| -> u64 { a }).def()),
    (Meaning::V_ADD_NC_U32, ADD_U32.def()),
    (Meaning::V_SUB_NC_U32, SUB_U32.def()),
    (Meaning::V_SUBREV_NC_U32, SUBREV_U32.def()),
    (Meaning::V_ADD_NC_I32, ADD_I32.def()),
    (Meaning::V_SUB_NC_I32, SUB_I32.def()),
    (Meaning::V_ADD_NC_U64, raw!(|a: u64, b: u64| -> u64 { a.wrapping_add(b) }).def()),
    (Meaning::V_SUB_NC_U64, raw!(|a: u64, b: u64| -> u64 { a.wrapping_sub(b) }).def()),
    (Meaning::V_MUL_U64, raw!(|a: u64, b: u64| -> u64 { a.wrapping_mul(b) }).def()),
    (Meaning::V_ADD_CO_U32, ADD_CO.def()),
    (Meaning::V_SUB_CO_U32, SUB_CO.def()),
    (Meaning::V_SUBREV_CO_U32, SUBREV_CO.def()),
    (Meaning::V_ADD_CO_CI_U32, ADD_CI.def()),
    (Meaning::V_SUB_CO_CI_U32, SUB_CI.def()),
    (Meaning::V_SUBREV_CO_CI_U32, SUBREV_CI.def()),
    (Meaning::V_ADD3_U32, raw!(|a: u32, b: u32, c: u32| -> u32 { a.wrapping_add(b).wrapping_add(c) }).def()),
    (
        Meaning::V_LSHL_ADD_U32,
        raw!(|a: u32, b: u32, c: u32| -> u32 { (a << (b & 31)).wrapping_add(c) }).def(),
    ),
    (Meaning::V_ADD_LSHL_U32, raw!(|a: u32, b: u32, c: u32| -> u32 { a.wrapping_add(b) << (c & 31) }).def()),
    // Shifts of more than 4 are none.
    (
        Meaning::V_LSHL_ADD_U64,
        raw!(|a: u64, b: u32, c: u64| -> u64 {
            let shift = b & 7;
            (a << if shift > 4 { 0 } else { shift }).wrapping_add(c)
        })
        .def(),
    ),
    (Meaning::V_XAD_U32, raw!(|a: u32, b: u32, c: u32| -> u32 { (a ^ b).wrapping_add(c) }).def()),
    (Meaning::V_MUL_LO_U32, raw!(|a: u32, b: u32| -> u32 { a.wrapping_mul(b) }).def()),
    (
        Meaning::V_MUL_HI_U32,
        raw!(|a: u32, b: u32| -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }).def(),
    ),
    (
        Meaning::V_MUL_HI_I32,
        raw!(|a: i32, b: i32| -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }).def(),
    ),
    (Meaning::V_MUL_U32_U24, raw!(|a: u32, b: u32| -> u32 { u24(a).wrapping_mul(u24(b)) }).def()),
    (Meaning::V_MUL_I32_I24, raw!(|a: u32, b: u32| -> i32 { i24(a).wrapping_mul(i24(b)) }).def()),
    (
        Meaning::V_MUL_HI_U32_U24,
        raw!(|a: u32, b: u32| -> u32 { ((u64::from(u24(a)) * u64::from(u24(b))) >> 32) as u32 }).def(),
    ),
    (
        Meaning::V_MUL_HI_I32_I24,
        raw!(|a: u32, b: u32| -> i32 { ((i64::from(i24(a)) * i64::from(i24(b))) >> 32) as i32 }).def(),
    ),
    (
        Meaning::V_MAD_U32_U24,
        raw!(|a: u32, b: u32, c: u32| -> u32 { u24(a).wrapping_mul(u24(b)).wrapping_add(c) })
            .clamped(raw!(|a: u32, b: u32, c: u32| -> u32 {
                (u64::from(u24(a)) * u64::from(u24(b)) + u64::from(c)).min(0xffff_ffff) as u32
            }))
            .def(),
    ),
    (
        Meaning::V_MAD_I32_I24,
        raw!(|a: u32, b: u32, c: i32| -> i32 { i24(a).wrapping_mul(i24(b)).wrapping_add(c) })
            .clamped(raw!(|a: u32, b: u32, c: i32| -> i32 {
                (i64::from(i24(a)) * i64::from(i24(b)) + i64::from(c))
                    .clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
            }))
            .def(),
    ),
    (Meaning::V_MAD_U32, raw!(|a: u32, b: u32, c: u32| -> u32 { a.wrapping_mul(b).wrapping_add(c) }).def()),
    (
        Meaning::V_MAD_NC_U64_U32,
        raw!(|a: u32, b: u32, c: u64| -> u64 { (u64::from(a) * u64::from(b)).wrapping_add(c) })
            .clamped(raw!(|a: u32, b: u32, c: u64| -> u64 {
                (u64::from(a) * u64::from(b)).saturating_add(c)
            }))
            .def(),
    ),
    (
        Meaning::V_MAD_NC_I64_I32,
        raw!(|a: i32, b: i32, c: i64| -> i64 { (i64::from(a) * i64::from(b)).wrapping_add(c) })
            .clamped(raw!(|a: i32, b: i32, c: i64| -> i64 {
                (i64::from(a) * i64::from(b)).saturating_add(c)
            }))
            .def(),
    ),
    (Meaning::V_MAD_CO_U64_U32, MAD_U64.def()),
    (Meaning::V_MAD_CO_I64_I32, MAD_I64.def()),
    (Meaning::V_MIN_U32, raw!(|a: u32, b: u32| -> u32 { a.min(b) }).def()),
    (Meaning::V_MAX_U32, raw!(|a: u32, b: u32| -> u32 { a.max(b) }).def()),
    (Meaning::V_MIN_I32, raw!(|a: i32, b: i32| -> i32 { a.min(b) }).def()),
    (Meaning::V_MAX_I32, raw!(|a: i32, b: i32| -> i32 { a.max(b) }).def()),
    (Meaning::V_MIN_U64, raw!(|a: u64, b: u64| -> u64 { a.min(b) }).def()),
    (Meaning::V_MAX_U64, raw!(|a: u64, b: u64| -> u64 { a.max(b) }).def()),
    (Meaning::V_MIN_I64, raw!(|a: i64, b: i64| -> i64 { a.min(b) }).def()),
    (Meaning::V_MAX_I64, raw!(|a: i64, b: i64| -> i64 { a.max(b) }).def()),
    (Meaning::V_MIN3_U32, raw!(|a: u32, b: u32, c: u32| -> u32 { a.min(b).min(c) }).def()),
    (Meaning::V_MAX3_U32, raw!(|a: u32, b: u32, c: u32| -> u32 { a.max(b).max(c) }).def()),
    (Meaning::V_MED3_U32, raw!(|a: u32, b: u32, c: u32| -> u32 { med3(a, b, c) }).def()),
    (Meaning::V_MIN3_I32, raw!(|a: i32, b: i32, c: i32| -> i32 { a.min(b).min(c) }).def()),
    (Meaning::V_MAX3_I32, raw!(|a: i32, b: i32, c: i32| -> i32 { a.max(b).max(c) }).def()),
    (Meaning::V_MED3_I32, raw!(|a: i32, b: i32, c: i32| -> i32 { med3(a, b, c) }).def()),
    (Meaning::V_MAXMIN_U32, raw!(|a: u32, b: u32, c: u32| -> u32 { a.max(b).min(c) }).def()),
    (Meaning::V_MINMAX_U32, raw!(|a: u32, b: u32, c: u32| -> u32 { a.min(b).max(c) }).def()),
    (Meaning::V_MAXMIN_I32, raw!(|a: i32, b: i32, c: i32| -> i32 { a.max(b).min(c) }).def()),
    (Meaning::V_MINMAX_I32, raw!(|a: i32, b: i32, c: i32| -> i32 { a.min(b).max(c) }).def()),
    // The sum saturates whatever CLAMP says, which makes the result not negative (CDNA5 manual, V_ADD_MAX_I32).
    (
        Meaning::V_ADD_MAX_I32,
        raw!(|a: i32, b: i32, c: i32| -> i32 { a.saturating_add(b).max(c) })
            .clamped(raw!(|a: i32, b: i32, c: i32| -> i32 { a.saturating_add(b).max(c).max(0) }))
            .def(),
    ),
    (
        Meaning::V_ADD_MAX_U32,
        raw!(|a: u32, b: u32, c: u32| -> u32 { a.saturating_add(b).max(c) })
            .clamped(raw!(|a: u32, b: u32, c: u32| -> u32 { a.saturating_add(b).max(c) }))
            .def(),
    ),
    (
        Meaning::V_ADD_MIN_I32,
        raw!(|a: i32, b: i32, c: i32| -> i32 { a.saturating_add(b).min(c) })
            .clamped(raw!(|a: i32, b: i32, c: i32| -> i32 { a.saturating_add(b).min(c).max(0) }))
            .def(),
    ),
    (
        Meaning::V_ADD_MIN_U32,
        raw!(|a: u32, b: u32, c: u32| -> u32 { a.saturating_add(b).min(c) })
            .clamped(raw!(|a: u32, b: u32, c: u32| -> u32 { a.saturating_add(b).min(c) }))
            .def(),
    ),
    (
        Meaning::V_SAD_U8,
        raw!(|a: u32, b: u32, c: u32| -> u32 { sad_u8(a, b, c, false) })
            .clamped(raw!(|a: u32, b: u32, c: u32| -> u32 { sad_u8(a, b, 0, false).saturating_add(c) }))
            .def(),
    ),
    (
        Meaning::V_SAD_HI_U8,
        raw!(|a: u32, b: u32, c: u32| -> u32 { (sad_u8(a, b, 0, false) << 16).wrapping_add(c) })
            .clamped(raw!(|a: u32, b: u32, c: u32| -> u32 {
                (sad_u8(a, b, 0, false) << 16).saturating_add(c)
            }))
            .def(),
    ),
    (
        Meaning::V_MSAD_U8,
        raw!(|a: u32, b: u32, c: u32| -> u32 { sad_u8(a, b, c, true) })
            .clamped(raw!(|a: u32, b: u32, c: u32| -> u32 { sad_u8(a, b, 0, true).saturating_add(c) }))
            .def(),
    ),
    (
        Meaning::V_SAD_U16,
        raw!(|a: u32, b: u32, c: u32| -> u32 {
            c.wrapping_add((a & 0xffff).abs_diff(b & 0xffff)).wrapping_add((a >> 16).abs_diff(b >> 16))
        })
        .clamped(raw!(|a: u32, b: u32, c: u32| -> u32 {
            c.saturating_add((a & 0xffff).abs_diff(b & 0xffff) + (a >> 16).abs_diff(b >> 16))
        }))
        .def(),
    ),
    (
        Meaning::V_SAD_U32,
        raw!(|a: u32, b: u32, c: u32| -> u32 { a.abs_diff(b).wrapping_add(c) })
            .clamped(raw!(|a: u32, b: u32, c: u32| -> u32 { a.abs_diff(b).saturating_add(c) }))
            .def(),
    ),
    (Meaning::V_CNDMASK_B32, raw!(|a: u32, b: u32, c: Bit| -> u32 { b & c.0 | a & !c.0 }).def()),
];

use super::def::VectorDef;

const MOV: VectorDef = raw!(|a: u32| -> u32 { a });

const ADD_U32: VectorDef =
    raw!(|a: u32, b: u32| -> u32 { a.wrapping_add(b) })
        .clamped(raw!(|a: u32, b: u32| -> u32 { a.saturating_add(b) }));
const SUB_U32: VectorDef =
    raw!(|a: u32, b: u32| -> u32 { a.wrapping_sub(b) })
        .clamped(raw!(|a: u32, b: u32| -> u32 { a.saturating_sub(b) }));
const SUBREV_U32: VectorDef =
    raw!(|a: u32, b: u32| -> u32 { b.wrapping_sub(a) })
        .clamped(raw!(|a: u32, b: u32| -> u32 { b.saturating_sub(a) }));
const ADD_I32: VectorDef =
    raw!(|a: i32, b: i32| -> i32 { a.wrapping_add(b) })
        .clamped(raw!(|a: i32, b: i32| -> i32 { a.saturating_add(b) }));
const SUB_I32: VectorDef =
    raw!(|a: i32, b: i32| -> i32 { a.wrapping_sub(b) })
        .clamped(raw!(|a: i32, b: i32| -> i32 { a.saturating_sub(b) }));

/// Add with carry out; with clamp the result saturates.
const ADD_CO: VectorDef = raw2!(|a: u32, b: u32| -> (u32, Bit) { addc(a, b, Bit(0)) })
    .clamped(raw2!(|a: u32, b: u32| -> (u32, Bit) { (a.saturating_add(b), addc(a, b, Bit(0)).1) }));
const SUB_CO: VectorDef = raw2!(|a: u32, b: u32| -> (u32, Bit) { subb(a, b, Bit(0)) })
    .clamped(raw2!(|a: u32, b: u32| -> (u32, Bit) { (a.saturating_sub(b), subb(a, b, Bit(0)).1) }));
const SUBREV_CO: VectorDef = raw2!(|a: u32, b: u32| -> (u32, Bit) { subb(b, a, Bit(0)) })
    .clamped(raw2!(|a: u32, b: u32| -> (u32, Bit) { (b.saturating_sub(a), subb(b, a, Bit(0)).1) }));
const ADD_CI: VectorDef =
    raw2!(|a: u32, b: u32, c: Bit| -> (u32, Bit) { addc(a, b, c) }).clamped(raw2!(|a: u32,
                                                                                   b: u32,
                                                                                   c: Bit|
     -> (u32, Bit) {
        let (d, carry) = addc(a, b, c);
        (d | carry.0, carry)
    }));
const SUB_CI: VectorDef =
    raw2!(|a: u32, b: u32, c: Bit| -> (u32, Bit) { subb(a, b, c) }).clamped(raw2!(|a: u32,
                                                                                   b: u32,
                                                                                   c: Bit|
     -> (u32, Bit) {
        let (d, borrow) = subb(a, b, c);
        (d & !borrow.0, borrow)
    }));
const SUBREV_CI: VectorDef =
    raw2!(|a: u32, b: u32, c: Bit| -> (u32, Bit) { subb(b, a, c) }).clamped(raw2!(|a: u32,
                                                                                   b: u32,
                                                                                   c: Bit|
     -> (u32, Bit) {
        let (d, borrow) = subb(b, a, c);
        (d & !borrow.0, borrow)
    }));
const MAD_U64: VectorDef = raw2!(|a: u32, b: u32, c: u64| -> (u64, Bit) {
    let (d, carry) = (u64::from(a) * u64::from(b)).overflowing_add(c);
    (d, Bit::new(carry))
})
.clamped(raw2!(|a: u32, b: u32, c: u64| -> (u64, Bit) {
    let (d, carry) = (u64::from(a) * u64::from(b)).overflowing_add(c);
    (if carry { u64::MAX } else { d }, Bit::new(carry))
}));
/// The carry is bit 64 of the 65-bit signed sum.
const MAD_I64: VectorDef = raw2!(|a: i32, b: i32, c: i64| -> (i64, Bit) {
    let product = i64::from(a) * i64::from(b);
    let (d, overflow) = product.overflowing_add(c);
    (d, Bit::new((d < 0) != overflow))
})
.clamped(raw2!(|a: i32, b: i32, c: i64| -> (i64, Bit) {
    let product = i64::from(a) * i64::from(b);
    let (d, overflow) = product.overflowing_add(c);
    (product.saturating_add(c), Bit::new((d < 0) != overflow))
}));
