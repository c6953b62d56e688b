//! The bodies of [`super`] with AVX2. Each looks at the offsets first, all at once, and returns `false` without having done anything
//! if a lane's bytes are not all inside; what stores and copies, if not all lanes are on.

use std::arch::x86_64::*;

use super::{merge, part, widen};
use crate::regs::{Chunk, all_lanes};
use crate::rows;
use crate::rows::avx2::{four, two};
use crate::shape::LoadShape;
use crate::transpose::{self, Transpose};

/// Whether `size` bytes from each offset on are inside of `len`.
#[inline(always)]
fn within(at: &[Chunk], size: usize, len: usize) -> bool {
    let most = at.iter().fold([0; 16], |most: [u32; 16], at| std::array::from_fn(|l| most[l].max(at.0[l])));
    let most = most.into_iter().fold(0, u32::max);
    len.checked_sub(size).is_some_and(|top| most as usize <= top)
}

/// What is at an offset.
///
/// # Safety
/// As many bytes must be inside.
#[inline(always)]
unsafe fn read<T>(bytes: &[u8], at: u32) -> T {
    // SAFETY: the caller's promise.
    unsafe { bytes.as_ptr().add(at as usize).cast::<T>().read_unaligned() }
}

/// Puts a value at an offset.
///
/// # Safety
/// As many bytes must be inside.
#[inline(always)]
unsafe fn write<T>(bytes: &mut [u8], at: u32, value: T) {
    // SAFETY: the caller's promise.
    unsafe { bytes.as_mut_ptr().add(at as usize).cast::<T>().write_unaligned(value) }
}

/// Eight lanes of a row, from lane 0 or 8 on.
#[inline]
#[target_feature(enable = "avx2")]
fn put_eight(row: &mut Chunk, first: usize, lanes: __m256i) {
    if let Some(to) = row.0[first..].first_chunk_mut::<8>() {
        // SAFETY: eight words.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), lanes) }
    }
}

/// See [`super::load`]; `D` is the number of dwords: 1, 2 or 4.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn load<const D: usize>(
    out: &mut [Chunk],
    chunks: usize,
    bytes: &[u8],
    at: &[Chunk],
    mask: u64,
    write: u64,
) -> bool {
    if !within(at, 4 * D, bytes.len()) {
        return false;
    }
    for (c, at) in at.iter().enumerate() {
        let mut new = [Chunk::ZERO; D];
        for first in [0, 8] {
            let lane = |l: usize| at.0[first + l];
            // SAFETY: `4 * D` bytes from each offset on are inside.
            unsafe {
                match D {
                    1 => {
                        let words = [0, 1, 2, 3, 4, 5, 6, 7].map(|l| read::<i32>(bytes, lane(l)));
                        let [a, b, c, d, e, f, g, h] = words;
                        put_eight(&mut new[0], first, _mm256_setr_epi32(a, b, c, d, e, f, g, h));
                    }
                    2 => {
                        let [a, b] = [0, 2].map(|l| {
                            let [a, b, c, d] = [l, l + 1, l + 4, l + 5].map(|l| read::<i64>(bytes, lane(l)));
                            _mm256_setr_epi64x(a, b, c, d)
                        });
                        let (low, high) = two(a, b);
                        put_eight(&mut new[0], first, low);
                        put_eight(&mut new[1], first, high);
                    }
                    _ => {
                        let fours = [0, 1, 2, 3].map(|l| {
                            let [low, high] = [l, l + 4].map(|l| read::<__m128i>(bytes, lane(l)));
                            _mm256_setr_m128i(low, high)
                        });
                        for (new, row) in new.iter_mut().zip(four(fours)) {
                            put_eight(new, first, row);
                        }
                    }
                }
            }
        }
        for (d, new) in new.iter().enumerate() {
            merge(&mut out[d * chunks + c], new, part(mask, c), part(write, c));
        }
    }
    true
}

/// See [`super::load_narrow`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn load_narrow(
    out: &mut [Chunk],
    shape: LoadShape,
    bytes: &[u8],
    at: &[Chunk],
    mask: u64,
    write: u64,
) -> bool {
    if !within(at, shape.bytes as usize, bytes.len()) {
        return false;
    }
    for (c, (out, at)) in out.iter_mut().zip(at).enumerate() {
        // SAFETY: as many bytes from each offset on are inside.
        let new = Chunk(at.0.map(|at| unsafe {
            match shape.bytes {
                1 => read::<u8>(bytes, at).into(),
                _ => read::<u16>(bytes, at).into(),
            }
        }));
        widen(out, &new, shape.widening(), part(mask, c), part(write, c));
    }
    true
}

