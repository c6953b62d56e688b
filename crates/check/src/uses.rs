//! Where the value of a load may be of use: the instructions that write memory and may depend on it.
//!
//! A load that races with a later write is no defect in a wave that does nothing with what it has loaded. When the race is
//! found the value is long gone from where [`crate::taint`] could follow it; what the wave has stored since then is known,
//! and this is whether that may depend on the value.
//!
//! How it works: from the load on, along all paths of the code, registers that may hold something computed from the value.
//! What writes a register gives it another value; a vector register only if the lanes that are on then are known to be at
//! least those of the load: EXEC itself until it is narrowed, and scalar registers that EXEC was saved in. That EXEC comes
//! back to one of them, or is united with one, is all that is understood.
//!
//! What it does not follow is taken for a use of everything: branches and EXEC that depend on the value, values stored to
//! scratch memory, calls, and jumps to addresses in registers. A store to LDS is a use.

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_isa::Operand;
use wavemark_isa::effects::{Control, Flow, Logic, Path, Unit, Verb};
use wavemark_sim::Segment;
use wavemark_sim::events::Site;
use wavemark_sim::regs::sindex;
use wavemark_target::Machine;

use crate::register_set::{Masks, RegisterSet, add};
use crate::site_info::{SiteInfo, Sites, Used, VGPR0};
use crate::statics::blocks::{instruction_at, upper_bits};

/// What may depend on the value of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Uses {
    /// The instructions at these addresses, of those that write memory.
    At(FxHashSet<u64>),
    /// Any instruction: it is not known.
    Anything,
}

impl Uses {
    /// Those of `load`'s value.
    pub fn of(machine: Machine, code: &Segment, load: &Site) -> Uses {
        let mut paths = Paths { machine, code, sites: Sites::new(machine), states: FxHashMap::default() };
        paths.follow(load).map_or(Uses::Anything, Uses::At)
    }

    /// Whether the instruction at an address is one.
    pub fn has(&self, pc: u64) -> bool {
        match self {
            Uses::At(places) => places.contains(&pc),
            Uses::Anything => true,
        }
    }
}

/// Where a path is: the address and the upper VGPR bits there.
type Point = (u64, u8);

/// What is known before an instruction.
#[derive(Clone)]
struct State {
    /// Registers that may hold something computed from the value.
    dependent: RegisterSet,
    /// Scalar registers that hold at least the lanes of the load, EXEC among them.
    lanes: RegisterSet,
}

struct Paths<'c> {
    machine: Machine,
    code: &'c Segment,
    sites: Sites,
    states: FxHashMap<Point, State>,
}

impl Paths<'_> {
    /// The addresses of all uses; `None` if it is not known.
    fn follow(&mut self, load: &Site) -> Option<FxHashSet<u64>> {
        let mut places = FxHashSet::default();
        let mut state = State { dependent: RegisterSet::new(), lanes: RegisterSet::new() };
        let id = self.sites.id(load);
        let info = self.sites.get(id);
        state.dependent.insert(&info.written);
        state.lanes.insert(&exec(self.machine));
        let mut waiting = Vec::new();
        self.go_on(load, &state, &mut waiting)?;
        while let Some((pc, msb)) = waiting.pop() {
            let mut state = self.states.get(&(pc, msb))?.clone();
            let site = match self.sites.find(pc, msb) {
                Some(id) => self.sites.get(id).site.clone(),
                None => Site { pc, inst: instruction_at(self.machine, self.code, pc)?, msb },
            };
            let id = self.sites.id(&site);
            if state.step(self.machine, self.sites.get(id))? {
                places.insert(pc);
            }
            if state.dependent.is_empty() {
                continue;
            }
            self.go_on(&site, &state, &mut waiting)?;
        }
        Some(places)
    }

    /// Paths go on behind `site` with `state`.
    fn go_on(&mut self, site: &Site, state: &State, waiting: &mut Vec<Point>) -> Option<()> {
        let id = self.sites.id(site);
        let info = self.sites.get(id);
        let flow = info.effects.flow;
        if matches!(flow, Flow::Call | Flow::Indirect)
            || (flow == Flow::Trap && info.reads().next().is_some())
        {
            return None;
        }
        let msb = upper_bits(self.machine, site.msb, info).ok()?;
        for pc in flow.next(self.machine, &site.inst, site.pc) {
            match self.states.get_mut(&(pc, msb)) {
                None => {
                    self.states.insert((pc, msb), state.clone());
                    waiting.push((pc, msb));
                }
                Some(known) => {
                    let more = known.dependent.unite(&state.dependent);
                    let fewer = known.lanes.retain(&state.lanes);
                    if more || fewer {
                        waiting.push((pc, msb));
                    }
                }
            }
        }
        Some(())
    }
}

