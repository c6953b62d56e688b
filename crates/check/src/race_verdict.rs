//! Which rule two accesses of memory break that conflict, what is missing between them, and where.
//!
//! If the earlier one is only known to have been *issued*, a wait is missing before the publication; if not even that,
//! synchronisation is missing ("synchronisation", 5.2). A store that is over may not be seen yet for want of a write-back or of
//! an invalidate (5.4).

use std::fmt::{self, Display};

use wavemark_isa::effects::{
    AtomicOp, Caches, invalidate_text, scalar_invalidate_text, wait_text, write_back_text,
};
use wavemark_sim::events::{Channel, Counter, Direction, Scope, Site, Space, WaveId};

use crate::Checker;
use crate::finding::{BARRIER_BEHIND, BARRIER_SOMEWHERE, Class, REFILL};
use crate::knowledge::common_scope;
use crate::lds::Over;
use crate::meeting::Conflict;
use crate::mistakes::Place;
use crate::relation::{Later, Relation, channel};
use crate::shadow::Record;
use crate::site_info::{SiteId, SiteInfo};
use crate::wave_state::{Arrive, Operation, Release, WaveState};
use crate::waves::Unseen;

/// What is said of two accesses.
pub(crate) struct Verdict {
    /// The rule.
    pub rule: &'static str,
    /// What is missing.
    pub class: Class,
    /// One line.
    pub title: String,
    /// What would mend it, if that is no wait of which [`Verdict::missing`] says all.
    pub hint: String,
    /// The instruction that the hint is about.
    pub hint_site: Option<Site>,
    /// See [`Finding::else_before`](crate::finding::Finding).
    pub else_before: Option<Site>,
    /// The wave that should have waited and where, if a wait before a place that is known would have been enough; and whether it
    /// has waited for another counter.
    pub missing: Option<(Place, bool)>,
    /// The counter of what is to be waited for: the earlier access, or a write-back.
    pub awaited: Counter,
    /// With the barrier that is missing a wait is: before which instruction, and how many operations of a counter it may leave in
    /// flight.
    pub with_barrier: Option<(SiteId, Counter, u32)>,
}

/// What would order two accesses.
struct OrderHint {
    hint: String,
    /// The instruction that it is about.
    at: Option<Site>,
    /// See [`Finding::else_before`](crate::finding::Finding).
    else_before: Option<Site>,
    /// See [`Verdict::with_barrier`].
    with_barrier: Option<(SiteId, Counter, u32)>,
}

impl OrderHint {
    fn somewhere(hint: String) -> OrderHint {
        OrderHint { hint, at: None, else_before: None, with_barrier: None }
    }

    fn at(hint: String, site: Site) -> OrderHint {
        OrderHint { at: Some(site), ..OrderHint::somewhere(hint) }
    }
}

/// Two accesses that conflict, and what the checker knows of their waves.
pub(crate) struct Meets<'c> {
    checker: &'c Checker,
    later: &'c Later,
    conflict: &'c Conflict,
    first: &'c SiteInfo,
    second: &'c SiteInfo,
    /// The wave of the later one.
    state: &'c WaveState,
    /// That of the earlier one, unless its workgroup has ended.
    other: Option<&'c WaveState>,
    /// Who that was.
    pub other_id: WaveId,
    /// The channel of the earlier one, and its counter.
    channel: Channel,
    pub counter: Counter,
    /// They are of one wave.
    pub own: bool,
}

/// A dword of a memory.
struct Dword(Space, u64);

impl Display for Dword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = if self.0 == Space::Lds { "LDS byte" } else { "global memory at" };
        write!(f, "{memory} {:#x}", self.1 * 4)
    }
}

