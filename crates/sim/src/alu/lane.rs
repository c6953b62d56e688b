//! Elementwise vector operations: a lane function becomes a body that does the whole wave.
//!
//! An [`Exact`] is one instruction's function on one lane. [`Fast`] compiles a [`Lane`] for all lanes of a wave at every
//! host level; it is taken while MODE is the usual one (nearest even, denormals kept or flushed), and otherwise hands the
//! wave to the lane by lane path, which asks [`Exact::exact`]. Lanes whose result is a NaN are asked of that, too.
//! [`Slow`] has only the lane by lane path: for rare instructions.

use std::hint::cold_path;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use wavemark_isa::effects::Offsets;
use wavemark_numerics as num;

use super::host::{Host, Kernel};
use super::spread;
use super::word::{Bit, Kind, Word};
use crate::op::{Onward, Op, Operands, Place, PlaceKind, Role, go_on};
use crate::pending::lanes;
use crate::regs::{Chunk, GPR_IDX_EN, Regs, Usual, all_lanes, sindex};

/// What a lane function may ask besides its sources.
#[derive(Clone, Copy, Debug)]
pub struct Cx {
    /// The floating-point part of MODE.
    pub mode: num::Mode,
    /// The operation's immediate ([`Op::imm`]).
    pub imm: u64,
}

impl Cx {
    /// The context of `op` in a wave.
    pub fn new(regs: &Regs, imm: u64) -> Self {
        let m = &regs.mode;
        let mode = num::Mode {
            round_32: num::Round::from_bits(u32::from(m.round_f32)),
            round_16_64: num::Round::from_bits(u32::from(m.round_f16_f64)),
            denorm_32: num::Denorm { input: m.denorm_in_f32, output: m.denorm_out_f32 },
            denorm_16_64: num::Denorm { input: m.denorm_in_f16_f64, output: m.denorm_out_f16_f64 },
            dx10_clamp: m.dx10_clamp,
            ieee: m.ieee,
            fp16_ovfl: m.fp16_ovfl,
        };
        Cx { mode, imm }
    }
}

/// Which MODE fields an operation depends on: `raw & mask == want` is the fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depends {
    /// None; and NaNs are data.
    Nothing,
    /// Rounding and denormals of f32; and NaN results follow the NaN rules.
    F32,
    /// Rounding and denormals of f16 and f64, FP16_OVFL; and NaN results follow the NaN rules.
    F16F64,
    /// As `F32` for operations that select a source: the function decides about NaNs itself.
    Select32,
    /// As `F16F64`, likewise.
    Select16F64,
}

impl Depends {
    /// Is there a fast path for flushed f32 denormals?
    const fn has_flush(self) -> bool {
        matches!(self, Depends::F32 | Depends::Select32)
    }

    /// Are NaN results a matter of rules, so that their bits are asked of the exact function?
    const fn has_nan_rules(self) -> bool {
        !matches!(self, Depends::Nothing)
    }

    const fn mask(self) -> (u32, u32) {
        match self {
            Depends::Nothing => (0, 0),
            Depends::F32 | Depends::Select32 => Usual::F32,
            Depends::F16F64 | Depends::Select16F64 => Usual::F16_F64,
        }
    }
}

/// One instruction's function on a lane.
pub trait Exact: 'static {
    /// Source 0.
    type A: Word;
    /// Source 1.
    type B: Word;
    /// Source 2.
    type C: Word;
    /// Destination.
    type D: Word;
    /// Second destination.
    type E: Word;
    /// The MODE fields that matter.
    const DEPENDS: Depends;
    /// One lane under any MODE, NaNs included.
    fn exact(cx: &Cx, a: Self::A, b: Self::B, c: Self::C) -> (Self::D, Self::E);
}

/// A function that also has a fast form, under the usual MODE.
pub trait Lane: Exact {
    /// One lane; the bits of NaN results do not matter if `DEPENDS` is not `Nothing`.
    fn one(imm: u64, a: Self::A, b: Self::B, c: Self::C) -> (Self::D, Self::E);

