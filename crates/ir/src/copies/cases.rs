//! Cases that are told apart where an address follows from what a kernel is given.
//!
//! Which buffer the rounds behind a loop read is the remainder of how often the loop was gone through, and that is what an
//! argument says. Nothing is known of either, but the two have to do with each other. So the remainder is taken to be each
//! number that it may be, one after the other, and each condition that has to do with it to hold or not; all paths are
//! followed again in each of these cases, in which addresses are known, and branches that cannot be are not taken.
//!
//! Only values that are the same wherever the workgroup looks at them ([`divergence::is_fixed`]) are told apart: one case is
//! that of the whole execution.
//!
//! Promises: each execution is one of a case. What holds in all of them holds. A case may be none that can be, and its paths
//! go round loops as often as they like, which has to do with the case, too: what is wrong in one is so if it is wrong with
//! [`numbers`] that make the case, and decide where each branch goes that has to do with it.

use rustc_hash::FxHashSet;

use crate::constant::Const;
use crate::function::{Block, Value, ValueDef};
use crate::inst::{InstKind, Operand};
use crate::intrinsic;
use crate::opcode::{BinaryOp, IntPredicate};

use super::bits::{Bits, mask, signed};
use super::divergence;
use super::lanes::{Assumed, Fixed, Known, Lanes, Values};
use super::numbers::{Number, gcd};
use super::paths::Node;

/// How many cases are told apart.
const MOST_CASES: usize = 64;

/// Remainders by larger numbers are not told apart.
const MOST_REMAINDERS: u32 = 24;

/// The remainders by these numbers are told apart of integers that have room for all of them.
const FEWEST_BITS: u32 = 8;

/// In how many values remainders and conditions are looked for.
const MOST_LOOKED_AT: usize = 1 << 14;

/// How many numbers are tried for what the kernel is given.
const MOST_TRIED: usize = 1 << 14;

/// With so many of those that make a case its paths are followed at most.
const MOST_NUMBERS: usize = 4;

/// What is told apart.
enum Question {
    /// What a value leaves when divided by a number.
    Rest(Value, u32),
    /// Whether a condition holds.
    Holds(Value),
}

/// The cases of a kernel, all of them; one, of which nothing is known, if there is nothing to tell apart. `selections`: also
/// by the conditions by which addresses are chosen.
pub(super) fn cases(values: &Values<'_>, selections: bool) -> Vec<Assumed> {
    let mut cases = vec![Assumed::default()];
    for question in questions(values, selections) {
        let mut next = Vec::new();
        for case in &cases {
            let within = Values { assumed: case.clone(), ..values.clone() };
            next.extend(answers(&within, &question));
        }
        if next.len() <= MOST_CASES {
            cases = next;
        }
    }
    cases
}

/// A case with each answer to a question.
fn answers(values: &Values<'_>, question: &Question) -> Vec<Assumed> {
    match *question {
        Question::Rest(value, by) => {
            let Some(width) = width(values, value) else { return vec![values.assumed.clone()] };
            let leaving = |rest| Some(vec![(value, Number::leaving(rest, by, width)?)]);
            (0..by).filter_map(|rest| with(values, leaving(rest)?)).collect()
        }
        Question::Holds(condition) => {
            if number(values, condition).is_none_or(|number| number.bits().exact().is_some()) {
                return vec![values.assumed.clone()];
            }
            let is = |holds: bool| {
                let mut facts = vec![(condition, Number::from(Bits::exactly(holds.into())))];
                if let Some((value, predicate, constant)) = comparison(values, condition)
                    && let Some(width) = width(values, value)
                {
                    facts.push((value, Number::compared(predicate, holds, constant, width)?));
                }
                with(values, facts)
            };
            [false, true].into_iter().filter_map(is).collect()
        }
    }
}

/// What is assumed, with more; `None`: it cannot be.
fn with(values: &Values<'_>, facts: Vec<(Value, Number)>) -> Option<Assumed> {
    let mut all = values.clone();
    for (value, fact) in facts {
        let fact = match all.assumed.get(&value) {
            Some(known) => known.both(fact, width(values, value)?)?,
            None => fact,
        };
        all.assumed.insert(value, fact);
    }
    // What follows of each value from the others must not deny what is taken to be so.
    let agrees = |(&value, fact): (&Value, &Number)| {
        let mut others = all.clone();
        others.assumed.remove(&value);
        number(&others, value).is_none_or(|number| {
            width(values, value).is_some_and(|width| number.both(*fact, width).is_some())
        })
    };
    all.assumed.iter().all(agrees).then_some(all.assumed)
}

fn width(values: &Values<'_>, value: Value) -> Option<u32> {
    values.bits(values.body.values[value].ty)
}

fn number(values: &Values<'_>, value: Value) -> Option<Number> {
    values.of(&Fixed::default(), &mut Known::default(), Operand::Value(value))?.number()
}

/// The instruction that a value is of.
fn kind<'m>(values: &Values<'m>, value: Value) -> Option<&'m InstKind> {
    match values.body.values[value].def {
        ValueDef::Inst(inst) => Some(&values.body.insts[inst].kind),
        _ => None,
    }
}

