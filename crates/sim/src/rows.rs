//! Moving runs of lanes between memory, where a lane's dwords stand together, and rows of registers, where
//! those of all lanes do: a transpose, done 16 lanes at a time with AVX-512 or eight with AVX2 where the host has it.

use crate::alu::leveled;
#[cfg(target_arch = "x86_64")]
use crate::alu::{Level, level};
use crate::regs::Chunk;

/// Lanes of `dwords` dwords, one after the other in `bytes`, to `dwords` rows of `chunks` chunks.
#[inline]
pub(crate) fn load(out: &mut [Chunk], chunks: usize, dwords: usize, bytes: &[u8]) {
    assert!(out.len() == chunks * dwords && bytes.len() == chunks * dwords * 64);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the host has what its level stands for; the lengths are right.
    unsafe {
        match (level(), dwords) {
            (Level::Avx512, 1) => return avx512::load::<1>(out, chunks, bytes),
            (Level::Avx512, 2) => return avx512::load::<2>(out, chunks, bytes),
            (Level::Avx512, 4) => return avx512::load::<4>(out, chunks, bytes),
            (Level::Avx2, 2) => return avx2::load2(out, chunks, bytes),
            (Level::Avx2, 4) => return avx2::load4(out, chunks, bytes),
            _ => {}
        }
    }
    match dwords {
        1 => gather::<1>(out, chunks, bytes),
        2 => gather::<2>(out, chunks, bytes),
        3 => gather::<3>(out, chunks, bytes),
        _ => gather::<4>(out, chunks, bytes),
    }
}

/// The bytes of chunk `c` in [`load_by_chunks`].
#[inline(always)]
fn of_chunk(same: u8, c: usize, dwords: usize) -> usize {
    if same >> c & 1 != 0 { 4 * dwords } else { 64 * dwords }
}

/// Whether what [`load_by_chunks`] reads is inside of `len` bytes.
#[inline(always)]
pub(crate) fn are_inside(at: &[Chunk], same: u8, dwords: usize, len: usize) -> bool {
    at.iter().enumerate().all(|(c, at)| at.0[0] as usize + of_chunk(same, c, dwords) <= len)
}

