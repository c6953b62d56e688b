//! One access meets what shadow memory remembers: which earlier accesses it conflicts with, which copies it relies on,
//! and whether it reads what nobody wrote.

use smallvec::SmallVec;
use wavemark_order::Epoch;
use wavemark_sim::events::{Access, Direction, Extent, Space};
use wavemark_sim::pending::lanes;

use crate::relation::Relation;
use crate::shadow::{
    Members, NEWEST, Older, Operation, PAGE, Page, Parts, Piece, Place, QUAD, Record, Row, Set, Sets, Shadow,
    State, WHOLE, Writers, are_at_dwords, for_each_piece, for_each_piece_of, for_each_row, neighbours,
};

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
    /// Who had written there before the later one.
    pub writers: Writers,
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

/// What a store writes.
#[derive(Clone, Copy)]
pub(crate) struct Stored<'a> {
    /// Dword d of lane l at `d * lanes + l`, or those of runs ([`Issue::stored`](wavemark_sim::events::Issue::stored)).
    pub words: &'a [u32],
    /// The wave size.
    pub lanes: usize,
}

impl<'a> Stored<'a> {
    /// Byte `n` of a lane's data.
    pub fn byte(&self, lane: u32, n: u32) -> u8 {
        self.words[n as usize / 4 * self.lanes + lane as usize].to_le_bytes()[n as usize % 4]
    }

    /// Calls `f` with each dword that an access with this extent writes: its number, its value, and which bits are written.
    pub fn for_each_dword(&self, extent: &Extent, mut f: impl FnMut(u64, u32, u32)) {
        let mut of_piece = |stored: Stored<'_>, piece: &Piece| {
            for n in 0..piece.count {
                let value = stored.value(piece.place(n), piece.bytes);
                f(piece.number + u64::from(n), value, mask(piece.bytes));
            }
        };
        match extent {
            // Mostly lanes have whole dwords, or each a part of one.
            Extent::Lanes { mask, bytes, addr } if bytes.is_multiple_of(4) && are_at_dwords(*mask, addr) => {
                match (neighbours(*mask, addr), bytes) {
                    (Some(all), 4) => self.for_neighbours::<1>(mask.trailing_zeros(), all, f),
                    (Some(all), 8) => self.for_neighbours::<2>(mask.trailing_zeros(), all, f),
                    (Some(all), 16) => self.for_neighbours::<4>(mask.trailing_zeros(), all, f),
                    _ => {
                        for lane in lanes(*mask).map(|lane| lane as usize) {
                            let words =
                                self.words[lane..].iter().step_by(self.lanes).take(*bytes as usize / 4);
                            (addr[lane] / 4..).zip(words).for_each(|(dword, word)| f(dword, *word, u32::MAX));
                        }
                    }
                }
            }
            Extent::Lanes { mask, bytes: bytes @ 1..4, addr }
                if lanes(*mask).all(|lane| addr[lane as usize] % 4 + u64::from(*bytes) <= 4) =>
            {
                for lane in lanes(*mask).map(|lane| lane as usize) {
                    let shift = addr[lane] % 4 * 8;
                    f(addr[lane] / 4, self.words[lane] << shift, u32::MAX >> (32 - 8 * bytes) << shift);
                }
            }
            Extent::Lanes { .. } => for_each_piece(extent, |piece| of_piece(*self, piece)),
            Extent::Runs(runs) => {
                for (own, (addr, bytes)) in self.of_runs(runs) {
                    for_each_piece_of(addr, bytes.into(), 0, bytes, |piece| of_piece(own, piece));
                }
            }
        }
    }

    /// The same for lanes from `first` on that are each at the beginning of one of `all`, with `DWORDS` dwords.
    #[inline]
    fn for_neighbours<const DWORDS: usize>(&self, first: u32, all: &[u64], mut f: impl FnMut(u64, u32, u32)) {
        let rows: [&[u32]; DWORDS] =
            std::array::from_fn(|dword| &self.words[dword * self.lanes + first as usize..][..all.len()]);
        for (lane, at) in all.iter().enumerate() {
            for (dword, row) in (at / 4..).zip(&rows) {
                f(dword, row[lane], u32::MAX);
            }
        }
    }

    /// What each of the runs gets, which are contiguous.
    fn of_runs<'r>(self, runs: &'r [(u64, u32)]) -> impl Iterator<Item = (Self, (u64, u32))> + use<'r, 'a> {
        let mut words = self.words;
        runs.iter().map(move |&(addr, bytes)| {
            let (own, behind) = words.split_at(bytes.div_ceil(4) as usize);
            words = behind;
            (Stored { words: own, lanes: 1 }, (addr, bytes))
        })
    }

    /// What it writes to the `bytes` of a dword, in place; `offset` is where they start in the lane's data. Behind a lane's
    /// data those of the next lane follow.
    fn value(&self, (lane, offset): (u32, u32), bytes: u8) -> u32 {
        let own = self.words.len() / self.lanes * 4;
        let word = |at: u32| {
            let (at, lane) = (at as usize % own, lane as usize + at as usize / own);
            self.words[at / 4 * self.lanes + lane]
        };
        if bytes == WHOLE && offset.is_multiple_of(4) {
            return word(offset);
        }
        let first = bytes.trailing_zeros();
        let byte = |i| (word(offset + i) >> ((offset + i) % 4 * 8) & 0xff) << ((first + i) * 8);
        (0..bytes.count_ones()).fold(0, |value, i| value | byte(i))
    }
}

