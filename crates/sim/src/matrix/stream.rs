//! Dense products on a host with AVX-512 or AVX2: B is ready as numbers along K, 16 columns of an element of K in a vector, and rows
//! of C go past it to D, four, eight or 16 at a time. The elements of A are numbers in memory, each broadcast as it is multiplied:
//! those of binary32 where the wave has them, others converted first. There are three ways, by what the host has registers for:
//!
//! * [`go_along`] takes up to 16 elements along K at a time, B in registers; a K above 16 goes over the rows several times, from D
//!   to D.
//! * With AVX-512, [`go_all_along`] takes all of a K of 16 and more at once, B in memory.
//! * With AVX-512, [`unit_by_unit`] does so for a single tile, and converts A and B meanwhile.
//!
//! Where A and B can not be taken as they are, because D lies over them or their elements are of other types, they are decoded
//! first, narrow ones by [`narrow`]; where C or D are not binary32 in registers, the sums are in this thread's memory. Products with
//! scales are in [`scaled`]. What the levels differ in is [`Sixteen`].
//!
//! Sums are those of [`super::run`], which has the products whose sums are clamped. NaNs are looked for on the way and made
//! canonical at the end: hardly a product has one.
//!
//! What limits them with AVX-512. Zen 4 begins one multiplication of 16 numbers a cycle, loads 16 numbers in one (a number to
//! broadcast takes half of that where the multiplication itself loads it) and puts 16 away in two. A loop of nothing but these takes
//! 65 cycles for 16 rows along K of 4, which are 64 multiplications, 265 for the 256 of K of 16; but 45 for the 32 of K of 2 and 37
//! for the 16 of K of 1, which no order of them betters. Zen 5 begins two multiplications a cycle, loads 16 numbers or one twice, and
//! puts 16 away once: K of 2 is at most half of its peak, K of 1 a quarter, and with a load for each number of A 64 multiplications
//! take 45 cycles. So half of A's numbers are loaded by four and shuffled, which leaves 36 ([`Sixteen::add_products`]); and as 16 sums that
//! wait four cycles for each multiplication are all that is in flight, more rows at a time are better. What else a product does
//! comes on top: a group of rows is put away while the next is summed already, sums are looked at for NaNs by additions, which have
//! a unit of their own, and bodies go on along their lines. With AVX2 it is as many multiplications, twice of eight numbers each;
//! eight sums in flight hide how long one takes, and B is loaded again for every four rows, six loads to eight multiplications.
//! `cargo bench -p wavemark-filetests --bench matrix` prints parts of the peak.

mod along;
mod binding;
mod narrow;
mod rows;
mod scaled;
mod unit;
mod vector;

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::element::Element;
use super::host::{Level, body};
use super::plan::{AddendFrom, Plan, Stream};
use super::run::{Dense, NAN_BITS, Scratch, load, load_addend, plan_of, store};
use along::{convert, go_all_along, go_along, unit_by_unit};
use rows::{put_rows, rows_of};
use unit::{Bf16, Bytes, Decoded, F16, InOrder, Unit, Words, Xf32};
use vector::{Sixteen, Two};

pub use binding::bind;

use crate::op::{Body, Onward, Op};
use crate::regs::{Chunk, Regs};

/// `$body` for each number `$n`. As a loop it would keep arrays of registers in memory.
macro_rules! each {
    (2, $n:ident => $body:expr) => { each!([0 1], $n => $body) };
    (4, $n:ident => $body:expr) => { each!([0 1 2 3], $n => $body) };
    (8, $n:ident => $body:expr) => { each!([0 1 2 3 4 5 6 7], $n => $body) };
    (16, $n:ident => $body:expr) => { each!([0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15], $n => $body) };
    ([$($i:literal)*], $n:ident => $body:expr) => {{ $({ const N: usize = $i; let $n = N; $body })* }};
}
use each;

/// A kind of product.
trait Product<V: Sixteen> {
    /// One of them.
    ///
    /// # Safety
    /// The host must have the level of `V`.
    unsafe fn one(regs: &mut Regs, op: &Op);
}

/// Products that take `K` elements along K at a time, in these units.
struct Along<U, const K: usize>(PhantomData<U>);

