//! Dependencies that the hardware does not check: N1.
//!
//! Some results can be used only when so many wait states have passed, which independent instructions and `s_nop` give;
//! the fact `manual_waits` says which of the tables below a processor goes by. A wait state is an instruction, or one of
//! those that `s_nop` stands for; from gfx11 on only vector instructions count.
//!
//! Sources: CDNA3 and CDNA4 manuals, tables 11 ("Required Software-inserted Wait States") and 37/38 ("VOP3P-Matrix Opcodes
//! Required NOPs"); Vega manual, table 8; CDNA2 manual, tables 9 and 26; RDNA3 manual 7.9, RDNA4 manual 7.12.1, CDNA5
//! manual 5.7.2 and 7.12.1; CDNA1 manual, tables 12 and 29. Where a table cannot be read in print, the numbers are those
//! of LLVM 22 (`GCNHazardRecognizer`).
//!
//! Not looked for: the aliases of VCC, VSKIP and the trap handler's registers; on CDNA1, memory that reads what a vector
//! instruction wrote right before another one moved to or from AGPRs; the guards of SGPRs that RDNA4 wants (5.6), which
//! are waits and no wait states; A, B and index of a matrix product of CDNA5 that are overwritten beside it, which
//! compilers do across loops.

use smallvec::SmallVec;
use wavemark_isa::effects::{Control, Flow, HwField, Lanes, Path, Touched, Unit, Verb};
use wavemark_isa::{Operand, SdwaSel, Special};
use wavemark_memmodel::flow::State;
use wavemark_sim::regs::sindex;
use wavemark_target::facts::ManualWaits;

use super::copies_lds;
use crate::finding::Severity::{self, Error, Warning};
use crate::register_set;
use crate::site_info::{AGPR0, RegRange, SCC, SiteId, SiteInfo, Sites, Used, VGPR0};

/// The most wait states that anything needs, and behind what is no matrix product.
const MOST: u8 = 20;
const MOST_BUT_PRODUCTS: u8 = 5;

/// What was issued of late; ascending by instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Recent(SmallVec<[Issued; 8]>);

/// An instruction that something may have to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Issued {
    site: SiteId,
    /// The fewest wait states that may have passed since.
    passed: u8,
    /// The most that anything needs behind it.
    reach: u8,
}

/// An instruction comes too early.
pub(super) struct TooEarly {
    /// What it depends on.
    pub first: SiteId,
    /// The wait states that are missing.
    pub missing: u8,
    /// Those that it needs.
    pub needed: u8,
    /// What it depends on, in words.
    pub what: &'static str,
    /// A warning where kernels do without ([`UNKEPT`]).
    pub severity: Severity,
}

impl State for Recent {
    fn join(&mut self, other: &Recent) -> bool {
        let mut new = false;
        for &issued in &other.0 {
            match self.place(issued.site) {
                Ok(at) if self.0[at].passed > issued.passed => {
                    (self.0[at].passed, new) = (issued.passed, true);
                }
                Ok(_) => {}
                Err(at) => {
                    self.0.insert(at, issued);
                    new = true;
                }
            }
        }
        new
    }
}

impl Recent {
    /// The instruction `site` is issued; `opaque`: it is a call that is not followed.
    pub fn step(&mut self, rules: ManualWaits, sites: &Sites, site: SiteId, opaque: bool) {
        let info = sites.get(site);
        if rules == ManualWaits::None {
            return;
        }
        // Who is called may have waited.
        if opaque || info.effects.flow == Flow::End {
            self.0.clear();
            return;
        }
        let passed = wait_states(rules, info);
        self.0.retain(|issued| {
            issued.passed = issued.passed.saturating_add(passed);
            let is_over = rules.count_vector_alone() && waits_for_results(sites.get(issued.site), info);
            issued.site != site && issued.passed < issued.reach && !is_over
        });
        let reach = reach(rules, info);
        if let (true, Err(at)) = (reach > 0, self.place(site)) {
            self.0.insert(at, Issued { site, passed: 0, reach });
        }
    }

