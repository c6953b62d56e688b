//! Clusters side by side on several threads of the host, with the result that one thread gives.
//!
//! A run is tried on all threads at once. Each has a view of global memory of its own, in which every
//! access is claimed for its cluster ([`Global::view`]); no cluster sees what another writes. If in the end no cluster has
//! touched what another wrote, their order does not matter: the views are merged, and the result is that of any order.
//! Without a seed, atomics that return nothing are put off until then: in the order of clusters they give what one thread
//! gives. If one has touched it, or if the code that is reached talks to other workgroups otherwise (other atomics on global
//! memory, accesses of device or system scope), or if a cluster ends in any other way than by itself, or comes back to where
//! it was with the same in its registers (it waits for what another is to write), all of it is withdrawn and the launch run
//! again on one thread, where workgroups take turns and make progress together. What that costs is the time of the trial:
//! little where workgroups talk, since every thread runs one cluster after the other to its end and comes to the talking with
//! its first; up to once the whole run where plain accesses collide late. Reads are claimed only of what the launch is known to write
//! as well: a trial in which that comes out begins anew, mostly with its first clusters.
//!
//! An observer that is to watch such a run splits into one for each thread ([`Observer::split`]), even if there is only one:
//! that clusters do not touch each other may spare it work. The parts are united if none of them has seen anything that the
//! whole has to see; else the trial is withdrawn as well. From a trial on one thread an observer learns what spares it work in the
//! run that follows: one on several threads that is withdrawn with its first clusters is followed by one on a single thread.
//!
//! Where somebody watches, waves take turns at every visible operation, and push each other's registers out of the caches. If
//! they order each other by barriers alone, there is nothing to see in that which is not seen otherwise. So the first trial lets
//! waves go as far at once as where nobody watches ([`Trial::Far`]). It is withdrawn where there is anything to say, or where that
//! may depend on the order of waves ([`Observer::depends_on_order`]), and what follows is as if it had not been.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use wavemark_budget::room_for;

use super::device::{Device, Launch};
use super::{RunConfig, RunEnd, RunStats};
use crate::events::Observer;
use crate::global::Global;
use crate::program::Program;
use crate::schedule::Policy;

/// Waves that are resident at once on one thread, at the most (but one cluster always is).
pub const RESIDENT_WAVES: usize = 1024;

/// A run that ends for all devices if it ends for one, and may come to nothing: how the waves of a workgroup take turns in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trial {
    /// Each goes far at once.
    Far,
    /// As they do in the run that follows.
    AsAfter,
}

/// Hands out the clusters of a launch: to each device a range of its own, because neighbours mostly write the same pages. One
/// that has come to the end of its range takes half of what is left of another.
pub(crate) struct Supply {
    /// What is left for each device.
    ranges: Mutex<Vec<Range<u64>>>,
    /// So many waves are resident at least, if there are enough.
    pub resident_waves: usize,
    /// Whether this is a trial.
    pub trial: Option<Trial>,
    withdrawn: AtomicBool,
}

impl Supply {
    /// For a device that runs all clusters.
    pub fn for_one(clusters: u64) -> Supply {
        Supply::new(clusters, 1, RESIDENT_WAVES, None)
    }

    /// For a trial of several devices. Of each one cluster is resident, which is warm in the caches.
    fn for_several(trial: Trial, clusters: u64, devices: u64) -> Supply {
        Supply::new(clusters, devices, 1, Some(trial))
    }

    fn new(clusters: u64, devices: u64, resident_waves: usize, trial: Option<Trial>) -> Supply {
        let start = |device| (u128::from(clusters) * u128::from(device) / u128::from(devices)) as u64;
        let ranges = (0..devices).map(|device| start(device)..start(device + 1));
        let withdrawn = AtomicBool::new(false);
        Supply { ranges: Mutex::new(ranges.collect()), resident_waves, trial, withdrawn }
    }

