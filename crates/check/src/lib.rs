//! The checker: an observer of the simulator that judges what it sees.
//!
//! Rules are those of the synchronisation catalogue (R, W, B, L, H, M) and a few of our own (S1, S2: races
//! between waves on LDS; U1, U2: never written; C1, C2: multicast; O1: out of bounds). It never executes
//! anything, and it reports only what this run shows: a defect on a path or schedule that did not occur may
//! be missed. What it reports as an error is undefined or wrong under the default readings ([`Model`]).

#![forbid(unsafe_code)]

mod alike;
mod barriers;
mod clusters;
mod collective;
mod consequences;
mod finding;
mod followed;
mod intra;
mod knowledge;
mod lds;
mod logic;
mod meeting;
mod mistakes;
mod one_wait;
mod polls;
mod polls_in_flight;
mod published;
mod race_report;
mod race_verdict;
mod races;
mod register_set;
mod registers;
mod relation;
mod replay;
mod roomy;
mod shadow;
mod site_info;
mod snapshot;
pub mod statics;
mod sync;
mod taint;
mod tally;
mod uses;
mod waits;
mod wave_state;
mod waves;

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_isa::effects::{CounterSet, Flow, Verb};
use wavemark_sim::brake::{Brake, Halt};
use wavemark_sim::events::{
    Access, BarrierEvent, BarrierId, Blocked, CacheOp, Channel, Counter, Direction, Extent, Fault, Issue,
    Observer, OpId, Site, Space, WaveId,
};
use wavemark_sim::regs::Regs;
use wavemark_sim::{Limit, Segment};
use wavemark_target::{Facts, Machine};

pub use alike::Alike;
pub use finding::{Class, FaultyWait, Finding, FindingSite, Findings, Severity};
pub use followed::Unfollowed;
use shadow::Shadow;
use site_info::{SiteId, Sites, VGPR0};
use taint::Taint;
use wave_state::{Before, Moves, Operation, WaveState};

/// Readings of open questions that change a verdict; all `false` by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Model {
    /// `multicast=timeout`: missing participants are a warning.
    pub multicast_timeout: bool,
    /// `asynccnt=one`: asynchronous loads and stores are one FIFO. What is executed and checked is then [`Model::machine`].
    pub asynccnt_one: bool,
    /// `xcnt=strict`: registers that a replay needs must be kept, those of asynchronous copies as well.
    pub xcnt_strict: bool,
    /// `tensor-order=any`: the tensor transfers of a wave may touch LDS in another order than they were issued in.
    pub tensor_any_order: bool,
    /// `arrive-count=allowed`: an arrival may give a barrier the count that has arrived already.
    pub arrive_count_allowed: bool,
    /// `inv-wait=strict`: an invalidate counts only once it is waited for.
    pub invalidate_is_waited: bool,
    /// `completion-bit=kept`: a wave that joins another named barrier keeps what it was told of the last one's phase.
    pub completion_bit_kept: bool,
    /// `lds-dma-order=any`: copies to LDS that vmcnt counts may land in another order than they were issued in.
    pub lds_dma_any_order: bool,
    /// `cu-order=workgroup`: that a compute unit keeps the order of accesses to global memory counts within its workgroup
    /// alone: what a wave releases to others does not bring with it what another wave stored before a barrier.
    pub cu_order_in_workgroup: bool,
    /// `end-of-program=lint`: copies into LDS that are in flight when a wave ends are a warning.
    pub end_is_lint: bool,
}

impl Model {
    /// A machine as this reads its manual.
    #[must_use]
    pub fn machine(self, machine: Machine) -> Machine {
        Machine { one_async_queue: self.asynccnt_one, ..machine }
    }
}

/// An open question with two readings.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// What it is called.
    pub key: &'static str,
    /// The default reading.
    pub default: &'static str,
    /// The other one.
    pub other: &'static str,
    /// Where a model has it.
    pub place: fn(&mut Model) -> &mut bool,
}

