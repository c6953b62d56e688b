//! Waits that are stronger than this run needed: W1, W2 and W3.
//!
//! For each execution of a wait the checker remembers which operations it was the last sufficient wait for
//! when their result was used (a register read, an access ordered by it, a publication by an arrive or a
//! release), or a register overwritten that they might have had to be replayed from ([`crate::replay`]). The largest number
//! that would have served all of them, over all executions, is the best N seen.
//! It speaks of this run, not of all.
//!
//! A wait that was the last sufficient one for nothing, though it had something to wait for, came too early: when the
//! results were used, a wait further down had been enough for them, behind which this one would have had nothing to wait
//! for (W3). It is said where the later wait has operations of its own to wait for, so that it is not W1 itself; and only
//! where nothing in between can have relied on the earlier one in a way that is no use: knowledge acquired, a write-back or an
//! invalidate that was over, or an access of another queue, which the hardware does not keep in order with what was waited
//! for. Of scalar loads alone it is not said: kernels wait for their arguments where they begin, once and for all. All advice on a
//! counter holds together: needs are laid on the last sufficient wait, and that one stays.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_isa::effects::weaker_wait_text;
use wavemark_order::Epoch;
use wavemark_sim::events::{Channel, Counter, Space, WaveId, executed_channels};
use wavemark_sim::queue::ordered as pipe_ordered;
use wavemark_target::facts::Facts;

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::knowledge::{BARRIERS, WaveClock};
use crate::site_info::{SiteId, Sites};
use crate::wave_state::{Operation, WAITS, WaitInstance, WaveState};

/// What is known of a wait instruction and counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitStats {
    n: u32,
    executions: u64,
    /// Executions in which more than `n` operations were outstanding.
    effective: u64,
    /// The largest number that would have served every use seen.
    best: Option<u32>,
    /// The wait further down that was enough for what this one has retired, and its address; of several the first one.
    below: Option<(u64, SiteId)>,
    /// Something that is no use may have relied on it.
    held: bool,
    /// The first wave that has executed it.
    pub wave: WaveId,
}

impl WaitStats {
    /// Whether it has had something to wait for.
    pub fn has_served(&self) -> bool {
        self.effective > 0
    }

    /// Some use seen needed it, and needed all of it.
    pub fn is_just_enough(&self) -> bool {
        self.best.is_some_and(|best| best <= self.n)
    }

    /// The same of another wave.
    pub fn of(self, wave: WaveId) -> WaitStats {
        WaitStats { wave, ..self }
    }
}

/// What is said of a wait that is stronger than needed.
#[derive(Clone, Copy, Debug)]
enum Advice {
    /// Nothing was outstanding that it would have waited for.
    HadNothing,
    /// So many operations could stay in flight.
    CouldBe(u32),
    /// A later wait is early enough.
    Later(SiteId),
}

/// The wave that a run on one thread starts first.
fn first_of(a: WaveId, b: WaveId) -> WaveId {
    if b.index < a.index { b } else { a }
}

/// What is known of one wait.
pub(crate) type Waited = ((SiteId, Counter), WaitStats);

/// Statistics by wait instruction and counter.
pub(crate) type WaitTable = FxHashMap<(SiteId, Counter), WaitStats>;

/// A copy whose end something has relied on.
#[derive(Clone, Copy, Debug)]
struct Met {
    copy: Epoch,
    /// Another wave has, which knows of fewer waits than its own.
    by_another: bool,
}

/// Copies met of late.
#[derive(Clone, Debug)]
pub(crate) struct Recent([Met; 256]);

impl Default for Recent {
    fn default() -> Recent {
        // No operation has number 0.
        Recent([Met { copy: Epoch { agent: 0, channel: 0, seq: 0 }, by_another: false }; 256])
    }
}

impl Recent {
    /// Others have been met, of agents whose numbers are lower by so much.
    pub fn add(&mut self, others: &Recent, by: u32) {
        for &Met { copy, by_another } in others.0.iter().filter(|met| met.copy.seq > 0) {
            self.knows(Epoch { agent: copy.agent + by, ..copy }, by_another);
        }
    }

    /// Whether a copy is known to have been met, by another wave if it is one now; it has been now.
    fn knows(&mut self, copy: Epoch, by_another: bool) -> bool {
        let met = &mut self.0[(copy.agent.wrapping_mul(37) ^ copy.seq) as usize % 256];
        let known = met.copy == copy && (met.by_another || !by_another);
        if !known {
            *met = Met { copy, by_another };
        }
        known
    }
}

