//! Rules of barrier objects (AMDGPU Execution Synchronization): B1 to B16, L1, L3, and the order that barriers
//! make.
//!
//! An arrive takes a snapshot of what its wave knows; a wait joins the snapshots of the phase that it is bound to. So a
//! barrier carries only what was retired before the arrive, and makes nothing visible that the arriving wave did not.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_isa::Operand;
use wavemark_isa::effects::Barrier;
use wavemark_order::Epoch;
use wavemark_sim::events::{BarrierEvent, BarrierId, Blocked, Scope, Site, WaveId};

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::knowledge::{BARRIERS, Knowledge};
use crate::site_info::{SCC, SiteId};
use crate::snapshot::Moved;

/// What one phase of a barrier carries.
#[derive(Clone, Debug, Default)]
struct Phase {
    /// What each workgroup's waves hand on.
    known: SmallVec<[(u32, Knowledge); 1]>,
    arrivals: Vec<(WaveId, SiteId)>,
}

impl Phase {
    /// A wave has arrived.
    fn has_arrived(&self, wave: u32) -> bool {
        self.arrivals.iter().any(|(arrived, _)| arrived.index == wave)
    }

    /// A wave hands on what it knows.
    fn bring(&mut self, wave: WaveId, known: &Knowledge) {
        match self.known.iter_mut().find(|(workgroup, _)| *workgroup == wave.workgroup_flat) {
            Some((_, all)) => {
                all.learn(known, Scope::Cu);
            }
            None => self.known.push((wave.workgroup_flat, known.clone())),
        }
    }

    /// A wave that arrives twice, and where.
    fn double_arrival(&self) -> Option<(WaveId, SiteId, SiteId)> {
        self.arrivals.iter().enumerate().find_map(|(n, &(wave, second))| {
            let first = self.arrivals[..n].iter().find(|(earlier, _)| earlier.index == wave.index)?;
            Some((wave, first.1, second))
        })
    }

    /// A wave learns what the others brought.
    fn take(&self, wave: WaveId, known: &mut Knowledge) {
        for (workgroup, all) in &self.known {
            let near = *workgroup == wave.workgroup_flat && !wave.split;
            known.learn(all, if near { Scope::Cu } else { Scope::Se });
        }
    }
}

/// A barrier object as the checker sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object {
    /// The last initialisation, of a named one: the wave, its number among that one's barrier operations, and where.
    init: Option<(WaveId, u32, SiteId)>,
    expected: Option<i64>,
    open: Phase,
    /// Completed phases that may still be waited for, and the number of the first.
    completed: VecDeque<Arc<Phase>>,
    first_completed: u32,
    /// The number of each wave's last join among its barrier operations.
    joined: FxHashMap<u32, u32>,
    /// The waves that have arrived, in any phase.
    arrived: FxHashSet<u32>,
    /// The arrival of each wave that it has not waited for: phase and instruction.
    unwaited: FxHashMap<u32, (u32, SiteId)>,
}

impl Object {
    /// The same of waves whose numbers are higher by so much, of workgroups likewise; `id` says who they are.
    pub fn moved(&self, by: &Moved, id: impl Fn(u32) -> WaveId + Copy) -> Object {
        let phase = |phase: &Phase| Phase {
            known: phase.known.iter().map(|(group, all)| (group + by.groups, all.moved(by.agents))).collect(),
            arrivals: phase.arrivals.iter().map(|&(wave, site)| (id(wave.index), site)).collect(),
        };
        Object {
            init: self.init.map(|(wave, number, site)| (id(wave.index), number, site)),
            expected: self.expected,
            open: phase(&self.open),
            completed: self.completed.iter().map(|of| Arc::new(phase(of))).collect(),
            first_completed: self.first_completed,
            joined: self.joined.iter().map(|(wave, &number)| (wave + by.agents, number)).collect(),
            arrived: self.arrived.iter().map(|wave| wave + by.agents).collect(),
            unwaited: self.unwaited.iter().map(|(wave, &arrival)| (wave + by.agents, arrival)).collect(),
        }
    }

