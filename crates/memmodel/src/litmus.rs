//! Litmus tests: small programs of a few threads, and the question whether an outcome is possible.
//!
//! * [`parse`]: the text format;
//! * [`explore`]: all executions, one event after the other, and the verdict;
//! * [`axioms`]: the same for memory alone, by enumeration of relations; the two check each other;
//! * [`advice`]: waits that are stronger than a test needs;
//! * [`generate`]: tests from cycles of relations;
//! * [`picture`]: a witness as a graph.
//!
//! A test has a *level*. At IR level ([`Level::Ir`]) it is LLVM's memory model for AMDGPU: HRF-indirect with scope
//! inclusion, barriers that order execution only, and need fences around them to order memory; asyncmarks. At machine level
//! a barrier transports what its waves have waited for, accesses may be in flight under counters, and one wave's accesses
//! in flight are threads of their own.

pub mod advice;
pub mod axioms;
pub mod event;
pub mod explore;
pub mod generate;
pub mod parse;
pub mod picture;
pub mod state;

use std::collections::BTreeSet;

use crate::asyncmark::{Stage, Stages};
use crate::barrier::{self, Object, ObjectId};
use crate::scope::{Place, Scope, Space, Spaces};

/// The number of a location of a test.
pub type LocationId = u8;
/// The number of a register of a thread.
pub type Register = u8;

/// What the threads' instructions mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// LLVM IR.
    Ir,
    /// A wave's instructions.
    Machine,
}

/// A location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its name; one of LDS is one location in each workgroup.
    pub name: String,
    /// Its address space.
    pub space: Space,
    /// The workgroup whose LDS it is in.
    pub workgroup: Option<Place>,
    /// What it holds at the beginning.
    pub initial: i64,
}

/// LLVM's atomic orderings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ordering {
    /// Not atomic.
    Plain,
    /// `monotonic`.
    Monotonic,
    /// `acquire`.
    Acquire,
    /// `release`.
    Release,
    /// `acq_rel`.
    AcquireRelease,
    /// `seq_cst`.
    SequentiallyConsistent,
}

impl Ordering {
    /// Whether it acquires.
    pub fn acquires(self) -> bool {
        matches!(self, Ordering::Acquire | Ordering::AcquireRelease | Ordering::SequentiallyConsistent)
    }

    /// Whether it releases.
    pub fn releases(self) -> bool {
        matches!(self, Ordering::Release | Ordering::AcquireRelease | Ordering::SequentiallyConsistent)
    }

    /// LLVM's word.
    pub fn name(self) -> &'static str {
        match self {
            Ordering::Plain => "",
            Ordering::Monotonic => "monotonic",
            Ordering::Acquire => "acquire",
            Ordering::Release => "release",
            Ordering::AcquireRelease => "acq_rel",
            Ordering::SequentiallyConsistent => "seq_cst",
        }
    }
}

/// How an operation orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Semantics {
    /// The ordering.
    pub ordering: Ordering,
    /// The scope.
    pub scope: Scope,
    /// The address spaces that it orders: of a fence, by its annotation; of an atomic of a scope `…-one-as`, its own.
    pub spaces: Spaces,
}

impl Semantics {
    /// Of an access that is not atomic.
    pub const PLAIN: Semantics =
        Semantics { ordering: Ordering::Plain, scope: Scope::System, spaces: Spaces::ALL };
}

/// A class of accesses in flight, of one counter each but for loads to LDS and stores from it, which share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Loads of vector memory.
    Load,
    /// Stores of vector memory.
    Store,
    /// Accesses to LDS; their data are in order.
    Lds,
    /// Asynchronous loads to LDS.
    AsyncLoad,
    /// Asynchronous stores from LDS.
    AsyncStore,
    /// Tensor operations.
    Tensor,
}

/// A counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counter {
    /// LOADcnt.
    Load,
    /// STOREcnt.
    Store,
    /// DScnt.
    Ds,
    /// ASYNCcnt.
    Async,
    /// TENSORcnt.
    Tensor,
    /// vmcnt of processors before gfx10, which counts all vector memory in one queue, copies to LDS too.
    Vector,
}

impl Counter {
    /// Whether it counts operations of a class.
    pub fn counts(self, class: Class) -> bool {
        match self {
            Counter::Vector => {
                matches!(class, Class::Load | Class::Store | Class::AsyncLoad | Class::AsyncStore)
            }
            _ => class.counter() == self,
        }
    }
}

impl Class {
    /// The counter of its own that counts it, where there is one.
    pub fn counter(self) -> Counter {
        match self {
            Class::Load => Counter::Load,
            Class::Store => Counter::Store,
            Class::Lds => Counter::Ds,
            Class::AsyncLoad | Class::AsyncStore => Counter::Async,
            Class::Tensor => Counter::Tensor,
        }
    }
}

/// A value that an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A number.
    Number(i64),
    /// A register.
    Register(Register),
}

/// What an atomic read-modify-write stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// The sum.
    Add,
    /// The operand.
    Exchange,
}

/// An instruction of a thread. Jumps go forward, so that each is executed once at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Loads.
    Load(Register, LocationId, Semantics),
    /// Stores.
    Store(LocationId, Value, Semantics),
    /// Reads, changes and writes in one.
    Update(Register, LocationId, Update, Value, Semantics),
    /// Orders.
    Fence(Semantics),
    /// A load in flight until a wait.
    LoadInFlight(Class, Register, LocationId),
    /// A store in flight until a wait.
    StoreInFlight(Class, LocationId, Value),
    /// An asynchronous copy of a class to the first location from the second, of a stage.
    Copy(Class, LocationId, LocationId, Stage),
    /// `asyncmark`, for stages.
    Mark(Stages),
    /// `wait.asyncmark`, for stages.
    WaitMark(u32, Stages),
    /// A wait until a counter is at most so many.
    WaitCounter(Counter, u32),
    /// A wait until all counters are zero.
    WaitIdle,
    /// Enters a function: what follows has marks of its own.
    Call,
    /// Leaves it.
    Return,
    /// A barrier operation; a register for `isfirst`.
    Barrier(barrier::Operation, Option<Register>),
    /// Leaves the named barrier that is joined.
    Leave,
    /// An operation on a barrier cell in LDS.
    Cell(CellId, CellOperation),
    /// Goes to an instruction, in any case, or either way, or if the register is (or is not) a number.
    Jump(usize, Condition),
}