/// EXEC as the machine's waves have it: the low half is all that 32 lanes need, but nobody writes the other half then.
fn exec(machine: Machine) -> Masks {
    let mut masks = Masks::new();
    add(&mut masks, sindex::EXEC..sindex::EXEC + machine.lanes().div_ceil(32));
    masks
}

impl State {
    /// What is known of the lanes that registers hold, behind an instruction.
    fn note_lanes(&mut self, info: &SiteInfo, exec: &Masks, width: u32) {
        let scalar = info.effects.unit == Unit::Scalar;
        let holds = |used: &Used| {
            used.range.count == width && used.range.numbers().all(|register| self.lanes.has(register))
        };
        let reads = || info.uses.iter().filter(|used| used.read);
        let all_on = || info.site.inst.operands.get(1) == Some(&Operand::Int(-1));
        let implied = |used: &Used| used.operand.is_none();
        let old_exec = self.lanes.has_all(exec);
        // What the destination holds then, and EXEC if it is not that.
        let united = || info.effects.logic == Some(Logic::Or) && reads().any(holds);
        let (held, narrowed) = match info.effects.logic {
            _ if !scalar => (false, false),
            Some(_) if info.effects.saves_exec => (old_exec, united()),
            Some(_) => (united(), false),
            None => (info.effects.copies && (reads().any(holds) || all_on()), false),
        };
        for used in info.uses.iter().filter(|used| used.write && used.range.from < VGPR0) {
            let holds = if implied(used) { narrowed } else { held };
            for register in used.range.numbers() {
                if holds && used.range.count == width {
                    self.lanes.insert_one(register);
                } else {
                    self.lanes.remove_one(register);
                }
            }
        }
    }

    /// An instruction is executed: whether it is a use. `None` if it is not known what depends on the value from here on.
    fn step(&mut self, machine: Machine, info: &SiteInfo) -> Option<bool> {
        let effects = &info.effects;
        let exec = exec(machine);
        let depends = info
            .uses
            .iter()
            .any(|used| used.read && used.range.numbers().any(|register| self.dependent.has(register)));
        let writes_exec = info.uses.iter().any(|used| used.write && used.range.from == sindex::EXEC);
        let decides = effects.flow != Flow::Next || effects.control == Some(Control::SetReg) || writes_exec;
        if (depends && decides) || effects.relative.is_some() {
            return None;
        }
        let uses = match effects.memory {
            Some(memory) if depends => match memory.verb {
                Verb::Load | Verb::Crossbar(_) | Verb::Prefetch | Verb::Cache { .. } => false,
                _ if memory.path == Path::Scratch => return None,
                Verb::Store | Verb::Atomic | Verb::AtomicReturn | Verb::ToLds | Verb::FromLds => true,
            },
            _ => false,
        };
        self.note_lanes(info, &exec, machine.lanes() / 32);
        let all_lanes = !info.heeds_exec || self.lanes.has_all(&exec);
        for used in info.uses.iter().filter(|used| used.write) {
            for register in used.range.numbers() {
                if depends {
                    self.dependent.insert_one(register);
                } else if register < VGPR0 || all_lanes {
                    self.dependent.remove_one(register);
                }
            }
        }
        Some(uses)
    }
}
