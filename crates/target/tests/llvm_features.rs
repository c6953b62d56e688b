//! Instruction features, facts, properties and limits against LLVM 22's own subtarget features.

use std::collections::BTreeMap;

use wavemark_target::facts::{Apertures, Barriers, BufferResource, MatrixOps, WaitCounter, WorkgroupIds};
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

/// Switches, and whether LLVM 22 has them on.
fn switch(name: &str, machine: Machine) -> Option<bool> {
    Some(match name {
        "real-true16" => machine.real_true16(),
        "wavefrontsize64" => !machine.has(Property::WAVE32),
        "wavefrontsize32" => !machine.has(Property::WAVE64),
        "xnack" => machine.has(Property::XNACK_ALWAYS),
        // The gfx1250 family runs in CU mode only.
        "cumode" => machine.has(Property::WAVE32) && !machine.has(Property::CUMODE),
        "sramecc" | "tgsplit" | "assembler-permissive-wavesize" | "wavefrontsize16" => false,
        _ => return None,
    })
}

#[test]
fn every_feature_is_llvms() {
    let llvm = llvm();
    for (name, processors) in &llvm {
        for processor in known() {
            let ours = processor.llvm_feature(name).or_else(|| switch(name, Machine::new(processor)));
            // What is neither is a preference in code generation.
            let theirs = processors.contains(&processor.name());
            assert_eq!(ours.unwrap_or(theirs), theirs, "{name} on {processor}");
        }
    }
    for feature in InstFeature::ALL {
        assert!(llvm.contains_key(feature.name()), "LLVM has no {feature}");
    }
}

/// Compilers write every feature of a processor into a list; what a processor has is read, its opposite is refused.
#[test]
fn every_feature_of_llvm_can_be_named() {
    for (name, processors) in &llvm() {
        for processor in known() {
            let parse = |sign: &str| FeatureSet::parse(&format!("{sign}{name}"), &processor.into());
            let has = processors.contains(&processor.name());
            let (so, not_so) = if has { ("+", "-") } else { ("-", "+") };
            if *name != "wavefrontsize16" && *name != "wavefrontsize32" && *name != "wavefrontsize64" {
                assert!(parse(so).is_ok(), "{so}{name} on {processor}");
            }
            if processor.llvm_feature(name).is_some() {
                let refused = matches!(parse(not_so), Err(FeatureError::Nature { .. }));
                assert!(refused, "{not_so}{name} on {processor}");
            }
        }
    }
}

/// The places that say the same thing agree.
#[test]
fn facts_agree_with_properties() {
    for &p in Processor::ALL {
        let facts = p.facts();
        assert_eq!(facts.workgroup_ids == WorkgroupIds::Ttmps, p.has(Property::ARCHITECTED_WORK_GROUP_IDS));
        assert_eq!(facts.apertures != Apertures::None, p.has(Property::GENERIC_ADDRESS_SPACE));
        assert_eq!(facts.barriers == Barriers::NamedAndCluster, p.has(Property::CLUSTERS));
        assert_eq!(facts.barriers == Barriers::NamedAndCluster, p.has(Property::NAMED_BARRIERS));
        assert_eq!(facts.vgpr_banks == 4, p.limits(p.default_wave_size()).addressable_arch_vgprs == 1024);
        assert_eq!(facts.vopd3, p.has_inst(InstFeature::Gfx1250Insts));
        assert_eq!(facts.dpp_controls.is_none(), !p.has_inst(InstFeature::Dpp));
        assert!(!p.has_inst(InstFeature::MaiInsts) || facts.matrix == MatrixOps::Mfma);
        assert_eq!(p.has(Property::AGPRS), p.has_inst(InstFeature::MaiInsts));
        assert_eq!(facts.vop3_literals, facts.constant_bus_limit == 2);
        assert_eq!(p.flat_scratch() == FlatScratch::None, facts.apertures == Apertures::None);
        assert_eq!(facts.flat_scratch_base, p.has_inst(InstFeature::GloballyAddressableScratch));
        assert_eq!(facts.signed_vgpr_offset, p.has_inst(InstFeature::Gfx1250Insts));
        let wide_records = facts.buffer_resource == BufferResource::Gfx1250;
        assert_eq!(wide_records, p.has_inst(InstFeature::NumRecords45Bit));
        let writes_back = p.has_inst(InstFeature::Gfx940Insts) || p.has_inst(InstFeature::Gfx1250Insts);
        assert_eq!(facts.several_l2, writes_back);
        let state_priv = facts.hwregs.iter().any(|register| register.name == "HW_REG_STATE_PRIV");
        assert_eq!(facts.scc_in_status, !state_priv);
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
