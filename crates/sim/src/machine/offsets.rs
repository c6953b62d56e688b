//! Addresses of lanes, from rows of 32-bit values: a base and an offset for each lane, found for the whole wave at once.

use crate::alu::leveled;
#[cfg(target_arch = "x86_64")]
use crate::alu::{Level, level};
use crate::events::Space;
use crate::regs::{Chunk, reduced};
use crate::rows;

/// How a row of 32-bit values becomes addresses: a value `v` stands for the place
/// `base + ((v + add) ^ flip) * scale`, where the sum, the flip and the product have 32 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub space: Space,
    pub base: u64,
    pub add: u32,
    /// Lanes with a greater sum than this access nothing; `None`: no lane accesses anything.
    pub ceiling: Option<u32>,
    /// The sign bit, if the value is signed and the base is that much lower.
    pub flip: u32,
    pub scale: u32,
}

impl Terms {
    pub const fn new(space: Space, base: u64) -> Terms {
        Terms { space, base, add: 0, ceiling: Some(u32::MAX), flip: 0, scale: 1 }
    }
}

impl Terms {
    /// The lowest address, if the lowest value is this one, the others go on to `span` above it, all of them are in range and
    /// none wraps.
    #[inline]
    pub fn lowest(&self, value: u32, span: u32) -> Option<u64> {
        let low = value.checked_add(self.add)?;
        let high = low.checked_add(span)?;
        let together = high <= self.ceiling? && (low ^ high) & self.flip == 0 && self.scale == 1;
        together.then(|| self.base.wrapping_add(u64::from(low ^ self.flip)))
    }
}

/// What [`offsets`] has found.
pub(super) struct Found {
    /// The lanes that are on and not above the ceiling.
    pub mask: u64,
    /// The lowest of their values.
    pub low: u32,
    /// The highest of their values.
    pub high: u32,
    /// Their distances from the lowest are multiples of the alignment.
    pub aligned: bool,
    /// All lanes are on, and their distances are multiples of the size, one behind the other.
    pub run: bool,
}

/// The values of `row` by `terms`, as distances from the lowest one of the lanes of `exec`; 0 for lanes that are off.
/// `align` is a power of 2, `size` the bytes of an access.
#[inline]
pub(super) fn offsets(
    out: &mut [Chunk],
    row: &[Chunk],
    terms: &Terms,
    exec: u64,
    full: u64,
    align: u32,
    size: u32,
) -> Found {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the host has what the level stands for.
        unsafe {
            if let (Some(out), Some(row)) = (out.as_mut_array::<2>(), row.as_array::<2>()) {
                return avx512::offsets(out, row, terms, exec, align, size);
            }
            if let (Some(out), Some(row)) = (out.as_mut_array::<4>(), row.as_array::<4>()) {
                return avx512::offsets(out, row, terms, exec, align, size);
            }
        }
    }
    let found = offsets_as_defined(out, row, terms, exec, full, align);
    Found { run: found.mask == full && rows::run_start(out, size) == Some(0), ..found }
}

leveled! {
    fn offsets_as_defined(
        out: &mut [Chunk],
        row: &[Chunk],
        terms: &Terms,
        exec: u64,
        full: u64,
        align: u32,
    ) -> Found {
        if exec == full && terms.scale == 1 {
            let found = all_offsets(out, row, terms, align);
            if terms.ceiling.is_some_and(|top| found.high <= top) {
                return Found { mask: full, ..found };
            }
        }
        some_offsets(out, row, terms, exec, align)
    }
}

