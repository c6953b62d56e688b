//! Lines of processors: which facts and which instruction features each has.
//!
//! A line says what it changes against the one it follows. Processors of one line differ in nothing that is here;
//! where two differ in a single feature, they are two lines with the same facts. A new processor is a line here (or
//! none, if it is like another) and a row in [`crate::processor`].

use crate::facts::{
    Apertures, Barriers, BufferFormats, BufferResource, CachePolicy, DescriptorLayout, DppControls,
    ExportTarget, Facts, L2Coherence, ManualWaits, MatrixOps, Offset, SpecialSgprs, TrapBases, WaitCounter,
    WaitcntField, WorkgroupIds,
};
use crate::hwreg;
use crate::inst_features::{InstFeature::*, InstFeatures};
use crate::message;

/// Facts by line.
pub(crate) mod facts {
    use super::WaitCounter::*;
    use super::*;

    const fn field(counter: WaitCounter, from: u8, at: u8, bits: u8) -> WaitcntField {
        WaitcntField { counter, from, at, bits }
    }

    const fn target(name: &'static str, first: u8, count: u8) -> ExportTarget {
        ExportTarget { name, first, count }
    }

    const EXPORTS_GFX6: &[ExportTarget] = &[
        target("mrt", 0, 8),
        target("mrtz", 8, 1),
        target("null", 9, 1),
        target("pos", 12, 4),
        target("param", 32, 32),
    ];
    const EXPORTS_GFX10: &[ExportTarget] = &[
        target("mrt", 0, 8),
        target("mrtz", 8, 1),
        target("null", 9, 1),
        target("pos", 12, 5),
        target("prim", 20, 1),
        target("param", 32, 32),
    ];
    const EXPORTS_GFX11: &[ExportTarget] = &[
        target("mrt", 0, 8),
        target("mrtz", 8, 1),
        target("pos", 12, 5),
        target("prim", 20, 1),
        target("dual_src_blend", 21, 2),
    ];

    pub const GFX6: Facts = Facts {
        wave_scratch_bytes: (256 * 4) * ((1 << 13) - 1),
        sgprs: 104,
        sgpr_encoding_granule: 8,
        sgpr_alloc_granule: 8,
        // The assembler counts FLAT_SCRATCH on gfx6 too, which has none.
        special_sgprs: SpecialSgprs { vcc: 2, xnack_mask: 0, flat_scratch: 4 },
        lds_bytes: 32 << 10,
        lds_granule: 256,
        descriptor: DescriptorLayout::Gfx6,
        user_sgprs: 16,
        inst_pref_size_bits: 0,
        ttmps: 12,
        ttmp_base: 112,
        m0: 124,
        null: None,
        flat_scratch_sgprs: None,
        xnack_mask_sgprs: None,
        trap_base_sgprs: Some(108),
        vccz_execz: true,
        lds_direct_operand: true,
        pops_exiting_wave_id: false,
        flat_scratch_base: false,
        vgpr_banks: 1,
        vgpr_tuple_alignment: 1,
        keeps_other_half: false,
        agpr_operands: false,
        constant_bus_limit: 1,
        vop3_literals: false,
        packed_f32_scalar_low: false,
        packed_constants_twice: false,
        bf16_constants_single: false,
        vopd_same_vgpr: false,
        vopd_moves_apart: false,
        literals_64: false,
        dpp_controls: None,
        dpp_bound_ctrl_zero: true,
        vopd3: false,
        omod_needs_flush: true,
        matrix: MatrixOps::None,
        manual_waits: ManualWaits::Gcn,
        counters: &[(Vm, 4), (Exp, 3), (Lgkm, 4)],
        waitcnt: &[field(Vm, 0, 0, 4), field(Exp, 0, 4, 3), field(Lgkm, 0, 8, 4)],
        cache_policy: CachePolicy::GlcSlc,
        several_l2: false,
        shader_array_cache: false,
        flat_counts_in_order: false,
        tensor_depth: 0,
        write_back_in_order: true,
        l2_coherence: L2Coherence::Memory,
        stores_reach_device: true,
        dlc_misses_l1: false,
        cu_keeps_order: true,
        ds_permutes_within_32: false,
        format_stores_replicate: false,
        smem_offset: Offset::dwords(8),
        smem_buffer_offset: Offset::dwords(8),
        smem_literal_offset: false,
        flat_offset: None,
        global_offset: None,
        signed_vgpr_offset: false,
        buffer_resource: BufferResource::Gfx6,
        buffer_offset: Offset::unsigned(12),
        buffer_formats: BufferFormats::SplitSnormOgl,
        ds_offset: Offset::unsigned(16),
        lds_needs_m0: true,
        apertures: Apertures::None,
        barriers: Barriers::Whole,
        exports: true,
        export_targets: EXPORTS_GFX6,
        max_clause: 0,
        workgroup_ids: WorkgroupIds::Sgprs,
        kernarg_preload_prologue: false,
        trap_bases: TrapBases::Sgprs,
        doorbell_id: false,
        dx10_clamp_and_ieee: true,
        exceptions_defined: false,
        scc_in_status: true,
        hwregs: hwreg::GFX6,
        messages: message::GFX6,
    };

