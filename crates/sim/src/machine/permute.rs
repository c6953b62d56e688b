//! Cross-lane operations through the LDS hardware (`ds_permute_b32` and the like): a row is scattered or gathered by lane
//! numbers as memory is by addresses. The sources are read at issue; the result lands like an LDS load's.

use smallvec::SmallVec;
use wavemark_isa::effects::Crossbar;

use super::Cx;
use super::ops::LanePermute;
use crate::alu::leveled;
use crate::events::{Channel, Observer, Scope, Site};
use crate::gather;
use crate::lanewise::Move;
use crate::pending::Action;
use crate::regs::{Chunk, Regs};
use crate::wave::Wave;

impl<O: Observer> Cx<'_, O> {
    /// Issue a cross-lane operation if nobody watches; `false` if somebody does.
    pub(super) fn quick_permute(&mut self, wave: &mut Wave, op: &LanePermute) -> bool {
        if O::ACTIVE {
            return false;
        }
        let mut lanewise = self.pool.lanewise();
        permuted(&mut lanewise.data, &wave.regs, op, self.facts.ds_permutes_within_32);
        lanewise.moves = Move::Lanes(op.dst, wave.regs.exec());
        (lanewise.accesses, lanewise.channels) = (0, 1);
        lanewise.seq[0] = wave.queue.next(Channel::Ds);
        lanewise.issued_at = self.cluster.clock;
        self.cluster.next_op += 1;
        wave.queue.push_lanewise(lanewise);
        true
    }

    /// Issue a cross-lane operation.
    pub(super) fn lane_permute(&mut self, wave: &mut Wave, op: &LanePermute, site: &Site) {
        let mut values = [Chunk::ZERO; 16];
        permuted(&mut values, &wave.regs, op, self.facts.ds_permutes_within_32);
        let values = Chunk::words(&values[..4]).to_vec();
        let action = Action::SetLanes { row: op.dst, mask: wave.regs.exec(), values };
        let seq = self.sequence(wave, &[Channel::Ds]);
        self.issue(wave, site, seq, SmallVec::new(), false, Scope::Cu, None, action);
    }
}

/// What the lanes receive, in the first chunks of `out`; lanes that are off receive anything.
fn permuted(out: &mut [Chunk; 16], regs: &Regs, op: &LanePermute, within_32: bool) {
    let (chunks, exec) = (regs.chunks, regs.exec());
    let row = |at: u32| &regs.v[at as usize..][..chunks];
    let mut at = [Chunk::ZERO; 4];
    match op.kind {
        Crossbar::Swizzle => {
            for (lane, at) in Chunk::words_mut(&mut at[..chunks]).iter_mut().enumerate() {
                *at = 4 * swizzle_source(op.offset, lane as u32);
            }
        }
        Crossbar::Permute | Crossbar::Bpermute | Crossbar::BpermuteFi => {
            let reach = if within_32 { 32 } else { regs.lanes() };
            places(&mut at[..chunks], row(op.addr), op.offset, reach);
        }
    }
    let (at, out) = (&at[..chunks], &mut out[..chunks]);
    if op.kind == Crossbar::Permute {
        out.fill(Chunk::ZERO);
        return gather::store(Chunk::bytes_mut(out), 4, row(op.data), at, exec);
    }
    // Of lanes that are off, the others read 0.
    let mut source = [Chunk::ZERO; 4];
    let readable = if op.kind == Crossbar::BpermuteFi { regs.full_mask() } else { exec };
    for (c, (to, from)) in source.iter_mut().zip(row(op.data)).enumerate() {
        gather::merge(to, from, gather::part(readable, c), gather::part(readable, c));
    }
    let full = regs.full_mask();
    gather::load(out, chunks, 4, Chunk::bytes(&source[..chunks]), at, full, full);
}

leveled! {
    /// Four times the lane that each lane names by a byte address, among its own `reach` lanes.
    fn places(out: &mut [Chunk], addr: &[Chunk], offset: u32, reach: u32) {
        for (c, (out, addr)) in out.iter_mut().zip(addr).enumerate() {
            let first = (c as u32 * 16) & !(reach - 1);
            for (out, addr) in out.0.iter_mut().zip(&addr.0) {
                *out = 4 * (first | addr.wrapping_add(offset) >> 2 & (reach - 1));
            }
        }
    }
}

/// The lane that `ds_swizzle_b32` reads for `lane` (CDNA4 ISA "DS_SWIZZLE_B32").
pub fn swizzle_source(offset: u32, lane: u32) -> u32 {
    let group = lane & !31;
    let l = lane & 31;
    if offset & 0xe000 == 0xe000 {
        // FFT mode.
        let mask = offset & 31;
        return group | (l.reverse_bits() >> 27) >> mask.count_ones() | (l & mask);
    }
    if offset & 0xe000 == 0xc000 {
        // Rotate mode.
        let mask = offset & 31;
        let amount = offset >> 5 & 31;
        let left = offset >> 10 & 1 == 0;
        let rotated = if left { l.wrapping_add(amount) } else { l.wrapping_sub(amount) };
        return group | (l & mask) | (rotated & !mask & 31);
    }
    if offset & 0x8000 != 0 {
        // Quad permute.
        return (lane & !3) | (offset >> ((lane & 3) * 2) & 3);
    }
    let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
    group | (((l & and) | or) ^ xor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzle_modes() {
        // Quad permute [1,0,3,2].
        assert_eq!(swizzle_source(0x8000 | 0b10_11_00_01, 6), 7);
        // Swap of neighbours: and 31, or 0, xor 1.
        assert_eq!(swizzle_source(31 | 1 << 10, 4), 5);
        // Broadcast of lane 3 in groups of 8: and 0x18, or 3.
        assert_eq!(swizzle_source(0x18 | 3 << 5, 45), 43);
        // The manual's lists for masks 0x10 and 0x1f.
        assert_eq!([1, 2, 17].map(|lane| swizzle_source(0xe010, lane)), [8, 4, 24]);
        assert_eq!(swizzle_source(0xe01f, 22), 22);
        assert_eq!(swizzle_source(0xe000, 1), 16);
        // Mask 1, rotate left and right by 1.
        assert_eq!([0, 1, 31].map(|lane| swizzle_source(0xc021, lane)), [0, 3, 1]);
        assert_eq!([0, 1, 2].map(|lane| swizzle_source(0xc421, lane)), [30, 1, 0]);
        // Rotate left by 2 in all 32 lanes.
        assert_eq!(swizzle_source(0xc000 | 2 << 5, 31), 1);
    }
}
