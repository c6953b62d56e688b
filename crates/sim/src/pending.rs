//! Memory operations in flight: what they are, and how their data move.
//!
//! An operation is issued with everything that its instruction read (addresses, store data), and moves its
//! data at completion; between the two the data are nowhere. When it completes is decided by
//! [`Queue`](crate::queue::Queue).

use smallvec::SmallVec;

use crate::atomic::{self, AtomicShape, Flush};
use crate::burst::Captured;
use crate::events::{Access, BarrierId, Extent, Issue, Space};
use crate::global::{Blind, Global};
use crate::lanewise::Lanewise;
use crate::machine::typed::Typed;
use crate::queue::Flight;
use crate::regs::{Chunk, Regs};
use crate::rows;
use crate::shape::{Extend, LoadShape};
use crate::transpose::{self, Transpose};

/// What an operation does when it completes.
#[derive(Clone, Debug)]
pub enum Action {
    /// Nothing: cache operations.
    Nothing,
    /// Load access i into the registers from row `rows[i]`.
    Load {
        /// How bytes become registers.
        shape: LoadShape,
        /// First destination row (chunk index) per access.
        rows: [u32; 2],
        /// Lanes that read 0 because their address is out of range.
        zero: u64,
    },
    /// Store `data` (dword d of lane l of access i at `data[(i * dwords + d) * lanes + l]`).
    Store {
        /// The captured data.
        data: Vec<u32>,
    },
    /// Read-modify-write.
    Atomic {
        /// What.
        shape: AtomicShape,
        /// Denormal flushing.
        flush: Flush,
        /// First data, then second data, as for [`Action::Store`].
        data: Vec<u32>,
        /// Rows for the old values, one per access, if they are wanted.
        rows: Option<[u32; 2]>,
        /// Lanes that return 0 because their address is out of range.
        zero: u64,
    },
    /// Copy access 0 to access 1, lane by lane or run by run; lanes of `zero` write zeros.
    Copy {
        /// Lanes whose source is out of range: the destination gets zeros.
        zero: u64,
        /// Sub-dword loads are extended to a dword on the way (gfx9 LDS-DMA).
        extend: Option<LoadShape>,
    },
    /// Load elements of a typed buffer.
    LoadFormat {
        /// Which.
        typed: Box<Typed>,
        /// First destination row.
        row: u32,
        /// Lanes whose element is out of range.
        zero: u64,
    },
    /// Copy elements of a typed buffer (access 0) to dwords of LDS (access 1).
    CopyFormat {
        /// Which.
        typed: Box<Typed>,
        /// Lanes whose element is out of range.
        zero: u64,
    },
    /// Load with a transpose across lanes.
    LoadTranspose {
        /// Which.
        transpose: Transpose,
        /// First destination row.
        row: u32,
        /// Bytes per lane.
        bytes: u32,
        /// The upper half of the wave receives the second half of the registers ([`transpose::spread`]).
        spread: bool,
    },
    /// Tensor DMA: pieces of (source or zero, destination, length).
    Tensor {
        /// The pieces in order; `None` as source writes zeros.
        pieces: Vec<wavemark_target::TensorPiece>,
        /// LDS goes to global memory.
        store: bool,
        /// LDS barrier to arrive at when the data have moved.
        arrive: Option<u32>,
    },
    /// LDS barrier arrive: subtract from the pending count.
    Arrive {
        /// How much (lane by lane), or 1.
        update: Vec<u64>,
        /// Row pair for the old value, if wanted.
        row: Option<u32>,
    },
    /// Add to one LDS dword and give its old value to all lanes of `lanes`.
    Append {
        /// What to add.
        by: u32,
        /// Destination row.
        row: u32,
        /// Who receives it.
        lanes: u64,
    },
    /// Vector results that arrive late, one per lane of `mask`.
    SetLanes {
        /// Destination row.
        row: u32,
        /// Which lanes.
        mask: u64,
        /// The values.
        values: Vec<u32>,
    },
    /// Scalar load into canonical scalar index `to`.
    ScalarLoad {
        /// Destination.
        to: u32,
        /// How bytes become registers.
        shape: LoadShape,
    },
    /// A scalar result that arrives late.
    SetScalar {
        /// Destination; `None`: SCC.
        to: Option<u32>,
        /// The values, one per register.
        values: [u32; 2],
        /// How many of them.
        count: u8,
        /// The barrier that the wave has arrived at by it: who has waited there has the result.
        barrier: Option<BarrierId>,
    },
}

