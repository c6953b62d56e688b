//! The best counts: how much each wait could be loosened with everything still covered.
//!
//! While it walks, the checker records *uses*: an operation that must be complete here, and the waits that completed
//! it, each with the operation's distance there: the largest count with which that wait would still do. A set of
//! counts is sufficient when every use has one wait whose count is within its distance. The largest such counts are
//! not unique where two waits complete the same operation; [`solve`] first fixes what only one wait can do, then
//! hands what is left to waits that do it anyway, and the rest to the last wait before the use. Waits that are left
//! with nothing to do are redundant, all of them at once.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A wait that completes an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Alternative {
    /// Index into the program's waits.
    pub site: u32,
    /// The operation's distance there.
    pub distance: i64,
    /// Which execution, `u32::MAX` beyond those that are kept.
    pub instance: u32,
}

/// Distances beyond this are all the same: no pipeline is that deep, and the state of a loop must not count forever.
const FAR: i64 = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Uses {
    /// What waits completed, latest wait first.
    satisfied: FxHashSet<SmallVec<[Alternative; 4]>>,
    /// What a wait should have completed.
    lacking: FxHashSet<Alternative>,
    /// Waits whose count must stay: what they complete is not known one by one.
    pinned: FxHashSet<u32>,
}

/// What [`solve`] finds of a wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Best {
    /// The largest sufficient constant; `None`: any.
    pub constant: Option<i64>,
    /// The largest sufficient count of each kept execution that has a bound.
    pub instances: FxHashMap<u32, i64>,
    /// The present count must stay.
    pub pinned: bool,
    /// Its present count is too large.
    pub lacking: bool,
}

impl Uses {
    pub fn record(&mut self, mut alternatives: SmallVec<[Alternative; 4]>) {
        if alternatives.is_empty() {
            return;
        }
        for alternative in &mut alternatives {
            alternative.distance = alternative.distance.min(FAR);
        }
        if !self.satisfied.contains(&alternatives) {
            self.satisfied.insert(alternatives);
        }
    }

    pub fn lacking(&mut self, alternative: Alternative) {
        self.lacking.insert(alternative);
    }

    pub fn pin(&mut self, sites: impl Iterator<Item = u32>) {
        self.pinned.extend(sites);
    }
}

/// The best counts of `sites` waits; `constant[site]`: the wait has the same count in all executions; `acts[site]`:
/// it finds something to complete in some (one that never does is never the only one to complete something).
pub(super) fn solve(uses: &Uses, sites: usize, constant: &[bool], acts: &[bool]) -> Vec<Best> {
    let mut best = vec![Best::default(); sites];
    for &site in &uses.pinned {
        if let Some(best) = best.get_mut(site as usize) {
            best.pinned = true;
        }
    }
    for &alternative in &uses.lacking {
        assign(&mut best, alternative);
        if let Some(best) = best.get_mut(alternative.site as usize) {
            best.lacking = true;
        }
    }
    let mut rest: Vec<SmallVec<[Alternative; 4]>> = Vec::new();
    for alternatives in &uses.satisfied {
        let mut alternatives = alternatives.clone();
        alternatives.retain(|alternative| acts.get(alternative.site as usize) == Some(&true));
        match alternatives[..] {
            [] => {}
            [only] => assign(&mut best, only),
            _ => rest.push(alternatives),
        }
    }
    // The set's order is not the program's.
    rest.sort_unstable();
    for alternatives in rest {
        let done = |alternative: &Alternative| {
            let Some(best) = best.get(alternative.site as usize) else { return false };
            let bound = match constant.get(alternative.site as usize) {
                Some(true) => best.constant,
                _ => best.instances.get(&alternative.instance).copied(),
            };
            bound.is_some_and(|bound| bound <= alternative.distance)
        };
        if !alternatives.iter().any(done) {
            assign(&mut best, alternatives[0]);
        }
    }
    best
}

fn assign(best: &mut [Best], alternative: Alternative) {
    let Some(best) = best.get_mut(alternative.site as usize) else { return };
    let lower = |old: Option<i64>| old.map_or(alternative.distance, |old| old.min(alternative.distance));
    best.constant = Some(lower(best.constant));
    let old = best.instances.get(&alternative.instance).copied();
    best.instances.insert(alternative.instance, lower(old));
}
