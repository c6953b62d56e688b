//! The granules that the lanes of a row of offsets are in.

use super::GRANULE;
#[cfg(target_arch = "x86_64")]
use crate::alu::{Level, level};
use crate::pending::lanes;
use crate::regs::Chunk;

/// Puts the granules of the lanes of `mask`, each of which has `size` bytes at its offset from `within` a granule on, into
/// `numbers`, those of neighbours in the same once; how many they are. `None` if a lane is in two.
#[inline]
pub(super) fn granules(
    numbers: &mut [u32; 16],
    at: &Chunk,
    mask: u16,
    within: u32,
    size: u32,
) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the host has what the level stands for.
        return unsafe { avx512::granules(numbers, at, mask, within, size) };
    }
    granules_as_defined(numbers, at, mask, within, size)
}

fn granules_as_defined(
    numbers: &mut [u32; 16],
    at: &Chunk,
    mask: u16,
    within: u32,
    size: u32,
) -> Option<usize> {
    let mut count = 0;
    for lane in lanes(mask.into()) {
        let start = at.0[lane as usize] + within;
        let number = start / GRANULE as u32;
        if number != (start + size - 1) / GRANULE as u32 {
            return None;
        }
        let before = lane.checked_sub(1).filter(|before| mask >> before & 1 != 0);
        if before.is_none_or(|before| (at.0[before as usize] + within) / GRANULE as u32 != number) {
            numbers[count] = number;
            count += 1;
        }
    }
    Some(count)
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::GRANULE;
    use crate::regs::Chunk;
    use crate::regs::avx512::row;

    /// See [`super::granules`].
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub fn granules(numbers: &mut [u32; 16], at: &Chunk, mask: u16, within: u32, size: u32) -> Option<usize> {
        const SHIFT: u32 = GRANULE.trailing_zeros();
        let start = _mm512_add_epi32(row(at), _mm512_set1_epi32(within as i32));
        let last = _mm512_add_epi32(start, _mm512_set1_epi32(size as i32 - 1));
        let found = _mm512_srli_epi32::<SHIFT>(start);
        if _mm512_mask_cmpneq_epi32_mask(mask, found, _mm512_srli_epi32::<SHIFT>(last)) != 0 {
            return None;
        }
        // Each lane's number is in the next one.
        let before = _mm512_alignr_epi32::<15>(found, found);
        let new = mask & (_mm512_cmpneq_epi32_mask(found, before) | !(mask << 1));
        // SAFETY: 16 dwords of 16.
        unsafe {
            _mm512_storeu_si512(numbers.as_mut_ptr().cast(), _mm512_maskz_compress_epi32(new, found));
        }
        Some(new.count_ones() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The host's body finds what the definition finds.
    #[test]
    fn levels_agree() {
        let mut state = 1u64;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u32 % below
        };
        for round in 0..3000 {
            let size = [1, 2, 4, 8, 12, 16][round % 6];
            let (step, within) = (draw(40), draw(64));
            let odd = 1 + draw(4);
            let at = Chunk(std::array::from_fn(|l| l as u32 * step / odd * odd + 1000 * draw(2)));
            let mask = if draw(2) == 0 { u16::MAX } else { draw(1 << 16) as u16 };
            let mut numbers = [[7; 16]; 2];
            let found = granules(&mut numbers[0], &at, mask, within, size);
            let wanted = granules_as_defined(&mut numbers[1], &at, mask, within, size);
            assert_eq!(found, wanted, "{at:?} {mask:#x} {within} {size}");
            let count = found.unwrap_or(0);
            assert_eq!(numbers[0][..count], numbers[1][..count], "{at:?} {mask:#x} {within} {size}");
        }
    }
}