    /// All lanes of a wave of `N` chunks; returns not 0 if a result is a NaN. `FLUSH`: f32 denormals are flushed,
    /// sources and (unless the operation only selects) results.
    ///
    /// # Safety
    /// The sources must have so many lanes.
    #[inline(always)]
    unsafe fn lanes<H: Host, const N: usize, const FLUSH: bool>(
        imm: u64,
        a: Rows<N>,
        b: Rows<N>,
        c: Rows<N>,
        out: &mut Out<N>,
    ) -> u32 {
        let mut nan = 0;
        // One loop over all lanes, not one per chunk: a loop as short as a chunk would be unrolled before it
        // could be vectorised, and straight-line code does worse (see the profiles in the workspace manifest).
        for l in 0..N * 16 {
            // SAFETY: the caller's promise; `out` has N chunks.
            unsafe {
                let (a, b, c): (Self::A, Self::B, Self::C) = (a.get(l), b.get(l), c.get(l));
                let (d, e) = if FLUSH {
                    let (d, e) = Self::one(imm, a.flush(), b.flush(), c.flush());
                    (if Self::DEPENDS as u8 == Depends::F32 as u8 { d.flush() } else { d }, e)
                } else {
                    Self::one(imm, a, b, c)
                };
                let (lo, hi) = d.to_words();
                if Self::D::KIND.rows() > 0 || matches!(Self::D::KIND, Kind::Mask) {
                    out.lo.set(l, lo);
                }
                if Self::D::KIND.rows() > 1 {
                    out.hi.set(l, hi);
                }
                if let Kind::Mask = Self::E::KIND {
                    out.second.set(l, e.to_words().0);
                }
                if Self::DEPENDS.has_nan_rules() {
                    nan |= d.nan_mask();
                }
            }
        }
        nan
    }
}

/// Room for one value per lane of a wave of `N` chunks.
#[repr(C, align(64))]
pub struct Row<const N: usize>([MaybeUninit<[u32; 16]>; N]);

impl<const N: usize> Row<N> {
    #[inline(always)]
    const fn uninit() -> Self {
        Row([const { MaybeUninit::uninit() }; N])
    }

    /// Write lane `l`.
    ///
    /// # Safety
    /// The row must have that lane.
    #[inline(always)]
    pub unsafe fn set(&mut self, l: usize, x: u32) {
        // SAFETY: the caller's promise.
        unsafe { self.0.as_mut_ptr().cast::<u32>().add(l).write(x) }
    }

    /// Lane `l`.
    ///
    /// # Safety
    /// The row must have that lane, and it must have been written.
    #[inline(always)]
    unsafe fn lane(&self, l: usize) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { self.0.as_ptr().cast::<u32>().add(l).read() }
    }

    /// Chunk `c`.
    ///
    /// # Safety
    /// It must have been written.
    #[inline(always)]
    unsafe fn chunk(&self, c: usize) -> &[u32; 16] {
        // SAFETY: the caller's promise.
        unsafe { self.0[c].assume_init_ref() }
    }

    /// Write chunk `c`.
    #[inline(always)]
    pub fn set_chunk(&mut self, c: usize, x: &[u32; 16]) {
        self.0[c].write(*x);
    }
}

/// Where results go before they are merged into the destinations: sources may be the same registers.
pub struct Out<const N: usize> {
    /// The first register of the destination, or its mask.
    pub lo: Row<N>,
    /// The second register.
    pub hi: Row<N>,
    /// The mask of the second destination.
    pub second: Row<N>,
}

impl<const N: usize> Out<N> {
    #[inline(always)]
    const fn uninit() -> Self {
        Out { lo: Row::uninit(), hi: Row::uninit(), second: Row::uninit() }
    }
}

/// A source: one row of `N` chunks, or two, one behind the other.
#[derive(Clone, Copy)]
pub struct Rows<const N: usize>(*const u32);

