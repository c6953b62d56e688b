//! Instruction features: what a processor's instruction set has that others of its generation have not.
//!
//! The names are LLVM 22's subtarget features, so that a row of the instruction table can say `has dot7-insts` and
//! be looked up by name. Those that say how instructions must be scheduled around each other, or which defect of
//! the hardware code has to work around, are here too. Not here: switches ([`crate::Features`]), facts with a value
//! ([`crate::Facts`]), limits ([`crate::Limits`]), and LLVM's preferences in code generation.
//!
//! Which processor has which is in [`crate::lines`]; a test holds every one of them against LLVM 22.

use std::fmt;

macro_rules! inst_features {
    ($($variant:ident $name:literal $meaning:literal;)*) => {
        /// A feature of an instruction set, under LLVM's name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum InstFeature {
            $(#[doc = concat!("`", $name, "`: ", $meaning, ".")] $variant,)*
        }

        impl InstFeature {
            /// Every feature, in the order of the table.
            pub const ALL: &'static [InstFeature] = &[$(InstFeature::$variant),*];

            /// LLVM's name, for example `dot7-insts`.
            pub fn name(self) -> &'static str {
                match self { $(InstFeature::$variant => $name,)* }
            }

            /// What it is, as a phrase.
            pub fn meaning(self) -> &'static str {
                match self { $(InstFeature::$variant => $meaning,)* }
            }
        }
    };
}

