//! Bursts: loads and stores of whole dwords, all lanes one behind the other, in one known space, all in bounds. Whatever
//! is not like that is left to the other paths, which do the same for these as well.

use super::Cx;
use super::ops::{BurstBase, MemoryOp};
use crate::burst::{Burst, Side};
use crate::events::{LoadIssue, Observer, OpId, Scope, Site, Space};
use crate::lanewise::RowAccess;
use crate::lds_load::{Issue, LdsLoadOp};
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
        self.cluster.next_op += 1;
        let (seq, issued_at) = (wave.queue.next(op.channel), self.cluster.clock);
        let burst = Burst { seq, space, low, high, issued_at, dwords: op.dwords, side };
        wave.queue.push_burst(burst);
        true
    }

    /// Issue a load of LDS by a row of addresses, known or looked at now; `false` if it is none. Nobody may be watching.
    #[inline(always)]
    pub(super) fn lds_load(&mut self, wave: &mut Wave, op: &MemoryOp) -> bool {
        let Some(load) = op.lds_load.as_ref().filter(|_| self.may_keep_lds_loads(wave)) else {
            return false;
        };
        let issued =
            load.issue(wave, self.lds.len(), self.next_issue()) || self.lds_load_of_new_row(wave, load);
        self.cluster.next_op += u64::from(issued);
        issued
    }

    /// The number and time of what is issued next.
    #[inline(always)]
    fn next_issue(&self) -> Issue {
        Issue { id: OpId(self.cluster.next_op + 1), at: self.cluster.clock }
    }

    /// Issue a load of LDS that an observer need not be told of, because it follows from what it knows; `false` if it is none.
    #[inline]
    pub(super) fn lds_load_that_follows(&mut self, wave: &mut Wave, op: &MemoryOp, site: &Site) -> bool {
        let may = self.may_keep_lds_loads(wave) && op.scope == Scope::default();
        let Some(load) = op.lds_load.as_ref().filter(|_| may) else { return false };
        let (id, issue) = (wave.id, self.next_issue());
        let follows = |accesses: &[RowAccess<'_>], seq| {
            let load = LoadIssue { id: issue.id, seq: &[seq], scope: op.scope, accesses };
            self.observer.follows_issue(id, site, &load)
        };
        let issued = load.issue_if(wave, self.lds.len(), issue, follows);
        self.cluster.next_op += u64::from(issued);
        issued
    }

    #[inline(always)]
    fn may_keep_lds_loads(&self, wave: &Wave) -> bool {
        wave.regs.full && self.lands_late && wave.queue.takes_lds_loads()
    }

    /// Issue a load of LDS after a look at its row.
    #[inline(never)]
    fn lds_load_of_new_row(&self, wave: &mut Wave, load: &LdsLoadOp) -> bool {
        load.learn(wave);
        load.issue(wave, self.lds.len(), self.next_issue())
    }
}
