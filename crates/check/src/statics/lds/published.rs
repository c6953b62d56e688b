//! Accesses of LDS that are in flight at a barrier (S1), or at a later access of the same wave (R4, R5), by address: which of the
//! pairs that the paths allow can be seen never to meet.
//!
//! A pair is an access and a later one behind the barrier, before the next arrival. It *meets* if the waves of some supposed
//! dispatch come to both in that order, one wave to the first and another to the second, if their bytes are known there, and
//! if they have some in common. It is *apart* if their bytes are known each time and they never have. Rings of buffers
//! need no more: what is one barrier apart lies the same way in each turn. Of a pair that the waves do not come to neither is known.
//! Pairs of one wave are so likewise.
//!
//! Waves that go different ways (one stores what another loads) have pairs that no path has. Of these those are found whose
//! bytes are known and in common.
//!
//! That bytes in common meet is said up to the barrier before which a wave may have learnt of others by something else: another
//! barrier, an atomic on LDS that returns something, a load that polls.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_memmodel::counters::{InFlight, Pending};
use wavemark_sim::foresight::{Lds, Step, Way, common};

use super::super::barriers::Unpublished;
use super::{Analysis, Effect, Moment, OTHERS, barriers, learns_otherwise};
use crate::site_info::SiteId;

/// As many times accesses are held against each other: a few milliseconds.
const COMPARISONS: usize = 400_000;

/// Runs of bytes, if they are known.
type Bytes<'w> = Option<&'w [(u32, u32)]>;

/// What is known of pairs of accesses.
pub(in super::super) struct Pairs {
    /// Those behind a barrier.
    pub behind: Seen,
    /// Those of one wave.
    pub own: Seen,
    /// Accesses in flight at a barrier, each with one behind it of a wave that goes another way, with bytes in common.
    pub of_other_ways: Vec<(Unpublished, SiteId)>,
    /// A wave may arrive at a barrier with an access in flight, whatever follows on its own way.
    arrives_with: bool,
    left: usize,
}

/// What was seen of pairs.
pub(in super::super) struct Seen(FxHashMap<(SiteId, SiteId), Met>);

/// What was seen of one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    Never,
    Apart,
    /// Once it could not be told; else they were apart.
    Unknown,
    Common,
}

/// What was in flight when a wave arrived at the barrier.
struct Arrived<'w> {
    /// Its how manieth arrival, and where.
    number: u32,
    arrival: SiteId,
    access: SiteId,
    bytes: Bytes<'w>,
    /// What a wait before it may leave in flight.
    awaited: Pending,
}

impl Seen {
    fn none(pairs: impl IntoIterator<Item = (SiteId, SiteId)>) -> Seen {
        Seen(pairs.into_iter().map(|pair| (pair, Met::Never)).collect())
    }

    /// Whether the pair was seen and was always apart.
    pub fn are_apart(&self, pair: (SiteId, SiteId)) -> bool {
        self.0.get(&pair) == Some(&Met::Apart)
    }

    /// Whether the pair was seen to have bytes in common.
    pub fn meet(&self, pair: (SiteId, SiteId)) -> bool {
        self.0.get(&pair) == Some(&Met::Common)
    }

