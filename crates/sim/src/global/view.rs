//! Views of global memory: each thread sees what was there when the launch began and what it has written itself, and
//! remembers who has touched what.
//!
//! What a view writes is its own; what is shared of the same pages is copied when they are first read after that, mostly never.
//! Writes are claimed byte by byte, reads in granules of 64 bytes. Two claimants collide if one writes a byte that the other
//! writes, or a granule that the other reads. What nobody collides over has the same value in every order, so that views can be
//! united. A granule is mostly written by one claimant, so that a bit for each byte is enough, a quarter of a byte for each. Of
//! one that several write, who they are is known of pairs of bytes: two that share a pair are taken to collide. What is put off
//! ([`super::put_off`]) collides with all other accesses of its granules.
//!
//! Most allocations are only read in a launch, or only written. So reads are not claimed at first: where views both read and
//! write an allocation they cannot be united, but from then on its reads are claimed, and the launch can be tried again
//! ([`Global::unite`]).

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

mod known_rows;
#[cfg(test)]
mod tests;

use known_rows::KnownRows;

use super::contents::Contents;
use super::put_off::{PutOff, make_up_for};
use super::{Claim, Global};
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
/// So many pages take longer to copy than a thread to begin.
const MANY_PAGES: usize = 256;
/// More readers than one.
const MANY: u32 = u32::MAX;

/// One thread's view of an allocation.
#[derive(Debug)]
pub(super) struct View {
    shared: Arc<Common>,
    /// Reads are claimed; otherwise, whether there are any is all that is known.
    claims_reads: bool,
    /// It has read something without a claim.
    reads: bool,
    /// It is not known who has read of what is written.
    unclear: bool,
    /// What it has written; nothing before the first write.
    own: Vec<u8>,
    /// What `own` has of each page.
    has: Vec<Has>,
    /// Who has written each byte, of the pages in which anybody has.
    writers: Vec<Option<Box<Writers>>>,
    /// Who has read each granule; nothing before the first claim.
    readers: Vec<u32>,
    known_rows: KnownRows,
    /// The granules in which something is put off; nothing before the first.
    atomics: Vec<bool>,
    claimed: Claimed,
}

/// What a view has of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Has {
    Nothing,
    /// The bytes that it has written.
    Written,
    /// All bytes: those that it has not written are what is shared.
    All,
}

/// What the views of an allocation have in common.
#[derive(Debug)]
struct Common {
    contents: Contents,
    /// A view has read something without a claim.
    read: AtomicBool,
    /// A view has written something, or put it off.
    written: AtomicBool,
}

/// Who has written the bytes of a page. Pages for themselves, because memory that is first read and then written costs
/// the host more than an allocation.
#[derive(Debug)]
struct Writers {
    granules: [Granule; GRANULES],
    /// Who has written in which pair of bytes, 0 is nobody, of the granules that several have written.
    several: Vec<[u32; PAIRS]>,
}

/// Bytes by who has written them.
#[derive(Clone, Copy, Debug)]
enum Whose {
    Somebodys,
    Nobodys,
}

