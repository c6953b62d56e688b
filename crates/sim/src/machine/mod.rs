//! The machine: workgroups of waves that take turns, and the memories they share.
//!
//! Waves of a workgroup interleave at every instruction that another wave could notice (memory, waits,
//! barriers); between two of those a wave only changes its own registers, so that a finer interleaving would
//! show nothing else. Which wave goes next is round-robin, or drawn from the seed. A run is a pure function
//! of its inputs.
//!
//! A launch runs on one thread of the host. Workgroups side by side would give the same result only where
//! nothing that one of them writes is touched by another before the launch ends, and a program's addresses
//! are not known before it runs; whole launches (schedules, cases) are what runs in parallel.
//!
//! What an instruction may cost if nobody watches, in cycles of the host with AVX-512 (wave32; the loops under
//! `tests/sim/speed` measure time; on the Zen 5 of these figures, at about 4.2 GHz, 10 cycles are 2.4 ns):
//!
//! * vector arithmetic: 10. Four for the loop (load the operation, look at its kind, count, call), six for the body:
//!   two loads per source, the operation, two stores, no branch but those on MODE, on a NaN and on EXEC, all foreseen.
//!   A source that is a scalar adds 10 (`alu::spread`).
//! * scalar arithmetic and branches: 8.
//! * a burst ([`crate::burst`]): 40 to issue it (compare the addresses, look up the bounds, capture what is stored), 50 to
//!   take it out of the queue and move its data.
//! * a wait: 15 and what it completes.
//! * a lane-wise operation ([`crate::lanewise`]): two to four times a burst.
//!
//! The MIX loop of 12 vector, 2 scalar, 3 memory instructions, 2 waits and a branch is thus meant to take some 450 cycles
//! a round, 23 an instruction. The general form of a memory operation takes ten times as much as a burst and more, a
//! watched instruction eight to fifteen times what an unwatched one does.

pub mod address;
mod burst;
mod control;
mod memory;
pub mod ops;
mod place;
pub mod select;
mod tensor;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use wavemark_isa::effects::CounterSet;
use wavemark_target::Facts;

use crate::barrier::Barrier;
use crate::brake::{Brake, Halt};
use crate::events::{BarrierEvent, BarrierId, Blocked, Observer, Site, WaveId};
use crate::global::Global;
use crate::op::{Detail, OpKind};
use crate::pending::{Memories, Pool, complete};
use crate::program::Program;
use crate::queue::{Flight, Scan};
use crate::regs::Chunk;
use crate::wave::{VectorSlab, Wave, WaveState};
use ops::MachineOp;

/// When an asynchronous operation lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Completion {
    /// At the last moment that a correct program allows: the wait that covers it, back-pressure, the end of
    /// the wave.
    #[default]
    Late,
    /// At once.
    Early,
    /// In between, drawn from the seed.
    Random,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// When asynchronous operations land.
    pub completion: Completion,
    /// Seed of scheduling and of random completion; 0 schedules round-robin.
    pub seed: u64,
    /// Instructions a wave may execute.
    pub max_steps: u64,
    /// Instructions all waves together may execute; a turn of a workgroup more may be.
    pub max_total_steps: u64,
    /// What ends the run from outside.
    pub brake: Arc<Brake>,
}

impl Default for RunConfig {
    fn default() -> Self {
        RunConfig {
            completion: Completion::Late,
            seed: 0,
            max_steps: 50_000_000,
            max_total_steps: u64::MAX,
            brake: Arc::default(),
        }
    }
}

/// What a run may not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The instructions of a wave.
    WaveSteps,
    /// The instructions of all waves.
    TotalSteps,
    /// What the brake says.
    Brake(Halt),
}

