//! Every path of a program, taken by a [`Thread`]; random programs.

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use wavemark_memmodel::asyncmark::*;
use wavemark_memmodel::flow::Graph;

/// Ages and positions are compared up to these, and paths told apart up to two more.
pub const AGES: u32 = 3;
pub const DEEP: u32 = 4;
/// A program with more states than this is left.
const MANY: usize = 500;

/// An instance at a point: its operation, age and position.
pub type Seen = (u32, u32, Position);

/// What is seen before each node of function 0 in its outermost activation.
#[derive(Default, Debug, PartialEq)]
pub struct Observed {
    pub instances: BTreeSet<(usize, Seen)>,
    pub lengths: BTreeSet<(usize, Stage, u32)>,
}

pub fn cut(position: Position, deep: u32) -> Position {
    match position {
        Position::Behind(younger) => Position::Behind(younger.min(deep)),
        other => other,
    }
}

/// The instances of a thread's stage with their ages.
fn aged(thread: &Thread, stage: Stage) -> Vec<(u32, u32, Instance)> {
    let mut younger: Vec<u32> = Vec::new();
    let mut all = Vec::new();
    for (operation, instance) in thread.instances(stage) {
        let age = younger.iter().filter(|&&one| one == operation).count() as u32;
        younger.push(operation);
        all.push((operation, age, instance));
    }
    all
}

/// Where a thread is: the calls that it is in, and its node.
type Place = (Vec<(usize, usize)>, usize, usize);

/// Takes every path; `None` if there are too many states.
pub fn all_paths(functions: &[Function]) -> Option<Observed> {
    let mut observed = Observed::default();
    let mut known = HashSet::new();
    let mut waiting: Vec<(Place, Thread)> = vec![((Vec::new(), 0, 0), Thread::default())];
    while let Some((place, thread)) = waiting.pop() {
        let mut key = BTreeSet::new();
        for stage in [0, 1] {
            for (operation, age, instance) in aged(&thread, stage) {
                let positions: Vec<Position> =
                    thread.positions(instance).map(|position| cut(position, DEEP + 2)).collect();
                key.insert((operation, age.min(AGES + 2), positions));
                if place.0.is_empty() {
                    let seen = (operation, age.min(AGES), cut(thread.position(instance), DEEP));
                    observed.instances.insert((place.2, seen));
                }
            }
            if place.0.is_empty() {
                observed.lengths.insert((place.2, stage, thread.length(stage).min(DEEP)));
            }
        }
        let lengths = [0, 1].map(|stage| thread.lengths(stage).map(|l| l.min(DEEP + 2)).collect::<Vec<_>>());
        if !known.insert((place.clone(), key, lengths)) {
            continue;
        }
        if known.len() > MANY {
            return None;
        }
        waiting.extend(next(functions, &place, &thread));
    }
    Some(observed)
}

fn next(functions: &[Function], place: &Place, thread: &Thread) -> Vec<(Place, Thread)> {
    let (calls, number, node) = place;
    let function = &functions[*number];
    let mut behind = vec![thread.clone()];
    match function.steps[*node] {
        Step::Nothing => {}
        Step::Issue { operation, stage } => drop(behind[0].issue(operation, stage)),
        Step::Mark(stages) => behind[0].mark(stages),
        Step::Wait { n, stages } => {
            let numbers = n.least..=n.most.expect("random waits have a bound");
            behind = numbers
                .map(|n| {
                    let mut thread = thread.clone();
                    thread.wait(n, stages);
                    thread
                })
                .collect();
        }
        Step::Call(Callee::Known(callee)) => {
            behind[0].call();
            let mut calls = calls.clone();
            calls.push((*number, *node));
            return vec![((calls, callee, 0), behind.remove(0))];
        }
        Step::Call(Callee::Unknown) => unreachable!("random programs know whom they call"),
    }
    let mut reached = Vec::new();
    for mut thread in behind {
        let (mut calls, mut number, mut node) = place.clone();
        // Returns behind nodes without successors, and behind calls that such a return ends.
        while functions[number].returns_behind(node) {
            let Some((caller, call)) = calls.pop() else { break };
            thread.ret();
            (number, node) = (caller, call);
        }
        for &next in functions[number].graph.successors(node) {
            reached.push(((calls.clone(), number, next), thread.clone()));
        }
    }
    reached
}

fn step(callees: std::ops::Range<usize>) -> impl Strategy<Value = Step> {
    let stages = || prop_oneof![2 => Just(Stages::ALL), 1 => Just(Stages(1)), 1 => Just(Stages(2))];
    let bound = prop_oneof![
        4 => (0..3u32).prop_map(Bound::exactly),
        1 => (0..3u32, 0..2u32).prop_map(|(least, more)| Bound { least, most: Some(least + more) }),
    ];
    let call = match callees.is_empty() {
        true => Just(Step::Nothing).boxed(),
        false => callees.prop_map(|callee| Step::Call(Callee::Known(callee))).boxed(),
    };
    prop_oneof![
        3 => (0..3u32).prop_map(|operation| Step::Issue { operation, stage: (operation % 2) as Stage }),
        3 => stages().prop_map(Step::Mark),
        3 => (bound, stages()).prop_map(|(n, stages)| Step::Wait { n, stages }),
        1 => call,
        1 => Just(Step::Nothing),
    ]
}

/// A function mostly of straight lines, with jumps anywhere.
fn function(nodes: usize, callees: std::ops::Range<usize>) -> impl Strategy<Value = Function> {
    (1..=nodes).prop_flat_map(move |nodes| {
        let jumps = prop::collection::vec((0..nodes, prop::bool::weighted(0.3)), nodes);
        (jumps, prop::collection::vec(step(callees.clone()), nodes)).prop_map(move |(jumps, steps)| {
            let successors = jumps.iter().enumerate().map(|(node, &(jump, jumps))| {
                let mut next = Vec::from_iter((node + 1 < nodes).then_some(node + 1));
                if jumps && node + 1 < nodes && jump != node + 1 {
                    next.push(jump);
                }
                next
            });
            Function { graph: Graph::new(successors.collect()), steps, kernel: true }
        })
    })
}

pub fn program() -> impl Strategy<Value = Vec<Function>> {
    (function(6, 1..3), function(4, 2..3), function(3, 0..0))
        .prop_map(|(main, one, two)| vec![main, one, two])
}
