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

/// What has one count: a wait that has the same in all executions, or one execution of another.
type Key = (u32, u32);

/// The best counts of `sites` waits; `constant[site]`: the wait has the same count in all executions.
pub(super) fn solve(uses: &Uses, sites: usize, constant: &[bool]) -> Vec<Best> {
    let key = |alternative: &Alternative| match constant.get(alternative.site as usize) {
        Some(true) => (alternative.site, u32::MAX),
        _ => (alternative.site, alternative.instance),
    };
    let mut wanted: Vec<SmallVec<[(Key, i64); 4]>> = uses
        .satisfied
        .iter()
        .map(|alternatives| alternatives.iter().map(|one| (key(one), one.distance)).collect())
        .chain(uses.lacking.iter().map(|one| SmallVec::from_iter([(key(one), one.distance)])))
        .collect();
    // The sets' order is not the program's. What only one wait can do comes first.
    wanted.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    wanted.dedup();

    let mut bounds: FxHashMap<Key, i64> = FxHashMap::default();
    let covered = |bounds: &FxHashMap<Key, i64>, (key, distance): &(Key, i64)| {
        bounds.get(key).is_some_and(|bound| bound <= distance)
    };
    for alternatives in &wanted {
        if !alternatives.iter().any(|one| covered(&bounds, one)) {
            let (key, distance) = alternatives[0];
            let bound = bounds.entry(key).or_insert(distance);
            *bound = distance.min(*bound);
        }
    }
    // What was handed out early may since be done by another: loosen each as far as the others, as they are, allow.
    let mut by_key: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
    for (index, alternatives) in wanted.iter().enumerate() {
        for (key, _) in alternatives {
            by_key.entry(*key).or_default().push(index);
        }
    }
    let mut keys: Vec<Key> = bounds.keys().copied().collect();
    keys.sort_unstable();
    for key in keys {
        let needed = by_key[&key].iter().filter_map(|&index| {
            let alternatives = &wanted[index];
            let others = alternatives.iter().any(|one| one.0 != key && covered(&bounds, one));
            let mine = alternatives.iter().filter(|one| one.0 == key).map(|one| one.1).max();
            mine.filter(|_| !others)
        });
        match needed.min() {
            Some(bound) => bounds.insert(key, bound),
            None => bounds.remove(&key),
        };
    }

    let mut best = vec![Best::default(); sites];
    for (&(site, instance), &bound) in &bounds {
        let Some(best) = best.get_mut(site as usize) else { continue };
        best.constant = Some(best.constant.map_or(bound, |old| old.min(bound)));
        best.instances.insert(instance, bound);
    }
    for &site in &uses.pinned {
        if let Some(best) = best.get_mut(site as usize) {
            best.pinned = true;
        }
    }
    for alternative in &uses.lacking {
        if let Some(best) = best.get_mut(alternative.site as usize) {
            best.lacking = true;
        }
    }
    best
}