impl Limit {
    /// What hitting it is, in words.
    pub const fn title(self) -> &'static str {
        match self {
            Limit::WaveSteps => {
                "a wave has executed more instructions than --max-steps permits: does the kernel end?"
            }
            Limit::TotalSteps => {
                "the waves have executed more instructions than --max-total-steps permits: does the kernel end?"
            }
            Limit::Brake(Halt::Time) => {
                "the run has taken longer than --timeout permits: does the kernel end?"
            }
            Limit::Brake(Halt::Interrupt) => "the run was interrupted",
            Limit::Brake(Halt::Error) => "the run was ended at an error after which values mean nothing",
        }
    }

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::WaveSteps | Limit::TotalSteps => "step limit",
            Limit::Brake(Halt::Time) => "time limit",
            Limit::Brake(Halt::Interrupt) => "interrupt",
            Limit::Brake(Halt::Error) => "first error that makes values meaningless (--stop-on-error)",
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// All waves have ended.
    Finished,
    /// No wave could move.
    Deadlock,
    /// A limit was hit.
    Limit(Limit),
    /// A wave executed `s_trap`.
    Trap,
    /// An instruction, mode or use that is not modelled.
    Unsupported {
        /// Who.
        wave: WaveId,
        /// Address of the instruction.
        pc: u64,
        /// What.
        what: String,
    },
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Workgroups run.
    pub workgroups: u64,
    /// Waves run.
    pub waves: u64,
    /// Instructions executed by waves.
    pub wave_instructions: u64,
    /// The same times the lanes of a wave.
    pub lane_instructions: u64,
}

/// Why a wave's turn ends with the end of the run.
#[derive(Debug)]
pub(crate) enum Stop {
    Unsupported { pc: u64, what: String },
    Limit(Limit),
    Trap,
}

/// What a machine operation means for the wave's turn.
pub(crate) enum Turn {
    /// Nobody else can notice: go on.
    Keeps,
    /// Let others have a turn.
    Yields,
}

/// A workgroup that is resident. Its waves get their vector registers, and it its LDS, when the first instruction is to be
/// executed: a thousand waves can be resident, and what ends leaves warm memory to what begins.
pub(crate) struct Group {
    pub waves: Vec<Wave>,
    pub lds: Vec<u8>,
    lds_bytes: u32,
    /// What `v0` of each wave holds at its start.
    ids: Arc<[[Chunk; 4]]>,
    pub workgroup: Barrier,
    pub named: Vec<Barrier>,
    pub cluster: usize,
    pub live: u32,
    pub flat: u32,
    turn: usize,
}

/// The cluster barrier of a resident cluster, and how many of its workgroups live.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub barrier: Barrier,
    pub size: u32,
    pub live: u32,
}

/// What an operation of one wave can reach besides the wave itself.
pub(crate) struct Cx<'a, O: Observer> {
    pub facts: &'static Facts,
    pub counters: CounterSet,
    pub config: &'a RunConfig,
    pub global: &'a mut Global,
    pub lds: &'a mut Vec<u8>,
    pub workgroup: &'a mut Barrier,
    pub named: &'a mut Vec<Barrier>,
    pub cluster: &'a mut Cluster,
    pub group_waves: u32,
    pub live: &'a mut u32,
    pub observer: &'a mut O,
    pub next_op: &'a mut u64,
    pub clock: &'a mut u64,
    pub random: &'a mut Random,
    pub pool: &'a mut Pool,
}

pub(crate) fn memories<'a>(global: &'a mut Global, lds: &'a mut [u8], scratch: &'a mut [u8]) -> Memories<'a> {
    Memories { global, lds, scratch }
}

/// A small generator (SplitMix64): scheduling needs reproducible, not strong, numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }
    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        if n <= 1 { 0 } else { (self.draw() % n as u64) as usize }
    }
}

/// Instructions after which an operation in flight lands even in late mode: without such a bound a wave that
/// polls memory for a completion that no counter of its own covers would poll for ever.
const PATIENCE: u64 = 1 << 15;
/// Visible operations of one workgroup before the next one has its turn.
const GROUP_TURNS: usize = 256;
/// Instructions of a wave without any visible operation between two looks at its step limit.
const STEPS_UNCHECKED: u64 = 0x1000;