    /// The number of the next cluster for a device.
    pub fn next(&self, device: usize) -> Option<u64> {
        let mut ranges = self.ranges.lock().unwrap_or_else(PoisonError::into_inner);
        let left = |range: &Range<u64>| range.end - range.start;
        if ranges[device].is_empty() {
            let most = ranges.iter_mut().max_by_key(|range| left(range))?;
            let middle = most.end - left(most).div_ceil(2);
            ranges[device] = middle..std::mem::replace(&mut most.end, middle);
        }
        ranges[device].next()
    }

    /// How many clusters it still has.
    fn left(&self) -> u64 {
        let ranges = self.ranges.lock().unwrap_or_else(PoisonError::into_inner);
        ranges.iter().map(|range| range.end - range.start).sum()
    }

    /// Whether this is a trial, and over by what this device has come to; collisions apart, which take a while to ask for.
    #[inline]
    pub fn is_lost(trial: Option<Trial>, program: &Program, observer: &impl Observer) -> bool {
        trial.is_some_and(|trial| {
            program.talks() || observer.gives_up() || trial == Trial::Far && observer.depends_on_order()
        })
    }

    /// Whether a trial is over; by what this device has come to, or another.
    pub fn is_withdrawn(&self, program: &Program, global: &Global, observer: &impl Observer) -> bool {
        if Supply::is_lost(self.trial, program, observer) || self.trial.is_some() && global.is_lost() {
            self.withdraw();
        }
        self.withdrawn.load(Ordering::Relaxed)
    }

    /// It is over for all.
    pub fn withdraw(&self) {
        self.withdrawn.store(true, Ordering::Relaxed);
    }
}

/// Run all clusters of a launch, on as many threads as `config` has and there is memory for.
pub(crate) fn run<O: Observer + Send>(
    new_program: &(impl Fn() -> Program + Sync),
    global: &mut Global,
    config: &RunConfig,
    launch: &impl Launch,
    observer: &mut O,
) -> (RunEnd, RunStats) {
    let mut threads = launch.clusters().min(config.threads.into());
    // An observer may have less to do in a trial, even of one thread, and learns from that what it does when it is withdrawn.
    let mut program = new_program();
    let mut worth_it = config.recorder.is_none() && (threads > 1 || O::ACTIVE && launch.clusters() > 1);
    let mut trial = if O::ACTIVE && is_natural(config) { Trial::Far } else { Trial::AsAfter };
    while worth_it
        && room_for(global.most_of_view().saturating_mul(threads)).is_ok()
        && let Some(mut parts) = (0..threads).map(|_| observer.split()).collect::<Option<Vec<O>>>()
    {
        match run_side_by_side(trial, &mut program, new_program, global, config, launch, &mut parts) {
            Ok(stats) => {
                observer.unite(parts);
                return (RunEnd::Finished, stats);
            }
            // Each time, there is one allocation less of which that is so.
            Err(Withdrawn { unclear: true, .. }) => program = new_program(),
            Err(Withdrawn { collides: false, .. }) if trial == Trial::Far => {
                trial = Trial::AsAfter;
                // It is known how that would end on several threads.
                threads = if program.talks() { 1 } else { threads };
                program = new_program();
            }
            // On one thread everything begins again as it was.
            Err(Withdrawn { apart: true, .. }) if threads == 1 => {
                parts.into_iter().for_each(|part| observer.learn_code(part));
                program.puts_off = false;
                worth_it = false;
            }
            Err(Withdrawn { early, .. }) => {
                trial = Trial::AsAfter;
                program = new_program();
                worth_it = O::ACTIVE && threads > 1 && early;
                threads = 1;
            }
        }
    }
    let mut device = Device::new(&mut program, global, config, observer);
    // Nobody withdraws it.
    device
        .run(launch, &Supply::for_one(launch.clusters()), 0)
        .unwrap_or((RunEnd::Finished, RunStats::default()))
}

/// Whether clusters and waves take turns in their natural order, neither drawn nor chosen.
fn is_natural(config: &RunConfig) -> bool {
    config.seed == 0 && matches!(config.policy, Policy::Seeded)
}

