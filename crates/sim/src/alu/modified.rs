//! The body of an operation with modifiers. What they say is worked out when the operation is bound: rows to be made of
//! its sources (permuted, selected, with other signs), the unmodified operation on those, and how its result is put into
//! the destination. Each step does the whole wave at once; only the output multiplier and the clamp of other formats than
//! binary32 go lane by lane.

use std::sync::Arc;

use smallvec::SmallVec;
use wavemark_isa::{OutMod, SdwaSel, SdwaUnused, Special};

use super::AluDetail;
use super::def::chosen_level;
use super::host::{Host, Kernel, bodies, size};
use super::lane::{Cx, indexed_place, indexed_source};
use super::modifiers::{Modified, SourceMods, Widths, set_exec};
use super::scalar::materialise_status;
use super::spread::SOURCE_ROOM;
use super::word::Kind;
use crate::binder::Layout;
use crate::op::{Detail, Op, OpKind, Place, PlaceKind, go_on};
use crate::regs::{Chunk, Regs, sindex};

/// An operation and what is around it.
pub struct Wrapped {
    /// A source is `src_scc`, `src_vccz` or `src_execz`: to be put into its place first.
    status: Option<Special>,
    moves: SmallVec<[Move; 3]>,
    /// The operation, its sources where they are moved to.
    inner: Op,
    finish: Option<Finish>,
    modified: Modified,
}

/// One row to be made.
#[derive(Clone, Copy)]
struct Move {
    /// By DPP.
    permuted: bool,
    /// The number of the source, where it stands, and which of its rows.
    source: usize,
    place: Place,
    row: u32,
    to: u32,
    words: Words,
}

impl Move {
    /// The row as it is.
    #[inline(always)]
    fn row<const N: usize>(&self, regs: &Regs) -> [Chunk; N] {
        let place = match regs.vgpr_index() {
            Some(offsets) => indexed_source(regs, self.place, offsets.sources[self.source]),
            None => self.place,
        };
        row_of(regs, place.further(self.row * if place.is_row() { N as u32 } else { 1 }))
    }

    /// Make `row` the new one.
    #[inline(always)]
    fn put<const N: usize>(&self, regs: &mut Regs, row: &[Chunk; N]) {
        // One loop over all lanes: see `Lane::lanes`.
        let to = Chunk::words_mut(&mut regs.v[self.to as usize..][..N]);
        for (to, word) in to.iter_mut().zip(Chunk::words(row)) {
            *to = self.words.of(*word);
        }
    }
}

/// What `op` consists of in a line, if nothing but moves is around it that need not look at other lanes: the moves, and the
/// operation that finds their rows.
pub fn parts(op: &Op, chunks: usize) -> Option<impl Iterator<Item = Op> + '_> {
    let Some(Detail::Alu(AluDetail::Modified(wrapped))) = op.detail.as_deref() else { return None };
    let Wrapped { status, moves, inner, finish, .. } = &**wrapped;
    if status.is_some() || finish.is_some() || !inner.goes_on || moves.iter().any(|one| one.permuted) {
        return None;
    }
    let made = (0..moves.len() as u64).map(move |imm| {
        let body = bodies::<Make>()[chosen_level()][size(chunks)];
        Op { imm, goes_on: true, detail: op.detail.clone(), ..Op::new(body, OpKind::Alu, 0) }
    });
    Some(made.chain([inner.clone()]))
}

/// The body of a [`Move`] in a line: of that with the number `imm`.
struct Make;

impl Kernel for Make {
    #[inline(always)]
    unsafe fn run<H: Host, const N: usize>(regs: &mut Regs, op: &Op) {
        let Some(Detail::Alu(AluDetail::Modified(wrapped))) = op.detail.as_deref() else { return };
        if let Some(one) = wrapped.moves.get(op.imm as usize) {
            let row = one.row::<N>(regs);
            one.put(regs, &row);
        }
        // SAFETY: the caller's promise.
        unsafe { go_on(regs, op) }
    }
}

/// What becomes of each word: a field of it, extended; its halves, put in order; the signs.
#[derive(Clone, Copy)]
struct Words {
    /// First bit, mask and sign bit of the field; no sign bit: it is not signed.
    field: (u32, u32, u32),
    /// The low part: where it begins, and its mask.
    low: (u32, u32),
    /// The same of the high part, which is put 16 bits higher.
    high: (u32, u32),
    /// Finally `word & and ^ xor`.
    and: u32,
    xor: u32,
}

impl Words {
    const SAME: Words =
        Words { field: (0, u32::MAX, 0), low: (0, u32::MAX), high: (0, 0), and: u32::MAX, xor: 0 };

    #[inline(always)]
    fn of(self, word: u32) -> u32 {
        let field = ((word >> self.field.0 & self.field.1) ^ self.field.2).wrapping_sub(self.field.2);
        let halves = field >> self.low.0 & self.low.1 | (field >> self.high.0) << 16 & self.high.1;
        halves & self.and ^ self.xor
    }
}

