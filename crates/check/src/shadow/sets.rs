//! The sets of operations that the dwords of a shadow remember, by numbers: most dwords were touched by the same operations as
//! their neighbours, and share them. A set that no dword has any more goes in a [`Sweep`], which renumbers the others.

use smallvec::SmallVec;
use wavemark_order::Epoch;
use wavemark_sim::events::Scope;

use crate::site_info::SiteId;

/// Unordered accesses of each kind that are at hand per dword of global memory, which any number of waves may read.
pub const NEWEST: usize = 4;
/// Reads that are remembered besides, and as many waves' at the most.
pub const CHAIN: u8 = 60;
/// All bytes of a dword.
pub const WHOLE: u8 = 0b1111;

/// An access that is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Which operation.
    pub epoch: Epoch,
    /// Which instruction.
    pub site: SiteId,
    /// It cannot be torn: an atomic, or a load or store with a scope beyond the CU.
    pub atomic: bool,
    /// A store that may be plain all the same: the processor's stores say no scope.
    pub maybe_plain: bool,
    /// Its scope.
    pub scope: Scope,
    /// It is a DMA's side.
    pub dma: bool,
    /// It is a store of values that are known.
    pub valued: bool,
    /// It is an atomic that left memory as it was.
    pub keeps: bool,
    /// It is a load, and its wave has stored there since, what others may store there, too.
    pub overwritten: bool,
    /// In LDS, its place in the order of accesses to it.
    pub order: u32,
}

impl Record {
    /// An operation of instruction 0 of which nothing is said, for tests.
    #[cfg(test)]
    pub fn plain(epoch: Epoch) -> Record {
        Record {
            epoch,
            site: 0,
            atomic: false,
            maybe_plain: false,
            scope: Scope::Cu,
            dma: false,
            valued: false,
            keeps: false,
            overwritten: false,
            order: 0,
        }
    }

    /// Of a load: its registers are all that it writes, and no scope makes synchronisation of it.
    pub fn is_plain(&self) -> bool {
        !self.dma && !self.atomic
    }
}

/// Operations that a dword remembers, each with the bytes that it has touched.
pub type Members = SmallVec<[(Operation, u8); 8]>;

/// The number of a [`Record`] in its shadow memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation(pub(super) u32);

impl Operation {
    /// A number that differs for most operations.
    pub fn hash(self) -> usize {
        self.0 as usize
    }
}

/// The number of a set of operations: none, one that has touched all bytes, or a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Set(u32);

impl Set {
    const NONE: Set = Set(0);
    const LIST: u32 = 1 << 31;

    /// Just `operation`, wholly.
    pub fn one(operation: Operation) -> Set {
        Set(operation.0 + 1)
    }

    fn list(self) -> Option<usize> {
        (self.0 & Set::LIST != 0).then_some((self.0 & !Set::LIST) as usize)
    }
}

/// What is remembered of one dword: below, the last writes, and whether an atomic has been among those that were ever;
/// above, the reads that no later write has followed, and how often it was written ([`Writers`]). One number, because most of
/// what is done with it is to compare it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State(u64);

impl State {
    const SYNCHRONISES: u64 = 1 << 30;
    const REWRITTEN: u64 = 1 << 62;
    const SHARED: u64 = 1 << 61;
    const FLAGS: u64 = State::SYNCHRONISES | State::REWRITTEN | State::SHARED;
    /// In place of a quad's state: its dwords have their own. No sets have these numbers.
    pub(super) const SPLIT: State = State(u64::MAX);
    /// One that nothing has.
    pub const IMPOSSIBLE: State = State(u64::MAX - 1);

    /// One with other sets.
    pub fn with(self, writes: Set, reads: Set) -> State {
        State(u64::from(writes.0) | self.0 & State::FLAGS | u64::from(reads.0) << 32)
    }

    /// An atomic touches it.
    pub fn synchronising(self) -> State {
        State(self.0 | State::SYNCHRONISES)
    }

    /// It is written, for the first time or again, by a wave that has written all that is there, or not. An atomic gives no
    /// first value.
    pub fn written(self, same_wave: bool, atomic: bool) -> State {
        let more = match self.writes() {
            Set::NONE if atomic => State::REWRITTEN | State::SHARED,
            Set::NONE => 0,
            _ if same_wave => State::REWRITTEN,
            _ => State::REWRITTEN | State::SHARED,
        };
        State(self.0 | more)
    }

