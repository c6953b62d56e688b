//! Scalar comparisons that a kernel makes or uses several times, and what a path knows of their outcomes.
//!
//! Kernels ask the same question at several branches: whether the loop has another iteration, before a prefetch and behind
//! it. A path on which the answers differ is none. So paths are told apart by what such branches said, until an operand of
//! the comparison is written. One question may be asked in several ways: whether two integers are equal or differ, whether
//! one is less or not, whether a bit is set or clear. Comparisons that differ in more than that are independent.
//!
//! What decides is whether SCC, VCC or EXEC is 0. A comparison is what computes one of them from scalars, wherever it stands
//! before the branch; and while the register is not written, further branches by it decide alike, whatever it holds. Paths are
//! told apart by that only as long as a branch asks.
//!
//! Compilers also keep what a branch decides by as a mask, of all lanes or of none, which they set to a constant and test right
//! behind that. What follows from constants on a straight line is worked out, and that such a mask of all lanes meets EXEC is known
//! where a lane is on: up to where some are put out, and again where they are put back.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_isa::effects::{Comparison, Flow, Unit};
use wavemark_isa::ty::Type;
use wavemark_isa::{Operand, Special};
use wavemark_memmodel::flow::{Graph, State, forward};
use wavemark_sim::Kernel;
use wavemark_sim::foresight::known::{Constants, Knower, Known};
use wavemark_sim::regs::sindex;

use super::blocks::Block;
use crate::register_set::{self, RegisterSet};
use crate::site_info::{RegRange, SCC, SiteId, SiteInfo, Sites};

/// So many comparisons are remembered; those that are made most often.
const MOST: usize = 16;

/// Registers by which branches decide: whether they are 0.
const DECIDING: usize = 3;

fn deciding(kernel: &Kernel) -> [RegRange; DECIDING] {
    let count = kernel.machine.lanes().div_ceil(32);
    let mask = |from| RegRange { from, count };
    [RegRange { from: SCC, count: 1 }, mask(sindex::VCC), mask(sindex::EXEC)]
}

/// What of the deciding registers is known, or asked: one bit each.
type Bits = u8;

/// The comparisons that are remembered.
#[derive(Debug)]
pub(super) struct Conditions {
    deciding: [RegRange; DECIDING],
    /// By which of these a branch decides behind an instruction, before anything writes them.
    asked: FxHashMap<SiteId, Bits>,
    /// Some branch is followed by another one that decides by the same value.
    again: bool,
    /// What each comparison reads.
    reads: Vec<SmallVec<[RegRange; 2]>>,
    /// What deciding registers have behind an instruction: see [`Outcomes::has`].
    of_site: FxHashMap<SiteId, [i8; DECIDING]>,
    /// What they read and write.
    touched: RegisterSet,
    /// Where branches go that decide by what is constant.
    constant: FxHashMap<SiteId, u64>,
}

