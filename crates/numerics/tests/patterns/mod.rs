//! Bit patterns where formats get interesting.

use proptest::prelude::*;
use wavemark_numerics::soft::Format;

/// Special values and edges of the ranges, what is near 1, what has few bits, and anything.
pub fn bits(format: &'static Format) -> impl Strategy<Value = u64> {
    let sign = 1u64 << format.sign_bit;
    let one = (format.bias as u64) << format.man_bits;
    let edge = prop_oneof![
        Just(0u64),
        Just(1 << format.man_bits),
        Just(format.infinity),
        Just(format.nan),
        Just(one),
        Just(one >> 1),
        Just((one >> 1) + (one >> 2)),
        Just(format.max_finite),
        Just(format.infinity - (1 << format.man_bits)),
    ];
    let near_edge =
        (edge, -3i64..4).prop_map(move |(edge, step)| edge.wrapping_add_signed(step) & (sign - 1));
    let near_one = (any::<u64>(), -12i64..13).prop_map(move |(man, step)| {
        let man = man & ((1 << format.man_bits) - 1);
        one.wrapping_add_signed(step << format.man_bits) & (sign - 1) | man
    });
    let few_bits = (any::<u64>(), 0u32..12).prop_map(move |(man, keep)| {
        let mask = u64::MAX << format.man_bits.saturating_sub(keep);
        man & mask & (sign - 1)
    });
    let magnitude =
        prop_oneof![near_edge, near_one, few_bits, any::<u64>().prop_map(move |x| x & (sign - 1))];
    (magnitude, any::<bool>()).prop_map(move |(a, negative)| if negative { a | sign } else { a })
}
