//! Which findings are one mistake of the author.
//!
//! One wait that is missing shows in every instruction that uses what it should have waited for: reads by the own wave
//! and by others, the next copy over this one, the end of the wave. What the author has to mend is one place. So every
//! finding says where something is missing ([`Lack`] and the address of the instruction that it should stand before), and
//! after it the wave goes on as if it stood there: what that would have mended as well is the same mistake. For a
//! missing wait that is everything issued before the place, until the wave really waits for the counter; for a missing
//! barrier, everything until the wave learns of others again. Findings that have a place or a pair of instructions in common are
//! one as well: another iteration, another wave, the two orders in which a race can happen.
//!
//! Two mistakes can thus be taken for one, if one wait before the first place would mend both. Of each mistake the
//! finding at the earliest place is reported, with the strongest wait that any of the others needs and with their ends.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_sim::events::{Channel, Counter, Space};

use crate::Checker;
use crate::finding::FaultyWait;
use crate::site_info::SiteId;
use crate::waits::{limits_issue, waited_for};
use crate::wave_state::{Arrive, WaitInstance, WaveState};

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lack {
    /// A wait.
    Wait(Counter),
    /// Order between waves.
    Order(Space),
    /// An invalidate.
    Invalidate,
    /// A write-back of what an instruction stores.
    WriteBack,
    /// An instruction's scope.
    Scope,
}

/// A mistake; some numbers are the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MistakeId(usize);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mark {
    /// Something is missing before this address.
    Place(Lack, u64),
    /// Nothing orders these two.
    Pair(u64, u64),
}

#[derive(Debug)]
struct Node {
    parent: usize,
    /// The largest number of operations that the wait may leave in flight.
    allowed: u32,
    /// The instruction that the wait should stand before.
    before: Option<SiteId>,
    /// Barriers at which the wave has arrived since, of each the last time: how many operations a wait there might leave in flight.
    barriers: SmallVec<[(SiteId, u32); 2]>,
    /// The same mistake is seen at an earlier place.
    late: bool,
    /// A barrier is missing there as well, with the wait for this counter.
    with_barrier: Option<Counter>,
    /// Before which one wait serves all places ([`crate::one_wait`]).
    common: Option<SiteId>,
    /// Of a pair: whether the first is a copy that its wave may have issued too early, each time that the wave met it in flight.
    early: Option<bool>,
    /// Of a pair: whether the first was a copy over what nobody had read yet of the one before, when the second met it first. What
    /// is copied and read behind that is out of step.
    refills: Option<bool>,
}

/// All mistakes of a run.
#[derive(Debug, Default)]
pub(crate) struct Mistakes {
    nodes: Vec<Node>,
    marks: FxHashMap<Mark, usize>,
}

impl Mistakes {
    fn node(&mut self, mark: Mark) -> MistakeId {
        match self.marks.get(&mark) {
            Some(&known) => MistakeId(known),
            None => {
                let new = self.alone();
                self.marks.insert(mark, new.0);
                new
            }
        }
    }

    /// One that has neither a place nor a pair of instructions.
    pub fn alone(&mut self) -> MistakeId {
        let new = self.nodes.len();
        let barriers = SmallVec::new();
        let (allowed, before) = (u32::MAX, None);
        self.nodes.push(Node {
            parent: new,
            allowed,
            before,
            barriers,
            late: false,
            with_barrier: None,
            common: None,
            early: None,
            refills: None,
        });
        MistakeId(new)
    }

    /// That something is missing before the instruction at `pc`, or of what it does itself.
    pub fn place(&mut self, lack: Lack, pc: u64) -> MistakeId {
        self.node(Mark::Place(lack, pc))
    }

    /// That nothing orders the instructions at two addresses.
    pub fn pair(&mut self, a: u64, b: u64) -> MistakeId {
        self.node(Mark::Pair(a.min(b), a.max(b)))
    }

    /// A wave meets its own copy in flight: a wait stands between the copy and the one before, and none behind it, or not.
    pub fn note_copy(&mut self, pair: MistakeId, may_be_early: bool) {
        let early = &mut self.nodes[pair.0].early;
        *early = Some(early.unwrap_or(true) && may_be_early);
    }

    /// Whether one of the instructions at two addresses may be a copy that comes too early for the other.
    pub fn may_be_early(&self, a: u64, b: u64) -> bool {
        self.of_pair(a, b).is_some_and(|pair| pair.early == Some(true))
    }