inst_features! {
    // Whole generations.
    CiInsts "ci-insts" "instructions that gfx7 added, and all later processors have";
    Gfx7Gfx8Gfx9Insts "gfx7-gfx8-gfx9-insts" "instructions of gfx7 to gfx9 only";
    Gfx8Insts "gfx8-insts" "instructions that gfx8 added";
    Gfx9Insts "gfx9-insts" "instructions that gfx9 added";
    Gfx90aInsts "gfx90a-insts" "instructions that gfx90a added";
    Gfx940Insts "gfx940-insts" "instructions that gfx940 added";
    Gfx950Insts "gfx950-insts" "instructions that gfx950 added";
    Gfx10Insts "gfx10-insts" "instructions that gfx10 added";
    Gfx10AEncoding "gfx10_a-encoding" "ray tracing: `image_bvh_intersect_ray`, `image_bvh64_intersect_ray`";
    Gfx10BEncoding "gfx10_b-encoding" "encodings that gfx10.3 added";
    Gfx10_3Insts "gfx10-3-insts" "instructions that gfx10.3 added";
    Gfx11Insts "gfx11-insts" "instructions that gfx11 added";
    Gfx12Insts "gfx12-insts" "instructions that gfx12 added";
    Gfx1250Insts "gfx1250-insts" "instructions that gfx1250 added";

    // Encodings and operand forms.
    Dpp "dpp" "DPP: lanes read their neighbours";
    Dpp8 "dpp8" "DPP8: any permutation within eight lanes";
    Dpp64bit "dpp-64bit" "DPP on 64-bit operations";
    DppSrc1Sgpr "dpp-src1-sgpr" "an SGPR as second source of a DPP form";
    Sdwa "sdwa" "SDWA: operands that are bytes or words of registers";
    SdwaMav "sdwa-mav" "SDWA forms of `v_mac_f32` and `v_mac_f16`";
    SdwaOmod "sdwa-omod" "output modifiers in SDWA forms";
    SdwaOutModsVopc "sdwa-out-mods-vopc" "clamp in SDWA forms of comparisons";
    SdwaScalar "sdwa-scalar" "scalar sources in SDWA forms";
    SdwaSdst "sdwa-sdst" "a scalar destination other than VCC in SDWA forms of comparisons";
    Vop3p "vop3p" "packed operations (VOP3P)";
    Vopd "vopd" "two operations at once (VOPD), in wave32";
    True16 "true16" "16-bit operands that are halves of registers";
    IntClampInsts "int-clamp-insts" "clamp of integer results";
    Inv2piInlineImm "inv-2pi-inline-imm" "1/(2π) as an inline constant";
    NoSdstCmpx "no-sdst-cmpx" "`v_cmpx_*` writes EXEC alone";
    Movrel "movrel" "`v_movrel*_b32`: registers indexed by M0";
    VgprIndexMode "vgpr-index-mode" "`s_set_gpr_idx_*`: VGPR index mode";

    // Scalar instructions.
    GetWaveIdInst "get-wave-id-inst" "`s_get_waveid_in_workgroup`";
    PseudoScalarTrans "pseudo-scalar-trans" "`v_s_*`: transcendental operations on SGPRs";
    SMemrealtime "s-memrealtime" "`s_memrealtime`";
    SMemtimeInst "s-memtime-inst" "`s_memtime`";
    SWakeupBarrierInst "s-wakeup-barrier-inst" "`s_wakeup_barrier`";
    SaluFloat "salu-float" "scalar floating-point operations";
    ScalarAtomics "scalar-atomics" "`s_atomic_*`, `s_buffer_atomic_*`";
    ScalarDwordx3Loads "scalar-dwordx3-loads" "scalar loads of 96 bits";
    ScalarFlatScratchInsts "scalar-flat-scratch-insts" "`s_scratch_*`";
    ScalarStores "scalar-stores" "`s_store_*`, `s_buffer_store_*`";
    SetprioIncWgInst "setprio-inc-wg-inst" "`s_setprio_inc_wg`";
    ShaderCyclesRegister "shader-cycles-register" "the hardware register SHADER_CYCLES";
    ShaderCyclesHiLoRegisters "shader-cycles-hi-lo-registers" "the hardware registers SHADER_CYCLES_LO and _HI";
    WaitXcnt "wait-xcnt" "`s_wait_xcnt`";

    // Vector arithmetic.
    Bits16Insts "16-bit-insts" "operations on i16 and f16";
    AddMinMaxInsts "add-min-max-insts" "`v_add_{min,max}_{i32,u32}`";
    AddNoCarryInsts "add-no-carry-insts" "additions without carry out";
    AddSubU64Insts "add-sub-u64-insts" "`v_add_u64`, `v_sub_u64`";
    AshrPkInsts "ashr-pk-insts" "`v_ashr_pk_*`";
    Bf16CvtInsts "bf16-cvt-insts" "conversions to bf16";
    Bf16PkInsts "bf16-pk-insts" "packed bf16 arithmetic";
    Bf16TransInsts "bf16-trans-insts" "bf16 transcendental operations";
    Bf8CvtScaleInsts "bf8-cvt-scale-insts" "scaled conversions of bf8";
    Bitop3Insts "bitop3-insts" "`v_bitop3_b32`, `v_bitop3_b16`";
    CubeInsts "cube-insts" "`v_cube*_f32`";
    CvtNormInsts "cvt-norm-insts" "`v_cvt_norm_*`";
    CvtPkF16F32Inst "cvt-pk-f16-f32-inst" "`v_cvt_pk_f16_f32`";
    CvtPknormVop2Insts "cvt-pknorm-vop2-insts" "`v_cvt_pknorm_{i16,u16}_f32`";
    CvtPknormVop3Insts "cvt-pknorm-vop3-insts" "`v_cvt_pknorm_{i16,u16}_f16`";
    DlInsts "dl-insts" "`v_fmac_f32`, `v_xnor_b32`";
    Dot1Insts "dot1-insts" "`v_dot4_i32_i8`, `v_dot8_i32_i4`";
    Dot2Insts "dot2-insts" "`v_dot2_i32_i16`, `v_dot2_u32_u16`";
    Dot3Insts "dot3-insts" "`v_dot8c_i32_i4`";
    Dot4Insts "dot4-insts" "`v_dot2c_i32_i16`";
    Dot5Insts "dot5-insts" "`v_dot2c_f32_f16`";
    Dot6Insts "dot6-insts" "`v_dot4c_i32_i8`";
    Dot7Insts "dot7-insts" "`v_dot4_u32_u8`, `v_dot8_u32_u4`";
    Dot8Insts "dot8-insts" "`v_dot4_i32_iu8`, `v_dot8_i32_iu4`";
    Dot9Insts "dot9-insts" "`v_dot2_f16_f16`, `v_dot2_bf16_bf16`";
    Dot10Insts "dot10-insts" "`v_dot2_f32_f16`";
    Dot11Insts "dot11-insts" "`v_dot4_f32_{fp8,bf8}_{fp8,bf8}`";
    Dot12Insts "dot12-insts" "`v_dot2_f32_bf16`";
    Dot13Insts "dot13-insts" "`v_dot2c_f32_bf16`";
    F16bf16ToFp6bf6CvtScaleInsts "f16bf16-to-fp6bf6-cvt-scale-insts" "scaled conversions of f16 and bf16 to fp6 and bf6";
    F32ToF16bf16CvtSrInsts "f32-to-f16bf16-cvt-sr-insts" "stochastically rounded conversions of f32 to f16 and bf16";
    FmaMixInsts "fma-mix-insts" "`v_fma_mix_f32`, `v_fma_mixlo_f16`, `v_fma_mixhi_f16`";
    FmaMixBf16Insts "fma-mix-bf16-insts" "`v_fma_mix*` with bf16";
    Fmacf64Inst "fmacf64-inst" "`v_fmac_f64`";
    Fp4CvtScaleInsts "fp4-cvt-scale-insts" "scaled conversions of fp4";
    Fp6bf6CvtScaleInsts "fp6bf6-cvt-scale-insts" "scaled conversions of fp6 and bf6";
    Fp8CvtScaleInsts "fp8-cvt-scale-insts" "scaled conversions of fp8";
    Fp8ConversionInsts "fp8-conversion-insts" "conversions of fp8 and bf8";
    Fp8Insts "fp8-insts" "matrix operations on fp8 and bf8";
    Fp8e5m3Insts "fp8e5m3-insts" "the fp8 format with five exponent and three fraction bits";
    IeeeMinimumMaximumInsts "ieee-minimum-maximum-insts" "`v_minimum_*`, `v_maximum_*` and their combinations";
    LerpInst "lerp-inst" "`v_lerp_u8`";
    LshlAddU64Inst "lshl-add-u64-inst" "`v_lshl_add_u64`";
    MadMacF32Insts "mad-mac-f32-insts" "`v_mad_f32`, `v_mac_f32`, `v_madak_f32`, `v_madmk_f32`";
    MadMixInsts "mad-mix-insts" "`v_mad_mix_f32`, `v_mad_mixlo_f16`, `v_mad_mixhi_f16`";
    MadU32Inst "mad-u32-inst" "`v_mad_u32`";
    MaiInsts "mai-insts" "matrix operations on accumulation registers (MFMA)";
    Min3Max3Pkf16 "min3-max3-pkf16" "`v_pk_min3_num_f16`, `v_pk_max3_num_f16`";
    Minimum3Maximum3F16 "minimum3-maximum3-f16" "`v_minimum3_f16`, `v_maximum3_f16`";
    Minimum3Maximum3F32 "minimum3-maximum3-f32" "`v_minimum3_f32`, `v_maximum3_f32`";
    Minimum3Maximum3Pkf16 "minimum3-maximum3-pkf16" "`v_pk_minimum3_f16`, `v_pk_maximum3_f16`";
    PackedFp32Ops "packed-fp32-ops" "packed f32 operations";
    Permlane16Swap "permlane16-swap" "`v_permlane16_swap_b32`";
    Permlane32Swap "permlane32-swap" "`v_permlane32_swap_b32`";
    PkAddMinMaxInsts "pk-add-min-max-insts" "`v_pk_add_{min,max}_{i16,u16}`";
    PkFmacF16Inst "pk-fmac-f16-inst" "`v_pk_fmac_f16`";
    PrngInst "prng-inst" "`v_prng_b32`";
    QsadInsts "qsad-insts" "`v_qsad_pk_u16_u8`";
    SadInsts "sad-insts" "`v_sad_*`";
    TanhInsts "tanh-insts" "`v_tanh_f32`, `v_tanh_f16`";
    TensorCvtLutInsts "tensor-cvt-lut-insts" "`v_perm_pk16_*`";
    Xf32Insts "xf32-insts" "matrix operations on xf32";

    // Memory.
    AtomicBufferGlobalPkAddF16NoRtnInsts "atomic-buffer-global-pk-add-f16-no-rtn-insts" "buffer and global `atomic_pk_add_f16` that returns nothing";
    AtomicBufferGlobalPkAddF16Insts "atomic-buffer-global-pk-add-f16-insts" "buffer and global `atomic_pk_add_f16`";
    AtomicBufferPkAddBf16Inst "atomic-buffer-pk-add-bf16-inst" "`buffer_atomic_pk_add_bf16`";
    AtomicDsPkAdd16Insts "atomic-ds-pk-add-16-insts" "`ds_pk_add_f16`, `ds_pk_add_bf16` and their returning forms";
    AtomicFaddNoRtnInsts "atomic-fadd-no-rtn-insts" "buffer and global `atomic_add_f32` that returns nothing";
    AtomicFaddRtnInsts "atomic-fadd-rtn-insts" "buffer and global `atomic_add_f32` that returns the old value";
    AtomicFlatPkAdd16Insts "atomic-flat-pk-add-16-insts" "`flat_atomic_pk_add_f16`, `flat_atomic_pk_add_bf16`";
    AtomicFminFmaxFlatF32 "atomic-fmin-fmax-flat-f32" "flat minimum and maximum of f32";
    AtomicFminFmaxFlatF64 "atomic-fmin-fmax-flat-f64" "flat minimum and maximum of f64";
    AtomicFminFmaxGlobalF32 "atomic-fmin-fmax-global-f32" "buffer and global minimum and maximum of f32";
    AtomicFminFmaxGlobalF64 "atomic-fmin-fmax-global-f64" "buffer and global minimum and maximum of f64";
    AtomicGlobalPkAddBf16Inst "atomic-global-pk-add-bf16-inst" "`global_atomic_pk_add_bf16`";
    DefaultComponentBroadcast "default-component-broadcast" "stores repeat the first component where the format has more";
    DefaultComponentZero "default-component-zero" "stores write zero where the format has more components";
    DsSrc2Insts "ds-src2-insts" "`ds_*_src2_*`";
    FlatAtomicFaddF32Inst "flat-atomic-fadd-f32-inst" "`flat_atomic_add_f32`";
    FlatBufferGlobalFaddF64Inst "flat-buffer-global-fadd-f64-inst" "flat, buffer and global addition of f64";
    FlatGlobalInsts "flat-global-insts" "`global_*`";
    FlatGvsMode "flat-gvs-mode" "`flat_*` with an SGPR base and a VGPR offset";
    FlatInstOffsets "flat-inst-offsets" "immediate offsets of `flat_*`";
    FlatScratchInsts "flat-scratch-insts" "`scratch_*`";
    Gds "gds" "global data share";
    GloballyAddressableScratch "globally-addressable-scratch" "flat accesses reach the scratch of other lanes and waves";
    Gws "gws" "global wave sync: `ds_gws_*`";
    LdsBarrierArriveAtomic "lds-barrier-arrive-atomic" "barriers in LDS: `ds_*_barrier_arrive_*`";
    McastLoadInsts "mcast-load-insts" "loads that reach several workgroups of a cluster";
    MemoryAtomicFaddF32DenormalSupport "memory-atomic-fadd-f32-denormal-support" "additions of f32 in memory keep denormals";
    NumRecords45Bit "45-bit-num-records-buffer-resource" "buffer resources with 45 bits of NUM_RECORDS";
    RestrictedSoffset "restricted-soffset" "the scalar offset of a buffer instruction is no constant";
    TransposeLoadF4f6Insts "transpose-load-f4f6-insts" "transposing loads of 4 and 6 bits";
    UnalignedBufferAccess "unaligned-buffer-access" "unaligned accesses to global memory can be allowed";
    UnalignedDsAccess "unaligned-ds-access" "unaligned accesses to LDS can be allowed";
    UnalignedScratchAccess "unaligned-scratch-access" "unaligned accesses to scratch can be allowed";
    UnpackedD16Vmem "unpacked-d16-vmem" "D16 data takes a whole register each";
    VmemPrefInsts "vmem-pref-insts" "`flat_prefetch_b8`, `global_prefetch_b8`";
    VmemToLdsLoadInsts "vmem-to-lds-load-insts" "buffer and global loads into LDS (`lds`, `global_load_lds_*`)";

    // Images.
    A16 "a16" "16-bit coordinates";
    BvhDualBvh8Insts "bvh-dual-bvh-8-insts" "`image_bvh_dual_intersect_ray`, `image_bvh8_intersect_ray`";
    ExtendedImageInsts "extended-image-insts" "gathers, and sampling other than of the top level";
    G16 "g16" "16-bit gradients";
    ImageInsts "image-insts" "`image_*`";
    MimgR128 "mimg-r128" "image resources of 128 bits (`r128`)";
    NsaEncoding "nsa-encoding" "addresses in registers that do not follow each other";
    PartialNsaEncoding "partial-nsa-encoding" "likewise, but the last ones do";
    PointSampleAccel "point-sample-accel" "point sampling as a VMEM load";
    R128A16 "r128-a16" "16-bit coordinates in the place of `r128`";

    // Order, hazards, defects.
    BackOffBarrier "back-off-barrier" "`s_barrier` may be left for an exception, so no wait is needed before it";
    CvtFp8Vop1Bug "cvt-fp8-vop1-bug" "short forms of conversions from fp8 are unreliable";
    D16WriteVgpr32 "d16-write-vgpr32" "a D16 load may depend on the other half of its register";
    FlatSegmentOffsetBug "flat-segment-offset-bug" "the offset of `flat_*` is ignored in global memory";
    ImageGather4D16Bug "image-gather4-d16-bug" "`image_gather4` with `d16` returns wrong registers";
    ImageStoreD16Bug "image-store-d16-bug" "`image_store` with `d16` reads wrong registers";
    InstFwdPrefetchBug "inst-fwd-prefetch-bug" "`s_inst_prefetch` hangs";
    LdsBranchVmemWarHazard "lds-branch-vmem-war-hazard" "LDS and VMEM either side of a branch may overtake";
    LdsMisalignedBug "lds-misaligned-bug" "misaligned wide LDS accesses are wrong in WGP mode";
    MadIntraFwdBug "mad-intra-fwd-bug" "`v_mad_{u64_u32,i64_i32}` forwards a wrong value to itself";
    MfmaInlineLiteralBug "mfma-inline-literal-bug" "MFMA cannot have an inline constant as third source";
    MsaaLoadDstSelBug "msaa-load-dst-sel-bug" "`image_msaa_load` ignores component selection";
    NegativeScratchOffsetBug "negative-scratch-offset-bug" "negative scratch offsets fault with an SGPR address";
    NegativeUnalignedScratchOffsetBug "negative-unaligned-scratch-offset-bug" "negative unaligned scratch offsets are wrong";
    NoDataDepHazard "no-data-dep-hazard" "dependent instructions need no wait states";
    NsaClauseBug "nsa-clause-bug" "NSA forms must not be in a clause";
    NsaToVmemBug "nsa-to-vmem-bug" "NSA forms must not be followed by VMEM when half of EXEC is zero";
    Offset3fBug "offset-3f-bug" "a branch offset of 0x3f is wrong";
    PrivEnabledTrap2NopBug "priv-enabled-trap2-nop-bug" "`s_trap 2` does nothing in privileged mode";
    RequiredExportPriority "required-export-priority" "exports need a raised wave priority";
    SetregVgprMsbFixup "setreg-vgpr-msb-fixup" "`s_setreg` of MODE loses the VGPR banks";
    SmemToVectorWriteHazard "smem-to-vector-write-hazard" "a scalar load may see an SGPR that a later vector instruction writes";
    TrigReducedRange "trig-reduced-range" "`v_sin_*` and `v_cos_*` need arguments of a small range";
    UserSgprInit16Bug "user-sgpr-init16-bug" "at least 16 user and system SGPRs must be enabled";
    ValuTransUseHazard "valu-trans-use-hazard" "a transcendental result may be read too early";
    VcmpxExecWarHazard "vcmpx-exec-war-hazard" "`v_cmpx_*` may write EXEC before an earlier instruction reads it";
    VcmpxPermlaneHazard "vcmpx-permlane-hazard" "`v_permlane*` after `v_cmpx_*` needs an instruction between";
    VmemToScalarWriteHazard "vmem-to-scalar-write-hazard" "a scalar write may overtake a VMEM instruction's read";
    VmemWriteVgprInOrder "vmem-write-vgpr-in-order" "VMEM instructions of one kind write their results in order";
    WaitsBeforeSystemScopeStores "waits-before-system-scope-stores" "stores of system scope need waits before them";
}