/// Every open question that changes a verdict.
pub const READINGS: &[Reading] = &[
    Reading { key: "multicast", default: "wait", other: "timeout", place: |m| &mut m.multicast_timeout },
    Reading { key: "asynccnt", default: "two", other: "one", place: |m| &mut m.asynccnt_one },
    Reading { key: "xcnt", default: "advice", other: "strict", place: |m| &mut m.xcnt_strict },
    Reading { key: "tensor-order", default: "issued", other: "any", place: |m| &mut m.tensor_any_order },
    Reading {
        key: "arrive-count",
        default: "undefined",
        other: "allowed",
        place: |m| &mut m.arrive_count_allowed,
    },
    Reading { key: "inv-wait", default: "issued", other: "strict", place: |m| &mut m.invalidate_is_waited },
    Reading {
        key: "completion-bit",
        default: "cleared",
        other: "kept",
        place: |m| &mut m.completion_bit_kept,
    },
    Reading { key: "lds-dma-order", default: "issued", other: "any", place: |m| &mut m.lds_dma_any_order },
    Reading {
        key: "cu-order",
        default: "device",
        other: "workgroup",
        place: |m| &mut m.cu_order_in_workgroup,
    },
    Reading { key: "end-of-program", default: "error", other: "lint", place: |m| &mut m.end_is_lint },
];

/// Which checks are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Registers in flight and never written.
    pub registers: bool,
    /// LDS.
    pub lds: bool,
    /// Global memory.
    pub global: bool,
    /// Barriers.
    pub barriers: bool,
    /// Waits too strong.
    pub waits: bool,
}

impl Checks {
    /// All of them.
    pub const FULL: Checks = Checks { registers: true, lds: true, global: true, barriers: true, waits: true };
}

/// What there is to say of a run.
#[derive(Debug)]
pub struct Outcome {
    /// What was found, worst first.
    pub findings: Vec<Finding>,
    /// Loads of which the same run would know more if it followed them ([`Checker::following`]).
    pub unfollowed: Unfollowed,
    /// A dword of global memory was written that more waves had read than are remembered: M1 is not checked against those.
    pub readers_forgotten: bool,
    /// What was found after an error by which values mean nothing is left out.
    pub left_out: bool,
}

/// The checker of one run.
pub struct Checker {
    machine: Machine,
    facts: &'static Facts,
    counters: CounterSet,
    model: Model,
    checks: Checks,
    /// What is executed, to look ahead.
    code: Option<Segment>,
    findings: Findings,
    mistakes: mistakes::Mistakes,
    sites: Sites,
    waves: waves::Waves,
    lds: FxHashMap<u32, lds::Lds>,
    global: Shadow,
    /// Where device and host talk to each other: who may touch what there, the protocol says.
    host: Option<Range<u64>>,
    barriers: FxHashMap<barriers::ObjectKey, barriers::Object>,
    /// Named ones that were initialised for too few waves.
    miscounts: Vec<barriers::Miscount>,
    /// The named barrier that each wave has joined last.
    member_of: FxHashMap<u32, BarrierId>,
    /// By workgroup, or global memory.
    published: FxHashMap<u32, published::Publications>,
    /// What clusters add to the report.
    tally: tally::Tally,
    /// Loads that poll.
    polls: FxHashSet<SiteId>,
    /// Those of them that their loop comes back to.
    polls_again: FxHashSet<SiteId>,
    /// Those that are in flight and that others write over.
    polls_in_flight: Vec<polls_in_flight::PollInFlight>,
    /// Whether a load polls by the code alone, of those of which that was asked.
    polls_by_code: RefCell<FxHashMap<SiteId, bool>>,
    /// Where the values of loads are of use, of those of which that was asked.
    uses: FxHashMap<SiteId, uses::Uses>,
    /// The loads whose values are followed from the beginning.
    followed: followed::Followed,
    /// Writes over what a load read, to be reported if the load does not poll; and the load of each.
    deferred: Findings,
    deferred_loads: Vec<SiteId>,
    /// Waits right before the end of a wave.
    drains: FxHashSet<SiteId>,
    /// Copies to or from LDS whose wait has been found needed, of late.
    copies_used: waits::Recent,
    requests: FxHashMap<u32, collective::Requests>,
    clusters: clusters::Clusters,
    /// What was found out so far depends on values, not on events alone ([`alike`]).
    depends_on_values: bool,
    /// Waves have met in memory without being in order, or learnt of each other by more than the barriers that all of them wait
    /// at ([`Observer::depends_on_order`]).
    depends_on_order: bool,
    /// See [`Outcome::readers_forgotten`].
    readers_forgotten: bool,
    /// An operation was right because it stores in LDS what others have stored there.
    repeats: bool,
    /// It mattered to an instruction whether EXEC had all lanes.
    depends_on_exec: bool,
}