/// Who has written the bytes of a granule.
#[derive(Clone, Copy, Debug)]
struct Granule {
    /// The first claimant; 0 is nobody.
    writer: u32,
    /// Where among those that several have written, from 1 on; 0 if one has.
    several: u32,
    /// Which bytes are written, a bit each.
    written: u64,
}

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
        let granules = [Granule { writer: 0, several: 0, written: 0 }; GRANULES];
        Box::new(Writers { granules, several: Vec::new() })
    }

    /// Bytes that they may come to take.
    const MOST: usize = size_of::<Writers>() + GRANULES * size_of::<[u32; PAIRS]>();

    /// `claimant` reads the bytes of `mask` in a granule.
    #[inline]
    fn read(&self, number: usize, mask: u64, claimant: u32) -> Claimed {
        let Granule { writer, several, written } = self.granules[number];
        let mut claimed = Claimed::default();
        if written & mask != 0 {
            match several.checked_sub(1).map(|at| &self.several[at as usize]) {
                Some(who) => pairs(written & mask).for_each(|at| claimed.add(who[at], claimant)),
                None => claimed.add(writer, claimant),
            }
        }
        claimed
    }

    /// `claimant` writes the bytes of `mask` in a granule.
    #[inline]
    fn write(&mut self, number: usize, mask: u64, claimant: u32) -> Claimed {
        let granule = &mut self.granules[number];
        if granule.writer == 0 || granule.writer == claimant && granule.several == 0 {
            let again = granule.written & mask != 0;
            (granule.writer, granule.written) = (claimant, granule.written | mask);
            return Claimed { again, ..Claimed::default() };
        }
        self.write_of_others(number, mask, claimant)
    }

    /// Copies the bytes of a page, those that somebody has written or the others.
    fn copy(&self, whose: Whose, from: &[u8], to: &mut [u8]) {
        let wanted = |granule: &Granule| match whose {
            Whose::Somebodys => granule.written,
            Whose::Nobodys => !granule.written,
        };
        let mut granules = 0..from.len().div_ceil(GRANULE);
        while let Some(first) = granules.next() {
            let bytes = wanted(&self.granules[first]);
            if bytes == u64::MAX {
                let whole = self.granules[first..granules.end].iter().take_while(|of| wanted(of) == u64::MAX);
                granules.start = first + whole.count();
                let run = first * GRANULE..(granules.start * GRANULE).min(from.len());
                to[run.clone()].copy_from_slice(&from[run]);
            } else {
                let at = lanes(bytes).map(|at| first * GRANULE + at as usize);
                at.take_while(|&at| at < from.len()).for_each(|at| to[at] = from[at]);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn write_of_others(&mut self, number: usize, mask: u64, claimant: u32) -> Claimed {
        let granule = &mut self.granules[number];
        let written = granule.written;
        granule.written |= mask;
        if granule.several == 0 {
            let mut who = [0; PAIRS];
            pairs(written).for_each(|at| who[at] = granule.writer);
            self.several.push(who);
            granule.several = self.several.len() as u32;
        }
        let who = &mut self.several[granule.several as usize - 1];
        let mut claimed = Claimed::default();
        for at in pairs(mask) {
            let other = std::mem::replace(&mut who[at], claimant);
            claimed.collides |= other != 0 && other != claimant;
            claimed.again |= other == claimant && written & mask & 3 << (2 * at) != 0;
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
pub struct Shared(Vec<Arc<Common>>);

/// `claimant` reads a granule that this one has read, or nobody, who is 0.
#[inline(always)]
fn read_by(reader: &mut u32, claimant: u32) {
    if *reader != claimant && *reader != MANY {
        *reader = if *reader == 0 { claimant } else { MANY };
    }
}

impl View {
    fn new(shared: Arc<Common>, claims_reads: bool) -> View {
        View {
            shared,
            claims_reads,
            reads: false,
            unclear: false,
            own: Vec::new(),
            has: Vec::new(),
            writers: Vec::new(),
            readers: Vec::new(),
            known_rows: KnownRows::default(),
            atomics: Vec::new(),
            claimed: Claimed::default(),
        }
    }

    /// What all views see until they write.
    pub fn shared(&self) -> &Contents {
        &self.shared.contents
    }

    /// Its bytes, to be read.
    #[inline]
    pub fn bytes(&mut self, range: Range<usize>) -> &[u8] {
        if self.own.is_empty() { &self.shared.contents[range] } else { self.bytes_beside_own(range) }
    }

    #[inline(never)]
    fn bytes_beside_own(&mut self, range: Range<usize>) -> &[u8] {
        if range.is_empty() {
            return &[];
        }
        let pages = range.start / PAGE..=(range.end - 1) / PAGE;
        if self.has[pages.clone()].iter().all(|&has| has == Has::Nothing) {
            return &self.shared.contents[range];
        }
        pages.for_each(|page| self.copy_shared(page));
        &self.own[range]
    }

    /// Its bytes, to be written as they are claimed: the others may be anything.
    pub fn bytes_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        self.make_room();
        if range.is_empty() {
            return &mut [];
        }
        for has in &mut self.has[range.start / PAGE..=(range.end - 1) / PAGE] {
            if *has == Has::Nothing {
                *has = Has::Written;
            }
        }
        &mut self.own[range]
    }

    #[inline]
    fn make_room(&mut self) {
        if self.own.is_empty() {
            self.own = vec![0; self.len()];
            self.has = vec![Has::Nothing; self.len().div_ceil(PAGE)];
        }
    }

    /// What it has not written of a page becomes what is shared.
    fn copy_shared(&mut self, page: usize) {
        self.make_room();
        if self.has[page] == Has::All {
            return;
        }
        let bytes = page_bytes(page, self.len());
        let (own, shared) = (&mut self.own[bytes.clone()], &self.shared.contents[bytes]);
        let writers = self.writers.get(page).and_then(Option::as_deref);
        match writers.filter(|_| self.has[page] == Has::Written) {
            Some(writers) => writers.copy(Whose::Nobodys, shared, own),
            None => own.copy_from_slice(shared),
        }
        self.has[page] = Has::All;
    }

    fn len(&self) -> usize {
        self.shared.contents.len()
    }

    /// Whether a read is noted and nothing more.
    #[inline]
    fn only_notes_read(&mut self) -> bool {
        if !self.claims_reads && !self.reads {
            self.begin_to_read();
        }
        !self.claims_reads
    }

    /// Something is read without a claim for the first time.
    #[cold]
    fn begin_to_read(&mut self) {
        self.reads = true;
        // Who writes looks the other way round ([`View::begin_to_write`]): one of the two sees the other.
        self.shared.read.store(true, Ordering::SeqCst);
        self.unclear |= self.shared.written.load(Ordering::SeqCst);
    }

    /// Something is written, or put off, for the first time.
    #[cold]
    fn begin_to_write(&mut self) {
        self.shared.written.store(true, Ordering::SeqCst);
        self.unclear |= self.shared.read.load(Ordering::SeqCst);
    }

    /// Whether something is put off in a granule.
    #[inline]
    fn puts_off_in(&self, granule: usize) -> bool {
        self.atomics.get(granule).is_some_and(|&put_off| put_off)
    }

    /// Read-modify-writes of `size` bytes at each of `starts` are put off.
    pub fn claim_atomics(&mut self, size: usize, starts: impl Iterator<Item = usize>) {
        if self.atomics.is_empty() {
            self.begin_to_write();
            self.atomics = vec![false; self.len().div_ceil(GRANULE)];
        }
        for granule in starts.flat_map(|start| start / GRANULE..=(start + size - 1) / GRANULE) {
            if !std::mem::replace(&mut self.atomics[granule], true) {
                self.claimed.collides |= self.touches(granule);
            }
        }
    }

    /// `claimant` accesses `size` bytes from `start` on.
    #[inline]
    pub fn claim(&mut self, claim: Claim, claimant: u32, start: usize, size: usize) {
        if claim != Claim::Read || !self.only_notes_read() {
            self.touch(claim, claimant, granules(start, size));
        }
    }

    /// `claimant` accesses `size` bytes of each lane of `mask`, at its place in `at` from `from` on.
    #[inline]
    pub fn claim_rows(
        &mut self,
        claim: Claim,
        claimant: u32,
        (from, size): (usize, usize),
        at: &[Chunk],
        mask: u64,
    ) {
        if claim == Claim::Read && self.only_notes_read() {
            return;
        }
        let mut known = std::mem::take(&mut self.known_rows);
        let pieces = known.pieces(from % GRANULE, size, at, mask).iter();
        self.touch(claim, claimant, pieces.map(|piece| (from / GRANULE + piece.granule, piece.bytes)));
        self.known_rows = known;
    }

    /// `claimant` accesses bytes of granules.
    #[inline(always)]
    fn touch(&mut self, claim: Claim, claimant: u32, granules: impl Iterator<Item = (usize, u64)> + Clone) {
        match claim {
            Claim::Read => granules.for_each(|(granule, bytes)| self.read(granule, bytes, claimant)),
            Claim::Store => self.write(granules, claimant),
            Claim::Modify => {
                granules.clone().for_each(|(granule, _)| self.copy_shared(granule / GRANULES));
                self.write(granules, claimant);
            }
        }
    }

    /// `claimant` reads bytes of a granule.
    #[inline]
    fn read(&mut self, granule: usize, bytes: u64, claimant: u32) {
        if self.readers.is_empty() {
            self.readers = vec![0; self.len().div_ceil(GRANULE)];
        }
        self.claimed.collides |= self.puts_off_in(granule);
        read_by(&mut self.readers[granule], claimant);
        if let Some(writers) = self.writers.get(granule / GRANULES).and_then(Option::as_deref) {
            self.claimed.join(writers.read(granule % GRANULES, bytes, claimant));
        }
    }

    /// `claimant` writes bytes of granules.
    #[inline(always)]
    fn write(&mut self, granules: impl Iterator<Item = (usize, u64)> + Clone, claimant: u32) {
        if self.writers.is_empty() {
            self.begin_to_write();
            self.writers.resize_with(self.shared.contents.len().div_ceil(PAGE), || None);
        }
        if !(self.atomics.is_empty() && self.readers.is_empty()) {
            for (granule, _) in granules.clone() {
                self.claimed.collides |= self.puts_off_in(granule);
                let reader = self.readers.get(granule).copied();
                self.claimed.add(reader.unwrap_or_default(), claimant);
            }
        }
        let mut claimed = Claimed::default();
        for (granule, bytes) in granules {
            let writers = self.writers[granule / GRANULES].get_or_insert_with(Writers::new);
            claimed.join(writers.write(granule % GRANULES, bytes, claimant));
        }
        self.claimed.join(claimed);
    }
}

impl Global {
    /// Share the contents of all allocations; they come back with [`Global::unite`].
    pub fn share(&mut self) -> Shared {
        let common = self.allocations.iter_mut().map(|a| {
            let contents = std::mem::take(&mut a.bytes);
            Arc::new(Common { contents, read: AtomicBool::new(false), written: AtomicBool::new(false) })
        });
        Shared(common.collect())
    }

    /// Bytes that a view may come to take: nobody keeps anything of what cannot be written.
    pub fn most_of_view(&self) -> u64 {
        let of_page = size_of::<Option<Box<Writers>>>() + Writers::MOST + size_of::<bool>();
        let of_granule = size_of::<u32>() + size_of::<bool>();
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
            claims_reads: a.claims_reads,
            view: Some(Box::new(View::new(Arc::clone(bytes), a.claims_reads))),
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
        self.put_off.as_ref().is_some_and(PutOff::is_lost) || self.views().any(|view| view.claimed.collides)
    }

    /// Whether it is not known who has read of what is written in this view.
    pub fn is_unclear(&self) -> bool {
        self.views().any(|view| view.unclear)
    }

    /// Whether this view can be united with no other.
    pub fn is_lost(&self) -> bool {
        self.collides() || self.is_unclear()
    }

    fn views(&self) -> impl Iterator<Item = &View> {
        self.allocations.iter().filter_map(|a| a.view.as_deref())
    }

    /// Take the shared contents back, with what the views have written if that is to be kept and nobody collides;
    /// whether it was. Where it is not clear who has read of what is written, reads are claimed from now on.
    pub fn unite(&mut self, shared: Shared, views: Vec<Global>, keep: bool) -> bool {
        let keep =
            keep && !views.iter().any(Global::is_lost) && (0..shared.0.len()).all(|at| agree(&views, at));
        for view in &views {
            for (own, theirs) in self.allocations.iter_mut().zip(&view.allocations) {
                own.claims_reads |= theirs.view.as_ref().is_some_and(|view| view.unclear);
            }
        }
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
            allocation.bytes = Arc::try_unwrap(bytes)
                .map_or_else(|bytes| Contents::Own(bytes.contents.to_vec()), |common| common.contents);
            if keep {
                copy_written(&written, &mut allocation.bytes);
            }
        }
        if keep {
            make_up_for(&put_off, self);
        }
        keep
    }
}

/// The granules of the `size` bytes from `start` on, each with those of its bytes.
#[inline(always)]
fn granules(start: usize, size: usize) -> impl Iterator<Item = (usize, u64)> + Clone {
    let (mut at, end) = (start, start + size);
    std::iter::from_fn(move || {
        let (granule, within) = (at / GRANULE, at % GRANULE);
        let here = (end - at).min(GRANULE - within);
        at += here;
        (here > 0).then(|| (granule, u64::MAX >> (GRANULE - here) << within))
    })
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
            let unread = |other: &View| {
                let readers = other.readers.get(page * GRANULES..).unwrap_or_default();
                let mut granules = readers.iter().zip(&writers.granules);
                granules.all(|(&reader, granule)| reader == 0 || granule.written == 0)
            };
            let unwritten = |other: &View| {
                let theirs = other.writers.get(page).and_then(Option::as_deref);
                theirs.is_none_or(|theirs| {
                    let mut granules = theirs.granules.iter().zip(&writers.granules);
                    granules.all(|(a, b)| a.written & b.written == 0)
                })
            };
            // Of two that have written, one asks the other.
            others().all(|other| unread(other)) && views[n + 1..].iter().all(|other| unwritten(other))
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
    /// Copies what is written of the pages from `first` on whose bytes these are.
    fn copy_to(&self, first: usize, pages: &mut [u8]) {
        let writers = self.writers.iter().enumerate().skip(first);
        for (bytes, (page, writers)) in pages.chunks_mut(PAGE).zip(writers) {
            if let Some(writers) = writers {
                writers.copy(Whose::Somebodys, &self.own[page_bytes(page, self.own.len())], bytes);
            }
        }
    }
}

/// Copies what views have written of an allocation, on a thread for each if it is much.
fn copy_written(views: &[Written], bytes: &mut [u8]) {
    let pages = views.iter().flat_map(|view| &view.writers).flatten().count();
    let copy = |first, pages: &mut [u8]| views.iter().for_each(|written| written.copy_to(first, pages));
    if pages < MANY_PAGES {
        return copy(0, bytes);
    }
    let each = bytes.len().div_ceil(PAGE).div_ceil(views.len());
    let parts = Mutex::new(bytes.chunks_mut(each * PAGE).enumerate());
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((number, part)) = next() {
            copy(number * each, part);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..views.len() {
            // A thread that cannot be had leaves its part to the others.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

/// The bytes of a page of an allocation that has so many.
fn page_bytes(page: usize, len: usize) -> Range<usize> {
    page * PAGE..((page + 1) * PAGE).min(len)
}
