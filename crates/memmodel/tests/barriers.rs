//! Axioms and machine on all small programs, and on the catalogue's.

use std::collections::BTreeSet;

use wavemark_memmodel::barrier::axioms::{self, Valid};
use wavemark_memmodel::barrier::machine::{self, Outcomes};
use wavemark_memmodel::barrier::{
    Event, Execution, Kind, Object, ObjectId, Operation, Program, Reading, Rule, Thread, hardware,
};

const WORKGROUP: ObjectId = 0;
const N1: ObjectId = 1;
const N2: ObjectId = 2;

/// Threads by their words: `A1` arrives at object 1, `A1=2` with a count, `W`, `D`, `J`, and `I1=2`.
fn threads(text: &str) -> Vec<Thread> {
    let operation = |word: &str| {
        let (name, count) =
            word.split_once('=').map_or((word, None), |(name, k)| (name, Some(k.parse().unwrap())));
        let object: ObjectId = name[1..].parse().unwrap_or(WORKGROUP);
        match &name[..1] {
            "A" => Operation::Arrive(object, count),
            "W" => Operation::Wait(object),
            "D" => Operation::Drop(object),
            "J" => Operation::Join(object),
            "I" => Operation::Init(object, count.unwrap()),
            other => panic!("no operation {other}"),
        }
    };
    let thread =
        |text: &str| Thread { workgroup: 0, operations: text.split_whitespace().map(operation).collect() };
    text.split('|').map(thread).collect()
}

/// The objects: the workgroup's, two named ones, the null barrier.
fn objects(expected: [Option<u32>; 3]) -> Vec<Object> {
    let kinds = [Kind::Workgroup, Kind::Named, Kind::Named];
    let mut objects: Vec<Object> =
        kinds.into_iter().zip(expected).map(|(kind, expected)| Object { kind, expected }).collect();
    objects.push(Object { kind: Kind::Null, expected: Some(0) });
    objects
}

/// A program of words, with the expected counts of the workgroup's and the two named objects.
fn program(text: &str, expected: [Option<u32>; 3]) -> Program {
    let (program, _) = Program { objects: objects(expected), threads: threads(text) }.resolved();
    program
}

/// All sequences of up to `most` of these operations.
fn words(alphabet: &[Operation], most: usize) -> Vec<Vec<Operation>> {
    let mut all: Vec<Vec<Operation>> = Vec::new();
    let mut longest = vec![Vec::new()];
    for _ in 0..most {
        let longer = longest.iter().flat_map(|word: &Vec<Operation>| {
            alphabet.iter().map(|&next| word.iter().copied().chain([next]).collect())
        });
        longest = longer.collect();
        all.extend(longest.iter().cloned());
    }
    all
}

/// Why the axioms have an execution that the machine has not.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    /// Modification orders of several objects contradict each other.
    CrossObjectCycle,
    /// A drop at the beginning of a phase is left out of it.
    LeadingDrop,
}

/// Programs, those of them that are clean, those with the same executions, and those with each difference.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    programs: u32,
    clean: u32,
    equal: u32,
    cross_object_cycles: u32,
    leading_drops: u32,
}

fn compare(program: &Program, count: &mut Count) {
    count.programs += 1;
    let Outcomes { executions, undefined, deadlock } = machine::run(program, Reading::default());
    if !undefined.is_empty() || deadlock {
        return;
    }
    count.clean += 1;
    let separate = Reading { separate_objects: true, ..Reading::default() };
    let of = |valid: &BTreeSet<Valid>| {
        valid.iter().map(|one| one.execution.clone()).collect::<BTreeSet<Execution>>()
    };
    let by_axioms = axioms::canonical(program, separate);
    let all = of(&by_axioms);
    assert!(executions.is_subset(&all), "the machine has an execution of its own: {program:?}");
    if executions == all {
        count.equal += 1;
        return;
    }
    // With orders of several objects that fit together, cycles are gone; what is left leaves a drop out.
    let together = axioms::canonical(program, Reading::default());
    let mut differences = BTreeSet::new();
    if of(&together) != all {
        differences.insert(Difference::CrossObjectCycle);
    }
    for one in together.iter().filter(|one| !executions.contains(&one.execution)) {
        assert!(one.leaves_out, "an execution without explanation: {program:?} {one:?}");
        differences.insert(Difference::LeadingDrop);
    }
    assert_eq!(differences.len(), 1, "{program:?}");
    count.cross_object_cycles += u32::from(differences.contains(&Difference::CrossObjectCycle));
    count.leading_drops += u32::from(differences.contains(&Difference::LeadingDrop));
}

