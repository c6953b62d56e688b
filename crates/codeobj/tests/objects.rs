//! Objects for the tests, built by the writer.

use std::io::Write;

use wavemark_codeobj::descriptor::Field;
use wavemark_codeobj::elf::{Binding, Place, Symbol, SymbolType, Visibility};
use wavemark_codeobj::write::{ObjectBuilder, SectionId, SymbolId};
use wavemark_codeobj::*;
use wavemark_target::{AbiVersion, EFlags, Machine, Processor};

pub const S_ENDPGM: [u8; 4] = 0xbfb0_0000u32.to_le_bytes();

pub fn symbol(name: &str, place: Place, kind: SymbolType, binding: Binding) -> Symbol {
    let visibility = Visibility::Default;
    Symbol { name: name.to_owned(), value: 0, size: 0, binding, kind, visibility, place }
}

pub fn builder(processor: Processor) -> ObjectBuilder {
    ObjectBuilder::new(AbiVersion::V5, EFlags::new(processor))
}

/// Appends a function to `.text` and gives its symbol.
pub fn function(object: &mut ObjectBuilder, name: &str, code: &[u8]) -> (SectionId, u64, SymbolId) {
    let text = object.section(".text");
    let offset = object.append(text, code, 256);
    let mut at = symbol(name, text.place(), SymbolType::Func, Binding::Global);
    (at.value, at.size, at.visibility) = (offset, code.len() as u64, Visibility::Protected);
    (text, offset, object.add_symbol(at))
}

pub fn kernel(object: &mut ObjectBuilder, processor: Processor, name: &str, code: &[u8]) -> (SectionId, u64) {
    let (text, offset, entry) = function(object, name, code);
    let mut descriptor = KernelDescriptor::defaults(Machine::new(processor));
    descriptor.set(Field::EnableSgprKernargSegmentPtr, 1).unwrap();
    descriptor.kernarg_size = 16;
    object.add_kernel_descriptor(name, &descriptor, entry);
    (text, offset)
}

