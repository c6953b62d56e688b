//! What a run finds: accesses that asynchronous execution makes undefined, and faults that end it.

use std::fmt;

use wavemark_diag::Span;

use super::memory::element_name;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// A read of an element whose last write is issued and not complete.
    ReadInFlight,
    /// A write of an element that a write is in flight to.
    WriteInFlight,
    /// A write of an element that an asynchronous statement in flight has yet to read.
    SourceOverwritten,
    /// Members of one group, which nothing orders, of which one writes what another reads or writes.
    UnorderedMembers,
    /// An `async_scope` that no commit scope encloses: nothing can wait for it.
    OutsideCommit,
    /// A read of an element of an allocated buffer that nothing wrote.
    Uninitialized,
}

/// The part that a statement plays in a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Its asynchronous access is in flight.
    InFlight,
    /// It runs into that.
    Accessing,
}

/// One access: which statement, which element, in which iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Its part.
    pub role: Role,
    /// It writes (else reads).
    pub writes: bool,
    /// The buffer; a region's other name is resolved. Empty when no element is concerned.
    pub buffer: String,
    /// The element.
    pub indices: Vec<i64>,
    /// Loop variables with their values, outer first.
    pub iteration: Vec<(String, i64)>,
    /// The statement.
    pub span: Option<Span>,
    /// For a statement that runs asynchronously: its queue, `None` for one outside any commit.
    pub queue: Option<Option<i64>>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let access = match (self.buffer.is_empty(), self.writes) {
            (true, _) => "statement",
            (false, true) => "write",
            (false, false) => "read",
        };
        match self.queue {
            Some(Some(queue)) => write!(f, "asynchronous {access} on queue {queue}")?,
            Some(None) => write!(f, "asynchronous {access} outside any commit")?,
            None => f.write_str(access)?,
        }
        if !self.buffer.is_empty() {
            write!(f, " of {}", element_name(&self.buffer.as_str().into(), &self.indices))?;
        }
        write_iteration(f, &self.iteration)
    }
}

fn write_iteration(f: &mut fmt::Formatter<'_>, iteration: &[(String, i64)]) -> fmt::Result {
    for (position, (name, value)) in iteration.iter().enumerate() {
        write!(f, "{}{name} = {value}", if position == 0 { " at " } else { ", " })?;
    }
    Ok(())
}

/// Something found, once a pair of statements and buffer; the places are those of the first instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// How often, counted by element and execution.
    pub count: u64,
    /// One or two: the statement in flight first, then the one that runs into it.
    pub places: Vec<Place>,
    /// The largest count with which a wait on the queue of the statement in flight, just before the other, would have
    /// completed it, whichever instance; `None` where no wait could.
    pub sufficient: Option<u64>,
}

impl FindingKind {
    /// A sentence without a full stop.
    pub fn title(self) -> &'static str {
        match self {
            FindingKind::ReadInFlight => "read of data in flight",
            FindingKind::WriteInFlight => "write over data in flight",
            FindingKind::SourceOverwritten => "overwritten source of an asynchronous operation",
            FindingKind::UnorderedMembers => "members of a group depend on one another",
            FindingKind::OutsideCommit => "asynchronous scope outside a commit",
            FindingKind::Uninitialized => "read of a buffer element that nothing has written",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind.title())?;
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        for (position, place) in self.places.iter().enumerate() {
            write!(f, "{} {place}", if position == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// The indices, and the buffer's extents.
    OutOfBounds {
        /// The buffer.
        buffer: String,
        /// What it was accessed with.
        indices: Vec<i64>,
        /// Its shape.
        shape: Vec<u64>,
        /// It was to be written.
        writes: bool,
    },
    /// Of integers.
    DivisionByZero,
    /// By fewer than 0 or more bits than the type has.
    Shift {
        /// How many bits were asked for.
        amount: i64,
        /// How many the type has.
        bits: u32,
    },
    /// More steps than allowed.
    StepLimit(u64),
    /// The time is over.
    TimeLimit,
    /// The memory is used up, nearly.
    MemoryLimit,
    /// A buffer with a negative extent or stride, or more elements than a run may have.
    Buffer(String),
    /// A region that its other name does not fit.
    Mismatch(String),
    /// A loop whose step is not positive.
    Step(i64),
    /// Something that is not modelled, by name.
    Unsupported(String),
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::OutOfBounds { buffer, indices, shape, writes } => {
                let access = if *writes { "write" } else { "read" };
                let element = element_name(&buffer.as_str().into(), indices);
                write!(f, "{access} of {element} outside its shape {shape:?}")
            }
            FaultKind::DivisionByZero => f.write_str("integer division by zero"),
            FaultKind::Shift { amount, bits } => write!(f, "shift of a {bits}-bit integer by {amount}"),
            FaultKind::StepLimit(limit) => write!(f, "more than {limit} steps"),
            FaultKind::TimeLimit => f.write_str("the run has taken longer than permitted"),
            FaultKind::MemoryLimit => f.write_str("the run takes more memory than permitted"),
            FaultKind::Buffer(what) | FaultKind::Mismatch(what) => f.write_str(what),
            FaultKind::Step(step) => write!(f, "a loop with step {step}"),
            FaultKind::Unsupported(what) => write!(f, "unsupported: {what}"),
        }
    }
}

/// The fault that ended a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The statement.
    pub span: Option<Span>,
    /// Loop variables with their values, outer first.
    pub iteration: Vec<(String, i64)>,
    /// What had been found until then.
    pub findings: Vec<Finding>,
    /// Loop iterations and statements until then.
    pub steps: u64,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        write_iteration(f, &self.iteration)
    }
}
