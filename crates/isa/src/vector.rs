//! What a row of the vector family says beyond operands and encodings: which modifiers it takes.
//!
//! The values of a row's `vector=` attribute, separated by commas:
//!
//! | value | meaning |
//! |---|---|
//! | `clamp`, `omod` | the VOP3 and SDWA forms take `clamp`, `mul:`/`div:` |
//! | `modsN…`, `nomods` | `neg` and `abs` on these sources, on none; left out: on the sources of float type |
//! | `opselN` | `op_sel:[…]` of N bits in the VOP3 form, whatever the true16 mode |
//! | `bytesel`, `dstbytesel` | `byte_sel:` of the source (in op_sel 1:0, swapped), of the destination (3:2) |
//! | `scalesel` | `scale_sel:` in op_sel |
//! | `bitop3` | `bitop3:`, the truth table in neg, abs and omod |
//! | `swapctl` | `bound_ctrl:` and `fi:` in op_sel 1:0 |
//! | `plain` | the text has no `_e32` or `_e64` |
//! | `floatconst` | constants of 16-bit integer sources print as floats |
//! | `wholedst` | the destination has no halves and no SDWA selection |
//! | `halvesonly` | the instruction exists only where 16-bit registers are written as halves |
//! | `noopsel` | the text has no `op_sel` though operands are halves |
//! | `strictmods`, `idlemods` | modifier bits of sources that take none are forbidden, ignored |
//! | `noinline` | LLVM gives the source no inline constants, and shows those that are encoded as 32-bit patterns |
//! | `high` | `high` chooses the upper half of the attribute |
//! | `waitexp` | `wait_exp:`, always written, behind `clamp` and `op_sel` |
//! | `pairs` | `op_sel` does not choose of packed sources |
//! | `strictopsel` | the `op_sel` bit of a third source is forbidden, not ignored |
//! | `splat` | an inline constant stands for both halves of a packed source |
//! | `doubleunit` | DPP is that of 64-bit operands though these have 32 bits |
//! | `lane` | an access to one lane: LLVM calls it `_e32`, the lane is no literal |
//! | `nolds` | `lds_direct` is no source |
//! | `onescalar` | at most one scalar value is read, whatever the processor's limit |
//!
//! Where registers have halves (gfx11 on) a 16-bit operand in a VGPR is half a register ("true16"): bit 7 of the number in the 32-bit forms,
//! `op_sel` in the VOP3 forms.

use wavemark_target::InstFeature;

use crate::role::Class;
use crate::row::{OperandSpec, Row};
use crate::ty::Type;
use crate::{Form, Machine, Special};

/// Source code that says that a DPP8 dword follows.
pub(crate) const DPP8: u32 = 0xe9;
/// The same, and lanes that are off are read.
pub(crate) const DPP8_FI: u32 = 0xea;

/// Which modifiers a row takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    pub(crate) clamp: bool,
    pub(crate) omod: bool,
    /// Sources with `neg` and `abs`, a mask.
    pub(crate) mods: u8,
    /// Length of `op_sel`, 0 for none.
    pub(crate) op_sel: u8,
    pub(crate) byte_sel: bool,
    pub(crate) dst_byte_sel: bool,
    pub(crate) scale_sel: bool,
    pub(crate) bitop3: bool,
    pub(crate) swap_control: bool,
    pub(crate) plain: bool,
    pub(crate) float_constants: bool,
    /// Sources that the row has, a mask.
    pub(crate) sources: u8,
    /// Sources (bits 2:0) and destination (bit 3) that are half registers.
    pub(crate) true16: u8,
    /// Whether there is a `vdst`.
    pub(crate) vdst: bool,
    /// VOP3 modifier bits of sources that take none are ignored rather than forbidden.
    pub(crate) idle_mods: bool,
    /// Likewise, but only of the instruction with halves.
    pub(crate) idle_mods_of_halves: bool,
    /// Lanes are permuted as other operands say: `op_sel` is two bits of control.
    pub(crate) lane_permute: bool,
    /// A 32-bit instruction of the double-precision unit: DPP has few controls.
    pub(crate) double_unit: bool,
    /// VOP3 has bits for a third source that the instruction does not have.
    pub(crate) phantom_source: bool,
    /// The result is a float: SDWA forms take `omod`.
    pub(crate) float_result: bool,
    /// The destination is a whole register: no half, no SDWA destination selection.
    pub(crate) whole_dst: bool,
    /// The instruction exists with real true16 only.
    pub(crate) halves_only: bool,
    /// No `op_sel` in the text although operands are halves.
    pub(crate) no_op_sel: bool,
    /// LLVM gives the source no inline constants.
    pub(crate) no_inline: bool,
    /// At most one scalar value is read.
    pub(crate) one_scalar: bool,
    /// An inline constant stands for both halves of a packed source.
    pub(crate) splat: bool,
    /// Sources that are pairs of 16-bit elements, a mask; SDWA does not change their signs.
    pub(crate) packed: u8,
    /// Those of them that `op_sel` does not choose of.
    pub(crate) pairs: u8,
    /// The `op_sel` bit of a third source is forbidden.
    pub(crate) strict_op_sel: bool,
    /// `high` chooses the upper half of the attribute.
    pub(crate) high: bool,
    /// `wait_exp:`, always written.
    pub(crate) wait_exp: bool,
    /// An access to one lane.
    pub(crate) lane: bool,
    /// `lds_direct` is no source.
    pub(crate) no_lds: bool,
    /// A lane is read into an SGPR.
    pub(crate) lane_read: bool,
    /// A scalar instruction in a vector format: SGPRs in, SGPR out.
    pub(crate) scalar: bool,
}

