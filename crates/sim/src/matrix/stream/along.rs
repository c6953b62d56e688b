//! The ways along K.

use super::super::host::Lanes;
use super::super::plan::Stream;
use super::each;
use super::rows::{add_16_rows, put_rows, rows_of};
use super::unit::Unit;
use super::vector::Sixteen;

/// The numbers of the unit of B at the offset `at`.
///
/// # Safety
/// The host must have the level of `V`; the unit must be there.
#[inline(always)]
unsafe fn unit_of_b<V: Sixteen, U: Unit<V>>(
    stream: &Stream,
    b: *const u8,
    at: *const u32,
    flush: bool,
) -> [V; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let words = V::words(&*b.add(*at as usize).cast());
        U::b(if stream.flip == 0 { words } else { V::flipped(words, stream.flip) }, flush)
    }
}

/// Goes along `stream` with `rows` times 16 rows of A: `[a, b, c, d]` is what the offsets are from. NaNs as [`put_rows`] has them.
///
/// # Safety
/// The host must have the level of `V`; what the offsets lead to must be there, `K` elements a pass.
#[inline(always)]
pub unsafe fn go_along<V: Sixteen, U: Unit<V>, const K: usize>(
    stream: &Stream,
    rows: usize,
    [a, b, c, d]: [*mut u8; 4],
    flush: bool,
) -> V {
    let units = K / U::ELEMENTS;
    let tiles = stream.b.len() / units * rows;
    debug_assert_eq!(stream.a.len(), if U::IN_PLACE { K * tiles } else { tiles });
    debug_assert_eq!([stream.c.len(), stream.d.len()], [4 * tiles; 2]);
    let mut a_offset = stream.a.as_ptr();
    let [mut c, mut d] = stream.rows([c, d]);
    // SAFETY: the caller's promise.
    let mut nans = unsafe { V::zero() };
    let mut pass = 0;
    for of_b in stream.b.chunks_exact(units) {
        // SAFETY: the caller's promise.
        let numbers = unsafe {
            let mut numbers = [V::zero(); K];
            each!(16, unit => if unit < units {
                let of_unit = unit_of_b::<V, U>(stream, b, &of_b[unit], flush);
                each!(4, n => if n < U::ELEMENTS { numbers[unit * U::ELEMENTS + n] = of_unit[n]; });
            });
            numbers
        };
        let is_first = K < 16 || pass == 0;
        pass = if pass + 1 == stream.passes { 0 } else { pass + 1 };
        for _ in 0..rows {
            let matrices = [if is_first { c } else { d }, d];
            // SAFETY: the caller's promise.
            unsafe {
                if U::IN_PLACE {
                    let at: [*const f32; K] = std::array::from_fn(|k| {
                        a.wrapping_add(*a_offset.add(k) as usize).cast::<f32>().cast_const()
                    });
                    nans = add_16_rows::<V, K>(matrices, |k| at[k], &numbers, nans);
                    a_offset = a_offset.add(K);
                } else {
                    let first: *const f32 = a.add(*a_offset as usize).cast();
                    nans = add_16_rows::<V, K>(matrices, |k| first.add(16 * k), &numbers, nans);
                    a_offset = a_offset.add(1);
                }
                [c, d] = [c, d].map(|of| of.further(16));
            }
        }
    }
    nans
}

