//! Definitions: what an instruction's table line says, and how such an instruction is bound.

use smallvec::SmallVec;
use wavemark_isa::{Half, Meaning, Operand, OutMod, Reg, RegFile, Special};

use super::exceptions;
use super::host::{Bodies, Kernel, bodies, level, size};
use super::lane::{Exact, Fast, Lane, SIGNS, Slow, takes_signs};
use super::modified;
use super::modifiers::{Modified, SourceMods};
use super::scalar::{ScalarDef, widen_literal};
use super::spread;
use super::word::{Kind, Word as _};
use wavemark_isa::effects::Bank;

use crate::binder::{BindError, Binder};
use crate::op::{Body, Op, OpKind, Place, PlaceKind};
use crate::regs::sindex;

/// The definition of one instruction.
#[derive(Clone, Copy)]
pub enum Def {
    /// A vector instruction.
    Vector(VectorDef),
    /// A scalar one.
    Scalar(ScalarDef),
}

/// A line of a family's table: a key and its definition.
pub type Line = (Meaning, Def);

/// The definition of a vector instruction.
#[derive(Clone, Copy)]
pub struct VectorDef {
    /// Kinds of src0, src1, src2.
    pub src: [Kind; 3],
    /// Kinds of the destination and the second destination.
    pub dst: [Kind; 2],
    /// The bodies.
    pub bodies: Bodies,
    /// They go on along a line ([`Op::goes_on`]).
    pub goes_on: bool,
    /// The bodies with `clamp`, where that is not the clamp of a floating result, and whether they go on.
    pub clamp: Option<(Bodies, bool)>,
    /// src2 is the old destination (or, without src2, the first free source is).
    pub accumulates: bool,
    /// The body reads `op_sel`, `op_sel_hi`, `neg`, `neg_hi`, `clamp` and the control itself, from
    /// [`own_mods`].
    pub own_mods: bool,
    /// Writes EXEC (`v_cmpx`).
    pub writes_exec: bool,
    /// A 16-bit result keeps the other half of the destination on gfx9, too.
    pub keeps_half: bool,
    /// The body takes sign modifiers of 32-bit sources from [`Op::imm`].
    pub signs_in_imm: bool,
    /// A source whose `op_sel_hi` bit is set has this kind (mixed precision).
    pub mixed: Option<Kind>,
}

/// What a body with `own_mods` finds in [`Op::imm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnMods(pub u64);

