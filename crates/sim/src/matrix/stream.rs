//! Dense products on a host with AVX-512: what 16 columns of B are along K, up to 16 elements at a time, stays in registers,
//! and the rows of C go past it to D in groups of four or eight. The elements of A are numbers in memory, each broadcast as it
//! is multiplied: those of binary32 where the wave has them, others converted first. A K above 16 goes over the rows several
//! times, from D to D. Where that is not possible, because D lies over A or B or the elements are of other types, A and B are
//! decoded first, narrow ones by [`narrow`]; where C or D are not binary32 in registers, the sums are in this thread's memory.
//! Products with scales are in [`scaled`].
//!
//! Sums are those of [`super::run`], which has the products whose sums are clamped. NaNs are looked for on the way and made
//! canonical at the end: hardly a product has one.
//!
//! What limits them: Zen 4 begins one multiplication of 16 numbers a cycle, loads 16 numbers in one (a number to broadcast takes
//! half of that where the multiplication itself loads it) and puts 16 away in two. A loop of nothing but these takes 65 cycles
//! for 16 rows along K of 4, which are 64 multiplications, 265 for the 256 of K of 16; but 45 for the 32 of K of 2 and 37 for the
//! 16 of K of 1, which no order of them betters. What else a product does comes on top. So a group of rows is put away while the
//! next is summed already, sums are looked at for NaNs by additions, which have a unit of their own, and bodies go on along
//! their lines. `cargo bench -p wavemark-filetests --bench matrix` prints parts of the peak.

mod binding;
mod narrow;
mod scaled;
mod unit;

use std::arch::x86_64::*;

use super::element::Element;
use super::host::{Avx512, Level, body};
use super::plan::{AddendFrom, Plan, Stream};
use super::run::{Dense, NAN_BITS, Scratch, load, load_addend, plan_of, store};
use unit::{Bf16, Bytes, Decoded, F16, InOrder, Unit, Words, Xf32};

pub use binding::bind;

use crate::op::{Body, Op};
use crate::regs::{Chunk, Regs, avx512};

/// `$body` for each number `$n`. As a loop it would keep arrays of registers in memory.
macro_rules! each {
    (2, $n:ident => $body:expr) => { each!([0 1], $n => $body) };
    (4, $n:ident => $body:expr) => { each!([0 1 2 3], $n => $body) };
    (8, $n:ident => $body:expr) => { each!([0 1 2 3 4 5 6 7], $n => $body) };
    (16, $n:ident => $body:expr) => { each!([0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15], $n => $body) };
    ([$($i:literal)*], $n:ident => $body:expr) => {{ $({ const N: usize = $i; let $n = N; $body })* }};
}
use each;

/// Rows of C or D.
#[derive(Clone, Copy)]
struct Rows {
    /// What the offsets are from.
    from: *mut u8,
    /// The first of every four rows.
    offsets: *const u32,
    /// From a row to the next one of the four.
    apart: usize,
}

impl Rows {
    /// `ROWS` rows from `first` on, four or eight.
    ///
    /// # Safety
    /// There must be so many rows.
    #[inline(always)]
    unsafe fn group<const ROWS: usize>(&self, first: usize) -> Group {
        // SAFETY: the caller's promise.
        let four = |n: usize| unsafe { self.from.add(*self.offsets.add(first / 4 + n) as usize) };
        Group { fours: [four(0), four(ROWS / 4 - 1)], apart: self.apart }
    }

    /// Those behind the first `rows`.
    #[inline(always)]
    fn further(self, rows: usize) -> Rows {
        Rows { offsets: self.offsets.wrapping_add(rows / 4), ..self }
    }
}

/// Eight rows of C or D, or four of them. Where they are is looked up once: the compiler would do it for each, for what is written
/// might be the offsets.
#[derive(Clone, Copy)]
struct Group {
    fours: [*mut u8; 2],
    apart: usize,
}

impl Group {
    /// Where row `r` is.
    ///
    /// # Safety
    /// There must be so many rows.
    #[inline(always)]
    unsafe fn row(self, r: usize) -> *mut f32 {
        // SAFETY: the caller's promise.
        unsafe { self.fours[r / 4].add(self.apart * (r % 4)).cast() }
    }
}

