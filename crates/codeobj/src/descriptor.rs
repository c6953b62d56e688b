//! The kernel descriptor: 64 bytes from which the command processor starts a kernel.
//!
//! Follows "Kernel Descriptor" of LLVM's *User Guide for AMDGPU Backend* and, for the gfx1250 fields that it
//! lacks, `AMDHSAKernelDescriptor.h` of LLVM 22. The bit fields are one table: register, position, width and
//! the generations that have the field. Bits of no field are kept, so that decoding and encoding again gives
//! the same bytes; [`KernelDescriptor::unknown_bits`] names them.

use wavemark_target::{FeatureSet, Generation, Limits, Processor, WaveSize};

/// Bytes of a kernel descriptor, and its alignment.
pub const SIZE: usize = 64;
/// Alignment of a kernel's first instruction in bytes.
pub const ENTRY_ALIGN: u64 = 256;

/// A register-like word of the descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Word {
    /// `COMPUTE_PGM_RSRC1`.
    Rsrc1,
    /// `COMPUTE_PGM_RSRC2`.
    Rsrc2,
    /// `COMPUTE_PGM_RSRC3`.
    Rsrc3,
    /// The 16 bits of kernel code properties.
    Properties,
    /// The 16 bits of kernarg preload.
    Preload,
}

impl Word {
    const ALL: [Word; 5] = [Word::Rsrc1, Word::Rsrc2, Word::Rsrc3, Word::Properties, Word::Preload];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Word::Rsrc1 => "COMPUTE_PGM_RSRC1",
            Word::Rsrc2 => "COMPUTE_PGM_RSRC2",
            Word::Rsrc3 => "COMPUTE_PGM_RSRC3",
            Word::Properties => "KERNEL_CODE_PROPERTIES",
            Word::Preload => "KERNARG_PRELOAD",
        }
    }
}

/// Which processors have a field.
#[derive(Clone, Copy)]
enum In {
    /// From one generation to another.
    Between(Generation, Generation),
    /// gfx90a and later of its line.
    Gfx90a,
    /// gfx90a and later of its line, and gfx1250.
    Preload,
    /// gfx6 to gfx9, those with architected flat scratch excepted.
    NoArchitectedScratch,
}

use Generation::*;
const ALL: In = In::Between(Gfx6, Gfx1250);
const GFX6_9: In = In::Between(Gfx6, Gfx9);
const GFX6_11: In = In::Between(Gfx6, Gfx11);
const GFX6_120: In = In::Between(Gfx6, Gfx12);
const GFX9_PLUS: In = In::Between(Gfx9, Gfx1250);
const GFX10_PLUS: In = In::Between(Gfx10, Gfx1250);
const GFX10_120: In = In::Between(Gfx10, Gfx12);
const GFX10_11: In = In::Between(Gfx10, Gfx11);
const GFX11: In = In::Between(Gfx11, Gfx11);
const GFX11_PLUS: In = In::Between(Gfx11, Gfx1250);
const GFX12: In = In::Between(Gfx12, Gfx12);
const GFX12_PLUS: In = In::Between(Gfx12, Gfx1250);
const GFX125: In = In::Between(Gfx1250, Gfx1250);

macro_rules! fields {
    ($($variant:ident $name:literal $word:ident $shift:literal $width:literal $in:expr;)*) => {
        /// A bit field of the descriptor. Where generations differ in position or width, each form is a field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field {
            $(#[doc = concat!("`", $name, "`: bits from ", stringify!($shift), " of [`Word::", stringify!($word), "`], ", stringify!($width), " wide.")] $variant,)*
        }

        impl Field {
            /// All fields, by word and position.
            pub const ALL: &'static [Field] = &[$(Field::$variant),*];

            fn row(self) -> (&'static str, Word, u32, u32, In) {
                match self {
                    $(Field::$variant => ($name, Word::$word, $shift, $width, $in),)*
                }
            }
        }
    };
}