    /// Holds two accesses against each other, if so many comparisons are left; whether the pair is one that is asked for. Something
    /// else than the barrier may order them, if they are `else_ordered`.
    fn compare(
        &mut self,
        left: &mut usize,
        else_ordered: bool,
        (first, bytes): (SiteId, Bytes<'_>),
        (second, later): (SiteId, Bytes<'_>),
    ) -> bool {
        let Some(met) = self.0.get_mut(&(first, second)) else { return false };
        if *met == Met::Common {
            return true;
        }
        let looked = left.checked_sub(1);
        *left = looked.unwrap_or(0);
        *met = match (bytes, later, looked) {
            (Some(bytes), Some(later), Some(_)) => match common(bytes, later).is_some() {
                true if else_ordered => Met::Unknown,
                true => Met::Common,
                false if *met == Met::Unknown => Met::Unknown,
                false => Met::Apart,
            },
            _ => Met::Unknown,
        };
        true
    }
}

/// What a wave does to LDS.
#[derive(Default)]
struct Accesses<'w> {
    /// What was in flight when the wave arrived.
    in_flight: Vec<Arrived<'w>>,
    /// All accesses, in order.
    all: Vec<(Moment, SiteId, Bytes<'w>)>,
    /// What was in flight when the wave came to an access, and that one.
    own: Vec<[(SiteId, Bytes<'w>); 2]>,
    /// How often it had arrived when it may have learnt of others by something else.
    learnt: Option<u32>,
}

impl Pairs {
    /// Of nothing is anything known, of those behind a barrier and those of one wave. A wave may arrive at a barrier with an access
    /// in flight, if it `arrives_with` any.
    pub fn new(
        behind: impl IntoIterator<Item = (SiteId, SiteId)>,
        own: impl IntoIterator<Item = (SiteId, SiteId)>,
        arrives_with: bool,
    ) -> Pairs {
        let (behind, own) = (Seen::none(behind), Seen::none(own));
        Pairs { behind, own, of_other_ways: Vec::new(), arrives_with, left: COMPARISONS }
    }

    /// Whether there is anything to know.
    pub fn is_empty(&self) -> bool {
        self.behind.0.is_empty() && self.own.0.is_empty() && !self.arrives_with
    }

    /// Looks at the waves of a workgroup, `most` instructions of each.
    pub(super) fn look(
        &mut self,
        analysis: &Analysis<'_>,
        ways: &[Way],
        most: u32,
        polls: &FxHashSet<SiteId>,
    ) {
        let steps = ways.iter().map(|way| way.within(most).0);
        let waves: Vec<Accesses<'_>> =
            steps.map(|steps| Accesses::of(analysis, steps, &self.own, polls)).collect();
        let last = waves.iter().filter_map(|wave| wave.learnt).min().unwrap_or(u32::MAX);
        for (number, wave) in waves.iter().enumerate() {
            for &[first, second] in &wave.own {
                self.own.compare(&mut self.left, false, first, second);
            }
            for (_, other) in waves.iter().enumerate().filter(|&(other, _)| other != number) {
                for arrived in &wave.in_flight {
                    let number = arrived.number;
                    let from = other.all.partition_point(|&(at, ..)| at.waits < number);
                    let behind = other.all[from..].iter().take_while(|&&(at, ..)| at.arrivals <= number);
                    for &(_, second, later) in behind {
                        let first = (arrived.access, arrived.bytes);
                        let else_ordered = number > last;
                        let of_one_way =
                            self.behind.compare(&mut self.left, else_ordered, first, (second, later));
                        if !of_one_way && !else_ordered {
                            self.look_at_other_way(analysis, arrived, (second, later));
                        }
                    }
                }
            }
        }
    }
}

impl Pairs {
    /// An access of a wave that goes another way is behind the barrier at which one is in flight.
    fn look_at_other_way(
        &mut self,
        analysis: &Analysis<'_>,
        arrived: &Arrived<'_>,
        (second, later): (SiteId, Bytes<'_>),
    ) {
        let (Some(bytes), Some(later), Some(left)) = (arrived.bytes, later, self.left.checked_sub(1)) else {
            return;
        };
        self.left = left;
        let access = |site| barriers::access(analysis.sites.get(site));
        let meets =
            access(arrived.access).zip(access(second)).is_some_and(|(first, second)| first.meets(second));
        if !meets || common(bytes, later).is_none() {
            return;
        }
        let found = (Unpublished::at(arrived.arrival, &arrived.awaited), second);
        if !self.of_other_ways.contains(&found) {
            self.of_other_ways.push(found);
        }
    }
}

impl<'w> Accesses<'w> {
    /// Those of the wave that goes this way; of pairs of its own those that are `wanted`.
    fn of(
        analysis: &Analysis<'_>,
        steps: &'w [Step],
        wanted: &Seen,
        polls: &FxHashSet<SiteId>,
    ) -> Accesses<'w> {
        let mut accesses = Accesses::default();
        let mut in_flight = InFlight::default();
        // By the number of the operation in flight.
        let mut open: SmallVec<[(u32, SiteId, Bytes<'w>); 16]> = SmallVec::new();
        let mut now = Moment::default();
        for (step, foreseen) in steps.iter().enumerate() {
            now.step = step;
            let Some(site) = analysis.sites.find(foreseen.pc, foreseen.msb) else { break };
            let info = analysis.sites.get(site);
            if learns_otherwise(info) || polls.contains(&site) {
                accesses.learnt.get_or_insert(now.arrivals);
            }
            let bytes = match &foreseen.lds {
                Lds::Bytes(bytes) => Some(bytes.as_slice()),
                _ => None,
            };
            let access = barriers::access(info).map(|_| bytes);
            accesses.all.extend(access.map(|bytes| (now, site, bytes)));
            let pairs = open.iter().map(|&(_, first, earlier)| [(first, earlier), (site, bytes)]);
            accesses.own.extend(pairs.filter(|[first, second]| wanted.0.contains_key(&(first.0, second.0))));
            if let Some(effect) = Effect::of(info) {
                now.arrivals += u32::from(effect.arrives);
                if effect.arrives {
                    let number = now.arrivals;
                    let arrived = open.iter().filter_map(|&(operation, access, bytes)| {
                        let mut pending = in_flight.pending().iter();
                        let awaited = *pending.find(|one| one.operation == operation)?;
                        let awaited = Pending { operation: access, ..awaited };
                        Some(Arrived { number, arrival: site, access, bytes, awaited })
                    });
                    accesses.in_flight.extend(arrived);
                }
                now.waits += u32::from(effect.waits);
            }
            analysis.wait(&mut in_flight, info);
            let number = if access.is_some() { step as u32 } else { OTHERS };
            analysis.issue(&mut in_flight, number, info);
            open.extend(access.map(|bytes| (number, site, bytes)));
            open.retain(|&mut (number, ..)| in_flight.has(number));
        }
        accesses
    }
}