impl<'c> Meets<'c> {
    /// These two; `None` if nothing is known of their waves any more.
    pub fn new(checker: &'c Checker, later: &'c Later, conflict: &'c Conflict) -> Option<Meets<'c>> {
        let earlier = &conflict.earlier;
        let channel = channel(earlier.epoch.channel);
        Some(Meets {
            checker,
            later,
            conflict,
            first: checker.sites.get(earlier.site),
            second: checker.sites.get(later.record.site),
            state: checker.waves.get(later.wave.index)?,
            other: checker.waves.get(earlier.epoch.agent),
            other_id: checker.waves.id(earlier.epoch.agent)?,
            channel,
            counter: checker.counters.counter_of(channel),
            own: earlier.epoch.agent == later.wave.index,
        })
    }

    /// What is to be said of them.
    pub fn verdict(&self) -> Verdict {
        let Meets { later, conflict, .. } = self;
        match conflict.relation {
            Relation::NotWrittenBack => self.not_written_back(),
            Relation::Stale if self.invalidate_in_flight() => self.invalidate_not_awaited(),
            Relation::Stale => self.stale(),
            Relation::Apart if conflict.both_atomic && (later.record.atomic || self.is_flag()) => {
                self.too_narrow()
            }
            _ if self.own => self.own_in_flight(),
            _ if self.is_issued() => self.in_flight_when_handed_on(),
            _ if later.space == Space::Global
                && conflict.earlier.atomic != later.record.atomic
                && self.is_flag() =>
            {
                self.one_without_scope()
            }
            _ => self.unordered(),
        }
    }

    /// What shows is that an invalidate is not over that would do.
    pub fn invalidate_in_flight(&self) -> bool {
        let mut invalidates = self.state.invalidates.iter();
        self.conflict.relation == Relation::Stale
            && invalidates.any(|invalidate| invalidate.known.relied.knows(self.conflict.earlier.epoch))
    }

    /// By the manual asynchronous loads and stores return each in order, but not one with the other (CDNA5 ISA 10.8); compilers
    /// take ASYNCcnt for one queue, by which the earlier one is over.
    pub fn is_over_in_one_queue(&self) -> bool {
        let of = self.own.then(|| self.state.operations.iter().find(|one| self.is_earlier(one))).flatten();
        of.is_some_and(|of| of.async_index != 0 && of.async_index <= self.state.async_retired)
    }

    /// What each does to the memory.
    fn verbs(&self) -> (&'static str, &'static str) {
        match (self.conflict.write_first, self.later.direction) {
            (true, Direction::Read) => ("written", "read"),
            (true, _) => ("written", "overwritten"),
            (false, _) => ("read", "overwritten"),
        }
    }

    fn place(&self) -> Dword {
        Dword(self.later.space, self.conflict.dword)
    }

    /// How far the two waves are apart.
    fn common(&self) -> Scope {
        common_scope(self.later.wave, self.other_id)
    }

    fn is_earlier(&self, operation: &Operation) -> bool {
        operation.seq.contains(&(self.channel, self.conflict.earlier.epoch.seq))
    }

    /// The later one's wave knows that the earlier one is issued.
    fn is_issued(&self) -> bool {
        self.own || self.state.known.issued.knows(self.conflict.earlier.epoch)
    }

    /// How much it knows of what a wave has issued.
    fn knows_of(&self, agent: u32, channel: Channel) -> u32 {
        self.state.known.issued.get(agent, channel as u8)
    }

    /// How much it knows of what the earlier one's wave has issued.
    fn knows(&self, channel: Channel) -> u32 {
        self.knows_of(self.conflict.earlier.epoch.agent, channel)
    }

    /// They are of one workgroup.
    fn is_near(&self) -> bool {
        self.other_id.workgroup_flat == self.later.wave.workgroup_flat
    }

    /// Whether one of them looks at it in a loop that waits for the value.
    fn is_flag(&self) -> bool {
        let sites = [self.later.record.site, self.conflict.earlier.site];
        sites.into_iter().any(|load| self.checker.polls_by_code(load))
    }

    /// The one whose scope reaches less far.
    pub fn narrower(&self) -> &'c SiteInfo {
        if self.conflict.earlier.scope <= self.later.record.scope { self.first } else { self.second }
    }

    /// Why a store that is over is not seen.
    fn why_unseen(&self) -> Unseen {
        let knows_of = |agent: u32, channel: Channel| self.knows_of(agent, channel);
        self.checker.waves.why_unseen(self.conflict.earlier.epoch, self.common(), knows_of)
    }

