//! Shadow memory: who last wrote and read each dword.
//!
//! A dword keeps its last writes (one per disjoint set of bytes) with up to [`NEWEST`] of the atomics before them that nothing
//! orders, and its unordered reads. Those of LDS, of the workgroup that reads, and the newest are at hand; those before
//! them are a chain ([`Older`]), which is walked when the dword is written. With more than [`CHAIN`](sets::CHAIN) of these,
//! which takes as many waves, the rest is forgotten, and a write there says so. Nothing is reported that did not happen.
//!
//! Most dwords were last touched by one operation each way, and wholly. So a state is two words, each the number of a
//! set: nobody, one operation, or a list of operations with their bytes. Neighbours share sets, so that an access
//! decides once what becomes of a pair of them, and four dwords share a state until an access touches some of them
//! only. Sets that no dword has any more are swept out now and then.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_sim::events::Extent;

use sets::Sweep;
pub use sets::{Members, NEWEST, Older, Operation, Record, Set, Sets, State, WHOLE, Writers};

mod sets;

/// Dwords of a page.
pub const PAGE: usize = 256;
/// Dwords that share a state as long as each access touches all of them, or none.
pub const QUAD: usize = 4;
/// Pages below this number are found without a search: all of LDS.
const NEAR: usize = 4096;

/// A page of dwords.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// What is remembered of each.
    pub states: States,
    /// The bytes that stores have written, as far as they are known.
    pub values: Values,
}

/// The states of a page's dwords.
#[derive(Clone, Debug)]
pub struct States {
    /// Of each quad, or [`State::SPLIT`].
    quads: [State; PAGE / QUAD],
    /// Of each dword of the quads that are split.
    dwords: Option<Box<[State; PAGE]>>,
}

impl Default for States {
    fn default() -> Self {
        States { quads: [State::default(); PAGE / QUAD], dwords: None }
    }
}

impl States {
    /// Give a quad the state `after` if it has the state `before`; whether it has `after` now.
    #[inline(always)]
    pub fn replace(&mut self, quad: usize, before: State, after: State) -> bool {
        let state = &mut self.quads[quad];
        if *state == before {
            *state = after;
        }
        *state == after
    }

    /// The same for some dwords of a quad: whether all of them had `before`.
    #[inline]
    pub fn replace_some(&mut self, some: Range<usize>, before: State, after: State) -> bool {
        let quad = some.start / QUAD;
        if self.quads[quad] != State::SPLIT {
            let replaces = self.quads[quad] == before;
            if replaces && after != before {
                match some.len() {
                    QUAD => self.quads[quad] = after,
                    _ => self.split(some, after),
                }
            }
            return replaces;
        }
        let Some(dwords) = self.dwords.as_deref_mut() else { return false };
        let replaces = dwords[some.clone()].iter().all(|state| *state == before);
        if replaces {
            dwords[some].fill(after);
            self.join(quad);
        }
        replaces
    }

    /// The dwords of a quad that is split share a state again, if all four have come to the same.
    #[inline]
    fn join(&mut self, quad: usize) {
        let Some(dwords) = self.dwords.as_deref() else { return };
        let four = &dwords[quad * QUAD..][..QUAD];
        if four.iter().all(|state| *state == four[0]) {
            self.quads[quad] = four[0];
        }
    }

    /// The state of a quad, if its dwords share one.
    #[inline(always)]
    pub fn whole(&self, quad: usize) -> Option<State> {
        Some(self.quads[quad]).filter(|&state| state != State::SPLIT)
    }

    /// Give the dwords of a range new states. `after` is asked once for dwords that share one: which they are, and
    /// their state before.
    #[inline]
    pub fn update(&mut self, dwords: Range<usize>, mut after: impl FnMut(Range<usize>, State) -> State) {
        let mut at = dwords.start;
        while at < dwords.end {
            let quad = at / QUAD;
            let to = dwords.end.min((quad + 1) * QUAD);
            let before = self.quads[quad];
            if before == State::SPLIT {
                self.update_split(at..to, &mut after);
            } else {
                let new = after(at..to, before);
                if to - at == QUAD {
                    self.quads[quad] = new;
                } else if new != before {
                    self.split(at..to, new);
                }
            }
            at = to;
        }
    }

