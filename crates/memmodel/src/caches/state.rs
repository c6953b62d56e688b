//! A state of the machine, and what is found and left in its caches.

use super::{Hierarchy, Level, Op, Program, Registers, Step, Wave};
use crate::barrier;
use crate::litmus::{LocationId, Value};

/// An access in flight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pending {
    /// The number of its instruction.
    pub op: u8,
    /// A store has reached its first-level cache.
    pub near: bool,
    /// What a copy has read.
    pub held: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct WaveState {
    pub at: u8,
    pub registers: Vec<Option<i64>>,
    pub pending: Vec<Pending>,
}

/// A line of the device's cache: its value, and whether memory has not got it yet.
pub(super) type DeviceLine = Option<(i64, bool)>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub waves: Vec<WaveState>,
    pub barriers: barrier::machine::Machine,
    pub first: Vec<Vec<Option<i64>>>,
    pub second: Vec<Vec<Option<i64>>>,
    pub device: Vec<Vec<DeviceLine>>,
    pub memory: Vec<i64>,
    /// Stores on their way from each first-level cache, oldest first: they reach a location in order.
    pub stores: Vec<Vec<(u8, u8)>>,
}

/// What is explored.
pub(super) struct Machine<'m> {
    pub hierarchy: Hierarchy,
    pub waves: &'m [Wave],
    pub uncached: &'m [LocationId],
}

impl Machine<'_> {
    /// The first-level cache of a wave.
    pub fn first(&self, wave: usize) -> usize {
        if self.hierarchy.shared_first { usize::from(self.waves[wave].workgroup) } else { wave }
    }

    /// Whether a device's cache may hold something else of a location than memory.
    pub fn keeps(&self, location: LocationId) -> bool {
        self.hierarchy.incoherent_device && !self.uncached.contains(&location)
    }

    pub fn op(&self, wave: usize, index: u8) -> Op {
        self.waves[wave].ops[usize::from(index)]
    }
}

impl State {
    /// Before the first step: caches are warm.
    pub fn start(machine: &Machine, program: &Program<'_>) -> State {
        let Program { initial, waves, .. } = *program;
        let firsts = (0..waves.len()).map(|wave| machine.first(wave) + 1).max().unwrap_or(0);
        let groups = waves.iter().map(|wave| usize::from(wave.workgroup) + 1).max().unwrap_or(0);
        let devices = waves.iter().map(|wave| usize::from(wave.device) + 1).max().unwrap_or(0);
        let warm: Vec<Option<i64>> = initial.iter().map(|&value| Some(value)).collect();
        let lines = (0..)
            .zip(initial)
            .map(|(location, &value)| Some((value, false)).filter(|_| !machine.uncached.contains(&location)));
        let lines: Vec<DeviceLine> = lines.collect();
        let wave =
            |wave: &Wave| WaveState { at: 0, registers: vec![None; wave.registers], pending: Vec::new() };
        State {
            waves: waves.iter().map(wave).collect(),
            barriers: program.barriers.clone(),
            first: vec![warm.clone(); firsts],
            second: vec![warm; groups],
            device: vec![lines; devices],
            memory: initial.to_vec(),
            stores: vec![Vec::new(); firsts],
        }
    }

    /// The registers of each wave.
    pub fn registers(self) -> Registers {
        self.waves.into_iter().map(|wave| wave.registers).collect()
    }

    /// A rule that the next operation of some wave breaks, and that operation's step.
    pub fn broken(&self, machine: &Machine) -> Option<(&'static str, Step)> {
        self.waves.iter().enumerate().find_map(|(wave, own)| {
            let &op = machine.waves[wave].ops.get(usize::from(own.at))?;
            let operation = match op {
                Op::Barrier(operation, _) => operation,
                Op::LeaveBarrier => match self.barriers.joined(wave as u8) {
                    Some(object) => barrier::Operation::Drop(object),
                    None => return Some(("B9", Step::Issue(wave, own.at.into()))),
                },
                _ => return None,
            };
            let steps = self.barriers.step(wave as u8, operation).into_iter();
            let mut broken = steps.filter_map(|step| match step {
                barrier::machine::Step::Undefined(rule) => Some(rule.id()),
                barrier::machine::Step::Goes(..) => None,
            });
            broken.next().map(|rule| (rule, Step::Issue(wave, own.at.into())))
        })
    }

    pub fn is_over(&self, machine: &Machine) -> bool {
        self.waves
            .iter()
            .zip(machine.waves)
            .all(|(state, wave)| usize::from(state.at) >= wave.ops.len() && state.pending.is_empty())
    }

    /// All steps from here.
    pub fn steps(&self, machine: &Machine) -> Vec<(Step, State)> {
        let mut steps = Vec::new();
        let mut states = Vec::new();
        for (wave, own) in self.waves.iter().enumerate() {
            if usize::from(own.at) < machine.waves[wave].ops.len() {
                self.issue(machine, wave, &mut states);
                steps.extend(states.drain(..).map(|next| (Step::Issue(wave, own.at.into()), next)));
            }
            for (number, &Pending { op, .. }) in own.pending.iter().enumerate() {
                self.perform(machine, wave, number, &mut states);
                steps.extend(states.drain(..).map(|next| (Step::Perform(wave, op.into()), next)));
            }
        }
        if machine.hierarchy.incoherent_device {
            for (cache, lines) in self.device.iter().enumerate() {
                for (location, line) in lines.iter().enumerate() {
                    if let &Some((value, true)) = line {
                        let mut next = self.clone();
                        next.memory[location] = value;
                        next.device[cache][location] = Some((value, false));
                        steps.push((Step::WriteBack(cache, location as LocationId), next));
                    }
                }
            }
        }
        steps
    }

    pub fn value(&self, wave: usize, value: Value) -> Option<i64> {
        match value {
            Value::Number(number) => Some(number),
            Value::Register(register) => self.waves[wave].registers[usize::from(register)],
        }
    }

    /// The values that a load may find at `level` or further out, and the caches behind it.
    pub fn fetch(
        &self,
        machine: &Machine,
        wave: usize,
        location: LocationId,
        level: Level,
    ) -> Vec<(State, i64)> {
        let at = usize::from(location);
        let Wave { device, workgroup, .. } = machine.waves[wave];
        let (device, workgroup) = (usize::from(device), usize::from(workgroup));
        let mut found = Vec::new();
        if level <= 1 && machine.hierarchy.second {
            found.extend(self.second[workgroup][at].map(|value| (self.clone(), value)));
            for (mut filled, value) in self.fetch(machine, wave, location, 2) {
                filled.second[workgroup][at] = Some(value);
                found.push((filled, value));
            }
            return found;
        }
        if !machine.keeps(location) {
            return vec![(self.clone(), self.memory[at])];
        }
        let line = self.device[device][at];
        if let Some((value, dirty)) = line {
            if level <= 2 || dirty {
                found.push((self.clone(), value));
            }
            if dirty {
                return found;
            }
        }
        let mut filled = self.clone();
        filled.device[device][at] = Some((self.memory[at], false));
        found.push((filled, self.memory[at]));
        found
    }

    /// Writes a value at the device's cache, or through to memory.
    pub fn write(&mut self, machine: &Machine, wave: usize, location: LocationId, value: i64, level: Level) {
        let device = usize::from(machine.waves[wave].device);
        let through = level > 2 || !machine.keeps(location);
        self.device[device][usize::from(location)] =
            Some((value, !through)).filter(|_| !machine.uncached.contains(&location));
        if through {
            self.memory[usize::from(location)] = value;
        }
    }
}
