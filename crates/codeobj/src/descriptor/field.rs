//! The bit fields of the descriptor's words: one table.

use wavemark_target::facts::DescriptorLayout;
use wavemark_target::{Processor, Property};

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
    pub(super) const ALL: [Word; 5] =
        [Word::Rsrc1, Word::Rsrc2, Word::Rsrc3, Word::Properties, Word::Preload];

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
    /// Those of a layout from the first to the last.
    Between(DescriptorLayout, DescriptorLayout),
    /// Those that preload kernel arguments.
    Preload,
    /// Those whose scratch the kernel sets up.
    NoArchitectedScratch,
}

use DescriptorLayout::*;
const ALL: In = In::Between(Gfx6, Gfx1250);
const GFX6_9: In = In::Between(Gfx6, Gfx90a);
const GFX6_11: In = In::Between(Gfx6, Gfx11);
const GFX6_120: In = In::Between(Gfx6, Gfx12);
const GFX9_PLUS: In = In::Between(Gfx9, Gfx1250);
const GFX90A: In = In::Between(Gfx90a, Gfx90a);
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

    AccumOffset "ACCUM_OFFSET" Rsrc3 0 6 GFX90A;
    TgSplit "TG_SPLIT" Rsrc3 16 1 GFX90A;
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

    /// The lowest of its bits in the word.
    pub fn shift(self) -> u32 {
        self.row().2
    }

    /// How many bits it has.
    pub fn width(self) -> u32 {
        self.row().3
    }

    /// The largest value it can hold.
    pub fn largest(self) -> u32 {
        (1 << self.width()) - 1
    }

    /// User SGPRs that are set up where it is 1; 0 for fields that enable none.
    pub fn user_sgprs(self) -> u32 {
        match self {
            Field::EnableSgprPrivateSegmentBuffer => 4,
            Field::EnableSgprDispatchPtr
            | Field::EnableSgprQueuePtr
            | Field::EnableSgprKernargSegmentPtr
            | Field::EnableSgprDispatchId
            | Field::EnableSgprFlatScratchInit => 2,
            Field::EnableSgprPrivateSegmentSize => 1,
            _ => 0,
        }
    }

    /// Whether a processor has it.
    pub fn exists_on(self, processor: Processor) -> bool {
        match self.row().4 {
            In::Between(first, last) => (first..=last).contains(&processor.facts().descriptor),
            In::Preload => processor.has(Property::KERNARG_PRELOAD),
            In::NoArchitectedScratch => !processor.has(Property::ARCHITECTED_FLAT_SCRATCH),
        }
    }

    /// The assembler directive that sets the field to its value as it is on a processor, without `.amdhsa_`.
    ///
    /// Fields whose value the assembler computes (register counts, `ACCUM_OFFSET`) or that the command processor
    /// fills have none. `ENABLE_PRIVATE_SEGMENT` has two, one for each way in which scratch is set up.
    pub fn directive(self, processor: Processor) -> Option<&'static str> {
        let architected = processor.has(Property::ARCHITECTED_FLAT_SCRATCH);
        Some(match self {
            field if !field.exists_on(processor) => return None,
            Field::EnablePrivateSegment if !architected => "system_sgpr_private_segment_wavefront_offset",
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
        let mut fields = Field::ALL.iter().copied();
        fields.find(|field| field.directive(processor) == Some(name))
    }

    pub(super) fn mask(self) -> u32 {
        self.largest() << self.row().2
    }
}
