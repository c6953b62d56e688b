//! 16-bit integer vector instructions, single and packed.

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
    ("v_add_nc_u16", ADD_U16.def()),
    ("v_sub_nc_u16", SUB_U16.def()),
    ("v_subrev_u16", SUBREV_U16.def()),
    ("v_add_i16", ADD_I16.keeping_half().def()),
    ("v_sub_i16", SUB_I16.keeping_half().def()),
    ("v_mad_u16", MAD_U16.keeping_half().def()),
    ("v_mad_i16", MAD_I16.keeping_half().def()),
    ("v_add_nc_i16", ADD_I16.def()),
    ("v_sub_nc_i16", SUB_I16.def()),
    ("v_mad_legacy_u16", MAD_U16.def()),
    ("v_mad_legacy_i16", MAD_I16.def()),
    ("v_mul_lo_u16", one2!(u16, |a, b| a.wrapping_mul(b)).def()),
    ("v_lshlrev_b16", one2!(u16, |a, b| b << (a & 15)).def()),
    ("v_lshrrev_b16", one2!(u16, |a, b| b >> (a & 15)).def()),
    ("v_ashrrev_i16", one2!(i16, |a, b| b >> (a & 15)).def()),
    ("v_min_u16", one2!(u16, |a, b| a.min(b)).def()),
    ("v_min3_u16", one2!(u16, |a, b, c| a.min(b).min(c)).keeping_half().def()),
    ("v_min_i16", one2!(i16, |a, b| a.min(b)).def()),
    ("v_min3_i16", one2!(i16, |a, b, c| a.min(b).min(c)).keeping_half().def()),
    ("v_max_u16", one2!(u16, |a, b| a.max(b)).def()),
    ("v_max3_u16", one2!(u16, |a, b, c| a.max(b).max(c)).keeping_half().def()),
    ("v_max_i16", one2!(i16, |a, b| a.max(b)).def()),
    ("v_max3_i16", one2!(i16, |a, b, c| a.max(b).max(c)).keeping_half().def()),
    ("v_med3_u16", one2!(u16, |a, b, c| med3(a, b, c)).keeping_half().def()),
    ("v_med3_i16", one2!(i16, |a, b, c| med3(a, b, c)).keeping_half().def()),
    ("v_and_b16", one2!(u16, |a, b| a & b).def()),
    ("v_or_b16", one2!(u16, |a, b| a | b).def()),
    ("v_xor_b16", one2!(u16, |a, b| a ^ b).def()),
    ("v_not_b16", raw!(|a: u16| -> u16 { !a }).def()),
    ("v_mov_b16", raw!(|a: u16| -> u16 { a }).def()),
    (
        "v_cndmask_b16",
        raw!(|a: u16, b: u16, c: Bit| -> u16 {
            let m = c.0 as u16;
            b & m | a & !m
        })
        .def(),
    ),
    (
        "v_mad_u32_u16",
        raw!(|a: u16, b: u16, c: u32| -> u32 { (u32::from(a) * u32::from(b)).wrapping_add(c) })
            .clamped(raw!(|a: u16, b: u16, c: u32| -> u32 {
                (u32::from(a) * u32::from(b)).saturating_add(c)
            }))
            .def(),
    ),
    (
        "v_mad_i32_i16",
        raw!(|a: i16, b: i16, c: i32| -> i32 { (i32::from(a) * i32::from(b)).wrapping_add(c) })
            .clamped(raw!(|a: i16, b: i16, c: i32| -> i32 {
                (i32::from(a) * i32::from(b)).saturating_add(c)
            }))
            .def(),
    ),
    ("v_pk_add_u16", pk!(u16, |a, b| a.wrapping_add(b)).clamped(pk!(u16, |a, b| a.saturating_add(b))).def()),
    ("v_pk_sub_u16", pk!(u16, |a, b| a.wrapping_sub(b)).clamped(pk!(u16, |a, b| a.saturating_sub(b))).def()),
    (
        "v_pk_mad_u16",
        pk!(u16, |a, b, c| a.wrapping_mul(b).wrapping_add(c))
            .clamped(pk!(u16, |a, b, c| mad_u16_sat(a, b, c)))
            .def(),
    ),
    ("v_pk_min_u16", pk!(u16, |a, b| a.min(b)).def()),
    ("v_pk_min3_u16", pk!(u16, |a, b, c| a.min(b).min(c)).def()),
    // The sum saturates whatever CLAMP says, as that of `v_add_min_u32` does.
    (
        "v_pk_add_min_u16",
        pk!(u16, |a, b, c| a.saturating_add(b).min(c))
            .clamped(pk!(u16, |a, b, c| a.saturating_add(b).min(c)))
            .def(),
    ),
    ("v_pk_max_u16", pk!(u16, |a, b| a.max(b)).def()),
    ("v_pk_max3_u16", pk!(u16, |a, b, c| a.max(b).max(c)).def()),
    (
        "v_pk_add_max_u16",
        pk!(u16, |a, b, c| a.saturating_add(b).max(c))
            .clamped(pk!(u16, |a, b, c| a.saturating_add(b).max(c)))
            .def(),
    ),
    ("v_pk_add_i16", pk!(i16, |a, b| a.wrapping_add(b)).clamped(pk!(i16, |a, b| a.saturating_add(b))).def()),
    ("v_pk_sub_i16", pk!(i16, |a, b| a.wrapping_sub(b)).clamped(pk!(i16, |a, b| a.saturating_sub(b))).def()),
    (
        "v_pk_mad_i16",
        pk!(i16, |a, b, c| a.wrapping_mul(b).wrapping_add(c))
            .clamped(pk!(i16, |a, b, c| mad_i16_sat(a, b, c)))
            .def(),
    ),
    ("v_pk_min_i16", pk!(i16, |a, b| a.min(b)).def()),
    ("v_pk_min3_i16", pk!(i16, |a, b, c| a.min(b).min(c)).def()),
    (
        "v_pk_add_min_i16",
        pk!(i16, |a, b, c| a.saturating_add(b).min(c))
            .clamped(pk!(i16, |a, b, c| a.saturating_add(b).min(c).max(0)))
            .def(),
    ),
    ("v_pk_max_i16", pk!(i16, |a, b| a.max(b)).def()),
    ("v_pk_max3_i16", pk!(i16, |a, b, c| a.max(b).max(c)).def()),
    (
        "v_pk_add_max_i16",
        pk!(i16, |a, b, c| a.saturating_add(b).max(c))
            .clamped(pk!(i16, |a, b, c| a.saturating_add(b).max(c).max(0)))
            .def(),
    ),
    ("v_pk_mul_lo_u16", pk!(u16, |a, b| a.wrapping_mul(b)).def()),
    ("v_pk_lshlrev_b16", pk!(u16, |a, b| b << (a & 15)).def()),
    ("v_pk_lshrrev_b16", pk!(u16, |a, b| b >> (a & 15)).def()),
    ("v_pk_ashrrev_i16", pk!(i16, |a, b| b >> (a & 15)).def()),
];
