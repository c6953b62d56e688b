//! Long loops: proves that iterations repeat, so that their number does not matter.
//!
//! A loop of period *p* is steady when the state before an iteration is the state *p* iterations earlier, with the
//! footprints of each buffer moved by a constant (the buffer's *shift*: 0 for a ring), and when each expression of
//! its body moves with the variable as a constant shift too: indices of a buffer by the buffer's shift, bounds, counts
//! and queues not at all, conditions without changing their truth. Then the next period does to the state what the
//! last one did, and so on, until a condition flips: [`limit`] says how many periods that is from now.
//!
//! Distances are compared up to a bound that no wait of the loop reaches; what lies beyond it acts alike.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_tile::{BufferId, VarId};

use super::footprint::Shapes;
use super::interval::{Env, Interval};
use super::program::{Access, LoopNode, Program};
use super::shifts::{Shift, Shifts, Visitor};
use super::state::{OPEN, high};
use super::walk::Walker;

/// Longest period, in iterations.
const MAX_PERIOD: i64 = 4096;

/// How the body of a loop moves in one period.
pub(super) struct Plan {
    /// Iterations.
    pub period: i64,
    /// The same in values of the variable.
    pub stride: i64,
    dims: FxHashMap<BufferId, Moves>,
    vars: FxHashMap<VarId, i64>,
    leaves: FxHashSet<u32>,
    waits: FxHashSet<u32>,
}

/// The plan of a loop; `None` when its body does not move uniformly.
pub(super) fn plan(
    program: &Program,
    node: &LoopNode,
    step: i64,
    shapes: &Shapes,
    constants: &Env,
) -> Option<Plan> {
    let period = period(program, node, step, shapes, constants)?;
    let mut shifts = Shifts::new(program, shapes, constants.clone());
    shifts.vars.insert(node.var, period * step);
    let mut uniform = Uniform::new(program);
    shifts.node(&node.body, &mut uniform)?;
    let Uniform { dims, leaves, waits, .. } = uniform;
    Some(Plan { period, stride: period * step, dims, vars: shifts.vars, leaves, waits })
}

/// By how much accesses move, a dimension.
type Moves = SmallVec<[i64; 3]>;

/// Accesses of one buffer move alike.
struct Uniform<'a> {
    program: &'a Program,
    dims: FxHashMap<BufferId, Moves>,
    /// The same of buffers that conflict inside one group only, by commit scope.
    private_dims: FxHashMap<(BufferId, u32), Moves>,
    leaves: FxHashSet<u32>,
    waits: FxHashSet<u32>,
}

impl<'a> Uniform<'a> {
    fn new(program: &'a Program) -> Uniform<'a> {
        Uniform {
            program,
            dims: FxHashMap::default(),
            private_dims: FxHashMap::default(),
            leaves: FxHashSet::default(),
            waits: FxHashSet::default(),
        }
    }
}

impl Visitor for Uniform<'_> {
    fn access(&mut self, shifts: &Shifts<'_>, access: &Access, shift: Shift) -> Option<()> {
        let shift: Moves =
            shift.iter().map(|ends| (ends.lo == ends.hi).then_some(ends.lo)).collect::<Option<_>>()?;
        let known = match self.program.private[access.buffer.0 as usize] {
            Some(_) => {
                self.private_dims.entry((access.buffer, shifts.commit)).or_insert_with(|| shift.clone())
            }
            None => self.dims.entry(access.buffer).or_insert_with(|| shift.clone()),
        };
        (*known == shift).then_some(())
    }

    fn wait(&mut self, site: usize) {
        self.waits.insert(site as u32);
    }

    fn leaf(&mut self, leaf: u32) {
        self.leaves.insert(leaf);
    }
}

/// Nothing is asked of the accesses.
struct Anyhow;

impl Visitor for Anyhow {
    fn access(&mut self, _: &Shifts<'_>, _: &Access, _: Shift) -> Option<()> {
        Some(())
    }
}