impl<const N: usize> Rows<N> {
    /// Lane `l`.
    ///
    /// # Safety
    /// The rows must have that lane.
    #[inline(always)]
    pub unsafe fn get<W: Word>(self, l: usize) -> W {
        // SAFETY: the caller's promise; rows that the kind does not have are not read.
        unsafe {
            match W::KIND {
                Kind::None | Kind::Scalar => W::ZERO,
                Kind::Mask => W::from_words(*self.0.add(l), 0),
                kind if kind.rows() > 1 => W::from_words(*self.0.add(l), *self.0.add(N * 16 + l)),
                _ => W::from_words(*self.0.add(l), 0),
            }
        }
    }

    /// Chunk `c` of the first row.
    ///
    /// # Safety
    /// The rows must have its lanes.
    #[inline(always)]
    pub unsafe fn chunk(self, c: usize) -> [u32; 16] {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(c * 16).cast::<[u32; 16]>().read() }
    }
}

/// Sign modifiers of 32-bit sources travel in the top bits of [`Op::imm`]: |x| of source n in bit 56 + n, -x in
/// bit 59 + n.
pub const SIGNS: u32 = 56;

/// What the sign modifiers of source `i` do to a word: `word & and ^ xor`.
#[inline(always)]
pub fn signs(imm: u64, i: u32) -> (u32, u32) {
    let abs = (imm >> (SIGNS + i)) as u32 & 1;
    let neg = (imm >> (SIGNS + 3 + i)) as u32 & 1;
    (u32::MAX >> abs, neg << 31)
}

/// Does the kind take sign modifiers from [`Op::imm`]?
pub const fn takes_signs(kind: Kind) -> bool {
    matches!(kind, Kind::F32 | Kind::B32)
}

/// The lanes of a mask source as words, in `room`; of other sources, the rows of the operand.
///
/// # Safety
/// The mask, or the rows of `kind`, must lie inside the slabs; the wave must have `N` chunks.
#[inline(always)]
unsafe fn rows<H: Host, const N: usize>(
    regs: &Regs,
    slab: *const Chunk,
    operands: Operands,
    role: Role,
    kind: Kind,
    room: &mut Row<N>,
) -> Rows<N> {
    if let Kind::Mask = kind {
        // SAFETY: the caller's promise.
        let mask = unsafe { read_mask_of::<N>(regs, operands.scalar_index(role)) };
        for c in 0..N {
            room.set_chunk(c, &H::expand((mask >> (16 * c)) as u32 & 0xffff));
        }
        return Rows(room.0.as_ptr().cast());
    }
    // SAFETY: the caller's promise.
    Rows(unsafe { slab.byte_add(operands.row_byte(role)) }.cast())
}

/// The lane mask at canonical scalar index `at` of a wave of `N` chunks.
///
/// # Safety
/// `at`, and with 4 chunks the register behind it, must be inside the scalar slab.
#[inline(always)]
unsafe fn read_mask_of<const N: usize>(regs: &Regs, at: u32) -> u64 {
    // SAFETY: the caller's promise. (Not indexed: a body that cannot panic needs no stack frame.)
    unsafe {
        let low = u64::from(*regs.s.get_unchecked(at as usize));
        if N == 4 { low | u64::from(*regs.s.get_unchecked(at as usize + 1)) << 32 } else { low }
    }
}

/// Write a lane mask of a wave of `N` chunks to scalar `place`, if there is one.
///
/// # Safety
/// As [`read_mask_of`].
#[inline(always)]
unsafe fn write_mask_of<const N: usize>(regs: &mut Regs, place: Place, mask: u64) {
    if place.kind != PlaceKind::Scalar {
        return;
    }
    // SAFETY: the caller's promise; EXEC is inside every scalar slab.
    unsafe {
        *regs.s.get_unchecked_mut(place.at() as usize) = mask as u32;
        if N == 4 {
            *regs.s.get_unchecked_mut(place.at() as usize + 1) = (mask >> 32) as u32;
        }
        if place.at() == sindex::EXEC {
            regs.set_full(read_mask_of::<N>(regs, sindex::EXEC) == all_lanes(N));
        }
    }
}

