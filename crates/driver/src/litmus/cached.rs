//! Litmus tests of machine code with atomics, scopes and cache operations: the columns become waves of the machine with
//! caches (`wavemark_memmodel::caches`), by what the instruction table says of each instruction.
//!
//! What that machine has no place for is refused by name: processors whose caches it does not describe, copies, barriers,
//! waits for some of several, atomics that neither add nor exchange, jumps to anywhere but the end, and questions about
//! memory (what it holds at the end is in caches). It has final registers, and no races.

use std::collections::HashMap;

use wavemark_isa::effects::{AtomicOp, Caches, Channel, Counter, CounterSet, Effects, Path, Scope, Verb};
use wavemark_memmodel::caches::{Exploration, Hierarchy, Level, Op, Step, Waits, Wave, run};
use wavemark_memmodel::litmus::explore::Explored;
use wavemark_memmodel::litmus::{Condition, Instruction, Register, Test, Value};
use wavemark_memmodel::scope::Space;
use wavemark_target::facts::CachePolicy;
use wavemark_target::{Features, Machine, Property};

/// What stands in a column, beside the words of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// The next instruction of the model's words; an access goes as far as this level, and returns what it loads.
    Word { level: Level, returns: bool },
    /// A step of the machine that the model has no word for.
    Op(Op),
}

/// The columns of a test for the machine with caches.
pub(super) struct Columns {
    /// The caches.
    pub hierarchy: Hierarchy,
    /// The items of each column.
    pub items: Vec<Vec<Item>>,
}

/// Whether an instruction is one of the machine with caches alone.
pub(super) fn is_for_caches(known: &Effects) -> bool {
    known.memory.is_some_and(|memory| memory.is_atomic() || matches!(memory.verb, Verb::Cache { .. }))
}

/// The caches of a processor in its mode.
///
/// # Errors
/// What the machine cannot say of them.
pub(super) fn hierarchy(machine: Machine) -> Result<Hierarchy, String> {
    let facts = machine.facts();
    let split = machine.features.contains(Features::TGSPLIT)
        || machine.has(Property::CUMODE) && !machine.features.contains(Features::CUMODE);
    let name = machine.processor.name();
    if !facts.cu_keeps_order {
        return Err(format!(
            "the first-level cache of {name} keeps no order of accesses, which the machine with caches has no words for"
        ));
    }
    if facts.cache_policy == CachePolicy::GlcSlcScc {
        return Err(format!(
            "on {name} the type of memory says what its L2 cache keeps, which no instruction says"
        ));
    }
    Ok(Hierarchy {
        shared_first: !split,
        // The cache of a shader array: glc and dlc say whether it is missed.
        second: facts.cache_policy == CachePolicy::GlcSlcDlc,
        // Where no instruction can name the system, the L2 cache is coherent with memory.
        incoherent_device: matches!(
            facts.cache_policy,
            CachePolicy::Sc0Sc1Nt | CachePolicy::ThScope | CachePolicy::ThScopeNv
        ),
    })
}

/// How far out an access of this scope goes. Waves that share a first-level cache need not miss it at workgroup scope,
/// where instructions say scopes; where they say which caches to miss, they miss it.
pub(super) fn level(machine: Machine, hierarchy: Hierarchy, scope: Scope) -> Level {
    let says_scope = machine.facts().stores_say_scope();
    match scope {
        Scope::Cu => 0,
        Scope::Se if says_scope && hierarchy.shared_first => 0,
        Scope::Se => 1,
        Scope::Device => 2,
        Scope::System => 3,
    }
}

/// What a write-back or invalidate is to the machine; the write-back first.
pub(super) fn cache_operation(machine: Machine, hierarchy: Hierarchy, known: &Effects) -> Option<Vec<Op>> {
    let memory = known.memory.as_ref().filter(|memory| matches!(memory.path, Path::Global | Path::Buffer))?;
    let Verb::Cache { invalidate, write_back } = memory.verb else { return None };
    let mut ops = Vec::new();
    // The caches before the device's write through, and the device's is one.
    if write_back && hierarchy.incoherent_device && known.policy.scope == Scope::System {
        ops.push(Op::WriteBack);
    }
    if invalidate {
        ops.push(match (memory.caches, machine.facts().cache_policy) {
            (Caches::Near, _) => Op::Invalidate(1),
            (Caches::Shared, _) => Op::InvalidateSecond,
            // sc0 is for the first level, whichever waves share it (guide, "Memory Model GFX942").
            (Caches::All, CachePolicy::Sc0Sc1Nt) => {
                Op::Invalidate(level(machine, hierarchy, known.policy.scope).max(1))
            }
            (Caches::All, _) => Op::Invalidate(level(machine, hierarchy, known.policy.scope)),
        });
    }
    Some(ops)
}

/// The wait of an instruction; `None` if the machine has none such.
pub(super) fn wait(machine: Machine, known: &Effects) -> Option<Op> {
    if known.waits_idle {
        return Some(Op::Wait(Waits { loads: true, stores: true, lds: true }));
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
            _ => return None,
        }
    }
    (!known.waits.is_empty()).then_some(Op::Wait(waits))
}

/// The model's word for an atomic.
pub(super) fn update_word(op: Option<AtomicOp>) -> Option<&'static str> {
    match op? {
        AtomicOp::Add => Some("add"),
        AtomicOp::Swap => Some("xchg"),
        _ => None,
    }
}