impl Checker {
    /// A checker for a run on `machine`, which [`wavemark_sim::modelled`] gave.
    pub fn new(machine: Machine, checks: Checks, model: Model) -> Checker {
        let machine = model.machine(machine);
        Checker {
            machine,
            facts: machine.facts(),
            counters: CounterSet::of(machine),
            model,
            checks,
            code: None,
            findings: Findings::default(),
            mistakes: mistakes::Mistakes::default(),
            sites: Sites::new(machine),
            waves: waves::Waves::default(),
            lds: FxHashMap::default(),
            global: Shadow::default(),
            host: None,
            barriers: FxHashMap::default(),
            miscounts: Vec::new(),
            member_of: FxHashMap::default(),
            published: FxHashMap::default(),
            tally: tally::Tally::default(),
            polls: FxHashSet::default(),
            polls_again: FxHashSet::default(),
            polls_in_flight: Vec::new(),
            polls_by_code: RefCell::default(),
            uses: FxHashMap::default(),
            followed: followed::Followed::default(),
            deferred: Findings::default(),
            deferred_loads: Vec::new(),
            drains: FxHashSet::default(),
            copies_used: waits::Recent::default(),
            requests: FxHashMap::default(),
            clusters: clusters::Clusters::default(),
            depends_on_values: false,
            depends_on_order: false,
            readers_forgotten: false,
            repeats: false,
            depends_on_exec: false,
        }
    }

    /// With the code that is executed: a loop that a branch leaves forwards is known as one then.
    #[must_use]
    pub fn with_code(mut self, code: Segment) -> Checker {
        self.code = Some(code);
        self
    }

    /// Pull `brake` at the first error after which values mean nothing: an address, a branch, a scalar register or one
    /// lane that is read while its load is in flight.
    pub fn stop_on_error(&mut self, brake: Arc<Brake>) {
        self.findings.stop_on_error(brake);
    }

    /// What there is to say of the run.
    pub fn finish(mut self) -> Outcome {
        let clusters: Vec<u32> = self.requests.keys().copied().collect();
        for cluster in clusters {
            self.match_multicasts(cluster);
        }
        self.report_unfinished();
        self.report_deferred();
        self.report_remarks();
        if self.checks.waits {
            self.report_waits();
        }
        let left_out = self.findings.leave_out_meaningless();
        let findings = self.findings.into_sorted(self.mistakes, &self.sites, &self.miscounts);
        let (unfollowed, readers_forgotten) = (self.followed.unfollowed, self.readers_forgotten);
        Outcome { findings, unfollowed, readers_forgotten, left_out }
    }

    /// An operation goes into flight.
    fn note_issue(&mut self, wave: WaveId, site: SiteId, op: &Issue) {
        self.note_operation(wave, site, &op.seq, Moves::of(op));
    }