impl Action {
    /// It is a wave's that has waited at a barrier: what an arrival there has yet to write is written.
    pub fn pass_barrier(&mut self, regs: &mut Regs, id: BarrierId) {
        if let Action::SetScalar { to: None, values, barrier, .. } = self
            && *barrier == Some(id)
        {
            regs.scc = values[0] != 0;
            *self = Action::Nothing;
        }
    }

    /// What it writes to memory as observers hear of it ([`Issue::stored`]), for a wave of so many lanes.
    pub(crate) fn stored(&self, accesses: &[Access], lds: &[u8], wave_lanes: usize) -> Vec<u32> {
        let mut words = Vec::new();
        match (self, accesses) {
            (Action::Store { data } | Action::Atomic { data, .. }, _) => words.clone_from(data),
            (Action::Tensor { pieces, store: true, .. }, _) => {
                let stored = pieces.iter().filter(|piece| piece.global.is_some());
                words.extend(stored.flat_map(|piece| held(lds, piece.lds.into(), piece.bytes)));
            }
            (Action::Copy { extend: None, .. }, [from, to]) => {
                copied_from_lds(&mut words, from, to, lds, wave_lanes);
            }
            _ => {}
        }
        words
    }
}

/// What a copy of lanes from LDS to global memory writes, as observers hear of it. It is what is there now: a program that
/// changes it before the copy is complete is wrong by that alone.
pub(crate) fn copied_from_lds(
    words: &mut Vec<u32>,
    from: &Access,
    to: &Access,
    lds: &[u8],
    wave_lanes: usize,
) {
    if (from.space, to.space) != (Space::Lds, Space::Global) {
        return;
    }
    let ((mask, bytes, source), (to_mask, ..)) = (lane_extent(from), lane_extent(to));
    words.resize(bytes.div_ceil(4) as usize * wave_lanes, 0);
    for lane in lanes(mask & to_mask) {
        for (dword, word) in held(lds, source[lane as usize], bytes).enumerate() {
            words[dword * wave_lanes + lane as usize] = word;
        }
    }
}

/// The dwords of `bytes` bytes of LDS from `at` on.
fn held(lds: &[u8], at: u64, bytes: u32) -> impl Iterator<Item = u32> {
    let held = usize::try_from(at).ok().and_then(|at| lds.get(at..at.checked_add(bytes as usize)?));
    let dwords = held.unwrap_or_default().chunks(4);
    dwords.map(|dword| dword.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)))
}

/// An operation in flight.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What observers know of it.
    pub issue: Issue,
    /// What it does.
    pub action: Action,
    /// Machine time of its issue, in instructions.
    pub issued_at: u64,
    /// First byte and the byte behind the last of each access, to tell cheaply that two cannot meet.
    pub hulls: SmallVec<[(u64, u64); 2]>,
    /// Its part in global memory is done.
    pub performed: bool,
    /// What that has read, by lanes.
    held: Option<Box<Held>>,
}

/// The first bytes of what each lane has read.
type Held = [[u8; 16]; 64];

impl Pending {
    /// An operation issued at machine time `issued_at`.
    pub fn new(issue: Issue, action: Action, issued_at: u64) -> Box<Pending> {
        let hulls = issue.accesses.iter().map(hull).collect();
        Box::new(Pending { issue, action, issued_at, hulls, performed: false, held: None })
    }