/// `dwords` dwords of each lane to as many rows, where the 16 lanes of a chunk are one behind the other in `bytes`, or all at
/// one place if the chunk's bit in `same` is set: from where `at` has the first of them.
#[inline]
pub(crate) fn load_by_chunks(out: &mut [Chunk], dwords: usize, bytes: &[u8], at: &[Chunk], same: u8) {
    assert!(out.len() == at.len() * dwords && are_inside(at, same, dwords, bytes.len()));
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the host has what its level stands for; the lengths are right.
    unsafe {
        match (level(), dwords) {
            (Level::Avx512, 1) => return avx512::load_by_chunks::<1>(out, bytes, at, same),
            (Level::Avx512, 2) => return avx512::load_by_chunks::<2>(out, bytes, at, same),
            (Level::Avx512, 4) => return avx512::load_by_chunks::<4>(out, bytes, at, same),
            _ => {}
        }
    }
    if dwords == 1 {
        return by_chunks(out, bytes, at, same);
    }
    for (c, first) in at.iter().enumerate() {
        let bytes = &bytes[first.0[0] as usize..][..of_chunk(same, c, dwords)];
        let mut own = [Chunk::ZERO; 4];
        if same >> c & 1 != 0 {
            for (own, word) in own.iter_mut().zip(bytes.chunks_exact(4)) {
                *own = Chunk::splat(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            }
        } else {
            load(&mut own[..dwords], 1, dwords, bytes);
        }
        for (d, own) in own[..dwords].iter().enumerate() {
            out[d * at.len() + c] = *own;
        }
    }
}

leveled! {
    /// [`load_by_chunks`] of one dword.
    fn by_chunks(out: &mut [Chunk], bytes: &[u8], at: &[Chunk], same: u8) {
        for (c, (out, at)) in out.iter_mut().zip(at).enumerate() {
            let (words, _) = bytes[at.0[0] as usize..][..of_chunk(same, c, 1)].as_chunks::<4>();
            match words {
                [word] => *out = Chunk::splat(u32::from_le_bytes(*word)),
                _ => out.0.iter_mut().zip(words).for_each(|(out, word)| *out = u32::from_le_bytes(*word)),
            }
        }
    }
}

/// `dwords` rows of `16 * chunks` lanes in `data` to lanes of `dwords` dwords, one after the other in `out`.
#[inline]
pub(crate) fn store(data: &[u32], chunks: usize, dwords: usize, out: &mut [u8]) {
    assert!(data.len() >= chunks * dwords * 16 && out.len() == chunks * dwords * 64);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above.
    unsafe {
        match (level(), dwords) {
            (Level::Avx512, 1) => return avx512::store::<1>(data, chunks, out),
            (Level::Avx512, 2) => return avx512::store::<2>(data, chunks, out),
            (Level::Avx512, 4) => return avx512::store::<4>(data, chunks, out),
            (Level::Avx2, 2) => return avx2::store2(data, chunks, out),
            (Level::Avx2, 4) => return avx2::store4(data, chunks, out),
            _ => {}
        }
    }
    match dwords {
        1 => scatter::<1>(data, chunks, out),
        2 => scatter::<2>(data, chunks, out),
        3 => scatter::<3>(data, chunks, out),
        _ => scatter::<4>(data, chunks, out),
    }
}

/// Copy `from` to the front of `to`.
#[inline]
pub(crate) fn copy(to: &mut [Chunk], from: &[Chunk]) {
    to[..from.len()].copy_from_slice(from);
}

/// What lane 0 of the row holds, if lane l holds that plus l times `step`, which is at most 16.
#[inline]
pub(crate) fn run_start(row: &[Chunk], step: u32) -> Option<u32> {
    let first = row.first()?.0[0];
    let steps = STEPS.get(step as usize)?;
    equal(row, &steps[..row.len()], first).then_some(first)
}

leveled! {
    fn equal_as_defined(row: &[Chunk], offsets: &[Chunk], low: u32) -> bool {
        let mut odd = [0u32; 16];
        for (row, offsets) in row.iter().zip(offsets) {
            for (l, x) in row.0.iter().enumerate() {
                odd[l] |= x ^ low.wrapping_add(offsets.0[l]);
            }
        }
        odd.iter().fold(0, |all, x| all | x) == 0
    }
}

/// Whether each lane of `row` is its number in `offsets` above `low`; both have as many chunks.
#[inline(always)]
pub(crate) fn equal(row: &[Chunk], offsets: &[Chunk], low: u32) -> bool {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the host has what `Level::Avx512` stands for.
        return unsafe { avx512::equal(row, offsets, low) };
    }
    equal_as_defined(row, offsets, low)
}

/// The rows of lanes that are so far apart: each lane's number times 0, 1, 2, ….
pub(crate) static STEPS: [[Chunk; 4]; 17] = {
    let mut steps = [[Chunk::ZERO; 4]; 17];
    let mut n = 0;
    while n < 17 * 64 {
        let (step, lane) = (n / 64, n % 64);
        steps[step][lane / 16].0[lane % 16] = (step * lane) as u32;
        n += 1;
    }
    steps
};

fn gather<const D: usize>(out: &mut [Chunk], chunks: usize, bytes: &[u8]) {
    for (c, from) in bytes.chunks_exact(64 * D).enumerate() {
        let mut rows = [[0u32; 16]; D];
        for (l, lane) in from.chunks_exact(4 * D).enumerate() {
            for (d, word) in lane.chunks_exact(4).enumerate() {
                rows[d][l & 15] = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            }
        }
        for (d, row) in rows.into_iter().enumerate() {
            out[d * chunks + c] = Chunk(row);
        }
    }
}