    /// Some dwords of a quad get a state of their own.
    fn split(&mut self, some: Range<usize>, state: State) {
        let quad = some.start / QUAD;
        let dwords = self.dwords.get_or_insert_with(|| Box::new([State::default(); PAGE]));
        dwords[quad * QUAD..][..QUAD].fill(self.quads[quad]);
        dwords[some].fill(state);
        self.quads[quad] = State::SPLIT;
    }

    /// Dwords of a quad that is split, and is one again if all four come to the same.
    fn update_split(&mut self, some: Range<usize>, after: &mut impl FnMut(Range<usize>, State) -> State) {
        let (quad, Some(dwords)) = (some.start / QUAD, self.dwords.as_mut()) else { return };
        for at in some {
            dwords[at] = after(at..at + 1, dwords[at]);
        }
        self.join(quad);
    }

    /// All states that there are.
    fn all(&mut self) -> impl Iterator<Item = &mut State> {
        let split: [bool; PAGE / QUAD] = std::array::from_fn(|quad| self.quads[quad] == State::SPLIT);
        let whole = self.quads.iter_mut().filter(|state| **state != State::SPLIT);
        let dwords = self.dwords.iter_mut().flat_map(|dwords| dwords.iter_mut().enumerate());
        whole.chain(dwords.filter(move |(at, _)| split[at / QUAD]).map(|(_, state)| state))
    }
}

/// The values of a page's dwords, once there are any.
#[derive(Clone, Debug, Default)]
pub struct Values(Option<Box<[u32; PAGE]>>);

impl Values {
    /// What all of them hold, as far as that is known.
    pub fn known(&self) -> &[u32; PAGE] {
        self.0.as_deref().unwrap_or(&[0; PAGE])
    }

    /// All of them, to be written.
    pub fn all(&mut self) -> &mut [u32; PAGE] {
        self.0.get_or_insert_with(|| Box::new([0; PAGE]))
    }
}

/// Shadow of a memory.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    /// What the states of its pages number.
    pub sets: Sets,
    #[expect(clippy::vec_box, reason = "pages are not moved when there are more of them")]
    pages: Vec<Box<Page>>,
    /// The places of pages with low numbers in `pages`, counted from 1.
    near: Vec<u32>,
    /// Those of the others, by directories of [`DIRECTORY`] numbers; and the place of each directory.
    directories: Vec<Box<[u32; DIRECTORY]>>,
    far: FxHashMap<u64, u32>,
    /// Directories looked up of late, by the low bits of their numbers: the number and the place in `directories`.
    recent: [(u64, u32); RECENT],
    /// Records, lists and links of so many bytes are swept.
    sweep_at: usize,
}

/// Pages of a directory.
const DIRECTORY: usize = 1024;
/// Entries of [`Shadow::recent`].
const RECENT: usize = 16;
/// Bytes of records, lists and links that are not worth sweeping.
const FEW: usize = 1 << 17;
/// Bytes of them that come while a sweep looks at a page.
const PAGE_WORTH: usize = 1 << 9;

impl Shadow {
    /// The page that has a dword, and its sets.
    #[inline(always)]
    pub fn page(&mut self, dword: u64) -> (&mut Page, &mut Sets) {
        let number = dword / PAGE as u64;
        let at = match self.near.get(number as usize) {
            Some(&place) if place != 0 => place - 1,
            _ => self.find(number),
        };
        (&mut self.pages[at as usize], &mut self.sets)
    }

    fn find(&mut self, number: u64) -> u32 {
        let next = self.pages.len() as u32;
        if number < NEAR as u64 {
            let number = number as usize;
            self.near.resize(self.near.len().max(number + 1), 0);
            self.near[number] = next + 1;
        } else {
            let directory = number / DIRECTORY as u64;
            let recent = &mut self.recent[directory as usize % RECENT];
            // A far directory's number is not 0.
            if recent.0 != directory {
                let next = self.directories.len() as u32;
                let at = *self.far.entry(directory).or_insert(next);
                if at == next {
                    self.directories.push(Box::new([0; DIRECTORY]));
                }
                *recent = (directory, at);
            }
            let place = &mut self.directories[recent.1 as usize][number as usize % DIRECTORY];
            if *place != 0 {
                return *place - 1;
            }
            *place = next + 1;
        }
        self.pages.push(Box::default());
        next
    }

