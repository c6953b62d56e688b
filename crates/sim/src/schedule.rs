//! Schedules: which wave goes on when, and which operations land late.
//!
//! The *plain* run is the one with the fewest surprises: a wave goes on until it can go no further, then the next one of
//! its workgroup that can, and every operation lands at once. A [`Schedule`] is what a run does otherwise: the steps at
//! which another wave goes on, and the operations that land later. Any run can be noted so ([`Recorder`]) and done again
//! ([`Policy::Written`]), as far as the workgroups of different clusters do not depend on each other's progress.
//!
//! [`Policy::Priorities`] is probabilistic concurrency testing (Burckhardt et al., 2010): waves have random priorities,
//! the first one that can goes on, and at a few random steps the running one falls behind all others. Half of the
//! operations, drawn by seed, land at the last moment, the others at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use wavemark_isa::effects::Channel;

use crate::machine::Random;

/// How a run decides what the program leaves open.
#[derive(Clone, Debug, Default)]
pub enum Policy {
    /// By seed and completion mode: round-robin with seed 0, else at random.
    #[default]
    Seeded,
    /// By priorities, drawn from the seed.
    Priorities,
    /// As written.
    Written(Arc<Schedule>),
}

/// A step of a cluster: its number among those at which some wave of it did a visible operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The cluster's flat number.
    pub cluster: u32,
    /// Which step, from 0.
    pub step: u64,
}

/// A wave of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WavePlace {
    /// The flat number of its workgroup in the grid.
    pub workgroup: u32,
    /// Its number in the workgroup.
    pub wave: u32,
}

/// An operation: the wave that issued it, by its number in the run, and its place in a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operation {
    /// The wave.
    pub wave: u32,
    /// The channel, an index into [`Channel::ALL`].
    pub channel: u8,
    /// Its number in there, from 1.
    pub number: u32,
}

impl Operation {
    /// That of a wave at these places; `None` for one that no counter counts.
    pub(crate) fn of(wave: u32, seq: &[(Channel, u32)]) -> Option<Operation> {
        let &(channel, number) = seq.first()?;
        Some(Operation { wave, channel: channel as u8, number })
    }
}

/// What a run does otherwise than the plain one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Which wave goes on at a step, where it is not the one that would.
    pub switches: BTreeMap<Moment, WavePlace>,
    /// Operations that do not land at once: after how many instructions of their wave, or at the last moment.
    pub late: BTreeMap<Operation, Option<u64>>,
}

impl Schedule {
    /// How many things it does otherwise.
    pub fn len(&self) -> usize {
        self.switches.len() + self.late.len()
    }

    /// Whether it is the plain run.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What could have gone on otherwise in a run.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The waves that could have gone on at a step instead of the one that did.
    pub waves: Vec<(Moment, WavePlace)>,
    /// The operations, with the step at which each was issued.
    pub operations: Vec<(Moment, Operation)>,
}

/// Notes what a run does.
#[derive(Debug, Default)]
pub struct Recorder(Mutex<(Schedule, Choices)>);

impl Recorder {
    /// What was noted.
    pub fn take(&self) -> (Schedule, Choices) {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn switched(&self, at: Moment, to: WavePlace) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.switches.insert(at, to);
    }

    pub(crate) fn landed(&self, operation: Operation, when: Option<u64>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.late.insert(operation, when);
    }

    pub(crate) fn could(&self, at: Moment, others: impl Iterator<Item = WavePlace>) {
        let noted = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted
            .1
            .waves
            .extend(others.take(MOST_CHOICES.saturating_sub(noted.1.waves.len())).map(|wave| (at, wave)));
    }

    pub(crate) fn issued(&self, at: Moment, operation: Operation) {
        let noted = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.1.operations.len() < MOST_CHOICES {
            noted.1.operations.push((at, operation));
        }
    }
}

/// Choices that are noted of a run, of each kind: more are not looked at one by one.
const MOST_CHOICES: usize = 1 << 20;

/// Steps of one wave after which another one goes on all the same: it may wait for it by polling.
pub(crate) const PATIENCE: u32 = 1 << 12;

/// How often priorities change in a run.
const CHANGES: usize = 3;
/// Steps of a cluster among which they do.
const CHANGED_WITHIN: usize = 1 << 9;

/// Who goes on in a cluster.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// Steps done.
    pub steps: u64,
    /// The wave that went on last.
    pub current: WavePlace,
    /// For how many steps.
    pub running: u32,
    /// Waves that have fallen behind, the last one the furthest.
    behind: Vec<WavePlace>,
}

impl Turns {
    /// The one of `able` that goes on in the plain run: the current one, or the next one after it.
    pub fn plain(&self, able: &[WavePlace]) -> Option<WavePlace> {
        let runs_on = able.contains(&self.current) && self.running < PATIENCE;
        let after = || able.iter().copied().find(|&wave| wave > self.current);
        if runs_on { Some(self.current) } else { after().or(able.first().copied()) }
    }

    /// The one of `able` that goes on by `policy`; in ascending order they are.
    pub fn choose(
        &mut self,
        policy: &Policy,
        cluster: u32,
        seed: u64,
        able: &[WavePlace],
    ) -> Option<WavePlace> {
        match policy {
            Policy::Seeded => None,
            Policy::Written(schedule) => {
                let at = Moment { cluster, step: self.steps };
                let written = schedule.switches.get(&at).copied().filter(|wave| able.contains(wave));
                written.or_else(|| self.plain(able))
            }
            Policy::Priorities => {
                let mut changes = Random::new(seed ^ u64::from(cluster) << 32);
                let changes = (0..CHANGES).any(|_| changes.below(CHANGED_WITHIN) as u64 == self.steps);
                if changes || self.running >= PATIENCE {
                    self.running = 0;
                    self.behind.retain(|&wave| wave != self.current);
                    self.behind.push(self.current);
                }
                let rank = |wave: &WavePlace| {
                    let behind = self.behind.iter().position(|other| other == wave).map_or(0, |at| at + 1);
                    let place = u64::from(wave.workgroup) << 32 | u64::from(wave.wave);
                    (behind, Random::new(seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15)).draw())
                };
                able.iter().copied().min_by_key(rank)
            }
        }
    }

    /// A wave has done a step.
    pub fn stepped(&mut self, wave: WavePlace) {
        self.running = if wave == self.current { self.running + 1 } else { 0 };
        (self.current, self.steps) = (wave, self.steps + 1);
    }
}

impl Policy {
    /// Whether an operation of a wave that has done so many instructions may land, before it must.
    pub(crate) fn lands(&self, seed: u64, operation: Option<Operation>, steps: u64) -> bool {
        let Some(operation) = operation else { return true };
        match self {
            Policy::Seeded => true,
            Policy::Written(schedule) => match schedule.late.get(&operation) {
                None => true,
                Some(None) => false,
                Some(&Some(when)) => steps >= when,
            },
            Policy::Priorities => {
                let place = u64::from(operation.wave) << 40
                    | u64::from(operation.channel) << 32
                    | u64::from(operation.number);
                Random::new(seed.rotate_left(17) ^ place).draw() & 1 == 0
            }
        }
    }
}
