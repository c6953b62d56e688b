//! The three steps of the division macro: scale, fused multiply-add with post-scale, fix-up.
//!
//! Follows the pseudo-code of CDNA4/CDNA5 V_DIV_SCALE_F32/F64, V_DIV_FMAS_F32/F64 and V_DIV_FIXUP_F16/F32/F64, with
//! six readings that the pseudo-code, which is the same in every manual, does not spell out or has wrong:
//! * V_DIV_SCALE_F32 asks whether `1.0 / 64'F(S1)` is a binary64 denormal, which no binary32 denominator satisfies;
//!   the reciprocal's binary32 range is what matters to the macro and what is tested here. "Is denormal" of a quotient
//!   covers quotients too small even for a denormal.
//! * A zero numerator or denominator sets the condition-code bit, although the pseudo-code clears it: tests of tinygrad
//!   that run on hardware of gfx11 ask for it. V_DIV_FIXUP makes it of no consequence to the macro.
//! * Whether a quotient may be denormal is told from the exponents: 2⁻¹²⁶ over 1 counts (the same tests), though
//!   that quotient is just normal.
//! * Where reciprocal and quotient are both denormal, the pseudo-code scales the denominator up, which overflows it;
//!   we scale it down, as in the next branch: it is what raises the quotient and makes the reciprocal normal.
//! * V_DIV_FMAS multiplies by 2³² (2⁶⁴) in the pseudo-code, but V_DIV_SCALE scales by 2⁶⁴ (2¹²⁸) and in either
//!   direction: the quotient was scaled down if it is large and up if it is small. The post-scale that undoes this is
//!   2⁶⁴ for an approximate quotient (third operand) of at least 2, else 2⁻⁶⁴ (2¹²⁸, 2⁻¹²⁸); hardware does so.
//! * V_DIV_FIXUP takes a NaN quotient of ordinary operands as an overflow: the macro's residuals become NaN where the
//!   approximate quotient overflows, and the true quotient then does too.
//!
//! Only nearest-even rounding: the macro sets it. Denormals are never flushed here; V_DIV_FMAS and V_DIV_FIXUP do not
//! ("Input denormals are not flushed"), the inputs of V_DIV_SCALE and results are the caller's to flush.

use crate::integral::ldexp_f64;

const QUIET_F32: u32 = 0x0040_0000;
const QUIET_F64: u64 = 0x0008_0000_0000_0000;

#[inline(always)]
const fn exponent_f32(x: f32) -> i32 {
    (x.to_bits() >> 23 & 0xff) as i32
}

#[inline(always)]
const fn exponent_f64(x: f64) -> i32 {
    (x.to_bits() >> 52 & 0x7ff) as i32
}

/// The exponents and scales of V_DIV_SCALE for one width.
struct DivScale {
    /// From this difference of exponents on the quotient is near the largest number.
    large: i32,
    /// Up to this difference the quotient may be denormal.
    small: i32,
    /// Up to this exponent the numerator is tiny.
    tiny: i32,
}

/// What V_DIV_SCALE does with its first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scaling {
    /// Nothing.
    Keep,
    /// Multiplied by the scale.
    Up,
    /// Divided by it.
    Down,
    /// An operand is zero: the result is a NaN.
    Invalid,
}

impl DivScale {
    /// The scaling and the condition-code bit. `exponents` are the exponent fields of denominator and numerator,
    /// `is_denominator` and `is_numerator` say which of the two the first operand is.
    fn decide(
        &self,
        exponents: [i32; 2],
        quotient: Quotient,
        is_denominator: bool,
        is_numerator: bool,
    ) -> (Scaling, bool) {
        let [denominator, numerator] = exponents;
        let difference = numerator - denominator;
        let only = |this: bool, scaling| if this { scaling } else { Scaling::Keep };
        let quotient_denormal = quotient.denormal || quotient.finite && difference <= self.small;
        if quotient.zero {
            (Scaling::Invalid, true)
        } else if difference >= self.large {
            (only(is_denominator, Scaling::Up), true)
        } else if denominator == 0 {
            (Scaling::Up, false)
        } else if quotient.reciprocal_denormal && quotient_denormal {
            (only(is_denominator, Scaling::Down), true)
        } else if quotient.reciprocal_denormal {
            (Scaling::Down, false)
        } else if quotient_denormal {
            (only(is_numerator, Scaling::Up), true)
        } else if numerator <= self.tiny {
            (Scaling::Up, false)
        } else {
            (Scaling::Keep, false)
        }
    }
}