    /// Last writes.
    pub fn writes(self) -> Set {
        Set((self.0 & !State::FLAGS) as u32)
    }

    /// Reads that no later write has followed.
    pub fn reads(self) -> Set {
        Set(((self.0 & !State::FLAGS) >> 32) as u32)
    }

    /// An atomic has touched it: it synchronises, its plain reads are polls.
    pub fn synchronises(self) -> bool {
        self.0 & State::SYNCHRONISES != 0
    }

    /// Who has written it, if anybody has.
    pub fn writers(self) -> Writers {
        match () {
            _ if self.0 & State::SHARED != 0 => Writers::Several,
            _ if self.0 & State::REWRITTEN != 0 => Writers::OneAgain,
            _ => Writers::OneOnce,
        }
    }

    /// A number that differs for most states.
    pub fn hash(self) -> usize {
        (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
    }
}

/// Who has ever written a dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// One wave, once.
    OneOnce,
    /// One wave, more than once.
    OneAgain,
    /// More than one, or first an atomic.
    Several,
}

/// A set that is neither none nor one operation.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// The newest operations.
    members: Members,
    /// Those before them.
    older: Older,
}

/// Reads from one on back to the first: none, or the number of a [`Link`], counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Older(u32);

impl Older {
    /// Where the link is.
    fn place(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

/// One of these reads, and those before it. Sets share them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    read: (Operation, u8),
    before: Older,
    /// How many reads there are from here on back.
    length: u8,
    /// There were more, which are forgotten.
    incomplete: bool,
}

/// The operations and lists that sets number.
#[derive(Clone, Debug, Default)]
pub struct Sets {
    pub(super) records: Vec<Record>,
    pub(super) lists: Vec<List>,
    pub(super) links: Vec<Link>,
}

impl Sets {
    /// The operation's record.
    #[inline]
    pub fn record(&self, operation: Operation) -> &Record {
        &self.records[operation.0 as usize]
    }

    /// Give a record a number; the last one is not kept twice.
    pub fn operation(&mut self, record: Record) -> Operation {
        if self.records.last() != Some(&record) {
            self.records.push(record);
        }
        Operation(self.records.len() as u32 - 1)
    }

    /// The members of a set, but for the older ones.
    pub fn members(&self, set: Set) -> Members {
        match (set.list(), set.0) {
            (Some(list), _) => SmallVec::from_slice(&self.lists[list].members),
            (None, 0) => Members::new(),
            (None, one) => SmallVec::from_slice(&[(Operation(one - 1), WHOLE)]),
        }
    }

    /// The older members of a set.
    pub fn older(&self, set: Set) -> Older {
        set.list().map_or(Older::default(), |list| self.lists[list].older)
    }

    /// The set of these members, some of which may have no bytes left, and older ones.
    pub fn set(&mut self, mut members: Members, older: Older) -> Set {
        members.retain(|&mut (_, bytes)| bytes != 0);
        match members.as_slice() {
            [] if older == Older::default() => Set::NONE,
            [(operation, WHOLE)] if older == Older::default() => Set::one(*operation),
            _ => self.list(List { members, older }),
        }
    }

    fn list(&mut self, list: List) -> Set {
        self.lists.push(list);
        Set((self.lists.len() as u32 - 1) | Set::LIST)
    }

    /// The reads of a chain, the newest first.
    pub fn chain(&self, older: Older) -> impl Iterator<Item = (Operation, u8)> + '_ {
        self.links_of(older).map(|link| link.read)
    }

    /// Whether reads of a chain are forgotten.
    pub fn is_incomplete(&self, older: Older) -> bool {
        self.links_of(older).next().is_some_and(|link| link.incomplete)
    }