/// From which row of a source the first and the second row of what the operation reads come, and what becomes of them.
fn rows_of(m: &SourceMods) -> [(u32, Words); 2] {
    let top = |abs: bool, neg: bool, bit: u32| (if abs { !bit } else { u32::MAX }, if neg { bit } else { 0 });
    let field = match m.sel {
        SdwaSel::Dword => Words::SAME.field,
        sel => {
            let Widths { shift, bits } = Widths::of(sel);
            (shift, ((1u64 << bits) - 1) as u32, if m.sext { 1 << (bits - 1) } else { 0 })
        }
    };
    let shift = if m.high { 16 } else { 0 };
    let plain = Words { field, low: (shift, u32::MAX), ..Words::SAME };
    match m.kind {
        Kind::F16 | Kind::Bf16 | Kind::B16 => {
            let (and, xor) = top(m.abs, m.neg, 0x8000);
            let mask = if m.sel == SdwaSel::Dword { 0xffff } else { u32::MAX };
            let and = if m.abs { and & 0x7fff } else { and };
            [(0, Words { low: (shift, mask), and, xor, ..plain }), (1, Words::SAME)]
        }
        Kind::F64 | Kind::B64 | Kind::I64 => {
            let (and, xor) = top(m.abs, m.neg, 1 << 31);
            [(0, plain), (1, Words { and, xor, ..Words::SAME })]
        }
        Kind::PkB16 | Kind::PkF16 | Kind::PkBf16 => {
            let low = (if m.swizzle.0 { 16 } else { 0 }, 0xffff);
            let high = (if m.swizzle.1 { 0 } else { 16 }, 0xffff_0000);
            let xor = u32::from(m.neg) << 15 | u32::from(m.neg_hi) << 31;
            [(0, Words { field, low, high, xor, ..Words::SAME }), (1, Words::SAME)]
        }
        Kind::PkF32 => {
            let negated = |neg: bool| Words { xor: u32::from(neg) << 31, ..Words::SAME };
            [(u32::from(m.swizzle.0), negated(m.neg)), (u32::from(!m.swizzle.1), negated(m.neg_hi))]
        }
        _ => {
            let (and, xor) = top(m.abs, m.neg, 1 << 31);
            [(0, Words { and, xor, ..plain }), (1, Words::SAME)]
        }
    }
}

/// How a result is put into its destination.
#[derive(Clone, Copy)]
struct Finish {
    from: u32,
    to: Place,
    /// It has two rows.
    two: bool,
    /// It is multiplied or clamped first.
    scaled: bool,
    /// The bits of it that count, their sign bit if the bits above take that, where they go, and what of the destination
    /// stays.
    field: u32,
    sign: u32,
    shift: u32,
    keep: u32,
}

impl Finish {
    fn new(modified: &Modified, from: u32, to: Place) -> Option<Finish> {
        if !modified.finishes() {
            return None;
        }
        let scaled = modified.omod != OutMod::None || modified.clamp;
        let (field, sign, shift, keep) = if modified.dst_sel != SdwaSel::Dword {
            let Widths { shift, bits } = Widths::of(modified.dst_sel);
            let field = ((1u64 << bits) - 1) as u32;
            match modified.dst_unused {
                SdwaUnused::Pad => (field, 0, shift, 0),
                SdwaUnused::Preserve => (field, 0, shift, !(field << shift)),
                SdwaUnused::Sext => (field, 1 << (bits - 1), shift, 0),
            }
        } else if modified.dst.is_half() {
            match (modified.dst_high, modified.dst_keep) {
                (true, _) => (0xffff, 0, 16, 0xffff),
                (false, true) => (0xffff, 0, 0, 0xffff_0000),
                (false, false) => (0xffff, 0, 0, 0),
            }
        } else {
            (u32::MAX, 0, 0, 0)
        };
        Some(Finish { from, to, two: modified.dst.rows() > 1, scaled, field, sign, shift, keep })
    }

    #[inline(always)]
    fn of(self, new: u32, old: u32) -> u32 {
        ((new & self.field) ^ self.sign).wrapping_sub(self.sign) << self.shift | old & self.keep
    }
}

/// The operation that applies modifiers around `inner`.
pub fn wrap(modified: Modified, mut inner: Op, layout: Layout) -> Op {
    let outer = inner.clone();
    let (step, scratch) = (layout.chunks as u32, layout.scratch_at() as u32);
    let room = |i: usize| scratch + (i * SOURCE_ROOM) as u32;
    let mut moves = SmallVec::new();
    for (i, m) in modified.sources.iter().enumerate() {
        let place = inner.src(i);
        let permuted = i == 0 && modified.dpp.is_some();
        let spread = modified.rows_only && m.kind.rows() > 0 && !place.is_row();
        if place.kind == PlaceKind::None || !(m.is_needed() || permuted || spread) {
            continue;
        }
        let rows = rows_of(m).into_iter().take(m.kind.rows().clamp(1, 2));
        for (n, (row, words)) in rows.enumerate() {
            let to = room(i) + n as u32 * step;
            moves.push(Move { permuted, source: i, place, row, to, words });
        }
        inner.set_src(i, Place::vector(room(i)));
    }
    let finish = Finish::new(&modified, room(3), inner.dst());
    if finish.is_some() {
        inner.set_dst(Place::vector(room(3)));
    }
    let wrapped = Wrapped { status: modified.status, moves, inner, finish, modified };
    Op {
        body: bodies::<Run>()[chosen_level()][size(layout.chunks)],
        goes_on: true,
        detail: Some(Arc::new(Detail::Alu(AluDetail::Modified(Box::new(wrapped))))),
        ..outer
    }
}

