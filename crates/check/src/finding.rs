//! What the checker found: counted by rule and pair of sites, reported by mistake ([`crate::mistakes`]).

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use wavemark_isa::effects::{CounterSet, waits_text};
use wavemark_sim::brake::{Brake, Halt};
use wavemark_sim::events::{Channel, Counter, Site, WaveId};

use crate::barriers::{Miscount, of_waves};
use crate::consequences;
use crate::mistakes::{MistakeId, Mistakes};
use crate::one_wait::{self, StraightLines};
use crate::site_info::{SiteId, Sites};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Right, but stronger than need be.
    Advice,
    /// Works by luck or only on some models.
    Warning,
    /// Undefined or wrong.
    Error,
}

/// What kind of defect it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // the names are those of the report format
pub enum Class {
    MissingWait,
    MissingSync,
    MissingWriteback,
    MissingInvalidate,
    WrongScope,
    OutOfBounds,
    Barrier,
    Deadlock,
    Collective,
    OverStrong,
    Redundant,
    Hazard,
    StepLimit,
    Trap,
    Uninitialized,
}

/// One end of a finding.
#[derive(Clone, Debug)]
pub struct FindingSite {
    /// What this instruction has to do with it: `producer`, `consumer`, `wait`, `first`, `second`…
    pub role: &'static str,
    /// The instruction.
    pub site: Site,
    /// Which wave, in the first instance; `None` where nothing was executed.
    pub wave: Option<WaveId>,
    /// Which lanes, in the first instance; 0: not a matter of lanes.
    pub lanes: u64,
}

/// A wait that should have been enough, and was not.
#[derive(Clone, Debug)]
pub struct FaultyWait {
    /// The instruction.
    pub site: Site,
    /// Whose, in the first instance.
    pub wave: WaveId,
    /// The counter that should have been waited for.
    pub counter: Counter,
    /// The counters that it does wait for.
    pub waits_for: Vec<Counter>,
    /// How many operations it leaves in flight; `None`: it does not wait for that counter.
    pub leaves: Option<u32>,
    /// How many it may leave.
    pub allowed: u32,
}

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Rule id of the catalogue.
    pub rule: &'static str,
    /// One line.
    pub title: String,
    /// How bad.
    pub severity: Severity,
    /// What kind.
    pub class: Class,
    /// How often it happened.
    pub instances: u64,
    /// Its ends, the earlier one first; then those of other instances of the same mistake.
    pub sites: Vec<FindingSite>,
    /// The wait that is at fault.
    pub wait: Option<FaultyWait>,
    /// What would mend it, if that is known; `{pc}` of `hint_site` is replaced by its source place.
    pub hint: Option<String>,
    /// The instruction that the hint is about.
    pub hint_site: Option<Site>,
    /// What a barrier belongs before, if not all that come there have come by the wait of the hint.
    pub(crate) else_before: Option<Site>,
    /// The wait that is missing: its counter, and how many operations it may leave in flight.
    pub needed: Option<(Counter, u32)>,
    /// The model flag that the finding depends on.
    pub model: Option<&'static str>,
    /// It holds on all paths, whatever the launch.
    pub proven: bool,
    /// The counter of which a wait could leave more in flight.
    pub(crate) weakened: Option<Counter>,
    /// Which mistake it comes from.
    pub(crate) mistake: Option<MistakeId>,
    /// The counter of the missing wait and what it should stand before, for the hint.
    pub(crate) missing: Option<(Counter, Option<SiteId>)>,
    /// Another counter that has to be waited for as well, and the part of the mistake that knows the number.
    pub(crate) also: Option<(Counter, MistakeId)>,
    /// It is one as what several waves store differs: alike, it were none.
    pub(crate) of_values: bool,
    /// Its ends are those of another finding of the same mistake, by which no barrier stands between them.
    pub(crate) needs_barrier: bool,
    /// What is read there, or overwritten, is what a copy brings.
    pub(crate) is_of_copy: bool,
    /// Where what is not waited for may be a flag of other workgroups.
    pub(crate) is_of_flag: bool,
    /// It follows from another finding ([`consequences`]).
    pub(crate) is_consequence: bool,
}

/// What the hint for a missing wait says where a barrier is missing, too.
pub(crate) const AND_A_BARRIER: &str = " and a barrier";

