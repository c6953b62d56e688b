//! Copies to and from LDS that are in flight where their bytes are touched, by address; and loads and stores of several
//! waves that nothing orders ([`unordered`]).
//!
//! What the waves of a workgroup do to LDS is foreseen ([`Foresight`]) for a few supposed dispatches, each wave along one
//! path. A copy lasts from its issue to the wait that covers it, or to where a wave is followed no further. What another
//! wave does is ordered against that by the workgroup barrier alone: arrival k orders what a wave has done before it
//! against what a wave does behind its k-th wait. Waves are compared up to what may order them by other means, other
//! barriers, atomics on LDS and flags that are polled ([`polls`]); from there on a wave is held against its own copies alone,
//! and that up to a copy that tells a barrier in LDS when it is done. Of a copy that is in flight at the end of its wave it is
//! asked whether others read it behind an atomic ([`flags`]).
//!
//! An address that is not known meets nothing. Loads and stores of LDS count as done at once: what of them is in flight
//! is another rule's. Two copies that write the same bytes are not looked at, as programs let several waves fetch the
//! same.

use std::cell::LazyCell;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_isa::effects::Verb;
use wavemark_memmodel::counters::{ClassId, InFlight, Pending};
use wavemark_memmodel::flow::Graph;
use wavemark_sim::Kernel;
use wavemark_sim::foresight::{Foresight, Lds, Step, Supposed, common};

use super::barriers::{self, Access, Effect};
use super::blocks::Code;
use super::one_barrier::order::{Done, alike};
use super::one_barrier::{AllUnordered, Between, Meeting, Meetings, Moment, Pair};
use super::{Analysis, copies_lds};
use crate::site_info::{SiteId, SiteInfo};
use flags::Flags;
pub(super) use flags::HandedOn;
pub(super) use polls::polls;
pub(super) use published::Pairs;

mod flags;
mod polls;
mod published;
mod refills;
mod relevant;
mod unordered;

/// Instructions of all waves together, for all dispatches: about 40 ms.
const STEPS: u32 = 100_000;
/// Where nothing is copied.
const STEPS_WITHOUT_COPIES: u32 = 30_000;
/// Of one wave.
const STEPS_OF_WAVE: u32 = 20_000;
/// How often a wave of a dispatch that is looked at can go through the whole code, if it is long.
const PASSES: u32 = 2;

/// A load or store of LDS.
struct Touch<'w> {
    site: SiteId,
    bytes: &'w [(u32, u32)],
    writes: bool,
    at: Moment,
}

/// A copy.
struct Copy<'w> {
    site: SiteId,
    bytes: &'w [(u32, u32)],
    /// It writes LDS.
    writes: bool,
    issued: Moment,
    /// The wait that covers it.
    done: Option<(Moment, SiteId)>,
    /// The arrivals of its wave in between.
    arrivals: SmallVec<[Arrival; 2]>,
}

/// A wave arrives at the workgroup barrier while a copy of its is in flight.
#[derive(Clone, Copy)]
struct Arrival {
    /// Which arrival of the wave it is.
    number: u32,
    step: usize,
    site: SiteId,
    /// What a wait before it may leave in flight.
    awaited: Pending,
}

/// What a wave does.
#[derive(Default)]
struct Wave<'w> {
    steps: &'w [Step],
    touches: Vec<Touch<'w>>,
    copies: Vec<Copy<'w>>,
    /// At which steps it arrives at the workgroup barrier or waits for it.
    turns: Vec<usize>,
    /// Up to where other waves are ordered against it by the workgroup barrier alone: in time, and of its copies.
    end: Moment,
    compared: usize,
    /// So many of its touches are done whatever memory holds, and may not wait for another wave.
    certain: usize,
    /// What it does about atomics on LDS.
    flags: Flags<'w>,
}

/// A copy that is in flight where its bytes are touched, for want of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Early {
    pub copy: SiteId,
    pub touch: SiteId,
    pub wait: MissingWait,
    /// Where the wave has arrived at a barrier since, what is missing before the last one.
    pub at_barrier: Option<MissingWait>,
    /// By another wave.
    pub other_wave: bool,
}

/// A wait that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MissingWait {
    pub before: SiteId,
    pub class: ClassId,
    /// How many operations it may leave in flight.
    pub enough: u32,
}

impl MissingWait {
    fn new(analysis: &Analysis<'_>, before: SiteId, awaited: Pending) -> MissingWait {
        MissingWait { before, class: awaited.class, enough: analysis.enough(awaited) }
    }
}