impl<O: Observer> Cx<'_, O> {
    /// A limit that is hit.
    #[cold]
    fn limit_hit(&self, wave: &Wave) -> Option<Limit> {
        if wave.steps > self.config.max_steps {
            return Some(Limit::WaveSteps);
        }
        if *self.clock > self.config.max_total_steps {
            return Some(Limit::TotalSteps);
        }
        self.config.brake.pulled().map(Limit::Brake)
    }

    /// Complete everything whose time has come.
    fn complete_due(&mut self, wave: &mut Wave) {
        let mut scan = Scan::default();
        while let Some(slot) = wave.queue.take_due(&mut scan) {
            self.complete_slot(wave, slot);
        }
    }

    fn complete_one(&mut self, wave: &mut Wave, slot: usize) {
        self.complete_slot(wave, slot);
    }

    /// Complete the operation in `slot`, which was taken out of the queue.
    #[inline(always)]
    fn complete_slot(&mut self, wave: &mut Wave, slot: usize) {
        let mut memories = memories(self.global, self.lds, &mut wave.scratch);
        match wave.queue.flight(slot) {
            Flight::Burst(burst) => burst.complete(&mut wave.regs, &mut memories, &mut self.pool.captured),
            Flight::Lanewise(lanewise) => {
                lanewise.complete(&mut wave.regs, &mut memories);
                if O::ACTIVE {
                    self.observer.completed(wave.id, &lanewise.issue);
                }
            }
            Flight::Other(pending) => {
                complete(&mut wave.regs, &mut memories, pending);
                if O::ACTIVE {
                    self.observer.completed(wave.id, &pending.issue);
                }
            }
            Flight::Free => {}
        }
        if let Some(flight) = wave.queue.release(slot) {
            self.pool.recycle(flight);
        }
    }

    /// Complete what the completion mode lets land now.
    #[inline(always)]
    fn complete_by_mode(&mut self, wave: &mut Wave) {
        match self.config.completion {
            Completion::Late => {
                if wave.queue.oldest().is_some_and(|at| *self.clock - at > PATIENCE) {
                    self.complete_old(wave);
                }
            }
            Completion::Early => {
                while let Some(slot) = wave.queue.take_early(0) {
                    self.complete_one(wave, slot);
                }
            }
            Completion::Random => {
                while !wave.queue.is_empty() && self.random.draw() & 1 == 0 {
                    let at = self.random.below(wave.queue.len());
                    if let Some(slot) = wave.queue.take_early(at) {
                        self.complete_one(wave, slot);
                    }
                }
            }
        }
    }

    /// Complete what has been in flight for longer than [`PATIENCE`].
    #[cold]
    #[inline(never)]
    fn complete_old(&mut self, wave: &mut Wave) {
        while wave.queue.oldest().is_some_and(|at| *self.clock - at > PATIENCE) {
            if let Some(slot) = wave.queue.take_early(0) {
                self.complete_one(wave, slot);
            }
        }
    }
}

/// Supplies workgroups in the order of their clusters.
pub(crate) trait Launch {
    /// The waves and memories of the next cluster's workgroups, or `None` after the last.
    fn next_cluster(&mut self, next_wave: &mut u32, ended: &mut Ended) -> Option<Vec<NewGroup>>;
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
    pub ids: Arc<[[Chunk; 4]]>,
}

/// A device running one kernel.
pub(crate) struct Device<'a, O: Observer> {
    pub program: &'a mut Program,
    pub global: &'a mut Global,
    pub config: RunConfig,
    pub observer: &'a mut O,
    #[expect(clippy::vec_box, reason = "one that ends is taken out from among a thousand")]
    groups: Vec<Box<Group>>,
    clusters: Vec<Cluster>,
    ended: Ended,
    /// Waves of `groups`.
    resident_waves: usize,
    stats: RunStats,
    next_op: u64,
    clock: u64,
    random: Random,
    pool: Pool,
}

/// Waves that are resident at once, at the most (but one cluster always is).
const RESIDENT_WAVES: usize = 1024;

impl<'a, O: Observer> Device<'a, O> {
    pub fn new(
        program: &'a mut Program,
        global: &'a mut Global,
        config: RunConfig,
        observer: &'a mut O,
    ) -> Self {
        let random = Random::new(config.seed);
        Device {
            program,
            global,
            config,
            observer,
            groups: Vec::new(),
            clusters: Vec::new(),
            ended: Ended::default(),
            resident_waves: 0,
            stats: RunStats::default(),
            next_op: 0,
            clock: 0,
            random,
            pool: Pool::default(),
        }
    }

    /// Run all workgroups of a launch.
    pub fn run(&mut self, launch: &mut impl Launch) -> (RunEnd, RunStats) {
        let end = self.run_to_end(launch);
        for wave in self.groups.iter().flat_map(|group| &group.waves) {
            self.stats.wave_instructions += wave.steps;
        }
        self.stats.lane_instructions = self.stats.wave_instructions * self.program.layout.chunks as u64 * 16;
        (end, self.stats)
    }

