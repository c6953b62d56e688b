//! What a function does, event by event, where all its symbols have values: what [`super::induction`] argues about.
//!
//! No state and no judgement, so that one trace can be laid beside another. Where a condition is not decided both ways
//! are in the trace, one after the other, and their commits and waits are [`Event::Commit::surely`] no more.

use rustc_hash::FxHashSet;

use super::footprint::{self, Footprint, Shapes};
use super::interval::{Env, Interval};
use super::program::{LeafKind, LoopNode, Node, Program, SiteId};
use super::walk::Negative;

/// Events after which a trace is given up.
const MAX_EVENTS: usize = 1 << 14;

/// Elements of a statement.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub footprint: Footprint,
    /// Which execution of a statement.
    pub execution: u32,
    /// The group of an asynchronous operation.
    pub group: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    Touch(Touch),
    /// A group is put on its queue.
    Commit {
        group: u32,
        surely: bool,
    },
    Wait {
        site: u32,
        queue: i64,
        count: i64,
        surely: bool,
    },
}

/// An event and the iteration that it is in.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub event: Event,
    /// Of the loops that are asked for: which execution of which, and the value of its variable.
    pub iteration: Option<(u32, i64)>,
}

/// An execution of a loop that is asked for.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub place: SiteId,
    pub min: i64,
    /// One more than the last value.
    pub end: i64,
}

#[derive(Default)]
pub(super) struct Trace {
    pub steps: Vec<Step>,
    pub runs: Vec<Run>,
    /// The queue of each group.
    pub queues: Vec<i64>,
}

/// The trace with the symbols in `env`; iterations of `loops` are told apart. `None` where control, a queue or a count is
/// not known, or where it gets too long.
pub(super) fn trace(
    program: &Program,
    shapes: &Shapes,
    env: &Env,
    negative: Negative,
    loops: &FxHashSet<SiteId>,
) -> Option<Trace> {
    let mut tracer = Tracer {
        program,
        shapes,
        negative,
        loops,
        env: env.clone(),
        iteration: None,
        open: Vec::new(),
        undecided: 0,
        executions: 0,
        found: Trace::default(),
    };
    tracer.node(&program.body)?;
    Some(tracer.found)
}

struct Tracer<'a> {
    program: &'a Program,
    shapes: &'a Shapes,
    negative: Negative,
    loops: &'a FxHashSet<SiteId>,
    env: Env,
    iteration: Option<(u32, i64)>,
    /// The commit scopes around.
    open: Vec<u32>,
    /// The undecided conditions around.
    undecided: usize,
    executions: u32,
    found: Trace,
}