    /// Forget the records, lists and links that no dword has, if there may be many. Their numbers change.
    pub fn sweep(&mut self) {
        if self.sets.size() >= self.sweep_at.max(FEW) {
            self.sweep_now();
        }
    }

    /// The waves whose accesses are remembered.
    pub fn agents(&mut self) -> FxHashSet<u32> {
        self.sweep_now();
        self.sets.records.iter().map(|record| record.epoch.agent).collect()
    }

    /// The accesses are those of agents whose numbers are higher by so much.
    pub fn move_agents(&mut self, by: u32) {
        self.sets.records.iter_mut().for_each(|record| record.epoch.agent += by);
    }

    /// What stores have left in all of LDS, as far as it is remembered.
    pub fn set_values(&mut self, dwords: &[u32]) {
        for (&place, dwords) in self.near.iter().zip(dwords.chunks(PAGE)) {
            if let Some(page) = place.checked_sub(1).map(|at| &mut self.pages[at as usize]) {
                page.values.all()[..dwords.len()].copy_from_slice(dwords);
            }
        }
    }

    /// What stores have left is not known any more.
    pub fn forget_values(&mut self) {
        self.sets.records.iter_mut().for_each(|record| record.valued = false);
    }

    /// How many dwords there is room for.
    pub fn dwords(&self) -> usize {
        self.pages.len() * PAGE
    }

    fn sweep_now(&mut self) {
        let mut sweep = Sweep::new(&self.sets);
        for state in self.pages.iter_mut().flat_map(|page| page.states.all()) {
            sweep.keep(&self.sets, *state);
        }
        sweep.sweep(&mut self.sets);
        for state in self.pages.iter_mut().flat_map(|page| page.states.all()) {
            *state = sweep.renewed(*state);
        }
        // What a sweep costs is a part of what has happened since the last one.
        self.sweep_at = self.sets.size() * 3 / 2 + self.pages.len() * PAGE_WORTH;
    }
}

/// Dwords of an extent that stand one behind the other in one page: either one, of which any bytes, or some, all of
/// them whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The number of the first dword: address divided by 4.
    pub number: u64,
    /// How many dwords.
    pub count: u32,
    /// Which bytes of each.
    pub bytes: u8,
    /// The lane of the first.
    lane: u32,
    /// Where its first byte is in that lane's data.
    offset: u32,
    /// Dwords of a lane.
    lane_dwords: u32,
}

impl Piece {
    /// The lane and the dword of its data, of each dword of a piece of whole ones.
    pub fn places(&self) -> impl Iterator<Item = (u32, u32)> {
        let (mut lane, mut dword, dwords) = (self.lane, self.offset / 4, self.lane_dwords);
        (0..self.count).map(move |_| {
            let place = (lane, dword);
            dword += 1;
            if dword == dwords {
                (lane, dword) = (lane + 1, 0);
            }
            place
        })
    }

    /// Of dword `n`, its lane, and where its first byte is in that lane's data.
    #[inline]
    pub fn place(&self, n: u32) -> (u32, u32) {
        if n == 0 {
            return (self.lane, self.offset);
        }
        let n = self.offset / 4 + n;
        (self.lane + n / self.lane_dwords, n % self.lane_dwords * 4)
    }
}

/// The addresses of active lanes, from the first one on, if no lane between them is off.
pub fn neighbours(mask: u64, addr: &[u64; 64]) -> Option<&[u64]> {
    let first = mask.trailing_zeros();
    let count = mask.checked_shr(first)?.trailing_ones();
    (count == mask.count_ones()).then(|| &addr[first as usize..(first + count) as usize])
}

/// Whether all of these lanes are at the beginning of dwords.
pub fn are_at_dwords(mask: u64, addr: &[u64; 64]) -> bool {
    let all = match neighbours(mask, addr) {
        Some(all) => all.iter().fold(0, |all, at| all | at),
        None => wavemark_sim::pending::lanes(mask).fold(0, |all, lane| all | addr[lane as usize]),
    };
    all.is_multiple_of(4)
}

