//! Statements of the vector family.
//!
//! The statement is read once into operands and modifiers; then the forms that the suffix allows are tried in
//! LLVM's order (32-bit, VOP3, SDWA, DPP, VOP3 with DPP) and the first that takes all of it wins. Limits that
//! span operands (literals, constant bus) are checked on the winner only, as LLVM does.

use smallvec::SmallVec;
use wavemark_target::InstFeature;

use super::operand::{Constant, Force, RegisterText};
use super::vector_constant::{self, Place};
use super::vector_expected::{Miss, Why, explain, no_such_form};
use super::vector_modifiers::{self, Modifier};
use super::{FixupKind, ParseError, Parser, Suffix, empty};
use crate::expr::Expr;
use crate::role::{Class, ImmKind};
use crate::row::{Encoding, OperandSpec, Row};
use crate::vector::{PARAMETERS, Traits, is_wide, position, vcc};
use crate::{Form, Half, Inst, Machine, Operand, Reg, RegFile, Special, code};

/// An operand as written.
pub(super) struct Item {
    pub(super) value: Value,
    pub(super) neg: bool,
    pub(super) abs: bool,
    pub(super) sext: bool,
    /// It begins with two minus signs, which only sources without modifiers take.
    twice: bool,
    /// Where it begins.
    pub(super) start: usize,
}

pub(super) enum Value {
    Register(RegisterText),
    Constant(Constant, Force),
    /// An attribute or parameter of interpolation.
    Number(ImmKind, i64),
}

type Items = SmallVec<[Item; 6]>;

/// Parses the operands and modifiers of one of `rows`, up to the end of the statement.
pub(super) fn parse(p: &mut Parser, rows: &[&Row], suffix: Option<Suffix>) -> Result<Inst, ParseError> {
    let kinds = rows.iter().flat_map(|row| &row.operands).filter_map(|spec| match spec.class {
        Class::Imm(kind) => Some(kind),
        _ => None,
    });
    let (items, modifiers) = read(p, &kinds.collect::<SmallVec<[ImmKind; 2]>>())?;
    let mut best: Option<(&Row, &Encoding, Miss)> = None;
    for row in rows {
        let traits = row.traits;
        for form in forms(suffix) {
            let Some(encoding) = row.encoding(*form).filter(|_| accepts_suffix(row, *form, suffix)) else {
                continue;
            };
            match attempt(p, row, encoding, &traits, &items, &modifiers) {
                Ok((inst, symbols)) => {
                    check_limits(p, row, encoding, &inst, &items)?;
                    let literals = inst
                        .operands
                        .iter()
                        .filter(|o| matches!(o, Operand::Literal(_) | Operand::Literal64(_)));
                    if !symbols.is_empty() && literals.count() > 1 {
                        let at = items.last().map_or(0, |item| item.start);
                        return Err(
                            p.error_at(at, "an instruction has room for one literal; the operands need two")
                        );
                    }
                    for expr in symbols {
                        p.fixup(encoding.format.dwords * 4, FixupKind::Literal32, expr);
                    }
                    return Ok(inst);
                }
                Err(miss) => {
                    // Of two forms that got as far, the VOP3 form takes more.
                    let wide = matches!(form, Form::E64 | Form::Native);
                    let further = |best: &Miss| best.at < miss.at || best.at == miss.at && wide;
                    if best.as_ref().is_none_or(|(_, _, best)| further(best)) {
                        best = Some((row, encoding, miss));
                    }
                }
            }
        }
    }
    Err(match best {
        Some((row, encoding, miss)) => explain(p, row, encoding, &items, &miss),
        None => {
            let name = match suffix {
                Some(Suffix::E32) => "_e32",
                Some(Suffix::E64) => "_e64",
                Some(Suffix::Dpp) => "_dpp",
                Some(Suffix::E64Dpp) => "_e64_dpp",
                Some(Suffix::Sdwa) => "_sdwa",
                None => "without suffix",
            };
            no_such_form(p, rows, name)
        }
    })
}