impl OwnMods {
    /// `op_sel`, bit 3 the destination.
    pub fn op_sel(self) -> u32 {
        self.0 as u32 & 15
    }
    /// `op_sel_hi`.
    pub fn op_sel_hi(self) -> u32 {
        (self.0 >> 4) as u32 & 15
    }
    /// `neg` or `neg_lo`.
    pub fn neg(self) -> u32 {
        (self.0 >> 8) as u32 & 15
    }
    /// `neg_hi`; `abs` of the mixed-precision instructions.
    pub fn neg_hi(self) -> u32 {
        (self.0 >> 12) as u32 & 15
    }
    /// `clamp`.
    pub fn clamp(self) -> bool {
        self.0 >> 16 & 1 != 0
    }
    /// The family's control.
    pub fn control(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

const fn vector<K: Exact>(bodies: Bodies) -> VectorDef {
    VectorDef {
        goes_on: true,
        signs_in_imm: true,
        src: [K::A::KIND, K::B::KIND, K::C::KIND],
        dst: [K::D::KIND, K::E::KIND],
        bodies,
        clamp: None,
        accumulates: false,
        own_mods: false,
        writes_exec: false,
        keeps_half: false,
        mixed: None,
    }
}

/// A lane function compiled for every host level.
pub const fn fast<K: Lane>() -> VectorDef {
    vector::<K>(bodies::<Fast<K>>())
}

/// A lane function run lane by lane.
pub const fn slow<K: Exact>() -> VectorDef {
    vector::<K>([[Slow::<K>::body; 2]; 3])
}

/// A body that does the whole wave itself.
pub const fn whole(src: [Kind; 3], dst: [Kind; 2], body: Body) -> VectorDef {
    VectorDef {
        signs_in_imm: false,
        src,
        dst,
        bodies: [[body; 2]; 3],
        goes_on: false,
        clamp: None,
        accumulates: false,
        own_mods: false,
        writes_exec: false,
        keeps_half: false,
        mixed: None,
    }
}

/// A kernel that does the whole wave itself and goes on.
pub const fn kernel<K: Kernel>(src: [Kind; 3], dst: [Kind; 2]) -> VectorDef {
    let bodies = bodies::<K>();
    VectorDef { bodies, goes_on: true, ..whole(src, dst, bodies[0][0]) }
}

impl VectorDef {
    /// As a table entry.
    pub const fn def(self) -> Def {
        Def::Vector(self)
    }
    /// With `clamp`, `other`'s bodies.
    pub const fn clamped(mut self, other: VectorDef) -> Self {
        self.clamp = Some((other.bodies, other.goes_on));
        self
    }
    /// The last source is the old destination.
    pub const fn accumulating(mut self) -> Self {
        self.accumulates = true;
        self
    }
    /// The body handles the modifiers.
    pub const fn owning_mods(mut self) -> Self {
        self.own_mods = true;
        self
    }
    /// A 16-bit result always keeps the other half.
    pub const fn keeping_half(mut self) -> Self {
        self.keeps_half = true;
        self
    }
    /// Sources with `op_sel_hi` are of `kind`.
    pub const fn mixing(mut self, kind: Kind) -> Self {
        self.mixed = Some(kind);
        self
    }
    /// The same compare, writing EXEC.
    pub const fn cmpx(mut self) -> Self {
        self.writes_exec = true;
        self
    }
}

/// The host level to bind for.
#[cfg(not(test))]
pub fn chosen_level() -> usize {
    level() as usize
}

#[cfg(test)]
thread_local! {
    static FORCED: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
}

/// Bind for this level from now on (tests compare the levels).
#[cfg(test)]
pub fn force_level(level: usize) {
    FORCED.set(Some(level));
}

#[cfg(test)]
pub fn chosen_level() -> usize {
    FORCED.get().unwrap_or(level() as usize)
}

/// An error that names what is missing.
pub fn unsupported(mnemonic: &str, what: &str) -> BindError {
    BindError::Unsupported(format!("{mnemonic}: {what}"))
}

/// A scalar destination: `null` becomes the sink.
pub fn scalar_destination(
    binder: &Binder<'_>,
    mnemonic: &str,
    operand: &Operand,
) -> Result<Place, BindError> {
    let at = binder
        .scalar_at(operand)
        .ok_or_else(|| unsupported(mnemonic, &format!("{operand:?} as a scalar destination")))?;
    let at = if at == sindex::NULL { sindex::SINK } else { at };
    Ok(Place::scalar(at))
}

const VCC: Place = Place::scalar(sindex::VCC);
const EXEC: Place = Place::scalar(sindex::EXEC);

/// The operands of an instruction, in order, with the implicit VCC ones filled in.
struct Operands<'a> {
    dst: Option<Given<'a>>,
    dst2: Option<Given<'a>>,
    src: [Option<Given<'a>>; 3],
}

/// An operand and its number.
type Given<'a> = (usize, &'a Operand);

fn arrange<'a>(
    mnemonic: &str,
    def: &VectorDef,
    dst_implicit: bool,
    given: &'a [Operand],
) -> Result<Operands<'a>, BindError> {
    // Roles in assembly order; masks may be left to VCC.
    #[derive(PartialEq, Clone, Copy)]
    enum Role {
        Dst,
        Dst2,
        Src(usize),
    }
    let mut roles: SmallVec<[(Role, bool); 5]> = SmallVec::new();
    if def.dst[0] != Kind::None && !dst_implicit {
        roles.push((Role::Dst, def.dst[0] == Kind::Mask));
    }
    if def.dst[1] != Kind::None {
        roles.push((Role::Dst2, def.dst[1] == Kind::Mask));
    }
    let explicit_sources = (0..3).rev().find(|&i| def.src[i] != Kind::None);
    for i in 0..3 {
        if def.src[i] != Kind::None && !(def.accumulates && Some(i) == explicit_sources) {
            roles.push((Role::Src(i), def.src[i] == Kind::Mask));
        }
    }
    if roles.len() != given.len() {
        roles.retain(|(_, optional)| !*optional);
    }
    if roles.len() != given.len() {
        return Err(unsupported(mnemonic, &format!("{} operands", given.len())));
    }
    let mut out = Operands { dst: None, dst2: None, src: [None; 3] };
    for ((role, _), operand) in roles.iter().zip(given.iter().enumerate()) {
        match role {
            Role::Dst => out.dst = Some(operand),
            Role::Dst2 => out.dst2 = Some(operand),
            Role::Src(i) => out.src[*i] = Some(operand),
        }
    }
    Ok(out)
}