/// Call `visit` with the pieces of `bytes` bytes from `addr` on, which are those of lanes from `lane` on, `lane_bytes` each.
pub fn for_each_piece_of(addr: u64, bytes: u64, lane: u32, lane_bytes: u32, mut visit: impl FnMut(&Piece)) {
    let whole = addr.is_multiple_of(4) && lane_bytes.is_multiple_of(4) && addr.checked_add(bytes).is_some();
    let end = addr.saturating_add(bytes);
    let mut at = addr;
    while at < end {
        let number = at / 4;
        let left = (end - at) / 4;
        let from = at - addr;
        let (lane, offset) = match lane_bytes {
            _ if from == 0 => (lane, 0),
            0 => (lane, from as u32),
            n => (lane + (from / u64::from(n)) as u32, (from % u64::from(n)) as u32),
        };
        let (count, bytes, next) = if whole {
            let count = (PAGE as u64 - number % PAGE as u64).min(left);
            (count as u32, WHOLE, at + count * 4)
        } else {
            let skipped = at % 4;
            let n = (4 - skipped).min(end - at);
            (1, (((1u32 << n) - 1) << skipped) as u8, at + n)
        };
        visit(&Piece { number, count, bytes, lane, offset, lane_dwords: (lane_bytes / 4).max(1) });
        at = next;
    }
}

/// Call `visit` with the pieces of an extent, in the order of lanes.
pub fn for_each_piece(extent: &Extent, mut visit: impl FnMut(&Piece)) {
    match extent {
        Extent::Lanes { mask, bytes, addr } => {
            let (mut lanes, bytes) = (wavemark_sim::pending::lanes(*mask).peekable(), *bytes);
            while let Some(first) = lanes.next() {
                let at = addr[first as usize];
                let mut last = first;
                // Lanes that continue where the one before them ends.
                while bytes.is_multiple_of(4)
                    && lanes.peek() == Some(&(last + 1))
                    && addr[last as usize].checked_add(u64::from(bytes)) == Some(addr[last as usize + 1])
                {
                    last += 1;
                    lanes.next();
                }
                let all = u64::from(last - first + 1) * u64::from(bytes);
                for_each_piece_of(at, all, first, bytes, &mut visit);
            }
        }
        Extent::Runs(runs) => {
            for &(addr, bytes) in runs {
                for_each_piece_of(addr, u64::from(bytes), 0, bytes, &mut visit);
            }
        }
    }
}

/// Dwords of lanes that have less than one each, as [`for_each_row`] finds them: one behind the other in one page, and
/// touched alike.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The number of the first dword: address divided by 4.
    pub number: u64,
    /// How many dwords.
    pub count: u32,
    /// Which bytes lanes touch of each.
    pub parts: Parts,
    /// The active lanes.
    mask: u64,
    /// The first and the last lane of each dword.
    lanes: [(u8, u8); 64],
}

impl Row {
    /// The first and the last lane that touch dword `n`.
    pub fn ends(&self, n: u32) -> (usize, usize) {
        let (first, last) = self.lanes[n as usize];
        (first.into(), last.into())
    }

    /// The lanes that touch dword `n`.
    pub fn lanes(&self, n: u32) -> u64 {
        let (first, last) = self.lanes[n as usize];
        self.mask & (u64::MAX >> (63 - last)) & (u64::MAX << first)
    }
}

/// Which bytes of a dword lanes touch, one after the other: four bits a lane, from the lowest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts(u32);

impl Parts {
    /// All bytes, at once.
    pub const WHOLE: Parts = Parts::one(WHOLE);

    /// The lower half, then the upper one.
    pub const HALVES: Parts = Parts(0b1100_0011);

    /// These bytes, at once.
    pub const fn one(bytes: u8) -> Parts {
        Parts(bytes as u32)
    }

    /// More bytes behind them; `None` if there is no room for them.
    #[inline]
    fn and(self, bytes: u8) -> Option<Parts> {
        let taken = (u32::BITS - self.0.leading_zeros()).next_multiple_of(4);
        (taken < u32::BITS).then(|| Parts(self.0 | u32::from(bytes) << taken))
    }

    /// The bytes of each lane.
    pub fn each(self) -> impl Iterator<Item = u8> {
        (0..u32::BITS).step_by(4).map(move |at| (self.0 >> at & 0xf) as u8).take_while(|&bytes| bytes != 0)
    }

    /// The bytes of any lane.
    pub fn any(self) -> u8 {
        self.each().fold(0, |all, bytes| all | bytes)
    }
}