fn forms(suffix: Option<Suffix>) -> &'static [Form] {
    match suffix {
        None => &[
            Form::E32,
            Form::E64,
            Form::Native,
            Form::Sdwa,
            Form::Dpp16,
            Form::Dpp8,
            Form::E64Dpp16,
            Form::E64Dpp8,
        ],
        Some(Suffix::E32) => &[Form::E32, Form::Native],
        Some(Suffix::E64) => &[Form::E64, Form::Native],
        Some(Suffix::Sdwa) => &[Form::Sdwa],
        Some(Suffix::Dpp) => &[Form::Dpp16, Form::Dpp8],
        Some(Suffix::E64Dpp) => &[Form::E64Dpp16, Form::E64Dpp8],
    }
}

/// VOP3-only instructions may be called `_e64`, but for the lane accesses, which LLVM calls `_e32`.
fn accepts_suffix(row: &Row, form: Form, suffix: Option<Suffix>) -> bool {
    match (form, suffix) {
        (Form::Native, Some(Suffix::E64)) => !row.traits.lane,
        (Form::Native, Some(Suffix::E32)) => row.traits.lane,
        _ => true,
    }
}

/// Reads the statement: operands and modifiers in any order, commas as one likes. `kinds` are those of number operands.
fn read(p: &mut Parser, kinds: &[ImmKind]) -> Result<(Items, SmallVec<[Modifier; 6]>), ParseError> {
    let mut items = Items::new();
    let mut modifiers = SmallVec::new();
    while !p.at_end() {
        match vector_modifiers::read(p)? {
            Some(modifier) => modifiers.push(modifier),
            None if modifiers.is_empty() => match number(p, kinds)? {
                Some(number) => items.push(number),
                None => items.push(item(p)?),
            },
            None => return Err(p.error("not a valid operand.")),
        }
        p.eat(",");
    }
    Ok((items, modifiers))
}

/// `attr3.x` or `p10`, where an operand can be one.
fn number(p: &mut Parser, kinds: &[ImmKind]) -> Result<Option<Item>, ParseError> {
    let word = p.peek_word();
    let start = p.pos;
    let kind = match word {
        _ if word.starts_with("attr") => ImmKind::Attribute,
        _ if PARAMETERS.contains(&word) => ImmKind::Parameter,
        _ => return Ok(None),
    };
    if !kinds.contains(&kind) {
        return Ok(None);
    }
    let value = if kind == ImmKind::Attribute { super::export::attribute(p)? } else { parameter(p)? };
    let value = Value::Number(kind, value);
    Ok(Some(Item { value, neg: false, abs: false, sext: false, twice: false, start }))
}

/// What `v_interp_mov_f32` moves.
pub(super) fn parameter(p: &mut Parser) -> Result<i64, ParseError> {
    let word = p.peek_word();
    match PARAMETERS.iter().position(|name| *name == word) {
        Some(number) => {
            p.pos += word.len();
            Ok(number as i64)
        }
        None => Err(p.error("expected p10, p20 or p0")),
    }
}

/// An operand with its source modifiers: `-v1`, `|v1|`, `-|v1|`, `neg(…)`, `abs(…)`, `sext(…)`.
pub(super) fn item(p: &mut Parser) -> Result<Item, ParseError> {
    p.skip_space();
    let start = p.pos;
    let call = |p: &mut Parser, name: &str| {
        let mark = p.mark();
        let found = p.eat_word(name) && p.eat("(");
        if !found {
            p.reset(mark);
        }
        found
    };
    let sext = call(p, "sext");
    let neg_call = !sext && call(p, "neg");
    // A minus before a register or an absolute value negates the operand; before a number it belongs to it.
    let neg_sign = !sext && !neg_call && {
        let mark = p.mark();
        let minus = p.eat("-");
        p.skip_space();
        let negates = minus && (p.rest().starts_with('|') || begins_call(p, "abs") || p.at_register());
        if !negates {
            p.reset(mark);
        }
        negates
    };
    let rest = p.rest();
    let twice =
        rest.strip_prefix('-').is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('-'));
    let bar = !sext && p.eat("|");
    let abs_call = !sext && !bar && call(p, "abs");
    p.skip_space();
    let value = match p.register()? {
        Some(register) => Value::Register(register),
        None => {
            let (constant, force) = p.constant_within(bar)?;
            Value::Constant(constant, force)
        }
    };
    if bar && !p.eat("|") {
        return Err(p.error("expected vertical bar"));
    }
    for open in [abs_call, neg_call, sext] {
        if open {
            p.expect(")")?;
        }
    }
    Ok(Item { value, neg: neg_call || neg_sign, abs: bar || abs_call, sext, twice, start })
}

