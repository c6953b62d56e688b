//! Waits that are stronger than this run needed: W1 and W2.
//!
//! For each execution of a wait the checker remembers which operations it was the last sufficient wait for
//! when their result was used (a register read, an access ordered by it, a publication by an arrive or a
//! release). The largest number that would have served all of them, over all executions, is the best N seen.
//! It speaks of this run, not of all.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_isa::effects::wait_text;
use wavemark_order::Epoch;
use wavemark_sim::events::{Channel, Counter, WaveId, executed_channels};

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::site_info::SiteId;
use crate::wave_state::WaitInstance;

/// What is known of a wait instruction and counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitStats {
    n: u32,
    executions: u64,
    /// Executions in which more than `n` operations were outstanding.
    effective: u64,
    /// The largest number that would have served every use seen.
    best: Option<u32>,
    wave: WaveId,
}

/// Statistics by wait instruction and counter.
pub(crate) type WaitTable = FxHashMap<(SiteId, Counter), WaitStats>;

impl Checker {
    /// A wait was carried out.
    pub(crate) fn note_wait(&mut self, wave: WaveId, site: SiteId, waits: &[(Counter, u32)], explicit: bool) {
        let Some(state) = self.waves.get_mut(&wave.index) else { return };
        let instance = state.first_wait + state.waits.len() as u32;
        let counters: SmallVec<[(Counter, u32); 3]> = waits.iter().copied().collect();
        state.waits.push_back(WaitInstance { site, counters, seq: state.seq, step: state.steps });
        if state.waits.len() > 512 {
            state.waits.pop_front();
            state.first_wait += 1;
        }
        for &(counter, n) in waits {
            if counter == Counter::Async {
                state.async_retired = state.async_retired.max(state.async_issued.saturating_sub(n));
            }
            if counter == Counter::X
                && let Some(translations) = &mut state.translations
            {
                translations.wait(n);
            }
            let mut effective = false;
            for channel in executed_channels(counter) {
                let c = channel as usize;
                if channel == Channel::Sm && n != 0 {
                    continue;
                }
                effective |= state.seq[c] - state.retired[c] > n;
                let upto = state.seq[c].saturating_sub(n);
                state.retire(channel, upto);
                state.end_assumed_waits(channel);
                // This wait is sufficient for everything up to there, and later than those before it.
                let latest = state.seq[c];
                for operation in state.operations.iter_mut().rev() {
                    let Some(&(_, seq)) = operation.seq.iter().find(|(ch, _)| *ch == channel) else {
                        continue;
                    };
                    if seq > upto {
                        continue;
                    }
                    if operation.covered_by.is_some_and(|(_, younger)| younger == u32::MAX) {
                        break;
                    }
                    operation.covered_by = Some((instance, latest - seq));
                }
            }
            if explicit && !matches!(counter, Counter::X | Counter::Exp) {
                let stats = self.wait_table.entry((site, counter)).or_insert(WaitStats {
                    n,
                    executions: 0,
                    effective: 0,
                    best: None,
                    wave,
                });
                stats.executions += 1;
                stats.effective += u64::from(effective);
            }
        }
        self.take_retired(wave.index);
    }

    /// The result of an operation is used: its last sufficient wait was needed.
    pub(crate) fn consume(&mut self, wave: u32, number: u32) {
        let Some(state) = self.waves.get_mut(&wave) else { return };
        let set = self.counters;
        let Some(operation) = state.operation_mut(number) else { return };
        let Some((instance, younger)) = operation.covered_by else { return };
        if younger == u32::MAX {
            return;
        }
        let seq = operation.seq.clone();
        operation.covered_by = Some((instance, u32::MAX));
        let Some(at) = instance.checked_sub(state.first_wait) else { return };
        let Some(wait) = state.waits.get(at as usize) else { return };
        for (channel, _) in seq {
            let counter = Counter::of(channel, set);
            if let Some(stats) = self.wait_table.get_mut(&(wait.site, counter)) {
                let enough = if channel == Channel::Sm { 0 } else { younger };
                stats.best = Some(stats.best.map_or(enough, |best| best.min(enough)));
            }
        }
    }

