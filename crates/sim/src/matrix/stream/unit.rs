//! Units of A and B, a dword of each of 16 lanes or a decoded vector, and how they become numbers.

use std::arch::x86_64::*;

use super::super::host::{Lanes, x86};
use crate::regs::{Chunk, avx512};

/// How the elements of a unit, which is a dword of each of 16 lanes or a decoded vector, become numbers.
pub trait Unit {
    /// Elements of a unit.
    const ELEMENTS: usize;
    /// Units are decoded vectors.
    const DECODED: bool = false;
    /// A and B are both converted, in the order of K ([`super::narrow`]).
    const IN_ORDER: bool = false;
    /// A's units are numbers where they are.
    const IN_PLACE: bool = Self::DECODED;
    /// Numbers from an element of a row of the converted A to that of the next row, and from an element to the next one of
    /// the unit.
    const STRIDES: [usize; 2] = [1, 16];

    /// A unit of A, converted.
    ///
    /// # Safety
    /// The host must have AVX-512 F, BW, DQ and VL; `to` is to as many vectors as the unit has elements.
    unsafe fn a(words: &Chunk, flush: __mmask16, to: *mut Lanes);

    /// A unit of B; of the numbers, the first [`Unit::ELEMENTS`].
    ///
    /// # Safety
    /// The host must have AVX-512 F, BW, DQ and VL.
    unsafe fn b(words: __m512i, flush: __mmask16) -> [__m512; 4];
}

/// Puts `vectors` away.
///
/// # Safety
/// The host must have AVX-512 F; `to` is to so many vectors.
#[inline(always)]
unsafe fn put<const N: usize>(vectors: [__m512; N], to: *mut Lanes) {
    for (n, vector) in vectors.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { _mm512_storeu_ps(to.add(n).cast(), vector) }
    }
}

/// binary32.
pub struct Words;

impl Unit for Words {
    const ELEMENTS: usize = 1;
    const IN_PLACE: bool = true;

    #[inline(always)]
    unsafe fn a(words: &Chunk, flush: __mmask16, to: *mut Lanes) {
        // SAFETY: the caller's promise.
        unsafe { put([Self::b(avx512::row(words), flush)[0]], to) }
    }

    #[inline(always)]
    unsafe fn b(words: __m512i, flush: __mmask16) -> [__m512; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            if flush == 0 {
                return [_mm512_castsi512_ps(words); 4];
            }
            let exponent = _mm512_set1_epi32(0x7f80_0000);
            let small = _mm512_mask_testn_epi32_mask(flush, words, exponent);
            let sign = _mm512_set1_epi32(i32::MIN);
            [_mm512_castsi512_ps(_mm512_mask_and_epi32(words, small, words, sign)); 4]
        }
    }
}

/// binary32, rounded to 10 bits of mantissa.
pub struct Xf32;

impl Unit for Xf32 {
    const ELEMENTS: usize = 1;

    #[inline(always)]
    unsafe fn a(words: &Chunk, flush: __mmask16, to: *mut Lanes) {
        // SAFETY: the caller's promise.
        unsafe { put([Self::b(avx512::row(words), flush)[0]], to) }
    }

    #[inline(always)]
    unsafe fn b(words: __m512i, _flush: __mmask16) -> [__m512; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            // As `element::xf32`.
            let odd = _mm512_and_si512(_mm512_srli_epi32::<13>(words), _mm512_set1_epi32(1));
            let up = _mm512_add_epi32(_mm512_add_epi32(words, _mm512_set1_epi32(0xfff)), odd);
            let number = _mm512_castsi512_ps(words);
            let is_number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(number, number);
            let rounded = _mm512_mask_and_epi32(words, is_number, up, _mm512_set1_epi32(!0x1fff));
            [_mm512_castsi512_ps(rounded); 4]
        }
    }
}

/// A decoded vector.
pub struct Decoded;

