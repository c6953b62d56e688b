//! All that waves on barriers may come to: the machine of [`wavemark_memmodel::barrier::machine`], with the ways that
//! waves take.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashSet;
use wavemark_memmodel::barrier::machine::{Machine, Step};
use wavemark_memmodel::barrier::{Operation, Reading, Rule};

use crate::copies::NotFollowed;
use crate::function::{Block, Inst};

use super::conditions::{Changes, Condition};
use super::waves::{CLUSTER, Class, Exit, WORKGROUP, Waves, What};
use super::{Mistake, MistakeKind};

/// So often a loop is gone through whose number of rounds is not known.
pub(super) const MOST_ROUNDS: u32 = 3;

/// How many states there may be.
const MOST_STATES: usize = 20_000;

/// How many operations the machines of all states may hold: some ten bytes each.
const MOST_HELD: usize = 16 << 20;

/// How many operations a wave may do: the machine counts them in a byte.
const MOST_OPERATIONS: u8 = 240;

/// Blocks without a barrier, one behind the other.
const MOST_BLOCKS: usize = 10_000;

/// Where waves that take the same ways are, all at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// Before this event of a node.
    At(usize, usize),
    /// At the end, which they have to leave.
    Leaving(Inst),
    Gone,
}

/// Waves of a class that have come the same way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Party {
    class: usize,
    waves: Vec<u8>,
    place: Place,
    /// How often they have gone back to the head of a loop since they came to it, and looked at a condition that may always
    /// be another.
    rounds: BTreeMap<Block, u32>,
    times: BTreeMap<Rc<str>, u32>,
    /// The conditions that they have looked at.
    looked_at: BTreeSet<Rc<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    machine: Machine,
    parties: Vec<Party>,
    /// How conditions came out.
    choices: BTreeMap<(Rc<str>, u32), usize>,
}

impl State {
    /// Whether two parties have chosen their ways by conditions that the other knows nothing of: they may have more in
    /// common than it seems.
    fn is_doubtful(&self) -> bool {
        let apart = |a: &BTreeSet<Rc<str>>, b: &BTreeSet<Rc<str>>| !a.is_subset(b) && !b.is_subset(a);
        let all = &self.parties;
        let apart = |a: &Party, b: &Party| apart(&a.looked_at, &b.looked_at);
        all.iter().enumerate().any(|(n, a)| all[..n].iter().any(|b| apart(a, b)))
    }
}

/// What is wrong on some path, in the order of the text.
pub(super) fn explore(waves: &Waves<'_>) -> Result<Vec<Mistake>, NotFollowed> {
    let mut explorer = Explorer { waves, mistakes: BTreeSet::new(), doubtful: false };
    explorer.run()?;
    let mut mistakes: Vec<Mistake> = Vec::new();
    for (insts, kind) in explorer.mistakes {
        mistakes.push(Mistake { kind, insts });
    }
    if mistakes.iter().all(|mistake| mistake.kind == MistakeKind::CountedByArrival) && explorer.doubtful {
        return Err(NotFollowed::Conditions);
    }
    Ok(mistakes)
}

struct Explorer<'w> {
    waves: &'w Waves<'w>,
    mistakes: BTreeSet<(Vec<Inst>, MistakeKind)>,
    /// Something is wrong if conditions have nothing in common.
    doubtful: bool,
}

