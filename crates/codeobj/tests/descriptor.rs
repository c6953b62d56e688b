//! Kernel descriptors against words that LLVM 22 writes.

use wavemark_codeobj::descriptor::{FieldError, Problem, SIZE, Word};
use wavemark_codeobj::{Field, KernelDescriptor};
use wavemark_target::{FeatureSet, Machine, Processor};

/// Processor, features, `COMPUTE_PGM_RSRC1` to 3 and properties of a kernel of one VGPR and one SGPR about which
/// nothing else is said, as LLVM 22 assembles it.
const LLVM: &str = "
gfx600  - 00ac0000 00000080 00000000 0000
gfx700  - 00ac0000 00000080 00000000 0000
gfx801  - 00ac0000 00000080 00000000 0000
gfx802  - 00ac02c0 00000080 00000000 0000
gfx900  - 00ac0000 00000080 00000000 0000
gfx90a  - 00ac0000 00000080 00000000 0000
gfx90a  +tgsplit 00ac0000 00000080 00010000 0000
gfx942  - 00ac0000 00000080 00000000 0000
gfx950  +tgsplit 00ac0000 00000080 00010000 0000
gfx1010 - e0ac0000 00000080 00000000 0400
gfx1010 -wavefrontsize32,+wavefrontsize64 e0ac0000 00000080 00000000 0000
gfx1030 +cumode c0ac0000 00000080 00000000 0400
gfx1100 - e0ac0000 00000080 00000000 0400
gfx1150 +wavefrontsize64 e0ac0000 00000080 00000000 0000
gfx1200 - e00c0000 00000080 00000000 0400
gfx1201 +cumode c00c0000 00000080 00000000 0400
gfx1250 - c00c0000 00000080 00000000 0400
gfx1251 - c00c0000 00000080 00000000 0400
";

#[test]
fn defaults_are_llvms() {
    for line in LLVM.lines().filter(|line| !line.is_empty()) {
        let line: Vec<&str> = line.split_whitespace().collect();
        let [name, features, ref rest @ ..] = line[..] else { panic!() };
        let processor: Processor = name.parse().unwrap();
        let features = if features == "-" { "" } else { features };
        let features = FeatureSet::parse(features, &processor.into()).unwrap();
        let mut descriptor = KernelDescriptor::defaults(Machine::with(processor, &features));
        let limits = processor.limits(features.wave_size);
        descriptor.set(Field::GranulatedWorkitemVgprCount, limits.granulated_vgprs(1).into()).unwrap();
        if Field::GranulatedWavefrontSgprCount.exists_on(processor) {
            descriptor.set(Field::GranulatedWavefrontSgprCount, limits.granulated_sgprs(1).into()).unwrap();
        }
        let words = [Word::Rsrc1, Word::Rsrc2, Word::Rsrc3, Word::Properties].map(|w| descriptor.word(w));
        let expected = rest.iter().map(|word| u32::from_str_radix(word, 16).unwrap());
        assert_eq!(words.to_vec(), expected.collect::<Vec<_>>(), "{line:?}");
        assert_eq!(descriptor.wave_size(), features.wave_size);
    }
}

#[test]
fn fields_of_a_word_do_not_overlap() {
    for &processor in Processor::ALL {
        let fields: Vec<Field> = Field::ALL.iter().copied().filter(|f| f.exists_on(processor)).collect();
        let mut descriptor = KernelDescriptor::zero(processor);
        for &field in &fields {
            descriptor.set(field, field.largest().into()).unwrap();
            let others = fields.iter().filter(|&&other| other != field);
            assert!(others.clone().all(|&other| descriptor.get(other) == Some(0)), "{processor}: {field:?}");
            assert_eq!(descriptor.unknown_bits(), []);
            descriptor.set(field, 0).unwrap();
            assert_eq!(descriptor, KernelDescriptor::zero(processor));
            if let Some(directive) = field.directive(processor) {
                assert_eq!(Field::by_directive(directive, processor), Some(field));
            }
        }
    }
}

#[test]
fn every_byte_is_kept() {
    for &processor in Processor::ALL {
        let bytes: [u8; SIZE] = std::array::from_fn(|i| (i * 37 + 11) as u8);
        assert_eq!(KernelDescriptor::decode(&bytes, processor).encode(), bytes);
    }
}

#[test]
fn what_a_field_cannot_hold_is_refused() {
    let mut descriptor = KernelDescriptor::zero(Processor::Gfx950);
    let error = |result: Result<(), FieldError>| result.unwrap_err().to_string();
    assert_eq!(error(descriptor.set(Field::WgpMode, 1)), "WGP_MODE does not exist on gfx950");
    assert_eq!(
        error(descriptor.set(Field::UserSgprCount, 32)),
        "32 is too large for USER_SGPR_COUNT, whose largest value is 31"
    );
    assert_eq!(descriptor, KernelDescriptor::zero(Processor::Gfx950));
}

#[test]
fn what_the_hardware_reads_is_derived() {
    let mut descriptor = KernelDescriptor::zero(Processor::Gfx950);
    descriptor.set(Field::GranulatedWorkitemVgprCount, 12).unwrap();
    descriptor.set(Field::AccumOffset, 15).unwrap();
    descriptor.set(Field::KernargPreloadSpecLength, 6).unwrap();
    assert_eq!((descriptor.vgprs(), descriptor.accum_offset()), (104, Some(64)));
    assert_eq!(descriptor.kernarg_preload(), (6, 0));
    let mut descriptor = KernelDescriptor::zero(Processor::Gfx1250);
    descriptor.set(Field::EnableWavefrontSize32, 1).unwrap();
    descriptor.set(Field::GranulatedWorkitemVgprCount, 63).unwrap();
    descriptor.set(Field::NamedBarCnt, 2).unwrap();
    descriptor.set(Field::UserSgprCountGfx1250, 40).unwrap();
    descriptor.set(Field::InstPrefSize, 3).unwrap();
    assert_eq!((descriptor.vgprs(), descriptor.named_barriers(), descriptor.user_sgprs()), (1024, 8, 40));
    assert_eq!((descriptor.inst_pref_bytes(), descriptor.accum_offset()), (384, None));
}