/// What the decision asks of numerator and denominator beside their exponents.
struct Quotient {
    /// One of them is zero.
    zero: bool,
    /// The denominator is finite.
    finite: bool,
    /// The denominator's reciprocal is too small for a normal number.
    reciprocal_denormal: bool,
    /// The quotient is.
    denormal: bool,
}

/// V_DIV_SCALE_F32: the scaled first operand and the condition-code bit. `s0` is to be `s1` (denominator) or `s2`
/// (numerator).
#[inline]
pub fn div_scale_f32(s0: f32, s1: f32, s2: f32) -> (f32, bool) {
    const WIDTH: DivScale = DivScale { large: 96, small: -126, tiny: 23 };
    const UP: f64 = 18_446_744_073_709_551_616.0;
    let smallest = f64::from(f32::MIN_POSITIVE);
    let finite = s1.is_finite();
    // Both quotients are far inside the binary64 range, so the comparisons are exact.
    let quotient = Quotient {
        zero: s2 == 0.0 || s1 == 0.0,
        finite,
        reciprocal_denormal: finite && (1.0 / f64::from(s1)).abs() < smallest,
        denormal: finite && (f64::from(s2) / f64::from(s1)).abs() < smallest,
    };
    let (scaling, vcc) = WIDTH.decide([exponent_f32(s1), exponent_f32(s2)], quotient, s0 == s1, s0 == s2);
    let scaled = match scaling {
        Scaling::Keep => s0,
        Scaling::Up => (f64::from(s0) * UP) as f32,
        Scaling::Down => (f64::from(s0) / UP) as f32,
        Scaling::Invalid => f32::NAN,
    };
    (scaled, vcc)
}

/// V_DIV_SCALE_F64: the scaled first operand and the condition-code bit. `s0` is to be `s1` (denominator) or `s2`
/// (numerator).
#[inline]
pub fn div_scale_f64(s0: f64, s1: f64, s2: f64) -> (f64, bool) {
    const WIDTH: DivScale = DivScale { large: 768, small: -1022, tiny: 53 };
    let finite = s1.is_finite();
    let quotient = Quotient {
        zero: s2 == 0.0 || s1 == 0.0,
        finite,
        reciprocal_denormal: finite && (1.0 / s1).abs() < f64::MIN_POSITIVE,
        denormal: finite && (s2 / s1).abs() < f64::MIN_POSITIVE,
    };
    let (scaling, vcc) = WIDTH.decide([exponent_f64(s1), exponent_f64(s2)], quotient, s0 == s1, s0 == s2);
    let scaled = match scaling {
        Scaling::Keep => s0,
        Scaling::Up => ldexp_f64(s0, 128),
        Scaling::Down => ldexp_f64(s0, -128),
        Scaling::Invalid => f64::NAN,
    };
    (scaled, vcc)
}

/// V_DIV_FMAS_F32: `s0 × s1 + s2`, post-scaled if `vcc` (see the module header). The post-scale rounds once more only
/// where the result is denormal.
#[inline(always)]
pub fn div_fmas_f32(s0: f32, s1: f32, s2: f32, vcc: bool) -> f32 {
    let fused = s0.mul_add(s1, s2);
    let scale = if exponent_f32(s2) > 127 {
        f32::from_bits((127 + 64) << 23)
    } else {
        f32::from_bits((127 - 64) << 23)
    };
    if vcc { fused * scale } else { fused }
}

