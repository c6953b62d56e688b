//! Views of global memory: each thread sees what was there when the launch began and what it has written itself, and
//! remembers who has touched what.
//!
//! Pages of what a view writes are copied when they are first touched. Writes are claimed byte by byte, reads in
//! granules of 64 bytes. Two claimants collide if one writes a byte that the other writes, or a granule that the other
//! reads. What nobody collides over has the same value in every order, so that views can be united. A granule is mostly
//! written by one claimant, so that a bit for each byte is enough, a quarter of a byte for each. Of one that several write,
//! who they are is known of pairs of bytes: two that share a pair are taken to collide. What is put off ([`super::put_off`])
//! collides with all other accesses of its granules. Reads of what no view writes are not claimed at all ([`put_by`]).

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

mod granules;
mod put_by;
#[cfg(test)]
mod tests;

use granules::granules;
use put_by::PutBy;

use super::Global;
use super::contents::Contents;
use super::put_off::{PutOff, make_up_for};
use crate::gather;
use crate::lanewise::places;
use crate::pending::lanes;
use crate::regs::Chunk;

/// Bytes that are copied at once.
const PAGE: usize = 4096;
/// Bytes that readers are remembered of.
const GRANULE: usize = 64;
/// Granules of a page.
const GRANULES: usize = PAGE / GRANULE;
/// Pairs of bytes of a granule.
const PAIRS: usize = GRANULE / 2;
/// More readers than one.
const MANY: u32 = u32::MAX;

/// One thread's view of an allocation.
#[derive(Debug)]
pub(super) struct View {
    shared: Arc<Contents>,
    /// A copy of `shared`, in the pages that are `copied`; nothing before the first write.
    own: Vec<u8>,
    copied: Vec<bool>,
    /// Who has written each byte, of the pages in which anybody has.
    writers: Vec<Option<Box<Writers>>>,
    /// Who has read each granule, but for what is put by; nothing before the first.
    readers: Vec<u32>,
    /// Reads to be claimed once something is written or put off.
    put_by: PutBy,
    /// The granules in which something is put off; nothing before the first.
    atomics: Vec<bool>,
    claimed: Claimed,
}

/// Who has written the bytes of a page. Pages for themselves, because memory that is first read and then written costs
/// the host more than an allocation.
#[derive(Debug)]
struct Writers {
    granules: [Granule; GRANULES],
    /// Who has written in which pair of bytes, 0 is nobody, of the granules that several have written, by their numbers.
    several: Vec<(u8, [u32; PAIRS])>,
}

/// Who has written the bytes of a granule.
#[derive(Clone, Copy, Debug)]
struct Granule {
    /// The claimant, or [`SEVERAL`]; 0 is nobody.
    writer: u32,
    /// Which bytes are written, a bit each.
    written: u64,
}

/// More writers than one. There are never so many clusters that it is one of them.
const SEVERAL: u32 = u32::MAX - 1;

/// What comes of claims.
#[derive(Clone, Copy, Debug, Default)]
struct Claimed {
    /// Two claimants collide.
    collides: bool,
    /// A claimant has touched again what it has written, or written what it has read.
    again: bool,
}

impl Claimed {
    /// What `other` has touched, or nobody, who is 0, the claimant touches now.
    fn add(&mut self, other: u32, claimant: u32) {
        self.collides |= other != 0 && other != claimant;
        self.again |= other == claimant;
    }

    /// What comes of more claims.
    fn join(&mut self, more: Claimed) {
        self.collides |= more.collides;
        self.again |= more.again;
    }
}

impl Writers {
    fn new() -> Box<Writers> {
        let granules = [Granule { writer: 0, written: 0 }; GRANULES];
        Box::new(Writers { granules, several: Vec::new() })
    }

    /// Bytes that they may come to take.
    const MOST: usize = size_of::<Writers>() + GRANULES * size_of::<(u8, [u32; PAIRS])>();

    /// `claimant` reads the bytes of `mask` in a granule.
    #[inline]
    fn read(&self, number: usize, mask: u64, claimant: u32) -> Claimed {
        let Granule { writer, written } = self.granules[number];
        let mut claimed = Claimed::default();
        if written & mask != 0 {
            match self.several.iter().find(|(of, _)| writer == SEVERAL && usize::from(*of) == number) {
                Some((_, who)) => pairs(written & mask).for_each(|at| claimed.add(who[at], claimant)),
                None => claimed.add(writer, claimant),
            }
        }
        claimed
    }

