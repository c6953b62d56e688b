//! The states before each node of every function, with what calls do by summaries.
//!
//! A function is analysed once, for all its callers: every operation that they have in flight is unmarked for it, since
//! only its own marks count for its waits. Its summary says what becomes of such an operation, and which of its own
//! escape. Summaries grow from "does not return" to the least fixed point, so that recursion needs no special case.

use std::collections::BTreeSet;

use super::state::{Ages, Position, State, Tracked};
use super::{Bound, Callee, Function, Stage, Step};
use crate::flow::forward;

/// What a call of a function does to the operations of its caller, and which it leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Whether it may return.
    pub(super) returns: bool,
    /// What becomes of operations that were issued before: at age a, what may hold where a instances were issued by the
    /// call.
    passed: Vec<Tracked>,
    /// The operations that it issues: unmarked for its caller, or done.
    pub(super) issued: Vec<Tracked>,
}

impl Summary {
    /// Of a function that is not known.
    fn unknown(stages: &BTreeSet<Stage>) -> Summary {
        let mut state = State::entry(stages.iter().map(|&stage| (State::OTHERS, stage)));
        state.mark(super::Stages::ALL);
        state.wait(Bound::ANY, super::Stages::ALL);
        Summary { returns: true, passed: state.escaped().tracked().to_vec(), issued: Vec::new() }
    }

    fn of(function: &Function, before: &[State], analysis: &Analysis) -> Summary {
        let mut end = State::default();
        for (node, before) in before.iter().enumerate() {
            if function.returns_behind(node) {
                let behind = analysis.step(&function.steps[node], before).escaped();
                crate::flow::State::join(&mut end, &behind);
            }
        }
        let (passed, issued) = end.tracked().iter().cloned().partition(|one| one.before);
        Summary { returns: !end.is_unreached(), passed, issued }
    }

    /// What becomes of an operation of the caller, by how many instances of it the call issues.
    pub(super) fn through(&self, operation: u32, stage: Stage) -> Ages {
        let same = |one: &&Tracked| one.stage == stage && one.operation == operation;
        let others = |one: &&Tracked| one.stage == stage && one.operation == State::OTHERS;
        let found = self.passed.iter().find(same).or_else(|| self.passed.iter().find(others));
        found.map_or_else(
            || State::entry([(operation, stage)]).tracked()[0].ages.clone(),
            |one| one.ages.clone(),
        )
    }
}

/// What an access lacks to be covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// On some path no mark covers the instance: no wait would do.
    Mark,
    /// On some path no wait has taken its mark. One that leaves at most `n`, at the access, would do on all paths.
    Wait {
        /// The largest sufficient number.
        n: u32,
    },
}

/// The states of all functions.
#[derive(Debug)]
pub struct Analysis {
    ages: u32,
    summaries: Vec<Summary>,
    unknown: Summary,
    before: Vec<Vec<State>>,
}

impl Analysis {
    /// Analyses functions that may call each other; ages are told apart up to `ages`.
    pub fn of(functions: &[Function], ages: u32) -> Analysis {
        let issued = issued_by(functions);
        let stages: BTreeSet<Stage> = issued.iter().flatten().map(|&(_, stage)| stage).collect();
        let mut analysis = Analysis {
            ages,
            summaries: vec![Summary::default(); functions.len()],
            unknown: Summary::unknown(&stages),
            before: vec![Vec::new(); functions.len()],
        };
        loop {
            let mut changed = false;
            for (number, function) in functions.iter().enumerate() {
                let others = stages.iter().map(|&stage| (State::OTHERS, stage));
                let entry = State::entry(issued[number].iter().copied().chain(others));
                let states = forward(&function.graph, 0, entry, |node, before| {
                    analysis.step(&function.steps[node], before)
                });
                let states: Vec<State> = states.into_iter().map(Option::unwrap_or_default).collect();
                let summary = Summary::of(function, &states, &analysis);
                changed |= summary != analysis.summaries[number];
                analysis.summaries[number] = summary;
                analysis.before[number] = states;
            }
            if !changed {
                return analysis;
            }
        }
    }

    /// What may hold before `node` of a function.
    pub fn before(&self, function: usize, node: usize) -> &State {
        &self.before[function][node]
    }

    /// What a step makes of a state.
    pub fn step(&self, step: &Step, before: &State) -> State {
        let mut state = before.clone();
        match *step {
            Step::Nothing => {}
            Step::Issue { operation, stage } => state.issue(operation, stage, self.ages),
            Step::Mark(stages) => state.mark(stages),
            Step::Wait { n, stages } => state.wait(n, stages),
            Step::Call(callee) => state.call(self.summary(callee), self.ages),
        }
        state
    }

    /// What an access before `node` lacks that needs the instances of `operation` with these ages to be done; `None` if
    /// it is covered on all paths.
    pub fn lacking(
        &self,
        function: usize,
        node: usize,
        operation: u32,
        needs: impl Fn(u32) -> bool,
    ) -> Option<Lacking> {
        let tracked = self.before(function, node).of(operation)?;
        let needed = tracked.ages.iter().filter(|&(age, _)| needs(age)).map(|(_, positions)| positions);
        let pending: Vec<_> = needed.filter(|positions| positions.may_be_pending()).collect();
        if pending.iter().any(|positions| positions.may_be_unmarked()) {
            return Some(Lacking::Mark);
        }
        pending.iter().filter_map(|positions| positions.least()).min().map(|n| Lacking::Wait { n })
    }

    /// Whether the wait at `node` takes no mark on any path, for any number that it may have.
    pub fn is_redundant(&self, function: usize, node: usize, step: &Step) -> bool {
        let before = self.before(function, node);
        matches!(step, Step::Wait { n, stages } if stages.iter().all(|stage| before.longest(stage) <= n.least))
    }

    /// How far ages are told apart.
    pub(super) fn ages(&self) -> u32 {
        self.ages
    }

    /// What a call does.
    pub(super) fn summary(&self, callee: Callee) -> &Summary {
        match callee {
            Callee::Known(number) => &self.summaries[number],
            Callee::Unknown => &self.unknown,
        }
    }
}

impl Summary {
    /// The operations that a call leaves in flight, with age and stage.
    pub(super) fn left_pending(&self) -> impl Iterator<Item = (u32, Stage, u32)> {
        self.issued.iter().flat_map(|one| {
            let pending = one.ages.iter().filter(|(_, positions)| positions.may_be_pending());
            pending.map(|(age, _)| (one.operation, one.stage, age))
        })
    }
}

/// The operations, with their stages, that each function and those that it calls may issue.
fn issued_by(functions: &[Function]) -> Vec<BTreeSet<(u32, Stage)>> {
    let mut issued = vec![BTreeSet::new(); functions.len()];
    loop {
        let mut changed = false;
        for (number, function) in functions.iter().enumerate() {
            let mut own = std::mem::take(&mut issued[number]);
            let known = own.len();
            for step in &function.steps {
                match *step {
                    Step::Issue { operation, stage } => drop(own.insert((operation, stage))),
                    Step::Call(Callee::Known(callee)) => own.extend(&issued[callee]),
                    _ => {}
                }
            }
            changed |= own.len() != known;
            issued[number] = own;
        }
        if !changed {
            return issued;
        }
    }
}

impl Position {
    /// Whether it is done.
    pub fn is_done(self) -> bool {
        self == Position::Done
    }
}
