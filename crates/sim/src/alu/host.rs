//! The host's vector levels: what lane code is compiled for, and the few chunk operations that the compiler
//! does not find by itself.
//!
//! A body is compiled once per [`Level`] by the three functions at the end of this file; everything below them
//! is `#[inline(always)]` and inherits their target features. All levels compute the same bits: the only
//! operations whose instruction differs are exact ones (fused multiply-add, f16 conversion of numbers, bit
//! masks).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::op::{Body, Op};
use crate::regs::Regs;

/// A vector instruction set of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The target's baseline.
    Portable = 0,
    /// AVX2, FMA, F16C, BMI.
    Avx2 = 1,
    /// AVX-512 F, BW, DQ, VL.
    Avx512 = 2,
}

/// The highest level to use.
static LIMIT: AtomicU8 = AtomicU8::new(Level::Avx512 as u8);

/// What is bound or run from now on in this process uses no higher level than `limit`. No result depends on it: this
/// is how tests see that none does.
pub fn limit_level(limit: Level) {
    LIMIT.store(limit as u8, Ordering::SeqCst);
    LEVEL.store(UNKNOWN, Ordering::SeqCst);
}

/// The level of this host below the limit, or [`UNKNOWN`]: many bodies ask for it, each time that they run.
static LEVEL: AtomicU8 = AtomicU8::new(UNKNOWN);

/// No [`Level`].
const UNKNOWN: u8 = u8::MAX;

/// The level of this host, found once, below the limit.
#[inline(always)]
pub fn level() -> Level {
    match LEVEL.load(Ordering::Relaxed) {
        0 => Level::Portable,
        1 => Level::Avx2,
        2 => Level::Avx512,
        _ => find_level(),
    }
}

#[cold]
#[inline(never)]
fn find_level() -> Level {
    static HIGHEST: OnceLock<Level> = OnceLock::new();
    let highest = *HIGHEST.get_or_init(|| levels().last().copied().unwrap_or(Level::Portable));
    let level = match LIMIT.load(Ordering::SeqCst) {
        0 => Level::Portable,
        1 => highest.min(Level::Avx2),
        _ => highest,
    };
    LEVEL.store(level as u8, Ordering::SeqCst);
    level
}

/// All levels that this host can run, lowest first.
pub fn levels() -> Vec<Level> {
    #[allow(unused_mut)]
    let mut found = vec![Level::Portable];
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        if avx2 {
            found.push(Level::Avx2);
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                found.push(Level::Avx512);
            }
        }
    }
    found
}

