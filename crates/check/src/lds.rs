//! What is remembered of a workgroup's LDS: its shadow, and beside it the loads that nothing was to be said of.
//!
//! Most loads of a right kernel come after a barrier that orders all stores to what they load, and most stores after one that
//! orders all loads before them. To find that out it takes the operations, not what is remembered of each byte. So it is
//! kept which operation was the last to write each dword. A load into registers of dwords whose writers are all ordered
//! before it is put off: the shadow is told of it only when something is written that it touches and is not ordered
//! before. What is ordered before everybody is dropped. Loads of what atomics have touched, by which waves wait for each other,
//! are put off otherwise ([`crate::polls`]).
//!
//! What is reported is the same as if every load were remembered at once, but that a load may be named as well after which
//! another one comes that is named, and that of one that is done again and again the last ones count.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_order::Epoch;
use wavemark_sim::events::{Access, Direction, Extent};
use wavemark_sim::pending::lanes;

use crate::meeting::remember_load;
use crate::polls::Polls;
use crate::relation::Order;
use crate::shadow::{Record, Shadow, WHOLE, for_each_piece, for_each_row, neighbours};
use crate::site_info::SiteId;
use crate::snapshot::Moved;

/// Bytes of a block.
const BLOCK: u64 = 1024;
/// Words of blocks: as many as the largest LDS has; behind that they are counted from the start again.
const WORDS: usize = 5;

/// Blocks that an access touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Area([u64; WORDS]);

impl Area {
    /// That of an access; where its lanes are near each other, with what is between them.
    fn of(extent: &Extent) -> Area {
        Area::around(extent, near(extent, BLOCK))
    }

    /// The same, if it is known whether its lanes are near each other.
    fn around(extent: &Extent, near: Option<(u64, u64)>) -> Area {
        let mut area = Area::default();
        match (extent, near) {
            (_, Some((from, to))) => area.add(from, to - from),
            (Extent::Lanes { mask, bytes, addr }, None) => {
                for lane in lanes(*mask) {
                    area.add(addr[lane as usize], u64::from(*bytes));
                }
            }
            (Extent::Runs(runs), None) => {
                runs.iter().for_each(|&(start, bytes)| area.add(start, u64::from(bytes)));
            }
        }
        area
    }

    #[inline]
    fn add(&mut self, start: u64, bytes: u64) {
        let last = start.saturating_add(bytes.saturating_sub(1)) / BLOCK;
        for block in (start / BLOCK..=last).take(WORDS * 64) {
            self.0[block as usize / 64 % WORDS] |= 1 << (block % 64);
        }
    }

    #[inline]
    fn meets(&self, other: &Area) -> bool {
        self.0.iter().zip(&other.0).fold(0, |both, (a, b)| both | a & b) != 0
    }
}

/// A store, an atomic or a copy to LDS.
#[derive(Clone, Debug)]
struct Written {
    record: Record,
    /// The waves, by their numbers in the workgroup, whose loads it is ordered before.
    ordered: u64,
    /// Who has relied on its end, if it is a copy: which waits for it were needed is to be noted.
    relied: Relied,
    /// What it writes over, if it is a copy.
    over: Over,
    /// It is a copy, and was read in no order with it.
    raced: bool,
}

/// What a copy writes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// What no copy has brought.
    Else,
    /// What an earlier one has brought, and somebody has read.
    Read,
    /// What an earlier one has brought and nobody has read.
    Unread,
}

/// Who has relied on the end of a copy so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relied {
    Nobody,
    ItsWave,
    /// Another wave, which knows of fewer waits.
    Another,
}

impl Written {
    /// Who relies on its end if a wave does.
    fn relied_by(&self, agent: u32) -> Relied {
        if agent == self.record.epoch.agent { Relied::ItsWave } else { Relied::Another }
    }
}

/// A load that was put off.
#[derive(Clone, Debug)]
struct Load {
    record: Record,
    area: Area,
    extent: Extent,
}