impl Traits {
    /// Bits of `op_sel` that mean something in the VOP3 form with true16 operands.
    pub(crate) fn op_sel_bits(&self) -> u8 {
        self.sources | if self.vdst { 8 } else { 0 }
    }

    /// Length of the printed `op_sel` with true16 operands: the sources and the destination.
    pub(crate) fn true16_op_sel(&self, row: &Row) -> u8 {
        // An accumulator that is tied to the destination counts as a source.
        let tied = row.operands.first().is_some_and(|spec| spec.access == crate::Access::ReadWrite);
        let sources =
            self.sources.count_ones() as u8 + u8::from(tied && self.sources.count_ones() == 2 && self.vdst);
        if row.operands.first().is_some_and(|spec| spec.access != crate::Access::Read) {
            sources + 1
        } else {
            sources
        }
    }
}

/// Which source an operand is, from its role (`src1`, `vsrc1`, `ssrc1`); 3 for `vdst`, none for others.
#[inline]
pub(crate) fn position(spec: &OperandSpec) -> Option<u8> {
    match spec.role {
        "vdst" => Some(3),
        "src0" | "vsrc0" | "ssrc0" => Some(0),
        "src1" | "vsrc1" | "ssrc1" => Some(1),
        "src2" | "vsrc2" | "ssrc2" => Some(2),
        _ => None,
    }
}

/// Whether the instruction runs on the double-precision unit, whose DPP has few controls on some processors.
pub(crate) fn on_double_unit(row: &Row) -> bool {
    let wide = |spec: &OperandSpec| spec.ty.bits() == 64 && !matches!(spec.role, "sdst" | "smask");
    row.traits.double_unit || row.operands.iter().any(wide)
}

/// VCC as the lane mask of this type.
pub(crate) fn vcc(ty: &Type) -> Special {
    if ty.dwords() == 2 { Special::Vcc } else { Special::VccLo }
}

/// Whether the form is a VOP3 encoding.
pub(crate) fn is_wide(form: Form) -> bool {
    matches!(form, Form::Native | Form::E64 | Form::E64Dpp16 | Form::E64Dpp8)
}

/// What `v_interp_mov_f32` moves, by number.
pub(crate) const PARAMETERS: &[&str] = &["p10", "p20", "p0"];

