//! Which instructions may stand together in a VOPD pair (CDNA5 manual 7.8 and 7.8.1), as LLVM 22's assembler
//! checks it. Decoding does not ask: what is encodable is decoded.
//!
//! Each half reads its VGPRs over three ports, src0, src1, src2; the halves' registers at the same port must
//! come from different banks or be the same. The accumulator of `v_dual_fmac_f32` and the last source of
//! `v_dual_fmamk_f32` are read at port 2.

use crate::matrix::{Trait, scalar_reads};
use crate::row::{Access, Row};
use crate::{Form, Inst, Machine, Operand, Reg, RegFile, Special};

/// Why two halves cannot be a pair, and at which operand of the Y half (an index in its operands).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairFault {
    /// Index of the Y half's operand.
    pub operand: usize,
    /// LLVM's words.
    pub reason: &'static str,
}

/// The registers at the three source ports, each with the index of its operand.
fn ports(row: &Row, inst: &Inst) -> [Option<(usize, Reg)>; 3] {
    let mut ports = [None; 3];
    let literal_at = row.operand_index("simm32");
    for (n, (spec, operand)) in row.operands.iter().zip(&inst.operands).enumerate() {
        let Operand::Reg(reg @ Reg { file: RegFile::Vgpr, .. }) = operand else { continue };
        let port = match spec.role {
            "src0" => 0,
            // fmamk: the multiplier is the literal, what follows it is added.
            "vsrc1" if literal_at.is_some_and(|at| at < n) => 2,
            "vsrc1" => 1,
            "vsrc2" => 2,
            "vdst" if spec.access == Access::ReadWrite => 2,
            _ => continue,
        };
        ports[port] = Some((n, *reg));
    }
    ports
}

/// Whether LLVM 22 miscounts the operands of the instruction as a VOPD3 half, and so takes 12 bytes where 8 do.
pub(crate) fn is_miscounted(row: &Row) -> bool {
    row.matrix == Trait::Miscounted
}

/// What LLVM 22 compares in a VOPD3 pair with `v_dual_dot2acc_f32_bf16` (which the manual of gfx1250 does not
/// have): one register of each half at port 1, and not the right ones. Kept because it decides which text is
/// accepted.
fn miscounted_ports(
    machine: Machine,
    x: &Inst,
    y: &Inst,
) -> Option<(Option<(usize, Reg)>, Option<(usize, Reg)>)> {
    let (x_row, y_row) = (x.row(machine), y.row(machine));
    if x.form != Form::Vopd3X || !(is_miscounted(x_row) || is_miscounted(y_row)) {
        return None;
    }
    let vgpr = |inst: &Inst, n: usize| match inst.operands.get(n) {
        Some(Operand::Reg(reg @ Reg { file: RegFile::Vgpr, .. })) => Some((n, *reg)),
        _ => None,
    };
    if !is_miscounted(x_row) {
        return Some((vgpr(x, 2), vgpr(y, 1)));
    }
    let has_signs = y_row.encoding(y.form).is_some_and(|encoding| encoding.has_modifier("neg0"));
    let other = match y.operands.len() {
        2 => None,
        _ if has_signs && !is_miscounted(y_row) => vgpr(y, 1),
        _ => vgpr(x, 0),
    };
    Some((vgpr(x, 1), other))
}

fn shares_bank(x: Reg, y: Reg, banks: u16) -> bool {
    (0..u16::from(x.dwords)).any(|i| {
        (0..u16::from(y.dwords)).any(|j| x.index.wrapping_add(i) % banks == y.index.wrapping_add(j) % banks)
    })
}

fn overlap(x: Reg, y: Reg) -> bool {
    x.index < y.index + u16::from(y.dwords) && y.index < x.index + u16::from(x.dwords)
}

/// Whether `x :: y` breaks a rule of the encoding that their forms say.
pub fn pair_fault(machine: Machine, x: &Inst, y: &Inst) -> Option<PairFault> {
    let (x_row, y_row) = (x.row(machine), y.row(machine));
    let wide = x.form == Form::Vopd3X;
    let fault = |operand, reason| Some(PairFault { operand, reason });
    if let (Some(Operand::Reg(x)), Some(Operand::Reg(y))) = (x.operands.first(), y.operands.first()) {
        if wide && overlap(*x, *y) {
            return fault(0, "dst registers must be distinct");
        }
        if !wide && x.index % 2 == y.index % 2 {
            return fault(0, "one dst register must be even and the other odd");
        }
    }
    // The instruction with one source is the move.
    let moves = x_row.operands.len() == 2 && y_row.operands.len() == 2;
    let reasons = [
        "src0 operands must use different VGPR banks",
        "src1 operands must use different VGPR banks",
        "src2 operands must use different VGPR banks",
    ];
    let banks = [4, 4, if wide { 4 } else { 2 }];
    let (x_ports, y_ports) = match miscounted_ports(machine, x, y) {
        Some((x, y)) => ([None, x, None], [None, y, None]),
        None => (ports(x_row, x), ports(y_row, y)),
    };
    for (port, (a, b)) in x_ports.into_iter().zip(y_ports).enumerate() {
        // Of two moves the second reads at port 2.
        if port == 0 && moves && machine.facts().vopd_moves_apart {
            continue;
        }
        if let (Some((_, a)), Some((n, b))) = (a, b) {
            let same = machine.pairs_same_vgpr() && a.index == b.index && a.dwords == b.dwords;
            if !same && shares_bank(a, b, banks[port]) {
                return fault(n, reasons[port]);
            }
        }
    }
    // The implied VCC is another scalar than a VCC_LO that is written.
    let vcc = Operand::Special(Special::Vcc);
    let selects = [x_row, y_row].iter().any(|row| row.has("vcc")).then_some(&vcc);
    let mut reads = 0;
    let all = selects.into_iter().chain(&x.operands).chain(&y.operands);
    if scalar_reads(all) > 2 {
        // The last operand that reads a scalar is the one too many.
        reads = y.operands.iter().rposition(is_scalar).unwrap_or(reads);
        return fault(reads, "invalid operand (violates constant bus restrictions)");
    }
    let mut literals = x.operands.iter().chain(&y.operands).filter(|o| matches!(o, Operand::Literal(_)));
    if let Some(first) = literals.next()
        && literals.any(|other| other != first)
    {
        let at = y.operands.iter().rposition(|o| matches!(o, Operand::Literal(_))).unwrap_or(0);
        return fault(at, "only one unique literal operand is allowed");
    }
    None
}

fn is_scalar(operand: &Operand) -> bool {
    scalar_reads(std::iter::once(operand)) != 0
}
