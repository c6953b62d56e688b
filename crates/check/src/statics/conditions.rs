//! Scalar comparisons that a kernel makes several times, and what a path knows of their outcomes.
//!
//! Kernels ask the same question at several branches: whether the loop has another iteration, before a prefetch and behind
//! it. A path on which the answers differ is none. So paths are told apart by what such branches said, until an operand of
//! the comparison is written. One question may be asked in several ways: whether two integers are equal or differ, whether
//! one is less or not, whether a bit is set or clear. Comparisons that differ in more than that are independent.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_isa::effects::{Comparison, Unit};
use wavemark_isa::ty::Type;
use wavemark_isa::{Operand, Special};
use wavemark_sim::Kernel;

use crate::register_set::RegisterSet;
use crate::site_info::{RegRange, SCC, SiteId, SiteInfo, Sites};

/// So many comparisons are remembered; those that are made most often.
const MOST: usize = 16;

/// The comparisons that are remembered.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    /// What each reads.
    reads: Vec<SmallVec<[RegRange; 2]>>,
    /// What SCC has behind an instruction: see [`Outcomes::in_scc`].
    of_site: FxHashMap<SiteId, i8>,
    /// What they read and write.
    touched: RegisterSet,
}

/// What a path knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Outcomes {
    /// Comparisons whose outcome is known, and those that are true.
    known: u16,
    holds: u16,
    /// One more than the comparison whose outcome SCC has, less than 0 where it has the opposite; 0: something else.
    in_scc: i8,
}

/// A comparison, however it is written.
#[derive(Debug)]
enum Asked<'k> {
    /// What is asked, and of what: for the order of numbers it matters whether they have signs.
    Question(Comparison, Type, [Operand; 2]),
    /// These bytes.
    Instruction(&'k [u8]),
}

impl Asked<'_> {
    fn is(&self, other: &Asked<'_>) -> bool {
        match (self, other) {
            (Asked::Question(one, ty, [a, b]), Asked::Question(other, other_ty, [c, d])) => {
                one == other
                    && (ty.elem_bits == other_ty.elem_bits)
                    && (*one != Comparison::Less || ty.kind == other_ty.kind)
                    && ((a, b) == (c, d) || *one == Comparison::Equal && (a, b) == (d, c))
            }
            (Asked::Instruction(one), Asked::Instruction(other)) => one == other,
            _ => false,
        }
    }
}

impl Conditions {
    /// Those by which the next instruction branches and which are made at several places.
    pub fn repeated(kernel: &Kernel, sites: &Sites) -> Conditions {
        let mut same: Vec<(Asked<'_>, SmallVec<[(u64, SiteId, bool); 2]>)> = Vec::new();
        let branches = |(_, info): &(SiteId, &SiteInfo)| info.effects.branches_if.map(|_| info.site.pc);
        let branches: FxHashSet<u64> = sites.all().filter_map(|site| branches(&site)).collect();
        let behind = |info: &SiteInfo| info.site.pc.wrapping_add(u64::from(info.site.inst.size));
        let asked = |info: &SiteInfo| branches.contains(&behind(info)) && compares(info);
        for (id, info) in sites.all().filter(|(_, info)| asked(info)) {
            let pc = info.site.pc;
            let Some((asked, negated)) = asks(kernel, info) else { continue };
            match same.iter_mut().find(|(other, _)| other.is(&asked)) {
                Some((_, same)) => same.push((pc, id, negated)),
                None => same.push((asked, SmallVec::from_slice(&[(pc, id, negated)]))),
            }
        }
        // An instruction may be several sites (upper VGPR bits).
        let places = |same: &[(u64, SiteId, bool)]| same.chunk_by(|a, b| a.0 == b.0).count();
        let mut same: Vec<_> = same.into_iter().map(|(_, same)| same).collect();
        same.iter_mut().for_each(|same| same.sort_unstable());
        same.retain(|same| places(same) > 1);
        same.sort_unstable_by_key(|same| (std::cmp::Reverse(places(same)), same[0]));
        let mut conditions = Conditions::default();
        for (number, same) in same.iter().take(MOST).enumerate() {
            let info = sites.get(same[0].1);
            conditions.reads.push(info.reads().collect());
            conditions.touched.insert(&info.touched);
            let in_scc = |negated| if negated { -1 - number as i8 } else { 1 + number as i8 };
            conditions.of_site.extend(same.iter().map(|&(_, site, negated)| (site, in_scc(negated))));
        }
        conditions
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty()
    }

    /// What is known behind an instruction.
    pub fn behind(&self, before: Outcomes, site: SiteId, info: &SiteInfo) -> Outcomes {
        let mut after = before;
        let Outcomes { known, in_scc, .. } = &mut after;
        if !self.touched.meets(&info.written) {
            return after;
        }
        if let Some(&outcome) = self.of_site.get(&site) {
            *in_scc = outcome;
            return after;
        }
        for written in info.writes() {
            for (number, reads) in self.reads.iter().enumerate() {
                if reads.iter().any(|read| read.meets(written)) {
                    *known &= !(1u16 << number);
                    if usize::from(in_scc.unsigned_abs()) == number + 1 {
                        *in_scc = 0;
                    }
                }
            }
            if written.numbers().contains(&SCC) {
                *in_scc = 0;
            }
        }
        after.holds &= after.known;
        after
    }
}

impl Outcomes {
    /// What is known where SCC has this value; `None`: it cannot have.
    pub fn with_scc(mut self, value: bool) -> Option<Outcomes> {
        let Some(number) = self.in_scc.unsigned_abs().checked_sub(1) else { return Some(self) };
        let (bit, value) = (1u16 << number, value == (self.in_scc > 0));
        if self.known & bit != 0 {
            return ((self.holds & bit != 0) == value).then_some(self);
        }
        self.known |= bit;
        self.holds |= if value { bit } else { 0 };
        Some(self)
    }
}

/// What a comparison asks, and whether SCC is 0 where it is so.
fn asks<'k>(kernel: &'k Kernel, info: &SiteInfo) -> Option<(Asked<'k>, bool)> {
    let inst = &info.site.inst;
    if let (Some(question), &[a, b]) = (info.effects.question, &inst.operands[..]) {
        let operands = if question.swapped { [b, a] } else { [a, b] };
        let ty = inst.row(kernel.machine).operands[0].ty;
        return Some((Asked::Question(question.comparison, ty, operands), question.negated));
    }
    let at = info.site.pc.wrapping_sub(kernel.code.base) as usize;
    Some((Asked::Instruction(kernel.code.bytes.get(at..at + usize::from(inst.size))?), false))
}

/// Whether an instruction compares scalar registers and constants, and does nothing else.
fn compares(info: &SiteInfo) -> bool {
    let constant = |operand: &Operand| {
        matches!(operand, Operand::Int(_) | Operand::Float(_) | Operand::Literal(_) | Operand::Literal64(_))
    };
    let register = |operand: &Operand| {
        use Special::{Exec, ExecHi, ExecLo, M0, Vcc, VccHi, VccLo};
        let special = |one: &Special| matches!(one, Exec | ExecLo | ExecHi | M0 | Vcc | VccLo | VccHi);
        matches!(operand, Operand::Reg(_)) || matches!(operand, Operand::Special(one) if special(one))
    };
    info.effects.unit == Unit::Scalar
        && info.effects.memory.is_none()
        && info.writes().map(|range| range.from).eq([SCC])
        && info.reads().all(|range| range.from < SCC)
        && info.site.inst.operands.iter().all(|operand| constant(operand) || register(operand))
}
