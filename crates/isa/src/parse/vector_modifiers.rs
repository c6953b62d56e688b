//! Modifiers of vector statements: `clamp`, `mul:2`, `op_sel:[…]`, DPP and SDWA controls.
//!
//! A modifier may be left out, but those that are written must stand in the form's order, each once.

use super::vector_expected::{Miss, Why};
use super::{ParseError, Parser};
use crate::row::{Encoding, Row};
use crate::vector::{Traits, is_wide};
use crate::{Dpp, Form, Inst, OutMod, SdwaSel, SdwaUnused};
use wavemark_target::InstFeature;
use wavemark_target::facts::DppControls;

/// A modifier as written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Modifier {
    /// Its name; the DPP16 controls are all called `dpp_ctrl`.
    pub(super) name: &'static str,
    /// Its value as the field has it.
    pub(super) value: u32,
    /// How many elements its list had.
    count: u8,
    /// Where it begins.
    start: usize,
}

/// Reads a modifier if one is next.
pub(super) fn read(p: &mut Parser) -> Result<Option<Modifier>, ParseError> {
    p.skip_space();
    let start = p.pos;
    let word = p.peek_word();
    let found = |name, value| Ok(Some(Modifier { name, value, count: 0, start }));
    let controls = p.machine.facts().dpp_controls;
    let share = controls == Some(DppControls::ShareXmask);
    let newbcast = controls == Some(DppControls::WaveNewbcast);
    match word {
        "high" => {
            p.pos += word.len();
            return found("high", 1);
        }
        "clamp" | "noclamp" => {
            p.pos += word.len();
            return found("clamp", u32::from(word == "clamp"));
        }
        "row_mirror" | "row_half_mirror" => {
            p.pos += word.len();
            return found("dpp_ctrl", if word == "row_mirror" { 0x140 } else { 0x141 });
        }
        _ => {}
    }
    let Some(&(key, name)) = KEYS.iter().find(|(key, _)| *key == word) else { return Ok(None) };
    if !p.eat_key(key) {
        return Ok(None);
    }
    p.skip_space();
    let at = p.pos;
    let refuse = |p: &Parser, what: &str| Err(p.error_at(at, what.to_owned()));
    match key {
        "op_sel" => {
            let (value, count) = list(p, 1, 4)?;
            Ok(Some(Modifier { name, value, count, start }))
        }
        "quad_perm" => {
            let (value, count) = list(p, 2, 4)?;
            if count != 4 { refuse(p, "expected a comma") } else { found(name, value) }
        }
        "dpp8" => {
            if !p.machine.has_inst(InstFeature::Dpp8) {
                return Err(p.error_at(start, "there is no dpp8 on this processor"));
            }
            let (value, count) = list(p, 3, 8)?;
            if count != 8 { refuse(p, "expected a comma") } else { found(name, value) }
        }
        "dst_sel" | "src0_sel" | "src1_sel" => {
            let word = p.word();
            let value = match word {
                "BYTE_0" => 0,
                "BYTE_1" => 1,
                "BYTE_2" => 2,
                "BYTE_3" => 3,
                "WORD_0" => 4,
                "WORD_1" => 5,
                "DWORD" => 6,
                _ => return refuse(p, &format!("{key} is BYTE_0 to BYTE_3, WORD_0, WORD_1 or DWORD")),
            };
            found(name, value)
        }
        "dst_unused" => {
            let value = match p.word() {
                "UNUSED_PAD" => 0,
                "UNUSED_SEXT" => 1,
                "UNUSED_PRESERVE" => 2,
                _ => return refuse(p, "dst_unused is UNUSED_PAD, UNUSED_SEXT or UNUSED_PRESERVE"),
            };
            found(name, value)
        }
        _ => {
            let value = p.absolute()?;
            let within = |low: i64, high: i64| (low..=high).contains(&value);
            let number = value as u32;
            let code = match key {
                "mul" => match value {
                    1 => 0,
                    2 => 1,
                    4 => 2,
                    _ => return refuse(p, "mul is 1, 2 or 4"),
                },
                "div" => match value {
                    1 => 0,
                    2 => 3,
                    _ => return refuse(p, "div is 1 or 2"),
                },
                "row_shl" | "row_shr" | "row_ror" if !within(1, 15) => {
                    return refuse(p, &format!("{key} is a number from 1 to 15"));
                }
                "row_shl" => 0x100 | number,
                "row_shr" => 0x110 | number,
                "row_ror" => 0x120 | number,
                "wave_shl" | "wave_rol" | "wave_shr" | "wave_ror" | "row_bcast" if share => {
                    return Err(p.error_at(start, "there is no such DPP control on this processor"));
                }
                "row_share" | "row_xmask" if !share => {
                    return Err(p.error_at(start, "there is no such DPP control on this processor"));
                }
                "row_newbcast" if !newbcast => {
                    return Err(p.error_at(start, "there is no such DPP control on this processor"));
                }
                "wave_shl" | "wave_rol" | "wave_shr" | "wave_ror" if value != 1 => {
                    return refuse(p, &format!("{key} is 1"));
                }
                "wave_shl" => 0x130,
                "wave_rol" => 0x134,
                "wave_shr" => 0x138,
                "wave_ror" => 0x13c,
                "row_bcast" => match value {
                    15 => 0x142,
                    31 => 0x143,
                    _ => return refuse(p, "row_bcast is 15 or 31"),
                },
                "row_newbcast" | "row_share" | "row_xmask" if !within(0, 15) => {
                    return refuse(p, &format!("{key} is a number from 0 to 15"));
                }
                "row_newbcast" | "row_share" => 0x150 | number,
                "row_xmask" => 0x160 | number,
                "bound_ctrl" => match value {
                    0 if p.machine.facts().dpp_bound_ctrl_zero => 1,
                    0 | 1 => number,
                    _ => return refuse(p, "bound_ctrl is 0 or 1"),
                },
                "fi" if !within(0, 1) => return refuse(p, "fi is 0 or 1"),
                "wait_exp" if !within(0, 7) => return refuse(p, "wait_exp is a number from 0 to 7"),
                "byte_sel" if !within(0, 3) => return refuse(p, "byte_sel is a number from 0 to 3"),
                "scale_sel" if !within(0, 15) => return refuse(p, "scale_sel is a number from 0 to 15"),
                "row_mask" | "bank_mask" => number & 15,
                "bitop3" => number & 0xff,
                _ => number,
            };
            found(name, code)
        }
    }
}