/// The body.
struct Run;

impl Kernel for Run {
    #[inline(always)]
    unsafe fn run<H: Host, const N: usize>(regs: &mut Regs, op: &Op) {
        let Some(Detail::Alu(AluDetail::Modified(wrapped))) = op.detail.as_deref() else { return };
        let Wrapped { status, moves, inner, finish, modified } = &**wrapped;
        if let Some(which) = *status {
            materialise_status(regs, which);
        }
        let exec = regs.exec();
        let readable = modified.dpp.as_ref().map_or(0, |dpp| dpp.readable(exec, regs.full));
        for one in moves {
            let mut row = one.row::<N>(regs);
            if one.permuted
                && let Some(dpp) = &modified.dpp
            {
                row = dpp.apply::<H, N>(&row, readable);
            }
            one.put(regs, &row);
        }
        let enabled = modified.dpp.as_ref().map_or(exec, |dpp| dpp.enabled(exec, readable));
        if enabled != exec {
            set_exec(regs, enabled);
        }
        // SAFETY: the caller's promise holds for the inner operation, too: the binder made its places, and scratch
        // rows are inside the slab.
        unsafe { (inner.body)(regs, inner) };
        let indexed = |finish: &Finish| match regs.vgpr_index() {
            Some(offsets) => indexed_place(regs, finish.to, offsets.destination),
            None => Some(finish.to),
        };
        if let Some(finish) = finish
            && let Some(place) = indexed(finish)
        {
            if finish.scaled {
                scale::<N>(regs, modified, finish, enabled);
            }
            for row in 0..if finish.two { 2 } else { 1 } {
                let mut new = row_at::<N>(regs, finish.from as usize + row * N);
                let to = &mut regs.v[place.at() as usize + row * N..][..N];
                for (new, old) in Chunk::words_mut(&mut new).iter_mut().zip(Chunk::words(to)) {
                    *new = finish.of(*new, *old);
                }
                for (c, (to, new)) in to.iter_mut().zip(&new).enumerate() {
                    to.0 = H::select((enabled >> (16 * c)) as u32 & 0xffff, &new.0, &to.0);
                }
            }
        }
        let writes_exec = |place: Place| place.kind == PlaceKind::Scalar && place.at() == sindex::EXEC;
        if enabled != exec && !writes_exec(inner.dst()) && !writes_exec(inner.dst2()) {
            set_exec(regs, exec);
        }
        // SAFETY: the caller's promise.
        unsafe { go_on(regs, op) }
    }
}

/// The row at `place`: a scalar in all lanes.
#[inline(always)]
pub fn row_of<const N: usize>(regs: &Regs, place: Place) -> [Chunk; N] {
    if place.is_row() {
        row_at::<N>(regs, place.at() as usize)
    } else {
        [Chunk::splat(regs.s[place.at() as usize]); N]
    }
}

/// A copy of the row from chunk `at` on.
#[inline(always)]
fn row_at<const N: usize>(regs: &Regs, at: usize) -> [Chunk; N] {
    let row = &regs.v[at..][..N];
    std::array::from_fn(|c| row[c])
}

/// Output multiplier and clamp of a result that is not yet in its destination. Of a binary32 all lanes at once, those that
/// are off, too: nobody looks at them.
#[inline(always)]
fn scale<const N: usize>(regs: &mut Regs, modified: &Modified, finish: &Finish, enabled: u64) {
    if matches!(modified.dst, Kind::F32 | Kind::PkF32) {
        let scaled = modified.scale_and_clamp_f32(&Cx::new(regs, 0));
        let rows = if finish.two { 2 } else { 1 };
        for row in 0..rows {
            let words = Chunk::words_mut(&mut regs.v[finish.from as usize + row * N..][..N]);
            for word in words.iter_mut() {
                *word = scaled(*word);
            }
        }
    } else {
        scale_lanes(regs, modified, finish, enabled);
    }
}

/// [`scale`] lane by lane.
#[inline(never)]
fn scale_lanes(regs: &mut Regs, modified: &Modified, finish: &Finish, enabled: u64) {
    let cx = Cx::new(regs, 0);
    let (at, chunks) = (finish.from as usize, regs.chunks);
    for lane in crate::pending::lanes(enabled) {
        let hi = if finish.two { regs.lane(at + chunks, lane) } else { 0 };
        let (lo, hi) = modified.scale_and_clamp(&cx, regs.lane(at, lane), hi);
        regs.set_lane(at, lane, lo);
        if finish.two {
            regs.set_lane(at + chunks, lane, hi);
        }
    }
}
