//! Sources that are not rows of the vector slab as they stand: scalars, which all lanes share, and 32-bit sources
//! with sign modifiers. A wrapper puts them into the scratch rows of their source and runs the operation on those,
//! so that the bodies of [`Fast`](super::lane::Fast) find rows and nothing else.

use std::sync::Arc;

use super::AluDetail;
use super::def::chosen_level;
use super::host::{Host, Kernel, bodies, size};
use super::lane::{GPR_IDX_EN, SIGNS, signs, takes_signs};
use super::word::Kind;
use crate::op::{Body, Detail, Op, Place, PlaceKind};
use crate::regs::Regs;

/// What the wrapper runs.
pub struct Inner {
    body: Body,
    kinds: [Kind; 3],
}

/// Is a source of this kind a row as it stands?
fn stands(place: Place, kind: Kind, imm: u64, i: usize) -> bool {
    let row = matches!(place.kind, PlaceKind::Vector | PlaceKind::VectorConst);
    kind.rows() == 0 || row && !(takes_signs(kind) && signs(imm, i as u32) != (u32::MAX, 0))
}

/// `op`, whose sources are of `kinds`, wrapped if it needs to be.
pub fn wrap(op: Op, kinds: [Kind; 3], chunks: usize) -> Op {
    if (0..3).all(|i| stands(op.src[i], kinds[i], op.imm, i)) {
        return op;
    }
    let inner = Inner { body: op.body, kinds };
    Op {
        body: bodies::<Spread>()[chosen_level()][size(chunks)],
        detail: Some(Arc::new(Detail::Alu(AluDetail::Spread(inner)))),
        ..op
    }
}

/// Scratch chunks of one source: two rows of up to four. The rows of `modifiers` lie at the same place, but a source
/// that stands there already is not moved.
const SOURCE_ROOM: usize = 16;

/// The wrapper.
struct Spread;

impl Kernel for Spread {
    #[inline(always)]
    unsafe fn run<H: Host, const N: usize>(regs: &mut Regs, op: &Op) {
        let Some(Detail::Alu(AluDetail::Spread(inner))) = op.detail.as_deref() else { return };
        if regs.mode.raw & GPR_IDX_EN != 0 {
            // Relative to M0: the lane by lane path moves the registers before it looks at their signs.
            // SAFETY: the caller's promise; MODE keeps the body from taking its sources for rows.
            unsafe { (inner.body)(regs, op) };
            return;
        }
        let mut step = Op { detail: None, imm: op.imm & ((1 << SIGNS) - 1), ..*op };
        for (i, &kind) in inner.kinds.iter().enumerate() {
            let place = op.src[i];
            if stands(place, kind, op.imm, i) {
                continue;
            }
            let (and, xor) = if takes_signs(kind) { signs(op.imm, i as u32) } else { (u32::MAX, 0) };
            let room = regs.scratch + i * SOURCE_ROOM;
            let from = place.at as usize;
            for row in 0..kind.rows().min(2) {
                let to = room + row * N;
                // SAFETY: the binder placed the source inside the slabs; the scratch rows are inside.
                unsafe {
                    let slab = regs.v.as_mut_ptr();
                    if let PlaceKind::Vector | PlaceKind::VectorConst = place.kind {
                        // Only kinds of one row have signs to change.
                        for c in 0..N {
                            let chunk = (*slab.add(from + c)).0;
                            (*slab.add(to + c)).0 = std::array::from_fn(|l| chunk[l] & and ^ xor);
                        }
                    } else {
                        let word = *regs.s.get_unchecked(from + row) & and ^ xor;
                        for c in 0..N {
                            (*slab.add(to + c)).0 = [word; 16];
                        }
                    }
                }
            }
            step.src[i] = Place { at: room as u32, kind: PlaceKind::Vector };
        }
        // SAFETY: the caller's promise holds for the inner body as well: the binder made its places, and scratch
        // rows are inside the slab.
        unsafe { (inner.body)(regs, &step) }
    }
}
