//! The workgroup barrier on all paths: whether a wave has arrived, and which of its stores to LDS were in flight then.
//!
//! A barrier orders what its waves have done before they arrive; an access to LDS that is in flight then is not done. If
//! a load or a copy from LDS follows a store so, or a store a load, before the next arrival, it may come too early for
//! another wave's.

use smallvec::{SmallVec, smallvec};
use wavemark_isa::Operand;
use wavemark_isa::effects::{Path, Verb};
use wavemark_memmodel::counters::{InFlight, Pending};
use wavemark_memmodel::flow::State;

use super::arrives_in_lds;
use crate::site_info::{SiteId, SiteInfo, Sites};

/// The number that instructions have for the barrier of the workgroup (CDNA5 manual 5.7).
const WORKGROUP: i64 = -1;

/// What may hold of the workgroup barrier at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AtBarrier {
    /// The wave may have waited as often as it has arrived.
    pub outside: bool,
    /// Where it may have arrived without having waited since; ascending.
    pub arrivals: SmallVec<[SiteId; 1]>,
    /// Accesses that may have been in flight at the last arrival; ascending.
    unpublished: SmallVec<[Unpublished; 2]>,
}

/// An access to LDS that was in flight when the wave arrived at the barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unpublished {
    pub access: SiteId,
    pub arrival: SiteId,
    /// So many operations may have followed it then.
    pub followed: u32,
    /// So many a wait before the arrival may leave in flight, if the access is to be done behind it.
    pub enough: u32,
    /// The wave has waited for the barrier since.
    waited: bool,
    /// It has come to an access since that may come too early for this one, if they have bytes in common.
    pub followed_by_another: bool,
}

impl Default for AtBarrier {
    fn default() -> AtBarrier {
        AtBarrier { outside: true, arrivals: SmallVec::new(), unpublished: SmallVec::new() }
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
        let own = info.site.inst.operands.is_empty() || number(info) == Some(WORKGROUP);
        let effect = Effect { arrives: barrier.arrives(), waits: barrier.waits() };
        (own && (effect.arrives || effect.waits)).then_some(effect)
    }
}

/// The number of the barrier that an instruction is about, if it says so itself.
pub(super) fn number(info: &SiteInfo) -> Option<i64> {
    match info.site.inst.operands.first()? {
        Operand::Int(number) => Some(i64::from(*number)),
        Operand::Imm(number) => Some(i64::from(*number as u16 as i16)),
        _ => None,
    }
}

impl AtBarrier {
    /// The instruction `site` is executed with these operations in flight.
    pub fn step(&mut self, sites: &Sites, in_flight: &InFlight, site: SiteId) {
        let info = sites.get(site);
        if let Some(access) = access(info) {
            for earlier in &mut self.unpublished {
                earlier.followed_by_another |= earlier.meets(sites, access);
            }
            self.unpublished.sort_unstable();
            self.unpublished.dedup();
        }
        let Some(effect) = Effect::of(info) else { return };
        if effect.arrives {
            (self.outside, self.arrivals) = (false, smallvec![site]);
            let accesses =
                in_flight.pending().iter().filter(|one| access(sites.get(one.operation)).is_some());
            self.unpublished = accesses.map(|one| Unpublished::at(site, one)).collect();
            self.unpublished.sort_unstable();
        }
        if effect.waits {
            (self.outside, self.arrivals) = (true, SmallVec::new());
            self.unpublished.iter_mut().for_each(|earlier| earlier.waited = true);
            self.unpublished.dedup();
        }
    }

    /// The accesses in flight at the barrier that an instruction may come too early for.
    pub fn unpublished<'s>(
        &'s self,
        sites: &'s Sites,
        info: &'s SiteInfo,
    ) -> impl Iterator<Item = Unpublished> + 's {
        let later = access(info);
        let meets = move |earlier: &Unpublished| later.is_some_and(|later| earlier.meets(sites, later));
        self.unpublished.iter().copied().filter(meets)
    }

    /// Where the wave arrived with an access in flight at the barrier that it has passed last, and how many operations may have
    /// followed that then.
    pub fn arrived_with(&self, access: SiteId) -> Option<(SiteId, u32)> {
        let known = self.unpublished.iter().filter(|earlier| earlier.waited && earlier.access == access);
        known.map(|earlier| (earlier.arrival, earlier.followed)).min_by_key(|&(_, followed)| followed)
    }
}

impl Unpublished {
    /// An access in flight where the wave arrives; it has not waited for the barrier yet.
    pub fn at(arrival: SiteId, access: &Pending) -> Unpublished {
        Unpublished {
            access: access.operation,
            arrival,
            followed: access.oldest(),
            enough: access.enough(),
            waited: false,
            followed_by_another: false,
        }
    }

    /// Whether an access may come too early for it.
    fn meets(self, sites: &Sites, later: Access) -> bool {
        self.waited && access(sites.get(self.access)).is_some_and(|own| own.meets(later))
    }
}

impl Access {
    /// Whether one behind the barrier may come too early for one that is in flight there.
    pub fn meets(self, later: Access) -> bool {
        matches!(
            (self, later),
            (Access::Store, Access::Load | Access::Atomic | Access::CopyFrom)
                | (Access::Atomic, Access::Load | Access::Store | Access::Copy | Access::CopyFrom)
                | (Access::Load, Access::Store | Access::Copy)
        )
    }
}

impl State for AtBarrier {
    fn join(&mut self, other: &AtBarrier) -> bool {
        let outside = other.outside && !self.outside;
        self.outside |= other.outside;
        let arrivals = add(&mut self.arrivals, &other.arrivals);
        add(&mut self.unpublished, &other.unpublished) | arrivals | outside
    }
}

/// Adds what is not there yet, both ascending; whether anything was.
pub(super) fn add<A: smallvec::Array>(to: &mut SmallVec<A>, from: &[A::Item]) -> bool
where
    A::Item: Copy + Ord,
{
    let mut own = to.iter().peekable();
    let is_there = |one: &A::Item| {
        while own.next_if(|own| *own < one).is_some() {}
        own.peek() == Some(&one)
    };
    if from.iter().all(is_there) {
        return false;
    }
    let (own, mut from) = (std::mem::take(to), from.iter().copied().peekable());
    for one in own {
        while let Some(new) = from.next_if(|new| *new < one) {
            to.push(new);
        }
        while from.next_if_eq(&one).is_some() {}
        to.push(one);
    }
    to.extend(from);
    to.dedup();
    true
}

/// How an instruction accesses LDS.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Load,
    Store,
    Atomic,
    /// A copy to LDS, which is no access of LDS operations' queue.
    Copy,
    /// A copy from LDS, which is none either.
    CopyFrom,
}

/// How it accesses LDS, if it accesses nothing else there. Whoever reads a barrier in LDS waits for what arrives there.
pub(super) fn access(info: &SiteInfo) -> Option<Access> {
    let memory = info.effects.memory.filter(|_| !arrives_in_lds(info))?;
    match (memory.path, memory.verb) {
        (Path::Lds, Verb::Load) => Some(Access::Load),
        (Path::Lds, Verb::Store) => Some(Access::Store),
        (Path::Lds, Verb::Atomic | Verb::AtomicReturn) => Some(Access::Atomic),
        (_, Verb::ToLds) => Some(Access::Copy),
        (_, Verb::FromLds) => Some(Access::CopyFrom),
        _ => None,
    }
}