    /// Whether a wave has arrived without having waited, and would know of an operation if it had: the operation's wave has told
    /// of it there, or, if all waves of the workgroup arrive at it, has not arrived yet.
    fn would_tell(&self, wave: u32, operation: Epoch, by_all: bool) -> bool {
        let Some(&(phase, _)) = self.unwaited.get(&wave) else { return false };
        let Some(at) = phase.checked_sub(self.first_completed) else { return false };
        let phase = self.completed.get(at as usize).map_or(&self.open, Arc::as_ref);
        match phase.has_arrived(operation.agent) {
            true => phase.known.iter().any(|(_, known)| known.issued.knows(operation)),
            false => by_all,
        }
    }

    /// Whether a wave has arrived in the open phase, and another has not yet.
    fn waits_for(&self, wave: u32, other: u32) -> bool {
        self.open.has_arrived(wave) && !self.open.has_arrived(other)
    }

    /// Whether a member that arrives in other phases does not in this one.
    fn is_missed_in(&self, phase: &Phase) -> bool {
        let mut members = self.joined.keys().filter(|&wave| self.arrived.contains(wave));
        members.any(|&wave| !phase.has_arrived(wave))
    }

    /// How many waves have joined a named one or arrived at it, and where it was initialised, if that is for another number.
    fn miscounted(&self) -> Option<(i64, SiteId)> {
        let (_, _, init) = self.init?;
        let waves =
            self.joined.keys().filter(|&wave| !self.arrived.contains(wave)).count() + self.arrived.len();
        (self.expected? != waves as i64).then_some((waves as i64, init))
    }

    /// The same, if that is for fewer.
    fn of_fewer(&self) -> Option<(i64, SiteId)> {
        self.miscounted().filter(|&(waves, _)| self.expected.is_some_and(|of| of < waves))
    }

    /// Whether a wave that knows so much may arrive in one phase with another of its workgroup: in the one that is open, or, in
    /// another schedule, in one that it does not know to be complete.
    fn may_meet_own_workgroup(&self, wave: WaveId, known: &Knowledge) -> bool {
        let near = |(other, _): &(WaveId, SiteId)| {
            other.workgroup_flat == wave.workgroup_flat && other.index != wave.index
        };
        let mut late = self.completed.iter().enumerate().rev().take(2);
        self.open.arrivals.iter().any(|(other, _)| other.workgroup_flat == wave.workgroup_flat)
            || late.any(|(at, phase)| {
                let number = self.first_completed + at as u32;
                phase.arrivals.iter().any(near) && !self.is_known_complete(number, known)
            })
    }

    /// Whether a wave that knows so much knows that a phase is complete, whatever the schedule: by a wait, or because
    /// it has learnt otherwise what every arrival has brought.
    fn is_known_complete(&self, phase: u32, known: &Knowledge) -> bool {
        match phase.checked_sub(self.first_completed) {
            // Longer ago than anybody remembers.
            None => true,
            Some(at) => self.completed.get(at as usize).is_some_and(|phase| {
                phase.known.iter().all(|(_, brought)| known.issued.includes(&brought.issued))
            }),
        }
    }
}

/// A named barrier that was initialised for fewer waves than take part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Miscount {
    /// Where it was.
    pub init: SiteId,
    /// How many take part.
    pub waves: i64,
    /// Which, by their numbers in the workgroup.
    pub members: u64,
}

impl Miscount {
    /// Whether all of these take part.
    pub fn is_of(&self, mut waves: impl Iterator<Item = WaveId>) -> bool {
        waves.all(|wave| self.members.checked_shr(wave.wave).unwrap_or(0) & 1 != 0)
    }
}

/// Completed phases of a barrier that are kept. A wave can wait for one of the last only.
const COMPLETED: usize = 64;

/// Which barrier: the workgroup's or cluster's flat number, and the id.
pub(crate) type ObjectKey = (u32, BarrierId);

