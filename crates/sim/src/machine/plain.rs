//! The fast path of issue: loads and stores of whole dwords, one address a lane, in one known space, all in
//! bounds. Whatever is not like that is left to the general path, which does the same for these as well.

use super::Cx;
use super::address::{self, Addressing};
use super::ops::{BurstBase, MemoryOp, Transfer};
use crate::burst::{Burst, Side};
use crate::events::{Extent, Issue, Observer, OpId, Site, Space};
use crate::pending::{Action, Pending, contiguous, lanes};
use crate::queue::Flight;
use crate::regs::Regs;
use crate::rows;
use crate::wave::Wave;

/// The addresses are one behind the other, and the whole wave is on: the first of them. Looks at the 32-bit
/// row that they come from, because a row of VGPRs is quicker to compare than 64 addresses.
#[inline]
fn burst_of(regs: &Regs, row: usize, step: u32) -> Option<u32> {
    if !regs.full {
        return None;
    }
    rows::run_start(&regs.v[row..row + regs.chunks], step)
}

/// Fill in the addresses of a plain operation: the space, and whether they are one burst, of which only the
/// first is filled in. `None` if the operation is not addressed so.
#[inline]
fn addresses(
    regs: &Regs,
    signed_offset: bool,
    op: &MemoryOp,
    exec: u64,
    size: u32,
    addr: &mut [u64; 64],
) -> Option<(Space, bool)> {
    match &op.addressing {
        Addressing::Lds { addr: Some(row), offsets, .. } => {
            let row = *row as usize;
            let burst = burst_of(regs, row, size)
                .and_then(|first| first.checked_add(offsets[0]))
                .filter(|first| first.checked_add(64 * size).is_some());
            if let Some(first) = burst {
                addr[0] = u64::from(first);
                return Some((Space::Lds, true));
            }
            for (out, chunk) in addr.chunks_exact_mut(16).zip(&regs.v[row..row + regs.chunks]) {
                for (out, x) in out.iter_mut().zip(&chunk.0) {
                    *out = u64::from(x.wrapping_add(offsets[0]));
                }
            }
            Some((Space::Lds, false))
        }
        Addressing::Flat { vaddr: Some(row), saddr, scale, offset, .. } => {
            if let Some(saddr) = saddr
                && *scale == 1
                // The last lane's offset must neither wrap nor change its sign.
                && let Some(first) = burst_of(regs, *row as usize, size).filter(|x| *x < 0x4000_0000)
            {
                let base = regs.s64(*saddr).wrapping_add_signed(*offset);
                addr[0] = base.wrapping_add(u64::from(first));
                return Some((Space::Global, true));
            }
            address::flat(regs, signed_offset, exec, Some(*row), *saddr, *scale, false, *offset, addr);
            Some((Space::Global, contiguous(addr, exec, regs.full_mask(), size)))
        }
        _ => None,
    }
}

/// First byte and the byte behind the last one.
#[inline]
fn hull(addr: &[u64; 64], exec: u64, size: u32, burst: bool, count: u64) -> (u64, u64) {
    if burst {
        return (addr[0], addr[0].saturating_add(count * u64::from(size)));
    }
    let (mut low, mut high) = (u64::MAX, 0);
    if u64::from(exec.count_ones()) == count {
        for &at in &addr[..count as usize] {
            low = low.min(at);
            high = high.max(at);
        }
        return (low, high.saturating_add(u64::from(size)));
    }
    for lane in lanes(exec) {
        low = low.min(addr[lane as usize]);
        high = high.max(addr[lane as usize]);
    }
    (low, high.saturating_add(u64::from(size)))
}