/// The comparison with a constant that a condition is.
fn comparison(values: &Values<'_>, condition: Value) -> Option<(Value, IntPredicate, u64)> {
    let &InstKind::ICmp { predicate, lhs: Operand::Value(value), rhs: Operand::Const(constant), .. } =
        kind(values, condition)?
    else {
        return None;
    };
    Some((value, predicate, values.module.constants.int(constant)?.to_u64()?))
}

/// What is to be asked: the remainders and selections that addresses in LDS are made of, and the conditions of branches that
/// have to do with them.
fn questions(values: &Values<'_>, selections: bool) -> Vec<Question> {
    let (mut rests, mut conditions): (Vec<(Value, u32)>, Vec<Value>) = Default::default();
    let (mut seen, mut work) = (FxHashSet::default(), addresses(values));
    work.reverse();
    while let Some(operand) = work.pop() {
        let Operand::Value(value) = operand else { continue };
        let Some(kind) = kind(values, value).filter(|_| seen.len() < MOST_LOOKED_AT) else { continue };
        if !seen.insert(value) {
            continue;
        }
        if let Some((of, by)) = remainder(values, kind)
            && width(values, of).is_some_and(|width| width >= FEWEST_BITS)
            && divergence::is_fixed(values, Operand::Value(of))
        {
            match rests.iter_mut().find(|(other, _)| *other == of) {
                Some((_, known)) => {
                    let both = *known / gcd(*known, by) * by;
                    *known = if both <= MOST_REMAINDERS { both } else { *known };
                }
                None => rests.push((of, by)),
            }
        }
        if let InstKind::Select { condition: Operand::Value(condition), .. } = kind
            && selections
            && divergence::is_fixed(values, Operand::Value(*condition))
            && !conditions.contains(condition)
        {
            conditions.push(*condition);
        }
        kind.each_operand(|operand| work.push(operand));
    }
    let of_rests: FxHashSet<Value> = rests
        .iter()
        .map(|rest| rest.0)
        .chain(conditions.iter().copied())
        .flat_map(|of| leaves(values, of))
        .collect();
    for condition in values.body.order.iter().filter_map(|&block| condition(values, block)) {
        if !conditions.contains(&condition)
            && divergence::is_fixed(values, Operand::Value(condition))
            && leaves(values, condition).iter().any(|leaf| of_rests.contains(leaf))
        {
            conditions.push(condition);
        }
    }
    let rests = rests.into_iter().map(|(value, by)| Question::Rest(value, by));
    rests.chain(conditions.into_iter().map(Question::Holds)).collect()
}

/// What says where in LDS something is touched.
fn addresses(values: &Values<'_>) -> Vec<Operand> {
    let mut addresses = Vec::new();
    let insts = values.body.order.iter().flat_map(|&block| &values.body.blocks[block].insts);
    for &inst in insts {
        match &values.body.insts[inst].kind {
            InstKind::Load { pointer, .. }
            | InstKind::Store { pointer, .. }
            | InstKind::Rmw { pointer, .. } => {
                addresses.push(*pointer);
            }
            InstKind::CmpXchg(exchange) => addresses.push(exchange.pointer),
            InstKind::Call(call) => {
                let row = intrinsic::called(values.module, call);
                let of_tensor = row.is_some_and(|row| row.asynchronous == Some("tensor"));
                let args = call.args.iter().map(|arg| arg.value);
                addresses.extend(args.filter(|&arg| of_tensor || values.is_lds(arg)));
                continue;
            }
            _ => continue,
        }
        if addresses.last().is_some_and(|&pointer| !values.is_lds(pointer)) {
            addresses.pop();
        }
    }
    addresses
}

/// The remainder that an instruction gives: of which value, less what is added to it, and by what.
fn remainder(values: &Values<'_>, kind: &InstKind) -> Option<(Value, u32)> {
    let &InstKind::Binary { op, lhs: Operand::Value(mut of), rhs, .. } = kind else { return None };
    let number = values.immediate(rhs)?;
    let by = match op {
        BinaryOp::URem | BinaryOp::SRem => number,
        BinaryOp::And => number.checked_add(1).filter(|&by| by > 0 && by & (by - 1) == 0)?,
        _ => return None,
    };
    let by = u32::try_from(by).ok().filter(|by| (2..=MOST_REMAINDERS).contains(by))?;
    while let Some(&InstKind::Binary {
        op: BinaryOp::Add | BinaryOp::Sub,
        lhs: Operand::Value(more),
        rhs: Operand::Const(_),
        ..
    }) = self::kind(values, of)
    {
        of = more;
    }
    Some((of, by))
}

/// What a value is made of that is made of nothing.
fn leaves(values: &Values<'_>, value: Value) -> FxHashSet<Value> {
    let (mut leaves, mut seen) = (FxHashSet::default(), FxHashSet::default());
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        let mut operands = Vec::new();
        match kind(values, value) {
            Some(InstKind::Load { .. }) | None => drop(leaves.insert(value)),
            Some(kind) if seen.insert(value) => {
                kind.each_operand(|operand| operands.extend(as_value(operand)));
                if let InstKind::Call(call) = kind
                    && call.args.is_empty()
                {
                    leaves.insert(value);
                }
            }
            Some(_) => {}
        }
        work.extend(operands);
    }
    leaves
}

