//! Dot products of packed small elements in one dword, with accumulation.
//!
//! Follows the pseudo-code of V_DOT2_F32_F16, V_DOT2C_F32_BF16, V_DOT2_I32_I16, V_DOT2_U32_U16, V_DOT4_I32_I8,
//! V_DOT8_I32_I4 (CDNA4) and V_DOT4_I32_IU8, V_DOT8_I32_IU4, V_DOT4_U32_U8 (CDNA5). The floating ones add in the
//! order written there: accumulator, low product, high product, rounding each sum. Products of binary16 pairs are
//! exact in binary32. Before gfx12 they flush input and output denormals whatever MODE says (CDNA4 6.4 note): pass
//! [`Denorm::FLUSH`]. The integer ones return the sum of products; the caller adds the accumulator, wrapping or
//! saturating as the clamp bit says.

use crate::arith::{flush_f16_unless, flush_f32_unless};
use crate::mode::Denorm;
use crate::{bf16, f16};

/// V_DOT2_F32_F16: binary16 pairs `a` and `b`, binary32 accumulator `c`, nearest even.
#[inline(always)]
pub fn dot2_f32_f16(a: u32, b: u32, c: f32, denorm: Denorm) -> f32 {
    let element = |word: u32, shift: u32| f16::to_f32(flush_f16_unless((word >> shift) as u16, denorm.input));
    let low = flush_f32_unless(c, denorm.input) + element(a, 0) * element(b, 0);
    let low = flush_f32_unless(low, denorm.output);
    flush_f32_unless(low + element(a, 16) * element(b, 16), denorm.output)
}

/// V_DOT2_F32_BF16, V_DOT2C_F32_BF16: bfloat16 pairs, binary32 accumulator, nearest even.
#[inline(always)]
pub fn dot2_f32_bf16(a: u32, b: u32, c: f32, denorm: Denorm) -> f32 {
    let element =
        |word: u32, shift: u32| flush_f32_unless(bf16::to_f32((word >> shift) as u16), denorm.input);
    let low = flush_f32_unless(c, denorm.input) + element(a, 0) * element(b, 0);
    let low = flush_f32_unless(low, denorm.output);
    flush_f32_unless(low + element(a, 16) * element(b, 16), denorm.output)
}

/// V_DOT2_F16_F16: each product is added and the sum rounded, as the pseudo-code's order says (RDNA4).
#[inline(always)]
pub fn dot2_f16_f16(a: u32, b: u32, c: u16) -> u16 {
    let step = |sum: u16, shift: u32| {
        let [a, b] = [a, b].map(|word| f16::to_f32((word >> shift) as u16));
        // A product of two binary16 numbers is exact in binary32, the sum in binary64.
        f16::from_f64(f64::from(a * b) + f64::from(f16::to_f32(sum)))
    };
    step(step(c, 0), 16)
}

/// V_DOT2_BF16_BF16, likewise.
#[inline(always)]
pub fn dot2_bf16_bf16(a: u32, b: u32, c: u16) -> u16 {
    let step = |sum: u16, shift: u32| {
        let [a, b] = [a, b].map(|word| bf16::to_f32((word >> shift) as u16));
        bf16::from_f32(a.mul_add(b, bf16::to_f32(sum)))
    };
    step(step(c, 0), 16)
}

/// V_DOT4_F32_FP8_FP8 and its like: numbers of 8 bits by `a_value` and `b_value`, binary32 accumulator, nearest even, one
/// product after the other (RDNA4).
#[inline(always)]
pub fn dot4_f32(a: u32, b: u32, c: f32, a_value: fn(u8) -> f32, b_value: fn(u8) -> f32) -> f32 {
    let product = |i: usize| a_value(a.to_le_bytes()[i]) * b_value(b.to_le_bytes()[i]);
    (0..4).fold(c, |sum, i| sum + product(i))
}

