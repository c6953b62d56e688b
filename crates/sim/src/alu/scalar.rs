//! Scalar operations: how a function of scalar sources becomes a body, and how scalar instructions are bound.

use std::marker::PhantomData;
use std::sync::Arc;

use wavemark_isa::{Operand, OutMod, Special};

use super::AluDetail;
use super::def::{Def, scalar_destination, unsupported};
use super::exceptions;
use super::lane::Cx;
use super::modifiers::Modified;
use super::word::{Kind, Word};
use crate::binder::{BindError, Binder, ConstType};
use crate::op::{Body, Detail, Op, OpKind, Place, Role, go_on, go_on_from};
use crate::regs::{Regs, sindex};

/// One scalar instruction's function.
pub trait Scalar: 'static {
    /// Source 0.
    type A: Word;
    /// Source 1.
    type B: Word;
    /// Source 2.
    type C: Word;
    /// Destination.
    type D: Word;
    /// The result, and SCC if it is written.
    fn run(regs: &mut Regs, a: Self::A, b: Self::B, c: Self::C) -> (Self::D, Option<bool>);
}

/// Where the sources of a scalar instruction stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Destination, then the sources.
    Plain,
    /// The last source is the old destination.
    Accumulates,
    /// The destination is the first source as well (`s_addk_i32`).
    InPlace,
    /// The last source is a branch target, relative to the next instruction.
    Target,
    /// Both.
    InPlaceTarget,
}

impl Arrangement {
    fn in_place(self) -> bool {
        matches!(self, Arrangement::InPlace | Arrangement::InPlaceTarget)
    }

    fn target(self) -> bool {
        matches!(self, Arrangement::Target | Arrangement::InPlaceTarget)
    }
}

/// The definition of a scalar instruction.
#[derive(Clone, Copy)]
pub struct ScalarDef {
    src: [Kind; 3],
    dst: Kind,
    body: Body,
    /// It goes on along a line ([`Op::goes_on`]).
    goes_on: bool,
    arrangement: Arrangement,
    branch: bool,
}

/// The definition of `K`.
pub const fn define<K: Scalar>() -> ScalarDef {
    ScalarDef {
        src: [K::A::KIND, K::B::KIND, K::C::KIND],
        dst: K::D::KIND,
        body: Run::<K>::body,
        goes_on: true,
        arrangement: Arrangement::Plain,
        branch: false,
    }
}

/// A body of its own, with operands of these kinds.
pub const fn own(src: [Kind; 3], dst: Kind, body: Body) -> ScalarDef {
    ScalarDef { src, dst, body, goes_on: false, arrangement: Arrangement::Plain, branch: false }
}

impl ScalarDef {
    /// As a table entry.
    pub const fn def(self) -> Def {
        Def::Scalar(self)
    }
    /// The last source is the old destination.
    pub const fn accumulating(mut self) -> Self {
        self.arrangement = Arrangement::Accumulates;
        self
    }
    /// The first source is the old destination, and not written apart.
    pub const fn in_place(mut self) -> Self {
        self.arrangement = Arrangement::InPlace;
        self
    }
    /// Reads or writes the program counter.
    pub const fn branch(mut self) -> Self {
        self.branch = true;
        self
    }
    /// A relative branch: the last source is the target address.
    pub const fn target(mut self) -> Self {
        self.arrangement = match self.arrangement {
            Arrangement::InPlace => Arrangement::InPlaceTarget,
            _ => Arrangement::Target,
        };
        self.branch = true;
        self
    }
}

struct Run<K>(PhantomData<K>);

/// The scalar at canonical index `at`.
///
/// # Safety
/// It must be inside the scalar slab.
#[inline(always)]
unsafe fn read<W: Word>(regs: &Regs, at: usize) -> W {
    debug_assert!(at + W::KIND.rows() <= regs.s.len());
    // SAFETY: the caller's promise. (Not indexed: a body that cannot panic needs no stack frame.)
    unsafe {
        match W::KIND.rows() {
            0 => W::ZERO,
            1 => W::from_words(*regs.s.get_unchecked(at), 0),
            _ => W::from_words(*regs.s.get_unchecked(at), *regs.s.get_unchecked(at + 1)),
        }
    }
}

