//! What is said of two accesses that conflict: which rule, what is missing, and where.
//!
//! If the earlier one is only known to have been *issued*, a wait is missing before the publication; if not even that,
//! synchronisation is missing ("synchronisation", 5.2).

use wavemark_isa::effects::{AtomicOp, invalidate_text, scalar_invalidate_text, wait_text, write_back_text};
use wavemark_sim::events::{Channel, Direction, Scope, Site, Space};

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::knowledge::common_scope;
use crate::meeting::Conflict;
use crate::mistakes::{Lack, Place};
use crate::relation::{Later, Relation, channel};
use crate::shadow::Record;
use crate::site_info::SiteId;
use crate::wave_state::{Arrive, Operation, Release, WaveState};
use crate::waves::Unseen;

impl Checker {
    /// What would order two accesses of different waves that nothing orders, as the wave of the later one knows.
    fn order_hint(&self, later: &Later, conflict: &Conflict, state: &WaveState) -> (String, Option<Site>) {
        let Conflict { earlier, write_first, .. } = *conflict;
        let other = self.waves.id(earlier.epoch.agent);
        let is_apart = other.is_some_and(|other| other.workgroup_flat != later.wave.workgroup_flat);
        let knows = |agent: u32, channel: Channel| state.known.issued.get(agent, channel as u8);
        // Of a wave that is over it is not known what it knew before the access.
        let wave = self.waves.get(earlier.epoch.agent);
        let access = wave.and_then(|wave| wave.operation_at(earlier.epoch.channel, earlier.epoch.seq));
        let place = self.sites.get(earlier.site).site.pc;
        let is_behind = |agent: u32, release: &Release| {
            let (channel, seq) = release.own;
            let of = self.sites.get(release.at.site);
            let atomic = of.effects.memory.and_then(|memory| memory.atomic);
            let knew = access.map(|(_, access)| access.before.known.issued.get(agent, channel as u8));
            let acquires = atomic.is_some_and(AtomicOp::stores_if_equal);
            knew.is_none_or(|knew| knew < seq) && of.site.pc > place && !acquires
        };
        let beside = || self.waves.release_beside(earlier.epoch.agent, knows, is_behind);
        // Where its workgroup has handed on something to this one, the access is not in order with that.
        let release = (later.space == Space::Global && is_apart).then(beside).flatten();
        let is_atomic = |record: &Record| record.atomic && !record.maybe_plain;
        let is_flag = is_atomic(&earlier) != is_atomic(&later.record);
        let order = "release and acquire through an atomic, or a barrier, between the two accesses";
        let hint = match (later.space, release) {
            _ if earlier.site == later.record.site && write_first && later.direction == Direction::Write => {
                "addresses (M0, EXEC, base) that keep the waves apart, or a barrier between the two accesses"
                    .to_owned()
            }
            // A barrier waits for nothing by itself.
            (Space::Lds, _) => {
                "a barrier between the two accesses, behind the wait for the first one".to_owned()
            }
            (_, Some(release)) => {
                let hint =
                    "a barrier of the workgroup, behind the wait for the first access, before the release by";
                return (hint.to_owned(), Some(self.sites.get(release.at.site).site.clone()));
            }
            _ if is_flag => {
                format!("if this is a flag, the scope that both waves share on either side; else {order}")
            }
            _ => order.to_owned(),
        };
        (hint, None)
    }

