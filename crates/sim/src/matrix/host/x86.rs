//! The bodies for hosts with AVX2 and with AVX-512.

use std::arch::x86_64::*;

use super::{Host, Lanes, NAN_F16, Pair, Step, met};
use crate::regs::{Chunk, avx512};

/// [`super::Level::Avx2`].
pub struct Avx2;
/// [`super::Level::Avx512`].
pub struct Avx512;

impl Host for Avx2 {
    #[inline(always)]
    fn f16<const SHIFT: u32>(words: &[u32; 16]) -> Lanes {
        let mut both = [Lanes::ZERO; 2];
        let [low, high] = &mut both;
        Self::f16_halves(words, low, high);
        both[usize::from(SHIFT != 0)]
    }

    #[inline(always)]
    fn f16_halves(words: &[u32; 16], low: &mut Lanes, high: &mut Lanes) {
        // SAFETY: code of this level runs only where AVX2 and F16C are; all arrays are 64 bytes.
        unsafe {
            for eight in [0, 8] {
                let words = _mm256_loadu_si256(words.as_ptr().add(eight).cast());
                let [of_low, of_high] = both_of_eight::<false>(words);
                _mm256_storeu_ps(low.0.as_mut_ptr().add(eight), of_low);
                _mm256_storeu_ps(high.0.as_mut_ptr().add(eight), of_high);
            }
        }
    }

    const WIDE: bool = true;

    #[inline(always)]
    fn fp8<const E5M2: bool>(words: &Chunk, to: [&mut Lanes; 4]) {
        // SAFETY: code of this level runs only where AVX2 and F16C are; every vector is 16 numbers.
        unsafe {
            let factor = _mm256_set1_ps(bytes_factor(E5M2));
            let to = to.map(|to| to.0.as_mut_ptr());
            for eight in [0, 8] {
                let words = _mm256_loadu_si256(words.0.as_ptr().add(eight).cast());
                for (to, numbers) in to.into_iter().zip(bytes_of_eight::<E5M2>(words)) {
                    _mm256_storeu_ps(to.add(eight), _mm256_mul_ps(numbers, factor));
                }
            }
        }
    }

    #[inline(always)]
    fn to_f16(numbers: &Lanes) -> Chunk {
        let mut out = Chunk::ZERO;
        // SAFETY: code of this level runs only where AVX2 and F16C are; both arrays are 64 bytes.
        unsafe {
            for eight in [0, 8] {
                let numbers = _mm256_loadu_ps(numbers.0.as_ptr().add(eight));
                let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(numbers);
                let nans = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(numbers, numbers));
                let nan = _mm256_set1_epi32(NAN_F16.into());
                let words = _mm256_blendv_epi8(_mm256_cvtepu16_epi32(halves), nan, nans);
                _mm256_storeu_si256(out.0.as_mut_ptr().add(eight).cast(), words);
            }
        }
        out
    }

    #[inline(always)]
    fn multiply<const EXACT: bool>(acc: &mut [Lanes; 16], a: &[Lanes], b: &[Lanes], steps: &[Step]) {
        for (group, rows) in acc.chunks_exact_mut(4).enumerate() {
            // SAFETY: code of this level runs only where AVX2 and FMA are; every pointer is to 16 floats.
            unsafe {
                let mut low: [__m256; 4] = std::array::from_fn(|r| _mm256_loadu_ps(rows[r].0.as_ptr()));
                let mut high: [__m256; 4] =
                    std::array::from_fn(|r| _mm256_loadu_ps(rows[r].0.as_ptr().add(8)));
                accumulate_four(&mut low, &mut high, 4 * group, a, b, steps);
                for r in 0..4 {
                    _mm256_storeu_ps(rows[r].0.as_mut_ptr(), low[r]);
                    _mm256_storeu_ps(rows[r].0.as_mut_ptr().add(8), high[r]);
                }
            }
        }
    }

    #[inline(always)]
    fn multiply_sparse<const EXACT: bool>(
        acc: &mut [Lanes; 16],
        a: &[Lanes],
        b: &[Lanes],
        index: &[Chunk],
        pairs: &[Pair],
        chunks: usize,
    ) {
        for (group, rows) in acc.chunks_exact_mut(4).enumerate() {
            // SAFETY: code of this level runs only where AVX2 and FMA are; every pointer is to 16 floats.
            unsafe {
                let mut low: [__m256; 4] = std::array::from_fn(|r| _mm256_loadu_ps(rows[r].0.as_ptr()));
                let mut high: [__m256; 4] =
                    std::array::from_fn(|r| _mm256_loadu_ps(rows[r].0.as_ptr().add(8)));
                for pair in pairs {
                    for second in [false, true] {
                        let a = &a[pair.a as usize + usize::from(second) * chunks].0;
                        for r in 0..4 {
                            let x = _mm256_set1_ps(a[4 * group + r]);
                            let b = met(pair, index, 4 * group + r, second, b).as_ptr();
                            low[r] = _mm256_fmadd_ps(x, _mm256_loadu_ps(b), low[r]);
                            high[r] = _mm256_fmadd_ps(x, _mm256_loadu_ps(b.add(8)), high[r]);
                        }
                    }
                }
                for r in 0..4 {
                    _mm256_storeu_ps(rows[r].0.as_mut_ptr(), low[r]);
                    _mm256_storeu_ps(rows[r].0.as_mut_ptr().add(8), high[r]);
                }
            }
        }
    }
}

