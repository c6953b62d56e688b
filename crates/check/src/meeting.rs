//! One access meets what shadow memory remembers: which earlier accesses it conflicts with, which copies it relies on,
//! and whether it reads what nobody wrote.

use std::cell;

use wavemark_order::Epoch;
use wavemark_sim::events::{Access, Direction, Space};

use crate::shadow::{Cell, Piece, Record};

/// A pair of accesses that conflict.
pub(crate) struct Conflict {
    /// The earlier one.
    pub earlier: Record,
    /// The lane of the later one.
    pub lane: u32,
    /// Where they meet: the number of the dword.
    pub dword: u64,
    /// The earlier one writes.
    pub write_first: bool,
}

/// An access, and what comes of its meeting others.
pub(crate) struct Meeting<'a, F> {
    access: &'a Access,
    /// The access as it will be remembered, but for bytes and value.
    common: Record,
    /// Whether an earlier operation is ordered before this one. Neighbouring dwords were mostly touched by the same
    /// operations, hence the last answers are kept: about writes and about reads.
    written: Memo<F>,
    read: Memo<F>,
    /// Conflicts, a few.
    pub conflicts: Vec<Conflict>,
    /// Address and lane of the first LDS dword that is read but was never written.
    pub undefined: Option<(u64, u32)>,
    /// Copies that a wait made safe before this access.
    pub copies: Vec<Epoch>,
}

impl<'a, F: Fn(Epoch) -> bool + Copy> Meeting<'a, F> {
    /// `ordered`: whether the operation of that epoch is ordered before this one.
    pub fn new(access: &'a Access, common: Record, ordered: F) -> Self {
        Meeting {
            access,
            common,
            written: Memo::new(ordered),
            read: Memo::new(ordered),
            conflicts: Vec::new(),
            undefined: None,
            copies: Vec::new(),
        }
    }

    /// Meet what `cell` remembers of dword `n` of a piece, or of all from `n` on, and be remembered there. `value` is
    /// what is written, if that is known; `odd` is the first of these dwords where a write differs from an earlier one
    /// to the same bytes, if any.
    #[inline]
    pub fn touch(
        &mut self,
        piece: &Piece,
        cell: &mut Cell,
        n: u32,
        value: Option<u32>,
        odd: impl Fn(&Record) -> Option<u32>,
    ) {
        let (direction, bytes) = (self.access.direction, piece.bytes);
        if direction == Direction::Atomic {
            cell.synchronises = true;
        }
        let polls = cell.synchronises && direction == Direction::Read;
        for old in &cell.writes {
            self.meet(piece, n, old, true, polls, &odd);
        }
        if direction != Direction::Read {
            for old in &cell.reads {
                self.meet(piece, n, old, false, polls, &odd);
            }
        }
        if direction != Direction::Write
            && self.access.space == Space::Lds
            && bytes & !cell.defined != 0
            && self.undefined.is_none()
        {
            self.undefined = Some(((piece.number + u64::from(n)) * 4, piece.place(n).0));
        }
        match direction {
            Direction::Read => cell.read(&self.common, bytes, |old| self.read.ask(old.epoch)),
            Direction::Atomic | Direction::Write => cell.write(&self.common, bytes, value),
        }
    }

    #[inline]
    fn meet(
        &mut self,
        piece: &Piece,
        n: u32,
        old: &Record,
        write_first: bool,
        polls: bool,
        odd: &impl Fn(&Record) -> Option<u32>,
    ) {
        let lds = self.access.space == Space::Lds;
        // A poll does not race with the atomic that it waits for, whichever comes first.
        let polled = !write_first && lds && self.access.direction == Direction::Atomic;
        if old.bytes & piece.bytes == 0 || (old.atomic && (self.common.atomic || polls)) || polled {
            return;
        }
        let memo = if write_first { &self.written } else { &self.read };
        if memo.ask(old.epoch) {
            // A copy that a wait made safe: that wait was needed.
            if old.dma && lds && self.copies.last() != Some(&old.epoch) {
                self.copies.push(old.epoch);
            }
            return;
        }
        let mut at = n;
        // Writing what another wave writes there too is a habit of compilers, and harmless.
        if write_first && old.bytes == piece.bytes {
            match odd(old) {
                Some(first) => at = first,
                None => return,
            }
        }
        if self.conflicts.len() < 4 && !self.conflicts.iter().any(|c| c.earlier.site == old.site) {
            let (lane, dword) = (piece.place(at).0, piece.number + u64::from(at));
            self.conflicts.push(Conflict { earlier: *old, lane, dword, write_first });
        }
    }
}

/// A question about epochs that keeps its last answer.
struct Memo<F> {
    question: F,
    last: cell::Cell<Option<(Epoch, bool)>>,
}

impl<F: Fn(Epoch) -> bool> Memo<F> {
    fn new(question: F) -> Self {
        Memo { question, last: cell::Cell::new(None) }
    }

    #[inline]
    fn ask(&self, epoch: Epoch) -> bool {
        match self.last.get() {
            Some((last, answer)) if last == epoch => answer,
            _ => {
                let answer = (self.question)(epoch);
                self.last.set(Some((epoch, answer)));
                answer
            }
        }
    }
}