fn barrier_name(id: BarrierId) -> String {
    match id {
        BarrierId::Workgroup => "the workgroup barrier (-1)".to_owned(),
        BarrierId::WorkgroupTrap => "the workgroup trap barrier (-2)".to_owned(),
        BarrierId::Cluster => "the cluster barrier (-3)".to_owned(),
        BarrierId::ClusterTrap => "the cluster trap barrier (-4)".to_owned(),
        BarrierId::Null => "the null barrier (0)".to_owned(),
        BarrierId::Named(n) => format!("named barrier {n}"),
    }
}

/// What a hint says of an initialisation for another number of waves than take part.
pub(crate) fn of_waves(waves: i64) -> String {
    format!("a count of {waves}, for so many waves take part, in")
}

impl Checker {
    fn key(wave: WaveId, id: BarrierId) -> ObjectKey {
        match id {
            BarrierId::Cluster | BarrierId::ClusterTrap => (wave.cluster_flat, id),
            _ => (wave.workgroup_flat, id),
        }
    }

    fn barrier_error(&mut self, rule: &'static str, title: String, wave: WaveId, site: SiteId) {
        self.findings.add(self.barrier_finding(rule, title, wave, site));
    }

    /// The same, with what would mend it before an instruction.
    fn barrier_error_with(
        &mut self,
        rule: &'static str,
        title: String,
        (wave, site): (WaveId, SiteId),
        (hint, before): (&str, SiteId),
    ) {
        let before = self.sites.get(before).site.clone();
        let finding =
            self.barrier_finding(rule, title, wave, site).hint(format!("{hint} before"), Some(before));
        self.findings.add(finding);
    }

    fn barrier_finding(&self, rule: &'static str, title: String, wave: WaveId, site: SiteId) -> Finding {
        let site = &self.sites.get(site).site;
        Finding::new(rule, Class::Barrier, Severity::Error, title).at("barrier", site, wave)
    }

    /// A wave arrives twice at a barrier where it should wait for others in between, or the barrier for more.
    fn arrives_twice(&mut self, title: String, wave: WaveId, arrivals: [SiteId; 2], at: ObjectKey) {
        let [first, second] = arrivals.map(|site| &self.sites.get(site).site);
        let finding = Finding::new("B12", Class::Barrier, Severity::Error, title)
            .at("arrive", first, wave)
            .at("arrive", second, wave);
        let finding = match self.barriers.get(&at).and_then(Object::of_fewer) {
            Some((waves, init)) => finding.hint(of_waves(waves), Some(self.sites.get(init).site.clone())),
            None => finding.hint("a wait for the barrier between the two arrivals", None),
        };
        self.findings.add(finding);
    }

