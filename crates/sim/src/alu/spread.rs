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
use crate::op::{Detail, Op, Place, go_on};
use crate::regs::{GPR_IDX_EN, Regs};

/// What the wrapper does.
pub struct Spread {
    moves: SmallVec<[Move; 3]>,
    /// The operation, its sources where they are moved to.
    pub(super) inner: Op,
}

/// One row to be made.
#[derive(Clone, Copy)]
struct Move {
    /// From a scalar, not from a row.
    scalar: bool,
    from: u32,
    to: u32,
    /// What becomes of each word: `word & and ^ xor`.
    and: u32,
    xor: u32,
}

/// Scratch chunks of one source: two rows of up to four.
pub const SOURCE_ROOM: usize = 16;

/// `op`, whose sources are of `kinds`, wrapped if it needs to be.
pub fn wrap(op: Op, kinds: [Kind; 3], layout: Layout) -> Op {
    let mut moves = SmallVec::new();
    let mut inner = op.clone();
    for (i, kind) in kinds.into_iter().enumerate() {
        let (and, xor) = if takes_signs(kind) { signs(op.imm, i as u32) } else { (u32::MAX, 0) };
        let place = op.src[i];
        if kind.rows() == 0 || place.is_row() && (and, xor) == (u32::MAX, 0) {
            continue;
        }
        let scalar = !place.is_row();
        let (step, room) = (layout.chunks as u32, (layout.scratch_at() + i * SOURCE_ROOM) as u32);
        for row in 0..kind.rows().min(2) as u32 {
            let from = place.at() + row * if scalar { 1 } else { step };
            moves.push(Move { scalar, from, to: room + row * step, and, xor });
        }
        inner.src[i] = Place::vector(room);
    }
    if moves.is_empty() {
        return op;
    }
    inner.imm &= (1 << SIGNS) - 1;
    Op {
        body: bodies::<Run>()[chosen_level()][size(layout.chunks)],
        goes_on: true,
        detail: Some(Arc::new(Detail::Alu(AluDetail::Spread(Spread { moves, inner })))),
        ..op
    }
}

/// The wrapper's body.
struct Run;

impl Kernel for Run {
    #[inline(always)]
    unsafe fn run<H: Host, const N: usize>(regs: &mut Regs, op: &Op) {
        let Some(Detail::Alu(AluDetail::Spread(Spread { moves, inner }))) = op.detail.as_deref() else {
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
        for &Move { scalar, from, to, and, xor } in moves {
            // SAFETY: the binder placed the source inside the slabs; the scratch rows are inside.
            unsafe {
                let slab = regs.v.as_mut_ptr();
                let to = slab.add(to as usize);
                if scalar {
                    let word = *regs.s.get_unchecked(from as usize) & and ^ xor;
                    for c in 0..N {
                        H::splat(&mut (*to.add(c)).0, word);
                    }
                } else {
                    // A loop over all lanes, not chunks: see `Lane::lanes`.
                    let to = to.cast::<u32>();
                    let from = slab.add(from as usize).cast::<u32>();
                    for l in 0..N * 16 {
                        to.add(l).write(from.add(l).read() & and ^ xor);
                    }
                }
            }
        }
        // SAFETY: the caller's promise holds for the inner operation as well: the binder made its places, and
        // scratch rows are inside the slab.
        unsafe {
            (inner.body)(regs, inner);
            go_on(regs, op);
        }
    }
}
