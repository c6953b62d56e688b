//! Statements of SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, VBUFFER and VIMAGE instructions.
//!
//! Operands come first, then the modifiers in LLVM's order; cache policy bits stand in any order among
//! themselves.

use super::operand::RegisterText;
use super::{ParseError, Parser, Suffix, empty};
use crate::decode::memory::takes_cache_policy;
use crate::memory::{self, Hints};
use crate::print::memory::hints;
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::row::{Line, line};
use crate::{Inst, Operand, Reg, RegFile, Special};

/// Parses the operands and modifiers of one of `rows`, up to the end of the statement.
pub(super) fn parse(p: &mut Parser, rows: &[&Row], suffix: Option<Suffix>) -> Result<Inst, ParseError> {
    if suffix.is_some() {
        return Err(p.error_at(0, "invalid instruction"));
    }
    p.first_of(rows, |p, row| {
        let encoding = row.encodings.first().ok_or_else(|| p.error("invalid instruction"))?;
        let mut inst = empty(row.id, encoding.form);
        match encoding.format.name {
            "SMEM" => scalar(p, row, encoding, &mut inst)?,
            _ => vector(p, row, encoding, &mut inst)?,
        }
        p.expect_end()?;
        Ok(inst)
    })
}

/// SMEM: the offset is an operand or, behind an SGPR, a modifier.
fn scalar(p: &mut Parser, row: &Row, encoding: &Encoding, inst: &mut Inst) -> Result<(), ParseError> {
    let prefetch = row.attribute("memory") == Some("prefetch");
    let gfx950 = line(p.machine) == Line::Early;
    let mut has_register = false;
    for (n, spec) in encoding.specs(row).enumerate() {
        // The immediate offset may be left out where it would be the last operand.
        if n > 0 && !(spec.role == "soffset" && !prefetch && !p.rest().trim_start().starts_with(',')) {
            p.expect(",")?;
        } else if n > 0 {
            inst.operands.push(Operand::Off);
            continue;
        }
        p.skip_space();
        let start = p.pos;
        match spec.role {
            "soffset" if prefetch => {
                inst.mods.offset = scalar_offset(p, row)?;
                p.expect(",")?;
                let register = p.register()?.ok_or_else(|| p.error("invalid operand for instruction"))?;
                inst.operands.push(offset_register(p, spec, register, start)?);
            }
            "soffset" => match p.register()? {
                Some(register) => {
                    let operand = offset_register(p, spec, register, start)?;
                    has_register = true;
                    let null = operand == Operand::Special(Special::Null);
                    inst.operands.push(if null { Operand::Off } else { operand });
                    inst.mods.control = u16::from(gfx950);
                }
                None => {
                    inst.mods.offset = scalar_offset(p, row)?;
                    inst.operands.push(Operand::Off);
                }
            },
            "length" => {
                let length = super::scalar::plain_number(p)?;
                inst.operands.push(Operand::Imm(length & 31));
            }
            "sdata" if matches!(spec.class, Class::Imm(_)) => {
                let code = super::scalar::plain_number(p)?;
                inst.operands.push(Operand::Imm(code & 127));
            }
            _ => inst.operands.push(register_operand(p, encoding, spec)?),
        }
    }
    if !prefetch && has_register && p.eat_key("offset") {
        inst.mods.offset = scalar_offset(p, row)?;
        inst.mods.control = 0;
    }
    if takes_cache_policy(p.machine, row) {
        cache_policy(p, row, inst)?;
    }
    Ok(())
}

fn offset_register(
    p: &Parser,
    spec: &OperandSpec,
    register: RegisterText,
    start: usize,
) -> Result<Operand, ParseError> {
    let spec = OperandSpec { class: Class::ScalarReg, ..spec.clone() };
    p.place_register(&spec, register).ok_or_else(|| p.error_at(start, "invalid operand for instruction"))
}

