//! Litmus tests of machine code with atomics, scopes and cache operations: the columns become waves of the machine with
//! caches (`wavemark_memmodel::caches`), by what the instruction table says of each instruction.
//!
//! Where a processor is configured in several ways (an agent with one L2 cache, or with several: gfx942, gfx1250), a test
//! is explored in each, and what one of them shows is shown. On gfx90a the type of memory says what an L2 cache keeps:
//! tests of several agents name it for each location, `X = 0 coarse`, `F = 0 fine`.
//!
//! What that machine has no place for is refused by name: gfx9's copies to LDS, waits for some of several, atomics that neither add nor
//! exchange, jumps to anywhere but the end, and questions about memory (what it holds at the end is in caches). It has final
//! registers, and no races.

use std::collections::{BTreeMap, HashMap};

use wavemark_isa::effects::{AtomicOp, Caches, Channel, Counter, CounterSet, Effects, Path, Scope, Verb};
use wavemark_memmodel::barrier::machine::Machine as Barriers;
use wavemark_memmodel::caches::{Copy, Exploration, Found, Op, Program, Step, Waits, Wave, run};
use wavemark_memmodel::litmus::explore::{Explored, Outcome};
use wavemark_memmodel::litmus::state::Fault;
use wavemark_memmodel::litmus::{Class, Condition, Instruction, Register, Test, Value};
use wavemark_memmodel::scope::{Place, Space};
use wavemark_target::Machine;
use wavemark_target::facts::L2Coherence;

use super::configuration::Configuration;

/// What stands in a column, beside the words of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// The next instruction of the model's words; an access goes as far as this scope, and returns what it loads.
    Word { scope: Scope, returns: bool },
    /// A write-back, an invalidate, or both, of these caches up to this scope.
    Cache { caches: Caches, scope: Scope, write_back: bool, invalidate: bool },
    /// A wait.
    Wait(Waits),
}

/// The type of memory that a location has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryType {
    /// Kept by the L2 cache of whoever uses it.
    Coarse,
    /// Kept coherent among agents.
    Fine,
}

/// The columns of a test for the machine with caches.
pub(super) struct Columns {
    /// Whose instructions they are.
    pub machine: Machine,
    /// The types of locations, by name.
    pub memory: HashMap<String, MemoryType>,
    /// The items of each column.
    pub items: Vec<Vec<Item>>,
}

/// Whether an instruction is one of the machine with caches alone; arrivals at barrier cells in LDS are not.
pub(super) fn is_for_caches(known: &Effects) -> bool {
    known.memory.is_some_and(|memory| {
        let cell = matches!(memory.atomic, Some(AtomicOp::BarrierArrive | AtomicOp::BarrierArriveAsync));
        memory.is_atomic() && !cell || matches!(memory.verb, Verb::Cache { .. })
    })
}

/// The wait of an instruction; `None` if the machine has none such.
pub(super) fn wait(machine: Machine, known: &Effects) -> Option<Item> {
    if known.waits_idle {
        let all = Waits { loads: true, stores: true, lds: true, asynchronous: true, tensor: true };
        return Some(Item::Wait(all));
    }
    let one_queue = CounterSet::of(machine).counter_of(Channel::St) == Counter::Vm;
    let mut waits = Waits::default();
    for &(counter, n) in &known.waits {
        match counter {
            _ if n != 0 => return None,
            Counter::Vm => {
                waits.loads = true;
                waits.stores |= one_queue;
            }
            Counter::Load => waits.loads = true,
            Counter::Store | Counter::Vs => waits.stores = true,
            Counter::Ds | Counter::Lgkm => waits.lds = true,
            Counter::Async => waits.asynchronous = true,
            Counter::Tensor => waits.tensor = true,
            _ => return None,
        }
    }
    (!known.waits.is_empty()).then_some(Item::Wait(waits))
}

/// The model's word for an atomic.
pub(super) fn update_word(op: Option<AtomicOp>) -> Option<&'static str> {
    match op? {
        AtomicOp::Add => Some("add"),
        AtomicOp::Swap => Some("xchg"),
        _ => None,
    }
}