/// What mends it where a copy comes before another wave has read what it writes over.
pub(crate) const REFILL: &str =
    "one buffer more, or the copy behind the read, its wait and a barrier: behind";
/// The same where its own wave reads that.
const OWN_REFILL: &str = "one buffer more, or the copy behind the read and its wait: behind";

/// What the hint for a missing barrier says of the wait that it belongs behind.
pub(crate) const BARRIER_BEHIND: &str = "a barrier between the two accesses, behind";

/// The same, in front of an instruction.
pub(crate) const BARRIER_BEFORE: &str = "a barrier between the two accesses, before";

/// What the hint for a missing barrier says where it is not known between which places.
pub(crate) const BARRIER_SOMEWHERE: &str =
    "a barrier between the two accesses, behind the wait for the one that the program has first";

/// Ends that are kept of one mistake.
pub(crate) const ENDS: usize = 64;

impl Finding {
    /// Where a barrier belongs, now that all instructions are known.
    fn place_barrier(&mut self, sites: &Sites, lines: &StraightLines<'_>) {
        let id = |site: &Site| sites.find(site.pc, site.msb);
        if let (Some(wait), Some(second)) = (self.hint_site.as_ref().and_then(id), &self.else_before)
            && !id(second).is_some_and(|second| lines.lead(wait, second))
        {
            self.hint = Some(BARRIER_BEFORE.to_owned());
            self.hint_site = self.else_before.take();
        } else if self.hint.as_deref() == Some(BARRIER_BEHIND)
            && let Some(wait) = self.hint_site.as_ref().and_then(id)
        {
            let before_loop = self.first_id(sites).and_then(|first| {
                let &channel = sites.get(first).effects.channels.first()?;
                lines.wait_before_loop(first, wait, CounterSet::of(sites.machine()).counter_of(channel))
            });
            let (hint, at) = lines.barrier_behind(before_loop.unwrap_or(wait));
            (self.hint, self.hint_site) = (Some(hint.to_owned()), Some(sites.get(at).site.clone()));
        }
    }

    /// What nothing orders in LDS between waves that meet at a named barrier which was initialised for fewer lacks its count. Who
    /// takes part is known at the end.
    fn blame_count(&mut self, sites: &Sites, miscounts: &[Miscount]) {
        let waves = self.sites.iter().take(2).filter_map(|end| end.wave);
        if self.rule == "S2"
            && self.is_between_waves()
            && let Some(miscount) = miscounts.iter().find(|of| of.is_of(waves.clone()))
        {
            self.hint = Some(of_waves(miscount.waves));
            self.hint_site = Some(sites.get(miscount.init).site.clone());
            (self.else_before, self.missing, self.needs_barrier) = (None, None, false);
        }
    }

    /// The instruction of the first end.
    pub(crate) fn first_id(&self, sites: &Sites) -> Option<SiteId> {
        let first = &self.sites.first()?.site;
        sites.find(first.pc, first.msb)
    }

    /// Where a wait belongs for what other waves hand on, it is not known how: before the first barrier that all come to which
    /// have issued it.
    fn place_wait(&mut self, sites: &Sites, lines: &StraightLines<'_>, mistakes: &mut Mistakes) {
        if let (Some((counter, None)), Some(mistake)) = (self.missing, self.mistake)
            && let Some(producer) = self.first_id(sites)
            && let Some(barrier) = lines.first_barrier(producer)
        {
            self.missing = Some((counter, Some(barrier)));
            mistakes.set_place(mistake, barrier);
        }
    }

    /// The wait that is at fault is none if the right one belongs before `place`, right behind what is to be waited for, and that one
    /// stands behind it. A wait that may leave something in flight is for another round of a loop.
    fn excuse_wait(&mut self, (place, allowed): (SiteId, u32), sites: &Sites, lines: &StraightLines<'_>) {
        let first = self.first_id(sites);
        let is_behind = self.wait.as_ref().is_some_and(|wait| wait.site.pc > sites.get(place).site.pc);
        if allowed == 0 && is_behind && first.is_some_and(|first| lines.lead(first, place)) {
            self.wait = None;
            if self.rule == "R6" {
                self.rule = "R4";
            }
        }
    }

