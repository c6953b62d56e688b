//! What can be said of a kernel's machine code without executing it: over all paths, whatever the launch.
//!
//! * R1, R2, R8: a register is read or written that a load on some path has not written yet;
//! * R4: LDS is read where nothing but copies in flight can have put something;
//! * R5: a copy from LDS is issued while a store to it by the same wave is in flight, or a copy to LDS while an access of
//!   the same bytes is;
//! * S1: an access to LDS was in flight at the barrier that a conflicting one stands behind;
//! * B12, B13: a wave arrives at the workgroup barrier twice in one phase, or waits for it without having arrived;
//! * N1: an instruction comes before the wait states have passed that the hardware does not insert;
//! * R7: the wave ends while a copy to or from LDS, or an arrival behind one at a barrier there, is in flight that no path to
//!   there completes;
//! * W1: a wait that has nothing to wait for on any path, which is a proof;
//! * W2: a wait for fewer operations than anything on any path needs, which is a proof, too.
//!
//! Every path of the control flow graph is taken for possible, as compilers take them that insert waits, but for those on
//! which one scalar comparison comes out two ways (`conditions`). A call is followed where its target follows from the code
//! (labels, addresses relative to the program counter, entries of the table of global addresses): what is in flight goes
//! with it, and comes back to whom called. What another call does is not known: by LLVM's convention functions wait for
//! everything but asynchronous copies, before they begin and before they return. Which addresses meet is not known on all
//! paths: what of LDS is in flight at a barrier is taken for what the barrier is to publish, and a store in flight for what a
//! copy behind it reads, unless the waves of supposed dispatches are seen to go by with other bytes; an access in flight meets a
//! copy to LDS only where they are seen to have bytes in common. Copies to and from LDS are
//! looked at by address on the paths of such dispatches (`lds`): R4, and S2 where no barrier stands between. Other races are the
//! business of a launch.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use wavemark_isa::effects::{Barrier, Channel, Counter, CounterSet, Flow, Path, Scope, Verb, channels_of};
use wavemark_memmodel::counters::{Class as Queue, ClassId, InFlight, Pending};
use wavemark_memmodel::flow::{Graph, State, forward};
use wavemark_sim::Kernel;
use wavemark_sim::events::Space;
use wavemark_sim::foresight::Supposed;
use wavemark_sim::foresight::known::Constants;
use wavemark_sim::queue;
use wavemark_target::Machine;
use wavemark_target::facts::ManualWaits;

use crate::finding::{Finding, Severity};
use crate::register_set;
use crate::site_info::{SiteId, SiteInfo, Sites};
use crate::waits::limits_issue;

mod barriers;
pub(crate) mod blocks;
mod calls;
mod conditions;
mod ends;
mod lds;
mod needs;
mod one_barrier;
mod report;
mod wait_states;

