//! Handles: what HIP gives out as pointers to structures that nobody else looks into.
//!
//! A handle is a number that says what it is a handle of, and which one. What is none is refused, where a pointer would
//! be followed.

use std::ffi::c_void;

use crate::answer::Answer;
use crate::error::INVALID_HANDLE;

/// What HIP passes a handle as.
pub type Handle = *mut c_void;

/// What a handle is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Kind {
    /// `hipModule_t`.
    Module = 1,
    /// `hipFunction_t`.
    Function = 2,
    /// `hipStream_t`.
    Stream = 3,
    /// `hipEvent_t`.
    Event = 4,
    /// The `void**` of a registered fat binary.
    FatBinary = 5,
}

/// Handles differ by so much, and are no small numbers, which HIP has meanings for.
const STEP: u64 = 16;
/// Where the kind stands; above the addresses of user space, so that no pointer looks like a handle.
const KIND_SHIFT: u32 = 56;

/// Things by their handles.
#[derive(Debug)]
pub struct Table<T> {
    kind: Kind,
    things: Vec<Option<T>>,
}

impl<T> Table<T> {
    /// An empty one, for handles of `kind`.
    pub fn new(kind: Kind) -> Table<T> {
        Table { kind, things: Vec::new() }
    }

    /// A handle for `thing`.
    pub fn add(&mut self, thing: T) -> Handle {
        self.things.push(Some(thing));
        (((self.kind as u64) << KIND_SHIFT) + self.things.len() as u64 * STEP) as Handle
    }

    fn index(&self, handle: Handle) -> Option<usize> {
        let number = (handle as u64).checked_sub((self.kind as u64) << KIND_SHIFT)?;
        let index = (number / STEP).checked_sub(1)?;
        (number % STEP == 0 && index < self.things.len() as u64).then_some(index as usize)
    }

    /// What `handle` is of.
    pub fn get(&self, handle: Handle) -> Answer<&T> {
        let thing = self.index(handle).and_then(|index| self.things[index].as_ref());
        thing.ok_or_else(|| INVALID_HANDLE.into())
    }

    /// What `handle` is of, to be changed.
    pub fn get_mut(&mut self, handle: Handle) -> Answer<&mut T> {
        let index = self.index(handle).ok_or(INVALID_HANDLE)?;
        self.things[index].as_mut().ok_or_else(|| INVALID_HANDLE.into())
    }

    /// Takes what `handle` is of; the handle is not given to another one.
    pub fn remove(&mut self, handle: Handle) -> Answer<T> {
        let index = self.index(handle).ok_or(INVALID_HANDLE)?;
        self.things[index].take().ok_or_else(|| INVALID_HANDLE.into())
    }

    /// Everything that has a handle.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.things.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_of_one_thing_only() {
        let (mut events, mut streams) = (Table::new(Kind::Event), Table::new(Kind::Stream));
        let (event, stream) = (events.add('e'), streams.add('s'));
        assert_eq!(events.get(event).ok(), Some(&'e'));
        assert!(events.get(stream).is_err() && streams.get(event).is_err());
        for wrong in [0, 1, 2, event as u64 + 1, event as u64 + STEP, u64::MAX] {
            assert!(events.get(wrong as Handle).is_err(), "{wrong:#x}");
        }
        assert_eq!(events.remove(event).ok(), Some('e'));
        assert!(events.get(event).is_err() && events.remove(event).is_err());
    }
}
