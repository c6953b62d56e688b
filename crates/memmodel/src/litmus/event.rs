//! The events that a test may have: numbers that are the same in every execution, so that states can be compared.

mod set;

use super::{CellOperation, Class, Instruction, LocationId, Semantics, Test};
use crate::scope::{Place, Space, Spaces};

pub use set::Set;

/// The number of an event.
pub type EventId = u16;

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Does {
    /// Reads its location.
    Read,
    /// Writes it.
    Write,
    /// Reads and writes it in one.
    Update,
    /// Orders.
    Fence,
    /// Something else: barriers, marks, waits, issues.
    Other,
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Whose; `None` for the initial writes.
    pub thread: Option<u8>,
    /// Of which instruction.
    pub instruction: usize,
    /// It is not the instruction itself, but an access that it left in flight.
    pub in_flight: Option<Class>,
    /// What it does.
    pub does: Does,
    /// To which location.
    pub location: Option<LocationId>,
    /// How it orders.
    pub semantics: Semantics,
    /// Where its thread stands.
    pub place: Place,
}

impl Event {
    /// Whether it reads.
    pub fn reads(&self) -> bool {
        matches!(self.does, Does::Read | Does::Update)
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        matches!(self.does, Does::Write | Does::Update)
    }

    /// Whether it is an atomic access or a fence.
    pub fn is_atomic(&self) -> bool {
        self.semantics.ordering != super::Ordering::Plain
    }

    /// Whether each of the two is in the other's scope instance.
    pub fn inclusive(&self, other: &Event) -> bool {
        self.place.inclusive(self.semantics.scope, other.place, other.semantics.scope)
    }

    /// Whether two accesses conflict: the same location, one of them writes, and they are not of one thread's own order.
    pub fn conflicts(&self, other: &Event) -> bool {
        let one_order = self.thread == other.thread && self.in_flight.is_none() && other.in_flight.is_none();
        let same = self.thread == other.thread && self.instruction == other.instruction;
        self.location.is_some()
            && self.location == other.location
            && (self.writes() || other.writes())
            && !(one_order || same || self.thread.is_none() || other.thread.is_none())
    }

    /// Whether both are atomic, and each is in the other's scope.
    pub fn synchronize(&self, other: &Event) -> bool {
        self.is_atomic() && other.is_atomic() && self.inclusive(other)
    }
}

/// The events of a test.
#[derive(Debug)]
pub struct Events {
    /// By number: the initial writes, then those of each thread in its order.
    pub all: Vec<Event>,
    /// By thread and instruction: the number of the instruction's own event, which its accesses in flight follow.
    pub first: Vec<Vec<EventId>>,
}

/// A test has more events than there are numbers for them: 65,536.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

impl Events {
    /// The events of `test`.
    pub fn of(test: &Test) -> Result<Events, TooMany> {
        let plain = Semantics::PLAIN;
        let mut all: Vec<Event> = (0..test.locations.len())
            .map(|location| Event {
                thread: None,
                instruction: 0,
                in_flight: None,
                does: Does::Write,
                location: Some(location as LocationId),
                semantics: plain,
                place: Place::default(),
            })
            .collect();
        let fits =
            |all: &[Event]| if all.len() > usize::from(EventId::MAX) + 1 { Err(TooMany) } else { Ok(()) };
        fits(&all)?;
        let mut first = Vec::new();
        for (number, thread) in (0..).zip(&test.threads) {
            let mut own = Vec::new();
            for (at, instruction) in thread.instructions.iter().enumerate() {
                own.push(all.len() as EventId);
                let event = |does, location, semantics, in_flight| Event {
                    thread: Some(number),
                    instruction: at,
                    in_flight,
                    does,
                    location,
                    semantics,
                    place: thread.place,
                };
                let other = event(Does::Other, None, plain, None);
                match *instruction {
                    Instruction::Load(_, location, semantics) => {
                        all.push(event(Does::Read, Some(location), semantics, None));
                    }
                    Instruction::Store(location, _, semantics) => {
                        all.push(event(Does::Write, Some(location), semantics, None));
                    }
                    Instruction::Update(_, location, _, _, semantics) => {
                        all.push(event(Does::Update, Some(location), semantics, None));
                    }
                    Instruction::Fence(semantics) => all.push(event(Does::Fence, None, semantics, None)),
                    Instruction::LoadInFlight(class, _, location) => {
                        all.extend([other, event(Does::Read, Some(location), plain, Some(class))]);
                    }
                    Instruction::StoreInFlight(class, location, _) => {
                        all.extend([other, event(Does::Write, Some(location), plain, Some(class))]);
                    }
                    Instruction::Cell(_, CellOperation::ArriveBehindCopies) => {
                        all.extend([other, event(Does::Other, None, plain, Some(Class::AsyncLoad))]);
                    }
                    Instruction::Copy(class, to, from, _) => all.extend([
                        other,
                        event(Does::Read, Some(from), plain, Some(class)),
                        event(Does::Write, Some(to), plain, Some(class)),
                    ]),
                    _ => all.push(other),
                }
                fits(&all)?;
            }
            first.push(own);
        }
        Ok(Events { all, first })
    }

    /// An event.
    pub fn get(&self, event: EventId) -> &Event {
        &self.all[usize::from(event)]
    }

    /// The spaces that an access or fence orders when it releases or acquires.
    pub fn spaces(&self, event: EventId) -> Spaces {
        self.get(event).semantics.spaces
    }
}

/// A place as an index of relations that are kept for each address space.
pub fn index(space: Space) -> usize {
    space as usize
}
