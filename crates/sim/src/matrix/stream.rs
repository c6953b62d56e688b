//! Dense products on a host with AVX-512: what 16 columns of B are along K, up to 16 elements at a time, stays in registers,
//! and the rows of C go past it to D in groups of four or eight. The elements of A are numbers in memory, each broadcast as it
//! is multiplied: those of binary32 where the wave has them, others converted first. A K above 16 goes over the rows several
//! times, from D to D. Where that is not possible, because D lies over A or B or the elements are of other types, A and B are
//! decoded first; where C or D are not binary32 in registers, the sums are in this thread's memory.
//!
//! Sums are those of [`super::run`], which has the products whose sums are clamped. NaNs are looked for on the way and made
//! canonical at the end: hardly a product has one.
//!
//! What limits them: Zen 4 begins one multiplication of 16 numbers a cycle, loads 16 numbers in one (a number to broadcast takes
//! half of that where the multiplication itself loads it) and puts 16 away in two, of which it takes one from the
//! multiplications. So a group is put away while the next is summed already: with the sums of 16 rows in registers until the
//! last step, the next product would wait for them. 64 multiplications of 16x16x4 take 90 cycles, 256 of 16x16x16 320; of
//! 32x32x2 and 32x32x1, the loads and stores take longer than the multiplications. `cargo bench -p wavemark-filetests --bench
//! matrix` prints parts of the peak.

mod unit;

use std::arch::x86_64::*;

use super::element::Element;
use super::host::{Avx512, Level, Step, body};
use super::plan::{AddendFrom, Factor, Plan, Stream};
use super::run::{Dense, NAN_BITS, Scratch, load, load_addend, plan_of, store};
use unit::{Bf16, Bytes, Decoded, F16, Unit, Words, Xf32};

use crate::op::{Body, Op};
use crate::regs::{Chunk, Regs, avx512};

/// `$body` for each number `$n`. As a loop it would keep arrays of registers in memory.
macro_rules! each {
    (4, $n:ident => $body:expr) => { each!([0 1 2 3], $n => $body) };
    (8, $n:ident => $body:expr) => { each!([0 1 2 3 4 5 6 7], $n => $body) };
    (16, $n:ident => $body:expr) => { each!([0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15], $n => $body) };
    ([$($i:literal)*], $n:ident => $body:expr) => {{ $({ const N: usize = $i; let $n = N; $body })* }};
}

/// Adds up 16 rows' products, `ROWS` rows at a time: element k of A's row r is `numbers(k)` and `STRIDE * r` numbers further.
/// `[c, d]` are where the matrices are, and the offsets of the rows from there. The greatest of `nans` and twice the bits of each
/// sum.
///
/// # Safety
/// The host must have AVX-512 F; the rows and the numbers must be there.
#[inline(always)]
unsafe fn add_rows<const K: usize, const ROWS: usize, const STRIDE: usize>(
    [c, d]: [(*mut u8, *const u32); 2],
    numbers: impl Fn(usize) -> *const f32,
    b: &[__m512; K],
    mut nans: __m512i,
) -> __m512i {
    for first in (0..16).step_by(ROWS) {
        // SAFETY: the caller's promise.
        unsafe {
            let row = |(matrix, offsets): (*mut u8, *const u32), r: usize| {
                matrix.add(*offsets.add(first + r) as usize).cast::<f32>()
            };
            let mut sums = [_mm512_setzero_ps(); 8];
            // Volatile, for the compiler is to load A's numbers as it multiplies, not C: a number takes half a turn of the loads.
            each!(8, r => if r < ROWS { sums[r] = row(c, r).cast::<__m512>().read_volatile(); });
            each!(16, k => if k < K {
                let numbers = numbers(k).add(STRIDE * first);
                each!(8, r => if r < ROWS {
                    sums[r] = _mm512_fmadd_ps(_mm512_set1_ps(*numbers.add(STRIDE * r)), b[k], sums[r]);
                });
            });
            each!(8, r => if r < ROWS { _mm512_storeu_ps(row(d, r), sums[r]); });
            each!(8, r => if r < ROWS {
                let bits = _mm512_castps_si512(sums[r]);
                nans = _mm512_max_epu32(nans, _mm512_add_epi32(bits, bits));
            });
        }
    }
    nans
}

