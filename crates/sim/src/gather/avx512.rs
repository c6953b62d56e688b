//! The bodies of [`super`] with AVX-512. Each looks at the offsets first, all at once, and returns `false` without having
//! done anything if a lane's bytes, or what is read along with them, are not all inside.

use std::arch::x86_64::*;

use super::part;
use crate::pending::lanes;
use crate::regs::avx512::{put, row};
use crate::regs::{Chunk, all_lanes};
use crate::rows::avx512::rows_of;
use crate::shape::{LoadShape, Widening};
use crate::transpose::{self, Transpose};

/// See [`super::merge`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn merge(old: &mut Chunk, new: __m512i, mask: u16, write: u16) {
    if mask == u16::MAX {
        return put(old, new);
    }
    put(old, _mm512_mask_mov_epi32(row(old), write, _mm512_maskz_mov_epi32(mask, new)));
}

/// Whether `size` bytes from each offset on are inside of `len`. What is so can be an index of the host's gathers,
/// which are signed.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn within(at: &[Chunk], size: usize, len: usize) -> bool {
    let Some(top) = len.checked_sub(size) else { return false };
    let top = _mm512_set1_epi32(top.min(i32::MAX as usize) as i32);
    at.iter().fold(0, |over, at| over | _mm512_cmpgt_epu32_mask(row(at), top)) == 0
}

/// Of 16 dwords in two registers, numbered from the first: those at `index`.
macro_rules! pick {
    ($a:expr, $b:expr, $index:expr) => {
        _mm512_permutex2var_epi32($a, row(const { &Chunk($index) }), $b)
    };
}

/// The lanes `from`… of two rows alternate.
const fn alternate(from: u32) -> [u32; 16] {
    let mut out = [0; 16];
    let mut n = 0;
    while n < 16 {
        out[n] = from + n as u32 / 2 + 16 * (n as u32 & 1);
        n += 1;
    }
    out
}

/// The transpose of four by four dwords in each quarter of the registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn four_by_four(z: [__m512i; 4]) -> [__m512i; 4] {
    let (a, b) = (_mm512_unpacklo_epi32(z[0], z[1]), _mm512_unpackhi_epi32(z[0], z[1]));
    let (c, d) = (_mm512_unpacklo_epi32(z[2], z[3]), _mm512_unpackhi_epi32(z[2], z[3]));
    [
        _mm512_unpacklo_epi64(a, c),
        _mm512_unpackhi_epi64(a, c),
        _mm512_unpacklo_epi64(b, d),
        _mm512_unpackhi_epi64(b, d),
    ]
}

/// The transpose of four by four quarters.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn quarters(z: [__m512i; 4]) -> [__m512i; 4] {
    let (a, b) = (_mm512_shuffle_i32x4::<0x44>(z[0], z[1]), _mm512_shuffle_i32x4::<0xee>(z[0], z[1]));
    let (c, d) = (_mm512_shuffle_i32x4::<0x44>(z[2], z[3]), _mm512_shuffle_i32x4::<0xee>(z[2], z[3]));
    [
        _mm512_shuffle_i32x4::<0x88>(a, c),
        _mm512_shuffle_i32x4::<0xdd>(a, c),
        _mm512_shuffle_i32x4::<0x88>(b, d),
        _mm512_shuffle_i32x4::<0xdd>(b, d),
    ]
}

/// 16 bytes of each of four lanes, from lane `first` on and `step` apart.
///
/// # Safety
/// 16 bytes must begin at each lane's offset from `bytes`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn four_lanes(bytes: *const u8, at: &Chunk, first: usize, step: usize) -> __m512i {
    // SAFETY: the caller's promise.
    let lane =
        |n: usize| unsafe { _mm_loadu_si128(bytes.add(at.0[(first + n * step) & 15] as usize).cast()) };
    let z = _mm512_castsi128_si512(lane(0));
    let z = _mm512_inserti32x4::<1>(z, lane(1));
    let z = _mm512_inserti32x4::<2>(z, lane(2));
    _mm512_inserti32x4::<3>(z, lane(3))
}