    /// The counter of which waits may have more to wait for once this is mended, so that there is no advice about those that have
    /// nothing now: what another wait leaves in flight, a write-back, or what goes to where a barrier stands.
    pub fn unsettles(&self, counters: CounterSet) -> Option<Counter> {
        match (self.class, self.rule) {
            (Class::MissingWriteback, _) => Some(counters.counter_of(Channel::St)),
            (Class::MissingSync, "S2") => Some(counters.counter_of(Channel::Ds)),
            _ => self.weakened,
        }
    }

    /// A finding of `rule` without sites or hint.
    pub fn new(rule: &'static str, class: Class, severity: Severity, title: impl Into<String>) -> Finding {
        Finding {
            rule,
            title: title.into(),
            severity,
            class,
            instances: 1,
            sites: Vec::new(),
            hint: None,
            hint_site: None,
            else_before: None,
            needed: None,
            wait: None,
            model: None,
            proven: false,
            weakened: None,
            mistake: None,
            missing: None,
            also: None,
            of_values: false,
            needs_barrier: false,
            is_of_copy: false,
            is_of_flag: false,
            is_consequence: false,
        }
    }

    /// Add an end.
    pub fn at(mut self, role: &'static str, site: &Site, wave: impl Into<Option<WaveId>>) -> Finding {
        self.sites.push(FindingSite { role, site: site.clone(), wave: wave.into(), lanes: 0 });
        self
    }

    /// Add an end with lanes.
    pub fn at_lanes(mut self, role: &'static str, site: &Site, wave: WaveId, lanes: u64) -> Finding {
        self.sites.push(FindingSite { role, site: site.clone(), wave: Some(wave), lanes });
        self
    }

    /// Add a hint about an instruction.
    pub fn hint(mut self, hint: impl Into<String>, site: Option<Site>) -> Finding {
        self.hint = Some(hint.into());
        self.hint_site = site;
        self
    }

    /// Say that a wait is missing before an instruction.
    pub(crate) fn missing_wait(
        mut self,
        counter: Counter,
        before: Option<SiteId>,
        mistake: MistakeId,
    ) -> Finding {
        self.missing = Some((counter, before));
        self.mistake = Some(mistake);
        self
    }

    /// Say that a barrier is missing there as well.
    pub(crate) fn and_a_barrier(mut self) -> Finding {
        self.needs_barrier = true;
        self
    }

    /// Say that a wait is missing before an instruction, which may leave so many operations of a counter in flight.
    pub(crate) fn missing(mut self, (counter, allowed): (Counter, u32), before: Option<SiteId>) -> Finding {
        (self.missing, self.needed) = (Some((counter, before)), Some((counter, allowed)));
        self
    }

    /// Say that it holds on all paths, whatever the launch.
    pub fn proven(mut self) -> Finding {
        self.proven = true;
        self
    }

    /// Say that a wait could leave more in flight of a counter.
    pub(crate) fn weakened(mut self, counter: Counter) -> Finding {
        self.weakened = Some(counter);
        self
    }

    /// Say which mistake it comes from.
    pub(crate) fn of(mut self, mistake: Option<MistakeId>) -> Finding {
        self.mistake = mistake;
        self
    }

    /// Say which wait is at fault.
    pub(crate) fn faulty(mut self, wait: Option<FaultyWait>) -> Finding {
        self.wait = wait;
        self
    }

    /// What comes first among findings of one mistake: what is wrong before what follows from it. Where waves are not in order
    /// with copies that come too early, that is what is wrong.
    fn rank(&self, mistakes: &Mistakes, sites: &Sites) -> impl Ord + use<> {
        let is_early = self.is_of_early_copy(mistakes);
        let before = self.missing.and_then(|(_, before)| before);
        let late = self.mistake.is_some_and(|mistake| mistakes.is_late(mistake, before));
        let place = before.map(|before| sites.get(before).site.pc);
        let overwrites = self.sites.iter().any(|site| site.role == "writer");
        (
            self.severity < Severity::Error,
            self.is_consequence,
            !is_early,
            self.missing.is_none(),
            self.class == Class::MissingSync,
            self.rule == "R7",
            late,
            place,
            overwrites,
        )
    }

    /// Whether it says that waves are not in order with a copy that may come too early.
    fn is_of_early_copy(&self, mistakes: &Mistakes) -> bool {
        let may_be_early = |[a, b]: [u64; 2]| mistakes.may_be_early(a, b);
        self.class == Class::MissingSync
            && (self.pair().is_some_and(may_be_early) || self.refills(mistakes).is_some())
    }