    /// A load meets a copy in flight: one that writes over what nobody has read yet, and is not waited for, or not.
    pub fn note_refill(&mut self, pair: MistakeId, refills: bool) {
        self.nodes[pair.0].refills.get_or_insert(refills);
    }

    /// Whether one of the instructions at two addresses is a copy that comes before the other has read what was there.
    pub fn refills(&self, a: u64, b: u64) -> bool {
        self.of_pair(a, b).is_some_and(|pair| pair.refills == Some(true))
    }

    /// What is known of the instructions at two addresses, if they were found to conflict.
    fn of_pair(&self, a: u64, b: u64) -> Option<&Node> {
        self.marks.get(&Mark::Pair(a.min(b), a.max(b))).map(|&pair| &self.nodes[pair])
    }

    /// The number that stands for all of the same mistake.
    pub fn root(&self, id: MistakeId) -> MistakeId {
        let mut at = id.0;
        while self.nodes[at].parent != at {
            at = self.nodes[at].parent;
        }
        MistakeId(at)
    }

    /// Two are the same.
    pub fn join(&mut self, a: MistakeId, b: MistakeId) {
        let (a, b) = (self.root(a).0, self.root(b).0);
        self.nodes[a.max(b)].parent = a.min(b);
    }

    /// A wait is missing before `place` for it.
    pub fn set_place(&mut self, id: MistakeId, place: SiteId) {
        self.nodes[id.0].before = Some(place);
    }

    /// The wait at this place may leave `allowed` in flight at the most.
    pub fn allow(&mut self, id: MistakeId, allowed: u32) {
        let node = &mut self.nodes[id.0];
        node.allowed = node.allowed.min(allowed);
    }

    /// A wait before one of these barriers would mend a mistake of the wave's own as well, as long as it leaves no more in flight.
    pub fn before_barriers(&mut self, id: MistakeId, barriers: impl Iterator<Item = (SiteId, u32)>) {
        let known = &mut self.nodes[id.0].barriers;
        for (barrier, allowed) in barriers {
            match known.iter_mut().find(|(site, _)| *site == barrier) {
                Some((_, least)) => *least = allowed.min(*least),
                None => known.push((barrier, allowed)),
            }
        }
    }

    /// Those that are the same mistake.
    fn same(&self, id: MistakeId) -> impl Iterator<Item = usize> + '_ {
        let root = self.root(id);
        (0..self.nodes.len()).filter(move |&at| self.root(MistakeId(at)) == root)
    }

    /// Those of them that are seen at no earlier place.
    fn places(&self, id: MistakeId) -> impl Iterator<Item = usize> + '_ {
        self.same(id).filter(|at| self.nodes[*at].before.is_some() && !self.nodes[*at].late)
    }

    /// The instructions before which the same mistake shows, those that are seen at no earlier place.
    pub fn seen_before(&self, id: MistakeId) -> impl Iterator<Item = SiteId> + '_ {
        self.places(id).filter_map(|at| self.nodes[at].before)
    }

    /// Where others need the wait before a barrier, it is missing there for the wave itself, too: which of the same mistake
    /// that is, and how many operations it may leave in flight.
    fn at_barrier(&self, id: MistakeId) -> Option<(usize, u32)> {
        let of_own = |barrier: Option<SiteId>| {
            let own = self.same(id).flat_map(|at| &self.nodes[at].barriers);
            own.filter(|(site, _)| Some(*site) == barrier).map(|&(_, allowed)| allowed).min()
        };
        self.places(id).find_map(|at| {
            let node = &self.nodes[at];
            of_own(node.before).map(|own| (at, own.min(node.allowed)))
        })
    }

    /// Whether a wait before a barrier, which other waves need there, is what the wave itself needs, too.
    pub fn is_mended_at_barrier(&self, id: MistakeId) -> bool {
        self.at_barrier(id).is_some()
    }

    /// The wait that mends a mistake: how many operations it may leave in flight, and what it stands before. Where one
    /// is seen at several places, the earliest.
    pub fn wait(&self, id: MistakeId) -> (u32, Option<SiteId>) {
        if let Some(common) = self.same(id).find_map(|at| self.nodes[at].common) {
            let allowed = self.same(id).map(|at| self.nodes[at].allowed).min();
            return (allowed.unwrap_or_default(), Some(common));
        }
        if let Some((at, allowed)) = self.at_barrier(id) {
            return (allowed, self.nodes[at].before);
        }
        let own = self.places(id).find(|&at| at == id.0);
        let node = &self.nodes[own.or_else(|| self.places(id).next()).unwrap_or(id.0)];
        (node.allowed, node.before)
    }

    /// How many operations of a counter a wait may leave in flight with one barrier that is for all places where both are missing.
    pub fn allowed_with_barrier(&self, id: MistakeId, counter: Counter) -> Option<u32> {
        let both = self.same(id).map(|at| &self.nodes[at]).filter(|node| node.with_barrier == Some(counter));
        both.map(|node| node.allowed).min()
    }

    /// How many operations a wait may leave in flight before an instruction; where it was not seen to be missing there, none.
    pub fn allowed_before(&self, id: MistakeId, place: Option<SiteId>) -> u32 {
        let node = &self.nodes[id.0];
        if node.before == place { node.allowed } else { 0 }
    }

    /// One wait before `place` mends a mistake wherever it shows.
    pub fn mend_before(&mut self, id: MistakeId, place: SiteId) {
        let root = self.root(id);
        self.nodes[root.0].common = Some(place);
    }

    /// Whether the same mistake is known from an earlier place than before `site`.
    pub fn is_late(&self, id: MistakeId, site: Option<SiteId>) -> bool {
        let elsewhere = || self.at_barrier(id).is_some_and(|(at, _)| at != id.0);
        self.nodes[id.0].late || self.nodes[id.0].before != site || elsewhere()
    }
}

