//! Floating-point exceptions: which instruction raises which, in programs that read them.
//!
//! A program without an `s_getreg` of TRAPSTS or EXCP_FLAG_USER is bound without any of this ([`crate::asked`]). In the
//! others [`record`] puts a body around that of each instruction that may raise something: first it works out, lane by lane and
//! from the sources as the operation gets them, what the operation raises ([`wavemark_numerics::exceptions`]), then it runs it.
//!
//! What the manuals leave open is kept as such ([`Exceptions::open`]): the run ends, with the instruction's name, when the
//! program reads such a flag, and not before.
//!
//! * An instruction with a floating-point operand that is not in [`RULES`] leaves all flags open, but for compares.
//! * With an output multiplier neither underflow nor inexact is reported (RDNA4 and CDNA5 7.2.3.1); before, that is open.
//! * MODE.DX10_CLAMP, where there is such a bit, keeps all exceptions from being recorded (RDNA3 3.4.3, "exceptions are
//!   suppressed when DX10_CLAMP==1"; LLVM's libc says that it does so on all generations before gfx12).
//! * Matrix operations raise none (CDNA2 7, CDNA5 7, RDNA3 7.9: "WMMA does not generate any ALU exceptions"; the manuals of
//!   CDNA1 and RDNA4 say less). "DGEMM matrix operation … does support exceptions" (CDNA3 and CDNA4 7): theirs are open.
//! * Operations on memory report none (RDNA4 and CDNA5, "Floating-point memory atomics").

use std::sync::Arc;

use wavemark_isa::{Access, Meaning, OutMod, Row};
use wavemark_numerics::exceptions::{self as ex, Env, Flags, Raised, Transcendental};
use wavemark_numerics::soft::{BF16, F16, F32, F64, Format};
use wavemark_numerics::{Denorm, Round};

use super::AluDetail;
use super::lane::{Cx, SIGNS, indexed, lane_bits, signs, takes_signs};
use super::word::Kind;
use crate::binder::Binder;
use crate::matrix::table::{Accumulator, MatrixRow};
use crate::op::{Body, Detail, Op};
use crate::pending::lanes;
use crate::regs::{Exceptions, Regs};