fn scalar_offset(p: &mut Parser, row: &Row) -> Result<i32, ParseError> {
    p.skip_space();
    let start = p.pos;
    let value = super::scalar::plain_number(p)?;
    let buffer = row.attribute("memory") == Some("buffer") || row.mnemonic.starts_with("s_buffer");
    let (range, message) = match (line(p.machine), buffer) {
        (Line::Early, true) => (0..=0xf_ffff, "expected a 20-bit unsigned offset"),
        (Line::Early, false) => (-0x10_0000..=0xf_ffff, "expected a 21-bit signed offset"),
        (Line::Late, true) => (0..=0x7f_ffff, "expected a 23-bit unsigned offset for buffer ops"),
        (Line::Late, false) => (-0x80_0000..=0x7f_ffff, "expected a 24-bit signed offset"),
    };
    if range.contains(&value) { Ok(value as i32) } else { Err(p.error_at(start, message)) }
}

/// A register operand of a memory instruction: EXEC is no data, but LLVM takes it as a scalar base.
fn register_operand(p: &mut Parser, encoding: &Encoding, spec: &OperandSpec) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    let operand = p.operand(encoding, spec)?;
    match operand {
        Operand::Special(Special::Exec) if spec.role == "sbase" => Ok(operand),
        Operand::Special(Special::Exec | Special::ExecLo | Special::ExecHi) => {
            Err(p.error_at(start, "invalid operand for instruction"))
        }
        Operand::Special(Special::Null) if encoding.format.name != "SMEM" => {
            Err(p.error_at(start, "invalid operand for instruction"))
        }
        _ => Ok(operand),
    }
}

/// All but SMEM.
fn vector(p: &mut Parser, row: &Row, encoding: &Encoding, inst: &mut Inst) -> Result<(), ParseError> {
    let format = encoding.format.name;
    for (n, spec) in encoding.specs(row).enumerate() {
        if n > 0 {
            if format == "VFLAT" && spec.role == "saddr" && !p.rest().trim_start().starts_with(',') {
                inst.operands.push(Operand::Off);
                continue;
            }
            p.expect(",")?;
        }
        p.skip_space();
        let start = p.pos;
        let wrong = |p: &Parser| p.error_at(start, "invalid operand for instruction");
        let operand = match spec.role {
            "vaddr" | "saddr" if format != "VFLAT" && p.eat_word("off") => Operand::Off,
            "vaddr" => match p.register()? {
                Some(RegisterText::Numbered(
                    reg @ Reg { file: RegFile::Vgpr, dwords: 1 | 2, half: crate::Half::Whole, .. },
                )) if reg.dwords == 1 || reg.index % 2 == 0 => Operand::Reg(reg),
                _ => return Err(wrong(p)),
            },
            "saddr" => {
                let register = p.register()?.ok_or_else(|| wrong(p))?;
                let spec = OperandSpec { class: Class::ScalarReg, ..spec.clone() };
                // As LLVM has it: an offset of scratch may be EXEC's halves, or nothing; copies to LDS may start at EXEC.
                let scratch = row.mnemonic.starts_with("scratch_");
                let copies = row.mnemonic.contains("_lds");
                match p.place_register(&spec, register) {
                    Some(Operand::Special(Special::Null)) if scratch && line(p.machine) == Line::Late => {
                        Operand::Off
                    }
                    Some(operand @ Operand::Special(Special::ExecLo | Special::ExecHi)) if scratch => operand,
                    Some(operand @ Operand::Special(Special::Exec)) if copies => operand,
                    Some(Operand::Special(
                        Special::Null | Special::Exec | Special::ExecLo | Special::ExecHi,
                    ))
                    | None => return Err(wrong(p)),
                    Some(operand) => operand,
                }
            }
            "soffset" => {
                let class = if format == "VBUFFER" { Class::ScalarReg } else { Class::ScalarSrc };
                let spec = OperandSpec { class, ..spec.clone() };
                p.operand(encoding, &spec)?
            }
            "vdata" if format == "VBUFFER" => buffer_data(p, encoding, spec, inst)?,
            "vdst" if row.has("memory.unaligned") => match p.register()? {
                Some(RegisterText::Numbered(reg))
                    if matches!(reg.file, RegFile::Vgpr | RegFile::Agpr)
                        && reg.dwords == spec.ty.dwords() =>
                {
                    Operand::Reg(reg)
                }
                _ => return Err(wrong(p)),
            },
            _ => register_operand(p, encoding, spec)?,
        };
        inst.operands.push(operand);
        if format == "MTBUF" && spec.role == "srsrc" {
            legacy_format(p, inst)?;
        }
    }
    let end = p.pos;
    same_file(p, encoding, row, inst)?;
    modifiers(p, row, encoding, inst)?;
    addressing(p, row, format, inst, end)
}