static KEYS: &[(&str, &str)] = &[
    ("mul", "omod"),
    ("div", "omod"),
    ("op_sel", "op_sel"),
    ("byte_sel", "byte_sel"),
    ("scale_sel", "scale_sel"),
    ("bitop3", "bitop3"),
    ("wait_exp", "wait_exp"),
    ("quad_perm", "dpp_ctrl"),
    ("row_shl", "dpp_ctrl"),
    ("row_shr", "dpp_ctrl"),
    ("row_ror", "dpp_ctrl"),
    ("wave_shl", "dpp_ctrl"),
    ("wave_rol", "dpp_ctrl"),
    ("wave_shr", "dpp_ctrl"),
    ("wave_ror", "dpp_ctrl"),
    ("row_bcast", "dpp_ctrl"),
    ("row_newbcast", "dpp_ctrl"),
    ("row_share", "dpp_ctrl"),
    ("row_xmask", "dpp_ctrl"),
    ("row_mask", "row_mask"),
    ("bank_mask", "bank_mask"),
    ("bound_ctrl", "bound_ctrl"),
    ("fi", "fi"),
    ("dpp8", "dpp8"),
    ("dst_sel", "dst_sel"),
    ("dst_unused", "dst_unused"),
    ("src0_sel", "src0_sel"),
    ("src1_sel", "src1_sel"),
];

