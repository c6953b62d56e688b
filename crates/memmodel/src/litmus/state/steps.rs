//! The steps of a thread's next instruction.

use super::{Choice, Context, Flight, Next, Pick, State, Touches};
use crate::barrier;
use crate::barrier::machine;
use crate::litmus::event::EventId;
use crate::litmus::{CellOperation, Class, Condition, Instruction, Level, Register, Update, Value};

impl State {
    pub(super) fn choice(&self, cx: &Context, thread: usize, event: EventId, pick: Pick) -> Choice {
        let of = cx.event(event);
        let touches = of.location.map_or(Touches::Nothing, |at| Touches::Location(at, of.writes()));
        Choice { thread: thread as u8, event, pick, touches }
    }

    /// The steps of a thread's next instruction.
    pub(super) fn own(&self, cx: &Context, thread: usize, instruction: &Instruction) -> Vec<Next> {
        let state = &self.threads[thread];
        let event = cx.events.first[thread][state.at];
        let simple = |change: &dyn Fn(&mut State)| {
            let mut next = self.clone();
            next.add(cx, event, state.before.clone());
            next.advance(thread, event, state.at + 1);
            change(&mut next);
            vec![self.gone(cx, thread, event, Pick::Only, next)]
        };
        match *instruction {
            Instruction::Load(register, location, _) => {
                let from = self.order[usize::from(location)].iter();
                let reads = from.filter_map(|&from| self.read(cx, event, from, state.before.clone()));
                let stored = reads.map(|(mut next, value, from, faults)| {
                    next.threads[thread].registers[usize::from(register)] = Some(value);
                    next.advance(thread, event, state.at + 1);
                    let mut step = self.gone(cx, thread, event, Pick::From(from), next);
                    step.faults = faults;
                    step
                });
                stored.collect()
            }
            Instruction::Store(location, value, _) => match self.operand(thread, value) {
                Err(rule) => vec![self.undefined(cx, thread, event, rule)],
                Ok(value) => {
                    let after = self.order[usize::from(location)].iter();
                    let writes =
                        after.filter_map(|&after| self.write(cx, event, after, value, state.before.clone()));
                    let stored = writes.map(|(mut next, after, faults)| {
                        next.advance(thread, event, state.at + 1);
                        let mut step = self.gone(cx, thread, event, Pick::After(after), next);
                        step.faults = faults;
                        step
                    });
                    stored.collect()
                }
            },
            Instruction::Update(register, location, update, value, _) => match self.operand(thread, value) {
                Err(rule) => vec![self.undefined(cx, thread, event, rule)],
                Ok(operand) => {
                    let from = self.order[usize::from(location)].iter();
                    let updates = from.filter_map(|&from| {
                        let (read, old, ..) = self.read(cx, event, from, state.before.clone())?;
                        let new = match update {
                            Update::Add => old.wrapping_add(operand),
                            Update::Exchange => operand,
                        };
                        let before = read.before[usize::from(event)].clone();
                        let (mut next, _, faults) = read.write(cx, event, from, new, before)?;
                        next.threads[thread].registers[usize::from(register)] = Some(old);
                        next.advance(thread, event, state.at + 1);
                        let mut step = self.gone(cx, thread, event, Pick::From(from), next);
                        step.faults = faults;
                        Some(step)
                    });
                    updates.collect()
                }
            },
            Instruction::Fence(_) => {
                let mut before = state.before.clone();
                self.acquire_by_fence(cx, thread, event, &mut before);
                let mut next = self.clone();
                next.add(cx, event, before);
                next.advance(thread, event, state.at + 1);
                let possible = next.is_sequential(cx);
                possible.then(|| self.gone(cx, thread, event, Pick::Only, next)).into_iter().collect()
            }
            Instruction::LoadInFlight(class, register, _) => simple(&|next| {
                next.threads[thread].registers[usize::from(register)] = None;
                next.issue(cx, thread, class, event, 1, Some(register));
            }),
            Instruction::StoreInFlight(class, _, value) => match self.operand(thread, value) {
                Err(rule) => vec![self.undefined(cx, thread, event, rule)],
                Ok(value) => simple(&|next| {
                    // The data are those of the issue.
                    next.values[usize::from(event)] = value;
                    next.issue(cx, thread, class, event, 1, None);
                }),
            },
            Instruction::Copy(class, ..) => simple(&|next| next.issue(cx, thread, class, event, 2, None)),
            Instruction::Mark(stages) => simple(&|next| next.threads[thread].marks.mark(stages)),
            Instruction::Call => simple(&|next| next.threads[thread].marks.call()),
            Instruction::Return => simple(&|next| next.threads[thread].marks.ret()),
            Instruction::WaitMark(n, stages) => {
                let mut marks = state.marks.clone();
                marks.wait(n, stages);
                let done = |flight: &Flight| flight.instance.is_some_and(|instance| marks.is_done(instance));
                self.wait(cx, thread, event, done, |next| next.threads[thread].marks = marks.clone())
            }
            Instruction::WaitCounter(counter, n) => {
                let retired = self.retired(cx, thread, Some(counter), n);
                self.wait(cx, thread, event, |flight| retired.contains(&flight.issue), |_| {})
            }
            Instruction::WaitIdle => self.wait(cx, thread, event, |_| true, |_| {}),
            Instruction::Barrier(operation, register) => self.barrier(cx, thread, event, operation, register),
            Instruction::Leave => match self.barriers.joined(thread as u8) {
                None => vec![self.undefined(cx, thread, event, "B9")],
                Some(object) => self.barrier(cx, thread, event, barrier::Operation::Drop(object), None),
            },
            Instruction::Cell(cell, CellOperation::Arrive) => {
                let mut next = self.clone();
                next.add(cx, event, state.before.clone());
                next.arrive(cell, state.before.clone().map(|before| before.with(event)));
                next.advance(thread, event, state.at + 1);
                let mut step = self.gone(cx, thread, event, Pick::Only, next);
                step.choice.touches = Touches::Cell(cell);
                vec![step]
            }
            Instruction::Cell(_, CellOperation::ArriveBehindCopies) => {
                simple(&|next| next.issue(cx, thread, Class::AsyncLoad, event, 1, None))
            }
            Instruction::Cell(cell, CellOperation::Wait) => self.wait_for_cell(cx, thread, event, cell),
            Instruction::Jump(to, condition) => {
                let go = |taken: bool| {
                    let mut next = self.clone();
                    next.add(cx, event, state.before.clone());
                    next.advance(thread, event, if taken { to } else { state.at + 1 });
                    self.gone(cx, thread, event, Pick::Taken(taken), next)
                };
                let is = |register: Register| self.operand(thread, Value::Register(register));
                match condition {
                    Condition::Always => vec![go(true)],
                    Condition::Maybe => vec![go(false), go(true)],
                    Condition::Equal(register, value) | Condition::NotEqual(register, value) => {
                        let equal = matches!(condition, Condition::Equal(..));
                        match is(register) {
                            Ok(held) => vec![go((held == value) == equal)],
                            Err(rule) => vec![self.undefined(cx, thread, event, rule)],
                        }
                    }
                }
            }
        }
    }

