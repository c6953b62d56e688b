//! The common shape of the formats narrower than 16 bits: decode and round-to-nearest-even encode on magnitudes.
//!
//! [`crate::fp8`], [`crate::mx`] and [`crate::scale`] instantiate these with their mantissa width, bias and largest
//! finite code (CDNA4 table 30, CDNA5 7.5, OCP OFP8 and MX). A magnitude code is the code without its sign bit;
//! magnitude codes order like the values they stand for, which is what makes one comparison find an overflow.

/// What a conversion writes where no rounding decides: magnitude codes, the sign being kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specials {
    /// For a finite value beyond the largest one after rounding.
    pub overflow: u8,
    /// For an infinite value.
    pub infinity: u8,
    /// For a NaN.
    pub nan: u8,
}

/// Value of a finite magnitude code with `M` mantissa bits and exponent bias `BIAS`.
#[inline(always)]
pub const fn decode_magnitude<const M: u32, const BIAS: u32>(code: u32) -> f32 {
    let shifted = code << (23 - M);
    let normal = f32::from_bits(shifted + ((127 - BIAS) << 23));
    let base = (127 - BIAS + 1) << 23;
    let denormal = f32::from_bits(shifted | base) - f32::from_bits(base);
    if code >> M == 0 { denormal } else { normal }
}

/// Magnitude code nearest to the value whose binary32 bits without sign are `a`, ties to even.
#[inline(always)]
pub const fn encode_magnitude<const M: u32, const BIAS: u32, const MAX: u32>(
    a: u32,
    specials: Specials,
) -> u32 {
    let rebias = (BIAS << 23).wrapping_sub(127 << 23);
    let half_less_one = (1 << (22 - M)) - 1;
    let odd = a >> (23 - M) & 1;
    let normal = a.wrapping_add(rebias).wrapping_add(half_less_one).wrapping_add(odd) >> (23 - M);
    // Adding a power of two whose last bit is the format's denormal ulp lets the host round.
    let magic = (127 - BIAS + 24 - M) << 23;
    let denormal = (f32::from_bits(a) + f32::from_bits(magic)).to_bits().wrapping_sub(magic);
    let rounded = if a < (127 - BIAS + 1) << 23 { denormal } else { normal };
    let finite = if rounded > MAX { specials.overflow as u32 } else { rounded };
    let number = if a == 0x7f80_0000 { specials.infinity as u32 } else { finite };
    if a > 0x7f80_0000 { specials.nan as u32 } else { number }
}
