//! Damaged files: cut at every byte, changed at every byte, and at random. Nothing may panic; every call must
//! come back with a value or an error.

use std::sync::LazyLock;

use crate::objects;

use proptest::prelude::*;
use rayon::prelude::*;
use wavemark_codeobj::bundle::{self, Bundle, Method, Version};
use wavemark_codeobj::core_file::{self, CoreFile};
use wavemark_codeobj::dwarf::inspect_dwarf;
use wavemark_codeobj::inspect::{inspect, inspect_bundle};
use wavemark_codeobj::lines::LineTable;
use wavemark_codeobj::link::{link, link_files};
use wavemark_codeobj::*;

/// Does with a file all that can be done with one.
fn exercise(bytes: &[u8]) {
    if let Ok(core) = CoreFile::parse(bytes) {
        let _ = core_file::inspect(&core);
    }
    let Ok(object) = CodeObject::parse_leniently(bytes) else { return };
    let _ = inspect(&object);
    let _ = inspect_dwarf(&object);
    let Ok(object) = CodeObject::parse(bytes) else { return };
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

/// One of each kind: linked from two files, relocatable with lines, V2, amdpal and mesa3d without addends, a core
/// file, and what clang made with debug sections, plain and compressed.
static OBJECTS: LazyLock<[Vec<u8>; 9]> = LazyLock::new(|| {
    let (a, b) = (objects::first(), objects::second());
    [
        link_files([a.as_slice(), b.as_slice()]).unwrap(),
        objects::with_lines(),
        objects::v2(objects::V2_YAML),
        objects::core(),
        objects::data("pal.o"),
        objects::data("mesa.o"),
        objects::data("dwarf4-wave32.o"),
        objects::data("dwarf5-wave64.o"),
        objects::data("dwarf5-zstd.o"),
    ]
});

#[test]
fn cut_at_every_byte() {
    for object in OBJECTS.iter() {
        exercise(object);
        // Most of the ends are alike; a prime step passes by all kinds of them.
        for end in (0..object.len()).step_by(if object.len() > 2200 { 31 } else { 1 }) {
            exercise(&object[..end]);
        }
    }
}

#[test]
fn changed_at_every_byte() {
    for object in OBJECTS.iter() {
        (0..object.len()).into_par_iter().for_each(|at| {
            // The larger ones get one change a byte, or one in every tenth, each another.
            let changes = [0x01, 0x80, 0xff];
            let changes = match object.len() {
                ..1000 => &changes[..],
                1000..2200 => &changes[at % 3..][..1],
                _ if at % 11 == 0 => &changes[at % 5 % 3..][..1],
                _ => return,
            };
            for change in changes {
                let mut damaged = object.clone();
                damaged[at] ^= change;
                exercise(&damaged);
            }
        });
    }
}

#[test]
fn bundles_cut_and_changed_at_every_byte() {
    let object = objects::second();
    let plain =
        bundle::write(&[("host-x86_64-unknown-linux--", b""), ("hipv4-amdgcn-amd-amdhsa--gfx1250", &object)]);
    let header = 200.min(plain.len());
    let packed = [Method::Zlib, Method::Zstd].map(|method| bundle::compress(&plain, method, Version::V3));
    for bytes in [plain.clone(), objects::compressed(&plain)].into_iter().chain(packed) {
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
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn changed_at_random(
        which in 0usize..9,
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
        which in 0usize..9,
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
