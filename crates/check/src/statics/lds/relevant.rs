//! What need not be executed to know which bytes of LDS waves touch: instructions on whose results, on every path, neither
//! an address in LDS, nor a branch, nor the mask of lanes depends.
//!
//! Registers that matter at a point are found backwards from where they are used, as live ones are: what writes one that
//! matters makes those that it reads matter. A vector register is written in the lanes that EXEC has on: what it held before
//! does not matter any more to a use under the same EXEC, but to one behind a change of EXEC, or by other lanes.

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_isa::effects::{Flow, Lanes, Path, Verb};
use wavemark_isa::role::{Class, ImmKind};
use wavemark_memmodel::flow::{Graph, State, forward};
use wavemark_sim::foresight::Hops;
use wavemark_sim::regs::sindex;

use super::super::blocks::{Block, Code};
use super::super::{Analysis, copies_lds};
use crate::register_set::RegisterSet;
use crate::site_info::{SiteInfo, Used, VGPR0};

/// Registers that matter.
#[derive(Clone)]
struct Matters {
    /// To uses in their own lanes before EXEC changes, and scalars.
    here: RegisterSet,
    /// To other uses.
    elsewhere: RegisterSet,
}

impl State for Matters {
    fn join(&mut self, other: &Matters) -> bool {
        self.here.unite(&other.here) | self.elsewhere.unite(&other.elsewhere)
    }
}

impl Matters {
    fn nothing() -> Matters {
        Matters { here: RegisterSet::new(), elsewhere: RegisterSet::new() }
    }

    /// From behind an instruction to before it; whether it need be executed.
    fn step(&mut self, info: &SiteInfo) -> bool {
        let needed =
            !computes_alone(info) || self.here.meets(&info.written) || self.elsewhere.meets(&info.written);
        if !needed {
            return false;
        }
        if writes_exec(info) {
            self.elsewhere.unite(&self.here);
            self.here.clear();
        }
        for used in info.uses.iter().filter(|used| used.write && !used.read) {
            for register in used.range.numbers() {
                self.here.remove_one(register);
                if register < VGPR0 {
                    self.elsewhere.remove_one(register);
                }
            }
        }
        let own_lanes = info.effects.lanes == Lanes::Own && info.site.inst.mods.dpp.is_none();
        let to = if own_lanes { &mut self.here } else { &mut self.elsewhere };
        for used in info.uses.iter().filter(|used| used.read && matters(info, used)) {
            used.range.numbers().for_each(|register| to.insert_one(register));
        }
        true
    }
}

/// Whether an instruction does nothing but compute.
fn computes_alone(info: &SiteInfo) -> bool {
    let effects = &info.effects;
    let plain = effects.memory.is_none() && effects.barrier.is_none() && effects.control.is_none();
    plain && effects.flow == Flow::Next && effects.channels.is_empty() && !writes_exec(info)
}

fn writes_exec(info: &SiteInfo) -> bool {
    let exec = sindex::EXEC..sindex::EXEC + 2;
    info.writes().any(|range| range.numbers().any(|register| exec.contains(&register)))
}

/// Whether what an instruction reads there matters. Of accesses to memory it is all that copies read, addresses in LDS, what no
/// operand names (M0, EXEC), and where scalars are loaded from, which may be arguments; never what is stored.
fn matters(info: &SiteInfo, used: &Used) -> bool {
    info.effects.memory.is_none_or(|memory| {
        let crosses = matches!(memory.verb, Verb::Crossbar(_));
        let asked = !crosses && matches!(memory.path, Path::Lds | Path::Flat | Path::Scalar);
        used.operand.is_none() || copies_lds(info) || asked && used.address
    })
}

/// Whether it names registers by an index, or lets others do so.
fn indexes_registers(analysis: &Analysis<'_>, info: &SiteInfo) -> bool {
    let mut operands = info.site.inst.row(analysis.machine).operands.iter();
    info.effects.relative.is_some() || operands.any(|operand| operand.class == Class::Imm(ImmKind::GprIdx))
}

/// Where a wave goes on from instructions that need not be executed; nowhere, if it is not known which registers they are about.
pub(super) fn hops(analysis: &Analysis<'_>, code: &Code, graph: &Graph) -> Hops {
    if analysis.sites.all().any(|(_, info)| indexes_registers(analysis, info)) {
        return Hops::default();
    }
    let end = code.blocks.len();
    let mut backwards = vec![Vec::new(); end + 1];
    for block in 0..end {
        backwards[end].push(block);
        for &successor in graph.successors(block) {
            backwards[successor].push(block);
        }
    }
    let through = |block: &Block, behind: &Matters| {
        let mut matters = behind.clone();
        block.sites.iter().rev().for_each(|&site| _ = matters.step(analysis.sites.get(site)));
        matters
    };
    let nothing = Matters::nothing();
    let behind = forward(&Graph::new(backwards), end, nothing, |block, behind| {
        code.blocks.get(block).map_or_else(|| behind.clone(), |block| through(block, behind))
    });
    // A place in several chains of calls is passed over if it is so in all of them.
    let mut hops = FxHashMap::default();
    let mut executed = FxHashSet::default();
    for (block, behind) in code.blocks.iter().zip(behind) {
        let Some(mut matters) = behind else { continue };
        for &site in block.sites.iter().rev() {
            let info = analysis.sites.get(site);
            let place = (info.site.pc, info.site.msb);
            match matters.step(info) {
                true => _ = executed.insert(place),
                false => _ = hops.insert(place, info.site.pc + u64::from(info.site.inst.size)),
            }
        }
    }
    hops.retain(|place, _| !executed.contains(place));
    hops
}