/// Eight bytes of each of the lanes 0 to 7 and 8 to 15.
///
/// # Safety
/// Eight bytes must begin at each lane's offset from `bytes`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn eights(bytes: *const u8, at: &Chunk) -> [__m512i; 2] {
    let at = row(at);
    let (low, high) = (_mm512_castsi512_si256(at), _mm512_extracti64x4_epi64::<1>(at));
    // SAFETY: the caller's promise.
    unsafe {
        [_mm512_i32gather_epi64::<1>(low, bytes.cast()), _mm512_i32gather_epi64::<1>(high, bytes.cast())]
    }
}

/// The multiples of `size` of the numbers of the lanes within their `group`.
const fn steps(size: u32, group: u32) -> [u32; 16] {
    let mut out = [0; 16];
    let mut n = 0;
    while n < 16 {
        out[n] = n as u32 % group * size;
        n += 1;
    }
    out
}

/// The number of the first lane in the `group` of each lane.
const fn firsts(group: u32) -> [u32; 16] {
    let mut out = [0; 16];
    let mut n = 0;
    while n < 16 {
        out[n] = n as u32 / group * group;
        n += 1;
    }
    out
}

/// Whether the lanes of each `GROUP` read `SIZE` bytes one behind the other.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn in_runs<const SIZE: u32, const GROUP: u32>(at: &Chunk) -> bool {
    let at = row(at);
    let first = _mm512_permutexvar_epi32(row(const { &Chunk(firsts(GROUP)) }), at);
    let steps = row(const { &Chunk(steps(SIZE, GROUP)) });
    _mm512_cmpneq_epi32_mask(_mm512_add_epi32(first, steps), at) == 0
}

/// 64 bytes from the offset of lane `first` on.
///
/// # Safety
/// They must be inside.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn run_at(bytes: *const u8, at: &Chunk, first: usize) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_loadu_si512(bytes.add(at.0[first & 15] as usize).cast()) }
}

/// Whether the lanes of a chunk read `D` dwords in runs of 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn is_in_runs<const D: usize>(at: &Chunk) -> bool {
    match D {
        1 => in_runs::<4, 16>(at),
        2 => in_runs::<8, 8>(at),
        4 => in_runs::<16, 4>(at),
        _ => false,
    }
}

/// `D` dwords of each lane of a chunk as rows, of which the first `D` are meant; `run` says that the lanes read in runs of 64
/// bytes.
///
/// # Safety
/// So many bytes must begin at each lane's offset from `from`, 16 where `D` is 3.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn rows_at<const D: usize>(from: *const u8, at: &Chunk, run: bool) -> [__m512i; 4] {
    // SAFETY: the caller's promise; lanes one behind the other have their bytes so.
    unsafe {
        match D {
            1 if run => [run_at(from, at, 0); 4],
            1 => [_mm512_i32gather_epi32::<1>(row(at), from.cast()); 4],
            2 if run => {
                let [a, b] = [0, 8].map(|first| run_at(from, at, first));
                rows_of::<2>([a, b, a, b])
            }
            2 => {
                let [a, b] = eights(from, at);
                rows_of::<2>([a, b, a, b])
            }
            4 if run => rows_of::<4>([0, 4, 8, 12].map(|first| run_at(from, at, first))),
            _ => four_by_four([
                four_lanes(from, at, 0, 4),
                four_lanes(from, at, 1, 4),
                four_lanes(from, at, 2, 4),
                four_lanes(from, at, 3, 4),
            ]),
        }
    }
}