    fn place(&self, site: SiteId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&site, |issued| issued.site)
    }

    /// What the instruction `site` comes too early behind.
    pub fn too_early(&self, rules: ManualWaits, sites: &Sites, site: SiteId) -> Option<TooEarly> {
        let second = sites.get(site);
        let linked = self.0.iter().filter(|issued| may_depend(sites.get(issued.site), second));
        let early = linked.flat_map(|&Issued { site: first, passed, reach }| {
            dependencies(rules, sites.get(first), second)
                .inspect(move |&(_, (needed, _))| debug_assert!(needed <= reach))
                .filter(move |&(_, (needed, _))| passed < needed)
                .map(move |(severity, (needed, what))| TooEarly {
                    first,
                    missing: needed - passed,
                    needed,
                    what,
                    severity,
                })
        });
        early.max_by_key(|early| (early.severity, early.missing))
    }
}

/// The wait states that an instruction is for those before it.
fn wait_states(rules: ManualWaits, info: &SiteInfo) -> u8 {
    if rules.count_vector_alone() {
        return u8::from(info.effects.unit.is_vector());
    }
    match (info.effects.control, info.site.inst.operands.first()) {
        (Some(Control::Nop), Some(&Operand::Imm(more))) => (more as u8 & 0xf) + 1,
        _ => 1,
    }
}

/// Whether vector arithmetic has written its results when `second` is over: it waits for that, or hands them to memory, which the
/// hardware looks to. Nothing is executed beside what needs no time any more.
fn waits_for_results(first: &SiteInfo, second: &SiteInfo) -> bool {
    second.effects.waits_vector_results
        || !second.effects.unit.is_vector() && meet(vector_registers(first.writes()), all_reads(second))
}

/// The most wait states that anything needs behind the instruction; 0 if nothing does.
fn reach(rules: ManualWaits, info: &SiteInfo) -> u8 {
    let effects = &info.effects;
    let waited_for = match rules {
        ManualWaits::None => false,
        ManualWaits::Wmma => effects.unit.is_matrix(),
        ManualWaits::CoExecution => effects.passes > 0 || effects.unit == Unit::Transcendental,
        _ => {
            effects.unit.is_vector()
                || effects.control == Some(Control::SetReg)
                || effects.unit == Unit::Scalar && info.writes().any(|range| range.from == sindex::M0)
                || wide_data(info).next().is_some()
        }
    };
    match waited_for {
        false => 0,
        true if effects.unit.is_matrix() || effects.passes > 0 => MOST,
        true => MOST_BUT_PRODUCTS,
    }
}

/// Whether there may be a dependency: by a register that one writes and the other touches, or by what vector instructions
/// have from EXEC and VCC, and instructions from hardware registers, without being said to read it.
fn may_depend(first: &SiteInfo, second: &SiteInfo) -> bool {
    register_set::meet(&first.written, &second.touched)
        || register_set::meet(&first.touched, &second.written)
        || first.effects.control == Some(Control::SetReg)
        || first.writes().any(|range| range.meets(EXEC) || range.meets(VCC))
}

