//! Commits and waits.

use wavemark_tile::Expr;

use super::super::program::{Node, SiteId};
use super::super::report::{MAX_INSTANCES, WaitInstance};
use super::super::state::{OpenGroup, Queue, WaitRecord};
use super::{Negative, Walker};

impl<'p> Walker<'p> {
    pub(super) fn queue(&mut self, id: i64) -> u32 {
        let index = self.queue_ids.iter().position(|&known| known == id).unwrap_or_else(|| {
            self.queue_ids.push(id);
            self.queue_ids.len() - 1
        });
        if self.state.queues.len() <= index {
            self.state.queues.resize(index + 1, Queue::default());
        }
        index as u32
    }

    pub(super) fn commit(&mut self, queue: &Expr, place: SiteId, body: &'p Node) {
        let Some(id) = self.env.eval(queue).as_point() else {
            self.note(place, "the queue of a commit is not known");
            self.lost = true;
            return;
        };
        let queue = self.queue(id);
        self.uid += 1;
        let group = OpenGroup { uid: self.uid, queue, members: Vec::new(), writes_output: false };
        self.state.open.push(group);
        self.node(body);
        self.time += 1;
        self.state.commit(self.time, &self.program.leaves);
    }

    pub(super) fn wait(&mut self, site: usize) {
        let wait = &self.program.waits[site];
        let place = wait.place;
        let Some(id) = self.env.eval(&wait.queue).as_point() else {
            self.note(place, "the queue of a wait is not known");
            self.lost = true;
            return;
        };
        let value = self.env.eval(&wait.count);
        let index = self.queue(id);
        let seen = &mut self.waits[site];
        seen.executions += 1;
        seen.queue = Some(id);
        let instance = if seen.instances.len() < MAX_INSTANCES && self.symbols.is_empty() {
            seen.instances.push(WaitInstance {
                iteration: self.iteration.to_vec(),
                count: value.as_point(),
                best: None,
                blocks: false,
            });
            seen.instances.len() as u32 - 1
        } else {
            u32::MAX
        };
        if !value.bounded() {
            seen.unknown = true;
            self.note(place, "the count of a wait is not known");
            self.time += 1;
            self.state.queues[index as usize].unknown = self.time;
            return;
        }
        let (low, high_count) = seen.counts.unwrap_or((value.lo, value.hi));
        seen.counts = Some((low.min(value.lo), high_count.max(value.hi)));
        if value.lo < 0 {
            seen.negative.get_or_insert_with(|| (self.iteration.clone(), value.lo));
            if self.negative == Negative::Drop {
                return;
            }
        }
        let count = value.hi.max(0);
        let queue = &mut self.state.queues[index as usize];
        let blocks = queue.longest > count as u64;
        if let Some(kept) = seen.instances.get_mut(instance as usize) {
            kept.blocks = blocks;
        }
        self.time += 1;
        queue.wait(WaitRecord {
            site: site as u32,
            instance,
            counter: queue.counter,
            count,
            mark: queue.mark(count),
            time: self.time,
            iteration: self.iteration.clone(),
        });
    }
}
