//! What follows the operands of a vector instruction: `op_sel`, `clamp`, output modifiers, DPP and SDWA controls; and the
//! numbers of interpolation.

use wavemark_target::InstFeature;
use wavemark_target::facts::DppControls;

use super::Printer;
use crate::row::Row;
use crate::vector::{PARAMETERS, Traits, is_wide};
use crate::{Dpp, Form, Inst, OutMod, SdwaSel, SdwaUnused};

/// What `v_interp_mov_f32` moves.
pub(super) fn parameter(p: &mut Printer, number: u16) {
    match PARAMETERS.get(usize::from(number)) {
        Some(name) => p.text(name),
        None => {
            p.text("invalid_param_");
            p.number(i64::from(number));
        }
    }
}

/// The modifiers behind the operands.
pub(super) fn controls(p: &mut Printer, row: &Row, inst: &Inst, traits: &Traits, halves: bool) {
    let mods = &inst.mods;
    if traits.high && mods.control != 0 {
        p.text(" high");
    }
    // Of interpolation LLVM writes `clamp` first.
    let clamp_first = traits.high || traits.wait_exp;
    if mods.clamp && clamp_first {
        p.text(" clamp");
    }
    if is_wide(inst.form) {
        let control = mods.control;
        if traits.bitop3 && control != 0 {
            p.text(" bitop3:");
            if control <= 10 {
                p.number(i64::from(control));
            } else {
                p.hex(u64::from(control));
            }
        }
        let count = match traits.op_sel {
            // LLVM lists the sources only in compares with DPP.
            0 if halves && !traits.vdst && inst.form != Form::E64 => traits.sources.count_ones() as u8,
            0 if halves && !traits.no_op_sel => traits.true16_op_sel(row),
            count => count,
        };
        // Of an attribute no half can be selected: its bit says nothing.
        let selected = if traits.high { mods.op_sel & !2 } else { mods.op_sel };
        op_sel(p, selected, count, traits);
        if (traits.byte_sel || traits.dst_byte_sel) && control != 0 {
            p.text(" byte_sel:");
            p.number(i64::from(control));
        }
        if traits.scale_sel && control != 0 {
            p.text(" scale_sel:");
            p.number(i64::from(control));
        }
        if traits.swap_control {
            if control & 2 != 0 {
                p.text(" bound_ctrl:1");
            }
            if control & 1 != 0 {
                p.text(" fi:1");
            }
        }
    }
    if traits.wait_exp {
        p.text(" wait_exp:");
        p.number(i64::from(mods.control));
    }
    if mods.clamp && !clamp_first {
        p.text(" clamp");
    }
    p.text(match mods.omod {
        OutMod::None => "",
        OutMod::Mul2 => " mul:2",
        OutMod::Mul4 => " mul:4",
        OutMod::Div2 => " div:2",
    });
    if let Some(control) = &mods.dpp {
        dpp(p, control, crate::vector::on_double_unit(row));
    }
    if let Some(sdwa) = &mods.sdwa {
        if traits.vdst && !traits.whole_dst {
            p.text(" dst_sel:");
            p.text(selection(sdwa.dst_sel));
            p.text(match sdwa.dst_unused {
                SdwaUnused::Pad => " dst_unused:UNUSED_PAD",
                SdwaUnused::Sext => " dst_unused:UNUSED_SEXT",
                SdwaUnused::Preserve => " dst_unused:UNUSED_PRESERVE",
            });
        }
        if traits.sources & 1 != 0 {
            p.text(" src0_sel:");
            p.text(selection(sdwa.src0_sel));
        }
        if traits.sources & 2 != 0 {
            p.text(" src1_sel:");
            p.text(selection(sdwa.src1_sel));
        }
    }
}

/// A DPP control; `double` says that the instruction has double-precision operands.
pub(super) fn dpp(p: &mut Printer, control: &Dpp, double: bool) {
    match *control {
        Dpp::Row { ctrl, row_mask, bank_mask, bound_ctrl, fi } => {
            p.text(" ");
            dpp_control(p, ctrl, double);
            p.text(" row_mask:");
            p.hex(u64::from(row_mask));
            p.text(" bank_mask:");
            p.hex(u64::from(bank_mask));
            if bound_ctrl {
                p.text(" bound_ctrl:1");
            }
            if fi {
                p.text(" fi:1");
            }
        }
        Dpp::Lanes8 { sel, fi } => {
            p.text(" dpp8:");
            list(p, 8, |n| sel >> (3 * n) & 7);
            if fi {
                p.text(" fi:1");
            }
        }
    }
}

