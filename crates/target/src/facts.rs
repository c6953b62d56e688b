//! Facts: what differs between processors and has a name, a number or a vocabulary.
//!
//! Code above this crate asks for the fact it depends on and never for a processor's name. A fact is here if it is
//! the same for every processor of a line (see [`crate::lines`]) and both wave sizes; register files, memories and
//! granules are [`crate::Limits`], yes-or-no properties of an instruction set [`crate::InstFeature`], and what the
//! guide's table of processors says of each [`crate::Property`].
//!
//! Every fact names its source. "Guide" is LLVM's *User Guide for AMDGPU Backend*, a name in backquotes one of LLVM
//! 22's AMDGPU back end (`GCNSubtarget`, `AMDGPUBaseInfo`, assembly parser). Where a source is code, the value was
//! read off LLVM 22's assembler and disassembler for every processor.

use std::fmt;

use crate::hwreg::HwReg;
use crate::message::Messages;

macro_rules! facts {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $source:literal;)*) => {
        /// The facts of a line of processors.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Facts {
            $($(#[$doc])* #[doc = ""] #[doc = concat!("Source: ", $source, ".")] pub $name: $type,)*
        }

        impl Facts {
            /// Every fact with its value as text, in the order of the record.
            pub fn explain(&self) -> Vec<Explained> {
                vec![$(Explained {
                    name: stringify!($name),
                    value: self.$name.show(),
                    source: $source,
                }),*]
            }
        }
    };
}

/// A fact as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// Its name: the field of [`Facts`].
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Where it is from.
    pub source: &'static str,
}

