//! Views of global memory: each thread sees what was there when the launch began and what it has written itself, and
//! remembers who has touched what.
//!
//! Pages of what a view writes are copied when they are first touched. Writes are claimed dword by dword, reads in
//! granules of 64 bytes. Two claimants collide if one writes a dword that the other writes, or a granule that the other
//! reads. What nobody collides over has the same value in every order, so that views can be united.

use std::ops::Range;
use std::sync::Arc;

use super::Global;
use super::contents::Contents;

/// Bytes that are copied at once.
const PAGE: usize = 4096;
/// Bytes that readers are remembered of.
const GRANULE: usize = 64;
/// Dwords of a granule.
const DWORDS: usize = GRANULE / 4;
/// More readers than one.
const MANY: u32 = u32::MAX;

/// One thread's view of an allocation.
#[derive(Debug)]
pub(super) struct View {
    shared: Arc<Contents>,
    /// A copy of `shared`, in the pages that are `copied`; nothing before the first write.
    own: Vec<u8>,
    copied: Vec<bool>,
    /// Who has written each dword, of the pages in which anybody has; 0 is nobody.
    writers: Vec<Option<Box<Writers>>>,
    /// Who has read each granule; nothing before the first.
    readers: Vec<u32>,
    collides: bool,
    /// A claimant has touched again what it has written, or written what it has read.
    again: bool,
}

/// Who has written the dwords of a page. Pages for themselves, because memory that is first read and then written costs
/// the host more than an allocation.
type Writers = [u32; PAGE / 4];

/// The contents of allocations while views share them.
#[derive(Debug)]
pub struct Shared(Vec<Arc<Contents>>);