impl<O: Observer> Cx<'_, O> {
    /// Issue a load or store as a burst; `false` if it is none. Nobody may be watching.
    #[inline]
    pub(super) fn burst(&mut self, wave: &mut Wave, op: &MemoryOp) -> bool {
        let regs = &wave.regs;
        let Some(op) = &op.burst else { return false };
        let Some(first) = burst_of(regs, op.addr as usize, op.step) else { return false };
        let (space, low) = match op.base {
            BurstBase::Lds(offset) => match first.checked_add(offset) {
                Some(low) => (Space::Lds, u64::from(low)),
                None => return false,
            },
            // The last lane's offset must neither wrap nor change its sign.
            BurstBase::Scalar(base, offset) if first < 0x4000_0000 => {
                let base = regs.s64(base).wrapping_add_signed(offset);
                (Space::Global, base.wrapping_add(u64::from(first) * u64::from(op.scale)))
            }
            BurstBase::Vector(offset) => {
                let Some(high) = burst_of(regs, op.addr as usize + regs.chunks, 0) else { return false };
                if first.checked_add(64 * op.step).is_none() {
                    return false;
                }
                let base = u64::from(first) | u64::from(high) << 32;
                (Space::Global, base.wrapping_add_signed(offset))
            }
            BurstBase::Scalar(..) => return false,
        };
        let len = u64::from(op.dwords) * 4 * u64::from(regs.lanes());
        let Some(high) = low.checked_add(len) else { return false };
        let inside = match space {
            Space::Lds => high <= self.lds.len() as u64,
            _ => self.global.in_bounds(low, len, op.store),
        };
        if !inside {
            return false;
        }
        let side = if op.store {
            let chunks = usize::from(op.dwords) * regs.chunks;
            Side::From(self.pool.captured.take(&regs.v[op.row as usize..][..chunks]))
        } else {
            Side::To(op.row)
        };
        *self.next_op += 1;
        let (seq, issued_at) = (wave.queue.next(op.channel), *self.clock);
        let burst = Burst { seq, space, low, high, issued_at, dwords: op.dwords, side };
        wave.queue.push_burst(burst);
        true
    }

    /// Issue a plain load or store; `false` if it is for the general path to do.
    #[inline]
    pub(super) fn plain(
        &mut self,
        wave: &mut Wave,
        op: &MemoryOp,
        site: &Site,
        exec: u64,
        size: u32,
    ) -> bool {
        if exec == 0 || op.multicast {
            return false;
        }
        let store = matches!(op.transfer, Transfer::Store(_));
        let mut pending = if store { self.pool.store() } else { self.pool.load() };
        if !self.fill(wave, op, exec, size, &mut pending) {
            self.pool.recycle(Flight::Other(pending));
            return false;
        }
        *self.next_op += 1;
        pending.issue.id = OpId(*self.next_op);
        pending.issued_at = *self.clock;
        if O::ACTIVE {
            let Pending { issue, action, .. } = &mut *pending;
            issue.stored.clear();
            if let Action::Store { data } = action {
                issue.stored.extend_from_slice(data);
            }
            self.observer.issued(wave.id, site, issue);
        }
        wave.queue.push(pending);
        true
    }

    /// Fill in a plain operation; `false` if it does not fit into memory.
    #[inline]
    fn fill(&mut self, wave: &mut Wave, op: &MemoryOp, exec: u64, size: u32, pending: &mut Pending) -> bool {
        let regs = &wave.regs;
        let store = matches!(op.transfer, Transfer::Store(_));
        let Issue { seq, accesses, scope, .. } = &mut pending.issue;
        let ([seq], [access]) = (seq.as_mut_slice(), accesses.as_mut_slice()) else { return false };
        let Extent::Lanes { mask, bytes, addr } = &mut access.extent else { return false };
        let Some((space, burst)) = addresses(regs, self.facts.signed_vgpr_offset, op, exec, size, addr)
        else {
            return false;
        };
        let (low, high) = hull(addr, exec, size, burst, u64::from(regs.lanes()));
        let inside = match space {
            Space::Global => self.global.in_bounds(low, high - low, store),
            _ => high <= self.lds.len() as u64,
        };
        if !inside {
            return false;
        }
        if O::ACTIVE && burst {
            for (l, out) in addr.iter_mut().enumerate() {
                *out = low.wrapping_add(l as u64 * u64::from(size));
            }
        }
        (*mask, *bytes) = (exec, size);
        access.space = space;
        *scope = op.scope;
        pending.hulls[0] = (low, high);
        pending.burst = burst;
        match (&op.transfer, &mut pending.action) {
            (Transfer::Store(_), Action::Store { data }) => {
                data.clear();
                let chunks = (size / 4) as usize * regs.chunks;
                for chunk in &regs.v[op.data[0] as usize..][..chunks] {
                    data.extend_from_slice(&chunk.0);
                }
            }
            (Transfer::Load(shape), action) => {
                *action = Action::Load { shape: *shape, rows: [op.dst[0], 0], zero: 0 };
            }
            _ => return false,
        }
        *seq = wave.queue.next(op.channels[0]);
        true
    }
}
