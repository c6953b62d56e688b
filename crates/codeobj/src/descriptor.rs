//! The kernel descriptor: 64 bytes from which the command processor starts a kernel.
//!
//! Follows "Kernel Descriptor" of LLVM's *User Guide for AMDGPU Backend* and, for the gfx1250 fields that it
//! lacks, `AMDHSAKernelDescriptor.h` of LLVM 22. The bit fields are one table ([`Field`]): register, position, width
//! and which processors have the field. Bits of no field are kept, so that decoding and encoding again gives the
//! same bytes; [`KernelDescriptor::problems`] says what the guide forbids.

mod check;
mod field;

use wavemark_target::{Features, Limits, Machine, Processor, WaveSize};

pub use check::Problem;
pub use field::{Field, Word};

/// Bytes of a kernel descriptor, and its alignment.
pub const SIZE: usize = 64;
/// Alignment of a kernel's first instruction in bytes.
pub const ENTRY_ALIGN: u64 = 256;

/// Why a field cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// The processor has no such field.
    #[error("{} does not exist on {processor}", field.name())]
    Missing {
        /// The field.
        field: Field,
        /// The processor.
        processor: Processor,
    },
    /// The value is too large.
    #[error("{value} is too large for {}, whose largest value is {}", field.name(), field.largest())]
    TooLarge {
        /// The field.
        field: Field,
        /// The value.
        value: u64,
    },
}

/// A kernel descriptor of a certain processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelDescriptor {
    /// The processor, on which the meaning of the words depends.
    pub processor: Processor,
    /// Bytes of LDS of a workgroup, dynamic LDS not counted.
    pub group_segment_fixed_size: u32,
    /// Bytes of scratch of a work-item.
    pub private_segment_fixed_size: u32,
    /// Bytes of the kernel arguments; 0 may mean unknown.
    pub kernarg_size: u32,
    /// Byte distance from the descriptor to the first instruction; in a relocatable file 0, with a relocation.
    pub kernel_code_entry_byte_offset: i64,
    /// `COMPUTE_PGM_RSRC1`; see [`Field`] for its parts.
    pub compute_pgm_rsrc1: u32,
    /// `COMPUTE_PGM_RSRC2`.
    pub compute_pgm_rsrc2: u32,
    /// `COMPUTE_PGM_RSRC3`.
    pub compute_pgm_rsrc3: u32,
    /// The kernel code properties.
    pub kernel_code_properties: u16,
    /// Length and offset of the kernel arguments to preload.
    pub kernarg_preload: u16,
    /// The reserved bytes 12–15, 24–43 and 60–63, which must be 0.
    pub reserved: [u8; 28],
}

impl KernelDescriptor {
    /// All zero.
    pub fn zero(processor: Processor) -> KernelDescriptor {
        KernelDescriptor::decode(&[0; SIZE], processor)
    }

    /// What an assembler starts from: denormals of 16 and 64 bits kept, workgroup id X enabled, DX10 clamp and
    /// IEEE mode where they exist, WGP mode unless `cumode`, ordered memory counters, forward progress and the
    /// wave size, as LLVM 22 has it.
    pub fn defaults(machine: Machine) -> KernelDescriptor {
        let processor = machine.processor;
        let mut descriptor = KernelDescriptor::zero(processor);
        let cumode = machine.features.contains(Features::CUMODE);
        let tg_split = machine.features.contains(Features::TGSPLIT);
        let settings = [
            (Field::FloatDenormMode16_64, 3),
            (Field::EnableDx10Clamp, 1),
            (Field::EnableIeeeMode, 1),
            (Field::EnableSgprWorkgroupIdX, 1),
            (Field::WgpMode, !cumode as u32),
            (Field::MemOrdered, 1),
            (Field::FwdProgress, 1),
            (Field::TgSplit, tg_split as u32),
            (Field::EnableWavefrontSize32, machine.wave32() as u32),
        ];
        for (field, value) in settings {
            if field.exists_on(processor) {
                descriptor.put(field, value);
            }
        }
        descriptor
    }

    /// Reads the 64 bytes. Every value is accepted.
    pub fn decode(bytes: &[u8; SIZE], processor: Processor) -> KernelDescriptor {
        fn at<const N: usize>(bytes: &[u8; SIZE], start: usize) -> [u8; N] {
            std::array::from_fn(|i| bytes[start + i])
        }
        let word = |start| u32::from_le_bytes(at(bytes, start));
        let half = |start| u16::from_le_bytes(at(bytes, start));
        KernelDescriptor {
            processor,
            group_segment_fixed_size: word(0),
            private_segment_fixed_size: word(4),
            kernarg_size: word(8),
            kernel_code_entry_byte_offset: i64::from_le_bytes(at(bytes, 16)),
            compute_pgm_rsrc3: word(44),
            compute_pgm_rsrc1: word(48),
            compute_pgm_rsrc2: word(52),
            kernel_code_properties: half(56),
            kernarg_preload: half(58),
            reserved: std::array::from_fn(|i| match i {
                0..4 => bytes[12 + i],
                4..24 => bytes[24 + i - 4],
                _ => bytes[60 + i - 24],
            }),
        }
    }