/// What an instruction raises.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// Nothing.
    Nothing,
    /// Any of these, or not.
    Open(Flags),
    /// A sum; the signs of these sources are changed.
    Add([bool; 2]),
    Mul,
    Fma,
    Mad,
    /// A choice among so many sources.
    Select(usize),
    Compare,
    /// A test for classes of numbers: whether a signalling NaN is an invalid operand of it is said only where it is a compare.
    Class,
    /// To an integral value.
    Integral,
    Transcendental(Transcendental),
    IntegerReciprocal,
    Ldexp,
    DivFixup,
    /// To this format, every source.
    To(&'static Format),
    /// The same, toward zero.
    TowardZero(&'static Format),
    /// To an integer within these bounds.
    ToInteger(i128, i128),
    /// From an integer of so many bits.
    FromInteger {
        bits: u32,
        signed: bool,
        to: &'static Format,
    },
}

/// What the instructions raise whose exceptions the manuals tell.
const RULES: &[(&[Meaning], Rule)] = {
    use Rule::{
        Add, Class, DivFixup, Fma, FromInteger, IntegerReciprocal, Integral, Ldexp, Mad, Mul, Nothing,
        Select, To, ToInteger, TowardZero, Transcendental as Trans,
    };
    use Transcendental::{Cos, Exp, Log, Rcp, Rsq, Sin, Sqrt, Tanh};
    type M = Meaning;
    &[
        (
            &[
                M::V_ADD_F32,
                M::V_ADD_F16,
                M::V_ADD_F64,
                M::V_PK_ADD_F32,
                M::V_PK_ADD_F16,
                M::S_ADD_F32,
                M::S_ADD_F16,
            ],
            Add([false; 2]),
        ),
        (&[M::V_SUB_F32, M::V_SUB_F16, M::S_SUB_F32, M::S_SUB_F16], Add([false, true])),
        (&[M::V_SUBREV_F32, M::V_SUBREV_F16], Add([true, false])),
        (
            &[
                M::V_MUL_F32,
                M::V_MUL_F16,
                M::V_MUL_F64,
                M::V_PK_MUL_F32,
                M::V_PK_MUL_F16,
                M::S_MUL_F32,
                M::S_MUL_F16,
            ],
            Mul,
        ),
        (
            &[
                M::V_FMA_F32,
                M::V_FMAC_F32,
                M::V_FMA_F16,
                M::V_FMAC_F16,
                M::V_FMA_F64,
                M::V_FMAC_F64,
                M::V_PK_FMA_F32,
                M::V_PK_FMA_F16,
                M::V_PK_FMAC_F16,
                M::S_FMAC_F32,
                M::S_FMAAK_F32,
                M::S_FMAC_F16,
            ],
            Fma,
        ),
        (&[M::V_MAD_F32, M::V_MAC_F32, M::V_MAD_F16, M::V_MAC_F16], Mad),
        (
            &[
                M::V_MIN_F32,
                M::V_MAX_F32,
                M::V_MIN_F16,
                M::V_MAX_F16,
                M::V_MIN_F64,
                M::V_MAX_F64,
                M::V_MIN_NUM_F32,
                M::V_MAX_NUM_F32,
                M::V_MIN_NUM_F16,
                M::V_MAX_NUM_F16,
                M::V_MIN_NUM_F64,
                M::V_MAX_NUM_F64,
                M::V_MINIMUM_F32,
                M::V_MAXIMUM_F32,
                M::V_MINIMUM_F16,
                M::V_MAXIMUM_F16,
                M::V_MINIMUM_F64,
                M::V_MAXIMUM_F64,
                M::V_PK_MIN_F16,
                M::V_PK_MAX_F16,
                M::V_PK_MIN_NUM_F16,
                M::V_PK_MAX_NUM_F16,
                M::V_PK_MINIMUM_F16,
                M::V_PK_MAXIMUM_F16,
                M::S_MIN_NUM_F32,
                M::S_MAX_NUM_F32,
                M::S_MINIMUM_F32,
                M::S_MAXIMUM_F32,
                M::S_MIN_NUM_F16,
                M::S_MAX_NUM_F16,
                M::S_MINIMUM_F16,
                M::S_MAXIMUM_F16,
            ],
            Select(2),
        ),
        (
            &[
                M::V_MIN3_F32,
                M::V_MAX3_F32,
                M::V_MED3_F32,
                M::V_MIN3_NUM_F32,
                M::V_MAX3_NUM_F32,
                M::V_MED3_NUM_F32,
                M::V_MINIMUM3_F32,
                M::V_MAXIMUM3_F32,
                M::V_MAXMIN_F32,
                M::V_MINMAX_F32,
                M::V_MAXMIN_NUM_F32,
                M::V_MINMAX_NUM_F32,
                M::V_MAXIMUMMINIMUM_F32,
                M::V_MINIMUMMAXIMUM_F32,
                M::V_MIN3_F16,
                M::V_MAX3_F16,
                M::V_MED3_F16,
                M::V_MIN3_NUM_F16,
                M::V_MAX3_NUM_F16,
                M::V_MED3_NUM_F16,
                M::V_MINIMUM3_F16,
                M::V_MAXIMUM3_F16,
                M::V_MAXMIN_F16,
                M::V_MINMAX_F16,
                M::V_MAXMIN_NUM_F16,
                M::V_MINMAX_NUM_F16,
                M::V_MAXIMUMMINIMUM_F16,
                M::V_MINIMUMMAXIMUM_F16,
                M::V_PK_MINIMUM3_F16,
                M::V_PK_MAXIMUM3_F16,
                M::V_PK_MIN3_NUM_F16,
                M::V_PK_MAX3_NUM_F16,
            ],
            Select(3),
        ),
        (
            &[
                M::V_CMP_CLASS_F16,
                M::V_CMPX_CLASS_F16,
                M::V_CMP_CLASS_F32,
                M::V_CMPX_CLASS_F32,
                M::V_CMP_CLASS_F64,
                M::V_CMPX_CLASS_F64,
            ],
            Class,
        ),
        (
            &[
                M::V_TRUNC_F32,
                M::V_FLOOR_F32,
                M::V_CEIL_F32,
                M::V_RNDNE_F32,
                M::V_TRUNC_F16,
                M::V_FLOOR_F16,
                M::V_CEIL_F16,
                M::V_RNDNE_F16,
                M::V_TRUNC_F64,
                M::V_FLOOR_F64,
                M::V_CEIL_F64,
                M::V_RNDNE_F64,
                M::S_TRUNC_F32,
                M::S_FLOOR_F32,
                M::S_CEIL_F32,
                M::S_RNDNE_F32,
                M::S_TRUNC_F16,
                M::S_FLOOR_F16,
                M::S_CEIL_F16,
                M::S_RNDNE_F16,
            ],
            Integral,
        ),
        (&[M::V_RCP_F32, M::V_RCP_F16, M::V_RCP_F64, M::V_S_RCP_F32, M::V_S_RCP_F16], Trans(Rcp)),
        // "Can raise integer DIV_BY_ZERO exception but cannot raise floating-point exceptions."
        (&[M::V_RCP_IFLAG_F32], IntegerReciprocal),
        (&[M::V_RSQ_F32, M::V_RSQ_F16, M::V_RSQ_F64, M::V_S_RSQ_F32, M::V_S_RSQ_F16], Trans(Rsq)),
        (&[M::V_SQRT_F32, M::V_SQRT_F16, M::V_SQRT_F64, M::V_S_SQRT_F32, M::V_S_SQRT_F16], Trans(Sqrt)),
        (&[M::V_LOG_F32, M::V_LOG_F16, M::V_S_LOG_F32, M::V_S_LOG_F16], Trans(Log)),
        (&[M::V_EXP_F32, M::V_EXP_F16, M::V_S_EXP_F32, M::V_S_EXP_F16], Trans(Exp)),
        (&[M::V_SIN_F32, M::V_SIN_F16], Trans(Sin)),
        (&[M::V_COS_F32, M::V_COS_F16], Trans(Cos)),
        (&[M::V_TANH_F32, M::V_TANH_F16], Trans(Tanh)),
        (&[M::V_LDEXP_F32, M::V_LDEXP_F16, M::V_LDEXP_F64], Ldexp),
        (&[M::V_DIV_FIXUP_F32, M::V_DIV_FIXUP_F16, M::V_DIV_FIXUP_F64, M::V_DIV_FIXUP_LEGACY_F16], DivFixup),
        (&[M::V_CVT_F16_F32, M::S_CVT_F16_F32], To(&F16)),
        (&[M::V_CVT_PK_RTZ_F16_F32, M::S_CVT_PK_RTZ_F16_F32], TowardZero(&F16)),
        (&[M::V_CVT_F32_F16, M::V_CVT_F32_F64, M::S_CVT_F32_F16], To(&F32)),
        (&[M::V_CVT_F64_F32], To(&F64)),
        (&[M::V_CVT_I32_F32, M::V_CVT_I32_F64, M::S_CVT_I32_F32], ToInteger(-(1 << 31), (1 << 31) - 1)),
        (&[M::V_CVT_U32_F32, M::V_CVT_U32_F64, M::S_CVT_U32_F32], ToInteger(0, (1 << 32) - 1)),
        (&[M::V_CVT_I16_F16], ToInteger(-(1 << 15), (1 << 15) - 1)),
        (&[M::V_CVT_U16_F16], ToInteger(0, (1 << 16) - 1)),
        (&[M::V_CVT_F32_I32, M::S_CVT_F32_I32], FromInteger { bits: 32, signed: true, to: &F32 }),
        (&[M::V_CVT_F32_U32, M::S_CVT_F32_U32], FromInteger { bits: 32, signed: false, to: &F32 }),
        (&[M::V_CVT_F16_I16], FromInteger { bits: 16, signed: true, to: &F16 }),
        (&[M::V_CVT_F16_U16], FromInteger { bits: 16, signed: false, to: &F16 }),
        // Every integer of these is a number of the format.
        (
            &[
                M::V_CVT_F64_I32,
                M::V_CVT_F64_U32,
                M::V_CVT_F32_UBYTE0,
                M::V_CVT_F32_UBYTE1,
                M::V_CVT_F32_UBYTE2,
                M::V_CVT_F32_UBYTE3,
                M::V_CVT_OFF_F32_I4,
            ],
            Nothing,
        ),
        // "Exceptions are not reported" (RDNA4 7.7).
        (
            &[M::V_DOT4_F32_FP8_FP8, M::V_DOT4_F32_FP8_BF8, M::V_DOT4_F32_BF8_FP8, M::V_DOT4_F32_BF8_BF8],
            Nothing,
        ),
        // "V_INTERP instructions do not detect or report exceptions" (RDNA3 and RDNA4, "Parameter interpolation").
        (
            &[
                M::V_INTERP_P10_F32,
                M::V_INTERP_P2_OF_QUAD_F32,
                M::V_INTERP_P10_F16_F32,
                M::V_INTERP_P2_F16_F32,
                M::V_INTERP_P10_RTZ_F16_F32,
                M::V_INTERP_P2_RTZ_F16_F32,
            ],
            Nothing,
        ),
    ]
};

/// The rule of a row.
fn rule(row: &Row) -> Rule {
    let found = RULES.iter().find(|(meanings, _)| meanings.contains(&row.meaning));
    match found {
        Some(&(_, rule)) => rule,
        None if !is_floating(row) => Rule::Nothing,
        None if compares(row) => Rule::Compare,
        None => Rule::Open(Flags::FLOAT),
    }
}

/// Is an operand of it a floating-point number?
fn is_floating(row: &Row) -> bool {
    row.operands.iter().any(|operand| operand.ty.is_floating())
}

/// Does it tell of each lane, or in SCC, how its sources stand to each other, and nothing else?
fn compares(row: &Row) -> bool {
    row.operands.iter().all(|operand| operand.access == Access::Read || operand.ty.is_lanes())
}

/// An instruction whose exceptions are recorded.
pub struct Recorded {
    /// What it does otherwise.
    body: Body,
    rule: Rule,
    mnemonic: &'static str,
    kinds: [Kind; 3],
    /// Scalar sources: one lane, whatever EXEC is.
    scalar: bool,
    clamp: bool,
    /// It has an output multiplier.
    multiplied: bool,
    /// MODE.DX10_CLAMP suppresses exceptions.
    suppressible: bool,
    /// The manual has a table of when each is raised.
    defined: bool,
}

/// Let `op`, whose sources are of `kinds`, record what it raises, if the program reads that.
pub fn record(binder: &Binder<'_>, op: &mut Op, kinds: [Kind; 3], scalar: bool) {
    if !binder.records {
        return;
    }
    let mnemonic = binder.inst.row(binder.machine).mnemonic;
    let rule = rule(binder.inst.row(binder.machine));
    if matches!(rule, Rule::Nothing) {
        return;
    }
    let facts = binder.facts;
    let recorded = Recorded {
        body: op.body,
        rule,
        mnemonic,
        kinds,
        scalar,
        clamp: binder.inst.mods.clamp,
        multiplied: binder.inst.mods.omod != OutMod::None,
        suppressible: facts.dx10_clamp_and_ieee,
        defined: facts.exceptions_defined,
    };
    (op.body, op.goes_on) = (run, false);
    op.detail = Some(Arc::new(Detail::Alu(AluDetail::Recorded(Box::new(recorded)))));
}

/// A matrix operation of a program that reads its exceptions: what those of binary64 raise is open.
pub fn of_matrix(binder: &Binder<'_>, row: &MatrixRow, op: Op) -> Op {
    let mnemonic = binder.inst.row(binder.machine).mnemonic;
    if row.d != Accumulator::F64 {
        return op;
    }
    let inner = op.clone();
    let suppressible = binder.facts.dx10_clamp_and_ieee;
    let detail = AluDetail::Opening { inner, mnemonic, suppressible };
    Op { body: run_opening, detail: Some(Arc::new(Detail::Alu(detail))), ..op }
}

/// # Safety
/// As [`crate::op::Body`].
unsafe fn run_opening(regs: &mut Regs, op: &Op) {
    let Some(Detail::Alu(AluDetail::Opening { inner, mnemonic, suppressible })) = op.detail.as_deref() else {
        return;
    };
    if !(*suppressible && regs.mode.dx10_clamp) {
        regs.exceptions.raise(Raised::open(Flags::FLOAT), mnemonic);
    }
    // SAFETY: the caller's promise holds for the inner operation, which is this one but for its detail.
    unsafe { (inner.body)(regs, inner) }
}

/// The body of an operation whose exceptions are recorded.
///
/// # Safety
/// As [`crate::op::Body`].
unsafe fn run(regs: &mut Regs, op: &Op) {
    // Where registers are relative to M0, `spread` hands on the operation as it was.
    let recorded = match op.detail.as_deref() {
        Some(Detail::Alu(AluDetail::Recorded(recorded))) => recorded,
        Some(Detail::Alu(AluDetail::Spread(spread))) => match spread.inner.detail.as_deref() {
            Some(Detail::Alu(AluDetail::Recorded(recorded))) => recorded,
            _ => return,
        },
        _ => return,
    };
    if !(recorded.suppressible && regs.mode.dx10_clamp) {
        let raised = recorded.raised(regs, op);
        regs.exceptions.raise(raised, recorded.mnemonic);
    }
    // SAFETY: the caller's promise.
    unsafe { (recorded.body)(regs, op) }
}

impl Recorded {
    fn raised(&self, regs: &Regs, op: &Op) -> Raised {
        let cx = Cx::new(regs, op.imm);
        let mut raised = Raised::NOTHING;
        if self.scalar {
            let word = |i: usize| match self.kinds[i].rows() {
                0 => 0,
                1 => u64::from(regs.s[op.src(i).at() as usize]),
                _ => regs.s64(op.src(i).at()),
            };
            raised = self.lane(&cx, [word(0), word(1), word(2)]);
        } else {
            let moved = regs.vgpr_index().map(|offsets| indexed(regs, op, offsets));
            let op = match &moved {
                // "When the destination GPR is out-of-range, the instruction … does not … report exceptions."
                Some(None) => return raised,
                Some(Some(moved)) => moved,
                None => op,
            };
            for lane in lanes(regs.exec()) {
                raised |= self.lane(&cx, std::array::from_fn(|i| source(regs, op, self.kinds[i], i, lane)));
            }
        }
        if self.multiplied {
            let unsaid = Flags::UNDERFLOW | Flags::INEXACT;
            let perhaps = (raised.set | raised.open).and(unsaid);
            raised.set = raised.set.without(unsaid);
            raised.open = raised.open.without(unsaid)
                | if self.defined && !self.suppressible { Flags::NONE } else { perhaps };
        }
        raised
    }

    /// What one lane raises.
    fn lane(&self, cx: &Cx, sources: [u64; 3]) -> Raised {
        let low = |bits: u32| sources.map(|x| x & ((1 << bits) - 1));
        let high = |bits: u32| sources.map(|x| x >> bits);
        match self.kinds[0] {
            Kind::PkF16 => self.number(cx, &F16, low(16)) | self.number(cx, &F16, high(16)),
            Kind::PkF32 => self.number(cx, &F32, low(32)) | self.number(cx, &F32, high(32)),
            Kind::F16 => self.number(cx, &F16, sources),
            Kind::F32 => self.number(cx, &F32, sources),
            Kind::F64 => self.number(cx, &F64, sources),
            Kind::Bf16 | Kind::PkBf16 => self.number(cx, &BF16, sources),
            _ => self.number(cx, &F32, sources),
        }
    }

    fn env(&self, cx: &Cx, format: &Format) -> Env {
        let single = *format == F32;
        let round = if single { cx.mode.round_32 } else { cx.mode.round_16_64 };
        Env { round, denorm: denorm(cx, format), defined: self.defined }
    }

    /// What the operation raises for numbers of `format`.
    fn number(&self, cx: &Cx, format: &'static Format, s: [u64; 3]) -> Raised {
        let env = self.env(cx, format);
        let [a, b, c] = s;
        let sign = |x: u64, negate: bool| x ^ u64::from(negate) << format.sign_bit;
        match self.rule {
            Rule::Nothing => Raised::NOTHING,
            Rule::Open(flags) => Raised::open(flags),
            Rule::Add(negate) => ex::add(format, env, sign(a, negate[0]), sign(b, negate[1])),
            Rule::Mul => ex::mul(format, env, a, b),
            Rule::Fma => ex::fma(format, env, a, b, c),
            Rule::Mad => {
                // They flush whatever MODE says; a flushed operand may be told or not.
                let flushing = Env { denorm: Denorm::FLUSH, ..env };
                ex::mad(format, if *format == F32 { flushing } else { env }, a, b, c)
            }
            Rule::Select(2) => self.selected(cx, ex::select(format, env, [a, b])),
            Rule::Select(_) => self.selected(cx, ex::select(format, env, [a, b, c])),
            Rule::Compare => ex::compare(format, env, self.clamp, a, b),
            Rule::Class => {
                let invalid = ex::select(format, env, [a]).set.and(Flags::INVALID);
                Raised::open(invalid)
            }
            Rule::Integral => ex::integral(format, env, a),
            Rule::Transcendental(operation) => ex::transcendental(operation, format, env, a),
            Rule::IntegerReciprocal => {
                Raised::set(Flags::INTEGER_DIVIDE_BY_ZERO.when(a & ((1 << format.sign_bit) - 1) == 0))
            }
            Rule::Ldexp => {
                let by = if *format == F16 { i32::from(b as u16 as i16) } else { b as u32 as i32 };
                ex::ldexp(format, env, a, by)
            }
            Rule::DivFixup => ex::div_fixup(format, env, b, c),
            Rule::To(to) => self.converted(cx, format, to, None, a),
            Rule::TowardZero(to) => [a, b].into_iter().fold(Raised::NOTHING, |raised, x| {
                raised | self.converted(cx, format, to, Some(Round::TowardZero), x)
            }),
            Rule::ToInteger(low, high) => ex::to_integer(format, env, self.clamp, low, high, a),
            Rule::FromInteger { bits, signed, to } => {
                let x = i128::from(a & ((1 << bits) - 1));
                let negative = signed && x >> (bits - 1) & 1 != 0;
                ex::from_integer(to, self.env(cx, to), if negative { x - (1 << bits) } else { x })
            }
        }
    }

    /// A selection quiets signalling NaNs, and calls them invalid, where MODE.IEEE is a bit only with that; what it does
    /// without is not said.
    fn selected(&self, cx: &Cx, raised: Raised) -> Raised {
        if !self.suppressible || cx.mode.ieee {
            return raised;
        }
        let invalid = raised.set.and(Flags::INVALID);
        Raised { set: raised.set.without(invalid), open: raised.open | invalid }
    }

    fn converted(&self, cx: &Cx, from: &Format, to: &Format, round: Option<Round>, a: u64) -> Raised {
        let mut env = self.env(cx, to);
        env.round = round.unwrap_or(env.round);
        ex::convert(from, to, env, denorm(cx, from), a)
    }
}

/// What MODE says of subnormal numbers of `format`.
fn denorm(cx: &Cx, format: &Format) -> Denorm {
    if *format == F32 { cx.mode.denorm_32 } else { cx.mode.denorm_16_64 }
}

/// Source `i` in one lane.
fn source(regs: &Regs, op: &Op, kind: Kind, i: usize, lane: u32) -> u64 {
    let bits = lane_bits(regs, op.src(i), kind, lane);
    if op.imm >> SIGNS == 0 || !takes_signs(kind) {
        return bits;
    }
    let (and, xor) = signs(op.imm, i as u32);
    u64::from(bits as u32 & and ^ xor)
}

impl Exceptions {
    /// An instruction raises these.
    fn raise(&mut self, raised: Raised, mnemonic: &'static str) {
        let news = raised.open.without(self.open);
        for (bit, name) in self.left_open_by.iter_mut().enumerate() {
            if news.0 >> bit & 1 != 0 {
                *name = mnemonic;
            }
        }
        self.set |= raised.set;
        self.open |= raised.open;
    }
}

#[cfg(test)]
mod tests {
    use wavemark_isa::Table;

    use super::*;
    use crate::modelled::machines::ALL;

    /// A meaning in two rules would have the first.
    #[test]
    fn each_has_one_rule() {
        let mut seen = std::collections::HashSet::new();
        for meaning in RULES.iter().flat_map(|(meanings, _)| meanings.iter()) {
            assert!(seen.insert(meaning.number()), "{meaning:?}");
            let mut rows = ALL.into_iter().flat_map(|machine| Table::of(machine).rows());
            assert!(rows.any(|row| row.meaning == *meaning && is_floating(row)), "{meaning:?}");
        }
    }
}
