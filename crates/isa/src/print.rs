//! [`Inst`] → text, as LLVM 22's disassembler writes it, without the leading tab.
//!
//! Here: operands and constants. The order of a family's operands and modifiers is in the family's module.

use std::fmt::Write;

use crate::parse::literal;
use crate::role::Class;
use crate::row::OperandSpec;
use crate::table::Table;
use crate::ty::Kind;
use crate::{Half, Inst, Machine, Operand, Reg, RegFile, Special, inline_float_bits};

mod export;
mod image;
pub(crate) mod matrix;
pub(crate) mod memory;
pub(crate) mod scalar;
pub(crate) mod vector;
mod vector_controls;

/// The text of an instruction.
pub fn print(machine: Machine, inst: &Inst) -> String {
    let mut out = String::with_capacity(64);
    print_into(&mut out, machine, inst);
    out
}

/// Appends the text of an instruction.
pub fn print_into(out: &mut String, machine: Machine, inst: &Inst) {
    use crate::format::Family;
    let row = Table::of(machine).row(inst.row);
    let printer = &mut Printer { out, machine, warnings: None };
    match row.family {
        Family::Scalar => scalar::print(printer, row, inst),
        Family::Memory => memory::print(printer, row, inst),
        Family::Vector => vector::print(printer, row, inst),
        Family::Matrix => matrix::print(printer, row, inst),
        Family::Image => image::print(printer, row, inst),
        Family::Export => export::print(printer, row, inst),
    }
    if let Some(warnings) = printer.warnings.take() {
        let _ = write!(printer.out, " ; {warnings}");
    }
}

/// Where text goes and under which rules.
pub(crate) struct Printer<'a> {
    pub(crate) out: &'a mut String,
    pub(crate) machine: Machine,
    /// LLVM's disassembler comments, printed behind the instruction.
    pub(crate) warnings: Option<String>,
}

impl Printer<'_> {
    pub(crate) fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(crate) fn number(&mut self, value: i64) {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = value.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            self.out.push('-');
        }
        self.out.extend(digits[at..].iter().map(|&digit| char::from(digit)));
    }

    pub(crate) fn hex(&mut self, value: u64) {
        let mut digits = [0u8; 18];
        let mut at = digits.len();
        let mut rest = value;
        loop {
            at -= 1;
            digits[at] = b"0123456789abcdef"[(rest & 15) as usize];
            rest >>= 4;
            if rest == 0 {
                break;
            }
        }
        self.out.push_str("0x");
        self.out.extend(digits[at..].iter().map(|&digit| char::from(digit)));
    }

    /// An operand of a class that this module knows; without `neg`, `abs` and the like.
    pub(crate) fn operand(&mut self, spec: &OperandSpec, operand: &Operand) {
        match operand {
            Operand::Reg(reg) => self.register(spec, reg),
            Operand::Special(special) => self.text(special_name(*special)),
            Operand::Int(value) => self.number(i64::from(*value)),
            Operand::Float(code) => self.inline_float(spec, *code),
            Operand::Literal(bits) => self.literal(spec, *bits),
            Operand::Literal64(bits) => self.literal64(spec, *bits),
            Operand::Imm(value) => match spec.class {
                Class::Imm(kind) => scalar::immediate(self, kind, *value),
                _ => self.number(*value),
            },
            Operand::Off => self.text("off"),
            Operand::List(list) => {
                for (n, reg) in list.regs().enumerate() {
                    self.text(if n == 0 { "[" } else { ", " });
                    self.register_name(&reg);
                }
                self.text("]");
            }
        }
    }

    /// A register or tuple: `s7`, `v[4:7]`, `v3.h`.
    pub(crate) fn register(&mut self, spec: &OperandSpec, reg: &Reg) {
        let index = match reg.file {
            // Scalar tuples start at a multiple of their size, at most 4; the hardware drops the low bits.
            RegFile::Sgpr | RegFile::Ttmp => {
                let align = scalar_alignment(spec.ty.dwords());
                let aligned = reg.index / align * align;
                if aligned != reg.index {
                    self.note_alignment(reg, spec.ty.dwords());
                }
                aligned
            }
            RegFile::Vgpr | RegFile::Agpr => reg.index,
        };
        self.register_name(&Reg { index, ..*reg });
        let aligned = index % u16::from(self.machine.facts().vgpr_tuple_alignment) == 0;
        if matches!(reg.file, RegFile::Vgpr | RegFile::Agpr) && reg.dwords > 1 && !aligned {
            let class = match (reg.file, spec.class) {
                (_, Class::VgprOrAgpr) => "AV",
                (RegFile::Agpr, _) => "AReg",
                (_, Class::VectorSrc) => "VS",
                _ => "VReg",
            };
            let _ = write!(
                self.out,
                "/*Invalid register, operand has '{class}_{}_Align2' register class*/",
                u32::from(reg.dwords) * 32
            );
        }
    }

    /// LLVM's comment about a scalar tuple, of so many registers in the encoding, that does not begin where it
    /// must. Several comments follow each other without a space.
    pub(crate) fn note_alignment(&mut self, reg: &Reg, dwords: u8) {
        let file = if reg.file == RegFile::Ttmp { "TTMP" } else { "SGPR" };
        let bits = u32::from(dwords) * 32;
        let notes = self.warnings.get_or_insert_default();
        let _ = write!(notes, "Warning: {file}_{bits}: scalar reg isn't aligned {}", reg.index);
    }

    /// The register's name as it stands.
    pub(crate) fn register_name(&mut self, reg: &Reg) {
        self.text(match reg.file {
            RegFile::Sgpr => "s",
            RegFile::Vgpr => "v",
            RegFile::Agpr => "a",
            RegFile::Ttmp => "ttmp",
        });
        if reg.dwords > 1 {
            self.text("[");
            self.number(i64::from(reg.index));
            self.text(":");
            self.number(i64::from(reg.index) + i64::from(reg.dwords) - 1);
            self.text("]");
        } else {
            self.number(i64::from(reg.index));
        }
        match reg.half {
            Half::Whole => {}
            Half::Lo => self.text(".l"),
            Half::Hi => self.text(".h"),
        }
    }

    /// An inline floating constant; 1/2π prints in the operand's own precision.
    fn inline_float(&mut self, spec: &OperandSpec, code: u8) {
        let wide = spec.ty.elem_bits == 64 || vector::wide_constant(spec);
        let text = match (code, wide) {
            (248, true) => "0.15915494309189532",
            _ => float_name(code),
        };
        self.text(text);
    }

    /// A 32-bit constant as LLVM prints one that is not known to be a literal: inline constants by value.
    pub(crate) fn number32(&mut self, bits: u32) {
        let signed = i64::from(bits as i32);
        if (-16..=64).contains(&signed) {
            return self.number(signed);
        }
        match (240..=248).find(|&code| inline_float_bits(code, 32, false) == Some(u64::from(bits))) {
            Some(code) => self.text(float_name(code)),
            None => self.hex(u64::from(bits)),
        }
    }

    /// A literal; one that has the value of an inline constant says that it is a literal.
    fn literal(&mut self, spec: &OperandSpec, bits: u64) {
        if literal::is_inline_value(self.machine, spec, Operand::Literal(bits)) {
            let _ = write!(self.out, "lit({bits:#x})");
        } else {
            self.hex(bits);
        }
    }

    fn literal64(&mut self, spec: &OperandSpec, bits: u64) {
        // LLVM shows the high half of an f64 whose low half is 0, which a 32-bit literal would hold as well.
        if spec.ty.kind == Kind::Float && spec.ty.elem_bits == 64 && bits as u32 == 0 && bits != 0 {
            return self.hex(bits >> 32);
        }
        // A value that 32 bits could hold says that it takes 64.
        if bits >> 32 == 0 || literal::is_inline_value(self.machine, spec, Operand::Literal64(bits)) {
            let _ = write!(self.out, "lit64({bits:#x})");
        } else {
            self.hex(bits);
        }
    }
}