/// For all lanes, whatever the ceiling.
#[inline(always)]
fn all_offsets(out: &mut [Chunk], row: &[Chunk], terms: &Terms, align: u32) -> Found {
    let (mut low, mut high, mut odd) = ([u32::MAX; 16], [0; 16], [0; 16]);
    for (out, row) in out.iter_mut().zip(row) {
        for (l, (out, x)) in out.0.iter_mut().zip(&row.0).enumerate() {
            *out = x.wrapping_add(terms.add) ^ terms.flip;
            low[l] = low[l].min(*out);
            high[l] = high[l].max(*out);
        }
    }
    let low = reduced(low, u32::min);
    for out in out.iter_mut() {
        for (x, odd) in out.0.iter_mut().zip(&mut odd) {
            *x = x.wrapping_sub(low);
            *odd |= *x;
        }
    }
    let aligned = reduced(odd, |a, b| a | b) & (align - 1) == 0;
    Found { mask: 0, low, high: reduced(high, u32::max), aligned, run: false }
}

/// For the lanes of `exec` that are not above the ceiling.
#[inline(always)]
fn some_offsets(out: &mut [Chunk], row: &[Chunk], terms: &Terms, exec: u64, align: u32) -> Found {
    let Terms { add, flip, scale, .. } = *terms;
    let exec = if terms.ceiling.is_some() { exec } else { 0 };
    let ceiling = terms.ceiling.unwrap_or(0);
    let (mut low, mut high, mut odd, mut mask) = ([u32::MAX; 16], [0; 16], [0; 16], 0u64);
    for (c, (out, row)) in out.iter_mut().zip(row).enumerate() {
        let on = (exec >> (16 * c)) as u32;
        let mut bits = [0; 16];
        for l in 0..16 {
            let sum = row.0[l].wrapping_add(add);
            let on = 0u32.wrapping_sub(on >> l & 1) & if sum <= ceiling { u32::MAX } else { 0 };
            let value = (sum ^ flip).wrapping_mul(scale);
            out.0[l] = value;
            low[l] = low[l].min(value | !on);
            high[l] = high[l].max(value & on);
            bits[l] = on & 1 << l;
        }
        mask |= u64::from(reduced(bits, |a, b| a | b)) << (16 * c);
    }
    let low = reduced(low, u32::min);
    for (c, out) in out.iter_mut().enumerate() {
        let on = (mask >> (16 * c)) as u32;
        for (l, (value, odd)) in out.0.iter_mut().zip(&mut odd).enumerate() {
            *value = value.wrapping_sub(low) & 0u32.wrapping_sub(on >> l & 1);
            *odd |= *value;
        }
    }
    let aligned = reduced(odd, |a, b| a | b) & (align - 1) == 0;
    Found { mask, low, high: reduced(high, u32::max), aligned, run: false }
}

/// Whether the lanes of `exec` hold `value`.
#[inline]
pub(super) fn all_hold(row: &[Chunk], exec: u64, value: u32) -> bool {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the host has what the level stands for.
        return unsafe { avx512::all_hold(row, exec, value) };
    }
    all_hold_as_defined(row, exec, value)
}

