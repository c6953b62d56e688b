//! Text of SMRD, SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, VBUFFER and VIMAGE instructions.

use wavemark_target::facts::CachePolicy;

use super::{Printer, scalar_alignment};
use crate::format::Addressing;
use crate::role::Class;
use crate::row::{OperandSpec, Row};
use crate::{Inst, Operand, Reg, RegFile, Special, buffer_format, cache_policy, swizzle};

/// Appends the instruction.
pub(super) fn print(p: &mut Printer, row: &Row, inst: &Inst) {
    p.text(row.mnemonic);
    let (Some(encoding), Some(addressing)) = (row.encoding(inst.form), row.memory.addressing) else { return };
    let tied = encoding.specs(row).filter(|spec| spec.class == Class::VgprOrAgpr).count() > 1;
    let mut first = true;
    for (spec, operand) in encoding.specs(row).zip(&inst.operands) {
        if addressing == Addressing::Flat && *operand == Operand::Off {
            continue;
        }
        p.text(if first { " " } else { ", " });
        first = false;
        if row.memory.prefetch && spec.role == "soffset" {
            signed_hex(p, inst.mods.offset);
            p.text(", ");
        }
        match operand {
            Operand::Reg(reg) if row.memory.unaligned && spec.role == "vdst" => p.register_name(reg),
            Operand::Reg(reg) if is_unchecked(spec, reg, addressing, tied) => p.register_name(reg),
            Operand::Reg(reg) if reg.file == RegFile::Agpr && !p.machine.facts().agpr_operands => {
                p.register_name(reg);
                let class = if reg.dwords == 1 {
                    "VGPR_32".to_owned()
                } else {
                    format!("VReg_{}", u32::from(reg.dwords) * 32)
                };
                invalid_register(p, &class);
            }
            Operand::Off if addressing == Addressing::ScalarBase => signed_hex(p, inst.mods.offset),
            Operand::Literal(value) => p.hex(*value),
            Operand::Special(special) => {
                p.operand(spec, operand);
                if let Some(class) = class_without(spec, *special, row) {
                    invalid_register(p, class);
                }
            }
            _ => p.operand(&printed_spec(spec, tied), operand),
        }
        // Data that are result and source are two operands to LLVM.
        if row.memory.scalar_atomic
            && spec.role == "sdata"
            && inst.mods.cpol & 1 != 0
            && let Operand::Reg(reg) = operand
            && reg.index % scalar_alignment(spec.ty.dwords()) != 0
        {
            p.note_alignment(reg, spec.ty.dwords());
        }
    }
    modifiers(p, row, inst, addressing);
}