/// `[a,b,…]` with elements of `width` bits, the first in the low bits, and how many there were.
fn list(p: &mut Parser, width: u32, many: u8) -> Result<(u32, u8), ParseError> {
    p.expect("[")?;
    let mut value = 0;
    let mut count = 0;
    loop {
        p.skip_space();
        let at = p.pos;
        let element = p.absolute()?;
        if count == many || !(0..1 << width).contains(&element) {
            let most = (1u32 << width) - 1;
            return Err(p.error_at(at, format!("expected at most {many} numbers from 0 to {most}")));
        }
        value |= (element as u32) << (width * u32::from(count));
        count += 1;
        if p.eat("]") {
            return Ok((value, count));
        }
        p.expect(",")?;
    }
}

/// The modifiers of a form, in their order.
fn order(encoding: &Encoding, traits: &Traits, halves: bool) -> smallvec::SmallVec<[&'static str; 12]> {
    let mut names = smallvec::SmallVec::new();
    let form = encoding.form;
    if traits.wait_exp {
        let all = ["clamp", "op_sel", "wait_exp"];
        names.extend(all.into_iter().filter(|name| *name != "op_sel" || traits.op_sel != 0));
        return names;
    }
    if is_wide(form) {
        if traits.high {
            let all = [
                ("high", true),
                ("clamp", traits.clamp),
                ("op_sel", traits.op_sel != 0),
                ("omod", traits.omod),
            ];
            names.extend(all.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| name));
            return names;
        }
        if traits.bitop3 {
            names.push("bitop3");
        }
        if traits.op_sel != 0 || traits.true16 != 0 && halves && !traits.no_op_sel {
            names.push("op_sel");
        }
        if traits.byte_sel || traits.dst_byte_sel {
            names.push("byte_sel");
        }
        if traits.scale_sel {
            names.push("scale_sel");
        }
        if traits.swap_control {
            names.extend_from_slice(&["bound_ctrl", "fi"]);
        }
    }
    if is_wide(form) || form == Form::Sdwa {
        let sdwa = form == Form::Sdwa;
        // Every result of SDWA can be clamped; of the compares those of gfx8 have the bit.
        let clamp_bit = encoding.has_modifier("clamp");
        if if sdwa { clamp_bit } else { traits.clamp } {
            names.push("clamp");
        }
        if traits.omod && (!sdwa || traits.float_result && encoding.format.field("omod").is_some()) {
            names.push("omod");
        }
    }
    match form {
        Form::Dpp16 | Form::E64Dpp16 => {
            names.extend_from_slice(&["dpp_ctrl", "row_mask", "bank_mask", "bound_ctrl"]);
            if encoding.format.field("fi").is_some() {
                names.push("fi");
            }
        }
        Form::Dpp8 | Form::E64Dpp8 => names.extend_from_slice(&["dpp8", "fi"]),
        Form::Sdwa => {
            if traits.vdst && !traits.whole_dst {
                names.extend_from_slice(&["dst_sel", "dst_unused"]);
            }
            if traits.sources & 1 != 0 {
                names.push("src0_sel");
            }
            if traits.sources & 2 != 0 {
                names.push("src1_sel");
            }
        }
        _ => {}
    }
    names
}

