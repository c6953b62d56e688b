//! All executions of a test.
//!
//! Executions grow event by event, breadth first: a state is the execution itself, so that all ways to it have the same
//! length, equal states meet in one layer, and the first fault that is found has a shortest witness. Steps that no other
//! thread can see are taken alone (a persistent set of one thread), and of two independent steps one order is taken (sleep
//! sets; where equal states meet, the intersection of their sleep sets). The states of a layer can be divided among threads.
//!
//! It ends, since jumps go forward; where a bound on states stops it before, it says so, and its verdict is none.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::event::{EventId, TooMany};
use super::state::{Choice, Context, Fault, Next, Note, State};
use super::{Proposition, Register, Test, Verdict};

/// How far an exploration may go.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// So many states in all.
    pub states: usize,
    /// So many threads may be used.
    pub threads: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { states: 500_000, threads: 1 }
    }
}

/// The steps of an execution.
#[derive(Clone, Debug, Default)]
pub struct Trace(Option<Arc<(Trace, Choice)>>);

impl Trace {
    fn then(&self, choice: Choice) -> Trace {
        Trace(Some(Arc::new((self.clone(), choice))))
    }

    /// The steps, in order.
    pub fn steps(&self) -> Vec<Choice> {
        let mut steps = Vec::new();
        let mut at = &self.0;
        while let Some(node) = at {
            steps.push(node.1);
            at = &node.0.0;
        }
        steps.reverse();
        steps
    }
}

/// An execution that shows something, and the way to it.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The steps.
    pub trace: Trace,
    /// The execution, as far as it is defined.
    pub state: State,
}

/// A final state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How many executions end so.
    pub count: u64,
    /// Whether some of them race.
    pub racy: bool,
    /// Whether it is what the test asks for.
    pub asked: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Explored {
    /// Final states as text, with how many executions end so.
    pub outcomes: BTreeMap<String, Outcome>,
    /// What is wrong, each with a shortest witness; `None` where another machine than this one has found it.
    pub faults: BTreeMap<Fault, Option<Witness>>,
    /// What is told: `H2`, `L1`, `R7`.
    pub notes: BTreeSet<Note>,
    /// Threads may wait for ever.
    pub deadlocks: bool,
    /// A shortest way to where they do.
    pub deadlock: Option<Witness>,
    /// An execution that reaches what is asked for.
    pub asked: Option<Witness>,
    /// How many states there were.
    pub states: usize,
    /// Everything was explored.
    pub finished: bool,
}

/// The states of a layer, each with what sleeps in it, and the way to it.
type Layer = HashMap<State, (BTreeSet<Choice>, Trace)>;

/// Explores all executions of `test`.
pub fn explore(test: &Test, bounds: Bounds) -> Result<Explored, TooMany> {
    let cx = Context::of(test)?;
    let mut found = Explored { finished: true, ..Explored::default() };
    let mut layer = Layer::from([(State::start(&cx), Default::default())]);
    while !layer.is_empty() {
        found.states += layer.len();
        if found.states > bounds.states {
            found.finished = false;
            break;
        }
        let mut states: Vec<_> = layer.drain().collect();
        // Which of several witnesses of the same length is kept does not depend on hashing.
        states.sort_by_cached_key(|(_, (_, trace))| trace.steps());
        for part in parts(&cx, &states, bounds.threads) {
            found.take(&cx, part, &mut layer);
        }
    }
    Ok(found)
}

/// What comes of states.
#[derive(Default)]
struct Part {
    next: Vec<(State, BTreeSet<Choice>, Trace)>,
    faults: Vec<(Fault, Witness)>,
    notes: BTreeSet<Note>,
    stuck: Vec<(bool, Witness)>,
    ended: Vec<Witness>,
}

fn parts(cx: &Context, states: &[(State, (BTreeSet<Choice>, Trace))], threads: usize) -> Vec<Part> {
    let expand = |states: &[(State, (BTreeSet<Choice>, Trace))]| {
        let mut part = Part::default();
        for (state, (sleep, trace)) in states {
            part.expand(cx, state, sleep, trace);
        }
        part
    };
    if threads < 2 || states.len() < 256 {
        return vec![expand(states)];
    }
    std::thread::scope(|scope| {
        let chunks = states.chunks(states.len().div_ceil(threads));
        let running: Vec<_> = chunks.map(|chunk| scope.spawn(move || expand(chunk))).collect();
        running.into_iter().map(|thread| thread.join().expect("no panic while exploring")).collect()
    })
}

