//! The retirement rule against all completion states, and the waits that asyncmark waits need against the same.

use std::collections::BTreeSet;

use wavemark_memmodel::asyncmark::{Callee, Function, Stages, Step, Thread};
use wavemark_memmodel::counters::{Class, ClassId, InFlight};
use wavemark_memmodel::flow::Graph;
use wavemark_memmodel::retirement::{CounterWait, Counters, is_retired, lower};

const fn in_order(capacity: u32) -> Class {
    Class { in_order: true, capacity }
}

/// The classes of gfx1250 (CDNA5 manual 5.6, 10.8): of ordinary loads, stores, LDS, scalar loads; loads to LDS and stores
/// from it, which share ASYNCcnt; tensor operations.
const LD: ClassId = 0;
const ST: ClassId = 1;
const DS: ClassId = 2;
const SM: ClassId = 3;
const AL: ClassId = 4;
const AS: ClassId = 5;
const TD: ClassId = 6;
/// Address translations of vector and of scalar memory, both counted by XCNT.
const XV: ClassId = 7;
const XS: ClassId = 8;

const LOAD: usize = 0;
const STORE: usize = 1;
const DSCNT: usize = 2;
const KM: usize = 3;
const ASYNC: usize = 4;
const TENSOR: usize = 5;
const X: usize = 6;

fn gfx1250() -> Counters {
    let without_order = Class { in_order: false, capacity: 31 };
    let mut classes = vec![in_order(63); 9];
    classes[usize::from(SM)] = without_order;
    classes[usize::from(XS)] = Class { in_order: false, capacity: 63 };
    let counted = vec![vec![LD], vec![ST], vec![DS], vec![SM], vec![AL, AS], vec![TD], vec![XV, XS]];
    Counters { classes, counted, asynchronous: vec![AL, AS, TD], exclusive: vec![[XV, XS]] }
}

/// The classes of gfx9: loads, stores and copies to LDS are one class of vmcnt; LDS and scalar loads share lgkmcnt.
fn gfx9() -> Counters {
    let classes = vec![in_order(63), in_order(15), Class { in_order: false, capacity: 15 }];
    Counters { classes, counted: vec![vec![0], vec![1, 2]], asynchronous: vec![0], exclusive: Vec::new() }
}

/// Two classes in order share a counter: by the rule, and by all completions that leave at most `n`.
#[test]
fn the_rule_is_exact() {
    let counters = gfx1250();
    let mut cases = 0;
    let mut single_queue_unsound = 0;
    for length in 1..=7u32 {
        for word in 0..1u32 << length {
            let issued: Vec<ClassId> =
                (0..length).map(|at| if word >> at & 1 != 0 { AS } else { AL }).collect();
            let issued = &issued;
            let of = |class| (0..length as usize).filter(|&at| class == issued[at]).collect::<Vec<_>>();
            let (loads, stores) = (of(AL), of(AS));
            for n in 0..=length {
                let mut guaranteed: BTreeSet<usize> = (0..length as usize).collect();
                for loaded in 0..=loads.len() {
                    for stored in 0..=stores.len() {
                        if length as usize - loaded - stored <= n as usize {
                            for pending in loads[loaded..].iter().chain(&stores[stored..]) {
                                guaranteed.remove(pending);
                            }
                        }
                    }
                }
                for index in 0..length as usize {
                    cases += 1;
                    let retired = is_retired(&counters, issued, index, ASYNC, n);
                    assert_eq!(retired, guaranteed.contains(&index), "{issued:?} {index} {n}");
                    let younger_of_any = length - 1 - index as u32;
                    single_queue_unsound += u32::from(younger_of_any >= n && !retired);
                }
            }
        }
    }
    assert_eq!((cases, single_queue_unsound), (11_260, 2_046));
}

/// What the hardware may have completed of a straight line: for loads and stores each, how many.
type Completed = BTreeSet<(usize, usize)>;

/// All completions from `states` on, of so many issued ones.
fn later(states: &Completed, loads: usize, stores: usize) -> Completed {
    let ahead = |&(loaded, stored): &(usize, usize)| {
        (loaded..=loads).flat_map(move |loaded| (stored..=stores).map(move |stored| (loaded, stored)))
    };
    states.iter().flat_map(ahead).collect()
}

