//! 16 numbers in the registers of a host level.

use std::arch::x86_64::*;

use super::super::host::{Avx2, Avx512, Host, Level, x86};
use super::super::plan::Plan;
use super::super::run::Scratch;
use crate::regs::{Chunk, Regs, avx512};

/// 16 numbers in registers, and what a level does with them.
///
/// # Safety
/// All that is unsafe here asks for a host that has [`Sixteen::LEVEL`], and that there is what is pointed to.
pub trait Sixteen: Copy + 'static {
    /// 16 dwords.
    type Words: Copy;
    /// The level's other operations.
    type Host: Host;
    /// The level.
    const LEVEL: Level;
    /// Whether there are registers for the sums of eight rows, not of four.
    const EIGHT_ROWS: bool;

    /// The dwords of a chunk.
    unsafe fn words(chunk: &Chunk) -> Self::Words;
    /// With these bits of each dword turned.
    unsafe fn flipped(words: Self::Words, bits: u32) -> Self::Words;
    /// The numbers of these bits.
    unsafe fn numbers(words: Self::Words) -> Self;
    /// The numbers of these bits, denormals as zeros of the same sign.
    unsafe fn flushed(words: Self::Words) -> Self;
    /// The numbers of these bits, rounded to 10 bits of mantissa, as `element::xf32`.
    unsafe fn xf32(words: Self::Words) -> Self;
    /// Both halves of each dword, binary16 or bfloat16, the low ones first.
    unsafe fn both<const BF16: bool>(words: Self::Words) -> [Self; 2];
    /// The four bytes of each dword, the lowest first, as [`x86::bytes`].
    unsafe fn bytes<const E5M2: bool>(words: Self::Words) -> [Self; 4];
    /// The binary16 numbers of a chunk one after the other.
    unsafe fn halves(chunk: &Chunk) -> [Self; 2];
    /// Zeros.
    unsafe fn zero() -> Self;
    /// 16 numbers in memory, aligned as chunks are, by an instruction that does nothing else.
    unsafe fn load(from: *const f32) -> Self;
    /// Puts them away.
    unsafe fn store(self, to: *mut f32);
    /// Each and that of `other`.
    unsafe fn plus(self, other: Self) -> Self;
    /// Each times `x`.
    unsafe fn times(self, x: f32) -> Self;
    /// Each and the product of the number at `x` and that of `b`, rounded once.
    unsafe fn plus_product(self, x: *const f32, b: Self) -> Self;
    /// Whether one is a NaN.
    unsafe fn has_nans(self) -> bool;
    /// [`super::prepare`].
    unsafe fn prepare(regs: &Regs, plan: &Plan, scratch: &mut Scratch, decodes: bool);
    /// [`super::finish`].
    unsafe fn finish(regs: &mut Regs, plan: &Plan, scratch: &mut Scratch);
}

/// What is compiled for a level and done out of the way.
macro_rules! out_of_the_way {
    ($features:literal) => {
        #[inline(always)]
        unsafe fn prepare(regs: &Regs, plan: &Plan, scratch: &mut Scratch, decodes: bool) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn body<V: Sixteen>(regs: &Regs, plan: &Plan, scratch: &mut Scratch, decodes: bool) {
                super::prepare::<V>(regs, plan, scratch, decodes);
            }
            // SAFETY: the caller's promise.
            unsafe { body::<Self>(regs, plan, scratch, decodes) }
        }

        #[inline(always)]
        unsafe fn finish(regs: &mut Regs, plan: &Plan, scratch: &mut Scratch) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn body<V: Sixteen>(regs: &mut Regs, plan: &Plan, scratch: &mut Scratch) {
                super::finish::<V>(regs, plan, scratch);
            }
            // SAFETY: the caller's promise.
            unsafe { body::<Self>(regs, plan, scratch) }
        }
    };
}

#[expect(clippy::undocumented_unsafe_blocks, reason = "what the trait asks for is all that they need")]
impl Sixteen for __m512 {
    type Words = __m512i;
    type Host = Avx512;
    const LEVEL: Level = Level::Avx512;
    const EIGHT_ROWS: bool = true;