/// The LDS of a workgroup.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lds {
    pub shadow: Shadow,
    pub polls: Polls,
    /// The last access's place in their order.
    order: u32,
    /// Who has written each dword last, all of its bytes: [`NOBODY`], [`SETTLED`], [`SHARED`], or a place in `written`, counted
    /// from [`FIRST`].
    writers: Vec<u32>,
    written: Vec<Written>,
    loads: Vec<Load>,
    /// With so many loads, or writes, it is worth looking for those that are ordered before everybody.
    prune_at: [usize; 2],
}

/// The writer of a dword that was not written, or not all at once.
const NOBODY: u32 = 0;
/// One that is ordered before everybody.
const SETTLED: u32 = 1;
/// That of a dword which an atomic has touched: what loads of it mean is for the shadow to tell.
const SHARED: u32 = 2;
/// The first of the others.
const FIRST: u32 = 3;
/// So few loads, and writes, are not worth looking through.
const FEW: [usize; 2] = [64, 1024];

impl Lds {
    /// The same of waves whose numbers are higher by so much.
    pub fn moved(&self, by: &mut Moved) -> Lds {
        let mut moved = Lds { polls: self.polls.moved(by), ..self.clone() };
        moved.shadow.move_agents(by.agents);
        let loads = moved.loads.iter_mut().map(|load| &mut load.record);
        for record in loads.chain(moved.written.iter_mut().map(|written| &mut written.record)) {
            record.epoch.agent += by.agents;
        }
        moved
    }

    /// The place in the order of accesses of one that is to be checked now.
    pub fn next(&mut self) -> u32 {
        self.order += 1;
        self.order
    }

    /// Whether a load into registers of a wave, by its number in the workgroup, was put off, because everything that it loads
    /// is written, by operations that are all `ordered` before it.
    pub fn puts_off(
        &mut self,
        record: Record,
        access: &Access,
        wave: u32,
        ordered: impl Fn(&Record) -> bool,
    ) -> bool {
        if wave >= u64::BITS {
            return false;
        }
        let Lds { writers, written, .. } = self;
        let near = near(&access.extent, BLOCK);
        let surely = all_writers(writers, &access.extent, near, |writer| {
            let Some(written) = place(writer).map(|at| &mut written[at]) else { return false };
            let in_order = written.ordered >> wave & 1 != 0 || ordered(&written.record);
            written.ordered |= u64::from(in_order) << wave;
            in_order && written.relied >= written.relied_by(record.epoch.agent)
        });
        if !surely {
            return false;
        }
        let area = Area::around(&access.extent, near);
        self.loads.push(Load { record, area, extent: access.extent.clone() });
        true
    }

    /// An access that changes LDS comes, whose `order` this is: the shadow is told of the loads that conflict with it.
    pub fn prepare(&mut self, access: &Access, order: &Order<'_>, ordered: impl Fn(&Record) -> bool) {
        if self.loads.is_empty() {
            return;
        }
        let area = Area::of(&access.extent);
        let Lds { shadow, polls, loads, .. } = self;
        // A wave's loads are all of one queue: those before one that is ordered are so, too.
        let mut last_of: SmallVec<[(u32, bool); 16]> = SmallVec::new();
        for Load { record, .. } in loads.iter().rev().filter(|load| load.area.meets(&area)) {
            if last_of.iter().all(|(agent, _)| *agent != record.epoch.agent) {
                last_of.push((record.epoch.agent, ordered(record)));
            }
        }
        if last_of.iter().all(|&(_, ordered)| ordered) {
            return;
        }
        polls.tell_all(shadow, order);
        let ordered = |record: &Record| last_of.contains(&(record.epoch.agent, true)) || ordered(record);
        let mut runs: SmallVec<[(u64, u64); 8]> = SmallVec::new();
        for_each_run(&access.extent, |number, count, _| runs.push((number, number + u64::from(count))));
        loads.retain(|load| {
            let conflicts = load.area.meets(&area) && !ordered(&load.record) && load.touches(&runs);
            if conflicts {
                remember_load(shadow, &load.extent, load.record);
            }
            !conflicts
        });
    }