impl<V: Sixteen, U: Unit<V>, const K: usize> Product<V> for Along<U, K> {
    #[inline(always)]
    unsafe fn one(regs: &mut Regs, op: &Op) {
        // SAFETY: the caller's promise.
        unsafe { one::<V, U, K>(regs, op) }
    }
}

/// [`product`] on a host with AVX-512.
///
/// # Safety
/// As [`product`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
unsafe fn avx512<P: Product<__m512>>(regs: &mut Regs, op: &Op) {
    // SAFETY: the caller's promise.
    unsafe { product::<__m512, P>(regs, op) }
}

/// [`product`] on a host with AVX2.
///
/// # Safety
/// As [`product`].
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2<P: Product<Two>>(regs: &mut Regs, op: &Op) {
    // SAFETY: the caller's promise.
    unsafe { product::<Two, P>(regs, op) }
}

/// Products: that of `op` and those behind it in its line.
///
/// # Safety
/// The host must have the level of `V`.
#[inline(always)]
unsafe fn product<V: Sixteen, P: Product<V>>(regs: &mut Regs, mut op: &Op) {
    loop {
        // SAFETY: the caller's promise; an operation of a line stands in the page.
        unsafe {
            P::one(regs, op);
            match op.onward(op.operands) {
                Onward::SameBody(next) => op = next,
                Onward::OtherBody(next) => return (next.body)(regs, next),
                Onward::End => return,
            }
        }
    }
}

/// A product that takes `K` elements along K at a time.
///
/// # Safety
/// The host must have the level of `V`.
#[inline(always)]
unsafe fn one<V: Sixteen, U: Unit<V>, const K: usize>(regs: &mut Regs, op: &Op) {
    let Some(plan) = plan_of(op) else { return };
    let Some(stream) = &plan.stream else { return };
    if plan.clamps_f32 && regs.mode.fp16_ovfl {
        // SAFETY: the caller's promise.
        return unsafe { body::<Dense>(V::LEVEL)(regs, op) };
    }
    let flushes = plan.flushes_inputs && !regs.mode.denorm_in_f32;
    // SAFETY: the caller's promise; the binder has placed all operands inside the slab.
    unsafe {
        if U::IN_PLACE && !U::DECODED && !flushes && stream.in_registers {
            let slab: *mut u8 = regs.v.as_mut_ptr().cast();
            let nans = go_along::<V, U, K>(stream, plan.tiles[1], [slab; 4], false);
            if nans.has_nans() {
                canonical_nans(regs, plan);
            }
        } else {
            through_memory::<V, U, K>(regs, plan, stream, flushes);
        }
    }
}

