//! What the analysis of all paths finds, and what it says of that.
//!
//! Each wait that is missing is one finding, however many instructions show it and whichever paths they are on: what has a
//! producer, a counter or a place in common is put together as it is found, and what one wait would mend when all is known
//! ([`Report::findings`]). Nothing here looks at the code but for who is meant.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use wavemark_isa::effects::{Channel, Counter, Verb, wait_states_text, waits_text, weaker_wait_text};
use wavemark_memmodel::counters::{ClassId, Pending};
use wavemark_memmodel::flow::Graph;

use super::barriers::{self, Access, AtBarrier, Effect, Unpublished};
use super::blocks::Code;
use super::lds::{Early, HandedOn, MissingWait, writes_lds};
use super::one_barrier::OneBarrier;
use super::wait_states::TooEarly;
use super::{Analysis, Conflict, Wave, needs};
use crate::finding::{Class, ENDS, Finding, FindingSite, Severity};
use crate::one_wait::{Lacking, OneWait, StraightLines, one_waits};
use crate::site_info::{SiteId, SiteInfo, register_name};

/// What was found.
#[derive(Default)]
pub(super) struct Report {
    pub missing: Vec<Missing>,
    other: Vec<Finding>,
    /// Accesses of LDS in flight at a barrier, each with one that may come too early for it.
    pub unpublished: Vec<(Unpublished, SiteId)>,
    /// A wave may arrive at a barrier with such an access in flight.
    pub arrives_with_access: bool,
    /// Accesses of LDS in flight, each with a copy of the same wave that may come too early for it.
    pub overtaken: Vec<(Pending, SiteId)>,
    /// Loads of LDS where nothing has come, each with a copy in flight and where a wait for it belongs; and those where
    /// something has on another path.
    empty: Vec<(SiteId, Pending, (SiteId, u32))>,
    pub filled: BTreeSet<SiteId>,
    /// Waits by address, and whether they wait for nothing under all upper VGPR bits.
    pub waits: BTreeMap<u64, (SiteId, bool)>,
    /// Waits that are stronger than needed.
    pub stronger: Vec<Finding>,
    /// By the address of a wait that waits for nothing, one before it that may be so.
    pub too_strong: BTreeMap<u64, SiteId>,
}

/// A wait that is missing.
pub(super) struct Missing {
    finding: Finding,
    producers: BTreeSet<SiteId>,
    counter: Counter,
    /// Of LDS where no copy has come, if it is that.
    load: Option<SiteId>,
    before: SiteId,
    enough: u32,
    /// Other counters that have to be waited for with it, and how many operations a wait before which instruction may leave
    /// in flight of them.
    also: BTreeMap<Counter, (SiteId, u32)>,
    /// The same on other paths.
    elsewhere: Vec<(SiteId, u32)>,
    /// Of these places, those where the wave itself needs it: the barrier before which it would serve as well, if it is the same one
    /// each time, and how many operations it may leave in flight there.
    own: BTreeMap<SiteId, Option<(SiteId, u32)>>,
}

impl Missing {
    /// A wait for a counter is missing before an instruction, that may leave so many operations in flight.
    fn new(finding: Finding, producer: SiteId, counter: Counter, (before, enough): (SiteId, u32)) -> Missing {
        let producers = BTreeSet::from([producer]);
        let (elsewhere, also, own) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        Missing { finding, producers, counter, load: None, before, enough, also, elsewhere, own }
    }

    /// It is missing before this instruction, too.
    fn is_missing_before(&mut self, before: SiteId, enough: u32) {
        if self.before == before {
            self.enough = self.enough.min(enough);
        } else if !self.elsewhere.contains(&(before, enough)) {
            self.elsewhere.push((before, enough));
        }
    }

    /// Another counter has to be waited for before this instruction, too.
    fn is_for_also(&mut self, counter: Counter, (before, enough): (SiteId, u32)) {
        let (place, most) = self.also.entry(counter).or_insert((before, enough));
        *most = if *place == before { enough.min(*most) } else { 0 };
    }