facts! {
    /// SGPRs that operands can name: their codes are 0 to this, excluded.
    sgprs: u8 = "ISA manuals, \"Scalar operands\"; `AMDGPUAsmParser::subtargetHasRegister`";
    /// SGPRs per granule of `GRANULATED_WAVEFRONT_SGPR_COUNT`; 0 where the field is reserved. LLVM counts in
    /// granules of 8 also on gfx9, where the hardware rounds up to 16.
    sgpr_encoding_granule: u32 = "guide, \"compute_pgm_rsrc1\"; `IsaInfo::getSGPREncodingGranule`";
    /// SGPRs allocated to a wave together.
    sgpr_alloc_granule: u32 = "`IsaInfo::getSGPRAllocGranule`";
    /// SGPRs beyond the named ones that VCC, XNACK_MASK and FLAT_SCRATCH take, each including those before it.
    special_sgprs: SpecialSgprs = "`IsaInfo::getNumExtraSGPRs`";
    /// Highest trap temporary that can be named, plus one.
    ttmps: u8 = "guide, \"Trap Handler ABI\"; `AMDGPUAsmParser` register ranges";
    /// Operand code of `ttmp0`.
    ttmp_base: u8 = "ISA manuals, \"Scalar operands\"; `SIRegisterInfo` TTMP encodings";
    /// Operand code of `m0`; 124, or 125 since `null` took its place.
    m0: u8 = "ISA manuals, \"Scalar operands\"; `SIRegisterInfo` M0";
    /// Operand code of `null`.
    null: Option<u8> = "ISA manuals, \"Scalar operands\"; `SIRegisterInfo` SGPR_NULL";
    /// Operand code of `flat_scratch_lo` where FLAT_SCRATCH is a pair of SGPRs.
    flat_scratch_sgprs: Option<u8> = "ISA manuals, \"Scalar operands\"; `SIRegisterInfo` FLAT_SCR";
    /// Operand code of `xnack_mask_lo` where XNACK_MASK is a pair of SGPRs (and the target ID has the feature).
    xnack_mask_sgprs: Option<u8> = "ISA manuals, \"Scalar operands\"; `SIRegisterInfo` XNACK_MASK";
    /// Operand code of `tba_lo` where the trap handler's addresses are SGPRs; `tma_lo` is two further.
    trap_base_sgprs: Option<u8> = "ISA manuals, \"Scalar operands\"; `SIRegisterInfo` TBA, TMA";
    /// Whether `src_vccz` (251) and `src_execz` (252) are operands.
    vccz_execz: bool = "ISA manuals, \"Scalar operands\"; `AMDGPUAsmParser::subtargetHasRegister`";
    /// Whether `lds_direct` (254) is an operand of vector instructions.
    lds_direct_operand: bool = "ISA manuals, \"Vector operands\"; `AMDGPUAsmParser::validateLdsDirect`";
    /// Whether `src_pops_exiting_wave_id` (239) is an operand.
    pops_exiting_wave_id: bool = "ISA manuals, \"Scalar operands\"; `AMDGPUAsmParser::subtargetHasRegister`";
    /// Whether `src_flat_scratch_base_lo` (230) and `_hi` (231) are operands.
    flat_scratch_base: bool = "`GCNSubtarget::hasGloballyAddressableScratch`";
    /// Banks of 256 VGPRs that `s_set_vgpr_msb` chooses from.
    vgpr_banks: u8 = "guide, \"Register\"; `GCNSubtarget::has1024AddressableVGPRs`";
    /// First register of a VGPR or AGPR tuple of 64 bits and more must be a multiple of this.
    vgpr_tuple_alignment: u8 = "`GCNSubtarget::needsAlignedVGPRs` (vgpr-align2)";
    /// Whether a 16-bit result leaves the other half of its register as it was, whatever the instruction; before, most
    /// results clear it.
    keeps_other_half: bool = "`GCNSubtarget::zeroesHigh16BitsOfDest` (up to gfx9)";
    /// Whether AGPRs are operands of memory instructions and of both sources of MFMA.
    agpr_operands: bool = "ISA manuals of MI200 and later; `GCNSubtarget::hasGFX90AInsts`";

    /// Distinct SGPRs and literals that a vector instruction can read; 64-bit shifts always 1.
    constant_bus_limit: u8 = "`GCNSubtarget::getConstantBusLimit`";
    /// Whether VOP3 and VOP3P take a literal.
    vop3_literals: bool = "`GCNSubtarget::hasVOP3Literal` (vop3-literal)";
    /// Whether packed single-precision sources in SGPRs feed their low half to both results.
    packed_f32_scalar_low: bool = "`AMDGPUAsmParser::validatePackedOp` and its like; ISA manual of CDNA5, \"VOP3P\"";
    /// Whether an inline constant of a packed instruction without `op_sel_hi` stands in both halves; before, the upper
    /// half is zero.
    packed_constants_twice: bool = "llvm-project issue 94116, measured on gfx1100 and gfx1036";
    /// Whether an inline constant of a bfloat16 source is the single-precision number, of which OP_SEL chooses a half.
    bf16_constants_single: bool = "ISA manual of CDNA5, 4.1.1 and 7.7; llvm-project 209861 (BF16InlineConstFromUpperFP32)";
    /// Whether the halves of a VOPD pair may read the same VGPR at the same port.
    vopd_same_vgpr: bool = "RDNA 4 and CDNA 5 manuals, \"VOPD\"; LLVM 22 allows it on gfx1250 only";
    /// Whether two moves in a VOPD pair read at different ports.
    vopd_moves_apart: bool = "`AMDGPUAsmParser::checkVOPDRegBankConstraints`";
    /// Whether a literal can have 64 bits.
    literals_64: bool = "`GCNSubtarget::has64BitLiterals` (64-bit-literals)";

    /// Controls of DPP16 beside permutations of four, row shifts and mirrors; none where there is no DPP.
    dpp_controls: Option<DppControls> = "ISA manuals, \"Data Parallel Processing\"; `AMDGPUAsmParser::isSupportedDPPCtrl`";
    /// Whether `bound_ctrl:0` is an old way to write `bound_ctrl:1`.
    dpp_bound_ctrl_zero: bool = "`AMDGPUAsmParser::convertDppBoundCtrl`";
    /// Whether VOPD has a form with three sources, of 96 bits (VOPD3).
    vopd3: bool = "`GCNSubtarget::hasGFX1250Insts`; `AMDGPUAsmParser` VOPD3";
    /// Whether an output multiplier counts only while MODE flushes denormal results; elsewhere it flushes them itself.
    omod_needs_flush: bool = "ISA manuals, \"Output modifiers\" (Vega to RDNA 3.5; RDNA 4 and CDNA 5)";
    /// Matrix operations.
    matrix: MatrixOps = "ISA manuals, \"Matrix\"; LLVM's intrinsics of MFMA and WMMA";
    /// Which dependencies between instructions the hardware does not check, so that software keeps them apart.
    manual_waits: ManualWaits = "ISA manuals, \"Manually Inserted Wait States (NOPs)\", \"Required NOPs\", \"Requirements for WMMA data hazards\"; `GCNHazardRecognizer`";

    /// Counters of outstanding operations, each with its width in bits.
    counters: &'static [(WaitCounter, u8)] = "ISA manuals, \"Data dependency resolution\"; `AMDGPUBaseInfo` bit widths; guide, \"Memory Model\"";
    /// Parts of `s_waitcnt`'s immediate; empty where there is no `s_waitcnt`.
    waitcnt: &'static [WaitcntField] = "`AMDGPUBaseInfo` getVmcntBitShift and its like";

    /// How instructions say their cache policy.
    cache_policy: CachePolicy = "guide, \"Memory Model\"; `AMDGPUAsmParser::parseCPol`";
    /// Whether a device has several L2 caches, so that a store is seen by all of the device only once it is written back
    /// that far, or was made at that scope.
    several_l2: bool = "guide, \"Memory Model GFX942\"; `SIGfx940CacheControl` and `SIGfx12CacheControl` insertRelease";
    /// Whether a shader array has a cache between those of its compute units and L2.
    shader_array_cache: bool = "guide, \"Memory Model GFX10-GFX11\" (L1); that of GFX12: the L1 buffer caches nothing";
    /// Whether a write-back comes behind the stores that its wave has issued before, without a wait for them.
    write_back_in_order: bool = "`GCNSubtarget::hasINVWBL2WaitCntRequirement`, in `SIGfx12CacheControl::insertRelease`";
    /// Whether FLAT operations are over in the order of issue with others that their counters count. Where they are not, the part
    /// in LDS may be over before older accesses to memory, and the other way round.
    flat_counts_in_order: bool = "`GCNSubtarget::hasFlatLgkmVMemCountInOrder`; CDNA3 ISA 10.2.2";
    /// How many tensor operations a wave may have in flight when it issues another: compilers put a wait for that before it; 0 where there are none.
    tensor_depth: u32 = "`FeatureNeedsTDMDrain`, in `GCNHazardRecognizer::fixTDM`";
    /// What says which memory L2 caches keep coherent among agents, and with the host.
    l2_coherence: L2Coherence = "guide, \"Memory Model\" of each generation";
    /// Whether stores and atomics of any scope are carried out in the device's L2: the caches before it write through.
    stores_reach_device: bool = "guide, \"Memory Model\" of each generation; that of GFX12: `global_wb` can be omitted on gfx120x";
    /// Whether a load that says `glc` but not `dlc` may hit in the shader array's L1; elsewhere `glc` says it of all
    /// caches before L2.
    dlc_misses_l1: bool = "guide, \"Memory Model Code Sequences GFX10-GFX11\"";
    /// Whether the cache of a compute unit keeps the vector accesses of its waves to global memory in the order in which
    /// they were issued, so that a release among waves of one compute unit waits for none of them; elsewhere it has
    /// several ports.
    cu_keeps_order: bool = "guide, \"Memory Model\" of each generation (gfx90a to gfx950 without tgsplit, GFX10 to GFX12 in CU mode); `SIGfx12CacheControl::insertWait`";
    /// Scratch bytes that a wave can have.
    wave_scratch_bytes: u32 = "`GCNSubtarget::getMaxWaveScratchSize`";
    /// LDS bytes a workgroup can have.
    lds_bytes: u32 = "`GCNSubtarget::getAddressableLocalMemorySize`";
    /// LDS bytes per granule of `GRANULATED_LDS_SIZE`.
    lds_granule: u32 = "guide, \"compute_pgm_rsrc2\"; `IsaInfo::getLdsDwGranularity`";
    /// Immediate offset of scalar loads.
    smem_offset: Offset = "`AMDGPUBaseInfo` isLegalSMRDEncodedSignedOffset and its like";
    /// Immediate offset of scalar buffer loads.
    smem_buffer_offset: Offset = "`AMDGPUBaseInfo` isLegalSMRDEncodedUnsignedOffset";
    /// Whether the offset of a scalar load can be a literal of 32 bits instead.
    smem_literal_offset: bool = "ISA manual of Sea Islands, \"SMRD\"; `AMDGPUBaseInfo` getSMRDEncodedLiteralOffset32";
    /// Immediate offset of `flat_*`.
    flat_offset: Option<Offset> = "`AMDGPUBaseInfo` getNumFlatOffsetBits; `AMDGPUAsmParser::validateFlatOffset`";
    /// Immediate offset of `global_*` and `scratch_*`.
    global_offset: Option<Offset> = "`AMDGPUBaseInfo` getNumFlatOffsetBits; `AMDGPUAsmParser::validateFlatOffset`";
    /// Whether the VGPR offset of `global_*` and `flat_*` to an SGPR base is signed.
    signed_vgpr_offset: bool = "`GCNSubtarget::hasSignedGVSOffset`";
    /// Layout of the four SGPRs that describe a buffer.
    buffer_resource: BufferResource = "ISA manuals, \"Buffer Resource\"";
    /// Immediate offset of `buffer_*` and `tbuffer_*`.
    buffer_offset: Offset = "`SIInstrInfo` getMaxMUBUFImmOffset";
    /// How typed buffer instructions say the format of an element.
    buffer_formats: BufferFormats = "ISA manuals, \"Buffer image format\"; `AMDGPUAsmUtils` MTBUFFormat";
    /// Whether the components of an element that a typed store does not have are those of its first one; elsewhere zeros.
    format_stores_replicate: bool = "`FeatureDefaultComponentZero`, `FeatureDefaultComponentBroadcast`; RDNA 4 manual, 9.3";
    /// Immediate offset of `ds_*`; of those with two offsets, each has half as many bits.
    ds_offset: Offset = "ISA manuals, \"DS\"";
    /// Whether `ds_permute_b32` and `ds_bpermute_b32` move data within each half of a wave of 64 lanes alone.
    ds_permutes_within_32: bool = "RDNA 1 manual, \"Changes\"; RDNA 3 and 4 manuals, \"LDS Lane-permute Ops\"";
    /// Whether M0 must hold the LDS limit before any `ds_*`.
    lds_needs_m0: bool = "`GCNSubtarget::ldsRequiresM0Init`";
    /// How code finds the apertures of LDS and scratch in the flat address space.
    apertures: Apertures = "guide, \"Address Space Mapping\"; `GCNSubtarget::hasApertureRegs`";

    /// Barriers of a workgroup.
    barriers: Barriers = "ISA manuals, \"Barriers\"; guide, \"Named barriers\"";
    /// Whether there are `exp` or `export` instructions.
    exports: bool = "`GCNSubtarget::hasExportInsts`";
    /// Where exports go: names, each with its first number and how many there are.
    export_targets: &'static [ExportTarget] = "ISA manuals, \"Export\"; `AMDGPUBaseInfo` isSupportedTgtId";
    /// Largest number of instructions of an `s_clause`; 0 without the instruction.
    max_clause: u8 = "`GCNSubtarget::maxHardClauseLength`";

    /// Which fields the words of the kernel descriptor have.
    descriptor: DescriptorLayout = "guide, \"Kernel Descriptor\"; `AMDHSAKernelDescriptor.h`";
    /// User SGPRs that a dispatch can fill.
    user_sgprs: u32 = "guide, \"Initial Kernel Execution State\"; `GCNSubtarget::getMaxNumUserSGPRs`";
    /// Bits of `INST_PREF_SIZE`; 0 where the field is reserved.
    inst_pref_size_bits: u32 = "guide, \"compute_pgm_rsrc3\"";
    /// Where workgroup ids are when a wave starts.
    workgroup_ids: WorkgroupIds = "guide, \"Initial Kernel Execution State\"; `GCNSubtarget::hasArchitectedSGPRs`";
    /// Whether code that preloads kernel arguments begins with 256 bytes that load them, for older firmware.
    kernarg_preload_prologue: bool = "guide, \"Preloaded Kernel Arguments\"; `GCNSubtarget::needsKernArgPreloadProlog`";
    /// Where a trap handler's addresses are.
    trap_bases: TrapBases = "guide, \"Trap Handler ABI\"; ISA manuals, \"Hardware registers\"";
    /// Whether the doorbell id can be read, so that a trap handler needs no queue pointer.
    doorbell_id: bool = "`GCNSubtarget::supportsGetDoorbellID`";
    /// Whether DX10_CLAMP and IEEE are bits of MODE and of the kernel descriptor.
    dx10_clamp_and_ieee: bool = "guide, \"compute_pgm_rsrc1\"; `GCNSubtarget::hasDX10ClampMode`, `hasIEEEMode`";
    /// Whether the manual says when each floating-point exception is raised; before, it only names them.
    exceptions_defined: bool = "ISA manuals, \"Trap and Exception registers\"";
    /// Whether SCC is a bit of STATUS; elsewhere it is one of STATE_PRIV, which only a trap handler writes.
    scc_in_status: bool = "ISA manuals, \"Status register\", \"STATE_PRIV register\"";
    /// Registers of `s_getreg` and `s_setreg`.
    hwregs: &'static [HwReg] = "ISA manuals, \"Hardware registers\"; `AMDGPUAsmUtils` Hwreg";
    /// Messages of `s_sendmsg`.
    messages: Messages = "ISA manuals, \"Messages\"; `AMDGPUAsmUtils` SendMsg";
}

