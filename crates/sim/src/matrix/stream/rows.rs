//! Rows of C and D, and adding products to them.

use super::super::plan::Stream;
use super::each;
use super::vector::Sixteen;

/// Rows of C or D.
#[derive(Clone, Copy)]
pub struct Rows {
    /// What the offsets are from.
    from: *mut u8,
    /// The first of every four rows.
    offsets: *const u32,
    /// From a row to the next one of the four.
    apart: usize,
}

impl Rows {
    /// `ROWS` rows from `first` on, four, eight or 16.
    ///
    /// # Safety
    /// There must be so many rows.
    #[inline(always)]
    pub unsafe fn group<const ROWS: usize>(&self, first: usize) -> Group {
        // SAFETY: the caller's promise.
        let four = |n: usize| unsafe { self.from.add(*self.offsets.add(first / 4 + n) as usize) };
        Group { fours: [0, 1, 2, 3].map(|n| four(n.min(ROWS / 4 - 1))), apart: self.apart }
    }

    /// Those behind the first `rows`.
    #[inline(always)]
    pub fn further(self, rows: usize) -> Rows {
        Rows { offsets: self.offsets.wrapping_add(rows / 4), ..self }
    }
}

/// At most 16 rows of C or D. Where they are is looked up once: the compiler would do it for each, for what is written
/// might be the offsets.
#[derive(Clone, Copy)]
pub struct Group {
    fours: [*mut u8; 4],
    apart: usize,
}

impl Group {
    /// Where row `r` is.
    ///
    /// # Safety
    /// There must be so many rows.
    #[inline(always)]
    pub unsafe fn row(self, r: usize) -> *mut f32 {
        // SAFETY: the caller's promise.
        unsafe { self.fours[r / 4].add(self.apart * (r % 4)).cast() }
    }
}

impl Stream {
    /// C and D, which are there.
    #[inline(always)]
    pub fn rows(&self, [c, d]: [*mut u8; 2]) -> [Rows; 2] {
        let [of_c, of_d] = self.apart;
        [
            Rows { from: c, offsets: self.c.as_ptr(), apart: of_c },
            Rows { from: d, offsets: self.d.as_ptr(), apart: of_d },
        ]
    }
}

/// Puts the sums of `ROWS` rows away; `nans`, with NaNs in columns that have some, or infinities of both signs.
///
/// # Safety
/// The host must have the level of `V`; the rows must be there.
#[inline(always)]
pub unsafe fn put_rows<V: Sixteen, const ROWS: usize>(d: Group, sums: &[V; ROWS], mut nans: V) -> V {
    // SAFETY: the caller's promise.
    unsafe {
        each!(16, r => if r < ROWS { sums[r].store(d.row(r)); });
        // Additions, which the host does beside multiplications.
        each!([0 2 4 6 8 10 12 14], r => if r < ROWS { nans = nans.plus(sums[r].plus(sums[r + 1])); });
    }
    nans
}

/// `ROWS` rows.
///
/// # Safety
/// The host must have the level of `V`; the rows must be there.
#[inline(always)]
pub unsafe fn rows_of<V: Sixteen, const ROWS: usize>(c: Group) -> [V; ROWS] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = [V::zero(); ROWS];
        each!(16, r => if r < ROWS { sums[r] = V::load(c.row(r)); });
        sums
    }
}

/// Adds up 16 rows' products, `ROWS` rows at a time: element k of A's row r is `numbers(k)` and `r` numbers further.
/// `nans`, as [`put_rows`] has them.
///
/// # Safety
/// The host must have the level of `V`; the rows and the numbers must be there.
#[inline(always)]
pub unsafe fn add_rows<V: Sixteen, const K: usize, const ROWS: usize>(
    [c, d]: [Rows; 2],
    numbers: impl Fn(usize) -> *const f32,
    b: &[V; K],
    mut nans: V,
) -> V {
    // Not a loop: where loads and stores are each an instruction of their own, the host finds that a row waits for itself alone.
    each!([0 4 8 12], first => if first.is_multiple_of(ROWS) {
        // SAFETY: the caller's promise.
        unsafe {
            let [c, d] = [c.group::<ROWS>(first), d.group::<ROWS>(first)];
            let mut sums = rows_of::<V, ROWS>(c);
            each!(16, k => if k < K {
                V::add_products(&mut sums, numbers(k).add(first), k, b[k]);
            });
            nans = put_rows::<V, ROWS>(d, &sums, nans);
        }
    });
    nans
}

/// [`add_rows`], as many rows at a time as there are registers for.
///
/// # Safety
/// As [`add_rows`].
#[inline(always)]
pub unsafe fn add_16_rows<V: Sixteen, const K: usize>(
    matrices: [Rows; 2],
    numbers: impl Fn(usize) -> *const f32,
    b: &[V; K],
    nans: V,
) -> V {
    // SAFETY: the caller's promise.
    unsafe {
        match V::SIXTEEN_ROWS && K >= 4 {
            true => add_rows::<V, K, 8>(matrices, numbers, b, nans),
            false => add_rows::<V, K, 4>(matrices, numbers, b, nans),
        }
    }
}
