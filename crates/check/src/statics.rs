//! What can be said of a kernel's machine code without executing it: over all paths, whatever the launch.
//!
//! * R1, R2, R8: a register is read or written that a load on some path has not written yet;
//! * R4: LDS is read where nothing but copies in flight can have put something;
//! * R5: a copy from LDS is issued while a store to it by the same wave is in flight;
//! * S1: an access to LDS was in flight at the barrier that a conflicting one stands behind;
//! * B12, B13: a wave arrives at the workgroup barrier twice in one phase, or waits for it without having arrived;
//! * N1: an instruction comes before the wait states have passed that the hardware does not insert;
//! * R7: the wave ends while a copy to or from LDS is in flight that no path to there completes;
//! * W1: a wait that has nothing to wait for on any path, which is a proof;
//! * W2: a wait for fewer operations than anything on any path needs, which is a proof, too.
//!
//! Every path of the control flow graph is taken for possible, as compilers take them that insert waits, but for those on
//! which one scalar comparison comes out two ways (`conditions`). A call is followed where its target follows from the code
//! (labels, addresses relative to the program counter, entries of the table of global addresses): what is in flight goes
//! with it, and comes back to whom called. What another call does is not known: by LLVM's convention functions wait for
//! everything but asynchronous copies, before they begin and before they return. Which addresses meet is not known on all
//! paths: what of LDS is in flight at a barrier is taken for what the barrier is to publish, and a store in flight for what a
//! copy behind it reads, unless the waves of supposed dispatches are seen to go by with other bytes. Copies to and from LDS are
//! looked at by address on the paths of such dispatches (`lds`): R4, and S2 where no barrier stands between. Other races are the
//! business of a launch.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;
use wavemark_isa::effects::{
    Barrier, Channel, Counter, CounterSet, Flow, Path, Scope, Verb, channels_of, wait_states_text, wait_text,
    weaker_wait_text,
};
use wavemark_memmodel::counters::{Class as Queue, ClassId, InFlight, Pending};
use wavemark_memmodel::flow::{Graph, State, forward};
use wavemark_sim::Kernel;
use wavemark_sim::events::Space;
use wavemark_sim::foresight::Supposed;
use wavemark_sim::foresight::known::Constants;
use wavemark_sim::queue;
use wavemark_target::Machine;
use wavemark_target::facts::ManualWaits;

use crate::finding::{Class, ENDS, Finding, FindingSite, Severity};
use crate::one_wait::{Lacking, OneWait, StraightLines, one_waits};
use crate::register_set;
use crate::site_info::{SiteId, SiteInfo, Sites, register_name};

mod barriers;
pub(crate) mod blocks;
mod calls;
mod conditions;
mod ends;
mod lds;
mod needs;
mod one_barrier;
mod wait_states;

use barriers::{Access, AtBarrier, Effect, Unpublished};
use blocks::Code;
pub use blocks::{Gap, GapKind};
use lds::{Early, MissingWait, Pairs};
use one_barrier::OneBarrier;
use wait_states::{Recent, TooEarly};

/// What was found of a kernel without executing it.
#[derive(Debug)]
pub struct Statics {
    /// The findings, by address.
    pub findings: Vec<Finding>,
    /// Where the paths go on in a way that is not known.
    pub gaps: Vec<Gap>,
    /// How many instructions are on the paths.
    pub instructions: usize,
}

/// Checks the code of `kernel` on all paths; what needs addresses, as it were dispatched in each way that is `supposed`.
/// In `constants`, memory that nothing changes, addresses of functions may stand.
pub fn check(kernel: &Kernel, supposed: &[Supposed], constants: Constants<'_>) -> Statics {
    let mut statics = read(kernel, supposed, constants);
    let counted = kernel.machine.facts().counters.iter().any(|&(counter, _)| counter == Counter::Async);
    let errors = statics.findings.iter_mut().filter(|finding| finding.severity == Severity::Error);
    let mut errors = errors.peekable();
    if counted && !kernel.machine.one_async_queue && errors.peek().is_some() {
        // What is wrong only where asynchronous loads and stores are two queues depends on a reading.
        let machine = Machine { one_async_queue: true, ..kernel.machine };
        let otherwise = read(&Kernel { machine, ..kernel.clone() }, supposed, constants).findings;
        for finding in errors.filter(|finding| !otherwise.iter().any(|other| other.key() == finding.key())) {
            finding.severity = Severity::Warning;
            finding.model = Some("asynccnt");
        }
    }
    statics
}