    /// Check and follow a barrier operation.
    pub(crate) fn barrier_event(&mut self, wave: WaveId, site: SiteId, id: BarrierId, event: BarrierEvent) {
        let name = barrier_name(id);
        let mnemonic = self.sites.get(site).mnemonic;
        self.follow_first(wave, site, id, event);
        match event {
            BarrierEvent::Ignored => {
                self.ignored_operation(wave, site, id);
                return;
            }
            BarrierEvent::Join if id == BarrierId::Null => return,
            _ => {}
        }
        let key = Self::key(wave, id);
        let plain = !matches!(id, BarrierId::Named(_));
        let object = self.barriers.entry(key).or_default();
        let phase = object.first_completed + object.completed.len() as u32;
        let by_wave = matches!(
            event,
            BarrierEvent::Init { .. }
                | BarrierEvent::Join
                | BarrierEvent::Arrive { .. }
                | BarrierEvent::Drop { .. }
        );
        let number = match self.waves.get_mut(wave.index) {
            Some(state) if by_wave => {
                let number = state.known.issued.get(wave.index, BARRIERS) + 1;
                state.known.issued.raise(wave.index, BARRIERS, number);
                number
            }
            _ => 0,
        };
        match event {
            BarrierEvent::Init { count } => {
                object.init = Some((wave, number, site));
                object.expected = Some(i64::from(count));
                object.open = Phase::default();
                if count == 0 {
                    let title = format!("{name} is initialised with a count of 0");
                    let hint = "a count above 0 in bits 22:16 of M0";
                    self.barrier_error_with("B2", title, (wave, site), (hint, site));
                }
            }
            BarrierEvent::Join => {
                object.joined.insert(wave.index, number);
                self.note_miscount(key);
                self.leaves_completion_bit(wave, site, id);
            }
            BarrierEvent::Arrive { count, before } => {
                let Some(state) = self.waves.get_mut(wave.index) else { return };
                state.note_arrive(site);
                object.open.bring(wave, &state.known);
                let same_workgroup =
                    id == BarrierId::Cluster && object.may_meet_own_workgroup(wave, &state.known);
                let unwaited = object.unwaited.insert(wave.index, (phase, site));
                // Arrivals at a named barrier may be more than the waves that arrive, if they are so in every schedule.
                let twice = unwaited.filter(|&(earlier, _)| {
                    (plain || earlier != phase) && !object.is_known_complete(earlier, &state.known)
                });
                object.open.arrivals.push((wave, site));
                object.arrived.insert(wave.index);
                let uninitialised = !plain && object.init.is_none() && before.1.is_none();
                let early = object.init.filter(|(by, init, _)| {
                    by.index != wave.index && state.known.issued.get(by.index, BARRIERS) < *init
                });
                self.consume_published(wave.index);
                if !plain {
                    self.note_miscount(key);
                }
                if let Some((by, _, init)) = early {
                    let title = format!(
                        "{mnemonic} on {name} may come before its initialisation: nothing orders the two"
                    );
                    let finding = Finding::new("B1", Class::Barrier, Severity::Error, title)
                        .at("init", &self.sites.get(init).site, by)
                        .at("barrier", &self.sites.get(site).site, wave)
                        .hint("a barrier of the workgroup between the two", None);
                    self.find_by_events(finding);
                }
                if uninitialised && count.is_some() {
                    // The hardware takes the count from M0 (CDNA5 ISA 5.6.5.3), and compilers rely on it; the model wants an
                    // init first.
                    let title =
                        format!("{mnemonic} gives {name} its count: the model knows only the initialisation");
                    let info = self.sites.get(site);
                    let finding = Finding::new("B1", Class::Barrier, Severity::Advice, title)
                        .at("barrier", &info.site, wave);
                    self.find_by_events(finding);
                } else if uninitialised {
                    let title = format!("{mnemonic} on {name}, which was never initialised");
                    let hint = "an initialisation by one wave, and a barrier of the workgroup behind it,";
                    self.barrier_error_with("B1", title, (wave, site), (hint, site));
                }
                let least = if self.model.arrive_count_allowed { before.0 } else { before.0 + 1 };
                if let Some(count) = count
                    && count < least
                {
                    let title = format!(
                        "{name} is given an expected count of {count} when {} have arrived",
                        before.0
                    );
                    self.barrier_error("B4", title, wave, site);
                }
                if same_workgroup {
                    let title = format!("a second wave of the workgroup arrives at {name} in one phase");
                    let hint = "one wave of each workgroup that arrives, behind a barrier of the workgroup";
                    self.findings.add(self.barrier_finding("B14", title, wave, site).hint(hint, None));
                } else if let Some((_, first)) = twice {
                    let title = format!("a wave arrives twice at {name} and waits for nobody in between");
                    self.arrives_twice(title, wave, [first, site], key);
                }
            }
            BarrierEvent::Drop { implicit } => {
                let Some(state) = self.waves.get(wave.index) else { return };
                object.open.bring(wave, &state.known);
                // A cluster's barrier is left by the last wave of a workgroup, and another may have arrived.
                let leaving = if implicit && id == BarrierId::Cluster { usize::MAX } else { 1 };
                let mut unwaited = None;
                for member in self.waves.beside(wave.index).take(leaving) {
                    let Some((phase, arrive)) = object.unwaited.remove(&member) else { continue };
                    let Some(by) = self.waves.get(member) else { continue };
                    let known = [by, state].iter().any(|of| object.is_known_complete(phase, &of.known));
                    if !(implicit && known) {
                        unwaited = unwaited.or(Some((by.id, arrive)));
                    }
                }
                if let Some(expected) = &mut object.expected {
                    *expected -= 1;
                }
                let negative = object.expected.is_some_and(|e| e < 0);
                object.joined.remove(&wave.index);
                object.arrived.remove(&wave.index);
                if negative && !implicit {
                    let title = format!("{mnemonic} makes the expected count of {name} negative");
                    self.barrier_error("B3", title, wave, site);
                }
                if let Some((by, arrive)) = unwaited {
                    let arrive = self.sites.get(arrive).site.clone();
                    let info = self.sites.get(site).site.clone();
                    let severity = if implicit { Severity::Warning } else { Severity::Error };
                    let title =
                        format!("a wave arrives at {name} and leaves it before the phase is complete");
                    let finding = Finding::new("B7", Class::Barrier, severity, title)
                        .at("arrive", &arrive, by)
                        .at("drop", &info, wave)
                        .hint("a wait for the barrier before", Some(info));
                    self.find_by_events(finding);
                }
            }
            BarrierEvent::Complete { .. } => {
                let done = std::mem::take(&mut object.open);
                let double = if plain { None } else { done.double_arrival() };
                let double = double.filter(|_| object.is_missed_in(&done));
                object.completed.push_back(Arc::new(done));
                if object.completed.len() > COMPLETED {
                    object.completed.pop_front();
                    object.first_completed += 1;
                }
                if let Some((wave, first, second)) = double {
                    let title = format!(
                        "a wave arrives twice at {name} in one phase, which is complete without another that arrives in others"
                    );
                    self.arrives_twice(title, wave, [first, second], key);
                }
            }
            BarrierEvent::WaitStart => {}
            BarrierEvent::WaitEnd { phase: Some(bound) } => {
                let at = bound.checked_sub(object.first_completed).map(|at| at as usize);
                let Some(phase) = at.and_then(|at| object.completed.get(at)).cloned() else { return };
                object.unwaited.remove(&wave.index);
                // The join must be executed before some operation of the phase: the wave's own arrival after it, or one
                // that knows of it by other means.
                let late_join = object.joined.get(&wave.index).filter(|_| !plain).is_some_and(|&join| {
                    !phase.known.iter().any(|(_, known)| known.issued.get(wave.index, BARRIERS) >= join)
                });
                if let Some(state) = self.waves.get_mut(wave.index) {
                    phase.take(wave, &mut state.known);
                    state.leave_barrier();
                }
                if late_join {
                    let title = format!(
                        "{name} may complete its phase before this wave joins it: no arrival knows of the join"
                    );
                    let hint = "a barrier of the workgroup behind the join, before any of the others arrives";
                    self.findings.add(self.barrier_finding("B11", title, wave, site).hint(hint, None));
                }
            }
            BarrierEvent::WaitEnd { phase: None } | BarrierEvent::GetState | BarrierEvent::Ignored => {}
        }
    }

