//! Sources that are not rows of the vector slab as they stand: scalars, which all lanes share, and 32-bit sources
//! with sign modifiers. A wrapper puts them into the scratch rows of their source and runs the operation on those,
//! so that the bodies of [`Fast`](super::lane::Fast) find rows and nothing else.

use std::sync::Arc;

use smallvec::SmallVec;

use super::AluDetail;
use super::def::chosen_level;
use super::host::{Host, Kernel, bodies, size};
use super::lane::{SIGNS, signs, takes_signs};
use super::word::Kind;
use crate::binder::Layout;
use crate::op::{Detail, Onward, Op, OpKind, Place, go_on};
use crate::regs::{GPR_IDX_EN, Regs};

/// What the wrapper does.
pub struct Spread {
    moves: SmallVec<[Move; 3]>,
    /// The operation, its sources where they are moved to.
    pub(super) inner: Op,
    /// The sources as they are written.
    src: [Place; 3],
    /// Its immediate, with the signs.
    imm: u64,
}

/// One row to be made.
#[derive(Clone, Copy)]
struct Move {
    from: Place,
    to: Place,
    /// What becomes of each word: `word & and ^ xor`.
    and: u32,
    xor: u32,
}

impl Move {
    /// The word that it makes of one.
    #[inline(always)]
    fn of(self, word: u32) -> u32 {
        word & self.and ^ self.xor
    }

    /// Make the row.
    ///
    /// # Safety
    /// Both places must lie inside the slabs of `regs`, and the wave must have `N` chunks.
    #[inline(always)]
    unsafe fn make<H: Host, const N: usize>(self, regs: &mut Regs, scalar: bool) {
        // SAFETY: the caller's promise.
        unsafe {
            let slab = regs.v.as_mut_ptr();
            let to = slab.add(self.to.at() as usize);
            if scalar {
                let word = self.of(*regs.s.get_unchecked(self.from.at() as usize));
                for c in 0..N {
                    H::splat(&mut (*to.add(c)).0, word);
                }
            } else {
                // A loop over all lanes, not chunks: see `Lane::lanes`.
                let to = to.cast::<u32>();
                let from = slab.add(self.from.at() as usize).cast::<u32>();
                for l in 0..N * 16 {
                    to.add(l).write(self.of(from.add(l).read()));
                }
            }
        }
    }

    /// The move as an operation of a line.
    fn op(self, chunks: usize) -> Op {
        let bodies = if self.from.is_row() { bodies::<Make<false>>() } else { bodies::<Make<true>>() };
        let mut op = Op::new(bodies[chosen_level()][size(chunks)], OpKind::Alu, 0);
        op.set_dst(self.to);
        op.set_src(0, self.from);
        Op { imm: u64::from(self.and) | u64::from(self.xor) << 32, goes_on: true, ..op }
    }
}

/// The body of a [`Move`] in a line; of a scalar or of a row.
struct Make<const SCALAR: bool>;

impl<const SCALAR: bool> Kernel for Make<SCALAR> {
    #[inline(always)]
    unsafe fn run<H: Host, const N: usize>(regs: &mut Regs, mut op: &Op) {
        loop {
            let (and, xor) = (op.imm as u32, (op.imm >> 32) as u32);
            let one = Move { from: op.src(0), to: op.dst(), and, xor };
            // SAFETY: the caller's promise.
            unsafe {
                one.make::<H, N>(regs, SCALAR);
                match op.onward(op.operands) {
                    Onward::SameBody(next) => op = next,
                    Onward::OtherBody(next) => return (next.body)(regs, next),
                    Onward::End => return,
                }
            }
        }
    }
}

/// What `op` consists of in a line, if it is wrapped: the moves, and the operation that finds their rows. That keeps the
/// detail of the whole, for [`as_written`].
pub fn parts(op: &Op, chunks: usize) -> Option<impl Iterator<Item = Op> + '_> {
    let Some(Detail::Alu(AluDetail::Spread(Spread { moves, inner, .. }))) = op.detail.as_deref() else {
        return None;
    };
    let last = Op { detail: op.detail.clone(), ..inner.clone() };
    Some(moves.iter().map(move |one| one.op(chunks)).chain([last]))
}

/// `op` with the sources that the instruction names, where a line has others: a move does not follow M0.
pub fn as_written(op: &Op) -> Op {
    match op.detail.as_deref() {
        Some(Detail::Alu(AluDetail::Spread(Spread { src, imm, .. }))) => {
            Op { imm: *imm, detail: None, ..*op }.with_sources(*src)
        }
        _ => Op { detail: None, ..*op },
    }
}

/// Scratch chunks of one source: two rows of up to four.
pub const SOURCE_ROOM: usize = 16;

/// `op`, whose sources are of `kinds`, wrapped if it needs to be.
pub fn wrap(op: Op, kinds: [Kind; 3], layout: Layout) -> Op {
    let mut moves = SmallVec::new();
    let mut inner = op.clone();
    for (i, kind) in kinds.into_iter().enumerate() {
        let (and, xor) = if takes_signs(kind) { signs(op.imm, i as u32) } else { (u32::MAX, 0) };
        let place = op.src(i);
        if kind.rows() == 0 || place.is_row() && (and, xor) == (u32::MAX, 0) {
            continue;
        }
        let (step, room) = (layout.chunks as u32, (layout.scratch_at() + i * SOURCE_ROOM) as u32);
        for row in 0..kind.rows().min(2) as u32 {
            let from = place.further(row * if place.is_row() { step } else { 1 });
            moves.push(Move { from, to: Place::vector(room + row * step), and, xor });
        }
        inner.set_src(i, Place::vector(room));
    }
    if moves.is_empty() {
        return op;
    }
    inner.imm &= (1 << SIGNS) - 1;
    Op {
        body: bodies::<Run>()[chosen_level()][size(layout.chunks)],
        goes_on: true,
        detail: Some(Arc::new(Detail::Alu(AluDetail::Spread(Spread {
            moves,
            inner,
            src: op.sources(),
            imm: op.imm,
        })))),
        ..op
    }
}

/// The wrapper's body.
struct Run;

impl Kernel for Run {
    #[inline(always)]
    unsafe fn run<H: Host, const N: usize>(regs: &mut Regs, op: &Op) {
        let Some(Detail::Alu(AluDetail::Spread(Spread { moves, inner, .. }))) = op.detail.as_deref() else {
            return;
        };
        if regs.mode.raw & GPR_IDX_EN != 0 {
            // Relative to M0: the lane by lane path moves the registers before it looks at their signs.
            // SAFETY: the caller's promise; MODE keeps the body from taking its sources for rows.
            return unsafe {
                (inner.body)(regs, &op.alone());
                go_on(regs, op);
            };
        }
        for one in moves {
            // SAFETY: the binder placed the source inside the slabs; the scratch rows are inside.
            unsafe { one.make::<H, N>(regs, !one.from.is_row()) };
        }
        // SAFETY: the caller's promise holds for the inner operation as well: the binder made its places, and
        // scratch rows are inside the slab.
        unsafe {
            (inner.body)(regs, inner);
            go_on(regs, op);
        }
    }
}
