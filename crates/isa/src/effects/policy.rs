//! What a memory instruction's cache policy bits mean: scope, and the flag that scales its offset.

use wavemark_target::facts::CachePolicy;

use super::memory::{Caches, Memory, Path, Verb};
use crate::Machine;

/// Coherence scope of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Scope {
    /// The wave's own CU (gfx12 `SCOPE_CU`; gfx940 `sc0=0 sc1=0`).
    #[default]
    Cu,
    /// Shader engine / workgroup (gfx12 `SCOPE_SE`, gfx940 `sc0`).
    Se,
    /// The device (gfx12 `SCOPE_DEV`, gfx940 `sc1`).
    Device,
    /// The system (gfx12 `SCOPE_SYS`, gfx940 `sc0 sc1`).
    System,
}

/// A cache policy, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Policy {
    /// Up to where the access is coherent.
    pub scope: Scope,
    /// The register offset counts accesses, not bytes.
    pub scale_offset: bool,
}

impl Policy {
    /// From the bits of [`crate::Mods::cpol`].
    pub(super) fn decode(machine: Machine, cpol: u8, memory: &Memory) -> Policy {
        if memory.path == Path::Lds {
            return Policy::default();
        }
        let scopes = [Scope::Cu, Scope::Se, Scope::Device, Scope::System];
        let facts = machine.facts();
        let writes = memory.is_atomic() || memory.verb == Verb::Store && !facts.stores_say_scope();
        let least = if facts.stores_reach_device && writes { Scope::Device } else { Scope::Cu };
        match facts.cache_policy {
            // Cache controls of these processors have no scope: the device's L2 is the next that all share.
            CachePolicy::GlcSlc | CachePolicy::GlcSlcScc | CachePolicy::GlcSlcDlc
                if matches!(memory.verb, Verb::Cache { .. }) =>
            {
                let scope = if memory.caches == Caches::Near { Scope::Se } else { Scope::Device };
                Policy { scope, scale_offset: false }
            }
            CachePolicy::ThScope | CachePolicy::ThScopeNv => {
                let scope = scopes[usize::from(cpol >> 3 & 3)].max(least);
                Policy { scope, scale_offset: cpol >> 6 & 1 != 0 }
            }
            CachePolicy::Sc0Sc1Nt => {
                let (sc0, sc1) = (cpol & 1, cpol >> 4 & 1);
                let scope = match (memory.is_atomic(), sc1) {
                    // sc0 of an atomic says that the old value is returned; it is carried out in the L2 cache.
                    (true, 0) => Scope::Device,
                    (true, _) => Scope::System,
                    (false, _) => scopes[usize::from(sc0 | sc1 << 1)],
                };
                Policy { scope, scale_offset: false }
            }
            // glc misses the CU's own cache; scc of gfx90a the device's.
            CachePolicy::GlcSlc | CachePolicy::GlcSlcScc | CachePolicy::GlcSlcDlc => {
                let (glc, dlc, scc) = (cpol & 1 != 0, cpol & 4 != 0, cpol & 16 != 0);
                let scope = match (glc, scc) {
                    (_, true) => Scope::System,
                    (true, _) if facts.dlc_misses_l1 && !dlc => Scope::Se,
                    (true, _) => Scope::Device,
                    _ => Scope::Cu,
                };
                Policy { scope: scope.max(least), scale_offset: false }
            }
        }
    }
}