impl Facts {
    /// Whether a store's cache policy says its scope; elsewhere a store is the same whether the program meant it to be
    /// atomic or not.
    pub const fn stores_say_scope(&self) -> bool {
        match self.cache_policy {
            CachePolicy::GlcSlc | CachePolicy::GlcSlcScc | CachePolicy::GlcSlcDlc => false,
            CachePolicy::Sc0Sc1Nt | CachePolicy::ThScope | CachePolicy::ThScopeNv => true,
        }
    }

    /// Whether the upper bits of VGPR numbers are fields of MODE, set by `s_set_vgpr_msb` too (CDNA5 ISA, "Addressing
    /// 1024 VGPRs"): where there are several banks.
    pub const fn vgpr_msb_in_mode(&self) -> bool {
        self.vgpr_banks > 1
    }
}

/// Controls of DPP16 that not all processors with DPP have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DppControls {
    /// `wave_shl`, `wave_rol`, `wave_shr`, `wave_ror`, `row_bcast`.
    Wave,
    /// Those and `row_newbcast`.
    WaveNewbcast,
    /// `row_share` and `row_xmask`.
    ShareXmask,
}

/// SGPRs that special registers take behind the named ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpecialSgprs {
    /// With VCC.
    pub vcc: u32,
    /// With VCC and XNACK_MASK; 0 where that takes none.
    pub xnack_mask: u32,
    /// With all three; 0 where FLAT_SCRATCH takes none.
    pub flat_scratch: u32,
}

