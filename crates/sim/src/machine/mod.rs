//! The machine: workgroups of waves that take turns, and the memories they share.
//!
//! Waves of a workgroup interleave at every instruction that another wave could notice (memory, waits,
//! barriers); between two of those a wave only changes its own registers, so that a finer interleaving would
//! show nothing else. Which wave goes next is round-robin, or drawn from the seed. A run is a pure function
//! of its inputs, for every number of threads ([`side_by_side`]).
//!
//! Where nobody watches and no seed is given, a wave does 64 of those at a time: 3 to 12 % of a product, because its registers
//! stay in the first cache. Not so where a checker watches: waves would meet each other's accesses in another order than
//! their author means, and half of the findings for a missing barrier would name a place where none would help. So what a
//! kernel with a race computes may differ with and without a checker, as it may from seed to seed.
//!
//! What an instruction may cost if nobody watches, in cycles of the host with AVX-512 (wave32; the loops under
//! `tests/sim/speed` measure time; on the Zen 5 of these figures, at about 4.2 GHz, 10 cycles are 2.4 ns):
//!
//! * vector arithmetic: 10. Four for the loop (load the operation, look at its kind, count, call), six for the body:
//!   two loads per source, the operation, two stores, no branch but those on MODE, on a NaN and on EXEC, all foreseen.
//!   A source that is a scalar or has a sign adds 4 (`alu::spread`). Operations behind each other are a line and go through
//!   the loop once ([`crate::program`]): that leaves six, and five where a kind follows itself.
//! * scalar arithmetic and branches: 8.
//! * a burst ([`crate::burst`]): 40 to issue it (compare the addresses, look up the bounds, capture what is stored), 50 to
//!   take it out of the queue and move its data.
//! * a load of LDS by a row of addresses that is known ([`crate::lds_load`]): 35 to issue it (compare the row, two bounds, write
//!   it down), 15 to see that it is due, and to move four dwords a lane 20 where 16 lanes read one behind the other or all the
//!   same, 30 where four do, else 60 (an address, a load and a shuffle for each lane).
//! * a copy between memory and LDS by rows that are known ([`crate::lds_copy`]): 110 to issue it, 90 to move 16 bytes a lane
//!   where each four lanes are one behind the other.
//! * a wait: 15 and what it completes.
//! * a lane-wise operation ([`crate::lanewise`]): two to four times a burst.
//!
//! The MIX loop of 12 vector, 2 scalar, 3 memory instructions, 2 waits and a branch is thus meant to take some 450 cycles
//! a round, 23 an instruction. A product of binary32 without matrix instructions (Triton's for gfx1100: of 365 instructions a
//! round 48 load LDS, some 230 compute) takes 41 an instruction on a Zen 4, which is 11 ns. What decides is how many
//! instructions the host executes, some four in a cycle: a stepper that counts them by function finds in a minute what samples
//! do not. The general form of a memory operation takes ten times as much as a burst and more, a watched instruction eight to
//! fifteen times what an unwatched one does.

pub mod address;
pub mod buffer;
mod burst;
pub(crate) mod control;
mod device;
mod lds_copy;
pub(crate) mod memory;
mod offsets;
pub mod ops;
pub mod permute;
mod place;
pub mod select;
mod side_by_side;
pub(crate) mod tensor;
#[cfg(test)]
mod tests;
pub(crate) mod typed;

use std::sync::Arc;

use wavemark_isa::effects::CounterSet;
use wavemark_target::Facts;

use crate::address_row::AddressRows;
use crate::barrier::Barrier;
use crate::brake::{Brake, Halt};
use crate::events::Channel;
use crate::events::{Observer, WaveId};
use crate::global::Global;
use crate::hostcall::Hostcall;
use crate::lds_load::LdsLoad;
use crate::op::{Detail, OpKind, Talk};
use crate::pending::{Memories, Pool, complete};
use crate::program::{PAGE, Page, Program};
use crate::progress::Progress;
use crate::queue::{Flight, Scan};
use crate::regs::Regs;
use crate::schedule::{Moment, Operation, Policy, Recorder};
use crate::wave::{Wave, WaveState};
pub(crate) use device::{Cluster, Ended, Launch, NewGroup};
use ops::MachineOp;
pub use side_by_side::RESIDENT_WAVES;
pub(crate) use side_by_side::run;

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

