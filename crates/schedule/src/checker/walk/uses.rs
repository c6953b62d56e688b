//! What waits are good for: who completed what, and who should have.

use smallvec::SmallVec;
use wavemark_tile::BufferId;

use super::super::counts::Alternative;
use super::super::report::Blame;
use super::super::state::{Entry, Queue, WaitRecord, high};
use super::Walker;

impl Walker<'_> {
    /// The wait that should have completed `entry`, and the count that would do now. Records what it lacks.
    pub(super) fn blame(&mut self, entry: &Entry, same_queue: bool) -> (Option<Blame>, Option<i64>) {
        let here = self.state.distance(entry);
        if here.is_none() {
            return (None, None);
        }
        let queue = &self.state.queues[entry.queue as usize];
        let Some(wait) = queue.waits.last().filter(|wait| wait.time > entry.since) else {
            return (None, here);
        };
        let sufficient = (high(wait.counter) - high(entry.base)).max(0);
        if !same_queue {
            self.uses.lacking(Alternative { site: wait.site, distance: sufficient, instance: wait.instance });
        }
        let blame = Blame {
            wait: wait.site as usize,
            iteration: wait.iteration.to_vec(),
            count: wait.count,
            sufficient,
        };
        (Some(blame), here)
    }

    /// `id` is complete, and something needs that.
    pub(super) fn record_use(&mut self, id: u32) {
        let entry = &self.state.entries[id as usize];
        let queue = &self.state.queues[entry.queue as usize];
        let now = queue.waits.last().map_or(0, |wait| wait.time);
        if entry.recorded == now && now != 0 {
            return;
        }
        let (base, since, done) = (entry.base, entry.since, entry.done);
        self.state.entries[id as usize].recorded = now;
        if done {
            self.uses.pin(queue.waits.iter().map(|wait| wait.site));
            return;
        }
        self.uses.record(alternatives(queue, base, since));
    }

    /// The caller sees what asynchronous operations wrote to its buffers: waits that complete that are of use.
    pub(super) fn end(&mut self) {
        let mut found = Vec::new();
        for (buffer, feet) in self.state.feet.iter().enumerate() {
            if self.program.output[buffer] {
                for id in feet.iter().filter(|foot| foot.write).map(|foot| foot.entry) {
                    match self.state.complete(self.state.entry(id)) {
                        true => found.push(id),
                        false => _ = self.pending.insert(BufferId(buffer as u32)),
                    }
                }
            }
        }
        found.into_iter().for_each(|id| self.record_use(id));
        for (queue, &id) in self.state.queues.iter().zip(&self.queue_ids) {
            if queue.output.is_some_and(|(base, _)| base > queue.done) {
                let ours = |(buffer, known): (usize, &Option<i64>)| {
                    (*known == Some(id) && self.program.output[buffer]).then_some(BufferId(buffer as u32))
                };
                self.pending.extend(self.program.private.iter().enumerate().filter_map(ours));
            }
        }
        for queue in &self.state.queues {
            if let Some((base, since)) = queue.output
                && base <= queue.done
            {
                self.uses.record(alternatives(queue, base, since));
            }
        }
    }
}

/// The waits that completed the group with `base`, latest first.
fn alternatives(queue: &Queue, base: u64, since: u64) -> SmallVec<[Alternative; 4]> {
    let of = |wait: &WaitRecord| Alternative {
        site: wait.site,
        distance: (high(wait.counter) - high(base)).max(0),
        instance: wait.instance,
    };
    let covers = |wait: &&WaitRecord| wait.time > since && wait.mark >= base;
    let mut found: SmallVec<[Alternative; 4]> =
        queue.waits.iter().rev().filter(covers).take(6).map(of).collect();
    let first = queue.firsts.partition_point(|wait| wait.mark < base);
    if let Some(first) = queue.firsts.get(first).filter(covers).map(of)
        && !found.contains(&first)
    {
        found.push(first);
    }
    found
}
