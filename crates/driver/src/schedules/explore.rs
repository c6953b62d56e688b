//! All schedules of a small kernel, the least surprising first.
//!
//! A schedule is what it does otherwise than the plain run: switches of waves and late operations. The plain run is tried
//! first, then all with one of these, then all with two, and so on: each is made of one that was run, by one more thing
//! that could have been otherwise at or behind the last one. A switch to each wave that could have gone on, at each step;
//! each operation, to land at the last moment. Where nothing is left, that was every interleaving of the waves' visible
//! steps, with every operation landing at once or at the last moment. The number of runs is bounded, and said.

use std::collections::VecDeque;
use std::sync::Arc;

use wavemark_sim::schedule::{Choices, Moment, Operation, Recorder, Schedule, WavePlace};

use super::{is_whole, replay};
use crate::build::Failure;
use crate::execution::{Outcome, Prepared};
use crate::options::RunOptions;

/// Runs at the most.
const RUNS: usize = 20_000;
/// Wave instructions of all runs together, after which no more are begun.
const INSTRUCTIONS: u64 = 100_000_000;
/// Schedules that wait to be run, at the most.
const WAITING: usize = 200_000;

/// What was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Explored {
    /// Runs.
    pub runs: usize,
    /// With up to so many switches and late operations all were tried.
    pub deviations: usize,
    /// There are no more.
    pub finished: bool,
}

impl std::fmt::Display for Explored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Explored { runs, deviations, finished } = self;
        if *finished {
            return write!(
                f,
                "all schedules: {runs} runs, every interleaving of visible steps, operations landing at once or at the last \
                 moment"
            );
        }
        write!(
            f,
            "all schedules with up to {deviations} switches of waves and late operations, and some with more: {runs} runs"
        )
    }
}

/// Something that a schedule does otherwise, in the order in which more is added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Deviation {
    Switch(WavePlace),
    Late(Operation),
}

/// A schedule to run.
#[derive(Default)]
struct Planned {
    schedule: Schedule,
    /// What it was made by last.
    last: Option<(Moment, Deviation)>,
}

impl Planned {
    fn with(&self, at: Moment, deviation: Deviation) -> Planned {
        let mut schedule = self.schedule.clone();
        match deviation {
            Deviation::Switch(to) => _ = schedule.switches.insert(at, to),
            Deviation::Late(operation) => _ = schedule.late.insert(operation, None),
        }
        Planned { schedule, last: Some((at, deviation)) }
    }

    /// What can be added to it.
    fn further(&self, choices: Choices) -> Vec<(Moment, Deviation)> {
        let switches = choices.waves.into_iter().map(|(at, wave)| (at, Deviation::Switch(wave)));
        let late = choices.operations.into_iter().map(|(at, operation)| (at, Deviation::Late(operation)));
        let free = |&(at, deviation): &(Moment, Deviation)| {
            let switched =
                matches!(deviation, Deviation::Switch(_)) && self.schedule.switches.contains_key(&at);
            Some((at, deviation)) > self.last && !switched
        };
        switches.chain(late).filter(free).collect()
    }
}

/// Runs the schedules of a kernel; `see` is told of each outcome, and says whether to go on.
pub(crate) fn explore(
    prepared: &Prepared<'_>,
    options: &RunOptions,
    see: &mut dyn FnMut(Outcome) -> bool,
) -> Result<Explored, Failure> {
    let mut waiting = VecDeque::from([Planned::default()]);
    let mut explored = Explored { runs: 0, deviations: 0, finished: false };
    let mut instructions = 0;
    let mut dropped = false;
    while let Some(planned) = waiting.pop_front() {
        if explored.runs >= RUNS || instructions > INSTRUCTIONS || options.brake.pulled().is_some() {
            // Of these not all were run.
            explored.deviations = planned.schedule.len().saturating_sub(1);
            return Ok(explored);
        }
        let recorder = Arc::new(Recorder::default());
        let outcome = replay(prepared, options, planned.schedule.clone(), Some(Arc::clone(&recorder)))?;
        explored.runs += 1;
        explored.deviations = planned.schedule.len();
        instructions += outcome.ran.stats.wave_instructions;
        let whole = is_whole(&outcome.ran);
        let goes_on = see(outcome);
        if !whole || !goes_on {
            return Ok(explored);
        }
        for (at, deviation) in planned.further(recorder.take().1) {
            if waiting.len() >= WAITING {
                dropped = true;
                break;
            }
            waiting.push_back(planned.with(at, deviation));
        }
    }
    explored.finished = !dropped;
    Ok(explored)
}
