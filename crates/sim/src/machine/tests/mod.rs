//! Every row that the simulator executes does what its effects say, and nothing else.
//!
//! Samples of each encoding are decoded from random bits and executed on a wave with random registers whose addresses
//! point into memory. Held against [`effects`]: what changed is written, what decides about it is read (a second run,
//! in which everything that is not read is different, gives the same), the queues that the instruction stands in, the
//! bytes of memory that it touches, and the events of waits, barriers and ends. Not held: the time of completion, which
//! the tests of the queue are for, and registers that M0 selects (`relative`).

mod meaning;
mod recorder;
mod sample;
mod subject;

use std::collections::{BTreeMap, BTreeSet};

use wavemark_isa::effects::{Channel, Effects, Flow, Memory, Path, Verb};
use wavemark_isa::{Encoding, Form, Inst, Row, Table, print};
use wavemark_target::Machine;

use super::Random;
use crate::binder::Layout;
use crate::events::{Direction, Extent, Space};
use crate::modelled::machines::{
    GFX90A, GFX900, GFX942, GFX950, GFX1030, GFX1100, GFX1201, GFX1250, GFX1251, wave64,
};
use recorder::Recorder;
use sample::{Sample, random_of, sample};
use subject::{Outcome, Subject};

/// Bit patterns tried per encoding, and samples executed.
const TRIES: usize = 3000;
const SAMPLES: usize = 6;

/// What was found out about an encoding.
#[derive(Default)]
struct Tally {
    executed: usize,
    channels: BTreeSet<Channel>,
    touched: bool,
    problems: Vec<String>,
}

/// All registers that instructions of a machine can name.
fn all_registers(machine: Machine) -> Layout {
    let limits = machine.limits();
    Layout {
        chunks: machine.lanes() as usize / 16,
        vgprs: limits.addressable_arch_vgprs,
        agprs: limits.addressable_agprs,
    }
}

fn text(machine: Machine, inst: &Inst) -> String {
    print(machine, inst)
}

fn run_samples(machine: Machine, row: &Row, encoding: &Encoding, random: &mut Random, tally: &mut Tally) {
    for attempt in 0..TRIES {
        let drawn = sample(machine, row, encoding, attempt, random);
        let Some(Sample { mut inst, .. }) = drawn.filter(|sample| sample.is_legal(machine)) else { continue };
        if row.effects.memory.is_some() {
            // Near what the registers point to.
            inst.mods.offset &= 0xf0;
        }
        let Some(subject) = Subject::new(machine, &inst, random.draw()) else { continue };
        check(machine, &inst, &subject, tally);
        if tally.executed >= SAMPLES || tally.problems.len() > 1 {
            return;
        }
    }
}

fn check(machine: Machine, inst: &Inst, subject: &Subject, tally: &mut Tally) {
    let effects = &subject.effects;
    let Some(first) = subject.run(false) else { return };
    // Out of bounds or misaligned: not what the row is about.
    if first.events.faults > 0 && effects.flow != Flow::Trap {
        return;
    }
    tally.executed += 1;
    let mut problem = |what: String| tally.problems.push(format!("{}: {what}", text(machine, inst)));
    for channel in &first.events.channels {
        if !effects.channels.contains(channel) {
            problem(format!("is counted as {channel:?}"));
        }
        tally.channels.insert(*channel);
    }
    memory(effects, &first.events, &mut problem);
    events(effects, &first, &mut problem);
    if effects.relative.is_some() {
        return;
    }
    for name in subject.written_beyond(&first) {
        problem(format!("writes {name}"));
    }
    match subject.run(true) {
        Some(second) => {
            if let Some(name) = subject.difference(&first, &second) {
                problem(format!("what it writes to {name} depends on more than it reads"));
            }
        }
        None => problem("stops when registers that it does not read are different".to_owned()),
    }
    tally.touched |= !first.events.accesses.is_empty();
}

/// The accesses that the memory effect allows, against those seen.
fn memory(effects: &Effects, events: &Recorder, problem: &mut impl FnMut(String)) {
    for access in &events.accesses {
        let Some(memory) = &effects.memory else {
            problem(format!("touches {:?}", access.space));
            continue;
        };
        let (direction, space) = (access.direction, access.space);
        if !allowed(memory).contains(&(space, direction)) {
            problem(format!("{direction:?} in {space:?}"));
        }
        let bytes = match &access.extent {
            Extent::Lanes { bytes, .. } => *bytes,
            Extent::Runs(_) if memory.path == Path::Tensor => 0,
            Extent::Runs(runs) => runs.iter().map(|run| run.1).sum(),
        };
        // What goes to LDS at M0 is whole dwords.
        let at_m0 = memory.verb == Verb::ToLds && !effects.channels.contains(&Channel::Al);
        let expected = match u32::from(memory.bytes) {
            bytes if at_m0 && space == Space::Lds => bytes.next_multiple_of(4),
            bytes => bytes,
        };
        // Partly in range, a buffer access is several, and a scalar one shorter.
        let in_part = match memory.path {
            Path::Buffer => bytes == 4,
            Path::Scalar => bytes < expected,
            _ => false,
        };
        // An element of a typed buffer has the bytes that its format says.
        let element =
            memory.is_typed() && space == Space::Global && matches!(bytes, 0 | 1 | 2 | 4 | 8 | 12 | 16);
        if bytes != expected && !in_part && !element {
            problem(format!("{bytes} bytes in {space:?}"));
        }
    }
    let count = effects.memory.map_or(0, |memory| usize::from(memory.count));
    if count == 2 && !matches!(events.accesses.len(), 0 | 2) {
        problem(format!("{} accesses", events.accesses.len()));
    }
}