    /// What a copy writes over, which is behind the ends of these.
    pub fn over(&self, access: &Access, copies: &[Epoch]) -> Over {
        let unread = |written: &Written| {
            !written.raced && written.relied == Relied::Nobody && copies.contains(&written.record.epoch)
        };
        let is_read = |writer| !matches!(place(writer), Some(at) if unread(&self.written[at]));
        match copies.is_empty() {
            true => Over::Else,
            false if all_writers(&self.writers, &access.extent, None, is_read) => Over::Read,
            false => Over::Unread,
        }
    }

    /// What a copy has written over.
    pub fn was_over(&self, copy: Epoch) -> Over {
        let of = self.written.iter().rev().find(|written| written.record.epoch == copy);
        of.map_or(Over::Else, |of| of.over)
    }

    /// What a copy brings is read in no order with it.
    pub fn note_raced(&mut self, copy: Epoch) {
        if let Some(of) = self.written.iter_mut().rev().find(|written| written.record.epoch == copy) {
            of.raced = true;
        }
    }

    /// An access that has changed LDS, and of which the shadow knows; what it is `over`, if it is a copy.
    pub fn note_written(&mut self, record: Record, access: &Access, over: Over) {
        let atomic = access.direction == Direction::Atomic;
        let writer = if atomic { SHARED } else { self.written.len() as u32 + FIRST };
        let writers = &mut self.writers;
        let mut wrote = |number: u64, count: u32, bytes: u8| {
            let (from, to) = (number as usize, number as usize + count as usize);
            if writers.len() < to {
                writers.resize(to, NOBODY);
            }
            let writer = if atomic || bytes == WHOLE { writer } else { NOBODY };
            for last in writers[from..to].iter_mut().filter(|last| **last != SHARED) {
                *last = writer;
            }
        };
        match &access.extent {
            Extent::Lanes { mask, bytes, addr }
                if bytes.is_multiple_of(4) && lanes(*mask).all(|lane| addr[lane as usize] % 4 == 0) =>
            {
                lanes(*mask).for_each(|lane| wrote(addr[lane as usize] / 4, bytes / 4, WHOLE));
            }
            extent => for_each_run(extent, wrote),
        }
        if !atomic {
            let relied = if record.dma { Relied::Nobody } else { Relied::Another };
            self.written.push(Written { record, ordered: 0, relied, over, raced: false });
        }
    }

    /// An access of a wave has relied on the ends of these copies.
    pub fn note_used(&mut self, agent: u32, access: &Access, copies: &[Epoch]) {
        if copies.is_empty() {
            return;
        }
        let Lds { writers, written, .. } = self;
        all_writers(writers, &access.extent, None, |writer| {
            if let Some(written) = place(writer).map(|at| &mut written[at])
                && copies.contains(&written.record.epoch)
            {
                written.relied = written.relied.max(written.relied_by(agent));
            }
            true
        });
    }

    /// Drop, if there may be many, the operations that are over for everybody: those of an agent in a channel up to the number
    /// that `over_upto` says.
    pub fn prune(&mut self, over_upto: impl Fn(u32, u8) -> u32) {
        let [few_loads, few_writes] = self.prune_at;
        let many_writes = self.written.len() >= few_writes.max(FEW[1]);
        if self.loads.len() >= few_loads.max(FEW[0]) || many_writes {
            self.prune_now(many_writes, over_upto);
        }
    }

