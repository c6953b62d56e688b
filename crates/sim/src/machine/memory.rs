//! Issue of vector memory, LDS and scalar memory instructions: addresses and data are read from registers,
//! bounds are checked, and the operation goes into flight.

use smallvec::{SmallVec, smallvec};
use wavemark_target::{LDS_OFF, lds_dma_lane};

use super::address::{self, Addressing, Aperture, ScratchAperture};
use super::buffer::{BufferAccess, BufferResource, scratch_place};
use super::ops::{MemoryOp, ScalarLoad, Transfer};
use super::{Cx, Stop};
use crate::atomic::{AtomicOp, AtomicShape, Flush};
use crate::events::{Access, Channel, Direction, Extent, Fault, Issue, Observer, OpId, Scope, Site, Space};
use crate::pending::{Action, Pending, lanes};
use crate::regs::{Regs, sindex};
use crate::wave::Wave;

/// Addresses of one access, split by the space that they turned out to be in.
pub(super) struct Resolved {
    space: Space,
    pub(super) mask: u64,
    addr: Box<[u64; 64]>,
    /// Active lanes that access nothing because a descriptor says so: they load 0.
    pub(super) zero: u64,
    /// Lanes of which only the first bytes are in range (buffers, whole dwords).
    partial: SmallVec<[(u32, u32); 4]>,
}

pub(super) fn direction(transfer: &Transfer) -> Direction {
    match transfer {
        Transfer::Load(_)
        | Transfer::LoadTranspose { .. }
        | Transfer::LdsDma(_)
        | Transfer::AsyncLoad(_)
        | Transfer::LoadFormat(_)
        | Transfer::LoadBlock => Direction::Read,
        Transfer::Store(_)
        | Transfer::AsyncStore(_)
        | Transfer::LdsDmaStore
        | Transfer::StoreFormat(_)
        | Transfer::StoreBlock => Direction::Write,
        Transfer::Atomic(..) | Transfer::AsyncArrive | Transfer::Arrive | Transfer::Append { .. } => {
            Direction::Atomic
        }
    }
}

/// Copy `dwords` rows from `row` to the end of `data`.
fn capture(wave: &Wave, row: u32, dwords: u32, data: &mut Vec<u32>) {
    let chunks = wave.regs.chunks;
    for chunk in &wave.regs.v[row as usize..][..dwords as usize * chunks] {
        data.extend_from_slice(&chunk.0);
    }
}

/// The active lanes of an asynchronous copy whose LDS address is one: a lane that is switched off there
/// ([`LDS_OFF`]) copies nothing, wherever its global address points.
fn switched_on(wave: &Wave, op: &MemoryOp) -> u64 {
    let off = |lane: &u32| {
        let base = u64::from(wave.regs.lane(op.lds_addr as usize, *lane));
        base.wrapping_add_signed(op.lds_offset) & 0xffff_ffff >= LDS_OFF
    };
    let exec = wave.regs.exec();
    lanes(exec).filter(off).fold(exec, |on, lane| on & !(1 << lane))
}

/// The lanes that take part in an operation.
fn participants(wave: &Wave, op: &MemoryOp) -> u64 {
    match op.transfer {
        // CDNA5 ISA 10.9, 11.2.4: transposing loads ignore EXEC, but do nothing without any lane.
        Transfer::LoadTranspose { spread, .. } if wave.regs.exec() != 0 => {
            if spread {
                u64::from(u32::MAX)
            } else {
                wave.regs.full_mask()
            }
        }
        Transfer::AsyncLoad(_) | Transfer::AsyncStore(_) => switched_on(wave, op),
        _ => wave.regs.exec(),
    }
}