    fn links_of(&self, mut older: Older) -> impl Iterator<Item = &Link> + '_ {
        std::iter::from_fn(move || {
            let link = self.links.get(older.place()?)?;
            older = link.before;
            Some(link)
        })
    }

    fn link(&mut self, read: (Operation, u8), before: Older, incomplete: bool) -> Older {
        let length = before.place().map_or(0, |at| self.links[at].length) + 1;
        self.links.push(Link { read, before, length, incomplete });
        Older(self.links.len() as u32)
    }

    /// A chain with one read more. What its wave has read before on the same channel is behind it: who comes after the one
    /// comes after the other.
    pub fn with_older(&mut self, read: (Operation, u8), older: Older) -> Older {
        let Epoch { agent, channel, .. } = self.record(read.0).epoch;
        let replaced = |link: &Link| {
            let old = self.record(link.read.0).epoch;
            (old.agent, old.channel) == (agent, channel) && link.read.1 & !read.1 == 0
        };
        let newer: SmallVec<[Link; 8]> =
            self.links_of(older).copied().take_while(|link| !replaced(link)).collect();
        let mut kept = older;
        let replaced = self.links_of(older).nth(newer.len()).map(|link| link.before);
        if let Some(before) = replaced {
            kept =
                newer.iter().rev().fold(before, |before, link| self.link(link.read, before, link.incomplete));
        }
        let incomplete = self.is_incomplete(older);
        let newest = kept.place().map(|at| self.links[at]);
        match newest.filter(|newest| newest.length == CHAIN) {
            None => self.link(read, kept, incomplete),
            Some(_) if incomplete => kept,
            Some(newest) => self.link(newest.read, newest.before, true),
        }
    }

    /// Bytes that all of them take.
    #[inline]
    pub fn size(&self) -> usize {
        size_of_val(self.records.as_slice())
            + size_of_val(self.lists.as_slice())
            + size_of_val(self.links.as_slice())
    }
}

/// What is to stay in a [`Sets`], and then the new numbers of it.
pub struct Sweep {
    records: Kept,
    lists: Kept,
    links: Kept,
}

impl Sweep {
    /// Of what nothing is to stay yet.
    pub fn new(sets: &Sets) -> Sweep {
        let [records, lists, links] =
            [sets.records.len(), sets.lists.len(), sets.links.len()].map(|count| Kept(vec![0; count]));
        Sweep { records, lists, links }
    }

    /// The sets of this state stay.
    pub fn keep(&mut self, sets: &Sets, state: State) {
        for set in [state.writes(), state.reads()] {
            match (set.list(), set.0) {
                (Some(list), _) if self.lists.keep(list) => {
                    let List { members, older } = &sets.lists[list];
                    members.iter().for_each(|(member, _)| _ = self.records.keep(member.0 as usize));
                    let mut older = *older;
                    while let Some(at) = older.place().filter(|&at| self.links.keep(at)) {
                        self.records.keep(sets.links[at].read.0.0 as usize);
                        older = sets.links[at].before;
                    }
                }
                (Some(_), _) | (None, 0) => {}
                (None, one) => _ = self.records.keep(one as usize - 1),
            }
        }
    }

    /// Only what is to stay does, with new numbers.
    pub fn sweep(&mut self, sets: &mut Sets) {
        self.records.sweep(&mut sets.records);
        self.lists.sweep(&mut sets.lists);
        self.links.sweep(&mut sets.links);
        for List { members, older } in &mut sets.lists {
            members.iter_mut().for_each(|(member, _)| *member = self.operation(*member));
            *older = self.older(*older);
        }
        for link in &mut sets.links {
            link.read.0 = self.operation(link.read.0);
            link.before = self.older(link.before);
        }
    }

    /// The state with the new numbers of its sets.
    pub fn renewed(&self, state: State) -> State {
        state.with(self.set(state.writes()), self.set(state.reads()))
    }

    fn set(&self, set: Set) -> Set {
        match (set.list(), set.0) {
            (Some(list), _) => Set((self.lists.0[list] - 1) | Set::LIST),
            (None, 0) => Set::NONE,
            (None, one) => Set::one(self.operation(Operation(one - 1))),
        }
    }

    fn operation(&self, operation: Operation) -> Operation {
        Operation(self.records.0[operation.0 as usize] - 1)
    }

    fn older(&self, older: Older) -> Older {
        older.place().map_or(older, |at| Older(self.links.0[at]))
    }
}

/// For each of some numbers: 0 if it goes; 1, and then the new number, counted from 1, if it stays.
struct Kept(Vec<u32>);

impl Kept {
    /// This one stays. Whether that is new.
    fn keep(&mut self, number: usize) -> bool {
        std::mem::replace(&mut self.0[number], 1) == 0
    }

    /// Those that stay move together, in the order that they have.
    fn sweep<T>(&mut self, items: &mut Vec<T>) {
        let mut kept = 0;
        for (at, number) in self.0.iter_mut().enumerate().filter(|(_, number)| **number != 0) {
            items.swap(kept, at);
            kept += 1;
            *number = kept as u32;
        }
        items.truncate(kept);
    }
}