/// The data of a gfx1250 buffer instruction: a load with `tfe` has one register more.
fn buffer_data(
    p: &mut Parser,
    encoding: &Encoding,
    spec: &OperandSpec,
    inst: &mut Inst,
) -> Result<Operand, ParseError> {
    let takes_tfe = encoding.modifiers.iter().any(|(field, _)| field.name == "tfe");
    let mark = p.mark();
    if let (true, Some(RegisterText::Numbered(reg))) = (takes_tfe, p.register()?)
        && reg.file == RegFile::Vgpr
        && reg.dwords == spec.ty.dwords() + 1
        && reg.index % 2 == 0
    {
        inst.mods.tfe = true;
        return Ok(Operand::Reg(reg));
    }
    p.reset(mark);
    register_operand(p, encoding, spec)
}

/// All data operands are VGPRs or all are accumulation VGPRs: one bit decides.
fn same_file(p: &Parser, encoding: &Encoding, row: &Row, inst: &Inst) -> Result<(), ParseError> {
    let mut files = encoding.specs(row).zip(&inst.operands).filter_map(|(spec, operand)| match operand {
        Operand::Reg(reg) if spec.class == Class::VgprOrAgpr => Some(reg.file),
        _ => None,
    });
    match files.next() {
        Some(first) if files.any(|file| file != first) => Err(p.error("invalid operand for instruction")),
        _ => Ok(()),
    }
}

fn modifiers(p: &mut Parser, row: &Row, encoding: &Encoding, inst: &mut Inst) -> Result<(), ParseError> {
    match encoding.format.name {
        "DS" if row.attribute("memory") == Some("swizzle") => {
            if p.eat_key("offset") {
                inst.mods.offset = swizzle(p)?;
            }
        }
        "DS" if row.operands.is_empty() && !row.mnemonic.starts_with("ds_gws") => {}
        "DS" => {
            inst.mods.offset = offset(p, 0, 0xffff, "expected a 16-bit unsigned offset")?;
            if row.mnemonic.starts_with("ds_gws") {
                p.skip_space();
                if !p.eat_word("gds") {
                    return Err(p.error("gds modifier is required"));
                }
            }
        }
        "DS_2ADDR" => {
            if p.eat_key("offset0") {
                inst.mods.offset = byte(p, "invalid offset0 value.")?;
            }
            if p.eat_key("offset1") {
                inst.mods.offset1 = byte(p, "invalid offset1 value.")? as u8;
            }
        }
        "MUBUF" if row.operands.is_empty() => cache_policy(p, row, inst)?,
        "MUBUF" | "MTBUF" | "VBUFFER" => {
            if encoding.format.name == "MTBUF" {
                if p.eat_key("format") {
                    inst.mods.format = typed_format(p)?;
                } else if inst.mods.format == 0 {
                    inst.mods.format = 1;
                }
            }
            inst.mods.idxen = p.eat_word("idxen");
            inst.mods.offen = p.eat_word("offen");
            inst.mods.offset = match line(p.machine) {
                // LLVM drops the high bits of a gfx9 buffer offset.
                Line::Early => offset(p, 0, 0xffff, "expected a 16-bit unsigned offset")? & 0xfff,
                Line::Late => offset(p, 0, 0x7f_ffff, "expected a 23-bit unsigned offset for buffer ops")?,
            };
            cache_policy(p, row, inst)?;
            p.skip_space();
            if inst.mods.tfe != p.eat_word("tfe") {
                return Err(p.error("invalid operand for instruction"));
            }
            if row.attribute("memory") == Some("lds") && !p.eat_word("lds") {
                return Err(p.error("lds modifier is required"));
            }
        }
        "VIMAGE" => cache_policy(p, row, inst)?,
        _ if row.operands.is_empty() => cache_policy(p, row, inst)?,
        name => {
            inst.mods.offset = match (line(p.machine), name) {
                (Line::Early, "FLAT") => offset(p, 0, 0xfff, "expected a 12-bit unsigned offset")?,
                (Line::Early, _) => offset(p, -0x1000, 0xfff, "expected a 13-bit signed offset")?,
                (Line::Late, _) => offset(p, -0x80_0000, 0x7f_ffff, "expected a 24-bit signed offset")?,
            };
            cache_policy(p, row, inst)?;
        }
    }
    Ok(())
}

