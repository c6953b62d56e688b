//! Clusters of workgroups that take turns on a device.
//!
//! What a cluster draws, counts and times is its own ([`Cluster`]): nothing that another one does moves a result of its,
//! unless through global memory. A turn is long, because a workgroup's registers and LDS are then still in the host's
//! caches when they are used again; it ends early where a wave asks once more what other workgroups have done, or sleeps
//! once more, at the same place as before or at an earlier one: it may wait for one of them. So it does, a few times, where a
//! wave tells others once more what it has done: they may have waited for it. With a seed turns are short: there
//! interleavings are what is wanted.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::control::pass_barrier;
use super::side_by_side::{Supply, Trial};
use super::{Completion, Cx, Limit, Random, RunConfig, RunEnd, RunStats, Stop, run_wave};
#[cfg(target_arch = "x86_64")]
use crate::alu::{Level, level};
use crate::barrier::Barrier;
use crate::binder::Layout;
use crate::events::{BarrierEvent, BarrierId, Blocked, Observer, Site, WaveId};
use crate::global::Global;
use crate::hostcall::Hostcall;
use crate::pending::Pool;
use crate::program::Program;
use crate::regs::Chunk;
use crate::schedule::{Moment, Policy, Turns, WavePlace};
use crate::wave::{VectorSlab, Wave, WaveState};

/// A workgroup that is resident. Its waves get their vector registers, and it its LDS, when the first instruction is to be
/// executed: a thousand waves can be resident, and what ends leaves warm memory to what begins.
pub(crate) struct Group {
    pub waves: Vec<Wave>,
    pub lds: Vec<u8>,
    pub lds_bytes: u32,
    /// What the first vector registers of each wave hold at its start.
    pub ids: Arc<[Vec<Chunk>]>,
    pub workgroup: Barrier,
    pub named: Vec<Barrier>,
    pub live: u32,
    pub flat: u32,
    pub turn: usize,
}

/// What the workgroups of a resident cluster share, and what makes their run a function of the launch alone.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub barrier: Barrier,
    /// Workgroups.
    pub size: u32,
    /// Instructions that its waves have executed, and what they have slept.
    pub clock: u64,
    /// The last operation's number.
    pub next_op: u64,
    pub random: Random,
    /// One of its waves has asked once more what other workgroups have done, or told them what it has, since its turn began.
    pub asks: bool,
    /// How often a turn has ended as a wave told others something once more.
    pub told_again: u32,
    /// Who goes on, where that is not drawn.
    pub turns: Turns,
}

impl Cluster {
    /// Cluster number `flat` of `size` workgroups. Its operations have numbers of their own.
    pub fn new(flat: u32, size: u32, seed: u64) -> Cluster {
        Cluster {
            barrier: Barrier::with_expected(size),
            size,
            clock: 0,
            next_op: u64::from(flat) << 32,
            random: Random::new(seed ^ u64::from(flat).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            asks: false,
            told_again: 0,
            turns: Turns::default(),
        }
    }
}

/// A resident cluster and those of its workgroups that have not ended.
pub(crate) struct Resident {
    pub shared: Cluster,
    pub groups: Vec<Group>,
    /// The workgroup whose turn it is.
    pub at: usize,
    /// The launch's number of it.
    pub number: u64,
    /// What its scalars were like at the end of some of its turns, and all of it; and its clock at the last of these.
    earlier_scalars: VecDeque<u64>,
    earlier: VecDeque<u64>,
    looked_at: u64,
    /// So many looks one behind the other found it as it had been; and how often global memory had been written then.
    still: u32,
    writes: u64,
}

impl Resident {
    /// One that starts, the launch's number `number`.
    pub fn new(shared: Cluster, groups: Vec<Group>, number: u64) -> Resident {
        Resident {
            shared,
            groups,
            at: 0,
            number,
            earlier_scalars: VecDeque::new(),
            earlier: VecDeque::new(),
            looked_at: 0,
            still: 0,
            writes: 0,
        }
    }

    /// Whether one of its waves can execute its next instruction.
    fn can_move(&self) -> bool {
        self.groups.iter().any(|group| {
            let barriers = Barriers::of(&self.shared.barrier, group);
            group.waves.iter().any(|wave| barriers.let_move(wave))
        })
    }