impl Part {
    fn expand(&mut self, cx: &Context, state: &State, sleep: &BTreeSet<Choice>, trace: &Trace) {
        let steps = state.steps(cx);
        if steps.is_empty() {
            let witness = Witness { trace: trace.clone(), state: state.clone() };
            match state.is_final(cx) {
                true => self.ended.push(witness),
                false => self.stuck.push((state.is_separated(cx), witness)),
            }
            return;
        }
        let mut sleep = sleep.clone();
        for Next { choice, state: next, faults, notes } in steps {
            if sleep.contains(&choice) {
                continue;
            }
            let way = trace.then(choice);
            self.notes.extend(notes);
            for fault in faults {
                let state = next.clone().unwrap_or_else(|| state.clone());
                self.faults.push((fault, Witness { trace: way.clone(), state }));
            }
            if let Some(next) = next {
                let asleep = sleep.iter().filter(|other| other.independent(&choice)).copied().collect();
                self.next.push((next, asleep, way));
            }
            sleep.insert(choice);
        }
    }
}

impl Explored {
    fn take(&mut self, cx: &Context, part: Part, layer: &mut Layer) {
        for (state, sleep, trace) in part.next {
            match layer.get_mut(&state) {
                Some((known, _)) => known.retain(|choice| sleep.contains(choice)),
                None => drop(layer.insert(state, (sleep, trace))),
            }
        }
        for (fault, witness) in part.faults {
            self.faults.entry(fault).or_insert(Some(witness));
        }
        self.notes.extend(part.notes);
        for (separated, witness) in part.stuck {
            if separated {
                self.faults.entry(Fault::Undefined("B12")).or_insert(Some(witness));
            } else {
                self.deadlocks = true;
                self.deadlock.get_or_insert(witness);
            }
        }
        for witness in part.ended {
            let asked = holds(&cx.test.asked, &witness.state);
            let outcome = self.outcomes.entry(text(cx.test, &witness.state)).or_default();
            outcome.count += 1;
            outcome.racy |= witness.state.racy;
            outcome.asked |= asked;
            if asked {
                self.asked.get_or_insert(witness);
            }
        }
    }

    /// The verdict; `None` if the exploration did not finish.
    pub fn verdict(&self) -> Option<Verdict> {
        let has = |undefined: bool| {
            self.faults.keys().any(|fault| matches!(fault, Fault::Undefined(_)) == undefined)
        };
        match self {
            _ if has(true) => Some(Verdict::Undefined),
            _ if self.deadlocks => Some(Verdict::Deadlock),
            _ if has(false) => Some(Verdict::Racy),
            _ if !self.finished => None,
            _ if self.outcomes.values().any(|outcome| outcome.asked) => Some(Verdict::Allowed),
            _ => Some(Verdict::Forbidden),
        }
    }

    /// Ids of rules and classes of what is wrong and what is told.
    pub fn ids(&self) -> BTreeSet<&'static str> {
        let mut ids = self.notes.clone();
        for fault in self.faults.keys() {
            match fault {
                Fault::Undefined(rule) => drop(ids.insert(rule)),
                Fault::Race(rule, class, ..) => ids.extend([*rule, *class]),
            }
        }
        ids.extend(self.deadlocks.then_some("B13"));
        ids
    }

    /// The witness of the verdict, and the events that it is about.
    pub fn witness(&self) -> Option<(&Witness, Vec<EventId>)> {
        let of = |undefined: bool| {
            let found = self
                .faults
                .iter()
                .filter(move |(fault, _)| matches!(fault, Fault::Undefined(_)) == undefined)
                .filter_map(|(fault, witness)| Some((fault, witness.as_ref()?)));
            found.min_by_key(|(_, witness)| witness.trace.steps().len())
        };
        let events = |fault: &Fault| match fault {
            Fault::Undefined(_) => Vec::new(),
            Fault::Race(_, _, first, second) => vec![*first, *second],
        };
        match self.verdict()? {
            Verdict::Undefined => of(true).map(|(fault, witness)| (witness, events(fault))),
            Verdict::Deadlock => self.deadlock.as_ref().map(|witness| (witness, Vec::new())),
            Verdict::Racy => of(false).map(|(fault, witness)| (witness, events(fault))),
            Verdict::Allowed => self.asked.as_ref().map(|witness| (witness, Vec::new())),
            Verdict::Forbidden => None,
        }
    }
}

/// Whether a proposition holds in a final state.
fn holds(proposition: &Proposition, state: &State) -> bool {
    let register = |thread: u8, register: Register| state.registers(thread.into())[usize::from(register)];
    proposition.holds(&register, &|location| state.value(location))
}

/// A final state as text: the registers that were written, and the locations that the proposition names.
fn text(test: &Test, state: &State) -> String {
    let mut parts = test.registers_in_words(|thread| state.registers(thread));
    for location in test.asked.locations() {
        parts.push(format!("{}={};", test.locations[usize::from(location)].name, state.value(location)));
    }
    parts.join(" ")
}
