//! What an expression comes to: a number, a place, or the difference of two places, plus a number.
//!
//! Differences of places in one section are numbers. Everything that is not of the form
//! `place - place + number` must come to a number in its parts.

use wavemark_target::{Property, Subtarget};

use crate::expr::{Binary, Expr, Function, Specifier, Unary, fold, fold_unary};
use crate::section::{SectionId, Sections};
use crate::symbol::{Definition, SymbolId, Symbols};

/// Something with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    Symbol(SymbolId),
    Place(SectionId, u64),
}

/// `add - sub + constant`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Value {
    pub add: Option<Term>,
    pub sub: Option<Term>,
    pub constant: i64,
    /// The specifier of `add`.
    pub specifier: Option<Specifier>,
}

impl Value {
    fn number(constant: i64) -> Value {
        Value { constant, ..Value::default() }
    }

    /// The number that it is, if it is one.
    pub fn absolute(&self) -> Option<i64> {
        (self.add.is_none() && self.sub.is_none()).then_some(self.constant)
    }
}

/// How many nodes one evaluation may visit; a guard against `.set` chains that double at each step.
const BUDGET: u32 = 100_000;
/// How deep `.set` chains may be.
const MAX_DEPTH: u32 = 400;

/// Evaluates expressions over symbols as they stand.
pub(crate) struct Evaluator<'a> {
    symbols: &'a Symbols,
    sections: &'a Sections,
    subtarget: &'a Subtarget,
    budget: u32,
    /// Whether the name that the text gives a place stays what is named, not the place: relocations see its binding.
    pub keep_aliases: bool,
}

/// Why an expression has no value.
pub(crate) type EvalError = String;

impl<'a> Evaluator<'a> {
    pub fn new(symbols: &'a Symbols, sections: &'a Sections, subtarget: &'a Subtarget) -> Evaluator<'a> {
        Evaluator { symbols, sections, subtarget, budget: BUDGET, keep_aliases: false }
    }

    /// The value of `expr`.
    pub fn value(&mut self, expr: &Expr) -> Result<Value, EvalError> {
        self.eval(expr, 0)
    }

    /// The number that `expr` comes to.
    pub fn absolute(&mut self, expr: &Expr) -> Result<i64, EvalError> {
        let value = self.eval(expr, 0)?;
        value.absolute().ok_or_else(|| match value.add.or(value.sub) {
            Some(Term::Symbol(symbol)) => {
                let symbol = self.symbols.get(symbol);
                match symbol.definition {
                    Definition::Undefined => {
                        format!("expected an absolute expression, but {} is not defined", symbol.name)
                    }
                    _ => format!("expected an absolute expression, but {} is an address", symbol.name),
                }
            }
            _ => "expected an absolute expression, not an address".to_owned(),
        })
    }

    /// Where `term` is, if that is in this object.
    pub fn location(&self, term: Term) -> Option<(SectionId, u64)> {
        match term {
            Term::Place(section, offset) => Some(self.sections.place(section, offset)),
            Term::Symbol(symbol) => match &self.symbols.get(symbol).definition {
                &Definition::Label { section, offset } => Some(self.sections.place(section, offset)),
                Definition::Variable(expr) => {
                    let (add, constant) = self.alias_of(expr)?;
                    let (section, offset) = self.location(add)?;
                    Some((section, offset.wrapping_add_signed(constant)))
                }
                _ => None,
            },
        }
    }

    /// What an expression that is one place and a number comes to.
    fn alias_of(&self, expr: &Expr) -> Option<(Term, i64)> {
        let value = Evaluator::new(self.symbols, self.sections, self.subtarget).value(expr).ok()?;
        match (value.add, value.sub, value.specifier) {
            (Some(add), None, None) => Some((add, value.constant)),
            _ => None,
        }
    }

    /// Where `term` stood when it was read.
    fn raw(&self, term: Term) -> Option<(SectionId, u64)> {
        match term {
            Term::Place(section, offset) => Some((section, offset)),
            Term::Symbol(symbol) => match &self.symbols.get(symbol).definition {
                &Definition::Label { section, offset } => Some((section, offset)),
                Definition::Variable(expr) => {
                    let (add, constant) = self.alias_of(expr)?;
                    let (section, offset) = self.raw(add)?;
                    Some((section, offset.wrapping_add_signed(constant)))
                }
                _ => None,
            },
        }
    }

    fn eval(&mut self, expr: &Expr, depth: u32) -> Result<Value, EvalError> {
        self.budget = self.budget.checked_sub(1).ok_or("the expression is too large")?;
        if depth > MAX_DEPTH {
            return Err("the expression refers to itself or nests too deeply".to_owned());
        }
        match expr {
            Expr::Int(value) => Ok(Value::number(*value)),
            &Expr::Place(section, offset) => {
                Ok(Value { add: Some(Term::Place(section, offset)), ..Value::default() })
            }
            &Expr::Symbol(symbol, specifier) => match (&self.symbols.get(symbol).definition, specifier) {
                (Definition::Variable(expr), None) => {
                    let keep = std::mem::take(&mut self.keep_aliases);
                    let value = self.eval(expr, depth + 1);
                    self.keep_aliases = keep;
                    let value = value?;
                    if keep
                        && matches!((value.add, value.sub), (Some(add), None) if self.location(add).is_some())
                    {
                        return Ok(Value { add: Some(Term::Symbol(symbol)), ..Value::default() });
                    }
                    Ok(value)
                }
                (_, specifier) => {
                    Ok(Value { add: Some(Term::Symbol(symbol)), specifier, ..Value::default() })
                }
            },
            Expr::Unary(op, operand) => self.unary(*op, operand, depth),
            Expr::Binary(op, left, right) => self.binary(*op, left, right, depth),
            Expr::Call(function, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values
                        .push(self.eval(argument, depth + 1)?.absolute().ok_or("an argument is an address")?);
                }
                call(*function, &values, self.subtarget).map(Value::number)
            }
        }
    }

