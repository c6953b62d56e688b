//! Tensor DMA: the pieces that a descriptor asks for (`wavemark_target::TensorDescriptor`), issued (CDNA5 ISA 10.11).

use smallvec::{SmallVec, smallvec};
use wavemark_target::TensorDescriptor;

use super::Cx;
use super::ops::TensorOp;
use crate::events::{Access, Channel, Direction, Extent, Fault, Observer, Site, Space};
use crate::pending::Action;
use crate::regs::Regs;
use crate::wave::Wave;

/// The descriptor of an instruction.
pub(crate) fn descriptor(regs: &Regs, op: &TensorOp) -> TensorDescriptor {
    let words4 = |at: u32| [0, 1, 2, 3].map(|i| regs.s[at as usize + i]);
    let g1 = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| regs.s[op.groups[1] as usize + i]);
    let [g2, g3] = op.more.map_or([[0; 4]; 2], |more| more.map(words4));
    let mut descriptor = TensorDescriptor::unpack(words4(op.groups[0]), g1, g2, g3);
    if op.store {
        // Padding is for loads only: there is no de-padding (10.11.2).
        descriptor.pad = None;
    }
    descriptor
}

impl<O: Observer> Cx<'_, O> {
    /// Issue a tensor DMA instruction.
    pub(super) fn tensor(&mut self, wave: &mut Wave, op: &TensorOp, site: &Site) {
        let descriptor = descriptor(&wave.regs, op);
        // A null descriptor neither moves anything nor arrives.
        let is_null = descriptor.count == 0;
        let mut pieces = if is_null { Vec::new() } else { descriptor.pieces() };
        let mut lost = None;
        // What a store would read for elements outside the tensor is dropped: it touches nothing.
        pieces.retain(|piece| !op.store || piece.global.is_some());
        pieces.retain_mut(|piece| {
            let lds_ok = (u64::from(piece.lds) + u64::from(piece.bytes)) <= self.lds.len() as u64;
            if !lds_ok {
                lost.get_or_insert((Space::Lds, u64::from(piece.lds), piece.bytes));
                return false;
            }
            if let Some(addr) = piece.global
                && !self.global.in_bounds(addr, u64::from(piece.bytes), op.store)
            {
                lost.get_or_insert((Space::Global, addr, piece.bytes));
                piece.global = None;
            }
            true
        });
        if let Some((space, addr, bytes)) = lost
            && O::ACTIVE
        {
            let nearest = match space {
                Space::Global => self.global.nearest(addr),
                _ => format!("the workgroup has {} bytes of LDS", self.lds.len()),
            };
            let writes_global = (space == Space::Global) == op.store;
            let direction = if writes_global { Direction::Write } else { Direction::Read };
            let fault = Fault::OutOfBounds { space, direction, addr, bytes, lanes: 1, nearest };
            self.observer.fault(wave.id, site, &fault);
        }
        let global: Vec<(u64, u32)> = pieces.iter().filter_map(|p| p.global.map(|g| (g, p.bytes))).collect();
        let lds: Vec<(u64, u32)> = pieces
            .iter()
            .filter(|p| !op.store || p.global.is_some())
            .map(|p| (u64::from(p.lds), p.bytes))
            .collect();
        let side = |space, direction, runs| Access { space, direction, extent: Extent::Runs(runs) };
        let mut accesses: SmallVec<[Access; 2]> = if op.store {
            smallvec![side(Space::Lds, Direction::Read, lds), side(Space::Global, Direction::Write, global)]
        } else {
            smallvec![side(Space::Global, Direction::Read, global), side(Space::Lds, Direction::Write, lds)]
        };
        let barrier = descriptor.barrier.filter(|_| !is_null);
        let arrive = barrier.filter(|&at| u64::from(at) + 8 <= self.lds.len() as u64);
        if let Some(at) = arrive {
            accesses.push(side(Space::Lds, Direction::Atomic, vec![(u64::from(at), 8)]));
        }
        let multicast = (!op.store && descriptor.workgroup_mask != 0).then_some(descriptor.workgroup_mask);
        let action = Action::Tensor { pieces, store: op.store, arrive };
        let seq = self.sequence(wave, &[Channel::Td]);
        self.issue(wave, site, seq, accesses, false, op.scope, multicast, action);
    }
}