/// The lane mask at canonical scalar index `at`: 32 bits in wave32, 64 in wave64.
#[inline(always)]
pub fn read_mask(regs: &Regs, at: u32) -> u64 {
    if regs.chunks == 4 { regs.s64(at) } else { u64::from(regs.s[at as usize]) }
}

/// Write a lane mask to scalar `place`, if there is one.
#[inline(always)]
pub fn write_mask(regs: &mut Regs, place: Place, mask: u64) {
    if place.kind != PlaceKind::Scalar {
        return;
    }
    if regs.chunks == 4 {
        regs.set_s64(place.at(), mask);
    } else {
        regs.s[place.at() as usize] = mask as u32;
    }
    if place.at() == sindex::EXEC {
        regs.exec_changed();
    }
}

/// A lane function at every host level.
pub struct Fast<K>(PhantomData<K>);

impl<K: Lane> Kernel for Fast<K> {
    #[inline(always)]
    unsafe fn run<H: Host, const N: usize>(regs: &mut Regs, op: &Op) {
        let flushes = const { K::DEPENDS.has_flush() };
        // SAFETY: the caller's promise.
        unsafe {
            match regs.usual {
                _ if exact_only() => every_lane_of::<K>(regs, op),
                Usual::Kept => all_lanes_of::<K, H, N, false, true, false>(regs, op),
                Usual::Flushed if !flushes => all_lanes_of::<K, H, N, false, true, false>(regs, op),
                Usual::Flushed | Usual::No => H::run_apart::<Unusual<K, false>, N>(regs, op),
            }
        }
    }
}

/// [`Fast`] in a wave that may be other than [`Usual`] says. `REPAIR`: results may be NaNs that there are rules for.
struct Unusual<K, const REPAIR: bool>(PhantomData<K>);

impl<K: Lane, const REPAIR: bool> Kernel for Unusual<K, REPAIR> {
    #[inline(always)]
    unsafe fn run<H: Host, const N: usize>(regs: &mut Regs, op: &Op) {
        let (mode_mask, mode_want) = K::DEPENDS.mask();
        let mode = regs.mode.raw & (mode_mask | GPR_IDX_EN);
        // SAFETY: the caller's promise.
        unsafe {
            if mode == mode_want {
                all_lanes_of::<K, H, N, false, false, REPAIR>(regs, op);
            } else if const { K::DEPENDS.has_flush() } && mode == 0 {
                all_lanes_of::<K, H, N, true, false, REPAIR>(regs, op);
            } else {
                every_lane_of::<K>(regs, op);
            }
        }
    }
}

/// `op`, and what is behind it in its line. `FULL`: all lanes are on. `REPAIR`: NaNs are looked after here.
///
/// # Safety
/// As of [`go_on`]; the wave must have `N` chunks.
#[inline(always)]
unsafe fn all_lanes_of<
    K: Lane,
    H: Host,
    const N: usize,
    const FLUSH: bool,
    const FULL: bool,
    const REPAIR: bool,
>(
    regs: &mut Regs,
    mut op: &Op,
) {
    // What writes no mask leaves EXEC as it is.
    let keeps_exec = const { !matches!(K::D::KIND, Kind::Mask) && !matches!(K::E::KIND, Kind::Mask) };
    loop {
        let mut out = Out::<N>::uninit();
        let operands = op.operands;
        // SAFETY: the binder placed all operands, of these kinds, inside the slabs; an operation of a line stands in the page;
        // `compute` writes all lanes of the rows that the kinds have.
        unsafe {
            let nan = compute::<K, H, N, FLUSH>(regs, operands, op.imm, &mut out);
            // A constant of its own: the compiler makes no code for a branch that one rules out.
            if const { K::DEPENDS.has_nan_rules() } && nan != 0 {
                if !REPAIR {
                    // Again and elsewhere, with the rest of the line: what a call gets a reference to must be in memory, and `out`
                    // stays in the host's registers; and a body that ends with its only call saves none of them.
                    return H::run_apart::<Unusual<K, true>, N>(regs, op);
                }
                repair_nans::<K, N>(regs, op, &mut out);
            }
            put::<K, H, N>(regs, operands, &out, FULL && keeps_exec || regs.full);
            match op.onward(operands) {
                Onward::SameBody(next) => op = next,
                Onward::OtherBody(next) => return (next.body)(regs, next),
                Onward::End => return,
            }
        }
    }
}