/// Call `visit` with the rows of an extent, in the order of lanes, if its lanes have less than a dword each, and none of
/// them parts of two; whether that is so.
pub fn for_each_row(extent: &Extent, mut visit: impl FnMut(&Row)) -> bool {
    let Extent::Lanes { mask, bytes: bytes @ (1 | 2), addr } = extent else { return false };
    if *bytes == 2 && wavemark_sim::pending::lanes(*mask).any(|lane| addr[lane as usize] & 1 != 0) {
        return false;
    }
    let own = (1u8 << bytes) - 1;
    let mut row = Row { number: 0, count: 0, parts: Parts::default(), mask: *mask, lanes: [(0, 0); 64] };
    let mut rest = *mask;
    while rest != 0 {
        let first = rest.trailing_zeros() as u8;
        let at = addr[usize::from(first)];
        let number = at / 4;
        let (mut parts, mut last) = (Parts::default(), first);
        // Mostly two neighbours have a half each.
        let next = |n: u8| addr.get(usize::from(first + n)).filter(|_| rest >> first >> n & 1 != 0);
        let pair = *bytes == 2
            && at.is_multiple_of(4)
            && next(1) == Some(&(at + 2))
            && next(2).is_none_or(|other| other / 4 != number);
        if pair {
            (parts, last) = (Parts::HALVES, first + 1);
            rest &= !(0b11 << first);
        }
        while rest != 0 && !pair {
            let lane = rest.trailing_zeros() as u8;
            let at = addr[usize::from(lane)];
            let Some(more) = parts.and(own << (at % 4)).filter(|_| at / 4 == number) else { break };
            (parts, last) = (more, lane);
            rest &= rest - 1;
        }
        let behind = row.number + u64::from(row.count) == number && !number.is_multiple_of(PAGE as u64);
        if row.parts != parts || !behind {
            if row.count != 0 {
                visit(&row);
            }
            (row.number, row.count, row.parts) = (number, 0, parts);
        }
        row.lanes[row.count as usize] = (first, last);
        row.count += 1;
    }
    if row.count != 0 {
        visit(&row);
    }
    true
}

/// The place of lanes that are all at the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The lanes.
    pub mask: u64,
    /// Bytes of each.
    pub bytes: u32,
    /// Its address.
    pub at: u64,
}

impl Place {
    /// That of an extent's lanes, if they have one.
    #[inline]
    pub fn of(extent: &Extent) -> Option<Place> {
        let Extent::Lanes { mask, bytes, addr } = extent else { return None };
        let at = *addr.get(mask.trailing_zeros() as usize)?;
        let all = wavemark_sim::pending::lanes(*mask).all(|lane| addr[lane as usize] == at);
        all.then_some(Place { mask: *mask, bytes: *bytes, at })
    }

    /// The lanes at it.
    pub fn extent(self) -> Extent {
        Extent::Lanes { mask: self.mask, bytes: self.bytes, addr: Box::new([self.at; 64]) }
    }

    /// Where its bytes begin and end.
    pub fn bounds(self) -> (u64, u64) {
        (self.at, self.at.saturating_add(self.bytes.into()))
    }

    /// The numbers of its dwords.
    pub fn dwords(self) -> Range<u64> {
        let (from, to) = self.bounds();
        from / 4..to.div_ceil(4)
    }

    /// Whether it has dwords between two addresses.
    pub fn meets(self, (from, to): (u64, u64)) -> bool {
        let dwords = self.dwords();
        dwords.start < to.div_ceil(4) && from / 4 < dwords.end
    }
}

/// Where the bytes of an extent begin and end, if there are any.
pub fn bounds(extent: &Extent) -> Option<(u64, u64)> {
    let around = |(from, to): (u64, u64), (at, end): (u64, u64)| (from.min(at), to.max(end));
    let nothing = (u64::MAX, 0);
    let (from, to) = match extent {
        Extent::Lanes { mask, bytes, addr } => {
            let (first, last) = match neighbours(*mask, addr) {
                Some(all) => all.iter().map(|&at| (at, at)).fold(nothing, around),
                None => wavemark_sim::pending::lanes(*mask)
                    .map(|lane| (addr[lane as usize], addr[lane as usize]))
                    .fold(nothing, around),
            };
            (first, last.saturating_add(u64::from(*bytes)))
        }
        Extent::Runs(runs) => {
            runs.iter().map(|&(at, bytes)| (at, at.saturating_add(u64::from(bytes)))).fold(nothing, around)
        }
    };
    (from < to).then_some((from, to))
}

