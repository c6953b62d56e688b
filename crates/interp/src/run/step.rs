//! A wave's turn: block after block, with the lanes that are together.

use super::wave::{Activation, Level, State, Wave};
use super::{Cluster, Executor, Group, Stop, compute, known};
use crate::Refused;
use crate::compile::constant::Addresses;
use crate::finding::{Kind, Place};
use crate::lanes::{Active, Frame, Src, each};
use crate::op::{Apart, Block, Callee, Edge, End, Function};

/// How a turn goes on behind an operation.
pub(super) enum Flow {
    /// With the next one.
    Next,
    /// With another wave.
    Yields,
}

impl<'r> Executor<'r> {
    /// The function of that number.
    pub(super) fn function(&self, number: usize) -> Option<&'r Function> {
        let program: &'r super::Program = self.program;
        program.compiled.functions.get(number)?.as_ref()
    }

    /// Executes a wave until it waits, has ended, or has executed so many operations.
    pub(super) fn turn(
        &mut self,
        cluster: &mut Cluster,
        group: usize,
        wave: &mut Wave,
        budget: u64,
    ) -> Result<(), Stop> {
        let last = wave.steps + budget;
        loop {
            if wave.steps > self.config.max_steps {
                return Err(self.limit(wavemark_sim::Limit::WaveSteps));
            }
            let Some(activation) = wave.activations.last_mut() else {
                return self.ends(cluster, group, wave);
            };
            let Some(function) = self.function(activation.function) else {
                return Err(Stop::Refused(Refused::new("a function without a body"), None));
            };
            let depth = activation.levels.len();
            let Some(level) = activation.levels.last_mut() else {
                // All its lanes have returned.
                if let Some(ended) = wave.activations.pop() {
                    wave.stack = ended.stack;
                }
                if !wave.activations.is_empty() {
                    wave.marks.ret();
                }
                continue;
            };
            if level.op == 0 && depth > 1 && level.meets == Some(level.block) {
                activation.levels.pop();
                continue;
            }
            let block = &function.blocks[level.block as usize];
            let active =
                Active { mask: level.mask, full: level.mask == crate::shape::mask(self.plan.lanes as u32) };
            // Straight lines of arithmetic.
            let from = level.op;
            let ops = block.ops[from..].iter();
            let computed = ops
                .take_while(|(op, _)| compute::compute(op, &mut activation.frame, &function.pool, active))
                .count();
            level.op += computed;
            wave.steps += computed as u64;
            if let Some(record) = &mut self.record {
                let stop = block.ops.get(from + computed).map_or(block.end_at, |(_, inst)| *inst);
                let mut insts: Vec<_> =
                    block.ops[from..from + computed].iter().map(|(_, inst)| *inst).collect();
                insts.push(stop);
                // An instruction is several operations, which stand side by side.
                insts.dedup();
                insts.into_iter().for_each(|inst| record.step(wave.index, (function.global, inst)));
            }
            if let Some((op, inst)) = block.ops.get(from + computed) {
                level.op += 1;
                wave.steps += 1;
                match self.effect(cluster, group, wave, function, op, *inst, active)? {
                    Flow::Next if wave.state == State::Running => {}
                    _ => return Ok(()),
                }
                if self.config.seed != 0 && wave.steps >= last {
                    return Ok(());
                }
                continue;
            }
            wave.steps += 1;
            self.end_of_block(&cluster.groups[group], wave, function, block)?;
            if wave.steps >= last {
                return Ok(());
            }
        }
    }

    fn end_of_block(
        &mut self,
        group: &Group,
        wave: &mut Wave,
        function: &'r Function,
        block: &'r Block,
    ) -> Result<(), Stop> {
        let Block { end, end_at: inst, meets, apart, .. } = block;
        let (inst, meets) = (*inst, *meets);
        let (workgroup, number) = (group.id, wave.number);
        let at = move |lanes| Place { function: function.global, inst, workgroup, wave: number, lanes };
        let Some(activation) = wave.activations.last_mut() else { return Ok(()) };
        let Activation { frame, levels, .. } = activation;
        let Some(mask) = levels.last().map(|level| level.mask) else { return Ok(()) };
        let pool = &function.pool;
        let mut take = |frame: &mut Frame, edge: &Edge, lanes: u64| -> (u32, u64) {
            if lanes != 0 && !edge.moves.is_empty() {
                frame.move_all(pool, lanes, &edge.moves, &mut self.moves);
            }
            (edge.target, lanes)
        };
        match end {
            End::Go(edge) => {
                let ways = [take(frame, edge, mask)];
                self.part(function, levels, meets, *apart, &ways, mask);
            }
            End::Branch { condition, then, otherwise } => {
                let undefined = known(frame.shadow(pool, *condition), mask);
                let words = frame.get(pool, *condition);
                let chosen = each(mask).fold(0, |lanes, lane| lanes | (words[lane] & 1) << lane);
                if undefined.any() != 0 {
                    let what = if undefined.poison != 0 { "poison" } else { "an undefined value" };
                    let place = at(undefined.any());
                    self.findings
                        .add(Kind::UndefinedBranch, &[place], || format!("a branch depends on {what}"));
                }
                let ways = [take(frame, then, chosen), take(frame, otherwise, mask & !chosen)];
                self.part(function, levels, meets, *apart, &ways, mask);
            }
            End::Switch { value, cases, ways } => {
                let undefined = known(frame.shadow(pool, *value), mask);
                if undefined.any() != 0 {
                    let place = at(undefined.any());
                    self.findings.add(Kind::UndefinedBranch, &[place], || {
                        "a switch depends on a value that there is not".to_owned()
                    });
                }
                let mut lanes = vec![0; ways.len()];
                let words = frame.get(pool, *value);
                for lane in each(mask) {
                    let found = cases.iter().find(|(case, _)| *case == words[lane]);
                    lanes[found.map_or(0, |(_, way)| *way as usize)] |= 1 << lane;
                }
                let taken = ways.iter().zip(lanes).map(|(way, lanes)| take(frame, way, lanes));
                // Ways to one block are one.
                let mut joined: Vec<(u32, u64)> = Vec::new();
                for (block, lanes) in taken {
                    match joined.iter_mut().find(|known| known.0 == block) {
                        Some(known) => known.1 |= lanes,
                        None => joined.push((block, lanes)),
                    }
                }
                self.part(function, levels, meets, *apart, &joined, mask);
            }
            End::Return(limbs) => {
                levels.pop();
                self.returns(wave, function, limbs, mask);
            }
            End::Unreachable => {
                self.findings.add(Kind::Unreachable, &[at(mask)], || "`unreachable` is reached".to_owned());
                return Err(Stop::Found);
            }
        }
        Ok(())
    }

    /// Lanes go their ways: all of them the same one, or apart, or each alone.
    fn part(
        &mut self,
        function: &Function,
        levels: &mut Vec<Level>,
        meets: Option<u32>,
        apart: Apart,
        ways: &[(u32, u64)],
        mask: u64,
    ) {
        match (apart, levels.last()) {
            (Apart::Until(until), Some(own)) if !mask.is_power_of_two() => {
                let meets = sooner(function, meets, until, own.meets);
                let lanes =
                    ways.iter().flat_map(|&(block, lanes)| each(lanes).map(move |lane| (block, 1 << lane)));
                let mut alone: Vec<(u32, u64)> = lanes.filter(|way| Some(way.0) != meets).collect();
                if self.config.seed == 0 {
                    // The last lane first: nothing looks less like lockstep.
                    alone.sort_unstable_by_key(|way| std::cmp::Reverse(way.1));
                } else {
                    (1..alone.len()).for_each(|at| alone.swap(at, self.random.below(at + 1)));
                }
                let there = ways.iter().filter(|way| Some(way.0) == meets).copied();
                let ways: Vec<(u32, u64)> = alone.into_iter().chain(there).collect();
                match &ways[..] {
                    [(block, _)] => stay(levels, *block),
                    _ => Wave::part(levels, meets, &ways),
                }
            }
            _ => match ways.iter().find(|way| way.1 == mask) {
                Some(&(block, _)) => stay(levels, block),
                None => Wave::part(levels, meets, ways),
            },
        }
    }

    /// Gives the result of a function to the lanes that return.
    fn returns(&mut self, wave: &mut Wave, function: &Function, limbs: &[Src], mask: u64) {
        let Some((own, below)) = wave.activations.split_last_mut() else { return };
        let Some(caller) = below.get_mut(own.caller) else { return };
        let active = Active { mask, full: false };
        for (register, &limb) in (own.returns_to..).zip(limbs.iter().take(own.results as usize)) {
            let known = own.frame.taken(&function.pool, limb);
            caller.frame.take(register, own.frame.get(&function.pool, limb), known, active);
        }
    }

    /// Enters a function.
    pub(super) fn enters(
        &mut self,
        wave: &mut Wave,
        caller: &'r Function,
        callee: Callee,
        arguments: &[Src],
        [returns_to, results]: [u32; 2],
        at: Place,
    ) -> Result<Flow, Stop> {
        let mask = at.lanes;
        let depth = wave.activations.len();
        let Some(activation) = wave.activations.last() else { return Ok(Flow::Next) };
        let refused = |what: &str| Stop::Refused(Refused::new(what), Some(at));
        let mut ways: Vec<(usize, u64)> = Vec::new();
        match callee {
            Callee::Known(number) => ways.push((number, mask)),
            Callee::At(pointer) => {
                let undefined = known(activation.frame.shadow(&caller.pool, pointer), mask);
                if undefined.any() != 0 {
                    self.findings.add(Kind::UndefinedAddress, &[at], || {
                        "a call of an address that there is not".to_owned()
                    });
                    return Err(Stop::Found);
                }
                for lane in each(mask) {
                    let address = activation.frame.get(&caller.pool, pointer)[lane];
                    let number = Addresses::function_at(address);
                    let Some(number) = number.filter(|&number| self.function(number).is_some()) else {
                        self.findings.add(Kind::OutOfBounds, &[at], || {
                            format!("a call of {address:#x}, where no function is")
                        });
                        return Err(Stop::Found);
                    };
                    match ways.iter_mut().find(|known| known.0 == number) {
                        Some(known) => known.1 |= 1 << lane,
                        None => ways.push((number, 1 << lane)),
                    }
                }
            }
        }
        if depth + ways.len() > MOST_ACTIVATIONS {
            return Err(refused("calls so deep"));
        }
        let caller_at = depth - 1;
        // Lanes that call different functions do so one after the other.
        for (number, lanes) in ways {
            let Some(function) = self.function(number) else {
                return Err(refused("a function without a body"));
            };
            let bytes = u64::from(function.registers) * self.plan.lanes as u64 * 8;
            if wavemark_budget::room_for(bytes).is_err() {
                return Err(refused("calls so deep"));
            }
            if arguments.len() as u32 > function.parameters {
                return Err(refused("a call with more arguments than parameters"));
            }
            let mut frame = Frame::new(function.registers, self.plan.lanes);
            let active = Active { mask: lanes, full: false };
            let from = &wave.activations[caller_at].frame;
            for (register, &argument) in (0..).zip(arguments) {
                let known = from.taken(&caller.pool, argument);
                frame.take(register, from.get(&caller.pool, argument), known, active);
            }
            wave.marks.call();
            wave.activations.push(Activation {
                function: number,
                frame,
                levels: vec![Level { block: 0, op: 0, mask: lanes, meets: None }],
                caller: caller_at,
                returns_to,
                results,
                stack: wave.stack,
            });
        }
        Ok(Flow::Next)
    }

    /// The end of a wave.
    fn ends(&mut self, cluster: &mut Cluster, group: usize, wave: &mut Wave) -> Result<(), Stop> {
        let touching = wave.flights.iter().find(|flight| flight.span.0 < flight.span.1 && !flight.is_told());
        if let Some(flight) = touching {
            let place = flight.place;
            self.findings.add(Kind::EndsInFlight, &[place], || {
                "the wave ends while an asynchronous operation is not known to be done with LDS".to_owned()
            });
        }
        let all: Vec<usize> = (0..wave.flights.len()).collect();
        self.done(&mut cluster.groups[group], wave, &all);
        wave.state = State::Ended;
        if let Some(record) = &mut self.record {
            record.ends(wave.index);
        }
        let barrier = &mut cluster.groups[group].barriers.workgroup;
        let waiting = barrier.arrived > 0;
        barrier.drop_one();
        let (agent, completes) = (self.agent(wave), waiting && barrier.arrived == 0);
        if let Some(races) = self.races.as_mut().filter(|_| completes) {
            races.completes(agent, super::barrier::Name::Workgroup);
        }
        Ok(())
    }
}

/// Activations of a wave at most.
const MOST_ACTIVATIONS: usize = 512;

/// Lanes go on together.
fn stay(levels: &mut [Level], block: u32) {
    if let Some(level) = levels.last_mut() {
        (level.block, level.op) = (block, 0);
    }
}

/// On the way from where lanes part to `until`, which all of them take: where they meet those that they parted from before,
/// if that comes first.
fn sooner(function: &Function, meets: Option<u32>, until: Option<u32>, before: Option<u32>) -> Option<u32> {
    let mut at = meets;
    while at != until && at != before {
        at = at.and_then(|block| function.blocks[block as usize].meets);
    }
    at
}
