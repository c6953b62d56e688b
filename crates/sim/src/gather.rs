//! Moving lanes between memory, where each has a place of its own, and rows of registers: gathers, scatters, narrow
//! accesses, transposing loads.
//!
//! A place is an offset from the first of the bytes that the lanes reach. Lanes that are off have one that is inside,
//! too, and what is read there is dropped. Of lanes that store to the same bytes, the last one wins. The definition of
//! each body is here, compiled for every host level ([`leveled`]); [`avx512`] and [`avx2`] have bodies of their own for what the
//! compiler does not find, which give the same bits and leave to the definition whatever does not fit them.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

use crate::alu::leveled;
#[cfg(target_arch = "x86_64")]
use crate::alu::{Level, level};
use crate::pending::lanes;
use crate::regs::Chunk;
use crate::rows;
use crate::shape::{LoadShape, Widening};
use crate::transpose::{self, Transpose};

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(test)]
mod tests;

/// Call `$f` with the number of bytes as a constant.
macro_rules! by_size {
    ($size:expr, $f:ident ( $($arg:expr),* )) => {
        match $size {
            1 => $f::<1>($($arg),*),
            2 => $f::<2>($($arg),*),
            4 => $f::<4>($($arg),*),
            8 => $f::<8>($($arg),*),
            12 => $f::<12>($($arg),*),
            _ => $f::<16>($($arg),*),
        }
    };
}

/// Run the body of the host's level, if there is one, and return if it fits.
macro_rules! try_levels {
    ($($level:ident => $body:expr),* $(,)?) => {
        #[cfg(target_arch = "x86_64")]
        let fits = match level() {
            $(
                // SAFETY: the host has what the level stands for.
                Level::$level => unsafe { $body },
            )*
            Level::Portable => false,
        };
        #[cfg(target_arch = "x86_64")]
        if fits {
            return;
        }
    };
}

/// The lanes of chunk `c`.
#[inline(always)]
pub(crate) fn part(mask: u64, c: usize) -> u16 {
    (mask >> (16 * c)) as u16
}

/// `new` in the lanes of `mask`, 0 in the others of `write`, which has all of `mask`.
#[inline(always)]
pub(crate) fn merge(old: &mut Chunk, new: &Chunk, mask: u16, write: u16) {
    if mask == u16::MAX {
        *old = *new;
        return;
    }
    for (l, (old, new)) in old.0.iter_mut().zip(&new.0).enumerate() {
        let bit = |m: u16| 0u32.wrapping_sub(u32::from(m) >> l & 1);
        *old = *new & bit(mask) | *old & !bit(write);
    }
}

/// The bytes of 16 lanes, one behind the other.
#[inline(always)]
fn pack<const SIZE: usize>(packed: &mut [u8], bytes: &[u8], at: &Chunk) {
    for (to, &from) in packed.chunks_exact_mut(SIZE).zip(&at.0) {
        to.copy_from_slice(&bytes[from as usize..][..SIZE]);
    }
}

/// The reverse for the lanes of `mask`.
#[inline(always)]
fn unpack<const SIZE: usize>(bytes: &mut [u8], at: &Chunk, mask: u16, packed: &[u8; 256]) {
    for lane in lanes(u64::from(mask)) {
        let lane = lane as usize;
        bytes[at.0[lane] as usize..][..SIZE].copy_from_slice(&packed[lane * SIZE..][..SIZE]);
    }
}

/// `size` bytes of each lane of `mask`, whole dwords, to rows of so many chunks that begin at the front of `out`; the
/// other lanes of `write` get 0.
#[inline]
pub(crate) fn load(
    out: &mut [Chunk],
    chunks: usize,
    size: usize,
    bytes: &[u8],
    at: &[Chunk],
    mask: u64,
    write: u64,
) {
    try_levels! {
        Avx512 => match size {
            4 => avx512::load::<1>(out, chunks, bytes, at, mask, write),
            8 => avx512::load::<2>(out, chunks, bytes, at, mask, write),
            12 => avx512::load::<3>(out, chunks, bytes, at, mask, write),
            _ => avx512::load::<4>(out, chunks, bytes, at, mask, write),
        },
        Avx2 => match size {
            4 => avx2::load::<1>(out, chunks, bytes, at, mask, write),
            8 => avx2::load::<2>(out, chunks, bytes, at, mask, write),
            12 => false,
            _ => avx2::load::<4>(out, chunks, bytes, at, mask, write),
        },
    }
    load_as_defined(out, chunks, size, bytes, at, mask, write);
}