/// Add what is known of a wait to a table.
pub(crate) fn add(table: &mut WaitTable, (wait, stats): Waited) {
    let known = table.entry(wait).or_insert(WaitStats { executions: 0, effective: 0, ..stats });
    known.executions += stats.executions;
    known.effective += stats.effective;
    known.best = known.best.into_iter().chain(stats.best).min();
    known.below = known.below.into_iter().chain(stats.below).min();
    known.held |= stats.held;
    known.wave = first_of(known.wave, stats.wave);
}

/// The same as it is said with other numbers of instructions.
pub(crate) fn with_sites(((site, counter), stats): Waited, mut of: impl FnMut(SiteId) -> SiteId) -> Waited {
    let below = stats.below.map(|(pc, site)| (pc, of(site)));
    ((of(site), counter), WaitStats { below, ..stats })
}

/// `younger` operations in flight are as many as this execution of a wait may leave.
fn need(table: &mut WaitTable, wait: (SiteId, Counter), younger: u32) {
    if let Some(stats) = table.get_mut(&wait) {
        stats.best = Some(stats.best.map_or(younger, |best| best.min(younger)));
    }
}

/// The channels of which a wait for a counter says something: scalar loads land in any order, so that only 0 tells of them.
pub(crate) fn waited_for(counter: Counter, n: u32) -> impl Iterator<Item = Channel> {
    executed_channels(counter).filter(move |&channel| channel != Channel::Sm || n == 0)
}

impl WaitInstance {
    /// The number that it waits for on a counter.
    pub fn number(&self, counter: Counter) -> Option<u32> {
        self.counters.iter().find(|(other, _)| *other == counter).map(|&(_, n)| n)
    }

    /// Whether more operations than it leaves in flight on a counter were outstanding.
    fn is_effective(&self, counter: Counter) -> bool {
        let is_waited_for = |n: u32| waited_for(counter, n).any(|channel| self.outstanding(channel) > n);
        self.number(counter).is_some_and(is_waited_for)
    }

    /// How many operations of a channel were in flight.
    fn outstanding(&self, channel: Channel) -> u32 {
        self.seq[channel as usize] - self.retired[channel as usize]
    }

    /// Whether it waits if loads and stores are one queue, as compilers take ASYNCcnt, where it does not if they are two.
    fn is_effective_in_one_queue(&self, counter: Counter) -> bool {
        let in_flight = || self.outstanding(Channel::Al) + self.outstanding(Channel::As);
        counter == Counter::Async
            && !self.is_effective(counter)
            && self.number(counter).is_some_and(|n| in_flight() > n)
    }

    /// Whether it waits for operations, none of which were in flight beyond what it leaves.
    pub fn is_idle(&self) -> bool {
        let of_operations = |counter| executed_channels(counter).next().is_some();
        let mut counters = self.counters.iter().map(|&(counter, _)| counter).peekable();
        counters.peek().is_some()
            && counters.all(|counter| of_operations(counter) && !self.is_effective(counter))
    }
}

/// Whether a wait is for room for another tensor operation, not for what is in flight.
pub(crate) fn limits_issue(facts: &Facts, (counter, n): (Counter, u32)) -> bool {
    counter == Counter::Tensor && n == facts.tensor_depth
}

impl Operation {
    /// Whether it goes on in LDS when the wave has ended: a copy, and what arrives behind one at a barrier cell.
    pub(crate) fn goes_on_in_lds(&self) -> bool {
        self.writes_lds || self.reads_lds || self.async_index != 0 && self.touches_memory
    }

    /// Whether it may access what an earlier operation of a channel did, and the two are in order only if something has
    /// waited for that one. That LDS is used which a copy has filled or read is known otherwise
    /// ([`Checker::consume_copy`]); scalar operations are loads.
    fn may_need_order_behind(&self, earlier: Channel) -> bool {
        let copies = self.writes_lds || self.reads_lds;
        self.touches_memory
            && self.seq.iter().any(|&(channel, _)| match (earlier, channel) {
                (Channel::Ds, _) => copies,
                (_, Channel::Ds) | (Channel::Sm, Channel::Sm) => false,
                _ => !pipe_ordered(earlier, channel, Space::Global),
            })
    }
}