fn begins_call(p: &mut Parser, name: &str) -> bool {
    p.peek_word() == name && p.rest()[name.len()..].trim_start_matches([' ', '\t']).starts_with('(')
}

/// The instruction in this form, and the symbols that its literal needs.
fn attempt(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    traits: &Traits,
    items: &[Item],
    modifiers: &[Modifier],
) -> Result<(Inst, SmallVec<[Expr; 1]>), Miss> {
    let mut inst = empty(row.id, encoding.form);
    let mut symbols = SmallVec::new();
    let mut next = items.iter();
    let implied = |index: usize, field: Option<&crate::format::Field>| {
        field.is_some_and(|field| field.pieces.is_empty())
            && matches!(row.operands[index].role, "sdst" | "smask")
    };
    let implied_count = encoding.operands.iter().filter(|&&(index, field)| implied(index, field)).count();
    let left_out = encoding.operands.len().saturating_sub(items.len());
    let may_lack =
        left_out == implied_count && may_leave_out_vcc(p.machine, encoding.form, traits, implied_count);
    let mut halves = Halves::default();
    for &(index, field) in &encoding.operands {
        let spec = &row.operands[index];
        if implied(index, field) && may_lack {
            inst.operands.push(Operand::Special(vcc(&spec.ty)));
            continue;
        }
        let Some(item) = next.next() else {
            return Err(Miss { at: 0, why: Why::TooFew });
        };
        let narrow = field.is_some_and(|field| field.width() == 8 && field.flip == code::VGPR);
        let operand =
            place(p, row, encoding, spec, narrow, traits, item, &mut inst, &mut halves, &mut symbols)
                .filter(|operand| !implied(index, field) || *operand == Operand::Special(vcc(&spec.ty)))
                .ok_or(Miss { at: item.start, why: Why::Operand(index) })?;
        inst.operands.push(operand);
    }
    if let Some(item) = next.next() {
        return Err(Miss { at: item.start, why: Why::TooMany });
    }
    if traits.halves_only && !p.machine.real_true16() {
        return Err(Miss::stated(0, "the instruction needs halves of registers (feature real-true16)"));
    }
    if traits.halves_only && halves.plain {
        return Err(Miss::stated(0, "the operands must be halves of registers, as in v0.l"));
    }
    // LLVM takes halves in the 32-bit compares of either mode.
    let compare = !traits.vdst && encoding.form == Form::E32;
    if halves.written && (halves.plain || !p.machine.real_true16() && !compare) {
        let text = if halves.plain {
            "halves (v0.l) and whole registers (v0) do not go together"
        } else {
            "halves of registers need the feature real-true16"
        };
        return Err(Miss::stated(0, text));
    }
    let with_halves = p.machine.real_true16() && !halves.plain;
    vector_modifiers::apply(p, row, encoding, traits, modifiers, with_halves, &mut inst)?;
    finish_halves(row, encoding, traits, &halves, modifiers, &mut inst)?;
    inst.size = encoding.format.dwords * 4 + literal_bytes(&inst);
    Ok((inst, symbols))
}

/// Whether VCC, where it is the only register that can stand there, may be left out: by compares, by
/// `v_cndmask_b32`, by additions with carry-out (one such operand) or with carry-in as well (two).
fn may_leave_out_vcc(machine: Machine, form: Form, traits: &Traits, operands: usize) -> bool {
    let extended = form != Form::E32;
    let gfx10 = machine.has_inst(InstFeature::Gfx10Insts);
    match operands {
        0 => false,
        1 if !traits.vdst => form != Form::Sdwa,
        // A condition or a carry-in.
        1 if traits.mods != 0 => !extended || gfx10,
        1 => !extended && machine.has_inst(InstFeature::AddNoCarryInsts),
        _ => gfx10,
    }
}

/// Whether half registers are written with `.l` and `.h`, or as whole registers in the old manner.
#[derive(Default)]
struct Halves {
    written: bool,
    plain: bool,
}