/// Add up the products of four rows of A from `row` on, in halves of 8 columns.
///
/// # Safety
/// The host must have AVX2 and FMA.
#[inline(always)]
unsafe fn accumulate_four(
    low: &mut [__m256; 4],
    high: &mut [__m256; 4],
    row: usize,
    a: &[Lanes],
    b: &[Lanes],
    steps: &[Step],
) {
    for step in steps {
        let (a, b) = (&a[step.a as usize].0, b[step.b as usize].0.as_ptr());
        // SAFETY: the caller's promise; `b` is to 16 floats.
        unsafe {
            let (b_low, b_high) = (_mm256_loadu_ps(b), _mm256_loadu_ps(b.add(8)));
            for r in 0..4 {
                let x = _mm256_set1_ps(a[row + r]);
                low[r] = _mm256_fmadd_ps(x, b_low, low[r]);
                high[r] = _mm256_fmadd_ps(x, b_high, high[r]);
            }
        }
    }
}

/// [`both`] of eight lanes.
///
/// # Safety
/// The host must have AVX2 and F16C.
#[inline(always)]
pub unsafe fn both_of_eight<const BF16: bool>(words: __m256i) -> [__m256; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        if BF16 {
            let high = _mm256_and_si256(words, _mm256_set1_epi32(0xffff_0000_u32 as i32));
            return [_mm256_castsi256_ps(_mm256_slli_epi32::<16>(words)), _mm256_castsi256_ps(high)];
        }
        let even_then_odd = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
        let of_four = _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(even_then_odd));
        let halves = _mm256_permute4x64_epi64::<0b11_01_10_00>(of_four);
        let high = _mm256_extracti128_si256::<1>(halves);
        [_mm256_cvtph_ps(_mm256_castsi256_si128(halves)), _mm256_cvtph_ps(high)]
    }
}

/// [`both_bytes`] of eight lanes.
///
/// # Safety
/// As [`both_of_eight`].
#[inline(always)]
unsafe fn both_bytes_of_eight<const E5M2: bool>(words: __m256i) -> [__m256; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        if E5M2 {
            return both_of_eight::<false>(_mm256_and_si256(words, _mm256_set1_epi16(0xff00_u16 as i16)));
        }
        let magnitude = _mm256_and_si256(words, _mm256_set1_epi16(0x7f00));
        let nan = _mm256_cmpeq_epi16(magnitude, _mm256_set1_epi16(0x7f00));
        let sign = _mm256_and_si256(words, _mm256_set1_epi16(0x8000_u16 as i16));
        let number = _mm256_or_si256(sign, _mm256_srli_epi16::<1>(magnitude));
        both_of_eight::<false>(_mm256_blendv_epi8(number, _mm256_set1_epi16(0x7e00), nan))
    }
}

/// [`bytes`] of eight lanes.
///
/// # Safety
/// As [`both_of_eight`].
#[inline(always)]
pub unsafe fn bytes_of_eight<const E5M2: bool>(words: __m256i) -> [__m256; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let [zero, two] = both_bytes_of_eight::<E5M2>(_mm256_slli_epi16::<8>(words));
        let [one, three] = both_bytes_of_eight::<E5M2>(words);
        [zero, one, two, three]
    }
}

/// The numbers of the low halves of 16 words, then those of the high ones.
#[repr(align(64))]
struct Halves([u16; 32]);

static HALVES: Halves = {
    let mut numbers = [0; 32];
    let mut i = 0;
    while i < 32 {
        numbers[i as usize] = i % 16 * 2 + i / 16;
        i += 1;
    }
    Halves(numbers)
};

