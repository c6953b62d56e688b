//! Tables that are searched by name: their index is made when the program is compiled.
//!
//! A map that is filled at the first search costs a small run more than the search itself: each page that it touches
//! is a page fault. Here the index is part of the program's file. A name that stands twice stops the build.

/// Where the search for `name` begins in a table of `size` slots; it goes on to the next slot (Fowler, Noll and Vo's
/// hash 1a).
pub const fn slot(name: &str, size: usize) -> usize {
    let bytes = name.as_bytes();
    let mut hash = 0x811c_9dc5u32;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ hash >> 15) as usize % size
}

/// The member with this number of several tables, one after another.
pub const fn member<T>(tables: &[&'static [T]], mut number: usize) -> Option<&'static T> {
    let mut table = 0;
    while table < tables.len() {
        match number.checked_sub(tables[table].len()) {
            Some(rest) => number = rest,
            None => return Some(&tables[table][number]),
        }
        table += 1;
    }
    None
}

/// How many members the tables have together.
pub const fn count<T>(tables: &[&[T]]) -> usize {
    let mut count = 0;
    let mut table = 0;
    while table < tables.len() {
        count += tables[table].len();
        table += 1;
    }
    count
}

/// The index of the members of several tables (`&[&[T]]`, a constant) by the field that is their name.
#[macro_export]
macro_rules! name_index {
    ($tables:expr, $name:tt) => {{
        const NAMES: [&str; $crate::names::count($tables)] = {
            let mut names = [""; $crate::names::count($tables)];
            let (mut name, mut table) = (0, 0);
            while table < $tables.len() {
                let mut member = 0;
                while member < $tables[table].len() {
                    names[name] = $tables[table][member].$name;
                    name += 1;
                    member += 1;
                }
                table += 1;
            }
            names
        };
        $crate::names::NameIndex::of(NAMES)
    }};
}

/// `N` names, each found by its text; `SLOTS` is about twice as many.
#[derive(Debug)]
pub struct NameIndex<const N: usize, const SLOTS: usize> {
    names: [&'static str; N],
    /// One more than the number of the name that is found there; 0 where the search ends.
    slots: [u16; SLOTS],
}

impl<const N: usize, const SLOTS: usize> NameIndex<N, SLOTS> {
    /// The index of these names.
    ///
    /// # Panics
    /// When a name stands twice, and when there are too few slots: at compile time, where it is meant to be used.
    pub const fn of(names: [&'static str; N]) -> NameIndex<N, SLOTS> {
        assert!(N < SLOTS && N < u16::MAX as usize, "too few slots");
        let mut slots = [0u16; SLOTS];
        let mut name = 0;
        while name < N {
            let mut at = slot(names[name], SLOTS);
            while slots[at] != 0 {
                assert!(!same(names[slots[at] as usize - 1], names[name]), "a name stands twice");
                at = (at + 1) % SLOTS;
            }
            slots[at] = name as u16 + 1;
            name += 1;
        }
        NameIndex { names, slots }
    }

    /// The number of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        let mut at = slot(name, SLOTS);
        while let Some(number) = usize::from(self.slots[at]).checked_sub(1) {
            if self.names[number] == name {
                return Some(number);
            }
            at = (at + 1) % SLOTS;
        }
        None
    }

    /// All names, by number.
    pub fn names(&self) -> &[&'static str; N] {
        &self.names
    }
}

/// Whether two names are one, at compile time.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &[&[(&str, u8)]] = &[&[], &[("s_mov_b32", 7), ("s_mov_b64", 8)], &[("", 9)]];
    static NAMES: NameIndex<3, 4> = name_index!(TABLES, 0);

    #[test]
    fn every_name_and_no_other_is_found() {
        for (name, value) in TABLES.iter().copied().flatten() {
            let number = NAMES.find(name).expect("the name is in a table");
            assert_eq!(member(TABLES, number), Some(&(*name, *value)));
        }
        assert_eq!(NAMES.names(), &["s_mov_b32", "s_mov_b64", ""]);
        assert_eq!(NAMES.find("s_mov_b128"), None);
        assert_eq!(member(TABLES, 3), None);
    }

    #[test]
    #[should_panic(expected = "stands twice")]
    fn a_name_that_stands_twice_is_refused() {
        let _ = NameIndex::<2, 4>::of(["a", "a"]);
    }
}