    /// Do its part in global memory, if it has one that is not done and comes first; whether it has. `full` is the mask of
    /// all lanes.
    pub fn perform(&mut self, full: u64, memories: &mut Memories<'_>) -> bool {
        let Some(access) = self.issue.accesses.first().filter(|access| access.space == Space::Global) else {
            return false;
        };
        // Scalar loads go through a cache of their own.
        let Extent::Lanes { mask, bytes, addr } = &access.extent else { return false };
        if self.performed {
            return false;
        }
        let mut held = Box::new([[0; 16]; 64]);
        let mut failed = false;
        let action = match &self.action {
            Action::Load { .. }
            | Action::LoadFormat { .. }
            | Action::LoadTranspose { .. }
            | Action::Copy { .. }
            | Action::CopyFormat { .. } => {
                for lane in lanes(*mask) {
                    let into = &mut held[lane as usize][..*bytes as usize];
                    memories.read(Space::Global, addr[lane as usize], into);
                }
                None
            }
            Action::Store { data } => {
                store_lanes(memories, Space::Global, *mask, full, addr, *bytes, data);
                Some(Action::Nothing)
            }
            Action::Atomic { shape, flush, data, rows, zero } => {
                let count = full.count_ones();
                let returns = rows.is_some();
                failed = atomic_lanes(memories, access, *shape, *flush, data, count, returns, |lane, old| {
                    held[lane as usize][..8].copy_from_slice(&old.to_le_bytes());
                });
                let shape = LoadShape { bytes: shape.bytes, extend: Extend::Dwords };
                Some(rows.map_or(Action::Nothing, |rows| Action::Load { shape, rows, zero: *zero }))
            }
            _ => return false,
        };
        self.action = action.unwrap_or_else(|| std::mem::replace(&mut self.action, Action::Nothing));
        (self.performed, self.held) = (true, Some(held));
        self.issue.failed = failed;
        true
    }
}

/// Completed lane-wise operations, to be used again with their buffers.
#[derive(Debug, Default)]
pub struct Pool {
    /// The data of bursts.
    pub captured: Captured,
    #[expect(clippy::vec_box, reason = "operations move between queue and pool without being copied")]
    lanewise: Vec<Box<Lanewise>>,
}

impl Pool {
    /// A lane-wise operation, with any contents.
    #[inline]
    pub fn lanewise(&mut self) -> Box<Lanewise> {
        self.lanewise.pop().unwrap_or_else(Lanewise::blank)
    }
    /// Take a completed operation back.
    #[inline]
    pub fn recycle(&mut self, flight: Flight) {
        if let Flight::Lanewise(mut lanewise) = flight {
            lanewise.performed = false;
            self.lanewise.push(lanewise);
        }
    }
}

/// Memories that a completing operation reaches.
pub struct Memories<'a> {
    /// Global memory.
    pub global: &'a mut Global,
    /// The workgroup's LDS.
    pub lds: &'a mut [u8],
    /// The wave's scratch, lane after lane.
    pub scratch: &'a mut [u8],
}

impl Memories<'_> {
    #[inline]
    pub(crate) fn bytes(&mut self, space: Space, addr: u64, len: u64) -> Option<&[u8]> {
        let local: &[u8] = match space {
            Space::Global => return self.global.slice(addr, len),
            Space::Lds => self.lds,
            Space::Scratch => self.scratch,
        };
        let from = usize::try_from(addr).ok()?;
        local.get(from..from.checked_add(len as usize)?)
    }

    /// Bytes of which the caller writes every one; those of global memory it may not read.
    #[inline]
    pub(crate) fn bytes_mut(&mut self, space: Space, addr: u64, len: u64) -> Option<&mut [u8]> {
        let local: &mut [u8] = match space {
            Space::Global => return self.global.slice_to_store(addr, len),
            Space::Lds => self.lds,
            Space::Scratch => self.scratch,
        };
        let from = usize::try_from(addr).ok()?;
        local.get_mut(from..from.checked_add(len as usize)?)
    }

    fn read(&mut self, space: Space, addr: u64, into: &mut [u8]) {
        match self.bytes(space, addr, into.len() as u64) {
            Some(bytes) => into.copy_from_slice(bytes),
            None => into.fill(0),
        }
    }

    fn write(&mut self, space: Space, addr: u64, from: &[u8]) {
        if let Some(bytes) = self.bytes_mut(space, addr, from.len() as u64) {
            bytes.copy_from_slice(from);
        }
    }

    /// Whether all bytes exist (and can be written).
    pub fn in_bounds(&mut self, space: Space, addr: u64, len: u64, write: bool) -> bool {
        match space {
            Space::Global => self.global.in_bounds(addr, len, write),
            _ => self.bytes(space, addr, len).is_some(),
        }
    }
}

