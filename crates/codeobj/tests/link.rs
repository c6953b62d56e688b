//! Objects built by the writer, linked, read back and loaded.

use wavemark_codeobj::descriptor::Field;
use wavemark_codeobj::elf::{self, Binding, OsAbi, Place, Symbol, SymbolType, pf, pt};
use wavemark_codeobj::image::LoadError;
use wavemark_codeobj::link::{LinkError, link_files};
use wavemark_codeobj::write::ObjectBuilder;
use wavemark_codeobj::*;
use wavemark_target::{AbiVersion, EFlags, Processor, TargetId};

use crate::objects::*;

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

/// As lld has it: only a relocation asks for a definition. What nothing uses stays undefined, before the symbols that
/// `.gnu.hash` finds.
#[test]
fn an_undefined_symbol_that_nothing_uses_is_none_to_complain_of() {
    let mut object = builder(Processor::Gfx950);
    function(&mut object, "f", &[0, 0, 0x81, 0xbf]);
    object.add_symbol(symbol("buffer", Place::Undefined, SymbolType::NoType, Binding::Global));
    let linked = CodeObject::parse(&link_files([object.finish().unwrap().as_slice()]).unwrap()).unwrap();
    assert!(linked.symbols.iter().any(|symbol| symbol.name == "buffer" && symbol.place == Place::Undefined));
    let words = |name: &str| -> Vec<u32> {
        let data = linked.section_data(linked.section_by_name(name).unwrap());
        data.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    };
    let dynsym = words(".dynsym");
    assert_eq!(dynsym.len(), 3 * 6, "the null symbol, buffer, f");
    let section_of = |symbol: usize| dynsym[symbol * 6 + 1] >> 16;
    assert_eq!((section_of(1), section_of(2) != 0), (0, true));
    assert_eq!(words(".gnu.hash")[1], 2, "the first symbol that it finds");
    LoadedImage::load(&linked, 0x10000).unwrap();
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

/// An object of one kernel for a target ID, of a version.
fn object_for(id: &str, abi: AbiVersion, name: &str) -> Vec<u8> {
    let flags = EFlags::new(id.parse::<TargetId>().unwrap());
    let mut object = ObjectBuilder::new(abi, flags);
    function(&mut object, name, &[0, 0, 0x81, 0xbf]);
    let mut metadata = Metadata::new(abi);
    metadata.target = (abi >= AbiVersion::V4).then(|| format!("amdgcn-amd-amdhsa--{id}"));
    object.add_metadata(&metadata);
    object.finish().unwrap()
}

#[test]
fn target_ids_are_joined_as_the_linker_does() {
    use AbiVersion::*;
    let link = |a: (&str, AbiVersion), b: (&str, AbiVersion)| {
        let (a, b) = (object_for(a.0, a.1, "a"), object_for(b.0, b.1, "b"));
        match link_files([a.as_slice(), b.as_slice()]) {
            Ok(file) => {
                let object = CodeObject::parse(&file).unwrap();
                assert_eq!(object.violations, []);
                object.target().to_string()
            }
            Err(error) => error.to_string(),
        }
    };
    for (a, b, expected) in [
        (("gfx942", V5), ("gfx942", V5), "gfx942"),
        (("gfx942", V5), ("gfx942:xnack+", V5), "gfx942:xnack+"),
        (("gfx942:xnack-", V4), ("gfx942:sramecc+", V4), "gfx942:sramecc+:xnack-"),
        (
            ("gfx942:xnack-", V6),
            ("gfx942:xnack+", V6),
            "input 1 is for gfx942:xnack+, the ones before for gfx942:xnack-",
        ),
        (("gfx942", V5), ("gfx90a", V5), "input 1 is for gfx90a, the ones before for gfx942"),
        (("gfx942", V5), ("gfx942", V6), "input 1 is of code object V6, the first one of V5"),
        // V3 says on or off, so what is not the same is not compatible.
        (("gfx906:xnack-", V3), ("gfx906:xnack-", V3), "gfx906:sramecc+:xnack-"),
        (
            ("gfx906:xnack-", V3),
            ("gfx906", V3),
            "input 1 is for gfx906:sramecc+:xnack+, the ones before for gfx906:sramecc+:xnack-",
        ),
    ] {
        assert_eq!(link(a, b), expected, "{a:?} {b:?}");
    }
}

#[test]
fn operating_systems_are_not_mixed() {
    let hsa = object_for("gfx1030", AbiVersion::V3, "a");
    let mut pal = ObjectBuilder::for_os(OsAbi::Pal, AbiVersion::V3, EFlags::new(Processor::Gfx1030));
    function(&mut pal, "b", &[0, 0, 0x81, 0xbf]);
    let pal = pal.finish().unwrap();
    assert_eq!((pal[7], pal[8]), (65, 0));
    let error = link_files([hsa.as_slice(), pal.as_slice()]).unwrap_err().to_string();
    assert_eq!(error, "input 1 is for the operating system `amdpal`, the first one for `amdhsa`");
    assert_eq!(link_files([pal.as_slice()]).unwrap()[7], 65);
}

#[test]
fn addends_in_fields_and_32_bit_addresses() {
    // `callee` and `g` are undefined in what LLVM made for amdpal, with addends of 0 in the fields.
    let object = CodeObject::parse(&data("pal.o")).unwrap();
    let kinds: Vec<u32> = object.relocations[0].entries.iter().map(|rela| rela.kind).collect();
    assert_eq!(kinds, [2, 1, 2, 1]);
    assert!(object.relocations[0].entries.iter().all(|rela| rela.addend == 0));

    let mut other = ObjectBuilder::for_os(OsAbi::Pal, AbiVersion::V3, EFlags::new(Processor::Gfx1030));
    function(&mut other, "callee", &[0, 0, 0x81, 0xbf]);
    let data_section = other.section(".data");
    other.append(data_section, &[7, 0, 0, 0], 4);
    other.add_symbol(symbol("g", data_section.place(), SymbolType::Object, Binding::Global));
    let other = other.finish().unwrap();
    let linked = CodeObject::parse(&link_files([data("pal.o").as_slice(), &other]).unwrap()).unwrap();
    let dynamic = linked.relocations.iter().find(|table| table.dynamic).unwrap();
    let kinds: Vec<&str> =
        dynamic.entries.iter().map(|rela| RelocationKind::by_number(rela.kind).unwrap().name()).collect();
    assert_eq!(kinds, ["R_AMDGPU_ABS32_HI", "R_AMDGPU_ABS32_LO", "R_AMDGPU_ABS32_HI", "R_AMDGPU_ABS32_LO"]);
    let base = 0x12_3456_0000;
    let image = LoadedImage::load(&linked, base).unwrap();
    let word = |at: u64| u64::from(u32::from_le_bytes(image.read(base + at, 4).unwrap().try_into().unwrap()));
    for (pair, name) in [(0, "callee"), (2, "g")] {
        let (high, low) = (dynamic.entries[pair].offset, dynamic.entries[pair + 1].offset);
        assert_eq!(word(high) << 32 | word(low), base + linked.symbol(name).unwrap().value, "{name}");
    }
    // A local symbol is nothing that a loader could be told of.
    let mut local = ObjectBuilder::for_os(OsAbi::Pal, AbiVersion::V3, EFlags::new(Processor::Gfx1030));
    let (text, offset, _) = function(&mut local, "f", &[0; 8]);
    let here = local.add_symbol(symbol("here", text.place(), SymbolType::NoType, Binding::Local));
    local.add_relocation(text, offset, RelocationKind::Abs32Lo, here, 0);
    let error = link_files([local.finish().unwrap().as_slice()]).unwrap_err().to_string();
    assert_eq!(
        error,
        "input 0: relocation R_AMDGPU_ABS32_LO at .text+0x0 against `here`: a 32-bit absolute address of a local symbol cannot be relocated by a loader"
    );
}

#[test]
fn every_static_relocation_is_applied() {
    use RelocationKind::*;
    // One field a kind, 16 bytes apart, all against `target` + 4.
    let kinds = [Rel32, Rel64, GotPcRel, GotPcRel32Lo, GotPcRel32Hi, Rel32Lo, Rel32Hi, Rel16, Abs64, None];
    let mut object = builder(Processor::Gfx1250);
    let (text, offset, _) = function(&mut object, "code", &[0; 256]);
    let (_, _, target) = function(&mut object, "target", &S_ENDPGM);
    for (index, kind) in kinds.into_iter().enumerate() {
        object.add_relocation(text, offset + 16 * index as u64, kind, target, 4);
    }
    let linked = CodeObject::parse(&link_files([object.finish().unwrap().as_slice()]).unwrap()).unwrap();
    let base = 0x7f00_0000_0000;
    let image = LoadedImage::load(&linked, base).unwrap();
    let address = |name: &str| base + linked.symbol(name).unwrap().value;
    let got = base + linked.sections[linked.section_by_name(".got").unwrap()].address;
    let (code, target) = (address("code"), address("target"));
    let read = |at: u64, size: usize| {
        image.read(at, size).unwrap().iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte))
    };
    assert_eq!(read(got, 8), target);
    for (index, kind) in kinds.into_iter().enumerate() {
        let place = code + 16 * index as u64;
        let relative = |to: u64| to.wrapping_add(4).wrapping_sub(place);
        let expected = match kind {
            Rel32 | Rel32Lo => relative(target) & 0xffff_ffff,
            Rel32Hi => relative(target) >> 32,
            Rel64 => relative(target),
            GotPcRel | GotPcRel32Lo => relative(got) & 0xffff_ffff,
            GotPcRel32Hi => relative(got) >> 32,
            Rel16 => (relative(target) - 4) / 4,
            Abs64 => target + 4,
            _ => 0,
        };
        assert_eq!(read(place, kind.size()), expected, "{kind}");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    use RelocationKind::*;
    let link = |kind, value: u64, addend| {
        let mut object = builder(Processor::Gfx1250);
        let (text, offset, _) = function(&mut object, "code", &[0; 16]);
        let mut far = symbol("far", Place::Absolute, SymbolType::NoType, Binding::Global);
        far.value = value;
        let far = object.add_symbol(far);
        object.add_relocation(text, offset + 12, kind, far, addend);
        link_files([object.finish().unwrap().as_slice()]).map_err(|error| error.to_string())
    };
    assert!(link(Abs32, 0xffff_fff0, 15).is_ok());
    for (kind, value, addend, why) in [
        (Abs32, 0xffff_fff0, 16, "the value 0x100000000 does not fit"),
        (Rel32, 1 << 40, 0, "does not fit"),
        (Rel16, 1 << 20, 0, "does not fit"),
        (Rel16, 0x1601, 0, "does not fit"),
        (Abs64, 0, 0, "its place is outside the section"),
        (Relative64, 0, 0, "is only for linked files"),
    ] {
        let error = link(kind, value, addend).unwrap_err();
        assert!(error.contains(kind.name()) && error.ends_with(why), "{error}");
    }
}