impl Completion {
    /// All of them.
    pub const ALL: [Completion; 3] = [Completion::Late, Completion::Early, Completion::Random];

    /// As options, files and reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Completion::Late => "late",
            Completion::Early => "early",
            Completion::Random => "random",
        }
    }

    /// The mode that is called so.
    pub fn named(name: &str) -> Option<Completion> {
        Completion::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// How to run.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// When asynchronous operations land.
    pub completion: Completion,
    /// Seed of scheduling and of random completion; 0 schedules round-robin.
    pub seed: u64,
    /// What decides which wave goes on, and, if it is not the seed, when operations land.
    pub policy: Policy,
    /// Notes what the run does; one thread alone runs then.
    pub recorder: Option<Arc<Recorder>>,
    /// Instructions a wave may execute.
    pub max_steps: u64,
    /// Instructions all waves together may execute; a turn of a workgroup more may be.
    pub max_total_steps: u64,
    /// What ends the run from outside.
    pub brake: Arc<Brake>,
    /// Who watches how far it is.
    pub progress: Arc<Progress>,
    /// Threads of the host that a run may use; the result is the same for every number.
    pub threads: u32,
}

impl RunConfig {
    /// A limit of the launch that is hit, if `exceeded` by the instructions that its waves have executed.
    fn limit_hit(&self, exceeded: bool) -> Option<Limit> {
        if exceeded { Some(Limit::TotalSteps) } else { self.brake.pulled().map(Limit::Brake) }
    }
}

impl Default for RunConfig {
    fn default() -> Self {
        RunConfig {
            completion: Completion::Late,
            seed: 0,
            policy: Policy::Seeded,
            recorder: None,
            max_steps: 50_000_000,
            max_total_steps: u64::MAX,
            brake: Arc::default(),
            progress: Arc::default(),
            threads: 1,
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
    /// Every wave that goes on comes round to where it was with the same in its registers and in memory: for ever.
    Standstill,
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
            Limit::Standstill => {
                "the kernel does not end: its waves go round, and nothing in their registers or in memory changes any more"
            }
            Limit::Brake(Halt::Time) => {
                "the run has taken longer than --timeout permits: does the kernel end?"
            }
            Limit::Brake(Halt::Memory) => "the run needs more memory than --max-memory permits",
            Limit::Brake(Halt::Interrupt) => "the run was interrupted",
            Limit::Brake(Halt::Error) => "the run was ended at an error after which values mean nothing",
        }
    }

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::WaveSteps | Limit::TotalSteps => "step limit",
            Limit::Standstill => "standstill",
            Limit::Brake(Halt::Time) => "time limit",
            Limit::Brake(Halt::Memory) => "memory limit",
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Workgroups run.
    pub workgroups: u64,
    /// Waves run.
    pub waves: u64,
    /// Instructions executed by waves.
    pub wave_instructions: u64,
    /// The same times the lanes of a wave.
    pub lane_instructions: u64,
    /// Addresses of the instructions that were executed at least once, ascending.
    pub executed: Vec<u64>,
    /// What the program has told the host, in order: the slots of each message of hostcall's, without descriptors.
    pub messages: Vec<Vec<u64>>,
}

