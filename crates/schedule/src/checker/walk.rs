//! The walk: symbolic execution of a function's control, statement by statement.
//!
//! Loops run with concrete variables, conditions that are decided take one branch, others take both and join. Each leaf
//! is held against the footprints of the asynchronous operations that it could conflict with: one that may be in
//! flight is a finding, one that is complete is a *use* of the waits that completed it ([`super::counts`]).
//!
//! Reading of the asynchronous constructs: a wait acts where its scope begins, on groups already committed; groups of
//! one queue complete one after the other; members of a group and groups of different queues in any order; an operation
//! may read its sources and write its results at any time from its statement to its completion. Whether a group also
//! waits for the groups before it in its queue to take *effect* the RFC does not say. The checker asks for a wait
//! between a write and a read of it, and a finding says when only that is missing ([`super::Finding::queue_order`]);
//! what is overwritten is taken to be ordered by completion. Threads
//! (`thread_binding`, `parallel` loops around asynchronous constructs) run in step.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_budget::nearly_used_up;
use wavemark_tile::{BufferId, Expr, Function, VarId};

use super::counts::{Alternative, Uses};
use super::footprint::{self, Footprint, Shapes};
use super::interval::{Env, Interval};
use super::program::{Leaf, LeafKind, LoopNode, Node, Program, SiteId};
use super::report::{Blame, Finding, Instance, MAX_INSTANCES, NotProven, Place, Rule, Steady, WaitInstance};
use super::state::{Entry, Foot, OPEN, OpenGroup, Queue, State, Vector, WaitRecord, high};
use super::steady;

/// What a negative wait count means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Negative {
    /// As 0.
    Flush,
    /// Nothing: the wait is dropped, as TVM's `RemoveNoOp` does.
    Drop,
}

/// Leaf executions after which a walk gives up.
const MAX_STEPS: u64 = 20_000_000;

/// What was seen of a wait scope over the walk.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitSeen {
    pub executions: u64,
    pub counts: Option<(i64, i64)>,
    pub unknown: bool,
    pub queue: Option<i64>,
    pub instances: Vec<WaitInstance>,
    /// The first execution with a negative count.
    pub negative: Option<(Vector, i64)>,
}

pub(super) struct Walker<'p> {
    pub program: &'p Program,
    pub function: &'p Function,
    pub shapes: &'p Shapes,
    pub negative: Negative,
    /// Loops are walked to their end, however long they are.
    pub exhaustive: bool,
    pub env: Env,
    pub iteration: Vector,
    /// The variables of `iteration`.
    walked: Vec<VarId>,
    pub state: State,
    /// Queue ids by index.
    pub queue_ids: Vec<i64>,
    pub uses: Uses,
    pub findings: Vec<Finding>,
    index: FxHashMap<(Rule, SiteId, SiteId), usize>,
    /// Pairs whose footprints were found apart although their boxes meet.
    apart: FxHashMap<(SiteId, SiteId), u32>,
    pub not_proven: Vec<NotProven>,
    noted: FxHashSet<(SiteId, &'static str)>,
    /// Conditions that went both ways, with the loops around them.
    pub undecided: Vec<Undecided>,
    /// Some of those may go together, although the walk let them go each its own way.
    pub correlated: bool,
    /// Buffers of the caller that a write may still be on its way to at the end.
    pub pending: FxHashSet<BufferId>,
    pub waits: Vec<WaitSeen>,
    pub steady: Vec<Steady>,
    pub steady_index: FxHashMap<SiteId, usize>,
    /// Of this walk: loops that became steady, from where, with which period of the variable.
    pub settled: FxHashMap<SiteId, (i64, i64)>,
    plans: FxHashMap<SiteId, Option<Rc<steady::Plan>>>,
    pub steps: u64,
    /// The walk stopped before the end: what follows would be judged by a state that is not that of the program.
    lost: bool,
    pub symbols: Vec<(String, i64)>,
    /// The values of symbols, and nothing else.
    pub constants: Env,
    time: u64,
    uid: u64,
    boxes: Vec<Footprint>,
}