    fn wait(&self, counter: Counter) -> String {
        wait_text(self.checker.machine, counter, 0)
    }

    fn write_back(&self) -> String {
        format!("{} and its wait", write_back_text(self.checker.machine, self.common()))
    }

    /// A verdict without a hint.
    fn verdict_of(&self, rule: &'static str, class: Class, title: String) -> Verdict {
        let (hint, hint_site, else_before, missing) = (String::new(), None, None, None);
        let (awaited, with_barrier) = (self.counter, None);
        Verdict { rule, class, title, hint, hint_site, else_before, missing, awaited, with_barrier }
    }

    fn not_written_back(&self) -> Verdict {
        let mut awaited = self.counter;
        let (class, why, (hint, hint_site)) = match self.why_unseen() {
            Unseen::WriteBackInFlight(channel, handed_on) => {
                awaited = self.checker.counters.counter_of(channel);
                let hint = self.checker.before(&self.wait(awaited), Some(handed_on));
                (Class::MissingWait, "a write-back is not over", hint)
            }
            Unseen::InFlight(barrier) => {
                let hint = self.checker.before(&self.wait(awaited), Some((barrier, true)));
                (Class::MissingWait, "it is not over before the write-back", hint)
            }
            Unseen::NotWrittenBack(release) => {
                let release = release.map(|release| (release, false));
                let hint = self.checker.before(&self.write_back(), release);
                (Class::MissingWriteback, "a write-back is missing", hint)
            }
        };
        let (place, verb) = (self.place(), self.verbs().1);
        let title =
            format!("{place} is {verb} in another workgroup, whose caches need not see the store: {why}");
        Verdict { hint, hint_site, awaited, ..self.verdict_of("M5", class, title) }
    }

    fn invalidate_not_awaited(&self) -> Verdict {
        let (place, verb, store) = (self.place(), self.verbs().1, self.first.mnemonic);
        let title =
            format!("{place} is {verb} before the invalidate is over that would show what {store} wrote");
        let hint = format!("{} before", self.wait(self.checker.counters.counter_of(Channel::Ld)));
        let hint_site = Some(self.second.site.clone());
        Verdict { hint, hint_site, ..self.verdict_of("M6", Class::MissingWait, title) }
    }

    fn stale(&self) -> Verdict {
        let Meets { checker, later, conflict, state, .. } = self;
        let (place, verb, store) = (self.place(), self.verbs().1, self.first.mnemonic);
        let title =
            format!("{place} is {verb} through caches that may hold what was there before {store} wrote it");
        let invalidate = invalidate_text(checker.machine, self.common());
        let (hint, before) = if later.channel == Channel::Sm {
            // What the scalar cache is filled from may be as old.
            let behind = match self.own || state.known.relied.knows(conflict.earlier.epoch) {
                true => String::new(),
                false => format!("{invalidate} and "),
            };
            let scalar = scalar_invalidate_text(checker.machine);
            (format!("{behind}{scalar} and its wait before"), later.record.site)
        } else {
            let loads = |site: SiteId| checker.sites.get(site).effects.loads_through_vector_caches();
            let first = state.first_since_learnt(later.record.epoch, loads);
            (format!("{invalidate} before"), first.unwrap_or(later.record.site))
        };
        let hint_site = Some(checker.sites.get(before).site.clone());
        Verdict { hint, hint_site, ..self.verdict_of("M6", Class::MissingInvalidate, title) }
    }

    fn too_narrow(&self) -> Verdict {
        let place = self.place();
        let title = format!(
            "atomics of two waves meet in {place}, and a scope does not reach as far as the waves are apart"
        );
        self.wrong_scope(title)
    }

    fn one_without_scope(&self) -> Verdict {
        let (place, (first, second)) = (self.place(), self.verbs());
        let title = format!(
            "{place} is {first} by one wave and {second} by another, which looks at it until it changes: one of them has no scope"
        );
        self.wrong_scope(title)
    }

    fn wrong_scope(&self, title: String) -> Verdict {
        let hint = "the scope that both waves share on".to_owned();
        let hint_site = Some(self.narrower().site.clone());
        Verdict { hint, hint_site, ..self.verdict_of("M2", Class::WrongScope, title) }
    }

