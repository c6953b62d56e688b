//! Global memory as a set of allocations with guard gaps between them.
//!
//! An access is in bounds if one live allocation holds all of its bytes. What is freed stays known, so that
//! a report can name it, as long as not too much has been freed since. Several threads have a view each ([`Global::view`]).
//!
//! An allocation has its bytes itself, or they are the host's ([`Global::map`]): nothing is copied then.

mod contents;
mod put_off;
mod view;

use contents::Contents;
pub(crate) use put_off::Blind;
use put_off::PutOff;
pub use view::Shared;
use view::View;

use crate::gather;
use crate::lanewise::places;
use crate::regs::Chunk;

/// Lowest address that is handed out.
const FIRST_ADDRESS: u64 = 0x0000_7a00_0000_0000;
/// Where addresses end that are handed out by name: below the apertures, with room for what comes behind.
const LAST_ADDRESS: u64 = 0x0000_7f00_0000_0000;
/// Unmapped bytes after each allocation, at least.
const GUARD: u64 = 1 << 16;
/// Freed allocations that stay known.
const REMEMBERED: usize = 4096;

/// One allocation.
#[derive(Debug)]
pub struct Allocation {
    /// Its address.
    pub base: u64,
    /// Its contents; none while views share them.
    bytes: Contents,
    /// How many bytes it has.
    pub len: u64,
    /// What a report calls it.
    pub name: String,
    /// Not yet freed.
    pub live: bool,
    /// Stores are allowed.
    pub writable: bool,
    /// Views claim what they read of it: a launch has read and written it.
    claims_reads: bool,
    /// One thread's view of it.
    view: Option<Box<View>>,
}

impl Allocation {
    /// First address behind it.
    pub fn end(&self) -> u64 {
        self.base + self.len
    }
}

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Reading.
    Read,
    /// Writing all of it.
    Store,
    /// Reading, and writing some of it.
    Modify,
}

/// The global memory of a device.
#[derive(Debug, Default)]
pub struct Global {
    /// Ascending by address.
    allocations: Vec<Allocation>,
    /// Where the next one goes.
    next: u64,
    /// Indices of the allocations that look-ups found last, another one each.
    last: [usize; 2],
    /// For whom a view claims what is accessed.
    claimant: u32,
    /// Allocations that are not live.
    freed: usize,
    /// What a view puts off, if it does.
    put_off: Option<PutOff>,
    /// How often something may have been written.
    writes: u64,
}

impl Global {
    /// An empty memory.
    pub fn new() -> Self {
        Global {
            allocations: Vec::new(),
            next: FIRST_ADDRESS,
            last: [0; 2],
            claimant: 0,
            freed: 0,
            put_off: None,
            writes: 0,
        }
    }

    /// A new allocation that holds `bytes`, aligned to 4 KiB; its address.
    pub fn allocate(&mut self, name: impl Into<String>, bytes: Vec<u8>, writable: bool) -> u64 {
        self.push(name.into(), Contents::Own(bytes), writable)
    }

    /// A new allocation whose contents are `len` bytes of the host's memory, aligned to 4 KiB; its address. `None` if there
    /// are no addresses left for it.
    ///
    /// # Safety
    ///
    /// Until the allocation is freed or taken back, or this memory is dropped, the bytes at `start` are there, and nobody
    /// else accesses them while this memory is in use.
    pub unsafe fn map(
        &mut self,
        name: impl Into<String>,
        start: std::ptr::NonNull<u8>,
        len: usize,
        writable: bool,
    ) -> Option<u64> {
        if LAST_ADDRESS - self.next < len as u64 {
            return None;
        }
        // SAFETY: the caller promises it, and what we hand out borrows `self`.
        let contents = unsafe { Contents::host(start, len) };
        Some(self.push(name.into(), contents, writable))
    }

    fn push(&mut self, name: String, bytes: Contents, writable: bool) -> u64 {
        let base = self.next;
        let len = bytes.len() as u64;
        self.next = (base + len + GUARD).next_multiple_of(4096);
        self.allocations.push(Allocation {
            base,
            bytes,
            len,
            name,
            live: true,
            writable,
            claims_reads: false,
            view: None,
        });
        base
    }

