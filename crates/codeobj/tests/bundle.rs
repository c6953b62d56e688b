//! Bundles that clang-offload-bundler 22 made are read, and ours are what it would have made.

use wavemark_codeobj::bundle::{self, Bundle, Method, Version, compress};

use crate::objects;

const ENTRIES: [(&str, &[u8]); 3] = [
    ("host-x86_64-unknown-linux-gnu-", b""),
    ("hipv4-amdgcn-amd-amdhsa--gfx942:xnack-", b"first gfx942"),
    ("hipv4-amdgcn-amd-amdhsa--gfx1250", b"second gfx1250 gfx1250 gfx1250"),
];

fn check(file: &[u8]) -> Bundle {
    let bundle = Bundle::parse(file).unwrap();
    let entries: Vec<(&str, &[u8])> =
        bundle.entries.iter().map(|e| (e.id.as_str(), bundle.data(e))).collect();
    assert_eq!(entries, ENTRIES);
    bundle
}

#[test]
fn clangs_bundles_read() {
    assert_eq!(check(&objects::data("plain.hipfb")).compression, None);
    for (name, version) in [("zstd-v2.hipfb", Version::V2), ("zstd-v3.hipfb", Version::V3)] {
        let compression = check(&objects::data(name)).compression.unwrap();
        assert_eq!((compression.version, compression.method), (version, Method::Zstd));
        assert!(compression.hash_matches, "{name}");
    }
}

#[test]
fn compressed_bundles_come_back() {
    let plain = bundle::write(&ENTRIES);
    check(&plain);
    for method in [Method::Zlib, Method::Zstd] {
        for version in [Version::V1, Version::V2, Version::V3] {
            let packed = compress(&plain, method, version);
            assert!(packed.len() < plain.len() / 3, "{method}: {} of {}", packed.len(), plain.len());
            let compression = check(&packed).compression.unwrap();
            let written = if version == Version::V1 { Version::V3 } else { version };
            assert_eq!((compression.version, compression.method), (written, method));
            assert!(compression.hash_matches);
        }
    }
    // Version 1: no size of the file.
    let packed = compress(&plain, Method::Zlib, Version::V2);
    let mut first = packed[..8].to_vec();
    first[4] = 1;
    first.extend(&packed[12..]);
    assert_eq!(check(&first).compression.unwrap().version, Version::V1);
}

#[test]
fn a_declared_size_is_not_trusted() {
    let plain = bundle::write(&ENTRIES);
    for method in [Method::Zlib, Method::Zstd] {
        let error = |size: u64, limit: u64| {
            let mut packed = compress(&plain, method, Version::V3);
            packed[16..24].copy_from_slice(&size.to_le_bytes());
            Bundle::parse_within(&packed, limit).unwrap_err().to_string()
        };
        let size = plain.len() as u64;
        assert!(error(size - 1, u64::MAX).ends_with(&format!("unpack to {} bytes, found more", size - 1)));
        assert!(error(size + 1, u64::MAX).ends_with(&format!("unpack to {} bytes, found fewer", size + 1)));
        assert!(error(u64::MAX, u64::MAX).contains("expected at most 1032 bytes out of each of"));
        assert!(error(size, size - 1).contains("is not supported"));
    }
}