    /// A wave meets its own operation, which is in flight.
    fn own_in_flight(&self) -> Verdict {
        let Meets { later, state, first, second, .. } = self;
        let wrong = self.waited_for_another(state, u64::MAX);
        let mut before = state.here(later.record.site, second.site.pc, self.channel);
        if later.channel == self.channel {
            // The wait stands before the later access, which is issued already.
            before.issued = later.record.epoch.seq - 1;
        }
        let before = self.before_scalar_invalidate().unwrap_or(before);
        let dma_second = matches!(later.channel, Channel::Al | Channel::As | Channel::Td | Channel::Vm);
        let rule = match (self.channel, wrong) {
            (_, true) => "R6",
            (Channel::Ds, _) if dma_second => "R5",
            _ => "R4",
        };
        let (place, verb) = (self.place(), self.verbs().1);
        let title = format!("{place} is {verb} by {} while {} is in flight", second.mnemonic, first.mnemonic);
        let hint_site = before.before.map(|(site, _)| self.checker.sites.get(site).site.clone());
        let missing = Some((before, wrong));
        Verdict { hint_site, missing, ..self.verdict_of(rule, Class::MissingWait, title) }
    }

    /// Where a wave has emptied the scalar cache since the earlier one, for the later one, which comes by that: what is to be found
    /// there must be over before.
    fn before_scalar_invalidate(&self) -> Option<Place> {
        let Meets { checker, later, conflict, state, .. } = self;
        let empties = |invalidate: &SiteInfo| {
            invalidate.effects.memory.is_some_and(|memory| memory.caches == Caches::Scalar)
        };
        let by_that = later.channel == Channel::Sm;
        by_that.then(|| checker.before_invalidate(state, conflict.earlier.epoch, empties)).flatten()
    }

    /// Another wave's operation is known to be issued, and was not waited for before that was handed on.
    fn in_flight_when_handed_on(&self) -> Verdict {
        let Meets { later, conflict, other, .. } = self;
        let earlier = conflict.earlier.epoch;
        if later.space == Space::Lds && self.meet_at_barrier_of_fewer() {
            // A phase that is complete too early hands on what is to be waited for before a later arrival.
            return self.unordered();
        }
        // The barrier by which it is known, unless that is by something else.
        let known = &self.state.known.issued;
        let waits = &self.checker.tally.waits;
        let served =
            |wait: SiteId| waits.get(&(wait, self.counter)).is_some_and(|stats| stats.is_just_enough());
        let at_barrier = other.and_then(|of| of.arrive_at(earlier.channel, self.counter, known, served));
        let arrive = at_barrier.filter(|at| at.comes_behind(earlier));
        let flag =
            other.filter(|_| self.is_near()).and_then(|of| of.published_by(earlier, |c| self.knows(c)));
        if later.space == Space::Global && (arrive.is_none() || !self.is_near()) {
            return self.published_early(flag);
        }
        match arrive.and_then(|arrive| self.wait_behind_barrier(&arrive)) {
            Some(wait) => self.no_barrier_behind(wait),
            None => self.not_awaited_at(arrive, flag),
        }
    }

    /// Waves run the same program: where this one has waited for its copy behind the barrier, the other waits for its own.
    fn wait_behind_barrier(&self, arrive: &Arrive) -> Option<SiteId> {
        let earlier = &self.conflict.earlier;
        if !earlier.dma || self.later.space != Space::Lds {
            return None;
        }
        let younger = arrive.seq[usize::from(earlier.epoch.channel)].checked_sub(earlier.epoch.seq)?;
        self.state.wait_behind_barrier(self.channel, self.counter, younger)
    }

