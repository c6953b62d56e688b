//! What a change of marks and waits does to what is guaranteed.
//!
//! [`weakened`] runs two versions of a function side by side: an element is an instance of an operation with its position
//! in either, and the change is unsound where a wait completes it in the one and not in the other. As in [`State`] every
//! element moves by itself, so that reachability over (node, element) is exact over all paths. That a mark may be taken
//! out, that a wait may be, that a number may grow: all are this one question. In the words of a mark X, at a wait for N:
//! X may go if at distance N there is no mark that newly covers something, while X is in the sequence no further from its
//! end.
//!
//! [`sufficient`] is the largest number for a wait, for what consumers need of it. It is not the least position before the
//! wait: with another number, what an earlier round of a loop has completed might still be in flight. So the wait is taken
//! out, and each instance remembers its position at the last time that it passed there.

use std::collections::HashSet;

use super::state::{DEEPEST, Position, State};
use super::{Analysis, Bound, Callee, Function, Stage, Stages, Step};
use crate::flow::Graph;

/// A guarantee that a change takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weakened {
    /// The wait that completed an instance before the change, and does not now.
    pub wait: usize,
    /// Of which operation; [`State::OTHERS`] for one that was issued before the function was entered.
    pub operation: u32,
}

/// An element that is followed through a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Element<T> {
    operation: u32,
    stage: Stage,
    age: u32,
    what: T,
}

/// Follows elements from where operations are issued, and from the function's entry. `step` gives what becomes of one at
/// a node that neither issues nor calls; `visit` sees each element before each node.
fn follow<T: Copy + Eq + std::hash::Hash>(
    analysis: &Analysis,
    number: usize,
    function: &Function,
    issued: T,
    mut step: impl FnMut(usize, Element<T>) -> Vec<T>,
    mut visit: impl FnMut(usize, Element<T>),
) {
    let mut seen = HashSet::new();
    let mut waiting = Vec::new();
    let limit = analysis.ages();
    for (node, what) in function.steps.iter().enumerate() {
        if analysis.before(number, node).is_unreached() {
            continue;
        }
        let behind: Vec<(u32, Stage, u32)> = match *what {
            Step::Issue { operation, stage } => vec![(operation, stage, 0)],
            Step::Call(callee) => analysis.summary(callee).left_pending().collect(),
            _ => continue,
        };
        for (operation, stage, age) in behind {
            let new = Element { operation, stage, age, what: issued };
            waiting.extend(function.graph.successors(node).iter().map(|&next| (next, new)));
        }
    }
    let others =
        Stages::ALL.iter().map(|stage| Element { operation: State::OTHERS, stage, age: 0, what: issued });
    waiting.extend(others.filter(|_| !function.kernel).map(|one| (0, one)));
    while let Some((node, element)) = waiting.pop() {
        if !seen.insert((node, element)) {
            continue;
        }
        visit(node, element);
        let behind: Vec<Element<T>> = match function.steps[node] {
            Step::Issue { operation, .. } => {
                let more = u32::from(operation == element.operation);
                vec![Element { age: (element.age + more).min(limit), ..element }]
            }
            Step::Call(callee) => {
                let summary = analysis.summary(callee);
                let fates = summary.through(element.operation, element.stage);
                let pending = fates.iter().filter(|(_, fate)| summary.returns && fate.may_be_pending());
                pending.map(|(more, _)| Element { age: (element.age + more).min(limit), ..element }).collect()
            }
            _ => step(node, element).into_iter().map(|what| Element { what, ..element }).collect(),
        };
        for one in behind {
            waiting.extend(function.graph.successors(node).iter().map(|&next| (next, one)));
        }
    }
}

/// A guarantee of function `number` that `changed`, with the same graph and the same operations and calls, does not give;
/// `None` if every instance is completed no later than before, on every path.
pub fn weakened(
    analysis: &Analysis,
    functions: &[Function],
    number: usize,
    changed: &Function,
) -> Option<Weakened> {
    let function = &functions[number];
    let mut found = None;
    let unmarked = (Position::Unmarked, Position::Unmarked);
    let step = |node: usize, element: Element<(Position, Position)>| {
        let (old, new) = (function.steps[node], changed.steps[node]);
        let same = old == new;
        let mut behind = Vec::new();
        for (was, n) in outcomes(old, element.stage, element.what.0) {
            for (is, m) in outcomes(new, element.stage, element.what.1) {
                if same && n != m {
                    continue;
                }
                match (was.is_done(), is.is_done()) {
                    (true, false) => {
                        found.get_or_insert(Weakened { wait: node, operation: element.operation });
                    }
                    (true, true) => {}
                    (false, _) => behind.push((was, is)),
                }
            }
        }
        behind
    };
    follow(analysis, number, function, unmarked, step, |_, _| {});
    found
}

/// What may become of a position at a step, with the number of a wait that makes it so.
fn outcomes(step: Step, stage: Stage, position: Position) -> Vec<(Position, u32)> {
    match step {
        Step::Mark(stages) if stages.has(stage) => vec![(position.marked(), 0)],
        Step::Wait { n: Bound { least, most }, stages } if stages.has(stage) => {
            // No number above this one takes anything that is told apart.
            let most = most.unwrap_or(u32::MAX).clamp(least, least.max(DEEPEST + 1));
            let taken = |n| match position {
                Position::Behind(younger) if younger >= n => Position::Done,
                _ => position,
            };
            (least..=most).map(|n| (taken(n), n)).collect()
        }
        _ => vec![(position, 0)],
    }
}

