//! Instruction features, facts, properties and limits against LLVM 22's own subtarget features.

use std::collections::BTreeMap;

use wavemark_target::facts::{Apertures, Barriers, CachePolicy, WaitCounter, WorkgroupIds};
use wavemark_target::*;

/// Feature names and the processors that have them.
fn llvm() -> BTreeMap<&'static str, Vec<&'static str>> {
    let lines = include_str!("data/llvm22_features.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, processors) = line.split_once(':').unwrap();
            (name, processors.split_whitespace().collect())
        })
        .collect()
}

/// Processors of the table that LLVM 22 knows.
fn known() -> impl Iterator<Item = Processor> {
    let gone = [Processor::Gfx940, Processor::Gfx941];
    let newer = Processor::Gfx12_5Generic;
    Processor::ALL.iter().copied().filter(move |p| !gone.contains(p) && *p != newer)
}

/// Features of LLVM that are said here otherwise than as an [`InstFeature`], with how.
fn otherwise(name: &str, machine: Machine) -> Option<bool> {
    let (processor, facts, limits) = (machine.processor, machine.facts(), machine.limits());
    let generation = processor.generation();
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
        "requires-cov6" => processor.has(Property::GENERIC),
        "1024-addressable-vgprs" => limits.addressable_arch_vgprs == 1024 && facts.vgpr_banks == 4,
        "addressablelocalmemorysize163840" => limits.lds_bytes == 163_840,
        "addressablelocalmemorysize32768" => limits.lds_bytes == 32_768,
        "addressablelocalmemorysize327680" => limits.lds_bytes == 327_680,
        "addressablelocalmemorysize65536" => limits.lds_bytes == 65_536,
        "allocate1_5xvgprs" => processor.has(Property::VGPRS_1_5X),
        "architected-flat-scratch" => processor.flat_scratch() == FlatScratch::Architected,
        "architected-sgprs" => {
            assert_eq!(
                facts.workgroup_ids == WorkgroupIds::Ttmps,
                processor.has(Property::ARCHITECTED_WORK_GROUP_IDS)
            );
            facts.workgroup_ids == WorkgroupIds::Ttmps
        }
        "clusters" => processor.has(Property::CLUSTERS) && facts.barriers == Barriers::NamedAndCluster,
        "kernarg-preload" => processor.has(Property::KERNARG_PRELOAD),
        "packed-tid" => processor.has(Property::PACKED_WORK_ITEM_IDS),
        "sgpr-init-bug" => processor.has(Property::SGPR_INIT_BUG),
        "sramecc-support" => processor.has(Property::SRAMECC),
        "xnack-support" => processor.has(Property::XNACK),
        "flat-address-space" => {
            assert_eq!(facts.apertures != Apertures::None, processor.has(Property::GENERIC_ADDRESS_SPACE));
            processor.has(Property::GENERIC_ADDRESS_SPACE)
        }
        "aperture-regs" => facts.apertures == Apertures::Registers,
        "vgpr-align2" => facts.vgpr_tuple_alignment == 2,
        "64-bit-literals" => facts.literals_64,
        "vop3-literal" => facts.vop3_literals && facts.constant_bus_limit == 2,
        "vscnt" => facts.counters.iter().any(|(c, _)| matches!(c, WaitCounter::Vs | WaitCounter::Store)),
        "max-hard-clause-length-63" => facts.max_clause == 63,
        // LLVM gives gfx1250 both lengths; the longer one counts.
        "max-hard-clause-length-32" => facts.max_clause == 32 || facts.cache_policy == CachePolicy::ThScopeNv,
        "real-true16" => machine.real_true16(),
        "wavefrontsize64" => !processor.has(Property::WAVE32),
        "wavefrontsize32" => !processor.has(Property::WAVE64),
        "xnack" => processor.has(Property::XNACK_ALWAYS),
        // The gfx1250 family runs in CU mode only.
        "cumode" => processor.has(Property::WAVE32) && !processor.has(Property::CUMODE),
        _ => return None,
    })
}

/// LLVM's preferences and switches: nothing that a machine has or has not.
const PREFERENCES: &[&str] = &[
    "DumpCode",
    "agent-scope-fine-grained-remote-memory-atomics",
    "assembler-permissive-wavesize",
    "atomic-csub-no-rtn-insts",
    "auto-waitcnt-before-barrier",
    "block-vgpr-csr",
    "dumpcode",
    "emulated-system-scope-atomics",
    "enable-ds128",
    "enable-flat-scratch",
    "enable-prt-strict-null",
    "fast-denormal-f32",
    "fast-fmaf",
    "flat-for-global",
    "fmaf",
    "full-rate-64-ops",
    "half-rate-64-ops",
    "ldsbankcount16",
    "ldsbankcount32",
    "load-store-opt",
    "max-private-element-size-16",
    "max-private-element-size-4",
    "max-private-element-size-8",
    "precise-memory",
    "promote-alloca",
    "relaxed-buffer-oob-mode",
    "safe-cu-prefetch",
    "safe-smem-prefetch",
    "si-scheduler",
    "sramecc",
    "tgsplit",
    "trap-handler",
    "unaligned-access-mode",
    "unsafe-ds-offset-folding",
    "wavefrontsize16",
];

