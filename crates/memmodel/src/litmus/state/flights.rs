//! What is in flight: issue, accesses that land, waits, and what a counter says of it.

use super::{Context, Flight, Next, Pick, State};
use crate::litmus::event::{EventId, Set};
use crate::litmus::{Class, Counter, Instruction, Register};

impl State {
    /// The next access of something in flight.
    pub(super) fn land(&self, cx: &Context, thread: usize, number: usize) -> Vec<Next> {
        let flight = &self.threads[thread].flights[number];
        if flight.done == flight.parts {
            return Vec::new();
        }
        if let Some(cell) = flight.cell {
            return self.arrive_behind_copies(cx, thread, number, cell);
        }
        // The data of LDS accesses are in order.
        let earlier = &self.threads[thread].flights[..number];
        let mut before = flight.before.clone();
        if flight.class == Class::Lds {
            for other in earlier.iter().filter(|other| other.class == Class::Lds) {
                if other.done < other.parts {
                    return Vec::new();
                }
                self.join_flight(other, &mut before);
            }
        }
        let event = flight.issue + 1 + EventId::from(flight.done);
        let of = cx.event(event);
        let location = usize::from(of.location.expect("an access in flight has a location"));
        let landed = |mut next: State, faults, pick, value: Option<i64>| {
            let behind = next.before[usize::from(event)].clone().map(|before| before.with(event));
            let own = &mut next.threads[thread];
            if let (Some(register), Some(value)) = (own.flights[number].register, value) {
                own.registers[usize::from(register)] = Some(value);
            }
            let flight = &mut own.flights[number];
            flight.done += 1;
            flight.before = behind;
            let mut step = self.gone(cx, thread, event, pick, next);
            step.faults = faults;
            step
        };
        if of.reads() {
            let reads =
                self.order[location].iter().filter_map(|&from| self.read(cx, event, from, before.clone()));
            return reads
                .map(|(next, value, from, faults)| landed(next, faults, Pick::From(from), Some(value)))
                .collect();
        }
        let value = match cx.test.threads[thread].instructions[of.instruction] {
            Instruction::StoreInFlight(..) => self.values[usize::from(flight.issue)],
            // A copy writes what it has read.
            _ => self.values[usize::from(event - 1)],
        };
        let writes = self.order[location].iter();
        let writes = writes.filter_map(|&after| self.write(cx, event, after, value, before.clone()));
        writes.map(|(next, after, faults)| landed(next, faults, Pick::After(after), None)).collect()
    }

    pub(super) fn issue(
        &mut self,
        cx: &Context,
        thread: usize,
        class: Class,
        issue: EventId,
        parts: u8,
        register: Option<Register>,
    ) {
        let own = &mut self.threads[thread];
        let stage = match cx.test.threads[thread].instructions[cx.event(issue).instruction] {
            Instruction::Copy(.., stage) => Some(stage),
            _ => None,
        };
        let instance = stage.map(|stage| own.marks.issue(issue.into(), stage));
        let before = match stage.is_some() && !cx.test.readings.transitive_copies {
            // Only the initial state happens before it.
            true => [(); 2].map(|()| Set::below(cx.test.locations.len() as EventId)),
            false => own.before.clone(),
        };
        let cell = match cx.test.threads[thread].instructions[cx.event(issue).instruction] {
            Instruction::Cell(cell, _) => Some(cell),
            _ => None,
        };
        own.flights.push(Flight {
            class,
            issue,
            parts,
            done: 0,
            retired: false,
            instance,
            register,
            cell,
            before,
        });
    }

    /// The issues of what a wait for `counter` (or every one) to be at most `n` guarantees to be done.
    pub(super) fn retired(
        &self,
        cx: &Context,
        thread: usize,
        counter: Option<Counter>,
        n: u32,
    ) -> Vec<EventId> {
        let flights = &self.threads[thread].flights;
        let one_queue = |a: Class, b: Class| match counter {
            Some(Counter::Vector) => Counter::Vector.counts(a) && Counter::Vector.counts(b),
            _ => cx.test.readings.one_async_queue && a.counter() == b.counter(),
        };
        let same_queue = |a: Class, b: Class| a == b || one_queue(a, b);
        let counted = |flight: &Flight| counter.is_none_or(|counter| counter.counts(flight.class));
        let younger = |at: usize| {
            flights[at + 1..].iter().filter(|other| same_queue(other.class, flights[at].class)).count()
        };
        let retired = flights.iter().enumerate();
        let retired = retired.filter(|&(at, flight)| counted(flight) && younger(at) >= n as usize);
        retired.map(|(_, flight)| flight.issue).collect()
    }

    pub(super) fn join_flight(&self, flight: &Flight, before: &mut [Set; 2]) {
        before.iter_mut().zip(&flight.before).for_each(|(own, theirs)| own.unite(theirs));
    }

    /// A wait for what is `done` behind it.
    pub(super) fn wait(
        &self,
        cx: &Context,
        thread: usize,
        event: EventId,
        done: impl Fn(&Flight) -> bool,
        change: impl FnOnce(&mut State),
    ) -> Vec<Next> {
        let state = &self.threads[thread];
        let waited = || state.flights.iter().filter(|flight| done(flight));
        if waited().any(|flight| flight.done < flight.parts) {
            return Vec::new();
        }
        let mut before = state.before.clone();
        waited().for_each(|flight| self.join_flight(flight, &mut before));
        let mut next = self.clone();
        next.add(cx, event, before);
        next.advance(thread, event, state.at + 1);
        for flight in next.threads[thread].flights.iter_mut().filter(|flight| done(flight)) {
            flight.retired = true;
        }
        change(&mut next);
        vec![self.gone(cx, thread, event, Pick::Only, next)]
    }
}