    /// The 64 bytes.
    pub fn encode(&self) -> [u8; SIZE] {
        let mut out = Vec::with_capacity(SIZE);
        out.extend(self.group_segment_fixed_size.to_le_bytes());
        out.extend(self.private_segment_fixed_size.to_le_bytes());
        out.extend(self.kernarg_size.to_le_bytes());
        out.extend(&self.reserved[..4]);
        out.extend(self.kernel_code_entry_byte_offset.to_le_bytes());
        out.extend(&self.reserved[4..24]);
        out.extend(self.compute_pgm_rsrc3.to_le_bytes());
        out.extend(self.compute_pgm_rsrc1.to_le_bytes());
        out.extend(self.compute_pgm_rsrc2.to_le_bytes());
        out.extend(self.kernel_code_properties.to_le_bytes());
        out.extend(self.kernarg_preload.to_le_bytes());
        out.extend(&self.reserved[24..]);
        std::array::from_fn(|i| out[i])
    }

    /// A word, widened to 32 bits.
    pub fn word(&self, word: Word) -> u32 {
        match word {
            Word::Rsrc1 => self.compute_pgm_rsrc1,
            Word::Rsrc2 => self.compute_pgm_rsrc2,
            Word::Rsrc3 => self.compute_pgm_rsrc3,
            Word::Properties => self.kernel_code_properties.into(),
            Word::Preload => self.kernarg_preload.into(),
        }
    }

    /// A field's value, or nothing if this processor has no such field.
    pub fn get(&self, field: Field) -> Option<u32> {
        field.exists_on(self.processor).then(|| (self.word(field.word()) >> field.shift()) & field.largest())
    }

    /// Sets a field.
    pub fn set(&mut self, field: Field, value: u64) -> Result<(), FieldError> {
        if !field.exists_on(self.processor) {
            return Err(FieldError::Missing { field, processor: self.processor });
        }
        match u32::try_from(value) {
            Ok(value) if value <= field.largest() => {
                self.put(field, value);
                Ok(())
            }
            _ => Err(FieldError::TooLarge { field, value }),
        }
    }

    fn put(&mut self, field: Field, value: u32) {
        let merged = self.word(field.word()) & !field.mask() | value << field.shift();
        match field.word() {
            Word::Rsrc1 => self.compute_pgm_rsrc1 = merged,
            Word::Rsrc2 => self.compute_pgm_rsrc2 = merged,
            Word::Rsrc3 => self.compute_pgm_rsrc3 = merged,
            Word::Properties => self.kernel_code_properties = merged as u16,
            Word::Preload => self.kernarg_preload = merged as u16,
        }
    }

    /// Every field that the processor has, with its value.
    pub fn fields(&self) -> impl Iterator<Item = (Field, u32)> + '_ {
        Field::ALL.iter().filter_map(|&field| Some((field, self.get(field)?)))
    }

    /// Bits that are set and belong to no field of this processor, by word.
    pub fn unknown_bits(&self) -> Vec<(Word, u32)> {
        let unknown = |word: Word| {
            let known = Field::ALL
                .iter()
                .filter(|f| f.word() == word && f.exists_on(self.processor))
                .fold(0, |mask, f| mask | f.mask());
            (word, self.word(word) & !known)
        };
        Word::ALL.into_iter().map(unknown).filter(|&(_, bits)| bits != 0).collect()
    }

    /// Whether a one-bit field is there and set.
    pub fn is_set(&self, field: Field) -> bool {
        self.get(field).is_some_and(|value| value != 0)
    }

    /// The wave size that the kernel runs with.
    pub fn wave_size(&self) -> WaveSize {
        if self.is_set(Field::EnableWavefrontSize32) { WaveSize::Wave32 } else { WaveSize::Wave64 }
    }

    /// The processor's limits for the kernel's wave size.
    pub fn limits(&self) -> Limits {
        self.processor.limits(self.wave_size())
    }

    /// VGPRs that are allocated to a lane, AGPRs of a unified file included.
    pub fn vgprs(&self) -> u32 {
        let blocks = self.get(Field::GranulatedWorkitemVgprCount).unwrap_or(0);
        (blocks + 1) * self.limits().vgpr_encoding_granule
    }

    /// SGPRs that are allocated to a wave, special ones included.
    pub fn sgprs(&self) -> u32 {
        match self.get(Field::GranulatedWavefrontSgprCount) {
            Some(blocks) => (blocks + 1) * self.limits().sgpr_encoding_granule,
            None => self.limits().sgpr_alloc_granule,
        }
    }

    /// The first register of a unified file that is an AGPR; none where the files are not unified.
    pub fn accum_offset(&self) -> Option<u32> {
        self.get(Field::AccumOffset).map(|blocks| (blocks + 1) * 4)
    }

    /// User SGPRs.
    pub fn user_sgprs(&self) -> u32 {
        self.get(Field::UserSgprCount).or(self.get(Field::UserSgprCountGfx1250)).unwrap_or(0)
    }

    /// Named barriers that are allocated to a workgroup: 4 per granule.
    pub fn named_barriers(&self) -> u32 {
        self.get(Field::NamedBarCnt).unwrap_or(0) * 4
    }

    /// Dwords of kernel arguments to preload, and the first of them.
    pub fn kernarg_preload(&self) -> (u32, u32) {
        let get = |field| self.get(field).unwrap_or(0);
        (get(Field::KernargPreloadSpecLength), get(Field::KernargPreloadSpecOffset))
    }

    /// Bytes of instructions to prefetch before the kernel starts.
    pub fn inst_pref_bytes(&self) -> u32 {
        self.get(Field::InstPrefSize).or(self.get(Field::InstPrefSizeGfx11)).unwrap_or(0) * 128
    }
}
