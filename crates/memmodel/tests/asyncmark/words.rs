//! The document's examples, and straight-line programs by exhaustion.

use std::collections::{BTreeMap, HashSet};

use wavemark_memmodel::asyncmark::edit::{self, Need, Sufficient};
use wavemark_memmodel::asyncmark::*;
use wavemark_memmodel::flow::Graph;

/// Runs two versions of function 0 side by side on every path: whether an instance is completed at a wait in the first
/// and not in the one without `node`'s step. `None` if there are too many states.
pub fn loses(functions: &[Function], node: usize) -> Option<bool> {
    let function = &functions[0];
    let mut known = HashSet::new();
    let mut waiting = vec![(0, Thread::default(), Thread::default())];
    let key = |thread: &Thread| -> Vec<(u32, Position)> {
        let cut = |position| crate::enumerate::cut(position, 8);
        let all = [0, 1].into_iter().flat_map(|stage| thread.instances(stage));
        let mut key: Vec<_> = all.map(|(operation, one)| (operation, cut(thread.position(one)))).collect();
        key.sort();
        key.dedup();
        key
    };
    while let Some((at, old, new)) = waiting.pop() {
        let pairs: Vec<(Position, Position)> = [0, 1]
            .into_iter()
            .flat_map(|stage| old.instances(stage))
            .map(|(_, one)| (old.position(one), new.position(one)))
            .map(|(a, b)| (crate::enumerate::cut(a, 8), crate::enumerate::cut(b, 8)))
            .collect();
        if pairs.iter().any(|(old, new)| old.is_done() && !new.is_done()) {
            return Some(true);
        }
        let distinct: HashSet<_> = pairs.into_iter().collect();
        let mut distinct: Vec<_> = distinct.into_iter().collect();
        distinct.sort();
        if !known.insert((at, distinct, key(&old), key(&new))) {
            continue;
        }
        if known.len() > 400 {
            return None;
        }
        let numbers = match function.steps[at] {
            Step::Wait { n, .. } => n.least..=n.most?,
            // What a callee does is compared elsewhere.
            Step::Call(_) => return None,
            _ => 0..=0,
        };
        for n in numbers {
            let (mut old, mut new) = (old.clone(), new.clone());
            let execute = |thread: &mut Thread| match function.steps[at] {
                Step::Issue { operation, stage } => drop(thread.issue(operation, stage)),
                Step::Mark(stages) => thread.mark(stages),
                Step::Wait { stages, .. } => drop(thread.wait(n, stages)),
                Step::Nothing | Step::Call(_) => {}
            };
            execute(&mut old);
            if at != node {
                execute(&mut new);
            }
            // What is lost at a return is lost to the caller.
            let behind = function.graph.successors(at);
            if behind.is_empty() {
                let lost = [0, 1].into_iter().flat_map(|stage| old.instances(stage));
                if lost.into_iter().any(|(_, one)| old.is_done(one) && !new.is_done(one)) {
                    return Some(true);
                }
            }
            waiting.extend(behind.iter().map(|&next| (next, old.clone(), new.clone())));
        }
    }
    Some(false)
}

fn lacking(steps: &[Step], operation: u32) -> Option<Lacking> {
    let function = Function::straight(steps.iter().copied().chain([Step::Nothing]));
    Analysis::of(&[function], 4).lacking(0, steps.len(), operation, |_| true)
}

#[test]
fn uneven_blocks() {
    let block = |operation, count| {
        std::iter::repeat_n(Step::issue(operation), count).chain([Step::MARK]).collect::<Vec<_>>()
    };
    let steps = [block(0, 3), block(1, 5), block(2, 2), vec![Step::wait(2)]].concat();
    assert_eq!(lacking(&steps, 0), None);
    assert_eq!(lacking(&steps, 1), Some(Lacking::Wait { n: 1 }));
    assert_eq!(lacking(&steps, 2), Some(Lacking::Wait { n: 0 }));
    assert_eq!(lacking(&[Step::issue(0), Step::wait(0)], 0), Some(Lacking::Mark));
}

/// The document's software pipeline: three blocks ahead, one wait a round.
fn pipeline(n: u32) -> Function {
    let block = [Step::issue(0), Step::MARK];
    let mut steps = [block, block, block].concat();
    let head = steps.len();
    steps.extend([Step::wait(n), Step::Nothing, Step::issue(0), Step::MARK, Step::Nothing]);
    let mut successors: Vec<Vec<usize>> = (1..steps.len()).map(|next| vec![next]).collect();
    successors.push(vec![head]);
    Function { graph: Graph::new(successors), steps, kernel: true }
}