#[test]
fn every_feature_is_llvms() {
    let llvm = llvm();
    for (name, processors) in &llvm {
        for processor in known() {
            let machine = Machine::new(processor);
            let ours = match InstFeature::by_name(name) {
                Some(feature) => processor.has_inst(feature),
                None => match otherwise(name, machine) {
                    Some(ours) => ours,
                    None => {
                        assert!(PREFERENCES.contains(name), "nothing says what {name} is");
                        continue;
                    }
                },
            };
            assert_eq!(ours, processors.contains(&processor.name()), "{name} on {processor}");
        }
    }
    for feature in InstFeature::ALL {
        assert!(llvm.contains_key(feature.name()), "LLVM has no {feature}");
    }
}

/// A generic processor runs on what it stands for: it has no instruction that one of them lacks.
#[test]
fn generic_processors_are_within_what_they_stand_for() {
    for &generic in Processor::ALL {
        for &processor in generic.stands_for() {
            for feature in generic.inst_features().iter().filter(|f| *f <= InstFeature::R128A16) {
                assert!(processor.has_inst(feature), "{generic} has {feature}, {processor} has not");
            }
        }
    }
}

#[test]
fn waitcnt_fields_hold_their_counters() {
    for &processor in Processor::ALL {
        let facts = processor.facts();
        let mut used = 0u32;
        for field in facts.waitcnt {
            let bits = ((1u32 << field.bits) - 1) << field.at;
            assert_eq!(used & bits, 0, "{processor}: {field} overlaps");
            used |= bits;
        }
        assert!(used < 1 << 16);
        // gfx12 reads the older immediate but has other counters.
        if facts.workgroup_ids == WorkgroupIds::Sgprs {
            for (counter, bits) in facts.counters.iter().filter(|(c, _)| *c != WaitCounter::Vs) {
                let parts = facts.waitcnt.iter().filter(|field| field.counter == *counter);
                assert_eq!(parts.map(|field| field.bits).sum::<u8>(), *bits, "{processor} {counter:?}");
            }
        }
    }
}

#[test]
fn offsets_have_their_ranges() {
    let offset = Processor::Gfx1201.facts().global_offset.unwrap();
    assert_eq!((offset.min(), offset.max()), (-8_388_608, 8_388_607));
    let offset = Processor::Gfx1030.facts().flat_offset.unwrap();
    assert_eq!((offset.min(), offset.max()), (0, 2047));
    assert!(!offset.allows(2048) && !offset.allows(-1) && offset.allows(2047));
    assert_eq!(Processor::Gfx803.facts().flat_offset, None);
}

#[test]
fn facts_explain_themselves() {
    let explained = Processor::Gfx942.facts().explain();
    let value = |name: &str| explained.iter().find(|fact| fact.name == name).unwrap().value.clone();
    assert_eq!(value("cache_policy"), "sc0 sc1 nt");
    assert_eq!(value("counters"), "vmcnt:6 expcnt:3 lgkmcnt:4");
    assert_eq!(value("waitcnt"), "vmcnt[3:0]@[3:0] expcnt[2:0]@[6:4] lgkmcnt[3:0]@[11:8] vmcnt[5:4]@[15:14]");
    assert_eq!(value("smem_offset"), "21 bits, signed, in bytes");
    assert!(explained.iter().all(|fact| !fact.source.is_empty() && !fact.value.is_empty()));
}

/// Processors of one instruction set have the same instructions, as far as LLVM's features say it.
#[test]
fn instruction_sets_agree_with_features() {
    // How gfx1153 samples points is no instruction.
    let insts = |p: Processor| {
        let features = p.inst_features().iter().filter(|f| *f <= InstFeature::R128A16);
        features.filter(|f| *f != InstFeature::PointSampleAccel).collect::<Vec<_>>()
    };
    let single = || Processor::ALL.iter().copied().filter(|p| !p.has(Property::GENERIC));
    for a in single() {
        for b in single() {
            if a.instruction_sets() == b.instruction_sets() {
                assert_eq!(insts(a), insts(b), "{a} and {b}");
                assert_eq!(a.facts(), b.facts(), "{a} and {b}");
            } else {
                assert_ne!(insts(a), insts(b), "{a} and {b}");
            }
        }
    }
}
