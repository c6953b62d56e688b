//! The states of the fixed point are those of all paths, enumerated with operations one by one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proptest::prelude::*;
use wavemark_memmodel::counters::{Class, ClassId, InFlight};
use wavemark_memmodel::flow::{Graph, forward};

/// Two in-order classes and one without order, with small capacities.
const CLASSES: [Class; 3] = [
    Class { in_order: true, capacity: 3 },
    Class { in_order: true, capacity: 4 },
    Class { in_order: false, capacity: 31 },
];

#[derive(Clone, Debug)]
enum Step {
    Issue(Vec<ClassId>),
    Wait(ClassId, u32),
    Nothing,
}

/// The operations in flight of one path: for each class the queue of them, the oldest first.
type Queues = [VecDeque<u32>; 3];

fn execute(queues: &mut Queues, node: usize, step: &Step) {
    match step {
        Step::Issue(own) => {
            for &class in own {
                let queue = &mut queues[usize::from(class)];
                let Class { in_order, capacity } = CLASSES[usize::from(class)];
                queue.push_back(node as u32);
                if in_order {
                    while queue.len() > capacity as usize {
                        queue.pop_front();
                    }
                } else {
                    // Which are in flight, not how many: without order, no wait tells instances apart.
                    let once: BTreeSet<u32> = queue.drain(..).collect();
                    queue.extend(once);
                }
            }
        }
        &Step::Wait(class, n) => {
            let queue = &mut queues[usize::from(class)];
            match CLASSES[usize::from(class)].in_order {
                true => {
                    while queue.len() > n as usize {
                        queue.pop_front();
                    }
                }
                false if n == 0 => queue.clear(),
                false => {}
            }
        }
        Step::Nothing => {}
    }
}

/// The positions of each operation before each node, over all paths.
fn by_paths(successors: &[Vec<usize>], steps: &[Step]) -> Vec<Option<BTreeMap<(u32, ClassId), u64>>> {
    let mut seen: Vec<BTreeSet<Queues>> = vec![BTreeSet::new(); steps.len()];
    let mut waiting = vec![(0, Queues::default())];
    while let Some((node, mut queues)) = waiting.pop() {
        if !seen[node].insert(queues.clone()) {
            continue;
        }
        execute(&mut queues, node, &steps[node]);
        waiting.extend(successors[node].iter().map(|&next| (next, queues.clone())));
    }
    let positions = |paths: BTreeSet<Queues>| {
        let mut all = BTreeMap::new();
        for (class, queue) in paths.iter().flat_map(|queues| queues.iter().enumerate()) {
            for (younger, &operation) in queue.iter().rev().enumerate() {
                let bit = if CLASSES[class].in_order { 1 << younger } else { 1 };
                *all.entry((operation, class as ClassId)).or_insert(0) |= bit;
            }
        }
        all
    };
    seen.into_iter().map(|paths| (!paths.is_empty()).then(|| positions(paths))).collect()
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => prop::sample::subsequence(vec![0u8, 1, 2], 1..=2).prop_map(Step::Issue),
        2 => (0..3u8, 0..4u32).prop_map(|(class, n)| Step::Wait(class, n)),
        1 => Just(Step::Nothing),
    ]
}

fn program() -> impl Strategy<Value = (Vec<Vec<usize>>, Vec<Step>)> {
    (1..8usize).prop_flat_map(|nodes| {
        let successors = prop::collection::vec(prop::collection::vec(0..nodes, 0..3), nodes);
        (successors, prop::collection::vec(step(), nodes))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn the_fixed_point_is_that_of_all_paths((successors, steps) in program()) {
        let graph = Graph::new(successors.clone());
        let states = forward(&graph, 0, InFlight::default(), |node, before| {
            let mut state = before.clone();
            match &steps[node] {
                Step::Issue(own) => state.issue(&CLASSES, node as u32, own),
                &Step::Wait(class, n) => state.wait(&CLASSES, class, n),
                Step::Nothing => {}
            }
            state
        });
        let positions = |state: &InFlight| -> BTreeMap<(u32, ClassId), u64> {
            state.pending().iter().map(|one| ((one.operation, one.class), one.positions)).collect()
        };
        let states: Vec<_> = states.iter().map(|state| state.as_ref().map(positions)).collect();
        prop_assert_eq!(states, by_paths(&successors, &steps));
    }
}

/// A loop that issues one operation and leaves one in flight: of the two that may be, the older is done behind a wait
/// for one.
#[test]
fn a_loop() {
    let graph = Graph::new(vec![vec![1], vec![0, 2], vec![]]);
    let states = forward(&graph, 0, InFlight::default(), |node, before| {
        let mut state = before.clone();
        match node {
            0 => state.issue(&CLASSES, 0, &[1]),
            1 => state.wait(&CLASSES, 1, 1),
            _ => {}
        }
        state
    });
    let at = |node: usize| states[node].as_ref().unwrap().pending()[0];
    assert_eq!(at(1).positions, 0b11);
    assert_eq!((at(2).positions, at(2).enough()), (1, 0));
    assert!(states[1].as_ref().unwrap().waits_for(&CLASSES, 1, 1));
    assert!(!states[2].as_ref().unwrap().waits_for(&CLASSES, 1, 1));
}

/// A counter of 6 bits is told apart to its last operation: 62 younger ones leave an operation in flight, of 63 the hardware
/// has waited for it.
#[test]
fn a_counter_at_its_capacity() {
    let classes = [Class { in_order: true, capacity: 63 }];
    let mut state = InFlight::default();
    state.issue(&classes, 0, &[0]);
    for younger in 1..=62 {
        state.issue(&classes, younger, &[0]);
        assert!(state.has(0), "{younger} younger");
    }
    assert_eq!(state.of(0).next().map(wavemark_memmodel::counters::Pending::enough), Some(62));
    let mut waited = state.clone();
    waited.wait(&classes, 0, 62);
    assert!(!waited.has(0) && waited.has(1));
    state.issue(&classes, 63, &[0]);
    assert!(!state.has(0) && state.has(1));
}