    /// The copy that comes before what it writes over is read, if it says that one is met in flight.
    pub(crate) fn refills(&self, mistakes: &Mistakes) -> Option<&Site> {
        let copy = self.sites.iter().find(|site| site.role == "producer")?;
        self.pair().filter(|&[a, b]| mistakes.refills(a, b)).map(|_| &copy.site)
    }

    /// What mends it where a copy comes before what it writes over is read: the last of the reads is what it belongs behind.
    fn behind_read(&mut self) {
        let wait = if self.is_between_waves() { REFILL } else { OWN_REFILL };
        let reads = self.sites.iter().filter(|site| site.role == "consumer");
        self.hint_site = reads.map(|read| &read.site).max_by_key(|read| read.pc).cloned();
        self.hint = Some(wait.to_owned());
    }

    /// The two instructions that meet, in the order of their addresses.
    pub(crate) fn pair(&self) -> Option<[u64; 2]> {
        let [first, second, ..] = self.sites.as_slice() else { return None };
        let (a, b) = (first.site.pc, second.site.pc);
        Some([a.min(b), a.max(b)])
    }

    /// The first instruction with this role.
    pub(crate) fn end(&self, role: &str) -> Option<u64> {
        self.sites.iter().find(|site| site.role == role).map(|site| site.site.pc)
    }

    /// The instruction that reads what is written, before or after.
    pub(crate) fn reader(&self) -> Option<u64> {
        self.end("consumer").or_else(|| self.end("reader"))
    }

    /// The instruction that writes what is read, before or after.
    pub(crate) fn writer(&self) -> Option<u64> {
        self.end("producer").or_else(|| self.end("writer"))
    }

    /// Whether two waves have to do with it.
    pub(crate) fn is_between_waves(&self) -> bool {
        let [first, second, ..] = self.sites.as_slice() else { return false };
        first.wave.zip(second.wave).is_some_and(|(first, second)| first.index != second.index)
    }

    /// Add another end, if it is new and there is room.
    pub(crate) fn add_end(&mut self, end: FindingSite) {
        let known = |site: &FindingSite| (site.role, site.site.pc) == (end.role, end.site.pc);
        if self.sites.len() < ENDS && !self.sites.iter().any(known) {
            self.sites.push(end);
        }
    }

    /// Take up another finding of the same mistake.
    fn absorb(&mut self, other: Finding) {
        self.instances += other.instances;
        if let (None, Some(also), Some((counter, _))) = (self.also, other.also, self.missing) {
            let awaited = other.missing.map(|(counter, _)| counter).zip(other.mistake);
            self.also = [Some(also), awaited].into_iter().flatten().find(|(other, _)| *other != counter);
        }
        let is_there = || other.needs_barrier && other.missing.is_some() && other.missing == self.missing;
        self.needs_barrier |= other.class == Class::MissingSync && other.pair() == self.pair() || is_there();
        other.sites.into_iter().for_each(|end| self.add_end(end));
        if !other.is_consequence {
            self.blame(other.wait);
        }
    }

    /// It is seen again; two mistakes that are one by that. Of the end of a wave that cannot be said.
    fn again(
        &mut self,
        instances: u64,
        mistake: Option<MistakeId>,
        wait: Option<FaultyWait>,
    ) -> Option<(MistakeId, MistakeId)> {
        self.instances += instances;
        self.blame(wait);
        let same = self.mistake.zip(mistake)?;
        (same.0 != same.1 && self.rule != "R7").then_some(same)
    }

    /// Another instance's faulty wait: the one that is known, if it is the same, may have to be stronger yet.
    fn blame(&mut self, other: Option<FaultyWait>) {
        match (&mut self.wait, other) {
            (Some(wait), Some(other)) if wait.site.pc == other.site.pc && wait.counter == other.counter => {
                wait.allowed = wait.allowed.min(other.allowed);
            }
            (wait @ None, other) => *wait = other,
            _ => {}
        }
    }

    /// The same of other waves.
    pub(crate) fn with_waves(mut self, of: impl Fn(WaveId) -> WaveId) -> Finding {
        for end in &mut self.sites {
            end.wave = end.wave.map(&of);
        }
        self
    }

    /// What makes two findings one: rule, class and ends. Where a value is used does not make another mistake of it.
    pub fn key(&self) -> FindingKey {
        let ends = self.sites.iter().filter(|s| s.role != "use").map(|s| s.site.pc);
        (self.rule, self.class, ends.collect())
    }

