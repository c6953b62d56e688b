//! What is in flight: the state that the walk carries from statement to statement.
//!
//! Notation. A *group* is what one commit puts on a queue. Its *distance* is how many groups were certainly committed
//! to the queue after it: the least number over all paths, so that "some path leaves it in flight" is "distance <
//! count" at each wait. `W(N)` completes groups of distance ≥ N. Transfer functions act on each group by itself, so
//! taking the minimum at joins loses nothing (the domain of positions of asynchronous marks, of which queries only
//! ever ask the least).
//!
//! A queue counts commits in the high half of [`Queue::counter`]; commits that happen on some paths only count in the
//! low half, where they keep the order of commits and waits apart without adding to distances. An operation stores the
//! counter right after its commit as `base`: distance = high(counter) - high(base), and a wait is a *mark*: operations
//! with `base <= mark` are complete.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::footprint::Bounds;
use super::interval::Interval;

pub(super) type Vector = SmallVec<[i64; 4]>;

/// An execution of an asynchronous operation.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub uid: u64,
    pub leaf: u32,
    pub queue: u32,
    /// See the header; [`OPEN`] before the commit.
    pub base: u64,
    /// Uid of the open group, before the commit.
    pub group: u64,
    /// Waits before this time say nothing about it.
    pub since: u64,
    /// Values of the leaf's free variables.
    pub values: SmallVec<[Interval; 4]>,
    pub iteration: Vector,
    /// Footprints that are still the latest of their elements.
    pub feet: u32,
    /// In flight on some paths only, or at several distances.
    pub joined: bool,
    /// Complete, but by which wait is forgotten.
    pub done: bool,
    /// The last wait of the queue when a use of it was last recorded.
    pub recorded: u64,
}

pub(super) const OPEN: u64 = u64::MAX;

#[derive(Clone, Debug)]
pub(super) struct Foot {
    /// The store or call.
    pub place: u32,
    pub entry: u32,
    pub write: bool,
    pub exact: bool,
    pub bounds: Bounds,
}

/// An execution of a wait.
#[derive(Clone, Debug)]
pub(super) struct WaitRecord {
    pub site: u32,
    pub instance: u32,
    pub counter: u64,
    pub count: i64,
    pub mark: u64,
    pub time: u64,
    pub iteration: Vector,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    pub counter: u64,
    /// The largest mark.
    pub done: u64,
    /// The most groups that can be in flight.
    pub longest: u64,
    /// The last execution of each wait site, oldest first.
    pub waits: Vec<WaitRecord>,
    /// The waits that raised `done`, oldest first.
    pub firsts: VecDeque<WaitRecord>,
    /// The last wait with a count that is not known.
    pub unknown: u64,
    /// `base` and commit time of the last group that wrote a buffer that the caller sees.
    pub output: Option<(u64, u64)>,
}

/// Waits that are remembered for who completed what first.
const FIRSTS: usize = 4096;

pub(super) fn high(counter: u64) -> i64 {
    (counter >> 32) as i64
}

impl Queue {
    pub fn commit(&mut self) {
        self.counter = ((self.counter >> 32) + 1) << 32;
        self.longest += 1;
    }

    /// Neither path did anything to the queue.
    fn same(&self, other: &Queue) -> bool {
        let last = |queue: &Queue| queue.waits.last().map(|wait| wait.time);
        self.counter == other.counter
            && self.done == other.done
            && self.unknown == other.unknown
            && last(self) == last(other)
    }

    /// The mark of a wait for `count` groups here.
    pub fn mark(&self, count: i64) -> u64 {
        match count {
            0 => self.counter,
            _ if count <= high(self.counter) => {
                (((self.counter >> 32) - count as u64) << 32) | u64::from(u32::MAX)
            }
            _ => 0,
        }
    }

    pub fn wait(&mut self, record: WaitRecord) {
        self.longest = self.longest.min(u64::try_from(record.count).unwrap_or(0));
        if let Some(index) = self.waits.iter().position(|wait| wait.site == record.site) {
            self.waits.remove(index);
        }
        if record.mark > self.done {
            self.done = record.mark;
            self.firsts.push_back(record.clone());
            if self.firsts.len() > FIRSTS {
                self.firsts.pop_front();
            }
        }
        self.waits.push(record);
    }
}