    /// The counters that are to be waited for, and how many operations may be left in flight.
    fn waits(&self) -> Vec<(Counter, u32)> {
        let other = |&(&counter, _): &(&Counter, _)| counter != self.counter;
        let also = self.also.iter().filter(other).map(|(&counter, &(place, enough))| {
            // What has been issued in between is not known.
            (counter, if place == self.before { enough } else { 0 })
        });
        let mut waits: Vec<_> = std::iter::once((self.counter, self.enough)).chain(also).collect();
        waits.sort_unstable();
        waits
    }

    /// Where it is missing, and how many operations it may leave in flight there.
    fn places(&self) -> impl Iterator<Item = (SiteId, u32)> + '_ {
        std::iter::once((self.before, self.enough)).chain(self.elsewhere.iter().copied())
    }

    /// The wave itself needs it before an instruction, or before the barrier that it has come by since.
    fn is_needed_by_itself(&mut self, before: SiteId, at_barrier: Option<MissingWait>) {
        let at_barrier = at_barrier.map(|wait| (wait.before, wait.enough));
        let known = self.own.entry(before).or_insert(at_barrier);
        *known =
            known.zip(at_barrier).filter(|(known, new)| known.0 == new.0).map(|(known, new)| known.min(new));
    }

    /// Where other waves need it before a barrier, it stands there if that serves the wave itself, too.
    fn stand_before_barrier(&mut self) {
        let of_others = self.places().find(|(place, _)| !self.own.contains_key(place));
        let Some((barrier, enough)) = of_others.filter(|_| !self.own.is_empty()) else { return };
        let serves = |own: &Option<(SiteId, u32)>| own.filter(|&(place, _)| place == barrier);
        let Some(own) = self.own.values().map(serves).collect::<Option<Vec<_>>>() else { return };
        let enough = own.into_iter().map(|(_, enough)| enough).fold(enough, u32::min);
        let others = self.places().filter(|(place, _)| *place != barrier && !self.own.contains_key(place));
        self.elsewhere = others.collect();
        (self.before, self.enough) = (barrier, enough);
    }

    /// Copies in flight at the end of their wave.
    pub fn unfinished(&self) -> impl Iterator<Item = SiteId> + '_ {
        self.producers.iter().copied().filter(|_| self.finding.rule == "R7")
    }

    /// Where others need all of them before an atomic on LDS, the wait stands there.
    pub fn stand_before_flag(&mut self, handed_on: &HandedOn) {
        let waits: Option<Vec<MissingWait>> = self.unfinished().map(|copy| handed_on.wait(copy)).collect();
        if let Some([first, others @ ..]) = waits.as_deref()
            && others.iter().all(|other| other.before == first.before)
        {
            let enough = others.iter().map(|other| other.enough).fold(first.enough, u32::min);
            (self.before, self.enough) = (first.before, enough);
        }
    }

    /// Copies that are still going on at the end may stand where no wave comes by: there are none of them among those that are `issued`.
    pub fn doubt(&mut self, issued: Option<&FxHashSet<SiteId>>) {
        let doubted = issued.is_some_and(|issued| !self.unfinished().any(|copy| issued.contains(&copy)));
        if doubted && self.unfinished().next().is_some() {
            self.finding.severity = Severity::Warning;
            self.finding.title += ", if it ever starts: none of the waves that were supposed issues it";
        }
    }

    /// What is missing, place by place.
    fn lacking(&self, of: usize) -> impl Iterator<Item = Lacking<usize>> + '_ {
        let awaited: SmallVec<[_; 1]> = self.producers.iter().copied().collect();
        self.places().map(move |(place, allowed)| {
            let (counter, awaited) = (self.counter, awaited.clone());
            Lacking { of, counter, awaited, place, allowed }
        })
    }

    /// Of a load of LDS where no copy has come, the copies in flight and the load.
    pub fn nothing_has_come(&self) -> impl Iterator<Item = (SiteId, SiteId)> + '_ {
        self.load.into_iter().flat_map(|load| self.producers.iter().map(move |&copy| (copy, load)))
    }
}

