//! What the machine does: waits, barriers, messages, memory. The bound form of the instructions that are not arithmetic.

use smallvec::SmallVec;
use wavemark_isa::buffer_format::Element;
use wavemark_isa::effects::{Crossbar, HwField, HwReg};

use wavemark_target::facts::BufferResource;
use wavemark_target::lds_dma_lane;

use super::address::Addressing;
use crate::address_row::Known;
use crate::atomic::AtomicShape;
use crate::events::{CacheOp, Channel, Counter, Scope, executed_channels};
use crate::lds_copy::{LdsCopyOp, LdsPlaces};
use crate::lds_load::{Landing, LdsLoadOp};
use crate::op::Place;
use crate::shape::{Extend, LoadShape, StoreShape};
use crate::transpose::Transpose;

/// The channels that an operation stands in.
pub type Channels = SmallVec<[Channel; 2]>;

/// What the machine does.
#[derive(Clone, Debug)]
pub enum MachineOp {
    /// Nothing that a functional model shows: hints, priorities, prefetches, `s_nop`.
    Nothing,
    /// Nothing but that a counter counts it: messages, controls of the scalar cache.
    Counted(Channels),
    /// An interrupt of the host, and what counts it.
    Interrupt(Channels),
    /// Wait until each counter is at most its number.
    Wait(Waits),
    /// Wait until everything is done (`s_wait_idle`).
    WaitIdle,
    /// Sleep: let others run.
    Sleep,
    /// The wave ends.
    End,
    /// `s_trap` with its number.
    Trap(u32),
    /// `s_sethalt` with a number that halts.
    Halt,
    /// `s_set_vgpr_msb`: the new low byte.
    SetVgprMsb(u8),
    /// `s_getreg_b32`: destination, register, its field.
    GetReg(u32, HwReg, HwField),
    /// `s_setreg_b32`, `s_setreg_imm32_b32`: register, its field, the value's place.
    SetReg(HwReg, HwField, Place),
    /// `s_round_mode`/`s_denorm_mode`: bits of MODE from `shift`, 4 of them.
    SetModeBits(u32, u32),
    /// A clock: destination, 64 bits, and what counts it.
    Clock(u32, Channels),
    /// `s_sendmsg_rtn`: destination, message, number of registers.
    SendMsgRtn(u32, u32, u8),
    /// A barrier instruction.
    Barrier(BarrierOp),
    /// A vector memory or LDS instruction.
    Memory(Box<MemoryOp>),
    /// A scalar load.
    Scalar(ScalarLoad),
    /// Tensor DMA.
    Tensor(TensorOp),
    /// A cache operation, and what counts it.
    Cache(CacheOp, Channels),
    /// A cross-lane operation through the LDS hardware.
    LanePermute(LanePermute),
}

/// What a wait instruction waits for.
#[derive(Clone, Debug)]
pub struct Waits {
    /// Each counter, to be at most its number.
    pub counters: SmallVec<[(Counter, u32); 3]>,
    /// The same by channel: how many of its youngest operations may be incomplete. A counter above 0 says nothing
    /// about a channel that is out of order.
    pub channels: SmallVec<[(Channel, u32); 4]>,
    /// Those channels, one bit each.
    pub mask: u8,
}

impl Waits {
    /// From the counters that an instruction names.
    pub fn new(counters: SmallVec<[(Counter, u32); 3]>) -> Self {
        let channels = counters
            .iter()
            .flat_map(|&(counter, n)| executed_channels(counter).map(move |channel| (channel, n)))
            .filter(|&(channel, n)| channel.in_order() || n == 0)
            .collect::<SmallVec<[(Channel, u32); 4]>>();
        let mask = channels.iter().fold(0, |mask, &(channel, _)| mask | 1 << channel as u8);
        Waits { counters, channels, mask }
    }
}

/// How a barrier instruction names its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierName {
    /// By number.
    Number(i32),
    /// By `m0`.
    M0,
}

