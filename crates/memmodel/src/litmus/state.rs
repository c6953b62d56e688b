//! An execution on its way: which events there are, what reads read, the order of each location's writes, and what happens
//! before what.
//!
//! An event is added when all that it depends on is there. A read chooses one of the writes that are there, a write its
//! place among them; what coherence, atomicity or the order of sequentially consistent operations forbid is not chosen. All
//! of these are closed under taking events away, so that every consistent execution without a cycle of program order and
//! reads-from is found, and no other: load buffering ("out of thin air" among it) is not shown.

use super::event::{Does, Event, EventId, Events, Set, index, members};
use super::{
    Class, Condition, Counter, Instruction, Level, LocationId, Ordering, Register, Test, Update, Value,
};
use crate::asyncmark::{self, Stages};
use crate::barrier::machine::{self, Machine};
use crate::barrier::{self, Kind};
use crate::scope::{Space, Spaces};

/// What is chosen at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pick {
    /// Nothing.
    Only,
    /// The write that is read.
    From(EventId),
    /// The write that is overwritten.
    After(EventId),
    /// The phase that a wait is bound to.
    Phase(usize),
    /// Whether a jump is taken.
    Taken(bool),
}

/// A step: an event, and what is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Choice {
    /// Whose.
    pub thread: u8,
    /// Which event.
    pub event: EventId,
    /// What is chosen.
    pub pick: Pick,
    /// What it touches.
    pub touches: Touches,
}

/// What a step touches, as far as the steps of other threads may touch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touches {
    /// Nothing.
    Nothing,
    /// A location; whether it writes.
    Location(LocationId, bool),
    /// A barrier object.
    Barrier(u8),
}

impl Choice {
    /// Whether the order of two steps makes no difference.
    pub fn independent(&self, other: &Choice) -> bool {
        self.thread != other.thread
            && match (self.touches, other.touches) {
                (Touches::Location(a, writes), Touches::Location(b, also)) => a != b || !(writes || also),
                (Touches::Barrier(a), Touches::Barrier(b)) => a != b,
                _ => true,
            }
    }
}

/// What is wrong at a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// Undefined behavior, by a rule's id.
    Undefined(&'static str),
    /// Two accesses race: the rule, the class of what is missing, the two events.
    Race(&'static str, &'static str, EventId, EventId),
}

/// Something that is told, and is not wrong.
pub type Note = &'static str;

/// A step's result.
#[derive(Clone, Debug)]
pub struct Next {
    /// The step.
    pub choice: Choice,
    /// What comes of it; `None` if the behavior is undefined.
    pub state: Option<State>,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// What is told.
    pub notes: Vec<Note>,
}

/// An access, or two, that an instruction left in flight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Flight {
    class: Class,
    /// The instruction's own event.
    issue: EventId,
    /// How many accesses there are, and how many are done.
    parts: u8,
    done: u8,
    /// A wait has seen it done.
    retired: bool,
    instance: Option<asyncmark::Instance>,
    register: Option<Register>,
    /// What happens before its next access.
    before: [Set; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ThreadState {
    at: usize,
    registers: Vec<Option<i64>>,
    /// What happens before its next event.
    before: [Set; 2],
    marks: asyncmark::Thread,
    flights: Vec<Flight>,
    /// Its barrier operations.
    barriers: Vec<EventId>,
}

/// An execution on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    threads: Vec<ThreadState>,
    barriers: Machine,
    /// The events that there are.
    pub executed: Set,
    /// By location: the writes in order, the initial one first.
    pub order: Vec<Vec<EventId>>,
    /// By event: what it reads from.
    pub from: Vec<Option<EventId>>,
    values: Vec<i64>,
    /// By event and space: what happens before it.
    pub before: Vec<[Set; 2]>,
    /// Accesses race.
    pub racy: bool,
}

/// A test and its events.
#[derive(Debug)]
pub struct Context<'t> {
    /// The test.
    pub test: &'t Test,
    /// Its events.
    pub events: Events,
    has_sequential: bool,
}