/// The results of all lanes, in all rows that the kinds have; not 0 if one is a NaN that there are rules for. `FLUSH`: f32
/// denormals are.
///
/// # Safety
/// The operands must be inside the slabs of `regs`, the wave must have `N` chunks; sources that are not masks are
/// rows of the vector slab ([`spread`](super::spread) sees to the others).
#[inline(always)]
unsafe fn compute<K: Lane, H: Host, const N: usize, const FLUSH: bool>(
    regs: &Regs,
    operands: Operands,
    imm: u64,
    out: &mut Out<N>,
) -> u32 {
    let (mut ra, mut rb, mut rc) = (Row::<N>::uninit(), Row::<N>::uninit(), Row::<N>::uninit());
    // SAFETY: the caller's promise.
    unsafe {
        let slab = regs.v.as_ptr();
        let a = rows::<H, N>(regs, slab, operands, Role::Src0, K::A::KIND, &mut ra);
        let b = rows::<H, N>(regs, slab, operands, Role::Src1, K::B::KIND, &mut rb);
        let c = rows::<H, N>(regs, slab, operands, Role::Src2, K::C::KIND, &mut rc);
        K::lanes::<H, N, FLUSH>(imm, a, b, c, out)
    }
}

/// Write the results to where they belong; all lanes are on if the wave is `full`.
///
/// # Safety
/// All rows of the destination must be inside the slab, and all lanes of the rows that the kinds have must be written.
#[inline(always)]
unsafe fn put<K: Lane, H: Host, const N: usize>(
    regs: &mut Regs,
    operands: Operands,
    out: &Out<N>,
    full: bool,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let dst = regs.v.as_mut_ptr().byte_add(operands.row_byte(Role::Dst));
        if K::D::KIND.rows() > 0 {
            merge::<H, N>(regs, dst, &out.lo, full);
        }
        if K::D::KIND.rows() > 1 {
            merge::<H, N>(regs, dst.add(N), &out.hi, full);
        }
        if let Kind::Mask = K::D::KIND {
            let mask = mask_of::<H, N>(&out.lo) & read_mask_of::<N>(regs, sindex::EXEC);
            write_mask_of::<N>(regs, operands.place(Role::Dst), mask);
            write_mask_of::<N>(regs, operands.place(Role::Dst2), mask);
        }
        if let Kind::Mask = K::E::KIND {
            let mask = mask_of::<H, N>(&out.second) & read_mask_of::<N>(regs, sindex::EXEC);
            write_mask_of::<N>(regs, operands.place(Role::Dst2), mask);
        }
    }
}

/// Write the active lanes of a row; they are all if the wave is `full`.
///
/// # Safety
/// `dst` must point to `N` chunks in the slab, and all of `new` must have been written.
#[inline(always)]
unsafe fn merge<H: Host, const N: usize>(regs: &Regs, dst: *mut Chunk, new: &Row<N>, full: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        if full {
            for c in 0..N {
                (*dst.add(c)).0 = *new.chunk(c);
            }
            return;
        }
        cold_path();
        let exec = read_mask_of::<N>(regs, sindex::EXEC);
        for c in 0..N {
            let lanes = (exec >> (16 * c)) as u32 & 0xffff;
            (*dst.add(c)).0 = H::select(lanes, new.chunk(c), &(*dst.add(c)).0);
        }
    }
}

