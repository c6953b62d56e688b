//! Blocks of `.amdhsa_` directives for every processor, against the bytes that LLVM 22 makes of them.
//!
//! A line of `data/descriptors.txt` is processor and features, directives, and the 64 bytes with the distance to the
//! code as 0: `gfx942 +xnack | next_free_vgpr 4; … | hex`. `cargo xtask descriptors --write` makes such lines at
//! random and asks LLVM; `WAVEMARK_DESCRIPTORS` names a further file of them.

use std::fmt::Write as _;

use wavemark_asm::{Source, assemble, disassemble};
use wavemark_codeobj::CodeObject;
use wavemark_codeobj::descriptor::{KernelDescriptor, SIZE};
use wavemark_diag::SourceMap;
use wavemark_target::{Subtarget, Target};

struct Case<'t> {
    subtarget: Subtarget,
    features: &'t str,
    directives: Vec<&'t str>,
    bytes: [u8; SIZE],
}

fn case(line: &str) -> Case<'_> {
    let parts: Vec<&str> = line.split(" | ").collect();
    let &[machine, directives, hex] = parts.as_slice() else { panic!("not three parts: {line}") };
    let (processor, features) = machine.split_once(' ').unwrap();
    let features = if features == "-" { "" } else { features };
    let target = Target::amdhsa(processor.parse::<wavemark_target::TargetId>().unwrap());
    let byte = |i: usize| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap();
    Case {
        subtarget: Subtarget::new(target, features).unwrap(),
        features,
        directives: directives.split("; ").collect(),
        bytes: std::array::from_fn(byte),
    }
}

/// The object of a text, or what was said about it.
fn object(text: &str, subtarget: &Subtarget) -> Result<CodeObject, String> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("kernel.s", text.to_owned());
    match assemble(Source { file, name: "kernel.s", text }, subtarget) {
        Ok(object) => Ok(CodeObject::parse(&object.elf).unwrap()),
        Err(diagnostics) => Err(format!("{diagnostics:?}")),
    }
}

fn descriptor(object: &CodeObject) -> KernelDescriptor {
    object.kernels[0].descriptor
}

fn text(case: &Case<'_>) -> String {
    let mut text =
        String::from(".text\nk:\n.section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n");
    for directive in &case.directives {
        _ = writeln!(text, "  .amdhsa_{directive}");
    }
    text + ".end_amdhsa_kernel\n"
}

fn lines() -> Vec<String> {
    let mut text = include_str!("data/descriptors.txt").to_owned();
    if let Some(more) = std::env::var_os("WAVEMARK_DESCRIPTORS") {
        text += &std::fs::read_to_string(more).unwrap();
    }
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn blocks_are_llvms_bytes() {
    let mut wrong = 0;
    for line in lines() {
        let case = case(&line);
        match object(&text(&case), &case.subtarget) {
            Ok(object) if descriptor(&object).encode() == case.bytes => {}
            Ok(object) => {
                let theirs = KernelDescriptor::decode(&case.bytes, case.subtarget.processor());
                eprintln!("{line}");
                for (ours, theirs) in descriptor(&object).fields().zip(theirs.fields()) {
                    if ours != theirs {
                        eprintln!("    {} is {}, LLVM has {}", ours.0.name(), ours.1, theirs.1);
                    }
                }
                wrong += 1;
            }
            Err(message) => {
                eprintln!("{line}\n    {message}");
                wrong += 1;
            }
        }
    }
    assert_eq!(wrong, 0, "descriptors that are not LLVM's");
}

/// What the disassembler prints of a descriptor gives its bytes again.
#[test]
fn descriptors_come_back_from_text() {
    for line in lines() {
        let case = case(&line);
        let first = object(&text(&case), &case.subtarget).unwrap();
        let printed = disassemble(&first, case.features).unwrap();
        assert!(printed.contains(".amdhsa_kernel k"), "{line}\n{printed}");
        let again =
            object(&printed, &case.subtarget).unwrap_or_else(|error| panic!("{line}\n{printed}\n{error}"));
        assert_eq!(descriptor(&again).encode(), case.bytes, "{line}\n{printed}");
    }
}
