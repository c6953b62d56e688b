//! One barrier for what nothing orders at several places.
//!
//! Where a barrier is missing, many accesses of two waves meet that nothing orders: each copy of a round with each
//! load, and each load with what overwrites it. A barrier at a place orders two accesses if the later one's wave has
//! come by that place oftener than the earlier one's: once at least, and once more for each barrier that the one has
//! arrived at and the other has not left yet. So each pair has its places, of all waves that were seen to meet there;
//! pairs that have one in common are one mistake.
//!
//! Which of two accesses comes first is what their waves show (`order`). Of a pair the nearest meetings are looked at,
//! as others leave more places.
//!
//! Where an access only stands in the wrong place, that is said instead (`belongs`).

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_isa::effects::{Channel, wait_text};
use wavemark_memmodel::counters::ClassId;
use wavemark_sim::foresight::Step;

use super::barriers::{Access, access};
use super::report::also;
use super::{Analysis, copies_lds};
use crate::finding::{AND_A_BARRIER, BARRIER_SOMEWHERE, Class, Finding, Severity};
use crate::one_wait::StraightLines;
use crate::site_info::{SiteId, SiteInfo};
use belongs::Belongs;
use order::Done;

mod belongs;
pub(super) mod order;

/// Of a pair as many meetings are looked at for a dispatch.
const NEAREST: usize = 3;
/// As many steps of a wave are looked at for the places of a meeting.
const STEPS: usize = 4_000;

/// Where a wave is: how often it has arrived at the workgroup barrier, how often it has waited for it, and how many
/// steps it has done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moment {
    pub arrivals: u32,
    pub waits: u32,
    pub step: usize,
}

impl Moment {
    /// Whether what is done here comes before what another wave does at `other`.
    pub fn is_before(self, other: Moment) -> bool {
        other.waits > self.arrivals
    }
}

/// Where a barrier might stand: next to the instruction at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Before(u64),
    Behind(u64),
}

/// Two instructions that touch the same bytes of LDS, in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Pair {
    /// The first is a copy in flight at a barrier in between, and its wait comes behind that.
    pub handed_on: bool,
    pub first: SiteId,
    pub second: SiteId,
}

/// A pair of two waves.
#[derive(Clone, Copy)]
pub(super) struct Meeting<'w> {
    /// Behind what a barrier would order the two: the first access, or the wait for it.
    pub from: (&'w [Step], Moment),
    /// The first.
    pub issued: Moment,
    /// The second.
    pub to: (&'w [Step], Moment),
    /// Which waves of the workgroup they are.
    pub waves: [usize; 2],
    /// So many steps of the two waves are the same.
    pub alike: usize,
    pub between: Between,
}

/// What the wave of the first access does before the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    /// It waits for it here.
    Waits(SiteId),
    /// It does not wait for it.
    Nothing,
    /// The two go different ways.
    Unknown,
    /// It is an access of LDS operations' queue: that it is done at the barrier is the business of another rule.
    Touch,
}

impl Meeting<'_> {
    fn distance(&self) -> usize {
        self.from.1.step.abs_diff(self.to.1.step)
    }

    /// Where a barrier would order the two, if that can be told.
    fn places(&self) -> Option<FxHashSet<Place>> {
        let (one, from) = (self.from.0, self.from.1.step);
        let (other, to) = (self.to.0, self.to.1.step);
        let same = self.alike.min(from).min(to);
        if from.max(to) - same > STEPS {
            return None;
        }
        let mut oftener: FxHashMap<Place, i64> = FxHashMap::default();
        let mut count = |place: Place, by: i64| *oftener.entry(place).or_default() += by;
        for (steps, end, by) in [(other, to, 1), (one, from, -1)] {
            steps.get(same..=end)?.iter().for_each(|step| count(Place::Before(step.pc), by));
            steps.get(same..end)?.iter().for_each(|step| count(Place::Behind(step.pc), by));
        }
        let not_left = i64::from(self.from.1.arrivals) - i64::from(self.to.1.waits);
        oftener.retain(|_, times| *times > not_left);
        Some(oftener.into_keys().collect())
    }

    /// Where the wave of a first access that is no copy waits for it before the second, if both come by there.
    fn wait_for_touch(&self, analysis: &Analysis<'_>, places: Option<&FxHashSet<Place>>) -> Between {
        let to = self.to.1.step;
        let waited = belongs::waited_at(analysis, self.from.0, self.from.1.step);
        match waited {
            Some((step, wait)) if step < self.alike && step <= to => return Between::Waits(wait),
            _ if to < self.alike => return Between::Nothing,
            _ => {}
        }
        let Some((_, wait)) = waited else { return Between::Unknown };
        let place = Place::Behind(analysis.sites.get(wait).site.pc);
        match places.is_some_and(|places| places.contains(&place)) {
            true => Between::Waits(wait),
            false => Between::Unknown,
        }
    }

    /// How many operations of a class the first access's wave issues between the two.
    fn younger(&self, analysis: &Analysis<'_>, class: ClassId) -> u32 {
        let (steps, from) = self.from;
        let to = self.to.1.step;
        if !analysis.tells_order(class) || to >= self.alike {
            return 0;
        }
        let of_class = |step: &&Step| {
            let site = analysis.sites.find(step.pc, step.msb);
            site.is_some_and(|site| channels(analysis.sites.get(site)).any(|other| other == class))
        };
        steps.get(from.step + 1..to).unwrap_or_default().iter().filter(of_class).count() as u32
    }
}

