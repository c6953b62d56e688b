//! Where elements are, as the manuals write it: closed forms for single elements, apart from the layouts that the
//! operations use.

use wavemark_target::Machine;

use crate::matrix::table::{Family, Kind, MatrixRow, Source};
use crate::modelled::machines::{GFX950, GFX1250};

/// Item and lane of A\[block, i, k\] (or B\[block, k, i\]); of a sparse A, of the first of the pair that k is in.
pub fn factor(
    machine: Machine,
    row: &MatrixRow,
    is_b: bool,
    bits: usize,
    block: usize,
    i: usize,
    k: usize,
) -> (usize, usize) {
    let (m, k_all, blocks) = (if is_b { row.n } else { row.m } as usize, row.k as usize, row.blocks as usize);
    let chosen = row.a == Source::Chosen;
    if row.family == Family::WmmaTwice {
        // RDNA3 7.9: lane i has all of row (or column) i.
        return (k, i);
    }
    if row.family == Family::Mfma {
        let per_lane = k_all / (64 / (m * blocks));
        if row.kind == Kind::Sparse {
            let group_lane = |group: usize| i + m * group;
            return if !is_b {
                (2 * (k / 4) % (per_lane / 2), group_lane(k / per_lane))
            } else if per_lane * bits == 256 {
                // B[64][16], B[32][32], B[128][16], B[64][32] of 7.5.1.3: v4 to v7 hold the second half of K.
                let half = k_all / 2;
                let run = per_lane / 2;
                (run * (k / half) + k % run, group_lane(k % half / run))
            } else {
                (k % per_lane, group_lane(k / per_lane))
            };
        }
        if chosen && bits == 8 {
            let half = k_all / 2;
            return (16 * (k / half) + k % 16, i + m * (k % half / 16));
        }
        return (k % per_lane, i + m * (block + blocks * (k / per_lane)));
    }
    if !machine.wave32() {
        // RDNA4 7.12.1, the columns of wave64; a sparse A is where the B that it meets is, but for the one that fits into
        // the lower lanes.
        let bit = |n: usize| k >> n & 1;
        let sparse = row.kind == Kind::Sparse;
        let (item, part) = match (sparse, is_b, bits) {
            (false, _, 16) => (k % 4, 2 * bit(3) + bit(2)),
            (false, _, 8) => (k % 4, 2 * bit(2) + bit(3)),
            (false, ..) if k_all == 16 => (k % 8, bit(3)),
            (false, ..) => (k % 8, 2 * bit(3) + bit(4)),
            (true, false, 4) if k_all == 32 => (2 * (k % 16 / 4), bit(4)),
            (true, false, _) => (2 * (k % 8 / 4) + 4 * (k / 32), 2 * bit(3) + bit(4)),
            (true, true, _) => (k % 8 + 8 * (k / 32), 2 * bit(3) + bit(4)),
        };
        return (item, i + 16 * part);
    }
    // The tables of 7.12.2, 7.12.4, 7.12.5, 7.12.6.1.
    let tile = i / 16 * (k_all / 2);
    let (item, half) = match (row.kind == Kind::Sparse, bits) {
        (true, _) if is_b => (k % 16 + 16 * (k / 32), k / 16 % 2),
        (true, _) => (2 * (k % 16 / 4) + 8 * (k / 32), k / 16 % 2),
        (_, 32) => (k % 2, k / 2),
        (_, 8) if chosen => (k % 16 + 16 * (k / 32), k / 16 % 2),
        (_, 16 | 8) => (k % 8 + 8 * (k / 16), k / 8 % 2),
        (_, 4) if k_all < 128 => (k % (k_all / 2), k / (k_all / 2)),
        _ => (k % 32 + 32 * (k / 64), k / 32 % 2),
    };
    (tile + item, i % 16 + 16 * half)
}