/// A function that is compiled for each [`Level`] and calls itself for that of the host. What is inlined into it is
/// vectorised for it.
macro_rules! leveled {
    ($(#[$doc:meta])* $visible:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$doc])*
        #[inline]
        $visible fn $name($($arg: $ty),*) $(-> $result)? {
            #[inline(always)]
            fn portable($($arg: $ty),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
            fn avx2($($arg: $ty),*) $(-> $result)? {
                portable($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
            fn avx512($($arg: $ty),*) $(-> $result)? {
                portable($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            match $crate::alu::level() {
                $crate::alu::Level::Portable => {}
                // SAFETY: the host has what the level stands for.
                $crate::alu::Level::Avx2 => return unsafe { avx2($($arg),*) },
                // SAFETY: as above.
                $crate::alu::Level::Avx512 => return unsafe { avx512($($arg),*) },
            }
            portable($($arg),*)
        }
    };
}
pub(crate) use leveled;

/// The same body compiled for each [`Level`] and, within it, for waves of 2 and of 4 chunks ([`size`]).
pub type Bodies = [[Body; 2]; 3];

/// Which of the two bodies of a level is that for waves of so many chunks.
#[inline]
pub fn size(chunks: usize) -> usize {
    usize::from(chunks == 4)
}

/// Chunk operations of a host level.
pub trait Host: 'static {
    /// Bit n: the top bit of lane n.
    fn movemask(lanes: &[u32; 16]) -> u32;
    /// Lane n all ones if bit n of `mask`, else zero.
    fn expand(mask: u32) -> [u32; 16];
    /// Lane n of `new` where bit n of `mask` is set, else of `old`.
    fn select(mask: u32, new: &[u32; 16], old: &[u32; 16]) -> [u32; 16];
    /// `word` into all lanes.
    #[inline(always)]
    fn splat(lanes: &mut [u32; 16], word: u32) {
        lanes.fill(word);
    }
    /// Lane n: lane `from[n]` of `lanes`, of which the low four bits count.
    #[inline(always)]
    fn permute(lanes: &[u32; 16], from: &[u32; 16]) -> [u32; 16] {
        std::array::from_fn(|l| lanes[from[l] as usize & 15])
    }
    /// Byte n of a lane: that of the eight bytes of its `low` and `high` which byte n of `from`, below 8, says.
    #[inline(always)]
    fn bytes_of_two(low: &[u32; 16], high: &[u32; 16], from: &[u32; 16]) -> [u32; 16] {
        std::array::from_fn(|l| {
            let byte = |n: u32| {
                let from = from[l] >> (8 * n) & 7;
                let word = if from < 4 { low[l] } else { high[l] };
                (word >> (8 * (from & 3)) & 0xff) << (8 * n)
            };
            byte(0) | byte(1) | byte(2) | byte(3)
        })
    }
    /// Binary16 in the low halves to binary32.
    fn f16_to_f32(halves: &[u32; 16]) -> [f32; 16];
    /// Binary16 in bits `SHIFT + 15 : SHIFT` to binary32.
    #[inline(always)]
    fn half_to_f32<const SHIFT: u32>(words: &[u32; 16]) -> [f32; 16] {
        Self::f16_to_f32(&std::array::from_fn(|i| words[i] >> SHIFT & 0xffff))
    }
    /// Binary32 to binary16 to nearest even; the bits of a NaN are unspecified.
    fn f32_to_f16(x: &[f32; 16]) -> [u32; 16];
    /// The same of two numbers a lane, the second one in the high half.
    #[inline(always)]
    fn two_to_f16(low: &[f32; 16], high: &[f32; 16]) -> [u32; 16] {
        let (low, high) = (Self::f32_to_f16(low), Self::f32_to_f16(high));
        std::array::from_fn(|i| low[i] | high[i] << 16)
    }
    /// Run `K` at this level, out of the way of who asks for it.
    ///
    /// # Safety
    /// As [`Kernel::run`].
    unsafe fn run_apart<K: Kernel, const N: usize>(regs: &mut Regs, op: &Op);
    /// Not 0 if a number is a NaN.
    #[inline(always)]
    fn any_nan(x: &[f32; 16]) -> u32 {
        x.iter().fold(0, |any, x| any | u32::from(x.is_nan()))
    }
}

/// [`Level::Portable`].
pub struct Portable;

impl Host for Portable {
    #[cold]
    #[inline(never)]
    unsafe fn run_apart<K: Kernel, const N: usize>(regs: &mut Regs, op: &Op) {
        // SAFETY: the caller's promise.
        unsafe { K::run::<Portable, N>(regs, op) }
    }
    #[inline(always)]
    fn movemask(lanes: &[u32; 16]) -> u32 {
        let mut mask = 0;
        for (i, lane) in lanes.iter().enumerate() {
            mask |= (lane >> 31) << i;
        }
        mask
    }
    #[inline(always)]
    fn expand(mask: u32) -> [u32; 16] {
        std::array::from_fn(|i| 0u32.wrapping_sub(mask >> i & 1))
    }
    #[inline(always)]
    fn select(mask: u32, new: &[u32; 16], old: &[u32; 16]) -> [u32; 16] {
        let m = Self::expand(mask);
        std::array::from_fn(|i| new[i] & m[i] | old[i] & !m[i])
    }
    #[inline(always)]
    fn f16_to_f32(halves: &[u32; 16]) -> [f32; 16] {
        std::array::from_fn(|i| wavemark_numerics::f16::to_f32(halves[i] as u16))
    }
    #[inline(always)]
    fn f32_to_f16(x: &[f32; 16]) -> [u32; 16] {
        std::array::from_fn(|i| u32::from(wavemark_numerics::f16::from_f32(x[i])))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Host, Kernel};
    use crate::op::Op;
    use crate::regs::Regs;

    /// [`super::Level::Avx2`].
    pub struct Avx2;
    /// [`super::Level::Avx512`].
    pub struct Avx512;

    /// Two halves of a chunk as AVX2 vectors.
    #[inline(always)]
    unsafe fn load(x: *const u32) -> (__m256i, __m256i) {
        // SAFETY: the caller passes a pointer to 16 words and has AVX.
        unsafe { (_mm256_loadu_si256(x.cast()), _mm256_loadu_si256(x.add(8).cast())) }
    }

    /// Lane n of the two halves all ones if bit n of `mask`.
    #[inline(always)]
    unsafe fn lane_masks(mask: u32) -> (__m256i, __m256i) {
        // SAFETY: the caller has AVX2.
        unsafe {
            let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let half = |m: u32| _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(m as i32), bits), bits);
            (half(mask), half(mask >> 8))
        }
    }

    impl Host for Avx2 {
        #[inline(always)]
        unsafe fn run_apart<K: Kernel, const N: usize>(regs: &mut Regs, op: &Op) {
            #[cold]
            #[inline(never)]
            #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn run<K: Kernel, const N: usize>(regs: &mut Regs, op: &Op) {
                // SAFETY: the caller's promise.
                unsafe { K::run::<Avx2, N>(regs, op) }
            }
            // SAFETY: the caller's promise.
            unsafe { run::<K, N>(regs, op) }
        }
        #[inline(always)]
        fn movemask(lanes: &[u32; 16]) -> u32 {
            // SAFETY: code of this level runs only where AVX2 is (`super::level`).
            unsafe {
                let (lo, hi) = load(lanes.as_ptr());
                (_mm256_movemask_ps(_mm256_castsi256_ps(lo)) as u32)
                    | (_mm256_movemask_ps(_mm256_castsi256_ps(hi)) as u32) << 8
            }
        }
        #[inline(always)]
        fn expand(mask: u32) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: code of this level runs only where AVX2 is; `out` is 64 bytes.
            unsafe {
                let (lo, hi) = lane_masks(mask);
                _mm256_storeu_si256(out.as_mut_ptr().cast(), lo);
                _mm256_storeu_si256(out.as_mut_ptr().add(8).cast(), hi);
            }
            out
        }
        #[inline(always)]
        fn select(mask: u32, new: &[u32; 16], old: &[u32; 16]) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: as above; all three arrays are 64 bytes.
            unsafe {
                let (mask_lo, mask_hi) = lane_masks(mask);
                let (new_lo, new_hi) = load(new.as_ptr());
                let (old_lo, old_hi) = load(old.as_ptr());
                _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_blendv_epi8(old_lo, new_lo, mask_lo));
                _mm256_storeu_si256(
                    out.as_mut_ptr().add(8).cast(),
                    _mm256_blendv_epi8(old_hi, new_hi, mask_hi),
                );
            }
            out
        }
        #[inline(always)]
        fn permute(lanes: &[u32; 16], from: &[u32; 16]) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: code of this level runs only where AVX2 is; all three arrays are 64 bytes.
            unsafe {
                let (low, high) = load(lanes.as_ptr());
                let (first, second) = load(from.as_ptr());
                for (from, at) in [(first, 0), (second, 8)] {
                    let of_low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, from));
                    let of_high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, from));
                    // The sign says whether it is one of the upper eight.
                    let upper = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(from));
                    let found = _mm256_blendv_ps(of_low, of_high, upper);
                    _mm256_storeu_ps(out.as_mut_ptr().add(at).cast(), found);
                }
            }
            out
        }
        #[inline(always)]
        fn bytes_of_two(low: &[u32; 16], high: &[u32; 16], from: &[u32; 16]) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: as above; all four arrays are 64 bytes.
            unsafe {
                for at in [0, 8] {
                    let eight = |of: &[u32; 16]| _mm256_loadu_si256(of.as_ptr().add(at).cast());
                    let (low, high) = (eight(low), eight(high));
                    // Two lanes' bytes in each half: those of the even lanes begin at 0, of the odd ones at 8.
                    let from = _mm256_or_si256(eight(from), _mm256_set1_epi64x(0x0808_0808 << 32));
                    let first = _mm256_shuffle_epi8(_mm256_unpacklo_epi32(low, high), from);
                    let second = _mm256_shuffle_epi8(_mm256_unpackhi_epi32(low, high), from);
                    let both = _mm256_blend_epi32::<0b1100_1100>(first, second);
                    _mm256_storeu_si256(out.as_mut_ptr().add(at).cast(), both);
                }
            }
            out
        }
        #[inline(always)]
        fn f16_to_f32(halves: &[u32; 16]) -> [f32; 16] {
            Self::half_to_f32::<0>(halves)
        }
        #[inline(always)]
        fn half_to_f32<const SHIFT: u32>(words: &[u32; 16]) -> [f32; 16] {
            let mut out = [0f32; 16];
            // SAFETY: code of this level runs only where AVX2 and F16C are; both arrays are 64 bytes.
            unsafe {
                let (low, high) = load(words.as_ptr());
                let half = |words| {
                    _mm256_blend_epi16::<0xaa>(
                        _mm256_srl_epi32(words, _mm_cvtsi32_si128(SHIFT as i32)),
                        _mm256_setzero_si256(),
                    )
                };
                let packed = _mm256_packus_epi32(half(low), half(high));
                let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
                let upper = _mm256_extracti128_si256::<1>(packed);
                _mm256_storeu_ps(out.as_mut_ptr(), _mm256_cvtph_ps(_mm256_castsi256_si128(packed)));
                _mm256_storeu_ps(out.as_mut_ptr().add(8), _mm256_cvtph_ps(upper));
            }
            out
        }
        #[inline(always)]
        fn f32_to_f16(x: &[f32; 16]) -> [u32; 16] {
            Self::two_to_f16(x, &[0.0; 16])
        }
        #[inline(always)]
        fn two_to_f16(low: &[f32; 16], high: &[f32; 16]) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: as above; all three arrays are 64 bytes.
            unsafe {
                for at in [0, 8] {
                    let halves = |of: &[f32; 16]| {
                        _mm256_cvtepu16_epi32(_mm256_cvtps_ph::<0>(_mm256_loadu_ps(of.as_ptr().add(at))))
                    };
                    let both = _mm256_or_si256(halves(low), _mm256_slli_epi32::<16>(halves(high)));
                    _mm256_storeu_si256(out.as_mut_ptr().add(at).cast(), both);
                }
            }
            out
        }
    }

    impl Host for Avx512 {
        #[inline(always)]
        unsafe fn run_apart<K: Kernel, const N: usize>(regs: &mut Regs, op: &Op) {
            #[cold]
            #[inline(never)]
            #[target_feature(
                enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
            )]
            unsafe fn run<K: Kernel, const N: usize>(regs: &mut Regs, op: &Op) {
                // SAFETY: the caller's promise.
                unsafe { K::run::<Avx512, N>(regs, op) }
            }
            // SAFETY: the caller's promise.
            unsafe { run::<K, N>(regs, op) }
        }
        #[inline(always)]
        fn half_to_f32<const SHIFT: u32>(words: &[u32; 16]) -> [f32; 16] {
            let mut out = [0f32; 16];
            // SAFETY: code of this level runs only where AVX-512 F is; both arrays are 64 bytes.
            unsafe {
                let words = _mm512_srli_epi32::<SHIFT>(_mm512_loadu_si512(words.as_ptr().cast()));
                _mm512_storeu_ps(out.as_mut_ptr(), _mm512_cvtph_ps(_mm512_cvtepi32_epi16(words)));
            }
            out
        }
        #[inline(always)]
        fn two_to_f16(low: &[f32; 16], high: &[f32; 16]) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: as above.
            unsafe {
                let low = _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<0>(_mm512_loadu_ps(low.as_ptr())));
                let high = _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<0>(_mm512_loadu_ps(high.as_ptr())));
                let both = _mm512_or_si512(low, _mm512_slli_epi32::<16>(high));
                _mm512_storeu_si512(out.as_mut_ptr().cast(), both);
            }
            out
        }
        #[inline(always)]
        fn any_nan(x: &[f32; 16]) -> u32 {
            // SAFETY: as above.
            unsafe {
                let x = _mm512_loadu_ps(x.as_ptr());
                u32::from(_mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x))
            }
        }
        #[inline(always)]
        fn bytes_of_two(low: &[u32; 16], high: &[u32; 16], from: &[u32; 16]) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: code of this level runs only where AVX-512 F and BW are; all four arrays are 64 bytes.
            unsafe {
                let low = _mm512_loadu_si512(low.as_ptr().cast());
                let high = _mm512_loadu_si512(high.as_ptr().cast());
                let from = _mm512_loadu_si512(from.as_ptr().cast());
                // Two lanes' bytes in each quarter: those of the even lanes begin at 0, of the odd ones at 8.
                let from = _mm512_or_si512(from, _mm512_set1_epi64(0x0808_0808 << 32));
                let first = _mm512_shuffle_epi8(_mm512_unpacklo_epi32(low, high), from);
                let second = _mm512_shuffle_epi8(_mm512_unpackhi_epi32(low, high), from);
                let both = _mm512_mask_mov_epi32(first, 0xcccc, second);
                _mm512_storeu_si512(out.as_mut_ptr().cast(), both);
            }
            out
        }
        #[inline(always)]
        fn permute(lanes: &[u32; 16], from: &[u32; 16]) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: code of this level runs only where AVX-512 F is; all three arrays are 64 bytes.
            unsafe {
                let lanes = _mm512_loadu_si512(lanes.as_ptr().cast());
                let from = _mm512_loadu_si512(from.as_ptr().cast());
                _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_permutexvar_epi32(from, lanes));
            }
            out
        }
        #[inline(always)]
        fn splat(lanes: &mut [u32; 16], word: u32) {
            // SAFETY: the caller runs at this level, and there are 16 words.
            unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), _mm512_set1_epi32(word as i32)) }
        }
        #[inline(always)]
        fn movemask(lanes: &[u32; 16]) -> u32 {
            // SAFETY: code of this level runs only where AVX-512 F and DQ are.
            unsafe { u32::from(_mm512_movepi32_mask(_mm512_loadu_si512(lanes.as_ptr().cast()))) }
        }
        #[inline(always)]
        fn expand(mask: u32) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: as above; `out` is 64 bytes.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_movm_epi32(mask as u16)) };
            out
        }
        #[inline(always)]
        fn select(mask: u32, new: &[u32; 16], old: &[u32; 16]) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: as above; all three arrays are 64 bytes.
            unsafe {
                let new = _mm512_loadu_si512(new.as_ptr().cast());
                let old = _mm512_loadu_si512(old.as_ptr().cast());
                _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_mask_mov_epi32(old, mask as u16, new));
            }
            out
        }
        #[inline(always)]
        fn f16_to_f32(halves: &[u32; 16]) -> [f32; 16] {
            let mut out = [0f32; 16];
            // SAFETY: as above.
            unsafe {
                let packed = _mm512_cvtepi32_epi16(_mm512_loadu_si512(halves.as_ptr().cast()));
                _mm512_storeu_ps(out.as_mut_ptr(), _mm512_cvtph_ps(packed));
            }
            out
        }
        #[inline(always)]
        fn f32_to_f16(x: &[f32; 16]) -> [u32; 16] {
            let mut out = [0u32; 16];
            // SAFETY: as above.
            unsafe {
                let packed = _mm512_cvtps_ph::<0>(_mm512_loadu_ps(x.as_ptr()));
                _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_cvtepu16_epi32(packed));
            }
            out
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

