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
use wavemark_tile::{BinaryOp, BufferId, Expr, VarId};

use super::footprint::Shapes;
use super::interval::{Env, Interval};
use super::program::{Dims, LoopNode, Node, Op, Program};
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
    dims: FxHashMap<BufferId, SmallVec<[i64; 3]>>,
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
    shifts.node(&node.body)?;
    let Shifts { dims, vars, leaves, waits, .. } = shifts;
    Some(Plan { period, stride: period * step, dims, vars, leaves, waits })
}

/// The least number of iterations after which every remainder in the body is what it was.
fn period(program: &Program, node: &LoopNode, step: i64, shapes: &Shapes, constants: &Env) -> Option<i64> {
    let mut moduli = Vec::new();
    let mut linear = Shifts::new(program, shapes, constants.clone());
    linear.vars.insert(node.var, step);
    linear.moduli = Some(&mut moduli);
    // Fails where a period of 1 does not do; the moduli up to there are what is looked for, and those after it too.
    linear.lenient = true;
    _ = linear.node(&node.body);
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
    match shifts.node(&node.body) {
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
                | i64::from(state.complete(entry)) << 4;
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

/// How expressions move when some variables do.
pub(super) struct Shifts<'a> {
    program: &'a Program,
    shapes: &'a Shapes,
    /// Variables that move, by how much.
    pub vars: FxHashMap<VarId, i64>,
    /// The values that variables take in the period.
    pub env: Env,
    /// Conditions are looked at (with `env`), not taken as stable.
    pub concrete: bool,
    /// For how many periods all of it holds.
    pub limit: i64,
    /// By buffer and dimension.
    pub dims: FxHashMap<BufferId, SmallVec<[i64; 3]>>,
    /// The same of buffers that conflict inside one group only, by commit scope and part of a growing loop.
    private_dims: FxHashMap<(BufferId, u32, u32), SmallVec<[i64; 3]>>,
    commit: u32,
    part: u32,
    leaves: FxHashSet<u32>,
    waits: FxHashSet<u32>,
    /// Collects divisors and the shift of what they divide.
    moduli: Option<&'a mut Vec<(i64, Option<i64>)>>,
    /// Goes on after a failure.
    lenient: bool,
    /// Loops whose length moves: from where on they are steady, and with which period.
    pub growing: Option<&'a FxHashMap<u32, (i64, i64)>>,
}

impl<'a> Shifts<'a> {
    pub fn new(program: &'a Program, shapes: &'a Shapes, env: Env) -> Shifts<'a> {
        Shifts {
            program,
            shapes,
            vars: FxHashMap::default(),
            env,
            concrete: false,
            limit: i64::MAX,
            dims: FxHashMap::default(),
            private_dims: FxHashMap::default(),
            commit: u32::MAX,
            part: 0,
            leaves: FxHashSet::default(),
            waits: FxHashSet::default(),
            moduli: None,
            lenient: false,
            growing: None,
        }
    }

    fn still(&mut self, expr: &Expr) -> Option<()> {
        let shift = self.expr(expr);
        self.hold(shift.filter(|&shift| shift == 0).map(|_| ()))
    }

    /// A failure, unless it does not matter.
    fn hold<T: Default>(&self, value: Option<T>) -> Option<T> {
        match value {
            None if self.lenient => Some(T::default()),
            value => value,
        }
    }

    /// Some(()) when everything inside moves uniformly.
    pub fn node(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Seq(nodes) => nodes.iter().try_for_each(|node| self.node(node)),
            Node::Loop(node) => {
                if let Some(step) = &node.step {
                    self.still(step)?;
                }
                let growth = self.expr(&node.extent);
                let growth = self.hold(growth)?;
                if self.concrete && growth <= 0 && self.env.eval(&node.extent).hi <= 0 {
                    // Not entered, now or later.
                    return Some(());
                }
                if growth != 0 && !self.lenient {
                    return self.growing_loop(node, growth);
                }
                self.bind_range(node.var, &node.min, &node.extent)?;
                self.node(&node.body)
            }
            Node::Span { var, min, extent, body } => {
                self.still(extent)?;
                self.bind_range(*var, min, extent)?;
                self.node(body)
            }
            Node::Bind { var, value, body } => {
                self.bind(*var, value)?;
                self.node(body)
            }
            Node::Branch { condition, then, otherwise, .. } => {
                self.still(condition)?;
                let truth = self.env.eval(condition).truth().filter(|_| self.concrete);
                if truth != Some(false) {
                    self.node(then)?;
                }
                match otherwise {
                    Some(node) if truth != Some(true) => self.node(node),
                    _ => Some(()),
                }
            }
            Node::Commit { queue, body, place } => {
                self.still(queue)?;
                let outer = std::mem::replace(&mut self.commit, *place);
                self.node(body)?;
                self.commit = outer;
                Some(())
            }
            Node::Wait { site, body } => {
                self.waits.insert(*site as u32);
                let program = self.program;
                let wait = &program.waits[*site];
                self.still(&wait.queue)?;
                self.still(&wait.count)?;
                self.node(body)
            }
            Node::Leaf(leaf) => {
                self.leaves.insert(*leaf);
                let program = self.program;
                self.ops(&program.leaves[*leaf as usize].ops)
            }
        }
    }

    /// A loop that gets longer: its first iterations stay, its last ones move along, between them it is steady.
    fn growing_loop(&mut self, node: &LoopNode, growth: i64) -> Option<()> {
        let growing = self.growing?;
        let &(from, period) = growing.get(&node.place)?;
        let (min, extent) = (self.env.eval(&node.min).as_point()?, self.env.eval(&node.extent).as_point()?);
        if self.expr(&node.min)? != 0 || growth < 0 || growth % period != 0 || min + extent < from + period {
            return None;
        }
        self.growing = None;
        self.env.set(node.var, Interval::new(min, (from + period - 1).max(min)));
        self.vars.insert(node.var, 0);
        self.part += 1;
        self.node(&node.body)?;
        self.part += 1;
        self.env.set(node.var, Interval::new(from, min + extent - 1));
        self.vars.insert(node.var, growth);
        self.node(&node.body)?;
        self.growing = Some(growing);
        Some(())
    }

    fn bind(&mut self, var: VarId, value: &Expr) -> Option<()> {
        let shift = self.expr(value);
        let shift = self.hold(shift)?;
        self.vars.insert(var, shift);
        let value = self.env.eval(value);
        self.env.set(var, value);
        Some(())
    }

    fn bind_range(&mut self, var: VarId, min: &Expr, extent: &Expr) -> Option<()> {
        let shift = self.expr(min);
        let shift = self.hold(shift)?;
        let (min, extent) = (self.env.eval(min), self.env.eval(extent));
        self.vars.insert(var, shift);
        self.env.set(var, Interval::new(min.lo, min.add(extent).hi.saturating_sub(1).max(min.lo)));
        Some(())
    }

    fn ops(&mut self, ops: &[Op]) -> Option<()> {
        for op in ops {
            match op {
                Op::Bind { var, value } => self.bind(*var, value)?,
                Op::Loop { var, min, extent, step, body } => {
                    self.still(extent)?;
                    if let Some(step) = step {
                        self.still(step)?;
                    }
                    self.bind_range(*var, min, extent)?;
                    self.ops(body)?;
                }
                Op::If { condition, then, otherwise } => {
                    self.still(condition)?;
                    self.ops(then)?;
                    self.ops(otherwise)?;
                }
                Op::Access(access) => {
                    let mut shifts: SmallVec<[i64; 3]> = SmallVec::new();
                    match &access.dims {
                        Dims::Ranges(ranges) => {
                            for (min, extent) in ranges {
                                let shift = self.expr(min);
                                shifts.push(self.hold(shift)?);
                                if let Some(extent) = extent {
                                    self.still(extent)?;
                                }
                            }
                        }
                        Dims::Flat(offset, extent) => {
                            self.still(offset)?;
                            self.still(extent)?;
                            shifts.resize(self.shapes.rank(access.buffer)?, 0);
                        }
                        Dims::Whole => shifts.resize(self.shapes.rank(access.buffer)?, 0),
                    }
                    let known = match self.program.private[access.buffer.0 as usize] {
                        Some(_) => {
                            let key = (access.buffer, self.commit, self.part);
                            self.private_dims.entry(key).or_insert_with(|| shifts.clone())
                        }
                        None => self.dims.entry(access.buffer).or_insert_with(|| shifts.clone()),
                    };
                    if *known != shifts {
                        self.hold::<()>(None)?;
                    }
                }
            }
        }
        Some(())
    }

    /// By how much the expression moves; `None` when that is not a constant.
    fn expr(&mut self, expr: &Expr) -> Option<i64> {
        match expr {
            Expr::Int(..) | Expr::Float(..) | Expr::Str(_) | Expr::Data(_) => Some(0),
            Expr::Var(var, _) => Some(self.vars.get(var).copied().unwrap_or(0)),
            // Not known before, not known after.
            Expr::Load(_) => Some(0),
            Expr::Not(inner) | Expr::Cast(_, inner) => self.expr(inner),
            Expr::Binary(op, sides) => self.binary(*op, &sides[0], &sides[1]),
            Expr::Select(parts) => self.choose(&parts[0], &parts[1], &parts[2]),
            Expr::Call(call) => match (&*call.op, &call.args[..]) {
                ("if_then_else", [condition, then, otherwise]) => self.choose(condition, then, otherwise),
                ("likely", [inner]) => self.expr(inner),
                ("shift_left", [a, b]) => self.binary(BinaryOp::ShiftLeft, a, b),
                ("shift_right", [a, b]) => self.binary(BinaryOp::ShiftRight, a, b),
                ("bitwise_and", [a, b]) => self.binary(BinaryOp::BitAnd, a, b),
                _ => {
                    for argument in &call.args {
                        if self.expr(argument)? != 0 {
                            return None;
                        }
                    }
                    Some(0)
                }
            },
        }
    }

    fn choose(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Option<i64> {
        self.still(condition)?;
        match self.env.eval(condition).truth().filter(|_| self.concrete) {
            Some(true) => self.expr(then),
            Some(false) => self.expr(otherwise),
            None => {
                let (then, otherwise) = (self.expr(then)?, self.expr(otherwise)?);
                (then == otherwise).then_some(then)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<i64> {
        let (a, b) = (self.expr(left), self.expr(right));
        match op {
            BinaryOp::Add => a?.checked_add(b?),
            BinaryOp::Sub => a?.checked_sub(b?),
            BinaryOp::And | BinaryOp::Or => (a? == 0 && b? == 0).then_some(0),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.compare(op, left, right, a?.checked_sub(b?)?)
            }
            BinaryOp::Mul => {
                let (a, b) = (a?, b?);
                if a == 0 && b == 0 {
                    return Some(0);
                }
                match (self.env.eval(left).as_point(), self.env.eval(right).as_point()) {
                    (Some(value), _) if a == 0 => b.checked_mul(value),
                    (_, Some(value)) if b == 0 => a.checked_mul(value),
                    _ => None,
                }
            }
            BinaryOp::ShiftLeft => {
                let by = self.env.eval(right).as_point().filter(|by| (0..60).contains(by))?;
                (b? == 0).then_some(())?;
                a?.checked_mul(1 << by)
            }
            BinaryOp::FloorDiv | BinaryOp::FloorMod | BinaryOp::Div | BinaryOp::Mod
                if a == Some(0) && b == Some(0) =>
            {
                Some(0)
            }
            BinaryOp::FloorDiv | BinaryOp::FloorMod | BinaryOp::Div | BinaryOp::Mod => {
                let divisor = self.env.eval(right).as_point().filter(|&divisor| divisor > 0);
                self.divided(op, left, a, divisor.filter(|_| b == Some(0)))
            }
            BinaryOp::ShiftRight => {
                let by = self.env.eval(right).as_point().filter(|by| (0..60).contains(by))?;
                self.divided(BinaryOp::FloorDiv, left, a, Some(1 << by))
            }
            BinaryOp::BitAnd => match (a, b, self.env.eval(right).as_point()) {
                (Some(0), Some(0), _) => Some(0),
                (a, Some(0), Some(mask)) if mask >= 0 && (mask as u64 + 1).is_power_of_two() => {
                    self.divided(BinaryOp::FloorMod, left, a, Some(mask + 1))
                }
                _ => None,
            },
            BinaryOp::Min | BinaryOp::Max => {
                let (a, b) = (a?, b?);
                (a == b).then_some(a)
            }
            BinaryOp::BitOr | BinaryOp::BitXor => (a? == 0 && b? == 0).then_some(0),
        }
    }

    fn divided(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        shift: Option<i64>,
        divisor: Option<i64>,
    ) -> Option<i64> {
        if shift == Some(0) {
            return divisor.map(|_| 0);
        }
        let divisor = divisor?;
        if let Some(moduli) = &mut self.moduli {
            moduli.push((divisor, shift));
        }
        let shift = shift?;
        if matches!(op, BinaryOp::Div | BinaryOp::Mod)
            && self.concrete
            && (self.env.eval(left).lo < 0 || shift < 0)
        {
            return None;
        }
        (shift % divisor == 0).then_some(())?;
        Some(if matches!(op, BinaryOp::FloorDiv | BinaryOp::Div) { shift / divisor } else { 0 })
    }

    /// A comparison of two sides that drift apart by `drift`: for how long its truth stays.
    fn compare(&mut self, op: BinaryOp, left: &Expr, right: &Expr, drift: i64) -> Option<i64> {
        if drift == 0 || !self.concrete {
            return Some(0);
        }
        // Far from where its negation overflows.
        (drift.unsigned_abs() < 1 << 60).then_some(())?;
        let difference = self.env.eval(left).sub(self.env.eval(right));
        // As `value < 0` with its drift, or `value == 0`.
        let (value, drift) = match op {
            BinaryOp::Lt | BinaryOp::Ge => (difference, drift),
            BinaryOp::Le | BinaryOp::Gt => (difference.shift(-1), drift),
            _ => {
                let periods = match difference {
                    Interval { lo, .. } if lo > 0 => {
                        if drift > 0 {
                            i64::MAX
                        } else {
                            (lo - 1) / -drift
                        }
                    }
                    Interval { hi, .. } if hi < 0 => {
                        if drift < 0 {
                            i64::MAX
                        } else {
                            (-hi - 1) / drift
                        }
                    }
                    _ => return None,
                };
                self.limit = self.limit.min(periods);
                return Some(0);
            }
        };
        let periods = if value.hi < 0 {
            if drift <= 0 { i64::MAX } else { (-1 - value.hi) / drift }
        } else if value.lo >= 0 {
            if drift >= 0 { i64::MAX } else { value.lo / -drift }
        } else {
            return None;
        };
        self.limit = self.limit.min(periods);
        Some(0)
    }
}