impl<'t> Context<'t> {
    /// Of a test.
    pub fn of(test: &'t Test) -> Result<Context<'t>, super::event::TooMany> {
        let events = Events::of(test)?;
        let sequential = |event: &Event| event.semantics.ordering == Ordering::SequentiallyConsistent;
        let has_sequential = events.all.iter().any(sequential);
        Ok(Context { test, events, has_sequential })
    }

    fn event(&self, event: EventId) -> &Event {
        self.events.get(event)
    }
}

fn bit(event: EventId) -> Set {
    1 << event
}

impl State {
    /// Before the first step.
    pub fn start(cx: &Context) -> State {
        let locations = cx.test.locations.len();
        let count = cx.events.all.len();
        let initial: Set = (0..locations as EventId).fold(0, |set, event| set | bit(event));
        let mut values = vec![0; count];
        for (value, location) in values.iter_mut().zip(&cx.test.locations) {
            *value = location.initial;
        }
        let objects: Vec<barrier::Object> = cx.test.objects.iter().map(|(_, object)| *object).collect();
        let mut workgroups: Vec<[u8; 3]> = Vec::new();
        let mut workgroup = |place: crate::scope::Place| {
            let own = [place.0[0], place.0[1], place.0[2]];
            let at = workgroups.iter().position(|&known| known == own);
            at.unwrap_or_else(|| {
                workgroups.push(own);
                workgroups.len() - 1
            }) as u8
        };
        let workgroups: Vec<u8> = cx.test.threads.iter().map(|thread| workgroup(thread.place)).collect();
        let thread = |thread: &super::Thread| ThreadState {
            at: 0,
            registers: vec![None; thread.registers.len()],
            before: [initial; 2],
            marks: asyncmark::Thread::default(),
            flights: Vec::new(),
            barriers: Vec::new(),
        };
        State {
            threads: cx.test.threads.iter().map(thread).collect(),
            barriers: Machine::new(&objects, workgroups, cx.test.readings.barrier),
            executed: initial,
            order: (0..locations as EventId).map(|event| vec![event]).collect(),
            from: vec![None; count],
            values,
            before: vec![[0; 2]; count],
            racy: false,
        }
    }

    /// Whether every thread has ended and everything has landed.
    pub fn is_final(&self, cx: &Context) -> bool {
        self.threads.iter().zip(&cx.test.threads).all(|(state, thread)| {
            state.at >= thread.instructions.len()
                && state.flights.iter().all(|flight| flight.done == flight.parts)
        })
    }

    /// The registers of a thread.
    pub fn registers(&self, thread: usize) -> &[Option<i64>] {
        &self.threads[thread].registers
    }

    /// The last value of a location.
    pub fn value(&self, location: LocationId) -> i64 {
        let last = self.order[usize::from(location)].last().expect("a location has its initial write");
        self.values[usize::from(*last)]
    }

    /// What an access has read or written.
    pub fn value_of(&self, event: EventId) -> i64 {
        self.values[usize::from(event)]
    }

    /// Where the threads that wait do so.
    pub fn waiting(&self, cx: &Context) -> Vec<(usize, usize)> {
        let threads = self.threads.iter().zip(&cx.test.threads).enumerate();
        let waits = threads.filter(|(_, (state, thread))| state.at < thread.instructions.len());
        waits.map(|(number, (state, _))| (number, state.at)).collect()
    }

    /// Whether a thread waits at a barrier for phases that it must not wait for (B12).
    pub fn is_separated(&self, cx: &Context) -> bool {
        self.waiting(cx).iter().any(|&(thread, at)| match cx.test.threads[thread].instructions[at] {
            Instruction::Barrier(operation, _) => self.barriers.is_separated(thread as u8, operation),
            _ => false,
        })
    }