    #[inline(always)]
    unsafe fn words(chunk: &Chunk) -> __m512i {
        unsafe { avx512::row(chunk) }
    }

    #[inline(always)]
    unsafe fn flipped(words: __m512i, bits: u32) -> __m512i {
        unsafe { _mm512_xor_si512(words, _mm512_set1_epi32(bits as i32)) }
    }

    #[inline(always)]
    unsafe fn numbers(words: __m512i) -> __m512 {
        unsafe { _mm512_castsi512_ps(words) }
    }

    #[inline(always)]
    unsafe fn flushed(words: __m512i) -> __m512 {
        unsafe {
            let small = _mm512_testn_epi32_mask(words, _mm512_set1_epi32(0x7f80_0000));
            let sign = _mm512_set1_epi32(i32::MIN);
            _mm512_castsi512_ps(_mm512_mask_and_epi32(words, small, words, sign))
        }
    }

    #[inline(always)]
    unsafe fn xf32(words: __m512i) -> __m512 {
        unsafe {
            let odd = _mm512_and_si512(_mm512_srli_epi32::<13>(words), _mm512_set1_epi32(1));
            let up = _mm512_add_epi32(_mm512_add_epi32(words, _mm512_set1_epi32(0xfff)), odd);
            let number = _mm512_castsi512_ps(words);
            let is_number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(number, number);
            _mm512_castsi512_ps(_mm512_mask_and_epi32(words, is_number, up, _mm512_set1_epi32(!0x1fff)))
        }
    }

    #[inline(always)]
    unsafe fn both<const BF16: bool>(words: __m512i) -> [__m512; 2] {
        unsafe { x86::both::<BF16>(words) }
    }

    #[inline(always)]
    unsafe fn bytes<const E5M2: bool>(words: __m512i) -> [__m512; 4] {
        unsafe { x86::bytes::<E5M2>(words) }
    }

    #[inline(always)]
    unsafe fn halves(chunk: &Chunk) -> [__m512; 2] {
        let halves: *const __m256i = chunk.0.as_ptr().cast();
        [0, 1].map(|n| unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(halves.add(n))) })
    }

    #[inline(always)]
    unsafe fn zero() -> __m512 {
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> __m512 {
        // Volatile, for the compiler would have an addition or a multiplication load it.
        unsafe { from.cast::<__m512>().read_volatile() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm512_storeu_ps(to, self) }
    }

    #[inline(always)]
    unsafe fn plus(self, other: __m512) -> __m512 {
        unsafe { _mm512_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn times(self, x: f32) -> __m512 {
        unsafe { _mm512_mul_ps(self, _mm512_set1_ps(x)) }
    }

    #[inline(always)]
    unsafe fn plus_product(self, x: *const f32, b: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(_mm512_set1_ps(*x), b, self) }
    }

    #[inline(always)]
    unsafe fn has_nans(self) -> bool {
        unsafe { _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self, self) != 0 }
    }

    out_of_the_way!("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c");
}

/// 16 numbers in two registers of AVX2.
pub type Two = [__m256; 2];

/// Of both registers: what `$body` makes of `$x`.
macro_rules! of_both {
    ($x:ident => $body:expr) => {
        [
            {
                let [$x, _] = $x;
                $body
            },
            {
                let [_, $x] = $x;
                $body
            },
        ]
    };
}

#[expect(clippy::undocumented_unsafe_blocks, reason = "what the trait asks for is all that they need")]
impl Sixteen for Two {
    type Words = [__m256i; 2];
    type Host = Avx2;
    const LEVEL: Level = Level::Avx2;
    const EIGHT_ROWS: bool = false;

    #[inline(always)]
    unsafe fn words(chunk: &Chunk) -> [__m256i; 2] {
        let words: *const __m256i = chunk.0.as_ptr().cast();
        unsafe { [_mm256_loadu_si256(words), _mm256_loadu_si256(words.add(1))] }
    }

    #[inline(always)]
    unsafe fn flipped(words: [__m256i; 2], bits: u32) -> [__m256i; 2] {
        unsafe { of_both!(words => _mm256_xor_si256(words, _mm256_set1_epi32(bits as i32))) }
    }