/// Whether address registers, modifiers and the row go together.
fn addressing(p: &Parser, row: &Row, format: &str, inst: &Inst, at: usize) -> Result<(), ParseError> {
    let operand = |role: &str| row.operand_index(role).and_then(|index| inst.operands.get(index));
    let Some(vaddr) = operand("vaddr") else { return Ok(()) };
    let dwords = match vaddr {
        Operand::Reg(reg) => reg.dwords,
        _ => 0,
    };
    let needed = match format {
        "FLAT" => 2,
        "SCRATCH" | "VSCRATCH" => dwords.min(1),
        "MUBUF" | "MTBUF" | "VBUFFER" => u8::from(inst.mods.offen) + u8::from(inst.mods.idxen),
        _ if matches!(operand("saddr"), None | Some(Operand::Off)) => 2,
        _ => 1,
    };
    if dwords == needed { Ok(()) } else { Err(p.error_at(at, "invalid operand for instruction")) }
}

/// `offset:N`, 0 if absent.
fn offset(p: &mut Parser, low: i64, high: i64, message: &str) -> Result<i32, ParseError> {
    p.skip_space();
    let start = p.pos;
    if !p.eat_key("offset") {
        return Ok(0);
    }
    let value = p.absolute()?;
    if (low..=high).contains(&value) { Ok(value as i32) } else { Err(p.error_at(start, message)) }
}

fn byte(p: &mut Parser, message: &str) -> Result<i32, ParseError> {
    p.skip_space();
    let start = p.pos;
    let value = p.absolute()?;
    if (0..256).contains(&value) { Ok(value as i32) } else { Err(p.error_at(start, message)) }
}

pub(super) fn cache_policy(p: &mut Parser, row: &Row, inst: &mut Inst) -> Result<(), ParseError> {
    match line(p.machine) {
        Line::Early => cache_policy_gfx950(p, row, inst),
        Line::Late => cache_policy_gfx1250(p, row, inst),
    }
}

fn cache_policy_gfx950(p: &mut Parser, row: &Row, inst: &mut Inst) -> Result<(), ParseError> {
    let scalar = row.encodings.first().is_some_and(|encoding| encoding.format.name == "SMEM");
    let names: &[(&str, u8)] = if scalar { &[("glc", 1)] } else { &[("sc0", 1), ("nt", 2), ("sc1", 16)] };
    loop {
        p.skip_space();
        let start = p.pos;
        let word = p.peek_word();
        let Some((_, bit)) = names.iter().find(|(name, _)| *name == word) else { break };
        if inst.mods.cpol & bit != 0 {
            return Err(p.error("duplicate cache policy modifier"));
        }
        inst.mods.cpol |= bit;
        p.pos = start + word.len();
    }
    match (row.attribute("memory"), inst.mods.cpol & 1) {
        (Some("atomic"), 1) => Err(p.error("instruction must not use sc0")),
        (Some("atomic_return"), 0) => Err(p.error("instruction must use sc0")),
        _ => Ok(()),
    }
}