    fn run_to_end(&mut self, launch: &mut impl Launch) -> RunEnd {
        let mut next_wave = 0;
        let mut exhausted = false;
        let mut at = 0;
        let mut idle_rounds = 0;
        loop {
            while !exhausted && self.resident_waves < RESIDENT_WAVES {
                match launch.next_cluster(&mut next_wave, &mut self.ended) {
                    Some(cluster) => self.start(cluster),
                    None => exhausted = true,
                }
            }
            if self.groups.is_empty() {
                return RunEnd::Finished;
            }
            if at >= self.groups.len() {
                at = 0;
            }
            let chosen = if self.config.seed == 0 { at } else { self.random.below(self.groups.len()) };
            if let Some(limit) = self.limit_hit() {
                if let Some((wave, site)) = self.place(chosen) {
                    self.observer.limit(wave, &site, limit);
                }
                return RunEnd::Limit(limit);
            }
            let progress = match self.turn(chosen) {
                Ok(progress) => progress,
                Err((wave, stop)) => {
                    return match stop {
                        Stop::Unsupported { pc, what } => RunEnd::Unsupported { wave, pc, what },
                        Stop::Limit(limit) => RunEnd::Limit(limit),
                        Stop::Trap => RunEnd::Trap,
                    };
                }
            };
            if self.groups[chosen].live == 0 {
                self.finish(chosen);
                idle_rounds = 0;
                continue;
            }
            at = chosen + 1;
            idle_rounds = if progress { 0 } else { idle_rounds + 1 };
            if idle_rounds > self.groups.len() && !self.any_can_move() {
                let waiting = self.waiting();
                self.observer.deadlock(&waiting);
                return RunEnd::Deadlock;
            }
        }
    }

    fn start(&mut self, cluster: Vec<NewGroup>) {
        let size = cluster.len() as u32;
        let number = self.clusters.len();
        self.clusters.push(Cluster { barrier: Barrier::with_expected(size), size, live: size });
        for new in cluster {
            let count = new.waves.len() as u32;
            self.stats.workgroups += 1;
            self.stats.waves += u64::from(count);
            self.observer.workgroup_started(new.flat, new.lds, count);
            for wave in &new.waves {
                self.observer.wave_started(wave.id, new.initial_sgprs, new.initial_vgprs);
            }
            self.resident_waves += new.waves.len();
            self.groups.push(Box::new(Group {
                waves: new.waves,
                lds: Vec::new(),
                lds_bytes: new.lds,
                ids: new.ids,
                workgroup: Barrier::with_expected(count),
                named: vec![Barrier::default(); new.named_barriers as usize + 1],
                cluster: number,
                live: count,
                flat: new.flat,
                turn: 0,
            }));
        }
    }

    fn finish(&mut self, at: usize) {
        let mut group = *self.groups.remove(at);
        for wave in &group.waves {
            self.stats.wave_instructions += wave.steps;
        }
        self.clusters[group.cluster].live -= 1;
        self.observer.workgroup_ended(group.flat);
        self.resident_waves -= group.waves.len();
        self.ended.slabs.extend(group.waves.iter_mut().filter_map(Wave::end));
        self.ended.waves.extend(group.waves);
        self.ended.lds.push(group.lds);
    }

    fn any_can_move(&mut self) -> bool {
        let clusters = &self.clusters;
        self.groups.iter().any(|group| {
            group.waves.iter().any(|wave| match wave.state {
                WaveState::Running => true,
                WaveState::Ended | WaveState::Halted => false,
                WaveState::AtBarrier(id) => {
                    let barrier = match id {
                        BarrierId::Cluster => Some(&clusters[group.cluster].barrier),
                        BarrierId::Workgroup => Some(&group.workgroup),
                        BarrierId::Named(n) => group.named.get(usize::from(n)),
                        _ => None,
                    };
                    barrier.is_some_and(|b| b.can_pass(wave.id.index))
                }
            })
        })
    }