/// The text of an inline floating constant of 32 bits.
pub(crate) fn float_name(code: u8) -> &'static str {
    match code {
        240 => "0.5",
        241 => "-0.5",
        242 => "1.0",
        243 => "-1.0",
        244 => "2.0",
        245 => "-2.0",
        246 => "4.0",
        247 => "-4.0",
        _ => "0.15915494",
    }
}

/// Multiple at which scalar tuples of so many registers start.
pub(crate) fn scalar_alignment(dwords: u8) -> u16 {
    match dwords {
        0 | 1 => 1,
        2 => 2,
        _ => 4,
    }
}

/// The name that LLVM prints for a special register.
pub fn special_name(special: Special) -> &'static str {
    match special {
        Special::Vcc => "vcc",
        Special::VccLo => "vcc_lo",
        Special::VccHi => "vcc_hi",
        Special::Exec => "exec",
        Special::ExecLo => "exec_lo",
        Special::ExecHi => "exec_hi",
        Special::FlatScratch => "flat_scratch",
        Special::FlatScratchLo => "flat_scratch_lo",
        Special::FlatScratchHi => "flat_scratch_hi",
        Special::XnackMask => "xnack_mask",
        Special::XnackMaskLo => "xnack_mask_lo",
        Special::XnackMaskHi => "xnack_mask_hi",
        Special::Tba => "tba",
        Special::TbaLo => "tba_lo",
        Special::TbaHi => "tba_hi",
        Special::Tma => "tma",
        Special::TmaLo => "tma_lo",
        Special::TmaHi => "tma_hi",
        Special::M0 => "m0",
        Special::Null => "null",
        Special::Scc => "src_scc",
        Special::Vccz => "src_vccz",
        Special::Execz => "src_execz",
        Special::SharedBase => "src_shared_base",
        Special::SharedLimit => "src_shared_limit",
        Special::PrivateBase => "src_private_base",
        Special::PrivateLimit => "src_private_limit",
        Special::FlatScratchBaseLo => "src_flat_scratch_base_lo",
        Special::FlatScratchBaseHi => "src_flat_scratch_base_hi",
        Special::PopsExitingWaveId => "src_pops_exiting_wave_id",
        Special::LdsDirect => "src_lds_direct",
    }
}
