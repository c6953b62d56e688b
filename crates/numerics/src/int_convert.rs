//! Conversions between floating point and integers, normalised integers, and saturating integer packs.
//!
//! Follows CDNA4/CDNA5 V_CVT_I32_F32 and kin (truncate, saturate, NaN gives 0), V_CVT_NEAREST_I32_F32 (CDNA4:
//! V_CVT_RPI_I32_F32), V_CVT_FLOOR_I32_F32 (V_CVT_FLR_I32_F32), V_CVT_OFF_F32_I4, V_CVT_PK_NORM_* (CDNA4:
//! V_CVT_PKNORM_*), V_CVT_PK_U8_F32, V_CVT_PK_I16_F32, V_CVT_PK_I16_I32, V_SAT_PK_U8_I16, V_SAT_PK4_I4_I8,
//! V_ASHR_PK_I8_I32. The manuals do not define f32_to_snorm and f32_to_unorm; here: clamp to the range (NaN gives 0),
//! multiply by 2^(n-1)-1 or 2^n-1, round to nearest even. Float-to-u8 truncates like the other conversions.
//! Integer-to-float conversions round to nearest even; the `*_rounded` forms take any mode.

use crate::f16;
use crate::mode::Round;
use crate::soft::{F16, F32};

/// V_CVT_I32_F32.
#[inline(always)]
pub const fn i32_from_f32(x: f32) -> i32 {
    x as i32
}

/// V_CVT_U32_F32.
#[inline(always)]
pub const fn u32_from_f32(x: f32) -> u32 {
    x as u32
}

/// V_CVT_I32_F64.
#[inline(always)]
pub const fn i32_from_f64(x: f64) -> i32 {
    x as i32
}

/// V_CVT_U32_F64.
#[inline(always)]
pub const fn u32_from_f64(x: f64) -> u32 {
    x as u32
}

/// One half of V_CVT_PK_I16_F32.
#[inline(always)]
pub const fn i16_from_f32(x: f32) -> i16 {
    x as i16
}

/// One half of V_CVT_PK_U16_F32.
#[inline(always)]
pub const fn u16_from_f32(x: f32) -> u16 {
    x as u16
}

/// The byte of V_CVT_PK_U8_F32.
#[inline(always)]
pub const fn u8_from_f32(x: f32) -> u8 {
    x as u8
}

/// V_CVT_I16_F16.
#[inline(always)]
pub const fn i16_from_f16(x: u16) -> i16 {
    f16::to_f32(x) as i16
}

/// V_CVT_U16_F16.
#[inline(always)]
pub const fn u16_from_f16(x: u16) -> u16 {
    f16::to_f32(x) as u16
}

/// V_CVT_NEAREST_I32_F32: `floor(x + 0.5)`, the sum exact.
#[inline(always)]
pub fn nearest_i32_from_f32(x: f32) -> i32 {
    (x as f64 + 0.5).floor() as i32
}

/// V_CVT_FLOOR_I32_F32.
#[inline(always)]
pub fn floor_i32_from_f32(x: f32) -> i32 {
    x.floor() as i32
}

/// V_CVT_F32_I32 in nearest-even mode.
#[inline(always)]
pub const fn f32_from_i32(x: i32) -> f32 {
    x as f32
}

/// V_CVT_F32_U32 in nearest-even mode.
#[inline(always)]
pub const fn f32_from_u32(x: u32) -> f32 {
    x as f32
}

/// V_CVT_F32_I32 in any rounding mode.
pub fn f32_from_i32_rounded(x: i32, round: Round) -> f32 {
    f32::from_bits(F32.round(x < 0, 0, x.unsigned_abs() as u128, round, false) as u32)
}

/// V_CVT_F32_U32 in any rounding mode.
pub fn f32_from_u32_rounded(x: u32, round: Round) -> f32 {
    f32::from_bits(F32.round(false, 0, x as u128, round, false) as u32)
}

/// V_CVT_F16_I16 in nearest-even mode.
#[inline(always)]
pub const fn f16_from_i16(x: i16) -> u16 {
    f16::from_f32(x as f32)
}

/// V_CVT_F16_U16 in nearest-even mode; 65520 and above give infinity, or 65504 if `clamp` (MODE.FP16_OVFL).
#[inline(always)]
pub const fn f16_from_u16(x: u16, clamp: bool) -> u16 {
    if clamp { f16::from_f32_clamped(x as f32) } else { f16::from_f32(x as f32) }
}

/// V_CVT_F16_I16 in any rounding mode.
pub fn f16_from_i16_rounded(x: i16, round: Round) -> u16 {
    F16.round(x < 0, 0, x.unsigned_abs() as u128, round, false) as u16
}