    /// A new allocation at `base`, behind all that there are; `false` if it does not fit there.
    pub fn allocate_at(
        &mut self,
        base: u64,
        name: impl Into<String>,
        bytes: Vec<u8>,
        writable: bool,
    ) -> bool {
        let Some(end) = base.checked_add(bytes.len() as u64) else { return false };
        let behind = self.allocations.last().map_or(FIRST_ADDRESS, Allocation::end);
        if base < behind || end > LAST_ADDRESS {
            return false;
        }
        self.next = base;
        self.allocate(name, bytes, writable);
        true
    }

    /// The address that the next allocation will get, for contents that depend on it.
    pub fn next_address(&self) -> u64 {
        self.next
    }

    /// Free the allocation at `base`, whose contents are gone then; `false` if there is none.
    pub fn free(&mut self, base: u64) -> bool {
        let Ok(at) = self.allocations.binary_search_by_key(&base, |a| a.base) else { return false };
        let allocation = &mut self.allocations[at];
        if !std::mem::replace(&mut allocation.live, false) {
            return false;
        }
        allocation.bytes = Contents::default();
        self.freed += 1;
        if self.freed > REMEMBERED {
            self.allocations.retain(|allocation| allocation.live);
            (self.freed, self.last) = (0, [0; 2]);
        }
        true
    }

    /// Forget the allocation at `base`, if it is the last one: the next one will be at its address.
    pub fn take_back(&mut self, base: u64) {
        if let Some(last) = self.allocations.pop_if(|last| last.base == base) {
            (self.next, self.last) = (last.base, [0; 2]);
        }
    }

    /// All allocations, ascending.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// The contents of the allocation at `base`.
    pub fn contents(&self, base: u64) -> Option<&[u8]> {
        let at = self.allocations.binary_search_by_key(&base, |a| a.base).ok()?;
        Some(&self.allocations[at].bytes)
    }

    #[inline]
    fn holds(allocation: &Allocation, addr: u64, len: u64) -> bool {
        allocation.live
            && addr >= allocation.base
            && addr - allocation.base <= allocation.len
            && len <= allocation.len - (addr - allocation.base)
    }

    #[inline]
    fn index_of(&mut self, addr: u64, len: u64) -> Option<usize> {
        let found = |at: usize| self.allocations.get(at).is_some_and(|a| Self::holds(a, addr, len));
        if let Some(at) = self.last.into_iter().find(|&at| found(at)) {
            return Some(at);
        }
        self.look_up(addr, len)
    }

    #[inline(never)]
    fn look_up(&mut self, addr: u64, len: u64) -> Option<usize> {
        let at = self.allocations.partition_point(|a| a.base <= addr).checked_sub(1)?;
        Self::holds(&self.allocations[at], addr, len).then(|| {
            self.last = [at, self.last[0]];
            at
        })
    }

    /// `len` bytes at `addr`, if they are inside one live allocation. In a view all of them are claimed as read.
    #[inline]
    pub fn slice(&mut self, addr: u64, len: u64) -> Option<&[u8]> {
        self.slice_as(addr, len, |view, claimant, from| view.claim(Claim::Read, claimant, from, len as usize))
    }

    /// The same, of which the lanes of `mask` read `size` bytes each at `at` from `addr` on.
    #[inline]
    pub(crate) fn rows(
        &mut self,
        (addr, len): (u64, u64),
        size: usize,
        at: &[Chunk],
        mask: u64,
    ) -> Option<&[u8]> {
        self.slice_as(addr, len, |view, claimant, from| {
            view.claim_rows(Claim::Read, claimant, (from, size), at, mask);
        })
    }

    #[inline(always)]
    fn slice_as(&mut self, addr: u64, len: u64, claim: impl FnOnce(&mut View, u32, usize)) -> Option<&[u8]> {
        let (claimant, at) = (self.claimant, self.index_of(addr, len)?);
        let a = &mut self.allocations[at];
        let from = (addr - a.base) as usize;
        let range = from..from + len as usize;
        match &mut a.view {
            None => Some(&a.bytes[range]),
            Some(view) => {
                // Nobody collides over what nobody can write.
                if a.writable {
                    claim(view, claimant, from);
                }
                Some(view.bytes(range))
            }
        }
    }