/// The lanes of a mask, ascending.
#[inline]
pub fn lanes(mask: u64) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        Some(lane)
    })
}

/// Whether the whole wave is on and lane l's address is `addr[0] + l * bytes`.
#[inline]
fn contiguous(addr: &[u64; 64], mask: u64, full: u64, bytes: u32) -> bool {
    if mask != full {
        return false;
    }
    let count = full.count_ones() as usize;
    let base = addr[0];
    let mut odd = 0;
    for (lane, a) in addr.iter().enumerate().take(count) {
        odd |= a.wrapping_sub(base) ^ (lane as u64 * u64::from(bytes));
    }
    odd == 0
}

fn load_lanes(
    regs: &mut Regs,
    memories: &mut Memories<'_>,
    space: Space,
    mask: u64,
    addr: &[u64; 64],
    shape: LoadShape,
    row: usize,
    zero: u64,
    held: Option<&Held>,
) {
    let chunks = regs.chunks;
    let dwords = shape.dwords() as usize;
    if held.is_none()
        && shape.extend == Extend::Dwords
        && contiguous(addr, mask, regs.full_mask(), shape.bytes)
        && let Some(bytes) = memories.bytes(space, addr[0], u64::from(regs.lanes() * shape.bytes))
    {
        rows::load(&mut regs.v[row..row + dwords * chunks], chunks, dwords, bytes);
        return;
    }
    for lane in lanes(mask | zero) {
        let raw = element_of(memories, held, space, mask, lane, addr, shape.bytes);
        for d in 0..dwords {
            let word = u32::from_le_bytes([raw[d * 4], raw[d * 4 + 1], raw[d * 4 + 2], raw[d * 4 + 3]]);
            let at = row + d * chunks;
            let value = shape.widening().of(regs.lane(at, lane), word);
            regs.set_lane(at, lane, value);
        }
    }
}

fn store_lanes(
    memories: &mut Memories<'_>,
    space: Space,
    mask: u64,
    full: u64,
    addr: &[u64; 64],
    bytes: u32,
    data: &[u32],
) {
    let dwords = bytes.div_ceil(4) as usize;
    let count = full.count_ones() as usize;
    if bytes.is_multiple_of(4)
        && contiguous(addr, mask, full, bytes)
        && let Some(out) = memories.bytes_mut(space, addr[0], count as u64 * u64::from(bytes))
    {
        rows::store(data, count / 16, dwords, out);
        return;
    }
    for lane in lanes(mask) {
        let mut raw = [0u8; 16];
        for d in 0..dwords {
            raw[d * 4..d * 4 + 4].copy_from_slice(&data[d * count + lane as usize].to_le_bytes());
        }
        memories.write(space, addr[lane as usize], &raw[..bytes as usize]);
    }
}

fn read_word(memories: &mut Memories<'_>, space: Space, addr: u64, bytes: u32) -> u64 {
    let mut raw = [0u8; 8];
    memories.read(space, addr, &mut raw[..bytes as usize]);
    u64::from_le_bytes(raw)
}

fn write_word(memories: &mut Memories<'_>, space: Space, addr: u64, bytes: u32, value: u64) {
    memories.write(space, addr, &value.to_le_bytes()[..bytes as usize]);
}

/// Width of the pending count of an LDS barrier cell; the bits above it up to bit 31 are the phase. The
/// hardware can be configured (CDNA5 ISA 11.2.2: 21, 28, 29, 31, 32); compilers assume 29.
const PENDING_COUNT_BITS: u32 = 29;