impl Explorer<'_> {
    fn run(&mut self) -> Result<(), NotFollowed> {
        let threads = self.waves.classes.iter().map(|class| class.waves.len()).sum::<usize>();
        let start = State {
            machine: Machine::new(&self.waves.objects, (0..threads).map(|_| 0), Reading::default()),
            parties: self.waves.classes.iter().enumerate().map(Party::new).collect(),
            choices: BTreeMap::new(),
        };
        let mut work = self.at_barriers(start)?;
        let mut seen: FxHashSet<State> = work.iter().cloned().collect();
        let mut held = 0;
        while let Some(state) = work.pop() {
            let mut moved = false;
            let mut next = Vec::new();
            for party in 0..state.parties.len() {
                moved |= self.step(&state, party, &mut next)?;
            }
            if !moved {
                self.stuck(&state);
            }
            for state in next {
                for state in self.at_barriers(state)? {
                    if seen.insert(state.clone()) {
                        let waves = state.parties.iter().flat_map(|party| &party.waves);
                        held += waves.map(|&wave| usize::from(state.machine.done(wave))).sum::<usize>();
                        work.push(state);
                    }
                }
            }
            if seen.len() > MOST_STATES || held > MOST_HELD {
                return Err(NotFollowed::TooLarge);
            }
        }
        Ok(())
    }

    fn note(&mut self, state: &State, kind: MistakeKind, mut insts: Vec<Inst>) {
        if state.is_doubtful() {
            self.doubtful = true;
            return;
        }
        insts.sort_unstable();
        insts.dedup();
        self.mistakes.insert((insts, kind));
    }

    /// What the waves of a party are about to do; `None`: they are gone.
    fn next(&self, state: &State, party: usize) -> Option<(Inst, Option<Operation>)> {
        let Party { class, place, .. } = state.parties[party];
        match place {
            Place::At(node, event) => {
                let event = self.waves.classes[class].parts[node].events.get(event)?;
                let operation = match &event.what {
                    What::Do(operation) => Some(*operation),
                    What::Leave => None,
                    What::Either(condition, then, otherwise) => {
                        let chosen = state.choices.get(&self.key(state, party, condition));
                        Some(if chosen == Some(&0) { *then } else { *otherwise })
                    }
                };
                Some((event.inst, operation))
            }
            Place::Leaving(end) => Some((end, Some(Operation::Drop(WORKGROUP)))),
            Place::Gone => None,
        }
    }

    /// All waves of a party do the next thing, if they can; whether anything came of it.
    fn step(&mut self, state: &State, party: usize, next: &mut Vec<State>) -> Result<bool, NotFollowed> {
        let Some((inst, operation)) = self.next(state, party) else { return Ok(false) };
        let mut moved = false;
        let mut machines = vec![state.machine.clone()];
        for &wave in &state.parties[party].waves {
            let mut behind: FxHashSet<Machine> = FxHashSet::default();
            for machine in machines {
                if machine.done(wave) > MOST_OPERATIONS {
                    return Err(NotFollowed::TooLarge);
                }
                let Some(operation) = operation.or(machine.joined(wave).map(Operation::Drop)) else {
                    self.note(state, MistakeKind::Broken(Rule::B9), vec![inst]);
                    moved = true;
                    continue;
                };
                if let Some(kind) = self.breach(&machine, wave, operation) {
                    self.note(state, kind, vec![inst]);
                    if kind != MistakeKind::CountedByArrival {
                        moved = true;
                        continue;
                    }
                }
                for step in machine.step(wave, operation) {
                    match step {
                        Step::Undefined(rule) => {
                            self.note(state, MistakeKind::Broken(rule), vec![inst]);
                            moved = true;
                        }
                        Step::Goes(machine, _) => drop(behind.insert(machine.without_orders())),
                    }
                }
                if behind.len() > MOST_STATES {
                    return Err(NotFollowed::TooLarge);
                }
            }
            machines = behind.into_iter().collect();
        }
        for machine in machines {
            moved = true;
            let mut state = State { machine, ..state.clone() };
            let Party { class, place, .. } = state.parties[party];
            if let Place::At(node, event) = place
                && let What::Either(condition, ..) = &self.waves.classes[class].parts[node].events[event].what
            {
                pass(&mut state.parties[party], condition);
            }
            state.parties[party].place = match place {
                Place::At(node, event) => Place::At(node, event + 1),
                Place::Leaving(_) | Place::Gone => Place::Gone,
            };
            next.push(state);
        }
        Ok(moved)
    }

    /// What is wrong with an operation though the machine goes on.
    fn breach(&self, machine: &Machine, wave: u8, operation: Operation) -> Option<MistakeKind> {
        let object = operation.object();
        let unwaited = machine.unwaited(wave, object).is_some();
        let is_named = self.waves.objects[usize::from(object)].kind.is_joined();
        match operation {
            Operation::Arrive(..) if unwaited && !is_named => Some(MistakeKind::ArrivesTwice),
            // In a cluster of more workgroups than this one, its phase may not be complete.
            Operation::Arrive(CLUSTER, _) => {
                let others = self.waves.classes.iter().flat_map(|class| &class.waves);
                let arrivals = others.filter_map(|&other| machine.unwaited(other, CLUSTER));
                let mut unknown = arrivals.filter(|one| !machine.is_ordered(one.thread, one.index, wave));
                unknown.next().map(|_| MistakeKind::Broken(Rule::B14))
            }
            Operation::Arrive(_, Some(_)) if self.waves.is_counted_by_arrivals(object) => {
                Some(MistakeKind::CountedByArrival)
            }
            Operation::Drop(WORKGROUP) if unwaited => Some(MistakeKind::EndsEarly),
            _ => None,
        }
    }

    /// Nobody can go on.
    fn stuck(&mut self, state: &State) {
        let (mut insts, mut separated) = (Vec::new(), false);
        for (number, party) in state.parties.iter().enumerate() {
            let Some((inst, operation)) = self.next(state, number) else { continue };
            insts.push(inst);
            let waves = &party.waves;
            separated |= operation.is_some_and(|operation| {
                waves.iter().any(|&wave| state.machine.is_separated(wave, operation))
            });
        }
        if !insts.is_empty() {
            let kind = if separated { MistakeKind::Broken(Rule::B12) } else { MistakeKind::Deadlock };
            self.note(state, kind, insts);
        }
    }

    /// The states in which all waves are before a barrier operation, or gone.
    fn at_barriers(&self, state: State) -> Result<Vec<State>, NotFollowed> {
        let mut settled = Vec::new();
        // Which party goes on, and through how many blocks it has gone.
        let mut work = vec![(state, 0, 0)];
        while let Some((mut state, party, blocks)) = work.pop() {
            let Some(&Party { class, place, .. }) = state.parties.get(party) else {
                settled.push(state);
                if settled.len() > MOST_STATES {
                    return Err(NotFollowed::TooLarge);
                }
                continue;
            };
            let Place::At(node, event) = place else {
                work.push((state, party + 1, 0));
                continue;
            };
            if blocks > MOST_BLOCKS {
                // A loop that never ends.
                continue;
            }
            let part = &self.waves.classes[class].parts[node];
            match (part.events.get(event).map(|event| &event.what), &part.exit) {
                (Some(What::Either(condition, ..)), _) => {
                    // It stays decided until it is done.
                    let states = self.decided(&state, party, condition, 2);
                    work.extend(states.into_iter().map(|(state, _)| (state, party + 1, 0)));
                }
                (Some(_), _) => work.push((state, party + 1, 0)),
                (None, Some(Exit::Goes(to))) => {
                    self.go(&mut state.parties[party], node, *to);
                    work.push((state, party, blocks + 1));
                }
                (None, Some(Exit::Chooses(condition, targets))) => {
                    for (mut state, chosen) in self.decided(&state, party, condition, targets.len()) {
                        pass(&mut state.parties[party], condition);
                        self.go(&mut state.parties[party], node, targets[chosen]);
                        work.push((state, party, blocks + 1));
                    }
                }
                (None, Some(Exit::Parts(targets))) => {
                    for state in self.parted(&state, party, node, targets) {
                        work.push((state, party, blocks + 1));
                    }
                }
                (None, Some(Exit::Ends(inst))) => {
                    state.parties[party].place = Place::Leaving(*inst);
                    work.push((state, party + 1, 0));
                }
                (None, Some(Exit::Never) | None) => {}
            }
        }
        Ok(settled)
    }

    /// The states behind a branch that each wave may leave as it likes. Waves of one party are alike: how many of them go
    /// each way is all that matters.
    fn parted(&self, state: &State, party: usize, node: usize, targets: &[usize]) -> Vec<State> {
        let all = &state.parties[party].waves;
        let mut states = Vec::new();
        // How many go each way, the last way taking the others.
        let mut work = vec![Vec::new()];
        while let Some(counts) = work.pop() {
            let left = all.len() - counts.iter().sum::<usize>();
            if counts.len() + 1 < targets.len() {
                work.extend((0..=left).map(|count| [&counts[..], &[count]].concat()));
                continue;
            }
            let mut from = 0;
            let mut going = Vec::new();
            for (&target, count) in targets.iter().zip(counts.into_iter().chain([left])) {
                if count > 0 {
                    let waves = all[from..from + count].to_vec();
                    let mut party = Party { waves, ..state.parties[party].clone() };
                    self.go(&mut party, node, target);
                    going.push(party);
                    from += count;
                }
            }
            if going.iter().any(|party| party.rounds.values().any(|&rounds| rounds > MOST_ROUNDS)) {
                continue;
            }
            let mut state = state.clone();
            // Those behind the first are looked at when their turn comes.
            state.parties[party] = going.swap_remove(0);
            state.parties.append(&mut going);
            states.push(state);
        }
        states
    }

    /// The states in which a condition has come out, each with how; none where its loop has been gone through often enough.
    fn decided(
        &self,
        state: &State,
        party: usize,
        condition: &Condition,
        ways: usize,
    ) -> Vec<(State, usize)> {
        let key = self.key(state, party, condition);
        if key.1 > MOST_ROUNDS {
            return Vec::new();
        }
        let known = state.choices.get(&key).copied();
        let outcomes = (0..ways).filter(|&way| known.is_none_or(|known| known == way));
        outcomes
            .map(|way| {
                let mut state = state.clone();
                state.choices.insert(key.clone(), way);
                state.parties[party].looked_at.insert(Rc::clone(&key.0));
                (state, way)
            })
            .collect()
    }

    /// What a condition is, and which time.
    fn key(&self, state: &State, party: usize, condition: &Condition) -> (Rc<str>, u32) {
        let party = &state.parties[party];
        let time = match condition.changes {
            Changes::Never => 0,
            Changes::WithRounds(head) => party.rounds.get(&head).copied().unwrap_or(0),
            Changes::Always => party.times.get(&condition.name).copied().unwrap_or(0),
        };
        (Rc::clone(&condition.name), time)
    }

    fn go(&self, party: &mut Party, from: usize, to: usize) {
        party.place = Place::At(to, 0);
        let (from, to) = (self.waves.nodes[from].block, self.waves.nodes[to].block);
        if self.waves.blocks().is_back(from, to) {
            *party.rounds.entry(to).or_default() += 1;
        } else {
            party.rounds.remove(&to);
        }
    }
}

impl Party {
    /// All waves of a class, before the kernel.
    fn new((class, waves): (usize, &Class)) -> Party {
        Party {
            class,
            waves: waves.waves.clone(),
            place: Place::At(0, 0),
            rounds: BTreeMap::new(),
            times: BTreeMap::new(),
            looked_at: BTreeSet::new(),
        }
    }
}

/// The next time it is looked at, a condition may be another.
fn pass(party: &mut Party, condition: &Condition) {
    if condition.changes == Changes::Always {
        *party.times.entry(Rc::clone(&condition.name)).or_default() += 1;
    }
}
