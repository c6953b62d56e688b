//! Text of SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, VBUFFER and VIMAGE instructions.

use crate::row::{Line, line};
use std::fmt::Write;

use super::Printer;
use crate::memory::{self, Hints};
use crate::role::Class;
use crate::row::{OperandSpec, Row};
use crate::{Inst, Operand};

/// Which temporal hints the instruction takes.
pub(crate) fn hints(row: &Row) -> Hints {
    match row.attribute("memory") {
        Some("store") => Hints::Store,
        None if row.has("memory.blank") => Hints::Store,
        Some("atomic" | "atomic_return") => Hints::Atomic,
        _ => Hints::Load,
    }
}

/// Appends the instruction.
pub(super) fn print(p: &mut Printer, row: &Row, inst: &Inst) {
    p.text(row.mnemonic);
    let Some(encoding) = row.encoding(inst.form) else { return };
    let format = encoding.format.name;
    let prefetch = row.attribute("memory") == Some("prefetch") && format == "SMEM";
    let tied = encoding.specs(row).filter(|spec| spec.class == Class::VgprOrAgpr).count() > 1;
    let mut first = true;
    for (spec, operand) in encoding.specs(row).zip(&inst.operands) {
        if format == "VFLAT" && *operand == Operand::Off {
            continue;
        }
        separate(p, &mut first);
        if prefetch && spec.role == "soffset" {
            signed_hex(p, inst.mods.offset);
            p.text(", ");
        }
        match operand {
            Operand::Reg(reg) if row.has("memory.unaligned") && spec.role == "vdst" => p.register_name(reg),
            Operand::Off if format == "SMEM" => signed_hex(p, inst.mods.offset),
            _ => p.operand(&printed_spec(spec, tied), operand),
        }
    }
    match format {
        "SMEM" => scalar_modifiers(p, row, inst, prefetch),
        "DS" if row.attribute("memory") == Some("swizzle") => {
            if inst.mods.offset != 0 {
                p.text(" offset:");
                p.text(&memory::swizzle_text(inst.mods.offset as u16));
            }
        }
        "DS" => offset(p, inst),
        "DS_2ADDR" => {
            for (name, value) in
                [(" offset0:", inst.mods.offset), (" offset1:", i32::from(inst.mods.offset1))]
            {
                if value != 0 {
                    p.text(name);
                    p.number(i64::from(value));
                }
            }
        }
        "MUBUF" | "MTBUF" | "VBUFFER" => {
            if format == "MTBUF" {
                typed_format(p, inst.mods.format);
            }
            if inst.mods.idxen {
                p.text(" idxen");
            }
            if inst.mods.offen {
                p.text(" offen");
            }
            offset(p, inst);
            cache_policy(p, row, inst);
            if inst.mods.tfe {
                p.text(" tfe");
            }
            if row.attribute("memory") == Some("lds") {
                p.text(" lds");
            }
        }
        _ => {
            if inst.operands.is_empty() && row.has("memory.blank") {
                p.text(" ");
            }
            offset(p, inst);
            cache_policy(p, row, inst);
        }
    }
    if row.mnemonic.starts_with("ds_gws") {
        p.text(" gds");
    }
}

/// The class that prints a custom operand: registers by their own width.
fn printed_spec(spec: &OperandSpec, tied: bool) -> OperandSpec {
    match spec.role {
        // Where one bit decides for two operands, LLVM names the class of the one file.
        _ if tied && spec.class == Class::VgprOrAgpr => OperandSpec { class: Class::Vgpr, ..spec.clone() },
        "vaddr" => OperandSpec { class: Class::Vgpr, ..spec.clone() },
        _ => spec.clone(),
    }
}

fn separate(p: &mut Printer, first: &mut bool) {
    p.text(if *first { " " } else { ", " });
    *first = false;
}

fn signed_hex(p: &mut Printer, value: i32) {
    if value < 0 {
        p.text("-");
    }
    p.hex(u64::from(value.unsigned_abs()));
}

fn offset(p: &mut Printer, inst: &Inst) {
    if inst.mods.offset != 0 {
        p.text(" offset:");
        p.number(i64::from(inst.mods.offset));
    }
}

fn scalar_modifiers(p: &mut Printer, row: &Row, inst: &Inst, prefetch: bool) {
    let register =
        row.operand_index("soffset").is_some_and(|index| inst.operands.get(index) != Some(&Operand::Off));
    if register && !prefetch && inst.mods.control == 0 {
        p.text(" offset:");
        signed_hex(p, inst.mods.offset);
    }
    match line(p.machine) {
        Line::Early if inst.mods.cpol & 1 != 0 => p.text(" glc"),
        Line::Early => {}
        Line::Late => cache_policy(p, row, inst),
    }
}

pub(super) fn cache_policy(p: &mut Printer, row: &Row, inst: &Inst) {
    let cpol = inst.mods.cpol;
    match line(p.machine) {
        Line::Early => {
            for (bit, text) in [(0, " sc0"), (1, " nt"), (4, " sc1")] {
                if cpol >> bit & 1 != 0 {
                    p.text(text);
                }
            }
        }
        Line::Late => {
            let (th, scope) = (cpol & 7, cpol >> 3 & 3);
            if cpol >> 6 & 1 != 0 {
                p.text(" scale_offset");
            }
            if th != 0 {
                p.text(" th:");
                p.text(&memory::hint_text(hints(row), th, scope));
            }
            if scope != 0 {
                p.text(" scope:");
                p.text(memory::SCOPES[usize::from(scope)]);
            }
            if cpol >> 5 & 1 != 0 {
                p.text(" nv");
            }
        }
    }
}

/// Data and number format of a typed buffer instruction; the default (8 bits, unsigned normalised) is silent.
fn typed_format(p: &mut Printer, format: u8) {
    let (data, number) = (format & 15, format >> 4 & 7);
    let data_name = memory::DATA_FORMATS[usize::from(data)];
    let number_name = memory::NUMBER_FORMATS[usize::from(number)];
    let _ = match (data == 1, number == 0) {
        (true, true) => Ok(()),
        (true, false) => write!(p.out, " format:[{number_name}]"),
        (false, true) => write!(p.out, " format:[{data_name}]"),
        (false, false) => write!(p.out, " format:[{data_name},{number_name}]"),
    };
}
