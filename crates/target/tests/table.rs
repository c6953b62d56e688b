//! The processor table against facts written down by hand from LLVM's documents and LLVM 22's output.

use wavemark_target::*;

/// `e_flags` words that LLVM 22 writes into a code object (V6 for generic ones) for each processor, features
/// left at "any".
const LLVM_E_FLAGS: &str = "
gfx600 20 gfx601 21 gfx602 3a gfx700 22 gfx701 23 gfx702 24 gfx703 25 gfx704 26 gfx705 3b gfx801 128 gfx802 29
gfx803 2a gfx805 3c gfx810 12b gfx900 12c gfx902 12d gfx904 12e gfx906 52f gfx908 530 gfx909 131 gfx90a 53f
gfx90c 132 gfx942 54c gfx950 54f gfx1010 133 gfx1011 134 gfx1012 135 gfx1013 142 gfx1030 36 gfx1031 37
gfx1032 38 gfx1033 39 gfx1034 3e gfx1035 3d gfx1036 45 gfx1100 41 gfx1101 46 gfx1102 47 gfx1103 44 gfx1150 43
gfx1151 4a gfx1152 55 gfx1153 58 gfx1200 48 gfx1201 4e gfx1250 549 gfx1251 55a
gfx9-generic 1000151 gfx9-4-generic 100055f gfx10-1-generic 1000152 gfx10-3-generic 1000053
gfx11-generic 1000054 gfx12-generic 1000059
";

#[test]
fn e_flags_are_llvms() {
    let words: Vec<&str> = LLVM_E_FLAGS.split_whitespace().collect();
    for pair in words.chunks(2) {
        let processor: Processor = pair[0].parse().unwrap();
        let word = u32::from_str_radix(pair[1], 16).unwrap();
        let abi = if processor.has(Property::GENERIC) { AbiVersion::V6 } else { AbiVersion::V5 };
        let flags = EFlags::new(processor);
        assert_eq!(flags.encode(abi).unwrap(), word, "{processor}");
        assert_eq!(EFlags::decode(word, abi).unwrap(), flags, "{processor}");
    }
    // gfx940 and gfx941 are gone from LLVM, gfx12-5-generic is newer than LLVM 22.
    assert_eq!(words.len() / 2, Processor::ALL.len() - 3);
}

#[test]
fn names_and_machine_numbers_are_unique() {
    for (i, a) in Processor::ALL.iter().enumerate() {
        assert_eq!(Processor::by_name(a.name()), Some(*a));
        assert_eq!(Processor::by_mach(a.mach()), Some(*a));
        for alias in a.aliases() {
            assert_eq!(Processor::by_name(alias), Some(*a));
        }
        assert!(Processor::ALL[..i].iter().all(|b| b.mach() != a.mach() && b.name() != a.name()));
        assert!(a.allows(a.default_wave_size()), "{a}");
    }
    assert_eq!(
        "gfx1252".parse::<Processor>().unwrap_err().to_string(),
        "`gfx1252` is not a known AMD GPU processor"
    );
}

#[test]
fn target_ids_parse_and_print_canonically() {
    for (text, printed) in [
        ("gfx942:sramecc+:xnack-", "gfx942:sramecc+:xnack-"),
        ("gfx942:xnack-:sramecc+", "gfx942:sramecc+:xnack-"),
        ("fiji", "gfx803"),
        ("gfx9-4-generic:xnack+", "gfx9-4-generic:xnack+"),
        ("gfx1250", "gfx1250"),
    ] {
        let id: TargetId = text.parse().unwrap();
        assert_eq!(id.to_string(), printed);
        assert_eq!(printed.parse::<TargetId>().unwrap(), id);
    }
    for (text, error) in [
        ("gfx1100:xnack+", "gfx1100 does not support `xnack+` in a target ID"),
        ("gfx900:sramecc-", "gfx900 does not support `sramecc-` in a target ID"),
        ("gfx942:xnack+:xnack-", "target ID feature `xnack` is given twice"),
        (
            "gfx942:xnack",
            "`xnack` is not a target ID feature (expected `sramecc+`, `sramecc-`, `xnack+` or `xnack-`)",
        ),
        ("gfx1250:xnack-", "gfx1250 does not support `xnack-` in a target ID"),
        ("gfx", "`gfx` is not a known AMD GPU processor"),
        ("", "`` is not a known AMD GPU processor"),
    ] {
        assert_eq!(text.parse::<TargetId>().unwrap_err().to_string(), error);
    }
}

