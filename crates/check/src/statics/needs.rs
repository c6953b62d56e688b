//! What each wait is needed for, on all paths: the largest number that it could have (W2).
//!
//! For each operation it is known at each point which wait was the last that is enough for it, and how many younger
//! operations of its class were in flight there. Whoever needs the operation to be done needs that wait with that number
//! at most. Each need is laid on one wait, so the numbers found hold together: all waits may be weakened at once. A wait
//! that has nothing to wait for (W1) is not there; what it would be enough for is laid on one before it. But where that
//! one could leave more in flight if the idle one did its own work, the one before is what is too strong, and the idle
//! one stays.
//!
//! Who needs an operation to be done:
//! * who touches a register that it writes;
//! * who touches LDS, if it is a copy to or from LDS, or touches LDS itself in another queue: which bytes is not asked;
//! * stores and atomics, messages and copies from LDS, if it is a store: it may be released by them;
//! * what orders memory: barriers, cache operations, atomics, accesses of a scope beyond the CU, calls that are not
//!   followed, sleep;
//! * the end of the wave, if it is a copy to or from LDS, or arrives behind one at a barrier there.
//!
//! A load that acquires without a scope or a cache operation, and whose value nobody looks at before what is ordered
//! behind it, is taken for a plain one.

use std::collections::{BTreeMap, BTreeSet};

use wavemark_isa::effects::{Channel, Control, Counter, Flow, Path, Scope, Verb, channels_of};
use wavemark_memmodel::counters::ClassId;
use wavemark_memmodel::flow::{Graph, State, forward};

use super::blocks::Code;
use super::{Analysis, copies_lds, goes_on_in_lds};
use crate::site_info::{SiteId, SiteInfo};

/// Operations in one class that are told apart no further, and the wait on which they rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Resting {
    /// [`STORES`] for those that write no register and copy nothing to or from LDS.
    operation: SiteId,
    class: ClassId,
    /// The last wait that is enough; `None`: there is none yet.
    wait: Option<SiteId>,
}

/// What may hold of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct How {
    /// How many younger operations of the class were in flight at the wait, at the least.
    at: u32,
    /// How many have been issued by now: bit n for n. At a counter's capacity the hardware has waited.
    younger: u64,
}

const STORES: SiteId = SiteId::MAX;

/// What rests on which wait, before a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rests(BTreeMap<Resting, How>);

impl State for Rests {
    fn join(&mut self, other: &Rests) -> bool {
        let mut changed = false;
        for (&key, &how) in &other.0 {
            changed |= self.add(key, how);
        }
        changed
    }
}

/// What is needed of a wait's counter: as many operations may be in flight.
pub(super) type Needs = BTreeMap<(SiteId, Counter), u32>;

/// What is laid on waits.
#[derive(Default)]
struct Laid {
    needs: Needs,
    /// Waits that are the first to be enough for an operation, and how many younger ones were in flight there at most.
    covers: BTreeMap<(SiteId, Counter), u32>,
    /// A wait, and an earlier one for that counter which is enough for some of the same operations; how many younger ones were
    /// in flight there at the least.
    relieves: BTreeMap<(SiteId, SiteId, Counter), u32>,
}

/// What is asked of copies to and from LDS that an access to LDS or a barrier may need, or not, as the bytes are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copies {
    /// It needs them.
    Needed,
    /// It needs them, and so may what comes behind it, instead.
    NeededOrLater,
}

/// The needs of all waits but those at addresses that are `idle`. One that would not be, were a wait before it not too
/// strong, is taken from those.
pub(super) fn needs(analysis: &Analysis<'_>, code: &Code, graph: &Graph, idle: &mut BTreeSet<u64>) -> Needs {
    let mut laid = lay_all(analysis, (code, graph), idle, Copies::Needed);
    if idle.is_empty() {
        return laid.needs;
    }
    let all = lay_all(analysis, (code, graph), &BTreeSet::new(), Copies::Needed);
    let pc = |site: SiteId| analysis.sites.get(site).site.pc;
    loop {
        let could_be_weaker = |&&(_, earlier, counter): &&(SiteId, SiteId, Counter)| {
            let most = |laid: &Laid| laid.needs.get(&(earlier, counter)).copied();
            let with_all = most(&all).map(|most| weakest(analysis, counter, most));
            most(&laid).is_some() && with_all > most(&laid).max(number(analysis, earlier, counter))
        };
        let of_idle = all
            .relieves
            .keys()
            .filter(|&&(later, earlier, _)| idle.contains(&pc(later)) && !idle.contains(&pc(earlier)));
        let needed: BTreeSet<u64> = of_idle.filter(could_be_weaker).map(|&(later, ..)| pc(later)).collect();
        if needed.is_empty() {
            return laid.needs;
        }
        idle.retain(|pc| !needed.contains(pc));
        laid = lay_all(analysis, (code, graph), idle, Copies::Needed);
    }
}