    /// The same for one of these places in channels, which moves data so: sequence numbers, registers, clocks.
    fn note_operation(&mut self, wave: WaveId, site: SiteId, seq: &[(Channel, u32)], moves: Moves) {
        self.forget_same_load(wave.index, site);
        let Some(state) = self.waves.get_mut(wave.index) else { return };
        for &(channel, seq) in seq {
            state.seq[channel as usize] = state.seq[channel as usize].max(seq);
            state.known.issued.raise(wave.index, channel as u8, seq);
            let set = self.counters;
            let capacity = set.capacity(set.counter_of(channel));
            let upto = state.seq[channel as usize].saturating_sub(capacity);
            if channel != Channel::Sm {
                state.retire(channel, upto);
            }
        }
        let copies = seq.iter().any(|(c, _)| matches!(c, Channel::Al | Channel::As));
        state.async_issued += u32::from(copies);
        let operation = Operation {
            site,
            before: Before {
                known: state.learnt.clone(),
                seq: state.seq,
                retired: state.retired,
                step: state.steps,
            },
            seq: SmallVec::from_slice(seq),
            waits_before: state.first_wait - 1 + state.waits.len() as u32,
            used: false,
            async_index: if copies { state.async_issued } else { 0 },
            writes_lds: moves.writes_lds,
            reads_lds: moves.reads_lds,
            touches_memory: moves.memory || self.sites.get(site).effects.is_write_back(),
            may_acquire: moves.may_acquire,
            unordered: if self.facts.flat_counts_in_order { 0 } else { moves.unordered },
        };
        let publishes = operation.touches_memory && !operation.writes_lds;
        let number = state.push(operation);
        if publishes && self.checks.waits {
            state.unpublished.push(number);
        }
        while let Some(old) = self.waves.get(wave.index).and_then(WaveState::surplus) {
            // Its result may still be used: the wait that it needs is needed.
            self.consume(wave.index, old);
            if let Some(state) = self.waves.get_mut(wave.index) {
                let stores = |site| self.sites.get(site).effects.stores_for_others();
                let stores = state.operation(old).is_some_and(|operation| stores(operation.site));
                state.pop(stores);
            }
        }
        if !moves.dma {
            self.note_load(wave.index, site, number);
        }
    }

    /// A load that comes again, with nothing in between, takes the place of the last one among what is remembered of its wave: else
    /// a wave that looks a thousand times has soon done nothing else.
    fn forget_same_load(&mut self, wave: u32, site: SiteId) {
        let Some(state) = self.waves.get(wave) else { return };
        let same = state.operations.back().filter(|last| last.site == site && state.is_retired(last));
        if same.is_some()
            && self.sites.get(site).effects.memory.is_some_and(|memory| memory.verb == Verb::Load)
        {
            let number = state.first_operation + state.operations.len() as u32 - 1;
            self.consume(wave, number);
            if let Some(state) = self.waves.get_mut(wave) {
                state.operations.pop_back();
                state.unpublished.pop_if(|unpublished| *unpublished == number);
            }
        }
    }
}

impl Checker {
    /// A checker for a part of the run.
    fn part(&self) -> Checker {
        let part = Checker::new(self.machine, self.checks, self.model);
        Checker { code: self.code.clone(), ..part }
    }

    /// Whether there is anything to report that gives a trial up.
    fn has_found(&self) -> bool {
        !self.findings.is_empty()
    }

    /// Whether there may be, once it is known which loads poll.
    fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// A wave is about to execute an instruction with this EXEC. The values in its registers, which matter where some are in
    /// doubt, are followed elsewhere.
    fn step(&mut self, wave: WaveId, site: SiteId, exec: u64) {
        let Checks { registers, lds, global, .. } = self.checks;
        if !(registers || lds || global) {
            return;
        }
        let Some(state) = self.waves.get_mut(wave.index) else { return };
        state.steps += 1;
        if registers {
            self.check_replay(wave.index, site, exec);
            self.check_registers(wave.index, site, exec);
        }
    }

    /// Whether the first byte of an access is where device and host talk.
    fn is_hosts(&self, access: &Access) -> bool {
        let Some(host) = &self.host else { return false };
        let first = match &access.extent {
            Extent::Lanes { mask, addr, .. } => addr.get(mask.trailing_zeros() as usize).copied(),
            Extent::Runs(runs) => runs.first().map(|&(start, _)| start),
        };
        first.is_some_and(|first| host.contains(&first))
    }
}

/// The number of an operation in its cluster.
fn number(id: OpId) -> u32 {
    id.0 as u32
}

impl Observer for Checker {
    fn shared_with_host(&mut self, from: u64, to: u64) {
        self.host = Some(from..to);
    }