impl Stream {
    /// C and D, which are there.
    #[inline(always)]
    fn rows(&self, [c, d]: [*mut u8; 2]) -> [Rows; 2] {
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
/// The host must have AVX-512 F; the rows must be there.
#[inline(always)]
unsafe fn put_rows<const ROWS: usize>(d: Group, sums: &[__m512; 8], mut nans: __m512) -> __m512 {
    // SAFETY: the caller's promise.
    unsafe {
        each!(8, r => if r < ROWS { _mm512_storeu_ps(d.row(r), sums[r]); });
        // Additions, which the host does beside multiplications.
        each!([0 2 4 6], r => if r < ROWS { nans = _mm512_add_ps(nans, _mm512_add_ps(sums[r], sums[r + 1])); });
    }
    nans
}

/// Adds up 16 rows' products, `ROWS` rows at a time: element k of A's row r is `numbers(k)` and `STRIDE * r` numbers further.
/// `nans`, as [`put_rows`] has them.
///
/// # Safety
/// The host must have AVX-512 F; the rows and the numbers must be there.
#[inline(always)]
unsafe fn add_rows<const K: usize, const ROWS: usize, const STRIDE: usize>(
    [c, d]: [Rows; 2],
    numbers: impl Fn(usize) -> *const f32,
    b: &[__m512; K],
    mut nans: __m512,
) -> __m512 {
    // Not a loop: where loads and stores are each an instruction of their own, the host finds that a row waits for itself alone.
    each!([0 4 8 12], first => if first.is_multiple_of(ROWS) {
        // SAFETY: the caller's promise.
        unsafe {
            let [c, d] = [c.group::<ROWS>(first), d.group::<ROWS>(first)];
            let mut sums = [_mm512_setzero_ps(); 8];
            // Volatile, for the compiler is to load A's numbers as it multiplies, not C: a number takes half a turn of the loads.
            each!(8, r => if r < ROWS { sums[r] = c.row(r).cast::<__m512>().read_volatile(); });
            each!(16, k => if k < K {
                let numbers = numbers(k).add(STRIDE * first);
                each!(8, r => if r < ROWS {
                    sums[r] = _mm512_fmadd_ps(_mm512_set1_ps(*numbers.add(STRIDE * r)), b[k], sums[r]);
                });
            });
            nans = put_rows::<ROWS>(d, &sums, nans);
        }
    });
    nans
}

/// Goes along `stream` with `rows` times 16 rows of A: `[a, b, c, d]` is what the offsets are from. NaNs as [`put_rows`] has them.
///
/// # Safety
/// The host must have AVX-512 F, BW, DQ and VL; what the offsets lead to must be there, `K` elements a pass.
#[inline(always)]
unsafe fn go_along<U: Unit, const K: usize>(
    stream: &Stream,
    rows: usize,
    [a, b, c, d]: [*mut u8; 4],
    flush: __mmask16,
) -> __m512 {
    let units = K / U::ELEMENTS;
    let tiles = stream.b.len() / units * rows;
    debug_assert_eq!(stream.a.len(), if U::IN_PLACE { K * tiles } else { tiles });
    debug_assert_eq!([stream.c.len(), stream.d.len()], [4 * tiles; 2]);
    let mut a_offset = stream.a.as_ptr();
    let [mut c, mut d] = stream.rows([c, d]);
    // SAFETY: the caller's promise.
    let mut nans = unsafe { _mm512_setzero_ps() };
    let mut pass = 0;
    for of_b in stream.b.chunks_exact(units) {
        // SAFETY: the caller's promise.
        let numbers = unsafe {
            let flip = _mm512_set1_epi32(stream.flip as i32);
            let mut numbers = [_mm512_setzero_ps(); K];
            each!(16, unit => if unit < units {
                let words = avx512::row(&*b.add(of_b[unit] as usize).cast());
                let words = if stream.flip == 0 { words } else { _mm512_xor_si512(words, flip) };
                let of_unit = U::b(words, flush);
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
                    nans = match K < 8 {
                        true => add_rows::<K, 4, 1>(matrices, |k| at[k], &numbers, nans),
                        false => add_rows::<K, 8, 1>(matrices, |k| at[k], &numbers, nans),
                    };
                    a_offset = a_offset.add(K);
                } else {
                    let first: *const f32 = a.add(*a_offset as usize).cast();
                    let at = |k: usize| {
                        first.add(16 * (k / U::ELEMENTS * U::ELEMENTS) + U::STRIDES[1] * (k % U::ELEMENTS))
                    };
                    nans = match (K < 8, U::STRIDES[0]) {
                        (true, 1) => add_rows::<K, 4, 1>(matrices, at, &numbers, nans),
                        (true, _) => add_rows::<K, 4, 2>(matrices, at, &numbers, nans),
                        (false, 1) => add_rows::<K, 8, 1>(matrices, at, &numbers, nans),
                        (false, _) => add_rows::<K, 8, 2>(matrices, at, &numbers, nans),
                    };
                    a_offset = a_offset.add(1);
                }
                [c, d] = [c, d].map(|of| of.further(16));
            }
        }
    }
    nans
}

/// Products that take `K` elements along K at a time: that of `op` and those behind it in its line.
///
/// # Safety
/// The host must have AVX-512 F, BW, DQ and VL.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
unsafe fn product<U: Unit, const K: usize>(regs: &mut Regs, mut op: &Op) {
    loop {
        // SAFETY: the caller's promise; an operation of a line stands in the page.
        unsafe {
            one::<U, K>(regs, op);
            match op.next_in_line() {
                Some(next) => op = next,
                None => return,
            }
        }
    }
}

/// A product that takes `K` elements along K at a time.
///
/// # Safety
/// The host must have AVX-512 F, BW, DQ and VL.
#[inline(always)]
unsafe fn one<U: Unit, const K: usize>(regs: &mut Regs, op: &Op) {
    let Some(plan) = plan_of(op) else { return };
    let Some(stream) = &plan.stream else { return };
    if plan.clamps_f32 && regs.mode.fp16_ovfl {
        // SAFETY: the caller's promise.
        return unsafe { body::<Dense>(Level::Avx512)(regs, op) };
    }
    let flushes = plan.flushes_inputs && !regs.mode.denorm_in_f32;
    // SAFETY: the caller's promise; the binder has placed all operands inside the slab.
    unsafe {
        if U::IN_PLACE && !U::DECODED && !flushes && stream.in_registers {
            let slab: *mut u8 = regs.v.as_mut_ptr().cast();
            let nans = go_along::<U, K>(stream, plan.tiles[1], [slab; 4], 0);
            if has_nans(nans) {
                canonical_nans(regs, plan);
            }
        } else {
            through_memory::<U, K>(regs, plan, stream, flushes);
        }
    }
}

/// Whether there is a NaN.
///
/// # Safety
/// The host must have AVX-512 F.
#[inline(always)]
unsafe fn has_nans(nans: __m512) -> bool {
    // SAFETY: the caller's promise.
    unsafe { _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(nans, nans) != 0 }
}

/// A product some of whose operands are in this thread's memory.
///
/// # Safety
/// As [`product`].
#[inline(always)]
unsafe fn through_memory<U: Unit, const K: usize>(
    regs: &mut Regs,
    plan: &Plan,
    stream: &Stream,
    flushes: bool,
) {
    let mut scratch = Scratch::take();
    let flush = if flushes { !0 } else { 0 };
    if U::DECODED || !plan.direct {
        // SAFETY: the caller's promise.
        unsafe { prepare(regs, plan, &mut scratch, U::DECODED) };
    }
    let slab: *mut u8 = regs.v.as_mut_ptr().cast();
    let [mut a, mut b] = [slab; 2];
    if U::DECODED {
        [a, b] = [scratch.a.as_mut_ptr().cast(), scratch.b.as_mut_ptr().cast()];
    } else if U::IN_ORDER {
        // SAFETY: the caller's promise; the binder has placed A and B inside the slab.
        [a, b] = unsafe { in_order(plan, stream, slab, &mut scratch) };
    } else if !U::IN_PLACE || flushes {
        debug_assert!(stream.convert.len() * U::ELEMENTS <= scratch.a.len());
        for (at, to) in stream.convert.iter().zip(scratch.a.chunks_exact_mut(U::ELEMENTS)) {
            // SAFETY: the caller's promise; the binder has placed A inside the slab, and so many vectors are in `to`.
            unsafe { U::a(&*slab.add(*at as usize).cast(), flush, to.as_mut_ptr()) }
        }
        a = scratch.a.as_mut_ptr().cast();
        if U::IN_PLACE {
            // The offsets are from the slab's begin.
            a = a.wrapping_sub(64 * plan.a.at);
        }
    }
    let [c, d] = sums(plan, slab, &mut scratch);
    // SAFETY: the caller's promise; the binder has placed all operands inside the slab, the decoded vectors, the converted
    // numbers and the sums.
    unsafe {
        let nans = go_along::<U, K>(stream, plan.tiles[1], [a, b, c, d], flush);
        end(regs, plan, scratch, has_nans(nans));
    }
}

/// Decodes A and B in the order of K: where they are.
///
/// # Safety
/// The host must have AVX-512 F, BW, DQ and VL; `slab` must have the registers.
#[inline(always)]
unsafe fn in_order(plan: &Plan, stream: &Stream, slab: *const u8, scratch: &mut Scratch) -> [*mut u8; 2] {
    debug_assert!(plan.tiles[1].max(plan.tiles[2]) * plan.steps.len() <= scratch.a.len());
    let register = 64 * plan.chunks;
    let (a, b) = (scratch.a.as_mut_ptr(), scratch.b.as_mut_ptr());
    let times = narrow::factor(plan.a.element) * narrow::factor(plan.b.element);
    // SAFETY: the caller's promise; so many vectors are there.
    unsafe {
        narrow::decode(plan.a.element, times, narrow::Units { slab, offsets: &stream.convert, register }, a);
        narrow::decode(plan.b.element, 1.0, narrow::Units { slab, offsets: &stream.convert_b, register }, b);
    }
    [a.cast(), b.cast()]
}

/// What the offsets of C and D are from.
#[inline(always)]
fn sums(plan: &Plan, slab: *mut u8, scratch: &mut Scratch) -> [*mut u8; 2] {
    match plan.c.from {
        _ if !plan.direct => [scratch.sums.as_mut_ptr().cast(); 2],
        AddendFrom::Constant(bits) => {
            scratch.words[0] = Chunk::splat(bits as u32);
            [scratch.words.as_mut_ptr().cast(), slab]
        }
        AddendFrom::Registers(_) => [slab; 2],
    }
}

/// What is to be done once the sums are where [`sums`] has them.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
#[inline]
fn end(regs: &mut Regs, plan: &Plan, mut scratch: Box<Scratch>, has_nans: bool) {
    if !plan.direct {
        finish(regs, plan, &mut scratch);
    } else if has_nans {
        canonical_nans(regs, plan);
    }
    scratch.give_back();
}

/// Decodes A and B if they are, and C if it is not taken from the registers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
#[inline(never)]
fn prepare(regs: &Regs, plan: &Plan, scratch: &mut Scratch, decodes: bool) {
    if decodes {
        load::<Avx512>(regs, plan, &plan.a, &mut scratch.words, &mut scratch.a);
        load::<Avx512>(regs, plan, &plan.b, &mut scratch.words, &mut scratch.b);
    }
    if !plan.direct {
        load_addend::<Avx512>(regs, plan, scratch);
    }
}

/// D of a product that is not [`Plan::direct`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
#[inline(never)]
fn finish(regs: &mut Regs, plan: &Plan, scratch: &mut Scratch) {
    store::<Avx512>(regs, plan, scratch);
}

/// Makes the NaNs of D what they are to be.
#[cold]
fn canonical_nans(regs: &mut Regs, plan: &Plan) {
    for place in &plan.d_rows {
        for word in &mut regs.v[plan.d + place.chunk as usize].0 {
            if f32::from_bits(*word).is_nan() {
                *word = NAN_BITS;
            }
        }
    }
}

macro_rules! products {
    ($($unit:ty, $a:path, $b:path: $($k:literal)*;)*) => {
        /// The body of a product of elements of these types, `at_once` along K at a time, that takes A and B as they are in the
        /// registers.
        fn direct_body(elements: [Element; 2], at_once: usize) -> Option<Body> {
            match (elements, at_once) {
                $($(([$a, $b], $k) => Some(product::<$unit, $k>),)*)*
                _ => None,
            }
        }
    };
}

products! {
    Words, Element::F32, Element::F32: 1 2 4;
    Xf32, Element::Xf32, Element::Xf32: 4 8;
    F16, Element::F16, Element::F16: 4 8 16;
    Bf16, Element::Bf16, Element::Bf16: 2 4 8 16;
    Bytes<false, false>, Element::E4m3, Element::E4m3: 16;
    Bytes<false, true>, Element::E4m3, Element::E5m2: 16;
    Bytes<true, false>, Element::E5m2, Element::E4m3: 16;
    Bytes<true, true>, Element::E5m2, Element::E5m2: 16;
}

/// The body of a product whose A and B are decoded first.
fn decoding_body(at_once: usize) -> Option<Body> {
    match at_once {
        1 => Some(product::<Decoded, 1>),
        2 => Some(product::<Decoded, 2>),
        4 => Some(product::<Decoded, 4>),
        8 => Some(product::<Decoded, 8>),
        16 => Some(product::<Decoded, 16>),
        _ => None,
    }
}