    /// The steps from here. If some thread can take one that no other thread can see, that is the only one.
    pub fn steps(&self, cx: &Context) -> Vec<Next> {
        let mut steps = Vec::new();
        for (thread, state) in self.threads.iter().enumerate() {
            let Some(instruction) = cx.test.threads[thread].instructions.get(state.at) else { continue };
            let local = matches!(
                instruction,
                Instruction::Fence(_)
                    | Instruction::LoadInFlight(..)
                    | Instruction::StoreInFlight(..)
                    | Instruction::Copy(..)
                    | Instruction::Mark
                    | Instruction::Call
                    | Instruction::Return
                    | Instruction::Jump(..)
            );
            if local {
                let own = self.own(cx, thread, instruction);
                // A sequentially consistent fence may be impossible here.
                return own;
            }
        }
        for (thread, state) in self.threads.iter().enumerate() {
            if let Some(instruction) = cx.test.threads[thread].instructions.get(state.at) {
                steps.extend(self.own(cx, thread, instruction));
            }
            for flight in 0..state.flights.len() {
                steps.extend(self.land(cx, thread, flight));
            }
        }
        steps
    }

    fn choice(&self, cx: &Context, thread: usize, event: EventId, pick: Pick) -> Choice {
        let of = cx.event(event);
        let touches = of.location.map_or(Touches::Nothing, |at| Touches::Location(at, of.writes()));
        Choice { thread: thread as u8, event, pick, touches }
    }

    /// The steps of a thread's next instruction.
    fn own(&self, cx: &Context, thread: usize, instruction: &Instruction) -> Vec<Next> {
        let state = &self.threads[thread];
        let event = cx.events.first[thread][state.at];
        let simple = |change: &dyn Fn(&mut State)| {
            let mut next = self.clone();
            next.add(cx, event, state.before);
            next.advance(thread, event, state.at + 1);
            change(&mut next);
            vec![self.gone(cx, thread, event, Pick::Only, next)]
        };
        match *instruction {
            Instruction::Load(register, location, _) => {
                let from = self.order[usize::from(location)].iter();
                let reads = from.filter_map(|&from| self.read(cx, event, from, state.before));
                let stored = reads.map(|(mut next, value, from, faults)| {
                    next.threads[thread].registers[usize::from(register)] = Some(value);
                    next.advance(thread, event, state.at + 1);
                    let mut step = self.gone(cx, thread, event, Pick::From(from), next);
                    step.faults = faults;
                    step
                });
                stored.collect()
            }
            Instruction::Store(location, value, _) => match self.operand(thread, value) {
                Err(rule) => vec![self.undefined(cx, thread, event, rule)],
                Ok(value) => {
                    let after = self.order[usize::from(location)].iter();
                    let writes = after.filter_map(|&after| self.write(cx, event, after, value, state.before));
                    let stored = writes.map(|(mut next, after, faults)| {
                        next.advance(thread, event, state.at + 1);
                        let mut step = self.gone(cx, thread, event, Pick::After(after), next);
                        step.faults = faults;
                        step
                    });
                    stored.collect()
                }
            },
            Instruction::Update(register, location, update, value, _) => match self.operand(thread, value) {
                Err(rule) => vec![self.undefined(cx, thread, event, rule)],
                Ok(operand) => {
                    let from = self.order[usize::from(location)].iter();
                    let updates = from.filter_map(|&from| {
                        let (read, old, ..) = self.read(cx, event, from, state.before)?;
                        let new = match update {
                            Update::Add => old.wrapping_add(operand),
                            Update::Exchange => operand,
                        };
                        let before = read.before[usize::from(event)];
                        let (mut next, _, faults) = read.write(cx, event, from, new, before)?;
                        next.threads[thread].registers[usize::from(register)] = Some(old);
                        next.advance(thread, event, state.at + 1);
                        let mut step = self.gone(cx, thread, event, Pick::From(from), next);
                        step.faults = faults;
                        Some(step)
                    });
                    updates.collect()
                }
            },
            Instruction::Fence(_) => {
                let mut before = state.before;
                self.acquire_by_fence(cx, thread, event, &mut before);
                let mut next = self.clone();
                next.add(cx, event, before);
                next.advance(thread, event, state.at + 1);
                let possible = next.is_sequential(cx);
                possible.then(|| self.gone(cx, thread, event, Pick::Only, next)).into_iter().collect()
            }
            Instruction::LoadInFlight(class, register, _) => simple(&|next| {
                next.threads[thread].registers[usize::from(register)] = None;
                next.issue(cx, thread, class, event, 1, Some(register));
            }),
            Instruction::StoreInFlight(class, _, _) => simple(&|next| {
                next.issue(cx, thread, class, event, 1, None);
            }),
            Instruction::Copy(class, ..) => simple(&|next| next.issue(cx, thread, class, event, 2, None)),
            Instruction::Mark => simple(&|next| next.threads[thread].marks.mark(Stages::ALL)),
            Instruction::Call => simple(&|next| next.threads[thread].marks.call()),
            Instruction::Return => simple(&|next| next.threads[thread].marks.ret()),
            Instruction::WaitMark(n) => {
                let mut marks = state.marks.clone();
                marks.wait(n, Stages::ALL);
                let done = |flight: &Flight| flight.instance.is_some_and(|instance| marks.is_done(instance));
                self.wait(cx, thread, event, done, |next| next.threads[thread].marks = marks.clone())
            }
            Instruction::WaitCounter(counter, n) => {
                let retired = self.retired(cx, thread, Some(counter), n);
                self.wait(cx, thread, event, |flight| retired.contains(&flight.issue), |_| {})
            }
            Instruction::WaitIdle => self.wait(cx, thread, event, |_| true, |_| {}),
            Instruction::Barrier(operation, register) => self.barrier(cx, thread, event, operation, register),
            Instruction::Leave => match self.barriers.joined(thread as u8) {
                None => vec![self.undefined(cx, thread, event, "B9")],
                Some(object) => self.barrier(cx, thread, event, barrier::Operation::Drop(object), None),
            },
            Instruction::Jump(to, condition) => {
                let go = |taken: bool| {
                    let mut next = self.clone();
                    next.add(cx, event, state.before);
                    next.advance(thread, event, if taken { to } else { state.at + 1 });
                    self.gone(cx, thread, event, Pick::Taken(taken), next)
                };
                let is = |register: Register| self.operand(thread, Value::Register(register));
                match condition {
                    Condition::Always => vec![go(true)],
                    Condition::Maybe => vec![go(false), go(true)],
                    Condition::Equal(register, value) | Condition::NotEqual(register, value) => {
                        let equal = matches!(condition, Condition::Equal(..));
                        match is(register) {
                            Ok(held) => vec![go((held == value) == equal)],
                            Err(rule) => vec![self.undefined(cx, thread, event, rule)],
                        }
                    }
                }
            }
        }
    }