    /// An arrive or release publishes everything that is retired. Copies into LDS are left out: whoever uses their data
    /// says which wait was needed ([`Checker::consume_copy`]).
    pub(crate) fn consume_published(&mut self, wave: u32) {
        let Some(state) = self.waves.get(&wave) else { return };
        let numbers: Vec<u32> = state
            .operations
            .iter()
            .enumerate()
            .filter(|(_, o)| {
                o.touches_memory
                    && !o.writes_lds
                    && o.covered_by.is_some_and(|(_, y)| y != u32::MAX)
                    && state.is_retired(o)
            })
            .map(|(i, _)| state.first_operation + i as u32)
            .collect();
        for number in numbers {
            self.consume(wave, number);
        }
    }

    /// `wave` touches LDS that the copy `epoch`, its own or another wave's, was to be done with before. The wait that
    /// was needed is the last sufficient one that `wave` knows of: another wave may have waited more since it arrived.
    pub(crate) fn consume_copy(&mut self, wave: WaveId, epoch: Epoch) {
        if !self.copies_used.insert(epoch) {
            return;
        }
        let channel = crate::relation::channel(epoch.channel);
        let counter = Counter::of(channel, self.counters);
        let Some(consumer) = self.waves.get(&wave.index) else { return };
        let known = match epoch.agent == wave.index {
            true => u32::MAX,
            false => consumer.known.issued.get(epoch.agent, epoch.channel),
        };
        let Some(producer) = self.waves.get(&epoch.agent) else { return };
        for wait in producer.waits.iter().rev() {
            let latest = wait.seq[usize::from(epoch.channel)];
            if latest < epoch.seq {
                return;
            }
            let n = wait.counters.iter().find(|(other, _)| *other == counter).map(|&(_, n)| n);
            let younger = latest - epoch.seq;
            if latest <= known && n.is_some_and(|n| n <= younger) {
                if let Some(stats) = self.wait_table.get_mut(&(wait.site, counter)) {
                    stats.best = Some(stats.best.map_or(younger, |best| best.min(younger)));
                }
                return;
            }
        }
    }

    /// A wave ends: the waits right before that drain its counters, which costs nothing.
    pub(crate) fn note_drains(&mut self, wave: u32, end: SiteId) {
        let Some(state) = self.waves.get(&wave) else { return };
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
        let mut all: Vec<((SiteId, Counter), WaitStats)> =
            self.wait_table.iter().map(|(k, s)| (*k, *s)).collect();
        all.sort_by_key(|((site, counter), _)| (self.sites.get(*site).site.pc, *counter));
        let too_strong =
            |stats: &WaitStats| stats.effective > 0 && stats.best.is_some_and(|best| best > stats.n);
        let weakened: Vec<Counter> =
            all.iter().filter(|(_, stats)| too_strong(stats)).map(|((_, counter), _)| *counter).collect();
        for ((site, counter), stats) in all {
            let info = self.sites.get(site);
            let name = counter.name();
            let times = if stats.executions == 1 {
                "1 execution"
            } else {
                &format!("{} executions", stats.executions)
            };
            // Where a wait before this one is called too strong, this one would carry what that one waited for.
            let carries = stats.best.is_some() && weakened.contains(&counter);
            let finding = if stats.effective == 0 {
                if carries || self.drains.contains(&site) {
                    continue;
                }
                let title = format!("the wait for {name} {} had nothing to wait for in {times}", stats.n);
                Finding::new("W1", Class::Redundant, Severity::Advice, title)
                    .hint("it can go, if that holds on every path", None)
            } else if let Some(best) = stats.best
                && best > stats.n
            {
                let title = format!(
                    "the wait for {name} {} could be {best}: that served every use in {times}",
                    stats.n
                );
                let hint = format!("{} instead of", wait_text(self.machine, counter, best));
                Finding::new("W2", Class::OverStrong, Severity::Advice, title)
                    .hint(hint, Some(info.site.clone()))
            } else {
                continue;
            };
            let finding = finding.at("wait", &info.site, stats.wave);
            self.findings.add(finding);
        }
    }
}
