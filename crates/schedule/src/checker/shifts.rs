//! By how much expressions move when some variables do: the arithmetic of [`super::steady`] and [`super::induction`].
//!
//! Promises: where [`Shifts::expr`] gives a number, the expression differs by just that when each variable of
//! [`Shifts::vars`] moves by its number, whatever the values in [`Shifts::env`] it has; and so again for each further
//! move, [`Shifts::limit`] times. Conditions move by 0: their truth stays.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_tile::{BinaryOp, Expr, VarId};

use super::footprint::Shapes;
use super::interval::{Env, Interval};
use super::program::{Access, Dims, LoopNode, Node, Op, Program, expr_vars};

/// By how much the two ends of an interval move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    pub lo: i64,
    pub hi: i64,
}

/// By how much the box of an access moves, a dimension.
pub(super) type Shift = SmallVec<[Ends; 3]>;

/// Who asks how the accesses of a program move.
pub(super) trait Visitor {
    /// An access, in the commit scope at `shifts.commit`.
    fn access(&mut self, shifts: &Shifts<'_>, access: &Access, shift: Shift) -> Option<()>;

    /// A wait whose queue and count stay.
    fn wait(&mut self, _site: usize) {}

    /// A statement, before its accesses.
    fn leaf(&mut self, _leaf: u32) {}

    /// A loop whose number of iterations moves by `growth`.
    fn growing(&mut self, _shifts: &mut Shifts<'_>, _node: &LoopNode, _growth: i64) -> Option<()> {
        None
    }
}

/// How expressions move when some variables do.
pub(super) struct Shifts<'a> {
    program: &'a Program,
    shapes: &'a Shapes,
    /// Variables that move, by how much.
    pub vars: FxHashMap<VarId, i64>,
    /// Variables with a range whose end moves by so much more than its beginning.
    spread: FxHashMap<VarId, i64>,
    /// The values that variables take now.
    pub env: Env,
    /// Conditions are looked at (with `env`), not taken as stable.
    pub concrete: bool,
    /// For how many moves all of it holds.
    pub limit: i64,
    /// The place of the innermost commit scope.
    pub commit: u32,
    /// Collects divisors and the shift of what they divide.
    moduli: Option<&'a mut Vec<(i64, Option<i64>)>>,
    /// Goes on after a failure.
    lenient: bool,
}

