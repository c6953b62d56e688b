//! Vector clocks over agents with several in-order channels each; knows no GPU instruction.
//!
//! An agent's operations on one channel complete in the order of their sequence numbers, so that "these have
//! happened" is one number per agent and channel ([`Clock`]), and one operation is an [`Epoch`]. Asynchronous
//! operations need no agents of their own: they are forked at issue and joined when a wait raises the clock.
//! (FastTrack's epochs, Flanagan and Freund 2009, with channels in the place of threads.)

#![forbid(unsafe_code)]

use smallvec::SmallVec;

/// One operation: an agent's `seq`-th on `channel`. Sequence numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch {
    /// Whose.
    pub agent: u32,
    /// On which of its channels.
    pub channel: u8,
    /// Which.
    pub seq: u32,
}

/// For each agent and channel, up to which operation everything is known. Agents that are absent are at 0.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Clock<const CHANNELS: usize> {
    /// Ascending by agent.
    entries: SmallVec<[(u32, [u32; CHANNELS]); 1]>,
}

/// As derived, but all entries at once.
impl<const CHANNELS: usize> Clone for Clock<CHANNELS> {
    fn clone(&self) -> Self {
        Clock { entries: SmallVec::from_slice(&self.entries) }
    }
}

impl<const CHANNELS: usize> Clock<CHANNELS> {
    /// Nothing is known.
    pub fn new() -> Self {
        Clock { entries: SmallVec::new() }
    }

    fn find(&self, agent: u32) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&agent, |&(a, _)| a)
    }

    /// How far `agent` is known on `channel`.
    pub fn get(&self, agent: u32, channel: u8) -> u32 {
        self.find(agent).map_or(0, |at| self.entries[at].1[usize::from(channel)])
    }

    /// The agents of which anything is known, ascending.
    pub fn agents(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().map(|&(agent, _)| agent)
    }

    /// Whether the operation is known.
    pub fn knows(&self, epoch: Epoch) -> bool {
        self.get(epoch.agent, epoch.channel) >= epoch.seq
    }

    /// Know `agent` on `channel` up to `seq`.
    pub fn raise(&mut self, agent: u32, channel: u8, seq: u32) {
        let known = &mut self.of(agent)[usize::from(channel)];
        *known = (*known).max(seq);
    }

    /// How far an agent is known, to be raised.
    fn of(&mut self, agent: u32) -> &mut [u32; CHANNELS] {
        let at = self.find(agent).unwrap_or_else(|at| {
            self.entries.insert(at, (agent, [0; CHANNELS]));
            at
        });
        &mut self.entries[at].1
    }

    /// Know `agent` on all channels up to these.
    pub fn raise_each(&mut self, agent: u32, seqs: impl IntoIterator<Item = u32>) {
        let mut seqs = seqs.into_iter().enumerate().filter(|&(_, seq)| seq > 0).peekable();
        if seqs.peek().is_none() {
            return;
        }
        let known = self.of(agent);
        for (channel, seq) in seqs {
            known[channel] = known[channel].max(seq);
        }
    }

    /// The same of agents whose numbers are higher by so much.
    #[must_use]
    pub fn moved(&self, by: u32) -> Self {
        let mut moved = self.clone();
        moved.entries.iter_mut().for_each(|(agent, _)| *agent += by);
        moved
    }

    /// Forget the agents that `which` does not accept.
    pub fn retain(&mut self, which: impl Fn(u32) -> bool) {
        self.entries.retain(|&mut (agent, _)| which(agent));
    }

    /// Nothing is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Know what `other` knows; whether any of it is new.
    pub fn join(&mut self, other: &Self) -> bool {
        self.join_where(other, |_| true)
    }

    /// Know what `other` knows of the agents that `which` accepts; whether any of it is new.
    pub fn join_where(&mut self, other: &Self, which: impl Fn(u32) -> bool) -> bool {
        let mut new = false;
        // Both are in the order of agents, and mostly know the same ones.
        let mut at = 0;
        for (agent, theirs) in other.entries.iter().filter(|(agent, _)| which(*agent)) {
            while self.entries.get(at).is_some_and(|(mine, _)| mine < agent) {
                at += 1;
            }
            match self.entries.get_mut(at) {
                Some((same, mine)) if same == agent => {
                    for (mine, theirs) in mine.iter_mut().zip(theirs) {
                        new |= *theirs > *mine;
                        *mine = (*mine).max(*theirs);
                    }
                }
                _ => {
                    self.entries.insert(at, (*agent, *theirs));
                    new = true;
                }
            }
        }
        new
    }

    /// Know what `other` knows of these channels of the agents that `which` accepts.
    pub fn join_channels(&mut self, other: &Self, channels: &[u8], which: impl Fn(u32) -> bool) {
        for (agent, theirs) in other.entries.iter().filter(|(agent, _)| which(*agent)) {
            for &channel in channels {
                let seq = theirs[usize::from(channel)];
                if seq > 0 {
                    self.raise(*agent, channel, seq);
                }
            }
        }
    }

    /// Whether what `other` knows of `agent` is known here too.
    pub fn includes_of(&self, other: &Self, agent: u32) -> bool {
        let Ok(at) = other.find(agent) else { return true };
        let Ok(own) = self.find(agent) else { return false };
        self.entries[own].1.iter().zip(&other.entries[at].1).all(|(own, theirs)| own >= theirs)
    }

    /// Whether everything that `other` knows is known here too.
    pub fn includes(&self, other: &Self) -> bool {
        other.entries.iter().all(|(agent, theirs)| {
            theirs.iter().enumerate().all(|(c, &seq)| self.get(*agent, c as u8) >= seq)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clock(points: &[(u32, u8, u32)]) -> Clock<3> {
        let mut clock = Clock::new();
        for &(agent, channel, seq) in points {
            clock.raise(agent, channel % 3, seq);
        }
        clock
    }

    #[test]
    fn an_absent_agent_is_at_zero() {
        let clock = clock(&[(7, 1, 3)]);
        assert!(clock.knows(Epoch { agent: 7, channel: 1, seq: 3 }));
        assert!(!clock.knows(Epoch { agent: 7, channel: 1, seq: 4 }));
        assert!(!clock.knows(Epoch { agent: 8, channel: 1, seq: 1 }));
    }

    proptest! {
        /// `join` is the least upper bound.
        #[test]
        fn join_is_a_least_upper_bound(
            a in prop::collection::vec((0u32..6, 0u8..3, 1u32..9), 0..12),
            b in prop::collection::vec((0u32..6, 0u8..3, 1u32..9), 0..12),
        ) {
            let (a, b) = (clock(&a), clock(&b));
            let mut both = a.clone();
            both.join(&b);
            prop_assert!(both.includes(&a) && both.includes(&b));
            prop_assert_eq!(a.clone().join(&b), both != a);
            for agent in 0..6 {
                for channel in 0..3 {
                    prop_assert_eq!(both.get(agent, channel), a.get(agent, channel).max(b.get(agent, channel)));
                }
            }
            let mut other_way = b.clone();
            other_way.join(&a);
            prop_assert_eq!(both, other_way);
        }
    }
}
