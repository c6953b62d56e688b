//! Stochastic rounding: conversions that add random bits below the kept mantissa and truncate, and their generator.
//!
//! Follows CDNA4 7.3 and CDNA5 7.6.1 ("add a random value … and then truncate"), with the alignment of the
//! pseudo-code: the upper bits of the random operand line up with the dropped mantissa bits (V_CVT_SR_FP8_F32 takes
//! `S1[31:12]` for 20 dropped bits, V_CVT_SR_BF8_F32 `S1[31:11]`, V_CVT_SR_FP8_F16 `S1[31:25]`). Deviations: the
//! pseudo-code drops the carry out of the mantissa and rounds to nearest even after the addition; the prose says
//! truncate, AMD's host emulation carries into the exponent, truncates, and for a denormal result shifts the
//! significand before the random bits are added. We do as the emulation does. Denormal inputs of binary32 give zero.
//!
//! gfx1250's packed scaled conversions feed 16 random bits per element (`randomVal[pass % 2 * 16 +: 16]`) and step
//! the generator every two elements; pass such a half in the upper half of the operand ([`upper_half`]). gfx950
//! feeds 32 bits and steps the generator every element.

use crate::fp8::fnuz;
use crate::narrow::Specials;

/// The next state of the pseudo-random generator (CDNA4, CDNA5 V_PRNG_B32): a 32-bit LFSR; zero stays zero.
#[inline(always)]
pub const fn prng(state: u32) -> u32 {
    state << 1 ^ if state >> 31 != 0 { 197 } else { 0 }
}

/// 16 random bits as an operand of the functions below: aligned to the top.
#[inline(always)]
pub const fn upper_half(random: u16) -> u32 {
    (random as u32) << 16
}

/// Adds the top bits of `random` below the kept mantissa of the value with binary32 magnitude bits `a` and truncates.
/// `SRC` is the mantissa width of the type the value came from: bits below it do not take part.
#[inline(always)]
const fn add_and_truncate<const M: u32, const BIAS: u32, const MAX: u32, const SRC: u32>(
    a: u32,
    random: u32,
    overflow: u32,
    infinity: u32,
    nan: u32,
) -> u32 {
    let field = a >> 23;
    let hidden = if field == 0 { 0 } else { 0x0080_0000 };
    let significand = (a & 0x007f_ffff | hidden) >> (23 - SRC);
    let min_field = 127 - BIAS + 1;
    let below = min_field.saturating_sub(field);
    let shifted = if below > 31 { 0 } else { significand >> (below & 31) };
    let kept = (shifted + (random >> (32 - SRC + M))) >> (SRC - M);
    let code = (field.saturating_sub(min_field) << M) + kept;
    let finite = if code > MAX { overflow } else { code };
    let number = if a == 0x7f80_0000 { infinity } else { finite };
    let result = if a > 0x7f80_0000 { nan } else { number };
    if a == 0 { 0 } else { result }
}