/// See [`super::load`]; `D` is the number of dwords.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn load<const D: usize>(
    out: &mut [Chunk],
    chunks: usize,
    bytes: &[u8],
    at: &[Chunk],
    mask: u64,
    write: u64,
) -> bool {
    // Three dwords are read as four.
    let read = if D == 3 { 16 } else { 4 * D };
    if !within(at, read, bytes.len()) {
        return false;
    }
    // Known before the loop: offsets that have been looked at as a row would be taken out of it one by one.
    let runs = at.iter().enumerate().fold(0u8, |runs, (c, at)| runs | u8::from(is_in_runs::<D>(at)) << c);
    for (c, at) in at.iter().enumerate() {
        // SAFETY: so many bytes from each offset on are inside.
        let rows = unsafe { rows_at::<D>(bytes.as_ptr(), at, runs >> c & 1 != 0) };
        for (d, new) in rows.into_iter().enumerate().take(D) {
            merge(&mut out[d * chunks + c], new, part(mask, c), part(write, c));
        }
    }
    true
}

/// [`super::load`] of `D` dwords, 1, 2 or 4, of all lanes of `N` chunks, whose bytes must be inside.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn load_all<const D: usize, const N: usize>(out: &mut [Chunk], bytes: &[u8], at: &[Chunk; N]) {
    assert!(out.len() == D * N && within(at, 4 * D, bytes.len()));
    let runs: [bool; N] = std::array::from_fn(|c| is_in_runs::<D>(&at[c]));
    for (c, at) in at.iter().enumerate() {
        // SAFETY: so many bytes from each offset on are inside.
        let rows = unsafe { rows_at::<D>(bytes.as_ptr(), at, runs[c]) };
        for (d, new) in rows.into_iter().enumerate().take(D) {
            put(&mut out[d * N + c], new);
        }
    }
}

/// A [`Widening`] of rows.
#[derive(Clone, Copy)]
struct Rows {
    sign: __m512i,
    keep: __m512i,
    shift: __m128i,
}

impl Rows {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn new(Widening { sign, keep, shift }: Widening) -> Rows {
        Rows {
            sign: _mm512_set1_epi32(sign as i32),
            keep: _mm512_set1_epi32(keep as i32),
            shift: _mm_cvtsi32_si128(shift as i32),
        }
    }

    /// What was read, as [`Widening::of`] says, in the lanes of `write`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn put(self, out: &mut Chunk, raw: __m512i, write: u16) {
        let Rows { sign, keep, shift } = self;
        let number = _mm512_sll_epi32(_mm512_sub_epi32(_mm512_xor_si512(raw, sign), sign), shift);
        let value = _mm512_mask_mov_epi32(row(out), write, number);
        put(out, _mm512_or_si512(_mm512_and_si512(row(out), keep), _mm512_andnot_si512(keep, value)));
    }
}

/// [`load_narrow`] of all lanes, of which the 16 of each chunk are one behind the other. Nothing is read if not all are inside.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn load_narrow_by_chunks(out: &mut [Chunk], shape: LoadShape, bytes: &[u8], at: &[Chunk]) {
    let len = 16 * shape.bytes as usize;
    let widening = Rows::new(shape.widening());
    for (out, at) in out.iter_mut().zip(at) {
        let Some(bytes) = bytes.get(at.0[0] as usize..).filter(|bytes| bytes.len() >= len) else { return };
        // SAFETY: so many bytes are there.
        let raw = unsafe {
            match shape.bytes {
                1 => _mm512_cvtepu8_epi32(_mm_loadu_si128(bytes.as_ptr().cast())),
                _ => _mm512_cvtepu16_epi32(_mm256_loadu_si256(bytes.as_ptr().cast())),
            }
        };
        widening.put(out, raw, u16::MAX);
    }
}

