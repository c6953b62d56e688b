//! What a wait for asyncmarks needs of the counters of a target.
//!
//! The *retirement rule*: behind a wait until a counter is at most N, an operation of an in-order class is done if and
//! only if at least N younger operations *of its own class* have been issued; one of a class without order, if N is 0. A
//! counter may count several classes that are in order each, and not with each other (ASYNCcnt counts loads to LDS and
//! stores from LDS: CDNA5 manual 10.8): taking them for one queue is unsound, taking them for one without order loses
//! guarantees.
//!
//! So a wait that leaves N marks needs, for each operation whose first mark has at least N younger ones, a wait until the
//! counter of its class is at most the number of younger operations of that class. [`lower`] finds the largest numbers
//! that suffice on all paths. Its elements are pairs of a mark position and a position in the class; each moves by itself,
//! so that the least fixed point is the union over all paths, as in [`asyncmark`](crate::asyncmark).
//!
//! Calls: a function that is entered may have anything of its callers in flight, and a call may leave anything of the
//! callee's. Positions only grow in a callee, so that those of the caller's own operations keep their minimum.

use crate::asyncmark::{Function, Stage, Stages, Step};
use crate::counters::{Class, ClassId, InFlight};
use crate::flow::{self, forward};

/// The counters of a target.
#[derive(Clone, Debug)]
pub struct Counters {
    /// The classes that they count.
    pub classes: Vec<Class>,
    /// Which classes each of them counts.
    pub counted: Vec<Vec<ClassId>>,
    /// The classes of asynchronous operations, which stay in flight across calls.
    pub asynchronous: Vec<ClassId>,
    /// Pairs of classes of which only one is in flight: the other is let go first (XCNT's, of vector and scalar memory).
    pub exclusive: Vec<[ClassId; 2]>,
}

impl Counters {
    /// An instance of `operation` is issued to `own` of the classes.
    pub fn issue(&self, in_flight: &mut InFlight, operation: u32, own: &[ClassId]) {
        for &[one, other] in &self.exclusive {
            for (class, drained) in [(one, other), (other, one)] {
                if own.contains(&class) {
                    in_flight.wait(&self.classes, drained, 0);
                }
            }
        }
        in_flight.issue(&self.classes, operation, own);
    }

    /// Waits until `counter` is at most `n`.
    pub fn wait(&self, in_flight: &mut InFlight, counter: usize, n: u32) {
        for &class in &self.counted[counter] {
            in_flight.wait(&self.classes, class, n);
        }
    }

    /// Waits for several counters at once, as combined wait instructions do; the order does not matter.
    pub fn wait_for(&self, in_flight: &mut InFlight, waits: &[CounterWait]) {
        for wait in waits {
            self.wait(in_flight, wait.counter, wait.n);
        }
    }

    /// Waits until every counter is zero.
    pub fn idle(&self, in_flight: &mut InFlight) {
        (0..self.counted.len()).for_each(|counter| self.wait(in_flight, counter, 0));
    }
}

/// A wait until a counter is at most `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterWait {
    /// Which.
    pub counter: usize,
    /// How many operations may be left.
    pub n: u32,
}

/// Whether the operation at `index` of a sequence of `issued` ones, given by their class, is done behind a wait until
/// `counter` is at most `n`: the retirement rule.
pub fn is_retired(counters: &Counters, issued: &[ClassId], index: usize, counter: usize, n: u32) -> bool {
    let own = issued[index];
    let Class { in_order, capacity } = counters.classes[usize::from(own)];
    let younger = issued[index + 1..].iter().filter(|&&class| class == own).count() as u32;
    let waited = counters.counted[counter].contains(&own) && if in_order { younger >= n } else { n == 0 };
    waited || in_order && younger >= capacity
}

/// An operation of one class: for each position under the marks, its positions in the class.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    operation: u32,
    class: ClassId,
    stage: Stage,
    /// The first without a mark, then by the number of younger marks; the last stands for more, too.
    by_marks: Vec<u64>,
}

impl Row {
    fn key(&self) -> (u32, ClassId, Stage) {
        (self.operation, self.class, self.stage)
    }
}

/// What may be in flight, under marks and counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Marked(Vec<Row>);

/// Operations of other functions.
const OTHERS: u32 = u32::MAX;
/// Marks are told apart up to so many younger ones; a wait for more is one for as many.
const DEEPEST: usize = 64;

