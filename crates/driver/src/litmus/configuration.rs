//! The caches of a processor as it is configured, for the machine with caches: by the facts of the target.

use wavemark_isa::effects::{Caches, Scope};
use wavemark_memmodel::caches::{Hierarchy, Level, Op};
use wavemark_memmodel::scope::Place;
use wavemark_target::facts::L2Coherence;
use wavemark_target::{Features, Machine, Property};

use super::cached::{Item, index};

/// The caches of a processor as it is configured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Configuration {
    pub hierarchy: Hierarchy,
    pub l2: L2Coherence,
    /// An agent has several L2 caches.
    several_l2: bool,
    /// Stores say a scope, and so do loads.
    says_scope: bool,
}

impl Configuration {
    /// All in which a processor may be, in its mode.
    pub fn all(machine: Machine) -> Vec<Configuration> {
        let facts = machine.facts();
        let split = machine.features.contains(Features::TGSPLIT)
            || machine.has(Property::CUMODE) && !machine.features.contains(Features::CUMODE);
        let hierarchy = Hierarchy {
            shared_first: !split,
            ports: !facts.cu_keeps_order,
            write_back_in_order: facts.write_back_in_order,
            second: facts.shader_array_cache,
            incoherent_device: facts.l2_coherence != L2Coherence::Memory,
        };
        let with = |several_l2| Configuration {
            hierarchy,
            l2: facts.l2_coherence,
            several_l2,
            says_scope: facts.stores_say_scope(),
        };
        if facts.several_l2 { vec![with(false), with(true)] } else { vec![with(false)] }
    }

    /// How far out an access of this scope goes. Waves that share a first-level cache need not miss it at workgroup scope,
    /// where instructions say scopes; where they say which caches to miss, they miss it.
    pub fn level(self, scope: Scope) -> Level {
        match scope {
            Scope::Cu => 0,
            Scope::Se if self.says_scope && self.hierarchy.shared_first && !self.hierarchy.ports => 0,
            Scope::Se => 1,
            // What all of several caches share is memory.
            Scope::Device if self.several_l2 => 3,
            Scope::Device => 2,
            Scope::System => 3,
        }
    }

    /// What a write-back or invalidate is to the machine; the write-back first.
    pub fn cache_operation(self, item: Item) -> Vec<Op> {
        let Item::Cache { caches, scope, write_back, invalidate } = item else { return Vec::new() };
        let mut ops = Vec::new();
        // The caches before the device's write through, and the device's is one.
        let by_instruction = self.l2 == L2Coherence::MemoryAndInstructions && !invalidate;
        if write_back && self.hierarchy.incoherent_device && (self.level(scope) == 3 || by_instruction) {
            ops.push(Op::WriteBack);
        }
        if invalidate {
            ops.extend(match caches {
                Caches::Near => Some(Op::Invalidate(1)),
                Caches::Shared => Some(Op::InvalidateSecond),
                Caches::Device => Some(Op::InvalidateDevice),
                Caches::Scalar => None,
                // Caches whose scope is smaller than the instruction's (guide, "Memory Model GFX12", and GFX942: sc0).
                Caches::All if scope == Scope::Cu => Some(Op::Invalidate(0)),
                Caches::All => Some(Op::Invalidate(self.level(scope).max(1))),
            });
        }
        ops
    }

    /// The caches of the device that waves at these places use, by number. Where there are several, workgroups may have one
    /// each, those of a cluster one together (`cluster` scope is SCOPE_SE).
    pub fn devices(self, machine: Machine, places: &[Place]) -> Vec<u8> {
        let clusters = machine.has(Property::CLUSTERS);
        let mut known = Vec::new();
        let own = |place: &Place| match (self.several_l2, clusters) {
            (false, _) => [place.0[0], 0, 0],
            (true, true) => [place.0[0], place.0[1], 0],
            (true, false) => [place.0[0], place.0[1], place.0[2]],
        };
        places.iter().map(|place| index(&mut known, own(place))).collect()
    }
}
