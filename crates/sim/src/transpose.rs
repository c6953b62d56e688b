//! Loads that transpose small matrices across the lanes of a row of 16, or of two.
//!
//! Every lane reads its own bytes; then, within each group of 16 lanes, elements change lanes: lane m of the
//! group receives column m. `tr4_b64` does so within 32 lanes. Which lane holds which piece of the matrix is fixed by the
//! figures of CDNA5 ISA 10.9.2 (gfx1250) and CDNA4 ISA 11.4 (gfx950). Those of CDNA5 say which K a lane reads; the lower 16
//! lanes receive the first half of K and the upper ones the second, each lane in the order of K (so Triton has it for all
//! but 6 bits). EXEC is taken as all ones.

pub use wavemark_isa::effects::Transpose;

use crate::regs::Chunk;

/// Bits per element and elements per lane.
fn geometry(transpose: Transpose) -> (u32, u32) {
    match transpose {
        Transpose::Tr16B128 => (16, 8),
        Transpose::Tr8B64 | Transpose::B64TrB8 => (8, 8),
        Transpose::Tr6B96 | Transpose::B96TrB6 => (6, 16),
        Transpose::Tr4B64 | Transpose::B64TrB4 => (4, 16),
        Transpose::B64TrB16 => (16, 4),
    }
}

/// How many lanes elements move among.
pub fn group_lanes(transpose: Transpose) -> usize {
    if transpose == Transpose::Tr4B64 { 32 } else { 16 }
}

/// From which lane of the group, and which of its elements, lane `m` gets its element `k`.
fn source(transpose: Transpose, m: u32, k: u32) -> (u32, u32) {
    match transpose {
        Transpose::Tr16B128 => (k + 8 * (m / 8), m % 8),
        Transpose::Tr8B64 => (k % 4 + 4 * (m / 8) + 8 * (k / 4), m % 8),
        Transpose::Tr6B96 => (k % 4 + 4 * (k / 8) + 8 * (k / 4 % 2), m),
        Transpose::Tr4B64 => (k % 8 + 8 * (m / 16) + 16 * (k / 8), m % 16),
        Transpose::B96TrB6 | Transpose::B64TrB4 => (k, m),
        Transpose::B64TrB16 => (4 * k + m / 4, m % 4),
        Transpose::B64TrB8 => (2 * k + m / 8, m % 8),
    }
}

/// Whether elements are whole bytes.
pub fn has_whole_bytes(transpose: Transpose) -> bool {
    geometry(transpose).0 >= 8
}

/// Bytes that a lane reads.
pub fn lane_bytes(transpose: Transpose) -> usize {
    let (bits, count) = geometry(transpose);
    (bits * count / 8) as usize
}

/// What the lanes receive, as rows `stride` chunks apart, given the bytes that they read, one lane behind the other.
#[inline(always)]
pub fn apply(transpose: Transpose, read: &[u8], stride: usize, out: &mut [Chunk]) {
    let lane = lane_bytes(transpose);
    for (c, read) in read.chunks_exact(16 * lane).enumerate() {
        let rows = group(transpose, read);
        for (d, row) in rows.into_iter().enumerate().take(lane / 4) {
            // Of two rows of 16 lanes, what each has for a first dword is the first row's, and so on.
            let (d, c) = if transpose == Transpose::Tr4B64 { (c % 2, c / 2 * 2 + d) } else { (d, c) };
            out[d * stride + c] = Chunk(row);
        }
    }
}

/// What the lanes of a wave of 64 receive of what the lower 32 read: as those of a wave of 32 would, but for the second
/// half of their registers, which is in the lanes 32 further (RDNA4 ISA 11.6.2, 7.12.1).
pub fn spread(transpose: Transpose, read: &[u8], out: &mut [Chunk]) {
    let dwords = lane_bytes(transpose) / 4;
    let mut whole = [Chunk::ZERO; 8];
    apply(transpose, read, 2, &mut whole[..2 * dwords]);
    for (n, &chunk) in whole[..2 * dwords].iter().enumerate() {
        let (d, half) = (n / 2 % (dwords / 2), n / dwords);
        out[d * 4 + half * 2 + n % 2] = chunk;
    }
}

/// What the lanes of one group receive: dword d of lane m at `[d][m]`. But for the smallest elements, what neighbouring
/// lanes receive stands side by side in what was read ([`source`]), so that whole runs of elements move.
#[inline(always)]
fn group(transpose: Transpose, read: &[u8]) -> [[u32; 16]; 4] {
    let mut out = [[0u32; 16]; 4];
    match transpose {
        Transpose::Tr16B128 => {
            for (d, row) in out.iter_mut().enumerate() {
                for half in [0, 8] {
                    let from = |k: usize| (k + half) * 16;
                    merge::<2, 8>(&mut row[half..], read, [from(2 * d), from(2 * d + 1)]);
                }
            }
        }
        Transpose::Tr8B64 => {
            for (d, row) in out.iter_mut().enumerate().take(2) {
                for half in [0, 8] {
                    let from = |k: usize| (k + half / 2 + 8 * d) * 8;
                    merge::<4, 8>(&mut row[half..], read, [from(0), from(1), from(2), from(3)]);
                }
            }
        }
        Transpose::B64TrB16 => {
            for (d, row) in out.iter_mut().enumerate().take(2) {
                merge::<2, 16>(row, read, [d * 64, d * 64 + 32]);
            }
        }
        Transpose::B64TrB8 => {
            for (d, row) in out.iter_mut().enumerate().take(2) {
                merge::<4, 16>(row, read, [d * 64, d * 64 + 16, d * 64 + 32, d * 64 + 48]);
            }
        }
        Transpose::Tr4B64 => return group(Transpose::B64TrB4, read),
        Transpose::Tr6B96 | Transpose::B96TrB6 | Transpose::B64TrB4 => {
            for m in 0..16 {
                let received = receives(transpose, read, m);
                for (d, row) in out.iter_mut().enumerate() {
                    row[m as usize] = (received >> (32 * d)) as u32;
                }
            }
        }
    }
    out
}