    /// Remember a barrier that more waves take part in now than it was initialised for.
    fn note_miscount(&mut self, key: ObjectKey) {
        let Some(object) = self.barriers.get(&key) else { return };
        let Some((waves, init)) = object.of_fewer() else { return };
        let ids = object.joined.keys().chain(&object.arrived).filter_map(|&wave| self.waves.id(wave));
        let members = ids.fold(0, |all, id| all | 1u64.checked_shl(id.wave).unwrap_or(0));
        match self.miscounts.iter_mut().find(|known| known.init == init) {
            Some(known) => {
                *known = Miscount { init, waves: known.waves.max(waves), members: known.members | members }
            }
            None => self.miscounts.push(Miscount { init, waves, members }),
        }
    }

    /// The barrier of its workgroup at which a wave has arrived without having waited, if it would know of an operation if it
    /// had.
    pub(crate) fn barrier_that_would_tell(&self, wave: WaveId, operation: Epoch) -> Option<String> {
        let would_tell = |id: BarrierId| {
            let object = self.barriers.get(&Self::key(wave, id));
            object.is_some_and(|of| of.would_tell(wave.index, operation, id == BarrierId::Workgroup))
        };
        let joined = self.member_of.get(&wave.index).copied();
        [BarrierId::Workgroup].into_iter().chain(joined).find(|&id| would_tell(id)).map(barrier_name)
    }

