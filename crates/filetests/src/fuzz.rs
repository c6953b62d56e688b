//! What each fuzz target checks, as functions: `cargo test` runs them for a second each on generated inputs, the
//! targets in `fuzz/` for as long as one likes. None may panic, hang, or break what it says it checks.

use wavemark_asm::{Source, assemble, disassemble};
use wavemark_codeobj::bundle::{self, Bundle, Method, SelectError, Version};
use wavemark_codeobj::core_file::{self, CoreFile};
use wavemark_codeobj::dwarf::inspect_dwarf;
use wavemark_codeobj::lines::LineTable;
use wavemark_codeobj::metadata::{pal, v2, validate};
use wavemark_codeobj::uri::CodeObjectUri;
use wavemark_codeobj::value::Value;
use wavemark_codeobj::{CodeObject, LoadedImage, Metadata, inspect, link};
use wavemark_diag::{SourceMap, render_short};
use wavemark_driver::input::{self, Lang};
use wavemark_driver::launch::{self, ArgValue, Purpose};
use wavemark_driver::npy;
use wavemark_driver::options::{Completion, RunOptions};
use wavemark_driver::report::Checked;
use wavemark_driver::run;
use wavemark_isa::effects::{Flow, effects};
use wavemark_isa::{NoSymbols, decode, encode, parse, print};
use wavemark_numerics::dtype::Dtype;
use wavemark_sim::{Global, RunConfig, alu, modelled};
use wavemark_target::{AbiVersion, Machine, Processor, Subtarget, Target, TargetId};
use wavemark_tile::Dialect;

/// A file that says it is a code object or core file: read, inspected, loaded, linked, disassembled.
pub fn elf(bytes: &[u8]) {
    if let Ok(core) = CoreFile::parse(bytes) {
        _ = core_file::inspect(&core);
    }
    // What cannot be run is shown all the same.
    let Ok(object) = CodeObject::parse_leniently(bytes) else { return };
    _ = inspect::inspect(&object);
    _ = inspect_dwarf(&object);
    let Ok(object) = CodeObject::parse(bytes) else {
        assert!(!object.violations.is_empty(), "refused without a reason");
        return;
    };
    _ = LoadedImage::load(&object, 0x1_0000_0000);
    _ = LoadedImage::load(&object, u64::MAX - 0xfff);
    _ = link(std::slice::from_ref(&object));
    if let Ok(lines) = LineTable::build(&object) {
        _ = lines.lookup(0);
    }
    for kernel in &object.kernels {
        _ = object.kernel_metadata(kernel);
    }
    _ = disassemble(&object, "");
}

/// Metadata as MessagePack and as YAML: a tree is validated as every version's; what can be read is written so that it
/// reads the same, and so as YAML.
pub fn metadata(bytes: &[u8]) {
    if let Some(value) = std::str::from_utf8(bytes).ok().and_then(|text| Value::from_yaml(text).ok()) {
        _ = validate(&value, AbiVersion::V2);
        _ = Metadata::from_value(v2::to_v3(value));
    }
    let Ok(value) = Value::from_message_pack(bytes) else { return };
    for abi in [AbiVersion::V2, AbiVersion::V3, AbiVersion::V6] {
        _ = validate(&value, abi);
    }
    _ = pal::validate(&value);
    _ = pal::to_yaml(&value);
    let Ok(metadata) = Metadata::from_message_pack(bytes) else {
        assert!(!validate(&value, AbiVersion::V6).is_empty(), "refused without a reason");
        return;
    };
    let again = Metadata::from_message_pack(&metadata.to_message_pack());
    assert_eq!(again.as_ref(), Ok(&metadata), "MessagePack does not read back");
    _ = Metadata::from_yaml(&metadata.to_yaml());
}

/// A bundle, plain or compressed: its entries are within it, and what they hold comes back when it is written again.
pub fn bundle(bytes: &[u8]) {
    let Ok(bundle) = Bundle::parse(bytes) else { return };
    _ = inspect::inspect_bundle(&bundle);
    if bundle.entries.len() > 64 {
        return;
    }
    let mut entries: Vec<(&str, &[u8])> = Vec::new();
    for entry in &bundle.entries {
        let data = bundle.data(entry);
        assert_eq!(data.len() as u64, entry.size, "an entry is cut");
        if let Some(target) = entry.target() {
            // The entry itself runs there, so something does.
            assert_ne!(
                bundle.select(&target.id).err(),
                Some(SelectError::None { device: target.id.to_string() })
            );
        }
        entries.push((&entry.id, data));
    }
    let total: usize = entries.iter().map(|(_, data)| data.len()).sum();
    // Entries may share their bytes, and many would fill the memory when they are written one by one.
    if total > 1 << 20 {
        return;
    }
    let plain = bundle::write(&entries);
    for file in [
        bundle::compress(&plain, Method::Zlib, Version::V2),
        bundle::compress(&plain, Method::Zstd, Version::V3),
    ] {
        let again = Bundle::parse(&file).expect("what we write reads");
        let same = again.entries.iter().map(|entry| (entry.id.as_str(), again.data(entry)));
        assert!(same.eq(entries.iter().copied()), "a bundle comes back different");
    }
}