/// The LDS addresses of access number `access` of an instruction that addresses LDS alone, by lane.
fn lds_addresses(regs: &Regs, row: Option<u32>, offset: u32, add_tid: bool, addr: &mut [u64; 64]) {
    match row {
        Some(row) => {
            for c in 0..regs.chunks {
                let words = &regs.v[row as usize + c].0;
                for l in 0..16 {
                    addr[c * 16 + l] = u64::from(words[l].wrapping_add(offset));
                }
            }
        }
        None if add_tid => {
            let base = (regs.s[sindex::M0 as usize] & 0xffff) + offset;
            for (lane, at) in addr.iter_mut().enumerate() {
                *at = u64::from(base) + lane as u64 * 4;
            }
        }
        None => addr.fill(u64::from(offset)),
    }
}

/// The LDS side of an asynchronous copy of the lanes of `exec`.
fn async_addresses(wave: &Wave, op: &MemoryOp, exec: u64) -> Box<[u64; 64]> {
    let mut addr = Box::new([0; 64]);
    lanes(exec).for_each(|lane| addr[lane as usize] = async_address(wave, op, lane));
    addr
}

fn async_address(wave: &Wave, op: &MemoryOp, lane: u32) -> u64 {
    let base = u64::from(wave.regs.lane(op.lds_addr as usize, lane));
    base.wrapping_add_signed(op.lds_offset) & 0xffff_ffff
}

/// Puts the bytes of LDS that an operation touches into `places`: address and number, lane by lane. Whether they are all;
/// if not, it may touch LDS and that does not follow from its LDS address alone, or it touches none.
pub(crate) fn lds_places(wave: &Wave, op: &MemoryOp, places: &mut Vec<(u64, u32)>) -> bool {
    let size = op.transfer.bytes();
    let exec = participants(wave, op);
    places.clear();
    match (&op.transfer, &op.addressing) {
        (Transfer::LdsDma(_), _) => {
            let (written, _) = lds_dma_lane(size);
            places.extend(lanes(exec).map(|lane| (lds_dma_address(wave, op, size, lane), written)));
        }
        (Transfer::LdsDmaStore, _) => {
            places.extend(lanes(exec).map(|lane| (lds_dma_address(wave, op, size, lane), size)));
        }
        (Transfer::AsyncLoad(_) | Transfer::AsyncStore(_), _) => {
            places.extend(lanes(exec).map(|lane| (async_address(wave, op, lane), size)));
        }
        (Transfer::LoadFormat(_) | Transfer::StoreFormat(_), _) => return false,
        (_, &Addressing::Lds { addr: row, offsets, add_tid }) => {
            let mut addr = [0; 64];
            for &offset in &offsets[..op.accesses as usize] {
                lds_addresses(&wave.regs, row, offset, add_tid, &mut addr);
                places.extend(lanes(exec).map(|lane| (addr[lane as usize], size)));
            }
        }
        _ => return false,
    }
    true
}

