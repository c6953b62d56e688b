//! The machines that the simulator executes, as `wavemark_sim::modelled` gives them.

use wavemark_target::{Features, Machine, Processor, WaveSize};

const fn machine(processor: Processor, wave_size: WaveSize) -> Machine {
    Machine { processor, wave_size, features: Features::empty(), one_async_queue: false }
}

/// Vega.
pub const GFX900: Machine = machine(Processor::Gfx900, WaveSize::Wave64);

/// CDNA2.
pub const GFX90A: Machine = machine(Processor::Gfx90a, WaveSize::Wave64);

/// CDNA3.
pub const GFX942: Machine = machine(Processor::Gfx942, WaveSize::Wave64);

/// CDNA4.
pub const GFX950: Machine = machine(Processor::Gfx950, WaveSize::Wave64);

/// RDNA2.
pub const GFX1030: Machine = machine(Processor::Gfx1030, WaveSize::Wave32);

/// RDNA3.
pub const GFX1100: Machine =
    Machine { features: Features::REAL_TRUE16, ..machine(Processor::Gfx1100, WaveSize::Wave32) };

/// RDNA4.
pub const GFX1201: Machine =
    Machine { features: Features::REAL_TRUE16, ..machine(Processor::Gfx1201, WaveSize::Wave32) };

/// CDNA5.
pub const GFX1250: Machine =
    Machine { features: Features::REAL_TRUE16, ..machine(Processor::Gfx1250, WaveSize::Wave32) };

/// The second processor of CDNA5.
pub const GFX1251: Machine = Machine { processor: Processor::Gfx1251, ..GFX1250 };

/// The same in waves of 64 lanes.
pub const fn wave64(machine: Machine) -> Machine {
    Machine { wave_size: WaveSize::Wave64, ..machine }
}

/// One of each line, and each wave size.
pub const ALL: [Machine; 12] = [
    GFX900,
    GFX90A,
    GFX942,
    GFX950,
    GFX1030,
    wave64(GFX1030),
    GFX1100,
    wave64(GFX1100),
    GFX1201,
    wave64(GFX1201),
    GFX1250,
    GFX1251,
];