/// The same, by one reading of how asynchronous operations return.
fn read(kernel: &Kernel, supposed: &[Supposed], constants: Constants<'_>) -> Statics {
    let code = Code::of(kernel, constants);
    let analysis = Analysis::new(kernel.machine, &code);
    let graph = Graph::new(code.blocks.iter().map(|block| block.successors.clone()).collect());
    let before = forward(&graph, 0, Wave::default(), |block, before| {
        let mut wave = before.clone();
        for &site in &code.blocks[block].sites {
            wave.step(&analysis, site);
        }
        wave
    });
    let mut report = Report::default();
    for (block, before) in code.blocks.iter().zip(before) {
        let Some(mut wave) = before else { continue };
        for &site in &block.sites {
            analysis.judge(&code, &mut wave, site, &mut report);
            wave.step(&analysis, site);
        }
    }
    let mut unpublished = std::mem::take(&mut report.unpublished);
    // What a wave does to LDS is done in order, and there may be no other.
    if lds::is_alone(kernel, supposed) {
        unpublished.clear();
    }
    let pair = |&(earlier, site): &(Unpublished, SiteId)| (earlier.access, site);
    let overtaken = std::mem::take(&mut report.overtaken);
    let stored = |(store, copy): &(Pending, SiteId)| (store.operation, *copy);
    let own = overtaken.iter().map(stored).chain(report.missing.iter().flat_map(Missing::nothing_has_come));
    let pairs = Pairs::new(unpublished.iter().map(pair), own, report.arrives_with_access);
    let shown = lds::judge(&analysis, (&code, &graph), (kernel, supposed), pairs);
    let pairs = shown.pairs;
    // What is in flight at an access of the same wave may be other bytes.
    report.missing.retain(|missing| {
        let mut pending = missing.nothing_has_come().peekable();
        pending.peek().is_none() || !pending.all(|pair| pairs.own.are_apart(pair))
    });
    // What another wave's copy has in flight may lack the same wait.
    let barriers = shown.unordered.one_barriers(&analysis);
    report.early(&analysis, &shown.early, barriers);
    for one in overtaken.iter().filter(|one| !pairs.own.are_apart(stored(one))) {
        report.overtaken_by(&analysis, one.1, &one.0);
    }
    // Accesses to LDS follow barriers at which others were in flight: those that do not go by with other bytes, or, where nothing
    // says how many waves there are or another access comes first, those that are seen to have bytes in common.
    let size_known = supposed.iter().any(|one| !one.any_size);
    let meets = |one: &(Unpublished, SiteId)| {
        let has_to_be_seen = !size_known || one.0.followed_by_another;
        pairs.behind.meet(pair(one)) || !has_to_be_seen && !pairs.behind.are_apart(pair(one))
    };
    for one in unpublished.iter().filter(|one| meets(one)).chain(&pairs.of_other_ways) {
        report.unpublished_at(&analysis, one.1, one.0);
    }
    // Where a wait is missing, another may have to do its work; what is called may need anything.
    if report.missing.is_empty() && code.gaps.is_empty() {
        let mut idle = report.idle();
        report.stronger = stronger(&analysis, &code, &graph, &mut idle);
        report.too_strong = needs::perhaps_too_strong(&analysis, &code, &graph, &idle);
        report.waits.retain(|pc, _| idle.contains(pc));
    }
    let findings = report.findings(&analysis);
    Statics { findings, gaps: code.gaps, instructions: code.instructions }
}

/// What may hold of a wave at a point.
#[derive(Clone, Debug, Default)]
struct Wave {
    in_flight: InFlight,
    barrier: AtBarrier,
    /// What may have been issued a few wait states ago.
    recent: Recent,
    /// LDS may hold something: a store to it, or a copy that has come.
    lds_holds: bool,
    /// What may be a look at a flag, and was in flight at an invalidate since, the first one; ascending.
    overtaken: SmallVec<[Overtaken; 1]>,
}

/// An operation that an invalidate may have overtaken, which is to come behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Overtaken {
    operation: SiteId,
    invalidate: SiteId,
    /// So many operations a wait before the invalidate may leave in flight.
    enough: u32,
}