/// The lanes whose value has its top bit set.
///
/// # Safety
/// All of `row` must have been written.
#[inline(always)]
unsafe fn mask_of<H: Host, const N: usize>(row: &Row<N>) -> u64 {
    let mut mask = 0;
    for c in 0..N {
        // SAFETY: the caller's promise.
        mask |= u64::from(H::movemask(unsafe { row.chunk(c) })) << (16 * c);
    }
    mask
}

/// What [`Fast`] leaves to the exact function: out of its way, so that it needs no stack frame.
///
/// # Safety
/// As of [`go_on`].
#[cold]
#[inline(never)]
unsafe fn every_lane_of<K: Exact>(regs: &mut Regs, op: &Op) {
    every_lane(regs, op, &Shim::of::<K>());
    // SAFETY: the caller's promise.
    unsafe { go_on(regs, op) }
}

/// The exact function in the active lanes of `out` that hold a NaN. The sources are as they were.
#[inline(never)]
fn repair_nans<K: Lane, const N: usize>(regs: &Regs, op: &Op, out: &mut Out<N>) {
    let (shim, cx) = (Shim::of::<K>(), Cx::new(regs, op.imm));
    for lane in lanes(regs.exec()) {
        let l = lane as usize;
        // SAFETY: a wave of N chunks has no other lanes, and those of the rows that the kind has are written.
        unsafe {
            let hi = if K::D::KIND.rows() > 1 { out.hi.lane(l) } else { 0 };
            if K::D::from_words(out.lo.lane(l), hi).nan_mask() == 0 {
                continue;
            }
            let (d, e) = exact_lane(regs, op, &shim, &cx, lane);
            out.lo.set(l, d as u32);
            if K::D::KIND.rows() > 1 {
                out.hi.set(l, (d >> 32) as u32);
            }
            if let Kind::Mask = K::E::KIND {
                out.second.set(l, words(Bit::new(e & 1 != 0)) as u32);
            }
        }
    }
}

/// A word as 64 bits.
#[inline(always)]
fn words<W: Word>(w: W) -> u64 {
    let (lo, hi) = w.to_words();
    u64::from(lo) | u64::from(hi) << 32
}

/// A word from 64 bits.
#[inline(always)]
fn word<W: Word>(bits: u64) -> W {
    W::from_words(bits as u32, (bits >> 32) as u32)
}

/// A lane function with its kinds, types erased.
#[derive(Clone, Copy)]
pub struct Shim {
    /// Kinds of the sources.
    pub src: [Kind; 3],
    /// Kinds of the destinations.
    pub dst: [Kind; 2],
    /// The function on bits.
    pub exact: fn(&Cx, u64, u64, u64) -> (u64, u64),
}

impl Shim {
    /// The erased `K`.
    pub const fn of<K: Exact>() -> Shim {
        Shim {
            src: [K::A::KIND, K::B::KIND, K::C::KIND],
            dst: [K::D::KIND, K::E::KIND],
            exact: |cx, a, b, c| {
                let a = flush_source::<K::A>(cx, K::DEPENDS, a);
                let b = flush_source::<K::B>(cx, K::DEPENDS, b);
                let c = flush_source::<K::C>(cx, K::DEPENDS, c);
                let (d, e) = K::exact(cx, word(a), word(b), word(c));
                let d = match K::DEPENDS {
                    Depends::Nothing | Depends::Select32 | Depends::Select16F64 => words(d),
                    _ => {
                        finish(cx, K::D::KIND, words(d), [(K::A::KIND, a), (K::B::KIND, b), (K::C::KIND, c)])
                    }
                };
                (d, words(e))
            },
        }
    }
}