/// An immediate offset: a two's complement or unsigned number of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Offset {
    /// Bits.
    pub bits: u8,
    /// Whether it can be negative.
    pub signed: bool,
    /// Bytes of a unit: 1, or 4.
    pub unit: u8,
}

impl Offset {
    /// An unsigned number of bytes.
    pub const fn unsigned(bits: u8) -> Offset {
        Offset { bits, signed: false, unit: 1 }
    }

    /// A signed number of bytes.
    pub const fn signed(bits: u8) -> Offset {
        Offset { bits, signed: true, unit: 1 }
    }

    /// An unsigned number of dwords.
    pub const fn dwords(bits: u8) -> Offset {
        Offset { bits, signed: false, unit: 4 }
    }

    /// The smallest value.
    pub const fn min(self) -> i64 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// The largest value, in units.
    pub const fn max(self) -> i64 {
        if self.signed { (1 << (self.bits - 1)) - 1 } else { (1 << self.bits) - 1 }
    }

    /// Whether the value, in units, can be said.
    pub const fn allows(self, value: i64) -> bool {
        self.min() <= value && value <= self.max()
    }
}

/// A counter of a wave's outstanding operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitCounter {
    /// Vector memory; loads only where there is `vscnt`.
    Vm,
    /// Exports, and GDS and store data being read.
    Exp,
    /// LDS, GDS, constants, messages.
    Lgkm,
    /// Vector memory stores.
    Vs,
    /// Vector memory loads.
    Load,
    /// Vector memory stores.
    Store,
    /// Image samples.
    Sample,
    /// Ray tracing.
    Bvh,
    /// LDS.
    Ds,
    /// Constants and messages.
    Km,
    /// Asynchronous copies between memory and LDS. LLVM 22 names no width; the field of `s_wait_asynccnt` has six.
    Async,
    /// Tensor copies. LLVM 22 names no width; the field of `s_wait_tensorcnt` has six.
    Tensor,
    /// Address translations.
    X,
}