    /// The same whether there are many or not; of the writes, if these are wanted.
    pub fn prune_now(&mut self, writes: bool, over_upto: impl Fn(u32, u8) -> u32) {
        let mut known: SmallVec<[(u32, u8, u32); 8]> = SmallVec::new();
        let mut is_over = |Epoch { agent, channel, seq }: Epoch| {
            let same = |(a, c, _): &&(u32, u8, u32)| (*a, *c) == (agent, channel);
            let upto = match known.iter().find(same) {
                Some(&(.., upto)) => upto,
                None => {
                    let upto = over_upto(agent, channel);
                    known.push((agent, channel, upto));
                    upto
                }
            };
            seq <= upto
        };
        self.loads.retain(|load| !is_over(load.record.epoch));
        self.drop_repeated();
        if writes {
            let mut kept = 0;
            let mut is_last = vec![false; self.written.len()];
            self.writers.iter().filter_map(|writer| place(*writer)).for_each(|at| is_last[at] = true);
            let mut renumbered = |(written, is_last): (&Written, bool)| {
                let may_be_noted = is_last && written.relied < Relied::Another;
                let stays = may_be_noted || !is_over(written.record.epoch);
                kept += u32::from(stays);
                if stays { kept - 1 + FIRST } else { SETTLED }
            };
            let new: Vec<u32> = self.written.iter().zip(is_last).map(&mut renumbered).collect();
            for writer in &mut self.writers {
                *writer = place(*writer).map_or(*writer, |at| new[at]);
            }
            let mut new = new.iter();
            self.written.retain(|_| new.next() != Some(&SETTLED));
        }
        self.prune_at = [2 * self.loads.len(), 2 * self.written.len()];
    }

    /// Drops loads that are done again and again, as of a wave that polls what nobody writes, but for the last ones: what is not
    /// ordered behind an earlier one is not behind those either.
    fn drop_repeated(&mut self) {
        let mut later: FxHashMap<(u32, SiteId), usize> = FxHashMap::default();
        let mut stays = vec![true; self.loads.len()];
        for (at, load) in self.loads.iter().enumerate().rev() {
            let again = later.insert((load.record.epoch.agent, load.record.site), at);
            stays[at] = again.is_none_or(|again| self.loads[again].extent != load.extent);
        }
        let mut stays = stays.into_iter();
        self.loads.retain(|_| stays.next().unwrap_or(true));
    }
}

/// Call `visit` with the dwords of an extent, by those behind each other: the number of the first, how many, and which bytes
/// of each are touched.
fn for_each_run(extent: &Extent, mut visit: impl FnMut(u64, u32, u8)) {
    if !for_each_row(extent, |row| visit(row.number, row.count, row.parts.any())) {
        for_each_piece(extent, |piece| visit(piece.number, piece.count, piece.bytes));
    }
}

/// The place in [`Lds::written`] of a writer that has one.
#[inline]
fn place(writer: u32) -> Option<usize> {
    writer.checked_sub(FIRST).map(|at| at as usize)
}

/// Where the bytes of lanes begin and end that are no more than `most` apart.
fn near(extent: &Extent, most: u64) -> Option<(u64, u64)> {
    let Extent::Lanes { mask, bytes, addr } = extent else { return None };
    let around = |(from, to): (u64, u64), at: u64| (from.min(at), to.max(at));
    let (from, to) = match neighbours(*mask, addr) {
        Some(all) => all.iter().copied().fold((u64::MAX, 0), around),
        None => lanes(*mask).map(|lane| addr[lane as usize]).fold((u64::MAX, 0), around),
    };
    let to = to.checked_add(u64::from(*bytes)).filter(|_| *mask != 0)?;
    (to - from <= most).then_some((from, to))
}

/// Whether all who have written the dwords of an extent last, but for [`SETTLED`], are `accepted`; neighbours of one writer
/// ask once. Those of what lies between its lanes, where these are `near` each other, may be asked, too, and [`NOBODY`] is not
/// accepted then.
fn all_writers(
    writers: &[u32],
    extent: &Extent,
    near: Option<(u64, u64)>,
    mut accepted: impl FnMut(u32) -> bool,
) -> bool {
    let of = |start: u64, bytes: u64| {
        let end = start.saturating_add(bytes.saturating_sub(1)) / 4 + 1;
        writers.get((start / 4) as usize..end as usize).unwrap_or(&[NOBODY])
    };
    // It mostly has the same writers.
    if let Some((from, to)) = near {
        let mut last_asked = SETTLED;
        let all = of(from, to - from).chunks(16).all(|writers| {
            writers.iter().fold(0, |others, writer| others | (writer ^ last_asked)) == 0
                || all_accepted(writers, &mut last_asked, &mut accepted)
        });
        if all {
            return true;
        }
    }
    let mut last_asked = SETTLED;
    let mut run = |start, bytes: u32| all_accepted(of(start, bytes.into()), &mut last_asked, &mut accepted);
    match extent {
        Extent::Lanes { mask, bytes, addr } => lanes(*mask).all(|lane| run(addr[lane as usize], *bytes)),
        Extent::Runs(runs) => runs.iter().all(|&(start, bytes)| run(start, bytes)),
    }
}