/// Item and lane of C or D\[block, i, j\] of elements of `bits`.
pub fn sum(
    machine: Machine,
    row: &MatrixRow,
    bits: usize,
    block: usize,
    i: usize,
    j: usize,
) -> (usize, usize) {
    if row.family == Family::WmmaTwice {
        // Rows go around the 16-lane parts of the wave; narrow sums have a register each.
        let parts = machine.lanes() as usize / 16;
        return (i / parts * (32 / bits), j + 16 * (i % parts));
    }
    if row.family == Family::Wmma && !machine.wave32() {
        return (i % 4, j + 16 * (i / 8) + 32 * (i / 4 % 2));
    }
    if row.family == Family::Wmma {
        return (i % 8 + 8 * (i / 16), j + 16 * (i / 8 % 2));
    }
    match (row.m, bits) {
        (32, _) => (16 * block + 4 * (i / 8) + i % 4, j + 32 * (i / 4 % 2)),
        (16, 64) => (i / 4, j + 16 * (i % 4)),
        (16, _) => (4 * block + i % 4, j + 16 * (i / 4)),
        (_, 64) => (0, j + 4 * block + 16 * i),
        _ => (i, j + 4 * block),
    }
}

/// The index expressions of kernels that were compiled for the hardware.
#[test]
fn compiled_kernels_agree() {
    let check = |machine: Machine,
                 name: &str,
                 bits,
                 a: &dyn Fn(usize, usize) -> (usize, usize),
                 d: &dyn Fn(usize, usize) -> (usize, usize)| {
        let mut rows = crate::matrix::table::FAMILIES.iter().copied().flatten();
        let row = rows.find(|row| row.key.name() == name).unwrap_or_else(|| panic!("{name}"));
        let lanes = machine.lanes() as usize;
        for lane in 0..lanes {
            for item in 0..(row.m * row.k) as usize / lanes {
                let (i, k) = a(lane, item);
                assert_eq!(factor(machine, row, false, bits, 0, i, k), (item, lane), "{name} A");
                assert_eq!(factor(machine, row, true, bits, 0, i, k), (item, lane), "{name} B");
            }
            for item in 0..(row.m * row.n) as usize / lanes {
                let (i, j) = d(lane, item);
                let bits = if bits == 64 { 64 } else { 32 };
                assert_eq!(sum(machine, row, bits, 0, i, j), (item, lane), "{name} D");
            }
        }
    };
    check(GFX950, "v_mfma_f32_32x32x16_bf16", 16, &|l, j| (l % 32, 8 * (l / 32) + j), &|l, j| {
        (8 * (j / 4) + 4 * (l / 32) + j % 4, l % 32)
    });
    check(GFX950, "v_mfma_f32_16x16x32_f16", 16, &|l, j| (l % 16, 8 * (l / 16) + j), &|l, j| {
        (4 * (l / 16) + j, l % 16)
    });
    check(GFX950, "v_mfma_f64_16x16x4_f64", 64, &|l, _| (l % 16, l / 16), &|l, j| (4 * j + l / 16, l % 16));
    check(GFX950, "v_mfma_f32_16x16x16_f16", 16, &|l, j| (l % 16, 4 * (l / 16) + j), &|l, j| {
        (4 * (l / 16) + j, l % 16)
    });
    check(GFX950, "v_mfma_f32_32x32x8_bf16", 16, &|l, j| (l % 32, 4 * (l / 32) + j), &|l, j| {
        (8 * (j / 4) + 4 * (l / 32) + j % 4, l % 32)
    });
    check(GFX950, "v_mfma_i32_16x16x32_i8", 8, &|l, j| (l % 16, 8 * (l / 16) + j), &|l, j| {
        (4 * (l / 16) + j, l % 16)
    });
    let d = |l: usize, j: usize| (8 * (l / 16) + j, l % 16);
    for name in ["v_wmma_f32_16x16x64_fp8_fp8", "v_wmma_i32_16x16x64_iu8"] {
        check(GFX1250, name, 8, &|l, j| (l % 16, 16 * (j / 8) + 8 * (l / 16) + j % 8), &d);
    }
    check(GFX1250, "v_wmma_f32_16x16x16_f16", 16, &|l, j| (l % 16, 8 * (l / 16) + j), &d);
}
