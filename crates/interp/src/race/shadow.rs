//! Which accesses a memory has seen: of each dword, those to its bytes that may still race.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_budget::{NoRoom, room_for};

use super::clocks::Level;

/// An access to bytes of a dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Whose.
    pub wave: u32,
    /// Behind which of its releases.
    pub seq: u32,
    /// By which instruction.
    pub site: u32,
    /// In which lane.
    pub lane: u8,
    /// Which bytes, a bit for each.
    pub mask: u8,
    /// It writes.
    pub writes: bool,
    /// It is atomic, as far as that.
    pub atomic: Option<Level>,
}

/// Dwords of a page.
const PAGE: usize = 256;
/// Reads of a dword that are remembered.
const READS: usize = 4;

type Touches = SmallVec<[Touch; 2]>;

/// The shadow of a memory.
#[derive(Debug, Default)]
pub struct Shadow {
    pages: FxHashMap<u64, Box<[Touches; PAGE]>>,
}

impl Shadow {
    /// Notes an access, and shows `judge` those before it that conflict with it.
    pub fn touch(
        &mut self,
        address: u64,
        bytes: u64,
        touch: Touch,
        judge: &mut impl FnMut(&Touch),
    ) -> Result<(), NoRoom> {
        let mut at = address;
        let end = address.saturating_add(bytes);
        while at < end {
            let dword = at / 4;
            let last = (dword * 4 + 4).min(end);
            let mask = (at..last).fold(0, |mask, byte| mask | 1 << (byte % 4));
            let page = match self.pages.entry(dword / PAGE as u64) {
                std::collections::hash_map::Entry::Occupied(page) => page.into_mut(),
                std::collections::hash_map::Entry::Vacant(page) => {
                    room_for((PAGE * size_of::<Touches>()) as u64)?;
                    page.insert(Box::new(std::array::from_fn(|_| Touches::new())))
                }
            };
            note(&mut page[dword as usize % PAGE], Touch { mask, ..touch }, judge);
            at = last;
        }
        Ok(())
    }
}

fn note(touches: &mut Touches, new: Touch, judge: &mut impl FnMut(&Touch)) {
    let again = |old: &Touch| {
        (old.wave, old.seq, old.atomic) == (new.wave, new.seq, new.atomic)
            && old.mask & new.mask == new.mask
            && old.writes >= new.writes
    };
    if touches.iter().any(again) {
        return;
    }
    for old in touches.iter().filter(|old| old.mask & new.mask != 0 && (old.writes || new.writes)) {
        judge(old);
    }
    // A write takes the place of what it covers; a read that of the wave's own.
    touches.retain(|old| {
        let covered = old.mask & !new.mask == 0 && (new.writes || !old.writes && old.wave == new.wave);
        !covered
    });
    if !new.writes && touches.iter().filter(|old| !old.writes).count() >= READS {
        let oldest = touches.iter().position(|old| !old.writes);
        oldest.map(|at| touches.remove(at));
    }
    touches.push(new);
}