impl WaitCounter {
    const ALL: [WaitCounter; 13] = [
        WaitCounter::Vm,
        WaitCounter::Exp,
        WaitCounter::Lgkm,
        WaitCounter::Vs,
        WaitCounter::Load,
        WaitCounter::Store,
        WaitCounter::Sample,
        WaitCounter::Bvh,
        WaitCounter::Ds,
        WaitCounter::Km,
        WaitCounter::Async,
        WaitCounter::Tensor,
        WaitCounter::X,
    ];

    /// The counter of this name without `cnt`: `vm`, `load`.
    pub fn called(name: &str) -> Option<WaitCounter> {
        WaitCounter::ALL.into_iter().find(|counter| counter.name().strip_suffix("cnt") == Some(name))
    }

    /// The name as assembly has it: `vmcnt`, `loadcnt`.
    pub fn name(self) -> &'static str {
        match self {
            WaitCounter::Vm => "vmcnt",
            WaitCounter::Exp => "expcnt",
            WaitCounter::Lgkm => "lgkmcnt",
            WaitCounter::Vs => "vscnt",
            WaitCounter::Load => "loadcnt",
            WaitCounter::Store => "storecnt",
            WaitCounter::Sample => "samplecnt",
            WaitCounter::Bvh => "bvhcnt",
            WaitCounter::Ds => "dscnt",
            WaitCounter::Km => "kmcnt",
            WaitCounter::Async => "asynccnt",
            WaitCounter::Tensor => "tensorcnt",
            WaitCounter::X => "xcnt",
        }
    }
}

