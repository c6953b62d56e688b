//! One wait for what is missing at several places.
//!
//! What an instruction brings, or reads, may be needed at places that are on different paths: in the next round of a loop, where
//! others overwrite it, and behind the loop, where its wave uses it. A wait before one of them does nothing for the other. One
//! behind the instructions that are to be waited for, on the straight line that all paths have in common, serves all; it
//! is what is said if it may leave as many operations in flight as the places ask for, so that nothing is lost by it.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use wavemark_isa::effects::{Counter, Flow, channels_of};

use wavemark_sim::events::Site;

use crate::finding::{Class, Finding, Severity};
use crate::mistakes::{MistakeId, Mistakes};
use crate::site_info::{SiteId, SiteInfo, Sites};

/// What lacks a wait for the same instructions.
struct Group {
    counter: Counter,
    mistakes: SmallVec<[MistakeId; 2]>,
    /// The address and upper VGPR bits of what is to be waited for.
    awaited: FxHashSet<(u64, u8)>,
    places: FxHashSet<SiteId>,
}

/// Make findings one mistake that one wait would mend.
pub(crate) fn join(list: &[Finding], mistakes: &mut Mistakes, sites: &Sites) {
    let mut groups: Vec<Group> = Vec::new();
    for finding in list {
        let (Some((counter, Some(before))), Some(mistake), Some(first)) =
            (finding.missing, finding.mistake, finding.sites.first())
        else {
            continue;
        };
        if finding.severity != Severity::Error || finding.class != Class::MissingWait {
            continue;
        }
        let (root, first) = (mistakes.root(mistake), (first.site.pc, first.site.msb));
        let mut group = Group {
            counter,
            mistakes: SmallVec::from_slice(&[root]),
            awaited: FxHashSet::from_iter([first]),
            places: FxHashSet::from_iter([before]),
        };
        let belongs = |other: &Group| {
            other.counter == counter && (other.mistakes.contains(&root) || other.awaited.contains(&first))
        };
        for other in groups.extract_if(.., |other| belongs(other)) {
            group.mistakes.extend(other.mistakes.into_iter().filter(|other| *other != root));
            group.awaited.extend(other.awaited);
            group.places.extend(other.places);
        }
        groups.push(group);
    }
    for group in groups.iter().filter(|group| group.has_places_apart(sites)) {
        let serves = |&(_, younger): &(SiteId, u32)| {
            group.mistakes.iter().all(|&mistake| mistakes.wait(mistake).0 == younger)
        };
        if let Some((place, _)) = group.common_place(sites).filter(serves) {
            let [first, others @ ..] = group.mistakes.as_slice() else { continue };
            others.iter().for_each(|&other| mistakes.join(*first, other));
            mistakes.mend_before(*first, place);
        }
    }
}

impl Group {
    /// Whether no one of the places comes before all others on a straight line.
    fn has_places_apart(&self, sites: &Sites) -> bool {
        let is_awaited = |info: &SiteInfo| self.awaited.contains(&(info.site.pc, info.site.msb));
        self.places.len() > 1
            && self.places.iter().all(|&place| {
                let Site { pc, msb, .. } = sites.get(place).site;
                let behind = line(sites, (pc, msb)).take_while(|&id| !is_awaited(sites.get(id)));
                behind.filter(|id| self.places.contains(id)).count() < self.places.len()
            })
    }

    /// The first instruction behind all that is to be waited for that is one of the places or where paths part, and how many younger
    /// operations a wait before it may leave in flight.
    fn common_place(&self, sites: &Sites) -> Option<(SiteId, u32)> {
        let (mut left, mut younger) = (self.awaited.len(), 0);
        for id in line(sites, *self.awaited.iter().min()?) {
            let info = sites.get(id);
            if left == 0 && (self.places.contains(&id) || parts(info)) {
                return Some((id, younger));
            }
            // Some of it is needed before the rest is there to be waited for.
            if self.places.contains(&id) {
                return None;
            }
            let of_counter = |channel| channels_of(self.counter).contains(channel);
            if self.awaited.contains(&(info.site.pc, info.site.msb)) {
                (left, younger) = (left - 1, 0);
            } else if info.effects.channels.iter().any(of_counter) {
                younger += 1;
            }
        }
        None
    }
}

/// The instructions from the one at an address, with these upper VGPR bits, to where paths part, as far as they were executed.
fn line(sites: &Sites, (pc, msb): (u64, u8)) -> impl Iterator<Item = SiteId> {
    std::iter::successors(sites.find(pc, msb), move |&id| {
        let info = sites.get(id);
        let behind = info.site.pc + u64::from(info.site.inst.size);
        sites.find(behind, msb).filter(|_| !parts(info))
    })
}

/// Whether more than one path, or another than the next instruction, may come behind it.
fn parts(info: &SiteInfo) -> bool {
    !matches!(info.effects.flow, Flow::Next | Flow::Barrier | Flow::Wait | Flow::Halt)
}