/// The number of a barrier cell in LDS.
pub type CellId = u8;

/// What a wave does with a barrier cell in LDS: [`cell`](crate::barrier::cell).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellOperation {
    /// Arrives, with what it has done before.
    Arrive,
    /// Arrives when the copies to LDS that it has issued before are done, with them alone.
    ArriveBehindCopies,
    /// Reads until the parity of the phase is another than that of the phase that the wave is in.
    Wait,
}

/// When a jump is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Always.
    Always,
    /// Perhaps: both ways are explored.
    Maybe,
    /// If the register has this value.
    Equal(Register, i64),
    /// If it has another.
    NotEqual(Register, i64),
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Where it stands.
    pub place: Place,
    /// The names of its registers.
    pub registers: Vec<String>,
    /// Its instructions.
    pub instructions: Vec<Instruction>,
    /// Each as written.
    pub text: Vec<String>,
}

/// A statement about a final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposition {
    /// A register of a thread has a value.
    Register(u8, Register, i64),
    /// A location does.
    Location(LocationId, i64),
    /// Both hold.
    And(Box<Proposition>, Box<Proposition>),
    /// Either does.
    Or(Box<Proposition>, Box<Proposition>),
    /// It does not.
    Not(Box<Proposition>),
    /// It holds.
    True,
}

impl Proposition {
    /// Whether it holds of these registers of threads, and these locations.
    pub fn holds(
        &self,
        register: &impl Fn(u8, Register) -> Option<i64>,
        location: &impl Fn(LocationId) -> i64,
    ) -> bool {
        match self {
            Proposition::Register(thread, named, value) => register(*thread, *named) == Some(*value),
            Proposition::Location(named, value) => location(*named) == *value,
            Proposition::And(a, b) => a.holds(register, location) && b.holds(register, location),
            Proposition::Or(a, b) => a.holds(register, location) || b.holds(register, location),
            Proposition::Not(a) => !a.holds(register, location),
            Proposition::True => true,
        }
    }

    /// The locations that it names.
    pub fn locations(&self) -> BTreeSet<LocationId> {
        match self {
            Proposition::Location(location, _) => BTreeSet::from([*location]),
            Proposition::And(a, b) | Proposition::Or(a, b) => &a.locations() | &b.locations(),
            Proposition::Not(a) => a.locations(),
            Proposition::Register(..) | Proposition::True => BTreeSet::new(),
        }
    }
}

/// What a test shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The state that is asked for is reached.
    Allowed,
    /// It is not.
    Forbidden,
    /// Accesses race.
    Racy,
    /// The behavior is undefined.
    Undefined,
    /// Some threads wait for ever.
    Deadlock,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 5] =
        [Verdict::Allowed, Verdict::Forbidden, Verdict::Racy, Verdict::Undefined, Verdict::Deadlock];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Allowed => "Allowed",
            Verdict::Forbidden => "Forbidden",
            Verdict::Racy => "Racy",
            Verdict::Undefined => "Undefined",
            Verdict::Deadlock => "Deadlock",
        }
    }
}

/// What a file expects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// Ids and words that have to be among what is found, such as `B12` or `missing-wait`.
    pub found: BTreeSet<String>,
}

/// Readings of what documents leave open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readings {
    /// Of barriers.
    pub barrier: barrier::Reading,
    /// What happens before the issue of an asynchronous operation happens before its accesses (open: LLVM may make it
    /// not so).
    pub transitive_copies: bool,
    /// ASYNCcnt's loads and stores are one queue, as LLVM takes them; the manual says that they are not.
    pub one_async_queue: bool,
}

impl Default for Readings {
    fn default() -> Readings {
        Readings { barrier: barrier::Reading::default(), transitive_copies: true, one_async_queue: false }
    }
}

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// What its instructions mean.
    pub level: Level,
    /// The locations.
    pub locations: Vec<Location>,
    /// The barrier objects, with their ids as written.
    pub objects: Vec<(String, Object)>,
    /// Barrier cells in LDS, by name, with the number of arrivals that complete a phase.
    pub cells: Vec<(String, u32)>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The state that is asked for.
    pub asked: Proposition,
    /// What the file expects.
    pub expected: Expected,
    /// How it is read.
    pub readings: Readings,
}

impl Test {
    /// The number of a barrier object with this id, of the place's workgroup or cluster.
    pub fn object(&self, name: &str) -> Option<ObjectId> {
        self.objects.iter().position(|(known, _)| known == name).map(|at| at as ObjectId)
    }

    /// The registers that were written, as outcomes are told: `0:r0=1;`, each of its own. `of`: those of a thread.
    pub fn registers_in_words<'r>(&self, of: impl Fn(usize) -> &'r [Option<i64>]) -> Vec<String> {
        let threads = self.threads.iter().enumerate();
        let named = threads.flat_map(|(number, thread)| {
            thread.registers.iter().zip(of(number)).map(move |(name, value)| (number, name, value))
        });
        named
            .filter_map(|(number, name, value)| value.map(|value| format!("{number}:{name}={value};")))
            .collect()
    }
}
