//! One access meets what shadow memory remembers: which earlier accesses it conflicts with, which copies it relies on,
//! and whether it reads what nobody wrote.

use std::cell;

use wavemark_order::Epoch;
use wavemark_sim::events::{Access, Direction, Space};

use crate::relation::Relation;
use crate::shadow::{Cell, Piece, READERS, Record};

/// A pair of accesses that conflict.
pub(crate) struct Conflict {
    /// The earlier one.
    pub earlier: Record,
    /// The first lane of the later one.
    pub lane: u32,
    /// All of its lanes.
    pub lanes: u64,
    /// Where they meet: the number of the dword.
    pub dword: u64,
    /// The earlier one writes.
    pub write_first: bool,
    /// How it stands to the later one.
    pub relation: Relation,
    /// Both are atomics or scoped ([`Record::atomic`]), or the later one is a load of what atomics touch.
    pub both_atomic: bool,
}

/// LDS that an access reads and nobody has written.
pub(crate) struct Undefined {
    /// Its address, of the first dword found.
    pub addr: u64,
    /// Which lanes read some, of each dword of a lane's data.
    pub lanes: [u64; Undefined::DWORDS],
}

impl Undefined {
    /// Dwords of a lane's data that are told apart.
    pub const DWORDS: usize = 4;
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
    /// LDS that is read but was never written.
    pub undefined: Option<Undefined>,
    /// Copies that a wait made safe before this access.
    pub copies: Vec<Epoch>,
}

impl<'a, F: Fn(&Record, bool) -> Relation + Copy> Meeting<'a, F> {
    /// `relation`: how an earlier access, a write or not, stands to this one.
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

    /// Meet what `cell` remembers of `dwords` of a piece from `n` on, and be remembered there. `value` is
    /// what is written, if that is known; `odd` is the first of these dwords where a write differs from an earlier one
    /// to the same bytes, if any.
    #[inline]
    pub fn touch(
        &mut self,
        piece: &Piece,
        cell: &mut Cell,
        n: u32,
        dwords: u32,
        value: Option<u32>,
        odd: impl Fn(&Record) -> Option<u32>,
    ) {
        let (direction, bytes) = (self.access.direction, piece.bytes);
        if direction == Direction::Atomic {
            cell.synchronises = true;
        }
        let polls = cell.synchronises && direction == Direction::Read;
        for old in &cell.writes {
            self.meet(piece, (n, dwords), old, true, polls, &odd);
        }
        if direction != Direction::Read {
            for old in &cell.reads {
                self.meet(piece, (n, dwords), old, false, polls, &odd);
            }
        }
        if direction != Direction::Write && self.access.space == Space::Lds && bytes & !cell.defined != 0 {
            self.note_undefined(piece, n, dwords);
        }
        let readers = if self.access.space == Space::Lds { usize::MAX } else { READERS };
        match direction {
            Direction::Atomic => {
                cell.update(&self.common, bytes, readers, |old| self.written.ask(old) == Relation::Ordered);
            }
            Direction::Read => {
                cell.read(&self.common, bytes, readers, |old| self.read.ask(old) == Relation::Ordered);
            }
            Direction::Write => cell.write(&self.common, bytes, value),
        }
    }

    #[cold]
    fn note_undefined(&mut self, piece: &Piece, n: u32, dwords: u32) {
        let undefined = self.undefined.get_or_insert_with(|| Undefined {
            addr: (piece.number + u64::from(n)) * 4,
            lanes: [0; Undefined::DWORDS],
        });
        for n in n..n + dwords {
            let (lane, offset) = piece.place(n);
            undefined.lanes[(offset as usize / 4).min(Undefined::DWORDS - 1)] |= 1 << (lane & 63);
        }
    }

    #[inline]
    fn meet(
        &mut self,
        piece: &Piece,
        (n, dwords): (u32, u32),
        old: &Record,
        write_first: bool,
        polls: bool,
        odd: &impl Fn(&Record) -> Option<u32>,
    ) {
        let lds = self.access.space == Space::Lds;
        if old.bytes & piece.bytes == 0 {
            return;
        }
        let relation = if write_first { self.written.ask(old) } else { self.read.ask(old) };
        // Atomics do not race with each other, but what a load among them returns may be taken for data.
        let both_atomic = old.atomic && (self.common.atomic || polls);
        let writes_only = write_first && self.access.direction != Direction::Read;
        let own = old.epoch.agent == self.common.epoch.agent;
        if both_atomic && relation != Relation::Apart && (writes_only || own) {
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
        let lanes = (n..n + dwords).fold(0, |lanes, n| lanes | 1u64 << (piece.place(n).0 & 63));
        if let Some(known) = self.conflicts.iter_mut().find(|c| c.earlier.site == old.site) {
            known.lanes |= lanes;
        } else if self.conflicts.len() < 4 {
            let (lane, dword) = (piece.place(at).0, piece.number + u64::from(at));
            self.conflicts.push(Conflict {
                earlier: *old,
                lane,
                lanes,
                dword,
                write_first,
                relation,
                both_atomic,
            });
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
