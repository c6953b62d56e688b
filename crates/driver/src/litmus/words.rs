//! The model's words for an instruction: for the model of what is in flight, and for the machine with caches.

use wavemark_isa::effects::{
    AtomicOp, Barrier, Channel, Control, Counter, CounterSet, Effects, Path, Scope, Verb, effects,
};
use wavemark_isa::{NoSymbols, Parsed, parse as parse_instruction};
use wavemark_memmodel::litmus::parse::Error;
use wavemark_target::Machine;

use super::cached::{self, Item};
use super::machine::fail;
use super::operands::{Operands, Place};

/// The model's words for a cell.
pub(super) fn words(machine: Machine, place: Place, cell: &str) -> Result<Vec<String>, Error> {
    if is_control(cell) {
        return Ok(vec![cell.to_owned()]);
    }
    let at = place.at;
    let parsed = parsed(machine, at, cell)?;
    let known = effects(machine, &parsed.inst);
    let modifiers = cell.split(',').next_back().unwrap_or("").split_whitespace().count();
    let last = if cell.contains(',') { 1 } else { 2 };
    if known.memory.as_ref().is_some_and(|memory| memory.multicast)
        || known.memory.is_some() && modifiers > last
    {
        return fail(
            at,
            "bind each address to its location: offsets, scopes, hints and multicast are not part of these tests",
        );
    }
    let operands = Operands::of(place, cell, &known)?;
    let mnemonic = parsed.inst.mnemonic(machine);
    instruction(machine, &known, &operands).transpose().unwrap_or_else(|| {
        fail(at, format!("litmus tests have loads, stores, copies to and from LDS, waits and barriers; `{mnemonic}` is none"))
    })
}

/// Whether a cell is a label, a jump, or a wait for a barrier cell (a loop of the machine), which are the model's words.
fn is_control(cell: &str) -> bool {
    const CONTROL: [&str; 5] = ["bne ", "beq ", "goto ", "maybe ", "cell.wait "];
    cell.ends_with(':') || CONTROL.iter().any(|word| cell.starts_with(word))
}

fn parsed(machine: Machine, at: usize, cell: &str) -> Result<Parsed, Error> {
    match parse_instruction(machine, cell, &NoSymbols) {
        Ok(parsed) => Ok(parsed),
        Err(error) => fail(at + (error.column as usize).saturating_sub(1), error.message.to_string()),
    }
}

/// Whether a cell is an instruction of the machine with caches alone; one that cannot be read is told later.
pub(super) fn is_for_caches(machine: Machine, cell: &str) -> bool {
    let parsed = parse_instruction(machine, cell, &NoSymbols);
    parsed.is_ok_and(|parsed| cached::is_for_caches(&effects(machine, &parsed.inst)))
}

/// A cell of a test for the machine with caches: the words of accesses, barriers and jumps, and the items of the column.
pub(super) fn cached_words(
    machine: Machine,
    place: Place,
    cell: &str,
    items: &mut Vec<Item>,
) -> Result<Vec<String>, Error> {
    let word = Item::Word { scope: Scope::Cu, returns: false };
    if is_control(cell) {
        if !cell.ends_with(':') {
            items.push(word);
        }
        return Ok(vec![cell.to_owned()]);
    }
    let at = place.at;
    let parsed = parsed(machine, at, cell)?;
    let known = effects(machine, &parsed.inst);
    if cell.contains("offset") {
        return fail(at, "bind each address to its location: offsets are not part of these tests");
    }
    let operands = Operands::of(place, cell, &known)?;
    if let Some(barrier) = known.barrier {
        let words = barrier_words(barrier, &operands)?;
        items.extend(words.iter().map(|_| word));
        return Ok(words);
    }
    if let Some(memory) = known.memory.filter(|memory| !memory.multicast) {
        let lds = memory.path == Path::Lds;
        let has_space = lds || matches!(memory.path, Path::Global | Path::Buffer);
        let word = match memory.verb {
            _ if known.channels.iter().any(|&channel| is_copy_queue(channel)) => {
                copy_word(&known, memory.verb, &operands)?
            }
            _ if !has_space => None,
            Verb::Load => Some(format!("{} = load {}", operands.result(), operands.location(lds)?)),
            Verb::Store => Some(format!("store {}, {}", operands.location(lds)?, operands.value())),
            Verb::Atomic | Verb::AtomicReturn => {
                // Nothing is returned to a register that no instruction can name.
                let returned = (memory.verb == Verb::AtomicReturn).then(|| operands.result());
                let register = returned.filter(|register| !register.is_empty()).unwrap_or("_".to_owned());
                let location = operands.location(lds)?;
                cached::update_word(memory.atomic).map(|word| {
                    format!("{register} = atomicrmw {word} {location}, {} monotonic", operands.value())
                })
            }
            _ => None,
        };
        if let Some(word) = word {
            items.push(Item::Word { scope: known.policy.scope, returns: memory.verb != Verb::Atomic });
            return Ok(vec![word]);
        }
    }
    let item = cached::cache_operation(&known).or_else(|| cached::wait(machine, &known));
    if item.is_none() && known.control != Some(Control::Hint) {
        let mnemonic = parsed.inst.mnemonic(machine);
        return fail(
            at,
            format!(
                "litmus tests with atomics or cache operations have loads, stores, asynchronous copies, additions, \
                 exchanges, write-backs, invalidates, barriers, and waits for 0; `{mnemonic}` is none"
            ),
        );
    }
    items.extend(item);
    Ok(Vec::new())
}

