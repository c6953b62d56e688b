//! LLVM IR for AMDGPU, executed: kernels as their compilers' authors see them, before any code is made of them.
//!
//! A wave executes in lockstep, lane by lane: lanes that part meet again where the branch is post-dominated at once; or,
//! as an adversary reads the rules, each lane goes alone until something concerns the whole wave ([`Converge`]).
//! A function is compiled once ([`compile`]) and then run ([`run()`]): global memory, its bounds, completion modes, seeds
//! and limits are the simulator's. What an intrinsic does is one line of a table ([`meaning`]); where it is a machine
//! instruction, it computes what the simulator computes for that.
//!
//! Asynchronous operations are done when LLVM's *AMDGPU Asynchronous Operations* says so: when a wait takes the mark behind
//! them, or when their counter has come down far enough. Until then their data are in flight, and land late, early, or at
//! random.
//!
//! Undefined values are followed, poison by the word ([`lanes::Shadow`]) and undefined ones by the bit ([`undef`]): what a
//! branch, an address or a store to memory depends on that is none is a finding, and so are a division by zero, an `assume`
//! that does not hold, and accesses out of bounds.
//!
//! Races between waves are looked for by happens-before ([`race`]), if the launch asks for it.
//!
//! Promises: no verified module makes it panic; what is not executed stops the run where it is reached, with its name and
//! its place; a run is a pure function of module, launch, seed and completion mode.
//!
//! Does not: know files or terminals.

mod arith;
mod compile;
mod finding;
mod lanes;
pub mod meaning;
mod op;
mod parameter;
mod race;
pub mod record;
mod run;
mod shape;
mod undef;

pub use finding::{Finding, Kind, Missing, Place, merge};
pub use parameter::{Parameter, parameters};
pub use race::{Lack, Level, Side};
pub use run::barrier::Name as BarrierName;
pub use run::flight::Class;
pub use run::{Converge, Launch, LaunchError, Outcome, Program, RunEnd, Stats, prepare, run};

/// What is not executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What, in words.
    pub what: String,
}

impl Refused {
    /// With its name.
    pub fn new(what: impl Into<String>) -> Refused {
        Refused { what: what.into() }
    }
}
