//! What instructions compute, as keys: one constant a key, made from the table's rows by the build script.
//!
//! A row's key is its `meaning=`, or its own name. Rows that share a key compute the same, whatever they are called
//! (gfx6's `v_add_i32` and gfx8's `v_add_u32` are both [`Meaning::V_ADD_CO_U32`]); rows of one name with different keys
//! do not (gfx9's `v_add_u32` is [`Meaning::V_ADD_NC_U32`]). What a key computes is not said here: an executor has a
//! definition for each that it knows.

use std::fmt;

/// The key of what an instruction computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Meaning(u16);

include!(concat!(env!("OUT_DIR"), "/meanings.rs"));

impl Meaning {
    /// The key with this number, which the table's index has.
    pub(crate) const fn numbered(number: u16) -> Meaning {
        Meaning(number)
    }

    /// Its number, below [`Meaning::COUNT`].
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The key as the table spells it.
    pub fn name(self) -> &'static str {
        let (start, len) = PLACES[self.number()];
        &TEXT[usize::from(start)..][..usize::from(len)]
    }
}

impl fmt::Debug for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Table};

    /// One name may mean two things: gfx8's addition gives its carry out, gfx9's does not.
    #[test]
    fn keys_are_of_rows() {
        let meaning = |processor, name| {
            let machine = Machine::new(processor);
            Table::of(machine).by_mnemonic(name).next().expect(name).meaning
        };
        use wavemark_target::Processor::{Gfx600, Gfx803, Gfx900, Gfx1100};
        assert_eq!(meaning(Gfx600, "v_add_i32"), Meaning::V_ADD_CO_U32);
        assert_eq!(meaning(Gfx803, "v_add_u32"), Meaning::V_ADD_CO_U32);
        assert_eq!(meaning(Gfx900, "v_add_u32"), Meaning::V_ADD_NC_U32);
        assert_eq!(meaning(Gfx1100, "v_add_nc_u32"), Meaning::V_ADD_NC_U32);
        assert_eq!(meaning(Gfx900, "s_andn2_b32"), meaning(Gfx1100, "s_and_not1_b32"));
    }

    #[test]
    fn a_key_is_called_as_in_the_table() {
        assert_eq!(Meaning::V_ADD_CO_U32.name(), "v_add_co_u32");
        assert_eq!(format!("{:?}", Meaning::S_AND_NOT1_B32), "s_and_not1_b32");
        assert!(Meaning::V_XOR_B32.number() < Meaning::COUNT);
    }
}
