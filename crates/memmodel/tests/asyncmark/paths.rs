//! Random programs: what the analysis says is what all paths show.

use std::collections::BTreeSet;

use proptest::prelude::*;
use wavemark_memmodel::asyncmark::edit::{self, Need, Sufficient};
use wavemark_memmodel::asyncmark::*;
use wavemark_memmodel::flow::Graph;

use crate::cases;
use crate::enumerate::{AGES, DEEP, Observed, all_paths, cut, program};

/// What the analysis says of function 0.
fn analysed(functions: &[Function]) -> Observed {
    let analysis = Analysis::of(functions, AGES);
    let mut observed = Observed::default();
    for node in 0..functions[0].steps.len() {
        let before = analysis.before(0, node);
        for one in before.tracked().iter().filter(|one| !one.before) {
            for (age, positions) in one.ages.iter() {
                let seen = positions.iter().map(|position| (one.operation, age, cut(position, DEEP)));
                observed.instances.extend(seen.map(|seen| (node, seen)));
            }
        }
        for stage in [0, 1] {
            observed.lengths.extend(before.lengths(stage).map(|length| (node, stage, length.min(DEEP))));
        }
    }
    observed
}

/// The places and operations of needs that function 0 does not meet on some path.
fn unmet(functions: &[Function], needs: &[Need]) -> Option<bool> {
    let observed = all_paths(functions)?;
    Some(needs.iter().any(|need| {
        observed.instances.iter().any(|&(node, (operation, age, position))| {
            node == need.node
                && operation == need.operation
                && need.ages.contains(&age)
                && !position.is_done()
        })
    }))
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn the_states_are_those_of_all_paths(functions in program()) {
        if let Some(observed) = all_paths(&functions) {
            prop_assert_eq!(analysed(&functions), observed);
        }
    }
}

/// A ring: a prologue, a loop that waits, uses, issues and marks, in some order, with more of it left to chance.
fn ring() -> impl Strategy<Value = (Function, usize, usize)> {
    let filler = || {
        prop::collection::vec(
            prop_oneof![
                3 => Just(Step::issue(0)),
                1 => Just(Step::issue(1)),
                3 => Just(Step::MARK),
                1 => (0..4u32).prop_map(Step::wait),
                1 => Just(Step::Nothing),
            ],
            0..4,
        )
    };
    (filler(), filler(), filler(), filler(), 0..3u32, any::<bool>()).prop_map(
        |(prologue, top, middle, bottom, n, skips)| {
            let mut steps = prologue;
            let head = steps.len();
            steps.push(Step::Nothing);
            steps.extend(top);
            let wait = steps.len();
            steps.push(Step::wait(n));
            steps.extend(middle);
            let consumer = steps.len();
            steps.push(Step::Nothing);
            steps.extend(bottom);
            let last = steps.len();
            steps.extend([Step::Nothing, Step::Nothing]);
            let mut successors: Vec<Vec<usize>> = (0..=last).map(|node| vec![node + 1]).collect();
            successors.push(Vec::new());
            successors[last].push(head);
            if skips {
                successors[head].push(consumer);
            }
            (Function { graph: Graph::new(successors), steps, kernel: true }, wait, consumer)
        },
    )
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// The largest sufficient number is the largest with which no path has an instance in flight that is needed.
    #[test]
    fn the_largest_number_of_a_ring((function, wait, consumer) in ring(), age in 0..3u32) {
        let needs = [Need { node: consumer, operation: 0, ages: vec![age] }];
        let functions = [function];
        let analysis = Analysis::of(&functions, AGES);
        let sufficient = edit::sufficient(&analysis, &functions, 0, wait, &needs);
        let meets = |step| unmet(&[functions[0].with(wait, step)], &needs).map(|unmet| !unmet);
        let without = meets(Step::Nothing);
        // A wait for more than is told apart is none.
        let largest = (0..=DEEP).rev().find_map(|n| match meets(Step::wait(n)) {
            None => Some(None),
            Some(true) => Some(Some(n)),
            Some(false) => None,
        });
        let by_paths = match (without, largest) {
            (None, _) | (_, Some(None)) => return Ok(()),
            (Some(true), _) => Sufficient::All,
            (_, None) => Sufficient::None,
            (_, Some(Some(n))) => Sufficient::UpTo(n),
        };
        let cut = match sufficient {
            Sufficient::UpTo(n) => Sufficient::UpTo(n.min(DEEP)),
            other => other,
        };
        prop_assert_eq!(cut, by_paths);
    }

    /// A mark or wait is removable if no wait on any path completes less without it, and only then.
    #[test]
    fn removable_marks_and_waits(functions in program()) {
        let analysis = Analysis::of(&functions, AGES);
        for (node, step) in functions[0].steps.iter().enumerate() {
            if !matches!(step, Step::Mark(_) | Step::Wait { .. }) {
                continue;
            }
            let removable = edit::is_removable(&analysis, &functions, 0, node);
            if let Some(weaker) = crate::words::loses(&functions, node) {
                prop_assert_eq!(removable, !weaker, "node {}", node);
            }
        }
    }

    /// Inlining takes no guarantee away: what is done at a node is done there in the inlined function too.
    #[test]
    fn inlining_keeps_guarantees(functions in program()) {
        let Some(call) = functions[0].steps.iter().position(|step| matches!(step, Step::Call(_))) else {
            return Ok(());
        };
        let mut inlined = functions.clone();
        inlined[0] = edit::inline(&functions, 0, call).expect("a known callee");
        let pending = |functions: &[Function], nodes: usize| -> BTreeSet<(usize, u32, u32)> {
            let observed = analysed(functions).instances.into_iter();
            let pending = observed.filter(|(node, (.., position))| *node < nodes && !position.is_done());
            pending.map(|(node, (operation, age, _))| (node, operation, age)).collect()
        };
        let nodes = functions[0].steps.len();
        // The call's node itself is where the callee now begins.
        prop_assert!(pending(&inlined, nodes).is_subset(&pending(&functions, nodes)));
    }
}