    /// The barrier of its workgroup at which a wave has arrived, which waits for another wave of that.
    pub(crate) fn barrier_that_waits_for(&self, wave: WaveId, other: u32) -> Option<String> {
        let object = self.barriers.get(&Self::key(wave, BarrierId::Workgroup))?;
        object.waits_for(wave.index, other).then(|| barrier_name(BarrierId::Workgroup))
    }

    /// Whether it was the first to arrive a wave has in SCC as soon as it has waited at the same barrier: LLVM lets no wait for
    /// KMcnt follow (`SIInsertWaitcnts`).
    fn follow_first(&mut self, wave: WaveId, site: SiteId, id: BarrierId, event: BarrierEvent) {
        let Some(state) = self.waves.get_mut(wave.index) else { return };
        let effect = self.sites.get(site).effects.barrier;
        match event {
            BarrierEvent::Arrive { .. } | BarrierEvent::Ignored if effect == Some(Barrier::SignalIsFirst) => {
                state.first_at = Some((id, site));
            }
            BarrierEvent::WaitEnd { .. } | BarrierEvent::Ignored if effect == Some(Barrier::Wait) => {
                if let Some((_, signal)) = state.first_at.take_if(|(at, _)| *at == id) {
                    state.has_result(SCC, signal);
                }
            }
            _ => {}
        }
    }

    /// A wave that joins a named barrier while it has not waited for another that it has arrived at: by the ISA's
    /// pseudo-code its only bit for a complete phase may then be set, so that the next wait does not wait.
    fn leaves_completion_bit(&mut self, wave: WaveId, site: SiteId, id: BarrierId) {
        let last = self.member_of.insert(wave.index, id).filter(|&last| last != id);
        let Some((last, object)) =
            last.and_then(|last| Some((last, self.barriers.get(&Self::key(wave, last))?)))
        else {
            return;
        };
        let member = object.joined.contains_key(&wave.index);
        let Some(&(_, arrive)) = object.unwaited.get(&wave.index).filter(|_| member) else { return };
        let (arrive, join) = (&self.sites.get(arrive).site, &self.sites.get(site).site);
        let title = format!(
            "a wave joins {} without having waited for {}, whose completion its next wait may take for its own",
            barrier_name(id),
            barrier_name(last)
        );
        let severity = if self.model.completion_bit_kept { Severity::Error } else { Severity::Warning };
        let finding = Finding::new("H1", Class::Barrier, severity, title)
            .at("arrive", arrive, wave)
            .at("join", join, wave)
            .hint("a wait for the barrier that was joined first before", Some(join.clone()))
            .model("completion-bit");
        self.find_by_events(finding);
    }

