//! 16-bit integer vector instructions, single and packed.

use wavemark_isa::Meaning;

use super::def::{Line, VectorDef};
use super::word::{Bit, Pk};

/// A function of both halves.
#[inline(always)]
fn each2(a: Pk, b: Pk, f: impl Fn(u16, u16) -> u16) -> Pk {
    Pk(u32::from(f(a.0 as u16, b.0 as u16)) | u32::from(f((a.0 >> 16) as u16, (b.0 >> 16) as u16)) << 16)
}

/// A function of both halves of three sources.
#[inline(always)]
fn each3(a: Pk, b: Pk, c: Pk, f: impl Fn(u16, u16, u16) -> u16) -> Pk {
    let high = f((a.0 >> 16) as u16, (b.0 >> 16) as u16, (c.0 >> 16) as u16);
    Pk(u32::from(f(a.0 as u16, b.0 as u16, c.0 as u16)) | u32::from(high) << 16)
}

#[inline(always)]
fn med3<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

/// Single and packed forms of the same function.
macro_rules! one2 {
    ($t:ty, |$a:ident, $b:ident| $e:expr) => {
        raw!(|$a: $t, $b: $t| -> $t { $e })
    };
    ($t:ty, |$a:ident, $b:ident, $c:ident| $e:expr) => {
        raw!(|$a: $t, $b: $t, $c: $t| -> $t { $e })
    };
}
macro_rules! pk {
    ($t:ty, |$a:ident, $b:ident| $e:expr) => {
        raw!(|a: Pk, b: Pk| -> Pk {
            each2(a, b, |a, b| {
                let ($a, $b) = (a as $t, b as $t);
                ($e) as u16
            })
        })
    };
    ($t:ty, |$a:ident, $b:ident, $c:ident| $e:expr) => {
        raw!(|a: Pk, b: Pk, c: Pk| -> Pk {
            each3(a, b, c, |a, b, c| {
                let ($a, $b, $c) = (a as $t, b as $t, c as $t);
                ($e) as u16
            })
        })
    };
}

#[inline(always)]
fn mad_u16_sat(a: u16, b: u16, c: u16) -> u16 {
    (u32::from(a) * u32::from(b) + u32::from(c)).min(0xffff) as u16
}

#[inline(always)]
fn mad_i16_sat(a: i16, b: i16, c: i16) -> i16 {
    (i32::from(a) * i32::from(b) + i32::from(c)).clamp(-0x8000, 0x7fff) as i16
}

const ADD_U16: VectorDef =
    one2!(u16, |a, b| a.wrapping_add(b)).clamped(one2!(u16, |a, b| a.saturating_add(b)));
const SUB_U16: VectorDef =
    one2!(u16, |a, b| a.wrapping_sub(b)).clamped(one2!(u16, |a, b| a.saturating_sub(b)));
const SUBREV_U16: VectorDef =
    one2!(u16, |a, b| b.wrapping_sub(a)).clamped(one2!(u16, |a, b| b.saturating_sub(a)));
const ADD_I16: VectorDef =
    one2!(i16, |a, b| a.wrapping_add(b)).clamped(one2!(i16, |a, b| a.saturating_add(b)));
const SUB_I16: VectorDef =
    one2!(i16, |a, b| a.wrapping_sub(b)).clamped(one2!(i16, |a, b| a.saturating_sub(b)));
const MAD_U16: VectorDef = one2!(u16, |a, b, c| a.wrapping_mul(b).wrapping_add(c))
    .clamped(one2!(u16, |a, b, c| mad_u16_sat(a, b, c)));