/// What the waves show.
pub(super) struct Shown {
    /// Of pairs of accesses.
    pub pairs: Pairs,
    /// Of copies, each once, in the order in which it is seen, and with what all numbers have to be for that, if they have to.
    pub early: Vec<(Early, Option<u64>)>,
    /// The copies that waves issue, if all were followed to their end.
    pub issued: Option<FxHashSet<SiteId>>,
    /// Of accesses of two waves that nothing orders.
    pub unordered: AllUnordered,
    /// Of copies that are in flight at the end, the waits that others lack.
    pub handed_on: HandedOn,
}

/// What is seen of copies.
#[derive(Default)]
struct Seen {
    /// Each with what all numbers are where it was seen first, if that matters.
    early: Vec<(Early, Option<u64>)>,
    known: FxHashSet<Early>,
    /// What all numbers are now.
    number: Option<u64>,
    /// The copies that a wave issues.
    issued: FxHashSet<SiteId>,
    /// A wave was not followed to its end.
    lost: bool,
}

impl Seen {
    fn add(&mut self, early: Early) {
        if self.known.insert(early) {
            self.early.push((early, self.number));
        }
    }

    /// A wave was followed so far.
    fn follow(&mut self, analysis: &Analysis<'_>, wave: &Wave<'_>) {
        self.issued.extend(wave.copies.iter().map(|copy| copy.site));
        let last = wave.steps.last().and_then(|step| analysis.sites.find(step.pc, step.msb));
        self.lost |= !last.is_some_and(|last| analysis.ends(last));
    }
}

/// Looks at `kernel` as `supposed`. Of pairs of accesses, the second behind a barrier at which the first is in flight, it
/// is said what the waves show; and of copies that are `unfinished` at the end of their wave, where others need them.
pub(super) fn judge(
    analysis: &Analysis<'_>,
    (code, graph): (&Code, &Graph),
    (kernel, supposed): (&Kernel, &[Supposed]),
    mut pairs: Pairs,
    unfinished: &FxHashSet<SiteId>,
) -> Shown {
    let mut handed_on = HandedOn::of(unfinished);
    // Whether there is a second wave is not asked of one that is supposed.
    let lanes = kernel.machine.lanes();
    let known: Vec<Supposed> = supposed.iter().map(|one| one.with_known_waves(lanes)).collect();
    let for_copies = Budget::for_copies(analysis, code, kernel, &known);
    let for_pairs = if pairs.is_empty() { 0 } else { STEPS };
    let for_pairs = Budget::of(for_pairs, code, kernel, supposed);
    if for_copies.dispatches.max(for_pairs.dispatches) == 0 {
        return Shown {
            pairs,
            early: Vec::new(),
            issued: None,
            unordered: AllUnordered::default(),
            handed_on,
        };
    }
    let mut seen = Seen::default();
    let mut is_shown_by_first = true;
    let mut unordered = AllUnordered::default();
    let mut dispatches = 0;
    let polls = polls(analysis, code, graph);
    let mut foresight = Foresight::new(kernel, relevant::hops(analysis, code, graph));
    for (number, (one, known)) in supposed.iter().zip(&known).enumerate() {
        let for_copies = for_copies.of_wave(kernel, number, known);
        let for_pairs = for_pairs.of_wave(kernel, number, one);
        let most = if one.any_size { for_copies } else { for_copies.max(for_pairs) };
        let Ok(ways) = foresight.ways(known, most) else {
            seen.lost = true;
            is_shown_by_first &= number > 0;
            continue;
        };
        // What one that stands for others would have shown, if it had come so far, is not for other numbers alone.
        seen.number = one.number.filter(|_| is_shown_by_first);
        if for_copies > 0 {
            let single = ways.len() == 1;
            let waves = ways
                .iter()
                .map(|way| Wave::of(analysis, way.within(for_copies), single, &polls, unfinished, &mut seen));
            let waves: Vec<Wave<'_>> = waves.collect();
            waves.iter().for_each(|wave| seen.follow(analysis, wave));
            is_shown_by_first &= number > 0 || one.number.is_some() || !seen.lost;
            let mut meetings = Meetings::default();
            for (number, wave) in waves.iter().enumerate() {
                for (with, other) in waves.iter().enumerate().filter(|&(other, _)| other != number) {
                    wave.meet(analysis, (other, [number, with]), &mut seen, &mut meetings);
                }
            }
            handed_on.look(analysis, &waves.iter().map(|wave| &wave.flags).collect::<Vec<_>>());
            dispatches += u32::from(unordered::look(&waves, &mut meetings));
            unordered.add(analysis, meetings, |meeting| refills::refills(&waves, meeting));
        }
        if for_pairs > 0 {
            let ways = if one.any_size { foresight.ways(one, for_pairs).unwrap_or_default() } else { ways };
            pairs.look(analysis, &ways, for_pairs, &polls);
        }
    }
    unordered.confirm(analysis, u32::min(dispatches, 2));
    // Where nothing differs between them, they say nothing of others.
    let differ = supposed.iter().take(for_copies.dispatches).any(|one| one.number.is_some());
    let issued = (differ && !seen.lost).then_some(seen.issued);
    Shown { pairs, early: seen.early, issued, unordered, handed_on }
}

