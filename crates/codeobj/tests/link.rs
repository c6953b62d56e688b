//! Objects built by the writer, linked, read back and loaded.

use wavemark_codeobj::descriptor::Field;
use wavemark_codeobj::elf::{self, Binding, Place, Symbol, SymbolType, Visibility, pf, pt};
use wavemark_codeobj::image::LoadError;
use wavemark_codeobj::link::{LinkError, link_files};
use wavemark_codeobj::write::{ObjectBuilder, SectionId, SymbolId};
use wavemark_codeobj::*;
use wavemark_target::{AbiVersion, EFlags, FeatureSet, Processor};

const S_ENDPGM: [u8; 4] = 0xbfb0_0000u32.to_le_bytes();

fn symbol(name: &str, place: Place, kind: SymbolType, binding: Binding) -> Symbol {
    let visibility = Visibility::Default;
    Symbol { name: name.to_owned(), value: 0, size: 0, binding, kind, visibility, place }
}

fn builder(processor: Processor) -> ObjectBuilder {
    ObjectBuilder::new(AbiVersion::V5, EFlags::new(processor))
}

/// Appends a function to `.text` and gives its symbol.
fn function(object: &mut ObjectBuilder, name: &str, code: &[u8]) -> (SectionId, u64, SymbolId) {
    let text = object.section(".text");
    let offset = object.append(text, code, 256);
    let mut at = symbol(name, text.place(), SymbolType::Func, Binding::Global);
    (at.value, at.size, at.visibility) = (offset, code.len() as u64, Visibility::Protected);
    (text, offset, object.add_symbol(at))
}

fn kernel(object: &mut ObjectBuilder, processor: Processor, name: &str, code: &[u8]) -> (SectionId, u64) {
    let (text, offset, entry) = function(object, name, code);
    let mut descriptor = KernelDescriptor::defaults(processor, &FeatureSet::defaults(processor));
    descriptor.set(Field::EnableSgprKernargSegmentPtr, 1).unwrap();
    descriptor.kernarg_size = 16;
    object.add_kernel_descriptor(name, &descriptor, entry);
    (text, offset)
}

fn metadata(names: &[&str]) -> Metadata {
    let mut metadata = Metadata::new(AbiVersion::V5);
    metadata.target = Some("amdgcn-amd-amdhsa--gfx1250".to_owned());
    metadata.kernels = names.iter().map(|name| KernelMetadata::new(name)).collect();
    for kernel in &mut metadata.kernels {
        kernel.kernarg_segment_size = 16;
        kernel.wavefront_size = 32;
        kernel.cluster_dims = Some([2, 2, 1]);
        kernel.args.push(KernelArg::new(0, 8, ValueKind::GlobalBuffer));
        kernel.args.push(KernelArg::new(8, 4, ValueKind::HiddenBlockCountX));
    }
    metadata
}

/// A kernel that names a function of [`second`], near and through the global offset table.
pub fn first() -> Vec<u8> {
    let mut object = builder(Processor::Gfx1250);
    let (text, offset) =
        kernel(&mut object, Processor::Gfx1250, "k1", &[[0; 4], [0; 4], [0; 4], [0; 4], S_ENDPGM].concat());
    let callee = object.add_symbol(symbol("callee", Place::Undefined, SymbolType::NoType, Binding::Global));
    let weak = object.add_symbol(symbol("nobody", Place::Undefined, SymbolType::NoType, Binding::Weak));
    object.add_relocation(text, offset, RelocationKind::Rel32Lo, callee, 4);
    object.add_relocation(text, offset + 4, RelocationKind::Rel32Hi, callee, 12);
    object.add_relocation(text, offset + 8, RelocationKind::GotPcRel32Lo, callee, 4);
    let data = object.section(".data");
    object.append(data, &[0; 16], 8);
    object.add_relocation(data, 0, RelocationKind::Abs64, callee, 8);
    object.add_relocation(data, 8, RelocationKind::Abs64, weak, 0);
    object.add_metadata(&metadata(&["k1"]));
    object.finish().unwrap()
}

/// A kernel, a function, some constants and zeroed memory.
pub fn second() -> Vec<u8> {
    let mut object = builder(Processor::Gfx1250);
    kernel(&mut object, Processor::Gfx1250, "k2", &S_ENDPGM);
    function(&mut object, "callee", &[S_ENDPGM, [1, 2, 3, 4]].concat());
    let constants = object.section(".rodata.constants");
    object.append(constants, b"constant", 16);
    let bss = object.section(".bss");
    object.set_size(bss, 0x3000);
    object.add_symbol(symbol("zeros", bss.place(), SymbolType::Object, Binding::Global));
    object.add_symbol(symbol("lds_size", Place::Absolute, SymbolType::NoType, Binding::Local));
    object.add_metadata(&metadata(&["k2"]));
    object.finish().unwrap()
}

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