    /// The next access of something in flight.
    fn land(&self, cx: &Context, thread: usize, number: usize) -> Vec<Next> {
        let flight = &self.threads[thread].flights[number];
        if flight.done == flight.parts {
            return Vec::new();
        }
        // The data of LDS accesses are in order.
        let earlier = &self.threads[thread].flights[..number];
        let mut before = flight.before;
        if flight.class == Class::Lds {
            for other in earlier.iter().filter(|other| other.class == Class::Lds) {
                if other.done < other.parts {
                    return Vec::new();
                }
                self.join_flight(other, &mut before);
            }
        }
        let event = flight.issue + 1 + flight.done;
        let of = cx.event(event);
        let location = usize::from(of.location.expect("an access in flight has a location"));
        let landed = |mut next: State, faults, pick, value: Option<i64>| {
            let behind = next.before[usize::from(event)].map(|before| before | bit(event));
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
            let reads = self.order[location].iter().filter_map(|&from| self.read(cx, event, from, before));
            return reads
                .map(|(next, value, from, faults)| landed(next, faults, Pick::From(from), Some(value)))
                .collect();
        }
        let value = match cx.test.threads[thread].instructions[of.instruction] {
            Instruction::StoreInFlight(_, _, value) => self.operand(thread, value).unwrap_or(0),
            // A copy writes what it has read.
            _ => self.values[usize::from(event - 1)],
        };
        let writes = self.order[location].iter();
        let writes = writes.filter_map(|&after| self.write(cx, event, after, value, before));
        writes.map(|(next, after, faults)| landed(next, faults, Pick::After(after), None)).collect()
    }

