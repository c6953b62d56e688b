//! The events of a cluster, as they are noted and compared.

use std::hash::Hasher as _;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use wavemark_sim::events::{
    Access, BarrierEvent, BarrierId, CacheOp, Channel, Counter, Direction, Extent, Issue, LoadIssue, Space,
    WaveId,
};
use wavemark_sim::pending::lanes;

use crate::intra;
use crate::number;
use crate::snapshot::Snapshot;
use crate::tally::Tally;

/// What kind of event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Instruction,
    GroupStarts,
    WaveStarts,
    Issued,
    Performed,
    Completed,
    Waited,
    Barrier,
    Cache,
    WaveEnds,
    GroupEnds,
}

/// What EXEC is to the checker when an instruction is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exec {
    /// 0.
    None,
    /// Something else, and it does not matter what.
    Some,
    /// All lanes, where that matters.
    All,
    /// A part of them, where that matters.
    Part,
}

impl Exec {
    /// What is to be noted of an instruction that is about to be executed.
    #[inline]
    pub fn of(exec: u64) -> Exec {
        if exec == 0 { Exec::None } else { Exec::Some }
    }

    /// One that is the same to the checker, of a wave with these lanes.
    fn example(self, all: u64) -> u64 {
        match self {
            Exec::None => 0,
            Exec::Some | Exec::All => all,
            Exec::Part => 1,
        }
    }
}

/// An event, but for its details: its kind, its wave by the number in the cluster (there are less than 2^12), its
/// instruction, and what EXEC is, if it is an instruction's execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key(u64);

impl Key {
    const EXEC: u32 = 4;
    const WAVE: u32 = Key::EXEC + 2;
    const MSB: u32 = Key::WAVE + 12;
    const PC: u32 = Key::MSB + 8;

    /// Of a wave and an instruction, which stands so far behind the start of the code: instructions are dwords, and code has
    /// less than 2^38 of them.
    #[inline]
    pub fn new(kind: Kind, rank: u32, place: Option<(u64, u8)>) -> Key {
        let (offset, msb) = place.unwrap_or_default();
        Key(kind as u64 | u64::from(rank) << Key::WAVE | u64::from(msb) << Key::MSB | (offset / 4) << Key::PC)
    }

    /// The same with what EXEC is.
    #[inline]
    pub fn with_exec(self, exec: Exec) -> Key {
        Key(self.0 & !(0b11 << Key::EXEC) | (exec as u64) << Key::EXEC)
    }

    /// What EXEC is.
    fn exec(self) -> Exec {
        [Exec::None, Exec::Some, Exec::All, Exec::Part][(self.0 >> Key::EXEC) as usize & 0b11]
    }

    /// Whether it is an instruction's execution.
    fn is_instruction(self) -> bool {
        self.0 & 0xf == Kind::Instruction as u64
    }

    /// The wave's number in the cluster.
    pub fn rank(self) -> usize {
        (self.0 >> Key::WAVE) as usize & ((1 << (Key::MSB - Key::WAVE)) - 1)
    }

    /// The place of the instruction: how far behind the start of the code, and the upper VGPR bits.
    pub fn place(self) -> (u64, u8) {
        ((self.0 >> Key::PC) * 4, (self.0 >> Key::MSB) as u8)
    }
}

/// A workgroup that starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupStart {
    /// How far behind the cluster's first one it stands in the grid.
    pub behind: u32,
    pub lds: u32,
    pub waves: u32,
}

/// A wave that starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WaveStart {
    /// How far behind the cluster's first one its workgroup stands in the grid.
    behind: u32,
    rank_in_cluster: u32,
    wave: u32,
    split: bool,
    pub sgprs: u32,
    pub vgprs: u32,
}

impl WaveStart {
    /// Of a wave, and the cluster's first one.
    pub fn new(wave: WaveId, first: WaveId, sgprs: u32, vgprs: u32) -> WaveStart {
        WaveStart {
            behind: wave.workgroup_flat.wrapping_sub(first.workgroup_flat),
            rank_in_cluster: wave.rank_in_cluster,
            wave: wave.wave,
            split: wave.split,
            sgprs,
            vgprs,
        }
    }
}

/// A memory operation.
#[derive(Debug)]
pub(super) struct Noted {
    pub issue: Issue,
    /// Whatever one like it stores, no two of its lanes store in the same place.
    pub lanes_apart: bool,
}

