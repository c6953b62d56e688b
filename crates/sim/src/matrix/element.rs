//! Elements of A and B: how they are packed into registers and what number they are.
//!
//! Elements lie densely in the registers of a lane, little-endian, the first in the lowest bits; six-bit elements
//! cross register boundaries (CDNA4 7.1.4, CDNA5 7.12.2 and 7.12.6.1). All but binary64 become binary32 exactly:
//! integers of 8 bits too, whose products and sums of up to 128 of them are exact in binary32. Denormals are kept
//! (CDNA4 7.4, CDNA5 7.12), but for [`flush`].

use wavemark_numerics::{bf16, fp8, mx};

use super::host::{Host, Lanes, numbers_mut};
use crate::regs::Chunk;

/// A type of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// binary64.
    F64,
    /// binary32.
    F32,
    /// binary32, rounded to 10 bits of mantissa before the multiplication (CDNA3 ISA 7.1.2; one instruction's text says
    /// truncated).
    Xf32,
    /// binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// FP8, OCP E4M3.
    E4m3,
    /// BF8, OCP E5M2.
    E5m2,
    /// FP8, E4M3 FNUZ (CDNA3).
    E4m3Fnuz,
    /// BF8, E5M2 FNUZ (CDNA3).
    E5m2Fnuz,
    /// FP6.
    E2m3,
    /// BF6.
    E3m2,
    /// FP4.
    E2m1,
    /// Signed 8 bits.
    I8,
    /// Unsigned 8 bits.
    U8,
    /// Signed 4 bits.
    I4,
    /// Unsigned 4 bits.
    U4,
}

impl Element {
    /// Width in bits.
    pub const fn bits(self) -> usize {
        match self {
            Element::F64 => 64,
            Element::F32 | Element::Xf32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::E4m3
            | Element::E5m2
            | Element::E4m3Fnuz
            | Element::E5m2Fnuz
            | Element::I8
            | Element::U8 => 8,
            Element::E2m3 | Element::E3m2 => 6,
            Element::E2m1 | Element::I4 | Element::U4 => 4,
        }
    }

    /// Every product of two of these is a binary32 number.
    pub const fn exact_products(self) -> bool {
        !matches!(self, Element::F64 | Element::F32 | Element::Xf32 | Element::Bf16)
    }

    /// The element type that the format number of an `f8f6f4` instruction names (CDNA4 7.1.5, CDNA5 7.12.6).
    pub const fn of_format(format: u8) -> Option<Element> {
        Some(match format {
            0 => Element::E4m3,
            1 => Element::E5m2,
            2 => Element::E2m3,
            3 => Element::E3m2,
            4 => Element::E2m1,
            _ => return None,
        })
    }
}

/// Decodes all `items` elements of each lane from registers of `chunks` chunks: item i of the lanes of chunk c goes to
/// `out[i * chunks + c]`, those of the first `used` chunks. Loops run over all lanes of a register, which the compiler
/// vectorises.
#[inline(always)]
pub fn decode<H: Host>(
    element: Element,
    items: usize,
    [chunks, used]: [usize; 2],
    words: &[Chunk],
    out: &mut [Lanes],
) {
    let chunks = [chunks, used];
    match element {
        Element::F32 => each::<32>(items, chunks, words, out, f32::from_bits),
        Element::Xf32 => each::<32>(items, chunks, words, out, xf32),
        Element::F16 => {
            let [chunks, used] = chunks;
            let out = out.chunks_exact_mut(2 * chunks);
            for (words, out) in words.chunks_exact(chunks).zip(out).take(items / 2) {
                let (low, high) = out.split_at_mut(chunks);
                for ((word, low), high) in words.iter().zip(low).zip(high).take(used) {
                    H::f16_halves(&word.0, low, high);
                }
            }
        }
        Element::Bf16 => each::<16>(items, chunks, words, out, |x| bf16::to_f32(x as u16)),
        Element::E4m3 if H::WIDE => bytes::<H, false>(chunks, words, out),
        Element::E5m2 if H::WIDE => bytes::<H, true>(chunks, words, out),
        Element::E4m3 => each::<8>(items, chunks, words, out, |x| fp8::e4m3_to_f32(x as u8)),
        Element::E5m2 => each::<8>(items, chunks, words, out, |x| fp8::e5m2_to_f32(x as u8)),
        Element::E4m3Fnuz => each::<8>(items, chunks, words, out, |x| fp8::e4m3fnuz_to_f32(x as u8)),
        Element::E5m2Fnuz => each::<8>(items, chunks, words, out, |x| fp8::e5m2fnuz_to_f32(x as u8)),
        Element::I8 => each::<8>(items, chunks, words, out, |x| f32::from(x as u8 as i8)),
        Element::U8 => each::<8>(items, chunks, words, out, |x| x as i32 as f32),
        Element::E2m1 => each::<4>(items, chunks, words, out, |x| mx::e2m1_to_f32(x as u8)),
        Element::I4 => each::<4>(items, chunks, words, out, |x| ((x << 28) as i32 >> 28) as f32),
        Element::U4 => each::<4>(items, chunks, words, out, |x| x as i32 as f32),
        Element::E2m3 => each_six(items, chunks, words, out, |x| mx::e2m3_to_f32(x as u8)),
        Element::E3m2 => each_six(items, chunks, words, out, |x| mx::e3m2_to_f32(x as u8)),
        // The binary64 path reads its registers itself.
        Element::F64 => {}
    }
}

