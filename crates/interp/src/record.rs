//! What happened in a run, to be seen: in a trace, on a page.
//!
//! Time is the number of operations that all waves have executed. Single events are kept up to [`MOST_EVENTS`], the order of
//! instructions up to [`MOST_STEPS`]; what is left out is counted.

use rustc_hash::FxHashMap;
use wavemark_ir::function::Inst;
use wavemark_ir::module::Global;

use crate::finding::Place;
use crate::run::barrier::Name;
use crate::run::flight::Class;

/// Asynchronous operations and moments that are kept.
pub const MOST_EVENTS: usize = 1_000_000;
/// Instructions whose order is kept.
pub const MOST_STEPS: usize = 2_000_000;

/// An instruction of a function.
pub type Site = (Global, Inst);

/// What happened in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The waves, by their number in the launch.
    pub waves: Vec<Option<Life>>,
    /// Asynchronous operations, in the order of their issue.
    pub operations: Vec<Flown>,
    /// Waits, barriers, findings, in their order.
    pub moments: Vec<Moment>,
    /// What was executed, one after the other: number of the wave, and instruction. The first is at time 1.
    pub steps: Vec<(u32, Site)>,
    /// How many waves have executed an instruction, each time counted.
    pub executed: FxHashMap<Site, u64>,
    /// Bytes of LDS that instructions have read and written, by their first byte and their number: how often.
    pub lds: FxHashMap<(Site, bool, u64, u32), u32>,
    /// Bytes of LDS of a workgroup.
    pub lds_bytes: u64,
    /// The time at the end.
    pub end: u64,
    /// Events that are not kept.
    pub left_out: u64,
    /// Operations in flight, by their serial numbers: where they are.
    in_flight: FxHashMap<u64, Option<usize>>,
    /// Of waves, and classes, how many were issued.
    numbers: FxHashMap<(u32, Class), u32>,
    /// Since when waves are in a barrier's wait, and where.
    waiting: FxHashMap<u32, (u64, Site)>,
}

/// A wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// Its workgroup.
    pub workgroup: [u32; 3],
    /// The number of its workgroup in the launch.
    pub group: u32,
    /// Its number there.
    pub wave: u32,
    /// When it began.
    pub start: u64,
    /// When it ended, if it did.
    pub end: Option<u64>,
}

/// An asynchronous operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flown {
    /// The number of its wave.
    pub wave: u32,
    /// The instruction.
    pub site: Site,
    /// Its class.
    pub class: Class,
    /// Its number in its wave's class, from 1 on.
    pub number: u32,
    /// When it was issued.
    pub issued: u64,
    /// When its data had landed, if they had.
    pub landed: Option<u64>,
    /// The bytes of LDS that it writes, from the first to behind the last.
    pub written: Option<(u64, u64)>,
}

/// Something that happened to a wave, or lasted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The number of the wave.
    pub wave: u32,
    /// The instruction.
    pub site: Site,
    /// When it began.
    pub start: u64,
    /// When it ended; the same for what does not last.
    pub end: u64,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A wait for asynchronous operations, in words.
    Wait(String),
    /// The wave arrived at a barrier.
    Arrival(Name),
    /// The wave was in a barrier's wait.
    BarrierWait(Name),
    /// Something was found, in words.
    Found(String),
}

impl Record {
    /// Nothing yet, of workgroups with so many bytes of LDS.
    pub(crate) fn new(lds_bytes: u64) -> Record {
        Record { lds_bytes, ..Record::default() }
    }

    /// A wave begins.
    pub(crate) fn begins(&mut self, index: u32, life: Life) {
        let at = index as usize;
        if self.waves.len() <= at {
            self.waves.resize(at + 1, None);
        }
        self.waves[at] = Some(life);
    }

    /// A wave ends.
    pub(crate) fn ends(&mut self, index: u32) {
        let end = self.end;
        if let Some(Some(life)) = self.waves.get_mut(index as usize) {
            life.end = Some(end);
        }
    }

    /// A wave executes an instruction.
    #[inline]
    pub(crate) fn step(&mut self, index: u32, site: Site) {
        self.end += 1;
        *self.executed.entry(site).or_default() += 1;
        if self.steps.len() < MOST_STEPS {
            self.steps.push((index, site));
        }
    }

    fn has_room(&mut self) -> bool {
        let room = self.operations.len() + self.moments.len() < MOST_EVENTS;
        self.left_out += u64::from(!room);
        room
    }

    /// Something happens now.
    pub(crate) fn now(&mut self, index: u32, site: Site, what: What) {
        self.lasted(index, site, self.end, what);
    }

    /// Something began at `start` and ends now.
    pub(crate) fn lasted(&mut self, index: u32, site: Site, start: u64, what: What) {
        if self.has_room() {
            self.moments.push(Moment { wave: index, site, start, end: self.end, what });
        }
    }

    /// The operation with that serial number is issued.
    pub(crate) fn issued(
        &mut self,
        index: u32,
        serial: u64,
        place: &Place,
        class: Class,
        written: Option<(u64, u64)>,
    ) {
        let number = self.numbers.entry((index, class)).or_default();
        *number += 1;
        let number = *number;
        let kept = self.has_room().then(|| {
            let site = (place.function, place.inst);
            let issued = self.end;
            self.operations.push(Flown { wave: index, site, class, number, issued, landed: None, written });
            self.operations.len() - 1
        });
        self.in_flight.insert(serial, kept);
    }

    /// Its data have landed.
    pub(crate) fn landed(&mut self, serial: u64) {
        if let Some(Some(at)) = self.in_flight.remove(&serial) {
            self.operations[at].landed = Some(self.end);
        }
    }

    /// A wave begins to wait for a barrier.
    pub(crate) fn waits(&mut self, index: u32, site: Site) {
        self.waiting.insert(index, (self.end, site));
    }

    /// It has waited.
    pub(crate) fn passes(&mut self, index: u32, name: Name) {
        if let Some((start, site)) = self.waiting.remove(&index) {
            self.lasted(index, site, start, What::BarrierWait(name));
        }
    }

    /// A lane reads or writes bytes of LDS.
    pub(crate) fn touches(&mut self, site: Site, writes: bool, address: u64, bytes: u32) {
        let times = self.lds.entry((site, writes, address, bytes)).or_default();
        *times = times.saturating_add(1);
    }
}
