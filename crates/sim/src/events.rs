//! What a run tells its observer.
//!
//! The simulator never judges: it reports what happened, in the order in which it happened, with the static
//! [`Site`] of the instruction. A memory operation is reported twice, when it is issued and when its data have
//! moved; a synchronous view of it is the observer's business. With [`Silent`] as observer none of this code
//! is compiled in.

use smallvec::SmallVec;
use wavemark_isa::Inst;
use wavemark_isa::effects::{Caches, channels_of};
pub use wavemark_isa::effects::{Channel, Counter, Scope, Space};

use crate::lanewise::RowAccess;
use crate::machine::Limit;
use crate::regs::Regs;

/// Number of a wave in the order of their creation; unique in a run.
pub type WaveIndex = u32;

/// A wave and where it belongs; the default one is the first wave of the first workgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaveId {
    /// Unique in the run.
    pub index: WaveIndex,
    /// Coordinates of its workgroup in the grid.
    pub workgroup: [u32; 3],
    /// Flat number of its workgroup in the grid, x fastest.
    pub workgroup_flat: u32,
    /// Flat number of its cluster in the grid of clusters; equals `workgroup_flat` without clusters.
    pub cluster_flat: u32,
    /// Flat number of its workgroup in its cluster, 0 without clusters.
    pub rank_in_cluster: u32,
    /// Number of the wave in its workgroup.
    pub wave: u32,
    /// The waves of its workgroup may be on several CUs, each with a cache of its own: in WGP mode (gfx10 to gfx12), or
    /// with `tg_split` (gfx90a to gfx950).
    pub split: bool,
}

/// One instruction of the program, as observers see it.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its address.
    pub pc: u64,
    /// The instruction.
    pub inst: Inst,
    /// The upper VGPR bits in force here (0 but on gfx1250): see [`wavemark_isa::effects::VgprMsb`].
    pub msb: u8,
}

/// How many channels there are that the simulator executes operations of: those up to [`Channel::Vm`].
pub const CHANNELS: usize = 8;

/// Whether the simulator executes operations of the channel.
pub const fn is_executed(channel: Channel) -> bool {
    (channel as usize) < CHANNELS
}

/// The channels of a counter that the simulator executes operations of.
pub fn executed_channels(counter: Counter) -> impl Iterator<Item = Channel> {
    channels_of(counter).iter().copied().filter(|&channel| is_executed(channel))
}

/// What an access does to its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes at once.
    Atomic,
}

/// The bytes of one access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One address a lane, `bytes` at each.
    Lanes {
        /// Which lanes take part.
        mask: u64,
        /// Bytes per lane.
        bytes: u32,
        /// Address per lane; meaningful where `mask` has the lane.
        addr: Box<[u64; 64]>,
    },
    /// Runs of consecutive bytes (scalar loads: one; tensor DMA: many).
    Runs(Vec<(u64, u32)>),
}

impl Extent {
    /// Which lanes take part; all of them in runs, if there are any.
    pub fn lanes(&self) -> u64 {
        match self {
            Extent::Lanes { mask, .. } => *mask,
            Extent::Runs(runs) if runs.is_empty() => 0,
            Extent::Runs(_) => u64::MAX,
        }
    }
}

/// One side of a memory operation.
#[derive(Clone, Debug)]
pub struct Access {
    /// Where.
    pub space: Space,
    /// What.
    pub direction: Direction,
    /// Which bytes.
    pub extent: Extent,
}

/// Identity of a memory operation, unique in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u64);

/// A memory operation, from issue to completion.
#[derive(Clone, Debug)]
pub struct Issue {
    /// Its identity.
    pub id: OpId,
    /// Where it stands in its wave's channels: sequence numbers count from 1. Two for FLAT operations, none
    /// for what no counter counts.
    pub seq: SmallVec<[(Channel, u32); 2]>,
    /// What it touches: a load or store one access (two for 2-address DS forms), a DMA its source and its
    /// destination.
    pub accesses: SmallVec<[Access; 2]>,
    /// An atomic, or the LDS-barrier arrive of a DMA: accesses with [`Direction::Atomic`] do not race with
    /// each other.
    pub atomic: bool,
    /// Coherence scope.
    pub scope: Scope,
    /// M0 of a cluster (multicast) load.
    pub multicast: Option<u32>,
    /// What a store writes: dword d of lane l of write access i at `(i * dwords + d) * lanes + l`, where `lanes` is the
    /// wave size; of runs, one behind the other, each from a dword on. An atomic's data likewise, the first data before the
    /// second. Empty for the rest.
    pub stored: Vec<u32>,
    /// Once it is done: an atomic that has changed nothing in any lane, as a compare-and-swap found another value, or an exchange
    /// the same.
    pub failed: bool,
}

