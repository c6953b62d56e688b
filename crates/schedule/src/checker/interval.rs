//! Closed intervals of integers, and what an expression can evaluate to when variables lie in intervals.
//!
//! For: the checker's walk, where loop variables of walked loops are points (so that everything is exact) and those
//! of statements that are taken as a whole are intervals.
//!
//! Promises: the true value lies in the interval ([`Interval::ALL`] when nothing is known: reads of buffers, unknown
//! calls); a point operand gives a point for every operator that is defined on it. Does not model the width of the
//! types: indices are mathematical integers.

use wavemark_tile::{BinaryOp, Call, Expr, VarId};

/// `lo ..= hi`; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Interval {
    pub lo: i64,
    pub hi: i64,
}

/// Bounds from here on mean "unbounded".
const LIMIT: i64 = 1 << 60;

impl Interval {
    pub const ALL: Interval = Interval { lo: -LIMIT, hi: LIMIT };
    pub const BOOL: Interval = Interval { lo: 0, hi: 1 };

    pub fn point(value: i64) -> Interval {
        Interval::new(value, value)
    }

    pub fn new(lo: i64, hi: i64) -> Interval {
        Interval { lo: lo.clamp(-LIMIT, LIMIT), hi: hi.clamp(-LIMIT, LIMIT) }
    }

    /// The value, when there is one only.
    pub fn as_point(self) -> Option<i64> {
        (self.lo == self.hi && self.lo.abs() < LIMIT).then_some(self.lo)
    }

    /// The truth of a condition, when it is decided.
    pub fn truth(self) -> Option<bool> {
        match self {
            Interval { lo: 0, hi: 0 } => Some(false),
            Interval { lo, hi } if lo > 0 || hi < 0 => Some(true),
            _ => None,
        }
    }

    pub fn bounded(self) -> bool {
        self.lo > -LIMIT && self.hi < LIMIT
    }

    pub fn overlaps(self, other: Interval) -> bool {
        self.lo <= other.hi && other.lo <= self.hi
    }

