//! Barriers of a workgroup and its cluster: the simulator's objects ([`wavemark_sim::barrier`]), by the names that IR has
//! for them.
//!
//! Follows LLVM's *AMDGPU Execution Synchronization*. A named barrier is a variable in LDS: its address is its name.

use std::fmt;

use rustc_hash::FxHashMap;
use wavemark_ir::lds::named_barrier;
use wavemark_sim::barrier::Barrier;

/// A barrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// The workgroup's, number −1.
    Workgroup,
    /// The cluster's, number −3.
    Cluster,
    /// A named one, by its address.
    Named(u64),
}

impl Name {
    /// The barrier of a number that instructions take.
    pub fn of_number(number: i64) -> Option<Name> {
        match number {
            -1 => Some(Name::Workgroup),
            -3 => Some(Name::Cluster),
            1..=16 => Some(Name::Named(named_barrier(number as u64))),
            _ => None,
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Workgroup => f.write_str("the workgroup's barrier"),
            Name::Cluster => f.write_str("the cluster's barrier"),
            Name::Named(address) => write!(f, "the named barrier at {address:#x} of LDS"),
        }
    }
}

/// The barriers of a workgroup.
#[derive(Debug, Default)]
pub struct Barriers {
    /// Its own.
    pub workgroup: Barrier,
    /// The named ones.
    pub named: FxHashMap<u64, Barrier>,
}