fn scatter<const D: usize>(data: &[u32], chunks: usize, out: &mut [u8]) {
    for (c, to) in out.chunks_exact_mut(64 * D).enumerate() {
        let mut rows = [[0u32; 16]; D];
        for (d, row) in rows.iter_mut().enumerate() {
            let at = (d * chunks + c) * 16;
            row.copy_from_slice(&data[at..at + 16]);
        }
        for (l, lane) in to.chunks_exact_mut(4 * D).enumerate() {
            for (d, word) in lane.chunks_exact_mut(4).enumerate() {
                word.copy_from_slice(&rows[d][l & 15].to_le_bytes());
            }
        }
    }
}

/// As [`avx512`], by halves of a chunk. Dwords change places within 128 bits only, so that lane l of the lower ones goes
/// with lane l + 4 of the upper ones.
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use std::arch::x86_64::*;

    use crate::regs::Chunk;

    /// Two rows of eight lanes from their pairs of dwords: lanes 0 1 | 4 5 and 2 3 | 6 7.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn two(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
        (
            _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b)),
            _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(a, b)),
        )
    }

    /// The transpose of four by four dwords in each half.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn four(x: [__m256i; 4]) -> [__m256i; 4] {
        let (a, b) = (_mm256_unpacklo_epi32(x[0], x[1]), _mm256_unpackhi_epi32(x[0], x[1]));
        let (c, d) = (_mm256_unpacklo_epi32(x[2], x[3]), _mm256_unpackhi_epi32(x[2], x[3]));
        [
            _mm256_unpacklo_epi64(a, c),
            _mm256_unpackhi_epi64(a, c),
            _mm256_unpacklo_epi64(b, d),
            _mm256_unpackhi_epi64(b, d),
        ]
    }

    /// # Safety
    /// 16 bytes begin at `from`, and 16 at `upper` bytes behind it: the two halves of a register.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn read(from: *const u8, upper: usize) -> __m256i {
        // SAFETY: the caller's promise.
        unsafe { _mm256_loadu2_m128i(from.add(upper).cast(), from.cast()) }
    }

    /// # Safety
    /// As [`read`], to be written.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn write(to: *mut u8, upper: usize, x: __m256i) {
        // SAFETY: the caller's promise.
        unsafe { _mm256_storeu2_m128i(to.add(upper).cast(), to.cast(), x) }
    }

    /// See [`super::load`].
    ///
    /// # Safety
    /// `out` must have `chunks * 4` chunks, and `bytes` as many times 64 bytes.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn load4(out: &mut [Chunk], chunks: usize, bytes: &[u8]) {
        for half in 0..2 * chunks {
            // SAFETY: eight lanes of 16 bytes from number 8 * half on, of 16 * chunks.
            let x = [0, 1, 2, 3].map(|l| unsafe { read(bytes.as_ptr().add(128 * half + 16 * l), 64) });
            for (d, row) in four(x).into_iter().enumerate() {
                // SAFETY: eight lanes of row d.
                unsafe {
                    let to = out.as_mut_ptr().add(d * chunks).cast::<u32>().add(8 * half);
                    _mm256_storeu_si256(to.cast(), row);
                }
            }
        }
    }

    /// See [`super::load`].
    ///
    /// # Safety
    /// `out` must have `chunks * 2` chunks, and `bytes` as many times 64 bytes.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn load2(out: &mut [Chunk], chunks: usize, bytes: &[u8]) {
        for half in 0..2 * chunks {
            // SAFETY: eight lanes of 8 bytes from number 8 * half on, of 16 * chunks.
            let [a, b] = [0, 1].map(|n| unsafe { read(bytes.as_ptr().add(64 * half + 16 * n), 32) });
            let (low, high) = two(a, b);
            for (d, row) in [low, high].into_iter().enumerate() {
                // SAFETY: eight lanes of row d.
                unsafe {
                    let to = out.as_mut_ptr().add(d * chunks).cast::<u32>().add(8 * half);
                    _mm256_storeu_si256(to.cast(), row);
                }
            }
        }
    }

    /// See [`super::store`].
    ///
    /// # Safety
    /// `data` must have `chunks * 4` times 16 words, and `out` as many times 64 bytes.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn store4(data: &[u32], chunks: usize, out: &mut [u8]) {
        for half in 0..2 * chunks {
            // SAFETY: eight lanes of row d, from lane 8 * half on.
            let rows = [0, 1, 2, 3]
                .map(|d| unsafe { _mm256_loadu_si256(data.as_ptr().add(16 * d * chunks + 8 * half).cast()) });
            for (l, x) in four(rows).into_iter().enumerate() {
                // SAFETY: eight lanes of 16 bytes from number 8 * half on, of 16 * chunks.
                unsafe { write(out.as_mut_ptr().add(128 * half + 16 * l), 64, x) };
            }
        }
    }

    /// See [`super::store`].
    ///
    /// # Safety
    /// `data` must have `chunks * 2` times 16 words, and `out` as many times 64 bytes.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn store2(data: &[u32], chunks: usize, out: &mut [u8]) {
        for half in 0..2 * chunks {
            // SAFETY: eight lanes of row d, from lane 8 * half on.
            let [a, b] = [0, 1]
                .map(|d| unsafe { _mm256_loadu_si256(data.as_ptr().add(16 * d * chunks + 8 * half).cast()) });
            for (n, x) in [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)].into_iter().enumerate() {
                // SAFETY: eight lanes of 8 bytes from number 8 * half on, of 16 * chunks.
                unsafe { write(out.as_mut_ptr().add(64 * half + 16 * n), 32, x) };
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512 {
    use std::arch::x86_64::*;

    use crate::regs::Chunk;

    /// Of 32 dwords in two registers: numbers `first`, `first + step`, … (16 of them).
    const fn every(first: i32, step: i32) -> [i32; 16] {
        let mut out = [0; 16];
        let mut n = 0;
        while n < 16 {
            out[n] = first + step * n as i32;
            n += 1;
        }
        out
    }

    /// Dwords d and d + 1 of eight lanes of four dwords: eight of the one, eight of the other.
    const fn two_of_four(d: i32) -> [i32; 16] {
        let mut out = [0; 16];
        let mut n = 0;
        while n < 16 {
            out[n] = 4 * (n as i32 & 7) + d + n as i32 / 8;
            n += 1;
        }
        out
    }

    /// From two rows of 16: the lanes `from`… of both alternate.
    const fn alternate(from: i32) -> [i32; 16] {
        let mut out = [0; 16];
        let mut n = 0;
        while n < 16 {
            out[n] = from + n as i32 / 2 + 16 * (n as i32 & 1);
            n += 1;
        }
        out
    }

    /// From two registers of alternating pairs (rows 0 and 1; rows 2 and 3): four lanes of four dwords, the
    /// `half`th four of the eight lanes there.
    const fn four_lanes(half: i32) -> [i32; 16] {
        let mut out = [0; 16];
        let mut n = 0;
        while n < 16 {
            let (lane, d) = (n as i32 / 4 + 4 * half, n as i32 & 3);
            out[n] = 2 * lane + (d & 1) + 16 * (d / 2);
            n += 1;
        }
        out
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn table<T>(t: &[T; 16]) -> __m512i {
        const { assert!(size_of::<T>() == 4) };
        // SAFETY: the array is 64 bytes.
        unsafe { _mm512_loadu_si512(t.as_ptr().cast()) }
    }

    /// See [`super::equal`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub(super) fn equal(row: &[Chunk], offsets: &[Chunk], low: u32) -> bool {
        let low = _mm512_set1_epi32(low as i32);
        row.iter().zip(offsets).fold(0, |odd, (row, offsets)| {
            let wanted = _mm512_add_epi32(table(&offsets.0), low);
            odd | _mm512_cmpneq_epi32_mask(table(&row.0), wanted)
        }) == 0
    }

    /// The rows of 16 lanes of `D` dwords, 1, 2 or 4, which stand one behind the other in the first `D` of `z`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub(crate) fn rows_of<const D: usize>(z: [__m512i; 4]) -> [__m512i; 4] {
        match D {
            1 => z,
            2 => {
                let even = _mm512_permutex2var_epi32(z[0], table(const { &every(0, 2) }), z[1]);
                let odd = _mm512_permutex2var_epi32(z[0], table(const { &every(1, 2) }), z[1]);
                [even, odd, even, odd]
            }
            _ => {
                let (i, j) = (table(const { &two_of_four(0) }), table(const { &two_of_four(2) }));
                let pair = |index, n: usize| _mm512_permutex2var_epi32(z[n], index, z[n + 1]);
                let (low, high) = ([pair(i, 0), pair(i, 2)], [pair(j, 0), pair(j, 2)]);
                [
                    _mm512_shuffle_i64x2::<0x44>(low[0], low[1]),
                    _mm512_shuffle_i64x2::<0xee>(low[0], low[1]),
                    _mm512_shuffle_i64x2::<0x44>(high[0], high[1]),
                    _mm512_shuffle_i64x2::<0xee>(high[0], high[1]),
                ]
            }
        }
    }

    /// The same of the lanes at `from`.
    ///
    /// # Safety
    /// `D` times 64 bytes must begin there.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    unsafe fn rows_at<const D: usize>(from: *const u8) -> [__m512i; 4] {
        let mut z = [_mm512_setzero_si512(); 4];
        for (n, z) in z.iter_mut().enumerate().take(D) {
            // SAFETY: `n` stays below D, so that it is inside by the caller's promise.
            *z = unsafe { _mm512_loadu_si512(from.add(64 * n).cast()) };
        }
        rows_of::<D>(z)
    }

    /// See [`super::load`]; `D`, the number of dwords, is 1, 2 or 4.
    ///
    /// # Safety
    /// `out` must have `chunks * D` chunks, and `bytes` as many times 64 bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub(super) unsafe fn load<const D: usize>(out: &mut [Chunk], chunks: usize, bytes: &[u8]) {
        for c in 0..chunks {
            // SAFETY: the caller's promise.
            let rows = unsafe { rows_at::<D>(bytes.as_ptr().add(64 * c * D)) };
            for (d, row) in rows.into_iter().enumerate().take(D) {
                // SAFETY: as above.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(d * chunks + c).cast(), row) };
            }
        }
    }

    /// See [`super::load_by_chunks`]; `D`, the number of dwords, is 1, 2 or 4.
    ///
    /// # Safety
    /// `out` must have `D` chunks for each of `at`, and the bytes of each chunk's lanes must be inside of `bytes`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub(crate) unsafe fn load_by_chunks<const D: usize>(
        out: &mut [Chunk],
        bytes: &[u8],
        at: &[Chunk],
        same: u8,
    ) {
        let chunks = at.len();
        for (c, at) in at.iter().enumerate() {
            // SAFETY: the caller's promise.
            let from = unsafe { bytes.as_ptr().add(at.0[0] as usize) };
            // SAFETY: as above.
            let to = unsafe { out.as_mut_ptr().add(c) };
            // SAFETY: as above.
            let put = |d: usize, x| unsafe { _mm512_storeu_si512(to.add(d * chunks).cast(), x) };
            if same >> c & 1 != 0 {
                for d in 0..D {
                    // SAFETY: as above.
                    put(d, _mm512_set1_epi32(unsafe { from.add(4 * d).cast::<i32>().read_unaligned() }));
                }
            } else {
                // SAFETY: as above.
                let rows = unsafe { rows_at::<D>(from) };
                for (d, row) in rows.into_iter().enumerate().take(D) {
                    put(d, row);
                }
            }
        }
    }

    /// See [`super::store`]; `D`, the number of dwords, is 1, 2 or 4.
    ///
    /// # Safety
    /// `data` must have `chunks * D` times 16 words, and `out` as many times 64 bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub(super) unsafe fn store<const D: usize>(data: &[u32], chunks: usize, out: &mut [u8]) {
        let (from, to) = (data.as_ptr(), out.as_mut_ptr());
        for c in 0..chunks {
            // SAFETY: `d` stays below D, so that both are inside by the caller's promise.
            let row = |d: usize| unsafe { _mm512_loadu_si512(from.add((d * chunks + c) * 16).cast()) };
            // SAFETY: as above.
            let put = |n: usize, x| unsafe { _mm512_storeu_si512(to.add(64 * (c * D + n)).cast(), x) };
            if D == 1 {
                put(0, row(0));
                continue;
            }
            let (i, j) = (table(const { &alternate(0) }), table(const { &alternate(8) }));
            let (r0, r1) = (row(0), row(1));
            let first = [_mm512_permutex2var_epi32(r0, i, r1), _mm512_permutex2var_epi32(r0, j, r1)];
            if D == 2 {
                put(0, first[0]);
                put(1, first[1]);
                continue;
            }
            let (r2, r3) = (row(2), row(3));
            let (k, m) = (table(const { &four_lanes(0) }), table(const { &four_lanes(1) }));
            let second = [_mm512_permutex2var_epi32(r2, i, r3), _mm512_permutex2var_epi32(r2, j, r3)];
            put(0, _mm512_permutex2var_epi32(first[0], k, second[0]));
            put(1, _mm512_permutex2var_epi32(first[0], m, second[0]));
            put(2, _mm512_permutex2var_epi32(first[1], k, second[1]));
            put(3, _mm512_permutex2var_epi32(first[1], m, second[1]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs() {
        let row = |f: fn(u32) -> u32| -> Vec<Chunk> {
            (0..4).map(|c| Chunk(std::array::from_fn(|l| f(c * 16 + l as u32)))).collect()
        };
        let wrapping = row(|l| 0xffff_fff0u32.wrapping_add(l * 16));
        for (row, step, first) in [
            (wrapping, 16, Some(0xffff_fff0)),
            (row(|_| 7), 0, Some(7)),
            (row(|l| l * 16), 4, None),
            (row(|l| l * 17), 17, None),
            (row(|l| if l == 63 { 0 } else { l * 4 }), 4, None),
        ] {
            assert_eq!(run_start(&row, step), first, "{step}");
            let wanted = |first| equal_as_defined(&row, &STEPS[step as usize], first);
            assert!(first.is_none_or(wanted), "{step}");
        }
    }

    #[test]
    fn equal_rows() {
        let offsets: Vec<Chunk> =
            (0..4).map(|c| Chunk(std::array::from_fn(|l| (c * 16 + l) as u32 * 24 % 100))).collect();
        for chunks in [2, 4] {
            for low in [0, 3, u32::MAX - 50] {
                let mut row: Vec<Chunk> =
                    offsets[..chunks].iter().map(|x| Chunk(x.0.map(|x| x.wrapping_add(low)))).collect();
                for (row, wanted) in [(row.clone(), true), {
                    row[chunks - 1].0[15] ^= 1;
                    (row, false)
                }] {
                    assert_eq!(equal(&row, &offsets[..chunks], low), wanted, "{chunks} {low}");
                    assert_eq!(equal_as_defined(&row, &offsets[..chunks], low), wanted, "{chunks} {low}");
                }
            }
        }
    }

    /// Every width, on the host's level, against the definition.
    #[test]
    fn lanes_become_rows_and_back() {
        for chunks in [2, 4] {
            for dwords in 1..=4 {
                let lanes = chunks * 16;
                let words: Vec<u32> = (0..(lanes * dwords) as u32).map(|n| n * 0x0101_0101).collect();
                let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                let mut out = vec![Chunk::ZERO; chunks * dwords];
                load(&mut out, chunks, dwords, &bytes);
                for lane in 0..lanes {
                    for d in 0..dwords {
                        let got = out[d * chunks + lane / 16].0[lane % 16];
                        assert_eq!(got, words[lane * dwords + d], "{chunks} {dwords} {lane} {d}");
                    }
                }
                let data: Vec<u32> = out.iter().flat_map(|chunk| chunk.0).collect();
                let mut back = vec![0; bytes.len()];
                store(&data, chunks, dwords, &mut back);
                assert_eq!(back, bytes, "{chunks} {dwords}");
            }
        }
    }
}
