//! LLVM's subtarget features that say of a processor what this crate says otherwise: as a fact, a limit, a property
//! or a generation.
//!
//! Feature lists of compilers name all that a processor has. They must not be refused for it, and must not pass
//! where they say something else than what is so.

use crate::facts::{Apertures, Barriers, WaitCounter, WorkgroupIds};
use crate::{FlatScratch, Generation, InstFeature, Processor, Property};

impl Processor {
    /// Whether the processor has LLVM's feature of this name by its nature; nothing for names that are no features,
    /// or switches, or preferences in code generation.
    pub fn llvm_feature(self, name: &str) -> Option<bool> {
        if let Some(feature) = InstFeature::by_name(name) {
            return Some(self.has_inst(feature));
        }
        let (facts, limits) = (self.facts(), self.limits(self.default_wave_size()));
        let generation = self.generation();
        Some(match name {
            "southern-islands" => generation == Generation::Gfx6,
            "sea-islands" => generation == Generation::Gfx7,
            "volcanic-islands" => generation == Generation::Gfx8,
            "gfx9" => generation == Generation::Gfx9,
            "gfx10" => generation == Generation::Gfx10,
            "gfx11" => generation == Generation::Gfx11,
            "gfx12" => matches!(generation, Generation::Gfx12 | Generation::Gfx1250),
            "gcn3-encoding" => matches!(generation, Generation::Gfx8 | Generation::Gfx9),
            "fp64" => true,
            "requires-cov6" => self.has(Property::GENERIC),
            "1024-addressable-vgprs" => limits.addressable_arch_vgprs == 1024,
            "addressablelocalmemorysize163840" => limits.lds_bytes == 163_840,
            "addressablelocalmemorysize32768" => limits.lds_bytes == 32_768,
            "addressablelocalmemorysize327680" => limits.lds_bytes == 327_680,
            "addressablelocalmemorysize65536" => limits.lds_bytes == 65_536,
            "allocate1_5xvgprs" => self.has(Property::VGPRS_1_5X),
            "architected-flat-scratch" => self.flat_scratch() == FlatScratch::Architected,
            "architected-sgprs" => facts.workgroup_ids == WorkgroupIds::Ttmps,
            "clusters" => facts.barriers == Barriers::NamedAndCluster,
            "kernarg-preload" => self.has(Property::KERNARG_PRELOAD),
            "packed-tid" => self.has(Property::PACKED_WORK_ITEM_IDS),
            "sgpr-init-bug" => self.has(Property::SGPR_INIT_BUG),
            "sramecc-support" => self.has(Property::SRAMECC),
            "xnack-support" => self.has(Property::XNACK),
            "flat-address-space" => self.has(Property::GENERIC_ADDRESS_SPACE),
            "aperture-regs" => facts.apertures == Apertures::Registers,
            "vgpr-align2" => facts.vgpr_tuple_alignment == 2,
            "64-bit-literals" => facts.literals_64,
            "vop3-literal" => facts.vop3_literals,
            "vscnt" => facts.counters.iter().any(|(c, _)| matches!(c, WaitCounter::Vs | WaitCounter::Store)),
            "max-hard-clause-length-63" => facts.max_clause == 63,
            // LLVM gives gfx1250 both lengths; the longer one counts.
            "max-hard-clause-length-32" => facts.max_clause == 32 || facts.vgpr_banks > 1,
            _ => return None,
        })
    }
}