/// What follows the operands.
fn modifiers(p: &mut Printer, row: &Row, inst: &Inst, addressing: Addressing) {
    match addressing {
        Addressing::ScalarBase => {
            let soffset = row.operand_index("soffset").and_then(|index| inst.operands.get(index));
            let register = matches!(soffset, Some(Operand::Reg(_) | Operand::Special(_)));
            let said = inst.mods.control == 0 && (row.memory.zero_offset || inst.mods.offset != 0);
            if register && !row.memory.prefetch && said {
                p.text(" offset:");
                signed_hex(p, inst.mods.offset);
            }
            cache_policy(p, row, inst);
        }
        Addressing::Lds if row.memory.swizzle => {
            if inst.mods.offset != 0 {
                p.text(" offset:");
                p.text(&swizzle::text(p.machine, inst.mods.offset as u16));
            }
            flag(p, inst.mods.gds, "gds");
        }
        Addressing::Lds => {
            number(p, "offset", inst.mods.offset);
            flag(p, inst.mods.gds || row.memory.gds, "gds");
        }
        Addressing::Lds2 => {
            number(p, "offset0", inst.mods.offset);
            number(p, "offset1", i32::from(inst.mods.offset1));
            flag(p, inst.mods.gds || row.memory.gds, "gds");
        }
        Addressing::Buffer | Addressing::TypedBuffer => {
            if addressing == Addressing::TypedBuffer {
                let format = buffer_format::text(p.machine.facts().buffer_formats, inst.mods.format);
                if !format.is_empty() {
                    p.text(" format:");
                    p.text(&format);
                }
            }
            flag(p, inst.mods.addr64, "addr64");
            flag(p, inst.mods.idxen, "idxen");
            flag(p, inst.mods.offen, "offen");
            number(p, "offset", inst.mods.offset);
            flag(p, row.memory.lds && row.memory.from_lds, "lds");
            cache_policy(p, row, inst);
            flag(p, inst.mods.tfe, "tfe");
            flag(p, row.memory.lds && !row.memory.from_lds, "lds");
        }
        Addressing::Flat | Addressing::Global | Addressing::Scratch | Addressing::Descriptor => {
            if inst.operands.is_empty() && row.memory.blank {
                p.text(" ");
            }
            number(p, "offset", inst.mods.offset);
            cache_policy(p, row, inst);
            flag(p, row.memory.lds, "lds");
        }
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

/// Whether LLVM prints a register as it is: the index and offset of typed buffers, data of GWS, and accumulation VGPRs
/// where one bit decides for two operands.
fn is_unchecked(spec: &OperandSpec, reg: &Reg, addressing: Addressing, tied: bool) -> bool {
    matches!((spec.role, addressing), ("vaddr", Addressing::TypedBuffer) | ("gwsdata", _))
        || tied && reg.file == RegFile::Agpr && spec.class == Class::VgprOrAgpr
}

/// The class that LLVM names in a comment where a special register cannot stand.
fn class_without(spec: &OperandSpec, special: Special, row: &Row) -> Option<&'static str> {
    match (spec.role, special) {
        ("saddr", Special::Exec) if !row.memory.any_saddr => Some("SReg_64_XEXEC_XNULL"),
        ("saddr", Special::ExecHi) => Some("SReg_32_XEXEC_HI"),
        ("sdata", Special::Exec) => Some("SReg_64_XEXEC"),
        ("sdata", Special::ExecLo | Special::ExecHi | Special::M0) => Some("SReg_32_XM0_XEXEC"),
        // LDS_DIRECT is for vector instructions.
        (_, Special::LdsDirect) => Some("SReg_32"),
        _ => None,
    }
}

fn invalid_register(p: &mut Printer, class: &str) {
    p.text("/*Invalid register, operand has '");
    p.text(class);
    p.text("' register class*/");
}

fn flag(p: &mut Printer, set: bool, name: &str) {
    if set {
        p.text(" ");
        p.text(name);
    }
}

fn number(p: &mut Printer, name: &str, value: i32) {
    if value != 0 {
        p.text(" ");
        p.text(name);
        p.text(":");
        p.number(i64::from(value));
    }
}

fn signed_hex(p: &mut Printer, value: i32) {
    if value < 0 {
        p.text("-");
    }
    p.hex(u64::from(value.unsigned_abs()));
}

pub(super) fn cache_policy(p: &mut Printer, row: &Row, inst: &Inst) {
    let cpol = inst.mods.cpol;
    let policy = p.machine.facts().cache_policy;
    if !matches!(policy, CachePolicy::ThScope | CachePolicy::ThScopeNv) {
        let scalar = row.memory.addressing == Some(Addressing::ScalarBase);
        for (word, bit) in cache_policy::words(policy, scalar) {
            flag(p, cpol >> bit & 1 != 0, word);
        }
        return;
    }
    let (th, scope) = (cpol & 7, cpol >> 3 & 3);
    flag(p, cpol >> 6 & 1 != 0, "scale_offset");
    if th != 0 {
        p.text(" th:");
        p.text(&cache_policy::hint_text(row.memory.hints, th, scope));
    }
    if scope != 0 {
        p.text(" scope:");
        p.text(cache_policy::SCOPES[usize::from(scope)]);
    }
    flag(p, cpol >> 5 & 1 != 0, "nv");
}