fn cache_policy_gfx1250(p: &mut Parser, row: &Row, inst: &mut Inst) -> Result<(), ParseError> {
    let mut seen = 0u8;
    let mut hint = None;
    let start = p.pos;
    loop {
        p.skip_space();
        let at = p.pos;
        let (bit, key) = match p.peek_word() {
            "th" => (1, "th"),
            "scope" => (2, "scope"),
            "nv" => (4, "nv"),
            "scale_offset" => (8, "scale_offset"),
            _ => break,
        };
        if seen & bit != 0 {
            return Err(p.error("duplicate cache policy modifier"));
        }
        seen |= bit;
        p.word();
        match key {
            "th" => {
                p.expect(":")?;
                p.skip_space();
                let at = p.pos;
                let name = p.word();
                let read = memory::hint_by_name(name).ok_or_else(|| {
                    p.error_at(
                        at,
                        if name.is_empty() { "expected an identifier" } else { "invalid th value" },
                    )
                })?;
                inst.mods.cpol |= read.th;
                hint = Some((read, at));
            }
            "scope" => {
                p.expect(":")?;
                p.skip_space();
                let at = p.pos;
                let word = p.peek_word();
                let scope = match memory::SCOPES.iter().position(|name| *name == word) {
                    Some(scope) => {
                        p.word();
                        scope as i64
                    }
                    None => p.absolute().map_err(|_| p.error_at(at, "invalid scope value"))?,
                };
                if !(0..4).contains(&scope) {
                    return Err(p.error_at(at, "invalid scope value"));
                }
                inst.mods.cpol |= (scope as u8) << 3;
            }
            "nv" => inst.mods.cpol |= 0x20,
            _ => {
                if !takes_scale_offset(row, inst) {
                    return Err(p.error_at(at, "scale_offset is not supported for this instruction"));
                }
                inst.mods.cpol |= 0x40;
            }
        }
    }
    let th = inst.mods.cpol & 7;
    if row.attribute("memory") == Some("atomic_return") && th & 1 == 0 {
        return Err(p.error_at(start, "instruction must use th:TH_ATOMIC_RETURN"));
    }
    let Some((hint, at)) = hint.filter(|(hint, _)| hint.th != 0) else { return Ok(()) };
    let scalar = row.encodings.first().is_some_and(|encoding| encoding.format.name == "SMEM");
    if scalar && th > 3 {
        return Err(p.error_at(at, "invalid th value for SMEM instruction"));
    }
    let wanted = hints(row);
    if hint.hints != Some(wanted) {
        return Err(p.error_at(
            at,
            match wanted {
                Hints::Load => "invalid th value for load instructions",
                Hints::Store => "invalid th value for store instructions",
                Hints::Atomic => "invalid th value for atomic instructions",
            },
        ));
    }
    let system = inst.mods.cpol >> 3 & 3 == 3;
    if wanted != Hints::Atomic && th == 3 && hint.bypass != system {
        return Err(p.error_at(at, "scope and th combination is not valid"));
    }
    Ok(())
}

/// Whether the address has an offset register that can be scaled.
fn takes_scale_offset(row: &Row, inst: &Inst) -> bool {
    let operand = |role: &str| row.operand_index(role).and_then(|index| inst.operands.get(index));
    match row.encodings.first().map(|encoding| encoding.format.name) {
        Some("SMEM") => row.attribute("memory").is_none() && row.operand_index("soffset").is_some(),
        Some("VFLAT" | "VGLOBAL") if operand("vaddr").is_none() => false,
        Some("VFLAT" | "VGLOBAL") => matches!(operand("saddr"), Some(Operand::Reg(_) | Operand::Special(_))),
        Some("VSCRATCH") => matches!(operand("vaddr"), Some(Operand::Reg(_))),
        _ => false,
    }
}

/// `dfmt:D, nfmt:N,` behind the resource of a typed buffer instruction: the old spelling of the format.
fn legacy_format(p: &mut Parser, inst: &mut Inst) -> Result<(), ParseError> {
    let mark = p.mark();
    if !p.eat(",") {
        return Ok(());
    }
    let (mut data, mut number) = (None, None);
    loop {
        p.skip_space();
        let at = p.pos;
        let (slot, limit) = if p.eat_key("dfmt") {
            (&mut data, 16)
        } else if p.eat_key("nfmt") {
            (&mut number, 8)
        } else {
            break;
        };
        let value = p.absolute()?;
        if !(0..limit).contains(&value) {
            return Err(p.error_at(at, "out of range format"));
        }
        *slot = Some(value as u8);
        let next = p.mark();
        if !(p.eat(",") && matches!(p.peek_word(), "dfmt" | "nfmt")) {
            p.reset(next);
            break;
        }
    }
    if data.is_none() && number.is_none() {
        p.reset(mark);
    } else {
        inst.mods.format = data.unwrap_or(1) | number.unwrap_or(0) << 4;
    }
    Ok(())
}

