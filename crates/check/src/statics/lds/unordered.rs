//! Loads and stores of LDS by two waves that no barrier orders, by address (S2).
//!
//! Looked at is what waves do whatever memory holds, before anything by which they may be ordered otherwise: no branch was
//! taken that is not known, no atomic was met, and no load whose value a loop may wait for ([`polls`](super::polls)).
//! Addresses may depend on the numbers that stand for a kernel's arguments; what is found holds with two of them, if
//! there are as many. Stores of two waves to the same bytes are not looked at: several waves may write the same.

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_sim::foresight::common;

use super::{Touch, Wave};
use crate::site_info::SiteId;

/// As many pairs of accesses are held against each other for a dispatch: a few milliseconds.
const PAIRS: usize = 400_000;

/// What was found, over several dispatches.
#[derive(Default)]
pub(super) struct Unordered {
    /// In how many dispatches a store and a load met so.
    pairs: FxHashMap<(SiteId, SiteId), u32>,
    dispatches: u32,
}

impl Unordered {
    /// Looks at the waves of a workgroup.
    pub fn look(&mut self, waves: &[Wave<'_>]) {
        let mut found = FxHashSet::default();
        let mut left = PAIRS;
        for (number, wave) in waves.iter().enumerate() {
            for other in &waves[number + 1..] {
                let theirs = &other.touches[..other.certain];
                for touch in &wave.touches[..wave.certain] {
                    // Neither is before the other.
                    let from = theirs.partition_point(|other| other.at.arrivals < touch.at.waits);
                    let to = theirs.partition_point(|other| other.at.waits <= touch.at.arrivals);
                    for with in theirs.get(from..to).unwrap_or_default() {
                        let Some(rest) = left.checked_sub(1) else { break };
                        left = rest;
                        if touch.writes != with.writes && meet(touch, with) {
                            let (store, load) = if touch.writes { (touch, with) } else { (with, touch) };
                            found.insert((store.site, load.site));
                        }
                    }
                }
            }
        }
        self.dispatches += u32::from(waves.iter().any(|wave| wave.certain > 0));
        for pair in found {
            *self.pairs.entry(pair).or_default() += 1;
        }
    }

    /// A store and a load each, by place.
    pub fn found(self) -> Vec<(SiteId, SiteId)> {
        let enough = self.dispatches.min(2);
        let mut found: Vec<_> =
            self.pairs.into_iter().filter(|&(_, times)| times >= enough).map(|(pair, _)| pair).collect();
        found.sort_unstable();
        found
    }
}

fn meet(one: &Touch<'_>, other: &Touch<'_>) -> bool {
    let ends = |touch: &Touch<'_>| Some((touch.bytes.first()?.0, touch.bytes.last()?.1));
    let (Some(a), Some(b)) = (ends(one), ends(other)) else { return false };
    a.0 < b.1 && b.0 < a.1 && common(one.bytes, other.bytes).is_some()
}
