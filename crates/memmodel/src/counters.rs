//! Which operations may be in flight, by the counters that waits name: CDNA5 manual 5.6, CDNA4 manual 4.4.
//!
//! An operation stands in one or more *classes*, each of which one counter counts. An in-order class is counted down in
//! the order of issue: after a wait for its counter to be at most N, an operation is done if N younger ones of its class
//! have been issued. In a class without order a wait says something for N = 0 alone. A counter has a capacity: issue
//! stalls at it, so that an operation with so many younger ones in its class is done without a wait.
//!
//! The state before a point is, for each operation of the program and each of its classes, the set of *positions* that its
//! instances may have on some path: how many younger operations of the class have been issued. As bits of a word: issue
//! shifts left, a wait for N keeps the lowest N bits, paths are joined by "or". Each of these acts on every position by
//! itself, so they distribute over the join, and the fixed point is the exact union over all paths.

use crate::flow::State;

/// How operations of a class complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// In the order of issue.
    pub in_order: bool,
    /// As many may be outstanding; at most 64, of which every position has its bit. No counter is wider than 6 bits.
    pub capacity: u32,
}

impl Class {
    /// The positions that an operation in flight may have: with as many younger ones as the capacity it is done.
    pub fn positions(self) -> u64 {
        Class::below(self.capacity)
    }

    /// The positions below `n`.
    fn below(n: u32) -> u64 {
        1u64.checked_shl(n).map_or(u64::MAX, |bit| bit - 1)
    }
}

/// The number of a class, an index into the caller's classes.
pub type ClassId = u8;

/// An operation that may be in flight, in one of its classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The operation: what is issued at one place of the program.
    pub operation: u32,
    /// The class.
    pub class: ClassId,
    /// Its positions: bit n for n younger operations of the class.
    pub positions: u64,
}

impl Pending {
    /// The largest number that a wait for the class's counter may leave in flight, so that the operation is done behind
    /// it on all paths.
    pub fn enough(&self) -> u32 {
        self.positions.trailing_zeros()
    }

    /// The most operations of the class that may have followed it on a path.
    pub fn oldest(&self) -> u32 {
        u64::BITS - 1 - self.positions.leading_zeros()
    }
}

/// The operations that may be in flight at a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InFlight {
    /// By operation and class; each with a position.
    pending: Vec<Pending>,
}

impl InFlight {
    /// What may be in flight.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// Whether some instance of `operation` may be.
    pub fn has(&self, operation: u32) -> bool {
        self.of(operation).next().is_some()
    }

    /// An operation in each of its classes in which it may be.
    pub fn of(&self, operation: u32) -> impl Iterator<Item = &Pending> {
        let from = self.pending.partition_point(|one| one.operation < operation);
        self.pending[from..].iter().take_while(move |one| one.operation == operation)
    }

    /// An instance of `operation` is issued to `own` of the classes.
    pub fn issue(&mut self, classes: &[Class], operation: u32, own: &[ClassId]) {
        for &class in own {
            let class_of = classes[usize::from(class)];
            if class_of.in_order {
                for one in self.pending.iter_mut().filter(|one| one.class == class) {
                    one.positions = one.positions << 1 & class_of.positions();
                }
            }
            let found =
                self.pending.binary_search_by_key(&(operation, class), |one| (one.operation, one.class));
            match found {
                Ok(at) => self.pending[at].positions |= 1,
                Err(at) => self.pending.insert(at, Pending { operation, class, positions: 1 }),
            }
        }
        self.pending.retain(|one| one.positions != 0);
    }

    /// Waits until at most `n` operations of `class` are in flight.
    pub fn wait(&mut self, classes: &[Class], class: ClassId, n: u32) {
        let kept = match classes[usize::from(class)].in_order {
            true => Class::below(n),
            false if n == 0 => 0,
            false => return,
        };
        self.pending.retain_mut(|one| {
            if one.class == class {
                one.positions &= kept;
            }
            one.positions != 0
        });
    }

    /// Whether a wait for at most `n` of `class` would wait for anything on some path.
    pub fn waits_for(&self, classes: &[Class], class: ClassId, n: u32) -> bool {
        let in_order = classes[usize::from(class)].in_order;
        let waited = |one: &Pending| if in_order { one.positions & !Class::below(n) != 0 } else { n == 0 };
        self.pending.iter().any(|one| one.class == class && waited(one))
    }

    /// Nothing is expected of `operation` any more.
    pub fn forget(&mut self, operation: u32) {
        self.pending.retain(|one| one.operation != operation);
    }

    /// Only operations that `keep` are in flight.
    pub fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        self.pending.retain(|one| keep(one.operation));
    }
}

impl State for InFlight {
    fn join(&mut self, other: &InFlight) -> bool {
        let mut changed = false;
        let mut joined = Vec::with_capacity(self.pending.len().max(other.pending.len()));
        let mut own = self.pending.iter().copied().peekable();
        for &one in &other.pending {
            let key = |one: &Pending| (one.operation, one.class);
            while let Some(before) = own.next_if(|own| key(own) < key(&one)) {
                joined.push(before);
            }
            match own.next_if(|own| key(own) == key(&one)) {
                Some(same) => {
                    let positions = same.positions | one.positions;
                    changed |= positions != same.positions;
                    joined.push(Pending { positions, ..one });
                }
                None => {
                    changed = true;
                    joined.push(one);
                }
            }
        }
        if changed {
            joined.extend(own);
            self.pending = joined;
        }
        changed
    }
}
