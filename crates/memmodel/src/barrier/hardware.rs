//! What the CDNA5 manual's pseudo-code does (5.6, S_BARRIER_*): a member count, a signal count and, in each wave, one bit
//! for the named barrier and one for the workgroup's, set when a phase completes and cleared by a wait.
//!
//! A bit is less than the model wants: a join does not clear it, so that a wait may pass by the completion of the barrier
//! that was joined before (H1), and a second completion is lost if the bit is still set (H2). [`run`] says where a wait
//! passes that the model would not let pass. From the text; not confirmed on silicon.

use std::collections::{BTreeSet, HashSet};

use super::{Event, Kind, ObjectId, Operation, Program};

/// What the pseudo-code shows over all interleavings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Some interleaving cannot go on.
    pub stuck: bool,
    /// Waits that passed in some interleaving although no phase of their object had completed since the thread's last
    /// wait for it, or that were nothing.
    pub early: BTreeSet<Event>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    counts: Vec<Count>,
    waves: Vec<Wave>,
}

#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Count {
    members: u32,
    signals: u32,
    phases: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Wave {
    done: u8,
    joined: Option<ObjectId>,
    named_complete: bool,
    workgroup_complete: bool,
    /// By object: how many phases had completed at the wave's last wait.
    waited: Vec<u32>,
}

impl State {
    fn check_complete(&mut self, program: &Program, object: ObjectId) {
        let count = &mut self.counts[usize::from(object)];
        if count.signals != count.members || count.signals == 0 {
            return;
        }
        (count.signals, count.phases) = (0, count.phases + 1);
        let named = program.kind(object) == Kind::Named;
        for wave in &mut self.waves {
            match named {
                true => wave.named_complete |= wave.joined == Some(object),
                false => wave.workgroup_complete = true,
            }
        }
    }

    /// Executes an operation; `None` if it has to wait, and whether a wait passed early.
    fn step(&self, program: &Program, thread: usize, operation: Operation) -> Option<(State, bool)> {
        let mut next = self.clone();
        let id = operation.object();
        let object = usize::from(id);
        next.waves[thread].done += 1;
        if program.kind(id) == Kind::Null {
            return Some((next, false));
        }
        match operation {
            Operation::Init(_, members) => {
                next.counts[object].members = members;
                next.counts[object].signals = 0;
            }
            Operation::Join(_) => next.waves[thread].joined = Some(id),
            Operation::Arrive(_, count) => {
                let counted = &mut next.counts[object];
                counted.members = count.filter(|&count| count != 0).unwrap_or(counted.members);
                counted.signals += 1;
                next.check_complete(program, id);
            }
            Operation::Drop(_) => {
                if program.kind(id) == Kind::Named {
                    next.waves[thread].joined = None;
                }
                let counted = &mut next.counts[object];
                counted.members = counted.members.saturating_sub(1);
                next.check_complete(program, id);
            }
            Operation::Wait(_) => {
                let named = program.kind(id) == Kind::Named;
                let wave = &mut next.waves[thread];
                if named && wave.joined.is_none() {
                    return Some((next, true));
                }
                let bit = if named { &mut wave.named_complete } else { &mut wave.workgroup_complete };
                if !std::mem::take(bit) {
                    return None;
                }
                let phases = next.counts[object].phases;
                let last = std::mem::replace(&mut next.waves[thread].waited[object], phases);
                return Some((next, phases <= last));
            }
        }
        Some((next, false))
    }
}

/// All interleavings of a program.
pub fn run(program: &Program) -> Observed {
    let objects = program.objects.len();
    let count = |expected: Option<u32>| Count { members: expected.unwrap_or(0), ..Count::default() };
    let wave = Wave {
        done: 0,
        joined: None,
        named_complete: false,
        workgroup_complete: false,
        waited: vec![0; objects],
    };
    let start = State {
        counts: program.objects.iter().map(|object| count(object.expected)).collect(),
        waves: vec![wave; program.threads.len()],
    };
    let mut observed = Observed::default();
    let mut seen = HashSet::from([start.clone()]);
    let mut waiting = vec![start];
    while let Some(state) = waiting.pop() {
        let (mut moved, mut ended) = (false, true);
        for (thread, own) in program.threads.iter().enumerate() {
            let index = state.waves[thread].done;
            let Some(&operation) = own.operations.get(usize::from(index)) else { continue };
            ended = false;
            if let Some((next, early)) = state.step(program, thread, operation) {
                moved = true;
                if early {
                    observed.early.insert(Event { thread: thread as u8, index });
                }
                if seen.insert(next.clone()) {
                    waiting.push(next);
                }
            }
        }
        observed.stuck |= !moved && !ended;
    }
    observed
}