/// A barrier instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierOp {
    /// `s_barrier` of gfx9: arrive and wait.
    ArriveAndWait,
    /// `s_barrier_signal`, and whether SCC is set for the first (`_isfirst`).
    Signal(BarrierName, bool),
    /// `s_barrier_wait`.
    Wait(i32),
    /// `s_barrier_init`.
    Init(BarrierName),
    /// `s_barrier_join`.
    Join(BarrierName),
    /// `s_barrier_leave`.
    Leave,
    /// `s_get_barrier_state` into a scalar.
    GetState(u32, BarrierName),
}

/// How a vector memory instruction moves data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Load into registers, one row per access.
    Load(LoadShape),
    /// Load and transpose.
    LoadTranspose {
        /// How.
        transpose: Transpose,
        /// Bytes of a lane.
        bytes: u32,
        /// The lower 32 lanes load, and what is in the second half of their registers in waves of 32 goes to the lanes 32
        /// further (gfx12.0 in waves of 64).
        spread: bool,
    },
    /// Store registers.
    Store(StoreShape),
    /// Read-modify-write, and whether the old value is returned.
    Atomic(AtomicShape, bool),
    /// gfx9 LDS-DMA: memory to LDS at M0 + offset + lane number times a stride.
    LdsDma(LoadShape),
    /// gfx8 to gfx90a: LDS at M0 + offset + four times the lane number to memory, a dword a lane.
    LdsDmaStore,
    /// gfx1250: memory to LDS at a per-lane address.
    AsyncLoad(u32),
    /// gfx1250: LDS to memory.
    AsyncStore(u32),
    /// Arrive at an LDS barrier when earlier asynchronous copies are done.
    AsyncArrive,
    /// Arrive at an LDS barrier.
    Arrive,
    /// The dwords whose bit in M0 is set go to consecutive registers.
    LoadBlock,
    /// The same from registers.
    StoreBlock,
    /// Elements of a typed buffer to registers, or to LDS.
    LoadFormat(FormatOp),
    /// Registers to elements of a typed buffer.
    StoreFormat(FormatOp),
    /// `ds_append`, `ds_consume`.
    Append {
        /// Subtract instead of add.
        consume: bool,
    },
}

/// What an instruction says of the elements that it loads or stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatOp {
    /// Their format; `None`: the buffer resource says it.
    pub element: Option<Element>,
    /// How many components registers hold.
    pub components: u8,
    /// In 16 bits each.
    pub d16: bool,
    /// Of which the only one is in the high half of its register.
    pub high: bool,
    /// A load to LDS.
    pub to_lds: bool,
}

impl Transfer {
    /// Bytes of one access of a lane; 0 where a buffer resource says it.
    pub fn bytes(&self) -> u32 {
        match self {
            Transfer::Load(s) | Transfer::LdsDma(s) => s.bytes,
            Transfer::Store(s) => s.bytes,
            Transfer::LoadTranspose { bytes: n, .. } | Transfer::AsyncLoad(n) | Transfer::AsyncStore(n) => *n,
            Transfer::Atomic(s, _) => s.bytes,
            Transfer::AsyncArrive | Transfer::Arrive => 8,
            Transfer::LoadFormat(op) | Transfer::StoreFormat(op) => {
                op.element.map_or(0, |element| element.bytes())
            }
            Transfer::Append { .. } | Transfer::LoadBlock | Transfer::StoreBlock | Transfer::LdsDmaStore => 4,
        }
    }
}

/// A vector memory or LDS instruction.
#[derive(Clone, Debug)]
pub struct MemoryOp {
    /// What it does.
    pub transfer: Transfer,
    /// Where.
    pub addressing: Addressing,
    /// What counts it.
    pub channels: Channels,
    /// FLAT: addresses go through the aperture check and count in two counters.
    pub flat: bool,
    /// Number of accesses: 2 for the two-address LDS forms.
    pub accesses: u32,
    /// Rows of destination registers per access.
    pub dst: [u32; 2],
    /// Rows of data registers per access.
    pub data: [u32; 2],
    /// Row of the second datum of compare-and-swap and the like (first access).
    pub second: u32,
    /// Row of LDS addresses of asynchronous copies.
    pub lds_addr: u32,
    /// Immediate offset on the LDS side of a copy.
    pub lds_offset: i64,
    /// Coherence scope.
    pub scope: Scope,
    /// Multicast (`cluster_*`).
    pub multicast: bool,
    /// How a plain load or store is issued if its lanes lie one behind the other.
    pub burst: Option<BurstOp>,
    /// How a load of LDS is issued if all lanes are on.
    pub lds_load: Option<LdsLoadOp>,
    /// How a copy between memory and LDS is issued if all lanes are on.
    pub lds_copy: Option<LdsCopyOp>,
}