#[test]
fn targets_in_both_spellings_mean_the_same() {
    let old: Target = "amdgcn-amd-amdhsa--gfx1250".parse().unwrap();
    let new: Target = "amdgpu12.50-amd-amdhsa-unknown-gfx1250".parse().unwrap();
    assert!(old.same(&new));
    assert_ne!(old, new);
    assert_eq!(old.to_string(), "amdgcn-amd-amdhsa--gfx1250");
    assert_eq!(new.to_string(), "amdgpu12.50-amd-amdhsa-unknown-gfx1250");
    assert_eq!("gfx1250".parse::<Target>().unwrap(), old);
    let generic: Target = "amdgcn-amd-amdhsa--gfx9-4-generic:sramecc-".parse().unwrap();
    assert_eq!(generic.id.processor, Processor::Gfx9_4Generic);
    assert_eq!(generic.to_string(), "amdgcn-amd-amdhsa--gfx9-4-generic:sramecc-");
    for bad in ["x86_64-pc-linux-gnu-gfx942", "amdgcn-amd-amdhsa", "amdgpu-amd-amdhsa--gfx942", ""] {
        assert!(matches!(bad.parse::<Target>(), Err(TargetError::Triple(_))), "{bad}");
    }
    assert!(matches!("amdgcn-amd-amdhsa--gfx1".parse::<Target>(), Err(TargetError::Processor(_))));
}

#[test]
fn e_flags_refuse_nonsense() {
    assert_eq!(EFlags::decode(0x27, AbiVersion::V4), Err(EFlagsError::Mach(0x27)));
    assert_eq!(EFlags::decode(0x4c, AbiVersion::V2), Err(EFlagsError::V2));
    assert!(matches!(EFlags::decode(0x1_0000 | 0x41, AbiVersion::V5), Err(EFlagsError::Reserved(..))));
    assert!(matches!(EFlags::decode(0x141, AbiVersion::V5), Err(EFlagsError::Unsupported(..))));
    assert!(matches!(EFlags::decode(0x54, AbiVersion::V5), Err(EFlagsError::GenericVersion { .. })));
    assert!(matches!(EFlags::decode(0x54, AbiVersion::V6), Err(EFlagsError::GenericVersion { .. })));
    assert!(matches!(EFlags::decode(0x0100_0041, AbiVersion::V6), Err(EFlagsError::GenericVersion { .. })));
    let on: TargetId = "gfx942:sramecc+:xnack-".parse().unwrap();
    assert_eq!(EFlags::new(on).encode(AbiVersion::V5).unwrap(), 0xe4c);
}

#[test]
fn every_target_id_survives_e_flags() {
    for &processor in Processor::ALL {
        for sramecc in ["", ":sramecc+", ":sramecc-"] {
            for xnack in ["", ":xnack+", ":xnack-"] {
                let Ok(id) = format!("{processor}{sramecc}{xnack}").parse::<TargetId>() else { continue };
                let word = EFlags::new(id).encode(AbiVersion::V6).unwrap();
                assert_eq!(EFlags::decode(word, AbiVersion::V6).unwrap(), EFlags::new(id));
            }
        }
    }
}

#[test]
fn features_default_as_in_llvm_22() {
    let parse = |p: Processor, list: &str| FeatureSet::parse(list, &p.into());
    assert!(parse(Processor::Gfx1100, "").unwrap().real_true16());
    assert!(!parse(Processor::Gfx1201, "").unwrap().real_true16());
    assert!(!parse(Processor::Gfx1250, "").unwrap().real_true16());
    assert_eq!(parse(Processor::Gfx950, "").unwrap().wave_size, WaveSize::Wave64);
    let set = parse(Processor::Gfx1201, "+wavefrontsize64,+real-true16, +cumode").unwrap();
    assert_eq!(set.wave_size, WaveSize::Wave64);
    assert!(set.real_true16() && set.cumode());
    assert_eq!(
        parse(Processor::Gfx942, "+xnack,-sramecc").unwrap().target_id(Processor::Gfx942).to_string(),
        "gfx942:sramecc-:xnack+"
    );
    for (processor, list, error) in [
        (Processor::Gfx1250, "+wavefrontsize64", "gfx1250 does not support `+wavefrontsize64`"),
        (Processor::Gfx942, "-wavefrontsize64", "gfx942 does not support `-wavefrontsize64`"),
        (Processor::Gfx942, "+cumode", "gfx942 does not support `+cumode`"),
        (Processor::Gfx942, "xnack", "feature `xnack` has no `+` or `-` before it"),
        (Processor::Gfx942, "-dot7-insts", "gfx942 has `dot7-insts` by its nature, which cannot be switched"),
        (
            Processor::Gfx942,
            "+dot8-insts",
            "gfx942 has no `dot8-insts` by its nature, which cannot be switched",
        ),
        (Processor::Gfx942, "+dot70", "`+dot70` is not a feature that can be switched"),
        (Processor::Gfx942, "é", "feature `é` has no `+` or `-` before it"),
    ] {
        assert_eq!(parse(processor, list).unwrap_err().to_string(), error);
    }
}

