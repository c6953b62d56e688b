//! A failing schedule made small: the fewest switches and late operations with which it fails alike.
//!
//! The run is noted and done again as written, which must fail too. Then parts of it are left out as long as that still
//! fails: everything, all late operations, all switches, and then halves, quarters… of what is left (delta debugging,
//! Zeller and Hildebrandt, 2002), until no single one can go. The number of runs is bounded.

use std::sync::Arc;

use wavemark_sim::schedule::{Moment, Operation, Recorder, Schedule, WavePlace};

use super::{Failed, is_whole, replay, schedule};
use crate::execution::{Prepared, execute};
use crate::options::RunOptions;

/// Runs at the most.
const RUNS: u32 = 400;
/// Wave instructions of all runs together, after which no more are begun.
const INSTRUCTIONS: u64 = 60_000_000;

/// One thing that a schedule does otherwise.
#[derive(Clone, Copy, PartialEq)]
enum Item {
    Switch(Moment, WavePlace),
    Late(Operation, Option<u64>),
}

fn items(schedule: &Schedule) -> Vec<Item> {
    let switches = schedule.switches.iter().map(|(&at, &to)| Item::Switch(at, to));
    switches.chain(schedule.late.iter().map(|(&operation, &when)| Item::Late(operation, when))).collect()
}

fn schedule_of(items: &[Item]) -> Schedule {
    let mut schedule = Schedule::default();
    for &item in items {
        match item {
            Item::Switch(at, to) => _ = schedule.switches.insert(at, to),
            Item::Late(operation, when) => _ = schedule.late.insert(operation, when),
        }
    }
    schedule
}

/// Tries schedules.
struct Trials<'a> {
    prepared: &'a Prepared<'a>,
    options: &'a RunOptions,
    failed: &'a Failed,
    runs: u32,
    instructions: u64,
}

impl Trials<'_> {
    /// Whether it fails alike; it does not if no more may be tried.
    fn fails(&mut self, items: &[Item]) -> bool {
        if self.is_over() {
            return false;
        }
        self.runs += 1;
        let Ok(outcome) = replay(self.prepared, self.options, schedule_of(items), None) else { return false };
        self.instructions += outcome.ran.stats.wave_instructions;
        is_whole(&outcome.ran) && self.failed.is_again(&outcome)
    }

    fn is_over(&self) -> bool {
        self.runs >= RUNS || self.instructions > INSTRUCTIONS || self.options.brake.pulled().is_some()
    }
}

/// The schedule `index`, which fails so, as small as it gets, and what was done in words. `None` if what is written down
/// does not fail: then its number has to do.
pub(crate) fn minimise(
    prepared: &Prepared<'_>,
    options: &RunOptions,
    index: u32,
    failed: &Failed,
) -> (Option<Schedule>, String) {
    let mut trials = Trials { prepared, options, failed, runs: 0, instructions: 0 };
    if trials.fails(&[]) {
        return (Some(Schedule::default()), "the failing schedule is the plain one".to_owned());
    }
    let recorder = Arc::new(Recorder::default());
    let (policy, seed) = schedule(options, index);
    let noted = RunOptions { policy, recorder: Some(Arc::clone(&recorder)), ..options.clone() };
    let ran = execute(prepared, &noted, seed, false);
    let whole = items(&recorder.take().0);
    if ran.is_err() || !trials.fails(&whole) {
        let words =
            "the failing schedule, by its seed: it is more than switches of waves and late operations";
        return (None, words.to_owned());
    }
    let before = (count(&whole), whole.len());
    let mut kept = whole;
    let is_switch = |item: &Item| matches!(item, Item::Switch(..));
    let parts: [Vec<Item>; 2] = [
        kept.iter().copied().filter(is_switch).collect(),
        kept.iter().copied().filter(|item| !is_switch(item)).collect(),
    ];
    for part in parts {
        if part.len() < kept.len() && trials.fails(&part) {
            kept = part;
            break;
        }
    }
    reduce(&mut kept, &mut |items| trials.fails(items));
    // Late altogether is simpler than late for a while.
    for at in 0..kept.len() {
        if let Item::Late(operation, Some(_)) = kept[at] {
            let mut simpler = kept.clone();
            simpler[at] = Item::Late(operation, None);
            if trials.fails(&simpler) {
                kept = simpler;
            }
        }
    }
    let ((switches, late), all) = (count(&kept), before.1);
    let over = if trials.is_over() { ", where the trials ended" } else { "" };
    let words = format!(
        "the failing schedule with {switches} switches of waves and {late} late operations, of {} and {} at first \
         ({} runs{over})",
        before.0.0,
        all - before.0.0,
        trials.runs
    );
    (Some(schedule_of(&kept)), words)
}

/// Switches and late operations.
fn count(items: &[Item]) -> (usize, usize) {
    let switches = items.iter().filter(|item| matches!(item, Item::Switch(..))).count();
    (switches, items.len() - switches)
}

/// Leaves out what can be, in ever smaller pieces, down to single items.
fn reduce<T: Clone>(items: &mut Vec<T>, fails: &mut dyn FnMut(&[T]) -> bool) {
    let mut size = items.len().div_ceil(2);
    while size > 0 && !items.is_empty() {
        let mut at = 0;
        let mut changed = false;
        while at < items.len() {
            let end = (at + size).min(items.len());
            let rest: Vec<T> = [&items[..at], &items[end..]].concat();
            if fails(&rest) {
                *items = rest;
                changed = true;
            } else {
                at = end;
            }
        }
        size = match (size, changed) {
            (1, false) => 0,
            (1, true) => 1,
            _ => size.div_ceil(2),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::reduce;

    #[test]
    fn what_is_not_needed_goes() {
        for needed in [vec![], vec![3], vec![0, 99], vec![17, 18, 64]] {
            let mut items: Vec<u32> = (0..100).collect();
            reduce(&mut items, &mut |items| needed.iter().all(|one| items.contains(one)));
            assert_eq!(items, needed);
        }
    }
}