leveled! {
    fn all_hold_as_defined(row: &[Chunk], exec: u64, value: u32) -> bool {
        let mut odd = 0;
        for (c, row) in row.iter().enumerate() {
            let on = (exec >> (16 * c)) as u32;
            for (l, x) in row.0.iter().enumerate() {
                odd |= (x ^ value) & 0u32.wrapping_sub(on >> l & 1);
            }
        }
        odd == 0
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{Found, Terms};
    use crate::regs::avx512::{put, row};
    use crate::regs::{Chunk, all_lanes};
    use crate::rows::STEPS;

    /// See [`super::all_hold`].
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub(super) fn all_hold(from: &[Chunk], exec: u64, value: u32) -> bool {
        let value = _mm512_set1_epi32(value as i32);
        let others = |(c, from)| _mm512_mask_cmpneq_epi32_mask((exec >> (16 * c)) as u16, row(from), value);
        from.iter().enumerate().map(others).fold(0, |odd, others| odd | others) == 0
    }

    /// See [`super::offsets`].
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub(super) fn offsets<const N: usize>(
        out: &mut [Chunk; N],
        from: &[Chunk; N],
        terms: &Terms,
        exec: u64,
        align: u32,
        size: u32,
    ) -> Found {
        let exec = if terms.ceiling.is_some() { exec } else { 0 };
        let ceiling = _mm512_set1_epi32(terms.ceiling.unwrap_or(0) as i32);
        let add = _mm512_set1_epi32(terms.add as i32);
        let flip = _mm512_set1_epi32(terms.flip as i32);
        let scale = _mm512_set1_epi32(terms.scale as i32);
        let (mut low, mut high) = (_mm512_set1_epi32(-1), _mm512_setzero_si512());
        let mut mask = 0;
        for (c, (out, from)) in out.iter_mut().zip(from).enumerate() {
            let sum = _mm512_add_epi32(row(from), add);
            let mut value = _mm512_xor_si512(sum, flip);
            if terms.scale != 1 {
                value = _mm512_mullo_epi32(value, scale);
            }
            let on = _mm512_mask_cmple_epu32_mask((exec >> (16 * c)) as u16, sum, ceiling);
            low = _mm512_mask_min_epu32(low, on, low, value);
            high = _mm512_mask_max_epu32(high, on, high, value);
            mask |= u64::from(on) << (16 * c);
            put(out, value);
        }
        let (low, high) = (_mm512_reduce_min_epu32(low), _mm512_reduce_max_epu32(high));
        let (first, odd) = (_mm512_set1_epi32(low as i32), _mm512_set1_epi32(align as i32 - 1));
        let size = _mm512_set1_epi32(size as i32);
        let (mut misaligned, mut elsewhere) = (0, 0);
        for (c, out) in out.iter_mut().enumerate() {
            let distance = _mm512_maskz_sub_epi32((mask >> (16 * c)) as u16, row(out), first);
            misaligned |= _mm512_test_epi32_mask(distance, odd);
            let behind = _mm512_mullo_epi32(row(&STEPS[1][c]), size);
            elsewhere |= _mm512_cmpneq_epi32_mask(distance, behind);
            put(out, distance);
        }
        let run = elsewhere == 0 && mask == all_lanes(N);
        Found { mask, low, high, aligned: misaligned == 0, run }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regs::all_lanes;

    /// The host's bodies find what the definition finds.
    #[test]
    fn levels_agree() {
        let mut seed = 1u64;
        let mut draw = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 32) as u32
        };
        for round in 0..2000 {
            let chunks = if round & 1 == 0 { 2 } else { 4 };
            let full = all_lanes(chunks);
            let range = 1 << (round % 32);
            let row: Vec<Chunk> = (0..chunks)
                .map(|_| Chunk(std::array::from_fn(|_| (draw() % range).wrapping_mul(4))))
                .collect();
            let exec = match round % 3 {
                0 => full,
                _ => (u64::from(draw()) << 32 | u64::from(draw())) & full,
            };
            let terms = Terms {
                add: draw() % 64,
                ceiling: [None, Some(u32::MAX), Some(range), Some(draw())][round % 4],
                flip: if round % 5 == 0 { 1 << 31 } else { 0 },
                scale: [1, 1, 4, 16][round / 4 % 4],
                ..Terms::new(Space::Lds, 0)
            };
            let align = [1, 4, 8][round % 3];
            let mut outs = [vec![Chunk::splat(7); chunks], vec![Chunk::splat(8); chunks]];
            let found = offsets(&mut outs[0], &row, &terms, exec, full, align, 4);
            let wanted = offsets_as_defined(&mut outs[1], &row, &terms, exec, full, align);
            assert_eq!(found.mask, wanted.mask, "round {round}");
            assert_eq!(outs[0], outs[1], "round {round}");
            if found.mask != 0 {
                assert_eq!((found.low, found.high), (wanted.low, wanted.high), "round {round}");
                assert_eq!(found.aligned, wanted.aligned, "round {round}");
            }
        }
    }
}