/// Goes along `stream` with `rows` times 16 rows of A: `[a, b, c, d]` is what the offsets are from. Twice the greatest bits of a
/// sum, in each column.
///
/// # Safety
/// The host must have AVX-512 F, BW, DQ and VL; what the offsets lead to must be there, `K` elements a pass.
#[inline(always)]
unsafe fn go_along<U: Unit, const K: usize>(
    stream: &Stream,
    rows: usize,
    [a, b, c, d]: [*mut u8; 4],
    flush: __mmask16,
) -> __m512i {
    let units = K / U::ELEMENTS;
    let tiles = stream.b.len() / units * rows;
    debug_assert_eq!(stream.a.len(), if U::IN_PLACE { K * tiles } else { tiles });
    debug_assert_eq!([stream.c.len(), stream.d.len()], [16 * tiles; 2]);
    let [mut a_offset, mut c_offsets, mut d_offsets] =
        [&stream.a, &stream.c, &stream.d].map(|of| of.as_ptr());
    // SAFETY: the caller's promise.
    let mut nans = unsafe { _mm512_setzero_si512() };
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
        let from = if K < 16 || pass == 0 { c } else { d };
        pass = if pass + 1 == stream.passes { 0 } else { pass + 1 };
        for _ in 0..rows {
            let matrices = [(from, c_offsets), (d, d_offsets)];
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
                [c_offsets, d_offsets] = [c_offsets, d_offsets].map(|of| of.add(16));
            }
        }
    }
    nans
}

/// A product that takes `K` elements along K at a time.
///
/// # Safety
/// The host must have AVX-512 F, BW, DQ and VL.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
unsafe fn product<U: Unit, const K: usize>(regs: &mut Regs, op: &Op) {
    let Some(plan) = plan_of(op) else { return };
    let Some(stream) = &plan.stream else { return };
    if plan.clamps_f32 && regs.mode.fp16_ovfl {
        // SAFETY: the caller's promise.
        return unsafe { body::<Dense>(Level::Avx512)(regs, op) };
    }
    let flushes = plan.flushes_inputs && !regs.mode.denorm_in_f32;
    let slab: *mut u8 = regs.v.as_mut_ptr().cast();
    let nans = if U::IN_PLACE && !U::DECODED && !flushes && stream.in_registers {
        // SAFETY: the caller's promise; the binder has placed all operands inside the slab.
        unsafe { go_along::<U, K>(stream, plan.tiles[1], [slab; 4], 0) }
    } else {
        // SAFETY: the caller's promise.
        unsafe { through_memory::<U, K>(regs, plan, stream, flushes) }
    };
    let infinity = _mm512_set1_epi32(0xff00_0000_u32 as i32);
    if _mm512_cmpgt_epu32_mask(nans, infinity) != 0 {
        canonical_nans(regs, plan);
    }
}

