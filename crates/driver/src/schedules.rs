//! The schedules of a check: which there are, which of them fails, and what is done with one that does.
//!
//! The first schedule is the user's own seed and completion mode. Of the others every second one is random as that is, and
//! every second one follows priorities that change a few times, with operations that land at the last moment or at once
//! ([`Policy::Priorities`]).
//!
//! * `--save-schedule FILE` writes the first one that fails, made as small as it can be (`minimise.rs`);
//! * `--schedule FILE` does that one again ([`mod@file`]);
//! * `--exhaustive` tries them all, the least surprising first ([`mod@explore`]).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use wavemark_diag::Diagnostic;
use wavemark_sim::Limit;
use wavemark_sim::schedule::{Policy, Recorder, Schedule};

use crate::build::Failure;
use crate::execution::{Outcome, Prepared, Ran, execute};
use crate::launch;
use crate::options::RunOptions;
use crate::report::{Finding, Severity};

pub mod explore;
pub mod file;
mod minimise;

pub(crate) use minimise::minimise;

/// The outcomes of all schedules, in order; as many side by side as there may be threads. The first one that is not
/// modelled is the last one run.
pub(crate) fn run_schedules(prepared: &Prepared<'_>, options: &RunOptions) -> Vec<Result<Outcome, Failure>> {
    let run = |index: u32| {
        let recorded = index == 0 && (options.trace.is_some() || options.record);
        let (policy, seed) = schedule(options, index);
        execute(prepared, &RunOptions { policy, ..options.clone() }, seed, recorded)
    };
    let mut outcomes = Vec::new();
    let schedules: Vec<u32> = (0..options.schedules.max(1)).collect();
    for group in schedules.chunks(options.threads.unwrap_or(1).max(1) as usize) {
        match group {
            [only] => outcomes.push(run(*only)),
            _ => std::thread::scope(|scope| {
                let spawn = |index| std::thread::Builder::new().spawn_scoped(scope, move || run(index));
                let threads: Vec<_> = group.iter().map(|&index| (index, spawn(index))).collect();
                for (index, thread) in threads {
                    outcomes.push(match thread {
                        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                        // The host has no thread for it.
                        Err(_) => run(index),
                    });
                }
            }),
        }
        // The brake stops all schedules.
        let goes_on = |outcome: &Result<Outcome, Failure>| match outcome {
            Ok(Outcome { ran, .. }) => {
                ran.unsupported.is_none() && !matches!(ran.limit, Some(Limit::Brake(_)))
            }
            Err(_) => false,
        };
        if !outcomes.iter().all(goes_on) {
            break;
        }
    }
    outcomes
}

/// The seed of the schedule `index`: the user's own for the first, others for the rest, never 0 (round-robin).
pub(crate) fn seed_of(seed: u64, index: u32) -> u64 {
    match index {
        0 => seed,
        _ => launch::split_mix(seed, index.into()) | 1,
    }
}

/// What decides in the schedule `index`, and its seed.
pub(crate) fn schedule(options: &RunOptions, index: u32) -> (Policy, u64) {
    // A schedule from a file is one of several, or written.
    let (index, written) = match &options.policy {
        Policy::Seeded => (options.first_schedule.saturating_add(index), None),
        policy => (index, Some(policy.clone())),
    };
    let seed = seed_of(options.seed, index);
    let own = if index > 0 && index.is_multiple_of(2) { Policy::Priorities } else { Policy::Seeded };
    (written.unwrap_or(own), seed)
}

/// What failed in a run, to tell whether another one fails alike.
pub(crate) struct Failed {
    errors: Vec<Finding>,
    outputs: bool,
}

impl Failed {
    /// That of an outcome; `None` if nothing failed.
    pub fn of(outcome: &Outcome) -> Option<Failed> {
        let errors = outcome.ran.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let failed = Failed {
            errors: errors.cloned().collect(),
            outputs: outcome.outputs.iter().any(|output| !output.matches),
        };
        (failed.outputs || !failed.errors.is_empty()).then_some(failed)
    }

    /// Whether an outcome has one of these errors, or wrong outputs where this has nothing else.
    fn is_again(&self, outcome: &Outcome) -> bool {
        let error = |finding: &Finding| self.errors.iter().any(|known| known.is_again(finding));
        if self.errors.is_empty() {
            return outcome.outputs.iter().any(|output| !output.matches);
        }
        outcome.ran.findings.iter().any(error)
    }
}

/// A run as written.
pub(crate) fn replay(
    prepared: &Prepared<'_>,
    options: &RunOptions,
    schedule: Schedule,
    recorder: Option<Arc<Recorder>>,
) -> Result<Outcome, Failure> {
    let policy = Policy::Written(Arc::new(schedule));
    execute(prepared, &RunOptions { policy, recorder, ..options.clone() }, 0, false)
}

/// Whether a run came to an end that says something.
pub(crate) fn is_whole(ran: &Ran) -> bool {
    ran.unsupported.is_none() && !matches!(ran.limit, Some(Limit::Brake(_)))
}

/// Refuses what is asked of schedules where there are none, for this reason.
pub(crate) fn refuse(options: &RunOptions, why: &str) -> Result<(), Diagnostic> {
    let asked = [
        ("--exhaustive", options.exhaustive),
        ("--save-schedule", options.save_schedule.is_some()),
        ("--schedule", !matches!(options.policy, Policy::Seeded) || options.first_schedule > 0),
    ];
    match asked.iter().find(|(_, asked)| *asked) {
        Some((option, _)) => Err(Diagnostic::error(format!("{option} is about schedules of a run: {why}"))),
        None => Ok(()),
    }
}

/// Writes the first schedule that fails, `failing` or, made small, one of `outcomes`; what was done, in words.
pub(crate) fn save(
    path: &Path,
    prepared: &Prepared<'_>,
    options: &RunOptions,
    (outcomes, failing): (&[Result<Outcome, Failure>], Option<Schedule>),
    inputs: &[PathBuf],
) -> Result<String, Diagnostic> {
    let name = path.display();
    let first = outcomes.iter().enumerate().find_map(|(index, outcome)| {
        let failed = Failed::of(outcome.as_ref().ok()?)?;
        Some((index as u32, failed))
    });
    let (schedule, index, words) = match (failing, first) {
        (Some(schedule), _) => {
            (Some(schedule), 0, "the first failing schedule, with the fewest changes".to_owned())
        }
        (None, Some((index, failed))) if !options.exhaustive => {
            let (schedule, words) = minimise(prepared, options, index, &failed);
            (schedule, options.first_schedule.saturating_add(index), words)
        }
        _ => return Ok(format!("no schedule fails: {name} is not written")),
    };
    let text = file::write(&prepared.kernel.name, options, index, schedule.as_ref());
    crate::files::write(path, text.as_bytes(), inputs.iter().map(PathBuf::as_path))?;
    Ok(format!("{name}: {words}"))
}