    pub(super) fn barrier(
        &self,
        cx: &Context,
        thread: usize,
        event: EventId,
        operation: barrier::Operation,
        register: Option<Register>,
    ) -> Vec<Next> {
        let state = &self.threads[thread];
        let waited = match operation {
            barrier::Operation::Wait(object) => self.barriers.waited(thread as u8, object),
            other => other.object(),
        };
        let steps = self.barriers.step(thread as u8, operation).into_iter().map(|step| {
            let (machine, seen) = match step {
                machine::Step::Undefined(rule) => {
                    return self.undefined(cx, thread, event, rule.id());
                }
                machine::Step::Goes(machine, seen) => (*machine, seen),
            };
            let mut next = self.clone();
            let mut before = state.before.clone();
            next.barriers = machine;
            if cx.test.level == Level::Machine {
                // What executes before has been waited for by its wave, and is seen.
                for other in (0..self.threads.len()).filter(|&other| other != thread) {
                    for (at, &theirs) in (0..).zip(&self.threads[other].barriers) {
                        if next.barriers.is_ordered(other as u8, at, thread as u8) {
                            let theirs = &self.before[usize::from(theirs)];
                            before.iter_mut().zip(theirs).for_each(|(own, theirs)| own.unite(theirs));
                        }
                    }
                }
            }
            next.add(cx, event, before);
            next.threads[thread].barriers.push(event);
            if let Some(register) = register {
                next.threads[thread].registers[usize::from(register)] = Some(seen.first.into());
            }
            next.advance(thread, event, state.at + 1);
            let pick = seen.phase.map_or(Pick::Only, Pick::Phase);
            let mut step = self.gone(cx, thread, event, pick, next);
            step.choice.touches = Touches::Barrier(waited);
            step.notes.extend((seen.choices > 1).then_some("H2"));
            step.notes.extend((waited != operation.object()).then_some("L1"));
            step
        });
        steps.collect()
    }
}
