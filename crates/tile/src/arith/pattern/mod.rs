//! The rewrite rules as data: reads `rules.txt` once, matches expressions against it, builds the results.
//!
//! A rule is found by the operator at the root and the kinds of the two operands, so that an expression is compared
//! with the few rules that can apply. The notation is said at the top of `rules.txt`; a mistake in it is found by
//! the test below, for every rule is read there.

use std::sync::LazyLock;

use super::Analyzer;
use super::rewrite::Mode;
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, Expr};
use crate::fold::{self, int};

mod reader;

/// Variables of a pattern: the first seven match anything, the last three an integer constant.
const NAMES: [&str; 10] = ["x", "y", "z", "b1", "b2", "s1", "s2", "c1", "c2", "c3"];
const FIRST_CONSTANT: usize = 7;

/// An expression of a pattern, a result or a condition.
#[derive(Debug)]
enum Pattern {
    Hole(usize),
    Literal(i64),
    Truth(bool),
    Binary(BinaryOp, Box<[Pattern; 2]>),
    Not(Box<Pattern>),
    Select(Box<[Pattern; 3]>),
}

#[derive(Debug)]
enum Condition {
    Always,
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Compare(BinaryOp, Pattern, Pattern),
    AtLeast(Pattern, Pattern),
    Below(Pattern, Pattern),
    Zero(Pattern),
    Pure(Pattern),
}

#[derive(Debug)]
struct Rule {
    pattern: Pattern,
    result: Pattern,
    condition: Condition,
    again: bool,
}

/// One section of the table.
pub(crate) struct Section {
    rules: Vec<Rule>,
    /// By the kind of the left and of the right operand: which rules may match.
    left: [Bits; KINDS],
    right: [Bits; KINDS],
}

type Bits = [u64; 4];
const KINDS: usize = 28;

fn kind(expr: &Expr) -> usize {
    match expr {
        Expr::Binary(op, _) => *op as usize,
        Expr::Int(..) => 22,
        Expr::Var(..) => 23,
        Expr::Not(_) => 24,
        Expr::Select(_) => 25,
        _ => 26,
    }
}

fn admits(pattern: &Pattern, kind: usize) -> bool {
    match pattern {
        Pattern::Hole(name) => *name < FIRST_CONSTANT || kind == 22,
        Pattern::Literal(_) | Pattern::Truth(_) => kind == 22,
        Pattern::Binary(op, _) => kind == *op as usize,
        Pattern::Not(_) => kind == 24,
        Pattern::Select(_) => kind == 25,
    }
}

/// All sections, by the operator and the types they hold for.
pub(crate) struct Rules {
    sections: [[Section; 4]; 22],
}

/// Which rules of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum For {
    /// Those that are tried before anything else.
    First = 0,
    /// int32 and int64.
    Index = 1,
    /// Every other type.
    Other = 2,
    /// Every type.
    Any = 3,
}

impl Rules {
    pub(crate) fn section(&self, op: BinaryOp, holds: For) -> &Section {
        &self.sections[op as usize][holds as usize]
    }
}

/// The table.
pub(crate) static RULES: LazyLock<Rules> = LazyLock::new(|| reader::read(include_str!("../rules.txt")));

type Bindings<'e> = [Option<&'e Expr>; NAMES.len()];

impl Section {
    /// The result of the first rule that applies to `expr`, an operator of two operands; and whether to simplify
    /// it again.
    pub(crate) fn apply(&self, expr: &Expr, analyzer: &mut Analyzer, mode: Mode) -> Option<(Expr, bool)> {
        let Expr::Binary(_, sides) = expr else { return None };
        let (left, right) = (&self.left[kind(&sides[0])], &self.right[kind(&sides[1])]);
        for word in 0..left.len() {
            let mut bits = left[word] & right[word];
            while bits != 0 {
                let rule = &self.rules[word * 64 + bits.trailing_zeros() as usize];
                bits &= bits - 1;
                let mut bindings = Bindings::default();
                if !matches(&rule.pattern, expr, &mut bindings) {
                    continue;
                }
                let dtype = sides[0].dtype();
                let mut site = Site { bindings, dtype, analyzer: &mut *analyzer, mode };
                if site.holds(&rule.condition) {
                    return Some((site.build(&rule.result), rule.again));
                }
            }
        }
        None
    }
}

