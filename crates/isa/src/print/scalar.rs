//! Text of SOP1, SOP2, SOPC, SOPK, SOPP, and of the number operands of all families.

use super::{Printer, float_name};
use crate::named::{self, CounterField, Message};
use crate::parse::literal;
use crate::role::ImmKind;
use crate::row::{OperandSpec, Row};
use crate::scalar::Sources;
use crate::{Inst, Operand, Special, inline_float_bits};

/// Appends the instruction.
pub(super) fn print(p: &mut Printer, row: &Row, inst: &Inst) {
    p.text(row.mnemonic);
    let Some(encoding) = row.encoding(inst.form) else { return };
    for (n, (spec, operand)) in encoding.specs(row).zip(&inst.operands).enumerate() {
        if let (crate::role::Class::Imm(ImmKind::End), Operand::Imm(0)) = (spec.class, operand) {
            continue;
        }
        p.text(if n == 0 { " " } else { ", " });
        match operand {
            // The constant of `s_setreg_imm32_b32` prints as an ordinary one.
            Operand::Literal(bits) if spec.role == "simm32" && spec.ty.is_float() => p.hex(*bits),
            Operand::Literal(bits) if spec.role == "simm32" => p.number32(*bits as u32),
            _ => source(p, row.sources, spec, operand),
        }
    }
    // LLVM's text of the barrier instructions that take their number from M0 ends in a space.
    if row.sources == Sources::Barrier && inst.operands.last() == Some(&Operand::Special(Special::M0)) {
        p.text(" ");
    }
}

/// An operand that is no number, with LLVM's comment where it cannot stand there.
fn source(p: &mut Printer, sources: Sources, spec: &OperandSpec, operand: &Operand) {
    match operand {
        Operand::Special(Special::LdsDirect) if sources != Sources::Barrier => {
            p.operand(spec, operand);
            p.text("/*Invalid register, operand has 'SReg_32' register class*/");
        }
        Operand::Int(_) | Operand::Float(_) | Operand::Literal(_) | Operand::Literal64(_)
            if sources == Sources::Reg =>
        {
            match operand {
                Operand::Float(code) => p.text(float_name(*code)),
                Operand::Literal(bits) | Operand::Literal64(bits) => p.number32(*bits as u32),
                _ => p.operand(spec, operand),
            }
            p.text("/*Invalid immediate*/");
        }
        // An operand of 32 bits uses the low half of a literal of 64, whose high half LLVM drops.
        Operand::Literal64(bits) if spec.ty.dwords() == 1 && bits >> 32 != 0 => {
            let low = *bits as u32;
            let halves = spec.ty.elem_bits == 16 && !sources.widens(spec);
            match low as u16 as i16 {
                value @ -16..=64 if halves => p.number(value.into()),
                value if halves || sources == Sources::WideHex && !(-16..=64).contains(&(low as i32)) => {
                    p.hex(u64::from(value as u16));
                }
                _ => p.number32(low),
            }
        }
        // LLVM's types of these sources are 32 bits wide.
        Operand::Literal(bits) if sources.widens(spec) => {
            let wide = OperandSpec { ty: spec.ty.untyped(32), ..spec.clone() };
            if sources == Sources::WideHex && !literal::is_inline_value(p.machine, &wide, *operand) {
                p.hex(bits & 0xffff);
            } else {
                p.operand(&wide, operand);
            }
        }
        Operand::Float(code) if sources == Sources::WideHex && spec.ty.elem_bits == 16 => {
            p.hex(inline_float_bits(*code, 16, false).unwrap_or_default());
        }
        // Of a literal the operand uses 16 bits.
        Operand::Literal(bits) if spec.ty.elem_bits == 16 && spec.ty.lanes == 1 && *bits > 0xffff => {
            let low = Operand::Literal(bits & 0xffff);
            if literal::is_inline_value(p.machine, spec, low) {
                p.text("lit(");
                p.hex(*bits);
                p.text(")");
            } else {
                p.operand(spec, &low);
            }
        }
        _ => p.operand(spec, operand),
    }
}