    fn ignored_operation(&mut self, wave: WaveId, site: SiteId, id: BarrierId) {
        let name = barrier_name(id);
        let (mnemonic, barrier) = (self.sites.get(site).mnemonic, self.sites.get(site).effects.barrier);
        match (id, barrier) {
            (BarrierId::WorkgroupTrap | BarrierId::ClusterTrap, _) => {
                let title = format!("{name} belongs to the trap handler: {mnemonic} is ignored");
                self.barrier_error("B16", title, wave, site);
            }
            (_, Some(Barrier::Leave)) => {
                let title = format!("{mnemonic} without having joined a named barrier");
                self.barrier_error("B9", title, wave, site);
            }
            (BarrierId::Null, Some(Barrier::Wait)) => {
                let number = match self.sites.get(site).site.inst.operands.first() {
                    Some(Operand::Imm(number)) => u8::try_from(*number).ok(),
                    Some(Operand::Int(number)) => u8::try_from(*number).ok(),
                    _ => None,
                };
                // A literal 0 waits for the null barrier and is a no-op by definition.
                if number != Some(0) {
                    let title = "a wait for a named barrier without having joined one: it does not wait";
                    let named = number.map(|number| barrier_name(BarrierId::Named(number)));
                    let join = format!("a join of {}", named.as_deref().unwrap_or("the barrier"));
                    // The wave may be late if it joins behind its arrival.
                    let object =
                        number.and_then(|n| self.barriers.get(&Self::key(wave, BarrierId::Named(n))));
                    let arrival = object.and_then(|object| object.unwaited.get(&wave.index));
                    let before = arrival.map_or(site, |&(_, arrival)| arrival);
                    self.barrier_error_with("B10", title.to_owned(), (wave, site), (&join, before));
                }
            }
            (BarrierId::Workgroup | BarrierId::Cluster, Some(barrier @ (Barrier::Join | Barrier::Init))) => {
                let rule = if barrier == Barrier::Join { "B8" } else { "B19" };
                self.barrier_error(
                    rule,
                    format!("{mnemonic} on {name}, which is no named barrier"),
                    wave,
                    site,
                );
            }
            (BarrierId::Named(_), _) => {
                let info = self.sites.get(site);
                let title = format!("{name} is not allocated to the workgroup: {mnemonic} does nothing");
                let finding = Finding::new("H5", Class::Barrier, Severity::Warning, title)
                    .at("barrier", &info.site, wave)
                    .hint("a greater .amdhsa_named_barrier_count in the kernel's descriptor", None);
                self.find_by_events(finding);
            }
            _ => {}
        }
    }

    /// Nobody can move: name what each wave waits for.
    pub(crate) fn report_deadlock(&mut self, waiting: &[(WaveId, Site, Blocked)]) {
        let mut parts: Vec<String> = Vec::new();
        let mut finding = Finding::new("B13", Class::Deadlock, Severity::Error, String::new());
        let mut seen: Vec<(u64, Blocked)> = Vec::new();
        for (wave, site, blocked) in waiting {
            if seen.iter().any(|(pc, b)| *pc == site.pc && b == blocked) {
                continue;
            }
            seen.push((site.pc, blocked.clone()));
            parts.push(match blocked {
                Blocked::Barrier { id, arrived, expected } => {
                    let of = expected.map_or("an unknown number".to_owned(), |e| e.to_string());
                    format!(
                        "wave {} of workgroup {:?} waits for {} ({arrived} of {of} have arrived)",
                        wave.wave,
                        wave.workgroup,
                        barrier_name(*id)
                    )
                }
                Blocked::Halted => format!("wave {} of workgroup {:?} has halted", wave.wave, wave.workgroup),
            });
            finding = finding.at("waiting", site, *wave);
        }
        finding.title = format!("no wave can move: {}", parts.join("; "));
        let culprits: Vec<String> = self
            .waves
            .iter()
            .filter(|state| state.ended)
            .filter(|state| waiting.iter().any(|(w, ..)| w.workgroup_flat == state.id.workgroup_flat))
            .map(|state| format!("wave {} of workgroup {:?}", state.id.wave, state.id.workgroup))
            .take(4)
            .collect();
        let mut objects = waiting.iter().filter_map(|(wave, _, blocked)| match blocked {
            Blocked::Barrier { id, .. } => self.barriers.get(&Self::key(*wave, *id)),
            Blocked::Halted => None,
        });
        // More than are meant to is certain; fewer may be as the others have yet to come.
        let of_fewer = objects.clone().find_map(Object::of_fewer);
        if let Some((waves, init)) = of_fewer.or_else(|| objects.find_map(Object::miscounted)) {
            finding = finding.hint(of_waves(waves), Some(self.sites.get(init).site.clone()));
        } else if !culprits.is_empty() {
            finding.hint = Some(format!("already ended without arriving: {}", culprits.join(", ")));
        }
        self.findings.add(finding);
    }
}
