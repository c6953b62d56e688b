//! Loads of LDS that come again and again: a wave looks at a barrier cell until others have arrived there.
//!
//! A load of one place by all lanes has nothing to say if it had nothing when its wave loaded from there last, nobody has
//! written there since, and the wave has learnt nothing in between. It takes the place of the last one in the shadow: so it is
//! enough to tell the shadow of the last one of each wave, before somebody else touches the place. What is told then is
//! what the wave knew when it did the load.

use std::sync::Arc;

use smallvec::SmallVec;
use wavemark_order::Epoch;
use wavemark_sim::events::{
    Access, CHANNELS, Direction, Extent, LoadIssue, OpId, Scope, Site, Space, WaveId,
};

use crate::Checker;
use crate::knowledge::{Knowledge, WaveClock};
use crate::meeting::Meeting;
use crate::relation::{Later, Order, View, channel};
use crate::shadow::{Place, Record, Shadow, bounds};
use crate::site_info::SiteId;
use crate::snapshot::Moved;
use crate::wave_state::{Moves, WaveState};

/// A load into registers of one place of LDS.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub epoch: Epoch,
    pub site: SiteId,
    pub scope: Scope,
    pub place: Place,
}

/// The last one of a wave that had nothing to say.
#[derive(Clone, Debug)]
struct Poll {
    record: Record,
    place: Place,
    /// What its wave knew of others, and what of its own was retired.
    learnt: Arc<Knowledge>,
    retired: [u32; CHANNELS],
    /// The shadow knows of an earlier one in its place.
    untold: bool,
    /// Its number, if it follows that it is issued, and nobody has asked yet whether it is complete.
    in_flight: Option<OpId>,
}

/// Those of a workgroup's waves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polls(Vec<Poll>);

impl Poll {
    /// Whether a load of the same wave is another one of the same.
    fn is_again(&self, load: &Load, state: &WaveState) -> bool {
        let Record { epoch, site, scope, .. } = self.record;
        let own = usize::from(epoch.channel);
        let retired_alike = (0..CHANNELS).all(|at| at == own || self.retired[at] == state.retired[at]);
        (epoch.channel, site, scope, self.place) == (load.epoch.channel, load.site, load.scope, load.place)
            && retired_alike
            && Arc::ptr_eq(&self.learnt, &state.learnt)
    }

    /// Tell the shadow of it.
    fn tell(&mut self, shadow: &mut Shadow, order: &Order<'_>) {
        self.untold = false;
        let Some(wave) = order.waves.id(self.record.epoch.agent) else { return };
        let nothing = WaveClock::new();
        let view = View { known: &self.learnt, retired: &self.retired, scalar_fresh: &nothing, by: 0 };
        let order = Order { view, ..*order };
        let later = Later {
            wave,
            record: self.record,
            channel: channel(self.record.epoch.channel),
            space: Space::Lds,
            direction: Direction::Read,
            dwords: self.place.bytes.div_ceil(4),
        };
        let relation = |old: &Record, write_first: bool| order.relation(old, &later, write_first);
        let access = Access { space: later.space, direction: later.direction, extent: self.place.extent() };
        Meeting::new(&access, self.record, None, relation, |_| true).touch_all(shadow);
    }
}

impl Polls {
    /// Whether a load is the last one of its wave again; it is the last one now, by its place in the `order` of accesses.
    #[inline]
    pub fn come_again(&mut self, load: &Load, order: u32, state: &WaveState) -> bool {
        let Some(poll) = self.of(load.epoch.agent).filter(|poll| poll.is_again(load, state)) else {
            return false;
        };
        (poll.record.epoch, poll.record.order, poll.retired) = (load.epoch, order, state.retired);
        poll.untold = true;
        true
    }

    /// It follows that the last one of a wave is issued.
    pub fn goes_into_flight(&mut self, agent: u32, id: OpId) {
        if let Some(poll) = self.of(agent) {
            poll.in_flight = Some(id);
        }
    }