impl Wave {
    /// An invalidate is executed.
    fn invalidate(&mut self, analysis: &Analysis<'_>, invalidate: SiteId) {
        for one in self.in_flight.pending() {
            let is_known = self.overtaken.iter().any(|known| known.operation == one.operation);
            if !is_known && may_look_at_flag(analysis.sites.get(one.operation)) {
                let enough = analysis.enough(*one);
                self.overtaken.push(Overtaken { operation: one.operation, invalidate, enough });
            }
        }
        self.overtaken.sort_unstable();
    }

    fn step(&mut self, analysis: &Analysis<'_>, site: SiteId) {
        let info = analysis.sites.get(site);
        let memory = info.effects.memory;
        if memory.is_some_and(|memory| {
            matches!(memory.verb, Verb::Cache { invalidate: true, .. }) && memory.path != Path::Scalar
        }) {
            self.invalidate(analysis, site);
        }
        self.barrier.step(analysis.sites, &self.in_flight, site);
        self.recent.step(analysis.manual_waits, analysis.sites, site, analysis.code.is_opaque(site));
        let copies = |wave: &Wave| -> u32 {
            let copies = wave.in_flight.pending().iter();
            let copies = copies.filter(|one| copies_lds(analysis.sites.get(one.operation)));
            copies.map(|one| one.positions.count_ones()).sum()
        };
        let before = if info.effects.flow == Flow::Wait && !self.lds_holds { copies(self) } else { 0 };
        analysis.step(&mut self.in_flight, site);
        // What is called may have stored anything; an atomic may be a barrier in LDS that tells when a copy has come.
        let stores = matches!(barriers::access(info), Some(Access::Store | Access::Atomic));
        self.lds_holds |= stores || analysis.code.is_opaque(site) || before > 0 && copies(self) < before;
        let in_flight = &self.in_flight;
        self.overtaken.retain(|one| in_flight.has(one.operation));
    }
}

impl State for Wave {
    fn join(&mut self, other: &Wave) -> bool {
        let holds = other.lds_holds && !self.lds_holds;
        self.lds_holds |= holds;
        self.in_flight.join(&other.in_flight)
            | self.barrier.join(&other.barrier)
            | self.recent.join(&other.recent)
            | barriers::add(&mut self.overtaken, &other.overtaken)
            | holds
    }
}

/// The checker's view of the code.
struct Analysis<'c> {
    machine: Machine,
    counters: CounterSet,
    manual_waits: ManualWaits,
    code: &'c Code,
    sites: &'c Sites,
    /// By channel.
    queues: Vec<Queue>,
    /// The channels, one bit each, of operations of the code that may be over before older ones.
    unordered: u8,
}

/// A register of an operation in flight is touched.
struct Conflict {
    operation: SiteId,
    /// The class in which it is in flight, and how many a wait may leave there.
    awaited: Pending,
    register: u32,
    reads: bool,
}