/// A part of `s_waitcnt`'s immediate: `bits` bits of the counter from bit `from` on are at bit `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WaitcntField {
    /// The counter.
    pub counter: WaitCounter,
    /// The lowest bit of the counter's value that the part holds.
    pub from: u8,
    /// Where it is in the immediate.
    pub at: u8,
    /// Its width.
    pub bits: u8,
}

/// The words with which vector memory instructions say their cache policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CachePolicy {
    /// `glc slc`.
    GlcSlc,
    /// `glc slc scc` (gfx90a).
    GlcSlcScc,
    /// `sc0 sc1 nt` (gfx940 and later of its line; scalar loads have `glc`).
    Sc0Sc1Nt,
    /// `glc slc dlc`.
    GlcSlcDlc,
    /// `th:` and `scope:`.
    ThScope,
    /// `th:`, `scope:`, `nv` and `scale_offset`.
    ThScopeNv,
}

/// What says which memory L2 caches keep coherent among agents, and with the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum L2Coherence {
    /// The type of memory: what agents share is not kept in them, or they are kept coherent.
    Memory,
    /// The type of memory, and instructions that write back and invalidate what they keep of coarse-grained memory
    /// (gfx90a).
    MemoryAndInstructions,
    /// The scope of instructions.
    Scope,
}

impl CachePolicy {
    /// The modifiers' names.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            CachePolicy::GlcSlc => &["glc", "slc"],
            CachePolicy::GlcSlcScc => &["glc", "slc", "scc"],
            CachePolicy::Sc0Sc1Nt => &["sc0", "sc1", "nt"],
            CachePolicy::GlcSlcDlc => &["glc", "slc", "dlc"],
            CachePolicy::ThScope => &["th", "scope"],
            CachePolicy::ThScopeNv => &["th", "scope", "nv", "scale_offset"],
        }
    }
}

/// How typed buffer instructions say the format of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BufferFormats {
    /// A data format and a number format, of which number 6 is SNORM_OGL.
    SplitSnormOgl,
    /// A data format and a number format, of which number 6 is reserved.
    Split,
    /// One number for both; 77 formats.
    Unified77,
    /// One number for both; 63 formats.
    Unified63,
}

/// The words that describe a buffer: each layout is the one before but for what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BufferResource {
    /// A base of 48 bits, a number of records of 32; what is in range follows from stride and swizzling.
    Gfx6,
    /// Adds OOB_SELECT, which says what is in range; one number for data and number format.
    Gfx10,
    /// Two bits for swizzling, which say the size of an element.
    Gfx11,
    /// Adds a scale of the stride.
    Gfx12,
    /// A base of 57 bits, a number of records of 45.
    Gfx1250,
}

/// A kind of export target: `name`, or `name0`… where there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExportTarget {
    /// The name without number.
    pub name: &'static str,
    /// The number of the first in the encoding.
    pub first: u8,
    /// How many there are.
    pub count: u8,
}

/// How code finds the apertures of LDS and scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Apertures {
    /// There is no flat address space.
    None,
    /// In the queue (`amd_queue_t`) or, from code object V5 on, in hidden kernel arguments.
    Queue,
    /// In `src_shared_base` (235), `src_shared_limit`, `src_private_base`, `src_private_limit` (238).
    Registers,
}

/// Matrix operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatrixOps {
    /// None.
    None,
    /// `v_mfma_*` on a wave of 64 lanes (an instruction feature says which processors have them).
    Mfma,
    /// `v_wmma_*` whose A and B are held twice, in either half of the wave.
    WmmaTwice,
    /// `v_wmma_*` and `v_swmmac_*` whose operands are held once.
    Wmma,
    /// Likewise with longer rows, scales, and formats of 4 and 6 bits.
    WmmaScaled,
}

