//! Where an access belongs that races only as it stands in the wrong place.
//!
//! Between a wave's arrival at a split barrier and its wait for it no other barrier can stand. What touches there what
//! others have done before they arrived belongs behind the wait; what others touch behind the wait belongs before the
//! arrival. And a copy that stands before the read of what it overwrites is not to be waited for by that: it belongs
//! behind the read and a barrier.

use wavemark_memmodel::counters::InFlight;
use wavemark_sim::foresight::Step;

use super::super::barriers::Effect;
use super::{Analysis, Meeting, Pair, STEPS};
use crate::finding::{Finding, REFILL};
use crate::site_info::SiteId;

/// Where one of two accesses belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Belongs {
    /// The second, behind this wait for the barrier.
    Behind(SiteId),
    /// The first and the wait for it, before this arrival.
    Before(SiteId),
    /// The first, a copy, behind the second and a barrier: this wait for it, if there is one.
    BehindRead(Option<SiteId>),
}

impl Belongs {
    /// `None`: a barrier is missing. The first may be a copy that `refills` what the second is to read.
    pub fn of(
        analysis: &Analysis<'_>,
        pair: Pair,
        meeting: &Meeting<'_>,
        refills: impl Fn(&Meeting<'_>) -> bool,
    ) -> Option<Belongs> {
        let (from, to) = (meeting.from.1, meeting.to.1);
        let site = |step: &Step| analysis.sites.find(step.pc, step.msb);
        let turn = |step: &Step| {
            let site = site(step)?;
            Some((site, Effect::of(analysis.sites.get(site))?))
        };
        if !pair.handed_on && refills(meeting) {
            let read = meeting.to.0.get(to.step)?.pc;
            let mut behind = meeting.to.0.iter().skip(to.step + 1).take(STEPS).filter_map(turn);
            let wait = behind.find(|(_, effect)| effect.waits).map(|(wait, _)| wait);
            // That of the next round is where the copy stands already.
            let further_on = |&wait: &SiteId| {
                let pc = analysis.sites.get(wait).site.pc;
                pc > read && meeting.from.0.iter().skip(from.step).take(STEPS).any(|step| step.pc == pc)
            };
            return Some(Belongs::BehindRead(wait.filter(further_on)));
        }
        if to.arrivals > to.waits && from.arrivals <= to.waits {
            let next = meeting.to.0.iter().skip(to.step + 1).take(STEPS).find_map(turn);
            return next.filter(|(_, effect)| !effect.arrives).map(|(wait, _)| Belongs::Behind(wait));
        }
        if from.arrivals > from.waits && from.arrivals <= to.waits {
            let last = meeting.from.0.get(..from.step)?.iter().rev().take(STEPS).find_map(turn);
            let waits_here = pair.handed_on || {
                let behind = waited_at(analysis, meeting.from.0, from.step);
                let turns =
                    || meeting.from.0.iter().skip(from.step + 1).take_while(|step| turn(step).is_none());
                behind.is_none_or(|(step, _)| step <= from.step + turns().count())
            };
            return last.filter(|_| waits_here).map(|(arrival, _)| Belongs::Before(arrival));
        }
        None
    }

    /// The finding with what mends it.
    pub fn hint(self, analysis: &Analysis<'_>, pair: Pair, finding: Finding) -> Finding {
        let info = |site: SiteId| analysis.sites.get(site);
        let (text, place) = match self {
            Belongs::Behind(wait) => (format!("{} belongs behind", info(pair.second).mnemonic), wait),
            Belongs::Before(arrival) if pair.handed_on => {
                (format!("the wait for {} belongs before", info(pair.first).mnemonic), arrival)
            }
            Belongs::Before(arrival) => {
                (format!("{} and the wait for it belong before", info(pair.first).mnemonic), arrival)
            }
            Belongs::BehindRead(Some(wait)) => {
                ("the copy belongs behind the read and a barrier, behind".to_owned(), wait)
            }
            Belongs::BehindRead(None) => (REFILL.to_owned(), pair.second),
        };
        finding.hint(text, Some(info(place).site.clone()))
    }
}

/// Where a wave waits for what it does at a step.
pub(super) fn waited_at(analysis: &Analysis<'_>, steps: &[Step], from: usize) -> Option<(usize, SiteId)> {
    const IT: u32 = 0;
    const OTHERS: u32 = 1;
    let find = |step: &Step| analysis.sites.find(step.pc, step.msb);
    let mut in_flight = InFlight::default();
    analysis.issue(&mut in_flight, IT, analysis.sites.get(find(steps.get(from)?)?));
    let behind = steps.iter().enumerate().skip(from + 1).take(STEPS);
    for (step, site) in behind.map_while(|(number, step)| Some((number, find(step)?))) {
        let info = analysis.sites.get(site);
        analysis.wait(&mut in_flight, info);
        if !in_flight.has(IT) {
            return Some((step, site));
        }
        analysis.issue(&mut in_flight, OTHERS, info);
        // As many younger ones as a counter can count say as much as a wait.
        if !in_flight.has(IT) {
            return None;
        }
    }
    None
}