impl RunStats {
    /// What two devices did.
    fn plus(mut self, other: &RunStats) -> RunStats {
        self.executed.extend(&other.executed);
        self.executed.sort_unstable();
        self.executed.dedup();
        self.messages.extend(other.messages.iter().cloned());
        RunStats {
            messages: self.messages,
            executed: self.executed,
            workgroups: self.workgroups + other.workgroups,
            waves: self.waves + other.waves,
            wave_instructions: self.wave_instructions + other.wave_instructions,
            lane_instructions: self.lane_instructions + other.lane_instructions,
        }
    }
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
    pub pool: &'a mut Pool,
    pub host: &'a mut Option<Hostcall>,
    /// The cluster's clock when the launch has executed as much as it may.
    pub clock_limit: u64,
    /// What is in flight lands as late as it may, and nobody notes when.
    pub lands_late: bool,
    /// The most operations that each of the counters can count.
    pub smallest_capacity: usize,
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
/// The same for what is in LDS and not waited for, which is what waves tell each other by: seen all at once when the wave ends, it
/// would tell nothing of the order in which the wave did what it did in between.
const PATIENCE_WITH_LDS: u64 = 64;
/// So often a turn of a cluster ends as it tells others something once more.
const TOLD_AGAIN: u32 = 64;
/// Instructions of a wave without any visible operation between two looks at its step limit.
const STEPS_UNCHECKED: u64 = 0x1000;

impl<O: Observer> Cx<'_, O> {
    /// A limit that a wave has hit.
    #[cold]
    fn wave_limit(&self, wave: &Wave) -> Option<Limit> {
        if wave.steps > self.config.max_steps {
            return Some(Limit::WaveSteps);
        }
        self.config.limit_hit(self.cluster.clock > self.clock_limit)
    }

    /// Complete everything whose time has come.
    fn complete_due(&mut self, wave: &mut Wave) {
        let mut scan = Scan::default();
        while let Some(slot) = wave.queue.take_due(&mut scan) {
            if self.config.recorder.is_some() {
                self.note_landing(wave, slot, true);
            }
            self.complete_slot(wave, slot);
        }
        self.complete_lds_loads(wave, wave.queue.retired(Channel::Ds), u64::MAX);
    }

    /// Complete the loads of LDS that are in no slot, up to number `retired` of their channel and issued before machine time
    /// `before`.
    #[inline(always)]
    fn complete_lds_loads(&mut self, wave: &mut Wave, retired: u32, before: u64) {
        let Wave { regs, queue, address_rows, .. } = wave;
        let (id, chunks) = (wave.id, regs.chunks);
        let tell = |load: &LdsLoad, known: &AddressRows| {
            if O::ACTIVE && !self.observer.follows_completion(id, load.id()) {
                self.observer.completed(id, &load.told(known, chunks));
            }
        };
        queue.lds_loads.complete(retired, before, regs, self.lds, address_rows, tell);
    }

    fn complete_one(&mut self, wave: &mut Wave, slot: usize) {
        if self.config.recorder.is_some() {
            self.note_landing(wave, slot, false);
        }
        self.complete_slot(wave, slot);
    }

    /// Complete the operation in `slot`, which was taken out of the queue.
    #[inline(always)]
    fn complete_slot(&mut self, wave: &mut Wave, slot: usize) {
        if !wave.queue.lds_loads.is_empty() {
            // What is due lands in the order of issue.
            let (retired, before) = (wave.queue.retired(Channel::Ds), wave.queue.flight(slot).issued_at());
            self.complete_lds_loads(wave, retired, before);
        }
        let mut memories = memories(self.global, self.lds, &mut wave.scratch);
        match wave.queue.flight_mut(slot) {
            Flight::Burst(burst) => burst.complete(&mut wave.regs, &mut memories, &mut self.pool.captured),
            Flight::Lanewise(lanewise) => {
                lanewise.complete(&mut wave.regs, &mut memories);
                let follows = |observer: &mut O| observer.follows_completion(wave.id, lanewise.issue.id);
                if O::ACTIVE && !(lanewise.untold && follows(self.observer)) {
                    if lanewise.untold {
                        lanewise.tell(wave.regs.chunks, &[]);
                    }
                    self.observer.completed(wave.id, &lanewise.issue);
                }
            }
            Flight::LdsCopy(copy) => {
                let (known, chunks) = (&mut wave.address_rows, wave.regs.chunks);
                copy.complete(chunks, &mut memories, known, &mut self.pool.captured);
                if O::ACTIVE && !self.observer.follows_completion(wave.id, copy.id) {
                    self.observer.completed(wave.id, &copy.told(known, chunks));
                }
                copy.rows.iter().for_each(|&row| known.release(row));
            }
            Flight::Other(pending) => {
                complete(&mut wave.regs, &mut memories, pending);
                if O::ACTIVE {
                    self.observer.completed(wave.id, &pending.issue);
                }
            }
            Flight::Mark(_) | Flight::Free => {}
        }
        if let Some(flight) = wave.queue.release(slot) {
            self.pool.recycle(flight);
        }
    }