/// Whether all that an operation stores is in LDS, where no two of its lanes store in the same place.
fn lanes_apart(op: &Issue) -> bool {
    op.accesses.iter().filter(|access| access.direction == Direction::Write).all(|access| {
        let Extent::Lanes { mask, bytes, addr } = &access.extent else { return true };
        access.space == Space::Lds && intra::apart(*mask, (*bytes).into(), addr)
    })
}

/// A memory operation that was issued. In a loop they are mostly the same, but for their numbers.
#[derive(Clone, Debug)]
pub(super) struct Issued {
    /// Its number in the cluster.
    pub number: u32,
    /// Its places in its channels.
    pub seq: SmallVec<[(Channel, u32); 2]>,
    /// One like it.
    pub noted: Arc<Noted>,
    /// It stores in LDS what others have stored there.
    pub repeats: bool,
}

impl Issued {
    /// Whether an operation is the same to the checker: in everything but its data, and where it accesses global memory.
    pub fn is(&self, op: &Issue) -> bool {
        self.number == number(op.id) && self.seq == op.seq && alike(&self.noted.issue, op)
    }

    /// Whether it is this operation, which only loads, but for where it accesses global memory.
    pub fn is_load(&self, load: &LoadIssue<'_>) -> bool {
        let issue = &self.noted.issue;
        self.number == number(load.id)
            && self.seq[..] == *load.seq
            && (issue.atomic, issue.scope, issue.multicast, issue.failed) == (false, load.scope, None, false)
            && issue.accesses.len() == load.accesses.len()
            && issue.accesses.iter().zip(load.accesses).all(|(access, row)| {
                (access.space, access.direction) == (row.space, row.direction)
                    && matches!(&access.extent, Extent::Lanes { mask, bytes, addr }
                        if *bytes == row.bytes
                            && masks_alike(row.space, row.direction, *mask, row.mask)
                            && (row.space != Space::Lds || row.is_at(addr)))
            })
    }
}

/// Operations that no two are alike of.
#[derive(Debug, Default)]
pub(super) struct Issues(FxHashMap<u64, SmallVec<[Arc<Noted>; 1]>>);

impl Issues {
    /// What is to be noted of an operation, and how many bytes that is more than before.
    pub fn issued(&mut self, op: &Issue) -> (Issued, usize) {
        let known = self.0.entry(hash(op)).or_default();
        let same = |known: &&Arc<Noted>| alike(&known.issue, op) && alike(op, &known.issue);
        let (noted, bytes) = match known.iter().find(same) {
            Some(known) => (Arc::clone(known), 0),
            None => {
                let new = Arc::new(Noted { issue: op.clone(), lanes_apart: lanes_apart(op) });
                known.push(Arc::clone(&new));
                let rows = op.accesses.iter().map(|access| match &access.extent {
                    Extent::Lanes { addr, .. } => size_of_val(&addr[..]),
                    Extent::Runs(runs) => size_of_val(&runs[..]),
                });
                (new, size_of::<Issue>() + rows.sum::<usize>() + size_of_val(&op.stored[..]))
            }
        };
        (Issued { number: number(op.id), seq: SmallVec::from_slice(&op.seq), noted, repeats: false }, bytes)
    }
}

/// The same for operations that are alike, and mostly another for others: a few of their lanes tell them apart.
fn hash(op: &Issue) -> u64 {
    let mut hasher = FxHasher::default();
    for Access { space, direction, extent } in &op.accesses {
        hasher.write_u8(*space as u8);
        hasher.write_u8(*direction as u8);
        match extent {
            Extent::Lanes { mask, bytes, addr } => {
                if *space != Space::Global {
                    hasher.write_u64(*mask);
                }
                hasher.write_u32(*bytes);
                if *space == Space::Lds && *mask != 0 {
                    let (first, last) = (mask.trailing_zeros(), 63 - mask.leading_zeros());
                    let active = |lane: u32| mask >> lane & 1 != 0;
                    let some = [first, first.midpoint(last), last].into_iter().filter(|&lane| active(lane));
                    some.for_each(|lane| hasher.write_u64(addr[lane as usize]));
                }
            }
            Extent::Runs(runs) if *space == Space::Lds => {
                runs.iter().for_each(|run| hasher.write_u64(run.0));
            }
            Extent::Runs(_) => {}
        }
    }
    hasher.finish()
}

