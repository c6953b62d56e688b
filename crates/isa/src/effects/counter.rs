//! Counters and what they count: which queues of a wave an instruction stands in, and which counter of a
//! generation counts each queue.
//!
//! Rows do not name counters. A row says what its instruction does to memory, and [`channels`] derives the
//! queues from that and the generation; rows that are counted otherwise name their queues (`cnt=`). Follows
//! CDNA4 manual 4.4, CDNA5 manual 5.6, LLVM's *User Guide for AMDGPU Backend*, "Memory Model".

use smallvec::{SmallVec, smallvec};
use wavemark_target::Machine;
pub use wavemark_target::facts::WaitCounter as Counter;

use super::memory::{Memory, Path, Verb};

/// A queue of a wave's operations that one counter counts in one order. All are in order but [`Channel::Sm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Channel {
    /// Vector loads and returning atomics (gfx12 on; before, [`Channel::Vm`]).
    Ld,
    /// Vector stores and other atomics (gfx10 on).
    St,
    /// LDS operations.
    Ds,
    /// Scalar memory, messages, barrier state: out of order.
    Sm,
    /// Asynchronous loads to LDS, and the stores where all are in one queue ([`Machine::one_async_queue`]).
    Al,
    /// Asynchronous stores from LDS.
    As,
    /// Tensor DMA.
    Td,
    /// All vector memory before gfx10: loads, stores, LDS-DMA; on gfx10 and gfx11 what returns data.
    Vm,
    /// Exports, global wave sync and global data share.
    Ex,
    /// Image samples (gfx12 on).
    Sa,
    /// Ray tracing (gfx12 on).
    Bv,
}

impl Channel {
    /// All of them.
    pub const ALL: [Channel; 11] = [
        Channel::Ld,
        Channel::St,
        Channel::Ds,
        Channel::Sm,
        Channel::Al,
        Channel::As,
        Channel::Td,
        Channel::Vm,
        Channel::Ex,
        Channel::Sa,
        Channel::Bv,
    ];

    /// Whether its operations complete in the order of issue, so that a wait for a number above 0 says something.
    pub const fn in_order(self) -> bool {
        !matches!(self, Channel::Sm)
    }

    /// What rows and files call it.
    pub const fn name(self) -> &'static str {
        match self {
            Channel::Ld => "ld",
            Channel::St => "st",
            Channel::Ds => "ds",
            Channel::Sm => "sm",
            Channel::Al => "al",
            Channel::As => "as",
            Channel::Td => "td",
            Channel::Vm => "vm",
            Channel::Ex => "ex",
            Channel::Sa => "sample",
            Channel::Bv => "bvh",
        }
    }

    /// The channel of this name.
    pub fn named(name: &str) -> Option<Channel> {
        Channel::ALL.into_iter().find(|channel| channel.name() == name)
    }
}

/// The channels whose operations a counter counts. XCNT counts address translations: it guards registers that replay
/// needs, not data, and no queue of data moves it.
pub const fn channels_of(counter: Counter) -> &'static [Channel] {
    match counter {
        Counter::Load => &[Channel::Ld],
        Counter::Sample => &[Channel::Sa],
        Counter::Bvh => &[Channel::Bv],
        Counter::Store | Counter::Vs => &[Channel::St],
        Counter::Ds => &[Channel::Ds],
        Counter::Km => &[Channel::Sm],
        Counter::Async => &[Channel::Al, Channel::As],
        Counter::Tensor => &[Channel::Td],
        Counter::X => &[],
        Counter::Exp => &[Channel::Ex],
        Counter::Vm => &[Channel::Vm],
        Counter::Lgkm => &[Channel::Ds, Channel::Sm],
    }
}

/// The counters of a machine, and what they count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterSet {
    generation: Generation,
    /// Each with its bits.
    counters: &'static [(Counter, u8)],
    one_async_queue: bool,
}

/// Which kinds of operations share counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generation {
    /// gfx6 to gfx9: VM_CNT for all vector memory, LGKM_CNT, EXP_CNT.
    Vm,
    /// gfx10 and gfx11: stores have VSCNT.
    VmVs,
    /// gfx12 on: a counter for each kind.
    Split,
}