impl Unit for Decoded {
    const ELEMENTS: usize = 1;
    const DECODED: bool = true;

    #[inline(always)]
    unsafe fn a(words: &Chunk, _flush: __mmask16, to: *mut Lanes) {
        // SAFETY: the caller's promise.
        unsafe { put([_mm512_castsi512_ps(avx512::row(words))], to) }
    }

    #[inline(always)]
    unsafe fn b(words: __m512i, _flush: __mmask16) -> [__m512; 4] {
        // SAFETY: the caller's promise.
        unsafe { [_mm512_castsi512_ps(words); 4] }
    }
}

/// A decoded vector of an A and a B that are so in the order of K.
pub struct InOrder;

impl Unit for InOrder {
    const ELEMENTS: usize = 1;
    const IN_ORDER: bool = true;

    #[inline(always)]
    unsafe fn a(words: &Chunk, flush: __mmask16, to: *mut Lanes) {
        // SAFETY: the caller's promise.
        unsafe { Decoded::a(words, flush, to) }
    }

    #[inline(always)]
    unsafe fn b(words: __m512i, flush: __mmask16) -> [__m512; 4] {
        // SAFETY: the caller's promise.
        unsafe { Decoded::b(words, flush) }
    }
}

/// binary16.
pub struct F16;

impl Unit for F16 {
    const ELEMENTS: usize = 2;
    const STRIDES: [usize; 2] = [2, 1];

    #[inline(always)]
    unsafe fn a(words: &Chunk, _flush: __mmask16, to: *mut Lanes) {
        // SAFETY: the caller's promise; a chunk has twice 32 bytes.
        unsafe {
            let halves: *const __m256i = words.0.as_ptr().cast();
            put([0, 1].map(|n| _mm512_cvtph_ps(_mm256_loadu_si256(halves.add(n)))), to);
        }
    }

    #[inline(always)]
    unsafe fn b(words: __m512i, _flush: __mmask16) -> [__m512; 4] {
        // SAFETY: the caller's promise.
        let [low, high] = unsafe { x86::both::<false>(words) };
        [low, high, low, high]
    }
}

/// bfloat16.
pub struct Bf16;

impl Unit for Bf16 {
    const ELEMENTS: usize = 2;

    #[inline(always)]
    unsafe fn a(words: &Chunk, _flush: __mmask16, to: *mut Lanes) {
        // SAFETY: the caller's promise.
        unsafe { put(x86::both::<true>(avx512::row(words)), to) }
    }

    #[inline(always)]
    unsafe fn b(words: __m512i, _flush: __mmask16) -> [__m512; 4] {
        // SAFETY: the caller's promise.
        let [low, high] = unsafe { x86::both::<true>(words) };
        [low, high, low, high]
    }
}

/// FP8 and BF8, A of E5M2 or E4M3, and B. The factor that makes E4M3 of B what it stands for is in A.
pub struct Bytes<const A_E5M2: bool, const B_E5M2: bool>;

impl<const A_E5M2: bool, const B_E5M2: bool> Unit for Bytes<A_E5M2, B_E5M2> {
    const ELEMENTS: usize = 4;

    #[inline(always)]
    unsafe fn a(words: &Chunk, _flush: __mmask16, to: *mut Lanes) {
        // SAFETY: the caller's promise.
        unsafe {
            let numbers = x86::bytes::<A_E5M2>(avx512::row(words));
            if A_E5M2 && B_E5M2 {
                return put(numbers, to);
            }
            let factor = _mm512_set1_ps(x86::bytes_factor(A_E5M2) * x86::bytes_factor(B_E5M2));
            put(numbers.map(|x| _mm512_mul_ps(x, factor)), to);
        }
    }

    #[inline(always)]
    unsafe fn b(words: __m512i, _flush: __mmask16) -> [__m512; 4] {
        // SAFETY: the caller's promise.
        unsafe { x86::bytes::<B_E5M2>(words) }
    }
}
