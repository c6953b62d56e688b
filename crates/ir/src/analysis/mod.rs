//! What follows from a function without running it.
//!
//! [`Graph`] is a function's control flow as numbers; [`Dominators`] are of it or of its reverse (post-dominators);
//! [`loops`] finds natural loops; [`uniformity`] says which values are the same in all lanes of a wave;
//! [`call_graph`] says who calls whom. Each is held against a brute force on random functions
//! (`crates/ir/tests/analyses.rs`).

mod calls;
mod dominators;
mod graph;
mod loops;
mod uniformity;

pub use calls::{CallGraph, call_graph, direct_callee};
pub use dominators::Dominators;
pub use graph::Graph;
pub use loops::{Loop, loops};
pub use uniformity::{Uniformity, uniformity};
