//! The places of a memory operation's lanes, as a base and a row of 32-bit offsets, and the issue of what can be said
//! so ([`Lanewise`](crate::lanewise::Lanewise)). Whatever cannot be is left to the general path, which does the same
//! for these as well.

use smallvec::SmallVec;
use wavemark_target::{LDS_OFF, lds_dma_lane};

use super::Cx;
use super::address::{self, Addressing, Aperture, ScratchAperture};
use super::buffer::BufferResource;
use super::memory::{direction, lds_dma_base};
use super::offsets::{Terms, all_hold, offsets};
use super::ops::{MemoryOp, Transfer};
use crate::events::{Direction, Issue, LoadIssue, Observer, OpId, Site, Space};
use crate::lanewise::{Lanewise, Move, Reach, RowAccess};
use crate::pending::lanes;
use crate::queue::Flight;
use crate::regs::{Chunk, Regs, sindex};
use crate::rows;
use crate::wave::Wave;

/// What the places of an access come from.
pub(super) struct Placing<'a> {
    /// A value for each lane.
    pub row: &'a [Chunk],
    /// What is made of them.
    pub terms: Terms,
    /// The first value above the ceiling from which on no part of a lane's bytes is in range.
    beyond: Option<u32>,
    /// The greatest value to which the instruction's offset is added without wrapping.
    wraps: Option<u32>,
}

/// A row of registers.
#[inline]
fn row_at(regs: &Regs, row: u32) -> &[Chunk] {
    &regs.v[row as usize..][..regs.chunks]
}

/// The access of the lanes of `exec` to `size` bytes by the values of `row`, its offsets put into `out`; the lanes that
/// access nothing. `None` if not all addresses fit. (The access is written where it stays, field by field: a copy of it
/// as a whole would wait for these stores.)
#[inline]
fn reach(
    reach: &mut Reach,
    out: &mut [Chunk],
    row: &[Chunk],
    terms: &Terms,
    exec: u64,
    size: u32,
    align: u32,
    writes: bool,
    full: u64,
) -> Option<u64> {
    let found = offsets(out, row, terms, exec, full, align, size);
    let off = exec & !found.mask;
    (reach.space, reach.writes, reach.mask) = (terms.space, writes, found.mask);
    if found.mask == 0 {
        (reach.run, reach.low, reach.high) = (false, Reach::NONE.low, Reach::NONE.high);
        return Some(off);
    }
    let low = terms.base.wrapping_add(u64::from(found.low));
    let high = low.checked_add(u64::from(found.high - found.low) + u64::from(size))?;
    if low as u32 & (align - 1) != 0 || !found.aligned {
        return None;
    }
    reach.run = found.run;
    (reach.low, reach.high) = (low, high);
    Some(off)
}