    /// The last one of a wave, if this is its number and it is complete now.
    #[inline]
    pub fn lands(&mut self, agent: u32, id: OpId) -> Option<Load> {
        let poll = self.of(agent).filter(|poll| poll.in_flight == Some(id))?;
        poll.in_flight = None;
        let Record { epoch, site, scope, .. } = poll.record;
        Some(Load { epoch, site, scope, place: poll.place })
    }

    /// A load of one place had nothing to say, and the shadow knows of it.
    pub fn note(&mut self, record: Record, place: Place, shadow: &mut Shadow, order: &Order<'_>) {
        let Some(state) = order.waves.get(record.epoch.agent) else { return };
        let (learnt, retired) = (Arc::clone(&state.learnt), state.retired);
        let new = Poll { record, place, learnt, retired, untold: false, in_flight: None };
        // One of another place.
        self.tell_where(shadow, order, |poll| poll.record.epoch.agent == record.epoch.agent);
        match self.of(record.epoch.agent) {
            Some(poll) => *poll = new,
            None => self.0.push(new),
        }
    }

    /// The last one of a wave.
    #[inline]
    fn of(&mut self, agent: u32) -> Option<&mut Poll> {
        self.0.iter_mut().find(|poll| poll.record.epoch.agent == agent)
    }

    /// Somebody is about to touch a place: tell the shadow of those that it does not know there. `order` is his.
    #[inline]
    pub fn tell(&mut self, shadow: &mut Shadow, extent: &Extent, order: &Order<'_>) {
        if self.0.iter().any(|poll| poll.untold) {
            let touched = bounds(extent).unwrap_or_default();
            self.tell_where(shadow, order, |poll| poll.place.meets(touched));
        }
    }

    /// The same of all places.
    pub fn tell_all(&mut self, shadow: &mut Shadow, order: &Order<'_>) {
        self.tell_where(shadow, order, |_| true);
    }

    /// Tell the shadow of those that it does not know up to the last one that is meant: in their order.
    fn tell_where(&mut self, shadow: &mut Shadow, order: &Order<'_>, which: impl Fn(&Poll) -> bool) {
        let meant = self.0.iter().filter(|poll| poll.untold && which(poll)).map(|poll| poll.record.order);
        let Some(last) = meant.max() else { return };
        let mut untold: SmallVec<[&mut Poll; 16]> =
            self.0.iter_mut().filter(|poll| poll.untold && poll.record.order <= last).collect();
        untold.sort_unstable_by_key(|poll| poll.record.order);
        untold.into_iter().for_each(|poll| poll.tell(shadow, order));
    }

    /// A place has been written: what is loaded from there may have something to say.
    #[inline]
    pub fn forget(&mut self, extent: &Extent) {
        if !self.0.is_empty() {
            let touched = bounds(extent).unwrap_or_default();
            self.0.retain(|poll| !poll.place.meets(touched));
        }
    }

    /// The same of waves whose numbers are higher by so much.
    pub fn moved(&self, by: &mut Moved) -> Polls {
        let mut moved = self.clone();
        for poll in &mut moved.0 {
            poll.record.epoch.agent += by.agents;
            poll.learnt = by.shared(&poll.learnt);
        }
        moved
    }
}

impl Checker {
    /// Whether the issue of a load is that of the last one of its wave again; it is noted then.
    pub(crate) fn polls_again(&mut self, wave: WaveId, site: &Site, load: &LoadIssue<'_>) -> bool {
        let (&[access], &[(channel, seq)]) = (load.accesses, load.seq) else { return false };
        // What becomes of the value of each is wanted.
        if self.follows_loads_at(site.pc) {
            return false;
        }
        let Some(lds) = self.lds.get_mut(&wave.workgroup_flat).filter(|_| access.space == Space::Lds) else {
            return false;
        };
        let (Some(at), Some(state)) = (access.one_address(), self.waves.get(wave.index)) else {
            return false;
        };
        let site = self.sites.id(site);
        let epoch = Epoch { agent: wave.index, channel: channel as u8, seq };
        let place = Place { mask: access.mask, bytes: access.bytes, at };
        let next = lds.next();
        let again = lds.polls.come_again(&Load { epoch, site, scope: load.scope, place }, next, state);
        if again {
            lds.polls.goes_into_flight(wave.index, load.id);
            self.note_operation(wave, site, load.seq, Moves::LOAD);
        }
        again
    }