/// The bits of these bytes.
fn mask(bytes: u8) -> u32 {
    (0..4).filter(|n| bytes >> n & 1 != 0).fold(0, |mask, n| mask | 0xff << (8 * n))
}

/// What becomes of a dword that an access touches.
#[derive(Clone, Copy, Default)]
struct Outcome {
    before: State,
    parts: Parts,
    after: State,
    /// There is something to say of each such dword.
    notable: bool,
    /// But not of those to which it writes what other stores have written there.
    excusable: bool,
}

/// How many conflicts of an access are told apart.
const CONFLICTS: usize = 64;

/// How many outcomes are kept, and how many relations.
const KEPT: usize = 16;

/// An access, and what comes of its meeting others.
pub(crate) struct Meeting<'a, R, N> {
    access: &'a Access,
    /// The access as it will be remembered.
    common: Record,
    stored: Option<Stored<'a>>,
    /// It changes memory.
    changes: bool,
    /// How an earlier operation, a write or not, stands to this one.
    relation: R,
    /// Whether an earlier operation is of the same workgroup.
    near: N,
    /// Lanes that all read the same, or none.
    together: u64,
    /// Its number, once it has one.
    operation: Option<Operation>,
    /// Neighbouring dwords were mostly touched by the same operations, hence the last answers are kept.
    relations: [Option<(Operation, bool, Relation)>; KEPT],
    outcomes: [Outcome; KEPT],
    /// What becomes of dwords with the first state that it touches like this, where there is nothing to say of them.
    expected: (State, State, Parts),
    /// The last state of which something was said, of which bytes, and which conflicts that were, by their numbers.
    told: (State, u8, u64),
    /// Conflicts, a few.
    pub conflicts: SmallVec<[Conflict; 2]>,
    /// LDS that is read but was never written.
    pub undefined: Option<Undefined>,
    /// Copies that a wait made safe before this access.
    pub copies: SmallVec<[Epoch; 8]>,
    /// There was something to say of some dword, if only that equal values excuse it.
    pub noted: bool,
    /// It writes over what more waves have read than are remembered.
    pub readers_forgotten: bool,
}

impl<'a, R: Fn(&Record, bool) -> Relation, N: Fn(&Record) -> bool> Meeting<'a, R, N> {
    /// `relation`: how an earlier access, a write or not, stands to this one; `near`: whether it is of the same workgroup.
    pub fn new(access: &'a Access, common: Record, stored: Option<Stored<'a>>, relation: R, near: N) -> Self {
        Meeting {
            access,
            common,
            stored,
            changes: access.direction != Direction::Read && !common.keeps,
            relation,
            near,
            together: 0,
            operation: None,
            relations: [None; KEPT],
            outcomes: [Outcome::default(); KEPT],
            expected: (State::IMPOSSIBLE, State::IMPOSSIBLE, Parts::WHOLE),
            told: (State::IMPOSSIBLE, 0, 0),
            conflicts: SmallVec::new(),
            undefined: None,
            copies: SmallVec::new(),
            noted: false,
            readers_forgotten: false,
        }
    }