    fn issue(
        &mut self,
        cx: &Context,
        thread: usize,
        class: Class,
        issue: EventId,
        parts: u8,
        register: Option<Register>,
    ) {
        let own = &mut self.threads[thread];
        let copies = matches!(class, Class::AsyncLoad | Class::AsyncStore | Class::Tensor);
        let instance = copies.then(|| own.marks.issue(issue.into(), 0));
        let before = match copies && !cx.test.readings.transitive_copies {
            // Only the initial state happens before it.
            true => [(1 << cx.test.locations.len()) - 1; 2],
            false => own.before,
        };
        own.flights.push(Flight { class, issue, parts, done: 0, retired: false, instance, register, before });
    }

    /// The issues of what a wait for `counter` (or every one) to be at most `n` guarantees to be done.
    fn retired(&self, cx: &Context, thread: usize, counter: Option<Counter>, n: u32) -> Vec<EventId> {
        let flights = &self.threads[thread].flights;
        let same_queue =
            |a: Class, b: Class| a == b || cx.test.readings.one_async_queue && a.counter() == b.counter();
        let counted = |flight: &Flight| counter.is_none_or(|counter| flight.class.counter() == counter);
        let younger = |at: usize| {
            flights[at + 1..].iter().filter(|other| same_queue(other.class, flights[at].class)).count()
        };
        let retired = flights.iter().enumerate();
        let retired = retired.filter(|&(at, flight)| counted(flight) && younger(at) >= n as usize);
        retired.map(|(_, flight)| flight.issue).collect()
    }

    fn join_flight(&self, flight: &Flight, before: &mut [Set; 2]) {
        for (own, theirs) in before.iter_mut().zip(flight.before) {
            *own |= theirs;
        }
    }

    /// A wait for what is `done` behind it.
    fn wait(
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
        let mut before = state.before;
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

    fn barrier(
        &self,
        cx: &Context,
        thread: usize,
        event: EventId,
        operation: barrier::Operation,
        register: Option<Register>,
    ) -> Vec<Next> {
        let state = &self.threads[thread];
        let waited = match operation {
            barrier::Operation::Wait(object) => self.barriers.waited(thread as u8, object),
            other => other.object(),
        };
        let steps = self.barriers.step(thread as u8, operation).into_iter().map(|step| {
            let (machine, seen) = match step {
                machine::Step::Undefined(rule) => {
                    return self.undefined(cx, thread, event, rule.id());
                }
                machine::Step::Goes(machine, seen) => (*machine, seen),
            };
            let mut next = self.clone();
            let mut before = state.before;
            next.barriers = machine;
            if cx.test.level == Level::Machine {
                // What executes before has been waited for by its wave, and is seen.
                for other in (0..self.threads.len()).filter(|&other| other != thread) {
                    for (at, &theirs) in (0..).zip(&self.threads[other].barriers) {
                        if next.barriers.is_ordered(other as u8, at, thread as u8) {
                            for (own, theirs) in before.iter_mut().zip(self.before[usize::from(theirs)]) {
                                *own |= theirs;
                            }
                        }
                    }
                }
            }
            next.add(cx, event, before);
            next.threads[thread].barriers.push(event);
            if let Some(register) = register {
                next.threads[thread].registers[usize::from(register)] = Some(seen.first.into());
            }
            next.advance(thread, event, state.at + 1);
            let pick = seen.phase.map_or(Pick::Only, Pick::Phase);
            let mut step = self.gone(cx, thread, event, pick, next);
            step.choice.touches = Touches::Barrier(waited);
            step.notes.extend((seen.choices > 1).then_some("H2"));
            step.notes.extend((waited != operation.object()).then_some("L1"));
            step
        });
        steps.collect()
    }

    /// What a register or number holds; the rule that is broken if a load to it is in flight.
    fn operand(&self, thread: usize, value: Value) -> Result<i64, &'static str> {
        let state = &self.threads[thread];
        match value {
            Value::Number(number) => Ok(number),
            Value::Register(register) => {
                let in_flight = |flight: &Flight| flight.register == Some(register) && !flight.retired;
                if state.flights.iter().any(in_flight) {
                    return Err("R1");
                }
                state.registers[usize::from(register)].ok_or("U1")
            }
        }
    }