/// All straight lines of up to six issues (of two classes that share a counter), marks and waits: the number is the
/// largest that leaves no completion in which something is in flight that the marks promise.
#[test]
fn waits_of_all_straight_lines() {
    let counters = gfx1250();
    let alphabet = [Step::issue(0), Step::issue(1), Step::MARK, Step::wait(0), Step::wait(1)];
    let classes: [&[ClassId]; 2] = [&[AL], &[AS]];
    let mut waits = 0;
    for length in 1..=6u32 {
        for word in 0..5usize.pow(length) {
            let steps: Vec<Step> = (0..length).map(|at| alphabet[word / 5usize.pow(at) % 5]).collect();
            let function = Function::straight(steps.iter().copied());
            let lowered = lower(&counters, &function, |operation| classes[operation as usize]);
            let mut thread = Thread::default();
            let (mut loads, mut stores) = (0, 0);
            let mut states = Completed::from([(0, 0)]);
            for (at, step) in steps.iter().enumerate() {
                match *step {
                    Step::Issue { operation, stage } => {
                        thread.issue(operation, stage);
                        *(if operation == 0 { &mut loads } else { &mut stores }) += 1;
                    }
                    Step::Mark(stages) => thread.mark(stages),
                    Step::Wait { n, stages } => {
                        thread.wait(n.least, stages);
                        states = later(&states, loads, stores);
                        let done = |class| {
                            let all = thread.instances(0).filter(|&(operation, _)| operation == class);
                            all.filter(|&(_, one)| thread.is_done(one)).count()
                        };
                        let promised = (done(0), done(1));
                        let kept = |n: usize| -> Completed {
                            let few = |(loaded, stored)| loads + stores - loaded - stored <= n;
                            states.iter().copied().filter(|&state| few(state)).collect()
                        };
                        let suffices = |n: usize| {
                            kept(n)
                                .iter()
                                .all(|&(loaded, stored)| loaded >= promised.0 && stored >= promised.1)
                        };
                        let needed = if suffices(loads + stores) {
                            None
                        } else {
                            (0..loads + stores).rev().find(|&n| suffices(n))
                        };
                        let found = lowered[at].iter().map(|wait| (wait.counter, wait.n as usize)).next();
                        assert_eq!(found, needed.map(|n| (ASYNC, n)), "{steps:?} at {at}");
                        if let Some(n) = needed {
                            states = kept(n);
                        }
                        waits += 1;
                    }
                    Step::Nothing | Step::Call(_) => unreachable!("not in the alphabet"),
                }
            }
        }
    }
    assert!(waits > 30_000, "{waits}");
}

/// One line for each case of counters and classes: what is issued (operation n counts in `classes[n]`; operations of
/// stage 1 are ordinary ones, which marks do not cover), and what the last step, a wait, needs.
#[track_caller]
fn check(counters: &Counters, classes: &[&[ClassId]], steps: &[Step], expected: &[(usize, u32)]) {
    let function = Function::straight(steps.iter().copied());
    let lowered = lower(counters, &function, |operation| classes[operation as usize]);
    let found: Vec<_> = lowered.last().unwrap().iter().map(|wait| (wait.counter, wait.n)).collect();
    assert_eq!(found, expected);
}

const MARK: Step = Step::Mark(Stages(1));

const fn ordinary(operation: u32) -> Step {
    Step::Issue { operation, stage: 1 }
}

#[test]
fn classes_of_gfx1250() {
    let counters = gfx1250();
    let classes: [&[ClassId]; 5] = [&[AL], &[AS], &[TD], &[LD, DS], &[SM]];
    let check = |steps: &[Step], expected: &[(usize, u32)]| check(&counters, &classes, steps, expected);
    let [load, store, tensor] = [0, 1, 2].map(Step::issue);
    // In order in its class: younger loads may stay.
    check(&[load, MARK, load, load, Step::wait(0)], &[(ASYNC, 2)]);
    // A younger store of the same counter says nothing about the load.
    check(&[load, MARK, store, Step::wait(0)], &[(ASYNC, 0)]);
    check(&[load, MARK, store, load, Step::wait(0)], &[(ASYNC, 1)]);
    // Tensor operations have a counter of their own.
    check(&[tensor, load, MARK, tensor, Step::wait(0)], &[(ASYNC, 0), (TENSOR, 1)]);
    check(&[tensor, MARK, load, Step::wait(0)], &[(TENSOR, 0)]);
    // Marks that stay need nothing.
    check(&[load, MARK, load, MARK, Step::wait(2)], &[]);
    check(&[load, MARK, load, MARK, Step::wait(1)], &[(ASYNC, 1)]);
    // What is not asynchronous does not count here.
    check(&[load, MARK, ordinary(3), ordinary(4), Step::wait(0)], &[(ASYNC, 0)]);
    // Back-pressure: 63 younger ones have made it complete.
    let full: Vec<Step> = [load, MARK].into_iter().chain([load; 63]).chain([Step::wait(0)]).collect();
    check(&full, &[]);
}