fn as_value(operand: Operand) -> Option<Value> {
    match operand {
        Operand::Value(value) => Some(value),
        _ => None,
    }
}

/// The conditions of branches that have to do with cases, those of loops among them.
pub(super) fn branches(values: &Values<'_>, cases: &[Assumed]) -> FxHashSet<Value> {
    let given: FxHashSet<Value> =
        cases.iter().flat_map(Assumed::keys).flat_map(|&value| leaves(values, value)).collect();
    let all = values.body.order.iter().filter_map(|&block| condition(values, block));
    all.filter(|&condition| leaves(values, condition).iter().any(|leaf| given.contains(leaf))).collect()
}

/// The condition of a branch at the end of a block.
pub(super) fn condition(values: &Values<'_>, block: Block) -> Option<Value> {
    match values.body.terminator(block) {
        Some(InstKind::CondBr { condition, .. }) => as_value(*condition),
        _ => None,
    }
}

/// Whether it is known where a node goes, if its branch is one of these.
pub(super) fn is_decided(values: &Values<'_>, node: &Node, branches: &FxHashSet<Value>) -> bool {
    let Some(branch) = condition(values, node.block).filter(|branch| branches.contains(branch)) else {
        return true;
    };
    let lanes = values.of(&node.fixed, &mut Known::default(), Operand::Value(branch));
    let mut items = (0..values.group.items).filter(|&item| node.active[item]);
    lanes.is_some_and(|lanes| items.all(|item| lanes.of(item).exact().is_some()))
}

/// Numbers that, given to the kernel, make a case, each as what is assumed; there may be others.
pub(super) fn numbers<'c>(
    values: &'c Values<'_>,
    case: &'c Assumed,
) -> impl Iterator<Item = Assumed> + use<'c> {
    let free = Values { assumed: Assumed::default(), ..values.clone() };
    let mut given: Vec<Value> = case.keys().flat_map(|&value| leaves(values, value)).collect();
    given.sort_unstable();
    given.dedup();
    let most = (MOST_TRIED as f64).powf(1.0 / given.len().max(1) as f64) as usize;
    let tried = candidates(values, case, most);
    let all = given.iter().fold(1usize, |all, _| all.saturating_mul(tried.len()));
    let makes = move |mut try_number: usize| {
        let mut assumed = Assumed::default();
        for &value in &given {
            let one = tried[try_number % tried.len()] as u64 & mask(width(values, value)?);
            try_number /= tried.len();
            assumed.insert(value, Bits::exactly(one).into());
        }
        let fixed = assumed.iter().map(|(&value, &number)| (value, Lanes::Same(number))).collect();
        let mut known = Known::default();
        let is_so = |(&value, fact): (&Value, &Number)| {
            let number = free.of(&fixed, &mut known, Operand::Value(value)).and_then(|lanes| lanes.number());
            let exact = number.filter(|number| number.bits().exact().is_some());
            exact.zip(width(values, value)).is_some_and(|(exact, width)| exact.both(*fact, width).is_some())
        };
        case.iter().all(is_so).then_some(assumed)
    };
    (0..all.min(MOST_TRIED)).filter_map(makes).take(MOST_NUMBERS)
}

/// Numbers to try, no more than `most`: about those that stand in what a case is made of, and multiples of these.
fn candidates(values: &Values<'_>, case: &Assumed, most: usize) -> Vec<i64> {
    let mut constants: Vec<i64> = vec![0, 1];
    let mut seen = FxHashSet::default();
    let mut work: Vec<Operand> = case.keys().map(|&value| Operand::Value(value)).collect();
    let number = |constant: Const| {
        let width = values.bits(values.module.constants.ty(constant))?;
        Some(signed(width, values.module.constants.int(constant)?.to_u64()?))
    };
    while let Some(operand) = work.pop() {
        match operand {
            Operand::Const(constant) => constants.extend(number(constant)),
            Operand::Value(value) if seen.insert(value) => {
                if let Some(kind) = kind(values, value) {
                    kind.each_operand(|operand| work.push(operand));
                }
            }
            _ => {}
        }
    }
    constants.sort_unstable_by_key(|one| one.unsigned_abs());
    constants.dedup();
    let steps: Vec<i64> = constants.iter().copied().filter(|step| (1..=4096).contains(step)).collect();
    let mut found = FxHashSet::default();
    let mut candidates = Vec::new();
    for times in 0..most as i64 {
        for (&from, &step) in constants.iter().flat_map(|from| steps.iter().map(move |step| (from, step))) {
            for one in [from.wrapping_add(step * times), from.wrapping_sub(step * times)] {
                if candidates.len() == most {
                    return candidates;
                }
                if found.insert(one) {
                    candidates.push(one);
                }
            }
        }
    }
    candidates
}