impl Marked {
    fn row(&mut self, operation: u32, class: ClassId, stage: Stage) -> &mut Row {
        let key = (operation, class, stage);
        let at = match self.0.binary_search_by_key(&key, Row::key) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, Row { operation, class, stage, by_marks: vec![0] });
                at
            }
        };
        &mut self.0[at]
    }

    /// Operations of other functions may be in flight, whichever stage they have.
    fn others(&mut self, counters: &Counters, stages: impl Iterator<Item = Stage> + Clone) {
        for &class in &counters.asynchronous {
            for stage in stages.clone() {
                self.row(OTHERS, class, stage).by_marks[0] = u64::MAX;
            }
        }
    }

    fn issue(&mut self, counters: &Counters, operation: u32, stage: Stage, own: &[ClassId]) {
        for &class in own {
            let Class { in_order, capacity } = counters.classes[usize::from(class)];
            if in_order {
                let below = 1u64.checked_shl(capacity).map_or(u64::MAX, |bit| bit - 1);
                for positions in
                    self.0.iter_mut().filter(|row| row.class == class).flat_map(|row| &mut row.by_marks)
                {
                    *positions = *positions << 1 & below;
                }
            }
            self.row(operation, class, stage).by_marks[0] |= 1;
        }
    }

    fn wait(&mut self, counters: &Counters, wait: CounterWait) {
        for row in self.0.iter_mut().filter(|row| counters.counted[wait.counter].contains(&row.class)) {
            let kept = match counters.classes[usize::from(row.class)].in_order {
                true => 1u64.checked_shl(wait.n).map_or(u64::MAX, |bit| bit - 1),
                false if wait.n == 0 => 0,
                false => u64::MAX,
            };
            row.by_marks.iter_mut().for_each(|positions| *positions &= kept);
        }
    }

    fn of_stages(&mut self, stages: Stages) -> impl Iterator<Item = &mut Row> {
        self.0.iter_mut().filter(move |row| stages.has(row.stage))
    }

    /// The number that each counter must come down to, for those that have at least `n` younger marks.
    fn needs(&self, counters: &Counters, n: u32, stages: Stages) -> impl Iterator<Item = CounterWait> {
        counters.counted.iter().enumerate().filter_map(move |(counter, classes)| {
            let taken = self.0.iter().filter(|row| classes.contains(&row.class) && stages.has(row.stage));
            let positions = taken.flat_map(|row| row.by_marks.iter().skip(1 + (n as usize).min(DEEPEST)));
            let n =
                positions.filter(|&&positions| positions != 0).map(|positions| positions.trailing_zeros());
            n.min().map(|n| CounterWait { counter, n })
        })
    }
}

impl flow::State for Marked {
    fn join(&mut self, other: &Marked) -> bool {
        let mut changed = false;
        for theirs in &other.0 {
            let own = self.row(theirs.operation, theirs.class, theirs.stage);
            if own.by_marks.len() < theirs.by_marks.len() {
                own.by_marks.resize(theirs.by_marks.len(), 0);
            }
            for (own, theirs) in own.by_marks.iter_mut().zip(&theirs.by_marks) {
                changed |= *theirs & !*own != 0;
                *own |= theirs;
            }
        }
        changed
    }
}

/// For each node of `function` that waits for marks, the weakest waits for counters that suffice on all paths; nothing for
/// counters that need no wait. `classes` says what an operation counts in. Operations that are not asynchronous count too;
/// give them a stage that no mark names.
///
/// Each wait is found by itself at first. Then those are weakened, in the order of nodes, of which others' counter waits
/// do a part: as long as all together still keep every promise of the marks.
pub fn lower<'a>(
    counters: &Counters,
    function: &Function,
    classes: impl Fn(u32) -> &'a [ClassId],
) -> Vec<Vec<CounterWait>> {
    let nodes = function.steps.len();
    let needs = |waits: Option<&[Vec<CounterWait>]>| {
        let before = states(counters, function, &classes, waits);
        let needs = function.steps.iter().zip(before).map(|(step, before)| match (step, before) {
            // A wait for at most so many takes, at most, what one for the least number does.
            (&Step::Wait { n, stages }, Some(before)) => before.needs(counters, n.least, stages).collect(),
            _ => Vec::new(),
        });
        needs.collect::<Vec<Vec<CounterWait>>>()
    };
    let mut waits = needs(None);
    let mut together = needs(Some(&waits));
    for node in 0..nodes {
        if together[node] != waits[node] {
            let mut weaker = waits.clone();
            weaker[node] = together[node].clone();
            let needed = needs(Some(&weaker));
            if weaker.iter().zip(&needed).all(|(has, needs)| suffices(has, needs)) {
                (waits, together) = (weaker, needed);
            }
        }
    }
    waits
}

/// Whether waits are at least as strong as what is needed.
fn suffices(has: &[CounterWait], needs: &[CounterWait]) -> bool {
    needs.iter().all(|need| has.iter().any(|has| has.counter == need.counter && has.n <= need.n))
}

/// What may be in flight before each node, if marks promise what they do, and counters are waited for at waits for marks.
fn states<'a>(
    counters: &Counters,
    function: &Function,
    classes: &impl Fn(u32) -> &'a [ClassId],
    waits: Option<&[Vec<CounterWait>]>,
) -> Vec<Option<Marked>> {
    let marked = function.steps.iter().fold(0, |all, step| match step {
        Step::Mark(stages) => all | stages.0,
        _ => all,
    });
    let stages: Vec<Stage> = Stages(marked).iter().collect();
    let mut entry = Marked::default();
    if !function.kernel {
        entry.others(counters, stages.iter().copied());
    }
    forward(&function.graph, 0, entry, |node, before| {
        let mut state = before.clone();
        match function.steps[node] {
            Step::Nothing => {}
            Step::Issue { operation, stage } => state.issue(counters, operation, stage, classes(operation)),
            Step::Mark(stages) => state.of_stages(stages).for_each(|row| {
                row.by_marks.insert(0, 0);
                if row.by_marks.len() > 2 + DEEPEST {
                    let oldest = row.by_marks.pop().expect("longer than its limit");
                    *row.by_marks.last_mut().expect("a row has a position") |= oldest;
                }
            }),
            Step::Wait { n, stages } => {
                let most = n.most.map_or(usize::MAX, |most| 1 + most as usize);
                state.of_stages(stages).for_each(|row| row.by_marks.truncate(most));
                for wait in waits.map_or(&[][..], |waits| &waits[node]) {
                    state.wait(counters, *wait);
                }
            }
            Step::Call(_) => {
                for row in &mut state.0 {
                    for positions in row.by_marks.iter_mut().filter(|positions| **positions != 0) {
                        *positions = u64::MAX << positions.trailing_zeros();
                    }
                }
                state.others(counters, stages.iter().copied());
            }
        }
        state
    })
}