impl Analysis<'_> {
    fn new(machine: Machine, code: &Code) -> Analysis<'_> {
        let counters = CounterSet::of(machine);
        let queue = |&channel: &Channel| Queue {
            in_order: channel.in_order(),
            capacity: counters.capacity(counters.counter_of(channel)),
        };
        // Where FLAT operations go is not known.
        let spaces = [Space::Lds, Space::Global];
        let of_site = |site: &SiteId| {
            let channels = code.sites.get(*site).effects.channels.iter().copied();
            queue::unordered(channels, spaces.into_iter())
        };
        let sites = || code.blocks.iter().flat_map(|block| &block.sites);
        let unordered = match machine.facts().flat_counts_in_order {
            true => 0,
            false => sites().fold(0, |mask, site| mask | of_site(site)),
        };
        Analysis {
            unordered,
            machine,
            counters,
            manual_waits: machine.facts().manual_waits,
            code,
            sites: &code.sites,
            queues: Channel::ALL.iter().map(queue).collect(),
        }
    }

    /// Whether a wait that leaves some of a channel in flight says of those before them that they are over, whatever else is
    /// in flight.
    fn tells_order(&self, class: ClassId) -> bool {
        self.queues[usize::from(class)].in_order && self.unordered >> class & 1 == 0
    }

    /// How many operations a wait for one may leave in flight.
    fn enough(&self, awaited: Pending) -> u32 {
        self.enough_of(awaited.class, awaited.enough())
    }

    /// The same where it would be so many, were all in order.
    fn enough_of(&self, class: ClassId, enough: u32) -> u32 {
        if self.tells_order(class) { enough } else { 0 }
    }

    /// What an instruction does to the operations in flight.
    fn step(&self, state: &mut InFlight, site: SiteId) {
        let info = self.sites.get(site);
        // What touches a result has it from there on, or was found.
        for conflict in self.conflicts(state, info) {
            state.forget(conflict.operation);
        }
        self.wait(state, info);
        // Who has waited at a barrier knows whether it was the first to arrive there: LLVM lets no wait for KMcnt follow
        // (`SIInsertWaitcnts`).
        if info.effects.barrier == Some(Barrier::Wait) {
            let barrier = barriers::number(info);
            state.retain(|operation| {
                let signal = self.sites.get(operation);
                signal.effects.barrier != Some(Barrier::SignalIsFirst) || barriers::number(signal) != barrier
            });
        }
        if self.code.is_opaque(site) {
            state.retain(|operation| copies_lds(self.sites.get(operation)));
        }
        self.issue(state, site, info);
    }

    /// An instruction waits for what its operand says, or for everything.
    fn wait(&self, state: &mut InFlight, info: &SiteInfo) {
        for &(counter, n) in &info.effects.waits {
            for &channel in channels_of(counter) {
                state.wait(&self.queues, channel as ClassId, n);
            }
        }
        if info.effects.waits_idle {
            state.retain(|_| false);
        }
    }

    /// What an instruction issues goes into flight under a number.
    fn issue(&self, state: &mut InFlight, number: u32, info: &SiteInfo) {
        if !info.effects.channels.is_empty() {
            let own: SmallVec<[ClassId; 2]> =
                info.effects.channels.iter().map(|&channel| channel as ClassId).collect();
            state.issue(&self.queues, number, &own);
        }
    }

    /// The operations in flight whose registers an instruction touches before they have come.
    fn conflicts(&self, state: &InFlight, info: &SiteInfo) -> SmallVec<[Conflict; 2]> {
        let mut conflicts: SmallVec<[Conflict; 2]> = SmallVec::new();
        for &awaited in state.pending() {
            let operation = awaited.operation;
            if conflicts.iter().any(|known| known.operation == operation) {
                continue;
            }
            if let Some((register, reads)) = self.touches_result(self.sites.get(operation), info) {
                conflicts.push(Conflict { operation, awaited, register, reads });
            }
        }
        conflicts
    }

    /// The register that an operation writes and an instruction touches while it may still be written, and whether it
    /// is read.
    fn touches_result(&self, producer: &SiteInfo, info: &SiteInfo) -> Option<(u32, bool)> {
        if !register_set::meet(&producer.written, &info.touched) {
            return None;
        }
        let comes = |register: &u32| producer.writes().any(|range| range.numbers().contains(register));
        let read = info.reads().chain(info.merges()).flat_map(|range| range.numbers()).find(comes);
        let written = || info.writes().flat_map(|range| range.numbers()).find(comes);
        match read {
            Some(register) => Some((register, true)),
            None if producer.may_be_overtaken_by(info) => written().map(|register| (register, false)),
            None => None,
        }
    }

    /// What is wrong with an instruction, or need not be.
    fn judge(&self, code: &Code, wave: &mut Wave, site: SiteId, report: &mut Report) {
        let info = self.sites.get(site);
        for earlier in wave.barrier.unpublished(self.sites, info) {
            report.unpublished.push((earlier, site));
        }
        if let Some(effect) = barriers::Effect::of(info) {
            let mut pending = wave.in_flight.pending().iter();
            report.arrives_with_access |= effect.arrives
                && pending.any(|one| barriers::access(self.sites.get(one.operation)).is_some());
            report.turns(self, site, effect, &wave.barrier);
        }
        if barriers::access(info) == Some(Access::Load) && !wave.lds_holds {
            report.nothing_has_come(self, site, wave);
        }
        if barriers::access(info) == Some(Access::CopyFrom) {
            let stores = wave
                .in_flight
                .pending()
                .iter()
                .filter(|one| barriers::access(self.sites.get(one.operation)) == Some(Access::Store));
            report.overtaken.extend(stores.map(|store| (*store, site)));
        }
        if let Some(early) = wave.recent.too_early(self.manual_waits, self.sites, site) {
            report.too_early(self, site, &early);
        }
        let state = &mut wave.in_flight;
        let conflicts = self.conflicts(state, info);
        for conflict in &conflicts {
            let overtaken = wave.overtaken.iter().find(|one| one.operation == conflict.operation);
            let place = match overtaken {
                Some(one) => (one.invalidate, one.enough),
                None => (site, self.enough(conflict.awaited)),
            };
            report.conflict(self, site, conflict, place);
        }
        // The wait that is missing would have covered the rest.
        for Conflict { awaited, .. } in conflicts {
            state.wait(&self.queues, awaited.class, awaited.enough());
        }
        if self.ends(site) {
            // Tensor DMA can tell an LDS barrier that it is done.
            let copies = |one: &&Pending| {
                let info = self.sites.get(one.operation);
                copies_lds(info) && info.effects.memory.is_some_and(|memory| memory.path != Path::Tensor)
            };
            for one in state.pending().iter().filter(copies) {
                if ends::outlived(self, code, one.operation).contains(&site) {
                    report.unfinished(self, site, one);
                }
            }
        }
        // What is called may have issued anything.
        if code.gaps.is_empty() && info.effects.flow == Flow::Wait && !info.effects.waits_idle {
            let idle = |&(counter, n): &(Counter, u32)| {
                let classes = || channels_of(counter).iter().map(|&channel| channel as ClassId);
                // Compilers take ASYNCcnt for one queue: of loads and stores it may be for the older ones.
                let several =
                    || classes().filter(|&class| state.waits_for(&self.queues, class, 0)).count() > 1;
                classes().next().is_some()
                    && counter != Counter::Exp
                    && !classes().any(|class| state.waits_for(&self.queues, class, n))
                    && !(counter == Counter::Async && several())
            };
            report.wait(site, info, !info.effects.waits.is_empty() && info.effects.waits.iter().all(idle));
        }
    }

    /// Whether the wave ends there.
    fn ends(&self, site: SiteId) -> bool {
        self.sites.get(site).effects.flow == Flow::End
    }

    /// The counter that counts a class.
    fn counter(&self, class: ClassId) -> Counter {
        self.counters.counter_of(Channel::ALL[usize::from(class)])
    }
}