impl Issue {
    /// One that is yet to be filled in.
    pub(crate) fn blank() -> Issue {
        Issue {
            id: OpId(0),
            seq: SmallVec::new(),
            accesses: SmallVec::new(),
            atomic: false,
            scope: Scope::Cu,
            multicast: None,
            stored: Vec::new(),
            failed: false,
        }
    }
}

/// Which barrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierId {
    /// -1, the workgroup's.
    Workgroup,
    /// -2, the workgroup's for the trap handler.
    WorkgroupTrap,
    /// -3, the cluster's.
    Cluster,
    /// -4, the cluster's for the trap handler.
    ClusterTrap,
    /// 0.
    Null,
    /// 1…16.
    Named(u8),
}

/// A barrier operation that was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierEvent {
    /// `s_barrier_init`, with the expected count.
    Init {
        /// Expected count.
        count: u32,
    },
    /// `s_barrier_join`.
    Join,
    /// `s_barrier_signal`; a count from M0 sets the expected count first.
    Arrive {
        /// The count operand, if any.
        count: Option<u32>,
        /// The arrive counter and expected count before the operation.
        before: (u32, Option<u32>),
    },
    /// `s_barrier_leave`, or the implicit drop at a wave's end (`implicit`).
    Drop {
        /// At the end of the wave.
        implicit: bool,
    },
    /// A phase has completed; its number counts from 0 per object.
    Complete {
        /// Which phase.
        phase: u32,
    },
    /// The wave has started to wait.
    WaitStart,
    /// The wave's wait has ended, bound to `phase` (`None`: nothing to wait for, the hardware does nothing).
    WaitEnd {
        /// The phase it was bound to.
        phase: Option<u32>,
    },
    /// `s_get_barrier_state` was issued.
    GetState,
    /// The operation has no effect on this hardware (not accessible, not allocated, single-wave workgroup).
    Ignored,
}

/// A cache operation (`global_inv`, `global_wb`, `global_wbinv`, `buffer_inv`, `buffer_wbl2`…).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheOp {
    /// Invalidates.
    pub invalidate: bool,
    /// Writes back.
    pub write_back: bool,
    /// Up to which scope.
    pub scope: Scope,
    /// Which caches.
    pub caches: Caches,
}

/// Something that the program did that the machine cannot carry out as meant. The run goes on where hardware
/// would.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// An access outside of every live allocation (global), the LDS allocation or the scratch of the wave.
    OutOfBounds {
        /// Where.
        space: Space,
        /// What.
        direction: Direction,
        /// First offending address.
        addr: u64,
        /// Bytes of the access.
        bytes: u32,
        /// Lanes that are out of bounds.
        lanes: u64,
        /// The nearest allocation in words.
        nearest: String,
    },
    /// An address that the operation needs aligned is not.
    Misaligned {
        /// Where.
        space: Space,
        /// The address.
        addr: u64,
        /// The alignment needed, in bytes.
        align: u32,
    },
    /// `s_trap`.
    Trap {
        /// Its number.
        id: u32,
    },
}

/// Why a wave cannot move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// In a barrier wait.
    Barrier {
        /// The object.
        id: BarrierId,
        /// Arrive count now.
        arrived: u32,
        /// Expected count now.
        expected: Option<u32>,
    },
    /// Sleeping for good, halted.
    Halted,
}

/// The issue of a memory operation that only loads, not written down lane by lane.
#[derive(Clone, Copy, Debug)]
pub struct LoadIssue<'a> {
    /// Its number.
    pub id: OpId,
    /// Its places in its channels.
    pub seq: &'a [(Channel, u32)],
    /// Its coherence scope.
    pub scope: Scope,
    /// What it loads from, and to if it copies.
    pub accesses: &'a [RowAccess<'a>],
}