/// The LDS barrier cell after an arrive of `update` (CDNA5 ISA 11.2.2): the pending count goes down; if it
/// rolls under, the borrow has gone into the phase, and the count starts again from the init count.
pub fn barrier_cell_after(old: u64, update: u64) -> u64 {
    let count_mask = (1u32 << PENDING_COUNT_BITS) - 1;
    let init = (old >> 32) as u32 & 0xffff;
    let state = old as u32;
    let mut new = state.wrapping_sub(update as u32);
    if u64::from(state & count_mask) < update {
        new = (new & !count_mask) | init;
    }
    (old & 0xffff_ffff_0000_0000) | u64::from(new)
}

fn lane_extent(access: &Access) -> (u64, u32, &[u64; 64]) {
    match &access.extent {
        Extent::Lanes { mask, bytes, addr } => (*mask, *bytes, addr),
        Extent::Runs(_) => unreachable!("a lane operation has lane extents"),
    }
}

/// The element of a lane, `held` if it has been read; zeros if it is not one of `mask`.
fn element_of(
    memories: &mut Memories<'_>,
    held: Option<&Held>,
    space: Space,
    mask: u64,
    lane: u32,
    addr: &[u64; 64],
    bytes: u32,
) -> [u8; 16] {
    let mut raw = [0; 16];
    match held {
        _ if mask >> lane & 1 == 0 => {}
        Some(held) => raw = held[lane as usize],
        None => memories.read(space, addr[lane as usize], &mut raw[..bytes as usize]),
    }
    raw
}

/// Read-modify-write of an access, with its first and second data as in [`Action::Atomic`]; `visit` gets what each lane
/// has found, which is wanted if it `returns`. Whether it is a compare-and-swap that has stored nothing.
fn atomic_lanes(
    memories: &mut Memories<'_>,
    access: &Access,
    shape: AtomicShape,
    flush: Flush,
    data: &[u32],
    count: u32,
    returns: bool,
    mut visit: impl FnMut(u32, u64),
) -> bool {
    let (words, count) = ((shape.bytes / 4) as usize, count as usize);
    let word = |from: usize, lane: u32| {
        let low = u64::from(data[from * count + lane as usize]);
        let high = if words == 2 { u64::from(data[(from + 1) * count + lane as usize]) } else { 0 };
        low | high << 32
    };
    let (mask, _, addr) = lane_extent(access);
    let mut failed = true;
    let puts_off =
        !returns && !shape.op.two_data() && access.space == Space::Global && memories.global.puts_off();
    for lane in lanes(mask) {
        let at = addr[lane as usize];
        if puts_off {
            let [low, high] = [0, 32].map(|shift| (word(0, lane) >> shift) as u32);
            let (data, range) = ([Chunk::splat(low), Chunk::splat(high)], (at, at + u64::from(shape.bytes)));
            let (at, data) = (&[Chunk::ZERO], &data[..words]);
            memories.global.put_off(Blind { shape, flush, range, mask: 1, at, data });
            failed = false;
            continue;
        }
        let old = read_word(memories, access.space, at, shape.bytes);
        let second = if shape.op.two_data() { word(words, lane) } else { 0 };
        let new = atomic::apply(shape, old, word(0, lane), second, flush);
        write_word(memories, access.space, at, shape.bytes, new);
        failed &= shape.op.changed_nothing(old, word(0, lane), second);
        visit(lane, old);
    }
    failed
}

