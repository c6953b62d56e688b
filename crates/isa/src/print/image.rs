//! Text of image instructions.

use super::Printer;
use crate::image::{DIMENSIONS, Layout};
use crate::modifier;
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::{Inst, Operand};

/// Appends the instruction.
pub(super) fn print(p: &mut Printer, row: &Row, inst: &Inst) {
    p.text(row.mnemonic);
    let (Some(encoding), Some(image)) = (row.encoding(inst.form), row.image.as_deref()) else { return };
    // LLVM 22 prints a second space where a sampling instruction has a list of addresses behind it.
    let list = matches!(inst.operands.get(1), Some(Operand::List(_)));
    if list && image.sampler && matches!(image.layout, Layout::Nsa(_)) {
        p.text(" ");
    }
    for (n, (spec, operand)) in encoding.specs(row).zip(&inst.operands).enumerate() {
        p.text(if n == 0 { " " } else { ", " });
        match operand {
            Operand::Reg(reg) if p.machine.facts().vgpr_tuple_alignment > 1 => {
                // An address is a VGPR.
                let class = if spec.role == "vaddr" { Class::Vgpr } else { spec.class };
                p.register(&OperandSpec { class, ..spec.clone() }, reg);
            }
            Operand::Reg(reg) if spec.class != Class::ScalarReg => p.register_name(reg),
            _ => p.operand(spec, operand),
        }
    }
    modifiers(p, row, encoding, inst);
}

fn modifiers(p: &mut Printer, row: &Row, encoding: &Encoding, inst: &Inst) {
    if encoding.format.field("dmask").is_some() && inst.mods.dmask != 0 {
        p.text(" dmask:");
        p.hex(inst.mods.dmask.into());
    }
    if encoding.format.field("dim").is_some() {
        p.text(" dim:SQ_RSRC_IMG_");
        p.text(DIMENSIONS[usize::from(inst.mods.dim & 7)].name);
    }
    flag(p, encoding, inst, "unorm");
    if encoding.format.field("scope").is_some() {
        super::memory::cache_policy(p, row, inst);
    } else {
        for name in p.machine.facts().cache_policy.words() {
            flag(p, encoding, inst, name);
        }
    }
    for name in ["r128", "a16", "tfe", "lwe", "da", "d16"] {
        flag(p, encoding, inst, name);
    }
}

/// A switch of one bit, if the encoding has it.
fn flag(p: &mut Printer, encoding: &Encoding, inst: &Inst, name: &str) {
    if encoding.format.field(name).is_some()
        && modifier::by_name(name).is_some_and(|modifier| (modifier.get)(&inst.mods) != 0)
    {
        p.text(" ");
        p.text(name);
    }
}