impl<'a> Shifts<'a> {
    pub fn new(program: &'a Program, shapes: &'a Shapes, env: Env) -> Shifts<'a> {
        Shifts {
            program,
            shapes,
            vars: FxHashMap::default(),
            spread: FxHashMap::default(),
            env,
            concrete: false,
            limit: i64::MAX,
            commit: u32::MAX,
            moduli: None,
            lenient: false,
        }
    }

    /// Goes through everything and notes what is divided: by which number, and how it moves.
    pub fn collecting(mut self, moduli: &'a mut Vec<(i64, Option<i64>)>) -> Shifts<'a> {
        // Fails where the move keeps no remainder; the moduli up to there are looked for, and those after it too.
        self.lenient = true;
        self.moduli = Some(moduli);
        self
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

    /// `Some(())` when control stays and each access moves by a constant.
    pub fn node(&mut self, node: &Node, visitor: &mut impl Visitor) -> Option<()> {
        match node {
            Node::Seq(nodes) => nodes.iter().try_for_each(|node| self.node(node, visitor)),
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
                    return visitor.growing(self, node, growth);
                }
                self.bind_range(node.var, &node.min, &node.extent)?;
                self.node(&node.body, visitor)
            }
            Node::Span { var, min, extent, body } => {
                self.still(extent)?;
                self.bind_range(*var, min, extent)?;
                self.node(body, visitor)
            }
            Node::Bind { var, value, body } => {
                self.bind(*var, value)?;
                self.node(body, visitor)
            }
            Node::Branch { condition, then, otherwise, .. } => {
                let truth = self.condition(condition)?;
                if truth != Some(false) {
                    self.node(then, visitor)?;
                }
                match otherwise {
                    Some(node) if truth != Some(true) => self.node(node, visitor),
                    _ => Some(()),
                }
            }
            Node::Commit { queue, body, place } => {
                self.still(queue)?;
                let outer = std::mem::replace(&mut self.commit, *place);
                self.node(body, visitor)?;
                self.commit = outer;
                Some(())
            }
            Node::Wait { site, body } => {
                visitor.wait(*site);
                let wait = &self.program.waits[*site];
                self.still(&wait.queue)?;
                self.still(&wait.count)?;
                self.node(body, visitor)
            }
            Node::Leaf(leaf) => {
                visitor.leaf(*leaf);
                let program = self.program;
                self.ops(&program.leaves[*leaf as usize].ops, visitor)
            }
        }
    }

    /// A condition whose truth stays: what it is, where that is looked at and known.
    fn condition(&mut self, condition: &Expr) -> Option<Option<bool>> {
        self.still(condition)?;
        Some(self.env.eval(condition).truth().filter(|_| self.concrete))
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

    fn ops(&mut self, ops: &[Op], visitor: &mut impl Visitor) -> Option<()> {
        for op in ops {
            match op {
                Op::Bind { var, value } => self.bind(*var, value)?,
                Op::Loop { var, min, extent, step, body } => {
                    if let Some(step) = step {
                        self.still(step)?;
                    }
                    let growth = self.expr(extent);
                    let growth = self.hold(growth)?;
                    let length = self.env.eval(extent);
                    if self.concrete && growth <= 0 && length.hi <= 0 {
                        // Not entered, now or later.
                        continue;
                    }
                    self.bind_range(*var, min, extent)?;
                    if growth != 0 {
                        // Longer and longer, and not only from some length on.
                        let longer = self.concrete && growth > 0 && length.lo > 0;
                        self.hold(longer.then_some(()))?;
                        self.spread.insert(*var, growth);
                    }
                    self.ops(body, visitor)?;
                    self.spread.remove(var);
                }
                Op::If { condition, then, otherwise } => {
                    let truth = self.condition(condition)?;
                    if truth != Some(false) {
                        self.ops(then, visitor)?;
                    }
                    if truth != Some(true) {
                        self.ops(otherwise, visitor)?;
                    }
                }
                Op::Access(access) => {
                    let shift = self.access(access)?;
                    visitor.access(self, access, shift)?;
                }
            }
        }
        Some(())
    }

    /// By how much the box of an access moves.
    fn access(&mut self, access: &Access) -> Option<Shift> {
        const STILL: Ends = Ends { lo: 0, hi: 0 };
        let mut shift = Shift::new();
        match &access.dims {
            Dims::Ranges(ranges) => {
                for (min, extent) in ranges {
                    let ends = self.ends(min);
                    shift.push(if self.lenient { ends.unwrap_or(STILL) } else { ends? });
                    if let Some(extent) = extent {
                        self.still(extent)?;
                    }
                }
            }
            Dims::Flat(offset, extent) => {
                self.still(offset)?;
                self.still(extent)?;
                shift.resize(self.shapes.rank(access.buffer)?, STILL);
            }
            Dims::Whole => shift.resize(self.shapes.rank(access.buffer)?, STILL),
        }
        Some(shift)
    }

    /// By how much the ends of the expression's interval move.
    fn ends(&mut self, expr: &Expr) -> Option<Ends> {
        let mut spread = false;
        expr_vars(expr, &mut |var| spread |= self.spread.contains_key(&var));
        if !spread {
            return self.expr(expr).map(|by| Ends { lo: by, hi: by });
        }
        let Expr::Binary(op, sides) = expr else {
            let Expr::Var(var, _) = expr else { return None };
            let lo = self.vars.get(var).copied().unwrap_or(0);
            return Some(Ends { lo, hi: lo.checked_add(*self.spread.get(var)?)? });
        };
        let (a, b) = (self.ends(&sides[0])?, self.ends(&sides[1])?);
        let still = |ends: Ends| ends == Ends { lo: 0, hi: 0 };
        let times = |ends: Ends, by: i64| {
            let (lo, hi) = (ends.lo.checked_mul(by)?, ends.hi.checked_mul(by)?);
            Some(if by < 0 { Ends { lo: hi, hi: lo } } else { Ends { lo, hi } })
        };
        match op {
            BinaryOp::Add => Some(Ends { lo: a.lo.checked_add(b.lo)?, hi: a.hi.checked_add(b.hi)? }),
            BinaryOp::Sub => Some(Ends { lo: a.lo.checked_sub(b.hi)?, hi: a.hi.checked_sub(b.lo)? }),
            BinaryOp::Mul => match (self.env.eval(&sides[0]).as_point(), self.env.eval(&sides[1]).as_point())
            {
                (_, Some(by)) if still(b) => times(a, by),
                (Some(by), _) if still(a) => times(b, by),
                _ => None,
            },
            _ => None,
        }
    }

    /// By how much the expression moves; `None` when that is not a constant.
    pub fn expr(&mut self, expr: &Expr) -> Option<i64> {
        match expr {
            Expr::Int(..) | Expr::Float(..) | Expr::Str(_) | Expr::Data(_) => Some(0),
            Expr::Var(var, _) if self.spread.contains_key(var) => None,
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
                if a == b || !self.concrete {
                    return (a == b).then_some(a);
                }
                // One side, as long as it stays the smaller one.
                self.compare(BinaryOp::Le, left, right, a.checked_sub(b)?)?;
                let left_is_less = self.env.eval(left).sub(self.env.eval(right)).hi <= 0;
                Some(if left_is_less == (op == BinaryOp::Min) { a } else { b })
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