    /// Meet what is remembered of all that the access touches, and be remembered there.
    pub fn touch_all(&mut self, shadow: &mut Shadow) {
        let access = self.access;
        let one_stands_for_all = match access.direction {
            Direction::Read => true,
            Direction::Atomic => !self.common.dma,
            Direction::Write => false,
        };
        if one_stands_for_all && let Some(Place { mask, bytes, at }) = Place::of(&access.extent) {
            // What polls does it all the time. Where an atomic changes memory, lanes behind the first one meet that, and have
            // nothing to say if it had nothing.
            self.together = if self.changes { 0 } else { mask };
            for lane in lanes(mask) {
                for_each_piece_of(at, bytes.into(), lane, bytes, |piece| self.touch(shadow, piece));
                if !(self.changes && self.noted) {
                    break;
                }
            }
            return;
        }
        if let Extent::Lanes { mask, bytes: 16, addr } = &access.extent
            && self.stored.is_none()
        {
            // A quad a lane, mostly like the last one and in the same page.
            const PAGE_BYTES: u64 = 4 * PAGE as u64;
            let mut rest = *mask;
            while rest != 0 {
                let number = addr[rest.trailing_zeros() as usize] / PAGE_BYTES;
                let (page, sets) = shadow.page(number * PAGE as u64);
                let other = loop {
                    let lane = rest.trailing_zeros();
                    let Some(&at) = addr.get(lane as usize).filter(|&at| at / PAGE_BYTES == number) else {
                        break None;
                    };
                    rest &= rest - 1;
                    let quad = at as usize / 16 % (PAGE / QUAD);
                    if !at.is_multiple_of(16) || !self.touch_quad(page, sets, quad) {
                        break Some((at, lane));
                    }
                };
                if let Some((at, lane)) = other {
                    for_each_piece_of(at, 16, lane, 16, |piece| self.touch(shadow, piece));
                }
            }
            return;
        }
        if let (Extent::Runs(runs), Some(stored)) = (&access.extent, self.stored) {
            for (own, (addr, bytes)) in stored.of_runs(runs) {
                self.stored = Some(own);
                for_each_piece_of(addr, bytes.into(), 0, bytes, |piece| self.touch(shadow, piece));
            }
            return;
        }
        if let Extent::Lanes { mask, bytes: bytes @ (4 | 8 | 12), addr } = &access.extent
            && let Some((a, b)) = lanes(*mask).zip(lanes(*mask).skip(1)).next()
            && addr[b as usize].wrapping_sub(addr[a as usize]) != u64::from(*bytes)
            && are_at_dwords(*mask, addr)
        {
            return self.touch_scattered(shadow, *mask, *bytes, addr);
        }
        if access.direction == Direction::Atomic
            || !for_each_row(&access.extent, |row| self.touch_row(shadow, row))
        {
            for_each_piece(&access.extent, |piece| self.touch(shadow, piece));
        }
    }

    /// Meet what is remembered of lanes that have whole dwords and mostly do not stand one behind the other, and be remembered
    /// there.
    fn touch_scattered(&mut self, shadow: &mut Shadow, mask: u64, bytes: u32, addr: &[u64; 64]) {
        let count = bytes as usize / 4;
        let mut rest = lanes(mask).map(|lane| (lane, addr[lane as usize])).peekable();
        while let Some(&(_, at)) = rest.peek() {
            let page_of = |at: u64| at / 4 / PAGE as u64;
            let number = page_of(at);
            let (Page { states, values }, _) = shadow.page(at / 4);
            // The first one of which more is to be found out.
            let other =
                std::iter::from_fn(|| rest.next_if(|&(_, at)| page_of(at) == number)).find(|&(lane, at)| {
                    let first = (at / 4) as usize % PAGE;
                    let (before, after, parts) = self.expected;
                    let known = first % QUAD + count <= QUAD
                        && parts == Parts::WHOLE
                        && states.replace_some(first..first + count, before, after);
                    if let (true, Some(stored)) = (known, self.stored) {
                        let values = &mut values.all()[first..first + count];
                        values.iter_mut().enumerate().for_each(|(dword, value)| {
                            *value = stored.words[dword * stored.lanes + lane as usize];
                        });
                    }
                    !known
                });
            if let Some((lane, at)) = other {
                for_each_piece_of(at, bytes.into(), lane, bytes, |piece| self.touch(shadow, piece));
            }
        }
    }

