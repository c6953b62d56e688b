//! Everything that a code object says, as text for people or as JSON: header, sections, segments, symbols, relocations,
//! notes, metadata and kernel descriptors.

use std::fmt::{self, Write};

mod json;
pub(crate) mod names;
mod notes;

pub use json::{inspect_bundle_json, inspect_core_json, inspect_json};

use crate::bundle::Bundle;
use crate::elf::{OsAbi, Symbol};
use crate::read::{CodeObject, Kernel};
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

fn segments(out: &mut String, object: &CodeObject) -> fmt::Result {
    if object.segments.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\nsegments:\n  type      offset     address            file       memory     flags align"
    )?;
    for segment in &object.segments {
        let (kind, flags) = (names::segment_kind(segment.kind), names::segment_flags(segment));
        writeln!(
            out,
            "  {kind:<9} {:#010x} {:#018x} {:#010x} {:#010x} {flags:<5} {:#x}",
            segment.offset, segment.address, segment.file_size, segment.memory_size, segment.align
        )?;
    }
    Ok(())
}

fn sections(out: &mut String, object: &CodeObject) -> fmt::Result {
    writeln!(
        out,
        "\nsections:\n  index type      address            offset     size       flags align name"
    )?;
    for (index, section) in object.sections.iter().enumerate() {
        let flags = names::section_flags(section);
        writeln!(
            out,
            "  {index:>5} {:<9} {:#018x} {:#010x} {:#010x} {flags:<5} {:>5} {}",
            names::section_kind(section),
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
        let kind = names::symbol_kind(symbol.kind);
        let binding = names::binding(symbol.binding);
        let visibility = names::visibility(symbol.visibility);
        let section = names::place(object, symbol.place);
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
        let name = |index: usize| names::section(object, index);
        match table.target {
            Some(target) => writeln!(out, "\nrelocations of {}:", name(target))?,
            None => writeln!(out, "\ndynamic relocations ({}):", name(table.section))?,
        }
        for rela in &table.entries {
            let kind = names::relocation_kind(rela.kind);
            let symbol = names::relocation_symbol(object, table, rela.symbol);
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