    fn gone(&self, cx: &Context, thread: usize, event: EventId, pick: Pick, mut next: State) -> Next {
        let faults = Vec::new();
        let mut notes = Vec::new();
        let ended = next.threads[thread].at >= cx.test.threads[thread].instructions.len()
            && self.threads[thread].at < cx.test.threads[thread].instructions.len();
        let copies = |flight: &&Flight| flight.instance.is_some() && !flight.retired;
        if ended && next.threads[thread].flights.iter().find(copies).is_some() {
            notes.push("R7");
        }
        next.racy |= self.racy;
        Next { choice: self.choice(cx, thread, event, pick), state: Some(next), faults, notes }
    }

    fn undefined(&self, cx: &Context, thread: usize, event: EventId, rule: &'static str) -> Next {
        let mut choice = self.choice(cx, thread, event, Pick::Only);
        if let Instruction::Barrier(operation, _) =
            cx.test.threads[thread].instructions[cx.event(event).instruction]
        {
            choice.touches = Touches::Barrier(operation.object());
        }
        Next { choice, state: None, faults: vec![Fault::Undefined(rule)], notes: Vec::new() }
    }

    fn advance(&mut self, thread: usize, event: EventId, at: usize) {
        let before = self.before[usize::from(event)].map(|before| before | bit(event));
        let own = &mut self.threads[thread];
        own.at = at;
        for (own, theirs) in own.before.iter_mut().zip(before) {
            *own |= theirs;
        }
    }

    fn add(&mut self, _: &Context, event: EventId, before: [Set; 2]) {
        self.executed |= bit(event);
        self.before[usize::from(event)] = before;
    }

    /// The place of a write in its location's order.
    fn place(&self, location: usize, write: EventId) -> usize {
        let at = self.order[location].iter().position(|&other| other == write);
        at.expect("a write is in its location's order")
    }

    /// How far up a location's order what happens before an event forces it.
    fn floor(&self, cx: &Context, location: usize, before: Set) -> usize {
        let mut floor = 0;
        for other in members(before & self.executed) {
            let of = cx.event(other);
            if of.location.map(usize::from) != Some(location) {
                continue;
            }
            let write = if of.writes() { Some(other) } else { self.from[usize::from(other)] };
            floor = floor.max(write.map_or(0, |write| self.place(location, write)));
        }
        floor
    }

    fn read(
        &self,
        cx: &Context,
        event: EventId,
        from: EventId,
        mut before: [Set; 2],
    ) -> Option<(State, i64, EventId, Vec<Fault>)> {
        let of = cx.event(event);
        let location = usize::from(of.location.expect("a read has a location"));
        let space = index(cx.test.locations[location].space);
        if of.semantics.ordering.acquires() {
            self.synchronize(cx, event, event, from, &mut before);
        }
        if self.place(location, from) < self.floor(cx, location, before[space]) {
            return None;
        }
        let mut next = self.clone();
        next.add(cx, event, before);
        next.from[usize::from(event)] = Some(from);
        let value = self.values[usize::from(from)];
        next.values[usize::from(event)] = value;
        if of.writes() {
            // The write's part is yet to come.
            return Some((next, value, from, Vec::new()));
        }
        let faults = next.races(cx, event);
        next.racy |= !faults.is_empty();
        next.is_sequential(cx).then_some((next, value, from, faults))
    }

    fn write(
        &self,
        cx: &Context,
        event: EventId,
        after: EventId,
        value: i64,
        before: [Set; 2],
    ) -> Option<(State, EventId, Vec<Fault>)> {
        let of = cx.event(event);
        let location = usize::from(of.location.expect("a write has a location"));
        let space = index(cx.test.locations[location].space);
        let at = self.place(location, after);
        if at < self.floor(cx, location, before[space] & !bit(event)) {
            return None;
        }
        // An update follows what it read.
        let follower = self.order[location].get(at + 1);
        if follower.is_some_and(|&next| cx.event(next).does == Does::Update) {
            return None;
        }
        let mut next = self.clone();
        next.add(cx, event, before);
        next.order[location].insert(at + 1, event);
        next.values[usize::from(event)] = value;
        let faults = next.races(cx, event);
        next.racy |= !faults.is_empty();
        next.is_sequential(cx).then_some((next, after, faults))
    }