/// A whole-wave operation, generic over the host level and the number of chunks of a wave.
///
/// The count is a constant because a loop over it then ends as straight-line code whose intermediate results
/// stay in vector registers.
pub trait Kernel: 'static {
    /// Run it.
    ///
    /// # Safety
    /// The places of `op` must lie inside the slabs of `regs` (the binder's promise), the wave must have `N`
    /// chunks, and the host must have the level `H`.
    unsafe fn run<H: Host, const N: usize>(regs: &mut Regs, op: &Op);
}

unsafe fn portable<K: Kernel, const N: usize>(regs: &mut Regs, op: &Op) {
    // SAFETY: the caller's promise.
    unsafe { K::run::<Portable, N>(regs, op) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<K: Kernel, const N: usize>(regs: &mut Regs, op: &Op) {
    // SAFETY: the caller's promise.
    unsafe { K::run::<Avx2, N>(regs, op) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx512<K: Kernel, const N: usize>(regs: &mut Regs, op: &Op) {
    // SAFETY: the caller's promise.
    unsafe { K::run::<Avx512, N>(regs, op) }
}

/// The bodies of `K` for all levels.
#[cfg(target_arch = "x86_64")]
pub const fn bodies<K: Kernel>() -> Bodies {
    [[portable::<K, 2>, portable::<K, 4>], [avx2::<K, 2>, avx2::<K, 4>], [avx512::<K, 2>, avx512::<K, 4>]]
}

/// The bodies of `K` for all levels.
#[cfg(not(target_arch = "x86_64"))]
pub const fn bodies<K: Kernel>() -> Bodies {
    [[portable::<K, 2>, portable::<K, 4>]; 3]
}
