//! Asyncmarks: LLVM's *AMDGPU Asynchronous Operations*, as definitions that run.
//!
//! A thread issues asynchronous *operations*, puts *marks* behind them, and waits until at most N marks are left. Each
//! activation of a function has a sequence of marks of its own. A mark covers every operation that its thread issued
//! before it, in whatever function. A wait for N takes the oldest marks from the sequence of its function until N are
//! left; what they cover is then done, and happens before what follows the wait. Nothing else makes an operation done: that
//! the hardware may be faster is no promise.
//!
//! Operations have a *stage*, and marks and waits concern a set of stages, each of which has its own sequence. The
//! document has one stage (use [`Stages::ALL`] and stage 0); LLVM's proposal for tensor, load and store stages has several.
//!
//! * [`Thread`]: the definition, one thread on one path;
//! * [`State`]: the exact abstraction over all paths, and its proof;
//! * [`Analysis`]: the states before each node of each function, and what one asks of them: is this access covered, what
//!   is lacking, is this wait redundant;
//! * [`edit`]: what changes of the program leave: removable marks and waits, the largest sufficient N, inlining.
//!
//! Where the document is wrong we say so and do otherwise: its first elimination rule ("remains in the current sequence
//! along every path that reaches the function exit") is unsound, since a mark that stays still pushes an older one out
//! (`issue; mark; mark; wait 1`). See [`edit::weakened`].

mod analysis;
pub mod edit;
mod state;
mod thread;

pub use analysis::{Analysis, Lacking, Summary};
pub use state::{Ages, Position, Positions, State, Tracked};
pub use thread::{Instance, Thread};

use crate::flow::Graph;

/// The number of a stage, below [`STAGES`].
pub type Stage = u8;

/// How many stages there can be.
pub const STAGES: usize = 8;

/// A set of stages: bit n for stage n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stages(pub u8);

impl Stages {
    /// Every stage.
    pub const ALL: Stages = Stages(u8::MAX);

    /// Whether `stage` is in the set.
    pub fn has(self, stage: Stage) -> bool {
        self.0 >> stage & 1 != 0
    }

    /// The stages of the set, ascending.
    pub fn iter(self) -> impl Iterator<Item = Stage> {
        (0..STAGES as Stage).filter(move |&stage| self.has(stage))
    }
}

/// How many marks a wait leaves, as far as it is known: a number, or a range of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// At least so many.
    pub least: u32,
    /// At most so many; `None`: nothing is known.
    pub most: Option<u32>,
}

impl Bound {
    /// Exactly `n`.
    pub const fn exactly(n: u32) -> Bound {
        Bound { least: n, most: Some(n) }
    }

    /// Any number: a wait that promises nothing.
    pub const ANY: Bound = Bound { least: 0, most: None };

    /// Whether the wait takes a mark that has `younger` younger ones, whatever the number is.
    pub(crate) fn surely_takes(self, younger: u32) -> bool {
        self.most.is_some_and(|most| younger >= most)
    }
}

/// Whom a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function of the program, by its number.
    Known(usize),
    /// Some other function. It may issue operations that nothing here asks about, and wait; it does not call back.
    Unknown,
}

/// What a node of a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing that concerns marks.
    Nothing,
    /// Issues an instance of `operation`, a number that is the caller's.
    Issue {
        /// Which.
        operation: u32,
        /// Always the same one for the same operation.
        stage: Stage,
    },
    /// Appends a mark to the sequence of each of these stages.
    Mark(Stages),
    /// Takes marks from the sequence of each of these stages until so many are left.
    Wait {
        /// How many are left.
        n: Bound,
        /// Of which stages.
        stages: Stages,
    },
    /// Calls a function.
    Call(Callee),
}

impl Step {
    /// A wait that leaves `n` marks of every stage.
    pub const fn wait(n: u32) -> Step {
        Step::Wait { n: Bound::exactly(n), stages: Stages::ALL }
    }

    /// A mark of every stage.
    pub const MARK: Step = Step::Mark(Stages::ALL);

    /// An operation of stage 0.
    pub const fn issue(operation: u32) -> Step {
        Step::Issue { operation, stage: 0 }
    }
}

/// A function: it begins at node 0, and returns behind nodes without successors.
#[derive(Clone, Debug)]
pub struct Function {
    /// The control flow.
    pub graph: Graph,
    /// What each node does.
    pub steps: Vec<Step>,
    /// Nothing calls it, so that no operation is in flight at its entry.
    pub kernel: bool,
}

impl Function {
    /// A kernel of steps one after the other.
    pub fn straight(steps: impl IntoIterator<Item = Step>) -> Function {
        let steps: Vec<Step> = steps.into_iter().collect();
        let nodes = steps.len();
        let successors = (0..nodes).map(|node| Vec::from_iter(Some(node + 1).filter(|&next| next < nodes)));
        Function { graph: Graph::new(successors.collect()), steps, kernel: true }
    }

    /// The same function with another step at `node`.
    pub fn with(&self, node: usize, step: Step) -> Function {
        let mut changed = self.clone();
        changed.steps[node] = step;
        changed
    }

    /// Whether the function returns behind `node`.
    pub fn returns_behind(&self, node: usize) -> bool {
        self.graph.successors(node).is_empty()
    }
}