/// Does the row name no destination?
fn writes_no_operand(binder: &Binder<'_>) -> bool {
    !binder.effects.regs.iter().any(|entry| entry.write && entry.operand.is_some())
}

/// Does a register operand name a high half?
fn is_high(operand: Option<Given<'_>>) -> bool {
    matches!(operand, Some((_, Operand::Reg(Reg { half: Half::Hi, .. }))))
}

/// Bind a vector instruction.
pub fn bind_vector(binder: &mut Binder<'_>, mnemonic: &str, def: &VectorDef) -> Result<Op, BindError> {
    let inst = binder.inst;
    let mut mods = inst.mods;
    let facts = binder.facts;
    let encoding = inst.row(binder.machine).encoding(inst.form);
    let chooses_halves = encoding.is_some_and(|encoding| encoding.has_modifier("op_sel_hi"));
    if !chooses_halves {
        // The high half is computed from the high halves.
        mods.op_sel_hi = u8::MAX;
    }
    // A compare that writes EXEC names no destination where EXEC is the only one.
    let exec_only = def.writes_exec && writes_no_operand(binder);
    let operands = arrange(mnemonic, def, exec_only, &inst.operands)?;

    let body = def.bodies[chosen_level()][size(binder.layout.chunks)];
    let goes_on = def.goes_on;
    let mut op = Op { imm: u64::from(mods.control), goes_on, ..Op::new(body, OpKind::Alu, inst.size / 4) };
    if def.own_mods {
        op.imm = u64::from(mods.op_sel & 15)
            | u64::from(mods.op_sel_hi & 15) << 4
            | u64::from(mods.neg & 15) << 8
            | u64::from((mods.neg_hi | mods.abs) & 15) << 12
            | u64::from(mods.clamp) << 16
            | u64::from(mods.control) << 32;
        // Halves that registers name stand where `op_sel` has them; what is exchanged is named like a source.
        let [first, second, third] = operands.src;
        let halves = [first.or(operands.dst2), second, third, operands.dst];
        op.imm |= (0..4).filter(|&i| is_high(halves[i])).map(|i| 1 << i).sum::<u64>();
    }

    // Destinations.
    match def.dst[0] {
        Kind::None => {}
        Kind::Mask | Kind::Scalar => {
            let dst = match operands.dst {
                Some((_, operand)) => scalar_destination(binder, mnemonic, operand)?,
                None if exec_only => EXEC,
                None => VCC,
            };
            op.set_dst(dst);
            if def.writes_exec && op.dst().at() != sindex::EXEC {
                op.set_dst2(EXEC);
            }
        }
        _ => {
            let dst = match operands.dst {
                Some((n, Operand::Reg(reg))) => {
                    let reg = Reg { dwords: def.dst[0].rows() as u8, ..*reg };
                    Place::vector(binder.vector_at(reg, binder.bank(n))?)
                }
                _ => return Err(unsupported(mnemonic, "destination is not a vector register")),
            };
            op.set_dst(dst);
        }
    }
    match def.dst[1] {
        Kind::None => {}
        Kind::Mask => {
            let dst2 = match operands.dst2 {
                Some((_, operand)) => scalar_destination(binder, mnemonic, operand)?,
                None => VCC,
            };
            op.set_dst2(dst2);
        }
        _ => {
            let dst2 = match operands.dst2 {
                Some((n, Operand::Reg(reg))) => {
                    let reg = Reg { dwords: def.dst[1].rows() as u8, ..*reg };
                    Place::vector(binder.vector_at(reg, binder.bank(n))?)
                }
                _ => return Err(unsupported(mnemonic, "second destination is not a vector register")),
            };
            op.set_dst2(dst2);
        }
    }

    // Sources.
    let last = (0..3).rev().find(|&i| def.src[i] != Kind::None);
    let mut source_mods = [SourceMods::default(); 3];
    let mut status = None;
    for (i, m) in source_mods.iter_mut().enumerate() {
        let kind = def.src[i];
        m.kind = kind;
        if kind == Kind::None {
            continue;
        }
        if def.accumulates && Some(i) == last {
            op.set_src(i, op.dst());
            m.high = kind.is_half() && (is_high(operands.dst) || mods.op_sel >> 3 & 1 != 0);
            continue;
        }
        let operand = operands.src[i];
        let place = match (kind, operand) {
            (Kind::Mask, None) => VCC,
            (Kind::Mask | Kind::Scalar, Some((_, operand))) => {
                let ty = Kind::B64.const_type();
                if let Operand::Reg(Reg { file: RegFile::Vgpr | RegFile::Agpr, .. }) = operand {
                    return Err(unsupported(mnemonic, "a vector register as a scalar source"));
                }
                binder.scalar_source(operand, ty)?
            }
            (_, Some((_, Operand::Special(s @ (Special::Scc | Special::Vccz | Special::Execz))))) => {
                status = Some(*s);
                Place::scalar(sindex::STATUS_BIT)
            }
            (
                Kind::Tuple(dwords),
                Some((n, Operand::Reg(reg @ Reg { file: RegFile::Vgpr | RegFile::Agpr, .. }))),
            ) => {
                let reg = Reg { dwords, ..*reg };
                Place::vector(binder.vector_at(reg, binder.bank(n))?)
            }
            (_, Some((n, operand))) => {
                let half = def.mixed.filter(|_| mods.op_sel_hi >> i & 1 != 0);
                let bank = binder.bank(n);
                source(binder, operand, half.unwrap_or(kind), bank, chooses_halves)?
            }
            (_, None) => return Err(unsupported(mnemonic, "a source is missing")),
        };
        op.set_src(i, place);
        if let Some(sdwa) = mods.sdwa
            && i < 2
        {
            m.sel = if i == 0 { sdwa.src0_sel } else { sdwa.src1_sel };
            m.sext = sdwa.sext >> i & 1 != 0;
        }
        if def.own_mods {
            if is_high(operand) {
                op.imm |= 1 << i;
            }
            continue;
        }
        let bit = |mask: u8| mask >> i & 1 != 0;
        m.neg = bit(mods.neg);
        match kind {
            Kind::PkB16 | Kind::PkF16 | Kind::PkBf16 | Kind::PkF32 => {
                m.neg_hi = bit(mods.neg_hi);
                m.swizzle = (chooses_halves && bit(mods.op_sel), !bit(mods.op_sel_hi));
                if kind == Kind::PkF32 && place.kind == PlaceKind::Scalar && facts.packed_f32_scalar_low {
                    m.swizzle = (false, true);
                }
            }
            Kind::Mask | Kind::Scalar | Kind::Tuple(_) => {}
            _ => {
                m.abs = bit(mods.abs);
                m.high = kind.is_half() && (is_high(operand) || bit(mods.op_sel));
            }
        }
    }

    // The result.
    let dst = def.dst[0];
    let mut modified = Modified { sources: source_mods, ..Modified::new(dst) };
    if mods.clamp && !def.own_mods {
        match (dst, def.clamp) {
            (_, Some((bodies, goes_on))) => {
                (op.body, op.goes_on) = (bodies[chosen_level()][size(binder.layout.chunks)], goes_on);
            }
            (Kind::F32 | Kind::F64 | Kind::F16 | Kind::PkF16 | Kind::PkF32, None) => modified.clamp = true,
            (Kind::Mask, None) => {} // signals exceptions: `exceptions` sees to them
            (Kind::PkBf16 | Kind::Bf16, None) => modified.clamp = true,
            // Where clamp has no meaning it is ignored (CDNA5 7.2.3.1).
            _ => {}
        }
    }
    if mods.omod != OutMod::None {
        match dst {
            Kind::F32 | Kind::F64 | Kind::F16 if !def.own_mods => modified.omod = mods.omod,
            _ => return Err(unsupported(mnemonic, "output multiplier")),
        }
        modified.omod_needs_flush = facts.omod_needs_flush;
    }
    if dst.is_half() && !def.own_mods {
        modified.dst_high = is_high(operands.dst) || mods.op_sel >> 3 & 1 != 0;
        modified.dst_keep = facts.keeps_other_half || def.keeps_half || modified.dst_high;
    }
    if let Some(sdwa) = mods.sdwa
        && dst != Kind::Mask
    {
        modified.dst_sel = sdwa.dst_sel;
        modified.dst_unused = sdwa.dst_unused;
        modified.dst_keep = false;
    }
    if let Some(dpp) = mods.dpp {
        modified.set_dpp(mnemonic, facts.dpp_controls, dpp, binder.layout.chunks)?;
    }
    modified.status = status;
    exceptions::record(binder, &mut op, def.src, false);
    if def.signs_in_imm {
        // Signs alone need no more than `spread`; with other modifiers they stay with those.
        let (mut imm, mut bare) = (op.imm, modified.clone());
        for (i, m) in bare.sources.iter_mut().enumerate() {
            if takes_signs(m.kind) {
                imm |= u64::from(m.abs) << (SIGNS + i as u32) | u64::from(m.neg) << (SIGNS + 3 + i as u32);
                (m.abs, m.neg) = (false, false);
            }
        }
        if !bare.is_needed() {
            (op.imm, modified) = (imm, bare);
        }
        modified.rows_only = true;
    }
    // What writes nothing (`v_nop`) has nothing to modify.
    if modified.is_needed() && def.dst != [Kind::None; 2] {
        return Ok(modified::wrap(modified, op, binder.layout));
    }
    Ok(if def.signs_in_imm { spread::wrap(op, def.src, binder.layout) } else { op })
}

