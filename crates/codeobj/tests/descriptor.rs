//! Kernel descriptors against words that LLVM 22 writes.

use wavemark_codeobj::descriptor::{FieldError, SIZE, Word};
use wavemark_codeobj::{Field, KernelDescriptor};
use wavemark_target::{FeatureSet, Processor};

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
        let mut descriptor = KernelDescriptor::defaults(processor, &features);
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
            if let Some(directive) = field.directive() {
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
