//! The fast path of issue: loads and stores of whole dwords, one address a lane, in one known space, all in
//! bounds. Whatever is not like that is left to the general path, which does the same for these as well.

use smallvec::smallvec;

use super::Cx;
use super::address::{self, Addressing};
use super::bind::{MemoryOp, Verb};
use crate::events::{Access, Channel, Direction, Extent, Issue, Observer, OpId, Site, Space};
use crate::pending::{Action, Pending, contiguous, lanes};
use crate::regs::Regs;
use crate::wave::Wave;
use wavemark_isa::Isa;

/// The addresses are one behind the other, and the whole wave is on: the first of them. Looks at the 32-bit
/// row that they come from, because a row of VGPRs is quicker to compare than 64 addresses.
#[inline]
fn run_of(regs: &Regs, row: usize, step: u32) -> Option<u32> {
    if !regs.full {
        return None;
    }
    let first = regs.v[row].0[0];
    let mut odd = 0;
    for (c, chunk) in regs.v[row..row + regs.chunks].iter().enumerate() {
        let base = first.wrapping_add(c as u32 * 16 * step);
        for (l, x) in chunk.0.iter().enumerate() {
            odd |= x ^ base.wrapping_add(l as u32 * step);
        }
    }
    (odd == 0).then_some(first)
}

impl<O: Observer> Cx<'_, O> {
    /// Issue a plain load or store; `false` if it is for the general path to do.
    pub(super) fn plain(
        &mut self,
        wave: &mut Wave,
        op: &MemoryOp,
        site: &Site,
        exec: u64,
        size: u32,
    ) -> bool {
        if exec == 0 || op.cluster {
            return false;
        }
        let regs = &wave.regs;
        let count = u64::from(regs.lanes());
        let mut addr = self.pool.addresses();
        let mut run = false;
        let space = match &op.addressing {
            Addressing::Lds { addr: Some(row), offsets, .. } => {
                let row = *row as usize;
                match run_of(regs, row, size) {
                    Some(first) if first.checked_add(offsets[0] + 64 * size).is_some() => {
                        addr[0] = u64::from(first + offsets[0]);
                        run = true;
                    }
                    _ => {
                        for (out, chunk) in addr.chunks_exact_mut(16).zip(&regs.v[row..row + regs.chunks]) {
                            for (out, x) in out.iter_mut().zip(&chunk.0) {
                                *out = u64::from(x.wrapping_add(offsets[0]));
                            }
                        }
                    }
                }
                Space::Lds
            }
            Addressing::Flat { vaddr: Some(row), saddr, scale, offset, .. } => {
                let first = match saddr {
                    // The last lane's offset must not wrap, nor change its sign.
                    Some(_) if *scale == 1 => run_of(regs, *row as usize, size).filter(|x| *x < 0x4000_0000),
                    _ => None,
                };
                match (first, saddr) {
                    (Some(first), Some(saddr)) => {
                        let base = regs.s64(*saddr).wrapping_add_signed(*offset);
                        addr[0] = base.wrapping_add(u64::from(first));
                        run = true;
                    }
                    _ => {
                        let isa = self.isa;
                        address::flat(regs, isa, exec, Some(*row), *saddr, *scale, false, *offset, &mut addr);
                        run = contiguous(&addr, exec, regs.full_mask(), size);
                    }
                }
                Space::Global
            }
            _ => {
                self.pool.put_addresses(addr);
                return false;
            }
        };
        let store = matches!(op.verb, Verb::Store(_));
        let (low, high) = if run {
            if O::ACTIVE {
                let first = addr[0];
                for (l, out) in addr.iter_mut().enumerate() {
                    *out = first.wrapping_add(l as u64 * u64::from(size));
                }
            }
            (addr[0], addr[0].saturating_add(count * u64::from(size)))
        } else {
            let (mut low, mut high) = (u64::MAX, 0);
            for lane in lanes(exec) {
                low = low.min(addr[lane as usize]);
                high = high.max(addr[lane as usize]);
            }
            (low, high.saturating_add(u64::from(size)))
        };
        let inside = match space {
            Space::Global => self.global.in_bounds(low, high - low, store),
            _ => high <= self.lds.len() as u64,
        };
        if !inside {
            self.pool.put_addresses(addr);
            return false;
        }
        let channel = match (space, self.isa) {
            (Space::Lds, _) => Channel::Ds,
            (_, Isa::Gfx950) => Channel::Vm,
            _ if store => Channel::St,
            _ => Channel::Ld,
        };
        let (direction, action) = match &op.verb {
            Verb::Load(shape) => {
                (Direction::Read, Action::Load { shape: *shape, rows: [op.dst[0], 0], zero: 0 })
            }
            _ => {
                let mut data = self.pool.data();
                let chunks = (size / 4) as usize * regs.chunks;
                for chunk in &regs.v[op.data[0] as usize..][..chunks] {
                    data.extend_from_slice(&chunk.0);
                }
                (Direction::Write, Action::Store { data })
            }
        };
        *self.next_op += 1;
        let access = Access { space, direction, extent: Extent::Lanes { mask: exec, bytes: size, addr } };
        let issue = Issue {
            id: OpId(*self.next_op),
            seq: smallvec![wave.queue.next(channel)],
            accesses: smallvec![access],
            atomic: false,
            scope: op.scope,
            multicast: None,
            stored: match &action {
                Action::Store { data } if O::ACTIVE => data.clone(),
                _ => Vec::new(),
            },
        };
        if O::ACTIVE {
            self.observer.issued(wave.id, site, &issue);
        }
        wave.queue.push(Pending {
            issue,
            action,
            issued_at: *self.clock,
            hulls: smallvec![(low, high)],
            run,
        });
        true
    }
}