/// Dependencies that need independent instructions or `s_nop` in between; all of GCN and CDNA have those of [`Gcn`], and
/// CDNA 3 and 4 those of the one before.
///
/// [`Gcn`]: ManualWaits::Gcn
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ManualWaits {
    /// GCN: scalar results of vector instructions in vector memory, lane selects and DPP; M0; data of wide stores.
    Gcn,
    /// CDNA 1: matrix results, which stand in accumulation registers, and moves to and from them.
    Cdna1,
    /// CDNA 2: matrix results, by the passes of the multiplication.
    Cdna2,
    /// CDNA 3: results that vector instructions do not forward to one another.
    Cdna3,
    /// CDNA 4: exchanges between lanes, and one more for matrix results.
    Cdna4,
    /// None (RDNA 1 and 2).
    None,
    /// RDNA 3 and 4: a matrix result that another multiplication takes as A or B.
    Wmma,
    /// CDNA 5: results of instructions that vector instructions are executed beside.
    CoExecution,
}

impl ManualWaits {
    /// Whether vector instructions alone are wait states; else all instructions are, and `s_nop` is as many as it says.
    pub const fn count_vector_alone(self) -> bool {
        matches!(self, ManualWaits::Wmma | ManualWaits::CoExecution)
    }
}

/// The barriers of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Barriers {
    /// `s_barrier`.
    Whole,
    /// `s_barrier_signal` and `s_barrier_wait`; instructions for named barriers, of which a kernel has none.
    SignalWait,
    /// Likewise, with named barriers, `s_wakeup_barrier` and the cluster's barrier (-3).
    NamedAndCluster,
}

/// Which fields the words of the kernel descriptor have; each layout has most of the fields of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DescriptorLayout {
    /// The first: DX10_CLAMP, IEEE_MODE, a count of SGPRs.
    Gfx6,
    /// Adds FP16_OVFL.
    Gfx9,
    /// Adds ACCUM_OFFSET, TG_SPLIT and kernel argument preload.
    Gfx90a,
    /// From [`DescriptorLayout::Gfx9`]: no count of SGPRs; adds wave size, WGP_MODE, MEM_ORDERED, FWD_PROGRESS and
    /// SHARED_VGPR_COUNT.
    Gfx10,
    /// Adds INST_PREF_SIZE, trapping at start and end, IMAGE_OP.
    Gfx11,
    /// Round-robin scheduling in the place of DX10_CLAMP, a wider INST_PREF_SIZE; no IEEE_MODE.
    Gfx12,
    /// Adds a wider USER_SGPR_COUNT, NAMED_BAR_CNT and kernel argument preload; no WGP_MODE.
    Gfx1250,
}

/// Where workgroup ids are when a wave starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkgroupIds {
    /// In SGPRs behind the user SGPRs, those that the kernel descriptor enables.
    Sgprs,
    /// X in `ttmp9`, Y in the low and Z in the high half of `ttmp7`.
    Ttmps,
}

/// Where a trap handler's addresses are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrapBases {
    /// In the SGPRs `tba` and `tma`.
    Sgprs,
    /// In hardware registers.
    HwRegs,
    /// In the answers to messages (`s_sendmsg_rtn_b64`).
    Messages,
}

/// How FLAT_SCRATCH is set up: a [`crate::Property`] in the guide's words, as a choice of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlatScratch {
    /// There is no flat address space.
    None,
    /// The kernel adds the wave's offset to an offset ("Offset flat scratch").
    Offset,
    /// The kernel adds the wave's offset to an address ("Absolute flat scratch").
    Absolute,
    /// The hardware does it ("Architected flat scratch").
    Architected,
}

/// A value of a fact as text.
trait Show {
    fn show(&self) -> String;
}

macro_rules! show {
    ($($type:ty: $self:ident => $text:expr;)*) => {
        $(impl Show for $type { fn show(&$self) -> String { $text } })*
    };
}