const MAD_I16: VectorDef = one2!(i16, |a, b, c| a.wrapping_mul(b).wrapping_add(c))
    .clamped(one2!(i16, |a, b, c| mad_i16_sat(a, b, c)));

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::V_ADD_NC_U16, ADD_U16.def()),
    (Meaning::V_SUB_NC_U16, SUB_U16.def()),
    (Meaning::V_SUBREV_U16, SUBREV_U16.def()),
    (Meaning::V_ADD_I16, ADD_I16.keeping_half().def()),
    (Meaning::V_SUB_I16, SUB_I16.keeping_half().def()),
    (Meaning::V_MAD_U16, MAD_U16.keeping_half().def()),
    (Meaning::V_MAD_I16, MAD_I16.keeping_half().def()),
    (Meaning::V_ADD_NC_I16, ADD_I16.def()),
    (Meaning::V_SUB_NC_I16, SUB_I16.def()),
    (Meaning::V_MAD_LEGACY_U16, MAD_U16.def()),
    (Meaning::V_MAD_LEGACY_I16, MAD_I16.def()),
    (Meaning::V_MUL_LO_U16, one2!(u16, |a, b| a.wrapping_mul(b)).def()),
    (Meaning::V_LSHLREV_B16, one2!(u16, |a, b| b << (a & 15)).def()),
    (Meaning::V_LSHRREV_B16, one2!(u16, |a, b| b >> (a & 15)).def()),
    (Meaning::V_ASHRREV_I16, one2!(i16, |a, b| b >> (a & 15)).def()),
    (Meaning::V_MIN_U16, one2!(u16, |a, b| a.min(b)).def()),
    (Meaning::V_MIN3_U16, one2!(u16, |a, b, c| a.min(b).min(c)).keeping_half().def()),
    (Meaning::V_MIN_I16, one2!(i16, |a, b| a.min(b)).def()),
    (Meaning::V_MIN3_I16, one2!(i16, |a, b, c| a.min(b).min(c)).keeping_half().def()),
    (Meaning::V_MAX_U16, one2!(u16, |a, b| a.max(b)).def()),
    (Meaning::V_MAX3_U16, one2!(u16, |a, b, c| a.max(b).max(c)).keeping_half().def()),
    (Meaning::V_MAX_I16, one2!(i16, |a, b| a.max(b)).def()),
    (Meaning::V_MAX3_I16, one2!(i16, |a, b, c| a.max(b).max(c)).keeping_half().def()),
    (Meaning::V_MED3_U16, one2!(u16, |a, b, c| med3(a, b, c)).keeping_half().def()),
    (Meaning::V_MED3_I16, one2!(i16, |a, b, c| med3(a, b, c)).keeping_half().def()),
    (Meaning::V_AND_B16, one2!(u16, |a, b| a & b).def()),
    (Meaning::V_OR_B16, one2!(u16, |a, b| a | b).def()),
    (Meaning::V_XOR_B16, one2!(u16, |a, b| a ^ b).def()),
    (Meaning::V_NOT_B16, raw!(|a: u16| -> u16 { !a }).def()),
    (Meaning::V_MOV_B16, raw!(|a: u16| -> u16 { a }).def()),
    (
        Meaning::V_CNDMASK_B16,
        raw!(|a: u16, b: u16, c: Bit| -> u16 {
            let m = c.0 as u16;
            b & m | a & !m
        })
        .def(),
    ),
    (
        Meaning::V_MAD_U32_U16,
        raw!(|a: u16, b: u16, c: u32| -> u32 { (u32::from(a) * u32::from(b)).wrapping_add(c) })
            .clamped(raw!(|a: u16, b: u16, c: u32| -> u32 {
                (u32::from(a) * u32::from(b)).saturating_add(c)
            }))
            .def(),
    ),
    (
        Meaning::V_MAD_I32_I16,
        raw!(|a: i16, b: i16, c: i32| -> i32 { (i32::from(a) * i32::from(b)).wrapping_add(c) })
            .clamped(raw!(|a: i16, b: i16, c: i32| -> i32 {
                (i32::from(a) * i32::from(b)).saturating_add(c)
            }))
            .def(),
    ),
    (
        Meaning::V_PK_ADD_U16,
        pk!(u16, |a, b| a.wrapping_add(b)).clamped(pk!(u16, |a, b| a.saturating_add(b))).def(),
    ),
    (
        Meaning::V_PK_SUB_U16,
        pk!(u16, |a, b| a.wrapping_sub(b)).clamped(pk!(u16, |a, b| a.saturating_sub(b))).def(),
    ),
    (
        Meaning::V_PK_MAD_U16,
        pk!(u16, |a, b, c| a.wrapping_mul(b).wrapping_add(c))
            .clamped(pk!(u16, |a, b, c| mad_u16_sat(a, b, c)))
            .def(),
    ),
    (Meaning::V_PK_MIN_U16, pk!(u16, |a, b| a.min(b)).def()),
    (Meaning::V_PK_MIN3_U16, pk!(u16, |a, b, c| a.min(b).min(c)).def()),
    // The sum saturates whatever CLAMP says, as that of `v_add_min_u32` does.
    (
        Meaning::V_PK_ADD_MIN_U16,
        pk!(u16, |a, b, c| a.saturating_add(b).min(c))
            .clamped(pk!(u16, |a, b, c| a.saturating_add(b).min(c)))
            .def(),
    ),
    (Meaning::V_PK_MAX_U16, pk!(u16, |a, b| a.max(b)).def()),
    (Meaning::V_PK_MAX3_U16, pk!(u16, |a, b, c| a.max(b).max(c)).def()),
    (
        Meaning::V_PK_ADD_MAX_U16,
        pk!(u16, |a, b, c| a.saturating_add(b).max(c))
            .clamped(pk!(u16, |a, b, c| a.saturating_add(b).max(c)))
            .def(),
    ),
    (
        Meaning::V_PK_ADD_I16,
        pk!(i16, |a, b| a.wrapping_add(b)).clamped(pk!(i16, |a, b| a.saturating_add(b))).def(),
    ),
    (
        Meaning::V_PK_SUB_I16,
        pk!(i16, |a, b| a.wrapping_sub(b)).clamped(pk!(i16, |a, b| a.saturating_sub(b))).def(),
    ),
    (
        Meaning::V_PK_MAD_I16,
        pk!(i16, |a, b, c| a.wrapping_mul(b).wrapping_add(c))
            .clamped(pk!(i16, |a, b, c| mad_i16_sat(a, b, c)))
            .def(),
    ),
    (Meaning::V_PK_MIN_I16, pk!(i16, |a, b| a.min(b)).def()),
    (Meaning::V_PK_MIN3_I16, pk!(i16, |a, b, c| a.min(b).min(c)).def()),
    (
        Meaning::V_PK_ADD_MIN_I16,
        pk!(i16, |a, b, c| a.saturating_add(b).min(c))
            .clamped(pk!(i16, |a, b, c| a.saturating_add(b).min(c).max(0)))
            .def(),
    ),
    (Meaning::V_PK_MAX_I16, pk!(i16, |a, b| a.max(b)).def()),
    (Meaning::V_PK_MAX3_I16, pk!(i16, |a, b, c| a.max(b).max(c)).def()),
    (
        Meaning::V_PK_ADD_MAX_I16,
        pk!(i16, |a, b, c| a.saturating_add(b).max(c))
            .clamped(pk!(i16, |a, b, c| a.saturating_add(b).max(c).max(0)))
            .def(),
    ),
    (Meaning::V_PK_MUL_LO_U16, pk!(u16, |a, b| a.wrapping_mul(b)).def()),
    (Meaning::V_PK_LSHLREV_B16, pk!(u16, |a, b| b << (a & 15)).def()),
    (Meaning::V_PK_LSHRREV_B16, pk!(u16, |a, b| b >> (a & 15)).def()),
    (Meaning::V_PK_ASHRREV_I16, pk!(i16, |a, b| b >> (a & 15)).def()),
];