    /// It has had a turn and not come to its end; memory has been written so often. Whether its waves have stood for long where they
    /// stood before, with the same in their registers, in scratch, in LDS and, as nobody has written it, in global memory.
    fn stands_still_for_long(&mut self, writes: u64) -> bool {
        if self.writes != writes {
            self.earlier.clear();
            (self.writes, self.still) = (writes, 0);
        }
        if self.is_due() {
            self.still = if self.stands_still() { self.still + 1 } else { 0 };
        }
        self.still >= STILL
    }

    /// It has gone on for a while since it was looked at.
    fn is_due(&self) -> bool {
        self.shared.clock - self.looked_at >= TURN as u64
    }

    /// It has had a turn and not come to its end. Whether its waves stand where they did some turns before, with the
    /// same in their registers, in scratch and in LDS: then nothing that it does itself lets it go on.
    fn stands_still(&mut self) -> bool {
        self.looked_at = self.shared.clock;
        // Most loops count in a scalar: the rest, which is much, is not looked at there.
        let mut scalars = FxHasher::default();
        for Wave { regs, hwregs, .. } in self.groups.iter().flat_map(|group| &group.waves) {
            (regs.pc, regs.scc, regs.mode.raw, &regs.s, hwregs).hash(&mut scalars);
        }
        if !is_again(&mut self.earlier_scalars, scalars.finish()) {
            return false;
        }
        let mut all = scalars;
        for group in &self.groups {
            group.lds.hash(&mut all);
            for Wave { regs, scratch, .. } in &group.waves {
                scratch.hash(&mut all);
                regs.v.iter().for_each(|chunk| chunk.0.hash(&mut all));
            }
        }
        is_again(&mut self.earlier, all.finish())
    }
}

/// Whether it was like `now` at one of the `earlier` looks, among which this is noted.
fn is_again(earlier: &mut VecDeque<u64>, now: u64) -> bool {
    let again = earlier.contains(&now);
    if earlier.len() == REMEMBERED {
        earlier.pop_front();
    }
    earlier.push_back(now);
    again
}

/// Supplies workgroups by the number of their cluster.
pub(crate) trait Launch: Sync {
    /// How many clusters there are.
    fn clusters(&self) -> u64;
    /// The workgroups of a cluster.
    fn cluster(&self, number: u64, ended: &mut Ended) -> Vec<NewGroup>;
    /// The host that they may call.
    fn host(&self) -> Option<Hostcall> {
        None
    }
}

/// What workgroups that have ended leave to those that start.
#[derive(Default)]
pub(crate) struct Ended {
    pub waves: Vec<Wave>,
    slabs: Vec<VectorSlab>,
    lds: Vec<Vec<u8>>,
}

/// A workgroup about to start.
pub(crate) struct NewGroup {
    pub waves: Vec<Wave>,
    pub lds: u32,
    pub named_barriers: u32,
    pub flat: u32,
    pub initial_sgprs: u32,
    pub initial_vgprs: u32,
    pub ids: Arc<[Vec<Chunk>]>,
}

/// A device running one kernel.
pub(crate) struct Device<'a, O: Observer> {
    pub program: &'a mut Program,
    pub global: &'a mut Global,
    pub config: &'a RunConfig,
    pub observer: &'a mut O,
    #[expect(clippy::vec_box, reason = "one that ends is taken out from among a thousand")]
    pub clusters: Vec<Box<Resident>>,
    ended: Ended,
    /// Waves of `clusters`.
    resident_waves: usize,
    stats: RunStats,
    /// Instructions executed by all waves.
    total: u64,
    random: Random,
    pool: Pool,
    host: Option<Hostcall>,
    /// Whether this is a trial ([`super::side_by_side`]), and how waves take turns in it.
    trial: Option<Trial>,
}

/// Visible operations of a workgroup before the next one has its turn.
const TURN: usize = 1 << 18;
/// Of so many turns it is remembered what a cluster was like at their ends.
const REMEMBERED: usize = 32;
/// Looks at a cluster that find it as it was before, until it is said that it goes on so for ever: what is in flight has landed
/// long before.
const STILL: u32 = 3;
/// Of these operations, one in so many after which a trial is looked at.
const LOOKS: usize = 8;
/// Visible operations of a turn with a seed, at the most: any power of 2 up to this.
const SEEDED_TURN: usize = 1 << 8;
/// Visible operations of a wave before the next one of its workgroup has its turn, where neither a seed asks for interleavings
/// nor an observer for the order that an author has in mind.
const AT_ONCE: usize = 64;

