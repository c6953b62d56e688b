//! What numbers stand for: mostly they come one after the other, and a row is looked at faster than a table.

use rustc_hash::FxHashMap;

/// Things by their numbers.
pub(super) struct Numbered<T> {
    row: Vec<Option<T>>,
    /// Those whose numbers were far ahead when they came.
    ahead: FxHashMap<u32, T>,
}

/// How far a number may be ahead of the row, so that a short text does not ask for much memory.
const AHEAD: usize = 4;

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { row: Vec::new(), ahead: FxHashMap::default() }
    }
}

impl<T> Numbered<T> {
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
    pub fn insert(&mut self, number: u32, item: T) {
        let at = number as usize;
        if at >= self.row.len() + AHEAD {
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
