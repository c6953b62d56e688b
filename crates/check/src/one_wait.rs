//! One wait for what is missing at several places.
//!
//! What an instruction brings, or reads, may be needed at places that are on different paths: in the next round of a loop, where
//! others overwrite it, and behind the loop, where its wave uses it. A wait before one of them does nothing for the other. One
//! behind the instructions that are to be waited for, on the straight line that all paths have in common, serves all; it
//! is what is said if it may leave as many operations in flight as the places ask for, so that nothing is lost by it.
//!
//! On a straight line a wait in the first place sees to all that was issued before it, up to the wave's next wait for the counter,
//! which is another matter.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use wavemark_isa::effects::{Barrier, Counter, Flow, channels_of};
use wavemark_sim::events::Site;

use crate::finding::{BARRIER_BEFORE, BARRIER_BEHIND, Class, Finding, Severity};
use crate::mistakes::{MistakeId, Mistakes};
use crate::site_info::{SiteId, SiteInfo, Sites};

/// A wait that is missing in one place.
pub(crate) struct Lacking<Of> {
    /// Which mistake that is a part of.
    pub of: Of,
    pub counter: Counter,
    /// What is to be waited for.
    pub awaited: SmallVec<[SiteId; 1]>,
    /// What the wait is missing before.
    pub place: SiteId,
    /// How many operations it may leave in flight.
    pub allowed: u32,
}

/// One wait that mends some mistakes.
pub(crate) struct OneWait<Of> {
    pub mends: SmallVec<[Of; 2]>,
    /// What it stands before.
    pub place: SiteId,
    /// How many operations it may leave in flight.
    pub allowed: u32,
}

/// What lacks a wait for the same instructions.
struct Group<Of> {
    counter: Counter,
    of: SmallVec<[Of; 2]>,
    awaited: FxHashSet<SiteId>,
    places: FxHashSet<SiteId>,
    /// The least that may be left in flight.
    allowed: u32,
}

/// The waits that mend more than one of these places, none of which leaves less in flight than is asked for anyway.
pub(crate) fn one_waits<Of: Copy + PartialEq>(
    lacking: impl Iterator<Item = Lacking<Of>>,
    lines: &StraightLines<'_>,
) -> Vec<OneWait<Of>> {
    let mut groups: Vec<Group<Of>> = Vec::new();
    for Lacking { of, counter, awaited, place, allowed } in lacking {
        let mut group = Group {
            counter,
            of: SmallVec::from_slice(&[of]),
            awaited: awaited.into_iter().collect(),
            places: FxHashSet::from_iter([place]),
            allowed,
        };
        let belongs = |other: &Group<Of>| {
            let same = other.of.contains(&of) || !other.awaited.is_disjoint(&group.awaited);
            other.counter == counter && same
        };
        let (same, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(belongs);
        groups = others;
        for other in same {
            group.of.extend(other.of.into_iter().filter(|other| *other != of));
            group.awaited.extend(other.awaited);
            group.places.extend(other.places);
            group.allowed = group.allowed.min(other.allowed);
        }
        groups.push(group);
    }
    let several = groups.into_iter().filter(|group| group.places.len() > 1);
    let one_wait = |group: Group<Of>| {
        let first = group.first_place(lines);
        // What one instruction does is over at all places if it is at the first.
        if let Some(place) = first.filter(|_| group.awaited.len() == 1 && group.of.len() > 1) {
            return Some(OneWait { mends: group.of, place, allowed: group.allowed });
        }
        let (place, allowed) = group.common_place(lines.sites)?;
        let serves = group.places.contains(&place) || first.is_none();
        (serves && allowed >= group.allowed).then_some(OneWait { mends: group.of, place, allowed })
    };
    several.filter_map(one_wait).collect()
}

/// Where a wait in one place sees to what is missing in another as well: how many operations it may leave in flight for
/// that.
pub(crate) struct StraightLines<'s> {
    sites: &'s Sites,
    targets: FxHashSet<u64>,
}

impl<'s> StraightLines<'s> {
    pub fn of(sites: &'s Sites) -> StraightLines<'s> {
        StraightLines { sites, targets: targets(sites) }
    }

    /// The instructions of the program.
    pub fn sites(&self) -> &'s Sites {
        self.sites
    }

    /// Where all that come by an instruction arrive at a barrier first.
    pub fn first_barrier(&self, first: SiteId) -> Option<SiteId> {
        let arrives = |id: &SiteId| self.sites.get(*id).effects.barrier.is_some_and(Barrier::arrives);
        self.behind(first).find(arrives)
    }

    /// The instructions behind one that all come to that come by it, and nobody else.
    fn behind(&self, first: SiteId) -> impl Iterator<Item = SiteId> {
        let is_target = |id: &SiteId| self.targets.contains(&self.sites.get(*id).site.pc);
        line(self.sites, first).skip(1).take_while(move |id| !is_target(id))
    }

    /// Whether all that come to an instruction have come by another one before: no branch leads into the line from the one to
    /// the other, and none leaves it.
    pub fn lead(&self, first: SiteId, second: SiteId) -> bool {
        self.behind(first).any(|id| id == second)
    }

