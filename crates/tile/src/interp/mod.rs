//! The tile interpreter: executes a function on buffers with asynchronous scopes really deferred.
//!
//! For: `run K.py`, and the property tests that hold a pipelined function against the one it came from. Follows
//! the asynchronous-pipeline RFC for what commits and waits mean.
//!
//! # Asynchronous scopes
//! A statement under `async_scope` is *issued*: it does not run, but becomes a member of the group that the
//! enclosing `async_commit_queue_scope` builds, with the values its variables have. At the end of the commit scope
//! the group joins its queue, also when it is empty; a commit scope that is not reached (a predicate, an `if`)
//! commits nothing. Statements of the scope that are not asynchronous run at once. `async_wait_queue_scope`
//! completes the oldest groups of its queue until no more than `async_wait_inflight_count` are in flight, then
//! runs its body. A member reads its sources and writes its destinations when it *completes*. Groups of a queue
//! complete in order, queues are independent of each other, members of a group are unordered. What is in flight
//! at the end of the function completes there. When a group completes that no wait forces is up to
//! [`Options::completion`]; a right program gives one answer under all of them.
//!
//! # What is found
//! Between issue and completion every element that a member will read or write is marked. See [`FindingKind`].
//! Members of one group count as unordered, groups of one queue as ordered, groups of different queues as
//! unordered. With [`Completion::Late`] everything that can be in flight is, so that one run finds all there is to
//! find on its path.
//!
//! # Threads
//! Loops over `threadIdx` and `vthread` run in lock step: each statement for all threads before the next, with
//! a mask where threads disagree. Barriers (`tvm_storage_sync`) are therefore no-ops, and races between threads
//! are not looked for. Commits and waits that not all threads reach are refused. `blockIdx` loops run one
//! workgroup after the other, each with queues of its own. Buffers of scope `local` inside a loop over threads
//! are one a thread, those of `shared`, `shared.dyn` and `global` one a workgroup; others are refused there.
//!
//! # Values
//! Every operation rounds to its type; integers wrap. Conversions of floats to integers saturate. `and`, `or` and
//! `if_then_else` evaluate only what they need, `T.Select` both sides. `T.round` rounds halves away from zero.
//! Indices out of bounds, integer division by zero and shifts by too much end the run. Allocated buffers are
//! fresh each time their block is entered and hold NaN (integers: a pattern) until written.
//! Opaque calls (`call_extern`, matrix intrinsics) are refused by name.

mod bind;
mod code;
mod compile;
mod compile_expr;
mod eval;
mod exec;
mod finding;
mod machine;
mod member;
mod memory;
mod number;
mod queue;
#[cfg(test)]
mod tests;

use std::time::Instant;

use wavemark_diag::Diagnostic;

use crate::dtype::Element;
use crate::function::Function;

pub use bind::BindError;
pub use finding::{Fault, FaultKind, Finding, FindingKind, Place, Role};

/// When a committed group completes that no wait forces yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Completion {
    /// At its commit.
    Early,
    /// Never.
    Late,
    /// At any statement after its commit, member by member and store by store, as the seed has it.
    Random,
}

/// What a wait for fewer than no groups does (TVM emits such counts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NegativeWait {
    /// Waits for everything, as for 0.
    Flush,
    /// Nothing: TVM's `RemoveNoOp` takes such waits away.
    Nop,
}

/// In which order the members of a group complete when not [`Completion::Random`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemberOrder {
    /// As they were issued.
    Program,
    /// The other way round.
    Reversed,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// When groups complete.
    pub completion: Completion,
    /// Queues that differ from that.
    pub queues: Vec<(i64, Completion)>,
    /// In which order the members of a group complete.
    pub members: MemberOrder,
    /// What a negative wait count means.
    pub negative_wait: NegativeWait,
    /// Decides all that is random.
    pub seed: u64,
    /// Loop iterations and statements that may run.
    pub max_steps: u64,
    /// When the run has to end, finished or not.
    pub deadline: Option<Instant>,
    /// Look for accesses that run into something in flight, and for undefined elements. Without, only values tell.
    pub check: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            completion: Completion::Late,
            queues: Vec::new(),
            members: MemberOrder::Program,
            negative_wait: NegativeWait::Flush,
            seed: 0,
            max_steps: 1_000_000_000,
            deadline: None,
            check: true,
        }
    }
}

/// An argument of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// For a buffer parameter; written back after the run.
    Buffer {
        /// The element type.
        element: Element,
        /// Elements a dimension.
        shape: Vec<u64>,
        /// The elements, row-major without gaps whatever strides the parameter has.
        data: Vec<u8>,
    },
    /// For a scalar parameter: the code of its value.
    Scalar(Element, u64),
}

/// A run that came to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What was found, in the order of finding.
    pub findings: Vec<Finding>,
    /// Loop iterations and statements that ran.
    pub steps: u64,
    /// Groups that were committed.
    pub groups: u64,
}

/// Why there is no outcome.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The arguments do not fit the parameters.
    #[error("{0}")]
    Arguments(#[from] BindError),
    /// The run was ended. Buffers hold what had been written until then.
    #[error("{0}")]
    Fault(Box<Fault>),
}

/// A function ready to run, any number of times.
#[derive(Debug)]
pub struct Program {
    code: code::Code,
}

/// Makes a function ready to run. Diagnostics name what the interpreter does not model.
pub fn compile(function: &Function) -> Result<Program, Vec<Diagnostic>> {
    compile::compile(function).map(|code| Program { code })
}

impl Program {
    /// Runs the function on `args`, one a parameter in order.
    pub fn run(&self, args: &mut [Argument], options: &Options) -> Result<Outcome, RunError> {
        let mut machine = machine::Machine::new(&self.code, options);
        let mut frame = machine.frame(1);
        machine.bind(args, &mut frame)?;
        let result = machine.run(&mut frame);
        machine.write_back(args, &frame);
        match result {
            Ok(()) => Ok(Outcome {
                steps: machine.steps,
                groups: machine.groups,
                findings: machine.into_findings(),
            }),
            Err(machine::Stop) => Err(RunError::Fault(Box::new(machine.into_fault()))),
        }
    }
}