impl<O: Observer> Cx<'_, O> {
    /// Issue a vector memory or LDS instruction in the general way, which is for all that [`Cx::quick`] does not do.
    pub(super) fn memory(&mut self, wave: &mut Wave, op: &MemoryOp, site: &Site) -> Result<(), Stop> {
        if direction(&op.transfer) == Direction::Atomic {
            self.perform(wave);
        }
        let exec = participants(wave, op);
        let size = op.transfer.bytes();
        let seq = self.sequence(wave, &op.channels);
        if matches!(op.transfer, Transfer::LoadBlock | Transfer::StoreBlock) {
            // CDNA5 ISA 10.6: counted once, however many dwords M0 selects.
            let selected = wave.regs.s[sindex::M0 as usize];
            for n in (0..32).filter(|n| selected >> n & 1 != 0) {
                let dword = op.block_dword(n, wave.regs.chunks as u32);
                self.issue_memory(wave, &dword, site, exec, size, &seq);
            }
            return Ok(());
        }
        if let Transfer::LoadFormat(format) | Transfer::StoreFormat(format) = op.transfer {
            return self.typed(wave, op, format, site, &seq);
        }
        self.issue_memory(wave, op, site, exec, size, &seq);
        Ok(())
    }

    /// Whether a multicast load brings this workgroup nothing: in a cluster, with a mask that leaves it out.
    pub(super) fn left_out(&self, wave: &Wave, op: &MemoryOp) -> bool {
        let mask = wave.regs.s[sindex::M0 as usize] & 0xffff;
        op.multicast && self.cluster.size > 1 && mask != 0 && mask >> wave.id.rank_in_cluster & 1 == 0
    }

    /// Issue what the lanes of `exec` do, under the sequence numbers `seq`.
    fn issue_memory(
        &mut self,
        wave: &mut Wave,
        op: &MemoryOp,
        site: &Site,
        exec: u64,
        size: u32,
        seq: &SmallVec<[(Channel, u32); 2]>,
    ) {
        let mut parts: SmallVec<[(usize, Resolved); 2]> = SmallVec::new();
        for access in 0..op.accesses as usize {
            for part in self.resolve(wave, op, access, exec, size) {
                parts.push((access, part));
            }
        }
        let mut zero = 0;
        for (_, part) in &mut parts {
            zero |= part.zero;
            let lost = self.check_bounds(wave, site, part, direction(&op.transfer), size, op);
            part.mask &= !lost;
            zero |= lost;
        }
        match &op.transfer {
            Transfer::Load(shape) if parts.len() > op.accesses as usize || op.flat => {
                // FLAT lanes in several spaces: one action per space under the same sequence numbers.
                for (i, (access, part)) in parts.into_iter().enumerate() {
                    let zero = if i == 0 { zero } else { 0 };
                    let row = op.dst[access];
                    let action = Action::Load { shape: *shape, rows: [row, 0], zero };
                    self.launch(
                        wave,
                        site,
                        op,
                        seq,
                        smallvec![access_of(part, Direction::Read, size)],
                        action,
                    );
                }
            }
            Transfer::Load(shape) => {
                let mut partial = SmallVec::<[(u32, u32, u64); 4]>::new();
                let mut accesses = SmallVec::new();
                for (_, part) in parts {
                    for &(lane, n) in &part.partial {
                        partial.push((lane, n, part.addr[lane as usize]));
                    }
                    accesses.push(access_of(part, Direction::Read, size));
                }
                let action = if self.left_out(wave, op) {
                    Action::Nothing
                } else {
                    Action::Load { shape: *shape, rows: op.dst, zero }
                };
                let space =
                    if matches!(op.addressing, Addressing::Lds { .. }) { Space::Lds } else { Space::Global };
                self.launch(wave, site, op, seq, accesses, action);
                let chunks = wave.regs.chunks as u32;
                for (lane, n, addr) in partial {
                    for d in 0..n / 4 {
                        let mut one = Box::new([0; 64]);
                        one[lane as usize] = addr + u64::from(d) * 4;
                        let extent = Extent::Lanes { mask: 1 << lane, bytes: 4, addr: one };
                        let access = Access { space, direction: Direction::Read, extent };
                        let dword =
                            crate::shape::LoadShape { bytes: 4, extend: crate::shape::Extend::Dwords };
                        let rows = [op.dst[0] + d * chunks, 0];
                        let action = Action::Load { shape: dword, rows, zero: 0 };
                        self.launch(wave, site, op, seq, smallvec![access], action);
                    }
                }
            }
            &Transfer::LoadTranspose { transpose, bytes, spread } => {
                let part = parts.into_iter().map(|(_, part)| part).find(|part| part.mask != 0);
                // Without a lane it is counted all the same.
                let (accesses, action) = match part {
                    Some(part) => (
                        smallvec![access_of(part, Direction::Read, size)],
                        Action::LoadTranspose { transpose, row: op.dst[0], bytes, spread },
                    ),
                    None => (SmallVec::new(), Action::Nothing),
                };
                self.launch(wave, site, op, seq, accesses, action);
            }
            Transfer::Store(shape) => {
                let dwords = size.div_ceil(4);
                let mut data = Vec::with_capacity((dwords * op.accesses * 64) as usize);
                for &row in &op.data[..op.accesses as usize] {
                    capture(wave, row, dwords, &mut data);
                }
                if shape.high {
                    for x in &mut data {
                        *x >>= 16;
                    }
                }
                let split = op.flat;
                let mut accesses: SmallVec<[Access; 2]> = SmallVec::new();
                for (_, part) in parts {
                    for &(lane, n) in &part.partial {
                        for d in 0..n / 4 {
                            let mut one = Box::new([0; 64]);
                            one[lane as usize] = part.addr[lane as usize] + u64::from(d) * 4;
                            let extent = Extent::Lanes { mask: 1 << lane, bytes: 4, addr: one };
                            let access = Access { space: part.space, direction: Direction::Write, extent };
                            let lanes = wave.regs.lanes() as usize;
                            let from = d as usize * lanes;
                            let action = Action::Store { data: data[from..from + lanes].to_vec() };
                            self.launch(wave, site, op, seq, smallvec![access], action);
                        }
                    }
                    let access = access_of(part, Direction::Write, size);
                    if split {
                        let action = Action::Store { data: data.clone() };
                        self.launch(wave, site, op, seq, smallvec![access], action);
                    } else {
                        accesses.push(access);
                    }
                }
                if !split {
                    self.launch(wave, site, op, seq, accesses, Action::Store { data });
                }
            }
            Transfer::Atomic(shape, returns) => {
                let words = shape.bytes / 4;
                let mut data = Vec::new();
                for &row in &op.data[..op.accesses as usize] {
                    capture(wave, row, words, &mut data);
                    if shape.op.two_data() {
                        capture(wave, op.second, words, &mut data);
                    }
                }
                let lds = matches!(op.addressing, Addressing::Lds { .. });
                let flush = self.atomic_flush(wave, *shape, lds);
                let rows = returns.then_some(op.dst);
                let action = |zero| Action::Atomic { shape: *shape, flush, data: data.clone(), rows, zero };
                if op.flat {
                    for (i, (_, part)) in parts.into_iter().enumerate() {
                        let action = action(if i == 0 { zero } else { 0 });
                        let access = access_of(part, Direction::Atomic, size);
                        self.launch(wave, site, op, seq, smallvec![access], action);
                    }
                } else {
                    let accesses =
                        parts.into_iter().map(|(_, p)| access_of(p, Direction::Atomic, size)).collect();
                    self.launch(wave, site, op, seq, accesses, action(zero));
                }
            }
            Transfer::LdsDma(shape) => {
                let Some((_, part)) = parts.into_iter().next() else { return };
                let (written, _) = lds_dma_lane(size);
                let mut target = lds_dma_target(wave, op, exec, size);
                let lost = self.check_bounds(wave, site, &mut target, Direction::Write, written, op);
                target.mask &= !lost;
                let from = access_of(part, Direction::Read, size);
                let to = access_of(target, Direction::Write, written);
                let action = Action::Copy { zero, extend: Some(*shape) };
                self.launch(wave, site, op, seq, smallvec![from, to], action);
            }
            Transfer::LdsDmaStore => {
                let Some((_, part)) = parts.into_iter().next() else { return };
                let mut source = lds_dma_target(wave, op, exec, size);
                let lost = self.check_bounds(wave, site, &mut source, Direction::Read, size, op);
                source.mask &= !lost;
                let from = access_of(source, Direction::Read, size);
                let to = access_of(part, Direction::Write, size);
                self.launch(wave, site, op, seq, smallvec![from, to], Action::Copy { zero: 0, extend: None });
            }
            Transfer::AsyncLoad(_) | Transfer::AsyncStore(_) => {
                let Some((_, part)) = parts.into_iter().next() else { return };
                let load = matches!(op.transfer, Transfer::AsyncLoad(_));
                let addr = async_addresses(wave, op, exec);
                let lds_side = if load { Direction::Write } else { Direction::Read };
                let mut lds = Resolved { space: Space::Lds, mask: exec, addr, zero: 0, partial: smallvec![] };
                let lost = self.check_bounds(wave, site, &mut lds, lds_side, size, op);
                lds.mask &= !lost;
                if self.left_out(wave, op) {
                    lds.mask = 0;
                }
                let lds = access_of(lds, lds_side, size);
                let accesses = if load {
                    smallvec![access_of(part, Direction::Read, size), lds]
                } else {
                    smallvec![lds, access_of(part, Direction::Write, size)]
                };
                self.launch(wave, site, op, seq, accesses, Action::Copy { zero, extend: None });
            }
            Transfer::AsyncArrive | Transfer::Arrive => {
                let Some((_, part)) = parts.into_iter().next() else { return };
                let arrive = op.transfer == Transfer::Arrive;
                let chunks = wave.regs.chunks;
                let update = if arrive {
                    let row = op.data[0] as usize;
                    (0..64)
                        .map(|lane| {
                            if exec >> lane & 1 == 0 {
                                return 0;
                            }
                            let low = u64::from(wave.regs.lane(row, lane));
                            low | u64::from(wave.regs.lane(row + chunks, lane)) << 32
                        })
                        .collect()
                } else {
                    Vec::new()
                };
                let row = arrive.then_some(op.dst[0]);
                let accesses = smallvec![access_of(part, Direction::Atomic, size)];
                self.launch(wave, site, op, seq, accesses, Action::Arrive { update, row });
            }
            // In operations of their own.
            Transfer::LoadBlock
            | Transfer::StoreBlock
            | Transfer::LoadFormat(_)
            | Transfer::StoreFormat(_) => {}
            Transfer::Append { consume } => {
                let Addressing::Lds { offsets, .. } = op.addressing else { return };
                let Some(first) = lanes(exec).next() else { return };
                let mut addr = Box::new([0; 64]);
                addr[first as usize] = u64::from(offsets[0]);
                let mut part =
                    Resolved { space: Space::Lds, mask: 1 << first, addr, zero: 0, partial: smallvec![] };
                let lost = self.check_bounds(wave, site, &mut part, Direction::Atomic, 4, op);
                part.mask &= !lost;
                let accesses = smallvec![access_of(part, Direction::Atomic, size)];
                let amount = exec.count_ones();
                let by = if *consume { amount.wrapping_neg() } else { amount };
                self.launch(
                    wave,
                    site,
                    op,
                    seq,
                    accesses,
                    Action::Append { by, row: op.dst[0], lanes: exec },
                );
            }
        }
    }

    pub(super) fn atomic_flush(&self, wave: &Wave, shape: AtomicShape, lds: bool) -> Flush {
        if !lds {
            return Flush::default();
        }
        let mode = wave.regs.mode;
        match shape.op {
            AtomicOp::PkAddF16 | AtomicOp::PkAddBf16 => {
                Flush { input: !mode.denorm_in_f16_f64, output: !mode.denorm_out_f16_f64 }
            }
            AtomicOp::AddFloat
            | AtomicOp::MinFloat
            | AtomicOp::MaxFloat
            | AtomicOp::CmpStoreFloat
            | AtomicOp::CmpSwapFloat
                if shape.bytes == 4 =>
            {
                Flush { input: !mode.denorm_in_f32, output: !mode.denorm_out_f32 }
            }
            _ => Flush::default(),
        }
    }

    /// Addresses of access `access` for the lanes of `exec`.
    pub(super) fn resolve(
        &mut self,
        wave: &Wave,
        op: &MemoryOp,
        access: usize,
        exec: u64,
        size: u32,
    ) -> SmallVec<[Resolved; 2]> {
        let regs = &wave.regs;
        let mut addr = Box::new([0u64; 64]);
        let single =
            |space, mask, addr| smallvec![Resolved { space, mask, addr, zero: 0, partial: SmallVec::new() }];
        match &op.addressing {
            Addressing::Lds { addr: row, offsets, add_tid } => {
                lds_addresses(regs, *row, offsets[access], *add_tid, &mut addr);
                single(Space::Lds, exec, addr)
            }
            Addressing::Flat { vaddr, saddr, scale, add_tid, offset } => {
                address::flat(
                    regs,
                    self.facts.signed_vgpr_offset,
                    exec,
                    *vaddr,
                    *saddr,
                    *scale,
                    *add_tid,
                    *offset,
                    &mut addr,
                );
                if op.flat { self.apertures(wave, exec, &addr) } else { single(Space::Global, exec, addr) }
            }
            Addressing::Scratch { vaddr, saddr, scale, offset } => {
                address::scratch(regs, exec, *vaddr, *saddr, *scale, *offset, &mut addr);
                let per_lane = u64::from(wave.scratch_per_lane);
                for lane in lanes(exec) {
                    let at = &mut addr[lane as usize];
                    // Beyond the lane's own scratch is out of bounds, not the next lane's.
                    *at = match at.checked_add(u64::from(size)) {
                        Some(end) if end <= per_lane => *at + u64::from(lane) * per_lane,
                        _ => u64::MAX,
                    };
                }
                single(Space::Scratch, exec, addr)
            }
            Addressing::Buffer { layout, rsrc, index, voffset, soffset, offset } => {
                let typed = matches!(op.transfer, Transfer::LoadFormat(_) | Transfer::StoreFormat(_));
                let resource = BufferResource::read(regs, *layout, *rsrc);
                let resource = if typed { resource.formatted() } else { resource };
                let soffset = regs.s[*soffset as usize];
                let whole = typed || matches!(op.transfer, Transfer::Atomic(..));
                let space = if resource.is_scratch() { Space::Scratch } else { Space::Global };
                let per_lane = u64::from(wave.scratch_per_lane);
                let (mut mask, mut zero) = (0u64, 0u64);
                let mut partial = SmallVec::new();
                for lane in lanes(exec) {
                    let place = resource.place(&BufferAccess {
                        index: index.map(|row| regs.lane(row as usize, lane)),
                        voffset: voffset.map_or(0, |row| regs.lane(row as usize, lane)),
                        soffset,
                        offset: *offset,
                        lane,
                        bytes: size,
                        whole,
                    });
                    addr[lane as usize] = match scratch_place(place.addr, regs.lanes()) {
                        _ if space == Space::Global => place.addr,
                        Some((owner, at)) if at + u64::from(size) <= per_lane => {
                            u64::from(owner) * per_lane + at
                        }
                        _ => u64::MAX,
                    };
                    if place.in_range == size && size != 0 {
                        mask |= 1 << lane;
                    } else {
                        zero |= 1 << lane;
                        if place.in_range != 0 {
                            partial.push((lane, place.in_range));
                        }
                    }
                }
                smallvec![Resolved { space, mask, addr, zero, partial }]
            }
        }
    }

    /// Split flat addresses by aperture.
    fn apertures(&mut self, wave: &Wave, exec: u64, flat: &[u64; 64]) -> SmallVec<[Resolved; 2]> {
        let mut parts: SmallVec<[Resolved; 2]> = SmallVec::new();
        let apertures = ScratchAperture::of(self.facts);
        for lane in lanes(exec) {
            let at = flat[lane as usize];
            let (space, addr) = match address::aperture(apertures, at, lane) {
                Aperture::Global => (Space::Global, at),
                Aperture::Lds(offset) => (Space::Lds, u64::from(offset)),
                Aperture::Scratch(owner, offset) => {
                    let per_lane = u64::from(wave.scratch_per_lane);
                    let inside = u64::from(offset) < per_lane;
                    let addr = u64::from(owner) * per_lane + u64::from(offset);
                    (Space::Scratch, if inside { addr } else { u64::MAX })
                }
                // Reported as an access to global memory, where nothing is allocated.
                Aperture::Hole => (Space::Global, at),
            };
            let part = match parts.iter_mut().position(|p| p.space == space) {
                Some(i) => &mut parts[i],
                None => {
                    let addr = Box::new([0; 64]);
                    parts.push(Resolved { space, mask: 0, addr, zero: 0, partial: SmallVec::new() });
                    let last = parts.len() - 1;
                    &mut parts[last]
                }
            };
            part.mask |= 1 << lane;
            part.addr[lane as usize] = addr;
        }
        parts
    }

    /// Lanes of `part` that touch no memory; they are reported.
    pub(super) fn check_bounds(
        &mut self,
        wave: &mut Wave,
        site: &Site,
        part: &mut Resolved,
        direction: Direction,
        size: u32,
        op: &MemoryOp,
    ) -> u64 {
        let write = direction != Direction::Read;
        let mut lost = 0u64;
        let mut first = None;
        let mut misaligned = None;
        let align = match &op.transfer {
            Transfer::Atomic(shape, _) => u64::from(shape.bytes),
            Transfer::AsyncArrive | Transfer::Arrive => 8,
            _ => 1,
        };
        let mut memories = super::memories(self.global, self.lds, &mut wave.scratch);
        let mut lanes_left = part.mask;
        // One look at the whole span when the lanes are close together.
        let (mut low, mut high) = (u64::MAX, 0);
        for lane in lanes(part.mask) {
            let at = part.addr[lane as usize];
            low = low.min(at);
            high = high.max(at);
            if at & (align - 1) != 0 {
                misaligned = misaligned.or(Some(at));
                lost |= 1 << lane;
            }
        }
        let span = high.wrapping_sub(low).saturating_add(u64::from(size));
        if lanes_left != 0 && low <= high && memories.in_bounds(part.space, low, span, write) {
            lanes_left = 0;
        }
        for lane in lanes(lanes_left) {
            let at = part.addr[lane as usize];
            if !memories.in_bounds(part.space, at, u64::from(size), write) {
                lost |= 1 << lane;
                if part.space != Space::Lds || at < LDS_OFF {
                    first = first.or(Some(at));
                }
            }
        }
        for (lane, n) in &part.partial {
            let at = part.addr[*lane as usize];
            if !memories.in_bounds(part.space, at, u64::from(*n), write) {
                first = first.or(Some(at));
            }
        }
        if let Some(addr) = first {
            part.partial.clear();
            if O::ACTIVE {
                let nearest = match part.space {
                    Space::Global => self.global.nearest(addr),
                    Space::Lds => format!("the workgroup has {} bytes of LDS", self.lds.len()),
                    Space::Scratch => format!("a lane has {} bytes of scratch", wave.scratch_per_lane),
                };
                let fault = Fault::OutOfBounds {
                    space: part.space,
                    direction,
                    addr,
                    bytes: size,
                    lanes: lost,
                    nearest,
                };
                self.observer.fault(wave.id, site, &fault);
            }
        }
        if let Some(addr) = misaligned
            && O::ACTIVE
        {
            let fault = Fault::Misaligned { space: part.space, addr, align: align as u32 };
            self.observer.fault(wave.id, site, &fault);
        }
        lost
    }

    /// New sequence numbers in `channels`.
    pub(super) fn sequence(
        &mut self,
        wave: &mut Wave,
        channels: &[Channel],
    ) -> SmallVec<[(Channel, u32); 2]> {
        channels.iter().map(|&c| wave.queue.next(c)).collect()
    }

    pub(super) fn launch(
        &mut self,
        wave: &mut Wave,
        site: &Site,
        op: &MemoryOp,
        seq: &SmallVec<[(Channel, u32); 2]>,
        accesses: SmallVec<[Access; 2]>,
        action: Action,
    ) {
        let multicast = op.multicast.then(|| wave.regs.s[sindex::M0 as usize]);
        let atomic = direction(&op.transfer) == Direction::Atomic;
        self.issue(wave, site, seq.clone(), accesses, atomic, op.scope, multicast, action);
    }

    /// Put an operation into flight and tell the observer.
    pub(super) fn issue(
        &mut self,
        wave: &mut Wave,
        site: &Site,
        seq: SmallVec<[(Channel, u32); 2]>,
        accesses: SmallVec<[Access; 2]>,
        atomic: bool,
        scope: Scope,
        multicast: Option<u32>,
        action: Action,
    ) {
        self.cluster.next_op += 1;
        let stored = if O::ACTIVE {
            action.stored(&accesses, self.lds, wave.regs.lanes() as usize)
        } else {
            Vec::new()
        };
        let id = OpId(self.cluster.next_op);
        let issue = Issue { id, seq, accesses, atomic, scope, multicast, stored, failed: false };
        if O::ACTIVE {
            self.observer.issued(wave.id, site, &issue);
        }
        wave.queue.push(Pending::new(issue, action, self.cluster.clock));
    }

    /// Issue a scalar load.
    pub(super) fn scalar_load(&mut self, wave: &mut Wave, op: &ScalarLoad, site: &Site) {
        let regs = &wave.regs;
        let soffset = op.soffset.map_or(0, |place| regs.s[place.at() as usize]);
        let offset = i64::from(soffset) * i64::from(op.scale) + op.offset;
        let size = op.shape.bytes;
        let mut len = size;
        let addr = if let Some(layout) = op.buffer {
            let (base, bytes) = BufferResource::read(regs, layout, op.base).scalar();
            let room = bytes.saturating_sub(offset as u64);
            len = len.min(u32::try_from(room & !3).unwrap_or(u32::MAX));
            base.wrapping_add_signed(offset)
        } else {
            regs.s64(op.base).wrapping_add_signed(offset)
        };
        // The two low bits are ignored for dword loads.
        let addr = if size >= 4 { addr & !3 } else { addr };
        if !self.global.in_bounds(addr, u64::from(len), false) {
            if O::ACTIVE {
                let nearest = self.global.nearest(addr);
                let fault = Fault::OutOfBounds {
                    space: Space::Global,
                    direction: Direction::Read,
                    addr,
                    bytes: size,
                    lanes: 1,
                    nearest,
                };
                self.observer.fault(wave.id, site, &fault);
            }
            len = 0;
        }
        let extent = Extent::Runs(vec![(addr, len)]);
        let accesses = smallvec![Access { space: Space::Global, direction: Direction::Read, extent }];
        let action = Action::ScalarLoad { to: op.to, shape: op.shape };
        let seq = self.sequence(wave, &[Channel::Sm]);
        self.issue(wave, site, seq, accesses, false, op.scope, None, action);
    }
}