    fn waiting(&self) -> Vec<(WaveId, Site, Blocked)> {
        let mut out = Vec::new();
        for group in &self.groups {
            for wave in &group.waves {
                let blocked = match wave.state {
                    WaveState::AtBarrier(id) => {
                        let barrier = match id {
                            BarrierId::Cluster => Some(&self.clusters[group.cluster].barrier),
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

    /// A limit of the launch that is hit.
    fn limit_hit(&self) -> Option<Limit> {
        if self.clock > self.config.max_total_steps {
            return Some(Limit::TotalSteps);
        }
        self.config.brake.pulled().map(Limit::Brake)
    }

    /// A wave of a workgroup that goes on, and where it is.
    fn place(&self, group: usize) -> Option<(WaveId, Site)> {
        let mut waves = self.groups[group].waves.iter().filter(|wave| wave.state != WaveState::Ended);
        waves.find_map(|wave| Some((wave.id, self.last_site(wave)?)))
    }

    /// The instruction that a wave stands at: a blocked wave's pc is behind its wait.
    fn last_site(&self, wave: &Wave) -> Option<Site> {
        let table = self.program.ops(wave.table);
        let behind = self.program.slot(wave.regs.pc.wrapping_sub(4))?;
        (0..=behind).rev().take(6).find_map(|slot| table.sites[slot].as_deref().cloned())
    }

    /// One workgroup's turn; whether any of its waves executed something.
    fn turn(&mut self, at: usize) -> Result<bool, (WaveId, Stop)> {
        let mut progress = false;
        // A wave alone in its workgroup has all of the turn at once.
        let turns = if self.groups[at].waves.len() == 1 { 1 } else { GROUP_TURNS };
        for _ in 0..turns {
            let group = &mut self.groups[at];
            let count = group.waves.len();
            let first = if self.config.seed == 0 { group.turn } else { self.random.below(count) };
            let mut moved = false;
            for i in 0..count {
                let w = (first + i) % count;
                if self.step_wave(at, w).map_err(|stop| (self.groups[at].waves[w].id, stop))? {
                    self.groups[at].turn = (w + 1) % count;
                    moved = true;
                    break;
                }
            }
            progress |= moved;
            if !moved || self.groups[at].live == 0 {
                break;
            }
        }
        Ok(progress)
    }

    /// Give wave `w` of group `at` its vector registers, and the group its LDS.
    fn begin(&mut self, at: usize, w: usize) {
        let group = &mut self.groups[at];
        if group.lds.len() < group.lds_bytes as usize {
            group.lds = self.ended.lds.pop().unwrap_or_default();
            group.lds.clear();
            group.lds.resize(group.lds_bytes as usize, 0);
        }
        let wave = &mut group.waves[w];
        wave.begin(self.program.layout, self.ended.slabs.pop());
        let chunks = wave.regs.chunks;
        wave.regs.v[..chunks].copy_from_slice(&group.ids[wave.id.wave as usize][..chunks]);
    }

    /// Run wave `w` of group `at` up to and including its next visible operation; whether it could move.
    fn step_wave(&mut self, at: usize, w: usize) -> Result<bool, Stop> {
        if self.groups[at].waves[w].is_new() {
            self.begin(at, w);
        }
        let Device {
            program, global, config, observer, groups, clusters, next_op, clock, random, pool, ..
        } = self;
        let group = &mut groups[at];
        let group_waves = group.waves.len() as u32;
        let cluster = &mut clusters[group.cluster];
        let wave = &mut group.waves[w];
        match wave.state {
            WaveState::Running => {}
            WaveState::Ended | WaveState::Halted => return Ok(false),
            WaveState::AtBarrier(id) => {
                let barrier = match id {
                    BarrierId::Cluster => Some(&mut cluster.barrier),
                    BarrierId::Named(n) => group.named.get_mut(usize::from(n)),
                    _ => Some(&mut group.workgroup),
                };
                if let Some(phase) = barrier.and_then(|b| b.wait(wave.id.index)) {
                    wave.state = WaveState::Running;
                    if O::ACTIVE
                        && let Some(slot) = program.slot(wave.regs.pc.wrapping_sub(4))
                        && let Some(site) = &program.ops(wave.table).sites[slot]
                    {
                        observer.barrier(wave.id, site, id, BarrierEvent::WaitEnd { phase: Some(phase) });
                    }
                }
            }
        }
        let mut cx = Cx {
            facts: program.facts,
            counters: program.counters,
            config,
            global,
            lds: &mut group.lds,
            workgroup: &mut group.workgroup,
            named: &mut group.named,
            cluster,
            group_waves,
            live: &mut group.live,
            observer: &mut **observer,
            next_op,
            clock,
            random,
            pool,
        };
        if wave.state != WaveState::Running {
            // What a waiting wave has in flight lands all the same: others may poll for it.
            cx.complete_by_mode(wave);
            return Ok(false);
        }
        let turns = if group_waves == 1 { GROUP_TURNS } else { 1 };
        run_wave(program, wave, &mut cx, turns)?;
        Ok(true)
    }
}

/// The interpreter loop: execute until `turns` visible operations are done or the wave can go no further.
fn run_wave<O: Observer>(
    program: &mut Program,
    wave: &mut Wave,
    cx: &mut Cx<'_, O>,
    mut turns: usize,
) -> Result<(), Stop> {
    wave.refresh_constants(program.layout, &program.constants);
    let base = program.segment.base;
    let Some(mut at) = program.slot(wave.regs.pc) else { return left_the_code(wave.regs.pc) };
    let mut steps = 0u64;
    let result = loop {
        let table = program.ops(wave.table);
        // Straight lines of arithmetic: nothing but slot and step is counted.
        let op = loop {
            let Some(op) = table.ops.get(at) else { break None };
            if O::ACTIVE
                && let Some(site) = &table.sites[at]
            {
                cx.observer.instruction(wave.id, site, wave.regs.exec(), &wave.regs);
            }
            if op.kind != OpKind::Alu {
                break Some(op);
            }
            steps += 1;
            at += usize::from(op.dwords);
            // SAFETY: decode chose the body for the host's instruction set (`alu::level`).
            unsafe { (op.body)(&mut wave.regs, op) };
        };
        let pc = base + at as u64 * 4;
        let Some(op) = op else { break left_the_code(pc) };
        let slot = at;
        match op.kind {
            OpKind::Alu => {}
            OpKind::Branch => {
                steps += 1;
                wave.regs.pc = pc + u64::from(op.dwords) * 4;
                // SAFETY: as above.
                unsafe { (op.body)(&mut wave.regs, op) };
                if steps > STEPS_UNCHECKED {
                    *cx.clock += steps;
                    wave.steps += steps;
                    steps = 0;
                    if let Some(hit) = cx.limit_hit(wave) {
                        break limit(program, wave, cx, slot, hit);
                    }
                }
                match program.slot(wave.regs.pc) {
                    Some(target) => at = target,
                    None => break left_the_code(wave.regs.pc),
                }
            }
            OpKind::Machine => {
                steps += 1;
                at += usize::from(op.dwords);
                wave.regs.pc = pc + u64::from(op.dwords) * 4;
                let Some(Detail::Machine(machine_op)) = op.detail.as_deref() else { continue };
                if let MachineOp::SetVgprMsb(msb) = *machine_op {
                    wave.msb = msb;
                    wave.table = program.table(msb);
                    continue;
                }
                *cx.clock += steps;
                wave.steps += steps;
                steps = 0;
                if wave.steps > cx.config.max_steps {
                    break limit(program, wave, cx, slot, Limit::WaveSteps);
                }
                if !O::ACTIVE && cx.quick(wave, machine_op) {
                    turns -= 1;
                    if turns == 0 {
                        break Ok(());
                    }
                    continue;
                }
                let Some(site) = &table.sites[slot] else { continue };
                match cx.execute(wave, machine_op, site) {
                    Ok(Turn::Keeps) => {}
                    Ok(Turn::Yields) => {
                        turns -= 1;
                        if turns == 0 || wave.state != WaveState::Running {
                            break Ok(());
                        }
                    }
                    Err(stop) => break Err(stop),
                }
                if wave.msb_changed {
                    wave.msb_changed = false;
                    wave.table = program.table(wave.msb);
                }
            }
            OpKind::Unsupported => {
                let what = match op.detail.as_deref() {
                    Some(Detail::Unsupported(what)) => what.clone(),
                    _ => "unknown instruction".to_owned(),
                };
                break Err(Stop::Unsupported { pc, what });
            }
            OpKind::Unbound => {
                let table = wave.table;
                program.bind_slot(table, slot);
                wave.refresh_constants(program.layout, &program.constants);
            }
        }
    };
    *cx.clock += steps;
    wave.steps += steps;
    result
}

#[cold]
fn left_the_code(pc: u64) -> Result<(), Stop> {
    Err(Stop::Unsupported { pc, what: format!("execution left the code: pc {pc:#x}") })
}

fn limit<O: Observer>(
    program: &Program,
    wave: &Wave,
    cx: &mut Cx<'_, O>,
    slot: usize,
    limit: Limit,
) -> Result<(), Stop> {
    if let Some(site) = &program.ops(wave.table).sites[slot] {
        cx.observer.limit(wave.id, site, limit);
    }
    Err(Stop::Limit(limit))
}