    /// Global memory is accessed for which something was released, maybe by `flag`, before the earlier access was over.
    fn published_early(&self, flag: Option<Arrive>) -> Verdict {
        let Meets { checker, conflict, .. } = self;
        let earlier = &conflict.earlier;
        let (place, verb) = (self.place(), self.verbs().1);
        let title =
            format!("{place} is {verb} without the earlier access having completed before it was published");
        let by_flag = flag.map(|flag| (flag, false));
        let publication = checker.waves.publication(earlier.epoch.agent);
        let handed_on = by_flag.or_else(|| publication.handed_on(earlier.epoch, |c| self.knows(c)));
        let common = self.common();
        let writes_back = checker.facts.several_l2 && common >= Scope::Device && earlier.scope < common;
        let unseen = Some(()).filter(|()| conflict.write_first && writes_back).map(|()| self.why_unseen());
        // A release writes back, and waits for that: by the way for the store, and for those of other waves where what they store
        // goes before it through one cache.
        let in_order = checker.facts.cu_keeps_order && !self.other_id.split;
        if matches!(unseen, Some(Unseen::WriteBackInFlight(..))) && in_order {
            return self.not_written_back();
        }
        let is_own = handed_on.is_some_and(|(_, at_barrier)| !at_barrier);
        let mut missing = None;
        let (class, what) = if is_own && matches!(unseen, Some(Unseen::NotWrittenBack(_))) {
            (Class::MissingWriteback, self.write_back())
        } else {
            missing = handed_on.map(|(at, _)| {
                let before = Some((at.site, checker.sites.get(at.site).site.pc));
                (Place { before, step: at.step, issued: earlier.epoch.seq, hands_on: true }, false)
            });
            (Class::MissingWait, self.wait(self.counter))
        };
        let (hint, hint_site) = checker.before(&what, handed_on);
        Verdict { hint, hint_site, missing, ..self.verdict_of("M5", class, title) }
    }

    /// A copy is waited for, but with no barrier behind that.
    fn no_barrier_behind(&self, wait: SiteId) -> Verdict {
        let (place, verb, copy) = (self.place(), self.verbs().1, self.first.mnemonic);
        let title = format!(
            "{place} is {verb} while {copy} of another wave may still be in flight: no barrier comes behind the wait for it"
        );
        let hint = BARRIER_BEHIND.to_owned();
        let hint_site = Some(self.checker.sites.get(wait).site.clone());
        Verdict { hint, hint_site, ..self.verdict_of("R4", Class::MissingSync, title) }
    }

    /// Neither the barrier, if it is one by which it is known, nor a flag waits for the earlier access.
    fn not_awaited_at(&self, barrier: Option<Arrive>, flag: Option<Arrive>) -> Verdict {
        let Meets { checker, conflict, other, .. } = self;
        let earlier = &conflict.earlier;
        let hands_on = if barrier.is_some() { "the barrier" } else { "what hands it on" };
        let (place, verb, first) = (self.place(), self.verbs().1, self.first.mnemonic);
        let title = format!(
            "{place} is {verb} while {first} of another wave may still be in flight: {hands_on} does not wait for it"
        );
        let at = barrier.or(flag);
        let before = at.map(|at| (at.site, checker.sites.get(at.site).site.pc));
        let step = at.map_or(0, |at| at.step);
        // How many were younger when it arrived at a barrier: that is all this wave knows of the other's issues. Of what a flag
        // hands on no more is known than was issued before it; of a plain one not even that.
        let known = self.knows(self.channel);
        let before_flag = flag.map_or(earlier.epoch.seq, |at| at.seq[usize::from(earlier.epoch.channel)]);
        let issued = if barrier.is_some() { known } else { known.min(before_flag) };
        let wrong = other.is_some_and(|other| self.waited_for_another(other, step));
        let rule = match (wrong, earlier.dma) {
            (true, _) => "R6",
            (false, true) => "R4",
            (false, false) => "S1",
        };
        let missing = Some((Place { before, step, issued, hands_on: true }, wrong));
        let hint_site = before.map(|(site, _)| checker.sites.get(site).site.clone());
        Verdict { hint_site, missing, ..self.verdict_of(rule, Class::MissingWait, title) }
    }

    /// Whether the earlier one's wave, before one of its steps, has waited for another counter than that.
    fn waited_for_another(&self, state: &WaveState, before: u64) -> bool {
        let operation = state.operations.iter().find(|operation| self.is_earlier(operation));
        operation.is_some_and(|operation| self.checker.waited_for_another(state, operation, before))
    }

