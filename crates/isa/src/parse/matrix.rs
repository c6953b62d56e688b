//! Statements of the matrix family: operands, then modifiers (module `matrix_modifiers`) in LLVM's order, and what
//! LLVM checks of the whole; pairs are in module `pair`.
//!
//! Commas are optional everywhere, as in LLVM's assembler.

use smallvec::SmallVec;
use wavemark_target::InstFeature;

use super::expected::{INVALID, explain};
use super::matrix_modifiers::{dpp, modifiers};
use super::operand::{Constant, Force, RegisterText, special_by_name};
use super::vector::{Value, item};
use super::{FixupKind, ParseError, Parser, Suffix, empty, literal, pair};
use crate::expr::Expr;
use crate::matrix::{Trait, constants_of_c, dwords, inline_of, scalar_reads};
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::ty::Type;
use crate::{Form, Inst, Machine, Mods, Operand, Reg, RegFile, Special};

/// What `v_accvgpr_write_b32` moves where no other instruction has AGPRs.
const MOVED: &str = "source operand must be either a VGPR or an inline constant";

/// Parses the operands and modifiers of one of `rows`, up to the end of the statement.
pub(super) fn parse(p: &mut Parser, rows: &[&Row], suffix: Option<Suffix>) -> Result<Inst, ParseError> {
    if rows.iter().any(|row| row.encodings.iter().any(|encoding| is_half(encoding.form))) {
        return pair::parse(p, rows);
    }
    match suffix {
        None | Some(Suffix::E64) => p.first_of(rows, |p, row| single(p, row, false)),
        Some(Suffix::E64Dpp) => p.first_of(rows, |p, row| single(p, row, true)),
        Some(_) => Err(p.error_at(0, "variant of this instruction is not supported")),
    }
}

pub(super) fn is_half(form: Form) -> bool {
    matches!(form, Form::VopdX | Form::VopdY | Form::Vopd3X | Form::Vopd3Y)
}

/// One instruction that is no pair.
fn single(p: &mut Parser, row: &Row, dpp_only: bool) -> Result<Inst, ParseError> {
    let encoding = row.encodings.first().ok_or_else(|| p.error_at(0, "invalid instruction"))?;
    let mut inst = empty(row.id, encoding.form);
    let mut at: SmallVec<[usize; 6]> = SmallVec::new();
    let mix = row.matrix == Trait::Mix;
    for (n, spec) in encoding.specs(row).enumerate() {
        if n > 0 {
            separator(p);
        }
        p.skip_space();
        if n > 0 && p.at_end() {
            return Err(p.error("too few operands for instruction"));
        }
        at.push(p.pos);
        let operand = if mix && n > 0 {
            signed(p, row, encoding, spec, &mut inst.mods, n - 1, true)
        } else {
            operand(p, row, encoding, spec, &inst.operands)
        };
        let operand = operand.map_err(|error| explain(p.machine, row, encoding, spec, error))?;
        inst.operands.push(operand);
    }
    separator(p);
    // Where `check` says that a modifier is wrong.
    at.push(p.pos);
    modifiers(p, row, encoding, &mut inst)?;
    separator(p);
    if !p.at_end() || dpp_only {
        dpp(p, row, &mut inst, &at)?;
    }
    p.expect_end()?;
    check(p, row, encoding, &inst, &at)?;
    Ok(inst)
}

/// Space and at most one comma.
pub(super) fn separator(p: &mut Parser) {
    p.eat(",");
    p.skip_space();
}

/// An operand without sign. `before` are the operands before it.
pub(super) fn operand(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    before: &[Operand],
) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    let value = match p.register()? {
        Some(register) => Value::Register(register),
        None if matches!(spec.class, Class::VectorSrc | Class::Literal32) || spec.role == "srcc" => {
            let (constant, force) = p.constant()?;
            Value::Constant(constant, force)
        }
        None => return Err(p.error_at(start, INVALID)),
    };
    place(p, row, encoding, spec, before, value).map_err(|message| p.error_at(start, message))
}

