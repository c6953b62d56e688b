//! What names and numbers stand for. Numbers mostly come one after the other, and a row is looked at faster than a table.

use std::borrow::Cow;
use std::fmt;

use rustc_hash::FxHashMap;

use crate::types::Name;

/// A name or number, by which what it stands for is found again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key<'t> {
    Name(Cow<'t, [u8]>),
    Number(u32),
}

impl Key<'_> {
    /// The name, if it is one, to be kept.
    pub fn text(&self) -> Option<Box<[u8]>> {
        match self {
            Key::Name(name) => Some(Box::from(&**name)),
            Key::Number(_) => None,
        }
    }

    pub fn to_name(&self) -> Name {
        match self {
            Key::Name(name) => Name::Text(Box::from(&**name)),
            Key::Number(number) => Name::Number(*number),
        }
    }

    pub fn of_name(name: &Name) -> Key<'static> {
        match name {
            Name::Text(text) => Key::Name(Cow::Owned(text.to_vec())),
            Name::Number(number) => Key::Number(*number),
        }
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Name(name) => f.write_str(&String::from_utf8_lossy(name)),
            Key::Number(number) => number.fmt(f),
        }
    }
}

/// What names and numbers stand for.
pub(super) struct Names<'t, T> {
    named: FxHashMap<Cow<'t, [u8]>, T>,
    numbered: Numbered<T>,
}

impl<T> Default for Names<'_, T> {
    fn default() -> Self {
        Names { named: FxHashMap::default(), numbered: Numbered::default() }
    }
}

impl<'t, T> Names<'t, T> {
    /// The numbers below `room` are expected, and most of them.
    pub fn reserve(&mut self, room: usize) {
        self.numbered.reserve(room);
    }

    #[inline(always)]
    pub fn get(&self, key: &Key<'t>) -> Option<&T> {
        match key {
            Key::Name(name) => self.named.get(name),
            Key::Number(number) => self.numbered.get(*number),
        }
    }

    pub fn get_mut(&mut self, key: &Key<'t>) -> Option<&mut T> {
        match key {
            Key::Name(name) => self.named.get_mut(name),
            Key::Number(number) => self.numbered.get_mut(*number),
        }
    }

    /// What a name stands for.
    #[inline]
    pub fn named(&self, name: &[u8]) -> Option<&T> {
        self.named.get(name)
    }

    /// What a number stands for.
    #[inline]
    pub fn numbered(&self, number: u32) -> Option<&T> {
        self.numbered.get(number)
    }

    #[inline]
    pub fn insert(&mut self, key: Key<'t>, item: T) {
        match key {
            Key::Name(name) => drop(self.named.insert(name, item)),
            Key::Number(number) => self.numbered.insert(number, item),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Key<'t>, &T)> {
        let named = self.named.iter().map(|(name, item)| (Key::Name(name.clone()), item));
        named.chain(self.numbered.iter().map(|(number, item)| (Key::Number(number), item)))
    }
}

/// Things by their numbers.
pub(super) struct Numbered<T> {
    row: Vec<Option<T>>,
    /// How long the row may get for one number, so that a short text does not ask for much memory.
    room: usize,
    /// Those whose numbers were far ahead when they came.
    ahead: FxHashMap<u32, T>,
}

/// How far a number may be ahead of the row in any case.
const AHEAD: usize = 4;

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { row: Vec::new(), room: 0, ahead: FxHashMap::default() }
    }
}

impl<T> Numbered<T> {
    /// Things whose numbers are mostly below `room`.
    pub fn with_room(room: usize) -> Numbered<T> {
        Numbered { room, ..Numbered::default() }
    }

    /// The numbers below `room` are expected, and most of them.
    fn reserve(&mut self, room: usize) {
        self.row.reserve(room.saturating_sub(self.row.len()));
        self.room = room;
    }

    /// What a number stands for.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        match self.row.get(number as usize) {
            Some(Some(found)) => Some(found),
            _ if self.ahead.is_empty() => None,
            _ => self.ahead.get(&number),
        }
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        match self.row.get_mut(number as usize) {
            Some(Some(found)) => Some(found),
            _ => self.ahead.get_mut(&number),
        }
    }

    /// Lets a number that stands for nothing stand for `item`.
    #[inline]
    pub fn insert(&mut self, number: u32, item: T) {
        let at = number as usize;
        if at == self.row.len() {
            return self.row.push(Some(item));
        }
        if at >= self.room.max(self.row.len() + AHEAD) {
            self.ahead.insert(number, item);
            return;
        }
        if at >= self.row.len() {
            self.row.resize_with(at + 1, || None);
        }
        self.row[at] = Some(item);
    }

    /// All of them, each with its number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let row = (0..).zip(&self.row).filter_map(|(number, item)| Some((number, item.as_ref()?)));
        row.chain(self.ahead.iter().map(|(&number, item)| (number, item)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_any_order() {
        let mut numbered = Numbered::default();
        for (number, item) in [(9, 'c'), (0, 'a'), (2, 'b'), (u32::MAX, 'd')] {
            numbered.insert(number, item);
        }
        (1..9).filter(|number| *number != 2).for_each(|number| assert_eq!(numbered.get(number), None));
        numbered.insert(8, 'e');
        assert_eq!(
            [9, 0, 2, u32::MAX, 8].map(|number| numbered.get(number).copied()),
            ['c', 'a', 'b', 'd', 'e'].map(Some)
        );
        assert_eq!(numbered.iter().count(), 5);
    }
}
