//! What instructions compute, by key.
//!
//! A key is the value of a row's `meaning=`, or the row's own name: rows that share a key compute the same, whatever
//! they are called. The keys are spelt in two kinds of places: the tables of the arithmetic families (`alu`) and the
//! table of matrix products (`matrix`), each key in one line of one of them. They are joined here, when the program
//! is compiled, and looked up once when an instruction is bound. What instructions do to memory, counters, barriers
//! and control flow has no key: it is bound by the typed effects of the row (`machine::select`).

use wavemark_target::name_index;
use wavemark_target::names::{NameIndex, count, member};

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

static ALU: NameIndex<{ count(alu::FAMILIES) }, { 2 * count(alu::FAMILIES) }> = name_index!(alu::FAMILIES, 0);
static MATRIX: NameIndex<{ count(matrix::FAMILIES) }, { 2 * count(matrix::FAMILIES) }> =
    name_index!(matrix::FAMILIES, key);

/// The meaning of a key.
pub fn of(key: &str) -> Option<Meaning> {
    match ALU.find(key) {
        Some(number) => member(alu::FAMILIES, number).map(|(_, def)| Meaning::Alu(def)),
        None => member(matrix::FAMILIES, MATRIX.find(key)?).map(Meaning::Matrix),
    }
}

/// All keys, of each table once.
#[cfg(test)]
pub fn keys() -> impl Iterator<Item = &'static str> {
    ALU.names().iter().chain(MATRIX.names()).copied()
}