impl Report {
    /// A register of an operation in flight is touched: a wait that may leave `enough` in flight is missing `before` an
    /// instruction.
    pub fn conflict(
        &mut self,
        analysis: &Analysis<'_>,
        site: SiteId,
        conflict: &Conflict,
        (before, enough): (SiteId, u32),
    ) {
        let (producer, consumer) = (analysis.sites.get(conflict.operation), analysis.sites.get(site));
        let counter = analysis.counter(conflict.awaited.class);
        let other = conflict.also.map(|other| (analysis.counter(other.class), analysis.enough(other)));
        // Of another place than where it shows it is not known.
        let other =
            other.map(|(counter, enough)| (counter, (before, if before == site { enough } else { 0 })));
        let known = self.missing.iter_mut().find(|known| {
            let same = known.before == before || known.producers.contains(&conflict.operation);
            known.counter == counter && same && matches!(known.finding.rule, "R1" | "R2" | "R8")
        });
        if let Some(known) = known {
            known.is_missing_before(before, enough);
            known.producers.insert(conflict.operation);
            other.into_iter().for_each(|(counter, place)| known.is_for_also(counter, place));
            also(&mut known.finding, &[("producer", producer), ("consumer", consumer)]);
            return;
        }
        let rule = match (conflict.reads, producer.effects.barrier) {
            (_, Some(_)) => "R8",
            (false, None) => "R2",
            (true, None) => "R1",
        };
        let verb = if conflict.reads { "read" } else { "written" };
        let title = format!(
            "{} is {verb} while {} may still be writing it",
            register_name(conflict.register),
            producer.mnemonic
        );
        let mut finding = Finding::new(rule, Class::MissingWait, Severity::Error, title);
        finding.sites.extend([end_of("producer", producer), end_of("consumer", consumer)]);
        let also = other.into_iter().collect();
        let missing = Missing::new(finding, conflict.operation, counter, (before, enough));
        self.missing.push(Missing { also, ..missing });
    }

    /// A wait for `one` is missing before an instruction that is no use of a register: one finding by rule, counter and
    /// instruction.
    fn missing(
        &mut self,
        analysis: &Analysis<'_>,
        (rule, role, title): (&'static str, &'static str, String),
        one: &Pending,
        (before, enough): (SiteId, u32),
    ) {
        let (producer, end) = (analysis.sites.get(one.operation), analysis.sites.get(before));
        let counter = analysis.counter(one.class);
        let known = self
            .missing
            .iter_mut()
            .find(|known| (known.before, known.counter, known.finding.rule) == (before, counter, rule));
        if let Some(known) = known {
            known.enough = known.enough.min(enough);
            if known.producers.insert(one.operation) && known.finding.sites.len() < ENDS {
                known.finding.sites.insert(known.finding.sites.len() - 1, end_of("producer", producer));
            }
            return;
        }
        let mut finding = Finding::new(rule, Class::MissingWait, Severity::Error, title);
        finding.sites.extend([end_of("producer", producer), end_of(role, end)]);
        self.missing.push(Missing::new(finding, one.operation, counter, (before, enough)));
    }

    pub fn unfinished(&mut self, analysis: &Analysis<'_>, site: SiteId, one: &Pending) {
        let producer = analysis.sites.get(one.operation);
        let how = match producer.effects.memory.map(|memory| memory.verb) {
            Some(Verb::ToLds | Verb::Load | Verb::Atomic) => "writing",
            _ => "reading",
        };
        let title = format!("the wave ends while {} is still {how} LDS", producer.mnemonic);
        self.missing(analysis, ("R7", "end", title), one, (site, analysis.enough(*one)));
    }