/// A plain load or store, as it is issued if its lanes lie one behind the other ([`Burst`](crate::burst::Burst)).
#[derive(Clone, Copy, Debug)]
pub struct BurstOp {
    /// Registers to memory.
    pub store: bool,
    /// Dwords per lane.
    pub dwords: u8,
    /// What counts it.
    pub channel: Channel,
    /// First row of the registers.
    pub row: u32,
    /// Row of the addresses' low or only dword.
    pub addr: u32,
    /// How far apart neighbouring lanes' values in `addr` are.
    pub step: u32,
    /// What multiplies those values.
    pub scale: u32,
    /// What they are added to.
    pub base: BurstBase,
}

/// The part of a [`BurstOp`]'s address that all lanes share.
#[derive(Clone, Copy, Debug)]
pub enum BurstBase {
    /// LDS, from this byte on.
    Lds(u32),
    /// Global memory: a pair of SGPRs and an immediate.
    Scalar(u32, i64),
    /// Global memory: a second address row, the high dword, and an immediate.
    Vector(i64),
}

impl MemoryOp {
    /// Dword `n` of a block load or store, as an operation of its own.
    pub(super) fn block_dword(&self, n: u32, chunks: u32) -> MemoryOp {
        let mut op = self.clone();
        match &mut op.addressing {
            Addressing::Flat { offset, .. } | Addressing::Scratch { offset, .. } => {
                *offset += i64::from(n) * 4
            }
            Addressing::Buffer { .. } | Addressing::Lds { .. } => {}
        }
        op.dst[0] += n * chunks;
        op.data[0] += n * chunks;
        op.transfer = match self.transfer {
            Transfer::LoadBlock => Transfer::Load(LoadShape { bytes: 4, extend: Extend::Dwords }),
            _ => Transfer::Store(StoreShape { bytes: 4, high: false }),
        };
        op
    }

    /// With how it is issued as a burst, a load of LDS or a copy in a wave of so many chunks, if it can be.
    pub(super) fn with_short_forms(mut self, chunks: usize) -> Self {
        let addressed = match self.addressing {
            Addressing::Lds { addr: Some(_), add_tid: false, .. } => true,
            Addressing::Flat { vaddr: Some(_), add_tid: false, .. } => !self.flat,
            _ => false,
        };
        let moves_dwords = match &self.transfer {
            Transfer::Load(shape) => shape.extend == Extend::Dwords,
            Transfer::Store(shape) => !shape.high && shape.bytes % 4 == 0,
            _ => false,
        };
        let plain = addressed && moves_dwords && self.accesses == 1 && self.channels.len() == 1;
        self.burst = if plain && !self.multicast { self.as_burst() } else { None };
        self.lds_load = self.as_lds_load(chunks);
        self.lds_copy = self.as_lds_copy(chunks);
        self
    }

    /// A copy between memory and LDS, of whole dwords of which each lane has its own.
    fn as_lds_copy(&self, chunks: usize) -> Option<LdsCopyOp> {
        let addr = match self.addressing {
            Addressing::Flat { vaddr, .. } if !self.flat => vaddr?,
            Addressing::Buffer { index: None, voffset, .. } => voffset?,
            _ => return None,
        };
        let [channel] = *self.channels.as_slice() else { return None };
        let bytes = self.transfer.bytes();
        let row = LdsPlaces::Row(self.lds_addr, Known::register(self.lds_addr, chunks));
        let (loads, lds) = match self.transfer {
            Transfer::AsyncLoad(_) => (true, row),
            Transfer::AsyncStore(_) => (false, row),
            Transfer::LdsDma(_) => (true, LdsPlaces::Steps(lds_dma_lane(bytes).1)),
            _ => return None,
        };
        let known = Known::register(addr, chunks);
        matches!(bytes, 4 | 8 | 12 | 16).then_some(LdsCopyOp { loads, bytes, channel, addr, known, lds })
    }

