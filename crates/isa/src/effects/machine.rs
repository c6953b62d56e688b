//! What effects depend on besides the row: the words that follow from the wave size.

use wavemark_target::{Machine, WaveSize};

use crate::Special;

/// EXEC as wide as a wave.
pub(super) const fn exec(machine: Machine) -> Special {
    match machine.wave_size {
        WaveSize::Wave32 => Special::ExecLo,
        WaveSize::Wave64 => Special::Exec,
    }
}

/// VCC as wide as a wave.
pub(super) const fn vcc(machine: Machine) -> Special {
    match machine.wave_size {
        WaveSize::Wave32 => Special::VccLo,
        WaveSize::Wave64 => Special::Vcc,
    }
}