/// Where the lanes of `exec` write `loaded` bytes each by a copy to LDS of gfx9.
pub(super) fn lds_dma_target(wave: &Wave, op: &MemoryOp, exec: u64, loaded: u32) -> Resolved {
    let mut addr = Box::new([0; 64]);
    lanes(exec).for_each(|lane| addr[lane as usize] = lds_dma_address(wave, op, loaded, lane));
    Resolved { space: Space::Lds, mask: exec, addr, zero: 0, partial: smallvec![] }
}

/// CDNA4 ISA 10.3, 9.1.9: LDS base + M0[17:2] * 4 + offset + lane number times a stride.
fn lds_dma_address(wave: &Wave, op: &MemoryOp, loaded: u32, lane: u32) -> u64 {
    let (_, stride) = lds_dma_lane(loaded);
    let base = u64::from(lds_dma_base(&wave.regs));
    base.wrapping_add_signed(op.lds_offset).wrapping_add(u64::from(lane * stride))
}

/// What M0 adds to it: M0[17:2] * 4.
pub(super) fn lds_dma_base(regs: &Regs) -> u32 {
    regs.s[sindex::M0 as usize] & 0x3fffc
}

pub(super) fn access_of(part: Resolved, direction: Direction, bytes: u32) -> Access {
    Access { space: part.space, direction, extent: Extent::Lanes { mask: part.mask, bytes, addr: part.addr } }
}
