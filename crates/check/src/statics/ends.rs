//! Copies that no path to the end waits for.
//!
//! That a copy may be in flight at an end is no defect by itself: which path is taken where a program waits under a
//! condition is not known. It is one if, from the copy's issue on, no path completes it.

use wavemark_memmodel::counters::{ClassId, InFlight};
use wavemark_memmodel::flow::{Graph, State, forward};

use super::Analysis;
use super::blocks::Code;
use crate::site_info::SiteId;

/// What becomes of the youngest instance of an operation.
#[derive(Clone, Default)]
struct Fate {
    /// It alone.
    in_flight: InFlight,
    /// It is done on some path.
    done: bool,
}

impl State for Fate {
    fn join(&mut self, other: &Fate) -> bool {
        let done = self.done | other.done;
        let changed = done != self.done;
        self.done = done;
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
        self.done |= self.positions() < before;
    }
}

/// The ends that `operation` may reach in flight, and cannot reach done, from some place where it is issued.
pub(super) fn outlived(analysis: &Analysis<'_>, code: &Code, operation: SiteId) -> Vec<SiteId> {
    let places = code.blocks.iter().enumerate().flat_map(|(block, one)| {
        let issues = one.sites.iter().enumerate().filter(|(_, site)| **site == operation);
        issues.map(move |(at, _)| (block, at))
    });
    let mut ends: Vec<SiteId> =
        places.flat_map(|place| outlived_from(analysis, code, operation, place)).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// Those from one place: a block, and where in it.
fn outlived_from(
    analysis: &Analysis<'_>,
    code: &Code,
    operation: SiteId,
    (block, at): (usize, usize),
) -> Vec<SiteId> {
    let tail = &code.blocks[block].sites[at + 1..];
    let start = code.blocks.len();
    let mut successors: Vec<Vec<usize>> = code.blocks.iter().map(|block| block.successors.clone()).collect();
    successors.push(successors[block].clone());
    let mut issued = Fate::default();
    let channels = &analysis.sites.get(operation).effects.channels;
    let own: Vec<ClassId> = channels.iter().map(|&channel| channel as ClassId).collect();
    issued.in_flight.issue(&analysis.queues, operation, &own);
    let sites = |node: usize| if node == start { tail } else { &code.blocks[node].sites[..] };
    let through = |node: usize, before: &Fate| {
        let mut fate = before.clone();
        sites(node).iter().for_each(|&site| fate.step(analysis, operation, site));
        fate
    };
    let before = forward(&Graph::new(successors), start, issued, through);
    let ends = before.iter().enumerate().filter_map(|(node, before)| {
        let &last = sites(node).last()?;
        let fate = through(node, before.as_ref()?);
        let outlived = analysis.ends(last) && fate.in_flight.has(operation) && !fate.done;
        outlived.then_some(last)
    });
    ends.collect()
}
