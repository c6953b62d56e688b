//! Objects built by the writer, linked, read back and loaded.

mod objects;

use objects::*;
use wavemark_codeobj::descriptor::Field;
use wavemark_codeobj::elf::{self, Symbol, pf, pt};
use wavemark_codeobj::image::LoadError;
use wavemark_codeobj::link::{LinkError, link_files};
use wavemark_codeobj::*;
use wavemark_target::Processor;

#[test]
fn a_relocatable_file_reads_back_as_built() {
    let object = CodeObject::parse(&second()).unwrap();
    assert!(object.is_relocatable());
    assert_eq!(object.target().to_string(), "gfx1250");
    assert_eq!(object.metadata.as_ref().unwrap(), &metadata(&["k2"]));
    let names: Vec<&str> = object.symbols.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["", "lds_size", "k2", "k2.kd", "callee", "zeros"]);
    let [kernel] = object.kernels.as_slice() else { panic!("{:?}", object.kernels) };
    assert_eq!(kernel.descriptor.kernarg_size, 16);
    assert_eq!(kernel.descriptor.get(Field::EnableSgprKernargSegmentPtr), Some(1));
    assert_eq!(kernel.descriptor.wave_size().lanes(), 32);
    assert_eq!(object.relocations.len(), 1);
    assert_eq!(object.relocations[0].entries[0].addend, 16);
}

#[test]
fn two_files_link_and_load() {
    let (a, b) = (first(), second());
    let linked = link_files([a.as_slice(), b.as_slice()]).unwrap();
    let object = CodeObject::parse(&linked).unwrap();
    let names = |symbols: &[Symbol]| -> Vec<String> {
        let mut names: Vec<String> = symbols.iter().skip(1).map(|s| s.name.clone()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&object.dynamic_symbols), ["callee", "k1", "k1.kd", "k2", "k2.kd", "zeros"]);
    assert_eq!(
        names(&object.symbols),
        ["_DYNAMIC", "callee", "k1", "k1.kd", "k2", "k2.kd", "lds_size", "zeros"]
    );
    let kernels: Vec<&str> =
        object.metadata.as_ref().unwrap().kernels.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(kernels, ["k1", "k2"]);
    assert_eq!(object.notes.len(), 1);
    for segment in object.segments.iter().filter(|s| s.kind == pt::LOAD) {
        assert_eq!(segment.offset % 0x1000, segment.address % 0x1000);
        assert!(segment.flags & (pf::W | pf::X) != pf::W | pf::X);
    }

    let base = 0x7f00_0000_0000;
    let image = LoadedImage::load(&object, base).unwrap();
    let callee = base + object.symbol("callee").unwrap().value;
    let k1 = image.kernel_by_name("k1").unwrap();
    let word = |at: u64| u32::from_le_bytes(image.read(at, 4).unwrap().try_into().unwrap());
    let long = |at: u64| u64::from_le_bytes(image.read(at, 8).unwrap().try_into().unwrap());
    assert_eq!(k1.entry_vaddr, base + object.symbol("k1").unwrap().value);
    assert_eq!(k1.code_size, 20);
    assert_eq!(word(k1.entry_vaddr), callee.wrapping_add(4).wrapping_sub(k1.entry_vaddr) as u32);
    let high = callee.wrapping_add(12).wrapping_sub(k1.entry_vaddr + 4) >> 32;
    assert_eq!(word(k1.entry_vaddr + 4), high as u32);
    let slot = (k1.entry_vaddr + 8).wrapping_add(word(k1.entry_vaddr + 8) as u64).wrapping_sub(4);
    assert_eq!(long(slot), callee);
    let data = base + object.sections[object.section_by_name(".data").unwrap()].address;
    assert_eq!(long(data), callee + 8);
    assert_eq!(long(data + 8), 0);
    assert_eq!(word(callee), u32::from_le_bytes(S_ENDPGM));
    let zeros = base + object.symbol("zeros").unwrap().value;
    assert!(image.read(zeros, 0x3000).unwrap().iter().all(|&b| b == 0));
    assert!(image.segment_at(zeros).unwrap().writable && !image.segment_at(k1.entry_vaddr).unwrap().writable);
    assert_eq!(image.kernels[1].metadata.as_ref().unwrap().cluster_dims, Some([2, 2, 1]));
}

