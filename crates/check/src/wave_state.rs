//! What the checker remembers of one wave: its clocks, its operations in flight, who last wrote each register.

use std::collections::VecDeque;
use std::sync::Arc;

use smallvec::SmallVec;
use wavemark_order::Epoch;
use wavemark_sim::events::{
    Access, BarrierId, CHANNELS, Channel, Counter, Direction, Issue, Scope, Space, WaveId,
};
use wavemark_sim::queue::{over_for_certain, unordered};

use crate::knowledge::{BARRIERS, Knowledge, WaveClock};
use crate::mistakes::{AssumedOrder, AssumedWait};
use crate::register_set::RegisterSet;
use crate::replay::Translations;
use crate::roomy::Roomy;
use crate::site_info::{REGISTERS, SiteId};
use crate::snapshot::Moved;
use crate::taint::Taint;

/// An operation that the wave issued, kept while it matters: in flight, or its result not yet replaced.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Which instruction.
    pub site: SiteId,
    /// What its wave knew when it was issued.
    pub before: Before,
    /// Its sequence numbers.
    pub seq: SmallVec<[(Channel, u32); 2]>,
    /// Number of waits that the wave had executed when it was issued.
    pub waits_before: u32,
    /// Its result has been used, or it has been published: the wait that it needed is known.
    pub used: bool,
    /// Which of the wave's asynchronous copies it is, loads and stores counted together; 0: none.
    pub async_index: u32,
    /// It is a DMA that writes LDS.
    pub writes_lds: bool,
    /// It is a DMA that reads LDS.
    pub reads_lds: bool,
    /// It reads or writes memory.
    pub touches_memory: bool,
    /// What it reads may be a flag of other workgroups.
    pub may_acquire: bool,
    /// The channels in which it may be over before older ones, one bit each.
    pub unordered: u8,
}

/// How an operation moves data.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    /// From one memory to another.
    pub dma: bool,
    /// It is such a one that writes LDS.
    pub writes_lds: bool,
    /// It is such a one that reads LDS.
    pub reads_lds: bool,
    /// It touches memory at all.
    pub memory: bool,
    /// It reads global memory with a scope.
    pub may_acquire: bool,
    /// In these channels it may be over before older ones, where the processor says so ([`unordered`]).
    pub unordered: u8,
}

impl Moves {
    /// As a load into registers does.
    pub const LOAD: Moves = Moves {
        dma: false,
        writes_lds: false,
        reads_lds: false,
        memory: true,
        may_acquire: false,
        unordered: 0,
    };

    /// As this operation does.
    pub fn of(op: &Issue) -> Moves {
        let dma = op.accesses.len() > 1 && op.accesses.iter().any(|a| a.space != op.accesses[0].space);
        // A null descriptor moves nothing, nor does a copy whose lanes are all off.
        let touches = |access: &Access| access.extent.lanes() != 0;
        let in_lds = |access: &Access| access.space == Space::Lds && touches(access);
        let writes = |access: &Access| in_lds(access) && access.direction != Direction::Read;
        let reads = |access: &Access| in_lds(access) && access.direction == Direction::Read;
        let acquires =
            |access: &Access| access.space == Space::Global && access.direction != Direction::Write;
        Moves {
            dma,
            writes_lds: dma && op.accesses.iter().any(writes),
            reads_lds: dma && op.accesses.iter().any(reads),
            memory: op.accesses.iter().any(touches),
            may_acquire: op.scope > Scope::Cu && op.accesses.iter().any(acquires),
            unordered: unordered(
                op.seq.iter().map(|&(channel, _)| channel),
                op.accesses.iter().map(|access| access.space),
            ),
        }
    }
}

/// Operations of a wave beyond which retired ones are forgotten.
const OPERATIONS: usize = 64;
/// Stores that a wave remembers beyond these: they may be flags that others see much later.
const OLD_STORES: usize = 64;
/// Waits that a wave remembers.
pub const WAITS: usize = 64;
/// Barrier arrives that a wave remembers.
const ARRIVES: usize = 64;
/// Releases that a wave remembers.
const RELEASES: usize = 16;

/// What a wave knew at some time.
#[derive(Clone, Debug)]
pub struct Before {
    /// What it had last learnt of others, and knew of itself then.
    pub known: Arc<Knowledge>,
    /// Its sequence numbers.
    pub seq: [u32; CHANNELS],
    /// What of them was retired.
    pub retired: [u32; CHANNELS],
    /// Its instructions before it.
    pub step: u64,
}