/// What is asked of a wait: that the instances of an operation with these ages are done at a node.
#[derive(Clone, Debug)]
pub struct Need {
    /// The node that needs it, before it.
    pub node: usize,
    /// Whose instances.
    pub operation: u32,
    /// Which; ages are told apart up to the analysis's limit.
    pub ages: Vec<u32>,
}

/// The numbers that are sufficient for a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sufficient {
    /// All: the needs are met without the wait.
    All,
    /// Those up to this one.
    UpTo(u32),
    /// None: on some path to a need, the wait is not passed, or the operation is not marked there.
    None,
}

/// The largest number of marks that the wait at `node` of function `number` may leave so that `needs` are met, with all
/// other waits as they are.
pub fn sufficient(
    analysis: &Analysis,
    functions: &[Function],
    number: usize,
    node: usize,
    needs: &[Need],
) -> Sufficient {
    let Step::Wait { stages: waited, .. } = functions[number].steps[node] else { return Sufficient::None };
    let function = functions[number].with(node, Step::Nothing);
    let mut found = Sufficient::All;
    let step = |at: usize, element: Element<(Position, Option<Position>)>| {
        let (position, passed) = element.what;
        if at == node && waited.has(element.stage) {
            return vec![(position, Some(position))];
        }
        let behind = match function.steps[at] {
            Step::Mark(stages) if stages.has(element.stage) => position.marked(),
            Step::Wait { n, stages } if stages.has(element.stage) && position.is_taken_by(n) => {
                return Vec::new();
            }
            _ => position,
        };
        vec![(behind, passed)]
    };
    let visit = |at: usize, element: Element<(Position, Option<Position>)>| {
        let needed = |need: &Need| {
            need.node == at && need.operation == element.operation && need.ages.contains(&element.age)
        };
        if needs.iter().any(needed) {
            found = match (found, element.what.1) {
                (Sufficient::None, _) | (_, None | Some(Position::Unmarked)) => Sufficient::None,
                (Sufficient::UpTo(n), Some(Position::Behind(younger))) => Sufficient::UpTo(n.min(younger)),
                (Sufficient::All, Some(Position::Behind(younger))) => Sufficient::UpTo(younger),
                (_, Some(Position::Done)) => unreachable!("done elements are not followed"),
            };
        }
    };
    follow(analysis, number, &function, (Position::Unmarked, None), step, visit);
    found
}

/// Whether the mark or wait at `node` of function `number` can go without weakening a guarantee.
pub fn is_removable(analysis: &Analysis, functions: &[Function], number: usize, node: usize) -> bool {
    let function = &functions[number];
    matches!(function.steps[node], Step::Mark(_) | Step::Wait { .. })
        && weakened(analysis, functions, number, &function.with(node, Step::Nothing)).is_none()
}

/// Function `number` with the function that is called at `node` in place of the call: its nodes follow behind those of
/// the caller, which keep their numbers. `None` if no known function is called there.
///
/// Every guarantee of the caller and of the callee stays, at the same place or earlier: a mark covers what it covered, and
/// in the joined sequence at least as many younger marks stand behind it. More may be guaranteed than before, and waits
/// may become redundant.
pub fn inline(functions: &[Function], number: usize, node: usize) -> Option<Function> {
    let caller = &functions[number];
    let Step::Call(Callee::Known(callee)) = caller.steps[node] else { return None };
    let callee = &functions[callee];
    let first = caller.steps.len();
    let mut successors: Vec<Vec<usize>> =
        (0..first).map(|node| caller.graph.successors(node).to_vec()).collect();
    let back = std::mem::replace(&mut successors[node], vec![first]);
    for inner in 0..callee.steps.len() {
        successors.push(match callee.returns_behind(inner) {
            true => back.clone(),
            false => callee.graph.successors(inner).iter().map(|next| next + first).collect(),
        });
    }
    let mut steps = caller.with(node, Step::Nothing).steps;
    steps.extend(&callee.steps);
    Some(Function { graph: Graph::new(successors), steps, kernel: caller.kernel })
}

/// The waits of a function that are redundant once the call at `node` is inlined, and were not: nodes of [`inline`]'s
/// result.
pub fn redundant_after_inlining(functions: &[Function], number: usize, node: usize, ages: u32) -> Vec<usize> {
    let Some(inlined) = inline(functions, number, node) else { return Vec::new() };
    let Step::Call(Callee::Known(callee)) = functions[number].steps[node] else { return Vec::new() };
    let first = functions[number].steps.len();
    let before = Analysis::of(functions, ages);
    let mut after = functions.to_vec();
    after[number] = inlined;
    let analysis = Analysis::of(&after, ages);
    let was_redundant = |node: usize| match node.checked_sub(first) {
        None => before.is_redundant(number, node, &functions[number].steps[node]),
        Some(inner) => before.is_redundant(callee, inner, &functions[callee].steps[inner]),
    };
    let steps = after[number].steps.iter().enumerate();
    let redundant = steps.filter(|&(node, step)| analysis.is_redundant(number, node, step));
    redundant.map(|(node, _)| node).filter(|&node| !was_redundant(node)).collect()
}
