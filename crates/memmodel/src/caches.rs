//! The machine's side of the memory model: caches between waves and memory, accesses in flight, write-backs and
//! invalidates, as LLVM's *AMDGPU usage* describes them for each generation ("Memory Model GFX6-GFX9" to "GFX12").
//!
//! A hierarchy has a first-level cache, shared by the waves of a workgroup or one for each (work-group processor mode,
//! threadgroup split), perhaps a second-level one for each workgroup (workgroups may be on different shader arrays), the
//! device's, and memory, with which the device's cache may not be coherent. The machine is as free as the text lets it be:
//!
//! * caches begin warm, and a load may hit or miss; a line may be gone at any time, dirty ones are written back at any time;
//! * accesses that go further than the first level are performed in any order, those of one location from one first-level
//!   cache in the order of issue; accesses that it may answer, in the order of issue;
//! * a store is seen behind its own first-level cache at once, and further out when it is performed there;
//! * accesses to LDS of one wave are in order with each other, and with nothing else.
//!
//! [`run`] gives all final registers, each with a way to them. A code sequence is right for a test if these are among
//! those that the model allows.

mod reduction;

use std::collections::{BTreeMap, HashSet, VecDeque};

use crate::litmus::{LocationId, Register, Update, Value};

/// The level of a cache: 0 the first, 1 the second, 2 the device's, 3 memory.
pub type Level = u8;

/// The caches of a generation and mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// The waves of a workgroup share their first-level cache.
    pub shared_first: bool,
    /// There is a second level.
    pub second: bool,
    /// The device's cache is not coherent with memory.
    pub incoherent_device: bool,
}

/// Which accesses a wait is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Loads and atomics that return.
    pub loads: bool,
    /// Stores, atomics that do not return, and write-backs.
    pub stores: bool,
    /// LDS.
    pub lds: bool,
}

/// What a wave does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Loads from the first cache of this level or further out that has the line.
    Load(Register, LocationId, Level),
    /// Stores; done when it has reached this level, and the device's at least.
    Store(LocationId, Value, Level),
    /// An atomic, performed at this level, and the device's at least; without a register it returns nothing.
    Update(Option<Register>, LocationId, Update, Value, Level),
    /// LDS.
    LdsLoad(Register, LocationId),
    /// LDS.
    LdsStore(LocationId, Value),
    /// LDS; without a register it returns nothing.
    LdsUpdate(Option<Register>, LocationId, Update, Value),
    /// Until nothing of these kinds is in flight.
    Wait(Waits),
    /// Empties the wave's caches below this level.
    Invalidate(Level),
    /// Empties the second level alone.
    InvalidateSecond,
    /// Writes dirty lines back to memory; in flight like a store.
    WriteBack,
    /// Ends the wave unless the register has this value. Waits for it, as any use of a register has to.
    Unless(Register, i64),
}

/// A wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// The number of its agent.
    pub agent: u8,
    /// The number of its workgroup, among those of all agents.
    pub workgroup: u8,
    /// How many registers it has.
    pub registers: usize,
    /// What it does.
    pub ops: Vec<Op>,
}

/// A step of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A wave issues an instruction, by its number.
    Issue(usize, usize),
    /// An access that a wave has issued is performed.
    Perform(usize, usize),
    /// A device's cache writes a location back of its own accord.
    WriteBack(usize, LocationId),
}

/// The registers of each wave.
pub type Registers = Vec<Vec<Option<i64>>>;

/// All executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The final registers.
    pub ends: BTreeMap<Registers, Reached>,
    /// How many states there were.
    pub states: usize,
}

/// How final registers are reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// A way: the shortest one, if all steps are explored.
    pub steps: Vec<Step>,
    /// Final states of registers and caches that have these registers.
    pub count: u64,
}

/// An access in flight, by the number of its instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pending(u8);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WaveState {
    at: u8,
    registers: Vec<Option<i64>>,
    pending: Vec<Pending>,
}

/// A line of the device's cache: its value, and whether memory has not got it yet.
type DeviceLine = Option<(i64, bool)>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    waves: Vec<WaveState>,
    first: Vec<Vec<Option<i64>>>,
    second: Vec<Vec<Option<i64>>>,
    device: Vec<Vec<DeviceLine>>,
    memory: Vec<i64>,
    /// Stores on their way from each first-level cache, oldest first: they reach a location in order.
    stores: Vec<Vec<(u8, u8)>>,
}

/// What is explored.
struct Machine<'m> {
    hierarchy: Hierarchy,
    waves: &'m [Wave],
}

/// Which steps of a state are explored. The final registers are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exploration {
    /// All of them.
    Full,
    /// Those that are enough, and states without what nobody can read any more.
    Reduced,
}

