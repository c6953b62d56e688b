//! A queue whose copies have room.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

/// A queue in which there is room for `ROOM` without growing, as there is in its copies; not in the default one.
#[derive(Debug)]
pub struct Roomy<T, const ROOM: usize>(VecDeque<T>);

impl<T, const ROOM: usize> Roomy<T, ROOM> {
    /// An empty one.
    pub fn new() -> Self {
        Roomy(VecDeque::with_capacity(ROOM))
    }
}

/// Empty, and without room.
impl<T, const ROOM: usize> Default for Roomy<T, ROOM> {
    fn default() -> Self {
        Roomy(VecDeque::new())
    }
}

impl<T: Clone, const ROOM: usize> Clone for Roomy<T, ROOM> {
    fn clone(&self) -> Self {
        let mut copy = Roomy::new();
        copy.0.extend(self.0.iter().cloned());
        copy
    }
}

impl<T, const ROOM: usize> Deref for Roomy<T, ROOM> {
    type Target = VecDeque<T>;

    fn deref(&self) -> &VecDeque<T> {
        &self.0
    }
}

impl<T, const ROOM: usize> DerefMut for Roomy<T, ROOM> {
    fn deref_mut(&mut self) -> &mut VecDeque<T> {
        &mut self.0
    }
}