/// V_CVT_F16_U16 in any rounding mode.
pub fn f16_from_u16_rounded(x: u16, round: Round, clamp: bool) -> u16 {
    F16.round(false, 0, x as u128, round, clamp) as u16
}

/// V_CVT_OFF_F32_I4: the low four bits as a signed integer, in sixteenths.
#[inline(always)]
pub const fn f32_from_i4_offset(x: u32) -> f32 {
    ((x << 28) as i32 >> 28) as f32 * 0.0625
}

/// f32_to_snorm of V_CVT_PK_NORM_I16_F32.
#[inline(always)]
pub fn snorm16_from_f32(x: f32) -> i16 {
    round_to_i32(clamp_or_zero(x, -1.0) * 32767.0) as i16
}

/// f32_to_unorm of V_CVT_PK_NORM_U16_F32.
#[inline(always)]
pub fn unorm16_from_f32(x: f32) -> u16 {
    round_to_i32(clamp_or_zero(x, 0.0) * 65535.0) as u16
}

/// f16_to_snorm of V_CVT_NORM_I16_F16.
#[inline(always)]
pub fn snorm16_from_f16(x: u16) -> i16 {
    snorm16_from_f32(f16::to_f32(x))
}

/// f16_to_unorm of V_CVT_NORM_U16_F16.
#[inline(always)]
pub fn unorm16_from_f16(x: u16) -> u16 {
    unorm16_from_f32(f16::to_f32(x))
}

#[inline(always)]
fn clamp_or_zero(x: f32, low: f64) -> f64 {
    let x = x as f64;
    let above = if x > low { x } else { low };
    let clamped = if above < 1.0 { above } else { 1.0 };
    if x.is_nan() { 0.0 } else { clamped }
}

/// Nearest even for magnitudes below 2³¹, by aligning the integer to the low bits of a binary64.
#[inline(always)]
fn round_to_i32(x: f64) -> i32 {
    (x + 6_755_399_441_055_744.0).to_bits() as i32
}

/// One half of V_CVT_PK_I16_I32: saturates.
#[inline(always)]
pub const fn i16_from_i32(x: i32) -> i16 {
    let low = if x < i16::MIN as i32 { i16::MIN as i32 } else { x };
    (if low > i16::MAX as i32 { i16::MAX as i32 } else { low }) as i16
}

/// One half of V_CVT_PK_U16_U32: saturates.
#[inline(always)]
pub const fn u16_from_u32(x: u32) -> u16 {
    (if x > 0xffff { 0xffff } else { x }) as u16
}

/// Saturates a signed integer to eight unsigned bits (SAT8 of V_SAT_PK_U8_I16 and V_ASHR_PK_U8_I32).
#[inline(always)]
pub const fn u8_from_i32(x: i32) -> u8 {
    let low = if x < 0 { 0 } else { x };
    (if low > 255 { 255 } else { low }) as u8
}

/// Saturates a signed integer to eight signed bits (SAT8 of V_ASHR_PK_I8_I32).
#[inline(always)]
pub const fn i8_from_i32(x: i32) -> i8 {
    let low = if x < -128 { -128 } else { x };
    (if low > 127 { 127 } else { low }) as i8
}

/// V_SAT_PK_U8_I16: two signed 16-bit halves saturated to unsigned bytes, in bits 15:0.
#[inline(always)]
pub const fn sat_pk_u8_i16(x: u32) -> u32 {
    u8_from_i32(x as i16 as i32) as u32 | (u8_from_i32(x as i32 >> 16) as u32) << 8
}

/// V_SAT_PK4_I4_I8: four signed bytes saturated to signed nibbles, in bits 15:0.
#[inline(always)]
pub const fn sat_pk4_i4_i8(x: u32) -> u32 {
    let mut packed = 0;
    let mut i = 0;
    while i < 4 {
        let byte = (x >> (8 * i)) as i8;
        let low = if byte < -8 { -8 } else { byte };
        let nibble = if low > 7 { 7 } else { low };
        packed |= (nibble as u32 & 0xf) << (4 * i);
        i += 1;
    }
    packed
}

/// V_SAT_PK4_U4_U8: four unsigned bytes saturated to unsigned nibbles, in bits 15:0.
#[inline(always)]
pub const fn sat_pk4_u4_u8(x: u32) -> u32 {
    let mut packed = 0;
    let mut i = 0;
    while i < 4 {
        let byte = x >> (8 * i) & 0xff;
        packed |= (if byte > 15 { 15 } else { byte }) << (4 * i);
        i += 1;
    }
    packed
}
