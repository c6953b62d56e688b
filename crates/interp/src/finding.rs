//! What a run finds.

use wavemark_ir::function::Inst;
use wavemark_ir::module::Global;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A branch depends on a value that there is not.
    UndefinedBranch,
    /// An address does.
    UndefinedAddress,
    /// Poison is stored to global memory.
    PoisonStored,
    /// An undefined value is stored to global memory.
    UndefStored,
    /// An operand that must be the same in all lanes, or be known, is not a value.
    UndefinedOperand,
    /// A division by zero, or one whose quotient does not fit.
    Division,
    /// What was assumed does not hold.
    Assume,
    /// A value that was promised to be there is none.
    Promise,
    /// `unreachable` is reached.
    Unreachable,
    /// An access outside of memory.
    OutOfBounds,
    /// An access that is less aligned than it says.
    Misaligned,
    /// LDS is read where asynchronous data are in flight to.
    ReadInFlight,
    /// LDS is written where asynchronous data are in flight to or from.
    WriteInFlight,
    /// A wave ends while asynchronous data are in flight to or from LDS.
    EndsInFlight,
    /// A trap.
    Trap,
    /// No wave can move.
    Deadlock,
    /// A limit was hit.
    Limit,
    /// A barrier that is used as it must not be.
    Barrier,
    /// An operand that must be the same in all lanes is not.
    NotUniform,
    /// Two waves access LDS, and nothing orders them.
    RaceOnLds,
    /// The same of other memory.
    RaceOnGlobal,
    /// They are atomic, with a scope that does not include both.
    ScopeTooNarrow,
}

/// Where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub function: Global,
    /// The instruction.
    pub inst: Inst,
    /// The workgroup.
    pub workgroup: [u32; 3],
    /// The wave in it.
    pub wave: u32,
    /// The lanes.
    pub lanes: u64,
}

/// A finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What.
    pub kind: Kind,
    /// Where, the cause first; none for what has no place.
    pub places: Vec<Place>,
    /// More of it, in words.
    pub note: String,
    /// How often.
    pub instances: u64,
}

/// Findings as they are made: one for each kind and place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    found: Vec<Finding>,
}

/// Findings at most: what comes after is much the same.
const MOST: usize = 256;

impl Findings {
    /// One more, or one more instance.
    pub fn add(&mut self, kind: Kind, places: &[Place], note: impl FnOnce() -> String) {
        let sites =
            |places: &[Place]| places.iter().map(|place| (place.function, place.inst)).collect::<Vec<_>>();
        let own = sites(places);
        let known = |finding: &&mut Finding| finding.kind == kind && sites(&finding.places) == own;
        if let Some(finding) = self.found.iter_mut().find(known) {
            finding.instances += 1;
        } else if self.found.len() < MOST {
            self.found.push(Finding { kind, places: places.to_vec(), note: note(), instances: 1 });
        }
    }

    /// The newest, and how many there are.
    pub fn newest(&self) -> (usize, Option<&Finding>) {
        (self.found.len(), self.found.last())
    }

    pub fn into_found(self) -> Vec<Finding> {
        self.found
    }
}