/// The write-back or invalidate of an instruction; `None` if it is none of the caches of global memory.
pub(super) fn cache_operation(known: &Effects) -> Option<Item> {
    let memory = known.memory.as_ref().filter(|memory| matches!(memory.path, Path::Global | Path::Buffer))?;
    let Verb::Cache { invalidate, write_back } = memory.verb else { return None };
    Some(Item::Cache { caches: memory.caches, scope: known.policy.scope, write_back, invalidate })
}

/// Explores a test on the machine with caches, in each configuration: what was found, and a way to what is asked for.
///
/// # Errors
/// What it has no words for.
pub(super) fn explore(
    test: &Test,
    columns: &Columns,
    most: usize,
) -> Result<(Explored, Vec<String>), String> {
    let mut told = Told { finished: true, ..Told::default() };
    for configuration in Configuration::all(columns.machine) {
        let waves = waves(test, columns, configuration)?;
        let initial: Vec<i64> = test.locations.iter().map(|location| location.initial).collect();
        let mut program = Program::new(configuration.hierarchy, &initial, &waves);
        let objects: Vec<_> = test.objects.iter().map(|(_, object)| *object).collect();
        let workgroups: Vec<u8> = waves.iter().map(|wave| wave.workgroup).collect();
        let fine = |name: &String| columns.memory.get(name) == Some(&MemoryType::Fine);
        let locations = (0..).zip(&test.locations);
        program.uncached = locations.filter(|(_, of)| fine(&of.name)).map(|(at, _)| at).collect();
        program.barriers = Barriers::new(&objects, workgroups, test.readings.barrier);
        match run(&program, Exploration::Full, most) {
            Some(found) => told.add(test, &waves, found),
            None => (told.finished, told.states) = (false, told.states + most),
        }
    }
    Ok(told.explored())
}

/// What configurations have shown.
#[derive(Default)]
struct Told {
    finished: bool,
    states: usize,
    outcomes: BTreeMap<String, Outcome>,
    undefined: BTreeMap<&'static str, Vec<String>>,
    deadlock: Option<Vec<String>>,
    asked: Option<Vec<String>>,
}

impl Told {
    fn add(&mut self, test: &Test, waves: &[Wave], found: Found) {
        self.states += found.states;
        let words = |steps: &[Step]| {
            let described = steps.iter().enumerate();
            described.map(|(at, &step)| describe(test, waves, step, steps[..at].contains(&step))).collect()
        };
        let shorter = |known: &Option<Vec<String>>, steps: &[Step]| {
            known.as_ref().is_none_or(|known| steps.len() < known.len())
        };
        for (registers, reached) in &found.ends {
            let register =
                |thread: u8, register: Register| registers[usize::from(thread)][usize::from(register)];
            // It names no location.
            let asked = test.asked.holds(&register, &|_| 0);
            let state = test.registers_in_words(|thread| &registers[thread]).join(" ");
            let outcome = self.outcomes.entry(state).or_default();
            outcome.count += reached.count;
            outcome.asked |= asked;
            if asked && shorter(&self.asked, &reached.steps) {
                self.asked = Some(words(&reached.steps));
            }
        }
        if let Some(steps) = found.deadlock.filter(|steps| shorter(&self.deadlock, steps)) {
            self.deadlock = Some(words(&steps));
        }
        for (rule, steps) in found.undefined {
            self.undefined.entry(rule).or_insert_with(|| words(&steps));
        }
    }

    /// As explorations tell it, and the steps to what its verdict is about.
    fn explored(self) -> (Explored, Vec<String>) {
        let steps = self.undefined.values().next().or(self.deadlock.as_ref()).or(self.asked.as_ref());
        let steps = steps.cloned().unwrap_or_default();
        let explored = Explored {
            finished: self.finished,
            states: self.states,
            outcomes: self.outcomes,
            faults: self.undefined.keys().map(|rule| (Fault::Undefined(rule), None)).collect(),
            deadlocks: self.deadlock.is_some(),
            ..Explored::default()
        };
        (explored, steps)
    }
}