/// The dependencies of one instruction on another, and how grave it is to miss one.
fn dependencies(
    rules: ManualWaits,
    first: &SiteInfo,
    second: &SiteInfo,
) -> impl Iterator<Item = (Severity, (u8, &'static str))> {
    let tables: &[(Severity, &'static [Rule])] = match rules {
        ManualWaits::None => &[],
        ManualWaits::Wmma => &[(Error, &[wmma])],
        ManualWaits::CoExecution => &[(Error, &[beside_wmma, beside_transcendental])],
        ManualWaits::Gcn => &[(Error, GCN), (Error, &[copy_behind_m0])],
        ManualWaits::Cdna1 => &[(Error, GCN), (Error, &[copy_behind_m0]), (Error, CDNA1)],
        ManualWaits::Cdna2 => &[(Error, GCN), (Error, &[copy_behind_m0, mfma_cdna2])],
        ManualWaits::Cdna3 => &[(Error, GCN), (Error, &[mfma_cdna3]), (Error, CDNA3), (Warning, UNKEPT)],
        ManualWaits::Cdna4 => {
            &[(Error, GCN), (Error, &[mfma_cdna4]), (Error, CDNA3), (Error, CDNA4), (Warning, UNKEPT)]
        }
    };
    let rules = tables.iter().flat_map(|&(severity, rules)| rules.iter().map(move |rule| (severity, rule)));
    rules.filter_map(move |(severity, rule)| Some((severity, rule(first, second)?)))
}

/// The wait states that a dependency needs, if two instructions have it.
type Rule = fn(&SiteInfo, &SiteInfo) -> Option<(u8, &'static str)>;

/// Vega manual, table 8, whose rules all later ones repeat.
const GCN: &[Rule] = &[
    |first, second| {
        let vector = second.effects.unit == Unit::VectorMemory;
        let needs = vector && meet(vector_results(first), named_scalars(second));
        needs.then_some((5, "vector memory reads an SGPR that a vector instruction writes"))
    },
    |first, second| {
        // Operand 2 is the lane, of reading as of writing.
        let lane = named(second).filter(|used| second.effects.lanes == Lanes::One && used.operand == Some(2));
        let needs = meet(vector_results(first), lane.map(|used| used.range));
        needs.then_some((4, "a lane is chosen by an SGPR that a vector instruction writes"))
    },
    |first, second| {
        let needs = second.effects.unforwarded && meet(vector_results(first), implicit(second, sindex::VCC));
        needs.then_some((4, "v_div_fmas reads VCC, which a vector instruction writes"))
    },
    |first, second| {
        let zero = |special| second.effects.regs.iter().any(|used| used.reg == Touched::Special(special));
        let needs = zero(Special::Vccz) && meet(vector_results(first), [VCC])
            || zero(Special::Execz) && meet(vector_results(first), [EXEC]);
        needs.then_some((5, "VCCZ or EXECZ is read behind a vector instruction that changes it"))
    },
    |first, second| {
        let vector = second.effects.unit.is_vector();
        let needs = vector && meet(wide_data(first), vector_registers(second.writes()));
        needs.then_some((1, "a vector instruction overwrites the data of a wide store"))
    },
    |first, second| {
        let sets = first.effects.unit == Unit::Scalar && first.writes().any(|range| range.from == sindex::M0);
        let needs = sets && !copies_lds(second) && implicit(second, sindex::M0).is_some();
        needs.then_some((1, M0_READ))
    },
    |first, second| {
        let needs = dpp(second) && first.effects.unit.is_vector() && meet(first.writes(), [EXEC]);
        needs.then_some((5, "DPP behind a vector instruction that writes EXEC"))
    },
    |first, second| {
        let needs = dpp(second) && meet(vector_writes(first), vector_registers(second.reads()));
        needs.then_some((2, "DPP reads a VGPR that a vector instruction writes"))
    },
    |first, second| {
        let register = |info: &SiteInfo| match info.effects.control {
            Some(Control::SetReg | Control::GetReg) => hwreg(info),
            _ => None,
        };
        let sets = first.effects.control == Some(Control::SetReg);
        let needs = sets && register(second).is_some() && register(first) == register(second);
        needs.then_some((2, "a hardware register is read or set behind an instruction that sets it"))
    },
];

const M0_READ: &str = "M0 is read behind a scalar instruction that writes it";

/// A copy to LDS, whose place M0 is.
fn copy_behind_m0(first: &SiteInfo, second: &SiteInfo) -> Option<(u8, &'static str)> {
    let sets = first.effects.unit == Unit::Scalar && first.writes().any(|range| range.from == sindex::M0);
    let needs = sets && copies_lds(second) && implicit(second, sindex::M0).is_some();
    needs.then_some((1, M0_READ))
}

/// What CDNA1 adds (table 29), whose products alone, and the moves to and from them, touch AGPRs.
const CDNA1: &[Rule] = &[
    |first, second| {
        let behind = takes_part_in_products(second);
        let needs = behind && first.effects.unit.is_vector() && meet(first.writes(), [EXEC]);
        needs.then_some((
            4,
            "a matrix product or a move to an AGPR behind a vector instruction that writes EXEC",
        ))
    },
    |first, second| {
        let behind = takes_part_in_products(second);
        let needs = behind && meet(architected(vector_writes(first)), architected(all_reads(second)));
        needs.then_some((
            2,
            "a matrix product or a move to an AGPR reads a VGPR that a vector instruction writes",
        ))
    },
    |first, second| {
        let moved = first.effects.unit == Unit::Vector && meet(first.reads(), [AGPRS]);
        let needs = moved
            && !second.effects.unit.is_vector()
            && meet(first.writes(), vector_registers(all_reads(second)));
        needs.then_some((2, "memory reads a VGPR that is moved from an AGPR"))
    },
    |first, second| {
        if first.effects.unit.is_matrix() || !first.effects.unit.is_vector() {
            return None;
        }
        let moved: SmallVec<[RegRange; 2]> = accumulation(first.writes()).collect();
        if !meet(moved.iter().copied(), all_reads(second)) {
            return None;
        }
        let product = second.effects.unit.is_matrix();
        let factor = [Part::A, Part::B].into_iter().filter_map(|part| part.of(second));
        let addend = product && !meet(moved, factor);
        Some((if addend { 1 } else { 3 }, "an AGPR is read behind the move to it"))
    },
    |first, second| {
        if !first.effects.unit.is_matrix() {
            return None;
        }
        let (result, passes) = (Part::D.of(first), first.effects.passes);
        if second.effects.unit.is_matrix() {
            let factors = [Part::A, Part::B].into_iter().filter_map(|part| part.of(second));
            if meet(result, factors) {
                return Some((4, "a matrix result is read as A or B"));
            }
            let addend = Part::C.of(second);
            let same = addend == result && passes == second.effects.passes;
            return (meet(result, addend) && !same).then_some((2, "a part of a matrix result is read as C"));
        }
        if meet(result, all_reads(second)) {
            return Some((passes + 2, "a matrix result is moved from its AGPR"));
        }
        let overwrites = meet(result, second.writes());
        overwrites.then_some((passes.saturating_sub(1), "a matrix result is overwritten"))
    },
    |first, second| {
        let addend = Part::C.of(first).filter(|_| first.effects.unit.is_matrix());
        let overwrites = !second.effects.unit.is_matrix() && meet(addend, second.writes());
        overwrites.then_some((first.effects.passes.saturating_sub(3), "C of a matrix product is overwritten"))
    },
];

/// What CDNA3 adds (table 11).
const CDNA3: &[Rule] = &[
    |first, second| {
        let one = second.effects.lanes == Lanes::One;
        let needs = one && meet(vector_writes(first), vector_registers(second.reads()));
        needs.then_some((1, "a lane is read of a VGPR that a vector instruction writes"))
    },
    |first, second| {
        let needs = second.effects.unit.is_vector() && moves_bits(first) && uses_result(first, second);
        needs.then_some((1, "a result that OPSEL or SDWA puts elsewhere is used"))
    },
    |first, second| {
        let trans = |info: &SiteInfo| info.effects.unit == Unit::Transcendental;
        let other = second.effects.unit.is_vector() && !trans(second);
        let needs = trans(first) && other && uses_result(first, second);
        needs.then_some((1, "a transcendental result is used by another vector instruction"))
    },
    |first, second| {
        let vector = second.effects.unit.is_vector();
        let needs = vector && meet(wide_data(first), vector_registers(second.writes()));
        needs.then_some((2, "a vector instruction overwrites the data of a wide store"))
    },
];

/// Rows of table 11 that AMD's own kernels for CDNA3 and CDNA4 do not keep, which run: the assembly of hipBLASLt and AITER
/// has each of them, in most files. LLVM keeps them.
const UNKEPT: &[Rule] = &[
    copy_behind_m0,
    |first, second| {
        // A carry is there at once; the mask of a selection is not.
        let constant = |used: &&Used| used.read && (!used.lanes || second.effects.selects);
        let constants = named(second).filter(|used| constant(used) && second.effects.unit.is_vector());
        let needs = meet(vector_results(first), constants.map(|used| used.range));
        needs.then_some((2, "a vector instruction reads an SGPR that another one writes"))
    },
    |first, second| {
        let exec = first.effects.unit.is_vector() && meet(first.writes(), [EXEC]);
        let needs = exec && second.effects.lanes == Lanes::One;
        needs.then_some((4, "one lane is read or written behind a vector instruction that writes EXEC"))
    },
];

/// What CDNA4 adds.
const CDNA4: &[Rule] = &[
    |first, second| {
        let exec = first.effects.unit.is_vector() && meet(first.writes(), [EXEC]);
        let needs = exec && second.effects.lanes == Lanes::Exchanged;
        needs.then_some((4, "lanes are exchanged behind a vector instruction that writes EXEC"))
    },
    |first, second| {
        let exchanged = second.effects.lanes == Lanes::Exchanged;
        let needs = exchanged && meet(vector_writes(first), vector_registers(all_reads(second)));
        needs.then_some((2, "lanes are exchanged of a VGPR that a vector instruction writes"))
    },
];

fn mfma_cdna2(first: &SiteInfo, second: &SiteInfo) -> Option<(u8, &'static str)> {
    mfma(first, second, ManualWaits::Cdna2)
}

fn mfma_cdna3(first: &SiteInfo, second: &SiteInfo) -> Option<(u8, &'static str)> {
    mfma(first, second, ManualWaits::Cdna3)
}

fn mfma_cdna4(first: &SiteInfo, second: &SiteInfo) -> Option<(u8, &'static str)> {
    mfma(first, second, ManualWaits::Cdna4)
}

/// Matrix products of CDNA2 and later, and what stands before or behind them.
fn mfma(first: &SiteInfo, second: &SiteInfo, rules: ManualWaits) -> Option<(u8, &'static str)> {
    let (before, behind) = (first.effects.unit, second.effects.unit);
    if !before.is_matrix() {
        return before_mfma(first, second);
    }
    let result = Part::D.of(first);
    let passes = first.effects.passes;
    let longer = u8::from(rules == ManualWaits::Cdna4 && passes != 2);
    let double = before == Unit::MatrixF64;
    // The result of 4x4x4 is one number a lane, that of 16x16x4 four.
    let small = result.is_some_and(|range| range.count == 2);
    // CDNA2 has no unit of its own for single precision.
    let single = before == Unit::MatrixF32 && rules != ManualWaits::Cdna2;
    let dgemm = |large, larger| match (small, rules) {
        (true, _) => 6,
        (false, ManualWaits::Cdna4) => larger,
        (false, _) => large,
    };
    if behind.is_matrix() {
        let sources = [Part::A, Part::B, Part::Index].map(|part| part.of(second));
        if meet(result, sources.into_iter().flatten()) {
            let states = match () {
                () if double => dgemm(11, 19),
                () if single => passes + 2,
                () => passes + 3 + longer,
            };
            return Some((states, "a matrix result is read as A, B or index"));
        }
        let addend = Part::C.of(second);
        if !meet(result, addend) {
            return None;
        }
        let same = addend == result && first.effects.passes == second.effects.passes;
        let double_behind = behind == Unit::MatrixF64;
        let states = match (double, same) {
            // The hardware waits where the product behind it is no double one.
            (true, _) if !double_behind => 0,
            (true, _) if small => 4,
            (true, true) => 0,
            (true, false) if rules == ManualWaits::Cdna4 => 17,
            (true, false) => 9,
            (false, true) => {
                if passes == 2 && !single && rules != ManualWaits::Cdna2 {
                    2
                } else {
                    0
                }
            }
            (false, false) if single => passes,
            (false, false) if rules == ManualWaits::Cdna2 => passes + u8::from(double_behind),
            (false, false) => passes + 1 + longer,
        };
        return Some((states, "a matrix result is read as C"));
    }
    let reads = meet(result, vector_registers(all_reads(second)));
    let writes = behind.is_vector() && meet(result, vector_registers(second.writes()));
    if reads || writes {
        let memory = !behind.is_vector();
        let states = match () {
            () if double && memory => {
                if small {
                    9
                } else {
                    18
                }
            }
            () if double => dgemm(11, 19),
            () if single => passes + 2,
            () => passes + 3 + longer,
        };
        return Some((states, "a matrix result is used"));
    }
    let overwrites = behind.is_vector() && meet(Part::C.of(first), vector_registers(second.writes()));
    let states = if rules == ManualWaits::Cdna4 { 1 } else { passes.saturating_sub(1) };
    (overwrites && !double && !single).then_some((states, "C of a matrix product is overwritten"))
}

/// What stands before a matrix product, and dot products before anything.
fn before_mfma(first: &SiteInfo, second: &SiteInfo) -> Option<(u8, &'static str)> {
    let (before, behind) = (first.effects.unit, second.effects.unit);
    if before == Unit::Dot {
        let same = first.site.inst.row == second.site.inst.row;
        // An accumulator goes on to the next of its kind.
        let reads = vector_registers(all_reads(second));
        let reads = reads.filter(|range| !(same && Part::C.of(second) == Some(*range)));
        let uses = meet(first.writes(), reads)
            || !same && behind.is_vector() && meet(vector_writes(first), vector_registers(second.writes()));
        return uses.then_some((3, "the result of a dot product is used by another instruction"));
    }
    if !before.is_vector() || !behind.is_matrix() {
        return None;
    }
    if meet(first.writes(), [EXEC]) {
        return Some((4, "a matrix product behind a vector instruction that writes EXEC"));
    }
    let needs = meet(vector_writes(first), vector_registers(all_reads(second)));
    needs.then_some((2, "a matrix product reads a VGPR that a vector instruction writes"))
}

/// RDNA3 manual 7.9, RDNA4 manual 7.12.1.
fn wmma(first: &SiteInfo, second: &SiteInfo) -> Option<(u8, &'static str)> {
    let sources = [Part::A, Part::B, Part::Index].map(|part| part.of(second));
    let needs = second.effects.unit.is_matrix() && meet(Part::D.of(first), sources.into_iter().flatten());
    needs.then_some((1, "a matrix result is read as A, B or index"))
}

/// CDNA5 manual 7.12.1.
fn beside_wmma(first: &SiteInfo, second: &SiteInfo) -> Option<(u8, &'static str)> {
    let passes = Some(first.effects.passes).filter(|&passes| passes > 0)?;
    let result = Part::D.of(first);
    if second.effects.unit.is_matrix() {
        let sources = [Part::A, Part::B, Part::Index].map(|part| part.of(second));
        let needs = second.effects.passes > 0 && meet(result, sources.into_iter().flatten());
        return needs.then_some((passes + 1, "a matrix result is read as A, B or index"));
    }
    let touched = vector_registers(all_reads(second)).chain(vector_registers(second.writes()));
    let needs = second.effects.unit.is_vector() && meet(result, touched);
    needs.then_some((passes, "a matrix result is used"))
}

/// CDNA5 manual 5.7.2; transcendentals of 64 bits are ordinary there (5.7.3).
fn beside_transcendental(first: &SiteInfo, second: &SiteInfo) -> Option<(u8, &'static str)> {
    let trans = |info: &SiteInfo| info.effects.unit == Unit::Transcendental;
    if !trans(first) || first.writes().any(|range| range.count > 1) {
        return None;
    }
    let other = second.effects.unit.is_vector() && !trans(second);
    let overwrites = meet(vector_registers(first.reads()), vector_registers(second.writes()));
    let needs = other && (uses_result(first, second) || overwrites);
    needs.then_some((1, "a transcendental instruction is not done with its registers"))
}

/// An operand of a matrix product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    D,
    A,
    B,
    C,
    Index,
}

impl Part {
    /// Its registers. A sparse product adds to D and has the index in the place of C.
    fn of(self, info: &SiteInfo) -> Option<RegRange> {
        let sparse = named(info).any(|used| used.operand == Some(0) && used.read);
        let operand = match self {
            Part::D => 0,
            Part::A => 1,
            Part::B => 2,
            Part::C => {
                if sparse {
                    0
                } else {
                    3
                }
            }
            Part::Index => {
                if sparse {
                    3
                } else {
                    return None;
                }
            }
        };
        named(info).find(|used| used.operand == Some(operand)).map(|used| used.range)
    }
}

const VCC: RegRange = RegRange { from: sindex::VCC, count: 2 };
const EXEC: RegRange = RegRange { from: sindex::EXEC, count: 2 };
const AGPRS: RegRange = RegRange { from: AGPR0, count: 256 };

/// Whether an instruction is a matrix product, or moves to an AGPR.
fn takes_part_in_products(info: &SiteInfo) -> bool {
    info.effects.unit.is_matrix() || info.effects.unit.is_vector() && meet(info.writes(), [AGPRS])
}

/// Whether some register is in both.
fn meet(a: impl IntoIterator<Item = RegRange>, b: impl IntoIterator<Item = RegRange>) -> bool {
    let b: SmallVec<[RegRange; 6]> = b.into_iter().collect();
    a.into_iter().any(|x| b.iter().any(|&y| x.meets(y)))
}

/// The registers that operands name.
fn named(info: &SiteInfo) -> impl Iterator<Item = &Used> + '_ {
    info.uses.iter().filter(|used| used.operand.is_some())
}

/// The scalar registers that operands name and that are read.
fn named_scalars(info: &SiteInfo) -> impl Iterator<Item = RegRange> + '_ {
    named(info).filter(|used| used.read && used.range.from < SCC).map(|used| used.range)
}