#[test]
fn granules_are_those_of_llvm_22_descriptors() {
    // 100 VGPRs: GRANULATED_WORKITEM_VGPR_COUNT that LLVM 22 writes.
    for (processor, granulated) in [
        (Processor::Gfx600, 0x18),
        (Processor::Gfx801, 0x18),
        (Processor::Gfx900, 0x18),
        (Processor::Gfx90a, 0x0c),
        (Processor::Gfx950, 0x0c),
        (Processor::Gfx1010, 0x0c),
        (Processor::Gfx1102, 0x0c),
        (Processor::Gfx1201, 0x0c),
        (Processor::Gfx1250, 0x06),
    ] {
        let limits = processor.limits(processor.default_wave_size());
        assert_eq!(limits.granulated_vgprs(100), granulated, "{processor}");
    }
    let limits = |p: Processor| p.limits(p.default_wave_size());
    assert_eq!(limits(Processor::Gfx950).lds_bytes, 163_840);
    assert_eq!(limits(Processor::Gfx1250).lds_bytes, 327_680);
    assert_eq!(limits(Processor::Gfx942).lds_bytes, 65_536);
    assert_eq!(limits(Processor::Gfx1250).addressable_vgprs, 1024);
    assert_eq!(limits(Processor::Gfx942).addressable_vgprs, 512);
    assert_eq!(limits(Processor::Gfx1250).max_cluster_size, 16);
    assert_eq!(limits(Processor::Gfx900).granulated_sgprs(17), 2);
    assert_eq!(limits(Processor::Gfx900).granulated_sgprs(9), 1);
    assert_eq!(limits(Processor::Gfx802).granulated_sgprs(9), 11);
    assert_eq!(limits(Processor::Gfx1100).granulated_sgprs(50), 0);
}

#[test]
fn scopes_and_address_spaces_have_llvms_names() {
    for scope in SyncScope::ALL {
        assert_eq!(SyncScope::by_name(scope.name()), Some((scope, false)));
    }
    assert_eq!(SyncScope::by_name("agent-one-as"), Some((SyncScope::Agent, true)));
    assert_eq!(SyncScope::by_name("one-as"), Some((SyncScope::System, true)));
    assert_eq!(SyncScope::by_name("-one-as"), None);
    assert!(SyncScope::Cluster > SyncScope::Workgroup && SyncScope::Cluster < SyncScope::Agent);
    for space in AddressSpace::ALL {
        assert_eq!(AddressSpace::by_number(space as u32), Some(space));
    }
    assert_eq!(AddressSpace::by_number(10), None);
    assert_eq!(AddressSpace::Local.null(), 0xffff_ffff);
}

#[test]
fn r600_is_recognised_and_refused() {
    let refused = |name: &str| name.parse::<TargetId>().unwrap_err().to_string();
    assert_eq!(
        refused("cayman"),
        "`cayman` (Radeon HD 6000) has the R600 architecture, whose instructions and code objects are others than \
         those of amdgcn; the oldest processor supported is gfx600"
    );
    for name in R600::names() {
        assert!(refused(name).contains("R600 architecture"), "{name}");
        assert!(name.parse::<Target>().unwrap_err().to_string().contains("R600 architecture"), "{name}");
    }
    assert!(
        EFlags::decode(0x0f, AbiVersion::V4).unwrap_err().to_string().starts_with("e_flags names `cayman`")
    );
    assert_eq!(EFlags::decode(0x11, AbiVersion::V4), Err(EFlagsError::Mach(0x11)));
}

#[test]
fn misspelt_processors_have_a_suggestion() {
    let error = |name: &str| name.parse::<Processor>().unwrap_err().to_string();
    assert_eq!(error("gfx12501"), "`gfx12501` is not a known AMD GPU processor");
    assert_eq!(error("gfx80c"), "`gfx80c` is not a known AMD GPU processor");
    assert_eq!(
        error("gfx11-genric"),
        "`gfx11-genric` is not a known AMD GPU processor; is `gfx11-generic` meant?"
    );
    assert_eq!(error("gx942"), "`gx942` is not a known AMD GPU processor; is `gfx942` meant?");
}