fields! {
    GranulatedWorkitemVgprCount "GRANULATED_WORKITEM_VGPR_COUNT" Rsrc1 0 6 ALL;
    GranulatedWavefrontSgprCount "GRANULATED_WAVEFRONT_SGPR_COUNT" Rsrc1 6 4 GFX6_9;
    Priority "PRIORITY" Rsrc1 10 2 ALL;
    FloatRoundMode32 "FLOAT_ROUND_MODE_32" Rsrc1 12 2 ALL;
    FloatRoundMode16_64 "FLOAT_ROUND_MODE_16_64" Rsrc1 14 2 ALL;
    FloatDenormMode32 "FLOAT_DENORM_MODE_32" Rsrc1 16 2 ALL;
    FloatDenormMode16_64 "FLOAT_DENORM_MODE_16_64" Rsrc1 18 2 ALL;
    Priv "PRIV" Rsrc1 20 1 ALL;
    EnableDx10Clamp "ENABLE_DX10_CLAMP" Rsrc1 21 1 GFX6_11;
    EnableWgRrEn "ENABLE_WG_RR_EN" Rsrc1 21 1 GFX12_PLUS;
    DebugMode "DEBUG_MODE" Rsrc1 22 1 ALL;
    EnableIeeeMode "ENABLE_IEEE_MODE" Rsrc1 23 1 GFX6_11;
    DisablePerf "DISABLE_PERF" Rsrc1 23 1 GFX12_PLUS;
    Bulky "BULKY" Rsrc1 24 1 ALL;
    CdbgUser "CDBG_USER" Rsrc1 25 1 ALL;
    Fp16Ovfl "FP16_OVFL" Rsrc1 26 1 GFX9_PLUS;
    FlatScratchIsNv "FLAT_SCRATCH_IS_NV" Rsrc1 27 1 GFX125;
    WgpMode "WGP_MODE" Rsrc1 29 1 GFX10_120;
    MemOrdered "MEM_ORDERED" Rsrc1 30 1 GFX10_PLUS;
    FwdProgress "FWD_PROGRESS" Rsrc1 31 1 GFX10_PLUS;

    EnablePrivateSegment "ENABLE_PRIVATE_SEGMENT" Rsrc2 0 1 ALL;
    UserSgprCount "USER_SGPR_COUNT" Rsrc2 1 5 GFX6_120;
    UserSgprCountGfx1250 "USER_SGPR_COUNT" Rsrc2 1 6 GFX125;
    EnableTrapHandler "ENABLE_TRAP_HANDLER" Rsrc2 6 1 GFX6_11;
    EnableDynamicVgprGfx12 "ENABLE_DYNAMIC_VGPR" Rsrc2 6 1 GFX12;
    EnableSgprWorkgroupIdX "ENABLE_SGPR_WORKGROUP_ID_X" Rsrc2 7 1 ALL;
    EnableSgprWorkgroupIdY "ENABLE_SGPR_WORKGROUP_ID_Y" Rsrc2 8 1 ALL;
    EnableSgprWorkgroupIdZ "ENABLE_SGPR_WORKGROUP_ID_Z" Rsrc2 9 1 ALL;
    EnableSgprWorkgroupInfo "ENABLE_SGPR_WORKGROUP_INFO" Rsrc2 10 1 ALL;
    EnableVgprWorkitemId "ENABLE_VGPR_WORKITEM_ID" Rsrc2 11 2 ALL;
    EnableExceptionAddressWatch "ENABLE_EXCEPTION_ADDRESS_WATCH" Rsrc2 13 1 ALL;
    EnableExceptionMemory "ENABLE_EXCEPTION_MEMORY" Rsrc2 14 1 ALL;
    GranulatedLdsSize "GRANULATED_LDS_SIZE" Rsrc2 15 9 ALL;
    EnableExceptionInvalidOperation "ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION" Rsrc2 24 1 ALL;
    EnableExceptionDenormalSource "ENABLE_EXCEPTION_FP_DENORMAL_SOURCE" Rsrc2 25 1 ALL;
    EnableExceptionDivisionByZero "ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO" Rsrc2 26 1 ALL;
    EnableExceptionOverflow "ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW" Rsrc2 27 1 ALL;
    EnableExceptionUnderflow "ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW" Rsrc2 28 1 ALL;
    EnableExceptionInexact "ENABLE_EXCEPTION_IEEE_754_FP_INEXACT" Rsrc2 29 1 ALL;
    EnableExceptionIntDivideByZero "ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO" Rsrc2 30 1 ALL;

    AccumOffset "ACCUM_OFFSET" Rsrc3 0 6 In::Gfx90a;
    TgSplit "TG_SPLIT" Rsrc3 16 1 In::Gfx90a;
    SharedVgprCount "SHARED_VGPR_COUNT" Rsrc3 0 4 GFX10_11;
    InstPrefSizeGfx11 "INST_PREF_SIZE" Rsrc3 4 6 GFX11;
    InstPrefSize "INST_PREF_SIZE" Rsrc3 4 8 GFX12_PLUS;
    TrapOnStart "TRAP_ON_START" Rsrc3 10 1 GFX11;
    TrapOnEnd "TRAP_ON_END" Rsrc3 11 1 GFX11;
    GlgEn "GLG_EN" Rsrc3 13 1 GFX12_PLUS;
    NamedBarCnt "NAMED_BAR_CNT" Rsrc3 14 3 GFX125;
    EnableDynamicVgpr "ENABLE_DYNAMIC_VGPR" Rsrc3 17 1 GFX125;
    TcpSplit "TCP_SPLIT" Rsrc3 18 3 GFX125;
    EnableDidtThrottle "ENABLE_DIDT_THROTTLE" Rsrc3 21 1 GFX125;
    ImageOp "IMAGE_OP" Rsrc3 31 1 GFX11_PLUS;

    EnableSgprPrivateSegmentBuffer "ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER" Properties 0 1 In::NoArchitectedScratch;
    EnableSgprDispatchPtr "ENABLE_SGPR_DISPATCH_PTR" Properties 1 1 ALL;
    EnableSgprQueuePtr "ENABLE_SGPR_QUEUE_PTR" Properties 2 1 ALL;
    EnableSgprKernargSegmentPtr "ENABLE_SGPR_KERNARG_SEGMENT_PTR" Properties 3 1 ALL;
    EnableSgprDispatchId "ENABLE_SGPR_DISPATCH_ID" Properties 4 1 ALL;
    EnableSgprFlatScratchInit "ENABLE_SGPR_FLAT_SCRATCH_INIT" Properties 5 1 In::NoArchitectedScratch;
    EnableSgprPrivateSegmentSize "ENABLE_SGPR_PRIVATE_SEGMENT_SIZE" Properties 6 1 ALL;
    EnableWavefrontSize32 "ENABLE_WAVEFRONT_SIZE32" Properties 10 1 GFX10_PLUS;
    UsesDynamicStack "USES_DYNAMIC_STACK" Properties 11 1 ALL;

    KernargPreloadSpecLength "KERNARG_PRELOAD_SPEC_LENGTH" Preload 0 7 In::Preload;
    KernargPreloadSpecOffset "KERNARG_PRELOAD_SPEC_OFFSET" Preload 7 9 In::Preload;
}