/// A URI of a loaded code object: what can be read prints so that it reads the same.
pub fn uri(text: &str) {
    if let Ok(uri) = text.parse::<CodeObjectUri>() {
        assert_eq!(uri.to_string().parse(), Ok(uri));
    }
}

/// Assembly text: an object that can be read, or diagnostics that can be shown.
pub fn assembly(text: &str) {
    for processor in ["gfx950", "gfx1250"] {
        let Ok(id) = processor.parse::<TargetId>() else { continue };
        let Ok(subtarget) = Subtarget::new(Target::amdhsa(id), "") else { continue };
        let mut sources = SourceMap::new();
        let file = sources.add_text("fuzz.s", text);
        match assemble(Source { file, name: "fuzz.s", text }, &subtarget) {
            Ok(object) => elf(&object.elf),
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "refused without a reason");
                for diagnostic in &diagnostics {
                    _ = render_short(&sources, diagnostic);
                }
            }
        }
    }
}

/// Bytes as an instruction of every processor: what can be decoded prints, encodes, and decodes again to what prints
/// the same. The text may be read again or refused.
pub fn instruction(bytes: &[u8]) {
    for &processor in wavemark_target::Processor::ALL {
        for features in ["", "+real-true16", "+wavefrontsize64"] {
            let Ok(machine) = wavemark_isa::Machine::parse(processor.name(), features) else { continue };
            let Ok(inst) = decode(machine, bytes) else { continue };
            assert!(usize::from(inst.size) <= bytes.len(), "{processor} {bytes:02x?}: longer than there is");
            let text = print(machine, &inst);
            let Ok(encoded) = encode(machine, &inst) else { continue };
            let again = decode(machine, &encoded);
            let reprinted = again.as_ref().map(|inst| print(machine, inst));
            assert_eq!(reprinted.as_ref(), Ok(&text), "{processor} {bytes:02x?} encodes as {encoded:02x?}");
            _ = parse(machine, &text, &NoSymbols);
        }
    }
}

/// Instructions one behind the other in a kernel that is right otherwise: it runs to an end and says the same on one
/// thread and on two and without the host's vector instructions, watched, and the same outputs unwatched.
pub fn program(bytes: &[u8]) {
    let Some((&choice, code)) = bytes.split_first() else { return };
    let processors = ["gfx950", "gfx1250", "gfx90a", "gfx1100", "gfx942", "gfx1201", "gfx908", "gfx1030"];
    let processor = processors[usize::from(choice & 7)];
    let Ok(machine) = wavemark_isa::Machine::parse(processor, "") else { return };
    let mut lines = String::new();
    let mut at = 0;
    while at + 4 <= code.len() {
        let decoded = decode(machine, &code[at..]);
        let size = decoded.as_ref().map_or(4, |inst| usize::from(inst.size));
        // What leaves the line would leave the code.
        if decoded.is_ok_and(|inst| effects(machine, &inst).flow == Flow::Next) {
            let listed: Vec<String> = code[at..at + size].iter().map(|byte| byte.to_string()).collect();
            lines += &format!("\t.byte {}\n", listed.join(","));
        }
        at += size;
    }
    let unified = machine.limits().addressable_agprs > 0 && machine.facts().agpr_operands;
    let accumulation = if unified { "\t.amdhsa_accum_offset 256\n" } else { "" };
    let text = format!(
        "\t.amdgcn_target \"amdgcn-amd-amdhsa--{processor}\"\n\t.text\n\t.globl k\n\t.p2align 8\n\t.type k,@function\n\
         k:\n{lines}\ts_endpgm\n.Lend:\n\t.size k, .Lend-k\n\t.section .rodata,\"a\",@progbits\n\t.p2align 6\n\
         \t.amdhsa_kernel k\n\t.amdhsa_next_free_vgpr 256\n\t.amdhsa_next_free_sgpr 96\n{accumulation}\
         \t.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\t.amdhsa_group_segment_fixed_size 4096\n\
         \t.amdhsa_private_segment_fixed_size 256\n\t.end_amdhsa_kernel\n"
    );
    let input = input::from_bytes("fuzz.s".to_owned(), None, text.into_bytes(), Some(Lang::Asm));
    let input = input.unwrap_or_else(|diagnostic| panic!("{}", diagnostic.message));
    let run = |threads, check| {
        let options = RunOptions {
            threads: Some(threads),
            check,
            max_steps: Some(2_000),
            seed: u64::from(choice >> 3),
            completion: Completion::Random,
            ..RunOptions::default()
        };
        let mut sources = SourceMap::new();
        let report = run::run(&mut sources, &input, None, &options);
        report.map(|mut report| {
            report.stats.seconds = 0.0;
            report
        })
    };
    let watched = run(1, Checked::FULL);
    assert_eq!(watched, run(2, Checked::FULL), "threads make a difference");
    alu::limit_level(alu::Level::Portable);
    let portable = run(1, Checked::FULL);
    alu::limit_level(alu::Level::Avx512);
    assert_eq!(watched, portable, "the host's level makes a difference");
    let (Ok(watched), Ok(unwatched)) = (watched, run(1, Checked::default())) else { return };
    assert_eq!(watched.stats, unwatched.stats, "watching makes a difference");
    assert_eq!(watched.unsupported, unwatched.unsupported, "watching makes a difference");
}