/// A source of `kind`, of which the encoding chooses halves or not: packed constants are repeated where the hardware
/// does so.
fn source(
    binder: &mut Binder<'_>,
    operand: &Operand,
    kind: Kind,
    bank: Bank,
    chooses_halves: bool,
) -> Result<Place, BindError> {
    if kind == Kind::PkF32
        && let Some(bits) = binder.constant_bits(operand, Kind::F32.const_type())
    {
        // Both halves of the pair take the 32-bit constant.
        let twice = Operand::Literal64(bits & 0xffff_ffff | bits << 32);
        let wide = Kind::B64.const_type();
        return binder.vector_source(&twice, wide, bank);
    }
    if let Operand::Float(_) = operand {
        let packed = matches!(kind, Kind::PkF16 | Kind::PkBf16) && !chooses_halves;
        if packed && binder.facts.packed_constants_twice {
            let bits = binder.constant_bits(operand, kind.const_type()).unwrap_or(0);
            return binder.vector_source(&Operand::Literal(bits | bits << 16), Kind::B32.const_type(), bank);
        }
        if matches!(kind, Kind::Bf16 | Kind::PkBf16) && binder.facts.bf16_constants_single {
            return binder.vector_source(operand, Kind::F32.const_type(), bank);
        }
    }
    if let Operand::Reg(reg) = operand
        && matches!(reg.file, RegFile::Vgpr | RegFile::Agpr)
    {
        let reg = Reg { dwords: kind.rows() as u8, ..*reg };
        return binder.vector_source(&Operand::Reg(reg), kind.const_type(), bank);
    }
    binder.vector_source(&widen_literal(operand, kind), kind.const_type(), bank)
}
