//! The document's axioms, by enumeration: all executions of a small program that satisfy them.
//!
//! An execution is a *barrier-modification-order* for each object and, for each wait, the interval of it that
//! *barrier-participates-in* the wait. Everything else is derived. Names in italics are the document's. Meant for programs
//! of up to 32 operations; the time is the number of orders times that of intervals.

use std::collections::{BTreeMap, BTreeSet};

use super::{Event, Execution, Kind, ObjectId, Operation, Program, Reading, Rule};

/// A valid execution, and whether it leaves a drop out of a phase that it could be the beginning of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Valid {
    /// The execution.
    pub execution: Execution,
    /// It takes a shorter interval than it could.
    pub leaves_out: bool,
}

/// All valid executions of a program, with every choice that the axioms leave.
pub fn valid(program: &Program, reading: Reading) -> BTreeSet<Valid> {
    let events = Events::of(program);
    let mut found = BTreeSet::new();
    let orders: Vec<Vec<Vec<usize>>> =
        (0..program.objects.len()).map(|object| events.orders(object as ObjectId)).collect();
    let mut chosen = vec![0; orders.len()];
    loop {
        let order: Vec<&[usize]> = orders.iter().zip(&chosen).map(|(orders, &at)| &orders[at][..]).collect();
        events.executions(&order, reading, &mut found);
        let Some(digit) = (0..orders.len()).find(|&digit| chosen[digit] + 1 < orders[digit].len()) else {
            return found;
        };
        chosen[digit] += 1;
        chosen[..digit].fill(0);
    }
}

/// The valid executions in the canonical form: of those that differ only in what participates, the one with the most.
pub fn canonical(program: &Program, reading: Reading) -> BTreeSet<Valid> {
    let mut best: BTreeMap<(Vec<Vec<Event>>, Vec<(Event, Option<Event>)>), Valid> = BTreeMap::new();
    for one in valid(program, reading) {
        let last = |wait: &Event, members: &BTreeSet<Event>| {
            let order = &one.execution.orders[usize::from(program.operation(*wait).object())];
            order.iter().rev().find(|event| members.contains(event)).copied()
        };
        let ends = one.execution.participants.iter().map(|(wait, members)| (*wait, last(wait, members)));
        let key = (one.execution.orders.clone(), ends.collect());
        let size = |one: &Valid| one.execution.participants.values().map(BTreeSet::len).sum::<usize>();
        match best.get(&key) {
            Some(known) if size(known) >= size(&one) => {}
            _ => drop(best.insert(key, one)),
        }
    }
    best.into_values().collect()
}

/// A set of events: bit n for the n-th.
type Set = u32;

/// Whether an order is one of a state's: counts before and behind each event.
struct Counts {
    arrived_before: u32,
    completes: bool,
}

/// The events of a program that are barrier operations with an effect, by number.
struct Events<'p> {
    program: &'p Program,
    all: Vec<Event>,
    operations: Vec<Operation>,
    /// *Program-order*: those after each event.
    after: Vec<Set>,
}

