//! Text of image instructions.

use std::fmt::Write;

use super::Printer;
use crate::image::{DIMENSIONS, Layout, Word};
use crate::role::Class;
use crate::row::{OperandSpec, Row};
use crate::{Inst, Operand, RegFile};

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
            Operand::Reg(reg) if spec.class == Class::ScalarReg && reg.file == RegFile::Vgpr => {
                p.register_name(reg);
                let bits = u32::from(reg.dwords) * 32;
                let _ = write!(p.out, "/*Invalid register, operand has 'SReg_{bits}_XNULL' register class*/");
            }
            Operand::Int(_) | Operand::Float(_) => {
                p.operand(spec, operand);
                p.text("/*Invalid immediate*/");
            }
            Operand::Reg(reg) if p.machine.facts().vgpr_tuple_alignment > 1 => {
                // An address is a VGPR.
                let class = if spec.role == "vaddr" { Class::Vgpr } else { spec.class };
                p.register(&OperandSpec { class, ..spec.clone() }, reg);
            }
            Operand::Reg(reg) if spec.class != Class::ScalarReg => p.register_name(reg),
            _ => p.operand(spec, operand),
        }
    }
    for word in &image.words {
        match word {
            Word::Dmask if inst.mods.dmask != 0 => {
                p.text(" dmask:");
                p.hex(inst.mods.dmask.into());
            }
            Word::Dmask => {}
            Word::Dim => {
                p.text(" dim:SQ_RSRC_IMG_");
                p.text(DIMENSIONS[usize::from(inst.mods.dim & 7)].name);
            }
            Word::Switch(modifier) if (modifier.get)(&inst.mods) != 0 => {
                p.text(" ");
                p.text(modifier.name);
            }
            Word::Switch(_) => {}
            Word::Policy => super::memory::cache_policy(p, row, inst),
        }
    }
}