/// What the guide forbids is named; what an assembler writes has none of it.
#[test]
fn problems_are_named() {
    let problems = |descriptor: &KernelDescriptor| -> Vec<String> {
        descriptor.problems().iter().map(|problem| problem.to_string()).collect()
    };
    for &processor in Processor::ALL {
        let descriptor = KernelDescriptor::defaults(Machine::new(processor));
        assert_eq!(problems(&descriptor), Vec::<String>::new(), "{processor}");
    }
    let ones = |processor| KernelDescriptor::decode(&[0xff; SIZE], processor);
    let reserved = |processor| {
        let bits = ones(processor).problems().into_iter().filter_map(|problem| match problem {
            Problem::ReservedBits { word, bits } => Some((word, bits)),
            _ => None,
        });
        bits.collect::<Vec<_>>()
    };
    use Word::*;
    for (processor, bits) in [
        (
            Processor::Gfx601,
            vec![
                (Rsrc1, 0xfc00_0000),
                (Rsrc2, 0x8000_0000),
                (Rsrc3, 0xffff_ffff),
                (Properties, 0xf780),
                (Preload, 0xffff),
            ],
        ),
        (
            Processor::Gfx904,
            vec![
                (Rsrc1, 0xf800_0000),
                (Rsrc2, 0x8000_0000),
                (Rsrc3, 0xffff_ffff),
                (Properties, 0xf780),
                (Preload, 0xffff),
            ],
        ),
        (
            Processor::Gfx942,
            vec![(Rsrc1, 0xf800_0000), (Rsrc2, 0x8000_0000), (Rsrc3, 0xfffe_ffc0), (Properties, 0xf7a1)],
        ),
        (
            Processor::Gfx1030,
            vec![
                (Rsrc1, 0x1800_03c0),
                (Rsrc2, 0x8000_0000),
                (Rsrc3, 0xffff_fff0),
                (Properties, 0xf380),
                (Preload, 0xffff),
            ],
        ),
        (
            Processor::Gfx1103,
            vec![
                (Rsrc1, 0x1800_03c0),
                (Rsrc2, 0x8000_0000),
                (Rsrc3, 0x7fff_f000),
                (Properties, 0xf3a1),
                (Preload, 0xffff),
            ],
        ),
        (
            Processor::Gfx1200,
            vec![
                (Rsrc1, 0x1800_03c0),
                (Rsrc2, 0x8000_0000),
                (Rsrc3, 0x7fff_d00f),
                (Properties, 0xf3a1),
                (Preload, 0xffff),
            ],
        ),
        (
            Processor::Gfx1251,
            vec![(Rsrc1, 0x3000_03c0), (Rsrc2, 0x8000_0000), (Rsrc3, 0x7fc0_100f), (Properties, 0xf3a1)],
        ),
    ] {
        assert_eq!(reserved(processor), bits, "{processor}");
    }
    assert_eq!(ones(Processor::Gfx900).problems().len(), 28 + 5 + 9 + 1 + 1);

    let mut descriptor = KernelDescriptor::zero(Processor::Gfx1250);
    descriptor.set(Field::EnableSgprDispatchPtr, 1).unwrap();
    descriptor.set(Field::KernargPreloadSpecLength, 2).unwrap();
    descriptor.set(Field::Priority, 1).unwrap();
    descriptor.kernarg_size = 4;
    descriptor.reserved[4] = 9;
    assert_eq!(
        problems(&descriptor),
        [
            "the reserved byte 24 is 0x09",
            "PRIORITY must be 0 and is 1",
            "waves of 64 lanes cannot run on it",
            "USER_SGPR_COUNT is 0, but the enabled user SGPRs are 4",
            "kernel arguments up to byte 8 are preloaded, but they have 4 bytes",
        ]
    );
    let mut descriptor = KernelDescriptor::zero(Processor::Gfx90a);
    descriptor.set(Field::AccumOffset, 7).unwrap();
    descriptor.set(Field::UserSgprCount, 17).unwrap();
    descriptor.set(Field::EnableVgprWorkitemId, 3).unwrap();
    assert_eq!(
        problems(&descriptor),
        [
            "3 is not a value of ENABLE_VGPR_WORKITEM_ID",
            "17 user SGPRs are requested, of which no more than 16 are set up",
            "ACCUM_OFFSET makes 32 the first AGPR of 8 registers",
        ]
    );
    let mut descriptor = KernelDescriptor::zero(Processor::Gfx1010);
    descriptor.set(Field::SharedVgprCount, 15).unwrap();
    descriptor.set(Field::GranulatedWorkitemVgprCount, 34).unwrap();
    assert_eq!(problems(&descriptor), ["SHARED_VGPR_COUNT is 15, too many beside the wave's own VGPRs"]);
    descriptor.set(Field::EnableWavefrontSize32, 1).unwrap();
    assert_eq!(problems(&descriptor), ["SHARED_VGPR_COUNT is 15, but waves of 32 lanes share none"]);
}