/// Where a wait is missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The instruction that it should stand before, if one is known, and its address.
    pub before: Option<(SiteId, u64)>,
    /// The wave's instructions before it.
    pub step: u64,
    /// What the wave had issued on the channel.
    pub issued: u32,
    /// It hands on to other waves what was issued before it.
    pub hands_on: bool,
}

/// A wait that was found missing, and is taken for done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssumedWait {
    channel: Channel,
    place: Place,
    mistake: MistakeId,
    /// The last operation of the channel that needs it.
    newest: u32,
    /// The wave's instructions before the next real wait for the counter.
    until: u64,
}

/// An operation that a wave should have waited for at a place.
struct Need {
    channel: Channel,
    seq: u32,
    place: Place,
    /// The wave's instructions before the operation, if that is still remembered.
    issued_at: Option<u64>,
}

impl Need {
    /// How many operations a wait for it may leave in flight where so many were issued.
    fn younger(&self, issued: u32) -> u32 {
        younger(self.channel, self.seq, issued)
    }

    /// Whether the assumed wait, if it may leave `allowed` in flight at the most, sees to it as it is.
    fn is_enough(&self, assumed: &AssumedWait, allowed: u32) -> bool {
        self.younger(assumed.place.issued) >= allowed
    }

    /// Whether the assumed wait and this one may be one, maybe with fewer operations left in flight.
    fn is_covered_by(&self, assumed: &AssumedWait, allowed: u32) -> bool {
        let Place { step, issued, hands_on, .. } = self.place;
        // Where each stage of a ring lacks its wait, none of them is to leave less in flight than another.
        let is_next_stage = hands_on && !self.is_enough(assumed, allowed) && self.younger(issued) >= allowed;
        assumed.channel == self.channel
            && assumed.place.issued >= self.seq
            && step <= assumed.until
            && !is_next_stage
            && (step >= assumed.place.step || assumed.newest <= issued)
    }

    /// Whether the assumed wait comes before the place and sees to it as it is.
    fn is_met_by(&self, assumed: &AssumedWait, allowed: u32) -> bool {
        self.is_covered_by(assumed, allowed)
            && self.is_enough(assumed, allowed)
            && self.place.step >= assumed.place.step
    }

    /// Whether the assumed wait is for another queue of the same counter, and leaves nothing in flight of this one either.
    fn is_emptied_by(&self, assumed: &AssumedWait, allowed: u32) -> bool {
        assumed.channel != self.channel
            && allowed == 0
            && (assumed.place.step..=assumed.until).contains(&self.place.step)
            && self.issued_at.is_some_and(|issued| issued < assumed.place.step)
    }
}

/// How many operations of a channel a wait for number `seq` may leave in flight where so many were issued: scalar loads land in any
/// order.
fn younger(channel: Channel, seq: u32, issued: u32) -> u32 {
    if channel == Channel::Sm { 0 } else { issued.saturating_sub(seq) }
}

impl AssumedWait {
    /// Whether it is for a channel, and before instruction `site`.
    pub fn stands_before(&self, site: SiteId, channel: u8) -> bool {
        self.channel as u8 == channel && self.place.before.is_some_and(|(before, _)| before == site)
    }
}

/// Assumed waits that a wave remembers: other waves may find out late what it should have waited for.
const ASSUMED: usize = 64;