impl<O: Observer> Cx<'_, O> {
    /// Issue a memory operation lane by lane, and say so of its `site`; `false` if it is for the general path to do.
    #[inline]
    pub(super) fn lanewise(&mut self, wave: &mut Wave, op: &MemoryOp, site: Option<&Site>) -> bool {
        let mut lanewise = self.pool.lanewise();
        // Lanes out of bounds are a fault, but for those that a buffer descriptor turns away.
        let faults = |lanewise: &Lanewise| {
            O::ACTIVE && lanewise.zero != 0 && !matches!(op.addressing, Addressing::Buffer { .. })
        };
        if self.fill_lanewise(wave, op, &mut lanewise).is_none() || faults(&lanewise) {
            self.pool.recycle(Flight::Lanewise(lanewise));
            return false;
        }
        if direction(&op.transfer) == Direction::Atomic {
            self.perform(wave);
        }
        self.cluster.next_op += 1;
        lanewise.issued_at = self.cluster.clock;
        lanewise.channels = op.channels.len() as u8;
        for (seq, &channel) in lanewise.seq.iter_mut().zip(&op.channels) {
            *seq = wave.queue.next(channel);
        }
        if O::ACTIVE
            && let Some(site) = site
        {
            let direction = direction(&op.transfer);
            let size = op.transfer.bytes();
            (lanewise.directions, lanewise.sizes) = match op.transfer {
                Transfer::LdsDma(_) => ([Direction::Read, Direction::Write], [size, lds_dma_lane(size).0]),
                Transfer::AsyncLoad(_) | Transfer::AsyncStore(_) => {
                    ([Direction::Read, Direction::Write], [size; 2])
                }
                _ => ([direction; 2], [size; 2]),
            };
            let chunks = wave.regs.chunks;
            let seq = SmallVec::from_slice(lanewise.seq());
            let issue = &mut lanewise.issue;
            (issue.id, issue.seq, issue.scope) = (OpId(self.cluster.next_op), seq, op.scope);
            issue.atomic = direction == Direction::Atomic;
            issue.failed = false;
            issue.multicast = op.multicast.then(|| wave.regs.s[sindex::M0 as usize]);
            let Issue { id, ref seq, scope, .. } = lanewise.issue;
            let follows = |accesses: &[RowAccess<'_>]| {
                self.observer.follows_issue(wave.id, site, &LoadIssue { id, seq, scope, accesses })
            };
            let untold = !op.multicast && lanewise.loads(chunks).as_deref().is_some_and(follows);
            lanewise.untold = untold;
            if !lanewise.untold {
                lanewise.tell(chunks, self.lds);
                self.observer.issued(wave.id, site, &lanewise.issue);
            }
        }
        wave.queue.push_lanewise(lanewise);
        true
    }

    /// All of the operation but when it is issued.
    fn fill_lanewise(&mut self, wave: &Wave, op: &MemoryOp, lanewise: &mut Lanewise) -> Option<()> {
        let regs = &wave.regs;
        let (full, size) = (regs.full_mask(), op.transfer.bytes());
        let mut exec = regs.exec();
        if exec == 0 || op.channels.len() > 2 || (op.multicast && self.cluster.size > 1) {
            return None;
        }
        match op.transfer {
            Transfer::Load(_) | Transfer::Store(_) | Transfer::Atomic(..) => {}
            // CDNA5 ISA 10.9, 11.2.4: transposing loads ignore EXEC, but do nothing without any lane.
            Transfer::LoadTranspose { spread: false, .. } => exec = full,
            Transfer::AsyncLoad(_) | Transfer::AsyncStore(_) | Transfer::LdsDma(_) => {
                return self.fill_copy(wave, op, exec, size, lanewise);
            }
            _ => return None,
        }
        if !matches!(size, 1 | 2 | 4 | 8 | 12 | 16) {
            return None;
        }
        lanewise.accesses = op.accesses as u8;
        lanewise.zero = 0;
        for access in 0..op.accesses as usize {
            let (offsets, reach) = (&mut lanewise.offsets[4 * access..], &mut lanewise.reaches[access]);
            lanewise.zero |= self.place(wave, op, access, exec, size, offsets, reach)?;
        }
        let data = &op.data[..op.accesses as usize];
        lanewise.moves = match op.transfer {
            Transfer::Load(shape) => Move::Load(shape, op.dst),
            // With lanes that are off it may be that nothing is issued.
            Transfer::LoadTranspose { transpose, .. } if lanewise.zero == 0 => {
                Move::Transpose(transpose, op.dst[0])
            }
            Transfer::Store(shape) => {
                capture(&mut lanewise.data, regs, data, size.div_ceil(4), None);
                if shape.high {
                    for x in lanewise.data.iter_mut().flat_map(|chunk| &mut chunk.0) {
                        *x >>= 16;
                    }
                }
                Move::Store(size)
            }
            // A lane that only one of two accesses leaves out returns 0 for both.
            Transfer::Atomic(..) if op.accesses == 2 && lanewise.zero != 0 => return None,
            Transfer::Atomic(shape, returns) => {
                let second = shape.op.two_data().then_some(op.second);
                capture(&mut lanewise.data, regs, data, shape.bytes / 4, second);
                let lds = matches!(op.addressing, Addressing::Lds { .. });
                let flush = self.atomic_flush(wave, shape, lds);
                Move::Atomic(shape, flush, returns.then_some(op.dst))
            }
            _ => return None,
        };
        Some(())
    }

    /// The two accesses of a copy between memory and LDS, and what moves.
    fn fill_copy(
        &mut self,
        wave: &Wave,
        op: &MemoryOp,
        mut exec: u64,
        size: u32,
        lanewise: &mut Lanewise,
    ) -> Option<()> {
        let regs = &wave.regs;
        let lds_len = self.lds.len() as u64;
        let (first, second) = lanewise.offsets.split_at_mut(4);
        let [from, to] = &mut lanewise.reaches;
        let place_lds = |place: &mut Reach, out: &mut [Chunk], row: &[Chunk], terms: Terms, size, writes| {
            let out = &mut out[..row.len()];
            let off = reach(place, out, row, &terms, exec, size, 1, writes, regs.full_mask())?;
            (place.high <= lds_len).then_some(off)
        };
        lanewise.accesses = 2;
        let shape;
        (lanewise.zero, shape) = if let Transfer::LdsDma(shape) = op.transfer {
            let (written, stride) = lds_dma_lane(size);
            let base = u64::from(lds_dma_base(regs)).wrapping_add_signed(op.lds_offset);
            let terms = Terms { scale: stride, ..Terms::new(Space::Lds, base) };
            place_lds(to, second, &rows::STEPS[1][..regs.chunks], terms, written, true)?;
            (self.place(wave, op, 0, exec, size, first, from)?, Some(shape))
        } else {
            let load = matches!(op.transfer, Transfer::AsyncLoad(_));
            let (lds, memory) = if load { (&mut *to, &mut *from) } else { (&mut *from, &mut *to) };
            let (lds_side, memory_side) = if load { (second, first) } else { (first, second) };
            // A lane that is switched off on the LDS side copies nothing, wherever its global address points.
            let terms = Terms {
                add: op.lds_offset as u32,
                ceiling: Some(LDS_OFF as u32 - 1),
                ..Terms::new(Space::Lds, 0)
            };
            exec &= !place_lds(lds, lds_side, row_at(regs, op.lds_addr), terms, size, load)?;
            if exec == 0 {
                return None;
            }
            (self.place(wave, op, 0, exec, size, memory_side, memory)?, None)
        };
        if from.space != Space::Global && to.space != Space::Global {
            return None;
        }
        lanewise.moves = Move::Copy(size, shape);
        Some(())
    }

    /// What the places of access number `access` of the lanes of `exec` to `size` bytes come from; rows that no register holds
    /// are put into `own`. `None` if that is for the general path.
    #[inline]
    pub(super) fn placing<'a>(
        &self,
        wave: &'a Wave,
        op: &MemoryOp,
        access: usize,
        exec: u64,
        size: u32,
        align: u32,
        own: &'a mut Option<[Chunk; 4]>,
    ) -> Option<Placing<'a>> {
        let (regs, chunks) = (&wave.regs, wave.regs.chunks);
        let mut beyond = None;
        let mut wraps = None;
        let (row, terms) = match &op.addressing {
            Addressing::Lds { addr: Some(row), offsets, .. } => {
                let ceiling = (self.lds.len() as u64).checked_sub(u64::from(size)).map(|top| top as u32);
                let terms = Terms { add: offsets[access], ceiling, ..Terms::new(Space::Lds, 0) };
                (row_at(regs, *row), terms)
            }
            Addressing::Lds { addr: None, .. } => return None,
            Addressing::Flat { vaddr: Some(row), saddr: None, offset, .. } => {
                let (low, high) = (row_at(regs, *row), row_at(regs, *row + chunks as u32));
                let first = regs.lane(*row as usize + chunks, exec.trailing_zeros());
                if !all_hold(high, exec, first) {
                    return None;
                }
                let base = (u64::from(first) << 32).wrapping_add_signed(*offset);
                (low, Terms::new(Space::Global, base))
            }
            Addressing::Flat { vaddr: Some(row), saddr: Some(saddr), scale, offset, .. } => {
                let base = regs.s64(*saddr).wrapping_add_signed(*offset);
                let terms = Terms::new(Space::Global, base);
                let terms = match (self.facts.signed_vgpr_offset, *scale) {
                    (false, 1) => terms,
                    (true, 1) => Terms { flip: 1 << 31, base: base.wrapping_sub(1 << 31), ..terms },
                    (signed, scale) => {
                        let top = if signed { i32::MAX as u32 } else { u32::MAX };
                        Terms { scale, ceiling: Some(top.min(u32::MAX / scale.max(1))), ..terms }
                    }
                };
                (row_at(regs, *row), terms)
            }
            Addressing::Flat { vaddr: None, saddr, add_tid, offset, .. } => {
                let base = saddr.map_or(0, |s| regs.s64(s)).wrapping_add_signed(*offset);
                let row = &rows::STEPS[usize::from(*add_tid)];
                (&row[..chunks], Terms { scale: 4, ..Terms::new(Space::Global, base) })
            }
            Addressing::Scratch { vaddr, saddr, scale, offset } => {
                let own = own.insert(scratch_row(wave, exec, size, *vaddr, *saddr, *scale, *offset)?);
                (&own[..chunks], Terms::new(Space::Scratch, 0))
            }
            Addressing::Buffer { layout, rsrc, index: None, voffset, soffset, offset } => {
                let buffer = BufferResource::read(regs, *layout, *rsrc).raw()?;
                let soffset = u64::from(regs.s[*soffset as usize]);
                let offset = u64::try_from(*offset).ok()?;
                let top = |bytes: u32| {
                    let top = buffer.bytes.checked_sub(offset + soffset + u64::from(bytes))?;
                    Some(u32::try_from(top).unwrap_or(u32::MAX))
                };
                if buffer.wraps && offset != 0 {
                    // Where the sum wraps, the lane may be in range.
                    wraps = u32::try_from(offset).ok().map(|offset| u32::MAX - offset);
                }
                let base = buffer.base.wrapping_add(soffset).wrapping_add(offset);
                if size > 4 && align == 1 {
                    beyond = top(4);
                }
                let row = voffset.map_or(&rows::STEPS[0][..chunks], |row| row_at(regs, row));
                (row, Terms { ceiling: top(size), ..Terms::new(Space::Global, base) })
            }
            Addressing::Buffer { .. } => return None,
        };
        Some(Placing { row, terms, beyond, wraps })
    }

    /// Access number `access` of the lanes of `exec` to `size` bytes, put into `place` and its offsets into `out`; the
    /// lanes that access nothing because their address is out of range. `None` if it is for the general path.
    #[inline]
    fn place(
        &mut self,
        wave: &Wave,
        op: &MemoryOp,
        access: usize,
        exec: u64,
        size: u32,
        out: &mut [Chunk],
        place: &mut Reach,
    ) -> Option<u64> {
        let regs = &wave.regs;
        let (chunks, full) = (regs.chunks, regs.full_mask());
        let writes = direction(&op.transfer) != Direction::Read;
        let align = match op.transfer {
            Transfer::Atomic(shape, _) => shape.bytes,
            _ => 1,
        };
        let mut own = None;
        let Placing { row, terms, beyond, wraps } =
            self.placing(wave, op, access, exec, size, align, &mut own)?;
        let off = reach(place, &mut out[..chunks], row, &terms, exec, size, align, writes, full)?;
        if off != 0 {
            let some_left = |lane: u32| {
                let value = row[lane as usize / 16].0[lane as usize % 16];
                beyond.is_some_and(|top| value <= top) || wraps.is_some_and(|top| value > top)
            };
            let refused = matches!(op.addressing, Addressing::Flat { .. }) || lanes(off).any(some_left);
            if refused {
                return None;
            }
        }
        if place.mask == 0 {
            return Some(off);
        }
        if op.flat {
            let last = place.high - u64::from(size);
            match address::aperture(ScratchAperture::of(self.facts), place.low, 0) {
                _ if last >> 32 != place.low >> 32 => return None,
                Aperture::Global => {}
                Aperture::Lds(low) => {
                    place.high = u64::from(low) + (place.high - place.low);
                    (place.space, place.low) = (Space::Lds, u64::from(low));
                    if place.high > self.lds.len() as u64 {
                        return None;
                    }
                }
                Aperture::Scratch(..) | Aperture::Hole => return None,
            }
        }
        let inside = place.space != Space::Global
            || self.global.expect(place.low, place.high - place.low, writes, &out[..chunks]);
        inside.then_some(off)
    }
}