/// A launch file: a launch, or mistakes with places.
pub fn launch(text: &str) {
    for purpose in [Purpose::Kernel, Purpose::Tile] {
        let mut sources = SourceMap::new();
        let file = sources.add_text("launch.toml", text);
        match launch::parse(file, text, purpose) {
            Ok(launch) => {
                let small = launch.args.iter().all(|arg| match &arg.value {
                    ArgValue::Buffer(buffer) => buffer.bytes <= 1 << 16,
                    ArgValue::Scalar(_) => true,
                });
                // There are no files where none are.
                if small {
                    _ = launch::fill(&launch, std::path::Path::new("/nonexistent"), 0);
                }
            }
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "refused without a reason");
                for diagnostic in &diagnostics {
                    _ = render_short(&sources, diagnostic);
                }
            }
        }
    }
}

/// A `.npy` file for some buffer: its bytes, as many as the buffer has, or a reason.
pub fn npy(bytes: &[u8]) {
    for (dtype, shape) in [(Dtype::F32, &[4u64][..]), (Dtype::U8, &[2, 3]), (Dtype::F4E2M1, &[8])] {
        if let Ok(data) = npy::read(dtype, shape, bytes) {
            let again = npy::write(dtype, shape, &data).expect("what was read");
            assert_eq!(npy::read(dtype, shape, &again).as_ref(), Ok(&data), "comes back different");
        }
    }
}

/// A TVMScript module: diagnostics with places, or a program. One that is well formed is printed in both dialects so
/// that it reads the same.
pub fn tvmscript(text: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add_text("fuzz.py", text);
    let module = match wavemark_frontend::parse(file, text) {
        Ok(module) => module,
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "refused without a reason");
            for diagnostic in &diagnostics {
                assert!(diagnostic.span().is_some(), "{}: no place", diagnostic.message);
                _ = render_short(&sources, diagnostic);
            }
            return;
        }
    };
    if wavemark_tile::verify(&module).is_err() {
        return;
    }
    for dialect in [Dialect::New, Dialect::Old] {
        let printed = wavemark_tile::print(&module, dialect);
        let file = sources.add_text("printed.py", printed.as_str());
        let again = match wavemark_frontend::parse(file, &printed) {
            Ok(again) => again,
            Err(diagnostics) => panic!("{}\n{printed}", render_short(&sources, &diagnostics[0])),
        };
        // The text is what counts: the name of a root block that is left out is not in it.
        if dialect == module.dialect {
            let reprinted = wavemark_tile::print(&again, dialect);
            assert_eq!(reprinted, printed, "comes back different");
        }
    }
}

/// A text of LLVM IR as a module; `None`: a diagnostic with a place.
fn module(sources: &mut SourceMap, text: &str) -> Option<wavemark_ir::Parsed> {
    let file = sources.add_text("fuzz.ll", text);
    match wavemark_ir::parse(file, text) {
        Ok(parsed) => Some(parsed),
        Err(diagnostic) => {
            assert!(diagnostic.span().is_some(), "{}: no place", diagnostic.message);
            _ = render_short(sources, &diagnostic);
            None
        }
    }
}