impl Tracer<'_> {
    fn push(&mut self, event: Event) -> Option<()> {
        self.found.steps.push(Step { event, iteration: self.iteration });
        (self.found.steps.len() <= MAX_EVENTS).then_some(())
    }

    fn node(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Seq(nodes) => nodes.iter().try_for_each(|node| self.node(node)),
            Node::Loop(node) => self.iterate(node),
            Node::Span { var, min, extent, body } => {
                let (min, extent) = (self.env.eval(min), self.env.eval(extent));
                if extent.hi <= 0 {
                    return Some(());
                }
                self.env.set(*var, Interval::new(min.lo, min.add(extent).hi.saturating_sub(1)));
                self.node(body)
            }
            Node::Bind { var, value, body } => {
                let value = self.env.eval(value);
                self.env.set(*var, value);
                self.node(body)
            }
            Node::Branch { condition, then, otherwise, .. } => {
                let truth = self.env.eval(condition).truth();
                self.undecided += usize::from(truth.is_none());
                if truth != Some(false) {
                    self.node(then)?;
                }
                if let Some(otherwise) = otherwise
                    && truth != Some(true)
                {
                    self.node(otherwise)?;
                }
                self.undecided -= usize::from(truth.is_none());
                Some(())
            }
            Node::Commit { queue, body, .. } => {
                let queue = self.env.eval(queue).as_point()?;
                let group = self.found.queues.len() as u32;
                self.found.queues.push(queue);
                self.open.push(group);
                self.node(body)?;
                self.open.pop();
                self.push(Event::Commit { group, surely: self.undecided == 0 })
            }
            Node::Wait { site, body } => {
                let wait = &self.program.waits[*site];
                let queue = self.env.eval(&wait.queue).as_point()?;
                let count = Some(self.env.eval(&wait.count)).filter(|count| count.bounded())?;
                if count.lo >= 0 || self.negative == Negative::Flush {
                    let (site, surely) = (*site as u32, self.undecided == 0);
                    self.push(Event::Wait { site, queue, count: count.hi.max(0), surely })?;
                }
                self.node(body)
            }
            Node::Leaf(leaf) => self.leaf(*leaf),
        }
    }

    fn iterate(&mut self, node: &LoopNode) -> Option<()> {
        let (min, extent) = (self.env.eval(&node.min).as_point()?, self.env.eval(&node.extent).as_point()?);
        let step = match &node.step {
            None => 1,
            Some(step) => self.env.eval(step).as_point().filter(|&step| step > 0)?,
        };
        let end = min.saturating_add(extent);
        let told_apart = self.loops.contains(&node.place);
        if told_apart {
            self.found.runs.push(Run { place: node.place, min, end });
        }
        let run = self.found.runs.len() as u32;
        let mut value = min;
        while value < end {
            if told_apart {
                self.iteration = Some((run - 1, value));
            }
            // Iterations without events must end too.
            self.executions += 1;
            (self.executions as usize <= 4 * MAX_EVENTS).then_some(())?;
            self.env.set(node.var, Interval::point(value));
            self.node(&node.body)?;
            value = value.saturating_add(step);
        }
        if told_apart {
            self.iteration = None;
        }
        Some(())
    }

    fn leaf(&mut self, leaf: u32) -> Option<()> {
        let program = self.program;
        let leaf = &program.leaves[leaf as usize];
        if leaf.ops.is_empty() {
            return Some(());
        }
        let values: Vec<Interval> = leaf.free.iter().map(|&var| self.env.get(var)).collect();
        let mut boxes = Vec::new();
        footprint::boxes(leaf, &mut self.env, self.shapes, &mut boxes);
        // The leaf's own variables may have the numbers of variables of the walk (copies of a statement share them).
        for (var, value) in leaf.free.iter().zip(&values) {
            self.env.set(*var, *value);
        }
        self.executions += 1;
        let (execution, group) =
            (self.executions, self.open.last().copied().filter(|_| leaf.kind == LeafKind::Async));
        boxes
            .into_iter()
            .try_for_each(|footprint| self.push(Event::Touch(Touch { footprint, execution, group })))
    }
}

/// When a group is on its queue, and when it is off it again, whatever the path: steps, `usize::MAX` for never.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fate {
    pub committed: usize,
    pub complete: usize,
}

impl Trace {
    /// Of each group.
    pub fn fates(&self) -> Vec<Fate> {
        let never = Fate { committed: usize::MAX, complete: usize::MAX };
        let mut fates = vec![never; self.queues.len()];
        // Groups on their queue, with the groups surely committed after them.
        let mut waiting: Vec<(u32, i64)> = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            match step.event {
                Event::Touch(_) => {}
                Event::Commit { group, surely } => {
                    fates[group as usize].committed = at;
                    let queue = self.queues[group as usize];
                    for (other, after) in &mut waiting {
                        *after += i64::from(surely && self.queues[*other as usize] == queue);
                    }
                    waiting.push((group, 0));
                }
                Event::Wait { queue, count, surely, .. } => waiting.retain(|&(group, after)| {
                    let done = surely && self.queues[group as usize] == queue && after >= count;
                    if done {
                        fates[group as usize].complete = at;
                    }
                    !done
                }),
            }
        }
        fates
    }
}