    fn workgroup_ended(&mut self, workgroup_flat: u32) {
        self.lds.remove(&workgroup_flat);
        self.barriers.retain(|(flat, id), _| {
            *flat != workgroup_flat || matches!(id, BarrierId::Cluster | BarrierId::ClusterTrap)
        });
        self.published.remove(&workgroup_flat);
        self.waves.end_workgroup(workgroup_flat);
        self.forget_dead();
        if let Some(cluster) = self.clusters.end(workgroup_flat) {
            self.match_multicasts(cluster);
            self.barriers.remove(&(cluster, BarrierId::Cluster));
        }
    }

    fn wave_started(&mut self, wave: WaveId, sgprs: u32, vgprs: u32) {
        let state = self.waves.start(wave);
        let counts_translations = self.facts.counters.iter().any(|&(counter, _)| counter == Counter::X);
        state.translations = counts_translations.then(Default::default);
        (0..sgprs).chain(VGPR0..VGPR0 + vgprs).for_each(|register| state.undefined.remove_one(register));
        self.clusters.start(wave.workgroup_flat, wave.cluster_flat);
    }

    fn instruction(&mut self, wave: WaveId, site: &Site, exec: u64, regs: &Regs) {
        let mut site = self.sites.id(site);
        if self.sites.may_move(regs)
            && let Some(moved) = self.sites.moved(site, regs)
        {
            self.depends_on_values = true;
            site = moved;
        }
        self.step(wave, site, exec);
        if self.waves.get(wave.index).is_some_and(|state| !state.taint.is_empty()) {
            self.depends_on_values = true;
            self.follow(wave.index, site, exec, regs);
        }
    }

    fn issued(&mut self, wave: WaveId, site: &Site, op: &Issue) {
        let site = self.sites.id(site);
        if self.checks.registers {
            self.check_stored(wave.index, site, op);
        }
        self.settle_ranged(wave.index, site, op);
        self.follow_scratch(wave.index, site, op);
        self.note_issue(wave, site, op);
        self.note_translation(wave.index, site, op);
        self.note_effect(wave.index, site, op);
        // Where nobody knows what it meets, that says nothing.
        let state = self.waves.get(wave.index);
        let is_anywhere = state.is_some_and(|state| state.taint.meaningless_address().is_some());
        for access in &op.accesses {
            let wanted = match access.space {
                _ if is_anywhere => false,
                Space::Lds => self.checks.lds,
                Space::Global => self.checks.global && !self.is_hosts(access),
                Space::Scratch => false,
            };
            if wanted {
                self.check_access(wave, site, op, access);
            }
        }
        self.note_release(wave, site, op);
        if let Some(m0) = op.multicast {
            self.note_multicast(wave, site, op, m0);
        }
    }

    fn performed(&mut self, wave: WaveId, op: &Issue) {
        self.note_completion(wave, op);
        if let Some(state) = self.waves.get_mut(wave.index) {
            state.performed.push(number(op.id));
        }
    }

    fn completed(&mut self, wave: WaveId, op: &Issue) {
        self.mark_overwritten(wave.index, op);
        let state = self.waves.get_mut(wave.index);
        let performed = state.and_then(|state| {
            let at = state.performed.iter().position(|&of| of == number(op.id))?;
            Some(state.performed.swap_remove(at))
        });
        if performed.is_none() {
            self.note_completion(wave, op);
        }
    }

    fn waited(&mut self, wave: WaveId, site: &Site, waits: &[(Counter, u32)]) {
        let site = self.sites.id(site);
        // What an operand says; others wait for everything on the way.
        let effects = &self.sites.get(site).effects;
        let explicit = effects.flow == Flow::Wait && !effects.waits_idle;
        self.note_wait(wave, site, waits, explicit);
    }

    fn barrier(&mut self, wave: WaveId, site: &Site, id: BarrierId, event: BarrierEvent) {
        let site = self.sites.id(site);
        self.depends_on_order |= matches!(id, BarrierId::Named(_));
        self.barrier_event(wave, site, id, event);
    }