/// The scalar registers that a vector instruction writes: SGPRs, VCC.
fn vector_results(info: &SiteInfo) -> impl Iterator<Item = RegRange> + '_ {
    let vector = info.effects.unit.is_vector();
    info.writes().filter(move |range| vector && range.from < SCC)
}

/// The vector registers that a vector instruction writes.
fn vector_writes(info: &SiteInfo) -> impl Iterator<Item = RegRange> + '_ {
    let vector = info.effects.unit.is_vector();
    vector_registers(info.writes()).filter(move |_| vector)
}

fn vector_registers(ranges: impl Iterator<Item = RegRange>) -> impl Iterator<Item = RegRange> {
    ranges.filter(|range| range.from >= VGPR0)
}

fn architected(ranges: impl Iterator<Item = RegRange>) -> impl Iterator<Item = RegRange> {
    vector_registers(ranges).filter(|range| range.from < AGPR0)
}

fn accumulation(ranges: impl Iterator<Item = RegRange>) -> impl Iterator<Item = RegRange> {
    ranges.filter(|range| range.from >= AGPR0)
}

/// All that it reads, what it also writes included.
fn all_reads(info: &SiteInfo) -> impl Iterator<Item = RegRange> + '_ {
    info.uses.iter().filter(|used| used.read).map(|used| used.range)
}