/// A product some of whose operands are in this thread's memory. What [`go_along`] gives, or zeros if D needs none of it.
///
/// # Safety
/// As [`product`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
#[inline]
unsafe fn through_memory<U: Unit, const K: usize>(
    regs: &mut Regs,
    plan: &Plan,
    stream: &Stream,
    flushes: bool,
) -> __m512i {
    let mut scratch = Scratch::take();
    let flush = if flushes { !0 } else { 0 };
    if U::DECODED || !plan.direct {
        prepare(regs, plan, &mut scratch, U::DECODED);
    }
    let slab: *mut u8 = regs.v.as_mut_ptr().cast();
    let [mut a, mut b, mut c, mut d] = [slab; 4];
    if U::DECODED {
        [a, b] = [scratch.a.as_mut_ptr().cast(), scratch.b.as_mut_ptr().cast()];
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
    match plan.c.from {
        _ if !plan.direct => [c, d] = [scratch.sums.as_mut_ptr().cast(); 2],
        AddendFrom::Constant(bits) => {
            scratch.words[0] = Chunk::splat(bits as u32);
            c = scratch.words.as_mut_ptr().cast();
        }
        AddendFrom::Registers(_) => {}
    }
    // SAFETY: the caller's promise; the binder has placed all operands inside the slab, the decoded vectors, the converted
    // numbers and the sums.
    let mut nans = unsafe { go_along::<U, K>(stream, plan.tiles[1], [a, b, c, d], flush) };
    if !plan.direct {
        finish(regs, plan, &mut scratch);
        nans = _mm512_setzero_si512();
    }
    scratch.give_back();
    nans
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
    store(regs, plan, scratch);
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
        pub fn direct_body(elements: [Element; 2], at_once: usize) -> Option<Body> {
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
pub fn decoding_body(at_once: usize) -> Option<Body> {
    match at_once {
        1 => Some(product::<Decoded, 1>),
        2 => Some(product::<Decoded, 2>),
        4 => Some(product::<Decoded, 4>),
        8 => Some(product::<Decoded, 8>),
        16 => Some(product::<Decoded, 16>),
        _ => None,
    }
}

/// What a dense product goes along, and its body.
pub fn bind(plan: &Plan) -> Option<(Stream, Body)> {
    let at_once = plan.steps.len().min(16);
    let elements = [plan.a.element, plan.b.element];
    // A tile's D must not be a later one's A or B.
    let written = |at: usize| plan.d_rows.iter().any(|place| plan.d + place.chunk as usize == at);
    let overwritten = |factor: &Factor| {
        let registers = (factor.items * factor.element.bits()).div_ceil(32);
        plan.direct && (factor.at..factor.at + registers * plan.chunks).any(written)
    };
    if !overwritten(&plan.a)
        && !overwritten(&plan.b)
        && let Some(body) = direct_body(elements, at_once)
        && let Some(stream) = along(plan, Some(32 / elements[0].bits()))
    {
        return Some((stream, body));
    }
    Some((along(plan, None)?, decoding_body(at_once)?))
}

/// What a product goes along whose A and B are decoded vectors or, if a dword holds `of_dword` elements, in registers; `None` if
/// they do not follow each other along K there.
fn along(plan: &Plan, of_dword: Option<usize>) -> Option<Stream> {
    let [blocks, rows, columns] = plan.tiles;
    let (k, elements) = (plan.steps.len(), of_dword.unwrap_or(1));
    let at_once = k.min(16);
    let passes = k / at_once;
    let units = |factor: &Factor, block: usize, tile: usize, vector: fn(&Step) -> u16| {
        let from = block * factor.block_stride + tile * factor.tile_stride;
        let vectors: Vec<usize> = plan.steps.iter().map(|step| from + usize::from(vector(step))).collect();
        vectors
            .chunks(elements)
            .map(|unit| unit_at(plan, factor, unit, of_dword))
            .collect::<Option<Vec<u32>>>()
    };
    let in_place = of_dword.is_none() || plan.a.element == Element::F32;
    let negates = |item: usize| plan.a.negate[item] != plan.b.negate[item];
    let stream = Stream {
        passes,
        in_registers: plan.direct && matches!(plan.c.from, AddendFrom::Registers(_)),
        flip: match of_dword {
            None => 0,
            Some(2) => u32::from(negates(0)) << 15 | u32::from(negates(1)) << 31,
            Some(_) => u32::from(negates(0)) << 31,
        },
        ..Stream::default()
    };
    let [mut convert, mut a, mut b, mut c, mut d] = [const { Vec::new() }; 5];
    for (block, row) in (0..blocks).flat_map(|block| (0..rows).map(move |row| (block, row))) {
        convert.extend(units(&plan.a, block, row, |step| step.a)?);
    }
    if of_dword.is_some() && in_place {
        // Where they are from A's first chunk on.
        let chunks = plan.a.items * plan.chunks;
        convert = (0..chunks).map(|chunk| 64 * (plan.a.at + chunk) as u32).collect();
    }
    for (block, column) in (0..blocks).flat_map(|block| (0..columns).map(move |column| (block, column))) {
        let of_b = units(&plan.b, block, column, |step| step.b)?;
        for pass in 0..passes {
            let taken = at_once / elements;
            b.extend(&of_b[pass * taken..][..taken]);
            for row in 0..rows {
                if in_place {
                    a.extend(&units(&plan.a, block, row, |step| step.a)?[pass * taken..][..taken]);
                } else {
                    a.push(64 * ((block * rows + row) * k + pass * at_once) as u32);
                }
                let first = 16 * ((block * rows + row) * columns + column);
                for r in first..first + 16 {
                    let of_d = if plan.direct { plan.d + usize::from(plan.d_rows[r].chunk) } else { r };
                    let of_c = match plan.c.from {
                        _ if pass > 0 || !plan.direct => of_d,
                        AddendFrom::Registers(at) => at + usize::from(plan.c_rows[r].chunk),
                        AddendFrom::Constant(_) => 0,
                    };
                    c.push(64 * of_c as u32);
                    d.push(64 * of_d as u32);
                }
            }
        }
    }
    let [convert, a, b, c, d] = [convert, a, b, c, d].map(Vec::into_boxed_slice);
    Some(Stream { convert, a, b, c, d, ..stream })
}

/// The offset of a unit of decoded vectors, or of the dword that holds them one behind the other.
fn unit_at(plan: &Plan, factor: &Factor, vectors: &[usize], of_dword: Option<usize>) -> Option<u32> {
    let first = vectors[0];
    let (item, chunk) = (first / plan.chunks, first % plan.chunks);
    let at = match of_dword {
        None => first,
        Some(elements) => {
            let follow = vectors.iter().enumerate().all(|(n, vector)| *vector == first + n * plan.chunks);
            if item % elements != 0 || vectors.len() != elements || !follow {
                return None;
            }
            factor.at + item / elements * plan.chunks + usize::from(factor.from[chunk])
        }
    };
    Some(64 * at as u32)
}