    /// A copy is issued while an access of LDS is in flight.
    pub fn overtaken_by(&mut self, analysis: &Analysis<'_>, site: SiteId, one: &Pending) {
        let (producer, copy) = (analysis.sites.get(one.operation), analysis.sites.get(site));
        let writes = copy.effects.memory.is_some_and(|memory| writes_lds(memory.verb));
        let comes = if writes { "overwrite" } else { "read" };
        let done = if barriers::access(producer) == Some(Access::Load) { "read" } else { "written" };
        let title = format!("{} may {comes} LDS before {} has {done} it", copy.mnemonic, producer.mnemonic);
        self.missing(analysis, ("R5", "consumer", title), one, (site, analysis.enough(*one)));
    }

    /// An access to LDS follows a barrier at which another one was in flight.
    pub fn unpublished_at(&mut self, analysis: &Analysis<'_>, site: SiteId, earlier: Unpublished) {
        let (producer, consumer) = (analysis.sites.get(earlier.access), analysis.sites.get(site));
        let is = |known: &&mut Missing| {
            let ends = &known.finding.sites;
            known.finding.rule == "S1"
                && ends.iter().any(|end| [producer.site.pc, consumer.site.pc].contains(&end.site.pc))
        };
        let ends = [("producer", producer), ("consumer", consumer)];
        let enough = analysis.enough_of(Channel::Ds as ClassId, earlier.enough);
        if let Some(known) = self.missing.iter_mut().find(is) {
            known.producers.insert(earlier.access);
            known.is_missing_before(earlier.arrival, enough);
            also(&mut known.finding, &ends);
            return;
        }
        let loads = matches!(barriers::access(consumer), Some(Access::Load | Access::CopyFrom));
        let title = format!(
            "LDS is {} behind a barrier at which {} may still be in flight: the barrier does not wait for it",
            if loads { "read" } else { "overwritten" },
            producer.mnemonic
        );
        let counter = analysis.counters.counter_of(Channel::Ds);
        let mut finding = Finding::new("S1", Class::MissingWait, Severity::Error, title);
        also(&mut finding, &ends);
        self.missing.push(Missing::new(finding, earlier.access, counter, (earlier.arrival, enough)));
    }

    /// LDS is touched where copies have its bytes in flight. Where no barrier orders a copy and another wave's read in
    /// the first round, that one of the round before lets others know of it is not what is wrong
    /// ([`crate::consequences`]).
    pub fn early(
        &mut self,
        analysis: &Analysis<'_>,
        all: &[(Early, Option<u64>)],
        mut barriers: Vec<OneBarrier>,
    ) {
        for (early, number) in all {
            let cause = barriers
                .iter_mut()
                .find(|barrier| barrier.is_cause(analysis, (early.copy, early.touch), !early.other_wave));
            match cause {
                Some(cause) => {
                    let (copy, touch) = (analysis.sites.get(early.copy), analysis.sites.get(early.touch));
                    also(&mut cause.finding, &[("producer", copy), ("consumer", touch)]);
                }
                None => self.in_flight(analysis, early, *number),
            }
        }
        self.other.extend(barriers.into_iter().map(|barrier| barrier.finding));
    }

    /// LDS is touched where a copy has its bytes in flight.
    fn in_flight(&mut self, analysis: &Analysis<'_>, early: &Early, number: Option<u64>) {
        let (copy, touch) = (analysis.sites.get(early.copy), analysis.sites.get(early.touch));
        let loads = barriers::access(touch) == Some(Access::Load);
        let verb = if loads { "read" } else { "overwritten" };
        let who = if early.other_wave { " by another wave" } else { "" };
        let MissingWait { before, class, enough } = early.wait;
        let counter = analysis.counter(class);
        let known = self.missing.iter_mut().find(|known| {
            let same = known.before == before || known.producers.contains(&early.copy);
            (known.finding.rule, known.counter) == ("R4", counter) && same
        });
        let ends = [("producer", copy), ("consumer", touch)];
        let missing = match known {
            Some(known) => {
                known.is_missing_before(before, enough);
                known.producers.insert(early.copy);
                also(&mut known.finding, &ends);
                known
            }
            None => {
                let mut title =
                    format!("LDS is {verb}{who} while {} may still be in flight there", copy.mnemonic);
                if let Some(number) = number {
                    title += &format!(", if the numbers that the kernel takes are {number}");
                }
                let severity = if number.is_some() { Severity::Warning } else { Severity::Error };
                let mut finding = Finding::new("R4", Class::MissingWait, severity, title);
                also(&mut finding, &ends);
                self.missing.push_mut(Missing::new(finding, early.copy, counter, (before, enough)))
            }
        };
        if !early.other_wave {
            missing.is_needed_by_itself(before, early.at_barrier);
        }
    }