/// Whether these writers are accepted, of whom the last one asked is; until one is not.
#[inline]
fn all_accepted(writers: &[u32], last_asked: &mut u32, accepted: &mut impl FnMut(u32) -> bool) -> bool {
    writers.iter().all(|&writer| {
        writer == SETTLED || writer == std::mem::replace(last_asked, writer) || accepted(writer)
    })
}

impl Load {
    /// Whether it touches dwords of some of these runs.
    fn touches(&self, runs: &[(u64, u64)]) -> bool {
        let mut touches = false;
        for_each_run(&self.extent, |number, count, _| {
            let end = number + u64::from(count);
            touches |= runs.iter().any(|&(from, to)| from < end && number < to);
        });
        touches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who has written what an access touches is asked alike of lanes near each other and of any.
    #[test]
    fn writers_are_asked_as_lane_by_lane() {
        let mut state = 5u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        let (mut yes, mut no) = (0, 0);
        for _ in 0..2000 {
            let kinds = 1 + draw(4);
            let writers: Vec<u32> = (0..400).map(|at| (at / 40 % kinds) as u32).collect();
            let (from, step, bytes) = (draw(1200), draw(40), [1, 2, 4, 8, 16][draw(5) as usize]);
            let addr = Box::new(std::array::from_fn(|lane| from + lane as u64 % 20 * step));
            let mask = if draw(2) == 0 { u64::MAX } else { 1 + draw(1 << 30) };
            let extent = Extent::Lanes { mask, bytes, addr };
            let refused = draw(4) as u32;
            let accepted = |writer: u32| writer != NOBODY && writer != refused;
            let together = all_writers(&writers, &extent, near(&extent, BLOCK), accepted);
            assert_eq!(together, all_writers(&writers, &extent, None, accepted), "{extent:?}");
            *(if together { &mut yes } else { &mut no }) += 1;
        }
        assert!(yes > 100 && no > 100, "{yes} {no}");
        assert_eq!(near(&Extent::Runs(vec![(0, 4)]), BLOCK), None);
    }

    /// Of loads by which a wave polls what nobody writes the last one stays, of each instruction and place.
    #[test]
    fn loads_that_come_again_are_remembered_once() {
        let load = |seq: u32, site: SiteId, start: u64| {
            let epoch = Epoch { agent: 0, channel: 0, seq };
            let record = Record { site, order: seq, ..Record::plain(epoch) };
            let extent = Extent::Runs(vec![(start, 4)]);
            Load { record, area: Area::of(&extent), extent }
        };
        let polls = (1..=100).map(|seq| load(seq, seq % 2, 0));
        let mut lds = Lds { loads: polls.chain([load(101, 1, 8)]).collect(), ..Lds::default() };
        lds.prune_now(false, |_, _| 0);
        let left: Vec<u32> = lds.loads.iter().map(|load| load.record.epoch.seq).collect();
        assert_eq!(left, [99, 100, 101]);
    }

    #[test]
    fn areas_meet_where_bytes_do() {
        let area = |start, bytes| Area::of(&Extent::Runs(vec![(start, bytes)]));
        assert!(area(0, 4).meets(&area(1000, 100)));
        assert!(!area(0, 1024).meets(&area(1024, 4)));
        assert!(area(1023, 2).meets(&area(1024, 4)));
        assert!(area(0, u32::MAX).meets(&area(300_000, 4)));
        assert!(!area(8, 0).meets(&area(4096, 4)));
    }
}