/// Call `visit` with the number of each dword that an extent touches, once where all lanes are at one place.
pub fn for_each_dword(extent: &Extent, mut visit: impl FnMut(u64)) {
    let mut run = |addr: u64, bytes: u32| {
        let end = addr.saturating_add(u64::from(bytes)).div_ceil(4);
        (addr / 4..end).filter(|_| bytes > 0).for_each(&mut visit);
    };
    if let Some(place) = Place::of(extent) {
        return run(place.at, place.bytes);
    }
    match extent {
        // Mostly lanes have a dword each.
        Extent::Lanes { mask, bytes: 4, addr } if are_at_dwords(*mask, addr) => {
            wavemark_sim::pending::lanes(*mask).for_each(|lane| visit(addr[lane as usize] / 4));
        }
        Extent::Lanes { mask, bytes, addr } => {
            wavemark_sim::pending::lanes(*mask).for_each(|lane| run(addr[lane as usize], *bytes));
        }
        Extent::Runs(runs) => runs.iter().for_each(|&(addr, bytes)| run(addr, bytes)),
    }
}

#[cfg(test)]
mod tests {
    use smallvec::SmallVec;
    use wavemark_order::Epoch;

    use super::sets::CHAIN;
    use super::*;

    fn record(agent: u32) -> Record {
        Record::plain(Epoch { agent, channel: 0, seq: 1 })
    }

    /// A chain has the newest read of each wave, so many at the most, and says if there were more; a sweep changes nothing.
    #[test]
    fn chains_have_a_read_of_each_wave() {
        let mut shadow = Shadow::default();
        let agents = |sets: &Sets, older: Older| -> Vec<(u32, u32)> {
            let epochs = sets.chain(older).map(|(read, _)| sets.record(read).epoch);
            epochs.map(|epoch| (epoch.agent, epoch.seq)).collect()
        };
        let mut older = Older::default();
        for (seq, agent) in [(1, 7), (1, 8), (2, 7), (1, 9), (2, 8)] {
            let read = record(agent);
            let read = Record { epoch: Epoch { seq, ..read.epoch }, ..read };
            let read = shadow.sets.operation(read);
            older = shadow.sets.with_older((read, WHOLE), older);
        }
        assert_eq!(agents(&shadow.sets, older), [(8, 2), (9, 1), (7, 2)]);
        for agent in 10..10 + u32::from(CHAIN) {
            assert!(!shadow.sets.is_incomplete(older) || agent > 10 + u32::from(CHAIN) - 4);
            let read = shadow.sets.operation(record(agent));
            older = shadow.sets.with_older((read, WHOLE), older);
        }
        assert!(shadow.sets.is_incomplete(older));
        let chain = agents(&shadow.sets, older);
        assert_eq!(chain.len(), usize::from(CHAIN));
        let set = shadow.sets.set(Members::new(), older);
        shadow.page(0).0.states.update(0..4, |_, _| State::default().with(Set::default(), set));
        shadow.sweep_now();
        let mut swept = Vec::new();
        let (page, sets) = shadow.page(0);
        page.states.update(0..4, |_, state| {
            let older = sets.older(state.reads());
            assert!(sets.is_incomplete(older));
            swept = agents(sets, older);
            state
        });
        assert_eq!(swept, chain);
        assert_eq!(shadow.sets.links.len(), chain.len());
    }

    /// What no dword has is swept out; what one has says the same as before.
    #[test]
    fn sweeping_keeps_what_is_remembered() {
        let mut shadow = Shadow::default();
        for agent in 0..(FEW / size_of::<Record>()) as u32 {
            let (page, sets) = shadow.page(u64::from(agent) % 8 + ((u64::from(agent) % 2) << 40));
            let operation = sets.operation(record(agent));
            let list = SmallVec::from_slice(&[
                (Operation(operation.0.saturating_sub(9)), 0b0001),
                (operation, 0b0110),
            ]);
            let state = State::default().with(Set::one(operation), sets.set(list, Older::default()));
            let at = agent as usize % 8;
            page.states.update(at..at + 1, |_, _| state);
        }
        let seen = |shadow: &mut Shadow| {
            let mut all = Vec::new();
            for dword in (0..8).chain((0..8).map(|at| at + (1 << 40))) {
                let (page, sets) = shadow.page(dword);
                let (at, mut state) = ((dword % 8) as usize, State::default());
                page.states.update(at..at + 1, |_, now| {
                    state = now;
                    now
                });
                for (operation, bytes) in
                    sets.members(state.writes()).into_iter().chain(sets.members(state.reads()))
                {
                    all.push((sets.record(operation).epoch.agent, bytes));
                }
            }
            all
        };
        let before = seen(&mut shadow);
        shadow.sweep();
        assert_eq!(seen(&mut shadow), before);
        assert_eq!(before.len(), 3 * 8);
        assert_eq!((shadow.sets.records.len(), shadow.sets.lists.len()), (16, 8));
    }

