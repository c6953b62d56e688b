//! Copies that no path to the end waits for.
//!
//! That a copy may be in flight at an end is no defect by itself: which path is taken where a program waits under a
//! condition is not known. It is one if, from the copy's issue on, no path completes it, nor shows the wave a barrier in LDS at
//! which something has arrived behind the copy.

use std::collections::{BTreeMap, BTreeSet};

use wavemark_memmodel::counters::{ClassId, InFlight};
use wavemark_memmodel::flow::{Graph, State, forward};

use super::blocks::Code;
use super::calls::ChainId;
use super::{Analysis, arrives_in_lds};
use crate::site_info::SiteId;

/// What becomes of the youngest instance of an operation.
#[derive(Clone, Default)]
struct Fate {
    /// It alone.
    in_flight: InFlight,
    /// It is done on some path.
    done: bool,
    /// An arrival at a barrier in LDS tells of its end.
    told: bool,
}

impl State for Fate {
    fn join(&mut self, other: &Fate) -> bool {
        let (done, told) = (self.done | other.done, self.told | other.told);
        let changed = (done, told) != (self.done, self.told);
        (self.done, self.told) = (done, told);
        self.in_flight.join(&other.in_flight) | changed
    }
}

impl Fate {
    fn positions(&self) -> u32 {
        self.in_flight.pending().iter().map(|one| one.positions.count_ones()).sum()
    }

    fn step(&mut self, analysis: &Analysis<'_>, operation: SiteId, site: SiteId) {
        if site == operation {
            // From here on it is another instance, whose fate begins here.
            *self = Fate::default();
            return;
        }
        let before = self.positions();
        analysis.step(&mut self.in_flight, site);
        self.in_flight.retain(|other| other == operation);
        self.told |= before > 0 && arrives_in_lds(analysis.sites.get(site));
        self.done |= self.positions() < before || self.told && analysis.learns.contains(&site);
    }
}

/// The ends that `operation` may reach in flight, and cannot reach done, from where it is issued under some chain of calls:
/// what paths know of conditions makes no other place of it.
pub(super) fn outlived(analysis: &Analysis<'_>, code: &Code, operation: SiteId) -> Vec<SiteId> {
    let mut places: BTreeMap<ChainId, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, block) in code.blocks.iter().enumerate() {
        let issues = block.sites.iter().zip(&block.chains).enumerate();
        for (at, (_, &chain)) in issues.filter(|(_, (site, _))| **site == operation) {
            places.entry(chain).or_default().push((number, at));
        }
    }
    let outlived = |places: &Vec<_>| outlived_from(analysis, code, operation, places);
    places.values().flat_map(outlived).collect::<BTreeSet<SiteId>>().into_iter().collect()
}

/// Those from some places: a block, and where in it.
fn outlived_from(
    analysis: &Analysis<'_>,
    code: &Code,
    operation: SiteId,
    places: &[(usize, usize)],
) -> BTreeSet<SiteId> {
    // The blocks, what is left of them behind each place, and where all begin.
    let first = code.blocks.len();
    let start = first + places.len();
    let mut successors: Vec<Vec<usize>> = code.blocks.iter().map(|block| block.successors.clone()).collect();
    successors.extend(places.iter().map(|&(block, _)| code.blocks[block].successors.clone()));
    successors.push((first..start).collect());
    let told = arrives_in_lds(analysis.sites.get(operation));
    let mut issued = Fate { told, ..Fate::default() };
    let channels = &analysis.sites.get(operation).effects.channels;
    let own: Vec<ClassId> = channels.iter().map(|&channel| channel as ClassId).collect();
    issued.in_flight.issue(&analysis.queues, operation, &own);
    let sites = |node: usize| match code.blocks.get(node) {
        Some(block) => &block.sites[..],
        None => places.get(node - first).map_or(&[][..], |&(block, at)| &code.blocks[block].sites[at + 1..]),
    };
    let through = |node: usize, before: &Fate| {
        let mut fate = before.clone();
        sites(node).iter().for_each(|&site| fate.step(analysis, operation, site));
        fate
    };
    let before = forward(&Graph::new(successors), start, issued, through);
    let (mut outlived, mut done) = (BTreeSet::new(), BTreeSet::new());
    for (node, before) in before.iter().enumerate() {
        let (Some(&last), Some(before)) = (sites(node).last(), before) else { continue };
        if analysis.ends(last) {
            let fate = through(node, before);
            outlived.extend(fate.in_flight.has(operation).then_some(last));
            done.extend(fate.done.then_some(last));
        }
    }
    &outlived - &done
}