/// Every program of two or three threads with each of these words, at these expected counts.
fn family(count: &mut Count, alphabet: &[Operation], most: usize, threads: u32, expected: [Option<u32>; 3]) {
    let words = words(alphabet, most);
    for all in 0..words.len().pow(threads) {
        let word = |thread| words[all / words.len().pow(thread) % words.len()].clone();
        let thread = |thread| Thread { workgroup: 0, operations: word(thread) };
        let program = Program { objects: objects(expected), threads: (0..threads).map(thread).collect() };
        compare(&program, count);
    }
}

const A: Operation = Operation::Arrive(WORKGROUP, None);
const W: Operation = Operation::Wait(WORKGROUP);
const D: Operation = Operation::Drop(WORKGROUP);
const AN: Operation = Operation::Arrive(N1, None);
const WN: Operation = Operation::Wait(N1);
const JN: Operation = Operation::Join(N1);
const DN: Operation = Operation::Drop(N1);

/// All 45,535 programs of the sizes at which the reading was established: where nothing is undefined and nothing hangs,
/// axioms and machine have the same executions but for the named differences.
#[test]
fn axioms_and_machine_on_all_small_programs() {
    let mut count = Count::default();
    family(&mut count, &[A, W, D], 3, 2, [Some(1), None, None]);
    family(&mut count, &[A, W, D], 3, 2, [Some(2), None, None]);
    family(&mut count, &[A, W], 4, 2, [Some(2), None, None]);
    family(&mut count, &[A, W, D], 2, 3, [Some(2), None, None]);
    family(&mut count, &[A, W, D], 2, 3, [Some(3), None, None]);
    family(&mut count, &[AN, WN, JN, DN], 3, 2, [None, Some(2), None]);
    family(&mut count, &[AN, WN, JN, DN], 3, 2, [None, Some(1), None]);
    family(&mut count, &[AN, WN, A, W, JN], 3, 2, [Some(2), Some(2), None]);
    let expected =
        Count { programs: 45_535, clean: 5_025, equal: 4_859, cross_object_cycles: 158, leading_drops: 8 };
    assert_eq!(count, expected);
}

/// Of named programs without undefined behavior, some let a wait pass early on the pseudo-code: all because a join does
/// not clear the bit of the barrier that was joined before.
#[test]
fn the_bit_of_the_pseudo_code() {
    let (a2, w2, j2) = (Operation::Arrive(N2, None), Operation::Wait(N2), Operation::Join(N2));
    let others: [&[Operation]; 5] = [&[], &[a2], &[AN], &[AN, a2], &[a2, AN]];
    let (mut clean, mut early) = (0, 0);
    for first in words(&[AN, WN, JN, a2, w2, j2], 5) {
        if !first.iter().any(|operation| matches!(operation, Operation::Wait(_))) {
            continue;
        }
        // Waits are for what is joined: other operands are the same programs once more.
        for other in others {
            for expected in [[None, Some(1), Some(2)], [None, Some(1), Some(1)], [None, Some(2), Some(2)]] {
                let of = |operations: &[Operation]| Thread { workgroup: 0, operations: operations.to_vec() };
                let mut threads = vec![of(&first)];
                threads.extend((!other.is_empty()).then(|| of(other)));
                let program = Program { objects: objects(expected), threads };
                if !program.resolved().1.is_empty() {
                    continue;
                }
                let outcomes = machine::run(&program, Reading::default());
                if !outcomes.is_clean() || outcomes.executions.is_empty() {
                    continue;
                }
                clean += 1;
                let observed = hardware::run(&program);
                if observed.stuck || !observed.early.is_empty() {
                    early += 1;
                    let joins = first.iter().filter(|operation| matches!(operation, Operation::Join(_)));
                    assert!(joins.count() > 1, "{program:?}");
                }
            }
        }
    }
    assert_eq!((clean, early), (1_302, 18));
}

/// What the catalogue expects of a program: how many executions machine and axioms have, and what is undefined.
#[track_caller]
fn check(text: &str, expected: [Option<u32>; 3], executions: usize, undefined: &[Rule], deadlock: bool) {
    let program = program(text, expected);
    let outcomes = machine::run(&program, Reading::default());
    let undefined: BTreeSet<Rule> = undefined.iter().copied().collect();
    assert_eq!((outcomes.undefined, outcomes.deadlock), (undefined, deadlock));
    let by_axioms = axioms::canonical(&program, Reading::default());
    assert_eq!(outcomes.executions.len(), executions);
    let by_axioms: BTreeSet<_> = by_axioms.into_iter().map(|one| one.execution).collect();
    assert_eq!(outcomes.executions, by_axioms);
}

