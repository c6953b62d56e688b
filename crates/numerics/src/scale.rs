//! Block scale factors: E8M0, E5M3 and E4M3 scales of WMMA, and the scaling step of `V_CVT_SCALE*` conversions.
//!
//! Follows CDNA5's "block-scale factor" table in the WMMA chapter (E8M0, E5M3, E4M3), CDNA4 7.3 "Converts with Scale",
//! CDNA5 7.6.3. A conversion *to* a narrow format divides by the scale before its rounding, one *from* a narrow format
//! multiplies after decoding. Neither step rounds where it matters: see [`divide_by_e8m0`] and [`multiply_by_e8m0`].

use crate::narrow::{Specials, decode_magnitude, encode_magnitude};

const NAN: f32 = f32::from_bits(0x7fc0_0000);

/// 2^n as binary32, for biased exponents 0 (the denormal 2⁻¹²⁷) to 254; 255 gives NaN.
#[inline(always)]
const fn power_of_two(biased: u32) -> f32 {
    let normal = f32::from_bits(biased << 23);
    let finite = if biased == 0 { f32::from_bits(0x0040_0000) } else { normal };
    if biased == 255 { NAN } else { finite }
}

/// Value of an E8M0 scale: 2^(x-127), 0xff is NaN (OCP MX 5.4.1, CDNA5 scale table).
#[inline(always)]
pub const fn e8m0_to_f32(scale: u8) -> f32 {
    power_of_two(scale as u32)
}

/// 2^(127-x), the reciprocal of an E8M0 scale, exactly; 0xff is NaN.
#[inline(always)]
pub const fn e8m0_reciprocal(scale: u8) -> f32 {
    if scale == 255 { NAN } else { power_of_two(254 - scale as u32) }
}

/// The E8M0 scale in a binary32 operand: its exponent field (CDNA4, CDNA5 `V_CVT_SCALEF32_*`: `exponent(S.f32)`).
#[inline(always)]
pub const fn e8m0_of_f32(x: f32) -> u8 {
    (x.to_bits() >> 23) as u8
}

/// Value of an E5M3 scale: unsigned, bias 15, 0xff is NaN, largest 114688 (CDNA5 scale table, V_CVT_F32_FP8 with
/// CLAMP).
#[inline(always)]
pub const fn e5m3_to_f32(scale: u8) -> f32 {
    let finite = decode_magnitude::<3, 15>(scale as u32);
    if scale == 0xff { NAN } else { finite }
}

/// Nearest E5M3 scale, ties to even (CDNA5 V_CVT_PK_FP8_F32 with CLAMP). The format has no sign and the manual does
/// not say what a negative input gives: its magnitude is converted. `clamp` is MODE.FP16_OVFL: overflow and infinity
/// give 114688 instead of NaN, as for E4M3.
#[inline(always)]
pub const fn e5m3_from_f32(x: f32, clamp: bool) -> u8 {
    let over = if clamp { 0xfe } else { 0xff };
    let specials = Specials { overflow: over, infinity: over, nan: 0xff };
    encode_magnitude::<3, 15, 0xfe>(x.to_bits() & 0x7fff_ffff, specials) as u8
}

/// Value of an E4M3 scale: seven bits, the top bit is ignored (CDNA5 scale table); 0x7f is NaN, largest 448.
#[inline(always)]
pub const fn e4m3_scale_to_f32(scale: u8) -> f32 {
    let magnitude = scale as u32 & 0x7f;
    let finite = decode_magnitude::<3, 7>(magnitude);
    if magnitude == 0x7f { NAN } else { finite }
}

/// `x / 2^(scale-127)` for a conversion to a narrow format; a NaN scale gives NaN. Inexact only where the quotient is
/// a binary32 denormal, far below half of the smallest magnitude of FP8, BF8, FP6, BF6 and FP4; an overflow becomes
/// infinity, so a caller that treats infinities and overflows apart looks at `x` ([`divide_by_e8m0_finite`]).
#[inline(always)]
pub const fn divide_by_e8m0(x: f32, scale: u8) -> f32 {
    x * e8m0_reciprocal(scale)
}

/// `x × 2^(scale-127)` for a value decoded from a narrow format: exact, or infinity; a NaN scale gives NaN.
#[inline(always)]
pub const fn multiply_by_e8m0(x: f32, scale: u8) -> f32 {
    x * e8m0_to_f32(scale)
}

/// `x / 2^(scale-127)` where a finite `x` that overflows binary32 gives the largest finite binary32, so that the
/// narrow conversion sees an overflow and not an infinity (the two differ on gfx1250, CDNA5 7.6.2).
#[inline(always)]
pub const fn divide_by_e8m0_finite(x: f32, scale: u8) -> f32 {
    let scaled = divide_by_e8m0(x, scale);
    let bits = scaled.to_bits();
    let overflow = (bits & 0x7fff_ffff == 0x7f80_0000) & (x.to_bits() & 0x7fff_ffff < 0x7f80_0000);
    f32::from_bits(if overflow { bits - 1 } else { bits })
}