    fn unordered(&self) -> Verdict {
        let (place, (first, second)) = (self.place(), self.verbs());
        let title =
            format!("{place} is {first} by one wave and {second} by another with nothing to order the two");
        let rule = if self.later.space == Space::Lds { "S2" } else { "M1" };
        let OrderHint { hint, at: hint_site, else_before, with_barrier } = self.order_hint();
        let verdict = self.verdict_of(rule, Class::MissingSync, title);
        Verdict { hint, hint_site, else_before, with_barrier, ..verdict }
    }

    /// What would order two accesses of different waves that nothing orders, as the wave of the later one knows.
    fn order_hint(&self) -> OrderHint {
        let Meets { checker, later, conflict, .. } = self;
        let earlier = &conflict.earlier;
        // Where its workgroup has handed on something to this one, the access is not in order with that.
        let beside = || {
            let knows = |agent: u32, channel: Channel| self.knows_of(agent, channel);
            checker.waves.release_beside(earlier.epoch.agent, knows, |agent, release| {
                self.is_behind_earlier(agent, release)
            })
        };
        let release = (later.space == Space::Global && !self.is_near()).then(beside).flatten();
        let is_atomic = |record: &Record| record.atomic && !record.maybe_plain;
        let is_flag = is_atomic(earlier) != is_atomic(&later.record);
        let order = "release and acquire through an atomic, or a barrier, between the two accesses";
        let hint = match (later.space, release) {
            _ if earlier.site == later.record.site
                && conflict.write_first
                && later.direction == Direction::Write =>
            {
                "addresses (M0, EXEC, base) that keep the waves apart, or a barrier between the two accesses"
                    .to_owned()
            }
            (Space::Lds, _) if self.over() != Over::Else => return self.barrier_hint(),
            (Space::Lds, _) if let Some(arrival) = self.behind_arrival() => {
                let arrival = checker.sites.get(arrival).site.clone();
                return OrderHint::at(
                    format!("{} and the wait for it belong before", self.first.mnemonic),
                    arrival,
                );
            }
            (Space::Lds, _) if let Some((barrier, access)) = self.before_wait() => {
                return OrderHint::at(format!("behind the wait for {barrier} belongs"), access.site.clone());
            }
            (Space::Lds, _) => return self.barrier_hint(),
            (_, Some(release)) => {
                let hint =
                    "a barrier of the workgroup, behind the wait for the first access, before the release by";
                return OrderHint::at(hint.to_owned(), checker.sites.get(release.at.site).site.clone());
            }
            _ if is_flag => {
                format!("if this is a flag, the scope that both waves share on either side; else {order}")
            }
            _ => order.to_owned(),
        };
        OrderHint::somewhere(hint)
    }

    /// Both waves take part in a named barrier that is initialised for fewer than do.
    fn meet_at_barrier_of_fewer(&self) -> bool {
        let near = self.is_near().then_some([self.later.wave, self.other_id]);
        near.is_some_and(|waves| self.checker.miscounts.iter().any(|of| of.is_of(waves.into_iter())))
    }