/// The model's words for an instruction with these effects; `None` if it has none.
fn instruction(machine: Machine, known: &Effects, operands: &Operands) -> Result<Option<Vec<String>>, Error> {
    if let Some(memory) = &known.memory {
        if let Some(word) = cell_word(memory.atomic) {
            return arrival(word, operands).map(|line| Some(vec![line]));
        }
        return access(known, memory.path, memory.verb, operands).map(|line| line.map(|line| vec![line]));
    }
    if let Some(barrier) = known.barrier {
        return barrier_words(barrier, operands).map(Some);
    }
    if known.waits_idle {
        return Ok(Some(vec!["wait.idle".to_owned()]));
    }
    if !known.waits.is_empty() {
        let mut lines = Vec::new();
        for &(counter, n) in &known.waits {
            // Where stores have a counter, that of the others counts loads alone.
            let one_queue = CounterSet::of(machine).counter_of(Channel::St) == Counter::Vm;
            let name = match counter {
                Counter::Vm if one_queue => "vmcnt",
                Counter::Load | Counter::Vm => "loadcnt",
                Counter::Store | Counter::Vs => "storecnt",
                // There are no scalar loads here.
                Counter::Ds | Counter::Lgkm => "dscnt",
                Counter::Async => "asynccnt",
                Counter::Tensor => "tensorcnt",
                _ => return Ok(None),
            };
            lines.push(format!("wait.{name} {n}"));
        }
        return Ok(Some(lines));
    }
    Ok((known.control == Some(Control::Hint)).then(Vec::new))
}

/// The model's word for an arrival at a barrier cell in LDS.
fn cell_word(atomic: Option<AtomicOp>) -> Option<&'static str> {
    match atomic? {
        AtomicOp::BarrierArrive => Some("cell.arrive"),
        AtomicOp::BarrierArriveAsync => Some("cell.arrive.async"),
        _ => None,
    }
}

fn arrival(word: &str, operands: &Operands) -> Result<String, Error> {
    // The asynchronous form has no datum: it arrives once.
    if !["", "1"].contains(&operands.value().as_str()) {
        return fail(operands.place.at, "an arrival at a barrier cell is by 1 here");
    }
    Ok(format!("{word} {}", operands.location(true)?))
}

fn access(known: &Effects, path: Path, verb: Verb, operands: &Operands) -> Result<Option<String>, Error> {
    let is = |channel: Channel| known.channels.contains(&channel);
    let lds = path == Path::Lds;
    if is(Channel::Td) {
        return copy_word(known, verb, operands);
    }
    if !lds && !matches!(path, Path::Global | Path::Buffer) {
        return Ok(None);
    }
    let kind = if lds { "lds" } else { "vmem" };
    Ok(match verb {
        Verb::Load => Some(format!("{} = {kind}.load {}", operands.result(), operands.location(lds)?)),
        Verb::Store => Some(format!("{kind}.store {}, {}", operands.location(lds)?, operands.value())),
        Verb::ToLds if is(Channel::Vm) => {
            Some(format!("load.async {}, {}", operands.location(true)?, operands.location(false)?))
        }
        _ => copy_word(known, verb, operands)?,
    })
}

/// Whether it is a queue of asynchronous copies that have a counter of their own.
fn is_copy_queue(channel: Channel) -> bool {
    matches!(channel, Channel::Al | Channel::As | Channel::Td)
}

/// The model's word for a copy that is counted by itself. Of a tensor descriptor one group is bound to a location in LDS, another
/// one to one in global memory.
fn copy_word(known: &Effects, verb: Verb, operands: &Operands) -> Result<Option<String>, Error> {
    let is = |channel: Channel| known.channels.contains(&channel);
    let words = match is(Channel::Td) {
        true => ["tensor.load", "tensor.store"],
        false => ["load.async", "store.async"],
    };
    let (word, to_lds) = match verb {
        Verb::ToLds if is(Channel::Al) || is(Channel::Td) => (words[0], true),
        Verb::FromLds if is(Channel::As) || is(Channel::Td) => (words[1], false),
        _ => return Ok(None),
    };
    Ok(Some(format!("{word} {}, {}", operands.location(to_lds)?, operands.location(!to_lds)?)))
}

fn barrier_words(barrier: Barrier, operands: &Operands) -> Result<Vec<String>, Error> {
    let with = |word: &str| operands.immediate().map(|id| vec![format!("barrier.{word} {id}")]);
    match barrier {
        Barrier::ArriveAndWait => Ok(vec!["barrier.signal -1".to_owned(), "barrier.wait -1".to_owned()]),
        Barrier::Signal => with("signal"),
        Barrier::SignalIsFirst => {
            operands.immediate().map(|id| vec![format!("scc = barrier.signal.isfirst {id}")])
        }
        Barrier::Wait => with("wait"),
        Barrier::Join => with("join"),
        Barrier::Leave => Ok(vec!["barrier.leave".to_owned()]),
        Barrier::Init => {
            // The count is in bits 22:16 of M0.
            let m0 = operands.bound("m0").and_then(|value| value.parse::<u32>().ok());
            let Some(m0) = m0 else {
                return fail(operands.place.at, "init takes its count from M0: bind it, `0:m0 = 131072`");
            };
            operands.immediate().map(|id| vec![format!("barrier.init {id}, {}", m0 >> 16 & 0x7f)])
        }
        Barrier::GetState | Barrier::Wakeup => {
            fail(operands.place.at, "litmus tests do not ask for the state of a barrier, and do not sleep")
        }
    }
}