leveled! {
    fn load_as_defined(
        out: &mut [Chunk],
        chunks: usize,
        size: usize,
        bytes: &[u8],
        at: &[Chunk],
        mask: u64,
        write: u64,
    ) {
        let dwords = size / 4;
        for (c, at) in at.iter().enumerate() {
            let mut got = [Chunk::ZERO; 4];
            if part(mask, c) != 0 {
                let mut packed = [0; 256];
                by_size!(size, pack(&mut packed, bytes, at));
                rows::load(&mut got[..dwords], 1, dwords, &packed[..64 * dwords]);
            }
            for (d, new) in got[..dwords].iter().enumerate() {
                merge(&mut out[d * chunks + c], new, part(mask, c), part(write, c));
            }
        }
    }
}

/// One or two bytes of each lane of `mask` to a row, as `shape` says; the other lanes of `write` read 0.
#[inline]
pub(crate) fn load_narrow(
    out: &mut [Chunk],
    shape: LoadShape,
    bytes: &[u8],
    at: &[Chunk],
    mask: u64,
    write: u64,
) {
    try_levels! {
        Avx512 => avx512::load_narrow(out, shape, bytes, at, mask, write),
        Avx2 => avx2::load_narrow(out, shape, bytes, at, mask, write),
    }
    load_narrow_as_defined(out, shape, bytes, at, mask, write);
}

leveled! {
    fn load_narrow_as_defined(
        out: &mut [Chunk],
        shape: LoadShape,
        bytes: &[u8],
        at: &[Chunk],
        mask: u64,
        write: u64,
    ) {
        for (c, (out, at)) in out.iter_mut().zip(at).enumerate() {
            let mut new = Chunk::ZERO;
            if part(mask, c) != 0 {
                match shape.bytes {
                    1 => narrow::<1>(&mut new, bytes, at),
                    _ => narrow::<2>(&mut new, bytes, at),
                }
            }
            widen(out, &new, shape.widening(), part(mask, c), part(write, c));
        }
    }
}

leveled! {
    /// [`load_narrow`] of all lanes, the 16 of each chunk one behind the other.
    pub(crate) fn load_narrow_by_chunks(out: &mut [Chunk], shape: LoadShape, bytes: &[u8], at: &[Chunk]) {
        for (out, at) in out.iter_mut().zip(at) {
            let bytes = &bytes[at.0[0] as usize..][..16 * shape.bytes as usize];
            let mut new = Chunk::ZERO;
            match shape.bytes {
                1 => new.0.iter_mut().zip(bytes).for_each(|(new, &byte)| *new = byte.into()),
                _ => {
                    for (new, half) in new.0.iter_mut().zip(bytes.as_chunks().0) {
                        *new = u16::from_le_bytes(*half).into();
                    }
                }
            }
            widen(out, &new, shape.widening(), u16::MAX, u16::MAX);
        }
    }
}

/// `SIZE` bytes of each lane, one or two.
#[inline(always)]
fn narrow<const SIZE: usize>(new: &mut Chunk, bytes: &[u8], at: &Chunk) {
    for (new, &from) in new.0.iter_mut().zip(&at.0) {
        let from = &bytes[from as usize..][..SIZE];
        *new = if SIZE == 1 { from[0].into() } else { u16::from_le_bytes([from[0], from[1]]).into() };
    }
}

/// What was read in the lanes of `mask`, and 0 in the others of `write`, to a row that may keep a part of what it holds.
#[inline(always)]
fn widen(out: &mut Chunk, new: &Chunk, widening: Widening, mask: u16, write: u16) {
    let bit = |m: u16, l: usize| 0u32.wrapping_sub(u32::from(m) >> l & 1);
    for (l, (out, new)) in out.0.iter_mut().zip(&new.0).enumerate() {
        let value = widening.of(*out, *new & bit(mask, l));
        *out = value & bit(write, l) | *out & !bit(write, l);
    }
}

/// What was read, one or two bytes a lane with zeros above them, in the lanes of `mask`, and 0 in the others of `write`, to
/// a row, as `shape` says.
pub(crate) fn widen_row(out: &mut [Chunk], new: &[Chunk], shape: LoadShape, mask: u64, write: u64) {
    for (c, (out, new)) in out.iter_mut().zip(new).enumerate() {
        widen(out, new, shape.widening(), part(mask, c), part(write, c));
    }
}

/// The bytes of all lanes to rows of so many chunks, by way of a transpose.
#[inline]
pub(crate) fn load_transposed(out: &mut [Chunk], transpose: Transpose, bytes: &[u8], at: &[Chunk]) {
    try_levels! {
        Avx512 => avx512::load_transposed(out, transpose, bytes, at),
        Avx2 => avx2::load_transposed(out, transpose, bytes, at),
    }
    load_transposed_as_defined(out, transpose, bytes, at);
}

leveled! {
    fn load_transposed_as_defined(out: &mut [Chunk], transpose: Transpose, bytes: &[u8], at: &[Chunk]) {
        let size = transpose::lane_bytes(transpose);
        let mut packed = [0; 4 * 256];
        for (packed, lanes) in packed.chunks_exact_mut(16 * size).zip(at) {
            by_size!(size, pack(packed, bytes, lanes));
        }
        transpose::apply(transpose, &packed[..at.len() * 16 * size], at.len(), out);
    }
}