    /// `claimant` writes the bytes of `mask` in a granule.
    #[inline]
    fn write(&mut self, number: usize, mask: u64, claimant: u32) -> Claimed {
        let granule = &mut self.granules[number];
        if granule.writer == 0 || granule.writer == claimant {
            let again = granule.written & mask != 0;
            *granule = Granule { writer: claimant, written: granule.written | mask };
            return Claimed { collides: false, again };
        }
        self.write_of_others(number, mask, claimant)
    }

    #[cold]
    #[inline(never)]
    fn write_of_others(&mut self, number: usize, mask: u64, claimant: u32) -> Claimed {
        let Granule { writer, written } = self.granules[number];
        if writer != SEVERAL {
            let mut who = [0; PAIRS];
            pairs(written).for_each(|at| who[at] = writer);
            self.several.push((number as u8, who));
        }
        self.granules[number] = Granule { writer: SEVERAL, written: written | mask };
        let mut claimed = Claimed::default();
        if let Some((_, who)) = self.several.iter_mut().find(|(of, _)| usize::from(*of) == number) {
            for at in pairs(mask) {
                let other = std::mem::replace(&mut who[at], claimant);
                claimed.collides |= other != 0 && other != claimant;
                claimed.again |= other == claimant && written & mask & 3 << (2 * at) != 0;
            }
        }
        claimed
    }
}

/// The pairs of bytes in which a mask has any.
fn pairs(mask: u64) -> impl Iterator<Item = usize> {
    lanes((mask | mask >> 1) & 0x5555_5555_5555_5555).map(|at| at as usize / 2)
}

/// The contents of allocations while views share them.
#[derive(Debug)]
pub struct Shared(Vec<Arc<Contents>>);

/// Bytes of an allocation whose places, and a few more, are numbers of 32 bits.
const MOST_BY_ROWS: usize = 1 << 31;

/// `claimant` reads a granule that this one has read, or nobody, who is 0.
#[inline(always)]
fn read_by(reader: &mut u32, claimant: u32) {
    if *reader != claimant && *reader != MANY {
        *reader = if *reader == 0 { claimant } else { MANY };
    }
}

impl View {
    fn new(shared: Arc<Contents>) -> View {
        View {
            shared,
            own: Vec::new(),
            copied: Vec::new(),
            writers: Vec::new(),
            readers: Vec::new(),
            put_by: PutBy::default(),
            atomics: Vec::new(),
            claimed: Claimed::default(),
        }
    }

    /// What all views have in common.
    pub fn shared(&self) -> &Contents {
        &self.shared
    }

    /// Its bytes, to be read.
    pub fn bytes(&mut self, range: Range<usize>) -> &[u8] {
        if self.own.is_empty() || range.is_empty() {
            return &self.shared[range];
        }
        let mut pages = self.copied[range.start / PAGE..=(range.end - 1) / PAGE].iter();
        if !pages.any(|&copied| copied) {
            return &self.shared[range];
        }
        self.bytes_mut(range)
    }