/// How far the waves of supposed dispatches are followed.
struct Budget {
    /// Instructions of all waves together, for all dispatches.
    steps: u32,
    /// So many dispatches are looked at, the first ones.
    dispatches: usize,
}

impl Budget {
    /// For copies, and for loads and stores that nothing orders.
    fn for_copies(analysis: &Analysis<'_>, code: &Code, kernel: &Kernel, supposed: &[Supposed]) -> Budget {
        let is_any = |is: fn(&SiteInfo) -> bool| {
            code.blocks.iter().flat_map(|block| &block.sites).any(|&site| is(analysis.sites.get(site)))
        };
        let (copies, stores) = (is_any(copies_lds), is_any(|info| touch(info) == Some(true)));
        let steps = match copies {
            true => STEPS,
            // One wave alone is in order.
            false if stores && supposed.iter().any(|one| waves(kernel, one) > 1) => STEPS_WITHOUT_COPIES,
            false => 0,
        };
        Budget::of(steps, code, kernel, supposed)
    }

    /// Of long code fewer dispatches are looked at.
    fn of(steps: u32, code: &Code, kernel: &Kernel, supposed: &[Supposed]) -> Budget {
        if steps == 0 {
            return Budget { steps, dispatches: 0 };
        }
        let length = u32::try_from(code.instructions).unwrap_or(u32::MAX).saturating_mul(PASSES).max(1);
        let most = supposed.first().map_or(1, |one| waves(kernel, one)).saturating_mul(length);
        Budget { steps, dispatches: supposed.len().min((steps / most).max(1) as usize) }
    }

    /// For a wave of dispatch `number`.
    fn of_wave(&self, kernel: &Kernel, number: usize, one: &Supposed) -> u32 {
        if number >= self.dispatches {
            return 0;
        }
        (self.steps / waves(kernel, one).saturating_mul(self.dispatches as u32)).min(STEPS_OF_WAVE)
    }
}

/// Whether workgroups are known to have one wave.
pub(super) fn is_alone(kernel: &Kernel, supposed: &[Supposed]) -> bool {
    !supposed.is_empty() && supposed.iter().all(|one| !one.any_size && waves(kernel, one) == 1)
}

/// The waves of a workgroup.
fn waves(kernel: &Kernel, supposed: &Supposed) -> u32 {
    let items = supposed.dispatch.block.into_iter().fold(1u32, u32::saturating_mul);
    items.div_ceil(kernel.machine.lanes()).max(1)
}