impl WaveState {
    /// The last wait that retired operation `seq` of a channel, or would have, of those that another wave knows of by what it
    /// `knows` was issued, or of all, by its place among the waits; and how many younger operations it may leave in flight for
    /// that, which are none where what the channel counts is not over `in_order`.
    fn last_sufficient(
        &self,
        counter: Counter,
        (channel, in_order): (Channel, bool),
        seq: u32,
        knows: Option<&WaveClock>,
    ) -> Option<(usize, u32)> {
        let issued = |wait: &WaitInstance| wait.seq[channel as usize];
        let is_known = |wait: &&WaitInstance| knows.is_none_or(|known| self.is_before_known(wait, known));
        let waits = self.waits.iter().enumerate().rev().take_while(|(_, wait)| issued(wait) >= seq);
        waits.filter(|(_, wait)| is_known(wait)).find_map(|(at, wait)| {
            let enough = if in_order && !wait.beside_unordered { issued(wait) - seq } else { 0 };
            (wait.number(counter)? <= enough).then_some((at, enough))
        })
    }

    /// Whether something is known to be issued behind a wait.
    fn is_before_known(&self, wait: &WaitInstance, known: &WaveClock) -> bool {
        let issued = |channel| known.get(self.id.index, channel);
        issued(BARRIERS) > wait.barriers || (0..).zip(wait.seq).any(|(channel, seq)| issued(channel) > seq)
    }

    /// The wait that retired operation `seq` of a channel, where that is an earlier one than `last`, which would have.
    #[inline]
    fn retired_before(&self, last: usize, channel: Channel, seq: u32) -> Option<usize> {
        let retired = |at: usize| self.waits[at].retired[channel as usize] >= seq;
        retired(last).then(|| (0..last).rev().find(|&at| !retired(at)))?
    }

    /// Whether a wave has issued something between two waits that may have relied on what the first one says of a counter,
    /// or may have, for not all that it has issued there is remembered.
    fn may_rely_between(&self, sites: &Sites, counter: Counter, first: usize, last: usize) -> bool {
        let [first, last] = [first, last].map(|at| self.first_wait + at as u32);
        let between = |operation: &&Operation| (first..last).contains(&operation.waits_before);
        let forgotten = self.operations.front().is_none_or(|oldest| oldest.waits_before >= first);
        forgotten && self.first_operation > 1
            || self.operations.iter().filter(between).any(|operation| {
                sites.get(operation.site).effects.is_write_back()
                    || executed_channels(counter).any(|channel| operation.may_need_order_behind(channel))
            })
    }
}

impl Checker {
    /// A wait was carried out.
    pub(crate) fn note_wait(&mut self, wave: WaveId, site: SiteId, waits: &[(Counter, u32)], explicit: bool) {
        let Some(state) = self.waves.get_mut(wave.index) else { return };
        let counters = SmallVec::from_slice(waits);
        let (seq, retired, step) = (state.seq, state.retired, state.steps);
        let barriers = state.known.issued.get(wave.index, BARRIERS);
        let beside_unordered = state.has_unordered();
        let instance = WaitInstance { site, counters, seq, retired, barriers, beside_unordered, step };
        for &(counter, n) in waits {
            if counter == Counter::Async {
                state.async_retired = state.async_retired.max(state.async_issued.saturating_sub(n));
            }
            if counter == Counter::X
                && let Some(translations) = &mut state.translations
            {
                translations.wait(n);
            }
            for channel in waited_for(counter, n) {
                let c = channel as usize;
                let mut upto = state.over_but(channel, n);
                if self.model.lds_dma_any_order && channel == Channel::Vm && n > 0 {
                    // A copy in flight may be the one that is not over.
                    upto = state.oldest_copy(channel).map_or(upto, |oldest| upto.min(oldest - 1));
                }
                state.retire(channel, upto);
                state.waited[c] = state.waited[c].max(upto);
                state.end_assumed_waits(channel);
            }
            if explicit && !matches!(counter, Counter::X | Counter::Exp) {
                let stats = self.tally.waits.entry((site, counter)).or_insert(WaitStats {
                    n,
                    executions: 0,
                    effective: 0,
                    best: None,
                    below: None,
                    held: false,
                    wave,
                });
                stats.wave = first_of(stats.wave, wave);
                stats.executions += 1;
                let in_one_queue = instance.is_effective_in_one_queue(counter);
                stats.effective += u64::from(in_one_queue || instance.is_effective(counter));
                stats.held |= in_one_queue;
            }
        }
        state.waits.push_back(instance);
        if state.waits.len() > WAITS {
            state.waits.pop_front();
            state.first_wait += 1;
        }
        if self.take_retired(wave.index) {
            for &(counter, _) in waits {
                self.hold((site, counter));
            }
        }
    }

    /// Something that is no use may have relied on a wait.
    fn hold(&mut self, wait: (SiteId, Counter)) {
        if let Some(stats) = self.tally.waits.get_mut(&wait) {
            stats.held = true;
        }
    }

