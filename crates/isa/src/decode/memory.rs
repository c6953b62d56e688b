//! Decoding of the memory family beyond what its rows say: addresses whose presence and width depend on other
//! fields, offsets that are signed.

use super::{DecodeError, Input};
use crate::role::Class;
use crate::row::{Encoding, Row};
use crate::row::{Line, line};
use crate::{Inst, Machine, Mods, Operand, Reg, RegFile, Special, code};

/// Code of `saddr` that says that there is none.
pub(crate) fn no_saddr(machine: Machine) -> u32 {
    match line(machine) {
        Line::Early => 0x7f,
        Line::Late => 0x7c,
    }
}

/// Width of a signed offset field; `None` where the offset is unsigned.
pub(crate) fn signed_offset_bits(machine: Machine, format: &str, row: &Row) -> Option<u32> {
    match (line(machine), format) {
        (Line::Early, "SMEM")
            if row.attribute("memory") == Some("buffer") && !row.mnemonic.starts_with("s_buffer_atomic") =>
        {
            None
        }
        (Line::Early, "SMEM") => Some(21),
        (Line::Early, "GLOBAL" | "SCRATCH") => Some(13),
        (Line::Late, "SMEM" | "VFLAT" | "VGLOBAL" | "VSCRATCH") => Some(24),
        _ => None,
    }
}

/// Whether an SMEM instruction has a cache policy.
pub(crate) fn takes_cache_policy(machine: Machine, row: &Row) -> bool {
    row.attribute("memory") != Some("prefetch")
        && match line(machine) {
            Line::Early => ["scalar.load", "scalar.store", "scalar.atomic"].as_slice(),
            Line::Late => ["scalar.load"].as_slice(),
        }
        .iter()
        .any(|effect| row.attribute("mem").is_some_and(|mem| mem.starts_with(effect)))
}

/// Corrects an instruction whose fields have been read.
pub(super) fn finish(
    input: &Input,
    row: &Row,
    encoding: &Encoding,
    inst: &mut Inst,
) -> Result<(), DecodeError> {
    let format = encoding.format;
    if row.operands.is_empty() && !format.name.starts_with("DS") {
        inst.mods.offset = 0;
    }
    // With `tfe` a load returns one more dword, the fault status.
    if inst.mods.tfe
        && let Some(Operand::Reg(reg)) = inst.operands.first_mut()
    {
        reg.dwords += 1;
    }
    // Prefetches and scalar cache controls have the cache policy bits but do not use them.
    if format.name == "SMEM" && !takes_cache_policy(input.machine, row) {
        inst.mods.cpol = 0;
    }
    if let Some(bits) = signed_offset_bits(input.machine, format.name, row) {
        let shift = 32 - bits;
        inst.mods.offset = inst.mods.offset.wrapping_shl(shift) >> shift;
    }
    if line(input.machine) == Line::Early
        && format.name == "SMEM"
        && row.operand_index("soffset").is_some()
        && !smem_flags(input).1
    {
        // The offset field holds the SGPR's number, or nothing.
        inst.mods.control = 1;
        inst.mods.offset = 0;
    }
    Ok(())
}

/// Scalar offset enable and immediate enable of a gfx950 SMEM encoding.
fn smem_flags(input: &Input) -> (bool, bool) {
    (input.bits >> 14 & 1 != 0, input.bits >> 17 & 1 != 0)
}

/// An operand that its class does not decide.
pub(super) fn custom_operand(
    input: &Input,
    row: &Row,
    encoding: &Encoding,
    index: usize,
    code: u32,
    mods: &Mods,
) -> Option<Operand> {
    let spec = &row.operands[index];
    let field = |name: &str| encoding.format.field(name).map(|field| field.get(input.bits));
    let vgpr = |dwords| Some(Operand::Reg(Reg::new(RegFile::Vgpr, code as u16, dwords)));
    match (spec.role, encoding.format.name) {
        ("vaddr", "SCRATCH" | "VSCRATCH") => match field("sve") {
            Some(1) => vgpr(1),
            _ => Some(Operand::Off),
        },
        ("vaddr", "MUBUF" | "MTBUF" | "VBUFFER") => match (mods.offen, mods.idxen) {
            (false, false) => Some(Operand::Off),
            (true, true) => vgpr(2),
            _ => vgpr(1),
        },
        ("vaddr", _) => {
            let has_saddr =
                row.operand_index("saddr").is_some() && field("saddr") != Some(no_saddr(input.machine));
            vgpr(if has_saddr { 1 } else { 2 })
        }
        ("saddr", _) if code == no_saddr(input.machine) => Some(Operand::Off),
        ("saddr", _) => code::operand_of(input.machine, Class::ScalarReg, &spec.ty, code),
        ("soffset", "SMEM") if line(input.machine) == Line::Early => {
            let code = match smem_flags(input) {
                (true, _) => code,
                (false, true) => return Some(Operand::Off),
                (false, false) => (input.bits >> 32) as u32 & 0x7f,
            };
            code::operand_of(input.machine, Class::ScalarReg, &spec.ty, code)
        }
        ("soffset", "SMEM") => match code::operand_of(input.machine, Class::ScalarReg, &spec.ty, code) {
            Some(Operand::Special(Special::Null)) if row.attribute("memory") != Some("prefetch") => {
                Some(Operand::Off)
            }
            other => other,
        },
        ("soffset", "VBUFFER") => code::operand_of(input.machine, Class::ScalarReg, &spec.ty, code),
        ("soffset", _) => code::operand_of(input.machine, Class::ScalarSrc, &spec.ty, code)
            .filter(|operand| !matches!(operand, Operand::Literal(_))),
        _ => None,
    }
}