impl InstFeature {
    /// The feature of LLVM's name.
    pub fn by_name(name: &str) -> Option<InstFeature> {
        InstFeature::ALL.iter().copied().find(|feature| feature.name() == name)
    }
}

impl fmt::Display for InstFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of instruction features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InstFeatures([u64; 3]);

impl InstFeatures {
    /// The empty set.
    pub const EMPTY: InstFeatures = InstFeatures([0; 3]);

    /// The set of these features.
    pub const fn of(features: &[InstFeature]) -> InstFeatures {
        InstFeatures::EMPTY.with(features)
    }

    /// This set and these.
    pub const fn with(mut self, features: &[InstFeature]) -> InstFeatures {
        let mut i = 0;
        while i < features.len() {
            let bit = features[i] as usize;
            self.0[bit / 64] |= 1 << (bit % 64);
            i += 1;
        }
        self
    }

    /// This set without these.
    pub const fn without(mut self, features: &[InstFeature]) -> InstFeatures {
        let mut i = 0;
        while i < features.len() {
            let bit = features[i] as usize;
            self.0[bit / 64] &= !(1 << (bit % 64));
            i += 1;
        }
        self
    }

    /// Whether the feature is in the set.
    pub const fn contains(self, feature: InstFeature) -> bool {
        let bit = feature as usize;
        self.0[bit / 64] >> (bit % 64) & 1 != 0
    }

    /// Whether all of the other set's features are in this one.
    pub const fn contains_all(self, other: InstFeatures) -> bool {
        let mut i = 0;
        while i < 3 {
            if other.0[i] & !self.0[i] != 0 {
                return false;
            }
            i += 1;
        }
        true
    }

    /// The features of both sets.
    pub const fn intersection(self, other: InstFeatures) -> InstFeatures {
        InstFeatures([self.0[0] & other.0[0], self.0[1] & other.0[1], self.0[2] & other.0[2]])
    }

    /// The features, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = InstFeature> {
        InstFeature::ALL.iter().copied().filter(move |&feature| self.contains(feature))
    }
}