    /// Say which model flag it depends on.
    pub fn model(mut self, flag: &'static str) -> Finding {
        self.model = Some(flag);
        self
    }
}

/// Rule, class and addresses of a finding.
pub type FindingKey = (&'static str, Class, Vec<u64>);

/// All findings of a run.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    known: FxHashMap<FindingKey, usize>,
    /// Mistakes that show in the same pair of instructions.
    same: FxHashSet<(MistakeId, MistakeId)>,
    /// Of each cluster in which values mean nothing, how many there were when that was found first.
    meaningful: FxHashMap<u32, usize>,
    /// What ends the run then, if anything does.
    brake: Option<Arc<Brake>>,
}

impl Findings {
    /// Add a finding, or count it if there is one of its key; its number in the order in which they were first seen.
    pub fn add(&mut self, finding: Finding) -> usize {
        let at = *self.known.entry(finding.key()).or_insert(self.list.len());
        match self.list.get_mut(at) {
            Some(known) => {
                known.severity = known.severity.max(finding.severity);
                let (instances, mistake) = (finding.instances, finding.mistake);
                self.same.extend(known.again(instances, mistake, finding.wait));
            }
            None => self.list.push(finding),
        }
        at
    }

    /// The counters of which there is no advice ([`Finding::unsettles`]).
    pub(crate) fn unsettled(&self, counters: CounterSet) -> impl Iterator<Item = Counter> {
        self.list.iter().filter_map(move |finding| finding.unsettles(counters))
    }

    /// Pull `brake` once values mean nothing.
    pub(crate) fn stop_on_error(&mut self, brake: Arc<Brake>) {
        self.brake = Some(brake);
    }

    /// Where the waves of a cluster go from here on, and what they access, follows from values that mean nothing.
    pub(crate) fn mean_nothing_from_here(&mut self, cluster: u32) {
        self.meaningful.entry(cluster).or_insert(self.list.len());
        if let Some(brake) = &self.brake {
            brake.pull(Halt::Error);
        }
    }

