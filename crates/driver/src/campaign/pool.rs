//! Units on the threads of this process.

use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};

use wavemark_diag::Diagnostic;

use super::{Campaign, Record};

/// Inputs may nest deeply.
const STACK_BYTES: usize = 64 << 20;

/// Runs the units of these numbers on `workers` threads and gives each record to `each` in this one, as they come. Ends
/// early where `each` breaks off or the campaign's brake is pulled: a run that it ended is no unit's.
///
/// # Errors
///
/// If there is no thread for it, and what `each` broke off with.
pub fn run(
    campaign: &Campaign,
    numbers: Vec<u64>,
    workers: u32,
    mut each: impl FnMut(Record) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let queue = Mutex::new(numbers.into_iter());
    let next = &|| queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            let sender = sender.clone();
            let work = move || {
                while let Some(number) = next() {
                    let record = campaign.run(number);
                    if campaign.brake().pulled().is_some() || sender.send(record).is_err() {
                        break;
                    }
                }
            };
            let started = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
            started.map_err(|error| Diagnostic::error(format!("cannot start a thread: {error}")))?;
        }
        drop(sender);
        receiver.into_iter().try_for_each(&mut each)
    })
}