impl<'p> Walker<'p> {
    pub fn new(
        program: &'p Program,
        function: &'p Function,
        shapes: &'p Shapes,
        negative: Negative,
    ) -> Walker<'p> {
        Walker {
            program,
            function,
            shapes,
            negative,
            exhaustive: false,
            env: Env::new(function.vars.len()),
            iteration: Vector::new(),
            walked: Vec::new(),
            state: State::new(function.buffers.len()),
            queue_ids: Vec::new(),
            uses: Uses::default(),
            findings: Vec::new(),
            index: FxHashMap::default(),
            apart: FxHashMap::default(),
            not_proven: Vec::new(),
            noted: FxHashSet::default(),
            undecided: Vec::new(),
            correlated: false,
            pending: FxHashSet::default(),
            waits: vec![WaitSeen::default(); program.waits.len()],
            steady: Vec::new(),
            steady_index: FxHashMap::default(),
            settled: FxHashMap::default(),
            plans: FxHashMap::default(),
            steps: 0,
            lost: false,
            symbols: Vec::new(),
            constants: Env::new(function.vars.len()),
            time: 0,
            uid: 0,
            boxes: Vec::new(),
        }
    }

    /// Walks the function once, with the symbols that `constants` has values for.
    pub fn run(&mut self) {
        self.state = State::new(self.function.buffers.len());
        self.state.queues = vec![Queue::default(); self.queue_ids.len()];
        self.settled.clear();
        self.plans.clear();
        self.env = self.constants.clone();
        let program = self.program;
        self.node(&program.body);
        if !self.lost {
            self.end();
        }
    }

    pub fn place(&self, site: SiteId) -> Place {
        self.program.places[site as usize].clone()
    }

    pub fn note(&mut self, site: SiteId, reason: &'static str) {
        if self.noted.insert((site, reason)) {
            self.not_proven.push(NotProven { place: Some(self.place(site)), reason: reason.to_owned() });
        }
    }

    fn node(&mut self, node: &'p Node) {
        if self.lost {
            return;
        }
        match node {
            Node::Seq(nodes) => nodes.iter().for_each(|node| self.node(node)),
            Node::Loop(node) => self.run_loop(node),
            Node::Span { var, min, extent, body } => {
                let (min, extent) = (self.env.eval(min), self.env.eval(extent));
                if extent.hi > 0 {
                    self.env.set(*var, Interval::new(min.lo, min.add(extent).hi.saturating_sub(1)));
                    self.node(body);
                }
            }
            Node::Bind { var, value, body } => {
                let value = self.env.eval(value);
                self.env.set(*var, value);
                self.node(body);
            }
            Node::Branch { condition, place, then, otherwise } => match self.env.eval(condition).truth() {
                Some(true) => self.node(then),
                Some(false) => otherwise.iter().for_each(|node| self.node(node)),
                None => {
                    self.undecided(condition, *place);
                    let before = self.state.clone();
                    self.node(then);
                    let taken = std::mem::replace(&mut self.state, before);
                    otherwise.iter().for_each(|node| self.node(node));
                    self.join(taken);
                }
            },
            Node::Commit { queue, place, body } => self.commit(queue, *place, body),
            Node::Wait { site, body } => {
                self.wait(*site);
                self.node(body);
            }
            Node::Leaf(leaf) => self.leaf(*leaf),
        }
    }

    /// Notes a condition that goes both ways, and whether its outcomes can be independent of each other.
    fn undecided(&mut self, condition: &Expr, place: SiteId) {
        let mut ingredients = Vec::new();
        let mut walked = 0;
        condition.visit(&mut |inner| match inner {
            Expr::Load(load) => ingredients.push(Ingredient::Buffer(load.buffer)),
            Expr::Var(var, _) if self.env.get(*var).as_point().is_none() => {
                ingredients.push(Ingredient::Var(*var));
            }
            Expr::Var(var, _) if self.walked.contains(var) => walked += 1,
            _ => {}
        });
        match self.undecided.iter().find(|known| known.place == place) {
            // The same condition in another iteration: the same outcome, unless it asks for the iteration.
            Some(_) => self.correlated |= walked < self.iteration.len(),
            None => {
                self.correlated |= self
                    .undecided
                    .iter()
                    .any(|known| known.ingredients.iter().any(|one| ingredients.contains(one)));
                self.undecided.push(Undecided { place, ingredients });
            }
        }
    }

    /// Joins the state with that of another path.
    fn join(&mut self, other: State) {
        self.time += 1;
        let mine = std::mem::take(&mut self.state);
        self.state = mine.join(other, self.time);
        self.time += 1;
    }

    fn queue(&mut self, id: i64) -> u32 {
        let index = self.queue_ids.iter().position(|&known| known == id).unwrap_or_else(|| {
            self.queue_ids.push(id);
            self.queue_ids.len() - 1
        });
        if self.state.queues.len() <= index {
            self.state.queues.resize(index + 1, Queue::default());
        }
        index as u32
    }

    fn commit(&mut self, queue: &Expr, place: SiteId, body: &'p Node) {
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

    fn wait(&mut self, site: usize) {
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

    fn leaf(&mut self, id: u32) {
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
                let rule = match (same_group, foot.write, touched.write) {
                    (true, ..) => Rule::UnorderedMembers,
                    (false, true, false) => Rule::ReadInFlight,
                    (false, false, _) => Rule::SourceOverwritten,
                    (false, true, true) => Rule::WriteInFlight,
                };
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

    /// The wait that should have completed `entry`, and the count that would do now. Records what it lacks.
    fn blame(&mut self, entry: &Entry, same_queue: bool) -> (Option<Blame>, Option<i64>) {
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
    fn record_use(&mut self, id: u32) {
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

    /// The caller sees what asynchronous operations wrote to its buffers: waits that complete that are of use.
    fn end(&mut self) {
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

    fn run_loop(&mut self, node: &'p LoopNode) {
        let (min, extent) = (self.env.eval(&node.min).as_point(), self.env.eval(&node.extent).as_point());
        let step = match &node.step {
            None => Some(1),
            Some(step) => self.env.eval(step).as_point().filter(|&step| step > 0),
        };
        let (Some(min), Some(extent), Some(step)) = (min, extent, step) else {
            return self.unknown_loop(node);
        };
        let end = min.saturating_add(extent);
        let plan = match extent / step > 4 && !self.exhaustive {
            true => {
                let (program, shapes, constants) = (self.program, self.shapes, &self.constants);
                let plan = self
                    .plans
                    .entry(node.place)
                    .or_insert_with(|| steady::plan(program, node, step, shapes, constants).map(Rc::new));
                plan.clone().filter(|plan| extent / step > 2 * plan.period)
            }
            false => None,
        };
        self.iteration.push(min);
        self.walked.push(node.var);
        let depth = self.iteration.len() - 1;
        let mut value = min;
        let mut count: i64 = 0;
        let mut before: Option<(steady::Snapshot, Progress)> = None;
        while value < end {
            if self.steps > MAX_STEPS {
                self.note(node.place, "more statement executions than the checker walks");
                self.lost = true;
            } else if nearly_used_up() {
                self.note(node.place, "a state that takes more memory than permitted");
                self.lost = true;
            }
            if self.lost {
                break;
            }
            if let Some(plan) = &plan
                && count % plan.period == 0
            {
                let snapshot = steady::snapshot(self, plan, count / plan.period);
                if let Some((earlier, progress)) = &before
                    && *earlier == snapshot
                {
                    let stride = plan.period * step;
                    let left = (end - value) / stride;
                    let skip = steady::limit(self, node, plan, value, stride, step).min(left);
                    if skip > 0 {
                        self.skip(node, plan, depth, skip, value - stride, progress);
                        value += skip * stride;
                        count += skip * plan.period;
                        before = None;
                        continue;
                    }
                }
                before = Some((snapshot, self.progress()));
            }
            self.steps += 1;
            self.iteration[depth] = value;
            self.env.set(node.var, Interval::point(value));
            self.node(&node.body);
            value = value.saturating_add(step);
            count += 1;
        }
        self.iteration.pop();
        self.walked.pop();
    }

    /// What the walk has counted so far.
    fn progress(&self) -> Progress {
        Progress {
            executions: self.waits.iter().map(|wait| wait.executions).collect(),
            instances: self.findings.iter().map(|finding| finding.instances).collect(),
        }
    }

    /// Takes `skip` periods as done.
    fn skip(
        &mut self,
        node: &LoopNode,
        plan: &steady::Plan,
        depth: usize,
        skip: i64,
        from: i64,
        before: &Progress,
    ) {
        for (wait, earlier) in self.waits.iter_mut().zip(&before.executions) {
            wait.executions =
                wait.executions.saturating_add((wait.executions - earlier).saturating_mul(skip as u64));
        }
        for (index, finding) in self.findings.iter_mut().enumerate() {
            let earlier = before.instances.get(index).copied().unwrap_or(0);
            finding.instances =
                finding.instances.saturating_add((finding.instances - earlier).saturating_mul(skip as u64));
        }
        steady::advance(self, plan, depth, skip);
        let period = plan.stride;
        self.settled.entry(node.place).or_insert((from, period));
        let skipped = skip * plan.period;
        match self.steady_index.get(&node.place) {
            Some(&index) => self.steady[index].skipped += skipped,
            None => {
                self.steady_index.insert(node.place, self.steady.len());
                self.steady.push(Steady {
                    place: self.place(node.place),
                    variable: self.function.var(node.var).name.to_string(),
                    from,
                    period,
                    skipped,
                });
            }
        }
    }

    /// A loop of unknown length: some iterations, any of which may be the last.
    fn unknown_loop(&mut self, node: &'p LoopNode) {
        self.note(node.place, "the bounds of a loop around asynchronous constructs are not known");
        // That it may end after any iteration is an assumption.
        self.correlated = true;
        self.iteration.push(0);
        self.env.set(node.var, Interval::ALL);
        for _ in 0..3 {
            let before = self.state.clone();
            self.node(&node.body);
            self.join(before);
        }
        self.iteration.pop();
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

/// A condition that the walk cannot decide.
pub(super) struct Undecided {
    pub place: SiteId,
    ingredients: Vec<Ingredient>,
}

/// What makes it undecidable.
#[derive(PartialEq, Eq)]
enum Ingredient {
    Buffer(BufferId),
    Var(VarId),
}

pub(super) struct Progress {
    executions: Vec<u64>,
    instances: Vec<u64>,
}
