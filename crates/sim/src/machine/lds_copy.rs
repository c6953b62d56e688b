//! The issue of copies between memory and LDS by rows of addresses that are known ([`crate::lds_copy`]).

use super::Cx;
use super::memory::lds_dma_base;
use super::ops::MemoryOp;
use super::place::Placing;
use crate::events::{LoadIssue, Observer, OpId, Site, Space};
use crate::lds_copy::{LdsCopy, LdsCopyOp, LdsPlaces};
use crate::wave::Wave;

impl<O: Observer> Cx<'_, O> {
    /// Issue a copy between memory and LDS by rows of addresses that are known; `false` if it is for another form to do. If
    /// somebody watches its `site`, that is so where they need be told of it.
    #[inline(always)]
    pub(super) fn lds_copy(&mut self, wave: &mut Wave, op: &MemoryOp, site: Option<&Site>) -> bool {
        let copy = op.lds_copy.as_ref().filter(|_| wave.regs.full && !op.multicast);
        copy.is_some_and(|copy| self.issue_lds_copy(wave, op, copy, site))
    }

    #[inline]
    fn issue_lds_copy(
        &mut self,
        wave: &mut Wave,
        op: &MemoryOp,
        copy: &LdsCopyOp,
        site: Option<&Site>,
    ) -> bool {
        let Some(copy) = self.lds_copy_in_flight(wave, op, copy) else { return false };
        if O::ACTIVE
            && let Some(site) = site
        {
            let accesses = copy.accesses(&wave.address_rows, wave.regs.chunks);
            let issue = LoadIssue { id: copy.id, seq: &[copy.seq], scope: op.scope, accesses: &accesses };
            if !copy.loads || !self.observer.follows_issue(wave.id, site, &issue) {
                return false;
            }
        }
        self.cluster.next_op += 1;
        wave.queue.next(copy.seq.0);
        copy.rows.iter().for_each(|&row| wave.address_rows.hold(row));
        wave.queue.push_lds_copy(copy);
        true
    }

    /// A copy as it will be in flight, if all its lanes are inside of global memory and of LDS.
    #[inline(always)]
    fn lds_copy_in_flight(&mut self, wave: &mut Wave, op: &MemoryOp, copy: &LdsCopyOp) -> Option<LdsCopy> {
        let chunks = wave.regs.chunks;
        let Placing { terms, .. } =
            self.placing(wave, op, 0, wave.regs.full_mask(), copy.bytes, 1, &mut None)?;
        let Wave { regs, address_rows, .. } = wave;
        let (row, value) = address_rows.find_or_learn(copy.known, copy.addr, regs);
        let span = address_rows.row(row).span;
        let memory = terms.lowest(value, span)?;
        let len = u64::from(span) + u64::from(copy.bytes);
        let offsets = &address_rows.row(row).offsets[..chunks];
        if terms.space != Space::Global || !self.global.expect(memory, len, !copy.loads, offsets) {
            return None;
        }
        let (lds_row, lds) = match copy.lds {
            LdsPlaces::Row(addr, known) => {
                let (row, value) = address_rows.find_or_learn(known, addr, regs);
                (row, value.wrapping_add(op.lds_offset as u32))
            }
            LdsPlaces::Steps(step) => {
                let base = lds_dma_base(regs);
                (address_rows.steps(step, chunks), base.wrapping_add(op.lds_offset as u32))
            }
        };
        let lds_span = address_rows.row(lds_row).span;
        if u64::from(lds) + u64::from(lds_span) + u64::from(copy.bytes) > self.lds.len() as u64 {
            return None;
        }
        Some(LdsCopy {
            id: OpId(self.cluster.next_op + 1),
            seq: (copy.channel, wave.queue.issued(copy.channel) + 1),
            issued_at: self.cluster.clock,
            memory,
            lds,
            rows: [row, lds_row],
            spans: [span, lds_span],
            read: None,
            bytes: copy.bytes,
            loads: copy.loads,
            scope: op.scope,
        })
    }
}