/// A trial that was withdrawn.
struct Withdrawn {
    /// It was not known who had read of what was written: it will be, the next time.
    unclear: bool,
    /// A cluster has touched what another wrote.
    collides: bool,
    /// Whatever was executed was what is executed without a trial: no cluster has touched what another wrote, and nothing was put
    /// off.
    apart: bool,
    /// It came to what withdrew it with the first clusters.
    early: bool,
}

/// A trial, with a thread for each of `observers`, the first one of which runs `program`; if it is withdrawn, `global` is as it
/// was.
fn run_side_by_side<O: Observer + Send>(
    trial: Trial,
    program: &mut Program,
    new_program: &(impl Fn() -> Program + Sync),
    global: &mut Global,
    config: &RunConfig,
    launch: &impl Launch,
    observers: &mut [O],
) -> Result<RunStats, Withdrawn> {
    let supply = Supply::for_several(trial, launch.clusters(), observers.len() as u64);
    let shared = global.share();
    // With a seed, clusters take turns as it comes.
    let puts_off = is_natural(config);
    let run_one = |program: &mut Program, number, observer: &mut O| {
        // In memory of the thread's own: what two threads write side by side goes to and fro between their caches.
        let mut view = global.view(&shared);
        program.puts_off = puts_off;
        if puts_off {
            view.put_off_atomics();
        }
        let ended = Device::new(program, &mut view, config, observer).run(launch, &supply, number);
        let stats = ended.filter(|(end, _)| *end == RunEnd::Finished).map(|(_, stats)| stats);
        let stats = stats.filter(|_| !supply.is_withdrawn(program, &view, observer));
        if stats.is_none() {
            supply.withdraw();
        }
        (stats, view)
    };
    let (stats, views): (Vec<Option<RunStats>>, Vec<Global>) = std::thread::scope(|scope| {
        let mut observers = observers.iter_mut().enumerate();
        let run_one = &run_one;
        let first = observers.next();
        let spawn = |(number, observer)| {
            std::thread::Builder::new()
                .spawn_scoped(scope, move || run_one(&mut new_program(), number, observer))
        };
        // A thread that cannot be had leaves its clusters to the others.
        let others: Vec<_> = observers.filter_map(|observer| spawn(observer).ok()).collect();
        let own = first.map(|(number, observer)| run_one(program, number, observer));
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        own.into_iter().chain(others.into_iter().map(join)).unzip()
    });
    let sum = stats.into_iter().try_fold(RunStats::default(), |sum, one| Some(sum.plus(&one?)));
    let sum = sum.filter(|sum| sum.wave_instructions <= config.max_total_steps);
    let collides = views.iter().any(Global::collides);
    let unclear = views.iter().any(Global::is_unclear);
    let apart = !program.puts_some_off() && !collides;
    let early = launch.clusters() - supply.left() <= 2 * views.len() as u64;
    if global.unite(shared, views, sum.is_some()) { sum } else { None }.ok_or(Withdrawn {
        unclear,
        collides,
        apart,
        early,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cluster_is_handed_out_once() {
        for (clusters, devices) in [(0, 1), (1, 3), (2, 3), (100, 4), (101, 7)] {
            // Devices of very different speed, so that one takes from the others.
            for slowest in 1..=20 {
                let supply = Supply::for_several(Trial::AsAfter, clusters, devices);
                let mut handed_out = Vec::new();
                for turn in 0_u64.. {
                    let asking = (0..devices).filter(|device| turn % (device * slowest + 1) == 0);
                    let new = asking.filter_map(|device| supply.next(device as usize)).collect::<Vec<_>>();
                    if new.is_empty() && supply.left() == 0 {
                        break;
                    }
                    handed_out.extend(new);
                }
                handed_out.sort_unstable();
                assert!(handed_out.into_iter().eq(0..clusters), "{clusters} clusters, {devices} devices");
                assert!((0..devices).all(|device| supply.next(device as usize).is_none()));
            }
        }
    }
}