/// See [`super::load_narrow`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn load_narrow(
    out: &mut [Chunk],
    shape: LoadShape,
    bytes: &[u8],
    at: &[Chunk],
    mask: u64,
    write: u64,
) -> bool {
    let Some(last) = bytes.len().checked_sub(4) else { return false };
    if !within(at, shape.bytes as usize, bytes.len()) {
        return false;
    }
    // A dword is read that has the bytes and is inside; they are moved to its front.
    let last = _mm512_set1_epi32(last.min(i32::MAX as usize) as i32);
    let field = _mm512_set1_epi32(if shape.bytes == 1 { 0xff } else { 0xffff });
    let widening = Rows::new(shape.widening());
    for (c, (out, at)) in out.iter_mut().zip(at).enumerate() {
        let first = at.0[0] as usize;
        // SAFETY: so many bytes from each offset on are inside, and so are those of lanes one behind the other; four bytes
        // begin at each of `from`.
        let words = unsafe {
            match shape.bytes {
                1 if in_runs::<1, 16>(at) => {
                    _mm512_cvtepu8_epi32(_mm_loadu_si128(bytes.as_ptr().add(first).cast()))
                }
                2 if in_runs::<2, 16>(at) => {
                    _mm512_cvtepu16_epi32(_mm256_loadu_si256(bytes.as_ptr().add(first).cast()))
                }
                _ => {
                    let from = _mm512_min_epu32(row(at), last);
                    let dwords = _mm512_i32gather_epi32::<1>(from, bytes.as_ptr().cast());
                    _mm512_srlv_epi32(dwords, _mm512_slli_epi32::<3>(_mm512_sub_epi32(row(at), from)))
                }
            }
        };
        let raw = _mm512_maskz_and_epi32(part(mask, c), words, field);
        widening.put(out, raw, part(write, c));
    }
    true
}

/// See [`super::load_transposed`]. Which element goes where is said in [`transpose`](crate::transpose).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn load_transposed(out: &mut [Chunk], transpose: Transpose, bytes: &[u8], at: &[Chunk]) -> bool {
    let size = transpose::lane_bytes(transpose);
    if !transpose::has_whole_bytes(transpose) || !within(at, size, bytes.len()) {
        return false;
    }
    let (chunks, from) = (at.len(), bytes.as_ptr());
    for (c, at) in at.iter().enumerate() {
        if transpose == Transpose::Tr16B128 {
            // Lanes 0 2 4 6 against 1 3 5 7, and the same of the upper eight: of each pair, the elements alternate.
            // SAFETY: 16 bytes from each offset on are inside.
            let [a, b, d, e] = [0, 1, 8, 9].map(|first| unsafe { four_lanes(from, at, first, 2) });
            let rows = quarters([
                _mm512_unpacklo_epi16(a, b),
                _mm512_unpackhi_epi16(a, b),
                _mm512_unpacklo_epi16(d, e),
                _mm512_unpackhi_epi16(d, e),
            ]);
            for (d, new) in rows.into_iter().enumerate() {
                put(&mut out[d * chunks + c], new);
            }
            continue;
        }
        // Eight lanes give a row.
        // SAFETY: eight bytes from each offset on are inside.
        for (d, lanes) in unsafe { eights(from, at) }.into_iter().enumerate() {
            let new = match transpose {
                Transpose::B64TrB16 => {
                    let low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(lanes));
                    let high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(lanes));
                    _mm512_or_si512(low, _mm512_slli_epi32::<16>(high))
                }
                Transpose::B64TrB8 => bytes_of_quarters(lanes),
                // Lane k of the lower and of the upper four side by side.
                _ => bytes_of_quarters(_mm512_permutexvar_epi64(
                    _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7),
                    lanes,
                )),
            };
            put(&mut out[d * chunks + c], new);
        }
    }
    true
}

/// Byte m of each quarter, the first quarter's lowest, as dword m.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn bytes_of_quarters(z: __m512i) -> __m512i {
    let a = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(z));
    let b = _mm512_slli_epi32::<8>(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<1>(z)));
    let c = _mm512_slli_epi32::<16>(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<2>(z)));
    let d = _mm512_slli_epi32::<24>(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<3>(z)));
    _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d))
}