/// V_DIV_FMAS_F64: `s0 × s1 + s2`, post-scaled if `vcc` (see the module header).
#[inline(always)]
pub fn div_fmas_f64(s0: f64, s1: f64, s2: f64, vcc: bool) -> f64 {
    let fused = s0.mul_add(s1, s2);
    let scale = if exponent_f64(s2) > 1023 {
        f64::from_bits((1023 + 128) << 52)
    } else {
        f64::from_bits((1023 - 128) << 52)
    };
    if vcc { fused * scale } else { fused }
}

/// V_DIV_FIXUP_F32: the quotient `s0` of numerator `s2` by denominator `s1`, with the special cases of a division.
/// Underflow gives a zero, overflow an infinity, each with the quotient's sign.
#[inline]
pub fn div_fixup_f32(s0: f32, s1: f32, s2: f32) -> f32 {
    let sign = (s1.to_bits() ^ s2.to_bits()) & 0x8000_0000;
    let signed = |magnitude: f32| f32::from_bits(magnitude.to_bits() & 0x7fff_ffff | sign);
    if s2.is_nan() {
        f32::from_bits(s2.to_bits() | QUIET_F32)
    } else if s1.is_nan() {
        f32::from_bits(s1.to_bits() | QUIET_F32)
    } else if s1 == 0.0 && s2 == 0.0 || s1.is_infinite() && s2.is_infinite() {
        f32::from_bits(0xffc0_0000)
    } else if s1 == 0.0 || s2.is_infinite() {
        signed(f32::INFINITY)
    } else if s1.is_infinite() || s2 == 0.0 || exponent_f32(s2) - exponent_f32(s1) < -150 {
        signed(0.0)
    } else if s0.is_nan() {
        signed(f32::INFINITY)
    } else {
        signed(s0)
    }
}

/// V_DIV_FIXUP_F64: as [`div_fixup_f32`].
#[inline]
pub fn div_fixup_f64(s0: f64, s1: f64, s2: f64) -> f64 {
    let sign = (s1.to_bits() ^ s2.to_bits()) & 1 << 63;
    let signed = |magnitude: f64| f64::from_bits(magnitude.to_bits() & !(1 << 63) | sign);
    if s2.is_nan() {
        f64::from_bits(s2.to_bits() | QUIET_F64)
    } else if s1.is_nan() {
        f64::from_bits(s1.to_bits() | QUIET_F64)
    } else if s1 == 0.0 && s2 == 0.0 || s1.is_infinite() && s2.is_infinite() {
        f64::from_bits(0xfff8_0000_0000_0000)
    } else if s1 == 0.0 || s2.is_infinite() {
        signed(f64::INFINITY)
    } else if s1.is_infinite() || s2 == 0.0 || exponent_f64(s2) - exponent_f64(s1) < -1075 {
        signed(0.0)
    } else if s0.is_nan() {
        signed(f64::INFINITY)
    } else {
        signed(s0)
    }
}

/// V_DIV_FIXUP_F16: as [`div_fixup_f32`] without the range checks.
#[inline]
pub const fn div_fixup_f16(s0: u16, s1: u16, s2: u16) -> u16 {
    let sign = (s1 ^ s2) & 0x8000;
    let (denominator, numerator) = (s1 & 0x7fff, s2 & 0x7fff);
    if numerator > 0x7c00 {
        s2 | 0x200
    } else if denominator > 0x7c00 {
        s1 | 0x200
    } else if denominator == 0 && numerator == 0 || denominator == 0x7c00 && numerator == 0x7c00 {
        0xfe00
    } else if denominator == 0 || numerator == 0x7c00 {
        sign | 0x7c00
    } else if denominator == 0x7c00 || numerator == 0 {
        sign
    } else {
        sign | s0 & 0x7fff
    }
}