    /// Meet what is remembered of a row's dwords, and be remembered there: as if each lane did so, one after the other.
    fn touch_row(&mut self, shadow: &mut Shadow, row: &Row) {
        let Extent::Lanes { bytes, addr, .. } = &self.access.extent else { return };
        let (Page { states, values }, sets) = shadow.page(row.number);
        let first = (row.number % PAGE as u64) as usize;
        let end = first + row.count as usize;
        // The dwords of which there is something to say.
        let mut notable = 0u64;
        let mut at = first;
        while at < end {
            let (before, after, parts) = self.expected;
            if parts == row.parts
                && at.is_multiple_of(QUAD)
                && at + QUAD <= end
                && states.replace(at / QUAD, before, after)
            {
                at += QUAD;
                continue;
            }
            let to = end.min(at / QUAD * QUAD + QUAD);
            states.update(at..to, |dwords, before| {
                let outcome = self.outcome(sets, before, row.parts);
                if outcome.notable {
                    dwords.for_each(|at| notable |= 1 << (at - first));
                    return before;
                }
                self.expected = (before, outcome.after, row.parts);
                outcome.after
            });
            at = to;
        }
        if let Some(stored) = self.stored {
            let values = &mut values.all()[first..end];
            let all = u32::MAX >> (u32::BITS - 8 * bytes);
            for n in lanes(u64::MAX >> (u64::BITS - row.count) & !notable) {
                let (low, high) = row.ends(n);
                if row.parts == Parts::HALVES && high == low + 1 {
                    values[n as usize] = stored.words[low] & 0xffff | stored.words[high] << 16;
                    continue;
                }
                for lane in lanes(row.lanes(n)).map(|lane| lane as usize) {
                    let shift = addr[lane] % 4 * 8;
                    let (old, mask) = (&mut values[n as usize], all << shift);
                    *old = *old & !mask | stored.words[lane] << shift & mask;
                }
            }
        }
        for lane in lanes(notable).flat_map(|n| lanes(row.lanes(n))) {
            let at = addr[lane as usize];
            for_each_piece_of(at, u64::from(*bytes), lane, *bytes, |piece| self.touch(shadow, piece));
        }
    }

    /// Meet what is remembered of all dwords of a quad at once, and be remembered there; `false` if they differ, or there is
    /// something to say of them.
    #[inline(always)]
    fn touch_quad(&mut self, page: &mut Page, sets: &mut Sets, quad: usize) -> bool {
        let (before, after, parts) = self.expected;
        if parts == Parts::WHOLE && page.states.replace(quad, before, after) {
            return true;
        }
        let Some(before) = page.states.whole(quad) else { return false };
        let outcome = self.outcome(sets, before, Parts::WHOLE);
        if outcome.notable {
            return false;
        }
        self.expected = (before, outcome.after, Parts::WHOLE);
        page.states.replace(quad, before, outcome.after)
    }

    /// Meet what is remembered of a piece, and be remembered there.
    fn touch(&mut self, shadow: &mut Shadow, piece: &Piece) {
        let (Page { states, values }, sets) = shadow.page(piece.number);
        let first = (piece.number % PAGE as u64) as usize;
        let end = first + piece.count as usize;
        let mut at = first;
        while at < end {
            if piece.bytes == WHOLE && at.is_multiple_of(QUAD) && at + QUAD <= end {
                let (before, after, parts) = self.expected;
                if parts == Parts::WHOLE && states.replace(at / QUAD, before, after) {
                    at += QUAD;
                    continue;
                }
            }
            let to = end.min(at / QUAD * QUAD + QUAD);
            let (before, after, parts) = self.expected;
            if parts == Parts::one(piece.bytes) && states.replace_some(at..to, before, after) {
                at = to;
                continue;
            }
            states.update(at..to, |dwords, before| {
                let outcome = self.outcome(sets, before, Parts::one(piece.bytes));
                if outcome.excusable
                    && self.repeats(piece, dwords.start - first, &values.known()[dwords.clone()])
                {
                    self.noted = true;
                } else if outcome.notable {
                    self.note(sets, piece, dwords.start - first, before, &values.known()[dwords]);
                } else if piece.bytes == WHOLE {
                    self.expected = (before, outcome.after, Parts::WHOLE);
                }
                outcome.after
            });
            at = to;
        }
        let Some(stored) = self.stored else { return };
        let values = &mut values.all()[first..];
        if piece.bytes == WHOLE && piece.place(0).1.is_multiple_of(4) {
            for (value, (lane, dword)) in values.iter_mut().zip(piece.places()) {
                *value = stored.words[dword as usize * stored.lanes + lane as usize];
            }
            return;
        }
        for n in 0..piece.count {
            let (value, mask) = (stored.value(piece.place(n), piece.bytes), mask(piece.bytes));
            let old = &mut values[n as usize];
            *old = *old & !mask | value & mask;
        }
    }

    /// Whether it writes what these dwords, number `n` of a piece and those behind it, hold already.
    fn repeats(&self, piece: &Piece, n: usize, values: &[u32]) -> bool {
        let Some(stored) = self.stored else { return false };
        let mut written = (n as u32..).map(|n| stored.value(piece.place(n), piece.bytes));
        piece.bytes == WHOLE && values.iter().all(|&value| Some(value) == written.next())
    }