impl<'w> Wave<'w> {
    /// The wave that goes this way; what it does to its own copies is reported. If it is the only one that is supposed, it stands for
    /// the others at barriers.
    fn of(
        analysis: &Analysis<'_>,
        (steps, known): (&'w [Step], usize),
        single: bool,
        polls: &FxHashSet<SiteId>,
        unfinished: &FxHashSet<SiteId>,
        seen: &mut Seen,
    ) -> Wave<'w> {
        let mut wave = Wave { steps, ..Wave::default() };
        let mut in_flight = InFlight::default();
        // Copies in flight by the number under which they are.
        let mut open: FxHashMap<u32, usize> = FxHashMap::default();
        let mut now = Moment::default();
        let mut alone = false;
        let mut certain = true;
        for (step, foreseen) in steps.iter().enumerate() {
            now.step = step;
            let Some(site) = analysis.sites.find(foreseen.pc, foreseen.msb) else { break };
            let info = analysis.sites.get(site);
            if foreseen.lds == Lds::Signals {
                break;
            }
            alone |= synchronises_otherwise(info) || polls.contains(&site);
            certain &= step < known && !alone && !may_tell(info);
            if let (Lds::Bytes(bytes), Some(access)) = (&foreseen.lds, touch(info)) {
                let touch = Touch { site, bytes, writes: access, at: now };
                wave.own(analysis, (&in_flight, single), &open, &touch, seen);
                if !unfinished.is_empty() && !access {
                    wave.flags.read(bytes);
                }
                if !alone {
                    wave.touches.push(touch);
                }
                if certain {
                    wave.certain = wave.touches.len();
                }
            }
            if !unfinished.is_empty() && barriers::access(info) == Some(Access::Atomic) {
                let copies = in_flight.pending().iter().filter_map(|one| {
                    let copy = &wave.copies[*open.get(&one.operation)?];
                    unfinished.contains(&copy.site).then_some((copy.site, copy.bytes, *one))
                });
                wave.flags.raise(site, copies);
            }
            if let Some(effect) = Effect::of(info) {
                wave.turns.push(step);
                now.arrivals += u32::from(effect.arrives);
                if effect.arrives {
                    for one in in_flight.pending() {
                        if let Some(&copy) = open.get(&one.operation) {
                            let arrival = Arrival { number: now.arrivals, step, site, awaited: *one };
                            wave.copies[copy].arrivals.push(arrival);
                        }
                    }
                }
                now.waits += u32::from(effect.waits);
            }
            analysis.wait(&mut in_flight, info);
            let mut number = OTHERS;
            if copies_lds(info)
                && let Lds::Bytes(bytes) = &foreseen.lds
            {
                number = wave.copies.len() as u32;
                open.insert(number, wave.copies.len());
                let writes = info.effects.memory.is_some_and(|memory| writes_lds(memory.verb));
                let (issued, done, arrivals) = (now, None, SmallVec::new());
                wave.copies.push(Copy { site, bytes, writes, issued, done, arrivals });
            }
            analysis.issue(&mut in_flight, number, info);
            open.retain(|&number, &mut copy| {
                let flies = in_flight.has(number);
                if !flies && !alone {
                    wave.copies[copy].done = Some((now, site));
                }
                flies
            });
            if !alone {
                (wave.end, wave.compared) = (now, wave.copies.len());
            }
        }
        wave
    }

    /// The wave touches what its own copies have in flight.
    fn own(
        &self,
        analysis: &Analysis<'_>,
        (in_flight, single): (&InFlight, bool),
        open: &FxHashMap<u32, usize>,
        touch: &Touch<'_>,
        seen: &mut Seen,
    ) {
        for one in in_flight.pending() {
            let Some(copy) = open.get(&one.operation).map(|&copy| &self.copies[copy]) else { continue };
            if (copy.writes || touch.writes) && common(copy.bytes, touch.bytes).is_some() {
                let arrival = copy.arrivals.last();
                let at_barrier =
                    arrival.map(|arrival| MissingWait::new(analysis, arrival.site, arrival.awaited));
                let here = MissingWait::new(analysis, touch.site, *one);
                let wait = at_barrier.filter(|_| single).unwrap_or(here);
                seen.add(Early { copy: copy.site, touch: touch.site, wait, at_barrier, other_wave: false });
            }
        }
    }

    /// Another wave touches what this one's copies have in flight.
    fn meet(
        &self,
        analysis: &Analysis<'_>,
        (other, numbers): (&Wave<'w>, [usize; 2]),
        seen: &mut Seen,
        meetings: &mut Meetings<'w>,
    ) {
        let alike = LazyCell::new(|| alike(self.steps, other.steps));
        for copy in &self.copies[..self.compared] {
            let done = copy.done.map_or(self.end, |(done, _)| done);
            for touch in &other.touches {
                let apart = done.is_before(touch.at) || touch.at.is_before(copy.issued);
                if apart || !(copy.writes || touch.writes) || common(copy.bytes, touch.bytes).is_none() {
                    continue;
                }
                match self.hands_on_early(analysis, copy, touch, *alike) {
                    Some(arrival) => {
                        let wait = MissingWait::new(analysis, arrival.site, arrival.awaited);
                        let at_barrier = Some(wait);
                        seen.add(Early {
                            copy: copy.site,
                            touch: touch.site,
                            wait,
                            at_barrier,
                            other_wave: true,
                        });
                    }
                    None => {
                        let first = (copy.site, self.done(copy.issued, copy.writes));
                        let second = (touch.site, other.done(touch.at, touch.writes));
                        let (pair, meeting) = match meetings.precedes(first, second, *alike) {
                            true => self.meeting(copy, (other.steps, touch), (numbers, *alike)),
                            false => other.meeting_of_touch(touch, (self.steps, copy), (numbers, *alike)),
                        };
                        meetings.add(pair, meeting);
                    }
                }
            }
        }
    }

    /// Where the wave arrives with a copy in flight at the barrier that another wave's touch stands behind, if a wait
    /// is what is missing there. If the waves have done other things since and then waited, it is a barrier behind that
    /// wait.
    fn hands_on_early(
        &self,
        analysis: &Analysis<'_>,
        copy: &Copy<'w>,
        touch: &Touch<'w>,
        alike: usize,
    ) -> Option<Arrival> {
        let arrival = *copy.arrivals.iter().rev().find(|arrival| arrival.number <= touch.at.waits)?;
        let waited = copy.done.filter(|(done, _)| touch.at.step < alike && done.step <= touch.at.step);
        let Some((done, _)) = waited else { return Some(arrival) };
        let issues = |step: &Step| {
            let site = analysis.sites.find(step.pc, step.msb);
            site.is_some_and(|site| !analysis.sites.get(site).effects.channels.is_empty())
        };
        let other_things = self.steps[arrival.step..done.step].iter().any(issues);
        (!other_things).then_some(arrival)
    }

    /// What it does at a moment.
    fn done(&self, at: Moment, writes: bool) -> Done<'_> {
        Done { steps: self.steps, turns: &self.turns, at, writes }
    }

