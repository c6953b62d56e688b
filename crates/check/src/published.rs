//! What was published in a memory: of each dword by whom, and what the publisher knew.
//!
//! A store publishes the same in all that it writes, so that dwords have the numbers of lists and share them: a store
//! makes one list, whatever its size. An atomic adds to what was published before, once for neighbours that share a list.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_sim::events::{Channel, OpId, Scope, WaveId};

use crate::knowledge::Knowledge;
use crate::number;
use crate::snapshot::Moved;

/// What a synchronisation location carries.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    pub by: WaveId,
    pub scope: Scope,
    pub op: OpId,
    /// The operation's place in its channel.
    pub seq: (Channel, u32),
    /// How many operations had published in this memory before.
    pub order: u32,
    pub known: Arc<Knowledge>,
    /// The operation takes a lock or gives it back, by what it is: an exchange, a comparison, or a store over such a one.
    pub lock: bool,
    /// Among it is the end of a copy, of which its wave need not know.
    pub of_copy: bool,
}

/// What some dwords carry.
#[derive(Clone, Debug, Default)]
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
#[derive(Clone, Debug, Default)]
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
    /// How many operations have published.
    pub count: u32,
    /// The first dword that has carried anything, and the one behind the last, if there is one.
    carriers: Option<(u64, u64)>,
}

/// So few lists are not worth looking through.
const FEW: usize = 1 << 12;

impl Publications {
    /// Whether any of the dwords between the first byte and the one behind the last may carry something.
    #[inline]
    pub fn may_have(&self, bytes: Option<(u64, u64)>) -> bool {
        let meets = |((from, to), (first, end)): ((u64, u64), (u64, u64))| from / 4 < end && first * 4 < to;
        bytes.zip(self.carriers).is_some_and(meets)
    }

    /// What waves whose numbers are higher by so much have published likewise, in the same LDS of another workgroup; `id` says
    /// who they are.
    pub fn moved(&self, by: &mut Moved, id: impl Fn(u32) -> WaveId) -> Publications {
        let mut moved = self.clone();
        for entry in moved.lists.iter_mut().flat_map(|list| &mut list.published) {
            entry.by = id(entry.by.index);
            entry.op = OpId(u64::from(entry.by.cluster_flat) << 32 | u64::from(number(entry.op)));
            entry.known = by.shared(&entry.known);
        }
        moved
    }

    /// What a dword carries.
    pub fn of(&self, dword: u64) -> &[Published] {
        let place = self.place(dword / PAGE as u64);
        let list = place.map_or(0, |place| self.pages[place as usize][dword as usize % PAGE]);
        list.checked_sub(1).map_or(&[], |at| &self.lists[at as usize].published)
    }

    /// Call `visit` with what dwords carry, once for neighbours that carry the same.
    pub fn visit(&mut self, dwords: &[u64], mut visit: impl FnMut(&[Published])) {
        let mut last = 0;
        for &dword in dwords {
            let number = dword / PAGE as u64;
            let list = self.place(number).map_or(0, |place| {
                self.recent = Some((number, place));
                self.pages[place as usize][dword as usize % PAGE]
            });
            if list != 0 && list != last {
                visit(&self.lists[list as usize - 1].published);
            }
            last = list;
        }
    }

    /// A store: the dwords carry this, and nothing else.
    pub fn replace(&mut self, dwords: &[u64], published: Published) {
        if dwords.is_empty() {
            return;
        }
        self.will_carry(dwords);
        let list = self.list(SmallVec::from_iter([published]));
        for &dword in dwords {
            let (page, at) = self.slot(dword);
            let before = std::mem::replace(&mut self.pages[page][at], list);
            self.moved_on(before, list, 1);
        }
    }

