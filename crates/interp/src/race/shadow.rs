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
    /// Where the pages are, by their numbers.
    at: FxHashMap<u64, usize>,
    pages: Vec<Box<[Touches; PAGE]>>,
    /// The page that was touched last: most accesses are near each other.
    last: Option<(u64, usize)>,
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
            let mask = (0xf << (at % 4) & 0xf >> (dword * 4 + 4 - last)) as u8;
            let page = self.page(dword / PAGE as u64)?;
            note(&mut page[dword as usize % PAGE], Touch { mask, ..touch }, judge);
            at = last;
        }
        Ok(())
    }

    #[inline]
    fn page(&mut self, number: u64) -> Result<&mut [Touches; PAGE], NoRoom> {
        let at = match self.last {
            Some((last, at)) if last == number => at,
            _ => match self.at.get(&number) {
                Some(&at) => at,
                None => {
                    room_for((PAGE * size_of::<Touches>()) as u64)?;
                    self.pages.push(Box::new(std::array::from_fn(|_| Touches::new())));
                    self.at.insert(number, self.pages.len() - 1);
                    self.pages.len() - 1
                }
            },
        };
        self.last = Some((number, at));
        Ok(&mut self.pages[at])
    }
}

fn note(touches: &mut Touches, new: Touch, judge: &mut impl FnMut(&Touch)) {
    let (mut covers, mut reads) = (false, 0);
    for old in touches.iter() {
        let mine = (old.wave, old.seq, old.atomic) == (new.wave, new.seq, new.atomic);
        if mine && old.mask & new.mask == new.mask && old.writes >= new.writes {
            return;
        }
        covers |= is_covered(old, &new);
        reads += usize::from(!old.writes);
    }
    for old in touches.iter().filter(|old| old.mask & new.mask != 0 && (old.writes || new.writes)) {
        judge(old);
    }
    if covers {
        touches.retain(|old| !is_covered(old, &new));
    } else if !new.writes && reads >= READS {
        let oldest = touches.iter().position(|old| !old.writes);
        oldest.map(|at| touches.remove(at));
    }
    touches.push(new);
}

/// A write takes the place of what it covers; a read that of the wave's own.
fn is_covered(old: &Touch, new: &Touch) -> bool {
    old.mask & !new.mask == 0 && (new.writes || !old.writes && old.wave == new.wave)
}