    /// What the reader of `from` learns at `acquire`, which is the read itself or a fence behind it.
    fn synchronize(
        &self,
        cx: &Context,
        acquire: EventId,
        read: EventId,
        from: EventId,
        before: &mut [Set; 2],
    ) {
        let (acquirer, reader) = (cx.event(acquire), cx.event(read));
        let mut chain = Some(from);
        while let Some(write) = chain {
            let writer = cx.event(write);
            chain = (writer.does == Does::Update).then(|| self.from[usize::from(write)]).flatten();
            if writer.thread.is_none() || !writer.synchronize(reader) {
                continue;
            }
            let releases = |&event: &EventId| {
                let of = cx.event(event);
                let fence = of.does == Does::Fence && of.thread == writer.thread && event < write;
                of.semantics.ordering.releases() && (event == write || fence)
            };
            for release in members(self.executed).filter(releases) {
                if cx.event(release).inclusive(acquirer) {
                    self.learn(cx, release, acquire, before);
                }
            }
        }
    }

    /// The release happens before the acquire, in the spaces of both.
    fn learn(&self, cx: &Context, release: EventId, acquire: EventId, before: &mut [Set; 2]) {
        let spaces = cx.events.spaces(release).common(cx.events.spaces(acquire));
        for space in Space::ALL.into_iter().filter(|&space| spaces.has(space)) {
            before[index(space)] |= self.before[usize::from(release)][index(space)] | bit(release);
        }
    }

    fn acquire_by_fence(&self, cx: &Context, thread: usize, fence: EventId, before: &mut [Set; 2]) {
        let of = cx.event(fence);
        if !of.semantics.ordering.acquires() || of.semantics.spaces == Spaces::NONE {
            return;
        }
        for read in members(self.executed) {
            let reader = cx.event(read);
            let own = reader.thread == Some(thread as u8) && reader.in_flight.is_none();
            if own && reader.reads() && reader.is_atomic() {
                if let Some(from) = self.from[usize::from(read)] {
                    self.synchronize(cx, fence, read, from, before);
                }
            }
        }
        // Release fence, arrive, wait, acquire fence.
        for other in (0..self.threads.len()).filter(|&other| other != thread) {
            let known = |&(at, _): &(u8, &EventId)| self.barriers.is_ordered(other as u8, at, thread as u8);
            let Some((_, &last)) = (0..).zip(&self.threads[other].barriers).filter(known).last() else {
                continue;
            };
            let releases = |&event: &EventId| {
                let release = cx.event(event);
                let fence = release.does == Does::Fence && release.thread == Some(other as u8);
                fence && event < last && release.semantics.ordering.releases() && release.inclusive(of)
            };
            for release in members(self.executed).filter(releases) {
                self.learn(cx, release, fence, before);
            }
        }
    }

    /// The races of an event with those that are there.
    fn races(&self, cx: &Context, event: EventId) -> Vec<Fault> {
        let of = cx.event(event);
        let space = index(cx.test.locations[usize::from(of.location.expect("an access"))].space);
        let before = self.before[usize::from(event)][space];
        let unordered = members(self.executed & !before & !bit(event));
        let racing = unordered.filter(|&other| {
            let with = cx.event(other);
            of.conflicts(with) && !of.synchronize(with)
        });
        racing.map(|other| self.race(cx, other, event, before)).collect()
    }