/// The details of an event that is no instruction's execution.
#[derive(Clone, Debug)]
pub(super) enum Event {
    GroupStarts(GroupStart),
    WaveStarts(WaveStart),
    /// A memory operation was issued.
    Issued(Issued),
    /// The part in global memory of an operation with this number is done; and whether it has failed.
    Performed((u32, bool)),
    /// An operation is complete; and whether it has failed.
    Completed((u32, bool)),
    Waited(SmallVec<[(Counter, u32); 3]>),
    Barrier(BarrierId, BarrierEvent),
    Cache(CacheOp, Issued),
    WaveEnds,
    /// A workgroup ends that stands so far behind the cluster's first one in the grid.
    GroupEnds(u32),
}

/// A place in a story.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cursor {
    key: usize,
    pub event: usize,
}

/// What a story says next.
pub(super) enum Next<'s> {
    /// An instruction is executed with this EXEC, or one that is the same to the checker.
    Instruction(Key, u64),
    /// Another event.
    Event(Key, &'s Event),
}

/// The events of a cluster, from its start on.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    /// Of each event.
    keys: Vec<Key>,
    events: Vec<Event>,
    /// Some operation stores in LDS what others have stored there.
    pub repeats: bool,
    /// How far it is the same as the stories before it.
    pub common: Vec<Cursor>,
    /// What a cluster with this story adds to the report.
    pub tally: Tally,
    /// What the checker knew of a cluster at some places, in their order.
    pub snapshots: Vec<(Cursor, Arc<Snapshot>)>,
}

impl Story {
    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.keys[..]) + size_of_val(&self.events[..])
    }

    /// Whether the execution of an instruction comes next; the cursor is behind it then. `is_all`: EXEC is all lanes.
    #[inline]
    pub fn meets_instruction(&self, at: &mut Cursor, key: Key, is_all: bool) -> bool {
        let meets = self.keys.get(at.key).is_some_and(|&next| {
            next == key
                || key.exec() == Exec::Some
                    && next == key.with_exec(if is_all { Exec::All } else { Exec::Part })
        });
        at.key += usize::from(meets);
        meets
    }

    /// The cursor goes on behind the execution of so many instructions; whether there are so many.
    #[inline]
    pub fn pass_instructions(&self, at: &mut Cursor, instructions: usize) -> bool {
        at.key += instructions;
        at.key <= self.keys.len()
    }

    /// Whether an event comes next; the cursor is behind it then.
    #[inline]
    pub fn meets(&self, at: &mut Cursor, key: Key, same: impl Fn(&Event) -> bool) -> bool {
        let meets = self.keys.get(at.key) == Some(&key) && self.events.get(at.event).is_some_and(same);
        if meets {
            *at = Cursor { key: at.key + 1, event: at.event + 1 };
        }
        meets
    }

    /// An instruction was executed.
    #[inline]
    pub fn note_instruction(&mut self, key: Key) {
        make_room(&mut self.keys, 1);
        self.keys.push(key);
    }

    /// It mattered whether EXEC was all lanes when the instruction was executed that was noted last.
    pub fn last_needs_exec(&mut self, is_all: bool) {
        if let Some(last) = self.keys.last_mut().filter(|last| last.exec() == Exec::Some) {
            *last = last.with_exec(if is_all { Exec::All } else { Exec::Part });
        }
    }

    /// Something else has happened.
    pub fn note(&mut self, key: Key, event: Event) {
        make_room(&mut self.keys, 1);
        make_room(&mut self.events, 1);
        self.keys.push(key);
        self.events.push(event);
    }

    /// The operation whose issue was noted last stores in LDS what others have stored there.
    pub fn last_repeats(&mut self) {
        if let Some(Event::Issued(issued)) = self.events.last_mut() {
            (issued.repeats, self.repeats) = (true, true);
        }
    }

    /// The operation whose issue is right before a cursor, if there is one.
    pub fn issued_before(&self, at: Cursor) -> Option<&Issued> {
        match self.events.get(at.event.checked_sub(1)?) {
            Some(Event::Issued(issued)) => Some(issued),
            _ => None,
        }
    }

    /// The operation with this number, if it was issued before a cursor.
    pub fn issued(&self, number: u32, before: Cursor) -> Option<&Issued> {
        self.events[..before.event].iter().rev().find_map(|event| match event {
            Event::Issued(issued) | Event::Cache(_, issued) => Some(issued).filter(|of| of.number == number),
            _ => None,
        })
    }

    /// The operations that were issued before a cursor, the last one first.
    pub fn operations(&self, before: Cursor) -> impl Iterator<Item = &Issued> {
        self.events[..before.event].iter().rev().filter_map(|event| match event {
            Event::Issued(issued) => Some(issued),
            _ => None,
        })
    }

    /// How many workgroups it starts.
    pub fn groups(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, Event::GroupStarts(_))).count()
    }

    /// Where it ends so far.
    pub fn end(&self) -> Cursor {
        Cursor { key: self.keys.len(), event: self.events.len() }
    }

    /// What is right before a cursor.
    pub fn before(&self, at: Cursor) -> Option<Key> {
        Some(self.keys[at.key.checked_sub(1)?])
    }

    /// The last thing that the checker knew in all detail, up to a cursor.
    pub fn known_before(&self, at: Cursor) -> Option<&(Cursor, Arc<Snapshot>)> {
        self.snapshots.iter().rev().find(|(of, _)| *of <= at)
    }

    /// Its beginning, up to a cursor.
    pub fn up_to(&self, at: Cursor) -> Story {
        Story {
            keys: self.keys[..at.key].to_vec(),
            events: self.events[..at.event].to_vec(),
            repeats: self.repeats,
            snapshots: self.snapshots.iter().filter(|(of, _)| *of <= at).cloned().collect(),
            ..Story::default()
        }
    }

    /// The same, which is known to be the same as the stories before it so far.
    pub fn with_common(self, common: Vec<Cursor>) -> Story {
        Story { common, ..self }
    }

    /// What it says from a cursor on, in order, of waves with these lanes.
    pub fn told(&self, mut at: Cursor, all: u64) -> impl Iterator<Item = Next<'_>> {
        std::iter::from_fn(move || {
            let key = *self.keys.get(at.key)?;
            at.key += 1;
            if key.is_instruction() {
                return Some(Next::Instruction(key, key.exec().example(all)));
            }
            at.event += 1;
            Some(Next::Event(key, &self.events[at.event - 1]))
        })
    }
}