    /// What is to be said of a barrier that belongs behind a wait, and of which instruction.
    pub fn barrier_behind(&self, wait: SiteId) -> (&'static str, SiteId) {
        match self.behind_all_arms(wait) {
            Some(together) => (BARRIER_BEFORE, together),
            None => (BARRIER_BEHIND, self.last_wait(wait)),
        }
    }

    /// The last of the waits that stand one behind the other from this one on, but for those for address translations: what belongs
    /// behind one of them belongs behind all.
    fn last_wait(&self, wait: SiteId) -> SiteId {
        let is_wait =
            |id: &SiteId| self.sites.get(*id).effects.waits.iter().any(|&(counter, _)| counter != Counter::X);
        self.behind(wait).take_while(is_wait).last().unwrap_or(wait)
    }

    /// Where paths come together on which a wait each stands for the same counter, one of them this: what belongs behind it belongs
    /// behind all, which is before that.
    fn behind_all_arms(&self, wait: SiteId) -> Option<SiteId> {
        let counters = |id: SiteId| self.sites.get(id).effects.waits.iter().map(|&(counter, _)| counter);
        let together = self.leads_into(wait)?;
        let same = |id: SiteId| counters(id).any(|counter| counters(wait).any(|own| own == counter));
        let mut others = self.sites.all().map(|(id, _)| id).filter(|&id| id != wait && same(id));
        others
            .any(|id| !self.lead(wait, id) && !self.lead(id, wait) && self.leads_into(id) == Some(together))
            .then_some(together)
    }

    /// The instruction, to which others come as well, that all come to that come by this one.
    fn leads_into(&self, id: SiteId) -> Option<SiteId> {
        let last = self.behind(id).last().unwrap_or(id);
        let Site { inst, pc, msb, .. } = &self.sites.get(last).site;
        let next = match self.sites.get(last).effects.flow {
            Flow::Branch => inst.branch_target(self.sites.machine(), *pc)?,
            _ if parts(self.sites.get(last)) => return None,
            _ => pc + u64::from(inst.size),
        };
        self.sites.find(next, *msb).filter(|_| self.targets.contains(&next))
    }

    /// Where `wait` is in a loop and `first`, which the counter counts, in front of it: the last wait behind that on its line, if it is
    /// over there.
    pub fn wait_before_loop(&self, first: SiteId, wait: SiteId, counter: Counter) -> Option<SiteId> {
        let [before, behind] = [first, wait].map(|id| self.sites.get(id).site.pc);
        let is_around = |(_, info): (SiteId, &SiteInfo)| {
            let target = info.site.inst.branch_target(self.sites.machine(), info.site.pc);
            target.is_some_and(|target| before < target && (target..=info.site.pc).contains(&behind))
        };
        if !self.sites.all().any(is_around) {
            return None;
        }
        let (mut younger, mut last) = (0, None);
        for id in self.behind(first) {
            let effects = &self.sites.get(id).effects;
            let is_over = |&(of, n): &(Counter, u32)| of == counter && n <= younger;
            if effects.waits.iter().any(is_over) || last.is_some() && !effects.waits.is_empty() {
                last = Some(id);
            }
            younger += u32::from(effects.channels.iter().any(|of| channels_of(counter).contains(of)));
        }
        last
    }

    pub fn allowed<Of>(&self, first: SiteId, other: &Lacking<Of>) -> Option<u32> {
        let channels = channels_of(other.counter);
        let mut issued = 0;
        for id in line(self.sites, first) {
            let info = self.sites.get(id);
            if id != first && self.targets.contains(&info.site.pc) {
                return None;
            }
            if id == other.place {
                return Some(other.allowed.saturating_sub(issued));
            }
            let waits = info.effects.waits.iter().any(|&(counter, _)| counter == other.counter);
            if waits || info.effects.waits_idle || other.awaited.contains(&id) {
                return None;
            }
            issued += u32::from(info.effects.channels.iter().any(|channel| channels.contains(channel)));
        }
        None
    }
}

/// Make findings one mistake that one wait would mend.
pub(crate) fn join(list: &[Finding], mistakes: &mut Mistakes, lines: &StraightLines<'_>) {
    let sites = lines.sites;
    let errors = list
        .iter()
        .filter(|finding| finding.severity == Severity::Error && finding.class == Class::MissingWait);
    let lacking = errors.filter_map(|finding| {
        let (Some((counter, Some(place))), Some(first)) = (finding.missing, finding.first_id(sites)) else {
            return None;
        };
        let of = mistakes.root(finding.mistake?);
        let awaited = SmallVec::from_slice(&[first]);
        Some(Lacking { of, counter, awaited, place, allowed: mistakes.wait(of).0 })
    });
    // Where other waves need the same, it may be missing elsewhere, too.
    let lacking = lacking.flat_map(|one| {
        let elsewhere = mistakes.seen_before(one.of).filter(move |&place| place != one.place);
        let places: SmallVec<[SiteId; 2]> = std::iter::once(one.place).chain(elsewhere).collect();
        places.into_iter().map(move |place| Lacking { place, awaited: one.awaited.clone(), ..one })
    });
    for OneWait { mends, place, .. } in one_waits(lacking, lines) {
        let [first, others @ ..] = mends.as_slice() else { continue };
        // Another barrier may be one that not all waves arrive at.
        let is_barrier = sites.get(place).effects.barrier.is_some();
        if others.is_empty() && !is_barrier && mistakes.is_mended_at_barrier(*first) {
            continue;
        }
        others.iter().for_each(|&other| mistakes.join(*first, other));
        mistakes.mend_before(*first, place);
    }
    join_behind_weak_waits(list, mistakes, lines);
}