/// The register, if it is read without being named.
fn implicit(info: &SiteInfo, register: u32) -> Option<RegRange> {
    let is = |used: &&Used| used.operand.is_none() && used.read && used.range.from == register;
    info.uses.iter().find(is).map(|used| used.range)
}

/// Whether a vector instruction reads or overwrites what another one writes.
fn uses_result(first: &SiteInfo, second: &SiteInfo) -> bool {
    meet(vector_writes(first), vector_registers(all_reads(second)))
}

/// Data of more than 64 bits that vector memory stores. Buffers with an SGPR as offset read them in time.
fn wide_data(info: &SiteInfo) -> impl Iterator<Item = RegRange> + '_ {
    let memory = info.effects.memory.filter(|_| info.effects.unit == Unit::VectorMemory);
    let stores = memory.is_some_and(|memory| {
        let offset = |used: &&Used| used.address && used.range.from < SCC && used.range.count == 1;
        let in_time = memory.path == Path::Buffer && info.uses.iter().any(|used| offset(&used));
        matches!(memory.verb, Verb::Store | Verb::Atomic | Verb::AtomicReturn) && !in_time
    });
    let data = |used: &&Used| used.read && !used.address && used.range.from >= VGPR0 && used.range.count > 2;
    info.uses.iter().filter(move |used| stores && data(used)).map(|used| used.range)
}

fn dpp(info: &SiteInfo) -> bool {
    info.site.inst.mods.dpp.is_some()
}

/// Whether SDWA or OPSEL puts the result elsewhere than in the low bits of its register.
fn moves_bits(info: &SiteInfo) -> bool {
    let mods = &info.site.inst.mods;
    let sdwa = mods.sdwa.is_some_and(|sdwa| sdwa.dst_sel != SdwaSel::Dword);
    info.effects.unit.is_vector() && (sdwa || !info.effects.unit.is_matrix() && mods.op_sel & 8 != 0)
}

/// The number of the hardware register that an instruction names.
fn hwreg(info: &SiteInfo) -> Option<u8> {
    let simm = info.site.inst.operands.iter().find_map(|operand| match operand {
        Operand::Imm(value) => Some(*value as u16),
        _ => None,
    });
    simm.map(|simm| HwField::from_simm16(simm).id)
}
