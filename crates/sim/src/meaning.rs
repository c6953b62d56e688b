//! What instructions compute: the definition of each key ([`Meaning`]) that rows have.
//!
//! The definitions stand in the tables of the arithmetic families (`alu`) and in the table of matrix products
//! (`matrix`), that of a key in one line of one of them. They are joined here when the program is compiled, and looked
//! up once when an instruction is bound. What instructions do to memory, counters, barriers and control flow has no
//! definition: it is bound by the typed effects of the row (`machine::select`).

use wavemark_isa::Meaning;
use wavemark_target::names::{count, member};

use crate::alu::{self, Def};
use crate::matrix::table::{self as matrix, MatrixRow};

/// How a key is computed.
#[derive(Clone, Copy)]
pub enum Definition {
    /// By a function of registers.
    Alu(&'static Def),
    /// By a matrix product.
    Matrix(&'static MatrixRow),
}

/// How many definitions are functions of registers; the matrix products are numbered after them.
const FUNCTIONS: usize = count(alu::FAMILIES);

/// By key: one more than the number of its definition, 0 without one. Numbers and not references, which the loader
/// would have to write to memory each time the program starts.
static DEFINITIONS: [u16; Meaning::COUNT] = {
    let mut definitions = [0; Meaning::COUNT];
    let mut number = 0;
    while number < FUNCTIONS + count(matrix::FAMILIES) {
        let key = match number < FUNCTIONS {
            true => match member(alu::FAMILIES, number) {
                Some(line) => line.0,
                None => unreachable!(),
            },
            false => match member(matrix::FAMILIES, number - FUNCTIONS) {
                Some(row) => row.key,
                None => unreachable!(),
            },
        };
        assert!(definitions[key.number()] == 0, "a key is defined twice");
        definitions[key.number()] = number as u16 + 1;
        number += 1;
    }
    definitions
};

/// The definition of a key.
pub fn definition(key: Meaning) -> Option<Definition> {
    let number = usize::from(DEFINITIONS[key.number()]).checked_sub(1)?;
    match number.checked_sub(FUNCTIONS) {
        Some(row) => member(matrix::FAMILIES, row).map(Definition::Matrix),
        None => member(alu::FAMILIES, number).map(|(_, def)| Definition::Alu(def)),
    }
}

/// All keys that are defined.
#[cfg(test)]
pub fn keys() -> impl Iterator<Item = Meaning> {
    let functions = alu::FAMILIES.iter().copied().flatten().map(|line| line.0);
    functions.chain(matrix::FAMILIES.iter().copied().flatten().map(|row| row.key))
}