#[test]
fn software_pipeline() {
    let use_of_oldest = |n| Analysis::of(&[pipeline(n)], 4).lacking(0, 7, 0, |age| age == 2);
    assert_eq!(use_of_oldest(2), None);
    assert_eq!(use_of_oldest(3), Some(Lacking::Wait { n: 2 }));
    let needs = [Need { node: 7, operation: 0, ages: vec![2] }];
    for n in [0, 1, 2, 3] {
        let functions = [pipeline(n)];
        let analysis = Analysis::of(&functions, 4);
        assert_eq!(edit::sufficient(&analysis, &functions, 0, 6, &needs), Sufficient::UpTo(2));
    }
}

fn with_callee(caller: &[Step], callee: &[Step]) -> Vec<Function> {
    let caller = Function::straight(caller.iter().copied().chain([Step::Nothing]));
    vec![caller, Function::straight(callee.iter().copied())]
}

const CALL: Step = Step::Call(Callee::Known(1));

/// The document's cases of function calls, before and after inlining.
#[test]
fn calls() {
    // A mark of the callee is none of the caller's.
    let ops = [Step::issue(0), Step::MARK, Step::issue(1), Step::MARK, CALL, Step::wait(1)];
    let functions = with_callee(&ops, &[Step::MARK]);
    let analysis = Analysis::of(&functions, 2);
    assert_eq!(analysis.lacking(0, 6, 0, |_| true), None);
    assert_eq!(analysis.lacking(0, 6, 1, |_| true), Some(Lacking::Wait { n: 0 }));
    let inlined = [edit::inline(&functions, 0, 4).unwrap()];
    assert_eq!(Analysis::of(&inlined, 2).lacking(0, 6, 1, |_| true), None);
    // A wait of the callee does not see the caller's marks.
    let functions = with_callee(&[Step::issue(0), Step::MARK, CALL], &[Step::wait(0)]);
    assert_eq!(Analysis::of(&functions, 2).lacking(0, 3, 0, |_| true), Some(Lacking::Wait { n: 0 }));
    // But a mark of the callee covers what the caller issued.
    let functions = with_callee(&[Step::issue(0), CALL], &[Step::MARK, Step::wait(0)]);
    assert_eq!(Analysis::of(&functions, 2).lacking(0, 2, 0, |_| true), None);
    // And the caller's next mark what the callee issued.
    let functions = with_callee(&[CALL, Step::MARK, Step::wait(0)], &[Step::issue(0)]);
    assert_eq!(Analysis::of(&functions, 2).lacking(0, 3, 0, |_| true), None);
    // An unknown function may wait; nothing says that it does.
    let caller = [Step::issue(0), Step::MARK, Step::Call(Callee::Unknown), Step::Nothing];
    let functions = [Function::straight(caller)];
    assert_eq!(Analysis::of(&functions, 2).lacking(0, 3, 0, |_| true), Some(Lacking::Wait { n: 0 }));
}

#[test]
fn inlining_makes_waits_redundant() {
    let functions = with_callee(&[Step::MARK, CALL, Step::wait(1)], &[Step::wait(0)]);
    assert_eq!(edit::redundant_after_inlining(&functions, 0, 1, 2), []);
    let functions = with_callee(&[Step::MARK, CALL, Step::wait(0)], &[Step::wait(0)]);
    // The callee's wait empties the joined sequence, so that the caller's has nothing to take.
    assert_eq!(edit::redundant_after_inlining(&functions, 0, 1, 2), [2]);
}