/// The array of what `$value` is for each row `$r` of 16. As a loop it would keep the rows in memory.
macro_rules! rows {
    ($r:ident => $value:expr) => { rows!($r => $value; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
    ($r:ident => $value:expr; $($n:literal)*) => { [$({ let $r: usize = $n; $value }),*] };
}

/// [`Host::multiply`] with the sums in registers.
///
/// # Safety
/// The host must have AVX-512 F.
#[inline(always)]
unsafe fn accumulate(sums: &mut [__m512; 16], a: &[Lanes], b: &[Lanes], steps: &[Step]) {
    for step in steps {
        let a = &a[step.a as usize].0;
        // SAFETY: the caller's promise; the pointer is to 16 floats.
        unsafe {
            let b = _mm512_loadu_ps(b[step.b as usize].0.as_ptr());
            for r in 0..16 {
                sums[r] = _mm512_fmadd_ps(_mm512_set1_ps(a[r]), b, sums[r]);
            }
        }
    }
}

/// [`Host::multiply`]: a function that says what it needs, for its caller may not be inlined into one that does.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn multiply(acc: &mut [Lanes; 16], a: &[Lanes], b: &[Lanes], steps: &[Step]) {
    // SAFETY: every pointer is to 16 floats.
    unsafe {
        let mut sums = rows!(r => _mm512_loadu_ps(acc[r].0.as_ptr()));
        accumulate(&mut sums, a, b, steps);
        rows!(r => _mm512_storeu_ps(acc[r].0.as_mut_ptr(), sums[r]));
    }
}

/// Both halves of each lane as numbers, the low ones first.
///
/// # Safety
/// The host must have AVX-512 F and BW.
#[inline(always)]
pub unsafe fn both<const BF16: bool>(words: __m512i) -> [__m512; 2] {
    // SAFETY: the caller's promise; `HALVES` has 64 bytes.
    unsafe {
        if BF16 {
            let high = _mm512_and_si512(words, _mm512_set1_epi32(0xffff_0000_u32 as i32));
            return [_mm512_castsi512_ps(_mm512_slli_epi32::<16>(words)), _mm512_castsi512_ps(high)];
        }
        let even_then_odd = _mm512_loadu_si512(HALVES.0.as_ptr().cast());
        let halves = _mm512_permutexvar_epi16(even_then_odd, words);
        let high = _mm512_extracti64x4_epi64::<1>(halves);
        [_mm512_cvtph_ps(_mm512_castsi512_si256(halves)), _mm512_cvtph_ps(high)]
    }
}

/// The high bytes of both halves of each lane as numbers: E5M2 is the high byte of binary16; so is E4M3 a bit lower, but
/// for the bias ([`bytes_factor`]) and for its NaN, which is the largest number of binary16's that has these bits.
///
/// # Safety
/// As [`both`].
#[inline(always)]
pub unsafe fn both_bytes<const E5M2: bool>(words: __m512i) -> [__m512; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        if E5M2 {
            return both::<false>(_mm512_and_si512(words, _mm512_set1_epi16(0xff00_u16 as i16)));
        }
        let magnitude = _mm512_and_si512(words, _mm512_set1_epi16(0x7f00));
        let nan = _mm512_cmpeq_epi16_mask(magnitude, _mm512_set1_epi16(0x7f00));
        let sign = _mm512_and_si512(words, _mm512_set1_epi16(0x8000_u16 as i16));
        let number = _mm512_or_si512(sign, _mm512_srli_epi16::<1>(magnitude));
        let number = _mm512_mask_mov_epi16(number, nan, _mm512_set1_epi16(0x7e00));
        both::<false>(number)
    }
}

/// The four bytes of each lane, the lowest first, as [`both_bytes`] has them.
///
/// # Safety
/// As [`both`].
#[inline(always)]
pub unsafe fn bytes<const E5M2: bool>(words: __m512i) -> [__m512; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let [zero, two] = both_bytes::<E5M2>(_mm512_slli_epi16::<8>(words));
        let [one, three] = both_bytes::<E5M2>(words);
        [zero, one, two, three]
    }
}

/// What [`bytes`] are to be multiplied by.
pub const fn bytes_factor(e5m2: bool) -> f32 {
    if e5m2 { 1.0 } else { 256.0 }
}

impl Host for Avx512 {
    #[inline(always)]
    fn f16<const SHIFT: u32>(words: &[u32; 16]) -> Lanes {
        let mut out = Lanes::ZERO;
        // SAFETY: code of this level runs only where AVX-512 F is; both arrays are 64 bytes.
        unsafe {
            let words = _mm512_loadu_si512(words.as_ptr().cast());
            let halves = _mm512_cvtepi32_epi16(_mm512_srli_epi32::<SHIFT>(words));
            _mm512_storeu_ps(out.0.as_mut_ptr(), _mm512_cvtph_ps(halves));
        }
        out
    }