/// What a path knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Outcomes {
    /// Comparisons whose outcome is known, and those that are true.
    known: u16,
    holds: u16,
    /// Of each deciding register one more than the comparison whose outcome it has, less than 0 where it has the opposite; 0:
    /// something else.
    has: [i8; DECIDING],
    /// Deciding registers of which it is known whether they are 0, and those that are not.
    told: Bits,
    set: Bits,
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
    /// None.
    pub fn none(kernel: &Kernel) -> Conditions {
        Conditions {
            deciding: deciding(kernel),
            asked: FxHashMap::default(),
            again: false,
            reads: Vec::new(),
            of_site: FxHashMap::default(),
            touched: RegisterSet::new(),
            constant: FxHashMap::default(),
        }
    }

    /// Those by which branches decide that follow, and which are made at several places.
    pub fn repeated(kernel: &Kernel, sites: &Sites, blocks: &[Block]) -> Conditions {
        let mut conditions = Conditions::none(kernel);
        conditions.find_constants(kernel, sites, blocks);
        conditions.ask(sites, blocks);
        let mut same: Vec<(usize, Asked<'_>, SmallVec<[(u64, SiteId, bool); 2]>)> = Vec::new();
        for (id, info) in sites.all().filter(|(_, info)| compares(info)) {
            let pc = info.site.pc;
            for (at, _) in conditions.asked_of(id, info) {
                let Some((asked, negated)) = asks(kernel, info) else { continue };
                match same.iter_mut().find(|(of, other, _)| *of == at && other.is(&asked)) {
                    Some((.., same)) => same.push((pc, id, negated)),
                    None => same.push((at, asked, SmallVec::from_slice(&[(pc, id, negated)]))),
                }
            }
        }
        // An instruction may be several sites (upper VGPR bits).
        let places = |same: &[(u64, SiteId, bool)]| same.chunk_by(|a, b| a.0 == b.0).count();
        let mut same: Vec<_> = same.into_iter().map(|(at, _, same)| (at, same)).collect();
        same.iter_mut().for_each(|(_, same)| same.sort_unstable());
        same.retain(|(_, same)| places(same) > 1);
        same.sort_unstable_by_key(|(at, same)| (std::cmp::Reverse(places(same)), same[0], *at));
        for (number, (at, same)) in same.iter().take(MOST).enumerate() {
            let info = sites.get(same[0].1);
            conditions.reads.push(info.reads().collect());
            conditions.touched.insert(&info.touched);
            for &(_, site, negated) in same {
                let has = if negated { -1 - number as i8 } else { 1 + number as i8 };
                conditions.of_site.entry(site).or_default()[*at] = has;
            }
        }
        conditions
    }

    /// Finds what branches decide by.
    fn ask(&mut self, sites: &Sites, blocks: &[Block]) {
        let end = blocks.len();
        let mut backwards = vec![Vec::new(); end + 1];
        for (number, block) in blocks.iter().enumerate() {
            backwards[end].push(number);
            block.successors.iter().for_each(|&successor| backwards[successor].push(number));
        }
        let before = |info: &SiteInfo, behind: OnSomePath| {
            let written = |range: &RegRange| info.writes().any(|written| written.meets(*range));
            let read = |range: &RegRange| info.reads().any(|read| read.meets(*range));
            let mut asks = behind.0;
            for (at, range) in self.deciding.iter().enumerate() {
                asks &= !(Bits::from(written(range)) << at);
                asks |= Bits::from(info.effects.branches_if.is_some() && read(range)) << at;
            }
            OnSomePath(asks)
        };
        let behind = forward(&Graph::new(backwards), end, OnSomePath(0), |block, behind| {
            let sites_of = blocks.get(block).map_or(&[][..], |block| &block.sites);
            sites_of.iter().rev().fold(*behind, |behind, &site| before(sites.get(site), behind))
        });
        for (block, behind) in blocks.iter().zip(behind) {
            let Some(mut behind) = behind else { continue };
            for &site in block.sites.iter().rev() {
                let info = sites.get(site);
                if behind.0 != 0 {
                    *self.asked.entry(site).or_default() |= behind.0;
                }
                let again =
                    info.effects.branches_if.is_some() && before(info, OnSomePath(0)).0 & behind.0 != 0;
                self.again |= again;
                behind = before(info, behind);
            }
        }
        for range in self.deciding {
            let mut masks = register_set::Masks::new();
            register_set::add(&mut masks, range.numbers());
            self.touched.insert(&masks);
        }
    }

    /// Finds the branches that decide by constants, through a mask of lanes.
    fn find_constants(&mut self, kernel: &Kernel, sites: &Sites, blocks: &[Block]) {
        let [scc, _, exec] = self.deciding;
        let tests_mask = |&site: &SiteId| {
            let info = sites.get(site);
            let (reads, writes) =
                (info.reads().any(|read| read.meets(exec)), info.writes().any(|written| written.meets(scc)));
            info.effects.unit == Unit::Scalar && reads && writes && info.effects.flow == Flow::Next
        };
        let asks = |block: &Block| {
            let branches =
                block.sites.last().is_some_and(|&last| sites.get(last).effects.branches_if.is_some());
            branches && block.sites.iter().any(tests_mask)
        };
        if !blocks.iter().any(asks) {
            return;
        }
        let nothing: Constants<'static> = &|_, _| None;
        let Ok(mut knower) = Knower::new(kernel, nothing) else { return };
        let mut restores: FxHashMap<SiteId, bool> = FxHashMap::default();
        for &site in blocks.iter().flat_map(|block| &block.sites) {
            let info = sites.get(site);
            if info.writes().any(|written| written.meets(exec)) {
                let place = (info.site.pc, info.site.msb);
                restores.entry(site).or_insert_with(|| knower.puts_no_lane_out(place, &info.effects));
            }
        }
        // Whether all lanes may be off. What puts none out is taken to put those back that were on before others were put out.
        let behind = |off: OnSomePath, site: &SiteId| {
            OnSomePath(restores.get(site).map_or(off.0, |restores| Bits::from(!restores)))
        };
        let graph = Graph::new(blocks.iter().map(|block| block.successors.clone()).collect());
        let before = forward(&graph, 0, OnSomePath(0), |block, &before| {
            blocks[block].sites.iter().fold(before, behind)
        });
        for (block, before) in blocks.iter().zip(before) {
            let (Some(mut off), true, Some(&branch)) = (before, asks(block), block.sites.last()) else {
                continue;
            };
            let (mut known, mut goes) = (Known::default(), None);
            for &site in &block.sites {
                let info = sites.get(site);
                let place = (info.site.pc, info.site.msb);
                (known, goes) = match off.0 != 0 || !tests_mask(&site) {
                    true => knower.step(place, &info.effects, &known),
                    false => knower.step_with_a_lane_on(place, &info.effects, &known),
                };
                off = behind(off, &site);
            }
            self.constant.extend(goes.map(|to| (branch, to)));
        }
    }

    /// The deciding registers that an instruction writes for branches behind it.
    fn asked_of(&self, site: SiteId, info: &SiteInfo) -> impl Iterator<Item = (usize, RegRange)> + use<'_> {
        let asked = self.asked.get(&site).copied().unwrap_or_default();
        let writes: SmallVec<[RegRange; 2]> = info.writes().collect();
        let all = self.deciding.into_iter().enumerate();
        all.filter(move |(at, range)| {
            let is_written = |number| writes.iter().any(|written| written.numbers().contains(&number));
            asked >> at & 1 != 0 && range.numbers().all(is_written)
        })
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && !self.again && self.constant.is_empty()
    }

    /// Whether a branch may go on at an address.
    pub fn may_go(&self, branch: SiteId, to: u64) -> bool {
        self.constant.get(&branch).is_none_or(|&goes| goes == to)
    }

    /// What is known behind an instruction.
    pub fn behind(&self, before: Outcomes, site: SiteId, info: &SiteInfo) -> Outcomes {
        if info.effects.relative.is_some() && !info.effects.unit.is_vector() {
            // M0 says which register it writes.
            return Outcomes::default();
        }
        let mut after = before;
        if self.touched.meets(&info.written) {
            for written in info.writes() {
                let reads = self.reads.iter().enumerate();
                for (number, _) in reads.filter(|(_, reads)| reads.iter().any(|read| read.meets(written))) {
                    after.known &= !(1u16 << number);
                    after
                        .has
                        .iter_mut()
                        .filter(|has| comparison(**has) == Some(number))
                        .for_each(|has| *has = 0);
                }
                let deciding = self.deciding.iter().enumerate();
                deciding.filter(|(_, range)| range.meets(written)).for_each(|(at, _)| after.forget(at));
            }
            let has = self.of_site.get(&site).into_iter().flatten().enumerate();
            for (at, &has) in has.filter(|(_, has)| **has != 0) {
                after.has[at] = has;
                if let Some(value) = after.value(at) {
                    after.tell(at, value);
                }
            }
        }
        after.holds &= after.known;
        if after.has != Outcomes::default().has || after.told != 0 {
            let asked = self.asked.get(&site).copied().unwrap_or_default();
            (0..DECIDING).filter(|at| asked >> at & 1 == 0).for_each(|at| after.forget(at));
        }
        after
    }

    /// What is known behind a branch that finds what it decides by to be not 0, or 0; `None`: it cannot be.
    pub fn decided(&self, before: Outcomes, site: SiteId, info: &SiteInfo, value: bool) -> Option<Outcomes> {
        let mut outcomes = before;
        let by = |range: &RegRange| info.reads().any(|read| read.meets(*range));
        if let Some(at) = self.deciding.iter().position(by) {
            if outcomes.value(at).is_some_and(|known| known != value) {
                return None;
            }
            if let Some(number) = comparison(outcomes.has[at]) {
                let bit = 1u16 << number;
                outcomes.known |= bit;
                outcomes.holds |= if value == (outcomes.has[at] > 0) { bit } else { 0 };
            }
            outcomes.tell(at, value);
        }
        Some(self.behind(outcomes, site, info))
    }
}

