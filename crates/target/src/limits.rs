//! How many registers, bytes and waves there are, and in what granules they are encoded and allocated.
//!
//! Follows "compute_pgm_rsrc1 for GFX6-GFX12" of LLVM's *User Guide for AMDGPU Backend* for the granules of
//! the kernel descriptor and LLVM 22's `IsaInfo` for the rest. Hardware facts that a kernel cannot see
//! (number of compute units, cache sizes) are not here.

use crate::{Generation, InstFeature, Processor, Property, WaveSize};

/// Limits of a processor when it runs waves of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// SGPRs that instructions can name, VCC and other special registers not counted.
    pub addressable_sgprs: u32,
    /// SGPRs per granule of `GRANULATED_WAVEFRONT_SGPR_COUNT`; 0 from gfx10 on, where the field is reserved.
    pub sgpr_encoding_granule: u32,
    /// SGPRs allocated to a wave together; from gfx10 on the fixed allocation, 128.
    pub sgpr_alloc_granule: u32,
    /// SGPRs that the hardware always allocates (gfx802, gfx805), else none.
    pub fixed_sgprs: Option<u32>,
    /// VGPRs a wave can have; on gfx90a and later of its line VGPRs and AGPRs together.
    pub addressable_vgprs: u32,
    /// Architected VGPRs that instructions can name: 256, or 1024 with `s_set_vgpr_msb`.
    pub addressable_arch_vgprs: u32,
    /// AGPRs that instructions can name, or 0.
    pub addressable_agprs: u32,
    /// VGPRs of one SIMD for one lane position, shared by its waves.
    pub total_vgprs: u32,
    /// VGPRs per granule of `GRANULATED_WORKITEM_VGPR_COUNT`.
    pub vgpr_encoding_granule: u32,
    /// VGPRs allocated together.
    pub vgpr_alloc_granule: u32,
    /// LDS bytes a workgroup can have.
    pub lds_bytes: u32,
    /// LDS bytes per granule of `GRANULATED_LDS_SIZE`.
    pub lds_granule: u32,
    /// Work-items of a workgroup.
    pub max_workgroup_size: u32,
    /// Waves of a SIMD.
    pub max_waves_per_simd: u32,
    /// SIMDs that a workgroup's waves can be on: 4 (2 in CU mode of gfx10 to gfx12, which this ignores).
    pub simds: u32,
    /// User SGPRs that a dispatch can fill.
    pub max_user_sgprs: u32,
    /// Named barriers of a workgroup.
    pub named_barriers: u32,
    /// Workgroups of a cluster; 1 where there are no clusters.
    pub max_cluster_size: u32,
    /// Bits of `INST_PREF_SIZE` in `COMPUTE_PGM_RSRC3`, or 0.
    pub inst_pref_size_bits: u32,
}

impl Processor {
    /// The limits for waves of the given size. The size is not checked against [`Processor::allows`].
    pub fn limits(self, wave: WaveSize) -> Limits {
        let facts = self.facts();
        let wave32 = wave == WaveSize::Wave32;
        let unified = self.has(Property::UNIFIED_VGPRS);
        let larger = self.has(Property::VGPRS_1_5X);
        let banked = facts.vgpr_banks > 1;
        let gfx10_3 = self.has_inst(InstFeature::Gfx10_3Insts);
        let fixed_sgprs = self.has(Property::SGPR_INIT_BUG).then_some(96);
        let rdna = self.generation() >= Generation::Gfx10;
        let addressable_arch_vgprs = 256 * u32::from(facts.vgpr_banks);

        Limits {
            addressable_sgprs: fixed_sgprs.unwrap_or(facts.sgprs.into()),
            sgpr_encoding_granule: facts.sgpr_encoding_granule,
            sgpr_alloc_granule: facts.sgpr_alloc_granule,
            fixed_sgprs,
            addressable_vgprs: if unified { 512 } else { addressable_arch_vgprs },
            addressable_arch_vgprs,
            addressable_agprs: if self.has(Property::AGPRS) { 256 } else { 0 },
            total_vgprs: match (rdna, larger) {
                (false, _) => {
                    if unified {
                        512
                    } else {
                        256
                    }
                }
                (true, false) => [512, 1024][wave32 as usize],
                (true, true) => [768, 1536][wave32 as usize],
            },
            vgpr_encoding_granule: match (unified, banked) {
                (true, _) => 8,
                (_, true) => [8, 16][wave32 as usize],
                (_, false) => [4, 8][wave32 as usize],
            },
            vgpr_alloc_granule: match (unified, larger, gfx10_3) {
                (true, _, _) => 8,
                (_, true, _) => [12, 24][wave32 as usize],
                (_, _, true) => [8, 16][wave32 as usize],
                _ => [4, 8][wave32 as usize],
            },
            lds_bytes: facts.lds_bytes,
            lds_granule: facts.lds_granule,
            max_workgroup_size: 1024,
            max_waves_per_simd: match (rdna, gfx10_3) {
                _ if unified => 8,
                (false, _) => 10,
                (true, true) => 16,
                (true, false) => 20,
            },
            simds: 4,
            max_user_sgprs: facts.user_sgprs,
            named_barriers: if self.has(Property::NAMED_BARRIERS) { 16 } else { 0 },
            max_cluster_size: if self.has(Property::CLUSTERS) { 16 } else { 1 },
            inst_pref_size_bits: facts.inst_pref_size_bits,
        }
    }

    /// SGPRs that VCC, FLAT_SCRATCH and XNACK_MASK take beyond those that instructions name, as LLVM counts them
    /// (`getNumExtraSGPRs`). Architected flat scratch takes its share whether it is used or not.
    pub fn extra_sgprs(self, vcc: bool, flat_scratch: bool, xnack: bool) -> u32 {
        let special = self.facts().special_sgprs;
        let flat_scratch = flat_scratch || self.has(Property::ARCHITECTED_FLAT_SCRATCH);
        let wanted = [(vcc, special.vcc), (xnack, special.xnack_mask), (flat_scratch, special.flat_scratch)];
        wanted.into_iter().filter(|(used, _)| *used).map(|(_, sgprs)| sgprs).max().unwrap_or(0)
    }
}

impl Limits {
    /// Waves that a workgroup of this many work-items needs.
    pub fn waves(workgroup_size: u32, wave: WaveSize) -> u32 {
        workgroup_size.div_ceil(wave.lanes())
    }

    /// The value of `GRANULATED_WORKITEM_VGPR_COUNT` for this many VGPRs.
    pub fn granulated_vgprs(&self, vgprs: u32) -> u32 {
        vgprs.max(1).div_ceil(self.vgpr_encoding_granule) - 1
    }

    /// The value of `GRANULATED_WAVEFRONT_SGPR_COUNT` for this many SGPRs, special registers included: as LLVM 22
    /// writes it, that is in blocks of 8 also on gfx9 (where the guide's formula gives even values only, and the
    /// hardware rounds up); the fixed number on gfx802 and gfx805; 0 from gfx10 on.
    pub fn granulated_sgprs(&self, sgprs: u32) -> u32 {
        match (self.sgpr_encoding_granule, self.fixed_sgprs) {
            (0, _) => 0,
            (granule, Some(fixed)) => fixed / granule - 1,
            (granule, None) => sgprs.max(1).div_ceil(granule) - 1,
        }
    }
}