impl Field {
    /// The name in the guide.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The word it is in.
    pub fn word(self) -> Word {
        self.row().1
    }

    /// The largest value it can hold.
    pub fn largest(self) -> u32 {
        (1 << self.row().3) - 1
    }

    /// Whether a processor has it.
    pub fn exists_on(self, processor: Processor) -> bool {
        use wavemark_target::Property;
        let generation = processor.generation();
        match self.row().4 {
            In::Between(first, last) => (first..=last).contains(&generation),
            In::Gfx90a => processor.is_gfx90a_plus(),
            In::Preload => processor.has(Property::KERNARG_PRELOAD),
            In::NoArchitectedScratch => !processor.has(Property::ARCHITECTED_FLAT_SCRATCH),
        }
    }

    /// The assembler directive that sets the field to its value as it is, without `.amdhsa_`.
    ///
    /// Fields whose value the assembler computes (register counts, `ACCUM_OFFSET`) or that the command processor
    /// fills have none. `system_sgpr_private_segment_wavefront_offset` is the older name of
    /// `enable_private_segment`, see [`Field::by_directive`].
    pub fn directive(self) -> Option<&'static str> {
        Some(match self {
            Field::UserSgprCount => "user_sgpr_count",
            Field::UserSgprCountGfx1250 => "user_sgpr_count",
            Field::EnableSgprPrivateSegmentBuffer => "user_sgpr_private_segment_buffer",
            Field::EnableSgprDispatchPtr => "user_sgpr_dispatch_ptr",
            Field::EnableSgprQueuePtr => "user_sgpr_queue_ptr",
            Field::EnableSgprKernargSegmentPtr => "user_sgpr_kernarg_segment_ptr",
            Field::EnableSgprDispatchId => "user_sgpr_dispatch_id",
            Field::EnableSgprFlatScratchInit => "user_sgpr_flat_scratch_init",
            Field::EnableSgprPrivateSegmentSize => "user_sgpr_private_segment_size",
            Field::KernargPreloadSpecLength => "user_sgpr_kernarg_preload_length",
            Field::KernargPreloadSpecOffset => "user_sgpr_kernarg_preload_offset",
            Field::EnableWavefrontSize32 => "wavefront_size32",
            Field::UsesDynamicStack => "uses_dynamic_stack",
            Field::EnablePrivateSegment => "enable_private_segment",
            Field::EnableSgprWorkgroupIdX => "system_sgpr_workgroup_id_x",
            Field::EnableSgprWorkgroupIdY => "system_sgpr_workgroup_id_y",
            Field::EnableSgprWorkgroupIdZ => "system_sgpr_workgroup_id_z",
            Field::EnableSgprWorkgroupInfo => "system_sgpr_workgroup_info",
            Field::EnableVgprWorkitemId => "system_vgpr_workitem_id",
            Field::FloatRoundMode32 => "float_round_mode_32",
            Field::FloatRoundMode16_64 => "float_round_mode_16_64",
            Field::FloatDenormMode32 => "float_denorm_mode_32",
            Field::FloatDenormMode16_64 => "float_denorm_mode_16_64",
            Field::EnableDx10Clamp => "dx10_clamp",
            Field::EnableIeeeMode => "ieee_mode",
            Field::Fp16Ovfl => "fp16_overflow",
            Field::WgpMode => "workgroup_processor_mode",
            Field::MemOrdered => "memory_ordered",
            Field::FwdProgress => "forward_progress",
            Field::SharedVgprCount => "shared_vgpr_count",
            Field::InstPrefSize => "inst_pref_size",
            Field::InstPrefSizeGfx11 => "inst_pref_size",
            Field::EnableWgRrEn => "round_robin_scheduling",
            Field::NamedBarCnt => "named_barrier_count",
            Field::TgSplit => "tg_split",
            Field::EnableExceptionInvalidOperation => "exception_fp_ieee_invalid_op",
            Field::EnableExceptionDenormalSource => "exception_fp_denorm_src",
            Field::EnableExceptionDivisionByZero => "exception_fp_ieee_div_zero",
            Field::EnableExceptionOverflow => "exception_fp_ieee_overflow",
            Field::EnableExceptionUnderflow => "exception_fp_ieee_underflow",
            Field::EnableExceptionInexact => "exception_fp_ieee_inexact",
            Field::EnableExceptionIntDivideByZero => "exception_int_div_zero",
            _ => return None,
        })
    }

    /// The field of a processor that an assembler directive (without `.amdhsa_`) sets to its value as it is.
    pub fn by_directive(name: &str, processor: Processor) -> Option<Field> {
        let name = match name {
            "system_sgpr_private_segment_wavefront_offset" => "enable_private_segment",
            other => other,
        };
        let mut fields = Field::ALL.iter().copied();
        fields.find(|field| field.directive() == Some(name) && field.exists_on(processor))
    }

    fn mask(self) -> u32 {
        self.largest() << self.row().2
    }
}

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
    pub fn defaults(processor: Processor, features: &FeatureSet) -> KernelDescriptor {
        let mut descriptor = KernelDescriptor::zero(processor);
        let wave32 = features.wave_size == WaveSize::Wave32;
        let tg_split = features.features.contains(wavemark_target::Features::TGSPLIT);
        let settings = [
            (Field::FloatDenormMode16_64, 3),
            (Field::EnableDx10Clamp, 1),
            (Field::EnableIeeeMode, 1),
            (Field::EnableSgprWorkgroupIdX, 1),
            (Field::WgpMode, !features.cumode() as u32),
            (Field::MemOrdered, 1),
            (Field::FwdProgress, 1),
            (Field::TgSplit, tg_split as u32),
            (Field::EnableWavefrontSize32, wave32 as u32),
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
        let (_, word, shift, _, _) = field.row();
        field.exists_on(self.processor).then(|| (self.word(word) >> shift) & field.largest())
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
        let (_, word, shift, _, _) = field.row();
        let merged = self.word(word) & !field.mask() | value << shift;
        match word {
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