/// Order with other waves that was found missing, and is taken for established.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssumedOrder {
    lack: Lack,
    mistake: MistakeId,
}

impl WaveState {
    /// The wave has really waited for a channel's counter: what it should have waited for later is another mistake.
    pub(crate) fn end_assumed_waits(&mut self, channel: Channel) {
        let step = self.steps;
        for assumed in self.assumed_waits.iter_mut().filter(|assumed| assumed.channel == channel) {
            assumed.until = assumed.until.min(step);
        }
    }

    /// The wave's instructions before the first wait for a channel's counter behind a step, as far as it has come.
    fn next_wait_for(&self, channel: Channel, behind: u64) -> u64 {
        let waits = |wait: &WaitInstance| {
            wait.counters.iter().any(|&(counter, n)| waited_for(counter, n).any(|other| other == channel))
        };
        let next = self.waits.iter().skip_while(|wait| wait.step <= behind).find(|&wait| waits(wait));
        next.map_or(u64::MAX, |wait| wait.step)
    }

    /// The wave has emptied caches: that this is missing later is another mistake.
    pub(crate) fn end_assumed_invalidates(&mut self) {
        self.assumed_order.retain(|assumed| assumed.lack != Lack::Invalidate);
    }

    /// Where the wave is: before instruction `site` at `pc`.
    pub(crate) fn here(&self, site: SiteId, pc: u64, channel: Channel) -> Place {
        let issued = self.seq[channel as usize];
        Place { before: Some((site, pc)), step: self.steps, issued, hands_on: false }
    }
}

impl Checker {
    /// Wave `agent` should have waited at `place` for its operation number `seq` of a channel.
    pub(crate) fn missing_wait(
        &mut self,
        agent: u32,
        (channel, seq): (Channel, u32),
        place: Place,
    ) -> MistakeId {
        let lack = Lack::Wait(self.counters.counter_of(channel));
        let mistakes = &mut self.mistakes;
        let (before, pc) = place.before.unzip();
        let mistake = mistakes.place(lack, pc.unwrap_or_default());
        mistakes.nodes[mistake.0].before = before;
        let Some(state) = self.waves.get_mut(agent) else {
            mistakes.allow(mistake, younger(channel, seq, place.issued));
            return mistake;
        };
        let issued_at = state.operation_at(channel as u8, seq).map(|(_, operation)| operation.before.step);
        let seq = state.awaited(channel, seq, place.issued);
        let need = Need { channel, seq, place, issued_at };
        let until = state.next_wait_for(channel, place.step);
        let counters = self.counters;
        let waits = &mut state.assumed_waits;
        let nodes = &mistakes.nodes;
        let allowed = |assumed: &AssumedWait| nodes[assumed.mistake.0].allowed;
        let covers = |assumed: &AssumedWait| need.is_covered_by(assumed, allowed(assumed));
        let mends = |assumed: &AssumedWait| need.is_met_by(assumed, allowed(assumed));
        let empties = |assumed: &AssumedWait| {
            let same_counter = counters.counter_of(assumed.channel) == counters.counter_of(channel);
            same_counter && assumed.mistake != mistake && need.is_emptied_by(assumed, allowed(assumed))
        };
        if let Some(assumed) = waits.iter().rfind(|assumed| empties(assumed)) {
            return assumed.mistake;
        }
        if let Some(at) = waits.iter().position(|assumed| assumed.mistake == mistake) {
            // The place is come to again.
            if place.step > waits[at].place.step {
                waits.remove(at);
                waits.push(AssumedWait { channel, place, mistake, newest: seq, until });
            } else {
                waits[at].newest = waits[at].newest.max(seq);
            }
        } else if let Some(at) = waits.iter().position(mends).or_else(|| waits.iter().rposition(covers)) {
            let assumed = waits[at];
            if place.step >= assumed.place.step {
                // Where the wave has come by there again since, the wait would have been done again.
                let again = |arrive: &Arrive| {
                    assumed.stands_before(arrive.site, channel as u8) && arrive.step <= place.step
                };
                let last = state.arrives().filter(again).last();
                let issued = last.map_or(assumed.place.issued, |arrive| arrive.seq[channel as usize]);
                mistakes.allow(assumed.mistake, need.younger(issued.max(assumed.place.issued)));
                state.assumed_waits[at].newest = assumed.newest.max(seq);
                return assumed.mistake;
            }
            mistakes.join(mistake, assumed.mistake);
            mistakes.nodes[assumed.mistake.0].late = true;
            // What was found to need it later needs it here.
            let newest = assumed.newest.max(seq);
            mistakes.allow(mistake, younger(channel, newest, place.issued));
            waits[at] = AssumedWait { place, mistake, newest, ..assumed };
        } else {
            if waits.len() == ASSUMED {
                waits.remove(0);
            }
            waits.push(AssumedWait { channel, place, mistake, newest: seq, until });
        }
        mistakes.allow(mistake, younger(channel, seq, place.issued));
        mistake
    }

