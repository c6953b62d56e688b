//! Leaves: each access is held against what is in flight.

use smallvec::SmallVec;
use wavemark_tile::BufferId;

use super::super::footprint::{self, Footprint};
use super::super::interval::Interval;
use super::super::program::{Leaf, LeafKind, SiteId};
use super::super::report::{Finding, Instance, Rule};
use super::super::state::{Entry, Foot, OPEN};
use super::Walker;

impl<'p> Walker<'p> {
    pub(super) fn leaf(&mut self, id: u32) {
        self.steps += 1;
        let program = self.program;
        let leaf = &program.leaves[id as usize];
        match leaf.kind {
            LeafKind::Uncommitted => self.alone(Rule::OutsideCommit, leaf.place),
            LeafKind::SyncInCommit => self.alone(Rule::SyncInCommit, leaf.place),
            LeafKind::Sync | LeafKind::Async => {}
        }
        if leaf.ops.is_empty() {
            return;
        }
        let asynchronous = leaf.kind == LeafKind::Async;
        let values: SmallVec<[Interval; 4]> = leaf.free.iter().map(|&var| self.env.get(var)).collect();
        let mut boxes = std::mem::take(&mut self.boxes);
        footprint::boxes(leaf, &mut self.env, self.shapes, &mut boxes);
        // The leaf's own variables may have the numbers of variables of the walk (copies of a statement share them).
        for (var, value) in leaf.free.iter().zip(&values) {
            self.env.set(*var, *value);
        }
        for touched in &boxes {
            self.conflicts(leaf, asynchronous, touched, &values);
        }
        if asynchronous {
            self.issue(id, leaf, &boxes, values);
        }
        self.boxes = boxes;
    }

    /// Adds an asynchronous operation to the open group.
    fn issue(&mut self, id: u32, leaf: &Leaf, boxes: &[Footprint], values: SmallVec<[Interval; 4]>) {
        self.uid += 1;
        let Some(group) = self.state.open.last_mut() else { return };
        group.writes_output |= leaf.has_output;
        let entry = Entry {
            uid: self.uid,
            leaf: id,
            queue: group.queue,
            base: OPEN,
            group: group.uid,
            since: self.time,
            values,
            iteration: self.iteration.clone(),
            feet: 0,
            joined: false,
            done: false,
            recorded: 0,
        };
        let entry = self.state.add(entry);
        if let Some(group) = self.state.open.last_mut() {
            group.members.push(entry);
        }
        for touched in boxes {
            let Some(feet) = self.state.feet.get_mut(touched.buffer.0 as usize) else { continue };
            let same = |foot: &Foot| {
                foot.entry == entry && foot.write == touched.write && foot.bounds == touched.bounds
            };
            if feet.iter().rev().take(4).any(same) {
                continue;
            }
            feet.push(Foot {
                place: touched.place,
                entry,
                write: touched.write,
                exact: touched.exact,
                bounds: touched.bounds.clone(),
            });
            self.state.entries[entry as usize].feet += 1;
        }
    }

    /// Holds one access of a leaf against what is in flight.
    fn conflicts(
        &mut self,
        leaf: &'p Leaf,
        asynchronous: bool,
        touched: &Footprint,
        values: &SmallVec<[Interval; 4]>,
    ) {
        let buffer = touched.buffer.0 as usize;
        let Some(feet) = self.state.feet.get_mut(buffer) else { return };
        if feet.is_empty() {
            return;
        }
        let mut feet = std::mem::take(feet);
        self.steps += feet.len() as u64 / 8;
        let open = self.state.open.last().map(|group| (group.uid, group.queue));
        let mut killed = false;
        let mut index = 0;
        while index < feet.len() {
            let foot = &feet[index];
            index += 1;
            if !(foot.write || touched.write) || !footprint::overlap(&foot.bounds, &touched.bounds) {
                continue;
            }
            let entry = self.state.entry(foot.entry);
            let mut kill = touched.write
                && (touched.exact && footprint::contains(&touched.bounds, &foot.bounds)
                    || touched.pattern && foot.place == touched.place && foot.bounds == touched.bounds);
            let committed = entry.base != OPEN;
            let same_queue = asynchronous && committed && open.is_some_and(|(_, queue)| queue == entry.queue);
            if same_queue && touched.write {
                // The order of completion orders the two.
            } else if self.state.complete(entry) {
                self.record_use(foot.entry);
            } else {
                let same_group =
                    asynchronous && open.is_some_and(|(uid, _)| !committed && uid == entry.group);
                let rule = rule(same_group, foot.write, touched.write);
                let real = self.conflict(rule, same_queue, foot, leaf, touched, values);
                // One finding for each defect, not one for each that comes after it.
                kill &= real;
            }
            if kill {
                self.state.release(feet[index - 1].entry);
                feet[index - 1].entry = u32::MAX;
                killed = true;
            }
        }
        if killed {
            feet.retain(|foot| foot.entry != u32::MAX);
        }
        self.state.feet[buffer] = feet;
    }