/// The final registers of all executions. `None` if there are more than `most` states.
pub fn run(
    hierarchy: Hierarchy,
    initial: &[i64],
    waves: &[Wave],
    exploration: Exploration,
    most: usize,
) -> Option<Found> {
    let machine = Machine { hierarchy, waves };
    let firsts = (0..waves.len()).map(|wave| machine.first(wave) + 1).max().unwrap_or(0);
    let groups = waves.iter().map(|wave| usize::from(wave.workgroup) + 1).max().unwrap_or(0);
    let agents = waves.iter().map(|wave| usize::from(wave.agent) + 1).max().unwrap_or(0);
    let warm: Vec<Option<i64>> = initial.iter().map(|&value| Some(value)).collect();
    let wave = |wave: &Wave| WaveState { at: 0, registers: vec![None; wave.registers], pending: Vec::new() };
    let start = State {
        waves: waves.iter().map(wave).collect(),
        first: vec![warm.clone(); firsts],
        second: vec![warm; groups],
        device: vec![initial.iter().map(|&value| Some((value, false))).collect(); agents],
        memory: initial.to_vec(),
        stores: vec![Vec::new(); firsts],
    };
    let mut ends: BTreeMap<Registers, Reached> = BTreeMap::new();
    let mut seen = HashSet::from([start.clone()]);
    // By state, in the order of discovery: where it came from. The start has no entry.
    let mut ways: Vec<(usize, Step)> = Vec::new();
    let mut waiting = VecDeque::from([(start, 0)]);
    while let Some((state, at)) = waiting.pop_front() {
        if state.is_over(&machine) {
            let registers = state.waves.into_iter().map(|wave| wave.registers).collect();
            let new = || Reached { steps: way(&ways, at), count: 0 };
            ends.entry(registers).or_insert_with(new).count += 1;
            continue;
        }
        let steps = match exploration {
            Exploration::Full => state.steps(&machine),
            Exploration::Reduced => state.enough(&machine),
        };
        for (step, mut next) in steps {
            if exploration == Exploration::Reduced {
                next.forget(&machine);
            }
            if seen.insert(next.clone()) {
                ways.push((at, step));
                waiting.push_back((next, ways.len()));
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    Some(Found { ends, states: seen.len() })
}

/// The steps to a state.
fn way(ways: &[(usize, Step)], mut at: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(&(from, step)) = at.checked_sub(1).and_then(|before| ways.get(before)) {
        steps.push(step);
        at = from;
    }
    steps.reverse();
    steps
}

impl Machine<'_> {
    /// The first-level cache of a wave.
    fn first(&self, wave: usize) -> usize {
        if self.hierarchy.shared_first { usize::from(self.waves[wave].workgroup) } else { wave }
    }

    fn op(&self, wave: usize, index: u8) -> Op {
        self.waves[wave].ops[usize::from(index)]
    }
}

impl State {
    fn is_over(&self, machine: &Machine) -> bool {
        self.waves
            .iter()
            .zip(machine.waves)
            .all(|(state, wave)| usize::from(state.at) >= wave.ops.len() && state.pending.is_empty())
    }

    fn steps(&self, machine: &Machine) -> Vec<(Step, State)> {
        let mut steps = Vec::new();
        let mut states = Vec::new();
        for (wave, own) in self.waves.iter().enumerate() {
            if usize::from(own.at) < machine.waves[wave].ops.len() {
                self.issue(machine, wave, &mut states);
                steps.extend(states.drain(..).map(|next| (Step::Issue(wave, own.at.into()), next)));
            }
            for (number, &Pending(op)) in own.pending.iter().enumerate() {
                self.perform(machine, wave, number, &mut states);
                steps.extend(states.drain(..).map(|next| (Step::Perform(wave, op.into()), next)));
            }
        }
        if machine.hierarchy.incoherent_device {
            for (agent, lines) in self.device.iter().enumerate() {
                for (location, line) in lines.iter().enumerate() {
                    if let &Some((value, true)) = line {
                        let mut next = self.clone();
                        next.memory[location] = value;
                        next.device[agent][location] = Some((value, false));
                        steps.push((Step::WriteBack(agent, location as LocationId), next));
                    }
                }
            }
        }
        steps
    }

    fn value(&self, wave: usize, value: Value) -> Option<i64> {
        match value {
            Value::Number(number) => Some(number),
            Value::Register(register) => self.waves[wave].registers[usize::from(register)],
        }
    }

    fn issue(&self, machine: &Machine, wave: usize, steps: &mut Vec<State>) {
        let at = self.waves[wave].at;
        let op = machine.op(wave, at);
        let mut next = self.clone();
        next.waves[wave].at += 1;
        let first = machine.first(wave);
        match op {
            Op::Wait(waits) => {
                let waited = |&Pending(index): &Pending| match machine.op(wave, index) {
                    Op::Load(..) | Op::Update(Some(_), ..) => waits.loads,
                    Op::Store(..) | Op::Update(None, ..) | Op::WriteBack => waits.stores,
                    _ => waits.lds,
                };
                if !self.waves[wave].pending.iter().any(waited) {
                    steps.push(next);
                }
            }
            Op::Unless(register, value) => match self.waves[wave].registers[usize::from(register)] {
                None => {}
                Some(held) if held == value => steps.push(next),
                Some(_) => {
                    next.waves[wave].at = machine.waves[wave].ops.len() as u8;
                    steps.push(next);
                }
            },
            Op::Invalidate(level) => {
                let workgroup = usize::from(machine.waves[wave].workgroup);
                if level > 0 {
                    next.first[first].fill(None);
                }
                if level > 1 {
                    next.second[workgroup].fill(None);
                }
                if level > 2 {
                    let lines = &mut next.device[usize::from(machine.waves[wave].agent)];
                    lines
                        .iter_mut()
                        .filter(|line| line.is_some_and(|(_, dirty)| !dirty))
                        .for_each(|line| *line = None);
                }
                steps.push(next);
            }
            Op::InvalidateSecond => {
                next.second[usize::from(machine.waves[wave].workgroup)].fill(None);
                steps.push(next);
            }
            Op::Load(register, location, 0) => {
                // What the first level may answer is answered in the order of issue.
                let line = self.first[first][usize::from(location)];
                if let Some(value) = line {
                    let mut hit = next.clone();
                    hit.waves[wave].registers[usize::from(register)] = Some(value);
                    steps.push(hit);
                }
                let on_its_way = |&(of, index): &(u8, u8)| matches!(machine.op(usize::from(of), index), Op::Store(to, ..) if to == location);
                if !self.stores[first].iter().any(on_its_way) {
                    for (mut filled, value) in next.fetch(machine, wave, location, 1) {
                        filled.first[first][usize::from(location)] = Some(value);
                        filled.waves[wave].registers[usize::from(register)] = Some(value);
                        steps.push(filled);
                    }
                }
            }
            Op::Store(location, value, _) => {
                let Some(value) = self.value(wave, value) else { return };
                next.first[first][usize::from(location)] = Some(value);
                next.second[usize::from(machine.waves[wave].workgroup)][usize::from(location)] = None;
                next.stores[first].push((wave as u8, at));
                next.waves[wave].pending.push(Pending(at));
                steps.push(next);
            }
            Op::Load(register, ..)
            | Op::LdsLoad(register, _)
            | Op::Update(Some(register), ..)
            | Op::LdsUpdate(Some(register), ..) => {
                next.waves[wave].registers[usize::from(register)] = None;
                next.waves[wave].pending.push(Pending(at));
                steps.push(next);
            }
            Op::LdsStore(..) | Op::Update(None, ..) | Op::LdsUpdate(None, ..) | Op::WriteBack => {
                next.waves[wave].pending.push(Pending(at));
                steps.push(next);
            }
        }
    }

    /// The values that a load may find at `level` or further out, and the caches behind it.
    fn fetch(&self, machine: &Machine, wave: usize, location: LocationId, level: Level) -> Vec<(State, i64)> {
        let at = usize::from(location);
        let Wave { agent, workgroup, .. } = machine.waves[wave];
        let (agent, workgroup) = (usize::from(agent), usize::from(workgroup));
        let mut found = Vec::new();
        if level <= 1 && machine.hierarchy.second {
            found.extend(self.second[workgroup][at].map(|value| (self.clone(), value)));
            for (mut filled, value) in self.fetch(machine, wave, location, 2) {
                filled.second[workgroup][at] = Some(value);
                found.push((filled, value));
            }
            return found;
        }
        if !machine.hierarchy.incoherent_device {
            return vec![(self.clone(), self.memory[at])];
        }
        let line = self.device[agent][at];
        if let Some((value, dirty)) = line {
            if level <= 2 || dirty {
                found.push((self.clone(), value));
            }
            if dirty {
                return found;
            }
        }
        let mut filled = self.clone();
        filled.device[agent][at] = Some((self.memory[at], false));
        found.push((filled, self.memory[at]));
        found
    }

    /// Writes a value at the device's cache, or through to memory.
    fn write(&mut self, machine: &Machine, wave: usize, location: LocationId, value: i64, level: Level) {
        let agent = usize::from(machine.waves[wave].agent);
        let through = level > 2 || !machine.hierarchy.incoherent_device;
        self.device[agent][usize::from(location)] = Some((value, !through));
        if through {
            self.memory[usize::from(location)] = value;
        }
    }

    fn perform(&self, machine: &Machine, wave: usize, number: usize, steps: &mut Vec<State>) {
        let own = &self.waves[wave];
        let Pending(index) = own.pending[number];
        let op = machine.op(wave, index);
        let earlier = || own.pending[..number].iter().map(|&Pending(index)| machine.op(wave, index));
        let mut next = self.clone();
        next.waves[wave].pending.remove(number);
        let first = machine.first(wave);
        let same = |location: LocationId| {
            move |op: Op| match op {
                Op::Load(_, other, _) | Op::Store(other, ..) | Op::Update(_, other, ..) => other == location,
                _ => false,
            }
        };
        let is_lds = |op: Op| matches!(op, Op::LdsLoad(..) | Op::LdsStore(..) | Op::LdsUpdate(..));
        // One wave's accesses to a location are in order; so are stores to it from one first-level cache. A store that the
        // wave itself issued behind this access waits for it, not the other way round.
        let store_before = |location: LocationId| {
            self.stores[first]
                .iter()
                .take_while(|&&(of, at)| usize::from(of) != wave || at < index)
                .any(|&(of, at)| same(location)(machine.op(usize::from(of), at)))
        };
        match op {
            Op::Load(register, location, level) => {
                if earlier().any(same(location)) || store_before(location) {
                    return;
                }
                for (mut filled, value) in next.fetch(machine, wave, location, level) {
                    filled.waves[wave].registers[usize::from(register)] = Some(value);
                    steps.push(filled);
                }
            }
            Op::Store(location, value, level) => {
                let Some(value) = self.value(wave, value) else { return };
                if earlier().any(same(location)) || store_before(location) {
                    return;
                }
                next.stores[first].retain(|&(of, at)| (usize::from(of), at) != (wave, index));
                next.write(machine, wave, location, value, level);
                steps.push(next);
            }
            Op::Update(register, location, update, value, level) => {
                if earlier().any(same(location)) || store_before(location) {
                    return;
                }
                let Some(operand) = self.value(wave, value) else { return };
                for (mut filled, old) in next.fetch(machine, wave, location, level.max(2)) {
                    // An atomic is performed on what is current at its level.
                    let agent = usize::from(machine.waves[wave].agent);
                    let dirty = self.device[agent][usize::from(location)].is_some_and(|(_, dirty)| dirty);
                    if level > 2
                        && machine.hierarchy.incoherent_device
                        && !dirty
                        && old != self.memory[usize::from(location)]
                    {
                        continue;
                    }
                    let new = match update {
                        Update::Add => old.wrapping_add(operand),
                        Update::Exchange => operand,
                    };
                    filled.first[first][usize::from(location)] = None;
                    filled.second[usize::from(machine.waves[wave].workgroup)][usize::from(location)] = None;
                    if let Some(register) = register {
                        filled.waves[wave].registers[usize::from(register)] = Some(old);
                    }
                    filled.write(machine, wave, location, new, level);
                    steps.push(filled);
                }
            }
            Op::LdsLoad(register, location) => {
                if !earlier().any(is_lds) {
                    next.waves[wave].registers[usize::from(register)] =
                        Some(self.memory[usize::from(location)]);
                    steps.push(next);
                }
            }
            Op::LdsStore(location, value) => {
                let Some(value) = self.value(wave, value).filter(|_| !earlier().any(is_lds)) else { return };
                next.memory[usize::from(location)] = value;
                steps.push(next);
            }
            Op::LdsUpdate(register, location, update, value) => {
                let Some(operand) = self.value(wave, value).filter(|_| !earlier().any(is_lds)) else {
                    return;
                };
                let old = self.memory[usize::from(location)];
                if let Some(register) = register {
                    next.waves[wave].registers[usize::from(register)] = Some(old);
                }
                next.memory[usize::from(location)] = match update {
                    Update::Add => old.wrapping_add(operand),
                    Update::Exchange => operand,
                };
                steps.push(next);
            }
            Op::WriteBack => {
                // What its wave stored before goes first.
                if earlier().any(|op| matches!(op, Op::Store(..))) {
                    return;
                }
                let agent = usize::from(machine.waves[wave].agent);
                for location in 0..next.memory.len() {
                    if let Some((value, true)) = next.device[agent][location] {
                        next.memory[location] = value;
                        next.device[agent][location] = Some((value, false));
                    }
                }
                steps.push(next);
            }
            Op::Wait(_) | Op::Invalidate(_) | Op::InvalidateSecond | Op::Unless(..) => {
                unreachable!("they are not in flight")
            }
        }
    }
}