#[test]
fn a_loader_is_told_what_others_define() {
    // Turned by hand into what a linker makes that leaves the symbol to the loader.
    let (a, b) = (first(), second());
    let linked = link_files([a.as_slice(), b.as_slice()]).unwrap();
    let mut file = linked.clone();
    let object = CodeObject::parse(&linked).unwrap();
    let table = object.relocations.iter().find(|table| table.dynamic).unwrap();
    let at = object.sections[table.section].offset as usize;
    let index = object.dynamic_symbols.iter().position(|symbol| symbol.name == "callee").unwrap();
    file[at + 8..at + 12].copy_from_slice(&(RelocationKind::Abs64 as u32).to_le_bytes());
    file[at + 12..at + 16].copy_from_slice(&(index as u32).to_le_bytes());
    let symbols = object.sections.iter().position(|section| section.name == ".dynsym").unwrap();
    let symbol_at = object.sections[symbols].offset as usize + 24 * index;
    file[symbol_at + 6..symbol_at + 8].copy_from_slice(&[0, 0]);
    let object = CodeObject::parse(&file).unwrap();
    let error = LoadedImage::load(&object, 0x1000).unwrap_err();
    assert_eq!(error, LoadError::Undefined("callee".to_owned()));
    let image =
        LoadedImage::load_with(&object, 0x1000, &|name| (name == "callee").then_some(0x5555_0000)).unwrap();
    let rela = object.relocations.iter().find(|table| table.dynamic).unwrap().entries[0];
    let expected = 0x5555_0000u64.wrapping_add_signed(rela.addend);
    assert_eq!(image.read(0x1000 + rela.offset, 8), Some(&expected.to_le_bytes()[..]));
}

