//! What instructions compute, by key.
//!
//! A key is the value of a row's `meaning=`, or the row's own name: rows that share a key compute the same, whatever
//! they are called. The keys are spelt in two kinds of places: the tables of the arithmetic families (`alu`) and the
//! table of matrix products (`matrix`), each key in one line of one of them. They are joined here and looked up once
//! when an instruction is bound. What instructions do to memory, counters, barriers and control flow has no key: it
//! is bound by the typed effects of the row (`machine::select`).

use std::sync::OnceLock;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::alu::{self, Def};
use crate::matrix::table::{self as matrix, MatrixRow};

/// What an instruction computes.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// A function of registers.
    Alu(&'static Def),
    /// A matrix product.
    Matrix(&'static MatrixRow),
}

/// The meaning of a key.
pub fn of(key: &str) -> Option<Meaning> {
    static TABLE: OnceLock<FxHashMap<&'static str, Meaning>> = OnceLock::new();
    let table = || {
        let mut table = FxHashMap::with_capacity_and_hasher(all().count(), FxBuildHasher);
        table.extend(all());
        table
    };
    TABLE.get_or_init(table).get(key).copied()
}

/// All keys and their meanings.
pub fn all() -> impl Iterator<Item = (&'static str, Meaning)> {
    let alu = alu::lines().map(|(key, def)| (*key, Meaning::Alu(def)));
    alu.chain(matrix::rows().map(|row| (row.key, Meaning::Matrix(row))))
}
