//! Everything that a code object says, as text for people: header, sections, segments, symbols, relocations,
//! notes, metadata and kernel descriptors.

use std::fmt::{self, Write};

mod notes;

use crate::bundle::Bundle;
use crate::elf::{Binding, OsAbi, Place, Section, Symbol, SymbolType, Visibility, pf, pt, shf, sht};
use crate::read::{CodeObject, Kernel};
use crate::reloc::RelocationKind;
use crate::v2;

/// The text for a code object.
pub fn inspect(object: &CodeObject) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_all(&mut out, object);
    out
}

/// The text for a bundle: its entries.
pub fn inspect_bundle(bundle: &Bundle) -> String {
    let mut out = String::new();
    match bundle.compression {
        Some(c) => {
            let _ = writeln!(
                out,
                "offload bundle, compressed (CCOB version {}, {}), {} bytes unpacked{}",
                c.version as u16,
                c.method.name(),
                c.unpacked_size,
                if c.hash_matches { "" } else { ", the hash does not match" }
            );
        }
        None => out.push_str("offload bundle\n"),
    }
    for entry in &bundle.entries {
        let _ = writeln!(out, "  {:#10x} {:>10}  {}", entry.offset, entry.size, entry.id);
    }
    out
}

fn write_all(out: &mut String, object: &CodeObject) -> fmt::Result {
    header(out, object)?;
    segments(out, object)?;
    sections(out, object)?;
    symbols(out, object, "symbols", &object.symbols)?;
    symbols(out, object, "dynamic symbols", &object.dynamic_symbols)?;
    relocations(out, object)?;
    notes::notes(out, object)?;
    for kernel in &object.kernels {
        descriptor(out, kernel)?;
    }
    for kernel in &object.v2_kernels {
        v2_kernel(out, kernel)?;
    }
    Ok(())
}

fn header(out: &mut String, object: &CodeObject) -> fmt::Result {
    let kind = if object.is_relocatable() { "relocatable" } else { "shared object" };
    let version = match object.os {
        OsAbi::Hsa => format!("V{}", object.abi.code_object_version()),
        OsAbi::None => "of no operating system".to_owned(),
        other => format!("of {}", other.name()),
    };
    writeln!(out, "code object {version}, {kind}, {} bytes", object.bytes().len())?;
    writeln!(out, "target: {}", object.target())?;
    write!(out, "e_flags: {:#010x}", object.header.flags)?;
    if object.flags.generic_version != 0 {
        write!(out, ", generic version {}", object.flags.generic_version)?;
    }
    writeln!(out)
}

/// The characters of the flags that are set.
fn letters(flags: u64, table: &[(u64, char)]) -> String {
    table.iter().filter(|(bit, _)| flags & bit != 0).map(|(_, letter)| letter).collect()
}

fn segments(out: &mut String, object: &CodeObject) -> fmt::Result {
    if object.segments.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\nsegments:\n  type      offset     address            file       memory     flags align"
    )?;
    for segment in &object.segments {
        let kind = match segment.kind {
            pt::LOAD => "LOAD",
            pt::DYNAMIC => "DYNAMIC",
            pt::NOTE => "NOTE",
            pt::PHDR => "PHDR",
            pt::GNU_STACK => "STACK",
            pt::GNU_RELRO => "RELRO",
            _ => "",
        };
        let kind = if kind.is_empty() { format!("{:#x}", segment.kind) } else { kind.to_owned() };
        let flags = letters(
            segment.flags.into(),
            &[(u64::from(pf::R), 'R'), (u64::from(pf::W), 'W'), (u64::from(pf::X), 'X')],
        );
        writeln!(
            out,
            "  {kind:<9} {:#010x} {:#018x} {:#010x} {:#010x} {flags:<5} {:#x}",
            segment.offset, segment.address, segment.file_size, segment.memory_size, segment.align
        )?;
    }
    Ok(())
}

fn section_kind(section: &Section) -> String {
    let name = match section.kind {
        sht::NULL => "NULL",
        sht::PROGBITS => "PROGBITS",
        sht::SYMTAB => "SYMTAB",
        sht::STRTAB => "STRTAB",
        sht::RELA => "RELA",
        sht::HASH => "HASH",
        sht::DYNAMIC => "DYNAMIC",
        sht::NOTE => "NOTE",
        sht::NOBITS => "NOBITS",
        sht::DYNSYM => "DYNSYM",
        sht::GROUP => "GROUP",
        sht::GNU_HASH => "GNU_HASH",
        other => return format!("{other:#x}"),
    };
    name.to_owned()
}

fn sections(out: &mut String, object: &CodeObject) -> fmt::Result {
    writeln!(
        out,
        "\nsections:\n  index type      address            offset     size       flags align name"
    )?;
    for (index, section) in object.sections.iter().enumerate() {
        let flags = letters(
            section.flags,
            &[
                (shf::WRITE, 'W'),
                (shf::ALLOC, 'A'),
                (shf::EXECINSTR, 'X'),
                (shf::MERGE, 'M'),
                (shf::STRINGS, 'S'),
                (shf::INFO_LINK, 'I'),
                (shf::GROUP, 'G'),
                (shf::EXCLUDE, 'E'),
            ],
        );
        writeln!(
            out,
            "  {index:>5} {:<9} {:#018x} {:#010x} {:#010x} {flags:<5} {:>5} {}",
            section_kind(section),
            section.address,
            section.offset,
            section.size,
            section.align,
            section.name
        )?;
    }
    Ok(())
}

