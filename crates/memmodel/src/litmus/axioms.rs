//! The memory model by its axioms: all relations of a test are enumerated, and those kept that are consistent.
//!
//! Shares no code with the exploration but the test's events, so that either checks the other. For accesses, fences and
//! branches at IR level; barriers and copies are not relations of this model. Meant for a dozen events.
//!
//! With [`Axioms::load_buffering`] program order and reads-from may form a cycle, as LLVM's and C's models allow for
//! monotonic accesses; without, they may not.

use std::collections::BTreeMap;

use super::event::{Does, EventId, Events, Set, TooMany};
use super::{Condition, Instruction, Ordering, Test, Update, Value};

/// How the axioms are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axioms {
    /// Cycles of program order and reads-from are consistent.
    pub load_buffering: bool,
}

/// Why a test is not for these axioms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsuitable {
    /// It has instructions that are no accesses, fences or branches on registers.
    Instructions,
    /// It has too many events.
    TooMany,
}

impl From<TooMany> for Unsuitable {
    fn from(_: TooMany) -> Unsuitable {
        Unsuitable::TooMany
    }
}

/// A relation over events.
#[derive(Clone)]
struct Relation(Vec<Set>);

impl Relation {
    fn new(count: usize) -> Relation {
        Relation(vec![Set::default(); count])
    }

    fn add(&mut self, a: usize, b: usize) {
        self.0[a].insert(b as EventId);
    }

    fn has(&self, a: usize, b: usize) -> bool {
        self.0[a].has(b as EventId)
    }

    fn closed(mut self) -> Relation {
        for middle in 0..self.0.len() {
            for from in 0..self.0.len() {
                if self.has(from, middle) {
                    let theirs = self.0[middle].clone();
                    self.0[from].unite(&theirs);
                }
            }
        }
        self
    }

    fn with(mut self, other: &Relation) -> Relation {
        self.0.iter_mut().zip(&other.0).for_each(|(own, theirs)| own.unite(theirs));
        self
    }

    fn is_irreflexive(&self) -> bool {
        (0..self.0.len()).all(|at| !self.has(at, at))
    }
}

/// The final states of all consistent executions, as text (registers and locations), and whether some execution that ends
/// so races. For one path of branches after the other: those that agree with the values that are read.
pub fn enumerate(test: &Test, axioms: Axioms) -> Result<BTreeMap<String, bool>, Unsuitable> {
    let events = Events::of(test)?;
    let mut outcomes = BTreeMap::new();
    let mut paths: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for thread in &test.threads {
        let own = paths_of(&thread.instructions)?;
        paths = paths
            .iter()
            .flat_map(|before| own.iter().map(|path| [before.clone(), vec![path.clone()]].concat()))
            .collect();
    }
    for path in paths {
        Execution { test, events: &events, axioms, path: &path }.all(&mut outcomes);
    }
    Ok(outcomes)
}

/// The ways through a thread, as the instructions that are executed.
fn paths_of(instructions: &[Instruction]) -> Result<Vec<Vec<usize>>, Unsuitable> {
    let mut done = Vec::new();
    let mut waiting = vec![(0, Vec::new())];
    while let Some((at, path)) = waiting.pop() {
        let Some(instruction) = instructions.get(at) else {
            done.push(path);
            continue;
        };
        let path: Vec<usize> = [path, vec![at]].concat();
        match *instruction {
            Instruction::Jump(to, Condition::Always) => waiting.push((to, path)),
            Instruction::Jump(to, _) if to == at + 1 => waiting.push((to, path)),
            Instruction::Jump(to, _) => waiting.extend([(to, path.clone()), (at + 1, path)]),
            Instruction::Load(..)
            | Instruction::Store(..)
            | Instruction::Update(..)
            | Instruction::Fence(_) => waiting.push((at + 1, path)),
            _ => return Err(Unsuitable::Instructions),
        }
    }
    Ok(done)
}

/// The registers of each thread.
type Registers = Vec<Vec<Option<i64>>>;

/// The executions along one path of each thread.
struct Execution<'t> {
    test: &'t Test,
    events: &'t Events,
    axioms: Axioms,
    path: &'t [Vec<usize>],
}

