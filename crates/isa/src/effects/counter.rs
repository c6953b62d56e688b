//! Counters and what they count: which queues of a wave an instruction stands in, and which counter of a
//! generation counts each queue.
//!
//! Rows do not name counters. A row says what its instruction does to memory, and [`channels`] derives the
//! queues from that and the generation; rows that are counted otherwise name their queues (`cnt=`). Follows
//! CDNA4 manual 4.4, CDNA5 manual 5.6, LLVM's *User Guide for AMDGPU Backend*, "Memory Model".

use smallvec::{SmallVec, smallvec};
use wavemark_target::Machine;
use wavemark_target::facts::WaitCounter;

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
    /// Asynchronous loads to LDS.
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

    /// The channel that a row calls `name`.
    pub(super) fn parse(name: &str) -> Option<Channel> {
        Some(match name {
            "ld" => Channel::Ld,
            "st" => Channel::St,
            "ds" => Channel::Ds,
            "sm" => Channel::Sm,
            "al" => Channel::Al,
            "as" => Channel::As,
            "td" => Channel::Td,
            "vm" => Channel::Vm,
            "ex" => Channel::Ex,
            "sample" => Channel::Sa,
            "bvh" => Channel::Bv,
            _ => return None,
        })
    }
}

/// A wait counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the manual's names
pub enum Counter {
    Load,
    Sample,
    Bvh,
    Store,
    Ds,
    Km,
    Async,
    Tensor,
    /// Address translations (gfx1250): it guards registers that replay needs, not data, and no queue of data
    /// moves it.
    X,
    Exp,
    Vm,
    Lgkm,
}

impl Counter {
    /// The channels whose operations the counter counts.
    pub const fn channels(self) -> &'static [Channel] {
        match self {
            Counter::Load => &[Channel::Ld],
            Counter::Sample => &[Channel::Sa],
            Counter::Bvh => &[Channel::Bv],
            Counter::Store => &[Channel::St],
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

    /// The counter that counts operations of `channel`.
    pub const fn of(channel: Channel, set: CounterSet) -> Counter {
        match (channel, set) {
            (Channel::Ds | Channel::Sm, CounterSet::Vm | CounterSet::VmVs) => Counter::Lgkm,
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

    /// The most operations that can be outstanding: issue stalls beyond it.
    pub const fn capacity(self, set: CounterSet) -> u32 {
        match (self, set) {
            (Counter::Lgkm, CounterSet::Vm) => 15,
            (Counter::Exp | Counter::Bvh, _) => 7,
            (Counter::Km, _) => 31,
            _ => 63,
        }
    }

    /// The counter as waits name it.
    pub const fn name(self) -> &'static str {
        match self {
            Counter::Load => "loadcnt",
            Counter::Sample => "samplecnt",
            Counter::Bvh => "bvhcnt",
            Counter::Store => "storecnt",
            Counter::Ds => "dscnt",
            Counter::Km => "kmcnt",
            Counter::Async => "asynccnt",
            Counter::Tensor => "tensorcnt",
            Counter::X => "xcnt",
            Counter::Exp => "expcnt",
            Counter::Vm => "vmcnt",
            Counter::Lgkm => "lgkmcnt",
        }
    }

    /// The counter that a row calls `name`.
    pub(super) fn parse(name: &str) -> Option<Counter> {
        Some(match name {
            "load" => Counter::Load,
            "sample" => Counter::Sample,
            "bvh" => Counter::Bvh,
            "store" => Counter::Store,
            "ds" => Counter::Ds,
            "km" => Counter::Km,
            "async" => Counter::Async,
            "tensor" => Counter::Tensor,
            "x" => Counter::X,
            "exp" => Counter::Exp,
            "vm" => Counter::Vm,
            "lgkm" => Counter::Lgkm,
            _ => return None,
        })
    }
}

/// Which counters a generation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CounterSet {
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
        let has = |wanted| machine.facts().counters.iter().any(|&(counter, _)| counter == wanted);
        match (has(WaitCounter::Load), has(WaitCounter::Vs)) {
            (true, _) => CounterSet::Split,
            (_, true) => CounterSet::VmVs,
            _ => CounterSet::Vm,
        }
    }

    /// The counters that operations move.
    pub const fn counters(self) -> &'static [Counter] {
        match self {
            CounterSet::Vm => &[Counter::Vm, Counter::Lgkm, Counter::Exp],
            CounterSet::VmVs => &[Counter::Vm, Counter::Store, Counter::Lgkm, Counter::Exp],
            CounterSet::Split => &[
                Counter::Load,
                Counter::Store,
                Counter::Ds,
                Counter::Km,
                Counter::Async,
                Counter::Tensor,
                Counter::X,
            ],
        }
    }
}

/// The channels that an operation on memory stands in.
pub(super) fn channels(set: CounterSet, memory: &Memory) -> SmallVec<[Channel; 2]> {
    let vector = match (set, memory.verb) {
        (_, Verb::Prefetch) => return smallvec![],
        (CounterSet::Vm, _) => Channel::Vm,
        (CounterSet::Split, Verb::ToLds) => Channel::Al,
        (CounterSet::Split, Verb::FromLds) => Channel::As,
        (_, Verb::Store | Verb::FromLds | Verb::Atomic) => Channel::St,
        (CounterSet::Split, Verb::Cache { write_back: true, .. }) => Channel::St,
        (CounterSet::VmVs, _) => Channel::Vm,
        (CounterSet::Split, _) => Channel::Ld,
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
