//! Damaged files: cut at every byte, changed at every byte, and at random. Nothing may panic; every call must
//! come back with a value or an error.

mod objects;

use std::sync::LazyLock;

use proptest::prelude::*;
use wavemark_codeobj::bundle::{self, Bundle};
use wavemark_codeobj::inspect::{inspect, inspect_bundle};
use wavemark_codeobj::lines::LineTable;
use wavemark_codeobj::link::{link, link_files};
use wavemark_codeobj::*;

/// Does with a file all that can be done with one.
fn exercise(bytes: &[u8]) {
    let Ok(object) = CodeObject::parse(bytes) else { return };
    let _ = inspect(&object);
    let _ = LoadedImage::load(&object, 0x1_0000_0000);
    let _ = LoadedImage::load(&object, u64::MAX - 0xfff);
    let _ = link(std::slice::from_ref(&object));
    if let Ok(lines) = LineTable::build(&object) {
        let _ = lines.lookup(0);
    }
    for kernel in &object.kernels {
        let _ = object.kernel_metadata(kernel);
    }
    if let Some(metadata) = &object.metadata {
        let _ = Metadata::from_yaml(&metadata.to_yaml());
    }
}

/// The two objects: a linked one from two files, and a relocatable one with everything in it.
static OBJECTS: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let (a, b) = (objects::first(), objects::second());
    [link_files([a.as_slice(), b.as_slice()]).unwrap(), objects::with_lines()]
});

#[test]
fn cut_at_every_byte() {
    for object in OBJECTS.iter() {
        exercise(object);
        for end in 0..object.len() {
            exercise(&object[..end]);
        }
    }
}

#[test]
fn changed_at_every_byte() {
    for object in OBJECTS.iter() {
        for at in 0..object.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut damaged = object.clone();
                damaged[at] ^= change;
                exercise(&damaged);
            }
        }
    }
}

#[test]
fn bundles_cut_and_changed_at_every_byte() {
    let object = objects::second();
    let plain =
        bundle::write(&[("host-x86_64-unknown-linux--", b""), ("hipv4-amdgcn-amd-amdhsa--gfx1250", &object)]);
    let header = 200.min(plain.len());
    for bytes in [plain.clone(), objects::compressed(&plain)] {
        let header = header.min(bytes.len());
        for end in (0..header).chain([bytes.len() - 1]) {
            assert!(Bundle::parse(&bytes[..end]).is_err());
        }
        for at in 0..header {
            for change in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= change;
                if let Ok(bundle) = Bundle::parse(&damaged) {
                    let _ = inspect_bundle(&bundle);
                    let _: usize = bundle.entries.iter().map(|entry| bundle.data(entry).len()).sum();
                }
            }
        }
    }
}

proptest! {
    // A failing case prints its inputs and the seed under which it comes again.
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn changed_at_random(
        which in 0usize..2,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut damaged = OBJECTS[which].clone();
        for (at, byte) in changes {
            let at = at.index(damaged.len());
            damaged[at] = byte;
        }
        if let Some(cut) = cut {
            damaged.truncate(cut.index(damaged.len()) + 1);
        }
        exercise(&damaged);
    }

    #[test]
    fn words_changed_at_random(
        which in 0usize..2,
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![
            any::<u64>(), Just(0), Just(u64::MAX), Just(1 << 63), Just(1 << 40), 0u64..0x4000
        ]), 1..6),
    ) {
        let mut damaged = OBJECTS[which].clone();
        for (at, word) in changes {
            let at = at.index(damaged.len() / 8) * 8;
            damaged[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        exercise(&damaged);
    }

    #[test]
    fn metadata_from_anything(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Metadata::from_message_pack(&bytes);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            let _ = Metadata::from_yaml(text);
        }
    }
}