impl<'a, O: Observer> Device<'a, O> {
    pub fn new(
        program: &'a mut Program,
        global: &'a mut Global,
        config: &'a RunConfig,
        observer: &'a mut O,
    ) -> Self {
        program.watched = O::ACTIVE;
        Device {
            program,
            global,
            config,
            observer,
            clusters: Vec::new(),
            ended: Ended::default(),
            resident_waves: 0,
            stats: RunStats::default(),
            total: 0,
            random: Random::new(config.seed),
            pool: Pool::default(),
            host: None,
            trial: None,
        }
    }

    /// Run the clusters that `supply` hands out to device `number`; `None` if they were withdrawn before their end.
    pub fn run(
        &mut self,
        launch: &impl Launch,
        supply: &Supply,
        number: usize,
    ) -> Option<(RunEnd, RunStats)> {
        self.host = launch.host();
        self.trial = supply.trial;
        let end = self.run_to_end(launch, supply, number)?;
        self.stats.messages = self.host.as_mut().map(Hostcall::take_messages).unwrap_or_default();
        for wave in self.clusters.iter().flat_map(|cluster| &cluster.groups).flat_map(|group| &group.waves) {
            self.stats.wave_instructions += wave.steps;
        }
        self.stats.lane_instructions = self.stats.wave_instructions * self.program.layout.chunks as u64 * 16;
        self.stats.executed = self.program.executed();
        Some((end, std::mem::take(&mut self.stats)))
    }

    fn run_to_end(&mut self, launch: &impl Launch, supply: &Supply, number: usize) -> Option<RunEnd> {
        let mut exhausted = false;
        let mut at = 0;
        let mut idle_rounds = 0;
        loop {
            // In turn, the next cluster becomes resident when the others have had theirs and not come to their end: one that
            // never waits for another leaves warm memory to its successor.
            let due = |device: &Self| device.config.seed != 0 || at >= device.clusters.len();
            while !exhausted && self.resident_waves < supply.resident_waves && due(self) {
                match supply.next(number) {
                    Some(number) => {
                        let groups = launch.cluster(number, &mut self.ended);
                        self.start(number, groups);
                    }
                    None => exhausted = true,
                }
            }
            if self.clusters.is_empty() {
                return Some(RunEnd::Finished);
            }
            if at >= self.clusters.len() {
                at = 0;
            }
            let chosen = if self.config.seed == 0 { at } else { self.random.below(self.clusters.len()) };
            if let Some(limit) = self.config.limit_hit(self.total > self.config.max_total_steps) {
                if let Some((wave, site)) = self.place(chosen) {
                    self.observer.limit(wave, &site, limit);
                }
                return Some(RunEnd::Limit(limit));
            }
            if supply.is_withdrawn(self.program, self.global, self.observer) {
                return None;
            }
            let progress = match self.turn(chosen) {
                Ok(progress) => progress,
                Err((wave, stop)) => {
                    return Some(match stop {
                        Stop::Unsupported { pc, what } => RunEnd::Unsupported { wave, pc, what },
                        Stop::Limit(limit) => RunEnd::Limit(limit),
                        Stop::Trap => RunEnd::Trap,
                    });
                }
            };
            if self.clusters[chosen].groups.is_empty() {
                self.clusters.remove(chosen);
                idle_rounds = 0;
                continue;
            }
            self.global.interrupt();
            let looked_at = &mut self.clusters[chosen];
            if self.trial.is_some() {
                if progress && looked_at.is_due() && looked_at.stands_still() {
                    supply.withdraw();
                    return None;
                }
            } else if looked_at.stands_still_for_long(self.global.writes()) && exhausted && self.goes_round()
            {
                let limit = Limit::Standstill;
                if let Some((wave, site)) = self.place(chosen) {
                    self.observer.limit(wave, &site, limit);
                }
                return Some(RunEnd::Limit(limit));
            }
            // By a schedule a cluster goes on until it can go no further, or asks others.
            let stays = !matches!(self.config.policy, Policy::Seeded) && !self.clusters[chosen].shared.asks;
            at = if stays && progress { chosen } else { chosen + 1 };
            idle_rounds = if progress { 0 } else { idle_rounds + 1 };
            let groups = |device: &Self| device.clusters.iter().map(|cluster| cluster.groups.len()).sum();
            if idle_rounds > self.clusters.len() && idle_rounds > groups(self) && !self.any_can_move() {
                let waiting = self.waiting();
                self.observer.deadlock(&waiting);
                return Some(RunEnd::Deadlock);
            }
        }
    }

