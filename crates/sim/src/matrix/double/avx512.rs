//! [`super::Double`] on a host with AVX-512: a row of C goes past B, which stays in registers, to D.

use std::arch::x86_64::*;

use super::super::plan::AddendFrom;
use super::super::run::plan_of;
use crate::op::Op;
use crate::regs::{Chunk, Regs, avx512};

/// Chunks of C and D, the low halves of a row of them four before the high ones.
const CHUNKS: usize = 32;

/// The order that makes 8 numbers of two chunks of halves, the first 8 or the last ones.
///
/// # Safety
/// The host must have AVX-512 F.
#[inline(always)]
unsafe fn merging(from: i32) -> __m512i {
    let at = |n: i32| from + n / 2 + n % 2 * 16;
    // SAFETY: the caller's promise.
    unsafe {
        _mm512_setr_epi32(
            at(0),
            at(1),
            at(2),
            at(3),
            at(4),
            at(5),
            at(6),
            at(7),
            at(8),
            at(9),
            at(10),
            at(11),
            at(12),
            at(13),
            at(14),
            at(15),
        )
    }
}

/// The order that makes a chunk of halves of 16 numbers, the low or the high ones.
///
/// # Safety
/// The host must have AVX-512 F.
#[inline(always)]
unsafe fn parting(high: i32) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        _mm512_add_epi32(even, _mm512_set1_epi32(high))
    }
}

/// The 16 numbers whose low halves are in chunk `at`, turned by `sign`.
///
/// # Safety
/// The host must have AVX-512 F and DQ.
#[inline(always)]
unsafe fn numbers(chunks: &[Chunk], at: usize, sign: __m512d) -> [__m512d; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        let (low, high) = (avx512::row(&chunks[at]), avx512::row(&chunks[at + 4]));
        let first = _mm512_permutex2var_epi32(low, merging(0), high);
        let last = _mm512_permutex2var_epi32(low, merging(8), high);
        [_mm512_xor_pd(_mm512_castsi512_pd(first), sign), _mm512_xor_pd(_mm512_castsi512_pd(last), sign)]
    }
}

/// [`super::Double`].
///
/// # Safety
/// The host must have AVX-512 F and DQ.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
pub unsafe fn product(regs: &mut Regs, op: &Op) {
    let Some(plan) = plan_of(op) else { return };
    let sign = |is_turned: bool| if is_turned { -0.0 } else { 0.0 };
    // SAFETY: the caller's promise.
    unsafe {
        let plain = _mm512_setzero_pd();
        let turned = _mm512_set1_pd(sign(plan.a.negate[0] != plan.b.negate[0]));
        let mut a = [0.0; 64];
        let mut b = [[plain; 2]; 4];
        for (k, of_b) in b.iter_mut().enumerate() {
            let [first, last] = numbers(&regs.v, plan.a.at + k, plain);
            _mm512_storeu_pd(a.as_mut_ptr().add(16 * k), first);
            _mm512_storeu_pd(a.as_mut_ptr().add(16 * k + 8), last);
            *of_b = numbers(&regs.v, plan.b.at + k, turned);
        }
        let turned = _mm512_set1_pd(sign(plan.c.neg));
        // Where D lies over a part of C, that must not be written before it is read.
        let copy = match plan.c.from {
            AddendFrom::Registers(at) if at != plan.d && at.abs_diff(plan.d) < CHUNKS => {
                Some(std::array::from_fn::<Chunk, CHUNKS, _>(|n| regs.v[at + n]))
            }
            _ => None,
        };
        let nan = _mm512_castsi512_pd(_mm512_set1_epi64(0x7ff8 << 48));
        for row in 0..16 {
            // Its chunk, from the matrix's first one.
            let chunk = row / 4 * 8 + row % 4;
            let [mut first, mut last] = match (&copy, plan.c.from) {
                (Some(copy), _) => numbers(copy, chunk, turned),
                (None, AddendFrom::Registers(at)) => numbers(&regs.v, at + chunk, turned),
                (None, AddendFrom::Constant(bits)) => {
                    [_mm512_xor_pd(_mm512_set1_pd(f64::from_bits(bits)), turned); 2]
                }
            };
            for (k, of_b) in b.iter().enumerate() {
                let x = _mm512_set1_pd(a[16 * k + row]);
                first = _mm512_fmadd_pd(x, of_b[0], first);
                last = _mm512_fmadd_pd(x, of_b[1], last);
            }
            first = _mm512_mask_mov_pd(first, _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(first, first), nan);
            last = _mm512_mask_mov_pd(last, _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(last, last), nan);
            let [first, last] = [_mm512_castpd_si512(first), _mm512_castpd_si512(last)];
            let at = plan.d + chunk;
            avx512::put(&mut regs.v[at], _mm512_permutex2var_epi32(first, parting(0), last));
            avx512::put(&mut regs.v[at + 4], _mm512_permutex2var_epi32(first, parting(1), last));
        }
    }
}