/// The operand, if this form takes it in this place.
fn place(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    narrow: bool,
    traits: &Traits,
    item: &Item,
    inst: &mut Inst,
    halves: &mut Halves,
    symbols: &mut SmallVec<[Expr; 1]>,
) -> Option<Operand> {
    let number = position(spec).filter(|&n| n < 3);
    if !suits_dpp(p.machine, encoding.form, spec, number, item) {
        return None;
    }
    let bit = number.map_or(0, |n| 1u8 << n);
    let has_mods = traits.mods & bit != 0;
    match &item.value {
        Value::Number(kind, value) => (spec.class == Class::Imm(*kind)).then_some(Operand::Imm(*value)),
        Value::Register(register) => {
            if item.neg || item.abs {
                let absolute = encoding.format.field("abs").is_some();
                let signed = encoding.form != Form::E32 && !matches!(encoding.form, Form::Dpp8);
                if !has_mods || !signed || item.abs && !absolute {
                    return None;
                }
                if item.neg {
                    inst.mods.neg |= bit;
                }
                if item.abs {
                    inst.mods.abs |= bit;
                }
            }
            if item.sext {
                if encoding.form != Form::Sdwa || traits.mods & bit != 0 || bit == 0 || traits.whole_dst {
                    return None;
                }
                inst.mods.sdwa.get_or_insert_default().sext |= bit;
            }
            let half = position(spec).is_some_and(|n| traits.true16 >> n & 1 != 0);
            place_register(p, row, encoding, spec, narrow, half, *register, halves)
        }
        Value::Constant(constant, force) => {
            let source = matches!(spec.class, Class::VectorSrc | Class::ScalarSrc);
            let lane_select = spec.role == "ssrc1" && traits.lane;
            let literal = matches!(spec.class, Class::Literal32 | Class::Literal64);
            if !(source || literal) || narrow {
                return None;
            }
            if item.sext || item.twice && has_mods {
                return None;
            }
            let mandatory =
                row.operands.iter().any(|spec| matches!(spec.class, Class::Literal32 | Class::Literal64));
            if mandatory && (item.neg || item.abs) {
                return None;
            }
            if *force == Force::Lit64 && !p.machine.facts().literals_64 && has_mods {
                return None;
            }
            if (item.neg || item.abs) && !has_mods {
                return None;
            }
            // Before there were 16-bit instructions, VOP3 had no constants of 16 bits.
            if spec.ty.bits() == 16 && is_wide(encoding.form) && !p.machine.has_inst(InstFeature::Bits16Insts)
            {
                return None;
            }
            let place = Place { machine: p.machine, row, spec, encoding };
            if (item.neg || item.abs) && !vector_constant::takes_modifiers(&place, constant) {
                return None;
            }
            if let Constant::Unknown(expr) = constant {
                let takes = vector_constant::takes_symbols(&place) && !(is_wide(encoding.form) && has_mods);
                if !takes || item.neg || item.abs {
                    return None;
                }
                symbols.push(expr.clone());
                return Some(Operand::Literal(0));
            }
            // The 32-bit forms fold the modifiers into the constant, the others keep them.
            let fold = encoding.form == Form::E32;
            let operand =
                vector_constant::place(&place, constant, *force, fold && item.neg, fold && item.abs)?;
            if lane_select && matches!(operand, Operand::Literal(_) | Operand::Literal64(_)) {
                return None;
            }
            if !fold {
                let absolute = encoding.format.field("abs").is_some();
                if item.abs && !absolute || (item.neg || item.abs) && matches!(encoding.form, Form::Dpp8) {
                    return None;
                }
                if item.neg {
                    inst.mods.neg |= bit;
                }
                if item.abs {
                    inst.mods.abs |= bit;
                }
            }
            Some(operand)
        }
    }
}

/// Whether the source can stand in a form with DPP: the source whose lanes are permuted has 32 bits on many processors,
/// and the second one of the VOP3 forms must be a VGPR on some.
fn suits_dpp(machine: Machine, form: Form, spec: &OperandSpec, number: Option<u8>, item: &Item) -> bool {
    match (form, number) {
        (Form::Dpp16, Some(0)) => spec.ty.dwords() == 1 || machine.has_inst(InstFeature::Dpp64bit),
        (Form::E64Dpp16 | Form::E64Dpp8, Some(1)) if spec.class == Class::VectorSrc => {
            machine.has_inst(InstFeature::DppSrc1Sgpr)
                || matches!(
                    item.value,
                    Value::Register(RegisterText::Numbered(Reg { file: RegFile::Vgpr, .. }))
                )
        }
        _ => true,
    }
}