    /// Its bytes, to be written.
    pub fn bytes_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        if self.own.is_empty() {
            self.own = vec![0; self.shared.len()];
            self.copied = vec![false; self.shared.len().div_ceil(PAGE)];
        }
        if range.is_empty() {
            return &mut [];
        }
        for page in range.start / PAGE..=(range.end - 1) / PAGE {
            if !std::mem::replace(&mut self.copied[page], true) {
                let bytes = page * PAGE..((page + 1) * PAGE).min(self.shared.len());
                self.own[bytes.clone()].copy_from_slice(&self.shared[bytes]);
            }
        }
        &mut self.own[range]
    }

    /// `claimant` reads these granules.
    #[inline]
    fn read(&mut self, granules: RangeInclusive<usize>, claimant: u32) {
        if self.readers.is_empty() {
            self.readers = vec![0; self.shared.len().div_ceil(GRANULE)];
        }
        self.claimed.collides |= self.puts_off_in(granules.clone());
        self.readers[granules].iter_mut().for_each(|reader| read_by(reader, claimant));
    }

    /// Whether something is put off in one of the granules.
    #[inline]
    fn puts_off_in(&self, granules: RangeInclusive<usize>) -> bool {
        self.atomics.get(granules).is_some_and(|atomics| atomics.contains(&true))
    }

    /// Read-modify-writes of `size` bytes at each of `starts` are put off.
    pub fn claim_atomics(&mut self, size: usize, starts: impl Iterator<Item = usize>) {
        if self.atomics.is_empty() {
            self.claim_put_by();
            self.atomics = vec![false; self.shared.len().div_ceil(GRANULE)];
        }
        for granule in starts.flat_map(|start| start / GRANULE..=(start + size - 1) / GRANULE) {
            if !std::mem::replace(&mut self.atomics[granule], true) {
                self.claimed.collides |= self.touches(granule);
            }
        }
    }

    /// `claimant` reads `size` bytes at each of `starts`.
    #[inline]
    pub fn claim_reads(&mut self, claimant: u32, size: usize, starts: impl Iterator<Item = usize>) {
        let mut claimed = Claimed::default();
        // Neighbouring lanes mostly read the same granule.
        let mut last_claimed = None;
        for start in starts {
            let last = start + size - 1;
            let granules = start / GRANULE..=last / GRANULE;
            if last_claimed.as_ref() != Some(&granules) {
                last_claimed = Some(granules.clone());
                self.read(granules, claimant);
            }
            if !self.writers.is_empty() {
                for_each_granule(start..=last, |page, granule, mask| {
                    if let Some(writers) = &self.writers[page] {
                        claimed.join(writers.read(granule, mask, claimant));
                    }
                });
            }
        }
        self.claimed.join(claimed);
    }

    /// Whether reads need not be claimed yet.
    #[inline]
    fn is_only_read(&self) -> bool {
        self.writers.is_empty() && self.atomics.is_empty()
    }

    /// Claims the reads that are put by.
    fn claim_put_by(&mut self) {
        let put_by = std::mem::take(&mut self.put_by);
        for (claimant, from, row) in put_by.reads() {
            self.claim_rows_now(claimant, from, row.size as usize, &row.at, row.mask);
        }
    }

    /// `claimant` reads `size` bytes of each lane of `mask`, at its place in `at` from `from` on.
    #[inline]
    pub fn claim_rows(&mut self, claimant: u32, from: usize, size: usize, at: &[Chunk], mask: u64) {
        let len = self.shared.len();
        if !self.is_only_read() || !self.put_by.note(claimant, len, from, size, at, mask) {
            self.claim_rows_now(claimant, from, size, at, mask);
        }
    }

    fn claim_rows_now(&mut self, claimant: u32, from: usize, size: usize, at: &[Chunk], mask: u64) {
        // What is only read, as most of what a kernel reads is, is claimed by granules alone.
        if !self.writers.is_empty() || self.shared.len() > MOST_BY_ROWS {
            return self.claim_reads(claimant, size, places(at, mask).map(|place| from + place));
        }
        let (granule, within) = (from / GRANULE, (from % GRANULE) as u32);
        let mut numbers = [0; 16];
        for (c, at) in at.iter().enumerate() {
            let mask = gather::part(mask, c);
            match granules(&mut numbers, at, mask, within, size as u32) {
                Some(count) if !self.readers.is_empty() && self.atomics.is_empty() => {
                    let readers = &mut self.readers[granule..];
                    numbers[..count].iter().for_each(|&n| read_by(&mut readers[n as usize], claimant));
                }
                _ => {
                    let at = std::slice::from_ref(at);
                    self.claim_reads(claimant, size, places(at, mask.into()).map(|place| from + place));
                }
            }
        }
    }

    /// `claimant` writes `size` bytes at each of `starts`.
    #[inline]
    pub fn claim_writes(&mut self, claimant: u32, size: usize, starts: impl Iterator<Item = usize>) {
        if self.writers.is_empty() {
            self.claim_put_by();
            self.writers.resize_with(self.shared.len().div_ceil(PAGE), || None);
        }
        let mut claimed = Claimed::default();
        // What the lane before has written of the same is no second access.
        let mut before = 0..0;
        for start in starts {
            let last = start + size - 1;
            let own = before.contains(&start) || before.contains(&last);
            before = start..last + 1;
            claimed.collides |= self.puts_off_in(start / GRANULE..=last / GRANULE);
            for_each_granule(start..=last, |page, granule, mask| {
                let writers = self.writers[page].get_or_insert_with(Writers::new);
                let Claimed { collides, again } = writers.write(granule, mask, claimant);
                claimed.join(Claimed { collides, again: again && !own });
            });
            if !self.readers.is_empty() {
                for &reader in &self.readers[start / GRANULE..=last / GRANULE] {
                    claimed.add(reader, claimant);
                }
            }
        }
        self.claimed.join(claimed);
    }
}

