//! Asynchronous operations in flight: what they move, and when that is done.
//!
//! An operation is *issued*, its data *land*, and it is *done* when the program is told so: by the wait that takes a mark
//! behind it, or by the counter of its class. Data land when the operation is done at the latest (`late`), at once
//! (`early`), or in between (`random`). Within a class, data land in the order of issue.
//!
//! The counters follow [`wavemark_memmodel::retirement`]: behind a wait for at most N, an operation of an in-order class
//! is done if N younger ones of its class were issued. Copies into LDS and tensor operations are in order each; ASYNCcnt
//! counts loads and stores, each in order (CDNA5 manual 10.8).

use wavemark_memmodel::asyncmark::Instance;
use wavemark_sim::Global;
use wavemark_sim::pending::barrier_cell_after;
use wavemark_target::TensorPiece;

use super::bytes::{Memory, State};
use crate::finding::Place;

/// A class whose operations complete in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Copies into LDS that VMcnt counts.
    LdsDma,
    /// Asynchronous loads to LDS.
    AsyncLoad,
    /// Asynchronous stores from LDS.
    AsyncStore,
    /// Tensor operations.
    Tensor,
}

/// What an operation moves.
#[derive(Clone, Debug)]
pub enum Action {
    /// Pieces between memory and LDS: into LDS, or out of it.
    Move {
        /// The pieces; one without an address is zeros.
        pieces: Vec<TensorPiece>,
        /// Out of LDS.
        store: bool,
        /// A barrier in LDS that counts an arrival then.
        arrive: Option<u32>,
    },
    /// Barriers in LDS count an arrival.
    Arrive(Vec<u32>),
}

/// An operation that is not known to be done.
#[derive(Clone, Debug)]
pub struct Flight {
    /// Its number in the run.
    pub serial: u64,
    /// Its class.
    pub class: Class,
    /// It by its marks.
    pub instance: Instance,
    /// What it moves.
    pub action: Action,
    /// Its data have landed.
    pub landed: bool,
    /// Behind it, a barrier in LDS has counted an arrival that tells of it.
    pub told: bool,
    /// The clock when its wave's turn began in which it was issued.
    pub issued: u64,
    /// Where it was issued.
    pub place: Place,
    /// The bytes of LDS that it touches lie from here to there.
    pub span: (u64, u64),
}

impl Flight {
    /// Whether whoever waits for it is told by a barrier in LDS, at which it, or an arrival behind it, has arrived.
    pub fn is_told(&self) -> bool {
        let arrives = matches!(self.action, Action::Move { arrive: Some(_), .. } | Action::Arrive(_));
        self.landed && (self.told || arrives)
    }
}

impl Action {
    /// The bytes of LDS that it touches, from the first to behind the last.
    pub fn span(&self) -> (u64, u64) {
        let ranges = self.ranges();
        ranges.fold((u64::MAX, 0), |(low, high), (from, to)| (low.min(from), high.max(to)))
    }

    /// The bytes of LDS that it touches.
    pub fn ranges(&self) -> Box<dyn Iterator<Item = (u64, u64)> + '_> {
        match self {
            Action::Move { pieces, store, .. } => {
                let touches = pieces.iter().filter(|piece| !*store || piece.global.is_some());
                Box::new(
                    touches.map(|piece| (piece.lds.into(), u64::from(piece.lds) + u64::from(piece.bytes))),
                )
            }
            Action::Arrive(_) => Box::new(std::iter::empty()),
        }
    }

    /// Whether it writes to LDS.
    pub fn writes_lds(&self) -> bool {
        matches!(self, Action::Move { store: false, .. })
    }

    /// Moves the data. Pieces were in bounds when it was issued.
    pub fn land(&self, global: &mut Global, lds: &mut Memory) {
        match self {
            Action::Move { pieces, store, arrive } => {
                let mut buffer = Vec::new();
                for piece in pieces {
                    buffer.clear();
                    buffer.resize(piece.bytes as usize, 0);
                    match (piece.global, store) {
                        (Some(address), true) => {
                            lds.read(piece.lds.into(), &mut buffer);
                            if let Some(to) = global.slice_mut(address, piece.bytes.into()) {
                                to.copy_from_slice(&buffer);
                            }
                        }
                        (None, true) => {}
                        (address, false) => {
                            if let Some(from) = address.and_then(|at| global.slice(at, piece.bytes.into())) {
                                buffer.copy_from_slice(from);
                            }
                            lds.write(piece.lds.into(), &buffer, State::VALUE);
                        }
                    }
                }
                arrive.iter().for_each(|&cell| count_arrival(lds, cell.into(), 1));
            }
            Action::Arrive(cells) => cells.iter().for_each(|&cell| count_arrival(lds, cell.into(), 1)),
        }
    }
}

/// A barrier in LDS counts `by` arrivals; its word before.
pub fn count_arrival(lds: &mut Memory, cell: u64, by: u64) {
    let mut word = [0; 8];
    if lds.read(cell, &mut word).is_some() {
        let after = barrier_cell_after(u64::from_le_bytes(word), by);
        lds.write(cell, &after.to_le_bytes(), State::VALUE);
    }
}

/// The operations of a queue that a wait until the counter of `classes` is at most `n` makes done: those with as many
/// younger ones of their class.
pub fn retired(flights: &std::collections::VecDeque<Flight>, classes: &[Class], n: u64) -> Vec<usize> {
    let mut done = Vec::new();
    for &class in classes {
        let own: Vec<usize> = flights
            .iter()
            .enumerate()
            .filter(|(_, flight)| flight.class == class)
            .map(|(at, _)| at)
            .collect();
        let kept = usize::try_from(n).unwrap_or(usize::MAX).min(own.len());
        done.extend_from_slice(&own[..own.len() - kept]);
    }
    done.sort_unstable();
    done
}