    /// LDS is read where, as far as a path knows, it holds nothing but what copies in flight are to bring.
    pub fn nothing_has_come(&mut self, analysis: &Analysis<'_>, site: SiteId, wave: &Wave) {
        let copies = |one: &&Pending| {
            let producer = analysis.sites.get(one.operation);
            barriers::access(producer) == Some(Access::Copy)
        };
        let copies = wave.in_flight.pending().iter().filter(copies);
        let Some(copy) = copies.max_by_key(|one| one.positions) else {
            return;
        };
        // Others may have issued it as well, for the load of this wave: then it must be done at the barrier.
        let arrived = wave.barrier.arrived_with(copy.operation);
        self.empty.push((site, *copy, arrived.unwrap_or((site, copy.oldest()))));
    }

    /// The first load of LDS where it holds nothing on any path.
    pub fn read_empty(&mut self, analysis: &Analysis<'_>) {
        let empty = std::mem::take(&mut self.empty);
        let Some((site, copy, place)) = empty.into_iter().find(|(site, ..)| !self.filled.contains(site))
        else {
            return;
        };
        let mnemonic = analysis.sites.get(copy.operation).mnemonic;
        let title = format!("LDS is read while {mnemonic} is in flight, and no copy to LDS has come");
        let mut finding = Finding::new("R4", Class::MissingWait, Severity::Error, title);
        let (producer, load) = (analysis.sites.get(copy.operation), analysis.sites.get(site));
        finding.sites.extend([end_of("producer", producer), end_of("consumer", load)]);
        let missing = Missing::new(finding, copy.operation, analysis.counter(copy.class), place);
        self.missing.push(Missing { load: Some(site), ..missing });
    }

    /// Arrivals and waits take turns.
    pub fn turns(&mut self, analysis: &Analysis<'_>, site: SiteId, effect: Effect, barrier: &AtBarrier) {
        let own = analysis.sites.get(site);
        let finding = |rule, class, title: &str| Finding::new(rule, class, Severity::Error, title);
        if let (true, Some(&first)) = (effect.arrives, barrier.arrivals.first()) {
            let title = "the wave may arrive a second time at the workgroup barrier in one phase";
            let mut finding = finding("B12", Class::Barrier, title);
            finding.sites.extend([end_of("arrive", analysis.sites.get(first)), end_of("arrive", own)]);
            self.other.push(finding.hint("a wait for the barrier between the two arrivals", None));
        } else if effect.waits && !effect.arrives && barrier.outside {
            let title = "the wave may wait for the workgroup barrier without having arrived";
            let mut finding = finding("B13", Class::Deadlock, title);
            finding.sites.push(end_of("waiting", own));
            self.other.push(finding);
        }
    }

    /// The hardware does not wait for what an instruction depends on.
    pub fn too_early(&mut self, analysis: &Analysis<'_>, site: SiteId, early: &TooEarly) {
        let (first, second) = (analysis.sites.get(early.first), analysis.sites.get(site));
        let known = |finding: &Finding| {
            let ends = finding.sites.last().map(|end| end.site.pc);
            finding.rule == "N1" && ends == Some(second.site.pc)
        };
        if self.other.iter().any(known) {
            return;
        }
        let title = format!("{}: needs {} wait states", early.what, early.needed);
        let mut finding = Finding::new("N1", Class::Hazard, early.severity, title);
        finding.sites.extend([end_of("producer", first), end_of("consumer", second)]);
        let hint = wait_states_text(analysis.machine, early.missing);
        self.other.push(finding.hint(format!("{hint} before"), Some(second.site.clone())));
    }

