//! What was published in a memory: of each dword by whom, and what the publisher knew.
//!
//! A store publishes the same in all that it writes, so that dwords have the numbers of lists and share them: a store
//! makes one list, whatever its size. An atomic adds to what was published before, in a list of its dword's own.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_sim::events::{OpId, Scope, WaveId};

use crate::knowledge::Knowledge;

/// What a synchronisation location carries.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    pub by: WaveId,
    pub scope: Scope,
    pub op: OpId,
    pub known: Arc<Knowledge>,
    /// Among it is the end of a copy, of which its wave need not know.
    pub of_copy: bool,
}

/// What some dwords carry.
#[derive(Debug, Default)]
struct List {
    /// How many dwords.
    dwords: u32,
    published: SmallVec<[Published; 1]>,
}

/// Dwords of a page.
const PAGE: usize = 1024;

/// Lists by number; 0 stands for none.
type Page = [u32; PAGE];

/// What was published in one memory.
#[derive(Debug, Default)]
pub(crate) struct Publications {
    /// The list with number n is at n - 1.
    lists: Vec<List>,
    /// Numbers of lists that no dword has.
    free: Vec<u32>,
    pages: Vec<Box<Page>>,
    /// The places of pages by their numbers, and the last one looked up.
    places: FxHashMap<u64, u32>,
    recent: Option<(u64, u32)>,
    /// With so many lists it is worth looking for those of the dead.
    forget_at: usize,
}

/// So few lists are not worth looking through.
const FEW: usize = 1 << 12;

impl Publications {
    /// What a dword carries.
    pub fn of(&mut self, dword: u64) -> &[Published] {
        let number = dword / PAGE as u64;
        let list = self.place(number).map_or(0, |place| {
            self.recent = Some((number, place));
            self.pages[place as usize][dword as usize % PAGE]
        });
        match list.checked_sub(1) {
            Some(at) => &self.lists[at as usize].published,
            None => &[],
        }
    }

    /// A store: the dwords carry this, and nothing else.
    pub fn replace(&mut self, dwords: impl IntoIterator<Item = u64>, published: Published) {
        let mut dwords = dwords.into_iter().peekable();
        if dwords.peek().is_none() {
            return;
        }
        let list = self.list(SmallVec::from_iter([published]));
        for dword in dwords {
            self.assign(dword, list);
        }
    }

    /// What a dword carries, to be added to.
    pub fn of_its_own(&mut self, dword: u64) -> &mut SmallVec<[Published; 1]> {
        let list = *self.slot(dword);
        let own = match list.checked_sub(1).map(|at| &self.lists[at as usize]) {
            Some(List { dwords: 1, .. }) => list,
            Some(shared) => {
                let copy = shared.published.clone();
                self.list(copy)
            }
            None => self.list(SmallVec::new()),
        };
        if own != list {
            self.assign(dword, own);
        }
        &mut self.lists[own as usize - 1].published
    }

    /// There may be enough of the dead to be worth forgetting.
    pub fn may_have_dead(&self) -> bool {
        self.lists.len() - self.free.len() >= self.forget_at.max(FEW)
    }

    /// Forget what waves have published that `is_alive` does not accept, and what was known of them. It is looked for again
    /// when there are twice as many lists as are left now, and `more`.
    pub fn forget(&mut self, is_alive: impl Fn(u32) -> bool + Copy, more: usize) {
        for list in &mut self.lists {
            list.published.retain(|entry| Arc::make_mut(&mut entry.known).retain(is_alive));
        }
        for list in self.pages.iter_mut().flat_map(|page| page.iter_mut()) {
            let Some(at) = list.checked_sub(1).map(|at| at as usize) else { continue };
            if self.lists[at].published.is_empty() {
                self.lists[at].dwords -= 1;
                if self.lists[at].dwords == 0 {
                    self.free.push(*list);
                }
                *list = 0;
            }
        }
        self.forget_at = 2 * (self.lists.len() - self.free.len()) + more;
    }

    /// A new list, which no dword has yet.
    fn list(&mut self, published: SmallVec<[Published; 1]>) -> u32 {
        let list = List { dwords: 0, published };
        match self.free.pop() {
            Some(number) => {
                self.lists[number as usize - 1] = list;
                number
            }
            None => {
                self.lists.push(list);
                self.lists.len() as u32
            }
        }
    }

    /// The place of the page with this number.
    fn place(&self, number: u64) -> Option<u32> {
        match self.recent {
            Some((recent, place)) if recent == number => Some(place),
            _ => self.places.get(&number).copied(),
        }
    }

    /// The number of a dword's list.
    fn slot(&mut self, dword: u64) -> &mut u32 {
        let number = dword / PAGE as u64;
        let place = self.place(number).unwrap_or_else(|| {
            let place = self.pages.len() as u32;
            self.places.insert(number, place);
            self.pages.push(Box::new([0; PAGE]));
            place
        });
        self.recent = Some((number, place));
        &mut self.pages[place as usize][dword as usize % PAGE]
    }

    /// A dword gets a list.
    fn assign(&mut self, dword: u64, list: u32) {
        let before = std::mem::replace(self.slot(dword), list);
        self.lists[list as usize - 1].dwords += 1;
        if let Some(at) = before.checked_sub(1) {
            let left = &mut self.lists[at as usize];
            left.dwords -= 1;
            if left.dwords == 0 {
                left.published.clear();
                self.free.push(before);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published(op: u64, agent: u32) -> Published {
        let by = WaveId { index: agent, ..WaveId::default() };
        let mut known = Knowledge::default();
        known.issued.raise(agent, 0, 1);
        Published { by, scope: Scope::Device, op: OpId(op), known: Arc::new(known), of_copy: false }
    }

    fn ops(memory: &mut Publications, dword: u64) -> Vec<u64> {
        memory.of(dword).iter().map(|entry| entry.op.0).collect()
    }

    /// A dword carries what the last store to it and the atomics since then have published, whoever its neighbours are.
    #[test]
    fn stores_replace_and_atomics_add() {
        let mut memory = Publications::default();
        memory.replace(1020..1030, published(1, 1));
        memory.of_its_own(1024).push(published(2, 2));
        memory.replace([1025, 1 << 40], published(3, 3));
        memory.of_its_own(7).push(published(4, 4));
        assert_eq!(ops(&mut memory, 1023), [1]);
        assert_eq!(ops(&mut memory, 1024), [1, 2]);
        assert_eq!(ops(&mut memory, 1025), [3]);
        assert_eq!(ops(&mut memory, 1 << 40), [3]);
        assert_eq!(ops(&mut memory, 7), [4]);
        assert!(ops(&mut memory, 8).is_empty());
        assert_eq!(memory.lists.len(), 4);
    }

    /// Lists that nothing has are used again; of the dead nothing is left.
    #[test]
    fn what_is_replaced_or_dead_leaves_nothing() {
        let mut memory = Publications::default();
        for op in 0..100 {
            memory.replace(0..8, published(op, 1));
        }
        assert_eq!(memory.lists.len(), 2);
        memory.replace([], published(100, 1));
        assert_eq!(memory.lists.len() - memory.free.len(), 1);
        memory.replace(4..6, published(100, 2));
        memory.forget(|agent| agent == 2, 0);
        assert_eq!((ops(&mut memory, 3), ops(&mut memory, 5)), (vec![], vec![100]));
        assert_eq!(memory.lists.len() - memory.free.len(), 1);
    }
}
