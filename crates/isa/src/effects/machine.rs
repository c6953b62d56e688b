//! What effects depend on besides the row: the generation of the instruction set, and the words that follow from
//! its wave size. The only place of this module that knows the names of instruction sets.

use wavemark_target::Generation;

use super::policy::PolicyBits;
use crate::{Isa, Special};

/// The generation of the processors of `isa`.
pub(super) const fn generation(isa: Isa) -> Generation {
    match isa {
        Isa::Gfx950 => Generation::Gfx9,
        Isa::Gfx1250 => Generation::Gfx1250,
    }
}

/// How cache policies are encoded.
pub(super) const fn policy_bits(isa: Isa) -> PolicyBits {
    match isa {
        Isa::Gfx950 => PolicyBits::Sc,
        Isa::Gfx1250 => PolicyBits::TemporalHint,
    }
}

/// EXEC as wide as a wave.
pub(super) const fn exec(isa: Isa) -> Special {
    if isa.lanes() == 64 { Special::Exec } else { Special::ExecLo }
}

/// VCC as wide as a wave.
pub(super) const fn vcc(isa: Isa) -> Special {
    if isa.lanes() == 64 { Special::Vcc } else { Special::VccLo }
}