impl Before {
    /// All of it, of wave `agent`.
    pub fn knowledge(&self, agent: u32) -> Knowledge {
        let mut known = (*self.known).clone();
        known.issued.raise_each(agent, self.seq);
        known.relied.raise_each(agent, self.retired);
        known
    }
}

/// One execution of a wait instruction.
#[derive(Clone, Debug)]
pub struct WaitInstance {
    /// Which instruction.
    pub site: SiteId,
    /// What it waited for.
    pub counters: SmallVec<[(Counter, u32); 3]>,
    /// The wave's sequence numbers then.
    pub seq: [u32; CHANNELS],
    /// What of them was retired before it.
    pub retired: [u32; CHANNELS],
    /// The number of the wave's last barrier operation before it.
    pub barriers: u32,
    /// An operation was in flight that, with other addresses, may be over before older ones of any of its channels.
    pub beside_unordered: bool,
    /// The wave's instructions before it.
    pub step: u64,
}

/// A barrier arrive, or an operation that publishes.
#[derive(Clone, Copy, Debug)]
pub struct Arrive {
    /// Which instruction.
    pub site: SiteId,
    /// Its number among the wave's barrier operations.
    number: u32,
    /// The wave's sequence numbers then.
    pub seq: [u32; CHANNELS],
    /// The wave's instructions before it.
    pub step: u64,
    /// Of an arrive: the wave's instructions before it left the barrier, if it has.
    left: Option<u64>,
}

/// An access that publishes.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// What it hands on.
    pub at: Arrive,
    /// Its own place in its channel.
    pub own: (Channel, u32),
    /// The wave's last write-back before it.
    pub write_back: Option<WroteBack>,
    /// It leaves memory as it is, and is there to look: others have what it hands on, but hardly by its author's will.
    pub keeps: bool,
    /// How far apart those are at the most to whom it hands on.
    pub scope: Scope,
}

/// A write-back, as far as messages tell of it.
#[derive(Clone, Copy, Debug)]
pub struct WroteBack {
    /// What it covers.
    pub at: Arrive,
    /// Its own place in its channel.
    pub own: (Channel, u32),
    /// It was over when something was published behind it.
    pub is_over: bool,
}

/// The one that has handed on an operation to who `knows` so much of the wave: the last that it knows, or the first.
pub fn handed_on<'r>(
    releases: impl DoubleEndedIterator<Item = &'r Release> + Clone,
    operation: Epoch,
    knows: impl Fn(Channel) -> u32,
) -> Option<Release> {
    let mut behind = releases.filter(|release| release.at.comes_behind(operation));
    let known = last_meant(behind.clone(), |release| release.is_known(&knows));
    known.or_else(|| behind.next().copied())
}

/// The last one that `which` accepts; one that keeps memory as it is only if there is no other.
pub fn last_meant<'r>(
    releases: impl DoubleEndedIterator<Item = &'r Release> + Clone,
    which: impl Fn(&Release) -> bool,
) -> Option<Release> {
    let alters = releases.clone().rfind(|release| !release.keeps && which(release));
    alters.or_else(|| releases.into_iter().rfind(|release| which(release))).copied()
}

impl Release {
    /// Whether it is known to who `knows` so much of its wave.
    pub fn is_known(&self, knows: impl Fn(Channel) -> u32) -> bool {
        knows(self.own.0) >= self.own.1
    }
}

/// Whether an operation with these numbers is number `seq` of a channel.
fn is_numbered(own: &[(Channel, u32)], channel: u8, seq: u32) -> bool {
    own.iter().any(|&(c, n)| (c as u8, n) == (channel, seq))
}

impl Arrive {
    /// Whether an operation of the wave was issued before it.
    pub fn comes_behind(&self, operation: Epoch) -> bool {
        self.seq[usize::from(operation.channel)] >= operation.seq
    }

    /// Whether it comes behind the barrier that another wave of the workgroup arrives at `there`, if both come to the same barriers.
    pub fn comes_behind_barrier(&self, there: &Arrive) -> bool {
        self.number >= there.number
    }
}