/// See [`super::load_transposed`]. Which element goes where is said in [`transpose`](crate::transpose).
#[target_feature(enable = "avx2")]
pub(super) fn load_transposed(out: &mut [Chunk], transpose: Transpose, bytes: &[u8], at: &[Chunk]) -> bool {
    let size = transpose::lane_bytes(transpose);
    if !transpose::has_whole_bytes(transpose) || !within(at, size, bytes.len()) {
        return false;
    }
    let chunks = at.len();
    for (c, at) in at.iter().enumerate() {
        // SAFETY: as many bytes from each offset on are inside.
        let whole = |lane: usize| unsafe { read::<__m128i>(bytes, at.0[lane]) };
        // SAFETY: as above.
        let half = |lane: usize| unsafe { read::<i64>(bytes, at.0[lane]) };
        let two = |lane: usize| _mm_set_epi64x(half(lane + 1), half(lane));
        let low = |lane: usize| _mm_cvtsi64_si128(half(lane));
        for d in 0..size / 4 {
            let quarters = match transpose {
                Transpose::Tr16B128 => {
                    let [a, b] = [2 * d, 2 * d + 8].map(|lane| alternate_16(whole(lane), whole(lane + 1)));
                    [a[0], a[1], b[0], b[1]]
                }
                Transpose::B64TrB16 => {
                    let [a, b] = [8 * d, 8 * d + 2].map(|lane| alternate_16(two(lane), two(lane + 4)));
                    [a[0], a[1], b[0], b[1]]
                }
                Transpose::B64TrB8 => alternate_8([0, 2, 4, 6].map(|lane| two(8 * d + lane))),
                _ => {
                    let [a, b] =
                        [8 * d, 8 * d + 4].map(|lane| alternate_8([0, 1, 2, 3].map(|n| low(lane + n))));
                    [a[0], a[1], b[0], b[1]]
                }
            };
            for (to, four) in out[d * chunks + c].0.chunks_exact_mut(4).zip(quarters) {
                // SAFETY: four words.
                unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), four) }
            }
        }
    }
    true
}

/// Elements of 16 bits of both in turn.
#[inline]
#[target_feature(enable = "avx2")]
fn alternate_16(a: __m128i, b: __m128i) -> [__m128i; 2] {
    [_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)]
}

/// Bytes of all four in turn.
#[inline]
#[target_feature(enable = "avx2")]
fn alternate_8([a, b, c, d]: [__m128i; 4]) -> [__m128i; 4] {
    let [low, high] = [
        alternate_16(_mm_unpacklo_epi8(a, b), _mm_unpacklo_epi8(c, d)),
        alternate_16(_mm_unpackhi_epi8(a, b), _mm_unpackhi_epi8(c, d)),
    ];
    [low[0], low[1], high[0], high[1]]
}

/// See [`super::store`]; `D` is the number of dwords: 1, 2 or 4.
#[target_feature(enable = "avx2")]
pub(super) fn store<const D: usize>(out: &mut [u8], data: &[Chunk], at: &[Chunk], mask: u64) -> bool {
    if mask != all_lanes(at.len()) || !within(at, 4 * D, out.len()) {
        return false;
    }
    for (c, lanes) in at.iter().enumerate() {
        let mut own = [Chunk::ZERO; D];
        for (d, own) in own.iter_mut().enumerate() {
            *own = data[d * at.len() + c];
        }
        let mut packed = [Chunk::ZERO; D];
        rows::store(Chunk::words(&own), 1, D, Chunk::bytes_mut(&mut packed));
        let packed = Chunk::bytes_mut(&mut packed);
        for (lane, at) in (0..).zip(lanes.0) {
            // SAFETY: `4 * D` bytes from each offset on are inside, and there are 16 times as many.
            unsafe {
                match D {
                    1 => write(out, at, read::<u32>(packed, 4 * lane)),
                    2 => write(out, at, read::<u64>(packed, 8 * lane)),
                    _ => write(out, at, read::<__m128i>(packed, 16 * lane)),
                }
            }
        }
    }
    true
}

/// See [`super::copy`]; `SIZE` is the number of bytes.
#[target_feature(enable = "avx2")]
pub(super) fn copy<const SIZE: usize>(
    target: &mut [u8],
    to: &[Chunk],
    source: &[u8],
    from: &[Chunk],
    mask: u64,
) -> bool {
    if mask != all_lanes(to.len()) || !within(to, SIZE, target.len()) || !within(from, SIZE, source.len()) {
        return false;
    }
    for (to, from) in to.iter().zip(from) {
        for (to, from) in to.0.into_iter().zip(from.0) {
            // SAFETY: so many bytes from each offset on are inside of each memory.
            unsafe { write(target, to, read::<[u8; SIZE]>(source, from)) }
        }
    }
    true
}