/// See [`super::store`]; `D` is the number of dwords: 1, 2 or 4. The host's scatters store lane after lane.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn store<const D: usize>(out: &mut [u8], data: &[Chunk], at: &[Chunk], mask: u64) -> bool {
    if !within(at, 4 * D, out.len()) {
        return false;
    }
    let (chunks, to) = (at.len(), out.as_mut_ptr());
    for (c, at) in at.iter().enumerate() {
        let mask = part(mask, c);
        let data = |d: usize| row(&data[d * chunks + c]);
        match D {
            // SAFETY: so many bytes from each offset on are inside.
            1 => unsafe { _mm512_mask_i32scatter_epi32::<1>(to.cast(), mask, row(at), data(0)) },
            2 => {
                let (a, b) = (data(0), data(1));
                let at = row(at);
                let (low, high) = (_mm512_castsi512_si256(at), _mm512_extracti64x4_epi64::<1>(at));
                let (first, second) = (pick!(a, b, alternate(0)), pick!(a, b, alternate(8)));
                // SAFETY: as above.
                unsafe {
                    _mm512_mask_i32scatter_epi64::<1>(to.cast(), mask as u8, low, first);
                    _mm512_mask_i32scatter_epi64::<1>(to.cast(), (mask >> 8) as u8, high, second);
                }
            }
            _ => {
                // Lane 4 * q + j is quarter q of row j.
                let mut by_lane = [Chunk::ZERO; 4];
                let rows = quarters(four_by_four([data(0), data(1), data(2), data(3)]));
                for (to, row) in by_lane.iter_mut().zip(rows) {
                    put(to, row);
                }
                let words = Chunk::words(&by_lane);
                for lane in lanes(u64::from(mask)) {
                    let lane = lane as usize;
                    // SAFETY: 16 bytes from each offset on are inside; 16 lanes of 4 words are there.
                    unsafe {
                        let x = _mm_loadu_si128(words.as_ptr().add(4 * lane).cast());
                        _mm_storeu_si128(to.add(at.0[lane & 15] as usize).cast(), x);
                    }
                }
            }
        }
    }
    true
}

/// See [`super::store`]: one or two bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn store_narrow(out: &mut [u8], size: usize, data: &[Chunk], at: &[Chunk], mask: u64) -> bool {
    if !within(at, size, out.len()) {
        return false;
    }
    let to = out.as_mut_ptr();
    for (c, (at, data)) in at.iter().zip(data).enumerate() {
        for lane in lanes(u64::from(part(mask, c))) {
            let (at, word) = (at.0[lane as usize & 15] as usize, data.0[lane as usize & 15]);
            // SAFETY: one byte, or two, from each offset on are inside.
            unsafe {
                match size {
                    1 => to.add(at).write(word as u8),
                    _ => to.add(at).cast::<u16>().write_unaligned(word as u16),
                }
            }
        }
    }
    true
}

/// See [`super::copy`]: four bytes, or 16 of all lanes.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn copy(
    target: &mut [u8],
    to: &[Chunk],
    source: &[u8],
    from: &[Chunk],
    size: usize,
    mask: u64,
    write: u64,
) -> bool {
    let all = mask == all_lanes(to.len());
    if !(size == 4 || size == 16 && all)
        || !within(to, size, target.len())
        || !within(from, size, source.len())
    {
        return false;
    }
    let (target, source) = (target.as_mut_ptr(), source.as_ptr());
    for (c, (to, from)) in to.iter().zip(from).enumerate() {
        if size == 16 && in_runs::<16, 4>(to) && in_runs::<16, 4>(from) {
            for first in [0, 4, 8, 12] {
                // SAFETY: as many bytes from each offset on are inside of each memory as the lanes of a run read and write.
                unsafe {
                    let run = run_at(source, from, first);
                    _mm512_storeu_si512(target.add(to.0[first] as usize).cast(), run);
                }
            }
            continue;
        }
        // SAFETY: so many bytes from each offset on are inside of each memory.
        unsafe {
            if size == 4 {
                let read = _mm512_i32gather_epi32::<1>(row(from), source.cast());
                let read = _mm512_maskz_mov_epi32(part(mask, c), read);
                _mm512_mask_i32scatter_epi32::<1>(target.cast(), part(write, c), row(to), read);
                continue;
            }
            for (&to, &from) in to.0.iter().zip(&from.0) {
                let read = _mm_loadu_si128(source.add(from as usize).cast());
                _mm_storeu_si128(target.add(to as usize).cast(), read);
            }
        }
    }
    true
}