/// The value as this operand.
fn place(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    before: &[Operand],
    value: Value,
) -> Result<Operand, &'static str> {
    let (constant, force) = match value {
        Value::Register(register) => {
            return match spec.class {
                Class::Custom | Class::VgprOrAgpr => matrix_register(p.machine, row, spec, register, before),
                _ => p.place_register(spec, register),
            }
            .ok_or(INVALID);
        }
        Value::Constant(constant, force) => (constant, force),
        Value::Number(..) => return Err(INVALID),
    };
    if !matches!(spec.class, Class::VectorSrc | Class::Literal32) && spec.role != "srcc" {
        return Err(INVALID);
    }
    // As in VOP3, a source with modifiers of its own takes no `lit64(…)` where literals have 32 bits only.
    if force == Force::Lit64 && row.matrix == Trait::Mix && !p.machine.facts().literals_64 {
        return Err("lit64(…) needs literals of 64 bits, which this processor does not have");
    }
    if let Constant::Unknown(expr) = constant {
        return symbol(p, encoding, spec, expr);
    }
    let operand = match constants_of_c(row, encoding, spec).and_then(Type::parse) {
        Some(ty) => source_constant(p.machine, &OperandSpec { ty, ..spec.clone() }, constant, force)?,
        None => source_constant(p.machine, spec, constant, force)?,
    };
    if matches!(operand, Operand::Literal(_) | Operand::Literal64(_)) {
        if spec.role == "srcc" {
            return Err(INVALID);
        }
        if !p.machine.facts().vop3_literals {
            return Err("literal operands are not supported");
        }
        if !encoding.format.literal {
            return Err(INVALID);
        }
    }
    Ok(operand)
}

/// A literal that a fixup will fill: 32-bit operands take one, pairs of elements do not.
fn symbol(
    p: &mut Parser,
    encoding: &Encoding,
    spec: &OperandSpec,
    expr: Expr,
) -> Result<Operand, &'static str> {
    let whole = spec.ty.dwords() == 1 && !matches!(spec.ty.elem_bits, 16 | 64);
    let single = encoding.form == Form::Native && p.machine.facts().vop3_literals;
    // A register of another processor is no symbol.
    let register = |name: &str| special_by_name(name).is_some();
    let plausible = match &expr {
        Expr::Symbol { name, .. } => !register(name),
        Expr::Unary(..) => false,
        _ => true,
    };
    if !(whole && single && plausible && encoding.format.literal) {
        return Err(INVALID);
    }
    let at = encoding.format.dwords * 4;
    match p.fixups.iter().find(|fixup| fixup.offset == at) {
        Some(other) if other.expr != expr => return Err("only one unique literal operand is allowed"),
        Some(_) => {}
        None => p.fixup(at, FixupKind::Literal32, expr),
    }
    Ok(Operand::Literal(0))
}

/// A register in a place that is not one of the shared classes.
fn matrix_register(
    machine: Machine,
    row: &Row,
    spec: &OperandSpec,
    register: RegisterText,
    before: &[Operand],
) -> Option<Operand> {
    let reg = match register {
        RegisterText::Numbered(reg) => reg,
        RegisterText::Named(_) => return None,
    };
    let file = match spec.role {
        "asrc" | "adst" => reg.file == RegFile::Agpr,
        // C has the register file of D.
        "srcc" => match before.first() {
            Some(Operand::Reg(d)) => reg.file == d.file,
            _ => false,
        },
        "mdst" if !machine.facts().agpr_operands => reg.file == RegFile::Agpr,
        _ => matches!(reg.file, RegFile::Vgpr | RegFile::Agpr),
    };
    // The widths of f8f6f4's A and B are known only after the modifiers.
    let whole = spec.ty.dwords();
    let width = reg.dwords == whole
        || (row.matrix == Trait::F8f6f4
            && matches!(spec.role, "srca" | "srcb")
            && (reg.dwords == whole / 2 || reg.dwords == whole / 4 * 3));
    let aligned = reg.dwords == 1 || reg.index % u16::from(machine.facts().vgpr_tuple_alignment) == 0;
    (file && width && aligned && reg.half == crate::Half::Whole).then_some(Operand::Reg(reg))
}