/// The places of the lanes of `exec` in the wave's scratch, if all are inside of their own.
fn scratch_row(
    wave: &Wave,
    exec: u64,
    size: u32,
    vaddr: Option<u32>,
    saddr: Option<u32>,
    scale: u32,
    offset: i64,
) -> Option<[Chunk; 4]> {
    let regs = &wave.regs;
    let base = saddr.map_or(0, |s| i64::from(regs.s[s as usize] as i32)) + offset;
    let per_lane = i64::from(wave.scratch_per_lane);
    let mut row = [Chunk::ZERO; 4];
    for lane in lanes(exec) {
        let v = vaddr.map_or(0, |row| i64::from(regs.lane(row as usize, lane) as i32));
        let at = base + v * i64::from(scale);
        if at < 0 || at + i64::from(size) > per_lane {
            return None;
        }
        let at = at + i64::from(lane) * per_lane;
        row[lane as usize / 16].0[lane as usize % 16] = u32::try_from(at).ok()?;
    }
    Some(row)
}

/// Copy `dwords` rows from each of `rows`, and behind each of them as many from `second`.
#[inline]
fn capture(mut out: &mut [Chunk], regs: &Regs, rows: &[u32], dwords: u32, second: Option<u32>) {
    let len = dwords as usize * regs.chunks;
    for &row in rows {
        for row in [Some(row), second].into_iter().flatten() {
            let (to, rest) = out.split_at_mut(len);
            to.copy_from_slice(&regs.v[row as usize..][..len]);
            out = rest;
        }
    }
}