impl Outcomes {
    /// Whether a deciding register is not 0, if that is known.
    fn value(&self, at: usize) -> Option<bool> {
        if self.told >> at & 1 != 0 {
            return Some(self.set >> at & 1 != 0);
        }
        let bit = 1u16 << comparison(self.has[at])?;
        (self.known & bit != 0).then_some((self.holds & bit != 0) == (self.has[at] > 0))
    }

    fn tell(&mut self, at: usize, value: bool) {
        self.told |= 1 << at;
        self.set = self.set & !(1 << at) | Bits::from(value) << at;
    }

    fn forget(&mut self, at: usize) {
        self.has[at] = 0;
        self.told &= !(1 << at);
        self.set &= !(1 << at);
    }
}

/// The comparison whose outcome, or its opposite, a deciding register has: see [`Outcomes::has`].
fn comparison(has: i8) -> Option<usize> {
    usize::from(has.unsigned_abs()).checked_sub(1)
}

/// What holds on some path, one bit each.
#[derive(Clone, Copy)]
struct OnSomePath(Bits);

impl State for OnSomePath {
    fn join(&mut self, other: &OnSomePath) -> bool {
        let all = self.0 | other.0;
        std::mem::replace(&mut self.0, all) != all
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

/// Whether an instruction computes what branches decide by from scalar registers and constants, and does nothing else.
fn compares(info: &SiteInfo) -> bool {
    let asks = info.effects.question.is_some();
    let constant = |operand: &Operand| match operand {
        Operand::Int(_) | Operand::Float(_) | Operand::Literal(_) | Operand::Literal64(_) => true,
        Operand::Imm(_) => asks,
        _ => false,
    };
    let register = |operand: &Operand| {
        use Special::{Exec, ExecHi, ExecLo, M0, Vcc, VccHi, VccLo};
        let special = |one: &Special| matches!(one, Exec | ExecLo | ExecHi | M0 | Vcc | VccLo | VccHi);
        matches!(operand, Operand::Reg(_)) || matches!(operand, Operand::Special(one) if special(one))
    };
    let effects = &info.effects;
    let decides = |range: RegRange| matches!(range.from, SCC | sindex::VCC | sindex::EXEC);
    // Else it says where the program is.
    let destinations = info.uses.iter().filter(|used| used.write && used.operand.is_some()).count();
    let anew = |read: RegRange| read.from < SCC && !info.writes().any(|written| written.meets(read));
    effects.unit == Unit::Scalar
        && effects.memory.is_none()
        && effects.flow == Flow::Next
        && effects.control.is_none()
        && destinations < info.site.inst.operands.len()
        && info.writes().all(decides)
        && info.merges().next().is_none()
        && info.reads().all(anew)
        && info.site.inst.operands.iter().all(|operand| constant(operand) || register(operand))
}