/// The waves of a test on a processor in this configuration.
fn waves(test: &Test, columns: &Columns, configuration: Configuration) -> Result<Vec<Wave>, String> {
    if !test.asked.locations().is_empty() {
        return Err("ask for registers: what memory holds at the end may be in caches".into());
    }
    let places: Vec<Place> = test.threads.iter().map(|thread| thread.place).collect();
    let mut agents = Vec::new();
    places.iter().for_each(|place| _ = index(&mut agents, place.0[0]));
    if agents.len() > 1 {
        let global = test.locations.iter().filter(|location| location.space == Space::Global);
        let unsaid = global.map(|location| &location.name).find(|name| !columns.memory.contains_key(*name));
        match (configuration.l2, unsaid) {
            (L2Coherence::Scope, _) | (L2Coherence::MemoryAndInstructions, None) => {}
            (L2Coherence::MemoryAndInstructions, Some(name)) => {
                return Err(format!(
                    "on this processor the type of memory says what its L2 cache keeps: `{name} = 0 coarse`, or `fine`"
                ));
            }
            (L2Coherence::Memory, _) => {
                return Err(
                    "on this processor the type of memory says what agents share, which no instruction says"
                        .into(),
                );
            }
        }
    }
    let devices = configuration.devices(columns.machine, &places);
    let mut workgroups = Vec::new();
    let mut waves = Vec::new();
    for (number, (thread, device)) in test.threads.iter().zip(devices).enumerate() {
        let ops = ops(test, number, columns, configuration)?;
        let workgroup = index(&mut workgroups, [thread.place.0[0], thread.place.0[1], thread.place.0[2]]);
        waves.push(Wave { device, workgroup, registers: thread.registers.len(), ops });
    }
    Ok(waves)
}

/// The number of a value among those that are known, with which it is from here on.
pub(super) fn index<T: PartialEq>(known: &mut Vec<T>, value: T) -> u8 {
    let at = known.iter().position(|one| *one == value).unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    });
    at as u8
}