impl Global {
    /// Share the contents of all allocations; they come back with [`Global::unite`].
    pub fn share(&mut self) -> Shared {
        let contents = self.allocations.iter_mut().map(|a| Arc::new(std::mem::take(&mut a.bytes)));
        Shared(contents.collect())
    }

    /// Bytes that a view may come to take: nobody keeps anything of what cannot be written.
    pub fn most_of_view(&self) -> u64 {
        let of_page = size_of::<Option<Box<Writers>>>() + Writers::MOST + size_of::<bool>();
        let of_granule = size_of::<u32>() + PutBy::MOST + size_of::<bool>();
        let of = |len: u64| {
            len + len.div_ceil(PAGE as u64) * of_page as u64
                + len.div_ceil(GRANULE as u64) * of_granule as u64
        };
        self.allocations
            .iter()
            .filter(|allocation| allocation.writable)
            .map(|allocation| of(allocation.len))
            .sum()
    }

    /// A view of what is shared.
    pub fn view(&self, shared: &Shared) -> Global {
        let views = self.allocations.iter().zip(&shared.0).map(|(a, bytes)| super::Allocation {
            base: a.base,
            bytes: Contents::default(),
            len: a.len,
            name: a.name.clone(),
            live: a.live,
            writable: a.writable,
            view: Some(Box::new(View::new(Arc::clone(bytes)))),
        });
        Global {
            allocations: views.collect(),
            next: self.next,
            last: [0; 2],
            claimant: MANY,
            freed: self.freed,
            put_off: None,
            writes: 0,
        }
    }

    /// This view puts off read-modify-writes from now on.
    pub fn put_off_atomics(&mut self) {
        self.put_off = Some(PutOff::default());
    }

    /// A cluster has had its turn, and not come to its end.
    pub fn interrupt(&mut self) {
        if let Some(put_off) = &mut self.put_off {
            put_off.interrupted = true;
        }
    }

    /// From now on a view claims for cluster `number`.
    pub fn claim_for(&mut self, number: u64) {
        if self.claimant != 0 {
            // There are never so many clusters.
            self.claimant = u32::try_from(number + 1).unwrap_or(MANY);
        }
    }

    /// Whether a claimant of this view has touched again what it has written, or written what it has read, since this was
    /// asked last. Of reads granules are told apart, of writes bytes.
    pub fn take_again(&mut self) -> bool {
        let views = self.allocations.iter_mut().filter_map(|a| a.view.as_mut());
        views.fold(false, |again, view| again | std::mem::take(&mut view.claimed.again))
    }

    /// Whether two claimants of this view collide, or what it has put off cannot be made up for.
    pub fn collides(&self) -> bool {
        self.put_off.as_ref().is_some_and(PutOff::is_lost)
            || self.allocations.iter().any(|a| a.view.as_ref().is_some_and(|view| view.claimed.collides))
    }

    /// Take the shared contents back, with what the views have written if that is to be kept and nobody collides;
    /// whether it was.
    pub fn unite(&mut self, shared: Shared, mut views: Vec<Global>, keep: bool) -> bool {
        if keep {
            (0..shared.0.len()).for_each(|at| claim_put_by(&mut views, at));
        }
        let keep =
            keep && !views.iter().any(Global::collides) && (0..shared.0.len()).all(|at| agree(&views, at));
        let mut put_off = Vec::new();
        let mut views: Vec<_> = views
            .into_iter()
            .map(|view| {
                put_off.extend(view.put_off);
                view.allocations
            })
            .collect();
        for (at, (allocation, bytes)) in self.allocations.iter_mut().zip(shared.0).enumerate() {
            let written = views.iter_mut().filter_map(|view| Some(view[at].view.take()?.into_written()));
            let written: Vec<Written> = written.collect();
            // The views are gone, and with them whoever else had the contents.
            allocation.bytes = Arc::try_unwrap(bytes).unwrap_or_else(|bytes| Contents::Own(bytes.to_vec()));
            if keep {
                written.iter().for_each(|written| written.copy_to(&mut allocation.bytes));
            }
        }
        if keep {
            make_up_for(&put_off, self);
        }
        keep
    }
}

