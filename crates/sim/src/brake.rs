//! Ending runs from outside: at a time, on request, when memory runs out, or because going on makes no sense.
//!
//! Whoever shares the brake may pull it. A run looks at it between the turns of its workgroups, and every few thousand
//! instructions within one. The first reason stays.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

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
#[derive(Default)]
pub struct Brake {
    pulled: AtomicBool,
    why: OnceLock<Halt>,
    deadline: Option<Instant>,
    asked: Option<Asked>,
}

/// Who is asked now and then whether to go on, and when it is time again.
struct Asked {
    every: Duration,
    next: Mutex<Instant>,
    ask: Box<dyn Fn() -> Option<Halt> + Send + Sync>,
}

impl fmt::Debug for Brake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brake")
            .field("why", &self.why)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

impl Asked {
    /// The answer, if it is time to ask. One thread asks at a time; the others go on.
    fn answer(&self) -> Option<Halt> {
        let mut next = self.next.try_lock().ok()?;
        let now = Instant::now();
        if now < *next {
            return None;
        }
        *next = now + self.every;
        (self.ask)()
    }
}

impl Brake {
    /// One that ends runs at `deadline`, if nobody pulls it before.
    pub fn new(deadline: Option<Instant>) -> Brake {
        Brake { deadline, ..Brake::default() }
    }

    /// The same, which asks now and then, at most so often, whether to end them.
    pub fn asking(self, every: Duration, ask: impl Fn() -> Option<Halt> + Send + Sync + 'static) -> Brake {
        let next = Mutex::new(Instant::now() + every);
        Brake { asked: Some(Asked { every, next, ask: Box::new(ask) }), ..self }
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
            } else if let Some(why) = self.asked.as_ref().and_then(Asked::answer) {
                self.pull(why);
            }
        }
        self.why.get().copied()
    }
}