    /// An operation that `first` has retired is used, of a wave for whose sake it is enough that `last` would have.
    fn note_early(&mut self, wave: u32, counter: Counter, first: usize, last: usize) {
        let Some(state) = self.waves.get(wave) else { return };
        let (early, late) = (&state.waits[first], &state.waits[last]);
        let wait = (early.site, counter);
        // Of a wait that was needed, or may have been, there is nothing more to say.
        if self.tally.waits.get(&wait).is_none_or(|stats| stats.best.is_some() || stats.held) {
            return;
        }
        let stays = late.is_effective(counter) && self.tally.waits.contains_key(&(late.site, counter));
        if !stays || state.may_rely_between(&self.sites, counter, first, last) {
            self.hold(wait);
        } else if early.site != late.site
            && let Some(stats) = self.tally.waits.get_mut(&wait)
        {
            let below = (self.sites.get(late.site).site.pc, late.site);
            stats.below = Some(stats.below.map_or(below, |known| known.min(below)));
        }
    }

    /// The result of an operation is used: the last wait that was sufficient for it was needed.
    pub(crate) fn consume(&mut self, wave: u32, number: u32) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let set = self.counters;
        let Some(operation) = state.operation_mut(number) else { return };
        if std::mem::replace(&mut operation.used, true) {
            return;
        }
        for (channel, seq) in SmallVec::<[(Channel, u32); 2]>::from_slice(&operation.seq) {
            let counter = set.counter_of(channel);
            let in_order = channel != Channel::Sm;
            let Some(state) = self.waves.get(wave) else { return };
            let Some((last, younger)) = state.last_sufficient(counter, (channel, in_order), seq, None) else {
                continue;
            };
            need(&mut self.tally.waits, (state.waits[last].site, counter), younger);
            if channel != Channel::Sm
                && let Some(first) = state.retired_before(last, channel, seq)
            {
                self.note_early(wave, counter, first, last);
            }
        }
    }

    /// An arrive or release publishes everything that is retired. Copies into LDS are left out: whoever uses their data
    /// says which wait was needed ([`Checker::consume_copy`]).
    pub(crate) fn consume_published(&mut self, wave: u32) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let mut unpublished = std::mem::take(&mut state.unpublished);
        unpublished.retain(|&number| {
            let Some(state) = self.waves.get(wave) else { return false };
            let Some(operation) = state.operation(number) else { return false };
            if !state.is_retired(operation) {
                return true;
            }
            self.consume(wave, number);
            false
        });
        if let Some(state) = self.waves.get_mut(wave) {
            state.unpublished = unpublished;
        }
    }

    /// `wave` touches LDS that the copy `epoch`, its own or another wave's, was to be done with before. The wait that
    /// was needed is the last sufficient one that `wave` knows of: another wave may have waited more since it arrived.
    pub(crate) fn consume_copy(&mut self, wave: WaveId, epoch: Epoch) {
        if self.copies_used.knows(epoch, epoch.agent != wave.index) {
            return;
        }
        let channel = crate::relation::channel(epoch.channel);
        let counter = self.counters.counter_of(channel);
        let Some(consumer) = self.waves.get(wave.index) else { return };
        let known = (epoch.agent != wave.index).then_some(&consumer.known.issued);
        let Some(producer) = self.waves.get(epoch.agent) else { return };
        let in_order = !(self.model.lds_dma_any_order && channel == Channel::Vm);
        let Some((last, younger)) = producer.last_sufficient(counter, (channel, in_order), epoch.seq, known)
        else {
            return;
        };
        need(&mut self.tally.waits, (producer.waits[last].site, counter), younger);
        if let Some(first) = producer.retired_before(last, channel, epoch.seq) {
            if epoch.agent == wave.index {
                self.note_early(epoch.agent, counter, first, last);
            } else {
                // It may have told others of it before the later wait.
                self.hold((producer.waits[first].site, counter));
            }
        }
    }

    /// A wave ends, before which its copies to and from LDS are to be over (R7), and what arrives at barrier cells behind them:
    /// the waits that saw to that were needed.
    pub(crate) fn consume_copies(&mut self, wave: u32) {
        let Some(state) = self.waves.get(wave) else { return };
        // By channel: with the last one of them the others are over.
        let mut last: SmallVec<[(Channel, u32); 2]> = SmallVec::new();
        for (at, operation) in state.operations.iter().enumerate().rev() {
            if let Some(&(channel, _)) = operation.seq.first()
                && operation.goes_on_in_lds()
                && state.is_retired(operation)
                && last.iter().all(|(other, _)| *other != channel)
            {
                last.push((channel, state.first_operation + at as u32));
            }
        }
        for (_, number) in last {
            self.consume(wave, number);
        }
    }

    /// A wave ends: the waits right before that drain its counters, which costs nothing.
    pub(crate) fn note_drains(&mut self, wave: u32, end: SiteId) {
        let Some(state) = self.waves.get(wave) else { return };
        let mut next = self.sites.get(end).site.pc;
        for wait in state.waits.iter().rev() {
            let info = &self.sites.get(wait.site).site;
            if info.pc + u64::from(info.inst.size) != next {
                break;
            }
            self.drains.insert(wait.site);
            next = info.pc;
        }
    }

    /// The advice at the end of the run.
    pub(crate) fn report_waits(&mut self) {
        // A counter that has come to its largest number is not waited for: it cannot be more.
        let most = |counter: Counter| self.counters.capacity(counter).saturating_sub(1);
        let table = self.tally.waits.iter();
        let mut all: Vec<((SiteId, Counter), WaitStats)> = table
            .map(|(&(site, counter), stats)| {
                let best = stats.best.map(|best| best.min(most(counter)));
                ((site, counter), WaitStats { best, ..*stats })
            })
            .collect();
        all.sort_by_key(|((site, counter), _)| (self.sites.get(*site).site.pc, *counter));
        let too_strong =
            |stats: &WaitStats| stats.effective > 0 && stats.best.is_some_and(|best| best > stats.n);
        let weakened: Vec<Counter> =
            all.iter().filter(|(_, stats)| too_strong(stats)).map(|((_, counter), _)| *counter).collect();
        let unsettled: Vec<Counter> = self.findings.unsettled(self.counters).collect();
        let advice = |&((site, counter), stats): &Waited| {
            // Where a wait before this one is called too strong, this one would carry what that one waited for.
            let carries = stats.best.is_some() && weakened.contains(&counter);
            match stats.best {
                _ if unsettled.contains(&counter) || limits_issue(self.facts, (counter, stats.n)) => None,
                _ if stats.effective == 0 => {
                    (!carries && !self.drains.contains(&site)).then_some(Advice::HadNothing)
                }
                Some(best) if best > stats.n => Some(Advice::CouldBe(best)),
                Some(_) => None,
                None if stats.held => None,
                None => stats.below.map(|(_, below)| Advice::Later(below)),
            }
        };
        let needless = |wait: &Waited| matches!(advice(wait), Some(Advice::HadNothing | Advice::Later(_)));
        let goes: FxHashSet<(SiteId, Counter)> =
            all.iter().filter(|wait| needless(wait)).map(|&(wait, _)| wait).collect();
        let mut found = Vec::new();
        for wait @ ((site, counter), stats) in all {
            let Some(advice) = advice(&wait) else { continue };
            let info = self.sites.get(site);
            let which = format!("the wait for {} {}", counter.name(), stats.n);
            let times = match stats.executions {
                1 => "1 execution",
                n => &format!("{n} executions"),
            };
            let (rule, class, title) = match advice {
                Advice::HadNothing => {
                    ("W1", Class::Redundant, format!("{which} had nothing to wait for in {times}"))
                }
                Advice::CouldBe(best) => {
                    let title = format!("{which} could be {best}: that served every use in {times}");
                    ("W2", Class::OverStrong, title)
                }
                Advice::Later(_) => {
                    let title =
                        format!("{which} is needed by nothing that comes before a later one, in {times}");
                    ("W3", Class::Redundant, title)
                }
            };
            // What nothing counts need not be waited for.
            let goes = |&(counter, _): &(Counter, u32)| {
                executed_channels(counter).next().is_none() || goes.contains(&(site, counter))
            };
            let most = match advice {
                Advice::CouldBe(best) => Some(best),
                Advice::HadNothing | Advice::Later(_) => None,
            };
            let finding = Finding::new(rule, class, Severity::Advice, title);
            let finding = if most.is_none() && info.effects.waits.iter().all(goes) {
                finding.hint("it can go, if that holds on every path", None)
            } else {
                let Some(weaker) = weaker_wait_text(self.machine, &info.site.inst, counter, most) else {
                    continue;
                };
                finding.hint(format!("{weaker} instead of"), Some(info.site.clone()))
            };
            let finding = finding.at("wait", &info.site, stats.wave);
            found.push(match advice {
                Advice::Later(later) => finding.at("later wait", &self.sites.get(later).site, stats.wave),
                Advice::CouldBe(_) => finding.weakened(counter),
                Advice::HadNothing => finding,
            });
        }
        for finding in found {
            self.findings.add(finding);
        }
    }
}