fn symbols(out: &mut String, object: &CodeObject, title: &str, symbols: &[Symbol]) -> fmt::Result {
    if symbols.len() <= 1 {
        return Ok(());
    }
    writeln!(
        out,
        "\n{title}:\n  value              size       type    binding visible   section          name"
    )?;
    for symbol in &symbols[1..] {
        let kind = match symbol.kind {
            SymbolType::NoType => "-".to_owned(),
            SymbolType::Object => "object".to_owned(),
            SymbolType::Func => "func".to_owned(),
            SymbolType::Section => "section".to_owned(),
            SymbolType::File => "file".to_owned(),
            SymbolType::HsaKernel => "kernel".to_owned(),
            SymbolType::Other(other) => other.to_string(),
        };
        let binding = match symbol.binding {
            Binding::Local => "local".to_owned(),
            Binding::Global => "global".to_owned(),
            Binding::Weak => "weak".to_owned(),
            Binding::Other(other) => other.to_string(),
        };
        let visibility = match symbol.visibility {
            Visibility::Default => "default",
            Visibility::Internal => "internal",
            Visibility::Hidden => "hidden",
            Visibility::Protected => "protected",
        };
        let section = match symbol.place {
            Place::Undefined => "undefined",
            Place::Absolute => "absolute",
            Place::Common => "common",
            Place::Lds => "LDS",
            Place::Section(index) => object.sections.get(index as usize).map_or("?", |s| s.name.as_str()),
        };
        writeln!(
            out,
            "  {:#018x} {:#010x} {kind:<7} {binding:<7} {visibility:<9} {section:<16} {}",
            symbol.value, symbol.size, symbol.name
        )?;
    }
    Ok(())
}

fn relocations(out: &mut String, object: &CodeObject) -> fmt::Result {
    for table in &object.relocations {
        let name = |index: usize| object.sections.get(index).map_or("?", |s| s.name.as_str());
        match table.target {
            Some(target) => writeln!(out, "\nrelocations of {}:", name(target))?,
            None => writeln!(out, "\ndynamic relocations ({}):", name(table.section))?,
        }
        let symbols = if table.dynamic { &object.dynamic_symbols } else { &object.symbols };
        for rela in &table.entries {
            let kind = RelocationKind::by_number(rela.kind)
                .map_or_else(|| format!("type {}", rela.kind), |kind| kind.to_string());
            let symbol = match symbols.get(rela.symbol as usize) {
                _ if rela.symbol == 0 => "",
                Some(symbol) => match (symbol.kind, symbol.place) {
                    (SymbolType::Section, Place::Section(index)) if symbol.name.is_empty() => {
                        name(index as usize)
                    }
                    _ => &symbol.name,
                },
                None => "?",
            };
            writeln!(out, "  {:#018x} {kind:<24} {symbol}{:+#x}", rela.offset, Signed(rela.addend))?;
        }
    }
    Ok(())
}

/// A number that prints its sign before `0x`.
struct Signed(i64);

impl fmt::LowerHex for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(self.0 >= 0, "0x", &format!("{:x}", self.0.unsigned_abs()))
    }
}

fn v2_kernel(out: &mut String, kernel: &v2::Kernel) -> fmt::Result {
    writeln!(
        out,
        "\nkernel {} (amd_kernel_code_t at {:#x}):",
        kernel.name,
        kernel.address.max(kernel.offset)
    )?;
    for (name, value) in kernel.code.fields() {
        writeln!(out, "  {name:<46} {value:#x}")?;
        if name == "code_properties" {
            for (name, value) in kernel.code.properties() {
                writeln!(out, "    {name:<44} {value}")?;
            }
        }
    }
    match kernel.code.unknown_properties() {
        0 => Ok(()),
        bits => writeln!(out, "  {:<46} {bits:#x}", "unknown bits of code_properties"),
    }
}

fn descriptor(out: &mut String, kernel: &Kernel) -> fmt::Result {
    let descriptor = &kernel.descriptor;
    writeln!(out, "\nkernel {} (descriptor at {:#x}):", kernel.name, kernel.address.max(kernel.offset))?;
    let mut line = |name: &str, value: &dyn fmt::Display| writeln!(out, "  {name:<46} {value}");
    line("GROUP_SEGMENT_FIXED_SIZE", &descriptor.group_segment_fixed_size)?;
    line("PRIVATE_SEGMENT_FIXED_SIZE", &descriptor.private_segment_fixed_size)?;
    line("KERNARG_SIZE", &descriptor.kernarg_size)?;
    line("KERNEL_CODE_ENTRY_BYTE_OFFSET", &descriptor.kernel_code_entry_byte_offset)?;
    for (field, value) in descriptor.fields() {
        line(field.name(), &value)?;
    }
    for (word, bits) in descriptor.unknown_bits() {
        line(&format!("unknown bits of {}", word.name()), &format_args!("{bits:#x}"))?;
    }
    if descriptor.reserved != [0; 28] {
        line("reserved bytes", &format_args!("{:02x?}", descriptor.reserved))?;
    }
    let limits = descriptor.limits();
    writeln!(
        out,
        "  = wave{}, {} VGPRs{}, {} SGPRs, {} user SGPRs, LDS at most {} bytes",
        descriptor.wave_size().lanes(),
        descriptor.vgprs(),
        descriptor.accum_offset().map_or_else(String::new, |offset| format!(" (AGPRs from {offset})")),
        descriptor.sgprs(),
        descriptor.user_sgprs(),
        limits.lds_bytes
    )
}