/// Make findings of registers one mistake for which the same wait leaves too much in flight, on a straight line behind it: what it
/// leaves on one path is needed earlier than what it leaves on another.
fn join_behind_weak_waits(list: &[Finding], mistakes: &mut Mistakes, lines: &StraightLines<'_>) {
    let mut behind: BTreeMap<(SiteId, Counter), Vec<(SiteId, MistakeId)>> = BTreeMap::new();
    let of_registers = |finding: &&Finding| matches!(finding.rule, "R1" | "R2");
    for finding in list.iter().filter(of_registers) {
        if let (Some((counter, Some(place))), Some(mistake), Some(wait)) =
            (finding.missing, finding.mistake, &finding.wait)
            && let Some(wait) = lines.sites.find(wait.site.pc, wait.site.msb)
        {
            behind.entry((wait, counter)).or_default().push((place, mistake));
        }
    }
    for ((wait, _), lacking) in behind {
        let line: Vec<SiteId> = lines.behind(wait).collect();
        let at = |place: SiteId| line.iter().position(|&id| id == place);
        let on_line = lacking.iter().filter(|(place, _)| at(*place).is_some());
        // Other waves may need it before a barrier that stands in front of that.
        let seen = on_line.flat_map(|&(place, mistake)| {
            let elsewhere: SmallVec<[SiteId; 2]> = mistakes.seen_before(mistake).collect();
            std::iter::once(place).chain(elsewhere).map(move |place| (place, mistake))
        });
        let mut on_line: Vec<_> =
            seen.filter_map(|(place, mistake)| Some((at(place)?, place, mistake))).collect();
        on_line.sort_unstable_by_key(|&(at, ..)| at);
        if let [(_, place, first), others @ ..] = on_line.as_slice()
            && !others.is_empty()
        {
            others.iter().for_each(|&(.., other)| mistakes.join(*first, other));
            mistakes.mend_before(*first, *place);
        }
    }
}

impl<Of> Group<Of> {
    /// The one of the places that comes before all others on a straight line that nothing else leads into.
    fn first_place(&self, lines: &StraightLines<'_>) -> Option<SiteId> {
        let leads = |&place: &SiteId| {
            let line = std::iter::once(place).chain(lines.behind(place));
            let before_awaited = line.take_while(|id| !self.awaited.contains(id));
            before_awaited.filter(|id| self.places.contains(id)).count() == self.places.len()
        };
        self.places.iter().copied().find(leads)
    }

    /// The first instruction behind all that is to be waited for that is one of the places or where paths part, and how many younger
    /// operations a wait before it may leave in flight.
    fn common_place(&self, sites: &Sites) -> Option<(SiteId, u32)> {
        let (mut left, mut younger) = (self.awaited.len(), 0);
        let first = self.awaited.iter().min_by_key(|&&id| sites.get(id).site.pc)?;
        for id in line(sites, *first) {
            let info = sites.get(id);
            if left == 0 && (self.places.contains(&id) || parts(info)) {
                return Some((id, younger));
            }
            // Some of it is needed before the rest is there to be waited for.
            if self.places.contains(&id) {
                return None;
            }
            let of_counter = |channel| channels_of(self.counter).contains(channel);
            if self.awaited.contains(&id) {
                (left, younger) = (left - 1, 0);
            } else if info.effects.channels.iter().any(of_counter) {
                younger += 1;
            }
        }
        None
    }
}

/// Where branches lead that were executed.
fn targets(sites: &Sites) -> FxHashSet<u64> {
    let branches = sites.all().filter(|(_, info)| info.effects.flow.has_target());
    branches.filter_map(|(_, info)| info.site.inst.branch_target(sites.machine(), info.site.pc)).collect()
}

/// The instructions from one on to where paths part, as far as they were executed.
fn line(sites: &Sites, first: SiteId) -> impl Iterator<Item = SiteId> {
    std::iter::successors(Some(first), |&id| {
        let info = sites.get(id);
        let behind = info.site.pc + u64::from(info.site.inst.size);
        sites.find(behind, info.site.msb).filter(|_| !parts(info))
    })
}

/// Whether more than one path, or another than the next instruction, may come behind it.
fn parts(info: &SiteInfo) -> bool {
    !matches!(info.effects.flow, Flow::Next | Flow::Barrier | Flow::Wait | Flow::Halt)
}