/// Receives the events of a run.
#[allow(unused_variables)]
pub trait Observer {
    /// Whether the events are wanted at all; `false` compiles them out.
    const ACTIVE: bool = true;
    /// Whether memory operations may be issued lane by lane. The general way does and says the same, but takes longer;
    /// tests hold the two against each other.
    const LANEWISE: bool = true;
    /// Device and host talk to each other in the memory from `from` up to `to`, by a protocol of their own.
    fn shared_with_host(&mut self, from: u64, to: u64) {}
    /// A workgroup starts, with `lds` bytes of LDS and `waves` waves.
    fn workgroup_started(&mut self, workgroup_flat: u32, lds: u32, waves: u32) {}
    /// A workgroup's last wave has ended: its LDS is free.
    fn workgroup_ended(&mut self, workgroup_flat: u32) {}
    /// In a trial: the cluster that is about to end has touched again what it has written to global memory, or written what it
    /// has read there.
    fn touches_again(&mut self) {}
    /// A wave starts; `sgprs` and `vgprs` say which registers dispatch initialised (first numbers).
    fn wave_started(&mut self, wave: WaveId, sgprs: u32, vgprs: u32) {}
    /// A wave is about to execute an instruction with this EXEC, its registers holding `regs`.
    fn instruction(&mut self, wave: WaveId, site: &Site, exec: u64, regs: &Regs) {}
    /// Whether nothing needs to be said of the instructions that a wave is about to execute from this one on, up to one that
    /// does more than compute or may write EXEC, for all of them follow from it; how many they were is said afterwards
    /// ([`Observer::followed`]).
    fn follows(&mut self, wave: WaveId, site: &Site, exec: u64) -> bool {
        false
    }
    /// Whether it has to be told of everything, whatever another observer of the run need not be told of.
    fn wants_everything(&self) -> bool {
        true
    }
    /// Whether the issue of an operation that only loads follows from what is known: it is not told then.
    fn follows_issue(&mut self, wave: WaveId, site: &Site, load: &LoadIssue<'_>) -> bool {
        false
    }
    /// Whether it follows that an operation, whose issue did, is complete now: that is not told then.
    fn follows_completion(&mut self, wave: WaveId, id: OpId) -> bool {
        false
    }
    /// So many instructions have been executed since an observer said that they follow from the first.
    fn followed(&mut self, instructions: usize) {}
    /// A memory operation was issued.
    fn issued(&mut self, wave: WaveId, site: &Site, op: &Issue) {}
    /// The part of a memory operation in global memory is done, though it is not complete: the order of its compute unit's
    /// cache has it come before what other waves do next.
    fn performed(&mut self, wave: WaveId, op: &Issue) {}
    /// The data of a memory operation have moved.
    fn completed(&mut self, wave: WaveId, op: &Issue) {}
    /// A wait was carried out: each counter is at most its number. `implicit`: not an instruction's own
    /// operand but what another one (`s_wait_idle`, `s_endpgm`…) does.
    fn waited(&mut self, wave: WaveId, site: &Site, waits: &[(Counter, u32)]) {}
    /// A barrier operation.
    fn barrier(&mut self, wave: WaveId, site: &Site, id: BarrierId, event: BarrierEvent) {}
    /// A cache operation; it is also issued on a channel, as `op`.
    fn cache(&mut self, wave: WaveId, site: &Site, op: CacheOp, issue: &Issue) {}
    /// A fault.
    fn fault(&mut self, wave: WaveId, site: &Site, fault: &Fault) {}
    /// A wave ends.
    fn wave_ended(&mut self, wave: WaveId, site: &Site) {}
    /// No wave can move.
    fn deadlock(&mut self, waiting: &[(WaveId, Site, Blocked)]) {}
    /// A limit of the run is hit; a wave is here.
    fn limit(&mut self, wave: WaveId, site: &Site, limit: Limit) {}

    /// An observer for some of the clusters, which is told of them one after the other, maybe on another thread; `None` if one
    /// has to see them all. Nothing that a cluster does touches another one then (`machine::side_by_side`).
    fn split(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
    /// Whether this part of an observer has seen something that the whole has to see: what the parts have seen is thrown
    /// away, and the whole is told of the run from its beginning.
    fn gives_up(&self) -> bool {
        false
    }
    /// Whether what there is to say may depend on the order in which the waves of a workgroup go on, since they order each other
    /// by more than the barriers that all of them wait at: by flags, locks, or named barriers.
    fn depends_on_order(&self) -> bool {
        false
    }
    /// What the part of a run on one thread has seen is thrown away: the whole takes over what it has learnt of the code alone,
    /// which it would learn in the same order.
    fn learn_code(&mut self, part: Self)
    where
        Self: Sized,
    {
    }
    /// The whole takes over what its parts have seen.
    fn unite(&mut self, parts: Vec<Self>)
    where
        Self: Sized,
    {
    }
}

/// The observer of a run that nobody watches.
pub struct Silent;

impl Observer for Silent {
    const ACTIVE: bool = false;

    fn split(&self) -> Option<Silent> {
        Some(Silent)
    }
}