/// A wave.
#[derive(Clone, Debug)]
pub struct WaveState {
    /// Who it is.
    pub id: WaveId,
    /// What it knows of all operations, its own and others'.
    pub known: Knowledge,
    /// The same as of when it last learnt of others.
    pub learnt: Arc<Knowledge>,
    /// Registers whose values are in doubt.
    pub taint: Taint,
    /// What was over when the scalar cache was last emptied.
    pub scalar_fresh: WaveClock,
    /// Write-backs that are not yet retired.
    pub write_backs: Vec<crate::sync::WriteBack>,
    /// The last one, for messages.
    pub last_write_back: Option<WroteBack>,
    /// Before its last invalidate.
    pub last_invalidate: Option<Arrive>,
    /// Invalidates that are not yet retired, where they count only then.
    pub invalidates: Vec<crate::sync::Invalidate>,
    /// Own sequence numbers, by channel.
    pub seq: [u32; CHANNELS],
    /// Own retired sequence numbers, by channel.
    pub retired: [u32; CHANNELS],
    /// What of that a wait has seen to; the rest the hardware, which lets no more be in flight.
    pub waited: [u32; CHANNELS],
    /// Operations; the front one has number `first_operation`.
    pub operations: Roomy<Operation, { OPERATIONS + 1 }>,
    /// Number of the front operation.
    pub first_operation: u32,
    /// Some operation, so far, may be over before older ones.
    any_unordered: bool,
    /// Of stores among those that are forgotten: their sequence numbers, and what was known before each.
    old_stores: VecDeque<(SmallVec<[(Channel, u32); 2]>, Before)>,
    /// Operations whose accesses no arrive or release has published.
    pub unpublished: Vec<u32>,
    /// Registers that hold what an operation has written, or will, and its number.
    pub loaded: RegisterSet,
    pub loaded_by: Box<[u32]>,
    /// Registers of which that loads a half, and older loads in flight that write the other one.
    pub half_loaded: Vec<(u32, u32)>,
    /// Those of which nobody knows yet that the operation is over.
    pub pending: RegisterSet,
    /// Registers never written.
    pub undefined: RegisterSet,
    /// The waits executed that still matter; the front one has number `first_wait`.
    pub waits: Roomy<WaitInstance, { WAITS + 1 }>,
    /// Number of the front wait.
    pub first_wait: u32,
    /// Asynchronous copies issued, loads and stores counted together.
    pub async_issued: u32,
    /// Those that the waits cover if ASYNCcnt is one queue.
    pub async_retired: u32,
    /// Its barrier arrives of late, for messages.
    arrives: VecDeque<Arrive>,
    /// Where SCC is to tell whether it was the first to arrive at a barrier, and which.
    pub first_at: Option<(BarrierId, SiteId)>,
    /// Where it arrived at the last barrier that it has left again.
    left_barrier: Option<Arrive>,
    /// Instructions executed.
    pub steps: u64,
    /// Waits found missing.
    pub assumed_waits: Vec<AssumedWait>,
    /// Order found missing since it last learnt of others.
    pub assumed_order: Vec<AssumedOrder>,
    /// The last accesses that published to global memory, for messages.
    pub releases: VecDeque<Release>,
    /// The last operations by which it has published something, in LDS or global memory.
    publishing: VecDeque<Release>,
    /// Synchronisation locations read by loads that are not yet retired.
    pub acquires: Vec<crate::sync::Acquire>,
    /// What it has seen there of late.
    pub seen: crate::sync::Seen,
    /// What it has learnt by such loads of late.
    pub learnt_of_late: crate::sync::LearntOfLate,
    /// The numbers in their cluster of operations in flight whose part in global memory is done.
    pub performed: Vec<u32>,
    /// Address translations, where the machine counts them.
    pub translations: Option<Translations>,
    /// The instructions by which it has stored something elsewhere than in its scratch, and what it had issued when it last
    /// did.
    pub stores: Vec<(SiteId, [u32; CHANNELS])>,
    /// Races of what it has loaded with a later write of another wave, which matter once it stores something computed from
    /// that.
    pub unused_loads: Vec<crate::races::UnusedLoad>,
    /// Registers that were written too early: what is loaded there is yet to come.
    pub overwritten: Vec<crate::registers::Overwritten>,
    /// The wave has ended.
    pub ended: bool,
}

impl WaveState {
    /// A wave that starts.
    pub fn new(id: WaveId) -> WaveState {
        WaveState {
            operations: Roomy::new(),
            waits: Roomy::new(),
            loaded_by: vec![0; REGISTERS].into_boxed_slice(),
            ..WaveState::bare(id)
        }
    }