/// Write the scalar at canonical index `at`.
///
/// # Safety
/// As [`read`].
#[inline(always)]
unsafe fn write<W: Word>(regs: &mut Regs, at: usize, x: W) {
    if W::KIND.rows() == 0 {
        return;
    }
    let (lo, hi) = x.to_words();
    debug_assert!(at + W::KIND.rows() <= regs.s.len());
    // SAFETY: the caller's promise.
    unsafe {
        *regs.s.get_unchecked_mut(at) = lo;
        if W::KIND.rows() > 1 {
            *regs.s.get_unchecked_mut(at + 1) = hi;
        }
    }
    if at as u32 & !1 == sindex::EXEC {
        regs.exec_changed();
    }
}

impl<K: Scalar> Run<K> {
    unsafe fn body(regs: &mut Regs, op: &Op) {
        // SAFETY: the binder placed all operands, of these kinds, inside the slab; and the caller's promise.
        unsafe {
            let operands = op.operands;
            let scalar = |role| operands.scalar_index(role) as usize;
            let a = read(regs, scalar(Role::Src0));
            let b = read(regs, scalar(Role::Src1));
            let c = read(regs, scalar(Role::Src2));
            let (d, scc) = K::run(regs, a, b, c);
            write(regs, scalar(Role::Dst), d);
            if let Some(scc) = scc {
                regs.scc = scc;
            }
            go_on_from(regs, op, operands);
        }
    }
}

/// Bind a scalar instruction.
pub fn bind_scalar(binder: &mut Binder<'_>, mnemonic: &str, def: &ScalarDef) -> Result<Op, BindError> {
    let inst = binder.inst;
    let kind = if def.branch { OpKind::Branch } else { OpKind::Alu };
    let mut op = Op { goes_on: def.goes_on && !def.branch, ..Op::new(def.body, kind, inst.size / 4) };
    let last = (0..3).rev().find(|&i| def.src[i] != Kind::None);
    let mut given = inst.operands.iter();
    let missing = || unsupported(mnemonic, "an operand is missing");
    if def.dst != Kind::None {
        op.set_dst(scalar_destination(binder, mnemonic, given.next().ok_or_else(missing)?)?);
    }
    let mut status = None;
    for i in 0..3 {
        let kind = def.src[i];
        if kind == Kind::None {
            continue;
        }
        let from_dst = match def.arrangement {
            Arrangement::Accumulates => Some(i) == last,
            arrangement => arrangement.in_place() && i == 0,
        };
        if from_dst {
            op.set_src(i, op.dst());
            continue;
        }
        let operand = given.next().ok_or_else(missing)?;
        if Some(i) == last && def.arrangement.target() {
            let Operand::Imm(offset) = *operand else {
                return Err(unsupported(mnemonic, "a branch target that is not an offset"));
            };
            let next = binder.pc.wrapping_add(u64::from(inst.size));
            let target = next.wrapping_add_signed(i64::from(offset as i16) * 4);
            // As an unsigned constant of 64 bits, whatever its size.
            op.set_src(i, binder.scalar_source(&Operand::Imm(target as i64), Kind::B64.const_type())?);
            continue;
        }
        let place = match operand {
            Operand::Special(s @ (Special::Scc | Special::Vccz | Special::Execz)) => {
                status = Some(*s);
                Place::scalar(sindex::STATUS_BIT)
            }
            operand => scalar_source(binder, operand, kind)?,
        };
        op.set_src(i, place);
    }
    if given.next().is_some() {
        return Err(unsupported(mnemonic, &format!("{} operands", inst.operands.len())));
    }
    exceptions::record(binder, &mut op, def.src, true);
    let mods = &inst.mods;
    if (mods.neg | mods.abs) != 0 || mods.clamp || mods.omod != OutMod::None {
        return with_modifiers(mnemonic, def, binder, op, status);
    }
    if let Some(which) = status {
        let inner = op.clone();
        (op.body, op.goes_on) = (with_status, true);
        op.detail = Some(Arc::new(Detail::Alu(AluDetail::Status { inner, which })));
    }
    Ok(op)
}