    /// `len` writable bytes at `addr`, if they are inside one live allocation. In a view all of them are claimed as written.
    #[inline]
    pub fn slice_mut(&mut self, addr: u64, len: u64) -> Option<&mut [u8]> {
        self.slice_to_claim(Claim::Modify, addr, len)
    }

    /// The same, of which the caller writes every byte and reads none: they may be anything before.
    #[inline]
    pub(crate) fn slice_to_store(&mut self, addr: u64, len: u64) -> Option<&mut [u8]> {
        self.slice_to_claim(Claim::Store, addr, len)
    }

    /// The same, accessed as `claim` says.
    #[inline]
    pub(crate) fn slice_to_claim(&mut self, claim: Claim, addr: u64, len: u64) -> Option<&mut [u8]> {
        self.slice_mut_as(addr, len, |view, claimant, from| view.claim(claim, claimant, from, len as usize))
    }

    /// The same, of which the lanes of `mask` access `size` bytes each at `at` from `addr` on, as `claim` says.
    #[inline]
    pub(crate) fn rows_to_claim(
        &mut self,
        claim: Claim,
        (addr, len): (u64, u64),
        size: usize,
        at: &[Chunk],
        mask: u64,
    ) -> Option<&mut [u8]> {
        self.slice_mut_as(addr, len, |view, claimant, from| {
            view.claim_rows(claim, claimant, (from, size), at, mask);
        })
    }

    #[inline(always)]
    fn slice_mut_as(
        &mut self,
        addr: u64,
        len: u64,
        claim: impl FnOnce(&mut View, u32, usize),
    ) -> Option<&mut [u8]> {
        let (claimant, at) = (self.claimant, self.index_of(addr, len)?);
        let a = &mut self.allocations[at];
        if !a.writable {
            return None;
        }
        self.writes += 1;
        let from = (addr - a.base) as usize;
        let range = from..from + len as usize;
        match &mut a.view {
            None => Some(&mut a.bytes[range]),
            Some(view) => {
                claim(view, claimant, from);
                Some(view.bytes_mut(range))
            }
        }
    }

    /// Writes `bytes` at `addr`, whether or not stores are allowed there; `false` if they are not inside one live
    /// allocation.
    pub fn initialise(&mut self, addr: u64, bytes: &[u8]) -> bool {
        let Some(at) = self.index_of(addr, bytes.len() as u64) else { return false };
        let from = (addr - self.allocations[at].base) as usize;
        self.allocations[at].bytes[from..from + bytes.len()].copy_from_slice(bytes);
        true
    }

    /// How often something may have been written.
    pub(crate) fn writes(&self) -> u64 {
        self.writes
    }

    /// Whether this is a view that puts off read-modify-writes that return nothing ([`Global::put_off`]).
    #[inline]
    pub fn puts_off(&self) -> bool {
        self.put_off.is_some()
    }

    /// Puts off a read-modify-write until views are united.
    pub(crate) fn put_off(&mut self, blind: Blind<'_>) {
        let (claimant, size, (low, high)) = (self.claimant, blind.shape.bytes as usize, blind.range);
        let Some(at) = self.index_of(low, high - low) else { return };
        let a = &mut self.allocations[at];
        let Some(view) = a.view.as_deref_mut().filter(|_| a.writable) else { return };
        let from = (low - a.base) as usize;
        view.claim_atomics(size, places(blind.at, blind.mask).map(|place| from + place));
        if let Some(put_off) = &mut self.put_off {
            put_off.add(claimant, blind);
        }
    }

    /// Whether the bytes are in bounds (and writable, if `write`).
    #[inline]
    pub fn in_bounds(&mut self, addr: u64, len: u64, write: bool) -> bool {
        self.index_of(addr, len).is_some_and(|at| !write || self.allocations[at].writable)
    }

    /// Whether the bytes are in bounds (and writable, if `write`), of which lanes will access those with these offsets from `addr` on.
    /// What they will read the host fetches.
    #[inline]
    pub fn expect(&mut self, addr: u64, len: u64, write: bool, offsets: &[Chunk]) -> bool {
        let Some(at) = self.index_of(addr, len) else { return false };
        let a = &self.allocations[at];
        if write {
            return a.writable;
        }
        let bytes = a.view.as_ref().map_or(&a.bytes, |view| view.shared());
        gather::prefetch(&bytes[(addr - a.base) as usize..], offsets);
        true
    }