    /// A copy and another wave's touch of its bytes behind it, between which a barrier is missing.
    fn meeting(
        &self,
        copy: &Copy<'w>,
        (steps, touch): (&'w [Step], &Touch<'w>),
        (waves, alike): ([usize; 2], usize),
    ) -> (Pair, Meeting<'w>) {
        // Of waves that go different ways it cannot be told which wait is meant.
        let same_way = touch.at.step < alike;
        let waited = copy.done.filter(|(done, _)| !same_way || done.step <= touch.at.step);
        let (at, between) = match waited {
            Some((done, wait)) if same_way => (done, Between::Waits(wait)),
            None if same_way => (copy.issued, Between::Nothing),
            _ => (waited.map_or(copy.issued, |(done, _)| done), Between::Unknown),
        };
        let pair = Pair { handed_on: copy.is_handed_on(touch), first: copy.site, second: touch.site };
        let (from, to, issued) = ((self.steps, at), (steps, touch.at), copy.issued);
        (pair, Meeting { from, issued, to, waves, alike, between })
    }

    /// A touch and another wave's copy behind it.
    fn meeting_of_touch(
        &self,
        touch: &Touch<'w>,
        (steps, copy): (&'w [Step], &Copy<'w>),
        ([of_copy, own], alike): ([usize; 2], usize),
    ) -> (Pair, Meeting<'w>) {
        let pair = Pair { handed_on: copy.is_handed_on(touch), first: touch.site, second: copy.site };
        let (from, to, between) = ((self.steps, touch.at), (steps, copy.issued), Between::Touch);
        (pair, Meeting { from, issued: touch.at, to, waves: [own, of_copy], alike, between })
    }
}

impl Copy<'_> {
    /// Whether its wave has arrived with it in flight at a barrier that a touch stands behind.
    fn is_handed_on(&self, touch: &Touch<'_>) -> bool {
        self.arrivals.iter().any(|arrival| arrival.number <= touch.at.waits)
    }
}

/// The number of operations that are no copies.
const OTHERS: u32 = u32::MAX;

/// Whether it touches LDS at once, and writes there.
fn touch(info: &SiteInfo) -> Option<bool> {
    match barriers::access(info)? {
        Access::Load => Some(false),
        Access::Store => Some(true),
        Access::Atomic | Access::Copy | Access::CopyFrom => None,
    }
}

/// Whether a copy writes LDS.
pub(super) fn writes_lds(verb: Verb) -> bool {
    matches!(verb, Verb::ToLds | Verb::Load)
}

/// Whether waves may be ordered by it in another way than by the workgroup barrier.
fn synchronises_otherwise(info: &SiteInfo) -> bool {
    let other_barrier = info.effects.barrier.is_some() && Effect::of(info).is_none();
    let lds = info
        .effects
        .memory
        .is_some_and(|memory| memory.path == wavemark_isa::effects::Path::Lds && memory.is_atomic());
    other_barrier || lds
}

/// Whether a wave may learn by it, in another way than by the workgroup barrier, how far others are.
fn learns_otherwise(info: &SiteInfo) -> bool {
    synchronises_otherwise(info) && (info.effects.barrier.is_some() || info.writes().next().is_some())
}

/// Whether a wave may learn by it, or tell by it, how far it is: atomics on memory of others.
fn may_tell(info: &SiteInfo) -> bool {
    info.effects.memory.is_some_and(|memory| memory.is_atomic())
}
