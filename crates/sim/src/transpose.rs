//! Loads that transpose small matrices across the lanes of a row of 16.
//!
//! Every lane reads its own bytes; then, within each group of 16 lanes, elements change lanes: lane m of the
//! group receives column m. Which lane holds which piece of the matrix is fixed by the tables of CDNA5 ISA
//! 10.9.2 (gfx1250) and CDNA4 ISA 11.4 (gfx950). EXEC is taken as all ones.

pub use wavemark_isa::effects::Transpose;

/// Bits per element and elements per lane.
fn geometry(transpose: Transpose) -> (u32, u32) {
    match transpose {
        Transpose::Tr16B128 => (16, 8),
        Transpose::Tr8B64 | Transpose::B64TrB8 => (8, 8),
        Transpose::Tr6B96 => (6, 16),
        Transpose::Tr4B64 => (4, 16),
        Transpose::B64TrB16 => (16, 4),
    }
}

/// From which lane of the group, and which of its elements, lane `m` gets its element `k`.
fn source(transpose: Transpose, m: u32, k: u32) -> (u32, u32) {
    match transpose {
        Transpose::Tr16B128 => (k + 8 * (m / 8), m % 8),
        Transpose::Tr8B64 => (k % 4 + 4 * (m / 8) + 8 * (k / 4), m % 8),
        Transpose::Tr6B96 | Transpose::Tr4B64 => (k, m),
        Transpose::B64TrB16 => (4 * k + m / 4, m % 4),
        Transpose::B64TrB8 => (2 * k + m / 8, m % 8),
    }
}

/// What each lane receives, given what each lane read.
pub fn apply(transpose: Transpose, read: &[[u8; 16]]) -> Vec<[u8; 16]> {
    let (bits, count) = geometry(transpose);
    let mask = (1u128 << bits) - 1;
    let words: Vec<u128> = read.iter().map(|bytes| u128::from_le_bytes(*bytes)).collect();
    (0..read.len() as u32)
        .map(|lane| {
            let (group, m) = (lane & !15, lane & 15);
            let mut out = 0u128;
            for k in 0..count {
                let (from, element) = source(transpose, m, k);
                let value = words[(group + from) as usize] >> (element * bits) & mask;
                out |= value << (k * bits);
            }
            out.to_le_bytes()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each transpose moves every element of a group of 16 lanes to exactly one place.
    #[test]
    fn every_element_arrives_once() {
        for transpose in [
            Transpose::Tr16B128,
            Transpose::Tr8B64,
            Transpose::Tr6B96,
            Transpose::Tr4B64,
            Transpose::B64TrB16,
            Transpose::B64TrB8,
        ] {
            let (_, count) = geometry(transpose);
            let mut seen = vec![false; 16 * count as usize];
            for m in 0..16 {
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
    fn tr16_follows_the_manuals_figure() {
        assert_eq!(source(Transpose::Tr16B128, 10, 1), (9, 2));
        assert_eq!(source(Transpose::Tr8B64, 3, 5), (9, 3));
    }
}