    /// Another wave starts, in the memory of this one.
    pub fn restart(&mut self, id: WaveId) {
        self.operations.clear();
        self.waits.clear();
        *self = WaveState {
            operations: std::mem::take(&mut self.operations),
            waits: std::mem::take(&mut self.waits),
            loaded_by: std::mem::take(&mut self.loaded_by),
            ..WaveState::bare(id)
        };
    }

    /// A wave without room for anything.
    fn bare(id: WaveId) -> WaveState {
        WaveState {
            id,
            known: Knowledge::default(),
            learnt: Arc::default(),
            taint: Taint::default(),
            scalar_fresh: WaveClock::new(),
            write_backs: Vec::new(),
            last_write_back: None,
            last_invalidate: None,
            invalidates: Vec::new(),
            seq: [0; CHANNELS],
            retired: [0; CHANNELS],
            waited: [0; CHANNELS],
            operations: Roomy::default(),
            old_stores: VecDeque::new(),
            first_operation: 1,
            any_unordered: false,
            unpublished: Vec::new(),
            loaded: RegisterSet::new(),
            loaded_by: Box::default(),
            half_loaded: Vec::new(),
            pending: RegisterSet::new(),
            undefined: RegisterSet::all_tracked(),
            waits: Roomy::default(),
            first_wait: 1,
            async_issued: 0,
            async_retired: 0,
            arrives: VecDeque::new(),
            first_at: None,
            left_barrier: None,
            steps: 0,
            assumed_waits: Vec::new(),
            assumed_order: Vec::new(),
            releases: VecDeque::new(),
            publishing: VecDeque::new(),
            acquires: Vec::new(),
            seen: crate::sync::Seen::default(),
            learnt_of_late: crate::sync::LearntOfLate::default(),
            performed: Vec::new(),
            translations: None,
            stores: Vec::new(),
            unused_loads: Vec::new(),
            overwritten: Vec::new(),
            ended: false,
        }
    }

    /// The sequence number of the oldest copy to LDS in `channel` that is not retired.
    pub fn oldest_copy(&self, channel: Channel) -> Option<u32> {
        let copies = self.operations.iter().filter(|operation| operation.writes_lds);
        let numbers = copies.flat_map(|operation| &operation.seq).filter(|(c, _)| *c == channel);
        numbers.map(|&(_, seq)| seq).find(|&seq| seq > self.retired[channel as usize])
    }

    /// It stores something elsewhere than in its scratch.
    pub fn note_store(&mut self, site: SiteId) {
        match self.stores.iter_mut().rev().find(|(other, _)| *other == site) {
            Some((_, issued)) => *issued = self.seq,
            None => self.stores.push((site, self.seq)),
        }
    }

    /// The instructions by which it has stored something since it issued an operation.
    pub fn stored_since(&self, operation: Epoch) -> impl Iterator<Item = SiteId> {
        let since = move |(_, issued): &&(SiteId, [u32; CHANNELS])| {
            issued[usize::from(operation.channel)] >= operation.seq
        };
        self.stores.iter().filter(since).map(|&(site, _)| site)
    }

    /// Up to which of a wave's operations in a channel all are over and come before whatever this wave still does.
    pub fn over_upto(&self, agent: u32, channel: u8) -> u32 {
        if self.ended {
            return u32::MAX;
        }
        let own = if agent == self.id.index { self.retired[usize::from(channel)] } else { 0 };
        own.max(self.known.relied.get(agent, channel)).max(self.known.acquired.get(agent, channel))
    }

    /// Whether an operation of the wave's own is retired.
    pub fn has_retired(&self, own: Epoch) -> bool {
        self.retired[usize::from(own.channel)] >= own.seq
    }

    /// All channels of the operation are retired.
    pub fn is_retired(&self, operation: &Operation) -> bool {
        operation.seq.iter().all(|&(c, seq)| self.retired[c as usize] >= seq)
    }

    /// The wave has learnt of the operation's end otherwise than by a wait: from a barrier cell.
    pub fn relies_on(&self, operation: &Operation) -> bool {
        let agent = self.id.index;
        operation.seq.iter().all(|&(c, seq)| self.known.relied.get(agent, c as u8) >= seq)
    }