    /// Whether an operation whose issue has followed is complete now; it is noted then.
    pub(crate) fn poll_lands(&mut self, wave: WaveId, id: OpId) -> bool {
        let Some(lds) = self.lds.get_mut(&wave.workgroup_flat) else { return false };
        let Some(load) = lds.polls.lands(wave.index, id) else { return false };
        self.note_load_completion(wave, &load);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use wavemark_sim::events::Channel;
    use wavemark_target::{Machine, Processor};

    use super::*;
    use crate::shadow::{Page, State};
    use crate::waves::Waves;

    /// What the shadow remembers of dwords of its first page: the operations, in its order.
    fn remembered(shadow: &mut Shadow, dwords: Range<u64>) -> Vec<Vec<Epoch>> {
        let (Page { states, .. }, sets) = shadow.page(0);
        let mut all = Vec::new();
        states.update(dwords.start as usize..dwords.end as usize, |dwords, state: State| {
            for _ in dwords {
                let members = sets.members(state.writes()).into_iter().chain(sets.members(state.reads()));
                all.push(members.map(|(old, _)| sets.record(old).epoch).collect());
            }
            state
        });
        all
    }

    /// What is told late is remembered as if it were told at once.
    #[test]
    fn polls_are_remembered_as_if_told_at_once() {
        let mut random = 7u64;
        let mut draw = |below: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % below
        };
        let facts = Machine::new(Processor::Gfx1250).facts();
        let mut again = 0;
        for _ in 0..200 {
            let mut waves = Waves::default();
            for index in 0..4 {
                waves.start(WaveId { index, wave: index, ..WaveId::default() });
            }
            let (mut polls, mut late, mut at_once) = (Polls::default(), Shadow::default(), Shadow::default());
            for order in 1..60 {
                let agent = draw(4) as u32;
                if draw(6) == 0
                    && let Some(state) = waves.get_mut(agent)
                {
                    state.known.relied.raise(draw(4) as u32, Channel::Ds as u8, draw(order.into()) as u32);
                    state.note_learnt();
                }
                let epoch = Epoch { agent, channel: Channel::Ds as u8, seq: order };
                let place = Place { mask: 0xffff_ffff, bytes: 4 << draw(2), at: 8 * draw(2) };
                let direction = if draw(8) == 0 { Direction::Atomic } else { Direction::Read };
                let access = Access { space: Space::Lds, direction, extent: place.extent() };
                let record = Record { atomic: direction == Direction::Atomic, order, ..Record::plain(epoch) };
                let (Some(wave), Some(state)) = (waves.id(agent), waves.get(agent)) else { continue };
                let how = Order { view: View::of(state), waves: &waves, facts };
                let (space, dwords) = (Space::Lds, place.bytes / 4);
                let later = Later { wave, record, channel: Channel::Ds, space, direction, dwords };
                let touch = |shadow: &mut Shadow| {
                    let relation = |old: &Record, write_first: bool| how.relation(old, &later, write_first);
                    Meeting::new(&access, record, None, relation, |_| true).touch_all(shadow);
                };
                touch(&mut at_once);
                let load = Load { epoch, site: 0, scope: Scope::Cu, place };
                if direction == Direction::Read && polls.come_again(&load, order, state) {
                    again += 1;
                    continue;
                }
                polls.tell(&mut late, &access.extent, &how);
                if direction == Direction::Read {
                    touch(&mut late);
                    polls.note(record, place, &mut late, &how);
                } else {
                    polls.forget(&access.extent);
                    touch(&mut late);
                    let [late, at_once] =
                        [&mut late, &mut at_once].map(|shadow| remembered(shadow, place.dwords()));
                    assert_eq!(late, at_once);
                }
            }
            if let Some(state) = waves.get(0) {
                let anybodys = Order { view: View::of(state), waves: &waves, facts };
                polls.tell_all(&mut late, &anybodys);
            }
            assert_eq!(remembered(&mut late, 0..4), remembered(&mut at_once, 0..4));
        }
        assert!(again > 1000, "{again}");
    }
}