#[test]
fn older_target_ids_read_and_print() {
    for (text, id, printed) in [
        ("gfx906+xnack+sram-ecc", "gfx906:sramecc+:xnack+", "gfx906+xnack+sram-ecc"),
        ("gfx906+sramecc", "gfx906:sramecc+:xnack-", "gfx906+sram-ecc"),
        ("gfx900", "gfx900:xnack-", "gfx900"),
        ("fiji", "gfx803", "gfx803"),
    ] {
        let read = TargetId::parse_v3(text).unwrap();
        assert_eq!((read, read.to_v3().as_str()), (id.parse().unwrap(), printed));
    }
    assert_eq!("gfx90a".parse::<TargetId>().unwrap().to_v3(), "gfx90a+xnack+sram-ecc");
    for (text, error) in [
        ("gfx900+sramecc", "gfx900 does not support `+sramecc` in a target ID"),
        ("gfx900+xnack+xnack", "target ID feature `xnack` is given twice"),
        (
            "gfx900+dot7",
            "`+dot7` is not a feature of a target ID of code object V3 (expected `+sram-ecc` or `+xnack`)",
        ),
    ] {
        assert_eq!(TargetId::parse_v3(text).unwrap_err().to_string(), error);
    }
    assert_eq!(
        "gfx900+xnack".parse::<TargetId>().unwrap_err().to_string(),
        "`gfx900+xnack` is spelled as in code objects V2 and V3; later ones say `gfx900:xnack+`"
    );
    assert!(matches!("gfx900+xnack".parse::<Target>(), Err(TargetError::V3 { .. })));
    assert!(matches!("amdgcn-amd-amdhsa--gfx900+xnack".parse::<Target>(), Err(TargetError::V3 { .. })));
    let name = |id: &str| IsaName::of(&id.parse().unwrap()).map(|name| name.to_string());
    assert_eq!(name("gfx900").as_deref(), Some("AMD:AMDGPU:9:0:1"));
    assert_eq!(name("gfx900:xnack-").as_deref(), Some("AMD:AMDGPU:9:0:0"));
    assert_eq!(name("gfx90c").as_deref(), Some("AMD:AMDGPU:9:0:12"));
    assert_eq!(name("gfx802").as_deref(), Some("AMD:AMDGPU:8:0:2"));
    assert_eq!((name("gfx908"), name("gfx1030")), (None, None));
    for bad in ["AMD:AMDGPU:9:0", "AMD:AMDGPU:9:0:0:0", "AMDGPU:9:0:0", "AMD:AMDGPU:9:x:0"] {
        assert!(bad.parse::<IsaName>().is_err(), "{bad}");
    }
    assert_eq!(EFlagsV2::decode(3), Ok(EFlagsV2 { xnack: true, trap_handler: true }));
    assert_eq!(EFlagsV2::decode(0x102), Err(0x100));
}

#[test]
fn older_target_ids_survive_v3_e_flags() {
    for &processor in Processor::ALL.iter().filter(|p| !p.has(Property::GENERIC)) {
        for features in ["", "+xnack", "+sram-ecc", "+xnack+sram-ecc"] {
            let Ok(id) = TargetId::parse_v3(&format!("{processor}{features}")) else { continue };
            let word = EFlags::new(id).encode(AbiVersion::V3).unwrap();
            assert_eq!(EFlags::decode(word, AbiVersion::V3).unwrap().id, id);
        }
    }
}

#[test]
fn code_runs_where_it_may() {
    let runs = |code: &str, device: &str| {
        EFlags::new(code.parse::<TargetId>().unwrap()).runs_on(&device.parse::<TargetId>().unwrap())
    };
    assert!(runs("gfx942", "gfx942:sramecc+:xnack-"));
    assert!(runs("gfx942:xnack-", "gfx942:sramecc+:xnack-"));
    assert!(!runs("gfx942:xnack+", "gfx942:sramecc+:xnack-"));
    assert!(runs("gfx9-4-generic:xnack-", "gfx950:sramecc+:xnack-"));
    assert!(!runs("gfx9-generic", "gfx908:xnack-") && !runs("gfx1030", "gfx1031"));
    let older = EFlags { generic_version: 0, ..EFlags::new(Processor::Gfx11Generic) };
    assert!(!older.runs_on(&TargetId::new(Processor::Gfx1151)));
}