/// A module of LLVM IR that is valid.
fn valid_module(text: &str) -> Option<wavemark_ir::Module> {
    let parsed = module(&mut SourceMap::new(), text)?;
    wavemark_ir::verify(&parsed.module, None).is_empty().then_some(parsed.module)
}

/// A text of LLVM IR: a diagnostic with a place, or a module that is printed so that it reads the same.
pub fn llvm_ir(text: &str) {
    let mut sources = SourceMap::new();
    let Some(parsed) = module(&mut sources, text) else { return };
    let printed = wavemark_ir::print(&parsed.module);
    let file = sources.add_text("printed.ll", printed.as_str());
    let again = match wavemark_ir::parse(file, &printed) {
        Ok(again) => again.module,
        Err(diagnostic) => panic!("{}\n{printed}", render_short(&sources, &diagnostic)),
    };
    assert_eq!(wavemark_ir::print(&again), printed, "comes back different");
}

/// A module of LLVM IR is valid, or says where it is not. One that is valid is analysed and proven, and stays valid when its
/// waits are weakened.
pub fn llvm_ir_verify(text: &str) {
    let mut sources = SourceMap::new();
    let Some(parsed) = module(&mut sources, text) else { return };
    let violations = wavemark_ir::verify(&parsed.module, None);
    for violation in &violations {
        _ = render_short(&sources, &violation.diagnostic(&parsed.places));
    }
    if !violations.is_empty() {
        return;
    }
    let mut module = parsed.module;
    _ = wavemark_ir::marks::MarkedModule::of(&module).remarks();
    for (id, function) in module.functions() {
        _ = wavemark_ir::analysis::uniformity(&module, function);
        _ = wavemark_ir::lds::bytes(&module, id);
    }
    for kernel in kernels(&module) {
        _ = wavemark_ir::barriers::judge(&module, kernel, None);
        _ = wavemark_ir::copies::tighten(&mut module, kernel, None);
    }
    assert_eq!(wavemark_ir::verify(&module, None), [], "tightened");
}

/// The kernels of a valid module of LLVM IR are executed for a few steps, with buffers for arguments that are pointers and
/// zeros for others, or refused.
pub fn llvm_ir_run(text: &str) {
    let Some(module) = valid_module(text) else { return };
    for kernel in kernels(&module) {
        executed(&module, kernel);
    }
}

fn kernels(module: &wavemark_ir::Module) -> Vec<wavemark_ir::module::Global> {
    let kernels = module.functions().filter(|(_, function)| function.is_kernel() && function.body.is_some());
    kernels.map(|(id, _)| id).collect()
}

/// A kernel of a valid module is executed, or refused.
fn executed(module: &wavemark_ir::Module, kernel: wavemark_ir::module::Global) {
    let mut memory = Global::new();
    let processor = wavemark_ir::target::of_module(module).or_else(|| Processor::by_name("gfx950"));
    let machine = processor.and_then(|processor| modelled(Machine::new(processor)).ok());
    let Some(machine) = machine else { return };
    let Ok(program) =
        wavemark_interp::prepare(module, kernel, machine, wavemark_interp::Converge::Maximal, &mut memory)
    else {
        return;
    };
    let Ok((parameters, bytes)) = wavemark_interp::parameters(module, kernel) else { return };
    let mut kernarg = vec![0; usize::try_from(bytes).unwrap_or(0).min(1 << 16) + 256];
    for parameter in parameters.iter().filter(|parameter| parameter.pointer && parameter.bytes == 8).take(16)
    {
        let buffer = memory.allocate("buffer", vec![0; 4096], true);
        let at = usize::try_from(parameter.offset).unwrap_or(usize::MAX);
        if let Some(place) = kernarg.get_mut(at..).and_then(|rest| rest.get_mut(..8)) {
            place.copy_from_slice(&buffer.to_le_bytes());
        }
    }
    let launch = wavemark_interp::Launch {
        races: true,
        record: true,
        grid: [2, 1, 1],
        block: [70, 1, 1],
        cluster: None,
        dynamic_lds: 256,
        kernarg,
        watch: None,
    };
    let config = RunConfig { max_steps: 2000, max_total_steps: 20_000, ..RunConfig::default() };
    _ = wavemark_interp::run(&program, &launch, &config, &mut memory);
}