/// `[DATA,NUMBER]`, either of them, or the number of both.
fn typed_format(p: &mut Parser) -> Result<u8, ParseError> {
    p.skip_space();
    let start = p.pos;
    if !p.eat("[") {
        let value = p.absolute()?;
        return u8::try_from(value)
            .ok()
            .filter(|&format| format < 128)
            .ok_or_else(|| p.error_at(start, "out of range format"));
    }
    let (mut data, mut number) = (None, None);
    loop {
        p.skip_space();
        let at = p.pos;
        let word = p.word();
        if let Some(n) = memory::DATA_FORMATS.iter().position(|name| *name == word).filter(|_| data.is_none())
        {
            data = Some(n as u8);
        } else if let Some(n) =
            memory::NUMBER_FORMATS.iter().position(|name| *name == word).filter(|_| number.is_none())
        {
            number = Some(n as u8);
        } else {
            return Err(p.error_at(at, "unsupported format"));
        }
        if !p.eat(",") {
            break;
        }
    }
    p.expect("]")?;
    Ok(data.unwrap_or(1) | number.unwrap_or(0) << 4)
}

/// A `ds_swizzle_b32` offset: a number or `swizzle(MODE, …)`.
fn swizzle(p: &mut Parser) -> Result<i32, ParseError> {
    p.skip_space();
    let start = p.pos;
    if p.peek_word() != "swizzle" {
        let value = p.absolute()?;
        return u16::try_from(value)
            .map(i32::from)
            .map_err(|_| p.error_at(start, "expected a 16-bit offset"));
    }
    p.word();
    p.expect("(")?;
    p.skip_space();
    let at = p.pos;
    let mode = p.word();
    let offset = match mode {
        "QUAD_PERM" => {
            let mut bits = 0x8000;
            for lane in 0..4 {
                bits |= swizzle_number(p, 0, 3, "expected a 2-bit lane id")? << (2 * lane);
            }
            bits
        }
        "BROADCAST" => {
            let group = swizzle_number(p, 2, 32, "group size must be in the interval [2,32]")?;
            power_of_two(p, group)?;
            let lane = swizzle_number(p, 0, group - 1, "lane id must be in the interval [0,group size - 1]")?;
            (32 - group) | lane << 5
        }
        "SWAP" => {
            let group = swizzle_number(p, 1, 16, "group size must be in the interval [1,16]")?;
            power_of_two(p, group)?;
            31 | group << 10
        }
        "REVERSE" => {
            let group = swizzle_number(p, 2, 32, "group size must be in the interval [2,32]")?;
            power_of_two(p, group)?;
            31 | (group - 1) << 10
        }
        "BITMASK_PERM" => {
            p.expect(",")?;
            bitmask(p)?
        }
        "FFT" => 0xe000 | swizzle_number(p, 0, 31, "FFT swizzle must be in the interval [0,31]")?,
        "ROTATE" => {
            let direction = swizzle_number(p, 0, 1, "direction must be 0 (left) or 1 (right)")?;
            let size =
                swizzle_number(p, 0, 31, "number of threads to rotate must be in the interval [0,31]")?;
            0xc000 | direction << 10 | size << 5
        }
        _ => return Err(p.error_at(at, "expected a swizzle mode")),
    };
    p.expect(")")?;
    Ok(offset)
}

fn swizzle_number(p: &mut Parser, low: i32, high: i32, message: &str) -> Result<i32, ParseError> {
    p.expect(",")?;
    p.skip_space();
    let start = p.pos;
    let value = p.absolute()?;
    if (i64::from(low)..=i64::from(high)).contains(&value) {
        Ok(value as i32)
    } else {
        Err(p.error_at(start, message))
    }
}

fn power_of_two(p: &Parser, value: i32) -> Result<(), ParseError> {
    if value.count_ones() == 1 { Ok(()) } else { Err(p.error("group size must be a power of two")) }
}

/// A quoted pattern of five `0`, `1`, `p` (preserve), `i` (invert), most significant bit first.
fn bitmask(p: &mut Parser) -> Result<i32, ParseError> {
    p.skip_space();
    let start = p.pos;
    let wrong = |p: &Parser| p.error_at(start, "expected a 5-character mask");
    let text = p.rest().strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(text, _)| text);
    let text = text.filter(|text| text.len() == 5).ok_or_else(|| wrong(p))?;
    let (mut and, mut or, mut xor) = (0, 0, 0);
    for (n, letter) in text.bytes().enumerate() {
        let bit = 1 << (4 - n);
        match letter {
            b'0' => {}
            b'1' => or |= bit,
            b'p' => and |= bit,
            b'i' => {
                and |= bit;
                xor |= bit;
            }
            _ => return Err(p.error_at(start, "invalid mask")),
        }
    }
    p.pos = start + 7;
    Ok(and | or << 5 | xor << 10)
}