/// Calls `f` with the granules of the bytes from the first to the last: the page, the granule in it, and its bytes.
#[inline(always)]
fn for_each_granule(bytes: RangeInclusive<usize>, mut f: impl FnMut(usize, usize, u64)) {
    let (first, last) = bytes.into_inner();
    let from =
        |granule: usize| if granule == first / GRANULE { u64::MAX << (first % GRANULE) } else { u64::MAX };
    let to = |granule: usize| {
        if granule == last / GRANULE { u64::MAX >> (GRANULE - 1 - last % GRANULE) } else { u64::MAX }
    };
    for granule in first / GRANULE..=last / GRANULE {
        f(granule / GRANULES, granule % GRANULES, from(granule) & to(granule));
    }
}

/// Claims the reads of allocation `at` that are put by, if a view does not only read it.
fn claim_put_by(views: &mut [Global], at: usize) {
    let mut views: Vec<&mut View> =
        views.iter_mut().filter_map(|view| view.allocations[at].view.as_deref_mut()).collect();
    if !views.iter().all(|view| view.is_only_read()) {
        views.iter_mut().for_each(|view| view.claim_put_by());
    }
}

/// Whether no two views collide over allocation `at`.
fn agree(views: &[Global], at: usize) -> bool {
    let views: Vec<&View> = views.iter().filter_map(|view| view.allocations[at].view.as_deref()).collect();
    views.iter().enumerate().all(|(n, view)| {
        let others = || views.iter().enumerate().filter(|(other, _)| *other != n).map(|(_, other)| other);
        let put_off =
            view.atomics.iter().enumerate().filter(|(_, put_off)| **put_off).map(|(granule, _)| granule);
        let apart = |granule| others().all(|other| !other.touches(granule));
        if !put_off.into_iter().all(apart) {
            return false;
        }
        let pages = view.writers.iter().enumerate();
        pages.filter_map(|(page, writers)| Some((page, writers.as_deref()?))).all(|(page, writers)| {
            others().all(|other| {
                let first = page * GRANULES;
                let readers = other.readers.get(first..).unwrap_or_default();
                let unread = readers
                    .iter()
                    .zip(&writers.granules)
                    .all(|(&reader, granule)| reader == 0 || granule.written == 0);
                let written = other.writers.get(page).and_then(Option::as_deref);
                let apart = |others: &Writers| {
                    let mut granules = others.granules.iter().zip(&writers.granules);
                    granules.all(|(a, b)| a.written & b.written == 0)
                };
                unread && written.is_none_or(apart)
            })
        })
    })
}

/// What a view has written of an allocation.
struct Written {
    own: Vec<u8>,
    writers: Vec<Option<Box<Writers>>>,
}

impl View {
    /// Whether anybody has read or written something of a granule.
    fn touches(&self, granule: usize) -> bool {
        let writers = self.writers.get(granule / GRANULES).and_then(Option::as_deref);
        writers.is_some_and(|writers| writers.granules[granule % GRANULES].written != 0)
            || self.readers.get(granule).is_some_and(|&reader| reader != 0)
    }

    /// What it has written, without its share in the contents.
    fn into_written(self) -> Written {
        let View { own, writers, .. } = self;
        Written { own, writers }
    }
}

impl Written {
    fn copy_to(&self, bytes: &mut [u8]) {
        let pages = self.writers.iter().enumerate();
        for (page, writers) in pages.filter_map(|(page, writers)| Some((page, writers.as_deref()?))) {
            let range = page * PAGE..((page + 1) * PAGE).min(bytes.len());
            let (from, to) = (&self.own[range.clone()], &mut bytes[range]);
            let granules = from.chunks(GRANULE).zip(to.chunks_mut(GRANULE)).zip(&writers.granules);
            for ((from, to), granule) in granules {
                if granule.written == u64::MAX {
                    to.copy_from_slice(from);
                    continue;
                }
                for at in lanes(granule.written) {
                    to[at as usize] = from[at as usize];
                }
            }
        }
    }
}