    pub const GFX7: Facts = Facts {
        lds_bytes: 64 << 10,
        lds_granule: 512,
        flat_scratch_sgprs: Some(104),
        smem_literal_offset: true,
        apertures: Apertures::Queue,
        ..GFX6
    };

    pub const GFX8: Facts = Facts {
        sgprs: 102,
        sgpr_alloc_granule: 16,
        special_sgprs: SpecialSgprs { vcc: 2, xnack_mask: 4, flat_scratch: 6 },
        flat_scratch_sgprs: Some(102),
        xnack_mask_sgprs: Some(104),
        dpp_controls: Some(DppControls::Wave),
        smem_offset: Offset::unsigned(20),
        smem_buffer_offset: Offset::unsigned(20),
        smem_literal_offset: false,
        buffer_formats: BufferFormats::Split,
        messages: message::GFX8,
        ..GFX7
    };

    pub const GFX9: Facts = Facts {
        matrix: MatrixOps::Mfma,
        descriptor: DescriptorLayout::Gfx9,
        ttmps: 16,
        ttmp_base: 108,
        trap_base_sgprs: None,
        pops_exiting_wave_id: true,
        counters: &[(Vm, 6), (Exp, 3), (Lgkm, 4)],
        waitcnt: &[field(Vm, 0, 0, 4), field(Exp, 0, 4, 3), field(Lgkm, 0, 8, 4), field(Vm, 4, 14, 2)],
        smem_offset: Offset::signed(21),
        flat_offset: Some(Offset::unsigned(12)),
        global_offset: Some(Offset::signed(13)),
        lds_needs_m0: false,
        apertures: Apertures::Registers,
        trap_bases: TrapBases::HwRegs,
        doorbell_id: true,
        hwregs: hwreg::GFX9,
        messages: message::GFX9,
        ..GFX8
    };

    pub const GFX908: Facts = Facts { manual_waits: ManualWaits::Cdna1, ..GFX9 };

    pub const GFX90A: Facts = Facts {
        descriptor: DescriptorLayout::Gfx90a,
        manual_waits: ManualWaits::Cdna2,
        lds_direct_operand: false,
        vgpr_tuple_alignment: 2,
        agpr_operands: true,
        dpp_controls: Some(DppControls::WaveNewbcast),
        cache_policy: CachePolicy::GlcSlcScc,
        l2_coherence: L2Coherence::MemoryAndInstructions,
        exports: false,
        export_targets: &[],
        kernarg_preload_prologue: true,
        ..GFX9
    };

    pub const GFX940: Facts = Facts {
        cache_policy: CachePolicy::Sc0Sc1Nt,
        l2_coherence: L2Coherence::Scope,
        manual_waits: ManualWaits::Cdna3,
        several_l2: true,
        stores_reach_device: false,
        hwregs: hwreg::GFX940,
        ..GFX90A
    };

    pub const GFX950: Facts =
        Facts { manual_waits: ManualWaits::Cdna4, lds_bytes: 160 << 10, lds_granule: 1280, ..GFX940 };