impl<'p> Events<'p> {
    fn of(program: &'p Program) -> Events<'p> {
        let threads = (0..).zip(&program.threads);
        let all: Vec<Event> = threads
            .flat_map(|(thread, own)| {
                (0..own.operations.len() as u8).map(move |index| Event { thread, index })
            })
            .filter(|&event| {
                let operation = program.operation(event);
                program.kind(operation.object()) != Kind::Null || matches!(operation, Operation::Join(_))
            })
            .collect();
        assert!(all.len() <= 32, "the axioms are enumerated for up to 32 operations");
        let after = |one: &Event| {
            let later = |(_, other): &(usize, &Event)| other.thread == one.thread && other.index > one.index;
            all.iter().enumerate().filter(later).fold(0, |set, (at, _)| set | 1 << at)
        };
        let after = all.iter().map(after).collect();
        let operations = all.iter().map(|&event| program.operation(event)).collect();
        Events { program, all, operations, after }
    }

    fn set(&self, which: impl Fn(usize) -> bool) -> Set {
        (0..self.all.len()).filter(|&at| which(at)).fold(0, |set, at| set | 1 << at)
    }

    /// All orders of an object's modifications in which *thread-barrier-order* is kept.
    fn orders(&self, object: ObjectId) -> Vec<Vec<usize>> {
        let modifies = |&at: &usize| self.operations[at].modifies() && self.operations[at].object() == object;
        let all: Vec<usize> = (0..self.all.len()).filter(modifies).collect();
        let mut orders = Vec::new();
        let mut prefixes: Vec<Vec<usize>> = vec![Vec::new()];
        while let Some(prefix) = prefixes.pop() {
            if prefix.len() == all.len() {
                orders.push(prefix);
                continue;
            }
            for &next in all.iter().filter(|next| !prefix.contains(next)) {
                let first =
                    all.iter().all(|&other| prefix.contains(&other) || self.after[other] >> next & 1 == 0);
                if first {
                    prefixes.push(prefix.iter().copied().chain([next]).collect());
                }
            }
        }
        orders
    }

    /// The object's counts along an order, or the rule that it breaks.
    fn counts(&self, object: ObjectId, order: &[usize], reading: Reading) -> Result<Vec<Counts>, Rule> {
        let mut expected = self.program.objects[usize::from(object)].expected;
        let mut arrived = 0;
        let mut counts = Vec::new();
        for &at in order {
            let arrived_before = arrived;
            let mut completes = false;
            match self.operations[at] {
                Operation::Init(_, 0) => return Err(Rule::B2),
                Operation::Init(_, count) => (expected, arrived) = (Some(count), 0),
                Operation::Drop(_) => {
                    let left = expected.ok_or(Rule::B1)?.checked_sub(1).ok_or(Rule::B3)?;
                    expected = Some(left);
                    completes = arrived == left && arrived > 0;
                }
                Operation::Arrive(_, count) => {
                    expected.ok_or(Rule::B1)?;
                    if let Some(count) = count {
                        if count < arrived || count == arrived && !reading.count_may_equal {
                            return Err(Rule::B4);
                        }
                        expected = Some(count);
                    }
                    arrived += 1;
                    completes = expected == Some(arrived);
                }
                Operation::Join(_) | Operation::Wait(_) => unreachable!("they modify nothing"),
            }
            if completes {
                arrived = 0;
            }
            counts.push(Counts { arrived_before, completes });
        }
        Ok(counts)
    }

    /// The sets that may participate in a wait: intervals that begin with no arrivals and end with a completion, with
    /// whether a longer one ends there too.
    fn intervals(&self, order: &[usize], counts: &[Counts]) -> Vec<(Set, bool)> {
        let mut intervals = Vec::new();
        for (end, _) in counts.iter().enumerate().filter(|(_, count)| count.completes) {
            let of_a_phase = |&at: &usize| {
                matches!(self.operations[order[at]], Operation::Arrive(..) | Operation::Drop(_))
                    && (at == end || !counts[at].completes)
            };
            let back = (0..=end).rev().take_while(of_a_phase);
            let starts: Vec<usize> = back.filter(|&at| counts[at].arrived_before == 0).collect();
            for (nth, &start) in starts.iter().enumerate() {
                let members = order[start..=end].iter().fold(0, |set, at| set | 1 << at);
                intervals.push((members, nth + 1 < starts.len()));
            }
        }
        intervals
    }

    fn executions(&self, orders: &[&[usize]], reading: Reading, found: &mut BTreeSet<Valid>) {
        let mut intervals = Vec::new();
        for (object, order) in (0..).zip(orders) {
            let Ok(counts) = self.counts(object, order, reading) else { return };
            intervals.push(self.intervals(order, &counts));
        }
        let is_wait = |&at: &usize| matches!(self.operations[at], Operation::Wait(_));
        let waits: Vec<usize> = (0..self.all.len()).filter(is_wait).collect();
        let of = |wait: usize| &intervals[usize::from(self.operations[wait].object())];
        if waits.iter().any(|&wait| of(wait).is_empty()) {
            return;
        }
        let mut chosen = vec![0; waits.len()];
        loop {
            let phase = |nth: usize| of(waits[nth])[chosen[nth]];
            let participants: Vec<(usize, Set)> =
                (0..waits.len()).map(|nth| (waits[nth], phase(nth).0)).collect();
            if self.is_valid(orders, &participants, reading) {
                let events = |set: Set| (0..self.all.len()).filter(move |at| set >> at & 1 != 0);
                let members = |set| events(set).map(|at| self.all[at]).collect();
                let named = participants.iter().map(|&(wait, set)| (self.all[wait], members(set)));
                let orders = orders.iter().map(|order| order.iter().map(|&at| self.all[at]).collect());
                let execution = Execution { orders: orders.collect(), participants: named.collect() };
                let leaves_out = (0..waits.len()).any(|nth| phase(nth).1);
                found.insert(Valid { execution, leaves_out });
            }
            let Some(digit) = (0..waits.len()).find(|&nth| chosen[nth] + 1 < of(waits[nth]).len()) else {
                return;
            };
            chosen[digit] += 1;
            chosen[..digit].fill(0);
        }
    }

    fn is_valid(&self, orders: &[&[usize]], participants: &[(usize, Set)], reading: Reading) -> bool {
        let count = self.all.len();
        let same_thread = |a: usize, b: usize| self.all[a].thread == self.all[b].thread;
        let object = |at: usize| self.operations[at].object();
        // Distinct waits of a thread share no participants, and a wait does not depend on what comes after it.
        for (nth, &(wait, members)) in participants.iter().enumerate() {
            let shares = |&(other, theirs): &(usize, Set)| {
                same_thread(wait, other) && object(wait) == object(other) && members & theirs != 0
            };
            if participants[..nth].iter().any(shares) || self.after[wait] & members != 0 {
                return false;
            }
        }
        // Barrier-executes-before.
        let mut before = self.after.clone();
        for &(wait, members) in participants {
            (0..count).filter(|at| members >> at & 1 != 0).for_each(|at| before[at] |= 1 << wait);
        }
        let direct = before.clone();
        close(&mut before);
        if (0..count).any(|at| before[at] >> at & 1 != 0) {
            return false;
        }
        // It is consistent with each modification order, and unless read otherwise, with all of them together.
        for order in orders {
            for (later, &second) in order.iter().enumerate() {
                if order[..later].iter().any(|&first| before[second] >> first & 1 != 0) {
                    return false;
                }
            }
        }
        if !reading.separate_objects {
            let mut together = direct;
            for pair in orders.iter().flat_map(|order| order.windows(2)) {
                together[pair[0]] |= 1 << pair[1];
            }
            close(&mut together);
            if (0..count).any(|at| together[at] >> at & 1 != 0) {
                return false;
            }
        }
        self.drops_do_not_race(participants, &before)
            && self.phases_are_separate(participants, &before)
            && self.joins_are_ordered(participants, &before)
    }

    /// *Barrier drop races*.
    fn drops_do_not_race(&self, participants: &[(usize, Set)], before: &[Set]) -> bool {
        let count = self.all.len();
        let arrives = |at: &usize| matches!(self.operations[*at], Operation::Arrive(..));
        (0..count).filter(arrives).all(|arrive| {
            let own_drops = self.set(|at| {
                matches!(self.operations[at], Operation::Drop(object) if object == self.operations[arrive].object())
            }) & self.after[arrive];
            let mut waits = participants.iter().filter(|(_, members)| members >> arrive & 1 != 0).peekable();
            let seen = waits.peek().is_none();
            let known = waits.fold(0, |set, &(wait, _)| set | before[wait]);
            seen || own_drops & !known == 0
        })
    }

    /// *Barrier phase separation*.
    fn phases_are_separate(&self, participants: &[(usize, Set)], before: &[Set]) -> bool {
        let phases = phases(self.all.len(), participants);
        participants.iter().all(|&(wait, members)| {
            let same_object = self.set(|at| self.operations[at].object() == self.operations[wait].object());
            let before_wait = self.set(|at| before[at] >> wait & 1 != 0);
            let in_between = (0..self.all.len())
                .filter(|arrive| members >> arrive & 1 != 0)
                .fold(0, |set, arrive| set | before[arrive])
                & before_wait
                & same_object;
            let between: Vec<usize> = (0..self.all.len()).filter(|at| in_between >> at & 1 != 0).collect();
            between.iter().all(|&at| phases[at] == 0 || phases[at] >> wait & 1 != 0)
        })
    }

    /// *Join and drop ordering*, *join and wait ordering*.
    fn joins_are_ordered(&self, participants: &[(usize, Set)], before: &[Set]) -> bool {
        (0..self.all.len()).all(|at| {
            let operation = self.operations[at];
            if self.program.kind(operation.object()) != Kind::Named {
                return !matches!(operation, Operation::Join(object) if !self.program.kind(object).is_joined());
            }
            match operation {
                Operation::Drop(_) => self.joined_before(at).is_some(),
                Operation::Wait(_) => {
                    let members = participants.iter().find(|(wait, _)| *wait == at).map_or(0, |one| one.1);
                    self.joined_before(at).is_some_and(|join| before[join] & members != 0)
                }
                _ => true,
            }
        })
    }

    /// The join that is *barrier-joined-before* an operation.
    fn joined_before(&self, at: usize) -> Option<usize> {
        let object = self.operations[at].object();
        let earlier = (0..at).rev().filter(|&other| self.after[other] >> at & 1 != 0);
        for other in earlier {
            match self.operations[other] {
                Operation::Join(joined) => return (joined == object).then_some(other),
                Operation::Drop(dropped) if dropped == object => return None,
                _ => {}
            }
        }
        None
    }
}

/// Makes a relation transitive.
fn close(relation: &mut [Set]) {
    for middle in 0..relation.len() {
        for from in 0..relation.len() {
            if relation[from] >> middle & 1 != 0 {
                relation[from] |= relation[middle];
            }
        }
    }
}

/// *Barrier-phase-with*: for each event those of its phase, itself among them; nothing for events of no phase.
fn phases(count: usize, participants: &[(usize, Set)]) -> Vec<Set> {
    let mut phases = vec![0; count];
    for &(wait, members) in participants {
        let mut joined = members | 1 << wait;
        for (at, phase) in phases.iter().enumerate() {
            if joined >> at & 1 != 0 {
                joined |= phase;
            }
        }
        (0..count).filter(|at| joined >> at & 1 != 0).for_each(|at| phases[at] = joined);
    }
    phases
}