    /// The allocation nearest to `addr`, in words for a report.
    pub fn nearest(&self, addr: u64) -> String {
        let distance = |a: &Allocation| {
            if addr < a.base { a.base - addr } else { addr.saturating_add(1).saturating_sub(a.end()) }
        };
        let Some(a) = self.allocations.iter().min_by_key(|a| distance(a)) else {
            return "there is no allocation".to_owned();
        };
        let freed = if a.live { "" } else { " (freed)" };
        let len = a.len;
        if addr < a.base {
            format!("{} bytes before {}{freed} ({len} bytes at {:#x})", a.base - addr, a.name, a.base)
        } else if addr >= a.end() {
            format!(
                "{} bytes past the end of {}{freed} ({len} bytes at {:#x})",
                addr - a.end(),
                a.name,
                a.base
            )
        } else if !a.live {
            format!("inside {}{freed} ({len} bytes at {:#x})", a.name, a.base)
        } else {
            let writable = if a.writable { "" } else { ", which is read-only" };
            format!("at byte {} of {}{writable} ({len} bytes at {:#x})", addr - a.base, a.name, a.base)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_must_lie_in_one_live_allocation() {
        let mut g = Global::new();
        let a = g.allocate("a", vec![1; 100], true);
        let b = g.allocate("b", vec![2; 8], false);
        assert_eq!(g.slice(a + 96, 4), Some(&[1u8; 4][..]));
        assert_eq!(g.slice(a + 97, 4), None);
        assert_eq!(g.slice(a - 1, 1), None);
        assert_eq!(g.slice(u64::MAX, 4), None);
        assert!(g.slice_mut(b, 4).is_none());
        assert!(g.initialise(b + 4, &[7; 4]) && !g.initialise(b + 5, &[7; 4]));
        assert_eq!(g.slice(b, 8), Some(&[2, 2, 2, 2, 7, 7, 7, 7][..]));
        assert!(g.in_bounds(b + 4, 4, false));
        assert_eq!(g.nearest(a + 100), format!("0 bytes past the end of a (100 bytes at {a:#x})"));
        assert!(g.free(a));
        assert_eq!(g.slice(a, 4), None);
        assert!(g.nearest(a).contains("(freed)"));
        assert!(g.nearest(u64::MAX).contains("past the end"));
        assert!(!g.in_bounds(u64::MAX, 8, false));
        let far = g.next_address() + (1 << 32);
        assert!(g.allocate_at(far, "far", vec![0; 16], false));
        assert!(g.in_bounds(far, 16, false) && !g.in_bounds(far - 1, 1, false));
        assert!(!g.allocate_at(far, "again", vec![0; 16], false));
        assert!(!g.allocate_at(LAST_ADDRESS, "beyond", vec![0; 16], false));
    }

    #[test]
    fn what_is_mapped_is_the_hosts() {
        let mut host = [1u8; 64];
        let mut g = Global::new();
        // SAFETY: `host` outlives `g` and is not touched before the mapping is freed.
        let base =
            unsafe { g.map("host", std::ptr::NonNull::from(&mut host).cast(), 32, true) }.unwrap_or_default();
        if let Some(bytes) = g.slice_mut(base + 4, 4) {
            bytes.fill(7);
        }
        assert_eq!(g.slice(base, 33), None);
        assert!(g.free(base) && !g.free(base));
        assert_eq!(g.slice(base, 1), None);
        assert_eq!(host[3..9], [1, 7, 7, 7, 7, 1]);
    }

    #[test]
    fn what_was_freed_long_ago_is_forgotten() {
        let mut g = Global::new();
        let kept = g.allocate("kept", vec![5; 4], false);
        for _ in 0..2 * REMEMBERED {
            let base = g.allocate("short-lived", vec![0; 4], true);
            assert!(g.free(base));
        }
        assert!(g.allocations().len() <= REMEMBERED + 1);
        assert_eq!(g.slice(kept, 4), Some(&[5; 4][..]));
    }
}