    pub const GFX10_1: Facts = Facts {
        flat_counts_in_order: true,
        dlc_misses_l1: true,
        ds_permutes_within_32: true,
        sgprs: 106,
        matrix: MatrixOps::None,
        manual_waits: ManualWaits::None,
        descriptor: DescriptorLayout::Gfx10,
        sgpr_encoding_granule: 0,
        sgpr_alloc_granule: 128,
        special_sgprs: SpecialSgprs { vcc: 2, xnack_mask: 0, flat_scratch: 0 },
        null: Some(125),
        flat_scratch_sgprs: None,
        xnack_mask_sgprs: None,
        keeps_other_half: true,
        constant_bus_limit: 2,
        vop3_literals: true,
        dpp_controls: Some(DppControls::ShareXmask),
        counters: &[(Vm, 6), (Exp, 3), (Lgkm, 6), (Vs, 6)],
        waitcnt: &[field(Vm, 0, 0, 4), field(Exp, 0, 4, 3), field(Lgkm, 0, 8, 6), field(Vm, 4, 14, 2)],
        cache_policy: CachePolicy::GlcSlcDlc,
        shader_array_cache: true,
        flat_offset: Some(Offset::unsigned(11)),
        global_offset: Some(Offset::signed(12)),
        buffer_resource: BufferResource::Gfx10,
        buffer_formats: BufferFormats::Unified77,
        export_targets: EXPORTS_GFX10,
        max_clause: 63,
        hwregs: hwreg::GFX10_1,
        messages: message::GFX10,
        ..GFX9
    };

    pub const GFX10_3: Facts = Facts { hwregs: hwreg::GFX10_3, ..GFX10_1 };

    pub const GFX11: Facts = Facts {
        dlc_misses_l1: false,
        wave_scratch_bytes: (64 * 4) * ((1 << 15) - 1),
        packed_constants_twice: true,
        matrix: MatrixOps::WmmaTwice,
        manual_waits: ManualWaits::Wmma,
        descriptor: DescriptorLayout::Gfx11,
        inst_pref_size_bits: 6,
        m0: 125,
        null: Some(124),
        dpp_bound_ctrl_zero: false,
        vccz_execz: false,
        lds_direct_operand: false,
        pops_exiting_wave_id: false,
        waitcnt: &[field(Exp, 0, 0, 3), field(Lgkm, 0, 4, 6), field(Vm, 0, 10, 6)],
        flat_offset: Some(Offset::unsigned(12)),
        global_offset: Some(Offset::signed(13)),
        buffer_resource: BufferResource::Gfx11,
        buffer_formats: BufferFormats::Unified63,
        export_targets: EXPORTS_GFX11,
        max_clause: 32,
        trap_bases: TrapBases::Messages,
        exceptions_defined: true,
        hwregs: hwreg::GFX11,
        messages: message::GFX11,
        ..GFX10_3
    };

    pub const GFX12: Facts = Facts {
        ds_permutes_within_32: false,
        format_stores_replicate: true,
        wave_scratch_bytes: (64 * 4) * ((1 << 18) - 1),
        matrix: MatrixOps::Wmma,
        descriptor: DescriptorLayout::Gfx12,
        inst_pref_size_bits: 8,
        vopd_same_vgpr: true,
        vopd_moves_apart: true,
        counters: &[(Load, 6), (Store, 6), (Sample, 6), (Bvh, 3), (Ds, 6), (Km, 5), (Exp, 3)],
        omod_needs_flush: false,
        cache_policy: CachePolicy::ThScope,
        shader_array_cache: false,
        l2_coherence: L2Coherence::Scope,
        smem_offset: Offset::signed(24),
        smem_buffer_offset: Offset::unsigned(23),
        flat_offset: Some(Offset::signed(24)),
        global_offset: Some(Offset::signed(24)),
        buffer_resource: BufferResource::Gfx12,
        buffer_offset: Offset::unsigned(23),
        barriers: Barriers::SignalWait,
        workgroup_ids: WorkgroupIds::Ttmps,
        dx10_clamp_and_ieee: false,
        scc_in_status: false,
        hwregs: hwreg::GFX12,
        messages: message::GFX12,
        ..GFX11
    };

    pub const GFX1250: Facts = Facts {
        tensor_depth: 10,
        cu_keeps_order: false,
        write_back_in_order: false,
        several_l2: true,
        stores_reach_device: false,
        vopd3: true,
        matrix: MatrixOps::WmmaScaled,
        manual_waits: ManualWaits::CoExecution,
        descriptor: DescriptorLayout::Gfx1250,
        lds_bytes: 320 << 10,
        lds_granule: 2048,
        user_sgprs: 32,
        flat_scratch_base: true,
        vgpr_banks: 4,
        vgpr_tuple_alignment: 2,
        packed_f32_scalar_low: true,
        bf16_constants_single: true,
        literals_64: true,
        counters: &[(Load, 6), (Store, 6), (Ds, 6), (Km, 5), (Async, 6), (Tensor, 6), (X, 6)],
        waitcnt: &[],
        cache_policy: CachePolicy::ThScopeNv,
        signed_vgpr_offset: true,
        buffer_resource: BufferResource::Gfx1250,
        barriers: Barriers::NamedAndCluster,
        exports: false,
        export_targets: &[],
        max_clause: 63,
        hwregs: hwreg::GFX1250,
        messages: message::GFX1250,
        ..GFX12
    };
}