    /// A cluster becomes resident.
    pub fn start(&mut self, number: u64, groups: Vec<NewGroup>) {
        let shared = Cluster::new(number as u32, groups.len() as u32, self.config.seed);
        let mut resident = Box::new(Resident::new(shared, Vec::with_capacity(groups.len()), number));
        for new in groups {
            let count = new.waves.len() as u32;
            self.stats.workgroups += 1;
            self.stats.waves += u64::from(count);
            self.observer.workgroup_started(new.flat, new.lds, count);
            for wave in &new.waves {
                self.observer.wave_started(wave.id, new.initial_sgprs, new.initial_vgprs);
            }
            self.resident_waves += new.waves.len();
            resident.groups.push(Group {
                waves: new.waves,
                lds: Vec::new(),
                lds_bytes: new.lds,
                ids: new.ids,
                workgroup: Barrier::with_expected(count),
                named: vec![Barrier::default(); new.named_barriers as usize + 1],
                live: count,
                flat: new.flat,
                turn: 0,
            });
        }
        self.clusters.push(resident);
    }

    fn finish(&mut self, cluster: usize, at: usize) {
        let mut group = self.clusters[cluster].groups.remove(at);
        for wave in &group.waves {
            self.stats.wave_instructions += wave.steps;
        }
        if O::ACTIVE && self.clusters[cluster].groups.is_empty() && self.global.take_again() {
            self.observer.touches_again();
        }
        self.observer.workgroup_ended(group.flat);
        self.config.progress.end();
        self.resident_waves -= group.waves.len();
        self.ended.slabs.extend(group.waves.iter_mut().filter_map(Wave::end));
        self.ended.waves.extend(group.waves);
        self.ended.lds.push(group.lds);
    }

    fn groups(&self) -> impl Iterator<Item = (&Cluster, &Group)> {
        self.clusters.iter().flat_map(|cluster| cluster.groups.iter().map(|group| (&cluster.shared, group)))
    }

    /// Whether no resident cluster does anything new, as long as memory is what it is.
    fn goes_round(&self) -> bool {
        let writes = self.global.writes();
        self.clusters.iter().all(|cluster| {
            let is_still = cluster.still >= STILL && cluster.writes == writes;
            is_still || !cluster.can_move()
        })
    }

    fn any_can_move(&self) -> bool {
        self.clusters.iter().any(|cluster| cluster.can_move())
    }

    fn waiting(&self) -> Vec<(WaveId, Site, Blocked)> {
        let mut out = Vec::new();
        for (cluster, group) in self.groups() {
            for wave in &group.waves {
                let blocked = match wave.state {
                    WaveState::AtBarrier(id) => {
                        let barrier = match id {
                            BarrierId::Cluster => Some(&cluster.barrier),
                            BarrierId::Named(n) => group.named.get(usize::from(n)),
                            _ => Some(&group.workgroup),
                        };
                        let (arrived, expected) = barrier.map_or((0, None), |b| (b.arrived, b.expected));
                        Blocked::Barrier { id, arrived, expected }
                    }
                    WaveState::Halted => Blocked::Halted,
                    WaveState::Running | WaveState::Ended => continue,
                };
                if let Some(site) = self.last_site(wave) {
                    out.push((wave.id, site, blocked));
                }
            }
        }
        out
    }

    /// A wave of a cluster that goes on, and where it is.
    fn place(&self, cluster: usize) -> Option<(WaveId, Site)> {
        let waves = || self.clusters[cluster].groups.iter().flat_map(|group| &group.waves);
        let running = waves().filter(|wave| wave.state == WaveState::Running);
        let others = waves().filter(|wave| !matches!(wave.state, WaveState::Running | WaveState::Ended));
        running.chain(others).find_map(|wave| Some((wave.id, self.last_site(wave)?)))
    }