    /// A load of LDS whose lanes have an address each.
    fn as_lds_load(&self, chunks: usize) -> Option<LdsLoadOp> {
        let Addressing::Lds { addr: Some(addr), offsets, add_tid: false } = self.addressing else {
            return None;
        };
        let landing = match self.transfer {
            Transfer::Load(shape) if matches!(shape.bytes, 1 | 2 | 4 | 8 | 12 | 16) => Landing::Plain(shape),
            Transfer::LoadTranspose { transpose, spread: false, .. } => Landing::Transposed(transpose),
            _ => return None,
        };
        let accesses = self.accesses as u8;
        (self.channels.as_slice() == [Channel::Ds])
            .then(|| LdsLoadOp::new(landing, accesses, addr, offsets, self.dst, chunks))
    }

    /// A plain load or store as a burst.
    fn as_burst(&self) -> Option<BurstOp> {
        let (store, bytes, row) = match &self.transfer {
            Transfer::Load(shape) => (false, shape.bytes, self.dst[0]),
            Transfer::Store(shape) => (true, shape.bytes, self.data[0]),
            _ => return None,
        };
        let (addr, scale, base) = match self.addressing {
            Addressing::Lds { addr, offsets, .. } => (addr?, 1, BurstBase::Lds(offsets[0])),
            Addressing::Flat { vaddr, saddr: Some(saddr), scale, offset, .. } => {
                (vaddr?, scale, BurstBase::Scalar(saddr, offset))
            }
            Addressing::Flat { vaddr, saddr: None, offset, .. } => (vaddr?, 1, BurstBase::Vector(offset)),
            _ => return None,
        };
        if scale == 0 || bytes % scale != 0 || !matches!(bytes, 4 | 8 | 12 | 16) {
            return None;
        }
        let channel = *self.channels.first()?;
        let (dwords, step) = ((bytes / 4) as u8, bytes / scale);
        Some(BurstOp { store, dwords, channel, row, addr, step, scale, base })
    }
}

/// A scalar load.
#[derive(Clone, Debug)]
pub struct ScalarLoad {
    /// Destination.
    pub to: u32,
    /// Bytes and extension.
    pub shape: LoadShape,
    /// 64-bit base pair, or four SGPRs of a buffer descriptor.
    pub base: u32,
    /// How the buffer descriptor is read, if the base is one.
    pub buffer: Option<BufferResource>,
    /// Scalar offset register, if any.
    pub soffset: Option<Place>,
    /// What multiplies the scalar offset.
    pub scale: u32,
    /// Immediate offset.
    pub offset: i64,
    /// Coherence scope.
    pub scope: Scope,
}

/// A tensor DMA instruction: scalar indices of the descriptor groups.
#[derive(Clone, Copy, Debug)]
pub struct TensorOp {
    /// LDS to memory.
    pub store: bool,
    /// Group 0, 1.
    pub groups: [u32; 2],
    /// Groups 2 and 3, if given.
    pub more: Option<[u32; 2]>,
    /// Coherence scope.
    pub scope: Scope,
}

/// A cross-lane operation through the LDS hardware: no memory is touched, the result is counted like LDS.
#[derive(Clone, Copy, Debug)]
pub struct LanePermute {
    /// What.
    pub kind: Crossbar,
    /// Destination row.
    pub dst: u32,
    /// Row of lane addresses (byte units); the data row for swizzle.
    pub addr: u32,
    /// Data row.
    pub data: u32,
    /// Immediate offset.
    pub offset: u32,
}