impl View {
    fn new(shared: Arc<Contents>) -> View {
        View {
            shared,
            own: Vec::new(),
            copied: Vec::new(),
            writers: Vec::new(),
            readers: Vec::new(),
            collides: false,
            again: false,
        }
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

    /// `claimant` reads `size` bytes at each of `starts`.
    #[inline]
    pub fn claim_reads(&mut self, claimant: u32, size: usize, starts: impl Iterator<Item = usize>) {
        if self.readers.is_empty() {
            self.readers = vec![0; self.shared.len().div_ceil(GRANULE)];
        }
        let (mut collides, mut again) = (false, false);
        // Neighbouring lanes mostly read the same granule.
        let mut last_claimed = None;
        for start in starts {
            let last = start + size - 1;
            let granules = start / GRANULE..=last / GRANULE;
            if last_claimed.as_ref() != Some(&granules) {
                last_claimed = Some(granules.clone());
                for reader in &mut self.readers[granules] {
                    *reader = if *reader == 0 || *reader == claimant { claimant } else { MANY };
                }
            }
            if !self.writers.is_empty() {
                for_each_page(start / 4, last / 4, |page, dwords| {
                    let Some(writers) = &self.writers[page] else { return };
                    for &writer in &writers[dwords] {
                        collides |= writer != 0 && writer != claimant;
                        again |= writer == claimant;
                    }
                });
            }
        }
        self.collides |= collides;
        self.again |= again;
    }

    /// `claimant` writes `size` bytes at each of `starts`.
    #[inline]
    pub fn claim_writes(&mut self, claimant: u32, size: usize, starts: impl Iterator<Item = usize>) {
        if self.writers.is_empty() {
            self.writers.resize_with(self.shared.len().div_ceil(PAGE), || None);
        }
        let (mut collides, mut again) = (false, false);
        // The last dword of the lane before, of which this one may write another part.
        let mut shared = None;
        for start in starts {
            let last = start + size - 1;
            let own = shared.replace(last / 4) == Some(start / 4);
            for_each_page(start / 4, last / 4, |page, dwords| {
                let writers = self.writers[page].get_or_insert_with(|| Box::new([0; PAGE / 4]));
                for writer in &mut writers[dwords] {
                    collides |= *writer != 0 && *writer != claimant;
                    again |= *writer == claimant && !own;
                    *writer = claimant;
                }
            });
            if !self.readers.is_empty() {
                for &reader in &self.readers[start / GRANULE..=last / GRANULE] {
                    collides |= reader != 0 && reader != claimant;
                    again |= reader == claimant;
                }
            }
        }
        self.collides |= collides;
        self.again |= again;
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
        let of_page = size_of::<Option<Box<Writers>>>() + size_of::<Writers>() + size_of::<bool>();
        let of_granule = size_of::<u32>();
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
        Global { allocations: views.collect(), next: self.next, last: 0, claimant: MANY, freed: self.freed }
    }

    /// From now on a view claims for cluster `number`.
    pub fn claim_for(&mut self, number: u64) {
        if self.claimant != 0 {
            // There are never so many clusters.
            self.claimant = u32::try_from(number + 1).unwrap_or(MANY);
        }
    }

    /// Whether a claimant of this view has touched again what it has written, or written what it has read, since this was
    /// asked last. Of reads granules are told apart, of writes dwords.
    pub fn take_again(&mut self) -> bool {
        let views = self.allocations.iter_mut().filter_map(|a| a.view.as_mut());
        views.fold(false, |again, view| again | std::mem::take(&mut view.again))
    }

    /// Whether two claimants of this view collide.
    pub fn collides(&self) -> bool {
        self.allocations.iter().any(|a| a.view.as_ref().is_some_and(|view| view.collides))
    }

    /// Take the shared contents back, with what the views have written if that is to be kept and nobody collides;
    /// whether it was.
    pub fn unite(&mut self, shared: Shared, views: Vec<Global>, keep: bool) -> bool {
        let keep =
            keep && !views.iter().any(Global::collides) && (0..shared.0.len()).all(|at| agree(&views, at));
        let mut views: Vec<_> = views.into_iter().map(|view| view.allocations).collect();
        for (at, (allocation, bytes)) in self.allocations.iter_mut().zip(shared.0).enumerate() {
            let written = views.iter_mut().filter_map(|view| Some(view[at].view.take()?.into_written()));
            let written: Vec<Written> = written.collect();
            // The views are gone, and with them whoever else had the contents.
            allocation.bytes = Arc::try_unwrap(bytes).unwrap_or_else(|bytes| Contents::Own(bytes.to_vec()));
            if keep {
                written.iter().for_each(|written| written.copy_to(&mut allocation.bytes));
            }
        }
        keep
    }
}

/// Calls `f` with the pages of the dwords from `first` to `last`, and the dwords within each.
#[inline(always)]
fn for_each_page(first: usize, last: usize, mut f: impl FnMut(usize, Range<usize>)) {
    const DWORDS_OF_PAGE: usize = PAGE / 4;
    let (mut page, last_page) = (first / DWORDS_OF_PAGE, last / DWORDS_OF_PAGE);
    let mut from = first % DWORDS_OF_PAGE;
    while page < last_page {
        f(page, from..DWORDS_OF_PAGE);
        (page, from) = (page + 1, 0);
    }
    f(page, from..last % DWORDS_OF_PAGE + 1);
}

/// Whether no two views collide over allocation `at`.
fn agree(views: &[Global], at: usize) -> bool {
    let views: Vec<&View> = views.iter().filter_map(|view| view.allocations[at].view.as_deref()).collect();
    views.iter().enumerate().all(|(n, view)| {
        let others = || views.iter().enumerate().filter(|(other, _)| *other != n).map(|(_, other)| other);
        let pages = view.writers.iter().enumerate();
        pages.filter_map(|(page, writers)| Some((page, writers.as_deref()?))).all(|(page, writers)| {
            others().all(|other| {
                let first = page * (PAGE / GRANULE);
                let readers = other.readers.get(first..).unwrap_or_default();
                let unread = readers
                    .iter()
                    .zip(writers.chunks_exact(DWORDS))
                    .all(|(&reader, writers)| reader == 0 || writers.iter().all(|&w| w == 0));
                let written = other.writers.get(page).and_then(Option::as_deref);
                let apart = |written: &Writers| {
                    written.iter().zip(writers).fold(true, |apart, (&a, &b)| apart & (a == 0 || b == 0))
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
            if writers.iter().fold(true, |all, &w| all & (w != 0)) {
                to.copy_from_slice(from);
                continue;
            }
            for ((from, to), &writer) in from.chunks(4).zip(to.chunks_mut(4)).zip(writers) {
                if writer != 0 {
                    to.copy_from_slice(from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Claim;
    use super::*;

    /// Two views in which `write` and `read` touch bytes of one allocation; whether they can be united, and what it holds.
    fn unite(accesses: [&dyn Fn(&mut Global, u64); 2]) -> (bool, Vec<u8>) {
        let mut global = Global::new();
        let base = global.allocate("a", vec![7; 10_000], true);
        let shared = global.share();
        let mut views = vec![global.view(&shared), global.view(&shared)];
        for (n, (view, access)) in views.iter_mut().zip(accesses).enumerate() {
            view.claim_for(n as u64);
            access(view, base);
        }
        let united = global.unite(shared, views, true);
        (united, global.contents(base).unwrap_or_default().to_vec())
    }

    fn write(from: u64, len: u64, value: u8) -> impl Fn(&mut Global, u64) {
        move |view, base| view.slice_mut(base + from, len).unwrap_or_else(|| panic!("{from}")).fill(value)
    }

    fn read(from: u64, len: u64) -> impl Fn(&mut Global, u64) {
        move |view, base| assert_eq!(view.slice(base + from, len).map(<[u8]>::len), Some(len as usize))
    }

    #[test]
    fn what_two_write_side_by_side_is_united() {
        let (united, bytes) = unite([&write(0, 5000, 1), &write(5000, 5000, 2)]);
        assert!(united);
        assert!(bytes[..5000].iter().all(|&b| b == 1) && bytes[5000..].iter().all(|&b| b == 2));
        // Pages that both have copied, and a write of part of the last dword.
        let (united, bytes) = unite([&write(4, 4, 1), &write(8, 2, 2)]);
        assert!(united);
        assert_eq!(bytes[..12], [7, 7, 7, 7, 1, 1, 1, 1, 2, 2, 7, 7]);
    }

    #[test]
    fn collisions_leave_what_was_there() {
        for (a, b) in [
            (&write(0, 8, 1) as &dyn Fn(&mut Global, u64), &write(4, 8, 2) as &dyn Fn(&mut Global, u64)),
            (&write(100, 4, 1), &read(100, 1)),
            (&read(9000, 1000), &write(9996, 4, 1)),
        ] {
            let (united, bytes) = unite([a, b]);
            assert!(!united);
            assert_eq!(bytes, [7; 10_000]);
        }
        assert!(unite([&read(0, 100), &read(0, 100)]).0);
        assert!(unite([&write(0, 64, 1), &read(64, 64)]).0);
    }

    /// What one claimant touches twice is noted where that matters.
    #[test]
    fn what_is_touched_again_is_noted() {
        let again = |accesses: &[&dyn Fn(&mut Global, u64)]| {
            let mut global = Global::new();
            let base = global.allocate("a", vec![7; 10_000], true);
            let shared = global.share();
            let mut view = global.view(&shared);
            view.claim_for(0);
            accesses.iter().for_each(|access| access(&mut view, base));
            let again = view.take_again();
            assert!(!view.take_again());
            again
        };
        assert!(again(&[&write(0, 4, 1), &read(0, 1)]));
        assert!(again(&[&write(8, 2, 1), &write(10, 2, 1)]));
        assert!(again(&[&read(0, 4), &write(60, 4, 1)]));
        assert!(!again(&[&read(0, 64), &read(0, 64), &write(64, 8, 1), &write(72, 8, 1)]));
        // The lanes of one access.
        let halves =
            |view: &mut Global, base| view.claim_pieces(Claim::Write, base, 64, 2, (0..32).map(|n| n * 2));
        assert!(!again(&[&halves]));
        assert!(again(&[&halves, &halves]));
    }

    /// In one view, the claimants are told apart as well.
    #[test]
    fn claimants_of_one_view_collide() {
        let mut global = Global::new();
        let base = global.allocate("a", vec![7; 100], true);
        let shared = global.share();
        let mut view = global.view(&shared);
        view.claim_for(0);
        assert!(view.slice_mut(base, 4).is_some());
        assert!(view.slice(base, 4).is_some());
        assert!(!view.collides());
        view.claim_for(1);
        assert!(view.slice(base, 4).is_some());
        assert!(view.collides());
        assert!(!global.unite(shared, vec![view], true));
        assert_eq!(global.contents(base), Some(&[7; 100][..]));
    }
}