    fn race(&self, cx: &Context, first: EventId, second: EventId, before: Set) -> Fault {
        let (a, b) = (cx.event(first), cx.event(second));
        let issue = |of: &Event| cx.events.first[usize::from(of.thread.expect("a thread's"))][of.instruction];
        let issued = a.in_flight.is_some() && before >> issue(a) & 1 != 0
            || b.in_flight.is_some() && a.thread == b.thread;
        let lds = |of: &Event| of.in_flight == Some(Class::Lds);
        let (rule, class) = if a.is_atomic() && b.is_atomic() {
            ("M2", "missing-scope")
        } else if a.thread == b.thread {
            (if lds(a) || lds(b) { "R5" } else { "R4" }, "missing-wait")
        } else if issued {
            ("S1", "missing-wait")
        } else if cx.test.level == Level::Ir && self.is_behind_barrier(first, a, b) {
            ("M4", "missing-sync")
        } else {
            ("M1", "missing-sync")
        };
        Fault::Race(rule, class, first, second)
    }

    /// Whether a barrier orders the execution of `a`'s thread behind `first` before that of `b`'s.
    fn is_behind_barrier(&self, first: EventId, a: &Event, b: &Event) -> bool {
        let (Some(theirs), Some(own)) = (a.thread, b.thread) else { return false };
        let arrivals = (0..).zip(&self.threads[usize::from(theirs)].barriers);
        arrivals.into_iter().any(|(at, &event)| event > first && self.barriers.is_ordered(theirs, at, own))
    }

    /// Whether sequentially consistent operations whose scopes include each other can be put in one order.
    fn is_sequential(&self, cx: &Context) -> bool {
        if !cx.has_sequential {
            return true;
        }
        let sequential =
            |&event: &EventId| cx.event(event).semantics.ordering == Ordering::SequentiallyConsistent;
        let all: Vec<EventId> = members(self.executed).filter(sequential).collect();
        let mut after: Vec<Set> = all
            .iter()
            .map(|&a| {
                let edge = |&b: &EventId| a != b && self.sequential_edge(cx, a, b);
                all.iter().copied().filter(edge).fold(0, |set, b| set | bit(b))
            })
            .collect();
        // Transitive closure over the few of them.
        for (middle, &event) in all.iter().enumerate() {
            for from in 0..all.len() {
                if after[from] >> event & 1 != 0 {
                    after[from] |= after[middle];
                }
            }
        }
        all.iter().zip(&after).all(|(&event, after)| after >> event & 1 == 0)
    }

    fn sequential_edge(&self, cx: &Context, a: EventId, b: EventId) -> bool {
        let (first, second) = (cx.event(a), cx.event(b));
        if !first.inclusive(second) {
            return false;
        }
        let happens = self.before[usize::from(b)];
        if (happens[0] | happens[1]) >> a & 1 != 0 {
            return true;
        }
        // A fence stands for what its thread does behind it, or before it.
        let around = |event: EventId, behind: bool| -> Vec<EventId> {
            let of = cx.event(event);
            if of.does != Does::Fence {
                return vec![event];
            }
            let own = |&other: &EventId| {
                let with = cx.event(other);
                with.thread == of.thread
                    && with.in_flight.is_none()
                    && (other > event) == behind
                    && other != event
            };
            members(self.executed).filter(own).collect()
        };
        let seconds = around(b, false);
        around(a, true).iter().any(|&x| seconds.iter().any(|&y| self.is_coherence_before(cx, x, y)))
    }

    /// Whether one access comes before another of the same location: in the order of writes, with reads behind what they
    /// read.
    fn is_coherence_before(&self, cx: &Context, a: EventId, b: EventId) -> bool {
        let (first, second) = (cx.event(a), cx.event(b));
        let Some(location) = first.location.filter(|_| first.location == second.location) else {
            return false;
        };
        let rank = |event: EventId, of: &Event| match of.writes() {
            true => 2 * self.place(usize::from(location), event),
            false => {
                let from = self.from[usize::from(event)].expect("an executed read reads");
                2 * self.place(usize::from(location), from) + 1
            }
        };
        a != b && rank(a, first) < rank(b, second)
    }
}

/// The kind of a barrier object by the id that a test writes.
pub fn kind_of(id: i64) -> Option<Kind> {
    match id {
        -1 => Some(Kind::Workgroup),
        -3 => Some(Kind::Cluster),
        -2 | -4 => Some(Kind::Trap),
        0 => Some(Kind::Null),
        1..=16 => Some(Kind::Named),
        _ => None,
    }
}