    /// The instruction that a wave stands at: a blocked wave's pc is behind its wait.
    fn last_site(&self, wave: &Wave) -> Option<Site> {
        let site = |slot| self.program.site(wave.table, slot).cloned();
        let behind = self.program.slot(wave.regs.pc.wrapping_sub(4));
        let last = behind.and_then(|behind| (0..=behind).rev().take(6).find_map(site));
        // One that has not begun stands at its first.
        last.or_else(|| self.program.slot(wave.regs.pc).and_then(site))
    }

    /// The turn of one workgroup of a cluster; whether any of its waves executed something.
    pub(super) fn turn(&mut self, cluster: usize) -> Result<bool, (WaveId, Stop)> {
        let Device { program, global, config, observer, clusters, ended, pool, host, .. } = self;
        let Resident { shared, groups, at: resident_at, number, .. } = &mut *clusters[cluster];
        global.claim_for(*number);
        let by_policy = !matches!(config.policy, Policy::Seeded);
        let seeded = config.seed != 0 && !by_policy;
        let noted = by_policy || config.recorder.is_some();
        let chosen = if by_policy {
            let able = able(&shared.barrier, groups, None);
            shared.turns.choose(&config.policy, *number as u32, config.seed, &able)
        } else {
            None
        };
        let place = |wave: &WavePlace| groups.iter().position(|group| group.flat == wave.workgroup);
        let at = match chosen.as_ref().and_then(place) {
            Some(at) => at,
            None if seeded => shared.random.below(groups.len()),
            None => *resident_at % groups.len(),
        };
        shared.asks = false;
        let operations = match (by_policy, seeded) {
            (true, _) => 1,
            (false, true) => 1 << shared.random.below(SEEDED_TURN.ilog2() as usize + 1),
            (false, false) => TURN,
        };
        let started = shared.clock;
        let may_execute = config.max_total_steps.saturating_sub(self.total);
        let others = if noted { able(&shared.barrier, groups, Some(at)) } else { Vec::new() };
        let Group { waves, lds, lds_bytes, ids, workgroup, named, live, turn, flat, .. } = &mut groups[at];
        let mut cx = Cx {
            facts: program.facts,
            counters: program.counters,
            config,
            global,
            lds,
            workgroup,
            named,
            clock_limit: started.saturating_add(may_execute),
            cluster: shared,
            group_waves: waves.len() as u32,
            live,
            observer: &mut **observer,
            pool,
            host,
            lands_late: matches!(config.policy, Policy::Seeded)
                && config.completion == Completion::Late
                && config.recorder.is_none(),
            smallest_capacity: program.smallest_capacity,
        };
        let (number, flat, trial) = (*number as u32, *flat, self.trial);
        let order = Order { operations, seeded, noted, chosen, others, cluster: number, flat, trial };
        let layout = program.layout;
        let begins = |wave: &mut Wave, lds: &mut Vec<u8>| begin(wave, layout, ended, ids, lds, *lds_bytes);
        let progress = GroupTurn { program, waves, next: turn, cx: &mut cx, begins, order }.take()?;
        let resident = &mut self.clusters[cluster];
        self.total += resident.shared.clock - started;
        resident.at = at + 1;
        if resident.groups[at].live == 0 {
            resident.at = at;
            self.finish(cluster, at);
        }
        Ok(progress)
    }
}

/// A turn of a workgroup.
struct GroupTurn<'t, 'c, O: Observer, B> {
    program: &'t mut Program,
    waves: &'t mut [Wave],
    /// The wave that goes next.
    next: &'t mut usize,
    cx: &'t mut Cx<'c, O>,
    /// Gives a wave its registers, and its workgroup its LDS.
    begins: B,
    order: Order,
}

/// In which order waves do how many operations.
struct Order {
    /// Visible operations of the turn.
    operations: usize,
    /// The wave is drawn.
    seeded: bool,
    /// Each step is noted, or chosen by a policy.
    noted: bool,
    /// The wave that goes on.
    chosen: Option<WavePlace>,
    /// Those of the cluster's other workgroups that could.
    others: Vec<WavePlace>,
    /// The cluster's number.
    cluster: u32,
    /// The workgroup's.
    flat: u32,
    /// It is one of a trial, which may be lost.
    trial: Option<Trial>,
}