/// Move the data of a completing operation.
pub fn complete(regs: &mut Regs, memories: &mut Memories<'_>, pending: &mut Pending) {
    let accesses = &pending.issue.accesses;
    let held = pending.held.as_deref();
    match &pending.action {
        Action::Nothing => {}
        Action::Load { shape, rows, zero } => {
            for (access, &row) in accesses.iter().zip(rows) {
                let (mask, _, addr) = lane_extent(access);
                load_lanes(regs, memories, access.space, mask, addr, *shape, row as usize, *zero, held);
            }
        }
        Action::Store { data } => {
            let full = regs.full_mask();
            let mut from = 0;
            for access in accesses {
                let (mask, bytes, addr) = lane_extent(access);
                store_lanes(memories, access.space, mask, full, addr, bytes, &data[from..]);
                from += bytes.div_ceil(4) as usize * full.count_ones() as usize;
            }
        }
        Action::Atomic { shape, flush, data, rows, zero } => {
            let words = (shape.bytes / 4) as usize;
            let count = regs.lanes();
            let operands = if shape.op.two_data() { 2 } else { 1 };
            let per_access = words * operands * count as usize;
            let mut failed = true;
            for (i, access) in accesses.iter().enumerate() {
                let row = rows.map(|rows| rows[i] as usize);
                let data = &data[i * per_access..];
                let returns = rows.is_some();
                failed &=
                    atomic_lanes(memories, access, *shape, *flush, data, count, returns, |lane, old| {
                        if let Some(row) = row {
                            set_words(regs, row, lane, words, old);
                        }
                    });
                if let Some(row) = row {
                    lanes(*zero).for_each(|lane| set_words(regs, row, lane, words, 0));
                }
            }
            pending.issue.failed = failed;
        }
        Action::Copy { zero, extend: shape } => {
            let (from, to) = (&accesses[0], &accesses[1]);
            let (mask, bytes, source) = lane_extent(from);
            let (to_mask, to_bytes, target) = lane_extent(to);
            for lane in lanes(to_mask) {
                if (mask | zero) >> lane & 1 == 0 {
                    continue;
                }
                let mut raw = element_of(memories, held, from.space, mask, lane, source, bytes);
                if let Some(shape) = shape
                    && shape.bytes < 4
                {
                    let word = u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]);
                    raw[..4].copy_from_slice(&shape.widening().of(0, word).to_le_bytes());
                }
                memories.write(to.space, target[lane as usize], &raw[..to_bytes as usize]);
            }
        }
        Action::LoadFormat { typed, row, zero } => {
            let (mask, bytes, addr) = lane_extent(&accesses[0]);
            for lane in lanes(mask | zero) {
                let raw = element_of(memories, held, accesses[0].space, mask, lane, addr, bytes);
                let at = |n: u32| *row as usize + n as usize * regs.chunks;
                let values = typed.load(&raw, |n| regs.lane(at(n), lane));
                for (n, value) in (0..).zip(values) {
                    let at = *row as usize + n * regs.chunks;
                    regs.set_lane(at, lane, value);
                }
            }
        }
        Action::CopyFormat { typed, zero } => {
            let (mask, bytes, source) = lane_extent(&accesses[0]);
            let (to_mask, _, target) = lane_extent(&accesses[1]);
            for lane in lanes(to_mask & (mask | zero)) {
                let raw = element_of(memories, held, accesses[0].space, mask, lane, source, bytes);
                let value = typed.load(&raw, |_| 0).first().copied().unwrap_or(0);
                memories.write(accesses[1].space, target[lane as usize], &value.to_le_bytes());
            }
        }
        Action::Append { by, row, lanes: receivers } => {
            let (mask, _, addr) = lane_extent(&accesses[0]);
            let mut old = 0;
            if let Some(lane) = lanes(mask).next() {
                old = read_word(memories, Space::Lds, addr[lane as usize], 4);
                let new = u64::from((old as u32).wrapping_add(*by));
                write_word(memories, Space::Lds, addr[lane as usize], 4, new);
            }
            for lane in lanes(*receivers) {
                regs.set_lane(*row as usize, lane, old as u32);
            }
        }
        Action::SetLanes { row, mask, values } => {
            for lane in lanes(*mask) {
                regs.set_lane(*row as usize, lane, values[lane as usize]);
            }
        }
        Action::LoadTranspose { transpose, row, bytes, spread } => {
            let (mask, _, addr) = lane_extent(&accesses[0]);
            let mut read = [0u8; 16 * 64];
            let size = *bytes as usize;
            for lane in lanes(mask) {
                let raw = element_of(memories, held, accesses[0].space, mask, lane, addr, *bytes);
                read[lane as usize * size..][..size].copy_from_slice(&raw[..size]);
            }
            let chunks = regs.chunks;
            let row = *row as usize;
            if *spread {
                transpose::spread(*transpose, &read[..32 * size], &mut regs.v[row..][..size / 8 * chunks]);
            } else {
                let out = &mut regs.v[row..][..size / 4 * chunks];
                transpose::apply(*transpose, &read[..16 * chunks * size], chunks, out);
            }
        }
        Action::Tensor { pieces, store, arrive } => {
            let mut buffer = Vec::new();
            for piece in pieces {
                buffer.clear();
                buffer.resize(piece.bytes as usize, 0);
                if *store {
                    if let Some(global) = piece.global {
                        memories.read(Space::Lds, u64::from(piece.lds), &mut buffer);
                        memories.write(Space::Global, global, &buffer);
                    }
                } else {
                    if let Some(global) = piece.global {
                        memories.read(Space::Global, global, &mut buffer);
                    }
                    memories.write(Space::Lds, u64::from(piece.lds), &buffer);
                }
            }
            if let Some(cell) = arrive {
                let old = read_word(memories, Space::Lds, u64::from(*cell), 8);
                write_word(memories, Space::Lds, u64::from(*cell), 8, barrier_cell_after(old, 1));
            }
        }
        Action::Arrive { update, row } => {
            let (mask, _, addr) = lane_extent(&accesses[0]);
            for lane in lanes(mask) {
                let at = addr[lane as usize];
                let old = read_word(memories, Space::Lds, at, 8);
                let by = update.get(lane as usize).copied().unwrap_or(1);
                write_word(memories, Space::Lds, at, 8, barrier_cell_after(old, by));
                if let Some(row) = row {
                    set_words(regs, *row as usize, lane, 2, old);
                }
            }
        }
        Action::ScalarLoad { to, shape } => {
            let Extent::Runs(runs) = &accesses[0].extent else { return };
            let Some(&(addr, len)) = runs.first() else { return };
            let mut raw = [0u8; 64];
            memories.read(Space::Global, addr, &mut raw[..len as usize]);
            for d in 0..shape.dwords() {
                let at = d as usize * 4;
                let word = u32::from_le_bytes([raw[at], raw[at + 1], raw[at + 2], raw[at + 3]]);
                set_scalar(regs, to + d, shape.widening().of(0, word));
            }
        }
        Action::SetScalar { to, values, count, .. } => match to {
            None => regs.scc = values[0] != 0,
            Some(to) => {
                for (i, &value) in values.iter().take(usize::from(*count)).enumerate() {
                    set_scalar(regs, to + i as u32, value);
                }
            }
        },
    }
}

