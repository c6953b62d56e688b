//! The machines that the simulator executes, as `wavemark_sim::modelled` gives them.

#![allow(dead_code)]

use wavemark_target::{Features, Machine, Processor, WaveSize};

/// CDNA4, wave64.
pub const GFX950: Machine =
    Machine { processor: Processor::Gfx950, wave_size: WaveSize::Wave64, features: Features::empty() };

/// CDNA5, wave32.
pub const GFX1250: Machine =
    Machine { processor: Processor::Gfx1250, wave_size: WaveSize::Wave32, features: Features::REAL_TRUE16 };