/// Whether it loads from memory what other workgroups may have written there for it to see: a scope says so.
fn may_look_at_flag(info: &SiteInfo) -> bool {
    let memory = info.effects.memory;
    let returns = memory.is_some_and(|memory| matches!(memory.verb, Verb::Load | Verb::AtomicReturn));
    returns && info.effects.policy.scope > Scope::Cu
}

/// Whether it copies to or from LDS on its own.
fn copies_lds(info: &SiteInfo) -> bool {
    let memory = info.effects.memory;
    memory.is_some_and(|memory| {
        matches!(memory.verb, Verb::ToLds | Verb::FromLds) || memory.path == Path::Tensor
    })
}

/// What was found.
#[derive(Default)]
struct Report {
    missing: Vec<Missing>,
    other: Vec<Finding>,
    /// Accesses of LDS in flight at a barrier, each with one that may come too early for it.
    unpublished: Vec<(Unpublished, SiteId)>,
    /// A wave may arrive at a barrier with such an access in flight.
    arrives_with_access: bool,
    /// Stores to LDS in flight, each with a copy from there of the same wave.
    overtaken: Vec<(Pending, SiteId)>,
    /// Waits by address, and whether they wait for nothing under all upper VGPR bits.
    waits: BTreeMap<u64, (SiteId, bool)>,
    /// Waits that are stronger than needed.
    stronger: Vec<Finding>,
    /// By the address of a wait that waits for nothing, one before it that may be so.
    too_strong: BTreeMap<u64, SiteId>,
}