    /// Whole dwords come by pages, and say whose they are.
    #[test]
    fn lanes_in_a_row_are_one_run() {
        let mut addr = Box::new([0u64; 64]);
        for (lane, at) in addr.iter_mut().enumerate() {
            *at = 0x1340 + lane as u64 * 8;
        }
        addr[30] = 0x4002;
        let extent = Extent::Lanes { mask: 0x7fff_fffe, bytes: 8, addr };
        let mut seen = Vec::new();
        for_each_piece(&extent, |p| {
            seen.push((p.number, p.count, p.bytes, p.place(0), p.place(p.count - 1)))
        });
        assert_eq!(
            seen,
            [
                (0x4d2, 46, WHOLE, (1, 0), (23, 4)),
                (0x500, 12, WHOLE, (24, 0), (29, 4)),
                (0x1000, 1, 0b1100, (30, 0), (30, 0)),
                (0x1001, 1, WHOLE, (30, 2), (30, 2)),
                (0x1002, 1, 0b0011, (30, 6), (30, 6)),
            ]
        );
    }

    /// Lanes of less than a dword come by dwords that are touched alike, in their order.
    #[test]
    fn narrow_lanes_are_rows_of_dwords() {
        let rows = |bytes, mask, at: &dyn Fn(u64) -> u64| {
            let addr = Box::new(std::array::from_fn(|lane| at(lane as u64)));
            let mut seen = Vec::new();
            let narrow = for_each_row(&Extent::Lanes { mask, bytes, addr }, |row| {
                let lanes = (0..row.count).map(|n| row.lanes(n)).collect::<Vec<_>>();
                seen.push((row.number, row.parts.each().collect::<Vec<_>>(), lanes));
            });
            narrow.then_some(seen)
        };
        let halves = vec![0b0011, 0b1100];
        assert_eq!(
            rows(2, 0x3f, &|lane| 0x100 + lane * 2),
            Some(vec![(0x40, halves.clone(), vec![0b11, 0b1100, 0b11_0000])])
        );
        // The other half first, a lane that is off, and all lanes at one place.
        assert_eq!(
            rows(2, 0b1011, &|lane| 0x100 + (lane ^ 1) * 2),
            Some(vec![(0x40, vec![0b1100, 0b0011], vec![0b11]), (0x41, vec![0b0011], vec![0b1000])])
        );
        assert_eq!(rows(2, 0xff, &|_| 6), Some(vec![(1, vec![0b1100; 8], vec![0xff])]));
        // More lanes at a dword than are told apart at once, and the end of a page.
        let back_and_forth = |lane: u64| 0x400 + lane % 2;
        assert_eq!(
            rows(1, 0x3ff, &back_and_forth),
            Some(vec![(0x100, [[1, 2]; 4].concat(), vec![0xff]), (0x100, vec![1, 2], vec![0x300]),])
        );
        assert_eq!(
            rows(2, 0xf, &|lane| 0x3fc + lane * 2),
            Some(vec![(0xff, halves.clone(), vec![0b11]), (0x100, halves, vec![0b1100])])
        );
        assert_eq!(rows(2, 1, &|_| 3), None);
        assert_eq!(rows(4, 1, &|_| 0), None);
        assert_eq!(rows(1, 0, &|_| 0), Some(vec![]));
    }

    #[test]
    fn unaligned_runs_are_split_at_dwords() {
        let mut seen = Vec::new();
        for_each_dword(&Extent::Runs(vec![(3, 6)]), |number| seen.push(number));
        assert_eq!(seen, [0, 1, 2]);
    }
}
