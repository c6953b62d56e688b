//! Which clusters are resident, and whose turn it is.
//!
//! Without a seed they are run one after the other, as far as each comes by itself. With one, a few are resident from the
//! beginning ([`beside`]), and each turn is that of one that is drawn, so that any of them may be ahead of the others and
//! come between any two of their operations; when one ends, the next one takes its place. Either way others become resident
//! where those that are make no headway alone: they may wait for what another will write.
//!
//! Promises: a function of seed and launch; with a seed, no more than a few are resident unless they wait for each other.
//!
//! Cost: with a seed a matrix product from Triton (512³ of f16, 64 workgroups) takes 0.27 to 0.37 s where it takes 0.24 s
//! without, 4,096 workgroups of a layer norm 0.7 s and 0.65 s, in 8 and 6 MB more.

use super::wave::State;
use super::{Cluster, Executor, Group, Stop};

/// Clusters that are resident at most.
const RESIDENT: usize = 64;
/// Rounds of each after which clusters that have not ended may be waiting for others.
const PATIENCE: u64 = 256;
/// Clusters that a seed makes resident side by side, at most.
const BESIDE: u64 = 8;
/// Bytes that they take together, at most; two are resident whatever they take.
const BESIDE_BYTES: u64 = 1 << 26;

/// Clusters that are resident side by side, where each takes so many bytes.
fn beside(seed: u64, bytes: u64) -> usize {
    if seed == 0 { 1 } else { (BESIDE_BYTES / bytes.max(1)).clamp(2, BESIDE) as usize }
}

/// The clusters that have begun and not ended.
#[derive(Default)]
struct Residents {
    clusters: Vec<Cluster>,
    /// Rounds since one of them has ended, or begun where the others made no headway.
    rounds: u64,
}

impl Executor<'_> {
    /// Runs all clusters of the launch.
    pub(super) fn clusters(&mut self) -> Result<(), Stop> {
        let count: u64 = self.plan.clusters.iter().map(|&n| u64::from(n)).product();
        let beside = beside(self.config.seed, self.plan.bytes);
        let (mut next, mut residents) = (0, Residents::default());
        loop {
            while next < count && residents.clusters.len() < beside {
                residents.clusters.push(self.cluster(next)?);
                next += 1;
            }
            if residents.clusters.is_empty() {
                return Ok(());
            }
            let moved = match self.config.seed {
                0 => self.each_in_turn(&mut residents)?,
                _ => self.one_that_is_drawn(&mut residents)?,
            };
            // Those that are there may wait for others.
            let resident = residents.clusters.len();
            let impatient = !moved || residents.rounds > PATIENCE * resident as u64;
            if impatient && (1..RESIDENT).contains(&resident) && next < count {
                residents.clusters.push(self.cluster(next)?);
                (next, residents.rounds) = (next + 1, 0);
            } else if !moved {
                return Err(self.deadlock(&residents.clusters));
            }
        }
    }

    /// A round for each cluster; whether any of them could go on.
    fn each_in_turn(&mut self, residents: &mut Residents) -> Result<bool, Stop> {
        let (mut moved, mut at) = (false, 0);
        while at < residents.clusters.len() {
            moved |= self.round(&mut residents.clusters[at])?;
            at += usize::from(!self.has_ended(residents, at));
        }
        Ok(moved)
    }

    /// A round for a cluster that is drawn, or the first one behind it that can go on; whether there is one.
    fn one_that_is_drawn(&mut self, residents: &mut Residents) -> Result<bool, Stop> {
        let count = residents.clusters.len();
        let drawn = self.random.below(count);
        for at in (drawn..count).chain(0..drawn) {
            if self.round(&mut residents.clusters[at])? {
                self.has_ended(residents, at);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Behind a round of a cluster: whether it has ended, and is no longer there.
    fn has_ended(&mut self, residents: &mut Residents, at: usize) -> bool {
        residents.rounds += 1;
        let ended = |group: &Group| group.waves.iter().flatten().all(|wave| wave.state == State::Ended);
        if !residents.clusters[at].groups.iter().all(ended) {
            return false;
        }
        let cluster = residents.clusters.remove(at);
        residents.rounds = 0;
        self.stats.workgroups += cluster.groups.len() as u64;
        self.stats.waves += cluster.groups.len() as u64 * u64::from(self.plan.waves);
        for group in &cluster.groups {
            self.config.progress.end();
            let waves: Vec<_> = group.waves.iter().flatten().map(|wave| self.agent(wave)).collect();
            if let (Some(races), Some(first)) = (&mut self.races, waves.first()) {
                races.ends(first.group, waves.iter().copied());
            }
        }
        true
    }
}