/// Appends a number operand.
pub(super) fn immediate(p: &mut Printer, kind: ImmKind, value: i64) {
    let bits = value as u16;
    match kind {
        ImmKind::Dec if (0..=64).contains(&value) => p.number(value),
        ImmKind::Dec => p.hex(u64::from(bits)),
        ImmKind::Hex | ImmKind::Simm16 | ImmKind::Uimm16 => p.hex(u64::from(bits)),
        ImmKind::Label | ImmKind::End => p.number(i64::from(bits)),
        ImmKind::Hwreg => hwreg(p, bits),
        ImmKind::SendMsg => message(p, bits),
        ImmKind::WaitCnt => counters(p, &named::waitcnt(p.machine), bits),
        ImmKind::DepCtr => match named::depctr(p.machine) {
            fields if bits & !named::counter_mask(fields) != 0 => p.hex(u64::from(bits)),
            fields => counters(p, fields, bits),
        },
        ImmKind::DelayAlu => delay(p, bits),
        ImmKind::Version => version(p, bits),
        ImmKind::GprIdx if bits > 15 => p.hex(u64::from(bits)),
        ImmKind::GprIdx => gpr_idx(p, bits),
        ImmKind::Swizzle => p.number(i64::from(bits)),
        ImmKind::ExportTarget => super::export::target(p, bits),
        ImmKind::Attribute => super::export::attribute(p, bits),
        ImmKind::Parameter => super::vector_controls::parameter(p, bits),
    }
}

fn hwreg(p: &mut Printer, bits: u16) {
    let (id, offset, width) = (bits & 0x3f, (bits >> 6) & 0x1f, (bits >> 11) + 1);
    p.text("hwreg(");
    match named::hwreg_name(p.machine, id) {
        Some(name) => p.text(name),
        None => p.number(i64::from(id)),
    }
    if (offset, width) != (0, 32) {
        p.text(", ");
        p.number(i64::from(offset));
        p.text(", ");
        p.number(i64::from(width));
    }
    p.text(")");
}

fn message(p: &mut Printer, bits: u16) {
    let message = Message::decode(p.machine, bits);
    if message.is_symbolic(p.machine) {
        p.text("sendmsg(");
        p.text(message.name(p.machine).unwrap_or_default());
        if let Some(op) = message.op_name(p.machine) {
            p.text(", ");
            p.text(op);
        }
        if message.takes_stream(p.machine) {
            p.text(", ");
            p.number(i64::from(message.stream));
        }
        p.text(")");
    } else if message.encode() == bits {
        p.text("sendmsg(");
        p.number(i64::from(message.id));
        p.text(", ");
        p.number(i64::from(message.op));
        p.text(", ");
        p.number(i64::from(message.stream));
        p.text(")");
    } else {
        p.number(i64::from(bits));
    }
}

/// The counters that wait for something, or all if none does.
fn counters(p: &mut Printer, fields: &[CounterField], bits: u16) {
    let all = fields.iter().all(|field| field.get(bits) == field.max());
    let mut first = true;
    for field in fields {
        let value = field.get(bits);
        if all || value != field.max() {
            if !first {
                p.text(" ");
            }
            first = false;
            p.text(field.name);
            p.text("(");
            p.number(i64::from(value));
            p.text(")");
        }
    }
}

fn delay(p: &mut Printer, bits: u16) {
    let parts = [
        ("instid0(", bits & 0xf, named::DELAY_IDS, "/* invalid instid value */"),
        ("instskip(", (bits >> 4) & 7, named::DELAY_SKIPS, "/* invalid instskip value */"),
        ("instid1(", (bits >> 7) & 0xf, named::DELAY_IDS, "/* invalid instid value */"),
    ];
    let mut first = true;
    for (open, value, names, invalid) in parts {
        if value != 0 {
            if !first {
                p.text(" | ");
            }
            first = false;
            p.text(open);
            p.text(names.get(usize::from(value)).unwrap_or(&invalid));
            p.text(")");
        }
    }
    if first {
        p.text("0");
    }
}

fn version(p: &mut Printer, bits: u16) {
    let flags: u16 = named::VERSION_FLAGS.iter().fold(0, |mask, (flag, _)| mask | flag);
    let number = bits & !flags;
    let mut text = match named::VERSIONS.iter().find(|(value, _)| *value == number) {
        Some((_, name)) => (*name).to_owned(),
        None if number < 0x100 => number.to_string(),
        None => return p.hex(u64::from(bits)),
    };
    let set = named::VERSION_FLAGS.iter().filter(|(flag, _)| bits & flag != 0);
    for (count, (_, name)) in set.enumerate() {
        text = if count > 0 { format!("({text})|{name}") } else { format!("{text}|{name}") };
    }
    p.text(&text);
}

fn gpr_idx(p: &mut Printer, bits: u16) {
    p.text("gpr_idx(");
    let mut first = true;
    for (bit, name) in named::GPR_IDX.iter().enumerate() {
        if bits & (1 << bit) != 0 {
            if !first {
                p.text(",");
            }
            first = false;
            p.text(name);
        }
    }
    p.text(")");
}