/// A denormal of `kind` becomes a zero of its sign if `keep` says so.
fn flush(kind: Kind, bits: u64, keep32: bool, keep16_64: bool) -> u64 {
    let f32_bits = |x: u32| if x & 0x7f80_0000 == 0 { x & 0x8000_0000 } else { x };
    let f16_bits = |x: u32| if x & 0x7c00 == 0 { x & 0x8000 } else { x };
    match kind {
        Kind::F32 if !keep32 => u64::from(f32_bits(bits as u32)),
        Kind::PkF32 if !keep32 => {
            u64::from(f32_bits(bits as u32)) | u64::from(f32_bits((bits >> 32) as u32)) << 32
        }
        Kind::F64 if !keep16_64 && bits & 0x7ff0_0000_0000_0000 == 0 => bits & 1 << 63,
        Kind::F16 if !keep16_64 => u64::from(f16_bits(bits as u32 & 0xffff)),
        Kind::PkF16 if !keep16_64 => {
            let x = bits as u32;
            u64::from(f16_bits(x & 0xffff) | f16_bits(x >> 16) << 16)
        }
        _ => bits,
    }
}

fn flush_source<W: Word>(cx: &Cx, depends: Depends, bits: u64) -> u64 {
    match depends {
        Depends::Nothing => bits,
        _ => flush(W::KIND, bits, cx.mode.denorm_32.input, cx.mode.denorm_16_64.input),
    }
}

/// The NaN and output denormal rules: a NaN result is the first NaN source, quieted, or the positive default
/// NaN.
fn finish(cx: &Cx, kind: Kind, d: u64, sources: [(Kind, u64); 3]) -> u64 {
    let d = flush(kind, d, cx.mode.denorm_32.output, cx.mode.denorm_16_64.output);
    let parts: &[(u32, u64, u64, u64)] = match kind {
        // shift, magnitude mask, infinity, quiet bit
        Kind::F32 => &[(0, 0x7fff_ffff, 0x7f80_0000, 0x40_0000)],
        Kind::PkF32 => &[(0, 0x7fff_ffff, 0x7f80_0000, 0x40_0000), (32, 0x7fff_ffff, 0x7f80_0000, 0x40_0000)],
        Kind::F64 => &[(0, i64::MAX as u64, 0x7ff0_0000_0000_0000, 1 << 51)],
        Kind::F16 => &[(0, 0x7fff, 0x7c00, 0x200)],
        Kind::PkF16 => &[(0, 0x7fff, 0x7c00, 0x200), (16, 0x7fff, 0x7c00, 0x200)],
        Kind::Bf16 => &[(0, 0x7fff, 0x7f80, 0x40)],
        Kind::PkBf16 => &[(0, 0x7fff, 0x7f80, 0x40), (16, 0x7fff, 0x7f80, 0x40)],
        _ => &[],
    };
    let mut out = d;
    for &(shift, magnitude, inf, quiet) in parts {
        if (d >> shift) & magnitude <= inf {
            continue;
        }
        let field = magnitude << 1 | 1;
        let nan = sources
            .iter()
            .filter(|(k, _)| *k == kind)
            .map(|(_, bits)| bits >> shift & field)
            .find(|x| x & magnitude > inf)
            .map_or(inf | quiet, |x| x | quiet);
        out = out & !(field << shift) | nan << shift;
    }
    out
}

/// One lane of a source as bits.
pub(super) fn lane_bits(regs: &Regs, place: Place, kind: Kind, lane: u32) -> u64 {
    let word = |row: usize| match place.kind {
        PlaceKind::Vector | PlaceKind::VectorConst => {
            regs.lane(place.at() as usize + row * regs.chunks, lane)
        }
        PlaceKind::Scalar | PlaceKind::None => regs.s[place.at() as usize + row],
    };
    match kind {
        Kind::None => 0,
        Kind::Mask => u64::from(0u32.wrapping_sub((read_mask(regs, place.at()) >> lane) as u32 & 1)),
        Kind::Scalar => u64::from(regs.s[place.at() as usize]),
        _ if kind.rows() > 1 => u64::from(word(0)) | u64::from(word(1)) << 32,
        _ => u64::from(word(0)),
    }
}

