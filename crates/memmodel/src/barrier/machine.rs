//! A machine that executes barrier operations one after the other, with the same executions as the axioms.
//!
//! Each thread has a clock: of each thread, how many operations are known to be *barrier-executes-before*. An arrival keeps
//! the clock of its thread; a wait joins those of the phase that it binds to. A wait may bind to any phase that completed
//! after the one of the thread's last wait, so that a thread that never arrives has a choice.
//!
//! Two rules look ahead: that a drop does not race (B7) and that phases are separate (B12) may be broken by a wait that
//! comes later. They are kept as obligations: phases that must not be waited for from then on.

use std::collections::BTreeSet;

use super::{Event, Execution, Kind, ObjectId, Operation, Program, Reading, Rule};

/// Of each thread, how many operations are known.
type Clock = Vec<u8>;

fn knows(clock: &Clock, event: Event) -> bool {
    clock[usize::from(event.thread)] > event.index
}

fn join(clock: &mut Clock, other: &Clock) {
    for (own, theirs) in clock.iter_mut().zip(other) {
        *own = (*own).max(*theirs);
    }
}

/// The machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    objects: Vec<ObjectState>,
    threads: Vec<ThreadState>,
    /// Phases of objects that must not be waited for, by the rule that would be broken.
    obligations: BTreeSet<(Rule, ObjectId, usize)>,
    reading: Reading,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ObjectState {
    kind: Kind,
    expected: Option<u32>,
    arrived: u32,
    order: Vec<Event>,
    /// The operations of the phase that has not completed.
    open: Vec<Event>,
    phases: Vec<Phase>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Phase {
    members: Vec<Event>,
    waits: Vec<Event>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ThreadState {
    workgroup: u8,
    /// What it did, and its clock behind each.
    done: Vec<(Operation, Clock)>,
    joined: Option<(ObjectId, Event)>,
}

/// What a step of a thread may be.
#[derive(Clone, Debug)]
pub enum Step {
    /// The machine goes on.
    Goes(Box<Machine>, Seen),
    /// The program is undefined here.
    Undefined(Rule),
}

/// What the thread sees of its step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seen {
    /// It was the first to arrive in its phase (`s_barrier_signal_isfirst`).
    pub first: bool,
    /// The phase that the wait is bound to.
    pub phase: Option<usize>,
    /// How many phases it could have been bound to. With more than one, a completion was not waited for in time: the
    /// hardware has one bit for it.
    pub choices: usize,
}

impl Machine {
    /// A machine for objects, and threads of these workgroups.
    pub fn new(
        objects: &[super::Object],
        workgroups: impl IntoIterator<Item = u8>,
        reading: Reading,
    ) -> Machine {
        let object = |object: &super::Object| ObjectState {
            kind: object.kind,
            expected: object.expected,
            arrived: 0,
            order: Vec::new(),
            open: Vec::new(),
            phases: Vec::new(),
        };
        let thread = |workgroup| ThreadState { workgroup, done: Vec::new(), joined: None };
        Machine {
            objects: objects.iter().map(object).collect(),
            threads: workgroups.into_iter().map(thread).collect(),
            obligations: BTreeSet::new(),
            reading,
        }
    }

    /// The steps that `thread` can take with `operation`; none if it has to wait, or if all phases that it could be bound to
    /// are of the past ([`is_separated`](Self::is_separated)).
    pub fn step(&self, thread: u8, operation: Operation) -> Vec<Step> {
        let object = &self.objects[usize::from(operation.object())];
        let undefined = |rule| vec![Step::Undefined(rule)];
        if object.kind == Kind::Trap {
            return undefined(Rule::B16);
        }
        if object.kind == Kind::Null && !matches!(operation, Operation::Join(_)) {
            return vec![self.goes(thread, operation, Seen::default(), |_, _| {})];
        }
        match operation {
            Operation::Join(_) if !object.kind.is_joined() => undefined(Rule::B8),
            Operation::Join(id) => vec![self.goes(thread, operation, Seen::default(), |machine, event| {
                machine.threads[usize::from(thread)].joined = Some((id, event));
            })],
            Operation::Init(_, 0) => undefined(Rule::B2),
            Operation::Init(id, count) => {
                vec![self.goes(thread, operation, Seen::default(), |machine, event| {
                    let object = &mut machine.objects[usize::from(id)];
                    (object.expected, object.arrived) = (Some(count), 0);
                    object.order.push(event);
                    object.open.clear();
                })]
            }
            Operation::Arrive(id, count) => match self.arrive(thread, id, count) {
                Ok(step) => vec![step],
                Err(rule) => undefined(rule),
            },
            Operation::Drop(id) => match self.drop(thread, id) {
                Ok(step) => vec![step],
                Err(rule) => undefined(rule),
            },
            Operation::Wait(id) => self.wait(thread, id),
        }
    }

    /// Whether `thread`'s wait is blocked although phases have completed that it has not waited for: only by the rule that
    /// phases are separate (B12).
    pub fn is_separated(&self, thread: u8, operation: Operation) -> bool {
        let Operation::Wait(id) = operation else { return false };
        self.first_phase(thread, id) < self.objects[usize::from(id)].phases.len()
    }

    /// The object that a wait of `thread` would be for: for a named operand, the joined one.
    pub fn waited(&self, thread: u8, operand: ObjectId) -> ObjectId {
        let joined = self.threads[usize::from(thread)].joined.map(|(object, _)| object);
        match self.objects[usize::from(operand)].kind {
            Kind::Named => {
                joined.filter(|&id| self.objects[usize::from(id)].kind == Kind::Named).unwrap_or(operand)
            }
            _ => operand,
        }
    }

    /// The object that `thread` has joined.
    pub fn joined(&self, thread: u8) -> Option<ObjectId> {
        self.threads[usize::from(thread)].joined.map(|(object, _)| object)
    }

    /// Whether an event of `thread` with this index is known to be before what `other` does next.
    pub fn is_ordered(&self, thread: u8, index: u8, other: u8) -> bool {
        let event = Event { thread, index };
        self.threads[usize::from(other)].done.last().is_some_and(|(_, clock)| knows(clock, event))
    }

    /// How many operations `thread` did.
    pub fn done(&self, thread: u8) -> u8 {
        self.threads[usize::from(thread)].done.len() as u8
    }

    /// The arrival of `thread` at `object` that it has not waited for since.
    pub fn unwaited(&self, thread: u8, object: ObjectId) -> Option<Event> {
        let done = &self.threads[usize::from(thread)].done;
        let index = done.iter().rposition(|(done, _)| {
            matches!(done, Operation::Arrive(..) | Operation::Wait(_)) && done.object() == object
        })?;
        let arrives = matches!(done[index].0, Operation::Arrive(..));
        arrives.then_some(Event { thread, index: index as u8 })
    }

    /// The machine, less the orders in which things happened that no later step depends on: two that came to the same by
    /// other interleavings are equal. What [`execution`](Self::execution) says of it is lost.
    pub fn without_orders(mut self) -> Machine {
        for object in &mut self.objects {
            object.order.clear();
            object.open.sort_unstable();
            for phase in &mut object.phases {
                phase.members.sort_unstable();
                phase.waits.sort_unstable();
            }
        }
        self
    }

    /// What has been executed.
    pub fn execution(&self) -> Execution {
        let mut execution = Execution::default();
        for object in &self.objects {
            execution.orders.push(object.order.clone());
            for phase in &object.phases {
                let members: BTreeSet<Event> = phase.members.iter().copied().collect();
                execution.participants.extend(phase.waits.iter().map(|&wait| (wait, members.clone())));
            }
        }
        execution
    }

    /// What every wait has waited for: the members of the phase that the last operation of `thread` was bound to.
    pub fn waited_for(&self, wait: Event) -> &[Event] {
        let phases = self.objects.iter().flat_map(|object| &object.phases);
        phases.into_iter().find(|phase| phase.waits.contains(&wait)).map_or(&[], |phase| &phase.members)
    }

    fn goes(
        &self,
        thread: u8,
        operation: Operation,
        seen: Seen,
        change: impl FnOnce(&mut Machine, Event),
    ) -> Step {
        let mut machine = self.clone();
        let mut clock = self.clock(thread);
        let event = Event { thread, index: self.done(thread) };
        clock[usize::from(thread)] += 1;
        machine.threads[usize::from(thread)].done.push((operation, clock));
        change(&mut machine, event);
        Step::Goes(Box::new(machine), seen)
    }

    fn clock(&self, thread: u8) -> Clock {
        let last = self.threads[usize::from(thread)].done.last();
        last.map_or_else(|| vec![0; self.threads.len()], |(_, clock)| clock.clone())
    }

    fn clock_of(&self, event: Event) -> &Clock {
        &self.threads[usize::from(event.thread)].done[usize::from(event.index)].1
    }

    fn arrive(&self, thread: u8, id: ObjectId, count: Option<u32>) -> Result<Step, Rule> {
        let object = &self.objects[usize::from(id)];
        let mut expected = object.expected.ok_or(Rule::B1)?;
        if let Some(count) = count {
            if count < object.arrived || count == object.arrived && !self.reading.count_may_equal {
                return Err(Rule::B4);
            }
            expected = count;
        }
        let workgroup = |event: &Event| self.threads[usize::from(event.thread)].workgroup;
        let own = self.threads[usize::from(thread)].workgroup;
        if object.kind == Kind::Cluster && object.open.iter().any(|event| workgroup(event) == own) {
            return Err(Rule::B14);
        }
        let seen = Seen { first: object.arrived == 0, ..Seen::default() };
        Ok(self.goes(thread, Operation::Arrive(id, count), seen, |machine, event| {
            machine.objects[usize::from(id)].modify(event, expected, 1);
        }))
    }

    fn drop(&self, thread: u8, id: ObjectId) -> Result<Step, Rule> {
        let object = &self.objects[usize::from(id)];
        let expected = object.expected.ok_or(Rule::B1)?;
        let own = &self.threads[usize::from(thread)];
        if object.kind == Kind::Named && own.joined.is_none_or(|(joined, _)| joined != id) {
            return Err(Rule::B9);
        }
        let left = expected.checked_sub(1).ok_or(Rule::B3)?;
        let clock = self.clock(thread);
        let mut obligations = Vec::new();
        for (index, _) in (0..)
            .zip(&own.done)
            .filter(|(_, (done, _))| matches!(done, Operation::Arrive(to, _) if *to == id))
        {
            let arrive = Event { thread, index };
            let phase = object.phases.iter().position(|phase| phase.members.contains(&arrive));
            let waits = phase.map_or(&[][..], |phase| &object.phases[phase].waits);
            if !waits.iter().any(|&wait| knows(&clock, wait)) {
                if !waits.is_empty() {
                    return Err(Rule::B7);
                }
                obligations.push((Rule::B7, id, phase.unwrap_or(object.phases.len())));
            }
        }
        Ok(self.goes(thread, Operation::Drop(id), Seen::default(), |machine, event| {
            machine.obligations.extend(obligations);
            let object = &mut machine.objects[usize::from(id)];
            if object.kind == Kind::Named {
                machine.threads[usize::from(thread)].joined = None;
            }
            object.modify(event, left, 0);
        }))
    }

    /// The first phase that `thread` has not waited for, nor for one behind it.
    fn first_phase(&self, thread: u8, id: ObjectId) -> usize {
        let phases = &self.objects[usize::from(id)].phases;
        let own = |phase: &Phase| phase.waits.iter().any(|wait| wait.thread == thread);
        phases.iter().rposition(own).map_or(0, |last| last + 1)
    }

    fn wait(&self, thread: u8, operand: ObjectId) -> Vec<Step> {
        let id = self.waited(thread, operand);
        let object = &self.objects[usize::from(id)];
        let joined = self.threads[usize::from(thread)].joined;
        let named = object.kind == Kind::Named;
        if named && joined.is_none_or(|(joined, _)| joined != id) {
            return vec![Step::Undefined(Rule::B10)];
        }
        let first = self.first_phase(thread, id);
        let choices = object.phases.len() - first;
        let mut steps = Vec::new();
        for number in first..object.phases.len() {
            if self.obligations.contains(&(Rule::B7, id, number)) {
                steps.push(Step::Undefined(Rule::B7));
                continue;
            }
            let members = &object.phases[number].members;
            let join_is_known =
                |(_, join): (ObjectId, Event)| members.iter().any(|&one| knows(self.clock_of(one), join));
            if named && !joined.is_some_and(join_is_known) {
                steps.push(Step::Undefined(Rule::B11));
                continue;
            }
            let mut clock = self.clock(thread);
            clock[usize::from(thread)] += 1;
            members.iter().for_each(|&one| join(&mut clock, self.clock_of(one)));
            let Some(obligations) = self.separates(thread, id, number, &clock) else { continue };
            let seen = Seen { first: false, phase: Some(number), choices };
            steps.push(self.goes(thread, Operation::Wait(id), seen, |machine, event| {
                machine.obligations.extend(obligations);
                machine.threads[usize::from(thread)].done.last_mut().expect("just done").1 = clock;
                machine.objects[usize::from(id)].phases[number].waits.push(event);
            }));
        }
        steps
    }

    /// What a wait of `thread` for phase `number`, behind which `clock` is known, forbids later waits; `None` if phases
    /// were not separate.
    fn separates(
        &self,
        thread: u8,
        id: ObjectId,
        number: usize,
        clock: &Clock,
    ) -> Option<Vec<(Rule, ObjectId, usize)>> {
        if self.obligations.contains(&(Rule::B12, id, number)) {
            return None;
        }
        let object = &self.objects[usize::from(id)];
        let members = &object.phases[number].members;
        let own = Event { thread, index: self.done(thread) };
        // Whether a member executes before the event, and the event before this wait.
        let is_between = |event: Event| {
            let theirs = self.clock_of(event);
            event != own
                && knows(clock, event)
                && members.iter().any(|&one| one != event && knows(theirs, one))
        };
        let mut obligations = Vec::new();
        for (other, phase) in object.phases.iter().enumerate().filter(|(other, _)| *other != number) {
            if phase.waits.iter().any(|&wait| is_between(wait)) {
                return None;
            }
            if phase.members.iter().any(|&member| is_between(member)) {
                if !phase.waits.is_empty() {
                    return None;
                }
                obligations.push((Rule::B12, id, other));
            }
        }
        if object.open.iter().any(|&member| is_between(member)) {
            obligations.push((Rule::B12, id, object.phases.len()));
        }
        Some(obligations)
    }
}

impl ObjectState {
    fn modify(&mut self, event: Event, expected: u32, arrivals: u32) {
        self.expected = Some(expected);
        self.arrived += arrivals;
        self.order.push(event);
        self.open.push(event);
        if self.arrived == expected && self.arrived > 0 {
            self.arrived = 0;
            let members = std::mem::take(&mut self.open);
            self.phases.push(Phase { members, waits: Vec::new() });
        }
    }
}

/// What all interleavings of a program show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// The executions that came to the end of all threads.
    pub executions: BTreeSet<Execution>,
    /// The rules that were broken.
    pub undefined: BTreeSet<Rule>,
    /// Some interleaving cannot go on (B13).
    pub deadlock: bool,
}