impl<O: Observer, B: FnMut(&mut Wave, &mut Vec<u8>)> GroupTurn<'_, '_, O, B> {
    /// Take it; whether any of the waves executed something.
    ///
    /// Compiled for the highest level, so that the bodies of that level that move memory can be a part of it. Waves change at
    /// every memory operation: what calls a wave's loop is a part of it, too.
    fn take(self) -> Result<bool, (WaveId, Stop)> {
        #[cfg(target_arch = "x86_64")]
        if level() == Level::Avx512 {
            // SAFETY: the host has what the level stands for.
            return unsafe { self.take_with_avx512() };
        }
        self.go_round()
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    fn take_with_avx512(self) -> Result<bool, (WaveId, Stop)> {
        self.go_round()
    }

    #[inline(always)]
    fn go_round(self) -> Result<bool, (WaveId, Stop)> {
        let GroupTurn { program, waves, next, cx, mut begins, order } = self;
        let count = waves.len();
        let at_once = match count {
            _ if order.noted => 1,
            // Alone in its workgroup it has all of the turn.
            1 => order.operations,
            _ if order.seeded || O::ACTIVE && order.trial != Some(Trial::Far) => 1,
            _ => AT_ONCE,
        };
        let mut left = order.operations;
        let mut progress = false;
        let mut could = Vec::new();
        while left > 0 {
            let mut w = match order.chosen {
                Some(wave) => (wave.wave as usize).min(count - 1),
                None if order.seeded => cx.cluster.random.below(count),
                None => *next,
            };
            if order.noted {
                could = could_move(waves, cx, &order);
            }
            let mut moved = false;
            for _ in 0..count {
                let wave = &mut waves[w];
                if wave.is_new() {
                    begins(wave, cx.lds);
                }
                let goes = WavePlace { workgroup: order.flat, wave: wave.id.wave };
                moved = step(program, wave, cx, at_once).map_err(|stop| (wave.id, stop))?;
                if moved && order.noted {
                    note_step(cx, order.cluster, goes, &could);
                }
                w = if w + 1 == count { 0 } else { w + 1 };
                if moved {
                    *next = w;
                    break;
                }
            }
            if order.chosen.is_some() {
                land_in_waiting_waves(waves, cx);
            }
            progress |= moved;
            // A lost trial comes to nothing whenever that is seen.
            let looks = left.is_multiple_of(LOOKS);
            let ends = cx.cluster.asks || looks && Supply::is_lost(order.trial, program, cx.observer);
            left = if ends { 0 } else { left.saturating_sub(at_once) };
            if !moved || *cx.live == 0 {
                break;
            }
        }
        Ok(progress)
    }
}

/// Where a policy chooses who goes on, a wave that waits at a barrier has no turn, and what it has in flight lands all the same:
/// others may poll for it.
#[cold]
fn land_in_waiting_waves<O: Observer>(waves: &mut [Wave], cx: &mut Cx<'_, O>) {
    for wave in waves.iter_mut().filter(|wave| matches!(wave.state, WaveState::AtBarrier(_))) {
        cx.complete_by_mode(wave);
    }
}

/// The waves of a cluster that can move, in ascending order.
#[cold]
fn could_move<O: Observer>(waves: &[Wave], cx: &Cx<'_, O>, order: &Order) -> Vec<WavePlace> {
    let mut could = order.others.clone();
    let barriers = Barriers { cluster: &cx.cluster.barrier, workgroup: cx.workgroup, named: cx.named };
    barriers.able(waves, order.flat, &mut could);
    could.sort_unstable();
    could
}

/// The barriers that a workgroup's waves may wait at.
#[derive(Clone, Copy)]
struct Barriers<'g> {
    cluster: &'g Barrier,
    workgroup: &'g Barrier,
    named: &'g [Barrier],
}

