//! Ending runs from outside: at a time, on request, when memory runs out, or because going on makes no sense.
//!
//! Whoever shares the brake may pull it. A run looks at it between the turns of its workgroups, and every few thousand
//! instructions within one. The first reason stays.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Why a run is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Its time is over.
    Time,
    /// The user interrupts it.
    Interrupt,
    /// An error has been found after which values mean nothing.
    Error,
    /// The memory of the budget is nearly used up.
    Memory,
}

/// Ends runs.
#[derive(Debug, Default)]
pub struct Brake {
    pulled: AtomicBool,
    why: OnceLock<Halt>,
    deadline: Option<Instant>,
}

impl Brake {
    /// One that ends runs at `deadline`, if nobody pulls it before.
    pub fn new(deadline: Option<Instant>) -> Brake {
        Brake { deadline, ..Brake::default() }
    }

    /// When it ends runs.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// End the runs that share it.
    pub fn pull(&self, why: Halt) {
        // What has been said before stays.
        let _ = self.why.set(why);
        self.pulled.store(true, Ordering::Release);
    }

    /// Whether and why to end.
    pub fn pulled(&self) -> Option<Halt> {
        if !self.pulled.load(Ordering::Acquire) {
            if self.deadline.is_some_and(|at| Instant::now() >= at) {
                self.pull(Halt::Time);
            } else if wavemark_budget::nearly_used_up() {
                self.pull(Halt::Memory);
            }
        }
        self.why.get().copied()
    }
}
