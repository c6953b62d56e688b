//! Loads that may poll and are in flight: what they read is what is in memory when they land.
//!
//! The shadow knows of a load until something else is written there. A load that is in flight may read that as well, and what is
//! written behind it, which is what its wave learns of then. Stores are asked for: what atomics publish is learnt when a load lands
//! ([`crate::sync`]).

use smallvec::SmallVec;
use wavemark_sim::events::Access;

use crate::Checker;
use crate::meeting::Conflict;
use crate::relation::Later;
use crate::shadow::{Record, for_each_dword};
use crate::sync::memory;
use crate::taint::Poll;

/// A load that may have polled a dword.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PollInFlight {
    /// Which memory, and where there.
    at: (u32, u64),
    load: Record,
}

impl Checker {
    /// What another wave's load may have polled is written after it: it may read that, and what is written there later, as long as
    /// it is in flight.
    pub(crate) fn suspect_poll(&mut self, later: &Later, conflict: &Conflict) {
        let load = conflict.earlier;
        self.suspect_earlier(load, Poll::Loop, self.told_by(&later.record));
        let poll = PollInFlight { at: (memory(later.space, later.wave), conflict.dword), load };
        if self.is_in_flight(&load) && !self.polls_in_flight.contains(&poll) {
            self.polls_in_flight.push(poll);
        }
    }

    /// Loads that are in flight may read what a store writes, which the shadow does not know of them any more as an earlier store
    /// has come between.
    pub(crate) fn tell_polls_in_flight(&mut self, store: &Later, access: &Access) {
        let mut polls = std::mem::take(&mut self.polls_in_flight);
        polls.retain(|poll| self.is_in_flight(&poll.load));
        let mut written: SmallVec<[PollInFlight; 2]> = SmallVec::new();
        for_each_dword(&access.extent, |dword| {
            let at = (memory(store.space, store.wave), dword);
            written.extend(polls.iter().copied().filter(|poll| poll.at == at));
        });
        for poll in written.iter().filter(|poll| poll.load.epoch.agent != store.wave.index) {
            self.suspect_earlier(poll.load, Poll::Loop, self.told_by(&store.record));
        }
        self.polls_in_flight = polls;
    }

    fn is_in_flight(&self, load: &Record) -> bool {
        self.waves.get(load.epoch.agent).is_some_and(|of| !of.ended && !of.has_retired(load.epoch))
    }
}