/// The traits of a row, from its operands and attributes.
pub(crate) fn read(machine: Machine, row: &Row) -> Traits {
    let mut traits = Traits::default();
    let has_halves = machine.has_inst(InstFeature::True16);
    let (mut strict, mut idle, mut pairs) = (false, false, false);
    for spec in &row.operands {
        let Some(position) = position(spec) else { continue };
        let bit = 1u8 << position;
        if position == 3 {
            traits.vdst = true;
            traits.float_result = spec.ty.is_float();
        } else {
            traits.sources |= bit;
            if spec.ty.is_float() && spec.ty.bits() <= 64 {
                traits.mods |= bit;
            }
        }
        if spec.ty.lanes == 2 && spec.ty.elem_bits == 16 {
            traits.packed |= bit & 7;
        }
        if has_halves
            && spec.ty.bits() == 16
            && matches!(spec.class, Class::Vgpr | Class::VgprSrc | Class::VectorSrc)
        {
            traits.true16 |= bit;
        }
    }
    for value in row.attribute("vector").unwrap_or_default().split(',') {
        match value {
            "clamp" => traits.clamp = true,
            "omod" => traits.omod = true,
            "bytesel" => traits.byte_sel = true,
            "dstbytesel" => traits.dst_byte_sel = true,
            "scalesel" => traits.scale_sel = true,
            "bitop3" => traits.bitop3 = true,
            "swapctl" => traits.swap_control = true,
            "plain" => traits.plain = true,
            "floatconst" => traits.float_constants = true,
            "wholedst" => {
                traits.whole_dst = true;
                traits.true16 &= 7;
            }
            "noopsel" => traits.no_op_sel = true,
            "halvesonly" => traits.halves_only = true,
            "nomods" => traits.mods = 0,
            "strictmods" => strict = true,
            "idlemods" => idle = true,
            "noinline" => traits.no_inline = true,
            "onescalar" => traits.one_scalar = true,
            "lane" => traits.lane = true,
            "doubleunit" => traits.double_unit = true,
            "splat" => traits.splat = true,
            "pairs" => pairs = true,
            "strictopsel" => traits.strict_op_sel = true,
            "high" => traits.high = true,
            "waitexp" => traits.wait_exp = true,
            "nolds" => traits.no_lds = true,
            _ => {
                if let Some(count) = value.strip_prefix("opsel") {
                    traits.op_sel = count.parse().unwrap_or(0);
                } else if let Some(sources) = value.strip_prefix("mods") {
                    traits.mods =
                        sources.bytes().fold(0, |mask, digit| mask | 1 << (digit.wrapping_sub(b'0') & 7));
                }
            }
        }
    }
    let scalar_result = row.operand_index("sdst").is_some() && !traits.vdst;
    traits.lane_read = scalar_result && row.operand_index("vsrc0").is_some();
    traits.scalar = scalar_result && row.operand_index("ssrc0").is_some();
    // Only floats could be clamped at first.
    traits.clamp &= traits.float_result || machine.has_inst(InstFeature::IntClampInsts);
    traits.pairs = if pairs { traits.packed } else { 0 };
    // A longer op_sel than the sources need: the encoding has a third source that does nothing.
    let phantom = traits.op_sel > traits.sources.count_ones() as u8 + 1;
    let lane_permute = row.operands.iter().any(|spec| spec.class == Class::VgprSrc) && traits.mods == 0;
    traits.phantom_source = phantom;
    traits.lane_permute = lane_permute;
    let idle_with_op_sel = has_halves && traits.op_sel != 0 && !lane_permute;
    traits.idle_mods = idle || traits.mods != 0 && !strict || idle_with_op_sel;
    traits.idle_mods_of_halves = traits.true16 != 0 && !lane_permute;
    traits
}

#[cfg(test)]
mod tests {
    use wavemark_target::Processor;

    use super::*;
    use crate::Table;

    const VALUES: &[&str] = &[
        "clamp",
        "omod",
        "bytesel",
        "dstbytesel",
        "scalesel",
        "bitop3",
        "swapctl",
        "plain",
        "floatconst",
        "wholedst",
        "noopsel",
        "halvesonly",
        "nomods",
        "opsel2",
        "opsel3",
        "opsel4",
        "mods01",
        "strictmods",
        "idlemods",
        "noinline",
        "onescalar",
        "lane",
        "doubleunit",
        "splat",
        "pairs",
        "strictopsel",
        "high",
        "waitexp",
        "nolds",
    ];

    #[test]
    fn attribute_values_are_known() {
        for machine in Processor::ALL.iter().copied().map(Machine::new) {
            for row in Table::of(machine).rows() {
                for value in row.attribute("vector").unwrap_or_default().split(',') {
                    assert!(value.is_empty() || VALUES.contains(&value), "{}: {value}", row.mnemonic);
                }
            }
        }
    }

    #[test]
    fn traits_follow_types_and_attributes() {
        let of = |machine, name| Table::of(machine).by_mnemonic(name).next().expect("row").traits;
        let add = of(Machine::new(Processor::Gfx1250), "v_add_f16");
        assert_eq!((add.mods, add.true16, add.clamp, add.omod, add.op_sel), (0b11, 0b1011, true, true, 0));
        let select = of(Machine::new(Processor::Gfx950), "v_cndmask_b32");
        assert_eq!((select.mods, select.true16, select.clamp), (0b11, 0, false));
        assert_eq!(of(Machine::new(Processor::Gfx950), "v_fma_f16").op_sel, 4);
    }
}