macro_rules! stochastic {
    ($($(#[$doc:meta])* $name:ident, $m:literal, $bias:literal, $max:literal, $sign_shift:literal, $sign:literal;)*) => {$(
        $(#[$doc])*
        /// `SRC` is the mantissa width of the source type: 23 for binary32, 10 for binary16, 7 for bfloat16.
        #[inline(always)]
        pub const fn $name<const SRC: u32>(x: f32, random: u32, specials: Specials) -> u8 {
            let bits = x.to_bits();
            let magnitude = add_and_truncate::<$m, $bias, $max, SRC>(
                bits & 0x7fff_ffff,
                random,
                specials.overflow as u32,
                specials.infinity as u32,
                specials.nan as u32,
            );
            (magnitude | bits >> $sign_shift & $sign) as u8
        }
    )*};
}

stochastic! {
    /// To OCP E4M3 (CDNA4 V_CVT_SR_FP8_F32, CDNA5 V_CVT_SR_FP8_F16).
    e4m3_from_f32, 3, 7, 0x7e, 24, 0x80;
    /// To OCP E5M2 (CDNA4 V_CVT_SR_BF8_F32, CDNA5 V_CVT_SR_BF8_F16).
    e5m2_from_f32, 2, 15, 0x7b, 24, 0x80;
    /// To FP6 E2M3 (CDNA4 V_CVT_SCALEF32_SR_PK32_FP6_F32); pass [`FP6_SATURATE`].
    e2m3_from_f32, 3, 1, 0x1f, 26, 0x20;
    /// To BF6 E3M2 (CDNA4 V_CVT_SCALEF32_SR_PK32_BF6_F32); pass [`FP6_SATURATE`].
    e3m2_from_f32, 2, 3, 0x1f, 26, 0x20;
    /// To FP4 E2M1 (CDNA4 V_CVT_SCALEF32_SR_PK_FP4_F32); pass [`FP4_SATURATE`].
    e2m1_from_f32, 1, 1, 7, 28, 8;
    /// To the unsigned scale format E5M3 (CDNA5 V_CVT_SR_FP8_F32 with CLAMP); the sign is dropped.
    e5m3_from_f32, 3, 15, 0xfe, 0, 0;
}

macro_rules! stochastic_fnuz {
    ($($(#[$doc:meta])* $name:ident, $m:literal, $bias:literal;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub const fn $name<const SRC: u32>(x: f32, random: u32, specials: Specials) -> u8 {
            let Specials { overflow, infinity, nan } = specials;
            let bits = x.to_bits();
            let magnitude = add_and_truncate::<$m, $bias, 0x7f, SRC>(
                bits & 0x7fff_ffff,
                random,
                overflow as u32,
                infinity as u32,
                nan as u32,
            );
            fnuz(magnitude, bits)
        }
    )*};
}

stochastic_fnuz! {
    /// To E4M3 FNUZ (CDNA3 V_CVT_SR_FP8_F32).
    e4m3fnuz_from_f32, 3, 8;
    /// To E5M2 FNUZ (CDNA3 V_CVT_SR_BF8_F32).
    e5m2fnuz_from_f32, 2, 16;
}

/// The only policy of FP6 and BF6: everything beyond the range becomes the largest magnitude.
pub const FP6_SATURATE: Specials = Specials { overflow: 0x1f, infinity: 0x1f, nan: 0x1f };
/// The only policy of FP4: everything beyond the range becomes the largest magnitude.
pub const FP4_SATURATE: Specials = Specials { overflow: 7, infinity: 7, nan: 7 };

/// To binary16, using the top 13 bits of `random` (CDNA4 V_CVT_SR_F16_F32; CDNA5 V_CVT_SR_PK_F16_F32, whose
/// pseudo-code would add 16 bits to 13 dropped ones: we take the upper 13 of them). `clamp` is MODE.FP16_OVFL.
#[inline(always)]
pub const fn f16_from_f32(x: f32, random: u32, clamp: bool) -> u16 {
    let bits = x.to_bits();
    let overflow = if clamp { 0x7bff } else { 0x7c00 };
    let a = bits & 0x7fff_ffff;
    let nan = 0x7e00 | (a >> 13 & 0x3ff);
    let magnitude = add_and_truncate::<10, 15, 0x7bff, 23>(a, random, overflow, 0x7c00, nan);
    (magnitude | bits >> 16 & 0x8000) as u16
}

/// To bfloat16, using the top 16 bits of `random` (CDNA4 V_CVT_SR_BF16_F32, CDNA5 V_CVT_SR_PK_BF16_F32). Denormals
/// are kept. `clamp` is MODE.FP16_OVFL.
#[inline(always)]
pub const fn bf16_from_f32(x: f32, random: u32, clamp: bool) -> u16 {
    let bits = x.to_bits();
    let a = bits & 0x7fff_ffff;
    let sum = (a + (random >> 16)) >> 16;
    let overflow = if clamp { 0x7f7f } else { 0x7f80 };
    let finite = if sum > 0x7f7f { overflow } else { sum };
    let number = if a == 0x7f80_0000 { 0x7f80 } else { finite };
    let magnitude = if a > 0x7f80_0000 { a >> 16 | 0x40 } else { number };
    (magnitude | bits >> 16 & 0x8000) as u16
}
