//! Barriers in LDS (CDNA5 manual 11.2.2): a 64-bit word of a pending count, a phase and an initial count, which
//! `ds_atomic_barrier_arrive_rtn_b64`, its asynchronous form and tensor operations count down.
//!
//! An arrive of v takes v from the pending count. Where that rolls under, the borrow goes into the phase, and the count
//! starts again. A thread waits by reading the word until the phase has changed. It sees the phase modulo a power of two:
//! "it is the shader program's responsibility to prevent the phases from drifting more than 1 apart", which is rule P1.

use std::collections::BTreeSet;

/// The width of the pending count that compilers assume; the hardware can be set to others.
pub const WIDTH: u32 = 29;

/// The word, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// Arrivals that are missing, less one.
    pub pending: u32,
    /// Counts down from 0.
    pub phase: u32,
    /// What the pending count starts from again.
    pub initial: u16,
}

impl Cell {
    /// A cell that is complete with `count` arrivals; `None` for 0, and more than the word holds.
    pub fn new(count: u32) -> Option<Cell> {
        let initial = u16::try_from(count.checked_sub(1)?).ok()?;
        Some(Cell { pending: initial.into(), phase: 0, initial })
    }

    /// The word in memory.
    pub fn word(self) -> u64 {
        let state = self.phase << WIDTH | self.pending;
        u64::from(self.initial) << 32 | u64::from(state)
    }

    /// Of a word in memory.
    pub fn of(word: u64) -> Cell {
        let state = word as u32;
        Cell { pending: state & ((1 << WIDTH) - 1), phase: state >> WIDTH, initial: (word >> 32) as u16 }
    }

    /// The cell after an arrive of `update`, and whether that completed its phase.
    pub fn arrive(self, update: u32) -> (Cell, bool) {
        match self.pending.checked_sub(update) {
            Some(pending) => (Cell { pending, ..self }, false),
            None => {
                let phase = self.phase.wrapping_sub(1) & ((1 << (32 - WIDTH)) - 1);
                (Cell { pending: self.initial.into(), phase, ..self }, true)
            }
        }
    }
}

/// What a thread does with a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Arrives once.
    Arrive,
    /// Reads until the parity of the phase is another than that of the phase that the thread is in.
    Wait,
}

/// What threads on a cell show over all interleavings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// A wait may never end (B13).
    pub deadlock: bool,
    /// Threads (by number) that may be two phases behind at a wait: they take the new phase for their own (P1).
    pub drifting: BTreeSet<u8>,
}

/// All interleavings of threads on a cell with this count.
pub fn run(count: u32, threads: &[Vec<Operation>]) -> Option<Outcomes> {
    let mut outcomes = Outcomes::default();
    // The cell, how many phases completed in all, and of each thread: how many operations it did, and how many phases it
    // has waited for.
    let start = (Cell::new(count)?, 0u32, vec![(0usize, 0u32); threads.len()]);
    let mut seen = std::collections::HashSet::from([start.clone()]);
    let mut waiting = vec![start];
    while let Some((cell, completed, progress)) = waiting.pop() {
        let (mut moved, mut ended) = (false, true);
        for (thread, own) in threads.iter().enumerate() {
            let (done, waited) = progress[thread];
            let Some(operation) = own.get(done) else { continue };
            ended = false;
            let mut next = (cell, completed, progress.clone());
            match operation {
                Operation::Arrive => {
                    let (after, completes) = cell.arrive(1);
                    next.0 = after;
                    next.1 += u32::from(completes);
                    next.2[thread].0 += 1;
                }
                Operation::Wait => {
                    if completed > waited + 1 {
                        outcomes.drifting.insert(thread as u8);
                    }
                    if (completed ^ waited) & 1 == 0 {
                        continue;
                    }
                    next.2[thread] = (done + 1, waited + 1);
                }
            }
            moved = true;
            if seen.insert(next.clone()) {
                waiting.push(next);
            }
        }
        outcomes.deadlock |= !moved && !ended;
    }
    Some(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_counts_down() {
        let cell = Cell::new(2).unwrap();
        assert_eq!(cell.word(), 1 << 32 | 1);
        let (cell, completes) = cell.arrive(1);
        assert_eq!((cell.word(), completes), (1 << 32, false));
        let (cell, completes) = cell.arrive(1);
        assert_eq!((cell.word(), completes), (1 << 32 | 7 << WIDTH | 1, true));
        assert_eq!(Cell::of(cell.word()), cell);
        assert_eq!(Cell::new(0), None);
    }

    #[test]
    fn phases_that_drift() {
        use Operation::{Arrive, Wait};
        let both = vec![Arrive, Wait, Arrive, Wait];
        assert_eq!(run(2, &[both.clone(), both]), Some(Outcomes::default()));
        // A producer that does not wait for its consumers is two phases ahead of one that sleeps: to it nothing has changed.
        let outcomes = run(1, &[vec![Arrive, Arrive], vec![Wait]]).unwrap();
        assert_eq!(outcomes, Outcomes { deadlock: true, drifting: BTreeSet::from([1]) });
        assert!(run(2, &[vec![Arrive, Wait], vec![Wait]]).unwrap().deadlock);
    }
}