    /// Leave out what may come of values that mean nothing, and which waits those did not need; whether there was any. Waits that
    /// are missing for registers and LDS show whatever the values are, and what ended the run is always said.
    pub(crate) fn leave_out_meaningless(&mut self) -> bool {
        let Some(&first) = self.meaningful.values().min() else { return false };
        let (mut at, meaningful) = (0.., &self.meaningful);
        let before = self.list.len();
        self.list.retain(|finding| {
            let at = at.next().unwrap_or_default();
            let of = finding.sites.iter().filter_map(|end| meaningful.get(&end.wave?.cluster_flat));
            let ends = matches!(finding.class, Class::StepLimit | Class::Deadlock | Class::Trap);
            match finding.severity {
                Severity::Advice => at < first,
                _ => {
                    ends || finding.rule.starts_with('R')
                        || finding.rule == "S1"
                        || of.min().is_none_or(|&of| at < of)
                }
            }
        });
        self.list.len() < before
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The findings, in the order in which they were first seen.
    pub fn into_list(self) -> Vec<Finding> {
        self.list
    }

    /// Whether a finding of `rule` at these addresses is known; if so it is counted.
    pub(crate) fn count_known(
        &mut self,
        (rule, class): (&'static str, Class),
        pcs: &[u64],
        mistake: Option<MistakeId>,
        wait: impl FnOnce() -> Option<FaultyWait>,
    ) -> bool {
        let Some(&at) = self.known.get(&(rule, class, pcs.to_vec())) else { return false };
        self.same.extend(self.list[at].again(1, mistake, wait()));
        true
    }

    /// One finding for each mistake, worst first, then in the order in which they were first seen. That LDS is read which
    /// nobody wrote is no mistake of its own where accesses to LDS race: what should have written it may have come too
    /// late, or gone elsewhere. Nor is it that waves store different values in one place where a wait is missing: what they store
    /// may come of what was not there yet.
    pub(crate) fn into_sorted(
        mut self,
        mut mistakes: Mistakes,
        sites: &Sites,
        miscounts: &[Miscount],
    ) -> Vec<Finding> {
        let has_error = |rules: &[&str]| {
            self.list.iter().any(|f| f.severity == Severity::Error && rules.contains(&f.rule))
        };
        let follows_race = has_error(&["R4", "R5", "R6", "R7", "S1", "S2"]);
        let values_follow = has_error(&["R1", "R4", "R5", "R6", "R7", "S1"]);
        for finding in &mut self.list {
            if follows_race && finding.rule == "U2" || values_follow && finding.of_values {
                finding.severity = finding.severity.min(Severity::Warning);
            }
        }
        for &(a, b) in &self.same {
            mistakes.join(a, b);
        }
        let lines = StraightLines::of(sites);
        for finding in &mut self.list {
            finding.blame_count(sites, miscounts);
            finding.place_barrier(sites, &lines);
            finding.place_wait(sites, &lines, &mut mistakes);
        }
        one_wait::join(&self.list, &mut mistakes, &lines);
        consequences::join(&mut self.list, &mut mistakes, &lines);
        let mut list = by_mistake(self.list, &mistakes, &lines);
        // A wait that is at fault has advice enough.
        let at_fault = |wait: &FindingSite| {
            list.iter().any(|f| f.wait.as_ref().is_some_and(|fault| fault.site.pc == wait.site.pc))
        };
        let moot: Vec<bool> = list
            .iter()
            .map(|f| {
                f.severity == Severity::Advice
                    && matches!(f.rule, "W1" | "W2" | "W3")
                    && f.sites.iter().any(at_fault)
            })
            .collect();
        let mut moot = moot.into_iter();
        list.retain(|_| !moot.next().unwrap_or_default());
        list.sort_by_key(|f| std::cmp::Reverse(f.severity));
        list
    }
}

/// One finding for each mistake, in the order in which they were first seen.
fn by_mistake(list: Vec<Finding>, mistakes: &Mistakes, lines: &StraightLines<'_>) -> Vec<Finding> {
    let sites = lines.sites();
    let mut list: Vec<(usize, Finding)> = list.into_iter().enumerate().collect();
    list.sort_by_key(|(_, finding)| finding.rank(mistakes, sites));
    let mut merged: Vec<(usize, Finding)> = Vec::new();
    for (order, finding) in list {
        let counter = |finding: &Finding| finding.missing.map(|(counter, _)| counter);
        let root = |finding: &Finding| finding.mistake.map(|mistake| mistakes.root(mistake));
        let same = |(_, other): &(usize, Finding)| {
            // A copy that nobody waits for at the end has been waited for too little before.
            let again = finding.rule == "R7" && other.end("producer") == finding.end("producer");
            root(&finding).is_some()
                && (root(other) == root(&finding) || again && counter(other) == counter(&finding))
        };
        match merged.iter().position(same) {
            Some(at) => {
                let (first, known) = &mut merged[at];
                *first = (*first).min(order);
                known.absorb(finding);
            }
            None => merged.push((order, finding)),
        }
    }
    merged.sort_by_key(|(order, _)| *order);
    let hinted = merged.into_iter().map(|(_, mut finding)| {
        if finding.refills(mistakes).is_some() {
            finding.behind_read();
        } else if let (Some((counter, before)), Some(mistake)) = (finding.missing, finding.mistake) {
            let (allowed, earliest) = mistakes.wait(mistake);
            let for_all = mistakes.allowed_with_barrier(mistake, counter).filter(|_| finding.needs_barrier);
            let allowed = for_all.map_or(allowed, |for_all| allowed.min(for_all));
            finding.needed = Some((counter, allowed));
            finding.hint_site = earliest.or(before).map(|site| sites.get(site).site.clone());
            let barrier = if finding.needs_barrier { AND_A_BARRIER } else { "" };
            let of = if finding.hint_site.is_some() { "" } else { " the store that hands it on" };
            let place = earliest.or(before);
            let also = finding.also.map(|(counter, also)| (counter, mistakes.allowed_before(also, place)));
            let mut waits: Vec<_> = also.into_iter().chain([(counter, allowed)]).collect();
            waits.sort_unstable();
            let wait = waits_text(sites.machine(), &waits);
            finding.hint = Some(format!("{wait}{barrier} before{of}"));
            if let Some(place) = place {
                finding.excuse_wait((place, allowed), sites, lines);
            }
        } else if finding.is_of_early_copy(mistakes) {
            finding.hint = Some("a barrier between the two accesses, or one buffer more".to_owned());
        }
        finding
    });
    hinted.collect()
}
