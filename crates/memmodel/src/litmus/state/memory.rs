//! Reads, writes, and what they learn: coherence and synchronization.

use super::{Context, Fault, State};
use crate::litmus::event::{Does, EventId, Set, index};
use crate::scope::{Space, Spaces};

impl State {
    /// The place of a write in its location's order.
    pub(super) fn place(&self, location: usize, write: EventId) -> usize {
        let at = self.order[location].iter().position(|&other| other == write);
        at.expect("a write is in its location's order")
    }

    /// How far up a location's order what happens before an event forces it.
    pub(super) fn floor(&self, cx: &Context, location: usize, before: &Set) -> usize {
        let mut floor = 0;
        for other in before.members().filter(|&other| self.executed.has(other)) {
            let of = cx.event(other);
            if of.location.map(usize::from) != Some(location) {
                continue;
            }
            let write = if of.writes() { Some(other) } else { self.from[usize::from(other)] };
            floor = floor.max(write.map_or(0, |write| self.place(location, write)));
        }
        floor
    }

    pub(super) fn read(
        &self,
        cx: &Context,
        event: EventId,
        from: EventId,
        mut before: [Set; 2],
    ) -> Option<(State, i64, EventId, Vec<Fault>)> {
        let of = cx.event(event);
        let location = usize::from(of.location.expect("a read has a location"));
        let space = index(cx.test.locations[location].space);
        if of.semantics.ordering.acquires() {
            self.synchronize(cx, event, event, from, &mut before);
        }
        if self.place(location, from) < self.floor(cx, location, &before[space]) {
            return None;
        }
        let mut next = self.clone();
        next.add(cx, event, before);
        next.from[usize::from(event)] = Some(from);
        let value = self.values[usize::from(from)];
        next.values[usize::from(event)] = value;
        if of.writes() {
            // The write's part is yet to come.
            return Some((next, value, from, Vec::new()));
        }
        let faults = next.races(cx, event);
        next.racy |= !faults.is_empty();
        next.is_sequential(cx).then_some((next, value, from, faults))
    }

    pub(super) fn write(
        &self,
        cx: &Context,
        event: EventId,
        after: EventId,
        value: i64,
        before: [Set; 2],
    ) -> Option<(State, EventId, Vec<Fault>)> {
        let of = cx.event(event);
        let location = usize::from(of.location.expect("a write has a location"));
        let space = index(cx.test.locations[location].space);
        let at = self.place(location, after);
        // Not the event itself: the reading half of an update.
        let behind: Set = before[space].members().filter(|&other| other != event).collect();
        if at < self.floor(cx, location, &behind) {
            return None;
        }
        // An update follows what it read.
        let follower = self.order[location].get(at + 1);
        if follower.is_some_and(|&next| cx.event(next).does == Does::Update) {
            return None;
        }
        let mut next = self.clone();
        next.add(cx, event, before);
        next.order[location].insert(at + 1, event);
        next.values[usize::from(event)] = value;
        let faults = next.races(cx, event);
        next.racy |= !faults.is_empty();
        next.is_sequential(cx).then_some((next, after, faults))
    }

    /// What the reader of `from` learns at `acquire`, which is the read itself or a fence behind it.
    pub(super) fn synchronize(
        &self,
        cx: &Context,
        acquire: EventId,
        read: EventId,
        from: EventId,
        before: &mut [Set; 2],
    ) {
        let (acquirer, reader) = (cx.event(acquire), cx.event(read));
        let mut chain = Some(from);
        while let Some(write) = chain {
            let writer = cx.event(write);
            chain = (writer.does == Does::Update).then(|| self.from[usize::from(write)]).flatten();
            if writer.thread.is_none() || !writer.synchronize(reader) {
                continue;
            }
            let releases = |&event: &EventId| {
                let of = cx.event(event);
                let fence = of.does == Does::Fence && of.thread == writer.thread && event < write;
                of.semantics.ordering.releases() && (event == write || fence)
            };
            for release in self.executed.members().filter(releases) {
                if cx.event(release).inclusive(acquirer) {
                    self.learn(cx, release, acquire, before);
                }
            }
        }
    }

    /// The release happens before the acquire, in the spaces of both.
    pub(super) fn learn(&self, cx: &Context, release: EventId, acquire: EventId, before: &mut [Set; 2]) {
        let spaces = cx.events.spaces(release).common(cx.events.spaces(acquire));
        for space in Space::ALL.into_iter().filter(|&space| spaces.has(space)) {
            let own = &mut before[index(space)];
            own.unite(&self.before[usize::from(release)][index(space)]);
            own.insert(release);
        }
    }

    pub(super) fn acquire_by_fence(
        &self,
        cx: &Context,
        thread: usize,
        fence: EventId,
        before: &mut [Set; 2],
    ) {
        let of = cx.event(fence);
        if !of.semantics.ordering.acquires() || of.semantics.spaces == Spaces::NONE {
            return;
        }
        for read in self.executed.members() {
            let reader = cx.event(read);
            let own = reader.thread == Some(thread as u8) && reader.in_flight.is_none();
            let from = self.from[usize::from(read)].filter(|_| own && reader.is_atomic());
            if let Some(from) = from {
                self.synchronize(cx, fence, read, from, before);
            }
        }
        // Release fence, arrive, wait, acquire fence.
        for other in (0..self.threads.len()).filter(|&other| other != thread) {
            let known = |&(at, _): &(u8, &EventId)| self.barriers.is_ordered(other as u8, at, thread as u8);
            let Some((_, &last)) = (0..).zip(&self.threads[other].barriers).filter(known).last() else {
                continue;
            };
            let releases = |&event: &EventId| {
                let release = cx.event(event);
                let fence = release.does == Does::Fence && release.thread == Some(other as u8);
                fence && event < last && release.semantics.ordering.releases() && release.inclusive(of)
            };
            for release in self.executed.members().filter(releases) {
                self.learn(cx, release, fence, before);
            }
        }
    }
}