/// A wait that is missing.
struct Missing {
    finding: Finding,
    producers: BTreeSet<SiteId>,
    counter: Counter,
    /// Of LDS where no copy has come, if it is that.
    load: Option<SiteId>,
    before: SiteId,
    enough: u32,
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
        let (elsewhere, own) = (Vec::new(), BTreeMap::new());
        Missing { finding, producers, counter, load: None, before, enough, elsewhere, own }
    }

    /// It is missing before this instruction, too.
    fn is_missing_before(&mut self, before: SiteId, enough: u32) {
        if self.before == before {
            self.enough = self.enough.min(enough);
        } else if !self.elsewhere.contains(&(before, enough)) {
            self.elsewhere.push((before, enough));
        }
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

    /// What is missing, place by place.
    fn lacking(&self, of: usize) -> impl Iterator<Item = Lacking<usize>> + '_ {
        let awaited: SmallVec<[_; 1]> = self.producers.iter().copied().collect();
        self.places().map(move |(place, allowed)| {
            let (counter, awaited) = (self.counter, awaited.clone());
            Lacking { of, counter, awaited, place, allowed }
        })
    }

    /// Of a load of LDS where no copy has come, the copies in flight and the load.
    fn nothing_has_come(&self) -> impl Iterator<Item = (SiteId, SiteId)> + '_ {
        self.load.into_iter().flat_map(|load| self.producers.iter().map(move |&copy| (copy, load)))
    }
}