    #[inline(always)]
    unsafe fn numbers(words: [__m256i; 2]) -> Two {
        unsafe { of_both!(words => _mm256_castsi256_ps(words)) }
    }

    #[inline(always)]
    unsafe fn flushed(words: [__m256i; 2]) -> Two {
        unsafe {
            let (exponent, sign) = (_mm256_set1_epi32(0x7f80_0000), _mm256_set1_epi32(i32::MIN));
            of_both!(words => {
                let small = _mm256_cmpeq_epi32(_mm256_and_si256(words, exponent), _mm256_setzero_si256());
                let kept = _mm256_or_si256(sign, _mm256_xor_si256(small, _mm256_set1_epi32(-1)));
                _mm256_castsi256_ps(_mm256_and_si256(words, kept))
            })
        }
    }

    #[inline(always)]
    unsafe fn xf32(words: [__m256i; 2]) -> Two {
        unsafe {
            of_both!(words => {
                let odd = _mm256_and_si256(_mm256_srli_epi32::<13>(words), _mm256_set1_epi32(1));
                let up = _mm256_add_epi32(_mm256_add_epi32(words, _mm256_set1_epi32(0xfff)), odd);
                let rounded = _mm256_castsi256_ps(_mm256_and_si256(up, _mm256_set1_epi32(!0x1fff)));
                let number = _mm256_castsi256_ps(words);
                _mm256_blendv_ps(number, rounded, _mm256_cmp_ps::<_CMP_ORD_Q>(number, number))
            })
        }
    }

    #[inline(always)]
    unsafe fn both<const BF16: bool>(words: [__m256i; 2]) -> [Two; 2] {
        let [first, second] = unsafe { of_both!(words => x86::both_of_eight::<BF16>(words)) };
        [[first[0], second[0]], [first[1], second[1]]]
    }

    #[inline(always)]
    unsafe fn bytes<const E5M2: bool>(words: [__m256i; 2]) -> [Two; 4] {
        let [first, second] = unsafe { of_both!(words => x86::bytes_of_eight::<E5M2>(words)) };
        [0, 1, 2, 3].map(|n| [first[n], second[n]])
    }

    #[inline(always)]
    unsafe fn halves(chunk: &Chunk) -> [Two; 2] {
        let halves: *const __m128i = chunk.0.as_ptr().cast();
        [0, 2].map(|n| [n, n + 1].map(|n| unsafe { _mm256_cvtph_ps(_mm_loadu_si128(halves.add(n))) }))
    }

    #[inline(always)]
    unsafe fn zero() -> Two {
        unsafe { [_mm256_setzero_ps(); 2] }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Two {
        unsafe { [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))] }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe {
            _mm256_storeu_ps(to, self[0]);
            _mm256_storeu_ps(to.add(8), self[1]);
        }
    }

    #[inline(always)]
    unsafe fn plus(self, other: Two) -> Two {
        unsafe { [_mm256_add_ps(self[0], other[0]), _mm256_add_ps(self[1], other[1])] }
    }

    #[inline(always)]
    unsafe fn times(self, x: f32) -> Two {
        unsafe { [_mm256_mul_ps(self[0], _mm256_set1_ps(x)), _mm256_mul_ps(self[1], _mm256_set1_ps(x))] }
    }

    #[inline(always)]
    unsafe fn plus_product(self, x: *const f32, b: Two) -> Two {
        unsafe {
            let x = _mm256_set1_ps(*x);
            [_mm256_fmadd_ps(x, b[0], self[0]), _mm256_fmadd_ps(x, b[1], self[1])]
        }
    }

    #[inline(always)]
    unsafe fn has_nans(self) -> bool {
        unsafe {
            let nans = _mm256_or_ps(
                _mm256_cmp_ps::<_CMP_UNORD_Q>(self[0], self[0]),
                _mm256_cmp_ps::<_CMP_UNORD_Q>(self[1], self[1]),
            );
            _mm256_movemask_ps(nans) != 0
        }
    }

    out_of_the_way!("avx2,fma,f16c");
}