/// A product some of whose operands are in this thread's memory.
///
/// # Safety
/// As [`product`].
#[inline(always)]
unsafe fn through_memory<V: Sixteen, U: Unit<V>, const K: usize>(
    regs: &mut Regs,
    plan: &Plan,
    stream: &Stream,
    flushes: bool,
) {
    let mut scratch = Scratch::take();
    if U::DECODED || !plan.direct {
        // SAFETY: the caller's promise.
        unsafe { V::prepare(regs, plan, &mut scratch, U::DECODED) };
    }
    let slab: *mut u8 = regs.v.as_mut_ptr().cast();
    let [mut a, mut b] = [slab; 2];
    let meanwhile = V::SIXTEEN_ROWS && U::ELEMENTS >= 2 && plan.tiles[1..] == [1, 1];
    debug_assert!(stream.convert.len() * U::ELEMENTS <= scratch.a.len());
    if U::DECODED {
        [a, b] = [scratch.a.as_mut_ptr().cast(), scratch.b.as_mut_ptr().cast()];
    } else if U::IN_ORDER {
        // SAFETY: the caller's promise; the binder has placed A and B inside the slab.
        [a, b] = unsafe { in_order::<V>(plan, stream, slab, &mut scratch) };
    } else if !meanwhile && (!U::IN_PLACE || flushes) {
        for (at, to) in stream.convert.iter().zip(scratch.a.chunks_exact_mut(U::ELEMENTS)) {
            // SAFETY: the caller's promise; the binder has placed A inside the slab, and so many vectors are in `to`.
            unsafe { convert::<V, U>(slab, at, flushes, to.as_mut_ptr()) }
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
        let matrices = [a, b, c, d];
        let nans = if meanwhile {
            unit_by_unit::<V, U, K>(stream, [slab, c, d], scratch.a.as_mut_ptr())
        } else if V::SIXTEEN_ROWS && K == 16 && !U::IN_PLACE {
            go_all_along::<V, U>(stream, plan.tiles[1], matrices, scratch.b.as_mut_ptr().cast())
        } else {
            go_along::<V, U, K>(stream, plan.tiles[1], matrices, flushes)
        };
        end(regs, plan, scratch, nans);
    }
}

/// Decodes A and B in the order of K: where they are.
///
/// # Safety
/// The host must have the level of `V`; `slab` must have the registers.
#[inline(always)]
unsafe fn in_order<V: Sixteen>(
    plan: &Plan,
    stream: &Stream,
    slab: *const u8,
    scratch: &mut Scratch,
) -> [*mut u8; 2] {
    debug_assert!(plan.tiles[1].max(plan.tiles[2]) * plan.steps.len() <= scratch.a.len());
    let register = 64 * plan.chunks;
    let (a, b) = (scratch.a.as_mut_ptr(), scratch.b.as_mut_ptr());
    let times = narrow::factor::<V>(plan.a.element) * narrow::factor::<V>(plan.b.element);
    // SAFETY: the caller's promise; so many vectors are there.
    unsafe {
        V::decode(plan.a.element, times, narrow::Units { slab, offsets: &stream.convert, register }, a);
        V::decode(plan.b.element, 1.0, narrow::Units { slab, offsets: &stream.convert_b, register }, b);
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
///
/// # Safety
/// The host must have the level of `V`.
#[inline(always)]
unsafe fn end<V: Sixteen>(regs: &mut Regs, plan: &Plan, mut scratch: Box<Scratch>, nans: V) {
    // SAFETY: the caller's promise.
    unsafe {
        if !plan.direct {
            V::finish(regs, plan, &mut scratch);
        } else if nans.has_nans() {
            canonical_nans(regs, plan);
        }
    }
    scratch.give_back();
}

/// Decodes A and B if they are, and C if it is not taken from the registers.
#[inline(always)]
fn prepare<V: Sixteen>(regs: &Regs, plan: &Plan, scratch: &mut Scratch, decodes: bool) {
    if decodes {
        load::<V::Host>(regs, plan, &plan.a, &mut scratch.words, &mut scratch.a);
        load::<V::Host>(regs, plan, &plan.b, &mut scratch.words, &mut scratch.b);
    }
    if !plan.direct {
        load_addend::<V::Host>(regs, plan, scratch);
    }
}

/// D of a product that is not [`Plan::direct`].
#[inline(always)]
fn finish<V: Sixteen>(regs: &mut Regs, plan: &Plan, scratch: &mut Scratch) {
    store::<V::Host>(regs, plan, scratch);
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

/// The body of a product at a level.
macro_rules! at_level {
    ($level:expr, $product:ty) => {
        match $level {
            Level::Avx512 => Some(avx512::<$product> as Body),
            Level::Avx2 => Some(avx2::<$product>),
            Level::Portable => None,
        }
    };
}

macro_rules! products {
    ($($unit:ty, $a:path, $b:path: $($k:literal)*;)*) => {
        /// The body of a product of elements of these types, `at_once` along K at a time, that takes A and B as they are in the
        /// registers.
        fn direct_body(elements: [Element; 2], at_once: usize, level: Level) -> Option<Body> {
            match (elements, at_once) {
                $($(([$a, $b], $k) => at_level!(level, Along<$unit, $k>),)*)*
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

/// The body of a product with scales for `block` elements each.
fn scaled_body(block: usize, level: Level) -> Option<Body> {
    match block {
        16 => at_level!(level, scaled::InBlocks<16>),
        32 => at_level!(level, scaled::InBlocks<32>),
        _ => None,
    }
}

/// The body of a product whose A and B are decoded first in the order of K.
fn in_order_body(level: Level) -> Option<Body> {
    at_level!(level, Along<InOrder, 16>)
}

/// The body of a product whose A and B are decoded first.
fn decoding_body(at_once: usize, level: Level) -> Option<Body> {
    match at_once {
        1 => at_level!(level, Along<Decoded, 1>),
        2 => at_level!(level, Along<Decoded, 2>),
        4 => at_level!(level, Along<Decoded, 4>),
        8 => at_level!(level, Along<Decoded, 8>),
        16 => at_level!(level, Along<Decoded, 16>),
        _ => None,
    }
}
