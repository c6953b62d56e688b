//! Sets of events: one word for the tests that people write, more where there are more events.

use super::EventId;

const BITS: EventId = u64::BITS as EventId;

/// A set of events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set {
    low: u64,
    /// The words above, the last of which is not 0.
    high: Vec<u64>,
}

impl Set {
    /// The events below `end`.
    pub fn below(end: EventId) -> Set {
        (0..end).collect()
    }

    /// Whether it has an event.
    pub fn has(&self, event: EventId) -> bool {
        self.word(usize::from(event / BITS)) >> (event % BITS) & 1 != 0
    }

    /// Adds an event.
    pub fn insert(&mut self, event: EventId) {
        let bit = 1 << (event % BITS);
        match usize::from(event / BITS).checked_sub(1) {
            None => self.low |= bit,
            Some(at) => {
                if self.high.len() <= at {
                    self.high.resize(at + 1, 0);
                }
                self.high[at] |= bit;
            }
        }
    }

    /// Adds those of another.
    pub fn unite(&mut self, other: &Set) {
        self.low |= other.low;
        if self.high.len() < other.high.len() {
            self.high.resize(other.high.len(), 0);
        }
        self.high.iter_mut().zip(&other.high).for_each(|(own, theirs)| *own |= theirs);
    }

    /// With one more event.
    #[must_use]
    pub fn with(mut self, event: EventId) -> Set {
        self.insert(event);
        self
    }

    /// The events, ascending.
    pub fn members(&self) -> impl Iterator<Item = EventId> + '_ {
        let words = std::iter::once(self.low).chain(self.high.iter().copied());
        words.zip(0..).flat_map(|(word, at): (u64, EventId)| {
            let next = |rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
            let rests = std::iter::successors(Some(word).filter(|&word| word != 0), next);
            rests.map(move |rest| at * BITS + rest.trailing_zeros() as EventId)
        })
    }

    fn word(&self, at: usize) -> u64 {
        match at.checked_sub(1) {
            None => self.low,
            Some(at) => self.high.get(at).copied().unwrap_or(0),
        }
    }
}

impl FromIterator<EventId> for Set {
    fn from_iter<I: IntoIterator<Item = EventId>>(events: I) -> Set {
        events.into_iter().fold(Set::default(), Set::with)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// As a sorted set of numbers has it, on both sides of the first word.
    #[test]
    fn it_is_a_set() {
        let numbers = |step: EventId| (0..300).filter(move |number| number % step == 0);
        for (a, b) in [(2, 3), (7, 65), (64, 63), (299, 1)] {
            let mut own: Set = numbers(a).collect();
            own.unite(&numbers(b).collect());
            let expected: BTreeSet<EventId> = numbers(a).chain(numbers(b)).collect();
            assert_eq!(own.members().collect::<Vec<_>>(), expected.iter().copied().collect::<Vec<_>>());
            assert!((0..400).all(|event| own.has(event) == expected.contains(&event)));
        }
        assert_eq!(Set::below(130).members().count(), 130);
    }
}