#[test]
fn the_workgroups_barrier() {
    let of = |count| [Some(count), None, None];
    check("A W | A W", of(2), 2, &[], false);
    check("A W A W | A W A W", of(2), 4, &[], false);
    check("A | A W", of(2), 2, &[], false);
    check("A | W", of(1), 1, &[], false);
    check("A W | W", of(2), 0, &[], true);
    check("A A | W W", of(1), 1, &[], true);
    check("A A | A W A W", of(2), 4, &[Rule::B12], false);
    check("A A W | W W", of(1), 1, &[Rule::B12], true);
    check("D | A W", of(2), 2, &[], false);
    check("A D | A W", of(2), 1, &[Rule::B7], false);
    check("A W D | A W A W", of(2), 4, &[], false);
    check("A W | D", of(2), 2, &[], false);
    check("D | D | A", of(1), 0, &[Rule::B3], false);
    check("D | A W | A W", of(3), 6, &[], false);
}

#[test]
fn named_barriers() {
    let n1 = |count| [None, Some(count), None];
    check("J1 A1 W1", [None; 3], 0, &[Rule::B1], false);
    check("J1 A1 W1 | J1 A1 W1", n1(2), 2, &[], false);
    check("A1 J1 W1 | A1", n1(2), 0, &[Rule::B11], false);
    check("J1 W1 | A1", n1(1), 0, &[Rule::B11], false);
    check("J1 A W W1 | A W A1", [Some(2), Some(1), None], 2, &[], false);
    check("A1 W1", n1(1), 0, &[Rule::B10], false);
    check("D1", n1(1), 0, &[Rule::B9], false);
    check("J1 A1 W1 | J1 D1", n1(2), 2, &[], false);
    check("J1 A1 J3 W1 | A1", n1(2), 0, &[Rule::B10], false);
    check("J1 A1 W2 | A1", [None, Some(2), Some(9)], 2, &[], false);
    check("J1 A1 J2 A2 W2 | A2", [None, Some(1), Some(2)], 2, &[], false);
    check("A1 | A1=1", n1(3), 1, &[Rule::B4], false);
    check("J1 A1=2 W1 | J1 A1=2 W1", n1(1), 2, &[], false);
    check("I1=2 J1 A1 W1 | J1 A1 W1", [None; 3], 2, &[Rule::B1], false);
    check("I1=2 A W J1 A1 W1 | A W J1 A1 W1", [Some(2), None, None], 4, &[], false);
    check("I1=0", [None; 3], 0, &[Rule::B2], false);
    check("J", [Some(1), None, None], 0, &[Rule::B8], false);
    check("W3 A3 D3", [None; 3], 1, &[], false);
}

/// The axioms let two objects be modified in orders that contradict each other; we do not.
#[test]
fn orders_of_two_objects() {
    let program = program("A1 A2 | A2 A1", [None, Some(3), Some(3)]);
    let separate = Reading { separate_objects: true, ..Reading::default() };
    assert_eq!(axioms::valid(&program, separate).len(), 4);
    assert_eq!(axioms::valid(&program, Reading::default()).len(), 3);
    assert_eq!(machine::run(&program, Reading::default()).executions.len(), 3);
}

/// A count that equals the arrivals is undefined by the model; by the table it is a phase that never completes.
#[test]
fn a_count_that_equals_the_arrivals() {
    let program = program("A1 | A1=1 | J1 W1", [None, Some(3), None]);
    let table = Reading { count_may_equal: true, ..Reading::default() };
    assert!(machine::run(&program, Reading::default()).undefined.contains(&Rule::B4));
    let outcomes = machine::run(&program, table);
    assert!(outcomes.deadlock && !outcomes.undefined.contains(&Rule::B4));
}

/// One wave of a workgroup arrives at a cluster's barrier; trap barriers are not the shader's.
#[test]
fn clusters_and_traps() {
    let cluster = Object { kind: Kind::Cluster, expected: Some(2) };
    let of = |groups: &[u8]| {
        let arrives = vec![Operation::Arrive(0, None), Operation::Wait(0)];
        let thread = |&workgroup| Thread { workgroup, operations: arrives.clone() };
        Program { objects: vec![cluster], threads: groups.iter().map(thread).collect() }
    };
    assert!(machine::run(&of(&[0, 1]), Reading::default()).is_clean());
    assert_eq!(machine::run(&of(&[0, 0]), Reading::default()).undefined, BTreeSet::from([Rule::B14]));
    let mut trap = of(&[0, 1]);
    trap.objects[0].kind = Kind::Trap;
    assert_eq!(machine::run(&trap, Reading::default()).undefined, BTreeSet::from([Rule::B16]));
}

/// Only the operand's object is another: the wait is for the joined one, and that is told.
#[test]
fn a_wait_with_another_operand() {
    let program = Program { objects: objects([None, Some(1), Some(1)]), threads: threads("J1 A1 W2") };
    assert_eq!(program.resolved().1, [Event { thread: 0, index: 2 }]);
}