    fn outcome(&mut self, sets: &mut Sets, before: State, parts: Parts) -> Outcome {
        let kept = before.hash() % KEPT;
        let known = self.outcomes[kept];
        if known.parts == parts && known.before == before {
            return known;
        }
        let mut all = Outcome { before, parts, after: before, notable: false, excusable: true };
        for bytes in parts.each() {
            let (after, notable, excusable) = self.decide(sets, all.after, bytes);
            all.after = after;
            all.notable |= notable;
            all.excusable &= excusable;
        }
        self.outcomes[kept] = all;
        all
    }

    /// What becomes of a dword of which it touches these bytes at once; whether there is something to say of it, and whether
    /// equal values excuse it.
    fn decide(&mut self, sets: &mut Sets, before: State, bytes: u8) -> (State, bool, bool) {
        let direction = self.access.direction;
        let (writes, reads) = (sets.members(before.writes()), sets.members(before.reads()));
        let older = sets.older(before.reads());
        let mut notable = self.undefined_bytes(&writes, bytes) != 0;
        let mut excusable = !notable;
        for &(old, _) in writes.iter().filter(|(_, touched)| touched & bytes != 0) {
            let conflicts = self.conflict(sets, old, true, before).is_some();
            notable |= conflicts;
            excusable &= !conflicts || sets.record(old).valued;
        }
        if self.changes {
            self.readers_forgotten |= sets.is_incomplete(older);
            let all = reads.iter().copied().chain(sets.chain(older));
            for (old, _) in all.filter(|(_, touched)| touched & bytes != 0) {
                let conflicts = self.conflict(sets, old, false, before).is_some();
                notable |= conflicts;
                excusable &= !conflicts;
            }
        }
        let me = *self.operation.get_or_insert_with(|| sets.operation(self.common));
        let mut kept = if direction == Direction::Atomic { before.synchronising() } else { before };
        if self.changes {
            let own = |&(old, _): &(Operation, u8)| sets.record(old).epoch.agent == self.common.epoch.agent;
            kept = kept.written(writes.iter().all(own), direction == Direction::Atomic);
        }
        let after = match direction {
            _ if !self.changes => {
                let reads = self.with_read(sets, reads, older, (me, bytes));
                kept.with(before.writes(), reads)
            }
            Direction::Write if bytes == WHOLE => {
                let reads = self.behind_write(sets, reads, bytes);
                kept.with(Set::one(me), sets.set(reads, Older::default()))
            }
            _ => {
                let beside = if direction == Direction::Atomic {
                    self.beside(sets, &writes, bytes)
                } else {
                    Members::new()
                };
                let mut writes = with(without(writes, bytes), (me, bytes));
                writes.extend(beside);
                let older = if bytes == WHOLE { Older::default() } else { older };
                let writes = sets.set(writes, Older::default());
                let reads = self.behind_write(sets, reads, bytes);
                kept.with(writes, sets.set(reads, older))
            }
        };
        (after, notable, notable && excusable)
    }

    /// The reads of a dword whose bytes it writes. Of those, its own wave's stay: others may write the same there, which is no race
    /// with the write, and must come after the read all the same.
    fn behind_write(&self, sets: &mut Sets, reads: Members, bytes: u8) -> Members {
        let mut kept = Members::new();
        for (old, touched) in reads {
            kept.push((old, touched & !bytes));
            let record = *sets.record(old);
            if self.stored.is_some() && record.epoch.agent == self.common.epoch.agent {
                let old = if record.overwritten {
                    old
                } else {
                    sets.operation(Record { overwritten: true, ..record })
                };
                kept = with(kept, (old, touched & bytes));
            }
        }
        kept
    }

    /// How many accesses of each kind are at hand of a dword, those of the own workgroup apart.
    fn readers(&self) -> usize {
        if self.access.space == Space::Lds { usize::MAX } else { NEWEST }
    }

    /// The reads of a dword with a new one; of those that are known to it the bytes are replaced.
    fn with_read(
        &mut self,
        sets: &mut Sets,
        mut reads: Members,
        mut older: Older,
        (me, bytes): (Operation, u8),
    ) -> Set {
        reads.retain(|(old, touched)| {
            let is_known = sets.record(*old).epoch == self.common.epoch
                || self.relation(sets, *old, false) == Relation::Ordered;
            *touched &= if is_known { !bytes } else { WHOLE };
            *touched != 0
        });
        // Of what all waves of a workgroup load, it may matter to one of them alone.
        if reads.len() >= self.readers()
            && let Some(oldest) = reads.iter().position(|&(old, _)| !(self.near)(sets.record(old)))
        {
            older = sets.with_older(reads.remove(oldest), older);
        }
        sets.set(with(reads, (me, bytes)), older)
    }