    /// The wave lets others of its workgroup know what it has issued: where the cache of their compute unit keeps the order of
    /// accesses to global memory, those in flight come before whatever the others issue then. So their part in global memory
    /// is done now; that they are complete, counters tell later. A flag that is a plain store is not looked for: stores land in
    /// order, but a load before it may be done after it where loads have a counter of their own.
    #[inline]
    fn perform(&mut self, wave: &mut Wave) {
        if !self.facts.cu_keeps_order || wave.id.split || self.group_waves == 1 {
            return;
        }
        let mut memories = memories(self.global, self.lds, &mut wave.scratch);
        let (chunks, full) = (wave.regs.chunks, wave.regs.full_mask());
        let captured = &mut self.pool.captured;
        let known = &wave.address_rows;
        wave.queue.for_each(|flight| {
            let (performed, issue) = match flight {
                Flight::Burst(burst) => return burst.perform(chunks, &mut memories, captured),
                Flight::Lanewise(lanewise) => {
                    if lanewise.untold {
                        lanewise.tell(chunks, &[]);
                    }
                    (lanewise.perform(chunks, &mut memories), &lanewise.issue)
                }
                Flight::LdsCopy(copy) => {
                    if copy.perform(chunks, &mut memories, known, captured) && O::ACTIVE {
                        self.observer.performed(wave.id, &copy.told(known, chunks));
                    }
                    return;
                }
                Flight::Other(pending) => (pending.perform(full, &mut memories), &pending.issue),
                Flight::Mark(_) | Flight::Free => return,
            };
            if O::ACTIVE && performed {
                self.observer.performed(wave.id, issue);
            }
        });
    }

    /// Complete what the completion mode lets land now.
    #[inline(always)]
    fn complete_by_mode(&mut self, wave: &mut Wave) {
        if !self.lands_late {
            self.complete_by_chance(wave);
        } else {
            self.complete_lately(wave);
        }
    }

    /// The same in late mode.
    #[inline(always)]
    fn complete_lately(&mut self, wave: &mut Wave) {
        if self.cluster.clock > wave.patient_until {
            self.complete_old(wave);
        }
        let before = self.cluster.clock.saturating_sub(PATIENCE_WITH_LDS);
        if wave.queue.has_any_of(1 << Channel::Ds as u8) && wave.queue.oldest().is_some_and(|at| at < before)
        {
            self.complete_lds_stores(wave, before);
        }
    }

    /// The same in any mode.
    #[inline(never)]
    fn complete_by_chance(&mut self, wave: &mut Wave) {
        if !matches!(self.config.policy, Policy::Seeded) {
            return self.complete_by_policy(wave);
        }
        match self.config.completion {
            Completion::Late => self.complete_lately(wave),
            Completion::Early => {
                while let Some(slot) = wave.queue.take_early(0) {
                    self.complete_one(wave, slot);
                }
            }
            Completion::Random => {
                while !wave.queue.is_empty() && self.cluster.random.draw() & 1 == 0 {
                    let at = self.cluster.random.below(wave.queue.len());
                    if let Some(slot) = wave.queue.take_early(at) {
                        self.complete_one(wave, slot);
                    }
                }
            }
        }
    }

    /// Complete what the policy lets land now.
    #[cold]
    #[inline(never)]
    fn complete_by_policy(&mut self, wave: &mut Wave) {
        let RunConfig { policy, seed, .. } = self.config;
        let (index, steps) = (wave.id.index, wave.steps);
        let lands = |seq: &[(Channel, u32)]| policy.lands(*seed, Operation::of(index, seq), steps);
        while let Some(slot) = wave.queue.take_first(lands) {
            self.complete_one(wave, slot);
        }
        self.complete_old(wave);
    }

