//! Copies that are in flight where their wave raises a flag in LDS, behind which others read what they bring.
//!
//! Waves that wait for each other by an atomic on LDS are not held against each other: what orders them is not known. But
//! where a copy is found to be in flight at the end of its wave, and another wave reads its bytes behind the same atomic,
//! the wait that is missing belongs before that.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_memmodel::counters::Pending;
use wavemark_sim::foresight::common;

use super::super::Analysis;
use super::MissingWait;
use crate::site_info::SiteId;

/// Runs of bytes.
type Bytes<'w> = &'w [(u32, u32)];

/// So many pairs of copies and reads are held against each other: a few milliseconds.
const PAIRS: usize = 400_000;

/// What a wave does about atomics on LDS.
#[derive(Default)]
pub(super) struct Flags<'w> {
    /// Copies in flight at one: it, the copy, its bytes, and what a wait may leave in flight there.
    raised: Vec<(SiteId, SiteId, Bytes<'w>, Pending)>,
    last: Option<SiteId>,
    /// Reads behind one: the last one, and the bytes.
    reads: Vec<(SiteId, Bytes<'w>)>,
}

impl<'w> Flags<'w> {
    /// The wave comes to an atomic with these copies in flight.
    pub fn raise(&mut self, flag: SiteId, copies: impl Iterator<Item = (SiteId, Bytes<'w>, Pending)>) {
        self.last = Some(flag);
        self.raised.extend(copies.map(|(copy, bytes, awaited)| (flag, copy, bytes, awaited)));
    }

    /// The wave reads LDS.
    pub fn read(&mut self, bytes: Bytes<'w>) {
        self.reads.extend(self.last.map(|flag| (flag, bytes)));
    }
}

/// The waits for copies that others lack.
#[derive(Default)]
pub(in super::super) struct HandedOn {
    by_copy: FxHashMap<SiteId, SmallVec<[MissingWait; 1]>>,
    left: usize,
}

impl HandedOn {
    /// None is known.
    pub(super) fn of(unfinished: &FxHashSet<SiteId>) -> HandedOn {
        HandedOn { by_copy: FxHashMap::default(), left: if unfinished.is_empty() { 0 } else { PAIRS } }
    }

    /// The wait for a copy, if it is missing in one place.
    pub fn wait(&self, copy: SiteId) -> Option<MissingWait> {
        match self.by_copy.get(&copy).map(SmallVec::as_slice) {
            Some([wait]) => Some(*wait),
            _ => None,
        }
    }

    /// Looks at the waves of a workgroup.
    pub(super) fn look(&mut self, analysis: &Analysis<'_>, waves: &[&Flags<'_>]) {
        for (number, wave) in waves.iter().enumerate() {
            for &(flag, copy, bytes, awaited) in &wave.raised {
                let others = waves.iter().enumerate().filter(|&(other, _)| other != number);
                let reads = others.flat_map(|(_, other)| &other.reads).filter(|(behind, _)| *behind == flag);
                for (_, read) in reads {
                    let Some(left) = self.left.checked_sub(1) else { return };
                    self.left = left;
                    if common(bytes, read).is_some() {
                        self.add(copy, MissingWait::new(analysis, flag, awaited));
                        break;
                    }
                }
            }
        }
    }

    fn add(&mut self, copy: SiteId, wait: MissingWait) {
        let known = self.by_copy.entry(copy).or_default();
        match known.iter_mut().find(|known| known.before == wait.before) {
            Some(known) => known.enough = known.enough.min(wait.enough),
            None => known.push(wait),
        }
    }
}