/// Of waits at addresses that are `idle`, earlier ones that may do too much: for copies to or from LDS of which the first may
/// be needed before the idle wait, and the rest behind it. Which bytes are whose is not asked.
pub(super) fn perhaps_too_strong(
    analysis: &Analysis<'_>,
    code: &Code,
    graph: &Graph,
    idle: &BTreeSet<u64>,
) -> BTreeMap<u64, SiteId> {
    if idle.is_empty() || !code.sites.all().any(|(_, info)| copies_lds(info)) {
        return BTreeMap::new();
    }
    let laid = lay_all(analysis, (code, graph), &BTreeSet::new(), Copies::NeededOrLater);
    let pc = |site: SiteId| analysis.sites.get(site).site.pc;
    let perhaps = |(&(later, earlier, counter), at): (&(SiteId, SiteId, Counter), &u32)| {
        let of_idle = idle.contains(&pc(later)) && !idle.contains(&pc(earlier));
        let serves = laid.needs.contains_key(&(later, counter));
        let is_for_more = laid.covers.get(&(earlier, counter)) > Some(at);
        (of_idle && serves && is_for_more).then_some((pc(later), earlier))
    };
    laid.relieves.iter().filter_map(perhaps).collect()
}

/// How many operations a wait leaves in flight of a counter.
pub(super) fn number(analysis: &Analysis<'_>, wait: SiteId, counter: Counter) -> Option<u32> {
    let waits = &analysis.sites.get(wait).effects.waits;
    waits.iter().find(|(other, _)| *other == counter).map(|&(_, n)| n)
}

/// The largest number that says as much as `most`: a counter that has come to its largest one is not waited for.
pub(super) fn weakest(analysis: &Analysis<'_>, counter: Counter, most: u32) -> u32 {
    most.min(analysis.counters.capacity(counter).saturating_sub(1))
}

fn lay_all(
    analysis: &Analysis<'_>,
    (code, graph): (&Code, &Graph),
    idle: &BTreeSet<u64>,
    copies: Copies,
) -> Laid {
    let mut ignored = Laid::default();
    let before = forward(graph, 0, Rests::default(), |block, before| {
        let mut rests = before.clone();
        for &site in &code.blocks[block].sites {
            rests.step(analysis, site, (idle, copies), &mut ignored);
        }
        rests
    });
    let mut laid = Laid::default();
    for (block, before) in code.blocks.iter().zip(before) {
        let Some(mut rests) = before else { continue };
        for &site in &block.sites {
            rests.step(analysis, site, (idle, copies), &mut laid);
        }
    }
    laid
}

impl Rests {
    /// Adds what may hold too; whether that is new.
    fn add(&mut self, key: Resting, how: How) -> bool {
        match self.0.get_mut(&key) {
            Some(known) => {
                let joined = How { at: known.at.min(how.at), younger: known.younger | how.younger };
                std::mem::replace(known, joined) != joined
            }
            None => self.0.insert(key, how).is_none(),
        }
    }

    fn step(
        &mut self,
        analysis: &Analysis<'_>,
        site: SiteId,
        (idle, copies): (&BTreeSet<u64>, Copies),
        laid: &mut Laid,
    ) {
        let info = analysis.sites.get(site);
        self.0.retain(|resting, how| {
            let needed = is_needed(analysis, resting.operation, site);
            let stays = copies == Copies::NeededOrLater && is_copy(analysis, resting.operation);
            if needed && !(stays && info.effects.flow == Flow::End) {
                lay(analysis, resting, how, &mut laid.needs);
            }
            // What no wait has covered yet does not rest on one: who needs it to be done comes later, or it is missing.
            !needed || stays || resting.wait.is_none()
        });
        if !idle.contains(&info.site.pc) {
            for &(counter, n) in &info.effects.waits {
                for &channel in channels_of(counter) {
                    self.wait(analysis, site, (channel as ClassId, n), copies, laid);
                }
            }
        }
        // It tells apart what a wait by number could not: everything is done behind it, and nothing rests on a wait.
        if info.effects.waits_idle {
            self.0.clear();
        }
        for &channel in &info.effects.channels {
            self.issue(analysis, site, info, channel);
        }
    }