    #[inline(always)]
    fn f16_halves(words: &[u32; 16], low: &mut Lanes, high: &mut Lanes) {
        // SAFETY: code of this level runs only where AVX-512 F and BW are; all arrays are 64 bytes.
        unsafe {
            let even_then_odd = _mm512_loadu_si512(HALVES.0.as_ptr().cast());
            let words = _mm512_loadu_si512(words.as_ptr().cast());
            let halves = _mm512_permutexvar_epi16(even_then_odd, words);
            _mm512_storeu_ps(low.0.as_mut_ptr(), _mm512_cvtph_ps(_mm512_castsi512_si256(halves)));
            let upper = _mm512_extracti64x4_epi64::<1>(halves);
            _mm512_storeu_ps(high.0.as_mut_ptr(), _mm512_cvtph_ps(upper));
        }
    }

    #[inline(always)]
    fn multiply<const EXACT: bool>(acc: &mut [Lanes; 16], a: &[Lanes], b: &[Lanes], steps: &[Step]) {
        // SAFETY: code of this level runs only where AVX-512 is.
        unsafe { multiply(acc, a, b, steps) }
    }

    const WIDE: bool = true;

    #[inline(always)]
    fn fp8<const E5M2: bool>(words: &Chunk, to: [&mut Lanes; 4]) {
        // SAFETY: code of this level runs only where AVX-512 is; every vector is 16 numbers.
        unsafe {
            let factor = _mm512_set1_ps(bytes_factor(E5M2));
            for (to, numbers) in to.into_iter().zip(bytes::<E5M2>(avx512::row(words))) {
                _mm512_storeu_ps(to.0.as_mut_ptr(), _mm512_mul_ps(numbers, factor));
            }
        }
    }

    #[inline(always)]
    fn to_f16(numbers: &Lanes) -> Chunk {
        let mut out = Chunk::ZERO;
        // SAFETY: code of this level runs only where AVX-512 F is; both arrays are 64 bytes.
        unsafe {
            let numbers = _mm512_loadu_ps(numbers.0.as_ptr());
            let halves = _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(numbers);
            let nans = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(numbers, numbers);
            let nan = _mm512_set1_epi32(NAN_F16.into());
            avx512::put(&mut out, _mm512_mask_mov_epi32(_mm512_cvtepu16_epi32(halves), nans, nan));
        }
        out
    }

    #[inline(always)]
    fn lanes(of: &[Lanes; 4], lanes: &[u8; 64]) -> [Lanes; 4] {
        let mut found = [Lanes::ZERO; 4];
        // SAFETY: code of this level runs only where AVX-512 is; each chunk has 16 lanes.
        unsafe {
            let at = |chunk: usize| of[chunk].0.as_ptr();
            let [low, next] = [_mm512_loadu_ps(at(0)), _mm512_loadu_ps(at(1))];
            let [third, high] = [_mm512_loadu_ps(at(2)), _mm512_loadu_ps(at(3))];
            for (chunk, found) in found.iter_mut().enumerate() {
                let lanes = _mm_loadu_si128(lanes.as_ptr().add(16 * chunk).cast());
                let lanes = _mm512_cvtepu8_epi32(lanes);
                let upper = _mm512_test_epi32_mask(lanes, _mm512_set1_epi32(32));
                let of_lower = _mm512_permutex2var_ps(low, lanes, next);
                let of_upper = _mm512_permutex2var_ps(third, lanes, high);
                _mm512_storeu_ps(found.0.as_mut_ptr(), _mm512_mask_mov_ps(of_lower, upper, of_upper));
            }
        }
        found
    }

    #[inline(always)]
    fn multiply_sparse<const EXACT: bool>(
        acc: &mut [Lanes; 16],
        a: &[Lanes],
        b: &[Lanes],
        index: &[Chunk],
        pairs: &[Pair],
        chunks: usize,
    ) {
        // SAFETY: code of this level runs only where AVX-512 F is; every pointer is to 16 floats.
        unsafe {
            let mut sums: [__m512; 16] = std::array::from_fn(|r| _mm512_loadu_ps(acc[r].0.as_ptr()));
            for pair in pairs {
                for second in [false, true] {
                    let a = &a[pair.a as usize + usize::from(second) * chunks].0;
                    for r in 0..16 {
                        let b = _mm512_loadu_ps(met(pair, index, r, second, b).as_ptr());
                        sums[r] = _mm512_fmadd_ps(_mm512_set1_ps(a[r]), b, sums[r]);
                    }
                }
            }
            for r in 0..16 {
                _mm512_storeu_ps(acc[r].0.as_mut_ptr(), sums[r]);
            }
        }
    }
}