fn matches<'e>(pattern: &Pattern, expr: &'e Expr, bindings: &mut Bindings<'e>) -> bool {
    match (pattern, expr) {
        (Pattern::Hole(name), _) => {
            if *name >= FIRST_CONSTANT && !matches!(expr, Expr::Int(..)) {
                return false;
            }
            match bindings[*name] {
                Some(bound) => fold::equal(bound, expr),
                None => {
                    bindings[*name] = Some(expr);
                    true
                }
            }
        }
        (Pattern::Literal(value), Expr::Int(found, _)) => value == found,
        (Pattern::Binary(op, patterns), Expr::Binary(found, sides)) => {
            op == found
                && matches(&patterns[0], &sides[0], bindings)
                && matches(&patterns[1], &sides[1], bindings)
        }
        (Pattern::Not(inner), Expr::Not(found)) => matches(inner, found, bindings),
        (Pattern::Select(patterns), Expr::Select(parts)) => {
            patterns.iter().zip(parts.iter()).all(|(pattern, part)| matches(pattern, part, bindings))
        }
        _ => false,
    }
}

/// A rule that matched.
struct Site<'e, 'a> {
    bindings: Bindings<'e>,
    /// The type of the operands, which literals take.
    dtype: Dtype,
    analyzer: &'a mut Analyzer,
    mode: Mode,
}

impl Site<'_, '_> {
    fn build(&self, pattern: &Pattern) -> Expr {
        match pattern {
            Pattern::Hole(name) => match self.bindings[*name] {
                Some(bound) => bound.clone(),
                None => unreachable!("the reader checks that a result's names are in the pattern"),
            },
            Pattern::Literal(value) if self.dtype.is_float() => Expr::Float(*value as f64, self.dtype),
            Pattern::Literal(value) => Expr::Int(*value, self.dtype),
            Pattern::Truth(value) => Expr::bool(*value),
            Pattern::Binary(op, sides) => {
                let (a, b) = (self.build(&sides[0]), self.build(&sides[1]));
                fold::try_binary(*op, &a, &b).unwrap_or_else(|| Expr::binary(*op, a, b))
            }
            Pattern::Not(inner) => fold::not(self.build(inner)),
            Pattern::Select(parts) => {
                fold::select(self.build(&parts[0]), self.build(&parts[1]), self.build(&parts[2]))
            }
        }
    }

    fn value(&self, pattern: &Pattern) -> Option<i64> {
        match pattern {
            Pattern::Hole(name) => self.bindings[*name]?.as_int(),
            Pattern::Literal(value) => Some(*value),
            Pattern::Binary(op, sides) => {
                let (a, b) = (self.value(&sides[0])?, self.value(&sides[1])?);
                match op {
                    BinaryOp::Add => a.checked_add(b),
                    BinaryOp::Sub => a.checked_sub(b),
                    BinaryOp::Mul => a.checked_mul(b),
                    BinaryOp::FloorDiv => int::floor_div(a, b),
                    BinaryOp::FloorMod => int::floor_mod(a, b),
                    BinaryOp::Div => a.checked_div(b),
                    BinaryOp::Mod => a.checked_rem(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn holds(&mut self, condition: &Condition) -> bool {
        match condition {
            Condition::Always => true,
            Condition::All(parts) => parts.iter().all(|part| self.holds(part)),
            Condition::Any(parts) => parts.iter().any(|part| self.holds(part)),
            Condition::Compare(op, a, b) => match (self.value(a), self.value(b)) {
                (Some(a), Some(b)) => match op {
                    BinaryOp::Eq => a == b,
                    BinaryOp::Ne => a != b,
                    BinaryOp::Lt => a < b,
                    BinaryOp::Le => a <= b,
                    BinaryOp::Gt => a > b,
                    _ => a >= b,
                },
                _ => false,
            },
            Condition::AtLeast(expr, bound) => match self.value(bound) {
                Some(bound) => {
                    let expr = self.build(expr);
                    self.analyzer.proves_at_least(&expr, bound)
                }
                None => false,
            },
            Condition::Below(expr, bound) => match self.value(bound) {
                Some(bound) => {
                    let expr = self.build(expr);
                    self.analyzer.proves_below(&expr, bound)
                }
                None => false,
            },
            Condition::Zero(expr) => {
                let expr = self.build(expr);
                self.analyzer.proves_value(&expr, 0, self.mode)
            }
            Condition::Pure(expr) => super::reads_at_most(&self.build(expr)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let count: usize = RULES.sections.iter().flatten().map(|section| section.rules.len()).sum();
        assert!(count > 350, "{count} rules");
        let most = RULES.sections.iter().flatten().map(|section| section.rules.len()).max();
        assert!(most <= Some(256), "{most:?} rules in one section; the index holds 256");
    }
}