    fn unary(&mut self, op: Unary, operand: &Expr, depth: u32) -> Result<Value, EvalError> {
        let value = self.eval(operand, depth + 1)?;
        match (value.absolute(), op) {
            (Some(number), _) => Ok(Value::number(fold_unary(op, number))),
            (None, Unary::Minus) if value.specifier.is_none() => Ok(Value {
                add: value.sub,
                sub: value.add,
                constant: value.constant.wrapping_neg(),
                specifier: None,
            }),
            _ => Err("this operator needs a number, not an address".to_owned()),
        }
    }

    fn binary(&mut self, op: Binary, left: &Expr, right: &Expr, depth: u32) -> Result<Value, EvalError> {
        let left = self.eval(left, depth + 1)?;
        let right = self.eval(right, depth + 1)?;
        if let (Some(left), Some(right)) = (left.absolute(), right.absolute()) {
            return fold(op, left, right).map(Value::number).ok_or_else(|| "division by zero".to_owned());
        }
        let right = match op {
            Binary::Add => right,
            Binary::Sub if right.specifier.is_none() => Value {
                add: right.sub,
                sub: right.add,
                constant: right.constant.wrapping_neg(),
                specifier: None,
            },
            _ => return self.compare(op, left, right),
        };
        self.sum(left, right)
    }

    /// Comparison of two places in one section; no other operator takes addresses.
    fn compare(&self, op: Binary, left: Value, right: Value) -> Result<Value, EvalError> {
        let place = |value: Value| match (value.add, value.sub) {
            (Some(term), None) => self.raw(term),
            _ => None,
        };
        let comparison = matches!(
            op,
            Binary::Equal
                | Binary::NotEqual
                | Binary::Less
                | Binary::LessEqual
                | Binary::Greater
                | Binary::GreaterEqual
        );
        match (place(left), place(right)) {
            (Some(a), Some(b)) if comparison && self.sections.distance(a, b).is_some() => {
                let at = self.sections.distance(a, b).unwrap_or(0).wrapping_add(left.constant);
                Ok(Value::number(fold(op, at, right.constant).unwrap_or(0)))
            }
            _ => Err("this operator needs numbers, not addresses".to_owned()),
        }
    }

