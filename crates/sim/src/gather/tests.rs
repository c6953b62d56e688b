//! Every body of the host's level against the definition, at random places up to the last byte.

use super::*;
use crate::regs::all_lanes;
use crate::shape::Extend;

/// A small generator (SplitMix64 without its mixing is enough here).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 32) as u32
    }
    fn below(&mut self, n: usize) -> u32 {
        self.next() % n as u32
    }
    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
    fn chunks(&mut self, count: usize) -> Vec<Chunk> {
        (0..count).map(|_| Chunk(std::array::from_fn(|_| self.next()))).collect()
    }
    /// Places of `size` bytes within `len`; every few rounds one of them is the last possible, or lanes are one behind the
    /// other in runs.
    fn places(&mut self, chunks: usize, size: usize, len: usize) -> Vec<Chunk> {
        let last = len - size;
        let run = [0, 0, 4, 8, 16][self.below(5) as usize];
        if run > 0 && run * size <= len {
            let mut run_of = |_| {
                let start = self.below(len - run * size + 1);
                (0..run as u32).map(move |n| start + n * size as u32)
            };
            let places: Vec<u32> = (0..16 * chunks / run).flat_map(&mut run_of).collect();
            return places.chunks_exact(16).map(|at| Chunk(std::array::from_fn(|l| at[l]))).collect();
        }
        let mut place = || if self.below(16) == 0 { last as u32 } else { self.below(last + 1) };
        (0..chunks).map(|_| Chunk(std::array::from_fn(|_| place()))).collect()
    }
    fn mask(&mut self, chunks: usize) -> u64 {
        let full = all_lanes(chunks);
        let random = u64::from(self.next()) << 32 | u64::from(self.next());
        [full, random & full, full & 0xffff, 0][self.below(4) as usize]
    }
}

/// Rounds with their number of chunks and a length of memory that has the place of a lane of `size` bytes.
fn rounds(size: usize) -> impl Iterator<Item = (Draw, usize, usize)> {
    (0..600u64).map(move |round| {
        let mut draw = Draw(round << 8 | size as u64);
        let chunks = if round & 1 == 0 { 2 } else { 4 };
        let room = draw.below(600) as usize;
        (draw, chunks, size + room)
    })
}

#[test]
fn loads() {
    for size in [4, 8, 12, 16] {
        for (mut draw, chunks, len) in rounds(size) {
            let (bytes, at) = (draw.bytes(len), draw.places(chunks, size, len));
            let mask = draw.mask(chunks);
            let write = mask | draw.mask(chunks);
            let mut outs = [draw.chunks(chunks * size / 4), vec![]];
            outs[1] = outs[0].clone();
            load(&mut outs[0], chunks, size, &bytes, &at, mask, write);
            load_as_defined(&mut outs[1], chunks, size, &bytes, &at, mask, write);
            assert_eq!(outs[0], outs[1], "{size} bytes of {len}, mask {mask:#x} of {write:#x}");
        }
    }
}

/// What becomes of one or two bytes.
const EXTENDS: [Extend; 6] =
    [Extend::Zero, Extend::Sign, Extend::LowZero, Extend::LowSign, Extend::HighZero, Extend::HighSign];

#[test]
fn narrow_loads_by_chunks() {
    for (size, extend) in [1, 2].into_iter().flat_map(|size| EXTENDS.map(|extend| (size, extend))) {
        for (mut draw, chunks, len) in rounds(16 * size) {
            let shape = LoadShape { bytes: size as u32, extend };
            let bytes = draw.bytes(len);
            let mut run = |_| {
                let first = draw.below(len - 16 * size + 1);
                Chunk(std::array::from_fn(|l| first + (l * size) as u32))
            };
            let at: Vec<Chunk> = (0..chunks).map(&mut run).collect();
            let mut outs = [draw.chunks(chunks), vec![]];
            outs[1] = outs[0].clone();
            let all = all_lanes(chunks);
            load_narrow_by_chunks(&mut outs[0], shape, &bytes, &at);
            load_narrow_as_defined(&mut outs[1], shape, &bytes, &at, all, all);
            assert_eq!(outs[0], outs[1], "{shape:?} of {len}");
        }
    }
}

#[test]
fn narrow_loads() {
    for size in [1, 2] {
        for extend in EXTENDS {
            for (mut draw, chunks, len) in rounds(size) {
                let shape = LoadShape { bytes: size as u32, extend };
                let (bytes, at) = (draw.bytes(len), draw.places(chunks, size, len));
                let mask = draw.mask(chunks);
                let write = mask | draw.mask(chunks);
                let mut outs = [draw.chunks(chunks), vec![]];
                outs[1] = outs[0].clone();
                load_narrow(&mut outs[0], shape, &bytes, &at, mask, write);
                load_narrow_as_defined(&mut outs[1], shape, &bytes, &at, mask, write);
                assert_eq!(outs[0], outs[1], "{shape:?} of {len}, mask {mask:#x} of {write:#x}");
            }
        }
    }
}

#[test]
fn transposed_loads() {
    let all = [
        Transpose::Tr16B128,
        Transpose::Tr8B64,
        Transpose::Tr6B96,
        Transpose::Tr4B64,
        Transpose::B64TrB16,
        Transpose::B64TrB8,
        Transpose::B96TrB6,
        Transpose::B64TrB4,
    ];
    for transpose in all {
        let size = transpose::lane_bytes(transpose);
        for (mut draw, chunks, len) in rounds(size) {
            let (bytes, at) = (draw.bytes(len), draw.places(chunks, size, len));
            let mut outs = [draw.chunks(chunks * size / 4), vec![]];
            outs[1] = outs[0].clone();
            load_transposed(&mut outs[0], transpose, &bytes, &at);
            load_transposed_as_defined(&mut outs[1], transpose, &bytes, &at);
            assert_eq!(outs[0], outs[1], "{transpose:?} of {len}");
        }
    }
}

#[test]
fn stores_and_copies() {
    for size in [1, 2, 4, 8, 12, 16] {
        for (mut draw, chunks, len) in rounds(size) {
            let (at, mask) = (draw.places(chunks, size, len), draw.mask(chunks));
            let data = draw.chunks(chunks * size.div_ceil(4));
            let mut memories = [draw.bytes(len), vec![]];
            memories[1] = memories[0].clone();
            store(&mut memories[0], size, &data, &at, mask);
            store_as_defined(&mut memories[1], size, &data, &at, mask);
            assert_eq!(memories[0], memories[1], "{size} bytes of {len}, mask {mask:#x}");

            // A copy is a load of what is on, and a store.
            let before = memories[0].clone();
            if size >= 4 {
                let (from, source) = (draw.places(chunks, size, len), draw.bytes(len));
                let write = mask | draw.mask(chunks);
                let mut rows = vec![Chunk::ZERO; chunks * size / 4];
                load_as_defined(&mut rows, chunks, size, &source, &from, mask, write);
                store_as_defined(&mut memories[1], size, &rows, &at, write);
                copy(&mut memories[0], &at, &source, &from, size, mask, write);
                let mut third = before.clone();
                copy_as_defined(&mut third, &at, &source, &from, size, mask, write);
                assert_eq!(memories[0], third, "{size} bytes of {len}, mask {mask:#x} of {write:#x}");
                assert_eq!(memories[0], memories[1], "{size} bytes of {len}, mask {mask:#x} of {write:#x}");
            }
        }
    }
}