/// Makes room for so many more. A list that is doubled again and again has been in blocks of many sizes; the allocator takes
/// blocks of each from pages of their own, and a first touch of one lets the host clear a huge page (0.2 ms). So what
/// is not short is taken for long.
#[inline]
fn make_room<T>(list: &mut Vec<T>, more: usize) {
    const SHORT: usize = 8 << 10;
    const LONG: usize = 256 << 10;
    if list.capacity() - list.len() < more {
        let bytes = if list.len() * size_of::<T>() < SHORT / 2 { SHORT } else { LONG };
        list.reserve_exact(list.len().max(bytes / size_of::<T>()));
    }
}

/// Whether an operation that was noted says all of another to the checker, but for their numbers.
fn alike(a: &Issue, b: &Issue) -> bool {
    (a.atomic, a.scope, a.multicast, a.failed) == (b.atomic, b.scope, b.multicast, b.failed)
        && a.accesses.len() == b.accesses.len()
        && a.accesses.iter().zip(&b.accesses).all(|(a, b)| accesses_alike(a, b))
}

fn accesses_alike(a: &Access, b: &Access) -> bool {
    (a.space, a.direction) == (b.space, b.direction)
        && match (&a.extent, &b.extent) {
            (
                Extent::Lanes { mask, bytes, addr },
                Extent::Lanes { mask: other_mask, bytes: other_bytes, addr: other_addr },
            ) => {
                bytes == other_bytes
                    && masks_alike(a.space, a.direction, *mask, *other_mask)
                    && (a.space != Space::Lds || rows_alike(*mask, addr, other_addr))
            }
            (Extent::Runs(runs), Extent::Runs(others)) => match a.space {
                Space::Lds => runs == others,
                _ => runs.is_empty() == others.is_empty(),
            },
            _ => false,
        }
}

/// Whether an access with some lanes was noted that says all of one with these. Where a load loads from in global memory does
/// not matter, and so not whose address that is; neither does what a store stores there, if it is known that it stores.
/// Whether an atomic leaves memory as it is depends on its lanes.
fn masks_alike(space: Space, direction: Direction, noted: u64, mask: u64) -> bool {
    match (space, direction) {
        (Space::Global, Direction::Read) => true,
        (Space::Global, Direction::Write) => noted != 0 || mask == 0,
        _ => noted == mask,
    }
}

/// Whether the lanes of `mask` have the same addresses.
fn rows_alike(mask: u64, a: &[u64; 64], b: &[u64; 64]) -> bool {
    let all = 64 - mask.leading_zeros() as usize;
    if mask.trailing_ones() as usize == all {
        a[..all] == b[..all]
    } else {
        lanes(mask).all(|lane| a[lane as usize] == b[lane as usize])
    }
}