/// The first `COUNT` dwords of `out`: part j of each is the next element of those that stand from `from[j]` on in `read`.
#[inline(always)]
fn merge<const PARTS: usize, const COUNT: usize>(out: &mut [u32], read: &[u8], from: [usize; PARTS]) {
    let size = 4 / PARTS;
    let runs = from.map(|at| &read[at..at + COUNT * size]);
    for (m, word) in out[..COUNT].iter_mut().enumerate() {
        *word = 0;
        for (j, run) in runs.iter().enumerate() {
            let element = match size {
                2 => u32::from(run[2 * m]) | u32::from(run[2 * m + 1]) << 8,
                _ => u32::from(run[m]),
            };
            *word |= element << (8 * size * j);
        }
    }
}

/// What lane `m` of a group receives, element by element: the definition.
fn receives(transpose: Transpose, read: &[u8], m: u32) -> u128 {
    let (bits, count) = geometry(transpose);
    let lane = lane_bytes(transpose);
    let word = |from: u32| {
        let bytes = &read[from as usize * lane..][..lane];
        bytes.iter().rev().fold(0u128, |word, &byte| word << 8 | u128::from(byte))
    };
    (0..count).fold(0, |out, k| {
        let (from, element) = source(transpose, m, k);
        out | (word(from) >> (element * bits) & ((1 << bits) - 1)) << (k * bits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Transpose; 8] = [
        Transpose::Tr16B128,
        Transpose::Tr8B64,
        Transpose::Tr6B96,
        Transpose::Tr4B64,
        Transpose::B64TrB16,
        Transpose::B64TrB8,
        Transpose::B96TrB6,
        Transpose::B64TrB4,
    ];

    /// Runs of elements arrive where the definition has each of them arrive.
    #[test]
    fn runs_move_as_elements_do() {
        for transpose in ALL {
            let lane = lane_bytes(transpose);
            let read: Vec<u8> = (0..32 * lane).map(|n| (n * 151 + n / 256 * 7) as u8).collect();
            let mut out = vec![Chunk::ZERO; 2 * lane / 4];
            apply(transpose, &read, 2, &mut out);
            for m in 0..32 {
                let group = group_lanes(transpose);
                let wanted = receives(transpose, &read[m / group * group * lane..], (m % group) as u32);
                for d in 0..lane / 4 {
                    let got = out[d * 2 + m / 16].0[m % 16];
                    assert_eq!(got, (wanted >> (32 * d)) as u32, "{transpose:?} lane {m} dword {d}");
                }
            }
        }
    }

    /// RDNA4 ISA 11.6.2: a wave of 64 receives half of a lane's registers in the lane, half in the lane 32 further.
    #[test]
    fn waves_of_64_receive_halves() {
        for transpose in [Transpose::Tr16B128, Transpose::Tr8B64] {
            let lane = lane_bytes(transpose);
            let read: Vec<u8> = (0..32 * lane).map(|n| (n * 151 + n / 256 * 7) as u8).collect();
            let half = lane / 8;
            let mut out = vec![Chunk::ZERO; 4 * half];
            spread(transpose, &read, &mut out);
            for m in 0..64 {
                let wanted = receives(transpose, &read[m % 32 / 16 * 16 * lane..], m as u32 % 16);
                for d in 0..half {
                    let got = out[d * 4 + m / 16].0[m % 16];
                    assert_eq!(got, (wanted >> (32 * (d + m / 32 * half))) as u32, "{transpose:?} lane {m}");
                }
            }
        }
    }

    /// Each transpose moves every element of a group of lanes to exactly one place.
    #[test]
    fn every_element_arrives_once() {
        for transpose in ALL {
            let (_, count) = geometry(transpose);
            let group = group_lanes(transpose);
            let mut seen = vec![false; group * count as usize];
            for m in 0..group as u32 {
                for k in 0..count {
                    let (lane, element) = source(transpose, m, k);
                    let at = (lane * count + element) as usize;
                    assert!(!seen[at], "{transpose:?} takes lane {lane} element {element} twice");
                    seen[at] = true;
                }
            }
        }
    }

    /// CDNA5 ISA 10.9.2: lane 9 of `tr16_b128` loads K=1, M=8…15; so lane m=10 gets its K=1 from there.
    #[test]
    fn sources_follow_the_manuals_figures() {
        assert_eq!(source(Transpose::Tr16B128, 10, 1), (9, 2));
        assert_eq!(source(Transpose::Tr8B64, 3, 5), (9, 3));
        // Lane 18 of `tr4_b64` loads K=0xa, and lane 9 K=0x11; lane 5 of `tr6_b96` K=9.
        assert_eq!(source(Transpose::Tr4B64, 3, 0xa), (18, 3));
        assert_eq!(source(Transpose::Tr4B64, 16 + 3, 0x11 - 0x10), (9, 3));
        assert_eq!(source(Transpose::Tr6B96, 7, 9), (5, 7));
    }
}
