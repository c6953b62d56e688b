//! What happened in a run, kept to be seen: in a trace ([`crate::trace`]) and on a page ([`mod@crate::render_html`]).
//!
//! Time is the number of instructions that all waves have executed: it shows order, not duration. Counts are of the
//! whole run. The single events are kept up to [`MAX_EVENTS`], the order of instructions up to [`MAX_STEPS`]; what is left
//! out is counted, and whoever shows the rest says so.

use std::collections::BTreeMap;

use wavemark_sim::events::{BarrierId, Channel, Counter};

use crate::report::Site;

/// Operations, waits, barrier operations and faults that are kept.
pub const MAX_EVENTS: usize = 1_000_000;
/// Instructions whose order is kept.
pub const MAX_STEPS: usize = 2_000_000;
/// Bytes of LDS that are accounted for together.
pub const LDS_CELL: u64 = 64;

/// A run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The instructions that were executed and, behind them, those of the kernel that were not.
    pub sites: Vec<Seen>,
    /// The waves by their number in the run.
    pub waves: Vec<Wave>,
    /// Operations that a counter counts, in the order of their issue.
    pub operations: Vec<Operation>,
    /// Waits, barriers, faults, in their order.
    pub moments: Vec<Moment>,
    /// What was executed, one after the other: number of the wave, number of the site. The first is at time 1.
    pub steps: Vec<(u32, u32)>,
    /// What each channel had to do.
    pub channels: BTreeMap<Channel, Load>,
    /// LDS accesses by site: how often each cell of [`LDS_CELL`] bytes was read and written, over all workgroups.
    pub lds: BTreeMap<u32, LdsUse>,
    /// Bytes of LDS of a workgroup, the most that one had.
    pub lds_bytes: u32,
    /// The time at the end.
    pub end: u64,
    /// Events that are not kept.
    pub left_out: u64,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Where it stands.
    pub at: At,
    /// Its text.
    pub text: String,
    /// `file:line:column`, where a line table says.
    pub source: Option<String>,
    /// How many waves have executed it, each time counted.
    pub count: u64,
}

/// Where an instruction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// At an address in the linked code object.
    Address(u64),
    /// On a line of the text that was executed.
    Line(u32),
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            At::Address(pc) => write!(f, "{pc:#x}"),
            At::Line(line) => write!(f, "line {line}"),
        }
    }
}

impl Seen {
    /// Whether it is the instruction that a finding names.
    pub fn is_at(&self, site: &Site) -> bool {
        match self.at {
            At::Address(pc) => site.pc == Some(pc),
            At::Line(_) => self.source.is_some() && self.source == site.source,
        }
    }
}

/// A wave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// Coordinates of its workgroup.
    pub workgroup: [u32; 3],
    /// Flat number of its workgroup.
    pub workgroup_flat: u32,
    /// Its number in the workgroup.
    pub wave: u32,
    /// When it began.
    pub start: u64,
    /// When it ended, if it did.
    pub end: Option<u64>,
}

/// An operation from issue to completion.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The wave's number.
    pub wave: u32,
    /// The site's number.
    pub site: u32,
    /// The channel that counts it, and its number there.
    pub channel: Channel,
    /// It counts from 1.
    pub number: u32,
    /// When it was issued.
    pub issued: u64,
    /// When its data had moved, if they had.
    pub completed: Option<u64>,
    /// The bytes of LDS that it writes, from the first to behind the last.
    pub lds_written: Option<(u64, u64)>,
}

/// Something that happened to a wave, or lasted.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The wave's number.
    pub wave: u32,
    /// The site's number.
    pub site: u32,
    /// When it began.
    pub start: u64,
    /// When it ended; the same for what does not last.
    pub end: u64,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A wait was carried out: each counter was at most its number then.
    Wait(Vec<(Counter, u32)>),
    /// The wave was in a barrier's wait, which ended with that phase.
    BarrierWait(BarrierId, Option<u32>),
    /// A wait that names no counter, in words.
    Awaits(String),
    /// Another operation on a barrier, in words.
    Barrier(BarrierId, String),
    /// The wave was in the wait of a barrier that has no number, in words.
    Stays(String),
    /// A cache operation.
    Cache,
    /// Something that cannot be carried out as meant, in words.
    Fault(String),
    /// The wave cannot move, or the run was ended; in words.
    Stopped(String),
}

/// What a channel had to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Operations.
    pub operations: u64,
    /// How many of a wave were in flight, this one counted, when one was issued: how often, by their number.
    pub in_flight: Vec<u64>,
    /// The time from issue to completion, summed up.
    pub time: u64,
    /// Operations that have completed.
    pub completed: u64,
}

/// How often the cells of LDS were touched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LdsUse {
    /// Reads, by cell.
    pub read: Vec<u32>,
    /// Writes, by cell.
    pub written: Vec<u32>,
}

impl Recording {
    /// The site that an event is at.
    pub fn site(&self, number: u32) -> &Seen {
        &self.sites[number as usize]
    }

    /// The number of a wave, by its workgroup and its number there.
    pub fn wave(&self, workgroup: [u32; 3], wave: u32) -> Option<u32> {
        let is = |one: &Wave| (one.workgroup, one.wave) == (workgroup, wave);
        self.waves.iter().position(is).and_then(|number| u32::try_from(number).ok())
    }

    /// What is not shown of single events, in words.
    pub fn cut(&self) -> Option<String> {
        let steps = self.end.saturating_sub(self.steps.len() as u64);
        let mut parts = Vec::new();
        if self.left_out > 0 {
            parts.push(format!("{} events after the first {MAX_EVENTS}", self.left_out));
        }
        if steps > 0 {
            parts.push(format!("the order of {steps} instructions after the first {MAX_STEPS}"));
        }
        (!parts.is_empty()).then(|| parts.join(" and "))
    }
}

/// A channel as reports call it.
pub fn channel_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Ld => "vector load",
        Channel::St => "vector store",
        Channel::Ds => "LDS",
        Channel::Sm => "scalar",
        Channel::Al => "asynchronous load",
        Channel::As => "asynchronous store",
        Channel::Td => "tensor DMA",
        Channel::Vm => "vector memory",
        Channel::Ex => "exports",
        Channel::Sa => "image sample",
        Channel::Bv => "ray tracing",
    }
}

/// A barrier as reports call it.
pub fn barrier_name(id: BarrierId) -> String {
    match id {
        BarrierId::Workgroup => "workgroup barrier".to_owned(),
        BarrierId::WorkgroupTrap => "workgroup trap barrier".to_owned(),
        BarrierId::Cluster => "cluster barrier".to_owned(),
        BarrierId::ClusterTrap => "cluster trap barrier".to_owned(),
        BarrierId::Null => "null barrier".to_owned(),
        BarrierId::Named(number) => format!("named barrier {number}"),
    }
}
