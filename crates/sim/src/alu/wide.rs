//! Vector operations whose lanes have wide operands or mixed formats: lane by lane over register tuples, with
//! the instruction's own reading of `op_sel`, `neg` and the controls.

use std::marker::PhantomData;

use super::def::{OwnMods, VectorDef, whole};
use super::lane::Cx;
use super::word::Kind;
use crate::op::{Op, Place, PlaceKind};
use crate::regs::Regs;

/// The registers of one operand in one lane.
pub type Tuple = [u32; 32];

/// One instruction's function on a lane.
pub trait Wide: 'static {
    /// Kinds of the sources; for registers only their number counts.
    const SRC: [Kind; 3];
    /// Registers of the destination.
    const DST: usize;
    /// From the sources to the destination, which holds its old contents.
    fn lane(cx: &Cx, mods: OwnMods, a: &Tuple, b: &Tuple, c: &Tuple, d: &mut Tuple);
}

struct Body<K>(PhantomData<K>);

type LaneFunction = fn(&Cx, OwnMods, &Tuple, &Tuple, &Tuple, &mut Tuple);

impl<K: Wide> Body<K> {
    unsafe fn body(regs: &mut Regs, op: &Op) {
        every_lane(regs, op, K::SRC, K::DST, K::lane);
    }
}

/// The definition of `K`; modifiers go to the lane function.
pub const fn define<K: Wide>() -> VectorDef {
    let dst = if K::DST == 1 { Kind::B32 } else { Kind::Tuple(K::DST as u8) };
    whole(K::SRC, [dst, Kind::None], Body::<K>::body).owning_mods()
}

fn gather(regs: &Regs, place: Place, rows: usize, lane: u32, out: &mut Tuple) {
    for (row, word) in out.iter_mut().enumerate().take(rows) {
        *word = match place.kind {
            PlaceKind::Vector | PlaceKind::VectorConst => {
                regs.lane(place.at() as usize + row * regs.chunks, lane)
            }
            PlaceKind::Scalar | PlaceKind::None => regs.s[place.at() as usize + row],
        };
    }
}

/// Run a lane function over the active lanes; the sources are of `src`, the destination has `dst` registers.
pub fn every_lane(regs: &mut Regs, op: &Op, src: [Kind; 3], dst: usize, f: LaneFunction) {
    let cx = Cx::new(regs, op.imm);
    let exec = regs.exec();
    let mut sources = [[0; 32]; 3];
    let mut out = [0; 32];
    for lane in (0..regs.lanes()).filter(|lane| exec >> lane & 1 != 0) {
        for i in 0..3 {
            gather(regs, op.src(i), src[i].rows(), lane, &mut sources[i]);
        }
        gather(regs, op.dst(), dst, lane, &mut out);
        f(&cx, OwnMods(op.imm), &sources[0], &sources[1], &sources[2], &mut out);
        for (row, &word) in out.iter().enumerate().take(dst) {
            let at = op.dst().at() as usize + row * regs.chunks;
            regs.set_lane(at, lane, word);
        }
    }
}