#[test]
fn common_symbols_get_memory() {
    let object = |size: u64, align: u64| {
        let mut object = builder(Processor::Gfx1250);
        let data = object.section(".data");
        object.append(data, &[0; 8], 8);
        let mut common = symbol("shared", Place::Common, SymbolType::Object, Binding::Global);
        (common.value, common.size) = (align, size);
        let common = object.add_symbol(common);
        object.add_relocation(data, 0, RelocationKind::Abs64, common, 0);
        object.finish().unwrap()
    };
    let (small, large) = (object(8, 8), object(64, 256));
    let linked = CodeObject::parse(&link_files([small.as_slice(), &large]).unwrap()).unwrap();
    let shared = linked.symbol("shared").unwrap();
    assert_eq!((shared.size, shared.value % 256), (64, 0));
    let image = LoadedImage::load(&linked, 0x7000_0000).unwrap();
    let data = linked.sections[linked.section_by_name(".data").unwrap()].address;
    for at in [data, data + 8] {
        let pointer = image.read(0x7000_0000 + at, 8).unwrap();
        assert_eq!(pointer, (0x7000_0000 + shared.value).to_le_bytes());
    }
    assert_eq!(image.read(0x7000_0000 + shared.value, 64), Some(&[0; 64][..]));

    // A definition elsewhere is what all of them mean.
    let mut defined = builder(Processor::Gfx1250);
    let data = defined.section(".data");
    defined.append(data, &[9; 4], 8);
    defined.add_symbol(symbol("shared", data.place(), SymbolType::Object, Binding::Global));
    let defined = defined.finish().unwrap();
    for order in [[small.as_slice(), &defined], [&defined, small.as_slice()]] {
        let linked = CodeObject::parse(&link_files(order).unwrap()).unwrap();
        let section = linked.sections[linked.section_by_name(".data").unwrap()].clone();
        let shared = linked.symbol("shared").unwrap();
        assert!((section.address..section.address + section.size).contains(&shared.value));
    }
    let error = link_files([object(1 << 40, 8).as_slice()]).unwrap_err().to_string();
    assert_eq!(
        error,
        "input 0: the common symbol `shared` of 1099511627776 bytes with the alignment 8 is not supported"
    );
}

#[test]
fn a_variable_in_lds_is_refused_by_name() {
    let mut object = builder(Processor::Gfx942);
    let mut variable = symbol("tile", Place::Lds, SymbolType::Object, Binding::Global);
    (variable.value, variable.size) = (16, 256);
    object.add_symbol(variable);
    let error = link_files([object.finish().unwrap().as_slice()]).unwrap_err().to_string();
    assert!(error.starts_with("input 0: variable `tile` in LDS has no address"), "{error}");
}