/// The operand for a constant: see [`inline_of`] for what is inline.
fn source_constant(
    machine: Machine,
    spec: &OperandSpec,
    constant: Constant,
    force: Force,
) -> Result<Operand, &'static str> {
    let scalar = |name| {
        let ty = Type::parse(name).unwrap_or(spec.ty);
        OperandSpec { ty, ..spec.clone() }
    };
    let elem = match (spec.ty.elem_bits, spec.ty.name) {
        (64, _) => "f64",
        (16, name) if name.ends_with("bf16") => "bf16",
        (16, _) if spec.ty.is_float() => "f16",
        _ => "f32",
    };
    match constant {
        Constant::Unknown(_) => Err(INVALID),
        // 1/2π rounds to the bfloat above the inline constant; LLVM takes the constant for its decimal text.
        Constant::Float(0.15915494) if elem == "bf16" && force == Force::None && spec.role != "srcc" => {
            Ok(Operand::Float(248))
        }
        // Mixed-precision constants must fit half precision, whatever the narrow type.
        Constant::Float(value)
            if elem == "bf16" && spec.ty.lanes == 1 && literal::narrow(value, 5, 10).is_none() =>
        {
            Err(INVALID)
        }
        // A pair of scale registers is a 64-bit operand.
        Constant::Float(value) if spec.role.starts_with("scale") && spec.ty.dwords() == 2 => {
            literal::float(machine, &scalar("f64"), value, force)
        }
        Constant::Float(value) => literal::float(machine, &scalar(elem), value, force),
        Constant::Int(value) if elem == "f64" || spec.class == Class::Literal32 => {
            literal::integer(machine, &scalar(elem), value, force)
        }
        Constant::Int(value) if spec.role.starts_with("scale") && spec.ty.dwords() == 2 => {
            let inline = force == Force::None && (-16..=64).contains(&value);
            if inline { Ok(Operand::Int(value as i8)) } else { Err(INVALID) }
        }
        Constant::Int(value) => {
            // Single halves take 16 bits; accumulators have an inline constant in each element.
            let narrow =
                spec.ty.is_float() && spec.ty.elem_bits == 16 && (spec.ty.lanes == 1 || spec.role == "srcc");
            let ty = if spec.role == "srcc" { scalar(elem).ty } else { spec.ty };
            let limit = if narrow { 16 } else { 32 };
            if value < -(1 << (limit - 1)) || value >= 1 << limit {
                return Err(INVALID);
            }
            let inline = if force == Force::None { inline_of(&ty, value as u32) } else { None };
            let mask = if narrow { 0xffff } else { 0xffff_ffff };
            Ok(inline.unwrap_or(Operand::Literal(value as u64 & mask)))
        }
    }
}

/// An operand with `-`, `|…|`, `neg(…)`, `abs(…)` around it; sets the source's modifiers.
pub(super) fn signed(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    mods: &mut Mods,
    source: usize,
    with_abs: bool,
) -> Result<Operand, ParseError> {
    let item = item(p)?;
    if item.sext {
        return Err(p.error_at(item.start, INVALID));
    }
    if item.abs && !with_abs {
        return Err(p.error_at(item.start, "ABS not allowed in VOPD3 instructions"));
    }
    mods.neg |= u8::from(item.neg) << source;
    mods.abs |= u8::from(item.abs) << source;
    place(p, row, encoding, spec, &[], item.value).map_err(|message| p.error_at(item.start, message))
}