    /// Operations with `n` younger ones or more rest on the wait at `site` from here on.
    fn wait(
        &mut self,
        analysis: &Analysis<'_>,
        site: SiteId,
        (class, n): (ClassId, u32),
        copies: Copies,
        laid: &mut Laid,
    ) {
        let in_order = analysis.queues[usize::from(class)].in_order;
        let enough = match (in_order, n) {
            (true, n) => u64::MAX.checked_shl(n).unwrap_or(0),
            (false, 0) => u64::MAX,
            (false, _) => 0,
        };
        let mut moved = Vec::new();
        self.0.retain(|&resting, how| {
            let younger = how.younger & enough;
            if resting.class != class || younger == 0 {
                return true;
            }
            let at = if analysis.tells_order(class) { younger.trailing_zeros() } else { 0 };
            let counter = analysis.counter(class);
            match resting.wait {
                _ if copies == Copies::NeededOrLater && !is_copy(analysis, resting.operation) => {}
                Some(earlier) => {
                    let least = laid.relieves.entry((site, earlier, counter)).or_insert(how.at);
                    *least = how.at.min(*least);
                }
                None => {
                    let most = laid.covers.entry((site, counter)).or_insert(0);
                    *most = (u64::BITS - 1 - younger.leading_zeros()).max(*most);
                }
            }
            moved.push((Resting { wait: Some(site), ..resting }, How { at, younger }));
            how.younger &= !enough;
            how.younger != 0
        });
        for (key, how) in moved {
            self.add(key, how);
        }
    }

    fn issue(&mut self, analysis: &Analysis<'_>, site: SiteId, info: &SiteInfo, channel: Channel) {
        let class = channel as ClassId;
        let queue = analysis.queues[usize::from(class)];
        if queue.in_order {
            self.0.retain(|resting, how| {
                if resting.class == class {
                    how.younger = how.younger << 1 & queue.positions();
                }
                how.younger != 0
            });
        }
        let told_apart = info.writes().next().is_some() || touches_lds(info);
        let operation = if told_apart { site } else { STORES };
        self.add(Resting { operation, class, wait: None }, How { at: 0, younger: 1 });
    }
}

/// Lays a need of operations on the wait on which they rest.
fn lay(analysis: &Analysis<'_>, resting: &Resting, how: &How, needs: &mut Needs) {
    if let Some(wait) = resting.wait {
        let need = needs.entry((wait, analysis.counter(resting.class))).or_insert(how.at);
        *need = how.at.min(*need);
    }
}

/// Whether operations are a copy to or from LDS.
fn is_copy(analysis: &Analysis<'_>, operation: SiteId) -> bool {
    operation != STORES && copies_lds(analysis.sites.get(operation))
}

/// Whether an instruction needs an operation to be done.
fn is_needed(analysis: &Analysis<'_>, operation: SiteId, site: SiteId) -> bool {
    let info = analysis.sites.get(site);
    if orders(info) || analysis.code.is_opaque(site) {
        return true;
    }
    if operation == STORES {
        return releases(info);
    }
    let producer = analysis.sites.get(operation);
    let copies = copies_lds(producer);
    if info.effects.flow == Flow::End {
        return goes_on_in_lds(producer);
    }
    let in_lds = touches_lds(producer) && touches_lds(info);
    let other_queue = copies || producer.effects.channels != info.effects.channels;
    in_lds && other_queue || analysis.touches_result(producer, info).is_some()
}

/// Whether memory is ordered by it.
fn orders(info: &SiteInfo) -> bool {
    let effects = &info.effects;
    let by_memory = effects.memory.is_some_and(|memory| {
        matches!(memory.verb, Verb::Cache { .. })
            || memory.is_atomic()
            || memory.verb != Verb::Prefetch && effects.policy.scope > Scope::Cu
    });
    let by_flow = matches!(effects.flow, Flow::Barrier | Flow::Trap | Flow::Halt);
    let by_control = matches!(
        effects.control,
        Some(Control::Sleep | Control::SendMessage | Control::SendMessageReturn | Control::Clock)
    );
    by_memory || by_flow || by_control
}

/// Whether a store before it may be released by it.
fn releases(info: &SiteInfo) -> bool {
    let stores = info.effects.memory.is_some_and(|memory| {
        matches!(memory.verb, Verb::Store | Verb::FromLds) || memory.path == Path::Tensor
    });
    stores || info.effects.memory.is_none() && !info.effects.channels.is_empty()
}

/// Whether it may touch LDS.
fn touches_lds(info: &SiteInfo) -> bool {
    let path = info.effects.memory.map(|memory| memory.path);
    let crossbar = info.effects.memory.is_some_and(|memory| matches!(memory.verb, Verb::Crossbar(_)));
    copies_lds(info) || matches!(path, Some(Path::Lds | Path::Flat | Path::Gds)) && !crossbar
}