/// Sets the instruction's modifiers from those written.
pub(super) fn apply(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    traits: &Traits,
    modifiers: &[Modifier],
    halves: bool,
    inst: &mut Inst,
) -> Result<(), Miss> {
    let names = order(encoding, traits, halves);
    let mut next = 0;
    let mut dpp_ctrl = None;
    let (mut row_mask, mut bank_mask, mut bound_ctrl, mut fi) = (15, 15, 0, 0);
    let mut lanes8 = None;
    let mut sdwa = inst.mods.sdwa.unwrap_or_default();
    for modifier in modifiers {
        let name = modifier.name;
        let wrong = || Miss { at: modifier.start, why: Why::Modifier { name, all: names.to_vec() } };
        let at = names[next..].iter().position(|name| *name == modifier.name).ok_or_else(wrong)?;
        next += at + 1;
        let value = modifier.value;
        match modifier.name {
            "clamp" => inst.mods.clamp = value != 0,
            "omod" => {
                inst.mods.omod = [OutMod::None, OutMod::Mul2, OutMod::Mul4, OutMod::Div2][value as usize & 3]
            }
            "bitop3" | "byte_sel" | "scale_sel" | "wait_exp" | "high" => inst.mods.control = value as u16,
            "op_sel" if op_sel(traits, modifier) & traits.pairs != 0 || traits.lane_permute && value > 3 => {
                return Err(Miss::stated(modifier.start, "op_sel chooses of sources that have no halves"));
            }
            "op_sel" => {
                inst.mods.op_sel = op_sel(traits, modifier)
                    & match (traits.byte_sel, traits.dst_byte_sel, traits.high) {
                        (true, ..) => 0b1000,
                        (_, true, _) => 0b0011,
                        // Interpolation has no second source to choose of.
                        (.., true) => 0b1101,
                        _ => 0b1111,
                    };
            }
            "dpp_ctrl" => dpp_ctrl = Some(value as u16),
            "row_mask" => row_mask = value as u8,
            "bank_mask" => bank_mask = value as u8,
            "bound_ctrl" => bound_ctrl = value,
            "fi" => fi = value,
            "dpp8" => lanes8 = Some(value),
            "dst_sel" => sdwa.dst_sel = selection(value),
            "src0_sel" => sdwa.src0_sel = selection(value),
            "src1_sel" => sdwa.src1_sel = selection(value),
            "dst_unused" => {
                sdwa.dst_unused = match value {
                    1 => SdwaUnused::Sext,
                    2 => SdwaUnused::Preserve,
                    _ => SdwaUnused::Pad,
                };
            }
            _ => return Err(wrong()),
        }
    }
    let missing = || Miss { at: 0, why: Why::NoDpp };
    match encoding.form {
        Form::Dpp16 | Form::E64Dpp16 => {
            let ctrl = dpp_ctrl.ok_or_else(missing)?;
            let double = crate::vector::on_double_unit(row);
            if p.machine.has_inst(InstFeature::Dpp64bit) && double && !(0x150..=0x15f).contains(&ctrl) {
                let start = modifiers.iter().find(|m| m.name == "dpp_ctrl").map_or(0, |m| m.start);
                let share = p.machine.facts().dpp_controls == Some(DppControls::ShareXmask);
                return Err(Miss::stated(
                    start,
                    if share {
                        "of the DPP controls 64-bit operands take row_share only"
                    } else {
                        "of the DPP controls 64-bit operands take row_newbcast only"
                    },
                ));
            }
            inst.mods.dpp =
                Some(Dpp::Row { ctrl, row_mask, bank_mask, bound_ctrl: bound_ctrl != 0, fi: fi != 0 });
        }
        Form::Dpp8 | Form::E64Dpp8 => {
            inst.mods.dpp = Some(Dpp::Lanes8 { sel: lanes8.ok_or_else(missing)?, fi: fi != 0 });
        }
        Form::Sdwa => {
            // The selector of a source that is not there stays at its default; an SDWA destination that is not
            // written whole preserves the rest unless told otherwise.
            let named = |name| modifiers.iter().any(|modifier| modifier.name == name);
            if traits.vdst && !traits.whole_dst && !named("dst_unused") {
                sdwa.dst_unused = SdwaUnused::Preserve;
            }
            inst.mods.sdwa = Some(sdwa);
        }
        _ => {
            if traits.swap_control && is_wide(encoding.form) {
                inst.mods.control = (fi | bound_ctrl << 1) as u16;
            }
        }
    }
    Ok(())
}

/// The field's bits of `op_sel:[…]`: the element behind the sources is the destination's.
fn op_sel(traits: &Traits, modifier: &Modifier) -> u8 {
    let bits = modifier.value as u8;
    let sources = traits.sources.count_ones() as u8;
    let low = bits & ((1u16 << sources) - 1) as u8;
    if modifier.count > sources && traits.vdst {
        let list = if traits.op_sel > sources + 1 { bits } else { low | (bits >> sources & 1) << 3 };
        return list;
    }
    low
}

fn selection(value: u32) -> SdwaSel {
    match value {
        0 => SdwaSel::Byte0,
        1 => SdwaSel::Byte1,
        2 => SdwaSel::Byte2,
        3 => SdwaSel::Byte3,
        4 => SdwaSel::Word0,
        5 => SdwaSel::Word1,
        _ => SdwaSel::Dword,
    }
}