/// What a wave does. Registers are used behind a wait for their load: the machine would wait by itself, which hardware
/// does not.
fn ops(
    test: &Test,
    number: usize,
    columns: &Columns,
    configuration: Configuration,
) -> Result<Vec<Op>, String> {
    let thread = &test.threads[number];
    let mut words = thread.instructions.iter();
    let mut ops: Vec<Op> = Vec::new();
    // Registers that were loaded, by whether from LDS, and those of them that a wait has seen.
    let mut loads: HashMap<Register, (bool, bool)> = HashMap::new();
    let is_lds = |location: u8| test.locations[usize::from(location)].space == Space::Local;
    for &item in &columns.items[number] {
        let Item::Word { scope, returns } = item else {
            let operations = configuration.cache_operation(item);
            for &op in &operations {
                ops.push(op);
            }
            if let Item::Wait(waits) = item {
                for (lds, waited) in loads.values_mut() {
                    *waited |= if *lds { waits.lds } else { waits.loads };
                }
                ops.push(Op::Wait(waits));
            }
            continue;
        };
        let word = words.next().ok_or("a column has more instructions than words")?;
        let op = match *word {
            Instruction::Load(register, location, _) if is_lds(location) => Op::LdsLoad(register, location),
            Instruction::Load(register, location, _) => {
                Op::Load(register, location, configuration.level(scope))
            }
            Instruction::Store(location, value, _) if is_lds(location) => Op::LdsStore(location, value),
            Instruction::Store(location, value, _) => {
                Op::Store(location, value, configuration.level(scope).max(2))
            }
            Instruction::Update(register, location, update, value, _) => {
                let register = returns.then_some(register);
                match is_lds(location) {
                    true => Op::LdsUpdate(register, location, update, value),
                    false => Op::Update(register, location, update, value, configuration.level(scope).max(2)),
                }
            }
            Instruction::Copy(class, to, from, _) => {
                let to_lds = is_lds(to);
                let (lds, global) = if to_lds { (to, from) } else { (from, to) };
                let least = if to_lds { 0 } else { 2 };
                let level = configuration.level(scope).max(least);
                Op::Copy(Copy { to_lds, lds, global, level, tensor: class == Class::Tensor })
            }
            Instruction::Barrier(operation, register) => Op::Barrier(operation, register),
            Instruction::Leave => Op::LeaveBarrier,
            Instruction::Jump(to, Condition::NotEqual(register, value))
                if to == thread.instructions.len() =>
            {
                Op::Unless(register, value)
            }
            _ => {
                return Err(
                    "beside atomics and cache operations, a jump is `bne REGISTER, NUMBER, END`, where END ends the column"
                        .into(),
                );
            }
        };
        let used = match op {
            Op::Store(_, value, _) | Op::LdsStore(_, value) => Some(value),
            Op::Update(_, _, _, value, _) | Op::LdsUpdate(_, _, _, value) => Some(value),
            Op::Unless(register, _) => Some(Value::Register(register)),
            _ => None,
        };
        if let Some(Value::Register(register)) = used {
            let name = &thread.registers[usize::from(register)];
            match loads.get(&register) {
                None => {
                    return Err(format!(
                        "P{number} uses {name}, which holds nothing: `{number}:{name} = NUMBER` says what it holds"
                    ));
                }
                Some((_, false)) => {
                    return Err(format!(
                        "P{number} uses {name} without a wait for its load (R1): tests with atomics or cache operations are about what is behind such waits"
                    ));
                }
                Some((_, true)) => {}
            }
        }
        let loaded = match op {
            Op::Load(register, ..) | Op::Update(Some(register), ..) => Some((register, false)),
            Op::LdsLoad(register, _) | Op::LdsUpdate(Some(register), ..) => Some((register, true)),
            _ => None,
        };
        if let Some((register, lds)) = loaded
            && loads.insert(register, (lds, false)).is_some_and(|(_, waited)| !waited)
        {
            let name = &thread.registers[usize::from(register)];
            return Err(format!("P{number} loads {name} again without a wait for its load"));
        }
        if let Op::Barrier(_, Some(register)) = op {
            loads.insert(register, (false, true));
        }
        ops.push(op);
    }
    Ok(ops)
}

/// A step, which was there `before` if it is the second moment of an access.
fn describe(test: &Test, waves: &[Wave], step: Step, before: bool) -> String {
    let location = |at: u8| &test.locations[usize::from(at)].name;
    let op = |wave: usize, at: usize| match waves[wave].ops[at] {
        Op::Load(_, from, _) | Op::LdsLoad(_, from) => format!("load of {}", location(from)),
        Op::Store(to, ..) | Op::LdsStore(to, _) => format!("store to {}", location(to)),
        Op::Update(_, of, ..) | Op::LdsUpdate(_, of, ..) => format!("atomic of {}", location(of)),
        Op::Copy(copy) => {
            let (to, from) = if copy.to_lds { (copy.lds, copy.global) } else { (copy.global, copy.lds) };
            format!("copy to {} from {}", location(to), location(from))
        }
        Op::Wait(_) => "wait".to_owned(),
        Op::Invalidate(_) | Op::InvalidateSecond | Op::InvalidateDevice => "invalidate".to_owned(),
        Op::Barrier(..) | Op::LeaveBarrier => "barrier operation".to_owned(),
        Op::WriteBack => "write-back".to_owned(),
        Op::Unless(..) => "branch".to_owned(),
    };
    match step {
        Step::Issue(wave, at) => format!("P{wave}: {} is issued", op(wave, at)),
        Step::Perform(wave, at) => {
            let does = match (waves[wave].ops[at], before) {
                (Op::Copy(_), false) => "reads",
                (Op::Copy(_), true) => "writes",
                _ => "is performed",
            };
            format!("P{wave}: {} {does}", op(wave, at))
        }
        Step::WriteBack(cache, at) => format!("device cache {cache} writes {} back", location(at)),
    }
}