    /// Boxes of an operation in flight and of an access meet: reports it unless the elements do not.
    fn conflict(
        &mut self,
        rule: Rule,
        same_queue: bool,
        foot: &Foot,
        leaf: &'p Leaf,
        touched: &Footprint,
        values: &SmallVec<[Interval; 4]>,
    ) -> bool {
        let entry = self.state.entry(foot.entry).clone();
        let producer = &self.program.leaves[entry.leaf as usize];
        let key = (rule, foot.place, touched.place);
        let known = self.index.get(&key).copied();
        if known.is_none() && !(foot.exact && touched.exact) {
            let tries = self.apart.entry((foot.place, touched.place)).or_default();
            *tries += 1;
            if *tries > 4096 {
                self.note(touched.place, "too many boxes of elements meet to compare all element by element");
                return false;
            }
            let vars = self.function.vars.len();
            let list = |leaf: &Leaf, values: &[Interval], place, write| {
                footprint::elements(leaf, values, (place, touched.buffer, write), vars, self.shapes)
            };
            let theirs = list(producer, &entry.values, foot.place, foot.write);
            let ours = list(leaf, values, touched.place, touched.write);
            match (theirs, ours) {
                (Some(theirs), Some(ours)) => {
                    if theirs.is_disjoint(&ours) {
                        return false;
                    }
                }
                _ => {
                    self.note(
                        touched.place,
                        "which elements are touched is not known well enough to tell whether they are in flight",
                    );
                    return false;
                }
            }
        }
        if self.state.queues[entry.queue as usize].unknown > entry.since {
            self.note(touched.place, "whether its data are in flight depends on a count that is not known");
            return false;
        }
        let (blame, here) = self.blame(&entry, same_queue);
        let found = known.unwrap_or_else(|| {
            self.findings.push(Finding {
                rule,
                producer: Instance { place: self.place(foot.place), iteration: entry.iteration.to_vec() },
                consumer: Some(Instance {
                    place: self.place(touched.place),
                    iteration: self.iteration.to_vec(),
                }),
                buffer: Some(self.buffer_name(touched.buffer)),
                queue: self.queue_ids.get(entry.queue as usize).copied(),
                blame: blame.clone(),
                sufficient_here: here,
                instances: 0,
                on_some_path: entry.joined,
                queue_order: same_queue,
                symbols: self.symbols.clone(),
            });
            self.index.insert(key, self.findings.len() - 1);
            self.findings.len() - 1
        });
        let finding = &mut self.findings[found];
        finding.instances += 1;
        true
    }

    fn buffer_name(&self, buffer: BufferId) -> String {
        self.function.buffers.get(buffer.0 as usize).map(|buffer| buffer.name.to_string()).unwrap_or_default()
    }

    /// A finding about one statement.
    fn alone(&mut self, rule: Rule, place: SiteId) {
        let key = (rule, place, place);
        let found = self.index.get(&key).copied().unwrap_or_else(|| {
            self.findings.push(Finding {
                rule,
                producer: Instance { place: self.place(place), iteration: self.iteration.to_vec() },
                consumer: None,
                buffer: None,
                queue: self
                    .state
                    .open
                    .last()
                    .and_then(|group| self.queue_ids.get(group.queue as usize).copied()),
                blame: None,
                sufficient_here: None,
                instances: 0,
                on_some_path: false,
                queue_order: false,
                symbols: self.symbols.clone(),
            });
            self.index.insert(key, self.findings.len() - 1);
            self.findings.len() - 1
        });
        self.findings[found].instances += 1;
    }
}

/// What it is when an access follows on one in flight; either writes, or both.
pub(in super::super) fn rule(same_group: bool, first_writes: bool, second_writes: bool) -> Rule {
    match (same_group, first_writes, second_writes) {
        (true, ..) => Rule::UnorderedMembers,
        (false, true, false) => Rule::ReadInFlight,
        (false, false, _) => Rule::SourceOverwritten,
        (false, true, true) => Rule::WriteInFlight,
    }
}
