//! The workgroup barrier on all paths: whether a wave has arrived, and which of its stores to LDS were in flight then.
//!
//! A barrier orders what its waves have done before they arrive; a store to LDS that is in flight then is not done. If a
//! load from LDS follows before the next arrival, it may be of what another wave has stored so.

use smallvec::SmallVec;
use wavemark_isa::effects::{Barrier, Path, Verb};
use wavemark_isa::Operand;
use wavemark_memmodel::counters::InFlight;
use wavemark_memmodel::flow::State;

use crate::site_info::{SiteId, SiteInfo, Sites};

/// The number that instructions have for the barrier of the workgroup (CDNA5 manual 5.7).
const WORKGROUP: i64 = -1;

/// A set of [`Phase`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Phases(u8);

/// Where a wave is with respect to a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// It has arrived and waited as often.
    Outside = 1,
    /// It has arrived, and not waited yet.
    Arrived = 2,
}

impl Phases {
    pub fn may_be(self, phase: Phase) -> bool {
        self.0 & phase as u8 != 0
    }
}

/// What may hold of the workgroup barrier at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AtBarrier {
    pub phases: Phases,
    /// Stores that were in flight at the last arrival, and the phases since.
    unpublished: SmallVec<[(SiteId, Phases); 2]>,
}

impl Default for AtBarrier {
    fn default() -> AtBarrier {
        AtBarrier { phases: Phases(Phase::Outside as u8), unpublished: SmallVec::new() }
    }
}

/// What an instruction does to the workgroup barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    pub arrives: bool,
    pub waits: bool,
}

impl Effect {
    /// That of an instruction; `None`: none.
    pub fn of(info: &SiteInfo) -> Option<Effect> {
        let barrier = info.effects.barrier?;
        let own = match info.site.inst.operands.first() {
            None => true,
            Some(Operand::Int(number)) => i64::from(*number) == WORKGROUP,
            Some(Operand::Imm(number)) => i64::from(*number as u16 as i16) == WORKGROUP,
            Some(_) => false,
        };
        let effect = match barrier {
            Barrier::ArriveAndWait => Effect { arrives: true, waits: true },
            Barrier::Signal | Barrier::SignalIsFirst => Effect { arrives: true, waits: false },
            Barrier::Wait => Effect { arrives: false, waits: true },
            _ => return None,
        };
        own.then_some(effect)
    }
}

impl AtBarrier {
    /// An instruction is executed with these operations in flight.
    pub fn step(&mut self, sites: &Sites, in_flight: &InFlight, info: &SiteInfo) {
        if loads_lds(info) {
            self.unpublished.retain(|(_, phases)| !phases.may_be(Phase::Outside));
        }
        let Some(effect) = Effect::of(info) else { return };
        if effect.arrives {
            self.phases = Phases(Phase::Arrived as u8);
            let stores = in_flight.pending().iter().map(|one| one.operation);
            let stores = stores.filter(|&operation| stores_lds(sites.get(operation)));
            self.unpublished = stores.map(|operation| (operation, self.phases)).collect();
        }
        if effect.waits {
            self.phases = Phases(Phase::Outside as u8);
            for (_, phases) in &mut self.unpublished {
                *phases = self.phases;
            }
        }
    }

    /// The stores that a load from LDS may come too early for.
    pub fn unpublished(&self, info: &SiteInfo) -> impl Iterator<Item = SiteId> + '_ {
        let loads = loads_lds(info);
        let stores = self.unpublished.iter().filter(move |(_, phases)| loads && phases.may_be(Phase::Outside));
        stores.map(|(store, _)| *store)
    }
}

impl State for AtBarrier {
    fn join(&mut self, other: &AtBarrier) -> bool {
        let phases = Phases(self.phases.0 | other.phases.0);
        let mut changed = phases != self.phases;
        self.phases = phases;
        for &(store, phases) in &other.unpublished {
            match self.unpublished.binary_search_by_key(&store, |&(store, _)| store) {
                Ok(at) => {
                    let joined = Phases(self.unpublished[at].1.0 | phases.0);
                    changed |= joined != self.unpublished[at].1;
                    self.unpublished[at].1 = joined;
                }
                Err(at) => {
                    self.unpublished.insert(at, (store, phases));
                    changed = true;
                }
            }
        }
        changed
    }
}

/// Whether it stores to LDS, and to nothing else.
fn stores_lds(info: &SiteInfo) -> bool {
    let memory = info.effects.memory;
    memory.is_some_and(|memory| memory.path == Path::Lds && memory.verb == Verb::Store)
}

/// Whether it loads from LDS, and from nothing else.
fn loads_lds(info: &SiteInfo) -> bool {
    let memory = info.effects.memory;
    memory.is_some_and(|memory| memory.path == Path::Lds && memory.verb == Verb::Load)
}