/// What LLVM checks once all operands are read. `at` is where each operand is.
fn check(p: &Parser, row: &Row, encoding: &Encoding, inst: &Inst, at: &[usize]) -> Result<(), ParseError> {
    let place = |n: usize| at.get(n).copied().unwrap_or_default();
    let bus = usize::from(p.machine.facts().constant_bus_limit);
    if row.operand_index("scalea").is_none() && scalar_reads(inst.operands.iter()) > bus {
        let last = inst.operands.iter().rposition(|operand| scalar_reads(std::iter::once(operand)) != 0);
        return Err(
            p.error_at(place(last.unwrap_or(0)), "invalid operand (violates constant bus restrictions)")
        );
    }
    let mut literals = inst.operands.iter().enumerate().filter(|(_, o)| matches!(o, Operand::Literal(_)));
    if let Some((_, first)) = literals.next()
        && let Some((n, _)) = literals.find(|(_, other)| *other != first)
    {
        return Err(p.error_at(place(n), "only one unique literal operand is allowed"));
    }
    for (n, (spec, operand)) in encoding.specs(row).zip(&inst.operands).enumerate() {
        let Operand::Reg(reg) = operand else {
            if *operand == Operand::Special(Special::LdsDirect)
                && let Some(message) = lds_direct(p, row, n)
            {
                return Err(p.error_at(place(n), message));
            }
            if spec.role == "srcc" && p.machine.has_inst(InstFeature::MfmaInlineLiteralBug) {
                return Err(p.error_at(place(n), "inline constants are not allowed for this operand"));
            }
            let moved = row.operand_index("adst").is_some() && matches!(operand, Operand::Special(_));
            if moved && !p.machine.facts().agpr_operands {
                return Err(p.error_at(place(n), MOVED));
            }
            continue;
        };
        if reg.file != RegFile::Vgpr
            && n > 0
            && row.operand_index("adst").is_some()
            && !p.machine.facts().agpr_operands
        {
            return Err(p.error_at(place(n), MOVED));
        }
        if matches!(spec.role, "srca" | "srcb") {
            match dwords(row, spec.role, &spec.ty, &inst.mods) {
                Some(needed) if needed == reg.dwords => {}
                Some(needed) => {
                    let message =
                        format!("wrong register tuple size: the data format takes {needed} registers");
                    return Err(p.error_at(place(n), message));
                }
                None => return Err(p.error_at(place(n), "reserved data format")),
            }
        }
        if spec.role == "srcc" && row.matrix == Trait::Mfma {
            accumulator_overlap(inst, reg).map_err(|message| p.error_at(place(n), message))?;
        }
    }
    if selects_nothing(p, row) && inst.mods.op_sel != 0 {
        return Err(p.error_at(place(inst.operands.len()), "invalid op_sel operand"));
    }
    if p.machine.facts().packed_f32_scalar_low && row.operands.first().is_some_and(|d| d.ty.name == "v2f32") {
        // A scalar pair feeds its low half to both results.
        for (n, operand) in inst.operands.iter().skip(1).enumerate() {
            let scalar = match operand {
                Operand::Reg(reg) => reg.file == RegFile::Sgpr,
                Operand::Special(special) => *special != Special::Null,
                _ => false,
            };
            if scalar && (inst.mods.op_sel | inst.mods.op_sel_hi) >> n & 1 != 0 {
                let message = "invalid op_sel operand: a scalar pair feeds its low half to both results";
                return Err(p.error_at(place(inst.operands.len()), message));
            }
        }
    }
    Ok(())
}

/// Whether the instruction is a dot product whose halves cannot be chosen.
pub(super) fn selects_nothing(p: &Parser, row: &Row) -> bool {
    row.matrix == Trait::Dot2 && p.machine.has_inst(InstFeature::Gfx940Insts)
}

/// What LLVM says of `lds_direct` as source `n`.
pub(super) fn lds_direct(p: &Parser, row: &Row, n: usize) -> Option<&'static str> {
    match n {
        _ if !p.machine.facts().lds_direct_operand => Some("lds_direct is not supported on this GPU"),
        1 if row.matrix == Trait::Reversed => Some("lds_direct cannot be used with this instruction"),
        1 => None,
        _ => Some("lds_direct may be used as src0 only"),
    }
}

/// C may be D or apart from it; results of at most 4 registers are safe.
fn accumulator_overlap(inst: &Inst, c: &Reg) -> Result<(), &'static str> {
    let Some(Operand::Reg(d)) = inst.operands.first() else { return Ok(()) };
    if d.dwords <= 4 || d.file != c.file || d.index == c.index {
        return Ok(());
    }
    let apart = c.index >= d.index + u16::from(d.dwords) || d.index >= c.index + u16::from(c.dwords);
    if apart { Ok(()) } else { Err("source 2 operand must not partially overlap with dst") }
}
