//! One access meets what shadow memory remembers: which earlier accesses it conflicts with, which copies it relies on,
//! and whether it reads what nobody wrote.

use std::cell;

use wavemark_order::Epoch;
use wavemark_sim::events::{Access, Direction, Space};

use crate::shadow::{Cell, Piece, READERS, Record};

/// How an earlier access stands to a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is over, and the new one finds its effect.
    Ordered,
    /// Nothing orders the two.
    Unordered,
    /// Nothing orders the two, and they are atomics that are no such to each other: a scope is too narrow.
    Apart,
    /// A store that is over, but not written back as far as the two waves are apart.
    NotWrittenBack,
    /// A store that is over, while the new one's caches may hold what was there before.
    Stale,
}

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
    /// How it stands to the later one.
    pub relation: Relation,
    /// Neither can be torn ([`Record::atomic`]).
    pub both_atomic: bool,
}

/// An access, and what comes of its meeting others.
pub(crate) struct Meeting<'a, F> {
    access: &'a Access,
    /// The access as it will be remembered, but for bytes and value.
    common: Record,
    /// How an earlier operation stands to this one. Neighbouring dwords were mostly touched by the same operations,
    /// hence the last answers are kept: about writes and about reads.
    written: Memo<F>,
    read: Memo<F>,
    /// Conflicts, a few.
    pub conflicts: Vec<Conflict>,
    /// Address and lane of the first LDS dword that is read but was never written.
    pub undefined: Option<(u64, u32)>,
    /// Copies that a wait made safe before this access.
    pub copies: Vec<Epoch>,
}

impl<'a, F: Fn(&Record, bool) -> Relation + Copy> Meeting<'a, F> {
    /// `ordered`: whether the operation of that epoch is ordered before this one.
    pub fn new(access: &'a Access, common: Record, relation: F) -> Self {
        Meeting {
            access,
            common,
            written: Memo::new(relation, true),
            read: Memo::new(relation, false),
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
            Direction::Read => {
                let readers = if self.access.space == Space::Lds { usize::MAX } else { READERS };
                cell.read(&self.common, bytes, readers, |old| self.read.ask(old) == Relation::Ordered);
            }
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
        if old.bytes & piece.bytes == 0 || polled {
            return;
        }
        let relation = if write_first { self.written.ask(old) } else { self.read.ask(old) };
        if old.atomic && (self.common.atomic || polls) && relation != Relation::Apart {
            return;
        }
        if relation == Relation::Ordered {
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
            let both_atomic = old.atomic && self.common.atomic;
            self.conflicts.push(Conflict { earlier: *old, lane, dword, write_first, relation, both_atomic });
        }
    }
}

/// A question about earlier accesses that keeps its last answer.
struct Memo<F> {
    question: F,
    write_first: bool,
    last: cell::Cell<Option<(Epoch, Relation)>>,
}

impl<F: Fn(&Record, bool) -> Relation> Memo<F> {
    fn new(question: F, write_first: bool) -> Self {
        Memo { question, write_first, last: cell::Cell::new(None) }
    }

    #[inline]
    fn ask(&self, old: &Record) -> Relation {
        match self.last.get() {
            Some((last, answer)) if last == old.epoch => answer,
            _ => {
                let answer = (self.question)(old, self.write_first);
                self.last.set(Some((old.epoch, answer)));
                answer
            }
        }
    }
}