    /// Where waits wait for nothing.
    pub fn idle(&self) -> BTreeSet<u64> {
        self.waits.iter().filter(|(_, (_, idle))| *idle).map(|(&pc, _)| pc).collect()
    }

    pub fn wait(&mut self, site: SiteId, info: &SiteInfo, idle: bool) {
        self.waits.entry(info.site.pc).or_insert((site, true)).1 &= idle;
    }

    /// What a wait on a straight line sees to further on is not missing there.
    fn join_on_lines(&mut self, analysis: &Analysis<'_>, lines: &StraightLines<'_>) {
        let mut order: Vec<usize> = (0..self.missing.len()).collect();
        order.sort_by_key(|&of| analysis.sites.get(self.missing[of].before).site.pc);
        let mut mended = BTreeSet::new();
        for (at, &first) in order.iter().enumerate() {
            for &other in &order[at + 1..] {
                if mended.contains(&first) || mended.contains(&other) {
                    continue;
                }
                let Some(waits) = self.waits_for_both(lines, first, other) else { continue };
                waits.into_iter().for_each(|(place, allowed)| {
                    self.missing[first].is_missing_before(place, allowed);
                });
                self.take_ends(first, other);
                mended.insert(other);
            }
        }
        self.forget(&mended);
    }

    /// Where waits for `first` see to all of `other` too, and how many operations they may leave in flight for that.
    fn waits_for_both(
        &self,
        lines: &StraightLines<'_>,
        first: usize,
        other: usize,
    ) -> Option<Vec<(SiteId, u32)>> {
        let (known, other) = (&self.missing[first], self.missing[other].lacking(other));
        let wait = |lacking: Lacking<usize>| {
            let mut places = known.places().filter(|_| lacking.counter == known.counter);
            places.find_map(|(place, _)| Some((place, lines.allowed(place, &lacking)?)))
        };
        other.map(wait).collect()
    }

    /// What is another's is the first one's, too.
    fn take_ends(&mut self, first: usize, other: usize) {
        let ends = std::mem::take(&mut self.missing[other].finding.sites);
        ends.into_iter().for_each(|end| self.missing[first].finding.add_end(end));
        let producers = std::mem::take(&mut self.missing[other].producers);
        self.missing[first].producers.extend(producers);
        let also = std::mem::take(&mut self.missing[other].also);
        also.into_iter().for_each(|(counter, place)| self.missing[first].is_for_also(counter, place));
    }

    /// Others are missing no more.
    fn forget(&mut self, mended: &BTreeSet<usize>) {
        let mut number = 0..;
        self.missing.retain(|_| number.next().is_none_or(|number| !mended.contains(&number)));
    }

    /// What one wait mends is one finding, of what lacks it where it is to stand.
    fn join(&mut self, lines: &StraightLines<'_>) {
        let lacking = self.missing.iter().enumerate().flat_map(|(of, missing)| missing.lacking(of));
        let mut mended = BTreeSet::new();
        for OneWait { mends, place, allowed } in one_waits(lacking, lines) {
            let stands = |&&of: &&usize| self.missing[of].places().any(|(own, _)| own == place);
            let Some(&first) = mends.iter().find(stands).or(mends.iter().min()) else { continue };
            for other in mends.into_iter().filter(|other| *other != first) {
                self.take_ends(first, other);
                mended.insert(other);
            }
            (self.missing[first].before, self.missing[first].enough) = (place, allowed);
        }
        self.forget(&mended);
    }

    /// What races where a barrier is not waited for is told with that.
    fn join_unwaited(&mut self) {
        let Some(at) = self.other.iter().position(|finding| finding.rule == "B12") else { return };
        let mut barrier = self.other.remove(at);
        for race in self.other.extract_if(.., |finding| finding.rule == "S2") {
            race.sites.into_iter().for_each(|end| barrier.add_end(end));
        }
        self.other.push(barrier);
    }

