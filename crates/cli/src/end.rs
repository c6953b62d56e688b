//! How a command ends before it is done: its time is over, or the user interrupts it.
//!
//! What runs ends in good order by the brake, with what was found until then. What is not in a run has some seconds more,
//! and is then ended by the main thread, which waits for nothing else; the second interruption ends the command at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError};
use std::time::{Duration, Instant};

use signal_hook::consts::SIGINT;
use signal_hook::flag;
use wavemark_driver::options::{Brake, Halt};
use wavemark_driver::report::ExitStatus;

use crate::args::Command;

/// How much longer than its time a command may take to tell what it has done.
const GRACE: Duration = Duration::from_secs(10);

/// How often those who run look whether the user has interrupted them.
const LOOK: Duration = Duration::from_millis(20);

/// The exit status of a command that an interruption has ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// Ends runs when `timeout` is over or the user interrupts them.
pub fn brake(timeout: Duration) -> Arc<Brake> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // In this order: the first sets the flag. Where interruptions cannot be caught they end the command at once.
    let _ = flag::register_conditional_shutdown(SIGINT, INTERRUPTED, Arc::clone(&interrupted))
        .and_then(|_| flag::register(SIGINT, Arc::clone(&interrupted)));
    let ask = move || interrupted.load(Ordering::Relaxed).then_some(Halt::Interrupt);
    Arc::new(Brake::new(Instant::now().checked_add(timeout)).asking(LOOK, ask))
}

/// The time that a command may take.
pub fn time(command: &Command) -> Option<Duration> {
    match command {
        Command::Run(args) => Some(args.execution.timeout),
        Command::Check(args) => Some(args.execution.timeout),
        Command::Campaign(args) => Some(args.timeout),
        Command::Compare(args) => Some(args.timeout),
        _ => None,
    }
}

/// Waits for what a command sends when it is done; if that takes longer than its time, ends the program.
pub fn wait<T>(done: &Receiver<T>, time: Option<Duration>) -> Result<T, RecvError> {
    let Some(time) = time else { return done.recv() };
    match done.recv_timeout(time.saturating_add(GRACE)) {
        Ok(done) => Ok(done),
        Err(RecvTimeoutError::Disconnected) => Err(RecvError),
        Err(RecvTimeoutError::Timeout) => {
            eprintln!("error: the command has taken longer than --timeout {} permits", time.as_secs_f64());
            std::process::exit(ExitStatus::Findings as i32)
        }
    }
}
