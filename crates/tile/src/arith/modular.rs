//! Residues: which `step · k + base` an integer expression can be.
//!
//! Promises: every value of the expression has the form `step · k + base` for an integer `k` (`step` 0: it is the
//! constant `base`), as long as nothing overflows. Finds what TVM's `modular_set` finds.

use super::Analyzer;
use crate::expr::{BinaryOp, Expr, VarId};
use crate::fold::int::gcd;

/// The numbers `step · k + base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Residues {
    pub(crate) step: i64,
    pub(crate) base: i64,
}

impl Residues {
    pub(crate) const EVERYTHING: Residues = Residues { step: 1, base: 0 };

    fn new(step: i64, base: i64) -> Residues {
        match step.checked_abs() {
            Some(0) => Residues { step: 0, base },
            Some(step) => Residues { step, base: base.rem_euclid(step) },
            None => Residues::EVERYTHING,
        }
    }

    fn union(self, other: Residues) -> Residues {
        let Some(difference) = self.base.checked_sub(other.base) else { return Residues::EVERYTHING };
        let step = gcd(gcd(self.step, other.step), difference);
        if step == 0 { self } else { Residues::new(step, self.base) }
    }
}

impl Analyzer {
    /// The residues of `expr`.
    pub(crate) fn modular(&self, expr: &Expr) -> Residues {
        self.modular_at(expr, 0).unwrap_or(Residues::EVERYTHING)
    }

    fn modular_at(&self, expr: &Expr, depth: u32) -> Option<Residues> {
        if depth > 256 {
            return None;
        }
        match expr {
            Expr::Int(value, _) => Some(Residues::new(0, *value)),
            Expr::Var(var, _) => self.vars.get(var).and_then(|known| known.residues),
            Expr::Cast(_, inner) if inner.dtype().is_integer() => self.modular_at(inner, depth + 1),
            Expr::Select(parts) => {
                Some(self.modular_at(&parts[1], depth + 1)?.union(self.modular_at(&parts[2], depth + 1)?))
            }
            Expr::Binary(op, sides) => self.modular_of_binary(*op, sides, depth),
            _ => None,
        }
    }

    fn modular_of_binary(&self, op: BinaryOp, sides: &[Expr; 2], depth: u32) -> Option<Residues> {
        use BinaryOp::*;
        let of = |index: usize| self.modular_at(&sides[index], depth + 1);
        let either = |index: usize| of(index).unwrap_or(Residues::EVERYTHING);
        match op {
            Add | Sub => {
                let (a, b) = (of(0)?, of(1)?);
                let base = if op == Add { a.base.checked_add(b.base) } else { a.base.checked_sub(b.base) };
                Some(Residues::new(gcd(a.step, b.step), base?))
            }
            Mul => {
                let (a, b) = (either(0), either(1));
                let both = a.step.checked_mul(b.step)?;
                let mixed = gcd(a.step.checked_mul(b.base)?, a.base.checked_mul(b.step)?);
                Some(Residues::new(gcd(both, mixed), a.base.checked_mul(b.base)?))
            }
            Min | Max => Some(of(0)?.union(of(1)?)),
            FloorDiv | Div | ShiftRight => {
                let divisor = match (op, sides[1].as_int()?) {
                    (ShiftRight, shift) if (0..62).contains(&shift) => 1 << shift,
                    (ShiftRight, _) | (_, 0) => return None,
                    (_, value) => value,
                };
                let a = of(0)?;
                if a.step.checked_rem(divisor)? != 0 {
                    return None;
                }
                let whole = a.base.checked_rem(divisor)? == 0;
                let rounds_down =
                    divisor > 0 && a.base >= 0 && (op != Div || self.interval(&sides[0]).min >= 0);
                (whole || rounds_down).then(|| Residues::new(a.step / divisor, a.base / divisor))
            }
            FloorMod | Mod | BitAnd => {
                let modulus = match (op, sides[1].as_int()?) {
                    (BitAnd, mask) if mask >= 0 && (mask + 1) & mask == 0 => mask.checked_add(1)?,
                    (BitAnd, _) | (_, 0) => return None,
                    (_, value) => value,
                };
                let a = of(0)?;
                let step = gcd(a.step, modulus);
                let same_sign = op != Mod || a.base % step == 0 || self.interval(&sides[0]).min >= 0;
                same_sign.then(|| Residues::new(step, a.base))
            }
            ShiftLeft => {
                let shift = sides[1].as_int().filter(|shift| (0..62).contains(shift))?;
                let a = of(0)?;
                Some(Residues::new(a.step.checked_mul(1 << shift)?, a.base.checked_mul(1 << shift)?))
            }
            _ => None,
        }
    }
}

/// The residue of a variable that a condition of the form `v % c == b` gives.
pub(crate) fn residue_of(condition: &Expr) -> Option<(VarId, Residues)> {
    let Expr::Binary(BinaryOp::Eq, sides) = condition else { return None };
    let (Expr::Binary(BinaryOp::FloorMod | BinaryOp::Mod, parts), Expr::Int(base, _)) =
        (&sides[0], &sides[1])
    else {
        return None;
    };
    match (&parts[0], &parts[1]) {
        (Expr::Var(var, _), Expr::Int(step, _)) if *step > 0 && *base >= 0 && *base < *step => {
            Some((*var, Residues::new(*step, *base)))
        }
        _ => None,
    }
}

/// What is known when both are: the finer of the two where one says more, else the first.
pub(crate) fn intersect(old: Residues, new: Residues) -> Residues {
    if old.step != 0 && new.step % old.step == 0 { new } else { old }
}