// Tests compare the fast path with the exact functions.
#[cfg(test)]
thread_local! {
    /// Take the exact functions on this thread.
    pub static EXACT_ONLY: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

#[cfg(test)]
pub(super) fn exact_only() -> bool {
    EXACT_ONLY.get()
}

#[cfg(not(test))]
#[inline(always)]
pub(super) fn exact_only() -> bool {
    false
}

/// The operation with its VGPR operands moved. `None` if it does nothing because its destination is out of range (CDNA4
/// 6.6).
pub(super) fn indexed(regs: &Regs, op: &Op, offsets: Offsets) -> Option<Op> {
    let mut out = spread::as_written(op);
    for (i, place) in out.sources().into_iter().enumerate() {
        out.set_src(i, indexed_source(regs, place, offsets.sources[i]));
    }
    out.set_dst(indexed_place(regs, op.dst(), offsets.destination)?);
    Some(out)
}

/// A source operand moved `offset` registers further. One out of range is VGPR 0.
pub(super) fn indexed_source(regs: &Regs, place: Place, offset: u32) -> Place {
    indexed_place(regs, place, offset).unwrap_or(Place::vector(0))
}

/// A VGPR operand moved `offset` registers further, if it is in range there; any other operand as it is.
pub(super) fn indexed_place(regs: &Regs, place: Place, offset: u32) -> Option<Place> {
    let end = regs.vgprs * regs.chunks as u32;
    if place.kind != PlaceKind::Vector || place.at() >= end {
        return Some(place);
    }
    let to = place.further(offset * regs.chunks as u32);
    (to.at() < end).then_some(to)
}

/// Run a lane function lane by lane over the active lanes.
#[inline(never)]
pub fn every_lane(regs: &mut Regs, op: &Op, shim: &Shim) {
    if let Some(offsets) = regs.vgpr_index() {
        if let Some(op) = indexed(regs, op, offsets) {
            lane_by_lane(regs, &op, shim);
        }
        return;
    }
    lane_by_lane(regs, op, shim);
}

/// What the function gives in one lane.
fn exact_lane(regs: &Regs, op: &Op, shim: &Shim, cx: &Cx, lane: u32) -> (u64, u64) {
    let [a, b, c] = std::array::from_fn(|i| {
        let bits = lane_bits(regs, op.src(i), shim.src[i], lane);
        if !takes_signs(shim.src[i]) {
            return bits;
        }
        let (and, xor) = signs(op.imm, i as u32);
        u64::from(bits as u32 & and ^ xor)
    });
    (shim.exact)(cx, a, b, c)
}

fn lane_by_lane(regs: &mut Regs, op: &Op, shim: &Shim) {
    let cx = Cx::new(regs, op.imm);
    let exec = regs.exec();
    let (mut dmask, mut emask) = (0u64, 0u64);
    for lane in 0..regs.lanes() {
        if exec >> lane & 1 == 0 {
            continue;
        }
        let (d, e) = exact_lane(regs, op, shim, &cx, lane);
        match shim.dst[0].rows() {
            0 => dmask |= (d & 1) << lane,
            rows => {
                regs.set_lane(op.dst().at() as usize, lane, d as u32);
                if rows > 1 {
                    regs.set_lane(op.dst().at() as usize + regs.chunks, lane, (d >> 32) as u32);
                }
            }
        }
        emask |= (e & 1) << lane;
    }
    if shim.dst[0] == Kind::Mask {
        write_mask(regs, op.dst(), dmask);
        write_mask(regs, op.dst2(), dmask);
    }
    if shim.dst[1] == Kind::Mask {
        write_mask(regs, op.dst2(), emask);
    }
}

/// A lane function that has only the lane by lane path.
pub struct Slow<K>(PhantomData<K>);

impl<K: Exact> Slow<K> {
    /// Its body, the same at every host level.
    ///
    /// # Safety
    /// As of [`go_on`].
    pub unsafe fn body(regs: &mut Regs, op: &Op) {
        every_lane(regs, op, &Shim::of::<K>());
        // SAFETY: the caller's promise.
        unsafe { go_on(regs, op) }
    }
}
