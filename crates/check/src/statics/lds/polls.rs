//! Loads by which a wave may wait for another one: in a loop without a barrier, of LDS or past the nearest cache, with a value
//! that goes into a scalar register or a mask, as the condition of a branch does.

use rustc_hash::FxHashSet;
use wavemark_isa::effects::{Memory, Path, Scope, Verb};
use wavemark_memmodel::flow::Graph;

use super::super::Analysis;
use super::super::barriers::Effect;
use super::super::blocks::Code;
use super::touch;
use crate::register_set::RegisterSet;
use crate::site_info::{SiteId, SiteInfo, VGPR0};

/// Such loads.
pub(in super::super) fn polls(analysis: &Analysis<'_>, code: &Code, graph: &Graph) -> FxHashSet<SiteId> {
    let waits = |site: &SiteId| Effect::of(analysis.sites.get(*site)).is_some_and(|effect| effect.waits);
    let open: Vec<bool> = code.blocks.iter().map(|block| !block.sites.iter().any(waits)).collect();
    let loops = graph.on_cycles(|block| open[block]);
    let in_loops = || {
        let blocks = code.blocks.iter().zip(&loops).filter(|(_, in_loop)| **in_loop);
        blocks.flat_map(|(block, _)| &block.sites).map(|&site| (site, analysis.sites.get(site)))
    };
    let mut decide = RegisterSet::new();
    for (_, info) in in_loops().filter(|(_, info)| decides(info)) {
        decide.insert(&info.read_only);
    }
    // What is computed of it on the way.
    let mut known = RegisterSet::new();
    while known.unite(&decide) {
        for (_, info) in in_loops().filter(|(_, info)| known.meets(&info.written)) {
            decide.insert(&info.read_only);
        }
    }
    let polls = |info: &SiteInfo| sees_others(info) && decide.meets(&info.written);
    in_loops().filter(|(_, info)| polls(info)).map(|(site, _)| site).collect()
}

/// Whether it loads what another wave of the workgroup may have written since.
fn sees_others(info: &SiteInfo) -> bool {
    let past_caches = |memory: Memory| {
        memory.verb == Verb::Load && memory.path != Path::Scratch && info.effects.policy.scope > Scope::Cu
    };
    touch(info) == Some(false) || info.effects.memory.is_some_and(past_caches)
}

/// Whether a vector instruction writes a scalar register.
fn decides(info: &SiteInfo) -> bool {
    info.effects.unit.is_vector() && info.writes().any(|range| range.from < VGPR0)
}