#[test]
fn recursion_ends() {
    let graph = Graph::new(vec![vec![1, 2], vec![2], vec![]]);
    let steps = vec![Step::issue(0), Step::Call(Callee::Known(0)), Step::MARK];
    let analysis = Analysis::of(&[Function { graph, steps, kernel: true }], 3);
    let ages = &analysis.before(0, 2).of(0).unwrap().ages;
    assert_eq!(ages.iter().map(|(age, _)| age).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(ages.iter().all(|(_, positions)| positions.may_be_unmarked() && !positions.may_be_done()));
}

/// The index of the event that completes each operation of a straight line.
fn completions(steps: &[Step]) -> BTreeMap<usize, usize> {
    let mut thread = Thread::default();
    let mut issued = BTreeMap::new();
    let mut completed = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        match *step {
            Step::Issue { operation, stage } => drop(issued.insert(thread.issue(operation, stage), at)),
            Step::Mark(stages) => thread.mark(stages),
            Step::Wait { n, stages } => {
                let done = thread.wait(n.least, stages);
                completed.extend(done.into_iter().map(|instance| (issued[&instance], at)));
            }
            Step::Nothing | Step::Call(_) => {}
        }
    }
    completed
}

/// All straight lines of up to seven events: the removable marks are those whose removal completes nothing later; the
/// document's own rule, which only looks whether the mark stays, is wrong for as many as it is known to be.
#[test]
fn marks_of_all_straight_lines() {
    let alphabet = [Step::issue(0), Step::MARK, Step::wait(0), Step::wait(1), Step::wait(2)];
    let (mut staying, mut unsound) = (0, 0);
    for length in 1..=7u32 {
        for word in 0..5usize.pow(length) {
            let steps: Vec<Step> = (0..length).map(|at| alphabet[word / 5usize.pow(at) % 5]).collect();
            let was = completions(&steps);
            let functions = [Function::straight(steps.iter().copied())];
            let analysis = (length <= 5).then(|| Analysis::of(&functions, 0));
            for at in 0..steps.len() {
                if steps[at] != Step::MARK {
                    continue;
                }
                let mut without = steps.clone();
                without[at] = Step::Nothing;
                let is = completions(&without);
                let weaker =
                    was.iter().any(|(operation, wait)| is.get(operation).is_none_or(|now| now > wait));
                let stays = {
                    // Its marker stays iff an operation issued right before it, alone, would stay marked to the end.
                    let mut left = std::collections::VecDeque::new();
                    for (index, step) in steps.iter().enumerate() {
                        match step {
                            Step::Mark(_) => left.push_back(index),
                            Step::Wait { n, .. } => {
                                while left.len() > n.least as usize {
                                    left.pop_front();
                                }
                            }
                            _ => {}
                        }
                    }
                    left.contains(&at)
                };
                staying += u32::from(stays);
                unsound += u32::from(stays && weaker);
                if let Some(analysis) = &analysis {
                    let removable = edit::is_removable(analysis, &functions, 0, at);
                    assert_eq!(removable, !weaker, "{steps:?} without {at}");
                }
            }
        }
    }
    assert_eq!((staying, unsound), (66_064, 2_008));
}

/// All callers with up to three events before and behind a call of two: inlining completes nothing later.
#[test]
fn inlining_of_all_small_programs() {
    let alphabet = [Step::issue(0), Step::MARK, Step::wait(0), Step::wait(1), Step::wait(2)];
    let word = |mut word: usize, length: usize| -> Vec<Step> {
        (0..length)
            .map(|_| {
                let step = alphabet[word % 5];
                word /= 5;
                step
            })
            .collect()
    };
    let completions = |parts: [&[Step]; 3], calls: bool| -> BTreeMap<Instance, usize> {
        let mut thread = Thread::default();
        let mut completed = BTreeMap::new();
        let mut time = 0;
        for (part, steps) in parts.into_iter().enumerate() {
            if calls && part == 1 {
                thread.call();
            }
            for step in steps {
                match *step {
                    Step::Issue { operation, stage } => drop(thread.issue(operation, stage)),
                    Step::Mark(stages) => thread.mark(stages),
                    Step::Wait { n, stages } => {
                        completed.extend(thread.wait(n.least, stages).into_iter().map(|one| (one, time)));
                    }
                    Step::Nothing | Step::Call(_) => {}
                }
                time += 1;
            }
            if calls && part == 1 {
                thread.ret();
            }
        }
        completed
    };
    for all in 0..5usize.pow(8) {
        let (before, callee, behind) = (word(all, 3), word(all / 125, 2), word(all / 3_125, 3));
        let called = completions([&before, &callee, &behind], true);
        let inlined = completions([&before, &callee, &behind], false);
        let later = called.iter().any(|(one, time)| inlined.get(one).is_none_or(|now| now > time));
        assert!(!later, "{before:?} call {callee:?} {behind:?}");
    }
}
