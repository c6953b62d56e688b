//! Typed ids and what is kept by them.
//!
//! An [`Arena`] owns things of one kind and gives each an id; a [`Table`] keeps something beside some of them. The id of
//! one arena means nothing in another; an arena never takes anything out, so an id stays good.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index.
pub trait Id: Copy + Eq {
    /// The id of the place `index`.
    fn new(index: usize) -> Self;
    /// Its place.
    fn index(self) -> usize;
}

/// Declares an id: a `u32` that knows what it counts.
macro_rules! id {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $crate::entity::Id for $name {
            fn new(index: usize) -> $name {
                // An arena holds what a text of less than 4 GiB spells out: less than one thing a byte.
                $name(u32::try_from(index).expect("less than 2^32 entities"))
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}
pub(crate) use id;

/// Things of one kind, by the id that each got when it was pushed.
#[derive(Clone, PartialEq)]
pub struct Arena<I, T> {
    items: Vec<T>,
    id: PhantomData<I>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Arena { items: Vec::new(), id: PhantomData }
    }
}

impl<I: Id, T> Arena<I, T> {
    /// Adds one.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// Makes room for as many more.
    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All ids, in the order of pushing.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// All things with their ids.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| (I::new(index), item))
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Arena<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

/// Something beside the things of an arena; the default where nothing was said.
#[derive(Clone)]
pub struct Table<I, T> {
    items: Vec<T>,
    default: T,
    id: PhantomData<I>,
}

impl<I: Id, T: Clone + Default> Default for Table<I, T> {
    fn default() -> Self {
        Table { items: Vec::new(), default: T::default(), id: PhantomData }
    }
}

impl<I: Id, T: Clone + Default> Table<I, T> {
    /// Everything is `default` until something else is said.
    pub fn with_default(default: T) -> Table<I, T> {
        Table { items: Vec::new(), default, id: PhantomData }
    }

    /// Makes room for as many more.
    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }

    /// Says something of `id`.
    #[inline]
    pub fn set(&mut self, id: I, item: T) {
        // What is said of one after the other is put behind the others.
        if self.items.len() == id.index() {
            self.items.push(item);
        } else {
            *self.entry(id) = item;
        }
    }

    /// What is said of `id`, to be changed.
    pub fn entry(&mut self, id: I) -> &mut T {
        if self.items.len() <= id.index() {
            self.items.resize(id.index() + 1, self.default.clone());
        }
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        self.items.get(id.index()).unwrap_or(&self.default)
    }
}

/// Several things each beside the things of an arena, all in one row; none where nothing was said.
#[derive(Clone)]
pub struct Lists<I, T> {
    items: Vec<T>,
    /// Where those of each begin and end.
    bounds: Table<I, (u32, u32)>,
}

impl<I: Id, T> Default for Lists<I, T> {
    fn default() -> Self {
        Lists { items: Vec::new(), bounds: Table::default() }
    }
}

impl<I: Id, T: Clone> Lists<I, T> {
    /// Makes room for one each of as many more.
    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
        self.bounds.reserve(more);
    }

    /// Says something of `id`, of which nothing was said.
    #[inline]
    pub fn set(&mut self, id: I, items: &[T]) {
        let from = self.items.len() as u32;
        // One at a time: mostly there is one.
        for item in items {
            self.items.push(item.clone());
        }
        self.bounds.set(id, (from, self.items.len() as u32));
    }
}

impl<I: Id, T> Index<I> for Lists<I, T> {
    type Output = [T];

    fn index(&self, id: I) -> &[T] {
        let (from, to) = self.bounds[id];
        &self.items[from as usize..to as usize]
    }
}

impl<I: Id, T: PartialEq> PartialEq for Lists<I, T> {
    fn eq(&self, other: &Self) -> bool {
        let most = self.bounds.items.len().max(other.bounds.items.len());
        (0..most).all(|index| self[I::new(index)] == other[I::new(index)])
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for Lists<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.bounds.items.len()).map(|index| &self[I::new(index)])).finish()
    }
}

impl<I: Id, T: PartialEq> PartialEq for Table<I, T> {
    fn eq(&self, other: &Self) -> bool {
        let most = self.items.len().max(other.items.len());
        (0..most).all(|index| self[I::new(index)] == other[I::new(index)])
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Table<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}