fn place_register(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    narrow: bool,
    half: bool,
    register: RegisterText,
    halves: &mut Halves,
) -> Option<Operand> {
    let dwords = spec.ty.dwords();
    match register {
        RegisterText::Numbered(reg) if matches!(reg.file, RegFile::Vgpr) => {
            // LLVM takes VGPRs as sources of the scalar-result instructions.
            let lenient = spec.class == Class::ScalarSrc && row.traits.scalar;
            let class = matches!(spec.class, Class::Vgpr | Class::VgprSrc | Class::VectorSrc) || lenient;
            let aligned = reg.index % u16::from(p.machine.facts().vgpr_tuple_alignment) == 0;
            if !class || reg.dwords != dwords || dwords > 1 && !aligned {
                return None;
            }
            if half {
                // The 32-bit forms number halves with 7 bits and the half.
                if !is_wide(encoding.form) && reg.index > 0x7f {
                    return None;
                }
                match reg.half {
                    Half::Whole => halves.plain = true,
                    Half::Lo | Half::Hi => halves.written = true,
                }
            } else if reg.half != Half::Whole {
                return None;
            }
            Some(Operand::Reg(reg))
        }
        RegisterText::Numbered(reg) if reg.file == RegFile::Agpr => {
            (spec.class == Class::Custom && reg.dwords == dwords).then_some(Operand::Reg(reg))
        }
        RegisterText::Numbered(reg) => {
            let class = matches!(spec.class, Class::ScalarSrc | Class::ScalarReg | Class::VectorSrc);
            if !class || narrow || reg.dwords != dwords || reg.half != Half::Whole {
                return None;
            }
            Some(Operand::Reg(reg))
        }
        RegisterText::Named(special) => {
            let direct = special == Special::LdsDirect && row.traits.lane_read;
            let class =
                matches!(spec.class, Class::ScalarSrc | Class::ScalarReg | Class::VectorSrc) || direct;
            if !class || narrow {
                return None;
            }
            let operand = Operand::Special(special);
            let number = code::code_of(p.machine, Class::VectorSrc, &operand)?;
            // An 8-bit destination has codes for the read-only values, and LLVM takes them.
            let wide =
                spec.role == "sdst" && encoding.format.field("sdst").is_some_and(|field| field.fits(number));
            if spec.class == Class::ScalarReg && number > 127 && !wide && spec.role != "smask" {
                return None;
            }
            // The name must be the one for an operand of this width.
            if code::operand_of(p.machine, Class::VectorSrc, &spec.ty, number)? != operand {
                return None;
            }
            allowed_special(p.machine, row, encoding, spec, special).then_some(operand)
        }
    }
}

/// Special registers that single places refuse.
fn allowed_special(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    special: Special,
) -> bool {
    let traits = &row.traits;
    let facts = machine.facts();
    match special {
        Special::LdsDirect => {
            facts.lds_direct_operand
                && position(spec) == Some(0)
                && encoding.form != Form::Sdwa
                && !traits.no_lds
        }
        // Lane reads do not write M0; scalar instructions do not write EXEC.
        Special::M0 if spec.role == "sdst" => !traits.lane_read,
        Special::SharedBase | Special::SharedLimit | Special::PrivateBase | Special::PrivateLimit
            if spec.role == "sdst" =>
        {
            !traits.lane_read && !traits.scalar
        }
        Special::ExecLo | Special::ExecHi if spec.role == "sdst" => !traits.scalar,
        _ => true,
    }
}