    /// Tell the recorder that an operation lands, if that is not at once.
    #[cold]
    #[inline(never)]
    fn note_landing(&self, wave: &Wave, slot: usize, due: bool) {
        let flight = wave.queue.flight(slot);
        let Some(operation) = Operation::of(wave.id.index, flight.seq()) else { return };
        let Some(recorder) = &self.config.recorder else { return };
        if flight.issued_at() != self.cluster.clock {
            recorder.landed(operation, (!due).then_some(wave.steps));
        } else if !due {
            let at = Moment { cluster: wave.id.cluster_flat, step: self.cluster.turns.steps };
            recorder.issued(at, operation);
        }
    }

    /// Complete stores and atomics of LDS that were issued before a machine time, in their order.
    #[inline(never)]
    fn complete_lds_stores(&mut self, wave: &mut Wave, before: u64) {
        while let Some((at, issued_at)) = wave.queue.lds_store(before) {
            self.complete_lds_loads(wave, u32::MAX, issued_at);
            if let Some(slot) = wave.queue.take_early(at) {
                self.complete_one(wave, slot);
            }
        }
    }

    /// Complete what has been in flight for longer than [`PATIENCE`].
    #[cold]
    #[inline(never)]
    fn complete_old(&mut self, wave: &mut Wave) {
        while let Some(at) = wave.queue.oldest().filter(|at| self.cluster.clock - at > PATIENCE) {
            self.complete_lds_loads(wave, u32::MAX, at);
            if let Some(slot) = wave.queue.take_early(0) {
                self.complete_one(wave, slot);
            }
        }
        self.complete_lds_loads(wave, u32::MAX, self.cluster.clock.saturating_sub(PATIENCE));
        let oldest = wave.queue.oldest().into_iter().chain(wave.queue.lds_loads.oldest()).min();
        wave.patient_until = oldest.unwrap_or(self.cluster.clock) + PATIENCE;
    }
}