/// Instruction features by line.
pub(crate) mod insts {
    use super::*;

    pub const GFX6: InstFeatures = InstFeatures::EMPTY.with(&[
        Movrel,
        SMemtimeInst,
        CubeInsts,
        CvtPknormVop2Insts,
        LerpInst,
        MadMacF32Insts,
        SadInsts,
        AtomicFminFmaxGlobalF32,
        AtomicFminFmaxGlobalF64,
        DefaultComponentZero,
        DsSrc2Insts,
        Gds,
        Gws,
        ExtendedImageInsts,
        ImageInsts,
        MimgR128,
        TrigReducedRange,
        VmemWriteVgprInOrder,
    ]);
    pub const GFX7: InstFeatures = GFX6.with(&[
        CiInsts,
        Gfx7Gfx8Gfx9Insts,
        QsadInsts,
        AtomicFminFmaxFlatF32,
        AtomicFminFmaxFlatF64,
        UnalignedBufferAccess,
    ]);
    pub const GFX8: InstFeatures = GFX7
        .with(&[
            Gfx8Insts,
            Dpp,
            Sdwa,
            SdwaMav,
            SdwaOutModsVopc,
            IntClampInsts,
            Inv2piInlineImm,
            VgprIndexMode,
            SMemrealtime,
            ScalarStores,
            Bits16Insts,
            UnpackedD16Vmem,
        ])
        .without(&[
            AtomicFminFmaxFlatF32,
            AtomicFminFmaxFlatF64,
            AtomicFminFmaxGlobalF32,
            AtomicFminFmaxGlobalF64,
        ]);
    pub const GFX810: InstFeatures =
        GFX8.with(&[ImageGather4D16Bug, ImageStoreD16Bug]).without(&[UnpackedD16Vmem]);
    pub const GFX9: InstFeatures = GFX8
        .with(&[
            Gfx9Insts,
            SdwaOmod,
            SdwaScalar,
            SdwaSdst,
            Vop3p,
            ScalarAtomics,
            ScalarFlatScratchInsts,
            AddNoCarryInsts,
            CvtNormInsts,
            CvtPknormVop3Insts,
            FlatGlobalInsts,
            FlatInstOffsets,
            FlatScratchInsts,
            UnalignedDsAccess,
            UnalignedScratchAccess,
            VmemToLdsLoadInsts,
            A16,
            R128A16,
            ImageGather4D16Bug,
            NegativeScratchOffsetBug,
        ])
        .without(&[SdwaMav, SdwaOutModsVopc, Movrel, UnpackedD16Vmem, MimgR128, TrigReducedRange]);
    pub const GFX900: InstFeatures = GFX9.with(&[MadMixInsts]);
    pub const GFX904: InstFeatures = GFX9.with(&[FmaMixInsts]);
    pub const GFX906: InstFeatures = GFX904.with(&[DlInsts, Dot1Insts, Dot2Insts, Dot7Insts, Dot10Insts]);
    pub const GFX908: InstFeatures = GFX906.with(&[
        Dot3Insts,
        Dot4Insts,
        Dot5Insts,
        Dot6Insts,
        MaiInsts,
        PkFmacF16Inst,
        AtomicBufferGlobalPkAddF16NoRtnInsts,
        AtomicFaddNoRtnInsts,
        MfmaInlineLiteralBug,
    ]);
    pub const GFX90A: InstFeatures = GFX908
        .with(&[
            Gfx90aInsts,
            Dpp64bit,
            Fmacf64Inst,
            PackedFp32Ops,
            AtomicBufferGlobalPkAddF16Insts,
            AtomicFaddRtnInsts,
            AtomicFminFmaxFlatF64,
            AtomicFminFmaxGlobalF64,
            FlatBufferGlobalFaddF64Inst,
            BackOffBarrier,
        ])
        .without(&[
            AtomicBufferGlobalPkAddF16NoRtnInsts,
            DsSrc2Insts,
            Gds,
            ExtendedImageInsts,
            ImageGather4D16Bug,
            MfmaInlineLiteralBug,
        ]);
    pub const GFX940: InstFeatures = GFX90A
        .with(&[
            Gfx940Insts,
            LshlAddU64Inst,
            AtomicDsPkAdd16Insts,
            AtomicFlatPkAdd16Insts,
            AtomicGlobalPkAddBf16Inst,
            FlatAtomicFaddF32Inst,
            MemoryAtomicFaddF32DenormalSupport,
        ])
        .without(&[MadMacF32Insts, ImageInsts]);
    pub const GFX942: InstFeatures = GFX940.with(&[Fp8ConversionInsts, Fp8Insts, Xf32Insts, CvtFp8Vop1Bug]);
    pub const GFX950: InstFeatures = GFX940.with(&[
        Gfx950Insts,
        AshrPkInsts,
        Bf16CvtInsts,
        Bf8CvtScaleInsts,
        Bitop3Insts,
        CvtPkF16F32Inst,
        Dot12Insts,
        Dot13Insts,
        F16bf16ToFp6bf6CvtScaleInsts,
        F32ToF16bf16CvtSrInsts,
        Fp4CvtScaleInsts,
        Fp6bf6CvtScaleInsts,
        Fp8CvtScaleInsts,
        Fp8ConversionInsts,
        Fp8Insts,
        Minimum3Maximum3F32,
        Minimum3Maximum3Pkf16,
        Permlane16Swap,
        Permlane32Swap,
        PrngInst,
        AtomicBufferPkAddBf16Inst,
    ]);
    pub const GFX10_1: InstFeatures = GFX9
        .with(&[
            Gfx10Insts,
            Dpp8,
            NoSdstCmpx,
            Movrel,
            GetWaveIdInst,
            DlInsts,
            FmaMixInsts,
            PkFmacF16Inst,
            AtomicFminFmaxFlatF32,
            AtomicFminFmaxFlatF64,
            AtomicFminFmaxGlobalF32,
            AtomicFminFmaxGlobalF64,
            G16,
            MimgR128,
            NsaEncoding,
            BackOffBarrier,
            FlatSegmentOffsetBug,
            InstFwdPrefetchBug,
            LdsBranchVmemWarHazard,
            LdsMisalignedBug,
            NegativeUnalignedScratchOffsetBug,
            NoDataDepHazard,
            NsaClauseBug,
            NsaToVmemBug,
            Offset3fBug,
            SmemToVectorWriteHazard,
            VcmpxExecWarHazard,
            VcmpxPermlaneHazard,
            VmemToScalarWriteHazard,
        ])
        .without(&[Gfx7Gfx8Gfx9Insts, VgprIndexMode, R128A16, ImageGather4D16Bug, NegativeScratchOffsetBug]);
    pub const GFX1011: InstFeatures =
        GFX10_1.with(&[Dot1Insts, Dot2Insts, Dot5Insts, Dot6Insts, Dot7Insts, Dot10Insts]);
    pub const GFX1013: InstFeatures = GFX10_1.with(&[Gfx10AEncoding]);
    pub const GFX10_3: InstFeatures =
        GFX1011.with(&[Gfx10AEncoding, Gfx10BEncoding, Gfx10_3Insts, ShaderCyclesRegister]).without(&[
            GetWaveIdInst,
            ScalarAtomics,
            ScalarFlatScratchInsts,
            ScalarStores,
            MadMacF32Insts,
            DsSrc2Insts,
            FlatSegmentOffsetBug,
            InstFwdPrefetchBug,
            LdsBranchVmemWarHazard,
            LdsMisalignedBug,
            NegativeUnalignedScratchOffsetBug,
            NsaClauseBug,
            NsaToVmemBug,
            Offset3fBug,
            SmemToVectorWriteHazard,
            VcmpxExecWarHazard,
            VcmpxPermlaneHazard,
            VmemToScalarWriteHazard,
        ]);
    pub const GFX11: InstFeatures = GFX10_3
        .with(&[
            Gfx11Insts,
            Vopd,
            True16,
            Dot8Insts,
            Dot9Insts,
            Dot12Insts,
            AtomicFaddNoRtnInsts,
            AtomicFaddRtnInsts,
            FlatAtomicFaddF32Inst,
            MemoryAtomicFaddF32DenormalSupport,
            PartialNsaEncoding,
            D16WriteVgpr32,
            MadIntraFwdBug,
            MsaaLoadDstSelBug,
            PrivEnabledTrap2NopBug,
            UserSgprInit16Bug,
            ValuTransUseHazard,
            VcmpxPermlaneHazard,
        ])
        .without(&[
            Sdwa,
            SdwaOmod,
            SdwaScalar,
            SdwaSdst,
            SMemrealtime,
            SMemtimeInst,
            Dot1Insts,
            Dot2Insts,
            Dot6Insts,
            AtomicFminFmaxFlatF64,
            AtomicFminFmaxGlobalF64,
            VmemToLdsLoadInsts,
        ]);
    pub const GFX11_5: InstFeatures =
        GFX11.with(&[DppSrc1Sgpr, SaluFloat, PointSampleAccel, RequiredExportPriority]).without(&[
            MadIntraFwdBug,
            MsaaLoadDstSelBug,
            PrivEnabledTrap2NopBug,
            UserSgprInit16Bug,
            ValuTransUseHazard,
        ]);
    pub const GFX1153: InstFeatures = GFX11_5.without(&[PointSampleAccel]);
    pub const GFX11_GENERIC: InstFeatures = GFX11.with(&[RequiredExportPriority]);
    pub const GFX1101: InstFeatures = GFX11.without(&[UserSgprInit16Bug]);
    pub const GFX12: InstFeatures = GFX11_5
        .with(&[
            Gfx12Insts,
            PseudoScalarTrans,
            ScalarDwordx3Loads,
            ShaderCyclesHiLoRegisters,
            Dot11Insts,
            Fp8ConversionInsts,
            IeeeMinimumMaximumInsts,
            Minimum3Maximum3F16,
            Minimum3Maximum3F32,
            AtomicBufferGlobalPkAddF16Insts,
            AtomicBufferPkAddBf16Inst,
            AtomicDsPkAdd16Insts,
            AtomicFlatPkAdd16Insts,
            AtomicGlobalPkAddBf16Inst,
            DefaultComponentBroadcast,
            RestrictedSoffset,
            BvhDualBvh8Insts,
            WaitsBeforeSystemScopeStores,
        ])
        .without(&[
            ShaderCyclesRegister,
            Dot5Insts,
            DefaultComponentZero,
            Gds,
            Gws,
            PointSampleAccel,
            RequiredExportPriority,
            VmemWriteVgprInOrder,
        ]);
    pub const GFX1250: InstFeatures = GFX12
        .with(&[
            Gfx1250Insts,
            SWakeupBarrierInst,
            SetprioIncWgInst,
            WaitXcnt,
            AddMinMaxInsts,
            AddSubU64Insts,
            AshrPkInsts,
            Bf16CvtInsts,
            Bf16PkInsts,
            Bf16TransInsts,
            Bitop3Insts,
            CvtPkF16F32Inst,
            FmaMixBf16Insts,
            Fmacf64Inst,
            Fp8e5m3Insts,
            LshlAddU64Inst,
            MadU32Inst,
            Min3Max3Pkf16,
            Minimum3Maximum3Pkf16,
            PackedFp32Ops,
            Permlane16Swap,
            PkAddMinMaxInsts,
            PrngInst,
            TanhInsts,
            TensorCvtLutInsts,
            AtomicFminFmaxFlatF64,
            AtomicFminFmaxGlobalF64,
            FlatBufferGlobalFaddF64Inst,
            FlatGvsMode,
            GloballyAddressableScratch,
            LdsBarrierArriveAtomic,
            McastLoadInsts,
            NumRecords45Bit,
            TransposeLoadF4f6Insts,
            VmemPrefInsts,
            SetregVgprMsbFixup,
        ])
        .without(&[
            Dot9Insts,
            Dot10Insts,
            Dot11Insts,
            Dot12Insts,
            BvhDualBvh8Insts,
            ExtendedImageInsts,
            ImageInsts,
            NsaEncoding,
            PartialNsaEncoding,
            BackOffBarrier,
            WaitsBeforeSystemScopeStores,
        ]);
    pub const GFX1251: InstFeatures = GFX1250.with(&[Dpp64bit]).without(&[SetregVgprMsbFixup]);
}
