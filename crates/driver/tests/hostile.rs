//! Damaged launch files, verdict files and arrays: any answer but a panic. The seed of a failing case is printed.

use std::path::Path;

use rayon::prelude::*;
use wavemark_diag::{SourceMap, Style, render};
use wavemark_driver::{launch, npy, verdict};
use wavemark_numerics::dtype::Dtype;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// Replaces, removes, doubles or swaps some pieces.
    fn damage(&mut self, bytes: &mut Vec<u8>, alphabet: &[u8]) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            let length = self.below(9).min(bytes.len() - at);
            match self.below(4) {
                0 if !bytes.is_empty() => bytes[at] = alphabet[self.below(alphabet.len())],
                1 => drop(bytes.drain(at..at + length)),
                2 => {
                    let piece = bytes[at..at + length].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
                _ => bytes.insert(at, alphabet[self.below(alphabet.len())]),
            }
        }
    }
}

fn for_each_damage(original: &[u8], alphabet: &[u8], rounds: u64, check: impl Fn(&[u8]) + Sync) {
    (0..rounds).into_par_iter().for_each(|seed| {
        let mut bytes = original.to_vec();
        Random(seed).damage(&mut bytes, alphabet);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&bytes)));
        assert!(result.is_ok(), "seed {seed}: {}", String::from_utf8_lossy(&bytes));
    });
}

const TOML: &[u8] = b"[]{}\"'=,.-_+#\n 0159eExbinfanta\\";

#[test]
fn launch_files() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run/launch/good-all-keys.toml");
    for_each_damage(&std::fs::read(path).unwrap(), TOML, 3000, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut sources = SourceMap::new();
        let file = sources.add_text("launch.toml", text.as_ref());
        for diagnostic in launch::parse(file, &text, launch::Purpose::Kernel).err().into_iter().flatten() {
            render(&sources, &diagnostic, Style::Plain);
        }
    });
}

#[test]
fn verdict_files() {
    let text = b"input = \"k.s\"\nexit = 1\nambiguous = false\n[[finding]]\nclass = \"missing-wait\"\nlines = [1, 2]\n";
    for_each_damage(text, TOML, 3000, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut sources = SourceMap::new();
        let file = sources.add_text("expect.toml", text.as_ref());
        for diagnostic in verdict::parse(file, &text).err().into_iter().flatten() {
            render(&sources, &diagnostic, Style::Plain);
        }
    });
}

#[test]
fn arrays() {
    let file = npy::write(Dtype::F32, &[3, 5], &[7; 60]).unwrap();
    let alphabet: Vec<u8> = (0..=255).collect();
    for_each_damage(&file, &alphabet, 20_000, |bytes| {
        if let Ok(data) = npy::read(Dtype::F32, &[3, 5], bytes) {
            assert_eq!(data.len(), 60);
        }
    });
    for_each_damage(&file, b"()[]{},'0123456789 :Tr", 20_000, |bytes| {
        if let Ok(data) = npy::read(Dtype::F4E2M1, &[120], bytes) {
            assert_eq!(data.len(), 60);
        }
    });
}
