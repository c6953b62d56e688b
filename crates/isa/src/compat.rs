//! The two instruction sets by which the simulator still names its machines; goes when it asks for facts.

use wavemark_target::{Features, Machine, Processor};

/// A machine that the simulator models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// CDNA4, wave64.
    Gfx950,
    /// CDNA5, wave32.
    Gfx1250,
}

impl From<Isa> for Machine {
    fn from(isa: Isa) -> Machine {
        let machine = Machine::new(match isa {
            Isa::Gfx950 => Processor::Gfx950,
            Isa::Gfx1250 => Processor::Gfx1250,
        });
        // What runs knows which half of a register an operand is, however its text was written.
        let halves = isa == Isa::Gfx1250;
        Machine {
            features: if halves { machine.features | Features::REAL_TRUE16 } else { machine.features },
            ..machine
        }
    }
}

impl Isa {
    /// The name that rows use.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Gfx950 => "gfx950",
            Isa::Gfx1250 => "gfx1250",
        }
    }

    /// Lanes of a wave.
    pub const fn lanes(self) -> u32 {
        match self {
            Isa::Gfx950 => 64,
            Isa::Gfx1250 => 32,
        }
    }

    /// The one that a processor runs.
    pub const fn of(processor: Processor) -> Option<Isa> {
        match processor {
            Processor::Gfx950 => Some(Isa::Gfx950),
            Processor::Gfx1250 => Some(Isa::Gfx1250),
            _ => None,
        }
    }
}
