//! An execution on its way: which events there are, what reads read, the order of each location's writes, and what happens
//! before what.
//!
//! An event is added when all that it depends on is there. A read chooses one of the writes that are there, a write its
//! place among them; what coherence, atomicity or the order of sequentially consistent operations forbid is not chosen. All
//! of these are closed under taking events away, so that every consistent execution without a cycle of program order and
//! reads-from is found, and no other: load buffering ("out of thin air" among it) is not shown.

mod cells;
mod consistency;
mod flights;
mod memory;
mod steps;

use super::event::{Event, EventId, Events, Set};
use super::{CellId, CellOperation, Class, Instruction, LocationId, Ordering, Register, Test, Value};
use crate::asyncmark;
use crate::barrier::machine::Machine;
use crate::barrier::{self, Kind};
use cells::CellState;

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
    /// A barrier cell in LDS.
    Cell(CellId),
}

impl Choice {
    /// Whether the order of two steps makes no difference.
    pub fn independent(&self, other: &Choice) -> bool {
        self.thread != other.thread
            && match (self.touches, other.touches) {
                (Touches::Location(a, writes), Touches::Location(b, also)) => a != b || !(writes || also),
                (Touches::Barrier(a), Touches::Barrier(b)) => a != b,
                (Touches::Cell(a), Touches::Cell(b)) => a != b,
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
    /// It is an arrival at this cell.
    cell: Option<CellId>,
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
    /// By cell: how many phases it has waited for.
    phases: Vec<u32>,
}

/// An execution on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    threads: Vec<ThreadState>,
    barriers: Machine,
    cells: Vec<CellState>,
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

impl State {
    /// Before the first step.
    pub fn start(cx: &Context) -> State {
        let locations = cx.test.locations.len();
        let count = cx.events.all.len();
        let initial = Set::below(locations as EventId);
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
            before: [initial.clone(), initial.clone()],
            marks: asyncmark::Thread::default(),
            flights: Vec::new(),
            barriers: Vec::new(),
            phases: vec![0; cx.test.cells.len()],
        };
        State {
            threads: cx.test.threads.iter().map(thread).collect(),
            barriers: Machine::new(&objects, workgroups, cx.test.readings.barrier),
            cells: cx.test.cells.iter().map(|&(_, count)| CellState::new(count)).collect(),
            executed: initial,
            order: (0..locations as EventId).map(|event| vec![event]).collect(),
            from: vec![None; count],
            values,
            before: vec![Default::default(); count],
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
                    | Instruction::Cell(_, CellOperation::ArriveBehindCopies)
                    | Instruction::Mark(_)
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
        let own = &mut self.threads[thread];
        own.at = at;
        for (own, theirs) in own.before.iter_mut().zip(&self.before[usize::from(event)]) {
            own.unite(theirs);
            own.insert(event);
        }
    }

    fn add(&mut self, _: &Context, event: EventId, before: [Set; 2]) {
        self.executed.insert(event);
        self.before[usize::from(event)] = before;
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