    pub fn contains(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    pub fn hull(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    fn low_sum(a: i64, b: i64) -> i64 {
        if a <= -LIMIT || b <= -LIMIT { -LIMIT } else { a.saturating_add(b) }
    }

    fn high_sum(a: i64, b: i64) -> i64 {
        if a >= LIMIT || b >= LIMIT { LIMIT } else { a.saturating_add(b) }
    }

    pub fn add(self, other: Interval) -> Interval {
        Interval::new(Self::low_sum(self.lo, other.lo), Self::high_sum(self.hi, other.hi))
    }

    fn neg(self) -> Interval {
        Interval { lo: -self.hi, hi: -self.lo }
    }

    pub fn sub(self, other: Interval) -> Interval {
        self.add(other.neg())
    }

    /// The hull of `op` at the four corners.
    fn corners(self, other: Interval, op: impl Fn(i64, i64) -> i64) -> Interval {
        let values =
            [op(self.lo, other.lo), op(self.lo, other.hi), op(self.hi, other.lo), op(self.hi, other.hi)];
        let lo = values.iter().copied().fold(i64::MAX, i64::min);
        let hi = values.iter().copied().fold(i64::MIN, i64::max);
        Interval::new(lo, hi)
    }

    pub fn shift(self, by: i64) -> Interval {
        self.add(Interval::point(by))
    }
}

/// What each variable can be.
#[derive(Clone, Debug)]
pub(super) struct Env(Vec<Interval>);

impl Env {
    /// Nothing known of any of `vars` variables.
    pub fn new(vars: usize) -> Env {
        Env(vec![Interval::ALL; vars])
    }

    pub fn get(&self, var: VarId) -> Interval {
        self.0.get(var.0 as usize).copied().unwrap_or(Interval::ALL)
    }

    pub fn set(&mut self, var: VarId, value: Interval) {
        if let Some(place) = self.0.get_mut(var.0 as usize) {
            *place = value;
        }
    }

    pub fn eval(&self, expr: &Expr) -> Interval {
        match expr {
            Expr::Int(value, _) => Interval::point(*value),
            Expr::Var(var, dtype) => {
                let value = self.get(*var);
                if value == Interval::ALL && *dtype == wavemark_tile::Dtype::BOOL {
                    Interval::BOOL
                } else {
                    value
                }
            }
            Expr::Binary(op, sides) => binary(*op, self.eval(&sides[0]), self.eval(&sides[1])),
            Expr::Not(inner) => match self.eval(inner).truth() {
                Some(truth) => Interval::point(i64::from(!truth)),
                None => Interval::BOOL,
            },
            Expr::Select(parts) => self.choose(&parts[0], &parts[1], &parts[2]),
            Expr::Cast(dtype, inner) if dtype.is_integer() && inner.dtype().is_integer() => self.eval(inner),
            Expr::Cast(_, inner) if inner.dtype() == wavemark_tile::Dtype::BOOL => self.eval(inner),
            Expr::Call(call) => self.call(call),
            _ if expr.dtype() == wavemark_tile::Dtype::BOOL => Interval::BOOL,
            _ => Interval::ALL,
        }
    }

    fn choose(&self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Interval {
        match self.eval(condition).truth() {
            Some(true) => self.eval(then),
            Some(false) => self.eval(otherwise),
            None => self.eval(then).hull(self.eval(otherwise)),
        }
    }

    fn call(&self, call: &Call) -> Interval {
        match (&*call.op, &call.args[..]) {
            ("if_then_else", [condition, then, otherwise]) => self.choose(condition, then, otherwise),
            ("likely", [inner]) => self.eval(inner),
            ("shift_left", [a, b]) => binary(BinaryOp::ShiftLeft, self.eval(a), self.eval(b)),
            ("shift_right", [a, b]) => binary(BinaryOp::ShiftRight, self.eval(a), self.eval(b)),
            ("bitwise_and", [a, b]) => binary(BinaryOp::BitAnd, self.eval(a), self.eval(b)),
            ("bitwise_or", [a, b]) => binary(BinaryOp::BitOr, self.eval(a), self.eval(b)),
            ("bitwise_xor", [a, b]) => binary(BinaryOp::BitXor, self.eval(a), self.eval(b)),
            _ if call.dtype == wavemark_tile::Dtype::BOOL => Interval::BOOL,
            _ => Interval::ALL,
        }
    }
}

fn decided(truth: Option<bool>) -> Interval {
    truth.map_or(Interval::BOOL, |truth| Interval::point(i64::from(truth)))
}

fn less(a: Interval, b: Interval) -> Option<bool> {
    if a.hi < b.lo && a.hi < LIMIT && b.lo > -LIMIT {
        Some(true)
    } else if a.lo >= b.hi && a.bounded_below() && b.bounded_above() {
        Some(false)
    } else {
        None
    }
}

impl Interval {
    fn bounded_below(self) -> bool {
        self.lo > -LIMIT
    }

    fn bounded_above(self) -> bool {
        self.hi < LIMIT
    }
}

fn binary(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => {
            if a.as_point() == Some(0) || b.as_point() == Some(0) {
                Interval::point(0)
            } else {
                a.corners(b, i64::saturating_mul)
            }
        }
        BinaryOp::Min => Interval { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi) },
        BinaryOp::Max => Interval { lo: a.lo.max(b.lo), hi: a.hi.max(b.hi) },
        BinaryOp::FloorDiv if b.lo > 0 => {
            let divided = a.corners(b, |x, y| x.div_euclid(y));
            let lo = if a.bounded_below() { divided.lo } else { -LIMIT };
            Interval::new(lo, if a.bounded_above() { divided.hi } else { LIMIT })
        }
        BinaryOp::FloorMod => match b.as_point() {
            Some(c) if c > 0 => {
                if a.bounded() && a.lo.div_euclid(c) == a.hi.div_euclid(c) {
                    Interval::new(a.lo.rem_euclid(c), a.hi.rem_euclid(c))
                } else {
                    Interval::new(0, c - 1)
                }
            }
            _ if b.lo > 0 => Interval::new(0, b.hi - 1),
            _ => Interval::ALL,
        },
        BinaryOp::Div | BinaryOp::Mod | BinaryOp::FloorDiv => match (a.as_point(), b.as_point()) {
            (Some(x), Some(y)) if y != 0 => Interval::point(match op {
                BinaryOp::Div => x / y,
                BinaryOp::Mod => x % y,
                // Rounds down whatever the sign of the divisor; `div_euclid` rounds up for negative ones.
                _ => x.div_euclid(y) - i64::from(y < 0 && x.rem_euclid(y) != 0),
            }),
            (_, Some(y)) if y > 0 && a.lo >= 0 => match op {
                BinaryOp::Div => binary(BinaryOp::FloorDiv, a, b),
                _ => binary(BinaryOp::FloorMod, a, b),
            },
            _ => Interval::ALL,
        },
        BinaryOp::Lt => decided(less(a, b)),
        BinaryOp::Gt => decided(less(b, a)),
        BinaryOp::Le => decided(less(b, a).map(|truth| !truth)),
        BinaryOp::Ge => decided(less(a, b).map(|truth| !truth)),
        BinaryOp::Eq | BinaryOp::Ne => {
            let equal = match (a.as_point(), b.as_point()) {
                (Some(x), Some(y)) => Some(x == y),
                _ if !a.overlaps(b) => Some(false),
                _ => None,
            };
            decided(equal.map(|equal| equal == (op == BinaryOp::Eq)))
        }
        BinaryOp::And => match (a.truth(), b.truth()) {
            (Some(false), _) | (_, Some(false)) => Interval::point(0),
            (Some(true), Some(true)) => Interval::point(1),
            _ => Interval::BOOL,
        },
        BinaryOp::Or => match (a.truth(), b.truth()) {
            (Some(true), _) | (_, Some(true)) => Interval::point(1),
            (Some(false), Some(false)) => Interval::point(0),
            _ => Interval::BOOL,
        },
        BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor => bits(op, a, b),
    }
}

fn bits(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    if let (BinaryOp::BitAnd, Some(mask)) = (op, b.as_point())
        && mask >= 0
        && (mask as u64 + 1).is_power_of_two()
    {
        return binary(BinaryOp::FloorMod, a, Interval::point(mask + 1));
    }
    if let Some(y) = b.as_point()
        && (0..60).contains(&y)
    {
        match op {
            BinaryOp::ShiftLeft => return binary(BinaryOp::Mul, a, Interval::point(1 << y)),
            BinaryOp::ShiftRight => return binary(BinaryOp::FloorDiv, a, Interval::point(1 << y)),
            _ => {}
        }
    }
    match (a.as_point(), b.as_point(), op) {
        (Some(x), Some(y), BinaryOp::BitAnd) => Interval::point(x & y),
        (Some(x), Some(y), BinaryOp::BitOr) => Interval::point(x | y),
        (Some(x), Some(y), BinaryOp::BitXor) => Interval::point(x ^ y),
        _ => Interval::ALL,
    }
}
