//! Loads and stores of LDS by two waves that no barrier orders, by address (S2).
//!
//! Looked at is what waves do whatever memory holds, before anything by which they may be ordered otherwise: no branch was
//! taken that is not known, no atomic was met, and no load whose value a loop may wait for ([`polls`](super::polls)).
//! Addresses may depend on the numbers that stand for a kernel's arguments; what is found holds with two of them, if
//! there are as many. Stores of two waves to the same bytes are not looked at: several waves may write the same.

use std::cell::LazyCell;

use wavemark_sim::foresight::common;

use super::super::one_barrier::order::alike;
use super::super::one_barrier::{Between, Meeting, Meetings, Pair};
use super::{Touch, Wave};

/// As many pairs of accesses are held against each other for a dispatch: a few milliseconds.
const PAIRS: usize = 400_000;

/// Looks at the waves of a workgroup. Whether there was anything to see.
pub(super) fn look<'w>(waves: &[Wave<'w>], meetings: &mut Meetings<'w>) -> bool {
    let mut left = PAIRS;
    for (number, wave) in waves.iter().enumerate() {
        for (ahead, other) in waves[number + 1..].iter().enumerate() {
            let alike = LazyCell::new(|| alike(wave.steps, other.steps));
            let theirs = &other.touches[..other.certain];
            for touch in &wave.touches[..wave.certain] {
                // Neither is before the other.
                let from = theirs.partition_point(|other| other.at.arrivals < touch.at.waits);
                let to = theirs.partition_point(|other| other.at.waits <= touch.at.arrivals);
                for with in theirs.get(from..to).unwrap_or_default() {
                    let Some(rest) = left.checked_sub(1) else { break };
                    left = rest;
                    if touch.writes != with.writes && meet(touch, with) {
                        let own = (touch.site, wave.done(touch.at, touch.writes));
                        let theirs = (with.site, other.done(with.at, with.writes));
                        let numbers = [number, number + 1 + ahead];
                        let (first, second, waves) = match meetings.precedes(own, theirs, *alike) {
                            true => ((wave, touch), (other, with), numbers),
                            false => ((other, with), (wave, touch), [numbers[1], numbers[0]]),
                        };
                        let pair = Pair { handed_on: false, first: first.1.site, second: second.1.site };
                        let (from, to) = ((first.0.steps, first.1.at), (second.0.steps, second.1.at));
                        let (issued, alike, between) = (from.1, *alike, Between::Touch);
                        meetings.add(pair, Meeting { from, issued, to, waves, alike, between });
                    }
                }
            }
        }
    }
    waves.iter().any(|wave| wave.certain > 0)
}

fn meet(one: &Touch<'_>, other: &Touch<'_>) -> bool {
    let ends = |touch: &Touch<'_>| Some((touch.bytes.first()?.0, touch.bytes.last()?.1));
    let (Some(a), Some(b)) = (ends(one), ends(other)) else { return false };
    a.0 < b.1 && b.0 < a.1 && common(one.bytes, other.bytes).is_some()
}
