//! Loops: iteration by iteration, until they are steady.

use std::rc::Rc;

use wavemark_budget::nearly_used_up;

use super::super::interval::Interval;
use super::super::program::LoopNode;
use super::super::report::Steady;
use super::super::steady;
use super::{MAX_STEPS, Walker};

impl<'p> Walker<'p> {
    pub(super) fn run_loop(&mut self, node: &'p LoopNode) {
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

pub(super) struct Progress {
    executions: Vec<u64>,
    instances: Vec<u64>,
}