    /// What a read-modify-write does not replace: the atomics of other waves that nothing orders before it, as what reads the sum
    /// must come after all of them; and what was stored in LDS before, if only by its own wave, as the atomics of others must
    /// come after that, too.
    fn beside(&mut self, sets: &Sets, writes: &Members, bytes: u8) -> Members {
        let mut beside = Members::new();
        for &(old, touched) in writes.iter().rev() {
            let record = sets.record(old);
            let kept = match record.atomic {
                true => {
                    record.epoch.agent != self.common.epoch.agent
                        && beside.len() < self.readers()
                        && self.relation(sets, old, true) != Relation::Ordered
                }
                false => self.access.space == Space::Lds,
            };
            if kept {
                beside.push((old, touched));
            }
        }
        beside.reverse();
        without(beside, !bytes)
    }

    fn relation(&mut self, sets: &Sets, old: Operation, write_first: bool) -> Relation {
        let kept = &mut self.relations[old.hash() % KEPT];
        match *kept {
            Some((operation, write, relation)) if (operation, write) == (old, write_first) => relation,
            _ => {
                let relation = (self.relation)(sets.record(old), write_first);
                *kept = Some((old, write_first, relation));
                relation
            }
        }
    }

    /// Bytes of LDS that it reads and nobody has written.
    fn undefined_bytes(&self, writes: &Members, bytes: u8) -> u8 {
        if self.access.direction == Direction::Write || self.access.space != Space::Lds {
            return 0;
        }
        writes.iter().fold(bytes, |left, (_, written)| left & !written)
    }

    /// Whether the access conflicts with an earlier one, but for the values that both may write: how the two stand, and
    /// whether both are atomics.
    fn conflict(
        &mut self,
        sets: &Sets,
        old: Operation,
        write_first: bool,
        before: State,
    ) -> Option<(Relation, bool)> {
        let relation = self.relation(sets, old, write_first);
        let (old, reads) = (sets.record(old), self.access.direction == Direction::Read);
        // Atomics do not race with each other, but what a load among them returns may be taken for data; not what a
        // read-modify-write returns that left memory as it was.
        let both_plain = old.maybe_plain && self.common.maybe_plain;
        let both_atomic = old.atomic && !both_plain && (self.common.atomic || before.synchronises() && reads);
        let own = old.epoch.agent == self.common.epoch.agent;
        if both_atomic && relation != Relation::Apart && (write_first && !reads || own || old.keeps) {
            return None;
        }
        if relation == Relation::Ordered {
            // A copy that a wait made safe: that wait was needed.
            if old.dma && self.access.space == Space::Lds && self.copies.last() != Some(&old.epoch) {
                self.copies.push(old.epoch);
            }
            return None;
        }
        Some((relation, both_atomic))
    }

    /// The lanes that a piece stands for that begins with `lane`.
    fn lanes_of(&self, lane: u32) -> u64 {
        if self.together == 0 { 1 << (lane & 63) } else { self.together }
    }