/// Sign- or zero-extends the low `BITS` bits of a word.
#[inline(always)]
const fn extend<const BITS: u32>(word: u32, signed: bool) -> i32 {
    let top = word << (32 - BITS);
    if signed { top as i32 >> (32 - BITS) } else { (top >> (32 - BITS)) as i32 }
}

/// Sum of four products of bytes, each side signed or unsigned (V_DOT4_I32_IU8: NEG bits; V_DOT4_I32_I8: both signed;
/// V_DOT4_U32_U8: neither). At most 4 × 255², so exact.
#[inline(always)]
pub const fn dot4(a: u32, b: u32, a_signed: bool, b_signed: bool) -> i32 {
    let mut sum = 0;
    let mut i = 0;
    while i < 4 {
        sum += extend::<8>(a >> (8 * i), a_signed) * extend::<8>(b >> (8 * i), b_signed);
        i += 1;
    }
    sum
}

/// Sum of eight products of nibbles, each side signed or unsigned (V_DOT8_I32_IU4, V_DOT8_I32_I4, V_DOT8_U32_U4).
#[inline(always)]
pub const fn dot8(a: u32, b: u32, a_signed: bool, b_signed: bool) -> i32 {
    let mut sum = 0;
    let mut i = 0;
    while i < 8 {
        sum += extend::<4>(a >> (4 * i), a_signed) * extend::<4>(b >> (4 * i), b_signed);
        i += 1;
    }
    sum
}

/// Sum of two products of 16-bit halves, both signed (V_DOT2_I32_I16) or both unsigned (V_DOT2_U32_U16).
#[inline(always)]
pub const fn dot2(a: u32, b: u32, signed: bool) -> i64 {
    let low = extend::<16>(a, signed) as i64 * extend::<16>(b, signed) as i64;
    let high = extend::<16>(a >> 16, signed) as i64 * extend::<16>(b >> 16, signed) as i64;
    low + high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_dots_extend_each_side_as_told() {
        assert_eq!(dot4(0xffff_ffff, 0xffff_ffff, true, true), 4);
        assert_eq!(dot4(0xffff_ffff, 0xffff_ffff, false, false), 4 * 255 * 255);
        assert_eq!(dot4(0xffff_ffff, 0xffff_ffff, true, false), -4 * 255);
        assert_eq!(dot4(0x0403_0201, 0x0102_0304, true, true), 4 + 6 + 6 + 4);
        assert_eq!(dot8(0xffff_ffff, 0x8888_8888, true, true), 64);
        assert_eq!(dot8(0xffff_ffff, 0x8888_8888, false, true), -8 * 15 * 8);
        assert_eq!(dot2(0x8000_8000, 0x8000_8000, true), 1 << 31);
        assert_eq!(dot2(0xffff_ffff, 0xffff_ffff, false), 2 * 65535 * 65535);
    }

    #[test]
    fn float_dots_round_each_sum() {
        let pair = |x: f32, y: f32| f16::from_f32(x) as u32 | (f16::from_f32(y) as u32) << 16;
        assert_eq!(dot2_f32_f16(pair(2.0, 3.0), pair(5.0, 7.0), 1.0, Denorm::FLUSH), 32.0);
        // 2^24 + 1 rounds back to 2^24, twice; a single rounding would give 2^24 + 2.
        assert_eq!(dot2_f32_f16(pair(1.0, 1.0), pair(1.0, 1.0), 16_777_216.0, Denorm::KEEP), 16_777_216.0);
        // A binary16 denormal input counts only where denormals are kept.
        assert_eq!(dot2_f32_f16(1, pair(1.0, 0.0), 0.0, Denorm::KEEP), 2f32.powi(-24));
        assert_eq!(dot2_f32_f16(1, pair(1.0, 0.0), 0.0, Denorm::FLUSH), 0.0);
        let pair = |x: f32, y: f32| bf16::from_f32(x) as u32 | (bf16::from_f32(y) as u32) << 16;
        assert_eq!(dot2_f32_bf16(pair(2.0, -3.0), pair(5.0, 7.0), 1.0, Denorm::FLUSH), -10.0);
    }
}