    /// Whether no wait has seen to it that an operation is over.
    pub fn is_unwaited(&self, operation: &Operation) -> bool {
        operation.seq.iter().any(|&(c, seq)| self.waited[c as usize] < seq)
    }

    /// The operation with this number, if it is still kept.
    pub fn operation(&self, number: u32) -> Option<&Operation> {
        let at = number.checked_sub(self.first_operation)?;
        self.operations.get(at as usize)
    }

    /// The same, to change it.
    pub fn operation_mut(&mut self, number: u32) -> Option<&mut Operation> {
        let at = number.checked_sub(self.first_operation)?;
        self.operations.get_mut(at as usize)
    }

    /// Its barrier arrives of late.
    pub fn arrives(&self) -> impl Iterator<Item = Arrive> + '_ {
        self.arrives.iter().copied()
    }

    /// The barrier at which it had arrived, and not yet waited, when it did `access`, if who `knows` of it knows of that arrival.
    pub fn arrived_before(&self, access: &Operation, knows: &WaveClock) -> Option<SiteId> {
        let step = access.before.step;
        let around = |arrive: &&Arrive| arrive.step < step && arrive.left.is_none_or(|left| left > step);
        let arrive = self.arrives.iter().find(around)?;
        (knows.get(self.id.index, BARRIERS) >= arrive.number).then_some(arrive.site)
    }

    /// The barriers at which it has arrived behind operation `seq` of a channel, of each the last time, and how many operations of
    /// the channel it had issued then since.
    pub fn barriers_behind(&self, (channel, seq): (Channel, u32)) -> impl Iterator<Item = (SiteId, u32)> {
        let arrives = self.arrives.iter().enumerate();
        let is_last = |at: usize, site: SiteId| self.arrives.range(at + 1..).all(|later| later.site != site);
        let behind = arrives.filter(move |(at, arrive)| is_last(*at, arrive.site));
        behind.filter_map(move |(_, arrive)| {
            Some((arrive.site, arrive.seq[channel as usize].checked_sub(seq)?))
        })
    }

    /// Whether it has arrived at barriers before those.
    pub fn has_arrived_before(&self) -> bool {
        self.arrives.len() == ARRIVES
    }

    /// It arrives at a barrier.
    pub fn note_arrive(&mut self, site: SiteId) {
        if self.arrives.len() == ARRIVES {
            self.arrives.pop_front();
        }
        self.arrives.push_back(self.arrive(site));
    }

    /// It publishes something, `globally` if that is in global memory.
    pub fn note_release(&mut self, release: Release, globally: bool) {
        let lists = [Some(&mut self.publishing), Some(&mut self.releases).filter(|_| globally)];
        for list in lists.into_iter().flatten() {
            if list.len() == RELEASES {
                list.pop_front();
            }
            list.push_back(release);
        }
    }

    /// Another wave has polled what a plain store to LDS wrote: so it has published something.
    pub fn note_flag(&mut self, site: SiteId, store: Epoch) {
        let Some(Before { known, seq, step, .. }) = self.before(store.channel, store.seq) else { return };
        let (number, mut seq, step) = (known.issued.get(self.id.index, BARRIERS), *seq, *step);
        seq[usize::from(store.channel)] = store.seq - 1;
        let own = (crate::relation::channel(store.channel), store.seq);
        let at = self.publishing.partition_point(|other| other.at.step < step);
        if self.publishing.get(at).is_none_or(|other| other.own != own) {
            let arrive = Arrive { site, number, seq, step, left: None };
            self.publishing
                .insert(at, Release { at: arrive, own, write_back: None, keeps: false, scope: Scope::Cu });
            if self.publishing.len() > RELEASES {
                self.publishing.pop_front();
            }
        }
    }

    /// What has handed on an operation, in LDS or global memory, to who `knows` so much of the wave: see [`handed_on`].
    pub fn published_by(&self, operation: Epoch, knows: impl Fn(Channel) -> u32) -> Option<Arrive> {
        handed_on(self.publishing.iter(), operation, knows).map(|release| release.at)
    }

    /// What an instruction hands on that it executes now.
    pub fn arrive(&self, site: SiteId) -> Arrive {
        let number = self.known.issued.get(self.id.index, BARRIERS);
        Arrive { site, number, seq: self.seq, step: self.steps, left: None }
    }

    /// The arrive by which another knows of its operations of a channel, of which it `knows`, as far as those are told apart: the
    /// last one at a barrier before which a wait for `counter` was found missing already, for what comes round again is the same
    /// mistake; else the last one right behind such a wait that leaves more in flight than has been `served` by it; else the last.
    pub fn arrive_at(
        &self,
        channel: u8,
        counter: Counter,
        knows: &WaveClock,
        served: impl Fn(SiteId) -> bool,
    ) -> Option<Arrive> {
        let agent = self.id.index;
        let (seq, number) = (knows.get(agent, channel), knows.get(agent, BARRIERS));
        let issued = |arrive: &Arrive| arrive.seq[usize::from(channel)];
        let known = self.arrives.partition_point(|arrive| arrive.number <= number && issued(arrive) <= seq);
        let last = known.checked_sub(1)?;
        let first = self.arrives.partition_point(|arrive| issued(arrive) < issued(&self.arrives[last]));
        let waits = |&at: &usize| {
            let since = at.checked_sub(1).map_or(0, |before| self.arrives[before].step);
            let mut waits =
                self.waits.iter().filter(|wait| (since..self.arrives[at].step).contains(&wait.step));
            waits.any(|wait| wait.number(counter).is_some() && !served(wait.site))
        };
        let is_known = |&at: &usize| {
            let known = |assumed: &AssumedWait| assumed.stands_before(self.arrives[at].site, channel);
            self.assumed_waits.iter().any(known)
        };
        let mut candidates = (first..=last).rev();
        let at = candidates.clone().find(is_known).or_else(|| candidates.find(waits)).unwrap_or(last);
        Some(self.arrives[at])
    }

    /// The first instruction that `which` accepts among its operations before one, and that, as far as they are remembered, since it
    /// learnt what it knew then of others.
    pub fn first_since_learnt(&self, operation: Epoch, which: impl Fn(SiteId) -> bool) -> Option<SiteId> {
        let (_, Operation { before, .. }) = self.operation_at(operation.channel, operation.seq)?;
        let since = self.operations.iter().filter(|other| Arc::ptr_eq(&other.before.known, &before.known));
        since.map(|other| other.site).find(|&site| which(site))
    }

    /// The place among the waits of the first one after an operation.
    pub fn next_wait(&self, operation: &Operation) -> usize {
        operation.waits_before.saturating_sub(self.first_wait - 1) as usize
    }

    /// Whether it has waited for a counter between one of its copies and the one before it by the same instruction, if there was
    /// one.
    pub fn has_waited_between_copies(&self, copy: Epoch, counter: Counter) -> Option<bool> {
        let (number, copy) = self.operation_at(copy.channel, copy.seq)?;
        let mut before = self.operations.range(..(number - self.first_operation) as usize);
        let last = before.rfind(|other| other.site == copy.site)?;
        let mut between = self.waits.range(self.next_wait(last)..self.next_wait(copy));
        Some(between.any(|wait| wait.number(counter).is_some()))
    }

    /// Whether it has emptied a cache since it last executed this load.
    pub fn has_invalidated_since(&self, load: SiteId) -> bool {
        let last = self.operations.iter().rev().find(|operation| operation.site == load);
        let invalidated = self.last_invalidate.as_ref();
        last.zip(invalidated).is_some_and(|(last, invalidate)| invalidate.step > last.before.step)
    }

    /// It leaves the barrier that it arrived at last.
    pub fn leave_barrier(&mut self) {
        if let Some(arrive) = self.arrives.back_mut() {
            arrive.left.get_or_insert(self.steps);
        }
        self.left_barrier = self.arrives.back().copied();
        self.note_learnt();
    }

    /// Its wait behind the last barrier that it has left, if there is one by which its operation is retired that `younger`
    /// ones of the channel had followed there, and that does not follow the barrier at once: the two in the other order would
    /// do then.
    pub fn wait_behind_barrier(&self, channel: Channel, counter: Counter, younger: u32) -> Option<SiteId> {
        let arrive = self.left_barrier?;
        let at = channel as usize;
        let seq = arrive.seq[at].checked_sub(younger)?;
        let retires = |wait: &&WaitInstance| {
            wait.seq != arrive.seq
                && wait.retired[at] < seq
                && wait.number(counter).is_some_and(|left| wait.seq[at].saturating_sub(left) >= seq)
        };
        self.waits.iter().rev().take_while(|wait| wait.step > arrive.step).find(retires).map(|wait| wait.site)
    }

    /// Whether it has executed a wait, as far as that is remembered.
    pub fn has_waited_at(&self, site: SiteId) -> bool {
        self.waits.iter().any(|wait| wait.site == site)
    }

    /// What it has done at a place as another wave has, before an operation: the one with the same number; or the last one, where
    /// that number is of another place, or of none, as waves go different ways, unless it is to be told `by_number`.
    pub fn same_as(
        &self,
        (channel, seq): (Channel, u32),
        site: SiteId,
        before: &Operation,
        by_number: bool,
    ) -> Option<&Operation> {
        let is_there =
            |operation: &&Operation| operation.site == site && operation.before.step < before.before.step;
        match self.operation_at(channel as u8, seq) {
            Some((_, numbered)) if numbered.site == site => is_there(&numbered).then_some(numbered),
            _ if by_number => None,
            _ => self.operations.iter().rfind(is_there),
        }
    }

    /// Behind which wait it has retired one of its operations and come to another, if it has arrived at no barrier in between; or
    /// how many operations of the channel it has issued in between, if it is not retired there. Of the waits the last one: a
    /// barrier may be for what others of them are for, too.
    pub fn wait_between(
        &self,
        first: &Operation,
        second: &Operation,
        channel: Channel,
        counter: Counter,
    ) -> Option<Result<SiteId, u32>> {
        let (at, upto) = (channel as usize, &second.before);
        let between = first.before.step..upto.step;
        if self.arrives.iter().any(|arrive| between.contains(&arrive.step)) {
            return None;
        }
        let number =
            |operation: &Operation| operation.seq.iter().find(|(of, _)| *of == channel).map(|of| of.1);
        let seq = number(first)?;
        if upto.retired[at] < seq {
            let issued = number(second).map_or(upto.seq[at], |own| own - 1);
            return Some(Err(issued - seq));
        }
        let retires = |wait: &&WaitInstance| {
            wait.number(counter).is_some_and(|left| wait.seq[at].saturating_sub(left) >= seq)
        };
        // Address translations are in no order with anything.
        let orders = |wait: &&WaitInstance| wait.counters.iter().any(|&(counter, _)| counter != Counter::X);
        let waits = || self.waits.iter().filter(|wait| between.contains(&wait.step)).filter(orders);
        waits().find(retires).and(waits().next_back()).map(|wait| Ok(wait.site))
    }

    /// Its knowledge of others has grown.
    pub fn note_learnt(&mut self) {
        self.note_learnt_again(true);
    }

    /// It has learnt from others what may be `new` to it. What it knows of its own operations else is told by their numbers
    /// ([`Before`]), but for barriers.
    pub fn note_learnt_again(&mut self, new: bool) {
        self.assumed_order.clear();
        self.note_known(new);
    }

    /// It has emptied caches: more of what it knows counts.
    pub fn note_invalidated(&mut self) {
        self.end_assumed_invalidates();
        self.note_known(true);
    }

    /// What it knows may be `new`.
    fn note_known(&mut self, new: bool) {
        let barriers = |known: &Knowledge| known.issued.get(self.id.index, BARRIERS);
        if new || barriers(&self.learnt) != barriers(&self.known) {
            self.learnt = Arc::new(self.known.clone());
        }
    }

    /// Its scalar cache is empty: scalar loads see what it knows to be over.
    pub fn empty_scalar_cache(&mut self) {
        self.scalar_fresh = self.known.ordered(|_| true);
        self.scalar_fresh.raise_each(self.id.index, self.retired);
    }

    /// The same of another wave that has done the same, all of whose numbers are higher by so much.
    pub fn moved(&self, id: WaveId, by: &mut Moved) -> WaveState {
        let mut moved = self.clone();
        moved.id = id;
        moved.known = self.known.moved(by.agents);
        moved.learnt = by.shared(&self.learnt);
        moved.scalar_fresh = self.scalar_fresh.moved(by.agents);
        moved.write_backs = self.write_backs.iter().map(|of| of.moved(by.agents)).collect();
        moved.invalidates = self.invalidates.iter().map(|of| of.moved(by.agents)).collect();
        moved.seen.move_to(id.workgroup_flat, by.agents);
        moved.learnt_of_late = crate::sync::LearntOfLate::default();
        moved.acquires = self.acquires.iter().map(|of| of.moved(by)).collect();
        let stores = moved.old_stores.iter_mut().map(|(_, before)| before);
        for before in moved.operations.iter_mut().map(|operation| &mut operation.before).chain(stores) {
            before.known = by.shared(&before.known);
        }
        moved
    }

    /// The operation that is number `seq` of a channel, if it is still kept, with its own number.
    pub fn operation_at(&self, channel: u8, seq: u32) -> Option<(u32, &Operation)> {
        let at = self.operations.iter().rposition(|operation| is_numbered(&operation.seq, channel, seq))?;
        Some((self.first_operation + at as u32, &self.operations[at]))
    }

    /// The operations in flight, by their numbers in a channel, that may be over before older ones of it.
    fn unordered(&self, channel: Channel) -> impl Iterator<Item = u32> {
        let retired = self.retired[channel as usize];
        let operations = self.operations.iter().filter(move |of| of.unordered >> channel as u8 & 1 != 0);
        let numbers = operations.flat_map(|of| &of.seq).filter(move |(own, _)| *own == channel);
        numbers.map(|&(_, seq)| seq).filter(move |&seq| seq > retired)
    }

    /// Whether an operation is in flight that may be over before older ones of some channel.
    pub fn has_unordered(&self) -> bool {
        self.any_unordered && self.operations.iter().any(|of| of.unordered != 0 && !self.is_retired(of))
    }

    /// How far its operations of a channel are over where all but the `n` youngest are.
    pub fn over_but(&self, channel: Channel, n: u32) -> u32 {
        let issued = self.seq[channel as usize];
        match self.any_unordered {
            true => over_for_certain(issued, n, self.unordered(channel)),
            false => issued.saturating_sub(n),
        }
    }

    /// The last operation of a channel that a wait is for which is for operation `seq`, of so many that are issued there: the
    /// last of all where one is in flight that may be over before it.
    pub fn awaited(&self, channel: Channel, seq: u32, issued: u32) -> u32 {
        let beside = self.any_unordered && self.unordered(channel).next().is_some();
        if beside { issued.max(seq) } else { seq }
    }

    /// A register has what it gets of an instruction, if that was the last to write it, though nothing says so of the operation.
    pub fn has_result(&mut self, register: u32, of: SiteId) {
        let last = self.loaded_by[register as usize];
        if self.operation(last).is_some_and(|operation| operation.site == of) {
            self.pending.remove_one(register);
            self.loaded.remove_one(register);
        }
    }

    /// The oldest operation, if there are more than enough: one that is retired has nothing left to tell but advice.
    pub fn surplus(&self) -> Option<u32> {
        (self.operations.len() > OPERATIONS && self.is_retired(&self.operations[0]))
            .then_some(self.first_operation)
    }

    /// Forget the oldest operation, but for what was known before it if it `stores`.
    pub fn pop(&mut self, stores: bool) {
        if let Some(Operation { seq, before, .. }) = self.operations.pop_front().filter(|_| stores) {
            if self.old_stores.len() == OLD_STORES {
                self.old_stores.pop_front();
            }
            self.old_stores.push_back((seq, before));
        }
        self.first_operation += 1;
    }

    /// What was known before the operation that is number `seq` of a channel, if that is still kept.
    pub fn before(&self, channel: u8, seq: u32) -> Option<&Before> {
        if let Some((_, operation)) = self.operation_at(channel, seq) {
            return Some(&operation.before);
        }
        let mut stores = self.old_stores.iter();
        stores.rfind(|(own, _)| is_numbered(own, channel, seq)).map(|(_, before)| before)
    }

    /// Remember an operation; its number.
    pub fn push(&mut self, operation: Operation) -> u32 {
        self.any_unordered |= operation.unordered != 0;
        self.operations.push_back(operation);
        self.newest_operation()
    }

    /// The number of the last operation.
    pub fn newest_operation(&self) -> u32 {
        self.first_operation + self.operations.len() as u32 - 1
    }

    /// Raise what is retired on a channel.
    pub fn retire(&mut self, channel: Channel, upto: u32) {
        let retired = &mut self.retired[channel as usize];
        if upto > *retired {
            *retired = upto;
            self.known.relied.raise(self.id.index, channel as u8, upto);
            if let Some(translations) = &mut self.translations {
                translations.retire(channel, upto);
            }
        }
    }
}