    /// What there is to say of dwords of a piece from number `n` on, which all are in the same state. `values` is what stores
    /// have left there.
    #[cold]
    fn note(&mut self, sets: &Sets, piece: &Piece, n: usize, before: State, values: &[u32]) {
        self.noted = true;
        let (bytes, number) = (piece.bytes, piece.number);
        let dwords = (n as u32..).zip(values).map(|(n, value)| (n, piece.place(n), *value));
        if (self.told.0, self.told.1) == (before, bytes) {
            let all = dwords.fold(0, |all, (_, (lane, _), _)| all | self.lanes_of(lane));
            lanes(self.told.2).for_each(|known| self.conflicts[known as usize].lanes |= all);
            return;
        }
        let (writes, reads) = (sets.members(before.writes()), sets.members(before.reads()));
        let reads = reads.into_iter().chain(sets.chain(sets.older(before.reads())));
        let is_undefined = self.undefined_bytes(&writes, bytes) != 0;
        if is_undefined {
            let addr = (number + n as u64) * 4;
            let mut undefined =
                self.undefined.take().unwrap_or(Undefined { addr, lanes: [0; Undefined::DWORDS] });
            for (_, (lane, offset), _) in dwords.clone() {
                undefined.lanes[(offset as usize / 4).min(Undefined::DWORDS - 1)] |= self.lanes_of(lane);
            }
            self.undefined = Some(undefined);
        }
        let changes = self.changes;
        let reads = reads.filter(|_| changes).map(|old| (old, false));
        let mut told = 0;
        for ((old, touched), write_first) in writes.into_iter().map(|old| (old, true)).chain(reads) {
            let common = touched & bytes;
            if common == 0 {
                continue;
            }
            let Some((relation, both_atomic)) = self.conflict(sets, old, write_first, before) else {
                continue;
            };
            let earlier = *sets.record(old);
            let writes_over = |told| {
                let Conflict { earlier: write, write_first, .. } = &self.conflicts[told as usize];
                *write_first && write.epoch.agent == earlier.epoch.agent
            };
            if earlier.overwritten && lanes(told).any(writes_over) {
                continue;
            }
            // Writing what another wave writes there too is a habit of compilers, and harmless.
            let stored = self.stored.filter(|_| write_first && earlier.valued);
            let differs = |&(_, place, value): &(u32, (u32, u32), u32)| {
                stored.is_none_or(|stored| (stored.value(place, bytes) ^ value) & mask(common) != 0)
            };
            let mut differing = dwords.clone().filter(differs).map(|(n, (lane, _), _)| (n, lane)).peekable();
            let Some(&(at, lane)) = differing.peek() else { continue };
            let lanes = differing.fold(0, |all, (_, lane)| all | self.lanes_of(lane));
            // What each wave has read may be of use, or not, and what each has written has a wait of its own.
            let same = |known: &Conflict| {
                (known.earlier.site, known.earlier.epoch.agent) == (earlier.site, earlier.epoch.agent)
                    && known.write_first == write_first
            };
            let dword = number + u64::from(at);
            let writers = before.writers();
            let conflict =
                Conflict { earlier, lane, lanes, dword, write_first, relation, both_atomic, writers };
            let known = match self.conflicts.iter().position(same) {
                Some(at) => {
                    let known = &mut self.conflicts[at];
                    let lanes = known.lanes | lanes;
                    // Who has waited for the newest has waited for all.
                    if known.earlier.epoch.seq < earlier.epoch.seq {
                        *known = conflict;
                    }
                    known.lanes = lanes;
                    at
                }
                None if self.conflicts.len() < CONFLICTS => {
                    self.conflicts.push(conflict);
                    self.conflicts.len() - 1
                }
                None => continue,
            };
            told |= 1 << known;
        }
        // What a store writes may differ elsewhere, and what was never written has lanes of its own.
        if self.stored.is_none() && !is_undefined {
            self.told = (before, bytes, told);
        }
    }
}

/// Remember a load that was known to be in order with everything before it, if only now: what was written after it is not
/// what it has read.
pub(crate) fn remember_load(shadow: &mut Shadow, extent: &Extent, record: Record) {
    for_each_piece(extent, |piece| {
        let (Page { states, .. }, sets) = shadow.page(piece.number);
        let first = (piece.number % PAGE as u64) as usize;
        states.update(first..first + piece.count as usize, |_, before| {
            let mut bytes = piece.bytes;
            let mut record = record;
            for (write, touched) in sets.members(before.writes()) {
                let write = *sets.record(write);
                if write.order > record.order {
                    let own = write.valued && write.epoch.agent == record.epoch.agent;
                    bytes &= if own { WHOLE } else { !touched };
                    record.overwritten |= own;
                }
            }
            let me = sets.operation(record);
            let mut reads = sets.members(before.reads());
            // What is ordered after a load is so after those of its wave before it.
            reads.retain(|&mut (old, touched)| {
                let old = sets.record(old).epoch;
                touched & !bytes != 0
                    || (old.agent, old.channel) != (record.epoch.agent, record.epoch.channel)
            });
            before.with(before.writes(), sets.set(with(reads, (me, bytes)), Older::default()))
        });
    });
}

/// `members` with what they have touched of `bytes` taken from them.
fn without(mut members: Members, bytes: u8) -> Members {
    for (_, touched) in &mut members {
        *touched &= !bytes;
    }
    members
}