impl<'g> Barriers<'g> {
    fn of(cluster: &'g Barrier, group: &'g Group) -> Barriers<'g> {
        Barriers { cluster, workgroup: &group.workgroup, named: &group.named }
    }

    /// Whether a wave can execute its next instruction.
    fn let_move(self, wave: &Wave) -> bool {
        match wave.state {
            WaveState::Running => true,
            WaveState::Ended | WaveState::Halted => false,
            WaveState::AtBarrier(id) => {
                let barrier = match id {
                    BarrierId::Cluster => Some(self.cluster),
                    BarrierId::Workgroup => Some(self.workgroup),
                    BarrierId::Named(n) => self.named.get(usize::from(n)),
                    _ => None,
                };
                barrier.is_some_and(|b| b.can_pass(wave.id.index))
            }
        }
    }

    /// Adds those of the workgroup's waves that can move.
    fn able(self, waves: &[Wave], workgroup: u32, able: &mut Vec<WavePlace>) {
        let waves = waves.iter().filter(|wave| self.let_move(wave));
        able.extend(waves.map(|wave| WavePlace { workgroup, wave: wave.id.wave }));
    }
}

/// The waves of a cluster's workgroups that can move, but those of one workgroup, in ascending order.
fn able(cluster: &Barrier, groups: &[Group], but: Option<usize>) -> Vec<WavePlace> {
    let mut able = Vec::new();
    for (_, group) in groups.iter().enumerate().filter(|(at, _)| Some(*at) != but) {
        Barriers::of(cluster, group).able(&group.waves, group.flat, &mut able);
    }
    able.sort_unstable();
    able
}

/// Give a wave its vector registers, and its workgroup its LDS.
fn begin(
    wave: &mut Wave,
    layout: Layout,
    ended: &mut Ended,
    ids: &[Vec<Chunk>],
    lds: &mut Vec<u8>,
    lds_bytes: u32,
) {
    if lds.len() < lds_bytes as usize {
        *lds = ended.lds.pop().unwrap_or_default();
        lds.clear();
        lds.resize(lds_bytes as usize, 0);
    }
    wave.begin(layout, ended.slabs.pop());
    let ids = &ids[wave.id.wave as usize];
    wave.regs.v[..ids.len()].copy_from_slice(ids);
}

/// A wave of a cluster has done a step, where any of these could.
#[cold]
fn note_step<O: Observer>(cx: &mut Cx<'_, O>, cluster: u32, goes: WavePlace, could: &[WavePlace]) {
    let turns = &mut cx.cluster.turns;
    if let Some(recorder) = &cx.config.recorder {
        let at = Moment { cluster, step: turns.steps };
        if turns.plain(could) != Some(goes) {
            recorder.switched(at, goes);
        }
        recorder.could(at, could.iter().copied().filter(|&wave| wave != goes));
    }
    turns.stepped(goes);
}

/// Run a wave up to and including its next visible operation, or so many; whether it could move.
#[inline(always)]
fn step<O: Observer>(
    program: &mut Program,
    wave: &mut Wave,
    cx: &mut Cx<'_, O>,
    turns: usize,
) -> Result<bool, Stop> {
    if wave.state != WaveState::Running && !goes_on(program, wave, cx) {
        return Ok(false);
    }
    run_wave(program, wave, cx, turns)?;
    Ok(true)
}

/// Whether a wave that has waited, or has ended, goes on.
#[inline(never)]
fn goes_on<O: Observer>(program: &Program, wave: &mut Wave, cx: &mut Cx<'_, O>) -> bool {
    if let WaveState::AtBarrier(id) = wave.state {
        let barrier = match id {
            BarrierId::Cluster => Some(&mut cx.cluster.barrier),
            BarrierId::Named(n) => cx.named.get_mut(usize::from(n)),
            _ => Some(&mut *cx.workgroup),
        };
        if let Some(phase) = barrier.and_then(|b| b.wait(wave.id.index)) {
            wave.state = WaveState::Running;
            pass_barrier(wave, id);
            if O::ACTIVE
                && let Some(slot) = program.slot(wave.regs.pc.wrapping_sub(4))
                && let Some(site) = program.site(wave.table, slot)
            {
                cx.observer.barrier(wave.id, site, id, BarrierEvent::WaitEnd { phase: Some(phase) });
            }
            return true;
        }
        // What a waiting wave has in flight lands all the same: others may poll for it.
        cx.complete_by_mode(wave);
    }
    false
}