    fn sum(&self, left: Value, right: Value) -> Result<Value, EvalError> {
        let mut constant = left.constant.wrapping_add(right.constant);
        let mut adds: smallvec::SmallVec<[(Term, Option<Specifier>); 2]> = smallvec::SmallVec::new();
        let mut subs: smallvec::SmallVec<[Term; 2]> = smallvec::SmallVec::new();
        adds.extend(left.add.map(|term| (term, left.specifier)));
        adds.extend(right.add.map(|term| (term, right.specifier)));
        subs.extend(left.sub);
        subs.extend(right.sub);
        subs.retain(|&mut sub| {
            let found = adds
                .iter()
                .position(|&(add, specifier)| specifier.is_none() && self.distance(add, sub).is_some());
            if let Some(index) = found {
                let (add, _) = adds.remove(index);
                constant = constant.wrapping_add(self.distance(add, sub).unwrap_or(0));
            }
            found.is_none()
        });
        if adds.len() > 1 || subs.len() > 1 {
            return Err("the expression combines more than two addresses".to_owned());
        }
        let (add, specifier) = adds.first().map_or((None, None), |&(add, specifier)| (Some(add), specifier));
        Ok(Value { add, sub: subs.first().copied(), constant, specifier })
    }

    /// `add - sub`, when that is known.
    fn distance(&self, add: Term, sub: Term) -> Option<i64> {
        self.sections.distance(self.raw(add)?, self.raw(sub)?)
    }
}

fn call(function: Function, arguments: &[i64], subtarget: &Subtarget) -> Result<i64, EvalError> {
    let argument = |index: usize| arguments.get(index).copied().unwrap_or(0);
    Ok(match function {
        Function::Max => arguments.iter().copied().max().unwrap_or(0),
        Function::Or => arguments.iter().fold(0, |all, value| all | value),
        Function::AlignTo => align_to(argument(0), argument(1))?,
        Function::TotalNumVgprs => {
            let (agprs, vgprs) = (argument(0), argument(1));
            if subtarget.processor().has(Property::UNIFIED_VGPRS) && agprs != 0 {
                align_to(vgprs, 4)?.wrapping_add(agprs)
            } else {
                vgprs.max(agprs)
            }
        }
        Function::ExtraSgprs => {
            let used = [0, 1, 2].map(|index| argument(index) != 0);
            i64::from(subtarget.processor().extra_sgprs(used[0], used[1], used[2]))
        }
        Function::Occupancy => occupancy(arguments),
        Function::InstPrefSize => {
            let bits = subtarget.limits().inst_pref_size_bits;
            let lines = (argument(0).max(0) as u64).div_ceil(INSTRUCTION_CACHE_LINE);
            lines.min((1u64 << bits) - 1) as i64
        }
    })
}

/// Bytes that a unit of `INST_PREF_SIZE` covers (gfx11 on).
const INSTRUCTION_CACHE_LINE: u64 = 128;

fn align_to(value: i64, align: i64) -> Result<i64, EvalError> {
    let (value, align) = (value as u64, align as u64);
    value
        .checked_next_multiple_of(align)
        .map(|value| value as i64)
        .ok_or_else(|| "alignto() of an alignment of 0 or beyond 64 bits".to_owned())
}

/// `occupancy(max waves, granule, total VGPRs, generation, initial, SGPRs, VGPRs)`: LLVM's estimate of waves per
/// SIMD. The generation is LLVM's number: 7 is Volcanic Islands, 9 is gfx10.
fn occupancy(arguments: &[i64]) -> i64 {
    let &[max_waves, granule, total_vgprs, generation, initial, sgprs, vgprs] = arguments else { return 0 };
    let steps: &[(i64, i64)] = match generation {
        9.. => &[],
        7..=8 => &[(80, 10), (88, 9), (100, 8), (i64::MAX, 7)],
        _ => &[(48, 10), (56, 9), (64, 8), (72, 7), (80, 6), (i64::MAX, 5)],
    };
    let mut waves = initial;
    if sgprs != 0 {
        let by_sgprs =
            steps.iter().find(|&&(limit, _)| sgprs <= limit).map_or(max_waves, |&(_, waves)| waves);
        waves = waves.min(by_sgprs);
    }
    if vgprs != 0 {
        let by_vgprs = match (vgprs as u64).checked_next_multiple_of(granule as u64) {
            Some(rounded) if vgprs >= granule && rounded != 0 => {
                ((total_vgprs as u64 / rounded).max(1) as i64).min(max_waves)
            }
            _ => max_waves,
        };
        waves = waves.min(by_vgprs);
    }
    waves
}