fn channels(info: &SiteInfo) -> impl Iterator<Item = ClassId> {
    info.effects.channels.iter().map(|&channel: &Channel| channel as ClassId)
}

/// The nearest meetings of each pair, for a dispatch.
#[derive(Default)]
pub(super) struct Meetings<'w> {
    nearest: FxHashMap<Pair, SmallVec<[Meeting<'w>; NEAREST]>>,
    /// Which comes first of two behind the same barriers, as it is seen first.
    orders: FxHashMap<(SiteId, SiteId), bool>,
}

impl<'w> Meetings<'w> {
    /// Whether one access comes before another; the first `alike` steps of their waves are the same.
    pub fn precedes(
        &mut self,
        (site, one): (SiteId, Done<'_>),
        (with, other): (SiteId, Done<'_>),
        alike: usize,
    ) -> bool {
        order::by_barriers(one.at, other.at, alike).unwrap_or_else(|| {
            *self.orders.entry((site, with)).or_insert_with(|| order::on_the_way(&one, &other))
        })
    }

    /// One more.
    pub fn add(&mut self, pair: Pair, meeting: Meeting<'w>) {
        let nearest = self.nearest.entry(pair).or_default();
        let at = nearest.partition_point(|other| other.distance() <= meeting.distance());
        if at < NEAREST {
            nearest.truncate(NEAREST - 1);
            nearest.insert(at, meeting);
        }
    }
}

/// What no barrier orders.
struct Unordered {
    pair: Pair,
    /// In how many dispatches it was seen.
    times: u32,
    /// How near the nearest meeting was.
    distance: usize,
    wait: Wait,
    /// Where one of the two belongs, as the nearest meeting shows.
    belongs: Option<Belongs>,
    /// Where a barrier would order them; `None`: that cannot be told.
    places: Option<FxHashSet<Place>>,
}

/// What is waited for between the two.
#[derive(Clone, Copy)]
enum Wait {
    /// The first, there.
    At(SiteId),
    /// Not the first; a wait before the second may leave so many operations of the class in flight.
    Missing(ClassId, u32),
    Unknown,
}

/// What no barrier orders, over several dispatches.
#[derive(Default)]
pub(super) struct AllUnordered(BTreeMap<Pair, Unordered>);

impl AllUnordered {
    /// Takes up what a dispatch shows. The first of two that meet may be a copy that `refills` what the second is to read.
    pub fn add(
        &mut self,
        analysis: &Analysis<'_>,
        meetings: Meetings<'_>,
        refills: impl Fn(&Meeting<'_>) -> bool,
    ) {
        for (pair, nearest) in meetings.nearest {
            let known = self.0.entry(pair).or_insert_with(|| Unordered::unseen(pair));
            known.times += 1;
            nearest.iter().for_each(|meeting| known.add(analysis, meeting, &refills));
        }
    }

    /// Accesses that are no copies have to meet in so many dispatches.
    pub fn confirm(&mut self, analysis: &Analysis<'_>, times: u32) {
        let copies = |site| copies_lds(analysis.sites.get(site));
        self.0.retain(|pair, one| one.times >= times || copies(pair.first) || copies(pair.second));
    }

    /// What one barrier each would order.
    pub fn one_barriers(self, analysis: &Analysis<'_>) -> Vec<OneBarrier> {
        let mut all: Vec<Unordered> = self.0.into_values().collect();
        all.sort_by_key(|one| one.places.as_ref().map_or(usize::MAX, FxHashSet::len));
        let mut groups: Vec<Group> = Vec::new();
        for one in all {
            match groups.iter_mut().find(|group| group.takes(&one)) {
                Some(group) => group.add(one),
                None => groups.push(Group { places: one.places.clone(), members: vec![one] }),
            }
        }
        groups.into_iter().map(|group| group.one_barrier(analysis)).collect()
    }
}

impl Unordered {
    fn unseen(pair: Pair) -> Unordered {
        Unordered { pair, times: 0, distance: usize::MAX, wait: Wait::Unknown, belongs: None, places: None }
    }

    fn add(
        &mut self,
        analysis: &Analysis<'_>,
        meeting: &Meeting<'_>,
        refills: impl Fn(&Meeting<'_>) -> bool,
    ) {
        let class = channels(analysis.sites.get(self.pair.first)).next().unwrap_or_default();
        let nearer = meeting.distance() < self.distance;
        let places = meeting.places();
        let between = match meeting.between {
            Between::Touch => meeting.wait_for_touch(analysis, places.as_ref()),
            known => known,
        };
        self.wait = match (self.wait, between) {
            (Wait::Missing(class, least), Between::Nothing) => {
                Wait::Missing(class, least.min(meeting.younger(analysis, class)))
            }
            (_, Between::Nothing) => Wait::Missing(class, meeting.younger(analysis, class)),
            (Wait::Unknown, Between::Waits(site)) => Wait::At(site),
            (Wait::At(_), Between::Waits(site)) if nearer => Wait::At(site),
            (known, _) => known,
        };
        if nearer {
            self.belongs = Belongs::of(analysis, self.pair, meeting, refills);
        }
        let first = self.distance == usize::MAX;
        self.distance = self.distance.min(meeting.distance());
        self.places = match (self.places.take(), places) {
            (Some(known), Some(places)) => Some(known.intersection(&places).copied().collect()),
            (None, places) if first => places,
            _ => None,
        };
        // What no one place mends always can be told by its ends alone.
        self.places.take_if(|places| places.is_empty());
    }
}

/// Accesses that one barrier orders.
struct Group {
    members: Vec<Unordered>,
    places: Option<FxHashSet<Place>>,
}

/// A barrier that is missing.
pub(super) struct OneBarrier {
    pub finding: Finding,
    pairs: Vec<(Pair, bool)>,
    /// The copy that comes before what it writes over is read, if it is that.
    refill: Option<SiteId>,
}

impl OneBarrier {
    /// Whether what `second` meets of `copy` is not in order with other waves for want of it. Of the wave's `own`
    /// copies, whether neither is waited for, or this one comes too early for its wave as well.
    pub fn is_cause(&self, analysis: &Analysis<'_>, (copy, second): (SiteId, SiteId), own: bool) -> bool {
        self.refill == Some(copy)
            || self.pairs.iter().any(|&(pair, unwaited)| {
                let of_copy = copies_lds(analysis.sites.get(pair.first));
                !pair.handed_on && of_copy && pair.second == second && (unwaited || !own)
            })
    }
}

impl Group {
    /// Whether the same barrier orders another pair: one before a place that they have in common, or, where places
    /// cannot be told, one for an end that they have in common.
    fn takes(&self, one: &Unordered) -> bool {
        match (&self.places, &one.places) {
            (Some(own), Some(other)) => !own.is_disjoint(other),
            _ => self.members.iter().any(|member| {
                (member.pair.first, member.pair.handed_on) == (one.pair.first, one.pair.handed_on)
                    || member.pair.second == one.pair.second
            }),
        }
    }

    fn add(&mut self, one: Unordered) {
        self.places = match (self.places.take(), &one.places) {
            (Some(own), Some(other)) => Some(own.intersection(other).copied().collect()),
            (own, other) => own.or_else(|| other.clone()),
        };
        self.members.push(one);
    }

    /// The finding is about the nearest two.
    fn one_barrier(mut self, analysis: &Analysis<'_>) -> OneBarrier {
        self.members.sort_by_key(|one| (one.pair.handed_on, one.distance, one.pair));
        let mut finding = described(analysis, self.members[0].pair);
        for Unordered { pair, .. } in &self.members {
            also(&mut finding, &ends(analysis, *pair));
        }
        let pairs = self.members.iter().map(|one| (one.pair, matches!(one.wait, Wait::Missing(..))));
        let pairs = pairs.collect();
        let refills = |one: &&Unordered| matches!(one.belongs, Some(Belongs::BehindRead(None)));
        let refill = self.members.first().filter(refills).map(|one| one.pair.first);
        OneBarrier { finding: self.mended(analysis, finding), pairs, refill }
    }

    /// The finding with what mends it. A barrier waits for nothing by itself.
    fn mended(&self, analysis: &Analysis<'_>, finding: Finding) -> Finding {
        if let [Unordered { pair, belongs: Some(belongs), .. }, ..] = self.members[..] {
            return belongs.hint(analysis, pair, finding);
        }
        let site = |site: SiteId| Some(analysis.sites.get(site).site.clone());
        if let Some((next_to, behind, class, enough)) = self.missing_wait(analysis) {
            let wait = wait_text(analysis.machine, analysis.counter(class), enough);
            let where_to = if behind { "behind" } else { "before" };
            return finding.hint(format!("{wait}{AND_A_BARRIER} {where_to}"), site(next_to));
        }
        let waits = self.members.iter().filter_map(|one| match one.wait {
            Wait::At(wait) => {
                let serves_all = self.serves_all(Place::Behind(analysis.sites.get(wait).site.pc));
                Some((!serves_all, one.distance, wait))
            }
            _ => None,
        });
        match waits.min() {
            Some((.., wait)) => {
                let (hint, at) = StraightLines::of(analysis.sites).barrier_behind(wait);
                finding.hint(hint, site(at))
            }
            None => finding.hint(BARRIER_SOMEWHERE, None),
        }
    }

    /// Whether a barrier there would order all.
    fn serves_all(&self, place: Place) -> bool {
        self.places.as_ref().is_none_or(|places| places.contains(&place))
    }

    /// Where nothing waits for a first access: the instruction that the wait is missing next to, whether behind it, and
    /// how many operations of a class it may leave in flight. Rather before what comes second, and where the barrier
    /// serves all.
    fn missing_wait(&self, analysis: &Analysis<'_>) -> Option<(SiteId, bool, ClassId, u32)> {
        let serves_all = |place: &dyn Fn(u64) -> Place, site: SiteId| {
            self.serves_all(place(analysis.sites.get(site).site.pc))
        };
        let missing = || {
            self.members.iter().filter_map(|one| match one.wait {
                Wait::Missing(class, enough) => Some((one.pair, class, enough)),
                _ => None,
            })
        };
        if let Some((pair, class, _)) = missing().find(|(pair, ..)| serves_all(&Place::Before, pair.second)) {
            let same = missing().filter(|&(other, of, _)| (other.second, of) == (pair.second, class));
            let enough = same.map(|(.., enough)| enough).min()?;
            return Some((pair.second, false, class, enough));
        }
        let first = missing().find(|(pair, ..)| serves_all(&Place::Behind, pair.first));
        let (pair, class, _) = first.or_else(|| missing().next())?;
        Some((pair.first, true, class, 0))
    }
}

/// The two of a pair, and what each does.
fn ends<'c>(analysis: &Analysis<'c>, pair: Pair) -> [(&'static str, &'c SiteInfo); 2] {
    let (first, second) = (analysis.sites.get(pair.first), analysis.sites.get(pair.second));
    match reads(first) {
        true => [("reader", first), ("writer", second)],
        false => [("producer", first), ("consumer", second)],
    }
}

/// Whether it reads LDS.
fn reads(info: &SiteInfo) -> bool {
    matches!(access(info), Some(Access::Load | Access::CopyFrom))
}

/// What is said of a pair.
fn described(analysis: &Analysis<'_>, pair: Pair) -> Finding {
    let [(_, first), (_, second)] = ends(analysis, pair);
    let does = if reads(second) { "read" } else { "overwritten" };
    let (rule, title) = match pair.handed_on {
        true => {
            let copy = if copies_lds(first) { first } else { second };
            let (by, why) = (copy.mnemonic, "no barrier comes behind the wait for it");
            ("R4", format!("LDS is {does} by another wave while {by} may still be in flight there: {why}"))
        }
        false => {
            let did = if reads(first) { "read" } else { "written" };
            let (one, other) = (first.mnemonic, second.mnemonic);
            let title = format!(
                "LDS is {did} by {one} and {does} by {other} of another wave: no barrier orders the two"
            );
            ("S2", title)
        }
    };
    Finding::new(rule, Class::MissingSync, Severity::Error, title)
}