/// The rows `data` to `size` bytes of each lane of `mask`.
#[inline]
pub(crate) fn store(out: &mut [u8], size: usize, data: &[Chunk], at: &[Chunk], mask: u64) {
    try_levels! {
        Avx512 => match size {
            1 | 2 => avx512::store_narrow(out, size, data, at, mask),
            4 => avx512::store::<1>(out, data, at, mask),
            8 => avx512::store::<2>(out, data, at, mask),
            16 => avx512::store::<4>(out, data, at, mask),
            _ => false,
        },
        Avx2 => match size {
            4 => avx2::store::<1>(out, data, at, mask),
            8 => avx2::store::<2>(out, data, at, mask),
            16 => avx2::store::<4>(out, data, at, mask),
            _ => false,
        },
    }
    store_as_defined(out, size, data, at, mask);
}

leveled! {
    fn store_as_defined(out: &mut [u8], size: usize, data: &[Chunk], at: &[Chunk], mask: u64) {
        let dwords = size.div_ceil(4);
        for (c, at_lanes) in at.iter().enumerate() {
            let mut rows = [Chunk::ZERO; 4];
            for (d, row) in rows.iter_mut().enumerate().take(dwords) {
                *row = data[d * at.len() + c];
            }
            let mut packed = [0; 256];
            match size {
                1 | 2 => {
                    for (to, word) in packed.chunks_exact_mut(size).zip(&rows[0].0) {
                        to.copy_from_slice(&word.to_le_bytes()[..size]);
                    }
                }
                _ => rows::store(Chunk::words(&rows[..dwords]), 1, dwords, &mut packed[..64 * dwords]),
            }
            by_size!(size, unpack(out, at_lanes, part(mask, c), &packed));
        }
    }
}

/// Has the host fetch what lanes will read later, every fourth of which stands for those behind it.
#[inline]
pub(crate) fn prefetch(source: &[u8], from: &[Chunk]) {
    #[cfg(target_arch = "x86_64")]
    for &from in from.iter().flat_map(|from| from.0.iter().step_by(4)) {
        let place = source.as_ptr().wrapping_add(from as usize);
        // SAFETY: every host has the instruction, and it may be given any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
}

/// `size` bytes of each lane of `mask` from one memory to the other; the other lanes of `write` store 0.
#[inline]
pub(crate) fn copy(
    target: &mut [u8],
    to: &[Chunk],
    source: &[u8],
    from: &[Chunk],
    size: usize,
    mask: u64,
    write: u64,
) {
    try_levels! {
        Avx512 => avx512::copy(target, to, source, from, size, mask, write),
        Avx2 => match size {
            4 => avx2::copy::<4>(target, to, source, from, mask),
            8 => avx2::copy::<8>(target, to, source, from, mask),
            16 => avx2::copy::<16>(target, to, source, from, mask),
            _ => false,
        },
    }
    copy_as_defined(target, to, source, from, size, mask, write);
}

leveled! {
    fn copy_as_defined(
        target: &mut [u8],
        to: &[Chunk],
        source: &[u8],
        from: &[Chunk],
        size: usize,
        mask: u64,
        write: u64,
    ) {
        for (c, (to, from)) in to.iter().zip(from).enumerate() {
            by_size!(size, copy_lanes(target, to, source, from, part(mask, c), part(write, c)));
        }
    }
}

#[inline(always)]
fn copy_lanes<const SIZE: usize>(
    target: &mut [u8],
    to: &Chunk,
    source: &[u8],
    from: &Chunk,
    mask: u16,
    write: u16,
) {
    if mask == u16::MAX {
        for (&to, &from) in to.0.iter().zip(&from.0) {
            target[to as usize..][..SIZE].copy_from_slice(&source[from as usize..][..SIZE]);
        }
        return;
    }
    for lane in lanes(u64::from(write)) {
        let target = &mut target[to.0[lane as usize] as usize..][..SIZE];
        match mask >> lane & 1 {
            0 => target.fill(0),
            _ => target.copy_from_slice(&source[from.0[lane as usize] as usize..][..SIZE]),
        }
    }
}

leveled! {
    /// 16 bytes of each lane from one memory to the other, where each four lanes are 16 bytes apart on both sides.
    pub(crate) fn copy_by_fours(target: &mut [u8], to: &[Chunk], source: &[u8], from: &[Chunk]) {
        for (to, from) in to.iter().zip(from) {
            for (to, from) in to.0.iter().step_by(4).zip(from.0.iter().step_by(4)) {
                target[*to as usize..][..64].copy_from_slice(&source[*from as usize..][..64]);
            }
        }
    }
}