/// The least number of iterations after which every remainder in the body is what it was.
fn period(program: &Program, node: &LoopNode, step: i64, shapes: &Shapes, constants: &Env) -> Option<i64> {
    let mut moduli = Vec::new();
    let mut linear = Shifts::new(program, shapes, constants.clone()).collecting(&mut moduli);
    linear.vars.insert(node.var, step);
    _ = linear.node(&node.body, &mut Anyhow);
    let mut period: i64 = 1;
    for (modulus, shift) in moduli {
        let needed = match shift {
            Some(shift) => modulus / gcd(modulus, shift.saturating_abs()),
            None => modulus,
        };
        period = (period / gcd(period, needed)).checked_mul(needed).filter(|&period| period <= MAX_PERIOD)?;
    }
    Some(period)
}

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// For how many periods from `value` on (the walk stands there, the state repeats) the body goes on as it did.
pub(super) fn limit(
    walker: &Walker<'_>,
    node: &LoopNode,
    plan: &Plan,
    value: i64,
    stride: i64,
    step: i64,
) -> i64 {
    let mut env = walker.env.clone();
    env.set(node.var, Interval::new(value - stride, value - step));
    let mut shifts = Shifts::new(walker.program, walker.shapes, env);
    shifts.vars.insert(node.var, plan.stride);
    shifts.concrete = true;
    match shifts.node(&node.body, &mut Uniform::new(walker.program)) {
        Some(()) => shifts.limit,
        None => 0,
    }
}

/// The state, relative to the iteration.
#[derive(PartialEq)]
pub(super) struct Snapshot(Vec<i64>);

pub(super) fn snapshot(walker: &Walker<'_>, plan: &Plan, periods: i64) -> Snapshot {
    let state = &walker.state;
    let seen = walker.waits.iter().filter_map(|wait| wait.counts).map(|counts| counts.1).max().unwrap_or(0);
    // Beyond the largest count all distances and lengths act alike.
    let far = 2 + seen.max(walker.program.largest_count);
    let mut key = Vec::with_capacity(64);
    for queue in &state.queues {
        key.push((queue.longest as i64).min(far));
        for wait in &queue.waits {
            // Waits outside the loop stay where they are; what they completed does not change any more.
            let since = match plan.waits.contains(&wait.site) {
                true => high(queue.counter) - high(wait.counter),
                false => far,
            };
            key.extend([i64::from(wait.site), since.min(far), wait.count]);
        }
        key.push(-1);
    }
    for group in &state.open {
        key.extend([group.queue.into(), group.members.len() as i64]);
    }
    for (buffer, feet) in state.feet.iter().enumerate() {
        if feet.is_empty() {
            continue;
        }
        let shift = plan.dims.get(&BufferId(buffer as u32));
        key.extend([-2, buffer as i64]);
        for foot in feet {
            let entry = state.entry(foot.entry);
            let queue = &state.queues[entry.queue as usize];
            let distance = match entry.base {
                OPEN => -1,
                base => (high(queue.counter) - high(base)).clamp(0, far),
            };
            let later = queue.waits.partition_point(|wait| wait.time <= entry.since);
            let flags = i64::from(foot.write)
                | i64::from(foot.exact) << 1
                | i64::from(entry.joined) << 2
                | i64::from(entry.done) << 3
                | i64::from(state.complete(entry)) << 4
                | i64::from(queue.unknown > entry.since) << 5;
            key.extend([i64::from(entry.leaf), i64::from(foot.place), distance, later as i64, flags]);
            for (dim, bounds) in foot.bounds.iter().enumerate() {
                let moved =
                    shift.and_then(|shift| shift.get(dim)).copied().unwrap_or(0).wrapping_mul(periods);
                key.extend([bounds.lo.wrapping_sub(moved), bounds.hi.wrapping_sub(moved)]);
            }
        }
    }
    Snapshot(key)
}

/// Moves the state by `skip` periods.
pub(super) fn advance(walker: &mut Walker<'_>, plan: &Plan, depth: usize, skip: i64) {
    let program = walker.program;
    let state = &mut walker.state;
    for (buffer, feet) in state.feet.iter_mut().enumerate() {
        let Some(shift) = plan.dims.get(&BufferId(buffer as u32)) else { continue };
        for foot in feet {
            for (bounds, shift) in foot.bounds.iter_mut().zip(shift) {
                *bounds = bounds.shift(shift.saturating_mul(skip));
            }
        }
    }
    for entry in &mut state.entries {
        if !plan.leaves.contains(&entry.leaf) {
            continue;
        }
        if let Some(value) = entry.iteration.get_mut(depth) {
            *value += skip * plan.stride;
        }
        let free = &program.leaves[entry.leaf as usize].free;
        for (var, value) in free.iter().zip(&mut entry.values) {
            let shift = plan.vars.get(var).copied().unwrap_or(0);
            *value = value.shift(shift.saturating_mul(skip));
        }
    }
    for wait in state.queues.iter_mut().flat_map(|queue| &mut queue.waits) {
        if plan.waits.contains(&wait.site)
            && let Some(value) = wait.iteration.get_mut(depth)
        {
            *value += skip * plan.stride;
        }
    }
}