/// Goes along `stream` as [`go_along`], but all along K at once and all 16 rows: B's numbers are put away at `numbers_of_b`,
/// if they are not in memory already.
///
/// # Safety
/// As [`go_along`]; as many vectors as B has must be at `numbers_of_b`.
#[inline(always)]
pub unsafe fn go_all_along<V: Sixteen, U: Unit<V>>(
    stream: &Stream,
    rows: usize,
    [a, b, c, d]: [*mut u8; 4],
    numbers_of_b: *mut f32,
) -> V {
    let passes = stream.passes;
    let units = 16 / U::ELEMENTS * passes;
    debug_assert_eq!(stream.c.len(), 4 * rows * passes * (stream.b.len() / units));
    let [mut c, mut d] = stream.rows([c, d]);
    // SAFETY: the caller's promise.
    let mut nans = unsafe { V::zero() };
    for (tile, of_b) in stream.b.chunks_exact(units).enumerate() {
        // SAFETY: the caller's promise.
        unsafe {
            let mut numbers: *const f32 = b.add(of_b[0] as usize).cast();
            if !U::IN_ORDER {
                numbers = numbers_of_b;
                for (unit, at) in of_b.iter().enumerate() {
                    let of_unit = unit_of_b::<V, U>(stream, b, at, false);
                    let to = numbers_of_b.add(16 * U::ELEMENTS * unit);
                    each!(4, n => if n < U::ELEMENTS { of_unit[n].store(to.add(16 * n)) });
                }
            }
            for row in 0..rows {
                let of_a = stream.a.get_unchecked(tile * passes * rows + row);
                let mut a: *const f32 = a.add(*of_a as usize).cast();
                let mut b = numbers;
                let mut sums = rows_of::<V, 16>(c.group::<16>(0));
                for _ in 0..passes {
                    each!(16, k => {
                        V::add_products(&mut sums, a.add(16 * k), k, V::load(b.add(16 * k)));
                    });
                    [a, b] = [a.add(16 * 16), b.add(16 * 16)];
                }
                nans = put_rows::<V, 16>(d.group::<16>(0), &sums, nans);
                [c, d] = [c, d].map(|of| of.further(16));
            }
            [c, d] = [c, d].map(|of| of.further(16 * rows * (passes - 1)));
        }
    }
    nans
}

/// Converts the unit of A at the offset `at`.
///
/// # Safety
/// The host must have the level of `V`; the unit must be there, and as many vectors at `to` as it has elements.
#[inline(always)]
pub unsafe fn convert<V: Sixteen, U: Unit<V>>(slab: *const u8, at: *const u32, flush: bool, to: *mut Lanes) {
    // SAFETY: the caller's promise.
    unsafe { U::a(&*slab.add(*at as usize).cast(), flush, to) }
}

/// Vectors of A that are converted ahead: what is put away is loaded fast only some cycles later.
const AHEAD: usize = 8;

/// Goes along `stream` of blocks of one tile each, all 16 rows at a time: a unit of A, which is put away at `converted`, and of B
/// become numbers as they are multiplied, so that the host does both at once. NaNs as [`put_rows`] has them.
///
/// # Safety
/// As [`go_along`]; as many vectors as A has must be at `converted`.
#[inline(always)]
pub unsafe fn unit_by_unit<V: Sixteen, U: Unit<V>, const K: usize>(
    stream: &Stream,
    [slab, c, d]: [*mut u8; 3],
    converted: *mut Lanes,
) -> V {
    let units = K / U::ELEMENTS;
    let ahead = (AHEAD / U::ELEMENTS).min(units);
    debug_assert_eq!(stream.convert.len(), stream.b.len());
    let [mut c, mut d] = stream.rows([c, d]);
    let mut of_a = stream.convert.as_ptr();
    let mut of_b = stream.b.as_ptr();
    // SAFETY: the caller's promise.
    unsafe {
        let mut nans = V::zero();
        for _ in 0..stream.convert.len() / (units * stream.passes) {
            let mut to = converted;
            each!(16, unit => if unit < ahead { convert::<V, U>(slab, of_a.add(unit), false, to.add(unit * U::ELEMENTS)); });
            let mut sums = rows_of::<V, 16>(c.group::<16>(0));
            for pass in 1..=stream.passes {
                each!(16, unit => if unit < units {
                    let next = unit + ahead;
                    if next < units || pass < stream.passes {
                        convert::<V, U>(slab, of_a.add(next), false, to.add(next * U::ELEMENTS));
                    }
                    let b = unit_of_b::<V, U>(stream, slab, of_b.add(unit), false);
                    let numbers: *const f32 = to.add(unit * U::ELEMENTS).cast();
                    each!(4, n => if n < U::ELEMENTS {
                        V::add_products(&mut sums, numbers.add(16 * n), n, b[n]);
                    });
                });
                [of_a, of_b] = [of_a.add(units), of_b.add(units)];
                to = to.add(K);
            }
            nans = put_rows::<V, 16>(d.group::<16>(0), &sums, nans);
            [c, d] = [c, d].map(|of| of.further(16 * stream.passes));
        }
        nans
    }
}