fn allowed(memory: &Memory) -> Vec<(Space, Direction)> {
    let direction = match memory.verb {
        Verb::Load => Direction::Read,
        Verb::Store => Direction::Write,
        Verb::Atomic | Verb::AtomicReturn => Direction::Atomic,
        Verb::ToLds => {
            let mut both = vec![(Space::Global, Direction::Read), (Space::Lds, Direction::Write)];
            both.extend(memory.path.space().map(|space| (space, Direction::Read)));
            return both;
        }
        Verb::FromLds => return vec![(Space::Lds, Direction::Read), (Space::Global, Direction::Write)],
        Verb::Prefetch | Verb::Cache { .. } | Verb::Crossbar(_) => return Vec::new(),
    };
    match memory.path.space() {
        Some(space) => vec![(space, direction)],
        None => [Space::Global, Space::Lds, Space::Scratch].map(|space| (space, direction)).to_vec(),
    }
}

/// Waits, barriers, caches, ends and jumps.
fn events(effects: &Effects, outcome: &Outcome, problem: &mut impl FnMut(String)) {
    let seen = &outcome.events;
    match &seen.waits {
        Some(waits) if effects.flow != Flow::Wait => problem(format!("waits for {waits:?}")),
        Some(waits) if !effects.waits_idle && waits[..] != effects.waits[..] => {
            problem(format!("waits for {waits:?}"));
        }
        None if effects.waits_idle || !effects.waits.is_empty() => problem("does not wait".to_owned()),
        _ => {}
    }
    let cache = effects.memory.and_then(|memory| match memory.verb {
        Verb::Cache { invalidate, write_back } => Some((invalidate, write_back, effects.policy.scope)),
        _ => None,
    });
    if seen.cache != cache {
        problem(format!("cache operation {:?}", seen.cache));
    }
    if seen.barrier != effects.barrier.is_some_and(|b| b != wavemark_isa::effects::Barrier::Wakeup) {
        problem(format!("barrier event: {}", seen.barrier));
    }
    if seen.ended != (effects.flow == Flow::End) {
        problem(format!("ends: {}", seen.ended));
    }
    let jumps = matches!(effects.flow, Flow::Branch | Flow::ConditionalBranch | Flow::Indirect | Flow::Call);
    if outcome.jumped && !jumps {
        problem("jumps".to_owned());
    }
}

fn check_machine(machine: Machine) {
    let seed = std::env::var("WAVEMARK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(5);
    let mut problems = BTreeMap::new();
    let (mut encodings, mut executed) = (0, 0);
    for row in Table::of(machine).rows() {
        for encoding in &row.encodings {
            // Y halves are executed with their X halves.
            if matches!(encoding.form, Form::VopdY | Form::Vopd3Y) {
                continue;
            }
            let mut tally = Tally::default();
            let mut random = random_of(row, seed);
            run_samples(machine, row, encoding, &mut random, &mut tally);
            encodings += 1;
            executed += usize::from(tally.executed > 0);
            let name = format!("{} {:?}", row.mnemonic, encoding.form);
            if tally.executed > 0 && tally.problems.is_empty() {
                let expected: BTreeSet<Channel> = row.effects.channels.iter().copied().collect();
                if tally.channels != expected {
                    tally.problems.push(format!("is counted as {:?}, not {expected:?}", tally.channels));
                }
                let moves = row.effects.memory.is_some_and(|memory| !allowed(&memory).is_empty());
                if moves && !tally.touched {
                    tally.problems.push("never touches memory".to_owned());
                }
            }
            if !tally.problems.is_empty() {
                problems.insert(name, tally.problems);
            }
        }
    }
    let mut report = String::new();
    for (name, list) in &problems {
        report += &format!("{name}: {}\n", list[0]);
    }
    assert!(problems.is_empty(), "{} (seed {seed}):\n{report}", machine.processor);
    println!("{}: {executed} of {encodings} encodings executed", machine.processor);
    // What is not executed is listed with its reason in fidelity/refused.txt: images, for the most part.
    assert!(executed * 100 >= encodings * 80, "only {executed} of {encodings} encodings are executed");
}

macro_rules! machines {
    ($($name:ident $machine:expr;)*) => {
        $(#[test]
        fn $name() {
            check_machine($machine);
        })*
    };
}

mod rows_do_what_their_effects_say {
    use super::*;

    machines! {
        gfx900 GFX900;
        gfx90a GFX90A;
        gfx942 GFX942;
        gfx950 GFX950;
        gfx1030 GFX1030;
        gfx1030_wave64 wave64(GFX1030);
        gfx1100 GFX1100;
        gfx1100_wave64 wave64(GFX1100);
        gfx1201 GFX1201;
        gfx1201_wave64 wave64(GFX1201);
        gfx1250 GFX1250;
        gfx1251 GFX1251;
    }
}
