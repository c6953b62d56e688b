//! Barriers: LLVM's *AMDGPU Execution Synchronization*, as definitions that run.
//!
//! The document gives axioms: an execution is a set of operations with relations, and it is valid if the relations are
//! consistent. We have both these and a machine that executes one operation after the other:
//!
//! * [`axioms`]: all valid executions of a small program, by the document's words;
//! * [`machine`]: a machine with a clock in each thread. It gives undefined behavior a place and the id of a rule, which
//!   axioms about valid executions cannot;
//! * [`hardware`]: what the CDNA5 manual's pseudo-code does, whose one bit per wave is less than either;
//! * [`cell`]: barriers in LDS, which are a fourth kind.
//!
//! On programs without undefined behavior and without deadlock, machine and axioms have the same executions but for two
//! differences, which a test names for each program of a size: modification orders of several objects that contradict each
//! other (the axioms order each object by itself, [`Reading::separate_objects`]), and a drop at the beginning of a phase,
//! which may be in it or not (the document's footnote says that there is only one way; we take it in).

pub mod axioms;
pub mod cell;
pub mod hardware;
pub mod machine;

use std::collections::{BTreeMap, BTreeSet};

/// What kind of barrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The barrier of a workgroup: no joining.
    Workgroup,
    /// The barrier of a cluster: one wave arrives for its workgroup.
    Cluster,
    /// A barrier of the trap handler, of either: not for the shader.
    Trap,
    /// A named one: joined before it is waited for.
    Named,
    /// The named one on which all operations but join are nothing.
    Null,
}

impl Kind {
    /// Whether it can be joined.
    pub fn is_joined(self) -> bool {
        matches!(self, Kind::Named | Kind::Null)
    }
}

/// A barrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// Its kind.
    pub kind: Kind,
    /// The expected count from the launch; `None` for one that has to be initialized.
    pub expected: Option<u32>,
}

/// The number of an object of a program.
pub type ObjectId = u8;

/// An operation on a barrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Sets the expected count, and forgets arrivals.
    Init(ObjectId, u32),
    /// The thread will wait for this object.
    Join(ObjectId),
    /// Arrives; if a count is given, it becomes the expected one first.
    Arrive(ObjectId, Option<u32>),
    /// Takes the thread from those that are expected: leaving, or the end of a wave.
    Drop(ObjectId),
    /// Waits. For a named object, whichever the thread has joined.
    Wait(ObjectId),
}

impl Operation {
    /// The object that it names.
    pub fn object(self) -> ObjectId {
        match self {
            Operation::Init(object, _)
            | Operation::Join(object)
            | Operation::Arrive(object, _)
            | Operation::Drop(object)
            | Operation::Wait(object) => object,
        }
    }

    /// Whether it changes the object's state: a *barrier modification operation*.
    pub fn modifies(self) -> bool {
        matches!(self, Operation::Init(..) | Operation::Arrive(..) | Operation::Drop(_))
    }
}

/// A thread of a program: for the barriers of a wave's size, a wave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Its workgroup, of which one wave arrives at a cluster's barrier.
    pub workgroup: u8,
    /// What it does.
    pub operations: Vec<Operation>,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The objects.
    pub objects: Vec<Object>,
    /// The threads.
    pub threads: Vec<Thread>,
}

/// An operation of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Event {
    /// Whose.
    pub thread: u8,
    /// How many the thread did before.
    pub index: u8,
}

/// The rules whose breach is undefined behavior, by the ids of the checker's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// An object was used that was not initialized.
    B1,
    /// The count of an init is not positive.
    B2,
    /// A drop makes the expected count negative.
    B3,
    /// The expected count that an arrive gives is not above the arrivals.
    B4,
    /// A thread drops what it arrived at, before the phase was seen to complete.
    B7,
    /// A join of what is not named.
    B8,
    /// A drop of a named object that is not joined.
    B9,
    /// A wait for a named object without a join.
    B10,
    /// A join that is not ordered before the phase that is waited for.
    B11,
    /// Operations of one phase are used with another one in between.
    B12,
    /// A second wave of a workgroup arrives at a cluster's barrier.
    B14,
    /// A barrier of the trap handler is used by the shader.
    B16,
}

impl Rule {
    /// The rule's id.
    pub fn id(self) -> &'static str {
        match self {
            Rule::B1 => "B1",
            Rule::B2 => "B2",
            Rule::B3 => "B3",
            Rule::B4 => "B4",
            Rule::B7 => "B7",
            Rule::B8 => "B8",
            Rule::B9 => "B9",
            Rule::B10 => "B10",
            Rule::B11 => "B11",
            Rule::B12 => "B12",
            Rule::B14 => "B14",
            Rule::B16 => "B16",
        }
    }
}

/// Readings of what the document leaves open, or says twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reading {
    /// An arrive may set the expected count to the number of arrivals: the GFX12 table's "greater than or equal to", where
    /// the model says that it cannot be "less than or equal". Such a phase never completes.
    pub count_may_equal: bool,
    /// The orders of several objects need not fit together (axioms only; no machine shows it).
    pub separate_objects: bool,
}

/// A valid execution, as far as a program can tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Execution {
    /// *Barrier-modification-order*, by object.
    pub orders: Vec<Vec<Event>>,
    /// What *barrier-participates-in* each wait.
    pub participants: BTreeMap<Event, BTreeSet<Event>>,
}

impl Program {
    /// The operation of an event.
    pub fn operation(&self, event: Event) -> Operation {
        self.threads[usize::from(event.thread)].operations[usize::from(event.index)]
    }

    /// The kind of an object.
    pub fn kind(&self, object: ObjectId) -> Kind {
        self.objects[usize::from(object)].kind
    }

    /// The program with each wait for a named object made one for the object that its thread has joined, whatever the
    /// instruction's operand is. A wait without a join, and one behind a join of the null barrier, stay what they are. Gives
    /// the waits whose operand was another one, too.
    pub fn resolved(&self) -> (Program, Vec<Event>) {
        let mut program = self.clone();
        let mut other = Vec::new();
        for (thread, own) in (0..).zip(&mut program.threads) {
            let mut joined = None;
            for (index, operation) in (0..).zip(&mut own.operations) {
                match *operation {
                    Operation::Join(object) => joined = Some(object),
                    Operation::Drop(object) if joined == Some(object) => joined = None,
                    Operation::Wait(object) if self.kind(object) == Kind::Named => {
                        let waited = joined.filter(|&joined| self.kind(joined) == Kind::Named);
                        if let Some(waited) = waited.filter(|&waited| waited != object) {
                            *operation = Operation::Wait(waited);
                            other.push(Event { thread, index });
                        }
                    }
                    _ => {}
                }
            }
        }
        (program, other)
    }
}
