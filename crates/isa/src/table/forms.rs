//! Which further forms an instruction has beside the one that its row writes, and their opcodes: the rules of the
//! manuals' encoding chapters, so that rows say only the exceptions (`!dpp`, `e64=0x…`).
//!
//! * An instruction of VOP1, VOP2 or VOPC has a VOP3 form: opcode VOPC + 0, VOP2 + 0x100, VOP1 + 0x180 (gfx6, gfx7,
//!   gfx10 on) or + 0x140 (gfx8, gfx9). The format is VOP3SD where there is a scalar destination beside `vdst`.
//! * DPP16 extends VOP1 and VOP2 from gfx8 on, VOPC and the VOP3 formats from gfx11 on; DPP8 the same from gfx10 on;
//!   SDWA VOP1, VOP2 and VOPC from gfx8 to gfx10.
//! * Nothing extends instructions with a mandatory literal, with a result in SGPRs in place of a VGPR, or with
//!   operands of more than 32 bits; but DPP16 does extend the wide instructions of gfx8 and gfx9, and on gfx1251 those
//!   whose operands have at most 64 bits, compares excepted.

use wavemark_target::InstructionSet;

use crate::role::Class;
use crate::table::read::OperandDef;

/// A form that follows from another: its format's name and opcode.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) format: String,
    pub(crate) opcode: u32,
    /// The token that a row writes to say that it does not have it.
    pub(crate) name: &'static str,
}

/// The forms that follow from `format` with `opcode` on one instruction set. `e64` is the opcode of the VOP3 form
/// where the row says it.
pub(crate) fn derived(
    set: InstructionSet,
    format: &str,
    opcode: u32,
    e64: Option<u32>,
    operands: &[OperandDef],
) -> Vec<Derived> {
    let mut forms = Vec::new();
    let short = matches!(format, "VOP1" | "VOP2" | "VOPC");
    let compare = format == "VOPC";
    if !short && !matches!(format, "VOP3" | "VOP3SD" | "VOP3P") {
        return forms;
    }
    if operands.iter().any(|operand| matches!(operand.class, Class::Literal32 | Class::Literal64)) {
        return forms;
    }
    let has = |role: &str| operands.iter().any(|operand| operand.role == role);
    let scalar_result = has("sdst") && !has("vdst") && !compare;
    let extensible = !scalar_result && !has("adst") && !has("asrc");
    let widest = operands.iter().filter_map(|operand| operand.bits).max().unwrap_or(0);
    let wide = widest > 32;
    let mut extend = |format: &str, opcode: u32| {
        let vop3 = format.starts_with("VOP3");
        let late = vop3 || compare;
        let wide_dpp16 = match set {
            InstructionSet::Gfx1251 => widest <= 64 && !compare,
            _ => set <= InstructionSet::Gfx950,
        };
        let dpp16 = set >= if late { InstructionSet::Gfx1100 } else { InstructionSet::Gfx801 }
            && (!wide || wide_dpp16);
        let dpp8 = set >= if late { InstructionSet::Gfx1100 } else { InstructionSet::Gfx1010 } && !wide;
        let sdwa = !vop3 && !wide && (InstructionSet::Gfx801..=InstructionSet::Gfx1030).contains(&set);
        let names = if vop3 { ["e64_dpp16", "e64_dpp8", ""] } else { ["dpp16", "dpp8", "sdwa"] };
        for (holds, suffix, name) in
            [(dpp16, "DPP16", names[0]), (dpp8, "DPP8", names[1]), (sdwa, "SDWA", names[2])]
        {
            if holds && extensible {
                forms.push(Derived { format: format!("{format}_{suffix}"), opcode, name });
            }
        }
    };
    extend(format, opcode);
    if short {
        let base = match format {
            "VOPC" => 0,
            "VOP2" => 0x100,
            _ if (InstructionSet::Gfx801..=InstructionSet::Gfx950).contains(&set) => 0x140,
            _ => 0x180,
        };
        let opcode = e64.unwrap_or(base + opcode);
        let wide_format = if has("sdst") && has("vdst") { "VOP3SD" } else { "VOP3" };
        extend(wide_format, opcode);
        forms.push(Derived { format: wide_format.to_owned(), opcode, name: "e64" });
    }
    forms
}