impl CounterSet {
    /// Those of a machine.
    pub fn of(machine: Machine) -> CounterSet {
        let counters = machine.facts().counters;
        let has = |wanted| counters.iter().any(|&(counter, _)| counter == wanted);
        let generation = match (has(Counter::Load), has(Counter::Vs)) {
            (true, _) => Generation::Split,
            (_, true) => Generation::VmVs,
            _ => Generation::Vm,
        };
        CounterSet { generation, counters, one_async_queue: machine.one_async_queue }
    }

    /// The counters.
    pub fn counters(self) -> impl Iterator<Item = Counter> {
        self.counters.iter().map(|&(counter, _)| counter)
    }

    /// The counters, each with the most operations that can be outstanding: issue stalls beyond it.
    pub fn capacities(self) -> impl Iterator<Item = (Counter, u32)> {
        self.counters.iter().map(|&(counter, bits)| (counter, (1 << bits) - 1))
    }

    /// The most operations of a counter that can be outstanding ([`CounterSet::capacities`]).
    pub fn capacity(self, counter: Counter) -> u32 {
        let own = self.capacities().find(|&(own, _)| own == counter);
        own.map_or(u32::MAX, |(_, capacity)| capacity)
    }

    /// The counter that counts operations of `channel`.
    pub const fn counter_of(self, channel: Channel) -> Counter {
        match (channel, self.generation) {
            (Channel::Ds | Channel::Sm, Generation::Vm | Generation::VmVs) => Counter::Lgkm,
            (Channel::St, Generation::Vm) => Counter::Vm,
            (Channel::St, Generation::VmVs) => Counter::Vs,
            (Channel::Ld, _) => Counter::Load,
            (Channel::Sa, _) => Counter::Sample,
            (Channel::Bv, _) => Counter::Bvh,
            (Channel::St, _) => Counter::Store,
            (Channel::Ds, _) => Counter::Ds,
            (Channel::Sm, _) => Counter::Km,
            (Channel::Al | Channel::As, _) => Counter::Async,
            (Channel::Td, _) => Counter::Tensor,
            (Channel::Vm, _) => Counter::Vm,
            (Channel::Ex, _) => Counter::Exp,
        }
    }
}

/// The channels that an operation on memory stands in.
///
/// An invalidate before gfx12 stands in none. The manuals say that it returns an acknowledgement, not which counter takes it
/// back; LLVM does not count it (`SIInsertWaitcnts`), so that no wait of its code leaves one in flight in place of a load. What
/// is behind an invalidate need not wait for it, either.
pub(super) fn channels(set: CounterSet, memory: &Memory) -> SmallVec<[Channel; 2]> {
    let vector = match (set.generation, memory.verb) {
        (_, Verb::Prefetch) => return smallvec![],
        (Generation::Vm | Generation::VmVs, Verb::Cache { invalidate: true, .. })
            if memory.path != Path::Scalar =>
        {
            return smallvec![];
        }
        (Generation::Vm, _) => Channel::Vm,
        (Generation::Split, Verb::ToLds) => Channel::Al,
        (Generation::Split, Verb::FromLds) if set.one_async_queue => Channel::Al,
        (Generation::Split, Verb::FromLds) => Channel::As,
        (_, Verb::Store | Verb::FromLds | Verb::Atomic) => Channel::St,
        (Generation::Split, Verb::Cache { write_back: true, .. }) => Channel::St,
        (Generation::VmVs, _) => Channel::Vm,
        (Generation::Split, _) => Channel::Ld,
    };
    match memory.path {
        Path::Scalar => smallvec![Channel::Sm],
        Path::Lds => smallvec![Channel::Ds],
        Path::Gds => smallvec![Channel::Ds, Channel::Ex],
        Path::Tensor => smallvec![Channel::Td],
        Path::Flat => smallvec![vector, Channel::Ds],
        Path::Global | Path::Scratch | Path::Buffer => smallvec![vector],
    }
}