    /// An atomic: `add` adds to what the dwords carry.
    pub fn add(&mut self, dwords: &[u64], mut add: impl FnMut(&mut SmallVec<[Published; 1]>)) {
        self.will_carry(dwords);
        // What has become of the list of the neighbour, and of how many dwords it has.
        let (mut before, mut after, mut moved) = (0, 0, 0);
        for &dword in dwords {
            let (page, at) = self.slot(dword);
            let slot = &mut self.pages[page][at];
            let list = *slot;
            if after != 0 && (list == before || list == after) {
                moved += u32::from(list != after);
                *slot = after;
                continue;
            }
            self.moved_on(before, after, std::mem::take(&mut moved));
            let mut published = match list.checked_sub(1).map(|at| &mut self.lists[at as usize]) {
                // Nobody else has it: it is free once the dword has another one.
                Some(List { dwords: 1, published }) => std::mem::take(published),
                Some(shared) => shared.published.clone(),
                None => SmallVec::new(),
            };
            add(&mut published);
            let new = self.list(published);
            self.pages[page][at] = new;
            self.moved_on(list, new, 1);
            (before, after) = (list, new);
        }
        self.moved_on(before, after, moved);
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

    /// Where the number of a dword's list is: the place of its page, and its place there.
    #[inline]
    fn slot(&mut self, dword: u64) -> (usize, usize) {
        let number = dword / PAGE as u64;
        let place = match self.recent {
            Some((recent, place)) if recent == number => place,
            _ => self.find(number),
        };
        (place as usize, dword as usize % PAGE)
    }

    /// The place of the page with this number, which need not have been there.
    fn find(&mut self, number: u64) -> u32 {
        let next = self.pages.len() as u32;
        let place = *self.places.entry(number).or_insert(next);
        if place == next {
            self.pages.push(Box::new([0; PAGE]));
        }
        self.recent = Some((number, place));
        place
    }

    /// Dwords are to carry something.
    fn will_carry(&mut self, dwords: &[u64]) {
        for &dword in dwords {
            let (first, end) = self.carriers.get_or_insert((dword, dword + 1));
            (*first, *end) = ((*first).min(dword), (*end).max(dword + 1));
        }
    }

    /// So many dwords have the list `after` now, and had `before`.
    fn moved_on(&mut self, before: u32, after: u32, dwords: u32) {
        if dwords == 0 {
            return;
        }
        self.lists[after as usize - 1].dwords += dwords;
        if let Some(at) = before.checked_sub(1) {
            let left = &mut self.lists[at as usize];
            left.dwords -= dwords;
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
        Published {
            by,
            scope: Scope::Device,
            op: OpId(op),
            seq: (Channel::Vm, 1),
            order: 0,
            known: Arc::new(known),
            lock: false,
            of_copy: false,
        }
    }

    fn ops(memory: &mut Publications, dword: u64) -> Vec<u64> {
        let mut ops = Vec::new();
        memory.visit(&[dword], |published| ops.extend(published.iter().map(|entry| entry.op.0)));
        ops
    }

    /// A dword carries what the last store to it and the atomics since then have published, whoever its neighbours are.
    #[test]
    fn stores_replace_and_atomics_add() {
        let mut memory = Publications::default();
        memory.replace(&(1020..1030).collect::<Vec<_>>(), published(1, 1));
        memory.add(&[1024], |list| list.push(published(2, 2)));
        memory.replace(&[1025, 1 << 40], published(3, 3));
        memory.add(&[7], |list| list.push(published(4, 4)));
        assert_eq!(ops(&mut memory, 1023), [1]);
        assert_eq!(ops(&mut memory, 1024), [1, 2]);
        assert_eq!(ops(&mut memory, 1025), [3]);
        assert_eq!(ops(&mut memory, 1 << 40), [3]);
        assert_eq!(ops(&mut memory, 7), [4]);
        assert!(ops(&mut memory, 8).is_empty());
        assert_eq!(memory.lists.len(), 4);
    }

    /// Neighbours that carry the same are added to once, and told of once.
    #[test]
    fn neighbours_are_added_to_together() {
        let mut memory = Publications::default();
        memory.replace(&[2, 3, 4, 5], published(1, 1));
        let dwords: Vec<u64> = (0..8).collect();
        let mut added = 0;
        for op in [2, 3] {
            memory.add(&dwords, |list| {
                added += 1;
                list.push(published(op, op as u32));
            });
        }
        // Before, between and behind the store; then nobody has any of these lists.
        assert_eq!((added, memory.lists.len() - memory.free.len()), (6, 3));
        assert_eq!(
            (ops(&mut memory, 1), ops(&mut memory, 2), ops(&mut memory, 7)),
            (vec![2, 3], vec![1, 2, 3], vec![2, 3])
        );
        let mut told = Vec::new();
        memory.visit(&dwords, |published| told.push(published.len()));
        assert_eq!(told, [2, 3, 2]);
    }

    /// Lists that nothing has are used again; of the dead nothing is left.
    #[test]
    fn what_is_replaced_or_dead_leaves_nothing() {
        let mut memory = Publications::default();
        for op in 0..100 {
            memory.replace(&[0, 1, 2, 3, 4, 5, 6, 7], published(op, 1));
        }
        assert_eq!(memory.lists.len(), 2);
        memory.replace(&[], published(100, 1));
        assert_eq!(memory.lists.len() - memory.free.len(), 1);
        memory.replace(&[4, 5], published(100, 2));
        memory.forget(|agent| agent == 2, 0);
        assert_eq!((ops(&mut memory, 3), ops(&mut memory, 5)), (vec![], vec![100]));
        assert_eq!(memory.lists.len() - memory.free.len(), 1);
    }
}