    fn cache(&mut self, wave: WaveId, site: &Site, op: CacheOp, issue: &Issue) {
        let site = self.sites.id(site);
        if let Some(state) = self.waves.get_mut(wave.index).filter(|_| op.invalidate) {
            // Of several one behind the other it is the first.
            if state.last_invalidate.is_none_or(|last| last.seq != state.seq) {
                state.last_invalidate = Some(state.arrive(site));
            }
        }
        self.note_issue(wave, site, issue);
        self.note_cache(wave, site, op, issue);
    }

    fn fault(&mut self, wave: WaveId, site: &Site, fault: &Fault) {
        let finding = match fault {
            Fault::OutOfBounds { space, direction, addr, bytes, lanes, nearest } => {
                let verb = match direction {
                    Direction::Read => "load",
                    Direction::Write => "store",
                    Direction::Atomic => "atomic",
                };
                let place = match space {
                    Space::Global => "global memory",
                    Space::Lds => "LDS",
                    Space::Scratch => "scratch",
                };
                let title =
                    format!("{verb} of {bytes} bytes at {addr:#x} in {place} is out of bounds: {nearest}");
                Finding::new("O1", Class::OutOfBounds, Severity::Error, title)
                    .at_lanes("access", site, wave, *lanes)
            }
            Fault::Misaligned { addr, align, .. } => {
                let title =
                    format!("the address {addr:#x} is not a multiple of {align}, which the operation needs");
                Finding::new("O2", Class::Hazard, Severity::Error, title).at("access", site, wave)
            }
            Fault::Trap { id } => {
                let title = format!("the program traps ({} {id})", site.inst.mnemonic(self.machine));
                Finding::new("T1", Class::Trap, Severity::Error, title).at("trap", site, wave)
            }
        };
        let address = self.waves.get(wave.index).and_then(|state| state.taint.meaningless_address());
        self.findings.add(finding.of(address));
    }

    fn wave_ended(&mut self, wave: WaveId, site: &Site) {
        let end = self.sites.id(site);
        let Some(state) = self.waves.get_mut(wave.index) else { return };
        state.ended = true;
        self.member_of.remove(&wave.index);
        state.taint = Taint::default();
        let pending: Vec<(SiteId, bool, (Channel, u32))> = state
            .operations
            .iter()
            .filter(|o| o.goes_on_in_lds() && !state.is_retired(o) && !state.relies_on(o))
            .map(|o| (o.site, !o.reads_lds, o.seq.first().copied().unwrap_or((Channel::Sm, 0))))
            .collect();
        let end_site = self.sites.get(end).site.clone();
        for (producer, writes, awaited) in pending {
            let Some(state) = self.waves.get(wave.index) else { return };
            let place = state.here(end, end_site.pc, awaited.0);
            let mistake = self.missing_wait(wave.index, awaited, place);
            let counter = self.counters.counter_of(awaited.0);
            let producer = self.sites.get(producer);
            let how = if writes { "writing" } else { "reading" };
            let title = format!("the wave ends while {} is still {how} LDS", producer.mnemonic);
            let lint = self.model.end_is_lint;
            let severity = if lint { Severity::Warning } else { Severity::Error };
            let finding = Finding::new("R7", Class::MissingWait, severity, title)
                .at("producer", &producer.site, wave)
                .at("end", &end_site, wave)
                .missing_wait(counter, Some(end), mistake)
                .faulty(self.faulty_wait(wave.index, awaited, place.step, false));
            self.findings.add(if lint { finding.model("end-of-program") } else { finding });
        }
        self.end_loads(wave.index);
        self.consume_copies(wave.index);
        self.note_drains(wave.index, end);
    }

    fn deadlock(&mut self, waiting: &[(WaveId, Site, Blocked)]) {
        self.report_deadlock(waiting);
    }

    fn limit(&mut self, wave: WaveId, site: &Site, limit: Limit) {
        // The error itself is a finding.
        if limit == Limit::Brake(Halt::Error) {
            return;
        }
        let title = limit.title();
        let finding = Finding::new("T2", Class::StepLimit, Severity::Error, title).at("limit", site, wave);
        self.findings.add(finding);
    }
}