impl Outcomes {
    /// Whether nothing was undefined and nothing stuck.
    pub fn is_clean(&self) -> bool {
        self.undefined.is_empty() && !self.deadlock
    }
}

/// All interleavings of a program.
pub fn run(program: &Program, reading: Reading) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let mut seen = std::collections::HashSet::new();
    let workgroups = program.threads.iter().map(|thread| thread.workgroup);
    let mut waiting = vec![Machine::new(&program.objects, workgroups, reading)];
    while let Some(machine) = waiting.pop() {
        let next = |thread: u8| {
            let own = &program.threads[usize::from(thread)].operations;
            own.get(usize::from(machine.done(thread))).map(|&operation| (thread, operation))
        };
        let ready: Vec<_> = (0..program.threads.len() as u8).filter_map(next).collect();
        if ready.is_empty() {
            outcomes.executions.insert(machine.execution());
            continue;
        }
        let (mut moved, mut separated) = (false, false);
        for (thread, operation) in ready {
            let steps = machine.step(thread, operation);
            moved |= !steps.is_empty();
            separated |= steps.is_empty() && machine.is_separated(thread, operation);
            for step in steps {
                match step {
                    Step::Undefined(rule) => drop(outcomes.undefined.insert(rule)),
                    Step::Goes(next, _) if seen.contains(&*next) => {}
                    Step::Goes(next, _) => {
                        seen.insert((*next).clone());
                        waiting.push(*next);
                    }
                }
            }
        }
        if !moved {
            match separated {
                true => drop(outcomes.undefined.insert(Rule::B12)),
                false => outcomes.deadlock = true,
            }
        }
    }
    outcomes
}
