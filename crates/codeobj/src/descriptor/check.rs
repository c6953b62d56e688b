//! What the guide forbids in a kernel descriptor.
//!
//! The hardware and the runtime ignore most of it; a descriptor with problems is still read, run and written as it
//! is. Problems are listed for `inspect` and whoever writes descriptors by other means than the directives, which
//! cannot make them.

use wavemark_target::{Property, WaveSize};

use super::{Field, KernelDescriptor, Word};

/// Something that a descriptor of its processor must not say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Bits that belong to no field of the processor.
    #[error("{} has reserved bits set: {bits:#x}", word.name())]
    ReservedBits {
        /// The word.
        word: Word,
        /// The bits.
        bits: u32,
    },
    /// A reserved byte that is not 0.
    #[error("the reserved byte {offset} is {value:#04x}")]
    ReservedByte {
        /// Where it is in the descriptor.
        offset: usize,
        /// What it is.
        value: u8,
    },
    /// A field that must be 0, for the command processor fills it or graphics alone use it.
    #[error("{} must be 0 and is {value}", field.name())]
    MustBeZero {
        /// The field.
        field: Field,
        /// Its value.
        value: u32,
    },
    /// An enumeration's value without meaning.
    #[error("{value} is not a value of {}", field.name())]
    Undefined {
        /// The field.
        field: Field,
        /// Its value.
        value: u32,
    },
    /// Waves of a size that the processor cannot run.
    #[error("waves of {} lanes cannot run on it", .0.lanes())]
    WaveSize(WaveSize),
    /// Fewer user SGPRs than those that are enabled take.
    #[error("USER_SGPR_COUNT is {count}, but the enabled user SGPRs are {enabled}")]
    FewUserSgprs {
        /// The count.
        count: u32,
        /// What the enabled ones take.
        enabled: u32,
    },
    /// More user SGPRs than a dispatch fills.
    #[error("{count} user SGPRs are requested, of which no more than {largest} are set up")]
    ManyUserSgprs {
        /// The count.
        count: u32,
        /// How many there are.
        largest: u32,
    },
    /// The first AGPR is beyond the allocated registers.
    #[error("ACCUM_OFFSET makes {offset} the first AGPR of {vgprs} registers")]
    AccumOffset {
        /// The first AGPR.
        offset: u32,
        /// The registers allocated.
        vgprs: u32,
    },
    /// Shared VGPRs where there are none.
    #[error("SHARED_VGPR_COUNT is {0}, but waves of 32 lanes share none")]
    SharedInWave32(u32),
    /// Own and shared VGPRs are more than there are.
    #[error("SHARED_VGPR_COUNT is {0}, too many beside the wave's own VGPRs")]
    ManyShared(u32),
    /// Kernel arguments are preloaded that are not there.
    #[error("kernel arguments up to byte {end} are preloaded, but they have {size} bytes")]
    PreloadBeyondArguments {
        /// Where the preloaded part ends.
        end: u32,
        /// Bytes of kernel arguments.
        size: u32,
    },
}

/// Fields that must be 0 in a descriptor.
const MUST_BE_ZERO: &[Field] = &[
    Field::Priority,
    Field::Priv,
    Field::DebugMode,
    Field::DisablePerf,
    Field::Bulky,
    Field::CdbgUser,
    Field::EnableTrapHandler,
    Field::EnableExceptionAddressWatch,
    Field::EnableExceptionMemory,
    Field::GranulatedLdsSize,
    Field::TrapOnStart,
    Field::TrapOnEnd,
    Field::ImageOp,
];

impl KernelDescriptor {
    /// Everything that the guide forbids in this descriptor, in the order of its bytes as far as they have one.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let offsets = (12..16).chain(24..44).chain(60..64);
        for (offset, &value) in offsets.zip(&self.reserved).filter(|(_, value)| **value != 0) {
            problems.push(Problem::ReservedByte { offset, value });
        }
        for (word, bits) in self.unknown_bits() {
            problems.push(Problem::ReservedBits { word, bits });
        }
        for &field in MUST_BE_ZERO {
            if let Some(value) = self.get(field).filter(|value| *value != 0) {
                problems.push(Problem::MustBeZero { field, value });
            }
        }
        if self.get(Field::EnableVgprWorkitemId) == Some(3) {
            problems.push(Problem::Undefined { field: Field::EnableVgprWorkitemId, value: 3 });
        }
        if !self.processor.allows(self.wave_size()) {
            problems.push(Problem::WaveSize(self.wave_size()));
        }
        self.register_problems(&mut problems);
        problems
    }

    fn register_problems(&self, problems: &mut Vec<Problem>) {
        let (count, enabled) = (self.user_sgprs(), self.enabled_user_sgprs());
        let largest = self.limits().max_user_sgprs;
        if count < enabled {
            problems.push(Problem::FewUserSgprs { count, enabled });
        }
        if count > largest {
            problems.push(Problem::ManyUserSgprs { count, largest });
        }
        let vgprs = self.vgprs();
        if let Some(offset) = self.accum_offset().filter(|offset| *offset > vgprs) {
            problems.push(Problem::AccumOffset { offset, vgprs });
        }
        if let Some(shared) = self.get(Field::SharedVgprCount).filter(|shared| *shared != 0) {
            let own = self.get(Field::GranulatedWorkitemVgprCount).unwrap_or(0);
            match self.wave_size() {
                WaveSize::Wave32 => problems.push(Problem::SharedInWave32(shared)),
                WaveSize::Wave64 if shared * 2 + own > 63 => problems.push(Problem::ManyShared(shared)),
                WaveSize::Wave64 => {}
            }
        }
        let (length, offset) = self.kernarg_preload();
        let (end, size) = ((length + offset) * 4, self.kernarg_size);
        if self.processor.has(Property::KERNARG_PRELOAD) && length != 0 && size != 0 && end > size {
            problems.push(Problem::PreloadBeyondArguments { end, size });
        }
    }

    /// User SGPRs that the enabled ones and the preloaded arguments take.
    pub fn enabled_user_sgprs(&self) -> u32 {
        let enabled = Field::ALL.iter().filter(|field| self.is_set(**field));
        enabled.map(|field| field.user_sgprs()).sum::<u32>() + self.kernarg_preload().0
    }
}