/// Write a scalar register by canonical index; `null` swallows it, EXEC refreshes what follows from it.
pub fn set_scalar(regs: &mut Regs, at: u32, value: u32) {
    use crate::regs::sindex::{EXEC, NULL};
    if at == NULL || at == NULL + 1 {
        return;
    }
    regs.s[at as usize] = value;
    if at == EXEC || at == EXEC + 1 {
        regs.exec_changed();
    }
}

fn set_words(regs: &mut Regs, row: usize, lane: u32, words: usize, value: u64) {
    let chunks = regs.chunks;
    for w in 0..words {
        regs.set_lane(row + w * chunks, lane, (value >> (32 * w)) as u32);
    }
}

/// First byte of an access and the byte behind its last.
fn hull(access: &Access) -> (u64, u64) {
    match &access.extent {
        Extent::Lanes { mask, bytes, addr } => {
            let (mut low, mut high) = (u64::MAX, 0);
            for lane in lanes(*mask) {
                low = low.min(addr[lane as usize]);
                high = high.max(addr[lane as usize].saturating_add(u64::from(*bytes)));
            }
            (low, high)
        }
        Extent::Runs(runs) => runs.iter().fold((u64::MAX, 0), |(low, high), &(at, len)| {
            (low.min(at), high.max(at.saturating_add(u64::from(len))))
        }),
    }
}