    pub fn findings(mut self, analysis: &Analysis<'_>) -> Vec<Finding> {
        self.missing.iter_mut().for_each(Missing::stand_before_barrier);
        let lines = StraightLines::of(analysis.sites);
        self.join_on_lines(analysis, &lines);
        self.join(&lines);
        self.join_unwaited();
        // Where a wait is missing, another may have to do its work.
        let idle = self.waits.values().filter(|(_, idle)| *idle && self.missing.is_empty());
        let redundant: Vec<Finding> =
            idle.map(|&(site, _)| redundant(analysis, site, &self.too_strong)).collect();
        let missing = self.missing.into_iter().map(|one| {
            let wait = waits_text(analysis.machine, &one.waits());
            one.finding.hint(format!("{wait} before"), Some(analysis.sites.get(one.before).site.clone()))
        });
        let advice = redundant.into_iter().chain(self.stronger);
        let mut findings: Vec<Finding> = missing.chain(self.other).chain(advice).collect();
        findings.sort_by_key(|finding| {
            (std::cmp::Reverse(finding.severity), finding.sites.last().map(|end| end.site.pc))
        });
        findings
    }
}

/// A wait that has nothing to wait for. One before it may be `too_strong` instead.
fn redundant(analysis: &Analysis<'_>, site: SiteId, too_strong: &BTreeMap<u64, SiteId>) -> Finding {
    let (info, path) = (analysis.sites.get(site), analysis.code.any_path(site));
    let waits: Vec<String> =
        info.effects.waits.iter().map(|(counter, n)| format!("{} {n}", counter.name())).collect();
    let title = format!("the wait for {} has nothing to wait for on {path}", waits.join(" and "));
    let mut finding = Finding::new("W1", Class::Redundant, Severity::Advice, title).proven();
    finding.sites.push(end_of("wait", info));
    match too_strong.get(&info.site.pc) {
        Some(&earlier) => finding.hint(
            "it can go; or, if nothing before it needs as much, more may stay in flight at",
            Some(analysis.sites.get(earlier).site.clone()),
        ),
        None => finding.hint("it can go", None),
    }
}

/// Waits that may leave more in flight than they do, on all paths and all together. A wait that is `idle` for want of that
/// is none.
pub(super) fn stronger(
    analysis: &Analysis<'_>,
    code: &Code,
    graph: &Graph,
    idle: &mut BTreeSet<u64>,
) -> Vec<Finding> {
    // One instruction under several states of the upper VGPR bits has one number.
    let mut by_place: BTreeMap<(u64, Counter), (SiteId, u32)> = BTreeMap::new();
    for ((site, counter), most) in needs::needs(analysis, code, graph, idle) {
        let known = by_place.entry((analysis.sites.get(site).site.pc, counter)).or_insert((site, most));
        known.1 = known.1.min(most);
    }
    let mut findings = Vec::new();
    for ((_, counter), (site, most)) in by_place {
        let info = analysis.sites.get(site);
        let Some(n) = needs::number(analysis, site, counter) else { continue };
        let most = needs::weakest(analysis, counter, most);
        if most <= n {
            continue;
        }
        let weaker = weaker_wait_text(analysis.machine, &info.site.inst, counter, Some(most));
        let Some(weaker) = weaker else { continue };
        let path = analysis.code.any_path(site);
        let title =
            format!("the wait for {} {n} could be {most}: nothing on {path} needs more", counter.name());
        let mut finding = Finding::new("W2", Class::OverStrong, Severity::Advice, title).proven();
        finding.sites.push(end_of("wait", info));
        findings.push(finding.hint(format!("{weaker} instead of"), Some(info.site.clone())));
    }
    findings
}

/// Adds ends to a finding that are not there yet.
pub(super) fn also(finding: &mut Finding, ends: &[(&'static str, &SiteInfo)]) {
    ends.iter().for_each(|&(role, end)| finding.add_end(end_of(role, end)));
}

fn end_of(role: &'static str, info: &SiteInfo) -> FindingSite {
    FindingSite { role, site: info.site.clone(), wave: None, lanes: 0 }
}