impl Execution<'_> {
    fn all(&self, outcomes: &mut BTreeMap<String, bool>) {
        let initial = 0..self.test.locations.len();
        let mut happening: Vec<usize> = initial.collect();
        for (thread, path) in self.path.iter().enumerate() {
            happening.extend(path.iter().map(|&at| usize::from(self.events.first[thread][at])));
        }
        let at = |event: usize| self.events.get(event as EventId);
        let reads: Vec<usize> = happening.iter().copied().filter(|&event| at(event).reads()).collect();
        let writes = |location| -> Vec<usize> {
            let of = |&event: &usize| at(event).writes() && at(event).location == Some(location);
            happening.iter().copied().filter(of).collect()
        };
        let sources = |read: usize| -> Vec<usize> {
            let own = writes(at(read).location.expect("a read has a location"));
            own.into_iter().filter(|&write| write != read).collect()
        };
        let orders: Vec<Vec<Vec<usize>>> = (0..self.test.locations.len())
            .map(|location| {
                let own = writes(location as u8);
                permutations(&own[1..]).into_iter().map(|rest| [vec![own[0]], rest].concat()).collect()
            })
            .collect();
        for from in choices(&reads.iter().map(|&read| sources(read)).collect::<Vec<_>>()) {
            let from: BTreeMap<usize, usize> = reads.iter().copied().zip(from).collect();
            let Some((registers, values)) = self.registers(&from) else { continue };
            for order in choices(&orders) {
                self.judge(&happening, &from, &order, &registers, &values, outcomes);
            }
        }
    }

    /// The registers at the end and the values of writes, if the branches of the path agree with them.
    fn registers(&self, from: &BTreeMap<usize, usize>) -> Option<(Registers, BTreeMap<usize, i64>)> {
        let mut known: BTreeMap<usize, i64> = BTreeMap::new();
        for (at, location) in self.test.locations.iter().enumerate() {
            known.insert(at, location.initial);
        }
        // Values flow along reads-from and registers; a cycle of them has no value.
        let count = self.events.all.len();
        let mut registers = Vec::new();
        for _ in 0..=count {
            registers = self.test.threads.iter().map(|thread| vec![None; thread.registers.len()]).collect();
            for (thread, path) in self.path.iter().enumerate() {
                for &at in path {
                    let event = usize::from(self.events.first[thread][at]);
                    let own: &mut Vec<Option<i64>> = &mut registers[thread];
                    let operand = |own: &[Option<i64>], value| match value {
                        Value::Number(number) => Some(number),
                        Value::Register(register) => own[usize::from(register)],
                    };
                    let read = from.get(&event).and_then(|from| known.get(from)).copied();
                    match self.test.threads[thread].instructions[at] {
                        Instruction::Load(register, ..) => own[usize::from(register)] = read,
                        Instruction::Store(_, value, _) => {
                            known.extend(operand(own, value).map(|value| (event, value)));
                        }
                        Instruction::Update(register, _, update, value, _) => {
                            let new = operand(own, value).zip(read).map(|(operand, old)| match update {
                                Update::Add => old.wrapping_add(operand),
                                Update::Exchange => operand,
                            });
                            known.extend(new.map(|value| (event, value)));
                            own[usize::from(register)] = read;
                        }
                        _ => {}
                    }
                }
            }
        }
        let written = from.values().all(|write| known.contains_key(write));
        (written && self.branches_agree(from, &known)).then_some((registers, known))
    }

    fn branches_agree(&self, from: &BTreeMap<usize, usize>, known: &BTreeMap<usize, i64>) -> bool {
        self.path.iter().enumerate().all(|(thread, path)| {
            let mut registers = vec![None; self.test.threads[thread].registers.len()];
            path.iter().enumerate().all(|(nth, &at)| {
                let event = usize::from(self.events.first[thread][at]);
                match self.test.threads[thread].instructions[at] {
                    Instruction::Load(register, ..) | Instruction::Update(register, ..) => {
                        registers[usize::from(register)] =
                            from.get(&event).and_then(|from| known.get(from)).copied();
                        true
                    }
                    Instruction::Jump(to, Condition::Equal(register, value)) => {
                        let taken = path.get(nth + 1).copied().unwrap_or(to) == to || to == at + 1;
                        to == at + 1 || (registers[usize::from(register)] == Some(value)) == taken
                    }
                    Instruction::Jump(to, Condition::NotEqual(register, value)) => {
                        let next = path.get(nth + 1).copied();
                        let taken = next
                            .map_or(to >= self.test.threads[thread].instructions.len(), |next| next == to);
                        to == at + 1 || (registers[usize::from(register)] != Some(value)) == taken
                    }
                    _ => true,
                }
            })
        })
    }

    fn judge(
        &self,
        happening: &[usize],
        from: &BTreeMap<usize, usize>,
        order: &[Vec<usize>],
        registers: &[Vec<Option<i64>>],
        values: &BTreeMap<usize, i64>,
        outcomes: &mut BTreeMap<String, bool>,
    ) {
        let count = self.events.all.len();
        let at = |event: usize| self.events.get(event as EventId);
        let mut program = Relation::new(count);
        let mut overwritten = Relation::new(count);
        let mut read_from = Relation::new(count);
        let mut from_read = Relation::new(count);
        for &a in happening {
            for &b in happening {
                let later = at(a).thread == at(b).thread && a < b && at(a).thread.is_some();
                if later || at(a).thread.is_none() && at(b).thread.is_some() {
                    program.add(a, b);
                }
            }
        }
        for writes in order {
            for (nth, &write) in writes.iter().enumerate() {
                writes[nth + 1..].iter().for_each(|&later| overwritten.add(write, later));
            }
        }
        for (&read, &write) in from {
            read_from.add(write, read);
            let later = |&&other: &&usize| other != read && overwritten.has(write, other);
            happening.iter().filter(later).for_each(|&other| from_read.add(read, other));
            let between = |&other: &usize| overwritten.has(write, other) && overwritten.has(other, read);
            let next = overwritten.has(write, read) && !happening.iter().any(between);
            if at(read).writes() && !next {
                return;
            }
        }
        let synchronizes = self.synchronizes(happening, from, &program);
        let happens = program.clone().with(&synchronizes).closed();
        let coherence = read_from.clone().with(&overwritten).with(&from_read).closed();
        if !happens.is_irreflexive() || !coherence.is_irreflexive() {
            return;
        }
        let contradicts = |&a: &usize| happening.iter().any(|&b| happens.has(a, b) && coherence.has(b, a));
        if happening.iter().any(contradicts) {
            return;
        }
        if !self.axioms.load_buffering && !program.clone().with(&read_from).closed().is_irreflexive() {
            return;
        }
        if !self.is_sequential(happening, &program, &happens, &coherence) {
            return;
        }
        let races = happening.iter().any(|&a| {
            let races = |&b: &usize| {
                let (first, second) = (at(a), at(b));
                let access = first.location.is_some() && first.location == second.location;
                let threads =
                    first.thread.is_some() && second.thread.is_some() && first.thread != second.thread;
                let writes = first.writes() || second.writes();
                let ordered = happens.has(a, b) || happens.has(b, a);
                access && threads && writes && !ordered && !first.synchronize(second)
            };
            happening.iter().any(races)
        });
        let mut parts = self.test.registers_in_words(|thread| &registers[thread]);
        for (location, writes) in self.test.locations.iter().zip(order) {
            let last = writes.last().expect("a location has its initial write");
            parts.push(format!("{}={};", location.name, values[last]));
        }
        *outcomes.entry(parts.join(" ")).or_insert(false) |= races;
    }

    /// *Synchronizes-with*: between releases and acquires of scopes that include each other, through atomic accesses that
    /// do, and release sequences of updates.
    fn synchronizes(
        &self,
        happening: &[usize],
        from: &BTreeMap<usize, usize>,
        program: &Relation,
    ) -> Relation {
        let at = |event: usize| self.events.get(event as EventId);
        let mut relation = Relation::new(self.events.all.len());
        for (&read, &first) in from {
            let mut sequence = vec![first];
            while let Some(&before) = from.get(sequence.last().expect("it begins with a write")) {
                sequence.push(before);
            }
            for write in sequence {
                if at(write).thread.is_none() || !at(write).synchronize(at(read)) {
                    continue;
                }
                let fences = |ordered: fn(Ordering) -> bool| {
                    let fence = move |&&event: &&usize| {
                        at(event).does == Does::Fence && ordered(at(event).semantics.ordering)
                    };
                    happening.iter().filter(fence).copied().collect::<Vec<usize>>()
                };
                let mut releases: Vec<usize> = fences(Ordering::releases)
                    .into_iter()
                    .filter(|&fence| program.has(fence, write))
                    .collect();
                releases.extend(at(write).semantics.ordering.releases().then_some(write));
                let mut acquires: Vec<usize> = fences(Ordering::acquires)
                    .into_iter()
                    .filter(|&fence| program.has(read, fence))
                    .collect();
                acquires.extend(at(read).semantics.ordering.acquires().then_some(read));
                for &release in &releases {
                    for &acquire in acquires.iter().filter(|&&acquire| at(release).inclusive(at(acquire))) {
                        relation.add(release, acquire);
                    }
                }
            }
        }
        relation
    }

    fn is_sequential(
        &self,
        happening: &[usize],
        program: &Relation,
        happens: &Relation,
        coherence: &Relation,
    ) -> bool {
        let at = |event: usize| self.events.get(event as EventId);
        let sequential = |&event: &usize| at(event).semantics.ordering == Ordering::SequentiallyConsistent;
        let all: Vec<usize> = happening.iter().copied().filter(sequential).collect();
        let around = |event: usize, behind: bool| -> Vec<usize> {
            if at(event).does != Does::Fence {
                return vec![event];
            }
            let near = |&other: &usize| match behind {
                true => program.has(event, other),
                false => program.has(other, event) && at(other).thread.is_some(),
            };
            happening.iter().copied().filter(near).collect()
        };
        let mut relation = Relation::new(self.events.all.len());
        for &a in &all {
            for &b in all.iter().filter(|&&b| a != b && at(a).inclusive(at(b))) {
                let behind = around(a, true);
                let before = around(b, false);
                let touches = |x: &usize| before.iter().any(|&y| coherence.has(*x, y));
                if happens.has(a, b) || behind.iter().any(touches) {
                    relation.add(a, b);
                }
            }
        }
        relation.closed().is_irreflexive()
    }
}

/// All ways to take one of each.
fn choices<T: Clone>(of: &[Vec<T>]) -> Vec<Vec<T>> {
    of.iter().fold(vec![Vec::new()], |all, own| {
        all.iter()
            .flat_map(|before| own.iter().map(|one| [before.clone(), vec![one.clone()]].concat()))
            .collect()
    })
}

/// All orders.
fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let first = |&one: &usize| {
        let rest: Vec<usize> = of.iter().copied().filter(|&other| other != one).collect();
        permutations(&rest).into_iter().map(move |rest| [vec![one], rest].concat()).collect::<Vec<_>>()
    };
    of.iter().flat_map(first).collect()
}