/// The binary32 number of these bits, its mantissa rounded to 10 bits, ties to even.
#[inline(always)]
fn xf32(bits: u32) -> f32 {
    let rounded = (bits + 0xfff + (bits >> 13 & 1)) & !0x1fff;
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { bits } else { rounded })
}

/// Elements of a width that divides 32.
#[inline(always)]
fn each<const BITS: u32>(
    items: usize,
    [chunks, used]: [usize; 2],
    words: &[Chunk],
    out: &mut [Lanes],
    value: impl Fn(u32) -> f32 + Copy,
) {
    let per_register = (32 / BITS) as usize;
    let mask = u32::MAX >> (32 - BITS);
    for (item, out) in out.chunks_exact_mut(chunks).enumerate().take(items) {
        let words = &words[item / per_register * chunks..][..used];
        let shift = (item % per_register) as u32 * BITS;
        for (x, word) in numbers_mut(&mut out[..used]).iter_mut().zip(Chunk::words(words)) {
            *x = value(word.wrapping_shr(shift) & mask);
        }
    }
}

/// Bytes of E5M2 or E4M3, at a level that converts four at once.
#[inline(always)]
fn bytes<H: Host, const E5M2: bool>([chunks, used]: [usize; 2], words: &[Chunk], out: &mut [Lanes]) {
    for (words, out) in words.chunks_exact(chunks).zip(out.chunks_exact_mut(4 * chunks)) {
        for (chunk, word) in words.iter().enumerate().take(used) {
            if let Ok(to) = out.get_disjoint_mut([0, 1, 2, 3].map(|byte| byte * chunks + chunk)) {
                H::fp8::<E5M2>(word, to);
            }
        }
    }
}

/// Elements of six bits.
#[inline(always)]
fn each_six(
    items: usize,
    [chunks, used]: [usize; 2],
    words: &[Chunk],
    out: &mut [Lanes],
    value: impl Fn(u32) -> f32 + Copy,
) {
    for (item, out) in out.chunks_exact_mut(chunks).enumerate().take(items) {
        let (register, shift) = (6 * item / 32, 6 * item as u32 % 32);
        let low = &words[register * chunks..][..used];
        // Where the element ends in this register, the next one's bits are shifted out of it.
        let next = if shift > 26 { register + 1 } else { register };
        let high = &words[next * chunks..][..used];
        let words = Chunk::words(low).iter().zip(Chunk::words(high));
        for (x, (low, high)) in numbers_mut(&mut out[..used]).iter_mut().zip(words) {
            let both = u64::from(*high) << 32 | u64::from(*low);
            *x = value((both >> shift) as u32 & 0x3f);
        }
    }
}

/// Denormals become zeros of the same sign: inputs of `V_MFMA_F32_*_F32` unless MODE keeps them (CDNA4 7.4).
#[inline(always)]
pub fn flush(values: &mut [Lanes]) {
    for x in numbers_mut(values) {
        let bits = x.to_bits();
        *x = f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits });
    }
}

/// Negates items: those with an even number if `even`, those with an odd one if `odd`.
#[inline(always)]
pub fn negate(values: &mut [Lanes], chunks: usize, [even, odd]: [bool; 2]) {
    for (item, lanes) in values.chunks_mut(chunks).enumerate() {
        if if item % 2 == 0 { even } else { odd } {
            for x in numbers_mut(lanes) {
                *x = -*x;
            }
        }
    }
}