#[test]
fn a_relocatable_file_loads_by_being_linked() {
    let image = LoadedImage::load(&CodeObject::parse(&second()).unwrap(), 0x10000).unwrap();
    assert_eq!(image.kernels.len(), 1);
    let error = LoadedImage::load(&CodeObject::parse(&first()).unwrap(), 0).unwrap_err();
    assert_eq!(error, LoadError::Link(LinkError::Undefined(vec!["callee".to_owned()])));
    assert_eq!(error.to_string(), "undefined symbol: callee");
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let link = |files: &[Vec<u8>]| link_files(files.iter().map(Vec::as_slice)).unwrap_err().to_string();
    assert_eq!(link(&[]), "there is nothing to link");
    assert_eq!(link(&[second(), second()]), "symbol `k2` is defined in input 0 and in input 1");
    let mut other = builder(Processor::Gfx950);
    kernel(&mut other, Processor::Gfx950, "k3", &[0, 0, 0x81, 0xbf]);
    let other = other.finish().unwrap();
    assert_eq!(link(&[second(), other]), "input 1 is for gfx950, the ones before for gfx1250");
    let linked = link_files([second().as_slice()]).unwrap();
    assert_eq!(link(&[linked]), "input 0 is not a relocatable file");
}

#[test]
fn hash_tables_find_every_symbol() {
    let mut object = builder(Processor::Gfx942);
    let names: Vec<String> = (0..100).map(|i| format!("function_{}", i * 7919)).collect();
    for name in &names {
        function(&mut object, name, &[0, 0, 0x81, 0xbf]);
    }
    let linked = CodeObject::parse(&link_files([object.finish().unwrap().as_slice()]).unwrap()).unwrap();
    let words = |name: &str| -> Vec<u32> {
        let data = linked.section_data(linked.section_by_name(name).unwrap());
        data.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect()
    };
    let (hash, gnu) = (words(".hash"), words(".gnu.hash"));
    let (bucket_count, bloom_count, shift) = (gnu[0], gnu[2] as usize, gnu[3]);
    let buckets = &gnu[4 + 2 * bloom_count..];
    for name in names {
        let value = object::elf::hash(name.as_bytes());
        let mut index = hash[2 + (value % hash[0]) as usize];
        while linked.dynamic_symbols[index as usize].name != name {
            index = hash[2 + hash[0] as usize + index as usize];
            assert_ne!(index, 0, "{name} is not in .hash");
        }
        let value = object::elf::gnu_hash(name.as_bytes());
        let word = value as usize / 64 % bloom_count;
        let bloom = u64::from(gnu[4 + 2 * word]) | u64::from(gnu[5 + 2 * word]) << 32;
        assert!(bloom >> (value % 64) & 1 == 1 && bloom >> ((value >> shift) % 64) & 1 == 1, "{name}: bloom");
        let mut at = buckets[(value % bucket_count) as usize];
        loop {
            let entry = buckets[(bucket_count + at - gnu[1]) as usize];
            if entry | 1 == value | 1 && linked.dynamic_symbols[at as usize].name == name {
                break;
            }
            assert_eq!(entry & 1, 0, "{name} is not in .gnu.hash");
            at += 1;
        }
    }
}

#[test]
fn sizes_in_memory_are_checked_before_they_are_taken() {
    let mut linked = link_files([second().as_slice()]).unwrap();
    let object = CodeObject::parse(&linked).unwrap();
    let index = object.segments.iter().rposition(|s| s.kind == pt::LOAD).unwrap();
    let at = object.header.program_headers as usize + index * elf::PROGRAM_HEADER_SIZE as usize + 40;
    linked[at..at + 8].copy_from_slice(&(1u64 << 60).to_le_bytes());
    let error = LoadedImage::load(&CodeObject::parse(&linked).unwrap(), 0).unwrap_err();
    assert!(matches!(error, LoadError::Size { why: "more than 1 GiB in all", .. }), "{error}");
}