impl Report {
    /// A register of an operation in flight is touched: a wait that may leave `enough` in flight is missing `before` an
    /// instruction.
    fn conflict(
        &mut self,
        analysis: &Analysis<'_>,
        site: SiteId,
        conflict: &Conflict,
        (before, enough): (SiteId, u32),
    ) {
        let (producer, consumer) = (analysis.sites.get(conflict.operation), analysis.sites.get(site));
        let counter = analysis.counter(conflict.awaited.class);
        let known = self.missing.iter_mut().find(|known| {
            let same = known.before == before || known.producers.contains(&conflict.operation);
            known.counter == counter && same && matches!(known.finding.rule, "R1" | "R2" | "R8")
        });
        if let Some(known) = known {
            known.is_missing_before(before, enough);
            known.producers.insert(conflict.operation);
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
        self.missing.push(Missing::new(finding, conflict.operation, counter, (before, enough)));
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

    fn unfinished(&mut self, analysis: &Analysis<'_>, site: SiteId, one: &Pending) {
        let producer = analysis.sites.get(one.operation);
        let how = match producer.effects.memory.map(|memory| memory.verb) {
            Some(Verb::ToLds | Verb::Load) => "writing",
            _ => "reading",
        };
        let title = format!("the wave ends while {} is still {how} LDS", producer.mnemonic);
        self.missing(analysis, ("R7", "end", title), one, (site, analysis.enough(*one)));
    }

    /// A copy from LDS is issued while a store to it is in flight.
    fn overtaken_by(&mut self, analysis: &Analysis<'_>, site: SiteId, one: &Pending) {
        let (producer, copy) = (analysis.sites.get(one.operation), analysis.sites.get(site));
        let title = format!("{} may read LDS before {} has written it", copy.mnemonic, producer.mnemonic);
        self.missing(analysis, ("R5", "consumer", title), one, (site, analysis.enough(*one)));
    }

    /// An access to LDS follows a barrier at which another one was in flight.
    fn unpublished_at(&mut self, analysis: &Analysis<'_>, site: SiteId, earlier: Unpublished) {
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
    fn early(&mut self, analysis: &Analysis<'_>, all: &[Early], mut barriers: Vec<OneBarrier>) {
        for early in all {
            let cause = barriers
                .iter_mut()
                .find(|barrier| barrier.is_cause(analysis, early.touch, !early.other_wave));
            match cause {
                Some(cause) => {
                    let (copy, touch) = (analysis.sites.get(early.copy), analysis.sites.get(early.touch));
                    also(&mut cause.finding, &[("producer", copy), ("consumer", touch)]);
                }
                None => self.in_flight(analysis, early),
            }
        }
        self.other.extend(barriers.into_iter().map(|barrier| barrier.finding));
    }

    /// LDS is touched where a copy has its bytes in flight.
    fn in_flight(&mut self, analysis: &Analysis<'_>, early: &Early) {
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
                let title =
                    format!("LDS is {verb}{who} while {} may still be in flight there", copy.mnemonic);
                let mut finding = Finding::new("R4", Class::MissingWait, Severity::Error, title);
                also(&mut finding, &ends);
                self.missing.push_mut(Missing::new(finding, early.copy, counter, (before, enough)))
            }
        };
        if !early.other_wave {
            missing.is_needed_by_itself(before, early.at_barrier);
        }
    }

    /// LDS is read where it holds nothing but what copies in flight are to bring.
    fn nothing_has_come(&mut self, analysis: &Analysis<'_>, site: SiteId, wave: &Wave) {
        let copies = |one: &&Pending| {
            let producer = analysis.sites.get(one.operation);
            barriers::access(producer) == Some(Access::Copy)
        };
        let copies = wave.in_flight.pending().iter().filter(copies);
        let Some(copy) = copies.max_by_key(|one| one.positions) else {
            return;
        };
        if self.missing.iter().any(|missing| missing.finding.rule == "R4") {
            return;
        }
        let mnemonic = analysis.sites.get(copy.operation).mnemonic;
        let title = format!("LDS is read while {mnemonic} is in flight, and no copy to LDS has come");
        // Others may have issued it as well, for the load of this wave: then it must be done at the barrier.
        let arrived = wave.barrier.arrived_with(copy.operation);
        let (before, enough) = arrived.unwrap_or((site, copy.oldest()));
        let mut finding = Finding::new("R4", Class::MissingWait, Severity::Error, title);
        let (producer, load) = (analysis.sites.get(copy.operation), analysis.sites.get(site));
        finding.sites.extend([end_of("producer", producer), end_of("consumer", load)]);
        let missing = Missing::new(finding, copy.operation, analysis.counter(copy.class), (before, enough));
        self.missing.push(Missing { load: Some(site), ..missing });
    }

    /// Arrivals and waits take turns.
    fn turns(&mut self, analysis: &Analysis<'_>, site: SiteId, effect: Effect, barrier: &AtBarrier) {
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
    fn too_early(&mut self, analysis: &Analysis<'_>, site: SiteId, early: &TooEarly) {
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
    fn idle(&self) -> BTreeSet<u64> {
        self.waits.iter().filter(|(_, (_, idle))| *idle).map(|(&pc, _)| pc).collect()
    }

    fn wait(&mut self, site: SiteId, info: &SiteInfo, idle: bool) {
        self.waits.entry(info.site.pc).or_insert((site, true)).1 &= idle;
    }

    /// What a wait on a straight line sees to further on is not missing there.
    fn join_on_lines(&mut self, analysis: &Analysis<'_>) {
        let lines = StraightLines::of(analysis.sites);
        let mut order: Vec<usize> = (0..self.missing.len()).collect();
        order.sort_by_key(|&of| analysis.sites.get(self.missing[of].before).site.pc);
        let mut mended = BTreeSet::new();
        for (at, &first) in order.iter().enumerate() {
            for &other in &order[at + 1..] {
                if mended.contains(&first) || mended.contains(&other) {
                    continue;
                }
                let Some(waits) = self.waits_for_both(&lines, first, other) else { continue };
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
    }

    /// Others are missing no more.
    fn forget(&mut self, mended: &BTreeSet<usize>) {
        let mut number = 0..;
        self.missing.retain(|_| number.next().is_none_or(|number| !mended.contains(&number)));
    }

    /// What one wait mends is one finding, of what lacks it where it is to stand.
    fn join(&mut self, analysis: &Analysis<'_>) {
        let lacking = self.missing.iter().enumerate().flat_map(|(of, missing)| missing.lacking(of));
        let mut mended = BTreeSet::new();
        for OneWait { mends, place, allowed } in one_waits(lacking, analysis.sites) {
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

    fn findings(mut self, analysis: &Analysis<'_>) -> Vec<Finding> {
        self.missing.iter_mut().for_each(Missing::stand_before_barrier);
        self.join_on_lines(analysis);
        self.join(analysis);
        self.join_unwaited();
        // Where a wait is missing, another may have to do its work.
        let idle = self.waits.values().filter(|(_, idle)| *idle && self.missing.is_empty());
        let redundant: Vec<Finding> =
            idle.map(|&(site, _)| redundant(analysis, site, &self.too_strong)).collect();
        let missing = self.missing.into_iter().map(|one| {
            let wait = wait_text(analysis.machine, one.counter, one.enough);
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
fn stronger(analysis: &Analysis<'_>, code: &Code, graph: &Graph, idle: &mut BTreeSet<u64>) -> Vec<Finding> {
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
fn also(finding: &mut Finding, ends: &[(&'static str, &SiteInfo)]) {
    ends.iter().for_each(|&(role, end)| finding.add_end(end_of(role, end)));
}

fn end_of(role: &'static str, info: &SiteInfo) -> FindingSite {
    FindingSite { role, site: info.site.clone(), wave: None, lanes: 0 }
}