    /// A wave should have waited at `place` until no more than `place.issued` translations are in flight.
    pub(crate) fn missing_translation_wait(&mut self, place: Place) -> MistakeId {
        let (before, pc) = place.before.unzip();
        let mistake = self.mistakes.place(Lack::Wait(Counter::X), pc.unwrap_or_default());
        self.mistakes.nodes[mistake.0].before = before;
        self.mistakes.allow(mistake, place.issued);
        mistake
    }

    /// Wave `wave` is not ordered behind another wave's instruction at `earlier` when it comes to that at `pc`.
    pub(crate) fn missing_order(&mut self, wave: u32, lack: Lack, earlier: u64, pc: u64) -> MistakeId {
        let mistakes = &mut self.mistakes;
        let mistake = mistakes.place(lack, pc);
        let pair = mistakes.pair(earlier, pc);
        mistakes.join(mistake, pair);
        let Some(state) = self.waves.get_mut(wave) else { return mistake };
        match state.assumed_order.iter().find(|assumed| assumed.lack == lack) {
            Some(assumed) if assumed.mistake != mistake => {
                mistakes.join(mistake, assumed.mistake);
                mistakes.nodes[mistake.0].late = true;
            }
            Some(_) => {}
            None => state.assumed_order.push(AssumedOrder { lack, mistake }),
        }
        mistake
    }

    /// The same mistake lacks something else before the instruction at `pc`, too.
    pub(crate) fn missing_too(&mut self, mistake: MistakeId, lack: Lack, pc: u64) {
        let other = self.mistakes.place(lack, pc);
        self.mistakes.join(mistake, other);
    }

    /// With the order that a mistake lacks a wait is missing before an instruction, which may leave so many operations of a counter in
    /// flight: that it is missing there is the same mistake.
    pub(crate) fn missing_with_barrier(
        &mut self,
        mistake: MistakeId,
        (before, counter, allowed): (SiteId, Counter, u32),
    ) -> MistakeId {
        let place = self.mistakes.place(Lack::Wait(counter), self.sites.get(before).site.pc);
        self.mistakes.join(mistake, place);
        self.mistakes.set_place(place, before);
        self.mistakes.allow(place, allowed);
        self.mistakes.nodes[place.0].with_barrier = Some(counter);
        place
    }

    /// Where a wave lacks order with others as well, it is one mistake: what it should wait for is a part of the same data.
    pub(crate) fn missing_with_order(&mut self, mistake: MistakeId, wave: u32, lack: Lack) {
        let assumed = self.waves.get(wave).map(|state| state.assumed_order.as_slice()).unwrap_or_default();
        if let Some(order) = assumed.iter().find(|assumed| assumed.lack == lack) {
            self.mistakes.join(mistake, order.mistake);
        }
    }

    /// The wait of wave `agent`, before its step `before`, that should have retired operation `seq` of a channel; or, if
    /// the wave has waited for another counter only (`wrong`), that wait.
    pub(crate) fn faulty_wait(
        &self,
        agent: u32,
        (channel, seq): (Channel, u32),
        before: u64,
        wrong: bool,
    ) -> Option<FaultyWait> {
        let state = self.waves.get(agent)?;
        let counter = self.counters.counter_of(channel);
        let after = |wait: &&WaitInstance| wait.seq[channel as usize] >= seq;
        let mut waits = state.waits.iter().rev().filter(|wait| wait.step <= before).take_while(after);
        let meant = |n| !limits_issue(self.facts, (counter, n));
        let wait = waits.find(|wait| wrong && wait.is_idle() || wait.number(counter).is_some_and(meant))?;
        let tells_order = channel != Channel::Sm && !wait.beside_unordered;
        let allowed = if tells_order { wait.seq[channel as usize] - seq } else { 0 };
        let site = self.sites.get(wait.site).site.clone();
        let waits_for = wait.counters.iter().map(|&(counter, _)| counter).collect();
        Some(FaultyWait { site, wave: state.id, counter, waits_for, leaves: wait.number(counter), allowed })
    }
}