/// `op_sel:[…]` of `count` bits if any is set. The last is the destination's if the instruction has one and the
/// list is longer than its sources.
fn op_sel(p: &mut Printer, bits: u8, count: u8, traits: &Traits) {
    let with_destination = traits.vdst && (count > traits.sources.count_ones() as u8);
    let bit = |n: u32| {
        let last = n + 1 == u32::from(count);
        u32::from(bits >> (if last && with_destination { 3 } else { n }) & 1)
    };
    if (0..u32::from(count)).any(|n| bit(n) != 0) {
        p.text(" op_sel:");
        list(p, u32::from(count), bit);
    }
}

fn list(p: &mut Printer, count: u32, value: impl Fn(u32) -> u32) {
    for n in 0..count {
        p.text(if n == 0 { "[" } else { "," });
        p.number(i64::from(value(n)));
    }
    p.text("]");
}

fn selection(sel: SdwaSel) -> &'static str {
    match sel {
        SdwaSel::Byte0 => "BYTE_0",
        SdwaSel::Byte1 => "BYTE_1",
        SdwaSel::Byte2 => "BYTE_2",
        SdwaSel::Byte3 => "BYTE_3",
        SdwaSel::Word0 => "WORD_0",
        SdwaSel::Word1 => "WORD_1",
        SdwaSel::Dword => "DWORD",
    }
}

/// The manual's DPP_CTRL table; codes that mean nothing on the processor get LLVM's comment. Double-precision
/// operands know `row_newbcast` only.
fn dpp_control(p: &mut Printer, ctrl: u16, double: bool) {
    let controls = p.machine.facts().dpp_controls;
    let share = controls == Some(DppControls::ShareXmask);
    let newbcast = controls == Some(DppControls::WaveNewbcast);
    if double && p.machine.has_inst(InstFeature::Dpp64bit) && !matches!(ctrl, 0x150..=0x15f) {
        let only = if share { "row_share" } else { "row_newbcast" };
        p.text(" /* DP ALU dpp only supports ");
        p.text(only);
        return p.text(" */");
    }
    let low = i64::from(ctrl & 15);
    let (name, value) = match ctrl {
        0..=0xff => {
            p.text("quad_perm:");
            return list(p, 4, |n| u32::from(ctrl) >> (2 * n) & 3);
        }
        0x101..=0x10f => ("row_shl:", low),
        0x111..=0x11f => ("row_shr:", low),
        0x121..=0x12f => ("row_ror:", low),
        0x130 if !share => ("wave_shl:", 1),
        0x134 if !share => ("wave_rol:", 1),
        0x138 if !share => ("wave_shr:", 1),
        0x13c if !share => ("wave_ror:", 1),
        0x140 => return p.text("row_mirror"),
        0x141 => return p.text("row_half_mirror"),
        0x142 if !share => ("row_bcast:", 15),
        0x143 if !share => ("row_bcast:", 31),
        0x150..=0x15f if newbcast => ("row_newbcast:", low),
        0x150..=0x15f if share => ("row_share:", low),
        0x160..=0x16f if share => ("row_xmask:", low),
        0x130 => return p.text("/* wave_shl is not supported starting from GFX10 */"),
        0x134 => return p.text("/* wave_rol is not supported starting from GFX10 */"),
        0x138 => return p.text("/* wave_shr is not supported starting from GFX10 */"),
        0x13c => return p.text("/* wave_ror is not supported starting from GFX10 */"),
        0x142 | 0x143 => return p.text("/* row_bcast is not supported starting from GFX10 */"),
        0x150..=0x15f => {
            return p
                .text(" /* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */");
        }
        0x160..=0x16f => return p.text("/* row_xmask is not supported on ASICs earlier than GFX10 */"),
        _ => return p.text("/* Invalid dpp_ctrl value */"),
    };
    p.text(name);
    p.number(value);
}