/// `members` and one more, which may be there already.
fn with(mut members: Members, (me, bytes): (Operation, u8)) -> Members {
    match members.iter_mut().find(|(member, _)| *member == me) {
        Some((_, touched)) => *touched |= bytes,
        None => members.push((me, bytes)),
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    type Members = Vec<(Epoch, u8)>;

    /// What is remembered of a dword, and its value.
    fn remembered(shadow: &mut Shadow, dword: u64) -> (Members, Members, bool, u32) {
        let (Page { states, values }, sets) = shadow.page(dword);
        let at = dword as usize % PAGE;
        let mut state = State::default();
        states.update(at..at + 1, |_, now| {
            state = now;
            now
        });
        let members = |set| {
            let members = sets.members(set).into_iter();
            let mut all: Members = members.map(|(old, bytes)| (sets.record(old).epoch, bytes)).collect();
            all.sort_unstable();
            all
        };
        (members(state.writes()), members(state.reads()), state.synchronises(), values.known()[at])
    }

    /// A wave that loads the halves of a dword over and over is one reader of it.
    #[test]
    fn halves_that_are_read_again_leave_one_reader() {
        let mut shadow = Shadow::default();
        for seq in 1..100 {
            let addr = Box::new(std::array::from_fn(|lane| 2 * lane as u64));
            let extent = Extent::Lanes { mask: 0b11, bytes: 2, addr };
            let access = Access { space: Space::Global, direction: Direction::Read, extent };
            let epoch = Epoch { agent: 0, channel: 0, seq };
            let near = |_: &Record| true;
            let mut meeting =
                Meeting::new(&access, Record::plain(epoch), None, |_, _| Relation::Ordered, near);
            for_each_piece(&access.extent, |piece| meeting.touch(&mut shadow, piece));
            assert_eq!(remembered(&mut shadow, 0).1, [(epoch, WHOLE)]);
        }
    }

    /// What comes of an access, whose lanes may be met together, is what comes of them one after the other.
    #[test]
    fn lanes_are_met_as_if_one_by_one() {
        let mut state = 3u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        for round in 0..600 {
            let space = [Space::Lds, Space::Global][round % 2];
            let mut shadows = [Shadow::default(), Shadow::default()];
            for step in 1..25u32 {
                let agent = draw(4) as u32;
                let direction =
                    [Direction::Read, Direction::Write, Direction::Write, Direction::Atomic][draw(4)];
                let bytes = [1, 2, 2, 4, 4, 8, 12, 16][draw(8)];
                let (from, step_by, pattern) = (draw(2000) as u64, draw(5) as u64, draw(4));
                // Quads of bytes that are not dwords are met lane by lane.
                let align = if draw(8) == 0 && bytes != 16 { 1 } else { u64::from(bytes).min(4) };
                let addr = Box::new(std::array::from_fn(|lane| {
                    let (lane, size) = (lane as u64, u64::from(bytes));
                    let at = match pattern {
                        0 => from + lane * size,
                        1 => from + (lane ^ 3) * size,
                        2 => from + lane * size * step_by,
                        _ => draw(300) as u64,
                    };
                    at / align * align
                }));
                let mask = match draw(3) {
                    0 => 0xffff_ffff,
                    1 => u64::MAX,
                    _ => (draw(1 << 30) as u64) << draw(30) | 1,
                };
                let access = Access { space, direction, extent: Extent::Lanes { mask, bytes, addr } };
                let words: Vec<u32> =
                    (0..64 * bytes.div_ceil(4)).map(|_| draw(3) as u32 * 0x0101_0101).collect();
                let stored = Stored { words: &words, lanes: 64 };
                let stored = (direction == Direction::Write && draw(3) != 0).then_some(stored);
                let common = Record {
                    site: step,
                    atomic: direction == Direction::Atomic,
                    maybe_plain: draw(2) == 0,
                    dma: draw(6) == 0,
                    valued: stored.is_some(),
                    order: step,
                    ..Record::plain(Epoch { agent, channel: 0, seq: step })
                };
                // By and by nearly everything is ordered.
                let some = 1 + draw(12) as u32;
                let relation = |old: &Record, _: bool| {
                    let ordered = old.epoch.agent == agent || old.epoch.seq + some < step;
                    if ordered { Relation::Ordered } else { Relation::Unordered }
                };
                let near = |old: &Record| old.epoch.agent % 2 == agent % 2;
                let met = [false, true].map(|one_by_one| {
                    let mut meeting = Meeting::new(&access, common, stored, relation, near);
                    let shadow = &mut shadows[usize::from(one_by_one)];
                    if one_by_one {
                        for_each_piece(&access.extent, |piece| meeting.touch(shadow, piece));
                    } else {
                        meeting.touch_all(shadow);
                    }
                    let of = |conflict: &Conflict| {
                        let Conflict { earlier, lane, lanes, dword, write_first, both_atomic, .. } = conflict;
                        (earlier.site, *lane, *lanes, *dword, *write_first, *both_atomic)
                    };
                    let conflicts: Vec<_> = meeting.conflicts.iter().map(of).collect();
                    let undefined = meeting.undefined.map(|undefined| (undefined.addr, undefined.lanes));
                    let mut copies = meeting.copies.to_vec();
                    copies.sort_unstable();
                    copies.dedup();
                    (conflicts, undefined, copies, meeting.noted)
                });
                assert_eq!(met[0], met[1], "round {round}, {access:?}");
                for dword in 0..PAGE as u64 * 5 {
                    let [one, other] = [0, 1].map(|n| remembered(&mut shadows[n], dword));
                    assert_eq!(one, other, "round {round}, dword {dword} of {access:?}");
                }
            }
        }
    }
}
