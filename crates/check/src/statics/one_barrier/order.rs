//! Which of two accesses of two waves comes first, where no barrier orders them.
//!
//! Where both waves go the same way, the one that comes earlier on it; else the one behind fewer barriers. Behind the
//! same barriers it is the one that the wave of the other one comes by, too, on its way there: as in a loop in which all
//! waves read, and one of them goes on to copy for all. Of two that no wave comes by both, the write.

use std::cmp::Ordering;

use wavemark_sim::foresight::Step;

use super::Moment;

/// An access of a wave.
#[derive(Clone, Copy)]
pub(in super::super) struct Done<'w> {
    pub steps: &'w [Step],
    /// At which steps its wave arrives at the workgroup barrier or waits for it.
    pub turns: &'w [usize],
    pub at: Moment,
    pub writes: bool,
}

impl Done<'_> {
    /// How far behind the last barrier it comes, and the addresses that its wave comes by between that and the next one.
    fn turn(&self) -> Option<(usize, &[Step])> {
        let next = self.turns.partition_point(|&turn| turn < self.at.step);
        let from = next.checked_sub(1).and_then(|last| self.turns.get(last)).map_or(0, |last| last + 1);
        let to = self.turns.get(next).copied().unwrap_or(self.steps.len());
        Some((self.at.step.checked_sub(from)?, self.steps.get(from..to)?))
    }

    /// Whether its wave comes by another access, before its own or behind it, without a barrier in between.
    fn comes_by(&self, other: &Done<'_>, before: bool) -> bool {
        let (Some((at, turn)), Some(place)) = (self.turn(), other.steps.get(other.at.step)) else {
            return false;
        };
        let way = if before { turn.get(..at) } else { turn.get(at..) };
        way.unwrap_or_default().iter().any(|step| step.pc == place.pc)
    }
}

/// Whether one comes before the other, if their ways or barriers say so; the first `alike` steps of the waves are the same.
pub(in super::super) fn by_barriers(one: Moment, other: Moment, alike: usize) -> Option<bool> {
    if one.step.max(other.step) < alike {
        return Some(one.step <= other.step);
    }
    match (one.waits, one.arrivals).cmp(&(other.waits, other.arrivals)) {
        Ordering::Less => Some(true),
        Ordering::Greater => Some(false),
        Ordering::Equal => None,
    }
}

/// Whether one comes before the other, behind the same barriers.
pub(in super::super) fn on_the_way(one: &Done<'_>, other: &Done<'_>) -> bool {
    let comes = |from: &Done<'_>, to: &Done<'_>| to.comes_by(from, true) || from.comes_by(to, false);
    match (comes(one, other), comes(other, one)) {
        (first, second) if first != second => first,
        _ => one.writes,
    }
}

/// How many steps of two waves, the first ones, are the same.
pub(in super::super) fn alike(one: &[Step], other: &[Step]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| (one.pc, one.msb) == (other.pc, other.msb)).count()
}
