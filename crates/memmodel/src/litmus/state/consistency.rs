//! Races, and the order of sequentially consistent operations.

use super::{Context, Fault, State};
use crate::litmus::event::{Does, Event, EventId, Set, index};
use crate::litmus::{Class, Level, Ordering};

impl State {
    /// The races of an event with those that are there.
    pub(super) fn races(&self, cx: &Context, event: EventId) -> Vec<Fault> {
        let of = cx.event(event);
        let space = index(cx.test.locations[usize::from(of.location.expect("an access"))].space);
        let before = &self.before[usize::from(event)][space];
        let unordered = self.executed.members().filter(|&other| other != event && !before.has(other));
        let racing = unordered.filter(|&other| {
            let with = cx.event(other);
            of.conflicts(with) && !of.synchronize(with)
        });
        racing.map(|other| self.race(cx, other, event, before)).collect()
    }

    pub(super) fn race(&self, cx: &Context, first: EventId, second: EventId, before: &Set) -> Fault {
        let (a, b) = (cx.event(first), cx.event(second));
        let issue = |of: &Event| cx.events.first[usize::from(of.thread.expect("a thread's"))][of.instruction];
        let issued =
            a.in_flight.is_some() && before.has(issue(a)) || b.in_flight.is_some() && a.thread == b.thread;
        let earlier = if a.instruction < b.instruction { a } else { b };
        let (rule, class) = if a.is_atomic() && b.is_atomic() {
            ("M2", "missing-scope")
        } else if a.thread == b.thread {
            (if earlier.in_flight == Some(Class::Lds) { "R5" } else { "R4" }, "missing-wait")
        } else if issued {
            ("S1", "missing-wait")
        } else if cx.test.level == Level::Ir && self.is_behind_barrier(first, a, b) {
            ("M4", "missing-sync")
        } else {
            ("M1", "missing-sync")
        };
        Fault::Race(rule, class, first, second)
    }

    /// Whether a barrier orders the execution of `a`'s thread behind `first` before that of `b`'s.
    pub(super) fn is_behind_barrier(&self, first: EventId, a: &Event, b: &Event) -> bool {
        let (Some(theirs), Some(own)) = (a.thread, b.thread) else { return false };
        let arrivals = (0..).zip(&self.threads[usize::from(theirs)].barriers);
        arrivals.into_iter().any(|(at, &event)| event > first && self.barriers.is_ordered(theirs, at, own))
    }

    /// Whether sequentially consistent operations whose scopes include each other can be put in one order.
    pub(super) fn is_sequential(&self, cx: &Context) -> bool {
        if !cx.has_sequential {
            return true;
        }
        let sequential =
            |&event: &EventId| cx.event(event).semantics.ordering == Ordering::SequentiallyConsistent;
        let all: Vec<EventId> = self.executed.members().filter(sequential).collect();
        let mut after: Vec<Set> = all
            .iter()
            .map(|&a| {
                let edge = |&b: &EventId| a != b && self.sequential_edge(cx, a, b);
                all.iter().copied().filter(edge).collect()
            })
            .collect();
        // Transitive closure over the few of them.
        for (middle, &event) in all.iter().enumerate() {
            for from in 0..all.len() {
                if after[from].has(event) {
                    let theirs = after[middle].clone();
                    after[from].unite(&theirs);
                }
            }
        }
        all.iter().zip(&after).all(|(&event, after)| !after.has(event))
    }

    pub(super) fn sequential_edge(&self, cx: &Context, a: EventId, b: EventId) -> bool {
        let (first, second) = (cx.event(a), cx.event(b));
        if !first.inclusive(second) {
            return false;
        }
        if self.before[usize::from(b)].iter().any(|happens| happens.has(a)) {
            return true;
        }
        // A fence stands for what its thread does behind it, or before it.
        let around = |event: EventId, behind: bool| -> Vec<EventId> {
            let of = cx.event(event);
            if of.does != Does::Fence {
                return vec![event];
            }
            let own = |&other: &EventId| {
                let with = cx.event(other);
                with.thread == of.thread
                    && with.in_flight.is_none()
                    && (other > event) == behind
                    && other != event
            };
            self.executed.members().filter(own).collect()
        };
        let seconds = around(b, false);
        around(a, true).iter().any(|&x| seconds.iter().any(|&y| self.is_coherence_before(cx, x, y)))
    }

    /// Whether one access comes before another of the same location: in the order of writes, with reads behind what they
    /// read.
    pub(super) fn is_coherence_before(&self, cx: &Context, a: EventId, b: EventId) -> bool {
        let (first, second) = (cx.event(a), cx.event(b));
        let Some(location) = first.location.filter(|_| first.location == second.location) else {
            return false;
        };
        let rank = |event: EventId, of: &Event| match of.writes() {
            true => 2 * self.place(usize::from(location), event),
            false => {
                let from = self.from[usize::from(event)].expect("an executed read reads");
                2 * self.place(usize::from(location), from) + 1
            }
        };
        a != b && rank(a, first) < rank(b, second)
    }
}