    /// What is to be said of a conflict; nothing if it is said already.
    pub(crate) fn conflict_finding(&mut self, later: &Later, conflict: &Conflict) -> Option<Finding> {
        let Later { wave, channel: own_channel, space, direction, .. } = *later;
        let (earlier, site) = (conflict.earlier, later.record.site);
        let other_id = self.waves.id(earlier.epoch.agent)?;
        // Nothing if its workgroup has ended.
        let other = self.waves.get(earlier.epoch.agent);
        let state = self.waves.get(wave.index)?;
        let (first, second) = (self.sites.shared(earlier.site), self.sites.shared(site));
        let what = match (conflict.write_first, direction) {
            (true, Direction::Read) => ("written", "read"),
            (true, _) => ("written", "overwritten"),
            (false, _) => ("read", "overwritten"),
        };
        let memory = if space == Space::Lds { "LDS byte" } else { "global memory at" };
        let place = format_args!("{memory} {:#x}", conflict.dword * 4);
        let old_channel = channel(earlier.epoch.channel);
        let common = common_scope(wave, other_id);
        let narrower = if earlier.scope <= later.record.scope { &first } else { &second };
        let own = earlier.epoch.agent == wave.index;
        let issued = own || state.known.issued.knows(earlier.epoch);
        // How many were younger when it arrived at a barrier: that is all this wave knows of the other's issues.
        let known = state.known.issued.get(earlier.epoch.agent, earlier.epoch.channel);
        let knows_of = |agent: u32, channel: Channel| state.known.issued.get(agent, channel as u8);
        let knows = |channel: Channel| knows_of(earlier.epoch.agent, channel);
        let write_back = || format!("{} and its wait", write_back_text(self.machine, common));
        let counter = self.counters.counter_of(old_channel);
        // The barrier by which it is known, unless that is by something else.
        let at_barrier =
            other.and_then(|other| other.arrive_at(earlier.epoch.channel, counter, &state.known.issued));
        let covers = |at: &Arrive| at.comes_behind(earlier.epoch);
        let arrive = at_barrier.filter(covers);
        let near = other_id.workgroup_flat == wave.workgroup_flat;
        let release = other.filter(|_| near).and_then(|other| other.published_by(earlier.epoch, knows));
        // Waves run the same program: where this one has waited for its copy, the other waits for its own.
        let behind_barrier = || {
            let arrive = arrive.filter(|_| earlier.dma && space == Space::Lds)?;
            let younger = arrive.seq[usize::from(earlier.epoch.channel)].checked_sub(earlier.epoch.seq)?;
            state.wait_behind_barrier(old_channel, counter, younger)
        };
        let waited_for_another = |state: &WaveState, before: u64| {
            let is_earlier =
                |operation: &&Operation| operation.seq.contains(&(old_channel, earlier.epoch.seq));
            let operation = state.operations.iter().find(is_earlier);
            operation.is_some_and(|operation| self.waited_for_another(state, operation, before))
        };
        // Whether one of them looks at it in a loop that waits for the value.
        let is_flag = || [site, earlier.site].into_iter().any(|load| self.polls_by_code(load));
        let unwaited_invalidate = conflict.relation == Relation::Stale
            && state.invalidates.iter().any(|invalidate| invalidate.known.relied.knows(earlier.epoch));
        // The wave that should have waited and where, if a wait before a place that is known would have been enough.
        let mut missing: Option<(Place, bool)> = None;
        // What is to be waited for, which may be a write-back instead of the earlier access.
        let mut awaited_counter = counter;
        let (rule, class, title, hint, hint_site) = if conflict.relation == Relation::NotWrittenBack {
            let (class, why, (hint, hint_site)) = match self.waves.why_unseen(earlier.epoch, knows_of) {
                Unseen::WriteBackInFlight(channel, handed_on) => {
                    awaited_counter = self.counters.counter_of(channel);
                    let wait = wait_text(self.machine, awaited_counter, 0);
                    (Class::MissingWait, "a write-back is not over", self.before(&wait, Some(handed_on)))
                }
                Unseen::InFlight(barrier) => {
                    let wait = wait_text(self.machine, counter, 0);
                    let hint = self.before(&wait, Some((barrier, true)));
                    (Class::MissingWait, "it is not over before the write-back", hint)
                }
                Unseen::NotWrittenBack(release) => {
                    let hint = self.before(&write_back(), release.map(|release| (release, false)));
                    (Class::MissingWriteback, "a write-back is missing", hint)
                }
            };
            let title = format!(
                "{place} is {} in another workgroup, whose caches need not see the store: {why}",
                what.1
            );
            ("M5", class, title, hint, hint_site)
        } else if unwaited_invalidate {
            let title = format!(
                "{place} is {} before the invalidate is over that would show what {} wrote",
                what.1, first.mnemonic
            );
            let hint =
                format!("{} before", wait_text(self.machine, self.counters.counter_of(Channel::Ld), 0));
            ("M6", Class::MissingWait, title, hint, Some(second.site.clone()))
        } else if conflict.relation == Relation::Stale {
            let title = format!(
                "{place} is {} through caches that may hold what was there before {} wrote it",
                what.1, first.mnemonic
            );
            let (hint, hint_site) = if own_channel == Channel::Sm {
                // What the scalar cache is filled from may be as old.
                let behind = match own || state.known.relied.knows(earlier.epoch) {
                    true => String::new(),
                    false => format!("{} and ", invalidate_text(self.machine, common)),
                };
                let text = scalar_invalidate_text(self.machine);
                (format!("{behind}{text} and its wait before"), Some(second.site.clone()))
            } else {
                let text = invalidate_text(self.machine, common);
                let loads = |site: SiteId| self.sites.get(site).effects.loads_through_vector_caches();
                let first = state.first_since_learnt(later.record.epoch, loads).unwrap_or(site);
                (format!("{text} before"), Some(self.sites.get(first).site.clone()))
            };
            ("M6", Class::MissingInvalidate, title, hint, hint_site)
        } else if conflict.relation == Relation::Apart
            && conflict.both_atomic
            && (later.record.atomic || is_flag())
        {
            let title = format!(
                "atomics of two waves meet in {place}, and a scope does not reach as far as the waves are apart"
            );
            let hint = "the scope that both waves share on".to_owned();
            ("M2", Class::WrongScope, title, hint, Some(narrower.site.clone()))
        } else if own {
            let wrong = waited_for_another(state, u64::MAX);
            let mut before = state.here(site, second.site.pc, old_channel);
            if own_channel == old_channel {
                // The wait stands before the later access, which is issued already.
                before.issued = later.record.epoch.seq - 1;
            }
            missing = Some((before, wrong));
            let dma_second = matches!(own_channel, Channel::Al | Channel::As | Channel::Td | Channel::Vm);
            let rule = match (old_channel, wrong) {
                (_, true) => "R6",
                (Channel::Ds, _) if dma_second => "R5",
                _ => "R4",
            };
            let title =
                format!("{place} is {} by {} while {} is in flight", what.1, second.mnemonic, first.mnemonic);
            (rule, Class::MissingWait, title, String::new(), Some(second.site.clone()))
        } else if issued && space == Space::Global && (arrive.is_none() || !near) {
            let title = format!(
                "{place} is {} without the earlier access having completed before it was published",
                what.1
            );
            let by_flag = release.map(|release| (release, false));
            let publication = self.waves.publication(earlier.epoch.agent);
            let handed_on = by_flag.or_else(|| publication.handed_on(earlier.epoch, knows));
            // A release writes back, and waits for that: by the way for the store.
            let is_own = handed_on.is_some_and(|(_, at_barrier)| !at_barrier);
            let writes_back = self.facts.several_l2 && common >= Scope::Device && earlier.scope < common;
            let is_unwritten = || {
                let why = self.waves.why_unseen(earlier.epoch, knows_of);
                matches!(why, Unseen::NotWrittenBack(_))
            };
            let (class, op) = if is_own && conflict.write_first && writes_back && is_unwritten() {
                (Class::MissingWriteback, write_back())
            } else {
                missing = handed_on.map(|(at, _)| {
                    let before = Some((at.site, self.sites.get(at.site).site.pc));
                    (Place { before, step: at.step, issued: earlier.epoch.seq, hands_on: true }, false)
                });
                (Class::MissingWait, wait_text(self.machine, counter, 0))
            };
            let (hint, hint_site) = self.before(&op, handed_on);
            ("M5", class, title, hint, hint_site)
        } else if issued && let Some(wait) = behind_barrier() {
            let title = format!(
                "{place} is {} while {} of another wave may still be in flight: no barrier comes behind the wait for it",
                what.1, first.mnemonic
            );
            let hint = "a barrier between the two accesses, behind".to_owned();
            ("R4", Class::MissingSync, title, hint, Some(self.sites.get(wait).site.clone()))
        } else if issued {
            let hands_on = if arrive.is_some() { "the barrier" } else { "what hands it on" };
            let title = format!(
                "{place} is {} while {} of another wave may still be in flight: {hands_on} does not wait for it",
                what.1, first.mnemonic
            );
            let at_barrier = arrive.is_some();
            let arrive = arrive.or(release);
            let before = arrive.map(|arrive| (arrive.site, self.sites.get(arrive.site).site.pc));
            let step = arrive.map_or(0, |arrive| arrive.step);
            // Of what a flag hands on no more is known than was issued before it; of a plain one not even that.
            let before_flag =
                release.map_or(earlier.epoch.seq, |at| at.seq[usize::from(earlier.epoch.channel)]);
            let issued = if at_barrier { known } else { known.min(before_flag) };
            let wrong = other.is_some_and(|other| waited_for_another(other, step));
            missing = Some((Place { before, step, issued, hands_on: true }, wrong));
            let site = before.map(|(site, _)| self.sites.get(site).site.clone());
            let rule = match (wrong, earlier.dma) {
                (true, _) => "R6",
                (false, true) => "R4",
                (false, false) => "S1",
            };
            (rule, Class::MissingWait, title, String::new(), site)
        } else if space == Space::Global && earlier.atomic != later.record.atomic && is_flag() {
            let title = format!(
                "{place} is {} by one wave and {} by another, which looks at it until it changes: one of them has no scope",
                what.0, what.1
            );
            let hint = "the scope that both waves share on".to_owned();
            ("M2", Class::WrongScope, title, hint, Some(narrower.site.clone()))
        } else {
            let title = format!(
                "{place} is {} by one wave and {} by another with nothing to order the two",
                what.0, what.1
            );
            let rule = if space == Space::Lds { "S2" } else { "M1" };
            let (hint, hint_site) = self.order_hint(later, conflict, state);
            (rule, Class::MissingSync, title, hint, hint_site)
        };
        // By the manual asynchronous loads and stores return each in order, but not one with the other
        // (CDNA5 ISA 10.8); compilers take ASYNCcnt for one queue.
        let only_two_fifos = own
            && state.operations.iter().any(|o| {
                o.seq.contains(&(old_channel, earlier.epoch.seq))
                    && o.async_index != 0
                    && o.async_index <= state.async_retired
            });
        let only_out_of_order = conflict.relation == Relation::InOrder;
        let (own_id, pcs) = (wave, [first.site.pc, second.site.pc]);
        // A copy that may land after younger ones is over when all are.
        let any_order = self.model.lds_dma_any_order && earlier.dma && old_channel == Channel::Vm;
        let last =
            missing.as_ref().filter(|_| any_order).map_or(earlier.epoch.seq, |(place, _)| place.issued);
        let awaited = (old_channel, last.max(earlier.epoch.seq));
        let mut at_fault = None;
        let mistake = match missing {
            // It is for another reason that this one shows.
            _ if only_two_fifos => None,
            Some((place, wrong)) => {
                at_fault = self.faulty_wait(other_id.index, awaited, place.step, wrong);
                let mistake = self.missing_wait(other_id.index, awaited, place);
                if own && let Some(state) = self.waves.get(wave.index) {
                    self.mistakes.before_barriers(mistake, state.barriers_behind(awaited));
                }
                let pair = self.mistakes.pair(pcs[0], pcs[1]);
                self.mistakes.join(mistake, pair);
                if own && earlier.dma {
                    self.missing_with_order(mistake, wave.index, Lack::Order(space));
                    let copies = self.waves.get(wave.index);
                    let waited =
                        copies.and_then(|state| state.has_waited_between_copies(earlier.epoch, counter));
                    if let Some(waited) = waited {
                        self.mistakes.note_copy(pair, waited && at_fault.is_none());
                    }
                }
                Some(mistake)
            }
            None if class == Class::MissingSync => {
                let retired = |other: &WaveState| other.retired[usize::from(earlier.epoch.channel)];
                let waited = other.is_none_or(|other| retired(other) >= earlier.epoch.seq);
                let mistake = self.missing_order(wave.index, Lack::Order(space), pcs[0], pcs[1]);
                if earlier.dma && conflict.write_first && !waited {
                    // Neither has the copy been waited for: nobody can have meant it to be there.
                    self.missing_too(mistake, Lack::Wait(counter), pcs[1]);
                }
                Some(mistake)
            }
            None if class == Class::MissingInvalidate => {
                Some(self.missing_order(wave.index, Lack::Invalidate, pcs[0], pcs[1]))
            }
            // One before a releasing store is missing for all that it publishes.
            None if rule == "M5" => {
                let lack = match class {
                    Class::MissingWriteback => Lack::WriteBack,
                    _ => Lack::Wait(awaited_counter),
                };
                let releases = hint_site.as_ref().map_or(pcs[0], |release| release.pc);
                Some(self.mistakes.place(lack, releases))
            }
            None if class == Class::WrongScope => Some(self.mistakes.place(Lack::Scope, narrower.site.pc)),
            None => None,
        };
        if self.findings.count_known((rule, class), &pcs, mistake, || at_fault.clone()) {
            return None;
        }
        let severity = match (only_two_fifos || unwaited_invalidate, only_out_of_order) {
            (true, _) => Severity::Warning,
            (_, true) if !self.model.tensor_any_order => Severity::Advice,
            _ => Severity::Error,
        };
        let roles = if conflict.write_first { ("producer", "consumer") } else { ("reader", "writer") };
        let mut finding = Finding::new(rule, class, severity, title)
            .at(roles.0, &first.site, other_id)
            .at_lanes(roles.1, &second.site, own_id, 1 << conflict.lane)
            .faulty(at_fault);
        finding = match (missing, mistake) {
            (Some((place, _)), Some(mistake)) => {
                finding.missing_wait(counter, place.before.map(|(site, _)| site), mistake)
            }
            (Some((place, _)), None) => {
                let wait = wait_text(self.machine, counter, place.issued.saturating_sub(awaited.1));
                finding.hint(format!("{wait} before"), hint_site)
            }
            (None, _) => finding.hint(hint, hint_site).of(mistake),
        };
        finding.is_of_copy = if conflict.write_first { earlier.dma } else { later.record.dma };
        // What comes of a race may differ where it was the same before.
        finding.of_values = pcs[0] == pcs[1] && earlier.valued && later.record.valued;
        if any_order {
            finding = finding.model("lds-dma-order");
        }
        if only_two_fifos {
            finding = finding.model("asynccnt");
        }
        if only_out_of_order {
            finding = finding.model("tensor-order");
        }
        if unwaited_invalidate {
            finding = finding.model("inv-wait");
        }
        Some(finding)
    }

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