/// A commit scope that is being walked.
#[derive(Clone, Debug)]
pub(super) struct OpenGroup {
    pub uid: u64,
    pub queue: u32,
    pub members: Vec<u32>,
    pub writes_output: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub entries: Vec<Entry>,
    pub free: Vec<u32>,
    /// By buffer.
    pub feet: Vec<Vec<Foot>>,
    pub queues: Vec<Queue>,
    pub open: Vec<OpenGroup>,
}

impl State {
    pub fn new(buffers: usize) -> State {
        State { feet: vec![Vec::new(); buffers], ..State::default() }
    }

    pub fn entry(&self, id: u32) -> &Entry {
        &self.entries[id as usize]
    }

    pub fn add(&mut self, entry: Entry) -> u32 {
        match self.free.pop() {
            Some(id) => {
                self.entries[id as usize] = entry;
                id
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        }
    }

    /// A footprint of `entry` is gone.
    pub fn release(&mut self, id: u32) {
        let entry = &mut self.entries[id as usize];
        entry.feet = entry.feet.saturating_sub(1);
        if entry.feet == 0 && entry.base != OPEN {
            self.free.push(id);
        }
    }

    pub fn complete(&self, entry: &Entry) -> bool {
        entry.done || (entry.base != OPEN && entry.base <= self.queues[entry.queue as usize].done)
    }

    /// See the header; `None` before the commit.
    pub fn distance(&self, entry: &Entry) -> Option<i64> {
        (entry.base != OPEN)
            .then(|| (high(self.queues[entry.queue as usize].counter) - high(entry.base)).max(0))
    }

    /// Closes the innermost commit scope. Footprints in `private` buffers go: their queue orders what follows.
    pub fn commit(&mut self, time: u64, private: &[Option<i64>]) {
        let Some(group) = self.open.pop() else { return };
        let queue = &mut self.queues[group.queue as usize];
        queue.commit();
        let base = queue.counter;
        if group.writes_output {
            queue.output = Some((base, time));
        }
        for &id in &group.members {
            let entry = &mut self.entries[id as usize];
            entry.base = base;
            entry.since = time;
        }
        let member = |id: u32| group.members.contains(&id);
        for (buffer, _) in private.iter().enumerate().filter(|(_, private)| private.is_some()) {
            let feet = &mut self.feet[buffer];
            let entries = &mut self.entries;
            feet.retain(|foot| {
                let gone = member(foot.entry);
                if gone {
                    entries[foot.entry as usize].feet -= 1;
                }
                !gone
            });
        }
        for &id in &group.members {
            if self.entries[id as usize].feet == 0 {
                self.free.push(id);
            }
        }
    }

    /// The paths of `self` and `other`, which parted at a condition, as one.
    pub fn join(self, other: State, time: u64) -> State {
        let mut joined = State::new(self.feet.len());
        let sides = [self, other];
        let count = sides[0].queues.len().max(sides[1].queues.len());
        let empty = Queue::default();
        for index in 0..count {
            let queue = |side: usize| sides[side].queues.get(index).unwrap_or(&empty);
            joined.queues.push(join_queues(queue(0), queue(1)));
        }
        let untouched: Vec<bool> = (0..count)
            .map(|index| {
                sides.iter().all(|side| side.queues.get(index).is_some()) && {
                    sides[0].queues[index].same(&sides[1].queues[index])
                }
            })
            .collect();
        // Operations of both sides by uid.
        let mut ids: FxHashMap<u64, u32> = FxHashMap::default();
        let mut known: [FxHashMap<u64, u32>; 2] = Default::default();
        for (side, known) in sides.iter().zip(&mut known) {
            let live: FxHashSet<u32> = side
                .feet
                .iter()
                .flatten()
                .map(|foot| foot.entry)
                .chain(side.open.iter().flat_map(|group| group.members.iter().copied()))
                .collect();
            known.extend(live.into_iter().map(|id| (side.entry(id).uid, id)));
        }
        let mut uids: Vec<u64> = known[0].keys().chain(known[1].keys()).copied().collect();
        uids.sort_unstable();
        uids.dedup();
        for uid in uids {
            let found = [0, 1].map(|side| known[side].get(&uid).map(|&id| sides[side].entry(id)));
            let Some(first) = found[0].or(found[1]) else { continue };
            let mut entry = first.clone();
            let distances = [0, 1].map(|side| {
                found[side]
                    .filter(|entry| !sides[side].complete(entry))
                    .map(|entry| sides[side].distance(entry).unwrap_or(-1))
            });
            entry.feet = 0;
            if untouched[entry.queue as usize] && entry.base != OPEN {
                ids.insert(uid, joined.add(entry));
                continue;
            }
            entry.joined |=
                distances[0] != distances[1] || found.iter().any(|one| one.is_some_and(|e| e.joined));
            match distances[0].into_iter().chain(distances[1]).min() {
                None => entry.done = true,
                Some(-1) => entry.base = OPEN,
                Some(distance) => {
                    entry.done = false;
                    let counter = joined.queues[entry.queue as usize].counter;
                    let raised = (counter >> 32).saturating_sub(distance as u64) << 32;
                    entry.base = raised | (counter & u64::from(u32::MAX));
                    if distances[0] != distances[1] {
                        entry.since = time;
                    }
                }
            }
            ids.insert(uid, joined.add(entry));
        }
        for buffer in 0..joined.feet.len() {
            for side in &sides {
                for foot in &side.feet[buffer] {
                    let id = ids[&side.entry(foot.entry).uid];
                    let same = |other: &Foot| {
                        other.entry == id && other.write == foot.write && other.bounds == foot.bounds
                    };
                    if !joined.feet[buffer].iter().any(same) {
                        joined.entries[id as usize].feet += 1;
                        joined.feet[buffer].push(Foot { entry: id, ..foot.clone() });
                    }
                }
            }
        }
        for index in 0..sides[0].open.len().max(sides[1].open.len()) {
            let groups = [0, 1].map(|side| sides[side].open.get(index));
            let Some(first) = groups[0].or(groups[1]) else { continue };
            let mut members: Vec<u32> = Vec::new();
            for (side, group) in groups.iter().enumerate() {
                for &id in group.iter().flat_map(|group| &group.members) {
                    if let Some(&id) = ids.get(&sides[side].entry(id).uid)
                        && !members.contains(&id)
                    {
                        members.push(id);
                    }
                }
            }
            let writes_output = groups.iter().flatten().any(|group| group.writes_output);
            joined.open.push(OpenGroup { uid: first.uid, queue: first.queue, members, writes_output });
        }
        joined
    }
}

fn join_queues(a: &Queue, b: &Queue) -> Queue {
    if a.same(b) {
        return a.clone();
    }
    let definite = (a.counter >> 32).max(b.counter >> 32);
    let possible = (a.counter & u64::from(u32::MAX)).max(b.counter & u64::from(u32::MAX)) + 1;
    let counter = (definite << 32) | possible.min(u64::from(u32::MAX) - 1);
    // Complete operations carry a flag of their own from here on.
    let mut joined = Queue { counter, done: 0, longest: a.longest.max(b.longest), ..Queue::default() };
    joined.unknown = a.unknown.max(b.unknown);
    for queue in [a, b] {
        for wait in &queue.waits {
            let since = (queue.counter >> 32).saturating_sub(wait.counter >> 32);
            let counter = definite.saturating_sub(since) << 32;
            let wait = WaitRecord { counter, mark: 0, ..wait.clone() };
            match joined.waits.iter_mut().find(|other| other.site == wait.site) {
                Some(other) if other.time >= wait.time => {}
                Some(other) => *other = wait,
                None => joined.waits.push(wait),
            }
        }
    }
    joined.waits.sort_by_key(|wait| wait.time);
    joined.output = a.output.or(b.output).map(|_| (counter, u64::MAX));
    joined
}