show! {
    u8: self => self.to_string();
    u32: self => self.to_string();
    SpecialSgprs: self => format!("VCC {}, XNACK_MASK {}, FLAT_SCRATCH {}", self.vcc, self.xnack_mask, self.flat_scratch);
    bool: self => if *self { "yes".to_owned() } else { "no".to_owned() };
    Option<u8>: self => self.map_or("none".to_owned(), |value| value.to_string());
    Offset: self => self.to_string();
    Option<DppControls>: self => match self {
        None => "none",
        Some(DppControls::Wave) => "wave shifts, row_bcast",
        Some(DppControls::WaveNewbcast) => "wave shifts, row_bcast, row_newbcast",
        Some(DppControls::ShareXmask) => "row_share, row_xmask",
    }.to_owned();
    Option<Offset>: self => self.map_or("none".to_owned(), |offset| offset.to_string());
    CachePolicy: self => self.words().join(" ");
    &'static [(WaitCounter, u8)]: self => join(self.iter().map(|(counter, bits)| format!("{}:{bits}", counter.name())));
    &'static [WaitcntField]: self => join(self.iter().map(WaitcntField::to_string));
    &'static [ExportTarget]: self => join(self.iter().map(ExportTarget::to_string));
    &'static [HwReg]: self => join(self.iter().map(|register| format!("{}={}", register.name, register.id)));
    Messages: self => join(self.names.iter().map(|(id, name)| format!("{name}={id}")));
    Apertures: self => match self {
        Apertures::None => "none",
        Apertures::Queue => "in the queue or hidden arguments",
        Apertures::Registers => "src_shared_base … src_private_limit",
    }.to_owned();
    BufferFormats: self => match self {
        BufferFormats::SplitSnormOgl => "data and number format, with SNORM_OGL",
        BufferFormats::Split => "data and number format",
        BufferFormats::Unified77 => "one of 77",
        BufferFormats::Unified63 => "one of 63",
    }.to_owned();
    BufferResource: self => match self {
        BufferResource::Gfx6 => "48-bit base",
        BufferResource::Gfx10 => "48-bit base, OOB_SELECT",
        BufferResource::Gfx11 => "48-bit base, OOB_SELECT, element size",
        BufferResource::Gfx12 => "48-bit base, OOB_SELECT, element size, stride scale",
        BufferResource::Gfx1250 => "57-bit base",
    }.to_owned();
    L2Coherence: self => match self {
        L2Coherence::Memory => "by the type of memory",
        L2Coherence::MemoryAndInstructions => "by the type of memory, and instructions for what is coarse-grained",
        L2Coherence::Scope => "by the scope of instructions",
    }.to_owned();
    Barriers: self => match self {
        Barriers::Whole => "s_barrier",
        Barriers::SignalWait => "signal and wait",
        Barriers::NamedAndCluster => "signal and wait, named, cluster",
    }.to_owned();
    MatrixOps: self => match self {
        MatrixOps::None => "none",
        MatrixOps::Mfma => "MFMA where there are AGPRs",
        MatrixOps::WmmaTwice => "WMMA, A and B held twice",
        MatrixOps::Wmma => "WMMA and SWMMAC",
        MatrixOps::WmmaScaled => "WMMA and SWMMAC with scales",
    }.to_owned();
    ManualWaits: self => match self {
        ManualWaits::Gcn => "scalar results, M0, DPP, data of wide stores",
        ManualWaits::Cdna1 => "those of GCN, accumulation registers",
        ManualWaits::Cdna2 => "those of GCN, matrix results",
        ManualWaits::Cdna3 => "those of CDNA 2, results between vector instructions",
        ManualWaits::Cdna4 => "those of CDNA 3, exchanges between lanes",
        ManualWaits::None => "none",
        ManualWaits::Wmma => "matrix results as A or B",
        ManualWaits::CoExecution => "matrix and transcendental results",
    }.to_owned();
    DescriptorLayout: self => format!("{self:?}").to_lowercase();
    WorkgroupIds: self => match self {
        WorkgroupIds::Sgprs => "in SGPRs",
        WorkgroupIds::Ttmps => "in ttmp9 and ttmp7",
    }.to_owned();
    TrapBases: self => match self {
        TrapBases::Sgprs => "in SGPRs",
        TrapBases::HwRegs => "in hardware registers",
        TrapBases::Messages => "by message",
    }.to_owned();
}

fn join(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(" ") }
}

impl fmt::Display for ExportTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "{}={}", self.name, self.first),
            count => write!(f, "{}0…{}={}", self.name, count - 1, self.first),
        }
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.signed { "signed" } else { "unsigned" };
        let unit = if self.unit == 1 { "bytes" } else { "dwords" };
        write!(f, "{} bits, {sign}, in {unit}", self.bits)
    }
}

impl fmt::Display for WaitcntField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (last, last_at) = (self.from + self.bits - 1, self.at + self.bits - 1);
        write!(f, "{}[{last}:{}]@[{last_at}:{}]", self.counter.name(), self.from, self.at)
    }
}