use barriers::{Access, AtBarrier, Unpublished};
use blocks::Code;
pub use blocks::{Gap, GapKind};
use lds::Pairs;
use report::{Missing, Report, stronger};
use wait_states::Recent;

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
    let mut analysis = Analysis::new(kernel.machine, &code);
    let graph = Graph::new(code.blocks.iter().map(|block| block.successors.clone()).collect());
    if code.sites.all().any(|(_, info)| arrives_in_lds(info)) {
        analysis.learns = lds::polls(&analysis, &code, &graph);
    }
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
    report.read_empty(&analysis);
    let mut unpublished = std::mem::take(&mut report.unpublished);
    // What a wave does to LDS is done in order, and there may be no other.
    if lds::is_alone(kernel, supposed) {
        unpublished.clear();
    }
    let pair = |&(earlier, site): &(Unpublished, SiteId)| (earlier.access, site);
    let overtaken = std::mem::take(&mut report.overtaken);
    let accessed = |(access, copy): &(Pending, SiteId)| (access.operation, *copy);
    let own = overtaken.iter().map(accessed).chain(report.missing.iter().flat_map(Missing::nothing_has_come));
    let pairs = Pairs::new(unpublished.iter().map(pair), own, report.arrives_with_access);
    let unfinished = report.missing.iter().flat_map(Missing::unfinished).collect();
    let shown = lds::judge(&analysis, (&code, &graph), (kernel, supposed), pairs, &unfinished);
    report.missing.iter_mut().for_each(|missing| {
        missing.stand_before_flag(&shown.handed_on);
        missing.doubt(shown.issued.as_ref());
    });
    let pairs = shown.pairs;
    // What is in flight at an access of the same wave may be other bytes.
    report.missing.retain(|missing| {
        let mut pending = missing.nothing_has_come().peekable();
        pending.peek().is_none() || !pending.all(|pair| pairs.own.are_apart(pair))
    });
    // What another wave's copy has in flight may lack the same wait.
    let barriers = shown.unordered.one_barriers(&analysis);
    report.early(&analysis, &shown.early, barriers);
    // What a copy from LDS reads may be what a store in flight writes; other bytes have to be seen.
    let may_meet = |one: &&(Pending, SiteId)| {
        let reads = barriers::access(analysis.sites.get(one.1)) == Some(Access::CopyFrom);
        pairs.own.meet(accessed(one)) || reads && !pairs.own.are_apart(accessed(one))
    };
    for one in overtaken.iter().filter(may_meet) {
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
    /// Where something arrives at a barrier in LDS, loads by which a wave may learn of it.
    learns: FxHashSet<SiteId>,
}

/// A register of an operation in flight is touched.
struct Conflict {
    operation: SiteId,
    /// The class in which it is in flight, and how many a wait may leave there.
    awaited: Pending,
    /// Another class in which it is: FLAT operations are in two.
    also: Option<Pending>,
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
            learns: FxHashSet::default(),
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
            if let Some(known) = conflicts.iter_mut().find(|known| known.operation == operation) {
                known.also = Some(awaited);
                continue;
            }
            if let Some((register, reads)) = self.touches_result(self.sites.get(operation), info) {
                conflicts.push(Conflict { operation, awaited, also: None, register, reads });
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
        let comes = |register: &u32| {
            producer.writes().any(|range| range.numbers().contains(register))
                && !producer.leaves_half_to(info, *register)
        };
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
        if barriers::access(info) == Some(Access::Load) {
            match wave.lds_holds {
                true => _ = report.filled.insert(site),
                false => report.nothing_has_come(self, site, wave),
            }
        }
        if copies_lds(info) {
            let writes = info.effects.memory.is_some_and(|memory| lds::writes_lds(memory.verb));
            let accesses = wave.in_flight.pending().iter().filter(|one| {
                let access = barriers::access(self.sites.get(one.operation));
                access == Some(Access::Store) || writes && access == Some(Access::Load)
            });
            report.overtaken.extend(accesses.map(|access| (*access, site)));
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
        for awaited in conflicts.iter().flat_map(|conflict| [Some(conflict.awaited), conflict.also]).flatten()
        {
            state.wait(&self.queues, awaited.class, awaited.enough());
        }
        if self.ends(site) {
            // Tensor DMA can tell an LDS barrier that it is done.
            let copies = |one: &&Pending| {
                let info = self.sites.get(one.operation);
                goes_on_in_lds(info) && info.effects.memory.is_some_and(|memory| memory.path != Path::Tensor)
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
                    && !limits_issue(self.machine.facts(), (counter, n))
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

/// Whether it goes on in LDS when the wave has ended: a copy, and what arrives behind one at a barrier there.
fn goes_on_in_lds(info: &SiteInfo) -> bool {
    copies_lds(info) || arrives_in_lds(info)
}

/// Whether it arrives at a barrier in LDS when the copies before it are over.
fn arrives_in_lds(info: &SiteInfo) -> bool {
    !copies_lds(info) && info.effects.channels.contains(&Channel::Al)
}

/// Whether it copies to or from LDS on its own.
fn copies_lds(info: &SiteInfo) -> bool {
    let memory = info.effects.memory;
    memory.is_some_and(|memory| {
        matches!(memory.verb, Verb::ToLds | Verb::FromLds) || memory.path == Path::Tensor
    })
}