/// Explores a test on the machine with caches: what was found, and a way to what is asked for.
///
/// # Errors
/// What it has no words for.
pub(super) fn explore(
    test: &Test,
    columns: &Columns,
    most: usize,
) -> Result<(Explored, Vec<String>), String> {
    let mut waves = Vec::new();
    let mut agents = Vec::new();
    let mut workgroups = Vec::new();
    for (number, thread) in test.threads.iter().enumerate() {
        let ops = ops(test, number, &columns.items[number])?;
        let agent = index(&mut agents, thread.place.0[0]);
        let workgroup = index(&mut workgroups, [thread.place.0[0], thread.place.0[1], thread.place.0[2]]);
        waves.push(Wave { agent, workgroup, registers: thread.registers.len(), ops });
    }
    if agents.len() > 1 && !columns.hierarchy.incoherent_device {
        return Err(
            "on this processor the type of memory says what agents share, which no instruction says".into()
        );
    }
    if !test.asked.locations().is_empty() {
        return Err("ask for registers: what memory holds at the end may be in caches".into());
    }
    let initial: Vec<i64> = test.locations.iter().map(|location| location.initial).collect();
    let Some(run) = run(columns.hierarchy, &initial, &waves, Exploration::Full, most) else {
        return Ok((Explored { states: most, ..Explored::default() }, Vec::new()));
    };
    let mut found = Explored { finished: true, states: run.states, ..Explored::default() };
    let mut witness: Option<&[Step]> = None;
    for (registers, reached) in &run.ends {
        let register = |thread: u8, register: Register| registers[usize::from(thread)][usize::from(register)];
        // It names no location.
        let asked = test.asked.holds(&register, &|_| 0);
        let words = test.registers_in_words(|thread| &registers[thread]).join(" ");
        let outcome = found.outcomes.entry(words).or_default();
        outcome.count += reached.count;
        outcome.asked |= asked;
        if asked && witness.is_none_or(|known| reached.steps.len() < known.len()) {
            witness = Some(&reached.steps);
        }
    }
    let steps = witness.unwrap_or_default().iter().map(|&step| describe(test, &waves, step)).collect();
    Ok((found, steps))
}

fn index<T: PartialEq>(known: &mut Vec<T>, value: T) -> u8 {
    let at = known.iter().position(|one| *one == value).unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    });
    at as u8
}

/// What a wave does. Registers are used behind a wait for their load: the machine would wait by itself, which hardware
/// does not.
fn ops(test: &Test, number: usize, items: &[Item]) -> Result<Vec<Op>, String> {
    let thread = &test.threads[number];
    let mut words = thread.instructions.iter();
    let mut ops: Vec<Op> = Vec::new();
    // Registers that were loaded, by whether from LDS, and those of them that a wait has seen.
    let mut loads: HashMap<Register, (bool, bool)> = HashMap::new();
    for &item in items {
        let op = match item {
            Item::Op(op) => op,
            Item::Word { level, returns } => {
                let word = words.next().ok_or("a column has more instructions than words")?;
                let is_lds = |location: u8| test.locations[usize::from(location)].space == Space::Local;
                match *word {
                    Instruction::Load(register, location, _) if is_lds(location) => Op::LdsLoad(register, location),
                    Instruction::Load(register, location, _) => Op::Load(register, location, level),
                    Instruction::Store(location, value, _) if is_lds(location) => Op::LdsStore(location, value),
                    Instruction::Store(location, value, _) => Op::Store(location, value, level.max(2)),
                    Instruction::Update(register, location, update, value, _) => {
                        let register = returns.then_some(register);
                        match is_lds(location) {
                            true => Op::LdsUpdate(register, location, update, value),
                            false => Op::Update(register, location, update, value, level.max(2)),
                        }
                    }
                    Instruction::Jump(to, Condition::NotEqual(register, value))
                        if to == thread.instructions.len() =>
                    {
                        Op::Unless(register, value)
                    }
                    _ => return Err("beside atomics and cache operations, a jump is `bne REGISTER, NUMBER, END`, where END ends the column".into()),
                }
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
        if let Op::Wait(waits) = op {
            for (lds, waited) in loads.values_mut() {
                *waited |= if *lds { waits.lds } else { waits.loads };
            }
        }
        ops.push(op);
    }
    Ok(ops)
}

fn describe(test: &Test, waves: &[Wave], step: Step) -> String {
    let location = |at: u8| &test.locations[usize::from(at)].name;
    let op = |wave: usize, at: usize| match waves[wave].ops[at] {
        Op::Load(_, from, _) | Op::LdsLoad(_, from) => format!("load of {}", location(from)),
        Op::Store(to, ..) | Op::LdsStore(to, _) => format!("store to {}", location(to)),
        Op::Update(_, of, ..) | Op::LdsUpdate(_, of, ..) => format!("atomic of {}", location(of)),
        Op::Wait(_) => "wait".to_owned(),
        Op::Invalidate(_) | Op::InvalidateSecond => "invalidate".to_owned(),
        Op::WriteBack => "write-back".to_owned(),
        Op::Unless(..) => "branch".to_owned(),
    };
    match step {
        Step::Issue(wave, at) => format!("P{wave}: {} is issued", op(wave, at)),
        Step::Perform(wave, at) => format!("P{wave}: {} is performed", op(wave, at)),
        Step::WriteBack(agent, at) => format!("agent {agent}: its cache writes {} back", location(at)),
    }
}