pub fn metadata(names: &[&str]) -> Metadata {
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

/// [`second`] with a line table: `a.s:3` at offset 0, `a.s:4:7` at 4, the end at 8.
pub fn with_lines() -> Vec<u8> {
    let mut object = builder(Processor::Gfx1250);
    let (text, _) = kernel(&mut object, Processor::Gfx1250, "k", &[S_ENDPGM, S_ENDPGM].concat());
    let section = object.add_symbol(symbol("", text.place(), SymbolType::Section, Binding::Local));
    let tables = [
        1u8, 1, 1, 0xfb, 14,
        13, // minimum length, operations, default statement, line base and range, opcodes
        0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, // operands of the standard opcodes
        0, // no directories
        b'a', b'.', b's', 0, 0, 0, 0, 0, // one file
    ];
    let program = [
        0u8, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, // set the address
        3, 2, 1, // line 3, row
        5, 7, 2, 4, 3, 1, 1, // column 7, 4 bytes on, line 4, row
        2, 4, 0, 1, 1, // 4 bytes on, end
    ];
    let mut line = Vec::new();
    line.extend((2 + 4 + tables.len() as u32 + program.len() as u32).to_le_bytes());
    line.extend(4u16.to_le_bytes());
    line.extend((tables.len() as u32).to_le_bytes());
    line.extend(tables);
    let address = line.len() as u64 + 3;
    line.extend(program);
    let debug_line = object.section(".debug_line");
    object.append(debug_line, &line, 1);
    object.add_relocation(debug_line, address, RelocationKind::Abs64, section, 0);
    object.add_metadata(&metadata(&["k"]));
    object.finish().unwrap()
}

/// A bundle compressed with zlib, as version 2 of the format.
pub fn compressed(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(plain).unwrap();
    let packed = encoder.finish().unwrap();
    let mut out = b"CCOB".to_vec();
    out.extend(2u16.to_le_bytes());
    out.extend(0u16.to_le_bytes());
    out.extend((24 + packed.len() as u32).to_le_bytes());
    out.extend((plain.len() as u32).to_le_bytes());
    out.extend(0x1234_5678_9abc_def0u64.to_le_bytes());
    out.extend(packed);
    out
}

/// A file of `tests/data`.
pub fn data(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The metadata of a V2 code object with one kernel.
pub const V2_YAML: &str = "---
Version: [ 1, 0 ]
Printf:
  - '1:1:4:%d\\n'
Kernels:
  - Name: k
    SymbolName: 'k@kd'
    Language: OpenCL C
    LanguageVersion: [ 2, 0 ]
    Attrs:
      ReqdWorkGroupSize: [ 64, 1, 1 ]
    Args:
      - { Name: p, TypeName: 'int*', Size: 8, Align: 8, ValueKind: GlobalBuffer, AddrSpaceQual: Global, IsConst: true }
      - { Name: n, Size: 1, Align: 1, ValueKind: ByValue }
      - { Size: 8, Align: 8, ValueKind: HiddenMultiGridSyncArg }
    CodeProps:
      KernargSegmentSize: 24
      GroupSegmentFixedSize: 0
      PrivateSegmentFixedSize: 0
      KernargSegmentAlign: 8
      WavefrontSize: 64
      NumSGPRs: 8
      NumVGPRs: 4
      MaxFlatWorkGroupSize: 256
...
";

/// A linked code object V2 for gfx900 with XNACK, by way of V3: the header and the notes are V2's.
pub fn v2(yaml: &str) -> Vec<u8> {
    let flags = EFlags::new("gfx900:xnack-".parse::<wavemark_target::TargetId>().unwrap());
    let mut object = ObjectBuilder::new(AbiVersion::V3, flags);
    let text = object.section(".text");
    let mut code = vec![0u8; 256];
    for (at, bytes) in [
        (0, &[1u8, 0, 0, 0, 2, 0, 0, 0, 1, 0, 9, 0, 0, 0, 1, 0][..]),
        (16, &256i64.to_le_bytes()),
        (48, &0x000c_0040u32.to_le_bytes()),
        (56, &(1u32 << 3 | 1 << 19).to_le_bytes()),
        (60, &16u32.to_le_bytes()),
        (64, &1024u32.to_le_bytes()),
        (72, &24u64.to_le_bytes()),
        (84, &[8, 0, 4, 0]),
        (100, &[4, 4, 4, 6]),
    ] {
        code[at..at + bytes.len()].copy_from_slice(bytes);
    }
    code.extend(0xbf81_0000u32.to_le_bytes());
    let offset = object.append(text, &code, 256);
    let mut at = symbol("k", text.place(), SymbolType::HsaKernel, Binding::Global);
    (at.value, at.size) = (offset, code.len() as u64);
    object.add_symbol(at);
    let mut note = |kind, description: &[u8]| {
        object.add_note(note::Note {
            name: "AMD".to_owned(),
            kind,
            description: description.to_vec(),
            offset: 0,
        });
    };
    note(1, &[2, 0, 0, 0, 1, 0, 0, 0]);
    note(3, b"\x04\x00\x07\x00\x09\0\0\0\0\0\0\0\x01\0\0\0AMD\0AMDGPU\0");
    note(11, b"amdgcn-amd-amdhsa--gfx900+xnack");
    note(10, yaml.as_bytes());
    let mut linked = link::link_files([object.finish().unwrap().as_slice()]).unwrap();
    linked[8] = 0;
    linked
}

/// A split core file with one agent and one queue.
pub fn core() -> Vec<u8> {
    let mut snapshot = Vec::new();
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    snapshot.extend(words(&[1, 17, 16, 0, 1, 120, 1, 72]));
    snapshot.extend(words(&[0x1000, 0, 1, 1]));
    let mut agent = vec![0u32; 30];
    (agent[14], agent[22], agent[27]) = (0x4321, 90402, 8);
    snapshot.extend(words(&agent));
    let mut queue = vec![0u32; 18];
    (queue[10], queue[11], queue[13]) = (7, 0x4321, 2);
    snapshot.extend(words(&queue));
    let mut notes = words(&[7, snapshot.len() as u32, 33]);
    notes.extend(b"AMDGPU\0\0");
    notes.extend(&snapshot);

    let mut file = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 64, 3, 0, 0, 0, 0, 0, 0, 0];
    file.extend([4, 0, 224, 0, 1, 0, 0, 0]);
    for word in [0u64, 64, 0] {
        file.extend(word.to_le_bytes());
    }
    file.extend([0, 0, 0, 0, 64, 0, 56, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    let memory = [0xabu8; 32];
    let at = 64 + 2 * 56;
    for (kind, flags, offset, address, size, align) in [
        (4u32, 4u32, at, 0u64, notes.len(), 4u64),
        (1, 6, at + notes.len(), 0x7f00_0000_0000, memory.len(), 1),
    ] {
        file.extend(kind.to_le_bytes());
        file.extend(flags.to_le_bytes());
        for word in [offset as u64, address, address, size as u64, size as u64, align] {
            file.extend(word.to_le_bytes());
        }
    }
    file.extend(notes);
    file.extend(memory);
    file
}