    /// The barrier that would order two accesses of LDS, and where that is, if one of the waves has done what both have with no
    /// barrier in between: in the order of the program, which may be the other one. A barrier waits for nothing by itself.
    fn barrier_hint(&self) -> OrderHint {
        let Meets { checker, later, conflict, .. } = self;
        let site = |site| checker.sites.get(site).site.clone();
        let between = |state: &WaveState, first: &Record, second: &Record, by_number: bool| {
            let of = channel(first.epoch.channel);
            let counter = checker.counters.counter_of(of);
            let (_, before) = state.operation_at(second.epoch.channel, second.epoch.seq)?;
            let first = state.same_as((of, first.epoch.seq), first.site, before, by_number)?;
            let wait = state.wait_between(first, before, of, counter)?;
            // What asks others with atomics may be on its own there.
            let between = first.before.step..before.before.step;
            let mut asked =
                state.operations.iter().filter(|operation| between.contains(&operation.before.step));
            let is_atomic = |operation: &Operation| {
                checker.sites.get(operation.site).effects.memory.is_some_and(|memory| memory.atomic.is_some())
            };
            (before.site == second.site && !asked.any(is_atomic)).then_some((wait, counter, second.site))
        };
        let (earlier, later) = (&conflict.earlier, &later.record);
        let found = between(self.state, earlier, later, false);
        // The other way round it is known by numbers alone which one of several rounds is meant.
        let found = found.or_else(|| between(self.other?, later, earlier, true));
        // Others may have come by another wait.
        let by_both =
            |wait| [Some(self.state), self.other].into_iter().flatten().all(|of| of.has_waited_at(wait));
        match found {
            Some((Ok(wait), _, second)) => OrderHint {
                else_before: (!by_both(wait)).then(|| site(second)),
                ..OrderHint::at(BARRIER_BEHIND.to_owned(), site(wait))
            },
            Some((Err(younger), counter, second)) => OrderHint {
                with_barrier: Some((second, counter, younger)),
                ..OrderHint::somewhere(String::new())
            },
            None if self.over() == Over::Unread => OrderHint::at(REFILL.to_owned(), self.second.site.clone()),
            None => OrderHint::somewhere(BARRIER_SOMEWHERE.to_owned()),
        }
    }

    /// What the copy was over that has brought what is read.
    fn over(&self) -> Over {
        let lds = self.checker.lds.get(&self.later.wave.workgroup_flat);
        let read = self.conflict.write_first && self.later.direction == Direction::Read;
        lds.filter(|_| read).map_or(Over::Else, |lds| lds.was_over(self.conflict.earlier.epoch))
    }

    /// The arrival at a barrier that the wave of the earlier one has not waited for before that, if the wave of the later one knows
    /// of it: that would know of the access, too, if it stood before it.
    fn behind_arrival(&self) -> Option<SiteId> {
        let earlier = self.conflict.earlier.epoch;
        let (_, access) = self.other?.operation_at(earlier.channel, earlier.seq)?;
        self.other?.arrived_before(access, &self.state.known.issued)
    }

    /// The one of the two that stands between its wave's arrival at a barrier and the wait, if that would order them; and the
    /// barrier.
    fn before_wait(&self) -> Option<(String, &'c SiteInfo)> {
        let earlier = self.conflict.earlier.epoch;
        if let Some(barrier) = self.checker.barrier_that_would_tell(self.later.wave, earlier) {
            return Some((barrier, self.second));
        }
        let (_, access) = self.other?.operation_at(earlier.channel, earlier.seq)?;
        let arrival = self.other?.arrives().last()?;
        let barrier = self.checker.barrier_that_waits_for(self.other_id, self.later.wave.index)?;
        (arrival.step < access.before.step).then_some((barrier, self.first))
    }

    /// Whether a release by a wave of the earlier one's workgroup comes behind that, as far as it is known.
    fn is_behind_earlier(&self, agent: u32, release: &Release) -> bool {
        let earlier = &self.conflict.earlier.epoch;
        let (channel, seq) = release.own;
        let of = self.checker.sites.get(release.at.site);
        let atomic = of.effects.memory.and_then(|memory| memory.atomic);
        // Of a wave that is over it is not known what it knew before the access.
        let access = self.other.and_then(|wave| wave.operation_at(earlier.channel, earlier.seq));
        let knew = access.map(|(_, access)| access.before.known.issued.get(agent, channel as u8));
        let acquires = atomic.is_some_and(AtomicOp::stores_if_equal);
        knew.is_none_or(|knew| knew < seq) && of.site.pc > self.first.site.pc && !acquires
    }
}

impl Checker {
    /// The hint that something is missing before what hands on an operation, and where that is, as far as it is known: a
    /// barrier, or a store.
    fn before(&self, missing: &str, handed_on: Option<(Arrive, bool)>) -> (String, Option<Site>) {
        let what = match handed_on {
            Some((_, true)) => "",
            Some((_, false)) => " the releasing store",
            None => " what hands it on",
        };
        let site = handed_on.map(|(at, _)| self.sites.get(at.site).site.clone());
        (format!("{missing} before{what}"), site)
    }
}