/// An operation on one scalar with the modifiers of vector instructions (`v_s_exp_f32` and its like).
pub struct ModifiedScalar {
    /// The operation, its source at the place of the status bit.
    inner: Op,
    /// Where its source stands, if it is no status bit, and what becomes of it.
    from: u32,
    status: Option<Special>,
    and: u32,
    xor: u32,
    /// What becomes of the result.
    modified: Modified,
}

fn with_modifiers(
    mnemonic: &str,
    def: &ScalarDef,
    binder: &Binder<'_>,
    mut op: Op,
    status: Option<Special>,
) -> Result<Op, BindError> {
    let mods = &binder.inst.mods;
    let sign = match def.src {
        [Kind::F32, Kind::None, Kind::None] if def.dst == Kind::F32 => 1 << 31,
        [Kind::F16, Kind::None, Kind::None] if def.dst == Kind::F16 => 1 << 15,
        _ => return Err(unsupported(mnemonic, "modifiers")),
    };
    let mut modified = Modified::new(def.dst);
    (modified.clamp, modified.omod) = (mods.clamp, mods.omod);
    modified.omod_needs_flush = binder.facts.omod_needs_flush;
    let mut inner = op.clone();
    inner.set_src(0, Place::scalar(sindex::STATUS_BIT));
    (op.body, op.goes_on) = (run_modified, true);
    op.detail = Some(Arc::new(Detail::Alu(AluDetail::ModifiedScalar(Box::new(ModifiedScalar {
        inner,
        from: op.src(0).at(),
        status,
        and: if mods.abs & 1 != 0 { sign - 1 } else { u32::MAX },
        xor: if mods.neg & 1 != 0 { sign } else { 0 },
        modified,
    })))));
    Ok(op)
}

/// The body of an operation with modifiers.
///
/// # Safety
/// As [`crate::op::Body`].
unsafe fn run_modified(regs: &mut Regs, op: &Op) {
    let Some(Detail::Alu(AluDetail::ModifiedScalar(of))) = op.detail.as_deref() else {
        return;
    };
    if let Some(status) = of.status {
        materialise_status(regs, status);
    }
    let word = regs.s[of.from as usize] & of.and ^ of.xor;
    regs.set_s64(sindex::STATUS_BIT, word.into());
    // SAFETY: the caller's promise holds for the inner operation, which the binder made alike.
    unsafe { (of.inner.body)(regs, &of.inner) }
    let to = of.inner.dst().at() as usize;
    (regs.s[to], _) = of.modified.scale_and_clamp(&Cx::new(regs, 0), regs.s[to], 0);
    // SAFETY: the caller's promise.
    unsafe { go_on(regs, op) }
}

/// A scalar source of `kind`.
pub fn scalar_source(binder: &mut Binder<'_>, operand: &Operand, kind: Kind) -> Result<Place, BindError> {
    let ty: ConstType = kind.const_type();
    binder.scalar_source(&widen_literal(operand, kind), ty)
}

/// A 32-bit literal of an unsigned or untyped 64-bit operand is extended by zeros (CDNA4 6.2.1.1).
pub fn widen_literal(operand: &Operand, kind: Kind) -> Operand {
    match (operand, kind) {
        (Operand::Literal(x), Kind::B64) => Operand::Imm(*x as i64),
        (operand, _) => *operand,
    }
}

/// Put `src_scc`, `src_vccz` or `src_execz` into its place.
pub fn materialise_status(regs: &mut Regs, which: Special) {
    let bit = match which {
        Special::Vccz => regs.vcc() == 0,
        Special::Execz => regs.exec() == 0,
        _ => regs.scc,
    };
    regs.set_s64(sindex::STATUS_BIT, u64::from(bit));
}

/// The body of a scalar operation that reads a status bit.
///
/// # Safety
/// As [`crate::op::Body`].
unsafe fn with_status(regs: &mut Regs, op: &Op) {
    let Some(Detail::Alu(AluDetail::Status { inner, which })) = op.detail.as_deref() else {
        return;
    };
    materialise_status(regs, *which);
    // SAFETY: the caller's promise, which holds for the inner operation, too: the binder made it alike.
    unsafe {
        (inner.body)(regs, inner);
        go_on(regs, op);
    }
}
