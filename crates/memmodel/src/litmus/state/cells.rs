//! Barrier cells in LDS: arrivals, also those that wait for copies, and waits ([`cell`](crate::barrier::cell)).
//!
//! An arrival releases what its wave has done before, one behind copies these alone; a wait acquires what the arrivals of
//! the phases that are complete have released. A wave that is two phases behind takes the new phase for its own: P1.

use super::{Context, Next, Pick, State, Touches};
use crate::barrier::cell::Cell;
use crate::litmus::CellId;
use crate::litmus::event::{EventId, Set};

/// A cell, and what its arrivals have released.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CellState {
    cell: Cell,
    /// Phases that are complete.
    completed: u32,
    /// What happens before the completion of the current phase, and of those before.
    open: [Set; 2],
    published: [Set; 2],
}

impl CellState {
    /// A cell whose phases are complete with `count` arrivals; the reader has looked at that.
    pub fn new(count: u32) -> CellState {
        let cell = Cell::new(count).expect("the count of a cell is read");
        CellState { cell, completed: 0, open: Default::default(), published: Default::default() }
    }
}

impl State {
    /// An arrival at a cell that releases what happens before.
    pub(super) fn arrive(&mut self, cell: CellId, before: [Set; 2]) {
        let state = &mut self.cells[usize::from(cell)];
        state.open.iter_mut().zip(&before).for_each(|(open, before)| open.unite(before));
        let (after, completes) = state.cell.arrive(1);
        state.cell = after;
        if completes {
            state.completed += 1;
            let open = std::mem::take(&mut state.open);
            state.published.iter_mut().zip(&open).for_each(|(published, open)| published.unite(open));
        }
    }

    /// An arrival that waits for the copies that its wave has issued before.
    pub(super) fn arrive_behind_copies(
        &self,
        cx: &Context,
        thread: usize,
        number: usize,
        cell: CellId,
    ) -> Vec<Next> {
        let flights = &self.threads[thread].flights;
        let copies = || flights[..number].iter().filter(|flight| flight.instance.is_some());
        if copies().any(|copy| copy.done < copy.parts) {
            return Vec::new();
        }
        let mut before: [Set; 2] = Default::default();
        copies().for_each(|copy| self.join_flight(copy, &mut before));
        let event: EventId = flights[number].issue + 1;
        let mut next = self.clone();
        next.add(cx, event, before.clone());
        let behind = before.map(|before| before.with(event));
        next.arrive(cell, behind.clone());
        let own = &mut next.threads[thread].flights[number];
        (own.done, own.before) = (own.done + 1, behind);
        let mut step = self.gone(cx, thread, event, Pick::Only, next);
        step.choice.touches = Touches::Cell(cell);
        vec![step]
    }

    /// A wait for the phase of a cell that its thread is in.
    pub(super) fn wait_for_cell(
        &self,
        cx: &Context,
        thread: usize,
        event: EventId,
        cell: CellId,
    ) -> Vec<Next> {
        let (state, of) = (&self.threads[thread], &self.cells[usize::from(cell)]);
        let waited = state.phases[usize::from(cell)];
        if of.completed > waited + 1 {
            let mut step = self.undefined(cx, thread, event, "P1");
            step.choice.touches = Touches::Cell(cell);
            return vec![step];
        }
        if of.completed == waited {
            return Vec::new();
        }
        let mut before = state.before.clone();
        before.iter_mut().zip(&of.published).for_each(|(own, published)| own.unite(published));
        let mut next = self.clone();
        next.add(cx, event, before);
        next.threads[thread].phases[usize::from(cell)] += 1;
        next.advance(thread, event, state.at + 1);
        let mut step = self.gone(cx, thread, event, Pick::Only, next);
        step.choice.touches = Touches::Cell(cell);
        vec![step]
    }
}