/// The interpreter loop: executes until `turns` visible operations are done or the wave can go no further.
#[inline(always)]
fn run_wave<O: Observer>(
    program: &mut Program,
    wave: &mut Wave,
    cx: &mut Cx<'_, O>,
    mut turns: usize,
) -> Result<(), Stop> {
    wave.refresh_constants(program.layout, &program.constants);
    let base = program.segment.base;
    let Some(first) = program.slot(wave.regs.pc) else { return left_the_code(wave.regs.pc) };
    // The page, and the slot in it.
    let (mut number, mut at) = (first / PAGE, first % PAGE);
    program.line_up(wave.table, first);
    let mut steps = 0u64;
    let result = 'pages: loop {
        let Some(page) = program.page(wave.table, number) else {
            if program.open(wave.table, number) {
                continue;
            }
            break left_the_code(base + (number * PAGE + at) as u64 * 4);
        };
        let page_base = base + (number * PAGE) as u64 * 4;
        // What only computes and what is quickly done: nothing but slot and step is kept.
        let op = loop {
            let Some(op) = page.ops.get(at) else { break None };
            if O::ACTIVE
                && let Some(site) = &page.sites[at]
            {
                let exec = wave.regs.exec();
                if op.kind == OpKind::Alu && cx.observer.follows(wave.id, site, exec) {
                    let count = straight_on(page, &mut wave.regs, &mut at);
                    steps += count as u64;
                    cx.observer.followed(count);
                    continue;
                }
                cx.observer.instruction(wave.id, site, exec, &wave.regs);
            }
            if matches!(op.kind, OpKind::Alu | OpKind::Branch) {
                let op = if O::ACTIVE || op.kind == OpKind::Branch { op } else { page.in_line(at, op) };
                steps += u64::from(op.steps);
                at += usize::from(op.way);
                if op.branch != 0 {
                    wave.regs.pc = page_base + at as u64 * 4;
                }
                // SAFETY: decode chose the body for the host's instruction set (`alu::level`); lines stand in the page.
                unsafe { (op.body)(&mut wave.regs, op) };
                if op.branch != 0 {
                    let target = page.slot(wave.regs.pc.wrapping_sub(page_base));
                    match target.filter(|&to| steps <= STEPS_UNCHECKED && page.is_lined_up(to)) {
                        Some(target) => at = target,
                        None => {
                            at -= usize::from(op.branch);
                            break Some(op);
                        }
                    }
                }
                continue;
            }
            if op.kind != OpKind::Machine {
                break Some(op);
            }
            cx.cluster.clock += steps + 1;
            wave.steps += steps + 1;
            steps = 0;
            if wave.steps > cx.config.max_steps {
                break 'pages limit(program, wave, cx, number * PAGE + at, Limit::WaveSteps);
            }
            match op.talk {
                Talk::Silent => {}
                // One that has come back to ask again may wait for what others have yet to do: the turn ends with it.
                Talk::Asks => {
                    let pc = page_base + at as u64 * 4;
                    cx.cluster.asks |= pc <= wave.asked_at;
                    wave.asked_at = pc;
                    turns = 1;
                }
                // One that has come back to tell again may have told others to go on.
                Talk::Tells => {
                    let pc = page_base + at as u64 * 4;
                    if pc <= wave.told_at && cx.cluster.told_again < TOLD_AGAIN {
                        cx.cluster.told_again += 1;
                        cx.cluster.asks = true;
                        turns = 1;
                    }
                    wave.told_at = pc;
                }
            }
            match op.detail.as_deref() {
                Some(detail) if cx.quick(wave, detail, page.sites[at].as_deref().filter(|_| O::ACTIVE)) => {}
                _ => break Some(op),
            }
            at += usize::from(op.dwords);
            turns -= 1;
            if turns == 0 {
                wave.regs.pc = page_base + at as u64 * 4;
                break 'pages Ok(());
            }
        };
        let slot = number * PAGE + at;
        let pc = base + slot as u64 * 4;
        let Some(op) = op else {
            if slot >= program.slots() {
                break left_the_code(pc);
            }
            (number, at) = (slot / PAGE, slot % PAGE);
            continue;
        };
        match op.kind {
            // It is done already, and leads elsewhere.
            OpKind::Alu | OpKind::Branch => {
                if steps > STEPS_UNCHECKED {
                    cx.cluster.clock += steps;
                    wave.steps += steps;
                    steps = 0;
                    if let Some(hit) = cx.wave_limit(wave) {
                        break limit(program, wave, cx, slot, hit);
                    }
                }
                match program.slot(wave.regs.pc) {
                    Some(target) => {
                        program.line_up(wave.table, target);
                        (number, at) = (target / PAGE, target % PAGE);
                    }
                    None => break left_the_code(wave.regs.pc),
                }
            }
            OpKind::Machine => {
                let here = at;
                at += usize::from(op.dwords);
                wave.regs.pc = pc + u64::from(op.dwords) * 4;
                let Some(Detail::Machine(machine_op)) = op.detail.as_deref() else { continue };
                if let MachineOp::SetVgprMsb(msb) = *machine_op {
                    wave.msb = msb;
                    wave.table = program.table(msb);
                    continue;
                }
                let Some(site) = &page.sites[here] else { continue };
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
    cx.cluster.clock += steps;
    wave.steps += steps;
    result
}

/// Executes the operations of a page from slot `at` on that only compute, up to one that may write EXEC; how many they were.
/// `at` is the slot behind them then.
#[inline(always)]
fn straight_on(page: &Page, regs: &mut Regs, at: &mut usize) -> usize {
    let mut count = 0;
    while let Some(op) = page.ops.get(*at).filter(|op| op.kind == OpKind::Alu) {
        let op = page.in_line(*at, op);
        *at += usize::from(op.way);
        count += usize::from(op.steps);
        // SAFETY: decode chose the body for the host's instruction set (`alu::level`); lines stand in the page.
        unsafe { (op.body)(regs, op) };
        if op.writes_exec {
            break;
        }
    }
    count
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
    if let Some(site) = program.site(wave.table, slot) {
        cx.observer.limit(wave.id, site, limit);
    }
    Err(Stop::Limit(limit))
}
