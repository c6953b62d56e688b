//! Scalar comparisons that a kernel makes several times, and what a path knows of their outcomes.
//!
//! Kernels ask the same question at several branches: whether the loop has another iteration, before a prefetch and behind
//! it. A path on which the answers differ is none. So paths are told apart by what such branches said, until an operand of
//! the comparison is written. Comparisons that differ in instruction or operands are independent.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_isa::effects::Unit;
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
    of_site: FxHashMap<SiteId, u8>,
    /// What they read and write.
    touched: RegisterSet,
}

/// What a path knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Outcomes {
    /// Comparisons whose outcome is known, and those that are true.
    known: u16,
    holds: u16,
    /// One more than the comparison whose outcome SCC has; 0: something else.
    in_scc: u8,
}

impl Conditions {
    /// Those by which the next instruction branches and which are made at several places. The same bytes are the same
    /// comparison.
    pub fn repeated(kernel: &Kernel, sites: &Sites) -> Conditions {
        let mut same: FxHashMap<&[u8], SmallVec<[(u64, SiteId); 2]>> = FxHashMap::default();
        let branches = |(_, info): &(SiteId, &SiteInfo)| info.effects.branches_if.map(|_| info.site.pc);
        let branches: FxHashSet<u64> = sites.all().filter_map(|site| branches(&site)).collect();
        let behind = |info: &SiteInfo| info.site.pc.wrapping_add(u64::from(info.site.inst.size));
        let asked = |info: &SiteInfo| branches.contains(&behind(info)) && compares(info);
        for (id, info) in sites.all().filter(|(_, info)| asked(info)) {
            let pc = info.site.pc;
            let at = pc.wrapping_sub(kernel.code.base) as usize;
            if let Some(bytes) = kernel.code.bytes.get(at..at + usize::from(info.site.inst.size)) {
                same.entry(bytes).or_default().push((pc, id));
            }
        }
        // An instruction may be several sites (upper VGPR bits).
        let places = |same: &[(u64, SiteId)]| same.chunk_by(|(a, _), (b, _)| a == b).count();
        let mut same: Vec<_> = same.into_values().collect();
        same.iter_mut().for_each(|same| same.sort_unstable());
        same.retain(|same| places(same) > 1);
        same.sort_unstable_by_key(|same| (std::cmp::Reverse(places(same)), same[0]));
        let mut conditions = Conditions::default();
        for (number, same) in same.iter().take(MOST).enumerate() {
            let info = sites.get(same[0].1);
            conditions.reads.push(info.reads().collect());
            conditions.touched.insert(&info.touched);
            conditions.of_site.extend(same.iter().map(|&(_, site)| (site, number as u8)));
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
        if let Some(&number) = self.of_site.get(&site) {
            *in_scc = number + 1;
            return after;
        }
        for written in info.writes() {
            for (number, reads) in self.reads.iter().enumerate() {
                if reads.iter().any(|read| read.meets(written)) {
                    *known &= !(1u16 << number);
                    if usize::from(*in_scc) == number + 1 {
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
        let Some(number) = self.in_scc.checked_sub(1) else { return Some(self) };
        let bit = 1u16 << number;
        if self.known & bit != 0 {
            return ((self.holds & bit != 0) == value).then_some(self);
        }
        self.known |= bit;
        self.holds |= if value { bit } else { 0 };
        Some(self)
    }
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