/// Gives 16-bit operands their halves and `op_sel` the bits that go with them.
fn finish_halves(
    row: &Row,
    encoding: &Encoding,
    traits: &Traits,
    halves: &Halves,
    modifiers: &[Modifier],
    inst: &mut Inst,
) -> Result<(), Miss> {
    if traits.true16 == 0 {
        return Ok(());
    }
    let wide = is_wide(encoding.form);
    // An `op_sel` of zeros is as good as none.
    let explicit = modifiers.iter().any(|modifier| modifier.name == "op_sel" && modifier.value != 0);
    for (spec, operand) in encoding.specs(row).zip(&mut inst.operands) {
        let Some(n) = position(spec).filter(|&n| traits.true16 >> n & 1 != 0) else { continue };
        let Operand::Reg(reg @ Reg { file: RegFile::Vgpr, .. }) = operand else { continue };
        let selected = inst.mods.op_sel >> n & 1 != 0;
        match reg.half {
            Half::Whole => reg.half = if wide && selected { Half::Hi } else { Half::Lo },
            Half::Lo | Half::Hi => {
                let high = reg.half == Half::Hi;
                if explicit && halves.written && selected != high {
                    return Err(Miss::stated(
                        0,
                        "op_sel and the halves that are written contradict each other",
                    ));
                }
                if wide && high {
                    inst.mods.op_sel |= 1 << n;
                }
            }
        }
    }
    Ok(())
}

fn literal_bytes(inst: &Inst) -> u8 {
    inst.operands
        .iter()
        .map(|operand| match operand {
            Operand::Literal64(_) => 8,
            Operand::Literal(_) => 4,
            _ => 0,
        })
        .max()
        .unwrap_or(0)
}

/// Whether a scalar operand does not count as read over the constant bus: NULL, LDS, and M0 where it is the lane.
fn free_of_the_bus(row: &Row, spec: &OperandSpec, operand: &Operand) -> bool {
    match operand {
        Operand::Special(Special::Null | Special::LdsDirect) => true,
        Operand::Special(Special::M0) => row.traits.lane && spec.role == "ssrc1",
        _ => false,
    }
}

/// Limits that span operands: one literal, and how many scalar values a vector instruction can read.
fn check_limits(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    inst: &Inst,
    items: &[Item],
) -> Result<(), ParseError> {
    let last = || items.last().map_or(0, |item| item.start);
    let mut literal: Option<(Operand, u8)> = None;
    let mut literals = 0;
    let mut scalars: SmallVec<[Operand; 4]> = SmallVec::new();
    for (spec, operand) in encoding.specs(row).zip(&inst.operands) {
        if spec.access == crate::Access::Write {
            continue;
        }
        match operand {
            Operand::Literal(_) | Operand::Literal64(_) => {
                let form = encoding.form;
                let wide = is_wide(form) && !p.machine.facts().vop3_literals;
                if !encoding.format.literal || wide || matches!(form, Form::E64Dpp16 | Form::E64Dpp8) {
                    let message = format!(
                        "{} is no inline constant, and this form ({}) takes no other",
                        spec.role,
                        if wide { "VOP3" } else { "with DPP or SDWA" }
                    );
                    return Err(p.error_at(last(), message));
                }
                if literal.is_some_and(|(other, _)| other != *operand) {
                    return Err(
                        p.error_at(last(), "an instruction has room for one literal; the operands need two")
                    );
                }
                // One literal for operands of two widths counts twice.
                if literal.is_none_or(|(_, width)| width != spec.ty.dwords()) {
                    literals += 1;
                }
                literal = Some((*operand, spec.ty.dwords()));
            }
            Operand::Reg(Reg { file: RegFile::Sgpr | RegFile::Ttmp, .. }) | Operand::Special(_)
                if !free_of_the_bus(row, spec, operand)
                    // Other names of the same register count again.
                    && !scalars.contains(operand) =>
            {
                scalars.push(*operand);
            }
            _ => {}
        }
    }
    // VCC counts, and again by the name of a half.
    let implied = Operand::Special(Special::Vcc);
    if row.has("vcc") && !scalars.contains(&implied) {
        scalars.push(implied);
    }
    // So does M0 where the instruction reads it.
    if row.has("m0") && !scalars.contains(&Operand::Special(Special::M0)) {
        scalars.push(Operand::Special(Special::M0));
    }
    let limit = if row.traits.one_scalar { 1 } else { usize::from(p.machine.facts().constant_bus_limit) };
    if row.traits.scalar {
        return Ok(());
    }
    if scalars.len() + literals > limit {
        let message = format!(
            "{} scalar values are read (SGPRs, special registers, literals); {} reads at most {limit} here",
            scalars.len() + literals,
            row.mnemonic,
        );
        return Err(p.error_at(last(), message));
    }
    Ok(())
}