#[test]
fn classes_of_gfx9() {
    let counters = gfx9();
    let classes: [&[ClassId]; 3] = [&[0], &[1], &[2]];
    let check = |steps: &[Step], expected: &[(usize, u32)]| check(&counters, &classes, steps, expected);
    // Ordinary loads and stores count in vmcnt, too.
    check(&[Step::issue(0), MARK, ordinary(0), ordinary(0), Step::wait(0)], &[(0, 2)]);
    // A class without order is done at zero alone, whatever else its counter counts.
    check(&[Step::issue(1), MARK, ordinary(1), Step::wait(0)], &[(1, 1)]);
    check(&[Step::issue(2), MARK, ordinary(2), ordinary(2), Step::wait(0)], &[(1, 0)]);
}

/// Where paths meet, the wait is for the shorter of them (LLVM issue 211688 took the longer).
#[test]
fn paths_that_meet() {
    let steps = vec![
        Step::Nothing,
        Step::issue(0),
        Step::MARK,
        Step::issue(0),
        Step::issue(0),
        Step::issue(0),
        Step::wait(0),
    ];
    let graph = Graph::new(vec![vec![1, 3], vec![2], vec![6], vec![4], vec![5], vec![6], vec![]]);
    let function = Function { graph, steps, kernel: true };
    let lowered = lower(&gfx1250(), &function, |_| &[AL]);
    assert_eq!(lowered[6], [CounterWait { counter: ASYNC, n: 0 }]);
}

/// What a function's marks cover of its callers' operations is unknown, and what a call leaves in flight, too.
#[test]
fn calls_are_not_known() {
    let mut function = Function::straight([Step::MARK, Step::wait(0)]);
    function.kernel = false;
    let all = [CounterWait { counter: ASYNC, n: 0 }, CounterWait { counter: TENSOR, n: 0 }];
    assert_eq!(lower(&gfx1250(), &function, |_| &[AL])[1], all);
    let call = Step::Call(Callee::Unknown);
    let behind = |steps: &[Step]| {
        let function = Function::straight(steps.iter().copied());
        lower(&gfx1250(), &function, |_| &[AL]).pop().unwrap()
    };
    assert_eq!(behind(&[call, Step::MARK, Step::wait(0)]), all);
    // The call has waited for none of the caller's own, and issued perhaps nothing.
    let load = Step::issue(0);
    assert_eq!(
        behind(&[load, Step::MARK, load, call, Step::wait(0)]),
        [CounterWait { counter: ASYNC, n: 1 }]
    );
}

/// Combined waits are their parts; an idle wave has nothing in flight.
#[test]
fn combined_waits() {
    let counters = gfx1250();
    let mut in_flight = InFlight::default();
    for (operation, own) in [(0, vec![LD, DS]), (1, vec![ST]), (2, vec![SM]), (3, vec![AL]), (4, vec![LD])] {
        in_flight.issue(&counters.classes, operation, &own);
    }
    let mut waited = in_flight.clone();
    counters
        .wait_for(&mut waited, &[CounterWait { counter: LOAD, n: 1 }, CounterWait { counter: DSCNT, n: 0 }]);
    let left: Vec<u32> = waited.pending().iter().map(|one| one.operation).collect();
    assert_eq!(left, [1, 2, 3, 4]);
    counters
        .wait_for(&mut waited, &[CounterWait { counter: STORE, n: 0 }, CounterWait { counter: KM, n: 0 }]);
    assert!(waited.has(3) && !waited.has(1) && !waited.has(2));
    counters.idle(&mut in_flight);
    assert!(in_flight.pending().is_empty());
}

/// Address translations: those of vector memory come in order, those of scalar memory do not, and the hardware lets one
/// kind go before the other begins.
#[test]
fn translations() {
    let counters = gfx1250();
    let mut in_flight = InFlight::default();
    let issue = |in_flight: &mut InFlight, operation, class| counters.issue(in_flight, operation, &[class]);
    let left = |in_flight: &InFlight| in_flight.pending().iter().map(|one| one.operation).collect::<Vec<_>>();
    issue(&mut in_flight, 0, XV);
    issue(&mut in_flight, 1, XV);
    counters.wait(&mut in_flight, X, 1);
    assert_eq!(left(&in_flight), [1]);
    issue(&mut in_flight, 2, XS);
    issue(&mut in_flight, 3, XS);
    assert_eq!(left(&in_flight), [2, 3]);
    counters.wait(&mut in_flight, X, 1);
    assert_eq!(left(&in_flight), [2, 3]);
    issue(&mut in_flight, 4, XV);
    assert_eq!(left(&in_flight), [4]);
}
